"""`python -m tangent show FILE:FUNCTION`: the gradient of a function in a file, as text.

The file is run as a module, not as `__main__`. The text is the one for numbers and arrays of any
shape; where there is none, or to see another, `--at "1.0, np.ones(3)"` gives arguments.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

import tangent
from tangent._commands import Usage
from tangent.errors import TangentInternalError


def show(words: Sequence[str]) -> int:
    """Prints the gradient; 1 where there is none."""
    target, wrt, at = _parsed(words)
    filename, _, name = target.rpartition(':')
    if not filename or not name:
        raise Usage(f'{target!r} is no FILE:FUNCTION')
    try:
        module = _module(filename)
        func = _function(module, name)
        df = tangent.grad(func, wrt)
        text = df.__tangent_source__ if at is None else df.source(*_arguments(at, module))
    except TangentInternalError:
        raise
    except Exception as error:  # of the file, of the arguments, or a refusal
        print(f'{type(error).__name__}: {error}', file=sys.stderr)
        return 1
    print(text, end='')
    return 0


def _parsed(words: Sequence[str]) -> tuple[str, tuple[int | str, ...], str | None]:
    target: str | None = None
    options: dict[str, str] = {}
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word in ('--wrt', '--at'):
            if not rest:
                raise Usage(f'{word} without a value')
            options[word] = rest.pop(0)
        elif word.startswith('-') or target is not None:
            raise Usage(f'{word!r} is not known')
        else:
            target = word
    if target is None:
        raise Usage
    chosen = [each.strip() for each in options.get('--wrt', '0').split(',')]
    wrt = tuple(int(x) if x.lstrip('-').isdigit() else x for x in chosen)
    return target, wrt, options.get('--at')


def _module(filename: str) -> ModuleType:
    name = os.path.splitext(os.path.basename(filename))[0]
    spec = importlib.util.spec_from_file_location(name, filename)
    if spec is None or spec.loader is None:
        raise FileNotFoundError(f'{filename} is no Python file')
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    sys.path.insert(0, os.path.dirname(os.path.abspath(filename)))
    spec.loader.exec_module(module)
    return module


def _function(module: ModuleType, name: str) -> Callable[..., Any]:
    found: Any = module
    for part in name.split('.'):
        if not hasattr(found, part):
            names = ', '.join(sorted(
                key for key, value in vars(module).items()
                if callable(value) and getattr(value, '__module__', None) == module.__name__
            ))  # fmt: skip
            names = names or 'none'
            raise LookupError(f'{module.__name__} has no {name}; its functions are: {names}')
        found = getattr(found, part)
    return found  # type: ignore[no-any-return]


def _arguments(text: str, module: ModuleType) -> tuple[Any, ...]:
    """The arguments of a call, read with the names of the module and `np`."""
    import numpy as np

    return eval(f'({text},)', {'np': np, **vars(module)})  # type: ignore[no-any-return]
