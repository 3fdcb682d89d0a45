"""Functions that call themselves: a forward and a backward half each.

Every gradient is checked against the oracle, which runs the function itself on dual numbers, and
the value against the function's own, bit for bit. The texts are those of src/emit/halves.h.
"""

from __future__ import annotations

import copy
import io
import sys
from contextlib import redirect_stdout
from typing import Any

import numpy as np
import oracle
import programs_recursion
import pytest
import tangent
from programs_recursion import (
    OTHERS,
    OVER_ARRAYS,
    OVER_INTEGERS,
    X,
    fibonacci,
    mutual,
    network,
    order_of_evaluation,
    power,
    takes_two,
    whole_arrays,
)


def check(f: Any, *args: Any, wrt: tuple[int, ...] = (0,)) -> Any:
    """The gradients, which have to be the oracle's; value and arguments are the function's."""
    given, expected = copy.deepcopy(args), copy.deepcopy(args)
    *got, value = tangent.grad(f, wrt=wrt, preserve_result=True)(*given)
    want = oracle.gradient(f, copy.deepcopy(args), wrt)
    assert oracle.error(tuple(got), want) <= 1e-10
    primal = f(*expected)
    np.testing.assert_array_equal(value, primal)
    for one, other in zip(given, expected, strict=True):
        if not isinstance(one, dict):
            np.testing.assert_array_equal(one, other)
    return got


def name_of(value: Any) -> str:
    return getattr(value, '__name__', '')


@pytest.mark.parametrize(('f', 'args', 'wrt'), OVER_INTEGERS, ids=name_of)
def test_over_integers(f: Any, args: Any, wrt: tuple[int, ...]) -> None:
    check(f, *args, wrt=wrt)


@pytest.mark.parametrize(('f', 'args', 'wrt'), OVER_ARRAYS, ids=name_of)
def test_over_arrays(f: Any, args: Any, wrt: tuple[int, ...]) -> None:
    check(f, *args, wrt=wrt)


@pytest.mark.parametrize(('f', 'args', 'wrt'), OTHERS, ids=name_of)
def test_others(f: Any, args: Any, wrt: tuple[int, ...]) -> None:
    check(f, *args, wrt=wrt)


# ------------------------------------------------------------------------------------------------
# Effects, exceptions, types


def printed(f: Any, *args: Any) -> str:
    out = io.StringIO()
    with redirect_stdout(out):
        f(*args)
    return out.getvalue()


@pytest.mark.parametrize('f', [order_of_evaluation], ids=lambda it: it.__name__)
def test_effects_happen_once_in_order(f: Any) -> None:
    assert printed(tangent.grad(f), 0.7, 3) == printed(f, 0.7, 3)
    with redirect_stdout(io.StringIO()):
        check(f, 0.7, 3)


def endless(x):
    return x * endless(x)


def endless_below_zero(x, n):
    return x if n == 0 else x * endless_below_zero(x, n - 1)


def raises_deep_down(x, n):
    if n == 0:
        return x[5] * x[0]
    return raises_deep_down(x * 0.5, n - 1) + x[0]


def raises_of_itself(x, n):
    if n == 0:
        raise ValueError('none left')
    return raises_of_itself(x, n - 1) * x


def test_endless_recursion_is_pythons_own_error() -> None:
    limit = sys.getrecursionlimit()
    try:
        sys.setrecursionlimit(300)
        with pytest.raises(RecursionError):
            tangent.grad(endless)(1.2)
        with pytest.raises(RecursionError):
            tangent.grad(endless_below_zero)(1.2, -1)
    finally:
        sys.setrecursionlimit(limit)
    check(endless_below_zero, 1.2, 100)


def test_exceptions_of_the_function() -> None:
    with pytest.raises(IndexError):
        tangent.grad(raises_deep_down)(X[:3], 2)
    with pytest.raises(ValueError, match='none left'):
        tangent.grad(raises_of_itself)(1.2, 2)


def test_integer_arrays_and_single_precision() -> None:
    check(network, np.array([1, 2, 3, 4]), 0.5, wrt=(0, 1))
    check(fibonacci, 2, 5)
    got = tangent.grad(network)(np.array([1, 2, 3, 4], dtype=np.float32), 0.5)
    assert got.dtype == np.float32


def test_an_integer_that_only_counts_has_no_derivative() -> None:
    with pytest.raises(tangent.errors.TangentError, match='only decides'):
        tangent.grad(power, wrt=(1,))(1.3, 3)


def test_a_helper_that_is_replaced() -> None:
    """The text is made for the functions that the names stand for."""
    df = tangent.grad(mutual)
    before = df(0.9)
    old = programs_recursion.odd
    try:
        programs_recursion.odd = lambda x, n: x * n
        after = df(0.9)
        assert after != before
        assert oracle.error((after,), oracle.gradient(mutual, (0.9,), (0,))) <= 1e-10
    finally:
        programs_recursion.odd = old
    assert df(0.9) == before


def test_results_share_no_memory() -> None:
    x = X[:4].copy()
    seed = np.ones(4)
    df = tangent.grad(whole_arrays)
    first = df(x, 0, seed)
    first[:] = 0.0
    assert np.all(seed == 1.0)
    one, other = tangent.grad(takes_two, wrt=(0, 1))(x, x, 2)
    assert not np.shares_memory(one, other)


# ------------------------------------------------------------------------------------------------
# Refusals


def writes_its_argument(x, n):
    if n == 0:
        return x[0] * x[1]
    x[0] = x[0] * x[1]
    return writes_its_argument(x, n - 1)


def fills(y, x, i):
    if i == len(y):
        return 0.0
    y[i] = x * i
    return fills(y, x, i + 1)


def uses_fills(x):
    y = np.zeros(3)
    fills(y, x, 0)
    return np.sum(y)


def of_a_tree(t):
    if isinstance(t, tuple):
        return of_a_tree(t[0]) * of_a_tree(t[1])
    return t


def calls_of_a_tree(x):
    return of_a_tree(((x, 2.0), (x * x, x)))


def of_a_list(xs):
    if not xs:
        return 0.0
    return xs[0] * xs[0] + of_a_list(xs[1:])


def calls_of_a_list(x):
    return of_a_list([x, x * x, 3.0])


def appends(xs, x, n):
    if n > 0:
        xs.append(x * n)
        appends(xs, x, n - 1)
    return x


def calls_appends(x):
    xs = []
    appends(xs, x, 3)
    return sum(xs)


def collects_keywords(x, **options):
    return x if not options else collects_keywords(x * x)


def maybe_unbound(x, n):
    if n > 0:
        y = x * maybe_unbound(x, n - 1)
    return y if n > 0 else x


def tuples_of_two_lengths(x, n):
    if n == 0:
        return x, x
    return tuples_of_two_lengths(x, n - 1)[0], x, x


def calls_tuples(x):
    return tuples_of_two_lengths(x, 2)[0]


REFUSED = [
    (writes_its_argument, (X[:2], 2), 'writes into it'),
    (uses_fills, (1.3,), 'writes into it'),
    (calls_of_a_tree, (1.2,), 'no number or array everywhere'),
    (calls_of_a_list, (1.2,), 'no number or array everywhere'),
    (calls_appends, (1.2,), None),
    (collects_keywords, (1.2,), None),
    (maybe_unbound, (1.2, 2), 'may be read before it is assigned'),
    (calls_tuples, (1.2,), None),
]


@pytest.mark.parametrize(('f', 'args', 'words'), REFUSED, ids=name_of)
def test_refused(f: Any, args: Any, words: str | None) -> None:
    with pytest.raises(tangent.errors.TangentError, match=words) as caught:
        tangent.grad(f)(*copy.deepcopy(args))
    assert __file__ in str(caught.value)


# ------------------------------------------------------------------------------------------------
# Texts


POWER = '''
def dpowerdx(x, n, by=1.0):
    y, y_tape = _power_forward(x, n)

    # Grad of: y = power(x, n)
    return _power_backward(y_tape, by)


def _power_forward(x, n):
    if n == 0:
        return 1.0, None
    power_value, power_tape = _power_forward(x, n - 1)
    return x * power_value, (x, power_value, power_tape)


def _power_backward(tape, by):
    if tape is None:
        return 0.0
    x, power_value, power_tape = tape
    # Grad of: power_value = power(x, n - 1)
    return by * power_value + _power_backward(power_tape, by * x)
'''

NETWORK = '''
def dnetworkdresistorscontact(resistors, contact, by=1.0):
    y, y_tape = _network_forward(resistors, contact)

    bresistors = np.zeros_like(resistors)
    # Grad of: y = network(resistors, contact)
    bcontact = _network_backward(y_tape, by, bresistors)
    return bresistors, bcontact


def _network_forward(resistors, contact):
    if len(resistors) == 1:
        return resistors[0], None
    middle = len(resistors) // 2
    left, left_tape = _network_forward(resistors[:middle], contact)
    right, right_tape = _network_forward(resistors[middle:], contact)
    return left * right / (left + right) + contact, (middle, left, left_tape, right, right_tape)


def _network_backward(tape, by, bresistors):
    if tape is None:
        # Grad of: return resistors[0]
        bresistors[0] += by
        return 0.0
    middle, left, left_tape, right, right_tape = tape
    # Grad of: return left * right / (left + right) + contact
    bproduct = by / (left + right)
    btotal = -bproduct * (left * right / (left + right))
    # Grad of: right = network(resistors[middle:], contact)
    bcontact = by + _network_backward(right_tape, bproduct * left + btotal, bresistors[middle:])
    # Grad of: left = network(resistors[:middle], contact)
    bcontact += _network_backward(left_tape, bproduct * right + btotal, bresistors[:middle])
    return bcontact
'''


def test_texts() -> None:
    assert tangent.grad(power).source(1.3, 4).strip() == POWER.strip()
    network_text = tangent.grad(network, wrt=(0, 1)).source(np.ones(3), 0.1)
    assert network_text.strip() == NETWORK.strip()
