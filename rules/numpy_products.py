"""Records of NumPy's products and linear algebra."""


@adjoint("numpy.dot", shape="dot",
         sample=("(matrix23, matrix34)", "(matrix23, vector3)", "(vector2, matrix23)",
                 "(vector3, vector3b)", "(number, matrix23)", "(matrix23, number)",
                 "(number, number)", "(stack423, matrix34)", "(stack423, vector3)",
                 "(matrix23, stack434)", "(vector3, stack434)"))
def dot(y, a, b):
    if rank(a) == 2 and rank(b) == 2:
        d[a] = full(d[y], y) @ b.T
        d[b] = a.T @ full(d[y], y)
    elif rank(a) == 2 and rank(b) == 1:
        d[a] = np.outer(full(d[y], y), b)
        d[b] = full(d[y], y) @ a
    elif rank(a) == 1 and rank(b) == 2:
        d[a] = b @ full(d[y], y)
        d[b] = np.outer(a, full(d[y], y))
    elif rank(a) == 1 and rank(b) == 1:
        d[a] = d[y] * b
        d[b] = d[y] * a
    else:
        d[a] = _dot_left_adjoint(full(d[y], y), a, b)
        d[b] = _dot_right_adjoint(full(d[y], y), a, b)


@tangent("numpy.dot")
def dot(y, a, b):
    d[y] = np.dot(d[a], b)
    d[y] = np.dot(a, d[b])


@adjoint("numpy.outer", shape="outer",
         sample=("(vector2, vector3)", "(matrix23, vector3)", "(number, vector3)",
                 "(number, number)"))
def outer(y, a, b):
    if rank(a) == 1:
        d[a] = full(d[y], y) @ np.ravel(b)
    else:
        d[a] = np.reshape(full(d[y], y) @ np.ravel(b), np.shape(a))
    if rank(b) == 1:
        d[b] = np.ravel(a) @ full(d[y], y)
    else:
        d[b] = np.reshape(np.ravel(a) @ full(d[y], y), np.shape(b))


@tangent("numpy.outer")
def outer(y, a, b):
    d[y] = np.outer(d[a], b)
    d[y] = np.outer(a, d[b])


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


# More products


@adjoint("numpy.inner", shape="inner",
         sample=("(vector3, vector3b)", "(matrix23, matrix43)", "(number, vector3)",
                 "(matrix23, vector3)", "(stack423, matrix23)", "(matrix23, stack423)"))
def inner(y, a, b):
    if rank(a) == 1 and rank(b) == 1:
        d[a] = d[y] * b
        d[b] = d[y] * a
    elif rank(a) == 2 and rank(b) == 2:
        d[a] = full(d[y], y) @ b
        d[b] = full(d[y], y).T @ a
    else:
        d[a] = _dot_left_adjoint(full(d[y], y), a, _swap_last(b))
        d[b] = _swap_last(_dot_right_adjoint(full(d[y], y), a, _swap_last(b)))


@tangent("numpy.inner")
def inner(y, a, b):
    d[y] = np.inner(d[a], b)
    d[y] = np.inner(a, d[b])


@adjoint("numpy.vdot", shape="scalar", sample=("(vector3, vector3b)", "(matrix23, matrix23b)"))
def vdot(y, a, b):
    d[a] = d[y] * np.reshape(b, np.shape(a))
    d[b] = d[y] * np.reshape(a, np.shape(b))


@tangent("numpy.vdot")
def vdot(y, a, b):
    d[y] = np.vdot(d[a], b)
    d[y] = np.vdot(a, d[b])


@adjoint("numpy.tensordot", shape="",
         sample=("(stack423, matrix23)", "(stack423, stack234, ([1, 2], [0, 1]))",
                 "(stack423, stack324, ([2, 1], [0, 1]))", "(vector3, vector2, 0)",
                 "(matrix23, stack324, 1)"))
def tensordot(y, a, b, axes=2):
    d[a] = _tensordot_left_adjoint(full(d[y], y), a, b, axes)
    d[b] = _tensordot_right_adjoint(full(d[y], y), a, b, axes)


@tangent("numpy.tensordot")
def tensordot(y, a, b, axes=2):
    d[y] = np.tensordot(d[a], b, axes)
    d[y] = np.tensordot(a, d[b], axes)


@adjoint("numpy.einsum", shape="",
         sample=("('ij,jk->ik', matrix23, matrix34)", "('i,i', vector3, vector3b)",
                 "('ii', square3)", "('ij->j', matrix23)", "('ii->i', square3)",
                 "('ij,jk', matrix23, matrix34)", "('...ij,jk->...ik', stack423, matrix34)",
                 "('ij,jk,kl->il', matrix23, matrix34, matrix42)", "('ij,k->i', matrix23, vector4)",
                 "('b...,c->b...', stack423, vector3)"))
def einsum(y, subscripts, a, b=None, c=None):
    d[a] = _uneinsum_first(full(d[y], y), subscripts, a, b, c)
    d[b] = _uneinsum_second(full(d[y], y), subscripts, a, b, c)
    d[c] = _uneinsum_third(full(d[y], y), subscripts, a, b, c)


@tangent("numpy.einsum")
def einsum(y, subscripts, a, b=None, c=None):
    d[y] = _einsum(subscripts, d[a], b, c)
    d[y] = _einsum(subscripts, a, d[b], c)
    d[y] = _einsum(subscripts, a, b, d[c])


@adjoint("numpy.kron", shape="", sample=("(matrix23, matrix34)", "(vector2, vector3)",
                                         "(matrix23, vector3)", "(number, vector3)"))
def kron(y, a, b):
    d[a] = _kron_left_adjoint(full(d[y], y), a, b)
    d[b] = _kron_right_adjoint(full(d[y], y), a, b)


@tangent("numpy.kron")
def kron(y, a, b):
    d[y] = np.kron(d[a], b)
    d[y] = np.kron(a, d[b])


@adjoint("numpy.cross", shape="", sample=("(vector3, vector3b)", "(matrix23, matrix23b)",
                                          "(matrix23, vector3)"))
def cross(y, a, b):
    d[a] = _unbroadcast(np.cross(b, full(d[y], y)), a)
    d[b] = _unbroadcast(np.cross(full(d[y], y), a), b)


@tangent("numpy.cross")
def cross(y, a, b):
    d[y] = np.cross(d[a], b)
    d[y] = np.cross(a, d[b])


@adjoint("numpy.trace", shape="scalar", linear=("a",),
         sample=("(square3,)", "(matrix34,)", "(matrix34, 1)", "(stack423,)"))
def trace(y, a, offset=0):
    if rank(a) == 2:
        d[a] = d[y] * np.eye(a.shape[0], a.shape[1], offset, a.dtype)
    else:
        d[a] = _undiagonal(np.expand_dims(full(d[y], y), -1), a, offset, 0, 1)


# More linear algebra


@adjoint("numpy.linalg.norm", shape="norm",
         sample=("(vector3,)", "(matrix23,)", "(matrix23, None, 0)", "(matrix23, 'fro')",
                 "(matrix23, axis=1, keepdims=True)", "(vector3, 2)", "(vector3, 1)",
                 "(vector3, 3)", "(matrix23, 1, 0)", "(matrix23, 3, axis=1)",
                 "(stack423, None, (0, 1))", "(vector3, np.inf)", "(matrix23, -np.inf, 1)"),
         note="`np.linalg.norm` of a vector of zeros has slope 0; equal largest elements of the "
              "maximum norm share evenly.",
         edges=("(np.zeros(2),) -> [0.0, 0.0]",
                "(np.array([1.0, -1.0]), np.inf) -> [0.5, -0.5]"))
def norm(y, x, ord=None, axis=None, keepdims=False):
    if ord is None or ord == "fro" or (rank(x) == 1 and ord == 2):
        d[x] = spread(mask(y != 0, d[y] / y), x, axis, keepdims) * x
    elif rank(x) == 1 and ord == 1:
        d[x] = d[y] * np.sign(x)
    else:
        d[x] = spread(d[y], x, axis, keepdims) * _norm_slope(x, y, ord, axis, keepdims)


@tangent("numpy.linalg.norm")
def norm(y, x, ord=None, axis=None, keepdims=False):
    d[y] = np.sum(d[x] * _norm_slope(x, y, ord, axis, keepdims), axis=axis, keepdims=keepdims)


@adjoint("numpy.linalg.det", shape="",
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
