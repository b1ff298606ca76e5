"""Knows when the sentences of a text may change places without saying something else.

They may when each stands on its own. One that answers, counts, lists, points back, joins on, or gives an order does not.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise

from muninn.domain.separation import lexicon, quantities
from muninn.domain.separation.features import CLOSED, Features
from muninn.domain.separation.text import Sentence

_ENDS = ".!?。！？؟।\"')"
_ASKS = "?？؟"
_EXCITED = "!！" + _ASKS
_VERBS = lexicon.QUESTION_VERBS | lexicon.DOUBTFUL_QUESTION_VERBS | lexicon.STATIVES
_FRAGMENT = 2  # tokens
_LABEL = 3
_FEW = 2  # sentences that do not yet make a list
_OPEN = (
    lexicon.FUNCTION_WORDS | lexicon.PRONOUNS | lexicon.QUESTION_WORDS | lexicon.QUESTION_VERBS | lexicon.CALLS
    | lexicon.BARE_CONTRACTIONS | lexicon.NEGATIONS | lexicon.CAPITALISED | lexicon.ANSWERS
)  # fmt: skip
"""What opens a sentence that is neither an order nor a fragment."""


_THE = frozenset("the its his her their el la los las su sus".split())
_PERSONS = frozenset("he she they his her their él ella ellos ellas".split())
_YOU = frozenset("you your yours youre youve youll youd ya tú tu tus te ti contigo usted ustedes vosotros os".split())
_OBJECTS = frozenset("it him her them too también lo".split())
_SPEAKER = re.compile(r"([A-ZÀ-ÖØ-Þ][^\W\d_]+(?: [A-ZÀ-ÖØ-Þ][^\W\d_]+)?): (?=[^\W\d_\"'¿¡(])")


def same_sentences(left: Features, right: Features) -> bool:
    """The same sentences in another order, none of which leans on its place."""
    (who, ours), (other, theirs) = _said(left.body), _said(right.body)
    if who != other or len(ours) < 2 or len(ours) != len(theirs):
        return False
    if Counter(one.text for one in ours) != Counter(one.text for one in theirs):
        return False
    hails = any(one.tokens[0].key in lexicon.HAILS for one in ours)
    ours, theirs = ([one for one in body if not _hails(one)] for body in (ours, theirs))
    if ours == theirs:
        return True
    if not hails and (_proceeds(left, ours) or _proceeds(right, theirs)):
        return False
    chats = hails or bool(who)
    return not (_leans(left, ours, theirs, chats=chats) or _leans(right, theirs, ours, chats=chats))


def _said(body: Sequence[Sentence]) -> tuple[str, list[Sentence]]:
    """Who speaks, if one is named before one of the sentences, and the sentences without the name."""
    named = [(at, found) for at, one in enumerate(body) if (found := _SPEAKER.match(one.text))]
    if len(named) != 1 or named[0][1][1].lower() in lexicon.HEADINGS:
        return "", list(body)
    at, found = named[0]
    tokens = body[at].tokens[len(found[1].split()) :]
    said = [*body[:at], body[at]._replace(tokens=tokens, text=body[at].text[found.end() :]), *body[at + 1 :]]
    return (found[1], said) if tokens else ("", list(body))


def _proceeds(text: Features, body: Sequence[Sentence]) -> bool:
    """Whether a text gives more than one order, names more than one thing or tells more than one event: a procedure, a list
    or a story."""
    stated = [sentence for sentence in body if sentence.end not in _EXCITED]
    openings = (sentence.tokens[0].key for sentence in stated)
    orders = sum(key not in _OPEN and key not in text.actors for key in openings)
    return orders > 1 or sum(map(_happens, stated)) > 1


def _hails(sentence: Sentence) -> bool:
    return len(sentence.tokens) <= _FRAGMENT + 1 and sentence.tokens[0].key in lexicon.HAILS


def _leans(text: Features, body: Sequence[Sentence], other: Sequence[Sentence], *, chats: bool) -> bool:
    """Whether the order of a text's sentences carries meaning, next to the order of the other's. ``chats``: it greets,
    thanks or names its speaker; what people say hangs together less than notes, reports and instructions."""
    asking = {sentence.text for sentence in body if sentence.end in _ASKS and not (chats and _asks_another(sentence))}
    before, after = _neighbours(other), _neighbours(other[::-1])
    numbered = 0
    alike = len(body) - len({tuple(token.key for token in sentence.tokens[:2]) for sentence in body})
    for at, sentence in enumerate(body):
        first = sentence.tokens[0]
        previous = body[at - 1].text if at else ""
        following = body[at + 1] if at + 1 < len(body) else None
        if sentence.end not in _ENDS or _continues(sentence) or (asking and first.key in lexicon.ANSWERS):
            return True
        if before[sentence.text] != previous and (
            (chats and previous and before[sentence.text])  # talk may go round, not speak of something else
            or _points_back(text, sentence, among=len(body), chats=chats)
        ):
            return True
        asks = sentence.text in asking or (sentence.end in _ASKS and following is not None and _echoes(following))
        if following is not None and asks and _answered(following, after[sentence.text]):
            return True
        numbered += first.sort == "number"
    return numbered > 1 or (len(body) > _FEW and alike > 0)


def _happens(sentence: Sentence) -> bool:
    """Whether a sentence tells what happens, not how things are: two of them tell it in order."""
    keys = [token.key for token in sentence.tokens]
    return keys[0] not in lexicon.GREETINGS and lexicon.STATIVES.isdisjoint(keys)


def _neighbours(body: Sequence[Sentence]) -> Mapping[str, str]:
    """Each sentence to the one before it."""
    texts = [sentence.text for sentence in body]
    return dict(zip(texts, ["", *texts], strict=False))


def _asks_another(sentence: Sentence) -> bool:
    """Whether a question is for who listens, who is not the one to go on speaking."""
    return not _YOU.isdisjoint(token.key for token in sentence.tokens)


def _echoes(sentence: Sentence) -> bool:
    """Whether a sentence only takes up the verb of a question ("I do", "we could")."""
    first, last = sentence.tokens[0].key, sentence.tokens[-1].key
    return len(sentence.tokens) <= _LABEL and first in lexicon.SUBJECTS and last in _VERBS


def _answered(following: Sentence, other: str) -> bool:
    """Whether what follows a question may be its answer and is no longer there in the other text."""
    if following.tokens[0].key in lexicon.HAILS - lexicon.ANSWERS:
        return False
    greets = following.tokens[0].key in lexicon.GREETINGS
    exclaims = following.end == "!" and (greets or len(following.tokens) <= _FRAGMENT)
    return other != following.text and not exclaims and (bool(other) or len(following.tokens) <= _LABEL)


def _points_back(text: Features, sentence: Sentence, *, among: int, chats: bool) -> bool:
    first = sentence.tokens[0]
    named = not _OBJECTS.isdisjoint(token.key for token in sentence.tokens[1:])
    if among > _FEW and not chats and (first.key in _THE or (named and sentence.end != "!")):
        return True
    pronouns = _PERSONS if chats else lexicon.PRONOUNS
    if first.key in pronouns or (text.language == "es" and first.key in lexicon.STATIVES):
        return among > _FEW and len(text.actors) > 1
    pairs = {f"{one.key}|{other.key}" for one, other in pairwise(sentence.tokens)}
    joins = first.key in lexicon.CONNECTORS and not (chats and first.key == "so")  # "so proud of you"
    if joins or not pairs.isdisjoint(lexicon.BACKWARD):
        return True
    fragment = len(sentence.tokens) <= _FRAGMENT and sentence.end != "!" and not chats
    return fragment and first.key not in lexicon.GREETINGS


def _continues(sentence: Sentence) -> bool:
    """Whether a sentence opens with a word that counts from the one before it ("then", "first"; not "next month"), or
    with a label."""
    if ":" in " ".join(sentence.text.split()[:_LABEL]):
        return True
    first, second = sentence.tokens[0].key, sentence.tokens[1].key if len(sentence.tokens) > 1 else ""
    if first in ("next", "after", "before", "tras", "antes", "después"):
        return (
            second not in quantities.UNITS
            and second not in CLOSED
            and second not in ("the", "el", "la", "time", "de", "a")
        )
    return first in lexicon.SEQUENCE_OPENERS
