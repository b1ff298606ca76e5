"""One owner per home: an flock on ``muninn.lock``, taken before anything is touched. It dies with its process.

The process id in the file is for people; who holds the lock is the kernel's word.
"""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from muninn import paths
from muninn.atomic import private_folder
from muninn.errors import LockedError, MuninnError


class HomeLock:
    """Holds the lock from construction to ``close``. ``quiet`` leaves no trace: no folder, no file, no content.

    Raises LockedError when somebody else holds it.
    """

    def __init__(self, home: Path, *, quiet: bool = False) -> None:
        self._fd: int | None = None
        path = paths.lock_path(home)
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
            os.ftruncate(self._fd, 0)
            os.write(self._fd, f"{os.getpid()}\n".encode())

    def close(self) -> None:
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None
