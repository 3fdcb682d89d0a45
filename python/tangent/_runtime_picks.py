"""Run-time helpers: functions that pick elements, by the places that they pick."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._runtime_base import Numeric, _floating


def _places(a: Numeric) -> Any:
    """The place of each element of `a`, counted through all of it."""
    return np.arange(np.size(a)).reshape(np.shape(a))


def _unpick(b: Numeric, a: Numeric, places: Any) -> Numeric:
    """The adjoint of `a` where its elements at the places were picked; one behind the last is none
    of them."""
    result = np.zeros(np.size(a) + 1, _floating(b).dtype)
    np.add.at(result, places, b)
    return result[:-1].reshape(np.shape(a))


def _pick(a: Numeric, places: Any) -> Numeric:
    """The elements of `a` at the places, 0 at one behind the last."""
    flat = np.ravel(_floating(a))
    return np.append(flat, np.zeros(1, flat.dtype))[places]


def _unique_places(a: Numeric) -> Any:
    """Where the elements of np.unique(a) stand first."""
    return np.unique(a, return_index=True)[1]
