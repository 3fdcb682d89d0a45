"""Runs clang-tidy on the files whose preprocessed text has changed since they were found clean.

Usage: tidy.py BUILD STAMPS

In: the compile commands of a build (BUILD/compile_commands.json), best one that compiles files in
batches: most of the time goes to the headers. Out: the findings, and exit status 1 if there are
any. A clean file leaves an empty stamp in STAMPS whose name is the hash of
all that decides about the findings: its text with all its headers (comments included: they can
hold NOLINT), the checks, and the version of clang-tidy.
"""

from __future__ import annotations

import concurrent.futures
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

TIDY = "clang-tidy-19"
ROOT = Path(__file__).resolve().parent.parent
CHECKED = (ROOT / "src", ROOT / "tests" / "cpp")


@dataclass(frozen=True)
class Unit:
    """One entry of compile_commands.json."""

    source: Path
    folder: Path
    command: tuple[str, ...]


@dataclass(frozen=True)
class Outcome:
    source: Path
    findings: str
    skipped: bool


def read_units(build: Path) -> list[Unit]:
    entries = json.loads((build / "compile_commands.json").read_text())
    units = [
        Unit(Path(entry["file"]), Path(entry["directory"]), tuple(shlex.split(entry["command"])))
        for entry in entries
    ]
    return [unit for unit in units if any(is_checked(path) for path in (unit.source, *parts(unit)))]


def is_checked(path: Path) -> bool:
    return any(path.is_relative_to(part) for part in CHECKED)


def parts(unit: Unit) -> list[Path]:
    """The files of a batch, which is a file of includes and nothing else."""
    if "Unity" not in unit.source.parts:
        return []
    return [Path(name) for name in re.findall(r'#include "(.+)"', unit.source.read_text())]


def preprocess(unit: Unit) -> bytes:
    command = list(unit.command)
    command[command.index("-o") : command.index("-o") + 2] = []
    return subprocess.run(
        [*command, "-E", "-C", "-P"], cwd=unit.folder, check=True, capture_output=True
    ).stdout


def check(unit: Unit, build: Path, stamps: Path, salt: bytes) -> Outcome:
    name = hashlib.sha256(salt + preprocess(unit)).hexdigest()
    stamp = stamps / name
    if stamp.exists():
        return Outcome(unit.source, "", skipped=True)
    done = subprocess.run(
        [TIDY, "--quiet", "-p", str(build), str(unit.source)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode == 0:
        stamp.touch()
        return Outcome(unit.source, "", skipped=False)
    return Outcome(unit.source, done.stdout or done.stderr, skipped=False)


def main() -> int:
    build, stamps = (Path(argument).resolve() for argument in sys.argv[1:3])
    stamps.mkdir(parents=True, exist_ok=True)
    version = subprocess.run([TIDY, "--version"], check=True, capture_output=True).stdout
    salt = version + (ROOT / ".clang-tidy").read_bytes()
    units = read_units(build)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        outcomes = list(pool.map(lambda unit: check(unit, build, stamps, salt), units))
    for outcome in outcomes:
        if outcome.findings:
            print(outcome.findings)
    failed = sum(1 for outcome in outcomes if outcome.findings)
    skipped = sum(1 for outcome in outcomes if outcome.skipped)
    print(f"clang-tidy: {len(units)} files, {skipped} unchanged, {failed} with findings")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
