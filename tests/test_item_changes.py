"""Containers as people write them: what changes inside of lists and dicts, sets, ufunc methods,
views by reshape.

Each program is held against the oracle, in both modes where forward mode takes it."""

from __future__ import annotations

import copy
from collections import Counter

import change_programs_first
import change_programs_fourth
import change_programs_second
import change_programs_third
import numpy as np
import oracle
import pytest
import tangent
from tangent.errors import TangentError

v0 = np.array([0.3, 1.2, -0.7, 0.9, 2.1])
m0 = np.array([[0.3, 1.2, -0.7], [0.9, 2.1, 0.4], [1.3, -0.2, 0.6]])
PROGRAMS = [
    *change_programs_first.PROGRAMS,
    *change_programs_second.PROGRAMS,
    *change_programs_third.PROGRAMS,
    *change_programs_fourth.PROGRAMS,
]


@pytest.mark.parametrize(
    ('function', 'args', 'forward'), PROGRAMS, ids=[p[0].__name__ for p in PROGRAMS]
)
def test_gradient(function, args, forward):
    """Right, twice; the arguments end as the function leaves them."""
    want = oracle.gradient(function, copy.deepcopy(args), (0,))
    left = copy.deepcopy(args)
    function(*left)
    df = tangent.grad(function)
    for _ in range(2):
        given = copy.deepcopy(args)
        assert oracle.error((df(*given),), want) <= 1e-10
        assert oracle.error(given, left) == 0.0
    if not forward:
        with pytest.raises(TangentError):
            tangent.jvp(function)(*copy.deepcopy(args), *copy.deepcopy(args[:1]))
        return
    answer = oracle.differentiate(function, copy.deepcopy(args), (0,))
    move = np.linspace(0.3, 1.1, answer.jacobian.shape[1])
    tangents = oracle.as_gradients(move, copy.deepcopy(args), (0,))
    got = tangent.jvp(function)(*copy.deepcopy(args), *tangents)
    assert abs(got - (answer.jacobian @ move).item()) <= 1e-10



def shared_list(v):
    xs = [v[0]]
    d = {}
    for k in ('a', 'b'):
        d[k] = xs
    for k in ('a', 'b'):
        d[k].append(v[1] * v[2])
    return sum(d['a'])


def repeated_rows(v):
    rows = [[v[0]]] * 3
    rows[0].append(v[1])
    return sum(rows[2]) * v[3]


def repeated_arrays(v):
    xs = [np.zeros(5)] * 2
    xs[0] += v
    return np.sum(xs[1] * v)


def moved_row(v):
    rows = [[v[0], v[1]], [v[2], v[3]]]
    rows.append(rows[0])
    rows[0][0] = v[4] * v[4]
    return rows[2][0] * rows[1][0]


def item_with_a_name(v):
    xs = [np.zeros(5), np.ones(5)]
    a = xs[0]
    b = a[:2]
    xs[0] += v
    return np.sum(b * v[:2]) + v.sum()


def set_with_a_name(v):
    seen = set()
    other = seen
    t = 0.0
    for i in (0, 1, 0):
        if i not in other:
            seen.add(i)
            t += v[i] ** 2
    return t


def set_of_active_values(v):
    s = set()
    for x in v:
        s.add(x * x)
    return sum(s)


def counter_as_a_whole(v):
    c = Counter([1, 2, 1])
    return v[0] * c.most_common(1)[0][0]


REFUSED = [
    shared_list,
    repeated_rows,
    repeated_arrays,
    moved_row,
    set_with_a_name,
    set_of_active_values,
    counter_as_a_whole,
]


@pytest.mark.parametrize('function', REFUSED)
def test_refused_with_its_line(function):
    with pytest.raises(TangentError) as info:
        tangent.grad(function)(v0.copy())
    assert 'test_item_changes.py' in str(info.value)


def test_item_seen_under_a_name():
    """Right or refused, never silently wrong."""
    want = oracle.gradient(item_with_a_name, (v0.copy(),), (0,))
    try:
        got = tangent.grad(item_with_a_name)(v0.copy())
    except TangentError:
        return
    assert oracle.error((got,), want) <= 1e-10


def test_reshaped_argument_in_another_order():
    """A copy for one order, a view for the other: the run decides."""

    def f(m):
        z = m.reshape(9)
        z[1] = 7.0 * z[0]
        return np.sum(m ** 2) + np.sum(z ** 3)

    def copied(m):
        z = m.flatten()
        z[1] = 7.0 * z[0]
        return np.sum(m ** 2) + np.sum(z ** 3)

    df = tangent.grad(f)
    for given, like in ((m0.copy(), f), (np.asfortranarray(m0), copied)):
        left = given.copy(order='K')
        want = oracle.gradient(like, (m0.copy(),), (0,))
        assert oracle.error((df(given),), want) <= 1e-10
        f(left)
        assert np.array_equal(given, left)
