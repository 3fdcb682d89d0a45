"""What a mask leaves out has slope zero, whatever is infinite or undefined there: when the adjoint
under it got a name, when two masks meet, and in the naive adjoint."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tangent

X = np.array([1.0, 4.0, 0.0, -1.0])
POSITIVE = X > 0
SAFE = np.where(POSITIVE, X, 1.0)


def two_masks(x):
    r = np.sqrt(x)
    y = np.where(x > 0, r, 0.0)
    z = np.where(x > 0, 2 * r, 1.0)
    return np.sum(y * z)


def squared_logarithm(x):
    r = np.where(x > 0, np.log(x), 0.0)
    return np.sum(r * r)


def root_in_a_loop(x):
    r = np.where(x > 0, np.sqrt(x), 0.0)
    for _ in range(3):
        r = r * 1.1
    return np.sum(r)


def masked_quotient(x):
    s = 1.0 / x
    t = np.where(x > 0, s, 1.0)
    u = t * s
    v = np.where(x > 0, u, 0.0)
    return np.sum(v)


def root_of_root(x):
    y = np.where(x > 0, np.sqrt(np.sqrt(x)), 0.0)
    return np.sum(y)


def stored_by_mask(x):
    y = np.zeros_like(x)
    m = x > 0
    y[m] = np.sqrt(x[m])
    return np.sum(y * y * y)


def chosen_in_a_branch(x):
    r = np.sqrt(x)
    if x[0] > 0.5:
        y = np.where(x > 0, r, 0.0)
        y = y * 1.0
    else:
        y = r * 0.5
    return np.sum(y * y * y)


# The function and, where x is positive, its first and second derivative; elsewhere both are zero.
CASES: list[tuple[Callable[..., Any], Any, Any]] = [
    (two_masks, 2.0 + 0.0 * SAFE, 0.0 * SAFE),
    (squared_logarithm, 2 * np.log(SAFE) / SAFE, 2 * (1 - np.log(SAFE)) / SAFE**2),
    (root_in_a_loop, 1.1**3 * 0.5 * SAFE**-0.5, -(1.1**3) * 0.25 * SAFE**-1.5),
    (masked_quotient, -2 * SAFE**-3, 6 * SAFE**-4),
    (root_of_root, 0.25 * SAFE**-0.75, -0.1875 * SAFE**-1.75),
    (stored_by_mask, 1.5 * SAFE**0.5, 0.75 * SAFE**-0.5),
    (chosen_in_a_branch, 1.5 * SAFE**0.5, 0.75 * SAFE**-0.5),
]


@pytest.mark.parametrize('optimized', [True, False])
@pytest.mark.parametrize('f, first, second', CASES, ids=lambda each: getattr(each, '__name__', ''))
def test_what_is_left_out_has_slope_zero(f, first, second, optimized):
    with np.errstate(all='ignore'):
        slope = tangent.grad(f, optimized=optimized)
        np.testing.assert_allclose(slope(X), np.where(POSITIVE, first, 0.0), rtol=1e-12)

        if f is masked_quotient and not optimized:
            return  # the naive adjoint multiplies by 1.0 / 0.0 there (docs/notes.md)
        curvature = tangent.grad(tangent.grad(f, optimized=optimized), optimized=optimized)
        ones = np.ones_like(X)
        found = curvature(X, 1.0, ones)
        np.testing.assert_allclose(found, np.where(POSITIVE, second, 0.0), rtol=1e-12, atol=1e-12)
