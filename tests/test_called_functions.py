"""Functions as people call them, both modes against the oracle (tests/called_programs.py), and
that a gradient notices what it depends on: entries that are bound anew, lengths, keys."""

from __future__ import annotations

import copy
import functools
import math
import types
from typing import Any

import called_programs
import numpy as np
import oracle
import pytest
import tangent
from called_programs import CASES
from tangent.errors import TangentError

IDS = [getattr(c[0], '__name__', 'partial') for c in CASES]
# What forward mode does not take yet.
REVERSE_ONLY: set[str] = set()


def copied(args: Any) -> Any:
    return tuple(
        each if isinstance(each, (types.ModuleType, list, dict)) and holds_functions(each)
        else copy.deepcopy(each)
        for each in args
    )


def holds_functions(value: Any) -> bool:
    if isinstance(value, dict):
        return any(callable(each) for each in value.values())
    return isinstance(value, types.ModuleType) or any(callable(each) for each in value)


@pytest.mark.parametrize(('function', 'twin', 'args', 'wrt'), CASES, ids=IDS)
def test_reverse(function, twin, args, wrt):
    want = oracle.gradient(twin, copied(args), wrt)
    *gradients, value = tangent.grad(function, wrt=wrt, preserve_result=True)(*copied(args))
    assert oracle.error(tuple(gradients), want) <= 1e-10
    assert oracle.same(value, function(*copied(args)))


@pytest.mark.parametrize(('function', 'twin', 'args', 'wrt'), CASES, ids=IDS)
def test_forward(function, twin, args, wrt):
    if getattr(function, '__name__', '') in REVERSE_ONLY:
        return
    want = oracle.differentiate(twin, copied(args), wrt)
    size = want.jacobian.shape[1]
    move = np.array([math.sin(1.0 + 2.3 * k) for k in range(size)])
    tangents = list(oracle.as_gradients(move, args, wrt))
    got = tangent.jvp(function, wrt=wrt)(*copied(args), *tangents)
    numbers = np.concatenate([np.ravel(part) for part in oracle.leaves(got)])
    assert oracle.error(numbers, want.jacobian @ move) <= 1e-10


def test_an_entry_that_is_bound_anew(monkeypatch):
    """What a table holds is asked at each call."""
    gradient = tangent.grad(called_programs.table_by_name)
    assert gradient(0.5, 'square') == pytest.approx(3.0 * 0.25, abs=1e-14)
    monkeypatch.setitem(called_programs.ACTIVATIONS, 'square', np.exp)
    assert gradient(0.5, 'square') == pytest.approx(1.5 * math.exp(0.5), abs=1e-14)
    monkeypatch.setitem(called_programs.ACTIVATIONS, 'new', np.sin)
    assert gradient(0.5, 'new') == pytest.approx(math.sin(0.5) + 0.5 * math.cos(0.5), abs=1e-14)


def test_a_list_that_grows(monkeypatch):
    gradient = tangent.grad(called_programs.steps_in_order)
    assert gradient(0.5) == pytest.approx(math.cos(0.25), abs=1e-14)
    monkeypatch.setattr(called_programs, 'STEPS', [np.sin])
    assert gradient(0.5) == pytest.approx(math.cos(0.5), abs=1e-14)
    called_programs.STEPS.append(np.exp)
    want = math.cos(0.5) * math.exp(math.sin(0.5))
    assert gradient(0.5) == pytest.approx(want, abs=1e-14)


def test_a_missing_key_is_the_functions_own_error():
    with pytest.raises(KeyError):
        tangent.grad(called_programs.table_by_name)(0.5, 'missing')


@pytest.mark.parametrize('kind', [list, tuple, np.array])
def test_lengths_are_asked_at_each_call(kind):
    gradient = tangent.grad(called_programs.spread_list)
    for values in ([0.7, 1.3], [0.7, 1.3, 0.4], [0.7], [0.7, 1.3]):
        a, b, c = (*values, *(1.0, 2.0, 3.0)[len(values) :])
        want = [b + c, a, a][: len(values)]
        assert np.allclose(gradient(kind(values)), want, rtol=0, atol=1e-14)


def test_too_many_are_refused():
    with pytest.raises(TangentError, match='fewer positional'):
        tangent.grad(called_programs.spread_list)([1.0, 2.0, 3.0, 4.0])


def test_keys_are_asked_at_each_call():
    gradient = tangent.grad(called_programs.spread_keywords)
    assert gradient({'a': 0.7}) == {'a': pytest.approx(5.0)}
    got = gradient({'a': 0.7, 'b': 1.3})
    assert got == {'a': pytest.approx(4.3), 'b': pytest.approx(0.7)}
    with pytest.raises(TangentError, match='no parameter'):
        gradient({'a': 0.7, 'z': 1.0})


FACTOR = 2.0


def scaled_cube(x):
    return FACTOR * x**3


def uses_gradient(x):
    return tangent.grad(scaled_cube)(x) * x


def test_what_an_inner_gradient_reads(monkeypatch):
    """A global of the function whose gradient is taken inside."""
    gradient = tangent.grad(uses_gradient)
    assert gradient(0.5) == pytest.approx(9.0 * 2.0 * 0.25, abs=1e-13)
    monkeypatch.setitem(globals(), 'FACTOR', 3.0)
    assert gradient(0.5) == pytest.approx(9.0 * 3.0 * 0.25, abs=1e-13)


def test_inner_gradients_of_numbers_and_arrays():
    """Which function an inner gradient has depends on the types of the call."""

    def g(y):
        return np.sum(y**3)

    def f(x):
        return np.sum(tangent.grad(g)(x))

    gradient = tangent.grad(f)
    for x in (0.5, np.array([0.5, 0.25]), 0.5, np.array([[0.5], [0.1]])):
        assert np.allclose(gradient(x), 6.0 * np.asarray(x), rtol=0, atol=1e-14)


def test_higher_orders_of_inner_gradients():
    gradient = tangent.grad(tangent.grad(called_programs.gradient_called))
    assert gradient(0.5) == pytest.approx(6.0, abs=1e-13)


def test_decorated_functions_keep_one_gradient():
    function = called_programs.wrapped_likelihood
    assert tangent.grad(function) is tangent.grad(function)
    assert tangent.grad(function, wrt='theta')(np.array([1.0]), np.array([3.0])) == -3.0
    scaled = functools.partial(called_programs.product, 2.0)
    assert tangent.grad(scaled)(3.0) == pytest.approx(12.0)
    assert tangent.grad(scaled, wrt='c')(3.0) == pytest.approx(18.0)


def looks_at_arguments(function):
    @functools.wraps(function)
    def inner(*args, **kwargs):
        return function(*args, **kwargs) * len(args)

    return inner


@looks_at_arguments
def counted(x, y=2.0):
    return x * y


def test_a_wrapper_that_looks_at_its_arguments():
    with pytest.raises(TangentError):
        tangent.grad(counted)(1.0)


def returning(values):
    for value in values:
        if value < 0.0:
            return
        yield value


def test_generators_that_are_refused():
    def through_zip(x):
        return sum(a * b for a, b in zip(called_programs.powers(x, 2), [1.0, 2.0], strict=True))

    def kept(x):
        values = called_programs.powers(x, 2)
        return sum(values)

    def returns(x):
        total = 0.0
        for value in returning([x]):
            total = total + value
        return total

    for function in (through_zip, kept, returns):
        with pytest.raises(TangentError) as caught:
            tangent.grad(function)(0.5)
        assert 'test_called_functions.py' in str(caught.value)
