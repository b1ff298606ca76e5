"""Knows whether two texts say the same, and if not, which slot tells them apart.

Two texts may be merged only when their tokens are the same tokens, and what stands between and above them (marks, capitals)
cannot turn the meaning: equal after normalisation, the same sentences in another order, one misspelling apart, or equal once
numbers, dates, units and contractions are written one way. Everything else is a refusal that names its slot. There is no
similarity in here, and no doubt is resolved in favour of equality.
"""

from __future__ import annotations

from dataclasses import dataclass

from muninn.domain.separation import lexicon
from muninn.domain.separation.capitals import respelled, shared_words_agree
from muninn.domain.separation.features import Features, features
from muninn.domain.separation.marks import difference, marked
from muninn.domain.separation.misspelling import Vocabulary, misspelled, one_slip, tongue_of
from muninn.domain.separation.refusal import Refusal, name_difference, value_differences
from muninn.domain.separation.reordering import same_sentences
from muninn.domain.separation.slots import quotations
from muninn.domain.separation.text import Text


@dataclass(frozen=True, slots=True, kw_only=True)
class Separation:
    """``refusal`` is None exactly when the guard lets the pair through.

    ``slots_equal``: both texts state the same values (polarity and wording apart). ``coverage``: 0–1, shared content
    words over all content words, symmetric.
    """

    equal_after_normalisation: bool
    sentence_reorder: bool
    misspelling: bool
    refusal: Refusal | None
    slots_equal: bool
    coverage: float


def compare(a: Text | Features, b: Text | Features, *, vocabulary: Vocabulary | None = None) -> Separation:
    """How two texts differ. Without a vocabulary nothing counts as a misspelling."""
    left = a if isinstance(a, Features) else features(a)
    right = b if isinstance(b, Features) else features(b)
    trap: Refusal | None = None
    equal = reordered = slip = alike = False
    if _titles_agree(left, right):
        if _equal(left, right):
            trap = _trap(left, right)
            equal = trap is None
        else:
            reordered = same_sentences(left, right)
            slip = not reordered and _one_misspelling(left, right, vocabulary)
            alike = not (reordered or slip) and _rewritten(left, right)
    through = equal or reordered or slip or alike
    values = [] if through else list(value_differences(left, right))
    return Separation(
        equal_after_normalisation=equal,
        sentence_reorder=reordered,
        misspelling=slip,
        refusal=None if through else trap or name_difference(left, right, values),
        slots_equal=not values,
        coverage=1.0 if equal else coverage(left, right),
    )


def _equal(left: Features, right: Features) -> bool:
    """The same tokens; texts of punctuation only must be the same characters."""
    if not left.body_key:
        return left.normalised.split() == right.normalised.split()
    return left.body_key == right.body_key


def _titles_agree(left: Features, right: Features) -> bool:
    """Titles are the same, or the only one repeats what both contents say."""
    if left.title_key == right.title_key:
        return True
    if left.title_key and right.title_key:
        return False
    return set(left.title_key or right.title_key) <= set(left.body_key) & set(right.body_key)


def _trap(left: Features, right: Features) -> Refusal | None:
    """What tells two texts with equal keys apart although it vanishes in the keys: capitals, apostrophes, marks."""
    headed = bool(left.title_key and right.title_key)
    words = respelled(left, right, headed=headed)
    if words is not None:
        quoted = zip(quotations(left.normalised), quotations(right.normalised), strict=False)
        inside = next((pair for pair in quoted if words[0] in pair[0] and words[1] in pair[1]), None)
        if inside is not None:
            return Refusal("quoted", *inside)
        apostrophe = words[0].lower() != words[1].lower()
        known = words[0].lower() in lexicon.CASE_SENSITIVE
        return Refusal("word" if apostrophe else "name" if known else "writing", *words)
    marks = difference(left.marked, right.marked) or _secret(left, right)
    if marks is None and headed:
        marks = difference(marked(left.heading), marked(right.heading))
    return Refusal("word" if marks in _ASKED else "writing", *marks) if marks else None


def _secret(left: Features, right: Features) -> tuple[str, str] | None:
    """A code at the very end and the mark after it, where only one of the texts has a "!" there, which passwords may end in."""
    ends = [text.content.rstrip() for text in (left, right)]
    if not left.tokens or left.tokens[-1].sort != "code" or ends[0].endswith("!") == ends[1].endswith("!"):
        return None
    return ends[0].split()[-1], ends[1].split()[-1]


_ASKED = (("?", "."), (".", "?"))


def _rewritten(left: Features, right: Features) -> bool:
    """The same words and marks, once values and contractions are written one way."""
    return (
        bool(left.plain)
        and left.plain == right.plain
        and left.marked.sequence == right.marked.sequence
        and shared_words_agree(left, right)
    )


def _one_misspelling(left: Features, right: Features, vocabulary: Vocabulary | None) -> bool:
    if vocabulary is None or left.title_key != right.title_key or len(left.body_key) != len(right.body_key):
        return False
    different = [at for at, (x, y) in enumerate(zip(left.body_key, right.body_key, strict=True)) if x != y]
    if len(different) != 1 or left.recased or right.recased:  # without capitals a name looks like a word
        return False
    if left.marked.gaps != right.marked.gaps:
        return False
    at = different[0] + len(left.title_key)
    one, other = left.tokens[at], right.tokens[at]
    if not (one.sort == other.sort == "word" and one_slip(one.raw, other.raw)):
        return False
    around = {token.raw for token in (*left.tokens, *right.tokens) if token.raw.islower() and token.raw.isalpha()}
    tongue = tongue_of(around - {one.raw, other.raw}, vocabulary)
    uses = left.body_key.count(one.key), right.body_key.count(other.key)
    return bool(tongue) and (
        misspelled(one.raw, other.raw, vocabulary, tongue=tongue, left_uses=uses[0], right_uses=uses[1]) is not None
    )


def coverage(left: Features, right: Features) -> float:
    """Shared content words over all content words (Dice, on stems), 0–1."""
    total = len(left.stems) + len(right.stems)
    return 2 * len(left.stems & right.stems) / total if total else 0.0
