"""Run-time helpers: the adjoints of scans, quantiles, interpolation, and what repeats."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ._runtime_arrays import _flatten_axes, _unflatten_axes, _unsort
from ._runtime_base import Axis, Numeric, _floating, _full, _spread, _unbroadcast

# More scans and picks


def _shift(b: Numeric, axis: int, n: int) -> Numeric:
    """b moved by one place along an axis, to the front for n = 1, to the back for n = -1."""
    result = np.zeros_like(b)
    front = [slice(None)] * np.ndim(b)
    back = list(front)
    front[axis], back[axis] = slice(None, -1), slice(1, None)
    if n > 0:
        result[tuple(front)] = b[tuple(back)]
    else:
        result[tuple(back)] = b[tuple(front)]
    return result


def _exclusive_cumprod(a: Numeric, axis: int) -> Numeric:
    """For each element the product of those before it along an axis."""
    moved = np.moveaxis(_floating(a), axis, 0)
    result = np.ones_like(moved)
    np.cumprod(moved[:-1], axis=0, out=result[1:])
    return np.moveaxis(result, 0, axis)


def _scan(b: Numeric, a: Numeric, axis: int) -> Numeric:
    """s with s[i] = b[i] + a[i] * s[i - 1] along an axis."""
    result = np.array(np.broadcast_to(b, np.shape(a)))
    moved, factors = np.moveaxis(result, axis, 0), np.moveaxis(np.asarray(a), axis, 0)
    for i in range(1, len(moved)):
        moved[i] += factors[i] * moved[i - 1]
    return result


def _back_scan(b: Numeric, a: Numeric, axis: int) -> Numeric:
    """s with s[i] = b[i] + a[i + 1] * s[i + 1] along an axis."""
    result = np.array(np.broadcast_to(b, np.shape(a)))
    moved, factors = np.moveaxis(result, axis, 0), np.moveaxis(np.asarray(a), axis, 0)
    for i in reversed(range(len(moved) - 1)):
        moved[i] += factors[i + 1] * moved[i + 1]
    return result


def _record_shares(y: Numeric, a: Numeric, axis: int) -> Numeric:
    """What each element has of its extreme so far, `y`: all of a new one, half of an equal one."""
    now, best = np.moveaxis(_floating(a), axis, 0), np.moveaxis(np.asarray(y), axis, 0)
    result = np.ones_like(now)
    equal = now[1:] == best[:-1]
    result[1:] = np.where(equal, 0.5, now[1:] == best[1:])
    return np.moveaxis(result, 0, axis)


def _quantile_weights(
    a: Numeric, q: Any, axis: Axis = None, method: Any = 'linear'
) -> Numeric:
    """The derivative of np.quantile(a, q, axis, method) in `a`; equal elements share evenly."""
    if np.ndim(q) != 0:
        raise NotImplementedError('np.quantile of several quantiles has no derivative rule here')
    flat = _flatten_axes(_floating(a), axis)
    if flat.shape[-1] == 0:
        return np.zeros_like(_floating(a))
    if method == 'linear':
        place = q * (flat.shape[-1] - 1)
    else:
        # Between which places of the sorted elements a method looks, it says of their numbers.
        place = float(np.quantile(np.arange(flat.shape[-1], dtype=float), q, method=method))
    low = math.floor(place)
    weights = np.zeros_like(flat)
    weights[..., low] += 1 - (place - low)
    if place > low:
        weights[..., low + 1] += place - low
    return _unflatten_axes(_unsort(weights, flat, -1), a, axis)


def _unquantiles(
    b: Numeric, a: Numeric, q: Any, axis: Axis = None, method: Any = 'linear',
    keepdims: bool = False,
) -> Numeric:  # fmt: skip
    """The adjoint of `a` in np.quantile(a, q, axis, method=method, keepdims=keepdims)."""
    if np.ndim(q) == 0:
        return _spread(b, a, axis, keepdims) * _quantile_weights(a, q, axis, method)
    result = np.zeros_like(_floating(a))
    for place in itertools.product(*map(range, np.shape(q))):
        part = _spread(np.asarray(b)[place], a, axis, keepdims)
        result += part * _quantile_weights(a, np.asarray(q)[place], axis, method)
    return result


def _quantiles(
    b: Numeric, a: Numeric, q: Any, axis: Axis = None, method: Any = 'linear',
    keepdims: bool = False,
) -> Numeric:  # fmt: skip
    """The tangent of np.quantile(a, q, axis, method=method, keepdims=keepdims) along b."""
    parts = [
        np.sum(
            b * _quantile_weights(a, each, axis, method),
            axis=tuple(axis) if isinstance(axis, list) else axis,
            keepdims=keepdims,
        )
        for each in np.ravel(q)
    ]
    return np.reshape(np.stack(parts), np.shape(q) + np.shape(parts[0]))


def _align(w: Numeric, a: Numeric, axis: Axis) -> Numeric:
    """Weights for np.average in a shape that broadcasts against a."""
    if np.shape(w) == np.shape(a) or not isinstance(axis, int):
        return w
    shape = [1] * np.ndim(a)
    shape[axis] = -1
    return np.reshape(w, shape)


def _trapezoid_weights(y: Numeric, x: Numeric, dx: Any, axis: int = -1) -> Numeric:
    """w with np.trapezoid(y, x, dx, axis) == np.sum(w * y, axis)."""
    if x is None:
        widths = np.full(np.shape(y)[axis] - 1, dx, _floating(y).dtype)
        shape = [1] * np.ndim(y)
        shape[axis] = -1
        widths = np.reshape(widths, shape)
    elif np.ndim(x) == 1:
        shape = [1] * np.ndim(y)
        shape[axis] = -1
        widths = np.reshape(np.diff(x), shape)
    else:
        widths = np.diff(x, axis=axis)
    edge = list(np.shape(widths))
    edge[axis] = 1
    zero = np.zeros(edge, widths.dtype)
    return 0.5 * (
        np.concatenate([zero, widths], axis=axis) + np.concatenate([widths, zero], axis=axis)
    )


def _untrapezoid_weights(b: Numeric, x: Numeric, axis: int = -1) -> Numeric:
    """The adjoint of `x` in _trapezoid_weights, where that is used with arrays like b."""
    along = np.moveaxis(np.asarray(b), axis, -1)
    bx = -np.diff(
        0.5 * (along[..., 1:] + along[..., :-1]), axis=-1,
        prepend=np.zeros((), along.dtype), append=np.zeros((), along.dtype),
    )  # fmt: skip
    if np.ndim(x) == 1:
        return np.sum(bx, axis=tuple(range(bx.ndim - 1)))
    return _unbroadcast(np.moveaxis(bx, -1, axis), x)


def _interp_pieces(x: Numeric, xp: Numeric) -> tuple[Any, Any, Any]:
    """The piece of np.interp that each x lies in, its share of the way, whether it is inside."""
    right = np.clip(np.searchsorted(xp, x, side='right'), 1, len(xp) - 1)
    knots = np.asarray(xp)
    share = (x - knots[right - 1]) / (knots[right] - knots[right - 1])
    inside = (np.asarray(x) >= knots[0]) & (np.asarray(x) <= knots[-1])
    return right, np.clip(share, 0.0, 1.0), inside


def _interp_slope(x: Numeric, xp: Numeric, fp: Numeric) -> Numeric:
    """The derivative of np.interp(x, xp, fp) in x."""
    right, _, inside = _interp_pieces(x, xp)
    knots, values = np.asarray(xp), np.asarray(fp)
    slope = (values[right] - values[right - 1]) / (knots[right] - knots[right - 1])
    return np.where(inside, slope, 0.0)[()]


def _uninterp(b: Numeric, x: Numeric, xp: Numeric) -> Numeric:
    """The adjoint of `fp` in np.interp(x, xp, fp)."""
    right, share, _ = _interp_pieces(x, xp)
    result = np.zeros(np.shape(xp), _floating(b).dtype)
    np.add.at(result, right - 1, b * (1.0 - share))
    np.add.at(result, right, b * share)
    return result


def _uninterp_slope(b: Numeric, x: Numeric, xp: Numeric) -> Numeric:
    """The adjoint of `fp` in _interp_slope(x, xp, fp)."""
    right, _, inside = _interp_pieces(x, xp)
    knots = np.asarray(xp)
    share = np.where(inside, b, 0.0) / (knots[right] - knots[right - 1])
    result = np.zeros(np.shape(xp), share.dtype)
    np.add.at(result, right - 1, -share)
    np.add.at(result, right, share)
    return result


def _unconvolve(by: Numeric, a: Numeric, v: Numeric, mode: str = 'full') -> Numeric:
    """The adjoint of `a` in np.convolve(a, v, mode)."""
    n, m = len(a), len(v)
    whole = np.zeros(n + m - 1, np.asarray(by).dtype)
    start = {'full': 0, 'same': (min(n, m) - 1) // 2, 'valid': min(n, m) - 1}[mode]
    whole[start : start + len(by)] = by
    windows = np.lib.stride_tricks.sliding_window_view(whole, m)
    return windows @ np.asarray(v)


def _unrepeat(b: Numeric, a: Numeric, repeats: Any, axis: int | None = None) -> Numeric:
    """The adjoint of `a` in np.repeat(a, repeats, axis)."""
    result = np.zeros(np.shape(a), _floating(b).dtype)
    along = np.moveaxis(result, axis, 0) if axis is not None else result.reshape(-1)
    index = np.repeat(np.arange(len(along)), repeats)
    np.add.at(along, index, np.moveaxis(np.asarray(b), axis, 0) if axis is not None else b)
    return result


def _untile(b: Numeric, a: Numeric, reps: Any) -> Numeric:
    """The adjoint of `a` in np.tile(a, reps)."""
    times = [reps] if np.ndim(reps) == 0 else list(reps)
    rank = max(len(times), np.ndim(a))
    times = [1] * (rank - len(times)) + times
    shape = [1] * (rank - np.ndim(a)) + list(np.shape(a))
    blocks = np.reshape(b, [n for pair in zip(times, shape, strict=True) for n in pair])
    return np.reshape(np.sum(blocks, axis=tuple(range(0, 2 * rank, 2))), np.shape(a))


def _unpad(b: Numeric, array: Numeric, pad_width: Any, mode: str = 'constant') -> Numeric:
    """The adjoint of `array` in np.pad(array, pad_width, mode)."""
    if mode not in ('constant', 'edge', 'reflect', 'symmetric', 'wrap', 'empty'):
        raise NotImplementedError(f'np.pad with mode={mode!r} has no derivative rule')
    size = np.size(array)
    places: Any = np.arange(size).reshape(np.shape(array))
    if mode in ('constant', 'empty'):
        source = np.pad(places, pad_width, constant_values=size)
    else:
        source = np.pad(places, pad_width, mode)  # type: ignore[call-overload]
    result = np.zeros(size + 1, _floating(b).dtype)
    np.add.at(result, source, b)
    return result[:size].reshape(np.shape(array))


def _joined(arrays: Sequence[Numeric], how: str) -> tuple[int, list[Any]]:
    """The axis along which np.hstack and its like join, and what they join there."""
    if how == 'dstack':
        return 2, [np.atleast_3d(a) for a in arrays]
    if how == 'vstack':
        return 0, [np.atleast_2d(a) for a in arrays]
    if how == 'column_stack':
        return 1, [np.reshape(a, (-1, 1)) if np.ndim(a) < 2 else np.asarray(a) for a in arrays]
    parts: list[Any] = [np.atleast_1d(a) for a in arrays]
    return (0 if parts[0].ndim == 1 else 1), parts


def _unjoin(b: Numeric, arrays: Sequence[Numeric], how: str) -> Any:
    """The adjoints of the arrays in np.hstack(arrays) and its like: `how` is its name."""
    axis, parts = _joined(arrays, how)
    pieces = np.split(b, np.cumsum([p.shape[axis] for p in parts])[:-1], axis=axis)
    shaped = [np.reshape(piece, np.shape(a)) for piece, a in zip(pieces, arrays, strict=True)]
    return np.stack(shaped) if isinstance(arrays, np.ndarray) else shaped


def _rejoin(b: Sequence[Numeric], arrays: Sequence[Numeric], how: str) -> Numeric:
    """The adjoint of `b` in _unjoin(b, arrays, how)."""
    axis, parts = _joined([_full(piece, a) for piece, a in zip(b, arrays, strict=True)], how)
    return np.concatenate(parts, axis=axis)


def _untake_along_axis(
    b: Numeric, arr: Numeric, indices: Numeric, axis: int | None = -1
) -> Numeric:
    """The adjoint of `arr` in np.take_along_axis(arr, indices, axis)."""
    result = np.zeros(np.shape(arr), _floating(b).dtype)
    if axis is None:
        np.add.at(result.reshape(-1), indices, b)
        return result
    axis %= np.ndim(arr)
    index: list[Any] = []
    for i, n in enumerate(np.shape(arr)):
        shape = [-1 if j == i else 1 for j in range(np.ndim(arr))]
        index.append(indices if i == axis else np.arange(n).reshape(shape))
    np.add.at(result, tuple(index), b)
    return result


# Grids, differences, polynomials


def _axis_of(position: int, indexing: str) -> int:
    """The axis of np.meshgrid's results along which its argument at `position` runs."""
    return 1 - position if indexing == 'xy' and position < 2 else position


def _along_axis(b: Numeric, x: Numeric, position: int, indexing: str = 'xy') -> Numeric:
    """The adjoint of the argument x, at `position`, in np.meshgrid, from that of its grid."""
    kept = _axis_of(position, indexing)
    sums = np.sum(b, axis=tuple(i for i in range(np.ndim(b)) if i != kept))
    return np.reshape(sums, np.shape(x))[()]


def _across_axis(b: Numeric, grid: Numeric, position: int, indexing: str = 'xy') -> Numeric:
    """The grid of the argument b, at `position`, in np.meshgrid."""
    shape = [1] * np.ndim(grid)
    shape[_axis_of(position, indexing)] = -1
    return np.broadcast_to(np.reshape(b, shape), np.shape(grid))


def _ungradient(
    b: Numeric, f: Numeric, spacing: Any = 1.0, axis: int | None = None, edge_order: int = 1
) -> Numeric:
    """The adjoint of f in np.gradient(f, spacing, axis=axis, edge_order=edge_order)."""
    if np.ndim(f) != 1 and not isinstance(axis, int):
        raise NotImplementedError('np.gradient along several axes has no derivative rule')
    along = np.moveaxis(np.asarray(b), axis or 0, -1)
    n = along.shape[-1]
    result = np.zeros(along.shape, _floating(b).dtype)
    # An element of the result is a combination of at most three neighbours: every third of them is
    # probed at once.
    first = np.clip(np.arange(n) - 1, 0, max(n - 3, 0))
    for color in range(min(n, 3)):
        probe = (np.arange(n) % 3 == color).astype(result.dtype)
        order: Any = edge_order
        slopes: Any = np.gradient(probe, spacing, edge_order=order)
        factors = slopes.astype(result.dtype, copy=False)
        place = first + (color - first) % 3
        index: Any = (..., np.minimum(place, n - 1))
        np.add.at(result, index, np.where(place < n, factors * along, 0))
    return np.moveaxis(result, -1, axis or 0)


def _ungradients(
    b: Any, f: Numeric, spacing: Any, second: Any, third: Any, axis: Any, edge_order: int = 1
) -> Numeric:
    """The adjoint of f in np.gradient(f, spacing, second, third), one array for each axis."""
    if np.ndim(f) == 1 or isinstance(axis, int):
        return _ungradient(b, f, spacing, axis, edge_order)
    spacings = [spacing if second is None else each for each in (spacing, second, third)]
    axes = range(np.ndim(f)) if axis is None else axis
    parts = [
        _ungradient(part, f, spacings[min(k, 2)], along, edge_order)
        for k, (part, along) in enumerate(zip(b, axes, strict=True))
    ]
    return sum(parts[1:], parts[0])


def _gradients(
    f: Numeric, spacing: Any, second: Any, third: Any, axis: Any, edge_order: Any = 1
) -> Any:
    """np.gradient(f, spacing, second, third, axis=axis, edge_order=edge_order)."""
    given = [each for each in (spacing, second, third) if each is not None]
    return np.gradient(f, *given, axis=axis, edge_order=edge_order)


def _unpolyval(b: Numeric, p: Numeric, x: Numeric) -> Numeric:
    """The adjoint of the coefficients p in np.polyval(p, x)."""
    powers = [np.sum(b * np.power(_floating(x), n)) for n in reversed(range(len(p)))]
    return np.array(powers)


def _polynomial_slope(p: Numeric) -> Numeric:
    """The coefficients of the derivative of the polynomial with the coefficients p."""
    degree = len(p) - 1
    return np.asarray(p)[:-1] * np.arange(degree, 0, -1).astype(_floating(p).dtype)


def _polynomial_slope_adjoint(b: Numeric) -> Numeric:
    """The adjoint of p in _polynomial_slope(p)."""
    factors = np.arange(len(b), 0, -1).astype(_floating(b).dtype)
    return np.concatenate([b * factors, np.zeros(1, factors.dtype)])
