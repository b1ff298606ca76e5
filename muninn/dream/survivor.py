"""Which of several memories that say the same survives a merge.

The most informative and best written; then the most used; then the most recently used; then the original, whose id
others may know. The survivor counts as asserted when the last of them was, whichever it is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from muninn.domain.memory import Memory
from muninn.domain.separation import Vocabulary

_WORD = re.compile(r"\w{4,}")
_SLOPPY = re.compile(r"^\s|\s$|[^\S\n]{2,}|[.!?]{2,}")
_PUNCTUATION = re.compile(r"[.,;:!?¡¿。、，]+")


def survivor_first(memories: Sequence[Memory], vocabulary: Vocabulary) -> tuple[tuple[Memory, ...], str]:
    """The memories with the survivor first and the rest by id, and the reason in words."""
    odd = _misspelt(memories, vocabulary)
    marks = {
        memory.id: (
            -odd[memory.id],
            not memory.title_derived,
            len(set(_WORD.findall(memory.content.casefold()))),
            _care(memory.content),
            len(memory.tags) + len(memory.metadata),
            memory.access_count,
            memory.last_accessed_at.timestamp() if memory.last_accessed_at else 0.0,
            -memory.created_at.timestamp(),
        )
        for memory in memories
    }
    ordered = sorted(memories, key=lambda memory: memory.id)
    best = max(ordered, key=lambda memory: marks[memory.id])
    runner = max((m for m in ordered if m is not best), key=lambda memory: marks[memory.id])
    reasons = (
        "well spelt",
        "titled",
        "more to say",
        "better written",
        "more tags",
        "more used",
        "used last",
        "the original",
    )
    differing = (
        reason for reason, mine, other in zip(reasons, marks[best.id], marks[runner.id], strict=True) if mine != other
    )
    return (best, *(memory for memory in ordered if memory is not best)), next(differing, "first by id")


def _care(text: str) -> tuple[bool, int, int]:
    """How carefully a text is written: not all capitals or none, no doubled spaces, punctuated."""
    mixed = not (text == text.lower() or text == text.upper())
    return mixed, -len(_SLOPPY.findall(text)), len(_PUNCTUATION.findall(text))


def _misspelt(memories: Sequence[Memory], vocabulary: Vocabulary) -> dict[str, int]:
    """How many words of each text its fellows lack, that occur nowhere else and are no words."""
    words = {memory.id: set(_WORD.findall(memory.content.casefold())) for memory in memories}
    shared = set.intersection(*words.values())
    if all(found == shared for found in words.values()):
        return dict.fromkeys(words, 0)
    return {
        key: sum(
            vocabulary.count(word) <= sum(word in other for other in words.values()) and not vocabulary.known(word)
            for word in found - shared
        )
        for key, found in words.items()
    }
