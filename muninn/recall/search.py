"""One recall over the holdings: filter, score, spread, modulate, order, explain.

Runs inside the shared latch and only reads. What it returns is immutable.
"""

from __future__ import annotations

from datetime import datetime

import numpy as np

from muninn.domain.strength import strength
from muninn.ports import Answer, Hit
from muninn.recall import scoring
from muninn.recall.columns import Mask
from muninn.recall.holdings import Holdings
from muninn.recall.question import Question
from muninn.recall.textindex import Floats

POOL = 64
"""Candidates beyond the limit that take part in spreading and modulation."""


def search(holdings: Holdings, question: Question, *, now: datetime) -> Answer:
    query = question.query
    numbers = None if question.vaults is None else holdings.numbers(question.vaults)
    mask = holdings.columns.mask(vaults=numbers, archived=query.include_archived, as_of=query.as_of)
    by_meaning = _by_meaning(holdings, question)
    total = sum(question.weights.values())
    by_wording = scoring.wording(holdings.text.coverage(question.weights, holdings.columns.count), total)
    relevance = scoring.blend(by_meaning, by_wording) if question.vectors else by_wording
    best = _best(relevance, mask, query.limit + POOL)
    scored: list[tuple[float, str, float]] = []
    for slot in best:
        memory = holdings.memories[holdings.id_at[slot]]
        retrievable = strength(memory, now=now, accesses=tuple(holdings.accesses.get(memory.id, ())))
        factor = scoring.modulation(memory, retrievable, now).factor
        scored.append((min(1.0, float(relevance[slot]) * factor), memory.id, retrievable))
    scored.sort(key=lambda item: (-item[0], item[1]))
    hits = tuple(
        Hit(
            memory=(memory := holdings.memories[memory_id]),
            score=round(score, 6),
            strength=round(retrievable, 6),
            why="",
            superseded_by=memory.superseded_by,
            conflicts_with=holdings.in_conflict(memory_id),
        )
        for score, memory_id, retrievable in scored[: query.limit]
        if score >= scoring.ABSTAIN_BELOW
    )
    return Answer(hits=hits, degraded=question.degraded, abstained=not hits)


def _by_meaning(holdings: Holdings, question: Question) -> Floats:
    found = np.zeros(holdings.columns.count, np.float32)
    for model, (vector, calibration) in question.vectors.items():
        index = holdings.vectors.get(model)
        if index is None or index.dimensions != len(vector):
            continue
        live = index.slots >= 0
        found[index.slots[live]] = scoring.meaning(index.matrix @ vector, calibration)[live]
    return found


def _best(relevance: Floats, mask: Mask, count: int) -> list[int]:
    """Slots of the ``count`` highest positive scores under ``mask``, in no particular order."""
    candidates = np.where(mask, relevance, 0.0)
    count = min(count, len(candidates))
    chosen: list[int] = np.argpartition(candidates, -count)[-count:].tolist() if count else []
    return [slot for slot in chosen if candidates[slot] > 0]
