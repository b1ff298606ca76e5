"""Where muninn keeps things on disk. Strings and the standard library only: the command's fast path reads this.

Rules: a Unix socket path holds at most 107 bytes (bytes, not characters), so a long home moves the socket, and only the
socket, to the runtime folder under a name derived from the home. ``muninn-hook`` computes the same name on its own.
"""

from __future__ import annotations

import errno
import os
import stat

from muninn.errors import ConfigError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

SOCKET_LIMIT = 107  # bytes

LOCK = "muninn.lock"
SOCKET = "muninn.sock"
LOG = "muninn.log"
CONFIG = "config.toml"
JOURNAL = "dream.journal.md"
DATA = "data"
DUE = "data/dream.due"
PROGRESS = "data/dream.progress.json"
STATUS = "data/status.json"
"""The status document as it stood at the last clean close; taken away while the store is open."""


def home_name(environ: Mapping[str, str]) -> str:
    """``MUNINN_HOME``, or ``~/.muninn``; absolute, not resolved. The same text that ``config.home_of`` gives as a Path."""
    given = environ.get("MUNINN_HOME", "")
    if not given:
        return _plain(f"{environ.get('HOME', '/')}/.muninn")
    if given.startswith("~"):
        given = os.path.expanduser(given)  # noqa: PTH111 - pathlib costs more than a whole `muninn status`
    return _plain(given if given.startswith("/") else f"{os.getcwd()}/{given}")  # noqa: PTH109


def require_folder(home: str) -> None:
    """Raises ConfigError when something that is no folder, or a link to nothing, stands where the home, or a folder on the way
    to it, should be."""
    place = home
    while place:
        try:
            mode = os.stat(place).st_mode  # noqa: PTH116 - pathlib costs more than a whole `muninn status`
        except OSError as error:
            if os.path.islink(place) and error.errno in (errno.ENOENT, errno.ELOOP):  # noqa: PTH114
                raise ConfigError(
                    f"{place} is a link to nothing",
                    hint=f"mount or make what it stands for, or set MUNINN_HOME; it says {home}",
                ) from None
            if not isinstance(error, (FileNotFoundError, NotADirectoryError)):
                return  # whoever goes in says what is wrong with it
            place = place.rpartition("/")[0]
        else:
            break
    else:
        return
    if not stat.S_ISDIR(mode):
        raise ConfigError(
            f"{place} is a file, not a folder", hint=f"move it away, or set MUNINN_HOME to a folder; it says {home}"
        )


def _plain(name: str) -> str:
    """Spelled as pathlib spells it, since the name of the socket may be derived from it."""
    root = "//" if name.startswith("//") and not name.startswith("///") else "/"
    return root + "/".join(part for part in name.split("/") if part not in ("", "."))


def socket_name(home: str, environ: Mapping[str, str]) -> str:
    """The socket of the daemon that serves ``home``: inside it, or in the runtime folder when that path is too long."""
    inside = f"{home}/{SOCKET}"
    if len(os.fsencode(inside)) <= SOCKET_LIMIT:
        return inside
    from hashlib import blake2b

    runtime = environ.get("XDG_RUNTIME_DIR") or f"/tmp/muninn-{os.getuid()}"  # noqa: S108  # nosec B108 - a 0700 folder of this user
    return f"{runtime}/muninn/{blake2b(os.fsencode(home), digest_size=8).hexdigest()}.sock"


def socket_path(home: Path, environ: Mapping[str, str]) -> Path:
    """``socket_name`` as a Path."""
    return type(home)(socket_name(os.fspath(home), environ))


def lock_path(home: Path) -> Path:
    return home / LOCK


def log_path(home: Path) -> Path:
    return home / LOG
