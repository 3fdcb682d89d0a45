"""The derivative records of functions that users give rules for.

In: a function, and the bodies that are given for it. Out: its record as text, in the form of
rules/README.md, handed to the engine. A Python function carries its rule itself
(src/python/user_rules.h); rules of library functions are kept in the engine under the function's
name. Every gradient that was made before follows at its next call.
"""

from __future__ import annotations

import ast
import inspect
import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from types import FunctionType, ModuleType
from typing import Any

from tangent import _capture, _core
from tangent._templates import Body, Named, bad_rule

_SLOT = '__tangent_rule__'
RULE = '__tangent_rule_parts__'
_MODULES = ('math', 'np', 'scipy', 'user')
_LITERALS = (int, float, bool, str, type(None))

_numbers = itertools.count(1)
of_libraries: dict[str, Rule] = {}


@dataclass
class Parameter:
    name: str
    default: str | None = None
    keyword_only: bool = False

    def __str__(self) -> str:
        return self.name if self.default is None else f'{self.name}={self.default}'


@dataclass
class Rule:
    """What is known of one function: its record before it is written down."""

    key: str
    function: FunctionType | None  # None: of a library
    result: str
    parameters: list[Parameter]
    shape: str | None = None
    options: list[str] = field(default_factory=list)  # of the built-in record, as text
    adjoint: Body | None = None
    tangent: Body | None = None
    built_in_adjoint: list[str] | None = None
    built_in_tangent: list[str] | None = None
    constant: bool = False
    outputs: int = 0  # of a result that is a tuple: how many values
    pure: bool = False  # gives its first argument back, and does nothing else
    backward: Callable[..., Any] | None = None
    forward: Callable[..., Any] | None = None

    @property
    def names(self) -> list[str]:
        return [each.name for each in self.parameters]


# ------------------------------------------------------------------------------------------------
# Functions


def rule_of(function: object) -> Rule:
    """The rule that is kept for a function, made where there is none."""
    if not callable(function):
        bad_rule(f'{function!r} is not a function', 'give the function that the rule is of')
    if isinstance(function, _core.Gradient):
        bad_rule(
            f'{function!r} is a gradient',
            'give the rule of the function that it is the gradient of',
        )
    kind, name = _core.kind_of_callable(function)
    receiver = getattr(function, '__self__', None)
    if receiver is not None and not isinstance(receiver, ModuleType):
        kind = kind if _core.built_in_record(name) is not None else 'method'
    if kind == 'library' and not (isinstance(function, FunctionType) and _has_rule(function)):
        known = of_libraries.get(name)
        if known is None:
            known = of_libraries[name] = _of_library(name, function)
        return known
    if not isinstance(function, FunctionType) or kind == 'method':
        what = {'class': 'a class', 'method': 'a method'}.get(kind, 'an object that can be called')
        called = getattr(function, '__qualname__', function)
        bad_rule(
            f'{called!r} is {what}, and rules are of functions',
            'write a function that calls it, and give that the rule',
        )
    owner = function.__qualname__.rpartition('.')[0]
    if owner and not owner.endswith('<locals>'):
        bad_rule(
            f'{function.__qualname__!r} is a method, and rules are of functions',
            'write a function that takes what the method needs, and give that the rule',
        )
    known_parts = function.__dict__.get(RULE)
    if known_parts is not None and known_parts[0] is function:
        rule = known_parts[1]
        assert isinstance(rule, Rule)
        return rule
    rule = Rule(
        f'user.{next(_numbers)}.{function.__name__}', function, '', _own_parameters(function)
    )
    rule.result = free_name('y', rule.names)
    rule.outputs = _outputs(function)
    function.__dict__[RULE] = function, rule
    return rule


def _outputs(function: FunctionType) -> int:
    """How many values every return of a function gives, where each writes a tuple out; else 0."""
    found = _capture.read(function)
    if len(found) == 3:
        return 0
    sizes = set()
    stack: list[ast.AST] = list(getattr(found[0], 'body', []) if _is_definition(found[0]) else [])
    while stack:
        node = stack.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.expr)):
            continue
        if isinstance(node, ast.Return):
            starred = isinstance(node.value, ast.Tuple) and any(
                isinstance(each, ast.Starred) for each in node.value.elts
            )
            is_tuple = isinstance(node.value, ast.Tuple) and not starred
            sizes.add(len(node.value.elts) if is_tuple else 0)  # type: ignore[union-attr]
        stack.extend(ast.iter_child_nodes(node))
    return sizes.pop() if len(sizes) == 1 else 0


def _is_definition(node: Any) -> bool:
    return isinstance(node, ast.FunctionDef)


def _has_rule(function: FunctionType) -> bool:
    slot = function.__dict__.get(_SLOT)
    return slot is not None and slot[0] is function


def free_name(wish: str, taken: list[str]) -> str:
    while wish in taken or wish == 'd':
        wish += '_'
    return wish


def _own_parameters(function: FunctionType) -> list[Parameter]:
    parameters = []
    for each in inspect.signature(function, follow_wrapped=False).parameters.values():
        if each.kind in (each.VAR_POSITIONAL, each.VAR_KEYWORD):
            bad_rule(
                f'{function.__name__!r} takes `{each}`, and a rule is of parameters by name',
                'name the parameters of the function',
            )
        if each.name in _MODULES:
            bad_rule(
                f'{function.__name__!r} has a parameter {each.name!r}, and rules call a module so',
                'give the parameter another name',
            )
        default = None if each.default is each.empty else literal(each.default)
        parameters.append(Parameter(each.name, default, each.kind is each.KEYWORD_ONLY))
    return parameters


def literal(value: Any) -> str | None:
    """A default as text, None where it is no literal: then calls have to give the argument."""
    if isinstance(value, tuple) and all(isinstance(each, _LITERALS) for each in value):
        return repr(value)
    return repr(value) if type(value) in _LITERALS and value == value else None


def _of_library(name: str, function: Any) -> Rule:
    """The rule of a library function: its built-in record, else what its signature says."""
    text = _core.built_in_record(name)
    if text is None:
        try:
            found = inspect.signature(function).parameters.values()
        except (TypeError, ValueError):
            return Rule(name, None, 'y', [])
        parameters = [
            Parameter(
                each.name,
                None if each.default is each.empty else literal(each.default),
                each.kind is each.KEYWORD_ONLY,
            )
            for each in found
            if each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)
        ]
        rule = Rule(name, None, '', parameters)
        rule.result = free_name('y', rule.names)
        return rule
    records = [each for each in ast.parse(text).body if isinstance(each, ast.FunctionDef)]
    header, arguments = records[0].decorator_list[0], records[0].args
    assert isinstance(header, ast.Call)
    positional = [*arguments.posonlyargs, *arguments.args]
    missing = len(positional) - len(arguments.defaults)
    defaults = [None] * missing + [ast.unparse(each) for each in arguments.defaults]
    parameters = [
        Parameter(each.arg, default) for each, default in zip(positional, defaults, strict=True)
    ][1:]
    for each, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        standard = None if default is None else ast.unparse(default)
        parameters.append(Parameter(each.arg, standard, True))
    options = {each.arg: each.value for each in header.keywords}
    shape = options.get('shape')
    constant = isinstance(header.func, ast.Name) and header.func.id == 'constant'
    return Rule(
        name,
        None,
        positional[0].arg,
        parameters,
        str(shape.value) if isinstance(shape, ast.Constant) else None,
        [
            f'{key}={ast.unparse(value)}'
            for key, value in options.items()
            if key in ('linear', 'singular', 'random')
        ],
        built_in_adjoint=None if constant else _lines(records[0]),
        built_in_tangent=_lines(records[1]) if len(records) > 1 else None,
    )


def _lines(record: ast.FunctionDef) -> list[str]:
    return '\n'.join(ast.unparse(each) for each in record.body).split('\n')


# ------------------------------------------------------------------------------------------------
# Records


def _text(rule: Rule) -> str:
    parts = [rule.result]
    keyword = False
    for each in rule.parameters:
        if each.keyword_only and not keyword:
            parts.append('*')
            keyword = True
        parts.append(str(each))
    signature = f'def f({", ".join(parts)}):'
    options = ['given=True']
    if rule.shape is not None:
        options.append(f'shape={rule.shape!r}')
    if rule.outputs:
        options.append('parts=True')
    if rule.function is not None and not rule.pure:
        options.append('random=True')  # it may do anything: never left out, never computed again
    objects = [name for each in (rule.adjoint, rule.tangent) if each for name in each.objects]
    if objects:
        options.append(f'objects=({", ".join(map(repr, objects))},)')
    called = rule.function.__name__ if rule.function is not None else rule.key
    if rule.constant:
        return f'@constant({called!r}, {", ".join(options)})\n{signature} ...\n'
    adjoint = rule.adjoint.lines if rule.adjoint else rule.built_in_adjoint
    # A slope that the user gives holds in both modes; else forward mode keeps its own.
    slope = rule.adjoint is not None and rule.adjoint.elementwise
    tangent = rule.tangent.lines if rule.tangent else None if slope else rule.built_in_tangent
    for option in rule.options:
        name = option.partition('=')[0]
        if rule.function is None and not (
            (name == 'singular' and rule.adjoint) or (name == 'linear' and (slope or rule.tangent))
        ):
            options.append(option)
    text = [f'@adjoint({called!r}, {", ".join(options)})', signature]
    text += [f'    {line}' for line in adjoint or [f'd[{name}] = 0' for name in rule.names]]
    if tangent:
        text += [f'@tangent({called!r})', signature, *(f'    {line}' for line in tangent)]
    return '\n'.join(text) + '\n'


def register(rule: Rule) -> None:
    """Hands the record to the engine; every gradient is made anew at its next call."""
    objects: dict[str, Named] = {}
    for each in (rule.adjoint, rule.tangent):
        objects.update(each.objects if each else {})
    function = rule.function
    _core.add_rule(_text(rule), f'<rule of {rule.key}>', rule.key)
    if function is None:
        for name, named in objects.items():
            _core.keep_rule_object(name, named)
    else:
        elementwise = rule.adjoint is not None and rule.adjoint.elementwise
        function.__dict__[_SLOT] = (
            function,
            rule.key,
            rule.constant or rule.adjoint is not None,
            rule.constant or rule.tangent is not None or elementwise,
            objects,
        )
    _core.rules_changed(None)
