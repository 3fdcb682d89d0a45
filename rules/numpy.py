"""Records of NumPy's functions; those that `math` has too are aliases."""

# Elementwise, one argument


@adjoint("numpy.absolute", aliases=("numpy.abs",), shape="arithmetic", domain=(-3, 3),
         note="`np.abs`, `abs`, `math.fabs` at 0 have slope 0.",
         edges=("(0.0,) -> 0.0",))
def absolute(y, x):
    d[x] = d[y] * np.sign(x)


@adjoint("numpy.fabs", shape="elementwise", domain=(-3, 3))
def fabs(y, x):
    d[x] = d[y] * np.sign(x)


@adjoint("numpy.square", shape="arithmetic", domain=(-3, 3))
def square(y, x):
    d[x] = d[y] * 2 * x


@adjoint("numpy.sqrt", aliases=("math.sqrt",), shape="elementwise", domain=(0.1, 4),
         singular="not x > 0")
def sqrt(y, x):
    d[x] = d[y] * 0.5 / y


@adjoint("numpy.cbrt", aliases=("math.cbrt",), shape="elementwise", domain=(0.1, 4),
         singular="x == 0")
def cbrt(y, x):
    d[x] = d[y] / (3 * y * y)


@adjoint("numpy.reciprocal", shape="arithmetic", domain=(0.5, 3), singular="x == 0")
def reciprocal(y, x):
    d[x] = -d[y] * y * y


@adjoint("numpy.exp", aliases=("math.exp",), shape="elementwise", domain=(-3, 3))
def exp(y, x):
    d[x] = d[y] * y


@adjoint("numpy.exp2", aliases=("math.exp2",), shape="elementwise", domain=(-3, 3))
def exp2(y, x):
    d[x] = d[y] * 0.6931471805599453 * y


@adjoint("numpy.expm1", aliases=("math.expm1",), shape="elementwise", domain=(-3, 3))
def expm1(y, x):
    d[x] = d[y] * np.exp(x)


@adjoint("numpy.log", shape="elementwise", domain=(0.1, 4), singular="x == 0")
def log(y, x):
    d[x] = d[y] / x


@adjoint("numpy.log2", aliases=("math.log2",), shape="elementwise", domain=(0.1, 4),
         singular="x == 0")
def log2(y, x):
    d[x] = d[y] / (0.6931471805599453 * x)


@adjoint("numpy.log10", aliases=("math.log10",), shape="elementwise", domain=(0.1, 4),
         singular="x == 0")
def log10(y, x):
    d[x] = d[y] / (2.302585092994046 * x)


@adjoint("numpy.log1p", aliases=("math.log1p",), shape="elementwise", domain=(-0.9, 3),
         singular="x == -1")
def log1p(y, x):
    d[x] = d[y] / (1 + x)


@adjoint("numpy.sin", aliases=("math.sin",), shape="elementwise", domain=(-3, 3))
def sin(y, x):
    d[x] = d[y] * np.cos(x)


@adjoint("numpy.cos", aliases=("math.cos",), shape="elementwise", domain=(-3, 3))
def cos(y, x):
    d[x] = -d[y] * np.sin(x)


@adjoint("numpy.tan", aliases=("math.tan",), shape="elementwise", domain=(-1.3, 1.3))
def tan(y, x):
    d[x] = d[y] * (1 + y * y)


@adjoint("numpy.arcsin", aliases=("numpy.asin", "math.asin"), shape="elementwise",
         domain=(-0.9, 0.9), singular="not x * x < 1")
def arcsin(y, x):
    d[x] = d[y] / np.sqrt(1 - x * x)


@adjoint("numpy.arccos", aliases=("numpy.acos", "math.acos"), shape="elementwise",
         domain=(-0.9, 0.9), singular="not x * x < 1")
def arccos(y, x):
    d[x] = -d[y] / np.sqrt(1 - x * x)


@adjoint("numpy.arctan", aliases=("numpy.atan", "math.atan"), shape="elementwise", domain=(-3, 3))
def arctan(y, x):
    d[x] = d[y] / (1 + x * x)


@adjoint("numpy.sinh", aliases=("math.sinh",), shape="elementwise", domain=(-3, 3))
def sinh(y, x):
    d[x] = d[y] * np.cosh(x)


@adjoint("numpy.cosh", aliases=("math.cosh",), shape="elementwise", domain=(-3, 3))
def cosh(y, x):
    d[x] = d[y] * np.sinh(x)


@adjoint("numpy.tanh", aliases=("math.tanh",), shape="elementwise", domain=(-3, 3))
def tanh(y, x):
    d[x] = d[y] * (1 - y * y)


@adjoint("numpy.arcsinh", aliases=("numpy.asinh", "math.asinh"), shape="elementwise",
         domain=(-3, 3))
def arcsinh(y, x):
    d[x] = d[y] / np.sqrt(1 + x * x)


@adjoint("numpy.arccosh", aliases=("numpy.acosh", "math.acosh"), shape="elementwise",
         domain=(1.1, 4), singular="not x > 1")
def arccosh(y, x):
    d[x] = d[y] / np.sqrt(x * x - 1)


@adjoint("numpy.arctanh", aliases=("numpy.atanh", "math.atanh"), shape="elementwise",
         domain=(-0.9, 0.9), singular="x * x == 1")
def arctanh(y, x):
    d[x] = d[y] / (1 - x * x)


@adjoint("numpy.deg2rad", aliases=("numpy.radians", "math.radians"), shape="elementwise",
         domain=(-90, 90))
def deg2rad(y, x):
    d[x] = d[y] * (np.pi / 180)


@adjoint("numpy.rad2deg", aliases=("numpy.degrees", "math.degrees"), shape="elementwise",
         domain=(-3, 3))
def rad2deg(y, x):
    d[x] = d[y] * (180 / np.pi)


@adjoint("numpy.sinc", shape="elementwise", domain=(-2, 2),
         note="`np.sinc` at 0 has slope 0, its derivative there.",
         edges=("(0.0,) -> 0.0",))
def sinc(y, x):
    d[x] = -d[y] * np.pi * _spherical(1, np.pi * x)


@adjoint("numpy.real", shape="arithmetic", domain=(-3, 3))
def real(y, val):
    d[val] = d[y]


@adjoint("numpy.conjugate", aliases=("numpy.conj",), shape="arithmetic", domain=(-3, 3))
def conjugate(y, x):
    d[x] = d[y]


@adjoint("numpy.nan_to_num", shape="arithmetic", domain=(-3, 3),
         note="`np.nan_to_num`: the slope is 0 where a value is replaced.",
         edges=("(np.inf,) -> 0.0", "(np.nan,) -> 0.0"))
def nan_to_num(y, x):
    d[x] = mask(np.isfinite(x), d[y])


@adjoint("numpy.float64", shape="elementwise", linear=("value",), domain=(-3, 3))
def float64(y, value):
    d[value] = d[y]


# Elementwise, two arguments


@adjoint("numpy.maximum", shape="arithmetic", domain=(-3, 3),
         note="`np.maximum`, `np.minimum`, `np.fmax`, `np.fmin`: equal arguments share evenly.",
         edges=("(1.0, 1.0) -> 0.5, 0.5",))
def maximum(y, x1, x2):
    d[x1] = d[y] * _above(x1, x2)
    d[x2] = d[y] * _above(x2, x1)


@adjoint("numpy.minimum", shape="arithmetic", domain=(-3, 3),
         edges=("(1.0, 1.0) -> 0.5, 0.5",))
def minimum(y, x1, x2):
    d[x1] = d[y] * _above(x2, x1)
    d[x2] = d[y] * _above(x1, x2)


@adjoint("numpy.fmax", shape="arithmetic", domain=(-3, 3),
         edges=("(1.0, 1.0) -> 0.5, 0.5", "(1.0, np.nan) -> 1.0, 0.0"))
def fmax(y, x1, x2):
    d[x1] = d[y] * _above(x1, x2)
    d[x2] = d[y] * _above(x2, x1)


@adjoint("numpy.fmin", shape="arithmetic", domain=(-3, 3),
         edges=("(1.0, 1.0) -> 0.5, 0.5", "(1.0, np.nan) -> 1.0, 0.0"))
def fmin(y, x1, x2):
    d[x1] = d[y] * _above(-x1, -x2)
    d[x2] = d[y] * _above(-x2, -x1)


@adjoint("numpy.float_power", shape="elementwise", domain=((0.3, 3), (-2, 3)),
         singular="(x1 == 0) & (x2 < 1)")
def float_power(y, x1, x2):
    if x2 == 0:
        d[x1] = 0
    elif x2 == 1:
        d[x1] = d[y]
    elif x2 == 2:
        d[x1] = d[y] * 2 * x1
    elif literal(x2) or positive(x1):
        d[x1] = d[y] * x2 * x1 ** (x2 - 1)
    else:
        d[x1] = d[y] * _power_slope(x1, x2)
    if positive(x1):
        d[x2] = d[y] * y * np.log(x1)
    else:
        d[x2] = d[y] * _times_log(y, x1)


@adjoint("numpy.arctan2", aliases=("numpy.atan2", "math.atan2"), shape="elementwise",
         domain=(0.3, 3), singular="(x1 == 0) & (x2 == 0)")
def arctan2(y, x1, x2):
    d[x1] = d[y] * x2 / (x1 * x1 + x2 * x2)
    d[x2] = -d[y] * x1 / (x1 * x1 + x2 * x2)


@adjoint("numpy.hypot", shape="elementwise", domain=(-3, 3),
         note="`np.hypot`, `math.hypot` at the origin have slope 0.",
         edges=("(0.0, 0.0) -> 0.0, 0.0",))
def hypot(y, x1, x2):
    d[x1] = mask(y != 0, d[y] * x1 / y)
    d[x2] = mask(y != 0, d[y] * x2 / y)


@adjoint("numpy.logaddexp", shape="elementwise", domain=(-3, 3))
def logaddexp(y, x1, x2):
    d[x1] = d[y] * np.exp(x1 - y)
    d[x2] = d[y] * np.exp(x2 - y)


@adjoint("numpy.logaddexp2", shape="elementwise", domain=(-3, 3))
def logaddexp2(y, x1, x2):
    d[x1] = d[y] * np.exp2(x1 - y)
    d[x2] = d[y] * np.exp2(x2 - y)


@adjoint("numpy.fmod", aliases=("math.fmod",), shape="arithmetic", domain=((3.2, 3.8),
                                                                           (0.96, 1.04)))
def fmod(y, x1, x2):
    d[x1] = d[y]
    d[x2] = -d[y] * np.trunc(x1 / x2)


@adjoint("numpy.copysign", aliases=("math.copysign",), shape="elementwise", domain=(0.3, 3),
         note="`np.copysign`: the slope in the magnitude is 0 where that is 0, in the sign always.",
         edges=("(0.0, 1.0) -> 0.0",))
def copysign(y, x1, x2):
    d[x1] = mask(x1 != 0, d[y] * y / x1)
    d[x2] = 0


@adjoint("numpy.where", shape="where",
         sample=("(mask23, matrix23, matrix23b)", "(mask23, matrix23, 2.0)",
                 "(mask3, vector3, matrix23)"))
def where(z, condition, x, y):
    d[condition] = 0
    d[x] = mask(condition, d[z])
    d[y] = mask(not condition, d[z])


@adjoint("numpy.clip", shape="arithmetic", domain=((-3, 3), (-1, 0), (1, 2)),
         note="`np.clip` passes slope 1 at its edges.",
         edges=("(1.0, 1.0, 2.0) -> 1.0, 0.0, 0.0", "(2.0, 1.0, 2.0) -> 1.0, 0.0, 0.0",
                "(0.0, 2.0, 1.0) -> 0.0, 0.0, 1.0"))
def clip(y, a, a_min=None, a_max=None):
    d[a] = mask(y == a, d[y])
    if a_max is None:
        d[a_min] = mask(a < a_min, d[y])
    else:
        d[a_min] = mask((a < a_min) & (a_min < a_max), d[y])
    if a_min is None:
        d[a_max] = mask(a > a_max, d[y])
    else:
        d[a_max] = mask((a > a_max) | (a_min >= a_max), d[y])


# Elementwise, two results


@adjoint("numpy.divmod", aliases=("builtins.divmod",), shape="divmod",
         sample=("(3.3, 1.02)", "(matrix23p, 1.02)", "(matrix23p, vector3p)"),
         note="`divmod`: the quotient has slope 0, the rest the slopes of `x % n`.",
         edges=("(4.0, 2.0) -> 1.0, -2.0",))
def divmod(y, x1, x2):
    d[x1] = _unbroadcast(full(d[y][1], y[1]), x1)
    d[x2] = _unbroadcast(-full(d[y][1], y[1]) * y[0], x2)


@tangent("numpy.divmod")
def divmod(y, x1, x2):
    d[y] = (0.0, d[x1])
    d[y] = (0.0, -d[x2] * y[0])


@adjoint("numpy.modf", aliases=("math.modf",), shape="modf", sample=("(1.3,)", "(matrix23,)"))
def modf(y, x):
    d[x] = d[y][0]


@tangent("numpy.modf")
def modf(y, x):
    d[y] = (d[x], 0.0)


@adjoint("numpy.frexp", aliases=("math.frexp",), shape="frexp", sample=("(1.3,)", "(matrix23,)"))
def frexp(y, x):
    d[x] = d[y][0] / 2.0 ** y[1]


@tangent("numpy.frexp")
def frexp(y, x):
    d[y] = (d[x] / 2.0 ** y[1], 0.0)


@adjoint("numpy.ldexp", shape="elementwise", sample=("(number, 3)", "(matrix23, -2)"))
def ldexp(y, x1, x2):
    d[x1] = d[y] * 2.0 ** x2


# Elementwise with derivative zero


@constant("numpy.sign", shape="arithmetic", domain=(0.3, 3))
def sign(y, x): ...


@constant("numpy.floor", aliases=("numpy.ceil", "numpy.trunc", "numpy.rint", "numpy.fix"),
          shape="elementwise", domain=(0.1, 0.4))
def floor(y, x): ...


@constant("numpy.heaviside", shape="elementwise", domain=(0.3, 3))
def heaviside(y, x1, x2): ...


@constant("numpy.isnan",
          aliases=("numpy.isfinite", "numpy.isinf", "numpy.signbit", "numpy.iscomplex",
                   "numpy.isreal", "numpy.isposinf", "numpy.isneginf"),
          shape="boolean", domain=(-3, 3))
def isnan(y, x): ...


@constant("numpy.isclose", shape="boolean", domain=(-3, 3))
def isclose(y, a, b, rtol=1e-05, atol=1e-08, equal_nan=False): ...


@constant("numpy.logical_not", shape="boolean", domain=(-3, 3))
def logical_not(y, x): ...


@constant("numpy.logical_and", aliases=("numpy.logical_or", "numpy.logical_xor"), shape="boolean",
          domain=(-3, 3))
def logical_and(y, x1, x2): ...
