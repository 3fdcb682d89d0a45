"""Records of the helpers in tangent.runtime, which the other records call."""


@adjoint("tangent.runtime._unbroadcast", linear=("b",), shape="like_second",
         sample=("(matrix23, vector3)", "(stack423, number)", "(matrix23, matrix23)"))
def _unbroadcast(y, b, like):
    d[like] = 0
    d[b] = full(d[y], y)


@adjoint("tangent.runtime._full", linear=("b",), shape="like_second",
         sample=("(vector3, matrix23)", "(number, stack423)", "(matrix23, matrix23)"))
def _full(y, b, x):
    d[x] = 0
    d[b] = _unbroadcast(full(d[y], y), b)


@constant("tangent.runtime.stop_gradient", shape="same", sample=("(matrix23,)", "(number,)"))
def stop_gradient(y, x): ...


@adjoint("tangent.runtime._spread", linear=("b",), shape="spread",
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


@constant("tangent.runtime._record_shares", shape="same", sample=("(vector3, vector3, 0)",))
def _record_shares(y, best, a, axis): ...


@constant("tangent.runtime._flat_places", sample=("((2, 3), 4)",))
def _flat_places(y, shape, index): ...


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


@adjoint("tangent.runtime._matmul_left_adjoint", shape="like_second",
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


@adjoint("tangent.runtime._matmul_right_adjoint", shape="like_third",
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


@adjoint("tangent.runtime._dot_left_adjoint", shape="like_second",
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


@adjoint("tangent.runtime._dot_right_adjoint", shape="like_third",
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


# More products


@adjoint("tangent.runtime._swap_last", linear=("b",), sample=("(matrix23,)", "(vector3,)"))
def _swap_last(y, b):
    d[b] = _swap_last(full(d[y], y))


@adjoint("tangent.runtime._tensordot_left_adjoint",
         sample=("(vector4, stack423, matrix23, 2)",
                 "(matrix22, stack423, stack324b, ([2, 0], [0, 2]))"))
def _tensordot_left_adjoint(y, by, a, b, axes):
    d[a] = 0
    d[by] = np.tensordot(full(d[y], y), b, axes)
    d[b] = _tensordot_right_adjoint(by, full(d[y], y), b, axes)


@tangent("tangent.runtime._tensordot_left_adjoint")
def _tensordot_left_adjoint(y, by, a, b, axes):
    d[y] = _tensordot_left_adjoint(d[by], a, b, axes)
    d[y] = _tensordot_left_adjoint(by, a, d[b], axes)


@adjoint("tangent.runtime._tensordot_right_adjoint",
         sample=("(vector4, stack423, matrix23, 2)",
                 "(matrix22, stack423, stack324b, ([2, 0], [0, 2]))"))
def _tensordot_right_adjoint(y, by, a, b, axes):
    d[b] = 0
    d[by] = np.tensordot(a, full(d[y], y), axes)
    d[a] = _tensordot_left_adjoint(by, a, full(d[y], y), axes)


@tangent("tangent.runtime._tensordot_right_adjoint")
def _tensordot_right_adjoint(y, by, a, b, axes):
    d[y] = _tensordot_right_adjoint(d[by], a, b, axes)
    d[y] = _tensordot_right_adjoint(by, d[a], b, axes)


@adjoint("tangent.runtime._einsum",
         sample=("('ij,jk->ik', matrix23, matrix34)",
                 "('ij,jk,kl->il', matrix23, matrix34, matrix42)"))
def _einsum(y, subscripts, a, b=None, c=None):
    d[a] = _uneinsum_first(full(d[y], y), subscripts, a, b, c)
    d[b] = _uneinsum_second(full(d[y], y), subscripts, a, b, c)
    d[c] = _uneinsum_third(full(d[y], y), subscripts, a, b, c)


@tangent("tangent.runtime._einsum")
def _einsum(y, subscripts, a, b=None, c=None):
    d[y] = _einsum(subscripts, d[a], b, c)
    d[y] = _einsum(subscripts, a, d[b], c)
    d[y] = _einsum(subscripts, a, b, d[c])


@adjoint("tangent.runtime._uneinsum_first",
         sample=("(matrix24, 'ij,jk->ik', matrix23, matrix34)",
                 "(matrix22, 'ij,jk,kl->il', matrix23, matrix34, matrix42)",
                 "(vector3, 'ii->i', square3)"))
def _uneinsum_first(y, by, subscripts, a, b=None, c=None):
    d[by] = _einsum(subscripts, full(d[y], y), b, c)
    d[a] = 0
    d[b] = _uneinsum_second(by, subscripts, full(d[y], y), b, c)
    d[c] = _uneinsum_third(by, subscripts, full(d[y], y), b, c)


@tangent("tangent.runtime._uneinsum_first")
def _uneinsum_first(y, by, subscripts, a, b=None, c=None):
    d[y] = _uneinsum_first(d[by], subscripts, a, b, c)
    d[y] = _uneinsum_first(by, subscripts, a, d[b], c)
    d[y] = _uneinsum_first(by, subscripts, a, b, d[c])


@adjoint("tangent.runtime._uneinsum_second",
         sample=("(matrix24, 'ij,jk->ik', matrix23, matrix34)",
                 "(matrix22, 'ij,jk,kl->il', matrix23, matrix34, matrix42)"))
def _uneinsum_second(y, by, subscripts, a, b=None, c=None):
    d[by] = _einsum(subscripts, a, full(d[y], y), c)
    d[a] = _uneinsum_first(by, subscripts, a, full(d[y], y), c)
    d[b] = 0
    d[c] = _uneinsum_third(by, subscripts, a, full(d[y], y), c)


@tangent("tangent.runtime._uneinsum_second")
def _uneinsum_second(y, by, subscripts, a, b=None, c=None):
    d[y] = _uneinsum_second(d[by], subscripts, a, b, c)
    d[y] = _uneinsum_second(by, subscripts, d[a], b, c)
    d[y] = _uneinsum_second(by, subscripts, a, b, d[c])


@adjoint("tangent.runtime._uneinsum_third",
         sample=("(matrix22, 'ij,jk,kl->il', matrix23, matrix34, matrix42)",))
def _uneinsum_third(y, by, subscripts, a, b=None, c=None):
    d[by] = _einsum(subscripts, a, b, full(d[y], y))
    d[a] = _uneinsum_first(by, subscripts, a, b, full(d[y], y))
    d[b] = _uneinsum_second(by, subscripts, a, b, full(d[y], y))
    d[c] = 0


@tangent("tangent.runtime._uneinsum_third")
def _uneinsum_third(y, by, subscripts, a, b=None, c=None):
    d[y] = _uneinsum_third(d[by], subscripts, a, b, c)
    d[y] = _uneinsum_third(by, subscripts, d[a], b, c)
    d[y] = _uneinsum_third(by, subscripts, a, d[b], c)


@adjoint("tangent.runtime._kron_left_adjoint", sample=("(matrix66, matrix23, matrix32)",))
def _kron_left_adjoint(y, by, a, b):
    d[a] = 0
    d[by] = np.kron(full(d[y], y), b)
    d[b] = _kron_right_adjoint(by, full(d[y], y), b)


@tangent("tangent.runtime._kron_left_adjoint")
def _kron_left_adjoint(y, by, a, b):
    d[y] = _kron_left_adjoint(d[by], a, b)
    d[y] = _kron_left_adjoint(by, a, d[b])


@adjoint("tangent.runtime._kron_right_adjoint", sample=("(matrix66, matrix23, matrix32)",))
def _kron_right_adjoint(y, by, a, b):
    d[b] = 0
    d[by] = np.kron(a, full(d[y], y))
    d[a] = _kron_left_adjoint(by, a, full(d[y], y))


@tangent("tangent.runtime._kron_right_adjoint")
def _kron_right_adjoint(y, by, a, b):
    d[y] = _kron_right_adjoint(d[by], a, b)
    d[y] = _kron_right_adjoint(by, d[a], b)


@adjoint("tangent.runtime._undiagonal", linear=("b",),
         sample=("(vector3, matrix34, 1, 0, 1)", "(matrix42, stack423, 0, 1, 2)"))
def _undiagonal(y, b, a, offset, axis1, axis2):
    d[a] = 0
    d[b] = np.diagonal(full(d[y], y), offset, axis1, axis2)


@adjoint("tangent.runtime._undiag", linear=("b",),
         sample=("(vector3, matrix34, 1)", "(matrix44, vector3, 1)"))
def _undiag(y, b, v, k):
    d[v] = 0
    d[b] = np.diag(full(d[y], y), k)


@adjoint("tangent.runtime._norm_slope",
         sample=("(vector3, 1.7, 3, None, False)", "(vector3, 1.7, 2, None, False)",
                 "(matrix23, vector3p, None, 0, False)", "(matrix23, vector2p, 2.5, 1, False)"))
def _norm_slope(y, x, r, ord, axis, keepdims):
    by = full(d[y], y)
    p = _norm_power(x, ord, axis)
    s = _spread(r, x, axis, keepdims)
    d[x] = by * (p - 1) * _power(np.abs(x), p - 2) / s ** (p - 1)
    slopes = by * (1 - p) * y / s
    if axis is None:
        d[r] = np.sum(slopes)
    else:
        d[r] = np.sum(slopes, axis=axis, keepdims=keepdims)


@tangent("tangent.runtime._norm_slope")
def _norm_slope(y, x, r, ord, axis, keepdims):
    p = _norm_power(x, ord, axis)
    s = _spread(r, x, axis, keepdims)
    d[y] = d[x] * (p - 1) * _power(np.abs(x), p - 2) / s ** (p - 1)
    d[y] = spread(d[r], x, axis, keepdims) * (1 - p) * y / s


@constant("tangent.runtime._norm_power", sample=("(vector3, None, None)", "(vector3, 3, 0)"))
def _norm_power(y, x, ord, axis): ...


@adjoint("tangent.runtime._inverse", sample=("(square3,)", "(square433,)"))
def _inverse(y, a):
    d[a] = -np.swapaxes(y, -1, -2) @ full(d[y], y) @ np.swapaxes(y, -1, -2)


@tangent("tangent.runtime._inverse")
def _inverse(y, a):
    d[y] = -y @ d[a] @ y


@adjoint("tangent.runtime._cofactors", sample=("(square3,)", "(square433,)"))
def _cofactors(y, a):
    inverse = np.swapaxes(np.linalg.inv(a), -1, -2)
    by = full(d[y], y)
    total = np.sum(by * y, axis=(-2, -1), keepdims=True)
    d[a] = total * inverse - y @ np.swapaxes(by, -1, -2) @ inverse


@tangent("tangent.runtime._cofactors")
def _cofactors(y, a):
    inverse = np.swapaxes(np.linalg.inv(a), -1, -2)
    d[y] = np.sum(d[a] * inverse, axis=(-2, -1), keepdims=True) * y
    d[y] = -inverse @ np.swapaxes(d[a], -1, -2) @ y


@adjoint("tangent.runtime._lower_half", linear=("m",), sample=("(square3,)", "(square433,)"))
def _lower_half(y, m):
    d[m] = _lower_half(full(d[y], y))


# More scans and picks


@adjoint("tangent.runtime._exclusive_cumprod",
         sample=("(vector4, 0)", "(matrix34, 1)", "(matrix34z, 0)"))
def _exclusive_cumprod(y, a, axis):
    by = _back_scan(_shift(full(d[y], y), axis, 1), a, axis)
    d[a] = y * by


@tangent("tangent.runtime._exclusive_cumprod")
def _exclusive_cumprod(y, a, axis):
    d[y] = _shift(_scan(d[a] * y, a, axis), axis, -1)


@adjoint("tangent.runtime._scan", sample=("(vector4, vector4b, 0)", "(matrix34, matrix34b, 1)"))
def _scan(y, b, a, axis):
    by = _back_scan(full(d[y], y), a, axis)
    d[b] = by
    d[a] = by * _shift(y, axis, -1)


@tangent("tangent.runtime._scan")
def _scan(y, b, a, axis):
    d[y] = _scan(d[b], a, axis)
    d[y] = _scan(d[a] * _shift(y, axis, -1), a, axis)


@adjoint("tangent.runtime._back_scan", sample=("(vector4, vector4b, 0)",
                                               "(matrix34, matrix34b, 1)"))
def _back_scan(y, b, a, axis):
    by = _scan(full(d[y], y), a, axis)
    d[b] = by
    d[a] = _shift(by, axis, -1) * y


@tangent("tangent.runtime._back_scan")
def _back_scan(y, b, a, axis):
    d[y] = _back_scan(d[b], a, axis)
    d[y] = _back_scan(_shift(d[a] * y, axis, 1), a, axis)


@adjoint("tangent.runtime._shift", linear=("b",), sample=("(vector4, 0, 1)", "(matrix34, 1, -1)"))
def _shift(y, b, axis, n):
    d[b] = _shift(full(d[y], y), axis, -n)


@constant("tangent.runtime._quantile_weights",
          sample=("(vector4, 0.3, None)", "(matrix34, 0.5, 0)"))
def _quantile_weights(y, a, q, axis, method="linear"): ...


@adjoint("tangent.runtime._unquantiles", linear=("b",), shape="like_second",
         sample=("(vector2, vector4, np.array([0.1, 0.6]), None, 'linear', False)",))
def _unquantiles(y, b, a, q, axis=None, method="linear", keepdims=False):
    d[a] = 0
    d[b] = _quantiles(full(d[y], y), a, q, axis, method, keepdims)


@adjoint("tangent.runtime._quantiles", linear=("b",),
         sample=("(vector4, vector4b, np.array([0.1, 0.6]), None, 'linear', False)",))
def _quantiles(y, b, a, q, axis=None, method="linear", keepdims=False):
    d[a] = 0
    d[b] = _unquantiles(full(d[y], y), a, q, axis, method, keepdims)


@adjoint("tangent.runtime._align", linear=("w",),
         sample=("(vector3, matrix23, 1)", "(vector2, matrix23, 0)", "(matrix23, matrix23, 0)"))
def _align(y, w, a, axis):
    d[a] = 0
    d[w] = np.reshape(full(d[y], y), np.shape(w))


@adjoint("tangent.runtime._trapezoid_weights", linear=("x",),
         sample=("(matrix34, vector4, 1.0, 1)", "(matrix34, matrix34b, 1.0, 0)",
                 "(vector4, vector4b, 1.0, -1)"))
def _trapezoid_weights(w, y, x, dx, axis):
    d[y] = 0
    d[x] = _untrapezoid_weights(full(d[w], w), x, axis)
    d[dx] = 0


@adjoint("tangent.runtime._untrapezoid_weights", linear=("b",),
         sample=("(matrix34, vector4, 1)", "(matrix34, matrix34b, 0)"))
def _untrapezoid_weights(y, b, x, axis):
    d[x] = 0
    d[b] = _full(_trapezoid_weights(b, full(d[y], y), 1.0, axis), b)


@adjoint("tangent.runtime._interp_slope", linear=("fp",),
         sample=("(0.37, vector4s, vector4)", "(matrix23, vector4s, vector4)"))
def _interp_slope(y, x, xp, fp):
    d[x] = 0
    d[fp] = _uninterp_slope(full(d[y], y), x, xp)


@adjoint("tangent.runtime._uninterp_slope", linear=("b",),
         sample=("(matrix23, matrix23b, vector4s)",))
def _uninterp_slope(y, b, x, xp):
    d[x] = 0
    d[b] = _interp_slope(x, xp, full(d[y], y))


@adjoint("tangent.runtime._uninterp", sample=("(matrix23, matrix23b, vector4s)",))
def _uninterp(y, b, x, xp):
    d[b] = np.interp(x, xp, full(d[y], y))
    d[x] = b * _interp_slope(x, xp, full(d[y], y))


@tangent("tangent.runtime._uninterp")
def _uninterp(y, b, x, xp):
    d[y] = _uninterp(d[b], x, xp)
    d[y] = _uninterp_slope(b * d[x], x, xp)


@adjoint("tangent.runtime._unconvolve",
         sample=("(vector8, vector6, vector3, 'full')", "(vector6, vector3, vector6b, 'same')"))
def _unconvolve(y, by, a, v, mode):
    d[a] = 0
    d[by] = np.convolve(full(d[y], y), v, mode)
    d[v] = _unconvolve(by, v, full(d[y], y), mode)


@tangent("tangent.runtime._unconvolve")
def _unconvolve(y, by, a, v, mode):
    d[y] = _unconvolve(d[by], a, v, mode)
    d[y] = _unconvolve(by, a, d[v], mode)


@adjoint("tangent.runtime._unrepeat", linear=("b",),
         sample=("(vector6, vector3, 2, None)", "(matrix33, matrix23, [1, 2], 0)"))
def _unrepeat(y, b, a, repeats, axis):
    d[a] = 0
    d[b] = np.repeat(full(d[y], y), repeats, axis)


@adjoint("tangent.runtime._untile", linear=("b",), sample=("(matrix26, vector3, (2, 2))",))
def _untile(y, b, a, reps):
    d[a] = 0
    d[b] = np.tile(full(d[y], y), reps)


@adjoint("tangent.runtime._unpad", sample=("(vector6, vector3, (1, 2), 'edge')",
                                           "(vector6, vector4, 1, 'constant')"))
def _unpad(y, b, array, pad_width, mode):
    d[array] = 0
    d[b] = np.pad(full(d[y], y), pad_width, mode)


@tangent("tangent.runtime._unpad")
def _unpad(y, b, array, pad_width, mode):
    d[y] = _unpad(d[b], array, pad_width, mode)


@adjoint("tangent.runtime._unjoin", linear=("b",),
         sample=("(vector5, (vector3, vector2), 'hstack')",
                 "(matrix23, (vector3, vector3), 'vstack')",
                 "(stack132, (vector3, vector3), 'dstack')"))
def _unjoin(y, b, arrays, how):
    d[arrays] = 0
    d[b] = _rejoin(d[y], arrays, how)


@adjoint("tangent.runtime._rejoin", linear=("b",),
         sample=("((vector3, vector2), (vector3b, vector2b), 'hstack')",))
def _rejoin(y, b, arrays, how):
    d[arrays] = 0
    d[b] = _unjoin(full(d[y], y), arrays, how)


@adjoint("tangent.runtime._untake_along_axis", shape="like_second", linear=("b",),
         sample=("(matrix21, matrix23, np.array([[0], [2]]), 1)",))
def _untake_along_axis(y, b, arr, indices, axis):
    d[arr] = 0
    d[b] = np.take_along_axis(full(d[y], y), indices, axis)


@adjoint("tangent.runtime._to_first", linear=("b",), sample=("(number, vector3, 5.0)",))
def _to_first(y, b, a, extreme):
    d[a] = 0
    d[extreme] = 0
    d[b] = _from_first(full(d[y], y), a, extreme)


@adjoint("tangent.runtime._from_first", linear=("b",), sample=("(vector3, vector3b, 5.0)",))
def _from_first(y, b, a, extreme):
    d[a] = 0
    d[extreme] = 0
    d[b] = _to_first(d[y], a, extreme)


@constant("tangent.runtime._segment_size", shape="integer_scalar", sample=("(7,)", "(7, 2)"))
def _segment_size(y, n, most=None): ...


@constant("tangent.runtime._snapshot_steps", sample=("(7,)", "(7, 2)"))
def _snapshot_steps(y, n, most=None): ...


@constant("tangent.runtime._stretches", sample=("((0, 4), 7)", "((0, 4), 7, 2)"))
def _stretches(y, stored, n, most=None): ...


@constant("tangent.runtime._check_seed", sample=("(1.0, vector3)", "(vector3, vector3)"))
def _check_seed(y, by, value): ...


@adjoint("tangent.runtime._spherical", shape="elementwise",
         sample=("(0, vector3)", "(1, number)", "(2, vector3)"))
def _spherical(y, n, z):
    d[z] = d[y] * (n * _spherical(n - 1, z) - (n + 1) * _spherical(n + 1, z)) / (2 * n + 1)


# Factorisations


@adjoint("tangent.runtime._inverse_gaps", sample=("(vector3,)", "(matrix43,)"),
         note="Equal eigenvalues or singular values have no gap to divide by.",
         edges=("([1.0, 1.0],) -> [0.0, 0.0]",))
def _inverse_gaps(y, w):
    by = full(d[y], y) * y * y
    d[w] = np.sum(by, axis=-1) - np.sum(by, axis=-2)


@tangent("tangent.runtime._inverse_gaps")
def _inverse_gaps(y, w):
    d[y] = y * y * (np.expand_dims(d[w], -1) - np.expand_dims(d[w], -2))


@adjoint("tangent.runtime._fold_triangle", linear=("m",),
         sample=("(square3, 'L')", "(square433, 'U')"))
def _fold_triangle(y, m, uplo):
    d[m] = _unfold_triangle(full(d[y], y), uplo)


@adjoint("tangent.runtime._unfold_triangle", linear=("m",),
         sample=("(square3, 'L')", "(square433, 'U')"))
def _unfold_triangle(y, m, uplo):
    d[m] = _fold_triangle(full(d[y], y), uplo)


@adjoint("tangent.runtime._thin", linear=("u",), sample=("(square3, vector3)",))
def _thin(y, u, s):
    d[s] = 0
    d[u] = full(d[y], y)


@adjoint("tangent.runtime._thin_rows", linear=("vt",), sample=("(square3, vector3)",))
def _thin_rows(y, vt, s):
    d[s] = 0
    d[vt] = full(d[y], y)


@adjoint("tangent.runtime._blocks", linear=("a", "b"), sample=("(square3, matrix33)",
                                                                "(square433, stack433)"))
def _blocks(y, a, b):
    by = full(d[y], y)
    d[a] = _block_of(by, 0, 0) + _block_of(by, 1, 1)
    d[b] = _block_of(by, 0, 1)


@adjoint("tangent.runtime._block_of", linear=("m",),
         sample=("(square4, 0, 1)", "(square422, 1, 1)"))
def _block_of(y, m, i, j):
    d[m] = _put_block(full(d[y], y), i, j)


@adjoint("tangent.runtime._put_block", linear=("b",), sample=("(square3, 0, 1)",
                                                             "(square433, 1, 0)"))
def _put_block(y, b, i, j):
    d[b] = _block_of(full(d[y], y), i, j)


# Pieces, grids, differences, polynomials


@adjoint("tangent.runtime._along_axis", linear=("b",),
         sample=("(matrix32, vector2, 0, 'xy')", "(stack324, vector3, 1, 'xy')",
                 "(stack234, vector3, 1, 'ij')"))
def _along_axis(y, b, x, position, indexing):
    d[x] = 0
    d[b] = _across_axis(full(d[y], y), b, position, indexing)


@adjoint("tangent.runtime._across_axis", linear=("b",),
         sample=("(vector2, matrix32, 0, 'xy')", "(vector3, stack234, 1, 'ij')"))
def _across_axis(y, b, grid, position, indexing):
    d[grid] = 0
    d[b] = _along_axis(full(d[y], y), b, position, indexing)


@adjoint("tangent.runtime._ungradient", linear=("b",),
         sample=("(vector4, vector4, 0.5, None, 1)", "(matrix34, matrix34, 1.0, 1, 2)",
                 "(vector6, vector6b, vector6s, None, 1)"))
def _ungradient(y, b, f, spacing, axis, edge_order):
    d[f] = 0
    d[b] = np.gradient(full(d[y], y), spacing, axis=axis, edge_order=edge_order)


@adjoint("tangent.runtime._ungradients", linear=("b",), shape="like_second",
         sample=("((matrix34, matrix34b), matrix34, 0.5, 2.0, None, None, 1)",))
def _ungradients(y, b, f, spacing, second, third, axis, edge_order):
    d[f] = 0
    d[b] = _gradients(full(d[y], y), spacing, second, third, axis, edge_order)


@adjoint("tangent.runtime._gradients", linear=("f",),
         sample=("(matrix34, 0.5, 2.0, None, None, 1)",))
def _gradients(y, f, spacing, second, third, axis, edge_order):
    d[f] = _ungradients(full(d[y], y), f, spacing, second, third, axis, edge_order)


@adjoint("tangent.runtime._unpolyval", sample=("(vector4, vector3, vector4b)",
                                               "(1.5, vector3, 0.7)"))
def _unpolyval(y, b, p, x):
    d[p] = 0
    d[b] = np.polyval(full(d[y], y), x)
    d[x] = b * np.polyval(_polynomial_slope(full(d[y], y)), x)


@tangent("tangent.runtime._unpolyval")
def _unpolyval(y, b, p, x):
    d[y] = _unpolyval(d[b], p, x)
    d[y] = _polynomial_slope_adjoint(_unpolyval(b * d[x], p, x)[1:])


@adjoint("tangent.runtime._polynomial_slope", linear=("p",), sample=("(vector4,)",))
def _polynomial_slope(y, p):
    d[p] = _polynomial_slope_adjoint(full(d[y], y))


@adjoint("tangent.runtime._polynomial_slope_adjoint", linear=("b",), sample=("(vector3,)",))
def _polynomial_slope_adjoint(y, b):
    d[b] = _polynomial_slope(full(d[y], y))


@adjoint("tangent.runtime._widen", linear=("b",), sample=("(matrix23, matrix24)",
                                                        "(matrix23, matrix23b)"))
def _widen(y, b, a):
    d[a] = 0
    d[b] = full(d[y], y)[..., :np.shape(b)[-1]]


# Triangles


@adjoint("tangent.runtime._lower_of", linear=("m",), sample=("(square3, True)", "(square3, False)"))
def _lower_of(y, m, lower):
    d[m] = _lower_of(full(d[y], y), lower)


@adjoint("tangent.runtime._triangle", linear=("m",),
         sample=("(square3, 0, False, False)", "(square3, 1, True, True)"))
def _triangle(y, m, trans, lower, unit_diagonal):
    d[m] = _from_triangle(full(d[y], y), trans, lower, unit_diagonal)


@adjoint("tangent.runtime._from_triangle", linear=("m",),
         sample=("(square3, 0, False, False)", "(square3, 1, True, True)"))
def _from_triangle(y, m, trans, lower, unit_diagonal):
    d[m] = _triangle(full(d[y], y), trans, lower, unit_diagonal)


# Incomplete gamma and beta functions: derivatives of higher order in the parameters.


@adjoint("tangent.runtime._gammainc_slope", shape="elementwise",
         sample=("(2.5, vector3p)", "(0.7, 1.3, 2)", "(vector3p, number)"))
def _gammainc_slope(y, a, x, n=1):
    d[a] = d[y] * _gammainc_slope(a, x, n + 1)
    d[x] = d[y] * _gamma_density_slope(a, x, n)


@adjoint("tangent.runtime._gamma_density_slope", shape="elementwise",
         sample=("(2.5, vector3p, 1)", "(0.7, 1.3, 0)", "(vector3p, number, 2)"))
def _gamma_density_slope(y, a, x, n=0):
    d[a] = d[y] * _gamma_density_slope(a, x, n + 1)
    d[x] = d[y] * (((a - 1) / x - 1) * y + n / x * _gamma_density_slope(a, x, n - 1))


@adjoint("tangent.runtime._betainc_slope", shape="elementwise",
         sample=("(2.5, 1.5, 0.3, 1, 0)", "(0.7, 2.0, 0.6, 1, 1)", "(vector3p, number, 0.3, 0, 1)"))
def _betainc_slope(y, a, b, x, i=1, j=0):
    d[a] = d[y] * _betainc_slope(a, b, x, i + 1, j)
    d[b] = d[y] * _betainc_slope(a, b, x, i, j + 1)
    d[x] = d[y] * _beta_density_slope(a, b, x, i, j)


@adjoint("tangent.runtime._beta_density_slope", shape="elementwise",
         sample=("(2.5, 1.5, 0.3, 1, 0)", "(0.7, 2.0, 0.6, 1, 1)", "(2.0, vector3p, 0.3, 0, 2)"))
def _beta_density_slope(y, a, b, x, i=0, j=0):
    d[a] = d[y] * _beta_density_slope(a, b, x, i + 1, j)
    d[b] = d[y] * _beta_density_slope(a, b, x, i, j + 1)
    d[x] = d[y] * (
        ((a - 1) / x - (b - 1) / (1 - x)) * y
        + i / x * _beta_density_slope(a, b, x, i - 1, j)
        - j / (1 - x) * _beta_density_slope(a, b, x, i, j - 1)
    )
