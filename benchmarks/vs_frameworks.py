"""The tables of docs/performance.md: Tangent beside the tools that users would come from.

    python benchmarks/vs_frameworks.py                  prints the tables
    python benchmarks/vs_frameworks.py --plot FILE      draws them, too (needs matplotlib)
    python benchmarks/vs_frameworks.py --write          writes docs/performance.md
    python benchmarks/vs_frameworks.py --only mlp,cold  some cases alone

Each tool runs each case in a process of its own, one thread, several rounds in turn; a number is
the least of all rounds, and ratios are of numbers of one run. A tool that cannot be had is
reported as such. `tangent-ad` has the import name of this package: it gets an environment of its
own under the cache folder (`$XDG_CACHE_HOME/tangent-benchmarks`).

What runs in the processes is in `benchmarks/framework_cases.py`.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import venv
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
CASES = Path(__file__).resolve().parent / 'framework_cases.py'
PAGE = ROOT / 'docs' / 'performance.md'
OLD = 'tangent-ad==0.4.0'

# Which tools run a case, and what the table calls them. The first is what the others are compared
# with.
TOOLS = {
    'twin': 'NumPy, adjoint written by hand',
    'tangent': 'Tangent',
    'tangent-jax': "Tangent, compile='jax'",
    'tangent-jax-numpy': "Tangent, compile='jax' of the NumPy text",
    'tangent-torch': "Tangent, compile='torch'",
    'tangent-tinygrad': "Tangent, compile='tinygrad'",
    'tangent-ad': 'tangent-ad 0.4.0',
    'jax-jit': 'jax.grad + jit',
    'jax-scan': 'jax.grad + jit, lax.scan',
    'jax': 'jax.grad without jit',
    'torch': 'torch',
    'torch-compile': 'torch.compile of the adjoint by hand',
    'tinygrad': 'tinygrad',
    'autograd': 'HIPS autograd',
}
TABLES = {
    'mlp': (
        'A network of three layers, 128 x 128, batch of 64',
        'twin tangent tangent-jax tangent-jax-numpy tangent-torch tangent-tinygrad tangent-ad '
        'jax-jit jax torch torch-compile tinygrad autograd',
    ),
    'recurrence': (
        'A scalar recurrence of 1,000 steps that depend on the data',
        'twin tangent tangent-ad jax-scan torch autograd',
    ),
    'unrolled': (
        'A recurrence of 100 steps, each compiled by itself',
        'twin tangent tangent-jax-numpy jax-jit jax-scan',
    ),
}
# Case, tool, reference, limit, what is compared. The bars.
BARS = [
    ('mlp', 'tangent', 'twin', 1.05, 'call'),
    ('mlp', 'tangent', 'tangent-ad', 0.75, 'call'),
    ('mlp', 'tangent', 'torch', 1.1, 'call'),
    ('mlp', 'tangent', 'jax', 0.1, 'call'),
    ('mlp', 'tangent-jax', 'jax-jit', 1.05, 'call'),
    ('mlp', 'tangent-jax', 'jax-jit', 1.2, 'first'),
    ('mlp', 'tangent-torch', 'torch-compile', 1.05, 'call'),
    ('recurrence', 'tangent', 'twin', 1.15, 'call'),
    ('unrolled', 'tangent-jax-numpy', 'jax-jit', 1.1, 'call'),
    ('unrolled', 'tangent-jax-numpy', 'jax-jit', 1.2, 'first'),
]


@dataclass
class Measured:
    """What the rounds of one tool gave: least times in seconds, or why there are none."""

    numbers: dict[str, float] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    failure: str = ''

    def add(self, result: dict[str, Any]) -> None:
        for name, value in result['numbers'].items():
            self.numbers[name] = min(value, self.numbers.get(name, value))
        self.versions.update(result['versions'])


def one_thread() -> dict[str, str]:
    """The environment of a process: one thread everywhere, no cache of Tangent's on disk."""
    environment = dict(os.environ)
    for name in ('OMP', 'OPENBLAS', 'MKL', 'NUMEXPR'):
        environment[f'{name}_NUM_THREADS'] = '1'
    environment['XLA_FLAGS'] = '--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1'
    environment['JAX_PLATFORMS'] = 'cpu'
    environment['TANGENT_DISK_CACHE'] = '0'
    environment['TF_CPP_MIN_LOG_LEVEL'] = '3'
    compilers = [str(path) for path in sorted(Path('/usr/lib').glob('llvm-*/bin'))]
    environment['PATH'] = os.pathsep.join([environment.get('PATH', ''), *compilers])
    return environment


def old_python() -> str:
    """The interpreter of the environment that has tangent-ad, made when first needed."""
    cache = Path(os.environ.get('XDG_CACHE_HOME') or Path.home() / '.cache')
    folder = cache / 'tangent-benchmarks' / OLD.replace('==', '-')
    python = folder / 'bin' / 'python'
    if not (folder / '.done').exists():
        venv.create(folder, with_pip=True, clear=True)
        subprocess.run(
            [python, '-m', 'pip', 'install', '--quiet', OLD, 'numpy', 'gast', 'setuptools'],
            check=True, capture_output=True, text=True,
        )
        (folder / '.done').touch()
    return str(python)


def run(case: str, tool: str) -> tuple[dict[str, Any] | None, str]:
    """One process: what it measured, or why it did not."""
    try:
        python = old_python() if tool.startswith('tangent-ad') else sys.executable
    except (OSError, subprocess.CalledProcessError) as error:
        output = (getattr(error, 'stderr', '') or str(error)).strip()
        return None, f'cannot be installed: {output.splitlines()[-1] if output else error}'
    environment = one_thread()
    if tool.startswith('tangent-ad'):
        environment.pop('PYTHONPATH', None)
    try:
        process = subprocess.run(
            [python, str(CASES), case, tool],
            env=environment, capture_output=True, text=True, timeout=600, cwd=CASES.parent,
        )
    except subprocess.TimeoutExpired:
        return None, 'took more than ten minutes'
    lines = process.stdout.strip().splitlines()
    if process.returncode != 0 or not lines or not lines[-1].startswith('{'):
        errors = process.stderr.strip().splitlines()
        return None, errors[-1][:160] if errors else f'ended with {process.returncode}'
    return json.loads(lines[-1]), ''


def measure(cases: list[str], rounds: int) -> dict[str, dict[str, Measured]]:
    """All tools of all cases, in turn, so that none has a quieter machine than another."""
    found: dict[str, dict[str, Measured]] = {}
    for case in cases:
        tools = (TABLES[case][1] if case in TABLES else OTHER[case]).split()
        results = found[case] = {tool: Measured() for tool in tools}
        for turn in range(rounds if case in TABLES else max(1, rounds - 1)):
            for tool in tools:
                if results[tool].failure:
                    continue
                result, failure = run(case, tool)
                if result is None:
                    results[tool].failure = failure
                else:
                    results[tool].add(result)
                print(f'{case} {turn + 1}/{rounds} {tool}: {failure or result}', file=sys.stderr)
    return found


OTHER = {
    'memory': 'tangent tangent-liveness tangent-ad tangent-ad-liveness',
    'cold': 'tangent tangent-ad jax-jit torch autograd',
}


# ------------------------------------------------------------------------------------------------
# The page


def in_units(seconds: float) -> str:
    if seconds < 1e-3:
        return f'{seconds * 1e6:.0f} µs'
    return f'{seconds * 1e3:.2f} ms' if seconds < 1 else f'{seconds:.1f} s'


def machine() -> str:
    name = platform.processor() or platform.machine()
    try:
        for line in Path('/proc/cpuinfo').read_text(encoding='utf-8').splitlines():
            if line.startswith('model name'):
                name = line.partition(':')[2].strip()
                break
    except OSError:
        pass
    return f'{name}, {os.cpu_count()} cores, one thread used; {platform.system()}'


def versions(found: dict[str, dict[str, Measured]]) -> str:
    all_versions: dict[str, str] = {'Python': platform.python_version()}
    for results in found.values():
        for each in results.values():
            all_versions.update(each.versions)
    return ', '.join(f'{name} {number}' for name, number in sorted(all_versions.items()))


def time_table(case: str, results: dict[str, Measured]) -> str:
    title = TABLES[case][0]
    lines = [f'## {title}', '', '| tool | one call | to the twin | compile + first call |',
             '|---|---:|---:|---:|']
    base = results['twin'].numbers.get('call')
    for tool, each in results.items():
        if each.failure:
            lines.append(f'| {TOOLS[tool]} | {each.failure} | | |')
            continue
        ratio = f'{each.numbers["call"] / base:.2f}' if base else ''
        first = in_units(each.numbers['first']) if 'first' in each.numbers else ''
        lines.append(f'| {TOOLS[tool]} | {in_units(each.numbers["call"])} | {ratio} | {first} |')
    return '\n'.join(lines)


def memory_table(results: dict[str, Measured]) -> str:
    names = {
        'tangent': 'Tangent',
        'tangent-liveness': "Tangent, optimizations={'tape_liveness': True}",
        'tangent-ad': 'tangent-ad 0.4.0',
        'tangent-ad-liveness': "tangent-ad 0.4.0, optimizations={'tape_liveness': True}",
    }
    lines = ['## Memory of a loop: 20,000 elements, 50 steps', '',
             '| tool | peak by tracemalloc | growth of the process |', '|---|---:|---:|']
    for tool, each in results.items():
        if each.failure:
            lines.append(f'| {names[tool]} | {each.failure} | |')
            continue
        traced, resident = each.numbers['traced'], each.numbers['resident']
        lines.append(f'| {names[tool]} | {traced / 1e6:.2f} MB | {resident / 1e6:.2f} MB |')
    return '\n'.join(lines)


def cold_table(results: dict[str, Measured]) -> str:
    lines = ['## A fresh process: the gradient of a function of five lines', '',
             '| tool | import | gradient and first call |', '|---|---:|---:|']
    for tool, each in results.items():
        if each.failure:
            lines.append(f'| {TOOLS[tool]} | {each.failure} | |')
            continue
        lines.append(f'| {TOOLS[tool]} | {in_units(each.numbers["import"])} | '
                     f'{in_units(each.numbers["first"])} |')
    return '\n'.join(lines)


def bar_table(found: dict[str, dict[str, Measured]]) -> str:
    lines = ['## Where the bars are', '', '| case | compared | ratio | at most | |',
             '|---|---|---:|---:|---|']
    for case, tool, other, limit, what in BARS:
        mine = found.get(case, {}).get(tool)
        theirs = found.get(case, {}).get(other)
        if mine is None or theirs is None or mine.failure or theirs.failure:
            continue
        ratio = mine.numbers[what] / theirs.numbers[what]
        label = 'one call' if what == 'call' else 'compile + first call'
        verdict = 'holds' if ratio <= limit else '**missed**'
        compared = f'{TOOLS[tool]} / {TOOLS[other]}'
        lines.append(f'| {case}, {label} | {compared} | {ratio:.2f} | {limit} | {verdict} |')
    return '\n'.join(lines)


HEAD = """\
# Performance

Made by `python benchmarks/vs_frameworks.py --write`: every number here is of one run of that
command, one process and one thread per tool, the least of several rounds in turn. "Compile + first
call" is what a process waits for beyond its imports. Numbers of two tables are of the same run, but
only ratios within one table mean much on another machine.
"""

NOTES = """\
## What the compilers take

- `compile='jax'` compiles each step of a loop by itself, as `jax.grad` of the same loop does: the
  time until the first result grows with the number of steps. More than 200 steps are warned of.
  `lax.scan` avoids that where a person writes it.
- Without `jax_enable_x64` JAX has no float64: a gradient that needs it is refused, not narrowed.
- `compile='torch'` pays for its guards at every call, so that small functions gain little.
- No GPU was used. Tensors on a GPU pass through, untested.
"""


def page(found: dict[str, dict[str, Measured]]) -> str:
    parts = [HEAD, f'Machine: {machine()}. Versions: {versions(found)}.']
    parts += [time_table(case, results) for case, results in found.items() if case in TABLES]
    if 'memory' in found:
        parts.append(memory_table(found['memory']))
    if 'cold' in found:
        parts.append(cold_table(found['cold']))
    parts += [bar_table(found), NOTES]
    return '\n\n'.join(part.strip() for part in parts) + '\n'


def plot(found: dict[str, dict[str, Measured]], target: Path) -> None:
    """The times of one call as bars, a panel per case."""
    try:
        import matplotlib
    except ImportError:
        sys.exit('--plot needs matplotlib: pip install matplotlib')
    matplotlib.use('Agg')
    from matplotlib import pyplot

    cases = [case for case in found if case in TABLES]
    if not cases:
        sys.exit('--plot draws the tables of times: mlp, recurrence, unrolled')
    figure, panels = pyplot.subplots(len(cases), 1, figsize=(9, 3.2 * len(cases)), squeeze=False)
    for panel, case in zip(panels[:, 0], cases, strict=True):
        shown = {
            TOOLS[tool]: each.numbers['call'] * 1e6
            for tool, each in found[case].items() if not each.failure
        }
        names = list(reversed(shown))
        colors = ['#c0504d' if name.startswith('Tangent') else '#7f9db9' for name in names]
        panel.barh(names, [shown[name] for name in names], color=colors)
        panel.set_xscale('log')
        panel.set_xlabel('µs per call')
        panel.set_title(TABLES[case][0], fontsize=10)
    figure.tight_layout()
    figure.savefig(target, dpi=120)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--only', default=','.join([*TABLES, *OTHER]), help='cases, with commas')
    parser.add_argument('--rounds', type=int, default=3)
    parser.add_argument('--plot', type=Path, help='a file for the chart (.png, .svg)')
    parser.add_argument('--write', action='store_true', help=f'write {PAGE.relative_to(ROOT)}')
    arguments = parser.parse_args()
    cases = arguments.only.split(',')
    unknown = [case for case in cases if case not in TABLES and case not in OTHER]
    if unknown:
        parser.error(f'no case {unknown[0]!r}: the cases are {", ".join([*TABLES, *OTHER])}')
    if arguments.write and set(cases) != {*TABLES, *OTHER}:
        parser.error('--write is of all cases')
    found = measure(cases, arguments.rounds)
    text = page(found)
    print(text)
    if arguments.plot:
        plot(found, arguments.plot)
    if arguments.write:
        PAGE.write_text(text, encoding='utf-8')


if __name__ == '__main__':
    main()
