"""Automatic differentiation of plain Python numerical code, by source transformation.

    df = tangent.grad(f)

reads the source of `f` and gives back a function that computes its gradient, whose own readable
source is `df.__tangent_source__`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from tangent import (
    _core,
    _fingerprint,  # noqa: F401  every gradient needs it: not imported while the first one is made
    _options,
    disk_cache,
)
from tangent._core import Gradient
from tangent._memory import (
    clear_cache,
    get_cache_size,
    get_cache_stats,
    reset_cache_stats,
    set_cache_size,
)
from tangent._memory import find as _known
from tangent._request import Request, compiled, with_source
from tangent._request import made as _made
from tangent._request import new as _new
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
    enhance_traceback,
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
    from tangent._explain import explain, show_gradient_code
    from tangent._ode import odeint, odeint_grad
    from tangent._plots import compare_gradients, visualize
    from tangent._rules import register_adjoint, register_tangent
    from tangent._runtime_marks import stop_gradient
    from tangent._shaped_array import ShapedArray
    from tangent._shapes import check_shapes
    from tangent._source import function
    from tangent._source_map import source_map
    from tangent._status import backend_status
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
    'ShapedArray',
    'SourceCodeNotAvailableError',
    'TangentError',
    'TangentInternalError',
    'TangentParseError',
    'TangentValueError',
    'TypeMismatchError',
    'UnsupportedSyntaxError',
    'autodiff',
    'backend_status',
    'check_shapes',
    'clear_cache',
    'compare_gradients',
    'custom_bwd_call',
    'custom_jvp_call',
    'custom_vjp',
    'disk_cache',
    'enhance_traceback',
    'explain',
    'format_error_with_context',
    'function',
    'get_cache_size',
    'get_cache_stats',
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
    'reset_cache_stats',
    'set_cache_size',
    'show_gradient_code',
    'source_map',
    'stages',
    'stop_gradient',
    'tangent',
    'trace',
    'trace_grad',
    'value_and_grad',
    'visualize',
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
    'ShapedArray': '_shaped_array',
    'backend_status': '_status',
    'check_shapes': '_shapes',
    'compare_gradients': '_plots',
    'explain': '_explain',
    'show_gradient_code': '_explain',
    'source_map': '_source_map',
    'visualize': '_plots',
}
# What users call of `_checkpointing`.
_CHECKPOINTING = (
    'CheckpointAwareStack',
    'CheckpointPlan',
    'checkpoint',
    'checkpoint_plan',
    'checkpointed_loop',
    'compute_checkpoint_positions',
    'compute_optimal_checkpoints',
    'estimate_checkpoint_savings',
    'estimate_memory_savings_helper',
    'find_nearest_checkpoint',
    'get_checkpoint_info',
    'get_memory_savings',
    'grad_with_checkpointing',
    'is_checkpoint_iteration',
    'num_segments',
    'online_segment',
    'online_store',
    'restore_checkpoint',
    'segment_bounds',
    'segment_size',
    'should_checkpoint',
    'snapshot',
    'store_checkpoint',
)
_LATER.update(dict.fromkeys(_CHECKPOINTING, '_checkpointing'))
# Modules of the predecessor's that are reached as attributes of the package.
_MODULES = ('dict_construction_error', 'non_differentiable', 'passes', 'runtime', 'utils', 'verify')


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
    optimizations: Mapping[str, Any] | None = None,
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

    `optimizations` switches single optimizations of the text on or off: `dce` and `tape_liveness`
    (on by default), `strength_reduction`, `cse`, `coarsening` and `algebraic`, which may also be
    'sympy' (ImportError where SymPy is missing). `optimized=False` gives the naive adjoint, with
    only what `optimizations` switches on by name. The gradient is the same up to rounding;
    docs/options.md shows what each of them does.

    `checkpoint=True` is for long loops: their gradient keeps snapshots of their state in place of
    tapes, and runs them again in parts. `checkpoint_config` says more (docs/checkpointing.md):
    'enabled', 'min_length' (100: shorter loops keep tapes), 'num_checkpoints' (at most so many
    snapshots at a time; None: about √n), 'schedule' ('sqrt', or 'binomial' for least memory),
    'disk' (the folder in whose files tapes and snapshots of arrays lie).

    `compile` hands the gradient to a compiler: 'jax' (`jax.jit`; arrays of JAX, and plain NumPy
    functions, whose calls become those of `jax.numpy`), 'torch' (`torch.compile`) or 'tinygrad'
    (`TinyJit`). It is differentiated once whatever compiles it; `__wrapped__` is the plain
    gradient.

    Usable as a decorator. Asking again for the same function and options gives the same object.
    """
    key = 'grad', wrt, wrt.__class__, preserve_result, check_dims, verbose
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
        known = _known(func, key)
        if known is not None:
            return known if verbose == 0 else _retrieved(known)
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
    request = Request(
        'grad',
        wrt,
        bool(preserve_result),
        bool(check_dims),
        verbose,
        _options.outputs(output_index, output_weights),
        _options.enabled(optimized, optimizations),
        _options.checkpoints(checkpoint, checkpoint_config),
        source,
    )
    made = _made(func, request)
    return made if compile in (None, 'python') else compiled(func, made, request, compile)


def value_and_grad(
    func: Callable[..., Any],
    wrt: _options.Wrt = (0,),
    check_dims: bool = True,
    verbose: int = 0,
) -> Gradient:
    """The value of a function and its gradient: calls give `(value, gradient)`."""
    known = _known(func, ('value_and_grad', wrt, wrt.__class__, False, check_dims, verbose))
    if known is not None:
        return known if verbose == 0 else _retrieved(known)
    _options.check(verbose=verbose)
    return _made(func, Request('value_and_grad', wrt, False, bool(check_dims), verbose))


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
        As for `grad`.
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
    key = 'jvp', wrt, wrt.__class__, preserve_result, check_dims, verbose
    known = _known(func, key) if optimized is True else None
    if known is not None:
        return known if verbose == 0 else _retrieved(known)
    _options.check(optimized=optimized, verbose=verbose)
    enabled = _options.enabled(optimized, None)
    options = bool(preserve_result), bool(check_dims), verbose, (None, None), enabled
    return _made(func, Request('jvp', wrt, *options))


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
    key = 'vjp', wrt, wrt.__class__, preserve_result, check_dims, verbose
    known = _known(func, key) if optimized is True else None
    if known is not None:
        return known if verbose == 0 else _retrieved(known)
    _options.check(optimized=optimized, verbose=verbose)
    enabled = _options.enabled(optimized, None)
    options = bool(preserve_result), bool(check_dims), verbose, (None, None), enabled
    return _made(func, Request('vjp', wrt, *options))


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
    optimizations: Mapping[str, Any] | None = None,
    grad_config: Mapping[str, Any] | None = None,
    *,
    source: str | None = None,
) -> Gradient:
    """The derivative of a function in either mode.

    Parameters
    ----------
    func, wrt, optimized, preserve_result, check_dims, verbose, optimizations
        As for `grad`; forward mode has no tapes, and nothing to coarsen.
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
    checkpoint_config
        As for `grad`; forward mode keeps nothing, and needs none.

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
    chosen = grad_config or {}
    if motion == 'split':
        from tangent._split import split

        options = bool(preserve_result), bool(check_dims), verbose, chosen
        primal = func if source is None else with_source(func, source)
        return cast('Gradient', split(primal, wrt, *options))
    required = input_derivative is INPUT_DERIVATIVE.Required
    asked = 'jvp' if mode == 'forward' else 'vjp' if required else 'grad'
    outputs = _options.outputs(chosen.get('output_index'), chosen.get('output_weights'))
    request = Request(
        asked,
        wrt,
        bool(preserve_result),
        bool(check_dims),
        verbose,
        outputs if asked == 'grad' else (None, None),
        _options.enabled(optimized, optimizations),
        None if asked == 'jvp' else _options.checkpoints(False, checkpoint_config),
        source,
    )
    return _made(func, request)


def stages(func: Callable[..., Any], *args: Any) -> dict[str, str]:
    """The program at every stage of the road, for these arguments: stage -> text."""
    gradient = _new(func, Request('grad', (0,)), again=func)
    return dict(_core.gradient_stages(gradient, *args))


def _retrieved(known: Gradient) -> Gradient:
    """A gradient that was made before, and that line of `verbose` which says so."""
    from tangent import _report

    _report.cache(known.__name__, 'retrieved from memory: made before with these options')
    return known
