"""Run-time helpers: banded matrices, whose diagonals are the rows of an array.

`ab[u + i - j, j]` is the element i, j of the matrix, as `scipy.linalg.solve_banded` has it; what
stands in the corners that belong to no element counts as nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ._runtime_base import Numeric, _floating

Widths = tuple[int, int]


def _inside(rows: int, columns: int, l_and_u: Widths) -> Any:
    """Which places of a band belong to an element of the matrix."""
    i = np.arange(rows)[:, None] - l_and_u[1] + np.arange(columns)
    return (i >= 0) & (i < columns)


def _transpose_band(ab: Numeric, l_and_u: Widths) -> Numeric:
    """The band of the transposed matrix."""
    result = np.zeros(np.shape(ab), _floating(ab).dtype)
    n = np.shape(ab)[1]
    for row in range(len(result)):
        k = row - l_and_u[1]  # the element j + k, j goes to j, j + k
        if k >= 0:
            result[len(result) - 1 - row, k:] = ab[row, : max(n - k, 0)]
        else:
            result[len(result) - 1 - row, : max(n + k, 0)] = ab[row, -k:]
    return result


def _outer_band(r: Numeric, s: Numeric, l_and_u: Widths) -> Numeric:
    """The band of r @ s.T, of columns r and s."""
    n = len(r)
    lower, upper = l_and_u
    result = np.zeros((lower + upper + 1, n), np.result_type(r, s))
    for row in range(len(result)):
        k = row - upper
        first, last = max(0, -k), min(n, n - k)  # of j, where 0 <= j + k < n
        if first < last:
            products = r[first + k : last + k] * s[first:last]
            result[row, first:last] = np.sum(products.reshape(last - first, -1), axis=1)
    return result


def _times_band(ab: Numeric, x: Numeric, l_and_u: Widths) -> Numeric:
    """The product of the matrix of a band and columns x."""
    n = len(x)
    result = np.zeros(np.shape(x), np.result_type(ab, x))
    for row in range(len(ab)):
        k = row - l_and_u[1]
        first, last = max(0, -k), min(n, n - k)
        if first < last:
            weights = np.reshape(ab[row, first:last], (-1,) + (1,) * (np.ndim(x) - 1))
            result[first + k : last + k] += weights * x[first:last]
    return result


def _half_widths(ab: Numeric) -> Widths:
    """The widths of the whole band of which `ab` is a half."""
    return len(ab) - 1, len(ab) - 1


def _whole_band(ab: Numeric, lower: bool) -> Numeric:
    """The band of the symmetric matrix of which `ab` has the upper or the lower half."""
    width = len(ab) - 1
    below = np.zeros((width, np.shape(ab)[1]), _floating(ab).dtype)
    whole = np.concatenate([below, ab]) if lower else np.concatenate([ab, below])
    other = _transpose_band(whole, (width, width))
    result = whole + other
    result[width] -= other[width]
    return np.where(_inside(len(result), np.shape(ab)[1], (width, width)), result, 0.0)


def _half_band(ab: Numeric, lower: bool) -> Numeric:
    """The adjoint of the half in _whole_band."""
    width = (len(ab) - 1) // 2
    inside = np.where(_inside(len(ab), np.shape(ab)[1], (width, width)), ab, 0.0)
    both = inside + _transpose_band(inside, (width, width))
    both[width] = inside[width]
    return both[width:] if lower else both[: width + 1]
