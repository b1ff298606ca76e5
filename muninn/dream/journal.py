"""The journal file and its JSONL twin: appended, synced, rotated by size, never rewritten except to erase.

What a person writes into the Markdown file stays. The twin has every dream with every operation, one a line.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from muninn.atomic import private_folder, sync_folder, write_atomically
from muninn.failpoints import failpoint

_STAMP = "%Y%m%dT%H%M%SZ"
LARGEST = 4 * 1024 * 1024  # bytes; then the file is set aside under the day's date
_HEADING = re.compile(r"^## (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ) -- Dream (\S+)\s*$", re.MULTILINE)
_CLOSING = re.compile(r"^\*[^*\n].*\*$", re.MULTILINE)
_TOLD = re.compile(r'"dream_id": "([^"]+)", "(?:erased|finished_at)"')
ERASED = "[erased]"


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """One dream's entry as it stands in the file, a person's edits included."""

    dream_id: str
    at: datetime
    text: str


class Journal:
    """``dream.journal.md`` and ``dream.journal.jsonl`` in one folder."""

    def __init__(self, markdown: Path, *, largest: int = LARGEST) -> None:
        self.markdown = markdown
        self.twin = markdown.with_suffix(".jsonl")
        self._largest = largest

    def append(self, text: str, twin: Mapping[str, object], *, now: datetime) -> None:
        """Add an entry and, once it is on disk, its twin line. Raises OSError."""
        private_folder(self.markdown.parent)
        self._add(self.markdown, text, now)
        failpoint("journal.between")
        self._add(self.twin, json.dumps(twin, ensure_ascii=False, sort_keys=True) + "\n", now)

    def holds(self, dream_id: str) -> bool:
        """Whether a dream was told: its twin line is there, which is written last. What a person edits does not count."""
        return any(f'"dream_id": "{dream_id}"' in self._text(file) for file in self._newest_two(self.twin))

    def told(self, dream_ids: Iterable[str]) -> frozenset[str]:
        """Those of these dreams whose line, with every operation, is in the twin; read from the newest file back."""
        wanted = frozenset(dream_ids)
        missing = set(wanted)
        for file in (self.twin, *reversed(self._set_aside(self.twin))):
            if missing:
                missing.difference_update(_TOLD.findall(self._text(file)))
        return wanted - missing

    def has_entry(self, dream_id: str) -> bool:
        """Whether Markdown has the entry of a dream, whole to its closing line."""
        return any(_has_entry(self._text(file), dream_id) for file in self._newest_two(self.markdown))

    def entries(self, *, last: int | None = None, since: datetime | None = None) -> tuple[JournalEntry, ...]:
        """Entries in the order they were written, set-aside files first; ``last`` and ``since`` narrow them."""
        found: list[JournalEntry] = []
        for file in (*self._set_aside(self.markdown), self.markdown):
            text = self._text(file)
            heads = list(_HEADING.finditer(text))
            for number, head in enumerate(heads):
                end = heads[number + 1].start() if number + 1 < len(heads) else len(text)
                body = re.sub(r"\n---\s*(\[DRY RUN\]\s*)?$", "\n", text[head.start() : end])
                at = datetime.strptime(head[1], "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
                if since is None or at >= since:
                    found.append(JournalEntry(head[2], at, body.rstrip() + "\n"))
        return tuple(found if last is None else found[max(0, len(found) - last) :])

    def erase(self, ids: Iterable[str], texts: Iterable[str] = ()) -> int:
        """Replace every line, in both files, that names one of ``ids`` or holds one of ``texts``; returns how many."""
        needles = [needle for needle in (*ids, *texts) if needle]
        erased = 0
        for base in (self.markdown, self.twin):
            for file in (*self._set_aside(base), base):
                lines = self._text(file).splitlines(keepends=True)
                kept = [self._without(line, needles, json_lines=base is self.twin) for line in lines]
                count = sum(one != other for one, other in zip(lines, kept, strict=True))
                if count:
                    write_atomically(file, "".join(kept))
                    erased += count
        return erased

    @staticmethod
    def _without(line: str, needles: Iterable[str], *, json_lines: bool) -> str:
        quoted = [json.dumps(needle, ensure_ascii=False)[1:-1] if json_lines else needle for needle in needles]
        if not any(needle in line for needle in quoted):
            return line
        if not json_lines:
            return f"- {ERASED}\n" if line.startswith("- ") else f"{ERASED}\n"
        try:
            data = json.loads(line)
            kept = [one for one in data.get("operations", ()) if not _names(one, quoted)]
            data.update(operations=kept, erased=True)
            report = data.get("report", {})
            report.pop("narrative", None)
            for phase in report.get("phases", ()):
                for vault in phase.get("vaults", ()):
                    vault.get("figures", {}).pop("refused", None)
            cleaned = json.dumps(data, ensure_ascii=False, sort_keys=True)
        except (ValueError, AttributeError):
            cleaned = json.dumps({"erased": True})
        return (json.dumps({"erased": True}) if any(needle in cleaned for needle in quoted) else cleaned) + "\n"

    def _add(self, file: Path, text: str, now: datetime) -> None:
        if not text:
            return
        self._rotate(file, now)
        fd = os.open(file, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)
        try:
            os.fchmod(fd, 0o600)
            size = os.fstat(fd).st_size
            if size and os.pread(fd, 1, size - 1) != b"\n":
                text = "\n" + text  # a torn tail, or a person's last line
            if size and text.lstrip("\n").startswith("---"):
                text = "\n" + text  # right under a line the rule would make a heading of it
            view = memoryview(text.encode("utf-8", "replace"))
            while view:
                view = view[os.write(fd, view) :]
            os.fsync(fd)
        finally:
            os.close(fd)
        sync_folder(file.parent)

    def _rotate(self, file: Path, now: datetime) -> None:
        if not file.exists() or file.stat().st_size < self._largest:
            return
        for newest in self._set_aside(file)[-1:]:
            with suppress(ValueError):
                last = datetime.strptime(newest.name, f"{file.stem}.{_STAMP}{file.suffix}").replace(tzinfo=UTC)
                now = max(now, last + timedelta(seconds=1))  # a clock that was ahead must not upset the order
        aside = file.with_name(f"{file.stem}.{now:{_STAMP}}{file.suffix}")
        if not aside.exists():
            file.rename(aside)
            failpoint("journal.set_aside")

    def _newest_two(self, file: Path) -> tuple[Path, ...]:
        return (file, *self._set_aside(file)[-1:])

    @staticmethod
    def _set_aside(file: Path) -> list[Path]:
        return sorted(file.parent.glob(f"{file.stem}.*Z{file.suffix}"))

    @staticmethod
    def _text(file: Path) -> str:
        try:
            return file.read_bytes().decode("utf-8", "replace")
        except FileNotFoundError:
            return ""


def _has_entry(text: str, dream_id: str) -> bool:
    found = text.rfind(f"-- Dream {dream_id}")
    end = text.find("\n## ", found)
    return found >= 0 and _CLOSING.search(text[found : end if end >= 0 else len(text)]) is not None


def _names(data: object, needles: Iterable[str]) -> bool:
    text = json.dumps(data, ensure_ascii=False)
    return any(needle in text for needle in needles)
