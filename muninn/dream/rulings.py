"""What was decided before, and whether it still holds: a decision lapses when one of its memories changes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from itertools import combinations

from muninn.domain.lineage import level_of
from muninn.domain.memory import Memory
from muninn.domain.records import Decision

_ASKED = ("distinct", "declined")
_QUEUED = ("pending", "conflict")
STABILITY_REST = timedelta(days=30)  # an undone change of stability is not tried again sooner without new use


class Rulings:
    """The decisions of one vault, found by pair or by operation."""

    def __init__(self, decisions: Iterable[Decision]) -> None:
        self._by_pair: dict[tuple[str, str], list[Decision]] = defaultdict(list)
        self._by_key: dict[str, Decision] = {}
        self._ops: set[str] = set()
        for decision in decisions:
            if decision.withdrawn:
                continue
            self._by_key[decision.key] = decision
            self._ops.add(decision.op)
            if decision.op == "merge":
                for pair in combinations(decision.ids, 2):
                    self._by_pair[pair].append(decision)

    def separate(self, one: Memory, other: Memory) -> bool:
        """Whether the two were judged distinct, or their merge undone, as they are now."""
        return self._holds_for_pair(one, other, _ASKED)

    def queued(self, one: Memory, other: Memory) -> bool:
        """Whether the two already await review as they are now."""
        return self._holds_for_pair(one, other, _QUEUED)

    def waiting(self, memories: Mapping[str, Memory]) -> list[Decision]:
        """The sets that await review and are still as they were when queued, by key."""
        return [
            decision
            for _, decision in sorted(self._by_key.items())
            if decision.op == "merge" and decision.verdict in _QUEUED and _holds(decision, memories)
        ]

    def declined(self, op: str, ids: Iterable[str], memories: Mapping[str, Memory]) -> Decision | None:
        """The decision that keeps ``op`` from being tried again on these memories as they are now."""
        if op not in self._ops:
            return None
        decision = self._by_key.get(f"{op}:{'+'.join(sorted(ids))}")
        if decision is None or decision.verdict not in _ASKED or not _holds(decision, memories):
            return None
        return decision

    def level(self, memory: Memory) -> int:
        """How many times over models have written the text that the memory has now."""
        return level_of(memory, self._by_key)

    def rests(self, memory: Memory, *, now: datetime) -> bool:
        """Whether an undone change of this memory's stability still keeps the next one off."""
        decision = self.declined("stabilise", (memory.id,), {memory.id: memory})
        if decision is None or now - decision.at >= STABILITY_REST:
            return False
        return memory.last_accessed_at is None or memory.last_accessed_at <= decision.at

    def _holds_for_pair(self, one: Memory, other: Memory, verdicts: tuple[str, ...]) -> bool:
        first, second = sorted((one, other), key=lambda memory: memory.id)
        for decision in self._by_pair.get((first.id, second.id), ()):
            if decision.verdict not in verdicts:
                continue
            marks = dict(zip(decision.ids, decision.fingerprints, strict=True))
            if marks[first.id] == first.fingerprint and marks[second.id] == second.fingerprint:
                return True
        return False


def _holds(decision: Decision, memories: Mapping[str, Memory]) -> bool:
    present = [memories.get(key) for key in decision.ids]
    return all(
        memory is not None and memory.fingerprint == mark
        for memory, mark in zip(present, decision.fingerprints, strict=True)
    )
