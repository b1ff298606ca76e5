"""From the present state to a plan: which vaults, in which order, with what time; nothing here writes.

Small vaults come first, so that one that takes all the time there is never starves the rest.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from muninn.domain.gates import Verdict
from muninn.domain.marks import (
    LAST_AT,
    LAST_ID,
    LAST_WRITES,
    UNFINISHED,
    WRITES,
    mark_of,
    paired_of,
    put_of,
    scanned_of,
)
from muninn.domain.memory import Memory, Snapshot, Vault
from muninn.domain.operations import Operation, Oriented
from muninn.domain.records import Decision, Suggestion, Usage
from muninn.domain.trust import Tier
from muninn.dream.context import Ask, Context, DreamLimits, Embed, Findings
from muninn.dream.pipeline import PhaseReport, run
from muninn.dream.remembered import entries_of
from muninn.dream.rulings import Rulings
from muninn.dream.words import Words
from muninn.ports import Calibration, Clock, ReadModel


@dataclass(frozen=True, slots=True, kw_only=True)
class VaultPlan:
    """What the dream of one vault came to. ``moved``: its mark before and after; ``meta``: entries to commit with it."""

    vault: str
    key: str
    tier: Tier
    memories: int
    active: int
    operations: tuple[Operation, ...]
    reports: tuple[PhaseReport, ...]
    digest: str = ""
    moved: Mapping[str, object] = field(default_factory=dict)
    meta: Mapping[str, str] = field(default_factory=dict)
    unfinished: str | None = None
    narrative: tuple[tuple[str, tuple[str, ...]], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Everything one dream would do."""

    dream_id: str
    kind: str
    made_at: datetime
    verdict: Verdict
    vaults: tuple[VaultPlan, ...]
    meta: Mapping[str, str] = field(default_factory=dict)

    @property
    def operations(self) -> tuple[Operation, ...]:
        return tuple(one for vault in self.vaults for one in vault.operations)

    @property
    def whole(self) -> bool:
        """Whether it is of every vault, so that the gates close behind it."""
        return LAST_ID in self.meta

    @property
    def reports(self) -> tuple[PhaseReport, ...]:
        return tuple(report for vault in self.vaults for report in vault.reports)

    @property
    def unfinished(self) -> str | None:
        """What the deadline left undone, or None."""
        found = [f"{vault.vault}: {vault.unfinished}" for vault in self.vaults if vault.unfinished]
        return "; ".join(found) or None


@dataclass(frozen=True, slots=True, kw_only=True)
class Materials:
    """What planning reads from. ``usage`` yields the events after an id, in order of their ids."""

    read: ReadModel
    meta: Mapping[str, str]
    decisions: Iterable[Decision]
    suggestions: Iterable[Suggestion]
    usage: Callable[[str], Iterator[Usage]]
    calibration: Callable[[str], Calibration]
    limits: DreamLimits
    clock: Clock
    remaining: Callable[[], float]
    embed: Embed | None = None
    ask: Callable[[Tier], Ask | None] = lambda _: None
    progress: Callable[[Mapping[str, object]], None] | None = None
    keep: bool = False  # the plan may be kept for later, so the state it was made for is noted


@dataclass(frozen=True, slots=True)
class _Likened:
    """What was asked across vaults; both grow, so that what one vault had judged, the other does not ask again.

    Ids of suggestions, and names of likenesses, oldest first.
    """

    suggested: set[str]
    paired: dict[str, None]


def plan_vaults(materials: Materials, *, kind: str, dream_id: str, vaults: Sequence[Vault]) -> tuple[VaultPlan, ...]:
    """The plans of ``vaults``, in the order they were made."""
    read = materials.read
    words = Words(lambda: (memory.content for memory in read.memories() if memory.active and _open(memory)))
    decisions: dict[str, list[Decision]] = {}
    for decision in materials.decisions:
        decisions.setdefault(decision.vault, []).append(decision)
    smallest_first = sorted(vaults, key=lambda vault: (read.count(vault.name), vault.key))
    likened = _Likened({one.id for one in materials.suggestions}, dict.fromkeys(paired_of(materials.meta)))
    return tuple(
        _plan_vault(materials, vault, decisions.get(vault.name, []), words, likened, kind=kind, dream_id=dream_id)
        for vault in smallest_first
    )


def _open(memory: Memory) -> bool:
    return memory.tier is not Tier.LEGAL


def _plan_vault(
    materials: Materials,
    vault: Vault,
    decisions: Sequence[Decision],
    words: Words,
    likened: _Likened,
    *,
    kind: str,
    dream_id: str,
) -> VaultPlan:
    legal = vault.tier is Tier.LEGAL
    begun = _context(materials, vault, Rulings(decisions), words, likened, kind=kind, dream_id=dream_id)
    mark, snapshot, findings = begun.mark, begun.snapshot, begun.findings
    context, reports = run(begun, monotonic=materials.clock.monotonic, progress=None if legal else materials.progress)
    likened.suggested.update(findings.paired.values())
    likened.paired.update(dict.fromkeys(findings.paired))
    entries = {} if legal else entries_of(vault, context, paired=likened.paired, meta=materials.meta)
    return VaultPlan(
        vault=vault.name,
        key=vault.key,
        tier=vault.tier,
        memories=len(snapshot.memories),
        active=sum(memory.active for memory in snapshot.memories.values()),
        operations=tuple(one for one in context.so_far if not isinstance(one, Oriented)),
        reports=tuple(reports),
        digest=digest(snapshot) if materials.keep and not legal else "",
        moved={} if legal or findings.mark == mark else {"before": mark.to_json(), "after": findings.mark.to_json()},
        meta=entries,
        unfinished=findings.unfinished,
        narrative=tuple(findings.narrative),
    )


def _context(
    materials: Materials,
    vault: Vault,
    rulings: Rulings,
    words: Words,
    likened: _Likened,
    *,
    kind: str,
    dream_id: str,
) -> Context:
    """What the first phase is given."""
    mark = mark_of(materials.meta, vault.key)
    legal = vault.tier is Tier.LEGAL
    now = materials.clock.now()
    # before the snapshot, so that no event is passed over whose memory the snapshot does not have yet
    events = () if legal else tuple(materials.usage(min(mark.oldest_unread, mark.habit)))
    snapshot = without_legal(materials.read.snapshot(vault.name))
    return Context(
        snapshot=snapshot,
        now=now,
        kind=kind,
        dream_id=dream_id,
        mark=mark,
        scanned=scanned_of(materials.meta, vault.key),
        usage=tuple(one for one in events if any(key in snapshot.memories for key in one.memories)),
        rulings=rulings,
        limits=materials.limits,
        calibration=materials.calibration,
        vocabulary=words,
        remaining=materials.remaining,
        findings=Findings(mark=mark),
        ask=None if legal else materials.ask(vault.tier),
        embed=materials.embed,
        suggested=frozenset(likened.suggested),
        paired=frozenset(likened.paired),
        put=frozenset(put_of(materials.meta, vault.key).tolist()),
        read=materials.read,
    )


def without_legal(snapshot: Snapshot) -> Snapshot:
    """The snapshot without memories whose text was written under tier legal: they keep that tier in any vault.

    A legal vault stays whole, to be counted.
    """
    hidden = {key for key, memory in snapshot.memories.items() if memory.tier is Tier.LEGAL}
    if not hidden or snapshot.vault.tier is Tier.LEGAL:
        return snapshot
    return replace(
        snapshot,
        memories={key: memory for key, memory in snapshot.memories.items() if key not in hidden},
        links={key: link for key, link in snapshot.links.items() if not {key.source, key.target} & hidden},
    )


def gate_entries(meta: Mapping[str, str], *, dream_id: str, now: datetime, unfinished: bool) -> dict[str, str]:
    """The meta entries by which a full dream closes the gates behind it."""
    return {
        LAST_AT: now.isoformat(),
        LAST_ID: dream_id,
        LAST_WRITES: meta.get(WRITES, "0"),
        UNFINISHED: "1" if unfinished else "",
    }


def digest(snapshot: Snapshot) -> str:
    """Changes when anything a plan could be decided on changes: memories, their use, links. Order does not matter."""
    total = len(snapshot.memories) + (len(snapshot.links) << 32)
    for key, memory in snapshot.memories.items():
        total += _mark(f"{key}\x1f{memory.fingerprint}\x1f{memory.access_count}\x1f{memory.stability}")
    for name, link in snapshot.links.items():
        total += _mark(f"{'/'.join(name)}\x1f{link.weight}\x1f{link.rejected}")
    return f"{total % (1 << 128):032x}"


def _mark(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest(), "big")
