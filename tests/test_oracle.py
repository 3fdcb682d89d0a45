"""The oracle against differences and complex steps on handwritten functions, and its conventions by
hand.

A difference is right to about 1e-9 of the slope; where NumPy lets the function run on complex
numbers the complex step is right to rounding, and then the oracle has to be, too."""
# ruff: noqa: B905

import contextlib
import copy
import dataclasses
import io
import math
from math import exp as exponential

import numpy as np
import oracle
import programs
import pytest
from numpy import sin as sine

V = np.array([0.7, -1.3, 0.4, 2.1])
W = np.array([1.5, 0.6, -0.8, 0.3])
A = np.array(
    [[1.9, 0.3, -0.2, 0.5], [0.1, 2.2, 0.4, -0.3], [0.6, -0.1, 1.7, 0.2], [-0.4, 0.35, 0.1, 2.5]]
)
M = np.array([[0.3, -0.7, 1.1], [0.9, 0.2, -0.4]])
RATE = 0.35


def perturbed(args, k, index, step):
    args = copy.deepcopy(list(args))
    if isinstance(args[k], np.ndarray):
        args[k] = args[k].astype(complex if isinstance(step, complex) else float)
        args[k][index] += step
    else:
        args[k] = args[k] + step
    return args


def total(result):
    if isinstance(result, (tuple, list)):
        return sum(total(part) for part in result)
    if isinstance(result, dict):
        return total(list(result.values()))
    return np.sum(result)


def differences(f, args, complex_step):
    """The gradient of the sum of f's results by every float argument, and the accuracy it can
    have."""
    gradients = []
    for k, arg in enumerate(args):
        if not isinstance(arg, (float, np.ndarray)) or np.asarray(arg).dtype.kind != 'f':
            continue
        gradient = np.zeros(np.shape(arg))
        for index in np.ndindex(np.shape(arg)):
            if complex_step:
                gradient[index] = np.imag(total(f(*perturbed(args, k, index, 1e-30j)))) / 1e-30
                continue
            near, far = (
                total(f(*perturbed(args, k, index, h))) - total(f(*perturbed(args, k, index, -h)))
                for h in (1e-3, 2e-3)
            )
            further, furthest = (
                total(f(*perturbed(args, k, index, h))) - total(f(*perturbed(args, k, index, -h)))
                for h in (3e-3, 4e-3)
            )
            # The central difference of order 8.
            gradient[index] = (672 * near - 168 * far + 32 * further - 3 * furthest) / 840e-3
        gradients.append(gradient)
    return tuple(gradients), (1e-12 if complex_step else 1e-9)


def along(f, args, wrt, direction):
    """Slopes of the sum of f's results along a direction, by differences of several widths."""
    for width in (1e-2, 1e-3, 1e-4, 1e-5, 1e-6):
        slope = 0.0
        for k, weight in ((1, 672), (2, -168), (3, 32), (4, -3)):
            for sign in (1, -1):
                moved = oracle.moved(args, wrt, sign * k * width * direction)
                slope += sign * weight * total(f(*moved)) / (840 * width)
        yield slope


def flat(trees):
    """The numbers of some arguments, or of their gradients, in one row."""
    return np.concatenate([np.ravel(leaf) for tree in trees for leaf in oracle.leaves(tree)])


@pytest.mark.parametrize('first', range(0, 400, 50))
def test_generated_programs_against_differences(first):
    """Proves oracle and generator together: neither knows of the other's mistakes."""
    draw = np.random.default_rng(first)
    for label in range(first, first + 50):
        # Directions are of arrays: gradients of dicts and objects are left to test_generated.
        program = programs.program(label, programs.FOUNDATION | {'-argument_container'})
        f = program.compiled()
        for args, answer in zip(program.argument_sets, program.answers):
            if isinstance(answer, type):
                continue
            gradient = flat(answer.gradients)
            direction = draw.normal(size=gradient.size)
            want = gradient @ direction
            with contextlib.redirect_stdout(io.StringIO()), np.errstate(all='ignore'):
                off = min(abs(slope - want) for slope in along(f, args, program.wrt, direction))
            assert off <= 1e-7 * (1 + abs(want)), (
                f'program {label}: off by {off}\n{program.source}\n{args}'
            )


FUNCTIONS = []


def case(*args, complex_step=False):
    def add(f):
        FUNCTIONS.append(pytest.param(f, args, complex_step, id=f.__name__))
        return f

    return add


# Numbers.


@case(0.8, 1.7, complex_step=True)
def arithmetic(x, y):
    return (x + 2) * (3 - y) / (x * y + 1) - x / y + 2 / x - (-x) + 5 * +y


@case(0.8, 1.7)
def powers(x, y):
    return x**y + x**2 + x**3 + 2.0**y + x**-1 + x**0.5 + x**0 + x**1 + pow(x, y) + y ** (x * y)


@case(7.3, 2.1)
def modulo(x, y):
    return x % y + (-x) % y + x // y + divmod(x, y)[1] * 2 + 9.5 % y + math.fmod(-x, y)


@case(0.3, 0.6)
def whole_math_module(x, y):
    total = math.sin(x) * math.cos(y) + math.tan(x) + math.asin(x) + math.acos(y) + math.atan(x)
    total += (
        math.sinh(x)
        + math.cosh(y)
        + math.tanh(x)
        + math.asinh(x)
        + math.acosh(1 + y)
        + math.atanh(x)
    )
    total += (
        math.exp(x)
        + math.exp2(y)
        + math.expm1(x)
        + math.log(y)
        + math.log2(y)
        + math.log10(x)
        + math.log1p(x)
    )
    total += (
        math.sqrt(x)
        + math.cbrt(y)
        + math.pow(x, y)
        + math.atan2(x, y)
        + math.hypot(x, y)
        + math.hypot(x, y, 2)
    )
    total += (
        math.erf(x)
        + math.erfc(y)
        + math.gamma(1 + x)
        + math.lgamma(y)
        + math.degrees(x)
        + math.radians(y)
    )
    total += (
        math.log(y, 3) + math.log(7, 2 + x) + math.copysign(x, -1.0) + math.dist((x, 1.0), (0.2, y))
    )
    return (
        total
        + math.fsum([x, y, x])
        + math.prod([x, y], start=2)
        + math.fabs(-x)
        + math.floor(x)
        + math.remainder(2.5 * x, y)
    )


@case(0.3, 2.2, -1.4)
def builtins_on_numbers(x, y, z):
    total = (
        max(x, y)
        + min(x, y, z)
        + abs(z)
        + sum([x, y * z])
        + round(x)
        + float(y) * int(y)
        + pow(x, 2)
    )
    return (
        total
        + max([x, y, z], key=lambda v: v * v)
        + sorted([z, x, y])[1] ** 2
        + isinstance(x, float)
    )


@case(0.6)
def names_imported_alone(x):
    return sine(x) + exponential(x)


# Control flow.


@case(0.9, complex_step=False)
def recurrence(x):
    s, v = 0.0, x
    for _ in range(20):
        v = v * 0.9 + 0.1 * s
        if v > 0.7:
            v = v * 0.5
        elif v < 0.1:
            continue
        s = s + v * v
    return s


@case(2.0)
def newton(a):
    x = 0.5 * (1.0 + a)
    while abs(x * x - a) > 0.05:
        x = 0.5 * (x + a / x)
    return x


@case(0.7, 3.0)
def exits(x, level):
    for i in range(10):
        for j in range(i):
            x = x * 1.07
            if x > level:
                return x * x
            if j > 2:
                break
        else:
            x = x + 0.1
    return x


@case(0.4, 1.2)
def values_of_logic(x, y):
    a = x and y
    b = 0.0 or x
    c = (x if x > y else y) * (0.1 < x < y)
    return a * b + c + (n := x * 2) * n


# Recursion, closures, helpers.


@case(1.3)
def recursion(x):
    def fold(v, depth):
        return v if depth == 0 else math.sin(fold(v, depth - 1)) * 2.0

    return fold(x, 5)


@case(1.3, 0.4)
def late_binding(x, y):
    weight = y

    def scaled(v):
        return weight * v + RATE * np.tanh(v)

    first = scaled(x)
    weight = weight * x
    return first + scaled(x)


def make_counter(step):
    value = 0.0

    def advance(x):
        nonlocal value
        value = value * 0.5 + x * step
        return value

    return advance


@case(0.9)
def cell_state(x):
    advance = make_counter(2.0)
    return advance(x) + advance(x * x) + advance(1.0)


@case(0.8)
def generator_and_comprehension(x):
    def powers_of(v):
        term = 1.0
        for _ in range(4):
            term = term * v
            yield term

    return (
        sum(t for t in powers_of(x))
        + sum([k * x for k in range(3)])
        + sum({k: x**k for k in (1, 2)}.values())
    )


@case(0.5)
def exception_as_flow(x):
    try:
        x = x * 3
        raise ValueError(x)
    except ValueError as problem:
        return problem.args[0] * x


# Lists, dicts, objects.


@case(1.1, 0.6)
def lists(x, y):
    xs = [x, y]
    ys = xs
    ys.append(x * y)
    xs[0] = xs[0] + ys[2]
    xs.insert(1, y * y)
    last = ys.pop()
    xs += [last, 2.0]
    return sum(xs) + xs[1:3][0] * xs[-2] * ([x] * 2 + xs)[1]


@case(1.1, 0.6)
def dicts(x, y):
    d = {'a': x, 'b': [y, x * y]}
    d['c'] = d['a'] * 2
    d['b'][0] *= 3
    d.update(e=d.pop('a'))
    return sum(v if not isinstance(v, list) else v[0] * v[1] for v in d.values())


@dataclasses.dataclass
class Spring:
    stiffness: float
    damping: float = 0.1

    def force(self, x, v):
        return -self.stiffness * np.sin(x) - self.damping * v


@case(1.4, 0.3)
def objects(k, x):
    spring, v = Spring(k), 0.0
    for _ in range(10):
        v = v + 0.1 * spring.force(x, v)
        x = x + 0.1 * v
        spring.stiffness = spring.stiffness * 0.9
    return x * v


# Arrays: reads, writes, views.


@case(V, complex_step=True)
def written_in_place(v):
    u = v.copy()
    for _ in range(4):
        for i in range(1, len(u)):
            u[i] = u[i] + 0.1 * u[i] * (u[i - 1] - u[i])
    return np.sum(u * u)


@case(V, complex_step=True)
def views(v):
    u = v * 1.0
    tail, grid = u[1:], u.reshape(2, 2)
    tail *= 2.0
    grid[0, 1] = grid[0, 1] ** 2
    grid.T[1] += 3.0 * u[0]
    u[::2] = u[::2] * tail[-1]
    row = grid[1]
    row -= u[0]
    return np.sum(u**3)


@case(V, 0.4)
def filled_by_element(v, x):
    out = np.zeros(3)
    full = np.full((2, 2), x)
    empty = np.empty_like(v)
    for i in range(3):
        out[i] = v[i] * x
        empty[i] = v[i + 1] ** 2
    empty[3] = 1
    out[[0, 2]] += v[[1, 1]]
    out[1] /= 2
    full[0] = v[:2]
    full[:, 1] *= 2
    return np.sum(out * out) + np.sum(full * full) + empty.sum() / empty[3]


@case(V, W)
def repeated_and_masked_indices(v, w):
    u = v[[0, 2, 2]] * w[1]
    u[u > 0] = 0.5 * u[u > 0] ** 2
    np.add.at(u, [0, 0, 1], w[:3])
    z = np.zeros((2, 4))
    z[1] = v
    z[0, w > 0] = 2.0
    return np.sum(u**2) + np.sum(z**3) + np.take(v, [1, 1]).prod()


@case(V, complex_step=True)
def argument_written(v):
    v[0] = v[1] * v[2]
    v[1:] *= v[0]
    return v


@case(V, W)
def out_arguments(v, w):
    u = np.zeros(4)
    np.multiply(v, w, out=u)
    np.sin(u, out=u)
    np.clip(u, -0.5, 0.5, out=u)
    return u


@case(M, 0.7)
def loops_over_rows(m, x):
    s = 0.0
    for _, row in enumerate(m):
        for a, b in zip(row, row[::-1]):
            s += a * b * x
        row[0] = s
    return s + m[-1, 0] + m[:, ::-1][0, 1] + np.sum(m.T[1:] * 2)


# Arrays: functions.


@case(V / 3, complex_step=True)
def smooth_unary(v):
    y = (
        np.sin(v)
        + np.cos(v) * np.tan(v)
        + np.exp(v)
        + np.exp2(v)
        + np.expm1(v)
        + np.square(v)
        + np.reciprocal(v)
    )
    y = y + np.sinh(v) * np.cosh(v) + np.tanh(v) + np.arctan(v) + np.arcsinh(v) + np.negative(v)
    p = v * v + 0.1
    y = y + np.log(p) + np.log2(p) + np.log10(p) + np.log1p(p) + np.sqrt(p) + np.arccosh(1 + p)
    return y + np.arcsin(0.9 * v) + np.arccos(0.9 * v) + np.arctanh(0.9 * v)


@case(V, W)
def other_elementwise(v, w):
    y = (
        np.cbrt(v)
        + np.abs(v) * np.fabs(w)
        + np.sign(v) * w
        + np.floor(v)
        + np.arctan2(v, w)
        + np.hypot(v, w)
    )
    y += (
        np.maximum(v, w) * np.minimum(v, w)
        + np.fmax(v, 0.2)
        + np.logaddexp(v, w)
        + np.logaddexp2(v, w)
    )
    y += (
        np.vdot(v, w)
        + np.deg2rad(v)
        + np.rad2deg(w)
        + np.mod(v, 0.75)
        + np.fmod(v, 1.3 * w)
        + np.copysign(v, w)
        + np.sinc(v)
    )
    y += (
        np.power(np.abs(v), w)
        + np.float_power(2.0, w)
        + np.divide(v, w)
        + np.subtract(v, w)
        + np.add(v, 1)
    )
    y += (
        np.clip(v, -1.0, 0.5)
        + v.clip(max=0.6)
        + np.where(v > w, v * w, w)
        + np.round(v, 1)
        + np.nan_to_num(v)
    )
    return y


@case(A, V, W, complex_step=True)
def products(a, v, w):
    y = a @ v + v @ a + np.dot(a, w) + np.matmul(a, v) + a.T.dot(v) + np.inner(v, w)
    y += (
        np.outer(v, w)[1]
        + np.tensordot(a, a, axes=1)[0]
        + np.einsum('ij,j->i', a, v)
        + np.einsum('ij,ji', a, a)
    )
    return (
        y
        + np.convolve(v, w)[2:6]
        + np.kron(v[:2], w[:2])
        + np.trace(a @ a)
        + np.cross(v[:3], w[:3]).sum()
    )


@case(A, V, 0.3, complex_step=True)
def constants_on_either_side(a, v, x):
    k = np.array([[1.0, 2.0, 0.5, 1.0]])
    return (
        (k @ a @ v) * x
        + (k / v).sum()
        + (1.0 - k * x).sum()
        + (k**2 * v).sum()
        + np.sum([1.0, 2.0] * v[:2])
    )


@case(A, M)
def reductions(a, m):
    y = (
        np.sum(a, axis=0)
        + np.mean(a, axis=1)
        + a.prod(axis=0)
        + np.max(a, axis=1)
        + np.min(a, axis=0)
    )
    y += (
        np.std(a, axis=0)
        + np.var(a, axis=1, ddof=1)
        + np.std(m)
        + np.var(m)
        + m.max()
        + m.min()
        + np.prod(m)
    )
    y += (
        np.cumsum(a, axis=1)[2]
        + np.cumprod(a, axis=0)[3]
        + np.cumsum(m)[1:5]
        + np.linalg.norm(a, axis=0)
    )
    y += (
        np.sum(a, axis=(0, 1))
        + np.sum(a, axis=1, keepdims=True).ravel()
        + np.max(a, keepdims=True)[0]
    )
    y += (
        np.linalg.norm(m)
        + np.linalg.norm(m, 1, axis=1)[0]
        + np.median(a, axis=0)
        + np.median(m)
        + np.ptp(m)
    )
    return y + np.sort(a, axis=0)[1] * np.sort(m, axis=None)[2] + a.mean() * a.std() + np.average(m)


@case(M, V)
def shapes(m, v):
    y = np.concatenate([m.ravel(), v]) ** 2
    y = y + np.hstack([v, m.reshape(-1)]) * np.stack([v, v, v])[:, :1].repeat(10, axis=1).sum(
        axis=0
    )
    z = (
        np.vstack([m, m * 2]).T @ v
        + np.transpose(m)[:, 0] * m.swapaxes(0, 1)[:, 1]
        + np.squeeze(m[None])[0]
    )
    z = (
        z
        + np.roll(m, 1, axis=1)[0] * np.flip(m)[0]
        + np.tile(v, 2)[3:6]
        + np.diff(v) * np.pad(v[:2], (0, 1))
    )
    z = (
        z
        + np.broadcast_to(v[0], (3,)) * np.expand_dims(m, 0)[0, 1]
        + np.diag(np.outer(v, v))[:3]
        + np.tril(m)[1]
    )
    return (
        np.sum(y**2)
        + np.sum(z**3)
        + np.column_stack([v, v]).sum()
        + np.diag(v)[1, 1]
        + np.split(v, 2)[1][0]
    )


@case(A, V, W)
def linear_algebra(a, v, w):
    x = np.linalg.solve(a, v)
    inverse = np.linalg.inv(a)
    s = a @ a.T
    low = np.linalg.cholesky(s)
    levels, basis = np.linalg.eigh(s)
    y = inverse @ x + low @ w + levels * np.abs(basis[0]) + np.linalg.eigvalsh(s) ** 2
    y = y + np.linalg.det(a) + np.linalg.slogdet(a)[1] + np.linalg.matrix_power(a, 3)[0]
    return y + np.linalg.solve(a, a * 2 + np.outer(v, w))[1] + np.linalg.matrix_power(a, -2)[1]


@case(0.4, 1.9, V)
def grids(a, b, v):
    t = np.linspace(a, b, 5) ** 2 + np.arange(5) * a + np.linspace(0, 1, 5) * b
    y = np.interp(v, np.array([-2.0, 0.0, 1.0, 3.0]), np.array([0.5, 2.0, 1.0, 4.0]))
    return (
        np.sum(t * t)
        + np.sum(y * v)
        + np.array([a, b, 1]).sum() * np.asarray([[a], [b]])[1, 0]
        + np.eye(2)[0, 0] * b
    )


@case(V, 0.5)
def array_loops_and_truth(v, x):
    s = 0.0
    for e in v:
        if e > 0 and x:
            s += e * x
        s *= 1.1
    k = int(np.argmax(v)) + np.argsort(v)[0]
    n = len([e for e in v if e < 0]) + np.sum(v > 0)
    return (s + v[k - 1] * n,), [v.max(), {'a': v.min() * x, 'b': 3}]


@case(V, 3, np.array([1, 2, 3, 4]))
def integers_are_not_differentiated(v, n, k):
    s = 0.0
    for i in range(n):
        s += v[i] * k[i] / (i + 1)
    return s / n + np.sum(v * k) + np.sum(v[k - 1])


@pytest.mark.parametrize(('f', 'args', 'complex_step'), FUNCTIONS)
def test_against_differences(f, args, complex_step):
    wrt = [
        k
        for k, arg in enumerate(args)
        if isinstance(arg, float) or np.asarray(arg).dtype.kind == 'f'
    ]
    given = copy.deepcopy(args)
    answer = oracle.differentiate(f, given, wrt)
    assert answer.nearest > 4e-3, 'too near to a kink for differences'
    want, tolerance = differences(f, args, complex_step)
    assert oracle.error(answer.gradients, want) < tolerance * 10
    assert oracle.error(answer.value, f(*copy.deepcopy(args))) < 1e-15
    assert oracle.error(given, args) == 0.0, 'the arguments are not the oracle\'s to change'


# Conventions: f, args, gradients.

TWO = np.array([2.0, 2.0])
CONVENTIONS = [
    ('numpy maximum', lambda x: np.maximum(x, 2.0), (2.0,), (0.5,)),
    ('numpy maximum of itself', lambda x: np.maximum(x, x), (2.0,), (1.0,)),
    ('numpy max', lambda v: np.max(v), (np.array([1.0, 3.0, 3.0]),), (np.array([0.0, 0.5, 0.5]),)),
    (
        'method max by axis',
        lambda v: v.max(axis=0),
        (np.array([[3.0], [3.0]]),),
        (np.array([[0.5], [0.5]]),),
    ),
    ('numpy min', lambda v: np.min(v), (TWO,), (np.array([0.5, 0.5]),)),
    ('builtin max', lambda x, y: max(x, y), (2.0, 2.0), (1.0, 0.0)),
    ('builtin min', lambda x, y: min(x, y), (2.0, 2.0), (1.0, 0.0)),
    ('sort', lambda v: np.sort(v) * np.array([1.0, 5.0]), (TWO,), (np.array([3.0, 3.0]),)),
    ('median', lambda v: np.median(v), (np.array([1.0, 1.0, 4.0]),), (np.array([0.5, 0.5, 0.0]),)),
    ('clip at an edge', lambda v: np.clip(v, 0.0, 2.0), (TWO,), (np.ones(2),)),
    ('abs', lambda x: abs(x) + np.abs(x), (0.0,), (0.0,)),
    ('norm', lambda v: np.linalg.norm(v), (np.zeros(2),), (np.zeros(2),)),
    ('hypot', lambda x: math.hypot(x, 0.0) + np.hypot(x, x), (0.0,), (0.0,)),
    ('power 0', lambda x: x**0, (0.0,), (0.0,)),
    ('power 1', lambda x: x**1, (0.0,), (1.0,)),
    ('power 2', lambda v: v**2, (np.zeros(2),), (np.zeros(2),)),
    ('exponent at base 0', lambda y: 0.0**y, (2.0,), (0.0,)),
    (
        'masked root',
        lambda v: np.where(v > 0, np.sqrt(v), 0.0),
        (np.array([0.0, 4.0]),),
        (np.array([0.0, 0.25]),),
    ),
    (
        'masked division',
        lambda v: np.where(v == 0, 0.0, 1 / v),
        (np.array([0.0, 2.0]),),
        (np.array([0.0, -0.25]),),
    ),
    ('zero times a root at zero', lambda x: x * np.sqrt(x), (np.float64(0.0),), (0.0,)),
    (
        'prod with a zero',
        lambda v: np.prod(v),
        (np.array([0.0, 2.0, 3.0]),),
        (np.array([6.0, 0.0, 0.0]),),
    ),
    (
        'singular det',
        lambda a: np.linalg.det(a),
        (np.ones((2, 2)),),
        (np.array([[1.0, -1.0], [-1.0, 1.0]]),),
    ),
    ('std of equal values', lambda v: np.std(v), (TWO,), (np.zeros(2),)),
    ('integer argument', lambda n: n * n / 2, (3,), (3.0,)),
    ('integer array', lambda n: np.sum(n * n), (np.array([1, 2]),), (np.array([2.0, 4.0]),)),
    ('int stops', lambda x: int(x) * 2.0 + round(x), (2.7,), (0.0,)),
]


@pytest.mark.parametrize(
    ('f', 'args', 'want'), [pytest.param(*row, id=name) for name, *row in CONVENTIONS]
)
def test_conventions(f, args, want):
    got = oracle.gradient(f, args, range(len(args)))
    assert oracle.error(got, want) < 1e-12, got


def test_seed_scales_each_element_of_the_result():
    seed = np.array([1.0, -2.0, 0.0, 3.0])
    assert oracle.error(oracle.gradient(lambda v: v * v, (V,), seed=seed), (2 * V * seed,)) < 1e-15
    got = oracle.gradient(lambda x: (x, [x * x, np.sin(x)]), (0.5,), seed=(2.0, [3.0, 0.0]))
    assert oracle.error(got, (2.0 + 3.0,)) < 1e-15


def test_gradients_keep_the_structure_of_the_argument():
    def f(p, spring, pair):
        return p['w'] @ p['b'][0] + spring.force(pair[0], 0.2) * pair[1]

    p = {'w': V, 'b': [W, 2.0]}
    got = oracle.gradient(f, (p, Spring(1.5), (0.3, 2)), (0, 1, 2))
    force = -1.5 * np.sin(0.3) - 0.02
    want = ({'w': W, 'b': [V, 0.0]}, Spring(-2 * np.sin(0.3), -0.4), (-3.0 * np.cos(0.3), force))
    assert oracle.error(got, want) < 1e-14
    assert type(got[1]) is Spring


def test_a_list_given_twice_is_one_list():
    def f(a, b):
        a[0] = a[0] * 3
        return a[0] * b[0]

    xs = [2.0]
    assert oracle.gradient(f, (xs, xs), (0, 1)) == ([36.0], [36.0])
    assert xs == [2.0]


def test_the_primals_exception_passes_and_leaves_nothing_behind():
    space = dict(globals())

    def f(x, v):
        if x > 0:
            return math.sqrt(-x)
        return v[7] / 0.0

    with pytest.raises(ValueError):
        oracle.gradient(f, (1.0, V))
    with pytest.raises(IndexError):
        oracle.gradient(f, (-1.0, V))
    with pytest.raises(ZeroDivisionError):
        oracle.gradient(lambda x: x / 0.0, (1.0,))
    assert np.isinf(oracle.gradient(lambda v: v / 0.0, (np.ones(1),))[0][0])
    assert globals() == space and globals()['np'] is np and 'float' not in globals()


def test_what_it_does_not_know_is_refused():
    for f in (
        lambda x: np.fft.fft(np.array([x, x])),
        lambda x: np.unwrap(np.array([x, 2 * x])),
        lambda x: np.float32(x),
        lambda x: np.linalg.svd(np.array([[x]])),
    ):
        with pytest.raises((oracle.NotInOracle, TypeError)):
            oracle.gradient(f, (0.5,))


def test_kinks_are_measured():
    assert oracle.differentiate(lambda x: abs(x - 1.0), (1.25,)).nearest == 0.25
    assert oracle.differentiate(lambda x: x if x > 1 else 0.0, (1.5,)).nearest == 0.5
    assert oracle.differentiate(lambda x: np.maximum(x, 3.0), (2.0,)).nearest == 1.0
    assert oracle.differentiate(lambda x: x * x, (2.0,)).nearest == math.inf
