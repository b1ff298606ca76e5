"""The write-ahead log: what is acknowledged is here, on disk, before it is in the tables.

LanceDB never syncs, so a power cut may take its newest commits. A record of this log is one transaction: length, CRC-32,
payload. Appending writes to the operating system (survives kill -9); ``wait`` returns after one fdatasync that covers
every record appended before it, so concurrent writers share it (leader and followers). A torn tail is what was never
acknowledged and is dropped. Segments are deleted only after their content is in the tables and synced.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Condition, Lock

from muninn.atomic import refused, sync_folder
from muninn.errors import StoreError
from muninn.failpoints import failpoint

_HEADER = struct.Struct("<II")
_SUFFIX = ".wal"


def read_segment(path: Path) -> Iterator[bytes]:
    """The whole records of one segment, in order; stops at the first torn or damaged one."""
    data = path.read_bytes()
    start = 0
    while start + _HEADER.size <= len(data):
        length, crc = _HEADER.unpack_from(data, start)
        body = data[start + _HEADER.size : start + _HEADER.size + length]
        if not length or len(body) < length or zlib.crc32(body) != crc:
            return  # zeros would pass for an empty record: a power cut leaves them where data was promised
        yield body
        start += _HEADER.size + length


def segments(folder: Path) -> list[Path]:
    """The segments in a folder, oldest first."""
    return sorted(folder.glob(f"*{_SUFFIX}"))


class WriteAheadLog:
    """Appends to the newest segment of a folder; positions count bytes over the life of this object.

    After a failed write or sync nothing is known about the segment (the kernel may have dropped the pages, and says so
    once only). So a new segment is begun and every record that was not yet synced is written again; replaying twice is
    replaying once.
    """

    def __init__(self, folder: Path, *, durable: bool) -> None:
        self._folder = folder
        self._durable = durable
        self._write = Lock()
        self._sync = Condition()
        self._syncing = False
        self._position = 0
        self._synced = 0
        self._unsynced: deque[tuple[int, bytes]] = deque()
        self._broken = False
        self._number = int(segments(folder)[-1].stem) if segments(folder) else 0
        self._fd = self._open_next()

    def _open_next(self) -> int:
        self._number += 1
        path = self._folder / f"{self._number:012d}{_SUFFIX}"
        fd = None
        try:
            failpoint("wal.open")
            fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC, 0o600)
            if self._durable:
                sync_folder(self._folder)
        except OSError as error:
            if fd is not None:
                os.close(fd)
            raise refusal(error, path) from error
        return fd

    def append(self, payload: bytes) -> int:
        """Hand one record to the operating system; returns the position to ``wait`` for."""
        record = _HEADER.pack(len(payload), zlib.crc32(payload)) + payload
        with self._write:
            if self._broken:
                self._mend()
            start = os.lseek(self._fd, 0, os.SEEK_END)
            try:
                failpoint("wal.append")
                _write_all(self._fd, record)
            except OSError as error:
                self._take_back(start)
                raise refusal(error, self._folder) from error
            self._position += len(record)
            if self._durable:
                self._unsynced.append((self._position, record))
            return self._position

    def _take_back(self, start: int) -> None:
        """Cut a half-written record off; where that fails too, what follows goes into a new segment."""
        try:
            failpoint("wal.truncate")
            os.ftruncate(self._fd, start)
        except OSError:
            self._broken = True

    def _mend(self) -> None:
        """Begin a new segment with everything that is not known to be on disk. The caller holds ``_write``."""
        fd = self._open_next()
        try:
            failpoint("wal.mend")
            for _, record in self._unsynced:
                _write_all(fd, record)
            if self._durable:
                _sync_data(fd)
        except OSError as error:
            os.close(fd)
            raise refusal(error, self._folder) from error
        os.close(self._fd)
        self._fd, self._broken = fd, False
        self._unsynced.clear()

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
        covered = 0
        try:
            covered = self._put_on_disk()
        finally:
            with self._sync:
                self._syncing = False
                self._synced = max(self._synced, covered)
                self._sync.notify_all()

    def _put_on_disk(self) -> int:
        """Sync what was appended so far, by writing it again when the disk refused; returns the position reached."""
        with self._write:
            covered, broken = self._position, self._broken
            fd = os.dup(self._fd)
        try:
            failpoint("wal.sync")
            if not broken:
                _sync_data(fd)
        except OSError:
            broken = True
        finally:
            os.close(fd)
        with self._write:
            if broken:
                self._broken = True
                covered = self._position
                self._mend()
            while self._unsynced and self._unsynced[0][0] <= covered:
                self._unsynced.popleft()
        return covered

    def rotate(self) -> list[Path]:
        """Start a new segment; returns the older ones, to be ``drop``ped once their content is elsewhere."""
        self.wait(self._position)
        with self._write:
            old, self._fd = self._fd, self._open_next()
            os.close(old)
            return segments(self._folder)[:-1]

    def close(self) -> None:
        try:
            self.wait(self._position)
        finally:
            os.close(self._fd)


def _write_all(fd: int, record: bytes) -> None:
    view = memoryview(record)
    while view:
        view = view[os.write(fd, view) :]


def _sync_data(fd: int) -> None:
    getattr(os, "fdatasync", os.fsync)(fd)


def drop(paths: list[Path]) -> None:
    """Delete segments whose content is safe elsewhere."""
    for path in paths:
        with suppress(OSError):  # it is replayed in vain, and dropped after the next checkpoint
            failpoint("wal.drop")
            path.unlink(missing_ok=True)


def refusal(error: OSError, path: Path) -> StoreError:
    """The error a person sees when the disk does not take a write."""
    return refused(f"cannot write in {path}", error)
