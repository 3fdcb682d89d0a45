"""Tapes and snapshots on disk: the same gradients, with every schedule and at the second order; the
memory that is left; files that nobody sees and nothing leaves; disks that are full.
"""

from __future__ import annotations

import errno
import gc
import os
import pickle
import shutil
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import oracle
import pytest
import tangent
from measuring import peak_memory
from tangent import _runtime_disk
from test_checkpointing import CONFIGS, PROGRAMS, arguments, gradients


@pytest.fixture
def all_on_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Arrays of any size go to the file."""
    monkeypatch.setattr(_runtime_disk, '_LEAST', 1)


SCHEDULES: dict[str, dict[str, Any]] = {'tapes': {}, **CONFIGS}


@pytest.mark.parametrize('name', SCHEDULES)
@pytest.mark.parametrize('f', PROGRAMS, ids=lambda f: f.__name__)
def test_same_gradient(
    f: Callable[..., Any], name: str, tmp_path: Path, all_on_disk: None
) -> None:
    df = gradients(f, checkpoint_config={**SCHEDULES[name], 'disk': tmp_path})
    want = gradients(f)(*arguments())
    for _ in range(2):
        for mine, other in zip(df(*arguments()), want, strict=True):
            np.testing.assert_allclose(mine, other, rtol=1e-12, atol=1e-12)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize('name', ['tapes', 'sqrt', 'binomial 3'])
@pytest.mark.parametrize('f', PROGRAMS, ids=lambda f: f.__name__)
def test_second_order(
    f: Callable[..., Any], name: str, tmp_path: Path, all_on_disk: None
) -> None:
    config = {**SCHEDULES[name], 'disk': tmp_path}
    plain = tangent.grad(tangent.grad(f, wrt=(1,)), wrt=(0, 1))
    df = tangent.grad(f, wrt=(1,), checkpoint_config=config)
    for ddf in (
        tangent.grad(df, wrt=(0, 1)),
        tangent.grad(df, wrt=(0, 1), checkpoint_config=config),
    ):
        for mine, other in zip(ddf(*arguments()), plain(*arguments()), strict=True):
            np.testing.assert_allclose(mine, other, rtol=1e-12, atol=1e-12)


def steps(x, n):
    for _ in range(n):
        x = x + 0.1 * np.sin(x)
    return np.sum(x)


def states(x, n):
    xs = []
    for _ in range(n):
        x = x + 0.1 * np.sin(x)
        xs.append(x)
    while xs:
        x = x * np.cos(xs.pop())
    return np.sum(x)


def test_text(tmp_path: Path) -> None:
    x = np.ones(3)
    text = tangent.grad(steps, checkpoint_config={'disk': tmp_path}).source(x, 4)
    assert f"x_tape = _tape_on_disk('{tmp_path}')" in text
    assert '[]' not in text
    # Numbers are no burden.
    df = tangent.grad(steps, checkpoint_config={'disk': tmp_path})
    assert '_on_disk' not in df.source(1.0, 4)


def test_memory(tmp_path: Path) -> None:
    x = np.linspace(0.0, 1.0, 5000)

    n = 300
    assert peak_memory(tangent.grad(steps), x, n) > n * x.nbytes
    on_disk = tangent.grad(steps, checkpoint_config={'disk': tmp_path})
    assert peak_memory(on_disk, x, n) < 8 * x.nbytes
    for schedule in ('sqrt', 'binomial'):
        config = {'enabled': True, 'schedule': schedule, 'disk': tmp_path}
        assert peak_memory(tangent.grad(steps, checkpoint_config=config), x, n) < 8 * x.nbytes
    twice = tangent.grad(tangent.grad(steps), wrt=0)
    config = {'disk': tmp_path}
    mine = tangent.grad(tangent.grad(steps, checkpoint_config=config), checkpoint_config=config)
    np.testing.assert_array_equal(mine(x, n), twice(x, n))
    assert peak_memory(mine, x, n) < 0.1 * peak_memory(twice, x, n)


def test_a_place_is_used_again(tmp_path: Path) -> None:
    """The file is as long as the tape once was."""
    tape = _runtime_disk._tape_on_disk(str(tmp_path))
    sizes = set()
    for _ in range(5):
        for k in range(10):
            tape.append(np.full(1000, float(k)))
        # Every second one goes, as where a loop of unknown length thins its snapshots.
        tape = tape[::2]
        assert [value[0] for value in tape] == [0.0, 2.0, 4.0, 6.0, 8.0][: len(tape)]
        while tape:
            tape.pop()
        sizes.add(tape._file._end)
    assert sizes <= {0, *range(8000, 80001, 8000)}
    assert os.fstat(tape._file._file.fileno()).st_size <= 80000


@pytest.mark.parametrize(
    'value',
    [
        np.arange(1000.0),
        np.arange(1000.0).reshape(10, 100).T,
        np.arange(2000.0)[::2],
        np.arange(4000.0).reshape(40, 100)[1:, ::3],
        np.arange(2000, dtype=np.float32),
        np.arange(1000) > 3,
        np.array(['2026-01-01'] * 1000, dtype='datetime64[D]'),
        np.zeros(1000, dtype=[('a', float), ('b', int)]),
        np.arange(6000.0).reshape(10, 20, 30).transpose(1, 2, 0),
        np.broadcast_to(1.0, (100, 100)),
        np.array([None] * 1000),
        [np.arange(1000.0), 2.0, [np.ones((50, 50))]],
        (np.arange(1000.0), 'name'),
        1.5,
        None,
        np.float64(2.0),
        np.zeros((0, 10)),
    ],
    ids=lambda it: type(it).__name__,
)
def test_what_is_put_there_comes_back(value: Any, tmp_path: Path) -> None:
    tape = _runtime_disk._tape_on_disk(str(tmp_path))
    for _ in range(3):
        tape.append(value)
    assert len(tape) == 3 and bool(tape)
    for got in (tape[1], tape.pop(), *tape):
        assert type(got) is type(value)
        for one, other in zip(oracle.leaves(got), oracle.leaves(value), strict=True):
            assert getattr(one, 'dtype', None) == getattr(other, 'dtype', None)
            np.testing.assert_array_equal(one, other)
    if isinstance(value, np.ndarray) and value.flags.writeable and value.dtype != object:
        first, second = tape.pop(), tape[0]
        if first.nbytes >= _runtime_disk._LEAST:
            assert first.flags.writeable and not np.shares_memory(first, second)


def test_files_are_gone_and_closed(tmp_path: Path) -> None:
    """Also where the function raises, and as long as somebody holds the traceback."""
    folder = tmp_path / 'made' / 'now'

    def fails(x, n):
        for i in range(n):
            x = x + 0.1 * np.sin(x)
            if i == 7:
                raise KeyError('here')
        return np.sum(x)

    df = tangent.grad(fails, checkpoint_config={'disk': folder})
    assert os.stat(folder).st_mode & 0o777 == 0o700
    x = np.ones(1000)
    before = len(os.listdir('/proc/self/fd'))
    with pytest.raises(KeyError) as caught:
        df(x, 10)
    assert os.listdir(folder) == []
    del caught
    gc.collect()
    assert len(os.listdir('/proc/self/fd')) == before
    df(x, 5)
    assert os.listdir(folder) == []
    assert len(os.listdir('/proc/self/fd')) == before


def test_a_killed_process_leaves_nothing(tmp_path: Path) -> None:
    code = f"""
        import os, signal
        import numpy as np
        import tangent
        def f(x, n):
            for i in range(n):
                x = x + 0.1 * np.sin(x)
            return np.sum(x)
        count, write = 0, os.pwrite
        def pwrite(descriptor, data, place):
            global count
            count += 1
            if count == 50:
                print(os.readlink(f'/proc/self/fd/{{descriptor}}'), flush=True)
                os.kill(os.getpid(), signal.SIGKILL)
            return write(descriptor, data, place)
        os.pwrite = pwrite
        tangent.grad(f, checkpoint_config={{'disk': {str(tmp_path)!r}}})(np.ones(10000), 100)
    """
    path = tmp_path.parent / 'killed.py'
    path.write_text(textwrap.dedent(code))
    run = subprocess.run([sys.executable, path], capture_output=True, text=True)
    assert run.returncode == -signal.SIGKILL, run.stderr
    assert run.stdout.strip().endswith('(deleted)'), run.stdout
    assert os.listdir(tmp_path) == []


def test_a_full_disk(tmp_path: Path) -> None:
    """A clear error, and the next call with room is right."""
    mounted = subprocess.run(
        ['mount', '-t', 'tmpfs', '-o', 'size=1m', 'tangent-test', str(tmp_path)],
        capture_output=True,
    )
    if mounted.returncode:
        pytest.skip('no file system can be mounted here')
    try:
        df = tangent.grad(steps, checkpoint_config={'disk': tmp_path})
        x = np.linspace(0.0, 1.0, 10000)
        with pytest.raises(OSError, match='could not be written') as caught:
            df(x, 50)
        assert caught.value.errno == errno.ENOSPC
        assert 'checkpoint_config' in str(caught.value) and caught.value.filename == str(tmp_path)
        np.testing.assert_array_equal(x, np.linspace(0.0, 1.0, 10000))
        del caught
        gc.collect()
        np.testing.assert_array_equal(df(x, 5), tangent.grad(steps)(x, 5))
    finally:
        subprocess.run(['umount', '-l', str(tmp_path)], check=True)


def test_a_disk_that_refuses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same where nothing can be mounted; and part of a write is not a write."""
    df = tangent.grad(steps, checkpoint_config={'disk': tmp_path})
    x = np.linspace(0.0, 1.0, 1000)
    write = os.pwrite
    count = 0

    def pwrite(descriptor: int, data: Any, place: int) -> int:
        nonlocal count
        count += 1
        if count > 20:
            raise OSError(errno.ENOSPC, 'no space')
        return write(descriptor, data[: max(1, len(data) // 3)], place)

    monkeypatch.setattr(os, 'pwrite', pwrite)
    with pytest.raises(OSError, match='make room'):
        df(x, 50)
    count = -10000
    np.testing.assert_array_equal(df(x, 5), tangent.grad(steps)(x, 5))


def test_a_folder_that_has_gone(tmp_path: Path) -> None:
    folder = tmp_path / 'scratch'
    df = tangent.grad(steps, checkpoint_config={'disk': str(folder)})
    x = np.ones(1000)
    df(x, 3)
    shutil.rmtree(folder)
    with pytest.raises(OSError, match='could not be written'):
        df(x, 3)
    # Asked for again it is made again.
    np.testing.assert_array_equal(
        tangent.grad(steps, checkpoint_config={'disk': str(folder)})(x, 3),
        tangent.grad(steps)(x, 3),
    )


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    place = tmp_path / 'file'
    place.write_text('')
    for bad in (place, place / 'below', '/proc/nothing'):
        with pytest.raises(tangent.TangentValueError, match='no files can be made there'):
            tangent.grad(steps, checkpoint_config={'disk': bad})


def test_it_is_part_of_what_is_remembered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = tmp_path / 'one', tmp_path / 'other'
    first = tangent.grad(steps, checkpoint_config={'disk': one})
    assert first is tangent.grad(steps, checkpoint_config={'disk': str(one)})
    assert first is not tangent.grad(steps, checkpoint_config={'disk': other})
    assert first is not tangent.grad(steps)
    monkeypatch.chdir(tmp_path)
    assert first is tangent.grad(steps, checkpoint_config={'disk': 'one'})
    assert first is tangent.grad(steps, checkpoint_config={'disk': os.fsencode(one)})
    x = np.ones(1000)
    again = pickle.loads(pickle.dumps(first))
    assert again.source(x, 3) == first.source(x, 3)
    assert '_on_disk' not in tangent.grad(steps, checkpoint_config={'disk': None}).source(x, 3)


def test_lists_of_a_gradient_that_is_differentiated(tmp_path: Path, all_on_disk: None) -> None:
    """Lists of the user's own stay lists; its tapes do not come back into memory."""
    x = np.array([0.3, -0.4])
    config = {'disk': tmp_path}
    df = tangent.grad(states, checkpoint_config=config)
    assert 'xs = []' in df.source(x, 3)
    np.testing.assert_allclose(df(x, 5), tangent.grad(states)(x, 5), rtol=1e-12)
    ddf = tangent.grad(df, checkpoint_config=config)
    np.testing.assert_allclose(
        ddf(x, 5), tangent.grad(tangent.grad(states))(x, 5), rtol=1e-12
    )


def test_other_libraries_are_refused(tmp_path: Path) -> None:
    torch = pytest.importorskip('torch')

    def f(x):
        for _ in range(3):
            x = x * torch.sin(x)
        return torch.sum(x)

    df = tangent.grad(f, checkpoint_config={'disk': tmp_path})
    with pytest.raises(tangent.TangentValueError, match='stay in memory'):
        df(torch.ones(3))
