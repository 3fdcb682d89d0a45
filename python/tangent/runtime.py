"""What emitted gradients may call: small helpers for what their text cannot settle by itself.

They serve any rank, numbers included, and accept an adjoint that is smaller than what it belongs
to (a number stands for an array of it) where their text says so. Each has a derivative record of
its own in rules/runtime.py, so that a gradient can be differentiated again.

They stand in the modules `_runtime_*`. A module is imported when one of its names is asked for:
most gradients need none of them, and their users do not wait for what they do not need.
"""

from __future__ import annotations

from importlib import import_module
from types import FunctionType
from typing import Any

# In the order in which they are looked into: what is needed most comes first.
_PARTS = (
    'base', 'arrays', 'products', 'scans', 'linalg', 'picks', 'bands', 'integrals', 'filters',
    'complex', 'layers', 'marks', 'steps', 'disk',
)  # fmt: skip


def __getattr__(name: str) -> Any:
    if not name.startswith('__'):
        for part in _PARTS:
            helper = vars(import_module(f'tangent._runtime_{part}')).get(name)
            if isinstance(helper, FunctionType):
                globals()[name] = helper  # found without this function from now on
                return helper
    raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
