"""Taking a dream back: the exact inverse of what was applied, without touching what a person changed since.

Each field the dream changed returns to what it was, unless something else changed it again; later usage stays counted.
Lineage follows the rows: whatever the order of undoing, no survivor of a merge that was not rewritten since keeps in
``merged_from`` what stands by itself again.
The records are undone last first, each against what the ones before it left.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from datetime import datetime

from muninn.domain.effects import Effect, Reader, effect, repointed
from muninn.domain.evolution import Changes, Overlay
from muninn.domain.memory import Link, LinkKey, Memory
from muninn.domain.operations import Distinct, Merge, NearDuplicates, Operation, Reinforce, Suggest, from_json
from muninn.domain.records import Decision, OperationRecord, Suggestion


@dataclass(frozen=True, slots=True, kw_only=True)
class Inverse:
    """``changes`` to write; ids whose rows or links returned; ids (or links) left as they are, with the reason."""

    changes: Changes
    restored: tuple[str, ...]
    left_alone: tuple[tuple[str, str], ...]


def invert(
    records: Iterable[OperationRecord],
    state: Reader,
    *,
    now: datetime,
    suggestions: Mapping[str, Suggestion] | None = None,
    decisions: Iterable[Decision] = (),
) -> Inverse:
    """The inverse of the applied ``records`` of one dream. ``suggestions`` and ``decisions`` are the present ones."""
    applied = sorted((one for one in records if one.applied), key=lambda one: -one.seq)
    undone = [(record, from_json(record.operation)) for record in applied]
    present = _Present(state)
    for record, operation in undone:
        done = _done(record, operation, present)
        present.bring_back(_rows(record, done, present))
        present.bring_back(_links(record, done, present))
        if isinstance(operation, Merge):
            _release(operation, record, done, present)
    rulings = [moved for one in decisions if (moved := _followed(one, state, present)) is not None]
    rulings += (ruling for pair in undone if (ruling := _ruling(*pair, present, now)) is not None)
    rejected = _rejected((operation for _, operation in undone), suggestions or {}, now)
    changes = replace(
        present.changes(), decisions=tuple({one.key: one for one in rulings}.values()), suggestions=rejected
    )
    restored = tuple(sorted(present.restored - present.left.keys()))
    return Inverse(changes=changes, restored=restored, left_alone=tuple(sorted(present.left.items())))


class _Present(Overlay):
    """The present state with all that was taken back so far; ids that returned, and what was left alone with the reason."""

    def __init__(self, state: Reader) -> None:
        super().__init__(state)
        self.restored: set[str] = set()
        self.left: dict[str, str] = {}

    def bring_back(self, change: Effect) -> None:
        self.lay(change)
        self.restored.update(memory.id for memory in change.memories)
        self.restored.update(end for key in change.links for end in (key.source, key.target))


class _Recorded:
    """The state before one operation, as its record remembers it."""

    def __init__(self, record: OperationRecord, present: Reader) -> None:
        self._memories = {memory.id: memory for memory in record.before}
        self._links = dict(record.before_links)
        self._vectors = record.before_vectors
        self._present = present

    def get(self, memory_id: str) -> Memory | None:
        return self._memories.get(memory_id) or self._present.get(memory_id)

    def vector(self, memory_id: str) -> bytes | None:
        return self._vectors.get(memory_id)

    def link(self, key: LinkKey) -> Link | None:
        return self._links.get(key)

    def links_of(self, memory_id: str) -> tuple[Link, ...]:
        return tuple(
            link
            for link in self._links.values()
            if link is not None and not link.rejected and memory_id in (link.source, link.target)
        )


def _done(record: OperationRecord, operation: Operation, present: _Present) -> Effect:
    """What the operation left; where one of its memories was erased since, as far as the others are concerned."""
    recorded = _Recorded(record, present)
    needed = operation.ids if isinstance(operation, (Merge, NearDuplicates, Distinct)) else operation.ids[:1]
    erased = [key for key in needed if recorded.get(key) is None]
    if not erased:
        at = datetime.fromisoformat(str(record.operation["at"]))
        return effect(operation, recorded, now=at, dream_id=record.dream_id)
    present.left.update(dict.fromkeys(erased, "erased since"))
    if not isinstance(operation, Merge):
        return Effect()
    # what the erased one brought in is not known any more; use since then is not told from use before
    rest = [(old, now) for old in record.before if (now := present.get(old.id)) is not None]
    counted = (replace(now, access_count=old.access_count, last_accessed_at=old.last_accessed_at) for old, now in rest)
    return Effect(memories=tuple(counted), links=repointed(operation, recorded))


def _rows(record: OperationRecord, done: Effect, present: _Present) -> Effect:
    """The rows that return."""
    before = {memory.id: memory for memory in record.before}
    memories: list[Memory] = []
    vectors: dict[str, bytes] = {}
    for after in done.memories:
        current = present.get(after.id)
        if current is None:
            present.left[after.id] = "erased since"
        elif current.fingerprint != record.after.get(after.id):
            present.left[after.id] = "changed since"
        else:
            old = before[after.id]
            row = _returned(old, after, current)
            if old.content_hash != after.content_hash:  # the vector belongs to the text
                row = replace(row, embedding_model=old.embedding_model)
                if after.id in record.before_vectors:
                    vectors[after.id] = record.before_vectors[after.id]
            memories.append(row)
    return Effect(memories=tuple(memories), vectors=vectors)


_FIELDS = tuple(one.name for one in fields(Memory))


def _returned(before: Memory, after: Memory, present: Memory) -> Memory:
    """``present`` with every field the operation changed as it was, unless it was changed again since."""
    values: dict[str, object] = {}
    for name in _FIELDS:
        old, done, now = getattr(before, name), getattr(after, name), getattr(present, name)
        if old == done:
            continue
        if now == done:
            values[name] = old
        elif name == "access_count":
            values[name] = max(0, now - (done - old))
        elif name == "merged_from":
            values[name] = tuple(key for key in now if key in old or key not in done)
    return replace(present, **values)  # type: ignore[arg-type]


def _links(record: OperationRecord, done: Effect, present: _Present) -> Effect:
    """The links that return, or go again."""
    links: dict[LinkKey, Link | None] = {}
    for key, before in record.before_links:
        after, current = done.links.get(key), present.link(key)
        if before == after or current == before:
            continue
        if current != after:
            present.left[f"{key.source} -> {key.target}"] = f"the link {key.relation} changed since"
        elif before is not None and not (present.get(key.source) and present.get(key.target)):
            present.left[f"{key.source} -> {key.target}"] = f"an end of the link {key.relation} was erased"
        else:
            links[key] = before
    return Effect(links=links)


def _release(merge: Merge, record: OperationRecord, done: Effect, present: _Present) -> None:
    """What stands by itself again leaves the lineage of the survivor, and of whatever that was merged into since.

    A survivor that was rewritten since is left alone, lineage included; so is what was its lineage before the merge.
    """
    losers = [present.get(key) for key in merge.losers]
    released = {key for one in losers if one is not None and one.active for key in (one.id, *one.merged_from)}
    released.difference_update(*(one.merged_from for one in record.before if one.id == merge.into))
    heir = present.get(merge.into)
    left = next(((one.title, one.content) for one in done.memories if one.id == merge.into), None)
    if merge.into in present.left and heir is not None and (heir.title, heir.content) != left:
        return
    heirs: set[str] = set()
    while heir is not None and heir.id not in heirs:
        heirs.add(heir.id)
        kept = tuple(key for key in heir.merged_from if key not in released)
        if kept != heir.merged_from:
            present.lay(Effect(memories=(replace(heir, merged_from=kept),)))
        heir = present.get(heir.superseded_by) if heir.superseded_by else None


def _followed(decision: Decision, state: Reader, present: _Present) -> Decision | None:
    """A decision made on what is taken back here, as one on what returns; None when it was not, or the text differs."""
    marks = []
    for key, mark in zip(decision.ids, decision.fingerprints, strict=True):
        returned = present.memories.get(key)
        was = state.get(key) if returned else None
        same = was and returned and was.fingerprint == mark and was.content_hash == returned.content_hash
        marks.append(returned.fingerprint if same and returned else mark)
    return None if tuple(marks) == decision.fingerprints else replace(decision, fingerprints=tuple(marks))


def _ruling(record: OperationRecord, operation: Operation, present: _Present, now: datetime) -> Decision | None:
    """What is remembered of an undone operation: the same must not be tried again on the same memories."""
    if isinstance(operation, Reinforce):
        return None  # its usage is replayed: the watermark is taken back instead
    found = [memory for key in sorted(operation.ids) if (memory := present.get(key)) is not None]
    if len(found) < len(operation.ids) and (len(found) < 2 or not isinstance(operation, Merge)):
        return None  # what was erased is not named again
    return Decision(
        ids=tuple(memory.id for memory in found),
        op="merge" if isinstance(operation, (Merge, NearDuplicates, Distinct)) else record.op,
        verdict="distinct" if isinstance(operation, Merge) else "declined",
        fingerprints=tuple(memory.fingerprint for memory in found),
        at=now,
        vault=record.vault,
        dream_id=record.dream_id,
        reason=f"undone: {operation.why}",
        withdrawn=isinstance(operation, Distinct),
    )


def _rejected(
    operations: Iterable[Operation], suggestions: Mapping[str, Suggestion], now: datetime
) -> tuple[Suggestion, ...]:
    """What the dream suggested and nobody has decided yet, as rejected."""
    made = (suggestions.get(one.suggestion) for one in operations if isinstance(one, Suggest))
    pending = {one.id: one for one in made if one is not None and one.status == "pending"}
    return tuple(replace(one, status="rejected", decided_at=now) for one in pending.values())
