"""Tapes of arrays of which only the shape is read keep shapes: what that saves, and where it is not
done."""

from __future__ import annotations

from typing import Any

import numpy as np
import oracle
import pytest
import tangent
from measuring import peak_memory

KEPT = {'tape_liveness': False}


def sums(x, steps):
    s = 0.0
    for _ in range(steps):
        x = x * 1.01
        s = s + np.sum(x)
    return s


def means(x, steps):
    s = 0.0
    for _ in range(steps):
        x = x * 1.01 + s
        s = s + np.mean(x)
    return s


def growing(x, steps):
    """The shape changes from step to step."""
    s = 0.0
    for _ in range(steps):
        x = np.concatenate((x * 0.5, x[:1]))
        s = s + np.mean(x) * x[0]
    return s


def spread(x, steps):
    s = np.zeros(3)
    for _ in range(steps):
        y = np.ones((4, 3)) * x
        s = s + np.mean(y, axis=0) + y[0]
        x = np.sum(s)
    return np.sum(s)


def stored(x, steps):
    """The array is stored into: it is kept as a copy where its values count."""
    y = x * 2.0
    s = 0.0
    for i in range(steps):
        y[i] = s * y[i]
        s = s + np.mean(y) + np.sum(y * y)
    return s


def branches(x, steps):
    s = 0.0
    for i in range(steps):
        if i % 2 == 0:
            x = x[:-1]
        s = s + np.mean(x) * s + np.max(x)
    return s


def cut(x, steps):
    s = 0.0
    for _ in range(steps):
        x = x + s * 0.1
        s = s + np.mean(x)
        if s > 3.0:
            break
    return s


@pytest.mark.parametrize('f', [sums, means], ids=lambda f: f.__name__)
def test_memory_of_a_loop_whose_arrays_are_needed_for_their_shape(f: Any) -> None:
    x = np.linspace(0.5, 1.5, 20_000)
    least = peak_memory(tangent.grad(f), x, 50)
    most = peak_memory(tangent.grad(f, optimizations=KEPT), x, 50)
    assert most > 45 * x.nbytes
    assert least <= 0.1 * most


@pytest.mark.parametrize(
    'f', [sums, means, growing, stored, branches, cut], ids=lambda f: f.__name__
)
@pytest.mark.parametrize('options', [{}, {'optimizations': KEPT}, {'optimized': False}], ids=str)
def test_values(f: Any, options: dict[str, Any]) -> None:
    x = np.array([0.4, 0.9, -0.3, 0.7, 1.1, 0.2])
    want = oracle.gradient(f, (x.copy(), 4), (0,))
    got = tangent.grad(f, **options)(x.copy(), 4)
    assert oracle.error((got,), want) <= 1e-10
    naive = {'optimized': False, 'optimizations': {'tape_liveness': True}}
    assert oracle.error((tangent.grad(f, **naive)(x.copy(), 4),), want) <= 1e-10


def test_of_a_number() -> None:
    want = oracle.gradient(spread, (0.3, 3), (0,))
    for options in ({}, {'optimizations': KEPT}, {'optimized': False}):
        assert oracle.error((tangent.grad(spread, **options)(0.3, 3),), want) <= 1e-10


def test_what_is_kept_is_seen_in_the_text() -> None:
    x = np.ones(3)
    assert 'x_tape.append(x.size)' in tangent.grad(means).source(x, 3)
    assert 'x_tape.append(x)\n' in tangent.grad(means, optimizations=KEPT).source(x, 3)
    assert 'tape' not in tangent.grad(sums).source(x, 3)
    assert 'x_tape.append(x)\n' in tangent.grad(sums, optimizations=KEPT).source(x, 3)


def test_a_second_order_of_shapes() -> None:
    x = np.array([0.4, 0.9, -0.3])
    for options in ({}, {'optimizations': KEPT}):
        twice = tangent.grad(tangent.grad(growing, **options), **options)
        once = tangent.grad(growing)
        step = 1e-6 * np.ones(3)
        want = (once(x + step, 3) - once(x - step, 3)) / 2e-6
        np.testing.assert_allclose(twice(x, 3), want, rtol=1e-6, atol=1e-8)
