"""Knows what was written into which settings, and how they were before: ``agents/`` in muninn's home.

One JSON file, and a copy of each settings file as it was. Removal puts those bytes back when nobody changed the file
since; otherwise only our entry is cut out.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from muninn.atomic import private_folder, write_atomically
from muninn.errors import ConfigError


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One settings file. ``existed``: before us. ``made``: how many containers around our entry are ours too.

    ``after``: hash of the file as we left it. ``folders``: those we made for it, outermost first.
    """

    agent: str
    file: str
    existed: bool
    made: int
    after: str
    backup: str
    folders: tuple[str, ...] = ()


def digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()


class Ledger:
    """The entries by settings file."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file = folder / "agents.json"
        self.entries: Mapping[str, Entry] = self._read()

    def note(self, entry: Entry, before: bytes) -> None:
        """Keep the file as it is without us, then the entry."""
        private_folder(self._folder)
        write_atomically(Path(entry.backup), before)
        self._write({**self.entries, entry.file: entry})

    def drop(self, entry: Entry) -> None:
        """Forget an entry. The copy of the file stays."""
        self._write({file: known for file, known in self.entries.items() if file != entry.file})

    def backup_of(self, agent: str, file: Path, before: bytes) -> str:
        """Where to keep a settings file as it was."""
        name = f"{agent}.{digest(str(file).encode())[:8]}.{digest(before)[:8]}.bak"
        return str(self._folder / name)

    def _read(self) -> dict[str, Entry]:
        if not self._file.exists():
            return {}
        try:
            rows = json.loads(self._file.read_text("utf-8"))["entries"]
            entries = [Entry(**{**row, "folders": tuple(row["folders"])}) for row in rows]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ConfigError(f"cannot read {self._file}: {error}", hint="move it away to start afresh") from None
        return {entry.file: entry for entry in entries}

    def _write(self, entries: Mapping[str, Entry]) -> None:
        rows = [asdict(entry) for _, entry in sorted(entries.items())]
        write_atomically(self._file, json.dumps({"entries": rows}, indent=2, ensure_ascii=False) + "\n")
        self.entries = dict(entries)
