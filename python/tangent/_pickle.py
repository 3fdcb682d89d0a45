"""How a gradient is pickled: by its name where it stands in its module, else by how it was made."""

from __future__ import annotations

import sys
from typing import Any


def reduce(gradient: Any, recipe: tuple[Any, ...]) -> str | tuple[Any, ...]:
    """What `gradient.__reduce__` returns. A decorated function is itself the gradient there."""
    primal = gradient.__tangent_primal__
    found: Any = sys.modules.get(primal.__module__)
    name: str = primal.__qualname__
    for part in name.split('.'):
        found = getattr(found, part, None)
    if found is gradient:
        gradient.__qualname__ = name
        return name
    return recipe
