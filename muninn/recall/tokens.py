"""Text to index tokens, in any script.

Rules: compatibility-decomposed, accents dropped, casefolded; runs of letters and digits are words, lightly stemmed;
scripts that do not put spaces between words (Han, kana, Hangul excluded, Thai, Lao, Khmer, Myanmar) become overlapping
pairs of characters. The same text always gives the same tokens: a query and a memory meet only through this module.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

# Scripts written without spaces. Hangul has spaces and stays with the words.
_UNSPACED = "぀-ヿㇰ-ㇿ㐀-䶿一-鿿豈-﫿\U00020000-\U0003134f฀-๿຀-໿ក-៿က-႟"
_RUN = re.compile(rf"[{_UNSPACED}]+|[^\W_{_UNSPACED}]+")
_FIRST_UNSPACED = "฀"
_LONGEST_WORD = 64


def fold(text: str) -> str:
    """``text`` without case, accents and compatibility forms ("Ñandú" → "nandu", "ﬁ" → "fi")."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return unicodedata.normalize("NFKC", "".join(c for c in decomposed if unicodedata.category(c) != "Mn"))


def tokens(text: str) -> list[str]:
    """The index tokens of ``text`` in order, repeats kept."""
    found: list[str] = []
    for run in _RUN.findall(fold(text)):
        if run[0] >= _FIRST_UNSPACED and _is_unspaced(run[0]):
            found.extend(run[i : i + 2] for i in range(max(1, len(run) - 1)))
        else:
            found.append(stem(run[:_LONGEST_WORD]))
    return found


@lru_cache(maxsize=4096)
def _is_unspaced(character: str) -> bool:
    return re.match(f"[{_UNSPACED}]", character) is not None


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """A light stem that joins plural and singular; never shorter than three letters, numbers untouched."""
    if len(word) <= 3 or not word.isalpha():
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word
