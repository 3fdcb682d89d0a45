"""The oracle's knowledge of NumPy and math: values by the real library, derivatives by the
textbook.

In: Duals and Tracked arrays (oracle_numbers). Out: `SUBSTITUTES`, module-like objects that stand
for `numpy`, `numpy.linalg` and `math` in the globals of the function under test. The conventions at
singular points are those of the product (see oracle)."""
# ruff: noqa: B905, SIM905

import builtins
import math
import types

import numpy as np
import scipy.special
from oracle_numbers import (
    SUBSTITUTES,
    Dual,
    NotInOracle,
    Run,
    Tracked,
    cell,
    is_tracked,
    join,
    numpied,
    objects,
    plain,
    scaled,
    split,
    storable,
    strip,
    value_of,
    weighted,
    wrapped,
)  # fmt: skip

# The rules. Elementwise: the partials as functions of the result and the operands.


def _sign(y, x):
    Run.kink(x)
    return np.sign(x)


def _jump(y, x):
    Run.kink(x - np.rint(x))
    return np.zeros_like(x, dtype=float)


def _flat(y, x):
    return np.zeros_like(x, dtype=float)


UNARY = {
    'sin': lambda y, x: np.cos(x),
    'cos': lambda y, x: -np.sin(x),
    'tan': lambda y, x: 1 + y * y,
    'arcsin': lambda y, x: 1 / np.sqrt(1 - x * x),
    'arccos': lambda y, x: -1 / np.sqrt(1 - x * x),
    'arctan': lambda y, x: 1 / (1 + x * x),
    'sinh': lambda y, x: np.cosh(x),
    'cosh': lambda y, x: np.sinh(x),
    'tanh': lambda y, x: 1 / np.cosh(x) ** 2,
    'arcsinh': lambda y, x: 1 / np.sqrt(x * x + 1),
    'arccosh': lambda y, x: 1 / np.sqrt(x * x - 1),
    'arctanh': lambda y, x: 1 / (1 - x * x),
    'exp': lambda y, x: y,
    'exp2': lambda y, x: y * math.log(2.0),
    'expm1': lambda y, x: np.exp(x),
    'log': lambda y, x: 1 / x,
    'log2': lambda y, x: 1 / (x * math.log(2.0)),
    'log10': lambda y, x: 1 / (x * math.log(10.0)),
    'log1p': lambda y, x: 1 / (1 + x),
    'sqrt': lambda y, x: 0.5 / y,
    'cbrt': lambda y, x: 1 / (3 * y * y),
    'square': lambda y, x: 2 * x,
    'reciprocal': lambda y, x: -y * y,
    'negative': lambda y, x: np.full_like(x, -1.0, dtype=float),
    'positive': lambda y, x: np.ones_like(x, dtype=float),
    'absolute': _sign,
    'fabs': _sign,
    'sign': _jump,
    'floor': _jump,
    'ceil': _jump,
    'trunc': _jump,
    'rint': _jump,
    'deg2rad': lambda y, x: np.full_like(x, math.pi / 180, dtype=float),
    'rad2deg': lambda y, x: np.full_like(x, 180 / math.pi, dtype=float),
    'sinc': lambda y, x: np.where(x == 0, 0.0, (np.cos(np.pi * x) - y) / np.where(x == 0, 1.0, x)),
    'nan_to_num': lambda y, x: np.isfinite(x) * 1.0,
}
UNARY_ALIASES = {
    'abs': 'absolute', 'degrees': 'rad2deg', 'radians': 'deg2rad', 'asin': 'arcsin',
    'acos': 'arccos',
    'atan': 'arctan', 'asinh': 'arcsinh', 'acosh': 'arccosh', 'atanh': 'arctanh', 'fix': 'trunc',
}  # fmt: skip


def _share(first, second):
    """Of two operands the one that counts, half where they are equal."""
    Run.kink(np.asarray(first - second))
    return np.where(first == second, 0.5, np.where(first > second, 1.0, 0.0))


def _base_slope(y, x, n):
    return np.where(n == 0, 0.0, n * np.power(np.asarray(x, float), np.where(n == 0, 1, n - 1)))


def _exponent_slope(y, x, n):
    return np.where(x == 0, 0.0, y * np.log(np.where(x == 0, 1.0, x)))


BINARY = {
    'add': (lambda y, a, b: np.ones_like(y), lambda y, a, b: np.ones_like(y)),
    'subtract': (lambda y, a, b: np.ones_like(y), lambda y, a, b: -np.ones_like(y)),
    'multiply': (lambda y, a, b: b + 0 * a, lambda y, a, b: a + 0 * b),
    'divide': (lambda y, a, b: 1 / b + 0 * a, lambda y, a, b: -y / b),
    'power': (_base_slope, _exponent_slope),
    'float_power': (_base_slope, _exponent_slope),
    'arctan2': (lambda y, a, b: b / (a * a + b * b), lambda y, a, b: -a / (a * a + b * b)),
    'hypot': (
        lambda y, a, b: np.where(y == 0, 0.0, a / np.where(y == 0, 1.0, y)),
        lambda y, a, b: np.where(y == 0, 0.0, b / np.where(y == 0, 1.0, y)),
    ),
    'maximum': (lambda y, a, b: _share(a, b), lambda y, a, b: _share(b, a)),
    'minimum': (lambda y, a, b: _share(b, a), lambda y, a, b: _share(a, b)),
    'logaddexp': (lambda y, a, b: np.exp(a - y), lambda y, a, b: np.exp(b - y)),
    'logaddexp2': (lambda y, a, b: np.exp2(a - y), lambda y, a, b: np.exp2(b - y)),
    'remainder': (lambda y, a, b: np.ones_like(y), lambda y, a, b: -np.floor_divide(a, b)),
    'fmod': (lambda y, a, b: np.ones_like(y), lambda y, a, b: -np.trunc(a / b)),
    'copysign': (lambda y, a, b: np.sign(a) * np.sign(y), lambda y, a, b: np.zeros_like(y)),
    'heaviside': (lambda y, a, b: np.zeros_like(y), lambda y, a, b: (a == 0) * 1.0),
    'floor_divide': (lambda y, a, b: np.zeros_like(y), lambda y, a, b: np.zeros_like(y)),
}
BINARY_ALIASES = {
    'true_divide': 'divide', 'fmax': 'maximum', 'fmin': 'minimum', 'mod': 'remainder',
    'pow': 'power',
    'atan2': 'arctan2',
}  # fmt: skip


def _spread(d, ndim):
    """Derivatives lined up so that they broadcast against a result of that many axes."""
    return d.reshape((1,) * (ndim + 1 - d.ndim) + d.shape)


def elementwise(function, partials, *operands):
    parts = [split(x) for x in operands]
    values = [v for v, _ in parts]
    y = function(*values)
    values = [v.astype(float) if v.dtype.kind in 'iub' else v for v in values]
    d = None
    with np.errstate(all='ignore'):
        for partial, (_, dx) in zip(partials, parts):
            if dx is not None:
                p = np.broadcast_to(partial(np.asarray(y), *values), np.shape(y))
                term = weighted(p, _spread(dx, np.ndim(y)))
                d = term if d is None else d + term
    return join(y, d)


def _by_seed(function, d):
    """A linear function applied to each derivative."""
    return np.stack([np.asarray(function(d[..., k])) for k in range(d.shape[-1])], axis=-1)


def linear(function):
    """The substitute of a function that is linear in its first argument."""

    def call(x, *args, **kwargs):
        v, d = split(x)
        args, kwargs = (
            strip(args),
            {key: strip(arg) for key, arg in kwargs.items() if key != 'dtype'},
        )
        y = function(v, *args, **kwargs)
        return join(y, None if d is None else _by_seed(lambda dx: function(dx, *args, **kwargs), d))

    return call


def bilinear(function):
    """The substitute of a function that is linear in each of its first two arguments."""

    def call(a, b, *args, **kwargs):
        (va, da), (vb, db) = split(a), split(b)
        y, d = function(va, vb, *args, **kwargs), None
        if da is not None:
            d = _by_seed(lambda dx: function(dx, vb, *args, **kwargs), da)
        if db is not None:
            term = _by_seed(lambda dx: function(va, dx, *args, **kwargs), db)
            d = term if d is None else d + term
        return join(y, d)

    return call


class Ufunc:
    """An elementwise function with the methods of a ufunc."""

    def __init__(self, name, partials):
        self.real, self.partials, self.__name__ = getattr(np, name), partials, name

    def __call__(self, *args, out=None, **kwargs):
        operands, rest = args[: len(self.partials)], args[len(self.partials) :]
        out = rest[0] if rest else out[0] if isinstance(out, tuple) else out
        if kwargs.keys() - {'dtype'}:
            raise NotInOracle(f'{self.__name__} with {", ".join(kwargs)}')
        if self.real is np.absolute and np.iscomplexobj(strip(operands[0])):
            y = _modulus(*operands)
        elif is_tracked(operands):
            y = elementwise(self.real, self.partials, *operands)
        else:
            y = wrapped(self.real(*operands, **kwargs))
        if out is None:
            return y
        out[...] = y
        return out

    def at(self, array, index, *value):
        self.real.at(plain(array), index, *(plain(storable(v)) for v in value))

    def reduce(self, array, axis=0, **kwargs):
        names = {'add': 'sum', 'multiply': 'prod', 'maximum': 'max', 'minimum': 'min'}
        return getattr(SUBSTITUTES[np], names[self.__name__])(array, axis=axis, **kwargs)

    def accumulate(self, array, axis=0):
        return wrapped(self.real.accumulate(plain(array), axis))

    def outer(self, a, b):
        a, b = SUBSTITUTES[np].asarray(a), SUBSTITUTES[np].asarray(b)
        return self(a.reshape(a.shape + (1,) * b.ndim), b)


# Functions with a derivative of their own.


def _modulus(x):
    v, d = split(x)
    y = np.abs(v)
    slope = np.conj(v) / np.where(y == 0, 1.0, y)
    return join(y, None if d is None else (slope[..., None] * d).real)


def _extreme(function):
    def call(x, axis=None, out=None, keepdims=False):
        v, d = split(x)
        y = function(v, axis=axis, keepdims=keepdims)
        if d is None or out is not None:
            return join(y, d)
        top = v == function(v, axis=axis, keepdims=True)
        others = np.where(top, math.inf, np.abs(v - function(v, axis=axis, keepdims=True)))
        Run.kink(0.0 if np.any(np.sum(top, axis=axis) > 1) else others)
        share = top / np.sum(top, axis=axis, keepdims=True)
        shared = weighted(share, d)
        return join(y, _by_seed(lambda dx: np.sum(dx, axis=axis, keepdims=keepdims), shared))

    return call


def _spread_of(root):
    def call(x, axis=None, dtype=None, out=None, ddof=0, keepdims=False):
        v, d = split(x)
        y = (np.std if root else np.var)(v, axis=axis, ddof=ddof, keepdims=keepdims)
        if d is None:
            return join(y, None)
        centred = v - np.mean(v, axis=axis, keepdims=True)
        count = v.size / max(np.mean(v, axis=axis).size, 1) - ddof
        dy = _by_seed(lambda dx: np.sum(2 * centred * dx, axis=axis, keepdims=keepdims) / count, d)
        return join(y, weighted(0.5 / np.asarray(y), dy) if root else dy)

    return call


def _sort(x, axis=-1, kind=None, order=None):
    v, d = split(x)
    y = np.sort(v, axis=axis)
    if d is None:
        return join(y, None)
    if axis is None:
        v, d, axis = v.ravel(), d.reshape(-1, d.shape[-1]), -1
    axis %= v.ndim
    order = np.argsort(v, axis=axis, kind='stable')
    d = np.moveaxis(np.take_along_axis(d, order[..., None], axis), axis, -2).copy()
    lanes = np.moveaxis(y, axis, -1)
    for lane in np.ndindex(lanes.shape[:-1]):
        Run.kink(np.diff(lanes[lane]))
        for level in np.unique(lanes[lane]):
            same = lanes[lane] == level
            d[lane][same] = np.mean(d[lane][same], axis=0)
    return join(y, np.moveaxis(d, -2, axis))


def _median(x, axis=None, out=None, overwrite_input=False, keepdims=False):
    x = SUBSTITUTES[np].asarray(x)
    ordered = _sort(x, axis=axis)
    axis_ = 0 if axis is None else axis
    n = ordered.shape[axis_]
    half = [SUBSTITUTES[np].take(ordered, k, axis=axis_) for k in ((n - 1) // 2, n // 2)]
    y = 0.5 * half[0] + 0.5 * half[1]
    return (
        y
        if not keepdims
        else SUBSTITUTES[np].reshape(y, np.mean(strip(x), axis=axis, keepdims=True).shape)
    )


def _clip(x, *args, min=None, max=None, a_min=None, a_max=None, out=None):
    low, high = args if args else (min if a_min is None else a_min, max if a_max is None else a_max)
    lowest, highest = (-math.inf if low is None else low), (math.inf if high is None else high)
    for edge in (lowest, highest):
        with np.errstate(invalid='ignore'):
            Run.kink(np.asarray(strip(x)) - strip(edge))
    y = elementwise(
        lambda x, a, b: np.clip(x, a, b),
        (
            lambda y, x, a, b: ((x >= a) & (x <= b)) * 1.0,
            lambda y, x, a, b: (x < a) * 1.0,
            lambda y, x, a, b: (x > b) * 1.0,
        ),
        x, lowest, highest,
    )  # fmt: skip
    if out is None:
        return y
    out[...] = y
    return out


def _where(condition, *branches):
    condition = strip(condition)
    if not branches:
        return np.where(condition)
    if not is_tracked(branches):
        return wrapped(np.where(condition, *branches))
    real = [
        np.asarray(branch, object) if not is_tracked(branch) else _cell_or_array(branch)
        for branch in branches
    ]
    return _floats(np.where(condition, *real))


def _cell_or_array(x):
    return cell(x) if type(x) is Dual else plain(SUBSTITUTES[np].asarray(x))


def _floats(array):
    """Every element of an object array as an element of a float array has it."""
    out = np.empty(array.shape, object)
    out.reshape(-1)[:] = [numpied(e) for e in array.reshape(-1)]
    return out.view(Tracked)


def _array(x, dtype=None, copy=True, **kwargs):
    if not is_tracked(x):
        return wrapped(np.array(x, dtype=dtype, copy=copy, **kwargs))
    if dtype is not None and np.dtype(dtype).kind in 'iub':
        return np.array(strip(x), dtype=dtype)
    if isinstance(x, np.ndarray):
        return wrapped(x.copy() if copy else x)
    if type(x) is Dual:
        return _floats(cell(x))
    return _floats(np.array(deep_plain(x), dtype=object))


def deep_plain(x):
    return type(x)(deep_plain(part) for part in x) if type(x) in (list, tuple) else plain(x)


def _asarray(x, dtype=None, **kwargs):
    return _array(x, dtype, copy=None if not is_tracked(x) else not isinstance(x, np.ndarray))


def _full(shape, value, dtype=None, **kwargs):
    out = SUBSTITUTES[np].empty(shape) if is_tracked(value) else np.full(shape, value, dtype)
    if is_tracked(value):
        out[...] = value
    return wrapped(out)


def _like(function):
    def call(x, *args, dtype=None, shape=None):
        real = np.empty(
            np.shape(x) if shape is None else shape, float if is_tracked(x) else np.asarray(x).dtype
        )
        if args and is_tracked(args):
            return _full(real.shape, *args)
        return wrapped(function(real, *args, dtype=dtype))

    return call


def _linspace(start, stop, num=50, endpoint=True, **kwargs):
    if kwargs.keys() - {'dtype'}:
        raise NotInOracle('linspace with ' + ', '.join(kwargs))
    (a, da), (b, db) = split(start), split(stop)
    t = np.linspace(0.0, 1.0, num, endpoint=endpoint)
    d = 0.0 if da is None else np.multiply.outer(1 - t, da)
    d = d if db is None else d + np.multiply.outer(t, db)
    return join(
        np.linspace(a, b, num, endpoint=endpoint), d if da is not None or db is not None else None
    )


def _arange(*args, **kwargs):
    y = np.arange(*strip(args), **kwargs)
    if not is_tracked(args):
        return wrapped(y)
    start, step = args[0] if len(args) > 1 else 0.0, args[2] if len(args) > 2 else 1.0
    steps = objects(np.arange(len(y), dtype=float))
    d = split(start + step * steps)[1]
    return join(y, d)


def _einsum(subscripts, *operands, **kwargs):
    parts = [split(x) for x in operands]
    values, d = [v for v, _ in parts], None
    for k, (_, dx) in enumerate(parts):
        if dx is not None:
            term = _by_seed(
                lambda s, k=k: np.einsum(subscripts, *values[:k], s, *values[k + 1 :], **kwargs), dx
            )
            d = term if d is None else d + term
    return join(np.einsum(subscripts, *values, **kwargs), d)


def _interp(x, xp, fp, **kwargs):
    (v, d), (knots, dk), (levels, dl) = split(x), split(xp), split(fp)
    if dk is not None or kwargs:
        raise NotInOracle('interp with moving knots')
    y, total = np.interp(v, knots, levels), None
    if d is not None:
        k = np.clip(np.searchsorted(knots, v, side='right') - 1, 0, len(knots) - 2)
        slope = (levels[k + 1] - levels[k]) / (knots[k + 1] - knots[k])
        total = weighted(np.where((v < knots[0]) | (v > knots[-1]), 0.0, slope), d)
    if dl is not None:
        term = _by_seed(lambda dx: np.interp(v, knots, dx), dl)
        total = term if total is None else total + term
    return join(y, total)


# Linear algebra.


def _solve(a, b):
    (va, da), (vb, db) = split(a), split(b)
    y, right = np.linalg.solve(va, vb), 0.0
    if da is not None:
        right = right - np.stack([da[..., k] @ y for k in range(da.shape[-1])], axis=-1)
    right = right if db is None else right + db
    if da is None and db is None:
        return join(y, None)
    return join(y, _by_seed(lambda dx: np.linalg.solve(va, dx), right))


def _inv(a):
    v, d = split(a)
    y = np.linalg.inv(v)
    return join(y, None if d is None else _by_seed(lambda dx: -y @ dx @ y, d))


def _cofactors(v):
    """Of one matrix or a stack; right for singular ones, too."""
    out = np.empty(v.shape)
    n = v.shape[-1]
    for i in range(n):
        for j in range(n):
            minor = np.delete(np.delete(v, i, -2), j, -1)
            out[..., i, j] = (-1) ** (i + j) * np.linalg.det(minor)
    return out


def _det(a):
    v, d = split(a)
    return join(
        np.linalg.det(v), None if d is None else np.sum(weighted(_cofactors(v), d), axis=(-3, -2))
    )


def _slogdet(a):
    v, d = split(a)
    sign, y = np.linalg.slogdet(v)
    back = np.swapaxes(np.linalg.inv(v), -1, -2)
    return sign, join(y, None if d is None else np.sum(weighted(back, d), axis=(-3, -2)))


def _cholesky(a):
    v, d = split(a)
    y = np.linalg.cholesky(v)

    def moved(dx):
        middle = np.linalg.solve(
            y, np.swapaxes(np.linalg.solve(y, 0.5 * (dx + np.swapaxes(dx, -1, -2))), -1, -2)
        )
        return y @ (np.tril(middle) - 0.5 * np.tril(np.triu(middle)))

    return join(y, None if d is None else _by_seed(moved, d))


def _norm(x, ord=None, axis=None, keepdims=False):
    m = SUBSTITUTES[np]
    x = m.asarray(x)
    if ord in (None, 'fro') or (ord == 2 and (x.ndim == 1 or isinstance(axis, int))):
        return m.sqrt(m.sum(m.abs(x) ** 2, axis=axis, keepdims=keepdims))
    if isinstance(axis, int) or x.ndim == 1:
        if ord == 1:
            return m.sum(m.abs(x), axis=axis, keepdims=keepdims)
        if ord in (math.inf, -math.inf):
            return (m.max if ord > 0 else m.min)(m.abs(x), axis=axis, keepdims=keepdims)
        return m.sum(m.abs(x) ** ord, axis=axis, keepdims=keepdims) ** (1.0 / ord)
    raise NotInOracle(f'norm of order {ord}')


def _turned(q, d):
    """The change of a symmetric matrix (its two triangles share the slope) in the basis of its
    eigenvectors."""
    return _by_seed(
        lambda dx: np.swapaxes(q, -1, -2) @ (0.5 * (dx + np.swapaxes(dx, -1, -2))) @ q, d
    )


def _eigvalsh(a, UPLO='L'):
    v, d = split(a)
    w, q = np.linalg.eigh(v, UPLO)
    if d is None:
        return objects(w)
    return join(w, np.moveaxis(np.diagonal(_turned(q, d), axis1=-3, axis2=-2), -2, -1))


def _eigh(a, UPLO='L'):
    v, d = split(a)
    w, q = np.linalg.eigh(v, UPLO)
    if d is None:
        return objects(w), objects(q)
    gaps = w[..., None, :] - w[..., :, None]
    if np.sum(np.abs(gaps) < 1e-12) > w.size:
        raise NotInOracle('eigenvectors of a repeated eigenvalue')
    inverse = np.divide(1.0, gaps, out=np.zeros_like(gaps), where=gaps != 0)
    vectors = join(q, _by_seed(lambda t: q @ (inverse * t), _turned(q, d)))
    return _eigvalsh(a, UPLO), vectors


def _matrix_power(a, n):
    m = SUBSTITUTES[np]
    a = _inv(a) if n < 0 else a
    y = m.eye(np.shape(a)[-1])
    for _ in range(abs(n)):
        y = m.matmul(y, a)
    return y


# The substitutes: module-like objects, filled from the tables.

STRUCTURAL = (
    'reshape transpose ravel concatenate concat stack hstack vstack dstack column_stack '
    'expand_dims squeeze swapaxes moveaxis rollaxis roll flip fliplr flipud rot90 tile repeat '
    'take take_along_axis broadcast_to broadcast_arrays diag diagonal diagflat atleast_1d '
    'atleast_2d atleast_3d split array_split hsplit vsplit append insert delete tril triu '
    'meshgrid select compress extract choose trace diff ediff1d prod cumprod copyto '
    'fill_diagonal put_along_axis place putmask matrix_transpose permute_dims unstack pad '
    'block cross ptp trapezoid resize kron nansum nanmean'
).split()  # the real function gives the right answer on object arrays
VALUES_ONLY = (
    'argmax argmin argsort argpartition argwhere nonzero flatnonzero count_nonzero any all '
    'isnan isinf isfinite less less_equal greater greater_equal equal not_equal logical_and '
    'logical_or logical_not logical_xor allclose isclose array_equal searchsorted digitize '
    'signbit shape ndim size isscalar lexsort isrealobj iscomplexobj array_str array_repr '
    'may_share_memory shares_memory'
).split()
CREATION = 'zeros ones empty eye identity logspace geomspace tri vander hanning hamming'.split()


def _structural(real):
    def call(*args, **kwargs):
        kwargs = {key: deep_plain(arg) for key, arg in kwargs.items() if key != 'dtype'}
        return wrapped(real(*(deep_plain(arg) for arg in args), **kwargs))

    return call


def _values_only(real):
    return lambda *args, **kwargs: real(*strip(args), **{k: strip(a) for k, a in kwargs.items()})


def _creation(real):
    return lambda *args, **kwargs: wrapped(real(*args, **kwargs))


class Substitute:
    """A module whose functions know Duals. What it has no rule for works on plain values only."""

    def __init__(self, real, table):
        self.__dict__.update(table)
        self.__real = real

    def __getattr__(self, name):
        real = getattr(self.__real, name)
        if isinstance(real, types.ModuleType) and real in SUBSTITUTES:
            found = SUBSTITUTES[real]
        elif isinstance(real, type) or not callable(real):
            found = real
        else:

            def found(*args, **kwargs):
                if is_tracked(args) or is_tracked(tuple(kwargs.values())):
                    raise NotInOracle(f'{self.__real.__name__}.{name}')
                return wrapped(real(*args, **kwargs))

        self.__dict__[name] = found
        return found


def _numpy_table():
    table = {
        name: Ufunc(name, (partial,))
        for name, partial in UNARY.items()
        if name not in ('sinc', 'nan_to_num')
    }
    for name in ('sinc', 'nan_to_num'):
        table[name] = lambda x, name=name: elementwise(getattr(np, name), (UNARY[name],), x)
    table |= {alias: table[name] for alias, name in UNARY_ALIASES.items()}
    table |= {name: Ufunc(name, partials) for name, partials in BINARY.items()}
    table |= {alias: table[name] for alias, name in BINARY_ALIASES.items()}
    table |= {name: _structural(getattr(np, name)) for name in STRUCTURAL if hasattr(np, name)}
    table |= {name: _values_only(getattr(np, name)) for name in VALUES_ONLY}
    table |= {name: _creation(getattr(np, name)) for name in CREATION}
    table |= {
        name: linear(getattr(np, name))
        for name in 'sum mean cumsum real imag conj conjugate average'.split()
    }
    names = 'matmul dot inner outer vdot tensordot convolve correlate vecdot matvec vecmat'.split()
    table |= {name: bilinear(getattr(np, name)) for name in names if hasattr(np, name)}
    table |= {
        name + '_like': _like(getattr(np, name + '_like'))
        for name in 'zeros ones empty full'.split()
    }
    table['copy'] = _array
    table['max'] = table['amax'] = _extreme(np.max)
    table['min'] = table['amin'] = _extreme(np.min)
    table['round'] = table['around'] = lambda x, decimals=0: elementwise(
        lambda v: np.round(v, decimals), (_flat,), x
    )
    table |= dict(
        array=_array, asarray=_asarray, ascontiguousarray=_asarray, full=_full,
        linspace=_linspace, arange=_arange,
        where=_where, clip=_clip, sort=_sort, median=_median, std=_spread_of(True),
        var=_spread_of(False),
        einsum=_einsum, interp=_interp,
        float64=lambda x=0.0: numpied(x) if not np.ndim(x) else _array(x),
    )  # fmt: skip
    return table


def _scalar(real, partials):
    """A function of math: Python floats in, a Python float out, Python's exceptions."""

    def call(*args):
        values = [
            value_of(a.item() if isinstance(a, np.ndarray) and a.size == 1 else a) for a in args
        ]
        y, d = real(*values), None
        with np.errstate(all='ignore'):
            for partial, a in zip(partials, args):
                if is_tracked(a):
                    a = a.item() if isinstance(a, np.ndarray) else a
                    floats = [np.float64(v) for v in values]
                    term = scaled(a.d, float(partial(np.float64(y), *floats)))
                    d = term if d is None else d + term
        return y if d is None else Dual(y, d)

    return call


def _math_table():
    names = {'asin': 'arcsin', 'acos': 'arccos', 'atan': 'arctan', 'asinh': 'arcsinh',
             'acosh': 'arccosh',
             'atanh': 'arctanh', 'degrees': 'rad2deg', 'radians': 'deg2rad'}  # fmt: skip
    own = 'sin cos tan sinh cosh tanh exp exp2 expm1 log2 log10 log1p sqrt cbrt fabs'.split()
    table = {name: _scalar(getattr(math, name), (UNARY[name],)) for name in own}
    table |= {name: _scalar(getattr(math, name), (UNARY[other],)) for name, other in names.items()}
    binary = {'pow': 'power', 'atan2': 'arctan2', 'fmod': 'fmod', 'copysign': 'copysign'}
    table |= {name: _scalar(getattr(math, name), BINARY[other]) for name, other in binary.items()}
    special = {
        'erf': lambda y, x: 2 / math.sqrt(math.pi) * np.exp(-x * x),
        'erfc': lambda y, x: -2 / math.sqrt(math.pi) * np.exp(-x * x),
        'gamma': lambda y, x: y * scipy.special.digamma(x),
        'lgamma': lambda y, x: scipy.special.digamma(x),
    }
    table |= {name: _scalar(getattr(math, name), (partial,)) for name, partial in special.items()}
    table['log'] = _scalar(
        math.log, (lambda y, x, b=math.e: 1 / (x * np.log(b)), lambda y, x, b: -y / (b * np.log(b)))
    )
    table['remainder'] = _scalar(
        math.remainder, (lambda y, a, b: 1.0, lambda y, a, b: -np.rint(a / b))
    )
    table['fsum'] = lambda terms: builtins.sum(terms, 0.0)
    table['prod'] = lambda terms, *, start=1: _product(terms, start)

    def hypot(*args):
        partials = [
            lambda y, *xs, k=k: np.float64(0.0) if y == 0 else xs[k] / y for k in range(len(args))
        ]
        return _scalar(math.hypot, partials)(*args)

    table['hypot'] = hypot
    table['dist'] = lambda p, q: hypot(*(a - b for a, b in zip(p, q, strict=True)))
    for name in ('floor', 'ceil', 'trunc', 'isnan', 'isinf', 'isfinite', 'isclose'):
        table[name] = _values_only(getattr(math, name))
    return table


def _product(terms, start):
    for term in terms:
        start = start * term
    return start


_LINALG = dict(
    solve=_solve, inv=_inv, det=_det, slogdet=_slogdet, cholesky=_cholesky, norm=_norm, eigh=_eigh,
    eigvalsh=_eigvalsh, matrix_power=_matrix_power,
)  # fmt: skip

SUBSTITUTES[np] = Substitute(np, _numpy_table())
SUBSTITUTES[np.linalg] = Substitute(np.linalg, _LINALG)
SUBSTITUTES[math] = Substitute(math, _math_table())
