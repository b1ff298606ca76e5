"""The write-ahead log: what is acknowledged is here, on disk, before it is in the tables.

LanceDB never syncs, so a power cut may take its newest commits. A record of this log is one transaction: length, CRC-32,
payload. Appending writes to the operating system (survives kill -9); ``wait`` returns after one fdatasync that covers
every record appended before it, so concurrent writers share it (leader and followers). A torn tail is what was never
acknowledged and is dropped. Segments are deleted only after their content is in the tables and synced.
"""

from __future__ import annotations

import errno
import os
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from threading import Condition, Lock

from muninn.errors import StoreError, StoreFullError
from muninn.failpoints import failpoint

_HEADER = struct.Struct("<II")
_SUFFIX = ".wal"
_NO_SPACE = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.EFBIG}


def read_segment(path: Path) -> Iterator[bytes]:
    """The whole records of one segment, in order; stops at the first torn or damaged one."""
    data = path.read_bytes()
    start = 0
    while start + _HEADER.size <= len(data):
        length, crc = _HEADER.unpack_from(data, start)
        body = data[start + _HEADER.size : start + _HEADER.size + length]
        if len(body) < length or zlib.crc32(body) != crc:
            return
        yield body
        start += _HEADER.size + length


def segments(folder: Path) -> list[Path]:
    """The segments in a folder, oldest first."""
    return sorted(folder.glob(f"*{_SUFFIX}"))


class WriteAheadLog:
    """Appends to the newest segment of a folder; positions count bytes over the life of this object."""

    def __init__(self, folder: Path, *, durable: bool) -> None:
        self._folder = folder
        self._durable = durable
        self._write = Lock()
        self._sync = Condition()
        self._syncing = False
        self._position = 0
        self._synced = 0
        self._number = int(segments(folder)[-1].stem) if segments(folder) else 0
        self._fd = self._open_next()

    def _open_next(self) -> int:
        self._number += 1
        path = self._folder / f"{self._number:012d}{_SUFFIX}"
        try:
            fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600)
            if self._durable:
                sync_folder(self._folder)
        except OSError as error:
            raise refusal(error, path) from error
        return fd

    def append(self, payload: bytes) -> int:
        """Hand one record to the operating system; returns the position to ``wait`` for."""
        failpoint("wal.append")
        record = _HEADER.pack(len(payload), zlib.crc32(payload)) + payload
        with self._write:
            start = os.lseek(self._fd, 0, os.SEEK_END)
            try:
                view = memoryview(record)
                while view:
                    view = view[os.write(self._fd, view) :]
            except OSError as error:
                os.ftruncate(self._fd, start)
                raise refusal(error, self._folder) from error
            self._position += len(record)
            return self._position

    def wait(self, position: int) -> None:
        """Return when the log is on disk up to ``position``; the first to wait syncs for all."""
        if not self._durable:
            return
        with self._sync:
            while self._synced < position:
                if self._syncing:
                    self._sync.wait()
                    continue
                self._syncing = True
                break
            else:
                return
        try:
            with self._write:
                covered, fd = self._position, os.dup(self._fd)
            try:
                failpoint("wal.sync")
                getattr(os, "fdatasync", os.fsync)(fd)
            finally:
                os.close(fd)
        except OSError as error:
            with self._sync:
                self._syncing = False
                self._sync.notify_all()
            raise refusal(error, self._folder) from error
        with self._sync:
            self._syncing = False
            self._synced = max(self._synced, covered)
            self._sync.notify_all()

    def rotate(self) -> list[Path]:
        """Start a new segment; returns the older ones, to be ``drop``ped once their content is elsewhere."""
        self.wait(self._position)
        with self._write:
            old, self._fd = self._fd, self._open_next()
            os.close(old)
            return segments(self._folder)[:-1]

    def close(self) -> None:
        self.wait(self._position)
        os.close(self._fd)


def drop(paths: list[Path]) -> None:
    """Delete segments whose content is safe elsewhere."""
    for path in paths:
        path.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder survive a power cut."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def refusal(error: OSError, path: Path) -> StoreError:
    """The error a person sees when the disk does not take a write."""
    if error.errno in _NO_SPACE:
        return StoreFullError(
            f"cannot write in {path}: {os.strerror(error.errno or 0).lower()}",
            hint="free space or make the folder writable; reading goes on",
        )
    return StoreError(f"writing in {path} failed: {error.strerror}", hint="see muninn doctor")
