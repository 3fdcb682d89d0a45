"""Rules that users give: templates, custom gradients, functions without derivative.

Two kinds of tests. A rule that says the truth is held against the oracle, which runs the function
itself. A rule that says something else on purpose shows that it is the rule that counts, and the
newest one. Registering changes the process, so each test uses functions of its own; the rules of
library functions are put back behind each test.
"""
# ruff: noqa: F821, SIM108

from __future__ import annotations

import functools
import math

import fuzz
import numpy as np
import oracle
import programs
import pytest
import tangent
from tangent import _core, _records, non_differentiable

X = np.array([0.5, -1.2, 2.0])
M = np.array([[0.5, -1.2, 2.0], [1.5, 0.3, -0.7]])


@pytest.fixture(autouse=True)
def built_in_rules_again():
    """Puts back what a test has replaced."""
    yield
    for key in list(_records.of_libraries):
        text = _core.built_in_record(key)
        if text is not None:
            _core.add_rule(text, f'<rule of {key}>', key)
            _core.rules_changed(None)
            del _records.of_libraries[key]


def near(f, *args, wrt=(0,)):
    """The gradients of tangent and of the oracle."""
    got = tangent.grad(f, wrt)(*args)
    got = got if len(wrt) > 1 else (got,)
    assert oracle.error(got, oracle.gradient(f, args, wrt)) <= 1e-10
    return got


# ------------------------------------------------------------------------------------------------
# Templates of functions of the user's


def cube(x):
    return x * x * x


@tangent.register_adjoint(cube)
def adjoint_cube(y, x):
    d[x] = 3 * d[y] * x * x


def scaled(x, k=2.0, *, offset=1.0):
    return k * x + offset


@tangent.register_adjoint(scaled)
def adjoint_scaled(y, x, k, offset):
    d[x] = d[y] * k
    d[k] = d[y] * x
    d[offset] = d[y]


def total(x):
    return np.sum(x * x)


@tangent.register_adjoint(total)
def adjoint_total(y, x):
    d[x] = 2 * d[y] * x


def logistic(x):
    return 1.0 / (1.0 + np.exp(-x))


@tangent.register_adjoint(logistic)
def adjoint_logistic(y, x):
    slope = y * (1.0 - y)
    d[x] = d[y] * slope


def smooth(x):
    return np.sqrt(x * x + 1.0)


@tangent.register_adjoint(smooth)
def adjoint_smooth(y, x):
    if x.size > 2:
        factor = x / y
    else:
        factor = x * (1.0 / y)
    d[x] = d[y] * factor


def shifted(x, k):
    return x * 2.0 + k


@tangent.register_adjoint(shifted)
def adjoint_shifted(y, x, k):
    d[x] = d[y] * 2.0
    d[k] = d[y].sum()


def row_sums(m):
    return m @ np.ones(3)


@tangent.register_adjoint(row_sums)
def adjoint_row_sums(y, m):
    d[m] = np.outer(d[y], np.ones(3))


PROGRAMS = [
    (lambda x: 2.0 * cube(x) + np.sin(x), (0.7,), (0,)),
    (lambda x: np.sum(cube(x) * x), (X,), (0,)),
    (lambda x, k: np.sum(scaled(x, k) * scaled(x)), (X, 3.0), (0, 1)),
    (lambda x, k: np.sum(scaled(x, offset=k) * scaled(x, k=k, offset=2.0)), (X, 3.0), (0, 1)),
    (lambda m, k: np.sum(scaled(m, k) ** 2), (M, np.array([[1.0], [2.0]])), (0, 1)),
    (lambda m, k: np.sum(scaled(m, offset=k) ** 2), (M, np.array([1.0, 2.0, 3.0])), (0, 1)),
    (lambda x: total(np.cos(x)) * x[0], (X,), (0,)),
    (lambda x: total(x) ** 2, (0.4,), (0,)),
    (lambda x: np.sum(logistic(cube(x))), (X,), (0,)),
    (lambda x: np.sum(smooth(x) * x), (X,), (0,)),
    (lambda m: np.sum(row_sums(m * m) ** 2), (M,), (0,)),
    (lambda x, k: np.sum(shifted(x, k) ** 2), (X, 3.0), (0, 1)),
    (scaled, (1.5, 0.5), (0, 1)),
    (cube, (1.5,), (0,)),
]


@pytest.mark.parametrize('program', range(len(PROGRAMS)))
def test_true_rules_give_the_true_gradient(program):
    f, args, wrt = PROGRAMS[program]
    near(f, *args, wrt=wrt)


def test_rules_in_loops_branches_and_callees():
    def inner(x, n):
        y = x
        for i in range(n):
            y = logistic(y) * x if i % 2 else cube(y)
        return y

    def f(x):
        value = inner(x, 3)
        return value + total(np.array([value, x]))

    near(f, 0.8)
    source = tangent.grad(f).source(0.8)
    assert 'cube(value)' in source
    assert 'logistic(value)' in source


def test_a_template_of_assignments_is_written_out():
    def f(x):
        return cube(x)

    assert tangent.grad(f).source(2.0) == (
        'def dfdx(x, by=1.0):\n    cube(x)\n    return 3 * by * x * x\n'
    )


def test_a_template_that_does_more_is_called():
    def f(x):
        return np.sum(smooth(x))

    assert 'adjoint_smooth_adjoint(' in tangent.grad(f).source(X)


def test_every_order():
    def f(x):
        return cube(x) * logistic(x)

    def plain(x):
        return x**3 / (1.0 + np.exp(-x))

    first, want = tangent.grad(f), tangent.grad(plain)
    for _ in range(3):
        assert first(0.7) == pytest.approx(want(0.7), rel=1e-12)
        first, want = tangent.grad(first), tangent.grad(want)


def test_both_modes_where_it_is_elementwise():
    def soft(x, k):
        return k * np.tanh(x)

    @tangent.register_adjoint(soft, shape='elementwise')
    def template(y, x, k):
        d[x] = d[y] * 7 * k
        d[k] = d[y] * 5 * x

    def f(x, k):
        return np.sum(soft(x, k))

    np.testing.assert_array_equal(tangent.grad(f, (0, 1))(X, 2.0)[0], np.full(3, 14.0))
    assert tangent.grad(f, 1)(X, 2.0) == pytest.approx(5 * np.sum(X))
    got = tangent.jvp(f, (0, 1))(X, 2.0, np.ones(3), 1.0)
    assert got == pytest.approx(42.0 + 5 * np.sum(X))


def test_forward_mode_without_a_rule_for_it_reads_the_body():
    def square(x):
        return x * x

    @tangent.register_adjoint(square)
    def template(y, x):
        d[x] = 100 * d[y]

    assert tangent.grad(square)(3.0) == 100.0
    assert tangent.jvp(square)(3.0, 1.0) == 6.0

    @tangent.register_tangent(square)
    def forward(y, x):
        d[y] = 50 * d[x]

    assert tangent.grad(square)(3.0) == 100.0
    assert tangent.jvp(square)(3.0, 1.0) == 50.0


def test_a_tangent_alone_leaves_reverse_mode_to_the_body():
    def product(x, y):
        return x @ y

    @tangent.register_tangent(product)
    def forward(z, x, y):
        d[z] = 2 * d[x] @ y + 3 * x @ d[y]

    def f(x, y):
        return product(x, y) * 1.0

    near(f, X, X + 1.0, wrt=(0, 1))
    assert tangent.jvp(f)(X, X + 1.0, np.ones(3)) == pytest.approx(2 * np.sum(X + 1.0))
    assert tangent.jvp(f, 1)(X, X + 1.0, np.ones(3)) == pytest.approx(3 * np.sum(X))
    assert 'zeros' not in tangent.jvp(f).source(X, X + 1.0, np.ones(3))


def test_a_tangent_that_broadcasts():
    """Terms without a tangent are left out; what is left may be smaller than the result."""

    def add(x, y):
        return x + y

    @tangent.register_tangent(add)
    def forward(z, x, y):
        d[z] = d[x] + d[y]

    def f(x, y):
        return np.sum(add(x, y) ** 2) + np.sum(add(x, y))

    for k, x in enumerate((X, M)):
        want = np.sum(oracle.gradient(f, (X, M), (k,))[0])
        assert tangent.jvp(f, k)(X, M, np.ones_like(x)) == pytest.approx(want)
    slope = tangent.jvp(add)(X, M, np.ones(3))
    np.testing.assert_array_equal(slope, np.ones((2, 3)))
    assert tangent.jvp(add)(2.0, 3.0, 1.5) == 1.5


def test_a_computed_tangent_has_the_shape_of_the_result():
    @tangent.custom_vjp
    def add(x, y):
        return x + y

    @add.defjvp
    def jvp(ans, x, y, dx, dy):
        return np.sum(dx) + np.sum(dy)  # a number for an array

    assert np.shape(tangent.jvp(add)(X, M, np.ones(3))) == (2, 3)
    assert tangent.jvp(lambda x: np.sum(add(x, 1.0)))(X, np.ones(3)) == 9.0

    @add.defjvp
    def wrong(ans, x, y, dx, dy):
        return np.ones(5)

    with pytest.raises(ValueError, match='broadcast'):
        tangent.jvp(lambda x: np.sum(add(x, 1.0)))(X, np.ones(3))


# ------------------------------------------------------------------------------------------------
# Nothing stale


def test_a_gradient_made_before_follows():
    def half(x):
        return 0.5 * x

    def f(x):
        return half(x) * 4.0

    df, own, second = tangent.grad(f), tangent.grad(half), tangent.grad(tangent.grad(f))
    jf = tangent.jvp(f)
    assert (df(3.0), own(3.0), jf(3.0, 1.0), second(3.0)) == (2.0, 0.5, 2.0, 0.0)

    @tangent.register_adjoint(half, shape='elementwise')
    def first(y, x):
        d[x] = 7 * d[y] * x

    assert (df(3.0), own(3.0), jf(3.0, 1.0), second(3.0)) == (84.0, 21.0, 84.0, 28.0)
    assert tangent.grad(f)(3.0) == 84.0

    @tangent.register_adjoint(half)
    def later(y, x):
        d[x] = 9 * d[y] * x

    assert (df(3.0), own(3.0), jf(3.0, 1.0), second(3.0)) == (108.0, 27.0, 108.0, 36.0)


FACTOR = 3.0


def times_factor(x):
    return FACTOR * x


def test_names_of_a_template_are_followed(monkeypatch):
    def f(x):
        return x * 1.0

    @tangent.register_adjoint(f)
    def template(y, x):
        d[x] = d[y] * times_factor(x) * FACTOR

    df = tangent.grad(f)
    assert df(2.0) == 18.0
    assert tangent.grad(df)(2.0) == 9.0
    monkeypatch.setitem(globals(), 'FACTOR', 4.0)
    assert df(2.0) == 32.0
    assert tangent.grad(df)(2.0) == 16.0


def test_a_global_of_the_module_has_one_name(monkeypatch):
    def f(x):
        return 2.0 * x

    @tangent.register_adjoint(f)
    def template(y, x):
        d[x] = d[y] * FACTOR

    def g(x):
        return f(x) * FACTOR

    df = tangent.grad(g)
    assert df(3.0) == 9.0
    assert 'FACTOR2' not in df.source(3.0)
    monkeypatch.setitem(globals(), 'FACTOR', 4.0)
    assert df(3.0) == 16.0


def test_closures_of_a_template_are_followed():
    factor = 3.0

    def f(x):
        return x * 1.0

    @tangent.register_adjoint(f)
    def template(y, x):
        d[x] = factor * d[y]

    df = tangent.grad(f)
    assert df(2.0) == 3.0
    factor = 5.0
    assert df(2.0) == 5.0


def test_wrappers_have_no_rule_of_what_they_wrap():
    def f(x):
        return x * x

    @tangent.register_adjoint(f)
    def template(y, x):
        d[x] = 100 * d[y]

    @functools.wraps(f)
    def wrapper(x):
        return 2.0 * x

    assert tangent.grad(wrapper)(1.0) == 2.0
    assert tangent.grad(f)(1.0) == 100.0


def test_a_rule_dies_with_its_function():
    import gc
    import weakref

    def make():
        @tangent.custom_vjp
        def f(x):
            return x * x

        @f.defvjp
        def backward(g, ans, x):
            return 5.0 * g + 0.0 * f(x)

        assert tangent.grad(f)(1.0) == 5.0
        return weakref.ref(f)

    reference = make()
    gc.collect()
    assert reference() is None


# ------------------------------------------------------------------------------------------------
# Functions of libraries


def test_a_built_in_rule_is_replaced():
    def f(x):
        return np.cbrt(x) * 2.0

    before = tangent.grad(f)
    assert before(8.0) == pytest.approx(2.0 / 12.0)

    @tangent.register_adjoint(np.cbrt)
    def template(y, x):
        d[x] = d[y] * 11

    assert before(8.0) == 22.0
    assert tangent.jvp(f)(8.0, 1.0) == 22.0
    np.testing.assert_array_equal(tangent.grad(f)(X), np.full(3, 22.0))

    @tangent.register_adjoint(np.cbrt)
    def true(y, x):
        d[x] = d[y] / (3 * y * y)

    near(f, np.abs(X))
    assert tangent.grad(tangent.grad(f))(8.0) == pytest.approx(-2.0 * 2.0 / 9.0 / 32.0)


def test_a_replaced_rule_counts_for_methods_and_keywords():
    def f(x):
        return x.prod() + np.prod(x, axis=0)

    @tangent.register_adjoint(np.prod)
    def template(y, a, axis=None):
        d[a] = d[y] * 3 * np.ones_like(a)

    np.testing.assert_array_equal(tangent.grad(f)(X), np.full(3, 6.0))
    with pytest.raises(NotImplementedError, match='`where=`'):
        tangent.grad(lambda x: np.sum(np.prod(x, where=x > 0)))(X)


def test_a_library_function_without_a_rule_gets_one():
    def f(x):
        return np.sum(np.trim_zeros(x) * np.arange(3.0))

    with pytest.raises(NotImplementedError):
        tangent.grad(f)(X)

    @tangent.register_adjoint(np.trim_zeros)
    def template(y, x):
        d[x] = d[y]

    np.testing.assert_array_equal(tangent.grad(f)(X), [0.0, 1.0, 2.0])


def test_functions_of_math_and_builtins():
    def f(x):
        return math.gamma(x) + abs(x)

    @tangent.register_adjoint(math.gamma)
    def gamma(y, x):
        d[x] = 5 * d[y]

    assert tangent.grad(f)(2.0) == 6.0


def test_a_tangent_of_a_library_function():
    def f(x):
        return np.sinc(x)

    slope = tangent.grad(f)(0.3)

    @tangent.register_tangent(np.sinc)
    def template(y, x):
        d[y] = 9 * d[x]

    assert tangent.jvp(f)(0.3, 1.0) == 9.0
    assert tangent.grad(f)(0.3) == slope


def test_unbroadcast_in_a_template():
    """As templates of the predecessor's are written."""

    def quotient(x, y):
        return x / y

    @tangent.register_adjoint(quotient)
    def template(z, x, y):
        d[x] = tangent.unbroadcast(d[z] / y, x)
        d[y] = tangent.unbroadcast(-d[z] * x / (y * y), y)

    near(lambda x, y: np.sum(quotient(x, y) ** 2), M, 2.0, wrt=(0, 1))
    near(lambda x, y: np.sum(quotient(x, y) ** 2), M, np.array([1.0, 2.0, 3.0]), wrt=(0, 1))


def reduced_by_hand():
    @tangent.register_adjoint(np.multiply)
    def template(z, x, y):
        d[x] = d[z] * y
        d[y] = np.sum(d[z] * x, axis=0)


def reduced_by_unbroadcast():
    @tangent.register_adjoint(np.multiply)
    def template(z, x, y):
        d[x] = tangent.unbroadcast(d[z] * y, x)
        d[y] = tangent.unbroadcast(d[z] * x, y)


def reduced_in_a_function():
    @tangent.register_adjoint(np.multiply)
    def template(z, x, y):
        slope = d[z] * x
        for _ in range(1):
            slope = tangent.unbroadcast(slope, y)
        d[x] = d[z] * y
        d[y] = slope


def not_reduced():
    @tangent.register_adjoint(np.multiply)
    def template(z, x, y):
        d[x] = d[z] * y
        d[y] = x * d[z] + 0.0


@pytest.mark.parametrize(
    'register', [reduced_by_hand, reduced_by_unbroadcast, reduced_in_a_function, not_reduced]
)
def test_a_template_may_reduce_what_is_broadcast(register):
    register()
    near(lambda x, y: np.sum(np.multiply(x, y) ** 2), M, np.array([1.0, 2.0, 3.0]), wrt=(0, 1))
    near(lambda x, y: np.multiply(x, y), 2.0, 3.0, wrt=(0, 1))


def test_functions_without_derivative():
    def noise(x):
        return x * 3.0

    def f(x):
        return noise(x) + x

    assert tangent.grad(f)(2.0) == 4.0
    non_differentiable.register_non_differentiable_functions(noise)
    assert tangent.grad(f)(2.0) == 1.0
    assert tangent.jvp(f)(2.0, 1.0) == 1.0


def true_rules():
    """The truth about some functions that generated programs use a lot, as users would write it."""

    @tangent.register_adjoint(np.sin)
    def sin(y, x):
        d[x] = d[y] * np.cos(x)

    @tangent.register_adjoint(np.exp)
    def exp(y, x):
        d[x] = d[y] * y

    @tangent.register_adjoint(np.tanh)
    def tanh(y, x):
        if np.ndim(x) >= 0:  # no assignment: a function that the gradient calls
            d[x] = d[y] * (1 - y * y)

    @tangent.register_adjoint(np.sum)
    def sum_(y, a, axis=None, keepdims=False):
        d[a] = tangent.unreduce(d[y], np.shape(a), axis, keepdims)

    @tangent.register_adjoint(np.mean)
    def mean(y, a, axis=None, keepdims=False):
        count = tangent.array_size(a, axis)
        d[a] = tangent.unreduce(d[y], np.shape(a), axis, keepdims) / count

    @tangent.register_adjoint(np.outer)
    def outer(z, a, b):
        d[a] = d[z] @ b
        d[b] = a @ d[z]


def test_generated_programs_with_rules_of_users(tmp_path):
    true_rules()
    done = [fuzz.check(programs.program(label), str(tmp_path)) for label in range(60)]
    failed = [outcome.report for outcome in done if outcome.kind == 'failed']
    assert not failed, failed[0]
    assert sum(outcome.kind == 'ok' for outcome in done) >= 40


# ------------------------------------------------------------------------------------------------
# What is refused


def refused(template_of, make, text):
    with pytest.raises(tangent.TangentError, match=text) as caught:
        make(template_of)
    assert caught.value.kind == 'BadRule'
    return caught.value


def plain(x, k):
    return x * k


def nothing_assigned(register):
    @register(plain)
    def template(y, x):
        factor = x * y  # noqa: F841


def of_no_parameter(register):
    @register(plain)
    def template(y, x):
        d[z] = d[y]


def the_wrong_way_round(register):
    @register(plain)
    def template(y, x):
        d[y] = d[x]


def too_many(register):
    @register(plain)
    def template(y, x, k, m):
        d[x] = d[y]


def no_result(register):
    @register(plain)
    def template():
        pass


def a_return(register):
    @register(plain)
    def template(y, x):
        d[x] = d[y]
        return d


def variadic(register):
    @register(plain)
    def template(y, *x):
        d[x] = d[y]


def unknown_name(register):
    @register(plain)
    def template(y, x):
        d[x] = d[y] * no_such_thing


@pytest.mark.parametrize(
    ('make', 'text'),
    [
        (nothing_assigned, 'assigns no derivative'),
        (of_no_parameter, 'of no parameter'),
        (the_wrong_way_round, 'which it is given'),
        (too_many, 'has 3 parameters behind the result'),
        (no_result, 'first parameter'),
        (a_return, 'returns nothing'),
        (variadic, r'no `\*`'),
        (unknown_name, '`no_such_thing` is not defined'),
    ],
)
def test_bad_templates(make, text):
    error = refused(tangent.register_adjoint, make, text)
    assert error.filename == __file__
    assert error.source_line is not None
    # The function has no rule from it.
    assert tangent.grad(plain)(2.0, 3.0) == 3.0


class Plain:
    pass


@pytest.mark.parametrize(
    'thing',
    [3, 'name', Plain, X.sum, type('C', (), {'__call__': lambda self, x: x})(), tangent.grad(cube)],
)
def test_rules_are_of_functions(thing):
    with pytest.raises(tangent.TangentError) as caught:
        tangent.register_adjoint(thing)
    assert caught.value.kind == 'BadRule'


def test_parameters_named_as_what_rules_name():
    def f(d, full, y):
        return d * full * y

    @tangent.register_adjoint(f)
    def template(r, a, b, c):
        d[a] = d[r] * b * c
        d[b] = d[r] * a * c
        d[c] = d[r] * r / c

    near(f, 2.0, 3.0, 4.0, wrt=(0, 1, 2))
    with pytest.raises(tangent.TangentError, match="a parameter 'np'"):
        tangent.register_adjoint(lambda np: np)


class Model:
    def value(self, x):
        return x * x


def test_rules_are_not_of_methods():
    for method in (Model.value, Model().value):
        with pytest.raises(tangent.TangentError, match='is a method'):
            tangent.register_adjoint(method)


def test_a_function_with_a_rule_does_not_write_into_its_arguments():
    def clear_first(a):
        first = a[:1]
        first[0] = 0.0
        return np.sum(a)

    @tangent.register_adjoint(clear_first)
    def template(y, a):
        d[a] = d[y]

    def f(x):
        y = 2.0 * x
        return clear_first(y) + y[0]

    with pytest.raises(tangent.TangentError, match='writes into what it is given'):
        tangent.grad(f)(X)


def test_an_active_argument_without_a_derivative():
    def power(x, n):
        return x**n

    @tangent.register_adjoint(power)
    def template(y, x, n):
        d[x] = d[y] * n * x ** (n - 1)

    near(lambda x: power(x, 3.0), 2.0)
    with pytest.raises(NotImplementedError, match='`power` has no derivative with respect to `n`'):
        tangent.grad(lambda x: power(2.0, x))(3.0)


def test_shapes_are_known_words():
    with pytest.raises(tangent.TangentError, match='shape='):
        tangent.register_adjoint(plain, shape='wide')


# ------------------------------------------------------------------------------------------------
# stop_gradient


def test_stop_gradient():
    def f(x):
        return x * tangent.stop_gradient(x)

    assert tangent.grad(f)(3.0) == 3.0
    assert type(tangent.grad(f)(3.0)) is float
    assert tangent.jvp(f)(3.0, 1.0) == 3.0
    assert tangent.grad(tangent.grad(f))(3.0) == 0.0
    np.testing.assert_array_equal(tangent.grad(lambda x: np.sum(f(x)))(X), X)
    assert tangent.stop_gradient(X) is X


def test_stop_gradient_of_containers_and_in_loops():
    def f(p):
        q = tangent.stop_gradient(p)
        total = 0.0
        for _ in range(3):
            total = total + p['a'] * q['a'] + tangent.stop_gradient(total)
        return total

    assert tangent.grad(f)({'a': 2.0}) == {'a': 6.0}


def test_stop_gradient_gives_the_same_memory():
    def f(x):
        y = tangent.stop_gradient(x)
        y[0] = 3.0
        return np.sum(x * y)

    with pytest.raises(tangent.InplaceModificationError):
        tangent.grad(f)(X.copy())
