"""What `verbose` prints, and the one line that many variants log.

`verbose=1` says where a gradient came from (a line `[Cache] …`), what the passes did (a line
`[Optimization] …`) and shows its text. `verbose=2` also shows the program after each stage, headed
by the stage's name; what a pass made is headed `[Optimization] …`. A gradient that was made before
prints its `[Cache]` line alone.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

_MANY_VARIANTS = 9

# The stages that are not passes, with their headings; what follows the adjoint is a pass.
_HEADINGS = {
    'core': 'CORE: the function in the engine\'s small language, calls written out',
    'typed': 'TYPED: the same with the types of the arguments, views spelled out',
    'adjoint': 'ADJOINT: forward and backward part, before the passes',
    'tangent': 'TANGENT: each statement and its tangent, before the passes',
}


def cache(name: str, event: str) -> None:
    """The one line about where a gradient or its text came from."""
    print(f'[Cache] {name}: {event}')


def variant(
    name: str, count: int, text: str, verbose: int, stages: Sequence[tuple[str, str]]
) -> None:
    """Called when a variant was made: the `count`-th of its gradient, on this road."""
    if count == _MANY_VARIANTS:
        logging.getLogger('tangent').warning(
            '%s has more than %d variants: it is called with arguments of many types, and each '
            'is differentiated anew',
            name,
            _MANY_VARIANTS - 1,
        )
    if verbose > 0:
        cache(name, f'computed variant {count}, for arguments of new types')
        print(f'[Optimization] {optimization(stages)}')
        print(text)


def stage(name: str, text: str) -> None:
    """Called after each stage of the road, with its program as text."""
    heading = _HEADINGS.get(name)
    print(heading if heading is not None else f'[Optimization] after the pass "{name}"')
    print(text)


def passes(stages: Sequence[tuple[str, str]]) -> list[tuple[str, str, str]]:
    """The passes that changed the program: name, the program before, the program after."""
    found = []
    before: str | None = None
    for name, text in stages:
        if before is not None and text != before:
            found.append((name, before, text))
        if before is not None or name in ('adjoint', 'tangent'):
            before = text
    return found


def count_lines(text: str) -> int:
    """Lines that say something: no blank ones, no comments."""
    lines = (line.strip() for line in text.split('\n'))
    return sum(bool(line) and not line.startswith('#') for line in lines)


def optimization(stages: Sequence[tuple[str, str]]) -> str:
    """What the passes did, in a line: `dead code, tidy: 19 -> 12 lines`."""
    changes = passes(stages)
    if not changes:
        return 'no pass changed anything'
    names = ', '.join(name for name, _, _ in changes)
    return f'{names}: {count_lines(changes[0][1])} -> {count_lines(changes[-1][2])} lines'
