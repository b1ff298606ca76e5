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
    undoing = _Undoing(state, now, suggestions or {}, decisions)
    for record in sorted((one for one in records if one.applied), key=lambda one: -one.seq):
        undoing.take_back(record)
    return undoing.result()


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


class _Undoing:
    def __init__(
        self, state: Reader, now: datetime, suggestions: Mapping[str, Suggestion], decisions: Iterable[Decision]
    ) -> None:
        self._state = state
        self._decisions = decisions
        self._overlay = Overlay(state)
        self._now = now
        self._suggestions = suggestions
        self._rejected: dict[str, Suggestion] = {}
        self._undone: list[tuple[OperationRecord, Operation]] = []
        self._restored: dict[str, None] = {}
        self._left: dict[str, str] = {}

    def take_back(self, record: OperationRecord) -> None:
        operation = from_json(record.operation)
        done = self._done(record, operation)
        memories, vectors = self._rows(record, done)
        links = self._links(record, done)
        self._overlay.lay(Effect(memories=tuple(memories), vectors=vectors, links=links))
        if isinstance(operation, Merge):
            self._release(operation, done)
        self._restored.update((memory.id, None) for memory in memories)
        self._undone.append((record, operation))
        if isinstance(operation, Suggest):
            present = self._suggestions.get(operation.suggestion)
            if present is not None and present.status == "pending":
                self._rejected[present.id] = replace(present, status="rejected", decided_at=self._now)

    def _done(self, record: OperationRecord, operation: Operation) -> Effect:
        """What the operation left; where one of its memories was erased since, as far as the others are concerned."""
        recorded = _Recorded(record, self._overlay)
        needed = operation.ids if isinstance(operation, (Merge, NearDuplicates, Distinct)) else operation.ids[:1]
        erased = [key for key in needed if recorded.get(key) is None]
        if not erased:
            at = datetime.fromisoformat(str(record.operation["at"]))
            return effect(operation, recorded, now=at, dream_id=record.dream_id)
        self._left.update(dict.fromkeys(erased, "erased since"))
        if not isinstance(operation, Merge):
            return Effect()
        # what the erased one brought in is not known any more; use since then is not told from use before
        rest = [(old, now) for old in record.before if (now := self._overlay.get(old.id)) is not None]
        counted = (
            replace(now, access_count=old.access_count, last_accessed_at=old.last_accessed_at) for old, now in rest
        )
        return Effect(memories=tuple(counted), links=repointed(operation, recorded))

    def _rows(self, record: OperationRecord, done: Effect) -> tuple[list[Memory], dict[str, bytes]]:
        before = {memory.id: memory for memory in record.before}
        memories: list[Memory] = []
        vectors: dict[str, bytes] = {}
        for after in done.memories:
            present = self._overlay.get(after.id)
            if present is None:
                self._left[after.id] = "erased since"
            elif present.fingerprint != record.after.get(after.id):
                self._left[after.id] = "changed since"
            else:
                old = before[after.id]
                row = _returned(old, after, present)
                if old.content_hash != after.content_hash:  # the vector belongs to the text
                    row = replace(row, embedding_model=old.embedding_model)
                    if after.id in record.before_vectors:
                        vectors[after.id] = record.before_vectors[after.id]
                memories.append(row)
        return memories, vectors

    def _release(self, merge: Merge, done: Effect) -> None:
        """What stands by itself again leaves the lineage of the survivor, and of whatever that was merged into since.

        A survivor that was rewritten since is left alone, lineage included.
        """
        losers = [self._overlay.get(key) for key in merge.losers]
        released = {key for one in losers if one is not None and one.active for key in (one.id, *one.merged_from)}
        heir = self._overlay.get(merge.into)
        left = next(((one.title, one.content) for one in done.memories if one.id == merge.into), None)
        if merge.into in self._left and heir is not None and (heir.title, heir.content) != left:
            return
        heirs: set[str] = set()
        while heir is not None and heir.id not in heirs:
            heirs.add(heir.id)
            kept = tuple(key for key in heir.merged_from if key not in released)
            if kept != heir.merged_from:
                self._overlay.lay(Effect(memories=(replace(heir, merged_from=kept),)))
            heir = self._overlay.get(heir.superseded_by) if heir.superseded_by else None

    def _links(self, record: OperationRecord, done: Effect) -> dict[LinkKey, Link | None]:
        links: dict[LinkKey, Link | None] = {}
        for key, before in record.before_links:
            after = done.links.get(key)
            present = self._overlay.link(key)
            if before == after or present == before:
                continue
            if present != after:
                self._left[f"{key.source} -> {key.target}"] = f"the link {key.relation} changed since"
            elif before is not None and not (self._overlay.get(key.source) and self._overlay.get(key.target)):
                self._left[f"{key.source} -> {key.target}"] = f"an end of the link {key.relation} was erased"
            else:
                links[key] = before
                self._restored.update((end, None) for end in (key.source, key.target))
        return links

    def result(self) -> Inverse:
        overlay = self._overlay
        decisions = {one.key: one for one in map(self._followed, self._decisions) if one is not None}
        decisions |= {one.key: one for record, operation in self._undone for one in self._ruling(record, operation)}
        changes = Changes(
            memories=tuple(overlay.memories[key] for key in sorted(overlay.memories)),
            vectors=dict(overlay.vectors),
            links=tuple(link for _, link in sorted(overlay.links.items()) if link is not None),
            unlink=tuple(
                key for key, link in sorted(overlay.links.items()) if link is None and self._state.link(key) is not None
            ),
            decisions=tuple(decisions.values()),
            suggestions=tuple(self._rejected.values()),
        )
        restored = tuple(key for key in sorted(self._restored) if key not in self._left)
        return Inverse(changes=changes, restored=restored, left_alone=tuple(sorted(self._left.items())))

    def _followed(self, decision: Decision) -> Decision | None:
        """A decision made on what is taken back here, as one on what returns; None when it was not, or the text differs."""
        marks = []
        for key, mark in zip(decision.ids, decision.fingerprints, strict=True):
            returned = self._overlay.memories.get(key)
            was = self._state.get(key) if returned else None
            same = was and returned and was.fingerprint == mark and was.content_hash == returned.content_hash
            marks.append(returned.fingerprint if same and returned else mark)
        return None if tuple(marks) == decision.fingerprints else replace(decision, fingerprints=tuple(marks))

    def _ruling(self, record: OperationRecord, operation: Operation) -> Iterable[Decision]:
        """What is remembered of an undone operation: the same must not be tried again on the same memories."""
        if isinstance(operation, Reinforce):
            return  # its usage is replayed: the watermark is taken back instead
        found = [memory for key in sorted(operation.ids) if (memory := self._overlay.get(key)) is not None]
        if len(found) < len(operation.ids) and (len(found) < 2 or not isinstance(operation, Merge)):
            return  # what was erased is not named again
        ids = tuple(memory.id for memory in found)
        marks = tuple(memory.fingerprint for memory in found)
        same_question = isinstance(operation, (Merge, NearDuplicates, Distinct))
        yield Decision(
            ids=ids,
            op="merge" if same_question else record.op,
            verdict="distinct" if isinstance(operation, Merge) else "declined",
            fingerprints=marks,
            at=self._now,
            vault=record.vault,
            dream_id=record.dream_id,
            reason=f"undone: {operation.why}",
            withdrawn=isinstance(operation, Distinct),
        )


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
