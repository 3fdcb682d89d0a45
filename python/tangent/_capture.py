"""The source of a function, found by its code object.

In: a Python function. Out: its `ast` node, the text that was parsed, where that text stands in the
file; or the kind of failure, a message and a remedy. The text comes from `linecache`, so functions
of notebooks, of the REPL and of `exec` are found where their source is registered there. Only the
function's own lines are parsed; the whole file is parsed where that does not work. The text is
then compiled and compared with the function's code object: if they differ, the file was edited
after it was imported, and the text says something else than what runs.
"""

from __future__ import annotations

import _ast
import linecache
import warnings
from collections.abc import Iterable, Iterator
from types import CodeType, FunctionType

from tangent._same_code import (
    FunctionNode,
    is_compiled_from,
    parameters_of,
    says_the_same,
)

Found = tuple[_ast.AST, str, int, str, str]
Failure = tuple[str, str, str]

_DEFINITIONS = (_ast.FunctionDef, _ast.AsyncFunctionDef)
# What a text that does not begin at the margin is read behind.
_INDENTED = 'if 1:\n'
# How many lines a statement may go on behind the last one of a lambda in it.
_LINES_BELOW = 4


_NOT_AVAILABLE_REMEDY = (
    'define it in a file or a notebook cell, or register its text with '
    'linecache.cache[filename] before compiling it under that file name'
)
_CHANGED_REMEDY = 'import the module again (or restart), so that the text and the code agree'


class _Unparsable(Exception):
    """The text around a code object is not what the code object came from."""


# Attributes of functions: the function itself and the text that is given for it, or the function
# whose text it has with some blocks taken out (functools.wraps copies attributes).
GIVEN = '__tangent_text__'
ORIGINAL = '__tangent_original__'
_NAMES = '__tangent_names__'
_INSERTED = '__tangent_inserted__'


def read(function: FunctionType) -> Found | Failure:
    own = function.__dict__
    if ORIGINAL in own and own[ORIGINAL][0] is function:
        found = read(own[ORIGINAL][1])
        named = own[ORIGINAL][1].__dict__.get(_NAMES)
        if named is not None:
            own[_NAMES] = function, named[1]
        return found
    code = function.__code__
    if _INSERTION in code.co_names or _INSERTION in code.co_freevars:
        return _read_insertions(function)
    return _read_text(function)


def _read_text(function: FunctionType) -> Found | Failure:
    given = function.__dict__.get(GIVEN)
    if given is not None and given[0] is function:
        return _read_given(function, given[1])
    return _read_file(function)


# The name of the function that marks blocks for the backward part (_surgery.py).
_INSERTION = 'insert_grad_of'


def _read_insertions(function: FunctionType) -> Found | Failure:
    """A function with blocks for the backward part: they are calls in its tree."""
    from tangent import _surgery

    own = function.__dict__
    of = function, function.__code__, own.get(GIVEN)
    known = own.get(_INSERTED)
    if known is not None and all(a is b for a, b in zip(known[0], of, strict=True)):
        kept: Found = known[1]
        return kept
    found = _read_text(function)
    if len(found) == 3:
        return found
    node, text, first_line, filename, private_class = found
    node = _surgery.rewritten(function, node, text, first_line)
    found = node, text, first_line, filename, private_class
    own[_INSERTED] = of, found
    return found


def definition(function: FunctionType) -> FunctionNode:
    """The tree of a function; an error of tangent.errors where there is none."""
    found = _read_text(function)
    if len(found) == 3:
        from tangent.errors import from_diagnostic

        kind, message, remedy = found
        raise from_diagnostic(kind, 'SourceCodeNotAvailableError', message, remedy)
    node = found[0]
    assert isinstance(node, (*_DEFINITIONS, _ast.Lambda))
    return node


def _read_file(function: FunctionType) -> Found | Failure:
    code = function.__code__
    filename = code.co_filename
    try:
        return _read(function, _lines_of(function))
    except _Unparsable:
        pass
    # The lines may be from before an edit that the function is from after.
    linecache.checkcache(filename)
    lines = linecache.getlines(filename, function.__globals__)
    if not lines:
        return (
            'SourceNotAvailable',
            f'the source of {function.__name__!r} is not available (file {filename!r})',
            _NOT_AVAILABLE_REMEDY,
        )
    try:
        return _read(function, lines)
    except _Unparsable:
        pass
    # Or the function is from before an edit that somebody has made linecache look at.
    try:
        return _read(function, _first_lines.get(filename, []))
    except _Unparsable:
        return (
            'SourceChanged',
            f'the source of {function.__name__!r} in {filename!r} does not match the function '
            'that runs: the file was edited after import',
            _CHANGED_REMEDY,
        )


def _read_given(function: FunctionType, text: str) -> Found | Failure:
    """The function in a text that is given for it: it is what is differentiated."""
    name = function.__code__.co_name
    filename = f'<source of {function.__name__}>'
    try:
        tree = _parse(text)
    except SyntaxError as error:
        message = f'the source given for {function.__name__!r} does not parse: {error}'
        return 'SyntaxNotParsed', message, 'give the text of the function as it was defined'
    except RecursionError:
        return (
            'TooDeep',
            f"{name!r} is nested too deep for Python's parser",
            'split it into several statements or functions',
        )
    found: list[FunctionNode] = [
        node
        for node in _walk(tree)
        if isinstance(node, (*_DEFINITIONS, _ast.Lambda))
        and (isinstance(node, _ast.Lambda) or node.name == name)
        and isinstance(node, _ast.Lambda) == (name == '<lambda>')
    ]
    if not found:
        return (
            'SourceNotAvailable',
            f'the source given for {function.__name__!r} does not define it',
            f'give the text that begins with `def {name}`',
        )
    node = found[-1]
    if not isinstance(node, _ast.Lambda):
        node.decorator_list = []
    private_class = _class_of_private_names(function.__code__)
    code = function.__code__
    count = code.co_argcount + code.co_kwonlyargcount
    if parameters_of(node) != code.co_varnames[:count]:
        return (
            'SourceChanged',
            f'the source given for {function.__name__!r} has other parameters than the function',
            'give the text of the function as it was defined',
        )
    if not is_compiled_from(function, text) and not says_the_same(
        function, node, text, [], private_class
    ):
        warnings.warn(
            f'the source given for {function.__name__!r} is not that of the function: what the '
            'source says is differentiated',
            UserWarning,
            stacklevel=6,
        )
    return node, text, 1, filename, private_class


# By file the lines that were looked at first: the same list that linecache has, as long as nobody
# edits the file.
_first_lines: dict[str, list[str]] = {}


def _lines_of(function: FunctionType) -> list[str]:
    filename = function.__code__.co_filename
    lines = linecache.getlines(filename, function.__globals__)
    if lines and not filename.startswith('<'):  # nobody edits what is no file
        _first_lines.setdefault(filename, lines)
    return lines


def _read(function: FunctionType, lines: list[str]) -> Found | Failure:
    code = function.__code__
    first = code.co_firstlineno
    if not 1 <= first <= len(lines):
        raise _Unparsable
    private_class = _class_of_private_names(code)
    try:
        if code.co_name == '<lambda>':
            found = _read_lambda(function, lines, private_class)
        else:
            found = _read_definition(code, lines)
            if not says_the_same(function, found[0], found[1], lines, private_class):
                raise _Unparsable
    except RecursionError:
        return (
            'TooDeep',
            f"{code.co_name!r} is nested too deep for Python's parser",
            'split it into several statements or functions',
        )
    node, text, first_line = found
    return node, text, first_line, code.co_filename, private_class


# ------------------------------------------------------------------------------------------------
# Parsing


def _parse(text: str) -> _ast.Module:
    """The tree of a text; its warnings were given when the file was first compiled."""
    if '\\' not in text:
        tree = compile(text, '<tangent>', 'exec', _ast.PyCF_ONLY_AST, dont_inherit=True)
    else:
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            tree = compile(text, '<tangent>', 'exec', _ast.PyCF_ONLY_AST, dont_inherit=True)
    assert isinstance(tree, _ast.Module)
    return tree


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _last_line(code: CodeType) -> int:
    """The last line that an instruction of the code or of code in it begins on."""
    last = code.co_firstlineno
    for _, _, line in code.co_lines():
        if line is not None and line > last:
            last = line
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            last = max(last, _last_line(constant))
    return last


def _block(code: CodeType, lines: list[str]) -> str:
    """The lines of a definition: up to the first one that stands no deeper than it."""
    first = code.co_firstlineno - 1
    width = _indent(lines[first])
    end = _last_line(code)
    if end > len(lines):
        raise _Unparsable
    while end < len(lines):
        line = lines[end]
        stripped = line.lstrip()
        if stripped and not stripped.startswith('#') and len(line) - len(stripped) <= width:
            break
        end += 1
    while end > first + 1 and not lines[end - 1].strip():
        end -= 1
    return ''.join(lines[first:end])


def text_around(function: FunctionType) -> str | None:
    """The lines that `read` parses first, without parsing them; None where there are none."""
    code = function.__code__
    lines = _lines_of(function)
    first = code.co_firstlineno - 1
    if not 0 <= first < len(lines):
        return None
    if code.co_name == '<lambda>':
        return ''.join(lines[first : min(_last_line(code) + _LINES_BELOW, len(lines))])
    try:
        return _block(code, lines)
    except _Unparsable:
        return None


def _read_definition(code: CodeType, lines: list[str]) -> tuple[FunctionNode, str, int]:
    first = code.co_firstlineno - 1
    block = _block(code, lines)
    try:
        if _indent(lines[first]) == 0:
            body, text, first_line = _parse(block).body, block, first + 1
        else:
            text, first_line = _INDENTED + block, first
            outer = _parse(text).body[0]
            assert isinstance(outer, _ast.If)
            body = outer.body
        node = body[0]
        if (
            isinstance(node, (_ast.FunctionDef, _ast.AsyncFunctionDef))
            and node.name == code.co_name
        ):
            return node, text, first_line
    except SyntaxError:
        pass  # a string or bracket goes on in a line that stands less deep
    return _search_file(code, lines)


def _whole_file(lines: list[str]) -> tuple[_ast.Module, str]:
    text = ''.join(lines)
    try:
        return _parse(text), text
    except SyntaxError:
        raise _Unparsable from None


def _search_file(code: CodeType, lines: list[str]) -> tuple[FunctionNode, str, int]:
    tree, text = _whole_file(lines)
    for node in _walk(tree):
        if (
            isinstance(node, (_ast.FunctionDef, _ast.AsyncFunctionDef))
            and node.name == code.co_name
        ):
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            if first == code.co_firstlineno:
                return node, text, 1
    raise _Unparsable


def _walk(tree: _ast.AST) -> Iterator[_ast.AST]:
    """All nodes, without recursion."""
    stack = [tree]
    while stack:
        node = stack.pop()
        yield node
        for name in node._fields:
            value = getattr(node, name, None)
            if isinstance(value, _ast.AST):
                stack.append(value)
            elif isinstance(value, list):
                stack.extend(item for item in value if isinstance(item, _ast.AST))


# ------------------------------------------------------------------------------------------------
# Lambdas


def _read_lambda(
    function: FunctionType, lines: list[str], private_class: str
) -> tuple[FunctionNode, str, int]:
    code = function.__code__
    for tree, text, first_line in _statements_around(code, lines):
        candidates = [
            node
            for node in _walk(tree)
            if isinstance(node, _ast.Lambda) and node.lineno + first_line - 1 == code.co_firstlineno
        ]
        # The one whose body the instructions come from is tried first, and is the only one that
        # the whole file can vouch for: it does not tell lambdas of one line apart.
        span = _span(code, first_line)
        candidates.sort(key=lambda node: _span_of(node.body) != span)
        for node in candidates:
            sure = len(candidates) == 1 or _span_of(node.body) == span
            if says_the_same(function, node, text, lines if sure else [], private_class):
                return node, text, first_line
    raise _Unparsable


def _statements_around(code: CodeType, lines: list[str]) -> Iterable[tuple[_ast.Module, str, int]]:
    """Texts that parse and hold the lambda: its own lines, a few more below, the file."""
    first = code.co_firstlineno - 1
    last = _last_line(code)
    indented = _indent(lines[first]) > 0
    for end in range(last, min(last + _LINES_BELOW, len(lines)) + 1):
        block = ''.join(lines[first:end])
        text = _INDENTED + block if indented else block
        try:
            tree = _parse(text)
        except SyntaxError:
            continue
        yield tree, text, first if indented else first + 1
        break
    tree, text = _whole_file(lines)
    yield tree, text, 1


def _span(code: CodeType, first_line: int) -> tuple[int, int, int, int] | None:
    """From where to where the instructions of a lambda's body stand, in lines of the text."""
    places = [
        (line, column, end_line, end_column)
        for line, end_line, column, end_column in code.co_positions()
        if line is not None
        and end_line is not None
        and column is not None
        and end_column is not None
        and (column, end_column) != (0, 0)
    ]
    if not places:
        return None
    start = min(place[:2] for place in places)
    end = max(place[2:] for place in places)
    shift = first_line - 1
    return start[0] - shift, start[1], end[0] - shift, end[1]


def _span_of(node: _ast.expr) -> tuple[int, int, int | None, int | None]:
    return node.lineno, node.col_offset, node.end_lineno, node.end_col_offset


# ------------------------------------------------------------------------------------------------
# Private names


def _class_of_private_names(code: CodeType) -> str:
    """The class whose private names (`__x`) the code mentions, or an empty string."""
    parts = code.co_qualname.split('.')
    position = len(parts) - 1
    while position >= 2 and parts[position - 1] == '<locals>':
        position -= 2
    if position < 1:
        return ''
    name = parts[position - 1]
    prefix = f'_{name.lstrip("_")}__'
    if any(each.startswith(prefix) for each in _all_names(code)):
        return name
    return ''


def _all_names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    yield from code.co_varnames
    yield from code.co_freevars
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _all_names(constant)
