"""The records that surround memories: usage, dreams, operations, suggestions, verdicts, egress; and the Transaction.

A Transaction is the unit of truth: everything in it becomes durable together, or not at all. Records are idempotent by
key: applying a transaction twice leaves what applying it once leaves.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from muninn.domain.memory import Link, LinkKey, Memory, Vault

DREAM = "dream"
CONSOLIDATION = "consolidation"  # the smaller dream of waking hours


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """One recall or read by somebody outside: what came back, best first, with its activation (score, 0–1)."""

    id: str
    at: datetime
    kind: str  # "recall" | "read"
    vaults: tuple[str, ...]
    memories: tuple[str, ...]
    activations: tuple[float, ...]
    query: str | None = None
    session_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DreamRecord:
    """One run of the engine. ``report`` is plain JSON data: phases, vaults, figures, narrative, verdict."""

    id: str
    kind: str  # DREAM | CONSOLIDATION
    started_at: datetime
    finished_at: datetime | None
    status: str  # "completed" | "aborted" | "rolled_back"
    report: Mapping[str, object] = field(default_factory=dict)
    undone_at: datetime | None = None

    @property
    def closed(self) -> bool:
        """Whether it is too old to be undone: the rows as they were are gone."""
        return "undo" in self.report

    @property
    def abridged(self) -> bool:
        """Whether its operations stand in the journal alone."""
        return "kept_by" in self.report

    @property
    def damaged(self) -> bool:
        """Whether nothing could be read of it on disk but when it was, what kind it was and how it ended."""
        return "damaged" in self.report


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationRecord:
    """One operation as planned and as it went, with what it needs to be taken back.

    ``operation`` is the operation as plain JSON data. ``before``: each changed memory as it was, with its vector when
    the operation changed it; ``before_links``: each touched link as it was, None where it did not exist.
    ``after``: the fingerprint each memory was left with, so that undo sees what a person changed since.
    """

    dream_id: str
    seq: int
    vault: str
    op: str
    operation: Mapping[str, object]
    applied: bool
    skipped_because: str | None = None
    before: tuple[Memory, ...] = ()
    before_vectors: Mapping[str, bytes] = field(default_factory=dict)
    before_links: tuple[tuple[LinkKey, Link | None], ...] = ()
    after: Mapping[str, str] = field(default_factory=dict)

    @property
    def key(self) -> str:
        return f"{self.dream_id}/{self.seq:06d}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """A cross-vault connection that awaits a human."""

    id: str
    source: str
    source_vault: str
    target: str
    target_vault: str
    relation: str
    reason: str
    created_at: datetime
    dream_id: str | None = None
    status: str = "pending"  # "pending" | "accepted" | "rejected"
    decided_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What was decided about a set of memories, so that it is not asked or tried again until one of them changes.

    ``fingerprints`` are those the decision was made on. verdict: "distinct" (never merge), "pending" (queued for
    review), "declined" (a person undid it), "conflict" (annotated contradiction); for texts see ``lineage``.
    """

    ids: tuple[str, ...]  # sorted
    op: str  # the operation this speaks about: "merge", "link", ...
    verdict: str
    fingerprints: tuple[str, ...]
    at: datetime
    vault: str
    dream_id: str | None = None
    reason: str = ""
    withdrawn: bool = False

    @property
    def key(self) -> str:
        return f"{self.op}:{'+'.join(self.ids)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Egress:
    """One attempt to send text to a model. Never the text, never a key."""

    id: str
    at: datetime
    vault: str
    tier: str
    purpose: str  # "consolidate" | "embed" | ...
    provider: str
    model: str
    address: str
    allowed: bool
    reason: str
    bytes_out: int
    bytes_in: int
    content_hash: str
    dream_id: str | None = None
    sent: bool = False  # a body went out, or an answer came; ledgers of before muninn wrote this tell it by the bytes


def egress_totals(entries: Iterable[Egress]) -> dict[str, object]:
    """Sums over attempts: ``allowed refused bytes_out bytes_in`` and ``bytes_out_by_provider``, a provider tried in vain at 0."""
    listed = list(entries)
    by_provider = dict.fromkeys(sorted({entry.provider for entry in listed}), 0)
    for entry in listed:
        by_provider[entry.provider] += entry.bytes_out
    return {
        "allowed": sum(entry.allowed for entry in listed),
        "refused": sum(not entry.allowed for entry in listed),
        "bytes_out": sum(entry.bytes_out for entry in listed),
        "bytes_in": sum(entry.bytes_in for entry in listed),
        "bytes_out_by_provider": by_provider,
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Transaction:
    """Rows to upsert by key, and keys to take away.

    ``vectors`` holds only vectors that are new or changed; a memory without an entry keeps the vector it has.
    ``meta`` are small counters and watermarks. ``purge`` are memory ids to erase for good, history included.
    ``thinned`` are usage events as they are kept from now on, or dropped when they are left without memories; the read model
    is not told of them.
    """

    memories: tuple[Memory, ...] = ()
    vectors: Mapping[str, bytes] = field(default_factory=dict)
    links: tuple[Link, ...] = ()
    unlink: tuple[LinkKey, ...] = ()
    vaults: tuple[Vault, ...] = ()
    drop_vaults: tuple[str, ...] = ()
    usage: tuple[Usage, ...] = ()
    thinned: tuple[Usage, ...] = ()
    dreams: tuple[DreamRecord, ...] = ()
    drop_dreams: tuple[str, ...] = ()
    operations: tuple[OperationRecord, ...] = ()
    drop_operations: tuple[str, ...] = ()
    suggestions: tuple[Suggestion, ...] = ()
    decisions: tuple[Decision, ...] = ()
    egress: tuple[Egress, ...] = ()
    meta: Mapping[str, str] = field(default_factory=dict)
    purge: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return any(getattr(self, name) for name in self.__slots__)
