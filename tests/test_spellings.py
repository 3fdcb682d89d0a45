"""Other spellings of what is there: `np.add.at`, `getattr` of a constant, `f(**d)`, `y.T[i]`; and
a `break` in one arm of an `if`.

Both modes, against the oracle or what the same program says in other words.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import oracle
import pytest
import tangent


def agree(f: Any, g: Any, *args: Any) -> None:
    """f is g in other words: value, gradient, what is left in the arguments, forward mode."""
    mine, other = copy.deepcopy(args), copy.deepcopy(args)
    got = tangent.value_and_grad(f)(*mine)
    want = tangent.value_and_grad(g)(*other)
    assert oracle.error(got, want) <= 1e-12
    for a, b in zip(mine, other, strict=True):
        np.testing.assert_equal(a, b)
    direction = np.ones_like(args[0]) if isinstance(args[0], np.ndarray) else 1.0
    forward = tangent.jvp(f, wrt=0)(*copy.deepcopy(args), direction)
    expected = tangent.jvp(g, wrt=0)(*copy.deepcopy(args), direction)
    assert oracle.error(forward, expected) <= 1e-12


def added_at(x, index):
    y = np.zeros(2)
    np.add.at(y, index, x * x)
    np.subtract.at(y, [0, 0], 3.0 * x[0])
    return y[0] * y[1]


def added_in_a_loop(x, index):
    y = np.zeros(2)
    for k in range(len(index)):
        y[index[k]] += x[k] * x[k]
    for _ in range(2):
        y[0] -= 3.0 * x[0]
    return y[0] * y[1]


def test_add_at() -> None:
    agree(added_at, added_in_a_loop, np.array([0.5, -1.25, 2.0]), np.array([0, 1, 0]))


def test_add_at_of_a_number() -> None:
    def at(x):
        y = np.ones(3)
        np.add.at(y, [0, 2, 2], x * x)
        return np.sum(y * y)

    def by_hand(x):
        y = np.ones(3)
        y[0] += x * x
        y[2] += x * x
        y[2] += x * x
        return np.sum(y * y)

    agree(at, by_hand, 1.5)


def test_add_at_of_rows() -> None:
    def at(x, index):
        y = np.zeros((3, 2))
        np.add.at(y, index, x)
        return np.sum(y * y * y)

    def by_hand(x, index):
        y = np.zeros((3, 2))
        for k in range(len(index)):
            y[index[k]] += x[k]
        return np.sum(y * y * y)

    agree(at, by_hand, np.arange(8.0).reshape(4, 2) - 3.0, np.array([0, 2, 2, 0]))


def test_add_at_through_a_second_name_is_seen_or_refused() -> None:
    def f(x):
        y = x * 1.0
        z = y
        np.add.at(y, [0, 0], x[1])
        return np.sum(z * z)

    x = np.array([0.5, -1.25, 2.0])
    try:
        got = tangent.grad(f)(x)
    except tangent.errors.InplaceModificationError:
        return
    first = x[0] + 2.0 * x[1]
    np.testing.assert_allclose(got, [2 * first, 4 * first + 2 * x[1], 2 * x[2]])


def test_other_scatters_are_refused() -> None:
    def f(x):
        y = np.ones(3)
        np.multiply.at(y, [0, 0], x)
        return np.sum(y)

    with pytest.raises(tangent.errors.InplaceModificationError, match='multiply'):
        tangent.grad(f)(1.5)


def test_getattr_of_a_constant() -> None:
    def f(x):
        return np.sum(getattr(x, 'T') * x.T)  # noqa: B009

    def g(x):
        return np.sum(x.T * x.T)

    agree(f, g, np.arange(6.0).reshape(2, 3))


def linear(a, b):
    return a * b + a


def test_keywords_from_a_dict() -> None:
    def f(x):
        d = {'b': 2.0 * x, 'a': x}
        return linear(**d)

    def g(x):
        return linear(x, 2.0 * x)

    agree(f, g, 1.5)


def test_keywords_from_a_dict_that_changes_are_refused() -> None:
    def f(x):
        d = {'a': x, 'b': 2.0}
        d['b'] = x
        return linear(**d)

    with pytest.raises(tangent.errors.UnsupportedSyntaxError, match='unpacking'):
        tangent.grad(f)(1.5)


def leaves_in_one_arm(x, d):
    total = x
    for e in d:
        if e != 0.0:
            total = total * x / e
        else:
            break
    return total * x


def leaves_in_the_other_arm(x, d):
    total = x
    for e in d:
        y = total * x
        if e == 0.0:
            break
        elif e > 1.5:
            total = y * total / e
        else:
            total = total * y
    return total * x


def leaves_and_raises(x, d):
    total = x
    k = 0
    while True:
        if k < len(d):
            if d[k] < 0.0:
                raise ValueError('negative')
            else:
                total = total * total * 0.5 + d[k] * x
        else:
            break
        k += 1
    return total * x


@pytest.mark.parametrize('d', [[2.0, 3.0], [2.0, 0.0, 4.0], [0.0, 2.0], [1.0, 2.0, 3.0, 0.0]])
@pytest.mark.parametrize(
    'f', [leaves_in_one_arm, leaves_in_the_other_arm, leaves_and_raises]
)
def test_a_break_in_one_arm(f: Any, d: list[float]) -> None:
    """An iteration that is cut keeps nothing of the arm that goes on."""
    expected = oracle.gradient(f, (1.3, d))
    for optimized in (True, False):
        got = tangent.grad(f, optimized=optimized)(1.3, d)
        assert oracle.error((got,), expected) <= 1e-10


# ------------------------------------------------------------------------------------------------
# The transpose is a view


def writes_across(x):
    y = x * 1.0
    y.T[0, 1] = x[0, 0] ** 2
    y.T[2] *= 3.0
    v = y.T
    v[1, 0] += x[1, 2]
    v[0, :] = v[0, :] * x[1, :2]
    return np.sum(y**2) + np.sum(v[2] * v[1])


def views_of_views(x):
    grid = np.sin(x)
    edge = grid.T[2]
    edge *= grid[0, 0]
    for line in grid:
        line[1] -= line[0] ** 2
    return np.sum(grid * grid * x)


@pytest.mark.parametrize('f', [writes_across, views_of_views])
def test_the_transpose_is_a_view(f: Any) -> None:
    x = np.array([[0.4, 1.2, -0.3], [1.5, -0.6, 0.2]])
    expected = oracle.gradient(f, (x.copy(),))
    assert oracle.error((tangent.grad(f)(x.copy()),), expected) <= 1e-10
    forward = tangent.jvp(f, wrt=0)
    for i in np.ndindex(x.shape):
        direction = np.zeros_like(x)
        direction[i] = 1.0
        try:
            slope = forward(x.copy(), direction)
        except tangent.errors.InplaceModificationError:
            continue
        assert oracle.error(slope, expected[0][i]) <= 1e-10


def test_a_transposed_part_is_right_or_refused() -> None:
    def f(x):
        y = x * 1.0
        v = y.T
        v[0:2, 0:1] = x[0, 0]
        return np.sum(y * y)

    x = np.array([[0.4, 1.2, -0.3], [1.5, -0.6, 0.2]])
    try:
        got = tangent.grad(f)(x)
    except tangent.errors.InplaceModificationError:
        return
    assert oracle.error((got,), oracle.gradient(f, (x,))) <= 1e-10
