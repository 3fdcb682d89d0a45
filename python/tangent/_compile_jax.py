"""`compile='jax'`: gradients under `jax.jit`, and why JAX cannot trace one.

In: a gradient. Out: a function that runs it in the words of `jax.numpy`, compiled once for each
signature of a call; what captured values are belongs to the signature. Errors of tracing become
diagnostics with the user's line.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from tangent._compile import Compiled, refuse_foreign
from tangent._compile_captured import PLAIN, Captured
from tangent.errors import from_diagnostic

if TYPE_CHECKING:
    from tangent._core import Gradient

# A loop of more steps than this is worth a warning: JAX compiles each step by itself.
_MANY_STEPS = 200


def _translated(gradient: Any) -> Any:
    """A gradient of any order with NumPy's calls spelled as those of jax.numpy."""
    from tangent import _core
    from tangent._higher import HigherOrder

    if isinstance(gradient, HigherOrder):
        return HigherOrder(_translated(gradient._inner), gradient._make, gradient._tangents)
    return _core.translated_gradient(gradient)


class Jax(Compiled):
    """A gradient under jax.jit.

    Arrays, floats and complex numbers are traced. All else (ints, flags, texts) is part of the
    signature: another value is compiled anew, and so is another value of a name that the function
    reads. Results are arrays of JAX; arguments are never stored into.
    """

    backend = 'jax'

    def __init__(self, gradient: Gradient) -> None:
        super().__init__(gradient)
        self._target = _translated(gradient)
        self._captured = Captured(gradient)
        # The last function of arrays alone, with what it captured and how many they were: jax.jit
        # itself tells their shapes apart.
        self._latest: tuple[Callable[..., Any], tuple[Any, ...], int] | None = None
        self._config: Any = import_module('jax').config
        self._array: type = type(import_module('jax.numpy').zeros(()))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        latest = self._latest
        if (
            latest is not None
            and not kwargs
            and latest[2] == len(args)
            and self._config.jax_enable_x64
            and all(type(each) is self._array for each in args)
            and latest[1] == self._captured()
        ):
            try:
                return latest[0](list(args))
            except TypeError:
                pass  # of another shape it may not be traced: said below
        return self._call_slowly(args, kwargs)

    def _call_slowly(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        import jax

        leaves, tree = jax.tree_util.tree_flatten((args, kwargs), is_leaf=lambda x: x is None)
        traced = [leaf for leaf in leaves if _is_traced(leaf)]
        for leaf in leaves:
            refuse_foreign(leaf, 'jax', self.__name__)
            if not _is_traced(leaf) and not isinstance(leaf, PLAIN):
                raise from_diagnostic(
                    'UnsupportedType',
                    'TypeMismatchError',
                    f"{self.__name__}: compile='jax' is given an object of type "
                    f'{type(leaf).__name__}',
                    'pass arrays, numbers, texts, and tuples, lists and dicts of them',
                )
        signature = tuple(_signature(leaf) for leaf in leaves)
        key = (tree, signature, _is_wide_allowed(), self._captured())
        function = self._compiled.get(key)
        if function is None:
            for leaf in traced:
                _refuse_dtype(leaf, self.__name__)
            function = self._kept(key, lambda: self._make(leaves, tree, traced, args, kwargs))
        if not kwargs and len(traced) == len(args) and all(type(x) is self._array for x in args):
            self._latest = function, key[3], len(args)
        return function(traced)

    def _make(
        self,
        leaves: list[Any],
        tree: Any,
        traced: list[Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Callable[..., Any]:
        import jax

        target = self._target
        fixed = [None if _is_traced(leaf) else leaf for leaf in leaves]
        is_traced = [_is_traced(leaf) for leaf in leaves]

        def call(values: list[Any]) -> Any:
            given = iter(values)
            whole = [next(given) if t else leaf for t, leaf in zip(is_traced, fixed, strict=True)]
            positional, named = jax.tree_util.tree_unflatten(tree, whole)
            return target(*positional, **named)

        call.__name__ = call.__qualname__ = self.__name__
        self._check_width(leaves, call, traced, args, kwargs)
        function = jax.jit(call)
        self._warn_of_steps(_tracing(self.__name__, lambda: function.trace(traced)))
        return function

    def _check_width(
        self,
        leaves: list[Any],
        call: Callable[..., Any],
        traced: list[Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> None:
        """Without float64, JAX computes with float32 in its place: refused, never done silently."""
        import jax
        import numpy as np

        if _is_wide_allowed():
            return
        wide = any(
            isinstance(leaf, (np.ndarray, np.generic))
            and leaf.dtype in (np.float64, np.complex128)
            for leaf in leaves
        )
        if not wide and _library_of(self.__wrapped__, args, kwargs) == 'numpy':
            # What NumPy computes here is what JAX would if it were allowed to.
            with jax.enable_x64(True):
                jaxpr = _tracing(self.__name__, lambda: jax.make_jaxpr(call)(traced))
            wide = any(
                getattr(variable.aval, 'dtype', None) in (np.float64, np.complex128)
                and not getattr(variable.aval, 'weak_type', False)
                for equation in jaxpr.jaxpr.eqns
                for variable in equation.outvars
            )
        if wide:
            raise from_diagnostic(
                'UnsupportedType',
                'TypeMismatchError',
                f'{self.__name__} computes with float64, which JAX is not allowed to use',
                "allow it before the first call, jax.config.update('jax_enable_x64', True), or "
                'pass float32 arrays',
            )

    def _warn_of_steps(self, traced: Any) -> None:
        """Warns once of loops that JAX compiles step by step."""
        equations = traced.jaxpr.jaxpr.eqns
        if len(equations) <= _MANY_STEPS:
            return
        counts: dict[int, dict[str, int]] = {}
        for equation in equations:
            line = _emitted_line(equation)
            if line is not None:
                kinds = counts.setdefault(line, {})
                kinds[equation.primitive.name] = kinds.get(equation.primitive.name, 0) + 1
        steps = max((min(kinds.values()) for kinds in counts.values()), default=0)
        if steps <= _MANY_STEPS:
            return
        import warnings

        warnings.warn(
            f'{self.__name__}: JAX compiles each of about {steps} steps of a loop by itself, '
            f'{len(equations)} operations in all; that takes about '
            f'{_compile_seconds(len(equations)):.0f} s. Fewer steps, or compile=None, are quicker '
            'for few calls.',
            stacklevel=5,
        )


def _is_wide_allowed() -> bool:
    """Whether JAX may use float64 here and now."""
    import jax

    return bool(jax.dtypes.canonicalize_dtype('float64') == 'float64')


def _compile_seconds(operations: int) -> float:
    """How long XLA takes for straight-line code: measured, about a millisecond for each."""
    return 1e-3 * operations


def _emitted_line(equation: Any) -> int | None:
    """The line of an emitted text that an equation of a jaxpr comes from."""
    traceback = equation.source_info.traceback
    if traceback is None:
        return None
    for frame in traceback.frames:
        if frame.file_name.startswith('<tangent '):
            return int(frame.line_num)
    return None


def _is_traced(leaf: Any) -> bool:
    if isinstance(leaf, (float, complex)):
        return True
    dtype = getattr(leaf, 'dtype', None)
    return dtype is not None and hasattr(leaf, 'shape')


def _refuse_dtype(leaf: Any, name: str) -> None:
    """Refuses an array of numbers that JAX has not."""
    import jax

    dtype = getattr(leaf, 'dtype', None)
    if dtype is None:
        return
    try:
        with jax.enable_x64(True):
            jax.numpy.zeros((), dtype)
    except TypeError as error:
        raise from_diagnostic(
            'UnsupportedType',
            'TypeMismatchError',
            f"{name}: compile='jax' is given an array of dtype {dtype}, which JAX has not",
            'convert it first: `x.astype(np.float64)`, or leave compile out',
        ) from error


def _signature(leaf: Any) -> Any:
    if isinstance(leaf, (float, complex)):
        return type(leaf)
    if _is_traced(leaf):
        return type(leaf), leaf.shape, leaf.dtype
    return type(leaf), leaf


def _library_of(gradient: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> str:
    """Whose arrays the gradient computes with for these arguments."""
    from tangent import _core
    from tangent.errors import TypeMismatchError

    try:
        while not isinstance(gradient, _core.Gradient):
            gradient = gradient.gradient(*args, **kwargs)
        gradient.variant(*args, **kwargs)
        return str(_core.gradient_library(gradient))
    except TypeMismatchError as error:
        # A function of NumPy's with arrays of JAX, which only the compiled gradient takes.
        if getattr(error, 'kind', '') == 'MixedLibraries':
            return 'numpy'
        raise


def _tracing(name: str, trace: Callable[[], Any]) -> Any:
    """What `trace` gives; what JAX cannot trace is refused with the user's line."""
    import jax

    errors = jax.errors
    try:
        return trace()
    except errors.TracerBoolConversionError as error:
        _refuse(
            'NotTraceable',
            'UnsupportedSyntaxError',
            f'{name}: JAX compiles one path for all values, and here the values decide which',
            'choose with `jnp.where(test, a, b)` (`np.where`), repeat a fixed number of times, or '
            'leave compile out',
            error,
        )
    except errors.NonConcreteBooleanIndexError as error:
        _refuse(
            'NotTraceable',
            'UnsupportedSyntaxError',
            f'{name}: JAX fixes all shapes when it compiles, and here a mask decides the shape',
            'choose with `jnp.where(mask, x, 0.0)` (`np.where`), or leave compile out',
            error,
        )
    except (errors.TracerArrayConversionError, errors.TracerIntegerConversionError,
            errors.ConcretizationTypeError) as error:
        _refuse(
            'NotTraceable',
            'UnsupportedSyntaxError',
            f'{name}: JAX knows no values when it compiles, and here one is needed',
            'pass what decides lengths and indices as ints, which are compiled in, or leave '
            'compile out',
            error,
        )
    except AttributeError as error:
        if 'jax' not in str(error).lower() and 'tracer' not in str(error).lower():
            raise
        _refuse(
            'NotInLibrary',
            'ReverseNotImplementedError',
            f'{name}: {error}',
            'write it with functions that JAX has, or leave compile out',
            error,
        )
    except TypeError as error:
        if 'immutable' not in str(error) and 'non-tuple sequence' not in str(error):
            raise
        _refuse(
            'NotInLibrary',
            'ReverseNotImplementedError',
            f'{name}: {str(error).splitlines()[0]}',
            'write it as JAX takes it, or leave compile out',
            error,
        )


def _refuse(kind: str, class_name: str, message: str, remedy: str, error: BaseException) -> Any:
    """Raises a diagnostic with the user's line, which the traceback of `error` ends in."""
    place = _place_of(error)
    raise from_diagnostic(kind, class_name, message, remedy, [place] if place else []) from error


def _place_of(error: BaseException) -> tuple[str, int, int, int, int, str] | None:
    """The user's own line in a traceback: the last entry that no other code stands behind.

    Gradients put the line that a statement of theirs came from in front of it (user_lines.cpp),
    as a frame without code.
    """
    import linecache

    entry, found = error.__traceback__, None
    while entry is not None:
        code = entry.tb_frame.f_code
        if not code.co_code.strip(b'\x00') or len(code.co_code) <= 12:
            found = code.co_filename, entry.tb_lineno
        entry = entry.tb_next
    if found is None:
        return None
    text = linecache.getline(*found).rstrip('\n')
    start = len(text) - len(text.lstrip())
    return (found[0], found[1], start, found[1], len(text), text)
