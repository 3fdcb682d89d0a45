"""Loops over arrays that their bodies store into: elements are read when their turn comes."""

from __future__ import annotations

import itertools
import linecache
from typing import Any

import numpy as np
import oracle
import pytest
import tangent

NUMBERS = itertools.count()

RIGHT = {
    'plain': 'for e in v:\n  v[1] *= e\n  s = s*0.5 + e*e',
    'slice': 'for e in v[1:]:\n  v[2] *= e*s\n  s = s*0.5 + e*e',
    'reversed slice': 'for e in v[::-1]:\n  v[1] *= e\n  s = s*0.5 + e*e',
    'another name': 'w = v\nfor e in w:\n  v[1] *= e\n  s = s*0.5 + e*e',
    'stored by another name': 'w = v\nfor e in v:\n  w[1] *= e\n  s = s*0.5 + e*e',
    'whole array': 'for e in v:\n  v *= e\n  s = s*0.5 + e*e',
    'enumerate': 'for i, e in enumerate(v):\n  v[1] *= e\n  s = s*0.5 + e*e*i',
    'enumerate from': 'for i, e in enumerate(v, 1):\n  v[1] *= e\n  s = s*0.5 + e*e*i',
    'enumerate slice': 'for i, e in enumerate(v[1:]):\n  v[2] *= e*s\n  s = s*0.5 + e*e*i',
    'zip': 'for a, b in zip(v, v[1:]):\n  v[1] *= a\n  s = s*0.5 + a*b*b',
    'zip with range': 'for i, e in zip(range(3), v):\n  v[1] *= e\n  s = s*0.5 + e*e*i',
    'enumerate zip': 'for i, (a, b) in enumerate(zip(v, v[1:])):\n  v[1] *= a\n  s += a*b*b*i',
    'reversed': 'for e in reversed(v):\n  v[1] *= e\n  s = s*0.5 + e*e',
    'left early': 'for a, b in zip(v, v[1:]):\n  v[2] *= a\n  if b < 0:\n    break\n  s += a*b*b',
    'by a call': 'for a, b in zip(v, v[1:]):\n  s = s*0.5 + g(v, a)*b',
    'rows': 'm = np.outer(v, v)\nfor r in m:\n  m[1] *= np.sum(r)\n  s = s*0.5 + np.sum(r*r)',
    'rows of two': (
        'm = np.outer(v, v)\nfor r, q in zip(m, m[1:]):\n  m[1] *= np.sum(r)\n  s += np.sum(r*r*q)'
    ),
    'two loops': 'for a in v:\n  for b in v[1:]:\n    v[2] *= 0.5 * a\n    s = s*0.5 + a*b',
}
REFUSED = {
    'zip of a zip': 'for a, (b, c) in zip(v, zip(v, v)):\n  v[1] *= a\n  s = s + b*c',
    'bound anew': 'for e in v:\n  v[1] *= e\n  v = v * 1.5\n  s = s*0.5 + e*e',
}


def made(body: str) -> Any:
    lines = ''.join(f'  {line}\n' for line in body.split('\n'))
    text = (
        'def g(v, e):\n  v[1] *= e\n  return v[1]\n'
        f'def f(v):\n  s = np.sum(v)\n{lines}  return s + np.sum(v)\n'
    )
    filename = f'<live loop {next(NUMBERS)}>'
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    scope: dict[str, Any] = {'np': np}
    exec(compile(text, filename, 'exec'), scope)
    return scope['f']


@pytest.mark.parametrize('form', RIGHT)
def test_elements_are_read_when_their_turn_comes(form: str):
    f = made(RIGHT[form])
    v = np.array([0.7, 1.3, -0.9])
    given, expected = v.copy(), v.copy()
    got = tangent.grad(f)(given)
    f(expected)
    assert oracle.error((got,), oracle.gradient(f, (v.copy(),), (0,))) <= 1e-10
    np.testing.assert_array_equal(given, expected)


@pytest.mark.parametrize('form', REFUSED)
def test_what_cannot_be_counted_is_refused(form: str):
    with pytest.raises(tangent.TangentError):
        tangent.grad(made(REFUSED[form]))(np.array([0.7, 1.3, -0.9]))
