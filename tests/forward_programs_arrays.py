"""Programs for forward mode: arrays, views, what is written in place.

Each is a function and arguments at which it is differentiated; tests/test_forward.py runs them."""
# ruff: noqa: B905, B007

import numpy as np

V = np.array([0.5, -1.2, 2.0])
M = np.array([[0.5, -1.2, 2.0], [0.7, -0.3, 1.1]])
PROGRAMS = []  # function, arguments, wrt


def case(*args, wrt=(0,)):
    def register(function):
        PROGRAMS.append((function, args, wrt))
        return function

    return register


@case(M)
def row_views(m):
    m = m.copy()
    for row in m:
        row[0] = row[1] * row[2]
    return np.sum(m ** 2)


@case(V)
def enum_zip(x):
    y = np.zeros(3)
    for i, (a, b) in enumerate(zip(x, x[::-1])):
        y[i] = a * b
    return y


@case(V)
def dict_result(x):
    return {'a': x * 2, 'b': np.sum(x), 'c': 3.0}


@case(1.3)
def array_or_number(x):
    y = 0.0
    for i in range(3):
        y = y + x * np.ones(2)
    return y


@case(V)
def eig(x):
    s = np.outer(x, x) + np.diag(x + 3)
    w, v = np.linalg.eigh(s)
    return np.sum(w ** 2) * w[0] + np.abs(v[0, 0])


@case(V)
def eig_index(x):
    s = np.outer(x, x) + np.diag(x + 3)
    return np.linalg.eigh(s)[0][1]


@case(V)
def slog(x):
    sign, log = np.linalg.slogdet(np.outer(x, x) + np.eye(3))
    return sign * log


@case(np.array([1.0, 2, 3, 4, 5, 6]))
def splits(x):
    a, b = np.split(x, 2)
    return a * b


@case(np.array([1.0, 2, 3, 4, 5, 6]))
def splits2(x):
    ps = np.split(x * x, 3)
    return ps[0] * ps[2]


@case(V, V * 2, wrt=(0, 1))
def grid(x, y):
    a, b = np.meshgrid(x, y)
    return np.sum(a * b * a)


@case(V, 1.5)
def one_meshgrid(x, y):
    a, b = np.meshgrid(x, np.array([1.0, 2.0]))
    return a * b


@case(V)
def masks(x):
    y = np.where(x > 0, np.sqrt(np.abs(x)), 0.0)
    return np.sum(y * x)


@case(np.array([0.0, 1.0, 4.0]))
def sqrtsq(x):
    return np.sqrt(x * x)


@case(np.array([1.0, 2.0], dtype=np.float32))
def f32(x):
    return x * 2.5 + np.sum(x)


@case(np.array([1, 2, 3]))
def intarr(x):
    y = x * x
    return np.sum(y ** 2)


@case(np.array([1, 2, 3]))
def intarr2(x):
    return np.array(x, dtype=float) * 2


@case(V)
def astype_int(x):
    return np.sum(x.astype(int) * x)


@case(V)
def fulls(x):
    return np.sum(np.full((2, 3), x) * x[0]) + np.sum(np.full_like(x, x[1]))


@case(V)
def lin(x):
    return np.linspace(x[0], x[1] + 2, 4) * x[2]


@case(V)
def lin2(x):
    return np.linspace(0.0, x[2], 4)


@case(V, np.array([1.0, 2.0]))
def app(x, y):
    return np.append(x, y) * 2


@case(V, np.array([1.0, 2.0]), wrt=(1,))
def concat(x, y):
    return np.concatenate((x, y, [y[0], 3.0])) ** 2


@case(V)
def stk(x):
    return np.stack([x, np.ones(3), x * x]) @ x


@case(V)
def vst(x):
    return np.vstack((x, np.array([1.0, 2, 3])))


@case(V)
def arr(x):
    return np.array([[x[0], 1.0], [x[1] * x[2], 0.0]])


@case(V)
def chain(x):
    u = v = x * 2
    return np.sum(u * v)


@case(V)
def inplace(x):
    y = x * 1.0
    y += x * y
    y *= x
    y /= np.sum(x)
    y **= 2
    return y


@case(V)
def inplace_scalar(x):
    y = x.copy()
    y += x[0]
    y -= 2.0
    y *= 3
    return y


@case(V)
def alias_new(x):
    y = np.zeros(3)
    y[0] = x[0]
    z = y * 1.0
    y[0] = x[1]
    return z * y


@case(M)
def retT(x):
    return x.T


@case(M)
def reduc(m):
    return np.mean(m, axis=0) * np.sum(m, axis=0) + np.std(m, axis=0) + np.max(m, axis=0)


@case(M)
def norms(m):
    return m / np.linalg.norm(m, axis=1, keepdims=True)


@case(V)
def softmax(x):
    e = np.exp(x - np.max(x))
    return e / e.sum()


@case(V)
def srt(x):
    return np.sort(x) * np.array([1.0, 2, 3])


@case(V)
def srt_inplace_loop(x):
    x = x.copy()
    for i in range(3):
        for j in range(2 - i):
            if x[j] > x[j + 1]:
                x[j], x[j + 1] = (x[j + 1], x[j])
    return x * np.array([1.0, 2.0, 3.0])


@case(V)
def fancy(x):
    y = np.zeros(3)
    y[[0, 2, 0]] = x
    y[[1, 1]] += x[:2]
    return y * x[[2, 2, 0]]


@case(V)
def interp(x):
    return np.interp(x[0], np.array([0.0, 1.0, 2.0]), x)


@case(V)
def clip(x):
    return np.clip(x, -1.0, x[0])


@case(V)
def solve(x):
    a = np.diag(x + 3) + 1.0
    return np.linalg.solve(a, x) @ np.linalg.inv(a) @ x + np.linalg.det(a)


@case(V)
def einsum(x):
    return np.einsum('i,j->ij', x, x * 2)


@case(V)
def bcast2(x):
    return x[:, None] + np.ones((3, 2))


@case(2.0)
def bcast3(x):
    return x + np.ones((3, 2))


@case(2.0)
def bcast4(x):
    return np.sum(x + np.ones((3, 2)))


@case(2.0)
def bcast5(x):
    return np.mean(np.maximum(x, np.ones((3, 2))), axis=0)


@case(2.0)
def bcast6(x):
    y = x + np.ones(3)
    y[0] = 5.0
    return y * y


@case(V)
def tup(x):
    t = (x[0], x * 2, 3.0)
    s = 0.0
    for i in range(2):
        s = s + np.sum(t[i])
    return s


@case({'a': 1.0, 'b': V})
def dictarg(p):
    return p['a'] * np.sum(p['b'] ** 2)


@case([V, V * 2])
def listofarr(xs):
    t = 0.0
    for a in xs:
        t = t + np.sum(a * a)
    return t


@case(np.float64(1.5))
def npf(x):
    return np.sin(x) / x


@case(np.array(1.5))
def zerod(x):
    return np.sin(x) * x


@case(V)
def compr2(x):
    return np.array([v * i for i, v in enumerate(x)])


@case(V)
def matpow(x):
    a = np.outer(x, x)
    b = np.eye(3)
    for _ in range(3):
        b = b @ a + 0.1 * b
    return b


@case(V)
def trap(x):
    return np.trapezoid(x, dx=0.5) + np.dot(x, x) * np.vdot(x, x)


@case(V)
def cond_store(x):
    y = np.zeros(3)
    for i in range(3):
        if x[i] > 0:
            y[i] = x[i]
        else:
            y[i] = 0.0
    y[1] = 7.0
    return y * y


@case(V)
def while_arr(x):
    n = 0
    while np.sum(x * x) > 1.0:
        x = x / 2.0
        n += 1
    return x * n


@case(M)
def colassign(m):
    y = np.zeros_like(m)
    y[:, 0] = m[:, 1]
    y[0] = m[1] * 2
    y[..., 2] = m[0, 0]
    return y


@case(V)
def uvswap(x):
    u = x.copy()
    v = np.zeros(3)
    for _ in range(3):
        v[1:-1] = u[:-2] + u[2:]
        u, v = (v, u)
    return u


@case((V, 2.0))
def tupmix(p):
    a, b = p
    return np.sum(a * b)


@case(V)
def zeros_then(x):
    y = np.ones(3)
    for i in range(3):
        if i == 1:
            y = y * x
    return y


@case(V)
def twice(x):
    y = np.zeros(3)
    z = np.zeros(3)
    for i in range(3):
        y[i] = x[i]
        z[i] = 2.0
        y, z = (z, y)
    return y * z


@case(V)
def reshape_sum(x):
    return np.sum(x.reshape(3, 1) * x) + x.mean() * x.max() * x.std()


@case(V)
def methods(x):
    return x.dot(x) * x.cumsum() + x.T.copy().ravel()


@case(V)
def tile(x):
    return np.tile(x, 2) * np.repeat(x, 2) + np.roll(np.tile(x, 2), 1)


@case(V)
def pad(x):
    return np.pad(x, 1) * 2


@case(V)
def kron(x):
    return np.kron(x, x)


@case(V)
def outer2(x):
    return np.outer(x, np.ones(2))


@case(V)
def matmul_mixed(x):
    return np.matmul(np.ones((2, 3)), x) * (x @ x)


@case(V)
def logs(x):
    return np.log(np.abs(x)) + np.log1p(x * x) + np.arctan2(x, 2.0) + np.hypot(x, x[0])


@case(V)
def logsumexp(x):
    return np.log(np.sum(np.exp(x))) + np.logaddexp(x[0], x[1])


@case(V)
def mod(x):
    return x % 1.7 + np.floor(x) * x


@case(V)
def prod(x):
    return np.prod(x) * x


@case(V)
def var(x):
    return np.var(x, ddof=1)


@case(M)
def trans(m):
    y = m * 2
    t = y.T
    t[0, 1] = m[0, 0] * 3
    t *= m.T
    return y


@case(V)
def rows_in_list(x):
    rows = [x * 1.0, x * 2.0]
    r = rows[0]
    r[1] = x[0] * x[2]
    rows[1][:] = r * r
    return np.sum(rows[0] * rows[1])


@case(V)
def zero_base(x):
    y = np.zeros(3)
    v = y[1:]
    v[0] = x[0] * x[1]
    return y * 2


@case(V)
def loop_rows(x):
    y = np.outer(x, x)
    for i in range(3):
        r = y[i]
        r *= x[i]
        r[0] = y[0, 1] * 2
    return y


@case(V)
def inactive_then(x):
    y = np.zeros((2, 3))
    r = y[0]
    r += x
    r = y[1]
    r -= x * x
    return y


@case(2.0)
def number_then_array(x):
    y = 0.0
    for i in range(3):
        y += x + np.ones(3)
    return np.sum(y)


@case(2.0)
def number_then_array2(x):
    y = 1.0
    for i in range(3):
        y *= x * np.ones(3)
        y -= x
    return np.sum(y)


@case(np.array([[1.0, 2.0], [3.0, 4.0]]))
def unpack_fresh(m):
    a, b = m * 1.0
    a[0] = b[1] * m[0, 0]
    return m * a


@case(np.array([[1.0, 2.0], [3.0, 4.0]]))
def loop_fresh(m):
    t = 0.0
    for row in m * 1.0:
        row[0] = row[1] * 2
        t = t + np.sum(row * m)
    return t * m


@case(V)
def arm_fresh(x):
    z = x * 3
    y = x * 1.0 if x[0] > 0 else z
    y[0] = x[1]
    return x * y * z


@case(V)
def store_row_of_list(x):
    xs = [x, x * 2.0]
    t = np.sum(xs[0] * xs[1])
    xs[0] = x * 1.0
    xs[0][0] = 3.0
    return x * xs[0] * t


@case(V, V * 2)
def writes_other(x, y):
    y[0] = 5.0
    return x * y


@case(V)
def out_of_loop_alias(x):
    y = x * 1.0
    for i in range(2):
        z = y * 1.0
        y[i] = z[i] * x[2]
        z[i] = 0.0
    return y * z


@case(2.0)
def number_then_array3(x):
    y = x
    for i in range(2):
        y += np.ones(3)
    return np.sum(y)


@case(2.0)
def zero_slope(x):
    y = np.zeros(2)
    t = x
    y[0] += x ** 0
    t += x ** 0
    t -= np.floor(x)
    y[1] -= t
    return y
