"""Run-time helpers, and the registries that teach them types of yours.

What is registered here is used by the helpers of this module (`init_grad`, `add_grad`,
`unbroadcast`, …). Gradients of this engine are text for the types of their arguments and do not
call these helpers: an argument of a type that the engine does not know is refused all the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tangent._helpers import *  # noqa: F403
from tangent._helpers import REGISTRIES
from tangent._helpers import __all__ as _helper_names

__all__ = [
    *_helper_names,
    'register_add_grad',
    'register_all_add_grad',
    'register_all_shape_checker',
    'register_init_grad',
    'register_matmul_grad',
    'register_method_resolver',
    'register_shape_checker',
    'register_shape_function',
    'register_unbroadcast',
    'register_unreduce',
]


def _add(registry: str, key: Any, function: Callable[..., Any]) -> None:
    types = key if isinstance(key, tuple) else (key,)
    if not all(isinstance(each, type) for each in types):
        raise TypeError(f'register_{registry}: {key!r} is no type')
    if not callable(function):
        raise TypeError(f'register_{registry}: {function!r} is no function')
    REGISTRIES[registry][key] = function


def register_unbroadcast(t: type, unbroadcast_function: Callable[..., Any]) -> None:
    """`unbroadcast(array, like)` of arrays of a type."""
    _add('unbroadcast', t, unbroadcast_function)


def register_shape_function(t: type, shape_function: Callable[..., Any]) -> None:
    """`get_shape(x)` of values of a type."""
    _add('shape_function', t, shape_function)


def register_unreduce(t: type, unreduce_function: Callable[..., Any]) -> None:
    """`unreduce(array, shape, axis, keepdims)` of arrays of a type."""
    _add('unreduce', t, unreduce_function)


def register_method_resolver(t: type, resolver: Callable[..., Any]) -> None:
    """What resolves methods of a type. It is kept; nothing here calls methods by name."""
    _add('method_resolver', t, resolver)


def register_init_grad(t: type, init_grad_function: Callable[..., Any]) -> None:
    """`init_grad(obj)` of values of a type."""
    _add('init_grad', t, init_grad_function)


def register_add_grad(left: type, right: type, add_grad_function: Callable[..., Any]) -> None:
    """`add_grad(a, b)` of values of these two types, in this order."""
    _add('add_grad', (left, right), add_grad_function)


def register_all_add_grad(
    add_grad_function: Callable[..., Any],
    arg_types: Any,
    exclude: Any = (),
    ignore_existing: bool = False,
) -> None:
    """`add_grad` of every pair of these types but those of `exclude`."""
    _all_pairs('add_grad', add_grad_function, arg_types, exclude, ignore_existing)


def register_matmul_grad(t: type, matmul_grad_function: Callable[..., Any]) -> None:
    """Both adjoints of a matrix product, `(dx, dy)` from `(dz, x, y)`, for `x` of a type."""
    _add('matmul_grad', t, matmul_grad_function)


def register_shape_checker(left: type, right: type, checker: Callable[..., Any]) -> None:
    """`shapes_match(a, b)` of values of these two types, in this order."""
    _add('shape_checker', (left, right), checker)


def register_all_shape_checker(
    checker: Callable[..., Any], arg_types: Any, exclude: Any = (), ignore_existing: bool = False
) -> None:
    """`shapes_match` of every pair of these types but those of `exclude`."""
    _all_pairs('shape_checker', checker, arg_types, exclude, ignore_existing)


def _all_pairs(
    registry: str, function: Callable[..., Any], types: Any, exclude: Any, ignore_existing: bool
) -> None:
    left_out = {pair if isinstance(pair, tuple) else (pair, pair) for pair in exclude}
    for left in types:
        for right in types:
            if (left, right) in left_out:
                continue
            if (left, right) in REGISTRIES[registry] and not ignore_existing:
                raise ValueError(
                    f'{left.__name__} and {right.__name__} have a function for {registry} already'
                )
            _add(registry, (left, right), function)
