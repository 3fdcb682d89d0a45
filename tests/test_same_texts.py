"""The text of a gradient is the same in every process, whatever was differentiated before.

Names and nodes lie where memory is given, which differs from process to process; nothing in a text
may follow from that.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).resolve().parent / 'emitted_texts.py'


def texts(order: int) -> dict[str, str]:
    environment = {**os.environ, 'PYTHONHASHSEED': str(order + 1), 'TANGENT_DISK_CACHE': '0'}
    run = subprocess.run(
        [sys.executable, str(SCRIPT), str(order)], env=environment, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    found: dict[str, str] = json.loads(run.stdout)
    return found


def test_texts_are_the_same_in_every_process() -> None:
    first = texts(0)
    assert len(first) > 20
    for order in (1, 2):
        other = texts(order)
        different = [name for name in first if first[name] != other[name]]
        assert not different
