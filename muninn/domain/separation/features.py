"""Knows a text as the guard reads it: keys, values, names, polarity. Read once, compared often.

Everything beyond the sentences is worked out on first use, because most pairs are decided by the keys alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from muninn.domain.separation import lexicon, quantities
from muninn.domain.separation.marks import Marked, marked
from muninn.domain.separation.occasion import marks
from muninn.domain.separation.slots import Part, language, parts, quotations
from muninn.domain.separation.text import Sentence, Text, Token, normalise, sentences

CALENDAR = frozenset((*quantities.MONTHS, *quantities.WEEKDAYS))
CLOSED = frozenset(
    (*quantities.CARDINALS, *quantities.ORDINALS, *quantities.MULTIPLIERS, *CALENDAR, *quantities.UNITS, *quantities.CURRENCIES,
     *lexicon.NEGATIONS, *quantities.QUANTITIES, *quantities.RELATIVE_DAYS)
)  # fmt: skip
"""Words of which two never differ by accident."""
_CANONICAL = frozenset(("port", "date", "time", "unit"))
_AS_WRITTEN = frozenset(("path", "url", "identifier", "hash", "version"))


@dataclass(frozen=True)
class Features:
    """What ``features`` made of a Text."""

    title: tuple[Sentence, ...]
    body: tuple[Sentence, ...]
    heading: str
    content: str

    @property
    def normalised(self) -> str:
        return f"{self.heading}\n{self.content}" if self.heading else self.content

    @cached_property
    def sentences(self) -> tuple[Sentence, ...]:
        return (*self.title, *self.body)

    @cached_property
    def tokens(self) -> tuple[Token, ...]:
        return tuple(token for sentence in self.sentences for token in sentence.tokens)

    @property
    def body_tokens(self) -> tuple[Token, ...]:
        return self.tokens[len(self.title_key) :]

    @cached_property
    def title_key(self) -> tuple[str, ...]:
        return keys(self.title)

    @cached_property
    def body_key(self) -> tuple[str, ...]:
        return keys(self.body)

    @cached_property
    def marked(self) -> Marked:
        """What stands between the words of the body."""
        return marked(self.content)

    @cached_property
    def cased(self) -> frozenset[str]:
        """Keys written with a capital inside a sentence."""
        return frozenset(t.key for t in self.tokens if not t.opens and t.sort == "word" and t.raw[:1].isupper())

    @cached_property
    def written(self) -> dict[str, set[str]]:
        """key → how it is written inside sentences."""
        found: dict[str, set[str]] = {}
        for token in self.tokens:
            if not token.opens:
                found.setdefault(token.key, set()).add(token.raw)
        return found

    @cached_property
    def bare(self) -> bool:
        """Whether no word of the content has a capital."""
        return all(token.raw == token.raw.lower() for token in self.body_tokens if token.sort == "word")

    @cached_property
    def shouted(self) -> bool:
        """Whether all words are upper case or in title case."""
        words = [token.raw for token in self.tokens if token.sort == "word"]
        return len(words) > 1 and (
            all(map(str.isupper, words)) or (len(words) > 2 and all(raw[:1].isupper() for raw in words))
        )

    @cached_property
    def lowered(self) -> bool:
        """Whether no word of the content has a capital, or none but the very first letter."""
        words = [token.raw for token in self.body_tokens if token.sort == "word"]
        return all(raw[at == 0 :] == raw[at == 0 :].lower() for at, raw in enumerate(words))

    @property
    def recased(self) -> bool:
        """Whether capitals say nothing in the text."""
        return self.bare or self.shouted

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
            if key not in lexicon.FUNCTION_WORDS and key not in CALENDAR and key not in lexicon.CAPITALISED
        )

    @cached_property
    def actors(self) -> frozenset[str]:
        """Names, and words that open a sentence with a capital before what looks like a verb: what a pronoun may mean."""
        found = {
            first.key
            for first, second in (sentence.tokens[:2] for sentence in self.sentences if len(sentence.tokens) > 1)
            if first.raw[:1].isupper() and first.key not in lexicon.FUNCTION_WORDS | lexicon.PRONOUNS
            if second.key in lexicon.SINGULAR_VERBS
            or (second.key.endswith(("s", "ed", "ó", "aba")) and second.key not in lexicon.FUNCTION_WORDS)
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
    def plain(self) -> tuple[str, ...]:
        """The keys of the body with contractions spelled out and values written one way."""
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
            for after in (tokens[at + 1].key if at + 1 < len(tokens) else "",)
            if after not in lexicon.REMINDERS
            if token.key in lexicon.NEGATIONS
            or token.key in lexicon.BARE_CONTRACTIONS
            or (after == "de" and token.key in lexicon.QUITTING)
        )


def features(text: Text) -> Features:
    """Read a text; ``compare`` takes the result as often as needed."""
    title, content = normalise(text.title or ""), normalise(text.content)
    return Features(title=sentences(title), body=sentences(content), heading=title, content=content)


def keys(found: Iterable[Sentence]) -> tuple[str, ...]:
    return tuple(token.key for sentence in found for token in sentence.tokens)


def _plain(tokens: Sequence[Token], tongue: str) -> tuple[str, ...]:
    spelled: list[Token] = []
    for token in tokens:
        spelled.extend(_spell_out(token) if "'" in token.raw or token.key == "cannot" else (token,))
    found: list[str] = []
    every = parts(spelled, tongue)
    for at, part in enumerate(every):
        key = part.value if _one_way(every, at) else part.shown if part.slot in _AS_WRITTEN else part.shown.lower()
        if part.slot == "number" and found and found[-1].startswith("currency "):
            found.insert(len(found) - 1, key)
        else:
            found.append(key)
    return tuple(found)


def _one_way(every: Sequence[Part], at: int) -> bool:
    """Whether a part's value stands for it: words, and values whose other ways of writing mean the same.

    Ordinals and hundreds have a gender in Spanish, and money words mean other things away from an amount ("peso")
    and "pesos, mexicanos" other things than "pesos mexicanos".
    """
    part = every[at]
    if part.slot == "currency":
        return " " not in part.shown and any(one.slot == "number" for one in every[max(0, at - 1) : at + 2])
    if part.slot == "number":
        return not (part.value.endswith("th") or "ientas" in part.shown.lower())
    return part.slot is None or part.slot in _CANONICAL


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
