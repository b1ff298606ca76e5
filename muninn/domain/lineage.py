"""How many times over models may rewrite a text of theirs: what is told again and again drifts, however true each telling.

A level belongs to a text. A text that a person or an agent gave has level 0; one that a model wrote is one above the
highest of its sources; whoever edits it starts anew. Levels are kept as decisions, one for each text that a memory had, so
an undone dream leaves what is true of the older text, and they are erased with the memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime

from muninn.domain.memory import Memory, content_hash
from muninn.domain.records import Decision

LEVELS = 2


def level_of(memory: Memory, decisions: Mapping[str, Decision]) -> int:
    """The level of the text as it is now, given all decisions by their keys."""
    found = decisions.get(f"{_op(memory)}:{memory.id}")
    return int(found.verdict) if found is not None else 0


def _op(memory: Memory) -> str:
    return f"text {memory.content_hash}"


def level_from(text: str, sources: Iterable[tuple[Memory, int]]) -> int:
    """The level of a model's ``text`` that unites ``sources``; the words of one of them stay at its level."""
    levels = {memory.content_hash: level for memory, level in sources}
    return levels.get(content_hash(text), 1 + max(levels.values(), default=0))


def noted(memory: Memory, level: int, *, at: datetime, dream_id: str) -> Decision:
    """The record that the text of ``memory`` has this level."""
    return Decision(
        ids=(memory.id,),
        op=_op(memory),
        verdict=str(level),
        fingerprints=(memory.content_hash,),
        at=at,
        vault=memory.vault,
        dream_id=dream_id or None,
        reason="written by a model",
    )
