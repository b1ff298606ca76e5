"""The evidence of both indexes for every slot, in a few passes over numpy arrays.

Meanings are estimates at first; ``refine`` makes them exact for the slots that matter.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from muninn.recall import commonness, scoring
from muninn.recall.columns import Column, Mask
from muninn.recall.holdings import Holdings
from muninn.recall.meaning import Meaning
from muninn.recall.question import Question
from muninn.recall.textindex import Floats, Slots
from muninn.recall.tokens import stem
from muninn.recall.weighing import weigh

LEAST_KEPT = scoring.LEAST_SHOWN / 2
"""Relevance below which nothing that follows can make a memory an answer."""

SUBJECT_ABOVE = 0.35
"""Weight of a word from which a query asks about more than a time."""

CROWD_SHARE, CROWD = 0.85, 160
"""Where many memories say nearly the same, all within this share of the best (and at most so many) are looked at: the
newest of them must be among those compared."""

_MOST_REFINED = 512
_SHARES = (0.5, 0.25, 0.0)


@dataclass(slots=True)
class Scan:
    """One entry per slot. Only ``refine`` changes it. ``weights``: of the query's tokens. ``in_time``: from the time asked
    about; ``names_time``: where a question asks about nothing but a date, the texts that spell it out."""

    weights: Mapping[str, float]
    visible: Mask
    meaning: Meaning | None
    wording: Floats
    relevance: Floats
    foreign: Mask | None
    in_time: Mask | None
    names_time: Mask | None
    has_subject: bool

    @property
    def error(self) -> float:
        """How far relevances may be off before ``refine``."""
        return self.meaning.error * scoring.MEANING_SHARE if self.meaning else 0.0

    def best(self, count: int, holdings: Holdings) -> list[int]:
        """Visible slots of the ``count`` highest relevances that can be an answer, in no particular order; more, up to
        ``CROWD``, when as many memories say nearly the same."""
        shown = np.where(self.visible, self.relevance, np.float32(0.0))
        highest = float(shown.max(initial=0.0))
        crowd = int(np.count_nonzero(shown >= max(LEAST_KEPT, CROWD_SHARE * highest - self.error)))
        count = max(count, min(crowd, CROWD))
        candidates = self._leading(self._upper(shown, highest, count), count, self.error)
        if self.error:
            if len(candidates) > _MOST_REFINED:
                candidates = _highest(candidates, self.relevance, _MOST_REFINED)
            self.refine(candidates)
        leading: list[int] = self._leading(candidates, count, 0.0).tolist()
        if len(leading) > count:  # equal scores at the cut: ids decide, as everywhere
            leading.sort(key=lambda slot: (-float(self.relevance[slot]), holdings.id_at[slot]))
        return leading[:count]

    def _upper(self, shown: Floats, highest: float, count: int) -> Slots:
        """Slots that surely hold the ``count`` best of ``shown``, and what lies within the error of them: to rank a few
        takes less time than to rank them all."""
        for share in _SHARES:
            least = max(LEAST_KEPT, share * highest)
            if np.count_nonzero(shown > least) >= count:
                break
        upper: Slots = np.flatnonzero(shown > max(LEAST_KEPT, least - self.error))
        return upper

    def _leading(self, slots: Slots, count: int, error: float) -> Slots:
        """The ``count`` highest of ``slots``, with all that lie within ``error`` of the last of them."""
        if len(slots) <= count:
            return slots
        values = self.relevance[slots]
        least = np.partition(values, -count)[-count]
        leading: Slots = slots[values >= least - np.float32(error)]
        return leading

    def refine(self, slots: Slots) -> None:
        """Make meaning and relevance exact at ``slots``."""
        if self.meaning is None or not len(slots):
            return
        self.meaning.settle(slots)
        foreign = None if self.foreign is None else self.foreign[slots]
        relevance = scoring.blend(self.meaning.values[slots], self.wording[slots], foreign)
        if self.in_time is not None:
            timely = self.in_time[slots] if self.names_time is None else (self.in_time | self.names_time)[slots]
            relevance = scoring.timed(relevance, timely, subject=self.has_subject)
        self.relevance[slots] = relevance


def scan(holdings: Holdings, question: Question) -> Scan:
    """Filter first, then weigh every slot."""
    query, columns = question.query, holdings.columns
    numbers = None if question.vaults is None else holdings.numbers(question.vaults)
    visible = columns.mask(vaults=numbers, archived=query.include_archived, as_of=query.as_of)
    if query.run_id is not None:
        visible &= _of_run(holdings, query.run_id, columns.count)
    meaning = Meaning(holdings, question) if question.vectors else None
    weights = weigh(holdings, question, visible=visible, meaning=meaning)
    telling = any(commonness.weight(token, 0) > commonness.IDLE for token in weights)
    total = sum(weights.values()) if telling else 0.0  # to share nothing but "the of and" is to share nothing
    relevance = wording = scoring.wording(holdings.text.coverage(weights, columns.count), total)
    foreign = None
    if meaning is not None:
        foreign = _foreign(columns["language"], question.language)
        relevance = scoring.blend(meaning.values, wording, foreign)
    has_subject = any(commonness.weight(token, 0) > SUBJECT_ABOVE for token in question.subject)
    in_time = names_time = None
    if question.times:
        in_time = np.zeros_like(visible)
        for reading in question.times:
            in_time |= columns.between(reading.start, reading.end)
        names_time = None if has_subject else _spelled(holdings, question, columns.count)
        timely = in_time if names_time is None else in_time | names_time
        relevance = scoring.timed(relevance, timely, subject=has_subject)
    return Scan(weights, visible, meaning, wording, relevance, foreign, in_time, names_time, has_subject)


def _spelled(holdings: Holdings, question: Question, count: int) -> Mask:
    """Slots of the texts that hold the words of a date in the query: "March 21" was told later than it happened."""
    spelled = np.zeros(count, bool)
    for reading in question.times:
        if reading.spelling:
            held = np.zeros(count, np.int32)
            for word in reading.spelling:
                held[holdings.text.slots(stem(word))] += 1
            spelled |= held == len(reading.spelling)
    return spelled


def _of_run(holdings: Holdings, run_id: str, count: int) -> Mask:
    """Slots of the memories that a run wrote."""
    written = np.zeros(count, bool)
    for memory in holdings.memories.values():
        if memory.provenance.run_id == run_id:
            written[holdings.slot_of[memory.id]] = True
    return written


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
