"""The printer against CPython: what it prints of the standard library reads back as the same tree.

tests/cpp/printer_test.cpp has the tables that say what the text looks like.
"""

from __future__ import annotations

import ast
import io
import re
import sysconfig
import tokenize
import warnings
from pathlib import Path

import pytest
from tangent import _core

LIBRARY = Path(sysconfig.get_path("stdlib"))
GRAMMAR = """
asyncgen bytes complex coroutines dictcomps exception_group float fstring generators genexps grammar
int lambda listcomps named_expressions patma positional_only_arg slice string_literals strings
syntax unicode_identifiers unpack_ex with
"""


def is_text(path: Path) -> bool:
    """Whether this Python has the file, in UTF-8."""
    try:
        return path.exists() and bool(path.read_text("utf-8"))
    except UnicodeDecodeError:
        return False


# A part of the ordinary code, and the files in which CPython tests its own grammar, of which each
# Python has those that it needs.
FILES = sorted(
    {
        *sorted(filter(is_text, LIBRARY.glob("*.py")))[::4],
        *sorted(filter(is_text, LIBRARY.glob("asyncio/*.py")))[::4],
        *filter(is_text, (LIBRARY / "test" / f"test_{topic}.py" for topic in GRAMMAR.split())),
    }
)
# A name that the reader has mangled, as the compiler does (`_Class__name`).
MANGLED = re.compile(r"'_*[A-Za-z]\w*?(__\w+)'")


def normal_form(text: str) -> str:
    """The tree of a text, without what the nodes do not keep."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the files' own
        tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.AnnAssign):
            node.simple = 0  # whether the target stood in parentheses
        elif isinstance(node, ast.Constant):
            node.kind = None  # the u of u"text"
    return MANGLED.sub(r"'\1'", ast.dump(tree))


def printed(text: str) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the files' own
        return _core.parse_and_print(text)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_library_files_read_back(path: Path) -> None:
    text = path.read_text("utf-8")
    once = printed(text)
    assert normal_form(once) == normal_form(text)
    assert printed(once) == once


def unbreakable_lines(text: str) -> set[int]:
    """The lines that are as long as they are for the sake of one string, or of a statement that
    Python lets nobody put in parentheses."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        long_string = token.type == tokenize.STRING and len(token.string) > 40
        if long_string or token.string in ("global", "nonlocal", "del", "import"):
            lines.update(range(token.start[0], token.end[0] + 1))
    return lines


def test_there_are_enough_files() -> None:
    assert len(FILES) > 40


def test_lines_fit() -> None:
    too_long = []
    for path in sorted(LIBRARY.glob("*.py"))[1::4]:
        text = printed(path.read_text())
        fixed = unbreakable_lines(text)
        too_long += [
            f"{path.name}:{number}: {line}"
            for number, line in enumerate(text.splitlines(), 1)
            if len(line) > 100 and number not in fixed
        ]
    assert not too_long


@pytest.mark.parametrize(
    "text",
    [
        "x = -1\n",
        "x = (-1) ** 2\n",
        "x = -1 ** 2\n",
        "x = 2 ** -1\n",
        "x = 1e-05 + 0x10 + 1_000 + 2j\n",
        "with ((a, b)):\n    pass\n",
        "with a as b, c as (d, e):\n    pass\n",
        "x = f'{a!r:>{width}}' + f\"{b['k']}\"\n",
        "for x, in y:\n    pass\n",
        "x[1:, ::2, ...] = y[*z]\n",
        "lambda *, a: (yield)\n",
        "async def f():\n    return [x async for x in y if await z]\n",
        "match x:\n    case {'a': [1, *_], **rest} | P(1, b=2 as c) if (n := 1):\n        pass\n",
        "try:\n    pass\nexcept* (A, B) as e:\n    raise X from e\n",
        "@a.b(c)[d]\nclass A(B, metaclass=C):\n    x: int = 1, 2\n",
        "assert (a, b), c\n",
        "del (a, b), c\n",
        "print(*a, **b, c=(d := 1))\n",
        "x = yield\n",
        "x = {**a, 'b': 1}, {*c}, {}\n",
        "if a:\n    pass\nelse:\n    if b:\n        pass\n    c\n",
    ],
)
def test_corners_read_back(text: str) -> None:
    assert normal_form(printed(text)) == normal_form(text)


def test_deep_sums_and_chains() -> None:
    terms = " + ".join(f"x[{i}] * {i}" for i in range(2000))
    text = f"y = {terms}\n"
    assert printed(printed(text)) == printed(text)
    branches = "if x == 0:\n    y = 0\n" + "".join(
        f"elif x == {i}:\n    y = {i}\n" for i in range(1, 90)
    )
    assert printed(branches) == branches
