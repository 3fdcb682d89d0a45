"""What the processes of `vs_frameworks.py` run: one case by one tool, the result as a line of JSON.

    python framework_cases.py CASE TOOL
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import resource
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

STEPS = 1000
UNROLLED = 100
PACKAGES = {
    'tangent-ad': ('tangent-ad', 'numpy'),
    'tangent-jax': ('jax', 'numpy'),
    'tangent-jax-numpy': ('jax', 'numpy'),
    'jax-jit': ('jax', 'jaxlib'),
    'tangent-torch': ('torch',),
    'tangent-tinygrad': ('tinygrad',),
    'torch-compile': ('torch',),
}


# The network


def mlp(w1, w2, w3, inputs):
    h1 = np.tanh(inputs @ w1)
    h2 = np.tanh(h1 @ w2)
    out = h2 @ w3
    return np.sum(out * out)


def mlp_twin(w1, w2, w3, inputs, by=1.0):
    h1 = np.tanh(inputs @ w1)
    h2 = np.tanh(h1 @ w2)
    out = h2 @ w3
    bout = by * 2.0 * out
    bh2 = bout @ w3.T
    bh1 = (bh2 * (1.0 - h2 * h2)) @ w2.T
    return inputs.T @ (bh1 * (1.0 - h1 * h1))


def mlp_arguments() -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    shapes = [(128, 128)] * 3 + [(64, 128)]
    return [rng.normal(size=shape) / 11.0 for shape in shapes]


# The recurrence


def recurrence(x):
    s = 0.0
    v = x
    for _ in range(STEPS):
        v = v * 0.999 + 0.1 * s
        if v > 2.0:
            v = v * 0.5
        s = s + v * v * 1e-4
    return s


def recurrence_twin(x, bs=1.0):
    v_tape = []
    cond_tape = []
    s = 0.0
    v = x
    for _ in range(STEPS):
        v = v * 0.999 + 0.1 * s
        cond = v > 2.0
        if cond:
            v = v * 0.5
        cond_tape.append(cond)
        v_tape.append(v)
        s = s + v * v * 1e-4
    bv = 0.0
    for _ in reversed(range(STEPS)):
        bv += bs * 2e-4 * v_tape.pop()
        if cond_tape.pop():
            bv = bv * 0.5
        bs = bs + 0.1 * bv
        bv = 0.999 * bv
    return bv


# A recurrence without a branch, which a tracing compiler takes


def unrolled(x):
    s = 0.0
    v = x
    for _ in range(UNROLLED):
        v = np.where(v > 2.0, 0.5 * v, 0.999 * v + 0.1 * s)
        s = s + v * v * 1e-2
    return s


def unrolled_twin(x, bs=1.0):
    tape = []
    s = 0.0
    v = x
    for _ in range(UNROLLED):
        high = v > 2.0
        v = 0.5 * v if high else 0.999 * v + 0.1 * s
        tape.append((high, v))
        s = s + v * v * 1e-2
    bv = 0.0
    for _ in range(UNROLLED):
        high, v = tape.pop()
        bv += bs * 2e-2 * v
        if high:
            bv = 0.5 * bv
        else:
            bs = bs + 0.1 * bv
            bv = 0.999 * bv
    return bv


# A loop that keeps arrays for the way back


def smooth(x, steps):
    for _ in range(steps):
        y = x * 0.5
        z = y + 1.0
        x = z * 0.9
    return np.sum(x)


# Five lines


def five_lines(x, y):
    a = np.sin(x) * y
    b = np.exp(-a * a)
    for _ in range(3):
        b = b * x + a
    return b / (1.0 + y * y)


# ------------------------------------------------------------------------------------------------
# Tools


def tangent_of(backend: str | None = None) -> Callable[..., Any]:
    def gradient(function: Callable[..., Any], *arguments: Any) -> Callable[..., Any]:
        import tangent

        if backend is None:
            return tangent.grad(function)
        return tangent.grad(function, compile=backend)

    return gradient


def in_words_of(module: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with `np` standing for another module, its source in place."""
    import types

    scope = {**function.__globals__, 'np': module}
    return types.FunctionType(function.__code__, scope, function.__name__)


def jax_scan(function: Callable[..., Any]) -> Callable[..., Any]:
    """The recurrences as a person writes them with lax.scan."""
    import jax
    import jax.numpy as jnp

    def step_recurrence(state: Any, _: Any) -> Any:
        v, s = state
        v = v * 0.999 + 0.1 * s
        v = jnp.where(v > 2.0, v * 0.5, v)
        return (v, s + v * v * 1e-4), None

    def step_unrolled(state: Any, _: Any) -> Any:
        v, s = state
        v = jnp.where(v > 2.0, 0.5 * v, 0.999 * v + 0.1 * s)
        return (v, s + v * v * 1e-2), None

    step, count = (
        (step_recurrence, STEPS) if function is recurrence else (step_unrolled, UNROLLED)
    )

    def scanned(x: Any) -> Any:
        (_, s), _ = jax.lax.scan(step, (x, jnp.zeros_like(x)), None, length=count)
        return s

    return jax.jit(jax.grad(scanned))


def mlp_torch_twin(w1, w2, w3, inputs):
    import torch

    h1 = torch.tanh(inputs @ w1)
    h2 = torch.tanh(h1 @ w2)
    out = h2 @ w3
    bout = 2.0 * out
    bh2 = bout @ w3.T
    bh1 = (bh2 * (1.0 - h2 * h2)) @ w2.T
    return inputs.T @ (bh1 * (1.0 - h1 * h1))


def torch_gradient(function: Callable[..., Any]) -> Callable[..., Any]:
    import torch

    def gradient(first: Any, *rest: Any) -> Any:
        leaf = first.detach().requires_grad_()
        return torch.autograd.grad(function(leaf, *rest), leaf)[0]

    return gradient


def mlp_of_torch(w1, w2, w3, inputs):
    h1 = torch.tanh(inputs @ w1)  # noqa: F821  set by prepare_torch
    h2 = torch.tanh(h1 @ w2)  # noqa: F821
    out = h2 @ w3
    return torch.sum(out * out)  # noqa: F821


def mlp_of_tinygrad(w1, w2, w3, inputs):
    h1 = (inputs @ w1).tanh()
    h2 = (h1 @ w2).tanh()
    out = h2 @ w3
    return (out * out).sum()


CASES: dict[str, tuple[Callable[..., Any], Callable[..., Any], Callable[[], list[Any]]]] = {
    'mlp': (mlp, mlp_twin, mlp_arguments),
    'recurrence': (recurrence, recurrence_twin, lambda: [0.7]),
    'unrolled': (unrolled, unrolled_twin, lambda: [0.7]),
    'cold': (five_lines, five_lines, lambda: [0.7, 1.3]),
}


def prepare(case: str, tool: str) -> tuple[Callable[[], Callable[..., Any]], list[Any]]:
    """What makes the gradient (differentiation and compilation are timed), and its arguments."""
    function, twin, make = CASES[case]
    arguments = make()
    if tool == 'twin':
        return (lambda: twin), arguments
    if tool in ('tangent', 'tangent-ad'):
        import tangent

        return (lambda: tangent.grad(function)), arguments
    if tool.startswith(('tangent-jax', 'jax')):
        import jax
        import jax.numpy as jnp

        jax.config.update('jax_enable_x64', True)
        if case == 'mlp' or tool != 'tangent-jax-numpy':
            arguments = [jnp.asarray(each) for each in arguments]
        if tool == 'tangent-jax-numpy':
            import tangent

            return (lambda: tangent.grad(function, compile='jax')), arguments
        words = in_words_of(jnp, function)
        if tool == 'tangent-jax':
            import tangent

            return (lambda: tangent.grad(words, compile='jax')), arguments
        if tool == 'jax-scan':
            return (lambda: jax_scan(function)), arguments
        if tool == 'jax-jit':
            return (lambda: jax.jit(jax.grad(words))), arguments
        return (lambda: jax.grad(words)), arguments
    if tool.startswith(('torch', 'tangent-torch')):
        import torch

        torch.set_num_threads(1)
        globals()['torch'] = torch
        arguments = [torch.as_tensor(each, dtype=torch.float64) for each in arguments]
        if tool == 'tangent-torch':
            import tangent

            return (lambda: tangent.grad(mlp_of_torch, compile='torch')), arguments
        if tool == 'torch-compile':
            return (lambda: torch.compile(mlp_torch_twin)), arguments
        plain = {'mlp': mlp_of_torch, 'recurrence': recurrence, 'cold': torch_five_lines}[case]
        return (lambda: torch_gradient(plain)), arguments
    if tool in ('tinygrad', 'tangent-tinygrad'):
        from tinygrad import Tensor, TinyJit

        arguments = [Tensor(each.astype('float32')).realize() for each in arguments]
        if tool == 'tangent-tinygrad':
            import tangent

            return (lambda: tangent.grad(mlp_of_tinygrad, compile='tinygrad')), arguments

        def gradient(*given: Any) -> Any:
            return mlp_of_tinygrad(*given).gradient(given[0])[0].realize()

        return (lambda: TinyJit(gradient)), arguments
    if tool == 'autograd':
        import autograd
        import autograd.numpy

        words = in_words_of(autograd.numpy, function)
        return (lambda: autograd.grad(words)), arguments
    raise SystemExit(f'no tool {tool!r}')


def torch_five_lines(x, y):
    a = torch.sin(x) * y  # noqa: F821
    b = torch.exp(-a * a)  # noqa: F821
    for _ in range(3):
        b = b * x + a
    return b / (1.0 + y * y)


def finish(value: Any) -> Any:
    """Waits for what is computed elsewhere, as JAX does."""
    wait = getattr(value, 'block_until_ready', None)
    if wait is not None:
        return wait()
    return value.numpy() if type(value).__module__.startswith('tinygrad') else value


def least(call: Callable[[], Any], seconds: float = 1.5) -> float:
    """The least time of one call, of batches that last at least a tenth of a millisecond."""
    started = time.perf_counter()
    call()
    once = time.perf_counter() - started
    batch = max(1, int(1e-4 / max(once, 1e-7)))
    best = once
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        started = time.perf_counter()
        for _ in range(batch):
            call()
        best = min(best, (time.perf_counter() - started) / batch)
    return best


def resident() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def memory(tool: str) -> dict[str, float]:
    """Peak memory of one call, by tracemalloc and by the process."""
    import tracemalloc

    import tangent

    options = {'optimizations': {'tape_liveness': True}} if tool.endswith('liveness') else {}
    gradient = tangent.grad(smooth, **options)
    gradient(np.ones(10), 3)
    x = np.linspace(0.0, 1.0, 20_000)
    before = resident()
    gradient(x, 50)
    grown = resident() - before
    tracemalloc.start()
    gradient(x, 50)
    traced = tracemalloc.get_traced_memory()[1]
    return {'traced': float(traced), 'resident': float(grown)}


def main(case: str, tool: str) -> None:
    numbers: dict[str, float] = {}
    if case == 'memory':
        numbers = memory(tool)
    else:
        modules = {'tangent': 'tangent', 'tangent-ad': 'tangent', 'jax-jit': 'jax.numpy',
                   'torch': 'torch', 'autograd': 'autograd.numpy'}
        started = time.perf_counter()
        if case == 'cold':
            __import__(modules[tool])
            numbers['import'] = time.perf_counter() - started
        make, arguments = prepare(case, tool)
        started = time.perf_counter()
        gradient = make()
        finish(gradient(*arguments))
        numbers['first'] = time.perf_counter() - started
        if case != 'cold':
            for _ in range(3):
                finish(gradient(*arguments))
            numbers['call'] = least(lambda: finish(gradient(*arguments)))
        if tool == 'twin':
            del numbers['first']
    names = PACKAGES.get(tool, (tool.partition('-')[0],))
    found = {}
    for name in names:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    found['numpy'] = np.__version__
    print(json.dumps({'numbers': numbers, 'versions': found}))


if __name__ == '__main__':
    if not os.environ.get('XLA_FLAGS'):
        print('run vs_frameworks.py: it sets up the processes', file=sys.stderr)
    main(*sys.argv[1:3])
