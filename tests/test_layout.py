"""The layout that docs/architecture.md promises: one-way includes, Python and LLVM fenced in."""

from __future__ import annotations

import re
import subprocess
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SRC = ROOT / "src"

# For each folder of src/ the folders that its files may include, beside itself. Some files have a
# row of their own: the type lattice stands below the rest of types/, because the outside answers
# with types; the header of the road holds the options, which its last stages read, and those about
# checkpoints are read by autodiff/ as well; the module binds what is in runtime/, which stands on
# the rest of python/.
MAY_INCLUDE: dict[str, set[str]] = {
    "base": set(),
    "syntax": {"base"},
    "types/type": {"base", "syntax"},
    "capture": {"base", "syntax", "types/type"},
    "rules": {"base", "syntax"},
    "lower": {"base", "syntax", "types/type", "capture", "rules"},
    "types": {"base", "syntax", "types/type", "capture", "rules", "lower"},
    "autodiff/checkpoint_options.h": {"base", "syntax"},
    "pipeline.h": {
        "base", "syntax", "types/type", "capture", "rules", "lower", "types",
        "autodiff/checkpoint_options.h",
    },
    "analysis": {"base", "syntax", "types/type", "capture", "rules", "lower", "types"},
}
MAY_INCLUDE["autodiff"] = {*MAY_INCLUDE["analysis"], "analysis", "autodiff/checkpoint_options.h"}
MAY_INCLUDE["optimize"] = {*MAY_INCLUDE["autodiff"], "autodiff", "pipeline.h"}
MAY_INCLUDE["emit"] = {*MAY_INCLUDE["optimize"], "optimize"}
MAY_INCLUDE["loops"] = set(MAY_INCLUDE["autodiff"])
MAY_INCLUDE["kernels"] = {"base"}
MAY_INCLUDE["native"] = {*MAY_INCLUDE["loops"], "loops", "kernels"}
MAY_INCLUDE["pipeline.cpp"] = {*MAY_INCLUDE["emit"], "emit"}
MAY_INCLUDE["store"] = {*MAY_INCLUDE["pipeline.h"], "pipeline.h"}
MAY_INCLUDE["python"] = {*MAY_INCLUDE["emit"], "store"}
MAY_INCLUDE["runtime"] = {*MAY_INCLUDE["python"], "python"}
MAY_INCLUDE["python/module.cpp"] = {*MAY_INCLUDE["runtime"], "runtime"}

PYTHON_HEADER = re.compile(r'#include\s*[<"](Python\.h|nanobind/|numpy/)')
LLVM_HEADER = re.compile(r'#include\s*[<"](llvm|llvm-c|lld|clang)/')
OWN_INCLUDE = re.compile(r'#include\s*"([^"]+)"')
MOST_LINES = 1000


def tracked(*patterns: str) -> list[Path]:
    """The files of the project by pattern, those not yet committed included."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "--", *patterns],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.splitlines()
    return [ROOT / name for name in sorted(set(listed)) if (ROOT / name).is_file()]


def unit_of(path: str) -> str:
    """The row of the table that a path below src/ belongs to."""
    if path in ("types/type.h", "types/type.cpp"):
        return "types/type"
    return path if path in MAY_INCLUDE else path.split("/")[0]


def sources() -> list[Path]:
    return tracked("src/*.h", "src/*.cpp", "src/*.def")


def test_the_table_has_no_cycle() -> None:
    assert list(TopologicalSorter(MAY_INCLUDE).static_order())


def test_includes_point_one_way() -> None:
    wrong = []
    for path in sources():
        name = path.relative_to(SRC).as_posix()
        unit = unit_of(name)
        assert unit in MAY_INCLUDE, f"src/{name}: give its folder a row in the table"
        for included in OWN_INCLUDE.findall(path.read_text()):
            if not (SRC / included).exists():
                continue  # a header of the compiler or of the build
            target = unit_of(included)
            if target != unit and target not in MAY_INCLUDE[unit]:
                wrong.append(f"src/{name} includes {included}")
    assert not wrong, "\n".join(wrong)


def test_own_headers_are_spelled_from_src() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}: {included}"
        for path in sources()
        for included in OWN_INCLUDE.findall(path.read_text())
        if not (SRC / included).exists()
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    ("header", "allowed"),
    [(PYTHON_HEADER, {"python", "runtime"}), (LLVM_HEADER, {"native"})],
    ids=["python", "llvm"],
)
def test_foreign_headers_stay_in_their_folders(header: re.Pattern[str], allowed: set[str]) -> None:
    wrong = [
        str(path.relative_to(ROOT))
        for path in [*sources(), *tracked("tests/cpp/*")]
        if header.search(path.read_text()) and path.relative_to(SRC).parts[0] not in allowed
    ]
    assert not wrong, wrong


def code_files() -> list[Path]:
    return tracked(
        "src/*.h",
        "src/*.cpp",
        "src/*.def",
        "tests/*.py",
        "tests/cpp/*",
        "python/*.py",
        "rules/*.py",
        "tools/*",
        "examples/*.py",
        "benchmarks/*.py",
    )


def test_every_file_says_what_it_is_for() -> None:
    opening = {
        ".h": "//",
        ".cpp": "//",
        ".def": "//",
        ".py": ('"""', "#", 'r"""'),
        ".sh": "#!",
        ".txt": "#",
    }
    wrong = []
    for path in code_files():
        if path.is_relative_to(ROOT / "tests" / "golden"):
            continue  # texts that passes read and write
        header = path.with_suffix(".h")
        if path.suffix == ".cpp" and header.exists():
            continue  # the header's head comment says it for both
        if not path.read_text().startswith(opening[path.suffix]):
            wrong.append(str(path.relative_to(ROOT)))
    assert not wrong, wrong


def test_no_file_is_too_long() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}: {lines} lines"
        for path in code_files()
        if (lines := path.read_text().count("\n")) > MOST_LINES
    ]
    assert not wrong, "\n".join(wrong)


def test_nothing_of_one_machine_is_in_the_files() -> None:
    # Written so that this file does not find itself.
    traces = re.compile("|".join(["/" + "home/", "/" + "root/", "/" + "work/", "/" + "Users/"]))
    wrong = []
    for path in tracked("*"):
        try:
            text = path.read_text()
        except UnicodeDecodeError:
            continue
        wrong += [
            f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
            for number, line in enumerate(text.splitlines(), 1)
            if traces.search(line)
        ]
    assert not wrong, "\n".join(wrong)


def test_every_kind_of_node_has_one_struct() -> None:
    kinds = re.findall(
        r"TANGENT_(EXPRESSION|STATEMENT|PART)\((\w+)\)", (SRC / "syntax/nodes.def").read_text()
    )
    kinds = [(base, kind) for base, kind in kinds if kind != "kind"]
    header = (SRC / "syntax/nodes.h").read_text()
    structs = dict(re.findall(r"^struct (\w+) : (Expr|Stmt|Part) \{", header, re.M))
    bases = {"EXPRESSION": "Expr", "STATEMENT": "Stmt", "PART": "Part"}
    assert {kind: bases[base] for base, kind in kinds} == structs
