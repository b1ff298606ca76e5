"""What operations leave behind: ``evolve`` in memory for later phases, ``apply`` as rows for the writer. One code for both.

An operation is first asked whether it still may (``objection``), then what it changes (``effect``). Both read through a
``Reader``; neither writes. Twice is once: an operation that has been applied objects to being applied again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

import numpy as np

from muninn.domain.effects import Effect, Reader, effect
from muninn.domain.memory import Link, LinkKey, Memory, Snapshot, Vectors
from muninn.domain.operations import Connect, Operation, Oriented, Promote, Reinforce, Stabilise, name_of, to_json
from muninn.domain.records import Decision, OperationRecord, Suggestion
from muninn.domain.trust import Tier


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """Full rows to write, keys to take away, and the records that go with them; one transaction."""

    memories: tuple[Memory, ...] = ()
    vectors: Mapping[str, bytes] = field(default_factory=dict)
    links: tuple[Link, ...] = ()
    unlink: tuple[LinkKey, ...] = ()
    decisions: tuple[Decision, ...] = ()
    suggestions: tuple[Suggestion, ...] = ()
    records: tuple[OperationRecord, ...] = ()


class Overlay:
    """A reader with changes laid over it; later reads see them."""

    def __init__(self, base: Reader) -> None:
        self._base = base
        self.memories: dict[str, Memory] = {}
        self.vectors: dict[str, bytes] = {}
        self.links: dict[LinkKey, Link | None] = {}
        self._touched: dict[str, set[LinkKey]] = defaultdict(set)

    def get(self, memory_id: str) -> Memory | None:
        return self.memories.get(memory_id) or self._base.get(memory_id)

    def vector(self, memory_id: str) -> bytes | None:
        return self.vectors.get(memory_id) or self._base.vector(memory_id)

    def link(self, key: LinkKey) -> Link | None:
        return self.links[key] if key in self.links else self._base.link(key)

    def links_of(self, memory_id: str) -> tuple[Link, ...]:
        kept = [link for link in self._base.links_of(memory_id) if link.key not in self.links]
        laid = (self.links[key] for key in sorted(self._touched.get(memory_id, ())))
        return (*kept, *(link for link in laid if link is not None and not link.rejected))

    def lay(self, change: Effect) -> None:
        """Make ``change`` visible to later reads."""
        for memory in change.memories:
            self.memories[memory.id] = memory
        self.vectors.update(change.vectors)
        for key, link in change.links.items():
            self.links[key] = link
            self._touched[key.source].add(key)
            self._touched[key.target].add(key)

    def changes(self) -> Changes:
        """The rows and links to be written, so that the base is what is read here."""
        laid = sorted(self.links.items())
        return Changes(
            memories=tuple(self.memories[key] for key in sorted(self.memories)),
            vectors=dict(self.vectors),
            links=tuple(link for _, link in laid if link is not None),
            unlink=tuple(key for key, link in laid if link is None and self._base.link(key) is not None),
        )


class SnapshotReader:
    """A snapshot as a Reader; the index of links is made when first needed."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._by_end: dict[str, list[Link]] | None = None
        self._rows: dict[str, tuple[Vectors, int]] | None = None

    def get(self, memory_id: str) -> Memory | None:
        return self._snapshot.memories.get(memory_id)

    def link(self, key: LinkKey) -> Link | None:
        return self._snapshot.links.get(key)

    def vector(self, memory_id: str) -> bytes | None:
        if self._rows is None:
            self._rows = {key: (block, row) for block in self._snapshot.vectors for row, key in enumerate(block.ids)}
        place = self._rows.get(memory_id)
        return None if place is None else place[0].matrix[place[1]].astype("<f4").tobytes()

    def links_of(self, memory_id: str) -> tuple[Link, ...]:
        if self._by_end is None:
            self._by_end = defaultdict(list)
            for link in self._snapshot.links.values():
                if not link.rejected:
                    self._by_end[link.source].append(link)
                    if link.target != link.source:
                        self._by_end[link.target].append(link)
        return tuple(self._by_end.get(memory_id, ()))


def objection(operation: Operation, state: Reader) -> str | None:
    """Why ``operation`` must not be applied to ``state``, or None."""
    for memory_id in operation.ids if not isinstance(operation, Oriented) else ():
        memory = state.get(memory_id)
        if memory is None:
            return f"{memory_id} is gone"
        if memory.tier is Tier.LEGAL:
            return f"{memory_id} is of tier legal by now"
        if isinstance(operation, Reinforce):
            continue  # usage is no part of the fingerprint, and an edited memory was used all the same
        expected = operation.seen.get(memory_id)
        if expected is not None and memory.fingerprint != expected:
            return f"{memory_id} changed since it was read"
    return _stale_value(operation, state)


def _stale_value(operation: Operation, state: Reader) -> str | None:
    """Why the number an operation would change is no longer what it was decided on."""
    if isinstance(operation, (Reinforce, Stabilise, Promote)):
        memory = state.get(operation.ids[0])
        if memory is None:
            return f"{operation.ids[0]} is gone"
        if isinstance(operation, Stabilise):
            return None if memory.stability == operation.before else f"{memory.id} has another stability by now"
        if isinstance(operation, Promote):
            return (
                None if memory.relevance == operation.relevance_before else f"{memory.id} has another relevance by now"
            )
        if memory.access_count != operation.before:
            return f"{memory.id} was counted meanwhile"
    if isinstance(operation, Connect):
        link = state.link(operation.key)
        if link is not None and link.rejected:
            return "the link was rejected by a person"
        if (link.weight if link else None) != operation.before:
            return "the link changed since it was read"
    return None


def evolve(snapshot: Snapshot, operations: Iterable[Operation], *, now: datetime) -> Snapshot:
    """The snapshot as it would be after ``operations``; the given one is left as it is."""
    overlay = Overlay(SnapshotReader(snapshot))
    for operation in operations:
        if objection(operation, overlay) is None:
            overlay.lay(effect(operation, overlay, now=now, dream_id=""))
    if not overlay.memories and not overlay.links:
        return snapshot
    links = dict(snapshot.links)
    for key, link in overlay.links.items():
        if link is None:
            links.pop(key, None)
        else:
            links[key] = link
    return replace(
        snapshot,
        memories={**snapshot.memories, **overlay.memories},
        links=links,
        vectors=_revectored(snapshot.vectors, overlay),
    )


def _revectored(blocks: tuple[Vectors, ...], overlay: Overlay) -> tuple[Vectors, ...]:
    """The blocks with changed vectors at their end; memories that wait for a new embedding drop out."""
    stale = {
        key for key, memory in overlay.memories.items() if key in overlay.vectors or memory.embedding_model is None
    }
    if not stale:
        return blocks
    renewed = []
    for block in blocks:
        keep = [row for row, key in enumerate(block.ids) if key not in stale]
        fresh = sorted(key for key in overlay.vectors if overlay.memories[key].embedding_model == block.model)
        if len(keep) == len(block.ids) and not fresh:
            renewed.append(block)
            continue
        new = [np.frombuffer(overlay.vectors[key], dtype="<f4") for key in fresh]
        matrix = np.vstack([block.matrix[keep], *(row[None, :] for row in new)]).astype(np.float32, copy=False)
        renewed.append(Vectors(block.model, (*(block.ids[row] for row in keep), *fresh), matrix))
    return tuple(renewed)


def apply(state: Reader, operations: Sequence[Operation], *, now: datetime, dream_id: str) -> Changes:
    """What the writer must write so that ``operations`` have happened, numbered from 0.

    Each record's before-image is the state before that operation, so that they can be taken back in reverse.
    """
    overlay = Overlay(state)
    decisions: dict[str, Decision] = {}
    suggestions: dict[str, Suggestion] = {}
    records: list[OperationRecord] = []
    for operation in operations:
        if isinstance(operation, Oriented):
            continue
        skipped = objection(operation, overlay)
        change = Effect() if skipped else effect(operation, overlay, now=now, dream_id=dream_id)
        records.append(_recorded(operation, change, overlay, now, dream_id, len(records), skipped))
        overlay.lay(change)
        decisions.update((decision.key, decision) for decision in change.decisions)
        suggestions.update((one.id, one) for one in change.suggestions)
    return replace(
        overlay.changes(),
        decisions=tuple(decisions.values()),
        suggestions=tuple(suggestions.values()),
        records=tuple(records),
    )


def _recorded(
    operation: Operation, change: Effect, before: Reader, now: datetime, dream_id: str, seq: int, skipped: str | None
) -> OperationRecord:
    olds = tuple(old for old in (before.get(memory.id) for memory in change.memories) if old is not None)
    contents = {old.id: old.content_hash for old in olds}
    rewritten = [memory.id for memory in change.memories if contents.get(memory.id) != memory.content_hash]
    vectors = {key: vector for key in rewritten if (vector := before.vector(key)) is not None}
    return OperationRecord(
        dream_id=dream_id,
        seq=seq,
        vault=operation.vault,
        op=name_of(operation),
        operation={**to_json(operation), "at": now.isoformat()},
        applied=skipped is None,
        skipped_because=skipped,
        before=olds,
        before_vectors=vectors,
        before_links=tuple((key, before.link(key)) for key in sorted(change.links)),
        after={memory.id: memory.fingerprint for memory in change.memories},
    )
