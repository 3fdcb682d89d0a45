"""Programs over containers as people write them: the fourth part of the table of test_item_changes."""
# ruff: noqa: E501, F401

import math
from collections import Counter, OrderedDict, defaultdict

import numpy as np

v0 = np.array([0.3, 1.2, -0.7, 0.9, 2.1])
m0 = np.array([[0.3, 1.2, -0.7], [0.9, 2.1, 0.4], [1.3, -0.2, 0.6]])
x0 = 0.7


def do_copyto_where_scalar(v):
    y = v * 2.0
    np.copyto(y, 0.0, where=v < 1.0)
    return np.sum(y ** 2)


def do_reshape_store(v):
    y = v * 1.0
    z = y.reshape(5, 1)
    z[1, 0] = v[0] ** 2
    return np.sum(y ** 2)


def do_ravel_store(m):
    y = m * 1.0
    z = y.ravel()
    z[2] = m[0, 0] ** 2
    return np.sum(y ** 2)


def do_flat_store(m):
    y = m * 1.0
    y.flat[2] = m[0, 0] ** 2
    return np.sum(y ** 2)


def do_flat_range(m):
    y = m * 1.0
    y.flat[::4] += m[0]
    return np.sum(y ** 2)


def do_reshape_1_store(m):
    y = m * 1.0
    y.reshape(-1)[3] = 2.0 * m[0, 0]
    return np.sum(y ** 2)


def do_loop_over_flat_views(v):
    y = np.zeros((2, 3))
    flat = y.reshape(-1)
    for i in range(5):
        flat[i] += v[i] ** 2
    return np.sum(y[0]) * np.sum(y[1])


def do_reshape(v):
    y = v[:4] * 1.0
    z = y.reshape(2, 2)
    z += v[4]
    z[0] *= 2.0
    return np.sum(y ** 2)


def do_and(v):
    st = []
    t = 0.0
    for x in v:
        if st and st[-1] < x:
            t += st[-1] * x * 2.0
        else:
            t += x * x
        st.append(x)
    return t


def do_plain(v):
    st = []
    t = 0.0
    for x in v:
        if st:
            t += st[-1] * x * 2.0
        else:
            t += x * x
        st.append(x)
    return t


def do_not(v):
    st = []
    t = 0.0
    for x in v:
        if not st:
            t += x * x
        else:
            t += st[-1] * x * 2.0
        st.append(x)
    return t


def do_ternary(v):
    st = []
    t = 0.0
    for x in v:
        y = st[-1] if st else 1.0
        t += y * x
        st.append(x * x)
    return t


def do_or(v):
    d = {}
    t = 0.0
    for x in v:
        if x > 1.0 or d:
            t += x * x
        else:
            t += 3.0 * x
        d[0] = x
    return t


PROGRAMS = [
    (do_copyto_where_scalar, (v0,), True),
    (do_reshape_store, (v0,), True),
    (do_ravel_store, (m0,), True),
    (do_flat_store, (m0,), True),
    (do_flat_range, (m0,), True),
    (do_reshape_1_store, (m0,), True),
    (do_loop_over_flat_views, (v0,), True),
    (do_reshape, (v0,), True),
    (do_and, (v0,), True),
    (do_plain, (v0,), True),
    (do_not, (v0,), True),
    (do_ternary, (v0,), True),
    (do_or, (v0,), True),
]
