"""Stores into elements and slices: aliases, views, arguments that share memory.

Every value is checked against the oracle, which runs the function itself on arrays of dual numbers,
so that a view is what NumPy makes of it. Texts are those of src/analysis/views.h.
"""

from __future__ import annotations

import copy
import types
from typing import Any

import numpy as np
import oracle
import pytest
import tangent


def check(f: Any, *args: Any, wrt: tuple[int, ...] = (0,)) -> Any:
    """The gradients, which have to be the oracle's; what is left in the arguments is, too."""
    given, expected = copy.deepcopy(args), copy.deepcopy(args)
    got = tangent.grad(f, wrt=wrt)(*given)
    got = got if len(wrt) > 1 else (got,)
    assert oracle.error(got, oracle.gradient(f, copy.deepcopy(args), wrt)) <= 1e-10
    f(*expected)
    for one, other in zip(given, expected, strict=True):
        np.testing.assert_array_equal(one, other)
    return got


# ------------------------------------------------------------------------------------------------
# Places


def recurrence(x):
    y = np.zeros(len(x))
    y[0] = x[0]
    for i in range(1, len(x)):
        y[i] = 0.5 * y[i - 1] * y[i - 1] + x[i]
    return np.sum(y * y)


def in_place_of_the_argument(x):
    for i in range(1, len(x)):
        x[i] = x[i] * x[i - 1]
    return np.sum(x)


def overwritten(x):
    y = 2.0 * x
    y[0] = y[1] * y[2]
    y[0] = y[0] * y[0] + x[0]
    y[-1] = 0.0
    return np.sum(y * y)


def slices(x):
    y = x * x
    y[1:] = y[:-1] * x[1:]
    y[::2] *= 3.0
    y[:2] -= x[1:]
    return np.sum(y * y)


def whole(x):
    y = x * 1.0
    y[:] = y * y
    y[...] += x
    y -= 0.5 * x
    y **= 2
    return np.sum(y)


def scalars_into_slices(x):
    y = np.ones((2, 3))
    y[:, 1] = x[0]
    y[0] = x
    y[1, :2] += x[2] * x[1]
    return np.sum(y * y)


def masks(x):
    y = x * 1.0
    y[y < 2.0] = x[1]
    y[y > 2.5] *= 2.0
    return np.sum(y * y)


def targets_of_patterns(x):
    y = np.zeros(3)
    y[0], y[2] = x[1] * x[1], x[0]
    y[0], y[1] = y[2], y[0]
    return y[0] * y[1] + y[2]


def index_that_moves(x):
    y = np.zeros(4)
    k = 0
    for v in x:
        y[k] = v * v
        k += 1  # noqa: SIM113
        y[k] += v
    return np.sum(y * y)


def chosen_place(x):
    y = x * 1.0
    if x[0] > 0.5:
        y[0] = x[1] ** 2
    else:
        y[1] = x[0]
    return np.prod(y)


def until(x):
    y = np.zeros(5)
    y[0] = x[0]
    k = 0
    while y[k] < 20.0 and k < 4:
        y[k + 1] = y[k] * x[1] + x[2]
        k += 1
    return y[k] * y[k - 1]


def double_buffer(x):
    v = np.zeros_like(x)
    for _ in range(3):
        v[1:] = x[:-1] * 2.0
        v[0] = x[-1]
        x, v = v, x
    return np.sum(x * x)


def may_be_an_array(x):
    y = 0.0
    for _ in range(3):
        y += x * x
        y *= x
    return np.sum(y)


PLACES = (
    recurrence, in_place_of_the_argument, overwritten, slices, whole, scalars_into_slices, masks,
    targets_of_patterns, index_that_moves, chosen_place, until, double_buffer,
    may_be_an_array,
)  # fmt: skip


@pytest.mark.parametrize('f', PLACES, ids=lambda f: f.__name__)
@pytest.mark.parametrize('x', [(1.0, 2.2, 3.0), (0.3, -1.5, 0.7)])
def test_stores(f: Any, x: tuple[float, ...]):
    check(f, np.array(x))


# ------------------------------------------------------------------------------------------------
# Conventions


def test_of_indices_that_repeat_the_last_store_counts():
    def assigned(x):
        y = np.zeros(2)
        y[[0, 0, 1]] = x
        return np.sum(y * y)

    def added(x):
        y = np.ones(2)
        y[[0, 0, 1]] += x
        return np.sum(y * y)

    x = np.array([1.0, 2.0, 3.0])
    assert check(assigned, x)[0].tolist() == [0.0, 4.0, 6.0]
    assert check(added, x)[0].tolist() == [0.0, 6.0, 8.0]


def test_an_array_of_integers_cuts_the_derivative_off():
    def own(x):
        y = np.zeros(2, dtype=int)
        y[0] = x
        return y[0] * x

    def given(x, k):
        k[0] = x
        return np.sum(k * x)

    assert check(own, 2.7) == (2.0,)
    assert check(given, 2.7, np.array([1, 2])) == (4.0,)


def test_what_an_array_of_integers_held_does_not_flow_through_a_store_of_real_numbers():
    def summed(y, x):
        y[0] = y[0] + 0.5 * x
        return np.sum(y * y) * x

    def added(y, x):
        y[0] += 0.5
        return np.sum(y * y) * x

    def scaled(y, x):
        y[0] *= 1.5
        return np.sum(y * y) * x

    def replaced(y, x):
        y[:1] = y[1:] + 0.5 * x
        return np.sum(y * y) * x

    def shifted(y, x):
        y[0] = y[0] + 2
        return np.sum(y * y) * x

    for f, first in ((summed, 0.0), (added, 0.0), (scaled, 0.0), (replaced, 0.0), (shifted, 20.0)):
        y = np.array([3, 4])
        by, bx = tangent.grad(f, wrt=(0, 1))(y, 2.0)
        assert by.tolist() == [first, 16.0]
        assert bx == float(np.sum(y * y))


# ------------------------------------------------------------------------------------------------
# Views


def rows(g):
    h = g * 1.0
    for i in range(1, 3):
        row = h[i]
        row[0] = row[0] * row[1]
        h[i - 1, 1] += row[0]
    return np.sum(h)


def reversed_view(g):
    y = g[0] * 2.0
    z = y[::-1]
    z[0] = z[1] * y[0]
    y[1] *= z[0]
    return np.sum(y)


def two_views(g):
    y = g[:, 0] * 1.0
    a = y[:2]
    b = y[1:]
    a[1] = b[1] * a[0]
    b[0] *= 3.0
    return np.sum(a) + np.sum(b * b)


def view_of_a_view(g):
    h = g * 1.0
    column = h[:, 1]
    tail = column[1:]
    tail[0] = column[0] * tail[1]
    return np.sum(h * h)


def rebound(g):
    h = g * 1.0
    row = h[0]
    row[1] = 2.0 * row[0]
    row = h[1]
    row[1] = 3.0 * row[0]
    return np.sum(h * h)


def another_name(g):
    h = g * 1.0
    same = h
    same[0, 0] = h[1, 1] ** 2
    h[1, 0] *= same[0, 0]
    return np.sum(same * h)


SPELLED_OUT = {
    rows: (
        'h = g * 1.0\n'
        'for i in range(1, 3):\n'
        '    h[i][0] = h[i][0] * h[i][1]\n'
        '    h[i - 1, 1] += h[i][0]\n'
        'return np.sum(h)\n'
    ),
    reversed_view: (
        'y = g[0] * 2.0\n'
        'y[::-1][0] = y[::-1][1] * y[0]\n'
        'y[1] *= y[::-1][0]\n'
        'return np.sum(y)\n'
    ),
    two_views: (
        'y = g[:, 0] * 1.0\n'
        'y[:2][1] = y[1:][1] * y[:2][0]\n'
        'y[1:][0] *= 3.0\n'
        'return np.sum(y[:2]) + np.sum(y[1:] * y[1:])\n'
    ),
    view_of_a_view: (
        'h = g * 1.0\n'
        'h[:, 1][1:][0] = h[:, 1][0] * h[:, 1][1:][1]\n'
        'return np.sum(h * h)\n'
    ),
    rebound: (
        'h = g * 1.0\n'
        'h[0][1] = 2.0 * h[0][0]\n'
        'h[1][1] = 3.0 * h[1][0]\n'
        'return np.sum(h * h)\n'
    ),
    another_name: (
        'h = g * 1.0\n'
        'h[0, 0] = h[1, 1] ** 2\n'
        'h[1, 0] *= h[0, 0]\n'
        'return np.sum(h * h)\n'
    ),
}  # fmt: skip
GRID = np.array([[1.5, 0.5], [2.0, -1.0], [0.25, 3.0]])


@pytest.mark.parametrize('f', SPELLED_OUT, ids=lambda f: f.__name__)
def test_views_are_spelled_out(f: Any):
    grid = GRID if f is not reversed_view else np.array([[1.5, 0.5, 2.0]])
    assert tangent.stages(f, grid.copy())['typed'] == SPELLED_OUT[f]
    check(f, grid)


def store_then_no_more(g):
    h = g * 1.0
    row = h[0]
    total = np.sum(h * h)
    row[0] = 100.0
    return total * row[0]


def alone(g):
    row = g[1]
    scaled = 2.0 * row
    scaled[0] = row[1]
    return np.sum(scaled * row)


def reshaped(g):
    flat = (g * 2.0).reshape(-1)
    flat[1] = flat[2] ** 2
    return np.sum(flat)


@pytest.mark.parametrize('f', [store_then_no_more, alone, reshaped], ids=lambda f: f.__name__)
def test_names_that_need_not_be_spelled_out_stay(f: Any):
    check(f, GRID)


def view_by_reshape(x):
    y = 2.0 * x
    z = y.reshape(3, 1)
    y[0] = 0.0
    return np.sum(z * y)


def either_of_two(x):
    y = x * 1.0
    z = y if x[0] > 0.0 else x * 3.0
    z[0] = 5.0 * x[1]
    return np.sum(z * y)


def index_that_changed(x):
    h = np.outer(x, x)
    i = 0
    row = h[i]
    i = 1
    row[0] = h[i, 1]
    return np.sum(row * h[0])


def through_the_argument(x):
    y = x
    y += 1.0
    return np.sum(x * y)


def out_of_a_call(x):
    y = x * 1.0
    z = np.asarray(y)
    z[0] = x[1]
    return np.sum(y * z)


@pytest.mark.parametrize(
    ('f', 'one', 'other'),
    [
        (view_by_reshape, 'y', 'z'),
        (either_of_two, 'z', 'y'),
        (index_that_changed, 'row', 'h'),
        (through_the_argument, 'y', 'x'),
        (out_of_a_call, 'z', 'y'),
    ],
)
def test_a_store_that_a_second_name_sees_is_right_or_refused(f: Any, one: str, other: str):
    x = np.array([1.0, 2.0, 3.0])
    try:
        tangent.grad(f)(x.copy())
    except tangent.InplaceModificationError as refusal:
        assert f'`{one}` is written in place' in refusal.summary
        assert f'`{other}`' in refusal.summary
        assert 'copy()' in refusal.remedy
        assert refusal.lineno > f.__code__.co_firstlineno
    else:
        check(f, x)


TABLE = np.ones(3)
mathlike = types.ModuleType('mathlike')
mathlike.TABLE = TABLE  # type: ignore[attr-defined]


def test_what_is_not_the_functions_own_is_not_stored_into():
    def directly(x):
        TABLE[0] = x[0]
        return np.sum(TABLE * x)

    def by_another_name(x):
        table = TABLE
        table[0] = x[0]
        return np.sum(TABLE * x)

    def of_a_module(x):
        table = mathlike.TABLE.reshape(3)
        table[0] = x[0]
        return np.sum(mathlike.TABLE * x)

    for f in (directly, by_another_name, of_a_module):
        with pytest.raises(tangent.InplaceModificationError) as caught:
            tangent.grad(f)(np.ones(3))
        assert caught.value.lineno > f.__code__.co_firstlineno
    assert TABLE.tolist() == [1.0, 1.0, 1.0]


# ------------------------------------------------------------------------------------------------
# Changes in place through another name, and by calls


def row_changed(g):
    y = g * 1.0
    row = y[0]
    row += g[1]
    row *= 2.0
    return np.sum(y * y)


def alias_changed(g):
    y = g * 1.0
    z = y
    y += g * g
    z -= y
    return np.sum(z * y) + np.sum(g * z)


def rows_changed(g):
    y = np.sin(g)
    for line in y:
        line[1] -= line[0] ** 2
        line *= 1.5
    for i, line in enumerate(y):
        line[0] += i
        if i > 3:
            break
    return np.sum(y * y)


def set_by_calls(g):
    y = np.zeros(2)
    np.multiply(g[0], g[1], out=y)
    np.add(y, 1.0, out=y)
    z = np.sin(y, out=y)
    w = np.empty(2)
    np.copyto(w, y * g[0])
    v = w * 2.0
    w.fill(g[0, 0])
    np.exp(g[0], out=w)
    return np.sum(y * z * w * v)


@pytest.mark.parametrize('f', [row_changed, alias_changed, rows_changed, set_by_calls])
def test_changes_through_other_names_and_by_calls(f: Any):
    check(f, np.array([[0.5, -1.2], [0.7, 0.3]]))


def test_a_variable_of_the_function_around():
    def f(x):
        s = x[0]

        def bump(a):
            nonlocal s
            s = s * x[1]
            return a * 2.0

        def outer():
            def inner():
                nonlocal s
                s += 1.0

            inner()
            inner()

        t = bump(s) + bump(s * 1.0)
        outer()
        return s * t

    check(f, np.array([0.5, -1.2]))


# ------------------------------------------------------------------------------------------------
# Arguments that share memory


def mixed(x, y):
    x[0] = 2.0 * y[0]
    return np.sum(x * y)


def only_read(x, y):
    return np.sum(x * y)


def test_arguments_that_overlap_are_refused_by_name():
    a = np.arange(6.0)
    df = tangent.grad(mixed, wrt=(0, 1))
    for x, y in ((a[:3], a[2:5]), (a[:3], a[:3]), (a[::2], a[:3]), (a[:3], a[2::-1])):
        with pytest.raises(tangent.InplaceModificationError) as caught:
            df(x, y)
        assert '`x` and `y` share memory' in caught.value.summary
        assert '`x` is written in place' in caught.value.summary
        assert caught.value.lineno == mixed.__code__.co_firstlineno
    assert a.tolist() == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]


def test_slices_of_one_array_that_do_not_overlap_are_two_arrays():
    a = np.arange(1.0, 7.0)
    want = oracle.gradient(mixed, (a[:3].copy(), a[3:].copy()), (0, 1))
    assert oracle.error(tangent.grad(mixed, wrt=(0, 1))(a[:3], a[3:]), want) <= 1e-10
    rows = np.arange(1.0, 7.0).reshape(2, 3)
    got = tangent.grad(mixed, wrt=(0, 1))(rows[0], rows[1])
    assert got[0].tolist() == [0.0, 5.0, 6.0]


def test_arguments_that_are_only_read_may_overlap():
    a = np.arange(4.0)
    got = tangent.grad(only_read, wrt=(0, 1))(a[:3], a[1:])
    assert [part.tolist() for part in got] == [[1.0, 2.0, 3.0], [0.0, 1.0, 2.0]]


class Holder:
    def __init__(self, array: Any):
        self.array = array


class SlotHolder:
    __slots__ = ('array',)

    def __init__(self, array: Any):
        self.array = array


def in_a_list(x, held):
    x[0] = 2.0 * x[1]
    return np.sum(x * held[0])


def in_a_tuple(x, held):
    x[0] = 2.0 * x[1]
    return np.sum(x * held[1][0])


def in_a_dict(x, held):
    x[0] = 2.0 * x[1]
    return np.sum(x * held['v']['w'])


def in_an_object(x, held):
    x[0] = 2.0 * x[1]
    return np.sum(x * held.array)


@pytest.mark.parametrize(
    ('f', 'holding'),
    [
        (in_a_list, lambda a: [a]),
        (in_a_tuple, lambda a: (1.0, [a])),
        (in_a_dict, lambda a: {'v': {'w': a}}),
        (in_an_object, Holder),
        (in_an_object, SlotHolder),
        (in_an_object, lambda a: types.SimpleNamespace(array=a)),
    ],
)
def test_an_array_that_is_stored_into_may_not_lie_in_another_argument(f: Any, holding: Any):
    a = np.array([1.0, 2.0])
    with pytest.raises(tangent.InplaceModificationError, match='share memory'):
        tangent.grad(f)(a, holding(a))
    with pytest.raises(tangent.InplaceModificationError, match='share memory'):
        tangent.grad(f)(a, holding(a[1:]))
    assert a.tolist() == [1.0, 2.0]
    assert tangent.grad(f)(a, holding(np.array([3.0, 5.0]))).tolist() == [0.0, 11.0]


SEEN = np.array([1.0, 2.0])
HISTORY = [1.0, 2.0]


def test_an_argument_that_is_stored_into_may_not_be_a_global_or_in_a_closure():
    inside = np.array([1.0, 2.0])

    def by_global(x):
        x[0] = 2.0 * x[1]
        return np.sum(x * SEEN)

    def by_closure(x):
        x[0] = 2.0 * x[1]
        return np.sum(x * inside)

    def by_module(x):
        x[0] = 2.0 * x[1]
        return np.sum(x * mathlike.TABLE[:2])

    for f, array in ((by_global, SEEN), (by_closure, inside), (by_module, TABLE)):
        with pytest.raises(tangent.InplaceModificationError, match='shares memory'):
            tangent.grad(f)(array[:2])
        assert array.tolist() in ([1.0, 2.0], [1.0, 1.0, 1.0])
        assert check(f, np.array([3.0, 4.0]))[0][0] == 0.0


def test_a_list_that_grows_may_not_be_another_argument_or_a_global():
    def two(x, xs, ys):
        xs.append(x)
        return xs.pop() * ys[-1] * x

    def inside(x, xs, p):
        xs.append(x)
        return xs.pop() * p['xs'][0] * x

    def outside(x, xs):
        xs.append(x)
        return xs.pop() * len(HISTORY) * x

    xs = [1.0, 2.0]
    for f, args in ((two, (xs, xs)), (inside, (xs, {'xs': xs})), (outside, (HISTORY,))):
        with pytest.raises(tangent.InplaceModificationError, match='share'):
            tangent.grad(f)(3.0, *args)
        assert len(args[0]) == 2
    assert tangent.grad(two)(3.0, [1.0, 2.0], [1.0, 2.0]) == 12.0
    assert tangent.grad(outside)(3.0, [1.0]) == 12.0


def test_parts_of_arguments_that_overlap_are_refused():
    def f(p, y):
        p['w'][0] = 2.0 * y[0]
        return np.sum(p['w'] * y)

    def g(p):
        p['w'][0] = 2.0 * p['v'][0]
        return np.sum(p['w'] * p['v'])

    a = np.arange(1.0, 5.0)
    with pytest.raises(tangent.InplaceModificationError, match='share memory'):
        tangent.grad(f)({'w': a[:3]}, a[1:])
    with pytest.raises(tangent.InplaceModificationError, match='share memory'):
        tangent.grad(g)({'w': a[:3], 'v': a[1:]})
    assert a.tolist() == [1.0, 2.0, 3.0, 4.0]
    apart = {'w': a[:2].copy(), 'v': a[2:].copy()}
    want = oracle.gradient(g, (copy.deepcopy(apart),), (0,))[0]
    got = tangent.grad(g)(apart)
    for key in ('w', 'v'):
        np.testing.assert_allclose(got[key], want[key])


# ------------------------------------------------------------------------------------------------
# A name that goes on as an array of another shape


def shortened(x):
    x = x[1:] * 2
    return x[0] * x[1]


def shortened_in_a_loop(x):
    for _ in range(2):
        x = x[1:] * x[0]
    return x[0] * x[1]


def remade(x):
    y = x * 2
    u = y[0] * y[2]
    y = x[1:] * u
    return y[0] * y[1] + u


def a_row(x):
    x = np.outer(x, x)
    x = x[1]
    return x[0] * x[1]


@pytest.mark.parametrize('f', [shortened, shortened_in_a_loop, remade, a_row])
def test_a_name_whose_shape_changes(f: Any):
    x = np.array([1.5, -0.5, 2.0, 0.7])
    want = oracle.gradient(f, (x,), (0,))
    assert oracle.error((tangent.grad(f)(x),), want) <= 1e-10


def test_a_number_for_all_of_a_joined_array_is_kept_while_its_parts_are_reversed():
    table = np.array([0.4, 0.9, 0.7])

    def f(v):
        v = np.concatenate([np.arctan2(np.linspace(0.1, 1.0, 1), v[1]), np.ones(1) * v[1]])
        return table + v.sum()

    v = np.array([0.9, -0.4])
    right = oracle.gradient(f, (v.copy(),), (0,), np.ones(3))
    assert oracle.error((tangent.grad(f)(v.copy()),), right) <= 1e-10
