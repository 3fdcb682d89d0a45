"""`try` in differentiated functions, both modes, against the oracle.

What left a `try` decides like a test: only what was completed is undone. The programs are run on
both sides of each exception, and in loops that raise in some rounds.
"""

from __future__ import annotations

import copy
import math
from typing import Any

import fuzz
import fuzz_forward
import numpy as np
import oracle
import programs
import programs_try  # noqa: F401 - its constructs join the table
import pytest
import tangent


def check(f: Any, *args: Any, wrt: tuple[int, ...] = (0,)) -> None:
    """Both modes are the oracle's; what is left in the arguments is what `f` leaves."""
    expected = oracle.gradient(f, copy.deepcopy(args), wrt)
    given = copy.deepcopy(args)
    got = tangent.grad(f, wrt=wrt)(*given)
    got = got if len(wrt) > 1 else (got,)
    assert oracle.error(got, expected) <= 1e-10, tangent.grad(f, wrt=wrt).source(*args)
    left = copy.deepcopy(args)
    f(*left)
    for one, other in zip(given, left, strict=True):
        np.testing.assert_equal(one, other)
    naive = tangent.grad(f, wrt=wrt, optimized=False)(*copy.deepcopy(args))
    naive = naive if len(wrt) > 1 else (naive,)
    assert oracle.error(naive, expected) <= 1e-10
    for k, position in enumerate(wrt):
        forward = tangent.jvp(f, wrt=position)
        if isinstance(args[position], float):
            slope = forward(*copy.deepcopy(args), 1.0)
            assert oracle.error(slope, expected[k]) <= 1e-10, forward.source(*args, 1.0)
        else:
            for i in np.ndindex(args[position].shape):
                direction = np.zeros_like(args[position])
                direction[i] = 1.0
                slope = forward(*copy.deepcopy(args), direction)
                assert oracle.error(slope, expected[k][i]) <= 1e-10


# ------------------------------------------------------------------------------------------------
# One place that may raise


def guarded_division(a, b):
    try:
        y = a / b
    except ZeroDivisionError:
        y = 2.0 * a
    return y * y


def returned(a, b):
    try:
        return a / b
    except ZeroDivisionError:
        return a * a


def handler_alone_assigns(a, b):
    y = a * a
    try:  # noqa: SIM105
        y = y / b
    except ZeroDivisionError:
        pass
    return y * a


def with_else(a, b):
    try:
        y = a / b
    except ZeroDivisionError:
        y = a
    else:
        y = y * y * b
    return y * a


def bare(a, b):
    try:
        y = a / b
    except:  # noqa: E722
        y = a * 3.0
    return y * y


def earlier_statements(a, b):
    y = 0.0
    try:
        t = a * a
        u = t / b
        y = u * t
    except ZeroDivisionError:
        y = a * 5.0
    return y * a


def earlier_statements_are_seen(a, b):
    y = a
    try:
        y = y * a
        z = y / b
    except ZeroDivisionError:
        z = a * 5.0
    return y * z


def augmented(a, b):
    y = a * a
    try:
        y += a / b
    except ZeroDivisionError:
        y *= 3.0
    return y * y


def raised_by_hand(a, b):
    try:
        if b == 0.0:
            raise ValueError('no divisor')
        y = a / b
    except ValueError:
        y = a * a * 3.0
    return y * a


def message_is_used(a, b):
    try:
        y = a / b
    except ZeroDivisionError as error:
        y = a * len(str(error))
    return y * y


def several_handlers(a, b):
    try:
        if b < 0.0:
            raise ValueError('negative')
        y = a / b
    except ZeroDivisionError:
        y = a * a
    except ValueError:
        y = a * a * a
    return y * a


def classes_in_a_tuple(a, b):
    try:
        y = math.log(a * b)
    except (ValueError, ZeroDivisionError):
        y = a * 7.0
    return y * a


@pytest.mark.parametrize('b', [0.0, 2.0, -2.0])
@pytest.mark.parametrize(
    'f',
    [
        guarded_division,
        returned,
        handler_alone_assigns,
        with_else,
        bare,
        earlier_statements,
        earlier_statements_are_seen,
        augmented,
        raised_by_hand,
        message_is_used,
        several_handlers,
        classes_in_a_tuple,
    ],
)
def test_one_place(f: Any, b: float) -> None:
    check(f, 1.5, b)


def test_both_arguments() -> None:
    check(guarded_division, 1.5, 2.0, wrt=(0, 1))
    check(earlier_statements, 1.5, 2.0, wrt=(0, 1))


# ------------------------------------------------------------------------------------------------
# Loops


def in_a_loop(x, d):
    total = 0.0
    y = 1.0
    for i in range(len(d)):
        try:
            y = y * x / d[i]
        except ZeroDivisionError:
            y = y + x
        total += y * y
    return total


def in_a_loop_with_old_values(x, d):
    total = 0.0
    y = x
    for i in range(len(d)):
        y = math.sin(y)
        try:
            y = y * y / d[i] + x
            total = total + y * y
        except ZeroDivisionError:
            total = total * y
    return total


def continues(x, d):
    total = x
    for e in d:
        try:
            y = total * x / e
        except ZeroDivisionError:
            continue
        total = total + y * y * 0.1
    return total


def breaks(x, d):
    total = x
    for e in d:
        try:
            total = total * x / e
        except ZeroDivisionError:
            break
    return total * x


def loop_inside(x, d):
    total = x
    try:
        for e in d:
            total = total * x + 1.0 / e
            total = total * total * 0.3
    except ZeroDivisionError:
        total = total * 5.0
    return total * x


def loop_inside_a_loop(x, d):
    total = x
    for k in range(3):
        try:
            for e in d:
                total = total * x * 0.5
                total = total + x / (e - k)
        except ZeroDivisionError:
            total = total * x
    return total * x


def several_places(x, d):
    total = x
    for e in d:
        try:
            total = total * 1.1 / e
            total = total + x / (e - 1.0)
            total = total * x
        except ZeroDivisionError:
            total = total * total * 0.5
    return total


def retried(x, d):
    step = d[0]
    while True:
        try:
            y = math.log(x - step)
            break
        except ValueError:
            step = step - 0.5
    return y * y + step * x


def returns_from_a_loop(x, d):
    total = x
    for e in d:
        try:
            total = total * x / e
        except ZeroDivisionError:
            return total * 4.0
    return total * x


LOOPS = [
    in_a_loop,
    in_a_loop_with_old_values,
    continues,
    breaks,
    loop_inside,
    loop_inside_a_loop,
    several_places,
    retried,
    returns_from_a_loop,
]


@pytest.mark.parametrize('d', [[2.0, 3.0, 4.0], [2.0, 0.0, 4.0], [0.0, 1.0, 1.5], [2.0, 1.0, 0.0]])
@pytest.mark.parametrize('f', LOOPS)
def test_loops(f: Any, d: list[float]) -> None:
    check(f, 1.3, d)


# ------------------------------------------------------------------------------------------------
# Arrays, lists, dicts, calls


def solved(a, b):
    try:
        x = np.linalg.solve(a, b)
    except np.linalg.LinAlgError:
        x = 2.0 * b
    return np.sum(x * x)


def test_solve() -> None:
    b = np.array([1.0, -2.0])
    check(solved, np.array([[2.0, 0.3], [0.1, 1.0]]), b, wrt=(0, 1))
    singular = np.array([[1.0, 1.0], [1.0, 1.0]])
    got = tangent.grad(solved, wrt=(0, 1))(singular, b)
    np.testing.assert_array_equal(got[0], np.zeros((2, 2)))
    np.testing.assert_allclose(got[1], 8.0 * b)


def safe_log(x):
    try:
        return math.log(x)
    except ValueError:
        return x * x


def calls_helper(x, y):
    return safe_log(x) * safe_log(y) + safe_log(x * y)


def helper_raises(x):
    if x < 0.0:
        raise ValueError('negative')
    return math.sqrt(x)


def catches_what_helper_raises(x, y):
    try:
        z = helper_raises(x) * helper_raises(y)
    except ValueError:
        z = x * x * y
    return z * x


def looked_up(x, key):
    table = {'a': 2.0, 'b': 3.0}
    try:
        c = table[key]
    except KeyError:
        c = 0.5
    return c * x * x


def item(x, k):
    xs = [x, x * x, 3.0 * x]
    try:
        y = xs[k]
    except IndexError:
        y = x * 9.0
    return y * x


def stores(x, k):
    u = x * 1.0
    try:
        u[k] = u[0] * u[1]
    except IndexError:
        u[0] = u[1] * u[1]
    return np.sum(u * u)


def stores_in_a_loop(x, n):
    u = x * x
    for k in range(n):
        try:
            u[k + 1] = u[k] * u[k + 1]
        except IndexError:
            u[0] = u[0] * 3.0
    return np.sum(u * u)


@pytest.mark.parametrize(('x', 'y'), [(2.0, 3.0), (-2.0, 3.0), (2.0, -3.0), (-2.0, -3.0)])
def test_helpers(x: float, y: float) -> None:
    check(calls_helper, x, y, wrt=(0, 1))
    check(catches_what_helper_raises, x, y, wrt=(0, 1))


def test_lookups() -> None:
    for k in (0, 1, 5):
        check(item, 1.5, k)
        check(stores, np.array([1.5, 2.0, -1.0]), k)
    for n in (2, 3, 4):
        check(stores_in_a_loop, np.array([1.5, 2.0, -1.0]), n)
    for key in ('a', 'c'):
        check(looked_up, 1.5, key)


# ------------------------------------------------------------------------------------------------
# finally, nesting, exceptions that pass


def finally_computes(a, b):
    n = 1.0
    try:
        y = a / b
    except ZeroDivisionError:
        y = a
    finally:
        n = n + a
    return y * n


def finally_alone(a, b):
    n = a
    try:
        y = a / b
    finally:
        n = n * 2.0
    return y * n


def nested(a, b):
    try:
        try:
            y = a / b
        except ZeroDivisionError:
            y = math.log(a - 1.5) * a
    except ValueError:
        y = a * a * 4.0
    return y * a


def raises_again(a, b):
    try:
        try:
            y = a / b
        except ZeroDivisionError:
            raise
    except ZeroDivisionError:
        y = a * a
    return y * a


def raises_another(a, b):
    try:
        return a / b
    except ZeroDivisionError as error:
        raise ValueError('b is zero') from error


def test_finally() -> None:
    check(finally_computes, 1.5, 0.0)
    check(finally_computes, 1.5, 2.0)
    check(finally_alone, 1.5, 2.0)
    with pytest.raises(ZeroDivisionError):
        tangent.grad(finally_alone)(1.5, 0.0)


@pytest.mark.parametrize('a', [1.2, 2.0])
@pytest.mark.parametrize('b', [0.0, 2.0])
def test_nested(a: float, b: float) -> None:
    check(nested, a, b)
    check(raises_again, a, b)


def test_other_exceptions_pass() -> None:
    check(raises_another, 1.5, 2.0)
    with pytest.raises(ValueError, match='b is zero'):
        tangent.grad(raises_another)(1.5, 0.0)
    with pytest.raises(ValueError, match='b is zero'):
        tangent.jvp(raises_another, wrt=0)(1.5, 0.0, 1.0)


def test_cleanup_runs_where_an_exception_passes(capsys: pytest.CaptureFixture[str]) -> None:
    def cleans_up(a, b):
        try:
            y = a / b
        finally:
            print('done')
        return y * y

    assert tangent.grad(cleans_up)(1.5, 2.0) == pytest.approx(0.75)
    assert capsys.readouterr().out == 'done\n'
    with pytest.raises(ZeroDivisionError):
        tangent.grad(cleans_up)(1.5, 0.0)
    assert capsys.readouterr().out == 'done\n'


def test_second_order() -> None:
    for b in (0.0, 2.0):
        df = tangent.grad(guarded_division)
        expected = 8.0 if b == 0.0 else 2.0 / (b * b)
        assert tangent.grad(df)(1.5, b) == pytest.approx(expected)

    def slope(x, d):
        return oracle.gradient(in_a_loop, (x, d))[0]

    for d in ([2.0, 3.0], [2.0, 0.0, 4.0]):
        got = tangent.grad(tangent.grad(in_a_loop))(1.3, d)
        h = 1e-5
        assert got == pytest.approx((slope(1.3 + h, d) - slope(1.3 - h, d)) / (2 * h), rel=1e-7)


def test_the_text() -> None:
    """What a person would write: the flag only where the backward part asks for it."""
    text = tangent.grad(guarded_division).source(1.5, 2.0)
    assert text.count('try:') == 1
    assert text.count('except ZeroDivisionError:') == 1
    assert 'attempt' not in text
    assert 'completed' not in text


# ------------------------------------------------------------------------------------------------
# Refused


def test_exception_groups_are_refused() -> None:
    def f(x):
        try:
            y = 1.0 / x
        except* ZeroDivisionError:
            y = x
        return y

    with pytest.raises(tangent.errors.UnsupportedSyntaxError, match='except'):
        tangent.grad(f)


def test_leaving_finally_is_refused() -> None:
    def f(x):
        for _ in range(2):
            try:
                x = 1.0 / x
            finally:
                break  # noqa: B012
        return x

    with pytest.raises(tangent.errors.UnsupportedSyntaxError, match='finally'):
        tangent.grad(f)(1.0)


# ------------------------------------------------------------------------------------------------
# Lists, objects, recursion, shapes


def appended(x, d):
    out = []
    for e in d:
        try:
            out.append(x / e)
            out.append(x * x / (e - 1.0))
        except ZeroDivisionError:
            out.append(3.0 * x)
    total = 0.0
    for item_ in out:
        total += item_ * item_
    return total


class State:
    def __init__(self, value):
        self.value = value
        self.failures = 0

    def step(self, x, e):
        try:
            self.value = self.value * x / e
        except ZeroDivisionError:
            self.failures += 1
            self.value = self.value + x


def of_an_object(x, d):
    state = State(1.0)
    for e in d:
        state.step(x, e)
    return state.value * (1 + state.failures)


def until_the_end(x, d):
    xs = [x, x * x, d[0]]
    total = x
    k = 0
    while True:
        try:
            total = total * xs[k] * 0.7
        except IndexError:
            break
        k += 1
    return total


def in_loop_else(x, d):
    for e in d:
        x = x * e * 0.5
    else:
        try:
            x = x / d[1]
        except ZeroDivisionError:
            x = x * x * 3.0
    return x * x


@pytest.mark.parametrize('d', [[2.0, 3.0], [2.0, 0.0], [0.0, 1.0], [1.0, 0.5]])
@pytest.mark.parametrize('f', [appended, of_an_object, until_the_end, in_loop_else])
def test_state(f: Any, d: list[float]) -> None:
    check(f, 1.3, d)


def recursive(x, n):
    if n == 0:
        return x
    try:
        y = x / (n - 2)
    except ZeroDivisionError:
        y = x * x
    return recursive(y, n - 1) * y


def test_recursion() -> None:
    expected = oracle.gradient(recursive, (1.3, 4))
    assert oracle.error((tangent.grad(recursive)(1.3, 4),), expected) <= 1e-10


def shapes_decide(x, y):
    try:
        z = x + y
    except ValueError:
        z = x * 2.0
    return np.sum(z * z)


def test_shapes_decide() -> None:
    x = np.arange(6.0).reshape(2, 3)
    for y in (np.ones(3), np.ones(2)):
        z = x + y if len(y) == 3 else 2.0 * x
        slope = 2.0 * z if len(y) == 3 else 4.0 * z
        np.testing.assert_allclose(tangent.grad(shapes_decide)(x, y), slope)


@pytest.mark.parametrize('first', range(0, 160, 40))
def test_generated_programs(first: int, tmp_path: Any) -> None:
    """Programs of the generator that divide by what is zero in some rounds, both modes."""
    features = programs.FOUNDATION | {'try', '-argument_container'}
    found = 0
    for seed in range(first, first + 40):
        try:
            program = programs.program(seed, features=features)
        except (ValueError, OverflowError):
            continue
        if 'try_except' not in program.census:
            continue
        for examined in (fuzz.check, fuzz_forward.check):
            outcome = examined(program, str(tmp_path))
            assert outcome.kind != 'failed', outcome.report
        found += 1
    assert found > 5
