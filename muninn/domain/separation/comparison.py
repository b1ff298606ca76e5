"""Knows whether two texts say the same, and if not, which slot tells them apart.

Two texts may be merged only when their tokens are the same tokens: equal after normalisation, the same sentences in another
order, one misspelling apart, or equal once numbers, dates, units and contractions are written one way and harmless
articles are gone. Everything else is a refusal that names its slot. There is no similarity in here, and no doubt is
resolved in favour of equality.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from muninn.domain.separation import lexicon
from muninn.domain.separation.features import CLOSED, Features, asks_by_mark, features
from muninn.domain.separation.misspelling import Vocabulary, misspelled
from muninn.domain.separation.slots import VALUE_SLOTS
from muninn.domain.separation.text import STOP, Sentence, Text


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why two texts must not be merged: the slot that differs, and what each side says there ("" where nothing)."""

    slot: str
    left: str
    right: str

    def __str__(self) -> str:
        return f"{self.slot} differs: {self.left or '(nothing)'} / {self.right or '(nothing)'}"


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
        reordered = not equal and _same_sentences(left, right)
        slip = not (equal or reordered) and _one_misspelling(left, right, vocabulary)
        alike = not (equal or reordered or slip) and left.plain.same(right.plain)
    through = equal or reordered or slip or alike
    values = [] if through else list(_value_differences(left, right))
    return Separation(
        equal_after_normalisation=equal,
        sentence_reorder=reordered,
        misspelling=slip,
        refusal=None if through else trap or _refusal(left, right, values),
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
                return Refusal("name", _written(left, key), _written(right, key))
    if same:
        for one, other in zip(left.tokens, right.tokens, strict=True):
            if "'" in one.raw and "'" in other.raw and one.raw.lower() != other.raw.lower():
                return Refusal("word", one.raw, other.raw)
    return None


def _written(text: Features, key: str) -> str:
    return next((token.raw for token in text.tokens if token.key == key), "")


def _same_sentences(left: Features, right: Features) -> bool:
    """The same sentences in another order, none of which leans on its place."""
    if len(left.body) < 2 or len(left.body) != len(right.body):
        return False
    if Counter(map(_sentence_key, left.body)) != Counter(map(_sentence_key, right.body)):
        return False
    return not (_leans(left, _predecessors(right)) or _leans(right, _predecessors(left)))


def _sentence_key(sentence: Sentence) -> tuple[str, ...]:
    return (*(token.key for token in sentence.tokens), *(("?",) if asks_by_mark(sentence) else ()))


def _leans(text: Features, before: Mapping[tuple[str, ...], tuple[str, ...]]) -> bool:
    """Whether the order of a text's sentences carries meaning: steps, answers, headings, lists, "then", pronouns.

    ``before``: what precedes each sentence in the other text; a pronoun leans only if that changed.
    """
    commands = numbered = 0
    previous: tuple[str, ...] = ()
    asks = any(sentence.end in "?？؟" for sentence in text.body)
    for sentence in text.body:
        first = sentence.tokens[0]
        if sentence.end in ":：" or _continues(sentence) or (asks and first.key in lexicon.ANSWERS):
            return True
        if first.key in lexicon.PRONOUNS and len(text.names) > 1 and before.get(_sentence_key(sentence)) != previous:
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


def _predecessors(text: Features) -> dict[tuple[str, ...], tuple[str, ...]]:
    sentence_keys = [_sentence_key(sentence) for sentence in text.body]
    return dict(zip(sentence_keys, [(), *sentence_keys], strict=False))


def _one_misspelling(left: Features, right: Features, vocabulary: Vocabulary | None) -> bool:
    if vocabulary is None or left.title_key != right.title_key or len(left.body_key) != len(right.body_key):
        return False
    different = [at for at, (x, y) in enumerate(zip(left.body_key, right.body_key, strict=True)) if x != y]
    if len(different) != 1:
        return False
    at = different[0] + len(left.title_key)
    one, other = left.tokens[at], right.tokens[at]
    if not (one.sort == other.sort == "word" and one.raw.islower() and other.raw.islower()):
        return False
    uses = left.body_key.count(one.key), right.body_key.count(other.key)
    odd = misspelled(one.raw, other.raw, vocabulary, left_uses=uses[0], right_uses=uses[1])
    return odd is not None and not (odd in lexicon.OPPOSITES or odd in CLOSED or odd in lexicon.FUNCTION_WORDS)


def _value_differences(left: Features, right: Features) -> Iterator[Refusal]:
    """Every value slot in which one text states something that the other does not, most telling slot first."""
    for slot in VALUE_SLOTS:
        if slot == "name":
            only_left, only_right = _names_missing(left, right), _names_missing(right, left)
        elif slot == "quoted":
            only_left, only_right = _quotes_missing(left, right), _quotes_missing(right, left)
        else:
            only_left, only_right = _values_missing(left, right, slot), _values_missing(right, left, slot)
        if only_left or only_right:
            yield Refusal(slot, ", ".join(only_left), ", ".join(only_right))


def _values_missing(text: Features, other: Features, slot: str) -> list[str]:
    values = text.values.get(slot)
    return [shown for value, shown in values.items() if value not in other.stated] if values else []


def _quotes_missing(text: Features, other: Features) -> list[str]:
    if not text.quoted:
        return []
    said = f" {' '.join((*other.title_key, *other.body_key))} "
    return [shown for key, shown in text.quoted.items() if f" {key} " not in said]


def _names_missing(text: Features, other: Features) -> list[str]:
    return [_written(text, key) for key in sorted((text.names | _openers(text, other)) - other.words)]


def _openers(text: Features, other: Features) -> frozenset[str]:
    """Words that open a sentence and are names: common first names, or capitalised inside a sentence of either text."""
    found: set[str] = set()
    for sentence in text.sentences:
        first = sentence.tokens[0]
        known = first.key in lexicon.FIRST_NAMES or first.key in other.names or first.key in text.names
        if known and first.sort == "word" and first.raw[:1].isupper() and first.key not in lexicon.FUNCTION_WORDS:
            found.add(first.key)
    return frozenset(found)


def _refusal(left: Features, right: Features, values: Sequence[Refusal]) -> Refusal:
    """The most telling difference: values on both sides, polarity, opposites, values on one side, words, order."""
    for refusal in values:
        if refusal.left and refusal.right:
            return refusal
    if len(left.negations) != len(right.negations):
        return Refusal("negation", " ".join(left.negations), " ".join(right.negations))
    said_left, said_right = ([t.key for t in text.tokens if t is not STOP] for text in (left, right))
    uses_left, uses_right = Counter(said_left), Counter(said_right)
    only_left, only_right = list((uses_left - uses_right).elements()), list((uses_right - uses_left).elements())
    opposed = _opposed(only_left, only_right)
    if opposed is not None:
        return opposed
    if values:
        return values[0]
    if only_left or only_right:
        slot = "name" if _subjects(left, only_left) and _subjects(right, only_right) else "word"
        return Refusal(slot, " ".join(only_left), " ".join(only_right))
    if said_left == said_right:
        return Refusal("negation", " ".join(left.body_key), " ".join(right.body_key))
    return _order(left, right)


def _opposed(only_left: Sequence[str], only_right: Sequence[str]) -> Refusal | None:
    """The first word of the left whose opposite the right has: a listed one, or either with an opposing prefix."""
    if len(only_left) * len(only_right) > _FEW_WORDS**2:
        return None
    right = {base: word for word in reversed(only_right) for base in _bases(word)}
    for word in only_left:
        for base in _bases(word):
            found = sorted(lexicon.OPPOSITES.get(base, _NONE) & right.keys())
            if found:
                return Refusal("antonym", word, right[found[0]])
        for other in only_right:
            if _prefixed(word, other) or _prefixed(other, word):
                return Refusal("antonym", word, other)
    return None


def _bases(word: str) -> tuple[str, ...]:
    """A word and what it may be an English inflection of."""
    return (
        word,
        *(word.removesuffix(ending) + end for ending, end in _ENDINGS if word.endswith(ending) and len(word) > 4),
    )


_ENDINGS = (("s", ""), ("es", ""), ("d", ""), ("ed", ""), ("ing", ""), ("ing", "e"), ("ting", ""), ("ning", ""))
_NONE: frozenset[str] = frozenset()


def _prefixed(word: str, longer: str) -> bool:
    return (
        len(longer) > len(word) > 3 and longer.endswith(word) and longer.removesuffix(word) in lexicon.OPPOSING_PREFIXES
    )


_FEW_WORDS = 10
"""Texts further apart than this differ in subject: opposites found among so many words oppose nothing."""


def _subjects(text: Features, only: Sequence[str]) -> bool:
    """Whether the one differing word opens the text with a capital and is followed by a verb in the singular: a name."""
    if len(only) != 1 or len(text.tokens) < 2 or text.recased:
        return False
    first, second = text.tokens[:2]
    acts = second.key in lexicon.SINGULAR_VERBS or (second.key.endswith("s") and text.language == "en")
    return first.key == only[0] and first.raw[:1].isupper() and second.raw.islower() and acts


def _order(left: Features, right: Features) -> Refusal:
    """The same tokens in another order: the slot of what changed places ("Tom reports to Anna", "Anna reports to Tom")."""
    for one, other in zip(left.tokens, right.tokens, strict=False):
        if one.key != other.key and one is not STOP and other is not STOP:
            pair = {one.raw, other.raw}
            slots = (slot for slot in VALUE_SLOTS if pair <= set(left.values.get(slot, {}).values()))
            names = left.names | right.names | _openers(left, right) | _openers(right, left)
            return Refusal(next(slots, "name" if {one.key, other.key} <= names else "order"), one.raw, other.raw)
    return Refusal("order", left.normalised[:80], right.normalised[:80])


def coverage(left: Features, right: Features) -> float:
    """Shared content words over all content words (Dice, on stems), 0–1."""
    total = len(left.stems) + len(right.stems)
    return 2 * len(left.stems & right.stems) / total if total else 0.0
