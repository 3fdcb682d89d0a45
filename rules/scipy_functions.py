"""Records of SciPy's further special functions. Formulas: DLMF (https://dlmf.nist.gov)."""

# Bessel functions, scaled (10.29 and the product rule)


@adjoint("scipy.special.i0e", shape="elementwise", domain=(0.2, 3))
def i0e(y, x):
    d[x] = d[y] * (scipy.special.i1e(x) - np.sign(x) * y)


@adjoint("scipy.special.i1e", shape="elementwise", domain=(0.2, 3))
def i1e(y, x):
    d[x] = d[y] * (0.5 * (scipy.special.i0e(x) + scipy.special.ive(2, x)) - np.sign(x) * y)


@adjoint("scipy.special.ive", shape="elementwise", sample=("(2, vector3p)", "(1.5, 0.7)"))
def ive(y, v, z):
    d[z] = d[y] * (
        0.5 * (scipy.special.ive(v - 1, z) + scipy.special.ive(v + 1, z)) - np.sign(z) * y)


@adjoint("scipy.special.k0e", shape="elementwise", domain=(0.5, 4))
def k0e(y, x):
    d[x] = d[y] * (y - scipy.special.k1e(x))


@adjoint("scipy.special.k1e", shape="elementwise", domain=(0.5, 4))
def k1e(y, x):
    d[x] = d[y] * (y - scipy.special.k0e(x) - y / x)


@adjoint("scipy.special.kve", shape="elementwise", sample=("(2, vector3p)", "(1.5, 0.7)"))
def kve(y, v, z):
    d[z] = d[y] * (y - 0.5 * (scipy.special.kve(v - 1, z) + scipy.special.kve(v + 1, z)))


@adjoint("scipy.special.kn", shape="elementwise", sample=("(2, vector3p)", "(0, 0.7)"))
def kn(y, n, x):
    d[x] = -d[y] * 0.5 * (scipy.special.kv(n - 1, x) + scipy.special.kv(n + 1, x))


@adjoint("scipy.special.yn", shape="elementwise", sample=("(2, vector3p)", "(0, 0.7)"))
def yn(y, n, x):
    d[x] = d[y] * 0.5 * (scipy.special.yv(n - 1, x) - scipy.special.yv(n + 1, x))


@adjoint("scipy.special.spherical_jn", shape="elementwise",
         sample=("(0, vector3p)", "(2, number)"))
def spherical_jn(y, n, z):
    d[z] = d[y] * (n * _spherical(n - 1, z) - (n + 1) * _spherical(n + 1, z)) / (2 * n + 1)


# Exponential, sine and Fresnel integrals (6.2, 7.2, 8.19)


@adjoint("scipy.special.expn", shape="elementwise", sample=("(1, vector3p)", "(3, 0.7)"))
def expn(y, n, x):
    if n == 0:
        d[x] = -d[y] * y * (1 + 1 / x)
    else:
        d[x] = -d[y] * scipy.special.expn(n - 1, x)


@adjoint("scipy.special.exp1", shape="elementwise", domain=(0.3, 3))
def exp1(y, z):
    d[z] = -d[y] * np.exp(-z) / z


@adjoint("scipy.special.expi", shape="elementwise", domain=(0.3, 3))
def expi(y, x):
    d[x] = d[y] * np.exp(x) / x


@adjoint("scipy.special.sici", shape="modf", sample=("(vector3p,)", "(0.7,)"))
def sici(y, x):
    d[x] = full(d[y][0], y[0]) * np.sin(x) / x + full(d[y][1], y[1]) * np.cos(x) / x


@tangent("scipy.special.sici")
def sici(y, x):
    d[y] = (d[x] * np.sin(x) / x, d[x] * np.cos(x) / x)


@adjoint("scipy.special.fresnel", shape="modf", sample=("(vector3p,)", "(0.7,)"))
def fresnel(y, z):
    angle = 1.5707963267948966 * z * z
    d[z] = full(d[y][0], y[0]) * np.sin(angle) + full(d[y][1], y[1]) * np.cos(angle)


@tangent("scipy.special.fresnel")
def fresnel(y, z):
    d[y] = (d[z] * np.sin(1.5707963267948966 * z * z), d[z] * np.cos(1.5707963267948966 * z * z))


# Elliptic integrals (19.4), in the parameter m = k * k


@adjoint("scipy.special.ellipk", shape="elementwise", domain=(0.1, 0.9))
def ellipk(y, m):
    d[m] = d[y] * (scipy.special.ellipe(m) - (1 - m) * y) / (2 * m * (1 - m))


@adjoint("scipy.special.ellipe", shape="elementwise", domain=(0.1, 0.9))
def ellipe(y, m):
    d[m] = d[y] * (y - scipy.special.ellipk(m)) / (2 * m)


@adjoint("scipy.special.ellipkm1", shape="elementwise", domain=(0.1, 0.9))
def ellipkm1(y, p):
    d[p] = -d[y] * (scipy.special.ellipe(1 - p) - p * y) / (2 * p * (1 - p))


@adjoint("scipy.special.ellipkinc", shape="elementwise", domain=((0.2, 1.3), (0.1, 0.9)))
def ellipkinc(y, phi, m):
    root = np.sqrt(1 - m * np.sin(phi) ** 2)
    d[phi] = d[y] / root
    d[m] = d[y] * (
        scipy.special.ellipeinc(phi, m) / (2 * m * (1 - m)) - y / (2 * m)
        - np.sin(2 * phi) / (4 * (1 - m) * root))


@adjoint("scipy.special.ellipeinc", shape="elementwise", domain=((0.2, 1.3), (0.1, 0.9)))
def ellipeinc(y, phi, m):
    d[phi] = d[y] * np.sqrt(1 - m * np.sin(phi) ** 2)
    d[m] = d[y] * (y - scipy.special.ellipkinc(phi, m)) / (2 * m)


# Hypergeometric functions (13.3, 15.5, 16.3), polynomials (18.9)


@adjoint("scipy.special.hyp2f1", shape="elementwise",
         sample=("(1.5, 0.7, 2.2, 0.4 * vector3)", "(1.0, 2.0, 1.3, 0.4)"))
def hyp2f1(y, a, b, c, z):
    d[z] = d[y] * a * b / c * scipy.special.hyp2f1(a + 1, b + 1, c + 1, z)


@adjoint("scipy.special.hyp1f1", shape="elementwise",
         sample=("(1.5, 0.7, vector3)", "(1.0, 2.0, 0.4)"))
def hyp1f1(y, a, b, x):
    d[x] = d[y] * a / b * scipy.special.hyp1f1(a + 1, b + 1, x)


@adjoint("scipy.special.hyp0f1", shape="elementwise", sample=("(1.5, vector3)", "(2.0, 0.4)"))
def hyp0f1(y, v, z):
    d[z] = d[y] / v * scipy.special.hyp0f1(v + 1, z)


@adjoint("scipy.special.eval_legendre", shape="elementwise",
         sample=("(3, 0.4 * vector3)", "(1, 0.4)"))
def eval_legendre(y, n, x):
    d[x] = d[y] * n * (x * y - scipy.special.eval_legendre(n - 1, x)) / (x * x - 1)


@adjoint("scipy.special.eval_chebyt", shape="elementwise",
         sample=("(3, 0.4 * vector3)", "(1, 0.4)"))
def eval_chebyt(y, n, x):
    d[x] = d[y] * n * scipy.special.eval_chebyu(n - 1, x)


@adjoint("scipy.special.eval_chebyu", shape="elementwise",
         sample=("(3, 0.4 * vector3)", "(1, 0.4)"))
def eval_chebyu(y, n, x):
    d[x] = d[y] * ((n + 1) * scipy.special.eval_chebyt(n + 1, x) - x * y) / (x * x - 1)


@adjoint("scipy.special.eval_laguerre", shape="elementwise",
         sample=("(3, 0.4 * vector3)", "(1, 0.4)"))
def eval_laguerre(y, n, x):
    d[x] = d[y] * n * (y - scipy.special.eval_laguerre(n - 1, x)) / x


# Gamma functions, logarithms, probabilities


@adjoint("scipy.special.binom", shape="elementwise", domain=((4, 6), (1.2, 3)))
def binom(y, n, k):
    d[n] = d[y] * y * (scipy.special.digamma(n + 1) - scipy.special.digamma(n - k + 1))
    d[k] = d[y] * y * (scipy.special.digamma(n - k + 1) - scipy.special.digamma(k + 1))


@adjoint("scipy.special.poch", shape="elementwise", domain=((1, 3), (0.5, 2)))
def poch(y, z, m):
    d[z] = d[y] * y * (scipy.special.digamma(z + m) - scipy.special.digamma(z))
    d[m] = d[y] * y * scipy.special.digamma(z + m)


@adjoint("scipy.special.rgamma", shape="elementwise", domain=(0.5, 4))
def rgamma(y, z):
    d[z] = -d[y] * y * scipy.special.digamma(z)


@adjoint("scipy.special.spence", shape="elementwise", domain=(0.2, 0.8), singular="z == 1")
def spence(y, z):
    d[z] = d[y] * np.log(z) / (1 - z)


@adjoint("scipy.special.owens_t", shape="elementwise", domain=((-2, 2), (0.2, 2)))
def owens_t(y, h, a):
    d[h] = d[y] * -0.19947114020071635 * np.exp(-0.5 * h * h) * scipy.special.erf(
        a * h * 0.7071067811865476)
    d[a] = d[y] * np.exp(-0.5 * h * h * (1 + a * a)) * 0.15915494309189535 / (1 + a * a)


@adjoint("scipy.special.stdtr", shape="elementwise",
         sample=("(vector3p, vector3)", "(2.5, -0.7)", "(number, matrix23)"))
def stdtr(y, df, t):
    density = np.exp(
        scipy.special.gammaln(0.5 * df + 0.5) - scipy.special.gammaln(0.5 * df)
        - 0.5 * np.log(np.pi * df) - (0.5 * df + 0.5) * np.log1p(t * t / df))
    d[t] = d[y] * density
    d[df] = d[y] * (
        -0.25 * np.sign(t) * _betainc_slope(0.5 * df, 0.5, df / (df + t * t), 1, 0)
        - density * t / (2 * df))
