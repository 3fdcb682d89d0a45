"""Helpers for arrays of JAX that cannot be had from the text for NumPy's.

Those that store through views are the transposes that JAX makes of its own functions; what that
text decides by values is decided here without looking at them, so that it can be traced.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from .errors import ShapeError

Array = Any
Axis = int | tuple[int, ...] | None


def _pull(function: Callable[[Array], Array], at: Array, b: Array) -> Array:
    """The adjoint of `at` in function(at)."""
    value, pullback = jax.vjp(function, at)
    return pullback(jnp.broadcast_to(jnp.asarray(b, value.dtype), value.shape))[0]


def _floating(x: Any) -> Array:
    """x as an array of a floating dtype: its own, or the standard one for ints and bools."""
    array = jnp.asarray(x)
    return array if jnp.issubdtype(array.dtype, jnp.inexact) else array.astype(float)


def _check_seed(by: Any, value: Any) -> None:
    """A ShapeError if the seed `by` has not the shape of the result, nor is a number."""
    have, want = jnp.shape(by), jnp.shape(value)
    if have and have != want:
        raise ShapeError(
            f'the seed has the shape {have}, the result {want}: they must be the same, or the seed '
            'a number'
        )


def _mask(test: Array, b: Array) -> Array:
    """`b` where the test holds, 0 elsewhere."""
    return jnp.where(test, b, jnp.zeros((), jnp.result_type(b)))


def _above(a: Array, b: Array) -> Array:
    """1 where a > b, 0 where a < b, 1/2 where they are equal; 1 where only b is nan."""
    wins = (a > b) | (jnp.isnan(b) & ~jnp.isnan(a))
    return jnp.where(a == b, 0.5, wins.astype(jnp.result_type(a, b, 1.0)))


def _power_slope(x: Array, n: Array) -> Array:
    """n * x ** (n - 1), the slope of x ** n: 0 where n is 0."""
    return jnp.where(n == 0, 0.0, n * jnp.power(x, jnp.where(n == 0, 1, n - 1)))


def _power(x: Array, n: Array) -> Array:
    """x ** n, 0 where x is 0 and n is not positive."""
    x = _floating(x)
    none = (x == 0) & (jnp.asarray(n) <= 0)
    return jnp.where(none, 0.0, jnp.power(jnp.where(none, 1.0, x), n))


def _times_log(y: Array, x: Array) -> Array:
    """y * log(x), the slope of x ** n in n where y is x ** n; 0 where x is 0."""
    return jnp.where(x == 0, 0.0, y * jnp.log(jnp.where(x == 0, 1.0, x)))


def _over(y: Array, x: Array) -> Array:
    """y / x, 0 where x is 0."""
    return jnp.where(x == 0, 0.0, y / jnp.where(x == 0, 1.0, x))


def _spherical(n: int, z: Array) -> Array:
    """The spherical Bessel function of order 1 (of no other a gradient asks)."""
    if n != 1:
        raise NotImplementedError('np.sinc has no second derivative over arrays of JAX')
    small = jnp.abs(z) < 1e-2
    safe = jnp.where(small, 1.0, z)
    series = z / 3 - z**3 / 30 + z**5 / 840
    return jnp.where(small, series, jnp.sin(safe) / safe**2 - jnp.cos(safe) / safe)


def _undiagonal(b: Array, a: Array, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array:
    """The adjoint of `a` in np.diagonal(a, offset, axis1, axis2)."""
    return _pull(lambda x: jnp.diagonal(x, offset, axis1, axis2), _floating(a), b)


def _unrepeat(b: Array, a: Array, repeats: Any, axis: int | None = None) -> Array:
    """The adjoint of `a` in np.repeat(a, repeats, axis)."""
    return _pull(lambda x: jnp.repeat(x, repeats, axis), _floating(a), b)


def _untile(b: Array, a: Array, reps: Any) -> Array:
    """The adjoint of `a` in np.tile(a, reps)."""
    return _pull(lambda x: jnp.tile(x, reps), _floating(a), b)


def _unpad(b: Array, array: Array, pad_width: Any, mode: str = 'constant') -> Array:
    """The adjoint of `array` in np.pad(array, pad_width, mode)."""
    return _pull(lambda x: jnp.pad(x, pad_width, mode), _floating(array), b)


def _untake(b: Array, a: Array, indices: Array, axis: int | None = None) -> Array:
    """The adjoint of `a` in np.take(a, indices, axis): repeated indices add up."""
    return _pull(lambda x: jnp.take(x, indices, axis), _floating(a), b)


def _untake_along_axis(b: Array, arr: Array, indices: Array, axis: int | None = -1) -> Array:
    """The adjoint of `arr` in np.take_along_axis(arr, indices, axis)."""
    return _pull(lambda x: jnp.take_along_axis(x, indices, axis), _floating(arr), b)


def _unsort(b: Array, a: Array, axis: int | None = -1) -> Array:
    """The adjoint of `a` in np.sort(a, axis); of equal elements the first has the first."""
    return _pull(lambda x: jnp.sort(x, axis), _floating(a), b)


def _sort_like(b: Array, a: Array, axis: int | None = -1) -> Array:
    """b in the order in which np.sort(a, axis) puts `a`."""
    order = jnp.argsort(a, axis=axis)
    if axis is None:
        return jnp.ravel(b)[order]
    return jnp.take_along_axis(jnp.broadcast_to(b, jnp.shape(a)), order, axis)


def _uneinsum(
    by: Array, subscripts: str, k: int, a: Array, b: Array = None, c: Array = None
) -> Array:
    """The adjoint of operand number k in np.einsum(subscripts, a, b, c)."""
    operands = [x for x in (a, b, c) if x is not None]

    def of_operand(x: Array) -> Array:
        return jnp.einsum(subscripts, *operands[:k], x, *operands[k + 1 :])

    return _pull(of_operand, _floating(operands[k]), by)


def _unconvolve(by: Array, a: Array, v: Array, mode: str = 'full') -> Array:
    """The adjoint of `a` in np.convolve(a, v, mode)."""
    return _pull(lambda x: jnp.convolve(x, v, mode), _floating(a), by)


def _ungradient(
    b: Array, f: Array, spacing: Any = 1.0, axis: int | None = None, edge_order: int = 1
) -> Array:
    """The adjoint of f in np.gradient(f, spacing, axis=axis, edge_order=edge_order)."""
    if jnp.ndim(f) != 1 and not isinstance(axis, int):
        raise NotImplementedError('np.gradient along several axes has no derivative rule')
    return _pull(lambda x: jnp.gradient(x, spacing, axis=axis), _floating(f), b)


def _exclusive_cumprod(a: Array, axis: int) -> Array:
    """For each element the product of those before it along an axis."""
    moved = jnp.moveaxis(_floating(a), axis, 0)
    products = jnp.concatenate([jnp.ones_like(moved[:1]), jnp.cumprod(moved[:-1], axis=0)])
    return jnp.moveaxis(products, 0, axis)


def _scan(b: Array, a: Array, axis: int) -> Array:
    """s with s[i] = b[i] + a[i] * s[i - 1] along an axis."""
    moved = jnp.moveaxis(jnp.broadcast_to(b, jnp.shape(a)), axis, 0)
    factors = jnp.moveaxis(a, axis, 0)
    _, sums = jax.lax.scan(
        lambda s, pair: (pair[0] + pair[1] * s,) * 2, jnp.zeros_like(moved[0]), (moved, factors)
    )
    return jnp.moveaxis(sums, 0, axis)


def _back_scan(b: Array, a: Array, axis: int) -> Array:
    """s with s[i] = b[i] + a[i + 1] * s[i + 1] along an axis."""
    moved = jnp.moveaxis(jnp.broadcast_to(b, jnp.shape(a)), axis, 0)
    factors = jnp.roll(jnp.moveaxis(a, axis, 0), -1, 0)
    _, sums = jax.lax.scan(
        lambda s, pair: (pair[0] + pair[1] * s,) * 2,
        jnp.zeros_like(moved[0]),
        (moved, factors),
        reverse=True,
    )
    return jnp.moveaxis(sums, 0, axis)
