"""Knows when two words are one word and its misspelling.

One edit (a letter dropped, added, replaced, or two neighbours swapped) in a lower-case word of at least six letters, whose
odd form occurs nowhere else in the store while the other does. Everything that could be grammar or another word is no
misspelling: accents, first letters, endings, known twins.
"""

from __future__ import annotations

import unicodedata
from typing import Protocol

MINIMUM_LETTERS = 6


class Vocabulary(Protocol):
    """How often a lower-case word occurs in the active memories of the store, the two compared ones included."""

    def count(self, word: str) -> int: ...


def misspelled(left: str, right: str, vocabulary: Vocabulary, *, left_uses: int = 1, right_uses: int = 1) -> str | None:
    """The odd form among the two, or None. ``*_uses``: how often each form occurs in its own text."""
    if not _one_slip(left, right):
        return None
    left_elsewhere = vocabulary.count(left) - left_uses
    right_elsewhere = vocabulary.count(right) - right_uses
    if left_elsewhere <= 0 < right_elsewhere:
        return left
    if right_elsewhere <= 0 < left_elsewhere:
        return right
    return None


def _one_slip(left: str, right: str) -> bool:
    if min(len(left), len(right)) < MINIMUM_LETTERS or left == right or not (left.isalpha() and right.isalpha()):
        return False
    if not (left.islower() and right.islower() and _latin(left) and _latin(right)):
        return False
    if frozenset((left, right)) in _TWINS or _unaccented(left) == _unaccented(right):
        return False
    start = 0
    while start < min(len(left), len(right)) and left[start] == right[start]:
        start += 1
    end = 0
    while end < min(len(left), len(right)) - start and left[-1 - end] == right[-1 - end]:
        end += 1
    changed_left, changed_right = left[start : len(left) - end], right[start : len(right) - end]
    if start == 0 or _ending(left, right, start, end):
        return False
    if len(changed_left) == len(changed_right) == 2:
        return changed_left == changed_right[::-1]
    return len(changed_left) <= 1 and len(changed_right) <= 1


def _ending(left: str, right: str, start: int, end: int) -> bool:
    """Whether the edit falls where grammar lives: the last letter, or the vowel or consonant before a shared ending."""
    if end == 0:
        return True
    tail = left[len(left) - end :] if end else ""
    return tail in _ENDINGS and len(left) != len(right) or (tail in _ENDINGS and tail != "")


def _latin(word: str) -> bool:
    return all(letter.isascii() or "LATIN" in unicodedata.name(letter, "") for letter in word)


def _unaccented(word: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c))


_ENDINGS = frozenset(("s", "d", "r", "n", "a", "o", "as", "os", "es"))
_TWINS: frozenset[frozenset[str]] = frozenset()
