"""Whole programs in both modes: value, gradient, product with the Jacobian, and what they leave in
their arguments, at a first and at a second call."""

from __future__ import annotations

from typing import Any

import numpy as np
import oracle
import pytest
import tangent
from whole_programs import CASES, IN_REVERSE_ONLY


def name_of(value: Any) -> str:
    return getattr(value, '__name__', '')


@pytest.mark.parametrize(('f', 'arguments', 'wrt'), CASES, ids=name_of)
def test_gradient(f: Any, arguments: Any, wrt: tuple[int, ...]) -> None:
    want = oracle.gradient(f, arguments(), wrt)
    # Something flows: a gradient of zeros would prove nothing.
    assert np.any(oracle.differentiate(f, arguments(), wrt).jacobian)
    left = arguments()
    value = f(*left)
    gradient = tangent.grad(f, wrt=wrt, preserve_result=True)
    for _ in range(2):
        given = arguments()
        *got, primal = gradient(*given)
        assert oracle.error(got, list(want)) <= 1e-10
        np.testing.assert_array_equal(primal, value)
        assert oracle.error(given, left) == 0.0


@pytest.mark.parametrize(
    ('f', 'arguments', 'wrt'),
    [one for one in CASES if one[0].__name__ not in IN_REVERSE_ONLY],
    ids=name_of,
)
def test_product_with_the_jacobian(f: Any, arguments: Any, wrt: tuple[int, ...]) -> None:
    jacobian = oracle.differentiate(f, arguments(), wrt).jacobian
    direction = np.random.default_rng(7).standard_normal(jacobian.shape[1])
    left = arguments()
    f(*left)
    product = tangent.jvp(f, wrt=wrt)
    for _ in range(2):
        given = arguments()
        tangents = oracle.as_gradients(direction, arguments(), wrt)
        got = product(*given, *tangents)
        assert oracle.error(np.atleast_1d(got), jacobian @ direction) <= 1e-10
        assert oracle.error(given, left) == 0.0
