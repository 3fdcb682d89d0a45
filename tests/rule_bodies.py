"""Runs the bodies of rule records on actual arguments, independently of the engine.

The words of rules/README.md are given their meaning here a second time, in the plainest way: tests
are decided on the actual arguments (or, in a harder mode, not decided where the engine may not
know), forms are NumPy calls. tests/test_rules.py compares the results with differences.
"""

from __future__ import annotations

import ast
import functools
import importlib
import importlib.util
import operator
import sys
import types
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent


def load(name: str, path: Path) -> Any:
    """A module by its path, without importing the package that it belongs to."""
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


index_rules = load('index_rules', ROOT / 'tools' / 'index_rules.py')

# The helpers, without the package's own __init__ and its extension module.
_package = types.ModuleType('tangent_helpers')
_package.__path__ = [str(ROOT / 'python' / 'tangent')]
sys.modules['tangent_helpers'] = _package
runtime = importlib.import_module('tangent_helpers.runtime')

FILES = sorted((ROOT / 'rules').glob('*.py'))
SYNONYMS: list[Any] = []
EVERY_RECORD = [record for path in FILES for record in index_rules.read_records(path, SYNONYMS)]
BY_NAME = index_rules.check(EVERY_RECORD)
# Those of other libraries than NumPy are tried on their own arrays (tests/test_library_rules.py).
LIBRARIES = ('jax', 'torch', 'tinygrad')
RECORDS = [record for record in EVERY_RECORD if record.name.split('.')[0] not in LIBRARIES]


@functools.cache
def resolve(name: str) -> Any:
    """The callable of a qualified name."""
    if name.startswith('tangent.runtime.'):
        return getattr(runtime, name.rpartition('.')[2])
    parts = name.split('.')
    for split in range(len(parts) - 1, 0, -1):
        try:
            value = importlib.import_module('.'.join(parts[:split]))
        except ImportError:
            continue
        for part in parts[split:]:
            value = getattr(value, part)
        return value
    raise LookupError(name)


@dataclass(frozen=True)
class Mode:
    """What the engine would know of the arguments."""

    ranks: bool = True  # ranks of arrays
    literals: bool = True  # which arguments are literal constants
    positive: bool = True  # signs


MODES = [
    Mode(),
    Mode(ranks=False),
    Mode(literals=False, positive=False),
    Mode(ranks=False, literals=False, positive=False),
]


@dataclass
class Call:
    """Arguments bound to the parameters of a record."""

    values: dict[str, Any]
    given: set[str]  # not left at their defaults
    literal: set[str] = field(default_factory=set)


def bind(
    record: Any, arguments: tuple[Any, ...], keywords: dict[str, Any], literal: set[Any]
) -> Call:
    """As the engine binds them; `literal` holds positions and keywords that are constants."""
    definition = record.definition.args
    positional = [a.arg for a in definition.posonlyargs + definition.args][1:]
    call = Call({}, set())
    variadic = definition.vararg is not None
    assert variadic or len(arguments) <= len(positional), f'{record.name}: too many arguments'
    for i, (name, value) in enumerate(zip(positional, arguments, strict=False)):
        call.values[name] = value
        call.given.add(name)
        if i in literal:
            call.literal.add(name)
    for name, value in keywords.items():
        assert name in record.parameters, f'{record.name} has no parameter {name}'
        call.values[name] = value
        call.given.add(name)
        if name in literal:
            call.literal.add(name)
    defaults = dict(zip(reversed(positional), reversed(definition.defaults), strict=False))
    for keyword, default in zip(definition.kwonlyargs, definition.kw_defaults, strict=True):
        if default is not None:
            defaults[keyword.arg] = default
    for name in record.parameters:
        if name not in call.values:
            assert name in defaults, f'{record.name}: {name} is missing'
            node = defaults[name]
            call.values[name] = eval(ast.unparse(node), {'float': float})
            call.literal.add(name)
    return call


def full(b: Any, x: Any) -> Any:
    if isinstance(b, list):  # of a tuple's parts
        return [full(part, value) for part, value in zip(b, x, strict=True)]
    return np.broadcast_to(b, np.shape(x))[()]


def mask(test: Any, value: Callable[[], Any]) -> Any:
    """The value where the test holds; of a number it is not even computed elsewhere."""
    if isinstance(test, (bool, np.bool)):
        return value() if test else 0.0
    with np.errstate(all='ignore'):
        b = value()
        return np.where(test, b, np.zeros_like(b))


class Each(list):  # type: ignore[type-arg]
    """The adjoint of every element."""


def layers(b: Any, axis: int) -> Any:
    return np.moveaxis(np.asarray(b), axis, 0)


class Refused(Exception):
    """An adjoint that a rule does not take."""


def refuse(b: Any, text: str) -> Any:
    if any(np.any(part) for part in (b if isinstance(b, list) else [b])):
        raise Refused(text)
    return 0.0


class Undecided(Exception):
    """A test that the engine could not decide."""


COMPARE = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


class Run:
    """One run of one body. `given` maps d[…] of what is read, `out` collects what is assigned."""

    def __init__(self, record: Any, call: Call, result: Any, mode: Mode, called: str) -> None:
        self.record = record
        self.call = call
        self.mode = mode
        self.module = called.rpartition('.')[0]
        self.names: dict[str, Any] = {**call.values, record.result: result}
        self.derivative: dict[str, Any] = {}
        self.out: dict[str, Any] = {}

    # Statements

    def block(self, body: list[ast.stmt]) -> None:
        for node in body:
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    self.names[name] = self.value(value)
                case ast.Assign(targets=[target], value=value):
                    of = index_rules.derivative_of(target)
                    self.contribute(of, value)
                case ast.If(test=test, body=then, orelse=orelse):
                    self.block(then if self.holds(test) else orelse)

    def contribute(self, of: str, value: ast.expr) -> None:
        if of != self.record.result:
            if of not in self.call.given:
                return  # nothing was passed that a contribution could go to
            assert of not in self.out, f'd[{of}] is assigned twice'
            self.out[of] = self.value(value)
            return
        # Forward: terms whose tangent is zero are left out.
        reads = {index_rules.derivative_of(n) for n in ast.walk(value) if isinstance(n, ast.expr)}
        if reads - {None} <= set(self.derivative):
            more = self.value(value)
            if of in self.out and isinstance(more, tuple):
                more = tuple(a + b for a, b in zip(self.out[of], more, strict=True))
            elif of in self.out:
                more = self.out[of] + more
            self.out[of] = more

    # Tests: three values, None is "not decided"

    def holds(self, test: ast.expr) -> bool:
        return self.decide(test) is True

    def decide(self, node: ast.expr) -> bool | None:
        match node:
            case ast.BoolOp(op=op, values=values):
                parts = [self.decide(value) for value in values]
                if isinstance(op, ast.And):
                    return False if False in parts else None if None in parts else True
                return True if True in parts else None if None in parts else False
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                inner = self.decide(operand)
                return None if inner is None else not inner
            case ast.Compare(left=left, ops=[ast.Is() | ast.IsNot() as op], comparators=[_]):
                assert isinstance(left, ast.Name)
                if not self.is_literal(left.id):
                    return None if self.names[left.id] is None else isinstance(op, ast.IsNot)
                return (self.names[left.id] is None) == isinstance(op, ast.Is)
            case ast.Compare(
                left=ast.Call(func=ast.Name(id='ranks'), args=[ast.Name(id=name)]),
                ops=[op], comparators=[ast.Constant(value=number)],
            ):  # fmt: skip
                if not self.mode.ranks:
                    return None
                held = {COMPARE[type(op)](np.ndim(item), number) for item in self.names[name]}
                return held.pop() if len(held) == 1 else None
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                try:
                    a, b = self.operand(left), self.operand(right)
                except Undecided:
                    return None
                return bool(COMPARE[type(op)](a, b))
            case ast.Call(func=ast.Name(id=word), args=[ast.Name(id=name)]):
                value = self.names[name]
                if word == 'known':
                    return self.mode.ranks
                if word == 'literal':
                    return self.is_literal(name)
                if word == 'integer':
                    return np.asarray(value).dtype.kind in 'iub'
                if word == 'positive':
                    return bool(self.mode.positive and np.all(np.asarray(value) > 0))
                raise AssertionError(word)
            case ast.Name(id=name):
                return bool(self.names[name]) if self.is_literal(name) else None
        raise AssertionError(ast.dump(node))

    def is_literal(self, name: str) -> bool:
        return name in self.call.literal and (self.mode.literals or name not in self.call.given)

    def operand(self, node: ast.expr) -> Any:
        match node:
            case ast.Call(func=ast.Name(id='rank'), args=[ast.Name(id=name)]):
                if not self.mode.ranks or isinstance(self.names[name], (list, tuple)):
                    raise Undecided
                return np.ndim(self.names[name])
            case ast.Name(id=name):
                if not self.is_literal(name) or not isinstance(self.names[name], (int, float, str)):
                    raise Undecided
                return self.names[name]
        return ast.literal_eval(node)

    # Expressions

    def value(self, node: ast.expr) -> Any:
        scope = dict(self.names)
        scope.update(
            _d=self.derivative, _call=resolve, _constant=resolve,
            full=full, mask=mask, refuse=refuse, spread=runtime._spread, layers=layers,
            pieces=runtime._unconcatenate, each=lambda b: Each([b]),
        )  # fmt: skip
        return eval(compiled(node, self.module, frozenset(self.names)), scope)


@functools.cache
def compiled(node: ast.expr, module: str, names: frozenset[str]) -> types.CodeType:
    """The code of an expression of a body, for a record found in `module`."""
    body = ast.parse(ast.unparse(node), mode='eval').body
    tree = ast.Expression(Resolver(module, set(names)).visit(body))
    return compile(ast.fix_missing_locations(tree), '<rule>', 'eval')


class Resolver(ast.NodeTransformer):
    """d[x] -> _d["x"], np.cos -> the function that the engine would call."""

    def __init__(self, module: str, names: set[str]) -> None:
        self.module = module if module not in ('numpy', 'builtins', 'operator') else ''
        self.names = names

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        of = index_rules.derivative_of(node)
        if of is None:
            return self.generic_visit(node)
        return ast.parse(f'_d[{of!r}]', mode='eval').body

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        name = index_rules.qualified(node)
        if name is None:
            return self.generic_visit(node)
        if name.startswith('numpy.') and self.module:
            own = f'{self.module}.{name.rpartition(".")[2]}'
            if own in BY_NAME or (self.module == 'math' and name in ('numpy.pi', 'numpy.inf')):
                name = own
        return ast.parse(f'_call({name!r})', mode='eval').body

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id.startswith('_') and node.id not in self.names:
            return ast.parse(f'_call("tangent.runtime.{node.id}")', mode='eval').body
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == 'mask':
            value = ast.parse('lambda: 0', mode='eval').body
            assert isinstance(value, ast.Lambda)
            value.body = node.args[1]
            node.args[1] = value
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.Not):  # of mask(not test, b), elementwise
            call = ast.parse('_call("numpy.logical_not")(_)', mode='eval').body
            assert isinstance(call, ast.Call)
            call.args = [node.operand]
            return call
        return node


def run_adjoint(
    record: Any, call: Call, result: Any, seed: Any, mode: Mode, called: str = ''
) -> dict[str, Any]:
    """The contributions d[x] of a record's body, by parameter."""
    run = Run(record, call, result, mode, called or record.name)
    run.derivative[record.result] = seed
    run.block(record.definition.body)
    return run.out


def run_tangent(record: Any, call: Call, result: Any, tangents: dict[str, Any], mode: Mode) -> Any:
    """The derivative d[y] of the twin's body; parameters that are not in `tangents` rest."""
    run = Run(record, call, result, mode, record.name)
    run.derivative.update(tangents)
    run.block(record.twin.body)
    return run.out.get(record.result, 0.0)
