"""Functions whose text is given: what the REPL, `exec` and notebooks leave without a source.

In: a function and its text. Out: the function, which carries the text, or a copy of it that does.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeVar, overload

from tangent import _capture, _options

F = TypeVar('F', bound=Callable[..., Any])


def carry(function: FunctionType, text: object) -> None:
    """From now on the text is what is differentiated where the function is."""
    if not isinstance(text, str) or not text.strip():
        _options.refuse('BadOption', f'source={text!r}', 'source is the text of the function')
    function.__dict__[_capture.GIVEN] = function, textwrap.dedent(text)


def copy_with(function: FunctionType, text: object) -> FunctionType:
    """A copy of a function that carries a text; gradients of it say what it is a copy of."""
    made = copy_of(function)
    carry(made, text)
    made.__dict__['__tangent_copy_of__'] = made, function
    return made


def copy_of(function: FunctionType) -> FunctionType:
    """Another function of the same code, globals, cells, defaults and attributes."""
    made = FunctionType(
        function.__code__,
        function.__globals__,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    made.__kwdefaults__ = function.__kwdefaults__
    made.__qualname__ = function.__qualname__
    made.__doc__ = function.__doc__
    made.__module__ = function.__module__
    made.__annotations__ = function.__annotations__
    return made


@overload
def function(fn: F, *, source: str | None = None) -> F: ...
@overload
def function(fn: None = None, *, source: str | None = None) -> Callable[[F], F]: ...
def function(fn: Any = None, *, source: str | None = None) -> Any:
    """Keeps the text of a function with it, as `fn._tangent_source`.

    Parameters
    ----------
    fn
        The function; without it, the decorator is returned.
    source
        Its text, for functions of the REPL and of `exec`, which have none; decorators above `def`
        do not matter. Without it the text is taken from where the function was defined.

    Returns
    -------
    callable
        `fn` itself.

    Raises
    ------
    SourceCodeNotAvailableError
        No text is given, and none is found.

    Examples
    --------
    >>> square = tangent.function(eval('lambda x: x * x'), source='lambda x: x * x')
    >>> tangent.grad(square)(3.0)
    6.0
    """
    if fn is None:
        return lambda func: function(func, source=source)
    checked = _options.check_function(fn)
    if not isinstance(checked, FunctionType):
        _options.refuse('NotAFunction', f'{fn!r} is a method', 'pass a function')
    if source is not None:
        carry(checked, source)
        checked.__dict__['_tangent_source'] = source
        return fn
    found = _capture.read(checked)
    if len(found) == 3:
        from tangent.errors import from_diagnostic

        kind, message, remedy = found
        raise from_diagnostic(kind, 'SourceCodeNotAvailableError', message, remedy)
    text = found[1]
    lines = text.split('\n')[1:] if text.startswith('if 1:\n') else text.split('\n')
    checked.__dict__['_tangent_source'] = textwrap.dedent('\n'.join(lines))
    return fn
