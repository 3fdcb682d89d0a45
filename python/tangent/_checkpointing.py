"""Loops that keep snapshots of their state in place of tapes: what users call.

`tangent.grad(f, checkpoint=True)` and `with tangent.checkpoint():` make the engine emit such loops
(docs/checkpointing.md). The functions here plan memory, and checkpoint loops by hand.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from tangent import _options, _runtime_steps
from tangent._runtime_steps import checkpoint as checkpoint


def _whole(value: object, name: str, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        _options.refuse(
            'BadOption', f'{name}={value!r}', f'{name} is a whole number, at least {least}'
        )
    return value


def grad_with_checkpointing(
    func: Callable[..., Any],
    wrt: _options.Wrt = (0,),
    num_checkpoints: int | None = None,
    **grad_kwargs: Any,
) -> Any:
    """`tangent.grad` with snapshots in place of tapes in loops of any length.

    Parameters
    ----------
    func, wrt
        As for `tangent.grad`.
    num_checkpoints
        At most so many snapshots at a time; None is about √n.
    **grad_kwargs
        Further options of `tangent.grad`; `checkpoint_config` may say more.

    Returns
    -------
    Gradient
        The gradient.
    """
    from tangent import grad

    config: dict[str, Any] = {'min_length': 1, **(grad_kwargs.pop('checkpoint_config', None) or {})}
    if num_checkpoints is not None:
        config['num_checkpoints'] = num_checkpoints
    config['enabled'] = True
    return grad(func, wrt, checkpoint_config=config, **grad_kwargs)


# ------------------------------------------------------------------------------------------------
# Plans


class CheckpointPlan(NamedTuple):
    """What a loop costs whose gradient may keep so much.

    Attributes
    ----------
    schedule
        'none' (all on tapes), 'sqrt' or 'binomial'.
    num_checkpoints
        How many snapshots there are at a time; 0 for 'none'.
    segment
        How many steps are run again, with tapes, before they are undone.
    recomputed_steps
        How many steps are run beyond the n of the loop itself.
    peak
        How many states are kept at most: snapshots, and those on tapes.
    """

    schedule: str
    num_checkpoints: int
    segment: int
    recomputed_steps: int
    peak: int

    @property
    def checkpoint_config(self) -> dict[str, Any]:
        """The option of `tangent.grad` for this plan."""
        if self.schedule == 'none':
            return {'enabled': False}
        return {
            'enabled': True,
            'schedule': self.schedule,
            'num_checkpoints': self.num_checkpoints,
        }


def checkpoint_plan(n: int, memory: int) -> CheckpointPlan:
    """The cheapest schedule for a loop of n steps whose gradient may keep `memory` states.

    Parameters
    ----------
    n
        The number of steps.
    memory
        How many states of the loop there is room for, at least 2: a state is what one step leaves
        to the next, and what one step keeps on tapes counts as one, too.

    Returns
    -------
    CheckpointPlan
        The schedule, and what it costs by theory. With tapes alone nothing is run again, with √n
        segments every step once. The binomial schedule runs t(n + 1, c) steps again with c
        snapshots, where t(l, c) = r l - (c + r)! / ((c + 1)! (r - 1)!) for the smallest r with
        l <= (c + r)! / (c! r!) (Griewank and Walther, 2000).

    Raises
    ------
    TangentValueError
        For a number of steps or a memory that makes no sense.

    Examples
    --------
    >>> tangent.checkpoint_plan(10_000, 200).recomputed_steps
    10000
    >>> tangent.checkpoint_plan(10_000, 50).checkpoint_config
    {'enabled': True, 'schedule': 'binomial', 'num_checkpoints': 49}
    """
    n = _whole(n, 'n', 0)
    memory = _whole(memory, 'memory', 2)
    if n <= memory:
        return CheckpointPlan('none', 0, n, 0, n)
    # Of the segments that fit, the shortest: snapshots cost less time than tapes.
    for segment in range(max(1, -(-n // memory)), n + 1):
        count = -(-n // segment)
        if count + segment > memory and segment > count:
            break
        if count + segment <= memory:
            return CheckpointPlan('sqrt', count, segment, n, count + segment)
    snapshots = memory - 1
    return CheckpointPlan('binomial', snapshots, 1, recomputed_steps(n, snapshots), memory)


def recomputed_steps(n: int, snapshots: int) -> int:
    """How many steps the binomial schedule runs beyond the n of the loop itself."""
    if n == 0:
        return 0
    repetitions = _runtime_steps._repetitions(n + 1, snapshots)
    return repetitions * (n + 1) - _runtime_steps._reach(snapshots + 1, repetitions - 1)


def compute_optimal_checkpoints(n: int) -> int:
    """How many snapshots a loop of n steps has by default: about √n."""
    return -(-_whole(n, 'n', 0) // segment_size(n)) if n else 0


def compute_checkpoint_positions(n: int, num_checkpoints: int) -> list[int]:
    """`num_checkpoints` steps between 0 and n, at equal distances, the shorter ones first.

    Examples
    --------
    >>> tangent.compute_checkpoint_positions(100, 5)
    [16, 32, 49, 66, 83]
    """
    n = _whole(n, 'n', 0)
    count = _whole(num_checkpoints, 'num_checkpoints', 0)
    if count >= n:
        return list(range(n))
    positions: list[int] = []
    position = 0
    for left in range(count + 1, 1, -1):
        position += (n - position) // left
        positions.append(position)
    return positions


def get_memory_savings(n: int, num_checkpoints: int | None = None) -> dict[str, float]:
    """What snapshots save, in states of the loop.

    Returns
    -------
    dict
        `without_checkpointing`, `with_checkpointing` (states kept), `savings_ratio`,
        `savings_percent`, `num_checkpoints`, `recomputation_factor` (runs of each step).
    """
    n = _whole(n, 'n', 0)
    count = compute_optimal_checkpoints(n) if num_checkpoints is None else num_checkpoints
    found = estimate_memory_savings_helper(n, _whole(count, 'num_checkpoints', 0), 1)
    return {**found, 'recomputation_factor': 2.0 if count else 1.0}


def estimate_checkpoint_savings(n: int, num_checkpoints: int | None = None) -> dict[str, float]:
    """The same as `get_memory_savings`."""
    return get_memory_savings(n, num_checkpoints)


def estimate_memory_savings_helper(
    n: int, num_checkpoints: int, state_bytes: float
) -> dict[str, float]:
    """What snapshots save, in bytes, for a state of so many."""
    segment = -(-n // num_checkpoints) if num_checkpoints else n
    without = n * state_bytes
    kept = min(without, (num_checkpoints + segment) * state_bytes) if num_checkpoints else without
    return {
        'without_checkpointing': without,
        'with_checkpointing': kept,
        'savings_ratio': without / kept if kept else 1.0,
        'savings_percent': 100.0 * (1.0 - kept / without) if without else 0.0,
        'num_checkpoints': num_checkpoints,
    }


def should_checkpoint(n: int, threshold: float = 0.5) -> bool:
    """Whether snapshots save more than that share of the memory of a loop of n steps."""
    return get_memory_savings(n)['savings_percent'] > 100.0 * threshold


def get_checkpoint_info(n: int, num_checkpoints: int | None = None) -> dict[str, Any]:
    """Positions of snapshots and what they save."""
    savings = get_memory_savings(n, num_checkpoints)
    positions = compute_checkpoint_positions(n, int(savings['num_checkpoints']))
    return {**savings, 'positions': positions, 'segment_size': segment_size(n)}


# ------------------------------------------------------------------------------------------------
# Segments


def segment_size(n: int) -> int:
    """How many steps a segment has by default: √n, rounded up.

    Examples
    --------
    >>> tangent.segment_size(100)
    10
    """
    return _runtime_steps._segment_size(_whole(n, 'n', 0))


def num_segments(n: int, seg: int) -> int:
    """How many segments of `seg` steps a loop of n steps has."""
    return -(-_whole(n, 'n', 0) // _whole(seg, 'seg', 1))


def segment_bounds(n: int, seg: int, s: int) -> tuple[int, int]:
    """The first step and the length of segment s, counted from the end.

    Examples
    --------
    >>> tangent.segment_bounds(100, 10, 2)
    (70, 10)
    """
    start = (num_segments(n, seg) - 1 - s) * seg
    return start, min(seg, n - start)


# ------------------------------------------------------------------------------------------------
# By hand


def snapshot(values: Any) -> Any:
    """A copy of a state that nothing shares: arrays, and lists, tuples and dicts of them."""
    return copy.deepcopy(values)


def checkpointed_loop(
    fn: Callable[[Any, int], Any], state: Any, n: int, num_checkpoints: int | None = None
) -> tuple[Any, dict[int, Any]]:
    """Runs `state = fn(state, i)` for i in range(n), and keeps states on the way.

    Returns
    -------
    tuple
        The last state, and {i: state before step i}.
    """
    n = _whole(n, 'n', 0)
    count = compute_optimal_checkpoints(n) if num_checkpoints is None else num_checkpoints
    positions = set(compute_checkpoint_positions(n, count))
    kept: dict[int, Any] = {}
    for i in range(n):
        if i in positions:
            kept[i] = snapshot(state)
        state = fn(state, i)
    return state, kept


def is_checkpoint_iteration(i: int, positions: Iterable[int]) -> bool:
    """Whether there is a snapshot at step i."""
    return i in positions


def find_nearest_checkpoint(i: int, positions: Iterable[int]) -> int | None:
    """The last position that is not behind i; None if there is none.

    Examples
    --------
    >>> tangent.find_nearest_checkpoint(7, [0, 5, 10])
    5
    """
    return max((each for each in positions if each <= i), default=None)


def store_checkpoint(data: dict[int, Any], i: int, state: Any, backend: str = 'numpy') -> None:
    """Keeps a copy of a state under step i."""
    if backend != 'numpy':
        _options.refuse('BadOption', f'backend={backend!r}', "backend is 'numpy'")
    data[i] = snapshot(state)


def restore_checkpoint(data: Mapping[int, Any], i: int, positions: Iterable[int]) -> Any:
    """A copy of the state that was kept last before step i, or at it."""
    nearest = find_nearest_checkpoint(i, positions)
    if nearest is None or nearest not in data:
        _options.refuse('BadOption', f'no state was kept at step {i} or before', 'keep one at 0')
    return snapshot(data[nearest])


def online_store(snaps: list[Any], i: int, snap: Any, seg: int, budget: int = 32) -> int:
    """Keeps a snapshot at every seg-th step of a loop of unknown length.

    Where there are more than `budget`, every second one goes and `seg` doubles.

    Returns
    -------
    int
        The distance between snapshots from now on.
    """
    budget = _whole(budget, 'budget', 1)
    seg = _whole(seg, 'seg', 1)
    if i % seg == 0:
        if len(snaps) == budget:
            del snaps[1::2]
            seg *= 2
        if i % seg == 0:
            snaps.append(snap)
    return seg


def online_segment(snaps: Sequence[Any], s: int, total: int) -> tuple[int, int]:
    """The first step and the length of segment s, counted from the end, of a loop of `total` steps.

    The snapshots are those that `online_store` kept.
    """
    seg = 1
    while -(-total // seg) > len(snaps):
        seg *= 2
    return segment_bounds(total, seg, s)


class CheckpointAwareStack:
    """A stack that keeps what is pushed at some steps alone.

    Parameters
    ----------
    stack
        The list below it.
    positions
        The steps whose values are kept.
    """

    def __init__(self, stack: list[Any], positions: Iterable[int]) -> None:
        self._stack = stack
        self._positions = frozenset(positions)
        self._step = 0

    def push(self, value: Any) -> None:
        """Keeps a copy of the value if this step is one of the positions."""
        if self._step in self._positions:
            self._stack.append(snapshot(value))
        self._step += 1

    def pop(self) -> Any:
        """The value that was kept last."""
        return self._stack.pop()

    def __len__(self) -> int:
        return len(self._stack)

