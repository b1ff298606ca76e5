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
    weights = {token: commonness.weight(token, 0) for token in question.tokens}
    related = visible if meaning is None else visible & (meaning.values > RELATED - meaning.error)
    for token, alone in weights.items():
        slots = holdings.text.slots(token)
        if commonness.weight(token, len(slots)) == alone:  # however many of them are related
            continue
        slots = slots[related[slots]]
        if meaning is not None and commonness.weight(token, len(slots)) != alone:
            slots = _surely_related(token, slots, meaning)
        weights[token] = commonness.weight(token, len(slots))
    return weights


def _surely_related(token: str, slots: Slots, meaning: Meaning) -> Slots:
    """Those of ``slots`` that have to do with the question; looked at exactly where it makes a difference to ``token``."""
    surely = meaning.values[slots] > RELATED + meaning.error
    if commonness.weight(token, int(np.count_nonzero(surely))) != commonness.weight(token, len(slots)):
        meaning.settle(slots[~surely])
        surely = meaning.values[slots] > RELATED
    related: Slots = slots[surely]
    return related
