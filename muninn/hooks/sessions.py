"""What is remembered about each session, one file a session, kept across restarts of the daemon.

A file is written over in one call after each event, its first line is the session (a rename would make the file system flush,
which costs more than all the rest). A killed daemon loses nothing; a power cut may lose a session, nothing else. At most
``MOST`` sessions and ``AGENTS`` agents each are kept; the ones longest silent go. Nothing in it is a secret: commands and
errors are redacted and reduced before they come here.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import blake2b
from pathlib import Path

import msgspec

from muninn.atomic import private_folder
from muninn.senses.window import Window

MOST = 300
AGENTS = 24
CACHED = 64
MAIN = "main"


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One session of one agent program. ``root`` is the id under which it counts as evidence: a resumed session keeps it.

    ``injected`` are the rules it was given, ``recorded`` what it has already proved (pattern → outcome).
    """

    id: str
    root: str
    started_at: datetime
    seen_at: datetime
    project: str = ""
    transcript: str = ""
    agents: Mapping[str, Window] = field(default_factory=dict)
    greeted: bool = False
    injected: tuple[str, ...] = ()
    recorded: Mapping[str, str] = field(default_factory=dict)


class Sessions:
    """Sessions by id, in memory and in ``folder``. The caller holds one lock around all of it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._cache: dict[str, Session] = {}
        self._decoder = msgspec.json.Decoder(Session)
        self._files: dict[str, float] | None = None

    def get(self, session_id: str) -> Session | None:
        if session_id in self._cache:
            return self._kept(self._cache[session_id])
        session = self._load(self._file(session_id))
        return self._kept(session) if session is not None and session.id == session_id else None

    def put(self, session: Session) -> None:
        """Remember a session, on disk before it returns. Raises OSError when it cannot be written."""
        self._kept(session)
        file = self._file(session.id)
        if not self._folder.is_dir():
            private_folder(self._folder)
        fd = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            os.ftruncate(fd, os.pwrite(fd, msgspec.json.encode(session) + b"\n", 0))
        finally:
            os.close(fd)
        known = self._known()
        fresh = file.name not in known
        known[file.name] = session.seen_at.timestamp()
        if fresh:
            self._prune(known)

    def drop(self, session_id: str) -> None:
        self._cache.pop(session_id, None)
        file = self._file(session_id)
        self._known().pop(file.name, None)
        with contextlib.suppress(OSError):
            file.unlink(missing_ok=True)

    def of_project(self, project: str) -> list[Session]:
        """Every remembered session of a project, the latest first."""
        found = [session for session in self._all() if session.project == project]
        return sorted(found, key=lambda session: session.seen_at, reverse=True)

    def by_transcript(self, transcript: str) -> Session | None:
        return next((session for session in self._all() if transcript and session.transcript == transcript), None)

    def projects(self) -> set[str]:
        return {session.project for session in self._all() if session.project}

    def _all(self) -> list[Session]:
        cached = {self._file(session.id).name: session for session in self._cache.values()}
        stored = (self._load(self._folder / name) for name in self._known() if name not in cached)
        return [*cached.values(), *(session for session in stored if session is not None)]

    def _kept(self, session: Session) -> Session:
        self._cache.pop(session.id, None)
        self._cache[session.id] = session
        while len(self._cache) > CACHED:
            del self._cache[next(iter(self._cache))]
        return session

    def _file(self, session_id: str) -> Path:
        name = blake2b(session_id.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
        return self._folder / f"{name}.json"

    def _known(self) -> dict[str, float]:
        if self._files is None:
            try:
                self._files = {entry.name: entry.stat().st_mtime for entry in self._folder.glob("*.json")}
            except OSError:
                self._files = {}
        return self._files

    def _load(self, file: Path) -> Session | None:
        try:
            return self._decoder.decode(file.read_bytes().partition(b"\n")[0])
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError, ValueError):
            return None

    def _prune(self, known: dict[str, float]) -> None:
        for name in sorted(known, key=known.__getitem__)[: max(0, len(known) - MOST)]:
            del known[name]
            self._cache = {i: s for i, s in self._cache.items() if self._file(i).name != name}
            with contextlib.suppress(OSError):
                (self._folder / name).unlink(missing_ok=True)


def with_agent(agents: Mapping[str, Window], name: str, window: Window) -> dict[str, Window]:
    """The agents with one of them renewed; the one longest silent goes when there are too many, the main one never."""
    kept = {key: value for key, value in agents.items() if key != name}
    while len(kept) >= AGENTS:
        del kept[next(key for key in kept if key != MAIN)]
    return {**kept, name: window}
