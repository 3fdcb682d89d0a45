"""Activation functions over numbers and arrays, written with NumPy.

They are plain functions: the engine reads them where they are called, so they have derivatives of
every order in both modes. At a kink the slope is the one of the left side.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def numpy_relu(x: Any) -> Any:
    """x where it is positive, else 0; of any shape. The slope at 0 is 0."""
    return np.where(x > 0, x, 0.0)


def numpy_sigmoid(x: Any) -> Any:
    """1 / (1 + exp(-x)), written as (1 + tanh(x / 2)) / 2 so that it never overflows."""
    return 0.5 * (1.0 + np.tanh(0.5 * x))


def numpy_tanh(x: Any) -> Any:
    """The hyperbolic tangent of x, of any shape."""
    return np.tanh(x)


def numpy_leaky_relu(x: Any, alpha: Any = 0.01) -> Any:
    """x where it is positive, else alpha * x; of any shape. The slope at 0 is alpha."""
    return np.where(x > 0, x, alpha * x)


def numpy_elu(x: Any, alpha: Any = 1.0) -> Any:
    """x where it is positive, else alpha * (exp(x) - 1); of any shape. The slope at 0 is alpha."""
    return np.where(x > 0, x, alpha * np.expm1(np.where(x > 0, 0.0, x)))


def numpy_softplus(x: Any) -> Any:
    """log(1 + exp(x)), by np.logaddexp(x, 0), which never overflows; of any shape."""
    return np.logaddexp(x, 0.0)
