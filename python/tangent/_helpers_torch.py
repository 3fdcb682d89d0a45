"""Helpers for tensors of torch that cannot be had from the text for NumPy's."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import torch

from ._numpy_torch import _axes, _is_number, _tensor, ndim, shape

Tensor = Any
Axis = int | tuple[int, ...] | None


def _pull(function: Callable[[Tensor], Tensor], at: Tensor, b: Any) -> Tensor:
    """The adjoint of `at` in function(at)."""
    made: Any = torch.func.vjp(function, at)
    value, pullback = made
    whole = torch.broadcast_to(_tensor(b, value).to(value.dtype), value.shape)
    return pullback(whole)[0]


def _unbroadcast(b: Any, like: Any) -> Any:
    """The sum of `b` over the axes along which `like` was broadcast: in the shape of `like`."""
    want = shape(like)
    if shape(b) == want:
        return b
    if _is_number(b):
        return torch.full(want, b, dtype=like.dtype, device=like.device)
    if not want:
        return b.sum()
    extra = b.ndim - len(want)
    if extra > 0:
        b = b.sum(dim=tuple(range(extra)))
    pairs = zip(reversed(b.shape), reversed(want), strict=False)
    axes = tuple(-1 - i for i, (have, target) in enumerate(pairs) if target == 1 and have != 1)
    if axes:
        b = b.sum(dim=axes, keepdim=True)
    return b if tuple(b.shape) == want else torch.broadcast_to(b, want)


def _full(b: Any, x: Any) -> Any:
    """`b` in the shape of `x`, against which it broadcasts."""
    want = shape(x)
    return b if shape(b) == want else torch.broadcast_to(_tensor(b, x), want)


def _spread(b: Any, x: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """The adjoint of a reduction of `x`, in a shape that broadcasts against `x`."""
    if keepdims or axis is None or ndim(b) == 0:
        return b
    rank = ndim(x)
    for place in sorted(each % rank for each in _axes(x, axis)):
        b = torch.unsqueeze(b, place)
    return b


def _mask(test: Any, b: Any) -> Any:
    """`b` where the test holds, 0 elsewhere."""
    if not isinstance(test, torch.Tensor):
        return b if test else 0.0
    return torch.where(test, b, 0.0)


def _zeros_like(x: Any) -> Any:
    """A zero adjoint for `x`: floating, whatever `x` is."""
    if not isinstance(x, torch.Tensor):
        return 0.0
    dtype = x.dtype if x.dtype.is_floating_point else torch.float64
    return torch.zeros_like(x, dtype=dtype)


def _above(a: Any, b: Any) -> Any:
    """1 where a > b, 0 where a < b, 1/2 where they are equal; 1 where only b is nan."""
    if _is_number(a) and _is_number(b):
        return 0.5 if a == b else 1.0 if a > b or (b != b and a == a) else 0.0
    like = a if isinstance(a, torch.Tensor) else b
    a, b = _tensor(a, like), _tensor(b, like)
    wins = (a > b) | (torch.isnan(b) & ~torch.isnan(a))
    return torch.where(a == b, 0.5, wins.to(torch.promote_types(a.dtype, b.dtype)))


def _power_slope(x: Any, n: Any) -> Any:
    """n * x ** (n - 1), the slope of x ** n: 0 where n is 0."""
    if _is_number(n):
        return n * x ** (n - 1) if n else 0.0 * x
    one = torch.ones_like(n)
    return torch.where(n == 0, 0.0, n * x ** torch.where(n == 0, one, n - 1))


def _power(x: Any, n: Any) -> Any:
    """x ** n, 0 where x is 0 and n is not positive."""
    none = (x == 0) & (n <= 0)
    if not isinstance(none, torch.Tensor):
        return 0.0 if none else x**n
    return torch.where(none, 0.0, torch.where(none, 1.0, x) ** n)


def _times_log(y: Any, x: Any) -> Any:
    """y * log(x), the slope of x ** n in n where y is x ** n; 0 where x is 0."""
    x = _tensor(x, y)
    return torch.where(x == 0, 0.0, y * torch.log(torch.where(x == 0, 1.0, x)))


def _over(y: Any, x: Any) -> Any:
    """y / x, 0 where x is 0."""
    x = _tensor(x, y)
    return torch.where(x == 0, 0.0, y / torch.where(x == 0, 1.0, x))


def _ties(hits: Tensor, a: Tensor, axis: Axis) -> Tensor:
    """How many hits there are along the axes, which are kept, in the dtype of `a`."""
    if hits.ndim == 0:
        return hits.to(a.dtype)
    return torch.sum(hits, dim=_axes(hits, axis), keepdim=True, dtype=a.dtype)


def _own(dx: Any) -> Any:
    """A copy of a tangent, to be changed: its tensors, lists and dicts are its own."""
    if isinstance(dx, torch.Tensor):
        return dx.clone()
    if isinstance(dx, (list, tuple)) and type(dx) in (list, tuple):
        return type(dx)(_own(part) for part in dx)
    if type(dx) is dict:
        return {key: _own(part) for key, part in dx.items()}
    return dx


def _product_of_others(a: Any, axis: Axis = None) -> Any:
    """For each element the product of the others that prod(a, axis) multiplies it with."""
    from ._libraries import helpers

    text = helpers(2)
    flat = text._flatten_axes(a, axis)
    one = torch.ones_like(flat[..., :1])
    before = torch.cumprod(torch.cat([one, flat[..., :-1]], -1), -1)
    back = torch.flip(flat, (-1,))
    after = torch.cumprod(torch.cat([one, back[..., :-1]], -1), -1)
    return text._unflatten_axes(before * torch.flip(after, (-1,)), a, axis)


def _spherical(n: int, z: Tensor) -> Tensor:
    """The spherical Bessel function of order 1 (of no other a gradient asks)."""
    if n != 1:
        raise NotImplementedError('np.sinc has no second derivative over tensors of torch')
    small = torch.abs(z) < 1e-2
    safe = torch.where(small, 1.0, z)
    series = z / 3 - z**3 / 30 + z**5 / 840
    return torch.where(small, series, torch.sin(safe) / safe**2 - torch.cos(safe) / safe)


def _undiagonal(b: Any, a: Tensor, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    """The adjoint of `a` in np.diagonal(a, offset, axis1, axis2)."""
    return _pull(lambda x: torch.diagonal(x, offset, axis1, axis2), a, b)


def _untile(b: Any, a: Tensor, reps: Any) -> Tensor:
    """The adjoint of `a` in np.tile(a, reps)."""
    return _pull(lambda x: torch.tile(x, reps if isinstance(reps, tuple) else (reps,)), a, b)


def _exclusive_cumprod(a: Tensor, axis: int) -> Tensor:
    """For each element the product of those before it along an axis."""
    moved = torch.movedim(a, axis, 0)
    products = torch.cat([torch.ones_like(moved[:1]), torch.cumprod(moved[:-1], dim=0)])
    return torch.movedim(products, 0, axis)


def _conv(
    x: Tensor, w: Tensor, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1
) -> Tensor:
    """The convolution of an image with weights."""
    functional = torch.nn.functional
    convolution = (functional.conv1d, functional.conv2d, functional.conv3d)[w.ndim - 3]
    return convolution(x, w, None, stride, padding, dilation, groups)


def _conv_input(
    b: Tensor,
    x: Tensor,
    w: Tensor,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Tensor:
    """The adjoint of the image in a convolution."""
    if isinstance(padding, str) or x.ndim != w.ndim:
        return _pull(lambda image: _conv(image, w, stride, padding, dilation, groups), x, b)
    grad: Any = import_module('torch.nn.grad')
    adjoint = (grad.conv1d_input, grad.conv2d_input, grad.conv3d_input)[w.ndim - 3]
    return adjoint(x.shape, w, b, stride, padding, dilation, groups)


def _conv_weight(
    b: Tensor,
    x: Tensor,
    w: Tensor,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Tensor:
    """The adjoint of the weights in a convolution."""
    if isinstance(padding, str) or x.ndim != w.ndim:
        return _pull(lambda weights: _conv(x, weights, stride, padding, dilation, groups), w, b)
    grad: Any = import_module('torch.nn.grad')
    adjoint = (grad.conv1d_weight, grad.conv2d_weight, grad.conv3d_weight)[w.ndim - 3]
    return adjoint(x, w.shape, b, stride, padding, dilation, groups)
