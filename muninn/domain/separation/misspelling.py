"""Knows when two words are one word and its misspelling.

One edit (a letter dropped, added or replaced, or two neighbours swapped) in a lower-case word of at least six letters, whose
odd form occurs nowhere else in the store while the other does. What is more likely grammar or another word is no
misspelling: first and last letters (unless swapped), accents, one vowel for another, one consonant for another that is not
its neighbour on the keyboard, doubled letters before an ending, alternating endings, and known twins; in Spanish, or where the
language is not known, also r for rr (enterado, enterrado).
"""

from __future__ import annotations

import unicodedata
from typing import Protocol

from muninn.domain.separation.twins import TWINS

MINIMUM_LETTERS = 6
_VOWELS = frozenset("aeiouyáéíóúü")
_DOUBLING = ("ed", "er", "ers", "ing", "ings", "est", "es", "ado", "ada", "ar", "ería")
_SUFFIXES = (
    "s", "es", "d", "ed", "r", "er", "ers", "ing", "ings", "ly", "ion", "ions", "or", "ors", "able", "o", "a", "os", "as",
    "e", "en", "an", "ar", "ir", "ado", "ada", "ados", "adas", "ido", "ida", "idos", "idas", "ando", "iendo", "aba", "aban",
    "amos", "emos", "imos", "aron", "ieron", "iera", "ará", "arán", "ó", "aré", "ía",
)  # fmt: skip
_FORMS = (
    ("ly", "ty", "fy", "cy", "y"), ("ers", "es", "eds"), ("rs", "s", "ns"), ("nt", "nd", "t"), ("nce", "nse"),
    ("ics", "ies"), ("ious", "ions"), ("ysis", "ysts"), ("ing", "ling", "ring", "ding", "ning"), ("led", "ed", "ted"),
    ("ado", "ando", "ato"), ("ada", "anda", "ara", "aba", "aria"), ("ido", "imo", "ito"), ("ados", "amos", "atos"),
    ("adas", "aras", "abas"), ("idos", "imos"), ("ido", "iendo"), ("endo", "edo"), ("le", "se", "te", "me", "lo", "la"),
    ("les", "los", "las", "nos", "ses"), ("remos", "mos"), ("ría", "ía"), ("rías", "ías"), ("rían", "ían"),
    ("ra", "ba", "da"), ("ran", "ban", "dan"), ("ca", "cia"), ("ta", "tia"), ("ra", "ria"), ("a", "ia"), ("o", "io"),
    ("os", "ios"), ("as", "ias"), ("an", "ian"),
)  # fmt: skip
"""Endings that alternate on one stem."""


class Vocabulary(Protocol):
    """How often a lower-case word occurs in the active memories of the store, the two compared ones included."""

    def count(self, word: str) -> int: ...


def misspelled(
    left: str, right: str, vocabulary: Vocabulary, *, left_uses: int = 1, right_uses: int = 1, tongue: str = ""
) -> str | None:
    """The odd form among the two, or None. ``*_uses``: how often each form occurs in its own text. ``tongue``: "en", "es",
    or "" for another or an unknown one."""
    if not one_slip(left, right, tongue=tongue):
        return None
    left_elsewhere = vocabulary.count(left) - left_uses
    right_elsewhere = vocabulary.count(right) - right_uses
    if left_elsewhere <= 0 < right_elsewhere:
        return left
    if right_elsewhere <= 0 < left_elsewhere:
        return right
    return None


def one_slip(left: str, right: str, *, tongue: str = "") -> bool:
    """Whether one slip of the finger leads from one word to the other, and nothing else is likely to."""
    if left == right or min(len(left), len(right)) < MINIMUM_LETTERS:
        return False
    if not all(word.isalpha() and word.islower() and _latin(word) for word in (left, right)):
        return False
    if _unaccented(left) == _unaccented(right) or _twins(left, right):
        return False
    shared = min(len(left), len(right))
    start = next(at for at in range(shared + 1) if at == shared or left[at] != right[at])
    rest = shared - start
    end = next(at for at in range(rest + 1) if at == rest or left[-1 - at] != right[-1 - at])
    middle_left, middle_right = left[start : len(left) - end], right[start : len(right) - end]
    if len(middle_left) == len(middle_right) == 2:
        return middle_left == middle_right[::-1]
    if start == 0 or end == 0 or _alternates(left, right) or not (middle_left + middle_right).isascii():
        return False
    if len(middle_left) == len(middle_right) == 1:
        return _slips(middle_left, middle_right)
    if len(middle_left) + len(middle_right) != 1:
        return False
    return _stray(middle_left or middle_right, left[:start], left[-end:], rolled=tongue != "en")


def _slips(letter: str, other: str) -> bool:
    """Whether one letter is typed for another by accident: neighbouring consonants, or a vowel and a consonant."""
    if (letter in _VOWELS) != (other in _VOWELS):
        return True
    return letter not in _VOWELS and other in _NEIGHBOURS.get(letter, "")


def _stray(letter: str, head: str, tail: str, *, rolled: bool) -> bool:
    """Whether a letter more or less is an accident: not a consonant doubled by grammar (hoping, hopping), nor r/rr where
    they are two sounds (``rolled``)."""
    if letter not in (head[-1], tail[0]):
        return True
    rest = tail[1:] if letter == tail[0] else tail
    return not (rolled and letter == "r") and rest not in _DOUBLING and tail not in _DOUBLING


def _alternates(left: str, right: str) -> bool:
    """Whether the two differ as forms of one stem do: writers/writes, safely/safety, tratado/tratando, hacerle/hacerse."""
    return any(
        (left.endswith(one) and right.endswith(other) and left.removesuffix(one) == right.removesuffix(other))
        or (left.endswith(other) and right.endswith(one) and left.removesuffix(other) == right.removesuffix(one))
        for one, other in _ALTERNATIONS
    )


def _twins(left: str, right: str) -> bool:
    """Two ordinary words one slip apart, with or without the same ending."""
    if frozenset((left, right)) in TWINS:
        return True
    return any(
        left.endswith(suffix)
        and right.endswith(suffix)
        and frozenset((left.removesuffix(suffix), right.removesuffix(suffix))) in TWINS
        for suffix in _SUFFIXES
    )


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
_ALTERNATIONS = tuple(
    (one, other) for forms in _FORMS for place, one in enumerate(forms) for other in forms[place + 1 :]
)
