"""Formulas through SymPy, for `optimizations={'algebraic': 'sympy'}`.

In: a formula in Python's notation, functions by NumPy's bare names, every other value a name. Out:
what `sympy.simplify` makes of it, in the same notation. The engine reads that back, and leaves the
formula as it was where the answer has something in it that it does not know.
"""

from __future__ import annotations

import ast
from functools import lru_cache
from typing import Any

_TO_SYMPY = {
    'arcsin': 'asin',
    'arccos': 'acos',
    'arctan': 'atan',
    'arctanh': 'atanh',
    'arcsinh': 'asinh',
    'abs': 'Abs',
}
_FROM_SYMPY = {theirs: ours for ours, theirs in _TO_SYMPY.items()}


@lru_cache(maxsize=1024)
def simplified(formula: str) -> str:
    """The formula as SymPy would write it.

    Parameters
    ----------
    formula
        For example ``'a0 * a0 + sin(a1) ** 2 + cos(a1) ** 2'``; every name is real.

    Returns
    -------
    str
        ``'a0**2 + 1'``.
    """
    import sympy  # type: ignore[import-untyped]  # only where this is asked for

    names: dict[str, Any] = {}
    for node in ast.walk(ast.parse(formula, mode='eval')):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            known = _TO_SYMPY.get(node.func.id, node.func.id)
            names[node.func.id] = getattr(sympy, known)
    for node in ast.walk(ast.parse(formula, mode='eval')):
        if isinstance(node, ast.Name) and node.id not in names:
            names[node.id] = sympy.Symbol(node.id, real=True)
    value = sympy.simplify(sympy.sympify(formula, locals=names, rational=True))
    tree = ast.parse(str(value), mode='eval')
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            node.id = _FROM_SYMPY.get(node.id, node.id)
    return ast.unparse(tree)
