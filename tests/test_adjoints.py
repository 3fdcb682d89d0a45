"""Adjoints of whole functions: the right value (by the oracle), and what the text must look like.

Each case is a kind of program that was once wrong or slower than by hand.
"""
# ruff: noqa: B905

import math

import numpy as np
import oracle
import pytest
import tangent


def two_loops_add_to_one_total(x, v, n):
    total = 0.0
    for _ in v[1:]:
        total += math.pi
    for step in range(v.shape[0]):
        total += v[step]
    return total * x


def quotient_of_two(a, x):
    x = 0.5 * (x + a / x)
    return x * x


def masked_root(x, weights):
    root = np.where(x > 0, np.sqrt(np.abs(x)), 0.0)
    return np.sum(weights * root)


def zip_of_a_range(x, v, n):
    total = 0.0
    for w, k in zip(v, range(n)):
        total += w * k * x
    for k, w in zip(range(1, 9, 3), v):
        n = n - 1
        total = total * w + k
        if total > 100.0:
            break
    return total


def sums_of_displays(x, u, v):
    pieces = np.sum([u, 2.0 * v], axis=0) * np.sum([x, x * u[0]])
    return np.sum(pieces * np.mean([u, v], axis=0, keepdims=True)) + np.mean([x, v[1], 1.0])


CASES = [
    (two_loops_add_to_one_total, (0.5, np.array([1.0, -2.0, 3.0]), 2), (0, 1)),
    (quotient_of_two, (7.0, 2.0), (0, 1)),
    (zip_of_a_range, (0.5, np.array([1.0, -2.0, 3.0]), 3), (0, 1)),
    (zip_of_a_range, (0.5, np.array([1.0, -2.0, 3.0]), 2), (0, 1)),
    (zip_of_a_range, (50.0, np.array([4.0, 6.0, 3.0]), 5), (0, 1)),
    (sums_of_displays, (0.5, np.array([1.0, -2.0]), np.array([0.3, 1.5])), (0, 1, 2)),
    (masked_root, (np.array([2.5, -1.0, 0.3]), np.array([1.0, 2.0, 3.0])), (0, 1)),
]


@pytest.mark.parametrize(('f', 'args', 'wrt'), CASES, ids=[case[0].__name__ for case in CASES])
def test_value(f, args, wrt):
    got = tangent.grad(f, wrt=wrt)(*args)
    want = oracle.gradient(f, args, wrt)
    for one, other in zip(got, want, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-12)


def test_the_adjoint_of_a_numerator_is_computed_once():
    text = tangent.grad(quotient_of_two, wrt=(0, 1)).source(7.0, 2.0)
    assert 'ba = 0.5 * bx / x\n' in text
    assert 'bx - ba * (a / x)' in text


def test_a_shape_error_of_a_dropped_statement_is_still_raised():
    df = tangent.grad(masked_root, wrt=(0, 1))
    x = np.ones(3)
    assert 'np.sum(' not in df.source(x, x)
    with pytest.raises(ValueError, match='could not be broadcast'):
        df(x, np.ones(2))
