"""Room on disk: a file that is only there to be given up, and a floor below which nothing new is taken in.

A full disk stops compaction and deletion too, so room could never be made again from inside. The reserve is released when
a checkpoint meets a full disk, and held again once there is room for it twice. Below the floor (a quarter of the reserve)
writes are refused before the disk is full, so that what was acknowledged can still reach the tables.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from muninn.errors import StoreFullError
from muninn.failpoints import failpoint

NAME = "reserve"


class Reserve:
    """The reserve of one data folder; ``size`` in bytes, 0 keeps none and knows no floor."""

    def __init__(self, folder: Path, size: int) -> None:
        self._folder = folder
        self._path = folder / NAME
        self._size = size

    @property
    def held(self) -> bool:
        """Whether the whole reserve is there to be given up."""
        return self._size > 0 and self._found() >= self._size

    @property
    def released(self) -> bool:
        """Whether the reserve is in use, or was never got together."""
        return self._size > 0 and not self.held

    def free(self) -> int:
        """Bytes that this user may still write."""
        room = os.statvfs(self._folder)
        return room.f_bavail * room.f_frsize

    def hold(self) -> bool:
        """Get the reserve together where there is room for it twice; says whether it is there now."""
        if self._size <= 0:
            with suppress(OSError):
                self._path.unlink(missing_ok=True)
            return False
        if self.held:
            return True
        if self.free() - self._size < self._size:
            return False
        try:
            failpoint("store.reserve")
            fd = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
            try:
                os.fchmod(fd, 0o600)
                _allocate(fd, self._size)
            finally:
                os.close(fd)
        except OSError:
            self.release()
            return False
        return True

    def release(self) -> bool:
        """Give the reserve up; says whether that made room."""
        found = self._found()
        try:
            self._path.unlink()
        except OSError:
            return False
        return found > 0

    def require_room(self) -> None:
        """Raises StoreFullError below the floor."""
        if self._size > 0 and (free := self.free()) < self._size // 4:
            raise StoreFullError(
                f"only {free >> 10:,} KiB are free in {self._folder}, so nothing new is taken in",
                hint="free space; reading goes on",
            )

    def _found(self) -> int:
        """Bytes of the reserve that take up room; a sparse copy of it would be no reserve."""
        try:
            found = self._path.lstat()
        except OSError:
            return 0
        return min(found.st_size, found.st_blocks * 512)


def _allocate(fd: int, size: int) -> None:
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(fd, 0, size)
        return
    piece = b"\0" * (1 << 20)
    for start in range(0, size, len(piece)):
        os.pwrite(fd, piece[: size - start], start)
