"""rules/*.py -> one C++ file: the records by name, the aliases and the packages, as constants.

Usage: index_rules.py OUTPUT RULE_FILE…

In: rule files in the syntax of rules/README.md. Out: the definitions of `rule_index()` and
`rule_packages()` (src/rules/rule.h). The build fails here, with file and line, on a record that
the engine could not use: an unknown decorator argument, a body that assigns what it must not, a
name that means nothing, or a call of a function that has no record itself. That last check closes
the rules under differentiation.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

# What the engine gives to bodies beyond records (rules/README.md, "Bodies").
TEST_WORDS = {'rank', 'ranks', 'known', 'literal', 'integer', 'positive'}
FORMS = {'each', 'spread', 'full', 'layers', 'mask', 'pieces', 'refuse'}
MODULES = {'np': 'numpy', 'math': 'math', 'scipy': 'scipy', 'operator': 'operator'}
ATTRIBUTES = {'T', 'shape', 'size', 'ndim', 'dtype'}
MODULE_CONSTANTS = {'pi', 'e', 'inf', 'nan', 'euler_gamma', 'newaxis'}
HELPER_MODULE = 'tangent.runtime'

ARGUMENTS = {
    'adjoint': {'aliases', 'shape', 'domain', 'sample', 'singular', 'linear', 'note', 'random',
                'edges'},
    'tangent': set(),
    'constant': {'aliases', 'shape', 'domain', 'sample', 'note', 'random'},
}
SHAPES = {
    'elementwise', 'arithmetic', 'boolean', 'integer', 'reduction', 'sum', 'boolean_reduction',
    'index', 'scalar', 'integer_scalar', 'same', 'same_float', 'matmul', 'dot', 'inner', 'outer',
    'solve', 'transpose', 'swapaxes', 'moveaxis', 'reshape', 'broadcast_to', 'ravel',
    'expand_dims', 'squeeze', 'concatenate', 'stack', 'filled', 'filled_like', 'arange',
    'linspace', 'eye', 'array', 'astype', 'where', 'take', 'diff', 'cumulative', 'diagonal',
    'repeat', 'norm', 'shape', 'extremum', 'total', 'hstack', 'vstack', 'column_stack', 'dstack',
    'slogdet', 'eigh', 'eigvalsh', 'pinv', 'svd', 'qr', 'lstsq', 'divmod', 'modf', 'frexp', 'split',
    'meshgrid', 'gradient', 'top', 'sorted', 'loss', 'like_second', 'like_third', 'spread',
    'complex_like', 'complex_number', 'half_spectrum', 'signal',
    'interpolated', 'polynomial', 'quantile', 'trapezoid', 'convolved', 'determinant', 'einsum',
}  # fmt: skip

BINARY_OPERATORS = {
    ast.Add: 'add', ast.Sub: 'sub', ast.Mult: 'mul', ast.Div: 'truediv', ast.Pow: 'pow',
    ast.MatMult: 'matmul', ast.Mod: 'mod', ast.FloorDiv: 'floordiv',
}  # fmt: skip


class RuleError(Exception):
    """A record that the engine could not use."""


@dataclass(frozen=True)
class Synonym:
    """A function of another library that is the same as one that has a record."""

    name: str
    known_as: str
    path: Path
    line: int


@dataclass(frozen=True)
class Written:
    """A function that is written out where it is called: @written("numpy.cov")."""

    name: str
    definition: ast.FunctionDef
    text: str
    path: Path


@dataclass
class Record:
    """One function of a rule file with its decorator, and its forward twin."""

    name: str
    aliases: tuple[str, ...]
    kind: str  # adjoint, constant
    options: dict[str, object]
    definition: ast.FunctionDef
    text: str
    path: Path
    line: int
    twin: ast.FunctionDef | None = field(default=None)

    @property
    def parameters(self) -> list[str]:
        """The function's own parameters, without the result."""
        return all_parameters(self.definition)[1:]

    @property
    def result(self) -> str:
        return all_parameters(self.definition)[0]


def all_parameters(definition: ast.FunctionDef) -> list[str]:
    arguments = definition.args
    return [a.arg for a in arguments.posonlyargs + arguments.args + arguments.kwonlyargs]


def fail(path: Path, node: ast.AST, message: str) -> RuleError:
    return RuleError(f'{path}:{getattr(node, "lineno", 0)}: {message}')


def read_synonyms(path: Path, call: ast.Call) -> list[Synonym]:
    """same("jax.numpy", "numpy", "sin cos", abs="absolute"): names that mean the same there."""
    if not (isinstance(call.func, ast.Name) and call.func.id == 'same' and len(call.args) == 3):
        raise fail(path, call, 'not same("module", "known module", "names", name="known name")')
    module, known, names = (ast.literal_eval(argument) for argument in call.args)
    pairs = [(name, name) for name in names.split()]
    pairs += [(str(each.arg), ast.literal_eval(each.value)) for each in call.keywords]
    return [
        Synonym(f'{module}.{name}', f'{known}.{meant}', path, call.lineno) for name, meant in pairs
    ]


def read_records(path: Path, synonyms: list[Synonym] | None = None) -> list[Record]:
    """The records of one file; twins are attached to theirs. Appends to `synonyms`."""
    synonyms = [] if synonyms is None else synonyms
    source = path.read_text(encoding='utf-8')
    lines = source.splitlines(keepends=True)
    records: dict[str, Record] = {}
    for node in ast.parse(source, str(path)).body:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue  # the docstring
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            synonyms += read_synonyms(path, node.value)
            continue
        if not isinstance(node, ast.FunctionDef):
            raise fail(path, node, 'a rule file holds records only')
        if len(node.decorator_list) != 1:
            raise fail(path, node, f'{node.name}: one decorator, @adjoint, @tangent or @constant')
        decorator = node.decorator_list[0]
        if is_written(node):
            continue
        if not (
            isinstance(decorator, ast.Call)
            and isinstance(decorator.func, ast.Name)
            and decorator.func.id in ARGUMENTS
            and len(decorator.args) == 1
        ):
            raise fail(path, decorator, f'{node.name}: not @adjoint, @tangent or @constant("name")')
        kind = decorator.func.id
        name = ast.literal_eval(decorator.args[0])
        if not isinstance(name, str) or '.' not in name:
            raise fail(path, decorator, f'{name!r} is not a qualified name')
        options: dict[str, object] = {}
        for keyword in decorator.keywords:
            if keyword.arg not in ARGUMENTS[kind]:
                raise fail(path, decorator, f'@{kind} has no argument {keyword.arg!r}')
            options[keyword.arg] = ast.literal_eval(keyword.value)
        first, last = decorator.lineno, node.end_lineno or node.lineno
        text = ''.join(lines[first - 1 : last])
        if kind == 'tangent':
            if name not in records:
                raise fail(path, node, f'the twin of {name} stands below no record of that name')
            records[name].twin = node
            records[name].text += text
            continue
        if name in records:
            raise fail(path, node, f'{name} has two records')
        aliases = options.get('aliases', ())
        if not isinstance(aliases, tuple) or not all(isinstance(a, str) for a in aliases):
            raise fail(path, decorator, 'aliases is a tuple of names')
        shape = options.get('shape', '')
        if shape and shape not in SHAPES:
            raise fail(path, decorator, f'{shape!r} is not a shape of rules/README.md')
        records[name] = Record(name, aliases, kind, options, node, text, path, first)
    return list(records.values())


def is_written(node: ast.stmt) -> bool:
    decorator = node.decorator_list[0] if isinstance(node, ast.FunctionDef) else None
    return (
        isinstance(decorator, ast.Call)
        and isinstance(decorator.func, ast.Name)
        and decorator.func.id == 'written'
    )


def read_written(path: Path) -> list[Written]:
    """The functions of one file that are written out; their text begins at `def`."""
    source = path.read_text(encoding='utf-8')
    lines = source.splitlines(keepends=True)
    found = []
    for node in ast.parse(source, str(path)).body:
        if not (isinstance(node, ast.FunctionDef) and is_written(node)):
            continue
        decorator = node.decorator_list[0]
        assert isinstance(decorator, ast.Call)
        names = [ast.literal_eval(argument) for argument in decorator.args]
        if not names or decorator.keywords or not all('.' in name for name in names):
            raise fail(path, node, '@written takes qualified names')
        text = ''.join(lines[node.lineno - 1 : node.end_lineno])
        if ')rule"' in text:
            raise fail(path, node, 'the text ends a raw string')
        found += [Written(name, node, text, path) for name in names]
    return found


def check_written(functions: list[Written], by_name: dict[str, Record]) -> None:
    seen: set[str] = set()
    for function in functions:
        if function.name in by_name or function.name in seen:
            raise fail(function.path, function.definition, f'{function.name} stands twice')
        seen.add(function.name)


def derivative_of(node: ast.expr) -> str | None:
    """x for `d[x]`."""
    if (
        isinstance(node, ast.Subscript)
        and isinstance(node.value, ast.Name)
        and node.value.id == 'd'
        and isinstance(node.slice, ast.Name)
    ):
        return node.slice.id
    return None


class BodyChecker:
    """Checks one body: what it assigns, what it reads, what it calls."""

    def __init__(self, record: Record, definition: ast.FunctionDef, names: set[str]) -> None:
        self.record = record
        self.path = record.path
        self.names = names
        parameters = all_parameters(definition)
        if parameters != all_parameters(record.definition):
            raise fail(self.path, definition, f'{record.name}: the twin has other parameters')
        if 'd' in parameters:
            raise fail(self.path, definition, 'a parameter cannot be named d')
        self.locals = set(parameters)
        result = parameters[0]
        forward = definition is record.twin
        self.targets = {result} if forward else set(parameters[1:])
        self.sources = set(parameters[1:]) if forward else {result}
        self.assigned: set[str] = set()
        self.adjoints: set[str] = set()  # local names that hold adjoints
        self.block(definition.body)
        if not self.assigned:
            raise fail(self.path, definition, f'{record.name}: the body assigns no d[…]')

    def block(self, body: list[ast.stmt]) -> None:
        for statement in body:
            self.statement(statement)

    def statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Assign(targets=[target], value=value):
                self.expression(value)
                of = derivative_of(target)
                if of is not None:
                    if of not in self.targets:
                        raise fail(self.path, node, f'd[{of}] is not assigned by this body')
                    self.assigned.add(of)
                elif isinstance(target, ast.Name):
                    self.locals.add(target.id)
                    if self.has_derivative(value):
                        self.adjoints.add(target.id)
                else:
                    raise fail(self.path, node, 'a target is d[x] or a name')
            case ast.If(test=test, body=body, orelse=orelse):
                self.test(test)
                self.block(body)
                self.block(orelse)
            case ast.Pass():
                pass
            case _:
                raise fail(self.path, node, f'{type(node).__name__} in a body')

    def test(self, node: ast.expr) -> None:
        match node:
            case ast.BoolOp(values=values):
                for value in values:
                    self.test(value)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                self.test(operand)
            case ast.Compare(left=left, comparators=comparators):
                for side in [left, *comparators]:
                    self.operand(side)
            case _:
                self.operand(node)

    def operand(self, node: ast.expr) -> None:
        match node:
            case ast.Constant():
                pass
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant()):
                pass
            case ast.Name(id=name) if name in self.locals:
                pass
            case ast.Call(func=ast.Name(id=word), args=[ast.Name(id=name)], keywords=[]) if (
                word in TEST_WORDS and name in self.locals
            ):
                pass
            case _:
                raise fail(self.path, node, f'{ast.unparse(node)!r} cannot be tested')

    def expression(self, node: ast.expr | None) -> None:
        match node:
            case None | ast.Constant():
                pass
            case ast.Name(id=name):
                if name not in self.locals:
                    raise fail(self.path, node, f'{name!r} is neither a parameter nor a local name')
            case ast.Attribute():
                self.attribute(node)
            case ast.Subscript(value=value, slice=index):
                of = derivative_of(node)
                if of is not None:
                    if of not in self.sources:
                        raise fail(self.path, node, f'd[{of}] is not read by this body')
                    return
                self.expression(value)
                self.expression(index)
            case ast.Slice(lower=lower, upper=upper, step=step):
                self.expression(lower)
                self.expression(upper)
                self.expression(step)
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                for element in elements:
                    self.expression(element)
            case ast.BinOp(left=left, op=ast.BitAnd() | ast.BitOr(), right=right):
                self.expression(left)  # of tests: no derivative
                self.expression(right)
            case ast.BinOp(left=left, op=op, right=right):
                operator = BINARY_OPERATORS.get(type(op))
                if operator is None or f'operator.{operator}' not in self.names:
                    raise fail(self.path, node, f'no record of the operator {type(op).__name__}')
                self.expression(left)
                self.expression(right)
            case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=operand):
                self.expression(operand)
            case ast.Compare(left=left, comparators=comparators):
                self.expression(left)
                for side in comparators:
                    self.expression(side)
            case ast.Call(
                func=ast.Name(id='mask'), args=[ast.UnaryOp(op=ast.Not(), operand=test), value]
            ):
                self.expression(test)
                self.expression(value)
            case ast.Call(func=ast.Name(id='full' | 'spread' as form), args=[value, *_]) if (
                not self.has_derivative(value)
            ):
                raise fail(self.path, node, f'{form}(…) is of an adjoint')
            case ast.Call(func=function, args=arguments, keywords=keywords):
                self.function(function)
                for argument in arguments:
                    self.expression(argument)
                for keyword in keywords:
                    if keyword.arg is None:
                        raise fail(self.path, node, '** in a body')
                    self.expression(keyword.value)
            case _:
                raise fail(self.path, node, f'{type(node).__name__} in a body')

    def has_derivative(self, node: ast.expr) -> bool:
        return any(
            (isinstance(part, ast.Subscript) and derivative_of(part) is not None)
            or (isinstance(part, ast.Name) and part.id in self.adjoints)
            for part in ast.walk(node)
        )

    def attribute(self, node: ast.Attribute) -> None:
        if qualified(node) is not None:
            if node.attr not in MODULE_CONSTANTS:
                raise fail(self.path, node, f'{ast.unparse(node)} is not a constant of a module')
            return
        if node.attr not in ATTRIBUTES:
            raise fail(self.path, node, f'.{node.attr} in a body')
        self.expression(node.value)

    def function(self, node: ast.expr) -> None:
        if isinstance(node, ast.Name):
            if node.id in FORMS:
                return
            if node.id in TEST_WORDS:
                raise fail(self.path, node, f'{node.id}(…) belongs into a test')
            module = HELPER_MODULE if node.id.startswith('_') else 'builtins'
            name = f'{module}.{node.id}'
        else:
            name = qualified(node) or ast.unparse(node)
        if name not in self.names:
            raise fail(self.path, node, f'{self.record.name} calls {name}, which has no record')


def qualified(node: ast.expr) -> str | None:
    """"numpy.linalg.inv" for `np.linalg.inv`, None if the root is not a module."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if isinstance(node, ast.Name) and node.id in MODULES and parts:
        return '.'.join([MODULES[node.id], *reversed(parts)])
    return None


def is_empty(definition: ast.FunctionDef) -> bool:
    body = definition.body
    return (
        len(body) == 1
        and isinstance(body[0], ast.Expr)
        and isinstance(body[0].value, ast.Constant)
        and body[0].value.value is Ellipsis
    )


def check(records: list[Record]) -> dict[str, Record]:
    """The records by every name they have, each body checked against all of them."""
    by_name: dict[str, Record] = {}
    for record in records:
        for name in (record.name, *record.aliases):
            if name in by_name:
                raise fail(record.path, record.definition, f'{name} has two records')
            by_name[name] = record
    names = set(by_name)
    for record in records:
        definition = record.definition
        variadic = definition.args.vararg or definition.args.kwarg
        if variadic and record.kind != 'constant':
            raise fail(record.path, definition, f'{record.name}: * and ** cannot be bound')
        if record.kind == 'constant':
            if not is_empty(definition) or record.twin is not None:
                raise fail(record.path, definition, f'{record.name}: the body of a constant is ...')
            continue
        BodyChecker(record, definition, names)
        if record.twin is not None:
            BodyChecker(record, record.twin, names)
        for name in record.options.get('linear', ()):  # type: ignore[attr-defined]
            if name not in record.parameters:
                raise fail(record.path, definition, f'linear={name!r} is no parameter')
        singular = record.options.get('singular')
        if isinstance(singular, str):
            for node in ast.walk(ast.parse(singular, mode='eval')):
                if isinstance(node, ast.Name) and node.id not in record.parameters:
                    raise fail(record.path, definition, f'singular: {node.id!r} is no parameter')
    return by_name


def check_synonyms(synonyms: list[Synonym], by_name: dict[str, Record]) -> None:
    seen = set(by_name)
    for synonym in synonyms:
        if synonym.known_as not in by_name:
            raise RuleError(
                f'{synonym.path}:{synonym.line}: {synonym.name}: {synonym.known_as} has no record'
            )
        if synonym.name in seen:
            raise RuleError(f'{synonym.path}:{synonym.line}: {synonym.name} stands twice')
        seen.add(synonym.name)


def packages(names: Iterable[str]) -> list[str]:
    """The packages that are never entered. Tangent itself is not one: only its helpers are."""
    return sorted({name.split('.')[0] for name in names} - {'tangent'})


def to_cpp(
    by_name: dict[str, Record], synonyms: list[Synonym], written: list[Written], root: Path
) -> str:
    texts: dict[int, int] = {}
    lines = [
        '// Generated by tools/index_rules.py from rules/*.py.',
        '#include "rules/rule.h"',
        '#include "rules/written.h"',
        '',
        'namespace tangent {',
        'namespace {',
        '',
    ]
    for record in by_name.values():
        if id(record) in texts:
            continue
        number = texts[id(record)] = len(texts)
        if ')rule"' in record.text:
            raise fail(record.path, record.definition, 'the text ends a raw string')
        lines.append(f'constexpr std::string_view kText{number} = R"rule({record.text})rule";')
    lines.append('')
    lines.append('constexpr RuleSource kIndex[] = {')
    for name in sorted(by_name, key=lambda text: text.encode()):
        record = by_name[name]
        path = f'{root.name}/{record.path.name}'
        lines.append(f'    {{"{name}", kText{texts[id(record)]}, "{path}", {record.line}}},')
    lines.append('};')
    lines.append('constexpr RuleSynonym kSynonyms[] = {')
    for synonym in sorted(synonyms, key=lambda each: each.name.encode()):
        lines.append(f'    {{"{synonym.name}", "{synonym.known_as}"}},')
    lines.append('};')
    lines.append('constexpr WrittenFunction kWritten[] = {')
    for function in sorted(written, key=lambda each: each.name.encode()):
        lines.append(f'    {{"{function.name}", R"rule({function.text})rule"}},')
    lines.append('};')
    every = [*by_name, *(each.name for each in synonyms), *(each.name for each in written)]
    names = ', '.join(f'"{name}"' for name in packages(every))
    lines += [
        f'constexpr std::string_view kPackages[] = {{{names}}};',
        '',
        '}  // namespace',
        '',
        'std::span<const RuleSource> rule_index() { return kIndex; }',
        'std::span<const RuleSynonym> rule_synonyms() { return kSynonyms; }',
        'std::span<const WrittenFunction> written_functions() { return kWritten; }',
        'std::span<const std::string_view> rule_packages() { return kPackages; }',
        '',
        '}  // namespace tangent',
        '',
    ]
    return '\n'.join(lines)


def main(arguments: list[str]) -> int:
    output, *files = (Path(argument) for argument in arguments)
    try:
        synonyms: list[Synonym] = []
        records = [record for path in sorted(files) for record in read_records(path, synonyms)]
        by_name = check(records)
        check_synonyms(synonyms, by_name)
        written = [function for path in sorted(files) for function in read_written(path)]
        check_written(written, by_name)
        text = to_cpp(by_name, synonyms, written, Path('rules'))
    except (RuleError, SyntaxError) as error:
        print(f'error: {error}', file=sys.stderr)
        return 1
    output.write_text(text, encoding='utf-8')
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
