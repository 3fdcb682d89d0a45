"""One checker for all derivative records: values, both modes, dtypes, edges, aliases.

Every record yields rows from its own metadata (`domain`, `sample`, `edges`); one without any fails.
Bodies are run by tests/rule_bodies.py, not by the engine, and compared with differences.
"""

from __future__ import annotations

import ast
import importlib.util
import itertools
import random
import re
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tangent
from rule_bodies import (
    BY_NAME,
    LIBRARIES,
    MODES,
    RECORDS,
    ROOT,
    Call,
    Mode,
    Refused,
    bind,
    index_rules,
    load,
    resolve,
    run_adjoint,
    run_tangent,
    runtime,
)

# Complex values: tests/test_complex.py.
ADJOINTS = [r for r in RECORDS if r.kind == 'adjoint' and r.path.name != 'complex.py']
CONSTANTS = [r for r in RECORDS if r.kind == 'constant']
ELEMENTWISE = ('elementwise', 'arithmetic', 'boolean', 'integer')
SCALARS_ONLY = ('math.', 'builtins.float')


# Samples


class Samples(dict[str, Any]):
    """Arrays by their names: vector3, matrix23b, stack423, square3, square433, mask23, number."""

    def __missing__(self, name: str) -> Any:
        found = re.fullmatch(
            r'(number|vector|matrix|stack|square|mask|banded|posband|lowband)(\d*)([a-z]*)', name
        )
        if found is None:
            raise KeyError(name)
        kind, digits, suffix = found.groups()
        shape = tuple(int(n) for n in digits)
        if kind == 'square' and len(shape) == 1:
            shape *= 2
        rng = np.random.default_rng(zlib.crc32(name.encode()))
        size = int(np.prod(shape))
        # Apart from each other, so that differences meet no tie.
        spaced = np.linspace(-1.9, 2.1, size) if size > 1 else rng.uniform(0.5, 2.0, 1)
        value: Any = rng.permutation(spaced).reshape(shape) + rng.uniform(-1, 1, shape) / (size + 9)
        if kind == 'mask':
            return rng.uniform(size=shape) < 0.5
        if kind == 'banded':  # regular, with what counts as nothing in its corners
            value[1] += 6.0
        if kind in ('posband', 'lowband'):
            value[0 if kind == 'lowband' else -1] += 9.0
        if kind == 'square':
            value = value + 4.0 * np.eye(shape[-1])
        if kind == 'number':
            return float(value)
        if 'p' in suffix:  # positive
            value = np.abs(value) + 0.3
        for i in range(suffix.count('z')):  # with zeros
            value.reshape(-1)[i] = 0.0
        if 's' in suffix:
            value = np.sort(value)
        if 'd' in suffix:  # symmetric, positive definite
            value = value @ np.swapaxes(value, -1, -2) + np.eye(shape[-1])
        return value


def sample_call(record: Any, text: str) -> tuple[tuple[Any, ...], dict[str, Any], set[Any]]:
    """The arguments of a sample text, and which of them are literal constants."""
    tree = ast.parse(f'_{text}', mode='eval').body
    assert isinstance(tree, ast.Call)
    samples = Samples(float=float, int=int, np=np)

    def evaluate(node: ast.expr) -> Any:
        return eval(ast.unparse(node), {}, samples)

    def is_literal(node: ast.expr) -> bool:
        if isinstance(node, ast.UnaryOp):
            node = node.operand
        return isinstance(node, ast.Constant)

    literal: set[Any] = {i for i, node in enumerate(tree.args) if is_literal(node)}
    literal |= {k.arg for k in tree.keywords if is_literal(k.value)}
    arguments = tuple(evaluate(node) for node in tree.args)
    return arguments, {k.arg or '': evaluate(k.value) for k in tree.keywords}, literal


def texts(record: Any, option: str) -> tuple[str, ...]:
    value = record.options.get(option, ())
    return (value,) if isinstance(value, str) else value


def elementwise_calls(record: Any) -> list[tuple[Any, ...]]:
    """Arguments of an elementwise record, in several shapes that broadcast."""
    domain = record.options['domain']
    count = len(record.parameters)
    if isinstance(domain[0], tuple):
        ranges = list(domain)
        count = len(ranges)
    else:
        required = len(record.definition.args.args) - 1 - len(record.definition.args.defaults)
        count = max(1, required)
        ranges = [domain] * count
    shapes: list[tuple[tuple[int, ...], ...]] = [((),) * count]
    if not record.name.startswith(SCALARS_ONLY):
        shapes += [((2, 3),) * count, ((3,),) * count]
        if count > 1:
            pool = [(2, 3), (3,), (2, 1), (1, 3), ()]
            shapes += list(itertools.islice(itertools.product(pool, repeat=count), 1, 40, 3))
    rng = np.random.default_rng(zlib.crc32(record.name.encode()))
    calls = []
    for group in shapes:
        values = []
        for place, ((lo, hi), shape) in enumerate(zip(ranges, group, strict=True)):
            # A grid of its own for each parameter: no two values are near a tie.
            grid = np.linspace(lo, hi, 60)[1:-1] + (hi - lo) * (place - 1) / (60 * count)
            values.append(rng.choice(grid, shape, replace=False))
        calls.append(tuple(float(v) if v.shape == () else v for v in values))
    return calls


def calls_of(record: Any) -> list[tuple[tuple[Any, ...], dict[str, Any], set[Any]]]:
    calls = [sample_call(record, text) for text in texts(record, 'sample')]
    if 'domain' in record.options:
        calls += [(arguments, {}, set()) for arguments in elementwise_calls(record)]
    return calls


# Differences


def is_active(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return len(value) > 0 and all(is_active(item) for item in value)
    return isinstance(value, (float, np.ndarray, np.floating)) and (
        np.asarray(value).dtype.kind == 'f'
    )


def flat(value: Any) -> np.ndarray:
    """The numbers of an array, a number, or a list of them."""
    if isinstance(value, (list, tuple)):
        return np.concatenate([flat(item) for item in value]) if value else np.zeros(0)
    return np.asarray(value, float).reshape(-1)


def flat_shape(value: Any) -> Any:
    return [flat_shape(v) for v in value] if isinstance(value, (list, tuple)) else np.shape(value)


def rebuild(like: Any, numbers: np.ndarray) -> Any:
    if isinstance(like, (list, tuple)):
        items, start = [], 0
        for item in like:
            size = flat(item).size
            items.append(rebuild(item, numbers[start : start + size]))
            start += size
        return type(like)(items)
    return float(numbers[0]) if isinstance(like, float) else numbers.reshape(np.shape(like))


def evaluate(function: Any, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> np.ndarray:
    with np.errstate(all='ignore'):
        return flat(function(*arguments, **keywords))


def jacobian_by_differences(
    function: Any, arguments: tuple[Any, ...], keywords: dict[str, Any], at: Any
) -> np.ndarray:
    """A row for each number of the argument `at`: Richardson's differences of order 6."""
    values = dict(enumerate(arguments)) | keywords

    def at_offset(offset: np.ndarray) -> np.ndarray:
        moved = dict(values)
        moved[at] = rebuild(values[at], flat(values[at]) + offset)
        positional = tuple(moved[i] for i in range(len(arguments)))
        named = {k: moved[k] for k in keywords}
        return evaluate(function, positional, named)

    size = flat(values[at]).size
    rows = []
    for i in range(size):
        unit = np.zeros(size)
        unit[i] = 2e-3
        d1, d2, d3 = ((at_offset(k * unit) - at_offset(-k * unit)) / (2 * k) for k in (1, 2, 3))
        rows.append((1.5 * d1 - 0.6 * d2 + 0.1 * d3) / 2e-3)
    return np.array(rows)


def keys_of(record: Any, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> dict[str, Any]:
    """Parameter name -> the position or keyword that it was passed by."""
    definition = record.definition.args
    positional = [a.arg for a in definition.posonlyargs + definition.args][1:]
    return {n: i for i, n in enumerate(positional[: len(arguments)])} | {k: k for k in keywords}


def reduce_like(record: Any, contribution: Any, argument: Any, result: Any) -> np.ndarray:
    """A contribution as the engine would store it: reduced or spread to the argument's shape."""
    if isinstance(contribution, (int, float)) and contribution == 0:
        return np.zeros_like(flat(argument))
    if isinstance(argument, (list, tuple)):
        if isinstance(contribution, list) and len(contribution) == 1 and len(argument) != 1:
            contribution = list(contribution) * len(argument)  # each(b)
        pairs = zip(contribution, argument, strict=True)
        return flat([reduce_like(record, c, a, result) for c, a in pairs])
    if isinstance(contribution, list) and type(contribution) is not list:
        contribution = contribution[0]
    if record.options.get('shape') in ('elementwise', 'arithmetic', 'where'):
        whole = np.broadcast_shapes(np.shape(contribution), np.shape(result))
        return flat(runtime._unbroadcast(np.broadcast_to(contribution, whole), argument))
    shape = np.shape(argument)
    joint = np.broadcast_shapes(np.shape(contribution), shape)
    assert joint == shape, f'a contribution of shape {np.shape(contribution)} for {shape}'
    return flat(np.broadcast_to(contribution, shape))


# The rows


def result_of(
    record: Any, arguments: tuple[Any, ...], keywords: dict[str, Any], name: str = ''
) -> Any:
    with np.errstate(all='ignore'):
        return function_of(record, name)(*arguments, **keywords)


def function_of(record: Any, name: str = '') -> Any:
    """The library's function; one that draws random numbers draws the same ones every time."""
    function = resolve(name or record.name)
    if not record.options.get('random'):
        return function

    def drawn(*arguments: Any, **keywords: Any) -> Any:
        np.random.seed(5)
        random.seed(5)
        return function(*arguments, **keywords)

    return drawn


def seeds(result: Any) -> list[tuple[Any, np.ndarray]]:
    """Adjoints of a result, and their numbers in full: its own shape, and 1.0 for ones."""
    rng = np.random.default_rng(7)
    numbers = rng.uniform(0.5, 2.0, flat(result).size)
    if isinstance(result, (list, tuple)):
        # All parts, each of them alone.
        parts = rebuild([np.asarray(item, float) for item in result], numbers)
        found = [(parts, numbers)]
        for k in range(len(parts)):
            alone = [1.0 * part if i == k else 0.0 * part for i, part in enumerate(parts)]
            found.append((alone, flat(alone)))
        return found
    full = numbers.reshape(np.shape(result)) if np.ndim(result) else float(numbers[0])
    return [(full, numbers), (1.0, np.ones_like(numbers))]


@pytest.mark.parametrize('record', ADJOINTS, ids=lambda r: r.name)
def test_adjoint(record: Any) -> None:
    calls = calls_of(record)
    assert calls, f'{record.name} has neither a domain nor a sample'
    assert any(
        is_active(v) for arguments, keywords, _ in calls for v in (*arguments, *keywords.values())
    )
    targets: set[str] = set()
    for arguments, keywords, literal in calls:
        check_call(record, arguments, keywords, literal, targets)
    named = assigned(record)
    assert targets >= named, f'{record.name}: no sample reaches d[{named - targets}]'


def assigned(record: Any) -> set[str]:
    """The parameters that the body gives something to (on purpose nothing, `= 0`, aside)."""
    names = set()
    for node in ast.walk(record.definition):
        if isinstance(node, ast.Assign):
            of = index_rules.derivative_of(node.targets[0])
            if of and not (isinstance(node.value, ast.Constant) and node.value.value == 0):
                names.add(of)
    return names


def check_call(
    record: Any,
    arguments: tuple[Any, ...],
    keywords: dict[str, Any],
    literal: set[Any],
    targets: set[str],
) -> None:
    call = bind(record, arguments, keywords, literal)
    function = function_of(record)
    result = result_of(record, arguments, keywords)
    keys = keys_of(record, arguments, keywords)
    where = f'{record.name}{tuple(flat_shape(a) for a in arguments)} {keywords}'
    jacobians = {
        name: jacobian_by_differences(function, arguments, keywords, key)
        for name, key in keys.items()
        if is_active(call.values[name]) and differentiable(record, name)
    }
    targets |= set(jacobians)
    refused = 0
    for seed, numbers in seeds(result):
        modes = [m for m in MODES if takes(record, call, result, seed, m)]
        refused += not modes
        want = {name: jacobian @ numbers for name, jacobian in jacobians.items()}
        for mode in modes:
            with np.errstate(all='ignore'):
                got = run_adjoint(record, call, result, seed, mode)
            for name, expected in want.items():
                value = reduce_like(record, got.get(name, 0), call.values[name], result)
                np.testing.assert_allclose(
                    value, expected, rtol=2e-7, atol=2e-8, err_msg=f'd[{name}] of {where}, {mode}'
                )
        if record.twin is not None or record.options.get('linear'):
            check_tangent(record, call, result, numbers, want, where, modes)
    assert refused < len(seeds(result)), f'{where} is refused'


def takes(record: Any, call: Call, result: Any, seed: Any, mode: Mode) -> bool:
    """Whether the body takes this adjoint, and does not refuse it."""
    try:
        with np.errstate(all='ignore'):
            run_adjoint(record, call, result, seed, mode)
    except Refused:
        return False
    return True


def differentiable(record: Any, name: str) -> bool:
    return any(
        index_rules.derivative_of(node.targets[0]) == name
        for node in ast.walk(record.definition)
        if isinstance(node, ast.Assign)
    )


def check_tangent(
    record: Any,
    call: Call,
    result: Any,
    numbers: np.ndarray,
    want: dict[str, np.ndarray],
    where: str,
    modes: list[Mode],
) -> None:
    """The twin against the differences, by inner products; a linear function is its own twin."""
    rng = np.random.default_rng(11)
    for name, slopes in want.items():
        move = rebuild(call.values[name], rng.normal(size=slopes.size))
        if record.twin is not None:
            for mode in modes:
                with np.errstate(all='ignore'):
                    got = run_tangent(record, call, result, {name: move}, mode)
                if isinstance(result, (list, tuple)):
                    got = [np.broadcast_to(g, np.shape(r)) for g, r in zip(got, result)]  # noqa: B905
                else:
                    got = np.broadcast_to(got, np.shape(result))
                np.testing.assert_allclose(
                    flat(got) @ numbers, flat(move) @ slopes, rtol=2e-7, atol=2e-7,
                    err_msg=f'twin, {name} of {where}, {mode}',
                )  # fmt: skip
        elif name in record.options['linear']:
            got = linear_value(record, call, name, move)
            np.testing.assert_allclose(
                got @ numbers, flat(move) @ slopes, rtol=2e-7, atol=2e-7,
                err_msg=f'linear {name} of {where}',
            )  # fmt: skip


def linear_value(record: Any, call: Call, name: str, move: Any) -> np.ndarray:
    """The function at `move`, with zeros for the other parameters that it is linear in."""
    changed = {k: call.values[k] for k in record.parameters if k in call.given}
    for other in set(record.options['linear']) & set(changed):
        changed[other] = rebuild(changed[other], 0.0 * flat(changed[other]))
    changed[name] = move
    keyword_only = {a.arg for a in record.definition.args.kwonlyargs}
    positional = []
    for parameter in record.parameters:
        if parameter not in changed or parameter in keyword_only:
            break
        positional.append(changed.pop(parameter))
    return evaluate(resolve(record.name), tuple(positional), changed)


@pytest.mark.parametrize('record', ADJOINTS, ids=lambda r: r.name)
def test_both_modes(record: Any) -> None:
    """What is not elementwise has a twin, or is linear in all that it gives a contribution to."""
    if record.options.get('shape') in ('elementwise', 'arithmetic', 'where'):
        return
    linear = set(record.options.get('linear', ()))
    assert record.twin is not None or assigned(record) <= linear, record.name


@pytest.mark.parametrize('record', ADJOINTS, ids=lambda r: r.name)
def test_float32(record: Any) -> None:
    """float32 arguments give float32 contributions, near those in float64."""
    if record.options.get('random') or record.name.startswith((*SCALARS_ONLY, 'tangent.')):
        return
    for arguments, keywords, literal in calls_of(record):
        single = tuple(to_single(a) for a in arguments)
        if not any(isinstance(a, np.ndarray) and a.dtype == np.float32 for a in flatten(single)):
            continue
        if any(type(a) is float for a in flatten(single)) and 'sample' in record.options:
            continue  # np.dot(float32, 2.0) is a float64
        call = bind(record, single, keywords, literal)
        result = result_of(record, single, keywords)
        if isinstance(result, (list, tuple)) or np.asarray(result).dtype != np.float32:
            continue
        seed = np.ones(np.shape(result), np.float32)
        wide = bind(record, arguments, keywords, literal)
        for mode in MODES:
            if not takes(record, call, result, seed, mode):
                continue
            with np.errstate(all='ignore'):
                got = run_adjoint(record, call, result, seed, mode)
                want = run_adjoint(
                    record, wide, result_of(record, arguments, keywords), seed.astype(float), mode
                )
            for name, value in got.items():
                if isinstance(call.values[name], np.ndarray) and not isinstance(value, (list, int)):
                    where = f'd[{name}] of {record.name}, {mode}'
                    assert np.asarray(value).dtype == np.float32, where
                    np.testing.assert_allclose(value, want[name], rtol=2e-2, atol=1e-3)


def flatten(values: Any) -> list[Any]:
    if not isinstance(values, (list, tuple)):
        return [values]
    return [leaf for item in values for leaf in flatten(item)]


def to_single(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return type(value)(to_single(item) for item in value)
    if isinstance(value, np.ndarray) and value.dtype == np.float64:
        return value.astype(np.float32)
    return value


def ones(result: Any) -> Any:
    """The seed 1.0, for a tuple in each part."""
    return [np.ones_like(r) for r in result] if isinstance(result, (list, tuple)) else 1.0


@pytest.mark.parametrize('record', ADJOINTS, ids=lambda r: r.name)
def test_edges(record: Any) -> None:
    """`edges="(0.0,) -> 0.0"`: the contributions at singular points and ties, in order."""
    edges = texts(record, 'edges')
    if 'note' in record.options:
        assert edges, f'{record.name} has a note and no edges'
    for text in edges:
        left, _, right = text.partition('->')
        arguments, keywords, literal = sample_call(record, left.strip())
        want = eval(right, {'inf': np.inf, 'nan': np.nan})
        want = want if isinstance(want, tuple) else (want,)
        call = bind(record, arguments, keywords, literal)
        result = result_of(record, arguments, keywords)
        given = [n for n in record.parameters if n in call.given and n in assigned(record)]
        assert len(given) == len(want), f'{text}: contributions to {given}'
        for mode in MODES:
            if not takes(record, call, result, ones(result), mode):
                continue
            with np.errstate(all='ignore'):
                got = run_adjoint(record, call, result, ones(result), mode)
            for name, expected in zip(given, want, strict=True):
                value = reduce_like(record, got.get(name, 0.0), call.values[name], result)
                where = f'{text}: d[{name}], {mode}'
                np.testing.assert_allclose(value, flat(expected), err_msg=where)


@pytest.mark.parametrize('record', CONSTANTS, ids=lambda r: r.name)
def test_constant(record: Any) -> None:
    """A small move of the arguments does not move the result, for every name of the record."""
    calls = calls_of(record)
    assert calls, f'{record.name} has neither a domain nor a sample'
    for name in (record.name, *record.aliases):
        function = resolve(name)
        assert callable(function)
        if record.options.get('random') or 'empty' in name:
            continue
        for arguments, keywords, literal in calls:
            bind(record, arguments, keywords, literal)
            before = function(*arguments, **keywords)
            moved = tuple(
                rebuild(a, flat(a) + 1e-7)
                if is_active(a) and not isinstance(a, tuple) and i not in literal
                else a
                for i, a in enumerate(arguments)
            )
            after = function(*moved, **keywords)
            if name.endswith('stop_gradient'):  # moves, and says that nothing flows
                continue
            if name.endswith('_like') or not isinstance(before, (np.ndarray, float, int, bool)):
                continue
            np.testing.assert_array_equal(before, after, err_msg=name)


NAMES = [
    (name, record)
    for name, record in BY_NAME.items()
    if name != record.name and name.split('.')[0] not in LIBRARIES
]


def pieces(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


@pytest.mark.parametrize(('name', 'record'), NAMES, ids=[name for name, _ in NAMES])
def test_alias(name: str, record: Any) -> None:
    """An alias is a function of the library that agrees, in value and in its own bodies."""
    assert callable(resolve(name))
    if record.kind == 'constant' or record.options.get('random'):
        return
    tried = 0
    for arguments, keywords, literal in calls_of(record):
        scalars = all(isinstance(a, (int, float)) for a in arguments)
        if name.startswith(('math.', 'builtins.')) and not scalars:
            continue
        try:
            value = result_of(record, arguments, keywords, name)
        except TypeError:
            continue  # the alias has fewer arguments
        tried += 1
        result = result_of(record, arguments, keywords)
        np.testing.assert_allclose(flat(value), flat(result), rtol=1e-12)
        call = bind(record, arguments, keywords, literal)
        with np.errstate(all='ignore'):
            got = run_adjoint(record, call, value, ones(value), Mode(), called=name)
            want = run_adjoint(record, call, result, ones(result), Mode())
        for parameter, expected in want.items():
            for one, other in zip(pieces(got[parameter]), pieces(expected), strict=True):
                np.testing.assert_allclose(one, other, rtol=1e-12)
    assert tried, f'no sample of {record.name} fits {name}'


def test_every_parameter_is_the_librarys() -> None:
    """Records name the library's parameters, in its order."""
    import inspect

    for record in RECORDS:
        if record.name.startswith(('operator.', 'tangent.', 'math.', 'builtins.')):
            continue
        try:
            signature = inspect.signature(resolve(record.name))
        except (ValueError, TypeError):
            continue
        if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in signature.parameters.values()):
            continue
        own = [n for n in signature.parameters if n in record.parameters]
        listed = [n for n in record.parameters if n in own]
        assert own == listed, record.name
        if not isinstance(resolve(record.name), np.ufunc) and record.name != 'numpy.arange':
            assert set(record.parameters) <= set(signature.parameters), record.name


def test_conventions_are_up_to_date() -> None:
    make_conventions = load('make_conventions', ROOT / 'tools' / 'make_conventions.py')
    text = (ROOT / 'docs' / 'conventions.md').read_text(encoding='utf-8')
    assert text == make_conventions.conventions(), 'run tools/make_conventions.py'


@pytest.mark.parametrize(
    ('text', 'message'),
    [
        ('@adjoint("x.f")\ndef f(y, x):\n    d[x] = d[y] * np.frobnicate(x)\n', 'has no record'),
        ('@adjoint("x.f")\ndef f(y, x):\n    d[z] = d[y]\n', r'd\[z\] is not assigned'),
        ('@adjoint("x.f")\ndef f(y, x):\n    d[x] = d[y] * z\n', 'neither a parameter nor'),
        ('@adjoint("x.f", shape="round")\ndef f(y, x):\n    d[x] = d[y]\n', 'is not a shape'),
        ('@adjoint("x.f", form="round")\ndef f(y, x):\n    d[x] = d[y]\n', 'no argument'),
        ('@adjoint("x.f")\ndef f(y, x):\n    pass\n', 'assigns no d'),
        ('@adjoint("x.f")\ndef f(y, x, *z):\n    d[x] = d[y]\n', r'\* and \*\*'),
        ('@adjoint("x.f")\ndef f(y, x):\n    if x.any():\n        d[x] = d[y]\n', 'be tested'),
        ('@adjoint("x.f")\ndef f(y, x):\n    d[x] = full(x, y)\n', 'is of an adjoint'),
        ('@constant("x.f")\ndef f(y, x):\n    d[x] = d[y]\n', 'a constant is'),
        ('@tangent("x.f")\ndef f(y, x):\n    d[y] = d[x]\n', 'below no record'),
        ('@adjoint("numpy.sin")\ndef f(y, x):\n    d[x] = d[y]\n', 'has two records'),
    ],
)
def test_the_build_refuses(text: str, message: str, tmp_path: Path) -> None:
    """A record that the engine could not use is an error of the build, with file and line."""
    path = tmp_path / 'wrong.py'
    path.write_text(text)
    with pytest.raises(index_rules.RuleError, match=message) as error:
        index_rules.check(RECORDS + index_rules.read_records(path))
    assert re.match(rf'{re.escape(str(path))}:\d+: ', str(error.value))


# The adjoint raises nowhere where the function itself gives a value, be it nan.


@pytest.mark.parametrize(
    ('call', 'argument', 'want'),
    [
        ('np.mean(x)', np.zeros(0), np.zeros(0)),
        ('np.mean(x[1:])', np.ones(1), np.zeros(1)),
        ('np.sum(np.mean(x, axis=0))', np.zeros((0, 2)), np.zeros((0, 2))),
        ('np.sum(np.mean(x, axis=(0,)))', np.zeros((0, 2)), np.zeros((0, 2))),
        ('np.var(x)', np.zeros(0), np.zeros(0)),
        ('np.var(x, ddof=1)', np.ones(1), np.zeros(1)),
        ('np.std(x)', np.zeros(0), np.zeros(0)),
        ('np.average(x)', np.zeros(0), np.zeros(0)),
        ('np.median(x)', np.zeros(0), np.zeros(0)),
        ('np.max(x)', np.array([1.0, np.nan]), np.zeros(2)),
        ('np.min(x)', np.array([1.0, np.nan]), np.zeros(2)),
        ('np.nanmean(x)', np.array([np.nan]), np.zeros(1)),
        ('np.nanmax(x)', np.array([np.nan]), np.zeros(1)),
        ('np.linalg.slogdet(x)[1]', np.ones((2, 2)), np.full((2, 2), np.nan)),
        (
            'np.sum(np.linalg.slogdet(x)[1])',
            np.stack([np.ones((2, 2)), 2.0 * np.eye(2)]),
            np.stack([np.full((2, 2), np.nan), 0.5 * np.eye(2)]),
        ),
    ],
)
@pytest.mark.filterwarnings('ignore:.*:RuntimeWarning')
def test_no_adjoint_raises_where_the_function_does_not(
    call: str, argument: np.ndarray, want: np.ndarray, tmp_path: Path
) -> None:
    (tmp_path / 'edge.py').write_text(f'import numpy as np\ndef f(x):\n    return {call}\n')
    spec = importlib.util.spec_from_file_location('edge', tmp_path / 'edge.py')
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.f(argument)
    got = tangent.grad(module.f)(argument)
    assert got.shape == want.shape
    np.testing.assert_array_equal(got, want)
