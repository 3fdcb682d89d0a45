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
_CHECKPOINT_KEYS = ('enabled', 'min_length', 'num_checkpoints', 'schedule', 'disk')
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
    if not isinstance(optimized, bool):
        refuse('BadOption', f'optimized={optimized!r}', 'optimized is True or False')
    if not isinstance(verbose, int) or verbose not in (0, 1, 2):
        refuse('BadOption', f'verbose={verbose!r}', 'verbose is 0, 1 or 2')
    checkpoints(checkpoint, checkpoint_config)
    if optimizations is not None:
        _check_optimizations(optimizations)
    outputs(output_index, output_weights)
    if compile is not None and compile not in _COMPILERS:
        _refuse_compiler(compile)
    if mode not in ('reverse', 'forward'):
        refuse('BadOption', f'mode={mode!r}', "mode is 'reverse' or 'forward'")
    if motion not in ('joint', 'split'):
        refuse('BadOption', f'motion={motion!r}', "motion is 'joint' or 'split'")
    if motion == 'split' and mode == 'forward':
        refuse('BadOption', "motion='split' in forward mode", "it is of mode='reverse' only")
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
        chosen = outputs(grad_config.get('output_index'), grad_config.get('output_weights'))
        required = input_derivative in (None, INPUT_DERIVATIVE.Required)
        if chosen != (None, None) and (mode == 'forward' or required):
            refuse(
                'BadOption',
                'grad_config chooses the default adjoint of the result, and the calls give one',
                'use tangent.grad, or input_derivative=INPUT_DERIVATIVE.DefaultOne in reverse mode',
            )


def outputs(index: object, weights: object) -> tuple[int | None, tuple[float, ...] | None]:
    """The values of `output_index` and `output_weights`, or an error."""
    if index is not None and weights is not None:
        refuse(
            'BadOption',
            'output_index and output_weights exclude each other',
            'output_index=1 is output_weights=(0.0, 1.0)',
        )
    if index is not None:
        if isinstance(index, bool) or not hasattr(index, '__index__') or operator.index(index) < 0:
            refuse('BadOption', f'output_index={index!r}', 'it is a position, from 0')
        return operator.index(index), None
    if weights is None:
        return None, None
    try:
        numbers = tuple(float(each) for each in weights)  # type: ignore[attr-defined]
    except (TypeError, ValueError):
        numbers = ()
    if not numbers:
        refuse(
            'BadOption',
            f'output_weights={weights!r}',
            'it is a tuple with one number for each value of the returned tuple',
        )
    return None, numbers


def check_outputs(
    name: str, size: int, index: int | None, weights: tuple[float, ...] | None
) -> None:
    """For a function whose returns are tuples of `size` values written out."""
    if index is not None and index >= size:
        refuse('BadOption', f'output_index={index}: {name} returns {size} values', 'count from 0')
    if weights is not None and len(weights) != size:
        refuse(
            'BadOption',
            f'output_weights has {len(weights)} numbers: {name} returns {size} values',
            'give one weight for each',
        )
    if index is None and weights is None and size > 1:
        import warnings

        warnings.warn(
            f'{name} returns {size} values: the gradient is that of their sum; choose by '
            'output_index= or output_weights=, or give an adjoint for each',
            UserWarning,
            stacklevel=5,
        )


def checkpoints(checkpoint: object, config: object) -> tuple[int, int, bool, str] | None:
    """What the engine is told: shortest loop, number of snapshots (0: as it likes), binomial, the
    folder of tapes on disk (empty: in memory)."""
    if not isinstance(checkpoint, bool):
        refuse('BadOption', f'checkpoint={checkpoint!r}', 'checkpoint is True or False')
    if config is None:
        return (100, 0, False, '') if checkpoint else None
    if not isinstance(config, Mapping):
        refuse('BadOption', f'checkpoint_config={config!r}', 'checkpoint_config is a dict')
    for key in config:
        if key not in _CHECKPOINT_KEYS:
            refuse(
                'BadOption',
                f'checkpoint_config has no key {key!r}',
                f'the keys are {", ".join(map(repr, _CHECKPOINT_KEYS))}',
            )
    enabled = config.get('enabled', checkpoint)
    if not isinstance(enabled, bool):
        refuse('BadOption', f"checkpoint_config['enabled']={enabled!r}", 'it is True or False')
    schedule = config.get('schedule', 'sqrt')
    if schedule not in ('sqrt', 'binomial'):
        refuse(
            'BadOption',
            f"checkpoint_config['schedule']={schedule!r}",
            "the schedules are 'sqrt' and 'binomial'",
        )
    shortest = _count(config.get('min_length', 100), 'min_length')
    most = config.get('num_checkpoints')
    snapshots = 0 if most is None else _count(most, 'num_checkpoints')
    binomial = schedule == 'binomial'
    disk = _folder(config['disk']) if config.get('disk') is not None else ''
    if enabled or checkpoint:
        return shortest, snapshots, binomial, disk
    # The schedule is that of loops inside `with tangent.checkpoint():` as well.
    return (-1, snapshots, binomial, disk) if snapshots or binomial or disk else None


def _folder(value: object) -> str:
    """The folder of tapes on disk, made if there is none: one in which files can be made."""
    import os
    from tempfile import TemporaryFile  # only where tapes on disk are asked for

    asked = f"checkpoint_config['disk']={value!r}"
    if not isinstance(value, (str, bytes, os.PathLike)) or not os.fspath(value):
        refuse('BadOption', asked, 'it is the path of a folder')
    path = os.path.abspath(os.fsdecode(value))
    try:
        path.encode()
        os.makedirs(path, mode=0o700, exist_ok=True)
        TemporaryFile(dir=path).close()
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        refuse('BadOption', f'{asked}: no files can be made there ({why})', 'give another folder')
    return path


def _count(value: object, key: str) -> int:
    if isinstance(value, bool) or not hasattr(value, '__index__') or operator.index(value) < 1:
        refuse(
            'BadOption',
            f'checkpoint_config[{key!r}]={value!r}',
            'it is a whole number, at least 1',
        )
    return operator.index(value)


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
        value = optimizations[key]
        if isinstance(value, bool) or (key == 'algebraic' and value == 'sympy'):
            continue
        values = "True, False or 'sympy'" if key == 'algebraic' else 'True or False'
        refuse('BadOption', f'optimizations[{key!r}] = {value!r}', f'{key} is {values}')
    if optimizations.get('algebraic') == 'sympy':
        _require_sympy()


def _require_sympy() -> None:
    from importlib.util import find_spec  # only where this is asked for

    if find_spec('sympy') is None:
        raise ImportError(
            "optimizations={'algebraic': 'sympy'} needs SymPy, which is not installed: "
            "`pip install sympy`, or write 'algebraic': True for Tangent's own rules"
        )


def enabled(optimized: bool, optimizations: Mapping[str, Any] | None) -> tuple[str, ...] | None:
    """The names of what is switched on, in one order; None for the default.

    `optimized=False` switches off everything that `optimizations` does not switch on by name.
    """
    if optimized and not optimizations:
        return None
    on: dict[str, Any] = {'dce': optimized, 'tape_liveness': optimized, **(optimizations or {})}
    names = [each for each in _OPTIMIZATIONS if on.get(each)]
    if optimized:
        names.insert(0, 'optimized')
    if on.get('algebraic') == 'sympy':
        names.append('sympy')
    return tuple(names) if names != ['optimized', 'dce', 'tape_liveness'] else None
