"""Functions as people call them: unpacked arguments, tables of functions, partial functions and
decorators, gradients inside, generators, modules as arguments.

Each case is a function, a twin that computes the same in plain words (which the oracle runs), its
arguments, and the positions that are differentiated."""

# Written as users write, not as this project does.


import functools
import types

import numpy as np
import tangent

CASES = []


def case(*args, twin, wrt=(0,)):
    def keep(function):
        CASES.append((function, twin, args, wrt))
        return function

    return keep


# ------------------------------------------------------------------------------------------------
# Unpacked arguments


def line(a, b=2.0, c=3.0):
    return a * b + c * a


def squares(*values):
    total = 0.0
    for value in values:
        total = total + value * value
    return total


class PID:
    def __init__(self, kp, ki=0.1, kd=0.0):
        self.kp = kp
        self.ki = ki
        self.kd = kd

    def out(self, e):
        return self.kp * e + self.ki * e * e + self.kd


@case((0.7, 1.3), twin=lambda xs: xs[0] * xs[1] + 3.0 * xs[0])
def spread_tuple(xs):
    return line(*xs)


@case([0.7, 1.3], twin=lambda xs: xs[0] * xs[1] + 3.0 * xs[0])
def spread_list(xs):
    return line(*xs)


@case([0.7, 1.3, 0.4], twin=lambda xs: xs[0] * xs[1] + xs[2] * xs[0])
def spread_longer_list(xs):
    return line(*xs)


@case(np.array([0.7, 1.3]), twin=lambda xs: xs[0] * xs[1] + 3.0 * xs[0])
def spread_array(xs):
    return line(*xs)


@case((0.7,), twin=lambda xs: xs[0] * 5.0)
def spread_one(xs):
    return line(*xs)


@case([0.7, 1.3, 0.2], twin=lambda xs: xs[0] ** 2 + xs[1] ** 2 + xs[2] ** 2)
def spread_into_variadic(xs):
    return squares(*xs)


@case((0.7, 1.3), twin=lambda gains: gains[0] * 0.3 + gains[1] * 0.09)
def spread_into_class(gains):
    return PID(*gains).out(0.3)


@case(0.7, (1.3, 2.0), twin=lambda x, xs: x * xs[0] * xs[1] * x, wrt=(0, 1))
def spread_behind(x, xs):
    def h(t, a, b=1.0, *, k=1.0):
        return t * a * b * k

    return h(x, *xs, k=x)


@case((0.7, 1.3), twin=lambda xs: np.hypot(xs[0], xs[1]) + max(xs[0], xs[1]))
def spread_into_library(xs):
    return np.hypot(*xs) + max(*xs)


@case(0.7, twin=lambda x: x * x + x * 3.0 * x + x * x * x + 3.0 * x)
def spread_local(x):
    p = [x, x]
    p.append(x * 3.0)
    q = (x, x * x)
    return line(*p) + line(*q)


@case((0.7, 1.3, 0.3), twin=lambda xs: xs[1] * xs[2] + 3.0 * xs[1] + xs[0] * xs[1] + 3.0 * xs[0])
def spread_slices(xs):
    return line(*xs[1:]) + line(*xs[:2])


@case((0.7, 1.3), (0.3,), twin=lambda xs, ys: xs[0] * xs[1] + ys[0] * xs[0], wrt=(0, 1))
def spread_two(xs, ys):
    return line(*xs, *ys)


@case({'a': 0.7, 'c': 1.3}, twin=lambda p: p['a'] * 2.0 + p['c'] * p['a'])
def spread_keywords(p):
    return line(**p)


@case({'kp': 0.7, 'kd': 1.3}, twin=lambda p: p['kp'] * 0.3 + 0.1 * 0.09 + p['kd'])
def spread_keywords_into_class(p):
    return PID(**p).out(0.3)


# ------------------------------------------------------------------------------------------------
# Tables of functions


def square(x):
    return x * x


def sine(x):
    return np.sin(x)


ACTIVATIONS = {'square': square, 'tanh': np.tanh, 'cube': lambda x: x**3}
STEPS = [square, sine]
TERMS = ((0.5, square), (2.0, sine))
REGISTRY = {'s': {'f': sine, 'scale': 2.0}, 'q': {'f': square, 'scale': 3.0}}


@case(0.7, 'cube', twin=lambda x, name: x**3 * x)
def table_by_name(x, name):
    return ACTIVATIONS[name](x) * x


@case(0.7, 'tanh', twin=lambda x, name: np.tanh(x) * np.tanh(x * x))
def table_checked(x, name):
    if name not in ACTIVATIONS:
        raise ValueError(name)
    act = ACTIVATIONS[name]
    return act(x) * act(x * x)


@case(0.7, 'tanh', twin=lambda x, kind: np.tanh(x) * x)
def table_local(x, kind):
    return {'square': square, 'tanh': np.tanh}[kind](x) * x


@case(0.7, twin=lambda x: np.sin(x * x))
def steps_in_order(x):
    for step in STEPS:
        x = step(x)
    return x


@case(0.7, 1, twin=lambda x, i: np.sin(x) + x * x)
def step_by_index(x, i):
    return STEPS[i](x) + STEPS[0](x)


@case(0.7, twin=lambda x: 0.5 * x * x + 2.0 * np.sin(x))
def weighted_terms(x):
    return sum(weight * term(x) for weight, term in TERMS)


@case(0.7, twin=lambda x: x * x + np.tanh(x) + x**3)
def all_entries(x):
    total = 0.0
    for _, act in ACTIVATIONS.items():
        total = total + act(x)
    return total


@case(0.7, twin=lambda x: 2.0 * np.sin(x))
def nested_table(x):
    entry = REGISTRY['s']
    return entry['scale'] * entry['f'](x)


@case(0.7, {'act': np.tanh, 'scale': 2.0}, twin=lambda x, m: np.tanh(x) * m['scale'])
def table_argument(x, model):
    return model['act'](x) * model['scale']


@case(0.7, [np.tanh, square], twin=lambda x, fs: np.tanh(x) ** 2)
def list_argument(x, functions):
    for function in functions:
        x = function(x)
    return x


@case(
    np.array([0.7, -0.3]),
    ['tanh', 'square'],
    twin=lambda x, layers: np.sum(np.tanh(x * 2.0) * np.tanh(x * 2.0)),
)
def layers_by_name(x, layers):
    x = x * 2.0
    for name in layers:
        x = ACTIVATIONS[name](x)
    return np.sum(x)


# ------------------------------------------------------------------------------------------------
# Partial functions and decorators


def product(a, b, c=1.0):
    return a * b * b * c


HALF = functools.partial(product, 0.5, c=3.0)
WEIGHTED = functools.partial(np.dot, np.array([1.0, 2.0]))


def scaled(factor):
    def decorate(function):
        @functools.wraps(function)
        def inner(*args, **kwargs):
            return factor * function(*args, **kwargs)

        return inner

    return decorate


def penalised(function):
    @functools.wraps(function)
    def inner(theta, *args, **kwargs):
        return function(theta, *args, **kwargs) + 0.5 * np.sum(theta**2)

    return inner


def compose(*functions):
    def inner(x):
        for function in functions:
            x = function(x)
        return x

    return inner


NETWORK = compose(np.sin, square, np.tanh)


@case(0.7, twin=lambda x: 0.5 * x * x * 3.0)
def partial_global(x):
    return HALF(x)


@case(np.array([0.7, 0.2]), twin=lambda x: x[0] + 2.0 * x[1])
def partial_of_library(x):
    return WEIGHTED(x)


@case(0.7, twin=lambda x: x * x * np.sin(x))
@scaled(1.0)
def wrapped(x):
    return x * x * np.sin(x)


@case(
    np.array([0.7, 0.2]),
    np.array([1.0, 2.0]),
    twin=lambda theta, x: np.sum((x - theta) ** 2) + 0.5 * np.sum(theta**2),
)
@penalised
def wrapped_likelihood(theta, x, scale=1.0):
    return np.sum((x - theta) ** 2) / scale


@scaled(3.0)
def tripled(x, y=2.0):
    return x * x * y


@functools.lru_cache
def cached(x):
    return x * x


@case(0.7, twin=lambda x: 6.0 * x * x + 3.0 * x**3 + x * x)
def wrapped_helpers(x):
    return tripled(x) + tripled(x, y=x) + cached(x)


@case(0.7, twin=lambda x: np.tanh(np.sin(x) ** 2))
def composed(x):
    return NETWORK(x)


CASES.append(
    (functools.partial(product, c=3.0), lambda a, b: a * b * b * 3.0, (0.7, 0.3), (0, 1))
)


# ------------------------------------------------------------------------------------------------
# Gradients inside


def cube(x):
    return x**3


def residual(x, c):
    return x * x - c


def energy(q, p, k):
    return 0.5 * p * p + 0.5 * k * q * q + 0.1 * q**4


dcube = tangent.grad(cube)
force = tangent.grad(energy, wrt=(0,))
velocity = tangent.grad(energy, wrt=(1,))


def shape(t, w):
    return np.tanh(w[0] * t + w[1]) * w[2]


@case(0.7, twin=lambda x: 3.0 * x * x * x)
def gradient_under_a_name(x):
    df = tangent.grad(cube)
    return df(x) * x


@case(0.7, twin=lambda x: 3.0 * x * x)
def gradient_called(x):
    return tangent.grad(cube)(x)


@case(0.7, twin=lambda x: 3.0 * x * x * np.sin(x))
def gradient_of_the_module(x):
    return dcube(x) * np.sin(x)


@case(0.7, 1.1, twin=lambda x, a: 3.0 * a * x * x, wrt=(0, 1))
def gradient_of_a_closure(x, a):
    def g(y):
        return a * y**3

    return tangent.grad(g)(x)


@case(0.7, twin=lambda x: 2.0 * x * x)
def gradient_of_a_lambda(x):
    return tangent.grad(lambda y: y * y * x)(x)


def newton_twin(c):
    x = 1.5
    for _ in range(3):
        x = x - (x * x - c) / (2.0 * x)
    return x


@case(2.0, twin=newton_twin)
def newton_steps(c):
    x = 1.5
    for _ in range(3):
        x = x - residual(x, c) / tangent.grad(residual)(x, c)
    return x


@case(0.7, twin=lambda x: np.sin(x) * x * (np.cos(x) * x + np.sin(x)))
def value_and_gradient(x):
    def g(y):
        return np.sin(y) * y

    v, d = tangent.value_and_grad(g)(x)
    return v * d


def leapfrog_twin(k):
    q, p = 1.0, 0.0
    for _ in range(4):
        p = p - 0.05 * (k * q + 0.4 * q**3)
        q = q + 0.1 * p
        p = p - 0.05 * (k * q + 0.4 * q**3)
    return q


@case(1.3, twin=leapfrog_twin)
def leapfrog(k):
    q, p = 1.0, 0.0
    for _ in range(4):
        p = p - 0.05 * force(q, p, k)
        q = q + 0.1 * velocity(q, p, k)
        p = p - 0.05 * force(q, p, k)
    return q


def physics_twin(w, ts):
    total = 0.0
    for t in ts:
        u = np.tanh(w[0] * t + w[1])
        r = (1.0 - u * u) * w[0] * w[2] + u * w[2]
        total = total + r * r
    return total


@case(np.array([0.7, 0.2, 1.1]), [0.1, 0.5], twin=physics_twin)
def physics_residual(w, ts):
    total = 0.0
    for t in ts:
        r = tangent.grad(shape)(t, w) + shape(t, w)
        total = total + r * r
    return total


def minimise(loss, x, n):
    gradient = tangent.grad(loss)
    for _ in range(n):
        x = x - 0.1 * gradient(x)
    return x


def descent_twin(a):
    x = 0.0
    for _ in range(3):
        x = x - 0.2 * (x - a)
    return x


@case(0.7, twin=descent_twin)
def descent_of_a_closure(a):
    def loss(x):
        return (x - a) ** 2

    return minimise(loss, 0.0, 3)


@case(np.array([0.7, 0.2]), twin=lambda w: np.sum((2.0 * w * np.sin(w) + w * w * np.cos(w)) ** 2))
def gradient_of_arrays(w):
    def loss(v):
        return np.sum(v * v * np.sin(v))

    g = tangent.grad(loss)(w)
    return np.sum(g * g)


# ------------------------------------------------------------------------------------------------
# Modules and functions that values hold


class Model:
    def __init__(self, act):
        self.act = act
        self.w = 2.0


MODEL = Model(np.tanh)
SPACE = types.SimpleNamespace(act=np.tanh, k=2.0)


@case(np.array([0.7, 0.2]), twin=lambda x: np.sum(np.exp(x)))
def module_by_default(x, xp=np):
    return xp.sum(xp.exp(x))


def exponential(x, xp=np):
    return xp.exp(x)


@case(np.array([0.7, 0.2]), np, twin=lambda x, xp: np.sum(np.exp(x)) + np.linalg.norm(x))
def module_passed_on(x, xp):
    return xp.sum(exponential(x, xp=xp)) + xp.linalg.norm(x)


@case(0.7, twin=lambda x: np.tanh(x * 2.0))
def function_of_an_object(x):
    return MODEL.act(x * MODEL.w)


# ------------------------------------------------------------------------------------------------
# Generators


def events(series, dt):
    t = 0.0
    for q in series:
        t = t + dt
        yield t, q


def powers(x, n):
    for k in range(n):
        yield x**k


def halves(x):
    while x > 0.1:
        yield x
        x = 0.5 * x


def forever(x):
    while True:
        yield x
        x = 0.5 * x


def ends(x):
    yield x
    yield x * x


def events_twin(dt, series):
    total, t = 0.0, 0.0
    for q in series:
        t = t + dt
        total = total + q * np.exp(-t)
    return total


@case(0.7, [1.0, 2.0, 3.0], twin=events_twin, wrt=(0, 1))
def over_events(dt, series):
    total = 0.0
    for t, q in events(series, dt):
        total = total + q * np.exp(-t)
    return total


@case(0.7, twin=lambda x: 1.0 + x + x**2 + x**3 + x**4)
def sum_of_generator(x):
    return sum(powers(x, 4)) + list(powers(x, 5))[4]


@case(0.7, twin=lambda x: x * x * (1.0 + 0.25 + 0.0625))
def over_while(x):
    total = 0.0
    for h in halves(x):
        total = total + h * h
    return total


@case(0.7, twin=lambda x: x * x * (1.0 + 0.25 + 0.0625))
def over_endless(x):
    total = 0.0
    for h in forever(x):
        if h < 0.1:
            break
        total = total + h * h
    return total


@case(0.7, twin=lambda x: x * x * (1.0 + 0.0625))
def over_with_continue(x):
    total = 0.0
    for h in halves(x):
        if 0.2 < h < 0.5:
            continue
        total = total + h * h
    return total


@case(0.7, twin=lambda x: x * x * x)
def over_two_yields(x):
    y = 1.0
    for h in ends(x):
        y = y * h
    return y


@case(0.7, twin=lambda x: 2.0 * x + 1.0)
def consumer_changes_argument(x):
    total = 0.0
    for h in powers(x, 2):
        x = x + h
        total = x
    return total


@case(0.7, twin=lambda x: 1.0 + x**2 + x**4)
def comprehension_over(x):
    return sum([v * v for v in powers(x, 3)])
