"""Run-time helpers: derivatives of norms, determinants and factorisations."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._runtime_arrays import _product_of_others
from ._runtime_base import Axis, Numeric, _floating, _spread, _ties

# More linear algebra


def _norm_power(x: Numeric, ord: Any, axis: Axis) -> float:
    """The exponent of a norm that is a sum of powers; 1 where the slopes are constant."""
    if _is_of_matrix(x, axis) and ord not in (None, 'fro'):
        if ord in (1, -1, np.inf, -np.inf):
            return 1.0
        raise NotImplementedError(f'the slope of the matrix norm {ord!r} has no derivative rule')
    if ord in (np.inf, -np.inf):
        return 1.0
    return 2.0 if ord is None or ord == 'fro' else float(ord)


def _is_of_matrix(x: Numeric, axis: Axis) -> bool:
    """Whether np.linalg.norm takes the norm of matrices."""
    return (axis is None and np.ndim(x) == 2) or (isinstance(axis, tuple) and len(axis) == 2)


def _norm_slope(
    x: Numeric, y: Numeric, ord: Any = None, axis: Axis = None, keepdims: bool = False
) -> Numeric:
    """The derivative of y = np.linalg.norm(x, ord, axis, keepdims) in the elements of x."""
    if _is_of_matrix(x, axis) and ord not in (None, 'fro'):
        return _matrix_norm_slope(x, ord, axis)
    whole = _spread(y, x, axis, keepdims)
    with np.errstate(all='ignore'):
        if ord in (np.inf, -np.inf):
            hits = np.abs(x) == whole
            return np.where(hits, np.sign(x), 0 * x) / np.sum(hits, axis=axis, keepdims=True)
        p = _norm_power(x, ord, axis)
        slope = np.sign(x) * (np.abs(x) / whole) ** (p - 1)
        return np.where((whole == 0) | (np.asarray(x) == 0), 0 * slope, slope)


def _matrix_norm_slope(x: Numeric, ord: Any, axis: Any) -> Numeric:
    """The slope of a norm of matrices: singular values, or sums along the rows or columns."""
    if ord not in (1, -1, np.inf, -np.inf):
        moved = np.moveaxis(x, axis or (0, 1), (-2, -1))
        u, _, vt = np.linalg.svd(moved, full_matrices=False)
        if ord != 'nuc':
            k = slice(0, 1) if ord == 2 else slice(np.shape(u)[-1] - 1, None)
            u, vt = u[..., k], vt[..., k, :]
        return np.moveaxis(u @ vt, (-2, -1), axis or (0, 1))
    first, second = (0, 1) if axis is None else axis
    along, across = (first, second) if abs(ord) == 1 else (second, first)
    sums = np.sum(np.abs(x), axis=along, keepdims=True)
    best = (np.max if ord > 0 else np.min)(sums, axis=across, keepdims=True)
    hits = sums == best
    return np.sign(x) * hits / _ties(hits, x, across)


def _inverse(a: Numeric) -> Numeric:
    """The inverse of a matrix or of each of a stack; nan where there is none."""
    try:
        return np.linalg.inv(a)
    except np.linalg.LinAlgError:
        a = _floating(a)
        if np.ndim(a) == 2:
            return np.full_like(a, np.nan)
        return np.reshape([_inverse(one) for one in a], np.shape(a))


def _cofactors(a: Numeric) -> Numeric:
    """The derivative of np.linalg.det(a) in the elements of a, also where a is singular."""
    u, s, v = np.linalg.svd(a)
    sign = np.linalg.det(u) * np.linalg.det(v)
    scaled = u * np.expand_dims(_product_of_others(s, -1), -2)
    return np.expand_dims(sign, (-2, -1)) * (scaled @ v)


def _lower_half(m: Numeric) -> Numeric:
    """The lower triangle of m with half its diagonal."""
    return np.tril(m) * (1.0 - 0.5 * np.eye(np.shape(m)[-1], dtype=_floating(m).dtype))


def _inverse_gaps(w: Numeric) -> Numeric:
    """1 / (w[j] - w[i]) as the element i, j of a matrix, 0 where the two are equal.

    Values that a factorisation computes are equal if they differ by its rounding error alone, which
    is a small multiple of the largest value's (Golub and Van Loan, "Matrix Computations", 8.1).
    """
    gaps = np.expand_dims(w, -2) - np.expand_dims(w, -1)
    n = np.shape(w)[-1]
    largest = np.max(np.abs(w), axis=-1, initial=0.0)
    error = 8.0 * n * np.finfo(gaps.dtype).eps * np.expand_dims(largest, (-2, -1))
    result: Any = np.divide(1.0, gaps, out=np.zeros_like(gaps), where=np.abs(gaps) > error)
    return result


def _fold_triangle(m: Numeric, uplo: str = 'L') -> Numeric:
    """The adjoint of a symmetric matrix that is read from one of its triangles."""
    both = m + np.swapaxes(m, -1, -2)
    half = _lower_half(both)
    return half if uplo.upper() == 'L' else np.swapaxes(half, -1, -2)


def _unfold_triangle(m: Numeric, uplo: str = 'L') -> Numeric:
    """The symmetric matrix of which one triangle of m is read."""
    half = _lower_half(m if uplo.upper() == 'L' else np.swapaxes(m, -1, -2))
    return half + np.swapaxes(half, -1, -2)


def _thin(u: Numeric, s: Numeric) -> Numeric:
    """u of np.linalg.svd, if it has a column for each singular value and no others."""
    if np.shape(u)[-1] != np.shape(s)[-1]:
        raise NotImplementedError(
            'the further vectors of np.linalg.svd(a, full_matrices=True) have no derivative rule: '
            'pass full_matrices=False'
        )
    return u


def _thin_rows(vt: Numeric, s: Numeric) -> Numeric:
    """vh of np.linalg.svd, if it has a row for each singular value and no others."""
    return np.swapaxes(_thin(np.swapaxes(vt, -1, -2), s), -1, -2)


def _blocks(a: Numeric, b: Numeric) -> Numeric:
    """[[a, b], [0, a]]."""
    zero = np.zeros_like(b)
    return np.concatenate(
        [np.concatenate([a, b], axis=-1), np.concatenate([zero, a], axis=-1)], axis=-2
    )


def _half(index: int, n: int) -> slice:
    return slice(index * n, (index + 1) * n)


def _block_of(m: Numeric, i: int, j: int) -> Numeric:
    """The block i, j of the four of a matrix."""
    n = np.shape(m)[-1] // 2
    return m[..., _half(i, n), _half(j, n)]


def _put_block(b: Numeric, i: int, j: int) -> Numeric:
    """A matrix of four blocks, of which the block i, j is b and the others are 0."""
    n = np.shape(b)[-1]
    result = np.zeros((*np.shape(b)[:-2], 2 * n, 2 * n), np.asarray(b).dtype)
    result[..., _half(i, n), _half(j, n)] = b
    return result


def _lower_of(m: Numeric, lower: bool) -> Numeric:
    """m, transposed if it is the upper factor that stands for a lower one."""
    return m if lower else np.swapaxes(m, -1, -2)


def _cut(m: Numeric, lower: bool, unit_diagonal: bool) -> Numeric:
    """The triangle of m that a solve with a triangular matrix reads."""
    inside = 1 if unit_diagonal else 0
    return np.tril(m, -inside) if lower else np.triu(m, inside)


def _triangle(m: Numeric, trans: int, lower: bool, unit_diagonal: bool) -> Numeric:
    """The adjoint of a triangular matrix from that of what it is solved as."""
    return _cut(np.swapaxes(m, -1, -2) if trans else m, lower, unit_diagonal)


def _from_triangle(m: Numeric, trans: int, lower: bool, unit_diagonal: bool) -> Numeric:
    """What a triangular matrix is solved as: its triangle, or the transposed one."""
    cut = _cut(m, lower, unit_diagonal)
    return np.swapaxes(cut, -1, -2) if trans else cut


def _widen(b: Numeric, a: Numeric) -> Numeric:
    """b with columns of zeros on its right, as many columns in all as `a` has."""
    missing = np.shape(a)[-1] - np.shape(b)[-1]
    if missing == 0:
        return b
    zeros = np.zeros((*np.shape(b)[:-1], missing), np.asarray(b).dtype)
    return np.concatenate([b, zeros], axis=-1)
