"""Inferred types against what CPython computes.

The typed program that the engine prints is Python. It is run with a check behind every annotated
assignment: the type must hold the value, on every path. Beside that, tables of types that must not
be less precise, and the refusals.
"""

from __future__ import annotations

import ast
import importlib.util
import inspect
import itertools
import re
import sys
import types
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tangent import _core

# ---------------------------------------------------------------------------------------------------
# Whether a type, as printed, holds a value


class Lengths(dict[str, int]):
    """What the symbols of the arguments' axes stand for: n2, n3, … for the axes that are not 1."""

    def __init__(self, arguments: Iterable[object]) -> None:
        super().__init__()
        for argument in arguments:
            for length in argument.shape if isinstance(argument, np.ndarray) else ():
                if length != 1:
                    self[f'n{len(self) + 2}'] = length

    def value(self, text: str) -> int:
        return max(0, int(eval(text, {'min': min}, self)))  # noqa: S307 - printed by the engine


KINDS = {
    'bool': 'b', 'i64': 'iu', 'f16': 'f', 'f32': 'f', 'f64': 'f', 'c64': 'c', 'c128': 'c',
    'real': 'biuf', 'any': 'biufcO',
}  # fmt: skip
SIZES = {'f16': 2, 'f32': 4, 'f64': 8, 'c64': 8, 'c128': 16}
SCALARS = {'bool': 'b', 'int': 'biu', 'float': 'biuf', 'complex': 'biufc'}
OBJECTS = {
    'str': (str, bytes), 'dict': dict, 'None': type(None), 'module': types.ModuleType, 'slice': slice,
}  # fmt: skip


def is_scalar(value: object) -> bool:
    return isinstance(value, (int, float, complex, np.generic))


def has_dims(node: ast.Subscript, value: np.ndarray[Any, Any], lengths: Lengths) -> bool:
    index = node.slice
    if isinstance(index, ast.Constant) and index.value is ...:
        return value.ndim >= 1
    dims = index.elts if isinstance(index, ast.Tuple) else [index]
    if len(dims) != value.ndim:
        return False
    texts = [ast.unparse(dim) for dim in dims]
    # m… are the axes of globals.
    return all(text == '_' or re.fullmatch(r'm\d+', text) or lengths.value(text) == length
               for text, length in zip(texts, value.shape, strict=True))


def holds_array(node: ast.Subscript, value: object, lengths: Lengths) -> bool:
    dtype = ast.unparse(node.value)
    if not isinstance(value, np.ndarray) or value.dtype.kind not in KINDS[dtype]:
        return False
    if value.dtype.itemsize > SIZES.get(dtype, 99):
        return False
    return has_dims(node, value, lengths)


def holds(node: ast.expr, value: object, lengths: Lengths) -> bool:
    if isinstance(node, ast.Subscript):
        name = ast.unparse(node.value)
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if name == 'iterator':
            return True
        if name == 'tuple' or name == 'list':
            if not isinstance(value, tuple if name == 'tuple' else (list, tuple)):
                return False
            if len(parts) == 2 and ast.unparse(parts[1]) == '...':
                return all(holds(parts[0], item, lengths) for item in value)
            return len(parts) == len(value) and all(
                holds(part, item, lengths) for part, item in zip(parts, value, strict=True))
        if name == 'numeric':
            return is_scalar(value) or (isinstance(value, np.ndarray) and has_dims(node, value, lengths))
        return holds_array(node, value, lengths)
    name = ast.unparse(node)
    if name in ('Any', 'object', 'function', 'dtype'):
        return True
    if name == 'numeric':
        return is_scalar(value) or isinstance(value, np.ndarray)
    if name in SCALARS:
        return is_scalar(value) and np.asarray(value).dtype.kind in SCALARS[name]
    if name in KINDS:
        return is_scalar(value) and np.asarray(value).dtype.kind in 'biuf' + KINDS[name]
    return isinstance(value, OBJECTS[name])


# ---------------------------------------------------------------------------------------------------
# A typed program, run with checks


class Checks(ast.NodeTransformer):
    """Behind every annotated assignment a call that checks it; the annotations go."""

    def __init__(self) -> None:
        self.annotations: list[ast.expr] = []

    def visit_AnnAssign(self, node: ast.AnnAssign) -> list[ast.stmt]:
        assert isinstance(node.target, ast.Name) and node.value is not None
        number = len(self.annotations)
        self.annotations.append(node.annotation)
        assign = ast.Assign([node.target], node.value)
        check = ast.parse(f'__check__({number}, {node.target.id})').body
        return [assign, *check]


def annotations_of(function: Callable[..., Any], *arguments: object) -> dict[str, list[str]]:
    """For each variable the types that its assignments have, in the order of the text."""
    found: dict[str, list[str]] = {}
    for node in ast.walk(ast.parse(_core.typed(function, *arguments))):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found.setdefault(node.target.id, []).append(ast.unparse(node.annotation))
    return found


def check(function: Callable[..., Any], *arguments: object) -> int:
    """Runs the typed program; every value must be in its type. The number of checks that ran."""
    text = _core.typed(function, *arguments)
    tree = ast.parse(text)
    checks = Checks()
    tree = ast.fix_missing_locations(checks.visit(tree))
    lengths = Lengths(arguments)
    count = 0

    def check_value(number: int, value: object) -> None:
        nonlocal count
        count += 1
        annotation = checks.annotations[number]
        assert holds(annotation, value, lengths), (
            f'{ast.unparse(annotation)} does not hold {value!r} of '
            f'{getattr(value, "dtype", type(value))} {np.shape(value)!r} in\n{text}')

    namespace = {**function.__globals__, '__check__': check_value}
    exec(compile(tree, '<typed>', 'exec'), namespace)  # noqa: S102 - the program under test
    with warnings.catch_warnings(), np.errstate(all='ignore'):
        warnings.simplefilter('ignore')
        result = namespace[function.__name__](*arguments)
        np.testing.assert_equal(result, function(*arguments))
    return count


# ---------------------------------------------------------------------------------------------------
# Programs: arguments, and the types of variables that must be at least this precise

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
    y = x ** 3 - 2 * x ** 2
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
    loss = np.mean(residual ** 2)
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
    inner = x[1:n - 1]
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
    print(f'{x:.3}', end='')
    if x is None:
        raise ValueError('no x')
    assert x is not None, 'no x'
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
    h = n ** 2
    i = 2.0 ** -n
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
    (polynomial, (2.0,), {'y': 'float'}),
    (polynomial, (2,), {'y': 'int'}),
    (polynomial, (VECTOR,), {'y': 'f64[n2]'}),
    (polynomial, (SINGLE,), {'y': 'f32[n2]'}),
    (polynomial, (INTS,), {'y': 'i64[n2]'}),
    (recurrence, (1.5,), {'s': 'float', 'v': 'float', 'r': 'float'}),
    (recurrence, (1,), {'r': 'float'}),
    (int_that_becomes_float, (1.5,), {'before': 'float'}),
    (int_array_times_mixed, (3, 1.0), {'a': 'real[n_]', 'b': 'f64[n_]'}),
    (int_array_times_mixed, (3, -1.0), {}),
    (number_that_becomes_array, (VECTOR, 3), {'before': 'numeric[n2]', 'total': 'f64[n2]'}),
    (number_that_becomes_array, (VECTOR, 0), {'after': 'numeric[n2]'}),
    (dense, (rng.normal(size=(5, 4)), MATRIX), {'h': 'f64[n4, n3]', 'total': 'float'}),
    (dense, (rng.normal(size=(5, 1)), MATRIX), {'h': 'f64[n3, 1]'}),
    (affine, (rng.normal(size=(6, 3)), rng.normal(size=3), rng.normal(size=(20, 6)), rng.normal(size=(20, 3))),
     {'residual': 'f64[n5, n3]', 'loss': 'float'}),
    (second_difference, (VECTOR,), {'d': 'f64[n2 - 2]', 'e': 'f64[n2 - 2]'}),
    (second_difference, (VECTOR[:2],), {}),
    (second_difference, (VECTOR[:3],), {}),
    (first_difference, (VECTOR, rng.normal(size=4)), {'d': 'f64[n2 - 1]', 's': 'f64[n3]', 'inner': 'f64[n2 - 2]',
                                                      'z': 'f64[n2 - 1]'}),
    (first_difference, (VECTOR[:2], rng.normal(size=4)), {}),
    (first_difference, (VECTOR[:2], 1.5), {}),
    (masks, (VECTOR,), {'positive': 'f64[_]', 'kept': 'f64[n2]', 'chosen': 'f64[3]'}),
    (axes, (MATRIX,), {'rows': 'f64[n2]', 'columns': 'f64[1, n3]', 'both': 'float', 'centred': 'f64[n2, n3]',
                       'column': 'f64[n2, 1]', 'scaled': 'f64[n2, n3]'}),
    (axes, (ROW,), {'rows': 'f64[1]'}),
    (shapes, (MATRIX,), {'a': 'f64[n2, n3]', 'b': 'f64[n2, n3]', 'd': 'f64[n2]', 'e': 'f64[n3, n2]',
                         'f': 'f64[_]', 'g': 'f64[n3, n2]', 'k': 'int', 'h': 'f64[n2, n3]'}),
    (makers, (1.5,), {'a': 'f64[3, 1]', 'b': 'f64[4]', 'c': 'f64[7]', 'd': 'i64[3]', 'e': 'f64[3, 3]',
                      'f': 'f64[2]', 'g': 'f64[3]', 'h': 'f64[2, 2]', 'i': 'f64[2, 3]', 'j': 'f64[6]'}),
    (makers, (2,), {'f': 'i64[2]', 'g': 'f64[3]'}),
    (loops, (VECTOR, MATRIX), {'v': 'float', 'r': 'f64[n4]', 'p': 'int', 'q': 'float', 's': 'float', 'j': 'int',
                               'u': 'float', 'w': 'float'}),
    (exits, (1.0, 5.0), {'found': 'int', 'result': 'float'}),
    (returns_early, (1.0, 0), {'y': 'float'}),
    (returns_early, (VECTOR, 1), {}),
    (ternary, (1.5, 1), {'y': 'float', 'z': 'float', 'u': 'float'}),
    (ternary, (1.5, 0), {}),
    (ternary, (VECTOR, 1), {'y': 'numeric[n2]', 'z': 'numeric[n2]'}),
    (calls_user, (VECTOR,), {'z': 'f64[n2]'}),
    (globals_read, (VECTOR[:3],), {'a': 'f64[n2]', 'b': 'f64[n2]', 'n': 'int', 'd': 'f64[_]'}),
    (triangular, (VECTOR,), {'z': 'float'}),
    (shift_register, (1.5, 7), {'e': 'float'}),
    (shift_register, (VECTOR, 7), {'e': 'numeric[n2]'}),
    (shift_register, (VECTOR, 1), {}),
    (float_steps, (4,), {'h': 'float', 'x': 'f64[_]', 'y': 'f64[_]', 'z': 'i64[_]'}),
    (print_and_raise, (1.5,), {'y': 'float'}),
    (numbers, (1.5, 3), {'a': 'float', 'c': 'int', 'd': 'float', 'f': 'int', 'g': 'float', 'h': 'int', 'i': 'float',
                         'k': 'bool', 'm': 'int'}),
    (numbers, (np.float64(1.5), np.int8(3)), {}),
    (solve, (SQUARE, rng.normal(size=4)), {'x': 'f64[n4]', 'y': 'f64[n4, n4]', 'z': 'f64[n2]', 'w': 'f64[n2]'}),
    (solve, (SQUARE, rng.normal(size=(4, 4))), {'x': 'f64[n4, n5]'}),
]  # fmt: skip


@pytest.mark.parametrize(('function', 'arguments', 'expected'), PROGRAMS,
                         ids=[f'{program[0].__name__}-{i}' for i, program in enumerate(PROGRAMS)])
def test_program(function: Callable[..., Any], arguments: tuple[object, ...], expected: dict[str, str]) -> None:
    assert check(function, *arguments) > 0 or not expected
    found = annotations_of(function, *arguments)
    for variable, type_text in expected.items():
        assert type_text.replace('n_', '_') in found.get(variable, []), (variable, found)


# ---------------------------------------------------------------------------------------------------
# Expressions on all kinds of arguments: whatever NumPy makes of them must be in the type

OPERANDS: list[object] = [
    2.0, 3, True, np.float32(1.5), np.float64(0.5), np.int64(2),
    VECTOR, SINGLE, INTS, VECTOR > 0, VECTOR[:1], VECTOR[:2], VECTOR[:0],
    MATRIX, ROW, MATRIX[:, :1], CUBE, SQUARE, np.ones((3, 3)), np.ones((3, 3), dtype=int),
    SQUARE[0], VECTOR * 1j,
]  # fmt: skip

UNARY = [
    '-x', '+x', '~x', 'not x', 'x * 2', 'x / 2', 'x // 2', 'x ** 2', 'x ** -1', 'x ** 0.5', '2 ** x', 'x % 2',
    'x + 1.0', 'x * 1j', 'x == 1', 'x < 1.5', 'x is None', '0 < x < 2', 'x and 1.0', 'x or 2',
    'x.T', 'x.shape', 'x.size', 'x.ndim', 'x.real', 'x.imag', 'len(x)', 'x.dtype',
    'x[0]', 'x[-1]', 'x[1:]', 'x[:-1]', 'x[:3]', 'x[1:3]', 'x[-2:]', 'x[::2]', 'x[::-1]', 'x[:]', 'x[...]', 'x[None]',
    'x[:0]', 'x[:1]', 'x[4:1]', 'x[-100:]', 'x[100:]', 'x[:-100]', 'x[1:-1]', 'x[2:-2]', 'x[-3:-1]',
    'x[0, ...]', 'x[..., 0]', 'x[0, 0]', 'x[:, 0]', 'x[:, None]', 'x[None, :, None]', 'x[0, :, 0]', 'x[..., None]',
    'x[[0, 1]]', 'x[[0, 1], 0]', 'x[:, [0, 1, 1]]', 'x[0, :, [0, 1]]', 'x[[0, 1], :, [0, 1]]', 'x[:, 0, ..., [0, 1]]',
    'x[x > 0]', 'x[(x > 0).nonzero()]', 'x[np.array([0])]', 'x[np.array([[0, 1]])]', 'x[True]', 'x[()]',
    'x[np.arange(2)]', 'x[np.arange(2), None]', 'x[0][0]', 'x[1:][:1]', 'x[1:][1:]', 'x[0:1, 0:1]',
    'x[:len(x)]', 'x[1:len(x) - 1]', 'x[:len(x) - 2]', 'x[:len(x) - 3]', 'x[len(x) - 1:]',
    'np.sin(x)', 'np.exp(x)', 'np.abs(x)', 'abs(x)', 'np.square(x)', 'np.sqrt(x)', 'np.sign(x)', 'np.floor(x)',
    'np.isnan(x)', 'np.logical_not(x)', 'np.float64(x)', 'np.float32(x)', 'float(x)', 'int(x)', 'bool(x)',
    'round(x)', 'round(x, 1)', 'np.round(x)', 'np.real(x)', 'math.sin(x)', 'math.floor(x)', 'math.log(x, 2)',
    'np.sum(x)', 'np.sum(x, axis=0)', 'np.sum(x, axis=-1)', 'np.sum(x, axis=1)', 'np.sum(x, keepdims=True)',
    'np.sum(x, axis=(0, 1))', 'np.sum(x, axis=0, keepdims=True)', 'np.mean(x)', 'np.mean(x, 0)', 'np.prod(x)',
    'np.max(x)', 'np.min(x, axis=0)', 'np.var(x)', 'np.std(x, axis=0)', 'np.any(x)', 'np.all(x, axis=0)',
    'np.argmax(x)', 'np.argmin(x, axis=0)', 'np.argsort(x)', 'np.count_nonzero(x)', 'np.linalg.norm(x)',
    'np.linalg.norm(x, axis=0)', 'np.cumsum(x)', 'np.cumsum(x, axis=0)', 'np.diff(x)', 'np.diff(x, axis=0)',
    'np.diff(x, n=2)', 'np.sort(x)', 'np.sort(x, axis=None)', 'np.sort(x, axis=0)', 'np.trace(x)',
    'x.sum()', 'x.sum(axis=0)', 'x.mean(0)', 'x.max()', 'x.std()', 'x.cumsum()', 'x.any()', 'x.argmax()',
    'x.copy()', 'x.ravel()', 'x.flatten()', 'x.astype(float)', 'x.astype(int)', 'x.astype(np.float32)',
    "x.astype('float32')", 'x.astype(x.dtype)', 'x.reshape(-1)', 'x.reshape(-1, 1)', 'x.reshape((1, -1))',
    'x.reshape(x.shape)', 'x.reshape(x.size)', 'x.reshape(3, 1)', 'x.reshape(len(x) - 3)', 'x.transpose()',
    'x.transpose(1, 0)', 'x.transpose((0, 2, 1))', 'x.squeeze()', 'x.dot(x)', 'x.T.dot(x)', 'x.round(1)', 'x.item()',
    'x.tolist()', 'x.swapaxes(0, 1)', 'x.swapaxes(0, -1).sum(axis=0)', 'x.take([0, 0])', 'x.clip(0, 1)', 'x.conj()',
    'np.transpose(x)', 'np.transpose(x, (1, 0))', 'np.swapaxes(x, 0, 1)', 'np.moveaxis(x, 0, -1)', 'np.ravel(x)',
    'np.reshape(x, -1)', 'np.reshape(x, (-1, 1))', 'np.expand_dims(x, 0)', 'np.expand_dims(x, (0, 2))',
    'np.squeeze(x)', 'np.squeeze(x, axis=0)', 'np.broadcast_to(x, (2, 3, 5))', 'np.broadcast_to(x, x.shape)',
    'np.flip(x)', 'np.roll(x, 1)', 'np.repeat(x, 2)', 'np.repeat(x, 2, axis=0)', 'np.tile(x, 2)', 'np.tile(x, (2, 1))',
    'np.pad(x, 1)', 'np.diag(x)', 'np.diagonal(x)', 'np.take(x, 0)', 'np.take(x, [0, 1])', 'np.take(x, 0, axis=0)',
    'np.take(x, [0, 0], axis=-1)', 'np.concatenate([x, x])', 'np.concatenate((x, x), axis=1)',
    'np.concatenate([x, x], axis=None)', 'np.concatenate([x, [1.0, 2.0]])', 'np.stack([x, x])', 'np.stack([x, x], axis=-1)',
    'np.stack([x])', 'np.array(x)', 'np.asarray(x)', 'np.array([x, x])', 'np.array([x, 1])', 'np.array([[x, 2], [3, x]])',
    'np.copy(x)', 'np.zeros_like(x)', 'np.ones_like(x, dtype=float)', 'np.full_like(x, 2)', 'np.zeros(x.shape)',
    'np.zeros(len(x))', 'np.zeros((len(x), 2))', 'np.zeros(len(x) - 1)', 'np.full(3, x)', 'np.full((2, 1), x)',
    'np.ones(np.shape(x))', 'np.zeros(x.shape[:2])', 'np.zeros(x.shape[-1])', 'np.zeros(())', 'np.zeros((2, 3), int)',
    'np.arange(x)', 'np.arange(len(x))', 'np.arange(1, len(x))', 'np.arange(0, x)', 'np.arange(0, 1, 0.25)',
    'np.arange(3.0)', 'np.linspace(0, x, 4)', 'np.linspace(x, 1)', 'np.eye(len(x))', 'np.eye(2, 3)', 'np.identity(2)',
    'np.where(x > 0, x, 0)', 'np.where(x > 0, 1, 2)', 'np.where(x)', 'np.clip(x, 0, 1)', 'np.clip(x, 0, None)',
    'np.outer(x, x)', 'np.inner(x, x)', 'np.dot(x, x)', 'x @ x', 'x @ x.T', 'x.T @ x', 'np.linalg.inv(x)',
    'np.linalg.det(x)', 'np.linalg.solve(x, x)', 'np.shape(x)', 'np.size(x)', 'np.ndim(x)', 'np.size(x, 0)',
    'sum(x)', 'max(x)', 'min(x)', 'max(x, 1)', 'min(1, 2.5)', 'sum([x, x])', 'sum((1, x), 0.5)', 'list(x)', 'tuple(x)',
    'sorted(x)', 'list(range(3))', '[x, 1] + [x]', '(x, 1) + (2.0,)', '[x] * 2', '(x, 2)[0]', '[x, 2][-1]', '(x, 1)[1:]',
    'x + [1.0]', 'x * (1, 2, 3)', '(x > 0) * x', '(x > 0) + (x > 1)', '(x > 0) & (x < 1)', '~(x > 0)', '-(x > 0.0)',
    "f'{x}'", "'%s' % x", "str(x)", "'abc'[1]", "'a'.upper()", 'x if len(np.shape(x)) else 1', 'np.pi * x',
    'np.nan_to_num(x)', 'np.hypot(x, 1)', 'np.power(x, 2)', 'np.maximum(x, 0)', 'np.average(x)', 'np.median(x)',
    'np.searchsorted(x, 0.5)', 'np.searchsorted([0.0, 1.0], x)', 'np.allclose(x, x)', 'np.array_equal(x, x)',
    'np.atleast_1d(x)', 'np.vstack([x, x])', 'np.hstack([x, x])', 'np.einsum("i,i", x, x)', 'np.meshgrid(x, x)',
    'np.cross(x, x)', 'np.kron(x, x)', 'np.tensordot(x, x, 1)', 'np.vdot(x, x)', 'np.triu(x)', 'np.ptp(x)',
    'np.logaddexp(x, 0)', 'np.arctan2(x, 1.0)', 'np.cbrt(x)', 'np.reciprocal(x)', 'np.cumprod(x)', 'np.nansum(x)',
    'np.interp(0.5, x, x)', 'np.trapezoid(x)', 'np.quantile(x, 0.5)', 'np.unique(x)', 'np.isclose(x, 1.0)',
    'np.hstack([x, 1.0])', 'np.column_stack([x, x])', 'np.split(x, 1)', 'np.gradient(x)', 'np.convolve(x, x)',
    'np.matmul(x, x)', 'np.mod(x, 2)', 'np.floor_divide(x, 2)', 'np.fmod(x, 2)', 'np.rint(x)', 'np.trunc(x)',
    'np.less(x, 1)', 'np.subtract(x, 1)', 'np.true_divide(x, 2)', 'np.negative(x)', 'np.conj(x)', 'np.angle(x)',
]  # fmt: skip

BINARY = [
    'x + y', 'x - y', 'x * y', 'x / y', 'x // y', 'x ** y', 'x % y', 'x @ y', 'x < y', 'x == y', 'x != y', 'x & y',
    'np.maximum(x, y)', 'np.arctan2(x, y)', 'np.where(x > 0, x, y)', 'np.where(x, 1.0, y)', 'np.dot(x, y)',
    'np.outer(x, y)', 'np.matmul(x, y)', 'np.inner(x, y)', 'np.power(x, y)', 'np.concatenate([x, y])', 'np.stack([x, y])',
    'np.array([x, y])', 'x[y]', 'np.take(x, y)', 'np.full(2, x) + y', '(x, y)[1]', 'max(x, y)', 'x and y', 'x or y',
    'x if np.size(x) > 1 else y', 'np.linalg.solve(x, y)', 'x + y[:1]', 'x[1:] * y', 'x[1:] + y[1:]', 'x[:2] + y[:2]',
    'np.sum(x * y, axis=0) + x', 'np.linspace(x, y, 3)', 'np.hypot(x, y)', 'np.add(x, y)', 'np.searchsorted(x, y)',
    'np.broadcast_to(x, np.shape(y))', 'np.logical_and(x, y)', 'np.minimum(x, y) - np.fmax(x, y)',
]  # fmt: skip


@pytest.fixture(scope='module')
def expressions(tmp_path_factory: pytest.TempPathFactory) -> types.ModuleType:
    """A module with one function for every expression."""
    lines = ['import math', 'import numpy as np', '']
    for i, text in enumerate(UNARY):
        lines += [f'def unary_{i}(x):', f'    r = {text}', '    return r', '']
    for i, text in enumerate(BINARY):
        lines += [f'def binary_{i}(x, y):', f'    r = {text}', '    return r', '']
    path = tmp_path_factory.mktemp('infer') / 'infer_expressions.py'
    path.write_text('\n'.join(lines))
    spec = importlib.util.spec_from_file_location('infer_expressions', path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules['infer_expressions'] = module
    spec.loader.exec_module(module)
    return module


def runs(function: Callable[..., Any], *arguments: object) -> bool:
    """Whether the arguments mean anything to it: NumPy raises on many of the pairs."""
    with warnings.catch_warnings(), np.errstate(all='ignore'):
        warnings.simplefilter('ignore')
        try:
            function(*arguments)
        except Exception:
            return False
    return True


def check_all(function: Callable[..., Any], choices: Iterable[tuple[object, ...]]) -> int:
    count = 0
    for arguments in choices:
        if runs(function, *arguments):
            count += check(function, *arguments)
    return count


@pytest.mark.parametrize('i', range(len(UNARY)), ids=UNARY)
def test_unary_expression(expressions: types.ModuleType, i: int) -> None:
    assert check_all(getattr(expressions, f'unary_{i}'), ((operand,) for operand in OPERANDS)) > 0


@pytest.mark.parametrize('i', range(len(BINARY)), ids=BINARY)
def test_binary_expression(expressions: types.ModuleType, i: int) -> None:
    pairs = itertools.product(OPERANDS, repeat=2)
    assert check_all(getattr(expressions, f'binary_{i}'), pairs) > 0


# ---------------------------------------------------------------------------------------------------
# Refusals, and programs of unusual size


def array_plus_equals(x):
    y = x * 2.0
    y += x
    return y


def may_be_an_array(x, n):
    y = 0.0
    for i in range(n):
        y += x
    return y


def sorts(x):
    x.sort()
    return x


def fills(x):
    y = np.copy(x)
    y.fill(1.0)
    return y


def appends(x):
    values = []
    values.append(x)
    return values[0]


def copies_to(x):
    y = np.zeros(5)
    np.copyto(y, x)
    return y


@pytest.mark.parametrize(('function', 'arguments', 'marked'), [
    (array_plus_equals, (VECTOR,), 'y += x'),
    (may_be_an_array, (VECTOR, 3), 'y += x'),
    (sorts, (VECTOR,), 'x.sort()'),
    (fills, (VECTOR,), 'y.fill(1.0)'),
    (copies_to, (VECTOR,), 'np.copyto(y, x)'),
    (appends, (VECTOR,), 'values.append(x)'),
], ids=lambda it: getattr(it, '__name__', ''))  # fmt: skip
def test_writes_in_place_are_refused(function: Callable[..., Any], arguments: tuple[object, ...], marked: str) -> None:
    with pytest.raises(Exception, match='supported') as raised:
        _core.typed(function, *arguments)
    assert type(raised.value).__module__ == 'tangent.errors'
    assert marked in str(raised.value)


def number_plus_equals(x):
    total = 0.0
    for i in range(3):
        total += x
    return total


def test_numbers_may_be_rebound_by_an_operator() -> None:
    check(number_plus_equals, 1.5)
    assert 'total += x' in _core.typed(number_plus_equals, 1.5)


def define(text: str, directory: Path, name: str) -> Callable[..., Any]:
    path = directory / f'{name}.py'
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    function = getattr(module, name)
    assert inspect.isfunction(function)
    return function


def test_a_sum_of_two_thousand_terms(tmp_path: Path) -> None:
    terms = ' + '.join(f'{k} * x.sum()' for k in range(1, 2001))
    function = define(f'def long(x):\n    y = {terms}\n    return y\n', tmp_path, 'long')
    assert annotations_of(function, VECTOR) == {'y': ['float']}


def test_twenty_nested_loops(tmp_path: Path) -> None:
    lines = ['def nested(x):', '    y = 0']
    for k in range(19):  # CPython allows no more
        lines.append('    ' * (k + 1) + f'for i{k} in range(2):')
    lines.append('    ' * 20 + 'y = y + x * i3')
    lines += ['    z = y', '    return z', '']
    function = define('\n'.join(lines), tmp_path, 'nested')
    assert annotations_of(function, 1.5)['z'] == ['float']
    assert annotations_of(function, VECTOR)['z'] == ['numeric[n2]']
