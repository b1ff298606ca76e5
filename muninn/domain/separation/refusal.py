"""Knows how to name what tells two texts apart: the slot, and what each side says there.

Order of telling: a value that both state differently, a negation for its opposite, polarity, opposites, a value that only
one states, words, order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from muninn.domain.separation import lexicon, quantities
from muninn.domain.separation.features import Features
from muninn.domain.separation.opposites import OPPOSING_PREFIXES, OPPOSITES
from muninn.domain.separation.slots import VALUE_SLOTS
from muninn.domain.separation.text import STOP


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why two texts must not be merged: the slot that differs, and what each side says there ("" where nothing)."""

    slot: str
    left: str
    right: str

    @property
    def turned(self) -> Refusal:
        """The same difference, told from the other text."""
        return Refusal(self.slot, self.right, self.left)

    def __str__(self) -> str:
        return f"{self.slot} differs: {self.left or '(nothing)'} / {self.right or '(nothing)'}"


def value_differences(left: Features, right: Features) -> Iterator[Refusal]:
    """Every value slot in which one text states something that the other does not, most telling slot first."""
    stated = left.values.keys() | right.values.keys() | {"name", "quoted"}
    for slot in VALUE_SLOTS:
        if slot not in stated:
            continue
        if slot == "name":
            only_left, only_right = _names_missing(left, right), _names_missing(right, left)
        elif slot == "quoted":
            only_left, only_right = _quotes_missing(left, right), _quotes_missing(right, left)
        else:
            only_left, only_right = _values_missing(left, right, slot), _values_missing(right, left, slot)
        if only_left or only_right:
            yield Refusal(slot, _told(only_left, ", "), _told(only_right, ", "))


def _values_missing(text: Features, other: Features, slot: str) -> list[str]:
    values = text.values.get(slot)
    return [shown for value, shown in values.items() if value not in other.stated] if values else []


def _quotes_missing(text: Features, other: Features) -> list[str]:
    if not text.quoted:
        return []
    said = f" {' '.join((*other.title_key, *other.body_key))} "
    return [shown for key, shown in text.quoted.items() if f" {key} " not in said]


def _names_missing(text: Features, other: Features) -> list[str]:
    counted = {word for slot in _CAPITALS for word in text.values.get(slot, ())}
    return [text.spellings[key] for key in sorted((text.names | _openers(text, other)) - other.words - counted)]


_CAPITALS = ("number", "time")
"""Slots whose values may be one word with a capital: "XII", "UTC"."""


def _openers(text: Features, other: Features) -> frozenset[str]:
    """Words that open a sentence and are names: common first names, or capitalised inside a sentence of either text."""
    found: set[str] = set()
    for sentence in text.sentences:
        first = sentence.tokens[0]
        known = first.key in lexicon.FIRST_NAMES or first.key in other.names or first.key in text.names
        if known and first.sort == "word" and first.raw[:1].isupper() and first.key not in lexicon.FUNCTION_WORDS:
            found.add(first.key)
    return frozenset(found)


def name_difference(left: Features, right: Features, values: Sequence[Refusal]) -> Refusal:
    """The most telling difference: values on both sides, polarity, opposites, values on one side, words, order."""
    for refusal in values:
        if refusal.left and refusal.right:
            return refusal
    said_left, said_right = ([t.key for t in text.tokens if t is not STOP] for text in (left, right))
    uses_left, uses_right = Counter(said_left), Counter(said_right)
    only_left, only_right = list((uses_left - uses_right).elements()), list((uses_right - uses_left).elements())
    opposed = _opposed(_denying(only_left), only_right) or _opposed(only_left, _denying(only_right))
    if opposed is None and len(left.negations) != len(right.negations):
        return Refusal("negation", _told(left.negations), _told(right.negations))
    opposed = opposed or _opposed(only_left, only_right)
    if opposed is not None:
        return opposed
    exchanged = _exchanged(left, right, only_left, only_right)
    if exchanged is not None:
        return exchanged
    if values:
        return values[0]
    if only_left or only_right:
        slot = "name" if _subjects(left, only_left) and _subjects(right, only_right) else "word"
        return Refusal(slot, _told(only_left), _told(only_right))
    if said_left == said_right:
        return Refusal("negation", _told(left.body_key), _told(right.body_key))
    return _order(left, right)


def _exchanged(left: Features, right: Features, only_left: Sequence[str], only_right: Sequence[str]) -> Refusal | None:
    """Values of one slot that change places with others that both texts have, too (a list, a table), or words of time."""
    said = [{key for key in only if key not in lexicon.FUNCTION_WORDS} for only in (only_left, only_right)]
    if not all(said):
        return None
    for slot in VALUE_SLOTS:
        one, other = (_meant(text, slot, words) for text, words in zip((left, right), said, strict=True))
        if one and other and one != other:
            return Refusal(slot, _told(only_left), _told(only_right))
    return None


def _meant(text: Features, slot: str, words: Iterable[str]) -> set[str]:
    """The values of one slot that the words state in a text; none if a word states none."""
    known = {shown.lower(): value for value, shown in text.values.get(slot, {}).items()}
    known |= {word: word for word in (text.names | _openers(text, text) if slot == "name" else _TIMES.get(slot, ()))}
    return {known[word] for word in words} if known.keys() >= set(words) else set()


_TIMES = {"time": quantities.TIMES_OF_DAY, "date": quantities.SPANS | quantities.RELATIVE_DAYS}


def _opposed(only_left: Sequence[str], only_right: Sequence[str]) -> Refusal | None:
    """The first word of the left whose opposite the right has: a listed one, or either with an opposing prefix."""
    if len(only_left) * len(only_right) > _FEW_WORDS**2:
        return None
    right = {base: word for word in reversed(only_right) for base in _bases(word)}
    for word in only_left:
        for base in _bases(word):
            found = sorted(OPPOSITES.get(base, _NONE) & right.keys())
            if found:
                return Refusal("antonym", word, right[found[0]])
        for other in only_right:
            if _prefixed(word, other) or _prefixed(other, word):
                return Refusal("antonym", word, other)
    return None


def _denying(words: Sequence[str]) -> list[str]:
    """The negations among the words whose opposite is told ("never" for "always"), not that they deny ("without")."""
    return [word for word in words if word in lexicon.NEGATIONS and word not in ("without", "sin")]


def _bases(word: str) -> tuple[str, ...]:
    """A word and what it may be an inflection of."""
    return (
        word,
        *(word.removesuffix(ending) + end for ending, end in _ENDINGS if word.endswith(ending) and len(word) > 4),
    )


_ENDINGS = tuple(
    tuple(change.split(">"))
    for change in (
        "s> es> d> ed> ies>y ied>y ing> ing>e ting> ning> er> er>e ier>y gger>g tter>t "
        "a>o as>o os>o a>ar an>ar ó>ar aron>ar ado>ar ada>ar ados>ar adas>ar e>er en>er ió>er ieron>er "
        "e>ir en>ir ió>ir ieron>ir ido>ir ida>ir idos>ir idas>ir"
    ).split()
)
"""How an inflected form ends, and the form without inflection: English, then Spanish."""
_NONE: frozenset[str] = frozenset()


def _prefixed(word: str, longer: str) -> bool:
    return any(
        word.startswith(one) and longer.startswith(other) and word[len(one) :] == longer[len(other) :]
        for one, other in OPPOSING_PREFIXES
        if len(word) > len(one) + _STEM
    )


_STEM = 3  # letters that two words with opposing prefixes share, at least one more


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


def _told(words: Sequence[str], joint: str = " ") -> str:
    """A few words of one side, short enough for a line of the journal."""
    shown = joint.join(word if len(word) <= _LONGEST else word[: _LONGEST - 1] + "…" for word in words[:_MOST])
    return f"{shown}{joint}…" if len(words) > _MOST else shown


_MOST, _LONGEST = 8, 80
