"""Derivatives that functions of users compute: `tangent.custom_vjp`, and blocks of insert_grad_of.

In: a function and its backward function. Out: a record (_records.py) whose body calls that.
"""

from __future__ import annotations

import inspect
import itertools
import weakref
from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeVar

from tangent._records import RULE, Rule, free_name, register, rule_of
from tangent._templates import Body, Named, bad_rule, read_template, spread_call

F = TypeVar('F', bound=Callable[..., Any])

_numbers = itertools.count(1)
_by_key: weakref.WeakValueDictionary[str, Any] = weakref.WeakValueDictionary()


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
    rule = rule_of(func)
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
        register(rule)
        return backward

    def defjvp(jvp: F) -> F:
        _check_callable(jvp)
        name, objects = _object(jvp)
        given = ', '.join([rule.result, *rule.names, *(f'd[{each}]' for each in rule.names)])
        call = f'user.{name}({given})'
        lines = [f'd[{rule.result}] = {call}']
        if rule.outputs:
            parts = free_name('parts', [rule.result, *rule.names])
            values = ''.join(f'{parts}[{k}], ' for k in range(rule.outputs))
            lines = [
                f'{parts} = _parts({call}, {rule.outputs})',
                f'd[{rule.result}] = ({values})',
            ]
        rule.tangent = Body(lines, objects)
        rule.constant = False
        rule.forward = jvp
        register(rule)
        return jvp

    attributes: Any = owner
    attributes.defvjp = defvjp
    attributes.defjvp = defjvp
    _by_key[_key_of(func)] = func
    return func


def give_template(function: FunctionType, template: FunctionType) -> None:
    """A rule for a new identity in reverse mode, by a template."""
    rule = rule_of(function)
    rule.pure = True
    rule.key = rule.key.replace('user.', 'user.identity.', 1)
    rule.adjoint = read_template(template, rule.result, rule.names, None, forward=False)
    register(rule)


def give_rule(
    function: FunctionType, backward: Callable[..., Any], of: str, reads: list[str]
) -> None:
    """A rule for a new identity in reverse mode: the adjoint of the parameter `of` is what
    `backward` gives for that of the result and the parameters `reads`."""
    rule = rule_of(function)
    rule.pure = True
    rule.key = rule.key.replace('user.', 'user.identity.', 1)
    name, objects = _object(backward)
    call = f'user.{name}({", ".join([f"full(d[{rule.result}], {rule.result})", *reads])})'
    lines = [f'd[{each}] = 0' for each in rule.names if each != of]
    rule.adjoint = Body([*lines, f'd[{of}] = {call}'], objects)
    register(rule)


def _check_callable(function: object) -> None:
    if not callable(function):
        bad_rule(f'{function!r} is not a function', 'give a function that computes the derivative')


def _object(function: Callable[..., Any]) -> tuple[str, dict[str, Named]]:
    name = getattr(function, '__name__', 'function')
    if not name.isidentifier():
        name = 'derivative'
    unique = f'_c{next(_numbers)}_{name}'
    return unique, {unique: (function, None, name, name)}


def _key_of(func: Any) -> str:
    return f'{func.__module__}.{func.__qualname__}'


def _by_name(key: str, what: str) -> Rule:
    func = _by_key.get(key)
    rule = func.__dict__[RULE][1] if func is not None else None
    if rule is None or (rule.backward if what == 'defvjp' else rule.forward) is None:
        raise KeyError(f'{key!r} has no {what}')
    assert isinstance(rule, Rule)
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
