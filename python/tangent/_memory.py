"""The gradients that `grad` and its like give again: the memory of a process, bounded.

In: functions, keys of options, gradients. Out: the gradient that was made for this very function
with these options. A gradient stands in its function's own `__dict__`, so that both go together
when nobody else refers to them; here is only the order in which they were used, by weak
references. That a gradient is still right is not decided here: it asks its guards at every call.
"""

from __future__ import annotations

import weakref
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from tangent import _options
from tangent._core import Gradient

# What the dict is called in which a function keeps its gradients.
NAME = '__tangent_gradients__'
_STANDARD_SIZE = 128


class _Kept(dict[Any, Any]):
    """The gradients of one function: key -> (the function, the gradient, its number here)."""

    __slots__ = ('__weakref__',)


class _Memory:
    """The order of use, the bound, the counts."""

    def __init__(self) -> None:
        self.order: OrderedDict[int, tuple[weakref.ref[Any], weakref.ref[_Kept], Any]] = (
            OrderedDict()
        )
        self.bound = _STANDARD_SIZE
        self.hits = self.misses = self.evictions = 0
        self.last = 0

    def forget(self, number: int) -> None:
        """The gradient of that number is gone."""
        self.order.pop(number, None)

    def shrink(self) -> None:
        """Lets go of what was used longest ago, until the bound is kept."""
        while len(self.order) > self.bound:
            try:
                number, (_, kept, key) = self.order.popitem(last=False)
            except KeyError:  # another thread was quicker
                return
            self.evictions += 1
            _take_out(kept(), key, number)


def _take_out(kept: _Kept | None, key: Any, number: int) -> None:
    if kept is not None:
        entry = kept.get(key)
        if entry is not None and entry[2] == number:
            kept.pop(key, None)


_memory = _Memory()


def find(func: Callable[..., Any], key: tuple[Any, ...]) -> Gradient | None:
    """The gradient that was made for this very function with these options."""
    try:
        owner, gradient, number = func.__dict__[NAME][key]
        # functools.wraps copies the dict of one function to another.
        if owner is not func or not gradient.__tangent_current__:
            return None
        _memory.order.move_to_end(number)
    except (KeyError, AttributeError, TypeError):
        return None
    _memory.hits += 1
    found: Gradient = gradient
    return found


def keep(func: Callable[..., Any], key: tuple[Any, ...], gradient: Any) -> None:
    """Keeps a gradient that was just made, in place of what is there."""
    _memory.misses += 1
    try:
        kept = func.__dict__.get(NAME)
    except AttributeError:  # it keeps nothing: a method, an object with slots
        return
    if type(kept) is not _Kept or any(owner is not func for owner, _, _ in list(kept.values())):
        kept = _Kept()
        func.__dict__[NAME] = kept
    _memory.last = number = _memory.last + 1
    before = kept.get(key)
    kept[key] = func, gradient, number
    if before is not None:
        _memory.forget(before[2])
    alive = weakref.ref(gradient, lambda _: _memory.forget(number))
    _memory.order[number] = alive, weakref.ref(kept), key
    _memory.shrink()


# ------------------------------------------------------------------------------------------------
# For users


def get_cache_size() -> int:
    """How many gradients are kept at most.

    Examples
    --------
    >>> tangent.get_cache_size()
    128
    """
    return _memory.bound


def set_cache_size(size: int) -> None:
    """Bounds the number of gradients that are kept; what was used longest ago goes at once.

    Parameters
    ----------
    size
        The bound, at least 1. A gradient that somebody holds stays as it is; it is only not given
        again.

    Raises
    ------
    TangentValueError
        If `size` is no int above 0. It is a ValueError.

    Examples
    --------
    >>> tangent.set_cache_size(1000)
    """
    if not isinstance(size, int) or isinstance(size, bool) or size <= 0:
        _options.refuse(
            'BadOption',
            f'a cache of size {size!r} keeps nothing',
            'give an int above 0; tangent.clear_cache() empties the cache',
        )
    _memory.bound = size
    _memory.shrink()


def clear_cache() -> None:
    """Forgets all gradients; the counts stay. What is on disk stays, too.

    Examples
    --------
    >>> tangent.clear_cache()
    """
    while _memory.order:
        try:
            number, (_, kept, key) = _memory.order.popitem(last=False)
        except KeyError:
            return
        _take_out(kept(), key, number)


def get_cache_stats() -> dict[str, int | float]:
    """What the memory cache did since the counts were set to zero.

    Returns
    -------
    dict
        `hits` and `misses`: how often a gradient was there or had to be made; `evictions`: how
        many went because of the bound; `size` and `max_size`: how many there are and may be;
        `hit_rate`: hits / (hits + misses), 0.0 before there was any.

    Examples
    --------
    >>> tangent.get_cache_stats()['max_size']
    128
    """
    asked = _memory.hits + _memory.misses
    return {
        'hits': _memory.hits,
        'misses': _memory.misses,
        'evictions': _memory.evictions,
        'size': len(_memory.order),
        'max_size': _memory.bound,
        'hit_rate': _memory.hits / asked if asked else 0.0,
    }


def reset_cache_stats() -> None:
    """Sets the counts of hits, misses and evictions to zero.

    Examples
    --------
    >>> tangent.reset_cache_stats()
    """
    _memory.hits = _memory.misses = _memory.evictions = 0
