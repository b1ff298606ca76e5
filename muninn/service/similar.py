"""What a new memory resembles, and what it may contradict: the hints that come back when something is remembered."""

from __future__ import annotations

from muninn.domain.memory import Memory
from muninn.domain.separation import Text, compare, features, merge_verdict
from muninn.domain.separation.slots import VALUE_SLOTS
from muninn.domain.separation.verdict import NEAR_COSINE
from muninn.domain.trust import Tier
from muninn.ports import Neighbour
from muninn.service.writer import Writer

_NEIGHBOURS = 5
_MINIMUM = 0.5  # calibrated similarity from which a neighbour is worth naming
POLARITY = ("negation", "antonym")


def similar_to(service: Writer, memory: Memory) -> tuple[tuple[Neighbour, str], ...]:
    """The nearest active memories, each with ``duplicate``, ``near`` or ``possible_conflict``; the unrelated are left out."""
    if not memory.active:
        return ()
    found = []
    for neighbour in service.read.neighbours(memory.id, limit=_NEIGHBOURS, minimum=_MINIMUM):
        if neighbour.memory.tier is Tier.LEGAL and memory.tier is not Tier.LEGAL:
            continue  # its title is legal text, and whoever writes the looser one may be a model
        relation = _relation(memory, neighbour)
        if relation is not None:
            found.append((neighbour, relation))
    return tuple(found)


def _relation(memory: Memory, neighbour: Neighbour) -> str | None:
    mine, theirs = features(_text(memory)), features(_text(neighbour.memory))
    verdict = merge_verdict(mine, theirs, cosine=neighbour.similarity)
    if verdict.action == "merge":
        return "duplicate"
    refusal = compare(mine, theirs).refusal
    if refusal is not None and refusal.slot in (*VALUE_SLOTS, *POLARITY):
        return "possible_conflict"
    return "near" if neighbour.similarity >= NEAR_COSINE or verdict.action == "review" else None


def _text(memory: Memory) -> Text:
    return Text(title=None if memory.title_derived else memory.title, content=memory.content)
