"""The predecessor's tracing of TensorFlow functions, which this package does not have."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any, NoReturn, TypeVar

F = TypeVar('F', bound=Callable[..., Any])


def trace(fn: F) -> F:
    """Marks a function for tracing by TensorFlow: `fn.should_trace = True`.

    Raises
    ------
    ModuleNotFoundError
        TensorFlow is not installed.
    """
    if find_spec('tensorflow') is None:
        _refuse('trace')
    marked: Any = fn
    marked.should_trace = True
    return fn


def trace_grad(fn: Callable[..., Any], args: Any) -> Any:
    """The result of `fn(*args)` and a function that gives its gradients, by TensorFlow.

    Raises
    ------
    ModuleNotFoundError
        TensorFlow is not installed.
    """
    if find_spec('tensorflow') is None:
        _refuse('trace_grad')
    from importlib import import_module

    tensorflow = import_module('tensorflow')
    with tensorflow.GradientTape(persistent=True) as tape:
        for each in args:
            tape.watch(each)
        result = fn(*args)

    def vjp(init_grad: Any) -> Any:
        return tape.gradient(result, args, output_gradients=init_grad)

    return result, vjp


def _refuse(name: str) -> NoReturn:
    raise ModuleNotFoundError(
        f'tangent.{name} needs TensorFlow, which is not installed: use tangent.grad for functions '
        'of NumPy'
    )
