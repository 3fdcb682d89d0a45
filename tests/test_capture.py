"""Capture: the source of every kind of function is found, read and checked against what runs."""

from __future__ import annotations

import ast
import colorsys
import functools
import importlib
import linecache
import sys
import textwrap
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
import pytest
import tangent
from tangent import _capture, _core
from tangent._untouched import is_untouched


def define(source: str, name: str = 'f', filename: str = '<test cell>', **names: Any) -> Any:
    """A function as a notebook defines one: its text is registered with linecache."""
    source = textwrap.dedent(source)
    lines = source.splitlines(keepends=True)
    linecache.cache[filename] = (len(source), None, lines, filename)
    namespace = {'np': np, '__name__': 'cell', **names}
    exec(compile(source, filename, 'exec', dont_inherit=True), namespace)
    return namespace[name]


def read(function: FunctionType) -> tuple[Any, ...]:
    found = _capture.read(function)
    assert len(found) == 5, found
    return found


# ------------------------------------------------------------------------------------------------
# Where functions come from


def module_level(x):
    return 3.0 * x * x


def test_a_function_of_a_module():
    node, _, first_line, filename, private = read(module_level)
    assert node.name == 'module_level'
    assert node.lineno + first_line - 1 == module_level.__code__.co_firstlineno
    assert filename == __file__
    assert private == ''
    assert tangent.grad(module_level)(2.0) == 12.0


def test_a_closure():
    def make(k):
        def inner(x):
            return k * x * x

        return inner

    assert tangent.grad(make(3.0))(2.0) == 12.0
    assert tangent.grad(make(5.0))(2.0) == 20.0


def test_a_method_bound_to_its_object():
    class Model:
        rate = 3.0

        def loss(self, x, y=1.0):
            return 2.0 * x * x + y

    df = tangent.grad(Model().loss)
    assert df(3.0) == 12.0
    assert tangent.grad(Model().loss, 'y')(3.0) == 1.0
    assert tangent.grad(Model.loss, 'x')(Model(), 3.0) == 12.0


def test_two_lambdas_on_one_line_are_told_apart():
    double, triple = (lambda x: 2.0 * x), (lambda x: 3.0 * x)
    assert tangent.grad(double)(1.0) == 2.0
    assert tangent.grad(triple)(1.0) == 3.0


def test_two_lambdas_that_differ_in_a_constant_only():
    functions = [lambda x: x * 2.0, lambda x: x * 5.0]
    assert [tangent.grad(each)(1.0) for each in functions] == [2.0, 5.0]


def test_a_lambda_whose_first_line_is_no_statement():
    functions = {
        'a': lambda x: x * 4.0,
        'b': lambda x: x
        * 7.0,
    }  # fmt: skip
    assert tangent.grad(functions['a'])(1.0) == 4.0
    assert tangent.grad(functions['b'])(1.0) == 7.0


def test_a_lambda_made_by_a_lambda():
    make = lambda k: lambda x: k * x  # noqa: E731
    assert tangent.grad(make(3.0))(1.0) == 3.0


def test_a_lambda_as_an_argument():
    def apply(function, x):
        return tangent.grad(function)(x)

    assert apply(lambda x: x * x, 3.0) == 6.0


def test_a_lambda_without_positions(monkeypatch: pytest.MonkeyPatch):
    functions = [lambda x: x * 2.0, lambda x: x * 5.0]
    monkeypatch.setattr(_capture, '_span', lambda *args: None)
    assert [tangent.grad(each)(1.0) for each in functions] == [2.0, 5.0]


def test_a_function_of_a_notebook():
    f = define('def f(x):\n    return np.sin(x) * 2.0\n')
    assert tangent.grad(f)(0.0) == 2.0


def test_a_decorator_that_returns_the_function():
    def register(function):
        return function

    @register
    @register
    def f(x):
        return x * x

    assert tangent.grad(f)(3.0) == 6.0


def test_what_a_decorator_returns_is_what_is_differentiated():
    def doubled(function):
        @functools.wraps(function)
        def wrapper(x):
            return 2.0 * function(x)

        return wrapper

    @doubled
    def f(x):
        return x * x

    assert f(3.0) == 18.0
    assert tangent.grad(f)(3.0) == 12.0


def test_strings_and_brackets_that_stand_less_deep():
    def f(
        x,
        y=2.0,
    ):
        y = """
not indented
    """ and y
        z = x * x * (
    y
        )  # fmt: skip
        return z

    assert tangent.grad(f)(3.0) == 12.0


def test_a_comment_that_stands_less_deep():
    def f(x):
        y = x * x
    # a remark
        return y  # fmt: skip

    assert tangent.grad(f)(3.0) == 6.0


def test_line_continuations():
    def f(x):
        y = x * \
            x  # fmt: skip
        return y

    assert tangent.grad(f)(3.0) == 6.0


def test_tabs():
    f = define('def f(x):\n\ty = x * x\n\tif y > 1.0:\n\t\ty = 2.0 * y\n\treturn y\n')
    assert tangent.grad(f)(3.0) == 12.0


def test_non_ascii_names_and_columns_in_characters():
    f = define('def f(größe):\n    µ = "äöü"; y = größe * größe\n    return y\n')
    assert tangent.grad(f)(3.0) == 6.0
    g = define('def g(größe):\n    ä = "äöü"; yield größe\n', 'g')
    with pytest.raises(tangent.UnsupportedSyntaxError) as caught:
        tangent.grad(g)
    line, column, _, end_column = caught.value.range
    assert (line, column, end_column) == (2, 15, 26)


def test_ninety_nine_indents():
    lines = ['def f(x):', '    y = x']
    # CPython allows 100 levels, of which the function is one.
    for depth in range(1, 19):
        lines.append('    ' * depth + 'if x > 0.0:')
    lines.append('    ' * 19 + 'y = x * x')
    lines.append('    return y')
    f = define('\n'.join(lines) + '\n')
    assert tangent.grad(f)(3.0) == 6.0


def test_the_deepest_indentation_that_python_takes():
    lines = ['def f(x):'] + [' ' * (d + 1) + 'if x:' for d in range(98)] + [' ' * 99 + 'pass']
    f = define('\n'.join(lines) + '\n')
    node = read(f)[0]
    assert isinstance(node, ast.FunctionDef)


def test_a_sum_of_two_thousand_terms():
    f = define(f'def f(x):\n    return {" + ".join(["x"] * 2000)}\n')
    assert tangent.grad(f)(1.0) == 2000.0


def test_two_hundred_nested_parentheses():
    f = define(f'def f(x):\n    return {"(" * 190}x * x{")" * 190}\n')
    assert tangent.grad(f)(3.0) == 6.0


def test_private_names():
    class Model:
        def loss(self, __x):
            return __x * __x

    assert read(Model.loss)[4] == 'Model'
    assert tangent.grad(Model().loss)(3.0) == 6.0


def test_a_function_of_a_file_with_a_future_import(tmp_path: Path):
    module = module_of(tmp_path, 'from __future__ import annotations\ndef f(x: Q) -> R: return x\n')
    assert tangent.grad(module.f)(3.0) == 1.0


def test_the_test_modules_own_asserts_are_no_obstacle():
    def f(x):
        assert x > 0.0, 'positive'
        return x * x

    assert tangent.grad(f)(3.0) == 6.0


# ------------------------------------------------------------------------------------------------
# What is not the source


def module_of(folder: Path, text: str, name: str = 'captured') -> ModuleType:
    (folder / f'{name}.py').write_text(text, encoding='utf-8')
    sys.modules.pop(name, None)
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    sys.dont_write_bytecode, before = True, sys.dont_write_bytecode
    try:
        return importlib.import_module(name)
    finally:
        sys.dont_write_bytecode = before
        sys.path.remove(str(folder))


def test_a_file_that_was_edited_after_import(tmp_path: Path):
    module = module_of(tmp_path, 'def f(x):\n    return 2.0 * x\n')
    (tmp_path / 'captured.py').write_text('def f(x):\n    return 3.0 * x\n')
    with pytest.raises(tangent.SourceCodeNotAvailableError, match='edited after import') as caught:
        tangent.grad(module.f)
    assert caught.value.kind == 'SourceChanged'


def test_lines_put_in_front_after_import(tmp_path: Path):
    module = module_of(tmp_path, 'def f(x):\n    return 2.0 * x\n')
    (tmp_path / 'captured.py').write_text('import os\n\ndef f(x):\n    return 2.0 * x\n')
    with pytest.raises(tangent.SourceCodeNotAvailableError):
        tangent.grad(module.f)


def test_a_file_that_was_edited_and_imported_again(tmp_path: Path):
    module = module_of(tmp_path, 'def f(x):\n    return 2.0 * x\n')
    assert tangent.grad(module.f)(1.0) == 2.0
    module = module_of(tmp_path, 'def f(x):\n    # longer than before\n    return 3.0 * x\n')
    assert tangent.grad(module.f)(1.0) == 3.0


def test_a_file_that_nobody_touched_is_not_compiled_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    module = module_of(tmp_path, 'def f(x):\n    return 2.0 * x\n')
    _capture.read(module.f)
    assert not is_untouched(module.f), 'written after this process began'
    monkeypatch.setattr('tangent._untouched._process_start', lambda: float('inf'))
    assert is_untouched(module.f)
    assert tangent.grad(module.f)(1.0) == 2.0
    (tmp_path / 'captured.py').write_text('def f(x):\n    return 3.00 * x\n')
    assert not is_untouched(module.f)
    monkeypatch.setattr('tangent._untouched._process_start', lambda: float('-inf'))
    assert not is_untouched(colorsys.rgb_to_hsv)


def test_a_file_that_is_gone(tmp_path: Path):
    module = module_of(tmp_path, 'def f(x):\n    return 2.0 * x\n')
    (tmp_path / 'captured.py').unlink()
    linecache.clearcache()
    with pytest.raises(tangent.SourceCodeNotAvailableError) as caught:
        tangent.grad(module.f)
    assert caught.value.kind == 'SourceNotAvailable'
    assert 'linecache' in caught.value.remedy


def test_exec_without_registered_text():
    namespace: dict[str, Any] = {}
    exec('def f(x):\n    return x\n', namespace)
    with pytest.raises(tangent.SourceCodeNotAvailableError) as caught:
        tangent.grad(namespace['f'])
    assert caught.value.kind == 'SourceNotAvailable'


def test_negative_zero_is_another_constant(tmp_path: Path):
    module = module_of(tmp_path, 'def f(x):\n    return x + (1.0, 0.0)[1]\n')
    (tmp_path / 'captured.py').write_text('def f(x):\n    return x + (1.0, -0.0)[1]\n')
    with pytest.raises(tangent.SourceCodeNotAvailableError):
        tangent.grad(module.f)


# ------------------------------------------------------------------------------------------------
# The tree


@pytest.mark.parametrize(
    'spelling', ['1e-4', '0.5', '2.', '1_000', '0x1F', '1E5', '.25', '10', '1_0.5e3']
)
def test_numbers_keep_their_spelling(spelling: str):
    assert _core.parse_and_print(f'x = {spelling}\n') == f'x = {spelling}\n'


@pytest.mark.parametrize(
    'path',
    [*sorted(Path(ast.__file__).parent.glob('*.py'))[:60:3], Path(ast.__file__)],
    ids=lambda path: path.name,
)
def test_the_standard_library_survives_reading_and_printing(path: Path):
    text = path.read_text(encoding='utf-8')
    printed = _core.parse_and_print(text)
    assert ast.dump(ast.parse(printed)) == ast.dump(ast.parse(text))


GRAMMAR = '''
async def a(x, /, y: int = 1, *args: str, k, d=2, **kw) -> None:
    async with x as b, y: pass
    async for i in x: await i
    else: pass
    return [j async for j in x]
def b():
    global g, h
    def c():
        nonlocal_ = 1
        def d():
            nonlocal nonlocal_
            nonlocal_ += 1
        yield from d
        yield
        z = yield 3
    del x.y, x[1:2, ..., ::3], (x)
    assert x, 'm'
    raise E from None
    raise
class C(A, *B, metaclass=M, **kw):
    x: int
    y: int = 3
try:
    pass
except (A, B) as e: raise
except: pass
else: pass
finally: pass
try: pass
except* A: pass
match x:
    case 1 | 'a' | None | -1.5 | 1 + 2j: pass
    case [a, *_, (b, c)] if a: pass
    case {'k': v, C.d: 2, **rest}: pass
    case C(a, b=1) as d: pass
    case _: pass
while a < b <= c is not d not in e: break
else: continue_ = 1
import a.b as c, d
from . import x
from ..a.b import y as z, w
from m import *
l = lambda *a, k=1, **kw: (yield)
x = y = (a := 3), *b, {**c, 'd': 1}, {1, 2}, {k: v for k, v in z if a if b for c in d}
x = {s for s in t}
f"a{b!r:>{w}}c{{}}{d=}"
b'\\x00\\xff' + b''
x = a if b else not c, ~d, +e, -f ** -g, 1j, 10 ** 30, 123456789012345678901234567890, ...
a @= b; c //= d; e >>= f; g **= h
print(*a, k=1, **b)
x[a:b, c] = x[*d]
'''


def test_the_whole_grammar_is_read():
    printed = _core.parse_and_print(GRAMMAR)
    assert ast.dump(ast.parse(printed)) == ast.dump(ast.parse(GRAMMAR))


def test_nesting_that_is_too_deep_is_refused():
    f = define(f'def f(x):\n    return {"-" * 900}x\n')
    with pytest.raises(tangent.UnsupportedSyntaxError) as caught:
        tangent.grad(f)
    assert caught.value.kind == 'TooDeep'


# ------------------------------------------------------------------------------------------------
# Names of library functions


LIBRARY_NAMES = '''
from math import sin as math_sin
from numpy import sin as numpy_sin
from numpy.linalg import solve
from scipy import special
from scipy.linalg import expm
from scipy.special import gammaln
import numpy, numpy as np, scipy.linalg


def f(x):
    math_sin(x), numpy_sin(x), np.abs(x), numpy.abs(x), solve(x, x), np.linalg.solve(x, x), abs(x)
    special.gammaln(x), gammaln(x), expm(x), scipy.linalg.expm(x), np.random.normal(x)
    return x
'''


def test_library_functions_have_one_name_however_they_are_reached():
    f = define(LIBRARY_NAMES)
    names = _core.library_names(f)
    assert names == {
        'math_sin': 'math.sin',
        'numpy_sin': 'numpy.sin',
        'np.abs': 'numpy.absolute',
        'numpy.abs': 'numpy.absolute',
        'solve': 'numpy.linalg.solve',
        'np.linalg.solve': 'numpy.linalg.solve',
        'abs': 'builtins.abs',
        'special.gammaln': 'scipy.special.gammaln',
        'gammaln': 'scipy.special.gammaln',
        'expm': 'scipy.linalg.expm',
        'scipy.linalg.expm': 'scipy.linalg.expm',
        'np.random.normal': 'numpy.random.normal',
    }
