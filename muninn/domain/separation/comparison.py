"""Knows whether two texts say the same, and if not, which slot tells them apart.

Two texts may be merged only when their tokens are the same tokens: equal after normalisation, the same sentences in another
order, one misspelling apart, or equal once numbers, dates, units and contractions are written one way and harmless
articles are gone. Everything else is a refusal that names its slot. There is no similarity in here, and no doubt is
resolved in favour of equality.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from muninn.domain.separation import lexicon
from muninn.domain.separation.features import CLOSED, Features, asks_by_mark, features
from muninn.domain.separation.misspelling import Vocabulary, misspelled, one_slip, tongue_of
from muninn.domain.separation.refusal import Refusal, name_difference, value_differences
from muninn.domain.separation.text import Sentence, Text


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
    trap = _trap(left, right)
    equal = reordered = slip = alike = False
    if trap is None and _titles_agree(left, right):
        equal = _equal(left, right)
        reordered = not equal and (
            _same_sentences(left, right, left.body, right.body) or _same_sentences(left, right, left.talk, right.talk)
        )
        slip = not (equal or reordered) and _one_misspelling(left, right, vocabulary)
        alike = not (equal or reordered or slip) and left.plain.same(right.plain)
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
    """Differences that vanish in the keys although they matter: question or statement, US or us, user's or users'."""
    if left.words != right.words:
        return None
    same = left.body_key == right.body_key and left.title_key == right.title_key
    if same and left.questions != right.questions and not (left.unmarked or right.unmarked):
        return Refusal("word", "?" if left.questions else ".", "?" if right.questions else ".")
    if not (left.recased or right.recased):
        for key in sorted((left.cased ^ right.cased) & lexicon.CASE_SENSITIVE & left.inside & right.inside):
            if key not in left.openers | right.openers:
                return Refusal("name", left.spellings[key], right.spellings[key])
    if same:
        for one, other in zip(left.tokens, right.tokens, strict=True):
            if "'" in one.raw and "'" in other.raw and one.raw.lower() != other.raw.lower():
                return Refusal("word", one.raw, other.raw)
    return None


def _same_sentences(left: Features, right: Features, ours: Sequence[Sentence], theirs: Sequence[Sentence]) -> bool:
    """The same sentences in another order, none of which leans on its place."""
    if len(ours) < 2 or len(ours) != len(theirs):
        return False
    if Counter(map(_sentence_key, ours)) != Counter(map(_sentence_key, theirs)):
        return False
    return not (_leans(left, ours, _predecessors(theirs)) or _leans(right, theirs, _predecessors(ours)))


def _sentence_key(sentence: Sentence) -> tuple[str, ...]:
    return (*(token.key for token in sentence.tokens), *(("?",) if asks_by_mark(sentence) else ()))


def _leans(text: Features, body: Sequence[Sentence], before: Mapping[tuple[str, ...], tuple[str, ...]]) -> bool:
    """Whether the order of a text's sentences carries meaning: steps, answers, headings, lists, "then", pronouns.

    ``before``: what precedes each sentence in the other text; a pronoun leans only if that changed.
    """
    commands = numbered = 0
    previous: tuple[str, ...] = ()
    asks = any(sentence.end in "?？؟" for sentence in body)
    for sentence in body:
        first = sentence.tokens[0]
        if sentence.end in ":：" or _continues(sentence) or (asks and first.key in lexicon.ANSWERS):
            return True
        if first.key in lexicon.PRONOUNS and len(text.actors) > 1 and before.get(_sentence_key(sentence)) != previous:
            return True
        numbered += first.sort == "number"
        commands += first.key in lexicon.IMPERATIVES
        previous = _sentence_key(sentence)
    return commands > 1 or numbered > 1


def _continues(sentence: Sentence) -> bool:
    """Whether a sentence opens with a word that counts from the one before it ("then", "first"; not "next month")."""
    first, second = sentence.tokens[0].key, sentence.tokens[1].key if len(sentence.tokens) > 1 else ""
    if first in ("next", "after", "before", "tras", "antes", "después"):
        return (
            second not in lexicon.UNITS
            and second not in CLOSED
            and second not in ("the", "el", "la", "time", "de", "a")
        )
    return first in lexicon.SEQUENCE_OPENERS


def _predecessors(body: Sequence[Sentence]) -> dict[tuple[str, ...], tuple[str, ...]]:
    sentence_keys = [_sentence_key(sentence) for sentence in body]
    return dict(zip(sentence_keys, [(), *sentence_keys], strict=False))


def _one_misspelling(left: Features, right: Features, vocabulary: Vocabulary | None) -> bool:
    if vocabulary is None or left.title_key != right.title_key or len(left.body_key) != len(right.body_key):
        return False
    different = [at for at, (x, y) in enumerate(zip(left.body_key, right.body_key, strict=True)) if x != y]
    if len(different) != 1 or left.recased or right.recased:  # without capitals a name looks like a word
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
