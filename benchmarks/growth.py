"""How the cost of differentiating grows with the program, and that of a call with its arguments.

    .venv/bin/python benchmarks/growth.py

Each program is written to a file, imported and differentiated in a process of its own, without a
disk cache; times are processor times of one thread, minima of several processes. CPython parses
first, as it does inside of `grad`, so that both find the memory as it is. `own` is what is left
without CPython's parse of the primal and its compilation of the emitted text, `whole` is grad and
the first call as a multiple of those two, `memory` the growth of the peak resident size.
"""

from __future__ import annotations

import argparse
import ast
import importlib.util
import json
import linecache
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import latency
import numpy as np

PROCESSES = 3
ENVIRONMENT = {**latency.ENVIRONMENT, 'OPENBLAS_NUM_THREADS': '1', 'TANGENT_DISK_CACHE': '0'}


def straight(count: int) -> str:
    """So many statements, each of which reads what the last ones wrote."""
    forms = (
        '    a = a * 0.9 + math.sin(b) * 0.1',
        '    b = b + 0.01 * a * x',
        '    a = a - b * 0.001 / (1.0 + y * y)',
    )
    body = [forms[k % 3] for k in range(count)]
    return module('x, y', ['    a = x * y', '    b = x + 0.5', *body, '    return a + b'])


def branches(count: int) -> str:
    body = ['    a = x * y']
    for k in range(count):
        body += [f'    if a > {0.001 * k}:', '        a = a * 0.99 + math.cos(y)', '    else:']
        body += ['        a = a + 0.01 * x * y']
    return module('x, y', [*body, '    return a'])


def nested_calls(depth: int) -> str:
    """Helpers that call each other, the last one called through all the others."""
    lines = ['import math', '', '', 'def g0(x, y):', '    return math.sin(x) * y', '', '']
    for k in range(1, depth):
        lines += [f'def g{k}(x, y):', f'    a = 0.9 * x + {0.01 * k} * y', '    b = a * y',
                  f'    return 0.5 * b + g{k - 1}(a, y)', '', '']  # fmt: skip
    lines += ['def f(x, y):', f'    return g{depth - 1}(x, y) * x']
    return '\n'.join(lines) + '\n'


def kinetics(lines: int) -> str:
    """The right-hand side of a reaction network as such programs write it: rate by rate, species
    by species, with parameters in an array and branches on temperature."""
    species = 40
    body = ['    t = k[0] * 300.0 + 500.0', '    s = 1.0 / t', '    u = math.log(t)']
    body += [f'    c{n} = c[{n}] * (1.0 + 0.1 * k[{n % 20}])' for n in range(species)]
    body += [f'    d{n} = 0.0' for n in range(species)]
    reaction = 0
    while len(body) < lines - species:
        a, b, d = reaction % species, (7 * reaction + 3) % species, (11 * reaction + 5) % species
        p = reaction % 20
        body.append(f'    r = k[{p}] * math.exp({0.01 * (reaction % 9)} * u - {5 + p}.0 * s)')
        if reaction % 10 == 0:
            body += ['    if t > 900.0:', '        r = r * (1.0 + 0.01 * u)']
        body += [f'    q = r * c{a} * c{b}', f'    d{a} = d{a} - q', f'    d{b} = d{b} - q',
                 f'    d{d} = d{d} + 2.0 * q']  # fmt: skip
        reaction += 1
    total = ' + '.join(f'd{n} * d{n}' for n in range(species))
    return module('k, c', [*body, f'    return {total}'])


def module(parameters: str, body: list[str]) -> str:
    return '\n'.join(['import math', '', '', f'def f({parameters}):', *body]) + '\n'


NUMBERS = '(1.1, 0.7)'
PROGRAMS: dict[str, tuple[Callable[[int], str], int, str]] = {
    '10 statements': (straight, 10, NUMBERS),
    '100 statements': (straight, 100, NUMBERS),
    '1,000 statements': (straight, 1000, NUMBERS),
    '10,000 statements': (straight, 10000, NUMBERS),
    '300 branches': (branches, 300, NUMBERS),
    '50 nested calls': (nested_calls, 50, NUMBERS),
    '2,000 lines of kinetics': (
        kinetics, 2000, '(np.linspace(0.5, 1.5, 20), np.linspace(0.1, 1.0, 40))'
    ),
}  # fmt: skip


def measure_program(name: str) -> dict[str, float]:
    """Run in a process of its own."""
    import tangent

    write, size, arguments = PROGRAMS[name]
    text = write(size)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / 'program.py'
        path.write_text(text)
        spec = importlib.util.spec_from_file_location('program', path)
        assert spec is not None and spec.loader is not None
        made = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(made)
        args = eval(arguments, {'np': np})
        tangent.grad(latency.polynomial)(2.0)  # rules and caches are there
        parse = processor(lambda: ast.parse(text))
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        whole = processor(lambda: tangent.grad(made.f)(*args))
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        emitted = tangent.grad(made.f).source(*args)
        compiled = processor(lambda: compile(emitted, 'emitted', 'exec'))
    return {
        'statements': sum(isinstance(node, ast.stmt) for node in ast.walk(ast.parse(text))),
        'lines': emitted.count('\n'),
        'parse': parse,
        'compile': compiled,
        'grad': whole,
        'memory': memory / 1024,
    }


def processor(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


# ------------------------------------------------------------------------------------------------
# Calls


def with_guards(count: int) -> Callable[..., Any]:
    """A function that reads so many globals."""
    names = [f'G{k}' for k in range(count)]
    space: dict[str, Any] = {name: 0.5 for name in names}
    text = module('x', [f'    return x * ({" + ".join(["1.0", *names])})'])
    filename = f'<{count} globals>'
    linecache.cache[filename] = len(text), None, text.splitlines(True), filename
    exec(compile(text, filename, 'exec'), space)
    return space['f']  # type: ignore[no-any-return]


def scaled(x, arrays):
    return x * arrays[0][0] + x * x * arrays[len(arrays) - 1][1]


def overhead(df: Any, args: tuple[Any, ...]) -> float:
    """Seconds of a call beyond those of the emitted function."""
    text = df.variant(*args)
    best = {'text': float('inf'), 'df': float('inf')}
    for _ in range(40):
        for key, called in (('text', text), ('df', df)):
            best[key] = min(best[key], latency.per_call(called, args, 0.004))
    return best['df'] - best['text']


def print_calls() -> None:
    import tangent

    print('\na call of df beside the emitted function')
    for count in (0, 2, 4, 8, 16):
        df = tangent.grad(with_guards(count))
        df(1.5)
        print(f'  one number, {count:2} globals {1e9 * overhead(df, (1.5,)):10.0f} ns')
    for count, function in enumerate((one, two, three, four), 1):
        df = tangent.grad(function)
        args = tuple(1.0 + 0.1 * k for k in range(count))
        df(*args)
        print(f'  {count} numbers, no global {1e9 * overhead(df, args):11.0f} ns')
    args = 1.5, [np.array([1.0, 2.0]) for _ in range(10000)]
    df = tangent.grad(scaled)
    df(*args)
    print(f'  a list of 10,000 arrays {1e6 * overhead(df, args):10.1f} µs')


def one(a):
    return a * a


def two(a, b):
    return a * b


def three(a, b, c):
    return a * b * c


def four(a, b, c, d):
    return a * b * c * d


def main() -> None:
    import tangent

    parser = argparse.ArgumentParser(description='Growth with the program and its arguments.')
    parser.add_argument('--one', help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measure_program(options.one)))
        return
    print(f'{latency.machine()}\n{platform.platform()}')
    versions = f'NumPy {np.__version__}, tangent {tangent.__version__}'
    print(f'Python {platform.python_version()}, {versions}\n')
    print(
        f'{"":26}{"statements":>10}{"emitted":>9}{"parse":>11}{"compile":>11}{"grad":>11}'
        f'{"own":>13}{"whole":>8}{"memory":>10}'
    )
    for name in PROGRAMS:
        rounds = []
        for _ in range(PROCESSES):
            command = [sys.executable, __file__, '--one', name]
            done = subprocess.run(
                command, capture_output=True, text=True, env=ENVIRONMENT, check=True
            )
            rounds.append(json.loads(done.stdout))
        best = {key: min(each[key] for each in rounds) for key in rounds[0]}
        own = best['grad'] - best['parse'] - best['compile']
        print(
            f'{name:26}{best["statements"]:10.0f}{best["lines"]:9.0f}{1e3 * best["parse"]:8.1f} ms'
            f'{1e3 * best["compile"]:8.1f} ms{1e3 * best["grad"]:8.1f} ms'
            f'{1e6 * own / best["statements"]:7.1f} µs/st'
            f'{best["grad"] / (best["parse"] + best["compile"]):7.2f}x{best["memory"]:7.0f} MB'
        )
    print_calls()


if __name__ == '__main__':
    main()
