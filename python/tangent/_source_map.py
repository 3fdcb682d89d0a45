"""Which lines of the user's text each line of a gradient comes from.

In: a gradient. Out: an entry per emitted line. The places are data: every statement of the adjoint
carries the ranges of what it differentiates, and the printer keeps them by line.
"""

from __future__ import annotations

import linecache
from collections.abc import Callable
from typing import Any

from tangent import _core
from tangent._core import Gradient
from tangent._higher import HigherOrder
from tangent.errors import Place

# File, line, column, end line, end column: lines from 1, columns in characters from 0.
Range = tuple[str, int, int, int, int]


def source_map(df: Any, func: Callable[..., Any] | None = None) -> list[dict[str, Any]]:
    """The user's lines behind every line of a gradient's text.

    Parameters
    ----------
    df
        What `grad`, `value_and_grad`, `vjp`, `jvp` or `autodiff` gave. Its text is that of the last
        call, as in `df.__tangent_source__`; `df.source(*args)` chooses another one.
    func
        The function that `df` is the gradient of. May be left out.

    Returns
    -------
    list of dict
        One entry per line of the text, with the keys

        - `line`: the number of the line, from 1; `code`: its text;
        - `primal`: the text in the user's file that it comes from; `primal_line` and `file`: where
          that stands. None for an empty line;
        - `ranges`: all places that it comes from, as (file, line, column, end line, end column).
          Several where one line differentiates several statements, and where a statement of a
          function that is called has the call as its second place.

    Raises
    ------
    ValueError
        If `df` carries no text: it is no gradient, its text depends on arguments that it has not
        been called with yet, or `func` is not what it differentiates.

    Examples
    --------
    >>> def f(x):
    ...     y = x * x
    ...     return 3.0 * y
    >>> [entry['primal'] for entry in tangent.source_map(tangent.grad(f))]
    ['def f(x', 'return 3.0 * y', 'y = x * x', 'x']
    """
    gradient = _gradient_of(df)
    if func is not None and not _differentiates(gradient, func):
        raise ValueError(f'{_name(df)} is no gradient of {_name(func)}')
    shown = _places(gradient)
    if shown is None:
        raise ValueError(
            f'the text of {_name(df)} depends on its arguments: call it first, or '
            f'{_name(df)}.source(*args)'
        )
    text = gradient.__tangent_source__.splitlines()
    return [
        _entry(number, code, places)
        for number, (code, places) in enumerate(zip(text, shown[1], strict=True), start=1)
    ]


def _gradient_of(df: Any) -> Gradient | HigherOrder:
    """The gradient itself, or the one that a wrapper wraps."""
    thing = df
    for _ in range(10):
        if isinstance(thing, (Gradient, HigherOrder)):
            return thing
        thing = getattr(thing, '__wrapped__', None)
    raise ValueError(f'{_name(df)} carries no generated source: pass what tangent.grad gave')


def _name(thing: Any) -> str:
    return getattr(thing, '__name__', None) or repr(thing)


def _differentiates(gradient: Gradient | HigherOrder, func: Any) -> bool:
    thing: Any = gradient
    while isinstance(thing, (Gradient, HigherOrder)):
        thing = thing.__tangent_primal__
        if thing == func:
            return True
    return False


def _places(gradient: Gradient | HigherOrder) -> tuple[str, list[list[Place]]] | None:
    """The file name of a gradient's text, and the places of each line."""
    if isinstance(gradient, Gradient):
        return _core.gradient_lines(gradient)
    if gradient._last is None:
        return None
    outer = _core.gradient_lines(gradient._last)
    inner = _places(gradient._inner)
    if outer is None or inner is None:
        return outer
    # What was differentiated is the text of a gradient: on to the user's own.
    filename, lines = inner
    through: list[list[Place]] = []
    for places in outer[1]:
        reached: dict[Place, None] = {}
        for place in places:
            if place[0] == filename:
                for inner_places in lines[place[1] - 1 : place[3]]:
                    reached |= dict.fromkeys(inner_places)
            else:
                reached[place] = None
        through.append(list(reached))
    return outer[0], through


def _entry(number: int, code: str, places: list[Place]) -> dict[str, Any]:
    first = places[0] if places else None
    return {
        'line': number,
        'code': code,
        'primal': text_of(first) if first is not None else None,
        'primal_line': first[1] if first is not None else None,
        'file': first[0] if first is not None else None,
        'ranges': [place[:5] for place in places],
    }


def text_of(place: Place) -> str:
    """What stands at a place of the user's text."""
    filename, line, column, end_line, end_column, text = place
    if end_line == line:
        return (text or '')[column:end_column]
    lines = linecache.getlines(filename)[line - 1 : end_line]
    if len(lines) != end_line - line + 1:
        return (text or '')[column:]
    lines[-1] = lines[-1][:end_column]
    lines[0] = lines[0][column:]
    return ''.join(lines)
