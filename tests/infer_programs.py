"""Programs for the tests of inference: functions, arguments, and the types of variables, which must
be at least this precise.
"""

# As a user writes them:
# ruff: noqa: B007, B905, F841, RUF059

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

rng = np.random.default_rng(3)
VECTOR = rng.normal(size=5)
OTHER = rng.normal(size=5)
MATRIX = rng.normal(size=(3, 5))
SQUARE = rng.normal(size=(4, 4)) + 4.0 * np.eye(4)
CUBE = rng.normal(size=(2, 3, 5))
ROW = rng.normal(size=(1, 5))
INTS = np.array([3, 1, 2])
SINGLE = VECTOR.astype(np.float32)
SCALE = 3.0
COUNT = 4
TABLE = np.array([1.0, 2.0, 4.0])


def polynomial(x):
    y = x**3 - 2 * x**2
    return y + 3 * x - 1


def recurrence(x):
    s = 0.0
    v = x
    for i in range(10):
        v = v * 0.999 + 0.1 * s
        if v > 2.0:
            v = v * 0.5
        s = s + v * v * 1e-4
    r = s
    return r


def int_that_becomes_float(x):
    total = 0
    for i in range(4):
        before = total
        total = total + x * i
    return before


def int_array_times_mixed(n, c):
    k = 2
    if c > 0.0:
        k = 2.5
    a = np.arange(n) * k
    b = a * 1.5
    return a, b


def number_that_becomes_array(x, n):
    total = 0.0
    for i in range(n):
        before = total
        total = total + x * i
    after = total
    return after


def dense(w1, inputs):
    h = np.tanh(inputs @ w1)
    out = h * h
    total = np.sum(out)
    return total


def affine(w, b, inputs, target):
    residual = inputs @ w + b - target
    loss = np.mean(residual**2)
    return loss


def second_difference(x):
    left = x[:-2]
    middle = x[1:-1]
    right = x[2:]
    d = left - 2.0 * middle + right
    e = np.diff(x, 2)
    return d * e


def first_difference(x, w):
    d = x[1:] - x[:-1]
    s = d * w
    n = len(x)
    inner = x[1 : n - 1]
    z = np.zeros(n - 1) + d
    return s, inner, z


def masks(x):
    positive = x[x > 0]
    kept = np.where(x > 0, x, 0.0)
    chosen = x[[0, 2, 2]]
    return positive, kept, chosen


def axes(x):
    rows = x.sum(axis=1)
    columns = np.mean(x, axis=0, keepdims=True)
    both = x.max()
    centred = x - columns
    column = rows[:, None]
    scaled = centred / column
    return scaled, both


def shapes(x):
    n, m = x.shape
    a = np.zeros((n, m))
    b = a + x
    c = np.ones(x.shape[1])
    d = b @ c
    e = x.reshape(m, n)
    f = x.reshape(-1)
    g = x.T
    k = x.shape[0]
    h = np.zeros_like(x)
    return d, e, f, g, k, h


def makers(x):
    a = np.zeros((3, 1))
    b = np.ones(4)
    c = np.linspace(0.0, 1.0, 7)
    d = np.arange(3)
    e = np.eye(3)
    f = np.full(2, x)
    g = np.array([x, 2.0 * x, 1.0])
    h = np.array([[x, 1.0], [0.0, x]])
    i = np.stack([g, g])
    j = np.concatenate([g, g])
    return a, b, c, d, e, f, g, h, i, j


def loops(x, m):
    total = 0.0
    for value in x:
        v = value
        total = total + v
    for row in m:
        r = row
        total = total + np.sum(r)
    for k, value in enumerate(x):
        p = k
        q = value
        total = total + p * q
    for a, b in zip(x, x):
        s = a * b
        total = total + s
    for i in np.arange(3):
        j = i
        total = total + x[i]
    for i in reversed(range(3)):
        u = x[i]
    for pair in ((1, 2.0), (3, 4.0)):
        first, second = pair
        w = second
    return total


def exits(x, level):
    total = 0.0
    i = 0
    while True:
        i = i + 1
        if x > level:
            found = i
            break
        x = x * 1.1
        total = total + x
    result = found + total
    return result


def returns_early(x, c):
    if c > 0:
        return x
    for i in range(3):
        if x > 100.0:
            return 1
        x = x + i
    y = x
    return y


def ternary(x, c):
    y = x if c > 0 else 1.0
    z = c and x
    t = (x, 1.0) if c > 0 else (1, x)
    u = t[0]
    return y, z, u


def helper(a, b=2.0):
    return a * b


def calls_user(x):
    y = helper(x)
    z = helper(x, b=y)
    return z


def globals_read(x):
    a = SCALE * x
    b = np.pi * x
    c = TABLE * x
    n = COUNT
    d = np.zeros(COUNT)
    e = x[:, np.newaxis] if x.ndim == 1 else x
    return a, b, c, n, d, e


def triangular(x):
    y = 0.0
    for i in range(len(x)):
        for j in range(i):
            y = y + x[i] * x[j]
    z = y
    return z


def shift_register(x, n):
    a = 0.0
    b = 0.0
    c = 0.0
    d = 0
    for i in range(n):
        d = c
        c = b
        b = a
        a = x + d
    e = d
    return e


def float_steps(n):
    h = 1.0 / n
    x = np.arange(n) * h
    y = np.arange(n) / n
    z = np.arange(1, n)
    return x, y, z


def print_and_raise(x):
    print(f"{x:.3}", end="")
    if x is None:
        raise ValueError("no x")
    assert x is not None, "no x"
    y = x * 2
    return y


def numbers(x, n):
    a = abs(x)
    b = min(x, 2)
    c = int(x)
    d = float(n)
    e = round(x, 2)
    f = n // 2
    g = n / 2
    h = n**2
    i = 2.0**-n
    j = math_sqrt(d)
    k = x > n
    m = k + k
    return a, b, c, d, e, f, g, h, i, j, k, m


def math_sqrt(x):
    return np.sqrt(x)


def solve(a, b):
    x = np.linalg.solve(a, b)
    y = np.outer(b, x)
    z = np.dot(a, x)
    w = a @ b
    return x, y, z, w


PROGRAMS: list[tuple[Callable[..., Any], tuple[object, ...], dict[str, str]]] = [
    (polynomial, (2.0,), {"y": "float"}),
    (polynomial, (2,), {"y": "int"}),
    (polynomial, (VECTOR,), {"y": "f64[n2]"}),
    (polynomial, (SINGLE,), {"y": "f32[n2]"}),
    (polynomial, (INTS,), {"y": "i64[n2]"}),
    (recurrence, (1.5,), {"s": "float", "v": "float", "r": "float"}),
    (recurrence, (1,), {"r": "float"}),
    (int_that_becomes_float, (1.5,), {"before": "float"}),
    (int_array_times_mixed, (3, 1.0), {"a": "real[n_]", "b": "f64[n_]"}),
    (int_array_times_mixed, (3, -1.0), {}),
    (number_that_becomes_array, (VECTOR, 3), {"before": "numeric[n2]", "total": "f64[n2]"}),
    (number_that_becomes_array, (VECTOR, 0), {"after": "numeric[n2]"}),
    (dense, (rng.normal(size=(5, 4)), MATRIX), {"h": "f64[n4, n3]", "total": "float"}),
    (dense, (rng.normal(size=(5, 1)), MATRIX), {"h": "f64[n3, 1]"}),
    (
        affine,
        (
            rng.normal(size=(6, 3)),
            rng.normal(size=3),
            rng.normal(size=(20, 6)),
            rng.normal(size=(20, 3)),
        ),
        {"residual": "f64[n5, n3]", "loss": "float"},
    ),
    (second_difference, (VECTOR,), {"d": "f64[n2 - 2]", "e": "f64[n2 - 2]"}),
    (second_difference, (VECTOR[:2],), {}),
    (second_difference, (VECTOR[:3],), {}),
    (
        first_difference,
        (VECTOR, rng.normal(size=4)),
        {"d": "f64[n2 - 1]", "s": "f64[n3]", "inner": "f64[n2 - 2]", "z": "f64[n2 - 1]"},
    ),
    (first_difference, (VECTOR[:2], rng.normal(size=4)), {}),
    (first_difference, (VECTOR[:2], 1.5), {}),
    (masks, (VECTOR,), {"positive": "f64[_]", "kept": "f64[n2]", "chosen": "f64[3]"}),
    (
        axes,
        (MATRIX,),
        {
            "rows": "f64[n2]",
            "columns": "f64[1, n3]",
            "both": "float",
            "centred": "f64[n2, n3]",
            "column": "f64[n2, 1]",
            "scaled": "f64[n2, n3]",
        },
    ),
    (axes, (ROW,), {"rows": "f64[1]"}),
    (
        shapes,
        (MATRIX,),
        {
            "a": "f64[n2, n3]",
            "b": "f64[n2, n3]",
            "d": "f64[n2]",
            "e": "f64[n3, n2]",
            "f": "f64[_]",
            "g": "f64[n3, n2]",
            "k": "int",
            "h": "f64[n2, n3]",
        },
    ),
    (
        makers,
        (1.5,),
        {
            "a": "f64[3, 1]",
            "b": "f64[4]",
            "c": "f64[7]",
            "d": "i64[3]",
            "e": "f64[3, 3]",
            "f": "f64[2]",
            "g": "f64[3]",
            "h": "f64[2, 2]",
            "i": "f64[2, 3]",
            "j": "f64[6]",
        },
    ),
    (makers, (2,), {"f": "i64[2]", "g": "f64[3]"}),
    (
        loops,
        (VECTOR, MATRIX),
        {
            "v": "float",
            "r": "f64[n4]",
            "p": "int",
            "q": "float",
            "s": "float",
            "j": "int",
            "u": "float",
            "w": "float",
        },
    ),
    (exits, (1.0, 5.0), {"found": "int", "result": "float"}),
    (returns_early, (1.0, 0), {"y": "float"}),
    (returns_early, (VECTOR, 1), {}),
    (ternary, (1.5, 1), {"y": "float", "z": "float", "u": "float"}),
    (ternary, (1.5, 0), {}),
    (ternary, (VECTOR, 1), {"y": "numeric[n2]", "z": "numeric[n2]"}),
    (calls_user, (VECTOR,), {"z": "f64[n2]"}),
    (globals_read, (VECTOR[:3],), {"a": "f64[n2]", "b": "f64[n2]", "n": "int", "d": "f64[_]"}),
    (triangular, (VECTOR,), {"z": "float"}),
    (shift_register, (1.5, 7), {"e": "float"}),
    (shift_register, (VECTOR, 7), {"e": "numeric[n2]"}),
    (shift_register, (VECTOR, 1), {}),
    (float_steps, (4,), {"h": "float", "x": "f64[_]", "y": "f64[_]", "z": "i64[_]"}),
    (print_and_raise, (1.5,), {"y": "float"}),
    (
        numbers,
        (1.5, 3),
        {
            "a": "float",
            "c": "int",
            "d": "float",
            "f": "int",
            "g": "float",
            "h": "int",
            "i": "float",
            "k": "bool",
            "m": "int",
        },
    ),
    (numbers, (np.float64(1.5), np.int8(3)), {}),
    (
        solve,
        (SQUARE, rng.normal(size=4)),
        {"x": "f64[n4]", "y": "f64[n4, n4]", "z": "f64[n2]", "w": "f64[n2]"},
    ),
    (solve, (SQUARE, rng.normal(size=(4, 4))), {"x": "f64[n4, n5]"}),
]
