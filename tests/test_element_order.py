"""Elements that last, and stores that nothing reads: loops that fill tables.

Values are checked against the oracle, in the order of every loop that could go wrong: indices that
count from the end, elements that are overwritten after they were read, tables that are filled
twice. Texts hold that a table which is filled once has no tape.
"""

from __future__ import annotations

import contextlib
import copy
import math
from typing import Any

import numpy as np
import oracle
import pytest
import tangent


def check(f: Any, *args: Any, wrt: tuple[int, ...] = (0,)) -> str:
    """The gradient's text; its value has to be the oracle's."""
    df = tangent.grad(f, wrt=wrt)
    got = df(*copy.deepcopy(args))
    got = got if len(wrt) > 1 else (got,)
    assert oracle.error(got, oracle.gradient(f, copy.deepcopy(args), wrt)) <= 1e-10
    return df.source(*copy.deepcopy(args))


def forwards(x):
    y = np.zeros(len(x))
    y[0] = x[0]
    for i in range(1, len(x)):
        y[i] = np.sin(y[i - 1]) * y[i - 1] + x[i]
    return y[len(x) - 1]


def backwards(x):
    n = len(x)
    y = np.zeros(n)
    y[n - 1] = x[n - 1] * x[0]
    for i in range(n - 2, -1, -1):
        y[i] = x[i] / (1.0 + y[i + 1] ** 2)
    return y[0] * y[1]


def every_second(x):
    y = np.zeros(len(x) + 2)
    for i in range(2, len(x), 2):
        y[i] = x[i] * np.exp(y[i - 2]) + y[i - 1] ** 2
    return np.sum(y)


def triangle(a):
    n = len(a)
    c = np.zeros((n, n))
    for j in range(n):
        for i in range(j, n):
            s = a[i, j]
            for k in range(j):
                s -= c[i, k] * c[j, k]
            if i == j:
                c[j, j] = math.sqrt(s)
            else:
                c[i, j] = s / c[j, j]
    return np.sum(c)


def substitution(u, y):
    n = len(y)
    x = np.zeros(n)
    for i in range(n - 1, -1, -1):
        x[i] = (y[i] - u[i, i + 1:] @ x[i + 1:]) / u[i, i]
    return np.sum(x * x)


def prefixes(x):
    y = np.zeros(len(x))
    for i in range(len(x)):
        y[i] = x[i] * np.sum(y[:i] ** 2) + x[i]
    return np.sum(y)


def grid(a):
    n, m = a.shape
    t = np.zeros((n, m))
    for i in range(n):
        for j in range(m):
            best = a[i, j]
            if i > 0 and j > 0:
                best = best + math.sin(t[i - 1, j - 1] * a[i, j])
            elif j > 0:
                best = best * t[i, j - 1]
            elif i > 0:
                best = best * t[i - 1, j]
            t[i, j] = best
    return t[n - 1, m - 1]


def rows(a):
    h = np.zeros(a.shape)
    h[0] = a[0]
    for t in range(1, len(a)):
        h[t] = np.tanh(h[t - 1] * a[t])
    return np.sum(h)


def each_step(x):
    total = 0.0
    for k in range(3):
        y = np.zeros(len(x))
        y[0] = x[k]
        for i in range(1, len(x)):
            y[i] = y[i - 1] * y[i - 1] * 0.5 + x[i]
        total += y[len(x) - 1] * x[k]
    return total


@pytest.mark.parametrize(
    "f", [forwards, backwards, every_second, triangle, substitution, prefixes, grid, rows]
)
def test_a_table_that_is_filled_once_has_no_tape(f):
    square = np.array([[4.0, 1.0, 0.5], [1.0, 5.0, 0.7], [0.5, 0.7, 6.0]])
    line = np.array([0.4, 0.9, -0.3, 0.7, 0.2])
    args = {
        triangle: (square,),
        substitution: (square, line[:3]),
        grid: (square,),
        rows: (square,),
    }.get(f, (line,))
    text = check(f, *args, wrt=tuple(range(len(args))))
    for table in "ycxht":
        assert f" {table}_value_tape" not in text
        assert f" {table}_tape" not in text


def test_a_table_of_each_step_is_right():
    check(each_step, np.array([0.4, 0.9, -0.3, 0.7]))


# ------------------------------------------------------------------------------------------------
# What only looks like it


def from_the_end(x):
    y = x * x
    for i in range(len(x)):
        y[i] = y[i - 1] * y[i - 1] + x[i]
    return np.sum(y)


def from_the_end_and_back(x):
    y = x * x
    for i in range(len(x) - 1, -1, -1):
        y[i] = y[i - 2] * y[i - 2] + x[i]
    return np.sum(y)


def ahead(x):
    y = x * x
    for i in range(len(x) - 1):
        y[i] = y[i + 1] * y[i] + x[i]
    return np.sum(y * y)


def swept_twice(x):
    y = x * x
    for _ in range(2):
        for i in range(1, len(x)):
            y[i] = y[i - 1] * y[i] * 0.5 + x[i]
    return np.sum(y)


def filled_twice(x):
    y = np.zeros(len(x))
    y[0] = x[0]
    for i in range(1, len(x)):
        y[i] = y[i - 1] * y[i - 1] * x[i]
    z = np.sum(y * y)
    for i in range(len(x) - 2, -1, -1):
        y[i] = y[i + 1] * y[i] + x[i]
    return np.sum(y) * z


def index_of_its_own(x):
    y = x * x
    for i in range(1, len(x)):
        k = (3 * i) % 4
        y[k] = y[i - 1] * y[i] + x[i]
    return np.sum(y)


def counted_by_hand(x):
    y = x * x
    i = 1
    while i < len(x):
        y[i] = y[i - 1] * y[i] + x[i]
        i += 1
    return np.sum(y)


def a_variable_that_moves(x):
    y = x * x
    for i in range(1, 4):
        y[i] = y[i - 1] ** 2
        i = 4 - i
        y[i] = y[i - 1] ** 2 + x[i]
    return np.sum(y)


def another_name(x):
    y = x * x
    z = y
    for i in range(1, len(x)):
        y[i] = y[i - 1] * y[i - 1]
        z[i - 1] = y[i] * x[i]
    return np.sum(y)


def only_on_the_diagonal(a):
    t = a * a
    for i in range(len(a)):
        for j in range(len(a)):
            if i != j:
                t[i, j] = t[i, i] * t[j, j]
    for i in range(len(a)):
        t[i, i] = t[i, 0] * a[i, i]
    return np.sum(t)


def cut(x):
    y = np.zeros(len(x))
    y[0] = x[0]
    for i in range(1, len(x)):
        if y[i - 1] > 1.5:
            break
        y[i] = y[i - 1] * y[i - 1] + x[i]
    return np.sum(y * y)


def only_guarded(x):
    y = x * x
    for i in range(len(x)):
        if i >= 1:
            y[i] = y[i - 1] * y[i - 1] * x[i]
        y[i - 2] = y[i] * x[i]
    return np.sum(y)


def cleared_and_read(x):
    y = x * x
    for i in range(1, len(x)):
        y[i - 1] = x[i] * x[i]
        y[i] = y[i - 1] * x[i] + y[i]
    return np.sum(y * y)


@pytest.mark.parametrize(
    "f",
    [
        from_the_end,
        from_the_end_and_back,
        ahead,
        swept_twice,
        filled_twice,
        index_of_its_own,
        counted_by_hand,
        a_variable_that_moves,
        cut,
        only_guarded,
        cleared_and_read,
    ],
)
def test_elements_that_are_overwritten_are_kept(f):
    check(f, np.array([0.4, 0.9, 1.3, 0.7]))


def test_what_two_names_share_is_refused_or_right():
    with contextlib.suppress(tangent.InplaceModificationError):
        check(another_name, np.array([0.4, 0.9, 1.3, 0.7]))


def test_tests_of_indices_are_read():
    check(only_on_the_diagonal, np.array([[0.4, 0.9, 0.3], [1.1, 0.7, 0.2], [0.5, 0.6, 0.8]]))


# ------------------------------------------------------------------------------------------------
# Adjoints of elements


def test_an_element_that_nothing_reads_again_is_not_cleared():
    text = check(forwards, np.array([0.4, 0.9, -0.3, 0.7]))
    assert "= 0.0" not in text


def test_the_first_contribution_to_an_element_is_stored():
    def scaled(x, rate):
        y = np.zeros(len(x))
        y[0] = x[0]
        for i in range(1, len(x)):
            y[i] = y[i - 1] ** 2 * rate + x[i] * rate
        return y[len(x) - 1]

    text = check(scaled, np.array([0.4, 0.9, -0.3, 0.7]), 0.8, wrt=(0, 1))
    assert "bx[i] = " in text


# ------------------------------------------------------------------------------------------------
# Loops that end with an exit


def damped(a, b):
    x = 1.0
    for _ in range(30):
        step = (x**3 + a * x - b) / (3.0 * x**2 + a)
        x = x - 0.9 * step
        if abs(step) < 1e-9:
            break
    return x


def first_of_two(a, b):
    x = 1.0
    total = 0.0
    for k in range(20):
        x = x * a + 0.1 * k
        if x > 50.0:
            break
        total = total + x * x
        if total > b:
            break
    return total * x


def while_it_moves(a, b):
    x = b
    while True:
        old = x
        x = 0.5 * (x + a / x)
        if abs(x - old) < 1e-12:
            break
    return x * b


def inside(a, b):
    total = 0.0
    for k in range(4):
        x = b + k
        for _ in range(20):
            x = 0.5 * (x + a / x)
            total = total + 0.01 * x * x
            if x * x - a < 1e-6:
                break
        total = total * x
    return total


def over_items(xs, b):
    total = 0.0
    for x in xs:
        total = total + x * x * b
        if total > 1.5:
            break
    return total * b


@pytest.mark.parametrize("f", [damped, first_of_two, while_it_moves, inside])
@pytest.mark.parametrize("args", [(0.3, 4.0), (1.3, 2.5), (1.5, 1e9)])
def test_a_loop_that_ends_with_an_exit(f, args):
    check(f, *args, wrt=(0, 1))


def test_items_of_a_loop_that_ends_with_an_exit():
    for scale in (0.1, 1.0, 5.0):
        check(over_items, scale * np.array([0.4, 0.9, 1.3, 0.7]), 0.8, wrt=(0, 1))
        check(over_items, [scale * 0.4, scale * 0.9, scale * 1.3], 0.8, wrt=(0, 1))


def test_the_iteration_that_an_exit_ends_is_a_full_one():
    text = check(damped, 0.3, 4.0, wrt=(0, 1))
    assert "broke" not in text


# ------------------------------------------------------------------------------------------------
# Axes that are added


def pairwise(x, y):
    return np.sum((x[:, None] - y[None, :]) ** 2 * np.sin(x[:, None]))


def columns(x, w):
    return np.sum(w * x[:, None, :] ** 2)


def scaled_rows(m, x):
    return np.sum(np.tanh(m / x[:, np.newaxis]))


def test_an_added_axis_needs_no_buffer():
    x, y = np.array([0.4, 0.9, 1.3]), np.array([0.2, 0.7])
    text = check(pairwise, x, y, wrt=(0, 1))
    assert "zeros_like" not in text
    check(columns, np.array([[0.4, 0.9], [1.3, 0.7]]), np.ones((2, 3, 2)), wrt=(0, 1))
    check(scaled_rows, np.array([[0.4, 0.9], [1.3, 0.7]]), np.array([0.5, 1.5]), wrt=(0, 1))
    check(pairwise, x[:1], y, wrt=(0, 1))


# ------------------------------------------------------------------------------------------------
# What is stored, read back from where it is: by contributions that are written down when the body's
# statements are done


def equal_elements(x, n):
    y = np.zeros(n)
    for i in range(n):
        y[i] = math.tanh(0.3 - x)
    return np.sum(y * y)


def shared_slope(x, w):
    y = np.zeros_like(w)
    for i in range(len(w)):
        if i != 1:
            y[i] = math.exp(0.3 * x) if i > 1 else math.sqrt(x)
    return np.tanh(y @ w)


def nested_slope(x, w):
    y = np.zeros((2, 3))
    for i in range(2):
        for j in range(3):
            y[i, j] = math.tanh(x * (i + 1))
    return np.sum(y @ w) * y[1, 2]


def test_a_stored_result_is_read_from_its_element():
    text = check(equal_elements, 1.2, 3)
    assert "tape" not in text
    check(shared_slope, 1.2, np.array([0.5, 0.7, -0.3]), wrt=(0, 1))
    check(nested_slope, 0.4, np.array([0.5, 0.7, -0.3]), wrt=(0, 1))
