"""Containers as people write them: what changes inside of lists and dicts, sets, ufunc methods, views
by reshape.

Each program is held against the oracle, in both modes where forward mode takes it."""
# ruff: noqa: B905, C401, C403, C405, C408, C416, C419, C420, E501, PERF401, PIE800, RET503, RET504, SIM118, SIM401

from __future__ import annotations

import copy
import math
from collections import Counter, OrderedDict, defaultdict

import numpy as np
import oracle
import pytest
import tangent
from tangent.errors import TangentError

v0 = np.array([0.3, 1.2, -0.7, 0.9, 2.1])
m0 = np.array([[0.3, 1.2, -0.7], [0.9, 2.1, 0.4], [1.3, -0.2, 0.6]])
x0 = 0.7


def do_hist_dict_const(x):
    hist = {'v': [], 'w': []}
    v = x
    w = 1.0
    for i in range(4):
        v = v * 0.9 + 0.1 * w
        w = w + 0.3 * v * v
        hist['v'].append(v)
        hist['w'].append(w)
    return sum(hist['v']) + hist['w'][-1] * hist['v'][1]


def do_hist_np_array(x):
    hist = {'v': [], 'w': []}
    v = x
    for i in range(4):
        v = math.sin(v)
        hist['v'].append(v)
        hist['w'].append(v * v)
    a = np.array(hist['v'])
    return np.sum(a * np.array(hist['w'])) + len(hist['v'])


def do_hist_loop_over_const_tuple(x):
    hist = {}
    for k in ('a', 'b'):
        hist[k] = []
    s = {'a': x, 'b': 2 * x}
    for i in range(3):
        for k in ('a', 'b'):
            s[k] = s[k] * s[k] + 0.1
            hist[k].append(s[k])
    return sum(hist['a']) * sum(hist['b'])


def do_setdefault_append_variable_key(v):
    groups = {}
    for i in range(len(v)):
        groups.setdefault(i % 2, []).append(v[i])
    t = 0.0
    for k in groups:
        t += sum(groups[k]) ** 2
    return t


def do_defaultdict_list(v):
    groups = defaultdict(list)
    for i in range(len(v)):
        groups[i % 2].append(v[i])
    t = 0.0
    for k, g in groups.items():
        t += sum(g) ** 2 * (k + 1)
    return t


def do_defaultdict_float(v, keys):
    d = defaultdict(float)
    for k, x in zip(keys, v):
        d[k] += x * x
    return d['a'] * d['b']


def do_defaultdict_float_items_sum(v, keys):
    d = defaultdict(float)
    for k, x in zip(keys, v):
        d[k] += x * x
    return sum(q ** 2 for q in d.values())


def do_counts_dict_get(v, keys):
    n = {}
    for k in keys:
        n[k] = n.get(k, 0) + 1
    t = 0.0
    for k, x in zip(keys, v):
        t += x * x / n[k]
    return t


def do_defaultdict_int_counts(v, keys):
    n = defaultdict(int)
    for k in keys:
        n[k] += 1
    t = 0.0
    for k, x in zip(keys, v):
        t += x * x / n[k]
    return t


def do_counter(v, keys):
    n = Counter(keys)
    t = 0.0
    for k, x in zip(keys, v):
        t += x * x / n[k]
    return t


def do_if_key_not_in_d_d_key(v, keys):
    g = {}
    for k, x in zip(keys, v):
        if k not in g:
            g[k] = []
        g[k].append(x)
    t = 0.0
    for k in sorted(g):
        vals = g[k]
        mean = sum(vals) / len(vals)
        for y in vals:
            t += (y - mean) ** 2
    return t


def do_dict_of_lists_np_mean(v, keys):
    g = {k: [] for k in keys}
    for k, x in zip(keys, v):
        g[k].append(x)
    return sum(np.mean(g[k]) ** 2 for k in g)


def do_dict_of_lists_by_variable_keys_constant_names(v):
    g = {'lo': [], 'hi': []}
    for x in v:
        key = 'lo' if x < 0.5 else 'hi'
        g[key].append(x * x)
    return sum(g['lo']) * sum(g['hi'])


def do_dict_of_floats_constant_names_by_variable_key(v):
    g = {'lo': 0.0, 'hi': 0.0}
    for x in v:
        key = 'lo' if x < 0.5 else 'hi'
        g[key] += x * x
    return g['lo'] * g['hi']


def do_xs_i_e_in_list_of_arrays(v):
    xs = [np.zeros(5) for _ in range(3)]
    for i in range(3):
        xs[i] += v * (i + 1)
    return np.sum(xs[0] * xs[1] * xs[2])


def do_grads_w_dw(v):
    g = {'w': np.zeros(5), 'b': 0.0}
    for i in range(3):
        g['w'] += v * v * i
        g['b'] += np.sum(v)
    return np.sum(g['w']) * g['b']


def do_for_name_in_grads(v):
    g = {'w': np.zeros(5), 'b': np.ones(5)}
    for i in range(3):
        for k in g:
            g[k] += v * v * i
    return np.sum(g['w'] * g['b'])


def do_dict_of_arrays_variable_keys(v, keys):
    g = {}
    for k in keys:
        g[k] = np.zeros(5)
    for i, k in enumerate(keys):
        g[k] += v * i
    t = 0.0
    for k in g:
        t += np.sum(g[k] ** 2)
    return t


def do_arrays_in_list_written_in_place(v):
    rows = [np.zeros(3) for _ in range(2)]
    for i in range(2):
        for j in range(3):
            rows[i][j] = v[i + j] ** 2
    return np.sum(rows[0] * rows[1])


def do_row_rows_i_row_j_e(v):
    rows = [[0.0] * 3 for _ in range(2)]
    for i in range(2):
        row = rows[i]
        for j in range(3):
            row[j] += v[i + j] ** 2
    return sum(a * b for a, b in zip(rows[0], rows[1]))


def do_for_row_in_rows_row_j_e(v):
    rows = [[0.0] * 3 for _ in range(2)]
    for i, row in enumerate(rows):
        for j in range(3):
            row[j] = v[i + j] ** 2
    return rows[0][1] * rows[1][2] + rows[1][0]


def do_row_arrays_for_row_in_list(v):
    rows = [np.zeros(3) for _ in range(2)]
    for i, row in enumerate(rows):
        row += v[i:i + 3]
        row[0] *= 2.0
    return np.sum(rows[0] * rows[1])


def do_zip_rows(v):
    rows = [[v[0], v[1], v[2]], [v[3], v[4], v[0] * v[1]]]
    t = 0.0
    for a, b in zip(*rows):
        t += a * b
    return t


def do_zip_rows_general(v):
    rows = [[v[i] * v[j] for j in range(3)] for i in range(4)]
    t = 0.0
    for col in zip(*rows):
        t += sum(col) ** 2
    return t


def do_transpose_list_map_zip(v):
    rows = [[v[i] * v[j] + i for j in range(3)] for i in range(4)]
    cols = list(map(list, zip(*rows)))
    t = 0.0
    for i in range(3):
        for j in range(4):
            t += cols[i][j] * (i + 2 * j)
    return t * cols[2][1]


def do_transpose_comprehension(v):
    rows = [[v[i] * v[j] + i for j in range(3)] for i in range(4)]
    cols = [list(c) for c in zip(*rows)]
    return sum(cols[0]) * sum(cols[2])


def do_list_of_lists_distinct_rows(v):
    n = 4
    dp = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(n):
            if i == 0 or j == 0:
                dp[i][j] = v[i] * v[j]
            else:
                dp[i][j] += dp[i - 1][j] * 0.5 + dp[i][j - 1] * v[j]
    return dp[n - 1][n - 1]


def do_list_of_lists_row_assigned(v):
    dp = [[0.0] * 3 for _ in range(3)]
    dp[0] = [v[0], v[1], v[2]]
    for i in range(1, 3):
        dp[i][0] = dp[i - 1][0] * v[3]
        for j in range(1, 3):
            dp[i][j] = dp[i][j - 1] + dp[i - 1][j] * v[4]
    return dp[2][2]


def do_dict_pop_const(v):
    d = {'a': v[0], 'b': v[1]}
    q = d.pop('a')
    return q * d['b']


def do_del_d_k_const(v):
    d = {'a': v[0], 'b': v[1]}
    del d['a']
    return sum(d.values())


def do_pop_variable_key(v, keys):
    d = {}
    for k, x in zip(keys, v):
        d[k] = x * x
    t = d.pop(keys[0]) * 3.0
    for k in d:
        t += d[k] ** 2
    return t


def do_del_variable_key(v, keys):
    d = {}
    for k, x in zip(keys, v):
        d[k] = x * x
    del d[keys[1]]
    return sum(d.values())


def do_update_variable(v, keys):
    d = {}
    for k, x in zip(keys, v):
        d.update({k: x * x})
    return sum(d.values())


def do_update_dict(v, keys):
    d = {k: x for k, x in zip(keys, v)}
    e = {k: x * x for k, x in zip(keys[:2], v)}
    d.update(e)
    return sum(y ** 2 for y in d.values())


def do_del_xs_i(v):
    xs = [y * y for y in v]
    del xs[1]
    return xs[0] * xs[1] + xs[2]


def do_xs_a_b_ys(v):
    xs = [y * y for y in v]
    xs[1:3] = [v[0], v[1] * v[2], v[3]]
    return sum(xs) * xs[3]


def do_dict_comprehension_variable_keys(v, keys):
    d = {k: x * x for k, x in zip(keys, v)}
    t = 0.0
    for k in keys:
        t = t * 0.5 + d[k]
    return t


def do_nested_dict_variable_keys(v, names):
    params = {}
    for i, n in enumerate(names):
        params[n] = {'w': v[i], 'b': v[i + 1] ** 2}
    x = 1.0
    for n in names:
        x = x * params[n]['w'] + params[n]['b']
    return x


def do_param_nested_dict_by_variable_key(params, names):
    x = 1.0
    for n in names:
        x = math.tanh(x * params[n]['w'] + params[n]['b'])
    return x


def do_param_dict_by_variable_key(params, names):
    x = 1.0
    for n in names:
        x = math.tanh(x * params[n])
    return x


def do_param_dict_by_f_string_key(params):
    x = np.ones(2)
    for i in range(2):
        x = np.tanh(params[f'w{i}'] * x + params['b' + str(i)])
    return np.sum(x)


def do_set_display_sum(x):
    s = {x, x * x}
    return sum(s)


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


def do_grouped_mean_by_defaultdict_sorted(v, keys):
    g = defaultdict(list)
    for k, x in zip(keys, v):
        g[k].append(x)
    t = 0.0
    for k in sorted(g):
        m = sum(g[k]) / len(g[k])
        t += sum((x - m) ** 2 for x in g[k])
    return t


def do_counter2(v, keys):
    c = Counter()
    for k in keys:
        c[k] += 1
    return sum(v[i] ** 2 / c[k] for i, k in enumerate(keys))


def do_extend_parameter(xs, v):
    xs.extend([v[0] * xs[0]])
    return sum(xs) * xs[-1]


def do_append_to_parameter(xs):
    xs.append(xs[0] * xs[1])
    return xs[2] ** 2


def do_row_second_name_list_of_arrays(v):
    rows = [np.zeros(3) for _ in range(2)]
    for i in range(2):
        row = rows[i]
        for j in range(3):
            row[j] += v[i + j] ** 2
        row *= 2.0
    return np.sum(rows[0] * rows[1])


def do_row_second_name_append(v):
    rows = [[] for _ in range(2)]
    for i in range(5):
        row = rows[i % 2]
        row.append(v[i] ** 2)
    return sum(rows[0]) * sum(rows[1])


def do_row_replaced_after_second_name(v):
    rows = [[v[0], v[1]], [v[2], v[3]]]
    row = rows[0]
    rows[0] = [v[4], v[4]]
    row[0] = v[1] * v[2]
    return row[0] * rows[0][0] + rows[1][1]


def do_set_equal_values(v):
    s = {v[0] * 2, v[1], v[0] + v[0]}
    return sum(s) * v[2] + len(s)


def do_set_comp_max(v):
    s = {x * x for x in v}
    return max(s) * min(s) + sum(s)


def do_set_iteration_order(v):
    t = 0.0
    for x in {v[0] * 3, v[1], v[2] ** 2, v[4]}:
        t = 0.5 * t + x
    return t


def do_set_of_ints_then_index(v):
    s = {3, 1, 2, 1}
    return sum(v[i] ** 2 for i in s)


def do_seen_with_loop_and_len(v, idx):
    seen = set()
    t = 0.0
    for i in idx:
        seen.add(i)
        t += v[i] * len(seen) * v[0]
    for i in sorted(seen):
        t = t * 0.9 + v[i]
    seen.discard(1)
    if 1 not in seen:
        t *= v[2]
    return t


def do_observed_default_dict(v):
    d = defaultdict(float)
    t = 0.0
    for i in range(3):
        t += d[i] * v[i]
        d[i] += v[i] ** 2
    y = d[7]
    return (t + y + sum(d.values())) * len(d)


def do_ordered_dict(v):
    d = OrderedDict()
    d['a'] = v[0]
    d['b'] = v[1] ** 2
    return sum(d.values()) * d['a']


def do_c_order_argument(m):
    z = m.reshape(9)
    z[1] = 7.0 * z[0]
    return np.sum(m ** 2) + np.sum(z ** 3)


def do_view_in_loop_body(m):
    y = m * 1.0
    t = 0.0
    for k in range(3):
        z = y.reshape(-1)
        z[k] = z[k + 1] * m[k, k]
        t += np.sum(y[0]) * z[2]
    return t + np.sum(y ** 2)


def do_base_written_view_read(m):
    y = m * 1.0
    z = y.ravel()
    y[0, 1] = m[2, 2] ** 2
    t = z[1] * 3.0
    z[1] += 1.0
    y *= 2.0
    return t + np.sum(z * 2.0) + np.sum(y ** 2)


def do_view_with_break(m):
    y = m * 1.0
    for k in range(3):
        z = y.reshape(-1)
        z[k] = 2.0 * m[k, k]
        if k == 1:
            break
    return np.sum(y ** 2)


def do_fill_diagonal_rectangular(m):
    y = m[:2] * 1.0
    np.fill_diagonal(y, m[2, 2])
    return np.sum(y ** 2)


def do_slice_assign_list_var(v, i):
    xs = [x * x for x in v]
    ys = [v[0], v[1] * 2]
    xs[i:i + 1] = ys
    return sum(x * i for i, x in enumerate(xs))


def do_pop_index_error(v):
    xs = [x * x for x in v]
    k = len(xs)
    try:
        y = xs.pop(k)
    except IndexError:
        y = 2.0 * v[0]
    return y * xs[1]


def do_dict_of_arrays_second_name(v):
    g = {}
    for k in ('a', 'b'):
        g[k] = np.zeros(5)
    for k in ('b', 'a', 'b'):
        w = g[k]
        w += v * v
        w[0] = v[1]
    return np.sum(g['a'] * g['b'])


def do_zip_star_assign_pairs(v):
    hist = []
    x = v[0]
    for i in range(4):
        x = math.sin(x) + v[i]
        hist.append((x, x * x))
    xs, ys = zip(*hist)
    return sum(xs) * sum(ys) + xs[-1]


def do_list_of_dicts_appended(v):
    out = []
    for i in range(3):
        out.append({'x': v[i], 'y': v[i] ** 2})
    return sum(r['x'] * r['y'] for r in out)


def do_nested_maps_written(v, names):
    d = {}
    for i, a in enumerate(names):
        d[a] = {}
        for j, b in enumerate(names):
            d[a][b] = v[i] * v[j]
    t = 0.0
    for a in names:
        for b in names:
            t += d[a][b] * d[b][a] * (1 if a < b else 2)
    return t


def do_nested_maps_accumulated_second_name(v, names):
    d = {a: {b: 0.0 for b in names} for a in names}
    for i, a in enumerate(names):
        row = d[a]
        for j, b in enumerate(names):
            row[b] += v[i] * v[j]
            d[b][a] += v[j] ** 2
    return d['p']['q'] * d['q']['r'] + d['r']['r']


def do_nested_dict_of_lists(v, names):
    d = {}
    for i, a in enumerate(names):
        d[a] = {}
        for j, b in enumerate(names):
            if b not in d[a]:
                d[a][b] = []
            d[a][b].append(v[i] * v[j])
    return sum(d['p']['q']) * sum(d['q']['r'])


def do_params_nested_variable_keys_matrices(p, names):
    x = np.ones(2)
    for n in names:
        x = np.tanh(p[n]['w'] @ x + p[n]['b'])
    return np.sum(x)


def do_list_of_lists_of_lists_store_row(v):
    g = [[[v[0]], [v[1]]], [[v[2]], [v[3]]]]
    g[0][1] = [v[4], v[4] * v[0]]
    g[1][0].append(v[1])
    return sum(g[0][1]) * sum(g[1][0])


def do_while_stack_of_rows(v):
    stack = [[0, v[0]]]
    t = 0.0
    while stack:
        k, x = stack.pop()
        t += x * x
        if k < 3:
            stack.append([k + 1, x * v[k]])
    return t


def do_maximum_accumulate_ties(v):
    w = np.maximum.accumulate(v[[0, 0, 1, 2, 1]])
    return np.sum(w * np.arange(1.0, 6.0))


def do_mutable_default_list_shared_through_loop_vari(v):
    rows = [[0.0, 0.0] for _ in range(2)]
    for row in rows:
        row[0] = v[0]
        for r2 in rows:
            r2[1] += row[0] * v[1]
    return rows[0][1] * rows[1][1] + rows[1][0]


def do_swap_rows(v):
    rows = [[v[0], v[1]], [v[2], v[3]]]
    rows[0], rows[1] = rows[1], rows[0]
    rows[0][0] = v[4] * v[4]
    return rows[0][0] * rows[1][0] + rows[0][1]


def do_subtract_at(v):
    y = v * 1.0
    np.subtract.at(y, [0, 1, 0], v[2:5])
    return np.sum(y ** 2)


def do_add_at_slice_args(v):
    y = np.zeros((3, 5))
    np.add.at(y, [0, 1, 0], v)
    return np.sum(y ** 3)


def do_add_reduce(v):
    return np.add.reduce(v * v) * v[0]


def do_add_reduce_axis(v):
    m = v[:4].reshape(2, 2)
    return np.sum(np.add.reduce(m, axis=1) ** 2) + np.sum(np.add.reduce(m) ** 3)


def do_multiply_reduce(v):
    return np.multiply.reduce(v) + np.maximum.reduce(v * v) + np.minimum.reduce(v)


def do_add_accumulate(v):
    return np.sum(np.add.accumulate(v) ** 2) + np.sum(np.multiply.accumulate(v))


def do_maximum_accumulate(v):
    return np.sum(np.maximum.accumulate(v) ** 2) + np.sum(np.minimum.accumulate(v) ** 3)


def do_outer(v):
    return np.sum(np.add.outer(v, v * 2) ** 2) + np.sum(np.subtract.outer(v, v) ** 2 * v) + np.sum(np.multiply.outer(v, v)) + np.sum(np.maximum.outer(v, 2 * v[:2]))


def do_place(v):
    y = v * 2.0
    np.place(y, y < 1.0, v[0])
    return np.sum(y ** 2)


def do_putmask(v):
    y = v * 2.0
    np.putmask(y, y < 1.0, y ** 2)
    return np.sum(y ** 2)


def do_putmask_scalar(v):
    y = v * 2.0
    np.putmask(y, y < 1.0, v[1])
    return np.sum(y ** 2)


def do_fill_diagonal(m):
    y = m * 2.0
    np.fill_diagonal(y, m[0, 1])
    return np.sum(y ** 2)


def do_fill_diagonal_vector(m):
    y = m @ m
    np.fill_diagonal(y, m[0])
    return np.sum(y ** 2 * m)


def do_copyto_where(v):
    y = v * 2.0
    np.copyto(y, v ** 2, where=y < 1.0)
    return np.sum(y ** 2)


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
    (do_hist_dict_const, (x0,), True),
    (do_hist_np_array, (x0,), True),
    (do_hist_loop_over_const_tuple, (x0,), True),
    (do_setdefault_append_variable_key, (v0,), True),
    (do_defaultdict_list, (v0,), True),
    (do_defaultdict_float, (v0, ['a', 'b', 'a', 'c', 'b']), True),
    (do_defaultdict_float_items_sum, (v0, ['a', 'b', 'a', 'c', 'b']), True),
    (do_counts_dict_get, (v0, ['a', 'b', 'a', 'c', 'b']), True),
    (do_defaultdict_int_counts, (v0, ['a', 'b', 'a', 'c', 'b']), True),
    (do_counter, (v0, ['a', 'b', 'a', 'c', 'b']), True),
    (do_if_key_not_in_d_d_key, (v0, ['a', 'b', 'a', 'c', 'b']), True),
    (do_dict_of_lists_np_mean, (v0, ['a', 'b', 'a', 'c', 'b']), True),
    (do_dict_of_lists_by_variable_keys_constant_names, (v0,), True),
    (do_dict_of_floats_constant_names_by_variable_key, (v0,), True),
    (do_xs_i_e_in_list_of_arrays, (v0,), True),
    (do_grads_w_dw, (v0,), True),
    (do_for_name_in_grads, (v0,), True),
    (do_dict_of_arrays_variable_keys, (v0, ['a', 'b', 'a', 'c']), True),
    (do_arrays_in_list_written_in_place, (v0,), True),
    (do_row_rows_i_row_j_e, (v0,), True),
    (do_for_row_in_rows_row_j_e, (v0,), True),
    (do_row_arrays_for_row_in_list, (v0,), True),
    (do_zip_rows, (v0,), True),
    (do_zip_rows_general, (v0,), True),
    (do_transpose_list_map_zip, (v0,), True),
    (do_transpose_comprehension, (v0,), True),
    (do_list_of_lists_distinct_rows, (v0,), True),
    (do_list_of_lists_row_assigned, (v0,), True),
    (do_dict_pop_const, (v0,), True),
    (do_del_d_k_const, (v0,), True),
    (do_pop_variable_key, (v0, ['a', 'b', 'e', 'c', 'd']), True),
    (do_del_variable_key, (v0, ['a', 'b', 'e', 'c', 'd']), True),
    (do_update_variable, (v0, ['a', 'b', 'a', 'c', 'd']), True),
    (do_update_dict, (v0, ['a', 'b', 'e', 'c', 'd']), True),
    (do_del_xs_i, (v0,), True),
    (do_xs_a_b_ys, (v0,), True),
    (do_dict_comprehension_variable_keys, (v0, ['a', 'b', 'e', 'c', 'a']), True),
    (do_nested_dict_variable_keys, (v0, ['l1', 'l2', 'l3']), True),
    (do_param_nested_dict_by_variable_key, ({'l1': {'w': 0.3, 'b': 0.1}, 'l2': {'w': -0.3, 'b': 0.7}}, ['l1', 'l2', 'l1']), True),
    (do_param_dict_by_variable_key, ({'l1': 0.3, 'l2': 0.8}, ['l1', 'l2', 'l1']), True),
    (do_param_dict_by_f_string_key, ({'w0': np.array([0.3, 0.2]), 'b0': 0.1, 'w1': np.array([-0.3, 0.2]), 'b1': 0.7},), True),
    (do_set_display_sum, (x0,), True),
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
    (do_grouped_mean_by_defaultdict_sorted, (v0, ['a', 'b', 'a', 'b', 'a']), True),
    (do_counter2, (v0, ['a', 'b', 'a', 'b', 'a']), True),
    (do_extend_parameter, ([1.0, 2.0], v0), True),
    (do_append_to_parameter, ([2.0, 1.0],), True),
    (do_row_second_name_list_of_arrays, (v0,), True),
    (do_row_second_name_append, (v0,), True),
    (do_row_replaced_after_second_name, (v0,), True),
    (do_set_equal_values, (v0,), True),
    (do_set_comp_max, (v0,), True),
    (do_set_iteration_order, (v0,), True),
    (do_set_of_ints_then_index, (v0,), True),
    (do_seen_with_loop_and_len, (v0, [0, 1, 0, 4]), True),
    (do_observed_default_dict, (v0,), True),
    (do_ordered_dict, (v0,), True),
    (do_c_order_argument, (m0.copy(),), True),
    (do_view_in_loop_body, (m0,), True),
    (do_base_written_view_read, (m0,), True),
    (do_view_with_break, (m0,), True),
    (do_fill_diagonal_rectangular, (m0,), True),
    (do_slice_assign_list_var, (v0, 2), True),
    (do_pop_index_error, (v0,), True),
    (do_dict_of_arrays_second_name, (v0,), True),
    (do_zip_star_assign_pairs, (v0,), True),
    (do_list_of_dicts_appended, (v0,), True),
    (do_nested_maps_written, (v0, ['p', 'q', 'r']), True),
    (do_nested_maps_accumulated_second_name, (v0, ['p', 'q', 'r']), True),
    (do_nested_dict_of_lists, (v0, ['p', 'q', 'r']), True),
    (do_params_nested_variable_keys_matrices, ({'l1': {'w': np.array([[0.3, 0.1], [0.2, 0.5]]), 'b': np.array([0.1, 0.2])}, 'l2': {'w': np.array([[0.3, -0.1], [0.7, 0.5]]), 'b': np.array([0.4, 0.2])}}, ['l1', 'l2', 'l1']), True),
    (do_list_of_lists_of_lists_store_row, (v0,), True),
    (do_while_stack_of_rows, (v0,), True),
    (do_maximum_accumulate_ties, (np.array([0.3, 1.2, -0.7]),), True),
    (do_mutable_default_list_shared_through_loop_vari, (v0,), True),
    (do_swap_rows, (v0,), True),
    (do_subtract_at, (v0,), True),
    (do_add_at_slice_args, (v0,), True),
    (do_add_reduce, (v0,), True),
    (do_add_reduce_axis, (v0,), True),
    (do_multiply_reduce, (v0,), True),
    (do_add_accumulate, (v0,), True),
    (do_maximum_accumulate, (v0,), True),
    (do_outer, (v0,), True),
    (do_place, (v0,), True),
    (do_putmask, (v0,), True),
    (do_putmask_scalar, (v0,), True),
    (do_fill_diagonal, (m0,), True),
    (do_fill_diagonal_vector, (m0,), True),
    (do_copyto_where, (v0,), True),
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


@pytest.mark.parametrize(('function', 'args', 'forward'), PROGRAMS, ids=[p[0].__name__ for p in PROGRAMS])
def test_gradient(function, args, forward):
    """Right, twice; the arguments end as the function leaves them."""
    want = oracle.gradient(function, copy.deepcopy(args), (0,))
    left = copy.deepcopy(args)
    function(*left)
    df = tangent.grad(function)
    for _ in range(2):
        given = copy.deepcopy(args)
        assert oracle.error((df(*given),), want) <= 1e-10
        assert oracle.error(given, left) == 0.0
    if not forward:
        with pytest.raises(TangentError):
            tangent.jvp(function)(*copy.deepcopy(args), *copy.deepcopy(args[:1]))
        return
    answer = oracle.differentiate(function, copy.deepcopy(args), (0,))
    move = np.linspace(0.3, 1.1, answer.jacobian.shape[1])
    tangents = oracle.as_gradients(move, copy.deepcopy(args), (0,))
    got = tangent.jvp(function)(*copy.deepcopy(args), *tangents)
    assert abs(got - (answer.jacobian @ move).item()) <= 1e-10



def shared_list(v):
    xs = [v[0]]
    d = {}
    for k in ('a', 'b'):
        d[k] = xs
    for k in ('a', 'b'):
        d[k].append(v[1] * v[2])
    return sum(d['a'])


def repeated_rows(v):
    rows = [[v[0]]] * 3
    rows[0].append(v[1])
    return sum(rows[2]) * v[3]


def repeated_arrays(v):
    xs = [np.zeros(5)] * 2
    xs[0] += v
    return np.sum(xs[1] * v)


def moved_row(v):
    rows = [[v[0], v[1]], [v[2], v[3]]]
    rows.append(rows[0])
    rows[0][0] = v[4] * v[4]
    return rows[2][0] * rows[1][0]


def item_with_a_name(v):
    xs = [np.zeros(5), np.ones(5)]
    a = xs[0]
    b = a[:2]
    xs[0] += v
    return np.sum(b * v[:2]) + v.sum()


def set_with_a_name(v):
    seen = set()
    other = seen
    t = 0.0
    for i in (0, 1, 0):
        if i not in other:
            seen.add(i)
            t += v[i] ** 2
    return t


def set_of_active_values(v):
    s = set()
    for x in v:
        s.add(x * x)
    return sum(s)


def counter_as_a_whole(v):
    c = Counter([1, 2, 1])
    return v[0] * c.most_common(1)[0][0]


REFUSED = [
    shared_list,
    repeated_rows,
    repeated_arrays,
    moved_row,
    set_with_a_name,
    set_of_active_values,
    counter_as_a_whole,
]


@pytest.mark.parametrize('function', REFUSED)
def test_refused_with_its_line(function):
    with pytest.raises(TangentError) as info:
        tangent.grad(function)(v0.copy())
    assert 'test_item_changes.py' in str(info.value)


def test_item_seen_under_a_name():
    """Right or refused, never silently wrong."""
    want = oracle.gradient(item_with_a_name, (v0.copy(),), (0,))
    try:
        got = tangent.grad(item_with_a_name)(v0.copy())
    except TangentError:
        return
    assert oracle.error((got,), want) <= 1e-10


def test_reshaped_argument_in_another_order():
    """A copy for one order, a view for the other: the run decides."""

    def f(m):
        z = m.reshape(9)
        z[1] = 7.0 * z[0]
        return np.sum(m ** 2) + np.sum(z ** 3)

    def copied(m):
        z = m.flatten()
        z[1] = 7.0 * z[0]
        return np.sum(m ** 2) + np.sum(z ** 3)

    df = tangent.grad(f)
    for given, like in ((m0.copy(), f), (np.asfortranarray(m0), copied)):
        left = given.copy(order='K')
        want = oracle.gradient(like, (m0.copy(),), (0,))
        assert oracle.error((df(given),), want) <= 1e-10
        f(left)
        assert np.array_equal(given, left)
