"""`python -m tangent COMMAND …`: each command is a module with `main(arguments) -> int`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module

_COMMANDS = {
    'cache': '_cache_command',
}


def main(arguments: Sequence[str]) -> int:
    """Runs the command that the first argument names."""
    module = _COMMANDS.get(arguments[0]) if arguments else None
    if module is None:
        print(f'usage: python -m tangent {"|".join(_COMMANDS)} …', file=sys.stderr)
        return 2
    status: int = import_module(f'tangent.{module}').main(arguments[1:])
    return status


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
