"""What a function or class of the user's is, as 32 bytes that are the same in every process.

In: a live function or class. Out: the SHA-256 of all that a differentiation can see of it: the
text, the code that runs, defaults; of a class what it holds and derives from. Addresses, hashes
of strings and modification times are no part of it. None where something cannot be told in a way
that means the same elsewhere: what depends on it is not kept on disk.

That the text and the code belong together is not checked here: only what capture has checked is
ever stored under such a fingerprint, so that whoever finds something under it may rely on it.
"""

from __future__ import annotations

from collections.abc import Iterable
from types import CodeType, FunctionType
from typing import Any

from tangent import _capture, _core, _memory

# What says nothing about a class, or is told by something else.
_LEFT_OUT = (
    '__dict__', '__weakref__', '__doc__', '__annotations__', '__annotations_cache__',
    '__annotate__', '__annotate_func__', '__firstlineno__', '__static_attributes__',
    '__dataclass_fields__', '_abc_impl', '__abstractmethods__',
    '__slotnames__',  # put there where an object is copied
)  # fmt: skip
# What this package puts on a function begins so.
_MARKS = ('__tangent_', '_tangent_')
_MEMORY = (_memory.NAME, '__tangent_copies__', '__tangent_compiled__')
_LITERALS = (type(None), bool, int, float, complex, str, bytes, type(...))


# A note that is not memory is a rule, another text or another function.


def _has_notes(function: FunctionType) -> bool:
    return any(name.startswith(_MARKS) and name not in _MEMORY for name in vars(function))


class _NotTold(Exception):
    """Something has no description that means the same in another process."""


def of_function(function: FunctionType, parsed: str | None = None) -> bytes | None:
    """The fingerprint of a function; `parsed` is the text that capture read, where it did."""
    if _has_notes(function):
        return None
    text = _capture.text_around(function)
    if text is None:
        if parsed is not None:
            return None
        text = ''  # as the methods that dataclasses make: nobody can read it, the code tells all
    if parsed is not None and not text.startswith(parsed.removeprefix('if 1:\n')):
        return None  # the text was found in some other way
    try:
        parts = [text, function.__name__, *_code(function.__code__), _defaults(function)]
    except (_NotTold, ValueError):  # an int that is too long to print
        return None
    return _digest(parts)


def of_class(cls: type) -> bytes | None:
    """The fingerprint of a class: what it and its bases hold, and what it derives from."""
    try:
        return _digest(_class(cls))
    except (_NotTold, ValueError):
        return None


def _digest(parts: Iterable[str | bytes]) -> bytes:
    pieces: list[bytes] = []
    for part in parts:
        data = part.encode('utf-8', 'surrogatepass') if isinstance(part, str) else part
        pieces += (b'%d:' % len(data), data)
    return _core.sha256(b''.join(pieces))


def _code(code: CodeType) -> list[str | bytes]:
    """What a code object does, and the columns of the text that it comes from."""
    names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    counts = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
    return [
        code.co_qualname,
        repr((names, counts)),
        code.co_code,
        code.co_exceptiontable,
        code.co_linetable,
        *_constants(code.co_consts),
    ]


def _constants(constants: tuple[object, ...]) -> list[str | bytes]:
    parts: list[str | bytes] = [str(len(constants))]
    for each in constants:
        if isinstance(each, CodeType):
            parts += _code(each)
        else:
            parts.append(_literal(each))
    return parts


def _literal(value: object) -> str:
    """A constant by type and value."""
    if type(value) in _LITERALS:
        return f'{type(value).__name__} {value!r}'
    if type(value) in (tuple, frozenset):
        items = [_literal(each) for each in value]  # type: ignore[attr-defined]
        if type(value) is frozenset:
            items.sort()  # a set of strings has another order in every process
        return f'{type(value).__name__} {items}'
    raise _NotTold


def _defaults(function: FunctionType) -> str:
    """The defaults that are literals; of others only that they are none."""
    named = (function.__kwdefaults__ or {}).items()
    values = [('', value) for value in function.__defaults__ or ()] + sorted(named)
    told = []
    for name, value in values:
        try:
            told.append((name, _literal(value)))
        except _NotTold:
            told.append((name, 'another'))
    return repr(told)


def _name(cls: type) -> str:
    return f'{cls.__module__}.{cls.__qualname__}'


def _class(cls: type) -> list[str | bytes]:
    parts: list[str | bytes] = [_name(type(cls))]
    for base in cls.__mro__:
        parts += (_name(base), str(base.__flags__ & 0x200))  # Py_TPFLAGS_HEAPTYPE
        if base.__flags__ & 0x200 and not _core.is_library(base.__module__):
            for name, value in sorted(vars(base).items()):
                if name not in _LEFT_OUT:
                    parts.append(name)
                    parts += _member(value)
            fields = vars(base).get('__dataclass_fields__')
            if fields is not None:
                parts += _fields(fields)
    return parts


def _member(value: Any) -> list[str | bytes]:
    if isinstance(value, FunctionType):
        told = of_function(value)
        if told is None:
            raise _NotTold
        return ['function', told]
    if isinstance(value, (staticmethod, classmethod)):
        return [type(value).__name__, *_member(value.__func__)]
    if isinstance(value, property):
        accessors = (value.fget, value.fset, value.fdel)
        return ['property', *(part for each in accessors for part in _member(each))]
    if type(value) in (*_LITERALS, tuple, frozenset):
        try:
            return [_literal(value)]
        except _NotTold:
            pass
    # What it holds is asked by itself where it counts.
    return ['value', _name(type(value))]


def _fields(fields: dict[str, Any]) -> list[str | bytes]:
    """The fields of a dataclass, in order."""
    parts: list[str | bytes] = [str(len(fields))]
    for field in fields.values():
        made = field.default_factory
        told = (field.name, str(field._field_type), field.kw_only, field.init)
        parts.append(repr((told, getattr(made, '__qualname__', type(made).__name__))))
        parts += _member(field.default)
    return parts
