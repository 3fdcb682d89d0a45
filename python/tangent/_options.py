"""What the options of `tangent.grad` may be, and the parameters that `wrt` means."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from types import CodeType, FunctionType, MethodType
from typing import Any, NoReturn

from tangent.errors import from_diagnostic
from tangent.grad_util import INPUT_DERIVATIVE

Wrt = int | str | tuple[int | str, ...] | list[int | str]

_VARARGS = 0x04  # CO_VARARGS
_OPTIMIZATIONS = ('dce', 'strength_reduction', 'cse', 'algebraic', 'tape_liveness', 'coarsening')
_COMPILERS = ('python', 'jax', 'torch', 'tinygrad')


def refuse(kind: str, message: str, remedy: str) -> NoReturn:
    """Raises the exception of a diagnostic that has no place in a file."""
    class_name = {
        'BadWrt': 'TangentValueError',
        'BadOption': 'TangentValueError',
        'NotAFunction': 'TangentError',
    }[kind]
    raise from_diagnostic(kind, class_name, message, remedy)


def _not_yet(option: str, value: object) -> NoReturn:
    refuse('BadOption', f'{option}={value!r} is not supported yet', f'leave {option} out')


# ------------------------------------------------------------------------------------------------
# The function


def check_function(func: object) -> FunctionType | MethodType:
    """What can be captured: a Python function or a bound method of one."""
    if isinstance(func, FunctionType):
        return func
    if isinstance(func, MethodType) and isinstance(func.__func__, FunctionType):
        return func
    name = getattr(func, '__qualname__', None) or getattr(func, '__name__', None) or repr(func)
    if isinstance(func, type):
        what, remedy = 'is a class', 'differentiate a function that makes and uses the object'
    elif type(func).__name__ == 'partial' and hasattr(func, 'func'):
        what = 'is a functools.partial'
        remedy = 'write it as a function: `lambda x: f(x, …)`, or use wrt and keyword arguments'
    elif isinstance(getattr(func, '__wrapped__', None), FunctionType):
        what = 'is an object that wraps a function'
        remedy = f'differentiate the function: `{name}.__wrapped__`'
    elif any(isinstance(vars(each).get('__call__'), FunctionType) for each in type(func).__mro__):
        what, remedy = 'is an object with a __call__ method', 'pass its method: `obj.__call__`'
    elif callable(func):
        what = 'has no Python source (it is built in or compiled)'
        remedy = f'write a function that calls it: `lambda x: {name}(x)`'
    else:
        what, remedy = f'is no function but {_article(type(func).__name__)}', 'pass a function'
    refuse('NotAFunction', f'{name} {what}', remedy)


def _article(noun: str) -> str:
    return f'{"an" if noun[:1] in "aeiou" else "a"} {noun}'


# ------------------------------------------------------------------------------------------------
# wrt


def positions(func: FunctionType | MethodType, wrt: object) -> tuple[list[int], list[str], bool]:
    """Positions among all parameters, their names, and whether one bare gradient is wanted."""
    items: list[object] = list(wrt) if isinstance(wrt, (tuple, list)) else [wrt]
    function = func.__func__ if isinstance(func, MethodType) else func
    hidden = 1 if isinstance(func, MethodType) else 0
    code = function.__code__
    names = code.co_varnames
    found = [_position(item, code, hidden, function.__name__) for item in items]
    variadic = 1 if code.co_flags & _VARARGS else 0
    # Keyword-only parameters come after *args there, and before it in co_varnames.
    chosen = [names[at - variadic if at >= code.co_argcount else at] for at in found]
    return found, chosen, len(items) == 1


def _position(item: object, code: CodeType, hidden: int, name: str) -> int:
    count, keywords = code.co_argcount, code.co_kwonlyargcount
    named = code.co_varnames[hidden : count + keywords]
    if isinstance(item, str):
        if item not in named:
            refuse(
                'BadWrt',
                f'wrt={item!r}: {name} has no parameter of that name',
                f'it has {_listed(named)}',
            )
        at = named.index(item) + hidden
        return at + 1 if at >= count and code.co_flags & _VARARGS else at
    if isinstance(item, bool) or not hasattr(item, '__index__'):
        refuse(
            'BadWrt',
            f'wrt={item!r}: a parameter is named by its position or its name',
            "write for example wrt=0, wrt='x' or wrt=(0, 2)",
        )
    at = operator.index(item)
    usable = count - hidden
    if usable == 0 and code.co_flags & _VARARGS:
        refuse(
            'BadWrt',
            f'wrt={at}: {name} has no parameters but *{code.co_varnames[count + keywords]}',
            'name its parameters; where a decorator made it, differentiate what that wraps '
            f'(`{name}.__wrapped__`)',
        )
    if not -usable <= at < usable:
        plural = 's' if usable != 1 else ''
        kept = f'has {usable} positional parameter{plural}: {_listed(named[:usable])}'
        refuse('BadWrt', f'wrt={at}: {name} {kept}', 'count from 0, or give the name')
    return at % usable + hidden


def _listed(names: tuple[str, ...]) -> str:
    return ', '.join(repr(each) for each in names) if names else 'none'


def function_name(primal: Callable[..., Any], chosen: list[str], forward: bool = False) -> str:
    """`dfdxy` for the gradient of f with respect to x and y, `_tftxy` for its forward mode."""
    base = getattr(primal, '__name__', 'f')
    if not base.isidentifier():
        base = 'lambda'
    names = ''.join(chosen)
    return f'_t{base}t{names}' if forward else f'd{base}d{names}'


def tangent_names(func: FunctionType | MethodType, chosen: list[str]) -> list[str]:
    """The parameters of the tangents: `dx` for `x`, with a number where the function uses that."""
    code = (func.__func__ if isinstance(func, MethodType) else func).__code__
    taken = {*code.co_varnames, *code.co_names, *code.co_freevars, *code.co_cellvars}
    names = []
    for each in chosen:
        name, number = f'd{each}', 1
        while name in taken:
            number += 1
            name = f'd{each}{number}'
        taken.add(name)
        names.append(name)
    return names


# ------------------------------------------------------------------------------------------------
# Everything else


def check(
    *,
    verbose: object,
    optimized: object = True,
    checkpoint: object = False,
    checkpoint_config: object = None,
    optimizations: object = None,
    output_index: object = None,
    output_weights: object = None,
    compile: object = None,
    source: object = None,
    motion: object = 'joint',
    mode: object = 'reverse',
    input_derivative: object = None,
    grad_config: object = None,
) -> None:
    """Refuses what is not supported, by name; nothing is ignored."""
    if not optimized:
        _not_yet('optimized', optimized)
    if not isinstance(verbose, int) or verbose not in (0, 1, 2):
        refuse('BadOption', f'verbose={verbose!r}', 'verbose is 0, 1 or 2')
    if checkpoint:
        _not_yet('checkpoint', checkpoint)
    if checkpoint_config is not None and not (
        isinstance(checkpoint_config, Mapping) and not checkpoint_config.get('enabled')
    ):
        _not_yet('checkpoint_config', checkpoint_config)
    if optimizations is not None:
        _check_optimizations(optimizations)
    if output_index is not None:
        _not_yet('output_index', output_index)
    if output_weights is not None:
        _not_yet('output_weights', output_weights)
    if compile is not None and compile not in _COMPILERS:
        _refuse_compiler(compile)
    if source is not None:
        _not_yet('source', '…')
    if mode not in ('reverse', 'forward'):
        refuse('BadOption', f'mode={mode!r}', "mode is 'reverse' or 'forward'")
    if motion == 'split':
        _not_yet('motion', motion)
    if motion != 'joint':
        refuse('BadOption', f'motion={motion!r}', "motion is 'joint'")
    if input_derivative not in (None, *INPUT_DERIVATIVE):
        refuse(
            'BadOption',
            f'input_derivative={input_derivative!r}',
            'it is one of tangent.grad_util.INPUT_DERIVATIVE',
        )
    if grad_config is not None:
        if not isinstance(grad_config, Mapping):
            refuse('BadOption', f'grad_config={grad_config!r}', 'grad_config is a dict')
        for key in grad_config:
            if key not in ('output_index', 'output_weights'):
                refuse(
                    'BadOption',
                    f'grad_config has no key {key!r}',
                    "the keys are 'output_index' and 'output_weights'",
                )
            if grad_config[key] is not None:
                _not_yet(key, grad_config[key])


def _refuse_compiler(compile: object) -> NoReturn:
    choices = ', '.join(map(repr, _COMPILERS))
    if compile == 'native':
        _not_yet('compile', compile)
    if compile == 'numba':
        refuse(
            'BadOption',
            "compile='numba' is not known: Numba compiles neither the lists that tapes are, nor "
            'functions made at run time with a namespace of their own',
            f'compile is one of {choices}',
        )
    refuse('BadOption', f'compile={compile!r} is not known', f'compile is one of {choices}')


def _check_optimizations(optimizations: object) -> None:
    if not isinstance(optimizations, Mapping):
        refuse('BadOption', f'optimizations={optimizations!r}', 'optimizations is a dict')
    for key in optimizations:
        if key not in _OPTIMIZATIONS:
            refuse(
                'BadOption',
                f'optimizations has no key {key!r}',
                f'the keys are {", ".join(map(repr, _OPTIMIZATIONS))}',
            )
    if optimizations:
        _not_yet('optimizations', dict(optimizations))
