"""The shapes of results: what NumPy's functions give for arrays of which only shapes are known.

In: a function of NumPy and its arguments, `ShapedArray`s among them. Out: a `ShapedArray`, or a
ShapeError. Elementwise functions, products, reductions and indexing have rules here; of the others
the shape is what NumPy gives for arrays without memory (all their strides are 0), tried at two
lengths where a length is not known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

import tangent._shaped_array as _array
from tangent.errors import ShapeError, TangentError

Length = int | None  # None: not known
Shape = tuple[Length, ...]

# Lengths that stand for the unknown one: a length that differs between them is not known.
STAND_INS = (7, 11)


def no_value(what: str) -> TangentError:
    return TangentError(
        f'{what} for a value, and only shapes are known here',
        suggestion='pass numbers that decide what runs as numbers: they are kept as they are',
    )


def shape_of(value: Any) -> Shape:
    """The shape of an array, abstract or not, of a number, or of nested lists of them."""
    if isinstance(value, (_array.ShapedArray, np.ndarray)):
        return value.shape
    if isinstance(value, (list, tuple)):
        shapes = [shape_of(each) for each in value]
        return (len(value), *(shapes[0] if shapes else ()))
    return ()


def _dtype_of(value: Any) -> Any:
    """What np.result_type takes for a value."""
    if isinstance(value, (_array.ShapedArray, np.ndarray)):
        return value.dtype
    if isinstance(value, (list, tuple)):
        return np.result_type(*map(_dtype_of, value)) if value else np.dtype(float)
    return value if isinstance(value, (bool, int, float, complex)) else np.asarray(value).dtype


def broadcast(shapes: Sequence[Shape]) -> Shape:
    result: list[Length] = []
    for at in range(1, max(map(len, shapes), default=0) + 1):
        length: Length = 1
        for shape in shapes:
            each = shape[-at] if at <= len(shape) else 1
            if each == 1 or each == length:
                continue
            if length == 1:
                length = each
            elif each is not None and length is not None:
                listed = ' and '.join(map(str, shapes))
                raise ShapeError(f'shapes {listed} do not fit: {length} beside {each}')
            elif each is not None:
                length = each
        result.append(length)
    return tuple(result[::-1])


def ufunc_result(
    ufunc: np.ufunc, method: str, inputs: Sequence[Any], keywords: dict[str, Any]
) -> Any:
    """What a method of an elementwise function gives."""
    if ufunc is np.matmul and method == '__call__':
        return _matmul(*inputs)
    if method != '__call__':
        if method == 'at':
            inputs[0][inputs[1]] = inputs[2] if len(inputs) > 2 else 0.0
            return None
        return by_numpy(getattr(ufunc, method), inputs, keywords)
    shapes = [shape_of(each) for each in inputs]
    if 'where' in keywords:
        shapes.append(shape_of(keywords['where']))
    shape = broadcast(shapes)
    # NumPy says what the dtypes become, from arrays without elements.
    empty = [
        each if isinstance(each, (bool, int, float, complex)) else np.zeros(0, _dtype_of(each))
        for each in inputs
    ]
    with np.errstate(all='ignore'):
        made = ufunc(*empty)
    results = tuple(
        _array.ShapedArray(shape, np.asarray(each).dtype)
        for each in (made if isinstance(made, tuple) else (made,))
    )
    given = keywords.get('out')
    if given is not None:
        for into, result in zip(given, results, strict=True):
            if into is not None and any(
                a is not None and b is not None and a != b
                for a, b in zip(shape_of(into), result.shape, strict=False)
            ):
                raise ShapeError(f'out= of shape {shape_of(into)} for a result of {result.shape}')
        return given[0] if len(given) == 1 else given
    return results[0] if len(results) == 1 else results


def _matmul(left: Any, right: Any) -> _array.ShapedArray:
    a, b = shape_of(left), shape_of(right)
    dtype = np.result_type(_dtype_of(left), _dtype_of(right))
    if not a or not b:
        raise ShapeError(f'a product of shapes {a} and {b}: a number is no matrix')
    rows, columns = a[-2:] if len(a) > 1 else (None, a[0])
    inner, width = b[-2:] if len(b) > 1 else (b[0], None)
    if columns is not None and inner is not None and columns != inner:
        raise ShapeError(f'a product of shapes {a} and {b}: {columns} beside {inner}')
    shape = broadcast([a[:-2], b[:-2]])
    shape += (rows,) if len(a) > 1 else ()
    shape += (width,) if len(b) > 1 else ()
    return _array.ShapedArray(shape, dtype)


def dot(left: Any, right: Any, out: Any = None) -> Any:
    a, b = shape_of(left), shape_of(right)
    if not a or not b:
        return np.multiply(left, right)
    if len(a) <= 2 and len(b) <= 2:
        return _matmul(left, right)
    inner = b[-2] if len(b) > 1 else b[0]
    if a[-1] is not None and inner is not None and a[-1] != inner:
        raise ShapeError(f'a product of shapes {a} and {b}: {a[-1]} beside {inner}')
    rest = (*b[:-2], b[-1]) if len(b) > 1 else ()
    return _array.ShapedArray((*a[:-1], *rest), np.result_type(_dtype_of(left), _dtype_of(right)))


def reshape(array: Any, shape: Any, *_args: Any, **_keywords: Any) -> _array.ShapedArray:
    wanted = [shape] if isinstance(shape, int) else list(shape)
    given = shape_of(array)
    dtype = np.result_type(_dtype_of(array))
    known = 1
    for each in wanted:
        known *= each if each not in (-1, None) else 1
    if None in given:
        return _array.ShapedArray([None if each in (-1, None) else each for each in wanted], dtype)
    size = 1
    for length in given:
        assert length is not None
        size *= length
    free = wanted.count(-1)
    if free > 1 or (free and (known == 0 or size % known)) or (not free and size != known):
        raise ShapeError(f'{size} elements of shape {given} have no shape {tuple(wanted)}')
    return _array.ShapedArray([size // known if each == -1 else each for each in wanted], dtype)


def transpose(array: Any, axes: Any = None) -> _array.ShapedArray:
    shape = shape_of(array)
    order = list(range(len(shape)))[::-1] if axes is None else [int(each) for each in axes]
    if sorted(each % max(len(shape), 1) for each in order) != list(range(len(shape))):
        raise ShapeError(f'axes {tuple(order)} of an array of shape {shape}')
    return _array.ShapedArray([shape[each] for each in order], np.result_type(_dtype_of(array)))


def _reduced(name: str) -> Callable[..., Any]:
    """A reduction over axes, whose dtype is NumPy's for an array of one element."""
    by_numpy = getattr(np, name)

    def reduction(
        array: Any, axis: Any = None, *_args: Any, keepdims: bool = False, **keywords: Any
    ) -> _array.ShapedArray:
        shape = shape_of(array)
        given = range(len(shape)) if axis is None else np.atleast_1d(axis).tolist()
        for each in given:
            if not -len(shape) <= each < len(shape):
                raise ShapeError(f'{name} over axis {each} of an array of shape {shape}')
        gone = {each % len(shape) for each in given}
        if name in ('max', 'min', 'argmax', 'argmin') and any(shape[at] == 0 for at in gone):
            raise ShapeError(f'{name} of no elements (shape {shape})')
        kept = [
            1 if at in gone else length
            for at, length in enumerate(shape)
            if keepdims or at not in gone
        ]
        dtype = by_numpy(np.ones(1, _dtype_of(array)), dtype=keywords['dtype']).dtype if (
            keywords.get('dtype') is not None
        ) else by_numpy(np.ones(1, _dtype_of(array))).dtype
        return _array.ShapedArray(kept, dtype)

    return reduction


def _where(condition: Any, *values: Any) -> Any:
    if not values:
        raise no_value('np.where of one argument asks')
    dtype = np.result_type(*map(_dtype_of, values))
    return _array.ShapedArray(broadcast([shape_of(condition), *map(shape_of, values)]), dtype)


def _like(array: Any, *_args: Any, dtype: Any = None, shape: Any = None, **_keywords: Any) -> Any:
    known = np.result_type(_dtype_of(array)) if dtype is None else dtype
    return _array.ShapedArray(shape_of(array) if shape is None else shape, known)


def _full_like(array: Any, value: Any, **keywords: Any) -> Any:
    if len(broadcast([shape_of(array), shape_of(value)])) > len(shape_of(array)):
        raise ShapeError(f'a value of shape {shape_of(value)} for an array of {shape_of(array)}')
    return _like(array, **keywords)


def _copyto(into: Any, value: Any, **_keywords: Any) -> None:
    into[...] = value


RULES: dict[Callable[..., Any], Callable[..., Any]] = {
    np.dot: dot,
    np.reshape: reshape,
    np.transpose: transpose,
    np.where: _where,
    np.zeros_like: _like,
    np.ones_like: _like,
    np.empty_like: _like,
    np.full_like: _full_like,
    np.copyto: _copyto,
    np.shape: shape_of,
    np.ndim: lambda array: len(shape_of(array)),
    np.size: lambda array, axis=None: (
        _array.ShapedArray(shape_of(array)).size if axis is None else shape_of(array)[axis]
    ),
    np.copy: lambda array, *args, **keywords: _array.ShapedArray(shape_of(array), _dtype_of(array)),
    np.ravel: lambda array, *args: reshape(array, -1),
    np.array_equal: lambda *args, **keywords: (_ for _ in ()).throw(no_value('array_equal asks')),
    np.allclose: lambda *args, **keywords: (_ for _ in ()).throw(no_value('allclose asks')),
    np.shares_memory: lambda *args, **keywords: False,
    np.may_share_memory: lambda *args, **keywords: False,
    **{
        getattr(np, name): _reduced(name)
        for name in (
            'sum', 'mean', 'max', 'min', 'prod', 'std', 'var', 'any', 'all', 'argmax', 'argmin'
        )
    },
}


def by_numpy(func: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """The result's shape by NumPy itself, for arrays that take no memory."""
    unknown = any(None in each.shape for each in _abstract([args, kwargs]))
    results = []
    for stand_in in STAND_INS[: 2 if unknown else 1]:
        given = with_arrays([list(args), dict(kwargs)], stand_in)
        try:
            with np.errstate(all='ignore'):
                results.append(func(*given[0], **given[1]))
        except np.linalg.LinAlgError as error:
            raise ShapeError(f'{_name(func)}: {error}') from None
        except (ValueError, IndexError) as error:
            shapes = ', '.join(str(each.shape) for each in _abstract([args, kwargs]))
            if unknown:
                raise TangentError(
                    f'{_name(func)} of shapes {shapes} cannot be followed where a length is not '
                    f'known ({error})'
                ) from None
            raise ShapeError(f'{_name(func)} of shapes {shapes}: {error}') from None
    return _joined(results)


def _name(func: Callable[..., Any]) -> str:
    return getattr(func, '__name__', None) or repr(func)


def _abstract(value: Any) -> Iterator[_array.ShapedArray]:
    if isinstance(value, _array.ShapedArray):
        yield value
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from _abstract(each)
    elif isinstance(value, dict):
        yield from _abstract(list(value.values()))


def with_arrays(value: Any, stand_in: int) -> Any:
    """Arrays in place of abstract ones: well-behaved numbers, one for all elements."""
    if isinstance(value, _array.ShapedArray):
        shape = [stand_in if each is None else each for each in value.shape]
        if len(shape) >= 2 and shape[-1] == shape[-2] and value.dtype.kind in 'fc':
            # What is factored or solved is a matrix that can be.
            return np.broadcast_to(np.eye(shape[-1], dtype=value.dtype), shape)
        return np.broadcast_to(np.ones((), value.dtype), shape)
    if isinstance(value, (list, tuple)):
        items = [with_arrays(each, stand_in) for each in value]
        return type(value)(*items) if hasattr(value, '_fields') else type(value)(items)
    if isinstance(value, dict):
        return {key: with_arrays(each, stand_in) for key, each in value.items()}
    return value


def _joined(results: Sequence[Any]) -> Any:
    first = results[0]
    if isinstance(first, (list, tuple)):
        parts = [_joined(each) for each in zip(*results, strict=True)]
        return type(first)(*parts) if hasattr(first, '_fields') else type(first)(parts)
    if isinstance(first, (np.ndarray, np.generic)):
        lengths = [
            each[0] if len(set(each)) == 1 else None
            for each in zip(*(np.shape(result) for result in results), strict=True)
        ]
        return _array.ShapedArray(lengths, first.dtype)
    return first


def indexed(shape: Shape, index: Any) -> Shape:
    """The shape of `x[index]`; as NumPy has it, advanced indices in front where they are apart."""
    items = list(index) if isinstance(index, tuple) else [index]
    taken = sum(_axes_of(each) for each in items)
    if taken > len(shape):
        raise ShapeError(f'{taken} indices for an array of shape {shape}')
    if not any(each is Ellipsis for each in items):
        items.append(Ellipsis)
    result: list[Length] = []
    advanced: list[Shape] = []
    places: list[int] = []
    at = 0
    for position, each in enumerate(items):
        if each is Ellipsis:
            count = len(shape) - taken
            result += shape[at : at + count]
            at += count
        elif each is None:
            result.append(1)
        elif isinstance(each, slice):
            result.append(_sliced(shape[at], each))
            at += 1
        else:
            selects = shape_of(each)
            if _is_mask(each):
                for k, length in enumerate(selects):
                    if None not in (length, shape[at + k]) and length != shape[at + k]:
                        raise ShapeError(f'a mask of shape {selects} for an array of shape {shape}')
                at += len(selects)
                selects = (None,)
            else:
                _check_index(each, shape[at], shape)
                at += 1
                if not selects:
                    continue
            advanced.append(selects)
            places.append(position)
            if len(advanced) == 1:
                first = len(result)
    if advanced:
        together = places[-1] - places[0] + 1 == len(places)
        where = first if together else 0
        result[where:where] = broadcast(advanced)
    return tuple(result)


def _is_mask(index: Any) -> bool:
    if isinstance(index, (list, tuple)):
        return bool(index) and isinstance(index[0], (bool, np.bool_))
    return isinstance(index, (_array.ShapedArray, np.ndarray)) and index.dtype == bool


def _axes_of(index: Any) -> int:
    if index is Ellipsis or index is None:
        return 0
    return len(shape_of(index)) if _is_mask(index) else 1


def _check_index(index: Any, length: Length, shape: Shape) -> None:
    inside = (
        not isinstance(index, (int, np.integer))
        or length is None
        or -length <= int(index) < length
    )
    if not inside:
        raise ShapeError(f'index {index} into an axis of length {length} (shape {shape})')


def _sliced(length: Length, index: slice) -> Length:
    for each in (index.start, index.stop, index.step):
        if isinstance(each, _array.ShapedArray):
            return None
    if length is not None:
        return len(range(*index.indices(length)))
    return None
