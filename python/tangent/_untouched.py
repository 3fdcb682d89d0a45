"""Whether a file is known to be what a function in it was compiled from.

In: a function. Out: True only if nobody can have changed the file between the compilation and the
moment at which its lines were read: the file's last change of any kind (`ctime`, which nobody can
set) is older than this process, and older than the cached byte code where there is some. That
saves half of the time of a capture; where anything is in doubt the answer is False.
"""

from __future__ import annotations

import functools
import linecache
import os
import time
from importlib.machinery import SourceFileLoader
from types import FunctionType

_MARGIN = 2.0  # seconds: coarse clocks of file systems, and the resolution of the start


@functools.cache
def _process_start() -> float:
    """When this process began, in seconds since the epoch; minus infinity where it is not known."""
    try:
        with open('/proc/self/stat', 'rb') as file:
            ticks = int(file.read().rpartition(b')')[2].split()[19])
        since_boot = ticks / os.sysconf('SC_CLK_TCK')
        return time.time() - time.clock_gettime(time.CLOCK_BOOTTIME) + since_boot
    except (OSError, ValueError, IndexError, AttributeError):
        return float('-inf')


def is_untouched(function: FunctionType) -> bool:
    """Whether the lines that linecache has of the function's file are those that it came from."""
    filename = function.__code__.co_filename
    names = function.__globals__
    entry = linecache.cache.get(filename)
    if entry is None or len(entry) != 4 or entry[1] is None or names.get('__file__') != filename:
        return False
    loader = names.get('__loader__')
    if type(loader) is not SourceFileLoader:
        return False
    try:
        status = os.stat(filename)
        if (status.st_size, status.st_mtime) != (entry[0], entry[1]):
            return False
        if status.st_ctime > _process_start() - _MARGIN:
            return False
        cached = names.get('__cached__')
        if cached is None or names.get('__name__') == '__main__':
            return True
        try:
            return os.stat(cached).st_mtime > status.st_ctime + _MARGIN
        except FileNotFoundError:
            return True  # compiled from the source by this process
    except OSError:
        return False
