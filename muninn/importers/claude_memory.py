"""Claude Code's memory folders: ``MEMORY.md`` and topic files beside it (``~/.claude/projects/<project>/memory``).

Each topic file is one memory. ``MEMORY.md`` gives one memory a section, without the lines that only point to a topic file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from muninn.importers import fields, frontmatter, markdown
from muninn.importers.items import Item, Rejected, Row
from muninn.importers.text import Note, files, notes

INDEX = "MEMORY.md"
_KINDS = {"user": "fact", "feedback": "preference", "project": "fact", "reference": "reference"}
_HEADING = re.compile(r"#{1,6}\s+(.*?)\s*#*\s*$")
_POINTER = re.compile(r"\s*[-*]?\s*\[[^\]]*\]\(<?([^()<>]+?\.md)>?\)")
_BARE_TITLES = frozenset({"memory", "memories", "memory index", "memoria", "index", "auto memory"})


def is_claude_memory(path: Path) -> bool:
    return path.name == INDEX if path.is_file() else any(_folders(path))


def read(path: Path) -> Iterator[Item]:
    top = path.parent if path.is_file() else path
    for folder in _folders(top):
        titles = markdown.Titles.of(folder)
        prefix = folder.relative_to(top).as_posix()
        project = folder.parent.name if folder.name == "memory" else folder.name
        for one in notes(folder):
            for item in _items(one, titles, folder, {"project": project}):
                yield item if prefix == "." else _under(item, prefix)


def _folders(top: Path) -> Iterator[Path]:
    for source, path in files(top):
        if source == INDEX or source.endswith(f"/{INDEX}"):
            yield path.parent


def _items(
    one: Note | Rejected, titles: markdown.Titles, folder: Path, extra: dict[str, Any]
) -> Iterator[Row | Rejected]:
    if isinstance(one, Rejected):
        yield one
    elif one.source == INDEX:
        yield from _sections(one, titles, folder, extra)
    else:
        row = markdown.row(one, titles)
        yield _topic(row, one, extra) if isinstance(row, Row) else row


def _topic(row: Row, one: Note, extra: dict[str, Any]) -> Row:
    front = frontmatter.split(one.text).values
    nested = front.get("metadata")
    about = nested if isinstance(nested, dict) else {}
    label = front.get("type") or about.get("type")
    session = front.get("originsessionid") or about.get("originSessionId")
    values = dict(row.values)
    values["kind"] = _KINDS.get(str(label).casefold()) or fields.kind(label) or "fact"
    values["tags"] = fields.tags(values.get("tags", []), label)
    values["metadata"] = fields.metadata({k: v for k, v in row.values["metadata"].items() if k != "type"}, extra)
    if isinstance(session, str) and len(session) <= 256:
        values["provenance"] = {"client": "claude-code", "session_id": session}
    return Row({key: value for key, value in values.items() if value != []}, row.line, row.source)


def _sections(one: Note, titles: markdown.Titles, folder: Path, extra: dict[str, Any]) -> Iterator[Row]:
    heading, start, kept = "", 1, list[str]()
    for number, line in enumerate([*one.text.split("\n"), "# "], start=1):
        match = _HEADING.match(line)
        if match is None:
            pointer = _POINTER.match(line)
            if pointer is None or not (folder / pointer[1]).is_file():
                kept.append(line)
            continue
        text = "\n".join(kept).strip()
        if text:
            yield _section(one, titles, heading, text, start, extra)
        heading, start, kept = match[1], number, []


def _section(one: Note, titles: markdown.Titles, heading: str, text: str, line: int, extra: dict[str, Any]) -> Row:
    time = fields.when(one.changed_at.timestamp())
    values: dict[str, Any] = {
        "title": None if heading.casefold() in _BARE_TITLES else fields.title(heading),
        "content": text,
        "created_at": time,
        "links": [
            {"target": target, "relation": "references"}
            for target in markdown.targets(text, one.source, heading, titles)
        ],
        "metadata": fields.metadata({"source": one.source}, extra),
    }
    return Row({key: value for key, value in values.items() if value not in (None, [])}, line, one.source)


def _under(item: Row | Rejected, prefix: str) -> Row | Rejected:
    source = f"{prefix}/{item.source}"
    return Row(item.values, item.line, source) if isinstance(item, Row) else Rejected(item.line, item.why, source)
