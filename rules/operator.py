"""Records of the operators. A BinaryOperation or UnaryOperation of a program is looked up here."""


@adjoint("operator.add", aliases=("numpy.add",), shape="arithmetic", domain=(-3, 3))
def add(y, a, b):
    d[a] = d[y]
    d[b] = d[y]


@adjoint("operator.sub", aliases=("numpy.subtract",), shape="arithmetic", domain=(-3, 3))
def sub(y, a, b):
    d[a] = d[y]
    d[b] = -d[y]


@adjoint("operator.mul", aliases=("numpy.multiply",), shape="arithmetic", domain=(-3, 3))
def mul(y, a, b):
    d[a] = d[y] * b
    d[b] = d[y] * a


@adjoint(
    "operator.truediv",
    aliases=("numpy.divide", "numpy.true_divide"),
    shape="elementwise",
    domain=((-3, 3), (0.5, 3)),
    singular="b == 0",
)
def truediv(y, a, b):
    d[a] = d[y] / b
    d[b] = -(d[y] / b) * y


@adjoint(
    "operator.pow",
    aliases=("numpy.power", "builtins.pow", "math.pow", "numpy.pow"),
    shape="arithmetic",
    domain=((0.3, 3), (-2, 3)),
    singular="(x == 0) & (n < 1)",
    note="`x ** n`: the exponent's slope at base 0 is 0, the base's slope at exponent 0 is 0.",
    sample=("(number, 0)", "(number, 1)", "(number, 2)", "(matrix23, 3)", "(number, -1)",
            "(matrix23p, 0.5)"),
    edges=("(0.0, 0.0) -> 0.0, 0.0", "(0.0, 2.5) -> 0.0, 0.0", "(0.0, 0) -> 0.0, 0.0",
           "(0.0, 1.0) -> 1.0, 0.0"),
)
def pow(y, x, n):
    if n == 0:
        d[x] = 0
    elif n == 1:
        d[x] = d[y]
    elif n == 2:
        d[x] = d[y] * 2 * x
    elif literal(n) or positive(x):
        d[x] = d[y] * n * x ** (n - 1)
    else:
        d[x] = d[y] * _power_slope(x, n)
    if positive(x):
        d[n] = d[y] * y * np.log(x)
    else:
        d[n] = d[y] * _times_log(y, x)


@adjoint(
    "operator.mod",
    aliases=("numpy.mod", "numpy.remainder"),
    shape="arithmetic",
    domain=((3.2, 3.8), (0.96, 1.04)),
    note="`x % n`: where the quotient jumps, the slopes are those of the value that was returned.",
    edges=("(4.0, 2.0) -> 1.0, -2.0",),
)
def mod(y, x, n):
    d[x] = d[y]
    d[n] = -d[y] * (x // n)


@constant(
    "operator.floordiv",
    aliases=("numpy.floor_divide",),
    shape="arithmetic",
    domain=((3.2, 3.8), (0.96, 1.04)),
)
def floordiv(y, a, b): ...


@adjoint("operator.neg", aliases=("numpy.negative",), shape="arithmetic", domain=(-3, 3))
def neg(y, x):
    d[x] = -d[y]


@adjoint("operator.pos", aliases=("numpy.positive",), shape="arithmetic", domain=(-3, 3))
def pos(y, x):
    d[x] = d[y]


@adjoint(
    "operator.matmul",
    aliases=("numpy.matmul",),
    shape="matmul",
    sample=(
        "(matrix23, matrix34)",
        "(matrix23, vector3)",
        "(vector2, matrix23)",
        "(vector3, vector3b)",
        "(stack423, matrix34)",
        "(stack423, stack434)",
        "(matrix23, stack434)",
        "(stack423, vector3)",
        "(vector2, stack423)",
    ),
)
def matmul(y, a, b):
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
        d[a] = _matmul_left_adjoint(full(d[y], y), a, b)
        d[b] = _matmul_right_adjoint(full(d[y], y), a, b)


@tangent("operator.matmul")
def matmul(y, a, b):
    d[y] = d[a] @ b
    d[y] = a @ d[b]


@constant("operator.eq", aliases=("numpy.equal",), shape="boolean", domain=(-3, 3))
def eq(y, a, b): ...


@constant("operator.ne", aliases=("numpy.not_equal",), shape="boolean", domain=(-3, 3))
def ne(y, a, b): ...


@constant("operator.lt", aliases=("numpy.less",), shape="boolean", domain=(-3, 3))
def lt(y, a, b): ...


@constant("operator.le", aliases=("numpy.less_equal",), shape="boolean", domain=(-3, 3))
def le(y, a, b): ...


@constant("operator.gt", aliases=("numpy.greater",), shape="boolean", domain=(-3, 3))
def gt(y, a, b): ...


@constant("operator.ge", aliases=("numpy.greater_equal",), shape="boolean", domain=(-3, 3))
def ge(y, a, b): ...
