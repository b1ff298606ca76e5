"""One recall over the holdings: filter, weigh, score, spread, modulate, settle who goes first, explain.

Runs inside the shared latch and only reads. What it returns is immutable.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from muninn.domain.strength import strength
from muninn.ports import Answer, Hit
from muninn.recall import commonness, scoring
from muninn.recall.columns import Mask
from muninn.recall.explanation import Evidence, components, sentence
from muninn.recall.holdings import Holdings
from muninn.recall.question import Question
from muninn.recall.spreading import Spread, spread
from muninn.recall.succession import newest_first, replaced
from muninn.recall.textindex import Floats

SPARE = 24
"""Candidates beyond twice the limit that take part in spreading and modulation."""

SUBJECT_ABOVE = 0.35
"""Weight of a word from which a query asks about more than a time: "what happened" does not."""


@dataclass(frozen=True, slots=True)
class _Scan:
    """Every slot's evidence from the two indexes."""

    visible: Mask
    meaning: Floats
    wording: Floats
    relevance: Floats
    in_time: Mask | None = None


def search(holdings: Holdings, question: Question, *, now: datetime) -> Answer:
    query = question.query
    weights = {token: commonness.weight(token, holdings.text.frequency(token)) for token in question.tokens}
    scan = _scan(holdings, question, weights)
    relevance = {holdings.id_at[s]: float(scan.relevance[s]) for s in _best(scan, 2 * query.limit + SPARE)}

    def visible(memory_id: str) -> bool:
        slot = holdings.slot_of.get(memory_id)
        return slot is not None and bool(scan.visible[slot])

    def own(memory_id: str) -> float | None:
        return float(scan.relevance[holdings.slot_of[memory_id]]) if visible(memory_id) else None

    spreads = spread(relevance, holdings, own)
    evidence = {
        memory_id: _evidence(memory_id, holdings, scan, spreads.get(memory_id), now)
        for memory_id in sorted(relevance.keys() | spreads.keys())
    }
    scores = {memory_id: found.score for memory_id, found in evidence.items()}
    calibrations = {model: calibration for model, (_, calibration) in question.vectors.items()}
    scores = newest_first(scores, holdings, asked=question.tokens, calibrations=calibrations, as_of=query.as_of)
    scores = replaced(scores, holdings, visible)
    for memory_id in scores.keys() - evidence.keys():
        evidence[memory_id] = _evidence(memory_id, holdings, scan, None, now)
    ranked = sorted(scores, key=lambda memory_id: (-round(scores[memory_id], 6), memory_id))
    if not ranked or scores[ranked[0]] < scoring.ABSTAIN_BELOW:
        return Answer(hits=(), degraded=question.degraded, abstained=True, notes=question.notes)
    shown = [memory_id for memory_id in ranked[: query.limit] if scores[memory_id] >= scoring.LEAST_SHOWN]
    hits = tuple(_hit(evidence[memory_id], scores[memory_id], holdings, question) for memory_id in shown)
    return Answer(hits=hits, degraded=question.degraded, abstained=False, notes=question.notes)


def _scan(holdings: Holdings, question: Question, weights: Mapping[str, float]) -> _Scan:
    query = question.query
    columns = holdings.columns
    numbers = None if question.vaults is None else holdings.numbers(question.vaults)
    visible = columns.mask(vaults=numbers, archived=query.include_archived, as_of=query.as_of)
    wording = scoring.wording(holdings.text.coverage(weights, columns.count), sum(weights.values()))
    meaning = _meaning(holdings, question) if question.vectors else np.zeros_like(wording)
    language = columns["language"]
    foreign = (language != question.language) & (language > 0) if question.language else np.zeros_like(visible)
    relevance = scoring.blend(meaning, wording, foreign) if question.vectors else wording
    if not question.times:
        return _Scan(visible, meaning, wording, relevance)
    in_time = np.zeros_like(visible)
    for reading in question.times:
        in_time |= columns.between(reading.start, reading.end)
    subject = any(weights.get(token, 0.0) > SUBJECT_ABOVE for token in question.subject)
    return _Scan(visible, meaning, wording, scoring.timed(relevance, in_time, subject=subject), in_time)


def _meaning(holdings: Holdings, question: Question) -> Floats:
    meaning = np.zeros(holdings.columns.count, np.float32)
    language = holdings.columns["language"]
    for model, (vector, calibration) in question.vectors.items():
        index = holdings.vectors.get(model)
        if index is None or index.dimensions != len(vector):
            continue
        live = index.slots >= 0
        slots = index.slots[live]
        floor = question.floors[model][language[slots]]
        meaning[slots] = scoring.meaning((index.matrix @ vector)[live], floor, calibration)
    return meaning


def _best(scan: _Scan, count: int) -> list[int]:
    """Visible slots of the ``count`` highest positive relevances, in no particular order."""
    candidates = np.where(scan.visible, scan.relevance, np.float32(0.0))
    count = min(count, len(candidates))
    chosen: list[int] = np.argpartition(candidates, -count)[-count:].tolist() if count else []
    return [slot for slot in chosen if candidates[slot] > 0]


def _evidence(memory_id: str, holdings: Holdings, scan: _Scan, reached: Spread | None, now: datetime) -> Evidence:
    memory = holdings.memories[memory_id]
    slot = holdings.slot_of[memory_id]
    retrievable = strength(memory, now=now, accesses=tuple(holdings.accesses.get(memory_id, ())))
    standing = scoring.modulation(memory, retrievable, now)
    relevance = float(scan.relevance[slot])
    together = scoring.joined(relevance, reached.activation) if reached else relevance
    return Evidence(
        memory=memory,
        meaning=float(scan.meaning[slot]),
        wording=float(scan.wording[slot]),
        relevance=relevance,
        spread=reached,
        timely=scan.in_time is not None and bool(scan.in_time[slot]),
        strength=retrievable,
        modulation=standing,
        score=min(1.0, together * standing.factor),
    )


def _hit(evidence: Evidence, score: float, holdings: Holdings, question: Question) -> Hit:
    memory = evidence.memory
    slot = holdings.slot_of[memory.id]
    matched = [word for token, word in question.tokens.items() if holdings.text.holds(token, slot)]
    return Hit(
        memory=memory,
        score=round(min(1.0, score), 6),
        strength=round(evidence.strength, 6),
        why=sentence(evidence, matched, score, holdings),
        superseded_by=memory.superseded_by,
        conflicts_with=holdings.in_conflict(memory.id),
        components=components(evidence, matched, score) if question.query.explain else None,
    )
