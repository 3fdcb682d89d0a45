"""NumPy's vocabulary for tensors of torch.

Emitted texts call it `tnp`, where torch has no function of that name with these arguments; the
run-time helpers (`tangent._libraries`) see it as their `np`. Python's numbers stay what they are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy
import torch

from tangent._numpy_tensors import ndim as ndim
from tangent._numpy_tensors import shape as shape
from tangent._numpy_tensors import size as size

Tensor = Any
Axis = int | tuple[int, ...] | None

ndarray = torch.Tensor
number = numpy.number
bool_ = numpy.bool_
inexact = 'inexact'
float16, float32, float64 = torch.float16, torch.float32, torch.float64
pi, inf, nan, e = math.pi, math.inf, math.nan, math.e


@contextmanager
def errstate(**_: str) -> Iterator[None]:
    """Arithmetic of torch never warns."""
    yield


def _is_number(x: object) -> bool:
    return isinstance(x, (bool, int, float, complex))


def _tensor(x: Any, like: Any = None) -> Tensor:
    """x as a tensor: a number in the dtype of `like`, or of double precision."""
    if isinstance(x, torch.Tensor):
        return x
    if isinstance(like, torch.Tensor):
        return torch.as_tensor(x, dtype=like.dtype, device=like.device)
    if isinstance(x, float):
        return torch.as_tensor(x, dtype=torch.float64)
    if isinstance(x, (list, tuple)) and x and all(isinstance(part, torch.Tensor) for part in x):
        return torch.stack([part.reshape(()) if part.ndim == 0 else part for part in x])
    return torch.as_tensor(x)


def _axes(a: Tensor, axis: Axis) -> tuple[int, ...]:
    if axis is None:
        return tuple(range(a.ndim))
    return axis if isinstance(axis, tuple) else (axis,)


# Kinds and shapes


def issubdtype(dtype: Any, kind: Any) -> bool:
    """Whether a dtype is a floating or complex one, the only question that helpers ask."""
    return bool(dtype.is_floating_point or dtype.is_complex)


def result_type(*values: Any) -> Any:
    """The dtype of an operation on these."""
    found = None
    for value in values:
        dtype = value if isinstance(value, torch.dtype) else _tensor(value).dtype
        if _is_number(value):
            continue
        found = dtype if found is None else torch.promote_types(found, dtype)
    return found if found is not None else torch.float64


def asarray(a: Any, dtype: Any = None) -> Tensor:
    """np.asarray."""
    tensor = _tensor(a)
    if dtype in (int, float):
        dtype = torch.int64 if dtype is int else torch.float64
    return tensor if dtype is None else tensor.to(dtype)


def array(object: Any, dtype: Any = None) -> Tensor:
    """np.array: never the same tensor."""
    if isinstance(object, (list, tuple)) and any(isinstance(x, torch.Tensor) for x in object):
        like = next(x for x in object if isinstance(x, torch.Tensor))
        return torch.stack([_tensor(x, like) for x in object])
    made = asarray(object, _own_dtype(object, dtype))
    return made.clone() if made is object else made


def copy(a: Any) -> Any:
    """np.copy."""
    return a.clone() if isinstance(a, torch.Tensor) else a


def reshape(a: Any, shape: Any) -> Tensor:
    """np.reshape."""
    if _is_number(a) and shape == ():
        return a
    return torch.reshape(_tensor(a), (shape,) if isinstance(shape, int) else tuple(shape))


def ravel(a: Tensor) -> Tensor:
    """np.ravel."""
    return torch.reshape(_tensor(a), (-1,))


def transpose(a: Any, axes: Any = None) -> Tensor:
    """np.transpose."""
    if _is_number(a):
        return a
    order = range(a.ndim - 1, -1, -1) if axes is None else [int(axis) for axis in axes]
    return a.permute(*order) if a.ndim else a


def moveaxis(a: Tensor, source: Any, destination: Any) -> Tensor:
    """np.moveaxis."""
    places = [
        tuple(each) if isinstance(each, (range, list, tuple)) else each
        for each in (source, destination)
    ]
    return torch.movedim(a, *places)


def expand_dims(a: Any, axis: Axis) -> Tensor:
    """np.expand_dims."""
    a = _tensor(a)
    axes = axis if isinstance(axis, tuple) else (axis,)
    whole = a.ndim + len(axes)
    for place in sorted(int(each) % whole for each in axes if each is not None):
        a = torch.unsqueeze(a, place)
    return a


def softmax(x: Tensor, axis: int) -> Tensor:
    """scipy.special.softmax along one axis."""
    return torch.softmax(x, axis)


def squeeze(a: Tensor, axis: Any = None) -> Tensor:
    """np.squeeze."""
    return torch.squeeze(a) if axis is None else torch.squeeze(a, axis)


def broadcast_to(a: Any, shape: Any) -> Tensor:
    """np.broadcast_to."""
    return torch.broadcast_to(_tensor(a), (shape,) if isinstance(shape, int) else tuple(shape))


def concatenate(arrays: Sequence[Tensor], axis: int | None = 0) -> Tensor:
    """np.concatenate."""
    if axis is None:
        return torch.cat([ravel(each) for each in arrays])
    return torch.cat([_tensor(each) for each in arrays], dim=axis)


def stack(arrays: Sequence[Any], axis: int = 0) -> Tensor:
    """np.stack."""
    like = next((each for each in arrays if isinstance(each, torch.Tensor)), None)
    return torch.stack([_tensor(each, like) for each in arrays], dim=axis)


def split(ary: Tensor, indices_or_sections: Any, axis: int = 0) -> list[Tensor]:
    """np.split, at indices."""
    return list(torch.tensor_split(ary, [int(i) for i in indices_or_sections], dim=axis))


def swapaxes(a: Tensor, axis1: int, axis2: int) -> Tensor:
    """np.swapaxes."""
    return torch.swapaxes(a, axis1, axis2)


# Arrays made


def _own_dtype(like: Any, dtype: Any) -> Any:
    """`float` stands for the floating dtype of `like`, or double precision."""
    if dtype is not float:
        return dtype
    if isinstance(like, torch.Tensor) and like.dtype.is_floating_point:
        return like.dtype
    return torch.float64


def zeros(shape: Any, dtype: Any = None) -> Tensor:
    """np.zeros."""
    return torch.zeros(shape, dtype=torch.float64 if dtype in (None, float) else dtype)


def ones(shape: Any, dtype: Any = None) -> Tensor:
    """np.ones."""
    kinds = {None: torch.float64, float: torch.float64, bool: torch.bool}
    return torch.ones(shape, dtype=kinds.get(dtype, dtype))


def zeros_like(a: Any, dtype: Any = None) -> Any:
    """np.zeros_like; `dtype=float` keeps a floating dtype as it is."""
    if _is_number(a):
        return 0.0
    return torch.zeros_like(a, dtype=_own_dtype(a, dtype))


def ones_like(a: Any, dtype: Any = None) -> Any:
    """np.ones_like."""
    return 1.0 if _is_number(a) else torch.ones_like(a, dtype=_own_dtype(a, dtype))


def full_like(a: Any, fill_value: Any, dtype: Any = None) -> Any:
    """np.full_like, also of an array that broadcasts."""
    if _is_number(a):
        return fill_value
    dtype = _own_dtype(a, dtype) or a.dtype
    value = torch.as_tensor(fill_value, device=a.device)
    return torch.broadcast_to(value, a.shape).to(dtype).clone(memory_format=torch.contiguous_format)


def eye(N: int, M: int | None = None, k: int = 0, dtype: Any = None) -> Tensor:
    """np.eye, of the main diagonal."""
    return torch.eye(N, N if M is None else M, dtype=torch.float64 if dtype is None else dtype)


def arange(*bounds: int) -> Tensor:
    """np.arange."""
    return torch.arange(*bounds)


def argsort(a: Any, axis: int = -1) -> Any:
    """np.argsort; of a permutation as a tuple."""
    if isinstance(a, (tuple, list)):
        return tuple(sorted(range(len(a)), key=a.__getitem__))
    return torch.argsort(a, dim=axis, stable=True)


# Elementwise


def where(condition: Any, x: Any, y: Any) -> Any:
    """np.where."""
    if isinstance(condition, (bool, numpy.bool_)):
        both = [each for each in (x, y) if isinstance(each, torch.Tensor)]
        if not both:
            return x if condition else y
        condition = torch.as_tensor(condition, device=both[0].device)
    if not isinstance(x, torch.Tensor) and not isinstance(y, torch.Tensor):
        x = torch.as_tensor(x, dtype=torch.float64, device=condition.device)
    return torch.where(condition, x, y)


def logical_not(x: Any) -> Any:
    """np.logical_not."""
    return torch.logical_not(x) if isinstance(x, torch.Tensor) else not x


def power(x1: Any, x2: Any) -> Any:
    """np.power."""
    return x1**x2


def maximum(x1: Any, x2: Any) -> Any:
    """np.maximum."""
    like = x1 if isinstance(x1, torch.Tensor) else x2
    return torch.maximum(_tensor(x1, like), _tensor(x2, like))


def minimum(x1: Any, x2: Any) -> Any:
    """np.minimum."""
    like = x1 if isinstance(x1, torch.Tensor) else x2
    return torch.minimum(_tensor(x1, like), _tensor(x2, like))


# Reductions and scans


def sum(a: Any, axis: Axis = None, keepdims: bool = False, dtype: Any = None) -> Any:
    """np.sum."""
    if _is_number(a):
        return a
    return torch.sum(a, dim=_axes(a, axis), keepdim=keepdims, dtype=dtype) if a.ndim else a


def mean(a: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """np.mean."""
    if _is_number(a):
        return a
    return torch.mean(a, dim=_axes(a, axis), keepdim=keepdims) if a.ndim else a


def count_nonzero(a: Tensor, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """np.count_nonzero."""
    return torch.sum(a != 0, dim=_axes(a, axis), keepdim=keepdims) if a.ndim else (a != 0).sum()


def cumsum(a: Any, axis: int | None = None) -> Any:
    """np.cumsum; of lengths as a list."""
    if isinstance(a, list):
        return numpy.cumsum(a)
    return torch.cumsum(ravel(a), 0) if axis is None else torch.cumsum(a, axis)


def cumprod(a: Tensor, axis: int | None = None) -> Tensor:
    """np.cumprod."""
    return torch.cumprod(ravel(a), 0) if axis is None else torch.cumprod(a, axis)


def flip(m: Tensor, axis: Axis = None) -> Tensor:
    """np.flip."""
    return torch.flip(m, _axes(m, axis))


def repeat(a: Tensor, repeats: Any, axis: int | None = None) -> Tensor:
    """np.repeat."""
    return torch.repeat_interleave(a, repeats, dim=axis)


def diagonal(a: Tensor, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    """np.diagonal."""
    return torch.diagonal(a, offset, axis1, axis2)


def clip(a: Tensor, a_min: Any = None, a_max: Any = None) -> Tensor:
    """np.clip."""
    return torch.clip(a, a_min, a_max)


def take_along_axis(arr: Tensor, indices: Tensor, axis: int = -1) -> Tensor:
    """np.take_along_axis."""
    return torch.take_along_dim(arr, indices, dim=axis)


# Products


def dot(a: Tensor, b: Tensor) -> Tensor:
    """np.dot of vectors and matrices."""
    return a @ b


def outer(a: Any, b: Any) -> Tensor:
    """np.outer."""
    return torch.outer(ravel(a), ravel(b))


def tensordot(a: Tensor, b: Tensor, axes: Any = 2) -> Tensor:
    """np.tensordot."""
    return torch.tensordot(a, b, dims=axes)


def einsum(subscripts: str, *operands: Tensor) -> Tensor:
    """np.einsum."""
    return torch.einsum(subscripts, *operands)


# Stores


def add_at(a: Tensor, index: Any, value: Any) -> None:
    """np.add.at: adds as often as the index names an element."""
    if not isinstance(index, tuple):
        index = (index,)
    plain = all(isinstance(part, torch.Tensor) for part in index)
    if plain:
        a.index_put_(index, _tensor(value, a).to(a.dtype), accumulate=True)
        return
    # Slices beside tensors: the elements by their numbers.
    numbers = torch.arange(a.numel(), device=a.device).reshape(a.shape)[index]
    flat = a.view(-1)
    value = torch.broadcast_to(_tensor(value, a).to(a.dtype), numbers.shape)
    flat.index_add_(0, numbers.reshape(-1), value.reshape(-1))


class add:
    """np.add.at."""

    at = staticmethod(add_at)


def svd(a: Tensor, full_matrices: bool = True) -> Any:
    """np.linalg.svd."""
    return torch.linalg.svd(a, full_matrices=full_matrices)


def linalg_inv(a: Tensor) -> Tensor:
    """np.linalg.inv."""
    return torch.linalg.inv(a)


def linalg_solve(a: Tensor, b: Tensor) -> Tensor:
    """np.linalg.solve: a vector is one, whatever the rank of `a`."""
    if b.ndim == 1:
        return torch.linalg.solve(a, b.unsqueeze(-1)).squeeze(-1)
    return torch.linalg.solve(a, b)


def linalg_matrix_power(a: Tensor, n: int) -> Tensor:
    """np.linalg.matrix_power."""
    return torch.linalg.matrix_power(a, n)


def linalg_eigh(a: Tensor, UPLO: str = 'L') -> Any:
    """np.linalg.eigh."""
    return torch.linalg.eigh(a, UPLO=UPLO)


def linalg_cholesky(a: Tensor) -> Tensor:
    """np.linalg.cholesky."""
    return torch.linalg.cholesky(a)


class linalg:
    """np.linalg."""

    inv = staticmethod(linalg_inv)
    solve = staticmethod(linalg_solve)
    det = staticmethod(torch.linalg.det)
    svd = staticmethod(svd)
    LinAlgError = RuntimeError


# Everything of one argument: torch's own, or NumPy's for a number.


def _elementwise(name: str, module: Any = torch) -> Callable[[Any], Any]:
    for_tensors = getattr(module, name)

    def function(x: Any) -> Any:
        if isinstance(x, torch.Tensor):
            return for_tensors(x)
        if module is torch:
            return float(getattr(numpy, name)(x))
        return float(for_tensors(torch.as_tensor(x, dtype=torch.float64)))

    function.__name__ = function.__qualname__ = name
    return function


abs = _elementwise('abs')
arctan = _elementwise('arctan')
cos = _elementwise('cos')
cosh = _elementwise('cosh')
exp = _elementwise('exp')
exp2 = _elementwise('exp2')
expm1 = _elementwise('expm1')
isfinite = _elementwise('isfinite')
isnan = _elementwise('isnan')
log = _elementwise('log')
log1p = _elementwise('log1p')
sign = _elementwise('sign')
sin = _elementwise('sin')
sinh = _elementwise('sinh')
sqrt = _elementwise('sqrt')
square = _elementwise('square')
tan = _elementwise('tan')
tanh = _elementwise('tanh')
trunc = _elementwise('trunc')
erf = _elementwise('erf', torch.special)
expit = _elementwise('expit', torch.special)
digamma = _elementwise('digamma', torch.special)
gammaln = _elementwise('gammaln', torch.special)


def zeta(x: Any, q: Any) -> Tensor:
    """scipy.special.zeta."""
    return torch.special.zeta(_tensor(x, q), q)


def negative(x: Any) -> Any:
    """np.negative; of shifts and the like part by part."""
    return tuple(-part for part in x) if isinstance(x, tuple) else -x


def inner(a: Any, b: Any) -> Any:
    """np.inner."""
    return torch.inner(_tensor(a, b), _tensor(b, a))


def vdot(a: Tensor, b: Tensor) -> Tensor:
    """np.vdot."""
    return torch.vdot(ravel(a), ravel(b))


def cross(a: Tensor, b: Tensor, axis: int = -1) -> Tensor:
    """np.cross of vectors of three."""
    return torch.linalg.cross(a, b, dim=axis)


def flipud(m: Tensor) -> Tensor:
    """np.flipud."""
    return torch.flipud(m)


def fliplr(m: Tensor) -> Tensor:
    """np.fliplr."""
    return torch.fliplr(m)


def tril(m: Tensor, k: int = 0) -> Tensor:
    """np.tril."""
    return torch.tril(m, k)


def triu(m: Tensor, k: int = 0) -> Tensor:
    """np.triu."""
    return torch.triu(m, k)


def roll(a: Tensor, shift: Any, axis: Any = None) -> Tensor:
    """np.roll."""
    return torch.roll(a, shift, axis)


def __getattr__(name: str) -> Any:
    from .errors import from_diagnostic

    if name.startswith('__'):
        raise AttributeError(name)
    raise from_diagnostic(
        'NotInLibrary',
        'ReverseNotImplementedError',
        f'a derivative needs np.{name}, which is not supported for tensors of torch',
        'write the function with other operations',
    )
