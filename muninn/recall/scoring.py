"""From evidence to one absolute score in [0, 1], as pure steps.

relevance = a calibrated blend of meaning (cosine above the embedder's noise floor) and wording (weighted share of the
query that a text covers), never below what the wording alone earns. Strength, confidence, relevance and recency then
move it inside a bounded band. No step looks at other memories, so a score means the same in every store.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from muninn.domain.memory import Memory
from muninn.ports import Calibration
from muninn.recall.textindex import Floats

NOISE_FLOOR = 0.1
"""Calibrated similarity of unrelated texts (ports.Calibration)."""

MEANING_SHARE = 0.65
LEXICAL_FLOOR = 0.75
BAND = 0.08
"""Strength and its kin change a score by at most this share, up or down."""

ABSTAIN_BELOW = 0.12


def meaning(cosines: Floats, calibration: Calibration) -> Floats:
    """Cosines as shares of what lies between "unrelated" (0) and "the same" (1)."""
    calibrated = calibration.a * cosines + calibration.b
    share: Floats = np.clip((calibrated - NOISE_FLOOR) / (1.0 - NOISE_FLOOR), 0.0, 1.0).astype(np.float32)
    return share


def wording(covered: Floats, total: float) -> Floats:
    """The weighted share of the query's words that each text holds, in [0, 1]; ``total`` charges unseen words too."""
    share: Floats = np.clip(covered / np.float32(total), 0.0, 1.0) if total > 0 else np.zeros_like(covered)
    return share


def blend(by_meaning: Floats, by_wording: Floats) -> Floats:
    """Relevance: a weighted mean with a floor under exact wording, so that a weak vector cannot hide a literal match."""
    mixed = MEANING_SHARE * by_meaning + (1.0 - MEANING_SHARE) * by_wording
    floored: Floats = np.maximum(mixed, LEXICAL_FLOOR * by_wording)
    return floored


@dataclass(frozen=True, slots=True)
class Modulation:
    """How a memory's standing moves its relevance; each part in [−1, 1], ``factor`` in [1 − BAND, 1 + BAND]."""

    strength: float
    confidence: float
    relevance: float
    recency: float

    @property
    def factor(self) -> float:
        mean = 0.4 * self.strength + 0.3 * self.confidence + 0.2 * self.relevance + 0.1 * self.recency
        return 1.0 + BAND * mean


def modulation(memory: Memory, strength: float, now: datetime) -> Modulation:
    """``strength``: 0–1. Recency halves every 30 days and counts from the last assertion."""
    age = max(0.0, (now - memory.learned_at).total_seconds() / 86400.0)
    return Modulation(
        strength=2.0 * strength - 1.0,
        confidence=2.0 * min(1.0, max(0.0, memory.confidence)) - 1.0,
        relevance=2.0 * min(1.0, max(0.0, memory.relevance)) - 1.0,
        recency=2.0 * math.exp2(-age / 30.0) - 1.0,
    )
