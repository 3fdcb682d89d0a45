"""Derivatives that functions of users compute: `tangent.custom_vjp`, results that are tuples.

The rules of test_user_rules.py are used beside them. True derivatives are held against the oracle.
"""
# ruff: noqa: F821

from __future__ import annotations

import numpy as np
import pytest
import tangent
from test_user_rules import M, X, cube, near, total


def test_custom_vjp():
    @tangent.custom_vjp
    def square(x):
        return x * x

    def f(x):
        return 3.0 * square(x) + x

    df = tangent.grad(f)
    assert df(2.0) == 13.0  # before defvjp the body counts
    assert tangent.grad(square)(2.0) == 4.0

    def backward(g, ans, x):
        assert ans == x * x
        return 10.0 * g * x

    assert square.defvjp(backward) is backward
    assert square(2.0) == 4.0
    assert df(2.0) == 61.0
    assert tangent.grad(square)(2.0) == 20.0
    assert tangent.grad(df)(2.0) == 30.0
    assert tangent.jvp(f)(2.0, 1.0) == 13.0  # forward mode reads the body

    def jvp(ans, x, dx):
        return 7.0 * dx * x

    assert square.defjvp(jvp) is jvp
    assert tangent.jvp(f)(2.0, 1.0) == 43.0
    assert tangent.jvp(square)(2.0, 1.0) == 14.0
    assert df(2.0) == 61.0


@tangent.custom_vjp
def product(x, y):
    return x * y


@product.defvjp
def product_backward(g, ans, x, y):
    return g * y, g * x


@product.defjvp
def product_jvp(ans, x, y, dx, dy):
    assert np.shape(dx) == np.shape(x)
    assert np.shape(dy) == np.shape(y)
    return dx * y + x * dy


@pytest.mark.parametrize('args', [(2.0, 3.0), (X, 3.0), (M, X), (X, np.float64(2.0))])
def test_custom_vjp_of_several_parameters(args):
    def f(x, y):
        return np.sum(product(x, y) ** 2)

    near(f, *args, wrt=(0, 1))
    near(f, *args, wrt=(1,))
    tangents = [np.ones_like(each) if np.ndim(each) else 1.0 for each in args]
    gradients = tangent.grad(f, (0, 1))(*args)
    want = sum(np.sum(each) for each in gradients)
    assert tangent.jvp(f, (0, 1))(*args, *tangents) == pytest.approx(want)
    assert tangent.jvp(f)(*args, tangents[0]) == pytest.approx(np.sum(gradients[0]))


@pytest.mark.parametrize(
    ('returned', 'text'),
    [
        (lambda g, x, y: (g,), '1 values for 2 parameters'),
        (lambda g, x, y: (g, g, g), '3 values for 2 parameters'),
        (lambda g, x, y: np.array([g, g]), 'one value for 2 parameters'),
    ],
)
def test_a_backward_function_that_returns_something_else(returned, text):
    @tangent.custom_vjp
    def f(x, y):
        return x * y

    @f.defvjp
    def backward(g, ans, x, y):
        return returned(g, x, y)

    with pytest.raises(ValueError, match=text):
        tangent.grad(f)(2.0, 3.0)


def test_a_backward_function_without_a_gradient_for_one_parameter():
    @tangent.custom_vjp
    def f(x, n):
        return x**n

    @f.defvjp
    def backward(g, ans, x, n):
        return g * n * x ** (n - 1), None

    assert tangent.grad(f)(2.0, 3) == 12.0
    assert tangent.grad(f, (0, 1))(2.0, 3.0) == (12.0, 0.0)
    assert tangent.grad(tangent.grad(f))(2.0, 3.0) == 12.0
    np.testing.assert_allclose(tangent.grad(lambda x: np.sum(f(x, 2.0)))(X), 2 * X)
    np.testing.assert_array_equal(tangent.grad(lambda n: np.sum(f(2.0, n)))(X), np.zeros(3))


def test_a_gradient_of_the_wrong_shape_is_an_error():
    @tangent.custom_vjp
    def f(x):
        return x * x

    @f.defvjp
    def backward(g, ans, x):
        return np.ones(5)

    with pytest.raises(ValueError, match='broadcast'):
        tangent.grad(f)(X)


def test_custom_vjp_refuses_variadic_functions():
    with pytest.raises(ValueError, match=r'\*args'):
        tangent.custom_vjp(lambda *args: args[0])
    with pytest.raises(ValueError, match=r'\*args'):

        @tangent.custom_vjp
        def f(x, **options):
            return x


@tangent.custom_vjp
def passed_on(x, y):
    return x + y


@passed_on.defvjp
def passed_on_backward(g, ans, x, y):
    return g, g  # the very array, twice


@tangent.custom_vjp
def itself(x):
    return x * 1.0


@itself.defvjp
def itself_backward(g, ans, x):
    return g


def stores_and_products(x):
    m = np.outer(x, x)
    for i in range(3):
        m[i] = product(m[i], x)
        m[:, i] += cube(m[0])
    return total(m)


def what_is_passed_on(x):
    y = np.zeros(3)
    z = x
    for i in range(3):
        y[i] = x[i] * 2.0
        z = passed_on(z, itself(y)) * x
        y[0] = y[1] * x[0]
        z = z + itself(z)
    return np.sum(z * passed_on(z, x))


def lists_and_loops(x):
    items = [x[0], x[1]]
    for _ in range(3):
        items.append(product(items[-1], items[-2]))
    rest = itself(x)
    while np.sum(rest * rest) < 50.0:
        rest = passed_on(product(rest, rest), x * 1.5)
    return items[-1] + np.sum(rest)


def views(x):
    return np.sum(product(x.reshape(3, 1), x)) + np.sum(passed_on(x[1:], itself(x)[:2]))


@pytest.mark.parametrize('f', [stores_and_products, what_is_passed_on, lists_and_loops, views])
def test_custom_vjp_beside_stores(f):
    (got,) = near(f, X)
    assert tangent.jvp(f)(X, np.ones(3)) == pytest.approx(np.sum(got), rel=1e-9)


def test_custom_calls_by_name():
    key = f'{product.__module__}.{product.__qualname__}'
    assert tangent.custom_bwd_call(key, 2.0, 6.0, 2.0, 3.0) == (6.0, 4.0)
    assert tangent.custom_jvp_call(key, 6.0, 2.0, 3.0, 1.0, 0.5) == 4.0
    with pytest.raises(KeyError):
        tangent.custom_bwd_call('nobody.knows', 1.0, 1.0)


def test_a_function_without_source_needs_none_where_it_is_called():
    space = {'np': np}
    exec('def hidden(x):\n    return np.tanh(x)', space)
    hidden = space['hidden']

    @tangent.register_adjoint(hidden)
    def template(y, x):
        d[x] = d[y] * (1 - y * y)

    def f(x):
        return np.sum(hidden(x) * x)

    def plain(x):
        return np.sum(np.tanh(x) * x)

    np.testing.assert_allclose(tangent.grad(f)(X), tangent.grad(plain)(X), rtol=1e-13)


# ------------------------------------------------------------------------------------------------
# Results that are tuples


@tangent.custom_vjp
def sine_and_cosine(x):
    return np.sin(x), np.cos(x)


@sine_and_cosine.defvjp
def sine_and_cosine_backward(g, ans, x):
    return g[0] * ans[1] - g[1] * ans[0]


@sine_and_cosine.defjvp
def sine_and_cosine_jvp(ans, x, dx):
    return dx * ans[1], -dx * ans[0]


def polar(x, y):
    return np.sqrt(x * x + y * y), np.arctan2(y, x)


@tangent.register_adjoint(polar)
def adjoint_polar(r, x, y):
    d[x] = d[r][0] * x / r[0] - d[r][1] * y / (r[0] * r[0])
    d[y] = d[r][0] * y / r[0] + d[r][1] * x / (r[0] * r[0])


def both(x):
    s, c = sine_and_cosine(x)
    return np.sum(s * s * c)


def one_of_them(x):
    s, _ = sine_and_cosine(x)
    return np.sum(s * x)


def bound_again(x):
    s, c = sine_and_cosine(x)
    s = s * c * x
    c = 2.0 * s
    return np.sum(s * c)


def by_index(x):
    return np.sum(sine_and_cosine(x)[1] * 3.0)


def in_a_loop(x):
    total = x
    for i in range(3):
        s, c = sine_and_cosine(x * i + total)
        total = total + s * c
    return np.sum(total)


@pytest.mark.parametrize('f', [both, one_of_them, bound_again, by_index, in_a_loop])
def test_results_that_are_tuples(f):
    for x in (0.5, X):
        (got,) = near(f, x)
        ones = np.ones_like(x) if np.ndim(x) else 1.0
        assert tangent.jvp(f)(x, ones) == pytest.approx(np.sum(got))


def test_templates_of_results_that_are_tuples():
    def f(x, y):
        r, a = polar(x, y)
        return np.sum(r * r * a)

    near(f, 0.3, 0.7, wrt=(0, 1))
    near(f, X, 0.7, wrt=(0, 1))
    assert 'parts' not in tangent.grad(f).source(0.3, 0.7)


def test_a_function_of_several_results_by_itself():
    first = tangent.grad(sine_and_cosine, output_index=0)
    assert first(0.5) == pytest.approx(np.cos(0.5))
    with pytest.warns(UserWarning, match='returns 2 values'):
        df = tangent.grad(sine_and_cosine)
    assert df(0.5) == pytest.approx(np.cos(0.5) - np.sin(0.5))
    assert df(0.5, (2.0, 3.0)) == pytest.approx(2 * np.cos(0.5) - 3 * np.sin(0.5))
    assert tangent.grad(tangent.grad(both))(0.5) == pytest.approx(
        2 * np.cos(0.5) ** 3 - 7 * np.sin(0.5) ** 2 * np.cos(0.5)
    )
