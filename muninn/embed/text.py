"""The text that is embedded: which part of a memory, in which form, how much of it.

A title stands in front only when a person gave it; one derived from the content would count the first sentence twice.
"""

from __future__ import annotations

import unicodedata

from muninn.domain.memory import Memory
from muninn.errors import UsageError


def embedded_text(memory: Memory) -> str:
    """What a memory's vector is made from. Changes exactly when the vector has to be made again."""
    return memory.content if memory.title_derived else f"{memory.title}\n{memory.content}"


def prepare(text: str, *, limit: int) -> str:
    """``text`` as a model can take it: NFC, no NUL, no lone surrogate, at most ``limit`` characters.

    Raises UsageError when nothing visible is left: models give blank text a real vector that is near everything short.
    """
    # C engines end a string at NUL and would embed the first half only.
    clean = text.replace("\0", " ").strip()[: limit * 4]
    if not clean.isascii():
        clean = unicodedata.normalize("NFC", clean.encode("utf-8", "replace").decode("utf-8"))
    clean = clean[:limit]
    if not clean:
        raise UsageError("cannot embed blank text", hint="give it at least one visible character")
    return clean
