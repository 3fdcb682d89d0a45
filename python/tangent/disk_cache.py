"""The disk cache: gradients that other processes of this user made, as text.

In: keys, which are SHA-256 digests of all that a text depends on, and bytes. Out: the very bytes
that this package stored for that very key, or None. Nothing here raises an exception on account of
what is on the disk: a folder that cannot be written, a full disk, a file that is broken, foreign or
not a file is a miss.

The entries lie in the folder `native-1` of `$TANGENT_CACHE_DIR`, of `$XDG_CACHE_HOME/tangent-ad` or
of `~/.cache/tangent-ad`. The folder has to belong to the user and to be closed to all others (mode
0700), the files in it as well (0600); neither may be a symbolic link. Each entry carries a keyed
code (HMAC-SHA-256) over its key and its contents; the secret of that code lies beside it and never
leaves the folder. So bytes that came in some other way, or that were stored for another key, are
never used. docs/caches.md says what that protects against, and what it does not.

`TANGENT_DISK_CACHE=0` turns the cache off, `TANGENT_CACHE_SIZE` bounds it.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import time
from collections.abc import Iterator

from tangent import _core, _options

_MAGIC = b'tangent-ad 1\n'
_CODE_SIZE = 32
_SECRET = 'secret'
_SECRET_SIZE = 32
# Grows by one byte for each block of what is stored, so that its length says how much there may be
# without looking at every file; appending needs no lock.
_USAGE = 'usage'
_BLOCK = 4096
_UNKNOWN = 1 << 62
_SUFFIX = '.grad'
_UNFINISHED = '.tmp'
_DIGITS = '0123456789abcdef'
_LARGEST_ENTRY = 16 << 20
_STANDARD_SIZE = 256 << 20
_UNITS = {'': 0, 'k': 10, 'm': 20, 'g': 30, 't': 40}
_SIZE = r'\s*(\d{1,15}(?:\.\d{1,6})?)\s*([kmgt]?)(?:i?b)?\s*'
# What a file that cannot be opened may be instead: gone, a link, somebody else's, a socket.
_NOT_A_FILE = (errno.ENOENT, errno.ELOOP, errno.EACCES, errno.ENXIO)
# How much is left of a full cache when the oldest entries have gone.
_KEPT = 0.75
# An entry whose time of use is older than this is marked as used anew, in seconds.
_FRESH = 3600.0
# What a process that was killed left unfinished is taken away after this time, in seconds.
_ABANDONED = 3600.0


def enabled() -> bool:
    """Whether gradients are kept on disk: unless `TANGENT_DISK_CACHE` says 0.

    Examples
    --------
    >>> import os
    >>> os.environ['TANGENT_DISK_CACHE'] = '0'
    >>> tangent.disk_cache.enabled()
    False
    """
    switch = os.environ.get('TANGENT_DISK_CACHE', '1').strip().lower()
    return switch not in ('0', 'off', 'false', 'no')


def cache_dir() -> str:
    """The folder of the entries, whether it is there or not."""
    chosen = os.environ.get('TANGENT_CACHE_DIR')
    if not chosen:
        base = os.environ.get('XDG_CACHE_HOME')
        # An XDG path that is not absolute does not count.
        if not base or not os.path.isabs(base):
            base = os.path.join(os.path.expanduser('~'), '.cache')
        chosen = os.path.join(base, 'tangent-ad')
    chosen = os.path.expanduser(chosen)
    if chosen.startswith('~'):
        chosen = os.devnull  # of a user whom nobody knows: nothing is kept
    return os.path.join(os.path.abspath(chosen), 'native-1')


def max_size() -> int:
    """How many bytes the entries may take: `TANGENT_CACHE_SIZE`, else 256 MB.

    Returns
    -------
    int
        The bound in bytes. With 0 nothing is stored.

    Raises
    ------
    TangentValueError
        If `TANGENT_CACHE_SIZE` is no size: a number of bytes, or one with `k`, `M`, `G` or `T`
        behind it (powers of 1024). Gradients are made as without a disk cache then; nothing is
        stored.

    Examples
    --------
    >>> os.environ['TANGENT_CACHE_SIZE'] = '64M'
    >>> tangent.disk_cache.max_size()
    67108864
    """
    written = os.environ.get('TANGENT_CACHE_SIZE', '')
    if not written.strip():
        return _STANDARD_SIZE
    import re  # only where somebody chose a size

    found = re.fullmatch(_SIZE, written, re.IGNORECASE | re.ASCII)
    if found is None:
        _options.refuse(
            'BadOption',
            f'TANGENT_CACHE_SIZE={written!r} is no size',
            "give a number of bytes, or one with a suffix: '64M', '1G'; 0 stores nothing",
        )
    return int(float(found[1]) * (1 << _UNITS[found[2].lower()]))


def load(key: str) -> bytes | None:
    """What was stored under a key.

    Parameters
    ----------
    key
        64 hexadecimal digits.

    Returns
    -------
    bytes or None
        Just what `store` was given for this key by a process of this user; None if there is no
        such thing.
    """
    if not enabled() or not _is_key(key):
        return None
    try:
        with _folder(create=False) as folder:
            secret = _read_secret(folder)
            if secret is None:
                return None
            whole = _read(folder, key + _SUFFIX, _LARGEST_ENTRY, touch=True)
    except (OSError, ValueError):
        return None
    if whole is None or not whole.startswith(_MAGIC):
        return None
    code, payload = whole[len(_MAGIC) :][:_CODE_SIZE], whole[len(_MAGIC) + _CODE_SIZE :]
    return payload if _same(code, _code(secret, key, payload)) else None


def store(key: str, payload: bytes) -> bool:
    """Stores bytes under a key, in place of what is there.

    Parameters
    ----------
    key
        64 hexadecimal digits.
    payload
        The contents.

    Returns
    -------
    bool
        Whether it is stored. Readers see all of it or nothing, whatever happens meanwhile.
    """
    if not enabled() or not _is_key(key):
        return False
    try:
        bound = max_size()
        size = len(_MAGIC) + _CODE_SIZE + len(payload)
        if size > min(bound, _LARGEST_ENTRY):
            return False
        with _folder(create=True) as folder:
            secret = _read_secret(folder) or _make_secret(folder)
            if secret is None:
                return False
            full = _note_usage(folder, size) > bound
            _publish(folder, key + _SUFFIX, _MAGIC + _code(secret, key, payload) + payload)
            if full:
                _make_room(folder, bound, key + _SUFFIX)
    except (OSError, ValueError):  # ValueError: a size or path that is none
        return False
    return True


def clear() -> int:
    """Removes all entries.

    Returns
    -------
    int
        How many there were.
    """
    removed = 0
    try:
        with _folder(create=False) as folder:
            for name in os.listdir(folder):
                if _is_entry(name) or name == _USAGE or name.endswith(_UNFINISHED):
                    with contextlib.suppress(OSError):
                        os.unlink(name, dir_fd=folder)
                        removed += _is_entry(name)
    except (OSError, ValueError):
        pass
    return removed


def info() -> dict[str, object]:
    """What there is: `directory`, `enabled`, `usable`, `entries`, `bytes`, `max_bytes`.

    `usable` says whether the folder, if it is there, is one that entries are taken from: it belongs
    to the user and nobody else may look into it. `max_bytes` is None where `TANGENT_CACHE_SIZE` is
    no size.
    """
    entries, size, usable = 0, 0, True
    try:
        with _folder(create=False) as folder:
            for name in os.listdir(folder):
                if _is_entry(name):
                    with contextlib.suppress(OSError):
                        size += os.stat(name, dir_fd=folder, follow_symlinks=False).st_size
                        entries += 1
    except FileNotFoundError:
        pass  # it is made when it is needed
    except (OSError, ValueError):
        usable = False
    try:
        bound: int | None = max_size()
    except ValueError:
        bound = None
    return {
        'directory': cache_dir(),
        'enabled': enabled(),
        'usable': usable,
        'entries': entries,
        'bytes': size,
        'max_bytes': bound,
    }


# ------------------------------------------------------------------------------------------------
# The folder and its files. Every file is reached through the descriptor of a folder that was
# looked at, so that nobody can put another one in its place meanwhile.


def _is_key(text: str) -> bool:
    return len(text) == 64 and not text.strip(_DIGITS)


def _is_entry(name: str) -> bool:
    return name.endswith(_SUFFIX) and _is_key(name.removesuffix(_SUFFIX))


def _is_private(status: os.stat_result) -> bool:
    """Whether it is the user's own and no one else may read or write it."""
    return status.st_uid == os.geteuid() and not status.st_mode & 0o077


@contextlib.contextmanager
def _folder(create: bool) -> Iterator[int]:
    """A descriptor of the folder; OSError if it is not there or not to be trusted."""
    path = cache_dir()
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        folder = os.open(path, flags)
    except FileNotFoundError:
        if not create:
            raise
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        with contextlib.suppress(FileExistsError):
            os.mkdir(path, mode=0o700)
        folder = os.open(path, flags)
    try:
        if not _is_private(os.fstat(folder)):
            raise PermissionError(path)
        yield folder
    finally:
        os.close(folder)


def _read(folder: int, name: str, largest: int, touch: bool = False) -> bytes | None:
    """The contents of a private file of the folder; None if it is not there or not one."""
    try:
        # NONBLOCK: opening a pipe does not wait for somebody to write into it.
        file = os.open(
            name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder
        )
    except OSError as error:
        if error.errno in _NOT_A_FILE:
            return None
        raise
    try:
        status = os.fstat(file)
        if not stat.S_ISREG(status.st_mode) or not _is_private(status):
            return None
        if status.st_size > largest:
            return None
        pieces = []
        while piece := os.read(file, status.st_size + 1):
            pieces.append(piece)
            if sum(map(len, pieces)) > status.st_size:
                return None  # it grows: nobody who writes entries does that
        if touch and abs(time.time() - status.st_mtime) > _FRESH:
            with contextlib.suppress(OSError):  # a file system that cannot be written
                os.utime(file)
        return b''.join(pieces)
    finally:
        os.close(file)


def _publish(folder: int, name: str, contents: bytes, replace: bool = True) -> None:
    """Makes a file with these contents, which is there as a whole or not at all."""
    unfinished = f'{os.getpid()}-{os.urandom(8).hex()}{_UNFINISHED}'
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    file = os.open(unfinished, flags, 0o600, dir_fd=folder)
    try:
        try:
            os.fchmod(file, 0o600)  # whatever the umask says
            rest = memoryview(contents)
            while rest:
                rest = rest[os.write(file, rest) :]
        finally:
            os.close(file)  # a full disk may say so here
        if replace:
            os.rename(unfinished, name, src_dir_fd=folder, dst_dir_fd=folder)
        else:
            try:
                os.link(unfinished, name, src_dir_fd=folder, dst_dir_fd=folder)
            except FileExistsError:
                pass  # another process was quicker
            except OSError:  # a file system without links
                os.rename(unfinished, name, src_dir_fd=folder, dst_dir_fd=folder)
            else:
                os.unlink(unfinished, dir_fd=folder)
                return
            with contextlib.suppress(FileNotFoundError):
                os.unlink(unfinished, dir_fd=folder)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(unfinished, dir_fd=folder)
        raise


# ------------------------------------------------------------------------------------------------
# The keyed code


def _read_secret(folder: int) -> bytes | None:
    secret = _read(folder, _SECRET, _SECRET_SIZE)
    return secret if secret is not None and len(secret) == _SECRET_SIZE else None


def _make_secret(folder: int) -> bytes | None:
    """A secret where there is none that can be used; that of another process if it is quicker."""
    there = True
    try:
        os.stat(_SECRET, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        there = False
    # One that others could read, or that is broken, is given up, and all entries with it.
    _publish(folder, _SECRET, os.urandom(_SECRET_SIZE), replace=there)
    return _read_secret(folder)


def _code(secret: bytes, key: str, payload: bytes) -> bytes:
    return _core.hmac_sha256(secret, _MAGIC + key.encode() + payload)


def _same(a: bytes, b: bytes) -> bool:
    """Whether they are equal, in a time that does not tell where they differ."""
    difference = len(a) ^ len(b)
    for x, y in zip(a, b, strict=False):
        difference |= x ^ y
    return difference == 0


# ------------------------------------------------------------------------------------------------
# The bound


def _blocks(size: int) -> int:
    return -(-size // _BLOCK)


def _note_usage(folder: int, size: int) -> int:
    """How many bytes there may be with `size` more; what is replaced is counted twice.

    Where nothing was counted yet, there may be any number.
    """
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        file = os.open(_USAGE, flags, 0o600, dir_fd=folder)
    except OSError:
        return _UNKNOWN  # something else has that name: the files themselves are looked at
    try:
        added = os.write(file, b'.' * _blocks(size))
        counted = os.fstat(file).st_size
        return counted * _BLOCK if counted > added else _UNKNOWN
    finally:
        os.close(file)


def _make_room(folder: int, bound: int, newest: str) -> None:
    """Removes what was used longest ago until there is room again, and what was given up."""
    now = time.time()
    entries: list[tuple[float, int, str]] = []
    for name in os.listdir(folder):
        try:
            status = os.stat(name, dir_fd=folder, follow_symlinks=False)
        except OSError:
            continue
        if _is_entry(name):
            # A time that is still to come says nothing: such an entry counts as old.
            used = status.st_mtime if status.st_mtime <= now + _FRESH else 0.0
            entries.append((used, _blocks(status.st_size), name))
        elif name.endswith(_UNFINISHED) and abs(now - status.st_mtime) > _ABANDONED:
            with contextlib.suppress(OSError):
                os.unlink(name, dir_fd=folder)
    blocks = sum(each[1] for each in entries)
    if blocks * _BLOCK > bound:
        entries.sort()
        for _, size, name in entries:
            if blocks * _BLOCK <= bound * _KEPT:
                break
            if name == newest:
                continue
            with contextlib.suppress(OSError):
                os.unlink(name, dir_fd=folder)
                blocks -= size
    with contextlib.suppress(OSError):
        file = os.open(_USAGE, os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
        try:
            os.ftruncate(file, blocks)
        finally:
            os.close(file)
