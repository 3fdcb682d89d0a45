"""Rules that users give by templates, and functions without derivative.

In: functions and templates (_templates.py). Out: their records (_records.py).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from tangent._records import Parameter, Rule, free_name, literal, register, rule_of
from tangent._templates import bad_rule, defaults_of, parameters_of, read_template

F = TypeVar('F', bound=Callable[..., Any])


def _template(
    function: Callable[..., Any], shape: str | None, forward: bool
) -> Callable[[F], F]:
    rule = rule_of(function)
    if shape is not None:
        _check_shape(shape)

    def decorate(template: F) -> F:
        own = parameters_of(template)
        if rule.function is None and len(own) - 1 > len(rule.parameters):
            _extend(rule, own[1:])
        if rule.function is None:
            # Defaults that only the template says.
            standard = defaults_of(template)
            for name, each in zip(own[1:], rule.parameters, strict=False):
                if each.default is None and name in standard:
                    each.default = literal(standard[name])
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
            register(rule)
        except Exception:
            rule.adjoint, rule.tangent, rule.constant = before
            raise
        return template

    return decorate


def _extend(rule: Rule, names: list[str]) -> None:
    """Parameters that the built-in record does not name, under the template's own names."""
    for name in names[len(rule.parameters) :]:
        rule.parameters.append(Parameter(free_name(name, [rule.result, *rule.names])))


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
        rule = rule_of(func)
        rule.adjoint = rule.tangent = None
        rule.constant = True
        register(rule)
