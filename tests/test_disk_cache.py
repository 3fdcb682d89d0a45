"""The disk cache: what one process made is right in the next one, or it is not used.

Every test runs processes of its own with a cache of its own. `captured` lists the functions whose
sources were read: it is empty exactly if everything came from the disk.
"""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import textwrap
from pathlib import Path
from typing import Any

import pytest
import tangent
from cache_process import entries, environment, report, run

MODULE = '''
import dataclasses
import numpy as np

K = 3.0
MODE = "sine"
A = np.arange(3.0)
LIMITS = {"a", "b", "c"}

def helper(x, scale=2.0):
    return scale * x * K

def number(x, y):
    total = 0.0
    for i in range(4):
        total = total + helper(x) * np.sin(y)
    return total * np.sum(A)

def branches(x, kind):
    if kind in {"left", "right", "up"}:
        return x * x
    while x > 1.0:
        x = x * 0.5
    return 3.0 * x

def make(weights, mode):
    def inner(x):
        if mode == "cube":
            return np.sum(weights * x ** 3)
        return np.sum(weights * x)
    return inner

def entries(p, x):
    return p["w"] * x ** 2 + np.sum(p["b"][0] * x)

class Base:
    rate = 2.0
    def scaled(self, x):
        return self.rate * x

class Model(Base):
    def __init__(self, a):
        self.a = a
    @property
    def twice(self):
        return 2.0 * self.a
    def value(self, x):
        return super().scaled(self.twice * x) ** 2
    def plain(self, x):
        return self.a * x * self.rate

@dataclasses.dataclass
class Point:
    x: float
    y: float = 1.0

def of_object(model, x):
    return model.value(x)

def of_point(p):
    return p.x * p.x * p.y

def makes_object(x):
    return Model(x).value(3.0)

def power(x, n):
    return 1.0 if n == 0 else x * power(x, n - 1)

def makes_point(x):
    p = Point(x)
    return p.x * p.x * p.y

def result(x):
    return x * x, 3.0 * x

def writes(x):
    x[0] = x[1] * 2.0
    return np.sum(x * x)

square = lambda x: x * x
pair = [lambda x: 2.0 * x, lambda x: 5.0 * x]
'''

# Each line makes a gradient and calls it.
CASES = {
    "numbers, a helper, globals": "call(tangent.grad(m.number, (0, 1)), 2.0, 0.5)",
    "strings, sets": "call(tangent.grad(m.branches), 3.0, 'left')",
    "a while loop": "call(tangent.grad(m.branches), 3.0, 'down')",
    "a closure over an array and a text": "call(tangent.grad(m.make(m.A, 'cube')), m.A + 1)",
    "a closure over others": "call(tangent.grad(m.make(np.ones(2), 'line')), np.ones(2))",
    "a dict": "call(tangent.grad(m.entries), {'w': 2.0, 'b': [np.ones(3), 1.0]}, np.ones(3))",
    "an object": "call(tangent.grad(m.of_object, 'x'), m.Model(2.0), 3.0)",
    "of an object": "call(tangent.grad(m.of_object), m.Model(2.0), 3.0)",
    "a dataclass": "call(tangent.grad(m.of_point), m.Point(2.0))",
    "an object made inside": "call(tangent.grad(m.makes_object), 2.0)",
    "a dataclass made inside": "call(tangent.grad(m.makes_point), 2.0)",
    "a method": "call(tangent.grad(m.Model(2.0).plain), 3.0)",
    "recursion": "call(tangent.grad(m.power), 2.0, 5)",
    "several results": "call(tangent.grad(m.result, output_weights=(1.0, 1.0)), 2.0)",
    "stores": "call(tangent.grad(m.writes), np.ones(3))",
    "a lambda": "call(tangent.grad(m.square), 2.0)",
    "the second lambda of a line": "call(tangent.grad(m.pair[1]), 2.0)",
    "value and gradient": "call(tangent.value_and_grad(m.square), 2.0)",
    "the value last": "call(tangent.grad(m.square, preserve_result=True), 2.0)",
    "forward": "call(tangent.jvp(m.number, (0, 1)), 2.0, 0.5, 1.0, 0.0)",
    "a seed": "call(tangent.vjp(m.square), 2.0, 3.0)",
    "second order": "call(tangent.grad(tangent.grad(m.square)), 3.0)",
    "arrays of one": "call(tangent.grad(m.square), np.ones((1, 3)), np.ones((1, 3)))",
}


CLASSES = ("Model", "Other")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the module m is; the cache is the folder beside it."""
    made = tmp_path / "modules"
    made.mkdir()
    (made / "m.py").write_text(MODULE)
    return made


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


def gradients(folder: Path, cache: Path, *calls: str, **more: str) -> dict[str, Any]:
    lines = ["import m", *(f"results.append({each})" for each in calls)]
    return report(folder, "\n".join(lines), cache, **more)


def values(found: dict[str, Any]) -> list[Any]:
    return [each["value"] for each in found["results"]]


def texts(found: dict[str, Any]) -> list[str]:
    return [each["text"] for each in found["results"]]


# ------------------------------------------------------------------------------------------------
# The next process


def test_the_next_process_reads_nothing(folder: Path, cache: Path) -> None:
    """Nor does it matter in which order the gradients are made, or what a str's hash is."""
    first = gradients(folder, cache, *CASES.values(), PYTHONHASHSEED="1")
    made = [each["captured"] for each in first["results"]]
    assert sum(map(bool, made)) > 15  # some need what others made
    turned = list(reversed(CASES))
    second = gradients(folder, cache, *(CASES[what] for what in turned), PYTHONHASHSEED="2")
    read = {what: each["captured"] for what, each in zip(turned, second["results"], strict=True)}
    assert {what: captured for what, captured in read.items() if captured} == {}
    off = gradients(folder, cache, *CASES.values(), TANGENT_DISK_CACHE="0")
    for found in (second["results"][::-1], off["results"]):
        for what, one, other in zip(CASES, first["results"], found, strict=True):
            assert (what, one["value"], one["text"]) == (what, other["value"], other["text"])


def test_kinds_of_arguments_do_not_push_each_other_out(folder: Path, cache: Path) -> None:
    calls = [f"call(tangent.grad(m.square), {x})" for x in ("2.0", "np.ones(3)", "np.ones((1, 2))")]
    for each in calls:  # each in a process of its own
        gradients(folder, cache, each)
    assert len(entries(cache)) == 1
    assert gradients(folder, cache, *calls)["captured"] == []


def test_objects_of_several_classes(folder: Path, cache: Path) -> None:
    """What was asked for the first one is no part of the second one; it is stored later."""
    with (folder / "m.py").open("a") as file:
        file.write("\nclass Other(Model):\n    def value(self, x):\n        return self.a * x\n")
    calls = [f"call(tangent.grad(m.of_object, 'x'), m.{name}(2.0), 3.0)" for name in CLASSES]
    right = values(gradients(folder, cache, *calls))
    for _ in range(2):
        assert values(gradients(folder, cache, *calls)) == right
    assert gradients(folder, cache, *calls)["captured"] == []


def test_options_are_part_of_the_key(folder: Path, cache: Path) -> None:
    gradients(folder, cache, "call(tangent.grad(m.number), 2.0, 0.5)")
    other = gradients(folder, cache, "call(tangent.grad(m.number, 1), 2.0, 0.5)")
    assert other["captured"]
    assert len(entries(cache)) == 2


@pytest.mark.parametrize("verbose", [1, 2])
def test_what_is_shown_is_made(folder: Path, cache: Path, verbose: int) -> None:
    gradients(folder, cache, "call(tangent.grad(m.square), 2.0)")
    again = gradients(folder, cache, f"call(tangent.grad(m.square, verbose={verbose}), 2.0)")
    assert again["captured"] == ["<lambda>"]


def test_an_unsupported_construct_is_refused_every_time(folder: Path, cache: Path) -> None:
    (folder / "m.py").write_text("def f(x):\n    yield x\n")
    code = f"import sys; sys.path[:0] = [{str(folder)!r}]; import m, tangent; tangent.grad(m.f)"
    for _ in range(2):
        done = run(code, environment(cache), check=False)
        assert "generators cannot be differentiated" in done.stderr
    assert entries(cache) == []


def test_arguments_that_share_memory_are_refused_every_time(folder: Path, cache: Path) -> None:
    (folder / "m.py").write_text(
        "import numpy as np\ndef f(x, y):\n    x[0] = 2.0 * y[1]\n    return np.sum(x * y)\n"
    )
    gradients(folder, cache, "call(tangent.grad(m.f), np.ones(3), np.ones(3))")
    body = """
    import m
    x = np.ones(3)
    try:
        tangent.grad(m.f)(x, x)
    except tangent.InplaceModificationError as error:
        results.append(str(error))
    """
    found = report(folder, textwrap.dedent(body), cache)
    assert "share memory" in found["results"][0]


def test_a_traceback_shows_the_users_line_where_it_is_now(folder: Path, cache: Path) -> None:
    text = "import math\n\ndef root(x):\n    return math.sqrt(x)\n"
    text += "\ndef f(x):\n    return 2.0 * root(x)\n"
    (folder / "m.py").write_text(text)
    gradients(folder, cache, "call(tangent.grad(m.f), 2.0)")
    (folder / "m.py").write_text("# one\n# two\n# three\n" + text)
    body = """
    import m, traceback
    df = tangent.grad(m.f)
    results.append(df(2.0))
    try:
        df(-1.0)
    except ValueError as error:
        entries = traceback.extract_tb(error.__traceback__)
        results.extend((each.filename, each.lineno, each.line) for each in entries)
    """
    found = report(folder, textwrap.dedent(body), cache)
    assert found["captured"] == []
    name = str(folder / "m.py")
    assert [name, 7, "return math.sqrt(x)"] in found["results"]
    assert [name, 10, "return 2.0 * root(x)"] in found["results"]


def test_a_gradient_of_the_disk_follows_what_changes(folder: Path, cache: Path) -> None:
    call = "call(tangent.grad(m.number), 2.0, 0.5)"
    gradients(folder, cache, call)
    body = """
    import m
    df = tangent.grad(m.number)
    df(2.0, 0.5)
    assert captured == []
    m.K = 30.0
    results.append(df(2.0, 0.5))
    m.A = np.ones((2, 2))
    results.append(df(2.0, 0.5))
    m.helper = m.square
    results.append(df(2.0, 0.5))
    results.append(df(np.ones(2), 0.5).tolist())
    """
    found = report(folder, textwrap.dedent(body), cache)
    off = report(
        folder,
        textwrap.dedent(body).replace("assert captured == []", ""),
        cache,
        TANGENT_DISK_CACHE="0",
    )
    assert found["results"] == off["results"]
    assert found["captured"]


def test_an_edit_behind_the_back_of_a_running_process(folder: Path, cache: Path) -> None:
    """What came from the disk was not read: that is made up for with the text of its time."""
    gradients(folder, cache, "call(tangent.grad(m.number), 2.0, 0.5)")
    body = """
    import linecache, pathlib, m
    df = tangent.grad(m.number)
    df(2.0, 0.5)
    assert captured == []
    file = pathlib.Path(m.__file__)
    file.write_text("# another line" + chr(10) + file.read_text().replace("range(4)", "range(7)"))
    linecache.checkcache()
    results.append(df(np.full(2, 2.0), 0.5).tolist())
    """
    found = report(folder, textwrap.dedent(body), cache)
    assert found["results"] == [[34.518638779502616] * 2]


# ------------------------------------------------------------------------------------------------
# Never out of date

EDITS = {
    "the helper": ("return scale * x * K", "return scale * x * x * K"),
    "the helper's default": ("scale=2.0", "scale=5.0"),
    "a number": ("K = 3.0", "K = 4.0"),
    "the type of a number": ("K = 3.0", "K = np.float64(3.0)"),
    "an array's shape": ("A = np.arange(3.0)", "A = np.ones((2, 1))"),
    "an array's dtype": ("A = np.arange(3.0)", "A = np.arange(3)"),
    "the function itself": ("range(4)", "range(5)"),
    "a number instead of a function": ("def helper(", "helper = abs\ndef other("),
    "a method of a base class": ("return self.rate * x", "return self.rate * x * x"),
    "a class attribute": ("rate = 2.0", "rate = 7.0"),
    "a property": ("return 2.0 * self.a", "return 3.0 * self.a"),
    "an override": ("    def value(", "    def scaled(self, x):\n        return x\n    def value("),
    "another base": ("class Model(Base):", "class B2(Base):\n    rate = 5.0\nclass Model(B2):"),
    "a dataclass default": ("y: float = 1.0", "y: float = 3.0"),
}


@pytest.mark.parametrize("what", EDITS)
def test_an_edit_is_seen(folder: Path, cache: Path, what: str) -> None:
    calls = [
        "call(tangent.grad(m.number), 2.0, 0.5)",
        "call(tangent.grad(m.of_object, 'x'), m.Model(2.0), 3.0)",
        "call(tangent.grad(m.makes_object), 2.0)",
        "call(tangent.grad(m.of_point), m.Point(2.0))",
    ]
    first = gradients(folder, cache, *calls)
    before, after = EDITS[what]
    edited = MODULE.replace(before, after, 1)
    assert edited != MODULE
    (folder / "m.py").write_text(edited)
    right = gradients(folder, cache, *calls, TANGENT_DISK_CACHE="0")
    assert values(gradients(folder, cache, *calls)) == values(right)
    # Back again: what was made first is still there, and is right.
    (folder / "m.py").write_text(MODULE)
    back = gradients(folder, cache, *calls)
    assert back["captured"] == []
    assert texts(back) == texts(first)
    assert values(back) == values(first)


def test_a_closure_over_another_value_is_another_variant(folder: Path, cache: Path) -> None:
    def call(text: str, array: str) -> str:
        return f"call(tangent.grad(m.make({array}, {text!r})), np.ones(3))"

    one = gradients(folder, cache, call("cube", "np.ones(3)"))
    two = gradients(folder, cache, call("line", "np.ones(3)"))
    assert (values(one), values(two)) == ([[3.0] * 3], [[1.0] * 3])
    # Other numbers in an array of the same type need no other text.
    three = gradients(folder, cache, call("cube", "2 * np.ones(3)"), call("line", "np.ones(3)"))
    assert (values(three), three["captured"]) == ([[6.0] * 3, [1.0] * 3], [])


def test_a_rule_that_is_registered_is_part_of_the_key(folder: Path, cache: Path) -> None:
    call = "call(tangent.grad(m.square), 2.0)"
    gradients(folder, cache, call)
    body = f"import m\ntangent._core.rules_changed({{}})\nresults.append({call})"
    told = body.format("'a rule for np.sin'")
    assert report(folder, told, cache)["captured"] == ["<lambda>"]
    assert len(entries(cache)) == 2
    assert report(folder, told, cache)["captured"] == []
    # A rule that nobody can describe: the cache is left alone.
    assert report(folder, body.format(None), cache)["captured"] == ["<lambda>"]
    assert len(entries(cache)) == 2


def test_a_library_that_was_changed_by_hand(folder: Path, cache: Path) -> None:
    """In one process somebody put a function of his own in the place of NumPy's."""
    (folder / "m.py").write_text("import numpy as np\ndef f(x):\n    return np.sin(x)\n")
    (folder / "other.py").write_text("def triple(x):\n    return 3.0 * x\n")
    body = "import m, other\n{}\nresults.append(call(tangent.grad(m.f), 0.0))"
    patched = report(folder, body.format("np.sin = other.triple"), cache)
    assert values(patched) == [3.0]
    plain = report(folder, body.format(""), cache)
    assert values(plain) == [1.0]
    again = report(folder, body.format("np.sin = other.triple"), cache)
    assert (values(again), again["captured"]) == ([3.0], [])


def test_a_function_with_a_note_of_its_own_is_not_kept(folder: Path, cache: Path) -> None:
    """A rule or a text that is given for a function: its lines do not say all about it."""
    call = "call(tangent.grad(m.number), 2.0, 0.5)"
    gradients(folder, cache, call)
    for noted in ("number", "helper"):
        body = f"import m\nm.{noted}.__tangent_note__ = 1\nresults.append({call})"
        assert report(folder, body, cache)["captured"] == ["number", "helper"]
    assert len(entries(cache)) == 1
    assert gradients(folder, cache, call)["captured"] == []


def test_the_engine_is_part_of_the_key(folder: Path, cache: Path) -> None:
    call = "call(tangent.grad(m.square), 2.0)"
    gradients(folder, cache, call)
    body = f"import m\ntangent.__version__ = '1.0.1'\nresults.append({call})"
    assert report(folder, body, cache)["captured"] == ["<lambda>"]


# ------------------------------------------------------------------------------------------------
# Whose the files are

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
CALL = CASES["numbers, a helper, globals"]


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    """A cache with one entry, and the value that it gives."""
    place = tmp_path_factory.mktemp("prepared")
    (place / "m.py").write_text(MODULE)
    found = values(gradients(place, place / "cache", CALL))
    assert len(entries(place / "cache")) == 1
    return place / "cache", found


@pytest.fixture
def right(cache: Path, prepared: tuple[Path, Any]) -> Any:
    """The value, with one entry in the cache."""
    shutil.copytree(prepared[0], cache)
    return prepared[1]


@pytest.mark.parametrize("umask", ["000", "077"])
def test_folder_and_files_are_closed(folder: Path, cache: Path, umask: str) -> None:
    code = f"import os\nos.umask(0o{umask})\nimport m\nresults.append({CALL})"
    report(folder, code, cache)
    assert stat.S_IMODE((cache / "native-1").stat().st_mode) == 0o700
    names = sorted(each.suffix or each.name for each in (cache / "native-1").iterdir())
    assert names == [".grad", "secret", "usage"]
    for each in (cache / "native-1").iterdir():
        assert stat.S_IMODE(each.stat().st_mode) == 0o600


def test_nothing_is_made_where_it_is_off(folder: Path, cache: Path) -> None:
    for switch in ("0", "off", "False"):
        gradients(folder, cache, CALL, TANGENT_DISK_CACHE=switch)
    assert not cache.exists()


def test_where_it_is(folder: Path, tmp_path: Path) -> None:
    for more, place in (
        ({"TANGENT_CACHE_DIR": str(tmp_path / "own")}, tmp_path / "own"),
        ({"XDG_CACHE_HOME": str(tmp_path / "xdg")}, tmp_path / "xdg/tangent-ad"),
        ({"XDG_CACHE_HOME": "no/absolute/path"}, tmp_path / ".cache/tangent-ad"),
        ({}, tmp_path / ".cache/tangent-ad"),
    ):
        env = {"TANGENT_CACHE_DIR": "", "XDG_CACHE_HOME": "", "HOME": str(tmp_path), **more}
        gradients(folder, tmp_path, CALL, **env)
        assert len(entries(place)) == 1
        shutil.rmtree(place)


def untouched(folder: Path, cache: Path, right: Any) -> None:
    """The value is right, nothing is read from the cache, and nothing in it changes."""
    place = cache / "native-1"
    before = sorted((p.name, p.lstat().st_mtime_ns) for p in place.iterdir())
    found = gradients(folder, cache, CALL)
    assert values(found) == right
    assert found["captured"]
    assert sorted((p.name, p.lstat().st_mtime_ns) for p in place.iterdir()) == before


@needs_root
def test_a_folder_of_another_owner(folder: Path, cache: Path, right: Any) -> None:
    os.chown(cache / "native-1", 12345, 12345)
    untouched(folder, cache, right)


@pytest.mark.parametrize("mode", [0o755, 0o750, 0o777, 0o701])
def test_a_folder_that_is_open_to_others(folder: Path, cache: Path, right: Any, mode: int) -> None:
    (cache / "native-1").chmod(mode)
    untouched(folder, cache, right)


def test_a_folder_that_is_a_link(folder: Path, cache: Path, right: Any, tmp_path: Path) -> None:
    (cache / "native-1").rename(tmp_path / "elsewhere")
    (cache / "native-1").symlink_to(tmp_path / "elsewhere")
    untouched(folder, cache, right)


def test_a_file_in_place_of_the_folder(folder: Path, cache: Path, right: Any) -> None:
    shutil.rmtree(cache / "native-1")
    (cache / "native-1").write_text("")
    found = gradients(folder, cache, CALL)
    assert values(found) == right
    shutil.rmtree(cache)
    cache.write_text("")
    assert values(gradients(folder, cache, CALL)) == right


@pytest.mark.parametrize("where", ["/proc/no/where", "/dev/null", "odd\n\x01", "~nobody0/x"])
def test_a_place_where_no_folder_can_be(
    folder: Path, cache: Path, right: Any, where: str, tmp_path: Path
) -> None:
    relative = where if where.startswith(("/", "~")) else str(tmp_path / where)
    assert values(gradients(folder, cache, CALL, TANGENT_CACHE_DIR=relative)) == right


def mounted(place: Path, options: str) -> bool:
    place.mkdir(exist_ok=True)
    command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(place)]
    try:
        return subprocess.run(command, capture_output=True).returncode == 0
    except FileNotFoundError:
        return False


def test_a_full_disk(folder: Path, cache: Path, tmp_path: Path) -> None:
    """On a small file system if one may be mounted, else with files that may not grow."""
    body = f"""
    import m, os
    results.append({CALL})
    key = "ab" * 32
    results.append(tangent.disk_cache.store(key, os.urandom(200_000)))
    results.append(tangent.disk_cache.load(key))
    results.append(sorted(n for n in os.listdir(tangent.disk_cache.cache_dir()) if ".tmp" in n))
    """
    body = textwrap.dedent(body)
    if mounted(tmp_path / "small", "size=64k"):
        try:
            found = report(folder, body, tmp_path / "small")
            assert found["results"][1:] == [False, None, []]
            full = (tmp_path / "small/native-1/full").open("wb")
            with pytest.raises(OSError), full:
                while True:
                    full.write(bytes(4096))
                    full.flush()
            again = gradients(folder, tmp_path / "small", CALL, CASES["recursion"])
            assert values(again)[0] == found["results"][0]["value"]
        finally:
            subprocess.run(["umount", str(tmp_path / "small")], check=True)
    limit = (
        "import resource, signal\nsignal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))\n"
    )
    found = report(folder, limit + body, cache)
    assert found["results"][1:] == [False, None, []]


def test_no_room_at_all(folder: Path, cache: Path, right: Any) -> None:
    limit = (
        "import resource, signal\nsignal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))\nimport m\n"
    )
    found = report(folder, f"{limit}results.append({CASES['recursion']})", cache)
    assert values(found) == [80.0]
    assert not list((cache / "native-1").glob("*.tmp"))


def test_a_disk_that_cannot_be_written(
    folder: Path, cache: Path, right: Any, tmp_path: Path
) -> None:
    """What is there is used; nothing else happens."""
    calls = [CALL, CASES["recursion"]]
    if os.geteuid() == 0:
        place = tmp_path / "readonly"
        if not mounted(place, "size=1m"):
            pytest.skip("root may write everywhere, and cannot mount here")
        try:
            shutil.copytree(cache / "native-1", place / "native-1")
            (place / "native-1").chmod(0o700)
            for each in (place / "native-1").iterdir():
                os.utime(each, (1.0, 1.0))  # long unused: a hit would mark it
            subprocess.run(["mount", "-o", "remount,ro", str(place)], check=True)
            found = gradients(folder, place, *calls)
        finally:
            subprocess.run(["umount", str(place)], check=True)
    else:
        (cache / "native-1").chmod(0o500)
        found = gradients(folder, cache, *calls)
        (cache / "native-1").chmod(0o700)
    assert values(found)[:1] == right
    assert found["captured"] == ["power", "power"] or set(found["captured"]) == {"power"}


# ------------------------------------------------------------------------------------------------
# Hostile files


def spoil_empty(entry: Path) -> None:
    entry.write_bytes(b"")


def spoil_short(entry: Path) -> None:
    entry.write_bytes(entry.read_bytes()[:-1])


def spoil_half(entry: Path) -> None:
    entry.write_bytes(entry.read_bytes()[: entry.stat().st_size // 2])


def spoil_long(entry: Path) -> None:
    entry.write_bytes(entry.read_bytes() + b"\0")


def spoil_text(entry: Path) -> None:
    """A program that lies: the same length, another constant."""
    whole = entry.read_bytes()
    assert b"0.0" in whole
    entry.write_bytes(whole.replace(b"0.0", b"9.0", 1))


def spoil_last_bit(entry: Path) -> None:
    whole = bytearray(entry.read_bytes())
    whole[-1] ^= 1
    entry.write_bytes(whole)


def spoil_program(entry: Path) -> None:
    entry.write_text("import os\nos.abort()\n")


def spoil_predecessor(entry: Path) -> None:
    entry.write_text('{"source": "def dnumberdx(x, y): return 666.0", "entries": ["dnumberdx"]}')


def spoil_link(entry: Path) -> None:
    copy = entry.with_name("copy")
    entry.rename(copy)
    entry.symlink_to(copy)


def spoil_dangling(entry: Path) -> None:
    entry.unlink()
    entry.symlink_to("nowhere")


def spoil_folder(entry: Path) -> None:
    entry.unlink()
    entry.mkdir()


def spoil_pipe(entry: Path) -> None:
    entry.unlink()
    os.mkfifo(entry, 0o600)


def spoil_huge(entry: Path) -> None:
    with entry.open("r+b") as file:
        file.truncate(1 << 40)


def spoil_mode(entry: Path) -> None:
    entry.chmod(0o644)


def spoil_device(entry: Path) -> None:
    entry.unlink()
    entry.symlink_to("/dev/zero")


def spoil_owner(entry: Path) -> None:
    os.chown(entry, 12345, 12345)


def spoil_secret(entry: Path) -> None:
    (entry.parent / "secret").write_bytes(bytes(32))


def spoil_secret_short(entry: Path) -> None:
    (entry.parent / "secret").write_bytes(b"short")


def spoil_secret_gone(entry: Path) -> None:
    (entry.parent / "secret").unlink()


def spoil_secret_open(entry: Path) -> None:
    (entry.parent / "secret").chmod(0o644)


def spoil_secret_link(entry: Path) -> None:
    (entry.parent / "secret").rename(entry.parent / "other")
    (entry.parent / "secret").symlink_to("other")


SPOILS = [value for name, value in sorted(globals().items()) if name.startswith("spoil_")]


@pytest.mark.parametrize("spoil", SPOILS, ids=lambda each: each.__name__)
def test_a_spoilt_entry_is_a_miss(folder: Path, cache: Path, right: Any, spoil: Any) -> None:
    if spoil is spoil_owner and os.geteuid() != 0:
        pytest.skip("only root may give files away")
    (entry,) = entries(cache)
    spoil(entry)
    found = gradients(folder, cache, CALL)
    assert values(found) == right
    assert found["captured"]
    # What was made instead takes its place, unless a folder stands there.
    again = gradients(folder, cache, CALL)
    assert values(again) == right
    assert again["captured"] == ([] if spoil is not spoil_folder else found["captured"])


def test_entries_that_change_places(folder: Path, cache: Path, right: Any) -> None:
    other = values(gradients(folder, cache, CASES["recursion"]))
    one, two = entries(cache)
    both = one.read_bytes(), two.read_bytes()
    one.write_bytes(both[1])
    two.write_bytes(both[0])
    found = gradients(folder, cache, CALL, CASES["recursion"])
    assert values(found) == right + other
    assert {"number", "power"} <= set(found["captured"])


def test_an_entry_of_another_folder(
    folder: Path, cache: Path, right: Any, tmp_path: Path
) -> None:
    """Somebody else's cache, brought into the folder of this one: its secret is another."""
    there = tmp_path / "other"
    gradients(folder, there, CALL)
    (entry,), (other,) = entries(cache), entries(there)
    assert entry.name == other.name
    entry.write_bytes(other.read_bytes())
    found = gradients(folder, cache, CALL)
    assert values(found) == right
    assert found["captured"]


def test_bytes_that_are_signed_and_make_no_sense(folder: Path, cache: Path, right: Any) -> None:
    """Even what carries the right code is taken apart with care."""
    body = f"""
    import m, random
    key = {entries(cache)[0].stem!r}
    whole = tangent.disk_cache.load(key)
    random.seed(4)
    for _ in range(300):
        spoilt = bytearray(whole)
        for _ in range(random.randrange(1, 4)):
            spoilt[random.randrange(len(spoilt))] = random.randrange(256)
        if random.random() < 0.3:
            del spoilt[random.randrange(len(spoilt)):]
        # A text that was changed and signed is run: only what stands around it is spoilt here.
        start, end = whole.index(b"def "), whole.rindex(b"return")
        spoilt[start:end] = whole[start:end] if len(spoilt) >= end else b""
        assert tangent.disk_cache.store(key, bytes(spoilt))
        try:
            tangent._memory.clear_cache()
            tangent.grad(m.number, (0, 1))(2.0, 0.5)
        except (TypeError, NameError, SyntaxError, ValueError, AttributeError):
            pass
    """
    report(folder, textwrap.dedent(body), cache)


# ------------------------------------------------------------------------------------------------
# Its commands


def command(cache: Path, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    import sys

    return subprocess.run(
        [sys.executable, "-m", "tangent", *words],
        env=environment(cache, **more),
        capture_output=True,
        text=True,
    )


def test_info_and_clear(folder: Path, cache: Path, right: Any) -> None:
    told = command(cache, "cache", "info")
    assert told.returncode == 0
    assert f"directory  {cache / 'native-1'}" in told.stdout
    assert "entries    1\n" in told.stdout
    assert "state      on" in told.stdout
    cleared = command(cache, "cache", "clear")
    assert (cleared.returncode, cleared.stdout.split()[:3]) == (0, ["removed", "1", "entry"])
    assert entries(cache) == []
    assert values(gradients(folder, cache, CALL)) == right
    assert gradients(folder, cache, CALL)["captured"] == []


def test_info_says_what_is_wrong(cache: Path, right: Any) -> None:
    assert "off (TANGENT_DISK_CACHE)" in command(
        cache, "cache", "info", TANGENT_DISK_CACHE="0"
    ).stdout  # fmt: skip
    told = command(cache, "cache", "info", TANGENT_CACHE_SIZE="-5")
    assert told.returncode == 1
    assert "TANGENT_CACHE_SIZE is no size" in told.stdout
    (cache / "native-1").chmod(0o755)
    told = command(cache, "cache", "info")
    assert told.returncode == 1
    assert "closed to other users" in told.stdout
    assert command(cache, "cache", "clear").stdout.startswith("removed 0 entries")


@pytest.mark.parametrize("words", [["cache"], ["cache", "empty"], ["cache", "info", "x"]])
def test_words_that_make_no_sense(cache: Path, words: list[str]) -> None:
    told = command(cache, *words)
    assert (told.returncode, told.stdout) == (2, "")
    assert told.stderr.startswith("usage: python -m tangent")


def test_the_predecessors_calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TANGENT_DISK_CACHE", "1")
    monkeypatch.setenv("TANGENT_CACHE_DIR", str(tmp_path))
    disk = tangent.disk_cache
    key = "0123456789abcdef" * 4
    assert disk.enabled()
    assert disk.cache_dir() == str(tmp_path / "native-1")
    assert disk.load(key) is None
    assert disk.store(key, b"some bytes")
    assert disk.load(key) == b"some bytes"
    assert not disk.store("../../escape", b"")
    assert disk.load("../secret") is None
    assert disk.load(key.upper()) is None
    assert disk.clear() == 1
    assert disk.load(key) is None
    assert disk.clear() == 0
