"""The run-time helpers and registries that users of the predecessor call by name.

Adjoints are held against the definition of an adjoint: <adjoint(dy), dx> is <dy, d f(dx)>, with the
derivative of f taken from the function itself where it is linear, else from tangent's forward mode.
"""

from __future__ import annotations

import ast
import importlib

import numpy as np
import pytest
import tangent
from tangent import _helpers, utils

RNG = np.random.default_rng(7)
X = RNG.normal(size=(3, 4))
V = RNG.normal(size=4)


def test_every_helper_is_reached_from_the_package():
    for name in _helpers.__all__:
        assert getattr(tangent, name) is getattr(_helpers, name)
        assert getattr(utils, name) is getattr(_helpers, name)
        assert getattr(_helpers, name).__doc__
    assert not hasattr(tangent, 'no_such_helper')


# ------------------------------------------------------------------------------------------------
# Stacks


def test_stack():
    stack = tangent.Stack()
    tangent.push(stack, 1.0, 'a')
    tangent.push(stack, 2.0, 'b')
    assert len(stack) == 2
    assert tangent.pop(stack, 'b') == 2.0
    with pytest.raises(AssertionError, match='Wanted b, got a'):
        tangent.pop(stack, 'b')
    assert tangent.Stack([1, 2]).pop() == 2


def test_an_array_on_a_stack_is_a_copy():
    stack, x = tangent.Stack(), np.ones(2)
    tangent.push(stack, x, 'a')
    x[:] = 5.0
    np.testing.assert_array_equal(tangent.pop(stack, 'a'), np.ones(2))


def test_stacks_on_stacks():
    stack, inner = tangent.Stack(), tangent.Stack()
    tangent.push_stack(stack, inner, 'a')
    assert tangent.pop_stack(stack, 'a') is inner
    with pytest.raises(ValueError, match='a stack is pushed'):
        tangent.push_stack(stack, 3.0, 'a')
    tangent.push(stack, 3.0, 'a')
    with pytest.raises(ValueError, match='a stack is expected'):
        tangent.pop_stack(stack, 'a')


# ------------------------------------------------------------------------------------------------
# Gradients of any structure


def test_init_grad():
    assert tangent.init_grad(2.5) == 0.0
    assert tangent.init_grad(2) == 0
    assert tangent.init_grad(None) == tangent.init_grad('text') == 0.0
    assert tangent.init_grad(True) == 0.0
    single = tangent.init_grad(np.float32(2))
    assert single == 0
    assert single.dtype == np.float32
    zeros = tangent.init_grad(np.ones((2, 3), np.float32), allow_lazy_initializer=True)
    assert zeros.shape == (2, 3)
    assert zeros.dtype == np.float32
    assert not zeros.any()
    nested = tangent.init_grad({'a': [1.0, (2.0, np.ones(2))]})
    np.testing.assert_array_equal(nested['a'][1][1], np.zeros(2))
    assert isinstance(nested['a'][1], tuple)
    for unknown in (object(), 1j, np.complex128(1j)):
        with pytest.raises(KeyError):
            tangent.init_grad(unknown)


def test_add_grad():
    assert tangent.add_grad(1.0, 2.0) == 3.0
    np.testing.assert_array_equal(tangent.add_grad(np.ones(2), 1.0), [2.0, 2.0])
    assert tangent.add_grad([1.0, [2.0]], [3.0, [4.0]]) == [4.0, [6.0]]
    assert tangent.add_grad((1.0, 2.0), (3.0, 4.0)) == (4.0, 6.0)
    assert tangent.add_grad({'a': 1.0, 'b': 2.0}, {'a': 3.0, 'c': 5.0}) == {
        'a': 4.0,
        'b': 2.0,
        'c': 5.0,
    }
    assert tangent.add_grad(None, 2.0) == tangent.add_grad(2.0, None) == 2.0
    with pytest.raises(ValueError, match='2 and 1'):
        tangent.add_grad([1.0, 2.0], [1.0])
    with pytest.raises(KeyError):
        tangent.add_grad([1.0], (1.0,))


def test_add_grad_leaves_its_arguments():
    left = {'a': np.ones(2)}
    tangent.add_grad(left, {'a': np.ones(2)})
    np.testing.assert_array_equal(left['a'], np.ones(2))


def test_copy():
    nested = {'a': [np.ones(2)]}
    again = tangent.copy(nested)
    again['a'][0][0] = 5.0
    assert nested['a'][0][0] == 1.0
    assert tangent.copy(2.0) == 2.0


@pytest.mark.parametrize(
    ('shape', 'like'), [((3, 4), (4,)), ((3, 4), (3, 1)), ((3, 4), ()), ((3, 4), (3, 4))]
)
def test_unbroadcast(shape, like):
    dy, x = RNG.normal(size=shape), RNG.normal(size=like)
    got = tangent.unbroadcast(dy, x)
    assert np.shape(got) == like
    assert np.sum(got * x) == pytest.approx(np.sum(dy * np.broadcast_to(x, shape)))


def test_shapes():
    assert tangent.get_shape(X) == (3, 4)
    assert tangent.get_shape(2.0) == ()
    assert tangent.shapes_match(X, np.ones((3, 4)))
    assert tangent.shapes_match(X, 1.0)
    assert not tangent.shapes_match(X, V)
    assert tangent.shapes_match([X, 1.0], [X, 2.0])
    assert not tangent.shapes_match([X], [X, X])
    assert tangent.shapes_match({'a': X}, {'a': X})
    assert tangent.array_size(X, None) == 12
    assert tangent.array_size(X, (1,)) == tangent.array_size(X, 1) == 4
    taped = tangent.taped_shape(np.ones((2, 3), np.float32))
    assert (taped.shape, taped.dtype) == ((2, 3), np.float32)
    assert isinstance(taped, tangent.TapedShape)


def test_astype():
    assert tangent.astype(np.ones(2), np.ones(2, np.float32)).dtype == np.float32
    assert tangent.astype(np.float32(2.0), 1.0) == 2.0
    assert isinstance(tangent.astype(np.float32(2.0), 1.0), float)


def test_seeds():
    np.testing.assert_array_equal(tangent.match_seed(X, 2.0), np.full((3, 4), 2.0))
    assert tangent.match_seed(1.0, 2.0) == 2.0
    assert tangent.match_seed((1.0, [2.0]), 3.0) == (3.0, [3.0])
    assert tangent.match_seed({'a': 1.0}, {'a': 3.0}) == {'a': 3.0}
    ones = tangent.seed_pytree({'a': [X, 2.0]})
    np.testing.assert_array_equal(ones['a'][0], np.ones((3, 4)))
    assert ones['a'][1] == 1.0
    assert tangent.match_seed_grad(X, X, 1.0) == pytest.approx(np.sum(X))
    assert tangent.match_seed_grad((2.0, 3.0), (1.0, 1.0), 1.0) == 5.0
    assert tangent.match_seed_grad({'a': 2.0}, {'a': 1.0}, {'a': 1.0}) == {'a': 2.0}


# ------------------------------------------------------------------------------------------------
# Adjoints


def is_adjoint(f, adjoint, x, tolerance=1e-9):
    """<adjoint(dy), dx> = <dy, df(dx)>, df by tangent's own forward mode of the same function."""
    dx = RNG.normal(size=x.shape)
    y, dy = f(x), RNG.normal(size=np.shape(f(x)))
    slope = tangent.jvp(f)(x, dx)
    got = adjoint(dy, y)
    assert np.shape(got) == x.shape
    assert np.sum(got * dx) == pytest.approx(np.sum(dy * slope), rel=tolerance)


@pytest.mark.parametrize('keepdims', [False, True])
@pytest.mark.parametrize('axis', [None, 0, 1, -1, (0, 1)])
def test_unreduce(axis, keepdims):
    y = np.sum(X, axis=axis, keepdims=keepdims)
    dy = RNG.normal(size=np.shape(y))
    got = tangent.unreduce(dy, X.shape, axis, keepdims)
    np.testing.assert_array_equal(got, tangent.unreduce_like(dy, X, axis, keepdims))
    assert got.shape == X.shape
    assert np.sum(got * X) == pytest.approx(np.sum(dy * y))


def test_products():
    b = RNG.normal(size=(4, 2))
    is_adjoint(lambda x: np.dot(x, b), lambda dy, y: tangent.grad_dot(dy, X, b), X)
    is_adjoint(lambda x: np.matmul(x, b), lambda dy, y: tangent.matmul_grad_x(dy, X, b), X)
    is_adjoint(lambda x: np.matmul(X, x), lambda dy, y: tangent.matmul_grad_y(dy, X, b), b)
    is_adjoint(
        lambda x: np.einsum('ij,jk->ik', x, b),
        lambda dy, y: tangent.einsum_grad(dy, 'ij,jk->ik', 0, X, b),
        X,
    )
    is_adjoint(
        lambda x: np.einsum('ij,jk->ik', X, x),
        lambda dy, y: tangent.einsum_grad(dy, 'ij,jk->ik', 1, X, b),
        b,
    )


def test_cholesky_and_eigenvalues():
    a = X @ X.T + 3.0 * np.eye(3)
    y = np.linalg.cholesky(a)
    dy = np.tril(RNG.normal(size=(3, 3)))
    direction = RNG.normal(size=(3, 3))
    direction = direction + direction.T
    # The derivative of the Cholesky factor: L phi(L^-1 dA L^-T), Murray (2016), equation 8.
    inverse = np.linalg.inv(y)
    inner = inverse @ direction @ inverse.T
    slope = y @ (np.tril(inner) - 0.5 * np.diag(np.diag(inner)))
    got = tangent.cholesky_grad(dy, y)
    np.testing.assert_allclose(got, got.T)
    assert np.sum(got * direction) == pytest.approx(np.sum(dy * slope))
    w, vectors = np.linalg.eigh(a)
    dw = RNG.normal(size=3)
    slope = np.einsum('ik,ij,jk->k', vectors, direction, vectors)
    assert np.sum(tangent.eigvalsh_grad(dw, a) * direction) == pytest.approx(np.sum(dw * slope))
    assert w.shape == (3,)


def test_ties():
    x, y = np.array([1.0, 2.0, 3.0]), np.array([1.0, 5.0, 2.0])
    np.testing.assert_array_equal(tangent.balanced_eq(x, np.maximum(x, y), y), [0.5, 0.0, 1.0])
    assert tangent.balanced_eq(2.0, 2.0, 2.0) == 0.5


def test_transpose_inverse_axes():
    z = RNG.normal(size=(2, 3, 4))
    back = tangent.transpose_inverse_axes((2, 0, 1))
    np.testing.assert_array_equal(np.transpose(np.transpose(z, (2, 0, 1)), back), z)
    assert tangent.transpose_inverse_axes(None) is None


def test_pieces():
    left, right = RNG.normal(size=(2, 3)), RNG.normal(size=(2, 1))
    joined = np.concatenate([left, right], axis=1)
    pieces = tangent.unconcatenate(joined, [left, right], 1)
    for got, want in zip(pieces, (left, right), strict=True):
        np.testing.assert_array_equal(got, want)
    np.testing.assert_array_equal(tangent.np_concat_seq(1, left, right), joined)
    np.testing.assert_array_equal(tangent.np_concat_grads(joined, 1, left, right)[1], right)
    stacked = tangent.np_stack_seq(1, V, 2 * V)
    assert stacked.shape == (4, 2)
    np.testing.assert_array_equal(tangent.np_stack_grads(stacked, 1, V, V)[1], 2 * V)
    np.testing.assert_array_equal(tangent.unstack_list(stacked, 1)[0], V)


@pytest.mark.parametrize(
    ('f', 'adjoint'),
    [
        (lambda x: np.tile(x, 3), lambda dy, y: tangent.untile(dy, V, 3)),
        (lambda x: np.repeat(x, 2), lambda dy, y: tangent.unrepeat(dy, V, 2)),
        (lambda x: np.pad(x, 2), lambda dy, y: tangent.unpad(dy, V, 2)),
        (lambda x: np.take(x, [0, 2, 2]), lambda dy, y: tangent.untake(dy, V, [0, 2, 2])),
        (lambda x: np.sort(x), lambda dy, y: tangent.unsort(dy, V)),
        (lambda x: np.cumprod(x), lambda dy, y: tangent.uncumprod(dy, V)),
    ],
)
def test_adjoints_of_rearrangements(f, adjoint):
    is_adjoint(f, adjoint, V)


def test_uncumprod_of_zeros_and_axes():
    zeros = np.array([2.0, 0.0, 3.0, 0.0])
    is_adjoint(lambda x: np.cumprod(x), lambda dy, y: tangent.uncumprod(dy, zeros), zeros)
    is_adjoint(lambda x: np.cumprod(x, axis=1), lambda dy, y: tangent.uncumprod(dy, X, 1), X)


def test_sort_like():
    np.testing.assert_array_equal(
        tangent.sort_like(np.arange(3.0), np.array([2.0, 3.0, 1.0])), [2.0, 0.0, 1.0]
    )


def test_lists_and_elements():
    items = tangent.list_init(1.0, 2.0)
    assert tangent.list_append(items, 3.0) == [1.0, 2.0, 3.0]
    assert items == [1.0, 2.0]
    assert tangent.list_last(items) == 2.0
    grad = np.zeros(3)
    np.testing.assert_array_equal(tangent.update_grad_at_index(grad, 1, 5.0), [0.0, 5.0, 0.0])
    np.testing.assert_array_equal(
        tangent.add_grad_at_index(grad, [0, 0, 2], 1.0), [2.0, 0.0, 1.0]
    )
    np.testing.assert_array_equal(grad, np.zeros(3))
    assert tangent.add_grad_at_index({'a': 1.0}, 'a', 2.0) == {'a': 3.0}


def test_remove_with():
    text = (
        'def f(x):\n'
        '    with tangent.insert_grad_of(x) as dx:\n'
        '        print(dx)\n'
        '    with open(x) as file:\n'
        '        pass\n'
        '    return x'
    )
    tree = tangent.RemoveWith().visit(ast.parse(text))
    assert ast.unparse(tree) == (
        'def f(x):\n    with open(x) as file:\n        pass\n    return x'
    )


# ------------------------------------------------------------------------------------------------
# Registries


class Boxed:
    def __init__(self, value):
        self.value = value


@pytest.fixture
def clean_registries():
    before = {name: dict(known) for name, known in _helpers.REGISTRIES.items()}
    yield
    for name, known in before.items():
        _helpers.REGISTRIES[name].clear()
        _helpers.REGISTRIES[name].update(known)


@pytest.mark.usefixtures('clean_registries')
def test_registries():
    with pytest.raises(KeyError):
        tangent.init_grad(Boxed(1.0))
    utils.register_init_grad(Boxed, lambda x: Boxed(0.0 * x.value))
    assert tangent.init_grad([Boxed(2.0)])[0].value == 0.0
    utils.register_add_grad(Boxed, Boxed, lambda a, b: Boxed(a.value + b.value))
    assert tangent.add_grad(Boxed(1.0), Boxed(2.0)).value == 3.0
    utils.register_shape_function(Boxed, lambda x: np.shape(x.value))
    assert tangent.get_shape(Boxed(X)) == (3, 4)
    utils.register_shape_checker(Boxed, Boxed, lambda a, b: a.value is b.value)
    assert not tangent.shapes_match(Boxed(1.0), Boxed(2.0))
    utils.register_unbroadcast(Boxed, lambda x, like: 'unbroadcast')
    assert tangent.unbroadcast(Boxed(1.0), 2.0) == 'unbroadcast'
    utils.register_unreduce(Boxed, lambda x, shape, axis, keepdims: 'unreduce')
    assert tangent.unreduce(Boxed(1.0), (2,), 0, False) == 'unreduce'
    utils.register_matmul_grad(Boxed, lambda dz, x, y: ('left', 'right'))
    assert tangent.matmul_grad_x(1.0, Boxed(1.0), X) == 'left'
    assert tangent.matmul_grad_y(1.0, Boxed(1.0), X) == 'right'
    utils.register_method_resolver(Boxed, lambda node: None)
    utils.register_all_add_grad(lambda a, b: 'added', (Boxed, str), exclude=[(Boxed, Boxed)])
    assert tangent.add_grad('a', Boxed(1.0)) == 'added'
    assert tangent.add_grad(Boxed(1.0), Boxed(2.0)).value == 3.0
    with pytest.raises(ValueError, match='already'):
        utils.register_all_add_grad(lambda a, b: None, (Boxed,))
    utils.register_all_shape_checker(lambda a, b: True, (Boxed,), ignore_existing=True)
    assert tangent.shapes_match(Boxed(1.0), Boxed(2.0))
    for bad in (3, 'Boxed'):
        with pytest.raises(TypeError, match='is no type'):
            utils.register_init_grad(bad, lambda x: x)
    with pytest.raises(TypeError, match='is no function'):
        utils.register_init_grad(Boxed, 3)


# ------------------------------------------------------------------------------------------------
# What this engine does not have, by name


def test_passes_are_refused():
    passes = importlib.import_module('tangent.passes')
    assert tangent.passes is passes
    for name, arguments in [
        ('Pass', ('mine', lambda tree: tree, ('reverse',), '')),
        ('register_pass', (None,)),
        ('unregister_pass', ('mine',)),
        ('get_passes', ('reverse',)),
        ('run_passes', ()),
    ]:
        with pytest.raises(tangent.TangentError, match=f'passes.{name}') as caught:
            getattr(passes, name)(*arguments)
        assert 'register_adjoint' in caught.value.suggestion


def test_errors_under_their_old_modules():
    assert issubclass(tangent.verify.IRInvariantError, AssertionError)
    module = importlib.import_module('tangent.dict_construction_error')
    assert module.DictConstructionError is tangent.DictConstructionError
    assert importlib.import_module('tangent.non_differentiable').__doc__


def test_tracing_needs_tensorflow(monkeypatch):
    from tangent import _trace

    monkeypatch.setattr(_trace, 'find_spec', lambda name: None)
    with pytest.raises(ModuleNotFoundError, match=r'tangent\.trace needs TensorFlow'):
        tangent.trace(lambda x: x)
    with pytest.raises(ModuleNotFoundError, match=r'tangent\.trace_grad needs TensorFlow'):
        tangent.trace_grad(lambda x: x, (1.0,))
    monkeypatch.setattr(_trace, 'find_spec', lambda name: object())

    def f(x):
        return x

    assert tangent.trace(f) is f
    assert f.should_trace is True
