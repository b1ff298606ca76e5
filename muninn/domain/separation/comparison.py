"""Knows whether two texts say the same, and if not, which slot tells them apart.

Two texts may be merged only when their tokens are the same tokens: equal after normalisation, the same sentences in another
order, one misspelling apart, or equal once numbers, dates, units and contractions are written one way and harmless
articles are gone. Everything else is a refusal that names its slot. There is no similarity in here, and no doubt is
resolved in favour of equality.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from muninn.domain.separation import lexicon
from muninn.domain.separation.misspelling import Vocabulary, misspelled
from muninn.domain.separation.slots import VALUE_SLOTS, Part, language, parts, quotations
from muninn.domain.separation.text import Sentence, Text, Token, normalise, sentences


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why two texts must not be merged: the slot that differs, and what each side says there ("" where it says nothing)."""

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


@dataclass(frozen=True)
class Features:
    """A text as the guard reads it. Make it once per text with ``features``; what costs more is worked out on first use."""

    title: tuple[Sentence, ...]
    body: tuple[Sentence, ...]
    normalised: str

    @cached_property
    def tokens(self) -> tuple[Token, ...]:
        return tuple(token for sentence in (*self.title, *self.body) for token in sentence.tokens)

    @cached_property
    def title_key(self) -> tuple[str, ...]:
        return _keys(self.title)

    @cached_property
    def body_key(self) -> tuple[str, ...]:
        return _keys(self.body)

    @cached_property
    def questions(self) -> frozenset[int]:
        """Positions after which a question mark decides between asking and stating."""
        found, at = [], 0
        for sentence in (*self.title, *self.body):
            at += len(sentence.tokens)
            if sentence.end in "?？؟" and not _asks_by_words(sentence.tokens):
                found.append(at)
        return frozenset(found)

    @cached_property
    def cased(self) -> frozenset[str]:
        """Keys written with a capital inside a sentence."""
        return frozenset(t.key for t in self.tokens if not t.opens and t.sort == "word" and t.raw[:1].isupper())

    @cached_property
    def recased(self) -> bool:
        """Whether the whole text is lower case, upper case or in title case, so that capitals say nothing."""
        letters = [t.raw for t in self.tokens if t.sort == "word"]
        return (
            not any(map(_capital, letters))
            or all(raw.isupper() for raw in letters)
            or all(raw[:1].isupper() for raw in letters)
        )

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
        return frozenset(key for key in self.cased if key not in lexicon.FUNCTION_WORDS and key not in _CALENDAR)

    @cached_property
    def values(self) -> dict[str, dict[str, str]]:
        """slot → value → as shown, names and quotations left to the comparison."""
        found: dict[str, dict[str, str]] = {}
        for part in self.parts:
            if part.slot:
                found.setdefault(part.slot, {})[part.value] = part.shown
        return found

    @cached_property
    def quoted(self) -> dict[str, str]:
        """Each quotation as a key of its tokens → as shown."""
        return {" ".join(_keys(sentences(inside))): inside for inside in quotations(self.normalised) if inside.strip()}

    @cached_property
    def plain(self) -> tuple[str, ...]:
        """Tokens with contractions spelled out, values canonical and harmless articles gone."""
        return _plain(self.tokens, self.language)

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(token.key for token in self.tokens)

    @cached_property
    def stems(self) -> frozenset[str]:
        return frozenset(
            _stem(t.key) for t in self.tokens if t.key not in lexicon.FUNCTION_WORDS and t.sort != "symbol"
        )

    @cached_property
    def polarity(self) -> Counter[str]:
        return _negations(self.tokens)


def features(text: Text) -> Features:
    """Read a text once; ``compare`` takes the result as often as needed."""
    title, content = normalise(text.title or ""), normalise(text.content)
    return Features(
        title=sentences(title), body=sentences(content), normalised=f"{title}\n{content}" if title else content
    )


def compare(a: Text | Features, b: Text | Features, *, vocabulary: Vocabulary | None = None) -> Separation:
    """How two texts differ. Without a vocabulary nothing counts as a misspelling."""
    left = a if isinstance(a, Features) else features(a)
    right = b if isinstance(b, Features) else features(b)
    refusal, equal, reordered, slip = None, False, False, False
    trap = _trap(left, right)
    if _titles_agree(left, right):
        equal = trap is None and left.body_key == right.body_key
        reordered = trap is None and not equal and _same_sentences(left, right)
        slip = trap is None and not (equal or reordered) and _one_misspelling(left, right, vocabulary)
    if not (equal or reordered or slip):
        alike = trap is None and _titles_agree(left, right) and bool(left.plain) and left.plain == right.plain
        refusal = None if alike else _refusal(left, right, trap)
    through = refusal is None
    return Separation(
        equal_after_normalisation=equal,
        sentence_reorder=reordered,
        misspelling=slip,
        refusal=refusal,
        slots_equal=through or not any(True for _ in _value_differences(left, right)),
        coverage=1.0 if equal else _coverage(left, right),
    )


def _keys(found: Iterable[Sentence]) -> tuple[str, ...]:
    return tuple(token.key for sentence in found for token in sentence.tokens)


def _capital(raw: str) -> bool:
    return raw[:1].isupper()


def _asks_by_words(tokens: Sequence[Token]) -> bool:
    return any(
        token.key in lexicon.QUESTION_OPENERS or token.raw.lower() in lexicon.QUESTION_OPENERS for token in tokens[:4]
    )


def _titles_agree(left: Features, right: Features) -> bool:
    """Titles are the same, or the only one repeats what both contents say."""
    if left.title_key == right.title_key:
        return True
    if left.title_key and right.title_key:
        return False
    return set(left.title_key or right.title_key) <= set(left.body_key) & set(right.body_key)


def _trap(left: Features, right: Features) -> Refusal | None:
    """Differences that vanish in the keys although they matter: question or statement, US or us, user's or users'."""
    if left.questions != right.questions and len(left.tokens) == len(right.tokens):
        return Refusal("word", "?" if left.questions else ".", "?" if right.questions else ".")
    if not left.recased and not right.recased:
        shifted = (left.cased ^ right.cased) & lexicon.CASE_SENSITIVE & left.words & right.words
        for key in sorted(shifted & _inside(left) & _inside(right)):
            return Refusal("name", _raw(left, key), _raw(right, key))
    if len(left.tokens) == len(right.tokens):
        for one, other in zip(left.tokens, right.tokens, strict=True):
            if one.key == other.key and "'" in one.raw and "'" in other.raw and one.raw.lower() != other.raw.lower():
                return Refusal("word", one.raw, other.raw)
    return None


def _inside(text: Features) -> frozenset[str]:
    return frozenset(token.key for token in text.tokens if not token.opens)


def _raw(text: Features, key: str) -> str:
    return next((token.raw for token in text.tokens if token.key == key), "")


def _same_sentences(left: Features, right: Features) -> bool:
    """The same sentences in another order, none of which leans on its place."""
    if len(left.body) < 2 or len(left.body) != len(right.body):
        return False
    if Counter(_sentence_key(s) for s in left.body) != Counter(_sentence_key(s) for s in right.body):
        return False
    return not (_leans(left) or _leans(right))


def _sentence_key(sentence: Sentence) -> tuple[str, ...]:
    question = sentence.end in "?？؟" and not _asks_by_words(sentence.tokens)
    return (*(token.key for token in sentence.tokens), *(("?",) if question else ()))


def _leans(text: Features) -> bool:
    """Whether the order of a text's sentences carries meaning: steps, answers, headings, lists, "then", pronouns."""
    commands = 0
    for place, sentence in enumerate(text.body):
        first = sentence.tokens[0]
        if sentence.end in ":：" or first.sort in ("number", "symbol") or first.key in lexicon.SEQUENCE_OPENERS:
            return True
        if first.key in lexicon.ORDINALS or first.key in ("step", "paso", "after", "once"):
            return True
        commands += first.key in lexicon.IMPERATIVES
        if place and first.key in lexicon.PRONOUNS and len(text.names) > 1:
            return True
    return commands > 1


def _one_misspelling(left: Features, right: Features, vocabulary: Vocabulary | None) -> bool:
    if vocabulary is None or left.title_key != right.title_key or len(left.body_key) != len(right.body_key):
        return False
    different = [at for at, (x, y) in enumerate(zip(left.body_key, right.body_key, strict=True)) if x != y]
    if len(different) != 1:
        return False
    at = different[0] + len(left.title_key)
    one, other = left.tokens[at], right.tokens[at]
    if one.sort != "word" or other.sort != "word" or not (one.raw.islower() and other.raw.islower()):
        return False
    if _known(one.key) or _known(other.key):
        return False
    uses = {"left_uses": left.body_key.count(one.key), "right_uses": right.body_key.count(other.key)}
    return misspelled(one.raw, other.raw, vocabulary, **uses) is not None


def _known(key: str) -> bool:
    """Words of a closed class are never the odd form: two of them differ on purpose."""
    return key in lexicon.OPPOSITES or key in _CLOSED


_CALENDAR = frozenset((*lexicon.MONTHS, *lexicon.WEEKDAYS))
_CLOSED = frozenset(
    (*lexicon.CARDINALS, *lexicon.ORDINALS, *lexicon.MULTIPLIERS, *_CALENDAR, *lexicon.UNITS, *lexicon.CURRENCIES,
     *lexicon.NEGATIONS, *lexicon.QUANTITIES, *lexicon.RELATIVE_DAYS)
)  # fmt: skip


def _plain(tokens: Sequence[Token], tongue: str) -> tuple[str, ...]:
    spelled: list[Token] = []
    for token in tokens:
        spelled.extend(_spell_out(token) if "'" in token.raw or token.key == "cannot" else (token,))
    keys: list[str] = []
    for part in parts(spelled, tongue):
        canonical = part.slot in ("number", "port", "date", "time", "unit", "currency")
        key = part.value if canonical else part.shown.lower() if part.slot == "weekday" else part.value
        if keys and keys[-1].startswith("currency ") and part.slot == "number":
            keys.insert(len(keys) - 1, key)
        else:
            keys.append(key)
    article = (
        frozenset((lexicon.ENGLISH_ARTICLE,))
        if tongue == "en"
        else lexicon.SPANISH_ARTICLES
        if tongue == "es"
        else frozenset()
    )
    return tuple(key for at, key in enumerate(keys) if not (key in article and _droppable(keys, at)))


def _droppable(keys: Sequence[str], at: int) -> bool:
    following = keys[at + 1] if at + 1 < len(keys) else ""
    return following.isalpha() and following not in lexicon.KEEPS_ARTICLE and following not in _CLOSED


def _spell_out(token: Token) -> list[Token]:
    raw = token.raw.lower()
    if raw in lexicon.CONTRACTIONS:
        return [Token(word, word, "word", token.opens) for word in lexicon.CONTRACTIONS[raw]]
    for ending, word in lexicon.CONTRACTION_ENDINGS.items():
        if raw.endswith(ending) and len(raw) > len(ending):
            stem = raw.removesuffix(ending)
            return [Token(stem, stem, "word", token.opens), Token(word, word, "word", False)]
    return [token]


def _negations(tokens: Sequence[Token]) -> Counter[str]:
    found: Counter[str] = Counter()
    for at, token in enumerate(tokens):
        negative = (
            token.key in lexicon.NEGATIONS or token.raw.lower().endswith("n't") or token.key in _BARE_CONTRACTIONS
        )
        if negative and not (at + 1 < len(tokens) and tokens[at + 1].key in lexicon.REMINDERS):
            found[token.raw] += 1
    return found


_BARE_CONTRACTIONS = frozenset(
    "dont doesnt didnt isnt arent wasnt werent cant couldnt wouldnt shouldnt hasnt havent hadnt wont mustnt".split()
)


def _value_differences(left: Features, right: Features) -> Iterable[Refusal]:
    """Every value slot in which one text states something the other does not, both-sided differences first."""
    everything_left = {value for slot in left.values.values() for value in slot} | left.words
    everything_right = {value for slot in right.values.values() for value in slot} | right.words
    one_sided: list[Refusal] = []
    for slot in VALUE_SLOTS:
        if slot == "name":
            only_left, only_right = _name_differences(left, right)
        elif slot == "quoted":
            only_left = [shown for key, shown in left.quoted.items() if f" {key} " not in _joined(right)]
            only_right = [shown for key, shown in right.quoted.items() if f" {key} " not in _joined(left)]
        else:
            only_left = [shown for value, shown in left.values.get(slot, {}).items() if value not in everything_right]
            only_right = [shown for value, shown in right.values.get(slot, {}).items() if value not in everything_left]
        if only_left and only_right:
            yield Refusal(slot, ", ".join(only_left), ", ".join(only_right))
        elif only_left or only_right:
            one_sided.append(Refusal(slot, ", ".join(only_left), ", ".join(only_right)))
    yield from one_sided


def _joined(text: Features) -> str:
    return f" {' '.join(text.title_key)} {' '.join(text.body_key)} "


def _name_differences(left: Features, right: Features) -> tuple[list[str], list[str]]:
    valued = frozenset(("identifier", "version"))
    del valued
    only_left = sorted(key for key in left.names | _openers(left, right) if key not in right.words)
    only_right = sorted(key for key in right.names | _openers(right, left) if key not in left.words)
    return [_raw(left, key) for key in only_left], [_raw(right, key) for key in only_right]


def _openers(text: Features, other: Features) -> frozenset[str]:
    """Words that open a sentence and are names: known as one, or capitalised inside the other text, or about to act."""
    found: set[str] = set()
    for sentence in (*text.title, *text.body):
        first = sentence.tokens[0]
        if first.sort != "word" or not _capital(first.raw) or first.key in lexicon.FUNCTION_WORDS:
            continue
        if first.key in lexicon.FIRST_NAMES or first.key in other.names or first.key in text.names:
            found.add(first.key)
    return frozenset(found)


def _refusal(left: Features, right: Features, trap: Refusal | None) -> Refusal:
    """The most telling difference: both-sided values, then polarity, opposites, one-sided values, words, order."""
    values = list(_value_differences(left, right))
    for refusal in values:
        if refusal.left and refusal.right:
            return refusal
    if left.polarity.total() != right.polarity.total():
        return Refusal("negation", " ".join(left.polarity), " ".join(right.polarity))
    only_left = list((Counter(t.key for t in left.tokens) - Counter(t.key for t in right.tokens)).elements())
    only_right = list((Counter(t.key for t in right.tokens) - Counter(t.key for t in left.tokens)).elements())
    opposed = _opposed(only_left, only_right)
    if opposed:
        return opposed
    if values:
        return values[0]
    if trap:
        return trap
    if only_left or only_right:
        return Refusal("word", " ".join(only_left), " ".join(only_right))
    return _order(left, right)


def _opposed(only_left: Sequence[str], only_right: Sequence[str]) -> Refusal | None:
    for one in only_left:
        for other in only_right:
            if other in lexicon.OPPOSITES.get(one, ()) or _prefixed(one, other) or _prefixed(other, one):
                return Refusal("antonym", one, other)
    return None


def _prefixed(word: str, longer: str) -> bool:
    return len(word) > 3 and longer.endswith(word) and longer.removesuffix(word) in lexicon.OPPOSING_PREFIXES


def _order(left: Features, right: Features) -> Refusal:
    """Same tokens, other order: name the kind of what changed places ("Tom reports to Anna" / "Anna reports to Tom")."""
    for one, other in zip(left.tokens, right.tokens, strict=True):
        if one.key != other.key:
            named = {one.key, other.key} <= left.names | right.names | _openers(left, right) | _openers(right, left)
            slot = next(
                (slot for slot in VALUE_SLOTS if {one.raw, other.raw} <= set(left.values.get(slot, {}).values())), None
            )
            return Refusal(slot or ("name" if named else "order"), one.raw, other.raw)
    return Refusal("order", left.normalised[:80], right.normalised[:80])


def _coverage(left: Features, right: Features) -> float:
    total = len(left.stems) + len(right.stems)
    return 2 * len(left.stems & right.stems) / total if total else 0.0


def _stem(key: str) -> str:
    """A crude stem that is the same for most inflections of a word in English and Spanish."""
    return key[:5] if len(key) > 5 and key.isalpha() else key
