"""Whole programs as their users write them, with arguments and what to differentiate.

Likelihoods, hydrology, orbits, neurons, pricing, control, kinetics, stencils, dynamic programming,
optimisers inside of the objective, classes. Each is in `CASES`: the function, what makes its
arguments, the positions of those that are differentiated."""

# Written as users write, not as this project does.
# ruff: noqa: B007, B905, E501, E731, RUF059

import math
from collections import namedtuple
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

CASES = []
IN_REVERSE_ONLY = {'recursive_tree', 'adaptive_quad'}  # what calls itself has no forward mode


def case(arguments, wrt=(0,)):
    def registered(f):
        CASES.append((f, arguments, wrt))
        return f

    return registered


def random(seed):
    return np.random.default_rng(seed)


def series():
    return np.array([0.3, -0.5, 0.8, 1.1, -0.2, 0.4, 0.9, -1.0])


def rainfall():
    return np.array([5.0, 0.0, 12.0, 3.0, 0.0, 0.0, 8.0, 1.0])


@case(lambda: ({'F': np.array([[1.0, 0.1], [0.0, 0.95]]), 'H': np.array([[1.0, 0.0]]), 'Q': 0.1 * np.eye(2), 'R': np.array([[0.3]])}, series()))
def kalman_dict(model, ys):
    F, H, Q, Rn = (model['F'], model['H'], model['Q'], model['R'])
    m = np.zeros(2)
    P = np.eye(2)
    ll = 0.0
    for y in ys:
        m = F @ m
        P = F @ P @ F.T + Q
        v = y - H @ m
        S = H @ P @ H.T + Rn
        K = P @ H.T @ np.linalg.inv(S)
        m = m + K @ v
        P = (np.eye(2) - K @ H) @ P
        ll -= 0.5 * (np.log(2 * np.pi * S[0, 0]) + v[0] ** 2 / S[0, 0])
    return ll


State = namedtuple('State', ['mean', 'var'])


def predict(s, q):
    return State(s.mean, s.var + q)


def update(s, y, r):
    gain = s.var / (s.var + r)
    return (State(s.mean + gain * (y - s.mean), (1 - gain) * s.var), gain)


@case(lambda: (0.5, 0.3, series()), (0, 1))
def local_level_namedtuple(q, r, ys):
    s = State(0.0, 1.0)
    nll = 0.0
    for t in range(len(ys)):
        s = predict(s, q)
        e = ys[t] - s.mean
        nll += 0.5 * math.log(s.var + r) + 0.5 * e * e / (s.var + r)
        s, _ = update(s, ys[t], r)
    return nll


@case(lambda: (np.array([0.1, 0.2, 0.7]), series()))
def garch(theta, returns):
    omega, alpha, beta = theta
    n = len(returns)
    h = np.empty(n)
    h[0] = np.var(returns)
    for t in range(1, n):
        h[t] = omega + alpha * returns[t - 1] ** 2 + beta * h[t - 1]
    return 0.5 * np.sum(np.log(h) + returns ** 2 / h)


@case(lambda: ({'w': np.array([0.2, -0.3]), 'mu': np.array([-0.5, 0.8]), 'ls': np.array([0.1, -0.2])}, series()))
def mixture(params, x):
    w = np.exp(params['w'])
    w /= w.sum()
    total = 0.0
    for xi in x:
        z = (xi - params['mu']) / np.exp(params['ls'])
        logp = np.log(w) - 0.5 * z ** 2 - params['ls'] - 0.5 * np.log(2 * np.pi)
        m = np.max(logp)
        total += m + np.log(np.sum(np.exp(logp - m)))
    return -total


@case(lambda: (0.4, 1.3, np.array([1.0, 2.0, 0.5, 3.0]), [True, False, True, True]), (0, 1))
def weibull_survival(lam, k, times, observed):
    ll = 0.0
    for t, d in zip(times, observed):
        cum = (lam * t) ** k
        if d:
            ll += np.log(k) + k * np.log(lam) + (k - 1) * np.log(t)
        ll -= cum
    return -ll


class Bucket:

    def __init__(self, capacity, k):
        self.capacity = capacity
        self.k = k
        self.storage = 0.5 * capacity
        self.history = []

    def step(self, rain, pet):
        self.storage += rain
        spill = 0.0
        if self.storage > self.capacity:
            spill = self.storage - self.capacity
            self.storage = self.capacity
        evap = pet * self.storage / self.capacity
        self.storage -= evap
        q = self.k * self.storage
        self.storage -= q
        self.history.append(q + spill)
        return q + spill


@case(lambda: (10.0, 0.2, rainfall(), np.array([1.0, 2.0, 0.5, 3.0, 2, 1, 4, 2.0])), (0, 1))
def bucket_objective(capacity, k, rain, obs):
    b = Bucket(capacity, k)
    sse = 0.0
    for i in range(len(rain)):
        sim = b.step(rain[i], 0.7)
        sse += (sim - obs[i]) ** 2
    return sse


@case(lambda: (10.0, 0.2, rainfall()), (0, 1))
def bucket_history(capacity, k, rain):
    b = Bucket(capacity, k)
    for r in rain:
        b.step(r, 0.7)
    return sum(b.history) / len(b.history) + b.storage


class TwoStore:
    alpha = 0.7

    def __init__(self, p):
        self.p = p
        self.fast = Bucket(p[0], p[1])
        self.slow = Bucket(p[2], p[3])

    def run(self, rain):
        out = np.zeros(len(rain))
        for t, r in enumerate(rain):
            out[t] = self.fast.step(self.alpha * r, 0.1) + self.slow.step((1 - self.alpha) * r, 0.1)
        return out


@case(lambda: (np.array([6.0, 0.4, 20.0, 0.05]), rainfall()))
def two_stores(p, rain):
    model = TwoStore(p)
    q = model.run(rain)
    return np.mean((q - 2.0) ** 2)


def accel(pos, gm):
    r = np.sqrt(np.dot(pos, pos))
    return -gm * pos / r ** 3


@case(lambda: (np.array([1.0, 0.0]), np.array([0.0, 1.1]), 1.0), (0, 1, 2))
def orbit_leapfrog(r0, v0, gm):
    r, v, dt = (r0, v0, 0.05)
    for _ in range(20):
        v_half = v + 0.5 * dt * accel(r, gm)
        r = r + dt * v_half
        v = v_half + 0.5 * dt * accel(r, gm)
    return 0.5 * v @ v - gm / np.linalg.norm(r)


def quat_mul(a, b):
    w1, x1, y1, z1 = a
    w2, x2, y2, z2 = b
    return np.array([w1 * w2 - x1 * x2 - y1 * y2 - z1 * z2, w1 * x2 + x1 * w2 + y1 * z2 - z1 * y2, w1 * y2 - x1 * z2 + y1 * w2 + z1 * x2, w1 * z2 + x1 * y2 - y1 * x2 + z1 * w2])


@case(lambda: (np.array([0.3, 0.5, -0.2]), np.array([1.0, 2.0, 3.0])), (0, 1))
def rigid_body(omega0, inertia):
    q = np.array([1.0, 0.0, 0.0, 0.0])
    w = omega0
    dt = 0.1
    for _ in range(10):
        torque_free = np.cross(inertia * w, w) / inertia
        w = w + dt * torque_free
        dq = quat_mul(q, np.concatenate(([0.0], w)))
        q = q + 0.5 * dt * dq
        q = q / np.linalg.norm(q)
    return q[0] ** 2 + 2 * q[1] * q[3]


@case(lambda: (1.6, 20.0, 0.5), (0, 1, 2))
def lif_neuron(current, tau, reset):
    v = 0.0
    trace = 0.0
    spikes = 0
    for t in range(100):
        v += (current - v) / tau
        if v >= 1.0:
            v = reset
            spikes += 1
            trace += 1.0 * current
        trace *= 0.99
    return trace + v + spikes


@case(lambda: (100.0, 95.0, 0.3, 0.02, 1.0), (0, 1, 2, 3, 4))
def binomial_tree(S, K, sigma, r, T):
    n = 8
    dt = T / n
    u = math.exp(sigma * math.sqrt(dt))
    d = 1 / u
    p = (math.exp(r * dt) - d) / (u - d)
    disc = math.exp(-r * dt)
    values = [max(K - S * u ** j * d ** (n - j), 0.0) for j in range(n + 1)]
    for i in range(n - 1, -1, -1):
        for j in range(i + 1):
            cont = disc * (p * values[j + 1] + (1 - p) * values[j])
            exercise = K - S * u ** j * d ** (i - j)
            values[j] = max(cont, exercise)
    return values[0]


class CartPole:

    def __init__(self, masscart=1.0, masspole=0.1, length=0.5):
        self.masscart = masscart
        self.masspole = masspole
        self.length = length
        self.g = 9.8
        self.state = (0.0, 0.0, 0.05, 0.0)

    @property
    def total(self):
        return self.masscart + self.masspole

    def step(self, force, dt=0.02):
        x, xd, th, thd = self.state
        s, c = (np.sin(th), np.cos(th))
        tmp = (force + self.masspole * self.length * thd ** 2 * s) / self.total
        thacc = (self.g * s - c * tmp) / (self.length * (4.0 / 3.0 - self.masspole * c ** 2 / self.total))
        xacc = tmp - self.masspole * self.length * thacc * c / self.total
        self.state = (x + dt * xd, xd + dt * xacc, th + dt * thd, thd + dt * thacc)
        return self.state


@case(lambda: (np.array([0.1, 0.2, 15.0, 2.0]), 0.5), (0, 1))
def cartpole(gains, length):
    env = CartPole(length=length)
    loss = 0.0
    for t in range(20):
        s = env.state
        force = 0.0
        for g, si in zip(gains, s):
            force += g * si
        x, xd, th, thd = env.step(force)
        if abs(th) > 0.8:
            return loss + 100.0
        loss += x ** 2 + 10 * th ** 2
    return loss


def kinetics(y, k, out):
    out[0] = -k[0] * y[0] + k[2] * y[1] * y[2]
    out[1] = k[0] * y[0] - k[2] * y[1] * y[2] - k[1] * y[1] ** 2
    out[2] = k[1] * y[1] ** 2


def rk4_step(y, k, dt, k1, k2, k3, k4):
    kinetics(y, k, k1)
    kinetics(y + 0.5 * dt * k1, k, k2)
    kinetics(y + 0.5 * dt * k2, k, k3)
    kinetics(y + dt * k3, k, k4)
    y += dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


@case(lambda: (np.array([0.4, 3.0, 1.0]), np.array([1.0, 0.0, 0.0])), (0, 1))
def robertson(k, y0):
    y = y0.copy()
    k1 = np.zeros(3)
    k2 = np.zeros(3)
    k3 = np.zeros(3)
    k4 = np.zeros(3)
    for _ in range(8):
        rk4_step(y, k, 0.1, k1, k2, k3, k4)
    return y[2] + 0.1 * y[0]


@case(lambda: ({'beta': 0.6, 'gamma': 0.2, 'i0': 0.01},))
def sir_dict_state(params):
    state = {'S': 1.0 - params['i0'], 'I': params['i0'], 'R': 0.0}
    peak = 0.0
    for day in range(30):
        new = params['beta'] * state['S'] * state['I']
        rec = params['gamma'] * state['I']
        state['S'] -= new
        state['I'] += new - rec
        state['R'] += rec
        if state['I'] > peak:
            peak = state['I']
    return peak + state['R']


@case(lambda: (random(5).standard_normal((5, 5)), 0.1), (0, 1))
def laplace_gauss_seidel(u, w):
    n, m = u.shape
    for it in range(3):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                u[i, j] = (1 - w) * u[i, j] + w * 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
    return (u ** 2).sum()


@case(lambda: (np.array([1.0, 2.0, 0.5]), np.array([1.5, 0.7, 2.0, 0.1]), 0.3), (0, 1, 2))
def soft_dtw(a, b, gamma):
    n, m = (len(a), len(b))
    D = np.full((n + 1, m + 1), 1000000.0)
    D[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            cost = (a[i - 1] - b[j - 1]) ** 2
            opts = np.array([D[i - 1, j], D[i, j - 1], D[i - 1, j - 1]])
            mn = opts.min()
            D[i, j] = cost + mn - gamma * np.log(np.sum(np.exp(-(opts - mn) / gamma)))
    return D[n, m]


def viterbi_step(score, trans, emit):
    new, back = ([], [])
    for j in range(len(emit)):
        best, arg = (-np.inf, -1)
        for i in range(len(score)):
            s = score[i] + trans[i, j]
            if s > best:
                best, arg = (s, i)
        new.append(best + emit[j])
        back.append(arg)
    return (new, back)


@case(lambda: (random(1).standard_normal((2, 2)), random(2).standard_normal((4, 2))), (0, 1))
def viterbi(trans, emits):
    score = [emits[0, 0], emits[0, 1]]
    for t in range(1, len(emits)):
        score, back = viterbi_step(score, trans, emits[t])
    return max(score)


@case(lambda: (np.array([0.5, -0.3]), 0.1), (0, 1))
def inner_gd(x0, lr):
    x = x0

    def g(z):
        return np.array([2 * (z[0] - 1) + z[1], 4 * z[1] ** 3 + z[0]])
    m = np.zeros(2)
    for i in range(10):
        m = 0.9 * m + g(x)
        x = x - lr * m
        if np.sum(g(x) ** 2) < 1e-08:
            break
    return (x[0] - 1) ** 2 + x[0] * x[1] + x[1] ** 4


class LSTMCell:

    def __init__(self, W, U, b):
        self.W, self.U, self.b = (W, U, b)
        self.h = np.zeros(2)
        self.c = np.zeros(2)

    def step(self, x):
        z = self.W @ x + self.U @ self.h + self.b
        i, f, o, g = (z[:2], z[2:4], z[4:6], z[6:])
        sig = lambda v: 1 / (1 + np.exp(-v))
        self.c = sig(f) * self.c + sig(i) * np.tanh(g)
        self.h = sig(o) * np.tanh(self.c)
        return self.h


@case(lambda: (random(0).standard_normal((8, 3)), random(1).standard_normal((8, 2)), random(2).standard_normal(8), random(3).standard_normal((5, 3))), (0, 1, 2))
def lstm(W, U, b, xs):
    cell = LSTMCell(W, U, b)
    for x in xs:
        out = cell.step(x)
    return out @ out + cell.c.sum()


class Adam:

    def __init__(self, lr=0.1):
        self.lr = lr
        self.m = 0.0
        self.v = 0.0
        self.t = 0

    def update(self, x, g):
        self.t += 1
        self.m = 0.9 * self.m + 0.1 * g
        self.v = 0.99 * self.v + 0.01 * g ** 2
        mh = self.m / (1 - 0.9 ** self.t)
        vh = self.v / (1 - 0.99 ** self.t)
        return x - self.lr * mh / (np.sqrt(vh) + 1e-08)


@case(lambda: (np.array([1.0, -2.0]), 0.05), (0, 1))
def adam_inside(x, lr):
    opt = Adam(lr)
    for _ in range(5):
        x = opt.update(x, 2 * x + np.sin(x))
    return np.sum(x ** 2)


def tree_price(S, K, up, dn, p, r, n):
    if n == 0:
        return max(S - K, 0.0)
    return math.exp(-r) * (p * tree_price(S * up, K, up, dn, p, r, n - 1) + (1 - p) * tree_price(S * dn, K, up, dn, p, r, n - 1))


@case(lambda: (100.0, 98.0, 1.1, 0.92), (0, 1, 2, 3))
def recursive_tree(S, K, up, dn):
    r = 0.01
    p = (math.exp(r) - dn) / (up - dn)
    return tree_price(S, K, up, dn, p, r, 5)


def simpson(f, a, b, depth):
    c = 0.5 * (a + b)
    whole = (b - a) / 6 * (f(a) + 4 * f(c) + f(b))
    if depth == 0:
        return whole
    return simpson(f, a, c, depth - 1) + simpson(f, c, b, depth - 1)


@case(lambda: (0.3, 1.2, 2.0), (0, 1, 2))
def adaptive_quad(a, b, k):

    def g(x):
        return math.exp(-k * x * x)
    return simpson(g, a, b, 3)


def thomas(a, b, c, d):
    n = len(d)
    cp = np.zeros(n)
    dp = np.zeros(n)
    cp[0] = c[0] / b[0]
    dp[0] = d[0] / b[0]
    for i in range(1, n):
        m = b[i] - a[i] * cp[i - 1]
        cp[i] = c[i] / m
        dp[i] = (d[i] - a[i] * dp[i - 1]) / m
    x = np.zeros(n)
    x[-1] = dp[-1]
    for i in reversed(range(n - 1)):
        x[i] = dp[i] - cp[i] * x[i + 1]
    return x


@case(lambda: (np.linspace(1, 2, 6), 0.3), (0, 1))
def crank_nicolson(u, r):
    n = len(u)
    a = np.full(n, -r)
    b = np.full(n, 1 + 2 * r)
    c = np.full(n, -r)
    a[0] = c[-1] = 0.0
    for _ in range(3):
        rhs = u.copy()
        rhs[1:-1] += r * (u[2:] - 2 * u[1:-1] + u[:-2])
        u = thomas(a, b, c, rhs)
    return np.sum(u ** 3)


@case(lambda: (np.linspace(0.5, 1, 8), 0.4), (0, 1))
def double_buffer(u, c):
    a = u.copy()
    b = np.zeros_like(a)
    for t in range(5):
        b[1:] = a[1:] - c * (a[1:] - a[:-1])
        b[0] = a[0]
        a, b = (b, a)
    return np.sum(a ** 2)


@case(lambda: (random(0).standard_normal((3, 3)) + 3 * np.eye(3), np.array([1.0, 2.0, 3.0])), (0, 1))
def gauss_elim(A, b):
    A = A.copy()
    b = b.copy()
    n = len(b)
    for k in range(n):
        p = k + int(np.argmax(np.abs(A[k:, k])))
        if p != k:
            A[[k, p]] = A[[p, k]]
            b[k], b[p] = (b[p], b[k])
        for i in range(k + 1, n):
            f = A[i, k] / A[k, k]
            A[i, k:] -= f * A[k, k:]
            b[i] -= f * b[k]
    x = np.zeros(n)
    for i in range(n - 1, -1, -1):
        x[i] = (b[i] - A[i, i + 1:] @ x[i + 1:]) / A[i, i]
    return x @ x


@case(lambda: (np.array([0.5, 0.3, 0.2]), random(0).random((3, 3)), [0, 2, 1, 1, 0]), (0, 1))
def hmm_forward(pi, A, obs):
    A = A / A.sum(axis=1, keepdims=True)
    B = np.array([[0.7, 0.2, 0.1], [0.1, 0.6, 0.3], [0.2, 0.3, 0.5]])
    alpha = pi * B[:, obs[0]]
    ll = 0.0
    for o in obs[1:]:
        c = alpha.sum()
        ll += np.log(c)
        alpha = alpha / c @ A * B[:, o]
    return ll + np.log(alpha.sum())


class Model:

    def __init__(self, theta):
        self.theta = theta

    def f(self, x):
        raise NotImplementedError

    def loss(self, xs):
        return sum((self.f(x) - np.sin(x)) ** 2 for x in xs)


class Cubic(Model):

    def __init__(self, theta, scale=1.0):
        super().__init__(theta)
        self.scale = scale

    def f(self, x):
        y = 0.0
        for c in self.theta[::-1]:
            y = y * x + c
        return self.scale * y


@case(lambda: (np.array([0.1, 0.9, 0.2, -0.1]), 1.1), (0, 1))
def inheritance(theta, s):
    return Cubic(theta, scale=s).loss([0.1, 0.5, 1.0, 1.5])


@case(lambda: (0.8, 1.5, 25.0), (0, 1, 2))
def cell_state_machine(rate, thr, cap):
    mode, x, out = ('grow', 1.0, [])
    for t in range(12):
        if mode == 'grow':
            x *= 1 + rate
            if x > cap:
                mode = 'decay'
        elif mode == 'decay':
            x /= thr + 1
            if x < thr:
                mode = 'grow'
        out.append(x)
    return sum(out[-3:]) + out[0] * out.pop()


@case(lambda: (1.2, 0.3), (0, 1))
def closure_counter(a, b):
    total = 0.0

    def add(v):
        nonlocal total
        total += a * v
    for i in range(4):
        add(b * i)
        add(total * 0.1 + 1)
    return total


class Gaussian(NamedTuple):
    mu: np.ndarray
    cov: np.ndarray

    def logpdf(self, x):
        d = x - self.mu
        return -0.5 * (d @ np.linalg.solve(self.cov, d)) - 0.5 * np.linalg.slogdet(self.cov)[1]


@case(lambda: (np.array([0.1, 0.2]), np.array([[1.0, 0.2], [0.2, 2.0]])), (0, 1))
def ekf_typed_namedtuple(mu, cov):
    g = Gaussian(mu, cov)
    ll = 0.0
    for y in ([0.3, 0.1], [0.5, -0.2]):
        ll += g.logpdf(np.array(y))
        A = np.array([[1.0, 0.1], [-0.1 * np.cos(g.mu[0]), 1.0]])
        g = g._replace(mu=A @ g.mu, cov=A @ g.cov @ A.T + 0.1 * np.eye(2))
    return ll


@case(lambda: (np.array([0.5, 0.4, 0.3]), series()), (0, 1))
def arma_css(theta, y):
    c, phi, ma = theta
    e = [0.0] * len(y)
    for t in range(1, len(y)):
        e[t] = y[t] - c - phi * y[t - 1] - ma * e[t - 1]
    return sum(ei ** 2 for ei in e)


def grow(y, k):
    y[0] += k
    return y[0] * y[1]


@case(lambda: (np.array([1.0, 2.0]), 0.5), (0, 1))
def twice_in_one_expression(y, k):
    return grow(y, k) * y[0] + grow(y, k * 2) * y[0]


class Tank:
    n_made = 0

    def __init__(self, level):
        self.level = level
        self.outflow = np.zeros(5)

    def route(self, q, k, t):
        self.outflow[t] = k * self.level
        self.level += q - self.outflow[t]
        return self.outflow[t]


@case(lambda: (1.0, 0.3, np.array([1.0, 2.0, 0.0, 3.0, 1.0])), (0, 1, 2))
def tank_cascade(l0, k, q):
    up, down = (Tank(l0), Tank(2 * l0))
    for t in range(5):
        down.route(up.route(q[t], k, t), k * 0.5, t)
    return np.dot(up.outflow, down.outflow) + down.level


@dataclass
class HBV:
    fc: float
    beta: float
    sm: float = 10.0
    snow: float = 0.0

    def step(self, p, temp):
        if temp < 0:
            self.snow += p
            return 0.0
        melt = min(self.snow, 2.0 * temp)
        self.snow -= melt
        wet = p + melt
        rech = wet * (self.sm / self.fc) ** self.beta
        self.sm = min(self.sm + wet - rech, self.fc)
        return rech


@case(lambda: (50.0, 1.7, rainfall()), (0, 1, 2))
def hbv(fc, beta, rain):
    m = HBV(fc, beta)
    q = []
    temps = [-1, 2, 5, -3, 4, 1, 0, 3]
    for p, T in zip(rain, temps):
        q.append(m.step(p, T))
    return sum((a - 0.5) ** 2 for a in q) + m.snow


@case(lambda: (np.array([0.3, 0.2, 0.9, 0.4]), 0.5), (0, 1))
def event_break(x, thr):
    acc, t = (0.0, 0)
    for t, xi in enumerate(x):
        acc += xi * xi
        if acc > thr:
            acc -= thr * xi
            break
        acc *= 1.1
    return acc * (t + 1) + xi


@case(lambda: ([1.0, 2.0, 3.0],))
def prefix_products(xs):
    out = [1.0]
    for x in xs:
        out.append(out[-1] * x)
    out.reverse()
    return out[0] + out[1] * out[2]


@case(lambda: (np.array([0.5, 0.6]), 0.1), (0, 1))
def unscented(mu, s):
    pts = [mu]
    for i in range(2):
        e = np.zeros(2)
        e[i] = s
        pts.append(mu + e)
        pts.append(mu - e)
    w = [1 / 3] + [1 / 6] * 4
    ys = [np.sin(p[0]) * p[1] for p in pts]
    m = sum((wi * yi for wi, yi in zip(w, ys)))
    return sum((wi * (yi - m) ** 2 for wi, yi in zip(w, ys)))


@case(lambda: (np.array([1.0, 0.0, 0.5]), 10.0, 28.0, 8 / 3), (0, 1, 2, 3))
def lorenz_out_param(s, sigma, rho, beta):
    s = s.copy()
    ds = np.empty(3)

    def rhs(s, out):
        out[0] = sigma * (s[1] - s[0])
        out[1] = s[0] * (rho - s[2]) - s[1]
        out[2] = s[0] * s[1] - beta * s[2]
    for _ in range(20):
        rhs(s, ds)
        s[:] = s + 0.01 * ds
    return s.sum()
