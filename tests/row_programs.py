"""Lists of rows as arguments, second names of parts, keys that loops choose, starred targets, `with`,
`match`, and functions as arguments: what should work, and the ways in which it could go wrong
unseen. Each case is a function, its arguments, and the positions that are differentiated."""

# Written as users write, not as this project does.
# ruff: noqa: B007, B008, B905, E501, E731, I001, RUF007, RUF059, SIM108, UP

import contextlib

import numpy as np
from case_lists import case_list

from function_programs import s

CASES, case = case_list()


rng = np.random.default_rng(1)
R = lambda *sh: rng.normal(size=sh) * 0.7
P = [(R(3, 2), R(2)), (R(2, 2), R(2)), (R(2, 1), R(1))]
D = [{'W': w, 'b': b} for w, b in P]
X = R(2, 3)


@case(P, X)
def pairs(params, x):
    for W, b in params:
        x = np.tanh(x @ W + b)
    return np.sum(x)


@case(P, X)
def pairs_slice(params, x):
    for W, b in params[:-1]:
        x = np.tanh(x @ W + b)
    W, b = params[-1]
    return np.sum((x @ W + b) ** 2)


@case(P, X)
def pairs_star(params, x):
    *hidden, last = params
    for W, b in hidden:
        x = np.tanh(x @ W + b)
    W, b = last
    return np.sum((x @ W + b) ** 2)


@case(P, X)
def pairs_star2(params, x):
    first, *mid, last = params
    x = np.tanh(x @ first[0] + first[1])
    for W, b in mid:
        x = np.tanh(x @ W + b)
    return np.sum((x @ last[0] + last[1]) ** 2)


@case(D, X)
def dicts(params, x):
    for layer in params:
        x = np.tanh(x @ layer['W'] + layer['b'])
    return np.sum(x)


@case(D, X)
def dicts_len(params, x):
    for layer in params:
        x = np.tanh(x @ layer['W'] + layer['b']) * len(layer)
    return np.sum(x) * len(params)


@case(P, X)
def index(params, x):
    for i in range(len(params)):
        W, b = params[i]
        x = x @ W + b
        if i < len(params) - 1:
            x = np.tanh(x)
    return np.sum(x**2)


@case(P, X)
def index_parts(params, x):
    for i in range(len(params)):
        x = np.tanh(x @ params[i][0] + params[i][1])
    return np.sum(x**2)


@case(P, X)
def index_row(params, x):
    for i in range(len(params)):
        layer = params[i]
        x = np.tanh(x @ layer[0] + layer[1])
    return np.sum(x**2)


@case(P, X)
def enum_(params, x):
    for i, (W, b) in enumerate(params):
        x = x @ W + b
        if i < len(params) - 1:
            x = np.tanh(x)
    return np.sum(x**2)


@case(P, X)
def enum_row(params, x):
    for i, p in enumerate(params):
        W, b = p
        x = (x @ W + b) * (i + 1) + p[1]
    return np.sum(x**2)


@case(P, X)
def reversed_(params, x):
    t = 0.0
    for W, b in reversed(params):
        t = t * 2 + np.sum(W) * np.sum(b**2)
    return t


@case(P, X)
def reversed_slice(params, x):
    t = 0.0
    for W, b in params[::-1]:
        t = t * 2 + np.sum(W) * np.sum(b**2)
    return t


@case(P, [(2 * w, b + 1) for w, b in P], wrt=(0, 1))
def zip_two(p, q):
    t = 0.0
    for (W, b), (V, c) in zip(p, q):
        t = t + np.sum(W * V) + np.sum(b * c * b)
    return t


@case(P, [0.5, 1.5, 2.5], wrt=(0, 1))
def zip_list(p, w):
    t = 0.0
    for (W, b), k in zip(p, w):
        t = t + k * np.sum(W * W) + np.sum(b) * k * k
    return t


@case(P, [0.5, 1.5], wrt=(0, 1))
def zip_list_shorter(p, w):
    t = 0.0
    for (W, b), k in zip(p, w):
        t = t + k * np.sum(W * W) + np.sum(b) * k * k
    return t


@case([(0.5, 1.5), (2.5, 3.0), (1.0, 2.0)])
def points(ps):
    t = 0.0
    for (x, y), (u, v) in zip(ps[:-1], ps[1:]):
        t += (x - u) ** 2 + (y - v) ** 2 * x
    return t


@case([(0.5, 1.5), (2.5, 3.0), (1.0, 2.0)])
def shoelace(ps):
    t = 0.0
    n = len(ps)
    for i in range(n):
        x, y = ps[i]
        u, v = ps[(i + 1) % n]
        t += x * v - u * y
    return 0.5 * t


@case([(0.5, 1.5), (2.5, 3.0), (1.0, 2.0)])
def point_names_swap(ps):
    t = 0.0
    x = 1.0
    for i in range(3):
        x, y = ps[i]
        y, x = ps[2 - i]
        t += x * y * y
    return t * x


@case([(0.5, 1), (2.5, 3), (1.0, 2)])
def mixed_ints(ps):
    t = 0.0
    for x, n in ps:
        t += x**n
    return t


@case(P, X)
def twice(params, x):
    t = sum(np.sum(W**2) for W, b in params)
    for W, b in params:
        x = np.tanh(x @ W + b)
    return np.sum(x) + 0.1 * t + 0.1 * sum(np.sum(b**2) for _, b in params)


@case(P, X)
def written_in_loop(params, x):
    for W, b in params:
        W = W * 2
        b = b + 1
        x = np.tanh(x @ W + b)
    return np.sum(x)


@case(P, X)
def written_in_place(params, x):
    for W, b in params:
        W[0] = 1.0
        x = np.tanh(x @ W + b)
    return np.sum(x)


@case(P, X)
def break_(params, x):
    for W, b in params:
        if W.shape[1] == 1:
            break
        x = np.tanh(x @ W + b)
    return np.sum(x)


@case(P, X)
def return_(params, x):
    for i, (W, b) in enumerate(params):
        x = np.tanh(x @ W + b)
        if i == 1:
            return np.sum(x**2)
    return np.sum(x)


@case(P, X)
def after_loop_value(params, x):
    for W, b in params:
        x = np.tanh(x @ W + b)
    return np.sum(x) + np.sum(W**2) * np.sum(b)


@case({'layers': P, 'scale': 0.5}, X)
def nested(p, x):
    for W, b in p['layers']:
        x = np.tanh(x @ W + b)
    return p['scale'] * np.sum(x)


@case({'layers': P, 'scale': 0.5}, X)
def nested_alias(p, x):
    layers = p['layers']
    for W, b in layers[1:]:
        x = x[:, :2] @ W + b
    return p['scale'] * np.sum(x) * np.sum(layers[0][0])


@case({'a': {'w': 0.5, 'b': 1.5}, 'c': {'w': 2.0, 'b': 3.0}})
def alias_dict(p):
    q = p['a']
    r = p['c']
    return q['w'] * r['b'] + q['b'] ** 2 * r['w']


@case({'a': {'w': 0.5, 'b': 1.5}, 'c': {'w': 2.0, 'b': 3.0}}, True)
def alias_branch(p, c):
    if c:
        q = p['a']
    else:
        q = p['c']
    return q['w'] * q['b']


@case({'a': {'w': 0.5, 'b': 1.5}, 'c': {'w': 2.0, 'b': 3.0}})
def alias_rebound(p):
    q = p['a']
    t = q['w']
    q = p['c']
    return t * q['b']


@case({'a': {'w': 0.5, 'b': 1.5}, 'c': {'w': 2.0, 'b': 3.0}})
def alias_written(p):
    q = p['a']
    q['w'] = q['w'] * 2
    return p['a']['w'] * q['b']


@case({'a': [0.5, 1.5]})
def alias_list_written(p):
    q = p['a']
    q[0] = q[0] * 3
    return p['a'][0] * q[1]


@case({'a': [0.5, 1.5]})
def alias_list_append(p):
    q = p['a'][:]
    q.append(q[0] * 2)
    return q[2] * q[1] * len(q) * len(p['a'])


@case(P)
def rows_append(p):
    q = p[:-1]
    q.append(p[0])
    return sum(np.sum(W**2) for W, b in q)


@case(P)
def rows_store(p):
    q = p[:]
    q[0] = p[1]
    return sum(np.sum(W**2) for W, b in q)


@case({'a': np.array([0.5, 1.5]), 'b': {'c': np.array([1.0, 2.0])}})
def alias_array_written(p):
    q = p['b']
    q['c'][0] = p['a'][1] ** 2
    return np.sum(p['b']['c'] ** 2)


@case({'enc': {'W': R(3, 2), 'b': R(2)}, 'dec': {'W': R(2, 3), 'b': R(3)}}, X)
def loop_keys(p, x):
    for name in ('enc', 'dec'):
        x = np.tanh(x @ p[name]['W'] + p[name]['b'])
    return np.sum(x)


@case({'W0': R(3, 2), 'W1': R(2, 3)}, X)
def fstring(p, x):
    for i in range(2):
        x = np.tanh(x @ p[f'W{i}'])
    return np.sum(x)


@case({'W1': R(3, 2), 'W2': R(2, 3)}, X)
def strkeys(p, x):
    for i in range(2):
        x = np.tanh(x @ p['W' + str(i + 1)])
    return np.sum(x)


@case({'W1': R(3, 2), 'W2': R(2, 3)}, X)
def coursera(p, x):
    L = len(p)
    for i in range(1, L + 1):
        x = np.tanh(x @ p['W' + str(i)])
    return np.sum(x)


@case({'a': 0.5, 'b': 1.5})
def dcomp(p):
    q = {k: v * v for k, v in p.items()}
    return q['a'] * q['b']


@case({'a': 0.5, 'b': 1.5})
def dcomp_cond(p):
    q = {k: v * v for k, v in p.items() if k != 'a'}
    return sum(q.values()) * p['a']


@case({'a': 0.5, 'b': 1.5})
def dcomp_values(p):
    q = {k: v * v for k, v in p.items()}
    return sum(q.values()) * q['a']


@case({'a': 0.5, 'b': 1.5}, {'a': 1.0, 'b': 2.0}, wrt=(0, 1))
def dcomp_two(p, g):
    q = {k: p[k] - 0.1 * g[k] for k in p}
    return q['a'] * q['b']


@case({'a': 0.5, 'b': 1.5})
def dcomp_result(p):
    return {k: v * v for k, v in p.items()}


@case({'a': 0.5, 'b': 1.5})
def sgd(p):
    for _ in range(3):
        g = {k: 2 * v for k, v in p.items()}
        p = {k: v - 0.1 * g[k] * v for k, v in p.items()}
    return p['a'] * p['b']


@case(0.5)
def dcomp_range(x):
    d = {k: x**k for k in range(4)}
    return d[3] + d[1]


@case(0.5)
def daccum(x):
    out = {}
    for k in ('a', 'b'):
        out[k] = x * len(k)
    return out['a'] * out['b']


@case(0.5)
def daccum_branch(x):
    out = {'a': 0.0, 'b': 0.0}
    for k in ('a', 'b', 'a'):
        if k == 'a':
            out[k] = out[k] + x * x
        else:
            out[k] = x
    return out['a'] * out['b']


@case(0.5)
def dloop_nested(x):
    out = {'a': x, 'b': 2 * x}
    t = 0.0
    for i in range(3):
        for k in ('a', 'b'):
            out[k] = out[k] * x + i
            t += out[k]
    return t


@case(0.5)
def dzip(x):
    d = dict(zip(['a', 'b'], [x, x * x]))
    return d['a'] * d['b']


@case(0.5)
def key_after(x):
    d = {'a': x, 'b': x * x}
    t = 0.0
    for k in ('a', 'b'):
        t += d[k]
    return t * d[k]


@case(0.5)
def key_lists(x):
    d = {'a': x, 'b': x * x}
    ws = [x, 3.0]
    t = 0.0
    for k, w in zip(('a', 'b'), ws):
        t += d[k] * w
    return t


@case(0.5)
def key_changed_in_loop(x):
    d = {'a': x, 'b': x * x}
    w = x
    t = 0.0
    for k, v in zip(('a', 'b'), (w, 2.0)):
        w = w * 5
        t += d[k] * v * w
    return t


# star
@case(0.5)
def star(x):
    a, *r = [x, x * x, 3 * x]
    return a + r[0] * r[1]


@case(np.array([0.5, 1.5, 2.5]))
def star_array(x):
    a, *r = x
    return a * sum(r) * len(r)


@case(np.array([0.5, 1.5, 2.5]))
def star_array_mid(x):
    a, *r, b = x
    return a * b * r[0]


@case(np.array([0.5]))
def star_short(x):
    a, *r, b = x
    return a * b


@case(np.array([0.5, 1.5, 2.5]))
def star_written(x):
    y = x * 1.0
    a, *r = y
    y[1] = 100.0
    return a * r[0]


@case([0.5, 1.5, 2.5])
def star_list_written(x):
    a, *r = x
    r[0] = r[0] * a
    r.append(a)
    return sum(r) * x[1]


@case([(0.5, 1.5, 2.0), (2.5, 3.0, 1.0)])
def star_loop(ps):
    t = 0.0
    for x, *r in ps:
        t += x * r[0] * r[1]
    return t


# with
@case(0.5)
def err(x):
    with np.errstate(all='ignore'):
        y = np.log(x) / x
    return y * x


@case(np.array([0.5, 0.0, 2.0]))
def err_return(x):
    with np.errstate(divide='ignore', invalid='ignore'):
        if x[0] > 0.2:
            return np.sum(np.where(x > 0, np.log(x + (x <= 0)), 0.0))
        y = x * x
    return np.sum(y)


@case(0.5)
def err_raise(x):
    with np.errstate(all='raise'):
        y = np.log(x)
    return y


@case(0.5)
def err_loop(x):
    t = 0.0
    for i in range(3):
        with np.errstate(all='ignore'), contextlib.nullcontext(i) as k:
            t += np.log(x + k)
            if t > 5:
                break
    return t


def helper(x):
    with np.errstate(invalid='ignore'):
        return np.sqrt(x) * x


@case(0.5)
def err_helper(x):
    return helper(x) * helper(2 * x)


# match
@case(0.5, 'b')
def m_value(x, kind):
    match kind:
        case 'a':
            return x
        case 'b' | 'c':
            return x * x
        case _:
            return x**3


@case(0.5, 7)
def m_capture(x, n):
    match n:
        case 1:
            y = x
        case 2:
            y = x * x
        case k if k > 5:
            y = x**k
        case k:
            y = x * k
    return y


@case(0.5, 7)
def m_none(x, n):
    y = x
    match n:
        case None:
            y = x * 5
        case 3:
            y = x * 6
    return y


@case(0.5, 2.0)
def m_seq(x, p):
    match (x, p):
        case (a, 2.0):
            return a * a
        case (a, b):
            return a * b


@case(0.5, 2)
def m_loop(x, n):
    y = x
    for i in range(4):
        match i % 3:
            case 0:
                y = y * x
            case 1:
                continue
            case _:
                y = y + x
    return y


# imports


def imp_helper(x):
    import math as np

    return np.sin(x)


# function arguments
@case(s, 0.5, wrt=(1,))
def farg(g, x):
    return g(x) * x


@case(np.sin, 0.5, wrt=(1,))
def farg_lib(g, x):
    return g(x) * x


@case(np, 0.5, wrt=(1,))
def farg_module(xp, x):
    return xp.sin(x) * xp.exp(x)


@case(np.tanh, 0.5, wrt=(1,))
def farg_in_branch(g, x):
    h = g if x > 0 else np.cos
    return h(x)


@case(np.tanh, 0.5, wrt=(1,))
def farg_none(g, x):
    if g is None:
        g = np.sin
    return g(x)


@case(np.tanh, 0.5, wrt=(1,))
def farg_rebound(g, x):
    y = g(x)
    g = y * 2
    return g * x


def rk(f, y, h, *a):
    return y + h * f(y + h / 2 * f(y, *a), *a)


@case(lambda y, k: -k * y * y, 0.5, wrt=(1,))
def farg_rk(f, k):
    y = 1.0
    for i in range(3):
        y = rk(f, y, 0.1, k)
    return y


class M:
    def __init__(self, w, act):
        self.w = w
        self.act = act

    def __call__(self, x):
        return self.act(self.w * x)


@case(M(0.5, np.tanh), 0.7, wrt=(1,))
def fattr(m, x):
    return m(x) * m.act(x)


MG = M(0.5, np.tanh)


@case(0.7)
def fattr_global(x):
    return MG(x) * MG.act(x)


def dflt(x, g=np.sin, n=len('abc')):
    return g(x) * n


@case(0.7)
def fdefault(x):
    return dflt(x) + dflt(x, np.cos)


@case(0.7)
def fdefault_own(x, g=np.sin):
    return g(x)
