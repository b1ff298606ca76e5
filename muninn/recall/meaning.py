"""How much each slot's text means what a question means, by vector.

The values are estimates at first; ``settle`` makes them exact for the slots that matter, so that nothing that leaves
depends on an estimate, nor on where a row happens to stand.
"""

from __future__ import annotations

import numpy as np

from muninn.recall import scoring
from muninn.recall.holdings import Holdings
from muninn.recall.question import Question
from muninn.recall.textindex import Slots

_ESTIMATE_ERROR = 0.012
"""How far an estimated cosine may be off: four standard deviations of 0.003 (e5)."""
_ROUNDING = 4e-6
"""The same without a sketch."""


class Meaning:
    """``values``: one per slot, in [0, 1]; 0 without a vector. ``error``: how far they may be off before ``settle``."""

    def __init__(self, holdings: Holdings, question: Question) -> None:
        self._holdings, self._question = holdings, question
        values = np.zeros(holdings.columns.count + 1, np.float32)  # the last entry takes what was let go
        self.error = 0.0
        for model, (vector, calibration) in question.vectors.items():
            index = holdings.vectors.get(model)
            if index is None or index.dimensions != len(vector):
                continue
            cosines = index.estimate(vector)
            off = _ESTIMATE_ERROR if index.sketched else _ROUNDING
            self.error = max(self.error, off * calibration.a / scoring.SPAN)
            found = scoring.meaning(cosines, question.floors[model], calibration)
            if index.aligned and len(question.vectors) == 1:
                values[: len(found)] = found
            else:
                values[index.slots] = found
        self.values = values[:-1]

    def settle(self, slots: Slots) -> None:
        """Make the values at ``slots`` exact. A slot has a vector of one model at most."""
        holdings, question = self._holdings, self._question
        for model, (vector, calibration) in question.vectors.items():
            index = holdings.vectors.get(model)
            if index is None or index.dimensions != len(vector):
                continue
            rows = index.rows_at(slots)
            held = rows >= 0
            cosines = index.cosines(rows[held], vector)
            self.values[slots[held]] = scoring.meaning(cosines, question.floors[model], calibration)
