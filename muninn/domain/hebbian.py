"""What is recalled together grows together: w <- w + eta (1 - w) a_i a_j, and fades as w 2^(-t / 30 days)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import combinations

from muninn.domain.strength import days_between

RATE = 0.2  # eta
HALF_LIFE = 30.0  # days
WIDTH = 5  # of one recall only the best so many are bound to each other
FAINTEST = 0.1  # a product of activations below this binds nothing: the tail of a recall is chance
RELATION = "co_activated"


def faded(weight: float, *, since: datetime, now: datetime) -> float:
    """``weight`` as it is worth at ``now`` when it was last set at ``since``."""
    return float(weight * 2.0 ** (-days_between(since, now) / HALF_LIFE))


def strengthened(weight: float, *, together: float) -> float:
    """``weight`` after one joint recall with activation product ``together`` (0-1); stays below 1."""
    return weight + RATE * (1.0 - weight) * together


@dataclass(frozen=True, slots=True)
class Trace:
    """The weight of one pair and the moment it is true of."""

    weight: float
    at: datetime


Pair = tuple[str, str]


def trained(recalls: Iterable[tuple[datetime, Mapping[str, float]]], traces: Mapping[Pair, Trace]) -> dict[Pair, Trace]:
    """The traces that change when ``recalls`` (time, activation by memory id) happen in the order given.

    Pairs are ordered (lower id first). Each trace first fades to the moment of the recall, then grows.
    """
    changed: dict[Pair, Trace] = {}
    for at, activations in recalls:
        best = sorted(activations, key=lambda key: (-activations[key], key))[:WIDTH]
        for pair in combinations(sorted(best), 2):
            together = activations[pair[0]] * activations[pair[1]]
            if together < FAINTEST:
                continue
            old = changed.get(pair) or traces.get(pair)
            weight = faded(old.weight, since=old.at, now=at) if old else 0.0
            moment = max(at, old.at) if old else at
            changed[pair] = Trace(strengthened(weight, together=together), moment)
    return changed
