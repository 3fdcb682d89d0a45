"""Memory and time of loops that keep snapshots, against those of the full tape.

    python benchmarks/checkpointing.py            10,000 steps of a nonlinear vector of 1,000

Prints the peak of what a gradient allocates (tracemalloc), the processor time of a call, both as
shares of those of the gradient with tapes, and how many steps are run again by theory; then, by
processes of their own, how much larger one gets (resident set) with tapes in memory and on disk. It
asserts nothing.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import tangent
from tangent._checkpointing import recomputed_steps


def flow(x, n):
    for _ in range(n):
        x = x + 0.001 * np.sin(x) * np.exp(-x * x)
    return np.sum(x)


def flow_until(x, end):
    t = 0.0
    while t < end:
        x = x + 0.001 * np.sin(x) * np.exp(-x * x)
        t = t + 0.001
    return np.sum(x)


def peak_of(df: Callable[..., Any], *args: Any) -> int:
    df(*args)
    tracemalloc.start()
    df(*args)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def times_of(calls: list[Callable[[], Any]]) -> list[float]:
    """The least of several rounds, in turn: a busy machine disturbs all alike."""
    times = [float('inf')] * len(calls)
    for _ in range(5):
        for k, call in enumerate(calls):
            start = time.process_time()
            call()
            times[k] = min(times[k], time.process_time() - start)
    return times


def growth_of(config: str, n: int, size: int) -> float:
    """How many megabytes a process grows by in its largest call, beyond one of ten steps."""
    code = (
        'import checkpointing as c, numpy as np, tangent\n'
        'def peak():  # VmHWM: what getrusage says is that of the process before exec as well\n'
        '    lines = open("/proc/self/status").read().splitlines()\n'
        '    return int(next(line.split()[1] for line in lines if line.startswith("VmHWM")))\n'
        f'df = tangent.grad(c.flow, checkpoint_config={config})\n'
        f'x = np.linspace(0.1, 1.0, {size})\n'
        'df(x, 10)\n'
        'before = peak()\n'
        f'df(x, {n})\n'
        'print(peak() - before)\n'
    )
    where = sys.path[0]
    done = subprocess.run(
        [sys.executable, '-c', code], cwd=where, capture_output=True, text=True, check=True
    )
    return int(done.stdout) / 1024


def print_on_disk(n: int, size: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        print(f'{"a process grows by":<32}{"MB":>8}')
        for name, config in (
            ('tapes in memory', 'None'),
            ('tapes on disk', f"{{'disk': {folder!r}}}"),
            ('snapshots in memory', "{'enabled': True}"),
            ('snapshots and tapes on disk', f"{{'enabled': True, 'disk': {folder!r}}}"),
        ):
            print(f'{name:<32}{growth_of(config, n, size):>8.1f}')


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--steps', type=int, default=10_000)
    parser.add_argument('--size', type=int, default=1_000)
    given = parser.parse_args()
    n = given.steps
    x = np.linspace(0.1, 1.0, given.size)
    on: dict[str, Any] = {'enabled': True}
    binomial = {**on, 'schedule': 'binomial'}
    rows: list[tuple[str, Callable[..., Any], Any, dict[str, Any] | None, int | None]] = [
        ('tapes', flow, n, None, 0),
        ('sqrt', flow, n, on, n),
        ('binomial, 80', flow, n, {**binomial, 'num_checkpoints': 80}, recomputed_steps(n, 80)),
        ('binomial, 40', flow, n, {**binomial, 'num_checkpoints': 40}, recomputed_steps(n, 40)),
        ('binomial, 20', flow, n, {**binomial, 'num_checkpoints': 20}, recomputed_steps(n, 20)),
        ('binomial, 10', flow, n, {**binomial, 'num_checkpoints': 10}, recomputed_steps(n, 10)),
        ('tapes on disk', flow, n, {'disk': tempfile.gettempdir()}, 0),
        ('sqrt on disk', flow, n, {**on, 'disk': tempfile.gettempdir()}, n),
        ('while: tapes', flow_until, n / 1000, None, 0),
        ('while: sqrt', flow_until, n / 1000, on, n),
        ('while: 40', flow_until, n / 1000, {**binomial, 'num_checkpoints': 40}, None),
    ]
    print(f'{n} steps of {x.nbytes} bytes')
    print(f'{"":<16}{"peak":>10}{"of tapes":>10}{"time":>10}{"of tapes":>10}{"run again":>12}')
    gradients = [tangent.grad(row[1], checkpoint_config=row[3]) for row in rows]
    peaks = [peak_of(df, x, row[2]) for df, row in zip(gradients, rows, strict=True)]
    times = times_of([partial(df, x, row[2]) for df, row in zip(gradients, rows, strict=True)])
    for (name, _, _, config, again), peak, seconds in zip(rows, peaks, times, strict=True):
        if config is None:
            full_peak, full_seconds = peak, seconds
        shown = '' if again is None else str(again)
        print(
            f'{name:<16}{peak / 1e6:>7.2f} MB{peak / full_peak:>10.2%}{seconds * 1e3:>7.0f} ms'
            f'{seconds / full_seconds:>9.2f}x{shown:>12}'
        )
    print_on_disk(n, given.size)


if __name__ == '__main__':
    main()
