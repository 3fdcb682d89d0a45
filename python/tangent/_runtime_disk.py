"""What emitted text keeps tapes and snapshots in where they are to lie on disk.

A tape on disk is a list whose large arrays lie in one file of a folder; what is small stays in
memory. The file has no name and is closed to others (mode 0600), so that it is gone with the tape:
when the gradient returns, when it raises, and when the process is killed. Each array has a place in
it of its own size, and a place that is free again is used again: the file is as long as the tape
once was.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from typing import Any, BinaryIO, SupportsIndex

import numpy as np

# Arrays of fewer bytes are not worth a call of the system.
_LEAST = 4096


class _File:
    """A nameless file with places of given sizes. It is made when it is needed first."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._file: BinaryIO | None = None
        self._end = 0
        self._free: dict[int, list[int]] = {}

    def keep(self, value: Any) -> Any:
        """What stands for a value in the list: itself, or where it is."""
        if type(value) is np.ndarray:
            if value.nbytes < _LEAST or value.dtype.hasobject or 0 in value.strides:
                return value
            return _Kept(self, value)
        if type(value) is list or type(value) is tuple:
            kept = [self.keep(each) for each in value]
            if any(one is not other for one, other in zip(kept, value, strict=True)):
                return _Items(type(value), kept)
        return value

    def write(self, data: np.ndarray[Any, Any]) -> int:
        """Where the bytes are now."""
        free = self._free.get(data.nbytes)
        place = free[-1] if free else self._end
        try:
            if self._file is None:
                from tempfile import TemporaryFile  # only for gradients that keep tapes on disk

                self._file = TemporaryFile(buffering=0, dir=self._folder)  # noqa: SIM115
            descriptor = self._file.fileno()
            view = data.data
            done = 0
            while done < len(view):
                count = os.pwrite(descriptor, view[done:], place + done)
                if count == 0:
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                done += count
        except OSError as error:
            raise OSError(
                error.errno,
                f'a tape of this gradient could not be written, {data.nbytes} bytes behind '
                f'{place} ({error.strerror}); make room, or give another folder as '
                "checkpoint_config['disk']; the files of this call are gone",
                self._folder,
            ) from error
        if free:
            free.pop()
        else:
            self._end += data.nbytes
        return place

    def read(self, place: int, data: np.ndarray[Any, Any]) -> None:
        """Fills the bytes with what is there."""
        assert self._file is not None
        descriptor = self._file.fileno()
        view = data.data
        done = 0
        while done < len(view):
            count = os.preadv(descriptor, [view[done:]], place + done)
            if count == 0:
                raise OSError(errno.EIO, 'a tape of this gradient was cut off', self._folder)
            done += count

    def free(self, place: int, size: int) -> None:
        """Gives a place back."""
        if place + size == self._end:
            self._end = place
        else:
            self._free.setdefault(size, []).append(place)


class _Kept:
    """An array that is in a file."""

    __slots__ = ('_dtype', '_file', '_place', '_shape', '_size', '_transposed')

    def __init__(self, file: _File, array: np.ndarray[Any, Any]) -> None:
        self._file = file
        self._place = -1
        self._shape, self._dtype, self._size = array.shape, array.dtype, array.nbytes
        self._transposed = array.flags.f_contiguous and not array.flags.c_contiguous
        stored = array.T if self._transposed else np.ascontiguousarray(array)
        self._place = file.write(stored.reshape(-1).view(np.uint8))

    def value(self) -> Any:
        """The array, an own copy each time."""
        shape = self._shape[::-1] if self._transposed else self._shape
        array = np.empty(shape, self._dtype)
        self._file.read(self._place, array.reshape(-1).view(np.uint8))
        return array.T if self._transposed else array

    def __del__(self) -> None:
        if self._place >= 0:
            self._file.free(self._place, self._size)


class _Items:
    """A list or tuple with arrays that are in a file."""

    __slots__ = ('_items', '_kind')

    def __init__(self, kind: type[Any], items: list[Any]) -> None:
        self._kind = kind
        self._items = items

    def value(self) -> Any:
        """The list or tuple."""
        return self._kind([_value(each) for each in self._items])


def _value(kept: Any) -> Any:
    return kept.value() if type(kept) is _Kept or type(kept) is _Items else kept


class _Tape(list[Any]):
    """A list whose large arrays are in a file."""

    def __init__(self, file: _File) -> None:
        super().__init__()
        self._file = file

    def append(self, value: Any) -> None:
        super().append(self._file.keep(value))

    def pop(self, index: SupportsIndex = -1) -> Any:
        return _value(super().pop(index))

    def __getitem__(self, index: Any) -> Any:
        found = super().__getitem__(index)
        if type(index) is not slice:
            return _value(found)
        part = _Tape(self._file)
        part.extend(found)
        return part

    def __iter__(self) -> Iterator[Any]:
        return map(_value, super().__iter__())

    def __repr__(self) -> str:
        return f'<tape on disk, {len(self)} values>'


def _tape_on_disk(folder: str) -> list[Any]:
    """An empty tape whose large arrays lie in a file of the folder.

    It has what emitted text asks of a tape: `append`, `pop`, `len`, elements, slices.
    """
    return _Tape(_File(folder))
