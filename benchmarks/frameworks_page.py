"""The page, the README's tables and the chart of `vs_frameworks.py`.

In: what the processes measured. Out: docs/performance.md, the section of README.md between its two
marks, and bars.
"""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / 'docs' / 'performance.md'
README = ROOT / 'README.md'
README_BEGIN = '<!-- written by `python benchmarks/vs_frameworks.py --write` -->'
README_END = '<!-- end of what is written -->'
# Where the README gets the section when it has none.
README_BEFORE = '## Limits'

# What the tables call the tools.
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
    'tangent-liveness': "Tangent, optimizations={'tape_liveness': True}",
    'tangent-ad-liveness': "tangent-ad 0.4.0, optimizations={'tape_liveness': True}",
}
# Tables of times: the title, and the tools in order. The first is what the others are compared
# with.
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
OTHER = {
    'memory': 'tangent tangent-liveness tangent-ad tangent-ad-liveness',
    'cold': 'tangent tangent-ad jax-jit torch autograd',
}
# Case, tool, reference, limit, what is compared. The project's bars.
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
# Seconds that a number has to stay below.
LIMITS = [('recurrence', 'tangent', 2e-3, 'first')]


@dataclass
class Measured:
    """What the rounds of one tool gave: least times in seconds, or why there are none."""

    numbers: dict[str, float] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    failure: str = ''
    rounds: int = 0

    def add(self, result: dict[str, Any]) -> None:
        if 'failure' in result:
            self.failure = str(result['failure'])
            return
        self.rounds += 1
        for name, value in result['numbers'].items():
            self.numbers[name] = min(value, self.numbers.get(name, value))
        self.versions.update(result['versions'])


Results = dict[str, dict[str, Measured]]


def tools_of(case: str) -> list[str]:
    return (TABLES[case][1] if case in TABLES else OTHER[case]).split()


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


def versions(found: Results) -> str:
    all_versions: dict[str, str] = {'Python': platform.python_version()}
    for results in found.values():
        for each in results.values():
            all_versions.update(each.versions)
    return ', '.join(f'{name} {number}' for name, number in sorted(all_versions.items()))


def failed(tool: str, each: Measured, columns: int) -> str:
    reason = (each.failure or 'not measured').replace('|', '\\|')
    return f'| {TOOLS[tool]} | {reason} |' + ' |' * (columns - 1)


def time_table(case: str, results: dict[str, Measured]) -> str:
    lines = ['| tool | one call | to the twin | compile + first call |', '|---|---:|---:|---:|']
    base = results['twin'].numbers.get('call')
    for tool, each in results.items():
        if not each.numbers:
            lines.append(failed(tool, each, 3))
            continue
        ratio = f'{each.numbers["call"] / base:.2f}' if base else ''
        first = in_units(each.numbers['first']) if 'first' in each.numbers else ''
        lines.append(f'| {TOOLS[tool]} | {in_units(each.numbers["call"])} | {ratio} | {first} |')
    return '\n'.join(lines)


def memory_table(results: dict[str, Measured]) -> str:
    lines = ['## Memory of a loop: 20,000 elements, 50 steps', '',
             '| tool | peak by tracemalloc | growth of the process |', '|---|---:|---:|']
    return '\n'.join(lines + rows(results, ('traced', 'resident'), lambda n: f'{n / 1e6:.2f} MB'))


def cold_table(results: dict[str, Measured]) -> str:
    lines = ['## A fresh process: the gradient of a function of five lines', '',
             '| tool | import | gradient and first call |', '|---|---:|---:|']
    return '\n'.join(lines + rows(results, ('import', 'first'), in_units))


def rows(
    results: dict[str, Measured], keys: tuple[str, ...], spelled: Callable[[float], str]
) -> list[str]:
    """A row per tool: these of its numbers, or why there are none."""
    lines = []
    for tool, each in results.items():
        if each.numbers:
            numbers = ' | '.join(spelled(each.numbers[key]) for key in keys)
            lines.append(f'| {TOOLS[tool]} | {numbers} |')
        else:
            lines.append(failed(tool, each, len(keys)))
    return lines


def bar_table(found: Results) -> str:
    lines = ['## Where the bars are', '', '| case | compared | measured | at most | |',
             '|---|---|---:|---:|---|']

    def number(case: str, tool: str, what: str) -> float | None:
        each = found.get(case, {}).get(tool)
        return each.numbers.get(what) if each is not None else None

    for case, tool, other, limit, what in BARS:
        mine, theirs = number(case, tool, what), number(case, other, what)
        label = f'{case}, {"one call" if what == "call" else "compile + first call"}'
        compared = f'{TOOLS[tool]} / {TOOLS[other]}'
        if mine is None or theirs is None:
            lines.append(f'| {label} | {compared} | not measured | {limit} | |')
            continue
        verdict = 'holds' if mine / theirs <= limit else '**missed**'
        lines.append(f'| {label} | {compared} | {mine / theirs:.2f} | {limit} | {verdict} |')
    for case, tool, seconds, what in LIMITS:
        mine = number(case, tool, what)
        if mine is not None:
            verdict = 'holds' if mine <= seconds else '**missed**'
            lines.append(f'| {case}, compile + first call | {TOOLS[tool]} | {in_units(mine)} | '
                         f'{in_units(seconds)} | {verdict} |')
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
  `lax.scan` avoids that where JAX differentiates; Tangent writes it out as a loop.
- Without `jax_enable_x64` JAX has no float64: a gradient that needs it is refused, not narrowed.
- `compile='torch'` pays for its guards at every call, so that small functions gain little.
- No GPU was used. Tensors on a GPU pass through, untested.
"""


def page(found: Results) -> str:
    parts = [HEAD, f'Machine: {machine()}. Versions: {versions(found)}.']
    for case, results in found.items():
        if case in TABLES:
            parts.append(f'## {TABLES[case][0]}\n\n{time_table(case, results)}')
    if 'memory' in found:
        parts.append(memory_table(found['memory']))
    if 'cold' in found:
        parts.append(cold_table(found['cold']))
    parts += [bar_table(found), NOTES]
    return '\n\n'.join(part.strip() for part in parts) + '\n'


def readme_section(found: Results) -> str:
    parts = [README_BEGIN, '## Speed',
             'Times of one call, and of the first one with all that is made for it; '
             '[docs/performance.md](docs/performance.md) has the machine, memory, cold starts and '
             'what `compile=` takes.']
    for case in ('mlp', 'recurrence'):
        parts.append(f'{TABLES[case][0]}:\n\n{time_table(case, found[case])}')
    return '\n\n'.join([*parts, README_END])


def with_section(readme: str, section: str) -> str:
    """The README with the section in place of the old one, or in front of its limits."""
    if README_BEGIN in readme and README_END in readme:
        before, _, rest = readme.partition(README_BEGIN)
        return before + section + rest.partition(README_END)[2]
    before, heading, rest = readme.partition(README_BEFORE)
    if not heading:
        sys.exit(f'README.md has neither {README_BEGIN!r} nor {README_BEFORE!r}')
    return f'{before}{section}\n\n{heading}{rest}'


def write(found: Results) -> None:
    PAGE.write_text(page(found), encoding='utf-8')
    text = README.read_text(encoding='utf-8')
    README.write_text(with_section(text, readme_section(found)), encoding='utf-8')


def plot(found: Results, target: Path) -> None:
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
            for tool, each in found[case].items() if 'call' in each.numbers
        }
        names = list(reversed(shown))
        colors = ['#c0504d' if name.startswith('Tangent') else '#7f9db9' for name in names]
        panel.barh(names, [shown[name] for name in names], color=colors)
        panel.set_xscale('log')
        panel.set_xlabel('µs per call')
        panel.set_title(TABLES[case][0], fontsize=10)
    figure.tight_layout()
    figure.savefig(target, dpi=120)
