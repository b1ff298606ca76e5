"""Which words are ordinary ones of English or Spanish, and which are terms or names that pass for one.

``wordlists/english.xz`` and ``spanish.xz``: sorted lines, each the first five letters of words and then their endings, all
without accents, inflections included. They hold the Letterpress word lists (CC0) as npm's an-array-of-english-words and
an-array-of-spanish-words package them (MIT, see ``wordlists/LICENSE``). ``terms.txt``: what no dictionary has, words of
software manuals, products, first names, places and peoples.
"""

from __future__ import annotations

import lzma
import re
import unicodedata
from bisect import bisect_left
from functools import cache
from importlib import resources

_FILES = {"en": "english.xz", "es": "spanish.xz"}
_STEM = 5
_SHORTEST = 4
_PREFIXES = ("", "un", "re", "non", "pre", "de", "dis", "mis", "over", "sub")
_ENDINGS = ("", "er", "ers", "or", "ors", "able", "ably", "ability", "ly", "ness", "less", "like")
_LEANING = re.compile(r"([a-z]+(?:[aei]r|[ae]ndo))(?:me|te|se|nos|os)?(?:l[aeo]s?)?")


def ordinary(word: str, tongue: str) -> bool:
    """Whether a language ("en", "es") has the word; accents do not count."""
    return _listed(_bare(word), tongue)


def known(word: str) -> bool:
    """Whether the word is anything but a misspelling: of either language, a term, or a first name."""
    bare = _bare(word)
    return bare in _terms() or _listed(bare, "en") or _listed(bare, "es") or _derived(bare) or _leans(bare)


def _derived(bare: str) -> bool:
    """Whether an English word lies in it, a prefix and an ending apart: "initializers", "unmergeable"."""
    return any(
        len(stem) >= _SHORTEST and (_listed(stem, "en") or (ending != "" and _listed(stem + "e", "en")))
        for prefix in _PREFIXES
        for ending in _ENDINGS
        if bare.startswith(prefix) and bare.endswith(ending)
        for stem in (bare[len(prefix) : len(bare) - len(ending)],)
    )


def _leans(bare: str) -> bool:
    """Whether it is a Spanish infinitive or gerund with the pronouns that lean on it: "enviarlo", "haciendoselo"."""
    found = _LEANING.fullmatch(bare)
    return found is not None and _listed(found[1], "es")


def _listed(bare: str, tongue: str) -> bool:
    lines, stem = _lines(tongue), bare[:_STEM].encode()
    place = bisect_left(lines, stem)
    if place == len(lines):
        return False
    first, *endings = lines[place].split(b" ")
    return first == stem and bare[_STEM:].encode() in endings


@cache
def _lines(tongue: str) -> list[bytes]:
    packed = resources.files("muninn.dream").joinpath("wordlists", _FILES[tongue]).read_bytes()
    return lzma.decompress(packed).split(b"\n")


@cache
def _terms() -> frozenset[str]:
    return frozenset(resources.files("muninn.dream").joinpath("wordlists", "terms.txt").read_text("utf-8").split())


def _bare(word: str) -> str:
    return "".join(letter for letter in unicodedata.normalize("NFD", word) if not unicodedata.combining(letter))
