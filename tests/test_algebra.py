"""The rules of algebra against SymPy: the same value, and not more operations.

SymPy is the oracle here, and only here: `simplified_formula` is the engine's own. Operations are
counted the same way in both texts, as nodes of the tree that Python reads from them.
"""

from __future__ import annotations

import ast
import math
import random
from typing import Any

import algebra_corpus
import numpy as np
import pytest
import sympy
import tangent
from tangent._core import simplified_formula

CORPUS = [
    *algebra_corpus.WRITTEN,
    *algebra_corpus.generated(200 - len(algebra_corpus.WRITTEN)),
]
FUNCTIONS: dict[str, Any] = {
    'abs': abs,
    **{
        name: getattr(math, name)
        for name in 'sin cos tan exp log sqrt sinh cosh tanh'.split()  # noqa: SIM905
    },
}


def names_of(formula: str) -> list[str]:
    nodes = ast.walk(ast.parse(formula, mode='eval'))
    return sorted({node.id for node in nodes if isinstance(node, ast.Name)} - {*FUNCTIONS})


def operations(formula: str) -> int:
    """Operations and calls; the sign of a number is none."""
    count = 0
    for node in ast.walk(ast.parse(formula, mode='eval')):
        sign = isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant)
        count += isinstance(node, ast.BinOp | ast.UnaryOp | ast.Call) and not sign
    return count


def value(formula: str, seed: int) -> float:
    rng = random.Random(seed)
    point = {name: rng.uniform(0.3, 1.9) for name in names_of(formula)}
    return eval(formula, FUNCTIONS | point)


def test_the_corpus_has_two_hundred_formulas() -> None:
    assert len(CORPUS) == 200
    assert len(set(CORPUS)) >= 195


@pytest.mark.parametrize('formula', CORPUS)
def test_the_value_stays(formula: str) -> None:
    simple = simplified_formula(formula)
    for seed in range(3):
        rng = random.Random(seed)
        point = {name: rng.uniform(0.3, 1.9) for name in names_of(formula)}
        want = eval(formula, FUNCTIONS | point)
        got = eval(simple, FUNCTIONS | point)
        assert abs(got - want) <= 1e-11 * (1.0 + abs(want)), simple
    assert operations(simple) <= operations(formula)


def test_at_most_the_operations_of_sympy() -> None:
    more = []
    for formula in CORPUS:
        names = {name: sympy.Symbol(name, positive=True) for name in names_of(formula)}
        theirs = str(sympy.simplify(sympy.sympify(formula, locals=names)))
        ours = simplified_formula(formula)
        if operations(ours) > operations(theirs):
            more.append(f'{formula}: {ours} has more than {theirs}')
    assert len(more) <= 0.1 * len(CORPUS), '\n'.join(more)


@pytest.mark.parametrize('formula', ['', 'x +', 'f(', 'x y', '(x', 'x = 1'])
def test_what_is_no_formula(formula: str) -> None:
    with pytest.raises(ValueError, match='no formula'):
        simplified_formula(formula)


def wave(x, y, a):
    first = np.sin(x) ** 2 + np.cos(x) ** 2
    second = np.exp(x * y) * np.exp(a) / np.exp(a)
    return a * first + a * second + np.log(np.exp(y)) * np.sqrt(x) ** 2


@pytest.mark.parametrize('how', [True, 'sympy'])
def test_a_program_gets_shorter(how: Any) -> None:
    plain = tangent.grad(wave, wrt=(0, 1, 2), preserve_result=True)
    short = tangent.grad(
        wave, wrt=(0, 1, 2), preserve_result=True, optimizations={'algebraic': how}
    )
    for arguments in ((0.7, 0.4, 1.3), (np.array([0.7, 1.1]), 0.4, 1.3)):
        try:
            want = plain(*arguments)
        except tangent.TangentError:
            continue
        got = short(*arguments)
        for one, other in zip(got, want, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-11)
    text = short.source(0.7, 0.4, 1.3)
    assert 'np.cos' not in text and 'np.log' not in text and 'np.sqrt' not in text
    assert len(text) < len(plain.source(0.7, 0.4, 1.3))


def test_an_array_times_one_is_still_another_array() -> None:
    def f(v):
        w = v * 1.0
        w[0] = 3.0
        return np.sum(w * v)

    got = tangent.grad(f, optimizations={'algebraic': True})(np.array([1.0, 2.0]))
    np.testing.assert_allclose(got, [3.0, 4.0])


def test_random_formulas_keep_their_value() -> None:
    for number, formula in enumerate(algebra_corpus.generated(600, seed=11)):
        simple = simplified_formula(formula)
        rng = random.Random(number)
        point = {name: rng.uniform(0.3, 1.5) for name in 'abcxyz'}
        want = eval(formula, FUNCTIONS | point)
        got = eval(simple, FUNCTIONS | point)
        assert abs(got - want) <= 1e-9 * (1.0 + abs(want)), f'{formula}: {simple}'
