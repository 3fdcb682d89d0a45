"""Automatic differentiation of plain Python numerical code, by source transformation.

    df = tangent.grad(f)

reads the source of `f` and gives back a function that computes its gradient, whose own readable
source is `df.__tangent_source__`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import FunctionType
from typing import TYPE_CHECKING, Any, cast

from tangent import (
    _capture,
    _core,
    _options,
)
from tangent._core import Gradient
from tangent._higher import HigherOrder
from tangent.errors import (
    DictConstructionError,
    ForwardNotImplementedError,
    GradientNotFoundError,
    InplaceModificationError,
    NonScalarOutputError,
    ReverseNotImplementedError,
    ShapeError,
    SourceCodeNotAvailableError,
    TangentError,
    TangentInternalError,
    TangentParseError,
    TangentValueError,
    TypeMismatchError,
    UnsupportedSyntaxError,
    format_error_with_context,
)
from tangent.grad_util import INPUT_DERIVATIVE

if TYPE_CHECKING:  # at run time they are imported when they are asked for: _LATER
    from tangent._activations import (
        numpy_elu,
        numpy_leaky_relu,
        numpy_relu,
        numpy_sigmoid,
        numpy_softplus,
        numpy_tanh,
    )
    from tangent._custom import custom_bwd_call, custom_jvp_call, custom_vjp
    from tangent._ode import odeint, odeint_grad
    from tangent._rules import register_adjoint, register_tangent
    from tangent._runtime_marks import stop_gradient
    from tangent._source import function
    from tangent._surgery import insert_grad_of, tangent
    from tangent._trace import trace, trace_grad

__version__ = '1.0.0'

__all__ = [
    'DictConstructionError',
    'ForwardNotImplementedError',
    'Gradient',
    'GradientNotFoundError',
    'InplaceModificationError',
    'NonScalarOutputError',
    'ReverseNotImplementedError',
    'ShapeError',
    'SourceCodeNotAvailableError',
    'TangentError',
    'TangentInternalError',
    'TangentParseError',
    'TangentValueError',
    'TypeMismatchError',
    'UnsupportedSyntaxError',
    'autodiff',
    'custom_bwd_call',
    'custom_jvp_call',
    'custom_vjp',
    'format_error_with_context',
    'function',
    'grad',
    'insert_grad_of',
    'jvp',
    'numpy_elu',
    'numpy_leaky_relu',
    'numpy_relu',
    'numpy_sigmoid',
    'numpy_softplus',
    'numpy_tanh',
    'odeint',
    'odeint_grad',
    'register_adjoint',
    'register_tangent',
    'stages',
    'stop_gradient',
    'tangent',
    'trace',
    'trace_grad',
    'value_and_grad',
    'vjp',
]

# What is imported when it is first asked for: name -> module of this package.
_LATER = {
    'custom_bwd_call': '_custom',
    'custom_jvp_call': '_custom',
    'custom_vjp': '_custom',
    'function': '_source',
    'insert_grad_of': '_surgery',
    'numpy_elu': '_activations',
    'numpy_leaky_relu': '_activations',
    'numpy_relu': '_activations',
    'numpy_sigmoid': '_activations',
    'numpy_softplus': '_activations',
    'numpy_tanh': '_activations',
    'odeint': '_ode',
    'odeint_grad': '_ode',
    'register_adjoint': '_rules',
    'register_tangent': '_rules',
    'stop_gradient': '_runtime_marks',
    'tangent': '_surgery',
    'trace': '_trace',
    'trace_grad': '_trace',
}
# Modules of the predecessor's that are reached as attributes of the package.
_MODULES = ('dict_construction_error', 'non_differentiable', 'passes', 'runtime', 'utils', 'verify')

# Gradients of a function are kept in the function's own __dict__ under this name, by options: they
# live as long as the function, and go with it.
_MEMORY = '__tangent_gradients__'
# Copies of a function that carry another text, by text.
_COPIES = '__tangent_copies__'


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in _LATER:
        thing = getattr(import_module(f'tangent.{_LATER[name]}'), name)
    elif name in _MODULES:
        return import_module(f'tangent.{name}')
    else:
        helpers = None if name.startswith('_') else import_module('tangent._helpers')
        if helpers is None or name not in helpers.__all__:
            raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
        thing = getattr(helpers, name)
    globals()[name] = thing  # found without this function from now on
    return thing


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER, *_MODULES})


def grad(
    func: Callable[..., Any],
    wrt: _options.Wrt = (0,),
    optimized: bool = True,
    preserve_result: bool = False,
    check_dims: bool = True,
    verbose: int = 0,
    checkpoint: bool = False,
    checkpoint_config: Mapping[str, Any] | None = None,
    optimizations: Mapping[str, bool] | None = None,
    output_index: int | None = None,
    output_weights: Sequence[float] | None = None,
    *,
    compile: str | None = 'python',
    source: str | None = None,
) -> Gradient:
    """The gradient of a function.

    `wrt` names the parameters that are differentiated, by position or by name: one of them gives a
    bare gradient, several give a tuple. The gradient takes the arguments of `func` and, after the
    positional ones, the adjoint of its result (1.0 by default; `init_grad=` is the same). With
    `preserve_result` the value of `func` comes last. With `check_dims` an adjoint whose shape does
    not fit the result is a ShapeError. `func` may be a gradient itself: gradients of gradients
    take one more adjoint each. `verbose` prints the gradient's source (1) or the program at
    every stage (2).

    Of a function that returns a tuple, `output_index` chooses the value that is differentiated and
    `output_weights` weighs them: they are the default of the adjoint. Without them the gradient is
    that of the sum of all values, with a UserWarning. `source` is the text of `func` where Python
    has none (the REPL, `exec`); it is what is differentiated.

    Usable as a decorator. Asking again for the same function and options gives the same object.
    """
    if (
        optimized is True
        and checkpoint is False
        and checkpoint_config is None
        and optimizations is None
        and output_index is None
        and output_weights is None
        and source is None
        and compile == 'python'
    ):
        known = _known(func, (wrt, wrt.__class__, preserve_result, check_dims, verbose))
        if known is not None:
            return known
    _options.check(
        optimized=optimized,
        verbose=verbose,
        checkpoint=checkpoint,
        checkpoint_config=checkpoint_config,
        optimizations=optimizations,
        output_index=output_index,
        output_weights=output_weights,
        compile=compile,
        source=source,
    )
    outputs = _options.outputs(output_index, output_weights)
    if source is not None or outputs != (None, None):
        return _make_chosen(
            func, wrt, bool(preserve_result), bool(check_dims), verbose, outputs, source
        )
    return _make(func, wrt, bool(preserve_result), False, bool(check_dims), verbose)


def value_and_grad(
    func: Callable[..., Any],
    wrt: _options.Wrt = (0,),
    check_dims: bool = True,
    verbose: int = 0,
) -> Gradient:
    """The value of a function and its gradient: calls give `(value, gradient)`."""
    known = _known(func, (wrt, wrt.__class__, check_dims, verbose))
    if known is not None:
        return known
    _options.check(verbose=verbose)
    return _make(func, wrt, False, True, bool(check_dims), verbose)


def jvp(
    func: Callable[..., Any],
    wrt: _options.Wrt = (0,),
    optimized: bool = True,
    check_dims: bool = True,
    preserve_result: bool = False,
    verbose: int = 0,
) -> Gradient:
    """The directional derivative of a function, by forward mode.

    Parameters
    ----------
    func
        The function. Its result may be a number, an array, or a tuple, list or dict of them.
    wrt
        The parameters that are differentiated, by position or by name.
    optimized
        Has to be True.
    check_dims
        Whether a tangent whose shape or structure is not that of its argument is a ShapeError.
    preserve_result
        Whether calls give `(tangent, value)` instead of the tangent alone.
    verbose
        1 prints the source, 2 the program at every stage.

    Returns
    -------
    Gradient
        A function `jf(*args, *tangents)` with one required tangent for each of `wrt`: the last
        positional arguments of a call, or all of them by name, `dx` for `x` (`dx2` if the function
        uses that name). So parameters with defaults may be left out: for `f(x, y=3.0)` both
        `jf(x, dx)` and `jf(x, y, dx)` are calls, and so is `jf(x, dx=dx)`. The tangent of a dict,
        list, tuple or object has its structure.
    """
    key = ('jvp', wrt, wrt.__class__, check_dims, preserve_result, verbose)
    known = _known(func, key) if optimized is True else None
    if known is not None:
        return known
    _options.check(optimized=optimized, verbose=verbose)
    return _make(
        func,
        wrt,
        bool(preserve_result),
        False,
        bool(check_dims),
        verbose,
        forward=True,
        key=key,
        recipe=(jvp, (func, wrt, True, check_dims, preserve_result, verbose)),
    )


def vjp(
    func: Callable[..., Any],
    wrt: _options.Wrt = (0,),
    optimized: bool = True,
    check_dims: bool = True,
    preserve_result: bool = False,
    verbose: int = 0,
) -> Gradient:
    """The gradient of a function for an adjoint of its result that each call gives.

    Parameters
    ----------
    func, wrt, optimized, check_dims, preserve_result, verbose
        As for `grad`.

    Returns
    -------
    Gradient
        As that of `grad`, but without a default for the adjoint: `vf(*args, by)`. Where a
        positional parameter is left at its default, it is given as `init_grad=`.
    """
    key = ('vjp', wrt, wrt.__class__, check_dims, preserve_result, verbose)
    known = _known(func, key) if optimized is True else None
    if known is not None:
        return known
    _options.check(optimized=optimized, verbose=verbose)
    return _make(
        func,
        wrt,
        bool(preserve_result),
        False,
        bool(check_dims),
        verbose,
        seed_required=True,
        key=key,
        recipe=(vjp, (func, wrt, True, check_dims, preserve_result, verbose)),
    )


def autodiff(
    func: Callable[..., Any],
    wrt: _options.Wrt = (0,),
    optimized: bool = True,
    motion: str = 'joint',
    mode: str = 'reverse',
    preserve_result: bool = False,
    check_dims: bool = True,
    input_derivative: INPUT_DERIVATIVE = INPUT_DERIVATIVE.Required,
    verbose: int = 0,
    checkpoint_config: Mapping[str, Any] | None = None,
    optimizations: Mapping[str, bool] | None = None,
    grad_config: Mapping[str, Any] | None = None,
    *,
    source: str | None = None,
) -> Gradient:
    """The derivative of a function in either mode.

    Parameters
    ----------
    func, wrt, optimized, preserve_result, check_dims, verbose
        As for `grad`.
    motion
        'joint': one function runs forwards and backwards. 'split': see Returns.
    mode
        'reverse' gives what `vjp` gives, 'forward' what `jvp` gives.
    input_derivative
        In reverse mode, whether each call has to bring the adjoint of the result
        (`tangent.grad_util.INPUT_DERIVATIVE`).
    grad_config
        'output_index' or 'output_weights' as for `grad`, where the adjoint has a default.
    source
        As for `grad`.
    checkpoint_config, optimizations
        Have to be left out.

    Returns
    -------
    Gradient
        The derivative function. With motion='split', a function `df(*args, init_grad=1.0, **kw)`
        (`tangent._split.Split`).
    """
    _options.check(
        optimized=optimized,
        verbose=verbose,
        checkpoint_config=checkpoint_config,
        optimizations=optimizations,
        source=source,
        motion=motion,
        mode=mode,
        input_derivative=input_derivative,
        grad_config=grad_config,
    )
    if source is not None:
        func = _with_source(func, source)
    if mode == 'forward':
        return jvp(func, wrt, True, check_dims, preserve_result, verbose)
    if motion == 'split':
        from tangent._split import split

        options = bool(preserve_result), bool(check_dims), verbose, grad_config or {}
        return cast('Gradient', split(func, wrt, *options))
    if input_derivative is INPUT_DERIVATIVE.Required:
        return vjp(func, wrt, True, check_dims, preserve_result, verbose)
    chosen = grad_config or {}
    return grad(
        func,
        wrt,
        True,
        preserve_result,
        check_dims,
        verbose,
        output_index=chosen.get('output_index'),
        output_weights=chosen.get('output_weights'),
    )


def _with_source(func: Callable[..., Any], source: str) -> Callable[..., Any]:
    """A copy of a function that carries a text, the same one for the same text."""
    from tangent import _source

    primal = _options.check_function(func)
    if not isinstance(primal, FunctionType):
        _options.refuse('BadOption', f'source= of {func!r}', 'give the source of a function')
    copies = primal.__dict__.get(_COPIES)
    if copies is None or copies[0] is not primal:
        copies = primal.__dict__[_COPIES] = primal, {}
    known: dict[str, FunctionType] = copies[1]
    if source not in known or known[source].__code__ is not primal.__code__:
        known[source] = _source.copy_with(primal, source)
    return known[source]


def _make_chosen(
    func: Callable[..., Any],
    wrt: object,
    preserve_result: bool,
    check_dims: bool,
    verbose: int,
    outputs: tuple[int | None, tuple[float, ...] | None],
    source: str | None,
) -> Gradient:
    """`grad` with a text, or with a choice among the values of a tuple."""
    primal = func if source is None else _with_source(func, source)
    index, weights = outputs
    key = 'chosen', wrt, wrt.__class__, preserve_result, check_dims, verbose, outputs
    known = _known(primal, key)
    if known is not None:
        return known
    arguments = func, wrt, True, preserve_result, check_dims, verbose
    again = partial(grad, output_index=index, output_weights=weights, source=source)
    return _make(
        primal,
        wrt,
        preserve_result,
        False,
        check_dims,
        verbose,
        key=key,
        recipe=(again, arguments),
        outputs=outputs,
    )


def stages(func: Callable[..., Any], *args: Any) -> dict[str, str]:
    """The program at every stage of the road, for these arguments: stage -> text."""
    gradient = _make(func, (0,), False, False, True, 0, remember=False)
    return dict(_core.gradient_stages(gradient, *args))


def _known(func: Callable[..., Any], key: tuple[Any, ...]) -> Gradient | None:
    """The gradient that was made for this very function with these options."""
    try:
        owner, gradient = func.__dict__[_MEMORY][key]
    except (KeyError, AttributeError, TypeError):
        return None
    # functools.wraps copies the dict of one function to another.
    return gradient if owner is func and gradient.__tangent_current__ else None


def _make_higher(
    func: Gradient | HigherOrder,
    wrt: object,
    preserve_result: bool,
    value_first: bool,
    check_dims: bool,
    verbose: int,
    forward: bool,
    seed_required: bool,
) -> HigherOrder:
    """The derivative of a gradient: made for each function that the gradient has."""
    options: dict[str, Any] = {'wrt': wrt, 'check_dims': check_dims, 'verbose': verbose}
    if value_first:
        made = partial(value_and_grad, **options)
    else:
        mode = jvp if forward else vjp if seed_required else grad
        made = partial(mode, preserve_result=preserve_result, **options)
    count = len(wrt) if isinstance(wrt, (tuple, list)) else 1
    return HigherOrder(func, made, count if forward else 0)


def _make(
    func: Callable[..., Any],
    wrt: object,
    preserve_result: bool,
    value_first: bool,
    check_dims: bool,
    verbose: int,
    remember: bool = True,
    *,
    forward: bool = False,
    seed_required: bool = False,
    key: tuple[Any, ...] | None = None,
    recipe: tuple[Any, ...] | None = None,
    outputs: tuple[int | None, tuple[float, ...] | None] = (None, None),
) -> Gradient:
    index, weights = outputs
    if isinstance(func, (Gradient, HigherOrder)):
        if outputs != (None, None):
            _options.refuse(
                'BadOption',
                'output_index and output_weights of a gradient',
                'write a function that takes the part of the gradient',
            )
        return cast(
            'Gradient',
            _make_higher(
                func, wrt, preserve_result, value_first, check_dims, verbose, forward, seed_required
            ),
        )
    primal = _options.check_function(func)
    original = primal.__dict__.get(_capture.ORIGINAL)
    if original is not None and original[0] is primal:
        primal = original[1]  # with the blocks that tangent.tangent took out
    positions, names, single = _options.positions(primal, wrt)
    if key is not None and recipe is not None:
        pass
    elif value_first:
        recipe = value_and_grad, (func, wrt, check_dims, verbose)
        key = wrt, wrt.__class__, check_dims, verbose
    else:
        recipe = grad, (func, wrt, True, preserve_result, check_dims, verbose)
        key = wrt, wrt.__class__, preserve_result, check_dims, verbose
    gradient = _core.make_gradient(
        primal,
        positions,
        single,
        preserve_result,
        value_first,
        check_dims,
        seed_required,
        _options.tangent_names(primal, names) if forward else None,
        verbose,
        _options.function_name(primal, names, forward),
        recipe,
        -1 if index is None else index,
        list(weights or ()),
    )
    if not forward and not seed_required and gradient.__tangent_outputs__:
        _options.check_outputs(primal.__name__, gradient.__tangent_outputs__, index, weights)
    if remember and isinstance(func, FunctionType) and not isinstance(wrt, list):
        memory = func.__dict__.get(_MEMORY)
        if memory is None or any(owner is not func for owner, _ in memory.values()):
            memory = func.__dict__[_MEMORY] = {}
        memory[key] = func, gradient
    return gradient
