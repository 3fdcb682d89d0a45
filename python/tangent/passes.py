"""The predecessor's passes over its own syntax trees: names only.

This engine differentiates in C++ and has no such trees, so a pass written for them cannot run. Each
of these names raises a TangentError that says what to use instead, when it is called.
"""

from __future__ import annotations

from typing import Any, NoReturn

from tangent.errors import from_diagnostic

__all__ = ['Pass', 'get_passes', 'register_pass', 'run_passes', 'unregister_pass']


def _refuse(name: str) -> NoReturn:
    raise from_diagnostic(
        'BadOption',
        'TangentValueError',
        f'tangent.passes.{name}: passes over Python syntax trees are not part of this engine',
        'give a function a rule of its own (tangent.register_adjoint, tangent.custom_vjp), or '
        'rewrite the text of the gradient (`df.source(*args)`)',
    )


class Pass:
    """What a pass was for the predecessor; making one is refused."""

    def __init__(self, name: str, fn: Any, modes: Any = None, doc: str | None = None) -> None:
        _refuse('Pass')


def register_pass(pass_: Any, before: str | None = None, after: str | None = None) -> NoReturn:
    """Refused: see the module."""
    _refuse('register_pass')


def unregister_pass(name: str) -> NoReturn:
    """Refused: see the module."""
    _refuse('unregister_pass')


def get_passes(mode: str) -> NoReturn:
    """Refused: see the module."""
    _refuse('get_passes')


def run_passes(*args: Any, **kwargs: Any) -> NoReturn:
    """Refused: see the module."""
    _refuse('run_passes')
