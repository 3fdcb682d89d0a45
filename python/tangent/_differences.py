"""Central differences of a function, to hold a gradient against.

In: a function, its arguments, which of them. Out: the slope along every number in the argument, in
the argument's own structure: numbers, arrays, dicts, lists, tuples, objects with attributes.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

Path = tuple[Any, ...]  # keys and attributes, then an index into an array

_ATTRIBUTE = '.'  # in front of the name of an attribute


def is_number(value: Any) -> bool:
    """A real number that is no truth value."""
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


def is_real_array(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind in 'fiu'


def parts_of(value: Any) -> list[tuple[Any, Any]]:
    """The parts of a container, each with its key; nothing for a leaf."""
    if isinstance(value, dict):
        return list(value.items())
    if isinstance(value, (list, tuple)):
        return list(enumerate(value))
    if hasattr(value, '__dict__') and not callable(value) and not isinstance(value, type):
        return [((_ATTRIBUTE, name), part) for name, part in vars(value).items()]
    return []


def with_part(value: Any, key: Any, part: Any) -> Any:
    """A container with another part under a key."""
    if isinstance(value, dict):
        return {**value, key: part}
    if isinstance(value, tuple):
        items = [part if at == key else each for at, each in enumerate(value)]
        return type(value)(*items) if hasattr(value, '_fields') else type(value)(items)
    made = copy.copy(value)
    if isinstance(value, list):
        made[key] = part
    else:
        object.__setattr__(made, key[1], part)
    return made


def leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """The numbers and arrays in a value, with the way to them."""
    if is_number(value) or is_real_array(value):
        yield path, value
    else:
        for key, part in parts_of(value):
            yield from leaves(part, (*path, key))


def map_leaves(value: Any, change: Callable[[Path, Any], Any], path: Path = ()) -> Any:
    """A value of the same structure with other numbers and arrays."""
    if is_number(value) or is_real_array(value):
        return change(path, value)
    for key, part in parts_of(value):
        now = map_leaves(part, change, (*path, key))
        if now is not part:
            value = with_part(value, key, now)
    return value


def total(value: Any) -> float:
    """The sum of all numbers in a result: what a gradient of several results is the slope of."""
    if is_real_array(value):
        return float(np.sum(value, dtype=float))
    if is_number(value):
        return float(value)
    return sum(total(part) for _, part in parts_of(value))


def differences(
    func: Callable[..., Any],
    args: Sequence[Any],
    position: int,
    width: float = 1e-6,
    most: int = 1000,
) -> tuple[Any, int]:
    """Central differences along every number of one argument.

    Parameters
    ----------
    func, args, position
        The function, its positional arguments, and which of them.
    width
        The step, times the size of the number where that is above 1.
    most
        Of how many numbers the slope is taken at most; the others, evenly spread, are nan.

    Returns
    -------
    tuple
        The slopes in the argument's structure, floats for numbers and float64 arrays for arrays;
        and how many numbers were left out.
    """
    argument = args[position]
    count = sum(np.size(leaf) for _, leaf in leaves(argument))
    every = -(-count // most) if count else 1
    number = 0
    left_out = 0

    def slope(path: Path, at: tuple[int, ...] | None, value: float) -> float:
        step = width * max(1.0, abs(value))
        above, below = (
            total(func(*_moved(args, position, path, at, value + move))) for move in (step, -step)
        )
        return (above - below) / (2.0 * step)

    def change(path: Path, leaf: Any) -> Any:
        nonlocal number, left_out
        if not isinstance(leaf, np.ndarray):
            number += 1
            return slope(path, None, float(leaf))
        slopes = np.full(leaf.shape, np.nan)
        for at in np.ndindex(leaf.shape):
            if number % every:
                left_out += 1
            else:
                slopes[at] = slope(path, at, float(leaf[at]))
            number += 1
        return slopes

    return map_leaves(argument, change), left_out


def _moved(
    args: Sequence[Any], position: int, path: Path, at: tuple[int, ...] | None, value: float
) -> list[Any]:
    """Copies of the arguments with one number changed; float32 is widened, so that it can be."""

    def change(here: Path, leaf: Any) -> Any:
        if here != path:
            return leaf
        if at is None:
            return value
        moved = leaf.astype(float)
        moved[at] = value
        return moved

    copies = [copy.deepcopy(each) for each in args]
    copies[position] = map_leaves(copies[position], change)
    return copies


def worst(ours: Any, other: Any) -> float:
    """The largest difference between two gradients of one structure; nan counts as left out."""
    found = 0.0
    theirs = dict(leaves(other))
    for path, leaf in leaves(ours):
        if path not in theirs:
            continue
        apart = np.abs(np.asarray(leaf, float) - np.asarray(theirs[path], float))
        apart = apart[~np.isnan(np.asarray(theirs[path], float))]
        if np.any(np.isnan(apart)):
            return float('nan')
        found = max(found, float(np.max(apart, initial=0.0)))
    return found


def largest(value: Any) -> float:
    """The largest absolute value in a gradient."""
    return max(
        (float(np.max(np.abs(leaf), initial=0.0)) for _, leaf in leaves(value)), default=0.0
    )
