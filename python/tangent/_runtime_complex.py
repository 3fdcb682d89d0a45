"""Run-time helpers: complex values and Fourier transforms."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._runtime_base import Numeric

# What the engine takes in place of NumPy's functions where operands are complex.


def _complex_absolute(x: Numeric) -> Numeric:
    """abs(x)."""
    return np.abs(x)


def _complex_angle(z: Numeric, deg: bool = False) -> Numeric:
    """np.angle(z, deg)."""
    return np.angle(z, deg)


def _complex_conjugate(x: Numeric) -> Numeric:
    """np.conj(x)."""
    return np.conj(x)


def _complex_imag(val: Numeric) -> Numeric:
    """np.imag(val)."""
    return np.imag(val)


def _complex_real(val: Numeric) -> Numeric:
    """np.real(val)."""
    return np.real(val)


def _complex_sqrt(x: Numeric) -> Numeric:
    """np.sqrt(x)."""
    return np.sqrt(x)


def _complex_vdot(a: Numeric, b: Numeric) -> Numeric:
    """np.vdot(a, b)."""
    return np.vdot(a, b)


def _fit_length(b: Numeric, a: Numeric, axis: int = -1) -> Numeric:
    """b along an axis cut, or filled with zeros, to the length of `a`."""
    along = np.moveaxis(np.asarray(b), axis, -1)
    length = np.shape(a)[axis]
    result = np.zeros((*along.shape[:-1], length), along.dtype)
    common = min(length, along.shape[-1])
    result[..., :common] = along[..., :common]
    return np.moveaxis(result, -1, axis)


def _unirfft(b: Numeric, a: Numeric, axis: int = -1) -> Numeric:
    """The adjoint of `a` in np.fft.irfft(a, len(b), axis).

    An element of the spectrum stands for itself and its conjugate, but the first and, of an even
    length, the last, of which the real part alone counts.
    """
    spectrum: Any = np.moveaxis(np.conj(np.fft.rfft(b, axis=axis, norm='forward')), axis, -1)
    length = np.shape(b)[axis]
    spectrum[..., 1 : (length + 1) // 2] *= 2.0
    fitted = _fit_length(np.moveaxis(spectrum, -1, axis), a, axis)
    return fitted if np.iscomplexobj(a) else np.real(fitted)
