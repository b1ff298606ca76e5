"""Files that a verb writes for its user: whole or not at all, readable by nobody else."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from muninn.errors import MuninnError

STANDARD = Path("-")
"""Standard output, where a verb offers it beside a file."""


def write(path: Path, content: bytes | Iterable[bytes]) -> int:
    """Write ``content`` beside ``path`` and move it there; returns its size in bytes. A special file is written to directly."""
    pieces = [content] if isinstance(content, bytes) else content
    try:
        if path.exists() and not path.is_file():
            with path.open("wb") as special:
                return sum(special.write(piece) for piece in pieces)
        return _replace(path, pieces)
    except OSError as error:
        raise MuninnError(f"cannot write {path}: {error.strerror}", hint="choose another --output") from None


def _replace(path: Path, pieces: Iterable[bytes]) -> int:
    draft = path.with_name(f".{path.name}.{os.getpid()}.part")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            size = sum(file.write(piece) for piece in pieces)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    return size
