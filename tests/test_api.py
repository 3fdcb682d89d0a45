"""The public calls: options, what comes back, the memory of gradients, and what an import costs."""

from __future__ import annotations

import inspect
import io
import os
import subprocess
import sys
from contextlib import redirect_stdout

import numpy as np
import pytest
import tangent


def product(x, y, *, k=2.0):
    return k * x * y


def cube(x):
    return x * x * x


# ------------------------------------------------------------------------------------------------
# wrt


@pytest.mark.parametrize(
    ('wrt', 'expected'),
    [
        (0, 10.0),
        ('x', 10.0),
        ((0,), 10.0),
        (['x'], 10.0),
        (('y',), 6.0),
        (-1, 6.0),
        ((-2,), 10.0),
        ('k', 15.0),
        ((0, 1), (10.0, 6.0)),
        ((1, 0), (6.0, 10.0)),
        (('y', 0), (6.0, 10.0)),
        (('x', 'k'), (10.0, 15.0)),
        (np.int64(1), 6.0),
    ],
)
def test_wrt(wrt, expected):
    assert tangent.grad(product, wrt)(3.0, 5.0) == expected


@pytest.mark.parametrize(
    ('wrt', 'text'),
    [
        (2, 'has 2 positional parameters'),
        (-3, 'has 2 positional parameters'),
        ('z', 'no parameter of that name'),
        (1.0, 'position or its name'),
        (True, 'position or its name'),
        (None, 'position or its name'),
        ((0, 7), "wrt=7"),
    ],
)
def test_wrt_that_makes_no_sense(wrt, text):
    with pytest.raises(tangent.TangentValueError, match=text) as caught:
        tangent.grad(product, wrt)
    assert isinstance(caught.value, ValueError)
    assert caught.value.kind == 'BadWrt'
    assert caught.value.remedy


def test_no_wrt_at_all():
    assert tangent.grad(product, ())(3.0, 5.0) == ()


def test_keyword_only_parameters_after_variadic_ones():
    def f(x, *rest, k):
        return x * k

    assert tangent.grad(f, 'k')(3.0, k=5.0) == 3.0
    assert tangent.grad(f, ('k', 'x'))(3.0, None, k=5.0) == (3.0, 5.0)


# ------------------------------------------------------------------------------------------------
# Results


def test_preserve_result():
    assert tangent.grad(product, preserve_result=True)(3.0, 5.0) == (10.0, 30.0)
    both = tangent.grad(product, (0, 1), preserve_result=True)(3.0, 5.0)
    assert both == (10.0, 6.0, 30.0)


def test_value_and_grad():
    assert tangent.value_and_grad(product)(3.0, 5.0) == (30.0, 10.0)
    assert tangent.value_and_grad(product, (0, 1))(3.0, 5.0) == (30.0, (10.0, 6.0))
    assert tangent.value_and_grad(product, 'y')(3.0, 5.0) == (30.0, 6.0)


def test_as_a_decorator():
    @tangent.grad
    def f(x):
        return x * x

    assert f(3.0) == 6.0
    assert f.__tangent_primal__(3.0) == 9.0


def test_check_dims():
    def f(x):
        return 2.0 * x

    x = np.ones(3)
    np.testing.assert_array_equal(tangent.grad(f)(x), 2.0 * x)
    with pytest.raises(tangent.ShapeError):
        tangent.grad(f)(x, np.ones(4))
    assert '_check_seed' not in tangent.grad(f, check_dims=False).source(x)


# ------------------------------------------------------------------------------------------------
# Options


def test_options_by_position():
    assert tangent.grad(product, (0,), True, True, True, 0, False, None, None, None, None)(
        3.0, 5.0
    ) == (10.0, 30.0)


@pytest.mark.parametrize(
    'options',
    [
        {'optimizations': {'nonsense': True}},
        {'optimizations': 3},
        {'output_index': 1},
        {'output_index': -1},
        {'output_weights': (1.0, 2.0)},
        {'output_weights': 3},
        {'compile': 'native'},
        {'compile': 'numba'},
        {'source': 3},
        {'verbose': 7},
    ],
)
def test_options_are_refused_by_name_and_never_ignored(options):
    (name,) = options
    tangent.grad(product)  # the memory of gradients must not answer for another option
    with pytest.raises(tangent.TangentValueError, match=name) as caught:
        tangent.grad(product, **options)(3.0, 5.0)
    assert caught.value.kind == 'BadOption'


def test_options_at_their_defaults():
    assert tangent.grad(cube, checkpoint_config={'enabled': False})(2.0) == 12.0
    assert tangent.grad(cube, optimizations={})(2.0) == 12.0
    assert tangent.grad(cube, compile=None)(2.0) == 12.0
    with pytest.raises(TypeError):
        tangent.grad(cube, nonsense=1)


def test_the_order_of_the_options():
    names = list(inspect.signature(tangent.grad).parameters)
    assert names == [
        'func', 'wrt', 'optimized', 'preserve_result', 'check_dims', 'verbose', 'checkpoint',
        'checkpoint_config', 'optimizations', 'output_index', 'output_weights', 'compile', 'source',
    ]  # fmt: skip


def test_verbose():
    with io.StringIO() as out, redirect_stdout(out):
        df = tangent.grad(cube, verbose=1)
        df(2.0)
        df(3.0)
        text = out.getvalue()
    first, second, rest = text.split('\n', 2)
    assert first.startswith('[Cache] dcubedx') and second.startswith('[Optimization]')
    assert rest.strip() == df.__tangent_source__.strip()
    with io.StringIO() as out, redirect_stdout(out):
        tangent.grad(cube, verbose=2)(2.0)
        assert len(out.getvalue()) > len(text)


def test_stages():
    stages = tangent.stages(cube, 2.0)
    assert list(stages)[-1] == 'source'
    assert {'core', 'typed'} <= set(stages)
    assert stages['source'].startswith('def dcubedx(x, ')


# ------------------------------------------------------------------------------------------------
# Memory


def test_the_same_function_and_options_give_the_same_object():
    def f(x):
        return x * x

    assert tangent.grad(f) is tangent.grad(f)
    assert tangent.grad(f, 0) is not tangent.grad(f, preserve_result=True)
    assert tangent.grad(f) is not tangent.value_and_grad(f)
    assert tangent.value_and_grad(f) is tangent.value_and_grad(f)


def test_closures_have_gradients_of_their_own():
    functions = [(lambda x, k=k: k * x) for k in (1.0, 2.0)]

    def make(k):
        return lambda x: k * x

    functions += [make(3.0), make(4.0)]
    assert [tangent.grad(f)(1.0) for f in functions] == [1.0, 2.0, 3.0, 4.0]


def test_the_memory_is_not_inherited():
    import functools

    def f(x):
        return x * x

    assert tangent.grad(f)(3.0) == 6.0

    @functools.wraps(f)
    def g(x):
        return 5.0 * x

    assert tangent.grad(g)(3.0) == 5.0
    assert tangent.grad(f)(3.0) == 6.0


def test_asking_again_makes_and_checks_nothing(monkeypatch: pytest.MonkeyPatch):
    def f(x):
        return x * x

    first = tangent.grad(f), tangent.grad(f, ('x',)), tangent.value_and_grad(f)
    for name in ('_made', '_options'):
        monkeypatch.delattr(tangent, name)
    assert (tangent.grad(f), tangent.grad(f, ('x',)), tangent.value_and_grad(f)) == first


# ------------------------------------------------------------------------------------------------
# Import


def run(code: str) -> str:
    environment = {**os.environ, 'PYTHONPATH': os.pathsep.join(sys.path)}
    return subprocess.run(
        [sys.executable, '-c', code], env=environment, check=True, capture_output=True, text=True
    ).stdout.strip()


def test_an_import_brings_nothing_heavy():
    loaded = run('import tangent, sys; print(*sorted(sys.modules))').split()
    for name in ('scipy', 'jax', 'torch', 'tinygrad', 'sympy', 'matplotlib', 'hypothesis'):
        assert name not in loaded


def test_what_is_loaded_and_when():
    """What users wait for is loading modules: none that is not needed, and those at the import."""
    code = '''
import sys, numpy, linecache
from types import FunctionType
text = """
import numpy as np
def f(x, w):
    return np.sum(np.tanh(x @ w) ** 2)
def g(x):
    return np.sum(np.sort(x) ** 3)
"""
linecache.cache["<text>"] = len(text), None, text.splitlines(True), "<text>"
names = {}
exec(compile(text, "<text>", "exec"), names)
seen = set(sys.modules)
def new():
    found = sorted(set(sys.modules) - seen)
    seen.update(found)
    return found
import tangent
print(*new())
tangent.grad(names["f"])(numpy.ones((2, 3)), numpy.ones((3, 2)))
print(*new())
tangent.grad(names["g"])(numpy.ones(3))
print(*new())
'''
    imported, first, second = run(code).split('\n')
    ours = [name for name in imported.split() if name.partition('.')[0] == 'tangent']
    assert set(imported.split()) - set(ours) <= {'__future__', 'atexit', 'errno'}
    assert not any('runtime' in name for name in ours)
    assert first == ''
    assert second.split() == ['tangent._runtime_arrays', 'tangent._runtime_base', 'tangent.runtime']


def test_the_version():
    assert tangent.__version__ == '1.0.0'


def test_every_public_name_is_there():
    for name in tangent.__all__:
        assert hasattr(tangent, name)
