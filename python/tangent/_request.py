"""What is asked of a differentiation, and the gradient that answers it.

In: a function and a `Request`, whose values `tangent._options` has checked. Out: the gradient, the
one that was made before if there is one. A new option is a field here, and where it reaches the
engine an argument of `_core.make_gradient`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import FunctionType
from typing import Any, NamedTuple, cast

from tangent import _capture, _core, _memory, _options
from tangent._core import Gradient
from tangent._higher import HigherOrder

# Copies of a function that carry another text, by text.
_COPIES = '__tangent_copies__'
# Compiled gradients of a function, by backend and options.
_COMPILED = '__tangent_compiled__'
_BY_DEFAULT = ((None, None), None, None)


class Request(NamedTuple):
    """The options of a gradient."""

    mode: str  # 'grad', 'value_and_grad', 'jvp', 'vjp'
    wrt: Any
    preserve_result: bool = False
    check_dims: bool = True
    verbose: int = 0
    outputs: tuple[int | None, tuple[float, ...] | None] = (None, None)
    optimizations: tuple[str, ...] | None = None  # what is switched on; None: the default
    # Of loops that keep snapshots in place of tapes: the shortest one, the number of snapshots,
    # whether the schedule is binomial, the folder of tapes on disk ('': they are in memory).
    checkpoints: tuple[int, int, bool, str] | None = None
    source: str | None = None

    @property
    def key(self) -> tuple[Any, ...]:
        """What a function's gradients are told apart by; the fast paths of `tangent` make the
        first part by themselves."""
        mode, wrt, preserve_result, check_dims, verbose, *further = self[:-1]
        plain = mode, wrt, wrt.__class__, preserve_result, check_dims, verbose
        return plain if tuple(further) == _BY_DEFAULT else (*plain, *further)


def made(func: Callable[..., Any], request: Request) -> Gradient:
    """The gradient of a function, as it is remembered or made now."""
    if type(func).__module__.startswith('tangent._compile'):
        func = func.__wrapped__  # type: ignore[attr-defined]
    primal = func if request.source is None else with_source(func, request.source)
    made_of_another = isinstance(primal, partial) or hasattr(type(primal), '__wrapped__') or (
        '__wrapped__' in getattr(primal, '__dict__', ())
    )
    if made_of_another and not isinstance(primal, (Gradient, HigherOrder)):
        from tangent import _spelled

        primal = _spelled.spelled(primal)
    known = _memory.find(primal, request.key)
    if known is not None:
        return known
    if isinstance(primal, (Gradient, HigherOrder)):
        return cast('Gradient', _higher(primal, request))
    gradient = new(primal, request, again=func)
    if isinstance(primal, FunctionType) and not isinstance(request.wrt, list):
        _memory.keep(primal, request.key, gradient)
    return gradient


def _higher(func: Gradient | HigherOrder, request: Request) -> HigherOrder:
    """The derivative of a gradient: made for each function that the gradient has."""
    if request.outputs != (None, None):
        _options.refuse(
            'BadOption',
            'output_index and output_weights of a gradient',
            'write a function that takes the part of the gradient',
        )
    wrt = request.wrt
    count = len(wrt) if isinstance(wrt, (tuple, list)) else 1
    return HigherOrder(
        func, partial(made, request=request), count if request.mode == 'jvp' else 0
    )


def new(func: Callable[..., Any], request: Request, again: Callable[..., Any]) -> Gradient:
    """A gradient that nobody else has; `again` is what the user gave."""
    primal = _options.check_function(func)
    original = primal.__dict__.get(_capture.ORIGINAL)
    if original is not None and original[0] is primal:
        primal = original[1]  # with the blocks that tangent.tangent took out
    forward = request.mode == 'jvp'
    positions, names, single = _options.positions(primal, request.wrt)
    index, weights = request.outputs
    gradient = _core.make_gradient(
        primal,
        positions,
        single,
        request.preserve_result,
        request.mode == 'value_and_grad',
        request.check_dims,
        request.mode == 'vjp',
        _options.tangent_names(primal, names) if forward else None,
        request.verbose,
        _options.function_name(primal, names, forward),
        (made, (again, request)),
        -1 if index is None else index,
        list(weights or ()),
        None if request.optimizations is None else list(request.optimizations),
        request.checkpoints,
    )
    if request.mode in ('grad', 'value_and_grad') and gradient.__tangent_outputs__:
        _options.check_outputs(primal.__name__, gradient.__tangent_outputs__, index, weights)
    return gradient


def compiled(
    func: Callable[..., Any], gradient: Gradient, request: Request, backend: str
) -> Gradient:
    """A gradient under a compiler, which is imported now; the same one for the same options."""
    from tangent import _compile

    own = getattr(func, '__dict__', None)
    if not isinstance(func, FunctionType) or own is None or isinstance(request.wrt, list):
        return _compile.compiled(gradient, backend)
    owner, kept = own.get(_COMPILED, (None, None))
    if owner is not func:  # functools.wraps copies the dict of one function to another
        kept = {}
        own[_COMPILED] = func, kept
    key = backend, *request.key
    known = kept.get(key)
    if known is None or known.__wrapped__ is not gradient:
        known = kept[key] = _compile.compiled(gradient, backend)
    return cast('Gradient', known)


def with_source(func: Callable[..., Any], source: str) -> Callable[..., Any]:
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
