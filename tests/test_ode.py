"""odeint and its gradient, and the activation functions: against the oracle and known values."""

from __future__ import annotations

import numpy as np
import oracle
import pytest
import tangent
from tangent import (
    numpy_elu,
    numpy_leaky_relu,
    numpy_relu,
    numpy_sigmoid,
    numpy_softplus,
    numpy_tanh,
    odeint,
)

TIMES = np.array([0.0, 0.3, 0.5, 1.0])


def decay(y, t, rate):
    return -rate * y


def forced(y, t, rate, push):
    return -rate * y * y + push * np.sin(t)


def oscillator(y, t, w):
    return np.array([y[1], -w * w * y[0]])


def no_arguments(y, t):
    return -y * y * t


def test_the_solution():
    ys = odeint(decay, 1.0, TIMES, (2.0,))
    assert ys.shape == (4,)
    np.testing.assert_allclose(ys, np.exp(-2.0 * TIMES), rtol=1e-6)
    ys = odeint(oscillator, np.array([1.0, 0.0]), TIMES, (3.0,), num_steps=40)
    assert ys.shape == (4, 2)
    np.testing.assert_allclose(ys[:, 0], np.cos(3.0 * TIMES), atol=1e-7)
    np.testing.assert_array_equal(ys[0], [1.0, 0.0])
    back = odeint(decay, ys[-1], TIMES[::-1], (2.0,))
    assert back.shape == (4, 2)


PROGRAMS = [
    (lambda y0, k: odeint(decay, y0, TIMES, (k,))[-1], (1.3, 0.7)),
    (lambda y0, k: np.sum(odeint(decay, y0, TIMES, (k,))), (np.array([1.0, 2.0]), 0.7)),
    (lambda y0, k: np.sum(odeint(forced, y0, TIMES, (k, 0.4), 3) ** 2), (1.3, 0.7)),
    (lambda y0, w: np.sum(odeint(oscillator, y0, TIMES, (w,))[1:, 0]), (np.array([1.0, 0.5]), 2.0)),
    (lambda y0, k: k * odeint(no_arguments, y0, TIMES, num_steps=4)[-1], (1.3, 0.7)),
]


@pytest.mark.parametrize('program', range(len(PROGRAMS)))
def test_the_gradient_is_that_of_the_computation(program):
    f, args = PROGRAMS[program]
    got = tangent.grad(f, (0, 1))(*args)
    want = oracle.gradient(f, args, (0, 1))
    assert oracle.error(got, want) <= 1e-10
    tangents = [np.ones_like(each) if np.ndim(each) else 1.0 for each in args]
    total = sum(np.sum(each) for each in want)
    assert tangent.jvp(f, (0, 1))(*args, *tangents) == pytest.approx(total, rel=1e-10)


def test_a_right_hand_side_inside_the_function():
    def f(k):
        def rhs(y, t):
            return -k * y

        return odeint(rhs, 1.0, TIMES)[-1]

    assert oracle.error((tangent.grad(f)(0.7),), oracle.gradient(f, (0.7,), (0,))) <= 1e-10


def test_second_order():
    def f(k):
        return odeint(decay, 1.0, TIMES, (k,), 40)[-1]

    assert tangent.grad(tangent.grad(f))(0.7) == pytest.approx(np.exp(-0.7), rel=1e-6)


@pytest.mark.parametrize(
    ('func', 'y0', 'args'),
    [
        (decay, 1.3, (0.7,)),
        (decay, np.array([1.0, 2.0]), (0.7,)),
        (forced, np.array([1.0, 2.0]), (np.array([0.7, 0.2]), 0.4)),
        (oscillator, np.array([1.0, 0.5]), (2.0,)),
        (no_arguments, 1.3, ()),
    ],
)
def test_odeint_grad(func, y0, args):
    ys = odeint(func, y0, TIMES, args, 5)
    dys = np.cos(np.arange(ys.size)).reshape(ys.shape)
    got_y0, got_args = tangent.odeint_grad(dys, func, ys, y0, TIMES, args, 5)
    if not args:
        want = tangent.grad(lambda y0: np.sum(dys * odeint(no_arguments, y0, TIMES, (), 5)))(y0)
        assert got_y0 == pytest.approx(want, rel=1e-12)
        assert got_args == ()
        return

    if len(args) == 1:

        def f(y0, a):
            return np.sum(dys * odeint(func, y0, TIMES, (a,), 5))
    else:

        def f(y0, a, b):
            return np.sum(dys * odeint(func, y0, TIMES, (a, b), 5))

    want = oracle.gradient(f, (y0, *args), tuple(range(1 + len(args))))
    assert oracle.error((got_y0, *got_args), want) <= 1e-10
    assert isinstance(got_y0, float) == isinstance(y0, float)


ACTIVATIONS = [
    (numpy_relu, lambda x: np.maximum(x, 0.0)),
    (numpy_sigmoid, lambda x: 1.0 / (1.0 + np.exp(-x))),
    (numpy_tanh, np.tanh),
    (numpy_leaky_relu, lambda x: np.where(x > 0, x, 0.01 * x)),
    (numpy_elu, lambda x: np.where(x > 0, x, np.exp(np.minimum(x, 0)) - 1.0)),
    (numpy_softplus, lambda x: np.log(1.0 + np.exp(x))),
]
POINTS = np.array([-2.0, -0.3, 0.4, 1.7])


@pytest.mark.parametrize(('activation', 'plain'), ACTIVATIONS)
def test_activations(activation, plain):
    np.testing.assert_allclose(activation(POINTS), plain(POINTS), rtol=1e-13)
    f = {
        'numpy_relu': lambda x: np.sum(numpy_relu(x)),
        'numpy_sigmoid': lambda x: np.sum(numpy_sigmoid(x)),
        'numpy_tanh': lambda x: np.sum(numpy_tanh(x)),
        'numpy_leaky_relu': lambda x: np.sum(numpy_leaky_relu(x)),
        'numpy_elu': lambda x: np.sum(numpy_elu(x)),
        'numpy_softplus': lambda x: np.sum(numpy_softplus(x)),
    }[activation.__name__]
    got = tangent.grad(f)(POINTS)
    assert oracle.error((got,), oracle.gradient(f, (POINTS,), (0,))) <= 1e-10
    assert tangent.jvp(f)(POINTS, np.ones(4)) == pytest.approx(np.sum(got))
    assert tangent.grad(activation)(0.4) == pytest.approx(got[2])
    assert tangent.grad(activation)(-0.3) == pytest.approx(got[1])


def test_activations_at_the_kink_and_far_out():
    zero = np.zeros(1)
    assert tangent.grad(lambda x: np.sum(numpy_relu(x)))(zero) == 0.0
    assert tangent.grad(lambda x: np.sum(numpy_leaky_relu(x, 0.2)))(zero) == 0.2
    assert tangent.grad(lambda x: np.sum(numpy_elu(x, 0.5)))(zero) == 0.5
    far = np.array([-800.0, 800.0])
    with np.errstate(over='raise', invalid='raise'):
        np.testing.assert_array_equal(numpy_sigmoid(far), [0.0, 1.0])
        np.testing.assert_array_equal(numpy_softplus(far), [0.0, 800.0])
        np.testing.assert_allclose(numpy_elu(far), [-1.0, 800.0])


def test_slopes_of_activations_by_their_parameter():
    def f(x, alpha):
        return np.sum(numpy_leaky_relu(x, alpha) + numpy_elu(x, alpha))

    got = tangent.grad(f, 1)(POINTS, 0.3)
    assert got == pytest.approx(-2.3 + np.sum(np.expm1([-2.0, -0.3])))
