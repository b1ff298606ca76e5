"""One owner per home: an flock on its folder and on ``muninn.lock`` in it, taken before anything is touched. It dies with
its process.

The folder is what is owned: a file can be deleted under its holder. The file is for those who look without taking anything;
the process id and the phase in it are for people, who holds the lock is the kernel's word.
"""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from pathlib import Path

from muninn import paths
from muninn.atomic import private_folder
from muninn.errors import LockedError, MuninnError, StoreError

_WIDTH = 64  # bytes; a note takes the place of another of the same length, which needs no room on a full disk


class HomeLock:
    """Holds the lock from construction to ``close``. ``quiet`` leaves no trace: no folder, no file, no content.

    Raises LockedError when somebody else holds it.
    """

    def __init__(self, home: Path, *, quiet: bool = False) -> None:
        self._home, self._path = home, paths.lock_path(home)
        self._folder: int | None = None
        self._file: int | None = None
        self._note = str(os.getpid())
        if quiet and not home.is_dir():
            return
        try:
            if not quiet:
                private_folder(home)
            self._folder = os.open(home, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            self._own(self._folder)
            if not quiet or self._path.exists():
                self._file = self._locked(os.O_RDONLY if quiet else os.O_RDWR | os.O_CREAT)
        except BlockingIOError:
            self.close()
            raise LockedError(f"{home} is in use by another muninn", hint="see: muninn status") from None
        except OSError as error:
            self.close()
            raise MuninnError(
                f"cannot lock {self._path}: {error.strerror}", hint="make the folder writable or set MUNINN_HOME"
            ) from None
        if not quiet:
            self.note()

    def note(self, phase: str = "") -> None:
        """Say beside the process id what its holder is doing, for whoever finds the lock held and nobody answering."""
        self._note = f"{os.getpid()} {phase}"
        if self._file is not None:
            with suppress(OSError):
                os.pwrite(self._file, self._note.ljust(_WIDTH - 1).encode() + b"\n", 0)

    def astray(self) -> StoreError | None:
        """What to say where the home is no longer the folder that is locked; None while it is, or when none is locked."""
        if self._folder is None or _same(self._folder, self._home):
            return None
        return StoreError(
            f"the home that process {os.getpid()} serves was renamed or taken away: {self._home}",
            hint="put it back, or: muninn stop, set MUNINN_HOME to where it is now, muninn start",
        )

    def stands(self) -> bool:
        """Whether the home is still the one that is locked, neither taken away nor exchanged. Makes its file again where that
        is gone, so that others go on seeing that the home has an owner."""
        if self._folder is None or self.astray() is not None:
            return False
        if self._file is not None and not _same(self._file, self._path):
            with suppress(OSError):
                again = self._locked(os.O_RDWR | os.O_CREAT)
                os.close(self._file)
                self._file = again
                self.note(self._note.partition(" ")[2])
        return True

    def close(self) -> None:
        for handle in (self._file, self._folder):
            if handle is not None:
                os.close(handle)
        self._file = self._folder = None

    @staticmethod
    def _own(folder: int) -> None:
        """Raises BlockingIOError. File systems that lock no folders leave it to the file."""
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if isinstance(error, BlockingIOError):
                raise

    def _locked(self, flags: int) -> int:
        """The lock file, opened and locked. Raises BlockingIOError, OSError."""
        handle = os.open(self._path, flags | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if flags & os.O_CREAT:
                os.fchmod(handle, 0o600)
        except OSError:
            os.close(handle)
            raise
        return handle


def _same(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except OSError:
        return False
