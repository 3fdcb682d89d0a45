"""Callables without parameters of their own, as functions that call them.

In: a functools.partial, a function that a decorator made of another (`functools.wraps`), a cached
one. Out: a function with the parameters of what they stand for, whose text is the call of it; the
engine writes that call out like any other.
"""

from __future__ import annotations

import ast
import inspect
import linecache
from collections.abc import Callable
from functools import partial
from itertools import count
from types import FunctionType
from typing import Any

_KEPT = '__tangent_spelled__'
_numbers = count(1)


def spelled(func: Callable[..., Any]) -> Callable[..., Any]:
    """The function that stands for a callable, the same one for the same callable; the callable
    itself where it has parameters of its own, or where its wrapper looks at what it is given."""
    own = getattr(func, '__dict__', None)
    if own is None or not _is_spelled(func):
        return func
    kept = own.get(_KEPT)
    if kept is not None and kept[0] is func and kept[1] == _state(func):
        found: FunctionType = kept[2]
        return found
    made = _made(func)
    if made is None:
        return func
    own[_KEPT] = func, _state(func), made
    return made


def _is_spelled(func: Callable[..., Any]) -> bool:
    if isinstance(func, partial):
        return isinstance(_root(func), FunctionType)
    wrapped = getattr(func, '__wrapped__', None)
    if not isinstance(wrapped, FunctionType):
        return False
    if type(func).__name__ == '_lru_cache_wrapper':
        return True
    variadic = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS
    return (
        isinstance(func, FunctionType)
        and bool(func.__code__.co_flags & variadic)
        and _only_passes_on(func)
    )


def _root(func: Any) -> Any:
    while isinstance(func, partial):
        func = func.func
    return func


def _state(func: Any) -> Any:
    """What the text depends on: an editor may bring a function up to date."""
    if isinstance(func, partial):
        return len(func.args), tuple(func.keywords), _state(_root(func))
    wrapped = getattr(func, '__wrapped__', func)
    defaults = wrapped.__defaults__, wrapped.__kwdefaults__
    return getattr(func, '__code__', None), wrapped.__code__, *map(_identities, defaults)


def _identities(defaults: Any) -> Any:
    values = defaults.values() if isinstance(defaults, dict) else defaults or ()
    return tuple(map(id, values))


def _only_passes_on(func: FunctionType) -> bool:
    """Whether `*args` and `**kwargs` are nothing but passed on: then it does not matter how a call
    gives its arguments."""
    from tangent import _capture
    from tangent.errors import TangentError

    try:
        node = _capture.definition(func)
    except TangentError:
        return False
    names = {each.arg for each in (node.args.vararg, node.args.kwarg) if each is not None}
    passed = sum(
        isinstance(each, (ast.Starred, ast.keyword))
        and (isinstance(each, ast.Starred) or each.arg is None)
        and isinstance(each.value, ast.Name)
        and each.value.id in names
        for each in ast.walk(node)
    )
    read = sum(isinstance(each, ast.Name) and each.id in names for each in ast.walk(node))
    return read == passed


def _made(func: Callable[..., Any]) -> FunctionType | None:
    try:
        parameters = list(inspect.signature(func).parameters.values())
    except (TypeError, ValueError):
        return None
    wrapped = _root(getattr(func, '__wrapped__', func))
    name = wrapped.__name__ if wrapped.__name__.isidentifier() else 'function'
    taken = {each.name for each in parameters}
    held = name
    while held in taken or held == name:
        held += '_'
    kind = inspect.Parameter
    written: list[str] = []
    passed: list[str] = []
    defaults: list[Any] = []
    named: dict[str, Any] = {}
    for at, each in enumerate(parameters):
        given = each.default is not kind.empty
        text = f'{each.name}={_literal(each.default)}' if given else each.name
        if each.kind is kind.VAR_POSITIONAL:
            text = f'*{each.name}'
            passed.append(text)
        elif each.kind is kind.VAR_KEYWORD:
            text = f'**{each.name}'
            passed.append(text)
        elif each.kind is kind.KEYWORD_ONLY:
            before = [one.kind for one in parameters[:at]]
            if kind.VAR_POSITIONAL not in before and kind.KEYWORD_ONLY not in before:
                written.append('*')
            passed.append(f'{each.name}={each.name}')
            if given:
                named[each.name] = each.default
        else:
            passed.append(each.name)
            if given:
                defaults.append(each.default)
        written.append(text)
        behind = parameters[at + 1].kind if at + 1 < len(parameters) else None
        if each.kind is kind.POSITIONAL_ONLY and behind is not kind.POSITIONAL_ONLY:
            written.append('/')
    filename = f'<tangent call {next(_numbers)}>'
    text = f'def {name}({", ".join(written)}):\n    return {held}({", ".join(passed)})\n'
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    names: dict[str, Any] = {'__name__': wrapped.__module__, held: func}
    exec(compile(text, filename, 'exec'), names)
    made: FunctionType = names[name]
    made.__defaults__ = tuple(defaults) or None
    made.__kwdefaults__ = named or None
    made.__doc__ = wrapped.__doc__
    made.__qualname__ = wrapped.__qualname__
    return made


def _literal(value: Any) -> str:
    """A default as the text shows it; the function has the value itself."""
    return repr(value) if type(value) in (int, float, bool, str) else 'None'
