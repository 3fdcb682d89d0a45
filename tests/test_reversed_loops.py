"""`for v in reversed(xs)` over arrays and lists through which a derivative flows."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import oracle
import pytest
import tangent
from option_choices import ALL_ON, NAIVE


def horner(c, x):
    value = 0.0
    for a in reversed(c):
        value = value * x + a
    return value


def rows(m, x):
    s = np.ones(2) * x
    for row in reversed(m):
        s = np.sin(s) * row + s
    return np.sum(s * s)


def of_an_expression(v, x):
    s = x
    for a in reversed(v * x):
        s = np.sin(s * a) + a
    return s


def of_a_list(v, x):
    past = [x, v[0] * x]
    for a in v:
        past.append(past[-1] * np.cos(past[-2]) + a)
    s = 0.0
    for p in reversed(past):
        s = s * p + x
    return s


def item_changed(v, x):
    s = x
    for a in reversed(v):
        a = a * x
        s = s * a + np.sin(a)
    return s


def nested(m, x):
    s = x
    for row in reversed(m):
        for a in reversed(row):
            s = np.sin(s) * a + a * x
    return s


V = np.array([0.3, -0.7, 1.1, 0.4])
M = np.array([[0.3, -0.7], [1.1, 0.4], [0.2, 0.9]])
CASES: list[tuple[Any, tuple[Any, ...]]] = [
    (horner, (V, 0.7)),
    (horner, ([0.3, -0.7, 1.1], 0.7)),
    (rows, (M, 0.6)),
    (of_an_expression, (V, 0.7)),
    (of_a_list, (V, 0.7)),
    (item_changed, (V, 0.7)),
    (nested, (M, 0.7)),
]


@pytest.mark.parametrize('choice', [{}, NAIVE, ALL_ON], ids=str)
@pytest.mark.parametrize(('f', 'args'), CASES, ids=lambda part: getattr(part, '__name__', ''))
def test_gradients(f: Any, args: tuple[Any, ...], choice: dict[str, Any]) -> None:
    want = oracle.gradient(f, copy.deepcopy(args), (0, 1))
    got = tangent.grad(f, wrt=(0, 1), **choice)(*copy.deepcopy(args))
    assert oracle.error(got, want) <= 1e-10


def test_text() -> None:
    """Backwards twice is forwards."""
    text = tangent.grad(horner, wrt=(0, 1)).source(V, 0.7)
    assert 'in range(len(c))' in text
    assert 'list(' not in text
