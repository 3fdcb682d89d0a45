"""The run-time helpers that the predecessor's gradients call, for those who call them by hand.

Gradients of this engine call none of them but `unbroadcast`, which templates may use. They take
numbers, arrays, and lists, tuples and dicts of them; where a function takes an adjoint, it comes
first. Types of your own are taught to them by `tangent.utils.register_*`.
"""

from __future__ import annotations

import ast
import copy as _copy
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from tangent import runtime

# By type, or by a pair of types: what tangent.utils.register_* fills.
REGISTRIES: dict[str, dict[Any, Callable[..., Any]]] = {
    name: {}
    for name in (
        'unbroadcast',
        'shape_function',
        'unreduce',
        'method_resolver',
        'init_grad',
        'add_grad',
        'matmul_grad',
        'shape_checker',
    )
}

_NUMBERS = (bool, int, float, np.number, np.bool_)


def _registered(registry: str, *values: Any) -> Callable[..., Any] | None:
    """The function that is registered for the type of a value, or for the types of two."""
    known = REGISTRIES[registry]
    if not known:
        return None
    if len(values) == 1:
        return next((known[each] for each in type(values[0]).__mro__ if each in known), None)
    return known.get(tuple(type(each) for each in values))


# ------------------------------------------------------------------------------------------------
# Stacks


class Stack:
    """A list of values with the identifier of what pushed each of them."""

    def __init__(self, vals: Iterable[Any] = ()) -> None:
        self._values: list[Any] = list(vals)

    def append(self, value: Any) -> None:
        """Puts a value on top."""
        self._values.append(value)

    def pop(self) -> Any:
        """Takes the value on top off."""
        return self._values.pop()

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f'Stack({self._values!r})'


def push(stack: Any, x: Any, op_id: str) -> None:
    """Puts a copy of a value on a stack, under an identifier."""
    stack.append((copy(x) if isinstance(x, np.ndarray) else x, op_id))


def pop(stack: Any, op_id: str) -> Any:
    """Takes the value on top off; AssertionError if it was pushed under another identifier."""
    value, pushed = stack.pop()
    if pushed != op_id:
        raise AssertionError(f'Wanted {op_id}, got {pushed}')
    return value


def push_stack(stack: Any, substack: Any, op_id: str) -> None:
    """Puts a stack, or None, on a stack."""
    if substack is not None and not isinstance(substack, Stack):
        raise ValueError(f'a stack is pushed here, not {type(substack).__name__!r}')
    push(stack, substack, op_id)


def pop_stack(stack: Any, op_id: str) -> Any:
    """Takes a stack off a stack."""
    substack = pop(stack, op_id)
    if substack is not None and not isinstance(substack, Stack):
        raise ValueError(f'a stack is expected here, not {type(substack).__name__!r}')
    return substack


# ------------------------------------------------------------------------------------------------
# Gradients of any structure


def copy(value: Any) -> Any:
    """A value that shares no memory with `value`."""
    if isinstance(value, np.ndarray):
        return value.copy()
    return value if isinstance(value, (*_NUMBERS, str, type(None))) else _copy.deepcopy(value)


def init_grad(obj: Any, allow_lazy_initializer: bool = False) -> Any:
    """Zeros of the structure of a value.

    Parameters
    ----------
    obj
        A number, an array, a list, tuple or dict of them; None and strings have 0.0.
    allow_lazy_initializer
        Nothing is lazy here: both values give the same.

    Raises
    ------
    KeyError
        A value of another type that no `tangent.utils.register_init_grad` is for.
    """
    own = _registered('init_grad', obj)
    if own is not None:
        return own(obj)
    if obj is None or isinstance(obj, str):
        return 0.0
    if isinstance(obj, np.ndarray):
        return np.zeros(obj.shape, obj.dtype)
    if isinstance(obj, _NUMBERS) and not isinstance(obj, np.complexfloating):
        return 0.0 if isinstance(obj, (bool, np.bool_)) else type(obj)(0)
    if type(obj) in (list, tuple):
        return type(obj)(init_grad(each) for each in obj)
    if type(obj) is dict:
        return {key: init_grad(each) for key, each in obj.items()}
    if isinstance(obj, Stack):
        return Stack()
    raise KeyError(type(obj))


def add_grad(left: Any, right: Any) -> Any:
    """The sum of two gradients of one structure; arrays and numbers broadcast.

    Raises
    ------
    KeyError
        Types that are not added; ValueError: lists, tuples or dicts that do not fit.
    """
    own = _registered('add_grad', left, right)
    if own is not None:
        return own(left, right)
    if left is None:
        return right
    if right is None:
        return left
    plain = (*_NUMBERS, np.ndarray)
    if isinstance(left, plain) and isinstance(right, plain):
        return left + right
    kinds = type(left), type(right)
    if kinds in ((list, list), (tuple, tuple)):
        if len(left) != len(right):
            raise ValueError(f'gradients of {len(left)} and {len(right)} values are added')
        return type(left)(add_grad(a, b) for a, b in zip(left, right, strict=True))
    if kinds == (dict, dict):
        both = [key for key in left if key in right]
        result = {**left, **right}
        result.update({key: add_grad(left[key], right[key]) for key in both})
        return result
    raise KeyError(kinds)


def unbroadcast(array: Any, like: Any) -> Any:
    """An array in the shape of `like`: its sum over the axes along which `like` was broadcast."""
    own = _registered('unbroadcast', array)
    return own(array, like) if own is not None else runtime._unbroadcast(array, like)


def astype(array: Any, y: Any) -> Any:
    """A value with the dtype of `y`, where `y` has one."""
    dtype = getattr(y, 'dtype', None)
    if dtype is None:
        return float(array) if np.ndim(array) == 0 else np.asarray(array, float)
    return np.asarray(array).astype(dtype)[()]


def array_size(x: Any, axis: int | tuple[int, ...] | None) -> int:
    """How many elements of `x` lie along the axes; all of them for None."""
    return runtime._count(x, axis)  # type: ignore[no-any-return]


def get_shape(x: Any) -> tuple[int | None, ...]:
    """The shape of an array, () of a number."""
    own = _registered('shape_function', x)
    return tuple(own(x)) if own is not None else np.shape(x)


def shapes_match(a: Any, b: Any) -> bool:
    """Whether two values have one shape; a number fits everything."""
    own = _registered('shape_checker', a, b)
    if own is not None:
        return bool(own(a, b))
    if type(a) in (list, tuple) and type(b) is type(a):
        return len(a) == len(b) and all(map(shapes_match, a, b))
    if type(a) is dict and type(b) is dict:
        return a.keys() == b.keys() and all(shapes_match(a[key], b[key]) for key in a)
    shapes = get_shape(a), get_shape(b)
    return () in shapes or shapes[0] == shapes[1]


def seed_pytree(x: Any) -> Any:
    """Ones of the structure of a value: the adjoint of the sum of all that is in it."""
    if type(x) in (list, tuple):
        return type(x)(seed_pytree(each) for each in x)
    if type(x) is dict:
        return {key: seed_pytree(each) for key, each in x.items()}
    return match_seed(x, 1.0)


def match_seed(primal: Any, seed: Any) -> Any:
    """An adjoint in the structure and shape of a result, from one that may be a number for it."""
    if type(primal) in (list, tuple):
        parts = seed if type(seed) in (list, tuple) else [seed] * len(primal)
        return type(primal)(match_seed(a, b) for a, b in zip(primal, parts, strict=True))
    if type(primal) is dict:
        given = seed if isinstance(seed, dict) else dict.fromkeys(primal, seed)
        return {key: match_seed(each, given[key]) for key, each in primal.items()}
    if isinstance(primal, np.ndarray) and np.shape(seed) != primal.shape:
        kind = primal.dtype if np.issubdtype(primal.dtype, np.inexact) else float
        return np.broadcast_to(np.asarray(seed, kind), primal.shape).copy()
    return seed


def match_seed_grad(dy: Any, primal: Any, seed: Any) -> Any:
    """The adjoint of `match_seed(primal, seed)` with respect to `seed`."""
    if type(primal) in (list, tuple):
        if type(seed) in (list, tuple):
            parts = zip(dy, primal, seed, strict=True)
            return type(seed)(match_seed_grad(a, b, c) for a, b, c in parts)
        pairs = zip(dy, primal, strict=True)
        return sum((match_seed_grad(a, b, seed) for a, b in pairs), init_grad(seed))
    if type(primal) is dict:
        if isinstance(seed, dict):
            return {key: match_seed_grad(dy[key], primal[key], seed[key]) for key in primal}
        return sum((match_seed_grad(dy[key], primal[key], seed) for key in primal), init_grad(seed))
    return unbroadcast(dy, seed)


# ------------------------------------------------------------------------------------------------
# Reductions, products, ties


def unreduce(array: Any, shape: Sequence[int], axis: Any, keepdims: bool) -> Any:
    """The adjoint of a reduction of an array of this shape, spread over its elements."""
    own = _registered('unreduce', array)
    if own is not None:
        return own(array, shape, axis, keepdims)
    like = np.empty(tuple(shape))
    return np.broadcast_to(runtime._spread(array, like, axis, keepdims), like.shape).copy()


def unreduce_like(array: Any, original_array: Any, axis: Any, keepdims: bool) -> Any:
    """`unreduce` to the shape of an array."""
    return unreduce(array, get_shape(original_array), axis, keepdims)  # type: ignore[arg-type]


def balanced_eq(x: Any, z: Any, y: Any) -> Any:
    """1 where x is z, 0 elsewhere, 0.5 where y is z as well: the share of x in max(x, y) = z."""
    return np.equal(x, z) / (1.0 + np.equal(x, y))


def grad_dot(dy: Any, x1: Any, x2: Any) -> Any:
    """The adjoint of `np.dot(x1, x2)` with respect to `x1`."""
    return runtime._dot_left_adjoint(dy, x1, x2)


def matmul_grad_x(dz: Any, x: Any, y: Any) -> Any:
    """The adjoint of `np.matmul(x, y)` with respect to `x`."""
    own = _registered('matmul_grad', x)
    return own(dz, x, y)[0] if own is not None else runtime._matmul_left_adjoint(dz, x, y)


def matmul_grad_y(dz: Any, x: Any, y: Any) -> Any:
    """The adjoint of `np.matmul(x, y)` with respect to `y`."""
    own = _registered('matmul_grad', x)
    return own(dz, x, y)[1] if own is not None else runtime._matmul_right_adjoint(dz, x, y)


def transpose_inverse_axes(axes: Sequence[int] | None) -> tuple[int, ...] | None:
    """The axes that undo a transposition; None undoes None."""
    return None if axes is None else tuple(int(k) for k in np.argsort(axes))


class TapedShape(NamedTuple):
    """What is kept of an array of which only shape and dtype are read."""

    shape: tuple[int, ...]
    dtype: Any


def taped_shape(x: Any) -> TapedShape:
    """Shape and dtype of an array or a number."""
    return TapedShape(np.shape(x), np.asarray(x).dtype)


def einsum_grad(dy: Any, subscripts: str, index: int, *operands: Any) -> Any:
    """The adjoint of `np.einsum(subscripts, *operands)` with respect to `operands[index]`."""
    return runtime._uneinsum(dy, subscripts, index, *operands)


def cholesky_grad(dy: Any, y: Any) -> Any:
    """The adjoint of `y = np.linalg.cholesky(a)` with respect to `a`, symmetrised.

    Murray, Differentiation of the Cholesky decomposition (2016), equation 10.
    """
    inverse = np.linalg.inv(y)
    inner = np.tril(np.swapaxes(y, -1, -2) @ dy)
    diagonal = np.einsum('...ii->...i', inner)
    diagonal *= 0.5
    whole = np.swapaxes(inverse, -1, -2) @ inner @ inverse
    return 0.5 * (whole + np.swapaxes(whole, -1, -2))


def eigvalsh_grad(dy: Any, a: Any) -> Any:
    """The adjoint of `np.linalg.eigvalsh(a)` with respect to `a`: sum of dy[k] v_k v_k^T."""
    _, vectors = np.linalg.eigh(a)
    scaled = vectors * np.expand_dims(dy, -2)
    return scaled @ np.swapaxes(vectors, -1, -2)


# ------------------------------------------------------------------------------------------------
# Lists, elements, pieces


def list_init(*items: Any) -> list[Any]:
    """A list of the values."""
    return list(items)


def list_append(items: list[Any], value: Any) -> list[Any]:
    """A list with one more value; `items` stays as it is."""
    return [*items, value]


def list_last(items: Sequence[Any]) -> Any:
    """The last value of a list."""
    return items[-1]


def update_grad_at_index(grad: Any, index: Any, value: Any) -> Any:
    """A gradient with another value at an index; `grad` stays as it is."""
    result = copy(grad)
    result[index] = value
    return result


def add_grad_at_index(grad: Any, index: Any, value: Any) -> Any:
    """A gradient with a value added at an index, once for each time that it names an element."""
    result = copy(grad)
    if isinstance(result, np.ndarray):
        np.add.at(result, index, value)
    else:
        result[index] = add_grad(result[index], value)
    return result


def unconcatenate(dy: Any, arrays: Sequence[Any], axis: int | None = 0) -> list[Any]:
    """The adjoints of the arrays that `np.concatenate` joined."""
    return list(runtime._unconcatenate(dy, arrays, axis))


def unstack_list(dy: Any, axis: int = 0) -> list[Any]:
    """The adjoints of the arrays that `np.stack` stacked."""
    return list(np.moveaxis(np.asarray(dy), axis, 0))


def untile(dy: Any, x: Any, reps: Any) -> Any:
    """The adjoint of `np.tile(x, reps)`."""
    return runtime._untile(dy, x, reps)


def unrepeat(dy: Any, x: Any, repeats: Any, axis: int | None = None) -> Any:
    """The adjoint of `np.repeat(x, repeats, axis)`."""
    return runtime._unrepeat(dy, x, repeats, axis)


def unpad(dy: Any, x: Any, pad_width: Any, mode: str = 'constant') -> Any:
    """The adjoint of `np.pad(x, pad_width, mode)`."""
    return runtime._unpad(dy, x, pad_width, mode)


def untake(dy: Any, x: Any, indices: Any, axis: int | None = None) -> Any:
    """The adjoint of `np.take(x, indices, axis)`."""
    return runtime._untake(dy, x, indices, axis)


def unsort(dy: Any, x: Any, axis: int | None = -1) -> Any:
    """The adjoint of `np.sort(x, axis)`."""
    return runtime._unsort(dy, x, axis)


def sort_like(dx: Any, x: Any, axis: int | None = -1) -> Any:
    """The tangent of `np.sort(x, axis)`: `dx` in the order of `x`."""
    return runtime._sort_like(dx, x, axis)


def uncumprod(dy: Any, x: Any, axis: int | None = None) -> Any:
    """The adjoint of `np.cumprod(x, axis)`, also where `x` holds zeros."""
    array = np.asarray(x)
    flat = array.ravel() if axis is None else array
    along = 0 if axis is None else axis
    before = runtime._exclusive_cumprod(flat, along)
    behind = runtime._back_scan(dy, flat, along)
    return np.reshape(before * behind, array.shape)


def np_concat_seq(axis: int, *arrays: Any) -> Any:
    """`np.concatenate` of the arguments."""
    return np.concatenate(arrays, axis=axis)


def np_stack_seq(axis: int, *arrays: Any) -> Any:
    """`np.stack` of the arguments."""
    return np.stack(arrays, axis=axis)


def np_concat_grads(dy: Any, axis: int, *arrays: Any) -> tuple[Any, ...]:
    """The adjoints of the arrays of `np_concat_seq`."""
    return tuple(unconcatenate(dy, arrays, axis))


def np_stack_grads(dy: Any, axis: int, *arrays: Any) -> tuple[Any, ...]:
    """The adjoints of the arrays of `np_stack_seq`."""
    return tuple(unstack_list(dy, axis))


class RemoveWith(ast.NodeTransformer):
    """Takes `with tangent.insert_grad_of(…)` blocks out of a syntax tree of `ast`."""

    def visit_With(self, node: ast.With) -> Any:
        from tangent._surgery import is_insertion

        return None if is_insertion(node) else self.generic_visit(node)


__all__ = [
    'RemoveWith',
    'Stack',
    'TapedShape',
    'add_grad',
    'add_grad_at_index',
    'array_size',
    'astype',
    'balanced_eq',
    'cholesky_grad',
    'copy',
    'eigvalsh_grad',
    'einsum_grad',
    'get_shape',
    'grad_dot',
    'init_grad',
    'list_append',
    'list_init',
    'list_last',
    'match_seed',
    'match_seed_grad',
    'matmul_grad_x',
    'matmul_grad_y',
    'np_concat_grads',
    'np_concat_seq',
    'np_stack_grads',
    'np_stack_seq',
    'pop',
    'pop_stack',
    'push',
    'push_stack',
    'seed_pytree',
    'shapes_match',
    'sort_like',
    'taped_shape',
    'transpose_inverse_axes',
    'unbroadcast',
    'unconcatenate',
    'uncumprod',
    'unpad',
    'unreduce',
    'unreduce_like',
    'unrepeat',
    'unsort',
    'unstack_list',
    'untake',
    'untile',
    'update_grad_at_index',
]
