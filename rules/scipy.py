"""Records of SciPy's special functions."""


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
         sample=("(vector3,)", "(matrix23, 0)", "(matrix23, axis=-1, keepdims=True)",
                 "(vector3, None, vector3p)", "(matrix23, 1, vector3p)",
                 "(matrix23, 0, matrix23p, keepdims=True)", "(matrix23, b=number)"))
def logsumexp(y, a, axis=None, b=None, *, keepdims=False):
    if axis is None or keepdims:
        level = y
    elif rank(a) > 0 and integer(axis) and not keepdims:
        level = np.expand_dims(y, axis)
    else:
        level = _spread(y, a, axis, keepdims)
    if b is None:
        d[a] = spread(d[y], a, axis, keepdims) * np.exp(a - level)
    else:
        d[a] = spread(d[y], a, axis, keepdims) * np.exp(a - level) * b
        d[b] = _unbroadcast(spread(d[y], a, axis, keepdims) * np.exp(a - level), b)


@tangent("scipy.special.logsumexp")
def logsumexp(y, a, axis=None, b=None, *, keepdims=False):
    shares = np.exp(a - _spread(y, a, axis, keepdims))
    if b is None:
        d[y] = np.sum(d[a] * shares, axis=axis, keepdims=keepdims)
    else:
        d[y] = np.sum(d[a] * (shares * b), axis=axis, keepdims=keepdims)
        d[y] = np.sum(d[b] * shares, axis=axis, keepdims=keepdims)


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


# Error, gamma and beta functions. Formulas: DLMF 7.10, 8.8, 8.17 (https://dlmf.nist.gov).


@adjoint("scipy.special.erfcx", shape="elementwise", domain=(-1, 3))
def erfcx(y, x):
    d[x] = d[y] * (2 * x * y - 1.1283791670955126)


@adjoint("scipy.special.erfi", shape="elementwise", domain=(-2, 2))
def erfi(z, x):
    d[x] = d[z] * 1.1283791670955126 * np.exp(x * x)


@adjoint("scipy.special.dawsn", shape="elementwise", domain=(-2, 2))
def dawsn(y, x):
    d[x] = d[y] * (1 - 2 * x * y)


@adjoint("scipy.special.erfcinv", shape="elementwise", domain=(0.1, 1.9))
def erfcinv(z, y):
    d[y] = -d[z] * 0.886226925452758 * np.exp(z * z)


@adjoint("scipy.special.log_ndtr", shape="elementwise", domain=(-3, 3))
def log_ndtr(y, x):
    d[x] = d[y] * 0.3989422804014327 * np.exp(-0.5 * x * x - y)


@adjoint("scipy.special.gammainc", shape="elementwise", domain=((0.4, 4), (0.3, 4)))
def gammainc(y, a, x):
    d[a] = d[y] * _gammainc_slope(a, x)
    d[x] = d[y] * np.exp(scipy.special.xlogy(a - 1, x) - x - scipy.special.gammaln(a))


@adjoint("scipy.special.gammaincc", shape="elementwise", domain=((0.4, 4), (0.3, 4)))
def gammaincc(y, a, x):
    d[a] = -d[y] * _gammainc_slope(a, x)
    d[x] = -d[y] * np.exp(scipy.special.xlogy(a - 1, x) - x - scipy.special.gammaln(a))


@adjoint("scipy.special.gammaincinv", shape="elementwise", domain=((0.6, 4), (0.2, 0.8)))
def gammaincinv(x, a, y):
    density = np.exp(scipy.special.xlogy(a - 1, x) - x - scipy.special.gammaln(a))
    d[a] = -d[x] * _gammainc_slope(a, x) / density
    d[y] = d[x] / density


@adjoint("scipy.special.betainc", shape="elementwise",
         domain=((0.4, 3), (0.4, 3), (0.1, 0.9)))
def betainc(y, a, b, x):
    d[a] = d[y] * _betainc_slope(a, b, x, 1, 0)
    d[b] = d[y] * _betainc_slope(a, b, x, 0, 1)
    d[x] = d[y] * _beta_density_slope(a, b, x)


@adjoint("scipy.special.betaincc", shape="elementwise",
         domain=((0.4, 3), (0.4, 3), (0.1, 0.9)))
def betaincc(y, a, b, x):
    d[a] = -d[y] * _betainc_slope(a, b, x, 1, 0)
    d[b] = -d[y] * _betainc_slope(a, b, x, 0, 1)
    d[x] = -d[y] * _beta_density_slope(a, b, x)


@adjoint("scipy.special.betaincinv", shape="elementwise",
         domain=((0.6, 3), (0.6, 3), (0.2, 0.8)))
def betaincinv(x, a, b, y):
    density = _beta_density_slope(a, b, x)
    d[a] = -d[x] * _betainc_slope(a, b, x, 1, 0) / density
    d[b] = -d[x] * _betainc_slope(a, b, x, 0, 1) / density
    d[y] = d[x] / density


# Bessel functions. Formulas: DLMF 10.6 and 10.29.


@adjoint("scipy.special.jv", shape="elementwise", sample=("(2, vector3p)", "(1.5, 0.7)"))
def jv(y, v, z):
    d[z] = d[y] * 0.5 * (scipy.special.jv(v - 1, z) - scipy.special.jv(v + 1, z))


@adjoint("scipy.special.yv", shape="elementwise", sample=("(2, vector3p)", "(1.5, 0.7)"))
def yv(y, v, z):
    d[z] = d[y] * 0.5 * (scipy.special.yv(v - 1, z) - scipy.special.yv(v + 1, z))


@adjoint("scipy.special.iv", shape="elementwise", sample=("(2, vector3p)", "(1.5, 0.7)"))
def iv(y, v, z):
    d[z] = d[y] * 0.5 * (scipy.special.iv(v - 1, z) + scipy.special.iv(v + 1, z))


@adjoint("scipy.special.kv", shape="elementwise", sample=("(2, vector3p)", "(1.5, 0.7)"))
def kv(y, v, z):
    d[z] = -d[y] * 0.5 * (scipy.special.kv(v - 1, z) + scipy.special.kv(v + 1, z))


@adjoint("scipy.special.i0", aliases=("numpy.i0",), shape="elementwise", domain=(-3, 3))
def i0(y, x):
    d[x] = d[y] * scipy.special.i1(x)


@adjoint("scipy.special.i1", shape="elementwise", domain=(-3, 3))
def i1(y, x):
    d[x] = d[y] * 0.5 * (scipy.special.i0(x) + scipy.special.iv(2, x))


@adjoint("scipy.special.y0", shape="elementwise", domain=(0.5, 4))
def y0(y, x):
    d[x] = -d[y] * scipy.special.y1(x)


@adjoint("scipy.special.y1", shape="elementwise", domain=(0.5, 4))
def y1(y, x):
    d[x] = d[y] * (scipy.special.y0(x) - y / x)


@adjoint("scipy.special.k0", shape="elementwise", domain=(0.5, 4))
def k0(y, x):
    d[x] = -d[y] * scipy.special.k1(x)


@adjoint("scipy.special.k1", shape="elementwise", domain=(0.5, 4))
def k1(y, x):
    d[x] = -d[y] * (scipy.special.k0(x) + y / x)


# Losses and transforms


@adjoint("scipy.special.kl_div", shape="elementwise", domain=(0.3, 3), singular="x == 0")
def kl_div(z, x, y):
    d[x] = d[z] * np.log(x / y)
    d[y] = d[z] * (1 - x / y)


@adjoint("scipy.special.huber", shape="elementwise", domain=((0.9, 1.1), (-0.8, 0.8)),
         sample=("(0.5, 1.7)", "(0.5, -1.7)"))
def huber(y, delta, r):
    d[delta] = mask(np.abs(r) > delta, d[y] * (np.abs(r) - delta))
    d[r] = d[y] * np.clip(r, -delta, delta)


@adjoint("scipy.special.pseudo_huber", shape="elementwise", domain=((0.5, 2), (-3, 3)))
def pseudo_huber(y, delta, r):
    d[delta] = d[y] * (2 * y / delta - r * r / np.hypot(delta, r))
    d[r] = d[y] * delta * r / np.hypot(delta, r)


@adjoint("scipy.special.boxcox", shape="elementwise", sample=("(vector3p, 0.5)", "(1.7, 2)"))
def boxcox(y, x, lmbda):
    d[x] = d[y] * x ** (lmbda - 1)


@adjoint("scipy.special.exp10", shape="elementwise", domain=(-2, 2))
def exp10(y, x):
    d[x] = d[y] * 2.302585092994046 * y


@adjoint("scipy.special.cbrt", shape="elementwise", domain=(0.1, 4), singular="x == 0")
def cbrt(y, x):
    d[x] = d[y] / (3 * y * y)


@adjoint("scipy.special.cosm1", shape="elementwise", domain=(-3, 3))
def cosm1(y, x):
    d[x] = -d[y] * np.sin(x)
