"""How candidates stand whatever is asked: strength, confidence, relevance and recency, read off the columns.

A recall weighs a few dozen of them, and walking over as many scattered memories costs more than all the arithmetic.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

import numpy as np

from muninn.domain.strength import Values, base_level, days_between, retrievability, unpractised
from muninn.recall.columns import Column
from muninn.recall.holdings import Holdings
from muninn.recall.scoring import Modulation, modulations
from muninn.recall.textindex import Slots

_DAY = 86_400.0


def standings(ids: Collection[str], slots: Slots, holdings: Holdings, now: datetime) -> dict[str, Modulation]:
    """By id; ``ids`` lie at ``slots``."""
    columns = holdings.columns
    moved = modulations(
        strength=strengths(ids, slots, holdings, now),
        confidence=columns["confidence"][slots],
        relevance=columns["relevance"][slots],
        age=_days(columns["asserted"][slots], now),
    )
    return dict(zip(ids, moved, strict=True))


def strengths(ids: Collection[str], slots: Slots, holdings: Holdings, now: datetime) -> Values:
    """How retrievable each of ``ids`` is, in (0, 1]: what ``domain.strength`` says of one memory, for many at once."""
    columns = holdings.columns
    life, asserted, used = _days(np.stack([columns[name][slots] for name in ("created", "asserted", "used")]), now)
    idle, level = np.minimum(asserted, used), unpractised(life)
    for at, (memory_id, uses) in enumerate(zip(ids, columns["uses"][slots].tolist(), strict=True)):
        accesses = holdings.accesses.get(memory_id)
        if accesses or uses:
            ages = [days_between(one, now) for one in accesses or ()]
            idle[at] = min([float(idle[at]), *ages])
            level[at] = base_level(float(life[at]), used=float(used[at]), ages=ages, uses=uses)
    return retrievability(idle, columns["stability"][slots], level)


def _days(since: Column, now: datetime) -> Column:
    """Days from each of the times to ``now``, never negative."""
    days: Column = np.maximum(0.0, (now.timestamp() - since) / _DAY)
    return days
