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
    _capture,  # noqa: F401  every gradient needs it: not imported while the first one is made
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
    enhance_traceback,
    format_error_with_context,
)
from tangent.grad_util import INPUT_DERIVATIVE

if TYPE_CHECKING:  # at run time they are imported when they are asked for: _LATER
    from tangent._explain import explain, show_gradient_code
    from tangent._plots import compare_gradients, visualize
    from tangent._shaped_array import ShapedArray
    from tangent._shapes import check_shapes
    from tangent._source_map import source_map
    from tangent._status import backend_status

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
    'compare_gradients',
    'enhance_traceback',
    'explain',
    'format_error_with_context',
    'grad',
    'jvp',
    'show_gradient_code',
    'source_map',
    'stages',
    'value_and_grad',
    'visualize',
    'vjp',
]

# What is imported when it is first asked for: name -> module of this package.
_LATER = {
    'ShapedArray': '_shaped_array',
    'backend_status': '_status',
    'check_shapes': '_shapes',
    'compare_gradients': '_plots',
    'explain': '_explain',
    'show_gradient_code': '_explain',
    'source_map': '_source_map',
    'visualize': '_plots',
}

# Gradients of a function are kept in the function's own __dict__ under this name, by options: they
# live as long as the function, and go with it.
_MEMORY = '__tangent_gradients__'


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
    from importlib import import_module

    thing = getattr(import_module(f'tangent.{_LATER[name]}'), name)
    globals()[name] = thing  # found without this function from now on
    return thing


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER})


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
        return known if verbose == 0 else _retrieved(known)
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
        return known if verbose == 0 else _retrieved(known)
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
        return known if verbose == 0 else _retrieved(known)
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
        Has to be 'joint': one function runs forwards and backwards.
    mode
        'reverse' gives what `vjp` gives, 'forward' what `jvp` gives.
    input_derivative
        In reverse mode, whether each call has to bring the adjoint of the result
        (`tangent.grad_util.INPUT_DERIVATIVE`).
    checkpoint_config, optimizations, grad_config, source
        Have to be left out.

    Returns
    -------
    Gradient
        The derivative function.
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
    if mode == 'forward':
        return jvp(func, wrt, True, check_dims, preserve_result, verbose)
    if input_derivative is INPUT_DERIVATIVE.Required:
        return vjp(func, wrt, True, check_dims, preserve_result, verbose)
    return grad(func, wrt, True, preserve_result, check_dims, verbose)


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


def _retrieved(known: Gradient) -> Gradient:
    """A gradient that was made before, and that line of `verbose` which says so."""
    from tangent import _report

    _report.cache(known.__name__, 'retrieved from memory: made before with these options')
    return known


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
) -> Gradient:
    if isinstance(func, (Gradient, HigherOrder)):
        return cast(
            'Gradient',
            _make_higher(
                func, wrt, preserve_result, value_first, check_dims, verbose, forward, seed_required
            ),
        )
    primal = _options.check_function(func)
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
    )
    if remember and isinstance(func, FunctionType) and not isinstance(wrt, list):
        memory = func.__dict__.get(_MEMORY)
        if memory is None or any(owner is not func for owner, _ in memory.values()):
            memory = func.__dict__[_MEMORY] = {}
        memory[key] = func, gradient
    return gradient
