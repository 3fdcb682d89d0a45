"""Programs over containers as people write them: the first part of the table of test_item_changes."""
# ruff: noqa: B007, B905, E501, F401

import math
from collections import Counter, OrderedDict, defaultdict

import numpy as np

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
]
