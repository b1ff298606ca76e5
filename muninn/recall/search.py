"""One recall over the holdings: filter, weigh, score, spread, modulate, settle who goes first, explain.

Runs inside the shared latch and only reads. What it returns is immutable.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

import numpy as np

from muninn.domain.birth import gone
from muninn.ports import Answer, Hit
from muninn.recall import commonness, scoring
from muninn.recall.explanation import Evidence, components, sentence
from muninn.recall.holdings import Holdings
from muninn.recall.question import Question
from muninn.recall.scan import Scan, scan
from muninn.recall.spreading import Spread, spread, written_beside
from muninn.recall.standing import standings
from muninn.recall.succession import newest_first, replaced
from muninn.recall.textindex import Slots

SPARE = 16
"""Candidates beyond twice the limit that seed spreading and may be lifted by it."""

GUESSES = "no memory shares a telling word with this: what follows is only near in meaning"

CLOSE = (1.0 - scoring.BAND) / (1.0 + scoring.BAND) * 0.85
"""Share of the last place's relevance below which neither standing nor succession brings a memory into the answer."""


def search(holdings: Holdings, question: Question, *, now: datetime) -> Answer:
    query = question.query
    found = scan(holdings, question)
    best = found.best(2 * query.limit + SPARE, holdings)
    relevance = dict(zip((holdings.id_at[slot] for slot in best), found.relevance[best].tolist(), strict=True))
    spreads = _spread(relevance, holdings, found)
    contenders = _contenders(relevance, spreads, query.limit)
    standing = standings(contenders, _slots(contenders, holdings), holdings, now)
    earned = {memory_id: _earned(value, standing[memory_id]) for memory_id, value in contenders.items()}

    def visible(memory_id: str) -> bool:
        return _visible(memory_id, holdings, found)

    calibrations = {model: calibration for model, (_, calibration) in question.vectors.items()}
    named = {
        token: commonness.weight(token, 0) for token in question.tokens
    }  # who is one thing depends on nothing else
    scores = newest_first(earned, holdings, asked=named, calibrations=calibrations, as_of=query.as_of)
    scores = replaced(scores, holdings, visible, query.as_of)
    if lifted := sorted(scores.keys() - contenders.keys()):
        found.refine(_slots(lifted, holdings))
        standing |= standings(lifted, _slots(lifted, holdings), holdings, now)
    ranked = sorted(scores, key=lambda memory_id: (-round(scores[memory_id], 6), memory_id))[: query.limit]
    evidence = {
        memory_id: _evidence(memory_id, holdings, found, spreads.get(memory_id), standing[memory_id])
        for memory_id in ranked
    }
    if not any(_grounded(one, found, question) for one in evidence.values()):
        return Answer(hits=(), degraded=question.degraded, abstained=True, notes=question.notes)
    shown = [memory_id for memory_id in ranked if scores[memory_id] >= scoring.LEAST_SHOWN]
    telling = sorted(question.tokens.items(), key=lambda item: -commonness.weight(item[0], 0))
    hits = tuple(_hit(evidence[memory_id], scores[memory_id], holdings, telling, query.explain) for memory_id in shown)
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


def _contenders(relevance: Mapping[str, float], spreads: Mapping[str, Spread], limit: int) -> dict[str, float]:
    """Who could be among the first ``limit``, with what relevance and associations make together: the rest is spared the
    finer steps."""
    joined = {memory_id: _together(value, spreads.get(memory_id)) for memory_id, value in relevance.items()}
    last = heapq.nlargest(limit, joined.values())[-1] if joined else 0.0
    return {memory_id: value for memory_id, value in sorted(joined.items()) if value >= last * CLOSE}


def _together(relevance: float, reached: Spread | None) -> float:
    return scoring.joined(relevance, reached.activation) if reached else relevance


def _earned(together: float, standing: scoring.Modulation) -> float:
    """The score of one memory before memories are compared with one another."""
    return min(1.0, together * standing.factor)


def _evidence(
    memory_id: str, holdings: Holdings, scan: Scan, reached: Spread | None, standing: scoring.Modulation
) -> Evidence:
    slot = holdings.slot_of[memory_id]
    relevance = float(scan.relevance[slot])
    return Evidence(
        memory=holdings.memories[memory_id],
        meaning=float(scan.meaning.values[slot]) if scan.meaning else 0.0,
        wording=float(scan.wording[slot]),
        relevance=relevance,
        foreign=scan.foreign is not None and bool(scan.foreign[slot]),
        spread=reached,
        timely=scan.in_time is not None and bool(scan.in_time[slot]),
        names_time=scan.names_time is not None and bool(scan.names_time[slot]),
        modulation=standing,
        score=_earned(_together(relevance, reached), standing),
    )


def _hit(
    evidence: Evidence, score: float, holdings: Holdings, telling: Sequence[tuple[str, str]], explain: bool
) -> Hit:
    """``telling``: the query's tokens, each with its word, the most telling first."""
    memory = evidence.memory
    slot = holdings.slot_of[memory.id]
    matched = [word for token, word in telling if holdings.text.holds(token, slot)]
    return Hit(
        memory=memory,
        score=round(min(1.0, score), 6),
        strength=round(evidence.strength, 6),
        why=sentence(evidence, matched, score, holdings),
        superseded_by=memory.superseded_by,
        gone=gone(memory, holdings.memories.get),
        conflicts_with=holdings.in_conflict(memory.id),
        components=components(evidence, matched, score) if explain else None,
    )
