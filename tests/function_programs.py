"""Functions as values: passed, returned, kept in tuples, lists and dicts, chosen by tests and keys.

Beside what should work stand the ways in which it could go wrong unseen: variables that change
before the call, loops that change what they call, closures that see later values, effects of
arguments. Each case is a function, its arguments, and the positions that are differentiated."""

# Written as users write, not as this project does.
# ruff: noqa: B905, E731, SIM108, UP

import functools

import numpy as np
from case_lists import case_list

CASES, case = case_list()


def s(t):
    return np.sin(t)


def c2(t):
    return np.cos(t) * t


@case(0.7, 3)
def changes_in_loop(x, n):
    g = s
    y = x
    for i in range(n):
        y = g(y)
        if i == 1:
            g = c2
    return y


@case(0.7, 3)
def changes_then_break(x, n):
    g = s
    for i in range(n):
        if i == 1:
            g = c2
            break
    return g(x)


@case(0.7, 3)
def changes_then_continue(x, n):
    g = s
    y = x
    for i in range(n):
        if i == 0:
            g = c2
            continue
        y = g(y)
    return y


@case(0.7, 3)
def first_in_loop(x, n):
    y = 0.0
    for i in range(n):
        g = s if i % 2 else c2
        y += g(x * i)
    return y


@case(0.7, 3)
def after_loop(x, n):
    for i in range(n):
        g = s if i % 2 else c2
    return g(x)


@case(0.7, 1)
def test_changes_later(x, n):
    g = s if n > 0 else c2
    n = -5
    return g(x)


@case(0.7, 1)
def test_changes_later2(x, n):
    if n > 0:
        g = s
    else:
        g = c2
        n = 7
    n = -5
    return g(x)


@case(0.7, 1)
def nested_if(x, n):
    if n > 0:
        if n > 5:
            g = s
        else:
            g = c2
    else:
        g = np.tanh
    return g(x) * g(2.0)


@case(0.7, 1)
def one_arm(x, n):
    g = s
    if n > 0:
        g = c2
    return g(x)


@case(0.7, 1)
def plain_then_function(x, n):
    g = 2.0 * x
    y = g * g
    g = s
    return g(x) + y


@case(0.7, 1)
def function_then_plain(x, n):
    g = s
    y = g(x)
    g = y * x
    return g


@case(0.7, 1)
def mixed_arms(x, n):
    if n > 0:
        g = s
    else:
        g = 2.0
    return g(x)


@case(0.7, 1)
def maker_then_changed(x, n):
    def make(a):
        return lambda t: a * t

    f = make(x)
    x = x * 3
    return f(x)


@case(0.7, 1)
def maker_twice(x, n):
    def make(a):
        b = a * 2
        return lambda t: b * t

    f = make(x)
    g = make(x * x)
    return f(1.0) + g(1.0) * f(2.0)


@case(0.7, 3)
def maker_in_loop(x, n):
    def make(a):
        return lambda t: a * t

    y = 1.0
    for i in range(n):
        f = make(x + i)
        y = f(y)
    return y


@case(0.7, 3)
def maker_used_next_round(x, n):
    def make(a):
        return lambda t: a * t

    y = 1.0
    f = make(x)
    for i in range(n):
        y = f(y)
        f = make(x + i)
    return y


@case(0.7, 3)
def late_binding(x, n):
    a = 1.0
    f = lambda t: a * t
    a = x
    return f(x)


@case(0.7, 3)
def late_binding_dict(x, n):
    a = 1.0
    d = {'f': lambda t: a * t}
    a = x
    return d['f'](x)


@case(0.7, 3)
def late_binding_loop(x, n):
    fs = []
    a = x
    fs = [lambda t: a * t, lambda t: a + t]
    y = 1.0
    for f in fs:
        y = f(y)
        a = a * 2
    return y


@case(0.7, 3)
def default_binding(x, n):
    a = x
    f = lambda t, a=a: a * t
    g = f
    a = 5.0
    return g(x)


@case(0.7, 3)
def partial_then_changed(x, n):
    def mul(a, b):
        return a * b

    a = x
    f = functools.partial(mul, a)
    a = a * 7
    return f(x) + a


@case(0.7, 3)
def partial_keyword_override(x, n):
    def mul(a, b=1.0, c=2.0):
        return a * b + c

    f = functools.partial(mul, b=x, c=x * x)
    return f(x) + f(x, b=3.0)


@case(0.7, 3)
def partial_of_partial(x, n):
    def mul(a, b, c):
        return a * b - c

    f = functools.partial(functools.partial(mul, x), 2.0)
    return f(x)


@case(np.array([1.0, 2.0, 3.0]), 3)
def partial_array_written(x, n):
    def dot(a, b):
        return np.sum(a * b)

    a = x * 1.0
    f = functools.partial(dot, a)
    a[0] = x[1] ** 2
    return f(x)


@case(np.array([1.0, 2.0, 3.0]), 3)
def tuple_array_written(x, n):
    a = x * 1.0
    layers = [(a, np.sin), (x, np.cos)]
    a[0] = x[1] ** 2
    y = 0.0
    for w, act in layers:
        y = y + np.sum(act(w) * w)
    return y


@case(np.array([1.0, 2.0, 3.0]), 3)
def tuple_array_written_through(x, n):
    a = x * 1.0
    layers = [(a, np.sin), (x, np.cos)]
    w, act = layers[0]
    w[0] = x[1] ** 2
    return np.sum(act(a))


@case(np.array([1.0, 2.0, 3.0]), 3)
def tuple_array_written_through2(x, n):
    a = x * 1.0
    layers = [(a, np.sin), (x, np.cos)]
    layers[0][0][0] = x[1] ** 2
    return np.sum(a * a)


@case(0.7, 3)
def tuple_number_rebound(x, n):
    a = x
    t = (a, s)
    a = 5.0
    return t[1](t[0]) * a


@case(0.7, 'c')
def table_key(x, k):
    d = {'a': s, 'b': c2, 'c': lambda t: x * t}
    return d[k](x)


@case(0.7, 'zz')
def table_missing(x, k):
    d = {'a': s, 'b': c2}
    return d[k](x)


@case(0.7, -1)
def list_negative(x, k):
    return [s, c2, np.tanh][k](x)


@case(0.7, 4)
def list_out(x, k):
    return [s, c2, np.tanh][k](x)


@case(0.7, 5)
def list_in_loop(x, n):
    fs = [s, c2, np.tanh]
    y = x
    for i in range(n):
        y = fs[i % 3](y) + x
    return y


@case(0.7, 'q')
def table_get(x, k):
    d = {'a': s, 'b': c2}
    return d.get(k, np.tanh)(x)


@case(0.7, 5)
def append_function(x, n):
    fs = [s]
    fs.append(c2)
    return fs[1](x)


@case(0.7, 5)
def store_function(x, n):
    fs = [s, s]
    fs[0] = c2
    return fs[0](x)


@case(0.7, 5)
def store_function_dict(x, n):
    fs = {'a': s}
    fs['b'] = c2
    return fs['b'](x)


@case(0.7, 5)
def alias_list(x, n):
    fs = [s, c2]
    gs = fs
    gs[0] = c2
    return fs[0](x)


@case(0.7, 5)
def plus_list(x, n):
    fs = [s, c2]
    fs += [np.tanh]
    return fs[2](x)


@case(0.7, 5)
def loop_break(x, n):
    for f in [s, c2]:
        x = f(x)
        if x > 0.1:
            break
    return x


@case(0.7, 5)
def loop_return(x, n):
    for f in [s, c2]:
        x = f(x)
        if x > 0.1:
            return x * 2
    return x


@case(0.7, 5)
def helper_return(x, n):
    def h(y):
        for f in [s, c2]:
            y = f(y)
            if y > 0.5:
                return y * 2
        return y

    return h(x) * h(0.1 * x)


@case(0.7, 5)
def choice_by_callee(x, n):
    def pick(k):
        if k > 3:
            return s
        return c2

    return pick(n)(x) + pick(1)(x)


@case(0.7, 5)
def choice_by_callee_closure(x, n):
    def pick(k):
        if k > 3:
            return lambda t: k * t * x
        return c2

    f = pick(n)
    n = 2
    return f(x) + pick(1)(x)


@case(0.7, None)
def none_default(x, act):
    def layer(y, act=None):
        if act is None:
            act = np.tanh
        return act(y)

    return layer(x) + layer(x, np.sin)


class A:
    def __init__(self, w, act):
        self.w = w
        self.act = act

    def __call__(self, x):
        return self.act(self.w * x)


@case(0.7, 1)
def object_with_function(x, n):
    a = A(x, lambda t: t * t)
    b = A(x, np.sin if n else np.cos)
    return a(x) + b(x)


@case(0.7, 1)
def object_two_names(x, n):
    a = A(x, s)
    ms = [a, A(2.0, s)]
    a.w = x * 5
    return ms[0](x)


@case(0.7, 1)
def object_in_list_written(x, n):
    a = A(x, s)
    ms = [a, A(2.0, s)]
    ms[0].w = x * 5
    return a(x)


@case(0.7, 1)
def object_rebound(x, n):
    a = A(x, s)
    ms = [a, A(2.0, s)]
    a = A(3.0, s)
    return ms[0](x) + a(x)


@case(0.7, 1)
def object_rebound_mut(x, n):
    a = A(x, s)
    ms = [a, A(2.0, s)]
    ms[1].w = x
    a = A(3.0, s)
    return ms[0](x) + a(x)


@case(0.7, 1)
def object_loop_write(x, n):
    ms = [A(x, s), A(2.0, s)]
    for m in ms:
        m.w = m.w * x
    return ms[0](x) + ms[1](x)


@case(0.7, 1)
def object_same_twice(x, n):
    a = A(x, s)
    for m in (a, a):
        m.w = m.w * x
    return a(x)


@case(0.7, 1)
def object_ternary_shared(x, n):
    a = A(x, s)
    b = A(2 * x, s)
    m = a if n else b
    m.w = m.w * 3
    return a(x) + b(x)


@case(0.7, 0)
def object_ternary_fresh(x, n):
    m = A(x, s) if n else A(2 * x, s)
    m.w = m.w * 3
    return m(x)


@case(0.7, 3)
def object_ternary_loop(x, n):
    y = 0.0
    for i in range(n):
        m = A(x, s) if i > 1 else A(2 * x, s)
        y += m(x)
    return y


@case(0.7, 3)
def nonlocal_function(x, n):
    g = s

    def change():
        nonlocal g
        g = c2

    change()
    return g(x)


@case(0.7, 3)
def walrus_function(x, n):
    y = (g := s)(x)
    return y * g(y)


@case(0.7, 3)
def and_function(x, n):
    g = s
    if n > 1 and (g := c2) is not None:
        pass
    return g(x)


@case(0.7, 3)
def recursive_with_function(x, n):
    def rec(f, y, k):
        if k == 0:
            return y
        return rec(f, f(y) * x, k - 1)

    return rec(s, x, n)


@case(0.7, 3)
def recursive_with_partial(x, n):
    def mul(a, t):
        return a * t

    def rec(f, y, k):
        if k == 0:
            return y
        return rec(f, f(y) * x, k - 1)

    return rec(functools.partial(mul, x), x, n)


@case(0.7, 3)
def swap_functions(x, n):
    f, g = s, c2
    f, g = g, f
    return f(x) * 2 + g(x)


@case(0.7, 3)
def args_with_effects(x, n):
    log = [0.0]

    def push(v):
        log.append(v)
        return v * len(log)

    g = s if n > 1 else c2
    return g(push(x)) + log[-1] * len(log)


@case(0.7, 3)
def comp_functions(x, n):
    ys = [f(x) for f in (s, c2)]
    return ys[0] * ys[1]


@case(0.7, 3)
def zip_functions(x, n):
    y = 0.0
    for f, w in zip((s, c2), (x, 2.0)):
        y += w * f(x)
    return y


@case(0.7, 3)
def enum_functions(x, n):
    y = 0.0
    for i, (f, w) in enumerate([(s, x), (c2, 2.0)]):
        y += w * f(x) * i
    return y


@case(0.7, 3)
def dict_items_functions(x, n):
    y = 0.0
    for name, f in {'a': s, 'b': c2}.items():
        y += len(name) * f(x)
    return y


@case(0.7, 3)
def while_function(x, n):
    g = s
    while x < 3.0:
        x = g(x) * 0.1 + x + 1.5
        g = s
    return x


@case(0.7, 3)
def target_reuse(x, n):
    g = s
    y = g(x)
    for g in range(3):
        y = y * x + g
    return y * g


@case(0.7, 3)
def unpack_reuse(x, n):
    g = s
    y = g(x)
    g, h = np.array([x, 2.0])
    return y * g * h
