"""Whether recall still answers: the same questions before and after, real ones first, then the touched memories' own.

An answer is right when the memory that was right before, its survivor or its successor is among the first few. Nothing
asked here counts as use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from muninn.domain.birth import head_of
from muninn.domain.memory import Memory
from muninn.domain.operations import Merge, Operation, Promote, Supersede
from muninn.domain.records import OperationRecord, Usage
from muninn.domain.trust import Tier
from muninn.ports import Query, ReadModel

WINDOW = 5  # an answer further down is not found
REAL = 0.6  # share of the questions that real recalls may fill


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, in which vault, and the memory that answered before."""

    text: str
    vault: str
    answer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """``right``: the questions whose answer was found, in the state before."""

    asked: int
    right: tuple[Question, ...]


def questions(
    read: ReadModel, usage: Iterable[Usage], operations: Sequence[Operation], *, limit: int
) -> tuple[tuple[str, str, str | None], ...]:
    """(text, vault, own memory or None): recent real queries of the touched vaults, then self-questions."""
    open_vaults = {vault.name for vault in read.vaults() if vault.tier is not Tier.LEGAL}
    touched = {one.vault for one in operations} & open_vaults
    asked: dict[tuple[str, str], str | None] = {}
    for event in sorted(usage, key=lambda one: one.id, reverse=True):
        if len(asked) >= int(limit * REAL):
            break
        if event.kind == "recall" and event.query:
            homes = {memory.vault for key in event.memories[:1] if (memory := read.get(key)) is not None}
            for vault in sorted(homes & touched):
                asked.setdefault((event.query, vault), None)
    for operation in operations:
        if len(asked) >= limit:
            break
        if isinstance(operation, (Merge, Supersede, Promote)):
            for key in operation.ids:
                memory = read.get(key)
                if memory is not None and memory.vault in touched:
                    asked.setdefault((self_question(memory), memory.vault), key)
    return tuple((text, vault, own) for (text, vault), own in list(asked.items())[:limit])


def self_question(memory: Memory) -> str:
    """The question a memory answers best: its title, or the beginning of what it says."""
    words = (memory.content if memory.title_derived else memory.title).split()
    return " ".join(words[:16])


def ask_before(
    read: ReadModel, asked: Sequence[tuple[str, str, str | None]], *, now: datetime, remaining: Callable[[], float]
) -> Probe:
    """Which questions are answered now. A self-question is right when its memory is found, a real one by its first hit."""
    right: list[Question] = []
    count = 0
    for text, vault, own in asked:
        if remaining() <= 0:
            break
        count += 1
        found = _found(read, text, vault, now)
        answer = own if own in found else None if own is not None else next(iter(found), None)
        if answer is not None:
            right.append(Question(text, vault, answer))
    return Probe(asked=count, right=tuple(right))


def lost(read: ReadModel, probe: Probe, *, now: datetime) -> tuple[Question, ...]:
    """The questions that were answered before and are not any more."""
    return tuple(
        question
        for question in probe.right
        if head(read, question.answer) not in _found(read, question.text, question.vault, now)
    )


def culprits(
    read: ReadModel, missing: Sequence[Question], records: Sequence[OperationRecord], *, now: datetime, widely: bool
) -> set[int]:
    """Numbers of the operations to take back: those on a lost answer, or on what is found instead of it; ``widely``, all
    that change what recall finds in those vaults. What was built on them goes with them.
    """
    found: set[int] = set()
    for question in missing:
        applied = [one for one in records if one.applied and one.op in _RESHAPING and one.vault == question.vault]
        suspects = {question.answer, head(read, question.answer)}
        direct = {one.seq for one in applied if suspects & set(ids_of(one))}
        if not direct and not widely:
            instead = set(_found(read, question.text, question.vault, now))
            direct = {one.seq for one in applied if instead & set(ids_of(one))}
        found |= {one.seq for one in applied} if widely else direct
    return _with_dependants(found, records)


def _with_dependants(numbers: set[int], records: Sequence[OperationRecord]) -> set[int]:
    """``numbers`` and every later applied operation on the same memories: it was decided on what they left."""
    whole, touched = set(numbers), set()
    for record in sorted(records, key=lambda one: one.seq):
        ids = set(ids_of(record))
        if record.seq in whole:
            touched |= ids
        elif record.applied and record.op in _DEPENDING and ids & touched:
            whole.add(record.seq)
            touched |= ids
    return whole


_RESHAPING = frozenset({"merge", "supersede", "promote", "link"})  # use and stability only weigh within a narrow band
_DEPENDING = _RESHAPING | {"stabilise"}  # a stability decided on a text that goes would outlive the undo of the dream


def ids_of(record: OperationRecord) -> tuple[str, ...]:
    """The memories an operation is about."""
    ids = record.operation.get("ids", ())
    return tuple(str(key) for key in ids) if isinstance(ids, (list, tuple)) else ()


def _found(read: ReadModel, text: str, vault: str, now: datetime) -> tuple[str, ...]:
    answer = read.recall(Query(text=text, vaults=(vault,), limit=WINDOW, reinforce=False), now=now)
    return tuple(hit.memory.id for hit in answer.hits)


def head(read: ReadModel, memory_id: str) -> str:
    """The memory that stands for ``memory_id`` now: itself, its survivor, or its successor."""
    memory = read.get(memory_id)
    return memory_id if memory is None else head_of(memory, read.get).id
