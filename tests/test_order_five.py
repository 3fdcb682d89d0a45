"""Gradients of gradients to order 5, against power series: polynomials, loops, branches, lists and
calls, with every optimisation on and off."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
import series
import tangent
from option_choices import ALL_OFF, ALL_ON, KEYS, NAIVE, name_of
from test_higher_order import branch, calls, elementwise, left_early, lists, loop, power, until


def horner(x):
    value = 0.0
    for c in (0.3, -1.0, 0.25, 2.0, -0.5, 1.5, 0.125):
        value = value * x + c
    return value


def quotient(x):
    return (1.0 + x * x) / (2.0 - x) ** 2


def nested(x, n):
    s = x
    for i in range(n):
        for _ in range(i):
            s = s * x - 0.1 * s * s
    return s


def two_ways(x):
    y = x
    for i in range(4):
        if y > 1.0:
            y = y * 0.5 * x
        elif i % 2 == 0:
            y = y * y + x
        else:
            y = np.sin(y) * 2.0
    return y * y


def settled(x, tolerance):
    guess = 1.0
    while abs_of(guess * guess - x) > tolerance:
        guess = 0.5 * (guess + x / guess)
    return guess


def abs_of(z):
    return z if z > 0 else -z


def history(x):
    past = [x, x * x]
    for _ in range(3):
        past.append(past[-1] * past[-2] + 0.1 * x)
    return past[-1] + past.pop() * past[0]


def scale(a, b=2.0):
    return np.exp(-a * b) * a


def through_calls(x):
    return scale(x) * scale(x * x, b=0.5) + np.tanh(scale(x))


def of_an_array(v):
    return np.sum(np.sin(v) * v * v)


PROGRAMS: list[tuple[Any, tuple[Any, ...]]] = [
    (power, (1.2,)),
    (horner, (0.8,)),
    (quotient, (0.4,)),
    (loop, (0.7, 3)),
    (nested, (0.9, 3)),
    (until, (1.6,)),
    (settled, (2.5, 1e-3)),
    (branch, (1.5,)),
    (two_ways, (0.7,)),
    (left_early, (0.7, 4)),
    (lists, (1.1,)),
    (history, (0.8,)),
    (calls, (0.5,)),
    (through_calls, (0.6,)),
    (elementwise, (np.array([0.3, 0.5, 0.7]),)),
    (of_an_array, (np.array([0.3, -0.5, 0.7]),)),
]
ON_OR_OFF = [
    {},
    NAIVE,
    ALL_ON,
    ALL_OFF,
    *({'optimizations': {key: on}} for key in KEYS for on in (True, False)),
]


def nth(f: Any, order: int, **choice: Any) -> Any:
    made = f
    for _ in range(order):
        made = tangent.grad(made, **choice)
    return made


@pytest.mark.parametrize(('f', 'args'), PROGRAMS, ids=lambda part: getattr(part, '__name__', ''))
def test_orders_one_to_five(f: Any, args: tuple[Any, ...]) -> None:
    for order in range(1, 6):
        want = series.derivative(f, copy.deepcopy(args), order)
        got = np.sum(nth(f, order)(*copy.deepcopy(args)))
        np.testing.assert_allclose(got, want, rtol=1e-10, atol=1e-10, err_msg=f'order {order}')


@pytest.mark.parametrize('number', range(1, len(ON_OR_OFF)), ids=lambda k: name_of(ON_OR_OFF[k]))
def test_order_five_with_each_optimisation(number: int) -> None:
    """Each on a fifth of the programs: each program with three of them."""
    choice = ON_OR_OFF[number]
    for f, args in PROGRAMS[number % 5 :: 5]:
        want = series.derivative(f, copy.deepcopy(args), 5)
        got = np.sum(nth(f, 5, **choice)(*copy.deepcopy(args)))
        np.testing.assert_allclose(got, want, rtol=1e-10, atol=1e-10, err_msg=f.__name__)


def test_a_series_is_what_calculus_says() -> None:
    """The oracle of this file, on what is known."""
    for order in range(1, 6):
        assert series.derivative(lambda x: x**6, (1.5,), order) == pytest.approx(
            np.prod(range(7 - order, 7)) * 1.5 ** (6 - order)
        )
    for order, want in ((1, np.cos(0.3)), (2, -np.sin(0.3)), (5, np.cos(0.3))):
        assert series.derivative(np.sin, (0.3,), order) == pytest.approx(want)
    assert series.derivative(np.exp, (0.3,), 5) == pytest.approx(np.exp(0.3))
    assert series.derivative(np.log, (2.0,), 4) == pytest.approx(-6 / 2.0**4)
    assert series.derivative(np.sqrt, (4.0,), 2) == pytest.approx(-0.25 * 4.0**-1.5)
    assert series.derivative(lambda x: 1 / x, (2.0,), 3) == pytest.approx(-6 / 2.0**4)
    assert series.derivative(np.tanh, (0.3,), 1) == pytest.approx(1 - np.tanh(0.3) ** 2)
