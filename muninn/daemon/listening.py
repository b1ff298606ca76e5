"""The Unix socket, made by us: 0600 in a 0700 folder, never over something that is not a dead socket of ours."""

from __future__ import annotations

import os
import socket
import stat
from pathlib import Path

from muninn.atomic import private_folder
from muninn.errors import AlreadyRunningError, MuninnError

_BACKLOG = 1024


def listen(path: Path) -> socket.socket:
    """A listening socket at ``path``. The caller holds the home's lock, so a socket that answers is a stranger's."""
    try:
        private_folder(path.parent)
    except OSError as error:
        raise MuninnError(
            f"cannot make the folder {path.parent}: {error.strerror}", hint="set MUNINN_HOME or XDG_RUNTIME_DIR"
        ) from None
    _clear(path)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
    try:
        listener.bind(os.fspath(path))
        path.chmod(0o600)  # before it listens; the umask is every thread's and stays as it is
    except OSError as error:
        listener.close()
        raise MuninnError(
            f"cannot listen on {path}: {error.strerror}", hint="set MUNINN_HOME to a shorter or writable path"
        ) from None
    listener.listen(_BACKLOG)
    listener.setblocking(False)
    return listener


class Place:
    """The file of a socket that listens: whether it is still there and ours."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._made = _found(path)

    @property
    def stands(self) -> bool:
        found = _found(self._path)
        return self._made is not None and found is not None and os.path.samestat(self._made, found)


def _found(path: Path) -> os.stat_result | None:
    try:
        return path.lstat()
    except OSError:
        return None


def _clear(path: Path) -> None:
    """Remove a dead socket of this user; refuse anything else."""
    try:
        found = path.lstat()
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(found.st_mode) or found.st_uid != os.getuid():
        raise MuninnError(f"{path} is not a socket of muninn", hint="move it away; muninn does not remove it")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(1.0)
        try:
            probe.connect(os.fspath(path))
        except (ConnectionRefusedError, FileNotFoundError):
            path.unlink(missing_ok=True)
            return
        except OSError:
            pass
    raise AlreadyRunningError(f"something else answers on {path}", hint="see: muninn status")
