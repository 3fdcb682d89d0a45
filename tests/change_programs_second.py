"""Programs over containers as people write them: the second part of the table of test_item_changes."""
# ruff: noqa: B007, B905, E501, F401

import math
from collections import Counter, OrderedDict, defaultdict

import numpy as np

v0 = np.array([0.3, 1.2, -0.7, 0.9, 2.1])
m0 = np.array([[0.3, 1.2, -0.7], [0.9, 2.1, 0.4], [1.3, -0.2, 0.6]])
x0 = 0.7


def do_set_comprehension(x):
    s = {x ** k for k in (1, 2, 3)}
    return sum(s) * len(s)


def do_seen_marks(v, idx):
    seen = set()
    t = 0.0
    for i in idx:
        if i in seen:
            continue
        seen.add(i)
        t += v[i] ** 2
    return t / len(seen)


def do_set_list_active(v):
    s = set([v[0], v[1], v[0]])
    return sum(s)


def do_sorted_set(v):
    s = sorted({v[0], v[1], v[2], v[0]})
    return s[0] * s[1] + s[2]


def do_set_of_ints_display_with_loop(v):
    s = {0, 2, 3}
    t = 0.0
    for i in s:
        t += v[i] ** 2
    return t


def do_set_ops(v):
    a = {0, 1, 2}
    b = {2, 3}
    t = 0.0
    for i in sorted(a | b):
        t += v[i] ** 2
    for i in a & b:
        t *= v[i]
    return t


def do_sorted_row_later_written(v):
    rows = [[v[0] * 1.0, v[1], v[2]], [v[3], v[4], v[0]]]
    s = sorted(rows[0])
    rows[0][0] = 5.0 * v[3]
    return s[0] * s[1] * 2.0 + s[2] ** 2 + rows[0][0] * rows[1][1]


def do_row_replaced_by_other_length_negative_index(v):
    rows = [[v[0], v[1]], [v[2]]]
    rows[0][1] = v[3] * v[1]
    t = rows[0][-1] * 2.0
    rows[0] = [1.0, 2.0, 3.0]
    rows[0][2] = v[4] ** 2
    return t + rows[0][-1] * rows[1][0]


def do_rows_param_twice_the_same(rows):
    rows[0][0] = rows[0][1] * 2.0
    return rows[1][0] * rows[0][1]


def do_append_while_iterating_rows(v):
    g = [[] for _ in range(3)]
    for i in range(3):
        g[i].append(v[i] ** 2)
        g[(i + 1) % 3].append(v[i] * v[4])
    t = 0.0
    for row in g:
        for x in row:
            t = t * 0.5 + x
    return t


def do_nested_pop(v):
    g = [[], []]
    for i in range(5):
        g[i % 2].append(v[i] * v[i])
    a = g[0].pop()
    b = g[1].pop()
    return a * b + sum(g[0]) * sum(g[1])


def do_dict_list_pop(v, keys):
    g = {}
    for k, x in zip(keys, v):
        g.setdefault(k, []).append(x * x)
    last = g['a'].pop()
    return last * sum(g['a']) + len(g['b'])


def do_hist_of_results_dict(v):
    hist = {'x': [], 'y': []}
    x = v[0]
    for i in range(1, 5):
        x = math.sin(x) + v[i]
        hist['x'].append(x)
        hist['y'].append(x * x)
    return np.sum(np.array(hist['x'])) * np.mean(hist['y']) + max(hist['x'])


def do_dict_of_lists_reset(v):
    b = {'a': [], 'b': []}
    t = 0.0
    for ep in range(2):
        for i in range(4):
            key = 'a' if i % 2 == 0 else 'b'
            b[key].append(v[i] * (ep + 1))
        t += sum(b['a']) * sum(b['b'])
        b['a'] = []
        b['b'] = []
    return t


def do_variable_key_reset(v, keys):
    b = {}
    t = 0.0
    for k, x in zip(keys, v):
        if k not in b:
            b[k] = []
        b[k].append(x * x)
        if len(b[k]) == 2:
            t += b[k][0] * b[k][1]
            b[k] = []
    for k in b:
        t += sum(b[k]) ** 2
    return t


def do_hydrology_buckets_per_basin_in_dicts(params, rain):
    basins = ['up', 'mid', 'low']
    store = {b: 10.0 for b in basins}
    flows = {b: [] for b in basins}
    for r in rain:
        inflow = 0.0
        for b in basins:
            s = store[b] + r + inflow
            q = params['k'] * s ** params['n']
            store[b] = s - q
            flows[b].append(q)
            inflow = 0.5 * q
    total = 0.0
    for b in basins:
        total += sum(flows[b])
    return total + store['low'] * flows['mid'][-1]


def do_order_book(p):
    book = [[p[0], 2.0], [p[1], 1.0], [p[2], 4.0]]
    want = 4.5
    cost = 0.0
    while want > 0 and len(book) > 0:
        level = book.pop(0)
        take = min(want, level[1])
        cost += take * level[0]
        want -= take
    return cost


def do_hmm_dict_tables(p):
    states = ('rain', 'sun')
    start = {'rain': p[0], 'sun': 1 - p[0]}
    trans = {'rain': {'rain': p[1], 'sun': 1 - p[1]}, 'sun': {'rain': p[2], 'sun': 1 - p[2]}}
    emit = {'rain': {'walk': p[3], 'shop': 1 - p[3]}, 'sun': {'walk': p[4], 'shop': 1 - p[4]}}
    obs = ['walk', 'shop', 'walk']
    alpha = {s: start[s] * emit[s][obs[0]] for s in states}
    for o in obs[1:]:
        new = {}
        for s in states:
            new[s] = sum(alpha[r] * trans[r][s] for r in states) * emit[s][o]
        alpha = new
    return math.log(sum(alpha.values()))


def do_viterbi_back_pointers(p):
    n = 3
    score = [math.log(p[i]) for i in range(n)]
    back = []
    for t in range(1, 4):
        new = []
        ptr = []
        for j in range(n):
            best = 0
            for i in range(n):
                if score[i] + p[(i * j + t) % 5] > score[best] + p[(best * j + t) % 5]:
                    best = i
            new.append(score[best] + p[(best * j + t) % 5])
            ptr.append(best)
        score = new
        back.append(ptr)
    k = score.index(max(score))
    path = [k]
    for ptr in reversed(back):
        k = ptr[k]
        path.append(k)
    return max(score) + sum(p[i] ** 2 for i in path)


def do_graph_adjacency_dict(w):
    graph = {0: [(1, 0), (2, 1)], 1: [(3, 2)], 2: [(3, 3)], 3: []}
    dist = {0: 0.0}
    for u in (0, 1, 2, 3):
        for v, e in graph[u]:
            d = dist[u] + w[e] ** 2
            if v not in dist or d < dist[v]:
                dist[v] = d
    return dist[3]


def do_union_of_intervals_two_lists(a):
    starts = [a[0], a[2], a[4]]
    ends = [a[1], a[3], a[5]]
    merged = []
    for s, e in zip(starts, ends):
        if merged and s <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], e)
        else:
            merged.append([s, e])
    total = 0.0
    for s, e in merged:
        total += (e - s) ** 2
    return total


def do_minibatch(w, data, batches):
    loss = 0.0
    grads = [np.zeros(2) for _ in batches]
    for b, idx in enumerate(batches):
        for i in idx:
            x, y = data[i]
            err = np.dot(w, x) - y
            grads[b] += err * x
            loss += err ** 2
    return loss + sum(np.sum(g ** 2) for g in grads)


def do_momentum_dict(w):
    params = {'a': w[0], 'b': w[1]}
    vel = {k: 0.0 for k in params}
    for step in range(3):
        grads = {'a': 2 * params['a'], 'b': math.cos(params['b'])}
        for k in params:
            vel[k] = 0.9 * vel[k] + grads[k]
            params[k] -= 0.1 * vel[k]
    return params['a'] * params['b']


def do_memo_dict_recursion_free(x):
    memo = {0: 1.0, 1: x}
    for n in range(2, 8):
        memo[n] = ((2 * n - 1) * x * memo[n - 1] - (n - 1) * memo[n - 2]) / n
    return memo[7]


def do_layers_list_arrays(w):
    layers = [w[:2] * 1.0, w[2:4] * 2.0]
    for i in range(2):
        layers[i] += 0.1 * np.sin(layers[1 - i])
        layers[i] *= 2.0
    return np.sum(layers[0] * layers[1])


def do_shared_array_in_list_must_be_refused_or_right(v):
    z = np.zeros(5)
    xs = [z, z]
    xs[0] += v
    return np.sum(xs[1] * v)


def do_alias_of_item_read_later(v):
    xs = [np.zeros(5), np.ones(5)]
    a = xs[0]
    xs[0] += v
    return np.sum(a * v)


def do_pop_variable_index(v, i):
    xs = [y * y for y in v]
    y = xs.pop(i)
    return y * 3.0 + xs[0] * xs[i]


def do_pop_variable_negative(v, i):
    xs = [y * y for y in v]
    y = xs.pop(i)
    return y * 3.0 + xs[0] * xs[-1] + xs[i] ** 2


def do_del_variable(v, i):
    xs = [y * y for y in v]
    del xs[i]
    return xs[0] * xs[i]


def do_del_in_loop(v):
    xs = [y * y for y in v]
    t = 0.0
    while len(xs) > 1:
        k = len(xs) // 2
        t += xs[k] * xs[0]
        del xs[k]
    return t


def do_slice_assign_grow(v):
    xs = [y * y for y in v]
    xs[1:2] = [v[0], v[1] * v[2]]
    del xs[0:1]
    xs[:1] = []
    return sum(x * (i + 1) for i, x in enumerate(xs))


def do_dict_pop_default(v, keys):
    d = {}
    for k, x in zip(keys, v):
        d[k] = x * x
    t = d.pop('zz', 1.5) * d.pop('a', 0.0)
    return t * sum(d.values()) + len(d)


def do_del_then_get_then_restore(v, keys):
    d = {}
    t = 0.0
    for k, x in zip(keys, v):
        d[k] = d.get(k, 0.0) + x * x
        if d[k] > 1.0:
            t += d[k] ** 2
            del d[k]
            t += d.get(k, 0.25) * x
    return t + sum(d.values())


def do_update_variable_e(v, keys):
    d = {}
    for k, x in zip(keys, v):
        e = {k: x * x}
        d.update(e)
    return sum(y ** 2 for y in d.values())


def do_nested_default(v, keys):
    d = defaultdict(lambda: 1.0)
    for k, x in zip(keys, v):
        d[k] *= x
    return d['a'] * 2.0 + d['b'] + d['q']


def do_setdefault_number(v, keys):
    d = {}
    for k, x in zip(keys, v):
        y = d.setdefault(k, x * x)
        d[k] = y * 0.5 + x
    return sum(y ** 2 for y in d.values())


PROGRAMS = [
    (do_set_comprehension, (x0,), True),
    (do_seen_marks, (v0, [0, 1, 0, 3, 1]), True),
    (do_set_list_active, (v0,), True),
    (do_sorted_set, (v0,), True),
    (do_set_of_ints_display_with_loop, (v0,), True),
    (do_set_ops, (v0,), True),
    (do_sorted_row_later_written, (v0,), True),
    (do_row_replaced_by_other_length_negative_index, (v0,), True),
    (do_rows_param_twice_the_same, ([[1.0, 2.0], [3.0, 4.0]],), True),
    (do_append_while_iterating_rows, (v0,), True),
    (do_nested_pop, (v0,), True),
    (do_dict_list_pop, (v0, ['a', 'b', 'a', 'a', 'b']), True),
    (do_hist_of_results_dict, (v0,), True),
    (do_dict_of_lists_reset, (v0,), True),
    (do_variable_key_reset, (v0, ['a', 'b', 'a', 'a', 'b']), True),
    (do_hydrology_buckets_per_basin_in_dicts, ({'k': 0.2, 'n': 1.1}, [1.0, 0.0, 2.0, 0.5]), True),
    (do_order_book, (np.array([1.0, 1.1, 1.3]),), True),
    (do_hmm_dict_tables, (np.array([0.6, 0.7, 0.4, 0.1, 0.8]),), True),
    (do_viterbi_back_pointers, (np.array([0.6, 0.7, 0.4, 0.1, 0.8]),), False),
    (do_graph_adjacency_dict, (np.array([0.6, 0.7, 0.4, 0.1]),), True),
    (do_union_of_intervals_two_lists, (np.array([0.0, 1.0, 0.5, 1.7, 3.0, 4.2]),), True),
    (do_minibatch, (np.array([0.3, -0.4]), [(np.array([1.0, 2.0]), 0.5), (np.array([0.2, -1.0]), 1.5), (np.array([0.7, 0.3]), -0.5)], [[0, 1], [2, 0]]), True),
    (do_momentum_dict, (np.array([0.3, -0.4]),), True),
    (do_memo_dict_recursion_free, (0.4,), True),
    (do_layers_list_arrays, (v0,), True),
    (do_shared_array_in_list_must_be_refused_or_right, (v0,), True),
    (do_alias_of_item_read_later, (v0,), True),
    (do_pop_variable_index, (v0, 2), True),
    (do_pop_variable_negative, (v0, -2), True),
    (do_del_variable, (v0, 2), True),
    (do_del_in_loop, (v0,), True),
    (do_slice_assign_grow, (v0,), True),
    (do_dict_pop_default, (v0, ['a', 'b', 'e', 'c', 'd']), True),
    (do_del_then_get_then_restore, (v0, ['a', 'b', 'a', 'b', 'a']), True),
    (do_update_variable_e, (v0, ['a', 'b', 'a', 'b', 'a']), True),
    (do_nested_default, (v0, ['a', 'b', 'a', 'b', 'a']), True),
    (do_setdefault_number, (v0, ['a', 'b', 'a', 'b', 'a']), True),
]
