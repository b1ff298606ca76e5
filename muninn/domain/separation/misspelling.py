"""Knows when two words are one word and its misspelling.

The right form is an ordinary word of at least six letters in the language of the texts. The odd form is one edit away (a
letter dropped, added or replaced, or two neighbours swapped), occurs nowhere else in the store, and is no word, term or name.
No list is whole, and what it lacks (terms, derivations, names) differs from what it has as slips do; so, unless the right form
is common everywhere, the odd form must also be written as no word is. Under eight letters, where words have many neighbours,
the store must use the right form elsewhere, too.
What may be grammar, or a word that no list has, is no misspelling: first and last letters (unless swapped), accents, one vowel
for another, the e of a last -er or -ed, which names of products drop, and in words under eight letters one consonant for
another that is not its neighbour on the keyboard.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection
from typing import Protocol

MINIMUM_LETTERS = 6
LONG = 8
"""Letters from which a word has few neighbours."""
_UNDERSTOOD = 0.75
_VOWELS = frozenset("aeiouyáéíóúü")


class Vocabulary(Protocol):
    """What is known of lower-case words."""

    def count(self, word: str) -> int:
        """How often it occurs in the active memories of the store, the two compared ones included."""
        ...

    def ordinary(self, word: str, tongue: str) -> bool:
        """Whether a language ("en", "es") has it."""
        ...

    def known(self, word: str) -> bool:
        """Whether either language has it, or it is a term or a name."""
        ...

    def wordlike(self, word: str) -> bool:
        """Whether its letters stand beside each other as they do in words, so that it may be one that nobody listed."""
        ...

    def common(self, word: str) -> bool:
        """Whether it is common whatever is stored."""
        ...


def misspelled(
    left: str, right: str, vocabulary: Vocabulary, *, tongue: str, left_uses: int = 1, right_uses: int = 1
) -> str | None:
    """The odd form among the two, or None. ``*_uses``: how often each form occurs in its own text."""
    if not one_slip(left, right):
        return None
    if vocabulary.known(left) == vocabulary.known(right):
        return None
    word, odd, word_uses, uses = left, right, left_uses, right_uses
    if vocabulary.known(right):
        word, odd, word_uses, uses = right, left, right_uses, left_uses
    if len(word) < MINIMUM_LETTERS or vocabulary.count(odd) > uses or not vocabulary.ordinary(word, tongue):
        return None
    if vocabulary.common(word):
        return odd
    certain = len(word) >= LONG or vocabulary.count(word) > word_uses
    return odd if certain and not vocabulary.wordlike(odd) else None


def tongue_of(words: Collection[str], vocabulary: Vocabulary) -> str:
    """The language that has three of four lower-case words of a text: ``en``, ``es``, or ``""`` for another."""
    understood = {
        tongue: sum(vocabulary.ordinary(word, tongue) for word in words) / max(1, len(words)) for tongue in ("en", "es")
    }
    best = max(understood, key=understood.__getitem__)
    return best if understood[best] >= _UNDERSTOOD else ""


def one_slip(left: str, right: str) -> bool:
    """Whether one slip of the finger leads from one word to the other."""
    if left == right or max(len(left), len(right)) < MINIMUM_LETTERS:
        return False
    if not all(word.isalpha() and word.islower() and _latin(word) for word in (left, right)):
        return False
    if _unaccented(left) == _unaccented(right):
        return False
    shared = min(len(left), len(right))
    start = next(at for at in range(shared + 1) if at == shared or left[at] != right[at])
    rest = shared - start
    end = next(at for at in range(rest + 1) if at == rest or left[-1 - at] != right[-1 - at])
    middle_left, middle_right = left[start : len(left) - end], right[start : len(right) - end]
    if len(middle_left) == len(middle_right) == 2:
        return middle_left == middle_right[::-1]
    if start == 0 or end == 0 or not (middle_left + middle_right).isascii():
        return False
    if end == 1 and {middle_left, middle_right} == {"", "e"}:
        return False
    if len(middle_left) == len(middle_right) == 1:
        return _slips(middle_left, middle_right, long=shared >= LONG)
    return len(middle_left) + len(middle_right) == 1


def _slips(letter: str, other: str, *, long: bool) -> bool:
    """Whether one letter is typed for another by accident: neighbouring consonants, any in a long word, or a vowel and a
    consonant."""
    if (letter in _VOWELS) != (other in _VOWELS):
        return True
    return letter not in _VOWELS and (long or other in _NEIGHBOURS.get(letter, ""))


def _latin(word: str) -> bool:
    return word.isascii() or all(letter.isascii() or "LATIN" in unicodedata.name(letter, "") for letter in word)


def _unaccented(word: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFD", word) if not unicodedata.combining(c))


_ROWS = ("qwertyuiop", "asdfghjklñ", "zxcvbnm")
_NEIGHBOURS = {
    letter: "".join(
        other
        for line, others in enumerate(_ROWS)
        for column, other in enumerate(others)
        if other != letter and abs(line - row) <= 1 and abs(column - at) <= 1
    )
    for row, letters in enumerate(_ROWS)
    for at, letter in enumerate(letters)
}
