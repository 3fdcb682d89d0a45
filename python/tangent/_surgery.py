"""Statements of the user's in the backward part: `with tangent.insert_grad_of(y) as dy:`.

In: a function with such blocks. Out: its tree, where each block is a call of a function that gives
y back and whose derivative rule runs the block; and a function without the blocks.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable
from types import CodeType, FunctionType
from typing import Any, NoReturn, TypeVar

F = TypeVar('F', bound=Callable[..., Any])
_NAME = 'insert_grad_of'

_numbers = itertools.count(1)


def insert_grad_of(var: Any) -> NoReturn:
    """In a function that is differentiated: the block runs where the adjoint of `var` is complete.

        with tangent.insert_grad_of(y) as dy:
            dy = np.clip(dy, -1.0, 1.0)

    Parameters
    ----------
    var
        A local variable or a parameter. The block may read `dy`, its adjoint, and other variables
        as they are where the block stands; what it binds to `dy` is the adjoint from there on.
        Other names that it binds are its own. It runs once for each time that the function runs
        it, if a derivative flows through the variable.

    Raises
    ------
    ValueError
        The function is called as it is: decorate it with `tangent.tangent`, which takes the blocks
        out.
    """
    raise ValueError(
        'insert_grad_of stands in functions that are differentiated; to call the function itself, '
        'decorate it with @tangent.tangent'
    )


def tangent(f: F) -> F:
    """The function without its `insert_grad_of` blocks, so that it can be called.

    Parameters
    ----------
    f
        The function. Usable as a decorator.

    Returns
    -------
    callable
        A function of the same name, whose attribute `tangent` is `f`. Gradients of it are those of
        `f`, blocks included.
    """
    from tangent import _capture, _options
    from tangent._source import copy_of
    from tangent._templates import define

    function = _options.check_function(f)
    if not isinstance(function, FunctionType):
        _options.refuse('NotAFunction', f'{f!r} is a method', 'decorate the function')
    node = _capture.definition(function)
    stripped = copy_of(function)
    if _blocks(node):
        stripped = define(ast.unparse(_without_blocks(node)), function)
    marks: Any = stripped
    marks.tangent = function
    stripped.__dict__[_capture.ORIGINAL] = stripped, function
    result: Any = stripped
    return result  # type: ignore[no-any-return]


def is_insertion(node: ast.AST) -> bool:
    """Whether a statement is a `with insert_grad_of(…):` block."""
    if not isinstance(node, ast.With) or len(node.items) != 1:
        return False
    call = node.items[0].context_expr
    if not isinstance(call, ast.Call):
        return False
    name = call.func.attr if isinstance(call.func, ast.Attribute) else call.func
    return name == _NAME or (isinstance(name, ast.Name) and name.id == _NAME)


def has_blocks(code: CodeType) -> bool:
    """Whether a function may have such blocks: its code names the function."""
    return _NAME in code.co_names or _NAME in code.co_freevars


# ------------------------------------------------------------------------------------------------
# Taking blocks out


def _blocks(node: ast.AST) -> list[ast.With]:
    return [each for each in ast.walk(node) if isinstance(each, ast.With) and is_insertion(each)]


class _Without(ast.NodeTransformer):
    def visit_With(self, node: ast.With) -> ast.AST:
        if is_insertion(node):
            return ast.copy_location(ast.Pass(), node)
        return self.generic_visit(node)


def _without_blocks(node: Any) -> Any:
    """A copy of a definition without its blocks and decorators."""
    result: Any = _Without().visit(ast.parse(ast.unparse(node)).body[0])
    result.decorator_list = []
    return result


# ------------------------------------------------------------------------------------------------
# Blocks as calls


def rewritten(function: FunctionType, node: Any, text: str, first_line: int) -> Any:
    """A function's tree with its blocks as calls; the function carries what they call."""
    if not _blocks(node):
        return node
    rewriter = _Rewriter(function, node, text, first_line)
    node.body = rewriter.block(node.body, outermost=True)
    function.__dict__['__tangent_names__'] = function, rewriter.names
    return node


class _Rewriter:
    def __init__(
        self, function: FunctionType, root: ast.AST, text: str, first_line: int
    ) -> None:
        self._function = function
        self._root = root
        self._lines = text.split('\n')
        self._first_line = first_line
        code = function.__code__
        self._locals = {*code.co_varnames, *code.co_cellvars}
        self._parameters = set(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])
        self.names: dict[str, Callable[..., Any]] = {}

    def block(self, statements: list[ast.stmt], outermost: bool = False) -> list[ast.stmt]:
        """A list of statements in which every block is a call, behind the variable's assignment."""
        result: list[ast.stmt] = []
        for statement in statements:
            if not isinstance(statement, ast.With) or not is_insertion(statement):
                for name in ('body', 'orelse', 'finalbody'):
                    inner = getattr(statement, name, None)
                    is_scope = isinstance(statement, (ast.FunctionDef, ast.ClassDef))
                    if inner and not is_scope:
                        setattr(statement, name, self.block(inner))
                result.append(statement)
                continue
            call, variable, reads = self._call(statement)
            result.insert(self._place(result, statement, variable, reads, outermost), call)
        return result

    def _place(
        self,
        before: list[ast.stmt],
        block: ast.With,
        variable: str,
        reads: set[str],
        outermost: bool,
    ) -> int:
        """Where the adjoint of the variable is complete: behind its last assignment."""
        place = None
        for index, statement in enumerate(before):
            if variable in _stored(statement):
                place = index + 1
        if place is None:
            place = 0 if outermost and variable in self._parameters else len(before)
        between = before[place:]
        if not any(variable in _loaded(each) for each in between):
            return len(before)
        changed = {name for each in between for name in _stored(each)} & (reads - {variable})
        if changed:
            self._refuse(
                block,
                f'`{variable}` is used before this block, and so is `{min(changed)}` assigned, '
                'which the block reads',
                f'move the block behind the assignment of `{variable}`',
            )
        return place

    def _call(self, block: ast.With) -> tuple[ast.stmt, str, set[str]]:
        item = block.items[0]
        marked = item.context_expr
        assert isinstance(marked, ast.Call)
        target = item.optional_vars
        of = marked.args[0] if len(marked.args) == 1 and not marked.keywords else None
        if not isinstance(of, ast.Name) or of.id not in self._locals:
            self._refuse(
                block,
                'insert_grad_of is of one local variable',
                'give the value a name, and write `with tangent.insert_grad_of(name) as dname:`',
            )
        if target is not None and not isinstance(target, ast.Name):
            self._refuse(block, 'the adjoint gets one name', f'write `as d{of.id}:`')
        for node in ast.walk(block):
            if isinstance(node, (ast.Return, ast.Yield, ast.YieldFrom, ast.Break, ast.Continue)):
                self._refuse(
                    block,
                    'an insert_grad_of block does not leave itself',
                    'take `return`, `break` and `continue` out of it',
                )
        variable = of.id
        adjoint = target.id if target is not None else f'b{variable}'
        stored = {name for each in block.body for name in _stored(each)}
        elsewhere = self._loads_outside(block) & (stored - {adjoint})
        if elsewhere or variable in stored:
            name = min(elsewhere or {variable})
            self._refuse(
                block,
                f'the block assigns `{name}`, which the function reads elsewhere',
                'use a name of its own in the block',
            )
        loaded = {name for each in block.body for name in _loaded(each)}
        reads = (loaded & self._locals) - stored - {adjoint}
        arguments = [variable, *sorted(reads - {variable})]
        call = self._statement(block, adjoint, arguments, sorted(reads))
        return call, variable, reads

    def _statement(
        self, block: ast.With, adjoint: str, arguments: list[str], reads: list[str]
    ) -> ast.stmt:
        """The assignment that stands for a block, and the functions that it calls."""
        from tangent._custom import give_rule, give_template
        from tangent._templates import define

        variable = arguments[0]
        name = f'with_grad_of_{variable}'
        while name in self._locals or name in self._function.__code__.co_names:
            name += '_'
        if name in self.names:
            name += str(next(_numbers))
        listed = ', '.join(arguments)
        identity = define(f'def {name}({listed}):\n    return {variable}\n', self._function)
        plain = define(f'def {name}({listed}):\n    return {variable}\n', self._function)
        identity.__dict__['__tangent_plain__'] = identity, plain
        formula = _formula(block, adjoint)
        if formula is not None:
            result = 'result'
            while result in arguments or result in self._locals:
                result += '_'
            zeros = ''.join(f'    d[{each}] = 0\n' for each in arguments[1:])
            text = (
                f'def inserted_at_{variable}({", ".join([result, *arguments])}):\n{zeros}'
                f'    d[{variable}] = {ast.unparse(_Renamed(adjoint, result).visit(formula))}\n'
            )
            give_template(identity, define(text, self._function))
            return self._assignment(block, variable, name, identity, listed)
        body = '\n'.join(
            f'    {line}' for each in block.body for line in ast.unparse(each).split('\n')
        )
        text = (
            f'def inserted_at_{variable}({", ".join([adjoint, *reads])}):\n'
            f'{body}\n    return {adjoint}\n'
        )
        give_rule(identity, define(text, self._function), variable, reads)
        return self._assignment(block, variable, name, identity, listed)

    def _assignment(
        self, block: ast.With, variable: str, name: str, identity: FunctionType, listed: str
    ) -> ast.stmt:
        self.names[name] = identity
        made = ast.parse(f'{variable} = {name}({listed})').body[0]
        for node in ast.walk(made):
            if hasattr(node, 'lineno'):
                ast.copy_location(node, block.items[0].context_expr)
        return made

    def _loads_outside(self, block: ast.With) -> set[str]:
        inside = {id(each) for each in ast.walk(block)}
        return {
            each.id
            for each in ast.walk(self._root)
            if isinstance(each, ast.Name)
            and isinstance(each.ctx, ast.Load)
            and id(each) not in inside
        }

    def _refuse(self, node: ast.AST, message: str, remedy: str) -> NoReturn:
        from tangent.errors import from_diagnostic

        where: Any = node
        line = self._lines[where.lineno - 1] if where.lineno <= len(self._lines) else None
        at = where.lineno + self._first_line - 1
        filename = self._function.__code__.co_filename
        end = len(line.rstrip()) if line is not None else where.col_offset + 1
        place = filename, at, where.col_offset, at, end, line
        raise from_diagnostic(
            'UnsupportedSyntax', 'UnsupportedSyntaxError', message, remedy, [place]
        )


def _formula(block: ast.With, adjoint: str) -> ast.expr | None:
    """The value of a block that only binds the adjoint anew: a copy of it; else None."""
    if len(block.body) != 1 or not isinstance(block.body[0], ast.Assign):
        return None
    targets = block.body[0].targets
    if len(targets) != 1 or not isinstance(targets[0], ast.Name) or targets[0].id != adjoint:
        return None
    return ast.parse(ast.unparse(block.body[0].value), mode='eval').body


class _Renamed(ast.NodeTransformer):
    """An adjoint by its name as d[result]."""

    def __init__(self, name: str, result: str) -> None:
        self._name = name
        self._entry = f'd[{result}]'

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id != self._name:
            return node
        return ast.parse(self._entry, mode='eval').body


def _stored(node: ast.AST) -> set[str]:
    """The names that a statement binds, and those of the arrays that it stores into."""
    found = set()
    for each in ast.walk(node):
        if isinstance(each, ast.Name) and isinstance(each.ctx, (ast.Store, ast.Del)):
            found.add(each.id)
        elif isinstance(each, (ast.Subscript, ast.Attribute)) and isinstance(each.ctx, ast.Store):
            root: ast.AST = each
            while isinstance(root, (ast.Subscript, ast.Attribute)):
                root = root.value
            if isinstance(root, ast.Name):
                found.add(root.id)
    return found


def _loaded(node: ast.AST) -> set[str]:
    return {
        each.id
        for each in ast.walk(node)
        if isinstance(each, ast.Name) and not isinstance(each.ctx, ast.Store)
    } | {
        each.target.id
        for each in ast.walk(node)
        if isinstance(each, ast.AugAssign) and isinstance(each.target, ast.Name)
    }
