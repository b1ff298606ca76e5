"""Which words are ordinary ones of English or Spanish, and which are terms or names that pass for one.

``english.xz`` and ``spanish.xz``: sorted lines, each the first five letters of words and then their endings, all
without accents, inflections included. They hold the Letterpress word lists (CC0) as npm's an-array-of-english-words and
an-array-of-spanish-words package them (MIT, see ``LICENSE``). ``terms.txt``: what those lack, words of
software manuals, products, names, places and peoples, above all those one letter away from an ordinary word (some found in
SCOWL, see the same file).
"""

from __future__ import annotations

import lzma
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator
from functools import cache, lru_cache
from importlib import resources

from muninn.wordlists.derivation import halves, sources

_FILES = {"en": "english.xz", "es": "spanish.xz"}
_STEM = 5
_RUN = 4  # letters, the edges of a word counting as one each


def load() -> None:
    """Read in both lists, for which the first question would have to wait."""
    for tongue in _FILES:
        _lines(tongue)


def ordinary(word: str, tongue: str) -> bool:
    """Whether a language ("en", "es") has the word; accents do not count."""
    return _listed(_bare(word), tongue)


@lru_cache(maxsize=8192)
def listed(word: str) -> bool:
    """Whether either language has the word as it is, or it is a term or a name."""
    bare = _bare(word)
    return bare in _terms() or any(_listed(bare, tongue) for tongue in _FILES)


def known(word: str) -> bool:
    """Whether the word is anything but a misspelling: of either language, made from words of one, a term, or a name."""
    bare = _bare(word)
    return (
        listed(bare)
        or any(_listed(source, tongue) for tongue in _FILES for source in sources(bare, tongue))
        or any(_listed(one, "en") and _listed(other, "en") for one, other in halves(bare))
    )


def wordlike(word: str) -> bool:
    """Whether every four neighbouring letters of it, its edges counted, stand so in words of one of the languages: then it is
    more likely a word that the lists lack ("potabilidad", "slideshow") than a slip ("deploymnt")."""
    edged = f"^{_bare(word)}$".encode()
    return any(all(run in _runs(tongue) for run in _cut(edged)) for tongue in _FILES)


@cache
def _runs(tongue: str) -> frozenset[bytes]:
    """Every four neighbouring letters of a language's words, "^" and "$" being their edges."""
    pieces: set[bytes] = set()  # most endings are shared, so cutting the pieces is a third of cutting the words
    for line in _lines(tongue):
        stem, *endings = line.split(b" ")
        opening = b"^" + stem
        pieces.add(opening)
        for ending in endings:
            closing = ending + b"$"
            pieces.update((opening[1 - _RUN :] + closing[: _RUN - 1], closing))
    return frozenset(run for piece in pieces for run in _cut(piece))


def _cut(letters: bytes) -> Iterator[bytes]:
    return (letters[at : at + _RUN] for at in range(len(letters) - _RUN + 1))


def _listed(bare: str, tongue: str) -> bool:
    lines, stem = _lines(tongue), bare[:_STEM].encode()
    place = bisect_left(lines, stem)
    if place == len(lines):
        return False
    first, *endings = lines[place].split(b" ")
    return first == stem and bare[_STEM:].encode() in endings


@cache
def _lines(tongue: str) -> list[bytes]:
    packed = resources.files("muninn.wordlists").joinpath(_FILES[tongue]).read_bytes()
    return lzma.decompress(packed).split(b"\n")


@cache
def _terms() -> frozenset[str]:
    return frozenset(resources.files("muninn.wordlists").joinpath("terms.txt").read_text("utf-8").split())


def _bare(word: str) -> str:
    return "".join(letter for letter in unicodedata.normalize("NFD", word) if not unicodedata.combining(letter))
