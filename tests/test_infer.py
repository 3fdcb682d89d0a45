"""Inferred types against what CPython computes.

The typed program that the engine prints is Python. It is run with a check behind every annotated
assignment (infer_checks): the type must hold the value, on every path. Beside that, types that must
not be less precise (infer_programs), and the refusals.
"""

from __future__ import annotations

import importlib.util
import inspect
import itertools
import sys
import types
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from infer_checks import annotations_of, check
from infer_expressions import BINARY, OPERANDS, UNARY
from infer_programs import PROGRAMS, VECTOR
from tangent import _core


@pytest.mark.parametrize(
    ("function", "arguments", "expected"),
    PROGRAMS,
    ids=[f"{program[0].__name__}-{i}" for i, program in enumerate(PROGRAMS)],
)
def test_program(
    function: Callable[..., Any], arguments: tuple[object, ...], expected: dict[str, str]
) -> None:
    assert check(function, *arguments) > 0 or not expected
    found = annotations_of(function, *arguments)
    for variable, type_text in expected.items():
        assert type_text.replace("n_", "_") in found.get(variable, []), (variable, found)


@pytest.fixture(scope="module")
def expressions(tmp_path_factory: pytest.TempPathFactory) -> types.ModuleType:
    """A module with one function for every expression."""
    lines = ["import math", "import numpy as np", ""]
    for i, text in enumerate(UNARY):
        lines += [f"def unary_{i}(x):", f"    r = {text}", "    return r", ""]
    for i, text in enumerate(BINARY):
        lines += [f"def binary_{i}(x, y):", f"    r = {text}", "    return r", ""]
    path = tmp_path_factory.mktemp("infer") / "infer_expressions.py"
    path.write_text("\n".join(lines))
    spec = importlib.util.spec_from_file_location("infer_expressions", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["infer_expressions"] = module
    spec.loader.exec_module(module)
    return module


def runs(function: Callable[..., Any], *arguments: object) -> bool:
    """Whether the arguments mean anything to it: NumPy raises on many of the pairs."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            function(*arguments)
        except Exception:
            return False
    return True


def check_all(function: Callable[..., Any], choices: Iterable[tuple[object, ...]]) -> int:
    count = 0
    for arguments in choices:
        if runs(function, *arguments):
            count += check(function, *arguments)
    return count


@pytest.mark.parametrize("i", range(len(UNARY)), ids=UNARY)
def test_unary_expression(expressions: types.ModuleType, i: int) -> None:
    assert check_all(getattr(expressions, f"unary_{i}"), ((operand,) for operand in OPERANDS)) > 0


@pytest.mark.parametrize("i", range(len(BINARY)), ids=BINARY)
def test_binary_expression(expressions: types.ModuleType, i: int) -> None:
    pairs = itertools.product(OPERANDS, repeat=2)
    assert check_all(getattr(expressions, f"binary_{i}"), pairs) > 0


def sorts(x):
    x.sort()
    return x


def fills(x):
    y = np.copy(x)
    y.put(0, 1.0)
    return y


@pytest.mark.parametrize(
    ("function", "arguments", "marked"),
    [
        (sorts, (VECTOR,), "x.sort()"),
        (fills, (VECTOR,), "y.put(0, 1.0)"),
    ],
    ids=lambda it: getattr(it, "__name__", ""),
)
def test_writes_in_place_are_refused(
    function: Callable[..., Any], arguments: tuple[object, ...], marked: str
) -> None:
    with pytest.raises(Exception, match=r"supported|in place") as raised:
        _core.typed(function, *arguments)
    assert type(raised.value).__module__ == "tangent.errors"
    assert marked in str(raised.value)


def number_plus_equals(x):
    total = 0.0
    for _ in range(3):
        total += x
    return total


def test_numbers_may_be_rebound_by_an_operator() -> None:
    check(number_plus_equals, 1.5)
    assert "total += x" in _core.typed(number_plus_equals, 1.5)


def define(text: str, directory: Path, name: str) -> Callable[..., Any]:
    path = directory / f"{name}.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    function = getattr(module, name)
    assert inspect.isfunction(function)
    return function


def test_a_sum_of_two_thousand_terms(tmp_path: Path) -> None:
    terms = " + ".join(f"{k} * x.sum()" for k in range(1, 2001))
    function = define(f"def long(x):\n    y = {terms}\n    return y\n", tmp_path, "long")
    assert annotations_of(function, VECTOR) == {"y": ["float"]}


def test_twenty_nested_loops(tmp_path: Path) -> None:
    lines = ["def nested(x):", "    y = 0"]
    for k in range(19):  # CPython allows no more
        lines.append("    " * (k + 1) + f"for i{k} in range(2):")
    lines.append("    " * 20 + "y = y + x * i3")
    lines += ["    z = y", "    return z", ""]
    function = define("\n".join(lines), tmp_path, "nested")
    assert annotations_of(function, 1.5)["z"] == ["float"]
    assert annotations_of(function, VECTOR)["z"] == ["numeric[n2]"]
