"""Statements in the backward part, sources that are given, and choices among results."""

from __future__ import annotations

import inspect
import pickle
import warnings

import numpy as np
import oracle
import pytest
import tangent
from tangent.grad_util import INPUT_DERIVATIVE

X = np.array([0.5, -1.2, 2.0])
SEEN: list[tuple[float, float]] = []


# ------------------------------------------------------------------------------------------------
# insert_grad_of


def watched(x):
    y = x * x
    with tangent.insert_grad_of(y) as dy:
        SEEN.append((dy, x))
    return np.sin(y)


def boosted(x, k=3.0):
    y = x * k
    with tangent.insert_grad_of(y) as dy:
        dy = dy * 10
    return np.sum(y * y)


def test_a_block_sees_the_adjoint():
    SEEN.clear()
    assert tangent.grad(watched)(2.0) == pytest.approx(4.0 * np.cos(4.0))
    ((adjoint, x),) = SEEN
    assert adjoint == pytest.approx(np.cos(4.0))
    assert x == 2.0


def test_a_block_changes_the_adjoint():
    np.testing.assert_allclose(tangent.grad(boosted)(X), 10 * 18.0 * X)
    assert tangent.grad(boosted, 'k')(X) == pytest.approx(10 * 6.0 * np.sum(X * X))
    np.testing.assert_allclose(tangent.grad(boosted, preserve_result=True)(X)[1], 9 * np.sum(X * X))


def test_the_function_itself_is_not_called():
    with pytest.raises(ValueError, match=r'tangent\.tangent'):
        watched(2.0)


def test_forward_mode_does_not_run_the_block():
    assert tangent.jvp(boosted)(X, np.ones(3)) == pytest.approx(18.0 * np.sum(X))


def test_tangent_as_a_call():
    SEEN.clear()
    callable_ = tangent.tangent(watched)
    assert callable_(2.0) == np.sin(4.0)
    assert callable_.tangent is watched
    assert callable_.__name__ == 'watched'
    assert tangent.grad(callable_)(2.0) == pytest.approx(4.0 * np.cos(4.0))
    assert len(SEEN) == 1


@tangent.tangent
def decorated(x, k=3.0, *, shift=0.0):
    """Its text."""
    y = x * k
    z = y + shift
    with tangent.insert_grad_of(y) as dy:
        dy = np.clip(dy, -1.0, 1.0)
    return np.sum(z * y)


def test_tangent_as_a_decorator():
    assert decorated(X) == pytest.approx(9.0 * np.sum(X * X))
    assert decorated(X, 1.0, shift=2.0) == pytest.approx(np.sum((X + 2.0) * X))
    assert decorated.__doc__ == 'Its text.'
    want = 3.0 * np.clip(6.0 * X, -1.0, 1.0)
    np.testing.assert_allclose(tangent.grad(decorated)(X), want)


def test_blocks_of_callees_count():
    def f(x):
        return 2.0 * decorated(x)

    want = 3.0 * np.clip(12.0 * X, -1.0, 1.0)
    np.testing.assert_allclose(tangent.grad(f)(X), want)


def test_a_block_in_a_loop_runs_as_often_backwards():
    seen = []

    def f(x):
        total = 0.0
        for _ in range(3):
            y = x * total + x
            with tangent.insert_grad_of(y) as dy:
                seen.append(dy)
            total = total + y * y
        return total

    def plain(x):
        total = 0.0
        for _ in range(3):
            y = x * total + x
            total = total + y * y
        return total

    assert tangent.grad(f)(0.5) == tangent.grad(plain)(0.5)
    assert len(seen) == 3


def test_the_adjoint_of_a_parameter_is_complete_at_the_start():
    def f(x):
        z = x * x
        with tangent.insert_grad_of(x) as dx:
            dx = dx / 2
        return z * x

    assert tangent.grad(f)(2.0) == pytest.approx(6.0)


def test_a_block_behind_uses_moves_to_the_assignment():
    def f(x):
        y = x * x
        z = np.sin(y)
        with tangent.insert_grad_of(y) as dy:
            dy = 100.0 * dy
        return z + y

    assert tangent.grad(f)(1.2) == pytest.approx(100.0 * 2.4 * (np.cos(1.44) + 1.0))


def test_higher_orders_run_the_block():
    def f(x):
        y = x * x
        with tangent.insert_grad_of(y) as dy:
            dy = dy * dy
        return y * y

    # y * y has the adjoint 2 y = 2 x²; its square is 4 x⁴; times 2 x.
    assert tangent.grad(f)(1.5) == pytest.approx(8 * 1.5**5)
    assert tangent.grad(tangent.grad(f))(1.5) == pytest.approx(40 * 1.5**4)


def test_a_block_reads_values_as_they_are_where_it_stands():
    def formula(x):
        w = np.zeros(3)
        y = x * x
        with tangent.insert_grad_of(y) as dy:
            dy = dy * (w + 1.0)
        w[0] = 5.0
        return np.sum(y) + np.sum(w)

    def statements(x):
        w = np.zeros(3)
        y = x * x
        with tangent.insert_grad_of(y) as dy:
            factor = w + 1.0
            dy = dy * factor
        w[0] = 5.0
        return np.sum(y) + np.sum(w)

    np.testing.assert_array_equal(tangent.grad(formula)(X), 2 * X)
    np.testing.assert_array_equal(tangent.grad(statements)(X), 2 * X)


def test_a_block_of_an_array_that_is_stored_into():
    def f(x):
        y = np.zeros(3)
        for i in range(3):
            y[i] = x * i
        with tangent.insert_grad_of(y) as dy:
            dy = dy + 1.0
        y[0] = x
        return np.sum(y * y)

    # The adjoint at the block is (0, 2 x, 4 x); that of y[0] = x is 2 x.
    assert tangent.grad(f)(2.0) == 4.0 + 1 * 5.0 + 2 * 9.0


def test_two_blocks_run_backwards():
    def f(x):
        y = x * x
        with tangent.insert_grad_of(y) as dy:
            dy = dy * 2.0
        with tangent.insert_grad_of(y) as dy:
            dy = dy + 1.0
        return y

    assert tangent.grad(f)(2.0) == (1.0 + 1.0) * 2.0 * 4.0


def test_blocks_in_branches():
    def f(x):
        if x > 0:
            y = x * x
            with tangent.insert_grad_of(y):
                SEEN.append((x, x))
        else:
            y = 3.0 * x
            with tangent.insert_grad_of(y) as dy:
                dy = dy * 100.0
        return y * y

    SEEN.clear()
    assert tangent.grad(f)(2.0) == 32.0
    assert SEEN == [(2.0, 2.0)]
    assert tangent.grad(f)(-2.0) == -3600.0
    assert len(SEEN) == 1


def reads_what_came_between(x):
    y = x * x
    z = y * x
    with tangent.insert_grad_of(y) as dy:
        dy = dy * z
    return z * y


def of_an_expression(x):
    with tangent.insert_grad_of(x * x) as dx:
        dx = dx * 2
    return x


def leaves(x):
    y = x * x
    with tangent.insert_grad_of(y) as dy:
        return dy
    return y


def assigns_what_is_read(x):
    y = x * x
    k = 2.0
    with tangent.insert_grad_of(y):
        k = 3.0
    return y * k


@pytest.mark.parametrize(
    ('f', 'text'),
    [
        (reads_what_came_between, 'so is `z` assigned'),
        (of_an_expression, 'one local variable'),
        (leaves, 'does not leave itself'),
        (assigns_what_is_read, 'assigns `k`'),
    ],
)
def test_blocks_that_are_refused(f, text):
    with pytest.raises(tangent.UnsupportedSyntaxError, match=text) as caught:
        tangent.grad(f)(2.0)
    assert caught.value.filename == __file__
    assert 'insert_grad_of' in caught.value.source_line


# ------------------------------------------------------------------------------------------------
# Sources that are given


def hidden(text, name, **names):
    space = {'np': np, **names}
    exec(text, space)
    return space[name]


TEXT = 'def f(x):\n    return x * x * np.sin(x)\n'


def test_source_of_a_function_without_one():
    f = hidden(TEXT, 'f')
    with pytest.raises(tangent.SourceCodeNotAvailableError):
        tangent.grad(f)(2.0)
    want = 4.0 * np.sin(2.0) + 4.0 * np.cos(2.0)
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        assert tangent.grad(f, source=TEXT)(2.0) == pytest.approx(want)
        decorated = '@some.decorator(3)\n@another\n' + TEXT
        assert tangent.grad(f, source=decorated)(2.0) == pytest.approx(want)
        indented = ''.join(f'    {line}\n' for line in TEXT.splitlines())
        assert tangent.grad(f, source=indented)(2.0) == pytest.approx(want)
        assert tangent.autodiff(f, source=TEXT)(2.0, 1.0) == pytest.approx(want)
        jf = tangent.autodiff(f, mode='forward', source=TEXT)
        assert jf(2.0, 1.0) == pytest.approx(want)


def test_source_counts_also_for_a_function_that_was_differentiated_before():
    def f(x):
        return x * x

    assert tangent.grad(f)(2.0) == 4.0
    other = 'def f(x):\n    return x * x * x\n'
    with pytest.warns(UserWarning, match='is not that of the function'):
        df = tangent.grad(f, source=other)
    assert df(2.0) == 12.0
    assert df.__tangent_primal__ is f
    assert tangent.grad(f, source=other) is df
    assert tangent.grad(f)(2.0) == 4.0


def test_source_of_closures_and_defaults():
    f = hidden(
        'def make(k):\n    def f(x, n=2):\n        return k * x ** n\n    return f\n', 'make'
    )(3.0)
    df = tangent.grad(f, source='def f(x, n=2):\n    return k * x ** n\n')
    assert df(2.0) == 12.0
    assert df(2.0, 3) == 36.0


def test_source_with_blocks():
    text = (
        'def f(x):\n    y = x * x\n    with tangent.insert_grad_of(y) as dy:\n'
        '        dy = 10.0 * dy\n    return y\n'
    )
    f = hidden(text, 'f', tangent=tangent)
    assert tangent.grad(f, source=text)(2.0) == 40.0
    assert tangent.grad(f, source=text)(3.0) == 60.0
    tangent.function(f, source=text)
    assert tangent.tangent(f)(2.0) == 4.0
    assert tangent.grad(tangent.tangent(f))(2.0) == 40.0


def test_source_that_does_not_fit():
    f = hidden(TEXT, 'f')
    for text, kind, error in [
        ('def g(x): return x', 'SourceNotAvailable', tangent.SourceCodeNotAvailableError),
        ('def f(x, y): return x', 'SourceChanged', tangent.SourceCodeNotAvailableError),
        ('def f(x) return x', 'SyntaxNotParsed', SyntaxError),
        (3, 'BadOption', ValueError),
        ('', 'BadOption', ValueError),
    ]:
        with pytest.raises(error) as caught:
            tangent.grad(f, source=text)
        assert caught.value.kind == kind


def test_function_keeps_a_source():
    f = hidden(TEXT, 'f')
    assert tangent.function(f, source=TEXT) is f
    assert f._tangent_source == TEXT
    assert tangent.grad(f)(2.0) == pytest.approx(4.0 * np.sin(2.0) + 4.0 * np.cos(2.0))

    def caller(x):
        return 2.0 * f(x)

    assert tangent.grad(caller)(2.0) == pytest.approx(8.0 * np.sin(2.0) + 8.0 * np.cos(2.0))
    decorator = tangent.function(source=TEXT)
    assert decorator(hidden(TEXT, 'f'))._tangent_source == TEXT
    with pytest.raises(tangent.SourceCodeNotAvailableError):
        tangent.function(hidden(TEXT, 'f'))


@tangent.function
def bare(x):
    return 3.0 * x


@tangent.function()
def called(x):
    return 3.0 * x


def test_function_as_a_decorator():
    assert 'return 3.0 * x' in bare._tangent_source
    assert 'return 3.0 * x' in called._tangent_source
    assert tangent.grad(bare)(1.0) == tangent.grad(called)(1.0) == 3.0


# ------------------------------------------------------------------------------------------------
# Choices among results


def two(x, y):
    return x * x * y, np.sin(x)


def test_a_tuple_warns_and_is_summed():
    with pytest.warns(UserWarning, match='two returns 2 values') as caught:
        df = tangent.grad(two)
    assert caught[0].filename == __file__
    assert df(2.0, 3.0) == pytest.approx(12.0 + np.cos(2.0))
    assert oracle.error((df(2.0, 3.0),), oracle.gradient(two, (2.0, 3.0), (0,))) <= 1e-10


def test_no_warning_where_something_is_chosen():
    def one(x):
        return (x * x,)

    def either(x):
        if x > 0:
            return x, x
        return x

    def inner(x):
        def pair(z):
            return z, z

        a, b = pair(x)
        return a * b

    with warnings.catch_warnings():
        warnings.simplefilter('error')
        tangent.grad(two, output_index=0)
        tangent.grad(two, output_weights=(1.0, 1.0))
        tangent.vjp(two)
        tangent.jvp(two)
        tangent.grad(one)
        tangent.grad(inner)
        tangent.grad(either)


def test_output_index():
    first = tangent.grad(two, output_index=0)
    second = tangent.grad(two, (0, 1), output_index=1)
    assert first(2.0, 3.0) == 12.0
    assert second(2.0, 3.0) == (pytest.approx(np.cos(2.0)), 0.0)
    assert first(2.0, 3.0, (0.0, 1.0)) == pytest.approx(np.cos(2.0))
    assert 'by=(1.0, 0.0)' in first.source(2.0, 3.0)
    assert first.__wrapped__.__defaults__ == ((1.0, 0.0),)
    assert tangent.grad(two, output_index=0) is first
    assert tangent.grad(two, output_index=np.int64(1))(2.0, 3.0) == pytest.approx(np.cos(2.0))
    value = tangent.grad(two, output_index=0, preserve_result=True)(2.0, 3.0)[1]
    assert value == (12.0, np.sin(2.0))
    assert pickle.loads(pickle.dumps(first))(2.0, 3.0) == 12.0


def test_output_weights():
    df = tangent.grad(two, output_weights=(0.5, 2.0))
    assert df(2.0, 3.0) == pytest.approx(6.0 + 2.0 * np.cos(2.0))
    config = {'output_weights': (0.5, 2.0)}
    for derivative in (INPUT_DERIVATIVE.DefaultOne, INPUT_DERIVATIVE.DefaultOnes):
        df = tangent.autodiff(two, input_derivative=derivative, grad_config=config)
        assert df(2.0, 3.0) == pytest.approx(6.0 + 2.0 * np.cos(2.0))
    split = tangent.autodiff(
        two,
        motion='split',
        input_derivative=INPUT_DERIVATIVE.DefaultOne,
        grad_config={'output_index': 0},
    )
    assert split(2.0, 3.0) == 12.0


def test_the_first_of_one_value():
    assert tangent.grad(bare, output_index=0)(1.0) == 3.0


def late(x):
    pair = x, x * x
    return pair


@pytest.mark.parametrize(
    ('f', 'options', 'text'),
    [
        (two, {'output_index': 2}, 'two returns 2 values'),
        (two, {'output_index': -1}, 'a position'),
        (two, {'output_index': True}, 'a position'),
        (two, {'output_index': 'x'}, 'a position'),
        (two, {'output_weights': (1.0,)}, '1 numbers: two returns 2 values'),
        (two, {'output_weights': ()}, 'one number for each'),
        (two, {'output_weights': 'ab'}, 'one number for each'),
        (two, {'output_index': 0, 'output_weights': (1.0, 2.0)}, 'exclude each other'),
    ],
)
def test_choices_that_are_refused(f, options, text):
    with pytest.raises(ValueError, match=text) as caught:
        tangent.grad(f, **options)
    assert caught.value.kind == 'BadOption'


@pytest.mark.parametrize(
    ('f', 'options', 'text'),
    [
        (bare, {'output_index': 1}, 'the result is one value'),
        (bare, {'output_weights': (2.0,)}, 'the result is one value'),
        (late, {'output_index': 2}, 'the result has 2 parts'),
        (late, {'output_weights': (1.0, 2.0, 3.0)}, 'the result has 2 parts'),
    ],
)
def test_choices_that_are_refused_at_the_call(f, options, text):
    df = tangent.grad(f, **options)
    with pytest.raises(ValueError, match=text) as caught:
        df(2.0)
    assert caught.value.kind == 'BadOption'


def test_a_gradient_of_a_gradient_has_no_outputs():
    with pytest.raises(ValueError, match='of a gradient'):
        tangent.grad(tangent.grad(bare), output_index=0)


# ------------------------------------------------------------------------------------------------
# Split motion


def test_split_motion():
    def f(x, y):
        return np.sum(x * x * y)

    df = tangent.autodiff(f, (0, 1), motion='split')
    joint = tangent.grad(f, (0, 1))
    for got, want in zip(df(X, 2.0), joint(X, 2.0), strict=True):
        np.testing.assert_array_equal(got, want)
    for got, want in zip(df(X, y=2.0, init_grad=3.0), joint(X, 2.0, 3.0), strict=True):
        np.testing.assert_array_equal(got, want)
    assert df.__tangent_motion__ == 'split'
    assert joint.__tangent_motion__ == 'joint'
    assert str(inspect.signature(df)) == '(*args, **kwargs)'
    assert df.__name__ == 'dfdxy'
    assert df.__tangent_source__ == joint.__tangent_source__
    assert df.__tangent_entries__ == ['dfdxy']
    assert df.__tangent_primal__ is f
    single = tangent.autodiff(f, motion='split')(X, 2.0)
    np.testing.assert_array_equal(single, joint(X, 2.0)[0])


def test_split_motion_is_of_reverse_mode():
    with pytest.raises(ValueError, match="motion='split' in forward mode"):
        tangent.autodiff(bare, motion='split', mode='forward')


def test_a_formula_is_written_into_the_backward_part():
    source = tangent.grad(decorated).source(X)
    assert 'np.clip(' in source
    assert 'inserted_at' not in source
    assert 'inserted_at_y(' in tangent.grad(watched).source(2.0)
