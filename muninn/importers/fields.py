"""Foreign values brought into the shape of a memory's fields, so that one odd date or tag does not cost a memory.

A time without a zone counts as UTC. What does not fit is dropped here and kept by the caller under ``metadata``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from muninn.domain.draft import METADATA_LIMIT, TAG_LIMIT, TAGS_LIMIT
from muninn.domain.memory import TITLE_LIMIT, Kind

CREATED = ("created_at", "created", "date", "date_created", "datecreated", "creation_date", "fecha", "creado")
UPDATED = (
    "updated_at",
    "updated",
    "modified",
    "last_modified",
    "lastmod",
    "date_modified",
    "actualizado",
    "modificado",
)
_KINDS = {kind.value: kind.value for kind in Kind} | {
    "bug": "issue", "bugfix": "issue", "problem": "issue", "todo": "task", "goal": "task", "constraint": "decision",
    "feedback": "preference", "howto": "procedure", "how-to": "procedure", "runbook": "procedure", "meeting": "event",
    "hecho": "fact", "decisión": "decision", "preferencia": "preference", "tarea": "task", "procedimiento": "procedure",
}  # fmt: skip
_DAY = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$")
_CLOCK = re.compile(
    r"(\d{4}-\d{2}-\d{2})[T ](\d{1,2}:\d{2})(:\d{2}(?:\.\d+)?)?\s*(Z|UTC|[-+]\d{2}:?\d{2})?$", re.IGNORECASE
)
_MILLISECONDS = 100_000_000_000  # seconds reach this in the year 5138


def when(value: object) -> str | None:
    """An ISO time in UTC from ISO text, a day, or seconds or milliseconds since 1970; None when it is none of these."""
    try:
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            time = datetime.fromtimestamp(value / 1000 if abs(value) > _MILLISECONDS else value, UTC)
        else:
            time = _from_text(str(value).strip())
        return time.astimezone(UTC).isoformat().replace("+00:00", "Z") if time.year >= 1970 else None
    except (ValueError, OverflowError, OSError):
        return None


def _from_text(text: str) -> datetime:
    if day := _DAY.match(text):
        return datetime(int(day[1]), int(day[2]), int(day[3]), tzinfo=UTC)
    clock = _CLOCK.match(text)
    if clock is None:
        raise ValueError(text)
    zone = clock[4] or "Z"
    zone = "+00:00" if zone.upper() in ("Z", "UTC") else zone
    return datetime.fromisoformat(f"{clock[1]}T{clock[2].rjust(5, '0')}{clock[3] or ''}{zone}")


def taken_time(values: dict[str, Any], names: Iterable[str]) -> str | None:
    """The first of ``names`` that holds a time, taken out of ``values``."""
    for name in names:
        if values.get(name) is not None and (time := when(values[name])):
            del values[name]
            return time
    return None


def title(value: object) -> str | None:
    """One line of at most 512 bytes; None when nothing is left."""
    text = " ".join(str(value).replace("\0", " ").split()) if value is not None else ""
    encoded = text.encode("utf-8", "replace")
    if len(encoded) <= TITLE_LIMIT:
        return encoded.decode("utf-8") or None
    return encoded[: TITLE_LIMIT - 3].decode("utf-8", "ignore").rstrip() + "…"


def tags(*values: object) -> list[str]:
    """Tags from lists, or from text separated by commas, without ``#`` and repeats; longer or further ones are dropped."""
    found: dict[str, None] = {}
    for value in values:
        parts = value if isinstance(value, (list, tuple)) else str(value or "").split(",")
        for part in parts:
            tag = str(part if part is not None else "").strip().lstrip("#").strip()
            if 0 < len(tag) <= TAG_LIMIT and "\0" not in tag:
                found[tag] = None
    return list(found)[:TAGS_LIMIT]


def kind(value: object) -> str | None:
    """The kind of memory a foreign type stands for, or None."""
    return _KINDS.get(str(value).strip().casefold()) if value is not None else None


def metadata(*parts: Mapping[str, Any]) -> dict[str, Any]:
    """The parts as one object, without empty values, and without the largest ones when it would be too large to store."""
    values = {key: value for part in parts for key, value in part.items() if value not in (None, "", [], {})}
    sizes = {key: len(json.dumps(value, default=str)) + len(key) + 8 for key, value in values.items()}
    while sum(sizes.values()) > METADATA_LIMIT * 3 // 4:
        largest = max(sizes, key=lambda key: sizes[key])
        del values[largest], sizes[largest]
    return values
