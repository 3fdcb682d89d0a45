"""The records through the whole engine: one small function per sample, differentiated and compared.

A record's sample or domain gives a call; the call becomes a function of its floating arguments, in
text; `tangent.grad` of it is compared with differences.
"""

from __future__ import annotations

import ast
import linecache
import math
import random
from typing import Any

import numpy as np
import pytest
import scipy.linalg
import scipy.special
import tangent
from rule_bodies import RECORDS, index_rules
from tangent.errors import TangentError
from test_rules import SCALARS_ONLY, Samples, elementwise_calls, flat, is_active, rebuild, texts

ADJOINTS = [
    r for r in RECORDS if r.kind == 'adjoint' and not r.name.startswith('tangent.runtime.')
]
OPERATORS = {
    'add': '{} + {}', 'sub': '{} - {}', 'mul': '{} * {}', 'truediv': '{} / {}', 'pow': '{} ** {}',
    'mod': '{} % {}', 'matmul': '{} @ {}', 'neg': '-{}', 'pos': '+{}',
}  # fmt: skip


def spelled(name: str, arguments: str, parts: list[str]) -> str:
    """The call as a user writes it."""
    module, _, function = name.rpartition('.')
    if module == 'operator':
        return OPERATORS[function].format(*parts)
    module = {'numpy': 'np.', 'builtins': ''}.get(module, module.replace('numpy.', 'np.') + '.')
    return f'{module}{function}({arguments})'


def programs(record: Any) -> list[tuple[str, dict[str, Any]]]:
    """Texts of functions of one record's call, with the values of their parameters."""
    found = []
    for text in texts(record, 'sample'):
        samples = Samples()
        names = {
            node.id
            for node in ast.walk(ast.parse('_' + text, mode='eval'))
            if isinstance(node, ast.Name) and node.id not in ('_', 'np', 'float', 'int')
        }
        values = {name: samples[name] for name in sorted(names)}
        call = ast.parse('_' + text, mode='eval').body
        assert isinstance(call, ast.Call)
        parts = [ast.unparse(argument) for argument in call.args]
        if any(is_active(value) for value in values.values()):
            found.append((spelled(record.name, text[1:-1].rstrip(','), parts), values))
    if 'domain' in record.options:
        for arguments in elementwise_calls(record)[:6]:
            parts = [f'x{i}' for i in range(len(arguments))]
            expression = spelled(record.name, ', '.join(parts), parts)
            found.append((expression, dict(zip(parts, arguments, strict=True))))
    return found


def differentiable(record: Any, expression: str, name: str) -> bool:
    """Whether a name of the call goes to a parameter that has a derivative."""
    call = ast.parse(expression, mode='eval').body
    if not isinstance(call, ast.Call):
        return True
    named = {
        index_rules.derivative_of(node.targets[0])
        for node in ast.walk(record.definition)
        if isinstance(node, ast.Assign)
    }
    passed = [*zip(record.parameters, call.args, strict=False)]
    passed += [(keyword.arg, keyword.value) for keyword in call.keywords]
    return any(
        parameter in named
        for parameter, value in passed
        for node in ast.walk(value)
        if isinstance(node, ast.Name) and node.id == name
    )


def function_of(
    record: Any, expression: str, names: list[str], number: int, part: tuple[int, int] | None = None
) -> Any:
    """The call as a function; of a tuple, its part k of n."""
    filename = f'<rule {record.name} {number} {part}>'
    body = f'    return {expression}\n'
    if part is not None:
        k, n = part
        targets = ', '.join(f'part{i}' for i in range(n))
        body = f'    {targets} = {expression}\n    return part{k}\n'
    text = f'def f({", ".join(names)}):\n{body}'
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    scope = {'np': np, 'math': math, 'scipy': scipy, 'random': random}
    exec(compile(text, filename, 'exec'), scope)
    return scope['f']


def seeded(function: Any) -> Any:
    def call(*arguments: Any, **keywords: Any) -> Any:
        np.random.seed(5)
        random.seed(5)
        return function(*arguments, **keywords)

    return call


def slopes(function: Any, values: list[Any], position: int, seed: Any) -> Any:
    """d(seed · f)/d(argument), by Richardson's central differences of order 6."""
    base = np.asarray(values[position], float).reshape(-1)
    result = np.zeros(base.size)
    for i in range(base.size):
        unit = np.zeros(base.size)
        unit[i] = 2e-3

        def at(k: int, unit: Any = unit) -> float:
            moved = list(values)
            moved[position] = rebuild(values[position], base + k * unit)
            return float(np.sum(seed * function(*moved)))

        d1, d2, d3 = ((at(k) - at(-k)) / (2 * k) for k in (1, 2, 3))
        result[i] = (1.5 * d1 - 0.6 * d2 + 0.1 * d3) / 2e-3
    return result.reshape(np.shape(values[position]))


# Parts of tuples whose adjoint a rule does not take, or that have none.
# (a list of several arrays is refused where it is unpacked)
PARTS_WITHOUT_SLOPE = {
    'numpy.linalg.lstsq': {1, 2, 3},
    'numpy.frexp': {1},
    'numpy.gradient': {0, 1, 2},
}


# SciPy computes these in double precision, of whatever it is given.
DOUBLE = {'scipy.special.kn', 'scipy.special.yn', 'scipy.special.spherical_jn'}


def cases(record: Any) -> list[tuple[str, dict[str, Any], Any]]:
    """Expressions, values of their names, and the functions: one for each part of a tuple."""
    found = []
    for number, (expression, values) in enumerate(programs(record)):
        function = function_of(record, expression, list(values), number)
        result = seeded(function)(*values.values())
        if not isinstance(result, (tuple, list)):
            if np.iscomplexobj(result):  # results are real
                expression = f'np.real({expression}) + 2.0 * np.imag({expression})'
                function = function_of(record, expression, list(values), number)
            found.append((expression, values, function))
            continue
        for k in range(len(result)):
            if k not in PARTS_WITHOUT_SLOPE.get(record.name, ()):
                part = function_of(record, expression, list(values), number, (k, len(result)))
                found.append((expression, values, part))
    return found


@pytest.mark.parametrize('record', ADJOINTS, ids=lambda r: r.name)
@pytest.mark.filterwarnings('ignore')
def test_through_the_engine(record: Any) -> None:
    refused = []
    for expression, values, function in cases(record):
        names = list(values)
        arguments = list(values.values())
        active = tuple(
            i
            for i, value in enumerate(arguments)
            if is_active(value) and differentiable(record, expression, names[i])
        )
        if not active:
            continue
        primal = seeded(function)
        result = primal(*arguments)
        try:
            gradient = seeded(tangent.grad(function, wrt=active))
            rng = np.random.default_rng(3)
            seed = rng.uniform(0.5, 2.0, np.shape(result)) if np.ndim(result) else 1.5
            for by in (1.0, seed):
                got = gradient(*arguments, init_grad=by)
                got = got if isinstance(got, tuple) else (got,)
                assert len(got) == len(active)
                for position, value in zip(active, got, strict=True):
                    want = slopes(primal, arguments, position, by)
                    assert np.shape(value) == np.shape(want), f'{expression}: {names[position]}'
                    where = f'{expression}, {names[position]}'
                    np.testing.assert_allclose(value, want, rtol=1e-6, atol=1e-7, err_msg=where)
        except (TangentError, NotImplementedError) as error:
            refused.append(f'{expression}: {type(error).__name__}: {error}')
    assert not refused, '\n'.join(refused)


def along(function: Any, values: list[Any], moves: dict[int, Any]) -> np.ndarray:
    """The derivative in a direction, by Richardson's central differences of order 6."""

    def at(k: int) -> np.ndarray:
        moved = list(values)
        for position, move in moves.items():
            base = np.asarray(values[position], float)
            moved[position] = rebuild(
                values[position], np.reshape(base + 2e-3 * k * np.asarray(move), -1)
            )
        return flat(function(*moved))

    d1, d2, d3 = ((at(k) - at(-k)) / (2 * k) for k in (1, 2, 3))
    return (1.5 * d1 - 0.6 * d2 + 0.1 * d3) / 2e-3


@pytest.mark.parametrize('record', ADJOINTS, ids=lambda r: r.name)
@pytest.mark.filterwarnings('ignore')
def test_forward_through_the_engine(record: Any) -> None:
    """Forward mode of every record, in the shape of the result and with the value bit for bit."""
    refused = []
    for expression, values, function in cases(record):
        names = list(values)
        arguments = list(values.values())
        active = tuple(
            i
            for i, value in enumerate(arguments)
            if is_active(value) and differentiable(record, expression, names[i])
        )
        if not active:
            continue
        primal = seeded(function)
        result = primal(*arguments)
        rng = np.random.default_rng(4)
        moves = {i: rebuild(arguments[i], rng.normal(size=np.size(arguments[i]))) for i in active}
        for chosen in {active, active[:1], active[-1:]}:
            try:
                derivative = seeded(tangent.jvp(function, wrt=chosen, preserve_result=True))
                got, value = derivative(*arguments, *(moves[i] for i in chosen))
            except (TangentError, NotImplementedError) as error:
                refused.append(f'{expression}: {type(error).__name__}: {error}')
                continue
            where = f'{expression} along {[names[i] for i in chosen]}'
            np.testing.assert_array_equal(flat(value), flat(result), err_msg=where)
            assert np.shape(got) == np.shape(result), where
            want = along(primal, arguments, {i: moves[i] for i in chosen})
            np.testing.assert_allclose(flat(got), want, rtol=1e-6, atol=1e-7, err_msg=where)
    assert not refused, '\n'.join(refused)


@pytest.mark.parametrize('record', ADJOINTS, ids=lambda r: r.name)
@pytest.mark.filterwarnings('ignore')
def test_float32_through_the_engine(record: Any) -> None:
    """The gradient of a float32 argument is float32; a tangent has the dtype of the result."""
    if record.options.get('random') or record.name.startswith(SCALARS_ONLY):
        return
    if record.options.get('shape') not in ('elementwise', 'arithmetic'):
        return
    for number, (expression, values) in enumerate(programs(record)):
        arguments = [
            v.astype(np.float32) if isinstance(v, np.ndarray) and v.dtype == float else v
            for v in values.values()
        ]
        if not all(isinstance(a, np.ndarray) and a.dtype == np.float32 for a in arguments):
            continue
        function = function_of(record, expression, list(values), number)
        got = tangent.grad(function, wrt=tuple(range(len(arguments))))(*arguments)
        for value in got if isinstance(got, tuple) else (got,):
            assert np.asarray(value).dtype == np.float32, expression
        derivative = tangent.jvp(function, wrt=tuple(range(len(arguments))))
        tangent_of_result = derivative(*arguments, *(np.ones_like(a) for a in arguments))
        result = function(*arguments)
        if record.name not in DOUBLE:
            assert np.asarray(tangent_of_result).dtype == np.asarray(result).dtype, expression


def test_a_condition_of_integers() -> None:
    """`~c` of integers is no negation, and `&` of them no conjunction."""
    c = np.array([0, 2, 1])
    x, y = np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 6.0])

    def f(c: Any, x: Any, y: Any) -> Any:
        return np.sum(np.where(c, np.where(x > 1.5, x, y), y) ** 2)

    bx, by = tangent.grad(f, wrt=(1, 2))(c, x, y)
    np.testing.assert_allclose(bx, [0.0, 4.0, 6.0])
    np.testing.assert_allclose(by, [8.0, 0.0, 0.0])


def test_elements_of_a_display_are_slices() -> None:
    def f(u: Any, v: Any) -> Any:
        return np.sum(np.concatenate((u, v)) ** 2)

    u, v = np.array([1.0, 2.0]), np.array([3.0])
    gradient = tangent.grad(f, wrt=(0, 1))
    bu, bv = gradient(u, v)
    np.testing.assert_allclose(bu, 2 * u)
    np.testing.assert_allclose(bv, 2 * v)
    assert '_unconcatenate' not in gradient.source(u, v)


def test_parts_of_a_tuple_over_its_operand() -> None:
    """`a, r = qr(a)`: the operand is gone when its adjoint is made."""

    def f(a: Any) -> Any:
        a, r = np.linalg.qr(a)
        return np.sum(a * a * a) + np.sum(r * r)

    a = np.array([[2.0, 1.0], [0.5, 3.0], [1.0, -1.0]])
    np.testing.assert_allclose(tangent.grad(f)(a), slopes(f, [a], 0, 1.0), rtol=1e-7)


def test_a_tuple_under_a_name_is_refused() -> None:
    def f(a: Any) -> Any:
        parts = np.linalg.eigh(a)
        return np.sum(parts[0])

    with pytest.raises(TangentError):
        tangent.grad(f)(np.eye(2))
