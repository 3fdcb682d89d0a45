"""Which values of a function depend on which: read off its own text.

In: a function. Out: for straight-line code the edges from each assigned name to the names that it
is made of; for any code, which parameters cannot reach the result. Where two names may stand for
one array or list, what is stored through one is taken to change the other: an input is only called
dead if nothing in the text connects it with the result.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from types import FunctionType, MethodType
from typing import Any

from tangent import _capture
from tangent.errors import from_diagnostic

Edge = tuple[str, list[str]]

# What makes a new value of its operands, whatever they are: its result shares memory with none.
_FRESH = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.Constant, ast.JoinedStr)
_STORE_ROOTS = (ast.Subscript, ast.Attribute, ast.Starred)


def definition_of(func: Callable[..., Any]) -> ast.FunctionDef | ast.Lambda:
    """The tree of a function's own text."""
    function = func.__func__ if isinstance(func, MethodType) else func
    if not isinstance(function, FunctionType):
        raise TypeError(f'{func!r} is no Python function')
    found = _capture.read(function)
    if len(found) == 3:
        raise from_diagnostic(found[0], 'SourceCodeNotAvailableError', found[1], found[2])
    node = found[0]
    assert isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
    return node  # type: ignore[return-value]


def parameters_of(node: ast.FunctionDef | ast.Lambda) -> list[str]:
    """The names of all parameters, in the order in which `inspect.signature` gives them."""
    given = node.args
    names = [each.arg for each in (*given.posonlyargs, *given.args)]
    names += [given.vararg.arg] if given.vararg else []
    names += [each.arg for each in given.kwonlyargs]
    return names + ([given.kwarg.arg] if given.kwarg else [])


class Flow:
    """The edges of a function in the order of its text.

    Attributes
    ----------
    params
        The names of the parameters.
    edges
        `(name, [names])` for every value that a name gets, or may get through another name.
    shown
        Those of them that stand in the text.
    out_names
        The names in the result.
    deciding
        The names in tests and in what loops run over.
    straight
        Whether there is no control flow: each edge happens once, in this order.
    """

    def __init__(self, node: ast.FunctionDef | ast.Lambda) -> None:
        self.params = parameters_of(node)
        self.edges: list[Edge] = []
        self.shown: list[Edge] = []
        self.out_names: list[str] = []
        self.deciding: set[str] = set()
        self.straight = True
        self._locals = {*self.params, *_assigned(node)}
        self._together: dict[str, set[str]] = {}  # names that may stand for one object
        if isinstance(node, ast.Lambda):
            self.out_names = self._names(node.body)
            self.straight = not _branches(node.body)
        else:
            self._block(node.body)

    def influential(self) -> set[str]:
        """The names of which some value reaches the result."""
        return self._walk()[0]

    def _walk(self) -> tuple[set[str], set[str]]:
        """The names of which some value reaches the result, and those that do at the start."""
        live = {*self.out_names, *self.deciding}
        found = set(live)
        # Once backwards for straight code; until nothing changes where statements run again.
        while True:
            before = len(found)
            for name, sources in reversed(self.edges):
                if name in live:
                    if self.straight:
                        live.discard(name)
                    live.update(sources)
                    found.update(sources)
            if self.straight or len(found) == before:
                return found, live

    def dead_inputs(self) -> list[int]:
        """The positions of the parameters that no path connects with the result."""
        reached = self._walk()[1]
        return [at for at, name in enumerate(self.params) if name not in reached]

    # --- statements

    def _block(self, statements: list[ast.stmt]) -> None:
        for statement in statements:
            self._statement(statement)

    def _statement(self, it: ast.stmt) -> None:
        if isinstance(it, ast.Assign):
            for target in it.targets:
                self._assign(target, it.value)
        elif isinstance(it, ast.AnnAssign):
            if it.value is not None:
                self._assign(it.target, it.value)
        elif isinstance(it, ast.AugAssign):
            self._store(it.target, [*self._names(it.target), *self._names(it.value)])
        elif isinstance(it, ast.Return):
            if it.value is not None:
                self._walrus(it.value)
                self.out_names += [x for x in self._names(it.value) if x not in self.out_names]
                self.straight = self.straight and not _branches(it.value)
        elif isinstance(it, ast.Expr):
            self._effect(it.value)
        elif isinstance(it, (ast.FunctionDef, ast.AsyncFunctionDef)):
            # What it reads of this function it may give back or change when it is called.
            self._bind(it.name, [x for x in _read_in(it) if x in self._locals])
            for name in _outer_names(it):
                self._bind(name, [it.name])
        elif not isinstance(it, (ast.Pass, ast.Global, ast.Nonlocal, ast.Import, ast.ImportFrom)):
            self._control(it)

    def _control(self, it: ast.stmt) -> None:
        self.straight = False
        for field in ('test', 'iter', 'subject', 'exc', 'msg'):
            value = getattr(it, field, None)
            if value is not None:
                self._walrus(value)
                self.deciding.update(self._names(value))
        if isinstance(it, (ast.For, ast.AsyncFor)):
            self._assign(it.target, it.iter)
        for item in getattr(it, 'items', []):  # with
            self.deciding.update(self._names(item.context_expr))
            if item.optional_vars is not None:
                self._assign(item.optional_vars, item.context_expr)
        for case in getattr(it, 'cases', []):  # match
            subject = getattr(it, 'subject')  # noqa: B009
            for name in _captured(case.pattern):
                self._bind(name, self._names(subject))
            if case.guard is not None:
                self.deciding.update(self._names(case.guard))
            self._block(case.body)
        for handler in getattr(it, 'handlers', []):
            self._block(handler.body)
        for field in ('body', 'orelse', 'finalbody'):
            self._block(getattr(it, field, []))

    def _effect(self, value: ast.expr) -> None:
        """An expression for its effect: a call may change what it is given."""
        self._walrus(value)
        if isinstance(value, ast.Constant):
            return
        names = self._names(value)
        if isinstance(value, ast.Call) and ast.unparse(value.func) == 'print':
            return
        for name in names:
            self._store_into(name, names)

    # --- targets

    def _assign(self, target: ast.expr, value: ast.expr) -> None:
        self._walrus(value)
        if _branches(value):
            self.straight = False
        parts = target.elts if isinstance(target, (ast.Tuple, ast.List)) else None
        values = value.elts if isinstance(value, (ast.Tuple, ast.List)) else None
        starred = any(isinstance(each, ast.Starred) for each in (parts or []) + (values or []))
        if parts is not None and values is not None and len(parts) == len(values) and not starred:
            for part, each in zip(parts, values, strict=True):
                self._assign(part, each)
            return
        names = self._names(value)
        if parts is not None:
            for part in parts:
                self._assign_to(part, names, value)
        else:
            self._assign_to(target, names, value)

    def _assign_to(self, target: ast.expr, names: list[str], value: ast.expr) -> None:
        if isinstance(target, ast.Name):
            self._bind(target.id, names)
            if not isinstance(value, _FRESH):
                self._share(target.id, names)
        elif isinstance(target, (ast.Tuple, ast.List)):
            for part in target.elts:
                self._assign_to(part, names, value)
        else:
            self._store(target, [*self._names(target), *names])

    def _store(self, target: ast.expr, names: list[str]) -> None:
        root = target
        while isinstance(root, _STORE_ROOTS):
            root = root.value
        if not isinstance(root, ast.Name):
            return
        if root is target:
            self._bind(root.id, names)
            # `x += …` of an array changes it for all who hold it.
            for other in self._sharing(root.id):
                self._bind(other, [other, *names], False)
        else:
            self._store_into(root.id, names)
            self._share(root.id, [x for x in names if x != root.id])

    def _store_into(self, root: str, names: list[str]) -> None:
        self._bind(root, [root, *names])
        for name in self._sharing(root):
            self._bind(name, [name, *names], False)

    def _bind(self, name: str, names: list[str], shown: bool = True) -> None:
        edge = name, list(dict.fromkeys(names))
        self.edges.append(edge)
        if shown:
            self.shown.append(edge)

    def _share(self, name: str, others: list[str]) -> None:
        group = {name, *others}
        for each in list(group):
            group |= self._together.get(each, set())
        for each in group:
            self._together[each] = group

    def _sharing(self, name: str) -> list[str]:
        return sorted(self._together.get(name, set()) - {name})

    # --- expressions

    def _names(self, value: ast.expr) -> list[str]:
        found = [
            node.id
            for node in ast.walk(value)
            if isinstance(node, ast.Name) and node.id in self._locals
        ]
        return list(dict.fromkeys(found))

    def _walrus(self, value: ast.expr) -> None:
        for node in ast.walk(value):
            if isinstance(node, ast.NamedExpr):
                self._assign_to(node.target, self._names(node.value), node.value)


def _branches(value: ast.expr) -> bool:
    """Whether something in an expression is evaluated only sometimes."""
    kinds = (ast.IfExp, ast.BoolOp, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
    return any(isinstance(node, kinds) for node in ast.walk(value))


def _assigned(node: ast.AST) -> Iterator[str]:
    for each in ast.walk(node):
        if isinstance(each, ast.Name) and not isinstance(each.ctx, ast.Load):
            yield each.id
        elif isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef)) and each is not node:
            yield each.name
        elif isinstance(each, ast.pattern):
            yield from _captured(each)


def _captured(pattern: ast.pattern) -> Iterator[str]:
    for each in ast.walk(pattern):
        name = getattr(each, 'name', None) or getattr(each, 'rest', None)
        if isinstance(name, str):
            yield name


def _read_in(node: ast.AST) -> list[str]:
    return list(dict.fromkeys(each.id for each in ast.walk(node) if isinstance(each, ast.Name)))


def _outer_names(node: ast.AST) -> list[str]:
    names: list[str] = []
    for each in ast.walk(node):
        if isinstance(each, ast.Nonlocal):
            names += each.names
    return names


def dataflow(func: Callable[..., Any]) -> tuple[dict[str, Any] | None, list[int]]:
    """The data flow of a function as `explain` gives it, and its dead inputs.

    The first is None where there is control flow.
    """
    flow = Flow(definition_of(func))
    dead = flow.dead_inputs()
    if not flow.straight:
        return None, dead
    return {
        'edges': flow.shown,
        'out_names': flow.out_names,
        'influential': flow.influential(),
        'params': flow.params,
    }, dead
