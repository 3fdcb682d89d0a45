"""Lowering keeps the order of evaluation: random functions that print whatever they do.

Every helper prints when it is called and what it gets, so that a call that moves, is left out, or
happens twice shows. Expressions nest walrus, short circuits, ternaries, chained comparisons and
inlined calls of every shape; statements nest loops, exits and parallel assignments.
"""

from __future__ import annotations

import contextlib
import io
import linecache
import random
from typing import Any

import pytest
from tangent import _core

HELPERS = """
RATE = 2

def logged(a):
    print("logged", a)
    return a + 1

def branchy(a, b=1):
    print("branchy", a)
    if a > 2:
        return a - b
    if a < -2:
        c = a + b
        return c
    return b

def loopy(a):
    for i in range(3):
        a = a + i
        if a > 3:
            print("enough", a)
            return a * RATE
        if i == 1:
            continue
        a = a - 2
    else:
        print("not enough")
    return a

def swapped(a, b):
    return b - a

def twice(a):
    return a * a + RATE

def chosen(a, b, c):
    return a if b > c else c - b

def late(a, b):
    return logged(1) + a * b

def ignores(a, b, *rest):
    return a + len(rest)

def changes(a, b):
    a += b
    b = a - b
    return b

def pair(a):
    t = a + 1
    return t, a

def through(function, a):
    b = function(a) + 1
    return b * function(a)

def nothing(a):
    if a > 0:
        print("positive")
"""
NAMES = ["x", "y", "z", "n", "t"]  # t and n are names of helpers' locals, too


class Writer:
    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.lines: list[str] = []
        self.indent = 1
        self.loops = 0
        self.local_functions: list[str] = []
        self.count = 0

    def pick(self, options: list[str]) -> str:
        return self.draw.choice(options)

    def expression(self, depth: int) -> str:
        if depth == 0 or self.draw.random() < 0.12:
            return self.pick([*NAMES, "1", "2", "-3", "RATE"])

        def e() -> str:
            return self.expression(depth - 1)

        def n() -> str:
            return self.pick(NAMES)

        calls = [
            lambda: f"logged({e()})",
            lambda: f"branchy({e()})",
            lambda: f"branchy({e()}, {e()})",
            lambda: f"branchy(b={e()}, a={e()})",
            lambda: f"loopy({e()})",
            lambda: f"swapped({e()}, {e()})",
            lambda: f"twice({e()})",
            lambda: f"chosen({e()}, {e()}, {e()})",
            lambda: f"late({e()}, {e()})",
            lambda: f"ignores({e()}, {e()}, {e()})",
            lambda: f"changes({e()}, {e()})",
            lambda: f"pair({e()})[{self.pick(['0', '1', '-1'])}]",
            lambda: f"through(logged, {e()})",
            lambda: f"through(lambda v: v * {self.pick(NAMES)} + logged(v), {e()})",
            lambda: f"(lambda u, w: {self.pick(['w - u', 'u', 'logged(w) + u'])})({e()}, {e()})",
            lambda: f"max({e()}, {e()})",
            lambda: f"swapped(*({e()}, {e()}))",
        ]
        if self.local_functions:
            calls.append(lambda: f"{self.pick(self.local_functions)}({e()})")
        shapes = [
            lambda: f"({e()} {self.pick(['+', '-', '*'])} {e()})",
            lambda: f"({e()} {self.pick(['<', '<=', '==', '!='])} {e()})",
            lambda: f"({e()} < {e()} <= {e()})",
            lambda: f"({e()} < {e()} != {e()} > {e()})",
            lambda: f"({e()} {self.pick(['and', 'or'])} {e()})",
            lambda: f"({e()} and {e()} or {e()})",
            lambda: f"(not {e()})",
            lambda: f"({e()} if {e()} else {e()})",
            lambda: f"({self.pick(NAMES)} := {e()})",
            lambda: f"({e()}, {e()})[{e()} % 2]",
            lambda: f'len(f"{{{n()} * 10}}{{branchy({n()})}}{{({n()} := {n()} + 1)}}{{{n()}}}")',
        ]
        return self.draw.choice(calls if self.draw.random() < 0.45 else shapes)()

    def line(self, text: str) -> None:
        self.lines.append("    " * self.indent + text)

    def block(self) -> None:
        self.indent += 1
        known = list(self.local_functions)
        for _ in range(self.draw.randint(1, 3)):
            self.statement()
        self.local_functions = known
        self.indent -= 1

    def statement(self) -> None:
        e = self.expression
        kind = self.draw.randrange(16)
        name, other = self.draw.sample(NAMES, 2)
        if kind < 3:
            self.line(f"{name} = {e(3)}")
        elif kind == 3:
            self.line(f"{name} {self.pick(['+=', '-=', '*='])} {e(2)}")
        elif kind == 4:
            self.line(f"{name}, {other} = {e(2)}, {e(2)}")
        elif kind == 5:
            self.line(f"{name}, {other} = pair({e(2)})")
        elif kind == 6:
            self.line(f"{name} = {other} = {e(2)}")
        elif kind == 7:
            self.line(f"print({e(2)}, {e(2)})")
        elif kind == 8:
            self.line(self.pick([e(3), f"nothing({e(2)})", f"assert {e(2)} != 77, {e(1)}"]))
        elif kind == 9 and self.indent < 4:
            self.count += 1
            function = f"local{self.count}"
            self.line(f"def {function}(v, w={e(1)}):")
            self.line(f"    u = v + {self.pick(NAMES)} * w")
            self.line("    return u - 1 if u > 2 else logged(u)")
            self.local_functions.append(function)
        elif kind == 10 and self.loops:
            self.line(f"if {e(2)}:")
            self.line(f"    {self.pick(['break', 'continue'])}")
        elif kind == 11 and self.draw.random() < 0.5:
            self.line(f"if {e(2)}:")
            self.line(f"    return {e(2)}")
        elif self.indent < 5 and kind in (12, 13):
            self.line(f"if {e(2)}:")
            self.block()
            if self.draw.random() < 0.4:
                self.line(f"elif {e(2)}:")
                self.block()
            if self.draw.random() < 0.6:
                self.line("else:")
                self.block()
        elif self.indent < 5 and kind > 13:
            self.count += 1
            counter = f"i{self.count}"
            if self.draw.random() < 0.6:
                self.line(f"for {counter} in range({self.draw.randint(0, 4)}):")
            else:
                self.line(f"{counter} = 0")
                self.line(f"while ({counter} := {counter} + 1) < 4 and {e(2)}:")
            self.loops += 1
            self.block()
            self.loops -= 1
            if self.draw.random() < 0.3:
                self.line("else:")
                self.block()
        else:
            self.line(f"{name} = {e(2)}")

    def function(self) -> str:
        self.line("z = n = t = 0")
        for _ in range(self.draw.randint(2, 6)):
            self.statement()
        self.line(f"return {self.expression(3)}")
        return "def f(x, y):\n" + "\n".join(self.lines) + "\n"


def outcome(function: Any, arguments: tuple[int, int]) -> tuple[Any, ...]:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        try:
            result = function(*arguments)
        except Exception as error:
            result = type(error)
    return result, type(result), printed.getvalue()


@pytest.mark.parametrize("start", range(0, 300, 50))
def test_order_of_evaluation(start: int) -> None:
    for seed in range(start, start + 50):
        check(seed)


def check(seed: int) -> None:
    text = HELPERS + Writer(seed).function()
    filename = f"<order {seed}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    scope: dict[str, Any] = {}
    exec(compile(text, filename, "exec"), scope)
    core = _core.lowered(scope["f"])
    lowered = dict(scope)
    exec(compile(core, f"<lowered {seed}>", "exec"), lowered)
    for arguments in [(1, 2), (-3, 4), (5, 0), (0, -2)]:
        found = outcome(lowered["f"], arguments)
        expected = outcome(scope["f"], arguments)
        assert found == expected, f"{seed} {arguments}\n{text.removeprefix(HELPERS)}\n{core}"
