"""Association: what a strong match calls to mind, over links and over what was written just before and after it.

Activation starts at the best seeds and loses at every hop: by decay, by the link's weight and relation, and by rarity,
because a hub that is linked to everything says little about anything. Bounded in seeds, hops and fan-out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta

from muninn.domain.memory import Link, Memory
from muninn.recall.holdings import Holdings

SEEDS = 32
SEED_FLOOR = 0.3
"""Relevance below which a match is too weak to call anything to mind."""
HOPS = 2
DECAY = 0.35
FAN_OUT = 24
LEAST = 0.02

BESIDE = (0.2, 0.1)
"""Activation from the next and the next but one memory of the same vault, when they were written together."""
BESIDE_IT = "beside"
"""Stands for a relation on a way by nearness in time."""
TOGETHER = timedelta(hours=1)
OWN_ENOUGH = 0.1
"""Own relevance from which a memory takes all that its neighbours in time pass on; one with none takes nothing."""

_BY_RELATION = {
    "contradicts": 0.6, "supersedes": 0.0, "co_activated": 0.8, "inferred": 0.7, "relates_to": 0.8, "references": 0.8,
}  # fmt: skip
"""How well a relation carries activation; 1 for the others. What replaced what is settled by succession instead."""


@dataclass(frozen=True, slots=True)
class Spread:
    """Activation (0–1) that reached a memory, and the strongest way: (id, relation) from the seed on. A way over links is
    named before one by nearness in time: it says more."""

    activation: float
    path: tuple[tuple[str, str], ...]


Own = Callable[[str], float | None]
"""The relevance of a memory by itself; None for one that must not be seen, which neither receives nor passes on."""


Beside = tuple[str, str, float]
"""A seed, a memory written next to it, and the share of the seed's relevance that reaches that memory."""


def written_beside(relevance: Mapping[str, float], holdings: Holdings) -> list[Beside]:
    """The neighbours in time of every seed."""
    return [(seed, other, share) for seed, _ in _seeds(relevance) for other, share in _beside(seed, holdings)]


def spread(relevance: Mapping[str, float], beside: Iterable[Beside], holdings: Holdings, own: Own) -> dict[str, Spread]:
    """What the seeds among ``relevance`` activate, over links and to those ``beside`` them."""
    reached: dict[str, Spread] = {}
    for seed, other, share in beside:
        taken = min(1.0, (own(other) or 0.0) / OWN_ENOUGH)
        if taken > 0.0:
            _receive(reached, other, relevance[seed] * share * taken, ((seed, BESIDE_IT),))
    for seed, value in _seeds(relevance):
        if holdings.links_at.get(seed):
            for other, activation, path in _linked(seed, value, holdings, own):
                _receive(reached, other, activation, path)
    return reached


def _seeds(relevance: Mapping[str, float]) -> list[tuple[str, float]]:
    """The best of those that match well enough to call something to mind, best first."""
    strong = (item for item in relevance.items() if item[1] >= SEED_FLOOR)
    return sorted(strong, key=lambda item: (-item[1], item[0]))[:SEEDS]


def _receive(reached: dict[str, Spread], memory_id: str, activation: float, path: tuple[tuple[str, str], ...]) -> None:
    before = reached.get(memory_id)
    if before is None:
        reached[memory_id] = Spread(activation, path)
    else:
        total = 1.0 - (1.0 - before.activation) * (1.0 - activation)
        kept = before.activation >= activation and before.path[-1][1] != BESIDE_IT
        reached[memory_id] = Spread(total, before.path if kept else path)


def _beside(memory_id: str, holdings: Holdings) -> list[tuple[str, float]]:
    memory = holdings.memories[memory_id]
    near = []
    for other, distance in holdings.beside(memory_id, len(BESIDE)):
        if _written_together(memory, holdings.memories[other]):
            near.append((other, BESIDE[distance - 1]))
    return near


def _written_together(one: Memory, other: Memory) -> bool:
    session = one.provenance.session_id
    if session is not None and other.provenance.session_id is not None:
        return session == other.provenance.session_id
    return abs(one.created_at - other.created_at) <= TOGETHER


def _linked(
    seed: str, value: float, holdings: Holdings, own: Own
) -> list[tuple[str, float, tuple[tuple[str, str], ...]]]:
    """The best way from one seed to every memory within reach."""
    best: dict[str, tuple[float, tuple[tuple[str, str], ...]]] = {}
    frontier: dict[str, tuple[float, tuple[tuple[str, str], ...]]] = {seed: (value, ())}
    for _ in range(HOPS):
        following: dict[str, tuple[float, tuple[tuple[str, str], ...]]] = {}
        for source, (activation, path) in sorted(frontier.items()):
            links = sorted(holdings.links_of(source), key=lambda link: (-link.weight, link.key))
            rarity = 1.0 / (1.0 + len(links) / 8.0) ** 0.5
            for link in links[:FAN_OUT]:
                other = link.target if link.source == source else link.source
                passed = activation * DECAY * rarity * _carries(link)
                known = max(best.get(other, (0.0,))[0], following.get(other, (0.0,))[0])
                if other != seed and passed >= LEAST and passed > known and own(other) is not None:
                    following[other] = (passed, (*path, (source, link.relation)))
        best.update(following)
        frontier = following
    return [(other, activation, path) for other, (activation, path) in sorted(best.items())]


def _carries(link: Link) -> float:
    return min(1.0, max(0.0, link.weight)) * _BY_RELATION.get(link.relation, 1.0)
