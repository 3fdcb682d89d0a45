"""Lists that hold views of one array: what becomes of one list is not seen by the other."""

from __future__ import annotations

from typing import Any

import numpy as np
import oracle
import pytest
import tangent


def both_filled(y, k):
    a, b = [], []
    for _ in range(2):
        a.append(y[:1])
        b.append(y[1:])
    return np.sum(a[0] * b[1]) + k * a[1][0]


def popped(y, k):
    a, b = [y[:1], y[1:]], [y[1:]]
    b.append(a[0])
    z = a.pop()
    b.append(z * k)
    return np.sum(b[2] * a[0] * b[1]) + k


def layers(y, k):
    weights, offsets = [], []
    for i in range(2):
        weights.append(y[i : i + 1].reshape(1, 1))
        offsets.append(y[i : i + 1])
    x = np.array([[k], [2.0]])
    for w, b in zip(weights, offsets):  # noqa: B905
        x = np.tanh(x @ w + b)
    return np.sum(x)


def other_name(y, k):
    a = [y[:1], y[1:]]
    b = a
    if k > 0.0:
        b = [y[:1], y[1:], y]
    a.append(y[:1] * k)
    return np.sum(b[2] * a[0]) + k


def written_item(y, k):
    w = y * 1.0
    a, b = [], []
    for _ in range(2):
        a.append(w[:1])
        b.append(w)
    w[0] = k
    a.append(w[1:])
    return np.sum(b[0] * a[0])


@pytest.mark.parametrize('f', [both_filled, popped, layers], ids=lambda f: f.__name__)
def test_apart(f: Any) -> None:
    args = (np.array([0.5, 0.6]), 0.3)
    got = tangent.grad(f, wrt=(0, 1))(*args)
    assert oracle.error(got, list(oracle.gradient(f, args, (0, 1)))) <= 1e-12


@pytest.mark.parametrize('f', [other_name, written_item], ids=lambda f: f.__name__)
def test_shared_is_refused(f: Any) -> None:
    with pytest.raises(tangent.TangentError, match='may share its memory'):
        tangent.grad(f)(np.array([0.5, 0.6]), 0.3)
