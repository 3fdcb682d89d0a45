"""Records of `math`, where they differ from NumPy's function of the same name."""


@adjoint("math.fabs", shape="elementwise", domain=(-3, 3))
def fabs(y, x):
    d[x] = d[y] * np.sign(x)


@adjoint("math.log", shape="elementwise", domain=((0.1, 4), (2, 5)), sample=("(number,)",),
         singular="x == 0")
def log(y, x, base=None):
    if base is None:
        d[x] = d[y] / x
    else:
        d[x] = d[y] / (x * math.log(base))
        d[base] = -d[y] * y / (base * math.log(base))


@adjoint("math.hypot", shape="scalar",
         sample=("(number, 2.0)", "(number,)", "(number, 2.0, number)"),
         edges=("(0.0, 0.0) -> 0.0, 0.0",))
def hypot(r, x, y=None, z=None):
    d[x] = mask(r != 0, d[r] * x / r)
    d[y] = mask(r != 0, d[r] * y / r)
    d[z] = mask(r != 0, d[r] * z / r)


@tangent("math.hypot")
def hypot(r, x, y=None, z=None):
    d[r] = mask(r != 0, d[x] * x / r)
    d[r] = mask(r != 0, d[y] * y / r)
    d[r] = mask(r != 0, d[z] * z / r)


@adjoint("math.remainder", shape="elementwise", domain=((3.1, 3.4), (0.96, 1.04)))
def remainder(y, x, n):
    d[x] = d[y]
    d[n] = -d[y] * np.rint(x / n)


@adjoint("math.ldexp", shape="elementwise", sample=("(number, 3)", "(number, -2)"))
def ldexp(y, x, i):
    d[x] = d[y] * 2.0 ** i


@adjoint("math.fsum", aliases=(), shape="scalar", linear=("seq",),
         sample=("(vector3,)", "([number, 2.0],)"))
def fsum(y, seq):
    d[seq] = each(d[y])


@adjoint("math.prod", shape="",
         sample=("(vector3,)", "([2.0, 3.0],)", "(vector3z, start=2.0)", "(vector3, start=2.0)"))
def prod(y, iterable, *, start=1):
    d[iterable] = d[y] * start * _product_of_others(iterable)
    d[start] = d[y] * np.prod(iterable)


@tangent("math.prod")
def prod(y, iterable, *, start=1):
    d[y] = start * np.sum(d[iterable] * _product_of_others(iterable))
    d[y] = d[start] * np.prod(iterable)


@adjoint("math.dist", shape="scalar", sample=("(vector3, vector3b)", "([1.0, 2.0], [0.5, 4.0])"),
         note="`math.dist` of a point to itself has slope 0.",
         edges=("([1.0, 2.0], [1.0, 2.0]) -> [0.0, 0.0], [0.0, 0.0]",))
def dist(y, p, q):
    d[p] = mask(y != 0, d[y] / y) * np.subtract(p, q)
    d[q] = mask(y != 0, d[y] / y) * np.subtract(q, p)


@tangent("math.dist")
def dist(y, p, q):
    d[y] = mask(y != 0, np.sum(d[p] * np.subtract(p, q)) / y)
    d[y] = mask(y != 0, np.sum(d[q] * np.subtract(q, p)) / y)


# Derivative zero


@constant("math.floor", aliases=("math.ceil", "math.trunc"), shape="integer", domain=(0.1, 0.4))
def floor(y, x): ...


@constant("math.isnan", aliases=("math.isinf", "math.isfinite"), shape="boolean", domain=(-3, 3))
def isnan(y, x): ...


@constant("math.isclose", shape="boolean", sample=("(number, 5.0)",))
def isclose(y, a, b, *, rel_tol=1e-09, abs_tol=0.0): ...


@constant("math.factorial", aliases=("math.isqrt",), shape="integer", sample=("(4,)",))
def factorial(y, n): ...


@constant("math.comb", aliases=("math.perm",), shape="integer", sample=("(5, 2)",))
def comb(y, n, k): ...


@constant("math.gcd", aliases=("math.lcm",), shape="integer", sample=("(4, 6)",))
def gcd(y, *integers): ...
