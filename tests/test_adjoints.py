"""Adjoints of whole functions: the right value (by the oracle), and what the text must look like.

Each case is a kind of program that was once wrong or slower than by hand.
"""
# ruff: noqa: B905

import copy
import math
import operator

import numpy as np
import oracle
import pytest
import tangent


def two_loops_add_to_one_total(x, v, n):
    total = 0.0
    for _ in v[1:]:
        total += math.pi
    for step in range(v.shape[0]):
        total += v[step]
    return total * x


def quotient_of_two(a, x):
    x = 0.5 * (x + a / x)
    return x * x


def masked_root(x, weights):
    root = np.where(x > 0, np.sqrt(np.abs(x)), 0.0)
    return np.sum(weights * root)


def zip_of_a_range(x, v, n):
    total = 0.0
    for w, k in zip(v, range(n)):
        total += w * k * x
    for k, w in zip(range(1, 9, 3), v):
        n = n - 1
        total = total * w + k
        if total > 100.0:
            break
    return total


def sums_of_displays(x, u, v):
    pieces = np.sum([u, 2.0 * v], axis=0) * np.sum([x, x * u[0]])
    return np.sum(pieces * np.mean([u, v], axis=0, keepdims=True)) + np.mean([x, v[1], 1.0])


def field_stored_into(x, params):
    """The old element is put back into a copy of the function's own, not into the caller's dict."""
    before = params['W'][0] * x
    params['W'][0] = 0.6 * x
    return before * params['W'][0] * params['W'][1]


def field_of_a_list_stored_into(x, parts):
    before = np.sin(parts[1])
    parts[1][:2] *= x
    return np.sum(before * parts[1]) * parts[0]


def left_with_a_display(w, y, n):
    """The adjoint of `a` has elements also where the loop is not left by the return."""
    total = 0.0
    for _ in range(n):
        a = np.array([w[1], w[-1]])
        if y > 3.0:
            return y * a[0]
        total += y * w[0]
    return total


def rebound_to_a_view_of_another(s, w):
    """The adjoint of `w` is a view of that of `t`, and shows nothing of what `t` gets later."""
    t = np.exp(s)
    u = np.sum(np.sin(t))
    t = np.transpose(w) + t
    q = np.tanh(t)
    return np.sum(q * q) * u


def rebound_while_elements_wait(s, w):
    t = np.exp(s)
    u = t[0, 0] * t[1, 1]
    t = w.reshape(4).reshape((2, 2)) + t
    q = np.tanh(t)
    return np.sum(q * q) * u


def rebound_to_a_sum(s, w):
    t = np.exp(s)
    u = t[0, 0] * t[1, 1]
    t = w + t
    q = np.tanh(t)
    return np.sum(q * q) * u


def adjoint_that_waits_at_a_loop(s, w):
    t = s * w
    u = t + w
    for k in range(2):
        w = np.sin(w) * s[k, k]
        if w[0, 0] > 5.0:
            break
    return np.sum(u * w) + np.sum(t)


def array_popped_from_a_list(s, w, a):
    xs = [s, w * s, np.sin(w)]
    for _ in range(3):
        s = s * a + xs.pop()
    return np.sum(s * s)


def array_appended_in_a_loop(s, w, a):
    xs = [s]
    for _ in range(3):
        s = s * a + w.T
        xs.append(s)
        w = w * s
    return np.sum(xs[1] * xs[2]) + np.sum(xs.pop() * w)


SQUARES = (np.array([[0.4, -1.2], [0.9, 0.3]]), np.array([[0.7, 0.2], [-0.5, 1.1]]))


def extremum_of_numbers_augmented(x, w):
    """max of numbers is a number: `x *= ...` binds x, and writes no array."""
    x *= max(w[1], w[0])
    return x + w.sum()


def result_stored_into(v, a):
    """What exp gives is kept for the derivative, and the primal writes into an array of its own."""
    v = np.exp(v)
    v[0] -= 0.25
    v = np.reciprocal(v)
    v[1] *= a
    return np.sum(v * v)


def results_stored_into_in_a_loop(v, a):
    for i in range(3):
        v = np.tanh(v).reshape(-1)
        v[i] *= a
    return np.sum(v * v)


def ellipsis_of_an_array_without_axes(x, a):
    """y[...] is a view of the adjoint, which is cleared later."""
    y = np.array(a)
    y[()] = y * x[0]
    y[...] += a
    return y * 2


def row_that_is_read_after_an_exit(v):
    total = 0.0
    for row in v:
        if row[0] > 2.0:
            return row[0] * row[1]
        total += row[0] * row[0]
    return total


CASES = [
    (two_loops_add_to_one_total, (0.5, np.array([1.0, -2.0, 3.0]), 2), (0, 1)),
    (quotient_of_two, (7.0, 2.0), (0, 1)),
    (row_that_is_read_after_an_exit, (np.array([[1.0, 2.0], [0.5, 1.0]]),), (0,)),
    (row_that_is_read_after_an_exit, (np.array([[1.0, 2.0], [2.5, 3.0]]),), (0,)),
    (row_that_is_read_after_an_exit, (np.zeros((0, 2)),), (0,)),
    (zip_of_a_range, (0.5, np.array([1.0, -2.0, 3.0]), 3), (0, 1)),
    (zip_of_a_range, (0.5, np.array([1.0, -2.0, 3.0]), 2), (0, 1)),
    (zip_of_a_range, (50.0, np.array([4.0, 6.0, 3.0]), 5), (0, 1)),
    (sums_of_displays, (0.5, np.array([1.0, -2.0]), np.array([0.3, 1.5])), (0, 1, 2)),
    (masked_root, (np.array([2.5, -1.0, 0.3]), np.array([1.0, 2.0, 3.0])), (0, 1)),
    (field_stored_into, (0.7, {'W': np.array([0.4, -1.2])}), (0, 1)),
    (field_of_a_list_stored_into, (0.7, [1.5, np.array([0.4, -1.2, 0.9])]), (0, 1)),
    (result_stored_into, (np.array([0.4, -1.2, 0.9]), 0.7), (0, 1)),
    (results_stored_into_in_a_loop, (np.array([0.4, -1.2, 0.9]), 0.7), (0, 1)),
    (ellipsis_of_an_array_without_axes, (np.array([0.4, -1.2]), 0.7), (0, 1)),
    (extremum_of_numbers_augmented, (0.3, np.array([0.4, -1.2, 0.9])), (0, 1)),
    (left_with_a_display, (np.array([0.4, -1.2]), 1.0, 2), (0, 1)),
    (left_with_a_display, (np.array([0.4, -1.2]), 4.0, 2), (0, 1)),
    (rebound_to_a_view_of_another, SQUARES, (0, 1)),
    (rebound_while_elements_wait, SQUARES, (0, 1)),
    (rebound_to_a_sum, SQUARES, (0, 1)),
    (adjoint_that_waits_at_a_loop, SQUARES, (0, 1)),
    (array_popped_from_a_list, (*SQUARES, 0.7), (0, 1, 2)),
    (array_appended_in_a_loop, (*SQUARES, 0.7), (0, 1, 2)),
]


@pytest.mark.parametrize(('f', 'args', 'wrt'), CASES, ids=[case[0].__name__ for case in CASES])
def test_value(f, args, wrt):
    given, left = copy.deepcopy(args), copy.deepcopy(args)
    got = tangent.grad(f, wrt=wrt)(*given)
    got = got if len(wrt) > 1 else (got,)
    assert oracle.error(got, oracle.gradient(f, args, wrt)) <= 1e-10
    f(*left)
    assert oracle.error(given, left) == 0.0, 'the arguments are not as the primal leaves them'


def test_the_adjoint_of_a_numerator_is_computed_once():
    text = tangent.grad(quotient_of_two, wrt=(0, 1)).source(7.0, 2.0)
    assert 'ba = 0.5 * bx / x\n' in text
    assert 'bx - ba * (a / x)' in text


def test_a_shape_error_of_a_dropped_statement_is_still_raised():
    df = tangent.grad(masked_root, wrt=(0, 1))
    x = np.ones(3)
    code = [line for line in df.source(x, x).splitlines() if not line.lstrip().startswith('#')]
    assert 'np.sum(' not in '\n'.join(code)
    with pytest.raises(ValueError, match='could not be broadcast'):
        df(x, np.ones(2))


WRITES = [
    'x.__setitem__(0, a)',
    'x.__iadd__(a)',
    'np.ndarray.__setitem__(x, 0, a)',
    'operator.iadd(x, a)',
    'operator.setitem(x, 0, a)',
    'np.add(x, a, x)',
    'np.sin(x, x)',
    'np.cumsum(x, 0, None, x)',
    'np.clip(x, 0, 1, x)',
    'np.take(x, [1, 0, 2], None, x)',
    'np.nan_to_num(x, copy=False)',
    'np.median(x, overwrite_input=True)',
    'x.byteswap(True)',
    'x.partition(1)',
    "y = np.einsum('i->i', x); x[0] = a; x[1] = y[0]",
    'y = x.conj(); x[0] = a; x[1] = y[0]',
]


@pytest.mark.parametrize('statement', WRITES)
def test_a_write_by_another_name_is_refused(statement, tmp_path):
    path = tmp_path / 'writes.py'
    path.write_text(f'def f(x, a):\n    {statement}\n    return np.sum(x**3) * a\n')
    space = {'np': np, 'operator': operator}
    exec(compile(path.read_text(), str(path), 'exec'), space)
    with pytest.raises(tangent.errors.InplaceModificationError):
        tangent.grad(space['f'], wrt=(0, 1))(np.array([0.4, -1.2, 0.9]), 0.7)
