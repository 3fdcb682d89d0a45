"""What a call takes."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any


def peak_memory(f: Callable[..., Any], *args: Any) -> int:
    """Bytes: the peak of a second call, by tracemalloc."""
    f(*args)
    tracemalloc.start()
    try:
        f(*args)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
