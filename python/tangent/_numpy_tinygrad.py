"""NumPy's vocabulary for tensors of tinygrad.

Emitted texts call it `tnp`, where a tensor has no method of that name with these arguments; the
run-time helpers (`tangent._libraries`) see it as their `np`. Python's numbers stay what they are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import numpy

from tangent._numpy_tensors import ndim as ndim
from tangent._numpy_tensors import shape as shape
from tangent._numpy_tensors import size as size

_tinygrad: Any = import_module('tinygrad')
_Tensor: Any = _tinygrad.Tensor
dtypes: Any = _tinygrad.dtypes

Tensor = Any
Axis = int | tuple[int, ...] | None

ndarray = _Tensor
number = numpy.number
bool_ = numpy.bool_
inexact = 'inexact'
pi, inf, nan, e = math.pi, math.inf, math.nan, math.e


@contextmanager
def errstate(**_: str) -> Iterator[None]:
    """Arithmetic of tinygrad never warns."""
    yield


def _is_number(x: object) -> bool:
    return isinstance(x, (bool, int, float))


def _tensor(x: Any, like: Any = None) -> Tensor:
    if isinstance(x, _Tensor):
        return x
    dtype = like.dtype if isinstance(like, _Tensor) else None
    return _Tensor(x, dtype=dtype)


def issubdtype(dtype: Any, kind: Any) -> bool:
    """Whether a dtype is a floating one, the only question that helpers ask."""
    return bool(dtypes.is_float(dtype))


def asarray(a: Any, dtype: Any = None) -> Tensor:
    """np.asarray."""
    tensor = _tensor(a)
    return tensor if dtype is None else tensor.cast(dtype)


def array(object: Any, dtype: Any = None) -> Tensor:
    """np.array."""
    if isinstance(object, (list, tuple)) and any(isinstance(x, _Tensor) for x in object):
        like = next(x for x in object if isinstance(x, _Tensor))
        return _Tensor.stack(*[_tensor(x, like) for x in object])
    return asarray(object)


def copy(a: Any) -> Any:
    """np.copy: tensors that nothing writes into need none."""
    return a


def reshape(a: Any, shape: Any) -> Tensor:
    """np.reshape."""
    if _is_number(a) and shape == ():
        return a
    return _tensor(a).reshape((shape,) if isinstance(shape, int) else tuple(shape))


def ravel(a: Any) -> Tensor:
    """np.ravel."""
    return _tensor(a).reshape((-1,))


def transpose(a: Any, axes: Any = None) -> Tensor:
    """np.transpose."""
    if _is_number(a) or a.ndim == 0:
        return a
    order = range(a.ndim - 1, -1, -1) if axes is None else [int(axis) for axis in axes]
    return a.permute(*order)


def swapaxes(a: Tensor, axis1: int, axis2: int) -> Tensor:
    """np.swapaxes."""
    return a.transpose(axis1, axis2)


def moveaxis(a: Tensor, source: int, destination: int) -> Tensor:
    """np.moveaxis of one axis."""
    order = [axis for axis in range(a.ndim) if axis != source % a.ndim]
    order.insert(destination % a.ndim, source % a.ndim)
    return a.permute(*order)


def expand_dims(a: Any, axis: Axis) -> Tensor:
    """np.expand_dims."""
    a = _tensor(a)
    axes = axis if isinstance(axis, tuple) else (axis,)
    whole = a.ndim + len(axes)
    for place in sorted(int(each) % whole for each in axes if each is not None):
        a = a.unsqueeze(place)
    return a


def squeeze(a: Tensor, axis: int | None = None) -> Tensor:
    """np.squeeze."""
    return a.squeeze(axis)


def take_along_axis(arr: Tensor, indices: Tensor, axis: int = -1) -> Tensor:
    """np.take_along_axis."""
    return arr.gather(axis, indices)


def stack(arrays: Any, axis: int = 0) -> Tensor:
    """np.stack."""
    first, *others = arrays
    return first.stack(*others, dim=axis)


def arange(stop: int) -> Tensor:
    """np.arange."""
    return _Tensor.arange(stop)


def matmul(a: Tensor, b: Tensor) -> Tensor:
    """np.matmul."""
    return a.matmul(b)


def broadcast_to(a: Any, shape: Any) -> Tensor:
    """np.broadcast_to."""
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    a = _tensor(a)
    return a.reshape((1,) * (len(shape) - a.ndim) + tuple(a.shape)).expand(shape)


def zeros_like(a: Any, dtype: Any = None) -> Any:
    """np.zeros_like; `dtype=float` keeps a floating dtype as it is."""
    if _is_number(a):
        return 0.0
    return a.zeros_like() if dtypes.is_float(a.dtype) else a.cast(dtypes.default_float).zeros_like()


def ones_like(a: Any, dtype: Any = None) -> Any:
    """np.ones_like."""
    return 1.0 if _is_number(a) else a.ones_like()


def full_like(a: Any, fill_value: Any, dtype: Any = None) -> Any:
    """np.full_like, also of a tensor that broadcasts."""
    if _is_number(a):
        return fill_value
    kind = a.dtype if dtypes.is_float(a.dtype) or dtype is None else dtypes.default_float
    if _is_number(fill_value):
        return _Tensor.full(tuple(a.shape), fill_value, dtype=kind)
    return broadcast_to(fill_value, a.shape).cast(kind)


def argsort(a: Any, axis: int = -1) -> Any:
    """np.argsort, of a permutation."""
    return tuple(sorted(range(len(a)), key=a.__getitem__))


def where(condition: Any, x: Any, y: Any) -> Any:
    """np.where."""
    if isinstance(condition, (bool, numpy.bool_)):
        return x if condition else y
    return condition.where(x, y)


def logical_not(x: Any) -> Any:
    """np.logical_not."""
    return x.logical_not() if isinstance(x, _Tensor) else not x


def maximum(x1: Any, x2: Any) -> Any:
    """np.maximum."""
    return x1.maximum(x2) if isinstance(x1, _Tensor) else _tensor(x2).maximum(x1)


def power(x1: Any, x2: Any) -> Any:
    """np.power."""
    return x1**x2


def sum(a: Any, axis: Axis = None, keepdims: bool = False, dtype: Any = None) -> Any:
    """np.sum."""
    return a if _is_number(a) else a.sum(axis=axis, keepdim=keepdims)


def mean(a: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """np.mean."""
    return a if _is_number(a) else a.mean(axis=axis, keepdim=keepdims)


def count_nonzero(a: Tensor, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """np.count_nonzero."""
    return (a != 0).sum(axis=axis, keepdim=keepdims)


def cumsum(a: Tensor, axis: int = 0) -> Tensor:
    """np.cumsum."""
    return a.cumsum(axis)


def cumprod(a: Tensor, axis: int = 0) -> Tensor:
    """np.cumprod."""
    return a.cumprod(axis)


def concatenate(arrays: Any, axis: int = 0) -> Tensor:
    """np.concatenate."""
    return _Tensor.cat(*arrays, dim=axis)


def flip(m: Tensor, axis: Axis = None) -> Tensor:
    """np.flip."""
    return m.flip(tuple(range(m.ndim)) if axis is None else axis)


def outer(a: Any, b: Any) -> Tensor:
    """np.outer."""
    return ravel(a).unsqueeze(1) * ravel(b).unsqueeze(0)


def dot(a: Tensor, b: Tensor) -> Tensor:
    """np.dot of vectors and matrices."""
    return a @ b


def _places(a: Tensor, index: Any, value: Any) -> tuple[Tensor, Tensor]:
    """Which element each value goes to, as rows of zeros with a one; the values in a column."""
    numbers = numpy.arange(math.prod(a.shape)).reshape(a.shape)[index]
    rows = numpy.zeros((numbers.size, math.prod(a.shape)), 'float32')
    rows[numpy.arange(numbers.size), numbers.reshape(-1)] = 1.0
    column = broadcast_to(_tensor(value, a), numbers.shape).reshape((-1, 1))
    return _Tensor(rows).cast(a.dtype), column


def add_at(a: Tensor, index: Any, value: Any) -> Tensor:
    """`a` with `value` added at the index, as often as that names an element."""
    rows, column = _places(a, index, value)
    return a + (rows * column).sum(axis=0).reshape(a.shape)


def set_at(a: Tensor, index: Any, value: Any) -> Tensor:
    """`a` with `value` at the index, which names no element twice."""
    rows, column = _places(a, index, value)
    hit = rows.sum(axis=0).reshape(a.shape) > 0
    return hit.where((rows * column).sum(axis=0).reshape(a.shape), a)


def multiply_at(a: Tensor, index: Any, value: Any) -> Tensor:
    """`a` with its elements at the index multiplied."""
    return set_at(a, index, a[index] * value)


def _elementwise(name: str, method: str = '') -> Callable[[Any], Any]:
    def function(x: Any) -> Any:
        if isinstance(x, _Tensor):
            return getattr(x, method or name)()
        return getattr(_Tensor(float(x)), method or name)().item()

    function.__name__ = function.__qualname__ = name
    return function


abs = _elementwise('abs')
cos = _elementwise('cos')
cosh = _elementwise('cosh')
exp = _elementwise('exp')
exp2 = _elementwise('exp2')
isfinite = _elementwise('isfinite')
isnan = _elementwise('isnan')
log = _elementwise('log')
sign = _elementwise('sign')
sin = _elementwise('sin')
sinh = _elementwise('sinh')
sqrt = _elementwise('sqrt')
square = _elementwise('square')
tan = _elementwise('tan')
tanh = _elementwise('tanh')
trunc = _elementwise('trunc')
erf = _elementwise('erf')
expit = _elementwise('expit', 'sigmoid')


def expm1(x: Any) -> Any:
    """np.expm1."""
    return math.expm1(x) if _is_number(x) else x.exp() - 1


def __getattr__(name: str) -> Any:
    from .errors import from_diagnostic

    if name.startswith('__'):
        raise AttributeError(name)
    raise from_diagnostic(
        'NotInLibrary',
        'ReverseNotImplementedError',
        f'a derivative needs np.{name}, which is not supported for tensors of tinygrad',
        'write the function with other operations',
    )
