"""Whether a type that the engine prints holds a value, and typed programs run with checks.

`check` runs the typed program of a function, which is Python, with a check behind every annotated
assignment.
"""

from __future__ import annotations

import ast
import re
import types
import warnings
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from tangent import _core


class Lengths(dict[str, int]):
    """What the symbols of the arguments' axes stand for: n2, n3, … for the axes that are not 1."""

    def __init__(self, arguments: Iterable[object]) -> None:
        super().__init__()
        for argument in arguments:
            for length in argument.shape if isinstance(argument, np.ndarray) else ():
                if length != 1:
                    self[f"n{len(self) + 2}"] = length

    def value(self, text: str) -> int:
        return max(0, int(eval(text, {"min": min}, self)))


KINDS = {
    "bool": "b",
    "i64": "iu",
    "f16": "f",
    "f32": "f",
    "f64": "f",
    "c64": "c",
    "c128": "c",
    "real": "biuf",
    "any": "biufcO",
}
SIZES = {"f16": 2, "f32": 4, "f64": 8, "c64": 8, "c128": 16}
SCALARS = {"bool": "b", "int": "biu", "float": "biuf", "complex": "biufc"}
OBJECTS = {
    "str": (str, bytes),
    "dict": dict,
    "None": type(None),
    "module": types.ModuleType,
    "slice": slice,
}


def is_scalar(value: object) -> bool:
    return isinstance(value, (int, float, complex, np.generic))


def has_dims(node: ast.Subscript, value: np.ndarray[Any, Any], lengths: Lengths) -> bool:
    index = node.slice
    if isinstance(index, ast.Constant) and index.value is ...:
        return value.ndim >= 1
    dims = index.elts if isinstance(index, ast.Tuple) else [index]
    if len(dims) != value.ndim:
        return False
    texts = [ast.unparse(dim) for dim in dims]
    # m… are the axes of globals.
    return all(
        text == "_" or re.fullmatch(r"m\d+", text) or lengths.value(text) == length
        for text, length in zip(texts, value.shape, strict=True)
    )


def holds_array(node: ast.Subscript, value: object, lengths: Lengths) -> bool:
    dtype = ast.unparse(node.value)
    if not isinstance(value, np.ndarray) or value.dtype.kind not in KINDS[dtype]:
        return False
    if value.dtype.itemsize > SIZES.get(dtype, 99):
        return False
    return has_dims(node, value, lengths)


def holds(node: ast.expr, value: object, lengths: Lengths) -> bool:
    if isinstance(node, ast.Subscript):
        name = ast.unparse(node.value)
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if name == "iterator":
            return True
        if name == "tuple" or name == "list":
            if not isinstance(value, tuple if name == "tuple" else (list, tuple)):
                return False
            if len(parts) == 2 and ast.unparse(parts[1]) == "...":
                return all(holds(parts[0], item, lengths) for item in value)
            return len(parts) == len(value) and all(
                holds(part, item, lengths) for part, item in zip(parts, value, strict=True)
            )
        if name == "numeric":
            return is_scalar(value) or (
                isinstance(value, np.ndarray) and has_dims(node, value, lengths)
            )
        return holds_array(node, value, lengths)
    name = ast.unparse(node)
    if name in ("Any", "object", "function", "dtype"):
        return True
    if name == "numeric":
        return is_scalar(value) or isinstance(value, np.ndarray)
    if name in SCALARS:
        return is_scalar(value) and np.asarray(value).dtype.kind in SCALARS[name]
    if name in KINDS:
        return is_scalar(value) and np.asarray(value).dtype.kind in "biuf" + KINDS[name]
    return isinstance(value, OBJECTS[name])


class Checks(ast.NodeTransformer):
    """Behind every annotated assignment a call that checks it; the annotations go."""

    def __init__(self) -> None:
        self.annotations: list[ast.expr] = []

    def visit_AnnAssign(self, node: ast.AnnAssign) -> list[ast.stmt]:
        assert isinstance(node.target, ast.Name) and node.value is not None
        number = len(self.annotations)
        self.annotations.append(node.annotation)
        assign = ast.Assign([node.target], node.value)
        check = ast.parse(f"__check__({number}, {node.target.id})").body
        return [assign, *check]


def annotations_of(function: Callable[..., Any], *arguments: object) -> dict[str, list[str]]:
    """For each variable the types that its assignments have, in the order of the text."""
    found: dict[str, list[str]] = {}
    for node in ast.walk(ast.parse(_core.typed(function, *arguments))):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found.setdefault(node.target.id, []).append(ast.unparse(node.annotation))
    return found


def check(function: Callable[..., Any], *arguments: object) -> int:
    """Runs the typed program; every value must be in its type. The number of checks that ran."""
    text = _core.typed(function, *arguments)
    tree = ast.parse(text)
    checks = Checks()
    tree = ast.fix_missing_locations(checks.visit(tree))
    lengths = Lengths(arguments)
    count = 0

    def check_value(number: int, value: object) -> None:
        nonlocal count
        count += 1
        annotation = checks.annotations[number]
        assert holds(annotation, value, lengths), (
            f"{ast.unparse(annotation)} does not hold {value!r} of "
            f"{getattr(value, 'dtype', type(value))} {np.shape(value)!r} in\n{text}"
        )

    namespace = {**function.__globals__, "__check__": check_value}
    exec(compile(tree, "<typed>", "exec"), namespace)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        result = namespace[function.__name__](*arguments)
        np.testing.assert_equal(result, function(*arguments))
    return count
