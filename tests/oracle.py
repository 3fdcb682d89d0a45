"""The oracle: exact derivatives of a Python function by forward mode, run by CPython itself.

In: a function, its arguments, which of them to differentiate. Out: the value and the gradients.

Numbers become `Dual`s (a value, and its derivatives by all inputs at once), float arrays become
object arrays of them, and the function itself runs on these. So views, writes in place, lists,
aliases and exceptions are what Python makes them; only arithmetic knows of derivatives. While it
runs, its globals `np`, `math`, `float` and `isinstance` stand for the substitutes below, which
compute values by the real library, on plain floats, and derivatives by the textbook.

The conventions at singular points are those of the product: NumPy's max, min, maximum, minimum,
sort and median share a tie evenly, the builtins give it to what Python returns, clip passes 1 at
its edges, abs, hypot and norm have slope 0 at 0, and zero times an infinite or undefined partial is
zero.

What has no rule here raises `NotInOracle`; nothing loses its derivative silently, because a Dual
refuses to become a float."""
# ruff: noqa: B905

import contextlib
import copy
import dataclasses
import math
import sys
import types

import numpy as np
from oracle_numbers import (
    REAL,
    SUBSTITUTES,
    Dual,
    NotInOracle,
    Run,
    is_tracked,
    join,
    objects,
    pythonic,
    split,
    strip,
    value_of,
    weighted,
)  # fmt: skip
from oracle_rules import Ufunc

__all__ = ['Answer', 'NotInOracle', 'differentiate', 'error', 'gradient', 'same', 'value']


class _FloatType(type(float)):
    def __call__(cls, x=0.0):
        if isinstance(x, np.ndarray) and is_tracked(x):
            x = x.item()
        return pythonic(Dual(float(x.v), x.d)) if type(x) is Dual else float(x)

    def __instancecheck__(cls, x):
        return isinstance(value_of(x), float)


class Float(float, metaclass=_FloatType):
    pass


def _isinstance(x, classes):
    return isinstance(value_of(x), classes) or isinstance(x, classes)


_BUILTINS = {'float': Float, 'isinstance': _isinstance}


def _substitute(thing):
    """What stands for a global while the oracle runs, or None."""
    if isinstance(thing, types.ModuleType):
        return SUBSTITUTES.get(thing)
    of_library = getattr(thing, '__module__', None) in ('numpy', 'numpy.linalg')
    if of_library or isinstance(thing, (np.ufunc, types.BuiltinFunctionType)):
        name = getattr(thing, '__name__', '')
        for real, stand_in in SUBSTITUTES.items():
            if getattr(real, name, None) is thing:
                return getattr(stand_in, name)
    return None


def _reached(f):
    """The user's functions that f can reach by name, f among them."""
    found, todo, seen = [], [f], set()
    while todo:
        thing = todo.pop()
        thing = getattr(thing, '__func__', thing)
        if id(thing) in seen:
            continue
        seen.add(id(thing))
        if isinstance(thing, type):
            todo.extend(vars(thing).values())
            continue
        if not isinstance(thing, types.FunctionType):
            inner = [getattr(thing, name, None) for name in ('__wrapped__', 'fget', 'func')]
            todo.extend(part for part in inner if part is not None)
            own_call = vars(type(thing)).get('__call__')
            todo.extend([own_call] if isinstance(own_call, types.FunctionType) else [])
            continue
        package = thing.__globals__.get('__name__', '').partition('.')[0]
        if package in ('numpy', 'scipy', 'math'):
            continue
        found.append(thing)
        codes = [thing.__code__]
        for code in codes:
            codes.extend(c for c in code.co_consts if isinstance(c, types.CodeType))
        names = {name for code in codes for name in code.co_names}
        parts = [thing.__globals__[name] for name in names if name in thing.__globals__]
        parts.extend(cell.cell_contents for cell in thing.__closure__ or () if _filled(cell))
        todo.extend(
            part for part in parts if callable(part) and not isinstance(part, (np.ufunc, Ufunc))
        )
    return found


def _filled(cell):
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return False
    return True


@contextlib.contextmanager
def substituted(f):
    """The globals and cells of f and of what it calls, with the substitutes in place of the
    libraries."""
    undo = []
    functions = _reached(f)
    try:
        for space in {id(g.__globals__): g.__globals__ for g in functions}.values():
            changes = {name: _substitute(thing) for name, thing in list(space.items())}
            changes = {name: thing for name, thing in changes.items() if thing is not None}
            changes |= {name: thing for name, thing in _BUILTINS.items() if name not in space}
            undo.append(
                (
                    space,
                    {name: space[name] for name in changes if name in space},
                    set(changes) - set(space),
                )
            )
            space.update(changes)
        for cell in [cell for g in functions for cell in g.__closure__ or () if _filled(cell)]:
            stand_in = _substitute(cell.cell_contents)
            if stand_in is not None:
                undo.append((cell, cell.cell_contents, None))
                cell.cell_contents = stand_in
        yield
    finally:
        for place, was, added in reversed(undo):
            if added is None:
                place.cell_contents = was
            else:
                place.update(was)
                for name in added:
                    place.pop(name, None)


# Arguments in, gradients out.


def _is_leaf(x, active):
    """A number or array that is differentiated: floats, and in an active argument also ints."""
    if isinstance(x, np.ndarray):
        return x.dtype.kind in ('fiu' if active else 'f')
    whole = isinstance(x, (int, np.integer)) and not isinstance(x, bool)
    return isinstance(x, (float, np.floating)) or (active and whole)


def _fields(x):
    """The parts of a container or object as (key, part), or None for a leaf."""
    if isinstance(x, dict):
        return list(x.items())
    if isinstance(x, (list, tuple)):
        return list(enumerate(x))
    if not isinstance(
        x, (type, types.FunctionType, types.ModuleType, np.random.Generator)
    ) and hasattr(x, '__dict__'):
        return list(vars(x).items())
    return None


def _rebuilt(x, parts, memo):
    """A container of x's class with other parts."""
    if isinstance(x, tuple):
        return type(x)(*parts.values()) if hasattr(x, '_fields') else type(x)(parts.values())
    out = memo[id(x)]
    if isinstance(x, dict):
        out.update(parts)
    elif isinstance(x, list):
        out[:] = parts.values()
    else:
        for name, part in parts.items():
            object.__setattr__(out, name, part)
    return out


def _mapped(x, leaf, memo):
    """A copy of a tree with leaf(x) for its numbers and arrays; what was shared is shared again."""
    if id(x) in memo:
        return memo[id(x)]
    fields = None if isinstance(x, np.ndarray) else _fields(x)
    if fields is None:
        out = leaf(x)
        if isinstance(x, np.ndarray):
            memo[id(x)] = out
        return out
    if not isinstance(x, tuple):
        memo[id(x)] = copy.copy(x)
    memo[id(x)] = _rebuilt(x, {key: _mapped(part, leaf, memo) for key, part in fields}, memo)
    return memo[id(x)]


@dataclasses.dataclass
class Answer:
    value: object  # what f returned
    gradients: tuple  # one per wrt, of the argument's own structure
    nearest: float  # the smallest distance to a tie or threshold on the way
    jacobian: np.ndarray = None  # the numbers of the result (in order) by all inputs


def differentiate(f, args, wrt=(0,), seed=None, kwargs=None):
    """Runs f once on Duals."""
    wrt = tuple(k % len(args) for k in wrt)
    size = 0

    def count(x):
        nonlocal size
        size += np.size(x)
        return x

    _map_arguments(args, wrt, count, lambda x: x)
    units, position = np.eye(size), 0

    def tracked(x):
        nonlocal position
        begin, position = position, position + np.size(x)
        if isinstance(x, np.ndarray):
            return join(np.asarray(x, float), units[begin:position].reshape(*x.shape, size))
        return Dual(np.float64(x) if isinstance(x, np.integer) else x, units[begin])

    given = _map_arguments(
        args, wrt, tracked, lambda x: objects(x) if isinstance(x, np.ndarray) else x
    )
    Run.nearest = math.inf
    with np.errstate(all='ignore'), substituted(f):
        result = f(*given, **(kwargs or {}))
    nearest = Run.nearest

    rows, weights = [], []
    parts = list(_leaves_of_result(result))
    many = isinstance(seed, (list, tuple, dict))
    seeds = list(_leaves_of_result(seed)) if many else [1.0 if seed is None else seed] * len(parts)
    for part, weight in zip(parts, seeds, strict=True):
        v, d = split(part)
        rows.append(np.zeros((v.size, size)) if d is None else d.reshape(v.size, size))
        weights.append(np.broadcast_to(np.asarray(weight, float), v.shape).reshape(-1))
    jacobian = np.concatenate([np.zeros((0, size)), *rows])
    flat = np.sum(weighted(np.concatenate([np.zeros(0), *weights]), jacobian), axis=0)
    gradients = as_gradients(flat, args, wrt)
    return Answer(_strip_tree(result), gradients, nearest, jacobian)


def as_gradients(flat, args, wrt):
    """Per argument of wrt its part of a row of the Jacobian, in the argument's structure."""
    position = 0

    def slope(x):
        nonlocal position
        begin, position = position, position + np.size(x)
        return (
            flat[begin:position].reshape(x.shape)
            if isinstance(x, np.ndarray)
            else float(flat[begin])
        )

    trees = _map_arguments(args, wrt, slope, lambda x: x)
    return tuple(trees[k] for k in wrt)


def moved(args, wrt, step):
    """Copies of the arguments; the numbers in those of wrt are moved by a step, all in one row."""
    position = 0

    def shifted(x):
        nonlocal position
        begin, position = position, position + np.size(x)
        return x + (
            step[begin:position].reshape(x.shape) if isinstance(x, np.ndarray) else step[begin]
        )

    return _map_arguments(args, wrt, shifted, copy.deepcopy)


def leaves(x):
    """The numbers and arrays of an argument."""
    fields = None if isinstance(x, np.ndarray) else _fields(x)
    return [x] if fields is None else [leaf for _, part in fields for leaf in leaves(part)]


def _map_arguments(args, wrt, active, inactive):
    """Copies of all arguments, always walked in one order."""
    memo = {}

    def leaf_of(chosen):
        return lambda x: active(x) if chosen and _is_leaf(x, True) else inactive(x)

    return [_mapped(arg, leaf_of(k in wrt), memo) for k, arg in enumerate(args)]


def _leaves_of_result(x):
    """The numbers and arrays of a result, repeats included."""
    if isinstance(x, dict):
        x = list(x.values())
    if isinstance(x, (list, tuple)):
        for part in x:
            yield from _leaves_of_result(part)
    elif (
        type(x) is Dual
        or (isinstance(x, np.ndarray) and REAL(x).kind in 'Of')
        or isinstance(x, (float, np.floating))
        or (isinstance(x, (int, np.integer)) and not isinstance(x, bool))
        or isinstance(x, np.ndarray)
    ):
        yield x
    elif (
        x is not None and not isinstance(x, (bool, np.bool_, str, bytes)) and hasattr(x, '__dict__')
    ):
        for part in vars(x).values():
            yield from _leaves_of_result(part)


def _strip_tree(x):
    if isinstance(x, dict):
        return {key: _strip_tree(part) for key, part in x.items()}
    if isinstance(x, (list, tuple)) and not hasattr(x, '_fields'):
        return type(x)(_strip_tree(part) for part in x)
    return strip(x)


def gradient(f, args, wrt=(0,), seed=None, kwargs=None):
    """The gradients of f by args[k] for each k of wrt; of an array or several results, of the sum
    of all."""
    return differentiate(f, args, wrt, seed, kwargs).gradients


def value(f, args, kwargs=None):
    """What f returns when it runs on the oracle's numbers."""
    return differentiate(f, args, (), None, kwargs).value


def same(got, want, tolerance=1e-10):
    """The largest |got - want| / (1 + |want|) over two trees of one shape is at most the
    tolerance."""
    return error(got, want) <= tolerance


def error(got, want):
    if isinstance(want, dict):
        if not isinstance(got, dict) or got.keys() != want.keys():
            return math.inf
        return max((error(got[key], want[key]) for key in want), default=0.0)
    if isinstance(want, (list, tuple)):
        if not isinstance(got, (list, tuple)) or len(got) != len(want):
            return math.inf
        return max((error(g, w) for g, w in zip(got, want)), default=0.0)
    if not isinstance(want, np.ndarray) and hasattr(want, '__dict__'):
        return error(vars(got), vars(want)) if type(got) is type(want) else math.inf
    if want is None or isinstance(want, str):
        return 0.0 if got == want else math.inf
    got, want = np.asarray(got), np.asarray(want)
    if got.shape != want.shape or got.dtype.kind not in 'fciub':
        return math.inf
    if 'b' in (got.dtype.kind, want.dtype.kind):
        got, want = got * 1, want * 1
    with np.errstate(all='ignore'):
        off = np.abs(got - want) / (1.0 + np.abs(want))
    off = np.where((got == want) | (np.isnan(got) & np.isnan(want)), 0.0, off)
    off = float(np.max(off, initial=0.0))
    return math.inf if math.isnan(off) else off


assert sys.version_info >= (3, 11)
