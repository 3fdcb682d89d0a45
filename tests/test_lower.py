"""Lowering: the core program, run by CPython, does what the user's function does.

The functions stand in tests/golden/lower_*.py. Each is lowered, printed, and executed on several
arguments: value (bit for bit), what it prints, what it leaves in its arguments, and exceptions have
to be the same. EXPECTED of a file has the text of some; `TANGENT_REWRITE=1 pytest
tests/test_lower.py` writes them anew.
"""

from __future__ import annotations

import contextlib
import importlib.util
import inspect
import io
import math
import os
import pathlib
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from tangent import _core

GOLDEN = pathlib.Path(__file__).parent / "golden"
FILES = ["lower_control", "lower_assignments", "lower_calls"]


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, GOLDEN / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


MODULES = {name: load(name) for name in FILES}


def functions_of(module: ModuleType) -> dict[str, Callable[..., Any]]:
    helpers = getattr(module, "HELPERS", set())
    return {
        name: value
        for name, value in vars(module).items()
        if inspect.isfunction(value) and name not in helpers
    }


CASES = [
    pytest.param(module, name, id=name)
    for module in MODULES.values()
    for name in functions_of(module)
]


def arguments_of(module: ModuleType, name: str) -> list[tuple[Any, ...]]:
    if name in module.ARGUMENTS:
        return list(module.ARGUMENTS[name])
    count = len(inspect.signature(getattr(module, name)).parameters)
    return list(module.NUMBERS if count == 1 else module.PAIRS)


def behaviour(function: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """(value or exception, printed text, the arguments afterwards) of a call."""
    printed = io.StringIO()
    copies = [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]
    with contextlib.redirect_stdout(printed), np.errstate(all="ignore"):
        try:
            outcome: Any = function(*copies)
        except Exception as error:
            # Names in messages of UnboundLocalError may be renamed by inlining.
            text = "" if isinstance(error, NameError) else str(error)
            outcome = ("raised", type(error), text)
    return outcome, printed.getvalue(), tuple(copies)


def same(a: Any, b: Any) -> bool:
    if type(a) is not type(b):
        return False
    if isinstance(a, tuple | list):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    if isinstance(a, float) and math.isnan(a):
        return math.isnan(b)
    return bool(a == b)


def run(text: str, name: str, namespace: dict[str, Any]) -> Callable[..., Any]:
    scope = dict(namespace)
    exec(compile(text, f"<lowered {name}>", "exec"), scope)
    return scope[name]  # type: ignore[no-any-return]


@pytest.mark.parametrize(("module", "name"), CASES)
def test_behaves_as_the_function(module: ModuleType, name: str) -> None:
    function = getattr(module, name)
    text = _core.lowered(function)
    lowered = run(text, name, vars(module))
    for arguments in arguments_of(module, name):
        expected = behaviour(function, arguments)
        found = behaviour(lowered, arguments)
        assert same(found, expected), f"{name}{arguments}: {found} for {expected}\n{text}"


@pytest.mark.parametrize("module", MODULES.values(), ids=MODULES)
def test_texts(module: ModuleType) -> None:
    found = {name: _core.lowered(getattr(module, name)) for name in module.EXPECTED}
    if os.environ.get("TANGENT_REWRITE"):
        path = GOLDEN / f"{module.__name__}.py"
        start = path.read_text().index("EXPECTED: dict[str, str] = {")
        entries = "".join(f'    "{name}": """\\\n{text}""",\n' for name, text in found.items())
        body = f"{{\n{entries}}}" if entries else "{}"
        path.write_text(path.read_text()[:start] + f"EXPECTED: dict[str, str] = {body}\n")
    assert found == module.EXPECTED
