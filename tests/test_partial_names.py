"""Names that only some paths bind, and that a later branch of the same kind reads: their values are
saved where they have one."""
# ruff: noqa: SIM108

from __future__ import annotations

from typing import Any

import numpy as np
import oracle
import pytest
import tangent
from option_choices import ALL_OFF, ALL_ON, NAIVE, name_of


def number(x, r):
    for _ in range(4):
        c = x > 1.0
        if c:
            x = x * r
        else:
            k = x * 2.0
            x = x * k * x + r
        if c:
            x = x * 0.7 * r
        else:
            x = x * k * x
    return x


def test_of_a_branch(x, r):
    for _ in range(4):
        c = x > 1.0
        if c:
            x = x * r
        else:
            k = x > 0.5
            if k:
                x = x * x
        x = x * np.sin(x)
        if c:
            x = x * 0.7 * r
        elif k:
            x = x * x * r
    return x


test_of_a_branch.__test__ = False


def three_arms(x, r):
    total = 0.0
    for i in range(6):
        if i % 3 == 0:
            a = x * r
            total = total + a * a
        elif i % 3 == 1:
            b = x * x
            total = total + b * r
        x = x * 0.9 + 0.1 * np.sin(x)
        if i % 3 == 0:
            total = total * a + x
        elif i % 3 == 1:
            total = total * b * a
    return total


def before_the_loop(x, r):
    if r > 0.8:
        k = x * r
    for _ in range(3):
        if r > 0.8:
            x = x * k + np.sin(k)
        else:
            x = x * r
    if r > 0.8:
        x = x * k
    return x


def array(v, r):
    x = v * 1.0
    for i in range(4):
        wide = np.sum(x) > 1.5
        if wide:
            half = x * 0.5
            x = half * half + r
        x = x * np.cos(x)
        if wide:
            x = x * half
        else:
            x = x + r * i
    return np.sum(x)


def cut(x, r):
    for i in range(5):
        c = x > 1.0
        if c:
            k = x * r
            x = k * k * 0.3
        else:
            x = x * 1.3 + r
        if i == 3:
            break
        if c:
            x = x + k * x
        else:
            x = x * r
    return x


CASES: list[tuple[Any, tuple[Any, ...]]] = [
    (number, (1.3, 0.6)),
    (number, (0.3, 0.9)),
    (test_of_a_branch, (1.3, 0.6)),
    (test_of_a_branch, (0.3, 0.9)),
    (test_of_a_branch, (0.9, 1.4)),
    (three_arms, (0.7, 0.4)),
    (before_the_loop, (0.7, 0.9)),
    (before_the_loop, (0.7, 0.4)),
    (array, (np.array([0.3, 0.9, 0.8]), 0.2)),
    (array, (np.array([0.1, -0.2, 0.3]), 0.2)),
    (cut, (1.3, 0.6)),
    (cut, (0.6, 0.8)),
]
CHECKPOINTS = {'checkpoint_config': {'enabled': True, 'min_length': 1}}


@pytest.mark.parametrize('choice', [{}, NAIVE, ALL_ON, ALL_OFF, CHECKPOINTS], ids=str)
@pytest.mark.parametrize(('f', 'args'), CASES, ids=lambda part: getattr(part, '__name__', ''))
def test_gradients(f: Any, args: tuple[Any, ...], choice: dict[str, Any]) -> None:
    want = oracle.gradient(f, args, (0, 1))
    got = tangent.grad(f, wrt=(0, 1), **choice)(*args)
    assert oracle.error(got, want) <= 1e-10, name_of(choice)


def test_what_is_not_bound_raises() -> None:
    def f(x):
        for i in range(3):
            if i > 1:
                k = x * x
            x = x * k
        return x

    with pytest.raises(UnboundLocalError):
        f(0.5)
    with pytest.raises(UnboundLocalError):
        tangent.grad(f)(0.5)
