"""Lists and tuples that a derivative flows through: arguments by one element type, and what lists
are made of.

Values are checked against the oracle, which runs the function itself."""
# ruff: noqa: B905, RUF007

from __future__ import annotations

import copy
import itertools
from typing import Any

import numpy as np
import oracle
import pytest
import tangent


def check(f: Any, *args: Any, times: int = 2) -> Any:
    """The gradients for all arguments: right, of the arguments' own kinds, apart from them, also
    on a second call; the arguments end as f leaves them. Returns the gradient function."""
    wrt = tuple(range(len(args)))
    df = tangent.grad(f, wrt=wrt)
    want = oracle.gradient(f, copy.deepcopy(args), wrt)
    left = copy.deepcopy(args)
    f(*left)
    for _ in range(times):
        given = copy.deepcopy(args)
        got = df(*given)
        got = got if len(wrt) > 1 else (got,)
        assert oracle.error(got, want) <= 1e-10
        for argument, gradient in zip(args, got, strict=True):
            same_kind(argument, gradient)
        assert oracle.error(given, left) == 0.0
        for one, other in itertools.product(arrays_in(got), arrays_in(given)):
            assert not np.shares_memory(one, other)
    return df


def same_kind(argument: Any, gradient: Any) -> None:
    if isinstance(argument, list | tuple):
        assert type(gradient) is type(argument)
        assert len(gradient) == len(argument)
        for one, other in zip(argument, gradient, strict=True):
            same_kind(one, other)
    elif isinstance(argument, dict):
        assert list(gradient) == list(argument)
        for key, part in argument.items():
            same_kind(part, gradient[key])
    elif isinstance(argument, np.ndarray):
        assert isinstance(gradient, np.ndarray)
        assert gradient.shape == argument.shape


def arrays_in(value: Any) -> list[np.ndarray]:
    if isinstance(value, np.ndarray):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    return [a for part in value for a in arrays_in(part)] if isinstance(value, list | tuple) else []


# ------------------------------------------------------------------------------------------------
# Arguments


def items(xs):
    total = 0.0
    for v in xs:
        total += v * v
    return total


def sums(xs):
    return sum(xs) * xs[0] / len(xs)


def extremes(xs):
    return max(xs) * 2 + min(xs)


def filtered(xs):
    return sum([v * v for v in xs if v > 1.2])


def generator(xs):
    return sum(v * v for v in xs)


def counted(xs):
    total = 0.0
    for i, v in enumerate(xs):
        total += v ** (i + 1)
    return total


def backwards(xs):
    total = 0.0
    for v in reversed(xs):
        total = total * 0.5 + v * v
    return total


def by_index(xs):
    total = 0.0
    for i in range(len(xs) - 1):
        total += xs[i] * xs[i + 1]
    return total


def by_while(xs):
    total = 0.0
    i = 0
    while i < len(xs):
        total += xs[i] ** 2
        i += 1
    return total


def left_early(xs):
    total = 0.0
    for v in xs:
        if v > 2.2:
            break
        total += v * v
    return total


def twice(xs):
    total = 0.0
    for a in xs:
        for b in xs:
            total += a * b * b
    return total


def neighbours(xs):
    return sum((a - b) ** 2 for a, b in zip(xs, xs[1:]))


def neighbours_cut(xs):
    return sum((a - b) ** 2 for a, b in zip(xs[:-1], xs[1:]))


def least(xs):
    return xs[int(np.argmin(xs))]


def guarded(xs):
    if not xs or 2.0 in xs:
        return 0.0
    return xs[0] * len(xs)


def cube(v):
    return v * v * v


def cubes(ys):
    total = 0.0
    for y in ys:
        total += y**3
    return total


def handed_on(xs):
    return cubes(xs) + xs[0]


def other_name(xs):
    ys = xs
    return ys[0] * xs[-1] * sum(ys)


def as_array(xs):
    x = np.asarray(xs, dtype=float)
    return x @ x


def in_numpy(xs):
    return np.mean(xs) ** 2 + np.linalg.norm(xs) + np.sum(np.exp(xs)) + np.var(xs)


def times_array(xs):
    return np.sum(np.arange(float(len(xs))) * xs + np.array(xs) * xs)


def tail(xs):
    ys = xs[1:]
    return sum(ys) * ys[0] + xs[-1]


def smallest(xs):
    return sorted(xs)[0] * sorted(xs)[-1] + sum(sorted(xs)[1:])


ON_NUMBERS = [
    items, sums, extremes, filtered, generator, counted, backwards, by_index, by_while, left_early,
    twice, neighbours, least, guarded, handed_on, other_name, as_array, in_numpy,
    times_array, tail, smallest,
]  # fmt: skip


@pytest.mark.parametrize('f', ON_NUMBERS, ids=lambda f: f.__name__)
@pytest.mark.parametrize(
    'xs',
    [
        [1.0, 2.5, 3.0],
        (1.0, 2.5, 3.0),
        [3, 1, 2],
        [0.3, 1.7],
        [1.0 + 0.3 * k for k in range(12)],
        tuple(2.0 - 0.1 * k for k in range(9)),
    ],
    ids=str,
)
def test_a_list_of_numbers(f: Any, xs: Any):
    check(f, xs)


def test_unpacked():
    def f(p):
        a, b = p
        return a * b * b

    check(f, [2.0, 3.0])
    check(f, (2.0, 3.0))

    def shapes(p):
        w, b = p
        return np.sum(w @ np.ones(2) + b)

    check(shapes, [np.ones((3, 2)), np.arange(3.0)])
    check(shapes, [np.ones((3, 2)), 2.0])


def test_nothing_in_it():
    assert tangent.grad(items)([]) == []
    assert tangent.grad(generator)(()) == ()


def test_one_text_serves_every_length():
    df = tangent.grad(items)
    for count in (3, 1, 20, 7):
        xs = [0.5 * k for k in range(count)]
        assert df(xs) == [2.0 * x for x in xs]
        assert df.variant(xs) is df.variant([1.0, 2.0])
    assert df.variant((1.0,)) is not df.variant([1.0])
    assert df([1, 2]) == [2.0, 4.0]
    assert df([np.array([1.0, 2.0])] * 2)[1].tolist() == [2.0, 4.0]


def test_two_lists():
    def f(xs, ys):
        total = 0.0
        for a, b in zip(xs, ys):
            total += a * b * b
        return total

    check(f, [1.0, 2.0], (3.0, 4.0))
    check(f, [1.0, 2.0, 5.0], [3.0, 4.0])
    check(lambda xs, x: sum(c * x**k for k, c in enumerate(xs)), [1.0, 2.0, 3.0], 0.5)


def test_a_list_of_arrays():
    def layers(ws, x):
        for w in ws:
            x = np.tanh(w @ x)
        return np.sum(x)

    x = np.array([1.0, 2.0])
    check(layers, [np.eye(2) * 0.5 + 0.1, np.ones((2, 2)) * 0.3], x)
    check(layers, (np.eye(2) * 0.5 + 0.1, np.arange(6.0).reshape(3, 2) * 0.3), x)
    check(lambda ws: sum([np.sum(w * w) for w in ws]), [np.ones(2), np.arange(3.0)])
    check(lambda ws: np.sum(ws[0] * ws[1]), [np.ones(2), np.arange(2.0)])
    check(lambda ws: np.sum(np.stack(ws) ** 2), [np.arange(2.0), np.ones(2)])
    check(lambda ws: np.sum(np.concatenate(ws) ** 2), [np.arange(2.0), np.ones(3)])
    check(lambda ws: np.sum(np.vstack(ws) ** 2), [np.arange(2.0), np.ones(2)])
    ints = tangent.grad(lambda ws: sum([np.sum(w * w) for w in ws]))([np.arange(3)])
    assert ints[0].dtype == np.float64 and ints[0].tolist() == [0.0, 2.0, 4.0]
    single = tangent.grad(layers)([np.ones((2, 2), np.float32)], np.ones(2, np.float32))
    assert single[0].dtype == np.float32


def test_a_list_inside_of_an_argument():
    def f(p):
        x = p['x']
        for w in p['layers']['ws']:
            x = x * w + p['b']
        return x

    check(f, {'x': 1.0, 'b': 2.0, 'layers': {'ws': [1.0, 2.0, 3.0], 'unused': 1.0}})
    check(f, {'x': 1.0, 'b': 2.0, 'layers': {'ws': (1.0, 2.0)}})


def test_an_argument_that_is_changed():
    def stored(xs):
        xs[0] = xs[0] * 2 + xs[1]
        return xs[0] * xs[1]

    def grown(xs):
        xs.append(xs[0] * 2)
        return xs[-1] * xs[1]

    def shrunk(xs):
        last = xs.pop()
        return last * xs[0]

    def scaled(xs):
        for i in range(len(xs)):
            xs[i] *= 2.0
        return sum(xs) * xs[0]

    for f in (stored, grown, shrunk, scaled):
        check(f, [1.0, 2.0, 3.0])


# ------------------------------------------------------------------------------------------------
# Lists of the function


def added(xs, x):
    ys = xs + [x, 2.0 * x]
    return sum(ys) * ys[-1] * ys[0]


def repeated(xs, x):
    ys = [x, 1.0] * 3
    zs = xs * 2
    return ys[2] * zs[0] * sum(zs[1:])


def copied(xs, x):
    ys = xs.copy()
    zs = list(xs)
    ys[0] = ys[0] * x
    zs[-1] = 3.0 * zs[-1]
    return ys[0] * xs[0] + sum(zs) * x


def stepped(xs, x):
    return sum(xs[::2]) * x + sum(xs[::-1][:2]) + xs[-2:][0]


def of_a_loop(xs, x):
    ys = []
    for v in xs:
        ys.append(v * x)
        ys = ys + [v]
    return sum(ys[1:]) * ys[0]


def grown_in_an_arm(xs, x):
    total = x
    if x > 0.0:
        trace = [x]
        for v in xs:
            trace.append(0.5 * trace[-1] + v)
        total = total + trace[-1] * trace[0]
    return total


def in_an_arm_of_a_loop(xs, x):
    total = 0.0
    for v in xs:
        if v > 1.0:
            parts = [v, x]
            for _ in range(2):
                parts.append(parts[-1] * parts[-2])
            total = total + parts[-1]
    return total


@pytest.mark.parametrize(
    'f',
    [added, repeated, copied, stepped, of_a_loop, grown_in_an_arm, in_an_arm_of_a_loop],
    ids=lambda f: f.__name__,
)
@pytest.mark.parametrize('x', [0.7, -0.4])
def test_lists_that_are_made_of_lists(f: Any, x: float):
    check(f, [0.5, 1.5, 1.2], x)


# ------------------------------------------------------------------------------------------------
# Methods that change a list, and loops over displays


def popped_first(x):
    xs = [x, x * x]
    y = xs.pop(0)
    return y * xs[0]


def extended(x):
    xs = [x]
    for k in range(3):
        more = [x * k, x * x]
        xs.extend(more)
    xs.extend((2.0 * x, x))
    return sum(xs) * xs[0] * xs[-2]


def inserted(x):
    xs = [x]
    xs.insert(0, x * x)
    xs.insert(-1, x**3)
    xs.insert(9, 2.0 * x)
    return xs[0] * 2 + xs[1] * 3 + xs[2] * 5 + xs[3] * 7


def put_in_order(x):
    xs = [x * x, x, 0.1 * x]
    xs.sort()
    y = xs[0] * 3 + xs[2]
    xs.reverse()
    return y * xs[0]


def queue(x):
    waiting = [x]
    total = 0.0
    n = 0
    while waiting:
        v = waiting.pop(0)
        total += v * v
        if n < 5:
            waiting.append(v * 1.1)
            waiting.append(v * 0.5)
        n += 1
    return total


def window(x):
    last = []
    total = 0.0
    for k in range(6):
        last.append(x * x * k)
        if len(last) > 2:
            last.pop(0)
        total += sum(last) / len(last) * last[-1]
    return total


def take_first(ys):
    return ys.pop(0)


def in_a_callee(x):
    xs = [x, x * 3, x * x]
    a = take_first(xs)
    return a * xs[0] + take_first(xs)


def in_one_expression(x):
    xs = [x, 2 * x, 3 * x]
    return xs[0] * xs.pop(0) + xs[0] * xs.pop(-2)


def of_arrays(x):
    v = x * np.arange(3.0)
    q = [v, v * 2]
    q.insert(1, v * v)
    a = q.pop(0)
    q.reverse()
    return np.sum(a * q[0] * q[1])


def cleared(x):
    xs = [x, x]
    y = xs[0] * 2
    xs.clear()
    xs.append(y * y)
    return xs[0]


def over_displays(x):
    total = 0.0
    for a, b in zip((x, 2.0 * x, 1.0), [x, x * x, x]):
        total += a * b
    return sum([total * v for v in (1.0, x)])


METHODS = [
    popped_first, extended, inserted, put_in_order, queue, window, in_a_callee, in_one_expression,
    of_arrays, cleared, over_displays,
]  # fmt: skip


@pytest.mark.parametrize('f', METHODS, ids=lambda f: f.__name__)
def test_methods_that_change_a_list(f: Any):
    for x in (1.3, 0.6):
        check(f, x)


@pytest.mark.parametrize('k', [0, 1, -1, 5])
def test_a_place_that_is_known_at_run_time(k: int):
    def f(x, k):
        xs = [x, 2 * x, 3 * x]
        xs.insert(k, x * x)
        return xs[0] * 1 + xs[1] * 10 + xs[2] * 100 + xs[3] * 1000

    want = oracle.gradient(f, (1.3, k), (0,))
    assert oracle.error((tangent.grad(f)(1.3, k),), want) <= 1e-10


# ------------------------------------------------------------------------------------------------
# map and filter, used up at once


def test_map_and_filter():
    xs = [1.0, 2.5, 2.0]
    check(lambda xs: sum(map(lambda v: v * v, xs)), xs)
    check(lambda xs: sum(list(filter(lambda v: v > 1.5, xs))) ** 2, xs)
    check(lambda xs: max(map(cube, xs)) + sum(map(cube, [xs[0], 2.0])), xs)
    check(lambda xs: sum(map(np.sin, xs)) * sorted(map(cube, xs))[0], xs)

    def of_a_local(xs):
        k = xs[0]
        item = 3.0
        return sum(map(lambda v: v * k * item, xs))

    check(of_a_local, xs)

    def used_twice(xs):
        squares = map(lambda v: v * v, xs)
        return sum(squares) + sum(squares)

    with pytest.raises(tangent.errors.TangentError):
        tangent.grad(used_twice)(xs)


# ------------------------------------------------------------------------------------------------
# Lists of lists


def grid(x):
    m = [[x * (i + 1) ** j for j in range(2)] for i in range(2)]
    return m[0][0] * m[1][1]


def rows(x):
    m = []
    for i in range(3):
        m.append([x * i, x * x, 1.0])
    total = 0.0
    for row in m:
        for v in row:
            total += v * v * x
    return total


def sums_of_rows(x):
    m = [[x * i + j * x * x for j in range(3)] for i in range(3)]
    total = 0.0
    for i in range(3):
        total += sum(m[i]) * m[i][0]
    return total + m[-1][-1]


def last_row(x):
    m = []
    for i in range(3):
        m.append([x * i, x])
    row = m.pop()
    return row[0] * row[1] + m[0][1] * m[1][0]


def pairs_of_rows(x):
    m = [[x * i + j * x * x for j in range(3)] for i in range(3)]
    total = 0.0
    for a, b in zip(m, m[1:]):
        for p, q in zip(a, b):
            total += p * q
    return total


def products(x):
    n = 2
    a = [[x, 1.0], [x * x, 2.0]]
    b = [[1.0, x], [3.0, x]]
    c = [[sum([a[i][k] * b[k][j] for k in range(n)]) for j in range(n)] for i in range(n)]
    return c[0][1] * c[1][0]


def rows_of_arrays(x):
    v = x * np.arange(3.0)
    m = []
    for i in range(2):
        m.append([v * i, v * v])
    return np.sum(m[1][0] * m[0][1])


def made_an_array(x):
    m = [[x * i + 1 for i in range(2)] for _ in range(2)]
    return np.sum(np.array(m) ** 2)


def slices_of_rows(x):
    m = [[x * i, x * x] for i in range(4)]
    k = m[1:3]
    both = m[::-1] + k
    total = 0.0
    for row in both:
        total += row[0] * row[1]
    return total + sum(k[0]) + m[2][0]


def copied_rows(x):
    m = [[x * i, x] for i in range(3)]
    k = list(m)
    total = 0.0
    for row in k:
        total += row[0] * row[1] * row[1]
    for row in m:
        total += row[0] * row[0]
    return total + k[0][1]


def one_row_twice(x):
    row = [x, 2 * x]
    for _ in range(1):
        row.append(x)
    m = [row, row]
    total = 0.0
    for i in range(2):
        total += m[i][0] * m[i][2]
    return total


def ragged(x):
    m = []
    for i in range(3):
        if i > 0:
            m.append([x * i, x])
        else:
            m.append([x])
    total = 0.0
    for row in m:
        total += row[-1] * row[0]
    return total


NESTED = [
    grid, rows, sums_of_rows, last_row, pairs_of_rows, products, rows_of_arrays, made_an_array,
    slices_of_rows, copied_rows, one_row_twice, ragged,
]  # fmt: skip


@pytest.mark.parametrize('f', NESTED, ids=lambda f: f.__name__)
def test_lists_of_lists(f: Any):
    for x in (1.3, -0.6):
        check(f, x)


# ------------------------------------------------------------------------------------------------
# Lists as results


def doubled(xs):
    return [2.0 * x for x in xs]


def shifted(xs):
    return xs[1:] + [xs[0] ** 2]


def ordered(xs):
    return sorted(xs)


def two(xs):
    return [xs[0] * xs[1], xs[2]]


def arrays_and_numbers(xs):
    v = np.array(xs)
    return [v * v[0], np.sum(v)]


def arrays(xs):
    made = []
    for k in range(2):
        made.append(np.array(xs) * (k + 1))
    return made


def of_two_lengths(xs):
    if xs[0] > 2.0:
        return [xs[0]]
    return [xs[0], xs[1] * xs[2]]


RESULTS = [doubled, shifted, ordered, two, arrays_and_numbers, arrays, of_two_lengths]


@pytest.mark.parametrize('f', RESULTS, ids=lambda f: f.__name__)
def test_a_list_as_the_result(f: Any):
    for xs in ([1.0, 3.0, 2.0], (2.5, 0.5, 1.5)):
        if f is not shifted or isinstance(xs, list):
            check(f, xs)


def test_the_seed_of_a_list():
    df = tangent.grad(doubled)
    assert df([1.0, 2.0], [3.0, 4.0]) == [6.0, 8.0]
    assert df([1.0, 2.0], init_grad=0.5) == [1.0, 1.0]
    assert df([1.0, 2.0], np.array([3.0, 4.0])) == [6.0, 8.0]
    seed = [3.0, 4.0]
    df([1.0, 2.0], seed)
    assert seed == [3.0, 4.0]
    with pytest.raises(tangent.errors.ShapeError, match='3 items'):
        df([1.0, 2.0], [1.0, 2.0, 3.0])
    value, gradient = tangent.value_and_grad(doubled)([1.0, 2.0])
    assert value == [2.0, 4.0] and gradient == [2.0, 2.0]


# ------------------------------------------------------------------------------------------------
# What is refused


@pytest.mark.parametrize(
    'body',
    [
        'ys = xs\n    if xs[0] > 0.0:\n        ys = [1.0, 2.0]\n    ys[0] = 3.0 * ys[0]\n'
        '    return xs[0] * ys[0]',
        'o = xs[0] * np.ones(2)\n    ws = []\n    for v in xs:\n        ws.append(o)\n'
        '    ws[0] += 1.0\n    return np.sum(ws[0] * ws[1])',
        'ws = []\n    for v in xs:\n        ws.append(v * np.ones(2))\n    w = ws[0]\n'
        '    ws[0] += 1.0\n    return np.sum(w * ws[1])',
        'ws = []\n    for v in xs:\n        ws.append(v * np.ones(2))\n    ws[0][0] = 1.0\n'
        '    return np.sum(ws[0] * ws[1])',
        'xs.sort()\n    return xs[0]',
        'zs = [v for v in xs]\n    ys = zs\n    ys.sort()\n    return zs[0]',
        'zs = [v for v in xs]\n    d = [zs, 1.0]\n    zs.reverse()\n    return d[0][0]',
        'zs = [v for v in xs]\n    for v in zs:\n        zs.pop(0)\n    return xs[0]',
        'ws = [[v, 1.0] for v in xs]\n    for w in ws:\n        w.sort()\n    return ws[0][0]',
        'ys = np.array(xs)\n    ys.sort()\n    return ys[0]',
        'ys = 2.0 * np.array(xs)\n    ys.sort()\n    return ys[0]',
    ],
)
def test_a_write_that_another_name_sees(body: str, tmp_path: Any):
    path = tmp_path / 'written.py'
    path.write_text(f'import numpy as np\ndef f(xs):\n    {body}\n')
    space: dict[str, Any] = {}
    exec(compile(path.read_text(), str(path), 'exec'), space)
    with pytest.raises(tangent.errors.TangentError, match='in place'):
        tangent.grad(space['f'])([1.0, 2.0])
