"""`tangent.ShapedArray`: an array of which only shape and dtype are known.

NumPy's functions run on it by NumPy's own protocols (`__array_ufunc__`, `__array_function__`); what
they give is in `tangent._shape_rules`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

import tangent._shape_rules as _rules
from tangent._shape_rules import Length, Shape, no_value
from tangent.errors import ShapeError, TangentError


class ShapedArray:
    """An array of which only shape and dtype are known.

    Parameters
    ----------
    shape
        The lengths of its axes; None for one that is not known.
    dtype
        The type of its elements.

    Examples
    --------
    >>> a = tangent.ShapedArray((2, 3))
    >>> a @ tangent.ShapedArray((3, 4))
    ShapedArray(shape=(2, 4), dtype=float64)
    >>> np.sum(a, axis=0) + a[:, 1:].T
    Traceback (most recent call last):
    ...
    tangent.errors.ShapeError: shapes (3,) and (2, 2) do not fit: 3 beside 2
    """

    __slots__ = ('dtype', 'shape')

    def __init__(self, shape: int | Sequence[Length], dtype: Any = np.float64) -> None:
        lengths = (shape,) if isinstance(shape, int) else tuple(shape)
        for each in lengths:
            if each is not None and (isinstance(each, bool) or int(each) < 0):
                raise ValueError(f'a length is a number from 0 on, or None, and no {each!r}')
        self.shape: Shape = tuple(None if each is None else int(each) for each in lengths)
        self.dtype: np.dtype[Any] = np.dtype(dtype)

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> Length:
        total = 1
        for each in self.shape:
            if each is None:
                return None
            total *= each
        return total

    @property
    def T(self) -> ShapedArray:
        return ShapedArray(self.shape[::-1], self.dtype)

    @property
    def real(self) -> ShapedArray:
        return ShapedArray(self.shape, np.zeros(0, self.dtype).real.dtype)

    @property
    def imag(self) -> ShapedArray:
        return self.real

    @property
    def flat(self) -> Iterator[ShapedArray]:
        return iter(self.reshape(-1))

    def __repr__(self) -> str:
        return f'ShapedArray(shape={self.shape}, dtype={self.dtype})'

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError('len() of an array without axes')
        if self.shape[0] is None:
            raise TangentError('the length of this array is not known')
        return self.shape[0]

    def __iter__(self) -> Iterator[ShapedArray]:
        if not self.shape:
            raise TypeError('iteration over an array without axes')
        for _ in range(len(self)):
            yield ShapedArray(self.shape[1:], self.dtype)

    # What asks for a value that there is none of.

    def __bool__(self) -> bool:
        raise no_value('a test asks')

    def __float__(self) -> float:
        # Stored into an element of an array that has values, or given to `math`: see check_shapes.
        if any(each not in (1, None) for each in self.shape):
            raise ShapeError(f'an array of shape {self.shape} is no number')
        return 1.0

    def __int__(self) -> int:
        raise no_value('int() asks')

    def __index__(self) -> int:
        raise no_value('an index asks')

    __hash__ = None  # type: ignore[assignment]

    # NumPy's protocols.

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        # Stored into an array that the function makes: that one has values, and they are ones.
        if None in self.shape:
            raise TangentError('an array of unknown length is stored into one that has values')
        return np.ones(self.shape, self.dtype if dtype is None else dtype)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **keywords: Any) -> Any:
        return _rules.ufunc_result(ufunc, method, inputs, keywords)

    def __array_function__(
        self, func: Callable[..., Any], types: Any, args: Sequence[Any], kwargs: dict[str, Any]
    ) -> Any:
        rule = _rules.RULES.get(func)
        if rule is not None:
            return rule(*args, **kwargs)
        return _rules.by_numpy(func, args, kwargs)

    # Elements.

    def __getitem__(self, index: Any) -> ShapedArray:
        return ShapedArray(_rules.indexed(self.shape, index), self.dtype)

    def __setitem__(self, index: Any, value: Any) -> None:
        place = _rules.indexed(self.shape, index)
        given = _rules.shape_of(value)
        broadcast = _rules.broadcast([place, given])
        if len(given) > len(place) and any(each != 1 for each in given[: len(given) - len(place)]):
            raise ShapeError(f'a value of shape {given} does not fit into elements of {place}')
        if any(
            a is not None and b is not None and a != b
            for a, b in zip(broadcast[len(broadcast) - len(place) :], place, strict=True)
        ):
            raise ShapeError(f'a value of shape {given} does not fit into elements of {place}')

    # Methods.

    def reshape(self, *shape: Any) -> ShapedArray:
        return _rules.reshape(self, shape[0] if len(shape) == 1 else shape)

    def astype(self, dtype: Any, **_options: Any) -> ShapedArray:
        return ShapedArray(self.shape, dtype)

    def copy(self) -> ShapedArray:
        return ShapedArray(self.shape, self.dtype)

    def fill(self, value: Any) -> None:
        given = _rules.shape_of(value)
        if given:
            raise ShapeError(f'fill() takes a number, not an array of shape {given}')

    def ravel(self) -> ShapedArray:
        return self.reshape(-1)

    flatten = ravel

    def item(self) -> ShapedArray:
        if any(each not in (1, None) for each in self.shape):
            raise ShapeError(f'item() of an array of shape {self.shape}')
        return ShapedArray((), self.dtype)

    def transpose(self, *axes: Any) -> ShapedArray:
        order = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes or None
        return _rules.transpose(self, order)

    def dot(self, other: Any) -> Any:
        return _rules.dot(self, other)


def _method(name: str) -> Callable[..., Any]:
    def method(self: ShapedArray, *args: Any, **kwargs: Any) -> Any:
        return getattr(np, name)(self, *args, **kwargs)

    method.__name__ = name
    return method


_METHODS = (
    'all', 'any', 'argmax', 'argmin', 'argsort', 'clip', 'cumprod', 'cumsum', 'diagonal', 'max',
    'mean', 'min', 'prod', 'ptp', 'repeat', 'round', 'sort', 'squeeze', 'std', 'sum', 'swapaxes',
    'take', 'trace', 'var',
)  # fmt: skip
for _each in _METHODS:
    setattr(ShapedArray, _each, _method(_each))


def _operator(name: str, ufunc: np.ufunc, reflected: bool) -> Callable[..., Any]:
    def forward(self: ShapedArray, other: Any) -> Any:
        return ufunc(self, other)

    def backward(self: ShapedArray, other: Any) -> Any:
        return ufunc(other, self)

    return backward if reflected else forward


def _in_place(ufunc: np.ufunc) -> Callable[..., Any]:
    def change(self: ShapedArray, other: Any) -> ShapedArray:
        result = ufunc(self, other)
        if any(a != b for a, b in zip(result.shape, self.shape, strict=False)) or (
            result.ndim != self.ndim
        ):
            raise ShapeError(
                f'an array of shape {self.shape} cannot hold a result of shape {result.shape}'
            )
        return self

    return change


for _word, _ufunc_of in {
    'add': np.add, 'sub': np.subtract, 'mul': np.multiply, 'truediv': np.true_divide,
    'floordiv': np.floor_divide, 'mod': np.remainder, 'pow': np.power, 'matmul': np.matmul,
    'and': np.bitwise_and, 'or': np.bitwise_or, 'xor': np.bitwise_xor,
}.items():  # fmt: skip
    setattr(ShapedArray, f'__{_word}__', _operator(_word, _ufunc_of, False))
    setattr(ShapedArray, f'__r{_word}__', _operator(_word, _ufunc_of, True))
    if _word != 'matmul':
        setattr(ShapedArray, f'__i{_word}__', _in_place(_ufunc_of))
for _word, _ufunc_of in {
    'lt': np.less, 'le': np.less_equal, 'gt': np.greater, 'ge': np.greater_equal,
    'eq': np.equal, 'ne': np.not_equal,
}.items():  # fmt: skip
    setattr(ShapedArray, f'__{_word}__', _operator(_word, _ufunc_of, False))
for _word, _ufunc_of in {
    'neg': np.negative, 'pos': np.positive, 'abs': np.absolute, 'invert': np.invert,
}.items():  # fmt: skip
    setattr(ShapedArray, f'__{_word}__', lambda self, ufunc=_ufunc_of: ufunc(self))
