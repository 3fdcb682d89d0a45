"""Run-time helpers that mark a place or check a value, and compute nothing."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

from .errors import TangentValueError

T = TypeVar('T')


def _parts(values: Any, count: int) -> tuple[Any, ...]:
    """What a backward function of the user's returned: one adjoint per parameter, None for 0.

    Arrays are copied: they may be what the function was given.

    The engine reads it as its first argument (src/lower/calls.cpp).
    """
    if not isinstance(values, (tuple, list)) or len(values) != count:
        what = f'{len(values)} values' if isinstance(values, (tuple, list)) else 'one value'
        raise TangentValueError(
            f'a backward function returned {what} for {count} parameters: it returns a tuple with '
            'one adjoint for each, None where there is none'
        )
    return tuple(
        0.0 if each is None else each.copy() if isinstance(each, np.ndarray) else each
        for each in values
    )


def stop_gradient(x: T) -> T:
    """The value itself, through which no derivative flows, in both modes.

    Parameters
    ----------
    x
        A number, an array, or a container of them.

    Returns
    -------
    The same object.

    Examples
    --------
    >>> def f(x):
    ...     return x * tangent.stop_gradient(x)
    >>> tangent.grad(f)(3.0)
    3.0
    """
    return x
