"""How long the user waits: import, the first gradient, the next ones, and what a call costs.

    .venv/bin/python benchmarks/latency.py [NAME …]

The functions are the golden ones where `../shared/golden` is there (or $SHARED says where), else
three of this file. Times are minima of several rounds, for a busy machine disturbs only upwards.

fresh     grad(f) and the first call, in a process that has imported tangent and nothing else done,
          without a disk cache
disk      the same where another process has made this gradient before: it comes from the disk cache
warm      the same for the function made again from its code, when rules and caches are there
again     grad(f) for a function and options that are known: a hit of the memory cache
memory    the same and a call
text      one call of the emitted function alone, df.variant(*args)
df        one call of df: the text, and the guard and the binding of arguments before it
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import platform
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
GOLDEN = Path(os.environ.get("SHARED", ROOT.parent / "shared")) / "golden" / "adjoints.py"
FOUNDATION = """
    polynomial recurrence mlp affine_loss newton_sqrt first_crossing energy relax discharge
    roughness decay layer
""".split()
PROCESSES = 3
DISK_PROCESSES = 8
LONG = 500
# The processes that are measured cache the bytecode of tangent, as a user's do. The user's own disk
# cache is left alone.
ENVIRONMENT = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
ENVIRONMENT["TANGENT_DISK_CACHE"] = "0"


def polynomial(x):
    return x**3 - 2 * x**2 + 3 * x - 1


def decay(x, rate):
    total = 0.0
    for _ in range(20):
        if x > 0.1:
            x = x - 0.1 * rate * x * x
        total = total + x
    return total


def layer(w, x):
    hidden = np.tanh(x @ w)
    return np.sum(hidden * hidden)


OWN = [
    ("polynomial", (2.0,), (0,)),
    ("decay", (3.0, 0.5), (0, 1)),
    ("layer", (np.full((4, 3), 0.1), np.ones((5, 4))), (0,)),
]
Case = tuple[FunctionType, tuple[Any, ...], tuple[int, ...]]


def cases(names: list[str]) -> dict[str, Case]:
    """By name the function, its arguments, what is differentiated; of several cases the first."""
    module: ModuleType = sys.modules[__name__]
    listed: list[Any] = OWN
    if GOLDEN.exists():
        spec = importlib.util.spec_from_file_location("adjoints", GOLDEN)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules["adjoints"] = module
        # Nothing is left in the shared folder; what tangent imports later is cached as ever.
        before, sys.dont_write_bytecode = sys.dont_write_bytecode, True
        spec.loader.exec_module(module)
        sys.dont_write_bytecode = before
        listed = module.CASES
    wanted = names or FOUNDATION
    found: dict[str, Case] = {}
    for name, args, wrt, *_ in listed:
        if name in wanted and name not in found:
            found[name] = getattr(module, name), args, wrt
    for name in names:
        if name not in found:
            sys.exit(f"{name}: there is no such function in {module.__file__}")
    return found


def same_again(function: FunctionType) -> FunctionType:
    """The function with none of what is remembered about it."""
    again = FunctionType(
        function.__code__,
        function.__globals__,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    again.__kwdefaults__ = function.__kwdefaults__
    return again


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def per_call(function: Callable[..., object], args: tuple[Any, ...], spend: float = 0.01) -> float:
    """Seconds of one call: many in a row, as many as fit into `spend`."""
    once = max(seconds(lambda: function(*args)), 1e-8)
    times = max(1, int(spend / once))

    def many() -> None:
        for _ in range(times):
            function(*args)

    return seconds(many) / times


def long_program(lines: int) -> str:
    """A module with a function of so many lines: loops, branches and NumPy calls."""
    forms = [
        "{n} = {a} * {b} + np.sin({c})",
        "{n} = np.exp(-{a} * {a}) * {b}",
        "{n} = ({a} + {b}) / (2.0 + {c} * {c})",
        "{n} = {a}\nfor i in range(3):\n    {n} = {n} * 0.5 + np.cos({b})",
        "if {a} > {b}:\n    {n} = {a} * {c}\nelse:\n    {n} = {b} - {c}",
        "{n} = np.tanh({a} - 0.5 * {b})",
        "{n} = np.sqrt(1.0 + {a} * {a}) - {b}",
        "{n} = {a} - {b} * {c}",
    ]
    chosen = random.Random(1)
    names, body = ["x", "y"], list[str]()
    while len(body) < lines - 2:
        a, b, c = (chosen.choice(names[-12:]) for _ in range(3))
        names.append(f"v{len(names)}")
        body += chosen.choice(forms).format(n=names[-1], a=a, b=b, c=c).split("\n")
    body.append("return " + " + ".join(names[-12:]))
    indented = "".join(f"    {each}\n" for each in body)
    return f"import numpy as np\n\ndef program(x, y):\n{indented}"


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def measure_first(name: str) -> float:
    """grad(f) and the first call; run in a process of its own."""
    import tangent

    if name.endswith(".py"):
        function, args, wrt = load(Path(name)).program, (1.1, 0.7), (0,)
    else:
        function, args, wrt = cases([name])[name]
    function(*args)
    return seconds(lambda: tangent.grad(function, wrt=wrt)(*args))


def first(name: str, **more: str) -> float:
    """The least of several processes."""
    found = []
    for _ in range(DISK_PROCESSES):
        command = [sys.executable, __file__, "--first", name]
        done = subprocess.run(
            command, env={**ENVIRONMENT, **more}, capture_output=True, check=True
        )
        found.append(float(done.stdout))
    return min(found)


def from_disk(name: str) -> float:
    """The same where the gradient is in the disk cache, which is a new one."""
    with tempfile.TemporaryDirectory() as folder:
        return first(name, TANGENT_DISK_CACHE="1", TANGENT_CACHE_DIR=folder)


def print_long() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "long_program.py"
        path.write_text(long_program(LONG))
        cold, disk = first(str(path)), from_disk(str(path))
    print(
        f"\na program of {LONG} lines: cold {1e3 * cold:.1f} ms, from disk {1e3 * disk:.1f} ms, "
        f"{cold / disk:.1f} times as fast"
    )


def measure_import() -> float:
    code = (
        "import time, numpy, scipy; a = time.perf_counter(); "
        "import tangent; print(time.perf_counter() - a)"
    )
    return float(subprocess.check_output([sys.executable, "-c", code], env=ENVIRONMENT))


def measure_one(name: str) -> dict[str, float]:
    """Run in a process of its own."""
    import tangent

    function, args, wrt = cases([name])[name]
    function(*args)
    found = {"fresh": seconds(lambda: tangent.grad(function, wrt=wrt)(*args))}

    first = same_again(function)
    call = seconds(lambda: tangent.grad(first, wrt=wrt)(*args))
    again = [same_again(function) for _ in range(20)]
    warm = min([call, *(seconds(lambda f=f: tangent.grad(f, wrt=wrt)(*args)) for f in again)])
    df = tangent.grad(function, wrt=wrt)
    text = df.variant(*args)
    calls = {"primal": function, "text": text, "df": df}
    for _ in range(20):  # in turn, so that what disturbs one disturbs the others
        for key, called in calls.items():
            found[key] = min(found.get(key, float("inf")), per_call(called, args, 0.002))
    found["warm"] = warm
    found["again"] = min(per_call(lambda: tangent.grad(function, wrt=wrt), ()) for _ in range(3))
    found["memory"] = min(
        per_call(lambda: tangent.grad(function, wrt=wrt)(*args), ()) for _ in range(3)
    )
    return found


def machine() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        model = next(line.split(":", 1)[1].strip() for line in lines if "model name" in line)
    except (OSError, StopIteration):
        model = platform.processor() or platform.machine()
    return f"{model}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"


def main() -> None:
    import tangent

    parser = argparse.ArgumentParser(description="What the user waits for.")
    parser.add_argument("names", nargs="*", help="functions; without any all of the foundation's")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    parser.add_argument("--first", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.first:
        print(measure_first(options.first))
        return
    if options.one:
        print(json.dumps(measure_one(options.one)))
        return

    print(f"{machine()}\n{platform.platform()}")
    print(
        f"Python {platform.python_version()}, NumPy {np.__version__}, tangent {tangent.__version__}"
    )
    beyond = min(measure_import() for _ in range(PROCESSES))
    print(f"import beyond NumPy and SciPy: {1e3 * beyond:.1f} ms\n")
    print(
        f"{'':16}{'fresh':>10}{'disk':>10}{'warm':>10}{'again':>10}{'memory':>12}{'text':>12}{'df':>12}"
        f"{'df - text':>12}{'df / text':>11}{'df / primal':>13}"
    )
    for name in cases(options.names):
        rounds = []
        for _ in range(PROCESSES):
            command = [sys.executable, __file__, "--one", name]
            done = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT)
            if done.returncode != 0:
                print(f"{name:16}{done.stderr.strip().splitlines()[-1][:90]}")
                break
            rounds.append(json.loads(done.stdout))
        else:
            best = {key: min(each[key] for each in rounds) for key in rounds[0]}
            best["fresh"] = min(best["fresh"], first(name))
            print(
                f"{name:16}{1e3 * best['fresh']:7.2f} ms{1e3 * from_disk(name):7.2f} ms"
                f"{1e3 * best['warm']:7.2f} ms"
                f"{1e6 * best['again']:7.2f} µs{1e6 * best['memory']:9.2f} µs"
                f"{1e6 * best['text']:9.2f} µs{1e6 * best['df']:9.2f} µs"
                f"{1e9 * (best['df'] - best['text']):9.0f} ns{best['df'] / best['text']:11.3f}"
                f"{best['df'] / best['primal']:13.2f}"
            )
    if not options.names:
        print_long()


if __name__ == "__main__":
    main()
