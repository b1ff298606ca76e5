"""Small files written whole or not at all: temporary file, fsync, rename, fsync of the folder. Modes ignore the umask."""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from pathlib import Path

from muninn.errors import StoreError, StoreFullError
from muninn.failpoints import failpoint

NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.EFBIG})
ROOM_HINT = "free space or make the folder writable; reading goes on"


def refused(doing: str, error: OSError, *, hint: str = "see muninn doctor") -> StoreError:
    """What a person is told when the disk does not take something: a full or closed one is StoreFullError."""
    reason = (error.strerror or str(error)).lower()
    if error.errno in NO_ROOM:
        return StoreFullError(f"{doing}: {reason}", hint=ROOM_HINT)
    return StoreError(f"{doing}: {reason}", hint=hint)


def write_atomically(path: Path, content: str | bytes, *, mode: int = 0o600) -> None:
    """Replace ``path`` by ``content``; a crash leaves the old file or the new one. Raises OSError that names ``path``."""
    data = content.encode("utf-8") if isinstance(content, str) else content
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, mode)
        try:
            os.fchmod(fd, mode)
            failpoint("fs.write")
            view = memoryview(data)
            while view:
                view = view[os.write(fd, view) :]
            failpoint("fs.fsync")
            os.fsync(fd)
        finally:
            os.close(fd)
        failpoint("fs.rename")
        temporary.rename(path)
    except OSError as error:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        error.filename = str(path)
        raise
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder survive a power cut."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def private_folder(path: Path) -> Path:
    """Create a folder that only its owner can enter; an existing one is tightened."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    if path.stat().st_mode & 0o077:
        path.chmod(0o700)
    return path


def common_folder(path: Path) -> Path:
    """Create a folder that others may look into and nobody else may write in, parents included; what is there stays."""
    for folder in reversed((path, *path.parents)):
        folder.mkdir(mode=0o755, exist_ok=True)
    return path
