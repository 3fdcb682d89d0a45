"""Derivatives that users give: rules for functions, custom gradients, and what has none.

In: functions, templates, backward functions. Out: records of the form of rules/README.md, which
the engine reads like its own. A Python function carries its rule itself (src/python/user_rules.h);
rules of library functions are kept in the engine under the function's name. Every gradient that was
made before follows at its next call.
"""

from __future__ import annotations

import ast
import inspect
import itertools
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from types import FunctionType, ModuleType
from typing import Any, TypeVar

from tangent import _capture, _core
from tangent._templates import (
    Body,
    Named,
    bad_rule,
    defaults_of,
    parameters_of,
    read_template,
    spread_call,
)

F = TypeVar('F', bound=Callable[..., Any])
_SLOT = '__tangent_rule__'
_RULE = '__tangent_rule_parts__'
_MODULES = ('math', 'np', 'scipy', 'user')
_LITERALS = (int, float, bool, str, type(None))

_numbers = itertools.count(1)
_of_libraries: dict[str, _Rule] = {}
_by_key: weakref.WeakValueDictionary[str, Any] = weakref.WeakValueDictionary()


@dataclass
class _Parameter:
    name: str
    default: str | None = None
    keyword_only: bool = False

    def __str__(self) -> str:
        return self.name if self.default is None else f'{self.name}={self.default}'


@dataclass
class _Rule:
    """What is known of one function: its record before it is written down."""

    key: str
    function: FunctionType | None  # None: of a library
    result: str
    parameters: list[_Parameter]
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


def _rule_of(function: object) -> _Rule:
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
        known = _of_libraries.get(name)
        if known is None:
            known = _of_libraries[name] = _of_library(name, function)
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
    known_parts = function.__dict__.get(_RULE)
    if known_parts is not None and known_parts[0] is function:
        rule = known_parts[1]
        assert isinstance(rule, _Rule)
        return rule
    rule = _Rule(
        f'user.{next(_numbers)}.{function.__name__}', function, '', _own_parameters(function)
    )
    rule.result = _free_name('y', rule.names)
    rule.outputs = _outputs(function)
    function.__dict__[_RULE] = function, rule
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


def _free_name(wish: str, taken: list[str]) -> str:
    while wish in taken or wish == 'd':
        wish += '_'
    return wish


def _own_parameters(function: FunctionType) -> list[_Parameter]:
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
        default = None if each.default is each.empty else _literal(each.default)
        parameters.append(_Parameter(each.name, default, each.kind is each.KEYWORD_ONLY))
    return parameters


def _literal(value: Any) -> str | None:
    """A default as text, None where it is no literal: then calls have to give the argument."""
    if isinstance(value, tuple) and all(isinstance(each, _LITERALS) for each in value):
        return repr(value)
    return repr(value) if type(value) in _LITERALS and value == value else None


def _of_library(name: str, function: Any) -> _Rule:
    """The rule of a library function: its built-in record, else what its signature says."""
    text = _core.built_in_record(name)
    if text is None:
        try:
            found = inspect.signature(function).parameters.values()
        except (TypeError, ValueError):
            return _Rule(name, None, 'y', [])
        parameters = [
            _Parameter(
                each.name,
                None if each.default is each.empty else _literal(each.default),
                each.kind is each.KEYWORD_ONLY,
            )
            for each in found
            if each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)
        ]
        rule = _Rule(name, None, '', parameters)
        rule.result = _free_name('y', rule.names)
        return rule
    records = [each for each in ast.parse(text).body if isinstance(each, ast.FunctionDef)]
    header, arguments = records[0].decorator_list[0], records[0].args
    assert isinstance(header, ast.Call)
    positional = [*arguments.posonlyargs, *arguments.args]
    missing = len(positional) - len(arguments.defaults)
    defaults = [None] * missing + [ast.unparse(each) for each in arguments.defaults]
    parameters = [
        _Parameter(each.arg, default) for each, default in zip(positional, defaults, strict=True)
    ][1:]
    for each, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        standard = None if default is None else ast.unparse(default)
        parameters.append(_Parameter(each.arg, standard, True))
    options = {each.arg: each.value for each in header.keywords}
    shape = options.get('shape')
    constant = isinstance(header.func, ast.Name) and header.func.id == 'constant'
    return _Rule(
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


def _text(rule: _Rule) -> str:
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


def _register(rule: _Rule) -> None:
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


# ------------------------------------------------------------------------------------------------
# Templates


def _template(
    function: Callable[..., Any], shape: str | None, forward: bool
) -> Callable[[F], F]:
    rule = _rule_of(function)
    if shape is not None:
        _check_shape(shape)

    def register(template: F) -> F:
        own = parameters_of(template)
        if rule.function is None and len(own) - 1 > len(rule.parameters):
            _extend(rule, own[1:])
        if rule.function is None:
            # Defaults that only the template says.
            standard = defaults_of(template)
            for name, each in zip(own[1:], rule.parameters, strict=False):
                if each.default is None and name in standard:
                    each.default = _literal(standard[name])
        if shape is not None:
            rule.shape = shape
        body = read_template(template, rule.result, rule.names, rule.shape, forward)
        before = rule.adjoint, rule.tangent, rule.constant
        rule.constant = False
        if forward:
            rule.tangent = body
        else:
            rule.adjoint = body
        try:
            _register(rule)
        except Exception:
            rule.adjoint, rule.tangent, rule.constant = before
            raise
        return template

    return register


def _extend(rule: _Rule, names: list[str]) -> None:
    """Parameters that the built-in record does not name, under the template's own names."""
    for name in names[len(rule.parameters) :]:
        rule.parameters.append(_Parameter(_free_name(name, [rule.result, *rule.names])))


def _check_shape(shape: str) -> None:
    known = ('arithmetic', 'elementwise', 'same', 'scalar')
    if shape not in known:
        bad_rule(f'shape={shape!r} is not known', f'shape is {", ".join(map(repr, known))} or None')


def register_adjoint(
    func: Callable[..., Any], *, shape: str | None = None
) -> Callable[[F], F]:
    """Gives a function a derivative rule for reverse mode.

    Parameters
    ----------
    func
        The function: one of yours, or one of a library, whose built-in rule is replaced. Not a
        method, a class or a callable object.
    shape
        What the result of `func` looks like, where its source does not say: 'elementwise' (the
        broadcast of its arguments, floating), 'arithmetic' (the same, of integers an integer),
        'same' (the type of the first argument), 'scalar' (one number).

    Returns
    -------
    callable
        A decorator for the template, which gives the template back. The template's first
        parameter is the result of `func`, the others are the arguments of `func` by position. It
        assigns `d[x]`, the adjoint of the argument `x`, from `d[y]`, that of the result `y`: an
        array of the shape of `y`, in general. What it assigns is summed over the axes along which
        `x` is broadcast. A parameter without `d[…]` has no derivative: calls with an argument
        there that depends on the differentiated ones are refused.

    Raises
    ------
    TangentError
        Of kind BadRule: the template assigns no derivative, or one that is no parameter's; `func`
        is no function. SourceCodeNotAvailableError: the template has no source.

    Notes
    -----
    A template of assignments is written out where `func` is called; others stay functions that the
    gradient calls. The rule also holds for `tangent.grad(func)` itself, and in forward mode where
    every derivative is `d[y]` times a slope and the shape is elementwise. Registered again, the
    later rule holds. Gradients made before follow at their next call.

    Examples
    --------
    >>> @tangent.register_adjoint(np.cbrt)
    ... def adjoint_cbrt(y, x):
    ...     d[x] = d[y] / (3 * y * y)
    """
    return _template(func, shape, forward=False)


def register_tangent(
    func: Callable[..., Any], *, shape: str | None = None
) -> Callable[[F], F]:
    """Gives a function a derivative rule for forward mode.

    Parameters
    ----------
    func, shape
        As for `register_adjoint`.

    Returns
    -------
    callable
        A decorator for the template, which gives the template back. The template assigns `d[y]`,
        the tangent of the result, from `d[x]`, those of the arguments; each has the shape of its
        value.

    Raises
    ------
    TangentError
        As `register_adjoint`.

    Examples
    --------
    >>> @tangent.register_tangent(np.cbrt)
    ... def tangent_cbrt(y, x):
    ...     d[y] = d[x] / (3 * y * y)
    """
    return _template(func, shape, forward=True)


def register_non_differentiable_functions(*funcs: Callable[..., Any]) -> None:
    """Says that functions have a derivative of zero everywhere, in both modes.

    Parameters
    ----------
    *funcs
        Functions of yours or of libraries. They are called as they are, and not looked into.
    """
    for func in funcs:
        rule = _rule_of(func)
        rule.adjoint = rule.tangent = None
        rule.constant = True
        _register(rule)


# ------------------------------------------------------------------------------------------------
# Custom gradients


def custom_vjp(func: F) -> F:
    """Lets a function say its own derivatives, by functions that compute them.

    Parameters
    ----------
    func
        The function, without `*args` and `**kwargs`. Its result is a number, an array, or a tuple
        of them that each of its returns writes out.

    Returns
    -------
    callable
        `func` itself, with two more attributes, which are decorators. `func.defvjp(backward)`:
        `backward(g, ans, *args)` gets the adjoint of the result, the result, and the arguments,
        and returns the adjoint of the one argument, or a tuple with one for each.
        `func.defjvp(jvp)`: `jvp(ans, *args, *tangents)` returns the tangent of the result. Both
        return their argument. Until they are used the body of `func` is differentiated, as usual.

    Raises
    ------
    TangentValueError
        A ValueError: `func` takes `*args` or `**kwargs`.

    Notes
    -----
    The gradient calls these functions, and differentiates them for higher orders. They also hold
    for `tangent.grad(func)` itself.

    Examples
    --------
    >>> @tangent.custom_vjp
    ... def clipped(x):
    ...     return x * x
    >>> @clipped.defvjp
    ... def clipped_backward(g, ans, x):
    ...     return np.clip(2 * g * x, -1, 1)
    """
    code = getattr(func, '__code__', None)
    if code is not None and code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS):
        from tangent import _options

        _options.refuse(
            'BadOption',
            f'custom_vjp: {func.__name__!r} takes `*args` or `**kwargs`',
            'name its parameters',
        )
    rule = _rule_of(func)
    if rule.function is None:
        bad_rule(
            f'{getattr(func, "__name__", func)!r} is of a library',
            'use tangent.register_adjoint for it, or wrap it in a function of yours',
        )
    owner = func

    def defvjp(backward: F) -> F:
        _check_callable(backward)
        name, objects = _object(backward)
        call = f'user.{name}(full(d[{rule.result}], {rule.result}), {rule.result}'
        call += ''.join(f', {each}' for each in rule.names) + ')'
        lines = spread_call(call, rule.names, {rule.result, *rule.names})
        rule.adjoint = Body(lines, objects)
        rule.constant = False
        rule.backward = backward
        _register(rule)
        return backward

    def defjvp(jvp: F) -> F:
        _check_callable(jvp)
        name, objects = _object(jvp)
        given = ', '.join([rule.result, *rule.names, *(f'd[{each}]' for each in rule.names)])
        call = f'user.{name}({given})'
        lines = [f'd[{rule.result}] = {call}']
        if rule.outputs:
            parts = _free_name('parts', [rule.result, *rule.names])
            values = ''.join(f'{parts}[{k}], ' for k in range(rule.outputs))
            lines = [
                f'{parts} = _parts({call}, {rule.outputs})',
                f'd[{rule.result}] = ({values})',
            ]
        rule.tangent = Body(lines, objects)
        rule.constant = False
        rule.forward = jvp
        _register(rule)
        return jvp

    attributes: Any = owner
    attributes.defvjp = defvjp
    attributes.defjvp = defjvp
    _by_key[_key_of(func)] = func
    return func


def give_template(function: FunctionType, template: FunctionType) -> None:
    """A rule for a new identity in reverse mode, by a template."""
    rule = _rule_of(function)
    rule.pure = True
    rule.key = rule.key.replace('user.', 'user.identity.', 1)
    rule.adjoint = read_template(template, rule.result, rule.names, None, forward=False)
    _register(rule)


def give_rule(
    function: FunctionType, backward: Callable[..., Any], of: str, reads: list[str]
) -> None:
    """A rule for a new identity in reverse mode: the adjoint of the parameter `of` is what
    `backward` gives for that of the result and the parameters `reads`."""
    rule = _rule_of(function)
    rule.pure = True
    rule.key = rule.key.replace('user.', 'user.identity.', 1)
    name, objects = _object(backward)
    call = f'user.{name}({", ".join([f"full(d[{rule.result}], {rule.result})", *reads])})'
    lines = [f'd[{each}] = 0' for each in rule.names if each != of]
    rule.adjoint = Body([*lines, f'd[{of}] = {call}'], objects)
    _register(rule)


def _check_callable(function: object) -> None:
    if not callable(function):
        bad_rule(f'{function!r} is not a function', 'give a function that computes the derivative')


def _object(function: Callable[..., Any]) -> tuple[str, dict[str, Named]]:
    name = getattr(function, '__name__', 'function')
    if not name.isidentifier():
        name = 'derivative'
    unique = f'_{next(_numbers)}_{name}'
    return unique, {unique: (function, None, name, name)}


def _key_of(func: Any) -> str:
    return f'{func.__module__}.{func.__qualname__}'


def _by_name(key: str, what: str) -> _Rule:
    func = _by_key.get(key)
    rule = func.__dict__[_RULE][1] if func is not None else None
    if rule is None or (rule.backward if what == 'defvjp' else rule.forward) is None:
        raise KeyError(f'{key!r} has no {what}')
    assert isinstance(rule, _Rule)
    return rule


def custom_bwd_call(key: str, g: Any, ans: Any, *args: Any) -> Any:
    """What the `defvjp` function of `custom_vjp` returns, by the function's `module.qualname`."""
    backward = _by_name(key, 'defvjp').backward
    assert backward is not None
    return backward(g, ans, *args)


def custom_jvp_call(key: str, ans: Any, *args: Any) -> Any:
    """What the `defjvp` function of `custom_vjp` returns, by the function's `module.qualname`."""
    jvp = _by_name(key, 'defjvp').forward
    assert jvp is not None
    return jvp(ans, *args)
