"""The oracle's numbers: a value with its derivatives, and object arrays of them that pass for float
arrays.

In: what the function under test does to its numbers. Out: the same, with derivatives. How a number
that does not know the other operand's type, a view, a copy or an element behaves is CPython's and
NumPy's business."""
# ruff: noqa: B905, SIM905

import math

import numpy as np

NUMBERS = (int, float, complex, np.number, np.bool_)
REAL = np.ndarray.dtype.__get__  # a Tracked array's own dtype; its `dtype` says float


SUBSTITUTES = {}  # library module -> what stands for it in the oracle's runs; from oracle_rules


class NotInOracle(Exception):
    """The oracle has no derivative for this; the test at hand cannot use it."""


class Run:
    """How near the run came to a point where the derivative jumps (relative distance)."""

    nearest = math.inf

    @classmethod
    def kink(cls, gap):
        gap = np.min(np.abs(np.asarray(gap, float)), initial=math.inf)
        if gap < cls.nearest:
            cls.nearest = float(gap)


def scaled(d, p):
    """p * d for a number p, where zero times anything is zero."""
    if p == 0:
        return np.zeros_like(d)
    if isinstance(p, np.bool_) or p - p == 0:
        return d * p
    return np.where(d == 0, 0.0, d * p)


def weighted(p, d):
    """The same for an array p of partials and an array d with the derivatives along its last
    axis."""
    p = np.asarray(p)[..., None]
    with np.errstate(all='ignore'):
        product = p * d
    if not np.all(np.isfinite(product)):
        product = np.where((p == 0) | (d == 0), 0.0, product)
    return product


# One number.


class Dual:
    """A number and its derivatives. The value is a Python float, an int or a NumPy scalar, as in
    the real run, so that division by zero, overflow and powers behave as they do there."""

    __slots__ = ("d", "v")
    __array_priority__ = 1000.0

    def __init__(self, v, d):
        self.v = v
        self.d = d

    # Arithmetic. Other numbers have no derivative; arrays are combined element by element.

    def __add__(self, o):
        if type(o) is Dual:
            return Dual(self.v + o.v, self.d + o.d)
        if isinstance(o, NUMBERS):
            return Dual(self.v + o, self.d)
        return with_array(np.add, self, o)

    def __radd__(self, o):
        if isinstance(o, NUMBERS):
            return Dual(o + self.v, self.d)
        return with_array(np.add, o, self)

    def __sub__(self, o):
        if type(o) is Dual:
            return Dual(self.v - o.v, self.d - o.d)
        if isinstance(o, NUMBERS):
            return Dual(self.v - o, self.d)
        return with_array(np.subtract, self, o)

    def __rsub__(self, o):
        if isinstance(o, NUMBERS):
            return Dual(o - self.v, -self.d)
        return with_array(np.subtract, o, self)

    def __mul__(self, o):
        if type(o) is Dual:
            return Dual(self.v * o.v, scaled(self.d, o.v) + scaled(o.d, self.v))
        if isinstance(o, NUMBERS):
            return Dual(self.v * o, scaled(self.d, o))
        return with_array(np.multiply, self, o)

    def __rmul__(self, o):
        if isinstance(o, NUMBERS):
            return Dual(o * self.v, scaled(self.d, o))
        return with_array(np.multiply, o, self)

    def __truediv__(self, o):
        if type(o) is Dual:
            v, slope = self.v / o.v, 1.0 / np.float64(o.v) if is_real(o.v) else 1.0 / o.v
            return Dual(v, scaled(self.d, slope) - scaled(o.d, v * slope))
        if isinstance(o, NUMBERS):
            v = self.v / o
            return Dual(v, scaled(self.d, 1.0 / np.float64(o) if is_real(o) else 1.0 / o))
        return with_array(np.true_divide, self, o)

    def __rtruediv__(self, o):
        if isinstance(o, NUMBERS):
            v = o / self.v
            return Dual(v, -scaled(self.d, v / np.float64(self.v) if is_real(v) else v / self.v))
        return with_array(np.true_divide, o, self)

    def __pow__(self, o, modulus=None):
        if modulus is not None:
            raise NotInOracle('pow with a modulus')
        if type(o) is Dual or isinstance(o, NUMBERS):
            return power(self, o)
        return with_array(np.power, self, o)

    def __rpow__(self, o):
        return power(o, self) if isinstance(o, NUMBERS) else with_array(np.power, o, self)

    def __mod__(self, o):
        if type(o) is Dual or isinstance(o, NUMBERS):
            v, times = value_of(self) % value_of(o), value_of(self) // value_of(o)
            Run.kink(v)
            moved = scaled(o.d, -times) if type(o) is Dual else 0.0
            return Dual(v, self.d + moved)
        return with_array(np.remainder, self, o)

    def __rmod__(self, o):
        if isinstance(o, NUMBERS):
            v, times = o % self.v, o // self.v
            Run.kink(v)
            return Dual(v, scaled(self.d, -times))
        return with_array(np.remainder, o, self)

    def __floordiv__(self, o):
        if type(o) is Dual or isinstance(o, NUMBERS):
            return self.v // value_of(o)
        return with_array(np.floor_divide, self, o)

    def __rfloordiv__(self, o):
        return o // self.v if isinstance(o, NUMBERS) else with_array(np.floor_divide, o, self)

    def __divmod__(self, o):
        return self // o, self % o

    def __rdivmod__(self, o):
        return o // self, o % self

    def __matmul__(self, o):
        raise ValueError('matmul: an operand is a scalar')

    __rmatmul__ = __matmul__

    def __neg__(self):
        return Dual(-self.v, -self.d)

    def __pos__(self):
        return Dual(+self.v, self.d)

    def __abs__(self):
        Run.kink(self.v)
        if isinstance(self.v, (complex, np.complexfloating)):
            return Dual(abs(self.v), scaled((np.conj(self.v) * self.d).real, 1.0 / abs(self.v)))
        return Dual(abs(self.v), scaled(self.d, np.sign(self.v)))

    # Comparisons decide by the value, and say how close it was.

    def __lt__(self, o):
        return compare(self, o, 'lt')

    def __le__(self, o):
        return compare(self, o, 'le')

    def __gt__(self, o):
        return compare(self, o, 'gt')

    def __ge__(self, o):
        return compare(self, o, 'ge')

    def __eq__(self, o):
        return compare(self, o, 'eq')

    def __ne__(self, o):
        return compare(self, o, 'ne')

    def __hash__(self):
        return hash(self.v)

    def __bool__(self):
        Run.kink(self.v)
        return bool(self.v)

    # What leaves the real numbers stops the derivative; what would lose it silently is refused.

    def __float__(self):
        raise NotInOracle('a Dual would lose its derivative as a float')

    def __complex__(self):
        raise NotInOracle('a Dual would lose its derivative as a complex')

    def __int__(self):
        return int(self.v)

    def __trunc__(self):
        return math.trunc(self.v)

    def __floor__(self):
        return math.floor(self.v)

    def __ceil__(self):
        return math.ceil(self.v)

    def __index__(self):
        return self.v.__index__()

    def __round__(self, digits=None):
        return (
            round(self.v) if digits is None else Dual(round(self.v, digits), np.zeros_like(self.d))
        )

    def __format__(self, spec):
        return format(self.v, spec)

    def __str__(self):
        return str(self.v)

    def __repr__(self):
        return repr(self.v)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __getattr__(self, name):
        """A NumPy scalar has the attributes of a 0-d array; a Python number only its own."""
        if name.startswith('__'):
            raise AttributeError(name)
        if name == 'real':
            return Dual(self.v.real, self.d.real)
        if name == 'imag':
            return Dual(self.v.imag, self.d.imag)
        if name in ('conjugate', 'conj'):
            return lambda: Dual(self.v.conjugate(), self.d.conjugate())
        if isinstance(
            getattr(np, name, None), np.ufunc
        ):  # how NumPy calls a ufunc on the elements of an object array
            return lambda: getattr(SUBSTITUTES[np], name)(self)
        if isinstance(self.v, np.generic):
            if name == 'item':
                return lambda: Dual(self.v.item(), self.d)
            zero = np.empty((), object).view(Tracked)
            zero[()] = self
            return getattr(zero, name)
        method = getattr(self.v, name)  # AttributeError as in the real run
        if name in ('is_integer', 'hex', 'as_integer_ratio', 'bit_length'):
            return method
        raise NotInOracle(f'attribute {name} of a number')


def holds_objects(array):
    return REAL(array).kind == 'O'


def is_real(v):
    return not isinstance(v, (complex, np.complexfloating))


def value_of(x):
    return x.v if type(x) is Dual else x


def compare(a, b, how):
    if isinstance(b, np.ndarray):
        return NotImplemented
    b = value_of(b)
    verdict = getattr(a.v, f'__{how}__')(b)
    if verdict is NotImplemented and isinstance(b, NUMBERS):
        verdict = getattr(np.float64(a.v), f'__{how}__')(b)
    if (
        verdict is not NotImplemented
        and isinstance(b, NUMBERS)
        and a.v != math.inf
        and abs(b) != math.inf
    ):
        Run.kink(a.v - b)
    return verdict


def power(a, b):
    """a ** b, with the forms of their own for the exponents 0, 1 and the base 0."""
    x, n = value_of(a), value_of(b)
    v, d = x**n, 0.0
    with np.errstate(all='ignore'):
        if type(a) is Dual and n != 0:
            base = (
                np.complex128(x) if isinstance(v, (complex, np.complexfloating)) else np.float64(x)
            )
            d = d + (a.d if n == 1 else scaled(a.d, n * base ** (n - 1)))
        if type(b) is Dual and x != 0:
            d = d + scaled(b.d, v * np.log(np.float64(x)))
    like = a.d if type(a) is Dual else b.d
    return Dual(v, d + np.zeros_like(like))


def with_array(ufunc, a, b):
    if not isinstance(a, np.ndarray) and not isinstance(b, np.ndarray):
        return NotImplemented
    return wrapped(ufunc(cell(a), cell(b)))


def cell(x):
    if isinstance(x, np.ndarray):
        return plain(objects(x))
    cell = np.empty((), object)
    cell[()] = x
    return cell


# Arrays.


class Tracked(np.ndarray):
    """An object array of Duals and numbers that passes for a float array."""

    __array_priority__ = 2000.0

    def __array_wrap__(self, array, context=None, return_scalar=False):
        if array.ndim == 0 and return_scalar:
            return array[()]
        return array.view(Tracked) if holds_objects(array) else array.view(np.ndarray)

    @property
    def dtype(self):
        return np.dtype(float) if holds_objects(self) else REAL(self)

    @property
    def real(self):
        return SUBSTITUTES[np].real(self)

    @property
    def imag(self):
        return SUBSTITUTES[np].imag(self)

    def __setitem__(self, key, value):
        np.ndarray.__setitem__(self, key, plain(storable(value)) if holds_objects(self) else value)

    def __matmul__(self, o):
        return SUBSTITUTES[np].matmul(self, o)

    def __rmatmul__(self, o):
        return SUBSTITUTES[np].matmul(o, self)

    def __imatmul__(self, o):
        self[...] = SUBSTITUTES[np].matmul(self, o)
        return self

    def __abs__(self):
        return SUBSTITUTES[np].absolute(self)

    def __repr__(self):
        return repr(strip(self))

    def __str__(self):
        return str(strip(self))

    def __format__(self, spec):
        return format(strip(self), spec)

    def astype(self, dtype, *args, **kwargs):
        if np.dtype(dtype).kind in 'iub':
            return strip(self).astype(dtype)
        return self.copy()

    def item(self, *index):
        element = np.ndarray.item(self, *index)
        return Dual(element.v.item(), element.d) if type(element) is Dual else element

    def tolist(self):
        return [row.tolist() if isinstance(row, np.ndarray) else pythonic(row) for row in self]

    def fill(self, value):
        self[...] = value

    def sort(self, axis=-1):
        self[...] = SUBSTITUTES[np].sort(self, axis=axis)

    def view(self, *args, **kwargs):
        if (args and args[0] is not np.ndarray and args[0] is not Tracked) or kwargs:
            raise NotInOracle('view of another type')
        return np.ndarray.view(self, *args)


def method_of(name):
    def method(self, *args, **kwargs):
        return getattr(SUBSTITUTES[np], name)(self, *args, **kwargs)

    method.__name__ = name
    return method


for _name in (
    'sum mean max min prod std var cumsum cumprod dot clip argmax argmin argsort round trace all'
    ' any nonzero repeat take conj searchsorted'
).split():
    setattr(Tracked, _name, method_of(_name))


def pythonic(x):
    v = value_of(x)
    v = v.item() if isinstance(v, np.generic) else v
    return Dual(v, x.d) if type(x) is Dual else v


def numpied(x):
    """A number as an element of a float array."""
    if type(x) is Dual:
        return x if isinstance(x.v, np.inexact) else Dual(np.float64(x.v), x.d)
    return (
        x
        if isinstance(x, np.inexact)
        else np.complex128(x)
        if isinstance(x, complex)
        else np.float64(x)
    )


def objects(array):
    """A float array as one that can hold Duals; anything else as it is."""
    array = np.asarray(array) if not isinstance(array, np.ndarray) else array
    if REAL(array).kind not in 'fc':
        return array
    out = np.empty(array.shape, object)
    out.reshape(-1)[:] = list(array.ravel())
    return out.view(Tracked)


def storable(value):
    if isinstance(value, np.ndarray):
        return value if holds_objects(value) else objects(np.asarray(value, float))
    if isinstance(value, (list, tuple)):
        return SUBSTITUTES[np].array(value, dtype=float)
    return numpied(value) if type(value) is Dual or isinstance(value, NUMBERS) else value


def plain(x):
    return x.view(np.ndarray) if isinstance(x, np.ndarray) else x


def wrapped(x):
    if isinstance(x, np.ndarray) and not isinstance(x, Tracked):
        return x.view(Tracked) if holds_objects(x) else objects(x)
    if type(x) in (tuple, list):
        return type(x)(wrapped(part) for part in x)
    return x


def is_tracked(x):
    if isinstance(x, (list, tuple)):
        return any(is_tracked(part) for part in x)
    return type(x) is Dual or (isinstance(x, np.ndarray) and holds_objects(x))


def split(x):
    """The values of a number or array as floats, and the derivatives along a further axis (or
    None)."""
    if type(x) is Dual:
        return np.asarray(x.v), x.d
    if isinstance(x, (list, tuple)) and is_tracked(x):
        x = SUBSTITUTES[np].array(x)
    array = np.asarray(plain(x))
    if not holds_objects(array):
        return array, None
    flat = list(array.reshape(-1))
    values = np.array([value_of(e) for e in flat] if flat else [], dtype=None if flat else float)
    like = next((e.d for e in flat if type(e) is Dual), None)
    if like is None:
        return values.reshape(array.shape), None
    zero = np.zeros_like(like)
    ds = np.array([e.d if type(e) is Dual else zero for e in flat])
    return values.reshape(array.shape), ds.reshape(*array.shape, len(like))


def join(values, d):
    """The reverse of split."""
    if d is None:
        return (
            objects(values)
            if np.ndim(values)
            else values[()]
            if isinstance(values, np.ndarray)
            else values
        )
    values = np.asarray(values)
    if REAL(values).kind not in 'fc':
        values = values.astype(float)
    if values.ndim == 0:
        return Dual(values[()], d)
    out = np.empty(values.shape, object)
    flat = out.reshape(-1)
    flat[:] = [
        Dual(v, row)
        for v, row in zip(values.ravel(), d.reshape(values.size, -1) if values.size else [])
    ]
    return out.view(Tracked)


def strip(x):
    """Values alone, deeply."""
    if type(x) is Dual:
        return x.v
    if isinstance(x, np.ndarray):
        return split(x)[0] if holds_objects(x) else plain(x)
    if type(x) in (list, tuple):
        return type(x)(strip(part) for part in x)
    if isinstance(x, slice):
        return slice(*(strip(part) for part in (x.start, x.stop, x.step)))
    return x
