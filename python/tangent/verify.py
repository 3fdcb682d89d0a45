"""The error of the predecessor's checks of its intermediate programs.

This engine checks its core programs at every differentiation (src/lower/verify.h) and raises
TangentInternalError; nothing raises this one. It is here for those who catch it.
"""

from __future__ import annotations

__all__ = ['IRInvariantError']


class IRInvariantError(AssertionError):
    """An intermediate program that breaks its own rules."""
