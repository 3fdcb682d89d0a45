"""Run-time helpers: products of all but one, and the adjoints of sorting, picking, joining."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ._runtime_base import Axis, Numeric, _axes, _floating, _full
from .errors import ShapeError

# Products of all but one element


def _flatten_axes(a: Numeric, axis: Axis) -> Numeric:
    """The axes of a reduction moved to the end and made one."""
    axes = _axes(axis, np.ndim(a))
    moved = np.moveaxis(a, axes, range(-len(axes), 0)) if axes else np.asarray(a)
    kept = np.ndim(a) - len(axes)
    return moved.reshape(*moved.shape[:kept], math.prod(moved.shape[kept:]))


def _unflatten_axes(b: Numeric, like: Numeric, axis: Axis) -> Numeric:
    """The inverse of _flatten_axes(like, axis)."""
    axes = _axes(axis, np.ndim(like))
    kept = [n for i, n in enumerate(np.shape(like)) if i not in axes]
    lengths = [np.shape(like)[i] for i in axes]
    whole = np.reshape(b, (*kept, *lengths))
    return np.moveaxis(whole, range(-len(axes), 0), axes)[()] if axes else whole[()]


def _product_of_others(a: Numeric, axis: Axis = None) -> Numeric:
    """For each element the product of the others that np.prod(a, axis) multiplies it with."""
    flat = _flatten_axes(_floating(a), axis)
    one = np.ones_like(flat[..., :1])
    before = np.cumprod(np.concatenate([one, flat[..., :-1]], axis=-1), axis=-1)
    after = np.cumprod(np.concatenate([one, flat[..., :0:-1]], axis=-1), axis=-1)
    return _unflatten_axes(before * after[..., ::-1], a, axis)


def _repeat_others(a: Numeric, axis: Axis, diagonal: float) -> Numeric:
    """The flattened axes of `a` as the rows of a matrix with `diagonal` on its diagonal."""
    flat = _flatten_axes(_floating(a), axis)
    n = flat.shape[-1]
    rows = np.repeat(np.expand_dims(flat, -2), n, axis=-2)
    rows[..., range(n), range(n)] = diagonal
    return rows


def _sum_others(b: Numeric, a: Numeric, axis: Axis) -> Numeric:
    """The adjoint of _repeat_others(a, axis, …)."""
    n = np.shape(b)[-1]
    rows = np.array(b)
    rows[..., range(n), range(n)] = 0
    return _unflatten_axes(np.sum(rows, axis=-2), a, axis)


def _flat_places(shape: tuple[int, ...], index: Any) -> tuple[Any, ...]:
    """The index into an array of that shape that stands for `index` into its flat iterator."""
    return np.unravel_index(np.arange(math.prod(shape))[index], shape)


# Lists


def _add_to_all(items: list[Any], b: Numeric) -> None:
    """Adds `b` to every adjoint in a list."""
    items[:] = [item + b for item in items]


def _add_to_items(items: list[Any], b: Any, place: slice = slice(None)) -> None:
    """Adds to every adjoint in a list, or in a slice of it, its own part of `b`."""
    items[place] = [_sum_of(item, part) for item, part in zip(items[place], b, strict=True)]


def _add_entries(entries: dict[Any, Any], b: dict[Any, Any]) -> None:
    """Adds the adjoints in a dict to those in another; a key that one has not stands for 0.0."""
    for key, part in b.items():
        entries[key] = _sum_of(entries[key], part) if key in entries else _copied_items(part)


def _sum_of(a: Any, b: Any) -> Any:
    """The sum of two adjoints, item by item if they are lists or dicts."""
    if isinstance(a, dict):
        total = dict(a)
        _add_entries(total, b)
        return total
    if isinstance(a, list):
        return [_sum_of(one, other) for one, other in zip(a, b, strict=True)]
    return a + b


def _zeros_of_items(xs: Any) -> Any:
    """A zero adjoint for each number or array in a list of lists, or in a dict of lists."""
    if isinstance(xs, dict):
        return {
            key: _zeros_of_items(x) if isinstance(x, list | dict) else 0.0 for key, x in xs.items()
        }
    return [_zeros_of_items(x) if isinstance(x, list) else 0.0 for x in xs]


def _copied_items(xs: Any) -> Any:
    """A list of lists, or a dict, that shares nothing that changes with another."""
    if isinstance(xs, dict):
        return {key: _copied_items(x) for key, x in xs.items()}
    return [_copied_items(x) for x in xs] if isinstance(xs, list) else xs


def _seed_entries(by: Any, d: dict[Any, Any]) -> dict[Any, Any]:
    """The seed of a dict: a number counts for each entry; a ShapeError if the keys differ."""
    if not isinstance(by, dict):
        if np.ndim(by) != 0:
            raise ShapeError('the seed of a dict is a dict with its keys, or a number')
        return {key: _seed_entry(by, x) for key, x in d.items()}
    if by.keys() != d.keys():
        raise ShapeError(f'the seed has the keys {list(by)}, the result {list(d)}')
    return {key: _seed_entry(by[key], x) for key, x in d.items()}


def _seed_entry(by: Any, x: Any) -> Any:
    if isinstance(x, dict):
        return _seed_entries(by, x)
    return _seed_items(by, x) if isinstance(x, list) else by


def _seed_items(by: Any, xs: list[Any]) -> list[Any]:
    """The seed of a list: a number counts for each item; a ShapeError if their number differs."""
    number = np.ndim(by) == 0 if not isinstance(by, (list, tuple)) else False
    if not number and len(by) != len(xs):
        raise ShapeError(f'the seed has {len(by)} items, the result {len(xs)}')
    parts = [by] * len(xs) if number else list(by)
    if any(isinstance(x, list) for x in xs):
        return [_seed_items(part, x) for part, x in zip(parts, xs, strict=True)]
    return parts


def _fold_items(b: list[Any], count: int) -> list[Any]:
    """The adjoint of `count` items that were repeated: of each the sum."""
    return [sum(b[k::count]) for k in range(count)]


def _distinct(xs: list[Any]) -> list[Any]:
    """The items of a list as a set of them holds them: of equal ones the first, in its order."""
    return list(set(xs))


def _undistinct(b: list[Any], xs: list[Any]) -> list[Any]:
    """The adjoint of _distinct(xs): of equal items the first has it."""
    places = {x: k for k, x in enumerate(_distinct(xs))}
    return [b[places.pop(x)] if x in places else 0.0 for x in xs]


def _distinct_like(dxs: list[Any], xs: list[Any]) -> list[Any]:
    """The tangent of _distinct(xs) from that of xs."""
    moves: dict[Any, Any] = {}
    for x, dx in zip(xs, dxs, strict=True):
        moves.setdefault(x, dx)
    return [moves[x] for x in _distinct(xs)]


def _with_item(s: set[Any], item: Any) -> set[Any]:
    """The set with an item more."""
    return s | {item}


def _without_item(s: set[Any], item: Any) -> set[Any]:
    """The set without an item, which it need not hold."""
    return s - {item}


def _less_item(s: set[Any], item: Any) -> set[Any]:
    """The set without an item; a KeyError where it does not hold it."""
    if item not in s:
        raise KeyError(item)
    return s - {item}


def _sorted_like(dxs: list[Any], xs: list[Any]) -> list[Any]:
    """The tangent of sorted(xs) from that of xs: equal items stay in order."""
    return [dxs[k] for k in sorted(range(len(xs)), key=xs.__getitem__)]


def _unsort_items(b: list[Any], xs: list[Any]) -> list[Any]:
    """The adjoint of xs from that of sorted(xs), which keeps the order of equal items."""
    made = [0.0] * len(xs)
    for part, k in zip(b, sorted(range(len(xs)), key=xs.__getitem__), strict=True):
        made[k] = part
    return made


# Stores


def _take_stored(b: Numeric, index: Any) -> Numeric:
    """The part of an adjoint that belongs to what `x[index] = value` stored.

    Of an element that `index` names more than once the last value stays, so the others get 0.
    """
    taken = np.array(b[index])
    turn = np.arange(taken.size).reshape(taken.shape)
    last = np.empty(np.shape(b), dtype=int)
    last[index] = turn
    taken[last[index] != turn] = 0.0
    return taken


# Scans, sorting, picking, joining


def _cumsum_adjoint(b: Numeric, a: Numeric, axis: int | None) -> Numeric:
    """The adjoint of `a` in np.cumsum(a, axis)."""
    along = 0 if axis is None else axis
    return np.reshape(np.flip(np.cumsum(np.flip(b, along), along), along), np.shape(a))


def _undiff(b: Numeric, n: int, axis: int) -> Numeric:
    """The adjoint of the array in np.diff(array, n, axis)."""
    edge = list(np.shape(b))
    edge[axis] = 1
    zero = np.zeros(edge, np.asarray(b).dtype)
    for _ in range(n):
        b = -np.diff(np.concatenate([zero, b, zero], axis=axis), axis=axis)
    return b


def _group_means(b: Any, ordered: Any) -> Any:
    """b with its mean in place of every run that is equal in `ordered`, along the last axis."""
    if ordered.size == 0:
        return b
    starts = np.ones(ordered.shape, bool)
    starts[..., 1:] = ordered[..., 1:] != ordered[..., :-1]
    if starts.all():
        return b
    group = np.cumsum(starts.ravel()) - 1
    sums = np.bincount(group, weights=np.broadcast_to(b, ordered.shape).ravel())
    means = sums / np.bincount(group)
    return means[group].reshape(ordered.shape).astype(b.dtype, copy=False)


def _unsort(b: Numeric, a: Numeric, axis: int | None = -1) -> Numeric:
    """The adjoint of `a` in np.sort(a, axis); equal elements share evenly."""
    values = np.ravel(a) if axis is None else np.moveaxis(np.asarray(a), axis, -1)
    b = np.asarray(b) if axis is None else np.moveaxis(np.asarray(b), axis, -1)
    order = np.argsort(values, axis=-1)
    shares = _group_means(b, np.take_along_axis(values, order, axis=-1))
    result = np.empty(values.shape, b.dtype)
    np.put_along_axis(result, order, shares, axis=-1)
    return result.reshape(np.shape(a)) if axis is None else np.moveaxis(result, -1, axis)


def _sort_like(b: Numeric, a: Numeric, axis: int | None = -1) -> Numeric:
    """b in the order in which np.sort(a, axis) puts `a`; equal elements share evenly."""
    values = np.ravel(a) if axis is None else np.moveaxis(np.asarray(a), axis, -1)
    b = np.ravel(b) if axis is None else np.moveaxis(np.asarray(b), axis, -1)
    order = np.argsort(values, axis=-1)
    moved = np.take_along_axis(np.broadcast_to(b, values.shape), order, axis=-1)
    result = _group_means(moved, np.take_along_axis(values, order, axis=-1))
    return result if axis is None else np.moveaxis(result, -1, axis)


def _to_first(b: Numeric, a: Numeric, extreme: Numeric) -> Numeric:
    """The adjoint of `a` in max(a) or min(a), which is `extreme`: the first such element has it."""
    values = np.asarray(a)
    result = np.zeros(values.shape, _floating(b).dtype)
    result[np.argmax(values == extreme)] = b
    return result


def _from_first(b: Numeric, a: Numeric, extreme: Numeric) -> Numeric:
    """The element of b at the place of the first `extreme` in a."""
    return b[np.argmax(np.asarray(a) == extreme)]


def _untake(b: Numeric, a: Numeric, indices: Numeric, axis: int | None = None) -> Numeric:
    """The adjoint of `a` in np.take(a, indices, axis): repeated indices add up."""
    result = np.zeros(np.shape(a), _floating(b).dtype)
    if axis is None:
        np.add.at(result.reshape(-1), np.asarray(indices, int), b)
    else:
        axis %= np.ndim(a)
        index: Any = (slice(None),) * axis + (np.asarray(indices, int),)
        np.add.at(result, index, b)
    return result


def _unindex(b: Numeric, x: Numeric, index: Any) -> Numeric:
    """The adjoint of `x` in x[index]: repeated indices add up."""
    result = np.zeros(np.shape(x), _floating(b).dtype)
    np.add.at(result, index, b)
    return result


def _unconcatenate(b: Numeric, arrays: Sequence[Numeric], axis: int | None = 0) -> Any:
    """The adjoints of the arrays in np.concatenate(arrays, axis), in their order."""
    along = 0 if axis is None else axis
    lengths = [
        np.size(a) if axis is None or np.ndim(a) == 0 else np.shape(a)[along] for a in arrays
    ]
    pieces = np.split(b, np.cumsum(lengths)[:-1], axis=along)
    shaped = [np.reshape(piece, np.shape(a)) for piece, a in zip(pieces, arrays, strict=True)]
    return np.stack(shaped) if isinstance(arrays, np.ndarray) else shaped


def _reconcatenate(b: Sequence[Numeric], arrays: Sequence[Numeric], axis: int | None) -> Numeric:
    """The adjoint of `b` in _unconcatenate(b, arrays, axis)."""
    return np.concatenate([_full(piece, a) for piece, a in zip(b, arrays, strict=True)], axis=axis)


def _linspace_weights(num: int, endpoint: bool, like: Numeric) -> Numeric:
    """The share of `stop` in each element of np.linspace(start, stop, num, endpoint)."""
    return np.linspace(0.0, 1.0, num, endpoint, dtype=_floating(like).dtype)
