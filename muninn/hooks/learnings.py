"""The learnings files: one JSON object a line, in ``.claude/metacog-learnings.jsonl`` of the home and of each project.

Rules: written by appending whole lines; a line that cannot be read is passed over and kept; files of the metacog package are
read as they are (its lines have no session, and stand in both files). A link in place of a file is never followed. New
evidence goes to the project; a rule that two projects have seen goes to the home file as well.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path

from muninn.atomic import common_folder, write_atomically
from muninn.domain.evidence import Evidence, Outcome, Rule, promotable, rules
from muninn.errors import NotFoundError
from muninn.senses.detectors import CATEGORIES, LESSONS
from muninn.senses.digest import lesson_of
from muninn.senses.redaction import redact

NAME = "metacog-learnings.jsonl"
READ_LIMIT = 8 * 1024 * 1024  # bytes, the end of the file: the newest lines
LINE_LIMIT = 20_000
_CLIENT = "muninn"


def learnings_file(folder: Path) -> Path:
    return folder / ".claude" / NAME


def project_mark(project: Path) -> str:
    """A name for a project that does not say where it lies."""
    return blake2b(os.fsencode(project), digest_size=6).hexdigest()


def read_evidence(folder: Path) -> list[Evidence]:
    """What the learnings file of ``folder`` (a home or a project) holds, oldest first as written. Missing: nothing."""
    return [evidence for line in _lines(learnings_file(folder)) if (evidence := _parsed(line)) is not None]


def known_rules(home: Path, project: Path | None, now: datetime) -> tuple[Rule, ...]:
    """The rules that hold in ``project``, its own first."""
    return rules_of(home, () if project is None else (project,), now)


def rules_of(home: Path, projects: Iterable[Path], now: datetime) -> tuple[Rule, ...]:
    """The rules of several projects together.

    A project's file may come with a repository, from anybody: it has evidence for rules, but words of its own only the
    person's file can bring.
    """
    own = [item for project in projects if project != home for item in read_evidence(project)]
    return rules([replace(item, lesson="", category="") for item in own], read_evidence(home), now)


def record(home: Path, project: Path | None, evidence: Iterable[Evidence], others: Iterable[Path] = ()) -> None:
    """Append evidence to the project (to the home when there is none), and to the home what has been seen in two projects.

    ``others`` are the projects known so far. Raises OSError when neither file can be written.
    """
    found = list(evidence)
    if not found:
        return None
    if project is None or project == home:
        return _append(learnings_file(home), found)
    try:
        _append(learnings_file(project), [replace(item, project=project_mark(project)) for item in found])
    except OSError:
        return _append(learnings_file(home), [replace(item, project=project_mark(project)) for item in found])
    patterns = {item.pattern for item in found}
    everywhere = [e for folder in {project, *others} - {home} for e in _placed(folder) if e.pattern in patterns]
    shared = promotable(everywhere)
    there = {(e.occasion, e.outcome) for e in read_evidence(home)}
    fresh = [e for e in everywhere if e.pattern in shared and (e.occasion, e.outcome) not in there]
    if fresh:
        _append(learnings_file(home), sorted(fresh, key=lambda e: (e.at, e.session)))
    return None


def forget(home: Path, project: Path | None, pattern: str) -> int:
    """Take every line of a rule out of both files; the other lines stay byte for byte. Returns how many went.

    Raises NotFoundError when no file has the rule.
    """
    gone = 0
    for folder in dict.fromkeys([*([project] if project else []), home]):
        file = learnings_file(folder)
        if file.is_symlink() or not file.is_file():
            continue
        lines = file.read_bytes().splitlines(keepends=True)
        kept = [line for line in lines if not _speaks_of(line, pattern)]
        if len(kept) < len(lines):
            write_atomically(file, b"".join(kept), mode=file.stat().st_mode & 0o777)
            gone += len(lines) - len(kept)
    if not gone:
        raise NotFoundError(f"no rule {pattern!r} is known here", hint="muninn learnings list shows those that are")
    return gone


def as_json(rule: Rule) -> dict[str, object]:
    """A rule for ``--json`` and the API."""
    return {
        "pattern": rule.pattern,
        "lesson": lesson_of(rule),
        "category": rule.category or CATEGORIES.get(rule.pattern, ""),
        "scope": "project" if rule.local else "global",
        "confidence": round(rule.confidence, 4),
        "detections": rule.detections,
        "suppressions": rule.suppressions,
        "working": rule.working,
        "first_at": _stamp(rule.first_at),
        "last_at": _stamp(rule.last_at),
    }


def _placed(project: Path) -> list[Evidence]:
    """The evidence of a project with its mark, also on lines that another tool wrote there."""
    mark = project_mark(project)
    return [item if item.project else replace(item, project=mark) for item in read_evidence(project)]


def _lines(file: Path) -> list[bytes]:
    try:
        fd = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        return []
    with os.fdopen(fd, "rb") as opened:
        size = os.fstat(opened.fileno()).st_size
        if size > READ_LIMIT:
            opened.seek(size - READ_LIMIT)
            opened.readline()
        return opened.read(READ_LIMIT).splitlines()


def _parsed(line: bytes) -> Evidence | None:
    if len(line) > LINE_LIMIT:
        return None
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(entry, Mapping):
        return None
    pattern, at = entry.get("pattern"), _moment(entry.get("detected_at"))
    if not isinstance(pattern, str) or not pattern.strip() or at is None:
        return None
    suppression = entry.get("type") == Outcome.SUPPRESSION
    return Evidence(
        pattern=pattern[:100],
        outcome=Outcome.SUPPRESSION if suppression else Outcome.DETECTION,
        at=at,
        session=_string(entry.get("session")),
        project=_string(entry.get("project")),
        lesson=_string(entry.get("lesson")),
        category=_string(entry.get("category")),
    )


def _string(value: object) -> str:
    return value[:2_000] if isinstance(value, str) else ""


def _moment(value: object) -> datetime | None:
    try:
        at = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return at if at is None or at.tzinfo else at.replace(tzinfo=UTC)


def _speaks_of(line: bytes, pattern: str) -> bool:
    found = _parsed(line)
    return found is not None and found.pattern == pattern[:100]


def _append(file: Path, evidence: Iterable[Evidence]) -> None:
    common_folder(file.parent)
    text = "".join(json.dumps(_line(item), ensure_ascii=False) + "\n" for item in evidence).encode("utf-8", "replace")
    fd = os.open(file, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    with os.fdopen(fd, "r+b", buffering=0) as opened:
        size = os.fstat(opened.fileno()).st_size
        torn = size > 0 and os.pread(opened.fileno(), 1, size - 1) != b"\n"
        opened.write(b"\n" + text if torn else text)


def _line(item: Evidence) -> dict[str, object]:
    """The fields of the metacog package, and the session and project that make double counting visible."""
    lesson = item.lesson or LESSONS.get(item.pattern, "")
    entry: dict[str, object] = {"pattern": item.pattern, "type": str(item.outcome)}
    if item.outcome is Outcome.DETECTION:
        entry |= {"category": item.category or CATEGORIES.get(item.pattern, ""), "lesson": redact(lesson)}
    return entry | {
        "detected_at": _stamp(item.at),
        "session": item.session,
        "project": item.project,
        "source": _CLIENT,
    }


def _stamp(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
