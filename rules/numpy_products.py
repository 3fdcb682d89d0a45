"""Records of NumPy's products."""


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
    if rank(a) == 1 and rank(b) == 1:
        d[a] = full(d[y], y) @ b
    elif rank(a) == 1:
        d[a] = full(d[y], y) @ np.ravel(b)
    else:
        d[a] = np.reshape(full(d[y], y) @ np.ravel(b), np.shape(a))
    if rank(a) == 1 and rank(b) == 1:
        d[b] = a @ full(d[y], y)
    elif rank(b) == 1:
        d[b] = np.ravel(a) @ full(d[y], y)
    else:
        d[b] = np.reshape(np.ravel(a) @ full(d[y], y), np.shape(b))


@tangent("numpy.outer")
def outer(y, a, b):
    d[y] = np.outer(d[a], b)
    d[y] = np.outer(a, d[b])


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


@adjoint("numpy.einsum", shape="einsum",
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
