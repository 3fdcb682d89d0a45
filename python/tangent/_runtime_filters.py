"""Run-time helpers: adjoints of SciPy's convolutions and filters of images."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._runtime_base import Numeric, _floating


def _unconvolve_grids(
    by: Numeric, a: Numeric, v: Numeric, mode: str = 'full', second: Numeric = None
) -> Numeric:
    """The adjoint of `a` in scipy.signal.convolve(a, v, mode), or of the second array where that is
    `a`; `second` has the shape of the second array."""
    from scipy.signal import correlate  # type: ignore[import-untyped]

    size = np.add(np.shape(a), np.shape(v)) - 1
    whole = np.zeros(size, np.asarray(by).dtype)
    if mode == 'full':
        start = np.zeros(whole.ndim, int)
    elif mode == 'same':
        start = (np.array(np.shape(second)) - 1) // 2
    else:
        start = np.minimum(np.shape(a), np.shape(v)) - 1
    window = tuple(
        slice(first, first + length) for first, length in zip(start, np.shape(by), strict=True)
    )
    whole[window] = by
    return correlate(whole, np.asarray(v), mode='valid', method='direct')


def _convolve_grids(a: Numeric, v: Numeric, mode: str, like: Numeric) -> Numeric:
    """scipy.signal.convolve of `a` and v, of which the part in the shape of `like` counts, also
    where the first and the second array have changed places."""
    from scipy.signal import convolve

    return convolve(a, v, mode) if np.shape(a) == np.shape(like) or mode != 'same' else (
        convolve(v, a, mode)
    )


def _gaussian_weights(sigma: float) -> Any:
    """The weights of scipy.ndimage.gaussian_filter1d(x, sigma)."""
    radius = int(4.0 * float(sigma) + 0.5)
    places = np.arange(-radius, radius + 1)
    weights = np.exp(-0.5 / (sigma * sigma) * places**2)
    return weights / np.sum(weights)


# How np.pad calls what the filters do at the edges.
_PADS = {
    'reflect': 'symmetric', 'mirror': 'reflect', 'nearest': 'edge', 'wrap': 'wrap',
    'grid-mirror': 'symmetric', 'grid-wrap': 'wrap', 'constant': 'constant',
    'grid-constant': 'constant',
}  # fmt: skip


def _uncorrelate(b: Numeric, input: Numeric, weights: Numeric, mode: str = 'reflect') -> Numeric:
    """The adjoint of `input` in scipy.ndimage.correlate(input, weights, mode=mode)."""
    from scipy.signal import convolve

    from ._runtime_scans import _unpad

    if mode not in _PADS:
        raise NotImplementedError(f'a filter with mode={mode!r} has no derivative rule')
    shape = np.shape(weights)
    widths = [(n // 2, n - 1 - n // 2) for n in shape]
    spread = convolve(np.asarray(b), np.asarray(weights), method='direct')
    return _unpad(spread, input, widths, _PADS[mode]).astype(_floating(b).dtype, copy=False)


def _uncorrelate_axis(
    b: Numeric, input: Numeric, weights: Numeric, axis: int = -1, mode: str = 'reflect'
) -> Numeric:
    """The adjoint of `input` in scipy.ndimage.correlate1d(input, weights, axis, mode)."""
    shape = [1] * np.ndim(input)
    shape[axis] = -1
    return _uncorrelate(b, input, np.reshape(weights, shape), mode)


def _ungaussian(b: Numeric, input: Numeric, sigma: Any, mode: str = 'reflect') -> Numeric:
    """The adjoint of `input` in scipy.ndimage.gaussian_filter(input, sigma, mode=mode)."""
    sigmas = [sigma] * np.ndim(input) if np.ndim(sigma) == 0 else list(sigma)
    for axis in reversed(range(np.ndim(input))):
        if sigmas[axis] > 1e-15:
            b = _uncorrelate_axis(b, input, _gaussian_weights(sigmas[axis]), axis, mode)
    return b


def _unlaplace(b: Numeric, input: Numeric, mode: str = 'reflect') -> Numeric:
    """The adjoint of `input` in scipy.ndimage.laplace(input, mode=mode)."""
    weights = np.array([1.0, -2.0, 1.0])
    return sum(_uncorrelate_axis(b, input, weights, axis, mode) for axis in range(np.ndim(input)))


def _lagged_products(r: Numeric, x: Numeric, b: Numeric, axis: int = -1) -> Numeric:
    """For each k of b the sum of r[n] * x[n - k] along an axis."""
    rows = np.moveaxis(np.asarray(r), axis, -1)
    others = np.moveaxis(np.asarray(x), axis, -1)
    n = rows.shape[-1]
    sums = [np.sum(rows[..., k:] * others[..., : max(n - k, 0)]) for k in range(len(b))]
    return np.array(sums)


def _one(x: Numeric) -> Any:
    """The coefficients of the filter that does nothing, in the dtype of x."""
    return np.ones(1, _floating(x).dtype)
