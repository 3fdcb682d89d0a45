"""What emitted gradients may call: small helpers for what their text cannot settle by itself.

They serve any rank, numbers included, and accept an adjoint that is smaller than what it belongs
to (a number stands for an array of it) where their text says so. Each has a derivative record of
its own in rules/runtime.py, so that a gradient can be differentiated again.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

# A number or an array, of any floating or integer dtype.
Numeric = Any
Axis = int | tuple[int, ...] | None


def _floating(x: Numeric) -> Any:
    """x as an array of a floating dtype: its own, or float64 for ints and bools."""
    array = np.asarray(x)
    return array if np.issubdtype(array.dtype, np.inexact) else array.astype(np.float64)


def _axes(axis: Axis, ndim: int) -> tuple[int, ...]:
    """The axes as non-negative numbers, all of them for None."""
    if axis is None:
        return tuple(range(ndim))
    axes = axis if isinstance(axis, tuple) else (axis,)
    return tuple(a % ndim for a in axes) if ndim else ()


# Shapes of adjoints


def _unbroadcast(b: Numeric, like: Numeric) -> Numeric:
    """The sum of `b` over the axes along which `like` was broadcast: in the shape of `like`."""
    shape = np.shape(like)
    if np.shape(b) == shape:
        return b
    extra = np.ndim(b) - len(shape)
    if extra > 0:
        b = np.sum(b, axis=tuple(range(extra)))
    pairs = zip(reversed(np.shape(b)), reversed(shape), strict=False)
    axes = tuple(-1 - i for i, (have, want) in enumerate(pairs) if want == 1 and have != 1)
    if axes:
        b = np.sum(b, axis=axes, keepdims=True)
    return b if np.shape(b) == shape else np.broadcast_to(b, shape)


def _full(b: Numeric, x: Numeric) -> Numeric:
    """`b` in the shape of `x`, against which it broadcasts."""
    shape = np.shape(x)
    return b if np.shape(b) == shape else np.broadcast_to(b, shape)


def _spread(b: Numeric, x: Numeric, axis: Axis = None, keepdims: bool = False) -> Numeric:
    """The adjoint of a reduction of `x`, in a shape that broadcasts against `x`."""
    if keepdims or axis is None or np.ndim(b) == 0:
        return b
    axes = _axes(axis, np.ndim(x))
    missing = np.ndim(x) - len(axes) - np.ndim(b)
    if missing > 0:
        b = np.reshape(b, (1,) * missing + np.shape(b))
    return np.expand_dims(b, axes)


def _mask(test: Numeric, b: Numeric) -> Numeric:
    """`b` where the test holds, 0 elsewhere."""
    if np.ndim(test) == 0 and np.ndim(b) == 0:
        return b if test else 0.0
    return np.where(test, b, np.zeros((), np.asarray(b).dtype))


def _count(a: Numeric, axis: Axis) -> int:
    """How many elements of `a` one element of its reduction stands for."""
    return math.prod(np.shape(a)[i] for i in _axes(axis, np.ndim(a)))


def _zeros_like(x: Numeric) -> Numeric:
    """A zero adjoint for `x`: floating, whatever `x` is."""
    return np.zeros_like(_floating(x)) if np.ndim(x) else 0.0


# Partial derivatives that need a case distinction


def _above(a: Numeric, b: Numeric) -> Numeric:
    """1 where a > b, 0 where a < b, 1/2 where they are equal; 1 where only b is nan."""
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        if a == b:
            return 0.5
        return 1.0 if a > b or (b != b and a == a) else 0.0
    wins = (a > b) | (np.isnan(b) & ~np.isnan(a))
    share = np.where(a == b, 0.5, wins)
    return share.astype(np.result_type(a, b, np.float16), copy=False)[()]


def _without_zeros(x: Numeric) -> Numeric:
    """x with 1 in place of 0, in a floating dtype."""
    x = _floating(x)
    return np.where(x == 0, np.ones_like(x), x)


def _power_slope(x: Numeric, n: Numeric) -> Numeric:
    """n * x ** (n - 1), the slope of x ** n: 0 where n is 0, and never an exception."""
    scalars = isinstance(x, (int, float)) and isinstance(n, (int, float))
    if scalars and n == 0:
        return 0.0
    if scalars and (x != 0 or n >= 1):
        try:
            return n * x ** (n - 1)
        except OverflowError:
            pass
    with np.errstate(all='ignore'):
        if isinstance(n, (int, float)):
            return n * np.power(_floating(x), n - 1)[()] if n else np.zeros_like(_floating(x))
        base = float(x) if isinstance(x, (int, float)) else _floating(x)
        slope = n * np.power(base, np.where(n == 0, np.ones_like(n), n - 1))
        return np.where(n == 0, np.zeros_like(slope), slope)[()]


def _power(x: Numeric, n: Numeric) -> Numeric:
    """x ** n, 0 where x is 0 and n is not positive, and never an exception."""
    with np.errstate(all='ignore'):
        base = float(x) if isinstance(x, (int, float)) else _floating(x)
        power = np.power(base, 1.0 * n)
        return np.where((base == 0) & (np.asarray(n) <= 0), np.zeros_like(power), power)[()]


def _times_log(y: Numeric, x: Numeric) -> Numeric:
    """y * log(x), the slope of x ** n in n where y is x ** n; 0 where x is 0."""
    if isinstance(x, (int, float)):
        if x > 0:
            return y * math.log(x)
        return 0.0 * y if x == 0 else math.nan * y
    with np.errstate(all='ignore'):
        slope = y * np.log(_without_zeros(x))
        return np.where(x == 0, np.zeros_like(slope), slope)[()]


def _over(y: Numeric, x: Numeric) -> Numeric:
    """y / x, 0 where x is 0."""
    if isinstance(x, (int, float)):
        return y / x if x else 0.0 * y
    with np.errstate(all='ignore'):
        share = y / _without_zeros(x)
        return np.where(x == 0, np.zeros_like(share), share)[()]


def _ties(hits: Numeric, a: Numeric, axis: Axis) -> Numeric:
    """How many hits there are along the axes, which are kept, in the dtype of `a`."""
    return np.sum(hits, axis=axis, keepdims=True, dtype=_floating(a).dtype)


# Products


def _matmul_left_adjoint(by: Numeric, a: Numeric, b: Numeric) -> Numeric:
    """The adjoint of `a` in a @ b."""
    if np.ndim(b) == 1:
        ba = np.expand_dims(by, -1) * b if np.ndim(a) > 1 else by * b
    elif np.ndim(a) == 1:
        ba = (np.expand_dims(by, -2) @ np.swapaxes(b, -1, -2))[..., 0, :]
    else:
        ba = by @ np.swapaxes(b, -1, -2)
    return _unbroadcast(ba, a)


def _matmul_right_adjoint(by: Numeric, a: Numeric, b: Numeric) -> Numeric:
    """The adjoint of `b` in a @ b."""
    if np.ndim(a) == 1:
        if np.ndim(b) == 1:
            return by * a
        bb = np.expand_dims(by, -2) * np.expand_dims(a, -1)
    elif np.ndim(b) == 1:
        bb = (np.swapaxes(a, -1, -2) @ np.expand_dims(by, -1))[..., 0]
    else:
        bb = np.swapaxes(a, -1, -2) @ by
    return _unbroadcast(bb, b)


def _dot_right_matrix(b: Numeric) -> Any:
    """b as a matrix, whose first axis is the one that np.dot sums over."""
    b = np.asarray(b)
    if b.ndim > 1:
        b = np.moveaxis(b, -2, 0)
    return b.reshape(len(b), math.prod(b.shape[1:]))


def _dot_left_adjoint(by: Numeric, a: Numeric, b: Numeric) -> Numeric:
    """The adjoint of `a` in np.dot(a, b)."""
    if np.ndim(a) == 0:
        return np.sum(by * b)
    if np.ndim(b) == 0:
        return by * b
    right = _dot_right_matrix(b)
    rows = math.prod(np.shape(a)[:-1])
    return np.reshape(np.reshape(by, (rows, right.shape[1])) @ right.T, np.shape(a))


def _dot_right_adjoint(by: Numeric, a: Numeric, b: Numeric) -> Numeric:
    """The adjoint of `b` in np.dot(a, b)."""
    if np.ndim(a) == 0:
        return by * a
    if np.ndim(b) == 0:
        return np.sum(by * a)
    right = _dot_right_matrix(b)
    left = np.reshape(a, (math.prod(np.shape(a)[:-1]), np.shape(a)[-1]))
    bright = left.T @ np.reshape(by, (left.shape[0], right.shape[1]))
    if np.ndim(b) == 1:
        return bright[:, 0]
    shape = np.shape(b)
    return np.moveaxis(bright.reshape(shape[-2], *shape[:-2], shape[-1]), 0, -2)


def _solve_columns(a: Numeric, r: Numeric, b: Numeric) -> Numeric:
    """The solution of a @ s = r, where r holds vectors if `b` is one, else matrices."""
    if np.ndim(b) == 1:
        return np.linalg.solve(a, np.expand_dims(r, -1))[..., 0]
    return np.linalg.solve(a, r)


def _times_columns(m: Numeric, r: Numeric, b: Numeric) -> Numeric:
    """m @ r, where r holds vectors if `b` is one, else matrices."""
    if np.ndim(b) == 1:
        return (m @ np.expand_dims(r, -1))[..., 0]
    return m @ r


def _outer_columns(r: Numeric, s: Numeric, b: Numeric) -> Numeric:
    """r @ s.T, where both hold vectors if `b` is one, else matrices."""
    if np.ndim(b) == 1:
        return np.expand_dims(r, -1) * np.expand_dims(s, -2)
    return r @ np.swapaxes(s, -1, -2)


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
    lengths = [np.size(a) if axis is None else np.shape(a)[along] for a in arrays]
    pieces = np.split(b, np.cumsum(lengths)[:-1], axis=along)
    shaped = [np.reshape(piece, np.shape(a)) for piece, a in zip(pieces, arrays, strict=True)]
    return np.stack(shaped) if isinstance(arrays, np.ndarray) else shaped


def _reconcatenate(b: Sequence[Numeric], arrays: Sequence[Numeric], axis: int | None) -> Numeric:
    """The adjoint of `b` in _unconcatenate(b, arrays, axis)."""
    return np.concatenate([_full(piece, a) for piece, a in zip(b, arrays, strict=True)], axis=axis)


def _linspace_weights(num: int, endpoint: bool, like: Numeric) -> Numeric:
    """The share of `stop` in each element of np.linspace(start, stop, num, endpoint)."""
    return np.linspace(0.0, 1.0, num, endpoint, dtype=_floating(like).dtype)
