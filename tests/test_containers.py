"""Containers whose keys and lengths the run decides: dicts by variable keys, deques, lists of lists
that are written, sorting by keys; results that are dicts, and what is in them.

Values are checked against the oracle, which runs the function itself."""
# ruff: noqa: B007

from __future__ import annotations

import collections
import copy
from collections import deque
from typing import Any

import numpy as np
import oracle
import pytest
import tangent
from test_lists import check


def dict_of_two(x):
    return {'a': x * x, 'b': x * 3.0}


def nested(x, y):
    return {'a': (x * x, [y, 2.0 * x]), 'b': {'c': x**3 * y}}


def dict_in_a_variable(x):
    d = {'a': x}
    d['b'] = d['a'] * x
    return d


def dict_in_arms(x):
    if x > 0:
        return {'a': x, 'b': x * x}
    return {'a': -x, 'b': 2 * x}


def dict_of_list_and_array(x):
    trace = []
    value = 1.0
    for _ in range(3):
        value = value * np.sum(x)
        trace.append(value)
    return {'trace': trace, 'rows': x * x, 'last': trace[-1]}


def list_of_lists(x):
    return [[x, x * x], [x**3]]


def rows_of_a_loop(x):
    return [[x**i + j for j in range(2)] for i in range(3)]


def tuple_with_dict(x):
    return x * x, {'b': x}


def memo(x):
    d = {0: 1.0}
    for k in range(1, 5):
        d[k] = d[k - 1] * x + k
    return d[4] + d[2]


def grid(x, y):
    d = {}
    for i in range(3):
        for j in range(3):
            if i == 0 or j == 0:
                d[i, j] = x * (i + 1) + y * j
            else:
                d[i, j] = d[i - 1, j] * d[i, j - 1] * 0.1
    return d[2, 2] * d[1, 2]


WORDS = ['a', 'b', 'a', 'c', 'a']


def counts(w):
    d = {}
    for k, word in enumerate(WORDS):
        d[word] = d.get(word, 0.0) + w * w * k
    return sum(v * v for v in d.values()) + d['a'] ** 2


def counts_in_branches(w):
    d = {}
    for k, word in enumerate(WORDS):
        if word in d:
            d[word] += w * k
        else:
            d[word] = w * w
    total = 0.0
    for word, v in d.items():
        total = 0.5 * total + v**2 * len(word)
    return total


def overwritten_entries(x):
    d = {}
    total = 0.0
    for k in range(6):
        d[k % 2] = x**k
        total += d[k % 2] ** 2 * d[0]
    return total


def entries_read_and_scaled(x):
    d = {}
    for k in range(3):
        d[k] = x * k
    for _ in range(2):
        for k in d:
            d[k] = d[k] * d[k] + x
    return sum(d.values()) * d[1]


def dict_of_arrays(x):
    d = {}
    for k in range(3):
        d[k] = x * k + 1.0
    for k in range(1, 3):
        d[k] = d[k] * d[k - 1]
    return np.sum(d[2] * d[0])


def new_dict_in_a_loop(x):
    total = x
    for _ in range(3):
        d = {}
        for k in range(2):
            d[k] = total * x + k
        total = d[0] * d[1]
    return total


def filled_dict_as_result(x):
    d = {}
    for k in range(3):
        d[k] = x**k
    return d


def tuple_keys(x):
    d = {(0, 1): x, (1, 0): x * x}
    return d[(0, 1)] * d[1, 0]


def set_by_default(x):
    d = {'a': x}
    d.setdefault('b', x * x)
    y = d.setdefault('a', 5.0)
    return d['a'] * d['b'] * y


def queue(x):
    q = deque([x, x * x])
    q.append(x)
    return q.popleft() * q[0]


def window(x):
    q = collections.deque(maxlen=3)
    total = 0.0
    for k in range(6):
        q.append(x**k)
        total += sum(q) * 0.1
    return total + q[0] * q[-1]


def both_ends(x):
    q = deque()
    q.append(x)
    q.appendleft(x * x)
    for k in range(3):
        q.append(q.popleft() * x)
        q.appendleft(q[-1] + k)
    total = 0.0
    for v in q:
        total = total * 0.5 + v
    return total * q.pop()


def delayed(x, n):
    q = deque([0.0, 0.0], maxlen=2)
    total = 0.0
    for k in range(4):
        total += q[0] * x
        q.append(total + x)
    return total


def sorted_by(xs):
    ys = sorted(xs, key=lambda v: -v)
    return ys[0] * 3.0 + ys[2] ** 2


def sorted_downwards(xs):
    ys = sorted(xs, reverse=True)
    return ys[0] * 3.0 + ys[2] ** 2


def sorted_by_downwards(xs):
    ys = sorted(xs, key=abs, reverse=True)
    return ys[0] * 3.0 + ys[2] ** 2


def sorted_in_place(xs):
    ys = [v * v for v in xs]
    ys.sort(reverse=True)
    return ys[0] * 3.0 + ys[2] ** 2


def walked_in_order(xs):
    total = 0.0
    for k, v in enumerate(sorted(xs, key=lambda v: (v - 0.5) ** 2)):
        total += k * v * v
    return total


def rows_by_index(w, x):
    total = 0.0
    for i in range(len(w)):
        for j in range(len(w[i])):
            total += w[i][j] * x ** (i + j)
    return total


def rows_by_loops(w):
    total = 0.0
    for row in w:
        for v in row:
            total += v * v
    return total * w[0][0]


def rows_unpacked(w):
    total = 0.0
    for a, b in w:
        total += a * b
    return total


def matrix_times_vector(a, x):
    out = []
    for row in a:
        s = 0.0
        for j in range(len(row)):
            s += row[j] * x[j]
        out.append(s)
    return sum(v * v for v in out)


def matrix_product(a, b):
    n, m, k = len(a), len(b[0]), len(b)
    c = [[0.0] * m for _ in range(n)]
    for i in range(n):
        for j in range(m):
            for p in range(k):
                c[i][j] += a[i][p] * b[p][j]
    return c[0][0] * c[1][1] - c[0][1] * c[1][0]


def elimination(a, b):
    n = len(b)
    for k in range(n):
        for i in range(k + 1, n):
            f = a[i][k] / a[k][k]
            for j in range(k, n):
                a[i][j] -= f * a[k][j]
            b[i] -= f * b[k]
    x = [0.0] * n
    for i in range(n - 1, -1, -1):
        s = b[i]
        for j in range(i + 1, n):
            s -= a[i][j] * x[j]
        x[i] = s / a[i][i]
    return sum(v * v for v in x)


def transposed(w):
    t = [[row[j] for row in w] for j in range(len(w[0]))]
    return t[0][1] * t[1][0] * t[1][1]


def table_of_paths(w):
    best = [[0.0] * len(w[0]) for _ in range(len(w))]
    for i in range(len(w)):
        for j in range(len(w[0])):
            before = 0.0
            if i > 0:
                before = best[i - 1][j]
            if j > 0 and best[i][j - 1] > before:
                before = best[i][j - 1]
            best[i][j] = before + w[i][j] ** 2
    return best[-1][-1]


def entries_of_arms(x):
    d = {}
    for k in 'a', 'b':
        if x:
            d[k] = x
    e = {'a': x}
    if x > 2.0:
        e['b'] = x
    return d['a'] * e.get('b', 1.0) * x


def best_entry(x):
    d = {}
    for k in range(4):
        d[k] = (x - k) ** 2
    ordered = 0.0
    for k in sorted(d):
        ordered = ordered * 0.5 + d[k]
    return max(d.values()) * len(d) + ordered


def dict_beside_a_number(x):
    d = {}
    for k in range(3):
        d['k' + str(k)] = x**k
    return d, x * x


def parameter_by_two_names(xs):
    ys = xs
    ys[0] = 3.0 * ys[0]
    return xs[0] * ys[0] + xs[1]


def second_name(x):
    xs = [x, x]
    ys = xs
    ys[0] = x * x
    ys.append(x**3)
    return xs[0] * xs[1] * xs[2]


def extended_by_itself(xs):
    ys = [xs[0], xs[1]]
    ys.extend([ys[0] * 2, ys[1] * ys[0]])
    return ys[3] * ys[1]


def pairs_appended(x):
    ps = []
    for k in range(4):
        ps.append((x**k, x + k))
    total = 0.0
    for a, b in ps:
        total += a * b
    return total


def pairs_by_the_last(x, y):
    ps = [(x, 1.0)]
    for k in range(3):
        a, b = ps[-1]
        ps.append((a * y + k, b + ps[-1][0]))
    return ps[-1][0] * ps[1][1]


def pairs_as_a_stack(x):
    todo = [(x, 0), (x * x, 1)]
    total = 0.0
    while todo:
        value, depth = todo.pop()
        if depth < 3:
            todo.append((value * 0.5, depth + 1))
            if depth == 1:
                todo.append((value * x, depth + 2))
        else:
            total = 0.7 * total + value**2
    return total


def records_stepped(x, dt):
    ps = [{'x': x * k, 'v': x + k, 'name': 'p'} for k in range(3)]
    for _ in range(2):
        for p in ps:
            p['x'] += p['v'] * dt
            p['v'] *= 0.9
    return sum(p['x'] ** 2 for p in ps)


def records_in_pairs(x):
    ps = []
    for k in range(4):
        ps.append({'mass': x + k, 'at': x * x * k})
    total = 0.0
    for i, p in enumerate(ps):
        for j in range(i + 1, len(ps)):
            total += p['mass'] * ps[j]['mass'] / (1.0 + (p['at'] - ps[j]['at']) ** 2)
    return total


def records_by_index(x):
    ps = [{'x': x, 'v': 1.0}, {'x': x * x, 'v': 2.0}]
    for k in range(4):
        ps[k % 2]['x'] = ps[k % 2]['x'] * x + ps[(k + 1) % 2]['v']
    for p in reversed(ps):
        p['v'] = p['v'] * p['x']
    return ps[0]['v'] + ps[1]['v'] * ps[1]['x']


def record_replaced(x):
    ps = [(x, x), (1.0, x * x)]
    ps[0] = (ps[1][1], ps[0][0] * 2.0)
    return ps[0][0] * ps[0][1] + ps[1][0]


MATRIX = [[1.5, 0.3], [0.2, 2.1]]
RAGGED = [[0.5], [1.5, -0.3], [0.2, 2.1, 0.7]]
THREE = [0.7, 1.9, -0.4]
VECTOR = np.array([0.3, 1.1, -0.7])

CASES: list[tuple[Any, tuple[Any, ...]]] = [
    *[(f, (1.3,)) for f in (dict_of_two, dict_in_a_variable, dict_in_arms, list_of_lists,
                            rows_of_a_loop, tuple_with_dict, memo, counts, counts_in_branches,
                            overwritten_entries, entries_read_and_scaled, new_dict_in_a_loop,
                            filled_dict_as_result, tuple_keys, set_by_default, queue, window,
                            entries_of_arms, best_entry, dict_beside_a_number,
                            both_ends, second_name, pairs_appended, pairs_as_a_stack,
                            records_in_pairs, records_by_index, record_replaced)],
    (pairs_by_the_last, (1.3, 0.4)),
    (records_stepped, (1.3, 0.1)),
    (nested, (1.3, 0.7)),
    (grid, (1.3, 0.7)),
    (dict_of_list_and_array, (VECTOR,)),
    (dict_of_arrays, (VECTOR,)),
    *[(f, (THREE,)) for f in (sorted_by, sorted_downwards, sorted_by_downwards, sorted_in_place,
                              walked_in_order, extended_by_itself, parameter_by_two_names)],
    (rows_by_index, (RAGGED, 1.2)),
    (rows_by_index, ([[0.1, 0.2]] * 1 + [[0.3 * k] for k in range(12)], 0.9)),
    (rows_by_loops, (RAGGED,)),
    (rows_unpacked, (MATRIX,)),
    (matrix_times_vector, (MATRIX, [0.3, 0.8])),
    (matrix_product, (MATRIX, [[0.1, 0.2], [0.7, 0.4]])),
    (elimination, (MATRIX, [0.3, 0.8])),
    (elimination, ([[2.0, 0.3, 0.1], [0.2, 1.5, 0.4], [0.6, 0.1, 3.0]], [0.3, 0.8, 0.5])),
    (transposed, (MATRIX,)),
    (table_of_paths, ([[0.3, 0.9, 0.2], [1.1, 0.4, 0.8]],)),
]  # fmt: skip


@pytest.mark.parametrize(('f', 'args'), CASES, ids=lambda v: getattr(v, '__name__', ''))
def test_reverse(f: Any, args: tuple[Any, ...]) -> None:
    check(f, *args)


@pytest.mark.parametrize(('f', 'args'), CASES, ids=lambda v: getattr(v, '__name__', ''))
def test_forward(f: Any, args: tuple[Any, ...]) -> None:
    """The derivative in the direction of the arguments themselves."""
    wrt = tuple(range(len(args)))
    answer = oracle.differentiate(f, copy.deepcopy(args), wrt)
    direction = np.concatenate(
        [np.ravel(part) for arg in args for part in oracle.leaves(arg)]
    )
    got = tangent.jvp(f, wrt=wrt)(*copy.deepcopy(args), *copy.deepcopy(args))
    numbers = np.concatenate([np.ravel(part) for part in oracle.leaves(got)])
    assert oracle.error(numbers, answer.jacobian @ direction) <= 1e-10


@pytest.mark.parametrize('optimized', [True, False])
def test_without_passes(optimized: bool) -> None:
    for f, args in CASES:
        wrt = tuple(range(len(args)))
        want = oracle.gradient(f, copy.deepcopy(args), wrt)
        got = tangent.grad(f, wrt=wrt, optimized=optimized)(*copy.deepcopy(args))
        assert oracle.error(got if len(wrt) > 1 else (got,), want) <= 1e-10, f.__name__


def test_delayed() -> None:
    want = oracle.gradient(delayed, (0.7, 3), (0,))
    assert oracle.error((tangent.grad(delayed)(0.7, 3),), want) <= 1e-10


# Seeds


def test_seed_of_a_dict() -> None:
    df = tangent.grad(dict_of_two)
    assert df(1.3, init_grad={'a': 2.0, 'b': 0.0}) == pytest.approx(4.0 * 1.3)
    assert df(1.3, {'b': 1.0, 'a': 0.0}) == pytest.approx(3.0)
    assert tangent.vjp(dict_of_two)(1.3, {'a': 1.0, 'b': 1.0}) == pytest.approx(5.6)


def test_seed_of_what_is_nested() -> None:
    seed = {'a': (0.5, [2.0, 0.0]), 'b': {'c': 3.0}}
    want = oracle.gradient(nested, (1.3, 0.7), (0, 1), seed=seed)
    got = tangent.grad(nested, wrt=(0, 1))(1.3, 0.7, init_grad=seed)
    assert oracle.error(got, want) <= 1e-10


def test_seed_of_a_filled_dict() -> None:
    df = tangent.grad(filled_dict_as_result)
    assert df(1.3, {0: 1.0, 1: 0.0, 2: 2.0}) == pytest.approx(2.0 * 2 * 1.3)
    with pytest.raises(tangent.ShapeError):
        df(1.3, {0: 1.0})


@pytest.mark.parametrize(
    'seed', [{'a': 1.0}, {'a': 1.0, 'b': 1.0, 'c': 1.0}, (1.0, 1.0), [1.0], 'a', np.ones(2)]
)
def test_seed_with_other_parts(seed: Any) -> None:
    with pytest.raises(tangent.ShapeError, match="'a', 'b'"):
        tangent.grad(dict_of_two)(1.3, init_grad=seed)


def test_value_beside_the_gradient() -> None:
    value, gradient = tangent.value_and_grad(dict_of_two)(2.0)
    assert value == {'a': 4.0, 'b': 6.0}
    assert gradient == 7.0


def test_weights_of_parts() -> None:
    df = tangent.grad(tuple_with_dict, output_weights=(2.0, 5.0))
    assert df(1.3) == pytest.approx(2.0 * 2.0 * 1.3 + 5.0)
    df = tangent.grad(tuple_with_dict, output_index=1)
    assert df(1.3) == 1.0


# Refusals


def same_row_twice(x):
    c = [[0.0] * 2] * 2
    c[0][0] = x
    return c[1][0]


def row_appended_twice(x):
    row = [x]
    c = []
    for _ in range(2):
        c.append(row)
    c[0][0] = x * x
    return c[1][0]


def deque_returned(x):
    return deque([x, x * x])


def deque_by_two_names(x):
    q = deque([x])
    r = q
    r.append(x * x)
    return q[1]


def deque_extended(x):
    q = deque(maxlen=2)
    q.extend([x, x * x])
    return q[0]


def results_with_other_keys(x):
    if x > 0:
        return {'a': x}
    return {'b': x}


@pytest.mark.parametrize(
    'f',
    [same_row_twice, row_appended_twice, deque_returned,
     deque_by_two_names, deque_extended, results_with_other_keys],
    ids=lambda f: f.__name__,
)  # fmt: skip
def test_refused(f: Any) -> None:
    with pytest.raises((tangent.TangentError, SyntaxError, TypeError)) as caught:
        tangent.grad(f)(1.3)
    assert 'Instead' in str(caught.value)


def written_rows(w):
    w[0][0] = w[1][0] * 2.0
    for k in range(2):
        w[k][0] = w[k][0] * w[0][0]
    return w[0][0] + w[1][0]


def test_rows_that_the_caller_shares() -> None:
    row = [0.3]
    with pytest.raises(tangent.TangentError):
        tangent.grad(written_rows)([row, row])
    check(written_rows, [[0.3], [0.7]])
