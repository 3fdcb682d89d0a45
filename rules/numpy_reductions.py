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
        d[a] = spread(d[y], a, axis, keepdims) / np.size(a)
    elif integer(axis) and rank(axis) == 0 and rank(a) > 0:
        d[a] = spread(d[y], a, axis, keepdims) / a.shape[axis]
    else:
        d[a] = spread(d[y], a, axis, keepdims) / _count(a, axis)


@adjoint("numpy.var", shape="reduction",
         sample=("(matrix23,)", "(matrix23, axis=0)", "(matrix23, axis=1, ddof=1)",
                 "(matrix23, axis=-1, keepdims=True)", "(stack423, axis=(0, 2), ddof=1)",
                 "(vector3,)"))
def var(y, a, axis=None, *, ddof=0, keepdims=False):
    by = spread(d[y], a, axis, keepdims)
    if axis is None:
        d[a] = by * (2 / (np.size(a) - ddof)) * (a - np.mean(a))
    else:
        d[a] = by * (2 / (_count(a, axis) - ddof)) * (a - np.mean(a, axis=axis, keepdims=True))


@tangent("numpy.var")
def var(y, a, axis=None, *, ddof=0, keepdims=False):
    if axis is None:
        d[y] = np.sum(d[a] * (a - np.mean(a))) * (2 / (np.size(a) - ddof))
    else:
        centred = a - np.mean(a, axis=axis, keepdims=True)
        d[y] = np.sum(d[a] * centred, axis=axis, keepdims=keepdims) * (2 / (_count(a, axis) - ddof))


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
    hits = a == spread(y, a, axis, keepdims)
    by = spread(d[y], a, axis, keepdims)
    if axis is None:
        d[a] = mask(hits, by / int(np.count_nonzero(hits)))
    else:
        d[a] = mask(hits, by / _ties(hits, a, axis))


@tangent("numpy.max")
def max(y, a, axis=None, *, keepdims=False):
    hits = a == spread(y, a, axis, keepdims)
    total = np.sum(mask(hits, d[a]), axis=axis, keepdims=keepdims)
    d[y] = total / np.count_nonzero(hits, axis=axis, keepdims=keepdims)


@adjoint("numpy.min", aliases=("numpy.amin",), shape="sum",
         sample=("(matrix23,)", "(matrix23, axis=0)", "(matrix23, axis=1)",
                 "(matrix23, axis=-1, keepdims=True)", "(stack423, axis=(0, 2))", "(vector3,)",
                 "(number,)"),
         edges=("([1.0, 1.0, 2.0],) -> [0.5, 0.5, 0.0]",))
def min(y, a, axis=None, *, keepdims=False):
    hits = a == spread(y, a, axis, keepdims)
    by = spread(d[y], a, axis, keepdims)
    if axis is None:
        d[a] = mask(hits, by / int(np.count_nonzero(hits)))
    else:
        d[a] = mask(hits, by / _ties(hits, a, axis))


@tangent("numpy.min")
def min(y, a, axis=None, *, keepdims=False):
    hits = a == spread(y, a, axis, keepdims)
    total = np.sum(mask(hits, d[a]), axis=axis, keepdims=keepdims)
    d[y] = total / np.count_nonzero(hits, axis=axis, keepdims=keepdims)


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
