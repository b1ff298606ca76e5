"""What somebody asks to be remembered, checked: sizes, dates, kinds, tags. The one place that says what a memory may be.

Text is kept verbatim. Times must lie between 1970 and one day from now; naive times are refused, because the host's
offset would silently move them.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from muninn.domain.memory import STABILITY_CAP, STABILITY_FLOOR, TITLE_LIMIT, Kind, State
from muninn.domain.trust import Tier
from muninn.errors import TooLargeError, UsageError

CONTENT_LIMIT = 1 << 20  # UTF-8 bytes
METADATA_LIMIT = 64 << 10  # bytes of JSON
TAG_LIMIT = 128  # characters
TAGS_LIMIT = 64
_EARLIEST = datetime(1970, 1, 1, tzinfo=UTC)
_LATEST_VALIDITY = datetime(9999, 1, 1, tzinfo=UTC)
_ID = re.compile(r"[0-9A-Za-z][0-9A-Za-z_.:-]{0,63}\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A memory before it has an id and a place. Fields left None take the service's defaults.

    ``tier`` is the tier the text was written under, when it comes from elsewhere: it may only be made stricter.
    """

    content: str
    title: str | None = None
    vault: str | None = None
    kind: Kind = Kind.FACT
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, object] = field(default_factory=dict)
    id: str | None = None
    created_at: datetime | None = None
    updated_at: datetime | None = None
    learned_at: datetime | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    last_accessed_at: datetime | None = None
    access_count: int = 0
    relevance: float = 0.5
    stability: float = STABILITY_FLOOR
    confidence: float = 1.0
    pinned: bool = False
    state: State = State.ACTIVE
    superseded_by: str | None = None
    merged_from: tuple[str, ...] = ()
    supersedes: str | None = None
    title_derived: bool = False
    tier: Tier | None = None


E = TypeVar("E", Kind, State)
_FIELDS = frozenset(Draft.__slots__)


def parse_draft(values: Mapping[str, object], *, now: datetime) -> Draft:
    """A draft from loosely typed values (JSON). Raises UsageError naming the field, TooLargeError over a limit."""
    unknown = sorted(set(values) - _FIELDS)
    if unknown:
        raise UsageError(f"unknown field {unknown[0]!r}", hint=f"known: {', '.join(sorted(_FIELDS))}")
    title = _text("title", values.get("title"), TITLE_LIMIT)
    return Draft(
        content=check_content(values.get("content")),
        title=title.strip() or None if title else None,
        vault=_text("vault", values.get("vault"), 512),
        kind=_choice("kind", values.get("kind"), Kind, Kind.FACT),
        tags=check_tags(values.get("tags")),
        metadata=_metadata(values.get("metadata")),
        id=_identifier(values.get("id")),
        created_at=parse_time("created_at", values.get("created_at"), latest=now + timedelta(days=1)),
        updated_at=parse_time("updated_at", values.get("updated_at"), latest=now + timedelta(days=1)),
        learned_at=parse_time("learned_at", values.get("learned_at"), latest=now + timedelta(days=1)),
        valid_from=parse_time("valid_from", values.get("valid_from"), latest=_LATEST_VALIDITY),
        valid_until=parse_time("valid_until", values.get("valid_until"), latest=_LATEST_VALIDITY),
        last_accessed_at=parse_time("last_accessed_at", values.get("last_accessed_at"), latest=now + timedelta(days=1)),
        access_count=int(_number("access_count", values.get("access_count"), 0, 1e12, 0)),
        relevance=_number("relevance", values.get("relevance"), 0, 1, 0.5),
        stability=_number("stability", values.get("stability"), STABILITY_FLOOR, STABILITY_CAP, STABILITY_FLOOR),
        confidence=_number("confidence", values.get("confidence"), 0, 1, 1.0),
        pinned=_flag("pinned", values.get("pinned")),
        state=_choice("state", values.get("state"), State, State.ACTIVE),
        superseded_by=_identifier(values.get("superseded_by")),
        merged_from=tuple(filter(None, map(_identifier, _list("merged_from", values.get("merged_from"))))),
        supersedes=_text("supersedes", values.get("supersedes"), 64),
        title_derived=_flag("title_derived", values.get("title_derived")),
        tier=tier if isinstance(tier := values.get("tier"), Tier) else None,
    )


def check_content(value: object) -> str:
    """Content that may be stored: not blank, encodable, at most 1 MiB."""
    if value is not None and not isinstance(value, str):
        raise UsageError(f"the content must be text, not {type(value).__name__}")
    if not (value or "").strip("\x00 \t\r\n\v\f\u200b\ufeff\u00a0"):
        raise UsageError("the content is blank", hint="give the text to remember")
    return _text("content", value, CONTENT_LIMIT) or ""


def check_tags(value: object) -> tuple[str, ...]:
    """Tags in the order given, without repeats."""
    tags = []
    for item in _list("tags", value):
        tag = (_text("a tag", item, 4 * TAG_LIMIT) or "").strip()
        if not tag or len(tag) > TAG_LIMIT:
            raise UsageError(f"a tag must have 1 to {TAG_LIMIT} characters, not {len(tag)}")
        tags.append(tag)
    unique = tuple(dict.fromkeys(tags))
    if len(unique) > TAGS_LIMIT:
        raise TooLargeError(f"{len(unique)} tags given", hint=f"at most {TAGS_LIMIT}")
    return unique


def parse_time(name: str, value: object, *, latest: datetime) -> datetime | None:
    """An aware UTC time from ISO 8601 (with offset or Z), a date (midnight UTC) or seconds since 1970."""
    if value is None or value == "":
        return None
    try:
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            time = datetime.fromtimestamp(value, UTC)
        elif isinstance(value, datetime):
            time = value
        else:
            text = str(value).strip()
            time = datetime.fromisoformat(f"{text}T00:00:00+00:00" if len(text) == 10 else text)
    except (ValueError, OverflowError, OSError, TypeError):
        raise UsageError(f"{name} {_shown(value)} is not a time", hint="ISO 8601, e.g. 2026-03-28T06:00:00Z") from None
    if time.tzinfo is None:
        raise UsageError(
            f"{name} {_shown(value)} has no time zone", hint="add Z or an offset, e.g. 2026-03-28T06:00:00Z"
        )
    try:
        time = time.astimezone(UTC)
    except OverflowError:
        time = _EARLIEST - timedelta(days=1)
    if not _EARLIEST <= time <= latest:
        raise UsageError(f"{name} {_shown(value)} is out of range", hint=f"between 1970 and {latest:%Y-%m-%d}")
    return time


def _shown(value: object) -> str:
    return repr(value)[:60]


def size_of(name: str, text: str) -> int:
    """Bytes of ``text`` in UTF-8. Raises UsageError for a lone surrogate, which argument lists can hold."""
    try:
        return len(text.encode("utf-8"))
    except UnicodeEncodeError:
        raise UsageError(f"{name} holds a lone surrogate, which is not text", hint="send valid UTF-8") from None


def _text(name: str, value: object, limit: int) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str):
        raise UsageError(f"{name} must be text, not {type(value).__name__}")
    size = size_of(name, value)
    if size > limit:
        raise TooLargeError(f"{name} has {size:,} bytes", hint=f"at most {limit:,}")
    return value


def _list(name: str, value: object) -> list[object]:
    if value is None:
        return []
    if not isinstance(value, (list, tuple)):
        raise UsageError(f"{name} must be a list, not {type(value).__name__}")
    return list(value)


def _choice(name: str, value: object, kind: type[E], default: E) -> E:
    if value is None:
        return default
    try:
        return kind(str(value))
    except ValueError:
        raise UsageError(f"unknown {name} {_shown(value)}", hint=f"one of: {', '.join(kind)}") from None


def _number(name: str, value: object, low: float, high: float, default: float) -> float:
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise UsageError(f"{name} must be a number, not {_shown(value)}")
    if not low <= value <= high:
        raise UsageError(f"{name} {value} is out of range", hint=f"{low:g} to {high:g}")
    return float(value)


def _flag(name: str, value: object) -> bool:
    if value is not None and not isinstance(value, bool):
        raise UsageError(f"{name} must be true or false, not {_shown(value)}")
    return bool(value)


def _identifier(value: object) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str) or not _ID.match(value):
        raise UsageError(f"id {_shown(value)} is not valid", hint="1 to 64 letters, digits, _ . : -")
    return value


def _metadata(value: object) -> dict[str, object]:
    if value is None:
        return {}
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise UsageError("metadata must be an object with text keys")
    try:
        size = len(json.dumps(value, ensure_ascii=False, allow_nan=False).encode("utf-8"))
    except (TypeError, ValueError, RecursionError, UnicodeEncodeError):
        raise UsageError("metadata must be plain JSON without NaN or infinity") from None
    if size > METADATA_LIMIT:
        raise TooLargeError(f"metadata has {size:,} bytes of JSON", hint=f"at most {METADATA_LIMIT:,}")
    return dict(value)
