"""Forward mode: directional derivatives against the oracle's Jacobian, and what jvp, vjp and
autodiff take and refuse."""

import contextlib
import copy
import inspect
import io
import pickle
import warnings

import forward_programs
import forward_programs_arrays
import fuzz
import fuzz_forward
import numpy as np
import oracle
import pytest
import tangent
from tangent.errors import ShapeError, TangentError
from tangent.grad_util import INPUT_DERIVATIVE

PROGRAMS = forward_programs.PROGRAMS + forward_programs_arrays.PROGRAMS


@pytest.fixture(autouse=True)
def forgotten():
    """The functions live as long as the process: what was made for them does not."""
    yield
    for function, _, _ in PROGRAMS:
        function.__dict__.clear()


@pytest.mark.parametrize(
    ('function', 'args', 'wrt'), PROGRAMS, ids=[each[0].__name__ for each in PROGRAMS]
)
def test_directional_derivative(function, args, wrt):
    """In three directions; the value bit for bit, arguments as the primal leaves them."""
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter('ignore')
        answer = oracle.differentiate(function, copy.deepcopy(args), wrt)
        after = copy.deepcopy(args)
        value = function(*after)
        size = answer.jacobian.shape[1]
        for move in (fuzz_forward.direction(size), np.eye(size)[0], np.zeros(size)):
            tangents = oracle.as_gradients(move, args, wrt)
            kept = copy.deepcopy(tangents)
            given = copy.deepcopy(args)
            derivative = tangent.jvp(function, wrt=wrt, preserve_result=True)
            got, result = derivative(*given, *tangents)
            fuzz_forward.compare(got, answer.jacobian @ move, answer.value)
            assert fuzz.same_bits(result, value)
            assert fuzz.same_bits(tuple(given), tuple(after))
            assert fuzz.same_bits(tangents, kept)
            given = copy.deepcopy(args)
            alone = tangent.jvp(function, wrt=wrt)(*given, *tangents)
            fuzz_forward.compare(alone, answer.jacobian @ move, answer.value)
            theirs = [leaf for leaf in oracle.leaves([given, tangents]) if np.ndim(leaf)]
            for leaf in oracle.leaves(alone):
                assert not any(np.shares_memory(leaf, other) for other in theirs if np.ndim(leaf))


# What is refused


def test_an_argument_as_a_whole_and_in_parts():
    """A store through one of the two is not seen by the other: refused in both modes."""

    def by_index(xs):
        for i in range(2):
            xs[i][0] = xs[i][1] * 2
        return np.sum(xs[0] * xs[1])

    def by_name(xs):
        ys = xs
        ys[0][0] = ys[1][0] * 3
        return np.sum(xs[0])

    def by_key(p):
        p['a'][0] = p['a'][1] * 2
        total = 0.0
        for key in p:
            total = total + np.sum(p[key] ** 2)
        return total

    def from_outside(x, xs):
        for i in range(2):
            xs[i][0] = x[0] * 2
        return np.sum(xs[0]) * x[0]

    def two():
        return [np.array([1.0, 2.0]), np.array([1.0, 2.0])]

    named = {'a': np.array([1.0, 2.0]), 'b': np.array([1.0, 2.0])}
    x = np.ones(1)
    for function, args, tangents in (
        (by_index, (two(),), (two(),)),
        (by_name, (two(),), (two(),)),
        (from_outside, (x, two()), (x,)),
    ):
        with pytest.raises(TangentError, match='written in place'):
            tangent.jvp(function)(*args, *tangents)
        with pytest.raises(TangentError):
            tangent.grad(function)(*args)
    # The loop over a dict of known keys is written out.
    assert tangent.jvp(by_key)(named, copy.deepcopy(named)) == 50.0


def test_views_that_depend_on_the_layout():
    """A reshaped array is a view or a copy, and its tangent may be the other."""

    def f(x):
        y = x * 1.0
        v = y.reshape(3, 1)
        v[0] = x[1]
        return y

    with pytest.raises(TangentError, match='may share its memory'):
        tangent.jvp(f)(np.ones(3), np.ones(3))


def test_functions_without_a_rule():
    def f(x):
        return np.roots(x)

    with pytest.raises(NotImplementedError, match=r'numpy\.roots'):
        tangent.jvp(f)(np.ones(3), np.ones(3))


def power(x, n):
    return 1.0 if n == 0 else x * power(x, n - 1)


def test_functions_that_call_themselves():
    with pytest.raises(TangentError, match='calls itself, which is not supported in forward mode'):
        tangent.jvp(power)(2.0, 3, 1.0)


def test_integers_that_are_made_of_reals():
    def f(x):
        return x.astype(int) * 2.0 + np.array(x, dtype=int)

    got = tangent.jvp(f)(np.array([1.5, 2.5]), np.ones(2))
    np.testing.assert_array_equal(got, np.zeros(2))


# Calls


def area(x, y=3.0, *, k=2.0):
    """The area."""
    return x * y * k


def test_tangents_are_the_last_positional_arguments():
    derivative = tangent.jvp(area, wrt=('x', 'y'))
    assert derivative(1.0, 2.0, 1.0, 0.0) == 4.0
    assert derivative(1.0, 2.0, 0.0, 1.0) == 2.0
    assert derivative(1.0, 1.0, 0.0) == 6.0
    assert derivative(1.0, 1.0, 0.0, k=1.0) == 3.0
    assert derivative(1.0, dx=1.0, dy=0.0) == 6.0
    assert derivative(1.0, 2.0, dx=1.0, dy=0.0) == 4.0
    assert derivative(x=1.0, dx=0.0, dy=1.0) == 2.0
    with pytest.raises(TypeError, match="missing 2 required positional arguments: 'dx' and 'dy'"):
        derivative(1.0)
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'dy'"):
        derivative(1.0, dx=1.0)
    with pytest.raises(TypeError, match='at most 4 positional arguments'):
        derivative(1.0, 2.0, 3.0, 4.0, 5.0)
    with pytest.raises(TypeError, match='unexpected keyword'):
        derivative(1.0, 1.0, 0.0, init_grad=1.0)


def test_variadic_functions():
    def f(x, *rest, scale=1.0, **more):
        return x * sum(rest) * scale * more.get('other', 1.0)

    derivative = tangent.jvp(f)
    assert derivative(2.0, 1.0, 3.0, 0.5) == 2.0
    assert derivative(2.0, 1.0, 3.0, dx=0.5, scale=2.0) == 4.0


def test_methods_and_objects():
    class Model:
        def __init__(self, rate):
            self.rate = rate

        def value(self, x):
            return self.rate * x * x

    model = Model(1.5)
    assert tangent.jvp(model.value)(2.0, 1.0) == 6.0

    def f(model, x):
        return model.rate**2 * x

    move = Model(1.0)
    assert tangent.jvp(f)(model, 2.0, move) == 6.0
    assert tangent.jvp(f, wrt=(0, 1))(model, 2.0, move, 1.0) == 8.25


def test_signature_and_names():
    derivative = tangent.jvp(area, wrt=(0, 1))
    assert derivative.__name__ == '_tareatxy'
    assert derivative.__doc__ == 'The area.'
    assert list(inspect.signature(derivative).parameters) == ['x', 'y', 'dx', 'dy', 'k']
    assert str(inspect.signature(tangent.jvp(lambda x: x * x))) == '(x, dx)'
    assert tangent.jvp(area, wrt=(0, 1)) is derivative
    assert tangent.jvp(area, wrt=(0,)) is not derivative
    assert pickle.loads(pickle.dumps(derivative))(1.0, 2.0, 1.0, 0.0) == 4.0


def dx(x):
    return 3.0 * x


def inner(x):
    dx = x * x
    return dx * x


def test_names_that_are_taken():
    """The tangent of x is dx, where that is free in the function and in what it calls."""

    def local(x):
        dx = x * x
        return dx + x

    derivative = tangent.jvp(local)
    assert derivative(2.0, 1.0) == 5.0
    assert list(inspect.signature(derivative).parameters) == ['x', 'dx2']

    def of_global(x):
        return dx(x) * x

    derivative = tangent.jvp(of_global)
    assert derivative(2.0, 1.0) == 12.0
    assert derivative(2.0, dx2=1.0) == 12.0

    def of_callee(x):
        return inner(x) + x

    derivative = tangent.jvp(of_callee)
    assert derivative(2.0, dx=1.0) == 13.0


def test_shapes_of_tangents():
    def f(x):
        return np.sum(x * x)

    derivative = tangent.jvp(f)
    with pytest.raises(ShapeError, match=r'\(2,\).*\(3,\)'):
        derivative(np.ones(3), np.ones(2))
    with pytest.raises(ShapeError):
        derivative(np.ones(3), 1.0)
    with pytest.raises(ShapeError, match='tangent of a number'):
        derivative(2.0, np.ones(2))
    assert tangent.jvp(f, check_dims=False)(np.ones(3), 1.0) == 6.0
    assert '_check_tangent' not in tangent.jvp(f, check_dims=False).source(np.ones(3), 1.0)

    def g(p):
        return p['a'] * np.sum(p['b'])

    derivative = tangent.jvp(g)
    p = {'a': 2.0, 'b': np.ones(3)}
    assert derivative(p, {'a': 1.0, 'b': np.zeros(3)}) == 3.0
    for wrong in ({'a': 1.0}, {'a': 1.0, 'b': np.ones(2)}, [1.0, np.ones(3)], 1.0):
        with pytest.raises(ShapeError):
            derivative(p, wrong)


def test_tangents_of_another_dtype():
    """Integer tangents are numbers like others, also where the argument is stored into."""

    def f(x):
        x[0] = x[1] * 0.5
        return x * x

    got = tangent.jvp(f)(np.array([1.0, 2.0]), np.array([1, 1]))
    np.testing.assert_array_equal(got, [1.0, 4.0])


def test_the_fast_path_asks_the_guard():
    """Each call finds the variant for its types."""

    def f(x):
        return x * x

    derivative = tangent.jvp(f)
    for _ in range(2):
        assert derivative(2.0, 1.0) == 4.0
        np.testing.assert_array_equal(derivative(np.ones(2), np.ones(2)), [2.0, 2.0])
        assert derivative(2, 1) == 4
        assert derivative(np.float64(2.0), np.float64(1.0)) == 4.0
    with pytest.raises(ShapeError):
        derivative(2.0, np.ones(2))


def test_vjp_wants_a_seed():
    gradient = tangent.vjp(area, wrt=(0, 1))
    assert gradient(1.0, 2.0, 1.0) == (4.0, 2.0)
    assert gradient(1.0, init_grad=2.0) == (12.0, 4.0)
    with pytest.raises(TypeError, match='seed'):
        gradient(1.0, 2.0)
    assert str(inspect.signature(tangent.vjp(lambda x: x * x))).startswith('(x, b')
    assert tangent.vjp(area, preserve_result=True)(1.0, 2.0, 1.0) == (4.0, 4.0)
    got = tangent.vjp(lambda x: x * x)(np.ones(2), np.array([1.0, 3.0]))
    np.testing.assert_array_equal(got, [2.0, 6.0])


def test_autodiff_in_both_modes():
    assert tangent.autodiff(area)(1.0, 2.0, 1.0) == 4.0
    with pytest.raises(TypeError, match='seed'):
        tangent.autodiff(area)(1.0, 2.0)
    optional = tangent.autodiff(area, input_derivative=INPUT_DERIVATIVE.DefaultOne)
    assert optional(1.0, 2.0) == 4.0
    forward = tangent.autodiff(area, mode='forward', preserve_result=True)
    assert forward(1.0, 2.0, 0.5) == (2.0, 4.0)


@pytest.mark.parametrize(
    'options',
    [
        {'mode': 'sideways'},
        {'motion': 'split', 'mode': 'forward'},
        {'motion': 'slow'},
        {'input_derivative': 3},
        {'grad_config': {'output': 0}},
        {'grad_config': 3},
        {'verbose': 7},
        {'wrt': 5},
    ],
)
def test_options_that_are_refused(options):
    with pytest.raises(ValueError, match=next(iter(options))):
        tangent.autodiff(area, **options)


def test_errors_of_the_primal():
    """They are the primal's own, and come where the primal raises."""

    def f(x, n):
        y = x * x
        z = y / n
        if x > 5.0:
            raise ValueError('too large')
        return z + [1.0, 2.0][n]

    derivative = tangent.jvp(f)
    with pytest.raises(ZeroDivisionError):
        derivative(2.0, 0, 1.0)
    with pytest.raises(ValueError, match='too large'):
        derivative(6.0, 1, 1.0)
    with pytest.raises(IndexError):
        derivative(2.0, 3, 1.0)


def test_a_choice_among_outputs_is_a_default_of_the_adjoint():
    with pytest.raises(ValueError, match='grad_config chooses the default adjoint'):
        tangent.autodiff(area, grad_config={'output_index': 0})
    with pytest.raises(ValueError, match='grad_config chooses the default adjoint'):
        tangent.autodiff(area, mode='forward', grad_config={'output_index': 0})


def test_what_is_no_number_in_a_result():
    def f(x):
        return {'name': 'a', 'square': x * x, 'nothing': None}

    assert tangent.jvp(f)(3.0, 1.0) == {'name': 'a', 'square': 6.0, 'nothing': None}


# The text


def text(function, *args, **options):
    source = tangent.jvp(function, **options).source(*args)
    return source[source.index('\n') + 1 :].rstrip()


def test_text_of_a_loop():
    def f(x, n):
        total = 0.0
        for i in range(n):
            total += np.sin(x) * i
        return total

    assert text(f, 1.0, 3, 1.0) == (
        '    dtotal = 0.0\n'
        '    for i in range(n):\n'
        '        dtotal += dx * np.cos(x) * i\n'
        '    return dtotal'
    )


def test_text_of_a_store():
    def f(x):
        y = np.zeros(3)
        for i in range(3):
            y[i] = x * i
            y[i] *= x
        return np.sum(y)

    assert text(f, 2.0, 1.0) == (
        '    y = np.zeros(3)\n'
        '    dy = np.zeros_like(y)\n'
        '    for i in range(3):\n'
        '        y[i] = x * i\n'
        '        dy[i] = dx * i\n'
        '        dy[i] = dy[i] * x + dx * y[i]\n'
        '        y[i] *= x\n'
        '    return np.sum(dy)'
    )


def test_text_of_a_quotient_and_of_shared_values():
    def f(x):
        p = np.exp(x) / np.sum(np.exp(x))
        return p

    x = np.ones(3)
    assert text(f, x, x, check_dims=False) == (
        '    exp_x = np.exp(x)\n'
        '    sum_value = np.sum(exp_x)\n'
        '    p = exp_x / sum_value\n'
        '    return (dx * exp_x - np.sum(dx * exp_x) * p) / sum_value'
    )


def test_text_of_branches():
    def f(x):
        if x > 1.0:
            y = x * x
            y = y * 2.0
        else:
            y = 2.0
        return y

    assert text(f, 2.0, 1.0) == (
        '    if x > 1.0:\n'
        '        dy = 2 * dx * x\n'
        '        dy = 2.0 * dy\n'
        '    else:\n'
        '        dy = 0.0\n'
        '    return dy'
    )
