"""Text from files of strangers, bounded: lines, whole files, folders. Nothing here raises for what a file holds.

Symbolic links inside a folder are never followed, special files are never opened, and what is too large is not read.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO, NamedTuple

from muninn.errors import UsageError
from muninn.importers.items import Rejected

LINE_LIMIT = 16 << 20  # bytes of one line: a memory of 1 MiB, escaped, with its vector
FILE_LIMIT = 2 << 20  # bytes of one note
DOCUMENT_LIMIT = 512 << 20  # bytes of one JSON document, which has to be read whole
_HEAD = 64 << 10
_IGNORED_FOLDERS = frozenset({"node_modules", "__pycache__"})


class Line(NamedTuple):
    number: int
    data: bytes


def open_file(path: Path) -> BinaryIO:
    """A regular file opened for reading. Raises UsageError; a pipe or device would make the reader wait for ever."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            os.close(handle)
            raise UsageError(f"{path} is not a regular file", hint="name a file or a folder")
        return os.fdopen(handle, "rb", buffering=1 << 16)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from None


def head(path: Path) -> bytes:
    """The first 64 KiB of a file; empty when it cannot be read."""
    try:
        with open_file(path) as file:
            return file.read(_HEAD)
    except (OSError, UsageError):
        return b""


def lines(file: BinaryIO, *, limit: int = LINE_LIMIT) -> Iterator[Line | Rejected]:
    """The lines that are not blank, without their ends and without a byte order mark; one over ``limit`` is skipped."""
    number = 0
    while piece := file.readline(limit + 1):
        number += 1
        if len(piece) > limit and not piece.endswith(b"\n"):
            yield Rejected(number, f"a line of more than {limit >> 20} MiB")
            while piece and not piece.endswith(b"\n"):
                piece = file.readline(limit)
            continue
        if number == 1:
            piece = piece.removeprefix(b"\xef\xbb\xbf")
        if data := piece.strip(b" \t\r\n"):
            yield Line(number, data)


def decoded(data: bytes) -> str | None:
    """UTF-8, or UTF-16 with a byte order mark; None for anything else and for binary data."""
    encoding = "utf-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        return None
    return None if "\0" in text[:8192] else text


class Note(NamedTuple):
    """A text file of a folder: its path from the top of the folder, its text, and when it was last changed."""

    source: str
    text: str
    changed_at: datetime

    @property
    def stem(self) -> str:
        return self.source.rpartition("/")[2].rpartition(".")[0]


def notes(folder: Path, suffixes: tuple[str, ...] = (".md", ".markdown")) -> Iterator[Note | Rejected]:
    """The notes under ``folder``, by path. Hidden folders are left out; each thing that is not read says why."""
    for source, path in files(folder):
        if path.suffix.casefold() in suffixes:
            yield note(path, source)


def note(path: Path, source: str) -> Note | Rejected:
    """One note, or why it is none."""
    if path.is_symlink():
        return Rejected(0, "a symbolic link, not followed", source)
    try:
        with open_file(path) as file:
            data = file.read(FILE_LIMIT + 1)
            changed_at = datetime.fromtimestamp(os.fstat(file.fileno()).st_mtime, UTC)
    except (OSError, UsageError, OverflowError, ValueError) as error:
        return Rejected(0, str(error), source)
    if len(data) > FILE_LIMIT:
        return Rejected(0, f"larger than {FILE_LIMIT >> 20} MiB", source)
    text = decoded(data)
    return Rejected(0, "not text in UTF-8", source) if text is None else Note(source, text, changed_at)


def files(folder: Path) -> Iterator[tuple[str, Path]]:
    """Every file under ``folder`` with its path from there ("/" between the parts), in one order on every machine."""
    for top, folders, names in os.walk(folder, followlinks=False):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in _IGNORED_FOLDERS)
        for name in sorted(names):
            if not name.startswith("."):
                path = Path(top, name)
                yield path.relative_to(folder).as_posix(), path
