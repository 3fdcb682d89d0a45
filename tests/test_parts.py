"""Containers: parts of arguments, and tuples, lists and dicts of the function, as variables.

Values are checked against the oracle, which runs the function itself; texts by what the core
program is (src/lower/parts.h, src/lower/fields.h).
"""

from __future__ import annotations

import collections
import dataclasses
import types
from typing import Any

import numpy as np
import oracle
import pytest
import tangent


def check(f: Any, *args: Any, wrt: tuple[int, ...] = (0,)) -> Any:
    """The gradients, which have to be the oracle's."""
    got = tangent.grad(f, wrt=wrt)(*args)
    got = got if len(wrt) > 1 else (got,)
    want = oracle.gradient(f, args, wrt)
    assert oracle.error(got, want) <= 1e-10
    return got


def core_of(f: Any, *args: Any) -> str:
    return tangent.stages(f, *args)['core']


# ------------------------------------------------------------------------------------------------
# Containers of the function


def dict_state(x, n):
    state = {'x': x, 'v': 0.0}
    for _ in range(n):
        state['v'] = state['v'] + state['x']
        state['x'] -= 0.1 * state['v']
    return state['x'] * state['v']


def tuple_rebound(x, y):
    pair = (x, y)
    for _ in range(3):
        pair = (pair[1], pair[0] * pair[1])
    a, b = pair
    return a * len(pair) + b


def list_stored(x, y):
    w = [x, y]
    w[0] = w[0] * w[1]
    w[1] += w[-2]
    return w[0] * w[1]


def of_containers(x, y):
    s = {'p': {'q': x}, 'l': [y, 1.0]}
    s['p']['q'] = s['p']['q'] * s['l'][0]
    return s['p']['q'] + s['l'][1]


def names_that_are_taken(x, y):
    d = {'x': 2.0 * x, 'lambda': y, 'a b': x, 3: y}
    d_x = 3.0
    return d['x'] * d['lambda'] * d['a b'] * d_x + d[3]


def handed_to_a_library(x, y):
    parts = [x, x * y]
    return np.sum(parts) * np.prod(np.array(parts))


def returned(x, y):
    pair = (x * y, x)
    return pair


def arrays_inside(x, y):
    d = {'a': np.zeros(2), 'b': y}
    d['a'][0] = x * x
    return d['a'][0] * np.sum(d['a']) + d['b']


def on_both_paths(x, y):
    if x > y:  # noqa: SIM108
        p = (x, y)
    else:
        p = (y, 2.0 * x)
    return p[0] * p[1] * p[1]


def copied_tuple(x, y):
    a = (x, y)
    b = a
    a = (y * b[0], x)
    return a[0] * b[0] + a[1] * b[1]


REPLACED = {
    dict_state: (
        (1.0, 3),
        'state_x = x\n'
        'v = 0.0\n'
        'for _ in range(n):\n'
        '    v = v + state_x\n'
        '    state_x -= 0.1 * v\n'
        'return state_x * v\n',
    ),
    tuple_rebound: (
        (1.5, 2.0),
        'pair_0 = x\n'
        'pair_1 = y\n'
        'for _ in range(3):\n'
        '    new_pair_0 = pair_1\n'
        '    pair_1 = pair_0 * pair_1\n'
        '    pair_0 = new_pair_0\n'
        'a = pair_0\n'
        'b = pair_1\n'
        'return a * 2 + b\n',
    ),
    list_stored: (
        (3.0, 2.0),
        'w_0 = x\nw_1 = y\nw_0 = w_0 * w_1\nw_1 += w_0\nreturn w_0 * w_1\n',
    ),
    of_containers: (
        (3.0, 2.0),
        'q = x\nl_0 = y\nl_1 = 1.0\nq = q * l_0\nreturn q + l_1\n',
    ),
    names_that_are_taken: (
        (3.0, 2.0),
        'd_x2 = 2.0 * x\n'
        'lambda_ = y\n'
        'd_part = x\n'
        'd_3 = y\n'
        'd_x = 3.0\n'
        'return d_x2 * lambda_ * d_part * d_x + d_3\n',
    ),
    handed_to_a_library: (
        (3.0, 2.0),
        'parts_0 = x\n'
        'parts_1 = x * y\n'
        'return np.sum([parts_0, parts_1]) * np.prod(np.array([parts_0, parts_1]))\n',
    ),
    returned: ((3.0, 2.0), 'pair_0 = x * y\npair_1 = x\nreturn pair_0, pair_1\n'),
    arrays_inside: (
        (3.0, 2.0),
        'a = np.zeros(2)\nb = y\na[0] = x * x\nreturn a[0] * np.sum(a) + b\n',
    ),
    on_both_paths: (
        (3.0, 2.0),
        'if x > y:\n'
        '    p_0 = x\n'
        '    p_1 = y\n'
        'else:\n'
        '    p_0 = y\n'
        '    p_1 = 2.0 * x\n'
        'return p_0 * p_1 * p_1\n',
    ),
    copied_tuple: (
        (3.0, 2.0),
        'a_0 = x\n'
        'a_1 = y\n'
        'b_0 = a_0\n'
        'b_1 = a_1\n'
        'a_0 = y * b_0\n'
        'a_1 = x\n'
        'return a_0 * b_0 + a_1 * b_1\n',
    ),
}


@pytest.mark.parametrize('f', REPLACED, ids=lambda f: f.__name__)
def test_containers_become_variables(f: Any):
    args, text = REPLACED[f]
    assert core_of(f, *args) == text
    check(f, *args, wrt=(0,) if isinstance(args[1], int) else (0, 1))


def list_with_two_names(x):
    a = [x, 2.0]
    b = a
    b[0] = x * x
    return a[0] * a[1]


def key_that_is_computed(x):
    d = {'a': x, 'b': 2.0}
    key = 'a'
    return d[key] * d['b']


def grown(x):
    d = {'a': x}
    d['b'] = 2.0
    return d['a'] * d['b']


def of_two_forms(x):
    p = (x, 2.0)
    if x > 1.0:
        p = [x, 2.0, 3.0]
    return p[0] * p[1]


def iterated_and_stored(x):
    w = [x, 2.0]
    total = 0.0
    for v in w:
        w[1] = 3.0 * x
        total += v
    return total


NOT_REPLACED = (list_with_two_names, key_that_is_computed, grown, of_two_forms, iterated_and_stored)


@pytest.mark.parametrize('f', NOT_REPLACED, ids=lambda f: f.__name__)
def test_a_container_that_is_needed_as_one_stays(f: Any):
    """It is right or refused, never another function."""
    try:
        tangent.grad(f)(1.5)
    except tangent.TangentError as refusal:
        assert refusal.kind in ('UnsupportedType', 'WriteInPlace')
        assert refusal.lineno > f.__code__.co_firstlineno
    else:
        check(f, 1.5)


# ------------------------------------------------------------------------------------------------
# Parts of arguments


Point = collections.namedtuple('Point', 'a b')


@dataclasses.dataclass
class Spring:
    stiffness: float
    mass: float = 2.0
    name: str = 'spring'


@dataclasses.dataclass(frozen=True)
class Frozen:
    a: float
    w: Any


class Plain:
    def __init__(self):
        self.rate = 2.0
        self.w = np.array([1.0, 3.0])
        self.unread = np.ones(3)


class Slots:
    __slots__ = ('a', 'b')

    def __init__(self):
        self.a = 2.0
        self.b = 3.0


def by_key(p):
    return p['a'] ** 2 * p['b']


def by_position(p):
    return p[0] ** 2 * p[-1]


def behind_positions(p):
    return p[0]['a'] * p[-1]['a'] * p[-1]['w'][1]


def nested(p):
    return p['in']['a'] ** 2 * p['l'][1] * np.sum(p['in']['w'])


def by_attribute(p):
    return p.a**2


def of_spring(p):
    return p.stiffness**2


def of_plain(p):
    return p.rate**2 * np.sum(p.w * p.w)


def of_frozen(p):
    return p.a * np.sum(p.w)


def in_a_loop(p):
    x = p['x']
    for _ in range(p['n']):
        x = x * p['rate'] + p['drift'][0]
    return x


ARGUMENTS = [
    (by_key, {'a': 2.0, 'b': 3.0}),
    (by_key, {'a': np.float64(2.0), 'b': 3, 'other': np.ones(2), 'label': 'x'}),
    (by_position, (2.0, 3.0)),
    (by_position, [2.0, 5.0, 3.0]),
    (behind_positions, [{'a': 2.0}, {'a': 3.0, 'w': np.array([1.0, 2.0])}]),
    (nested, {'in': {'a': 2.0, 'w': np.array([1.0, 2.0]), 'z': np.ones(2)}, 'l': [1.0, 3.0]}),
    (by_attribute, Point(2.0, 3.0)),
    (of_spring, Spring(2.0)),
    (of_plain, Plain()),
    (of_plain, types.SimpleNamespace(rate=2.0, w=np.ones(2), unread=(1.0, np.ones(2)))),
    (of_frozen, Frozen(2.0, np.ones(2))),
    (in_a_loop, {'x': 1.5, 'n': 3, 'rate': 0.5, 'drift': (0.25, 1.0)}),
]


def parts_of(value: Any) -> Any:
    """An object as a dict of what is in it, so that gradients can be compared."""
    names = [*getattr(value, '__dict__', ()), *getattr(type(value), '__slots__', ())]
    if isinstance(value, np.ndarray | np.generic) or not names:
        return value
    return {name: parts_of(getattr(value, name)) for name in names}


def assert_same(got: Any, want: Any) -> None:
    assert type(got) is type(want) or isinstance(got, int | float | np.generic)
    got, want = parts_of(got), parts_of(want)
    if isinstance(want, dict):
        assert got.keys() == want.keys()
        for key in want:
            assert_same(got[key], want[key])
    elif isinstance(want, list | tuple):
        assert len(got) == len(want)
        for one, other in zip(got, want, strict=True):
            assert_same(one, other)
    elif isinstance(want, str):
        assert got == want
    else:
        assert np.shape(got) == np.shape(want)
        np.testing.assert_allclose(got, want, rtol=1e-12)


@pytest.mark.parametrize(
    ('f', 'argument'), ARGUMENTS, ids=[f'{f.__name__}-{type(a).__name__}' for f, a in ARGUMENTS]
)
def test_the_gradient_is_of_the_arguments_own_kind(f: Any, argument: Any):
    got = tangent.grad(f)(argument)
    assert type(got) is type(argument)
    assert_same(got, oracle.gradient(f, (argument,), (0,))[0])


def test_parts_that_are_not_read_have_zeros():
    got = tangent.grad(of_plain)(Plain())
    assert got.unread.tolist() == [0.0, 0.0, 0.0]
    got = tangent.grad(by_key)({'a': 2.0, 'b': 3.0, 'c': np.ones((2, 1)), 'd': [4.0, {'e': 5}]})
    assert got['c'].tolist() == [[0.0], [0.0]]
    assert got['d'] == [0.0, {'e': 0.0}]
    spring = tangent.grad(of_spring)(Spring(2.0, 5.0, 'big'))
    assert (spring.mass, spring.name) == (0.0, 'big')


def test_slots():
    got = tangent.grad(by_attribute)(Slots())
    assert type(got) is Slots
    assert (got.a, got.b) == (4.0, 0.0)


def test_the_argument_itself_stays():
    point, plain = Spring(2.0), Plain()
    tangent.grad(of_spring)(point)
    tangent.grad(of_plain)(plain)
    assert (point.stiffness, point.mass, point.name) == (2.0, 2.0, 'spring')
    assert (plain.rate, plain.w.tolist()) == (2.0, [1.0, 3.0])


def test_each_structure_has_a_variant_of_its_own():
    df = tangent.grad(by_key)
    assert df({'a': 2.0, 'b': 3.0}) == {'a': 12.0, 'b': 4.0}
    assert df({'a': 2.0, 'b': 3.0, 'c': 1.0}) == {'a': 12.0, 'b': 4.0, 'c': 0.0}
    assert df({'b': 3.0, 'a': 2.0}) == {'b': 4.0, 'a': 12.0}
    assert df({'a': 2.0, 'b': np.float32(3.0)})['a'] == 12.0
    assert df({'a': 2.0, 'b': 3.0}) == {'a': 12.0, 'b': 4.0}


def test_beside_arguments_of_other_kinds():
    def f(p, x, config):
        return p['a'] * x * config['scale'] + p['w'] @ config['w']

    p = {'a': 2.0, 'w': np.array([1.0, 2.0])}
    config = {'scale': 3.0, 'w': np.array([4.0, 5.0]), 'mode': 'fast'}
    got = tangent.grad(f, wrt=('p', 'x'))(p, 1.5, config)
    assert got[0]['a'] == 4.5
    assert got[0]['w'].tolist() == [4.0, 5.0]
    assert got[1] == 6.0
    value, (dp, dx) = tangent.value_and_grad(f, wrt=('p', 'x'))(p, 1.5, config)
    assert (value, dp['a'], dx) == (f(p, 1.5, config), 4.5, 6.0)


@pytest.mark.parametrize(
    ('argument', 'error'), [({'a': 1.0}, KeyError), ({'b': 1.0}, KeyError), ((1.0,), TypeError)]
)
def test_what_is_not_there_is_pythons_own_error(argument: Any, error: type[Exception]):
    with pytest.raises(error) as expected:
        by_key(argument)
    with pytest.raises(error) as caught:
        tangent.grad(by_key)(argument)
    assert type(caught.value) is type(expected.value)
    if error is KeyError:
        assert caught.value.args == expected.value.args


def test_a_key_that_is_missing_where_it_is_not_read():
    def f(p):
        return p['a'] * p['b'] if p['a'] > 1.0 else p['a']

    def g(p):
        if p['a'] > 1.0:
            return p['a'] * p['b']
        return 3.0 * p['a']

    assert tangent.grad(f)({'a': 0.5}) == {'a': 1.0}
    assert tangent.grad(g)({'a': 0.5}) == {'a': 3.0}
    for each in (f, g):
        with pytest.raises(KeyError, match='b'):
            tangent.grad(each)({'a': 1.5})


def test_a_position_that_is_not_there():
    def f(p):
        return p[0] * p[2]

    with pytest.raises(IndexError, match='list index out of range'):
        tangent.grad(f)([1.0, 2.0])


def test_arrays_in_arguments_are_stored_into():
    def f(p):
        p['w'][0] = 2.0 * p['w'][1]
        return np.sum(p['w'] * p['w'])

    w = np.array([1.0, 2.0])
    got = tangent.grad(f)({'w': w.copy()})['w']
    np.testing.assert_allclose(got, oracle.gradient(f, ({'w': w.copy()},), (0,))[0]['w'])


def test_an_entry_that_is_bound_anew_is_refused():
    def f(p):
        p['a'] = 2.0 * p['a']
        return p['a']

    with pytest.raises(tangent.InplaceModificationError, match=r"`p\['a'\]`") as caught:
        tangent.grad(f)({'a': 1.0})
    assert caught.value.lineno == f.__code__.co_firstlineno + 1
