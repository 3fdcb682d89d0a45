"""Gradients inside of differentiated functions: what the engine asks of them.

In: gradients and functions that a differentiated function calls. Out: what they give, their emitted
functions for the types of a call, and functions inside the function as functions of their own.
"""

from __future__ import annotations

import linecache
from collections.abc import Callable
from itertools import count
from types import FunctionType
from typing import Any

import numpy as np

from tangent import _options
from tangent._core import Gradient

# The dtypes by their numbers in the engine (src/types/type.h).
_NUMBERS: dict[int, Any] = {0: True, 1: 1, 2: np.float16(1.0), 3: np.float32(1.0), 4: 1.0}
_DTYPES: tuple[type[Any], ...] = (np.bool_, np.int64, np.float16, np.float32, np.float64)
_numbers = count(1)


def facts(gradient: Gradient) -> tuple[Any, ...] | None:
    """The function, the positions, whether there is one gradient alone, whether the value comes
    first or last, whether it is a derivative of forward mode; None for other derivatives."""
    func, request = _asked(gradient)
    if request is None or request.mode not in ('grad', 'value_and_grad', 'jvp'):
        return None
    plain = request.outputs == (None, None) and request.source is None
    if not plain or not isinstance(func, FunctionType):
        return None
    positions, _, single = _options.positions(func, request.wrt)
    first = request.mode == 'value_and_grad'
    last = request.mode == 'grad' and bool(request.preserve_result)
    if request.mode == 'jvp' and request.preserve_result:
        return None
    return func, list(positions), single, first, last, request.mode == 'jvp'


def _asked(gradient: Gradient) -> tuple[Any, Any]:
    """The function and the request that a gradient was made of."""
    found = gradient.__reduce__()
    if isinstance(found, str):  # it stands under the function's own name
        return None, None
    func, request = found[1]
    return func, request


class Settled:
    """The emitted function that a gradient has for arguments of certain types."""

    def __init__(self, gradient: Gradient, examples: list[Any], named: dict[str, Any]) -> None:
        self._gradient = gradient
        self._examples = examples
        self._named = named

    @property
    def function(self) -> Callable[..., Any]:
        return self._gradient.variant(*self._examples, **self._named)


def settled(gradient: Gradient, types: list[Any]) -> Settled:
    """The function of a gradient for arguments of these types: those that have a position, then
    the captured ones, which have names."""
    func, request = _asked(gradient)
    code = func.__code__
    only_named = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    names = [name for name in only_named if name not in (func.__kwdefaults__ or {})]
    examples = [_example(each, func.__name__) for each in types]
    positional = examples[: len(examples) - len(names)]
    if request.mode == 'jvp':
        positions = _options.positions(func, request.wrt)[0]
        positional = positional[: len(positional) - len(positions)]
    named = dict(zip(names, examples[len(examples) - len(names) :], strict=True))
    made = Settled(gradient, positional, named)
    made.function  # noqa: B018  (refused here, not where it is written out)
    return made


def _example(described: Any, name: str) -> Any:
    """A value of a type, as the engine describes it."""
    if described is None:
        _options.refuse(
            'UnsupportedType',
            f'an argument of the gradient of {name} has no type that is known before it runs',
            'pass numbers, arrays, or tuples and lists of them',
        )
    kind, dtype, parts = described
    if kind == 'number':
        return _NUMBERS[dtype] if dtype in _NUMBERS else _example(None, name)
    if kind == 'array':
        shape = [1 if one else 2 for one in parts]
        return np.ones(shape, _DTYPES[dtype]) if dtype < len(_DTYPES) else _example(None, name)
    items = [_example(each, name) for each in parts]
    return tuple(items) if kind == 'tuple' else items * 2


def lifted(around: Callable[..., Any], text: str, held: dict[str, Any]) -> FunctionType:
    """A function of a text that sees the globals of another one, its closure, and some objects."""
    around = getattr(around, '__func__', around)
    assert isinstance(around, FunctionType)
    seen = dict(held)
    for name, cell in zip(around.__code__.co_freevars, around.__closure__ or (), strict=True):
        try:
            seen.setdefault(name, cell.cell_contents)
        except ValueError:
            continue
    filename = f'<tangent inner {next(_numbers)}>'
    name = text[len('def ') : text.index('(')]
    inner = ''.join(f'    {line}\n' for line in text.splitlines())
    whole = f'def _outer({", ".join(seen)}):\n{inner}    return {name}\n'
    lines = whole.splitlines(keepends=True)
    linecache.cache[filename] = (len(whole), None, lines, filename)
    made: dict[str, Any] = {}
    exec(compile(whole, filename, 'exec'), around.__globals__, made)
    function: FunctionType = made['_outer'](**seen)
    return function
