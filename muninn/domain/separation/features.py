"""Knows a text as the guard reads it: keys, values, names, polarity. Read once, compared often.

Everything beyond the sentences is worked out on first use, because most pairs are decided by the keys alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from muninn.domain.separation import lexicon
from muninn.domain.separation.occasion import marks
from muninn.domain.separation.slots import Part, language, parts, quotations
from muninn.domain.separation.text import Sentence, Text, Token, normalise, sentences, speaker

CALENDAR = frozenset((*lexicon.MONTHS, *lexicon.WEEKDAYS))
CLOSED = frozenset(
    (*lexicon.CARDINALS, *lexicon.ORDINALS, *lexicon.MULTIPLIERS, *CALENDAR, *lexicon.UNITS, *lexicon.CURRENCIES,
     *lexicon.NEGATIONS, *lexicon.QUANTITIES, *lexicon.RELATIVE_DAYS)
)  # fmt: skip
"""Words of which two never differ by accident."""
_CANONICAL = frozenset(("number", "port", "date", "time", "unit", "currency"))


class Plain(NamedTuple):
    """A content with contractions spelled out, values canonical, and harmless articles put aside by the place they held."""

    keys: tuple[str, ...]
    articles: dict[int, str]

    def same(self, other: Plain) -> bool:
        """Equal keys, and no place where both have an article and not the same ("el capital", "la capital")."""
        return (
            bool(self.keys)
            and self.keys == other.keys
            and all(other.articles.get(place, article) == article for place, article in self.articles.items())
        )


@dataclass(frozen=True)
class Features:
    """What ``features`` made of a Text."""

    title: tuple[Sentence, ...]
    body: tuple[Sentence, ...]
    normalised: str
    spoken: int = 0  # words of the body that only say who speaks

    @cached_property
    def talk(self) -> tuple[Sentence, ...]:
        """The body with who speaks as a sentence of its own."""
        if not self.spoken:
            return self.body
        first = self.body[0]
        label = Sentence(first.tokens[: self.spoken], " ")
        return (label, Sentence(first.tokens[self.spoken :], first.end), *self.body[1:])

    @cached_property
    def sentences(self) -> tuple[Sentence, ...]:
        return (*self.title, *self.body)

    @cached_property
    def tokens(self) -> tuple[Token, ...]:
        return tuple(token for sentence in self.sentences for token in sentence.tokens)

    @cached_property
    def title_key(self) -> tuple[str, ...]:
        return keys(self.title)

    @cached_property
    def body_key(self) -> tuple[str, ...]:
        return keys(self.body)

    @cached_property
    def questions(self) -> frozenset[int]:
        """Positions after which a question mark decides between asking and stating."""
        found, at = [], 0
        for sentence in self.sentences:
            at += len(sentence.tokens)
            if asks_by_mark(sentence):
                found.append(at)
        return frozenset(found)

    @cached_property
    def unmarked(self) -> bool:
        """Whether a text of some length has lost all its sentence marks, so that a missing one says nothing."""
        return len(self.tokens) > 8 and not any(sentence.end in ".!?。！？؟" for sentence in self.sentences)

    @cached_property
    def openers(self) -> frozenset[str]:
        return frozenset(token.key for token in self.tokens if token.opens)

    @cached_property
    def cased(self) -> frozenset[str]:
        """Keys written with a capital inside a sentence."""
        return frozenset(t.key for t in self.tokens if not t.opens and t.sort == "word" and t.raw[:1].isupper())

    @cached_property
    def inside(self) -> frozenset[str]:
        """Keys that stand anywhere but at the start of a sentence."""
        return frozenset(token.key for token in self.tokens if not token.opens)

    @cached_property
    def recased(self) -> bool:
        """Whether the whole text is lower case, upper case or in title case, so that capitals say nothing."""
        words = [token.raw for token in self.tokens if token.sort == "word"]
        if not any(raw[:1].isupper() for raw in words):
            return True
        return len(words) > 2 and (all(map(str.isupper, words)) or all(raw[:1].isupper() for raw in words))

    @cached_property
    def language(self) -> str:
        return language(self.tokens)

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        return parts(self.tokens, self.language)

    @cached_property
    def names(self) -> frozenset[str]:
        """Capitalised words inside sentences: proper names, acronyms, products."""
        if self.recased:
            return frozenset()
        return frozenset(
            key
            for key in self.cased
            if key not in lexicon.FUNCTION_WORDS and key not in CALENDAR and key not in lexicon.I_CONTRACTIONS
        )

    @cached_property
    def actors(self) -> frozenset[str]:
        """Names, and words that open a sentence with a capital before what looks like a verb: what a pronoun may mean."""
        found = {
            first.key
            for first, second in (sentence.tokens[:2] for sentence in self.sentences if len(sentence.tokens) > 1)
            if first.raw[:1].isupper() and first.key not in lexicon.FUNCTION_WORDS | lexicon.PRONOUNS
            if second.key in lexicon.SINGULAR_VERBS or second.key.endswith(("s", "ed", "ó", "aba"))
        }
        return self.names | found

    @cached_property
    def values(self) -> dict[str, dict[str, str]]:
        """slot → value → as written; names and quotations are told in comparison."""
        found: dict[str, dict[str, str]] = {}
        for part in self.parts:
            if part.slot:
                found.setdefault(part.slot, {})[part.value] = part.shown
        return found

    @cached_property
    def stated(self) -> frozenset[str]:
        """Every value and every key, whatever its slot."""
        return self.words.union(*self.values.values())

    @cached_property
    def occasion(self) -> frozenset[tuple[str, str]]:
        """Slot and value of what only says on which occasion."""
        return frozenset(marks(self.title, self.body, self.language))

    @cached_property
    def quoted(self) -> dict[str, str]:
        """Each quotation as the keys of its tokens → as written."""
        return {" ".join(keys(sentences(inside))): inside for inside in quotations(self.normalised) if inside.strip()}

    @cached_property
    def plain(self) -> Plain:
        return _plain([token for sentence in self.body for token in sentence.tokens], self.language)

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(token.key for token in self.tokens)

    @cached_property
    def spellings(self) -> dict[str, str]:
        """key → how it was first written."""
        return {token.key: token.raw for token in reversed(self.tokens)}

    @cached_property
    def stems(self) -> frozenset[str]:
        return frozenset(
            _stem(t.key) for t in self.tokens if t.sort != "symbol" and t.key not in lexicon.FUNCTION_WORDS
        )

    @cached_property
    def negations(self) -> tuple[str, ...]:
        """The words that negate, as written; "do not forget to" negates nothing."""
        tokens = self.tokens
        return tuple(
            token.raw
            for at, token in enumerate(tokens)
            if (token.key in lexicon.NEGATIONS or token.key in lexicon.BARE_CONTRACTIONS)
            and not (at + 1 < len(tokens) and tokens[at + 1].key in lexicon.REMINDERS)
        )


def features(text: Text) -> Features:
    """Read a text; ``compare`` takes the result as often as needed."""
    title, content = normalise(text.title or ""), normalise(text.content)
    whole = f"{title}\n{content}" if title else content
    return Features(title=sentences(title), body=sentences(content), normalised=whole, spoken=speaker(content))


def keys(found: Iterable[Sentence]) -> tuple[str, ...]:
    return tuple(token.key for sentence in found for token in sentence.tokens)


def asks_by_mark(sentence: Sentence) -> bool:
    """Whether only its mark makes a sentence a question: no question word opens it."""
    if sentence.end not in "?？؟":
        return False
    opening = [token.key for token in sentence.tokens[:3]]
    if opening[0] in lexicon.INTERJECTIONS and len(opening) > 1:
        opening = opening[1:]
    return opening[0] not in lexicon.QUESTION_VERBS and lexicon.QUESTION_WORDS.isdisjoint(opening)


def _plain(tokens: Sequence[Token], tongue: str) -> Plain:
    spelled: list[Token] = []
    for token in tokens:
        spelled.extend(_spell_out(token) if "'" in token.raw or token.key == "cannot" else (token,))
    found: list[str] = []
    for part in parts(spelled, tongue):
        key = part.value if part.slot in _CANONICAL or part.slot is None else part.shown.lower()
        key = part.shown if part.slot in ("path", "url", "identifier", "hash", "version") else key
        if part.slot == "number" and found and found[-1].startswith("currency "):
            found.insert(len(found) - 1, key)
        else:
            found.append(key)
    articles = {"en": lexicon.ENGLISH_ARTICLES, "es": lexicon.SPANISH_ARTICLES}.get(tongue, frozenset())
    kept: list[str] = []
    aside: dict[int, str] = {}
    for at, key in enumerate(found):
        if key in articles and _droppable(found, at):
            aside[len(kept)] = key
        else:
            kept.append(key)
    return Plain(tuple(kept), aside)


def _droppable(found: Sequence[str], at: int) -> bool:
    following = found[at + 1] if at + 1 < len(found) else ""
    return following.isalpha() and following not in lexicon.KEEPS_ARTICLE and following not in CLOSED


def _spell_out(token: Token) -> list[Token]:
    raw = token.raw.lower()
    if raw in lexicon.CONTRACTIONS:
        return [Token(word, word, "word", token.opens) for word in lexicon.CONTRACTIONS[raw]]
    for ending, word in lexicon.CONTRACTION_ENDINGS.items():
        if raw.endswith(ending) and len(raw) > len(ending):
            stem = raw.removesuffix(ending)
            return [Token(stem, stem, "word", token.opens), Token(word, word, "word", False)]
    return [token]


def _stem(key: str) -> str:
    """A crude stem that is the same for most inflections of a word in English and Spanish."""
    return key[:5] if len(key) > 5 and key.isalpha() else key
