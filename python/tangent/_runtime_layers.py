"""Helpers for convolutions, pooling and losses over classes, for any number of axes.

An image is (batch, channels, *lengths), or without its batch; weights are (channels out, channels
in per group, *lengths). One window after the other is taken out of the padded image, so that the
text is the same for every library; those that have convolutions of their own use these
(`_helpers_torch`).
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from ._runtime_base import _full

Array = Any
Sizes = int | tuple[int, ...]


def _sizes(value: Any, count: int) -> tuple[int, ...]:
    """A size for each axis of the image."""
    each = tuple(value) if isinstance(value, (tuple, list)) else (value,)
    return each * count if len(each) == 1 else each


def _pads(
    padding: Any, kernel: tuple[int, ...], dilation: tuple[int, ...]
) -> tuple[tuple[int, int], ...]:
    """What is added in front of and behind each axis."""
    count = len(kernel)
    if padding == 'valid':
        return ((0, 0),) * count
    if padding == 'same':
        whole = [d * (k - 1) for k, d in zip(kernel, dilation, strict=True)]
        return tuple((total // 2, total - total // 2) for total in whole)
    return tuple((each, each) for each in _sizes(padding, count))


def _windows(
    lengths: tuple[int, ...],
    kernel: tuple[int, ...],
    stride: tuple[int, ...],
    dilation: tuple[int, ...],
) -> tuple[tuple[int, ...], list[tuple[slice, ...]]]:
    """How many windows there are along each axis, and for each place in the kernel where in the
    padded image it lies under all windows."""
    counts = tuple(
        (n - d * (k - 1) - 1) // s + 1
        for n, k, s, d in zip(lengths, kernel, stride, dilation, strict=True)
    )
    places = [
        tuple(
            slice(d * at, d * at + s * (n - 1) + 1, s)
            for at, n, s, d in zip(offset, counts, stride, dilation, strict=True)
        )
        for offset in product(*map(range, kernel))
    ]
    return counts, places


class _Plan:
    """The sizes of a convolution or pooling, and the shapes that go with them."""

    def __init__(
        self, x: Array, kernel: Any, stride: Any, padding: Any, dilation: Any
    ) -> None:
        self.kernel = tuple(kernel)
        count = len(self.kernel)
        self.batched = len(x.shape) == count + 2
        self.lengths = tuple(x.shape[len(x.shape) - count :])
        stride = self.kernel if stride is None else _sizes(stride, count)
        self.dilation = _sizes(dilation, count)
        self.pads = _pads(padding, self.kernel, self.dilation)
        self.padded = tuple(
            n + before + behind
            for n, (before, behind) in zip(self.lengths, self.pads, strict=True)
        )
        self.counts, self.places = _windows(self.padded, self.kernel, stride, self.dilation)

    def image(self, x: Array) -> Array:
        """With a batch."""
        return x if self.batched else np.expand_dims(x, 0)

    def result(self, y: Array) -> Array:
        return y if self.batched else np.reshape(y, tuple(y.shape[1:]))

    def pad(self, x: Array, value: float = 0.0) -> Array:
        """The image with what is added around it."""
        if not any(before or behind for before, behind in self.pads):
            return x
        whole = np.zeros_like(np.broadcast_to(np.reshape(x, (-1,))[:1], (1,)))
        shape = (*x.shape[:2], *self.padded)
        padded = np.broadcast_to(np.reshape(whole + value, (1,) * len(shape)), shape) + 0.0
        return _put(padded, self.inner(), x)

    def inner(self) -> tuple[slice, ...]:
        """Where the image lies in the padded one."""
        around = [
            slice(before, before + n)
            for n, (before, _) in zip(self.lengths, self.pads, strict=True)
        ]
        return (slice(None), slice(None), *around)


def _put(a: Array, index: Any, value: Array) -> Array:
    """`a` with `value` at a place, in place where arrays change."""
    a[index] = value
    return a


def _put_more(a: Array, index: Any, value: Array) -> Array:
    """`a` with `value` added at a place, in place where arrays change."""
    a[index] += value
    return a


def _grouped(x: Array, groups: int) -> Array:
    """(batch, groups, channels of a group, all places)."""
    return np.reshape(x, (x.shape[0], groups, x.shape[1] // groups, -1))


def _conv(
    x: Array, w: Array, stride: Sizes = 1, padding: Any = 0, dilation: Sizes = 1, groups: int = 1
) -> Array:
    """The convolution (as networks call it: the correlation) of an image with weights."""
    plan = _Plan(x, w.shape[2:], stride, padding, dilation)
    image = plan.pad(plan.image(x))
    weights = np.reshape(w, (groups, w.shape[0] // groups, w.shape[1], -1))
    total = 0.0
    for k, place in enumerate(plan.places):
        part = _grouped(image[(slice(None), slice(None), *place)], groups)
        total = total + np.matmul(weights[:, :, :, k], part)
    return plan.result(np.reshape(total, (image.shape[0], w.shape[0], *plan.counts)))


def _conv_input(
    b: Array,
    x: Array,
    w: Array,
    stride: Sizes = 1,
    padding: Any = 0,
    dilation: Sizes = 1,
    groups: int = 1,
) -> Array:
    """The adjoint of the image in a convolution."""
    plan = _Plan(x, w.shape[2:], stride, padding, dilation)
    weights = np.reshape(w, (groups, w.shape[0] // groups, w.shape[1], -1))
    b = _grouped(plan.image(b), groups)
    batch, channels = plan.image(x).shape[:2]
    whole = np.broadcast_to(np.reshape(b, (-1,))[0] * 0.0, (batch, channels, *plan.padded)) + 0.0
    for k, place in enumerate(plan.places):
        part = np.matmul(np.swapaxes(weights[:, :, :, k], -1, -2), b)
        part = np.reshape(part, (batch, channels, *plan.counts))
        whole = _put_more(whole, (slice(None), slice(None), *place), part)
    return plan.result(whole[plan.inner()])


def _conv_weight(
    b: Array,
    x: Array,
    w: Array,
    stride: Sizes = 1,
    padding: Any = 0,
    dilation: Sizes = 1,
    groups: int = 1,
) -> Array:
    """The adjoint of the weights in a convolution."""
    plan = _Plan(x, w.shape[2:], stride, padding, dilation)
    image = plan.pad(plan.image(x))
    b = _grouped(plan.image(b), groups)
    parts = []
    for place in plan.places:
        part = _grouped(image[(slice(None), slice(None), *place)], groups)
        parts.append(np.sum(np.matmul(b, np.swapaxes(part, -1, -2)), axis=0))
    return np.reshape(np.stack(parts, axis=-1), tuple(w.shape))


def _conv_bias(b: Array, w: Array) -> Array:
    """The adjoint of the bias in a convolution with weights `w`: the sums of `b` by channels."""
    rank = len(b.shape)
    channel = rank - len(w.shape) + 1
    return np.sum(b, axis=tuple(k for k in range(rank) if k != channel))


def _spread_bias(bias: Array, like: Array, w: Array) -> Array:
    """A bias of the channels in the shape of the result `like` of a convolution with `w`."""
    spatial = len(w.shape) - 2
    return np.broadcast_to(np.reshape(bias, (-1,) + (1,) * spatial), tuple(like.shape))


def _channel(v: Array, like: Array, axis: int) -> Array:
    """What belongs to the channels along an axis, in a shape that broadcasts against `like`."""
    rank = len(like.shape)
    return np.reshape(v, tuple(-1 if k == axis % rank else 1 for k in range(rank)))


def _channel_sums(b: Array, axis: int) -> Array:
    """The sums of `b` over all axes but that of the channels."""
    rank = len(b.shape)
    return np.sum(b, axis=tuple(k for k in range(rank) if k != axis % rank))


def _max_pool_hits(
    x: Array, y: Array, size: Sizes, stride: Any, padding: Any, dilation: Sizes, count: int
) -> tuple[_Plan, list[Array], Array]:
    plan = _Plan(x, _sizes(size, count), stride, padding, dilation)
    image = plan.pad(plan.image(x), float('-inf'))
    top = plan.image(y)
    hits = [image[(slice(None), slice(None), *place)] == top for place in plan.places]
    total = 0.0
    for hit in hits:
        total = total + np.where(hit, 1.0 + 0.0 * top, 0.0 * top)
    return plan, hits, np.maximum(total, 1.0)


def _max_pool_adjoint(
    b: Array,
    x: Array,
    y: Array,
    size: Sizes,
    stride: Any,
    padding: Any,
    dilation: Sizes,
    count: int,
) -> Array:
    """The adjoint of the image in y = max_pool(x): equal elements of a window share evenly."""
    plan, hits, total = _max_pool_hits(x, y, size, stride, padding, dilation, count)
    shares = plan.image(_full(b, y)) / total
    whole = np.broadcast_to(
        np.reshape(shares, (-1,))[0] * 0.0, (*plan.image(x).shape[:2], *plan.padded)
    )
    whole = whole + 0.0
    for hit, place in zip(hits, plan.places, strict=True):
        part = np.where(hit, shares, 0.0 * shares)
        whole = _put_more(whole, (slice(None), slice(None), *place), part)
    return plan.result(whole[plan.inner()])


def _max_pool_tangent(
    t: Array,
    x: Array,
    y: Array,
    size: Sizes,
    stride: Any,
    padding: Any,
    dilation: Sizes,
    count: int,
) -> Array:
    """The tangent of y = max_pool(x) for the tangent `t` of x."""
    plan, hits, total = _max_pool_hits(x, y, size, stride, padding, dilation, count)
    moves = plan.pad(plan.image(_full(t, x)))
    result = 0.0
    for hit, place in zip(hits, plan.places, strict=True):
        move = moves[(slice(None), slice(None), *place)]
        result = result + np.where(hit, move, 0.0 * move)
    return plan.result(result / total)


def _avg_pool_counts(plan: _Plan, like: Array, with_padding: bool) -> Any:
    """How many elements each window is the mean of."""
    if with_padding:
        return float(len(plan.places))
    ones = plan.pad(np.ones_like(plan.image(like)))
    total = 0.0
    for place in plan.places:
        total = total + ones[(slice(None), slice(None), *place)]
    return total


def _avg_pool(
    x: Array, size: Sizes, stride: Any, padding: Any, with_padding: bool, count: int
) -> Array:
    """The means of the windows of an image."""
    plan = _Plan(x, _sizes(size, count), stride, padding, 1)
    image = plan.pad(plan.image(x))
    total = 0.0
    for place in plan.places:
        total = total + image[(slice(None), slice(None), *place)]
    return plan.result(total / _avg_pool_counts(plan, x, with_padding))


def _avg_pool_adjoint(
    b: Array, x: Array, size: Sizes, stride: Any, padding: Any, with_padding: bool, count: int
) -> Array:
    """The adjoint of the image in the means of its windows."""
    plan = _Plan(x, _sizes(size, count), stride, padding, 1)
    shares = plan.image(b) / _avg_pool_counts(plan, x, with_padding)
    whole = np.broadcast_to(
        np.reshape(shares, (-1,))[0] * 0.0, (*plan.image(x).shape[:2], *plan.padded)
    )
    whole = whole + 0.0
    for place in plan.places:
        whole = _put_more(whole, (slice(None), slice(None), *place), shares)
    return plan.result(whole[plan.inner()])


# Losses over classes. torch leaves out targets of -100 and means over the others.


def _picked(target: Array, classes: int, dtype_of: Array, axis: int) -> Array:
    """1 where a class is the target, along an axis for the classes."""
    rank = len(target.shape) + 1
    if rank != len(dtype_of.shape):
        raise TypeError(
            'the gradient of a loss over classes takes the numbers of the classes as its target, '
            f'not an array of shape {tuple(target.shape)} for values of {tuple(dtype_of.shape)}'
        )
    shape = tuple(classes if k == axis else 1 for k in range(rank))
    hits = np.expand_dims(target, axis) == np.reshape(np.arange(classes), shape)
    return np.where(hits, np.ones_like(dtype_of), np.zeros_like(dtype_of))


def _nll(x: Array, target: Array, reduction: str = 'mean') -> Array:
    """The mean or sum of -x at the target classes, which lie along axis 1 (0 of a vector)."""
    axis = min(1, len(x.shape) - 1)
    picks = _picked(target, x.shape[axis], x, axis)
    total = -np.sum(x * picks)
    return total / np.sum(picks) if reduction == 'mean' else total


def _nll_adjoint(b: Array, x: Array, target: Array, reduction: str = 'mean') -> Array:
    """The adjoint of `x` in nll(x, target)."""
    axis = min(1, len(x.shape) - 1)
    picks = _picked(target, x.shape[axis], x, axis)
    return -b / np.sum(picks) * picks if reduction == 'mean' else -b * picks
