"""Run-time helpers: shapes of adjoints, and partial derivatives by cases."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .errors import ShapeError

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


def _items_like(xs: Any, b: Any) -> list[Any]:
    """The gradient of a list: each adjoint in `b` in the shape and dtype of the item in `xs`."""
    made: list[Any] = []
    for x, g in zip(xs, b, strict=True):
        if isinstance(x, np.ndarray):
            made.append(np.full_like(x, g, dtype=_floating(x).dtype))
        else:
            made.append(float(g))
    return made


def _object_like(whole: Any, _without: tuple[str, ...] = (), **fields: Any) -> Any:
    """An object of the class of `whole` with adjoints for fields; the others have none: zeros.

    `_without` names attributes that the function added to `whole`.
    """
    if isinstance(whole, tuple):  # a namedtuple
        named: Any = whole
        others = {name: _no_derivative(value) for name, value in named._asdict().items()}
        return named._replace(**{**others, **fields})
    from copy import copy  # only where a gradient is an object

    result = copy(whole)
    for name in _without:
        if hasattr(result, name):
            object.__delattr__(result, name)
    names = [*getattr(whole, '__dict__', ()), *getattr(type(whole), '__slots__', ())]
    for name in names:
        if name not in fields and name not in _without and hasattr(whole, name):
            object.__setattr__(result, name, _no_derivative(getattr(whole, name)))
    for name, value in fields.items():
        object.__setattr__(result, name, value)
    return result


def _no_derivative(value: Any) -> Any:
    """Zeros of the structure of a value that a function does not read."""
    if isinstance(value, (bool, str, bytes)) or value is None:
        return value
    if isinstance(value, (int, float, np.number)):
        return 0.0
    if isinstance(value, np.ndarray):
        return _zeros_like(value)
    if isinstance(value, (list, tuple)) and type(value) in (list, tuple):
        return type(value)(_no_derivative(part) for part in value)
    if type(value) is dict:
        return {key: _no_derivative(part) for key, part in value.items()}
    return value


def _unbroadcast(b: Numeric, like: Numeric) -> Numeric:
    """The sum of `b` over the axes along which `like` was broadcast: in the shape of `like`."""
    shape = np.shape(like)
    if shape == ():
        return np.sum(b)  # a number, not an array without axes
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


def _check_seed(by: Numeric, value: Numeric) -> None:
    """A ShapeError if the seed `by` has not the shape of the result, nor is a number."""
    have, want = np.shape(by), np.shape(value)
    if have and have != want:
        raise ShapeError(
            f'the seed has the shape {have}, the result {want}: they must be the same, or the seed '
            'a number'
        )


def _check_tangent(dx: Any, x: Any) -> None:
    """A ShapeError if the tangent `dx` has not the structure and the shapes of the argument `x`."""
    if isinstance(x, (int, float, np.number, np.ndarray)):
        if not isinstance(dx, (int, float, np.number, np.ndarray)):
            raise ShapeError(f'a tangent is a number or an array, not {_described(dx)}')
        have, want = np.shape(dx), np.shape(x)
        if have != want:
            raise ShapeError(f'the tangent has the shape {have}, the argument {want}')
        return
    if isinstance(x, dict):
        if not isinstance(dx, dict) or dx.keys() != x.keys():
            raise ShapeError(f'the tangent of a dict is a dict with its keys, not {_described(dx)}')
        for key, part in x.items():
            _check_tangent(dx[key], part)
    elif isinstance(x, (list, tuple)):
        if not isinstance(dx, (list, tuple)) or len(dx) != len(x):
            raise ShapeError(
                f'the tangent of a {type(x).__name__} has as many parts, {len(x)}, '
                f'not {_described(dx)}'
            )
        for tangent, part in zip(dx, x, strict=True):
            _check_tangent(tangent, part)


def _described(value: Any) -> str:
    if isinstance(value, dict):
        return f'a dict with the keys {list(value)}'
    return (
        f'{len(value)} parts'
        if isinstance(value, (list, tuple))
        else f'an object of type {type(value).__name__}'
    )


def _zero_tangent(value: Any) -> Any:
    """Zeros of the structure of a value, the tangent of what depends on nothing; a text or None
    stands for itself."""
    if isinstance(value, (bool, int, float, np.number, np.bool_)):
        return 0.0
    if isinstance(value, np.ndarray):
        return _zeros_like(value)
    if isinstance(value, range):
        return [0.0] * len(value)
    if isinstance(value, tuple) and hasattr(value, '_fields'):
        return type(value)(*(_zero_tangent(part) for part in value))
    if isinstance(value, (list, tuple)):
        return type(value)(_zero_tangent(part) for part in value)
    if isinstance(value, dict):
        return {key: _zero_tangent(part) for key, part in value.items()}
    return value


def _own(dx: Any) -> Any:
    """A copy of a tangent, to be changed: its arrays, lists and dicts are its own."""
    if isinstance(dx, np.ndarray):
        return dx.copy()
    if isinstance(dx, (list, tuple)) and type(dx) in (list, tuple):
        return type(dx)(_own(part) for part in dx)
    if type(dx) is dict:
        return {key: _own(part) for key, part in dx.items()}
    return dx


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


def _spherical(n: int, z: Numeric) -> Numeric:
    """The spherical Bessel function of order n, 0 for a negative one; loads SciPy when called."""
    from scipy.special import spherical_jn  # type: ignore[import-untyped]

    if n < 0:
        return 0.0
    values = spherical_jn(n, z)
    dtype = np.result_type(z) if isinstance(z, (np.ndarray, np.floating)) else np.float64
    return values.astype(dtype, copy=False)[()] if np.ndim(values) else values
