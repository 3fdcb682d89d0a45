"""Whether a text is what a code object was compiled from.

In: a function, the tree and text that were found for it, all lines of its file. Out: yes or no.
The function's own lines are compiled in a shell that gives its names the scopes that they have; if
that gives other code, the whole file is compiled, which is exact. CPython compiles `np.sin(x)` in
another way if the module imports `np` at its top, so the shell imports what are modules now.
"""

from __future__ import annotations
import __future__

import _ast
import functools
import warnings
from collections.abc import Iterator
from types import CodeType, FunctionType, ModuleType

from tangent._untouched import is_untouched

FunctionNode = _ast.FunctionDef | _ast.AsyncFunctionDef | _ast.Lambda

_FUTURE_FLAGS = 0
for _name in __future__.all_feature_names:
    _FUTURE_FLAGS |= getattr(__future__, _name).compiler_flag
_NESTED = 0x10  # CO_NESTED: set where the shell puts a function inside another


def says_the_same(
    function: FunctionType, node: FunctionNode, text: str, lines: list[str], private_class: str
) -> bool:
    """Whether compiling `node`, a part of `text`, gives the function's code.

    Without lines, only the function's own text is asked.
    """
    code = function.__code__
    if '@pytest_ar' in code.co_names:
        # pytest compiles asserts of test modules in its own way: the names must do.
        return parameters_of(node) == code.co_varnames[: len(parameters_of(node))]
    if not isinstance(node, _ast.Lambda) and is_untouched(function):
        return parameters_of(node) == code.co_varnames[: len(parameters_of(node))]
    flags = code.co_flags & _FUTURE_FLAGS
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        try:
            if not private_class and '__class__' not in code.co_freevars:
                source = _shell(function, node, text)
                compiled = _compile(source, code.co_filename, flags)
                if any(_same(code, each) for each in _codes_named(compiled, code.co_name)):
                    return True
            whole = _compile_file(''.join(lines), code.co_filename, flags)
        except SyntaxError:
            return False
    return any(
        each.co_firstlineno == code.co_firstlineno and _same(code, each)
        for each in _codes_named(whole, code.co_name)
    )


def is_compiled_from(function: FunctionType, text: str) -> bool:
    """Whether a text by itself gives the function's code."""
    code = function.__code__
    free = ', '.join(code.co_freevars)
    if free:
        text = f'def _({free}):\n' + ''.join(f' {line}\n' for line in text.split('\n'))
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        try:
            compiled = _compile(text, code.co_filename, code.co_flags & _FUTURE_FLAGS)
        except SyntaxError:
            return False
    return any(_same(code, each) for each in _codes_named(compiled, code.co_name))


def _shell(function: FunctionType, node: FunctionNode, text: str) -> str:
    """The text behind imports, inside a function whose parameters are the free variables."""
    code = function.__code__
    modules = [
        name
        for name in dict.fromkeys(_global_names(code))
        if isinstance(function.__globals__.get(name), ModuleType) and name.isidentifier()
    ]
    imports = f'import {", ".join(f"_ as {name}" for name in modules)}\n' if modules else ''
    free = ', '.join(code.co_freevars)
    if isinstance(node, _ast.Lambda):
        lines = [line.encode() for line in text.split('\n')[node.lineno - 1 : node.end_lineno]]
        lines[-1] = lines[-1][: node.end_col_offset]
        lines[0] = lines[0][node.col_offset :]
        body = b'\n'.join(lines).decode()
        return f'{imports}def _({free}):\n return (\n{body}\n )\n'
    if free and text.startswith('if 1:\n'):
        text = f'def _({free}):\n' + text.removeprefix('if 1:\n')
    return imports + text


def _compile(text: str, filename: str, flags: int) -> CodeType:
    compiled = compile(text, filename, 'exec', flags, dont_inherit=True)
    assert isinstance(compiled, CodeType)
    return compiled


# Several functions of one file ask for the same.
_compile_file = functools.lru_cache(maxsize=2)(_compile)


def parameters_of(node: FunctionNode) -> tuple[str, ...]:
    """The parameters that have names of their own, in the order of co_varnames."""
    arguments = node.args
    return tuple(
        each.arg for each in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    )


def _global_names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _global_names(constant)


def _codes_named(code: CodeType, name: str) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            if constant.co_name == name:
                yield constant
            yield from _codes_named(constant, name)


def _same(a: CodeType, b: CodeType) -> bool:
    return (
        a.co_code == b.co_code
        and a.co_names == b.co_names
        and a.co_varnames == b.co_varnames
        and a.co_freevars == b.co_freevars
        and a.co_cellvars == b.co_cellvars
        and a.co_argcount == b.co_argcount
        and a.co_posonlyargcount == b.co_posonlyargcount
        and a.co_kwonlyargcount == b.co_kwonlyargcount
        and (a.co_flags | _NESTED) == (b.co_flags | _NESTED)
        and len(a.co_consts) == len(b.co_consts)
        and all(map(_same_constant, a.co_consts, b.co_consts))
    )


def _same_constant(a: object, b: object) -> bool:
    if isinstance(a, CodeType):
        return isinstance(b, CodeType) and _same(a, b)
    if type(a) is not type(b):
        return False
    # repr tells 0.0 from -0.0 and makes nan equal to itself, also inside tuples.
    return a == b if isinstance(a, (str, bytes, int, frozenset)) else repr(a) == repr(b)
