"""Choices of the options `optimized` and `optimizations`: each one alone, and combinations.

`CHOICES` is a list of keyword arguments of `tangent.grad`; `name_of` names one for test ids.
"""

from __future__ import annotations

import random
from typing import Any

KEYS = ('dce', 'strength_reduction', 'cse', 'algebraic', 'tape_liveness', 'coarsening')
ALL_ON = {'optimizations': dict.fromkeys(KEYS, True)}
ALL_OFF = {'optimizations': dict.fromkeys(KEYS, False)}
NAIVE = {'optimized': False}

SINGLES: list[dict[str, Any]] = [
    NAIVE,
    *({'optimizations': {key: on}} for key in KEYS for on in (True, False)),
    ALL_ON,
    ALL_OFF,
    NAIVE | ALL_ON,
]


def combinations(count: int = 30, seed: int = 20) -> list[dict[str, Any]]:
    """Random combinations: some keys, each True or False, a third of them on the naive adjoint."""
    rng = random.Random(seed)
    chosen = []
    while len(chosen) < count:
        keys = rng.sample(KEYS, rng.randint(2, len(KEYS)))
        choice = {
            'optimized': rng.random() < 0.67,
            'optimizations': {key: rng.random() < 0.7 for key in keys},
        }
        if choice not in chosen:
            chosen.append(choice)
    return chosen


COMBINATIONS = combinations()


def name_of(choice: dict[str, Any]) -> str:
    parts = [] if choice.get('optimized', True) else ['naive']
    for key, on in choice.get('optimizations', {}).items():
        parts.append(key if on else f'no_{key}')
    return '-'.join(parts)


def keeps_the_primal(choice: dict[str, Any]) -> bool:
    """Whether the value is the user's function's own, bit for bit."""
    return not choice.get('optimizations', {}).get('algebraic', False)


# Every option of tangent.grad that leaves the gradient what it is.

_CHECKPOINTS: list[dict[str, Any]] = [
    {'checkpoint': True},
    *(
        {'checkpoint_config': {'enabled': True, 'min_length': 1, **schedule}}
        for schedule in (
            {},
            {'num_checkpoints': 2},
            {'schedule': 'binomial'},
            {'schedule': 'binomial', 'num_checkpoints': 2},
        )
    ),
]


def with_disk(choice: dict[str, Any], folder: str) -> dict[str, Any]:
    """The same with tapes on disk."""
    config = {**choice.get('checkpoint_config', {}), 'disk': folder}
    return {**choice, 'checkpoint_config': config}


def every_option(folder: str) -> list[dict[str, Any]]:
    """Each option with each kind of value, alone. Tapes on disk lie in the folder."""
    return [
        *SINGLES,
        *_CHECKPOINTS,
        with_disk({}, folder),
        with_disk(_CHECKPOINTS[1], folder),
        {'check_dims': False},
        {'preserve_result': True},
        {'verbose': 1},
        {'verbose': 2},
        {'compile': 'python'},
    ]


def random_options(folder: str, count: int = 30, seed: int = 6) -> list[dict[str, Any]]:
    """Random combinations of all of them."""
    rng = random.Random(seed)
    chosen: list[dict[str, Any]] = []
    for choice in combinations(count, seed):
        if rng.random() < 0.7:
            choice = choice | rng.choice(_CHECKPOINTS)
        if rng.random() < 0.4:
            choice = with_disk(choice, folder)
        if rng.random() < 0.3:
            choice = choice | {'check_dims': False}
        if rng.random() < 0.3:
            choice = choice | {'preserve_result': True}
        chosen.append(choice)
    return chosen
