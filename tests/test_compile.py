"""compile='jax' and 'torch': what is handed over, what it gives, what is refused."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tangent
import torch
from oracle import gradient as by_the_oracle
from tangent.errors import TangentError

jax.config.update('jax_enable_x64', True)

# tinygrad's CPU device calls clang; without one its own interpreter does.
if shutil.which('clang') is None:
    places = [str(path) for path in sorted(Path('/usr/lib').glob('llvm-*/bin'))]
    os.environ['PATH'] = os.pathsep.join([os.environ['PATH'], *places])
    if shutil.which('clang') is None:
        os.environ['DEV'] = 'PYTHON'


@pytest.fixture
def quick_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    """torch.compile without the C++ compiler, which is not what these tests are of."""
    compile_ = torch.compile
    monkeypatch.setattr(torch, 'compile', lambda f: compile_(f, backend='aot_eager'))


def network(w1: Any, w2: Any, x: Any) -> Any:
    h = np.tanh(x @ w1)
    out = h @ w2
    return np.sum(out * out)


def jax_network(w1: Any, w2: Any, x: Any) -> Any:
    h = jnp.tanh(x @ w1)
    out = h @ w2
    return jnp.sum(out * out)


def torch_network(w1: Any, w2: Any, x: Any) -> Any:
    h = torch.tanh(x @ w1)
    out = h @ w2
    return (out * out).sum()


def weights() -> list[np.ndarray]:
    rng = np.random.default_rng(1)
    return [rng.normal(size=shape) for shape in ((3, 4), (4, 2), (5, 3))]


def stores(x: Any) -> Any:
    y = np.zeros(4)
    y[0] = x[0]
    for i in range(1, 4):
        y[i] = y[i - 1] * np.sin(x[i]) + x[0]
    y[1:] *= 2.0
    return np.sum(y * y)


def views(x: Any) -> Any:
    h = np.zeros((2, 3))
    row = h[0]
    row[1] = x[0] * x[1]
    h[1] = x
    h[1, 1:] += x[:2]
    return np.sum(h * h) + h[0, 1]


def scalars(x: Any, y: Any) -> Any:
    a = max(x, y) * np.maximum(x, 0.0)
    return float(a) + abs(y) ** 1.5


def repeated(x: Any) -> Any:
    picked = x[[0, 0, 2]]
    return np.sum(picked * np.arange(1.0, 4.0)) + np.max(x)


# NumPy's functions under JAX


@pytest.mark.parametrize(
    ('function', 'arguments'),
    [
        (stores, [np.array([0.3, 0.5, 0.7, 0.2])]),
        (views, [np.array([0.3, 0.5, 0.7])]),
        (scalars, [0.4, -1.3]),
        (repeated, [np.array([0.3, 0.9, 0.7])]),
        (network, weights()),
    ],
)
def test_numpy_functions_under_jax(function: Any, arguments: list[Any]) -> None:
    wrt = tuple(range(len(arguments)))
    plain = tangent.grad(function, wrt=wrt)
    compiled = tangent.grad(function, wrt=wrt, compile='jax')
    want, got = plain(*arguments), compiled(*arguments)
    again = compiled(*arguments)
    for each, other, third in zip(want, got, again, strict=True):
        assert isinstance(other, jax.Array)
        np.testing.assert_allclose(np.asarray(other), each, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(np.asarray(third), each, rtol=1e-12, atol=1e-12)
    assert compiled.__tangent_source__ == plain.__tangent_source__
    assert compiled.__wrapped__ is plain
    assert compiled.__name__ == plain.__name__


def test_the_text_that_jax_gets() -> None:
    compiled: Any = tangent.grad(stores, compile='jax')
    x = np.array([0.3, 0.5, 0.7, 0.2])
    compiled(x)
    text = compiled._target.source(x)
    assert '.at[' in text and 'jnp.sin' in text and 'np.zeros(4)' not in text.replace('jnp.', '')


def test_arrays_of_jax() -> None:
    arguments = [jnp.asarray(each) for each in weights()]
    want = jax.grad(jax_network, argnums=(0, 1, 2))(*arguments)
    for gradient in (
        tangent.grad(jax_network, wrt=(0, 1, 2)),
        tangent.grad(jax_network, wrt=(0, 1, 2), compile='jax'),
        jax.jit(tangent.grad(jax_network, wrt=(0, 1, 2))),
    ):
        for each, other in zip(gradient(*arguments), want, strict=True):
            assert isinstance(each, jax.Array) and each.dtype == other.dtype
            np.testing.assert_allclose(each, other, rtol=1e-12)


def test_one_signature_is_compiled_once() -> None:
    compiled: Any = tangent.grad(jax_network, compile='jax')
    arguments = [jnp.asarray(each) for each in weights()]
    compiled(*arguments)
    compiled(*[2.0 * each for each in arguments])
    assert len(compiled._compiled) == 1
    narrow = compiled(*[each.astype(np.float32) for each in arguments])
    assert narrow.dtype == np.float32
    assert tangent.grad(jax_network, compile='jax') is compiled
    assert compiled.__wrapped__ is tangent.grad(jax_network)


def test_ints_are_compiled_in() -> None:
    def power(x: Any, n: int) -> Any:
        y = x
        for _ in range(n):
            y = y * x
        return y

    compiled = tangent.grad(power, compile='jax')
    for n in (1, 3):
        assert float(compiled(2.0, n)) == (n + 1) * 2.0**n


FACTOR = 2.0


def test_names_that_change_are_seen() -> None:
    global FACTOR

    def helper(x: Any) -> Any:
        return FACTOR * x

    def f(x: Any) -> Any:
        return helper(x) * x

    compiled = tangent.grad(f, compile='jax')
    assert float(compiled(3.0)) == 12.0
    FACTOR = 5.0
    try:
        assert float(compiled(3.0)) == 30.0
    finally:
        FACTOR = 2.0
    assert float(compiled(3.0)) == 12.0


def test_objects_are_refused_by_jax() -> None:
    class Model:
        rate = 2.0

    def f(x: Any, model: Any) -> Any:
        return x * x * model.rate

    with pytest.raises(TangentError, match='Model'):
        tangent.grad(f, compile='jax')(3.0, Model())


def test_containers_and_seeds_under_jax() -> None:
    def loss(p: Any, x: Any) -> Any:
        return np.sum(p['w'] * x) ** 2 + p['b'] * p['b']

    p = {'w': np.array([1.0, 2.0]), 'b': 0.5}
    x = np.array([0.3, 0.4])
    want = tangent.grad(loss)(p, x, init_grad=3.0)
    got = tangent.grad(loss, compile='jax')(p, x, init_grad=3.0)
    np.testing.assert_allclose(got['w'], want['w'], rtol=1e-12)
    np.testing.assert_allclose(got['b'], want['b'], rtol=1e-12)


def test_updates_of_arrays_that_do_not_change() -> None:
    def f(x: Any) -> Any:
        y = jnp.zeros(3)
        y = y.at[0].set(x[0] * x[1])
        y = y.at[1:].add(jnp.sin(x))
        return jnp.sum(y.at[2].multiply(x[0]) ** 2)

    x = jnp.array([0.3, 0.8])
    gradient = tangent.grad(f)
    np.testing.assert_allclose(gradient(x), jax.grad(f)(x), rtol=1e-12)
    np.testing.assert_allclose(
        tangent.jvp(f)(x, jnp.ones(2)), jax.jvp(f, [x], [jnp.ones(2)])[1], rtol=1e-12
    )
    second = tangent.grad(tangent.grad(f))(x)
    np.testing.assert_allclose(
        second, jax.grad(lambda x: jnp.sum(jax.grad(f)(x)))(x), rtol=1e-11
    )


def test_second_order_under_jax() -> None:
    def f(x: Any) -> Any:
        return np.sum(np.sin(x) ** 3)

    x = np.array([0.3, 0.8])
    want = tangent.grad(tangent.grad(f))(x)
    got = tangent.grad(tangent.grad(f), compile='jax')(x)
    np.testing.assert_allclose(got, want, rtol=1e-12)


def test_float32_stays() -> None:
    arguments = [each.astype(np.float32) for each in weights()]
    for values, function in (
        (arguments, network),
        ([jnp.asarray(each) for each in arguments], jax_network),
    ):
        assert tangent.grad(function, compile='jax')(*values).dtype == np.float32


def test_no_float64_without_leave() -> None:
    with jax.enable_x64(False):
        with pytest.raises(TangentError, match='float64') as error:
            tangent.grad(network, compile='jax')(*weights())
        assert 'jax_enable_x64' in str(error.value)
        # The text makes float64 by itself.
        with pytest.raises(TangentError, match='float64'):
            tangent.grad(stores, compile='jax')(np.array([0.3, 0.5, 0.7, 0.2], np.float32))
        got = tangent.grad(network, compile='jax')(*[w.astype(np.float32) for w in weights()])
        assert got.dtype == np.float32


# What JAX cannot trace


def test_a_loop_that_values_decide() -> None:
    def f(x: Any) -> Any:
        y = x
        while y > 1.0:
            y = y * 0.5
        return y * x

    with pytest.raises(TangentError) as error:
        tangent.grad(f, compile='jax')(3.7)
    text = str(error.value)
    assert 'while y > 1.0' in text and 'np.where' in text


def test_a_branch_of_jax_that_values_decide() -> None:
    def f(x: Any) -> Any:
        if jnp.sum(x) > 0:
            return jnp.sum(x * x)
        return jnp.sum(x)

    x = jnp.array([1.0, 2.0])
    np.testing.assert_allclose(tangent.grad(f)(x), 2 * x)
    with pytest.raises(TangentError) as error:
        tangent.grad(f, compile='jax')(x)
    assert 'if jnp.sum(x) > 0' in str(error.value)


def test_a_function_that_jax_has_not() -> None:
    def f(x: Any) -> Any:
        return np.sum(np.asanyarray(x) ** 2)

    with pytest.raises(NotImplementedError) as error:
        tangent.grad(f, compile='jax')(np.array([1.0, 2.0]))
    assert 'asanyarray' in str(error.value)


def test_many_steps_are_warned_of_once() -> None:
    def f(x: Any) -> Any:
        y = x
        for _ in range(250):
            y = y * 0.99 + 0.1 * np.sin(y)
        return y

    compiled = tangent.grad(f, compile='jax')
    with pytest.warns(UserWarning, match=r'about 2\d\d steps'):
        compiled(0.3)
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        compiled(0.4)


# torch


@pytest.mark.usefixtures('quick_torch')
def test_tensors_under_torch_compile() -> None:
    arguments = [torch.as_tensor(each) for each in weights()]
    leaves = [each.clone().requires_grad_() for each in arguments]
    want = torch.autograd.grad(torch_network(*leaves), leaves)
    plain = tangent.grad(torch_network, wrt=(0, 1, 2))
    compiled = tangent.grad(torch_network, wrt=(0, 1, 2), compile='torch')
    for gradient in (plain, compiled):
        for each, other in zip(gradient(*arguments), want, strict=True):
            assert isinstance(each, torch.Tensor) and each.dtype == other.dtype
            np.testing.assert_allclose(each, other, rtol=1e-12)
    assert compiled.__tangent_source__ == plain.__tangent_source__
    assert 'torch.tanh' in plain.__tangent_source__


@pytest.mark.usefixtures('quick_torch')
def test_numpy_functions_under_torch_compile() -> None:
    got = tangent.grad(network, wrt=(0, 1), compile='torch')(*weights())
    for each, other in zip(got, tangent.grad(network, wrt=(0, 1))(*weights()), strict=True):
        assert each.dtype == np.float64
        np.testing.assert_allclose(each, other, rtol=1e-12)


def test_with_the_cpp_compiler_of_torch() -> None:
    x = torch.tensor([0.3, 0.8])

    def f(x: Any) -> Any:
        return torch.sum(torch.sin(x) * x)

    got = tangent.grad(f, compile='torch')(x)
    assert got.dtype == torch.float32
    np.testing.assert_allclose(got, torch.cos(x) * x + torch.sin(x), rtol=1e-6)


def test_tensors_are_stored_into() -> None:
    def f(x: Any) -> Any:
        y = torch.zeros_like(x)
        y[0] = x[0] * x[1]
        for i in range(1, 3):
            y[i] = y[i - 1] * torch.sin(x[i])
        y[1:] *= 2.0
        return (y * y).sum()

    x = torch.tensor([0.3, 0.5, 0.7], dtype=torch.float64)
    leaf = x.clone().requires_grad_()
    got = tangent.grad(f)(x)
    want = torch.autograd.grad(written_out(leaf), leaf)[0]
    np.testing.assert_allclose(got, want, rtol=1e-12)


def written_out(x: Any) -> Any:
    """What the stores above make, without a store."""
    y = [x[0] * x[1]]
    for i in range(1, 3):
        y.append(y[i - 1] * torch.sin(x[i]))
    whole = torch.stack([y[0], 2 * y[1], 2 * y[2]])
    return (whole * whole).sum()


def test_numbers_without_axes_are_not_changed() -> None:
    """`b *= 2` of a tensor without axes would change what other names stand for."""

    def f(x: Any) -> Any:
        s = torch.sum(x)
        total = 0.0
        for k in range(3):
            total = total + s * (k + 1.0)
        return total * s

    x = torch.tensor([0.3, 0.8], dtype=torch.float64)
    seed = torch.tensor(1.0, dtype=torch.float64)
    got = tangent.grad(f)(x, seed)
    assert float(seed) == 1.0
    leaf = x.clone().requires_grad_()
    np.testing.assert_allclose(got, torch.autograd.grad(f(leaf), leaf)[0], rtol=1e-12)


# tinygrad


def tinygrad_loss(w: Any, x: Any, k: float = 1.0) -> Any:
    h = (x @ w).tanh() * k
    return (h * h).sum()


def tinygrad_arguments() -> list[Any]:
    from tinygrad import Tensor

    rng = np.random.default_rng(2)
    return [
        Tensor(rng.normal(size=shape).astype('float32')).realize() for shape in ((3, 2), (4, 3))
    ]


def test_tensors_under_tinyjit() -> None:
    w, x = tinygrad_arguments()
    compiled = tangent.grad(tinygrad_loss, wrt=(0, 1), compile='tinygrad')
    plain = tangent.grad(tinygrad_loss, wrt=(0, 1))
    assert compiled.__wrapped__ is plain
    kept = []
    for k in range(4):  # TinyJit runs, captures, and then replays
        values = [(each + 0.1 * k).realize() for each in (w, x)]
        want = tinygrad_loss(*values).gradient(*values)
        for gradient in (plain, compiled):
            got = gradient(*values)
            for each, other in zip(got, want, strict=True):
                np.testing.assert_allclose(each.numpy(), other.numpy(), rtol=1e-4, atol=1e-5)
        kept.append((got[0], got[0].numpy()))
    for tensor, before in kept:
        np.testing.assert_array_equal(tensor.numpy(), before)


def test_numbers_are_not_kept_by_tinyjit() -> None:
    w, x = tinygrad_arguments()
    compiled = tangent.grad(tinygrad_loss, compile='tinygrad')
    plain = tangent.grad(tinygrad_loss)
    for k in (1.0, 2.0, 1.0, 2.0, 1.0):
        got, want = compiled(w, x, k).numpy(), plain(w, x, k).numpy()
        np.testing.assert_allclose(got, want, rtol=1e-5)


def test_one_tensor_twice_under_tinyjit() -> None:
    def f(x: Any, y: Any) -> Any:
        return (x * y).sum()

    _, x = tinygrad_arguments()
    compiled = tangent.grad(f, compile='tinygrad')
    for _ in range(3):
        np.testing.assert_allclose(compiled(x, x).numpy(), x.numpy(), rtol=1e-6)


def test_tinyjit_without_a_tensor() -> None:
    with pytest.raises(NotImplementedError, match='no tensor'):
        tangent.grad(lambda x: x * x, compile='tinygrad')(2.0)


# Options


@pytest.mark.parametrize('name', ['jax', 'torch', 'tinygrad'])
def test_a_missing_backend(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match=rf'tangent-native\[{name}\]') as error:
        tangent.grad(lambda x: x * x, compile=name)
    assert error.value.name == name


def test_a_backend_that_breaks(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    (tmp_path / 'tinygrad').mkdir()
    (tmp_path / 'tinygrad' / '__init__.py').write_text('raise RuntimeError("no device")\n')
    for each in [each for each in sys.modules if each.partition('.')[0] == 'tinygrad']:
        monkeypatch.delitem(sys.modules, each)
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(ImportError, match='no device'):
        tangent.grad(lambda x: x * x, compile='tinygrad')


def test_a_backend_that_is_too_old(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch, '__version__', '1.9.0')
    with pytest.raises(ImportError, match=r'2\.1\.0 or later'):
        tangent.grad(lambda x: x * x, compile='torch')


@pytest.mark.parametrize('value', ['numba', 'cuda', 3, True])
def test_other_values(value: Any) -> None:
    with pytest.raises(ValueError, match="'jax', 'torch', 'tinygrad'"):
        tangent.grad(lambda x: x * x, compile=value)


def test_none_is_python() -> None:
    def f(x: Any) -> Any:
        return x * x

    assert tangent.grad(f, compile=None) is tangent.grad(f)
    assert tangent.grad(f, compile='python') is tangent.grad(f)


def test_nothing_is_imported_before_it_is_named(tmp_path: Any) -> None:
    text = (
        'import sys, tangent\n'
        'def f(x): return x * x\n'
        'assert tangent.grad(f, compile=None)(3.0) == 6.0\n'
        'loaded = [m for m in ("jax", "torch", "tinygrad", "scipy") if m in sys.modules]\n'
        'assert not loaded, loaded\n'
    )
    (tmp_path / 'program.py').write_text(text)
    subprocess.run([sys.executable, tmp_path / 'program.py'], check=True)


# Two libraries in one function


def test_mixed_arguments() -> None:
    def f(x: Any, y: Any) -> Any:
        return (x * y).sum()

    with pytest.raises(TangentError, match=r'torch and of JAX|JAX and of torch'):
        tangent.grad(f)(torch.ones(2), jnp.ones(2))
    with pytest.raises(TangentError, match='torch and of NumPy'):
        tangent.grad(f)(torch.ones(2), np.ones(2))


def test_numpys_functions_of_other_arrays() -> None:
    def f(x: Any) -> Any:
        return np.sum(np.sin(x))

    with pytest.raises(TangentError) as error:
        tangent.grad(f)(jnp.ones(2))
    assert 'np.sin' in str(error.value) and 'jax.numpy' in str(error.value)


def test_recursion_over_other_arrays() -> None:
    def f(x: Any, n: int) -> Any:
        return x if n == 0 else f(x * x, n - 1)

    with pytest.raises(TangentError, match='NumPy only'):
        tangent.grad(f)(jnp.ones(2), 2)


def test_two_names_of_one_tensor_without_axes() -> None:
    def f(x: Any) -> Any:
        s = x.sum()
        z = s
        z += 1.0
        return s * z

    with pytest.raises(TangentError, match='without axes'):
        tangent.grad(f)(torch.ones(2))


def test_values_agree_with_the_oracle() -> None:
    x = np.array([0.3, 0.5, 0.7, 0.2])
    np.testing.assert_allclose(
        tangent.grad(stores, compile='jax')(x), by_the_oracle(stores, [x])[0], rtol=1e-10
    )
