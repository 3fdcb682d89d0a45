"""The commands of `python -m tangent COMMAND`, one function each.

A command takes the words behind its name and gives the return code; it raises `Usage` where they
make no sense, which prints its usage line and gives 2. Whoever adds a command adds a line to
`COMMANDS`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import NamedTuple


class Usage(Exception):
    """The words behind a command make no sense; the message, if there is one, says which."""


class Command(NamedTuple):
    usage: str  # what stands behind the name of the command
    purpose: str
    run: Callable[[Sequence[str]], int]


def _doctor(words: Sequence[str]) -> int:
    if words:
        raise Usage
    from tangent._status import doctor

    return doctor()


def _show(words: Sequence[str]) -> int:
    from tangent._show import show

    return show(words)


def _cache(words: Sequence[str]) -> int:
    from tangent import _cache_command

    return _cache_command.main(words)


COMMANDS = {
    'cache': Command('info|clear', 'says what is kept on disk, or removes it', _cache),
    'doctor': Command('', 'says what is installed, and whether gradients work', _doctor),
    'show': Command(
        'FILE:FUNCTION [--wrt NAMES] [--at ARGUMENTS]',
        'prints the gradient of a function in a file',
        _show,
    ),
}


def main(words: Sequence[str]) -> int:
    """Runs a command; the return code."""
    command = COMMANDS.get(words[0]) if words else None
    if command is None:
        print('usage: python -m tangent COMMAND', file=sys.stderr)
        for name, each in COMMANDS.items():
            print(f'    {f"{name} {each.usage}".rstrip():52} {each.purpose}', file=sys.stderr)
        return 2
    try:
        return command.run(words[1:])
    except Usage as error:
        if str(error):
            print(error, file=sys.stderr)
        usage = f'usage: python -m tangent {words[0]} {command.usage}'
        print(usage.rstrip(), file=sys.stderr)
        return 2

