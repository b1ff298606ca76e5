"""From evidence to one absolute score in [0, 1], as pure steps.

relevance = a calibrated blend of meaning (cosine above the noise floor of the query) and wording (weighted share of the
query that a text covers), never below what exact wording alone earns; associations may add to it. Strength, confidence,
relevance and recency then move it inside a bounded band. No step looks at unrelated memories, so a score means the same
in every store.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from muninn.domain.strength import Values
from muninn.ports import Calibration
from muninn.recall.columns import Mask
from muninn.recall.textindex import Floats

MARGIN = 0.05
"""Calibrated similarity above the noise floor at which meaning starts to count."""
SPAN = 0.7
"""Calibrated similarity above the margin at which meaning is full: where the best answers to real questions lie."""

IDLE_SHARE = 0.1
"""Share of a query that any text may cover by its "what is the": it says nothing."""

MEANING_SHARE = 0.45
DOUBT = 0.15
"""Share of its meaning that a text loses when it has no word of a query in its own language."""
WORDING_ENOUGH = 0.4
"""Wording from which meaning is trusted in full."""
LEXICAL_FLOOR = 0.7
FOREIGN_SHARE = 0.38
"""What meaning alone earns across languages, where wording cannot testify."""

IN_TIME = 0.2
"""Share of what is missing to 1 that a relevant memory gains when it is from the time asked about."""
IN_TIME_ONLY = 0.6
"""Relevance of a memory from the time asked about, when the query asks about nothing else."""

BAND = 0.08
"""Strength and its kin change a score by at most this share, up or down."""

TOLD = 0.15
"""Wording that is grounds enough for an answer by itself."""
MEANT, MEANT_BY_NONSENSE = 0.02, 0.45
"""Meaning that is grounds enough by itself: for a query in words that people use, and in words that nobody does."""
LEAST_SHOWN = 0.01
"""Below this a memory is not an answer, whatever else is."""


def meaning(cosines: Floats, floor: float, calibration: Calibration) -> Floats:
    """Cosines as shares of what lies between "no more than noise" (0) and "answers it" (1)."""
    share = cosines - np.float32(floor)
    share *= np.float32(calibration.a / SPAN)
    share -= np.float32(MARGIN / SPAN)
    np.clip(share, 0.0, 1.0, out=share)
    return share


def wording(covered: Floats, total: float) -> Floats:
    """The weighted share of the query's words that each text holds, beyond what any text does, in [0, 1]; ``total`` charges
    unseen words too."""
    if total <= 0:
        return np.zeros_like(covered)
    share = covered * np.float32(1.0 / (total * (1.0 - IDLE_SHARE)))
    share -= np.float32(IDLE_SHARE / (1.0 - IDLE_SHARE))
    np.clip(share, 0.0, 1.0, out=share)
    return share


def blend(by_meaning: Floats, by_wording: Floats, foreign: Mask | None) -> Floats:
    """Relevance of each text, in [0, 1].

    ``foreign`` marks texts in a known language other than the query's. Elsewhere meaning without any common word is
    doubted, and exact wording has a floor, so that a weak vector cannot hide a literal match.
    """
    relevance = by_wording * np.float32(DOUBT / WORDING_ENOUGH)
    np.minimum(relevance, np.float32(DOUBT), out=relevance)
    relevance += np.float32(1.0 - DOUBT)  # trust in the meaning, in [1 - DOUBT, 1]
    relevance *= by_meaning
    relevance *= np.float32(MEANING_SHARE)
    relevance += np.float32(1.0 - MEANING_SHARE) * by_wording
    np.maximum(relevance, np.float32(LEXICAL_FLOOR) * by_wording, out=relevance)
    if foreign is not None:
        np.maximum(relevance, by_meaning * np.float32(FOREIGN_SHARE), out=relevance, where=foreign)
    return relevance


def grounded(by_meaning: float, by_wording: float, sense: float) -> bool:
    """Whether the evidence for one text is an answer at all. ``sense``: from 0, words that nobody uses, to 1."""
    meant = MEANT_BY_NONSENSE + sense * (MEANT - MEANT_BY_NONSENSE)
    return by_meaning / meant + by_wording / TOLD >= 1.0


def timed(relevance: Floats, in_time: Mask, *, subject: bool) -> Floats:
    """Relevance with what the time asked about adds. A query with a ``subject`` is boosted by its date, since things are
    often told later than they happen; one that asks about a time and nothing else is narrowed to it."""
    if not subject:
        narrowed: Floats = np.where(in_time, np.maximum(relevance, np.float32(IN_TIME_ONLY)), np.float32(0.0))
        return narrowed
    gain = np.where(in_time, np.float32(IN_TIME) * np.minimum(1.0, relevance / 0.2), np.float32(0.0))
    boosted: Floats = relevance + (1.0 - relevance) * gain
    return boosted


def joined(relevance: float, activation: float) -> float:
    """Relevance with what associations add: each takes its share of what is missing to 1."""
    return 1.0 - (1.0 - relevance) * (1.0 - activation)


class Modulation(NamedTuple):
    """How a memory's standing moves its relevance; each part in [−1, 1], ``factor`` in [1 − BAND, 1 + BAND]."""

    strength: float
    confidence: float
    relevance: float
    recency: float
    factor: float


def modulations(*, strength: Values, confidence: Values, relevance: Values, age: Values) -> list[Modulation]:
    """One a memory. All 0–1 but ``age``, in days since the last assertion, at least 0: recency halves every 30 of them."""
    standing = np.stack([strength, confidence, relevance, np.exp2(-age / 30.0)])
    moved = 2.0 * np.minimum(1.0, np.maximum(0.0, standing)) - 1.0
    mean = 0.4 * moved[0] + 0.3 * moved[1] + 0.2 * moved[2] + 0.1 * moved[3]
    factor = 1.0 + BAND * mean
    return [Modulation(*parts) for parts in zip(*moved.tolist(), factor.tolist(), strict=True)]
