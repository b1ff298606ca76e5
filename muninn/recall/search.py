"""One recall over the holdings: filter, weigh, score, spread, modulate, settle who goes first, explain.

Runs inside the shared latch and only reads. What it returns is immutable.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping
from datetime import datetime

import numpy as np

from muninn.domain.birth import gone
from muninn.domain.strength import strength
from muninn.ports import Answer, Hit
from muninn.recall import commonness, scoring
from muninn.recall.explanation import Evidence, components, sentence
from muninn.recall.holdings import Holdings
from muninn.recall.question import Question
from muninn.recall.scan import Scan, scan
from muninn.recall.spreading import Spread, spread, written_beside
from muninn.recall.succession import newest_first, replaced
from muninn.recall.textindex import Slots

SPARE = 16
"""Candidates beyond twice the limit that seed spreading and may be lifted by it."""

CROWD_SHARE, CROWD = 0.85, 160
"""Where many memories say nearly the same, all within this share of the best (and at most so many) are looked at: the
newest of them must be among those compared."""

GUESSES = "no memory shares a telling word with this: what follows is only near in meaning"

CLOSE = (1.0 - scoring.BAND) / (1.0 + scoring.BAND) * 0.85
"""Share of the last place's relevance below which neither standing nor succession brings a memory into the answer."""


def search(holdings: Holdings, question: Question, *, now: datetime) -> Answer:
    query = question.query
    found = scan(holdings, question)
    best = found.best(found.crowd(2 * query.limit + SPARE, CROWD_SHARE, CROWD), holdings)
    relevance = {holdings.id_at[slot]: float(found.relevance[slot]) for slot in best}
    spreads = _spread(relevance, holdings, found)
    evidence = {
        memory_id: _evidence(memory_id, holdings, found, spreads.get(memory_id), now)
        for memory_id in _contenders(relevance, spreads, query.limit)
    }

    def visible(memory_id: str) -> bool:
        return _visible(memory_id, holdings, found)

    scores = {memory_id: one.score for memory_id, one in evidence.items()}
    calibrations = {model: calibration for model, (_, calibration) in question.vectors.items()}
    named = {
        token: commonness.weight(token, 0) for token in question.tokens
    }  # who is one thing depends on nothing else
    scores = newest_first(scores, holdings, asked=named, calibrations=calibrations, as_of=query.as_of)
    scores = replaced(scores, holdings, visible, query.as_of)
    for memory_id in scores.keys() - evidence.keys():
        found.refine(_slots([memory_id], holdings))
        evidence[memory_id] = _evidence(memory_id, holdings, found, spreads.get(memory_id), now)
    ranked = sorted(scores, key=lambda memory_id: (-round(scores[memory_id], 6), memory_id))
    if not any(_grounded(evidence[memory_id], found, question) for memory_id in ranked[: query.limit]):
        return Answer(hits=(), degraded=question.degraded, abstained=True, notes=question.notes)
    shown = [memory_id for memory_id in ranked[: query.limit] if scores[memory_id] >= scoring.LEAST_SHOWN]
    hits = tuple(_hit(evidence[memory_id], scores[memory_id], holdings, question) for memory_id in shown)
    notes = question.notes + ((GUESSES,) if all(_guessed(evidence[memory_id]) for memory_id in shown) else ())
    return Answer(hits=hits, degraded=question.degraded, abstained=False, notes=notes)


def _visible(memory_id: str, holdings: Holdings, found: Scan) -> bool:
    slot = holdings.slot_of.get(memory_id)
    return slot is not None and bool(found.visible[slot])


def _grounded(evidence: Evidence, found: Scan, question: Question) -> bool:
    if (evidence.timely or evidence.names_time) and not found.has_subject:
        return True
    return scoring.grounded(evidence.meaning, evidence.wording, question.sense)


def _guessed(evidence: Evidence) -> bool:
    """Whether nothing but some nearness in meaning speaks for a memory."""
    return evidence.wording <= 0 and not evidence.timely and evidence.meaning < scoring.MEANT_BY_NONSENSE


def _slots(ids: Iterable[str], holdings: Holdings) -> Slots:
    return np.array([holdings.slot_of[memory_id] for memory_id in ids], np.int32)


def _spread(relevance: dict[str, float], holdings: Holdings, found: Scan) -> dict[str, Spread]:
    """What the candidates call to mind, on exact relevances only."""
    beside = written_beside(relevance, holdings)
    near = {other for _, other, _ in beside if other not in relevance and _visible(other, holdings, found)}
    found.refine(_slots(sorted(near), holdings))

    def own(memory_id: str) -> float | None:
        return float(found.relevance[holdings.slot_of[memory_id]]) if _visible(memory_id, holdings, found) else None

    spreads = spread(relevance, beside, holdings, own)
    reached = spreads.keys() - relevance.keys()
    found.refine(_slots(sorted(reached - near), holdings))
    relevance.update({memory_id: float(found.relevance[holdings.slot_of[memory_id]]) for memory_id in reached})
    return spreads


def _contenders(relevance: Mapping[str, float], spreads: Mapping[str, Spread], limit: int) -> list[str]:
    """Who could be among the first ``limit``: the rest is spared the finer steps."""
    joined = {
        memory_id: scoring.joined(value, spreads[memory_id].activation) if memory_id in spreads else value
        for memory_id, value in relevance.items()
    }
    last = heapq.nlargest(limit, joined.values())[-1] if joined else 0.0
    return sorted(memory_id for memory_id, value in joined.items() if value >= last * CLOSE)


def _evidence(memory_id: str, holdings: Holdings, scan: Scan, reached: Spread | None, now: datetime) -> Evidence:
    memory = holdings.memories[memory_id]
    slot = holdings.slot_of[memory_id]
    retrievable = strength(memory, now=now, accesses=tuple(holdings.accesses.get(memory_id, ())))
    standing = scoring.modulation(memory, retrievable, now)
    relevance = float(scan.relevance[slot])
    together = scoring.joined(relevance, reached.activation) if reached else relevance
    return Evidence(
        memory=memory,
        meaning=float(scan.meaning.values[slot]) if scan.meaning else 0.0,
        wording=float(scan.wording[slot]),
        relevance=relevance,
        foreign=scan.foreign is not None and bool(scan.foreign[slot]),
        spread=reached,
        timely=scan.in_time is not None and bool(scan.in_time[slot]),
        names_time=scan.names_time is not None and bool(scan.names_time[slot]),
        strength=retrievable,
        modulation=standing,
        score=min(1.0, together * standing.factor),
    )


def _hit(evidence: Evidence, score: float, holdings: Holdings, question: Question) -> Hit:
    memory = evidence.memory
    slot = holdings.slot_of[memory.id]
    matched = _telling({word: token for token, word in question.tokens.items() if holdings.text.holds(token, slot)})
    return Hit(
        memory=memory,
        score=round(min(1.0, score), 6),
        strength=round(evidence.strength, 6),
        why=sentence(evidence, matched, score, holdings),
        superseded_by=memory.superseded_by,
        gone=gone(memory, holdings.memories.get),
        conflicts_with=holdings.in_conflict(memory.id),
        components=components(evidence, matched, score) if question.query.explain else None,
    )


def _telling(matched: Mapping[str, str]) -> list[str]:
    """Words, each with its token, the most telling first."""
    return sorted(matched, key=lambda word: -commonness.weight(matched[word], 0))
