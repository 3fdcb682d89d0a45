"""`compile='jax'`, `'torch'`, `'tinygrad'`: the emitted gradient handed to a compiler.

A gradient is differentiated once, whatever compiles it: what is handed over is the plain gradient's
own function (torch, tinygrad), or the same one in the words of `jax.numpy` (JAX). The library is
imported when it is first named. Compiled functions are kept per signature of a call.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, cast

from tangent._compile_captured import PLAIN, Captured, Same
from tangent.errors import from_diagnostic

if TYPE_CHECKING:
    from tangent._core import Gradient

CHOICES = ('python', 'jax', 'torch', 'tinygrad')
# The oldest versions that are known to do.
_OLDEST = {'jax': (0, 4, 36), 'torch': (2, 1, 0), 'tinygrad': (0, 10, 0)}


def import_backend(name: str) -> ModuleType:
    """The module of a backend; an ImportError says how to install it."""
    remedy = f"install it: pip install 'tangent-native[{name}]'"
    try:
        module = import_module(name)
    except ModuleNotFoundError as error:
        raise ImportError(
            f'compile={name!r} needs the package {name}, which is not installed; {remedy}',
            name=name,
        ) from error
    except Exception as error:
        raise ImportError(
            f'compile={name!r} needs the package {name}, which is installed and cannot be imported '
            f'({type(error).__name__}: {error}); {remedy}',
            name=name,
        ) from error
    version = _version_of(name, module)
    if version < _OLDEST[name]:
        oldest = '.'.join(map(str, _OLDEST[name]))
        raise ImportError(
            f'compile={name!r} needs {name} {oldest} or later, not '
            f'{".".join(map(str, version))}; {remedy}',
            name=name,
        )
    return module


# Whose arrays these are, by the first part of their class's module.
_LIBRARIES = {'jax': 'JAX', 'jaxlib': 'JAX', 'torch': 'torch', 'tinygrad': 'tinygrad'}


def refuse_foreign(value: Any, backend: str, name: str) -> None:
    """Refuses an array of another library than the one that compiles."""
    package = type(value).__module__.partition('.')[0]
    library = _LIBRARIES.get(package)
    if library is None or not hasattr(value, 'shape') or library.lower() == backend:
        return
    raise from_diagnostic(
        'MixedLibraries',
        'TypeMismatchError',
        f'{name}: compile={backend!r} is given an array of {library}',
        f'pass arrays of {backend}, or use compile={library.lower()!r}',
    )


def _version_of(name: str, module: ModuleType) -> tuple[int, ...]:
    text = getattr(module, '__version__', None)
    if not isinstance(text, str):
        from importlib.metadata import PackageNotFoundError, version

        try:
            text = version(name)
        except PackageNotFoundError:
            return _OLDEST[name]
    numbers = re.findall(r'\d+', text)[:3]
    return tuple(map(int, numbers)) if numbers else _OLDEST[name]


def compiled(gradient: Gradient, backend: str) -> Gradient:
    """The gradient, compiled by a backend, which is imported now.

    Parameters
    ----------
    gradient
        What `tangent.grad` gives without `compile`, of any order.
    backend
        'jax', 'torch' or 'tinygrad'.

    Returns
    -------
    Gradient
        A `Compiled` that is called as the gradient is.
    """
    import_backend(backend)
    if backend == 'jax':
        from tangent._compile_jax import Jax

        return cast('Gradient', Jax(gradient))
    kind = {'torch': _Torch, 'tinygrad': _Tinygrad}[backend]
    return cast('Gradient', kind(gradient))


class Compiled:
    """A gradient that a backend has compiled: called and looked at like the gradient itself.

    Notes
    -----
    `__wrapped__` is the plain gradient; `__tangent_source__` is its text, of what a call without
    compilation runs.
    """

    backend = ''

    def __init__(self, gradient: Gradient) -> None:
        self.__wrapped__ = gradient
        self._compiled: dict[Any, Callable[..., Any]] = {}
        self._lock = threading.Lock()
        for name in ('__name__', '__qualname__', '__doc__', '__module__', '__annotations__'):
            setattr(self, name, getattr(gradient, name, None))

    def __getattr__(self, name: str) -> Any:
        if name.startswith('__') and not name.startswith('__tangent') and name != '__signature__':
            raise AttributeError(name)
        return getattr(self.__wrapped__, name)

    def __repr__(self) -> str:
        return f'<{self.__wrapped__!r} compiled by {self.backend}>'

    def __reduce__(self) -> tuple[Any, ...]:
        return compiled, (self.__wrapped__, self.backend)

    def _kept(self, key: Any, make: Callable[[], Callable[..., Any]]) -> Callable[..., Any]:
        """What is compiled for a signature, made once."""
        found = self._compiled.get(key)
        if found is None:
            with self._lock:
                found = self._compiled.get(key)
                if found is None:
                    found = self._compiled[key] = make()
        return found


# ------------------------------------------------------------------------------------------------
# torch


class _Torch(Compiled):
    """A gradient under torch.compile, which runs by itself what it cannot compile.

    NumPy's arrays come in and go out as such, in their own dtype.
    """

    backend = 'torch'

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        for value in (*args, *kwargs.values()):
            refuse_foreign(value, 'torch', self.__name__)
        # The guard of the gradient finds the function for these arguments.
        function = self.__wrapped__.variant(*args, **kwargs)
        compiled_function = self._compiled.get(function)
        if compiled_function is None:
            compiled_function = self._kept(function, lambda: _torch_compile(function))
        if 'init_grad' in kwargs:
            kwargs[self._seed()] = kwargs.pop('init_grad')
        return compiled_function(*args, **kwargs)

    def _seed(self) -> str:
        """The parameter of the adjoint of the result."""
        import inspect

        parameters = inspect.signature(self.__wrapped__).parameters.values()
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        return [each.name for each in parameters if each.kind is kind][-1]


def _torch_compile(function: Callable[..., Any]) -> Callable[..., Any]:
    import torch

    return torch.compile(function)


# ------------------------------------------------------------------------------------------------
# tinygrad


class _Tinygrad(Compiled):
    """A gradient under TinyJit: the third call with tensors of these shapes runs its kernels alone.

    Numbers and all else that is no tensor is part of the signature: TinyJit keeps what it saw.
    """

    backend = 'tinygrad'

    def __init__(self, gradient: Gradient) -> None:
        super().__init__(gradient)
        self._captured = Captured(gradient)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        tinygrad: Any = import_module('tinygrad')
        Tensor = tinygrad.Tensor
        tensors: list[Any] = []
        frozen = (_frozen(args, tensors, Tensor), _frozen(kwargs, tensors, Tensor))
        key = (frozen, self._captured())
        for value in (*args, *kwargs.values()):
            refuse_foreign(value, 'tinygrad', self.__name__)
        if not tensors:
            raise from_diagnostic(
                'NotInLibrary',
                'ReverseNotImplementedError',
                f'{self.__name__}: compile=\'tinygrad\' is given no tensor of tinygrad',
                'pass tinygrad.Tensor, or leave compile out',
            )
        function = self._kept(key, lambda: tinygrad.TinyJit(self._calls(args, kwargs, Tensor)))
        # TinyJit takes no tensor twice, and gives the same buffers at every call.
        given: list[Any] = []
        for tensor in tensors:
            again = any(tensor is other for other in given)
            given.append((tensor.clone() if again else tensor).realize())
        return _mapped(function(*given), Tensor, lambda tensor: tensor.clone().realize())

    def _calls(self, args: Any, kwargs: Any, tensor_type: type) -> Callable[..., Any]:
        gradient = self.__wrapped__

        def call(*tensors: Any) -> Any:
            given = iter(tensors)
            positional = _thawed(args, given, tensor_type)
            named = _thawed(kwargs, given, tensor_type)
            made = gradient(*positional, **named)
            return _mapped(made, tensor_type, lambda tensor: tensor.realize())

        return call


def _frozen(value: Any, tensors: list[Any], tensor_type: type) -> Any:
    """A value as a key, its tensors apart."""
    if isinstance(value, tensor_type):
        tensors.append(value)
        return ('tensor', cast(Any, value).shape, cast(Any, value).dtype)
    if isinstance(value, (list, tuple)):
        return (type(value), *(_frozen(part, tensors, tensor_type) for part in value))
    if isinstance(value, dict):
        return ('dict', *((k, _frozen(v, tensors, tensor_type)) for k, v in value.items()))
    return (type(value), value) if isinstance(value, PLAIN) else Same(value)


def _thawed(value: Any, tensors: Any, tensor_type: type) -> Any:
    if isinstance(value, tensor_type):
        return next(tensors)
    if isinstance(value, (list, tuple)):
        return type(value)(_thawed(part, tensors, tensor_type) for part in value)
    if isinstance(value, dict):
        return {key: _thawed(part, tensors, tensor_type) for key, part in value.items()}
    return value


def _mapped(value: Any, tensor_type: type, change: Callable[[Any], Any]) -> Any:
    """A value with each of its tensors changed."""
    if isinstance(value, tensor_type):
        return change(value)
    if isinstance(value, (list, tuple)):
        return type(value)(_mapped(part, tensor_type, change) for part in value)
    if isinstance(value, dict):
        return {key: _mapped(part, tensor_type, change) for key, part in value.items()}
    return value
