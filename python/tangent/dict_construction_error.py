"""The module in which the predecessor keeps this error."""

from __future__ import annotations

from tangent.errors import DictConstructionError

__all__ = ['DictConstructionError']
