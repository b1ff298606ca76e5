"""Markdown notes: a folder (an Obsidian vault, any pile of notes) or one file. One note is one memory, its body verbatim.

Title: front matter, else a first heading, else the file's name. ``[[links]]`` and links to other notes become links,
resolved by file name, path, title and alias. Tags from the front matter and from ``#tags`` in the text. Times from the
front matter, a dated file name, or the file.
"""

from __future__ import annotations

import posixpath
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from muninn.importers import fields, frontmatter
from muninn.importers.items import Item, Rejected, Remark, Row
from muninn.importers.text import Note, files, note, notes

SUFFIXES = (".md", ".markdown")
_CODE = re.compile(r"^(```|~~~).*?^\1|`[^`\n]+`", re.DOTALL | re.MULTILINE)
_WIKI = re.compile(r"!?\[\[([^\[\]|#^\n]{1,300})(?:[#^][^\[\]|\n]*)?(?:\|[^\[\]\n]*)?\]\]")
_LINK = re.compile(r"\]\(<?([^()<>\s:]+?\.(?:md|markdown))(?:#[^()\s]*)?>?\)", re.IGNORECASE)
_TAG = re.compile(r"(?:^|(?<=[\s(,;]))#([^\W\d][\w/-]{0,127}|\d+[^\W\d][\w/-]{0,126})")
_HEADING = re.compile(r"\s*#\s+(\S[^\n]*)")
_DATED = re.compile(r"\d{4}-\d{2}-\d{2}(?!\d)")
_NOT_NOTES = re.compile(r"\.(?:png|jpe?g|gif|svg|webp|pdf|mp[34]|wav|m4a|mov|webm|canvas|base|zip)$", re.IGNORECASE)


def is_markdown(path: Path) -> bool:
    if path.is_dir():
        return any(one.suffix.casefold() in SUFFIXES for _, one in files(path))
    return path.suffix.casefold() in SUFFIXES


def read(path: Path) -> Iterator[Item]:
    if not path.is_dir():
        one = note(path.resolve(), path.name)
        yield row(one, Titles()) if isinstance(one, Note) else one
        return
    titles = Titles.of(path)
    for one in notes(path, SUFFIXES):
        yield row(one, titles) if isinstance(one, Note) else one
    yield from left_out(path)


def left_out(folder: Path) -> Iterator[Remark]:
    """How many files are no notes."""
    others = [source for source, one in files(folder) if one.suffix.casefold() not in SUFFIXES]
    if others:
        are = "file is not Markdown and was" if len(others) == 1 else "files are not Markdown and were"
        yield Remark(0, f"{len(others)} {are} left out, {others[0]} first")


class Titles:
    """The title of each note of a folder, by everything a link may call it."""

    def __init__(self) -> None:
        self._by_name: dict[str, str] = {}

    @classmethod
    def of(cls, folder: Path) -> Titles:
        """Read once over the folder: the titles must be known before the first link is."""
        titles = cls()
        aliases: list[tuple[str, str]] = []
        for one in notes(folder, SUFFIXES):
            if isinstance(one, Note):
                front = frontmatter.split(one.text)
                title = title_of(one, front)
                titles.add(one.source, title)
                aliases += [(alias, title) for alias in (one.stem, title, *names_of(front.values))]
        for alias, title in aliases:
            titles.add(alias, title)
        return titles

    def add(self, name: str, title: str) -> None:
        """``title`` for ``name``; the first note of a name keeps it."""
        self._by_name.setdefault(_key(name), title)

    def find(self, name: str, *, beside: str = "") -> str | None:
        """The title of the note called ``name``, seen from the note at ``beside``."""
        name = unquote(name).strip()
        around = posixpath.normpath(posixpath.join(posixpath.dirname(beside), name))
        for candidate in (around, f"{around}.md", name, f"{name}.md", posixpath.basename(name)):
            if found := self._by_name.get(_key(candidate)):
                return found
        return None


def _key(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()


def names_of(values: dict[str, Any]) -> list[str]:
    """Aliases and permalinks under which other notes may link to this one."""
    return [*fields.tags(values.get("aliases"), values.get("alias"), values.get("permalink"), values.get("name"))]


def title_of(one: Note, front: frontmatter.FrontMatter) -> str:
    heading = _HEADING.match(front.body)
    given = front.values.get("title") or front.values.get("name") or (heading and heading[1].rstrip("# "))
    return fields.title(given) or fields.title(one.stem) or "untitled"


def row(one: Note, titles: Titles) -> Row | Rejected:
    """The memory that a note becomes."""
    front = frontmatter.split(one.text)
    if not front.body.strip():
        return Rejected(front.line, "no text below the front matter" if front.values else "an empty file", one.source)
    values = dict(front.values)
    title = title_of(one, front)
    plain = _CODE.sub(" ", front.body)
    created = fields.taken_time(values, fields.CREATED) or _dated(one) or fields.when(one.changed_at.timestamp())
    updated = fields.taken_time(values, fields.UPDATED) or fields.when(one.changed_at.timestamp())
    kind = fields.kind(values.get("kind") or values.get("type"))
    found: dict[str, Any] = {
        "title": title,
        "content": front.body.strip("\r\n"),
        "tags": fields.tags(values.pop("tags", None), values.pop("tag", None), _TAG.findall(plain)),
        "kind": kind,
        "created_at": created,
        "updated_at": max(updated, created) if updated and created else updated,
        "pinned": values.pop("pinned", None) is True,
        "links": [{"target": target, "relation": "references"} for target in targets(plain, one.source, title, titles)],
    }
    for name in ("title" if values.get("title") else "name", "kind", "type" if kind else "kind"):
        values.pop(name, None)
    found["metadata"] = fields.metadata(values, {"source": one.source})
    return Row({key: value for key, value in found.items() if value not in (None, [], False)}, front.line, one.source)


def targets(plain: str, source: str, title: str, titles: Titles) -> list[str]:
    """Titles of the notes that ``plain`` (text without code) links to, each once, in order."""
    found: dict[str, None] = {}
    for match in _WIKI.finditer(plain):
        name = match[1].strip()
        if not _NOT_NOTES.search(name):
            found[titles.find(name, beside=source) or fields.title(posixpath.basename(name)) or name] = None
    for match in _LINK.finditer(plain):
        if known := titles.find(match[1], beside=source):
            found[known] = None
    found.pop(title, None)
    return list(found)


def _dated(one: Note) -> str | None:
    match = _DATED.match(one.stem)
    return fields.when(match[0]) if match else None
