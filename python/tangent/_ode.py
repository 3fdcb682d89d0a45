"""Initial value problems by Runge-Kutta steps, and the gradient of their solutions.

`odeint` is a plain function: the engine reads it where it is called, with `func` written out, so
its gradient is that of the numerical solution itself, of any order and in both modes. `odeint_grad`
gives the same gradient for what has been solved already.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def odeint(
    func: Callable[..., Any],
    y0: Any,
    ts: Any,
    args: tuple[Any, ...] = (),
    num_steps: int = 10,
) -> Any:
    """The solution of dy/dt = func(y, t, *args), y(ts[0]) = y0, at the times `ts`.

    Parameters
    ----------
    func
        The right-hand side. It returns a value of the shape of `y0`.
    y0 : float or array
        The state at `ts[0]`.
    ts : array of shape (n,)
        The times, rising or falling. Nothing is differentiated with respect to them.
    args : tuple
        Further arguments of `func`: numbers or arrays.
    num_steps : int
        How many steps lead from one time to the next.

    Returns
    -------
    array of shape (n, *y0.shape)
        The states, the first of them `y0`.

    Notes
    -----
    Each step is the classical Runge-Kutta method of fourth order (Kutta 1901; Hairer, Nørsett and
    Wanner, Solving Ordinary Differential Equations I, II.1). The gradient for `y0` and `args` is
    exactly that of this computation, not an approximation by the continuous adjoint equation.

    Examples
    --------
    >>> def decay(y, t, rate):
    ...     return -rate * y
    >>> ys = tangent.odeint(decay, 1.0, np.array([0.0, 1.0]), (2.0,))
    >>> bool(abs(ys[1] - np.exp(-2.0)) < 1e-5)
    True
    """
    y = y0
    ys = [y0]
    for i in range(len(ts) - 1):
        t = ts[i]
        h = (ts[i + 1] - ts[i]) / num_steps
        for _ in range(num_steps):
            k1 = func(y, t, *args)
            k2 = func(y + 0.5 * h * k1, t + 0.5 * h, *args)
            k3 = func(y + 0.5 * h * k2, t + 0.5 * h, *args)
            k4 = func(y + h * k3, t + h, *args)
            y = y + h * (k1 + 2.0 * k2 + 2.0 * k3 + k4) / 6.0
            t = t + h
        ys.append(y)
    return np.array(ys)


def odeint_grad(
    dys: Any,
    func: Callable[..., Any],
    ys: Any,
    y0: Any,
    ts: Any,
    args: tuple[Any, ...],
    num_steps: int = 10,
) -> tuple[Any, tuple[Any, ...]]:
    """The gradient of what `odeint` gave, for an adjoint of each state.

    Parameters
    ----------
    dys : array of shape (n, *y0.shape)
        The adjoint of each state.
    func, y0, ts, args, num_steps
        What `odeint` was called with.
    ys : array of shape (n, *y0.shape)
        What it returned.

    Returns
    -------
    grad_y0 : float or array of the shape of y0
    grad_args : tuple
        One gradient for each of `args`.

    Notes
    -----
    The steps between two times are taken again from the state at the first of them, and their
    vector-Jacobian products (`tangent.vjp` of `func`) are taken backwards: exact for the numerical
    solution, with the memory of one interval.
    """
    from tangent import vjp

    pull = vjp(func, (0, *range(2, 2 + len(args))))
    adjoint = np.zeros(np.shape(y0))
    grads: list[Any] = [0.0 * np.asarray(each, dtype=float) for each in args]

    def pulled(seed: Any, y: Any, t: Any) -> Any:
        pulled_back = pull(y, t, *args, seed)
        by, *bargs = pulled_back if args else (pulled_back,)
        for k, each in enumerate(bargs):
            grads[k] = grads[k] + each
        return by

    for i in reversed(range(len(ts) - 1)):
        adjoint = adjoint + dys[i + 1]
        h = (ts[i + 1] - ts[i]) / num_steps
        stages = []
        y, t = ys[i], ts[i]
        for _ in range(num_steps):
            k1 = func(y, t, *args)
            k2 = func(y + 0.5 * h * k1, t + 0.5 * h, *args)
            k3 = func(y + 0.5 * h * k2, t + 0.5 * h, *args)
            k4 = func(y + h * k3, t + h, *args)
            stages.append((y, t, k1, k2, k3))
            y = y + h * (k1 + 2.0 * k2 + 2.0 * k3 + k4) / 6.0
            t = t + h
        for y, t, k1, k2, k3 in reversed(stages):
            sixth = h * adjoint / 6.0
            by4 = pulled(_like(y, sixth), y + h * k3, t + h)
            by3 = pulled(_like(y, 2.0 * sixth + h * by4), y + 0.5 * h * k2, t + 0.5 * h)
            by2 = pulled(_like(y, 2.0 * sixth + 0.5 * h * by3), y + 0.5 * h * k1, t + 0.5 * h)
            by1 = pulled(_like(y, sixth + 0.5 * h * by2), y, t)
            adjoint = adjoint + by1 + by2 + by3 + by4
    adjoint = adjoint + dys[0]
    return _like(y0, adjoint), tuple(
        _like(each, grad) for each, grad in zip(args, grads, strict=True)
    )


def _like(value: Any, adjoint: Any) -> Any:
    """An adjoint of the value's own kind: a number for a number."""
    return float(adjoint) if np.ndim(value) == 0 and not isinstance(value, np.ndarray) else adjoint
