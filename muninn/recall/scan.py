"""The evidence of both indexes for every slot, in a few passes over numpy arrays.

Cosines are estimates at first; ``refine`` makes them exact for the slots that matter, so that no score that leaves
depends on an estimate, nor on where a row happens to stand.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from muninn.recall import commonness, scoring
from muninn.recall.columns import Column, Mask
from muninn.recall.holdings import Holdings
from muninn.recall.question import Question
from muninn.recall.textindex import Floats, Slots

LEAST_KEPT = scoring.LEAST_SHOWN / 2
"""Relevance below which nothing that follows can make a memory an answer."""

SUBJECT_ABOVE = 0.35
"""Weight of a word from which a query asks about more than a time."""

_ESTIMATE_ERROR = 0.03
"""How far an estimated relevance may be off: four standard deviations of a cosine estimate of 0.003 (e5)."""
_ROUNDING = 1e-5
"""The same without a sketch."""
_MOST_REFINED = 512


@dataclass(slots=True)
class Scan:
    """One entry per slot. Only ``refine`` changes it. ``weights``: of the query's tokens. ``error``: how far
    relevances may be off before."""

    weights: Mapping[str, float]
    visible: Mask
    meaning: Floats
    wording: Floats
    relevance: Floats
    foreign: Mask | None
    in_time: Mask | None
    has_subject: bool
    error: float

    def best(self, count: int, holdings: Holdings, question: Question) -> list[int]:
        """Visible slots of the ``count`` highest relevances that can be an answer, in no particular order."""
        candidates: Slots = np.flatnonzero(self.visible & (self.relevance > LEAST_KEPT))
        if self.error:
            candidates = self._leading(candidates, count, self.error)
            if len(candidates) > _MOST_REFINED:
                candidates = _highest(candidates, self.relevance, _MOST_REFINED)
            self.refine(candidates, holdings, question)
        leading: list[int] = self._leading(candidates, count, 0.0).tolist()
        if len(leading) > count:  # equal scores at the cut: ids decide, as everywhere
            leading.sort(key=lambda slot: (-float(self.relevance[slot]), holdings.id_at[slot]))
        return leading[:count]

    def crowd(self, count: int, share: float, most: int) -> int:
        """``count``, or how many visible slots reach ``share`` of the best relevance when those are more; at most ``most``."""
        values = self.relevance[self.visible]
        if len(values) <= count:
            return count
        near = int(np.count_nonzero(values >= share * float(values.max()) - self.error))
        return max(count, min(near, most))

    def _leading(self, slots: Slots, count: int, error: float) -> Slots:
        """The ``count`` highest of ``slots``, with all that lie within ``error`` of the last of them."""
        if len(slots) <= count:
            return slots
        values = self.relevance[slots]
        least = np.partition(values, -count)[-count]
        leading: Slots = slots[values >= least - np.float32(error)]
        return leading

    def refine(self, slots: Slots, holdings: Holdings, question: Question) -> None:
        """Make meaning and relevance exact at ``slots``."""
        if not self.error or not len(slots):
            return
        language = holdings.columns["language"]
        places = [holdings.row_of.get(holdings.id_at[slot], ("", -1)) for slot in slots.tolist()]
        for model, (vector, calibration) in question.vectors.items():
            index = holdings.vectors.get(model)
            rows = np.array([row if of == model else -1 for of, row in places], np.int64)
            held = rows >= 0
            if index is None or index.dimensions != len(vector) or not held.any():
                continue
            floor = question.floors[model].take(language[slots[held]])
            self.meaning[slots[held]] = scoring.meaning(index.cosines(rows[held], vector), floor, calibration)
        foreign = None if self.foreign is None else self.foreign[slots]
        relevance = scoring.blend(self.meaning[slots], self.wording[slots], foreign)
        if self.in_time is not None:
            relevance = scoring.timed(relevance, self.in_time[slots], subject=self.has_subject)
        self.relevance[slots] = relevance


def scan(holdings: Holdings, question: Question) -> Scan:
    """Filter first, then weigh every slot."""
    query, columns = question.query, holdings.columns
    numbers = None if question.vaults is None else holdings.numbers(question.vaults)
    weights = {token: _weight(token, holdings, numbers) for token in question.tokens}
    visible = columns.mask(vaults=numbers, archived=query.include_archived, as_of=query.as_of)
    if query.run_id is not None:
        visible &= _of_run(holdings, query.run_id, columns.count)
    wording = scoring.wording(holdings.text.coverage(weights, columns.count), sum(weights.values()))
    foreign, error = None, 0.0
    if question.vectors:
        meaning, error = _meaning(holdings, question)
        foreign = _foreign(columns["language"], question.language)
        relevance = scoring.blend(meaning, wording, foreign)
    else:
        meaning, relevance = np.zeros_like(wording), wording
    has_subject = any(commonness.weight(token, 0) > SUBJECT_ABOVE for token in question.subject)
    in_time = None
    if question.times:
        in_time = np.zeros_like(visible)
        for reading in question.times:
            in_time |= columns.between(reading.start, reading.end)
        relevance = scoring.timed(relevance, in_time, subject=has_subject)
    return Scan(weights, visible, meaning, wording, relevance, foreign, in_time, has_subject, error)


def _of_run(holdings: Holdings, run_id: str, count: int) -> Mask:
    """Slots of the memories that a run wrote."""
    written = np.zeros(count, bool)
    for memory in holdings.memories.values():
        if memory.provenance.run_id == run_id:
            written[holdings.slot_of[memory.id]] = True
    return written


def _weight(token: str, holdings: Holdings, numbers: set[int] | None) -> float:
    """What a token counts; how often it is told is counted in the vaults searched, so that others do not matter."""
    if commonness.settled(token):
        return commonness.weight(token, 0)
    return commonness.weight(token, holdings.frequency(token, numbers))


def _highest(slots: Slots, values: Floats, count: int) -> Slots:
    if len(slots) <= count:
        return slots
    chosen: Slots = slots[np.argpartition(values[slots], -count)[-count:]]
    return chosen


def _foreign(language: Column, asked: int) -> Mask | None:
    """Texts in a known language other than the one asked in; None when there is none."""
    if not asked:
        return None
    foreign: Mask = (language != asked) & (language != 0)
    return foreign if foreign.any() else None


def _meaning(holdings: Holdings, question: Question) -> tuple[Floats, float]:
    """Meaning per slot, and how far the relevance from it may be off. A slot has a vector of one model at most."""
    language = holdings.columns["language"]
    meaning = np.zeros(len(language) + 1, np.float32)  # the last entry takes what was let go
    error = 0.0
    for model, (vector, calibration) in question.vectors.items():
        index = holdings.vectors.get(model)
        if index is None or index.dimensions != len(vector):
            continue
        cosines = index.estimate(vector)
        error = max(error, _ESTIMATE_ERROR if index.sketched else _ROUNDING)
        spoken = language[: len(cosines)] if index.aligned else language[index.slots]
        found = scoring.meaning(cosines, question.floors[model].take(spoken), calibration)
        if index.aligned and len(question.vectors) == 1:
            meaning[: len(found)] = found
        else:
            meaning[index.slots] = found
    return meaning[:-1], error
