"""The values muninn is about: memories, links, vaults. Immutable; times are aware UTC datetimes.

Vectors travel beside memories (``dict[id, bytes]`` of little-endian float32), never inside: most changes do not touch them.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from muninn.domain.trust import Tier

STABILITY_FLOOR = 14.0  # days
STABILITY_CAP = 365.0  # days
TITLE_LIMIT = 512  # UTF-8 bytes


class Kind(StrEnum):
    FACT = "fact"
    DECISION = "decision"
    OBSERVATION = "observation"
    PREFERENCE = "preference"
    ISSUE = "issue"
    TASK = "task"
    PROCEDURE = "procedure"
    EVENT = "event"
    REFERENCE = "reference"
    SCHEMA = "schema"


class State(StrEnum):
    ACTIVE = "active"
    ARCHIVED = "archived"
    SUPERSEDED = "superseded"
    FORGOTTEN = "forgotten"


class Origin(StrEnum):
    """Who made a link."""

    AUTO = "auto"
    MANUAL = "manual"
    AGENT = "agent"
    DREAM = "dream"


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """Which run wrote a memory; filled by the door it came through, never by goodwill."""

    client: str
    session_id: str | None = None
    agent_role: str | None = None
    run_id: str | None = None
    run_trigger: str | None = None
    iteration: int | None = None
    tool: str | None = None

    @property
    def origin(self) -> Origin:
        """Whose word this is: an agent's, or a person's."""
        return Origin.AGENT if self.client.split("/", 1)[0] in ("mcp", "hook") else Origin.MANUAL


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """One memory.

    relevance, confidence: 0–1. stability: days, 14–365. ``title_derived`` is true when the title was taken from the
    first sentence; derived titles take no part in linking, embedding or the separation guard. ``tier`` is the tier under
    which the text was written: the text keeps it wherever it goes. ``embedding_model`` is None while the vector is pending.
    """

    id: str
    vault: str
    tier: Tier
    title: str
    content: str
    content_hash: str
    created_at: datetime
    updated_at: datetime
    learned_at: datetime
    provenance: Provenance
    title_derived: bool = False
    kind: Kind = Kind.FACT
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, object] = field(default_factory=dict)
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
    embedding_model: str | None = None

    @property
    def active(self) -> bool:
        return self.state is State.ACTIVE

    @property
    def fingerprint(self) -> str:
        """Changes when what a user said or decided about this memory changes; usage and strength are left out."""
        parts = (
            self.vault,
            self.title,
            self.content,
            self.kind,
            self.state,
            self.superseded_by or "",
            self.pinned,
            *self.tags,
            self.valid_from,
            self.valid_until,
            self.learned_at,
        )
        return hashlib.blake2b(
            "\x1f".join(map(str, parts)).encode("utf-8", "surrogatepass"), digest_size=12
        ).hexdigest()


class LinkKey(NamedTuple):
    source: str
    target: str
    relation: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A directed, typed, weighted (0–1) relation inside or, if a human accepted it, across vaults.

    ``rejected`` links are tombstones: a person took an automatic link away, so it is not made again. ``premises`` are
    the memories an inferred link passes through; it falls when one of its two steps does.
    """

    source: str
    target: str
    relation: str
    vault: str
    weight: float
    origin: Origin
    created_at: datetime
    last_activated_at: datetime | None = None
    rejected: bool = False
    premises: tuple[str, ...] = ()

    @property
    def key(self) -> LinkKey:
        return LinkKey(self.source, self.target, self.relation)


RELATIONS = (
    "mentions", "relates_to", "supports", "contradicts", "supersedes", "causes", "depends_on", "part_of", "refines",
    "co_activated", "inferred", "implements", "blocks", "resolves", "references", "preceded_by", "followed_by",
)  # fmt: skip
RELATES_TO = "relates_to"
RELATION_LIMIT = 64  # characters


def is_relation(name: str) -> bool:
    """One lower-case word of any script: letters, digits and underscores, a letter first."""
    return name.isidentifier() and name[0].isalpha() and name == name.lower() and len(name) <= RELATION_LIMIT


def relation_of(name: object) -> str:
    """Somebody else's name for a relation as one of ours; ``relates_to`` when nothing usable is left."""
    word = re.sub(r"\W+", "_", str(name or "").strip().lower()).strip("_")
    return word if word and is_relation(word) else RELATES_TO


@dataclass(frozen=True, slots=True, kw_only=True)
class Vault:
    name: str
    tier: Tier
    created_at: datetime

    @property
    def key(self) -> str:
        return vault_key(self.name)


def vault_key(name: str) -> str:
    """The form in which vault names are compared: NFKC and casefolded."""
    return unicodedata.normalize("NFKC", name).casefold()


def content_hash(content: str) -> str:
    """SHA-256 over the verbatim content; equal hash in one vault is an exact duplicate."""
    return hashlib.sha256(content.encode("utf-8")).hexdigest()


Matrix = np.ndarray[tuple[int, int], np.dtype[np.float32]]
"""Row-normalised float32 vectors, shape (n, dimensions)."""


@dataclass(frozen=True, slots=True)
class Vectors:
    """The vectors of one embedder: row ``i`` of ``matrix`` belongs to ``ids[i]``."""

    model: str
    ids: tuple[str, ...]
    matrix: Matrix


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One vault as it stood at one moment, every state included. What a dream reads."""

    vault: Vault
    memories: Mapping[str, Memory]
    links: Mapping[LinkKey, Link]
    vectors: tuple[Vectors, ...]

    def active(self) -> tuple[Memory, ...]:
        """Active memories by id: one order for every phase, hence deterministic."""
        return tuple(m for _, m in sorted(self.memories.items()) if m.active)
