"""What a phase is given. It can read everything here and write nothing: a phase yields operations.

``Findings`` is the one thing a phase may add to: figures for the report, and how far it came (the vault's next mark).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING

from muninn.domain.marks import Keys, Mark
from muninn.domain.memory import Memory, Snapshot
from muninn.domain.operations import Operation
from muninn.domain.records import Usage
from muninn.domain.separation import Vocabulary
from muninn.domain.trust import Tier
from muninn.dream.rulings import Rulings
from muninn.ports import Calibration, ReadModel

if TYPE_CHECKING:  # the models' side is loaded by whoever has models
    from muninn.llm.adjudication import Adjudication
    from muninn.llm.prompts import Group


@dataclass(frozen=True, slots=True, kw_only=True)
class DreamLimits:
    """Bounds of one dream of one vault."""

    survival_share: float = 0.10
    survival_floor: int = 5
    cluster: int = 8  # memories in one merge or review set
    sets: int = 1000  # review sets queued at once
    asked: int = 60  # sets put before a model at once


@dataclass(slots=True)
class Findings:
    """Filled by phases; read by the planner."""

    mark: Mark
    figures: dict[str, object] = field(default_factory=dict)
    met: dict[str, int] = field(default_factory=dict)  # id to scan key of what has met all others, once dedup has run
    compared: dict[str, int] | None = None  # the same without what has to meet them again
    allowance: int | None = None  # memories that may be archived today, once somebody asked; spending does not move it
    unfinished: str | None = None  # what the deadline left undone
    active: tuple[Snapshot, tuple[Memory, ...]] | None = None  # of the snapshot last asked about
    narrative: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)
    paired: dict[str, str] = field(
        default_factory=dict
    )  # likenesses across vaults that a model judged: name, suggestion id
    put: set[str] = field(
        default_factory=set
    )  # ids of memories none of whose likenesses across vaults is left to ask about

    def move(self, **changes: object) -> None:
        self.mark = replace(self.mark, **changes)  # type: ignore[arg-type]


Ask = Callable[["Sequence[Group]", float, str], "Adjudication"]
"""Puts groups before a model: (groups, seconds, dream id). Never raises ProviderError."""

Embed = Callable[[Memory], tuple[str, bytes] | None]
"""The embedder's identity and the vector of a memory's text, or None when it cannot be had now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """One vault's dream, as one phase sees it.

    ``remaining`` is the time left in seconds. ``suggested`` holds the ids of suggestions ever made, and of those that
    another vault of this dream put before a model; ``paired`` the names of likenesses ever put before one, and ``put``
    the scan keys of memories that have no other.
    """

    snapshot: Snapshot
    now: datetime
    kind: str
    dream_id: str
    mark: Mark
    scanned: Keys
    usage: tuple[Usage, ...]
    rulings: Rulings
    limits: DreamLimits
    calibration: Callable[[str], Calibration]
    vocabulary: Vocabulary
    remaining: Callable[[], float]
    findings: Findings
    read: ReadModel
    ask: Ask | None = None
    embed: Embed | None = None
    suggested: frozenset[str] = frozenset()
    paired: frozenset[str] = frozenset()
    put: frozenset[int] = frozenset()
    so_far: tuple[Operation, ...] = ()

    @property
    def tier(self) -> Tier:
        return self.snapshot.vault.tier

    @property
    def vault(self) -> str:
        return self.snapshot.vault.name

    @property
    def active(self) -> tuple[Memory, ...]:
        """Active memories by id."""
        held = self.findings.active
        if held is None or held[0] is not self.snapshot:
            held = self.findings.active = (self.snapshot, self.snapshot.active())
        return held[1]

    @property
    def budget(self) -> int:
        """Memories that may still be archived today, merges of earlier phases counted."""
        spent = self.findings.mark.spent(self.now)
        if self.findings.allowance is None:
            share = int(self.limits.survival_share * (len(self.active) + spent))
            self.findings.allowance = max(self.limits.survival_floor, share)
        return self.findings.allowance - spent

    def spend(self, archived: int) -> None:
        """Charge archived memories to the day's survival budget."""
        if archived:
            spent = self.findings.mark.spent(self.now)
            since = self.findings.mark.archived_at if spent else self.now
            self.findings.move(archived=spent + archived, archived_at=since)

    @property
    def out_of_time(self) -> bool:
        return self.remaining() <= 0


def seen(snapshot: Snapshot, ids: Iterable[str]) -> Mapping[str, str]:
    """The fingerprints an operation on ``ids`` is decided on."""
    return {key: snapshot.memories[key].fingerprint for key in ids}
