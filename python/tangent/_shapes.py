"""`tangent.check_shapes`: a function run on shapes alone.

In: a function and arguments of which only the shapes count. Out: what the function gives, as
abstract arrays, or a ShapeError at the user's line.
"""

from __future__ import annotations

import linecache
import os
import traceback
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any

import numpy as np

from tangent._shape_rules import STAND_INS, with_arrays
from tangent._shaped_array import ShapedArray
from tangent.errors import ShapeError, TangentError


def check_shapes(func: Callable[..., Any], *inputs: Any) -> Any:
    """Runs a function on shapes alone.

    Parameters
    ----------
    func
        A function of NumPy arrays, or a gradient.
    inputs
        Its arguments. Arrays, lists of numbers and `ShapedArray` count by their shapes, in dicts,
        lists and tuples as well; numbers and everything else are passed as they are.

    Returns
    -------
    object
        What the function returns, with `ShapedArray` in place of arrays.

    Notes
    -----
    Where an abstract value has to become a number, it counts as 1: stored into an element of an
    array that the function makes (`np.zeros(n)`), or given to `math`. A test of such a number
    chooses one path; a test of an abstract value is refused.

    Raises
    ------
    ShapeError
        If shapes do not fit. Its text ends with `at file:line: source`.
    TangentError
        If what the function does depends on values of arrays.

    Examples
    --------
    >>> def predict(w, x):
    ...     return np.tanh(x @ w)
    >>> tangent.check_shapes(predict, tangent.ShapedArray((3, 4)), tangent.ShapedArray((10, 3)))
    ShapedArray(shape=(10, 4), dtype=float64)
    """
    abstract = [_abstracted(each) for each in inputs]
    runs = _function_of(func, abstract)
    try:
        return runs(*abstract)
    except (ShapeError, TangentError) as error:
        place = _users_place(error.__traceback__, func)
        if place is None:
            raise
        filename, line, text = place
        summary = f'{error.summary} at {filename}:{line}: {text}'
        if isinstance(error, ShapeError):
            located: ShapeError | TangentError = ShapeError(summary)
        else:
            located = TangentError(summary, suggestion=error.remedy)
        located.filename, located.lineno, located.source_line = filename, line, text
        raise located from None


def _abstracted(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return ShapedArray(value.shape, value.dtype)
    if isinstance(value, list) and value and all(_is_row(each) for each in value):
        return _abstracted(np.array(value, dtype=float))
    if isinstance(value, (list, tuple)):
        items = [_abstracted(each) for each in value]
        return type(value)(*items) if hasattr(value, '_fields') else type(value)(items)
    if isinstance(value, dict):
        return {key: _abstracted(each) for key, each in value.items()}
    return value


def _is_row(value: Any) -> bool:
    if isinstance(value, list):
        return bool(value) and all(_is_row(each) for each in value)
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _function_of(func: Any, inputs: Sequence[Any]) -> Callable[..., Any]:
    """The function that runs: of a gradient, the one that it has for arrays of these shapes."""
    variant = getattr(func, 'variant', None)
    if variant is None:
        return func  # type: ignore[no-any-return]
    found = variant(*_memory(with_arrays(list(inputs), STAND_INS[0])))
    return found  # type: ignore[no-any-return]


def _memory(value: Any) -> Any:
    """Arrays of their own: a gradient looks at their memory."""
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, (list, tuple)):
        items = [_memory(each) for each in value]
        return type(value)(*items) if hasattr(value, '_fields') else type(value)(items)
    if isinstance(value, dict):
        return {key: _memory(each) for key, each in value.items()}
    return value


def _users_place(trace: TracebackType | None, func: Any) -> tuple[str, int, str] | None:
    """File, line and text of the innermost line that is neither NumPy's nor ours."""
    here = os.path.dirname(__file__)
    library = os.path.dirname(np.__file__)
    place = None
    for frame, line in traceback.walk_tb(trace):
        filename = frame.f_code.co_filename
        if not filename.startswith((here + os.sep, library + os.sep)):
            place = filename, line
    if place is None:
        return None
    if place[0].startswith('<tangent '):
        place = _through_map(func, *place)
    return *place, linecache.getline(*place).strip()


def _through_map(func: Any, filename: str, line: int) -> tuple[str, int]:
    """The user's line behind a line of a gradient's text."""
    from tangent._source_map import source_map

    try:
        entry = source_map(func)[line - 1]
    except (ValueError, IndexError):
        return filename, line
    if entry['file'] is None:
        return filename, line
    return entry['file'], entry['primal_line']
