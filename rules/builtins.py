"""Records of Python's builtin functions."""


@adjoint("builtins.abs", shape="arithmetic", domain=(-3, 3))
def abs(y, x):
    d[x] = d[y] * np.sign(x)


@adjoint("builtins.float", shape="elementwise", domain=(-3, 3))
def float(y, x):
    d[x] = d[y]


@adjoint("builtins.sum", shape="total", linear=("iterable", "start"),
         sample=("(vector3,)", "(matrix23,)", "([number, 2.0, number], 1.5)", "(vector3, number)"))
def sum(y, iterable, start=0):
    if rank(iterable) > 0:
        d[iterable] = spread(d[y], iterable, 0, False)
    else:
        d[iterable] = each(d[y])
    d[start] = _unbroadcast(full(d[y], y), start)


@adjoint("builtins.max", shape="extremum",
         sample=("(1.0, 2.0)", "(2.0, 1.0)", "(1.0, 3.0, 2.0)", "(4.0, 3.0, 2.0)",
                 "(1.0, 3.0, 5.0)", "(1.0, 3.0, 5.0, 7.0)", "(1.0, 9.0, 5.0, 7.0)",
                 "(8.0, 6.0, 5.0, 7.0)", "(1.0, 6.0, 8.0, 7.0)", "(vector6,)",
                 "(1.0, 2.0, 5.0, 3.0, 4.0)", "(1.0, 2.0, 5.0, 3.0, 7.0, 6.0, 8.0, 4.0)",
                 "(9.0, 2.0, 5.0, 3.0, 7.0, 6.0)", "(1.0, 9.0, 5.0, 3.0, 7.0, 6.0, 8.0)",
                 "(1.0, 2.0, 5.0, 9.0, 7.0, 6.0)", "(1.0, 2.0, 5.0, 3.0, 7.0, 9.0)",
                 "(1.0, 2.0, 5.0, 3.0, 7.0, 6.0, 8.0, 9.0)",
                 "([1.0, 3.0, 2.0],)"),
         note="The builtins `max` and `min` give the slope to the argument that Python returns: "
              "the first of equal ones.",
         edges=("(1.0, 1.0) -> 1.0, 0.0", "(0.0, 1.0, 1.0) -> 0.0, 1.0, 0.0",
                "([1.0, 2.0, 2.0],) -> [0.0, 1.0, 0.0]"))
def max(y, a, b=None, c=None, e=None, f=None, g=None, h=None, i=None):
    if b is None:
        d[a] = _to_first(d[y], a, y)
    elif c is None:
        d[a] = mask(a >= b, d[y])
        d[b] = mask(b > a, d[y])
    elif e is None:
        d[a] = mask((a >= b) & (a >= c), d[y])
        d[b] = mask((b > a) & (b >= c), d[y])
        d[c] = mask((c > a) & (c > b), d[y])
    elif f is None:
        d[a] = mask((a >= b) & (a >= c) & (a >= e), d[y])
        d[b] = mask((b > a) & (b >= c) & (b >= e), d[y])
        d[c] = mask((c > a) & (c > b) & (c >= e), d[y])
        d[e] = mask((e > a) & (e > b) & (e > c), d[y])
    else:
        d[a] = mask(a == y, d[y])
        d[b] = mask((b == y) & (a != y), d[y])
        d[c] = mask((c == y) & (a != y) & (b != y), d[y])
        d[e] = mask((e == y) & (a != y) & (b != y) & (c != y), d[y])
        d[f] = mask((f == y) & (a != y) & (b != y) & (c != y) & (e != y), d[y])
        d[g] = mask((g == y) & (a != y) & (b != y) & (c != y) & (e != y) & (f != y), d[y])
        d[h] = mask((h == y) & (a != y) & (b != y) & (c != y) & (e != y)
                     & (f != y) & (g != y), d[y])
        d[i] = mask((i == y) & (a != y) & (b != y) & (c != y) & (e != y)
                     & (f != y) & (g != y) & (h != y), d[y])


@tangent("builtins.max")
def max(y, a, b=None, c=None, e=None, f=None, g=None, h=None, i=None):
    if b is None:
        d[y] = d[a][np.argmax(a)]
    elif c is None:
        d[y] = mask(a >= b, d[a])
        d[y] = mask(b > a, d[b])
    elif e is None:
        d[y] = mask((a >= b) & (a >= c), d[a])
        d[y] = mask((b > a) & (b >= c), d[b])
        d[y] = mask((c > a) & (c > b), d[c])
    elif f is None:
        d[y] = mask((a >= b) & (a >= c) & (a >= e), d[a])
        d[y] = mask((b > a) & (b >= c) & (b >= e), d[b])
        d[y] = mask((c > a) & (c > b) & (c >= e), d[c])
        d[y] = mask((e > a) & (e > b) & (e > c), d[e])
    else:
        d[y] = mask(a == y, d[a])
        d[y] = mask((b == y) & (a != y), d[b])
        d[y] = mask((c == y) & (a != y) & (b != y), d[c])
        d[y] = mask((e == y) & (a != y) & (b != y) & (c != y), d[e])
        d[y] = mask((f == y) & (a != y) & (b != y) & (c != y) & (e != y), d[f])
        d[y] = mask((g == y) & (a != y) & (b != y) & (c != y) & (e != y) & (f != y), d[g])
        d[y] = mask((h == y) & (a != y) & (b != y) & (c != y) & (e != y)
                     & (f != y) & (g != y), d[h])
        d[y] = mask((i == y) & (a != y) & (b != y) & (c != y) & (e != y)
                     & (f != y) & (g != y) & (h != y), d[i])


@adjoint("builtins.min", shape="extremum",
         sample=("(1.0, 2.0)", "(2.0, 1.0)", "(1.0, 3.0, 2.0)", "(4.0, 2.0, 3.0)",
                 "(6.0, 3.0, 1.0)", "(9.0, 3.0, 5.0, 1.0)", "(9.0, 4.0, 5.0, 7.0)",
                 "(3.0, 6.0, 5.0, 7.0)", "(9.0, 6.0, 5.0, 7.0)", "(vector6,)",
                 "(4.0, 2.0, 1.0, 3.0, 5.0)", "(1.0, 2.0, 5.0, 3.0, 7.0, 6.0, 8.0, 4.0)",
                 "(9.0, 2.0, 5.0, 3.0, 7.0, 6.0)", "(3.0, 9.0, 5.0, 1.0, 7.0, 6.0, 8.0)",
                 "(2.0, 3.0, 5.0, 9.0, 1.0, 6.0)", "(7.0, 2.0, 5.0, 3.0, 7.0, 1.0)",
                 "(4.0, 2.0, 5.0, 3.0, 7.0, 6.0, 1.0)",
                 "(4.0, 2.0, 5.0, 3.0, 7.0, 6.0, 8.0, 1.0)",
                 "([1.0, 3.0, 2.0],)"),
         edges=("(1.0, 1.0) -> 1.0, 0.0", "(2.0, 1.0, 1.0) -> 0.0, 1.0, 0.0",
                "([3.0, 2.0, 2.0],) -> [0.0, 1.0, 0.0]"))
def min(y, a, b=None, c=None, e=None, f=None, g=None, h=None, i=None):
    if b is None:
        d[a] = _to_first(d[y], a, y)
    elif c is None:
        d[a] = mask(a <= b, d[y])
        d[b] = mask(b < a, d[y])
    elif e is None:
        d[a] = mask((a <= b) & (a <= c), d[y])
        d[b] = mask((b < a) & (b <= c), d[y])
        d[c] = mask((c < a) & (c < b), d[y])
    elif f is None:
        d[a] = mask((a <= b) & (a <= c) & (a <= e), d[y])
        d[b] = mask((b < a) & (b <= c) & (b <= e), d[y])
        d[c] = mask((c < a) & (c < b) & (c <= e), d[y])
        d[e] = mask((e < a) & (e < b) & (e < c), d[y])
    else:
        d[a] = mask(a == y, d[y])
        d[b] = mask((b == y) & (a != y), d[y])
        d[c] = mask((c == y) & (a != y) & (b != y), d[y])
        d[e] = mask((e == y) & (a != y) & (b != y) & (c != y), d[y])
        d[f] = mask((f == y) & (a != y) & (b != y) & (c != y) & (e != y), d[y])
        d[g] = mask((g == y) & (a != y) & (b != y) & (c != y) & (e != y) & (f != y), d[y])
        d[h] = mask((h == y) & (a != y) & (b != y) & (c != y) & (e != y)
                     & (f != y) & (g != y), d[y])
        d[i] = mask((i == y) & (a != y) & (b != y) & (c != y) & (e != y)
                     & (f != y) & (g != y) & (h != y), d[y])


@tangent("builtins.min")
def min(y, a, b=None, c=None, e=None, f=None, g=None, h=None, i=None):
    if b is None:
        d[y] = d[a][np.argmin(a)]
    elif c is None:
        d[y] = mask(a <= b, d[a])
        d[y] = mask(b < a, d[b])
    elif e is None:
        d[y] = mask((a <= b) & (a <= c), d[a])
        d[y] = mask((b < a) & (b <= c), d[b])
        d[y] = mask((c < a) & (c < b), d[c])
    elif f is None:
        d[y] = mask((a <= b) & (a <= c) & (a <= e), d[a])
        d[y] = mask((b < a) & (b <= c) & (b <= e), d[b])
        d[y] = mask((c < a) & (c < b) & (c <= e), d[c])
        d[y] = mask((e < a) & (e < b) & (e < c), d[e])
    else:
        d[y] = mask(a == y, d[a])
        d[y] = mask((b == y) & (a != y), d[b])
        d[y] = mask((c == y) & (a != y) & (b != y), d[c])
        d[y] = mask((e == y) & (a != y) & (b != y) & (c != y), d[e])
        d[y] = mask((f == y) & (a != y) & (b != y) & (c != y) & (e != y), d[f])
        d[y] = mask((g == y) & (a != y) & (b != y) & (c != y) & (e != y) & (f != y), d[g])
        d[y] = mask((h == y) & (a != y) & (b != y) & (c != y) & (e != y)
                     & (f != y) & (g != y), d[h])
        d[y] = mask((i == y) & (a != y) & (b != y) & (c != y) & (e != y)
                     & (f != y) & (g != y) & (h != y), d[i])


# Derivative zero


@constant("builtins.int", shape="integer_scalar", sample=("(number,)",))
def int(y, x): ...


@constant("builtins.round", sample=("(number,)", "(number, 2)"))
def round(y, number, ndigits=None): ...


@constant("builtins.bool", sample=("(number,)",))
def bool(y, x): ...


@constant("builtins.len", shape="integer_scalar", sample=("(vector3,)",))
def len(y, obj): ...


@constant("builtins.isinstance", sample=("(number, float)",))
def isinstance(y, obj, class_or_tuple): ...


@constant("builtins.any", aliases=("builtins.all",), sample=("(vector3,)",))
def any(y, iterable): ...


@constant("builtins.callable", aliases=("builtins.type", "builtins.repr"),
          sample=("(number,)",))
def callable(y, obj): ...


@constant("builtins.print", sample=("()",))
def print(y, *args, **kwargs): ...


@constant("builtins.str", aliases=("builtins.format",), sample=("(2,)",))
def str(y, *args, **kwargs): ...


@constant("builtins.range", sample=("(3,)", "(1, 5, 2)"))
def range(y, *args): ...
