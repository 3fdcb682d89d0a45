"""Functions that call themselves: a forward and a backward half each.

Every gradient is checked against the oracle, which runs the function itself on dual numbers, and
the value against the function's own, bit for bit. The texts are those of src/emit/halves.h.
"""

from __future__ import annotations

import copy
import io
import sys
import types
from contextlib import redirect_stdout
from typing import Any

import numpy as np
import oracle
import pytest
import tangent

HERE = sys.modules[__name__]


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


# ------------------------------------------------------------------------------------------------
# Over integers


def power(x, n):
    if n == 0:
        return 1.0
    return x * power(x, n - 1)


def fast_power(x, n):
    if n == 0:
        return 1.0
    half = fast_power(x, n // 2)
    if n % 2 == 0:
        return half * half
    return half * half * x


def fibonacci(x, n):
    if n == 0:
        return 0.3 * x
    if n == 1:
        return x * x
    return fibonacci(x, n - 1) + x * fibonacci(x, n - 2)


def legendre(x, n):
    if n == 0:
        return 1.0
    elif n == 1:
        return x
    return ((2 * n - 1) * x * legendre(x, n - 1) - (n - 1) * legendre(x, n - 2)) / n


def continued(x, a, n):
    return a if n == 0 else x + 1.0 / continued(x * a, a, n - 1)


def tower(x, n):
    y = np.sin(x) + x * x
    if n == 0:
        return y
    z = tower(y, n - 1)
    return z * np.exp(-y * y)


def ackermann_like(x, m, n):
    if m == 0:
        return x + n
    if n == 0:
        return 0.5 * ackermann_like(x, m - 1, 1)
    return np.tanh(ackermann_like(x * 0.9, m - 1, n - 1)) + ackermann_like(x, m, n - 1) * x


def rebinds(x, n):
    x = x * x
    if n > 0:
        x = rebinds(x + 0.1, n - 1) * x
        x = x + 1.0
    return x


def three_ways(x, n):
    if n <= 0:
        return np.cos(x)
    if n % 3 == 0:
        return three_ways(x * x, n - 1) * x
    if n % 3 == 1:
        y = three_ways(x + 1.0, n - 2)
        return y * y
    y = x * 0.5
    while y > 0.2:
        y = 0.5 * y * three_ways(y, 0)
    return three_ways(y, n - 2) + x


def loop_of_calls(x, n):
    total = x
    for k in range(n):
        total = total + np.sin(k * x) * loop_of_calls(x * 0.5 + k, k)
    return total


def loop_with_exit(x, n):
    total = 0.0
    for k in range(n):
        part = loop_with_exit(x * (k + 1), n - 1 - k)
        if part > 4.0:
            total = total + part * x
            break
        total = total * 0.5 + part * part
    return total + np.sin(x)


def returns_from_a_loop(x, n):
    for k in range(n):
        if x > 2.0:
            return x * k
        x = x * x + returns_from_a_loop(0.5 * x, k)
    return 3.0 * x


def loop_of_loops(x, n):
    total = 0.0
    for i in range(n):
        for j in range(i):
            total += x * loop_of_loops(total * 0.01 + x, j)
    return total + x


def expected_payoff(price, up, down, strike, steps):
    if steps == 0:
        return max(price - strike, 0.0)
    chance = (1.0 - down) / (up - down)
    return chance * expected_payoff(price * up, up, down, strike, steps - 1) + (
        1.0 - chance
    ) * expected_payoff(price * down, up, down, strike, steps - 1)


def keywords(x, n, *, scale=0.5, shift=1.0):
    if n == 0:
        return x * scale
    first = keywords(n=n - 1, x=x * shift, scale=scale * 1.5)
    return shift + first * keywords(x, n - 1, shift=scale)


def defaults(x, n=3, a=2.0):
    return x if n == 0 else a * x + defaults(x * x, n - 1)


def order_of_evaluation(x, n):
    if n == 0:
        print('leaf', float(x))
        return x
    print('node', n)
    return order_of_evaluation(x, n - 1) - order_of_evaluation(2.0 * x, n - 1) * (
        x + order_of_evaluation(3.0 * x, 0)
    )


def only_sometimes(x, n):
    return (n > 0 and only_sometimes(x * x, n - 1)) or x


def newton(x, a, steps):
    if steps == 0 or abs(x * x - a) < 1e-14:
        return x
    return newton(0.5 * (x + a / x), a, steps - 1)


def collatz_weight(x, n):
    if n == 1:
        return x
    if n % 2 == 0:
        return 0.9 * collatz_weight(x, n // 2) + x
    return x * collatz_weight(0.3 * x, 3 * n + 1)


OVER_INTEGERS = [
    (power, (1.3, 5), (0,)),
    (power, (1.3, 0), (0,)),
    (fast_power, (1.1, 13), (0,)),
    (fibonacci, (0.7, 7), (0,)),
    (legendre, (0.4, 6), (0,)),
    (continued, (1.3, 0.8, 4), (0, 1)),
    (tower, (0.4, 3), (0,)),
    (ackermann_like, (0.4, 2, 2), (0,)),
    (rebinds, (0.6, 3), (0,)),
    (three_ways, (0.7, 7), (0,)),
    (loop_of_calls, (0.7, 4), (0,)),
    (loop_with_exit, (0.9, 4), (0,)),
    (loop_with_exit, (2.3, 4), (0,)),
    (returns_from_a_loop, (0.9, 4), (0,)),
    (returns_from_a_loop, (2.9, 4), (0,)),
    (loop_of_loops, (0.9, 4), (0,)),
    (expected_payoff, (1.0, 1.2, 0.85, 0.95, 4), (0, 1, 2, 3)),
    (keywords, (1.2, 3), (0,)),
    (defaults, (0.7,), (0,)),
    (only_sometimes, (0.7, 3), (0,)),
    (newton, (1.0, 2.0, 30), (0, 1)),
    (collatz_weight, (0.9, 6), (0,)),
]


@pytest.mark.parametrize(('f', 'args', 'wrt'), OVER_INTEGERS, ids=name_of)
def test_over_integers(f: Any, args: Any, wrt: tuple[int, ...]) -> None:
    check(f, *args, wrt=wrt)


# ------------------------------------------------------------------------------------------------
# Over arrays


def network(resistors, contact):
    if len(resistors) == 1:
        return resistors[0]
    middle = len(resistors) // 2
    left = network(resistors[:middle], contact)
    right = network(resistors[middle:], contact)
    return left * right / (left + right) + contact


def horner(coefficients, x):
    if len(coefficients) == 0:
        return 0.0
    return coefficients[0] + x * horner(coefficients[1:], x)


def norm_of_halves(x):
    if len(x) <= 2:
        return np.sum(x * x * x)
    middle = len(x) // 2
    return np.sqrt(1.0 + norm_of_halves(x[:middle]) * norm_of_halves(x[middle:]) + np.sum(x))


def even_and_odd(x):
    if len(x) == 1:
        return np.exp(x[0])
    return even_and_odd(x[::2]) * 0.5 + even_and_odd(x[1::2] * x[0]) + x[-1]


def whole_arrays(x, n):
    if n == 0:
        return x * x
    return np.sin(whole_arrays(0.5 * x, n - 1)) * x + whole_arrays(np.cos(x), n - 1)


def sum_of_whole_arrays(x, n):
    return np.sum(whole_arrays(x, n) * x)


def determinant(a):
    if len(a) == 1:
        return a[0, 0]
    total = 0.0
    for j in range(len(a)):
        rest = np.concatenate((a[1:, :j], a[1:, j + 1 :]), axis=1)
        total = total + (-1.0) ** j * a[0, j] * determinant(rest)
    return total


def quadrants(a):
    n = len(a) // 2
    if n == 0:
        return a[0, 0] * a[0, 0]
    one = quadrants(a[:n, :n]) + a[0, 1]
    return one * quadrants(a[n:, n:]) - quadrants(a[:n, n:]) * quadrants(a[n:, :n])


def rows(a, i):
    if i == len(a):
        return 0.0
    return np.sum(a[i] * a[i]) * 0.5 + np.prod(a[i]) * rows(a, i + 1)


def by_index(x, i):
    if i >= len(x):
        return 1.0
    return x[i] * by_index(x, i + 1) + np.sin(x[i])


def weighted_tree(x, w, i):
    if i >= len(x):
        return 0.0
    here = np.tanh(np.dot(w, w) * x[i])
    return here + w[0] * weighted_tree(x, w, 2 * i + 1) - w[1] * weighted_tree(x, w, 2 * i + 2)


def matrix_power(a, n):
    if n == 1:
        return a
    half = matrix_power(a, n // 2)
    square = half @ half
    if n % 2 == 1:
        square = square @ a
    return square


def trace_of_power(a, n):
    return np.trace(matrix_power(a, n))


def fft_like(x):
    n = len(x)
    if n == 1:
        return x
    even = fft_like(x[::2])
    odd = fft_like(x[1::2])
    turned = odd * np.cos(np.arange(n // 2))
    return np.concatenate((even + turned, even - turned))


def energy_of_fft_like(x):
    y = fft_like(x)
    return np.sum(y * y * y)


def local_buffer(x, n):
    y = np.zeros(3)
    for i in range(3):
        y[i] = x[i] * (i + 1)
    if n == 0:
        return np.sum(y * y)
    return local_buffer(y * 0.5, n - 1) * y[0] + y[2]


def stores_after_the_call(x, n):
    if n == 0:
        return np.sum(x * x * x)
    y = 0.5 * x
    first = stores_after_the_call(y, n - 1)
    y[0] = first * y[1]
    second = stores_after_the_call(y, n - 1)
    y[1] = 7.0
    return first * second + y[0]


def result_is_stored_into(x, n):
    if n == 0:
        return np.tanh(x)
    y = result_is_stored_into(x * 0.5, n - 1)
    y[0] = y[1] * y[1]
    return y * y + x


def sum_of_stored_results(x, n):
    z = result_is_stored_into(x, n)
    z[1] = z[0] * x[0]
    return np.sum(z * z)


def with_a_list(x, n):
    if n == 0:
        return x
    parts = []
    for k in range(n):
        parts.append(with_a_list(x * (0.5 + 0.1 * k), n - 1))
    total = 0.0
    for part in parts:
        total = total + part * part
    return total


def comprehension(x, n):
    if n == 0:
        return x * x
    return sum([comprehension(x * 0.3 * (k + 1), n - 1) for k in range(2)]) + x


def lengths(x, widths, k):
    if k == len(widths):
        return np.sum(x)
    return lengths(np.tanh(x) * widths[k], widths, k + 1) * 0.5 + x[0]


X = np.array([0.3, -0.7, 1.1, 0.6, -0.2, 0.9, 0.45, -1.2])
M = np.array([[1.2, 0.3, -0.4], [0.1, 0.9, 0.5], [-0.3, 0.2, 1.1]])
M4 = np.outer(X[:4], X[4:]) + np.eye(4)

OVER_ARRAYS = [
    (network, (np.linspace(1.0, 3.0, 7), 0.1), (0, 1)),
    (network, (np.linspace(1.0, 3.0, 1), 0.1), (0, 1)),
    (horner, (X, 0.7), (0, 1)),
    (norm_of_halves, (np.abs(X),), (0,)),
    (even_and_odd, (X,), (0,)),
    (sum_of_whole_arrays, (X, 3), (0,)),
    (determinant, (M4,), (0,)),
    (quadrants, (M4,), (0,)),
    (rows, (M, 0), (0,)),
    (by_index, (X, 0), (0,)),
    (weighted_tree, (X, np.array([0.4, -0.3]), 0), (0, 1)),
    (trace_of_power, (M, 6), (0,)),
    (energy_of_fft_like, (X,), (0,)),
    (local_buffer, (X[:3], 2), (0,)),
    (stores_after_the_call, (X[:3], 2), (0,)),
    (sum_of_stored_results, (X[:3], 2), (0,)),
    (with_a_list, (0.6, 3), (0,)),
    (comprehension, (0.6, 3), (0,)),
    (lengths, (X[:3], (0.5, 2.0, 1.5), 0), (0,)),
]


@pytest.mark.parametrize(('f', 'args', 'wrt'), OVER_ARRAYS, ids=name_of)
def test_over_arrays(f: Any, args: Any, wrt: tuple[int, ...]) -> None:
    check(f, *args, wrt=wrt)


# ------------------------------------------------------------------------------------------------
# Mutual recursion, closures, functions as arguments, several results


def even(x, n):
    if n == 0:
        return 1.0
    return x * odd(x, n - 1)


def odd(x, n):
    if n == 0:
        return 0.5
    return (x + 1.0) * even(x, n - 1)


def mutual(x):
    return even(x, 5) * odd(x, 4)


def first_of_three(x, n):
    return x if n == 0 else second_of_three(x * x, n - 1) + first_of_three(0.5 * x, n - 1)


def second_of_three(x, n):
    if n == 0:
        return np.sin(x)
    return third_of_three(x, n - 1) * first_of_three(x, n - 1)


def third_of_three(x, n):
    y = second_of_three(x, n // 2) if n > 1 else x
    return y * y


def helper(x, y):
    t = x * y
    return t + np.sin(t)


def calls_a_helper(x, n):
    if n == 0:
        return helper(x, x)
    return helper(calls_a_helper(x, n - 1), x)


def closure(a, b):
    def descend(n):
        if n <= 0:
            return b * b
        return a * descend(n - 1) + descend(n - 2)

    return descend(4) * a


def closures_of_two(a, b):
    scale = a * b

    def up(x, n):
        if n == 0:
            return x * scale
        return down(x + a, n - 1)

    def down(x, n):
        if n == 0:
            return x * b
        return np.sin(up(x * 0.5, n - 1)) * scale

    return up(a, 3) + down(b, 2)


def closure_late(a):
    b = 2.0

    def descend(n):
        return a if n == 0 else b * descend(n - 1)

    first = descend(2)
    b = a * a
    return first + descend(3)


def closure_over_arrays(x, w):
    def walk(i):
        if i >= len(x):
            return 0.0
        return x[i] * w[i % 2] + 0.5 * walk(2 * i + 1) * walk(2 * i + 2)

    return walk(0) + x[0]


def simpson(f, a, b, depth):
    middle = 0.5 * (a + b)
    if depth == 0:
        return (b - a) / 6.0 * (f(a) + 4.0 * f(middle) + f(b))
    return simpson(f, a, middle, depth - 1) + simpson(f, middle, b, depth - 1)


def bell(t):
    return np.exp(-t * t)


def integral_of_lambda(a, c):
    return simpson(lambda t: np.sin(c * t) * a, 0.0, a, 2) + simpson(bell, 0.0, c, 1)


def adaptive(f, a, b, fa, fb, whole, tolerance):
    middle = 0.5 * (a + b)
    fm = f(middle)
    left = 0.5 * (middle - a) * (fa + fm)
    right = 0.5 * (b - middle) * (fm + fb)
    if abs(left + right - whole) < tolerance:
        return left + right
    return adaptive(f, a, middle, fa, fm, left, 0.5 * tolerance) + adaptive(
        f, middle, b, fm, fb, right, 0.5 * tolerance
    )


def adaptive_integral(c, b):
    def f(t):
        return np.exp(-c * t * t)

    return adaptive(f, 0.0, b, f(0.0), f(b), 0.0, 1e-3)


def two_results(x, n):
    if n == 0:
        return x, 2.0 * x
    a, b = two_results(x * x, n - 1)
    return a * b, a + b * x


def of_two_results(x, n):
    a, b = two_results(x, n)
    return a * np.sin(b)


def one_of_two_results(x, n):
    return two_results(x, n)[0] + x


def sine_and_cosine(x, n):
    if n == 0:
        return x, 1.0 - 0.5 * x * x
    s, c = sine_and_cosine(0.5 * x, n - 1)
    return 2.0 * s * c, 2.0 * c * c - 1.0


def tangent_of(x):
    s, c = sine_and_cosine(x, 5)
    return s / c


def arrays_and_numbers(x, n):
    if n == 0:
        return x * x, 1.0
    y, s = arrays_and_numbers(0.5 * x, n - 1)
    return y * s + x, s * np.sum(y)


def of_arrays_and_numbers(x, n):
    y, s = arrays_and_numbers(x, n)
    return np.sum(y) * s


def unread_result(x, n):
    _, b = two_results(x, n)
    return b * x


def nested_calls(x, n):
    return nested_calls(nested_calls(0.5 * x, n - 1), n - 1) * x if n > 0 else np.sin(x)


def twice_the_same(x, n):
    if n == 0:
        return x[0] * x[1]
    return twice_the_same(x, n - 1) * twice_the_same(x * x, n - 1)


def takes_two(x, y, n):
    if n == 0:
        return x[0] * y[1]
    return takes_two(y, x, n - 1) + takes_two(x, x, n - 1) * y[0]


def of_takes_two(x):
    return takes_two(x, x, 3) + takes_two(x, 2.0 * x, 2)


def called_in_a_loop(x, steps):
    for k in range(steps):
        x = x * 0.5 + np.sin(power(x, k))
    return x


def called_in_a_branch(x, n):
    y = x
    if x > 1.0:
        y = power(x, n)
    return y * y


def tree_of_constants(x, c):
    return evaluate(TREE, x, c)


TREE = ('+', ('*', ('c',), ('x', 0)), ('sin', ('*', ('x', 1), ('+', ('c',), ('x', 0)))))


def evaluate(node, x, c):
    head = node[0]
    if head == 'c':
        return c
    if head == 'x':
        return x[node[1]]
    left = evaluate(node[1], x, c)
    if head == 'sin':
        return np.sin(left)
    right = evaluate(node[2], x, c)
    return left + right if head == '+' else left * right


def none_or_number(x, n):
    if n == 0:
        return None
    inner = none_or_number(x, n - 1)
    if inner is None:
        return x
    return inner * x


class Branch:
    def __init__(self, value, left=None, right=None):
        self.value = value
        self.left = left
        self.right = right


BRANCHES = Branch(1.5, Branch(0.5), Branch(-0.7, None, Branch(2.0, Branch(0.3))))


def over_objects(x, node):
    if node is None:
        return 1.0
    return node.value * x + over_objects(x * x, node.left) * over_objects(0.5 * x, node.right)


def over_branches(x):
    return over_objects(x, BRANCHES)


def over_rows(a):
    if a.ndim == 0:
        return a * a
    return sum(over_rows(row) for row in a)


def cancelled(x, v, n):
    if n <= 0:
        return 1.0
    t = np.sum(v * v) - np.sum(v * v)
    s = np.sum(v)
    if t > 0.42:
        x = t + x
        if x < -0.5:
            return x
    return s * cancelled(x, v, n - 1)


def variadic(which, x, *weights, depth=0):
    if which == 0:
        return weights[depth] * x
    return variadic(which - 1, x * x, *weights, depth=depth + 1) + weights[which]


def of_variadic(x, a, b):
    return variadic(1, x, a, b) * variadic(1, x, b, 2.0 * a, a)


def dict_of_parameters(p, n):
    if n == 0:
        return p['a']
    return p['b'] * dict_of_parameters(p, n - 1) + p['c'][0] + of_parameters(n - 1, p)


def of_parameters(n, q):
    return q['c'][1] * q['c'][0] if n < 1 else dict_of_parameters(q, n - 1) * q['w'][n]


def constants_of_a_dict(x, options, n):
    if n == 0:
        return x * options['scale']
    return constants_of_a_dict(x * x, options, n - 1) + options['shift']


TABLE = np.array([0.5, 1.5, -0.5])


def reads_globals(x, n):
    if n == len(TABLE):
        return x
    return TABLE[n] * reads_globals(x * x, n + 1) + np.sum(TABLE) * x


def inactive_recursion(x, n):
    return x * fibonacci(1.0, n)


def partly_inactive(x, n):
    return x * network(np.ones(n), 0.5) + network(x * np.ones(n), 0.5)


OTHERS = [
    (mutual, (0.9,), (0,)),
    (even, (0.9, 6), (0,)),
    (first_of_three, (0.8, 5), (0,)),
    (second_of_three, (0.8, 5), (0,)),
    (calls_a_helper, (0.8, 3), (0,)),
    (closure, (1.2, 0.4), (0, 1)),
    (closures_of_two, (0.7, 0.4), (0, 1)),
    (closure_late, (1.2,), (0,)),
    (closure_over_arrays, (X, X[:2]), (0, 1)),
    (integral_of_lambda, (1.2, 0.4), (0, 1)),
    (adaptive_integral, (1.2, 1.4), (0, 1)),
    (of_two_results, (0.8, 3), (0,)),
    (one_of_two_results, (0.8, 3), (0,)),
    (tangent_of, (0.8,), (0,)),
    (of_arrays_and_numbers, (X[:3], 2), (0,)),
    (unread_result, (0.8, 2), (0,)),
    (nested_calls, (0.8, 3), (0,)),
    (twice_the_same, (X[:2], 2), (0,)),
    (of_takes_two, (X[:2],), (0,)),
    (called_in_a_loop, (0.8, 4), (0,)),
    (called_in_a_branch, (1.8, 3), (0,)),
    (called_in_a_branch, (0.8, 3), (0,)),
    (tree_of_constants, (X[:2], 0.4), (0, 1)),
    (reads_globals, (0.8, 0), (0,)),
    (none_or_number, (1.2, 3), (0,)),
    (over_branches, (0.8,), (0,)),
    (over_rows, (M,), (0,)),
    (cancelled, (0.7, X[:3], 2), (0, 1)),
    (of_variadic, (0.7, 1.2, 0.4), (0, 1, 2)),
    (dict_of_parameters, ({'a': 1.2, 'b': 0.8, 'c': (0.3, 0.4), 'w': X}, 4), (0,)),
    (constants_of_a_dict, (0.7, {'scale': 3.0, 'shift': 1.0}, 2), (0,)),
    (inactive_recursion, (0.8, 5), (0,)),
    (partly_inactive, (0.8, 5), (0,)),
]


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
    module = types.ModuleType('recursive_helper')
    module.np = np
    df = tangent.grad(mutual)
    before = df(0.9)
    old = HERE.odd
    try:
        HERE.odd = lambda x, n: x * n
        after = df(0.9)
        assert after != before
        assert oracle.error((after,), oracle.gradient(mutual, (0.9,), (0,))) <= 1e-10
    finally:
        HERE.odd = old
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

    # Grad of: y = network(resistors, contact)
    bresistors = np.zeros_like(resistors)
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
