"""Functions that call themselves, with arguments and what to differentiate."""

from __future__ import annotations

import numpy as np

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


def accumulates(x, n, total=None):
    if total is None:
        total = x * 0.5
    if n == 0:
        return total
    return accumulates(x, n - 1, total * x + 1.0)


def returns_its_argument(x, n):
    return x if n == 0 else returns_its_argument(x, n - 1)


def of_its_argument(x):
    s = x
    for k in range(3):
        s = returns_its_argument(s, k) * 0.5 + returns_its_argument(x, k)
    return np.sum(s * s * returns_its_argument(s, 1)) + x[1]


def stores_into_results(x, y, n):
    if n == 0:
        return x * y, x - y
    p, q = stores_into_results(y, x, n - 1)
    p[0] = q[1]
    return p * q, q + x


def of_stores_into_results(x):
    p, q = stores_into_results(x, 2.0 * x, 2)
    q[1] = 3.0
    return np.sum(p * q)


def local_functions(x):
    def outer(n):
        def inner(m):
            return x if m == 0 else inner(m - 1) * 0.5

        return inner(n) if n == 0 else outer(n - 1) * inner(n)

    return outer(3)


def number_then_array(x, n):
    if n == 0:
        return x
    return number_then_array(x * np.ones(3), n - 1) if n == 2 else number_then_array(x * x, n - 1)


def of_number_then_array(x):
    return np.sum(number_then_array(x, 3))


def falls_back(x, *, n, scale=2.0):
    return x if n == 0 else scale * falls_back(x, n=n - 1)


def many_ways_without_a_derivative(x, options):
    y = simpson(bell, 0.0, 1.0, 1) + constants_of_a_dict(2.0, options, 1)
    return x * (y + falls_back(0.5, n=2) + variadic(1, 0.3, 1.0, 2.0) + power(1.5, n=3))


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
    (accumulates, (0.7, 3), (0,)),
    (many_ways_without_a_derivative, (0.7, {'scale': 3.0, 'shift': 1.0}), (0,)),
    (of_its_argument, (X[:3],), (0,)),
    (of_stores_into_results, (X[:3],), (0,)),
    (local_functions, (0.7,), (0,)),
    (of_number_then_array, (0.7,), (0,)),
    (over_branches, (0.8,), (0,)),
    (over_rows, (M,), (0,)),
    (cancelled, (0.7, X[:3], 2), (0, 1)),
    (of_variadic, (0.7, 1.2, 0.4), (0, 1, 2)),
    (dict_of_parameters, ({'a': 1.2, 'b': 0.8, 'c': (0.3, 0.4), 'w': X}, 4), (0,)),
    (constants_of_a_dict, (0.7, {'scale': 3.0, 'shift': 1.0}, 2), (0,)),
    (inactive_recursion, (0.8, 5), (0,)),
    (partly_inactive, (0.8, 5), (0,)),
]
