"""Knows where a capital letter makes another word ("Polish", "US", "Plan A", a password) and where it says nothing.

It says nothing at the start of a sentence, unless the whole word is in capitals ("WHO", "NO"), and in a text that is all
upper case or all in title case. In a text that lost all its capitals only the words that are known to need one are doubtful.
An apostrophe makes another word, too ("we'll"), unless a text has lost several.
"""

from __future__ import annotations

from muninn.domain.separation import lexicon
from muninn.domain.separation.features import Features
from muninn.domain.separation.text import Token


def respelled(left: Features, right: Features, *, headed: bool) -> tuple[str, str] | None:
    """The first word of two bodies with equal keys whose capitals or apostrophe make it another word. ``headed``: the titles
    have equal keys, too, and count."""
    forgiving = (left.shouted and _forgives(right)) or (right.shouted and _forgives(left))
    bare = _levelled(left, right) or _levelled(right, left)
    begins, unspelled = left.marked.begins, _unspelled(left, right) or _unspelled(right, left)
    for one, other in zip(*(text.tokens if headed else text.body_tokens for text in (left, right)), strict=True):
        if one.raw == other.raw:
            continue
        if one.raw.lower() != other.raw.lower():
            if not unspelled and one.key not in lexicon.UNMISTAKABLE and "'" in one.raw + other.raw:
                return one.raw, other.raw
        elif not forgiving and (_named(one, other, begins) if bare else _differ(one, other)):
            return one.raw, other.raw
    return None


def _unspelled(text: Features, other: Features) -> bool:
    """Whether a text lost all apostrophes, of which the other has several."""
    ours, theirs = (sum("'" in token.raw for token in one.tokens) for one in (text, other))
    return ours == 0 and theirs > 1


def _levelled(text: Features, other: Features) -> bool:
    """Whether a text lost all capitals that the other has; its first letter may be one when the other has several."""
    if not _forgives(other):
        return False
    several = sum(token.raw != token.raw.lower() for token in other.body_tokens[1:] if token.sort == "word") > 1
    return text.bare or (text.lowered and several)


def _forgives(text: Features) -> bool:
    """Whether a text in which every capital was lost or added may stand for this one: it begins with a capital, or has none."""
    first = next((token.raw for token in text.tokens if token.sort == "word"), "")
    return text.bare or text.shouted or first[:1].isupper()


def _differ(one: Token, other: Token) -> bool:
    return _acronym(one.raw) != _acronym(other.raw) if one.opens or other.opens else True


def _named(one: Token, other: Token, begins: frozenset[str]) -> bool:
    """In a text without capitals: a name that is a word, too, an acronym that is a small word, a code with some capitals."""
    capital = one.raw if one.raw != one.raw.lower() else other.raw
    if one.sort == "code":
        return capital != capital.upper()
    if _acronym(capital):
        return one.key in lexicon.FUNCTION_WORDS | lexicon.CASE_SENSITIVE
    return one.key in lexicon.CASE_SENSITIVE and not (one.opens or other.opens or one.key in begins)


def _acronym(raw: str) -> bool:
    return len(raw) > 1 and raw.isupper()


def shared_words_agree(left: Features, right: Features) -> bool:
    """Whether the words that both texts have inside a sentence are written with the same capitals in both."""
    if left.recased or right.recased:
        return (
            not (left.bare or right.bare)
            or not (left.cased ^ right.cased) & lexicon.CASE_SENSITIVE & left.words & right.words
        )
    return all(left.written[key] == right.written[key] for key in left.written.keys() & right.written.keys())
