"""Every rule for JAX and torch against the library's own derivative: both modes, both widths,
second order."""

from __future__ import annotations

import functools
import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tangent
import torch
from library_calls import LibraryCall, calls_of, function_of, functions_of, scope_of, seed_for

# tinygrad's CPU device calls clang; without one its own interpreter does.
if shutil.which('clang') is None:
    places = [str(path) for path in sorted(Path('/usr/lib').glob('llvm-*/bin'))]
    os.environ['PATH'] = os.pathsep.join([os.environ['PATH'], *places])
    if shutil.which('clang') is None:
        os.environ['DEV'] = 'PYTHON'

# Most of the time here is XLA's, for code that runs once: what it compiles is kept for later runs.
jax.config.update('jax_disable_most_optimizations', True)
jax.config.update(
    'jax_compilation_cache_dir', str(Path(__file__).resolve().parent.parent / 'build' / 'jax-cache')
)
jax.config.update('jax_persistent_cache_min_compile_time_secs', 0.0)
jax.config.update('jax_persistent_cache_min_entry_size_bytes', -1)

JAX = functions_of('jax')
TORCH = functions_of('torch')
TINYGRAD = functions_of('tinygrad')
WIDTHS = ('float64', 'float32')
TOLERANCE = {'float64': 1e-9, 'float32': 2e-4}
# What the library does not take as NumPy does: these samples are no calls of its functions.
NOT_A_CALL = {
    'jax.numpy': (TypeError, ValueError, NotImplementedError),
    'torch': (TypeError, RuntimeError, ValueError, AttributeError),
}


def close(got: Any, want: Any, width: str, where: str) -> None:
    got, want = np.asarray(got), np.asarray(want)
    assert got.shape == want.shape, f'{where}: {got.shape}, not {want.shape}'
    scale = TOLERANCE[width]
    np.testing.assert_allclose(got, want, rtol=scale, atol=scale, err_msg=where)


# Of a symmetric matrix: the libraries give the slope of either triangle one half.
SYMMETRIC = ('cholesky', 'eigvalsh', 'eigh')


def symmetric(name: str, slope: Any) -> Any:
    slope = np.asarray(slope)
    return slope + np.swapaxes(slope, -1, -2) if name.endswith(SYMMETRIC) else slope


def narrowed(values: dict[str, Any], width: str) -> list[Any]:
    return [
        np.asarray(value, width) if np.asarray(value).dtype.kind == 'f' else value
        for value in values.values()
    ]


# JAX


def jax_function(call: LibraryCall) -> Any:
    return function_of(call, scope_of('jax'))


def jax_arguments(call: LibraryCall, width: str) -> list[Any]:
    return [
        jnp.asarray(value) if isinstance(value, np.ndarray) else value
        for value in narrowed(call.values, width)
    ]


@pytest.mark.parametrize('name', JAX)
def test_jax(name: str) -> None:
    tried = 0
    for number, call in enumerate(calls_of(name, JAX[name])):
        for width in WIDTHS[: 1 if number else 2]:
            with jax.enable_x64(True):
                tried += one_of_jax(call, width, eagerly=tried == 0)
    assert tried, 'no sample is a call of this function'


def compiled_once(function: Any, *arguments: Any) -> Any:
    """The function's value, by one compilation of all of it instead of one for each operation."""
    try:
        return jax.jit(function)(*arguments)
    except (jax.errors.ConcretizationTypeError, jax.errors.JAXIndexError):
        return function(*arguments)


def one_of_jax(call: LibraryCall, width: str, eagerly: bool) -> int:
    """Both modes against JAX's: operation by operation, as users run it, or compiled."""
    function = jax_function(call)
    arguments = jax_arguments(call, width)
    positions = [list(call.values).index(name) for name in call.active]

    def whole(active: Any) -> list[Any]:
        made = list(arguments)
        for position, value in zip(positions, active, strict=True):
            made[position] = value
        return made

    def of_active(*active: Any) -> Any:
        return function(*whole(active))

    chosen = [arguments[position] for position in positions]
    try:
        value = jax.eval_shape(of_active, *chosen)
    except NOT_A_CALL['jax.numpy']:
        return 0
    if call.name.endswith('hstack') and 'number' in call.expression:
        return 0  # arrays without axes among those with some
    if isinstance(value, (tuple, list)):
        return 1  # parts of tuples are tried by themselves
    seed = jnp.asarray(seed_for(value.shape), value.dtype)
    moves = [jnp.asarray(seed_for(np.shape(each)), each.dtype) for each in chosen]
    moves = [jnp.asarray(symmetric(call.name, each)) for each in moves]

    def of_jax(chosen: Any, moves: Any, seed: Any) -> Any:
        pullback = jax.vjp(of_active, *chosen)[1]
        return pullback(seed), jax.jvp(of_active, tuple(chosen), tuple(moves))[1]

    def ours(chosen: Any, moves: Any, seed: Any) -> Any:
        given = whole(chosen)
        slopes = tangent.vjp(function, wrt=tuple(call.active))(*given, init_grad=seed)
        slopes = slopes if isinstance(slopes, tuple) else (slopes,)
        return slopes, tangent.jvp(function, wrt=tuple(call.active))(*given, *moves)

    want, along = compiled_once(of_jax, chosen, moves, seed)
    got, forward = (
        ours(chosen, moves, seed) if eagerly else compiled_once(ours, chosen, moves, seed)
    )
    for each, other, argument in zip(got, want, chosen, strict=True):
        where = f'{call.expression} {width}'
        assert isinstance(each, jax.Array), where
        assert each.dtype == argument.dtype, f'{where}: {each.dtype}'
        close(symmetric(call.name, each), symmetric(call.name, other), width, where)
    close(forward, along, width, f'{call.expression} {width} forward')
    return 1


def sum_of_slopes(function: Any, arguments: list[Any], position: int) -> Any:
    def total(x: Any) -> Any:
        return jnp.sum(function(*arguments[:position], x, *arguments[position + 1 :]))

    return jax.grad(lambda x: jnp.sum(jax.grad(total)(x)))(arguments[position])


SMOOTH = [
    name
    for name, record in JAX.items()
    if 'domain' in record.options and record.options.get('shape') == 'elementwise'
]


@pytest.mark.parametrize('name', SMOOTH)
def test_second_order_of_jax(name: str) -> None:
    with jax.enable_x64(True):
        for call in list(calls_of(name, JAX[name]))[:1]:
            function = jax_function(call)
            arguments = jax_arguments(call, 'float64')
            first = call.active[0]
            position = list(call.values).index(first)
            got = tangent.grad(tangent.grad(function, wrt=(first,)), wrt=(first,))(*arguments)

            slopes = functools.partial(sum_of_slopes, function, position=position)
            close(got, compiled_once(slopes, arguments), 'float64', call.expression)


# torch


def torch_arguments(call: LibraryCall, width: str) -> list[Any]:
    return [
        torch.as_tensor(value) if isinstance(value, np.ndarray) else value
        for value in narrowed(call.values, width)
    ]


@pytest.mark.parametrize('name', TORCH)
def test_torch(name: str) -> None:
    tried = 0
    for number, call in enumerate(calls_of(name, TORCH[name])):
        for width in WIDTHS[: 1 if number else 2]:
            tried += one_of_torch(call, width)
    assert tried, 'no sample is a call of this function'


def torch_function(call: LibraryCall) -> Any:
    if call.name.startswith('torch.nn.functional.'):
        call = replace(call, expression=call.expression.replace('np.array(', 'torch.tensor('))
    if not call.name.startswith('torch.Tensor.'):
        return function_of(call, scope_of('torch'))
    # A method: the first argument is the receiver.
    method = call.name.rpartition('.')[2]
    inside = call.expression[len(call.name) + 1 : -1]
    receiver, _, rest = inside.partition(',')
    spelled = LibraryCall(
        call.name, f'{receiver}.{method}({rest.strip()})', call.values, call.record, call.active
    )
    return function_of(spelled, scope_of('torch'))


def part_of(call: LibraryCall, k: int) -> LibraryCall:
    """A call that gives a tuple, and one part of it."""
    return replace(call, expression=f'{call.expression}[{k}]')


def one_of_torch(call: LibraryCall, width: str) -> int:
    function = torch_function(call)
    arguments = torch_arguments(call, width)
    positions = [list(call.values).index(name) for name in call.active]
    chosen = [arguments[position].clone().requires_grad_() for position in positions]

    def of_active(*active: Any) -> Any:
        whole = list(arguments)
        for position, value in zip(positions, active, strict=True):
            whole[position] = value
        return function(*whole)

    try:
        value = of_active(*chosen)
    except NOT_A_CALL['torch']:
        return 0
    if isinstance(value, tuple):  # values and their places: each part that has a slope
        parts = [k for k, part in enumerate(value) if part.is_floating_point()]
        return sum(one_of_torch(part_of(call, k), width) for k in parts)
    if not isinstance(value, torch.Tensor):
        return 1
    seed = torch.as_tensor(seed_for(tuple(value.shape)), dtype=value.dtype)
    want = torch.autograd.grad(value, chosen, seed, allow_unused=True)
    got = tangent.vjp(function, wrt=tuple(call.active))(*arguments, init_grad=seed)
    got = got if isinstance(got, tuple) else (got,)
    for each, other, argument in zip(got, want, chosen, strict=True):
        where = f'{call.expression} {width}'
        assert isinstance(each, torch.Tensor), where
        assert each.dtype == argument.dtype, f'{where}: {each.dtype}'
        other = torch.zeros_like(argument) if other is None else other
        each, other = each.detach(), other.detach()
        close(symmetric(call.name, each), symmetric(call.name, other), width, where)
    plain = [each.detach() for each in chosen]
    moves = [torch.as_tensor(seed_for(tuple(each.shape)), dtype=each.dtype) for each in plain]
    moves = [torch.as_tensor(symmetric(call.name, each)) for each in moves]
    try:
        along = torch.func.jvp(of_active, tuple(plain), tuple(moves))[1]
    except (NotImplementedError, RuntimeError):
        along = torch.autograd.functional.jvp(of_active, tuple(plain), tuple(moves))[1]
    forward = tangent.jvp(function, wrt=tuple(call.active))(*arguments, *moves)
    where = f'{call.expression} {width} forward'
    close(torch.as_tensor(forward).detach(), along.detach(), width, where)
    return 1


SMOOTH_TORCH = [
    name
    for name, record in TORCH.items()
    if 'domain' in record.options and record.options.get('shape') == 'elementwise'
]


@pytest.mark.parametrize('name', SMOOTH_TORCH)
def test_second_order_of_torch(name: str) -> None:
    for call in list(calls_of(name, TORCH[name]))[:1]:
        function = torch_function(call)
        arguments = torch_arguments(call, 'float64')
        first = call.active[0]
        position = list(call.values).index(first)
        try:
            function(*arguments)
        except NOT_A_CALL['torch']:
            continue
        got = tangent.grad(tangent.grad(function, wrt=(first,)), wrt=(first,))(*arguments)
        x = arguments[position].clone().requires_grad_()
        whole = [*arguments[:position], x, *arguments[position + 1 :]]
        slope = torch.autograd.grad(function(*whole).sum(), x, create_graph=True)[0]
        want = torch.autograd.grad(slope.sum(), x)[0] if slope.requires_grad else 0 * x
        close(got, want.detach(), 'float64', call.expression)


def test_at_points_without_a_slope() -> None:
    def relu_of_jax(x: Any) -> Any:
        return jnp.sum(jax.nn.relu(x))

    def relu_of_torch(x: Any) -> Any:
        return torch.relu(x).sum()

    def largest(x: Any) -> Any:
        return torch.amax(x)

    np.testing.assert_array_equal(tangent.grad(relu_of_jax)(jnp.array([0.0, 1.0])), [0.0, 1.0])
    x = torch.tensor([0.0, 1.0, 1.0])
    np.testing.assert_array_equal(tangent.grad(relu_of_torch)(x), [0.0, 1.0, 1.0])
    np.testing.assert_array_equal(tangent.grad(largest)(x), [0.0, 0.5, 0.5])


# tinygrad, in single precision


def as_method(call: LibraryCall) -> LibraryCall:
    """The call with its first argument as the receiver."""
    method = call.name.rpartition('.')[2]
    inside, _, behind = call.expression[len(call.name) + 1 :].rpartition(')')
    receiver, _, rest = inside.partition(',')
    spelled = f'{receiver}.{method}({rest.strip()}){behind}'
    return LibraryCall(call.name, spelled, call.values, call.record, call.active)


@pytest.mark.parametrize('name', TINYGRAD)
def test_tinygrad(name: str) -> None:
    from tinygrad import Tensor

    tried = 0
    for call in list(calls_of(name, TINYGRAD[name]))[:3]:
        function = function_of(as_method(call), {})
        arguments = [
            Tensor(np.asarray(value, 'float32'))
            if np.asarray(value).dtype.kind == 'f'
            else Tensor(value)
            if isinstance(value, np.ndarray)
            else value
            for value in call.values.values()
        ]
        positions = [list(call.values).index(each) for each in call.active]
        chosen = [arguments[position] for position in positions]
        if not all(isinstance(each, Tensor) for each in chosen):
            continue
        try:
            value = function(*arguments)
            if isinstance(value, tuple):
                call = replace(call, expression=call.expression + '[0]')
                function = function_of(as_method(call), {})
                value = value[0]
            shape = value.shape
        except (TypeError, ValueError, RuntimeError, AssertionError, AttributeError, IndexError):
            continue
        seed = Tensor(np.asarray(seed_for(shape), 'float32'))
        want = value.gradient(*chosen, gradient=seed)
        got = tangent.vjp(function, wrt=tuple(call.active))(*arguments, init_grad=seed)
        got = got if isinstance(got, tuple) else (got,)
        moves = [Tensor(np.asarray(seed_for(each.shape), 'float32')) for each in chosen]
        forward = tangent.jvp(function, wrt=tuple(call.active))(*arguments, *moves)
        along = (forward * seed).sum().item()
        total = 0.0
        for each, other, move in zip(got, want, moves, strict=True):
            assert isinstance(each, Tensor) and each.dtype == move.dtype, call.expression
            close(each.numpy(), other.numpy(), 'float32', call.expression)
            total += (other * move).sum().item()
        assert abs(along - total) < 1e-3 * (1 + abs(total)), f'{call.expression} forward'
        tried += 1
    assert tried, 'no sample is a call of this method'
