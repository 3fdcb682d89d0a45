"""Records of NumPy's functions that make, shape, join and pick arrays."""

# Shapes


@adjoint("numpy.reshape", shape="reshape", linear=("a",),
         sample=("(matrix23, (3, 2))", "(matrix23, -1)", "(stack423, (4, -1))",
                 "(number, (1, 1))"))
def reshape(y, a, shape):
    d[a] = np.reshape(full(d[y], y), np.shape(a))


@adjoint("numpy.ravel", shape="ravel", linear=("a",),
         sample=("(matrix23,)", "(vector3,)", "(number,)"))
def ravel(y, a):
    d[a] = np.reshape(full(d[y], y), np.shape(a))


@adjoint("numpy.transpose", aliases=("numpy.permute_dims",), shape="transpose", linear=("a",),
         sample=("(matrix23,)", "(stack423, (1, 2, 0))", "(stack423,)", "(vector3,)",
                 "(number,)"))
def transpose(y, a, axes=None):
    if axes is None:
        d[a] = np.transpose(full(d[y], y))
    else:
        d[a] = np.transpose(full(d[y], y), np.argsort(axes))


@adjoint("numpy.swapaxes", shape="swapaxes", linear=("a",),
         sample=("(stack423, 0, 2)", "(matrix23, -1, -2)"))
def swapaxes(y, a, axis1, axis2):
    d[a] = np.swapaxes(full(d[y], y), axis1, axis2)


@adjoint("numpy.moveaxis", shape="moveaxis", linear=("a",),
         sample=("(stack423, 0, 2)", "(stack423, (0, 1), (1, 2))"))
def moveaxis(y, a, source, destination):
    d[a] = np.moveaxis(full(d[y], y), destination, source)


@adjoint("numpy.expand_dims", shape="expand_dims", linear=("a",),
         sample=("(matrix23, 0)", "(matrix23, -1)", "(vector3, (0, 2))", "(number, 0)"))
def expand_dims(y, a, axis):
    d[a] = np.reshape(full(d[y], y), np.shape(a))


@adjoint("numpy.squeeze", shape="squeeze", linear=("a",),
         sample=("(stack131,)", "(stack131, 0)", "(stack131, (0, 2))"))
def squeeze(y, a, axis=None):
    d[a] = np.reshape(full(d[y], y), np.shape(a))


@adjoint("numpy.broadcast_to", shape="broadcast_to", linear=("array",),
         sample=("(vector3, (2, 3))", "(number, (2, 3))", "(stack131, (2, 3, 4))"))
def broadcast_to(y, array, shape):
    d[array] = _unbroadcast(full(d[y], y), array)


@adjoint("numpy.flip", shape="same", linear=("m",),
         sample=("(matrix23,)", "(matrix23, 0)", "(vector3, 0)", "(stack423, (0, 2))"))
def flip(y, m, axis=None):
    d[m] = np.flip(full(d[y], y), axis)


# Joins


@adjoint("numpy.concatenate", aliases=("numpy.concat",), shape="concatenate", linear=("arrays",),
         sample=("((matrix23, matrix23b),)", "((matrix23, matrix23b, matrix23), 1)",
                 "([vector3, vector2],)", "((matrix23, vector3), None)", "(stack423, -1)"))
def concatenate(y, arrays, axis=0):
    d[arrays] = pieces(full(d[y], y), arrays, axis)


@adjoint("numpy.stack", shape="stack", linear=("arrays",),
         sample=("((matrix23, matrix23b),)", "((matrix23, matrix23b), 1)",
                 "([vector3, vector3b], -1)", "((number, number),)"))
def stack(y, arrays, axis=0):
    d[arrays] = layers(full(d[y], y), axis)


@adjoint("numpy.array",
         aliases=("numpy.asarray", "numpy.asanyarray", "numpy.ascontiguousarray"), shape="array",
         linear=("object",),
         sample=("(matrix23,)", "([number, number, 2.0],)", "([vector3, vector3b],)",
                 "(number,)"))
def array(y, object, dtype=None):
    d[object] = full(d[y], y)


@adjoint("numpy.copy", shape="same", linear=("a",), sample=("(matrix23,)", "(number,)"))
def copy(y, a):
    d[a] = d[y]


@adjoint("numpy.astype", shape="astype", linear=("x",), sample=("(matrix23, float)",))
def astype(y, x, dtype):
    d[x] = d[y]


# Picks


@adjoint("numpy.take", shape="take", linear=("a",),
         sample=("(vector3, [0, 2, 2])", "(matrix23, 1)", "(matrix23, [[0, 1], [1, 1]], 0)",
                 "(matrix23, [0, 2, 2], axis=-1)", "(vector3, 1)"))
def take(y, a, indices, axis=None):
    d[a] = _untake(full(d[y], y), a, indices, axis)


# Made of numbers and shapes


@adjoint("numpy.full", shape="filled", linear=("fill_value",),
         sample=("((2, 3), number)", "(3, number)", "((2, 3), vector3)"))
def full(y, shape, fill_value, dtype=None):
    d[fill_value] = _unbroadcast(full(d[y], y), fill_value)


@adjoint("numpy.full_like", shape="filled_like", linear=("fill_value",),
         sample=("(matrix23, number)", "(matrix23, vector3)"))
def full_like(y, a, fill_value, dtype=None):
    d[a] = 0
    d[fill_value] = _unbroadcast(full(d[y], y), fill_value)


@adjoint("numpy.linspace", shape="linspace", linear=("start", "stop"),
         sample=("(number, 3.0, 5)", "(number, number, num=4, endpoint=False)",
                 "(number, 3.0)", "(1.0, number, 1)", "(vector3, matrix23, 4)"))
def linspace(y, start, stop, num=50, endpoint=True):
    weights = _linspace_weights(num, endpoint, y)
    if rank(start) == 0 and rank(stop) == 0:
        d[start] = np.sum(d[y] * (1 - weights))
        d[stop] = np.sum(d[y] * weights)
    else:
        d[start] = _unbroadcast(np.moveaxis(full(d[y], y), 0, -1) @ (1 - weights), start)
        d[stop] = _unbroadcast(np.moveaxis(full(d[y], y), 0, -1) @ weights, stop)


@adjoint("numpy.arange", shape="arange",
         sample=("(5,)", "(0.7, 3.5)", "(0.7, 3.1, 0.5)", "(2.0, 8.1, 0.7)"),
         note="`np.arange`: the number of elements does not change, so the slope in `stop` is 0.",
         edges=("(0.5, 2.0, 1.0) -> 2.0, 1.0",))
def arange(y, start, stop=None, step=None, *, dtype=None):
    d[stop] = 0
    if stop is None:
        d[start] = 0
    else:
        d[start] = np.sum(full(d[y], y))
        d[step] = np.sum(d[y] * np.arange(np.size(y)))


@tangent("numpy.arange")
def arange(y, start, stop=None, step=None, *, dtype=None):
    if stop is not None:
        d[y] = d[start]
        d[y] = d[step] * np.arange(np.size(y))


@constant("numpy.zeros", aliases=("numpy.ones", "numpy.empty"), shape="filled",
          sample=("((2, 3),)", "(3, float)"))
def zeros(y, shape, dtype=float, order="C"): ...


@constant("numpy.zeros_like", aliases=("numpy.ones_like", "numpy.empty_like"),
          shape="filled_like", sample=("(matrix23,)", "(number,)"))
def zeros_like(y, a, dtype=None, order="K", subok=True, shape=None): ...


@constant("numpy.eye", shape="eye", sample=("(3,)", "(3, 4, 1)"))
def eye(y, N, M=None, k=0, dtype=float): ...


@constant("numpy.identity", shape="eye", sample=("(3,)",))
def identity(y, n, dtype=None): ...


@constant("numpy.round", aliases=("numpy.around",), shape="same",
          sample=("(matrix23,)", "(matrix23, 1)"))
def round(y, a, decimals=0): ...


@constant("numpy.shape", shape="shape", sample=("(matrix23,)", "(number,)"))
def shape(y, a): ...


@constant("numpy.size", shape="integer_scalar", sample=("(matrix23,)", "(matrix23, 1)"))
def size(y, a, axis=None): ...


@constant("numpy.ndim", shape="integer_scalar", sample=("(matrix23,)", "(number,)"))
def ndim(y, a): ...


@constant("numpy.may_share_memory", aliases=("numpy.shares_memory",),
          sample=("(vector3, vector3)",))
def may_share_memory(y, a, b): ...


# More shapes


@adjoint("numpy.atleast_1d", aliases=("numpy.atleast_2d", "numpy.atleast_3d"), shape="",
         linear=("a",), sample=("(number,)", "(vector3,)", "(stack423,)"))
def atleast_1d(y, a):
    d[a] = np.reshape(full(d[y], y), np.shape(a))


@adjoint("numpy.flipud", shape="same", linear=("m",), sample=("(matrix23,)", "(vector3,)"))
def flipud(y, m):
    d[m] = np.flipud(full(d[y], y))


@adjoint("numpy.fliplr", shape="same", linear=("m",), sample=("(matrix23,)",))
def fliplr(y, m):
    d[m] = np.fliplr(full(d[y], y))


@adjoint("numpy.rot90", shape="", linear=("m",), sample=("(matrix23,)", "(matrix23, 2)"))
def rot90(y, m, k=1):
    d[m] = np.rot90(full(d[y], y), -k)


@adjoint("numpy.roll", shape="same", linear=("a",),
         sample=("(vector3, 1)", "(matrix23, 2)", "(matrix23, 1, 0)", "(matrix23, (1, 2), (0, 1))"))
def roll(y, a, shift, axis=None):
    if literal(shift):
        d[a] = np.roll(full(d[y], y), -shift, axis)
    else:
        d[a] = np.roll(full(d[y], y), np.negative(shift), axis)


@adjoint("numpy.repeat", shape="repeat", linear=("a",),
         sample=("(vector3, 2)", "(matrix23, 2)", "(matrix23, [1, 2], 0)", "(matrix23, 3, axis=1)",
                 "(number, 3)"))
def repeat(y, a, repeats, axis=None):
    d[a] = _unrepeat(full(d[y], y), a, repeats, axis)


@adjoint("numpy.tile", shape="repeat", linear=("A",),
         sample=("(vector3, 2)", "(matrix23, (2, 1))", "(vector3, (2, 2))", "(stack423, 2)",
                 "(number, 3)"))
def tile(y, A, reps):
    d[A] = _untile(full(d[y], y), A, reps)


@adjoint("numpy.pad", shape="repeat",
         sample=("(vector3, 1)", "(matrix23, ((1, 0), (2, 1)))", "(vector3, (1, 2), 'edge')",
                 "(matrix23, 1, 'reflect')", "(vector3, 2, 'constant', constant_values=1.5)"))
def pad(y, array, pad_width, mode="constant", *, constant_values=0):
    d[array] = _unpad(full(d[y], y), array, pad_width, mode)


@tangent("numpy.pad")
def pad(y, array, pad_width, mode="constant", *, constant_values=0):
    d[y] = np.pad(d[array], pad_width, mode)


@adjoint("numpy.tril", shape="same", linear=("m",), sample=("(matrix34,)", "(matrix34, 1)",
                                                            "(stack423,)"))
def tril(y, m, k=0):
    d[m] = np.tril(full(d[y], y), k)


@adjoint("numpy.triu", shape="same", linear=("m",), sample=("(matrix34,)", "(matrix34, -1)",
                                                            "(stack423,)"))
def triu(y, m, k=0):
    d[m] = np.triu(full(d[y], y), k)


@adjoint("numpy.diag", shape="diagonal", linear=("v",),
         sample=("(vector3,)", "(vector3, 1)", "(square3,)", "(matrix34, -1)", "(matrix34, 1)"))
def diag(y, v, k=0):
    if rank(v) == 1:
        d[v] = np.diagonal(full(d[y], y), k)
    else:
        d[v] = _undiag(full(d[y], y), v, k)


@adjoint("numpy.diagonal", shape="", linear=("a",),
         sample=("(square3,)", "(matrix34, 1)", "(stack423, -1, 1, 2)"))
def diagonal(y, a, offset=0, axis1=0, axis2=1):
    d[a] = _undiagonal(full(d[y], y), a, offset, axis1, axis2)


# More joins and picks


@adjoint("numpy.hstack", shape="hstack", linear=("tup",),
         sample=("((vector3, vector2),)", "((matrix23, matrix24),)", "([number, vector3],)",
                 "(matrix23,)", "((number, number),)"))
def hstack(y, tup):
    if ranks(tup) <= 1:
        d[tup] = pieces(full(d[y], y), tup, 0)
    elif ranks(tup) > 1:
        d[tup] = pieces(full(d[y], y), tup, 1)
    else:
        d[tup] = _unjoin(full(d[y], y), tup, "hstack")


@adjoint("numpy.vstack", shape="vstack", linear=("tup",),
         sample=("((vector3, vector3b),)", "((matrix23, vector3),)", "((matrix23, matrix43),)",
                 "(matrix23,)"))
def vstack(y, tup):
    if ranks(tup) == 1:
        d[tup] = layers(full(d[y], y), 0)
    elif ranks(tup) > 1:
        d[tup] = pieces(full(d[y], y), tup, 0)
    else:
        d[tup] = _unjoin(full(d[y], y), tup, "vstack")


@adjoint("numpy.column_stack", shape="column_stack", linear=("tup",),
         sample=("((vector3, vector3b),)", "((matrix23, vector2),)", "((matrix23, matrix24),)"))
def column_stack(y, tup):
    if ranks(tup) == 1:
        d[tup] = layers(full(d[y], y), 1)
    elif ranks(tup) > 1:
        d[tup] = pieces(full(d[y], y), tup, 1)
    else:
        d[tup] = _unjoin(full(d[y], y), tup, "column_stack")


@adjoint("numpy.dstack", shape="dstack", linear=("tup",),
         sample=("((vector3, vector3b),)", "((matrix23, matrix23b),)", "((stack423, stack422),)"))
def dstack(y, tup):
    if ranks(tup) == 2:
        d[tup] = layers(full(d[y], y), 2)
    elif ranks(tup) > 2:
        d[tup] = pieces(full(d[y], y), tup, 2)
    else:
        d[tup] = _unjoin(full(d[y], y), tup, "dstack")


@adjoint("numpy.append", shape="",
         linear=("arr", "values"), sample=("(vector3, vector2)", "(matrix23, matrix43, 0)",
                                           "(vector3, number)"))
def append(y, arr, values, axis=None):
    parts = _unconcatenate(full(d[y], y), (arr, values), axis)
    d[arr] = parts[0]
    d[values] = parts[1]


@adjoint("numpy.take_along_axis", shape="", linear=("arr",),
         sample=("(matrix23, np.array([[0], [2]]), 1)",
                 "(matrix23, np.array([[1, 1, 0]]), axis=0)"))
def take_along_axis(y, arr, indices, axis=-1):
    d[arr] = _untake_along_axis(full(d[y], y), arr, indices, axis)


# Pieces and grids


@adjoint("numpy.split", aliases=("numpy.array_split",), shape="split", linear=("ary",),
         sample=("(vector6, 3)", "(matrix34, 2, 1)", "(vector6, [2, 5])", "(matrix43, 2, axis=0)"))
def split(y, ary, indices_or_sections, axis=0):
    d[ary] = np.concatenate(full(d[y], y), axis=axis)


@adjoint("numpy.meshgrid", shape="meshgrid",
         sample=("(vector2, vector3)", "(vector2, vector3, vector4)",
                 "(vector2, vector3, indexing='ij')", "(vector2, vector3, vector4, indexing='ij')"))
def meshgrid(y, x1, x2, x3=None, *, indexing="xy"):
    d[x1] = _along_axis(full(d[y][0], y[0]), x1, 0, indexing)
    d[x2] = _along_axis(full(d[y][1], y[1]), x2, 1, indexing)
    d[x3] = _along_axis(full(d[y][2], y[2]), x3, 2, indexing)


@tangent("numpy.meshgrid")
def meshgrid(y, x1, x2, x3=None, *, indexing="xy"):
    if x3 is None:
        d[y] = (_across_axis(d[x1], y[0], 0, indexing), 0.0)
        d[y] = (0.0, _across_axis(d[x2], y[1], 1, indexing))
    else:
        d[y] = (_across_axis(d[x1], y[0], 0, indexing), 0.0, 0.0)
        d[y] = (0.0, _across_axis(d[x2], y[1], 1, indexing), 0.0)
        d[y] = (0.0, 0.0, _across_axis(d[x3], y[2], 2, indexing))
