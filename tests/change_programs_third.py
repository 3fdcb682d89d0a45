"""Programs over containers as people write them: the third part of the table of test_item_changes."""
# ruff: noqa: B033, B905, E501

import math
from collections import Counter, OrderedDict, defaultdict

import numpy as np

v0 = np.array([0.3, 1.2, -0.7, 0.9, 2.1])
m0 = np.array([[0.3, 1.2, -0.7], [0.9, 2.1, 0.4], [1.3, -0.2, 0.6]])
x0 = 0.7


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


PROGRAMS = [
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
]
