"""The tables of docs/performance.md: Tangent beside the tools that users would come from.

    python benchmarks/vs_frameworks.py                  prints the tables
    python benchmarks/vs_frameworks.py --plot FILE      draws them, too (needs matplotlib)
    python benchmarks/vs_frameworks.py --write          writes docs/performance.md, README's section
    python benchmarks/vs_frameworks.py --resume         goes on with a run that was interrupted
    python benchmarks/vs_frameworks.py --only mlp,cold  some cases alone

Each tool runs each case in a process of its own, one thread, several rounds in turn; a number is
the least of all rounds, and ratios are of numbers of one run. What a process gave is kept at once
(build/benchmarks/frameworks.json). A process that takes longer than its limit is ended; a tool that
fails has a row that says why. When the time of the whole run is over, further rounds are left out,
the first never. `tangent-ad`, which has the import name of this package, and `autograd` get
environments of their own under the cache folder (`$XDG_CACHE_HOME/tangent-benchmarks`).

What runs in the processes is in `benchmarks/framework_cases.py`, the page in
`benchmarks/frameworks_page.py`.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path
from typing import Any

import frameworks_page
from frameworks_page import OTHER, PAGE, ROOT, TABLES, Measured, Results, tools_of

CASES = Path(__file__).resolve().parent / 'framework_cases.py'
KEPT = ROOT / 'build' / 'benchmarks' / 'frameworks.json'
# Tools that are installed apart, by the start of their names, and what is installed.
APART = {
    'tangent-ad': ['tangent-ad==0.4.0', 'gast', 'setuptools'],
    'autograd': ['autograd==1.8.0'],
}
# What these compile is kept on disk: only their first round tells how long it takes.
CACHING = ('tangent-torch', 'torch-compile', 'tangent-tinygrad', 'tinygrad')


def apart(tool: str) -> str | None:
    return next((name for name in APART if tool.startswith(name)), None)


def environment_of(tool: str, caches: Path) -> dict[str, str]:
    """The environment of a process: one thread everywhere, compilers' caches of this run."""
    environment = dict(os.environ)
    for name in ('OMP', 'OPENBLAS', 'MKL', 'NUMEXPR'):
        environment[f'{name}_NUM_THREADS'] = '1'
    environment['XLA_FLAGS'] = '--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1'
    environment['JAX_PLATFORMS'] = 'cpu'
    environment['TANGENT_DISK_CACHE'] = '0'
    environment['TF_CPP_MIN_LOG_LEVEL'] = '3'
    compilers = [str(path) for path in sorted(Path('/usr/lib').glob('llvm-*/bin'))]
    environment['PATH'] = os.pathsep.join([environment.get('PATH', ''), *compilers])
    if tool in CACHING:
        environment['TORCHINDUCTOR_CACHE_DIR'] = str(caches / tool)
        environment['CACHEDB'] = str(caches / f'{tool}.db')
    if apart(tool):
        environment.pop('PYTHONPATH', None)
    return environment


def python_apart(name: str) -> str:
    """The interpreter of the environment that has a tool, made when first needed."""
    cache = Path(os.environ.get('XDG_CACHE_HOME') or Path.home() / '.cache')
    wanted = [*APART[name], f'numpy=={importlib.metadata.version("numpy")}']
    folder = cache / 'tangent-benchmarks' / '-'.join(wanted).replace('==', '-')
    python = folder / 'bin' / 'python'
    if not (folder / '.done').exists():
        venv.create(folder, with_pip=True, clear=True)
        subprocess.run([python, '-m', 'pip', 'install', '--quiet', *wanted],
                       check=True, capture_output=True, text=True, timeout=300)
        (folder / '.done').touch()
    return str(python)


def last_line(text: str) -> str:
    lines = [line for line in text.strip().splitlines() if line.strip()]
    return lines[-1].strip()[:160] if lines else ''


def run(case: str, tool: str, limit: float, caches: Path) -> dict[str, Any]:
    """One process: what it measured, or why it did not."""
    name = apart(tool)
    try:
        python = python_apart(name) if name else sys.executable
    except (OSError, subprocess.SubprocessError) as error:
        said = last_line(str(getattr(error, 'stderr', '') or error))
        return {'failure': f'cannot be installed: {said}'}
    # A session of its own, so that what the process starts (compilers) ends with it.
    process = subprocess.Popen(
        [python, str(CASES), case, tool],
        env=environment_of(tool, caches), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, cwd=CASES.parent, start_new_session=True,
    )
    try:
        output, errors = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        return {'failure': f'took more than {limit:.0f} s'}
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
    lines = output.strip().splitlines()
    if process.returncode != 0 or not lines:
        return {'failure': last_line(errors) or f'ended with {process.returncode}'}
    try:
        measured: dict[str, Any] = json.loads(lines[-1])
    except json.JSONDecodeError:
        return {'failure': f'printed no result: {lines[-1][:120]}'}
    return measured


class Kept:
    """What the processes gave so far, as a file that is there after each of them."""

    def __init__(self, resume: bool) -> None:
        self.results: dict[str, dict[str, Any]] = {}
        if resume and KEPT.exists():
            kept = json.loads(KEPT.read_text(encoding='utf-8'))
            # What failed is tried again.
            self.results = {key: value for key, value in kept.items() if 'failure' not in value}

    def __contains__(self, key: str) -> bool:
        return key in self.results

    def add(self, key: str, result: dict[str, Any]) -> None:
        self.results[key] = result
        KEPT.parent.mkdir(parents=True, exist_ok=True)
        whole = KEPT.with_suffix('.new')
        whole.write_text(json.dumps(self.results, indent=1), encoding='utf-8')
        whole.replace(KEPT)

    def found(self, cases: list[str]) -> Results:
        """What is kept, by case and tool."""
        results = {case: {tool: Measured() for tool in tools_of(case)} for case in cases}
        for key, result in self.results.items():
            case, tool, turn = key.split('/')
            if case not in results:
                continue
            if tool in CACHING and turn != '1' and 'numbers' in result:
                numbers = {k: v for k, v in result['numbers'].items() if k != 'first'}
                result = {**result, 'numbers': numbers}
            results[case][tool].add(result)
        return results


def measure(cases: list[str], rounds: int, limit: float, minutes: float, resume: bool) -> Results:
    """All tools of all cases, in turn, so that none has a quieter machine than another."""
    kept = Kept(resume)
    end = time.monotonic() + 60 * minutes
    caches = Path(tempfile.mkdtemp(prefix='tangent-benchmarks-'))
    gone: set[str] = set()
    try:
        for turn in range(1, rounds + 1):
            for case in cases:
                for tool in tools_of(case):
                    key = f'{case}/{tool}/{turn}'
                    if key in kept or f'{case}/{tool}' in gone:
                        continue
                    if turn > 1 and time.monotonic() > end:
                        print(f'the {minutes:g} minutes are over in round {turn}', file=sys.stderr)
                        return kept.found(cases)
                    started = time.monotonic()
                    result = run(case, tool, limit, caches)
                    if 'failure' in result:
                        gone.add(f'{case}/{tool}')
                    kept.add(key, result)
                    print(f'{key} ({time.monotonic() - started:.1f} s): '
                          f'{result.get("failure") or result["numbers"]}', file=sys.stderr)
    finally:
        shutil.rmtree(caches, ignore_errors=True)
    return kept.found(cases)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--only', default=','.join([*TABLES, *OTHER]), help='cases, with commas')
    parser.add_argument('--rounds', type=int, default=3)
    parser.add_argument('--limit', type=float, default=120, help='seconds that a process may take')
    parser.add_argument('--minutes', type=float, default=13, help='of the whole run')
    parser.add_argument('--resume', action='store_true', help='keep what an earlier run measured')
    parser.add_argument('--plot', type=Path, help='a file for the chart (.png, .svg)')
    parser.add_argument('--write', action='store_true',
                        help=f'write {PAGE.relative_to(ROOT)} and the section of README.md')
    arguments = parser.parse_args()
    cases = arguments.only.split(',')
    unknown = [case for case in cases if case not in TABLES and case not in OTHER]
    if unknown:
        parser.error(f'no case {unknown[0]!r}: the cases are {", ".join([*TABLES, *OTHER])}')
    if arguments.write and set(cases) != {*TABLES, *OTHER}:
        parser.error('--write is of all cases')
    found = measure(cases, arguments.rounds, arguments.limit, arguments.minutes, arguments.resume)
    print(frameworks_page.page(found))
    if arguments.plot:
        frameworks_page.plot(found, arguments.plot)
    if arguments.write:
        frameworks_page.write(found)


if __name__ == '__main__':
    main()
