"""How much memory the tapes of a loop take, with `tape_liveness` on and off.

    .venv/bin/python benchmarks/tape_memory.py [--elements 20000] [--steps 50]

The loop's arrays are needed backwards only for their shape. Each row is a process of its own: its
peak by tracemalloc (of one call, after a first one) and its peak resident size beyond that before
the call. A row for the predecessor, tangent-ad 0.4.0, is added where --predecessor names the Python
of an environment that has it (both packages have the import name `tangent`):

    python -m venv /tmp/predecessor && /tmp/predecessor/bin/pip install tangent-ad==0.4.0
    .venv/bin/python benchmarks/tape_memory.py --predecessor /tmp/predecessor/bin/python

Nothing is asserted here; tests/test_tape_liveness.py holds the ratio.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent

# Written to a file, and imported by each process: both packages read the source of functions.
PROGRAMS = '''
import numpy as np


def sums(x, steps):
    s = 0.0
    for i in range(steps):
        x = x * 1.01
        s = s + np.sum(x)
    return s


def means(x, steps):
    s = 0.0
    for i in range(steps):
        x = x * 1.01 + s
        s = s + np.mean(x)
    return s
'''

MEASURE = '''
import gc, json, resource, sys, tracemalloc

folder, name, elements, steps, options = sys.argv[1:]
sys.path.insert(0, folder)
import numpy as np
import tangent
import tape_programs

x = np.linspace(0.5, 1.5, int(elements))
df = tangent.grad(getattr(tape_programs, name), **json.loads(options))
df(x, 2)
gc.collect()
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
df(x, int(steps))
resident = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
tracemalloc.start()
result = df(x, int(steps))
peak = tracemalloc.get_traced_memory()[1]
print(json.dumps({
    'peak': peak, 'resident': resident * 1024, 'sum': float(np.sum(result)),
    'version': tangent.__version__, 'numpy': np.__version__,
}))
'''


def measure(python: str, name: str, options: dict[str, Any], elements: int, steps: int) -> Any:
    """One row: what a fresh process finds."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / 'tape_programs.py').write_text(PROGRAMS)
        out = subprocess.run(
            [python, '-c', MEASURE, folder, name, str(elements), str(steps), json.dumps(options)],
            capture_output=True,
            text=True,
            check=False,
        )
    if out.returncode:
        return (out.stderr.strip().splitlines() or ['no answer'])[-1]
    return json.loads(out.stdout.splitlines()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--elements', type=int, default=20_000)
    parser.add_argument('--steps', type=int, default=50)
    parser.add_argument('--predecessor', help='the Python of an environment with tangent-ad 0.4.0')
    chosen = parser.parse_args()
    print(f'{platform.machine()}, {platform.system()}, CPython {platform.python_version()}')
    print(f'{chosen.elements:,} elements, {chosen.steps} steps, peaks of one call in MB\n')
    print(f'{"program":8} {"tool":34} {"tracemalloc":>12} {"resident":>9}')
    rows: list[tuple[str, str, dict[str, Any]]] = [
        ('tape_liveness: False', sys.executable, {'optimizations': {'tape_liveness': False}}),
        ('default', sys.executable, {}),
        ('optimized=False', sys.executable, {'optimized': False}),
    ]
    if chosen.predecessor:
        on = {'optimizations': {'tape_liveness': True}}
        rows.append(('predecessor', chosen.predecessor, {}))
        rows.append(('predecessor, tape_liveness: True', chosen.predecessor, on))
    for name in ('sums', 'means'):
        for title, python, options in rows:
            found = measure(python, name, options, chosen.elements, chosen.steps)
            if isinstance(found, str):
                print(f'{name:8} {title:34} {found}')
                continue
            title = title.replace('predecessor', f'tangent-ad {found["version"]}')
            print(
                f'{name:8} {title:34} {found["peak"] / 1e6:12.2f} {found["resident"] / 1e6:9.2f}'
                f'   NumPy {found["numpy"]}, sum of the gradient {found["sum"]:.12g}'
            )


if __name__ == '__main__':
    main()
