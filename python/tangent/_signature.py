"""The signature of a gradient: that of the primal, and the seed after the positional parameters."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

_POSITIONAL = (
    inspect.Parameter.POSITIONAL_ONLY,
    inspect.Parameter.POSITIONAL_OR_KEYWORD,
    inspect.Parameter.VAR_POSITIONAL,
)


def of_gradient(primal: Callable[..., Any], seed_name: str) -> inspect.Signature:
    """The primal's signature with the seed as a further parameter."""
    parameters = list(inspect.signature(primal, follow_wrapped=False).parameters.values())
    variadic = any(each.kind is inspect.Parameter.VAR_POSITIONAL for each in parameters)
    kind = inspect.Parameter.KEYWORD_ONLY if variadic else inspect.Parameter.POSITIONAL_OR_KEYWORD
    seed = inspect.Parameter(seed_name, kind, default=1.0)
    before = [each for each in parameters if each.kind in _POSITIONAL]
    after = [each for each in parameters if each.kind not in _POSITIONAL]
    return inspect.Signature([*before, seed, *after])
