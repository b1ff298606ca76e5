"""The MCP server-memory's file: a line an entity with its observations, a line a relation; or both lists in one document.

An entity becomes one memory titled with its name, an observation a line; relations become links. The file may name a
relation before its entities, so it is read twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from muninn.domain.memory import relation_of
from muninn.importers import fields
from muninn.importers.items import Item, Rejected, Remark, Row
from muninn.importers.jsonl import entries, first_object, load, objects
from muninn.importers.text import head

_TYPES = ("entity", "relation")
_Entry = tuple[int, Mapping[str, Any]]


def is_server_memory(path: Path) -> bool:
    if not path.is_file():
        return False
    first = first_object(head(path))
    named = first is not None and first.get("type") in _TYPES and ("name" in first or "from" in first)
    return named or _is_document(path)


def _is_document(path: Path) -> bool:
    start = head(path).removeprefix(b"\xef\xbb\xbf").lstrip()
    first = first_object(start)
    if first is not None:
        return isinstance(first.get("entities"), list)
    return start.startswith(b"{") and b'"entities"' in start


def read(path: Path) -> Iterator[Item]:
    links: dict[str, list[dict[str, Any]]] = {}
    names: set[str] = set()
    for entry in _entries(path):
        if isinstance(entry, tuple) and entry[1].get("type") == "relation":
            source, target = entry[1].get("from"), fields.title(entry[1].get("to"))
            if isinstance(source, str) and target:
                links.setdefault(source, []).append(
                    {"target": target, "relation": relation_of(entry[1].get("relationType"))}
                )
        elif isinstance(entry, tuple) and isinstance(entry[1].get("name"), str):
            names.add(entry[1]["name"])
    for entry in _entries(path):
        if isinstance(entry, Rejected):
            yield entry
        elif entry[1].get("type") == "relation":
            yield from _lost(*entry, names)
        else:
            yield _row(*entry, links)


def _entries(path: Path) -> Iterator[_Entry | Rejected]:
    if _is_document(path):
        yield from _document_entries(load(path))
        return
    for number, value in entries(path):
        if isinstance(value, Rejected):
            yield value
        elif isinstance(value, dict) and value.get("type") in _TYPES:
            yield number, value
        else:
            yield Rejected(number, "neither an entity nor a relation")


def _document_entries(value: object) -> Iterator[_Entry | Rejected]:
    if isinstance(value, Rejected):
        yield value
    elif isinstance(value, dict):
        for kind, key in zip(_TYPES, ("entities", "relations"), strict=True):
            for number, one in enumerate(objects(value.get(key)), start=1):
                yield (
                    (number, {**one, "type": kind})
                    if isinstance(one, dict)
                    else Rejected(number, f"not a JSON object in {key}")
                )
    else:
        yield Rejected(1, "neither entities nor relations")


def _lost(line: int, relation: Mapping[str, Any], names: set[str]) -> Iterator[Remark]:
    for end in ("from", "to"):
        if str(relation.get(end)) not in names:
            yield Remark(line, f"a relation {end} {str(relation.get(end))[:60]!r}, which is no entity here")


def _row(line: int, entity: Mapping[str, Any], links: Mapping[str, list[dict[str, Any]]]) -> Row | Rejected:
    name, kind = entity.get("name"), entity.get("entityType")
    if not isinstance(name, str) or not name.strip():
        return Rejected(line, "an entity without a name")
    texts = [text for one in objects(entity.get("observations")) if (text := _text(one))]
    own = fields.title(name)
    values: dict[str, Any] = {
        "title": own,
        "content": "\n".join(texts) or (f"{name} ({kind})" if kind else name),
        "kind": fields.kind(kind) or ("observation" if texts else "fact"),
        "tags": fields.tags([kind] if kind else [], objects(entity.get("tags"))),
        "links": [link for link in links.get(name, ()) if link["target"] != own],
        "created_at": fields.when(entity.get("createdAt") or entity.get("created_at") or ""),
    }
    return Row({key: value for key, value in values.items() if value not in (None, [])}, line)


def _text(observation: object) -> str | None:
    """An observation is text, or in forks an object that holds it."""
    if isinstance(observation, dict):
        observation = observation.get("content") or observation.get("text") or observation.get("observation")
    return observation.strip() or None if isinstance(observation, str) else None
