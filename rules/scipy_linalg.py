"""Records of SciPy's linear algebra. Sources of the formulas: rules/numpy_linalg.py."""


@adjoint("scipy.linalg.solve", shape="solve", sample=("(square3, vector3)", "(square3, matrix34)"))
def solve(y, a, b):
    r = _solve_columns(np.swapaxes(a, -1, -2), full(d[y], y), b)
    d[b] = r
    d[a] = -_outer_columns(r, y, b)


@tangent("scipy.linalg.solve")
def solve(y, a, b):
    d[y] = _solve_columns(a, d[b], b)
    d[y] = -_solve_columns(a, _times_columns(d[a], y, b), b)


@adjoint("scipy.linalg.inv", shape="same_float", sample=("(square3,)",))
def inv(y, a):
    d[a] = -y.T @ full(d[y], y) @ y.T


@tangent("scipy.linalg.inv")
def inv(y, a):
    d[y] = -y @ d[a] @ y


@adjoint("scipy.linalg.det", shape="determinant", sample=("(square3,)",))
def det(y, a):
    if rank(a) == 2:
        d[a] = d[y] * _cofactors(a)
    else:
        d[a] = full(d[y], y)[..., None, None] * _cofactors(a)


@tangent("scipy.linalg.det")
def det(y, a):
    d[y] = np.sum(d[a] * _cofactors(a), axis=(-2, -1))


@adjoint("scipy.linalg.norm", shape="norm",
         sample=("(vector3,)", "(matrix23,)", "(matrix23, 'fro')", "(matrix23, None, 0)",
                 "(vector3, 1)", "(matrix23, 3, 1, True)", "(matrix23, 2)", "(matrix23, 'nuc')",
                 "(matrix23, 1)", "(matrix23, np.inf)"),
         edges=("(np.zeros(2),) -> [0.0, 0.0]",))
def norm(y, a, ord=None, axis=None, keepdims=False):
    if ord is None or ord == "fro" or (rank(a) == 1 and ord == 2):
        d[a] = spread(mask(y != 0, d[y] / y), a, axis, keepdims) * a
    elif rank(a) == 1 and ord == 1:
        d[a] = d[y] * np.sign(a)
    elif rank(a) == 2 and axis is None and ord == 2:
        parts = np.linalg.svd(a, full_matrices=False)
        d[a] = spread(d[y], a, axis, keepdims) * np.outer(parts[0][:, 0], parts[2][0])
    elif rank(a) == 2 and axis is None and ord == -2:
        parts = np.linalg.svd(a, full_matrices=False)
        d[a] = spread(d[y], a, axis, keepdims) * np.outer(parts[0][:, -1], parts[2][-1])
    elif rank(a) == 2 and axis is None and ord == "nuc":
        parts = np.linalg.svd(a, full_matrices=False)
        d[a] = spread(d[y], a, axis, keepdims) * (parts[0] @ parts[2])
    else:
        d[a] = spread(d[y], a, axis, keepdims) * _norm_slope(a, y, ord, axis, keepdims)


@tangent("scipy.linalg.norm")
def norm(y, a, ord=None, axis=None, keepdims=False):
    if rank(a) == 2 and axis is None and ord == 2:
        parts = np.linalg.svd(a, full_matrices=False)
        d[y] = np.sum(d[a] * np.outer(parts[0][:, 0], parts[2][0]), keepdims=keepdims)
    elif rank(a) == 2 and axis is None and ord == -2:
        parts = np.linalg.svd(a, full_matrices=False)
        d[y] = np.sum(d[a] * np.outer(parts[0][:, -1], parts[2][-1]), keepdims=keepdims)
    elif rank(a) == 2 and axis is None and ord == "nuc":
        parts = np.linalg.svd(a, full_matrices=False)
        d[y] = np.sum(d[a] * (parts[0] @ parts[2]), keepdims=keepdims)
    else:
        d[y] = np.sum(d[a] * _norm_slope(a, y, ord, axis, keepdims), axis=axis, keepdims=keepdims)


@adjoint("scipy.linalg.cholesky", shape="same_float",
         sample=("(square3d,)", "(square3d, True)", "(square3d, lower=False)"),
         note="`scipy.linalg.cholesky` reads one triangle: only that has a slope.",
         edges=("([[4.0]],) -> [[0.25]]",))
def cholesky(y, a, lower=False):
    factor = _lower_of(y, lower)
    inverse = np.linalg.inv(factor)
    half = _lower_half(factor.T @ _lower_of(full(d[y], y), lower))
    s = inverse.T @ half @ inverse
    d[a] = _lower_of(_lower_half(s + s.T), lower)


@tangent("scipy.linalg.cholesky")
def cholesky(y, a, lower=False):
    factor = _lower_of(y, lower)
    inverse = np.linalg.inv(factor)
    s = _lower_half(_lower_of(d[a], lower))
    d[y] = _lower_of(factor @ _lower_half(inverse @ (s + s.T) @ inverse.T), lower)


@adjoint("scipy.linalg.solve_triangular", shape="solve",
         sample=("(square3, vector3)", "(square3, matrix34)", "(square3, vector3, 1)",
                 "(square3, matrix34, 0, True)", "(square3, vector3, lower=True)",
                 "(square3, vector3, 1, True)", "(square3, vector3, 0, False, True)"))
def solve_triangular(y, a, b, trans=0, lower=False, unit_diagonal=False):
    r = scipy.linalg.solve_triangular(a, full(d[y], y), 1 - trans, lower, unit_diagonal)
    d[b] = r
    d[a] = -_triangle(_outer_columns(r, y, b), trans, lower, unit_diagonal)


@tangent("scipy.linalg.solve_triangular")
def solve_triangular(y, a, b, trans=0, lower=False, unit_diagonal=False):
    d[y] = scipy.linalg.solve_triangular(a, d[b], trans, lower, unit_diagonal)
    d[y] = -scipy.linalg.solve_triangular(
        a, _times_columns(_from_triangle(d[a], trans, lower, unit_diagonal), y, b), trans, lower,
        unit_diagonal)


@adjoint("scipy.linalg.expm", shape="same_float", sample=("(square3,)", "(matrix33,)"))
def expm(y, A):
    blocks = _blocks(np.swapaxes(A, -1, -2), full(d[y], y))
    d[A] = _block_of(scipy.linalg.expm(blocks), 0, 1)


@tangent("scipy.linalg.expm")
def expm(y, A):
    d[y] = _block_of(scipy.linalg.expm(_blocks(A, d[A])), 0, 1)


@adjoint("scipy.linalg.pinv", shape="pinv", sample=("(matrix34,)", "(matrix43,)", "(square3,)"))
def pinv(y, a):
    by = full(d[y], y)
    yt = np.swapaxes(y, -1, -2)
    rows = np.swapaxes(by, -1, -2) @ (y @ yt)
    columns = (yt @ y) @ np.swapaxes(by, -1, -2)
    d[a] = rows - a @ (y @ rows) + columns - (columns @ y) @ a - yt @ by @ yt


@tangent("scipy.linalg.pinv")
def pinv(y, a):
    move = np.swapaxes(d[a], -1, -2)
    yt = np.swapaxes(y, -1, -2)
    left = (y @ yt) @ move
    right = move @ (yt @ y)
    d[y] = left - (left @ a) @ y + right - y @ (a @ right) - y @ d[a] @ y


@adjoint("scipy.linalg.svdvals", aliases=("numpy.linalg.svdvals",), shape="",
         sample=("(matrix34,)", "(matrix43,)"))
def svdvals(y, a):
    parts = np.linalg.svd(a, full_matrices=False)
    d[a] = (parts[0] * np.expand_dims(full(d[y], y), -2)) @ parts[2]


@tangent("scipy.linalg.svdvals")
def svdvals(y, a):
    parts = np.linalg.svd(a, full_matrices=False)
    move = np.swapaxes(parts[0], -1, -2) @ d[a] @ np.swapaxes(parts[2], -1, -2)
    d[y] = np.diagonal(move, 0, -2, -1)


@adjoint("scipy.linalg.solve_sylvester", shape="", sample=("(square3, square4, matrix34)",))
def solve_sylvester(y, a, b, q):
    r = scipy.linalg.solve_sylvester(a.T, b.T, full(d[y], y))
    d[a] = -r @ y.T
    d[b] = -y.T @ r
    d[q] = r


@tangent("scipy.linalg.solve_sylvester")
def solve_sylvester(y, a, b, q):
    d[y] = -scipy.linalg.solve_sylvester(a, b, d[a] @ y)
    d[y] = -scipy.linalg.solve_sylvester(a, b, y @ d[b])
    d[y] = scipy.linalg.solve_sylvester(a, b, d[q])


# From y @ y = A.
@adjoint("scipy.linalg.sqrtm", shape="same_float", sample=("(square3d,)",))
def sqrtm(y, A):
    d[A] = scipy.linalg.solve_sylvester(y.T, y.T, full(d[y], y))


@tangent("scipy.linalg.sqrtm")
def sqrtm(y, A):
    d[y] = scipy.linalg.solve_sylvester(y, y, d[A])


# Banded matrices: `ab` has the diagonals of a matrix for rows (SciPy's documentation of
# solve_banded); its transpose has them in the other order.


@adjoint("scipy.linalg.solve_banded", shape="like_third",
         sample=("((1, 1), banded35, vector5)", "((2, 1), banded45, matrix52)",
                 "((0, 1), banded25, vector5)"))
def solve_banded(y, l_and_u, ab, b):
    r = scipy.linalg.solve_banded(l_and_u[::-1], _transpose_band(ab, l_and_u), full(d[y], y))
    d[ab] = -_outer_band(r, y, l_and_u)
    d[b] = r


@tangent("scipy.linalg.solve_banded")
def solve_banded(y, l_and_u, ab, b):
    d[y] = -scipy.linalg.solve_banded(l_and_u, ab, _times_band(d[ab], y, l_and_u))
    d[y] = scipy.linalg.solve_banded(l_and_u, ab, d[b])


@adjoint("scipy.linalg.solveh_banded", shape="like_second",
         sample=("(posband25, vector5)", "(posband35, matrix52)",
                 "(lowband25, vector5, lower=True)"))
def solveh_banded(y, ab, b, *, lower=False):
    r = scipy.linalg.solveh_banded(ab, full(d[y], y), lower=lower)
    d[ab] = -_half_band(_outer_band(r, y, _half_widths(ab)), lower)
    d[b] = r


@tangent("scipy.linalg.solveh_banded")
def solveh_banded(y, ab, b, *, lower=False):
    d[y] = -scipy.linalg.solveh_banded(
        ab, _times_band(_whole_band(d[ab], lower), y, _half_widths(ab)), lower=lower)
    d[y] = scipy.linalg.solveh_banded(ab, d[b], lower=lower)


@constant("tangent.runtime._half_widths", sample=("(matrix23,)",))
def _half_widths(y, ab): ...


@adjoint("tangent.runtime._transpose_band", linear=("ab",), shape="same",
         sample=("(banded35, (1, 1))", "(banded45, (2, 1))"))
def _transpose_band(y, ab, l_and_u):
    d[ab] = _transpose_band(full(d[y], y), l_and_u[::-1])


@adjoint("tangent.runtime._outer_band", sample=("(vector5, vector5b, (1, 1))",
                                                "(matrix52, matrix52b, (2, 1))"))
def _outer_band(y, r, s, l_and_u):
    d[r] = _times_band(full(d[y], y), s, l_and_u)
    d[s] = _times_band(_transpose_band(full(d[y], y), l_and_u), r, l_and_u[::-1])


@tangent("tangent.runtime._outer_band")
def _outer_band(y, r, s, l_and_u):
    d[y] = _outer_band(d[r], s, l_and_u)
    d[y] = _outer_band(r, d[s], l_and_u)


@adjoint("tangent.runtime._times_band", shape="like_second",
         sample=("(banded35, vector5, (1, 1))", "(banded45, matrix52, (2, 1))"))
def _times_band(y, ab, x, l_and_u):
    d[ab] = _outer_band(full(d[y], y), x, l_and_u)
    d[x] = _times_band(_transpose_band(ab, l_and_u), full(d[y], y), l_and_u[::-1])


@tangent("tangent.runtime._times_band")
def _times_band(y, ab, x, l_and_u):
    d[y] = _times_band(d[ab], x, l_and_u)
    d[y] = _times_band(ab, d[x], l_and_u)


@adjoint("tangent.runtime._half_band", linear=("ab",),
         sample=("(banded35, False)", "(banded35, True)"))
def _half_band(y, ab, lower):
    d[ab] = _whole_band(full(d[y], y), lower)


@adjoint("tangent.runtime._whole_band", linear=("ab",),
         sample=("(posband25, False)", "(lowband25, True)"))
def _whole_band(y, ab, lower):
    d[ab] = _half_band(full(d[y], y), lower)
