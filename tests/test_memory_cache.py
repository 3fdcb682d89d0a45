"""The memory cache: the predecessor's calls and counts; gradients are never out of date."""

from __future__ import annotations

import functools
import gc
import importlib
import linecache
import sys
import textwrap
import threading
import weakref
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
import pytest
import tangent
from tangent import _core


@pytest.fixture(autouse=True)
def empty_cache() -> Iterator[None]:
    tangent.clear_cache()
    tangent.reset_cache_stats()
    yield
    tangent.set_cache_size(128)
    tangent.clear_cache()


def square(x: float) -> float:
    return x * x


def many(count: int) -> list[FunctionType]:
    """Functions that are each another object."""

    def make(k: float) -> Any:
        def scaled(x: float) -> float:
            return k * x

        return scaled

    return [make(float(k)) for k in range(count)]


# ------------------------------------------------------------------------------------------------
# The calls and the counts


def test_the_counts() -> None:
    assert tangent.get_cache_stats() == {
        "hits": 0, "misses": 0, "evictions": 0, "size": 0, "max_size": 128, "hit_rate": 0.0,
    }  # fmt: skip
    df = tangent.grad(square)
    assert tangent.grad(square) is df
    assert tangent.grad(square) is df
    assert tangent.grad(square, preserve_result=True) is not df
    stats = tangent.get_cache_stats()
    assert (stats["hits"], stats["misses"], stats["size"]) == (2, 2, 2)
    assert stats["hit_rate"] == 0.5
    tangent.reset_cache_stats()
    assert tangent.get_cache_stats()["hits"] == 0
    assert tangent.get_cache_stats()["size"] == 2


def test_the_standard_size() -> None:
    assert tangent.get_cache_size() == 128


def test_every_call_takes_part() -> None:
    def f(x: float) -> float:
        return x * x * x

    made = [
        tangent.grad(f),
        tangent.value_and_grad(f),
        tangent.vjp(f),
        tangent.jvp(f),
        tangent.autodiff(f, preserve_result=True),
        tangent.autodiff(f, mode="forward", preserve_result=True),
    ]
    assert len({id(each) for each in made}) == 6
    again = [
        tangent.grad(f),
        tangent.value_and_grad(f),
        tangent.vjp(f),
        tangent.jvp(f),
        tangent.autodiff(f, preserve_result=True),
        tangent.autodiff(f, mode="forward", preserve_result=True),
    ]
    assert all(a is b for a, b in zip(made, again, strict=True))
    stats = tangent.get_cache_stats()
    assert (stats["hits"], stats["misses"], stats["size"]) == (6, 6, 6)
    # A seed that is required is vjp's, whoever asks.
    assert tangent.autodiff(f) is tangent.vjp(f)


def test_clearing_keeps_the_counts() -> None:
    df = tangent.grad(square)
    tangent.grad(square)
    tangent.clear_cache()
    stats = tangent.get_cache_stats()
    assert (stats["hits"], stats["misses"], stats["size"]) == (1, 1, 0)
    again = tangent.grad(square)
    assert again is not df
    assert again(3.0) == df(3.0) == 6.0


@pytest.mark.parametrize("size", [0, -1, 1.5, "10", None, True])
def test_a_size_that_is_none(size: Any) -> None:
    with pytest.raises(ValueError, match="int above 0"):
        tangent.set_cache_size(size)
    assert tangent.get_cache_size() == 128


def test_what_was_used_longest_ago_goes() -> None:
    a, b, c = many(3)
    tangent.set_cache_size(2)
    da, db = tangent.grad(a), tangent.grad(b)
    assert tangent.grad(a) is da  # b was used longest ago now
    dc = tangent.grad(c)
    assert tangent.get_cache_stats()["evictions"] == 1
    assert tangent.grad(a) is da
    assert tangent.grad(c) is dc
    assert tangent.grad(b) is not db
    assert db(1.0) == 1.0  # whoever holds it keeps it


def test_a_smaller_size_lets_go_at_once() -> None:
    functions = many(10)
    made = [tangent.grad(f) for f in functions]
    tangent.set_cache_size(3)
    stats = tangent.get_cache_stats()
    assert (stats["size"], stats["evictions"], stats["max_size"]) == (3, 7, 3)
    hits = [tangent.grad(f) is df for f, df in list(zip(functions, made, strict=True))[-3:]]
    assert hits == [True] * 3


def test_what_nobody_holds_is_not_counted() -> None:
    functions = many(5)
    gone = [weakref.ref(tangent.grad(f)) for f in functions]
    assert tangent.get_cache_stats()["size"] == 5
    del functions
    gc.collect()
    assert [each() for each in gone] == [None] * 5
    stats = tangent.get_cache_stats()
    assert (stats["size"], stats["evictions"]) == (0, 0)


def test_a_wrapper_does_not_take_the_gradient_of_what_it_wraps() -> None:
    df = tangent.grad(square)

    @functools.wraps(square)
    def doubled(x: float) -> float:
        return 2.0 * x

    assert tangent.grad(doubled)(5.0) == 2.0
    assert tangent.grad(square) is df


def test_threads_share_the_cache() -> None:
    functions = many(40)
    tangent.set_cache_size(16)
    wrong: list[object] = []

    def work(start: int) -> None:
        try:
            for step in range(200):
                k = (start * 7 + step) % len(functions)
                if tangent.grad(functions[k])(1.0) != float(k):
                    wrong.append(k)
                if step % 50 == 0:
                    tangent.get_cache_stats()
        except Exception as error:
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not wrong
    assert tangent.get_cache_stats()["size"] <= 16


# ------------------------------------------------------------------------------------------------
# Never out of date


CALLER = "\ndef f(x):\n    return helper(x)\n"


class Editor:
    """A module in a folder of its own, which is written anew as an editor does."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.names: set[str] = set()
        monkeypatch.syspath_prepend(folder)
        monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def write(self, name: str, text: str) -> None:
        (self.folder / f"{name}.py").write_text(textwrap.dedent(text))
        self.names.add(name)
        importlib.invalidate_caches()

    def load(self, name: str) -> ModuleType:
        if name in sys.modules:
            return importlib.reload(sys.modules[name])
        return importlib.import_module(name)


@pytest.fixture
def editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Editor]:
    made = Editor(tmp_path, monkeypatch)
    yield made
    for name in made.names:
        sys.modules.pop(name, None)
    linecache.clearcache()


def test_a_helper_that_is_edited(editor: Editor) -> None:
    editor.write("edited_helper", "def helper(x):\n    return 2.0 * x\n")
    editor.write("edited_user", "import edited_helper as e\ndef f(x):\n    return e.helper(x)\n")
    user = editor.load("edited_user")
    df = tangent.grad(user.f)
    assert df(1.0) == 2.0
    editor.write("edited_helper", "def helper(x):\n    return 30.0 * x * x\n")
    editor.load("edited_helper")
    assert df(1.0) == 60.0
    assert tangent.grad(user.f)(1.0) == 60.0


def test_a_module_that_is_loaded_again(editor: Editor) -> None:
    editor.write("loaded_again", "def helper(x):\n    return x\n" + CALLER)
    module = editor.load("loaded_again")
    before = module.f
    assert tangent.grad(before)(3.0) == 1.0
    caller = CALLER.replace("return", "return 10.0 *")
    editor.write("loaded_again", "def helper(x):\n    return x * x\n" + caller)
    module = editor.load("loaded_again")
    assert tangent.grad(module.f)(3.0) == 60.0
    # The old function calls what its module holds now, and so does its gradient.
    assert before(3.0) == 9.0
    assert tangent.grad(before)(3.0) == 6.0


def test_code_that_is_put_into_the_old_function(editor: Editor) -> None:
    """What IPython's autoreload does: the object stays, its code is another."""
    editor.write("patched", "def helper(x):\n    return 2.0 * x\n" + CALLER)
    module = editor.load("patched")
    helper, f = module.helper, module.f
    df = tangent.grad(f)
    assert df(1.0) == 2.0
    editor.write("patched", "def helper(x):\n    return 7.0 * x\n" + CALLER)
    new = editor.load("patched")
    helper.__code__ = new.helper.__code__
    new.helper = helper
    f.__code__ = new.f.__code__
    assert df(1.0) == 7.0
    assert tangent.grad(f)(1.0) == 7.0


def test_only_the_helpers_code_is_another(editor: Editor) -> None:
    editor.write("half", "def helper(x):\n    return 2.0 * x\n")
    module = editor.load("half")
    helper = module.helper

    def f(x: float) -> float:
        return helper(x) + x

    df = tangent.grad(f)
    assert [df(1.0), df(1.0)] == [3.0, 3.0]
    editor.write("half", "def helper(x):\n    return 9.0 * x\n")
    helper.__code__ = editor.load("half").helper.__code__
    assert [df(1.0), tangent.grad(f)(1.0)] == [10.0, 10.0]


RATE: Any = 2.0


def test_a_global_that_is_bound_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    def f(x: Any) -> Any:
        return np.sum(x * RATE)

    df = tangent.grad(f)
    assert df(1.0) == 2.0
    monkeypatch.setitem(globals(), "RATE", 20.0)
    assert (df(1.0), tangent.grad(f)(1.0)) == (20.0, 20.0)
    monkeypatch.setitem(globals(), "RATE", np.array([1.0, 2.0]))
    assert (df(1.0), tangent.grad(f)(1.0)) == (3.0, 3.0)


def test_a_global_that_decides_what_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "RATE", "linear")

    def f(x: float) -> float:
        if RATE == "linear":
            return 3.0 * x
        return x * x

    df = tangent.grad(f)
    assert df(5.0) == 3.0
    monkeypatch.setitem(globals(), "RATE", "square")
    assert (df(5.0), tangent.grad(f)(5.0)) == (10.0, 10.0)


def test_a_closure_that_is_bound_anew() -> None:
    k = 2.0

    def f(x: float) -> float:
        return k * x

    df = tangent.grad(f)
    assert df(1.0) == 2.0
    k = 5.0
    assert (df(1.0), tangent.grad(f)(1.0)) == (5.0, 5.0)


def test_a_method_that_is_replaced() -> None:
    class Model:
        def rate(self) -> float:
            return 2.0

    def f(x: float, model: Model) -> float:
        return x * model.rate()

    model = Model()
    df = tangent.grad(f)
    assert df(1.0, model) == 2.0
    source = "def rate(self):\n    return 11.0\n"
    linecache.cache["<replaced>"] = len(source), None, source.splitlines(True), "<replaced>"
    namespace: dict[str, Any] = {}
    exec(compile(source, "<replaced>", "exec"), namespace)
    Model.rate = namespace["rate"]  # type: ignore[method-assign]
    assert (df(1.0, model), tangent.grad(f)(1.0, model)) == (11.0, 11.0)


def test_a_rule_that_changes() -> None:
    """Whatever registers a rule says so; every gradient is made anew when it is called next."""
    df = tangent.grad(square)
    assert df(3.0) == 6.0
    assert df.__tangent_variants__ == 1
    function = df.variant(3.0)
    assert tangent.grad(square) is df
    _core.rules_changed("test: a rule that changes nothing")
    assert df(3.0) == 6.0
    assert df.variant(3.0) is not function
    assert tangent.grad(square)(3.0) == 6.0


def test_second_order_follows(monkeypatch: pytest.MonkeyPatch) -> None:
    def f(x: float) -> float:
        return RATE * x * x

    ddf = tangent.grad(tangent.grad(f))
    assert ddf(1.0) == 4.0
    monkeypatch.setitem(globals(), "RATE", 5.0)
    assert ddf(1.0) == 10.0
