"""What `verbose` prints, and the one line that many variants log."""

from __future__ import annotations

import logging

_MANY_VARIANTS = 9


def variant(name: str, count: int, text: str, verbose: int) -> None:
    """Called when a variant was made: the `count`-th of its gradient."""
    if count == _MANY_VARIANTS:
        logging.getLogger('tangent').warning(
            '%s has more than %d variants: it is called with arguments of many types, and each '
            'is differentiated anew',
            name,
            _MANY_VARIANTS - 1,
        )
    if verbose > 0:
        print(f'[tangent] {name}: variant {count}')
        print(text)


def stage(name: str, text: str) -> None:
    """Called after each stage of the road, with its program as text."""
    print(f'[tangent] {name}')
    print(text)
