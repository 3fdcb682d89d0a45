"""Records of SciPy's special functions and linear algebra."""


@adjoint("scipy.special.erf", aliases=("math.erf",), shape="elementwise", domain=(-2, 2))
def erf(y, x):
    d[x] = d[y] * 1.1283791670955126 * np.exp(-x * x)


@adjoint("scipy.special.erfc", aliases=("math.erfc",), shape="elementwise", domain=(-2, 2))
def erfc(y, x):
    d[x] = -d[y] * 1.1283791670955126 * np.exp(-x * x)


@adjoint("scipy.special.erfinv", shape="elementwise", domain=(-0.9, 0.9))
def erfinv(z, y):
    d[y] = d[z] * 0.886226925452758 * np.exp(z * z)


@adjoint("scipy.special.ndtr", shape="elementwise", domain=(-2, 2))
def ndtr(y, x):
    d[x] = d[y] * 0.3989422804014327 * np.exp(-0.5 * x * x)


@adjoint("scipy.special.ndtri", shape="elementwise", domain=(0.1, 0.9))
def ndtri(x, y):
    d[y] = d[x] * 2.5066282746310002 * np.exp(0.5 * x * x)


@adjoint("scipy.special.expit", shape="elementwise", domain=(-3, 3))
def expit(y, x):
    d[x] = d[y] * y * (1 - y)


@adjoint("scipy.special.log_expit", shape="elementwise", domain=(-3, 3))
def log_expit(y, x):
    d[x] = d[y] * scipy.special.expit(-x)


@adjoint("scipy.special.logit", shape="elementwise", domain=(0.1, 0.9),
         singular="(x == 0) | (x == 1)")
def logit(y, x):
    d[x] = d[y] / (x * (1 - x))


@adjoint("scipy.special.gamma", aliases=("math.gamma",), shape="elementwise", domain=(0.5, 4))
def gamma(y, x):
    d[x] = d[y] * y * scipy.special.digamma(x)


@adjoint("scipy.special.gammaln", aliases=("scipy.special.loggamma", "math.lgamma"),
         shape="elementwise", domain=(0.5, 4))
def gammaln(y, x):
    d[x] = d[y] * scipy.special.digamma(x)


@adjoint("scipy.special.digamma", aliases=("scipy.special.psi",), shape="elementwise",
         domain=(0.5, 4))
def digamma(y, x):
    d[x] = d[y] * scipy.special.zeta(2, x)


@adjoint("scipy.special.zeta", shape="elementwise", sample=("(2, vector3p)", "(3.5, number)"))
def zeta(y, x, q):
    d[q] = -d[y] * x * scipy.special.zeta(x + 1, q)


@adjoint("scipy.special.polygamma", shape="elementwise", sample=("(1, vector3p)", "(2, 1.5)"))
def polygamma(y, n, x):
    d[x] = d[y] * scipy.special.polygamma(n + 1, x)


@adjoint("scipy.special.beta", shape="elementwise", domain=(0.5, 3))
def beta(y, a, b):
    d[a] = d[y] * y * (scipy.special.digamma(a) - scipy.special.digamma(a + b))
    d[b] = d[y] * y * (scipy.special.digamma(b) - scipy.special.digamma(a + b))


@adjoint("scipy.special.betaln", shape="elementwise", domain=(0.5, 3))
def betaln(y, a, b):
    d[a] = d[y] * (scipy.special.digamma(a) - scipy.special.digamma(a + b))
    d[b] = d[y] * (scipy.special.digamma(b) - scipy.special.digamma(a + b))


@adjoint("scipy.special.xlogy", shape="elementwise", domain=((-3, 3), (0.3, 3)),
         singular="y == 0")
def xlogy(z, x, y):
    d[x] = d[z] * np.log(y)
    d[y] = d[z] * x / y


@adjoint("scipy.special.xlog1py", shape="elementwise", domain=((-3, 3), (0.3, 3)),
         singular="y == -1")
def xlog1py(z, x, y):
    d[x] = d[z] * np.log1p(y)
    d[y] = d[z] * x / (1 + y)


@adjoint("scipy.special.entr", shape="elementwise", domain=(0.3, 3), singular="x == 0")
def entr(y, x):
    d[x] = -d[y] * (np.log(x) + 1)


@adjoint("scipy.special.rel_entr", shape="elementwise", domain=(0.3, 3), singular="x == 0")
def rel_entr(z, x, y):
    d[x] = d[z] * (np.log(x / y) + 1)
    d[y] = -d[z] * x / y


@adjoint("scipy.special.exp2", aliases=(), shape="elementwise", domain=(-3, 3))
def exp2(y, x):
    d[x] = d[y] * 0.6931471805599453 * y


@adjoint("scipy.special.expm1", shape="elementwise", domain=(-3, 3))
def expm1(y, x):
    d[x] = d[y] * np.exp(x)


@adjoint("scipy.special.log1p", shape="elementwise", domain=(-0.9, 3), singular="x == -1")
def log1p(y, x):
    d[x] = d[y] / (1 + x)


@adjoint("scipy.special.j0", shape="elementwise", domain=(0.5, 4))
def j0(y, x):
    d[x] = -d[y] * scipy.special.j1(x)


@adjoint("scipy.special.j1", shape="elementwise", domain=(0.5, 4), singular="x == 0")
def j1(y, x):
    d[x] = d[y] * (scipy.special.j0(x) - y / x)


@adjoint("scipy.special.logsumexp", shape="reduction",
         sample=("(vector3,)", "(matrix23, 0)", "(matrix23, axis=-1, keepdims=True)"))
def logsumexp(y, a, axis=None, *, keepdims=False):
    if axis is None or keepdims:
        d[a] = spread(d[y], a, axis, keepdims) * np.exp(a - y)
    elif rank(a) > 0 and integer(axis) and not keepdims:
        d[a] = spread(d[y], a, axis, keepdims) * np.exp(a - np.expand_dims(y, axis))
    else:
        d[a] = spread(d[y], a, axis, keepdims) * np.exp(a - _spread(y, a, axis, keepdims))


@tangent("scipy.special.logsumexp")
def logsumexp(y, a, axis=None, *, keepdims=False):
    shares = np.exp(a - _spread(y, a, axis, keepdims))
    d[y] = np.sum(d[a] * shares, axis=axis, keepdims=keepdims)


@adjoint("scipy.special.softmax", shape="same_float",
         sample=("(vector3,)", "(matrix23,)", "(matrix23, axis=0)", "(matrix23, axis=-1)"))
def softmax(y, x, axis=None):
    by = full(d[y], y)
    d[x] = y * (by - np.sum(by * y, axis=axis, keepdims=True))


@tangent("scipy.special.softmax")
def softmax(y, x, axis=None):
    d[y] = y * (d[x] - np.sum(d[x] * y, axis=axis, keepdims=True))


@adjoint("scipy.special.log_softmax", shape="same_float",
         sample=("(vector3,)", "(matrix23,)", "(matrix23, axis=0)", "(matrix23, axis=-1)"))
def log_softmax(y, x, axis=None):
    by = full(d[y], y)
    d[x] = by - np.exp(y) * np.sum(by, axis=axis, keepdims=True)


@tangent("scipy.special.log_softmax")
def log_softmax(y, x, axis=None):
    d[y] = d[x] - np.sum(d[x] * np.exp(y), axis=axis, keepdims=True)


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


@adjoint("scipy.linalg.det", shape="", sample=("(square3,)",))
def det(y, a):
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
