"""Run-time helpers: the adjoints of products."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ._runtime_base import Numeric, _floating, _unbroadcast

# Products


def _matmul_left_adjoint(by: Numeric, a: Numeric, b: Numeric) -> Numeric:
    """The adjoint of `a` in a @ b."""
    if np.ndim(b) == 1:
        ba = np.expand_dims(by, -1) * b if np.ndim(a) > 1 else by * b
    elif np.ndim(a) == 1:
        ba = (np.expand_dims(by, -2) @ np.swapaxes(b, -1, -2))[..., 0, :]
    else:
        ba = by @ np.swapaxes(b, -1, -2)
    return _unbroadcast(ba, a)


def _matmul_right_adjoint(by: Numeric, a: Numeric, b: Numeric) -> Numeric:
    """The adjoint of `b` in a @ b."""
    if np.ndim(a) == 1:
        if np.ndim(b) == 1:
            return by * a
        bb = np.expand_dims(by, -2) * np.expand_dims(a, -1)
    elif np.ndim(b) == 1:
        bb = (np.swapaxes(a, -1, -2) @ np.expand_dims(by, -1))[..., 0]
    else:
        bb = np.swapaxes(a, -1, -2) @ by
    return _unbroadcast(bb, b)


def _dot_right_matrix(b: Numeric) -> Any:
    """b as a matrix, whose first axis is the one that np.dot sums over."""
    b = np.asarray(b)
    if b.ndim > 1:
        b = np.moveaxis(b, -2, 0)
    return b.reshape(len(b), math.prod(b.shape[1:]))


def _dot_left_adjoint(by: Numeric, a: Numeric, b: Numeric) -> Numeric:
    """The adjoint of `a` in np.dot(a, b)."""
    if np.ndim(a) == 0:
        return np.sum(by * b)
    if np.ndim(b) == 0:
        return by * b
    right = _dot_right_matrix(b)
    rows = math.prod(np.shape(a)[:-1])
    return np.reshape(np.reshape(by, (rows, right.shape[1])) @ right.T, np.shape(a))


def _dot_right_adjoint(by: Numeric, a: Numeric, b: Numeric) -> Numeric:
    """The adjoint of `b` in np.dot(a, b)."""
    if np.ndim(a) == 0:
        return by * a
    if np.ndim(b) == 0:
        return np.sum(by * a)
    right = _dot_right_matrix(b)
    left = np.reshape(a, (math.prod(np.shape(a)[:-1]), np.shape(a)[-1]))
    bright = left.T @ np.reshape(by, (left.shape[0], right.shape[1]))
    if np.ndim(b) == 1:
        return bright[:, 0]
    shape = np.shape(b)
    return np.moveaxis(bright.reshape(shape[-2], *shape[:-2], shape[-1]), 0, -2)


def _solve_columns(a: Numeric, r: Numeric, b: Numeric) -> Numeric:
    """The solution of a @ s = r, where r holds vectors if `b` is one, else matrices."""
    if np.ndim(b) == 1:
        return np.linalg.solve(a, np.expand_dims(r, -1))[..., 0]
    return np.linalg.solve(a, r)


def _times_columns(m: Numeric, r: Numeric, b: Numeric) -> Numeric:
    """m @ r, where r holds vectors if `b` is one, else matrices."""
    if np.ndim(b) == 1:
        return (m @ np.expand_dims(r, -1))[..., 0]
    return m @ r


def _outer_columns(r: Numeric, s: Numeric, b: Numeric) -> Numeric:
    """r @ s.T, where both hold vectors if `b` is one, else matrices."""
    if np.ndim(b) == 1:
        return np.expand_dims(r, -1) * np.expand_dims(s, -2)
    return r @ np.swapaxes(s, -1, -2)


# More products


def _swap_last(b: Numeric) -> Numeric:
    """b with its last two axes swapped, if it has two."""
    return np.swapaxes(b, -1, -2) if np.ndim(b) > 1 else b


def _contraction(a: Numeric, b: Numeric, axes: Any) -> tuple[list[int], list[int]]:
    """The axes that np.tensordot sums over, in a and in b."""
    if isinstance(axes, int):
        return list(range(np.ndim(a) - axes, np.ndim(a))), list(range(axes))
    left, right = ([side] if isinstance(side, int) else list(side) for side in axes)
    return [i % np.ndim(a) for i in left], [i % np.ndim(b) for i in right]


def _tensordot_left_adjoint(by: Numeric, a: Numeric, b: Numeric, axes: Any = 2) -> Numeric:
    """The adjoint of `a` in np.tensordot(a, b, axes)."""
    left, right = _contraction(a, b, axes)
    kept = [i for i in range(np.ndim(a)) if i not in left]
    others = [i for i in range(np.ndim(b)) if i not in right]
    product = np.tensordot(by, b, (list(range(len(kept), np.ndim(by))), others))
    order = kept + [left[i] for i in np.argsort(right)]
    return np.transpose(product, np.argsort(order))


def _tensordot_right_adjoint(by: Numeric, a: Numeric, b: Numeric, axes: Any = 2) -> Numeric:
    """The adjoint of `b` in np.tensordot(a, b, axes)."""
    left, right = _contraction(a, b, axes)
    kept = [i for i in range(np.ndim(b)) if i not in right]
    others = [i for i in range(np.ndim(a)) if i not in left]
    product = np.tensordot(a, by, (others, list(range(len(others)))))
    order = [right[i] for i in np.argsort(left)] + kept
    return np.transpose(product, np.argsort(order))


def _einsum(subscripts: str, a: Numeric, b: Numeric = None, c: Numeric = None) -> Numeric:
    """np.einsum of the operands that are given."""
    return np.einsum(subscripts, *[x for x in (a, b, c) if x is not None])


def _einsum_terms(subscripts: str, operands: list[Any]) -> tuple[list[str], str]:
    """The index letters of the operands and of the result, without ellipses."""
    left, arrow, result = subscripts.replace(' ', '').partition('->')
    terms = left.split(',')
    free = [c for c in 'ABCDEFGHIJKLMNOPQRSTUVWXYZ' if c not in subscripts]
    dots = [np.ndim(x) - len(t.replace('...', '')) for t, x in zip(terms, operands, strict=True)]
    most = max((n for n, t in zip(dots, terms, strict=True) if '...' in t), default=0)
    named = zip(terms, dots, strict=True)
    terms = [term.replace('...', ''.join(free[most - n : most])) for term, n in named]
    if arrow:
        return terms, result.replace('...', ''.join(free[:most]))
    letters = ''.join(terms)
    implicit = sorted(c for c in set(letters) if letters.count(c) == 1 and c not in free[:most])
    return terms, ''.join(free[:most]) + ''.join(implicit)


def _uneinsum(
    by: Numeric, subscripts: str, k: int, a: Numeric, b: Numeric = None, c: Numeric = None
) -> Numeric:
    """The adjoint of operand number k in np.einsum(subscripts, a, b, c)."""
    operands = [x for x in (a, b, c) if x is not None]
    terms, result = _einsum_terms(subscripts, operands)
    own, shape = terms[k], np.shape(operands[k])
    letters = ''.join(dict.fromkeys(own))  # each once
    inputs = [result] + [t for i, t in enumerate(terms) if i != k]
    values = [by] + [x for i, x in enumerate(operands) if i != k]
    for letter in letters:  # summed over in this operand alone
        if not any(letter in term for term in inputs):
            inputs.append(letter)
            values.append(np.ones(shape[own.index(letter)], np.asarray(by).dtype))
    slopes = np.einsum(','.join(inputs) + '->' + letters, *values)
    if letters == own:
        return _unbroadcast(slopes, operands[k])
    adjoint = np.zeros(shape, slopes.dtype)
    np.einsum(own + '->' + letters, adjoint)[...] = slopes  # a view of the diagonal
    return adjoint


def _uneinsum_first(
    by: Numeric, subscripts: str, a: Numeric, b: Numeric = None, c: Numeric = None
) -> Numeric:
    """The adjoint of the first operand in np.einsum(subscripts, a, b, c)."""
    return _uneinsum(by, subscripts, 0, a, b, c)


def _uneinsum_second(
    by: Numeric, subscripts: str, a: Numeric, b: Numeric = None, c: Numeric = None
) -> Numeric:
    """The adjoint of the second operand in np.einsum(subscripts, a, b, c)."""
    return _uneinsum(by, subscripts, 1, a, b, c)


def _uneinsum_third(
    by: Numeric, subscripts: str, a: Numeric, b: Numeric = None, c: Numeric = None
) -> Numeric:
    """The adjoint of the third operand in np.einsum(subscripts, a, b, c)."""
    return _uneinsum(by, subscripts, 2, a, b, c)


def _kron_blocks(a: Numeric, b: Numeric) -> tuple[list[int], list[int], list[int]]:
    """The shapes of a and b with equal rank, and that of np.kron(a, b) with both side by side."""
    rank = max(np.ndim(a), np.ndim(b))
    left = [1] * (rank - np.ndim(a)) + list(np.shape(a))
    right = [1] * (rank - np.ndim(b)) + list(np.shape(b))
    return left, right, [n for pair in zip(left, right, strict=True) for n in pair]


def _kron_left_adjoint(by: Numeric, a: Numeric, b: Numeric) -> Numeric:
    """The adjoint of `a` in np.kron(a, b)."""
    left, right, both = _kron_blocks(a, b)
    factors = np.reshape(b, [n for m in right for n in (1, m)])
    blocks = np.reshape(by, both) * factors
    return np.reshape(np.sum(blocks, axis=tuple(range(1, 2 * len(left), 2))), np.shape(a))[()]


def _kron_right_adjoint(by: Numeric, a: Numeric, b: Numeric) -> Numeric:
    """The adjoint of `b` in np.kron(a, b)."""
    left, right, both = _kron_blocks(a, b)
    factors = np.reshape(a, [n for m in left for n in (m, 1)])
    blocks = np.reshape(by, both) * factors
    return np.reshape(np.sum(blocks, axis=tuple(range(0, 2 * len(right), 2))), np.shape(b))[()]


def _undiagonal(b: Numeric, a: Numeric, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Numeric:
    """The adjoint of `a` in np.diagonal(a, offset, axis1, axis2)."""
    result = np.zeros(np.shape(a), _floating(b).dtype)
    moved = np.moveaxis(result, (axis1, axis2), (-2, -1))
    size = np.diagonal(moved, offset, -2, -1).shape[-1]
    rows = np.arange(size) + max(0, -offset)
    moved[..., rows, rows + offset] = b if np.ndim(b) < moved.ndim - 1 else np.asarray(b)
    return result


def _undiag(b: Numeric, v: Numeric, k: int = 0) -> Numeric:
    """The adjoint of `v` in np.diag(v, k)."""
    return np.diagonal(b, k) if np.ndim(v) == 1 else _undiagonal(b, v, k)
