"""Functions that have no derivative, as the predecessor names the registry."""

from __future__ import annotations

from tangent._rules import register_non_differentiable_functions

__all__ = ['register_non_differentiable_functions']
