"""Loops that keep snapshots in place of tapes: the same gradients, and the memory and time that the
schedules' theory says.

Every program is compared with its own gradient without checkpoints to 1e-12, with the oracle at
1e-10, and again at the second order.
"""

from __future__ import annotations

import contextlib
import copy
import functools
import io
import math
import pickle
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import oracle
import programs
import pytest
import tangent
from measuring import peak_memory
from tangent import _checkpointing, _runtime_steps

CONFIGS = {
    'sqrt': {'enabled': True, 'min_length': 1},
    'sqrt 3': {'enabled': True, 'min_length': 1, 'num_checkpoints': 3},
    'binomial': {'enabled': True, 'min_length': 1, 'schedule': 'binomial'},
    'binomial 3': {
        'enabled': True,
        'min_length': 1,
        'schedule': 'binomial',
        'num_checkpoints': 3,
    },
    'binomial 1': {
        'enabled': True,
        'min_length': 1,
        'schedule': 'binomial',
        'num_checkpoints': 1,
    },
}


# ------------------------------------------------------------------------------------------------
# Programs


def constant_length(x, rate):
    for _ in range(20):
        x = x + rate * np.sin(x)
    return np.sum(x * x)


def odd_length(x, rate):
    for i in range(23):
        x = x + rate * np.sin(x) / (i + 1)
    return np.sum(x * x)


def given_length(x, rate, n=17):
    for _ in range(n):
        x = np.tanh(x) * rate + x
    return np.sum(x)


def empty_loop(x, rate, n=0):
    for _ in range(n):
        x = np.tanh(x) * rate + x
    return np.sum(x * rate)


def downwards(x, rate):
    for k in range(19, 2, -2):
        x = np.sin(x) * rate + x * k / 10
    return np.sum(x)


def two_states(x, rate):
    v = np.zeros_like(x)
    for _ in range(30):
        v = v - rate * np.sin(x)
        x = x + rate * v
    return np.sum(x * x) + np.sum(v)


def swapped(x, rate):
    y = x * rate
    for _ in range(11):
        x, y = y * np.cos(x), x + rate * y
    return np.sum(x * y)


def until(x, rate):
    while np.sum(x) > 0.4:
        x = x - rate * np.sin(x) * x
    return np.sum(x * x)


def counted_while(x, rate):
    t = 0.0
    steps = 0
    while t < 1.0:
        x = x + rate * np.sin(x * t)
        t += 0.07
        steps += 1
    return np.sum(x * x) * steps


def with_break(x, rate):
    for _ in range(40):
        if np.sum(x) < 0.5:
            break
        x = x - rate * np.sin(x) * x
    return np.sum(x * x)


def break_in_the_middle(x, rate):
    total = 0.0
    for i in range(40):
        y = np.sin(x)
        total = total + np.sum(y * y) * i
        if total > 30.0:
            break
        x = x - rate * y * x
    return np.sum(x * x) + total * rate


def two_breaks(x, rate):
    total = 0.0
    for i in range(40):
        y = np.sin(x)
        total = total + np.sum(y * y)
        if total > 70.0:
            break
        x = x - rate * y * x
        if i * rate > 2.0:
            x = x * total
            break
    return np.sum(x * x) + total


def while_true(x, rate):
    steps = 0
    while True:
        y = np.sin(x) * rate
        z = x * y
        x = x - y
        steps += 1
        if np.sum(z) < 0.03:
            break
    return np.sum(z * x) + steps


def returned_early(x, rate):
    for i in range(50):
        x = x - rate * np.sin(x) * x
        if np.sum(x) < 0.5:
            return np.sum(x) * i
    return np.sum(x * x)


def continued(x, rate):
    for i in range(30):
        if i % 3 == 1:
            continue
        x = x + rate * np.sin(x) * x
    return np.sum(x)


def in_place(x, rate):
    u = x * 1.0
    for i in range(25):
        u[i % 3] = u[i % 3] * u[(i + 1) % 3] * rate + 0.5
        u[1:] += rate * u[:-1] * u[:-1]
    return np.sum(u * u)


def double_buffer(x, rate):
    u = x * 1.0
    w = np.zeros_like(x)
    for _ in range(20):
        w[0] = u[0] * u[1]
        w[1:-1] = u[1:-1] + rate * u[2:] * u[:-2]
        w[-1] = u[-1] * rate
        u, w = w, u
    return np.sum(u)


def argument_in_place(x, rate):
    for i in range(15):
        x[i % 3] = np.sin(x[i % 3]) * rate + x[(i + 1) % 3]
    return np.sum(x * x)


def _writes(u, k, rate):
    u[k] = u[k] * np.sin(u[k]) + rate
    return u[k] * rate


def calls_a_helper_that_writes(x, rate):
    u = x * 1.0
    total = 0.0
    for i in range(20):
        total = total + _writes(u, i % 3, rate) * total * 0.1 + 0.1
    return np.sum(u * u) * total


def trajectory(x, rate):
    path = []
    for _ in range(20):
        x = x + rate * np.sin(x)
        path.append(x)
    return np.sum(path[-1] * path[10])


def filled(x, rate):
    h = np.zeros((20, 3))
    for i in range(20):
        x = x + rate * np.sin(x)
        h[i] = x * x
    return np.sum(h * h)


def reads_its_list(x, rate):
    xs = [np.sum(x), rate]
    for _ in range(15):
        xs.append(xs[-1] * np.sin(xs[-2]) + rate)
    return xs[-1] * xs[7]


def stack_machine(x, rate):
    xs = [x[0], x[1], x[2], rate]
    s = 1.0
    for i in range(20):
        if i % 2 == 0 and len(xs) > 1:
            s = s * np.sin(xs.pop()) + rate
        else:
            xs.append(s * s)
    return s


def nested(x, rate):
    for i in range(6):
        for j in range(5):
            x = x + rate * np.sin(x) * (i - j) / 5
        x = x * x * 0.5 + x
    return np.sum(x)


def inner_while(x, rate):
    for _ in range(7):
        s = 0.0
        while s < 0.5:
            x = x + 0.1 * np.sin(x) * rate
            s = s + 0.1 + 0.01 * np.sum(x) * np.sum(x)
        x = x * s
    return np.sum(x)


def branches(x, rate):
    s = np.sum(x)
    for i in range(30):
        if s > 1.0:
            s = s * rate - np.sin(s)
        elif i % 2 == 0:
            s = s + rate * s * s
        else:
            s = np.exp(-s) + s
    return s


def over_items(x, rate, weights=(0.3, 0.1, 0.7, 0.2, 0.9, 0.4)):
    for w in weights:
        x = x + w * rate * np.sin(x)
    return np.sum(x)


def over_array(x, rate):
    s = rate
    for v in x:
        s = np.sin(s * v) + v
    return s * s


def over_rows(x, rate):
    m = np.outer(x, x)
    s = x * rate
    for row in m:
        s = np.sin(s) * row + s
    return np.sum(s)


def enumerated(x, rate):
    s = rate
    for i, v in enumerate(x * 2.0, 1):
        s = np.sin(s * v) * i + v
    return s * s


def zipped(x, rate):
    s = rate
    for v, w in zip(x, np.cos(x)):  # noqa: B905
        s = np.sin(s * v) * w + v
    return s * s


def two_loops(x, rate):
    for _ in range(12):
        x = x + rate * np.sin(x)
    y = x * x
    for _ in range(13):
        y = y - rate * np.cos(y) * x
    return np.sum(x * y)


def overwritten_behind(x, rate):
    scale = rate * 2.0
    for _ in range(12):
        x = x + scale * np.sin(x)
    scale = np.sum(x)
    x = x * scale
    scale = scale * scale
    return np.sum(x) * scale


def overwritten_bound(x, rate):
    n = 11
    for i in range(n):
        n = n + i
        x = x + rate * np.sin(x) * n / 100
    return np.sum(x)


def target_changed(x, rate):
    for i in range(14):
        i = i * 0.1
        x = x + rate * np.sin(x) * i
    return np.sum(x)


def in_an_outer_loop(x, rate):
    for k in range(3):
        with tangent.checkpoint():
            for _ in range(10):
                x = x + rate * np.sin(x) / (k + 1)
        x = x * np.sum(x) * 0.2
    return np.sum(x)


def in_an_outer_while(x, rate):
    k = 0
    while k < 3:
        with tangent.checkpoint():
            while np.sum(x) > 0.5 + 0.1 * k:
                x = x - rate * x * np.sin(x)
        x = x + np.cos(x) * rate
        k += 1
    return np.sum(x * x)


def reads_its_counter(x, rate):
    for _ in range(4):
        x = x * (1.0 + _ * rate)
        k = 0
        while k < 2:
            x = np.sin(x) + rate * x
            k += 1
    return np.sum(x)


def left_in_the_middle(x, rate):
    total = 0.0
    for k in range(6):
        with tangent.checkpoint():
            for _ in range(5):
                x = x + rate * np.sin(x) / (k + 1)
        if np.sum(x) > 4.0:
            return np.sum(x * x) + total
        total = total + np.sum(x)
    return total * rate


def used_behind(x, rate):
    for _ in range(9):
        y = np.sin(x)
        x = x + rate * y
    return np.sum(x * y)


def prints(x, rate):
    for i in range(12):
        x = x + rate * np.sin(x)
        if i % 5 == 0:
            print('step', i)
    return np.sum(x)


def checked(x, rate):
    for _ in range(12):
        x = x + rate * np.sin(x)
        assert np.sum(x) < 1e6
        if np.sum(x) > 1e6:
            raise ValueError('too large')
    return np.sum(x)


PROGRAMS = [
    constant_length,
    odd_length,
    given_length,
    empty_loop,
    downwards,
    two_states,
    swapped,
    until,
    counted_while,
    with_break,
    break_in_the_middle,
    two_breaks,
    while_true,
    returned_early,
    continued,
    in_place,
    double_buffer,
    argument_in_place,
    calls_a_helper_that_writes,
    trajectory,
    filled,
    reads_its_list,
    stack_machine,
    nested,
    inner_while,
    branches,
    over_items,
    over_array,
    over_rows,
    enumerated,
    zipped,
    two_loops,
    overwritten_behind,
    overwritten_bound,
    target_changed,
    in_an_outer_loop,
    in_an_outer_while,
    reads_its_counter,
    left_in_the_middle,
    used_behind,
    prints,
    checked,
]
ASK_THEMSELVES = (in_an_outer_loop, in_an_outer_while, left_in_the_middle)


def arguments() -> tuple[Any, float]:
    return np.array([0.7, -0.4, 1.1]), 0.3


def gradients(f: Callable[..., Any], **options: Any) -> Any:
    return tangent.grad(f, wrt=(0, 1), **options)


@pytest.mark.parametrize('name', CONFIGS)
@pytest.mark.parametrize('f', PROGRAMS, ids=lambda f: f.__name__)
def test_same_gradient(f: Callable[..., Any], name: str) -> None:
    df = gradients(f, checkpoint_config=CONFIGS[name])
    got = df(*arguments())
    assert '_snapshots' in df.source(*arguments()), df.source(*arguments())
    if f not in ASK_THEMSELVES:
        plain = gradients(f)
        assert '_snapshots' not in plain.source(*arguments())
        for mine, other in zip(got, plain(*arguments()), strict=True):
            np.testing.assert_allclose(mine, other, rtol=1e-12, atol=1e-12)
    want = oracle.gradient(f, arguments(), (0, 1))
    assert oracle.same(got, want), (got, want)


@pytest.mark.parametrize('name', ['sqrt', 'sqrt 3', 'binomial 3'])
@pytest.mark.parametrize('f', PROGRAMS, ids=lambda f: f.__name__)
def test_second_order(f: Callable[..., Any], name: str) -> None:
    """The gradient of a number of the gradient: a text with snapshots is a program like others."""
    df = tangent.grad(f, wrt=(1,), checkpoint_config=CONFIGS[name])
    plain = tangent.grad(tangent.grad(f, wrt=(1,)), wrt=(0, 1))
    want = plain(*arguments())
    again = tangent.grad(df, wrt=(0, 1), checkpoint_config=CONFIGS[name])
    for ddf in (tangent.grad(df, wrt=(0, 1)), again):
        for mine, other in zip(ddf(*arguments()), want, strict=True):
            np.testing.assert_allclose(mine, other, rtol=1e-12, atol=1e-12)


def test_autodiff_takes_the_option() -> None:
    config = CONFIGS['sqrt']
    df = tangent.autodiff(constant_length, wrt=(0, 1), checkpoint_config=config)
    assert '_snapshots' in df.source(*arguments())
    for got, want in zip(
        df(*arguments(), 2.0), gradients(constant_length)(*arguments(), 2.0), strict=True
    ):
        np.testing.assert_allclose(got, want, rtol=1e-12)
    forward = tangent.autodiff(constant_length, mode='forward', checkpoint_config=config)
    x, rate = arguments()
    want = tangent.jvp(constant_length)(x, rate, np.ones(3))
    np.testing.assert_allclose(forward(x, rate, np.ones(3)), want)


# ------------------------------------------------------------------------------------------------
# Which loops


def short_and_long(x):
    for _ in range(99):
        x = x + 0.01 * np.sin(x)
    y = x
    for _ in range(100):
        y = y + 0.01 * np.sin(y)
    return np.sum(y * x)


def linear(x):
    for _ in range(1000):
        x = x * 0.99 + 0.1
    return np.sum(x)


def random_walk(x):
    for _ in range(1000):
        x = x + 0.1 * np.sin(x) * np.random.standard_normal()
    return np.sum(x)


def test_short_loops_keep_their_tapes() -> None:
    text = tangent.grad(short_and_long, checkpoint=True).source(np.ones(2))
    assert 'y_snapshots' in text
    assert 'x_snapshots' not in text


def test_what_keeps_nothing_needs_no_snapshots() -> None:
    assert '_snapshots' not in tangent.grad(linear, checkpoint=True).source(np.ones(2))


def test_random_numbers_are_drawn_once() -> None:
    """A loop that is not the same the second time keeps its tapes, or is refused in a `with`."""
    df = tangent.grad(random_walk, checkpoint=True)
    assert '_snapshots' not in df.source(np.ones(2))

    def marked(x):
        with tangent.checkpoint():
            for _ in range(1000):
                x = x + 0.1 * np.sin(x) * np.random.standard_normal()
        return np.sum(x)

    with pytest.raises(tangent.UnsupportedSyntaxError, match='cannot be run again'):
        tangent.grad(marked)(np.ones(2))


def test_prints_once(capsys: pytest.CaptureFixture[str]) -> None:
    prints(*arguments())
    want = capsys.readouterr().out
    for config in CONFIGS.values():
        gradients(prints, checkpoint_config=config)(*arguments())
        assert capsys.readouterr().out == want


def test_arguments_end_as_the_primal_leaves_them() -> None:
    x, rate = arguments()
    argument_in_place(x, rate)
    for config in CONFIGS.values():
        mine, _ = arguments()
        gradients(argument_in_place, checkpoint_config=config)(mine, rate)
        np.testing.assert_array_equal(mine, x)


def test_the_context_manager_does_nothing_to_the_primal() -> None:
    with tangent.checkpoint():
        x = in_an_outer_loop(*arguments())
    assert np.isfinite(x)
    with pytest.raises(ZeroDivisionError), tangent.checkpoint():
        _ = 1 / 0


def test_another_with_is_refused() -> None:
    class checkpoint:
        def __enter__(self) -> None: ...
        def __exit__(self, *exception: object) -> None: ...

    def f(x):
        with checkpoint():
            x = x * x
        return x

    with pytest.raises(tangent.UnsupportedSyntaxError):
        tangent.grad(f)(2.0)


def test_options_are_part_of_what_is_remembered() -> None:
    plain = tangent.grad(constant_length)
    mine = tangent.grad(constant_length, checkpoint_config=CONFIGS['sqrt'])
    other = tangent.grad(constant_length, checkpoint_config=CONFIGS['binomial'])
    assert len({id(plain), id(mine), id(other)}) == 3
    assert mine is tangent.grad(constant_length, checkpoint_config=dict(CONFIGS['sqrt']))
    off = tangent.grad(constant_length, checkpoint_config={'enabled': False})
    assert '_snapshots' not in off.source(*arguments())
    again = pickle.loads(pickle.dumps(mine))
    assert '_snapshots' in again.source(*arguments())


@pytest.mark.parametrize(
    'options',
    [
        {'checkpoint': 'yes'},
        {'checkpoint': 1},
        {'checkpoint_config': 3},
        {'checkpoint_config': {'enable': True}},
        {'checkpoint_config': {'enabled': 'no'}},
        {'checkpoint_config': {'num_checkpoints': 0}},
        {'checkpoint_config': {'num_checkpoints': -2}},
        {'checkpoint_config': {'num_checkpoints': 2.5}},
        {'checkpoint_config': {'num_checkpoints': True}},
        {'checkpoint_config': {'min_length': 0}},
        {'checkpoint_config': {'min_length': None}},
        {'checkpoint_config': {'schedule': 'revolve'}},
        {'checkpoint_config': {'schedule': ['sqrt']}},
        {'checkpoint_config': {'disk': 3}},
        {'checkpoint_config': {'disk': ''}},
        {'checkpoint_config': {'disk': '/dev/null'}},
        {'checkpoint_config': {'disk': '/proc/no/where'}},
        {'checkpoint_config': {'disk': 'odd\0'}},
        {'checkpoint_config': {'disk': True}},
    ],
    ids=str,
)
def test_bad_options(options: dict[str, Any]) -> None:
    with pytest.raises(tangent.TangentValueError):
        tangent.grad(constant_length, **options)


# ------------------------------------------------------------------------------------------------
# Theory


@functools.cache
def least_advances(n: int, snapshots: int) -> int:
    """How many steps the reversal of a chain takes beside those with tapes, by trying all ways."""
    if n <= 1:
        return 0
    if snapshots == 1:
        return n * (n - 1) // 2
    return min(
        k + least_advances(n - k, snapshots - 1) + least_advances(k, snapshots)
        for k in range(1, n)
    )


@pytest.mark.parametrize('snapshots', [1, 2, 3, 5, 8])
def test_schedule_is_the_best(snapshots: int) -> None:
    for n in range(60):
        stored = _runtime_steps._snapshot_steps(n, snapshots)
        held = set(stored)
        advances = n
        undone = []
        for first, step, kept in _runtime_steps._stretches(stored, n, snapshots):
            assert first == max(held)
            held = (held - {first}) | set(kept)
            assert len(held) <= snapshots
            advances += step - first
            undone.append(step)
        assert undone == list(reversed(range(n)))
        assert not held
        assert advances == least_advances(n + 1, snapshots)
        assert _checkpointing.recomputed_steps(n, snapshots) == (advances if n else 0)


def steps(x, n):
    for _ in range(n):
        x = x + 0.1 * np.sin(x)
    return np.sum(x)


def runs_of_the_step(df: Callable[..., Any], *args: Any) -> int:
    """How often a call runs the line of the primal's step."""
    lines = df.source(*args).splitlines()
    function = df.variant(*args)
    count = 0

    def on_line(frame: Any, event: str, _: Any) -> Any:
        nonlocal count
        line = frame.f_lineno - function.__code__.co_firstlineno
        count += event == 'line' and lines[line].strip() == 'x = x + 0.1 * np.sin(x)'
        return on_line

    def on_call(frame: Any, *_: Any) -> Any:
        return on_line if frame.f_code is function.__code__ else None

    sys.settrace(on_call)
    try:
        function(*args)
    finally:
        sys.settrace(None)
    return count


@pytest.mark.parametrize('n', [1, 7, 100, 101])
@pytest.mark.parametrize('snapshots', [None, 1, 4, 9])
def test_recomputed_steps(n: int, snapshots: int | None) -> None:
    x = np.ones(2)
    options: dict[str, Any] = {'enabled': True, 'min_length': 1, 'num_checkpoints': snapshots}
    assert runs_of_the_step(tangent.grad(steps), x, n) == n
    assert runs_of_the_step(tangent.grad(steps, checkpoint_config=options), x, n) == 2 * n
    binomial = tangent.grad(steps, checkpoint_config={**options, 'schedule': 'binomial'})
    count = snapshots or _runtime_steps._default_snapshots(n)
    # The last run of each step, which is undone at once, needs sin(x) alone.
    assert runs_of_the_step(binomial, x, n) == _checkpointing.recomputed_steps(n, count)


def test_memory() -> None:
    x = np.linspace(0.0, 1.0, 1000)
    n = 2500
    full = peak_memory(tangent.grad(steps), x, n)
    assert full > n * x.nbytes
    config: dict[str, Any] = {'enabled': True}
    # √n snapshots and tapes of √n steps, and what one step needs.
    assert peak_memory(tangent.grad(steps, checkpoint_config=config), x, n) < 1.1 * full * 100 / n
    config = {'enabled': True, 'schedule': 'binomial', 'num_checkpoints': 20}
    assert peak_memory(tangent.grad(steps, checkpoint_config=config), x, n) < full * 30 / n


def test_memory_of_unknown_length() -> None:
    def until_small(x):
        while x[0] > 0.01:
            x = x - 0.005 * np.sin(x)
        return np.sum(x)

    x = np.linspace(1.0, 1.1, 1000)
    full = peak_memory(tangent.grad(until_small), x)
    config: dict[str, Any] = {'enabled': True}
    kept = peak_memory(tangent.grad(until_small, checkpoint_config=config), x)
    assert kept < full / 8
    config['num_checkpoints'] = 8
    config['schedule'] = 'binomial'
    assert peak_memory(tangent.grad(until_small, checkpoint_config=config), x) < full / 30


# ------------------------------------------------------------------------------------------------
# Helpers


def test_helpers() -> None:
    assert tangent.compute_checkpoint_positions(100, 5) == [16, 32, 49, 66, 83]
    assert tangent.compute_optimal_checkpoints(100) == 10
    assert tangent.find_nearest_checkpoint(7, [0, 5, 10]) == 5
    assert tangent.segment_size(100) == 10
    assert tangent.num_segments(100, 10) == 10
    assert tangent.segment_bounds(100, 10, 2) == (70, 10)
    assert tangent.is_checkpoint_iteration(5, [0, 5])
    assert tangent.should_checkpoint(1000) is True
    assert tangent.should_checkpoint(2) is False
    savings = tangent.get_memory_savings(100)
    assert set(savings) == {
        'without_checkpointing',
        'with_checkpointing',
        'savings_ratio',
        'savings_percent',
        'num_checkpoints',
        'recomputation_factor',
    }
    assert savings['with_checkpointing'] == 20
    assert tangent.estimate_checkpoint_savings(100) == savings
    assert 'recomputation_factor' not in tangent.estimate_memory_savings_helper(100, 10, 8)
    state, kept = tangent.checkpointed_loop(lambda s, i: s * 2.0, np.ones(2), 10, 3)
    np.testing.assert_array_equal(state, np.full(2, 1024.0))
    assert list(kept) == tangent.compute_checkpoint_positions(10, 3)
    assert kept[2][0] == 4.0


def test_online_helpers() -> None:
    snaps: list[int] = []
    seg = 1
    for i in range(100):
        seg = tangent.online_store(snaps, i, i, seg, budget=8)
    assert snaps == list(range(0, 100, seg))
    assert len(snaps) <= 8
    assert tangent.online_segment(snaps, 0, 100) == (snaps[-1], 100 - snaps[-1])


def test_stored_states_are_copies() -> None:
    data: dict[int, Any] = {}
    state = np.ones(2)
    tangent.store_checkpoint(data, 4, state)
    state[0] = 5.0
    np.testing.assert_array_equal(tangent.restore_checkpoint(data, 6, [0, 4]), np.ones(2))
    with pytest.raises(tangent.TangentValueError):
        tangent.restore_checkpoint(data, 3, [4])
    stack = tangent.CheckpointAwareStack([], [1, 2])
    for k in range(4):
        stack.push(k)
    assert (len(stack), stack.pop(), stack.pop()) == (2, 2, 1)


def test_plans() -> None:
    assert tangent.checkpoint_plan(100, 100).schedule == 'none'
    plan = tangent.checkpoint_plan(10_000, 200)
    assert plan[:4] == ('sqrt', 100, 100, 10_000)
    plan = tangent.checkpoint_plan(10_000, 50)
    assert plan.schedule == 'binomial'
    assert plan.recomputed_steps == _checkpointing.recomputed_steps(10_000, 49)
    df = tangent.grad(constant_length, checkpoint_config=plan.checkpoint_config)
    assert df is tangent.grad(constant_length, checkpoint_config=dict(plan.checkpoint_config))
    for bad in ((-1, 5), (10, 0), (10, 1), (10.5, 4), (True, 4)):
        with pytest.raises(tangent.TangentValueError):
            tangent.checkpoint_plan(*bad)


def test_grad_with_checkpointing() -> None:
    df = tangent.grad_with_checkpointing(constant_length, (0, 1), 4)
    assert 'range(0, 20, 5)' in df.source(*arguments())
    for got, want in zip(df(*arguments()), gradients(constant_length)(*arguments()), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-12)


# ------------------------------------------------------------------------------------------------
# Generated programs


COUNT = 150


@pytest.mark.parametrize('first', range(0, COUNT, 50))
@pytest.mark.parametrize('name', ['sqrt', 'sqrt 3', 'binomial 3'])
def test_generated(name: str, first: int, tmp_path: Path) -> None:
    """With snapshots as without: the same gradients, the same refusals."""
    compared = 0
    for number in range(first, first + 50):
        compared += compare_generated(number, CONFIGS[name], tmp_path / f'program_{number}.py')
    assert compared > 0


def outcome(f: Callable[..., Any], args: Any, **options: Any) -> Any:
    """The gradient and the arguments behind it, or what was raised; and what was printed."""
    args = copy.deepcopy(args)
    out = io.StringIO()
    with contextlib.redirect_stdout(out), np.errstate(all='ignore'):
        try:
            got = tangent.grad(f, **options)(*args)
        except Exception as problem:
            return type(problem), None, out.getvalue()
    return got, args, out.getvalue()


def compare_generated(number: int, config: dict[str, Any], path: Path) -> bool:
    """Whether a program of that number keeps snapshots; its gradient has to be the same."""
    program = programs.program(number)
    f = program.load(path)
    found = False
    for args in program.argument_sets:
        options = {'wrt': program.wrt}
        plain, plain_args, plain_out = outcome(f, args, **options)
        mine, mine_args, mine_out = outcome(f, args, checkpoint_config=config, **options)
        assert mine_out == plain_out, number
        if isinstance(plain, type) or isinstance(mine, type):
            assert mine is plain, (number, plain, mine)
            continue
        assert oracle.same(oracle_leaves(mine), oracle_leaves(plain), 1e-11), (number, mine, plain)
        assert oracle.same(oracle_leaves(mine_args), oracle_leaves(plain_args), 0.0), number
        df = tangent.grad(f, checkpoint_config=config, **options)
        found = found or '_snapshots' in df.source(*copy.deepcopy(args))
    return found


def oracle_leaves(value: Any) -> list[Any]:
    return [leaf for leaf in oracle.leaves(value) if not isinstance(leaf, str)]


def lists_of_many_lengths(x, n):
    total = 0.0
    for i in range(n):
        y = x * (i + 1)
        weights = [0.1 * k for k in range(3 * i + 2)]
        with tangent.checkpoint():
            for j in range(len(weights)):
                y = math.sin(y) + weights[j] * x * j
        total += y * y
        weights.pop()
    return total


def test_the_lengths_of_lists_are_those_of_each_loop():
    got = tangent.grad(lists_of_many_lengths)(0.7, 6)
    assert oracle.error(got, oracle.gradient(lists_of_many_lengths, (0.7, 6), (0,))[0]) <= 1e-10
