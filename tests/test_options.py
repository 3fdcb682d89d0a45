"""`optimized` and `optimizations`: the same gradients, whatever is switched on or off.

Each choice of `option_choices.py` is compared with the plain call, at 1e-11, on whole programs, on
generated ones and at orders 1 to 3; where the primal stays as it is, its value, what it prints,
raises and leaves in its arguments, too.
"""

from __future__ import annotations

import ast
import copy
import inspect
import pickle
import types
import warnings
from functools import partial
from typing import Any

import fuzz
import numpy as np
import oracle
import programs
import pytest
import tangent
from option_choices import (
    ALL_OFF,
    ALL_ON,
    COMBINATIONS,
    KEYS,
    NAIVE,
    SINGLES,
    keeps_the_primal,
    name_of,
)
from test_higher_order import PROGRAMS
from whole_programs import CASES

CHOICES = SINGLES + COMBINATIONS
GENERATED = range(300, 345)


def plain(f: Any, wrt: tuple[int, ...], arguments: Any) -> Any:
    return tangent.grad(f, wrt=wrt)(*arguments)


@pytest.mark.parametrize(
    ('f', 'arguments', 'wrt'), CASES, ids=lambda it: getattr(it, '__name__', '')
)
def test_whole_programs(f: Any, arguments: Any, wrt: tuple[int, ...]) -> None:
    want = plain(f, wrt, arguments())
    want = want if len(wrt) > 1 else (want,)
    left = arguments()
    value = f(*left)
    for choice in CHOICES:
        given = arguments()
        *got, primal = tangent.grad(f, wrt=wrt, preserve_result=True, **choice)(*given)
        assert oracle.error(got, list(want)) <= 1e-11, name_of(choice)
        assert oracle.error(given, left) <= (0.0 if keeps_the_primal(choice) else 1e-11)
        if keeps_the_primal(choice):
            np.testing.assert_array_equal(primal, value, err_msg=name_of(choice))
        else:
            assert oracle.error((primal,), (value,)) <= 1e-11, name_of(choice)


def taken_program(label: int, folder: Any) -> tuple[Any, Any]:
    """The first program of these labels that the plain call takes, and its function."""
    for number in range(label, label + 10_000, 1000):
        program = programs.program(number)
        f = program.load(str(folder / f'program_{number}.py'))
        try:
            fuzz.examine(program, f, tangent)
        except tangent.TangentError:
            continue
        return program, f
    raise AssertionError(f'ten programs in a row are refused: {label}')


@pytest.mark.parametrize('label', GENERATED)
def test_generated_programs(label: int, tmp_path: Any) -> None:
    """Values, effects and exceptions as the primal's, gradients as the oracle's."""
    choices = [*SINGLES, *COMBINATIONS][label % 3 :: 3]
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        program, f = taken_program(label, tmp_path)
        for choice in filter(keeps_the_primal, choices):
            chosen = types.SimpleNamespace(grad=partial(tangent.grad, **choice))
            try:
                fuzz.examine(program, f, chosen)
            except Exception as error:
                error.add_note(f'with {choice}\n{program.source}')
                raise


@pytest.mark.parametrize('order', [1, 2, 3])
@pytest.mark.parametrize(('f', 'args'), PROGRAMS, ids=lambda it: getattr(it, '__name__', None))
def test_orders(f: Any, args: tuple[Any, ...], order: int) -> None:
    def nested(**choice: Any) -> Any:
        derivative = f
        for _ in range(order):
            derivative = tangent.grad(derivative, **choice)
        return derivative(*copy.deepcopy(args))

    try:
        want = nested()
    except tangent.InplaceModificationError:
        assert order == 3  # what is refused there, tests/test_higher_order.py says
        return
    for choice in SINGLES + COMBINATIONS[order::3]:
        try:
            got = nested(**choice)
        except tangent.InplaceModificationError:
            assert order == 3 and not choice.get('optimized', True), name_of(choice)
            continue
        assert oracle.error((got,), (want,)) <= 1e-11, name_of(choice)


def scaled(x: float, y: float = 2.0, *, k: float = 3.0) -> float:
    """Documented."""
    return k * x * x / 4.0 + y * x


@pytest.mark.parametrize('choice', CHOICES, ids=name_of)
def test_the_signature_is_that_of_the_plain_gradient(choice: dict[str, Any]) -> None:
    want = tangent.grad(scaled)
    got = tangent.grad(scaled, **choice)
    assert [*inspect.signature(got).parameters] == [*inspect.signature(want).parameters]
    assert inspect.signature(got) == inspect.signature(want)
    assert got.__name__ == want.__name__ and got.__doc__ == want.__doc__
    assert got(3.0) == want(3.0) == 6.5
    assert got(3.0, init_grad=2.0) == 13.0
    assert got(3.0, 2.0, 2.0, k=1.0) == want(3.0, 2.0, 2.0, k=1.0)


def test_a_choice_is_part_of_the_memory_of_gradients() -> None:
    made = [tangent.grad(scaled, **choice) for choice in (NAIVE, ALL_ON, ALL_OFF, {})]
    assert len({id(each) for each in made}) == len(made)
    again = [tangent.grad(scaled, **choice) for choice in (NAIVE, ALL_ON, ALL_OFF, {})]
    assert all(one is other for one, other in zip(made, again, strict=True))
    # What is on by default makes no difference, and is not another gradient.
    assert tangent.grad(scaled, optimizations={'dce': True, 'cse': False}) is tangent.grad(scaled)


def test_pickling_keeps_the_choice() -> None:
    for choice in (NAIVE, ALL_ON, {}):
        df = tangent.grad(scaled, **choice)
        again = pickle.loads(pickle.dumps(df))
        assert again.source(3.0) == df.source(3.0)


@pytest.mark.parametrize('mode', ['reverse', 'forward'])
def test_autodiff_takes_them(mode: str) -> None:
    for choice in CHOICES:
        df = tangent.autodiff(scaled, mode=mode, **choice)
        got = df(3.0, 2.0, 1.0) if mode == 'reverse' else df(3.0, dx=1.0)
        assert got == 6.5, name_of(choice)
    assert tangent.jvp(scaled, optimized=False)(3.0, dx=1.0) == 6.5
    assert tangent.vjp(scaled, optimized=False)(3.0, 2.0, 1.0) == 6.5


def test_forward_mode_of_whole_programs() -> None:
    for f, arguments, wrt in CASES[::5]:
        try:
            jacobian = oracle.differentiate(f, arguments(), wrt).jacobian
            direction = np.random.default_rng(7).standard_normal(jacobian.shape[1])
            tangents = oracle.as_gradients(direction, arguments(), wrt)
            want = tangent.jvp(f, wrt=wrt)(*arguments(), *tangents)
        except tangent.TangentError:
            continue
        for choice in SINGLES:
            jf = tangent.autodiff(f, wrt=wrt, mode='forward', **choice)
            got = jf(*arguments(), *tangents)
            assert oracle.error((got,), (want,)) <= 1e-11, (f.__name__, name_of(choice))


@pytest.mark.parametrize(
    ('options', 'message'),
    [
        ({'optimizations': {'CSE': True}}, "no key 'CSE'"),
        ({'optimizations': {1: True}}, 'no key 1'),
        ({'optimizations': {'cse': 1}}, r"optimizations\['cse'\] = 1"),
        ({'optimizations': {'cse': None}}, 'cse is True or False'),
        ({'optimizations': {'dce': 'sympy'}}, 'dce is True or False'),
        ({'optimizations': {'algebraic': 'numpy'}}, "True, False or 'sympy'"),
        ({'optimizations': ['cse']}, 'optimizations is a dict'),
        ({'optimized': None}, 'optimized is True or False'),
        ({'optimized': 0}, 'optimized is True or False'),
    ],
)
def test_bad_values(options: dict[str, Any], message: str) -> None:
    with pytest.raises(tangent.TangentValueError, match=message) as caught:
        tangent.grad(scaled, **options)
    assert caught.value.kind == 'BadOption'


def test_a_wrong_key_names_the_right_ones() -> None:
    with pytest.raises(tangent.TangentValueError) as caught:
        tangent.grad(scaled, optimizations={'dead': True})
    assert all(repr(key) in str(caught.value) for key in KEYS)


def test_sympy_is_asked_only_where_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib.util

    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, 'find_spec', lambda name, *rest: None if name == 'sympy' else find(name)
    )
    assert tangent.grad(scaled, optimizations={'algebraic': True})(3.0) == 6.5
    with pytest.raises(ImportError, match='pip install sympy'):
        tangent.grad(scaled, optimizations={'algebraic': 'sympy'})


# What each of them does to the text.


def statements(source: str) -> list[ast.stmt]:
    nodes = ast.walk(ast.parse(source))
    return [node for node in nodes if isinstance(node, ast.Assign | ast.AugAssign)]


def test_the_naive_adjoint_has_one_primitive_in_a_statement_of_the_primal() -> None:
    def f(x, y):
        for _ in range(3):
            x = x * np.sin(x * y) + np.exp(-x) / (1.0 + y) ** 2
        return x * y - x

    source = tangent.grad(f, wrt=(0, 1), optimized=False).source(0.5, 2.0)
    forward = source[: source.index('result =')]
    operations = (ast.BinOp, ast.UnaryOp, ast.Call)
    for statement in statements(forward):
        count = sum(isinstance(node, operations) for node in ast.walk(statement.value))
        assert count <= 1, ast.unparse(statement)
    # Everything that is read again is taken from a tape, also outside of loops.
    assert 'old_' not in source
    assert source.count('.append(') == source.count('.pop()') >= 10


def test_dead_code_stays_where_it_is_asked_for() -> None:
    def f(x):
        unused = x * 3.0  # noqa: F841
        return x * x

    assert 'unused' not in tangent.grad(f).source(2.0)
    assert 'unused = x * 3.0' in tangent.grad(f, optimizations={'dce': False}).source(2.0)


def test_powers_and_quotients_get_cheaper() -> None:
    def f(v):
        return np.sum(v**3 / 4.0)

    source = tangent.grad(f, optimizations={'strength_reduction': True}).source(np.ones(2))
    assert '**' not in source and '/' not in source


def test_what_is_computed_twice_has_a_name() -> None:
    def f(a, b, c):
        first = np.exp(a / b) * c
        if c > 0.0:
            first = first + np.exp(a / b) / c
        return first * np.exp(a / b)

    plain = tangent.grad(f, wrt=(0, 1)).source(1.0, 2.0, 3.0)
    source = tangent.grad(f, wrt=(0, 1), optimizations={'cse': True}).source(1.0, 2.0, 3.0)
    def calls(text: str) -> int:
        return sum(isinstance(node, ast.Call) for node in ast.walk(ast.parse(text)))

    assert calls(plain) > calls(source) == 1
    assert source.count('a / b') < plain.count('a / b')


@pytest.mark.parametrize(
    ('f', 'arguments', 'wrt'), CASES, ids=lambda it: getattr(it, '__name__', '')
)
def test_sharing_makes_no_tape_and_no_work(f: Any, arguments: Any, wrt: tuple[int, ...]) -> None:
    plain = tangent.grad(f, wrt=wrt).source(*arguments())
    shared = tangent.grad(f, wrt=wrt, optimizations={'cse': True}).source(*arguments())
    assert shared.count('.append(') <= plain.count('.append(')

    def work(source: str) -> int:
        nodes = ast.walk(ast.parse(source))
        return sum(isinstance(node, ast.BinOp | ast.Call) for node in nodes)

    assert work(shared) <= work(plain)


def test_coarse_array_code_is_one_expression() -> None:
    def f(v, w):
        a = np.sin(v) * w
        b = np.exp(a)
        c = np.tanh(b)
        return np.sum(c * c)

    v, w = np.array([0.1, 0.4]), np.array([1.2, 0.3])
    plain = tangent.grad(f).source(v, w)
    coarse = tangent.grad(f, optimizations={'coarsening': True}).source(v, w)
    assert len(statements(coarse)) < len(statements(plain))
    assert 'ba =' not in coarse and 'bb =' not in coarse
    want = oracle.gradient(f, (v, w), (0,))
    got = tangent.grad(f, optimizations={'coarsening': True})(v, w)
    assert oracle.error((got,), want) <= 1e-12
