"""What an importer yields: rows, and what it could not make a row of. An importer never raises for the data it reads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

FIELDS = frozenset({
    "id", "vault", "title", "title_derived", "content", "content_hash", "kind", "tags", "metadata", "created_at", "updated_at",
    "valid_from", "valid_until", "learned_at", "last_accessed_at", "access_count", "relevance", "stability", "confidence",
    "pinned", "state", "superseded_by", "merged_from", "supersedes", "provenance", "tier", "links", "embedding", "embedding_model",
})  # fmt: skip
"""Keys a row may have: the fields of a memory, plus ``links`` ({target: id or title, relation, weight, …}) and a ready vector."""


@dataclass(frozen=True, slots=True)
class Row:
    """One memory to store. ``source``: the file inside a folder or archive; ``line``: where it starts, from 1."""

    values: dict[str, Any]
    line: int
    source: str = ""


@dataclass(frozen=True, slots=True)
class Rejected:
    """Something that did not become a memory."""

    line: int
    why: str
    source: str = ""


@dataclass(frozen=True, slots=True)
class Remark:
    """Something that was left out or kept in another form while its memory was stored."""

    line: int
    what: str
    source: str = ""


@dataclass(frozen=True, slots=True)
class Vaults:
    """The vaults an export speaks of, as ``{name, tier}``; comes before their memories."""

    vaults: tuple[dict[str, Any], ...]


Item = Row | Rejected | Remark | Vaults
