"""The exceptions that users meet, and the one place where the engine's diagnostics become them.

Every class keeps its name from the predecessor and is safe to catch: none derives from
AttributeError, KeyError, IndexError, NameError, AssertionError or RecursionError, which user code
catches for reasons of its own. Each exception carries the kind of the diagnostic, the file, the
line, the range of columns, the source line, and what to write instead.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any

# File, line from 1, column in characters from 0, end line, end column, the line's text if known.
Place = tuple[str, int, int, int, int, 'str | None']

__all__ = [
    'DictConstructionError',
    'ForwardNotImplementedError',
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
    'enhance_traceback',
    'format_error_with_context',
]


class _Located:
    """What every exception of ours knows about itself."""

    kind: str | None = None
    summary: str = ''
    filename: str | None = None
    lineno: int | None = None
    range: tuple[int, int, int, int] | None = None
    source_line: str | None = None
    remedy: str | None = None
    places: tuple[Place, ...] = ()

    def __str__(self) -> str:
        return _render(self, color=_use_color())


class TangentError(_Located, Exception):
    """The base of the errors that have no standard class to derive from."""

    def __init__(
        self,
        message: str = '',
        func: Any = None,
        node: Any = None,
        suggestion: str | None = None,
        doc_link: str | None = None,
        original_error: BaseException | None = None,
    ) -> None:
        super().__init__(message)
        self.message = self.summary = message
        self.func = func
        self.node = node
        self.suggestion = self.remedy = suggestion
        self.doc_link = doc_link
        self.original_error = original_error


class TangentParseError(_Located, SyntaxError):
    """Text that Python cannot parse."""

    def __init__(self, message: str = '', *details: Any) -> None:
        SyntaxError.__init__(self, message, *details)
        self.summary = message


class ReverseNotImplementedError(_Located, NotImplementedError):
    """A library function that has no adjoint rule."""

    def __init__(self, func: Any = '') -> None:
        super().__init__(func)
        self.func = func
        self.summary = str(func)


class ForwardNotImplementedError(_Located, NotImplementedError):
    """A library function that has no tangent rule."""

    def __init__(self, func: Any = '') -> None:
        super().__init__(func)
        self.func = func
        self.summary = str(func)


class ShapeError(_Located, ValueError):
    """Shapes that do not fit: a seed and a result, or operands on abstract arrays."""

    def __init__(self, message: str = '') -> None:
        super().__init__(message)
        self.summary = message


class GradientNotFoundError(TangentError):
    """A call of something that has neither a rule nor source."""


class SourceCodeNotAvailableError(TangentError):
    """The source of a function cannot be found, or is no longer what runs."""


class UnsupportedSyntaxError(TangentError, TangentParseError):
    """Python that the engine does not differentiate."""


class NonScalarOutputError(TangentError):
    """A result that would have to be a scalar."""


class TypeMismatchError(TangentError):
    """A value of a type that has no derivative, or none yet."""


class InplaceModificationError(TangentError):
    """A write into an array or container that is not differentiated."""


class DictConstructionError(TangentError):
    """A dict that is made in a way that is not differentiated."""


class TangentValueError(TangentError, ValueError):
    """An option or a `wrt` that makes no sense for this function."""


class TangentInternalError(Exception):
    """A fault of ours, not of the user's code."""


_CLASSES: dict[str, type[Any]] = {
    name: globals()[name] for name in __all__ if name.endswith('Error')
}


# ------------------------------------------------------------------------------------------------
# Text


_LONGEST_LINE = 100


def _use_color() -> bool:
    return (
        'NO_COLOR' not in os.environ
        and os.environ.get('TERM') != 'dumb'
        and sys.stderr is not None
        and sys.stderr.isatty()
    )


def excerpt(place: Place, color: bool = False) -> str:
    """File and line, the source line, and carets under the range."""
    filename, line, column, end_line, end_column, text = place
    lines = [f'  File "{filename}", line {line}']
    if text is not None and text.strip():
        stripped = text.lstrip()
        removed = len(text) - len(stripped)
        stripped = stripped.rstrip()
        start = max(column - removed, 0)
        end = max((end_column if end_line == line else len(text)) - removed, start + 1)
        end = min(end, max(len(stripped), start + 1))
        stripped, start, end = _window(stripped, start, end)
        carets = _spaces_for(stripped[:start]) + '^' * max(_width(stripped[start:end]), 1)
        if color:
            carets = f'\x1b[31;1m{carets}\x1b[0m'
        # A tab stays a tab in both lines, so that the carets stand right at any tab width.
        lines += [f'    {stripped}', f'    {carets}']
    return '\n'.join(lines)


def _window(text: str, start: int, end: int) -> tuple[str, int, int]:
    """A long line's part around the range, and the range in it."""
    if len(text) <= _LONGEST_LINE:
        return text, start, end
    first = max(min(start - _LONGEST_LINE // 4, len(text) - _LONGEST_LINE), 0)
    last = first + _LONGEST_LINE
    before, after = '…' if first > 0 else '', '…' if last < len(text) else ''
    shift = len(before) - first
    shown = before + text[first:last] + after
    return shown, start + shift, min(end + shift, len(shown))


def _width(text: str) -> int:
    """How many columns of a terminal a text fills."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(c) else 2 if east_asian_width(c) in 'WF' else 1 for c in text)


def _spaces_for(text: str) -> str:
    return ''.join('\t' if c == '\t' else ' ' * _width(c) for c in text)


def _render(error: Any, color: bool) -> str:
    parts = [error.summary]
    parts += [excerpt(place, color) for place in error.places]
    if error.remedy:
        hint = 'Instead:'
        parts.append(f'\x1b[1m{hint}\x1b[0m {error.remedy}' if color else f'{hint} {error.remedy}')
    return '\n'.join(part for part in parts if part)


# ------------------------------------------------------------------------------------------------
# Making them


def from_diagnostic(
    kind: str, class_name: str, message: str, remedy: str, places: Sequence[Place] = ()
) -> BaseException:
    """The exception for a diagnostic of the engine."""
    error = _CLASSES[class_name](message)
    error.kind = kind
    error.summary = message
    error.remedy = remedy or None
    if isinstance(error, TangentError):
        error.suggestion = error.remedy
    error.places = tuple(places)
    if places:
        filename, line, column, end_line, end_column, text = places[0]
        error.filename = filename
        error.lineno = line
        error.range = (line, column, end_line, end_column)
        error.source_line = text
        if isinstance(error, SyntaxError):  # tracebacks show place and msg of these, not str()
            error.msg = f'{message}\nInstead: {remedy}' if remedy else message
            error.offset = column + 1
            error.text = text
            error.end_lineno = end_line
            error.end_offset = end_column + 1
    assert isinstance(error, BaseException)
    return error


def internal_error(message: str) -> TangentInternalError:
    """The exception for a broken invariant of the engine."""
    return TangentInternalError(
        f'{message}\nThis is a fault of tangent, not of your code. Please report it with the '
        'function that was differentiated.'
    )


def raise_seed_error(name: str, seed: Any) -> None:
    """For the adjoint of a scalar result that is no scalar."""
    shape = getattr(seed, 'shape', None)
    what = f'an array of shape {shape}' if shape is not None else repr(type(seed).__name__)
    raise ShapeError(f'{name}: the result is a scalar, and its adjoint is {what}')


def check_seed_parts(name: str, seed: Any, standard: Any, place: str = '') -> None:
    """A ShapeError if the adjoint of a result with parts has other parts than the result."""
    at = f' at {place}' if place else ''
    if isinstance(standard, dict):
        if not isinstance(seed, dict) or seed.keys() != standard.keys():
            keys = ', '.join(map(repr, standard))
            raise ShapeError(
                f'{name}: the adjoint{at} of a dict is a dict with its keys ({keys}), '
                f'not {_seed_described(seed)}'
            )
        for key, part in standard.items():
            check_seed_parts(name, seed[key], part, f'{place}[{key!r}]')
    elif isinstance(standard, (list, tuple)):
        sizes = getattr(seed, 'shape', None) or ()
        size = len(seed) if isinstance(seed, (list, tuple)) else sizes[0] if sizes else None
        if size != len(standard):
            raise ShapeError(
                f'{name}: the adjoint{at} of {len(standard)} results is a tuple of as many, '
                f'not {_seed_described(seed)}'
            )
        for k, part in enumerate(standard):
            check_seed_parts(name, seed[k], part, f'{place}[{k}]')


def _seed_described(seed: Any) -> str:
    """What was given in place of a seed."""
    if isinstance(seed, dict):
        return f'one with {", ".join(map(repr, seed)) or "none"}'
    if isinstance(seed, (list, tuple)):
        return f'a {type(seed).__name__} of {len(seed)}'
    return f'a {type(seed).__name__}'


def raise_tangent_error(name: str, parameter: str, value: Any) -> None:
    """For the tangent of a number that is no number."""
    shape = getattr(value, 'shape', None)
    what = f'an array of shape {shape}' if shape is not None else repr(type(value).__name__)
    raise ShapeError(f'{name}: `{parameter}` is the tangent of a number, and {what}')


def format_error_with_context(error: BaseException, func: Any, node: Any = None) -> TangentError:
    """Any exception as a TangentError that says which function was differentiated."""
    if isinstance(error, TangentError):
        return error
    name = getattr(func, '__name__', repr(func))
    return TangentError(
        f'{type(error).__name__} while differentiating {name!r}: {error}',
        func=func,
        node=node,
        original_error=error,
    )


def enhance_traceback(
    exc_info: BaseException | tuple[Any, Any, Any],
) -> BaseException:
    """An exception as a TangentError that shows the innermost line outside of this package.

    Parameters
    ----------
    exc_info
        The exception, or what `sys.exc_info()` gives.

    Returns
    -------
    BaseException
        The exception itself if it is one of ours, else a TangentError with the exception as
        `original_error` and with its traceback.

    Examples
    --------
    >>> try:
    ...     1.0 / 0.0
    ... except ZeroDivisionError as error:
    ...     print(type(enhance_traceback(error).original_error).__name__)
    ZeroDivisionError
    """
    error = exc_info if isinstance(exc_info, BaseException) else exc_info[1]
    if not isinstance(error, BaseException):
        raise TypeError('enhance_traceback takes an exception, or what sys.exc_info() gives')
    if isinstance(error, _Located):
        return error
    import linecache  # only where something went wrong
    from traceback import walk_tb

    made = TangentError(f'{type(error).__name__}: {error}', original_error=error)
    here = os.path.dirname(__file__)
    for frame, line in walk_tb(error.__traceback__):
        filename = frame.f_code.co_filename
        if filename.startswith(here + os.sep):
            continue
        text = linecache.getline(filename, line, frame.f_globals).rstrip('\n') or None
        start = len(text) - len(text.lstrip()) if text else 0
        made.places = ((filename, line, start, line, len(text or ''), text),)
        made.filename, made.lineno, made.source_line = filename, line, text
    return made.with_traceback(error.__traceback__)
