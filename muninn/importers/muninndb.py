"""MuninnDB: a vault export (``.muninn``, a tar of keys and values) and a Markdown export (``.tgz``, or unpacked).

The archive's checksum is verified before the first row. Records that do not decode are rejected one by one. Ids and
links are kept; vectors are not, they are of another model. States and kinds that muninn lacks map to the nearest.
"""

from __future__ import annotations

import hashlib
import re
import tarfile
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from muninn.domain.memory import relation_of
from muninn.importers import fields, frontmatter
from muninn.importers.engram import decode_engram, decode_link
from muninn.importers.items import Item, Rejected, Row
from muninn.importers.jsonl import parsed
from muninn.importers.text import FILE_LIMIT, Note, decoded, head, notes, open_file

_ENGRAM, _LINK = 0x01, 0x03
_KEY_LIMIT, _VALUE_LIMIT = 4096, 32 << 20
_DAMAGED = (tarfile.TarError, OSError, EOFError, zlib.error, ValueError)
_TITLE_ABOVE = re.compile(r"\s*#\s+([^\n]*)\n\s*(---\n.*)", re.DOTALL)
_LINKS = re.compile(r"\n## Links\s*\n(.*)\Z", re.DOTALL)
_SUMMARY_BELOW = re.compile(r"\n## Summary\s*\n(.*)\Z", re.DOTALL)
_CONTENT = re.compile(r"(?:^|\n)## Content\s*\n\n?(.*?)\n*\Z", re.DOTALL)
_OLD_LINK = re.compile(r"- \[([0-9A-Z]{26})\]\([^)]*\) — (\S+) \(weight: ([\d.]+)\)")
_NEW_LINK = re.compile(r"- `(\S+)` \(weight=([\d.]+)\) -> (?:`([0-9A-Z]{26})`|\[.*\]\([^)]*--([0-9A-Z]{26})\.md\))")
_NOT_NOTES = frozenset({"index.md", "tags.md"})


def is_muninndb(path: Path) -> bool:
    if path.is_dir():
        index = path / "index.md"
        return (path / "notes").is_dir() and head(index).startswith((b"# Vault: ", b"# Vault Export: "))
    if not head(path).startswith(b"\x1f\x8b"):
        return False
    return any(name in ("manifest.json", "index.md") for name in _first_names(path))


def read(path: Path) -> Iterator[Item]:
    if path.is_dir():
        for note in notes(path):
            if isinstance(note, Rejected):
                yield note
            elif note.source not in _NOT_NOTES:
                yield note_row(note)
    elif "manifest.json" in _first_names(path):
        yield from _archive_rows(path)
    else:
        yield from _note_rows(path)


def _first_names(path: Path) -> list[str]:
    try:
        with open_file(path) as file, tarfile.open(fileobj=file, mode="r|gz") as archive:
            first = archive.next()
            return [first.name] if first else []
    except _DAMAGED:
        return []


def _archive_rows(path: Path) -> Iterator[Item]:
    links: dict[str, list[dict[str, Any]]] = {}
    try:
        vault, problem = _survey(path, links)
        if problem:
            yield Rejected(0, problem)
            return
        for number, (key, value) in enumerate(_pairs(path), start=1):
            if key[0] == _ENGRAM and len(key) == 17:
                yield _engram_row(number, value, vault, links)
    except _DAMAGED as error:
        yield Rejected(0, f"a damaged archive: {str(error)[:160]}")


def _engram_row(number: int, value: bytes, vault: str | None, links: dict[str, list[dict[str, Any]]]) -> Row | Rejected:
    row = decode_engram(value)
    if isinstance(row, str):
        return Rejected(number, row)
    if vault:
        row["vault"] = vault
    if found := links.get(row["id"]):
        row["links"] = found
    return Row(row, number)


def _survey(path: Path, links: dict[str, list[dict[str, Any]]]) -> tuple[str | None, str | None]:
    """First pass: the vault's name, its links by source, and what is wrong with the archive, if anything."""
    vault, expected, digest = None, None, hashlib.sha256()
    with open_file(path) as file, tarfile.open(fileobj=file, mode="r|gz") as archive:
        for member in archive:
            content = archive.extractfile(member)
            if content is None:
                continue
            if member.name == "manifest.json":
                manifest = parsed(content.read(1 << 20))
                name = manifest.get("vault") if isinstance(manifest, dict) else None
                vault = name if isinstance(name, str) else None
            elif member.name == "data.kvs":
                for key, value in _stream(content, digest):
                    if key[0] == _LINK and (link := decode_link(key, value)):
                        links.setdefault(link.pop("source"), []).append(link)
            elif member.name == "checksum.txt":
                expected = content.read(256).decode("ascii", "replace").strip()
    wrong = expected is not None and expected != f"sha256:{digest.hexdigest()}"
    return vault, "the checksum of the archive does not match its data" if wrong else None


def _pairs(path: Path) -> Iterator[tuple[bytes, bytes]]:
    with open_file(path) as file, tarfile.open(fileobj=file, mode="r|gz") as archive:
        for member in archive:
            content = archive.extractfile(member) if member.name == "data.kvs" else None
            if content is not None:
                yield from _stream(content)


def _stream(content: IO[bytes], digest: Any = None) -> Iterator[tuple[bytes, bytes]]:
    """Keys and values, each after its length as a big-endian 32-bit number. Raises ValueError when one is cut or absurd."""

    def piece(limit: int) -> bytes | None:
        size = content.read(4)
        if not size:
            return None
        length = int.from_bytes(size, "big")
        data = content.read(length) if length <= limit else b""
        if len(size) < 4 or len(data) < length:
            raise ValueError("a record is cut short or absurdly long")
        if digest is not None:
            digest.update(size + data)
        return data

    while key := piece(_KEY_LIMIT):
        value = piece(_VALUE_LIMIT)
        if value is None:
            raise ValueError("a key without a value")
        yield key, value


def _note_rows(path: Path) -> Iterator[Item]:
    try:
        with open_file(path) as file, tarfile.open(fileobj=file, mode="r|gz") as archive:
            for member in archive:
                content = archive.extractfile(member) if member.isreg() else None
                if content is None or not member.name.endswith(".md") or member.name in _NOT_NOTES:
                    continue
                data = content.read(FILE_LIMIT + 1)
                text = decoded(data) if len(data) <= FILE_LIMIT else None
                if text is None:
                    yield Rejected(0, "not text in UTF-8, or too large", member.name)
                else:
                    yield note_row(Note(member.name, text, datetime.fromtimestamp(max(member.mtime, 0), UTC)))
    except _DAMAGED as error:
        yield Rejected(0, f"a damaged archive: {str(error)[:160]}")


def note_row(note: Note) -> Row | Rejected:
    """The memory of one exported note, in either of the two layouts that MuninnDB has written."""
    above = _TITLE_ABOVE.match(note.text)
    front = frontmatter.split(above[2] if above else note.text)
    values = dict(front.values)
    content, links, summary = _parts(front.body.lstrip("\n"), old=above is not None)
    if not content.strip() or "id" not in values:
        return Rejected(front.line, "no content" if "id" in values else "no id", note.source)
    label = values.pop("memory_type", None) or values.pop("type", None)
    row: dict[str, Any] = {
        "id": str(values.pop("id")),
        "title": fields.title(above[1] if above else values.pop("concept", None)),
        "content": content,
        "kind": fields.kind(label) or "fact",
        "tags": fields.tags(values.pop("tags", None)),
        "state": STATES.get(str(values.pop("state", "active")), "active"),
        "created_at": fields.taken_time(values, fields.CREATED),
        "updated_at": fields.taken_time(values, fields.UPDATED),
        "last_accessed_at": fields.taken_time(values, ("last_access",)),
        "links": links,
        **_figures(values),
    }
    vault = values.pop("vault", None)
    row["vault"] = vault if isinstance(vault, str) and vault else None
    row["metadata"] = fields.metadata({"summary": summary, "muninndb_type": label}, values)
    return Row({key: value for key, value in row.items() if value not in (None, [], {})}, 1, note.source)


def _parts(body: str, *, old: bool) -> tuple[str, list[dict[str, Any]], str]:
    """Content, links and summary of a note's body."""
    listed = _LINKS.search(body)
    rest = body[: listed.start()] if listed else body
    links = [] if listed is None else _links(listed[1])
    if old:
        summary = _SUMMARY_BELOW.search(rest)
        return (
            rest[: summary.start()].strip("\n") if summary else rest.strip("\n"),
            links,
            summary[1].strip() if summary else "",
        )
    content = _CONTENT.search(rest)
    between = re.search(r"## Summary\s*\n(.*?)\n+## Content", rest, re.DOTALL)
    return content[1] if content else rest.strip("\n"), links, between[1].strip() if between else ""


def _links(text: str) -> list[dict[str, Any]]:
    found = [(m[1], m[2], m[3]) for m in _OLD_LINK.finditer(text)]
    found += [(m[3] or m[4], m[1], m[2]) for m in _NEW_LINK.finditer(text)]
    return [
        {"target": target, "relation": relation_of(RELATIONS.get(name, name)), "weight": min(float(weight), 1.0)}
        for target, name, weight in found
    ]


def _figures(values: dict[str, Any]) -> dict[str, Any]:
    figures: dict[str, Any] = {}
    for name, low, high in (("confidence", 0.0, 1.0), ("relevance", 0.0, 1.0), ("stability", 14.0, 365.0)):
        try:
            figures[name] = min(max(float(values.pop(name)), low), high)
        except (KeyError, TypeError, ValueError):
            continue
    count = str(values.pop("access_count", ""))
    return figures | ({"access_count": int(count)} if count.isdigit() and len(count) < 10 else {})


STATES = {"archived": "archived", "completed": "archived", "cancelled": "archived", "soft_deleted": "forgotten"}
RELATIONS = {
    "is_part_of": "part_of",
    "belongs_to_project": "part_of",
    "created_by_person": "relates_to",
    "user_defined": "relates_to",
}
