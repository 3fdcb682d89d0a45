"""Helpers for tensors of tinygrad that cannot be had from the text for NumPy's."""

from __future__ import annotations

from typing import Any

from ._numpy_tinygrad import _is_number, _Tensor, _tensor, broadcast_to, full_like, ndim, shape

Tensor = Any
Axis = int | tuple[int, ...] | None


def _axes(axis: Axis, rank: int) -> tuple[int, ...]:
    """The axes as numbers from 0, all of them for None."""
    if axis is None:
        return tuple(range(rank))
    return tuple(each % rank for each in (axis if isinstance(axis, tuple) else (axis,)))


def _unbroadcast(b: Any, like: Any) -> Any:
    """The sum of `b` over the axes along which `like` was broadcast: in the shape of `like`."""
    want = shape(like)
    if shape(b) == want:
        return b
    if _is_number(b):
        return full_like(like, b)
    if not want:
        return b.sum()
    extra = b.ndim - len(want)
    if extra > 0:
        b = b.sum(axis=tuple(range(extra)))
    pairs = zip(reversed(b.shape), reversed(want), strict=False)
    axes = tuple(-1 - i for i, (have, target) in enumerate(pairs) if target == 1 and have != 1)
    if axes:
        b = b.sum(axis=axes, keepdim=True)
    return b if shape(b) == want else broadcast_to(b, want)


def _full(b: Any, x: Any) -> Any:
    """`b` in the shape of `x`, against which it broadcasts."""
    return b if shape(b) == shape(x) else broadcast_to(_tensor(b, x), shape(x))


def _spread(b: Any, x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """The adjoint of a reduction of `x`, in a shape that broadcasts against `x`."""
    if keepdims or axis is None or ndim(b) == 0:
        return b
    for place in sorted(_axes(axis, ndim(x))):
        b = b.unsqueeze(place)
    return b


def _mask(test: Any, b: Any) -> Any:
    """`b` where the test holds, 0 elsewhere."""
    if not isinstance(test, _Tensor):
        return b if test else 0.0
    return test.where(b, 0.0)


def _zeros_like(x: Any) -> Any:
    """A zero adjoint for `x`."""
    return x.zeros_like() if isinstance(x, _Tensor) else 0.0


def _above(a: Any, b: Any) -> Any:
    """1 where a > b, 0 where a < b, 1/2 where they are equal."""
    if _is_number(a) and _is_number(b):
        return 0.5 if a == b else float(a > b)
    like = a if isinstance(a, _Tensor) else b
    a, b = _tensor(a, like), _tensor(b, like)
    return (a == b).where(0.5, (a > b).cast(like.dtype))


def _power_slope(x: Any, n: Any) -> Any:
    """n * x ** (n - 1), the slope of x ** n: 0 where n is 0."""
    if _is_number(n):
        return n * x ** (n - 1) if n else 0.0 * x
    return (n == 0).where(0.0, n * x ** (n == 0).where(1.0, n - 1))


def _times_log(y: Any, x: Any) -> Any:
    """y * log(x), the slope of x ** n in n where y is x ** n; 0 where x is 0."""
    x = _tensor(x, y)
    return (x == 0).where(0.0, y * (x == 0).where(1.0, x).log())


def _product_of_others(a: Tensor, axis: int | None = None) -> Tensor:
    """For each element the product of the others that prod(a, axis) multiplies it with."""
    flat = a.reshape((-1,)) if axis is None else a.transpose(axis, -1)
    n = flat.shape[-1]
    # Each row repeated, with a one in place of the element whose others it is.
    rows = flat.unsqueeze(-2).expand((*flat.shape[:-1], n, n))
    own = _Tensor.eye(n, dtype=a.dtype)
    products = (own > 0).where(1.0, rows).prod(axis=-1)
    return products.reshape(a.shape) if axis is None else products.transpose(axis, -1)


def _ties(hits: Tensor, a: Tensor, axis: Axis) -> Tensor:
    """How many hits there are along the axes, which are kept, in the dtype of `a`."""
    return hits.cast(a.dtype).sum(axis=axis, keepdim=True)


def _cumsum_adjoint(b: Tensor, a: Tensor, axis: int | None) -> Tensor:
    """The adjoint of `a` in np.cumsum(a, axis)."""
    return b.flip(axis or 0).cumsum(axis or 0).flip(axis or 0)


def _untake_along_axis(b: Tensor, arr: Tensor, indices: Tensor, axis: int = -1) -> Tensor:
    """The adjoint of `arr` in np.take_along_axis(arr, indices, axis)."""
    return arr.zeros_like().scatter_reduce(axis, indices, b.cast(arr.dtype), 'sum')
