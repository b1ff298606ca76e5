"""What a dream may write: a whole plan in one transaction, its inverse, and what a person decides about suggestions.

The transaction is the commit point: after it the dream has happened, before it nothing has. Automatic links follow from
the rows, so they are settled with it and come back with the rows when the dream is undone.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from muninn.domain.evolution import Changes, apply
from muninn.domain.inversion import invert
from muninn.domain.marks import mark_of
from muninn.domain.memory import Link, Origin, Provenance, vault_key
from muninn.domain.operations import Operation
from muninn.domain.records import DREAM, Decision, DreamRecord, OperationRecord, Suggestion, Transaction, Usage
from muninn.domain.thinning import Horizon, horizon, thinned
from muninn.errors import ConflictError, NotFoundError
from muninn.failpoints import failpoint
from muninn.ports import ReadModel
from muninn.service.links import Links
from muninn.service.writer import dated

_TOLD = ("moved", "narrative", "rules", "damaged")  # of a report, what the journal keeps
_THINNED_AT_ONCE = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoResult:
    """Ids whose rows or links returned, and what was left alone with the reason."""

    restored: tuple[str, ...]
    left_alone: tuple[tuple[str, str], ...]


class Dreams(Links):
    def apply_dream(
        self, record: DreamRecord, operations: Sequence[Operation], meta: Mapping[str, str]
    ) -> tuple[OperationRecord, ...]:
        """Make ``operations`` happen and record the dream, durable on return. Operations on rows that changed are skipped."""
        with self._lock:
            now = self._clock.now()
            changes = apply(self.read, operations, now=now, dream_id=record.id)
            position = self._commit_changes(
                changes, Transaction(dreams=(record,), operations=changes.records, meta=meta)
            )
        self.store.wait(position)
        return changes.records

    def _commit_changes(self, changes: Changes, rest: Transaction) -> int:
        now = self._clock.now()
        changed = {memory.id: memory for memory in changes.memories}
        settled = self._linker.links_for(changes.memories, existing=_Existing(self.read, changes), now=now)
        return self._commit(
            replace(
                rest,
                memories=changes.memories,
                vectors=changes.vectors,
                links=(*changes.links, *dated(settled.add, lambda key: changed.get(key) or self.read.get(key))),
                unlink=(*changes.unlink, *settled.withdraw),
                decisions=changes.decisions,
                suggestions=(*rest.suggestions, *changes.suggestions),
            )
        )

    def record_dream(self, record: DreamRecord, meta: Mapping[str, str] | None = None) -> None:
        """Write down how a dream ended."""
        with self._lock:
            position = self._commit(Transaction(dreams=(record,), meta=meta or {}))
        self.store.wait(position)

    def keep_marks(self, meta: Mapping[str, str]) -> None:
        """Write down how far dreaming came where no dream is recorded."""
        with self._lock:
            position = self._commit(Transaction(meta=meta))
        self.store.wait(position)

    def undo_dream(
        self, dream_id: str, only: Collection[int] | None = None, *, meta: Mapping[str, str] | None = None
    ) -> UndoResult:
        """Take a dream back, or ``only`` some of its operations (by number). Raises NotFoundError, ConflictError."""
        with self._lock:
            record = self.dream(dream_id)
            if record.undone_at is not None:
                raise ConflictError(
                    f"dream {dream_id} was undone on {record.undone_at:%Y-%m-%d %H:%M}", hint="muninn dreams"
                )
            if record.closed:
                raise ConflictError(
                    f"dream {dream_id} is too old to be undone", hint="dream.undo_days says how long that is possible"
                )
            if record.damaged:
                raise ConflictError(
                    f"the record of dream {dream_id} cannot be read, so it cannot be undone",
                    hint="muninn backup restore brings it back; muninn dreams lists the others",
                )
            now = self._clock.now()
            records = [r for r in self.store.operations(dream_id) if only is None or r.seq in only]
            inverse = invert(
                records,
                self.read,
                now=now,
                suggestions={s.id: s for s in self.store.suggestions()},
                decisions=self.store.decisions(),
            )
            undone = replace(record, undone_at=now) if only is None else record
            taken_back = tuple(
                replace(r, applied=False, skipped_because="taken back")
                for r in records
                if only is not None and r.applied
            )
            position = self._commit_changes(
                inverse.changes, Transaction(dreams=(undone,), operations=taken_back, meta=meta or {})
            )
        self.store.wait(position)
        return UndoResult(restored=inverse.restored, left_alone=inverse.left_alone)

    def close_undo(
        self,
        last: str,
        told: Callable[[Collection[str]], Collection[str]] = lambda _: (),
        *,
        interrupted: Callable[[], bool] = lambda: False,
    ) -> int:
        """Let go of the before-images of dreams up to the id ``last``; they can no longer be undone. Returns how many.

        ``told``: which of these dreams stand with every operation in the journal. Of them only the record stays, and of
        a consolidation by day not even that. What is left when ``interrupted`` is done the next time.
        """
        old = [one for one in self.store.dreams() if one.id <= last and not one.abridged]
        journalled = frozenset(told([one.id for one in old]))
        closed = [one for one in old if one.id in journalled or not one.closed]
        for done, record in enumerate(closed):
            if interrupted():
                return done
            operations = tuple(self.store.operations(record.id, lambda _: None))  # what cannot be read undoes nothing
            sealed = replace(record, report={**record.report, "undo": "closed"})
            if record.id not in journalled:
                stripped = tuple(replace(r, before=(), before_vectors={}, before_links=()) for r in operations)
                change = Transaction(dreams=(sealed,), operations=stripped)
            else:
                kept = replace(sealed, report=_summary(sealed.report))
                stays = record.kind == DREAM
                change = Transaction(
                    dreams=(kept,) if stays else (),
                    drop_dreams=() if stays else (record.id,),
                    drop_operations=tuple(r.key for r in operations),
                )
            failpoint("undo.closing")
            with self._lock:
                position = self._commit(change)
            self.store.wait(position)
        return len(closed)

    def thin_usage(self, *, questions: int, interrupted: Callable[[], bool] = lambda: False) -> int:
        """Let go of what nothing reads any more of the usage events; the newest ``questions`` keep their question.

        Returns how many events changed. No strength, no dream and no undo changes.
        """
        horizons = self._horizons()

        def horizon_of(memory_id: str) -> Horizon | None:
            memory = self.read.get(memory_id)
            return None if memory is None else horizons.get(vault_key(memory.vault), Horizon("", ""))

        changed = list(thinned(list(self.store.usage()), horizon_of=horizon_of, questions=questions))
        for start in range(0, len(changed), _THINNED_AT_ONCE):
            if interrupted():
                return start
            failpoint("usage.thinning")
            with self._lock:  # what was purged meanwhile is not written again
                some = [
                    replace(event, memories=tuple(key for key in event.memories if self.read.get(key) is not None))
                    for event in changed[start : start + _THINNED_AT_ONCE]
                ]
                position = self._commit(Transaction(thinned=tuple(some)))
            self.store.wait(position)
        return len(changed)

    def _horizons(self) -> dict[str, Horizon]:
        """By vault key, how far back dreams and undo may still look into usage."""
        before: dict[str, list[Any]] = {}
        for record in self.store.dreams():
            if record.undone_at is None and not record.closed:
                moved: Any = record.report.get("moved") or {}
                for key, move in moved.items():
                    before.setdefault(key, []).append(move["before"])
        meta = self.meta()
        return {key: horizon(mark_of(meta, key), before.get(key, ())) for key in self._vaults}

    def dream(self, dream_id: str) -> DreamRecord:
        """The dream of this id."""
        for record in self.store.dreams():
            if record.id == dream_id:
                return record
        raise NotFoundError(f"there is no dream {dream_id[:80]!r}", hint="muninn dreams lists them")

    def dreams(self) -> tuple[DreamRecord, ...]:
        """Every dream, newest first."""
        return tuple(sorted(self.store.dreams(), key=lambda d: d.id, reverse=True))

    def usage_since(self, event_id: str) -> Iterator[Usage]:
        return self.store.usage(event_id)

    def decisions(self) -> Mapping[str, Decision]:
        return {decision.key: decision for decision in self.store.decisions()}

    def suggestions(self) -> tuple[Suggestion, ...]:
        return tuple(sorted(self.store.suggestions(), key=lambda s: (s.created_at, s.id)))

    def decide(self, suggestion_id: str, *, accept: bool, by: Provenance) -> tuple[Suggestion, Link | None]:
        """Accept a suggestion, which makes its link across vaults, or reject it. Deciding twice the same is fine."""
        with self._lock:
            found = [s for s in self.store.suggestions() if s.id == suggestion_id]
            if not found:
                raise NotFoundError(f"there is no suggestion {suggestion_id[:80]!r}", hint="muninn suggestions list")
            wanted = "accepted" if accept else "rejected"
            if found[0].status not in ("pending", wanted):
                raise ConflictError(
                    f"suggestion {suggestion_id} was {found[0].status} already", hint="muninn suggestions list"
                )
            decided = replace(found[0], status=wanted, decided_at=found[0].decided_at or self._clock.now())
            link = None
            if accept:
                ends = self.require(decided.source), self.require(decided.target)
                link = self._link(*ends, decided.relation, 0.8, origin=Origin.MANUAL, crossing=True, by=by)
            position = self._commit(Transaction(suggestions=(decided,)))
        self.store.wait(position)
        return decided, link


def _summary(report: Mapping[str, object]) -> dict[str, object]:
    """What stays of a dream's report once it can only be read about."""
    return {**{key: value for key, value in report.items() if key not in _TOLD}, "kept_by": "journal"}


class _Existing:
    """All links of a memory as they will be once ``changes`` are in."""

    def __init__(self, read: ReadModel, changes: Changes) -> None:
        self._read = read
        self._replaced = {*changes.unlink, *(link.key for link in changes.links)}
        self._new: dict[str, list[Link]] = {}
        for link in changes.links:
            for end in {link.source, link.target}:
                self._new.setdefault(end, []).append(link)

    def __call__(self, memory_id: str) -> tuple[Link, ...]:
        kept = [link for link in self._read.all_links_of(memory_id) if link.key not in self._replaced]
        return (*kept, *self._new.get(memory_id, ()))
