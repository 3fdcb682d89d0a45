"""Dicts that a derivative flows through: by constant keys, by their methods, in loops.

Values are checked against the oracle, which runs the function itself."""
# ruff: noqa: PIE800, SIM118

from __future__ import annotations

from typing import Any

import numpy as np
import oracle
import pytest
import tangent
from test_lists import check


def assigned(x):
    d = {}
    d['a'] = x * x
    d['b'] = d['a'] * x
    return d['a'] + d['b']


def got(x):
    d = {'a': x}
    return d.get('a', 1.0) * d.get('z', 2.0) * x


def walked_items(x):
    d = {'a': x, 'bb': x * x}
    total = 0.0
    for k, v in d.items():
        total += v * len(k) + d[k] ** 3
    return total


def values(x):
    d = {'a': x, 'b': x * x}
    return sum(d.values()) * max(d.values()) * len(d)


def called(x):
    d = dict(a=x, b=x * x)
    return d['a'] * d['b']


def merged(x):
    d = {'a': x, **{'b': x * x}}
    return d['a'] * d['b']


def updated(x):
    d = {'a': x}
    d.update({'b': x * x, 'a': 3.0 * d['a']})
    y = d.pop('b')
    return y * d['a'] * len(d)


def updated_in_a_loop(x):
    d = {'a': x, 'b': 1.0}
    for _ in range(3):
        d.update({'b': d['a'] * d['b'], 'a': d['b'] + x})
    return d['a'] * d['b']


def in_arms(x):
    d = {'a': x}
    if x > 0:
        d['a'] = d['a'] * 2
    d['b'] = d['a'] * x
    if x > 1:
        d['b'] = d['b'] + 1
    for _ in range(2):
        d['a'] = d['a'] * d['b']
    return d['a'] * d['b']


def copied(x):
    d = {'a': x, 'b': 2 * x}
    e = d.copy()
    e['a'] = e['a'] * 3
    return e['a'] * d['a'] * d['b']


LOCAL = [
    assigned, got, walked_items, values, called, merged, updated, updated_in_a_loop, in_arms,
    copied,
]  # fmt: skip


@pytest.mark.parametrize('f', LOCAL, ids=lambda f: f.__name__)
def test_dicts_of_the_function(f: Any):
    for x in (1.3, -0.7):
        check(f, x)


def walked_keys(d):
    total = 0.0
    for k in d.keys():
        total += d[k] ** 2
    return total


def walked(d):
    total = 0.0
    for k in d:
        total = total * 0.5 + d[k] ** 2
    return total


def asked(d):
    total = 0.0
    if 'a' in d:
        total += d['a'] ** 2
    if 'z' not in d:
        total += d['b'] * len(d)
    return total + d.get('z', 1.0) * d.get('b')


def squares(d):
    return sum(v * v for v in d.values())


@pytest.mark.parametrize('f', [walked_keys, walked, asked, squares], ids=lambda f: f.__name__)
def test_arguments_with_numbers(f: Any):
    check(f, {'a': 1.3, 'b': 0.7})
    check(f, {'b': 1.3, 'c': 0.7, 'a': 2.0})


def of_arrays(p):
    return sum(np.sum(v * v) for v in p.values())


def weighted(p):
    return sum([np.sum(v * v) * len(k) for k, v in p.items()])


def by_name(p):
    total = 0.0
    for name, w in p.items():
        if name.startswith('w'):
            total += np.sum(w**2)
        else:
            total += np.sum(w)
    return total


@pytest.mark.parametrize('f', [of_arrays, weighted, by_name], ids=lambda f: f.__name__)
def test_arguments_with_arrays(f: Any):
    check(f, {'w1': np.ones(2), 'b': np.arange(3.0), 'w2': np.arange(4.0).reshape(2, 2)})
    check(f, {'w1': np.ones(2), 'b': 2.0})


def test_a_dict_inside_of_an_argument():
    def f(p):
        total = 0.0
        for _, v in p['layer'].items():
            total += v * p['gain']
        return total

    check(f, {'layer': {'a': 1.0, 'b': 2.0}, 'gain': 3.0})


@pytest.mark.parametrize('k', [1, 5, 7])
def test_a_set_as_a_guard(k: int):
    def f(x, k):
        if k in {1, 2, 3}:
            return x * x
        if k not in {5, 6}:
            return x
        return 3 * x

    want = oracle.gradient(f, (1.3, k), (0,))
    assert oracle.error((tangent.grad(f)(1.3, k),), want) <= 1e-10


@pytest.mark.parametrize(
    'body',
    [
        "d = {'a': x, 'a': x * x}\n    for k in ['a']:\n        d[k] = d[k] * x\n    return d['a']",
        "d = {1: x, 1.0: x * x}\n    for k in [1]:\n        d[k] = d[k] * x\n    return d[1]",
    ],
)
def test_keys_that_are_not_known(body: str, tmp_path: Any):
    path = tmp_path / 'keys.py'
    path.write_text(f'def f(x):\n    {body}\n')
    space: dict[str, Any] = {}
    exec(compile(path.read_text(), str(path), 'exec'), space)
    with pytest.raises(tangent.errors.TangentError):
        tangent.grad(space['f'])(1.3)
