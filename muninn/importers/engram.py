"""MuninnDB's binary records, as far as a memory needs them: an engram (versions 1 and 2) and a link.

Big-endian. Fixed part: magic, version, flags, then at byte 8 id, three times in nanoseconds, confidence, relevance,
stability, access count, state, type; at 72 the validity; from 108 where concept, author, content and tags lie. Content over
512 bytes is zstd-compressed; tags are msgpack. After them tagged fields: 0x19 type label, 0x1A summary, 0x1B key points.
"""

from __future__ import annotations

import math
import struct
from typing import Any

import msgspec

from muninn.clock import encode_ulid
from muninn.domain.draft import CONTENT_LIMIT
from muninn.importers import fields

_MAGIC = b"MUNN"
_FIXED = 152
_COMPRESSED = 0x02
_HEAD = struct.Struct(">16sqqqfffIB")
_VALIDITY = struct.Struct(">qq")
_SPANS = {"concept": (108, 112, 2), "author": (114, 118, 2), "content": (120, 124, 4), "tags": (128, 132, 4), "links": (136, 140, 4), "vector": (144, 148, 4)}  # fmt: skip
_LINK_VALUE = struct.Struct(">HfqI")
_KINDS = ("fact", "decision", "observation", "preference", "issue", "task", "procedure", "event", "task", "decision", "fact", "reference")  # fmt: skip
_LABELS = {8: "goal", 9: "constraint", 10: "identity"}
_STATES = {4: "archived", 5: "archived", 6: "archived", 0x7F: "forgotten"}
_RELATIONS = (
    "relates_to", "supports", "contradicts", "depends_on", "supersedes", "relates_to", "part_of", "causes", "preceded_by",
    "followed_by", "relates_to", "part_of", "references", "implements", "blocks", "resolves", "refines",
)  # fmt: skip


def decode_engram(data: bytes) -> dict[str, Any] | str:
    """The fields of a memory, or one line on why the record is none."""
    if len(data) < _FIXED or data[:4] != _MAGIC or data[4] not in (1, 2):
        return "not an engram record"
    spans = {name: _span(data, *where) for name, where in _SPANS.items()}
    if any(start + length > len(data) for start, length in spans.values()):
        return "an engram record that points beyond its end"
    parts = {name: data[start : start + length] for name, (start, length) in spans.items()}
    content = _content(parts["content"], compressed=bool(data[5] & _COMPRESSED))
    if content is None:
        return "content that cannot be decompressed, or is too large"
    try:
        return _fields(data, parts, content.decode("utf-8"), spans)
    except UnicodeDecodeError:
        return "content that is not UTF-8"


def _fields(data: bytes, parts: dict[str, bytes], content: str, spans: dict[str, tuple[int, int]]) -> dict[str, Any]:
    identity, created, updated, accessed, confidence, relevance, stability, count, state = _HEAD.unpack_from(data, 8)
    valid_from, valid_until = _VALIDITY.unpack_from(data, 72)
    kind = data[68]
    tagged = _tagged(data[max(_FIXED, *(start + length for start, length in spans.values())) : -4])
    author = parts["author"].decode("utf-8", "replace")
    row: dict[str, Any] = {
        "id": _ulid(identity),
        "title": fields.title(parts["concept"].decode("utf-8", "replace")),
        "content": content,
        "kind": _KINDS[kind] if kind < len(_KINDS) else "fact",
        "tags": _tags(parts["tags"]),
        "state": _STATES.get(state, "active"),
        "created_at": _time(created),
        "updated_at": _time(updated),
        "last_accessed_at": _time(accessed) if count else None,
        "valid_from": _time(valid_from),
        "valid_until": _time(valid_until),
        "access_count": count,
        "confidence": _within(confidence, 0.0, 1.0) or 1.0,
        "relevance": _within(relevance, 0.0, 1.0) or 0.5,
        "stability": _within(stability, 14.0, 365.0),
        "metadata": fields.metadata(tagged, {"muninndb_type": _LABELS.get(kind)}),
        "provenance": {"client": "muninndb", "agent_role": author} if author.strip() else None,
    }
    return {key: value for key, value in row.items() if value not in (None, [], {})}


def decode_link(key: bytes, value: bytes) -> dict[str, Any] | None:
    """A link from its key (source, weight complement, target) and value; None when it is not one."""
    if len(key) != 37 or (0 < len(value) < _LINK_VALUE.size):
        return None
    relation, _, created, activated = _LINK_VALUE.unpack_from(value) if value else (0, 1.0, 0, 0)
    # Stored as a complement so that keys sort by falling weight.
    weight = (0xFFFFFFFF - int.from_bytes(key[17:21], "big")) / 0xFFFFFFFF
    link = {
        "source": _ulid(key[1:17]),
        "target": _ulid(key[21:37]),
        "relation": _RELATIONS[relation] if relation < len(_RELATIONS) else "relates_to",
        "weight": round(weight, 6),
        "created_at": _time(created),
        "last_activated_at": fields.when(activated) if activated else None,
    }
    return {name: one for name, one in link.items() if one is not None}


def _span(data: bytes, start: int, length: int, size: int) -> tuple[int, int]:
    return int.from_bytes(data[start : start + 4], "big"), int.from_bytes(data[length : length + size], "big")


def _content(data: bytes, *, compressed: bool) -> bytes | None:
    if not compressed:
        return data
    import pyarrow as pa  # the only zstd that is here already

    try:
        with pa.input_stream(pa.py_buffer(data), compression="zstd") as stream:
            content: bytes = stream.read(CONTENT_LIMIT + 1)
    except (OSError, ValueError):
        return None
    return content if len(content) <= CONTENT_LIMIT else None


def _tags(data: bytes) -> list[str]:
    try:
        return fields.tags(msgspec.msgpack.decode(data, type=list[str] | None)) if data else []
    except (msgspec.MsgspecError, ValueError):
        return []


def _tagged(data: bytes) -> dict[str, Any]:
    found: dict[str, Any] = {}
    while len(data) >= 3:
        tag, length = data[0], int.from_bytes(data[1:3], "big")
        value, data = data[3 : 3 + length], data[3 + length :]
        if tag in (0x19, 0x1A):
            found["type_label" if tag == 0x19 else "summary"] = value.decode("utf-8", "replace")
        elif tag == 0x1B:
            found["key_points"] = _tags(value)
    return found


def _time(nanoseconds: int) -> str | None:
    # Go's zero time wraps to 1754; fields.when refuses everything before 1970.
    return fields.when(nanoseconds / 1e9) if nanoseconds > 0 else None


def _within(value: float, low: float, high: float) -> float | None:
    return min(max(value, low), high) if math.isfinite(value) else None


def _ulid(data: bytes) -> str:
    return encode_ulid(int.from_bytes(data, "big"))
