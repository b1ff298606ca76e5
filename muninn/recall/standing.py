"""How candidates stand whatever is asked: strength, confidence, relevance and recency, read off the columns.

A recall weighs a few dozen of them, and walking over as many scattered memories costs more than all the arithmetic.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

import numpy as np

from muninn.domain.strength import DAY, Values, base_level, days_between, retrievability, unpractised
from muninn.recall.columns import Column
from muninn.recall.holdings import Holdings
from muninn.recall.scoring import Modulation, modulations
from muninn.recall.textindex import Slots


def standings(ids: Collection[str], slots: Slots, holdings: Holdings, now: datetime) -> dict[str, Modulation]:
    """By id; ``ids`` lie at ``slots``."""
    rows = holdings.columns["standing"][slots].T
    _, age, _ = _days(rows[:3], now)
    moved = modulations(strength=_strengths(ids, rows, holdings, now), confidence=rows[5], relevance=rows[6], age=age)
    return dict(zip(ids, moved, strict=True))


def strengths(ids: Collection[str], slots: Slots, holdings: Holdings, now: datetime) -> Values:
    """How retrievable each of ``ids`` is, in (0, 1]: what ``domain.strength`` says of one memory, for many at once."""
    return _strengths(ids, holdings.columns["standing"][slots].T, holdings, now)


def _strengths(ids: Collection[str], rows: Column, holdings: Holdings, now: datetime) -> Values:
    life, asserted, used = _days(rows[:3], now)
    idle, level = np.minimum(asserted, used), unpractised(life)
    for at, (memory_id, uses) in enumerate(zip(ids, rows[3].tolist(), strict=True)):
        accesses = holdings.accesses.get(memory_id)
        if accesses or uses:
            ages = [days_between(one, now) for one in accesses or ()]
            idle[at] = min([float(idle[at]), *ages])
            level[at] = base_level(float(life[at]), used=float(used[at]), ages=ages, uses=int(uses))
    return retrievability(idle, rows[4], level)


def _days(since: Column, now: datetime) -> Column:
    """Days from each of the times to ``now``, never negative."""
    days: Column = np.maximum(0.0, (now.timestamp() - since) / DAY)
    return days
