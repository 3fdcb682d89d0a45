"""What lowering refuses: the kind of the error, its place, and a remedy in the user's terms."""

from __future__ import annotations

import linecache
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tangent
from tangent import _core, errors


class Model:
    rate = 2.0

    def __call__(self, x: float) -> float:
        return x

    def step(self, x: float) -> float:
        return x * self.rate


class Failure(Exception):
    pass


GLOBALS = {
    "np": np,
    "tangent": tangent,
    "Model": Model,
    "model": Model(),
    "step": Model().step,
    "Failure": Failure,
}
HELPERS = """
LIMIT = 3.0

def computed_default(x, limit=LIMIT):
    return x * limit

def with_finally(x):
    for _ in range(2):
        try:
            x = 2.0 * x
        finally:
            break
    return x

def maybe_unbound(n):
    for i in range(n):
        last = i
    return last

def collects(**options):
    return options

def two(a, b):
    return a * b

def applied(function, x):
    function = function
    return function(x)
"""

made = 0


def make(text: str) -> Callable[..., Any]:
    """The function f of the text, with its source where capture finds it."""
    global made
    made += 1
    filename = f"<refusal {made}>"
    text = HELPERS + text
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    scope = dict(GLOBALS)
    exec(compile(text, filename, "exec"), scope)
    return scope["f"]  # type: ignore[no-any-return]


# body of f(x), the error, what the carets mark
REFUSED = [
    ("y = (x * i for i in range(3))", "UnsupportedSyntaxError", "(x * i for i in range(3))"),
    ("y = [z := x * i for i in range(3)]", "UnsupportedSyntaxError", None),
    ("y = {**x}", "UnsupportedSyntaxError", "{**x}"),
    ("x.data[0] = 1.0", "InplaceModificationError", "x.data[0]"),
    ("x.data[0] += 1.0", "InplaceModificationError", "x.data[0]"),
    ("np.sin(x)[0] = 1.0", "InplaceModificationError", "np.sin(x)[0]"),
    ("x.rate = 1.0", "InplaceModificationError", "x.rate"),
    ("x.rate += 1.0", "InplaceModificationError", "x.rate"),
    ("x[0].rate = 1.0", "InplaceModificationError", "x[0].rate"),
    ("a, x.data[0] = x", "InplaceModificationError", "x.data[0]"),
    ("a, [b, x.rate] = x", "InplaceModificationError", "x.rate"),
    ("for x.rate in x: pass", "InplaceModificationError", "x.rate"),
    ("for x[0] in x: pass", "UnsupportedSyntaxError", "x[0]"),
    ("y = x\ndel y\nreturn y", "UnsupportedSyntaxError", "del y"),
    (
        "y = np.sin(x, out=x, where=x > 0)",
        "InplaceModificationError",
        "np.sin(x, out=x, where=x > 0)",
    ),
    ("y = x.sum(out=x)", "InplaceModificationError", "x.sum(out=x)"),
    ("x.insert(0, 1.0)", "InplaceModificationError", "x.insert(0, 1.0)"),
    ("x.remove(1.0)", "InplaceModificationError", "x.remove(1.0)"),
    ("x.sort()", "InplaceModificationError", "x.sort()"),
    ("np.multiply.at(x, 0, 1.0)", "InplaceModificationError", "np.multiply.at(x, 0, 1.0)"),
    ("np.add.at(x, (0, 1), 1.0)", "InplaceModificationError", "np.add.at(x, (0, 1), 1.0)"),
    ("try:\n    return x\nexcept* ValueError:\n    x = 1.0", "UnsupportedSyntaxError", None),
    ("a, (b, *c) = x", "UnsupportedSyntaxError", None),
    ("with np.errstate(all='raise'):\n    return x", "UnsupportedSyntaxError", None),
    ("with open('x') as g:\n    return x", "UnsupportedSyntaxError", "open('x')"),
    ("match x:\n    case [1, y]:\n        return x", "UnsupportedSyntaxError", "[1, y]"),
    ("match x:\n    case {'a': y}:\n        return x", "UnsupportedSyntaxError", None),
    ("import nowhere_at_all", "UnsupportedSyntaxError", "import nowhere_at_all"),
    ("def g(t):\n    return t\nif x:\n    g = x\nreturn g(x)", "UnsupportedSyntaxError", "g"),
    ("g = np.sin\nfor i in range(2):\n    x = g(x)\n    g = np.cos\nreturn x",
     "UnsupportedSyntaxError", None),
    ("for g in (np.sin, np.cos):\n    if x > 1:\n        break\nreturn x",
     "UnsupportedSyntaxError", "break"),
    ("g = [np.sin]\ng += [np.cos]\nreturn x", "InplaceModificationError", None),
    ("return tangent.vjp(two)(x, x, 1.0)", "UnsupportedSyntaxError", None),
    ("return tangent.grad(np.sin)(x)", "UnsupportedSyntaxError", None),
    ("yield x", "UnsupportedSyntaxError", "yield x"),
    ("y = yield", "UnsupportedSyntaxError", "yield"),
    ("class A:\n    pass", "UnsupportedSyntaxError", None),
    ("global LIMIT\nLIMIT = x", "UnsupportedSyntaxError", "LIMIT"),
    ("global LIMIT\nLIMIT += x", "UnsupportedSyntaxError", "LIMIT"),
    ("async def g():\n    pass", "UnsupportedSyntaxError", None),
    ("raise", "UnsupportedSyntaxError", "raise"),
    ("return lambda: x", "UnsupportedSyntaxError", "lambda: x"),
    ("return np.vectorize(lambda t: t)", "UnsupportedSyntaxError", "lambda t: t"),
    ("def g(t):\n    return t\nreturn g", "UnsupportedSyntaxError", "g"),
    ("if x:\n    def g(t):\n        return t\nreturn g(x)", "UnsupportedSyntaxError", "g"),
    (
        "@np.vectorize\ndef g(t):\n    return t\nreturn g(x)",
        "UnsupportedSyntaxError",
        "np.vectorize",
    ),
    ("return x(1.0)", "UnsupportedSyntaxError", "x(1.0)"),
    ("return x[0](1.0)", "UnsupportedSyntaxError", "x[0](1.0)"),
    ("return nowhere(x)", "GradientNotFoundError", "nowhere(x)"),
    ("return np.nowhere(x)", "GradientNotFoundError", "np.nowhere(x)"),
    ("return np(x)", "GradientNotFoundError", "np(x)"),
    ("return Model()", "UnsupportedSyntaxError", "Model()"),
    ("return step(x)", "UnsupportedSyntaxError", "step(x)"),
    ("return eval('x')", "UnsupportedSyntaxError", "eval('x')"),
    ("return locals()", "UnsupportedSyntaxError", "locals()"),
    ("return with_finally(x)", "UnsupportedSyntaxError", None),
    (
        "for i in x:\n    x = maybe_unbound(i)\nreturn x",
        "UnsupportedSyntaxError",
        "maybe_unbound(i)",
    ),
    ("return two(x, **x)", "UnsupportedSyntaxError", None),
    ("return two(x)", "GradientNotFoundError", "two(x)"),
    ("return two(x, x, x)", "GradientNotFoundError", "two(x, x, x)"),
    ("return two(x, a=x)", "GradientNotFoundError", "two(x, a=x)"),
    ("return two(x, c=x)", "GradientNotFoundError", "two(x, c=x)"),
    ("return y\ny = x", "UnsupportedSyntaxError", "y"),
]


@pytest.mark.parametrize(("body", "error", "marked"), REFUSED, ids=[row[0] for row in REFUSED])
def test_refused(body: str, error: str, marked: str | None) -> None:
    text = "def f(x):\n" + "".join(f"    {line}\n" for line in body.splitlines())
    function = make(text)
    with pytest.raises(errors.TangentError) as caught:
        _core.lowered(function)
    assert type(caught.value).__name__ == error
    shown = str(caught.value)
    if marked is None:
        return
    lines = shown.splitlines()
    carets = next(i for i, line in enumerate(lines) if set(line.strip()) == {"^"})
    start = lines[carets].index("^")
    assert lines[carets - 1][start : start + len(lines[carets].strip())] == marked
    assert "Instead:" in shown


# What looks alike and is not refused.
ACCEPTED = [
    "y = np.zeros(2)\nnp.copyto(y, x)\nreturn y.sum()",
    "y = np.zeros(2)\nz = np.sin(x, out=y)\nreturn z.sum()",
    "def g():\n    nonlocal x\n    x = 1.0\ng()\nreturn x",
    "y = np.sin(x, out=None)\nreturn y",
    "if x < 0.0:\n    raise Failure('negative')\nreturn x",
    "y: dict[str, float]\nreturn x",
    "global LIMIT\nreturn x * LIMIT",
    "import numpy as np\nreturn np.sin(x)",
    "def unused(t):\n    return t\nreturn x",
    "return two(x, **{'b': x})",
    "return unknown_name if x < 0.0 else x",
    "return model.rate * x",
    "return model(x)",
    "return model.step(x)",
    "y = {'a': x, 2: x * x}\nreturn y['a'] - y[2]",
    "y = np.zeros(3)\ny[0] = x\nreturn y[0] + y[1]",
    "y = np.ones(3)\ny[1:] -= x\ny[-1] *= x\nreturn y.sum()",
    "y = np.zeros(3)\ny[0], y[2] = x, x * x\nreturn y.sum()",
    "y = np.ones(3)\nfor i, y[0] in enumerate(y):\n    y[1] += i * x\nreturn y.sum()",
    "y = np.zeros(3)\na, y[1] = x, 2.0 * x\nreturn a - y[1]",
    "y = np.zeros((2, 2))\ny[0][1] = x\nreturn y.sum()",
    "y = [x * i for i in range(3)]\nreturn y[2]",
    "return sum(x * i for i in range(3))",
    "y = [x]\ny.append(2.0 * x)\nreturn y[1] * y.pop()",
    "y = [x, 1.0]\ny[1] = x * y[0]\nreturn y[1]",
]


@pytest.mark.parametrize("body", ACCEPTED)
def test_accepted(body: str) -> None:
    text = "def f(x):\n" + "".join(f"    {line}\n" for line in body.splitlines())
    function = make(text)
    scope = dict(function.__globals__)
    exec(_core.lowered(function), scope)
    assert scope["f"](0.5) == function(0.5)


def test_too_deep() -> None:
    body = "x"
    for _ in range(150):
        body = f"(-{body})"
    assert _core.lowered(make(f"def f(x):\n    return {body}\n")).count("-") == 150


def test_early_returns_that_nest_too_deep() -> None:
    lines = "".join(f"    if x > {i}:\n        return x\n    x = x + 1\n" for i in range(120))
    with pytest.raises(errors.TangentError, match="indented too deep"):
        _core.lowered(make(f"def f(x):\n{lines}"))


def test_loops_nested_too_deep_by_inlining() -> None:
    def nest(name: str, inside: str) -> str:
        text = f"def {name}(x):\n"
        for i in range(12):
            text += "    " * (i + 1) + f"for i{i} in range(1):\n"
        return text + "    " * 13 + f"x = {inside}\n    return x\n"

    with pytest.raises(errors.TangentError, match="loops are nested too deep"):
        _core.lowered(make(nest("g", "x + 1.0") + nest("f", "g(x)")))


def test_a_diagnostic_in_a_callee_names_its_own_line() -> None:
    function = make(
        "def g(x):\n    y = x\n    return {**y}\n\ndef f(x):\n    return g(x)\n"
    )
    with pytest.raises(errors.TangentError) as caught:
        _core.lowered(function)
    assert "return {**y}" in str(caught.value)
