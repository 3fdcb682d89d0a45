"""What emitted loops with snapshots call: at which steps there are to be snapshots.

Steps are counted from 0; a snapshot at step k is the state of the loop before it. The binomial
schedule is that of A. Griewank and A. Walther, "Algorithm 799: revolve" (ACM Transactions on
Mathematical Software 26, 2000). It reverses a chain whose last step is run just once. Here that is
what follows the loop, so a loop of n steps is a chain of n + 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator


class _Checkpoint:
    """Does nothing: the function itself runs as without it."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, *exception: object) -> None:
        return None


def checkpoint() -> _Checkpoint:
    """Marks loops of a differentiated function whose gradient keeps snapshots in place of tapes.

    The function itself runs as without it. In a gradient, the outermost loops inside are run again
    in parts backwards, however short they are; one that cannot be is refused.

    Returns
    -------
    context manager
        For `with`, around loops.

    Examples
    --------
    >>> def f(x):
    ...     with tangent.checkpoint():
    ...         for _ in range(1000):
    ...             x = x + 0.01 * np.sin(x)
    ...     return np.sum(x)
    """
    return _Checkpoint()


# By default as many snapshots as let no step be run again more than so many times.
_REPETITIONS = 3


def _segment_size(n: int, most: int | None = None) -> int:
    """How many steps lie between two snapshots: √n, rounded up, unless there is a most of them."""
    if n <= 1:
        return 1
    if most is not None:
        return -(-n // most)
    return math.isqrt(n - 1) + 1


def _reach(snapshots: int, repetitions: int) -> int:
    """How long a chain may be: (snapshots + repetitions)! / (snapshots! repetitions!)."""
    if snapshots < 0 or repetitions < 0:
        return 0
    return math.comb(snapshots + repetitions, repetitions)


def _repetitions(n: int, snapshots: int) -> int:
    """How often at most a step of a chain of n is run before the run with tapes."""
    repetitions = 0
    while _reach(snapshots, repetitions) < n:
        repetitions += 1
    return repetitions


def _default_snapshots(n: int) -> int:
    """The fewest snapshots with which no step of a loop is run again more than three times."""
    low, high = 1, 2
    while _reach(high, _REPETITIONS) < n + 1:
        low, high = high, 2 * high
    while low < high:
        middle = (low + high) // 2
        if _reach(middle, _REPETITIONS) < n + 1:
            low = middle + 1
        else:
            high = middle
    return low


def _advance(n: int, snapshots: int) -> int:
    """How far the next snapshot lies from the first one, in a chain of n > 1 steps."""
    repetitions = _repetitions(n, snapshots)
    least = max(1, _reach(snapshots, repetitions - 2), n - _reach(snapshots - 1, repetitions))
    most = min(_reach(snapshots, repetitions - 1), n - _reach(snapshots - 1, repetitions - 1))
    return max(least, min(most, n - 1))


def _on_the_way(first: int, stop: int, snapshots: int) -> list[int]:
    """At which steps from `first` to `stop` there are to be snapshots, that at `first` included."""
    steps: list[int] = []
    while stop - first > 1:
        steps.append(first)
        if snapshots == 1:
            break
        first += _advance(stop - first, snapshots)
        snapshots -= 1
    return steps


def _snapshot_steps(n: int, most: int | None = None) -> frozenset[int]:
    """The steps at which the forward part makes its snapshots."""
    return frozenset(_on_the_way(0, n + 1, most or _default_snapshots(n)))


def _stretches(
    stored: Iterable[int], n: int, most: int | None = None
) -> Iterator[tuple[int, int, tuple[int, ...]]]:
    """For each step, last first: where to start from, the step, which snapshots to make anew."""
    snapshots = sorted(stored)
    most = max(most or _default_snapshots(n), len(snapshots))
    for step in reversed(range(n)):
        first = snapshots.pop()
        kept = _on_the_way(first, step + 1, most - len(snapshots))
        snapshots += kept
        yield first, step, tuple(kept)
