"""Functions of jax.lax that take functions: written out, against JAX's own derivatives."""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tangent
from jax import lax
from jax.lax import scan
from tangent.errors import TangentError

jax.config.update('jax_enable_x64', True)

X = jnp.asarray(0.8)
XS = jnp.linspace(0.5, 1.5, 4)


def scans_two_arrays(x: Any, xs: Any) -> Any:
    def step(c: Any, t: Any) -> Any:
        a, b = t
        new = jnp.tanh(c * a + b * x)
        return new, new

    c, ys = lax.scan(step, x, (xs, xs**2))
    return c + jnp.sum(ys * ys)


def scans_backwards_into_a_dict(x: Any, xs: Any) -> Any:
    def step(c: Any, t: Any) -> Any:
        v, s = c
        v = v * 0.9 + t * s
        return (v, s + v * x), {'v': v, 's': s}

    (v, s), out = scan(step, (x, 0.5), xs, reverse=True)
    return v * s + jnp.sum(out['v'] * xs) + jnp.sum(out['s'])


def scans_nothing(x: Any, xs: Any) -> Any:
    c, _ = lax.scan(lambda c, _: (c * x + 1.0, None), x, None, length=4)
    return c


def scans_names(x: Any, xs: Any) -> Any:
    data = (xs, xs * 2.0)
    start = (x, 1.0)

    def step(s: Any, d: Any) -> Any:
        a, b = s
        p, q = d
        return (a * p, b + q * a), s

    state, history = lax.scan(step, start, data)
    return state[0] * state[1] + jnp.sum(history[0]) + history[1][2]


def scans_a_partial(x: Any, xs: Any) -> Any:
    step = functools.partial(lambda w, c, t: (c * w + t, c), x)
    c, ys = lax.scan(step, 0.0, xs)
    return c * jnp.sum(ys)


def scans_rows(x: Any, xs: Any) -> Any:
    weights = xs[:, None] * xs[None, :] * x

    def cell(h: Any, t: Any) -> Any:
        h = jnp.tanh(weights @ h + t)
        return h, jnp.sum(h)

    h, ys = lax.scan(cell, jnp.zeros(4), jnp.ones((5, 4)))
    return jnp.sum(h) + jnp.sum(ys)


def counted(c: Any, t: Any) -> Any:
    return c * t + 1.0, c


def scans_a_function_of_the_module(x: Any, xs: Any) -> Any:
    c, ys = lax.scan(counted, x, xs=xs, unroll=2)
    return c + ys[1]


def scans_inside_a_scan(x: Any, xs: Any) -> Any:
    def outer(c: Any, t: Any) -> Any:
        inner, ys = lax.scan(counted, c * t, xs)
        return jnp.sin(inner), jnp.sum(ys)

    c, sums = lax.scan(outer, x, xs)
    return c + jnp.sum(sums)


def counts_inside_a_count(x: Any, xs: Any) -> Any:
    return lax.fori_loop(
        0, 3, lambda i, v: lax.fori_loop(0, i, lambda j, w: w * x + xs[j], v), x
    )


def counts_a_pair(x: Any, xs: Any) -> Any:
    def body(i: Any, s: Any) -> Any:
        a, b = s
        return a * x + xs[i], b + a

    a, b = lax.fori_loop(0, 4, body, (x, 0.0))
    return a * b


def repeats_while(x: Any, xs: Any) -> Any:
    return lax.while_loop(lambda s: s[0] < 9.0, lambda s: (s[0] * 2.0 + x, s[1] + 1), (x, 0))[0]


def chooses(x: Any, xs: Any) -> Any:
    first = lax.cond(x > 0.5, lambda v: v * v, lambda v: -v, x * 3.0)
    return first + lax.cond(x > 5.0, lambda: x, lambda: 2 * x) * jnp.sum(xs)


def switches(x: Any, xs: Any) -> Any:
    def cube(v: Any) -> Any:
        return v**3

    inside = lax.switch(1, [jnp.sin, cube, lambda v: v], x * 3.0)
    return inside + lax.switch(7, (jnp.sin, cube), x) + lax.switch(-2, (jnp.sin, cube), x)


def maps(x: Any, xs: Any) -> Any:
    return jnp.sum(lax.map(lambda v: v**3 * x, xs, batch_size=2))


def maps_a_pair_to_a_dict(x: Any, xs: Any) -> Any:
    def f(t: Any) -> Any:
        a, b = t
        return {'p': a * b, 'q': a}

    out = lax.map(f, (xs, xs * x))
    return jnp.sum(out['p'] * out['q'])


@jax.jit
def jitted(v: Any) -> Any:
    return v * jnp.sin(v)


def calls_what_is_jitted(x: Any, xs: Any) -> Any:
    square = jax.jit(lambda v: v * v)
    return jitted(x) + jax.checkpoint(jitted)(x) + square(x) + jnp.sum(jax.jit(jitted)(xs))


PROGRAMS = [
    scans_two_arrays,
    scans_backwards_into_a_dict,
    scans_nothing,
    scans_names,
    scans_a_partial,
    scans_rows,
    scans_a_function_of_the_module,
    scans_inside_a_scan,
    counts_inside_a_count,
    counts_a_pair,
    repeats_while,
    chooses,
    switches,
    maps,
    maps_a_pair_to_a_dict,
    calls_what_is_jitted,
]
# JAX has no reverse mode for loops whose number of rounds only the run tells.
NOT_REVERSED = (counts_inside_a_count, repeats_while)
# The values decide, so that JAX cannot compile the loop or branch that Python runs.
NOT_TRACED = (repeats_while, chooses)


@pytest.mark.parametrize('function', PROGRAMS, ids=lambda f: f.__name__)
def test_against_jax(function: Any) -> None:
    derive = jax.jacfwd if function in NOT_REVERSED else jax.grad
    want = derive(function, argnums=(0, 1))(X, XS)
    gradient = tangent.grad(function, wrt=(0, 1), preserve_result=True)
    *got, value = gradient(X, XS)
    for each, other in zip(got, want, strict=True):
        assert each.shape == other.shape and each.dtype == other.dtype
        np.testing.assert_allclose(each, other, rtol=1e-12, atol=1e-12)
    moves = jnp.asarray(0.7), jnp.arange(4.0)
    own, along = jax.jvp(function, (X, XS), moves)
    np.testing.assert_allclose(value, own, rtol=1e-12)
    forward = tangent.jvp(function, wrt=(0, 1))(X, XS, *moves)
    np.testing.assert_allclose(forward, along, rtol=1e-12, atol=1e-12)
    compiled = tangent.grad(function, wrt=(0, 1), compile='jax')
    if function in NOT_TRACED:
        with pytest.raises(TangentError, match='values decide') as error:
            compiled(X, XS)
        assert error.value.filename == __file__ and 'lax.' in str(error.value)
        return
    for each, other in zip(compiled(X, XS), want, strict=True):
        np.testing.assert_allclose(each, other, rtol=1e-12, atol=1e-12)


def test_second_order() -> None:
    for function in (scans_rows, scans_two_arrays, counts_a_pair):
        want = jax.grad(jax.grad(function))(X, XS)
        np.testing.assert_allclose(tangent.grad(tangent.grad(function))(X, XS), want, rtol=1e-11)


def test_the_text_is_a_loop() -> None:
    def total(x: Any, xs: Any) -> Any:
        return lax.scan(lambda c, t: (c * t + x, None), 1.0, xs)[0]

    text = tangent.grad(total).source(X, XS)
    assert 'for ' in text and 'scan' not in text.replace('lax.scan', '')
    assert len(text.splitlines()) < 16, text


def test_a_single_precision_scan() -> None:
    x, xs = jnp.asarray(0.8, 'float32'), XS.astype('float32')
    got = tangent.grad(scans_two_arrays, wrt=(0, 1))(x, xs)
    assert [each.dtype for each in got] == ['float32', 'float32']
    np.testing.assert_allclose(got[1], jax.grad(scans_two_arrays, 1)(x, xs), rtol=1e-5)


# Refused


def batched(x: Any, xs: Any) -> Any:
    return x * jnp.sum(jax.vmap(lambda v: v * v)(xs))


def differentiated(x: Any, xs: Any) -> Any:
    return jax.grad(lambda v: v * v)(x)


def vectorized(x: Any, xs: Any) -> Any:
    return jnp.sum(jnp.vectorize(lambda v: v * v)(xs))


def reversed_by_a_name(x: Any, xs: Any) -> Any:
    backwards = xs.shape[0] > 2
    return lax.scan(counted, x, xs, reverse=backwards)[0]


def without_a_length(x: Any, xs: Any) -> Any:
    return lax.scan(counted, x)[0]


def without_functions(x: Any, xs: Any) -> Any:
    return lax.switch(0, xs, x)


@pytest.mark.parametrize(
    ('function', 'said', 'remedy'),
    [
        (batched, 'jax.vmap', 'lax.map'),
        (differentiated, 'jax.grad', 'differentiate the outer function'),
        (vectorized, 'jnp.vectorize', 'lax.map'),
        (reversed_by_a_name, 'reverse', 'reverse=True'),
        (without_a_length, 'neither `xs` nor `length`', 'pass one'),
        (without_functions, 'written out', r'\[f, g\]'),
    ],
    ids=lambda each: getattr(each, '__name__', ''),
)
def test_what_is_refused(function: Any, said: str, remedy: str) -> None:
    with pytest.raises(TangentError, match=said) as error:
        tangent.grad(function)(X, XS)
    assert error.match(remedy)
    assert error.value.filename == __file__ and error.value.lineno


def test_a_container_is_no_array() -> None:
    """What JAX takes apart along the first axis of each part, a loop would walk over as it is."""

    def total(x: Any, data: Any) -> Any:
        return lax.scan(lambda c, t: (c * t[0] + t[1], None), x, data)[0]

    for data in ((XS, XS), [XS, XS]):
        with pytest.raises(TangentError, match='walked over as an array') as error:
            tangent.grad(total)(X, data)
        assert error.match('written out') and 'lax.scan' in str(error.value)
    with pytest.raises((TangentError, TypeError)):
        tangent.grad(total)(X, {'a': XS})
