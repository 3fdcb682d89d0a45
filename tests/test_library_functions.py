"""Functions of NumPy and SciPy inside programs: both modes, and the second order."""

import numpy as np
import pytest
import tangent
from library_programs import ARGUMENTS, PROGRAMS
from test_complex import by_differences, copies, gradients_of

IDS = [program[0].__name__ for program in PROGRAMS]


def scale(want):
    return 1.0 + np.max(np.abs(want), initial=0.0)


@pytest.mark.parametrize(('f', 'names', 'second'), PROGRAMS, ids=IDS)
def test_gradients(f, names, second):
    args = [ARGUMENTS[name] for name in names]
    for k, got in enumerate(gradients_of(f, args)):
        want = by_differences(f, args, k)
        assert np.shape(got) == np.shape(want)
        np.testing.assert_allclose(got, want, rtol=0, atol=1e-8 * scale(want))


@pytest.mark.parametrize(('f', 'names', 'second'), PROGRAMS, ids=IDS)
def test_directions(f, names, second):
    args = [ARGUMENTS[name] for name in names]
    moves = [np.cos(1.0 + np.arange(np.size(a))).reshape(np.shape(a)) for a in args]
    moves = [m if np.ndim(m) else float(m) for m in moves]
    got = tangent.jvp(f, wrt=tuple(range(len(args))))(*copies(args), *moves)
    want = sum(np.sum(g * m) for g, m in zip(gradients_of(f, args), moves, strict=True))
    np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(('f', 'names', 'second'), PROGRAMS, ids=IDS)
def test_second_order(f, names, second):
    args = [ARGUMENTS[name] for name in names]
    refused = 0
    for k in range(len(args)):
        first = tangent.grad(f, wrt=(k,))
        again = tangent.grad(first, wrt=(k,))
        try:
            got = again(*copies(args))
        except (tangent.errors.TangentError, NotImplementedError):
            refused += 1
            continue
        want = by_differences(lambda *given, g=first: g(*copies(given)), args, k)
        np.testing.assert_allclose(got, want, rtol=0, atol=1e-6 * scale(want))
    assert (refused == 0) == second


def truths(v):
    return np.sum(np.isclose(v, v) * v + np.isfinite(v) * v)


def test_sums_of_truths():
    v = np.array([0.5, -1.0, 2.0])
    np.testing.assert_array_equal(tangent.grad(truths)(v), 2.0 * np.ones(3))


def of_index_object(v):
    return np.sum(np.s_[v, 1.0][0] * v)


def of_ranges(v):
    return np.sum(np.r_[v, 0:3])


def test_what_an_object_makes_of_an_index_is_refused():
    for f in (of_index_object, of_ranges):
        with pytest.raises(tangent.errors.TangentError):
            tangent.grad(f)(np.arange(3.0))


def columns_of_matrices(a, b):
    return np.sum(np.c_[a, b] ** 2 * np.arange(5))


def test_columns_of_matrices():
    a, b = np.arange(6.0).reshape(2, 3), np.arange(4.0).reshape(2, 2)
    got = tangent.grad(columns_of_matrices, wrt=(0, 1))(a, b)
    np.testing.assert_allclose(got[0], 2 * a * np.arange(3))
    np.testing.assert_allclose(got[1], 2 * b * np.arange(3, 5))
