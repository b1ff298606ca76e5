"""Phase 2: what says the same becomes one; what might is queued. New and changed memories are compared with all others.

Pairs are found by blocked matrix products, judged by the separation guard, and clustered only then, so that one refused
pair never blocks the rest. What the deadline leaves uncompared is compared by the next dream.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from muninn.domain.evolution import evolve
from muninn.domain.marks import scan_key
from muninn.domain.memory import Kind, Matrix, Memory, Snapshot, Vectors
from muninn.domain.operations import Merge, NearDuplicates, Operation
from muninn.domain.records import CONSOLIDATION
from muninn.domain.separation import (
    Features,
    Separation,
    Text,
    compare,
    coverage,
    features,
    merge_verdict,
    mergeable,
    occasions,
)
from muninn.domain.separation.verdict import EQUAL, MERGE_COSINE, NEAR_COSINE
from muninn.domain.similarity import Pair, candidate_pairs, complete_link, raw_threshold
from muninn.dream.context import Context, seen
from muninn.dream.phases.vectors import active_rows
from muninn.dream.survivor import survivor_first

LOWEST = 0.60  # calibrated similarity below which two memories are not about the same subject
LIKELY = NEAR_COSINE
SHARED = 0.6  # lexical coverage at which two less similar texts with other values still speak of the same subject
POLAR = 0.75  # the same, where one text denies what the other says
LARGEST_MERGE = 64  # every pair in it is proven the same, so size is no danger
SAME = MERGE_COSINE  # consolidation, which runs by day, merges nothing below

# Slots that hold a value of a subject: two memories that differ only there may contradict each other. A differing name
# or word is rather another subject.
_VALUES = frozenset(
    {"number", "date", "weekday", "time", "unit", "currency", "version", "port", "path", "url", "negation", "antonym"}
)

Ids = tuple[str, str]


@dataclass(slots=True)
class _Judged:
    """What became of the pairs, by similarity."""

    merge: dict[Ids, tuple[float, str]] = field(default_factory=dict)
    review: dict[Ids, tuple[float, str]] = field(default_factory=dict)
    conflict: dict[Ids, tuple[float, str]] = field(default_factory=dict)
    pairs: int = 0
    kept_apart: int = 0  # as alike as what is merged, but not merged


def dedup(context: Context) -> Iterator[Operation]:
    """Merges within the survival budget, then the sets to be reviewed."""
    judged = _Judged()
    compared: dict[str, int] = {}
    for block in context.snapshot.vectors:
        compared.update(_compare(context, block, judged))
    merges, waiting = _merges(context, judged)
    yield from merges
    after = evolve(context.snapshot, merges, now=context.now)
    reviews = list(_reviews(context, after, judged, waiting))
    if context.kind == CONSOLIDATION:
        waiting.update(key for review in reviews for key in review.ids)
    else:
        yield from reviews
    figures = context.findings.figures
    figures.update(pairs=judged.pairs, kept_apart=judged.kept_apart, deferred=len(waiting))
    context.findings.met = compared
    context.findings.compared = {key: mark for key, mark in compared.items() if key not in waiting}
    context.spend(sum(len(merge.losers) for merge in merges))


def _compare(context: Context, block: Vectors, judged: _Judged) -> dict[str, int]:
    """Judge the candidate pairs of one embedder's vectors; ids and scan keys of what has now met all others."""
    memories, marks, matrix, fresh = _rows(context, block)
    met = {memories[row].id: marks[row] for row in range(len(memories)) if not fresh[row]}
    new_rows = np.flatnonzero(fresh)
    if not len(new_rows):
        return met
    calibration = context.calibration(block.model)
    texts = _Texts()
    pairs = candidate_pairs(
        matrix,
        minimum_raw=raw_threshold(LOWEST, a=calibration.a, b=calibration.b),
        strong_raw=raw_threshold(LIKELY, a=calibration.a, b=calibration.b),
        new_rows=None if len(new_rows) == len(memories) else new_rows,
        deadline=lambda: context.out_of_time,
        scanned=lambda rows: met.update((memories[row].id, marks[row]) for row in rows),
    )
    for row, column, raw in pairs:
        if context.out_of_time:  # a block may hold very many pairs; those of an unfinished block come again
            break
        similarity = min(1.0, calibration.a * raw + calibration.b)
        _judge(context, texts, (memories[row], memories[column]), similarity, judged)
    if len(met) < len(memories):
        left = len(memories) - len(met)
        context.findings.unfinished = f"{left} {'memory' if left == 1 else 'memories'} still to be compared"
    context.findings.figures["compared"] = _figure(context, "compared") + len(met) - len(memories) + len(new_rows)
    return met


class _Texts:
    """Each memory's text as the guard reads it, read once."""

    def __init__(self) -> None:
        self._read: dict[str, Features] = {}

    def of(self, memory: Memory) -> Features:
        found = self._read.get(memory.id)
        if found is None:
            found = features(Text(None if memory.title_derived else memory.title, memory.content))
            self._read[memory.id] = found
        return found


def _figure(context: Context, name: str) -> int:
    value = context.findings.figures.get(name, 0)
    return value if isinstance(value, int) else 0


def _rows(context: Context, block: Vectors) -> tuple[list[Memory], list[int], Matrix, list[bool]]:
    """Active memories by id with scan keys and vectors, and which of them have not been compared yet."""
    memories, matrix = active_rows(context.snapshot, block)
    marks = [scan_key(memory) for memory in memories]
    fresh = ~np.isin(np.array(marks, dtype=np.uint64), context.scanned, kind="sort")
    return memories, marks, matrix, fresh.tolist()


def _judge(context: Context, texts: _Texts, pair: tuple[Memory, Memory], similarity: float, judged: _Judged) -> None:
    one, other = sorted(pair, key=lambda memory: memory.id)
    judged.pairs += 1
    if mergeable(one, other) is not None or context.rulings.separate(one, other):
        return
    left, right = texts.of(one), texts.of(other)
    verdict = merge_verdict(
        left, right, cosine=similarity, vocabulary=context.vocabulary, ordered=one.kind is Kind.PROCEDURE
    )
    if verdict.action == "merge" and (context.kind != CONSOLIDATION or similarity >= SAME):
        judged.merge[one.id, other.id] = (similarity, verdict.reason)
        return
    judged.kept_apart += similarity >= SAME
    found = verdict.found or (compare(left, right) if coverage(left, right) >= SHARED else None)
    if found is not None and not found.slots_equal and occasions(left, right, events=one.kind is Kind.EVENT):
        return
    if found is not None and found.refusal is not None and _disagree(found):
        newest_first = (one.learned_at, one.id) >= (other.learned_at, other.id)
        refusal = found.refusal if newest_first else found.refusal.turned
        judged.conflict[one.id, other.id] = (similarity, str(refusal))
    elif verdict.action in {"merge", "review"}:
        judged.review[one.id, other.id] = (similarity, verdict.reason)


def _disagree(found: Separation) -> bool:
    """Whether two texts say of one subject what cannot both be true: a value that both state differently, or yes and no.

    A value that only one states contradicts nothing. A negation has to be almost all that differs: in talk, "can't wait"
    stands beside anything.
    """
    refusal = found.refusal
    if refusal is None or refusal.slot not in _VALUES:
        return False
    if refusal.slot == "negation":
        return bool(refusal.left) != bool(refusal.right) and found.coverage >= POLAR
    return bool(refusal.left and refusal.right) and found.coverage >= SHARED


def _merges(context: Context, judged: _Judged) -> tuple[list[Merge], set[str]]:
    """Merges that fit the survival budget of the day, surest first, and the ids that have to wait."""
    budget = context.budget
    merges: list[Merge] = []
    waiting: set[str] = set()
    for ids, similarity in _clusters(judged.merge, LARGEST_MERGE):
        ordered, kept_for = survivor_first([context.snapshot.memories[key] for key in ids], context.vocabulary)
        losers = ordered[1 : 1 + max(0, budget)]
        if len(losers) < len(ids) - 1:
            waiting.update(ids)
        if losers:
            budget -= len(losers)
            merges.append(_merge(context, (ordered[0], *losers), kept_for, similarity, judged))
    return merges, waiting


def _clusters(pairs: Mapping[Ids, tuple[float, str]], cap: int) -> list[tuple[tuple[str, ...], float]]:
    """Complete-link clusters with the similarity of their least similar pair, surest first. What is equal comes together
    before what is only alike, however alike: a merge of the latter would keep the former apart."""
    names = sorted({key for pair in pairs for key in pair})
    place = {key: row for row, key in enumerate(names)}
    weighted = [
        Pair(place[first], place[second], likeness + (reason == EQUAL))
        for (first, second), (likeness, reason) in pairs.items()
    ]
    found = []
    for cluster in complete_link(weighted, allowed=lambda _i, _j: True, cap=cap):
        ids = tuple(sorted(names[row] for row in cluster))
        least = min(pairs[pair][0] for pair in _pairs_of(ids) if pair in pairs)
        found.append((ids, least))
    return sorted(found, key=lambda item: (-item[1], item[0]))


def _pairs_of(ids: Sequence[str]) -> Iterator[Ids]:
    return ((first, second) for index, first in enumerate(ids) for second in ids[index + 1 :])


def _merge(context: Context, memories: Sequence[Memory], kept_for: str, similarity: float, judged: _Judged) -> Merge:
    ids = tuple(memory.id for memory in memories)
    likeness = sorted({judged.merge[pair][1] for pair in _pairs_of(sorted(ids))})
    return Merge(
        vault=context.vault,
        ids=ids,
        into=ids[0],
        why=f"{'; '.join(likeness)}; kept: {kept_for}",
        seen=seen(context.snapshot, ids),
        similarity=round(similarity, 4),
    )


def _reviews(context: Context, after: Snapshot, judged: _Judged, waiting: set[str]) -> Iterator[NearDuplicates]:
    """Sets of active memories that nobody has been asked about yet, most alike first.

    A memory that waits for its day meets all others in every dream until then, so it is put up for review after it.
    """
    leftover = {**judged.merge, **judged.review}
    queues = (("conflict", judged.conflict), ("pending", leftover))
    queued = 0
    for verdict, pairs in queues:
        open_pairs = {
            pair: found for pair, found in pairs.items() if waiting.isdisjoint(pair) and _open(context, after, pair)
        }
        for ids, similarity in _clusters(open_pairs, context.limits.cluster):
            if queued >= context.limits.sets:
                context.findings.figures["left_out"] = _figure(context, "left_out") + 1
                continue
            queued += 1
            reasons = sorted({open_pairs[pair][1] for pair in _pairs_of(ids) if pair in open_pairs})
            newest_first = sorted(ids, key=lambda key: (after.memories[key].learned_at, key), reverse=True)
            yield NearDuplicates(
                vault=context.vault,
                ids=tuple(newest_first),
                why="; ".join(reasons[:3]),
                seen=seen(after, ids),
                similarity=round(similarity, 4),
                verdict=verdict,
            )


def _open(context: Context, after: Snapshot, pair: Ids) -> bool:
    one, other = after.memories[pair[0]], after.memories[pair[1]]
    return one.active and other.active and not context.rulings.queued(one, other)
