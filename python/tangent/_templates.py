"""Derivative templates of users, made into the records that the engine reads.

In: the function under `@tangent.register_adjoint(f)`, which says `d[x] = … d[result] …`; the names
that f's own parameters have in the record. Out: the lines of a record's body (rules/README.md),
and the objects of the user's that they name.

A template that is a list of assignments is written out where `f` is called, in the names of the
caller. One that does more (loops, tests of values, methods) stays a function of its own, which the
emitted text calls.
"""

from __future__ import annotations

import ast
import builtins
import itertools
import linecache
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from types import CodeType, FunctionType, ModuleType
from typing import Any, NoReturn

from tangent import _capture, _core
from tangent.errors import from_diagnostic

# The object, or the function from which the name is looked up each time; how texts spell it.
Named = tuple[Any, 'FunctionType | None', str, str]

_ELEMENTWISE = ('elementwise', 'arithmetic', 'where')
_SHAPE_ATTRIBUTES = ('T', 'shape', 'size', 'ndim', 'dtype')
_ROOTS = {'numpy': 'np', 'math': 'math', 'scipy': 'scipy'}
_PLAIN = (
    ast.Name, ast.Constant, ast.UnaryOp, ast.BinOp, ast.Compare, ast.Attribute, ast.Call,
    ast.keyword, ast.Subscript, ast.Slice, ast.Tuple, ast.operator, ast.unaryop, ast.cmpop,
    ast.expr_context,
)  # fmt: skip

_numbers = itertools.count(1)


@dataclass
class Body:
    """A record's body, and the objects that it names as `user.NAME`."""

    lines: list[str]
    objects: dict[str, Named] = field(default_factory=dict)
    elementwise: bool = False


class _NotPlain(Exception):
    """The template is more than assignments: it stays a function."""


@dataclass
class _Template:
    function: FunctionType
    node: ast.FunctionDef
    lines: list[str]
    first_line: int

    def refuse(self, message: str, remedy: str, node: ast.AST | None = None) -> NoReturn:
        """Raises BadRule with the place of a node of the template."""
        where: Any = node if node is not None else self.node
        line = self.lines[where.lineno - 1] if where.lineno <= len(self.lines) else None

        def column(offset: int, at: int) -> int:
            if at > len(self.lines):
                return offset
            return len(self.lines[at - 1].encode()[:offset].decode(errors='replace'))

        end = where.end_lineno or where.lineno
        place = (
            self.function.__code__.co_filename,
            where.lineno + self.first_line - 1,
            column(where.col_offset, where.lineno),
            end + self.first_line - 1,
            column(where.end_col_offset or where.col_offset, end),
            line,
        )
        raise from_diagnostic('BadRule', 'TangentError', message, remedy, [place])


def bad_rule(message: str, remedy: str) -> NoReturn:
    """Raises BadRule for what has no place in a file."""
    raise from_diagnostic('BadRule', 'TangentError', message, remedy)


_FAILURES = {'SyntaxNotParsed': 'TangentParseError', 'TooDeep': 'UnsupportedSyntaxError'}


def _read(function: Callable[..., Any]) -> _Template:
    if not isinstance(function, FunctionType):
        bad_rule(
            f'a template is a Python function, not {type(function).__name__!r}',
            'write `def template(y, x): d[x] = …` under the decorator',
        )
    found = _capture.read(function)
    if len(found) == 3:
        kind, message, remedy = found
        raise from_diagnostic(
            kind, _FAILURES.get(kind, 'SourceCodeNotAvailableError'), message, remedy
        )
    node, text, first_line, _, _ = found
    if not isinstance(node, ast.FunctionDef):
        bad_rule('a template is a function made by `def`', 'write it under the decorator')
    return _Template(function, node, text.split('\n'), first_line)


def parameters_of(function: Callable[..., Any]) -> list[str]:
    """The names of a template's parameters, the result first."""
    template = _read(function)
    arguments = template.node.args
    if arguments.vararg or arguments.kwarg:
        template.refuse('a template has no `*` and `**` parameters', 'name the parameters')
    return [each.arg for each in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]]


def defaults_of(function: Callable[..., Any]) -> dict[str, Any]:
    """The defaults of a template's parameters."""
    code = getattr(function, '__code__', None)
    if code is None:
        return {}
    values = getattr(function, '__defaults__', None) or ()
    names = code.co_varnames[: code.co_argcount]
    named = getattr(function, '__kwdefaults__', None) or {}
    return {**dict(zip(names[len(names) - len(values) :], values, strict=True)), **named}


def read_template(
    function: Callable[..., Any],
    result: str,
    parameters: Sequence[str],
    shape: str | None,
    forward: bool,
) -> Body:
    """The body of a record from a template.

    Parameters
    ----------
    function
        The template. Its first parameter is the result, the others are those of the function that
        it differentiates, by position.
    result, parameters
        Their names in the record.
    shape
        How the result's type follows from the operands' (rules/README.md), if it is known.
    forward
        Whether it assigns `d[result]`, not `d[parameter]`.
    """
    template = _read(function)
    own = parameters_of(function)
    if not own:
        template.refuse('a template has a first parameter: the result', 'add it')
    if len(own) - 1 > len(parameters):
        known = ', '.join(parameters) or 'none'
        template.refuse(
            f'the template has {len(own) - 1} parameters behind the result, and the function has '
            f'{len(parameters)}: {known}',
            'give the template the result and the parameters of the function, in their order',
        )
    _check_targets(template, own, forward)
    try:
        return _Plain(template, own, result, parameters, shape, forward).body()
    except _NotPlain:
        return _as_function(template, own, result, parameters, forward)


def _derivative(node: ast.AST) -> str | None:
    """x for `d[x]`."""
    is_entry = (
        isinstance(node, ast.Subscript)
        and isinstance(node.value, ast.Name)
        and node.value.id == 'd'
        and isinstance(node.slice, ast.Name)
    )
    return node.slice.id if is_entry else None  # type: ignore[attr-defined]


def _check_targets(template: _Template, own: list[str], forward: bool) -> None:
    """Every `d[…]` is of a parameter, and some of those that count are assigned."""
    wanted = own[:1] if forward else own[1:]
    given = own[1:] if forward else own[:1]
    assigned = False
    for node in ast.walk(template.node):
        name = _derivative(node)
        if name is None:
            continue
        if name not in own:
            template.refuse(
                f'd[{name}] is of no parameter of the template',
                f'its parameters are {", ".join(own)}',
                node,
            )
        stores = isinstance(node.ctx, ast.Store)  # type: ignore[attr-defined]
        if stores and name not in wanted:
            template.refuse(
                f'the template assigns d[{name}], which it is given',
                f'assign {" or ".join(f"d[{each}]" for each in wanted)} from '
                f'{" and ".join(f"d[{each}]" for each in given)}',
                node,
            )
        assigned = assigned or stores
    if not assigned:
        what = f'd[{own[0]}]' if forward else f'd[{own[1]}]' if len(own) > 1 else 'd[parameter]'
        template.refuse(
            'the template assigns no derivative',
            f'write `{what} = …`; a function without derivative is registered by '
            'tangent.non_differentiable.register_non_differentiable_functions',
        )


# ------------------------------------------------------------------------------------------------
# Assignments


class _Plain(ast.NodeTransformer):
    """A template of assignments, in the names of the record."""

    def __init__(
        self,
        template: _Template,
        own: list[str],
        result: str,
        parameters: Sequence[str],
        shape: str | None,
        forward: bool,
    ) -> None:
        self._template = template
        self._shape = shape
        self._forward = forward
        self._own = own
        self._names = dict(zip(own, [result, *parameters], strict=False))
        self._result = own[0]
        self._taken = {'d', 'user', 'np', 'math', 'scipy', result, *parameters}
        self._objects: dict[str, Named] = {}
        self._full = not forward

    def body(self) -> Body:
        # What is visited is changed, and may turn out not to be plain.
        body = deepcopy(self._template.node.body)
        statements = [each for each in body if not _is_nothing(each)]
        self._check(statements)
        products = not self._forward and all(map(self._is_partial, statements))
        elementwise = products and self._shape in _ELEMENTWISE
        self._full = not self._forward and not products
        lines: list[str] = []
        for statement in statements:
            assert isinstance(statement, ast.Assign)
            target = statement.targets[0]
            name = _derivative(target)
            if name is None:
                assert isinstance(target, ast.Name)
                value = self.visit(statement.value)
                if target.id not in self._names:
                    self._names[target.id] = self._fresh(target.id)
                lines.append(f'{self._names[target.id]} = {ast.unparse(value)}')
                continue
            if self._forward:
                # The terms of a sum one by one: those whose tangents are zero are left out.
                for term in _terms(statement.value):
                    lines.append(f'd[{self._names[name]}] = {ast.unparse(self.visit(term))}')
                continue
            zero = isinstance(statement.value, ast.Constant) and statement.value.value == 0
            value = ast.Constant(0) if zero else self.visit(statement.value)
            lines.append(f'd[{self._names[name]}] = {ast.unparse(value)}')
        return Body(lines, self._objects, elementwise)

    def _check(self, statements: list[ast.stmt]) -> None:
        """Only assignments of plain expressions, each derivative once and never read after."""
        done: set[str] = set()
        locals_: set[str] = set()
        for statement in statements:
            if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
                raise _NotPlain
            target = statement.targets[0]
            name = _derivative(target)
            key = name if name is not None else getattr(target, 'id', None)
            bound_twice = key in done or (name is None and (key in self._own or key in locals_))
            if key is None or bound_twice:
                raise _NotPlain
            for node in ast.walk(statement.value):
                if not isinstance(node, _PLAIN) or _derivative(node) in done:
                    raise _NotPlain
                if isinstance(node, ast.Constant) and isinstance(node.value, (bytes, complex)):
                    raise _NotPlain
            (done if name is not None else locals_).add(key)

    def _is_partial(self, statement: ast.stmt) -> bool:
        """Whether a derivative is d[result] times or over what holds no derivative."""
        assert isinstance(statement, ast.Assign)
        value = statement.value
        if _derivative(statement.targets[0]) is None:
            return not _reads_derivative(value)
        return isinstance(value, ast.Constant) or self._is_product(value)

    def _is_product(self, node: ast.expr) -> bool:
        if _derivative(node) == self._result:
            return True
        if isinstance(node, ast.UnaryOp):
            return isinstance(node.op, ast.USub) and self._is_product(node.operand)
        if not isinstance(node, ast.BinOp) or not isinstance(node.op, (ast.Mult, ast.Div)):
            return False
        left, right = _reads_derivative(node.left), _reads_derivative(node.right)
        if left and right:
            return False
        if isinstance(node.op, ast.Div):
            return left and self._is_product(node.left)
        return self._is_product(node.left if left else node.right)

    def _fresh(self, name: str) -> str:
        wish, number = name, 1
        while wish in self._taken or hasattr(builtins, wish) or wish.startswith('_'):
            number += 1
            wish = f'{name.lstrip("_") or "value"}{number}'
        self._taken.add(wish)
        return wish

    # --- names

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        name = _derivative(node)
        if name is None:
            part = isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, int)
            if part and _derivative(node.value) == self._result and not self._forward:
                own = self._names[self._result]
                at = ast.unparse(node.slice)
                return ast.parse(f'full(d[{own}][{at}], {own}[{at}])', mode='eval').body
            return self.generic_visit(node)
        entry = ast.parse(f'd[{self._names[name]}]', mode='eval').body
        if self._full and name == self._result:
            return ast.parse(f'full(d[{self._names[name]}], {self._names[name]})', mode='eval').body
        return entry

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id in self._names:
            return ast.Name(self._names[node.id], node.ctx)
        return self._outside(node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        root = _root(node)
        if isinstance(root, ast.Name) and root.id not in self._names:
            return self._outside(node)
        if node.attr not in _SHAPE_ATTRIBUTES:
            raise _NotPlain
        return ast.Attribute(self.visit(node.value), node.attr, node.ctx)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        root = _root(node.func)
        if not isinstance(root, ast.Name) or root.id in self._names:
            raise _NotPlain
        if any(isinstance(each, ast.Starred) for each in node.args) or any(
            each.arg is None for each in node.keywords
        ):
            raise _NotPlain
        return ast.Call(
            self._outside(node.func, called=True),
            [self.visit(each) for each in node.args],
            [ast.keyword(each.arg, self.visit(each.value)) for each in node.keywords],
        )

    def _outside(self, node: ast.expr, called: bool = False) -> ast.expr:
        """A name of the template's surroundings as the record spells it."""
        found = _lookup(self._template.function, node)
        if found is not None and called:
            spelled = _in_library(found[0])
            if spelled is not None:
                return ast.parse(spelled, mode='eval').body
        root = _root(node)
        assert isinstance(root, ast.Name)
        start = _lookup(self._template.function, root)
        if start is None:
            self._template.refuse(
                f'`{ast.unparse(node)}` is not defined where the template stands',
                'define or import it above the template',
                node,
            )
        value, is_builtin = start
        if isinstance(value, ModuleType) and value.__name__ in _ROOTS:
            spelled = _ROOTS[value.__name__]
        elif is_builtin and called and isinstance(node, ast.Name):
            return node
        else:
            spelled = f'user.{self._object(root.id, value, is_builtin)}'
        path = ast.unparse(node)
        return ast.parse(spelled + path[len(root.id) :], mode='eval').body

    def _object(self, name: str, value: Any, is_builtin: bool) -> str:
        for known, (_, _, original, _) in self._objects.items():
            if original == name:
                return known
        unique = f'_{next(_numbers)}_{name}'
        where = None if is_builtin else self._template.function
        self._objects[unique] = (value, where, name, name)
        return unique


def _is_nothing(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, ast.Constant)
    return isinstance(statement, ast.Pass)


def _reads_derivative(node: ast.AST) -> bool:
    return any(_derivative(each) is not None for each in ast.walk(node))


def _terms(node: ast.expr, negative: bool = False) -> list[ast.expr]:
    """The terms of a sum of products of derivatives, with their signs."""
    if (
        isinstance(node, ast.BinOp)
        and isinstance(node.op, (ast.Add, ast.Sub))
        and _reads_derivative(node.left)
        and _reads_derivative(node.right)
    ):
        other = negative != isinstance(node.op, ast.Sub)
        return [*_terms(node.left, negative), *_terms(node.right, other)]
    return [ast.UnaryOp(ast.USub(), node) if negative else node]


def _root(node: ast.expr) -> ast.expr:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node


def _lookup(function: FunctionType, node: ast.expr) -> tuple[Any, bool] | None:
    """What a path of names means where the function stands, and whether it is a builtin."""
    if isinstance(node, ast.Attribute):
        owner = _lookup(function, node.value)
        if owner is None or not hasattr(owner[0], node.attr):
            return None
        return getattr(owner[0], node.attr), False
    assert isinstance(node, ast.Name)
    free = function.__code__.co_freevars
    if node.id in free and function.__closure__ is not None:
        try:
            return function.__closure__[free.index(node.id)].cell_contents, False
        except ValueError:
            return None
    if node.id in function.__globals__:
        return function.__globals__[node.id], False
    if hasattr(builtins, node.id):
        return getattr(builtins, node.id), True
    return None


def _in_library(value: Any) -> str | None:
    """How a record spells a function of a library that has records, or None."""
    from tangent import _helpers

    if value is _helpers.unbroadcast:
        return '_unbroadcast'
    kind, name = _core.kind_of_callable(value)
    package, _, rest = name.partition('.')
    if kind != 'library' or package not in _ROOTS or '._' in name or not rest:
        return None
    return f'{_ROOTS[package]}.{rest}'


# ------------------------------------------------------------------------------------------------
# Functions


class _Entries(ast.NodeTransformer):
    """d[x] as a name."""

    def __init__(self, names: dict[str, str]) -> None:
        self._names = names

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        name = _derivative(node)
        if name is None:
            return self.generic_visit(node)
        return ast.copy_location(ast.Name(self._names[name], node.ctx), node)


def _as_function(
    template: _Template,
    own: list[str],
    result: str,
    parameters: Sequence[str],
    forward: bool,
) -> Body:
    """A call of the template, made a function of the derivatives that it is given."""
    node = template.node
    used = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)} | set(own)
    if any(isinstance(each, (ast.Return, ast.Yield, ast.YieldFrom)) for each in ast.walk(node)):
        template.refuse(
            'a template returns nothing', 'assign to `d[…]`, and leave the `return` out'
        )
    entries = {}
    for name in own:
        entry = f'{"d" if forward else "b"}{name}'
        while entry in used:
            entry += '_'
        used.add(entry)
        entries[name] = entry
    stored = {
        _derivative(each)
        for each in ast.walk(node)
        if isinstance(each, ast.Subscript) and isinstance(each.ctx, ast.Store)
    }
    targets = [name for name in (own[:1] if forward else own[1:]) if name in stored]
    sources = own[1:] if forward else own[:1]
    body = [_Entries(entries).visit(each) for each in node.body if not _is_nothing(each)]
    starts = [f'    {entries[name]} = 0.0' for name in targets]
    inner = [f'    {line}' for each in body for line in ast.unparse(each).split('\n')]
    back = ', '.join(entries[name] for name in targets)
    if not forward and len(targets) > 1:
        back = f'({back})'
    arguments = (
        [*own, *(entries[name] for name in sources)]
        if forward
        else [entries[own[0]], *own]
    )
    title = f'{node.name}_{"tangent" if forward else "adjoint"}'
    text = '\n'.join(
        [f'def {title}({", ".join(arguments)}):', *starts, *inner, f'    return {back}', '']
    )
    made = define(text, template.function)
    unique = f'_{next(_numbers)}_{title}'
    objects: dict[str, Named] = {unique: (made, None, title, title)}
    names = dict(zip(own, [result, *parameters], strict=False))
    call = ', '.join(names[name] for name in own)
    if forward:
        given = ''.join(f', d[{names[name]}]' for name in sources)
        return Body([f'd[{result}] = user.{unique}({call}{given})'], objects)
    return Body(
        spread_call(f'user.{unique}(full(d[{result}], {result}), {call})',
                    [names[name] for name in targets], {result, *parameters}),
        objects,
    )  # fmt: skip


def spread_call(call: str, targets: Sequence[str], taken: set[str]) -> list[str]:
    """Lines that give each target its part of what a call returns."""
    if len(targets) == 1:
        return [f'd[{targets[0]}] = {call}']
    parts = 'parts'
    while parts in taken:
        parts += '_'
    return [
        f'{parts} = _parts({call}, {len(targets)})',
        *(f'd[{target}] = {parts}[{k}]' for k, target in enumerate(targets)),
    ]


def define(text: str, like: FunctionType) -> FunctionType:
    """The function that a text defines, in the surroundings and with the defaults of another."""
    free = like.__code__.co_freevars
    filename = f'<tangent made for {like.__name__} {next(_numbers)}>'
    shell = text
    if free:
        inner = ''.join(f'    {line}\n' if line else '\n' for line in text.split('\n'))
        shell = f'def _({", ".join(free)}):\n{inner}'
    module = compile(shell, filename, 'exec', dont_inherit=True)
    code = next(each for each in module.co_consts if isinstance(each, CodeType))
    if free:
        code = next(each for each in code.co_consts if isinstance(each, CodeType))
    cells = dict(zip(free, like.__closure__ or (), strict=True))
    linecache.cache[filename] = len(shell), None, shell.splitlines(keepends=True), filename
    closure = tuple(cells[each] for each in code.co_freevars)
    made = FunctionType(code, like.__globals__, code.co_name, None, closure)
    if code.co_name == like.__name__:
        made.__defaults__, made.__kwdefaults__ = like.__defaults__, like.__kwdefaults__
        made.__annotations__, made.__doc__ = like.__annotations__, like.__doc__
        made.__qualname__ = like.__qualname__
    return made
