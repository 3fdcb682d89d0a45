"""Run-time helpers: derivatives of norms, determinants and factorisations."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._runtime_arrays import _product_of_others
from ._runtime_base import Axis, Numeric, _floating, _spread

# More linear algebra


def _norm_power(ord: Any) -> float:
    """The exponent of a norm that is a sum of powers."""
    return 2.0 if ord is None or ord == 'fro' else float(ord)


def _norm_slope(
    x: Numeric, y: Numeric, ord: Any = None, axis: Axis = None, keepdims: bool = False
) -> Numeric:
    """The derivative of y = np.linalg.norm(x, ord, axis, keepdims) in the elements of x."""
    pair = (axis is None and np.ndim(x) == 2) or (isinstance(axis, tuple) and len(axis) == 2)
    if pair and ord not in (None, 'fro'):
        raise NotImplementedError(f'the matrix norm {ord!r} has no derivative rule')
    whole = _spread(y, x, axis, keepdims)
    with np.errstate(all='ignore'):
        if ord in (np.inf, -np.inf):
            hits = np.abs(x) == whole
            return np.where(hits, np.sign(x), 0 * x) / np.sum(hits, axis=axis, keepdims=True)
        p = _norm_power(ord)
        slope = np.sign(x) * (np.abs(x) / whole) ** (p - 1)
        return np.where((whole == 0) | (np.asarray(x) == 0), 0 * slope, slope)


def _cofactors(a: Numeric) -> Numeric:
    """The derivative of np.linalg.det(a) in the elements of a, also where a is singular."""
    u, s, v = np.linalg.svd(a)
    sign = np.linalg.det(u) * np.linalg.det(v)
    scaled = u * np.expand_dims(_product_of_others(s, -1), -2)
    return np.expand_dims(sign, (-2, -1)) * (scaled @ v)


def _lower_half(m: Numeric) -> Numeric:
    """The lower triangle of m with half its diagonal."""
    return np.tril(m) * (1.0 - 0.5 * np.eye(np.shape(m)[-1], dtype=_floating(m).dtype))
