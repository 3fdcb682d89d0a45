"""What a function captures, as part of the signature under which it is compiled.

In: a gradient. Out: the values of its globals and cells, which compare equal as long as a compiled
function may keep them: numbers and texts by value, all else by identity.
"""

from __future__ import annotations

from contextlib import suppress
from types import CellType, FunctionType, ModuleType
from typing import Any


class Same:
    """An object as part of a key: equal to itself alone, and alive as long as the key is."""

    def __init__(self, value: object) -> None:
        self._value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and other._value is self._value

    def __hash__(self) -> int:
        return id(self._value)


PLAIN = (bool, int, float, complex, str, bytes, type(None))


class Captured:
    """What a function reads beside its arguments, which a compiler takes for constant.

    Calling it gives a key for what that is now: numbers and texts by value, all else by identity.
    Functions of the user's that it names are looked into, too.
    """

    def __init__(self, gradient: Any) -> None:
        self._places: list[tuple[dict[str, Any], str]] = []
        self._cells: list[CellType] = []
        primal = gradient
        while hasattr(primal, '__tangent_primal__'):
            primal = primal.__tangent_primal__
        seen: set[int] = set()
        self._look(primal, seen)

    def _look(self, function: Any, seen: set[int]) -> None:
        function = getattr(function, '__func__', function)
        if not isinstance(function, FunctionType) or id(function) in seen:
            return
        seen.add(id(function))
        if function.__module__.partition('.')[0] in ('numpy', 'jax', 'torch', 'tinygrad', 'scipy'):
            return
        found = []
        for name in function.__code__.co_names:
            if name in function.__globals__:
                self._places.append((function.__globals__, name))
                found.append(function.__globals__[name])
        for cell in function.__closure__ or ():
            self._cells.append(cell)
            with suppress(ValueError):
                found.append(cell.cell_contents)
        for value in found:
            self._look(value, seen)

    def __call__(self) -> tuple[Any, ...]:
        values = [space.get(name) for space, name in self._places]
        for cell in self._cells:
            try:
                values.append(cell.cell_contents)
            except ValueError:
                values.append(None)
        return tuple(
            (type(value), value) if isinstance(value, PLAIN) else Same(value)
            for value in values
            if not isinstance(value, ModuleType)
        )
