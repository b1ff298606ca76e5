"""What a new memory resembles, and what it may contradict: the hints that come back when something is remembered."""

from __future__ import annotations

from muninn.domain.memory import Memory
from muninn.domain.separation import Text, features, merge_verdict
from muninn.domain.separation.comparison import coverage
from muninn.domain.separation.slots import VALUE_SLOTS
from muninn.domain.separation.verdict import NEAR_COSINE, contradiction
from muninn.domain.trust import Tier
from muninn.ports import Neighbour
from muninn.service.writer import Writer

_NEIGHBOURS = 5
_MINIMUM = 0.5  # calibrated similarity from which a neighbour is worth naming
POLARITY = ("negation", "antonym")
_SAME_SUBJECT = 0.3
"""Share of words, as ``coverage`` counts them, from which two texts are about one thing. Facts about one thing share 0.33 and
more when only a value changed (“standup is at 9:30” / “at 9:45 since April”); different ones of one project stay below."""


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
    differs = contradiction(mine, theirs)
    if differs is not None and differs.slot in (*VALUE_SLOTS, *POLARITY) and coverage(mine, theirs) >= _SAME_SUBJECT:
        return "possible_conflict"
    return "near" if neighbour.similarity >= NEAR_COSINE or verdict.action == "review" else None


def _text(memory: Memory) -> Text:
    return Text(title=None if memory.title_derived else memory.title, content=memory.content)
