"""How retrievable a memory is now: forgetting curve and access history, as pure functions of elapsed time.

Nothing here is stored: strength is computed when it is asked for, so that it cannot depend on how long the process ran.
Times are in days before now; arrays hold one entry a memory.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from datetime import datetime

import numpy as np

from muninn.domain.memory import STABILITY_CAP, STABILITY_FLOOR, Memory

DECAY = 0.5  # d of the ACT-R base-level equation
NOISE = 0.8  # s of the ACT-R retrieval probability, on days
THRESHOLD = -1.35  # tau: one exposure two weeks ago is retrieved with probability 1/2
ACCESSES_KEPT = 32  # access times that count one by one; older ones are summed up in ``access_count``
_SHORTEST = 1.0 / 24.0  # days; younger accesses count as one hour old, so that a burst does not dwarf everything
DAY = 86_400.0  # seconds

Values = np.ndarray[tuple[int], np.dtype[np.float64]]


def days_between(earlier: datetime, later: datetime) -> float:
    """Days from ``earlier`` to ``later``, never negative: a clock that went back makes nothing older or newer."""
    return max(0.0, (later - earlier).total_seconds() / DAY)


def bounded_stability(days: float) -> float:
    """Stability within its floor (14 d) and cap (365 d)."""
    return min(STABILITY_CAP, max(STABILITY_FLOOR, days))


def retention(idle: Values, stability: Values) -> Values:
    """R = exp(-t/S) in (0, 1]: t since last asserted or accessed, S stability within its bounds (Ebbinghaus)."""
    retained: Values = np.exp(-idle / np.minimum(STABILITY_CAP, np.maximum(STABILITY_FLOOR, stability)))
    return retained


def unpractised(life: Values) -> Values:
    """The base level of a memory made ``life`` ago and never accessed since: ln(t^-d)."""
    level: Values = -DECAY * np.log(np.maximum(_SHORTEST, life))
    return level


def base_level(life: float, *, used: float = math.inf, ages: Sequence[float] = (), uses: int = 0) -> float:
    """ACT-R base level B = ln(sum of t^-d) over creation, ``life`` ago, and every access, the last of them ``used`` ago.

    ``ages`` are those of the accesses still known, in any order; of ``uses`` in all, those that are only counted are spread
    evenly between creation and the oldest known one (Petrov 2006, hybrid approximation).
    """
    life = max(_SHORTEST, life)
    if not ages and uses > 0 and used < math.inf:
        ages = (used,)
    known = sorted(max(_SHORTEST, min(life, age)) for age in ages)
    total = life**-DECAY + sum(age**-DECAY for age in known)
    uncounted = uses - len(known)
    if uncounted > 0:
        oldest = known[-1] if known else _SHORTEST
        total += uncounted * _mean_trace(oldest, life)
    return math.log(total)


def _mean_trace(young: float, old: float) -> float:
    """Mean of t^-d over ages from ``young`` to ``old`` days."""
    if old - young < 1e-9:
        return float(old**-DECAY)
    return float((old ** (1 - DECAY) - young ** (1 - DECAY)) / ((1 - DECAY) * (old - young)))


def availability(level: Values) -> Values:
    """ACT-R retrieval probability of a base level, in (0, 1)."""
    probability: Values = 1.0 / (1.0 + np.exp(-(level - THRESHOLD) / NOISE))
    return probability


def retrievability(idle: Values, stability: Values, level: Values) -> Values:
    """The mean of retention and availability, in (0, 1]."""
    return (retention(idle, stability) + availability(level)) / 2.0


def strength(memory: Memory, *, now: datetime, accesses: Iterable[datetime] = ()) -> float:
    """How retrievable ``memory`` is at ``now``, in (0, 1]; ``accesses``: the times still known, in any order."""
    used = math.inf if memory.last_accessed_at is None else days_between(memory.last_accessed_at, now)
    ages = [days_between(at, now) for at in accesses]
    idle = min(days_between(memory.learned_at, now), used, *ages)
    level = base_level(days_between(memory.created_at, now), used=used, ages=ages, uses=memory.access_count)
    return float(retrievability(*np.array([[idle], [memory.stability], [level]]))[0])
