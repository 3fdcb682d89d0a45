"""Names that stand for a list first and for an array or a number later.

The adjoint of the list is a list, that of the array an array. Values are checked against the
oracle; where the two cannot be told apart, the program is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import oracle
import pytest
import tangent


def path(y, k):
    traj = []
    for _ in range(3):
        y = y * k + 1
        traj.append(y)
    traj = np.array(traj)
    return np.sum(traj[:, 0] ** 2)


def display(y, k):
    xs = [y * k, y]
    xs.append(k * y)
    xs = np.stack(xs)
    return np.sum(xs**2)


def rows(y, k):
    table = []
    for i in range(2):
        row = []
        for j in range(2):
            row.append(y[j] * k**i)
        table.append(row)
    table = np.array(table)
    return np.sum(table**3)


def total(y, k):
    s = [k, k * 2]
    s.append(y[0])
    s = sum(s)
    return s * s


def in_arms(y, k):
    t = [k, y[0]]
    if k < 1:
        t = np.array(t) * k
        return t.sum()
    t = sum(t)
    return t * k


def in_loop(y, k):
    s = 0.0
    for _ in range(3):
        t = []
        for v in y:
            t.append(v * k)
        t = np.array(t)
        s += np.sum(t**2)
    return s


def to_and_fro(y, k):
    t = []
    for v in y:
        t.append(v * k)
    t = np.array(t)
    s = t.sum()
    t = [s, s * k]
    t.append(k)
    t = np.stack(t)
    t *= k
    return np.prod(t)


def collect(y, k):
    out = []
    for v in y:
        out.append(v * k)
    out = np.array(out)
    return out


def in_callee(y, k):
    s = 0.0
    for _ in range(2):
        s += np.sum(collect(y, k) ** 2)
    return s + collect(y, 2.0)[0]


def in_one_branch(y, k):
    t = [k, y[0]]
    t.append(k * 2)
    if k < 1:
        t = np.array(t) * k
    return np.sum(t)


def past_the_break(y, k):
    t = [k, y[0]]
    s = 0.0
    for i in range(4):
        if i == 2:
            t = np.array(t) * k
            s += t.sum()
            break
        s = s + k
        t = [s, k * i]
    return s + t[0] * 2


def check(f: Any, *args: Any) -> None:
    want = oracle.gradient(f, args, (0, 1))
    assert oracle.error(tangent.grad(f, wrt=(0, 1))(*args), list(want)) <= 1e-12
    jacobian = oracle.differentiate(f, args, (0, 1)).jacobian
    along = np.linspace(0.5, 1.5, jacobian.shape[1])
    tangents = oracle.as_gradients(along, args, (0, 1))
    got = tangent.jvp(f, wrt=(0, 1))(*args, *tangents)
    assert oracle.error(np.atleast_1d(got), jacobian @ along) <= 1e-12


@pytest.mark.parametrize(
    'f',
    [path, display, rows, total, in_arms, in_loop, to_and_fro, in_callee],
    ids=lambda f: f.__name__,
)
@pytest.mark.parametrize('k', [0.4, 1.5])
def test_two_names(f: Any, k: float) -> None:
    check(f, np.array([0.5, 0.6]), k)


def test_argument_becomes_an_array() -> None:
    def f(xs, k):
        xs = np.array(xs)
        return np.sum(xs**2) * k

    check(f, [1.0, 2.0, 3.0], 0.4)


@pytest.mark.parametrize('f', [in_one_branch, past_the_break], ids=lambda f: f.__name__)
def test_one_name_of_two_kinds_is_refused(f: Any) -> None:
    with pytest.raises(tangent.TangentError, match='stands for a list at one place') as refusal:
        tangent.grad(f)(np.array([0.5, 0.6]), 0.4)
    assert '    t = [k, y[0]]' in str(refusal.value)
