"""Text to index tokens, in any script.

Rules: compatibility-decomposed, accents dropped (but not the vowel signs of India), casefolded; runs of letters and
digits are words, lightly stemmed for English and Spanish at once; scripts that put no spaces between words (Han, kana,
Thai, Lao, Khmer, Myanmar) become overlapping pairs of characters. The same text always gives the same tokens: a query and
a memory meet only here.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

# Scripts written without spaces. Hangul has spaces and stays with the words.
_UNSPACED = "぀-ヿㇰ-ㇿ㐀-䶿一-鿿豈-﫿\U00020000-\U0003134f฀-๿຀-໿ក-៿က-႟"
# Scripts of India, whose vowels are marks on the letters: without them most words would be one.
_MARKED = "\u0900-\u0963\u0966-\u0dff"
_RUN = re.compile(rf"[{_UNSPACED}]+|(?:[{_MARKED}]|[^\W_{_UNSPACED}])+")
_ASCII_RUN = re.compile("[a-z0-9]+")  # what _RUN finds there, several times as fast
_ACCENTS = re.compile("[\u0300-\u036f]+")
_FIRST_UNSPACED = "฀"
_FIRST_MARKED, _LAST_MARKED = "\u0900", "\u0dff"
_LONGEST_WORD = 64
_VOWELS = frozenset("aeiouy")
_ENDINGS = ("amente", "mente", "iendo", "ando", "ing", "ado", "ada", "ido", "ida", "ed")
_SHORTEST_STEM = 3


def fold(text: str) -> str:
    """``text`` without case, accents and compatibility forms ("Ñandú" → "nandu", "ﬁ" → "fi")."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    plain = _ACCENTS.sub("", decomposed)
    if plain.isascii():  # most of what is written in Latin letters
        return plain
    bare = "".join(c for c in decomposed if unicodedata.category(c) != "Mn" or _FIRST_MARKED <= c <= _LAST_MARKED)
    return unicodedata.normalize("NFKC", bare)


def words(text: str) -> list[str]:
    """The folded words of ``text`` in order, repeats kept, not stemmed; unspaced scripts as pairs of characters."""
    folded = fold(text)
    if folded.isascii():
        return [run[:_LONGEST_WORD] for run in _ASCII_RUN.findall(folded)]
    found: list[str] = []
    for run in _RUN.findall(folded):
        if run[0] >= _FIRST_UNSPACED and is_unspaced(run[0]):
            found.extend(run[i : i + 2] for i in range(max(1, len(run) - 1)))
        else:
            found.append(run[:_LONGEST_WORD])
    return found


def tokens(text: str) -> list[str]:
    """The index tokens of ``text`` in order, repeats kept."""
    return [stem(word) for word in words(text)]


@lru_cache(maxsize=4096)
def is_unspaced(character: str) -> bool:
    return re.match(f"[{_UNSPACED}]", character) is not None


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """A light stem that joins numbers, tenses and adverbs of English and Spanish words; at least three letters remain.

    The language of a note is not known and notes mix languages, so one set of rules serves both. It is meant to join
    forms that people vary when they ask, not to be linguistically right. Words with digits stay as they are.
    """
    if len(word) <= _SHORTEST_STEM or not word.isalpha():
        return word
    word = _singular(word)
    for ending in _ENDINGS:
        rest = word.removesuffix(ending)
        if rest != word and len(rest) >= _SHORTEST_STEM and not _VOWELS.isdisjoint(rest):
            doubled = len(rest) > _SHORTEST_STEM and rest[-1] == rest[-2] and rest[-1] not in "lsz"
            word = rest[:-1] if doubled else rest
            break
    if word.endswith("ly") and len(word) > _SHORTEST_STEM + 2:
        word = word[:-2]
    if len(word) > _SHORTEST_STEM and word[-1] in "aeo":
        word = word[:-1]
    if len(word) > _SHORTEST_STEM and word[-1] == "y":
        word = word[:-1] + "i"
    return word


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > _SHORTEST_STEM + 1:
        return word[:-3] + "y"
    if word.endswith("ciones"):
        return word[:-2]
    if word.endswith("es") and len(word) > _SHORTEST_STEM + 1 and word[-3] in "lnrdzxsh":
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word
