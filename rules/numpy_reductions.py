"""Records of NumPy's reductions, scans and sorting."""


@adjoint("numpy.sum", shape="sum", linear=("a",),
         sample=("(matrix23,)", "(matrix23, axis=0)", "(matrix23, axis=1)",
                 "(matrix23, axis=-1, keepdims=True)", "(stack423, axis=(0, 2))", "(vector3,)",
                 "(number,)"))
def sum(y, a, axis=None, *, keepdims=False):
    d[a] = spread(d[y], a, axis, keepdims)


@adjoint("numpy.mean", shape="reduction", linear=("a",),
         sample=("(matrix23,)", "(matrix23, axis=0)", "(matrix23, axis=1)",
                 "(matrix23, axis=-1, keepdims=True)", "(stack423, axis=(0, 2))", "(vector3,)",
                 "(number,)"))
def mean(y, a, axis=None, *, keepdims=False):
    if axis is None:
        d[a] = spread(d[y], a, axis, keepdims) / max(np.size(a), 1)
    elif integer(axis) and rank(axis) == 0 and rank(a) > 0:
        d[a] = spread(d[y], a, axis, keepdims) / max(a.shape[axis], 1)
    else:
        d[a] = spread(d[y], a, axis, keepdims) / max(_count(a, axis), 1)


@adjoint("numpy.var", shape="reduction",
         sample=("(matrix23,)", "(matrix23, axis=0)", "(matrix23, axis=1, ddof=1)",
                 "(matrix23, axis=-1, keepdims=True)", "(stack423, axis=(0, 2), ddof=1)",
                 "(vector3,)"))
def var(y, a, axis=None, *, ddof=0, keepdims=False):
    by = spread(d[y], a, axis, keepdims)
    if axis is None:
        d[a] = by * (2 / max(np.size(a) - ddof, 1)) * (a - np.mean(a))
    else:
        count = max(_count(a, axis) - ddof, 1)
        d[a] = by * (2 / count) * (a - np.mean(a, axis=axis, keepdims=True))


@tangent("numpy.var")
def var(y, a, axis=None, *, ddof=0, keepdims=False):
    if axis is None:
        d[y] = np.sum(d[a] * (a - np.mean(a))) * (2 / max(np.size(a) - ddof, 1))
    else:
        centred = a - np.mean(a, axis=axis, keepdims=True)
        total = np.sum(d[a] * centred, axis=axis, keepdims=keepdims)
        d[y] = total * (2 / max(_count(a, axis) - ddof, 1))


@adjoint("numpy.std", shape="reduction",
         sample=("(matrix23,)", "(matrix23, axis=0)", "(matrix23, axis=1, ddof=1)",
                 "(matrix23, axis=-1, keepdims=True)", "(stack423, axis=(0, 2), ddof=1)",
                 "(vector3,)"),
         note="`np.std` of equal numbers has slope 0.",
         edges=("([2.0, 2.0],) -> [0.0, 0.0]",))
def std(y, a, axis=None, *, ddof=0, keepdims=False):
    by = spread(mask(y != 0, d[y] / y), a, axis, keepdims)
    if axis is None:
        d[a] = by / (np.size(a) - ddof) * (a - np.mean(a))
    else:
        d[a] = by / (_count(a, axis) - ddof) * (a - np.mean(a, axis=axis, keepdims=True))


@tangent("numpy.std")
def std(y, a, axis=None, *, ddof=0, keepdims=False):
    if axis is None:
        d[y] = mask(y != 0, np.sum(d[a] * (a - np.mean(a))) / (np.size(a) - ddof) / y)
    else:
        centred = a - np.mean(a, axis=axis, keepdims=True)
        total = np.sum(d[a] * centred, axis=axis, keepdims=keepdims)
        d[y] = mask(y != 0, total / (_count(a, axis) - ddof) / y)


@adjoint("numpy.prod", shape="sum",
         sample=("(matrix23,)", "(matrix23, axis=0)", "(matrix23, axis=1)",
                 "(matrix23, axis=-1, keepdims=True)", "(stack423, axis=(0, 2))", "(vector3,)",
                 "(vector3z,)", "(number,)"),
         note="`np.prod` is exact where elements are 0.",
         edges=("([0.0, 3.0],) -> [3.0, 0.0]",))
def prod(y, a, axis=None, *, keepdims=False):
    d[a] = spread(d[y], a, axis, keepdims) * _product_of_others(a, axis)


@tangent("numpy.prod")
def prod(y, a, axis=None, *, keepdims=False):
    d[y] = np.sum(d[a] * _product_of_others(a, axis), axis=axis, keepdims=keepdims)


@adjoint("numpy.max", aliases=("numpy.amax",), shape="sum",
         sample=("(matrix23,)", "(matrix23, axis=0)", "(matrix23, axis=1)",
                 "(matrix23, axis=-1, keepdims=True)", "(stack423, axis=(0, 2))", "(vector3,)",
                 "(number,)"),
         note="`np.max`, `np.min`, also over an axis: equal elements share evenly.",
         edges=("([1.0, 2.0, 2.0],) -> [0.0, 0.5, 0.5]",
                "([[1.0, 2.0], [1.0, 0.0]], 0) -> [[0.5, 1.0], [0.5, 0.0]]"))
def max(y, a, axis=None, *, keepdims=False):
    if axis is None or keepdims:
        hits = a == y
    elif rank(a) > 0 and integer(axis) and not keepdims:
        hits = a == np.expand_dims(y, axis)
    else:
        hits = a == _spread(y, a, axis, keepdims)
    by = spread(d[y], a, axis, keepdims)
    if axis is None:
        d[a] = mask(hits, by / max(int(np.count_nonzero(hits)), 1))
    else:
        d[a] = mask(hits, by / _ties(hits, a, axis))


@tangent("numpy.max")
def max(y, a, axis=None, *, keepdims=False):
    if axis is None or keepdims:
        hits = a == y
    elif rank(a) > 0 and integer(axis) and not keepdims:
        hits = a == np.expand_dims(y, axis)
    else:
        hits = a == _spread(y, a, axis, keepdims)
    total = np.sum(mask(hits, d[a]), axis=axis, keepdims=keepdims)
    d[y] = total / np.count_nonzero(hits, axis=axis, keepdims=keepdims)


@adjoint("numpy.min", aliases=("numpy.amin",), shape="sum",
         sample=("(matrix23,)", "(matrix23, axis=0)", "(matrix23, axis=1)",
                 "(matrix23, axis=-1, keepdims=True)", "(stack423, axis=(0, 2))", "(vector3,)",
                 "(number,)"),
         edges=("([1.0, 1.0, 2.0],) -> [0.5, 0.5, 0.0]",))
def min(y, a, axis=None, *, keepdims=False):
    if axis is None or keepdims:
        hits = a == y
    elif rank(a) > 0 and integer(axis) and not keepdims:
        hits = a == np.expand_dims(y, axis)
    else:
        hits = a == _spread(y, a, axis, keepdims)
    by = spread(d[y], a, axis, keepdims)
    if axis is None:
        d[a] = mask(hits, by / max(int(np.count_nonzero(hits)), 1))
    else:
        d[a] = mask(hits, by / _ties(hits, a, axis))


@tangent("numpy.min")
def min(y, a, axis=None, *, keepdims=False):
    if axis is None or keepdims:
        hits = a == y
    elif rank(a) > 0 and integer(axis) and not keepdims:
        hits = a == np.expand_dims(y, axis)
    else:
        hits = a == _spread(y, a, axis, keepdims)
    total = np.sum(mask(hits, d[a]), axis=axis, keepdims=keepdims)
    d[y] = total / np.count_nonzero(hits, axis=axis, keepdims=keepdims)


@adjoint("numpy.nansum", shape="sum",
         sample=("(matrix23,)", "(matrix23, axis=0)", "(matrix23, axis=-1, keepdims=True)"),
         note="`np.nansum`, `np.nanmean`, `np.nanmax`, `np.nanmin`: a nan has slope 0.",
         edges=("([1.0, np.nan],) -> [1.0, 0.0]",))
def nansum(y, a, axis=None, *, keepdims=False):
    d[a] = mask(not np.isnan(a), spread(d[y], a, axis, keepdims))


@tangent("numpy.nansum")
def nansum(y, a, axis=None, *, keepdims=False):
    d[y] = np.sum(mask(not np.isnan(a), d[a]), axis=axis, keepdims=keepdims)


@adjoint("numpy.nanmean", shape="reduction",
         sample=("(matrix23,)", "(matrix23, axis=0)", "(matrix23, axis=-1, keepdims=True)"),
         edges=("([1.0, np.nan, 2.0],) -> [0.5, 0.0, 0.5]",))
def nanmean(y, a, axis=None, *, keepdims=False):
    hits = np.logical_not(np.isnan(a))
    by = spread(d[y], a, axis, keepdims)
    if axis is None:
        d[a] = mask(hits, by / max(int(np.count_nonzero(hits)), 1))
    else:
        d[a] = mask(hits, by / _ties(hits, a, axis))


@tangent("numpy.nanmean")
def nanmean(y, a, axis=None, *, keepdims=False):
    hits = np.logical_not(np.isnan(a))
    total = np.sum(mask(hits, d[a]), axis=axis, keepdims=keepdims)
    d[y] = total / np.count_nonzero(hits, axis=axis, keepdims=keepdims)


@adjoint("numpy.nanvar", shape="reduction",
         sample=("(matrix23,)", "(matrix23, axis=0)", "(matrix23, axis=-1, ddof=1, keepdims=True)"),
         edges=("([1.0, np.nan, 3.0],) -> [-1.0, 0.0, 1.0]",))
def nanvar(y, a, axis=None, *, ddof=0, keepdims=False):
    hits = np.logical_not(np.isnan(a))
    by = spread(d[y], a, axis, keepdims)
    centred = a - np.nanmean(a, axis=axis, keepdims=True)
    if axis is None:
        d[a] = mask(hits, by * (2 / max(int(np.count_nonzero(hits)) - ddof, 1)) * centred)
    else:
        d[a] = mask(hits, by * (2 / (_ties(hits, a, axis) - ddof)) * centred)


@tangent("numpy.nanvar")
def nanvar(y, a, axis=None, *, ddof=0, keepdims=False):
    hits = np.logical_not(np.isnan(a))
    centred = a - np.nanmean(a, axis=axis, keepdims=True)
    total = np.sum(mask(hits, d[a] * centred), axis=axis, keepdims=keepdims)
    d[y] = total * 2 / (np.count_nonzero(hits, axis=axis, keepdims=keepdims) - ddof)


@adjoint("numpy.nanstd", shape="reduction",
         sample=("(matrix23,)", "(matrix23, axis=0)", "(matrix23, axis=-1, ddof=1, keepdims=True)"),
         note="`np.nanstd` of equal numbers has slope 0.",
         edges=("([1.0, np.nan, 3.0],) -> [-0.5, 0.0, 0.5]", "([2.0, 2.0],) -> [0.0, 0.0]"))
def nanstd(y, a, axis=None, *, ddof=0, keepdims=False):
    hits = np.logical_not(np.isnan(a))
    by = spread(mask(y != 0, d[y] / y), a, axis, keepdims)
    centred = a - np.nanmean(a, axis=axis, keepdims=True)
    if axis is None:
        d[a] = mask(hits, by / max(int(np.count_nonzero(hits)) - ddof, 1) * centred)
    else:
        d[a] = mask(hits, by / (_ties(hits, a, axis) - ddof) * centred)


@tangent("numpy.nanstd")
def nanstd(y, a, axis=None, *, ddof=0, keepdims=False):
    hits = np.logical_not(np.isnan(a))
    centred = a - np.nanmean(a, axis=axis, keepdims=True)
    total = np.sum(mask(hits, d[a] * centred), axis=axis, keepdims=keepdims)
    count = np.count_nonzero(hits, axis=axis, keepdims=keepdims) - ddof
    d[y] = mask(y != 0, total / count / y)


@adjoint("numpy.nanmax", shape="sum",
         sample=("(matrix23,)", "(matrix23, axis=0)", "(matrix23, axis=-1, keepdims=True)"),
         edges=("([2.0, np.nan, 2.0],) -> [0.5, 0.0, 0.5]",))
def nanmax(y, a, axis=None, *, keepdims=False):
    if axis is None or keepdims:
        hits = a == y
    elif rank(a) > 0 and integer(axis) and not keepdims:
        hits = a == np.expand_dims(y, axis)
    else:
        hits = a == _spread(y, a, axis, keepdims)
    by = spread(d[y], a, axis, keepdims)
    if axis is None:
        d[a] = mask(hits, by / max(int(np.count_nonzero(hits)), 1))
    else:
        d[a] = mask(hits, by / _ties(hits, a, axis))


@tangent("numpy.nanmax")
def nanmax(y, a, axis=None, *, keepdims=False):
    if axis is None or keepdims:
        hits = a == y
    elif rank(a) > 0 and integer(axis) and not keepdims:
        hits = a == np.expand_dims(y, axis)
    else:
        hits = a == _spread(y, a, axis, keepdims)
    total = np.sum(mask(hits, d[a]), axis=axis, keepdims=keepdims)
    d[y] = total / np.count_nonzero(hits, axis=axis, keepdims=keepdims)


@adjoint("numpy.nanmin", shape="sum",
         sample=("(matrix23,)", "(matrix23, axis=0)", "(matrix23, axis=-1, keepdims=True)"),
         edges=("([2.0, np.nan, 2.0],) -> [0.5, 0.0, 0.5]",))
def nanmin(y, a, axis=None, *, keepdims=False):
    if axis is None or keepdims:
        hits = a == y
    elif rank(a) > 0 and integer(axis) and not keepdims:
        hits = a == np.expand_dims(y, axis)
    else:
        hits = a == _spread(y, a, axis, keepdims)
    by = spread(d[y], a, axis, keepdims)
    if axis is None:
        d[a] = mask(hits, by / max(int(np.count_nonzero(hits)), 1))
    else:
        d[a] = mask(hits, by / _ties(hits, a, axis))


@tangent("numpy.nanmin")
def nanmin(y, a, axis=None, *, keepdims=False):
    if axis is None or keepdims:
        hits = a == y
    elif rank(a) > 0 and integer(axis) and not keepdims:
        hits = a == np.expand_dims(y, axis)
    else:
        hits = a == _spread(y, a, axis, keepdims)
    total = np.sum(mask(hits, d[a]), axis=axis, keepdims=keepdims)
    d[y] = total / np.count_nonzero(hits, axis=axis, keepdims=keepdims)


@adjoint("numpy.average", shape="reduction",
         sample=("(matrix23,)", "(matrix23, 0)", "(matrix23, 1, vector3p)",
                 "(vector3, None, vector3p)",
                 "(matrix23, None, matrix23p)", "(matrix23, 0, matrix23p)"))
def average(y, a, axis=None, weights=None):
    by = spread(d[y], a, axis, False)
    if weights is None:
        d[a] = by / max(_count(a, axis), 1)
    else:
        w = _align(weights, a, axis)
        share = by / np.sum(w, axis=axis, keepdims=True)
        d[a] = share * w
        slopes = share * (a - _spread(y, a, axis))
        d[weights] = np.reshape(_unbroadcast(slopes, w), np.shape(weights))


@tangent("numpy.average")
def average(y, a, axis=None, weights=None):
    if weights is None:
        d[y] = np.mean(d[a], axis=axis)
    else:
        w = _align(weights, a, axis)
        d[y] = np.sum(d[a] * w, axis=axis) / np.sum(w, axis=axis)
        centred = a - _spread(y, a, axis)
        d[y] = np.sum(centred * _align(d[weights], a, axis), axis=axis) / np.sum(w, axis=axis)


@adjoint("numpy.median", shape="reduction",
         sample=("(vector3,)", "(vector4,)", "(matrix23, axis=0)", "(matrix34, 1, keepdims=True)",
                 "(matrix23,)"),
         edges=("([1.0, 1.0, 2.0, 0.0],) -> [0.5, 0.5, 0.0, 0.0]",))
def median(y, a, axis=None, *, keepdims=False):
    d[a] = spread(d[y], a, axis, keepdims) * _quantile_weights(a, 0.5, axis)


@tangent("numpy.median")
def median(y, a, axis=None, *, keepdims=False):
    d[y] = np.sum(d[a] * _quantile_weights(a, 0.5, axis), axis=axis, keepdims=keepdims)


@adjoint("numpy.quantile", shape="quantile",
         sample=("(vector4, 0.3)", "(matrix34, 0.7, 0)", "(matrix34, 0.21, axis=1, keepdims=True)",
                 "(vector4, np.array([0.1, 0.6]))", "(matrix34, np.array([0.1, 0.6]), 1)",
                 "(vector6, 0.33, method='hazen')", "(vector6, 0.33, method='lower')",
                 "(vector6, 0.33, method='midpoint')", "(vector6, 0.33, method='median_unbiased')"),
         note="`np.quantile`, `np.percentile`: equal elements share evenly.",
         edges=("([1.0, 1.0, 2.0], 0.25) -> [0.5, 0.5, 0.0]",))
def quantile(y, a, q, axis=None, *, method="linear", keepdims=False):
    if rank(q) == 0:
        d[a] = spread(d[y], a, axis, keepdims) * _quantile_weights(a, q, axis, method)
    else:
        d[a] = _unquantiles(full(d[y], y), a, q, axis, method, keepdims)


@tangent("numpy.quantile")
def quantile(y, a, q, axis=None, *, method="linear", keepdims=False):
    if rank(q) == 0:
        d[y] = np.sum(
            d[a] * _quantile_weights(a, q, axis, method), axis=axis, keepdims=keepdims)
    else:
        d[y] = _quantiles(d[a], a, q, axis, method, keepdims)


@adjoint("numpy.percentile", shape="quantile",
         sample=("(vector4, 30)", "(matrix34, 70, 0)", "(matrix34, 21.5, axis=1, keepdims=True)"))
def percentile(y, a, q, axis=None, *, method="linear", keepdims=False):
    if rank(q) == 0:
        d[a] = spread(d[y], a, axis, keepdims) * _quantile_weights(a, q / 100, axis, method)
    else:
        d[a] = _unquantiles(full(d[y], y), a, q / 100, axis, method, keepdims)


@tangent("numpy.percentile")
def percentile(y, a, q, axis=None, *, method="linear", keepdims=False):
    if rank(q) == 0:
        d[y] = np.sum(
            d[a] * _quantile_weights(a, q / 100, axis, method), axis=axis, keepdims=keepdims)
    else:
        d[y] = _quantiles(d[a], a, q / 100, axis, method, keepdims)


@adjoint("numpy.trapezoid", aliases=("scipy.integrate.trapezoid",), shape="trapezoid",
         sample=("(vector4,)", "(matrix34, None, 0.5, 0)", "(matrix34, vector4s)",
                 "(matrix34, vector3s, axis=0)", "(matrix34, matrix34b)"))
def trapezoid(z, y, x=None, dx=1.0, axis=-1):
    by = spread(d[z], y, axis, False)
    d[y] = by * _trapezoid_weights(y, x, dx, axis)
    d[x] = _untrapezoid_weights(by * y, x, axis)
    if x is None:
        d[dx] = np.sum(d[z] * z / dx)
    else:
        d[dx] = np.sum(d[z] * z / dx) * (x is None)


@tangent("numpy.trapezoid")
def trapezoid(z, y, x=None, dx=1.0, axis=-1):
    d[z] = np.trapezoid(d[y], x, dx, axis)
    d[z] = np.trapezoid(y, d[x], dx, axis)
    d[z] = d[dx] * z / dx * (x is None)


@adjoint("numpy.interp", shape="interpolated",
         sample=("(0.37, vector4s, vector4)", "(matrix23, vector4s, vector4)"),
         note="`np.interp` at a knot has the slope of the piece to its right.",
         edges=("(1.0, [0.0, 1.0, 2.0], [0.0, 1.0, 4.0]) -> "
                "3.0, [0.0, -3.0, 0.0], [0.0, 1.0, 0.0]",))
def interp(y, x, xp, fp):
    d[x] = d[y] * _interp_slope(x, xp, fp)
    d[xp] = -_uninterp(full(d[y], y) * _interp_slope(x, xp, fp), x, xp)
    d[fp] = _uninterp(full(d[y], y), x, xp)


@tangent("numpy.interp")
def interp(y, x, xp, fp):
    d[y] = d[x] * _interp_slope(x, xp, fp)
    d[y] = -_interp_slope(x, xp, fp) * np.interp(x, xp, d[xp])
    d[y] = np.interp(x, xp, d[fp])


@adjoint("numpy.convolve", shape="convolved",
         sample=("(vector6, vector3)", "(vector3, vector6, 'same')", "(vector6, vector3, 'valid')"))
def convolve(y, a, v, mode="full"):
    d[a] = _unconvolve(full(d[y], y), a, v, mode)
    d[v] = _unconvolve(full(d[y], y), v, a, mode)


@tangent("numpy.convolve")
def convolve(y, a, v, mode="full"):
    d[y] = np.convolve(d[a], v, mode)
    d[y] = np.convolve(a, d[v], mode)


# Scans and sorting


@adjoint("numpy.cumsum", shape="cumulative", linear=("a",),
         sample=("(vector3,)", "(matrix23,)", "(matrix23, 0)", "(matrix23, axis=-1)"))
def cumsum(y, a, axis=None):
    if rank(a) == 1:
        d[a] = np.cumsum(full(d[y], y)[::-1])[::-1]
    elif axis is None:
        d[a] = np.reshape(np.cumsum(full(d[y], y)[::-1])[::-1], np.shape(a))
    elif axis is not None:
        d[a] = np.flip(np.cumsum(np.flip(full(d[y], y), axis), axis), axis)
    else:
        d[a] = _cumsum_adjoint(full(d[y], y), a, axis)


@adjoint("numpy.diff", shape="diff", linear=("a",),
         sample=("(vector3,)", "(matrix23,)", "(matrix23, axis=0)", "(matrix34, 2)",
                 "(matrix34, n=1, axis=0)"))
def diff(y, a, n=1, axis=-1):
    d[a] = _undiff(full(d[y], y), n, axis)


@adjoint("numpy.sort", shape="same",
         sample=("(vector3,)", "(matrix23,)", "(matrix23, 0)"),
         note="`np.sort`, `np.median`: equal elements share evenly.",
         edges=("([1.0, 1.0, 0.0],) -> [1.0, 1.0, 1.0]",))
def sort(y, a, axis=-1):
    d[a] = _unsort(full(d[y], y), a, axis)


@tangent("numpy.sort")
def sort(y, a, axis=-1):
    d[y] = _sort_like(d[a], a, axis)


@adjoint("numpy.cumprod", shape="cumulative",
         sample=("(vector3,)", "(matrix23,)", "(matrix23, 0)", "(matrix23, axis=-1)",
                 "(vector3z,)"),
         note="`np.cumprod` is exact where elements are 0.",
         edges=("([2.0, 0.0, 3.0],) -> [1.0, 8.0, 0.0]",))
def cumprod(y, a, axis=None):
    if axis is None:
        flat = np.ravel(a)
        slopes = _exclusive_cumprod(flat, 0) * _back_scan(full(d[y], y), flat, 0)
        d[a] = np.reshape(slopes, np.shape(a))
    else:
        d[a] = _exclusive_cumprod(a, axis) * _back_scan(full(d[y], y), a, axis)


@tangent("numpy.cumprod")
def cumprod(y, a, axis=None):
    if axis is None:
        moves = np.ravel(d[a]) * _exclusive_cumprod(np.ravel(a), 0)
        d[y] = _scan(moves, np.ravel(a), 0)
    else:
        d[y] = _scan(d[a] * _exclusive_cumprod(a, axis), a, axis)


@adjoint("numpy.maximum.accumulate", shape="cumulative",
         sample=("(vector3,)", "(matrix23,)", "(matrix23, 1)"))
def accumulate_maximum(y, array, axis=0):
    shares = _record_shares(y, array, axis)
    d[array] = shares * _back_scan(full(d[y], y), 1.0 - shares, axis)


@tangent("numpy.maximum.accumulate")
def accumulate_maximum(y, array, axis=0):
    shares = _record_shares(y, array, axis)
    d[y] = _scan(shares * full(d[array], array), 1.0 - shares, axis)


@adjoint("numpy.minimum.accumulate", shape="cumulative",
         sample=("(vector3,)", "(matrix23,)", "(matrix23, 1)"))
def accumulate_minimum(y, array, axis=0):
    shares = _record_shares(y, array, axis)
    d[array] = shares * _back_scan(full(d[y], y), 1.0 - shares, axis)


@tangent("numpy.minimum.accumulate")
def accumulate_minimum(y, array, axis=0):
    shares = _record_shares(y, array, axis)
    d[y] = _scan(shares * full(d[array], array), 1.0 - shares, axis)


# Derivative zero


@constant("numpy.any", aliases=("numpy.all",), shape="boolean_reduction",
          sample=("(mask23,)", "(mask23, 1)"))
def any(y, a, axis=None, *, keepdims=False): ...


@constant("numpy.argmax", aliases=("numpy.argmin", "numpy.nanargmax", "numpy.nanargmin"),
          shape="index", sample=("(matrix23,)", "(matrix23, 1)"))
def argmax(y, a, axis=None, *, keepdims=False): ...


@constant("numpy.count_nonzero", shape="index", sample=("(matrix23,)", "(matrix23, 1)"))
def count_nonzero(y, a, axis=None, *, keepdims=False): ...


@constant("numpy.argsort", sample=("(matrix23,)", "(matrix23, 0)"))
def argsort(y, a, axis=-1, kind=None, order=None): ...


@constant("numpy.searchsorted", sample=("(vector3s, number)", "(vector3s, matrix23)"))
def searchsorted(y, a, v, side="left", sorter=None): ...


@constant("numpy.allclose", aliases=("numpy.testing.assert_allclose",),
          sample=("(matrix23, matrix23)",))
def allclose(y, a, b, rtol=1e-05, atol=1e-08, equal_nan=False): ...


@constant("numpy.array_equal", sample=("(matrix23, matrix23b)",))
def array_equal(y, a1, a2, equal_nan=False): ...


# Differences and polynomials


@adjoint("numpy.ptp", shape="sum",
         sample=("(matrix23,)", "(matrix23, 0)", "(matrix23, axis=-1, keepdims=True)",
                 "(vector3,)"),
         note="`np.ptp`: equal largest, and equal smallest, elements share evenly.",
         edges=("([1.0, 2.0, 2.0],) -> [-1.0, 0.5, 0.5]",))
def ptp(y, a, axis=None, *, keepdims=False):
    top = a == np.max(a, axis=axis, keepdims=True)
    bottom = a == np.min(a, axis=axis, keepdims=True)
    by = spread(d[y], a, axis, keepdims)
    d[a] = mask(top, by / _ties(top, a, axis)) - mask(bottom, by / _ties(bottom, a, axis))


@tangent("numpy.ptp")
def ptp(y, a, axis=None, *, keepdims=False):
    top = a == np.max(a, axis=axis, keepdims=True)
    bottom = a == np.min(a, axis=axis, keepdims=True)
    d[y] = np.sum(mask(top, d[a]) / _ties(top, a, axis) - mask(bottom, d[a]) / _ties(
        bottom, a, axis), axis=axis, keepdims=keepdims)


@adjoint("numpy.gradient", shape="gradient", linear=("f",),
         sample=("(vector4,)", "(vector6, 0.5)", "(matrix34, axis=1)", "(matrix34, 0.5, axis=0)",
                 "(vector6, vector6s)", "(matrix34, axis=-1, edge_order=2)", "(vector2,)",
                 "(matrix34,)", "(matrix34, 0.5)", "(matrix34, 0.5, vector4s)",
                 "(stack423, 0.5, 2.0, 0.1)"))
def gradient(y, f, spacing=1.0, second=None, third=None, *, axis=None, edge_order=1):
    if rank(f) == 1 or axis is not None:
        d[f] = _ungradient(full(d[y], y), f, spacing, axis, edge_order)
    else:
        d[f] = _ungradients(full(d[y], y), f, spacing, second, third, axis, edge_order)


@adjoint("numpy.polyval", shape="polynomial",
         sample=("(vector4, number)", "(vector3, matrix23)", "([1.0, 2.0, 3.0], vector4)"))
def polyval(y, p, x):
    d[p] = _unpolyval(full(d[y], y), p, x)
    d[x] = d[y] * np.polyval(_polynomial_slope(p), x)


@tangent("numpy.polyval")
def polyval(y, p, x):
    d[y] = np.polyval(d[p], x)
    d[y] = d[x] * np.polyval(_polynomial_slope(p), x)
