"""Records of the helpers in tangent.runtime, which the other records call."""


@adjoint("tangent.runtime._unbroadcast", linear=("b",),
         sample=("(matrix23, vector3)", "(stack423, number)", "(matrix23, matrix23)"))
def _unbroadcast(y, b, like):
    d[like] = 0
    d[b] = full(d[y], y)


@adjoint("tangent.runtime._full", linear=("b",),
         sample=("(vector3, matrix23)", "(number, stack423)", "(matrix23, matrix23)"))
def _full(y, b, x):
    d[x] = 0
    d[b] = _unbroadcast(full(d[y], y), b)


@adjoint("tangent.runtime._spread", linear=("b",),
         sample=("(vector3, matrix23, 0)", "(number, matrix23)", "(vector2, matrix23, 1)",
                 "(matrix23, matrix23, 1, True)", "(vector3, stack131, 1)"))
def _spread(y, b, x, axis=None, keepdims=False):
    d[x] = 0
    d[b] = np.reshape(full(d[y], y), np.shape(b))


@adjoint("tangent.runtime._mask", linear=("b",),
         sample=("(mask23, matrix23)", "(True, number)", "(mask23, vector3)", "(mask23, number)"))
def _mask(y, test, b):
    d[b] = _unbroadcast(mask(test, full(d[y], y)), b)


@constant("tangent.runtime._count", shape="integer_scalar",
          sample=("(matrix23, 0)", "(stack423, (0, -1))"))
def _count(y, a, axis): ...


@constant("tangent.runtime._zeros_like", shape="same_float", sample=("(matrix23,)",))
def _zeros_like(y, x): ...


@constant("tangent.runtime._above", shape="elementwise", domain=((0, 1), (2, 3)))
def _above(y, a, b): ...


@adjoint("tangent.runtime._power_slope", shape="elementwise", domain=((0.3, 3), (-2, 3)))
def _power_slope(y, x, n):
    d[x] = d[y] * n * _power_slope(x, n - 1)
    d[n] = d[y] * (_power(x, n - 1) + _times_log(y, x))


@adjoint("tangent.runtime._power", shape="elementwise", domain=((0.3, 3), (-2, 3)),
         note="The mixed second derivative of `x ** n` at base 0 is 0.",
         edges=("(0.0, 0.0) -> 0.0, 0.0",))
def _power(y, x, n):
    d[x] = d[y] * _power_slope(x, n)
    d[n] = d[y] * _times_log(y, x)


@adjoint("tangent.runtime._times_log", shape="elementwise", domain=((-3, 3), (0.3, 3)))
def _times_log(z, y, x):
    d[y] = d[z] * _times_log(1, x)
    d[x] = d[z] * _over(y, x)


@adjoint("tangent.runtime._over", shape="elementwise", domain=((-3, 3), (0.3, 3)))
def _over(z, y, x):
    d[y] = d[z] * _over(1, x)
    d[x] = -d[z] * _over(z, x)


# Products


@adjoint("tangent.runtime._matmul_left_adjoint",
         sample=("(matrix24, matrix23, matrix34)", "(vector2, matrix23, vector3)",
                 "(number, vector3, vector3b)", "(vector4, vector3, matrix34)",
                 "(stack424, stack423, matrix34)", "(stack424, matrix23, stack434)",
                 "(matrix43, vector2, stack423)", "(matrix42, stack423, vector3)"))
def _matmul_left_adjoint(y, by, a, b):
    d[a] = 0
    d[by] = np.matmul(full(d[y], y), b)
    d[b] = _matmul_right_adjoint(by, full(d[y], y), b)


@tangent("tangent.runtime._matmul_left_adjoint")
def _matmul_left_adjoint(y, by, a, b):
    d[y] = _matmul_left_adjoint(d[by], a, b)
    d[y] = _matmul_left_adjoint(by, a, d[b])


@adjoint("tangent.runtime._matmul_right_adjoint",
         sample=("(matrix24, matrix23, matrix34)", "(vector2, matrix23, vector3)",
                 "(number, vector3, vector3b)", "(vector4, vector3, matrix34)",
                 "(stack424, stack423, matrix34)", "(stack424, matrix23, stack434)",
                 "(matrix43, vector2, stack423)", "(matrix42, stack423, vector3)"))
def _matmul_right_adjoint(y, by, a, b):
    d[b] = 0
    d[by] = np.matmul(a, full(d[y], y))
    d[a] = _matmul_left_adjoint(by, a, full(d[y], y))


@tangent("tangent.runtime._matmul_right_adjoint")
def _matmul_right_adjoint(y, by, a, b):
    d[y] = _matmul_right_adjoint(d[by], a, b)
    d[y] = _matmul_right_adjoint(by, d[a], b)


@adjoint("tangent.runtime._dot_left_adjoint",
         sample=("(matrix24, matrix23, matrix34)", "(matrix23, number, matrix23b)",
                 "(matrix23, matrix23b, number)", "(stack424, stack423, matrix34)",
                 "(matrix42, stack423, vector3)", "(number, vector3, vector3b)"))
def _dot_left_adjoint(y, by, a, b):
    d[a] = 0
    d[by] = np.dot(full(d[y], y), b)
    d[b] = _dot_right_adjoint(by, full(d[y], y), b)


@tangent("tangent.runtime._dot_left_adjoint")
def _dot_left_adjoint(y, by, a, b):
    d[y] = _dot_left_adjoint(d[by], a, b)
    d[y] = _dot_left_adjoint(by, a, d[b])


@adjoint("tangent.runtime._dot_right_adjoint",
         sample=("(matrix24, matrix23, matrix34)", "(matrix23, number, matrix23b)",
                 "(matrix23, matrix23b, number)", "(stack424, stack423, matrix34)",
                 "(matrix42, stack423, vector3)", "(number, vector3, vector3b)"))
def _dot_right_adjoint(y, by, a, b):
    d[b] = 0
    d[by] = np.dot(a, full(d[y], y))
    d[a] = _dot_left_adjoint(by, a, full(d[y], y))


@tangent("tangent.runtime._dot_right_adjoint")
def _dot_right_adjoint(y, by, a, b):
    d[y] = _dot_right_adjoint(d[by], a, b)
    d[y] = _dot_right_adjoint(by, d[a], b)


@adjoint("tangent.runtime._solve_columns",
         sample=("(square433, matrix43, vector3)", "(square433, stack434, stack434)",
                 "(square3, matrix34, matrix34)", "(square3, vector3, vector3)"))
def _solve_columns(y, a, r, b):
    d[b] = 0
    s = _solve_columns(np.swapaxes(a, -1, -2), full(d[y], y), b)
    d[r] = s
    d[a] = _unbroadcast(-_outer_columns(s, y, b), a)


@tangent("tangent.runtime._solve_columns")
def _solve_columns(y, a, r, b):
    d[y] = _solve_columns(a, d[r], b)
    d[y] = -_solve_columns(a, _times_columns(d[a], y, b), b)


@adjoint("tangent.runtime._times_columns",
         sample=("(square433, matrix43, vector3)", "(square433, stack434, stack434)",
                 "(square3, matrix34, matrix34)"))
def _times_columns(y, m, r, b):
    d[b] = 0
    d[m] = _unbroadcast(_outer_columns(full(d[y], y), r, b), m)
    d[r] = _unbroadcast(_times_columns(np.swapaxes(m, -1, -2), full(d[y], y), b), r)


@tangent("tangent.runtime._times_columns")
def _times_columns(y, m, r, b):
    d[y] = _times_columns(d[m], r, b)
    d[y] = _times_columns(m, d[r], b)


@adjoint("tangent.runtime._outer_columns",
         sample=("(matrix43, matrix43b, vector3)", "(stack434, stack434, stack434)",
                 "(matrix34, matrix34, matrix34)"))
def _outer_columns(y, r, s, b):
    d[b] = 0
    d[r] = _times_columns(full(d[y], y), s, b)
    d[s] = _times_columns(np.swapaxes(full(d[y], y), -1, -2), r, b)


@tangent("tangent.runtime._outer_columns")
def _outer_columns(y, r, s, b):
    d[y] = _outer_columns(d[r], s, b)
    d[y] = _outer_columns(r, d[s], b)


# Products of all but one element


@adjoint("tangent.runtime._flatten_axes", linear=("a",),
         sample=("(stack423, (0, 2))", "(matrix23, None)", "(matrix23, 0)", "(vector3, 0)"))
def _flatten_axes(y, a, axis):
    d[a] = _unflatten_axes(full(d[y], y), a, axis)


@adjoint("tangent.runtime._unflatten_axes", linear=("b",),
         sample=("(matrix38, stack423, (0, 1))", "(vector6, matrix23, None)"))
def _unflatten_axes(y, b, like, axis):
    d[like] = 0
    d[b] = _flatten_axes(full(d[y], y), axis)


@adjoint("tangent.runtime._product_of_others",
         sample=("(matrix23,)", "(matrix23, 0)", "(stack423, (0, -1))", "(vector3z,)",
                 "(vector3zz,)", "(number,)"))
def _product_of_others(y, a, axis=None):
    slopes = _product_of_others(_repeat_others(a, axis, 1.0), -1)
    by = np.expand_dims(_flatten_axes(full(d[y], y), axis), -1)
    d[a] = _sum_others(by * slopes, a, axis)


@tangent("tangent.runtime._product_of_others")
def _product_of_others(y, a, axis=None):
    slopes = _product_of_others(_repeat_others(a, axis, 1.0), -1)
    d[y] = _unflatten_axes(np.sum(slopes * _repeat_others(d[a], axis, 0.0), axis=-1), a, axis)


@adjoint("tangent.runtime._repeat_others", sample=("(matrix23, 0, 1.0)", "(matrix23, None, 0.0)"))
def _repeat_others(y, a, axis, diagonal):
    d[a] = _sum_others(full(d[y], y), a, axis)


@tangent("tangent.runtime._repeat_others")
def _repeat_others(y, a, axis, diagonal):
    d[y] = _repeat_others(d[a], axis, 0.0)


@adjoint("tangent.runtime._sum_others", linear=("b",), sample=("(square433, matrix43, 1)",))
def _sum_others(y, b, a, axis):
    d[a] = 0
    d[b] = _repeat_others(full(d[y], y), axis, 0.0)


# Scans, sorting, picking, joining


@adjoint("tangent.runtime._cumsum_adjoint", linear=("b",),
         sample=("(matrix23, matrix23, 0)", "(vector6, matrix23, None)"))
def _cumsum_adjoint(y, b, a, axis):
    d[a] = 0
    d[b] = np.cumsum(full(d[y], y), axis)


@adjoint("tangent.runtime._undiff", linear=("b",),
         sample=("(vector3, 1, -1)", "(matrix23, 2, 0)", "(matrix23, 1, 1)"))
def _undiff(y, b, n, axis):
    d[b] = np.diff(full(d[y], y), n, axis)


@adjoint("tangent.runtime._unsort", linear=("b",),
         sample=("(vector3, vector3b)", "(matrix23, matrix23b, 0)", "(vector6, matrix23, None)"))
def _unsort(y, b, a, axis=-1):
    d[a] = 0
    d[b] = _sort_like(full(d[y], y), a, axis)


@adjoint("tangent.runtime._sort_like", linear=("b",),
         sample=("(vector3, vector3b)", "(matrix23, matrix23b, 0)", "(matrix23, matrix23b, None)"))
def _sort_like(y, b, a, axis=-1):
    d[a] = 0
    d[b] = _unsort(full(d[y], y), a, axis)


@adjoint("tangent.runtime._untake", linear=("b",),
         sample=("(vector3, vector4, [0, 2, 2])", "(matrix23, matrix43, [1, 1], 0)"))
def _untake(y, b, a, indices, axis=None):
    d[a] = 0
    d[b] = np.take(full(d[y], y), indices, axis)


@adjoint("tangent.runtime._unindex", linear=("b",),
         sample=("(vector3, vector4, [0, 2, 2])", "(vector3, matrix23, 1)"))
def _unindex(y, b, x, index):
    d[x] = 0
    d[b] = full(d[y], y)[index]


@adjoint("tangent.runtime._unconcatenate", linear=("b",),
         sample=("(matrix43, (matrix23, matrix23), 0)", "(vector6, (vector3, vector3), None)"))
def _unconcatenate(y, b, arrays, axis=0):
    d[arrays] = 0
    d[b] = _reconcatenate(d[y], arrays, axis)


@adjoint("tangent.runtime._reconcatenate", linear=("b",),
         sample=("((matrix23, matrix23b), (matrix23, matrix23), 0)",))
def _reconcatenate(y, b, arrays, axis):
    d[arrays] = 0
    d[b] = _unconcatenate(full(d[y], y), arrays, axis)


@constant("tangent.runtime._linspace_weights", sample=("(4, True, vector4)", "(4, False, vector4)"))
def _linspace_weights(y, num, endpoint, like): ...


@constant("tangent.runtime._ties", sample=("(mask23, matrix23, 0)", "(mask23, matrix23, None)"))
def _ties(y, hits, a, axis): ...
