"""Who holds the data directory, asked without taking the lock, so that looking never gets in a starter's way.

Rules: the kernel's list of locks is believed, not what the file says; the file only tells what its holder is doing, and
where it was deleted, the lock on its folder tells who that is. Where the kernel has no such list, the lock is tried for an
instant, shared.
"""

from __future__ import annotations

import os


class Holder:
    """``pid`` is 0 when it cannot be told; ``note`` is what the holder wrote into the lock file: its pid, a daemon its phase."""

    __slots__ = ("note", "pid")

    def __init__(self, pid: int, note: str) -> None:
        self.pid, self.note = pid, note

    @property
    def phase(self) -> str:
        """The phase of a daemon; empty for a command at work."""
        return self.note.partition(" ")[2].strip()

    def lost(self, socket: str) -> str:
        """What to say when nothing answers on ``socket`` though its daemon is awake; empty when it is not."""
        who = f"process {self.pid}" if self.pid else "a process"
        return f"{who} is awake, but nothing answers on its socket {socket}" if self.phase == "awake" else ""


def holder(lock: str) -> Holder | None:
    """The process that holds ``lock``, or else the folder it is in; None when both are free or were never made."""
    return _keeper(lock) or _keeper(os.path.dirname(lock), folder=True)  # noqa: PTH120 - pathlib costs more than the rest


def _keeper(lock: str, *, folder: bool = False) -> Holder | None:
    try:
        handle = os.open(lock, os.O_RDONLY | os.O_CLOEXEC | (os.O_DIRECTORY if folder else os.O_NOFOLLOW))
    except OSError:
        return None
    try:
        pid = _listed(os.fstat(handle))
        if pid is None:
            pid = 0 if _busy(handle) else None
        if pid is None or pid < 0:
            return None
        note = "" if folder else os.read(handle, 4096).decode("utf-8", "replace").strip("\0 \n")
        return Holder(pid or _number(note), note)
    finally:
        os.close(handle)


def _listed(file: os.stat_result) -> int | None:
    """The pid from /proc/locks, −1 when the file is not locked, None when there is no such list."""
    try:
        with open("/proc/locks", encoding="ascii") as table:  # noqa: PTH123 - pathlib costs more than a whole `muninn status`
            rows = [line.split() for line in table]
    except (OSError, ValueError):
        return None
    for row in rows:
        if len(row) < 6 or row[1] != "FLOCK":  # "->" rows only wait
            continue
        major, minor, inode = row[5].rsplit(":", 2)
        same_device = (int(major, 16), int(minor, 16)) == (os.major(file.st_dev), os.minor(file.st_dev))
        # layered file systems show another device number here than stat does
        if int(inode) == file.st_ino and (same_device or int(major, 16) == 0 or os.major(file.st_dev) == 0):
            return max(int(row[4]), 0)
    return -1


def _busy(handle: int) -> bool:
    import fcntl

    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    fcntl.flock(handle, fcntl.LOCK_UN)
    return False


def _number(note: str) -> int:
    digits = "".join(c if c.isdigit() else " " for c in note).split()
    return int(digits[0]) if digits and len(digits[0]) < 10 else 0
