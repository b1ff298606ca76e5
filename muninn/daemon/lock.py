"""One owner per home: an flock on ``muninn.lock``, taken before anything is touched. It dies with its process.

The process id and the phase in the file are for people; who holds the lock is the kernel's word.
"""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from pathlib import Path

from muninn import paths
from muninn.atomic import private_folder
from muninn.errors import LockedError, MuninnError

_WIDTH = 64  # bytes; a note takes the place of another of the same length, which needs no room on a full disk


class HomeLock:
    """Holds the lock from construction to ``close``. ``quiet`` leaves no trace: no folder, no file, no content.

    Raises LockedError when somebody else holds it.
    """

    def __init__(self, home: Path, *, quiet: bool = False) -> None:
        self._fd: int | None = None
        path = self._path = paths.lock_path(home)
        if quiet and not path.exists():
            return
        try:
            if not quiet:
                private_folder(home)
            flags = os.O_RDONLY if quiet else os.O_RDWR | os.O_CREAT
            self._fd = os.open(path, flags | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.close()
            raise LockedError(f"{home} is in use by another muninn", hint="see: muninn status") from None
        except OSError as error:
            self.close()
            raise MuninnError(
                f"cannot lock {path}: {error.strerror}", hint="make the folder writable or set MUNINN_HOME"
            ) from None
        if not quiet:
            os.fchmod(self._fd, 0o600)
            self.note()

    def note(self, phase: str = "") -> None:
        """Say beside the process id what its holder is doing, for whoever finds the lock held and nobody answering."""
        if self._fd is not None:
            with suppress(OSError):
                os.pwrite(self._fd, f"{os.getpid()} {phase}".ljust(_WIDTH - 1).encode() + b"\n", 0)

    @property
    def stands(self) -> bool:
        """Whether the file that is locked is still the one at its path: the home was neither taken away nor exchanged."""
        try:
            return self._fd is not None and os.path.samestat(os.fstat(self._fd), self._path.lstat())
        except OSError:
            return False

    def close(self) -> None:
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None
