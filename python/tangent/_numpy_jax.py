"""NumPy's vocabulary for arrays of JAX: `jax.numpy`, and what Tangent's helpers need beside it.

Emitted texts call it `tnp`, where `jax.numpy` means something else by the same words; the run-time
helpers (`tangent._libraries`) see it as their `np`. What is not here is `jax.numpy`'s, or SciPy's
in `jax.scipy`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import jax
import jax.numpy as jnp
import numpy

Array = Any

# For isinstance: what is an array here, and what a number.
ndarray = (jax.Array, numpy.ndarray)
number = numpy.number
bool_ = numpy.bool_


def __getattr__(name: str) -> Any:
    if hasattr(jnp, name):
        return getattr(jnp, name)
    import jax.scipy.linalg
    import jax.scipy.special

    if hasattr(jax.scipy.special, name):
        globals()[name] = twin = _twin(name, getattr(jax.scipy.special, name))
        return twin
    if hasattr(jax.scipy.linalg, name):
        return getattr(jax.scipy.linalg, name)
    raise AttributeError(f'JAX has no twin of np.{name}')


def _twin(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of `jax.scipy.special` as one of this module: so the rules know it."""

    def twin(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    twin.__name__ = twin.__qualname__ = name
    return twin


@contextmanager
def errstate(**_: str) -> Iterator[None]:
    """Arithmetic of JAX never warns."""
    yield


def _dtype_of(like: Array, dtype: Any) -> Any:
    """`float` stands for the floating dtype of `like`, or the standard one."""
    if dtype is not float:
        return dtype
    own = jnp.result_type(like)
    return own if jnp.issubdtype(own, jnp.inexact) else jnp.result_type(float)


def zeros_like(a: Array, dtype: Any = None) -> Array:
    """np.zeros_like; `dtype=float` keeps a floating dtype as it is."""
    return jnp.zeros_like(a, dtype=_dtype_of(a, dtype))


def full_like(a: Array, fill_value: Array, dtype: Any = None) -> Array:
    """np.full_like; `dtype=float` keeps a floating dtype as it is."""
    return jnp.full_like(a, fill_value, dtype=_dtype_of(a, dtype))


def array(object: Any, dtype: Any = None) -> Array:
    """np.array."""
    return jnp.array(object, dtype=_dtype_of(object, dtype) if dtype is float else dtype)


def cumsum(a: Any, axis: int | None = None) -> Array:
    """np.cumsum; of lengths as an array of NumPy."""
    return numpy.cumsum(a) if isinstance(a, list) else jnp.cumsum(a, axis)


def argsort(a: Any, axis: int | None = -1) -> Any:
    """np.argsort; of a permutation as a tuple."""
    if isinstance(a, (tuple, list)):
        return tuple(sorted(range(len(a)), key=a.__getitem__))
    return jnp.argsort(a, axis=axis)


def negative(x: Any) -> Any:
    """np.negative; of shifts and the like part by part."""
    return tuple(-part for part in x) if isinstance(x, tuple) else -x


def set_at(a: Any, index: Any, value: Any) -> Any:
    """`a` with `value` at the index: a new array, or the same list."""
    if isinstance(a, list):
        a[index] = value
        return a
    return jnp.asarray(a).at[index].set(value)


def add_at(a: Any, index: Any, value: Any) -> Any:
    """`a` with `value` added at the index, as often as that names an element."""
    if isinstance(a, list):
        a[index] += value
        return a
    return jnp.asarray(a).at[index].add(value)
