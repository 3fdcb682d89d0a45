"""`python -m tangent cache info|clear`: what the disk cache holds, and how to empty it.

In: the arguments behind `cache`. Out: lines on stdout and an exit status, 0 unless the arguments
are none that it knows (2) or the cache cannot be used as it is set up (1).
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from tangent import disk_cache

_USAGE = 'usage: python -m tangent cache info|clear'


def main(arguments: Sequence[str]) -> int:
    """Runs one of the two commands."""
    if list(arguments) == ['info']:
        return _info()
    if list(arguments) == ['clear']:
        removed = disk_cache.clear()
        print(f'removed {removed} {_entries(removed)} from {disk_cache.cache_dir()}')
        return 0
    print(_USAGE, file=sys.stderr)
    return 2


def _entries(count: int) -> str:
    return 'entry' if count == 1 else 'entries'


def _info() -> int:
    found = disk_cache.info()
    entries, size, bound = found['entries'], found['bytes'], found['max_bytes']
    assert isinstance(entries, int) and isinstance(size, int)
    trouble = _trouble(found)
    print(f'directory  {found["directory"]}')
    print(f'state      {trouble or ("on" if found["enabled"] else "off (TANGENT_DISK_CACHE)")}')
    print(f'entries    {entries}')
    print(f'size       {size} bytes' + (f' of at most {bound}' if isinstance(bound, int) else ''))
    return 1 if trouble else 0


def _trouble(found: dict[str, object]) -> str:
    if not found['usable']:
        return (
            'not used: the directory cannot be read, or is not closed to other users (it has to be '
            'yours, with mode 0700, and no symbolic link)'
        )
    if found['max_bytes'] is None:
        return 'nothing is stored: TANGENT_CACHE_SIZE is no size (bytes, or 64M, 1G)'
    return ''
