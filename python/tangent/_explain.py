"""`tangent.explain`: everything about one gradient at one place, printed and returned.

In: a function and arguments. Out: the text of its gradient, where each line comes from, what the
gradient keeps of the forward part and why, what each pass changed, the value, the gradient, and a
check of it by central differences.
"""

from __future__ import annotations

import copy
import difflib
import inspect
import textwrap
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import tangent
from tangent import _core, _differences, _options, _report
from tangent._dataflow import dataflow
from tangent._higher import HigherOrder
from tangent._source_map import source_map, text_of
from tangent.errors import Place, SourceCodeNotAvailableError

_RULE = '-' * 72
_LIMIT = 1e-4  # of the check by differences, times the size of the gradient where that is above 1


def explain(
    func: Callable[..., Any],
    *args: Any,
    wrt: _options.Wrt = (0,),
    out: Callable[[str], Any] | None = print,
) -> dict[str, Any]:
    """Differentiates a function at these arguments, and says all there is to say about it.

    Parameters
    ----------
    func
        The function, or a gradient of one.
    args
        Its positional arguments. They are copied: a function that stores into them changes nothing.
    wrt
        The parameters that are differentiated, as in `grad`.
    out
        Called with each piece of the report; None prints nothing.

    Returns
    -------
    dict
        - `value`: of `func`; `gradient`: as `grad` gives it;
        - `numeric_gradient`: central differences in the same structure (of a function with more
          than 1,000 inputs along 1,000 of them, nan for the others), and `max_error`: the largest
          difference to the gradient;
        - `gradient_source`: the text that ran; `source_map`: as `source_map` gives it;
        - `variant`: `name`, `signature` and `arguments` (the types it was made for);
        - `saved`: per value that the backward part needs of the forward part a dict with `name`,
          `form` ('tape', 'name' or 'tuple'), `value` (what is saved), `made` and `read_by` (the
          places of the user's lines that give and need it);
        - `passes`: per pass that changed the program a dict with `name`, `before`, `after` (numbers
          of lines) and `diff`;
        - `dataflow`: for straight-line code a dict with `edges` (`(name, [names])` in order),
          `out_names`, `influential` (a set) and `params`; None where there is control flow;
        - `dead_inputs`: the positions of parameters that the result does not depend on.

    Raises
    ------
    TangentError
        If `func` cannot be differentiated.

    Examples
    --------
    >>> report = tangent.explain(lambda x: x * x, 3.0, out=None)
    >>> report['gradient'], report['dead_inputs']
    (6.0, [])
    """
    say = out if out is not None else _silent
    names = _parameter_names(func)
    positions, single = _positions(func, wrt)
    args = _with_defaults(func, args)
    if any(at >= len(args) for at in positions):
        _options.refuse(
            'BadWrt',
            f'wrt={wrt!r}: explain takes no keyword arguments',
            'wrap the function: `lambda x: f(1.0, k=x)`',
        )
    df = tangent.grad(func, wrt)
    gradient = df(*copy.deepcopy(args))
    value = func(*copy.deepcopy(args))
    source = df.source(*args)
    lines = source_map(df)
    record = _record(df, args)
    flow, dead = _flow(func)

    gradients = (gradient,) if single else tuple(gradient)
    numeric, left_out = [], 0
    for at in positions:
        slopes, without = _differences.differences(func, args, at)
        numeric.append(slopes)
        left_out += without
    error = max(map(_differences.worst, gradients, numeric), default=0.0)
    # What has a slope is not dead, whatever the text seems to say.
    pairs = zip(positions, gradients, strict=True)
    alive = {at for at, each in pairs if _differences.largest(each)}
    dead = [at for at in dead if at not in alive]

    report: dict[str, Any] = {
        'value': value,
        'gradient': gradient,
        'numeric_gradient': numeric[0] if single else tuple(numeric),
        'max_error': error,
        'gradient_source': source,
        'source_map': lines,
        'variant': _variant(df, args, names),
        'saved': record['saved'],
        'passes': [_pass(*each) for each in _report.passes(record['stages'])],
        'dataflow': flow,
        'dead_inputs': dead,
    }
    _print(report, func, names, [names[at] for at in positions], gradients, left_out, say)
    return report


def _silent(_text: str) -> None:
    pass


def _parameter_names(func: Callable[..., Any]) -> list[str]:
    return list(inspect.signature(func).parameters)


def _positions(func: Callable[..., Any], wrt: _options.Wrt) -> tuple[list[int], bool]:
    """Where the differentiated arguments stand, and whether the gradient is bare."""
    names = _parameter_names(func)
    items: Sequence[Any] = wrt if isinstance(wrt, (tuple, list)) else (wrt,)
    found = [names.index(x) if isinstance(x, str) else int(x) % len(names) for x in items]
    return found, len(found) == 1


def _with_defaults(func: Callable[..., Any], args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The positional arguments that a call with these has."""
    bound = inspect.signature(func).bind(*args)
    bound.apply_defaults()
    return bound.args


def _record(df: Any, args: Sequence[Any]) -> dict[str, Any]:
    gradient = df.gradient(*args) if isinstance(df, HigherOrder) else df
    return _core.gradient_record(gradient, *args)


def _flow(func: Callable[..., Any]) -> tuple[dict[str, Any] | None, list[int]]:
    try:
        return dataflow(func)
    except (SourceCodeNotAvailableError, TypeError):
        return None, []  # a gradient: its own text has loops and tapes


def _pass(name: str, before: str, after: str) -> dict[str, Any]:
    diff = difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm='', n=0)
    changed = [line for line in diff if line[:1] in '+-' and line[:3] not in ('+++', '---')]
    return {
        'name': name,
        'before': _report.count_lines(before),
        'after': _report.count_lines(after),
        'diff': changed,
    }


def _variant(df: Any, args: Sequence[Any], names: Sequence[str]) -> dict[str, Any]:
    function = df.variant(*args)
    return {
        'name': getattr(function, '__name__', df.__name__),
        'signature': str(inspect.signature(function)),
        'arguments': {name: kind_of(value) for name, value in zip(names, args, strict=False)},
    }


def kind_of(value: Any) -> str:
    """A type as a person names it: `float`, `float64[3, 4]`, `{'w': float64[3]}`."""
    if isinstance(value, np.ndarray):
        return f'{value.dtype}[{", ".join(map(str, value.shape))}]'
    if isinstance(value, dict):
        shown = [f'{key!r}: {kind_of(part)}' for key, part in list(value.items())[:6]]
        return '{' + ', '.join(shown + ['…'] * (len(value) > 6)) + '}'
    if isinstance(value, (list, tuple)) and not hasattr(value, '_fields'):
        opening, closing = '[]' if isinstance(value, list) else '()'
        kinds = [kind_of(part) for part in value]
        if len(set(kinds)) == 1 and len(kinds) > 2:
            return f'{opening}{len(kinds)} x {kinds[0]}{closing}'
        return opening + ', '.join(kinds[:6] + ['…'] * (len(kinds) > 6)) + closing
    return type(value).__name__


# ------------------------------------------------------------------------------------------------
# Printing


def _print(
    report: dict[str, Any],
    func: Callable[..., Any],
    names: Sequence[str],
    chosen: Sequence[str],
    gradients: Sequence[Any],
    left_out: int,
    say: Callable[[str], Any],
) -> None:
    name = getattr(func, '__name__', 'f')
    _heading(say, f'PRIMAL {name}{inspect.signature(func)}')
    say(_primal_source(func))
    _heading(say, 'GRADIENT (generated source)')
    say(report['gradient_source'].rstrip('\n'))
    _heading(say, f'VARIANT {report["variant"]["name"]}{report["variant"]["signature"]}')
    for key, kind in report['variant']['arguments'].items():
        say(f'{key}: {kind}')
    _heading(say, 'SAVED (what the backward part needs of the forward part)')
    for value in report['saved']:
        say(saved_line(value))
    if not report['saved']:
        say('nothing: the backward part reads the arguments alone')
    _heading(say, 'PASSES')
    for each in report['passes']:
        say(f'{each["name"]}: {each["before"]} -> {each["after"]} lines')
        for line in each['diff']:
            say(f'    {line}')
    if not report['passes']:
        say('no pass changed anything')
    if report['dataflow'] is not None:
        _heading(say, 'DATA FLOW (primal)')
        flow = report['dataflow']
        for target, sources in flow['edges']:
            mark = '' if target in flow['influential'] else '    [dead: does not reach the result]'
            say(f'{target} <- {", ".join(sources) or "constants"}{mark}')
    say(_RULE)
    say(f'value = {_shown(report["value"])}')
    say(f'gradient = {_shown(report["gradient"])}')
    say(f'fd check = {_shown(report["numeric_gradient"], 6)}')
    bound = _LIMIT * max(1.0, max(map(_differences.largest, gradients), default=0.0))
    fits = 'OK' if report['max_error'] <= bound else 'MISMATCH'
    say(f'max |Δ| = {report["max_error"]:.2e} {fits}')
    if left_out:
        say(f'note: the check left out {left_out} numbers of the arguments')
    for name, each in zip(chosen, gradients, strict=True):
        if _differences.largest(each) == 0.0:
            unread = names.index(name) in report['dead_inputs']
            why = 'the result does not depend on it' if unread else 'its slope is zero here'
            say(f'note: the gradient of {name} is zero: {why}')
    for at in report['dead_inputs']:
        if names[at] not in chosen:
            say(f'note: the result does not depend on {names[at]}')


def _heading(say: Callable[[str], Any], text: str) -> None:
    say(_RULE)
    say(text)
    say(_RULE)


def _primal_source(func: Callable[..., Any]) -> str:
    if hasattr(func, '__tangent_source__'):
        return str(func.__tangent_source__).rstrip('\n')
    return textwrap.dedent(inspect.getsource(func)).rstrip('\n')


def saved_line(value: dict[str, Any]) -> str:
    """`x_tape keeps x of line 4 (x = 2 * x), for the adjoint of line 5 (y = x * x)`."""
    of = f' of {_listed(value["made"])}' if value['made'] else ''
    if value['form'] == 'name':
        return f'{value["name"]}{of}: for the adjoint of {_listed(value["read_by"])}'
    holder = value['name'] if value['form'] == 'tape' else 'the tape'
    return f'{holder} keeps {value["value"]}{of}: for the adjoint of {_listed(value["read_by"])}'


def _listed(places: Sequence[Place]) -> str:
    shown = []
    for place in places[:3]:
        text = ' '.join(text_of(place).split())
        text = text if len(text) <= 50 else text[:47] + '…'
        shown.append(f'line {place[1]} ({text})')
    return ', '.join(shown + ['…'] * (len(places) > 3))


def _shown(value: Any, digits: int = 10) -> str:
    if isinstance(value, (float, np.floating)):
        return f'{float(value):.{digits}g}'
    if isinstance(value, np.ndarray):
        return np.array2string(value, precision=min(digits, 8), threshold=24, edgeitems=3)
    if isinstance(value, dict):
        parts = (f'{key!r}: {_shown(part, digits)}' for key, part in value.items())
        return '{' + ', '.join(parts) + '}'
    if isinstance(value, (list, tuple)) and not hasattr(value, '_fields'):
        opening, closing = '[]' if isinstance(value, list) else '()'
        return opening + ', '.join(_shown(part, digits) for part in value) + closing
    return repr(value)


def show_gradient_code(func: Callable[..., Any], wrt: _options.Wrt = (0,)) -> None:
    """Prints a function and its gradient, each under a rule of 80 columns.

    Parameters
    ----------
    func
        The function.
    wrt
        The parameters that are differentiated, as in `grad`.

    Notes
    -----
    The gradient's text is that of its last call with `tangent.grad(func, wrt)`, or the one for
    numbers and arrays of any shape where there is such a text.
    """
    rule = '=' * 80
    df = tangent.grad(func, wrt)
    for title, text in (
        (f'Original function: {getattr(func, "__name__", "f")}', _primal_source(func)),
        (f'Gradient: {df.__name__}', df.__tangent_source__.rstrip('\n')),
    ):
        print(rule, title, rule, text, '', sep='\n')
