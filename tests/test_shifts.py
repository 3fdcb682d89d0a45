"""The largest element in a sum of exponentials: its own derivative cancels, or it does not.

Values are the oracle's in both modes; where it cancels, the text has no ties.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import oracle
import pytest
import tangent


def log_sum_exp(x):
    m = np.max(x)
    return m + np.log(np.sum(np.exp(x - m)))


def in_one_line(x):
    return np.max(x) + np.log(np.sum(np.exp(x - np.max(x))))


def softmax(x):
    e = np.exp(x - x.max())
    return np.sum((e / e.sum()) * x)


def softmax_in_place(x):
    e = np.exp(x - np.max(x))
    e /= np.sum(e)
    return np.sum(e * e)


def cross_entropy(x):
    z = x - np.max(x, axis=1, keepdims=True)
    p = np.exp(z) / np.sum(np.exp(z), axis=1, keepdims=True)
    return -np.mean(np.log(p[:, 0]) * p[:, 1])


def by_columns(x):
    top = np.max(x, axis=0)
    return np.sum(top + np.log(np.sum(np.exp(x - top), axis=0)))


def by_rows_without_keepdims(x):
    top = x.max(axis=1)
    weights = np.exp(x - top[:, None])
    return np.sum((top + np.log(weights.sum(axis=1))) ** 2)


def with_a_temperature(x, t):
    m = np.min(x)
    return m - t * np.log(np.sum(np.exp((m - x) / t)))


def of_two(x):
    a = x[0] * x[1]
    b = x[2]
    m = max(a, b)
    return m + math.log(math.exp(a - m) + math.exp(b - m))


def in_a_loop(x):
    alpha = x[0]
    for row in x[1:]:
        scores = alpha[:, None] + np.outer(row, row)
        top = np.max(scores, axis=0)
        alpha = top + np.log(np.sum(np.exp(scores - top), axis=0)) + row
    return np.log(np.sum(np.exp(alpha)))


CANCELS = [log_sum_exp, in_one_line, softmax, softmax_in_place, of_two]
CANCELS_IN_TABLES = [cross_entropy, by_columns, by_rows_without_keepdims, in_a_loop]


def returned(x):
    m = np.max(x)
    return m * np.log(np.sum(np.exp(x - m)))


def twice_the_shift(x):
    m = np.max(x)
    return 2.0 * m + np.log(np.sum(np.exp(x - m)))


def not_normalised(x):
    e = np.exp(x - np.max(x))
    return np.sum(e * e) / np.sum(e)


def read_later(x):
    m = np.max(x)
    y = m + np.log(np.sum(np.exp(x - m)))
    if y > 0.0:
        y = y * m
    return y


def of_an_earlier_step(x):
    m = 0.0
    total = 0.0
    for k in range(3):
        total = total + m * m
        m = np.max(x) * (k + 1.0)
        total = total + m + np.log(np.sum(np.exp(x - m)))
    return total


def bound_anew(x):
    m = np.max(x)
    y = x * x
    z = np.exp(y - m)
    m = np.max(y)
    return m + np.log(np.sum(z))


def along_the_other_axis(x):
    top = np.max(x, axis=0)
    return np.sum(np.log(np.sum(np.exp(x - top), axis=1))) + np.sum(top)


def a_square_that_would_fit(x):
    top = np.max(x, axis=1)
    return np.sum(top + np.log(np.sum(np.exp(x - top), axis=0)))


STAYS = [returned, twice_the_shift, not_normalised, read_later, of_an_earlier_step, bound_anew]
STAYS_IN_TABLES = [along_the_other_axis, a_square_that_would_fit]

VECTOR = np.array([0.3, 1.9, -0.5, 0.7])
TABLE = np.array([[0.3, 1.9, -0.5], [0.7, -0.2, 0.1], [1.4, 0.6, 0.9]])


def check(function: Any, *args: Any) -> None:
    wrt = tuple(range(len(args)))
    want = oracle.gradient(function, args, wrt)
    got = tangent.grad(function, wrt=wrt)(*args)
    got = got if len(wrt) > 1 else (got,)
    assert oracle.error(got, want) <= 1e-10
    direction = [0.3 + 0.2 * np.arange(np.size(a)).reshape(np.shape(a)) for a in args]
    along = tangent.jvp(function, wrt=wrt)(*args, *direction)
    expected = sum(np.sum(w * d) for w, d in zip(want, direction, strict=True))
    assert abs(along - expected) <= 1e-10 * max(1.0, abs(expected))


@pytest.mark.parametrize('function', CANCELS)
def test_it_cancels(function: Any) -> None:
    check(function, VECTOR)
    text = tangent.grad(function).source(VECTOR)
    assert '_ties' not in text and 'count_nonzero' not in text and '==' not in text, text


@pytest.mark.parametrize('function', CANCELS_IN_TABLES)
def test_it_cancels_along_an_axis(function: Any) -> None:
    check(function, TABLE)
    text = tangent.grad(function).source(TABLE)
    assert '_ties' not in text and '==' not in text, text


def test_it_cancels_at_any_temperature() -> None:
    check(with_a_temperature, VECTOR, 0.7)
    assert '==' not in tangent.grad(with_a_temperature).source(VECTOR, 0.7)


@pytest.mark.parametrize('function', STAYS)
def test_it_does_not_cancel(function: Any) -> None:
    check(function, VECTOR)


@pytest.mark.parametrize('function', STAYS_IN_TABLES)
def test_it_does_not_cancel_along_another_axis(function: Any) -> None:
    check(function, TABLE)


@pytest.mark.parametrize('function', [log_sum_exp, softmax])
def test_the_second_order(function: Any) -> None:
    seed = np.array([1.0, -0.5, 0.2, 2.0])
    df = tangent.grad(function)
    got = tangent.grad(df)(VECTOR, 1.0, seed)
    step = 1e-6
    want = [
        (df(VECTOR + step * unit) - df(VECTOR - step * unit)) @ seed / (2.0 * step)
        for unit in np.eye(4)
    ]
    np.testing.assert_allclose(got, want, atol=1e-7)
