"""Records of NumPy's functions that pick elements, by the places that they pick."""


@adjoint("numpy.delete", shape="", linear=("arr",),
         sample=("(vector4, 1)", "(matrix34, [0, 2], 1)", "(matrix23, 1)"))
def delete(y, arr, obj, axis=None):
    d[arr] = _unpick(full(d[y], y), arr, np.delete(_places(arr), obj, axis))


@adjoint("numpy.extract", shape="", linear=("arr",),
         sample=("(np.array([True, False, True]), vector3)", "(mask23, matrix23)"))
def extract(y, condition, arr):
    d[arr] = _unpick(full(d[y], y), arr, np.extract(condition, _places(arr)))


@adjoint("numpy.compress", shape="", linear=("a",),
         sample=("([True, False, True], vector3)", "([False, True], matrix23, 0)"))
def compress(y, condition, a, axis=None):
    d[a] = _unpick(full(d[y], y), a, np.compress(condition, _places(a), axis))


@adjoint("numpy.resize", shape="", linear=("a",), sample=("(vector3, (2, 4))", "(matrix23, 4)"))
def resize(y, a, new_shape):
    d[a] = _unpick(full(d[y], y), a, np.resize(_places(a), new_shape))


@adjoint("numpy.insert", shape="", linear=("arr", "values"),
         sample=("(vector4, 1, number)", "(vector4, [0, 2], vector2)", "(vector3, 3, 1.5)"))
def insert(y, arr, obj, values, axis=None):
    if axis is None:
        places = np.insert(_places(arr), obj, np.size(arr))
        d[arr] = _unpick(full(d[y], y), arr, places)
        d[values] = _unbroadcast(np.extract(places == np.size(arr), full(d[y], y)), values)
    else:
        d[arr] = refuse(d[y], "np.insert along an axis has no derivative rule")
        d[values] = refuse(d[y], "np.insert along an axis has no derivative rule")


@adjoint("numpy.rollaxis", shape="", linear=("a",), sample=("(stack423, 2)", "(matrix23, 1, 0)"))
def rollaxis(y, a, axis, start=0):
    d[a] = _unpick(full(d[y], y), a, np.rollaxis(_places(a), axis, start))


@adjoint("numpy.diagflat", shape="", linear=("v",), sample=("(vector3,)", "(matrix23, 1)"))
def diagflat(y, v, k=0):
    d[v] = np.reshape(np.diagonal(full(d[y], y), k), np.shape(v))


@adjoint("numpy.lib.stride_tricks.sliding_window_view", shape="", linear=("x",),
         sample=("(vector6, 3)", "(matrix34, (2, 2))", "(matrix34, 2, 1)"))
def sliding_window_view(y, x, window_shape, axis=None):
    d[x] = _unpick(
        full(d[y], y), x,
        np.lib.stride_tricks.sliding_window_view(_places(x), window_shape, axis))


@adjoint("numpy.partition", shape="same", sample=("(vector6, 2)", "(matrix34, 1, 0)"))
def partition(y, a, kth, axis=-1):
    d[a] = _untake_along_axis(full(d[y], y), a, np.argpartition(a, kth, axis), axis)


@tangent("numpy.partition")
def partition(y, a, kth, axis=-1):
    d[y] = np.take_along_axis(d[a], np.argpartition(a, kth, axis), axis)


@constant("numpy.argpartition", sample=("(vector6, 2)",))
def argpartition(y, a, kth, axis=-1): ...


@adjoint("numpy.unique", shape="", sample=("(vector4,)", "(matrix23,)"))
def unique(y, ar):
    d[ar] = _unpick(full(d[y], y), ar, _unique_places(ar))


@tangent("numpy.unique")
def unique(y, ar):
    d[y] = np.take(d[ar], _unique_places(ar))


@adjoint("numpy.matrix_transpose", aliases=("numpy.linalg.matrix_transpose",), shape="",
         linear=("x",), sample=("(matrix23,)", "(stack423,)"))
def matrix_transpose(y, x):
    d[x] = np.swapaxes(full(d[y], y), -1, -2)


@adjoint("numpy.unwrap", shape="same_float", sample=("(vector4,)", "(matrix34, None, 0)"))
def unwrap(y, p, discont=None, axis=-1):
    d[p] = d[y]


@tangent("numpy.unwrap")
def unwrap(y, p, discont=None, axis=-1):
    d[y] = d[p]


@adjoint("numpy.bincount", shape="", linear=("weights",),
         sample=("(np.array([0, 2, 2]), vector3)", "(np.array([0, 2, 2]), vector3, 5)"))
def bincount(y, x, weights=None, minlength=0):
    d[weights] = np.take(full(d[y], y), x)


@constant("numpy.digitize", sample=("(vector3, vector4s)",))
def digitize(y, x, bins, right=False): ...


# Helpers


@constant("tangent.runtime._places", sample=("(matrix23,)",))
def _places(y, a): ...


@constant("tangent.runtime._unique_places", sample=("(matrix23,)",))
def _unique_places(y, a): ...


@adjoint("tangent.runtime._unpick", shape="like_second", linear=("b",),
         sample=("(vector4, vector3, np.array([0, 2, 3, 2]))",
                 "(vector2, matrix23, np.array([5, 1]))"))
def _unpick(y, b, a, places):
    d[a] = 0
    d[b] = _pick(full(d[y], y), places)


@adjoint("tangent.runtime._pick", linear=("a",),
         sample=("(vector3, np.array([0, 2, 3, 2]))", "(matrix23, np.array([[5], [1]]))"))
def _pick(y, a, places):
    d[a] = _unpick(full(d[y], y), a, places)
