"""Functions that are written out where they are called, in words that have records.

Formulas: the documentation of NumPy and SciPy, where no other source is named.
"""


@written("numpy.cov")
def cov(m, y=None, rowvar=True, bias=False, ddof=None):
    import numpy as np

    rows = np.atleast_2d(m)
    if not rowvar and np.ndim(m) > 1:
        rows = rows.T
    if y is not None:
        more = np.atleast_2d(y)
        if not rowvar and np.ndim(y) > 1:
            more = more.T
        rows = np.concatenate((rows, more))
    free = ddof if ddof is not None else (0 if bias else 1)
    centred = rows - np.mean(rows, axis=1, keepdims=True)
    return np.squeeze(centred @ centred.T / (rows.shape[1] - free))


@written("numpy.corrcoef")
def corrcoef(x, y=None, rowvar=True):
    import numpy as np

    rows = np.atleast_2d(x)
    if not rowvar and np.ndim(x) > 1:
        rows = rows.T
    if y is not None:
        more = np.atleast_2d(y)
        if not rowvar and np.ndim(y) > 1:
            more = more.T
        rows = np.concatenate((rows, more))
    centred = rows - np.mean(rows, axis=1, keepdims=True)
    products = centred @ centred.T
    lengths = np.sqrt(np.diagonal(products))
    return np.squeeze(products / lengths[:, None] / lengths)


@written("numpy.linalg.cond")
def cond(x, p=None):
    import numpy as np

    if p is None or p == 2:
        values = np.linalg.svd(x, compute_uv=False)
        return values[..., 0] / values[..., -1]
    return np.linalg.norm(x, p, axis=(-2, -1)) * np.linalg.norm(np.linalg.inv(x), p, axis=(-2, -1))


@written("scipy.linalg.cho_factor")
def cho_factor(a, lower=False):
    import scipy.linalg

    return (scipy.linalg.cholesky(a, lower), lower)


@written("scipy.linalg.cho_solve")
def cho_solve(c_and_lower, b):
    import scipy.linalg

    c, lower = c_and_lower
    if lower:
        return scipy.linalg.solve_triangular(
            c, scipy.linalg.solve_triangular(c, b, lower=True), 1, True)
    return scipy.linalg.solve_triangular(c, scipy.linalg.solve_triangular(c, b, 1))


@written("scipy.linalg.toeplitz")
def toeplitz(c, r=None):
    import numpy as np

    down = np.ravel(c)
    right = np.ravel(c if r is None else r)
    values = np.concatenate((right[:0:-1], down))
    rows = np.arange(len(down))
    columns = np.arange(len(right))
    return values[rows[:, None] - columns + (len(right) - 1)]


@written("scipy.linalg.circulant")
def circulant(c):
    import numpy as np

    places = np.arange(len(c))
    return c[(places[:, None] - places) % len(c)]


@written("scipy.linalg.solve_toeplitz")
def solve_toeplitz(c_or_cr, b):
    import numpy as np
    import scipy.linalg

    if isinstance(c_or_cr, tuple):
        c, r = c_or_cr
        return np.linalg.solve(scipy.linalg.toeplitz(c, r), b)
    return np.linalg.solve(scipy.linalg.toeplitz(c_or_cr), b)


@written("numpy.vander")
def vander(x, N=None, increasing=False):
    import numpy as np

    powers = np.arange(len(x) if N is None else N)
    return x[:, None] ** (powers if increasing else powers[::-1])


@written("numpy.polymul")
def polymul(a1, a2):
    import numpy as np

    return np.convolve(a1, a2)


@written("scipy.integrate.cumulative_trapezoid")
def cumulative_trapezoid(y, x=None, dx=1.0, axis=-1, initial=None):
    import numpy as np

    along = np.moveaxis(y, axis, -1)
    means = 0.5 * (along[..., 1:] + along[..., :-1])
    if x is None:
        sums = np.cumsum(means * dx, axis=-1)
    elif np.ndim(x) == 1:
        sums = np.cumsum(means * np.diff(x), axis=-1)
    else:
        sums = np.cumsum(means * np.diff(np.moveaxis(x, axis, -1), axis=-1), axis=-1)
    if initial is not None:
        sums = np.concatenate((0.0 * along[..., :1], sums), axis=-1)
    return np.moveaxis(sums, -1, axis)


@written("scipy.stats.zscore")
def zscore(a, axis=0, ddof=0):
    import numpy as np

    if axis is None:
        return (a - np.mean(a)) / np.std(a, ddof=ddof)
    return (a - np.mean(a, axis=axis, keepdims=True)) / np.std(
        a, axis=axis, ddof=ddof, keepdims=True)


@written("scipy.stats.gmean")
def gmean(a, axis=0):
    import numpy as np

    return np.exp(np.mean(np.log(a), axis=axis))


@written("scipy.stats.hmean")
def hmean(a, axis=0):
    import numpy as np

    return 1.0 / np.mean(1.0 / a, axis=axis)


@written("scipy.stats.sem")
def sem(a, axis=0, ddof=1):
    import numpy as np

    count = np.size(a) if axis is None else np.shape(a)[axis]
    return np.std(a, axis=axis, ddof=ddof) / np.sqrt(count)


@written("scipy.stats.variation")
def variation(a, axis=0):
    import numpy as np

    return np.std(a, axis=axis) / np.mean(a, axis=axis)


@written("scipy.stats.skew")
def skew(a, axis=0):
    import numpy as np

    centred = a - np.mean(a, axis=axis, keepdims=True)
    return np.mean(centred**3, axis=axis) / np.mean(centred**2, axis=axis) ** 1.5


@written("scipy.stats.kurtosis")
def kurtosis(a, axis=0, fisher=True):
    import numpy as np

    centred = a - np.mean(a, axis=axis, keepdims=True)
    ratio = np.mean(centred**4, axis=axis) / np.mean(centred**2, axis=axis) ** 2
    return ratio - 3.0 if fisher else ratio


@written("scipy.stats.entropy")
def entropy(pk, qk=None, axis=0):
    import numpy as np
    import scipy.special as special

    shares = pk / np.sum(pk, axis=axis, keepdims=True)
    if qk is None:
        return np.sum(special.entr(shares), axis=axis)
    return np.sum(special.rel_entr(shares, qk / np.sum(qk, axis=axis, keepdims=True)), axis=axis)


@written("numpy.logspace")
def logspace(start, stop, num=50, endpoint=True, base=10.0):
    import numpy as np

    return base ** np.linspace(start, stop, num, endpoint)


@written("numpy.geomspace")
def geomspace(start, stop, num=50, endpoint=True):
    import numpy as np

    return np.sign(start) * np.exp(
        np.linspace(np.log(np.abs(start)), np.log(np.abs(stop)), num, endpoint))


@written("numpy.polyfit")
def polyfit(x, y, deg, rcond=None, full=False, w=None):
    import numpy as np

    if full:
        raise NotImplementedError('np.polyfit(full=True) has no derivative rule')
    powers = np.asarray(x)[:, None] ** np.arange(deg, -1, -1)
    if w is not None:
        powers = powers * w[:, None]
    scale = np.sqrt(np.sum(powers * powers, axis=0))
    if w is None:
        values = y
    elif np.ndim(y) == 1:
        values = y * w
    else:
        values = y * w[:, None]
    found = np.linalg.lstsq(powers / scale, values)[0]
    return (found.T / scale).T


@written("numpy.linalg.diagonal")
def diagonal(x, *, offset=0):
    import numpy as np

    return np.diagonal(x, offset, -2, -1)


@written("numpy.linalg.trace")
def trace(x, *, offset=0):
    import numpy as np

    return np.sum(np.diagonal(x, offset, -2, -1), axis=-1)


@written("numpy.linalg.outer")
def outer(x1, x2):
    import numpy as np

    return np.outer(x1, x2)


@written("numpy.linalg.matmul")
def matmul(x1, x2):
    return x1 @ x2


@written("numpy.linalg.cross")
def cross(x1, x2):
    import numpy as np

    return np.cross(x1, x2)


@written("numpy.vecdot", "numpy.linalg.vecdot")
def vecdot(x1, x2, axis=-1):
    import numpy as np

    return np.sum(x1 * x2, axis=axis)


@written("numpy.matvec")
def matvec(x1, x2):
    return (x1 @ x2[..., None])[..., 0]


@written("numpy.vecmat")
def vecmat(x1, x2):
    return (x1[..., None, :] @ x2)[..., 0, :]


@written("numpy.linalg.vector_norm")
def vector_norm(x, *, axis=None, keepdims=False, ord=2):
    import numpy as np

    if axis is None:
        return np.linalg.norm(np.ravel(x), ord)
    return np.linalg.norm(x, ord, axis, keepdims)


@written("numpy.linalg.matrix_norm")
def matrix_norm(x, *, ord="fro"):
    import numpy as np

    return np.linalg.norm(x, ord)


@written("scipy.linalg.eigh")
def eigh(a, *, lower=True):
    import numpy as np

    return np.linalg.eigh(a, "L" if lower else "U")


@written("scipy.linalg.eigvalsh")
def eigvalsh(a, *, lower=True):
    import numpy as np

    return np.linalg.eigvalsh(a, "L" if lower else "U")


@written("numpy.correlate")
def correlate(a, v, mode="valid"):
    import numpy as np

    return np.convolve(a, v[::-1], mode)


@written("numpy.nanmedian")
def nanmedian(a):
    import numpy as np

    return np.median(a[~np.isnan(a)])


@written("numpy.nanquantile")
def nanquantile(a, q):
    import numpy as np

    return np.quantile(a[~np.isnan(a)], q)


@written("numpy.nanpercentile")
def nanpercentile(a, q):
    import numpy as np

    return np.percentile(a[~np.isnan(a)], q)


@written("numpy.nanprod")
def nanprod(a, axis=None):
    import numpy as np

    return np.prod(np.where(np.isnan(a), 1.0, a), axis=axis)


@written("numpy.nancumsum")
def nancumsum(a, axis=None):
    import numpy as np

    return np.cumsum(np.where(np.isnan(a), 0.0, a), axis=axis)


@written("numpy.nancumprod")
def nancumprod(a, axis=None):
    import numpy as np

    return np.cumprod(np.where(np.isnan(a), 1.0, a), axis=axis)


@written("numpy.ediff1d")
def ediff1d(ary):
    import numpy as np

    return np.diff(np.ravel(ary))


@written("numpy.cumulative_sum", "numpy.add.accumulate")
def cumulative_sum(x, axis=None):
    import numpy as np

    return np.cumsum(x, axis=axis)


@written("numpy.cumulative_prod")
def cumulative_prod(x, axis=None):
    import numpy as np

    return np.cumprod(x, axis=axis)


@written("numpy.multiply.accumulate")
def multiply_accumulate(array, axis=0):
    import numpy as np

    return np.cumprod(array, axis=axis)


@written("numpy.add.reduce")
def add_reduce(array, axis=0):
    import numpy as np

    return np.sum(array, axis=axis)


@written("numpy.multiply.reduce")
def multiply_reduce(array, axis=0):
    import numpy as np

    return np.prod(array, axis=axis)


@written("numpy.maximum.reduce")
def maximum_reduce(array, axis=0):
    import numpy as np

    return np.max(array, axis=axis)


@written("numpy.minimum.reduce")
def minimum_reduce(array, axis=0):
    import numpy as np

    return np.min(array, axis=axis)


@written("numpy.multiply.outer")
def multiply_outer(A, B):
    import numpy as np

    return np.reshape(A, np.shape(A) + (1,) * np.ndim(B)) * B


@written("numpy.add.outer")
def add_outer(A, B):
    import numpy as np

    return np.reshape(A, np.shape(A) + (1,) * np.ndim(B)) + B


@written("numpy.subtract.outer")
def subtract_outer(A, B):
    import numpy as np

    return np.reshape(A, np.shape(A) + (1,) * np.ndim(B)) - B


@written("numpy.divide.outer")
def divide_outer(A, B):
    import numpy as np

    return np.reshape(A, np.shape(A) + (1,) * np.ndim(B)) / B


@written("numpy.poly")
def poly(seq_of_zeros):
    import numpy as np

    product = np.ones(1)
    for k in range(len(seq_of_zeros)):
        product = np.convolve(product, np.array([1.0, -seq_of_zeros[k]]))
    return product


@written("numpy.polyder")
def polyder(p):
    import numpy as np

    return p[:-1] * np.arange(len(p) - 1, 0, -1)


@written("numpy.polyint")
def polyint(p):
    import numpy as np

    return np.concatenate((p / np.arange(len(p), 0, -1), np.zeros(1)))


@written("numpy.polyadd")
def polyadd(a1, a2):
    import numpy as np

    size = max(len(a1), len(a2))
    return np.concatenate((np.zeros(size - len(a1)), a1)) + np.concatenate(
        (np.zeros(size - len(a2)), a2))


@written("numpy.polysub")
def polysub(a1, a2):
    import numpy as np

    size = max(len(a1), len(a2))
    return np.concatenate((np.zeros(size - len(a1)), a1)) - np.concatenate(
        (np.zeros(size - len(a2)), a2))


@written("numpy.polynomial.polynomial.polyval")
def polynomial_value(x, c):
    import numpy as np

    return np.polyval(c[::-1], x)


@written("numpy.polynomial.chebyshev.chebval")
def chebyshev_value(x, c):
    last = 0.0 * x
    before = 0.0 * x
    for k in range(len(c) - 1, 0, -1):
        now = c[k] + 2.0 * x * last - before
        before = last
        last = now
    return c[0] + x * last - before


@written("numpy.polynomial.legendre.legval")
def legendre_value(x, c):
    before = 0.0 * x + 1.0
    now = 1.0 * x
    total = c[0] * before
    for k in range(1, len(c)):
        total = total + c[k] * now
        following = ((2 * k + 1) * x * now - k * before) / (k + 1)
        before = now
        now = following
    return total


@written("scipy.special.chdtr")
def chdtr(v, x):
    import scipy.special as special

    return special.gammainc(0.5 * v, 0.5 * x)


@written("scipy.special.chdtrc")
def chdtrc(v, x):
    import scipy.special as special

    return special.gammaincc(0.5 * v, 0.5 * x)


@written("scipy.special.fdtr")
def fdtr(dfn, dfd, x):
    import scipy.special as special

    return special.betainc(0.5 * dfn, 0.5 * dfd, dfn * x / (dfd + dfn * x))


@written("scipy.special.bdtr")
def bdtr(k, n, p):
    import numpy as np
    import scipy.special as special

    return special.betainc(n - np.floor(k), np.floor(k) + 1.0, 1.0 - p)


@written("scipy.signal.correlate")
def signal_correlate(in1, in2, mode="full"):
    import numpy as np
    import scipy.signal as signal

    return signal.convolve(in1, np.flip(in2), mode)


@written("scipy.signal.correlate2d")
def signal_correlate2d(in1, in2, mode="full"):
    import numpy as np
    import scipy.signal as signal

    return signal.convolve2d(in1, np.flip(in2), mode)


@written("numpy.vsplit")
def vsplit(ary, indices_or_sections):
    import numpy as np

    return np.split(ary, indices_or_sections)


@written("numpy.fft.fftfreq", "scipy.fft.fftfreq")
def fftfreq(n, d=1.0):
    import numpy as np

    return np.concatenate((np.arange(0, (n - 1) // 2 + 1), np.arange(-(n // 2), 0))) / (n * d)


@written("numpy.fft.rfftfreq", "scipy.fft.rfftfreq")
def rfftfreq(n, d=1.0):
    import numpy as np

    return np.arange(0, n // 2 + 1) / (n * d)
