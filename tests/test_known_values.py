"""Functions as values, rows, second names, keys that loops choose: both modes against the oracle.

What is in `REFUSED` is refused with a message; all else gives the oracle's derivative, or raises
what the function itself raises (src/lower/known_values.cpp, rows.cpp, key_loops.cpp, desugar.cpp).
"""

from __future__ import annotations

import copy
import math
import types
from typing import Any

import function_programs
import numpy as np
import oracle
import pytest
import row_programs
import tangent
import unrolled_programs
from tangent.errors import TangentError

CASES = function_programs.CASES + row_programs.CASES + unrolled_programs.CASES
REFUSED = {
    'after_loop',
    'alias_list',
    'alias_written',
    'and_function',
    'append_function',
    'changes_in_loop',
    'changes_then_break',
    'changes_then_continue',
    'err_raise',
    'farg_rebound',
    'loop_break',
    'maker_used_next_round',
    'mixed_arms',
    'plus_list',
    'recursive_with_partial',
    'rows_append',
    'rows_store',
    'sgd',
    'store_function',
    'store_function_dict',
}
# In forward mode functions that call themselves are refused.
REFUSED_FORWARD = {'recursive_with_function'}
# These are refused in reverse mode only.
REVERSE_ONLY = {
    'alias_branch',
    'alias_rebound',
    'star_loop',
    'written_in_place',
}


@pytest.fixture(autouse=True)
def forgotten():
    """The functions live as long as the process: what was made for them does not."""
    yield
    for function, _, _ in CASES:
        function.__dict__.clear()


def copied(args: Any) -> Any:
    return tuple(
        each if isinstance(each, types.ModuleType) else copy.deepcopy(each) for each in args
    )


def expected(function: Any, args: Any, wrt: tuple[int, ...]) -> Any:
    try:
        return oracle.differentiate(function, copied(args), wrt)
    except oracle.NotInOracle:
        raise
    except Exception as error:
        return error


@pytest.mark.parametrize(('function', 'args', 'wrt'), CASES, ids=[c[0].__name__ for c in CASES])
def test_reverse(function, args, wrt):
    if function.__name__ in REFUSED | REVERSE_ONLY:
        with pytest.raises((TangentError, NotImplementedError)):
            tangent.grad(function, wrt=wrt)(*copied(args))
        return
    want = expected(function, args, wrt)
    given, after = copied(args), copied(args)
    if isinstance(want, Exception):
        with pytest.raises(type(want)):
            tangent.grad(function, wrt=wrt)(*given)
        return
    got = tangent.grad(function, wrt=wrt, preserve_result=True)(*given)
    *gradients, value = got
    want_gradients = oracle.gradient(function, copied(args), wrt)
    assert oracle.error(tuple(gradients), want_gradients) <= 1e-10
    assert oracle.same(value, function(*after))


@pytest.mark.parametrize(('function', 'args', 'wrt'), CASES, ids=[c[0].__name__ for c in CASES])
def test_forward(function, args, wrt):
    if function.__name__ in REFUSED | REFUSED_FORWARD:
        with pytest.raises((TangentError, NotImplementedError)):
            make_moves(function, args, wrt, None)
        return
    if function.__name__ in REVERSE_ONLY:
        return
    want = expected(function, args, wrt)
    if isinstance(want, Exception):
        return
    size = want.jacobian.shape[1]
    move = np.array([math.sin(1.0 + 2.3 * k) for k in range(size)])
    got = make_moves(function, args, wrt, move)
    numbers = np.concatenate([np.ravel(part) for part in oracle.leaves(got)])
    assert oracle.error(numbers, want.jacobian @ move) <= 1e-10


def make_moves(function: Any, args: Any, wrt: tuple[int, ...], move: Any) -> Any:
    given = copied(args)
    if move is None:
        tangents = [copy.deepcopy(args[k]) for k in wrt]
    else:
        tangents = list(oracle.as_gradients(move, args, wrt))
    return tangent.jvp(function, wrt=wrt)(*given, *tangents)


ACT = np.sin


def calls_global(x, flag):
    act = ACT if flag else np.tanh
    return act(x) * x


def test_a_name_that_gets_another_function(monkeypatch):
    """What a name stands for is asked at each call."""
    gradient = tangent.grad(calls_global)
    assert gradient(0.5, True) == pytest.approx(math.sin(0.5) + 0.5 * math.cos(0.5), abs=1e-14)
    monkeypatch.setitem(globals(), 'ACT', np.exp)
    assert gradient(0.5, True) == pytest.approx(1.5 * math.exp(0.5), abs=1e-14)


def apply_to(function, x):
    return function(x) * x


def test_a_function_argument_that_changes():
    gradient = tangent.grad(apply_to, wrt=1)
    for function, slope in ((np.sin, math.cos), (np.exp, math.exp), (np.sin, math.cos)):
        want = function(0.5) + 0.5 * slope(0.5)
        assert gradient(function, 0.5) == pytest.approx(want, abs=1e-14)


def imported(x):
    import math as m
    from math import sin

    import scipy.special

    return m.exp(x) * sin(x) + scipy.special.gammaln(x + 1.0)


def test_imports_inside():
    import scipy.special

    want = math.exp(0.5) * (math.sin(0.5) + math.cos(0.5)) + scipy.special.digamma(1.5)
    assert tangent.grad(imported)(0.5) == pytest.approx(want, abs=1e-13)


def test_warnings_that_are_switched_off():
    """The derivative of what the function keeps quiet is quiet, too."""

    def quiet(x):
        with np.errstate(all='ignore'):
            return np.sum(np.where(x > 0.0, np.log(x), 0.0))

    with np.errstate(all='raise'):
        got = tangent.grad(quiet)(np.array([0.0, 2.0]))
    assert np.array_equal(got, [0.0, 0.5])
