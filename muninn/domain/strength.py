"""How retrievable a memory is now: forgetting curve and access history, as pure functions of elapsed time.

Nothing here is stored: strength is computed when it is asked for, so that it cannot depend on how long the process ran.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime

from muninn.domain.memory import STABILITY_CAP, STABILITY_FLOOR, Memory

DECAY = 0.5  # d of the ACT-R base-level equation
NOISE = 0.8  # s of the ACT-R retrieval probability, on days
THRESHOLD = -1.35  # tau: one exposure two weeks ago is retrieved with probability 1/2
ACCESSES_KEPT = 32  # access times that count one by one; older ones are summed up in ``access_count``
_SHORTEST = 1.0 / 24.0  # days; younger accesses count as one hour old, so that a burst does not dwarf everything
_DAY = 86_400.0


def days_between(earlier: datetime, later: datetime) -> float:
    """Days from ``earlier`` to ``later``, never negative: a clock that went back makes nothing older or newer."""
    return max(0.0, (later - earlier).total_seconds() / _DAY)


def bounded_stability(days: float) -> float:
    """Stability within its floor (14 d) and cap (365 d)."""
    return min(STABILITY_CAP, max(STABILITY_FLOOR, days))


def retention(memory: Memory, *, now: datetime, last_access: datetime | None = None) -> float:
    """R = exp(-t/S) in (0, 1]: t days since last asserted or accessed, S stability in days (Ebbinghaus)."""
    seen = max(at for at in (memory.learned_at, memory.last_accessed_at, last_access) if at is not None)
    return math.exp(-days_between(seen, now) / bounded_stability(memory.stability))


def base_level(memory: Memory, *, now: datetime, accesses: Sequence[datetime] = ()) -> float:
    """ACT-R base level B = ln(sum of t^-d) over creation and every access, t in days.

    ``accesses`` are the times still known, in any order; the accesses that are only counted are spread evenly between
    creation and the oldest known one (Petrov 2006, hybrid approximation).
    """
    life = max(_SHORTEST, days_between(memory.created_at, now))
    if not accesses and not memory.access_count:
        return math.log(life**-DECAY)
    known = sorted(max(_SHORTEST, min(life, days_between(at, now))) for at in accesses)
    if not known and memory.access_count > 0 and memory.last_accessed_at is not None:
        known = [max(_SHORTEST, min(life, days_between(memory.last_accessed_at, now)))]
    total = life**-DECAY + sum(age**-DECAY for age in known)
    uncounted = memory.access_count - len(known)
    if uncounted > 0:
        oldest = known[-1] if known else _SHORTEST
        total += uncounted * _mean_trace(oldest, life)
    return math.log(total)


def _mean_trace(young: float, old: float) -> float:
    """Mean of t^-d over ages from ``young`` to ``old`` days."""
    if old - young < 1e-9:
        return float(old**-DECAY)
    return float((old ** (1 - DECAY) - young ** (1 - DECAY)) / ((1 - DECAY) * (old - young)))


def availability(level: float) -> float:
    """ACT-R retrieval probability of a base level, in (0, 1)."""
    return 1.0 / (1.0 + math.exp(-(level - THRESHOLD) / NOISE))


def strength(memory: Memory, *, now: datetime, accesses: Sequence[datetime] = ()) -> float:
    """How retrievable ``memory`` is at ``now``, in (0, 1]: the mean of its retention and its availability."""
    last = max(accesses, default=None)
    level = base_level(memory, now=now, accesses=accesses)
    return (retention(memory, now=now, last_access=last) + availability(level)) / 2.0
