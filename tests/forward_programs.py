"""Programs for forward mode: control flow, numbers, containers.

Each is a function and arguments at which it is differentiated; tests/test_forward.py runs them."""
# ruff: noqa: B905, B007, F821, RUF007, SIM108

import numpy as np

V = np.array([0.5, -1.2, 2.0])
M = np.array([[0.5, -1.2, 2.0], [0.7, -0.3, 1.1]])
PROGRAMS = []  # function, arguments, wrt


def case(*args, wrt=(0,)):
    def register(function):
        PROGRAMS.append((function, args, wrt))
        return function

    return register


@case(V)
def list_of_tuples(x):
    ps = [(v, v * v) for v in x]
    t = 0.0
    for a, b in ps:
        t += a * b
    return t


@case(V)
def list_result(x):
    return [x[0] * x[1], x, 2.0 * x]


@case(V)
def whiletrue(x):
    t = 1.0
    i = 0
    while True:
        t = t * x[i]
        if abs(t) > 0.55:
            break
        i += 1
        if i == 3:
            break
    return t


@case(1.3)
def first_only(x):
    for i in range(4):
        if i == 0:
            y = 2.0
        else:
            y = y * x
    return y


@case(3.3, 1.02, wrt=(0, 1))
def dm(x, y):
    q, r = divmod(x, y)
    return q * r * x


@case(V)
def tern(x):
    y = x if x[0] > 0 else -x
    z = 0.0 or x[1]
    return y * z


@case(3)
def intarg(x):
    return x ** 2 + 1


@case(V)
def mx(x):
    return max(x[0], x[1], 0.3) * min(x[2], 5.0) + max(x)


@case(V)
def mxl(x):
    return max([x[0], x[1] * 2]) + sum([x[0], x[2]], x[1])


@case(V)
def swap(x):
    a, b = (x[0], x[1])
    for i in range(3):
        a, b = (b, a + b * x[2])
    return a * b


@case(V)
def popstack(x):
    s = [x[0], x[1]]
    s.append(x[2])
    a = s.pop()
    b = s.pop()
    s.append(a * b)
    t = 0.0
    while s:
        t += s.pop()
    return t


@case(V)
def overwritten_arg(x):
    x[1] = x[0] * x[2]
    return x


@case(V)
def retself(x):
    return x


@case(V)
def retview(x):
    return x[1:]


@case(V)
def masked(x):
    y = x * 2
    y[y > 0] *= x[0]
    y[y < 0] = x[1] ** 2
    return y


@case(V)
def early(x):
    for v in x:
        if v < 0:
            return v * x[0]
    return x[0]


@case(V)
def bcast(x):
    return x[:, None] * x[None, :] + x


@case(V)
def lists_concat(x):
    a = [x[0]] * 2 + [x[1], 3.0]
    a = a + [x[2]]
    return a[0] * a[2] + a[4] * a[3]


@case(V)
def list_slice(x):
    a = [x[0], x[1], x[2] * 2]
    return sum(a[1:]) * a[-1]


@case([0.5, -1.2, 2.0])
def listarg(x):
    t = 0.0
    for v in x:
        t += v * v
    return t * x[0]


@case([0.5, -1.2, 2.0])
def listarg2(x):
    return sum(x) * max(x) + len(x)


@case((0.5, -1.2))
def tuparg(p):
    a, b = p
    return a * b


@case({'a': 1.0, 'b': 2.0})
def dictloop(p):
    t = 0.0
    for k in p:
        t = t + p[k] * p[k]
    return t


@case({'a': 1.0, 'b': 2.0})
def dictwhole(p):
    q = p
    return q['a'] * q['b']


@case(V)
def rev(x):
    t = 0.0
    for v in reversed(x):
        t = t * 0.5 + v
    return t


@case(V)
def compr(x):
    return sum([v * v for v in x if v > 0])


@case(V)
def genexp(x):
    return sum((v * w for v, w in zip(x, x[1:])))


@case(1.3, 2.0, wrt=(0, 1))
def pows(x, n):
    return x ** n + n ** x + x ** 2 + x ** (-1) + x ** 0.5 + 2.0 ** x


@case(0.0, 2.0, wrt=(0, 1))
def pows0(x, n):
    return x ** n + x ** 2


@case(V)
def printing(x):
    print('hi', x[0])
    assert len(x) == 3
    return x[0] * x[1]


@case(V)
def bool_mult(x):
    return (x > 0) * x + (x[0] > 0) * x[1]


@case(V)
def inner_func(x):

    def g(a, b=2.0):
        return a * b
    return g(x[0]) + g(x[1], x[2])


@case(V)
def inplace_alias_arg(x):
    y = x
    y = y * 2
    y[0] = 1.0
    return x * y


@case(V)
def loopvar(x):
    for v in x:
        pass
    return v * x[0]


@case([0.5, -1.2, 2.0])
def listzip(xs):
    s = 0.0
    for i, (a, b) in enumerate(zip(xs, xs)):
        s += a * b * (i + 1)
    return s


@case(V)
def ziprange(x):
    s = 0.0
    for p in zip(range(3), x):
        s += p[0] * p[1]
    return s


@case(V)
def ziplist(x):
    ps = list(zip(range(3), x))
    s = 0.0
    for i, v in ps:
        s += i * v * v
    return s


@case([0.5, -1.2, 2.0])
def unpackarg(p):
    a, b, c = p
    return a * b + c


@case([[1.0, 2.0], [3.0, 4.0]])
def nestarg(p):
    t = 1.0
    for row in p:
        for v in row:
            t = t * v + v
    return t


@case([0.5, -1.2, 2.0])
def indexarg(p):
    t = 0.0
    for i in range(len(p)):
        t += p[i] * p[i - 1]
    return t


@case(V)
def tuple_of_tuples(x):
    (a, b), c = ((x[0], x[1]), x[2])
    return a * b * c


@case(V)
def unpack_array(x):
    a, b, c = x * x
    return a * b - c


@case(M)
def unpack_rows(m):
    a, b = m
    return a * b


@case(V)
def boolean_number(x):
    n = 0
    for v in x:
        n += v > 0
    return n * x[0]


@case(V)
def maybe(x):
    if x[0] > 0.2:
        y = x * 2
    t = 0.0
    for i in range(2):
        t = t + y[i]
        y = y * x[0]
    return t


@case(V)
def maybe2(x):
    for i in range(3):
        if i > 0:
            z = w * x[i]
        w = x * 1.0
        w[0] = 3.0
    return z


@case(V)
def while_flag(x):
    done = False
    t = x[0]
    n = 0
    while not done:
        t = t * 1.5 + x[1]
        n += 1
        done = n > 3 or t < -10
    return t


@case(V)
def view_written(x):
    y = x * 2
    v = y[1:]
    v[0] = x[0] ** 2
    y[2] = v[0] * y[1]
    return y * y


@case(V)
def alias_written(x):
    y = x * 2
    z = y
    z[0] = x[1] * x[2]
    y += x
    return z * y


@case(V)
def alias_iadd(x):
    y = x * 1.0
    z = y
    y += z * x
    y *= z
    y **= 2
    return z


@case(V)
def lists_alias(x):
    xs = [x[0], x[1]]
    ys = xs
    ys[0] = x[2] * x[1]
    ys.append(xs[0] * 2)
    return sum(xs) * ys[2]


@case(V)
def param_view(x):
    v = x[::2]
    v *= x[1]
    x[1] = v[0]
    return x


@case(V)
def cond_view(x):
    y = x * 2
    z = x * 3
    v = y if x[0] > 0 else z
    v[0] = x[1] ** 2
    return y * z


@case(M)
def two_level(m):
    y = m * 1.0
    r = y[0]
    s = r[1:]
    s[0] = m[1, 1] * 2
    y[0, 2] = s[0] * r[0]
    r += s[1]
    return y


@case(V)
def swap_views(x):
    y = x * 1.0
    a = y[:2]
    b = y[1:]
    for _ in range(3):
        a[0] = b[1] * x[0]
        a, b = (b, a)
    return y


@case(V)
def newview_in_list(x):
    y = x * 1.0
    vs = [y[:1], y[1:]]
    vs[1][0] = x[0] * x[0]
    return y * 2


@case(V)
def dead_view_store(x):
    y = x * 1.0
    v = y[:2]
    v[1] = x[0] * 4
    v = x * 2
    return y
