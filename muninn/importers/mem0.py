"""mem0: what ``get_all`` or the platform's export returns as JSON, and OpenMemory's backup (a zip with ``memories.json``).

Relations of mem0's graph join entities, not memories; they are counted and left out.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from muninn.importers import fields
from muninn.importers.items import Item, Rejected, Remark, Row
from muninn.importers.jsonl import entries, first_object, load, objects, parsed
from muninn.importers.text import DOCUMENT_LIMIT, head

_LISTS = ("results", "memories", "data")
_TEXTS = ("memory", "text", "content", "data")
_KNOWN = frozenset({
    *_TEXTS, "id", "hash", "metadata", "categories", "category_ids", "score", "state", "created_at", "updated_at", "expiration_date",
    "agent_id", "run_id", "archived_at", "deleted_at",
})  # fmt: skip
_DAMAGED = (OSError, zipfile.BadZipFile, zlib.error, RuntimeError, EOFError, ValueError)
_STATES = {"active": "active", "paused": "active", "archived": "archived", "deleted": "forgotten"}


def is_mem0(path: Path) -> bool:
    if not path.is_file():
        return False
    start = head(path)
    if start.startswith(b"PK\x03\x04"):
        return not isinstance(_member(path), Rejected)
    first = first_object(start)
    if first is not None:
        return any(isinstance(first.get(name), list) for name in _LISTS) or (
            "memory" in first and "content" not in first
        )
    text = start.lstrip(b"\xef\xbb\xbf \t\r\n")
    return text.startswith((b"[", b"{")) and any(
        f'"{name}"'.encode() in text for name in ("memory", "results", "memories")
    )


def read(path: Path) -> Iterator[Item]:
    value = _archived(path) if head(path).startswith(b"PK\x03\x04") else load(path)
    if isinstance(value, Rejected) and first_object(head(path)) is not None:
        memories = entries(path)  # one a line
    elif isinstance(value, Rejected):
        memories = iter([(value.line, value)])
    else:
        memories = iter(enumerate(_memories(value), start=1))
    names = _categories(value)
    for number, one in memories:
        if isinstance(one, Rejected):
            yield one
        else:
            yield _row(number, one, names) if isinstance(one, dict) else Rejected(number, "not a JSON object")
    if isinstance(value, dict) and (relations := objects(value.get("relations"))):
        yield Remark(0, f"{len(relations)} graph relations join entities, not memories, and were left out")


def _memories(value: object) -> list[object]:
    if isinstance(value, list):
        return value
    found = [value[name] for name in _LISTS if isinstance(value.get(name), list)] if isinstance(value, dict) else []
    return found[0] if found else [Rejected(1, f"no list of memories: expected one of {', '.join(_LISTS)}")]


def _member(path: Path) -> str | Rejected:
    try:
        with zipfile.ZipFile(path) as archive:
            names = [name for name in archive.namelist() if name.rpartition("/")[2] == "memories.json"]
    except _DAMAGED as error:
        return Rejected(1, f"a damaged zip: {str(error)[:120]}")
    return names[0] if names else Rejected(1, "a zip without memories.json")


def _archived(path: Path) -> object:
    name = _member(path)
    if isinstance(name, Rejected):
        return name
    try:
        with zipfile.ZipFile(path) as archive, archive.open(name) as file:
            data = file.read(DOCUMENT_LIMIT + 1)
    except _DAMAGED as error:
        return Rejected(1, f"a damaged zip: {str(error)[:120]}")
    if len(data) > DOCUMENT_LIMIT:
        return Rejected(1, f"memories.json has more than {DOCUMENT_LIMIT >> 20} MiB")
    value = parsed(data)
    return Rejected(1, f"memories.json: {value.why}") if isinstance(value, Rejected) else value


def _categories(value: object) -> dict[str, str]:
    listed = objects(value.get("categories")) if isinstance(value, dict) else []
    return {str(one.get("id")): str(one.get("name")) for one in listed if isinstance(one, dict)}


def _row(number: int, memory: Mapping[str, Any], names: Mapping[str, str]) -> Row | Rejected:
    text = next((memory[name] for name in _TEXTS if isinstance(memory.get(name), str) and memory[name].strip()), None)
    if text is None:
        return Rejected(number, "a memory without text")
    given = memory.get("metadata")
    metadata = dict(given) if isinstance(given, dict) else {}
    categories = [names.get(str(one), "") for one in objects(memory.get("category_ids"))]
    rest = {key: value for key, value in memory.items() if key not in _KNOWN}
    values: dict[str, Any] = {
        "id": _identity(memory.get("id")),
        "content": text,
        "kind": fields.kind(metadata.get("type") or metadata.get("category")),
        "tags": fields.tags(objects(memory.get("categories")), categories, metadata.pop("tags", None)),
        "created_at": fields.when(memory.get("created_at") or ""),
        "updated_at": fields.when(memory.get("updated_at") or ""),
        "valid_until": fields.when(memory.get("expiration_date") or ""),
        "state": _STATES.get(str(memory.get("state") or "active"), "active"),
        "metadata": fields.metadata(metadata, rest),
        "provenance": _provenance(memory),
    }
    return Row({key: value for key, value in values.items() if value not in (None, [], {})}, number)


def _identity(value: object) -> str | None:
    text = str(value or "")
    return text if 8 <= len(text) <= 64 and text.replace("-", "").isalnum() and text.isascii() else None


def _provenance(memory: Mapping[str, Any]) -> dict[str, str]:
    named = {"agent_role": memory.get("agent_id"), "run_id": memory.get("run_id")}
    known = {name: value for name, value in named.items() if isinstance(value, str) and 0 < len(value) <= 256}
    return {"client": "mem0", **known} if known else {}
