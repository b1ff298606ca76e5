"""Knows how text becomes comparable tokens, and which titles are worth looking for.

Both sides are folded alike: NFKD, casefold, accents dropped. A token is a run of letters and digits; punctuation,
emphasis, hyphens, underscores and line breaks only separate. In scripts written without spaces (and in Hangul, whose
particles stick to the word) every character is a token, so a token sequence is a substring there.

A short capitalised name ("Ana", "Git", "IT") is looked for as it is written, since "it" is not IT: such spellings follow
a text's tokens after an empty one, marked with ``EXACT``.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_SPACELESS_RANGES = (
    "\u0e00-\u0fff"  # Thai, Lao, Tibetan
    "\u1000-\u109f\u1780-\u17ff"  # Burmese, Khmer
    "\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
    "\uac00-\ud7a3"  # Hangul syllables
)
_INDIC_RANGES = "\u0900-\u0963\u0966-\u0dff"  # vowel signs there are marks, not \w, yet part of the word
_SPACELESS = re.compile(f"[{_SPACELESS_RANGES}]")
_LETTERS = f"[\\w{_INDIC_RANGES}{_SPACELESS_RANGES}]"
# "3.11" and "1,000" are one token, so that "Python 3" is not found in "Python 3.11"; "C++" and "C#" keep their sign
_TOKEN = re.compile(rf"{_LETTERS}+(?:(?<=\d)[.,](?=\d){_LETTERS}+)*(?:(?:\+\+|#)(?!\w))?")

_UNDECOMPOSED = str.maketrans(
    {"ı": "i", "ł": "l", "ø": "o", "đ": "d", "ħ": "h", "ŧ": "t", "æ": "ae", "œ": "oe", "ð": "d", "þ": "th", "_": " "}
    | dict.fromkeys("\u00ad\u200c\u200d\u2060\ufeff", "")
    | {chr(code): "" for code in range(0xFE00, 0xFE10)}
)
_KEPT_MARKS = frozenset({0, 7, 8, 9, 103, 107, 118, 122, 129, 130, 132})
"""Canonical combining classes that carry meaning rather than an accent: vowel signs, nukta, kana voicing, virama, tones."""

EXACT = "="
_SHORT_WORD = re.compile(r"(?<!\w)[^\W\d_]{2,3}(?!\w)")
_SHORT_WORD_ASCII = re.compile(
    r"[A-Z](?<!\w.)[A-Za-z]{1,2}(?!\w)", re.ASCII
)  # looks back late: the set in front is fast

_EVERYDAY = re.compile(
    "a|an|and|any|are|as|at|be|but|by|can|day|did|do|end|for|get|go|got|had|has|her?|him|his|how|i[fnst]?|its|let|man|may"
    "|m[ey]|new|nor?|not|now|off?|o[kn]|old|one|or|our|out|own|put|run|say|see|set|she|so|the|too?|try|two|up|use?|via"
    "|was|way|we|who|why|yes|yet|you"
    "|al|con|dar?|del?|dia|dos|el?|en|era|es|es[ao]|fin|fue|han|hay|las?|les?|lo|los|mas|mis?|muy|ni|nos|os?|por|que|se"
    "|ser|si|sin|son|soy|sus?|tal|te|tus?|un?|una|uno|van?|ver|vez|voy|ya?|yo"
)
"""Short words of English and Spanish; only capitals throughout make a title of one."""


def fold(text: str) -> str:
    """``text`` without case, compatibility forms, accents and invisible characters."""
    if text.isascii():
        return text.lower().replace("_", " ")
    apart = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    kept = "".join(c for c in apart if unicodedata.combining(c) in _KEPT_MARKS)
    return unicodedata.normalize("NFC", kept.translate(_UNDECOMPOSED))


def tokens(text: str) -> list[str]:
    """The tokens of ``text`` in order."""
    folded = fold(text)
    if not folded.isascii() and _SPACELESS.search(folded):
        folded = _SPACELESS.sub(r" \g<0> ", folded)
    return _TOKEN.findall(folded)


def content_tokens(text: str) -> list[str]:
    """The tokens of ``text``, an empty one, and each short capitalised spelling in it once, in alphabetical order."""
    return [*tokens(text), "", *sorted({EXACT + word for word in set(_short_words(text)) if _is_name(word)})]


def _short_words(text: str) -> list[str]:
    if text.isascii():
        return _SHORT_WORD_ASCII.findall(text)
    return _SHORT_WORD.findall(unicodedata.normalize("NFC", text))


@lru_cache(maxsize=4096)
def _is_name(word: str) -> bool:
    """ "Ana" and "IT", but not "The"; nor "JWT", which is told from other words however it is written."""
    return word[0].isupper() and word.isupper() == bool(_EVERYDAY.fullmatch(fold(word)))


def title_tokens(title: str, *, shortest: int) -> tuple[str, ...]:
    """The token sequence to look for, or () when the title is too short and not distinctive.

    A character of a spaceless script counts as two. A shorter title is distinctive when it has two capitals, a digit
    beside a letter, or a sign ("JWT", "k8s", "C#") and is no everyday word, or when it is one short name as
    ``content_tokens`` keeps them.
    """
    found = tuple(tokens(title))
    length = sum(2 if _SPACELESS.match(token) else len(token) for token in found)
    if length >= shortest or not found:
        return found
    everyday = len(found) == 1 and _EVERYDAY.fullmatch(found[0])
    capitals = sum(character.isupper() for character in title)
    lettered = any(character.isalpha() for character in title)
    marked = any(character.isdigit() or character in "+#" for character in "".join(found))
    if not everyday and (capitals >= 2 or (lettered and marked)):
        return found
    words = _short_words(title)
    return (EXACT + words[0],) if len(found) == len(words) == 1 and _is_name(words[0]) else ()
