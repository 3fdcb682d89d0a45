"""The run-time helpers of emitted gradients for arrays of JAX, torch and tinygrad.

The helpers of `tangent.runtime` are written in NumPy's words. Here their text runs a second time,
with `np` standing for the same words in another library (`_numpy_jax`, `_numpy_torch`,
`_numpy_tinygrad`), so that there is one text for each helper. Where arrays never change, stores in
that text become new arrays first. Helpers that rely on views are written anew in `_helpers_jax`.
"""

from __future__ import annotations

import ast
from importlib import import_module
from importlib.util import find_spec
from types import FunctionType
from typing import Any

_PARTS = ('base', 'arrays', 'products', 'scans', 'linalg', 'layers')
# By the numbers of `Library` in src/types/type.h.
_NAMES = ('numpy', 'jax', 'torch', 'tinygrad')
_HELPERS: dict[str, _Helpers] = {}


class _Stores(ast.NodeTransformer):
    """`a[i] = v` as `a = np.set_at(a, i, v)`, `np.add.at(a, i, v)` as `a = np.add_at(a, i, v)`."""

    def visit_Assign(self, node: ast.Assign) -> ast.stmt:
        target = node.targets[0]
        if isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
            return _changed(node, target, 'set_at', node.value)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt:
        target = node.target
        if (
            isinstance(target, ast.Subscript)
            and isinstance(target.value, ast.Name)
            and isinstance(node.op, ast.Add)
        ):
            return _changed(node, target, 'add_at', node.value)
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.stmt:
        call = node.value
        if isinstance(call, ast.Call) and ast.unparse(call.func) == 'np.add.at':
            array, index, value = call.args
            if isinstance(array, ast.Name):
                place = ast.Subscript(array, index, ast.Store())
                return _changed(node, place, 'add_at', value)
        return node


def _changed(node: ast.stmt, place: ast.Subscript, name: str, value: ast.expr) -> ast.stmt:
    function = ast.Attribute(ast.Name('np', ast.Load()), name, ast.Load())
    array = place.value
    assert isinstance(array, ast.Name)
    index = _index_value(place.slice)
    call = ast.Call(function, [ast.Name(array.id, ast.Load()), index, value], [])
    made = ast.Assign([ast.Name(array.id, ast.Store())], call)
    return ast.fix_missing_locations(ast.copy_location(made, node))


def _index_value(index: ast.expr) -> ast.expr:
    """An index as a value: `slice(a, b, None)` for `a:b`."""
    if isinstance(index, ast.Slice):
        bounds = [bound or ast.Constant(None) for bound in (index.lower, index.upper, index.step)]
        return ast.Call(ast.Name('slice', ast.Load()), bounds, [])
    if isinstance(index, ast.Tuple):
        return ast.Tuple([_index_value(part) for part in index.elts], ast.Load())
    return index


class _Helpers:
    """The helpers for one library, as attributes; a part is made when a name of it is asked for."""

    def __init__(self, library: str) -> None:
        self._library = library
        self._names: dict[str, Any] = {
            'np': import_module(f'tangent._numpy_{library}'),
            '__package__': 'tangent',
        }
        self._waiting = list(_PARTS)
        self._special = import_module(f'tangent._helpers_{library}')

    def __getattr__(self, name: str) -> Any:
        special = vars(self._special).get(name)
        if isinstance(special, FunctionType) and special.__module__ == self._special.__name__:
            return special
        while name not in self._names and self._waiting:
            self._run(self._waiting.pop(0))
        helper = self._names.get(name)
        if not isinstance(helper, FunctionType):
            raise AttributeError(f'there is no helper {name!r}')
        return helper

    def _run(self, part: str) -> None:
        module = f'tangent._runtime_{part}'
        spec = find_spec(module)
        assert spec is not None and spec.origin is not None
        with open(spec.origin, encoding='utf-8') as file:
            tree = ast.parse(file.read(), spec.origin)
        # Helpers see the others of their library, and its words for NumPy's.
        tree.body = [
            node
            for node in tree.body
            if not (isinstance(node, ast.Import) and node.names[0].name == 'numpy')
            and not (isinstance(node, ast.ImportFrom) and str(node.module).startswith('_runtime_'))
        ]
        if self._library != 'torch':
            tree = _Stores().visit(tree)
        self._names['__name__'] = module
        exec(compile(tree, spec.origin, 'exec'), self._names)
        for name, value in vars(self._special).items():
            own = isinstance(value, FunctionType) and value.__module__ == self._special.__name__
            if own and name in self._names:
                self._names[name] = value


def helpers(number: int) -> _Helpers:
    """The helpers for the library of that number in the engine's list."""
    name = _NAMES[number]
    if name not in _HELPERS:
        _HELPERS[name] = _Helpers(name)
    return _HELPERS[name]
