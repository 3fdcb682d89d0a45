"""What goes wrong with a backend: what is said, what to do, and the user's line if one is at fault.

Missing, broken and old packages, mixed libraries, dtypes, control flow that is not traced.
"""

from __future__ import annotations

import sys
from importlib import metadata
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tangent
import torch
from jax import lax
from tangent.errors import TangentError
from tinygrad import Tensor

jax.config.update('jax_enable_x64', True)

BACKENDS = ('jax', 'torch', 'tinygrad')
OTHERS = {
    'jax': (torch.ones(2), Tensor([1.0, 2.0])),
    'torch': (jnp.ones(2), Tensor([1.0, 2.0])),
    'tinygrad': (jnp.ones(2), torch.ones(2)),
}


def square(x: Any) -> Any:
    return (x * x).sum()


def refused(function: Any, *arguments: Any, **options: Any) -> Any:
    with pytest.raises((TangentError, NotImplementedError)) as caught:
        tangent.grad(function, **options)(*arguments)
    assert 'Instead: ' in str(caught.value)
    return caught.value


def is_at(error: Any, text: str) -> None:
    """The place is a line of this file, and this one."""
    assert error.filename == __file__
    assert Path(__file__).read_text().splitlines()[error.lineno - 1].strip() == text


# The package itself


@pytest.mark.parametrize('name', BACKENDS)
def test_missing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match='is not installed') as error:
        tangent.grad(square, compile=name)
    assert error.match('pip install') and error.value.name == name


@pytest.mark.parametrize('name', BACKENDS)
def test_broken(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / name).mkdir()
    (tmp_path / name / '__init__.py').write_text('raise OSError("libdevice.so: cannot open")\n')
    monkeypatch.delitem(sys.modules, name)
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(ImportError, match=r'cannot be imported \(OSError: libdevice') as error:
        tangent.grad(square, compile=name)
    assert error.match('pip install') and error.value.name == name


@pytest.mark.parametrize(
    ('name', 'oldest'), [('jax', '0.4.36'), ('torch', '2.1.0'), ('tinygrad', '0.10.0')]
)
def test_too_old(name: str, oldest: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module = sys.modules[name]
    if isinstance(getattr(module, '__version__', None), str):
        monkeypatch.setattr(module, '__version__', '0.1.9')
    else:
        monkeypatch.setattr(metadata, 'version', lambda package: '0.1.9')
    with pytest.raises(ImportError, match=f'{oldest} or later, not 0.1.9') as error:
        tangent.grad(square, compile=name)
    assert error.match('pip install')


# Two libraries


@pytest.mark.parametrize('backend', BACKENDS)
@pytest.mark.parametrize('which', [0, 1])
def test_arrays_of_another_library_than_the_compiler(backend: str, which: int) -> None:
    error = refused(square, OTHERS[backend][which], compile=backend)
    assert error.kind == 'MixedLibraries' and 'or use compile=' in str(error)


@pytest.mark.parametrize(
    'arguments',
    [
        (torch.ones(2), jnp.ones(2)),
        (torch.ones(2), np.ones(2)),
        (Tensor([1.0, 2.0]), np.ones(2)),
        (Tensor([1.0, 2.0]), torch.ones(2)),
        (jnp.ones(2), Tensor([1.0, 2.0])),
    ],
    ids=['torch-jax', 'torch-numpy', 'tinygrad-numpy', 'tinygrad-torch', 'jax-tinygrad'],
)
def test_arguments_of_two_libraries(arguments: Any) -> None:
    def product(x: Any, y: Any) -> Any:
        return (x * y).sum()

    error = refused(product, *arguments)
    assert 'arrays of one library' in str(error)
    is_at(error, 'def product(x: Any, y: Any) -> Any:')


def calls_numpy(x: Any) -> Any:
    return np.sum(x)


def calls_jax(x: Any) -> Any:
    return jnp.sum(x)


def calls_torch(x: Any) -> Any:
    return torch.sum(x)


@pytest.mark.parametrize(
    ('function', 'argument', 'text', 'module'),
    [
        (calls_numpy, torch.ones(2), 'return np.sum(x)', '`torch`'),
        (calls_numpy, Tensor([1.0]), 'return np.sum(x)', '`tinygrad`'),
        (calls_numpy, jnp.ones(2), 'return np.sum(x)', '`jax.numpy`'),
        (calls_jax, torch.ones(2), 'return jnp.sum(x)', '`torch`'),
        (calls_torch, jnp.ones(2), 'return torch.sum(x)', '`jax.numpy`'),
    ],
)
def test_functions_of_another_library(
    function: Any, argument: Any, text: str, module: str
) -> None:
    error = refused(function, argument)
    assert f'call the function of {module}' in str(error)
    is_at(error, text)


def test_numpys_arrays_in_functions_of_torch() -> None:
    error = refused(calls_torch, np.ones(2))
    assert 'arrays of one library' in str(error)


# Numbers that a backend has not


def test_double_precision_without_leave() -> None:
    with jax.enable_x64(False):
        error = refused(square, np.ones(2), compile='jax')
    assert 'float64' in str(error) and 'jax_enable_x64' in str(error)


def test_a_dtype_that_jax_has_not() -> None:
    error = refused(square, np.ones(2, np.longdouble), compile='jax')
    assert str(np.dtype(np.longdouble)) in str(error) and 'astype' in str(error)


@pytest.mark.parametrize('backend', [None, 'torch'])
def test_extended_precision(backend: str | None) -> None:
    error = refused(square, np.ones(2, np.longdouble), compile=backend)
    assert error.filename == __file__


@pytest.mark.parametrize(
    ('value', 'backend'),
    [
        (jnp.ones(2, 'complex64'), 'jax'),
        (torch.ones(2, dtype=torch.complex64), 'torch'),
    ],
)
def test_complex_numbers(value: Any, backend: str) -> None:
    error = refused(square, value, compile=backend)
    assert 'complex' in str(error) and 'imaginary parts' in str(error)
    is_at(error, 'def square(x: Any) -> Any:')


# Control flow that JAX cannot trace


def branches(x: Any) -> Any:
    if jnp.sum(x) > 0.0:
        return jnp.sum(x * x)
    return jnp.sum(x)


def repeats(x: Any) -> Any:
    while jnp.sum(x) > 1.0:
        x = x * 0.5
    return jnp.sum(x)


def picks(x: Any) -> Any:
    return jnp.sum(x[x > 0.5])


def counts(x: Any) -> Any:
    for _ in range(int(x[0])):
        x = x * x
    return jnp.sum(x)


def chooses_by_lax(x: Any) -> Any:
    return lax.cond(x[0] > 0.5, lambda v: jnp.sum(v * v), lambda v: jnp.sum(v), x)


@pytest.mark.parametrize(
    ('function', 'text', 'remedy'),
    [
        (branches, 'if jnp.sum(x) > 0.0:', 'jnp.where'),
        (repeats, 'while jnp.sum(x) > 1.0:', 'fixed number of times'),
        (picks, 'return jnp.sum(x[x > 0.5])', 'jnp.where'),
        (counts, 'for _ in range(int(x[0])):', 'compiled in'),
        (
            chooses_by_lax,
            'return lax.cond(x[0] > 0.5, lambda v: jnp.sum(v * v), lambda v: jnp.sum(v), x)',
            'jnp.where',
        ),
    ],
)
def test_what_jax_cannot_trace(function: Any, text: str, remedy: str) -> None:
    x = jnp.array([1.2, 0.7])
    error = refused(function, x, compile='jax')
    assert error.kind == 'NotTraceable' and remedy in str(error)
    is_at(error, text)
    assert np.isfinite(tangent.grad(function)(x)).all()


@pytest.mark.parametrize('function', [branches, repeats])
def test_torch_runs_what_it_cannot_trace(function: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """torch.compile breaks its graph where values decide."""
    compile_ = torch.compile
    monkeypatch.setattr(torch, 'compile', lambda f: compile_(f, backend='eager'))
    words = {**function.__globals__, 'jnp': torch}
    in_torch = type(function)(function.__code__, words, function.__name__)
    x = torch.tensor([1.2, 0.7])
    got = tangent.grad(in_torch, compile='torch')(x)
    torch.testing.assert_close(got, tangent.grad(in_torch)(x))


def test_tinygrad_without_tensors() -> None:
    error = refused(square, np.ones(2), compile='tinygrad')
    assert 'no tensor of tinygrad' in str(error)
