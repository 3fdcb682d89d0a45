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
                 "(vector3, 1)", "(matrix23, 3, 1, True)"),
         edges=("(np.zeros(2),) -> [0.0, 0.0]",))
def norm(y, a, ord=None, axis=None, keepdims=False):
    if ord is None or ord == "fro":
        d[a] = spread(mask(y != 0, d[y] / y), a, axis, keepdims) * a
    else:
        d[a] = spread(d[y], a, axis, keepdims) * _norm_slope(a, y, ord, axis, keepdims)


@tangent("scipy.linalg.norm")
def norm(y, a, ord=None, axis=None, keepdims=False):
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


@adjoint("scipy.linalg.svdvals", shape="", sample=("(matrix34,)", "(matrix43,)"))
def svdvals(y, a):
    parts = np.linalg.svd(a, full_matrices=False)
    d[a] = (parts[0] * np.expand_dims(full(d[y], y), -2)) @ parts[2]


@tangent("scipy.linalg.svdvals")
def svdvals(y, a):
    parts = np.linalg.svd(a, full_matrices=False)
    move = np.swapaxes(parts[0], -1, -2) @ d[a] @ np.swapaxes(parts[2], -1, -2)
    d[y] = np.diagonal(move, 0, -2, -1)
