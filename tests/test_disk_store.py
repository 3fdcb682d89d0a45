"""The store of the disk cache under load: many processes, kill -9, clocks that jump, its bound."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
import tangent
from cache_process import entries, environment, report
from tangent import disk_cache

# Shorter where nothing of the cache has changed: STORE_SECONDS=2.
SECONDS = float(os.environ.get("STORE_SECONDS", "10"))


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TANGENT_DISK_CACHE", "1")
    monkeypatch.setenv("TANGENT_CACHE_DIR", str(tmp_path))
    monkeypatch.delenv("TANGENT_CACHE_SIZE", raising=False)
    return tmp_path


def key_of(number: int) -> str:
    return hashlib.sha256(b"%d" % number).hexdigest()


def size_of(cache: Path) -> int:
    return sum(each.stat().st_size for each in entries(cache))


# ------------------------------------------------------------------------------------------------
# Many at once

# Stores and loads at random. Contents say for which key they are and who wrote them, so that mixed
# ones would show. Every tenth process has a small bound, and throws out what others wrote.
WORK = """
import hashlib, os, random, sys, time
from tangent import disk_cache
seed, seconds = int(sys.argv[1]), float(sys.argv[2])
random.seed(seed)
end = time.monotonic() + seconds
counts = {"stored": 0, "loaded": 0, "missed": 0}
while time.monotonic() < end:
    key = hashlib.sha256(b"%d" % random.randrange(12)).hexdigest()
    if random.random() < 0.4:
        body = b"%d " % random.randrange(10**9) * random.randrange(1, 20000)
        payload = key.encode() + hashlib.sha256(body).digest() + body
        counts["stored"] += disk_cache.store(key, payload)
    else:
        payload = disk_cache.load(key)
        if payload is None:
            counts["missed"] += 1
            continue
        counts["loaded"] += 1
        assert payload[:64] == key.encode(), "the contents of another key"
        assert payload[64:96] == hashlib.sha256(payload[96:]).digest(), "mixed contents"
assert counts["loaded"] and counts["stored"], counts
print(counts)
"""


def start(cache: Path, code: str, *words: str, **more: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, *words],
        env=environment(cache, **more),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_eight_processes_at_once(cache: Path) -> None:
    sizes = ["", "", "400k", "", "", "", "250k", ""]
    running = [
        start(cache, WORK, str(k), str(SECONDS), TANGENT_CACHE_SIZE=size)
        for k, size in enumerate(sizes)
    ]
    for each in running:
        out, err = each.communicate(timeout=60 + SECONDS)
        assert (each.returncode, err) == (0, ""), out + err
    # Nothing unfinished is left, and the secret is one that all of them use.
    names = {each.name for each in (cache / "native-1").iterdir()}
    assert not [each for each in names if each.endswith(".tmp")]
    assert {"secret", "usage"} <= names


def test_eight_processes_make_one_gradient(tmp_path: Path) -> None:
    """All begin with an empty cache, and with the secret."""
    (tmp_path / "m.py").write_text("import math\ndef f(x):\n    return math.sin(x) * x\n")
    code = (
        f"import sys; sys.path[:0] = [{str(tmp_path)!r}]\n"
        "import m, tangent\nprint(tangent.grad(m.f)(2.0))"
    )
    running = [start(tmp_path / "cache", code) for _ in range(8)]
    told = [each.communicate(timeout=120) for each in running]
    assert {out for out, _ in told} == {told[0][0]}
    assert {err for _, err in told} == {""}
    found = report(tmp_path, "import m\nresults.append(tangent.grad(m.f)(2.0))", tmp_path / "cache")
    assert found["captured"] == []


def test_threads_of_one_process(cache: Path) -> None:
    wrong: list[object] = []

    def work(number: int) -> None:
        try:
            for step in range(60):
                key = key_of(step % 7)
                if number % 2:
                    disk_cache.store(key, key.encode() * (1 + step))
                else:
                    found = disk_cache.load(key)
                    if found is not None and found.replace(key.encode(), b""):
                        wrong.append(found)
        except Exception as error:
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not wrong


# ------------------------------------------------------------------------------------------------
# Killed


def test_kill_in_the_middle_of_a_write(cache: Path) -> None:
    """At any moment: what is under the key is one whole version or another."""
    code = """
import sys
from tangent import disk_cache
number = 0
while True:
    number += 1
    disk_cache.store(sys.argv[1], b"%d " % number * 1_000_000)
    print(number, flush=True)
"""
    key = key_of(1)
    for round in range(6):
        process = start(cache, code, key)
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(0.02 + 0.013 * round)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        found = disk_cache.load(key)
        assert found is not None
        number = found.split(b" ", 1)[0]
        assert found == number + b" " + found[len(number) + 1 :] == (number + b" ") * 1_000_000
    assert disk_cache.store(key, b"after")
    assert disk_cache.load(key) == b"after"


@pytest.mark.parametrize("call", ["rename", "link", "write", "fchmod"])
def test_kill_at_a_step_of_a_write(cache: Path, call: str) -> None:
    code = f"""
import os, signal, sys
from tangent import disk_cache
os.{call} = lambda *args, **kwargs: os.kill(os.getpid(), signal.SIGKILL)
disk_cache.store(sys.argv[1], b"never")
"""
    key = key_of(1)
    if call != "link":  # the first store of a folder makes the secret
        disk_cache.store(key, b"before")
    process = start(cache, code, key)
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert disk_cache.load(key) == (b"before" if call != "link" else None)
    assert disk_cache.store(key, b"after")
    assert disk_cache.load(key) == b"after"


def test_what_was_given_up_goes_after_a_while(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk_cache.store(key_of(1), b"x")
    old, new = cache / "native-1/1-old.tmp", cache / "native-1/2-new.tmp"
    old.write_bytes(b"left by a process that was killed")
    new.write_bytes(b"another process is writing this")
    os.utime(old, (time.time() - 7200, time.time() - 7200))
    monkeypatch.setenv("TANGENT_CACHE_SIZE", "8k")
    for k in range(4):
        disk_cache.store(key_of(k), bytes(3000))
    assert not old.exists()
    assert new.exists()


# ------------------------------------------------------------------------------------------------
# The bound


def test_what_was_used_longest_ago_goes(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TANGENT_CACHE_SIZE", "100k")
    for k in range(20):
        assert disk_cache.store(key_of(k), bytes(4000))
    now = time.time()
    for k in range(20):  # k was used 20 - k hours ago
        os.utime(cache / "native-1" / f"{key_of(k)}.grad", (now - 3600 * (20 - k),) * 2)
    assert disk_cache.load(key_of(0)) == bytes(4000)  # marks it as used now
    for k in range(20, 26):
        assert disk_cache.store(key_of(k), bytes(4000))
    assert size_of(cache) <= 100 * 1024
    assert disk_cache.load(key_of(0)) is not None
    assert disk_cache.load(key_of(1)) is None
    assert disk_cache.load(key_of(25)) is not None


def test_the_bound_is_kept_all_the_time(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TANGENT_CACHE_SIZE", "0.25M")
    for k in range(300):
        assert disk_cache.store(key_of(k), os.urandom(200 + 97 * (k % 90)))
        assert size_of(cache) <= 256 * 1024
    assert len(entries(cache)) > 20


def test_writing_one_entry_again_does_not_push_out_others(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TANGENT_CACHE_SIZE", "64k")
    assert disk_cache.store(key_of(0), b"first")
    for _ in range(100):
        assert disk_cache.store(key_of(1), bytes(9000))
    assert disk_cache.load(key_of(0)) == b"first"


def test_what_is_larger_than_the_bound_is_not_stored(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TANGENT_CACHE_SIZE", "10k")
    assert disk_cache.store(key_of(0), b"small")
    assert not disk_cache.store(key_of(1), bytes(20_000))
    assert disk_cache.load(key_of(0)) == b"small"
    monkeypatch.setenv("TANGENT_CACHE_SIZE", "0")
    assert not disk_cache.store(key_of(0), b"")
    assert disk_cache.load(key_of(0)) == b"small"


@pytest.mark.parametrize(
    ("written", "size"),
    [
        ("", 256 << 20),
        ("  ", 256 << 20),
        ("0", 0),
        ("1000", 1000),
        ("64M", 64 << 20),
        ("64 mb", 64 << 20),
        ("1.5GiB", 3 << 29),
        ("2k", 2048),
        ("1T", 1 << 40),
    ],
)
def test_sizes(cache: Path, monkeypatch: pytest.MonkeyPatch, written: str, size: int) -> None:
    monkeypatch.setenv("TANGENT_CACHE_SIZE", written)
    assert disk_cache.max_size() == size


@pytest.mark.parametrize("written", ["-1", "-5M", "much", "1e9", "nan", "12Q", "1 2", "∞", "٣"])
def test_a_size_that_is_none(cache: Path, monkeypatch: pytest.MonkeyPatch, written: str) -> None:
    assert disk_cache.store(key_of(0), b"before")
    monkeypatch.setenv("TANGENT_CACHE_SIZE", written)
    with pytest.raises(ValueError, match="is no size"):
        disk_cache.max_size()
    # Gradients are made all the same: nothing is stored, what is there is read.
    assert not disk_cache.store(key_of(1), b"x")
    assert disk_cache.load(key_of(0)) == b"before"
    assert tangent.grad(lambda x: x * x)(3.0) == 6.0
    assert disk_cache.info()["max_bytes"] is None


@pytest.mark.parametrize("what", ["folder", "link", "huge", "open"])
def test_a_count_of_usage_that_is_none(
    cache: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    monkeypatch.setenv("TANGENT_CACHE_SIZE", "64k")
    disk_cache.store(key_of(0), bytes(1000))
    usage = cache / "native-1/usage"
    usage.unlink()
    if what == "folder":
        usage.mkdir()
    elif what == "link":
        usage.symlink_to(cache / "victim")
        (cache / "victim").write_bytes(b"untouched")
    elif what == "huge":
        usage.write_bytes(b"")
        os.truncate(usage, 1 << 42)
    else:
        usage.write_bytes(b"")
        usage.chmod(0o666)
    for k in range(40):
        assert disk_cache.store(key_of(k), bytes(4000))
        assert size_of(cache) <= 64 << 10
    if what == "link":
        assert (cache / "victim").read_bytes() == b"untouched"


# ------------------------------------------------------------------------------------------------
# A clock that jumps


@pytest.mark.parametrize("jump", [-1e9, -4000.0, 4000.0, 1e9])
def test_a_clock_that_jumps(cache: Path, monkeypatch: pytest.MonkeyPatch, jump: float) -> None:
    """Entries of another time are used as ever; the bound is kept; nothing is lost for good."""
    monkeypatch.setenv("TANGENT_CACHE_SIZE", "64k")
    for k in range(8):
        disk_cache.store(key_of(k), bytes(4000))
    there = time.time() + jump
    for each in entries(cache):
        os.utime(each, (there, there))
    for k in range(8):
        assert disk_cache.load(key_of(k)) == bytes(4000)
    for k in range(8, 60):
        assert disk_cache.store(key_of(k), bytes(4000))
        assert disk_cache.load(key_of(k)) == bytes(4000)
        assert size_of(cache) <= 64 << 10
    real = time.time
    monkeypatch.setattr(time, "time", lambda: real() + jump)
    for k in range(60, 120):
        assert disk_cache.store(key_of(k), bytes(4000))
        assert disk_cache.load(key_of(k)) == bytes(4000)
        assert size_of(cache) <= 64 << 10
