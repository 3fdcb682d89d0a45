"""Records of `math`, where they differ from NumPy's function of the same name."""


@adjoint("math.fabs", shape="elementwise", domain=(-3, 3))
def fabs(y, x):
    d[x] = d[y] * np.sign(x)


@adjoint("math.log", shape="elementwise", domain=((0.1, 4), (2, 5)), singular="x == 0")
def log(y, x, base=None):
    if base is None:
        d[x] = d[y] / x
    else:
        d[x] = d[y] / (x * math.log(base))
        d[base] = -d[y] * y / (base * math.log(base))


@adjoint("math.hypot", shape="scalar", sample=("(number, 2.0)", "(number,)",
                                               "(number, 2.0, number)"))
def hypot(r, x, y=None, z=None):
    d[x] = mask(r != 0, d[r] * x / r)
    d[y] = mask(r != 0, d[r] * y / r)
    d[z] = mask(r != 0, d[r] * z / r)


@tangent("math.hypot")
def hypot(r, x, y=None, z=None):
    d[r] = mask(r != 0, d[x] * x / r)
    d[r] = mask(r != 0, d[y] * y / r)
    d[r] = mask(r != 0, d[z] * z / r)


@constant("math.floor", aliases=("math.ceil", "math.trunc"), shape="integer", domain=(0.1, 0.4))
def floor(y, x): ...


@constant("math.isnan", aliases=("math.isinf", "math.isfinite"), shape="boolean", domain=(-3, 3))
def isnan(y, x): ...
