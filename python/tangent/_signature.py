"""The signature of a gradient: that of the primal, and the seed or the tangents after the
positional parameters."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

_POSITIONAL = (
    inspect.Parameter.POSITIONAL_ONLY,
    inspect.Parameter.POSITIONAL_OR_KEYWORD,
    inspect.Parameter.VAR_POSITIONAL,
)


def of_gradient(
    primal: Callable[..., Any], further: Sequence[str], required: bool
) -> inspect.Signature:
    """The primal's signature with the seed, or the tangents, as further parameters."""
    parameters = list(inspect.signature(primal, follow_wrapped=False).parameters.values())
    variadic = any(each.kind is inspect.Parameter.VAR_POSITIONAL for each in parameters)
    kind = inspect.Parameter.KEYWORD_ONLY if variadic else inspect.Parameter.POSITIONAL_OR_KEYWORD
    before = [each for each in parameters if each.kind in _POSITIONAL]
    standard: object = 1.0
    if required:
        # Python wants a default behind one; a call without the argument is refused all the same.
        behind = any(each.default is not inspect.Parameter.empty for each in before)
        standard = None if behind and not variadic else inspect.Parameter.empty
    added = [inspect.Parameter(name, kind, default=standard) for name in further]
    after = [each for each in parameters if each.kind not in _POSITIONAL]
    return inspect.Signature([*before, *added, *after])
