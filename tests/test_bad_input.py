"""What is no good input: each works, with the known derivative, or says what and where.

The kinds of diagnostic have tests of their own in test_diagnostics.py; here are the inputs.
"""

from __future__ import annotations

import functools
import gc
import importlib.util
import linecache
import math
import sys
import textwrap
import traceback
import weakref
from collections.abc import Callable
from itertools import count
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np
import pytest
import tangent

_numbers = count()


def define(text: str, name: str = 'f', **names: Any) -> FunctionType:
    """The function `name` of a text that linecache knows, as in a notebook."""
    filename = f'<bad input {next(_numbers)}>'
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    namespace: dict[str, Any] = {'np': np, 'math': math, **names}
    exec(compile(text, filename, 'exec'), namespace)
    return namespace[name]


def refused(work: Callable[[], object], kind: str) -> Any:
    """The diagnostic of this kind that `work` ends in, with what every diagnostic has."""
    with pytest.raises(Exception) as caught:
        work()
    error: Any = caught.value
    assert getattr(error, 'kind', None) == kind, repr(error)
    assert error.remedy
    assert error.remedy in str(error)
    return error


def assert_place(error: Any, line: int, marked: str) -> None:
    """The diagnostic stands at this line of its file, and its carets under this text."""
    assert error.lineno == line
    first, column, last, end = error.range
    assert (first, last) == (line, line)
    assert error.source_line[column:end] == marked
    assert f'File "{error.filename}", line {line}' in str(error)
    assert '^' * min(len(marked), 3) in str(error)


# ------------------------------------------------------------------------------------------------
# No source


def test_no_source():
    names: dict[str, Any] = {}
    exec('def f(x):\n    return x\n', names)
    error = refused(lambda: tangent.grad(names['f']), 'SourceNotAvailable')
    assert 'linecache' in error.remedy


@pytest.mark.parametrize('what', [len, math.sin, np.exp, np.linalg.solve, dict, 3.0, None, 'f'])
def test_what_is_no_function(what: Any):
    if what is np.linalg.solve:  # Python, and a library's own: its lambda is what to write
        what = np.dot
    error = refused(lambda: tangent.grad(what), 'NotAFunction')
    assert error.remedy


def test_a_partial_says_what_to_write():
    error = refused(lambda: tangent.grad(functools.partial(math.pow, 2.0)), 'NotAFunction')
    assert 'partial' in error.summary
    assert 'lambda' in error.remedy


def test_a_c_function_without_a_rule():
    f = define('def f(x):\n    y = 2.0 * x\n    return np.sum(np.roots(y))\n')
    error = refused(lambda: tangent.grad(f)(np.ones(3)), 'NoRule')
    assert_place(error, 3, 'np.roots(y)')


def test_a_c_function_without_a_rule_that_nothing_flows_through():
    f = define('def f(x):\n    n = math.perm(5, 2)\n    return n * x\n')
    assert tangent.grad(f)(2.0) == 20.0


@pytest.mark.parametrize(
    ('body', 'line', 'marked'),
    [
        ('    yield x\n', 2, 'yield x'),
        ('    global G\n    G = x\n    return x\n', 3, 'G'),
        ('    y = x\n    return {**y}\n', 3, '{**y}'),
    ],
)
def test_syntax_that_is_not_supported(body: str, line: int, marked: str):
    f = define(f'def f(x):\n{body}')
    assert_place(refused(lambda: tangent.grad(f)(1.0), 'UnsupportedSyntax'), line, marked)


# ------------------------------------------------------------------------------------------------
# wrt


def weigh(x, text, scale=2.0):
    return scale * x if text == 'a' else x


@pytest.mark.parametrize('wrt', [3, -4, (0, 5), 'y', ('x', 'y'), None, 1.5, b'x', True])
def test_wrt_that_makes_no_sense(wrt: Any):
    refused(lambda: tangent.grad(weigh, wrt), 'BadWrt')


@pytest.mark.parametrize(
    ('wrt', 'args', 'name'),
    [
        ('text', (1.0, 'a'), 'text'),
        (0, (None, 'a'), 'x'),
        (0, (b'b', 'a'), 'x'),
        (0, (math.sin, 'a'), 'x'),
        (0, (True, 'a'), 'x'),
        (0, (np.array([True, False]), 'a'), 'x'),
    ],
)
def test_wrt_of_what_is_no_number(wrt: Any, args: tuple[Any, ...], name: str):
    error = refused(lambda: tangent.grad(weigh, wrt)(*args), 'NotNumeric')
    assert_place(error, weigh.__code__.co_firstlineno, name)


@pytest.mark.parametrize(
    'value', [1j, np.array([1j]), np.array(['a']), object()]
)
def test_wrt_of_what_is_not_supported(value: Any):
    error = refused(lambda: tangent.grad(weigh)(value, 'a'), 'UnsupportedType')
    assert_place(error, weigh.__code__.co_firstlineno, 'x')


@pytest.mark.parametrize(
    ('value', 'kind'),
    [
        (3, float),
        (3.0, float),
        (np.float32(3.0), np.float32),
        (np.float64(3.0), np.float64),
        (np.int64(3), np.float64),
        (np.array(3.0), np.ndarray),
        (np.array(3), np.ndarray),
    ],
)
def test_numbers_of_every_kind(value: Any, kind: type):
    got = tangent.grad(lambda x: x * x)(value)
    assert got == 6.0
    assert isinstance(got, kind)


# ------------------------------------------------------------------------------------------------
# Results that are no numbers


@pytest.mark.parametrize(
    ('body', 'line', 'marked'),
    [
        ("    return 'a'\n", 2, "'a'"),
        ("    return f'{x}'\n", 2, "f'{x}'"),
        ("    return x, 'a'\n", 2, "x, 'a'"),
        ('    return None\n', 2, 'None'),
        ('    return\n', 2, 'return'),
        ('    return math\n', 2, 'math'),
        ("    if x > 0.0:\n        return x\n    return 'a'\n", 4, "'a'"),
    ],
)
def test_a_result_that_is_no_number(body: str, line: int, marked: str):
    f = define(f'def f(x):\n{body}')
    assert_place(refused(lambda: tangent.grad(f)(1.0), 'NotNumeric'), line, marked)


@pytest.mark.parametrize(
    'body', ['    pass\n', '    y = x * x\n', '    if x > 0.0:\n        return x\n']
)
def test_a_path_without_a_result(body: str):
    f = define(f'def f(x):\n{body}')
    error = refused(lambda: tangent.grad(f)(1.0), 'NotNumeric')
    assert 'None' in error.summary
    assert error.lineno in (1, 2)


def test_a_container_as_the_result():
    f = define("def f(x):\n    return {'a': x, str(x): x * x}\n")
    assert_place(
        refused(lambda: tangent.grad(f)(1.0), 'UnsupportedType'), 2, "{'a': x, str(x): x * x}"
    )


def test_an_argument_used_as_a_whole():
    f = define('def f(x):\n    y = 2.0\n    return y * x\n')
    assert_place(refused(lambda: tangent.grad(f)({'a': 1.0}), 'UnsupportedType'), 3, 'x')
    for value in ([1.0, 2.0], (1.0, 2.0)):
        with pytest.raises(TypeError, match="can't multiply sequence"):  # as f does
            tangent.grad(f)(value)


def test_an_argument_given_back_as_a_whole():
    f = define('def f(x):\n    return x\n')
    assert_place(refused(lambda: tangent.grad(f)({'a': 1.0}), 'UnsupportedType'), 2, 'x')
    assert tangent.grad(f)([1.0, 2.0]) == [1.0, 1.0]
    assert tangent.grad(f)((1.0, 2.0)) == (1.0, 1.0)


def test_a_result_that_does_not_depend_on_the_argument():
    assert tangent.grad(lambda x: 3.0)(2.0) == 0.0
    assert tangent.grad(lambda x: x > 1.0)(2.0) == 0.0


# ------------------------------------------------------------------------------------------------
# Exceptions of the primal


def lines_of(error: BaseException, filename: str) -> list[tuple[str, int | None]]:
    entries = traceback.extract_tb(error.__traceback__)
    return [(entry.name, entry.lineno) for entry in entries if entry.filename == filename]


def project(x, w):
    shifted = x + 1.0
    return shifted @ w


def misfit(x, w):
    hidden = np.tanh(x)
    out = project(
        hidden, w)
    return np.sum(out)


def test_a_shape_error_is_numpys_own_at_the_users_line():
    df = tangent.grad(misfit, ('x', 'w'))
    assert df(np.zeros((2, 3)), np.ones((3, 4)))[1].shape == (3, 4)
    x, w = np.ones((2, 3)), np.ones((2, 4))
    with pytest.raises(ValueError) as expected:
        misfit(x, w)
    with pytest.raises(ValueError) as caught:
        df(x, w)
    assert str(caught.value) == str(expected.value)
    call = misfit.__code__.co_firstlineno + 2
    product = project.__code__.co_firstlineno + 2
    shown = lines_of(caught.value, __file__)
    assert shown[1:] == [('misfit', call), ('project', product)]
    last = traceback.extract_tb(caught.value.__traceback__)[-1]
    assert last.filename.startswith('<tangent dmisfit')
    assert '@ w' in (last.line or '')


@pytest.mark.parametrize(
    ('body', 'args'),
    [
        ('    return np.sum(x + np.ones(4))\n', (np.ones(3),)),
        ('    return np.sum(np.reshape(x, (2, 2)))\n', (np.ones(3),)),
        ('    return x[7]\n', (np.ones(3),)),
        ('    a, b = x\n    return a * b\n', (np.ones(3),)),
        ('    return np.sum(np.sum(x, axis=2))\n', (np.ones(3),)),
        ('    return np.sum(np.linalg.inv(x))\n', (np.zeros((2, 2)),)),
        ('    return 1.0 / x\n', (0.0,)),
        ('    return math.log(x)\n', (-1.0,)),
        ('    return math.exp(x)\n', (1e4,)),
        ('    assert x > 1.0, "small"\n    return x\n', (0.5,)),
        ('    if x < 1.0:\n        raise KeyError("small")\n    return x\n', (0.5,)),
        ('    return x * unknown_name\n', (0.5,)),
    ],
)
def test_what_the_primal_raises_the_gradient_raises(body: str, args: tuple[Any, ...]):
    f = define(f'def f(x):\n{body}')
    df = tangent.grad(f)
    with pytest.raises(Exception) as expected:
        f(*args)
    with pytest.raises(Exception) as caught:
        df(*args)
    assert type(caught.value) is type(expected.value)
    assert str(caught.value) == str(expected.value)
    filename = f.__code__.co_filename
    assert lines_of(caught.value, filename)[-1:] == lines_of(expected.value, filename)[-1:]


# ------------------------------------------------------------------------------------------------
# Source


def load(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_source_that_was_edited_after_import(tmp_path: Path):
    path = tmp_path / 'edited.py'
    path.write_text('def f(x):\n    return 2.0 * x\n')
    f = load(path).f
    path.write_text('def f(x):\n    return 3.0 * x\n')
    linecache.checkcache(str(path))
    error = refused(lambda: tangent.grad(f), 'SourceChanged')
    assert str(path) in str(error)


ODD_SOURCE = '''
    # Grüße: ∑ über 中文 — комментарий
    def f(größe, 变量=2.0):
    \t"""Документация."""
    \tσ = größe * 变量  # ← the product
    \tif σ > 0.0:
    \t\tσ = σ * größe
    \treturn σ
'''


@pytest.mark.parametrize('encoding', ['utf-8', 'utf-8-sig', 'utf-16'])
def test_names_and_comments_that_are_not_ascii_and_tabs(tmp_path: Path, encoding: str):
    text = textwrap.dedent(ODD_SOURCE)
    if encoding == 'utf-16':  # Python reads no UTF-16: another one, with its declaration
        encoding = 'iso-8859-15'
        text = '# coding: iso-8859-15\ndef f(größe, µ=2.0):\n\treturn größe * größe * µ  # €\n'
    path = tmp_path / 'odd.py'
    path.write_text(text, encoding=encoding)
    f = load(path).f
    df = tangent.grad(f, 'größe')
    assert df(3.0) == 12.0
    compile(df.__tangent_source__, '<text>', 'exec')


def test_carets_behind_wide_characters_and_tabs():
    f = define('def f(größe):\n\tif größe > 0.0:\n\t\tσ = "中"; yield größe\n')
    assert_place(refused(lambda: tangent.grad(f), 'UnsupportedSyntax'), 3, 'yield größe')


def test_windows_line_ends(tmp_path: Path):
    path = tmp_path / 'ends.py'
    path.write_bytes(b'def f(x):\r\n    y = x * x\r\n    return y\r\n')
    assert tangent.grad(load(path).f)(3.0) == 6.0


def test_form_feeds_and_no_newline_at_the_end(tmp_path: Path):
    path = tmp_path / 'feeds.py'
    path.write_bytes(b'x = 1\n\x0c\ndef f(x):\n    y = x * x\n\n    return y')
    assert tangent.grad(load(path).f)(3.0) == 6.0


# ------------------------------------------------------------------------------------------------
# Nothing, NaN and infinity

EMPTY_ROWS = [
    ('np.sum(x * x)', (0,)),
    ('np.sum(x * x)', (3, 0)),
    ('np.prod(x)', (0,)),
    ('np.sum(np.cumsum(x) ** 2)', (0,)),
    ('np.sum(np.sort(x) * 2.0)', (0,)),
    ('np.sum(x[1:] * x[:-1])', (0,)),
    ('np.sum(x @ np.ones((0, 2)))', (3, 0)),
    ('np.sum(np.ones((2, 3)) @ x)', (3, 0)),
    ('np.sum(np.sum(x, axis=1) ** 2)', (3, 0)),
    ('np.sum(np.where(x > 0.0, x, 0.0))', (0,)),
    ('x @ x', (0,)),
]


@pytest.mark.parametrize(('expression', 'shape'), EMPTY_ROWS)
def test_arrays_without_elements(expression: str, shape: tuple[int, ...]):
    f = define(f'def f(x):\n    return {expression}\n')
    x = np.zeros(shape)
    got = tangent.grad(f)(x)
    assert got.shape == shape
    assert got.dtype == np.float64


def test_loops_over_arrays_without_elements():
    f = define(
        'def f(x, y):\n    s = y * y\n    for v in x:\n        s = s * v\n'
        '    for i in range(len(x)):\n        s = s + x[i]\n    return s\n'
    )
    got = tangent.grad(f, (0, 1))(np.zeros(0), 3.0)
    assert got[0].shape == (0,)
    assert got[1] == 6.0


@pytest.mark.parametrize('trips', [-2, 0, 1, 3])
def test_loops_that_run_not_at_all(trips: int):
    def f(x, n):
        y = x
        for _ in range(n):
            y = y * x
        while n > 0:
            y = y * x
            n -= 1
        return y

    power = 2 * max(trips, 0) + 1
    assert tangent.grad(f)(3.0, trips) == power * 3.0 ** (power - 1)


def test_nan_and_infinity_pass_through():
    nan, inf = math.nan, math.inf
    square = tangent.grad(lambda x: np.sum(x * x))
    np.testing.assert_array_equal(
        square(np.array([nan, inf, -inf, -0.0])), np.array([nan, inf, -inf, -0.0])
    )
    assert math.isnan(tangent.grad(lambda x: x * x)(nan))

    def branch(x):
        if x > 0.0:
            return x * x
        return -3.0 * x

    df = tangent.grad(branch)
    assert (df(nan), df(inf), df(-inf)) == (-3.0, inf, -3.0)
    assert tangent.grad(lambda x: 2.0 * x + nan)(1.0) == 2.0


UNBOUND = [
    '    if n:\n        y = x * x\n    return y\n',
    '    for _ in range(n):\n        y = x * x\n    return y\n',
    '    for _ in range(n):\n        z = x * x\n        y = z * z\n    return y + x\n',
    '    for i in range(n):\n        pass\n    return i * x\n',
    '    while n > 0:\n        y = math.sin(x)\n        n -= 1\n    return x + y\n',
    '    if n:\n        y = 2.0\n    z = y\n    return 3.0 * x\n',
    '    if x > 0.0:\n        for i in range(n):\n            y = x\n        return y\n'
    '    return x\n',
]


@pytest.mark.parametrize('body', UNBOUND)
def test_names_without_a_value(body: str):
    """The primal raises where a loop ran not at all; so does the gradient that needs no value."""
    f = define(f'def f(x, n):\n{body}')
    df = tangent.grad(f)
    with pytest.raises(UnboundLocalError) as expected:
        f(3.0, 0)
    with pytest.raises(UnboundLocalError) as caught:
        df(3.0, 0)
    assert str(caught.value) == str(expected.value)
    step = 1e-6
    slope = (f(3.0 + step, 2) - f(3.0 - step, 2)) / (2 * step)
    assert df(3.0, 2) == pytest.approx(slope, rel=1e-8, abs=1e-8)


# ------------------------------------------------------------------------------------------------
# Large programs


def indented(depth: int) -> str:
    """A product under that many nested ifs, by one column each."""
    lines = ['def f(x):'] + [' ' * level + 'if x > 0.0:' for level in range(1, depth)]
    return '\n'.join([*lines, ' ' * depth + 'x = x * x', ' return x', ''])


def loops(depth: int) -> str:
    lines = ['def f(x):', ' y = x']
    lines += [' ' * (level + 1) + f'for i{level} in range(1):' for level in range(depth)]
    return '\n'.join([*lines, ' ' * (depth + 1) + 'y = y * x', ' return y', ''])


LARGE = {
    'parentheses': (f'def f(x):\n    return {"(" * 199}x * x{")" * 199}\n', 6.0),
    'indents': (indented(97), 6.0),
    'loops': (loops(20), 6.0),
    'terms': (f'def f(x):\n    return {" + ".join(["x"] * 2000)}\n', 2000.0),
    'differences': (f'def f(x):\n    return {" - ".join(["x"] * 2000)}\n', -1998.0),
    'products': (f'def f(x):\n    return {" + ".join(["x * x"] * 2000)}\n', 12000.0),
    'statements': (
        'def f(x):\n    y = x\n' + '    y = y + x * x\n' * 2000 + '    return y\n',
        12001.0,
    ),
    'names': (f'def f(x):\n    {"v" * 20000} = x * x\n    return {"v" * 20000}\n', 6.0),
    'conditions': (
        f'def f(x):\n    return x * x if {" and ".join(["x > 0"] * 2000)} else x\n',
        6.0,
    ),
    'parameters': (
        f'def f(x, {", ".join(f"p{k}=1.0" for k in range(500))}):\n    return x * x * p499\n',
        6.0,
    ),
    'branches': (
        'def f(x):\n    y = x\n' + '    if y < 0.0:\n        y = -y\n' * 300 + '    return y * y\n',
        6.0,
    ),
    'returns': (
        'def f(x):\n'
        + ''.join(f'    if x < {-k}.0:\n        return {k}.0\n' for k in range(90))
        + '    return x * x\n',
        6.0,
    ),
}


@pytest.mark.parametrize('name', LARGE)
def test_large_programs(name: str):
    text, expected = LARGE[name]
    assert tangent.grad(define(text))(3.0) == expected


def test_the_ninety_nine_indents_that_python_takes():
    # One level less than Python's limit: the gradient's own text has to stay within it, too.
    text = indented(99)
    error = refused(lambda: tangent.grad(define(text))(3.0), 'TooDeep')
    assert 97 <= error.lineno <= 100
    assert '^' in str(error)


@pytest.fixture
def deep_recursion():
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(100_000)
    yield
    sys.setrecursionlimit(limit)


@pytest.mark.usefixtures('deep_recursion')
def test_a_sum_of_twenty_thousand_terms():
    # CPython itself compiles it only under a higher recursion limit.
    f = define(f'def f(x):\n    return {" + ".join(["x"] * 20_000)}\n')
    assert tangent.grad(f)(3.0) == 20_000.0


@pytest.mark.parametrize(
    'expression',
    ['-' * 700 + 'x', 'x' + '.T' * 700, 'x' + '[...]' * 700, 'not ' * 700 + 'x'],
    ids=['signs', 'attributes', 'subscripts', 'negations'],
)
def test_deep_nesting_is_refused(expression: str):
    f = define(f'def f(x):\n    return {expression}\n')
    error = refused(lambda: tangent.grad(f)(np.ones(3)), 'TooDeep')
    assert error.lineno == 2


# ------------------------------------------------------------------------------------------------
# After a failure


def test_a_failed_grad_leaves_nothing_behind():
    def make() -> FunctionType:
        return define('def f(x, n):\n    y = np.roots(x) if n else x\n    return np.sum(y * y)\n')

    f = make()
    before = dict(f.__dict__)
    cached = set(linecache.cache)
    for wrt in ('z', 7):
        refused(functools.partial(tangent.grad, f, wrt), 'BadWrt')
    assert f.__dict__ == before
    df = tangent.grad(f)
    call = functools.partial(df, np.ones(3), 1)
    for _ in range(2):
        refused(call, 'NoRule')
    assert df.__tangent_variants__ == 0
    assert set(linecache.cache) == cached
    gone = weakref.ref(f)
    del f, df, call
    gc.collect()
    assert gone() is None


def test_a_function_works_after_a_failure():
    f = define('def f(x):\n    return helper(x) * x\n')
    df = tangent.grad(f)
    error = refused(lambda: df(2.0), 'UnresolvedCall')
    assert_place(error, 2, 'helper(x)')
    f.__globals__['helper'] = define('def helper(x):\n    return x * x\n', 'helper')
    assert df(2.0) == 12.0


# ------------------------------------------------------------------------------------------------
# Containers in themselves


def test_a_list_that_holds_itself_is_passed_through():
    knot: list[object] = []
    knot.append(knot)
    f = define('def f(x, options):\n    return 2.0 * x\n')
    df = tangent.grad(f)
    assert df(1.0, knot) == 2.0
    assert df(3.0, knot) == 2.0
    assert df.__tangent_variants__ == 1


def test_a_list_nested_without_end_is_passed_through():
    nest: object = 1.0
    for _ in range(50_000):
        nest = [nest]
    f = define('def f(x, options):\n    return 2.0 * x\n')
    assert tangent.grad(f)(1.0, nest) == 2.0
    while isinstance(nest, list):
        nest = nest.pop()
