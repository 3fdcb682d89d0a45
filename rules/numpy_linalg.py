"""Records of NumPy's linear algebra.

The matrix formulas are those of M. Giles, "An extended collection of matrix derivative results for
forward and reverse mode algorithmic differentiation" (2008), where no other source is named.
"""


@adjoint("numpy.linalg.solve", shape="solve",
         sample=("(square3, vector3)", "(square3, matrix34)", "(square433, matrix34)",
                 "(square433, vector3)", "(square3, stack434)", "(square433, stack434)"))
def solve(y, a, b):
    if rank(a) == 2 and rank(b) == 1:
        r = np.linalg.solve(a.T, full(d[y], y))
        d[b] = r
        d[a] = -np.outer(r, y)
    elif rank(a) == 2 and rank(b) == 2:
        r = np.linalg.solve(a.T, full(d[y], y))
        d[b] = r
        d[a] = -r @ y.T
    else:
        r = _solve_columns(np.swapaxes(a, -1, -2), full(d[y], y), b)
        d[b] = _unbroadcast(r, b)
        d[a] = _unbroadcast(-_outer_columns(r, y, b), a)


@tangent("numpy.linalg.solve")
def solve(y, a, b):
    d[y] = np.linalg.solve(a, d[b])
    d[y] = -_solve_columns(a, _times_columns(d[a], y, b), b)


@adjoint("numpy.linalg.inv", shape="same_float", sample=("(square3,)", "(square433,)"))
def inv(y, a):
    if rank(a) == 2:
        d[a] = -y.T @ full(d[y], y) @ y.T
    else:
        d[a] = -np.swapaxes(y, -1, -2) @ full(d[y], y) @ np.swapaxes(y, -1, -2)


@tangent("numpy.linalg.inv")
def inv(y, a):
    d[y] = -y @ d[a] @ y


@adjoint("numpy.linalg.norm", shape="norm",
         sample=("(vector3,)", "(matrix23,)", "(matrix23, None, 0)", "(matrix23, 'fro')",
                 "(matrix23, axis=1, keepdims=True)", "(vector3, 2)", "(vector3, 1)",
                 "(vector3, 3)", "(matrix23, 1, 0)", "(matrix23, 3, axis=1)",
                 "(stack423, None, (0, 1))", "(vector3, np.inf)", "(matrix23, 2)",
                 "(matrix23, 'nuc')", "(matrix23, -2)", "(matrix23, 1)", "(matrix23, np.inf)",
                 "(matrix23, -1)", "(matrix23, -np.inf)", "(stack423, 1, (1, 2))",
                 "(matrix23, -np.inf, 1)"),
         note="`np.linalg.norm` of a vector of zeros has slope 0; equal largest elements of the "
              "maximum norm share evenly.",
         edges=("(np.zeros(2),) -> [0.0, 0.0]",
                "(np.array([1.0, -1.0]), np.inf) -> [0.5, -0.5]"))
def norm(y, x, ord=None, axis=None, keepdims=False):
    if ord is None or ord == "fro" or (rank(x) == 1 and ord == 2):
        d[x] = spread(mask(y != 0, d[y] / y), x, axis, keepdims) * x
    elif rank(x) == 1 and ord == 1:
        d[x] = d[y] * np.sign(x)
    elif rank(x) == 2 and axis is None and ord == 2:
        parts = np.linalg.svd(x, full_matrices=False)
        d[x] = spread(d[y], x, axis, keepdims) * np.outer(parts[0][:, 0], parts[2][0])
    elif rank(x) == 2 and axis is None and ord == -2:
        parts = np.linalg.svd(x, full_matrices=False)
        d[x] = spread(d[y], x, axis, keepdims) * np.outer(parts[0][:, -1], parts[2][-1])
    elif rank(x) == 2 and axis is None and ord == "nuc":
        parts = np.linalg.svd(x, full_matrices=False)
        d[x] = spread(d[y], x, axis, keepdims) * (parts[0] @ parts[2])
    else:
        d[x] = spread(d[y], x, axis, keepdims) * _norm_slope(x, y, ord, axis, keepdims)


@tangent("numpy.linalg.norm")
def norm(y, x, ord=None, axis=None, keepdims=False):
    if rank(x) == 2 and axis is None and ord == 2:
        parts = np.linalg.svd(x, full_matrices=False)
        d[y] = np.sum(d[x] * np.outer(parts[0][:, 0], parts[2][0]), keepdims=keepdims)
    elif rank(x) == 2 and axis is None and ord == -2:
        parts = np.linalg.svd(x, full_matrices=False)
        d[y] = np.sum(d[x] * np.outer(parts[0][:, -1], parts[2][-1]), keepdims=keepdims)
    elif rank(x) == 2 and axis is None and ord == "nuc":
        parts = np.linalg.svd(x, full_matrices=False)
        d[y] = np.sum(d[x] * (parts[0] @ parts[2]), keepdims=keepdims)
    else:
        d[y] = np.sum(d[x] * _norm_slope(x, y, ord, axis, keepdims), axis=axis, keepdims=keepdims)


@adjoint("numpy.linalg.det", shape="determinant",
         sample=("(square3,)", "(square433,)", "(np.array([[1.0, 2.0], [2.0, 4.0]]),)"),
         note="`np.linalg.det` is exact at singular matrices.",
         edges=("([[1.0, 2.0], [2.0, 4.0]],) -> [[4.0, -2.0], [-2.0, 1.0]]",))
def det(y, a):
    if rank(a) == 2:
        d[a] = d[y] * _cofactors(a)
    else:
        d[a] = full(d[y], y)[..., None, None] * _cofactors(a)


@tangent("numpy.linalg.det")
def det(y, a):
    d[y] = np.sum(d[a] * _cofactors(a), axis=(-2, -1))


@adjoint("numpy.linalg.cholesky", shape="same_float",
         sample=("(square3d,)", "(square433d,)"),
         note="`np.linalg.cholesky` reads the lower triangle: only that has a slope.",
         edges=("([[4.0]],) -> [[0.25]]",))
def cholesky(y, a):
    inverse = np.linalg.inv(y)
    by = np.swapaxes(y, -1, -2) @ full(d[y], y)
    s = np.swapaxes(inverse, -1, -2) @ _lower_half(by) @ inverse
    d[a] = _lower_half(s + np.swapaxes(s, -1, -2))


@tangent("numpy.linalg.cholesky")
def cholesky(y, a):
    inverse = np.linalg.inv(y)
    s = _lower_half(d[a])
    move = inverse @ (s + np.swapaxes(s, -1, -2)) @ np.swapaxes(inverse, -1, -2)
    d[y] = y @ _lower_half(move)


# Factorisations


# Where eigenvalues are equal the vectors are any of their space: what does not depend on the choice
# has the slope that is left when the gaps of equal ones count as nothing.
@adjoint("numpy.linalg.eigh", shape="eigh",
         sample=("(square3d,)", "(square3d, 'U')", "(square433d,)"),
         note="`np.linalg.eigh`, `eigvalsh` read one triangle: only that has a slope. Equal "
              "eigenvalues: the slope of what does not depend on the choice of their vectors.",
         edges=("(np.eye(2),) -> [[1.0, 0.0], [0.0, 1.0]]",))
def eigh(y, a, UPLO="L"):
    v = y[1]
    by = np.swapaxes(v, -1, -2) @ full(d[y][1], y[1])
    scaled = v * np.expand_dims(full(d[y][0], y[0]), -2)
    d[a] = _fold_triangle(
        (scaled + v @ (_inverse_gaps(y[0]) * by)) @ np.swapaxes(v, -1, -2), UPLO)


@tangent("numpy.linalg.eigh")
def eigh(y, a, UPLO="L"):
    v = y[1]
    move = np.swapaxes(v, -1, -2) @ _unfold_triangle(d[a], UPLO) @ v
    d[y] = (np.diagonal(move, 0, -2, -1), v @ (_inverse_gaps(y[0]) * move))


@adjoint("numpy.linalg.eigvalsh", shape="eigvalsh",
         sample=("(square3d,)", "(square3d, 'U')", "(square433d,)"))
def eigvalsh(y, a, UPLO="L"):
    v = np.linalg.eigh(a, UPLO)[1]
    scaled = v * np.expand_dims(full(d[y], y), -2)
    d[a] = _fold_triangle(scaled @ np.swapaxes(v, -1, -2), UPLO)


@tangent("numpy.linalg.eigvalsh")
def eigvalsh(y, a, UPLO="L"):
    v = np.linalg.eigh(a, UPLO)[1]
    move = np.swapaxes(v, -1, -2) @ _unfold_triangle(d[a], UPLO) @ v
    d[y] = np.diagonal(move, 0, -2, -1)


# J. Townsend, "Differentiating the singular value decomposition" (2016).
@adjoint("numpy.linalg.svd", aliases=("scipy.linalg.svd",), shape="svd",
         sample=("(matrix34, False)", "(matrix43, False)", "(square3,)", "(square233,)",
                 "(matrix34, True, False)", "(matrix34, compute_uv=False)", "(stack423, False)"),
         note="`np.linalg.svd`: where singular values are equal, the slope of what does not depend "
              "on the choice of their vectors.",
         edges=("(np.eye(2), True, False) -> [[1.0, 0.0], [0.0, 1.0]]",))
def svd(y, a, full_matrices=True, compute_uv=True):
    if not compute_uv:
        parts = np.linalg.svd(a, full_matrices=False)
        d[a] = (parts[0] * np.expand_dims(full(d[y], y), -2)) @ parts[2]
    elif compute_uv:
        if not full_matrices:
            u = y[0]
            vt = y[2]
        else:
            u = _thin(y[0], y[1])
            vt = _thin_rows(y[2], y[1])
        v = np.swapaxes(vt, -1, -2)
        across = np.expand_dims(y[1], -2)
        bu = full(d[y][0], y[0])
        bv = np.swapaxes(full(d[y][2], y[2]), -1, -2)
        left = np.swapaxes(u, -1, -2) @ bu
        right = vt @ bv
        turned = _inverse_gaps(y[1] * y[1]) * (left - np.swapaxes(left, -1, -2))
        turned_v = _inverse_gaps(y[1] * y[1]) * (right - np.swapaxes(right, -1, -2))
        scaled = u * np.expand_dims(full(d[y][1], y[1]), -2)
        first = (scaled + (u @ turned) * across + (bu - u @ left) / across) @ vt
        d[a] = first + (u * across) @ (turned_v @ vt) + (
            u / across) @ np.swapaxes(bv - v @ right, -1, -2)
    else:
        d[a] = refuse(d[y], "np.linalg.svd needs a literal compute_uv=")


@tangent("numpy.linalg.svd")
def svd(y, a, full_matrices=True, compute_uv=True):
    if not compute_uv:
        parts = np.linalg.svd(a, full_matrices=False)
        move = np.swapaxes(parts[0], -1, -2) @ d[a] @ np.swapaxes(parts[2], -1, -2)
        d[y] = np.diagonal(move, 0, -2, -1)
    elif compute_uv:
        u = _thin(y[0], y[1])
        v = np.swapaxes(_thin_rows(y[2], y[1]), -1, -2)
        across = np.expand_dims(y[1], -2)
        down = np.expand_dims(y[1], -1)
        move = np.swapaxes(u, -1, -2) @ d[a] @ v
        back = np.swapaxes(move, -1, -2)
        gaps = _inverse_gaps(y[1] * y[1])
        du = u @ (gaps * (move * across + down * back)) + (d[a] @ v - u @ move) / across
        dv = v @ (gaps * (down * move + back * across)) + (
            np.swapaxes(d[a], -1, -2) @ u - v @ back) / across
        d[y] = (du, np.diagonal(move, 0, -2, -1), np.swapaxes(dv, -1, -2))


# S. F. Walter and L. Lehmann, "Algorithmic differentiation of linear algebra functions" (2018); a
# wide matrix is its first columns, which are factorised, and the rest, which are turned.
@adjoint("numpy.linalg.qr", shape="qr",
         sample=("(matrix43,)", "(square3,)", "(matrix34,)", "(square433,)", "(stack423,)",
                 "(matrix43, 'r')"))
def qr(y, a, mode="reduced"):
    if mode == "reduced":
        q = y[0]
        k = np.shape(y[0])[-1]
        u = y[1][..., :k]
        br = full(d[y][1], y[1])
        bq = full(d[y][0], y[0]) + a[..., k:] @ np.swapaxes(br[..., k:], -1, -2)
        half = _lower_half(u @ np.swapaxes(br[..., :k], -1, -2) - np.swapaxes(bq, -1, -2) @ q)
        inner = bq + q @ (half + np.swapaxes(half, -1, -2))
        square = np.swapaxes(np.linalg.solve(u, np.swapaxes(inner, -1, -2)), -1, -2)
        d[a] = _widen(square - q @ br[..., :k], a) + q @ br
    elif mode == "r":
        q = np.linalg.qr(a)[0]
        k = np.shape(y)[-2]
        u = y[..., :k]
        br = full(d[y], y)
        bq = a[..., k:] @ np.swapaxes(br[..., k:], -1, -2)
        half = _lower_half(u @ np.swapaxes(br[..., :k], -1, -2) - np.swapaxes(bq, -1, -2) @ q)
        inner = bq + q @ (half + np.swapaxes(half, -1, -2))
        square = np.swapaxes(np.linalg.solve(u, np.swapaxes(inner, -1, -2)), -1, -2)
        d[a] = _widen(square - q @ br[..., :k], a) + q @ br
    else:
        d[a] = refuse(d[y], "np.linalg.qr has a derivative rule for mode='reduced' and mode='r'")


@tangent("numpy.linalg.qr")
def qr(y, a, mode="reduced"):
    if mode == "reduced":
        q = y[0]
        k = np.shape(y[0])[-1]
        thin = np.swapaxes(np.linalg.solve(np.swapaxes(y[1][..., :k], -1, -2),
                                           np.swapaxes(d[a][..., :k], -1, -2)), -1, -2)
        move = np.swapaxes(q, -1, -2) @ thin
        turn = np.tril(move, -1) - np.swapaxes(np.tril(move, -1), -1, -2)
        d[y] = (q @ turn + thin - q @ move, np.swapaxes(q, -1, -2) @ d[a] - turn @ y[1])
    elif mode == "r":
        q = np.linalg.qr(a)[0]
        k = np.shape(y)[-2]
        thin = np.swapaxes(np.linalg.solve(np.swapaxes(y[..., :k], -1, -2),
                                           np.swapaxes(d[a][..., :k], -1, -2)), -1, -2)
        move = np.swapaxes(q, -1, -2) @ thin
        turn = np.tril(move, -1) - np.swapaxes(np.tril(move, -1), -1, -2)
        d[y] = np.swapaxes(q, -1, -2) @ d[a] - turn @ y


@adjoint("numpy.linalg.slogdet", shape="slogdet", sample=("(square3,)", "(square433,)"))
def slogdet(y, a):
    if rank(a) == 2:
        d[a] = d[y][1] * _inverse(a).T
    else:
        d[a] = full(d[y][1], y[1])[..., None, None] * np.swapaxes(_inverse(a), -1, -2)


@tangent("numpy.linalg.slogdet")
def slogdet(y, a):
    d[y] = (0.0 * y[0], np.trace(_inverse(a) @ d[a], 0, -2, -1))


# G. H. Golub and V. Pereyra, "The differentiation of pseudo-inverses" (1973): the rank is constant.
@adjoint("numpy.linalg.pinv", shape="pinv",
         sample=("(matrix34,)", "(matrix43,)", "(square3,)", "(stack423,)"))
def pinv(y, a):
    by = full(d[y], y)
    yt = np.swapaxes(y, -1, -2)
    rows = np.swapaxes(by, -1, -2) @ (y @ yt)
    columns = (yt @ y) @ np.swapaxes(by, -1, -2)
    d[a] = rows - a @ (y @ rows) + columns - (columns @ y) @ a - yt @ by @ yt


@tangent("numpy.linalg.pinv")
def pinv(y, a):
    move = np.swapaxes(d[a], -1, -2)
    yt = np.swapaxes(y, -1, -2)
    left = (y @ yt) @ move
    right = move @ (yt @ y)
    d[y] = left - (left @ a) @ y + right - y @ (a @ right) - y @ d[a] @ y


# As of pinv(a) @ b.
@adjoint("numpy.linalg.lstsq", shape="lstsq",
         sample=("(matrix43, vector4)", "(matrix43, matrix42)", "(matrix34, vector3)",
                 "(square3, vector3, None)"))
def lstsq(y, a, b, rcond=None):
    x = y[0]
    inverse = np.linalg.pinv(a)
    bx = full(d[y][0], y[0])
    bb = _times_columns(inverse.T, bx, b)
    d[b] = bb + refuse(d[y][1], "the residuals of np.linalg.lstsq have no derivative rule")
    rest = _outer_columns(b - _times_columns(a, x, b), _times_columns(inverse, bb, b), b)
    other = bx - _times_columns(a.T, bb, b)
    d[a] = rest + _outer_columns(_times_columns(inverse.T, x, b), other, b) - (
        _outer_columns(bb, x, b)) + refuse(
            d[y][3], "the singular values of np.linalg.lstsq have no derivative rule") + refuse(
            d[y][1], "the residuals of np.linalg.lstsq have no derivative rule")


@tangent("numpy.linalg.lstsq")
def lstsq(y, a, b, rcond=None):
    x = y[0]
    inverse = np.linalg.pinv(a)
    rest = b - _times_columns(a, x, b)
    free = np.eye(a.shape[1]) - inverse @ a
    d[y] = (_times_columns(inverse @ inverse.T @ d[a].T, rest, b)
            + _times_columns(free @ d[a].T @ inverse.T, x, b)
            - _times_columns(inverse @ d[a], x, b), 0.0, 0.0, 0.0)
    d[y] = (_times_columns(inverse, d[b], b), 0.0, 0.0, 0.0)


# f([[A, E], [0, A]]) = [[f(A), D f(A) E], [0, f(A)]]: R. Mathias, "A chain rule for matrix
# functions and applications" (1996).
@adjoint("numpy.linalg.matrix_power", shape="same",
         sample=("(square3, 3)", "(square3, 1)", "(square3, -2)", "(square433, 2)", "(square3, 0)"))
def matrix_power(y, a, n):
    blocks = _blocks(np.swapaxes(a, -1, -2), full(d[y], y))
    d[a] = _block_of(np.linalg.matrix_power(blocks, n), 0, 1)


@tangent("numpy.linalg.matrix_power")
def matrix_power(y, a, n):
    d[y] = _block_of(np.linalg.matrix_power(_blocks(a, d[a]), n), 0, 1)
