"""What dreams remember between runs, vault by vault: which usage was replayed, what was compared, which likenesses a model
saw, when stability moved.

Kept in the store's ``meta`` (text to text), committed with the dream they belong to, and taken back with it.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

import numpy as np

from muninn.domain.memory import Memory

WRITES = "writes"  # counter of the service: creates, content edits, supersessions
LAST_AT = "dream.last_at"  # ISO time of the last full dream
LAST_ID = "dream.last_id"
LAST_WRITES = "dream.last_writes"  # value of WRITES then
UNFINISHED = "dream.unfinished"  # "1" while the deadline left work undone
_MARK = "dream.mark/"
_SCANNED = "dream.scanned/"
_PUT = "dream.put/"
_PAIRED = "dream.paired"
_KEY_BYTES = 6
PAIRS_KEPT = 2000  # likenesses across vaults of which is known that a model saw them

Keys = np.ndarray[tuple[int], np.dtype[np.uint64]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """How far one vault's dreams have come.

    ``usage``: id of the last usage event replayed; ``holes``: ranges (after, up to and including) to be replayed again
    because their dream was undone. ``habit``: last usage event the stability phase saw. ``archived`` memories since
    ``archived_at`` count against the survival budget of that day. ``asked``: short names of the waiting sets a model
    has seen.
    """

    usage: str = ""
    holes: tuple[tuple[str, str], ...] = ()
    habit: str = ""
    strengthened_at: datetime | None = None
    weakened_at: datetime | None = None
    archived_at: datetime | None = None
    archived: int = 0
    asked: tuple[str, ...] = ()

    def to_json(self) -> dict[str, object]:
        return {
            "usage": self.usage,
            "holes": [list(hole) for hole in self.holes],
            "habit": self.habit,
            "strengthened_at": _text(self.strengthened_at),
            "weakened_at": _text(self.weakened_at),
            "archived_at": _text(self.archived_at),
            "archived": self.archived,
            "asked": list(self.asked),
        }

    def unread(self, event_id: str) -> bool:
        """Whether the usage event still has to be replayed."""
        return event_id > self.usage or any(after < event_id <= upto for after, upto in self.holes)

    @property
    def oldest_unread(self) -> str:
        """Every event still to be replayed has an id greater than this."""
        return min([self.usage, *(after for after, _ in self.holes)])

    def spent(self, now: datetime) -> int:
        """Memories archived by dreams of this vault within the last day."""
        if self.archived_at is None or not timedelta(0) <= now - self.archived_at < timedelta(days=1):
            return 0
        return self.archived


def mark_from(data: Mapping[str, Any]) -> Mark:
    return Mark(
        usage=str(data.get("usage", "")),
        holes=tuple((str(after), str(upto)) for after, upto in data.get("holes", ())),
        habit=str(data.get("habit", "")),
        strengthened_at=_time(data.get("strengthened_at")),
        weakened_at=_time(data.get("weakened_at")),
        archived_at=_time(data.get("archived_at")),
        archived=int(data.get("archived", 0)),
        asked=tuple(map(str, data.get("asked", ()))),
    )


def mark_of(meta: Mapping[str, str], vault_key: str) -> Mark:
    """The vault's mark; a damaged one counts as none (the next dream then looks at everything again)."""
    try:
        return mark_from(json.loads(meta.get(_MARK + vault_key, "{}")))
    except (ValueError, TypeError, AttributeError):
        return Mark()


def watermarks(meta: Mapping[str, str]) -> tuple[str, ...]:
    """Ids of usage events up to which some vault's dreams have come."""
    marks = [mark_of(meta, name.removeprefix(_MARK)) for name in meta if name.startswith(_MARK)]
    return tuple(at for mark in marks for at in (mark.usage, mark.habit))


def mark_entry(vault_key: str, mark: Mark) -> dict[str, str]:
    return {_MARK + vault_key: json.dumps(mark.to_json(), sort_keys=True)}


def scan_key(memory: Memory) -> int:
    """48 bits that change when anything changes by which a memory is compared with others."""
    told = "\x1f".join(
        (
            memory.id,
            memory.content_hash,
            "" if memory.title_derived else memory.title,
            memory.kind,
            str(memory.pinned),
            memory.embedding_model or "",
            str(memory.learned_at.timestamp()),
            str(memory.valid_from or ""),
            str(memory.valid_until or ""),
            *memory.tags,
        )
    )
    digest = hashlib.blake2b(told.encode("utf-8", "surrogatepass"), digest_size=_KEY_BYTES).digest()
    return int.from_bytes(digest, "little")


def scanned_of(meta: Mapping[str, str], vault_key: str) -> Keys:
    """Sorted scan keys of the memories already compared with all others."""
    return _keys_of(meta, _SCANNED + vault_key)


def scanned_entry(vault_key: str, keys: Iterable[int] | Keys) -> dict[str, str]:
    return _keys_entry(_SCANNED + vault_key, keys)


def put_of(meta: Mapping[str, str], vault_key: str) -> Keys:
    """Sorted scan keys of the memories whose likenesses in other vaults were all put before a model.

    Undoing a dream does not take them back: a model that was asked was asked.
    """
    return _keys_of(meta, _PUT + vault_key)


def put_entry(vault_key: str, keys: Iterable[int] | Keys) -> dict[str, str]:
    return _keys_entry(_PUT + vault_key, keys)


def paired_of(meta: Mapping[str, str]) -> tuple[str, ...]:
    """Short names of the likenesses between any two vaults last put before a model, oldest first."""
    return tuple(meta.get(_PAIRED, "").split())


def paired_entry(names: Iterable[str]) -> dict[str, str]:
    return {_PAIRED: " ".join(tuple(names)[-PAIRS_KEPT:])}


def _keys_of(meta: Mapping[str, str], name: str) -> Keys:
    """What stands under ``name``; damaged counts as none."""
    try:
        raw = base64.b64decode(meta.get(name, ""), validate=True)
        rows = np.frombuffer(raw, dtype=np.uint8).reshape(-1, _KEY_BYTES)
    except ValueError:
        return np.empty(0, dtype=np.uint64)
    wide = np.zeros((len(rows), 8), dtype=np.uint8)
    wide[:, :_KEY_BYTES] = rows
    return wide.view("<u8").ravel().astype(np.uint64)


def _keys_entry(name: str, keys: Iterable[int] | Keys) -> dict[str, str]:
    ordered = np.unique(np.fromiter(keys, dtype="<u8"))
    raw = ordered.view(np.uint8).reshape(-1, 8)[:, :_KEY_BYTES].tobytes()
    return {name: base64.b64encode(raw).decode("ascii")}


def rewound(meta: Mapping[str, str], moved: Mapping[str, Any]) -> dict[str, str]:
    """The meta entries after the dream that made the moves ``{vault_key: {"before": …, "after": …}}`` is undone."""
    entries: dict[str, str] = {}
    for vault_key, move in moved.items():
        before, after = mark_from(move["before"]), mark_from(move["after"])
        entries.update(mark_entry(vault_key, _rewound(mark_of(meta, vault_key), before, after)))
    return entries


def _rewound(present: Mark, before: Mark, after: Mark) -> Mark:
    changes: dict[str, Any] = {}
    for name in ("habit", "strengthened_at", "weakened_at", "archived_at", "archived", "asked"):
        if getattr(present, name) == getattr(after, name):
            changes[name] = getattr(before, name)
    holes = dict.fromkeys((*present.holes, *(hole for hole in before.holes if hole not in after.holes)))
    if after.usage != before.usage:
        if present.usage == after.usage:
            changes["usage"] = before.usage
        else:
            holes[(before.usage, after.usage)] = None
    start = changes.get("usage", present.usage)
    return replace(present, **changes, holes=tuple(sorted(hole for hole in holes if hole[0] < start)))


def _text(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat()


def _time(value: object) -> datetime | None:
    return None if value is None else datetime.fromisoformat(str(value))
