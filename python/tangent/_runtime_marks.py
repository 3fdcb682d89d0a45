"""Run-time helpers that mark a place of a function and compute nothing."""

from __future__ import annotations

from typing import TypeVar

T = TypeVar('T')


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
