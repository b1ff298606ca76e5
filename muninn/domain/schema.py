"""When a memory has become a schema: many others hang on it, and it matters."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping

from muninn.domain.memory import Kind, Link, Memory

DEGREE = 10  # distinct active neighbours
RELEVANCE = 0.8
FAINTEST = 0.3  # weaker links do not count
LARGEST_SHARE = 0.05  # of a vault's active memories that may be schemas
FEWEST = 5  # schemas a small vault may have all the same
_LEARNED = frozenset({"co_activated", "inferred"})  # made by dreams: they must not raise a schema by themselves


def lifted(relevance: float) -> float:
    """The relevance of a memory that becomes a schema: a tenth of the way to 1, once."""
    return round(min(1.0, relevance + 0.1 * (1.0 - relevance)), 6)


def degrees(links: Iterable[Link], active: Mapping[str, Memory], *, of: Container[str]) -> dict[str, int]:
    """How many distinct active memories each memory in ``of`` is linked with, in either direction."""
    neighbours: dict[str, set[str]] = defaultdict(set)
    for link in links:
        if link.rejected or link.relation in _LEARNED or link.weight < FAINTEST or link.source == link.target:
            continue
        if (link.source in of or link.target in of) and link.source in active and link.target in active:
            neighbours[link.source].add(link.target)
            neighbours[link.target].add(link.source)
    return {key: len(found) for key, found in neighbours.items()}


def promotable(active: Mapping[str, Memory], links: Iterable[Link]) -> Iterator[tuple[Memory, int]]:
    """Memories to promote with their degree, best connected first, within the share a vault may have."""
    relevant = {
        memory.id
        for memory in active.values()
        if memory.relevance >= RELEVANCE and memory.kind is not Kind.SCHEMA and not memory.pinned
    }
    if not relevant:
        return
    count = degrees(links, active, of=relevant)
    ready = [(active[key], count[key]) for key in relevant if count.get(key, 0) >= DEGREE]
    present = sum(memory.kind is Kind.SCHEMA for memory in active.values())
    room = max(FEWEST, int(LARGEST_SHARE * len(active))) - present
    yield from sorted(ready, key=lambda item: (-item[1], -item[0].relevance, item[0].id))[: max(0, room)]
