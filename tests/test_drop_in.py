"""Forty calls as users of `tangent-ad` write them, and one test for each thing that is kept.

The results are those of the oracle, or known values. What that package offered beside
differentiation (inspection, caches, checkpointing, optimisations, back ends) has tests elsewhere.
"""
# ruff: noqa: SIM108, SIM905

from __future__ import annotations

import copy
import inspect
import warnings

import numpy
import numpy as np
import oracle
import pytest
import tangent
from tangent.grad_util import INPUT_DERIVATIVE

A = np.array([[0.5, -1.2, 2.0], [1.5, 0.3, -0.7]])
X = np.array([0.5, -1.2, 2.0])


def square(x):
    return x * x


def polynomial(x, y=2.0, *, k=3.0):
    """A polynomial."""
    return x * x * y + k * x


def loss(params, x, y):
    h = np.tanh(np.dot(x, params['w']) + params['b'])
    return np.mean((h - y) ** 2)


PARAMS = {'w': np.array([[0.1, 0.2], [0.3, -0.1], [0.2, 0.5]]), 'b': np.array([0.1, -0.2])}
TARGET = np.array([[0.2, 0.1], [0.0, -0.3]])


def newton(x):
    guess = 1.0
    while abs(guess * guess - x) > 1e-12:
        guess = 0.5 * (guess + x / guess)
    return guess


def branchy(x):
    if np.sum(x) > 0:
        y = x * x
    else:
        y = -x
    return np.sum(y)


def recurrence(x, n):
    y = np.zeros(n)
    y[0] = x
    for i in range(1, n):
        y[i] = np.sin(y[i - 1]) * x
    return np.sum(y)


def many(x, y, z):
    return np.sum(x * y) + z * np.prod(x)


def helper(x, scale=2.0):
    return scale * np.exp(-x * x)


def with_helper(x):
    return helper(x) + helper(x, scale=0.5)


def collected(xs):
    total = 0.0
    for x in xs:
        total = total + x * x
    return total


def pair(x):
    return x * x, np.sin(x)


def softmax_loss(x):
    e = np.exp(x)
    return -np.log((e / np.sum(e))[1])


def shaped(x):
    return np.sum(numpy.reshape(numpy.transpose(x), (6,))[1:4] ** 2)


def axis_mean(x):
    return np.sum(np.mean(x, axis=0) ** 2 + np.max(x, axis=0))


def augmented(x):
    y = x
    y += 1.0
    y *= x
    return y


def power(x, n):
    return x**n


def true(f, *args, wrt=(0,)):
    """The oracle's gradient: a tuple in the order of wrt, or the only one."""
    got = oracle.gradient(f, copy.deepcopy(args), wrt)
    return got if len(wrt) > 1 else got[0]


def quiet(make):
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        return make()


CALLS = {
    'a number': (lambda: tangent.grad(square)(3.0), lambda: 6.0),
    'by lambda': (lambda: tangent.grad(lambda x: x**3)(2.0), lambda: 12.0),
    'an integer': (lambda: tangent.grad(square)(2), lambda: 4.0),
    'an array': (lambda: tangent.grad(lambda x: np.sum(x * x))(X), lambda: 2 * X),
    'an array-valued function': (lambda: tangent.grad(square)(X), lambda: 2 * X),
    'a seed by position': (lambda: tangent.grad(square)(3.0, 0.5), lambda: 3.0),
    'a seed that is an array': (lambda: tangent.grad(square)(X, 3 * X), lambda: 6 * X * X),
    'init_grad': (lambda: tangent.grad(square)(3.0, init_grad=2.0), lambda: 12.0),
    'wrt a tuple': (
        lambda: tangent.grad(many, wrt=(0, 1))(X, 2 * X, 0.5),
        lambda: true(many, X, 2 * X, 0.5, wrt=(0, 1)),
    ),
    'wrt in another order': (
        lambda: tangent.grad(many, (2, 0))(X, 2 * X, 0.5),
        lambda: true(many, X, 2 * X, 0.5, wrt=(2, 0)),
    ),
    'wrt from the end': (
        lambda: tangent.grad(many, wrt=(-1,))(X, 2 * X, 0.5),
        lambda: np.prod(X),
    ),
    'wrt nothing': (lambda: tangent.grad(square, wrt=())(3.0), lambda: ()),
    'preserve_result': (
        lambda: tangent.grad(many, wrt=(0, 1), preserve_result=True)(X, 2 * X, 0.5),
        lambda: (*true(many, X, 2 * X, 0.5, wrt=(0, 1)), many(X, 2 * X, 0.5)),
    ),
    'preserve_result of one': (
        lambda: tangent.grad(square, preserve_result=True)(3.0),
        lambda: (6.0, 9.0),
    ),
    'all options by position': (
        lambda: tangent.grad(square, (0,), True, True, True, 0, False, None, None, None, None)(3.0),
        lambda: (6.0, 9.0),
    ),
    'defaults': (lambda: tangent.grad(polynomial)(1.5), lambda: 9.0),
    'keywords': (lambda: tangent.grad(polynomial)(x=1.5, y=1.0, k=0.5), lambda: 3.5),
    'a defaulted parameter in wrt': (
        lambda: tangent.grad(polynomial, wrt=(0, 1))(1.5),
        lambda: (9.0, 2.25),
    ),
    'a dict of parameters': (
        lambda: tangent.grad(loss)(PARAMS, A, TARGET),
        lambda: true(loss, PARAMS, A, TARGET),
    ),
    'a list': (lambda: tangent.grad(collected)([1.0, 2.0, 3.0]), lambda: [2.0, 4.0, 6.0]),
    'a while loop': (lambda: tangent.grad(newton)(2.0), lambda: true(newton, 2.0)),
    'a branch': (lambda: tangent.grad(branchy)(X), lambda: 2 * X),
    'the other branch': (lambda: tangent.grad(branchy)(-X), lambda: -np.ones(3)),
    'stores into an array': (
        lambda: tangent.grad(recurrence)(0.7, 5),
        lambda: true(recurrence, 0.7, 5),
    ),
    'a helper with defaults': (
        lambda: tangent.grad(with_helper)(0.7),
        lambda: true(with_helper, 0.7),
    ),
    'softmax by hand': (lambda: tangent.grad(softmax_loss)(X), lambda: true(softmax_loss, X)),
    'reshape and transpose': (lambda: tangent.grad(shaped)(A), lambda: true(shaped, A)),
    'reductions along an axis': (lambda: tangent.grad(axis_mean)(A), lambda: true(axis_mean, A)),
    'augmented assignment': (lambda: tangent.grad(augmented)(1.5), lambda: 4.0),
    'a matrix product': (
        lambda: tangent.grad(lambda a, x: np.sum(np.dot(a, x) ** 2), (0, 1))(A, X),
        lambda: true(lambda a, x: np.sum(np.dot(a, x) ** 2), A, X, wrt=(0, 1)),
    ),
    'second order': (lambda: tangent.grad(tangent.grad(power))(2.0, 4), lambda: 48.0),
    'third order': (
        lambda: tangent.grad(tangent.grad(tangent.grad(lambda x: x**5)))(2.0),
        lambda: 240.0,
    ),
    'vjp': (lambda: tangent.vjp(many, (0, 1))(X, 2 * X, 0.5, 2.0), lambda: tuple(
        2.0 * each for each in true(many, X, 2 * X, 0.5, wrt=(0, 1))
    )),
    'jvp': (
        lambda: tangent.jvp(many, (0, 2))(X, 2 * X, 0.5, np.ones(3), 2.0),
        lambda: np.sum(true(many, X, 2 * X, 0.5)) + 2.0 * np.prod(X),
    ),
    'jvp with the value': (
        lambda: tangent.jvp(square, preserve_result=True)(3.0, 0.5),
        lambda: (3.0, 9.0),
    ),
    'autodiff in reverse mode': (lambda: tangent.autodiff(square)(3.0, 1.0), lambda: 6.0),
    'autodiff with a default': (
        lambda: tangent.autodiff(square, input_derivative=INPUT_DERIVATIVE.DefaultOne)(3.0),
        lambda: 6.0,
    ),
    'autodiff in forward mode': (
        lambda: tangent.autodiff(many, wrt=(0,), mode='forward')(X, 2 * X, 0.5, X),
        lambda: np.sum(true(many, X, 2 * X, 0.5) * X),
    ),
    'a Hessian-vector product': (
        lambda: tangent.autodiff(tangent.grad(lambda x: np.sum(x**3)), mode='forward')(X, 1.0, X),
        lambda: 6 * X * X,
    ),
    'split motion': (
        lambda: tangent.autodiff(many, (0, 2), motion='split')(X, 2 * X, 0.5, init_grad=2.0),
        lambda: tuple(2.0 * each for each in true(many, X, 2 * X, 0.5, wrt=(0, 2))),
    ),
    'a tuple is summed': (
        lambda: quiet(lambda: tangent.grad(pair)(0.5)),
        lambda: 1.0 + np.cos(0.5),
    ),
    'output_index': (lambda: tangent.grad(pair, output_index=1)(0.5), lambda: np.cos(0.5)),
    'output_weights': (
        lambda: tangent.grad(pair, output_weights=(2.0, 0.5))(0.5),
        lambda: 2.0 + 0.5 * np.cos(0.5),
    ),
}


@pytest.mark.parametrize('name', CALLS)
def test_calls(name):
    call, known = CALLS[name]
    got, want = call(), known()
    assert oracle.same(got, want) or oracle.error((got,), (want,)) <= 1e-10, (got, want)


def test_there_are_forty():
    assert len(CALLS) >= 40


# ------------------------------------------------------------------------------------------------
# Signatures

ORDER = {
    'grad': 'func wrt optimized preserve_result check_dims verbose checkpoint checkpoint_config '
    'optimizations output_index output_weights',
    'autodiff': 'func wrt optimized motion mode preserve_result check_dims input_derivative '
    'verbose checkpoint_config optimizations grad_config',
    'vjp': 'func wrt optimized check_dims preserve_result verbose',
    'jvp': 'func wrt optimized check_dims preserve_result verbose',
    'register_adjoint': 'func',
    'register_tangent': 'func',
    'custom_vjp': 'func',
    'stop_gradient': 'x',
    'insert_grad_of': 'var',
    'tangent': 'f',
    'function': 'fn',
    'trace': 'fn',
    'trace_grad': 'fn args',
    'numpy_relu': 'x',
    'numpy_leaky_relu': 'x alpha',
    'numpy_elu': 'x alpha',
    'odeint': 'func y0 ts args num_steps',
    'odeint_grad': 'dys func ys y0 ts args num_steps',
    'custom_bwd_call': 'key g ans args',
    'custom_jvp_call': 'key ans args',
    'init_grad': 'obj allow_lazy_initializer',
    'add_grad': 'left right',
    'unbroadcast': 'array like',
    'unreduce': 'array shape axis keepdims',
    'push': 'stack x op_id',
    'pop': 'stack op_id',
    'TangentError': 'message func node suggestion doc_link original_error',
    'format_error_with_context': 'error func node',
}


@pytest.mark.parametrize('name', ORDER)
def test_order_of_parameters(name):
    parameters = inspect.signature(getattr(tangent, name)).parameters.values()
    positional = [each.name for each in parameters if each.kind is not each.KEYWORD_ONLY]
    assert positional == ORDER[name].split()


def test_keyword_only_options():
    assert {'source', 'compile'} <= set(inspect.signature(tangent.grad).parameters)
    assert 'source' in inspect.signature(tangent.autodiff).parameters
    for call in (tangent.grad, tangent.autodiff, tangent.vjp, tangent.jvp):
        with pytest.raises(TypeError):
            call(square, nonsense=1)
    with pytest.raises(TypeError):
        tangent.grad(square, mode='reverse')


def test_input_derivative():
    assert [each.name for each in INPUT_DERIVATIVE] == ['Required', 'DefaultOne', 'DefaultOnes']
    with pytest.raises(TypeError, match='the seed'):
        tangent.autodiff(square)(3.0)
    for each in (INPUT_DERIVATIVE.DefaultOne, INPUT_DERIVATIVE.DefaultOnes):
        np.testing.assert_array_equal(tangent.autodiff(square, input_derivative=each)(X), 2 * X)


def test_wrong_values_of_options():
    for call in (
        lambda: tangent.autodiff(square, mode='sideways'),
        lambda: tangent.autodiff(square, motion='slow'),
        lambda: tangent.grad(square, wrt=(5,)),
        lambda: tangent.grad(pair, output_index=2),
        lambda: tangent.grad(pair, output_weights=(1.0,)),
        lambda: tangent.grad(pair, output_index=0, output_weights=(1.0, 1.0)),
    ):
        with pytest.raises(ValueError, match='Instead:'):
            call()


# ------------------------------------------------------------------------------------------------
# The returned function


def test_names():
    assert tangent.grad(square).__name__ == 'dsquaredx'
    assert tangent.grad(many, (0, 1)).__name__ == 'dmanydxy'
    assert tangent.autodiff(many, (0, 2), mode='forward').__name__ == '_tmanytxz'


def test_signature_of_the_gradient():
    df = tangent.grad(polynomial)
    df(1.5)
    parameters = inspect.signature(df).parameters
    names = list(parameters)
    assert names[:2] == ['x', 'y']
    assert names[3:] == ['k']
    assert parameters['y'].default == 2.0
    assert parameters[names[2]].default == 1.0
    assert parameters['k'].kind is inspect.Parameter.KEYWORD_ONLY
    assert parameters['k'].default == 3.0
    assert list(inspect.signature(df.__wrapped__).parameters) == names


def test_attributes():
    df = tangent.grad(polynomial, (0, 1))
    df(1.5)
    assert df.__doc__ == 'A polynomial.'
    assert df.__tangent_primal__ is polynomial
    assert df.__tangent_entries__ == ['dpolynomialdxy']
    assert df.__tangent_motion__ == 'joint'
    assert isinstance(df.__tangent_source__, str)
    assert df.__tangent_source__.startswith('def dpolynomialdxy(x, y=2.0, ')
    assert inspect.getsource(df.__wrapped__) == df.__tangent_source__
    assert df.__wrapped__(1.5) == df(1.5)
    assert copy.deepcopy(df)(1.5) == df(1.5)


def test_the_source_is_what_runs():
    df = tangent.grad(with_helper)
    got = df(0.7)
    space = {'np': np, 'numpy': np}
    exec(df.__tangent_source__, space)
    assert space[df.__name__](0.7) == got


def test_annotations_are_kept():
    def f(x: float, n: int = 2) -> float:
        return x**n

    df = tangent.grad(f)
    df(2.0)
    assert df.__annotations__ == f.__annotations__
    assert df.__annotations__ is not f.__annotations__


# ------------------------------------------------------------------------------------------------
# Errors


def test_kinds_of_errors():
    assert issubclass(tangent.TangentParseError, SyntaxError)
    assert issubclass(tangent.ReverseNotImplementedError, NotImplementedError)
    assert issubclass(tangent.ForwardNotImplementedError, NotImplementedError)
    assert issubclass(tangent.ShapeError, ValueError)
    for name in (
        'GradientNotFoundError',
        'SourceCodeNotAvailableError',
        'UnsupportedSyntaxError',
        'NonScalarOutputError',
        'TypeMismatchError',
        'InplaceModificationError',
    ):
        assert issubclass(getattr(tangent, name), tangent.TangentError)
    from tangent.dict_construction_error import DictConstructionError

    assert issubclass(DictConstructionError, Exception)


def test_tangent_error_has_its_arguments():
    cause = KeyError('k')
    error = tangent.TangentError('what', square, None, 'do this', 'https://example.org', cause)
    assert error.message == 'what'
    assert error.func is square
    assert error.node is None
    assert error.suggestion == 'do this'
    assert error.doc_link == 'https://example.org'
    assert error.original_error is cause
    assert 'what' in str(error)
    assert 'do this' in str(error)
    wrapped = tangent.format_error_with_context(cause, square, None)
    assert isinstance(wrapped, tangent.TangentError)
    assert wrapped.original_error is cause


def test_place_of_a_parse_error():
    def f(x):
        with open('no such file') as file:
            y = file.read()
        return x + len(y)

    try:
        tangent.grad(f)(1.0)
    except tangent.TangentError as error:
        assert error.filename == __file__
        assert error.lineno is not None
    else:
        pytest.fail('the file is read')


# ------------------------------------------------------------------------------------------------
# Public names

NAMES = """
    add_grad add_grad_at_index array_size astype autodiff balanced_eq cholesky_grad copy
    custom_bwd_call custom_jvp_call custom_vjp eigvalsh_grad einsum_grad format_error_with_context
    function get_shape grad grad_dot init_grad insert_grad_of jvp list_append list_init list_last
    match_seed match_seed_grad matmul_grad_x matmul_grad_y np_concat_grads np_concat_seq
    np_stack_grads np_stack_seq numpy_elu numpy_leaky_relu numpy_relu numpy_sigmoid numpy_softplus
    numpy_tanh odeint odeint_grad pop pop_stack push push_stack register_adjoint register_tangent
    RemoveWith seed_pytree shapes_match sort_like Stack stop_gradient tangent taped_shape TapedShape
    trace trace_grad transpose_inverse_axes unbroadcast unconcatenate uncumprod unpad unreduce
    unreduce_like unrepeat unsort unstack_list untake untile update_grad_at_index vjp
    DictConstructionError ForwardNotImplementedError GradientNotFoundError InplaceModificationError
    NonScalarOutputError ReverseNotImplementedError ShapeError SourceCodeNotAvailableError
    TangentError TangentParseError TypeMismatchError UnsupportedSyntaxError
""".split()


@pytest.mark.parametrize('name', NAMES)
def test_names_are_there(name):
    assert getattr(tangent, name).__doc__
    assert name in dir(tangent) or name in tangent.utils.__all__


@pytest.mark.parametrize(
    'module',
    ['dict_construction_error', 'errors', 'grad_util', 'non_differentiable', 'passes', 'utils',
     'verify'],
)  # fmt: skip
def test_modules_are_there(module):
    assert inspect.ismodule(getattr(tangent, module))


# ------------------------------------------------------------------------------------------------
# What else is kept


def test_the_disk_cache_says_whether_it_is_on(monkeypatch, tmp_path):
    monkeypatch.setenv('TANGENT_CACHE_DIR', str(tmp_path))
    for word, on in (('0', False), ('1', True)):
        monkeypatch.setenv('TANGENT_DISK_CACHE', word)
        assert tangent.disk_cache.enabled() is on


def test_checkpoint_info():
    found = tangent.get_checkpoint_info(100, 5)
    assert found['positions'] == [16, 32, 49, 66, 83] and found['num_checkpoints'] == 5
    assert found['segment_size'] == 10
    assert found['without_checkpointing'] == 100 and found['recomputation_factor'] == 2.0


def test_the_package_is_typed():
    from importlib.resources import files

    assert files('tangent').joinpath('py.typed').is_file()
