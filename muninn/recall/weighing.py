"""What each word of a question counts: little when every text has it, or most texts about the matter.

A name that is in every second note tells little there, however rare it is elsewhere. So words that are rare in general
are counted, but only in the memories whose meaning has to do with the question: what is stored about other things
never moves a score.
"""

from __future__ import annotations

import numpy as np

from muninn.recall import commonness
from muninn.recall.columns import Mask
from muninn.recall.holdings import Holdings
from muninn.recall.meaning import Meaning
from muninn.recall.question import Question
from muninn.recall.textindex import Slots

RELATED = 0.4
"""Meaning above which a memory has to do with a question: chat about other lives stays below, nearly all of it."""


def weigh(holdings: Holdings, question: Question, *, visible: Mask, meaning: Meaning | None) -> dict[str, float]:
    """The weight of each token, in [0.1, 1]. Without ``meaning``, all that is ``visible`` has to do with the question."""
    weights = {}
    for token in question.tokens:
        slots = holdings.text.slots(token)
        weights[token] = commonness.weight(token, 0)
        if commonness.weight(token, len(slots)) != weights[token]:  # counting makes a difference
            slots = slots[visible[slots]]
            weights[token] = commonness.weight(
                token, len(slots) if meaning is None else _related(token, slots, meaning)
            )
    return weights


def _related(token: str, slots: Slots, meaning: Meaning) -> int:
    """How many of ``slots`` have to do with the question, exactly where it makes a difference to ``token``."""
    values = meaning.values[slots]
    surely, perhaps = (int(np.count_nonzero(values > RELATED + off)) for off in (meaning.error, -meaning.error))
    if commonness.weight(token, surely) == commonness.weight(token, perhaps):
        return surely
    meaning.settle(slots[np.abs(values - np.float32(RELATED)) <= np.float32(2.0 * meaning.error)])
    return int(np.count_nonzero(meaning.values[slots] > RELATED))
