"""What the documents print is what comes out, and what they name is there.

In README.md and the documents of `DOCUMENTS` the blocks marked `python` are run as they are
printed, one after the other in one namespace. A block marked `text` or `py` right behind one is
what it prints; a `python` block without one prints nothing. `python tests/test_documents.py` writes
anew what has changed in them.
"""

from __future__ import annotations

import contextlib
import io
import linecache
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = [
    "README.md",
    "docs/architecture.md",
    "docs/caches.md",
    "docs/calls.md",
    "docs/checkpointing.md",
    "docs/inspection.md",
    "docs/options.md",
    "docs/rules.md",
]
# A block of Python, and the block of output behind it, if there is one.
BLOCKS = re.compile(r"```python\n(?P<code>.*?)```\n(?:\n```(?:text|py)\n(?P<out>.*?)```\n)?", re.S)


def printed_by(code: str, place: str, namespace: dict[str, object]) -> str:
    """Runs a block as if it stood in a file of its own, so that its functions have a source."""
    linecache.cache[place] = len(code), None, code.splitlines(keepends=True), place
    out = io.StringIO()
    with contextlib.chdir(ROOT), contextlib.redirect_stdout(out):
        exec(compile(code, place, "exec"), namespace)
    return out.getvalue().rstrip("\n") + "\n" if out.getvalue() else ""


def run(name: str) -> tuple[str, str]:
    """The document as it is, and as it should be."""
    text = (ROOT / name).read_text()
    namespace: dict[str, object] = {"__name__": f"document {name}"}
    number = 0

    def anew(block: re.Match[str]) -> str:
        nonlocal number
        number += 1
        out = printed_by(block["code"], f"<{name} block {number}>", namespace)
        if block["out"] is None:
            assert not out, f"{name}: block {number} prints, and shows nothing"
            return block[0]
        start = block.start("out") - block.start()
        end = block.end("out") - block.start()
        return block[0][:start] + out + block[0][end:]

    return text, BLOCKS.sub(anew, text)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_output_is_as_printed(name: str) -> None:
    """Each in a process of its own: what one registers is not there for the next."""
    assert "```python" in (ROOT / name).read_text()
    code = "import sys, test_documents; shown, real = test_documents.run(sys.argv[1]); "
    code += "sys.exit(shown != real)"
    command = [sys.executable, "-c", code, name]
    done = subprocess.run(command, cwd=ROOT / "tests", capture_output=True, text=True)
    anew = f"{name}: `python tests/test_documents.py` writes the output anew"
    assert done.returncode == 0, done.stderr or anew


@pytest.mark.parametrize("name", [*DOCUMENTS, "docs/notes.md", "CONTRIBUTING.md"])
def test_named_files_exist(name: str) -> None:
    """Paths in backquotes that start with a folder of the project are there."""
    text = re.sub(r"```.*?```", "", (ROOT / name).read_text(), flags=re.S)
    pattern = r"`((?:src|python|rules|tests|tools|docs|examples|benchmarks)/[\w./-]*)`"
    for path in re.findall(pattern, text):
        missing = not (ROOT / path).exists() and "NAME" not in path
        assert not missing, f"{name} names {path}"


@pytest.mark.parametrize("name", ["README.md"])
def test_named_commands_exist(name: str) -> None:
    makefile = (ROOT / "Makefile").read_text()
    commands = re.findall(r"\bmake ([a-z-]+)", (ROOT / name).read_text())
    assert commands
    for command in commands:
        assert re.search(rf"^{command}:", makefile, re.M), command


def test_a_wrong_output_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    (tmp_path / "a.md").write_text("```python\nprint(1 + 1)\n```\n\n```text\n3\n```\n")
    shown, real = run("a.md")
    assert shown != real
    assert real == "```python\nprint(1 + 1)\n```\n\n```text\n2\n```\n"
    (tmp_path / "b.md").write_text("```python\nprint(1)\n```\n")
    with pytest.raises(AssertionError, match="shows nothing"):
        run("b.md")


if __name__ == "__main__":
    for document in DOCUMENTS:
        shown, real = run(document)
        if shown != real:
            (ROOT / document).write_text(real)
            print(f"{document}: written anew")
