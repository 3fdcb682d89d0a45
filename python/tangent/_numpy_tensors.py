"""What NumPy's vocabulary says of tensors of any library: their shapes."""

from __future__ import annotations

import math
from typing import Any

import numpy


def shape(a: Any) -> tuple[int, ...]:
    """np.shape."""
    own = getattr(a, 'shape', None)
    return numpy.shape(a) if own is None else tuple(own)


def ndim(a: Any) -> int:
    """np.ndim."""
    return len(shape(a))


def size(a: Any, axis: int | None = None) -> int:
    """np.size."""
    return math.prod(shape(a)) if axis is None else shape(a)[axis]
