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
