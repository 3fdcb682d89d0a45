"""What tests of the disk cache run in processes of their own, and how they run it.

In a process: `gradients(module, calls)` makes gradients of a module's functions and says what came
out, and how many functions were captured for it: none where all came from the disk.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent

_REPORT = """
import json, sys
sys.path[:0] = [{folder!r}]
import numpy as np
import tangent
from tangent import _capture

captured = []
read = _capture.read
_capture.read = lambda function: (captured.append(function.__name__), read(function))[1]

def plain(value):
    if isinstance(value, dict):
        return {{key: plain(each) for key, each in value.items()}}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    return value if isinstance(value, (int, float, str, type(None))) else plain(vars(value))

def call(made, *args):
    value = made(*args)
    names = captured[before[-1]:]
    before.append(len(captured))
    return {{"value": plain(value), "text": made.__tangent_source__, "captured": names}}

before = [0]

results = []
{body}
print(json.dumps({{"results": results, "captured": captured}}))
"""


def environment(cache: Path, **more: str) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith("TANGENT_")}
    # Byte code would say when a module was compiled: the tests write modules anew at once.
    return {
        **kept,
        "TANGENT_CACHE_DIR": str(cache),
        "PYTHONDONTWRITEBYTECODE": "1",
        "OPENBLAS_NUM_THREADS": "1",
        **more,
    }


def run(code: str, env: Mapping[str, str], check: bool = True) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-c", code], env=dict(env), capture_output=True, text=True, timeout=120
    )
    if check and done.returncode != 0:
        raise AssertionError(done.stdout + done.stderr)
    return done


def report(folder: Path, body: str, cache: Path, **more: str) -> dict[str, Any]:
    """Runs lines that append to `results`; `results` and `captured` as they are at the end.

    Nothing may be written to stderr: no warning, no exception that somebody swallowed.
    """
    done = run(_REPORT.format(folder=str(folder), body=body), environment(cache, **more))
    assert not done.stderr, done.stderr
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def entries(cache: Path) -> list[Path]:
    return sorted((cache / "native-1").glob("*.grad"))
