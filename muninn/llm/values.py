"""What a merged text must keep of its sources and may not add: numbers, dates, addresses, paths, versions, names, quotations.

Two readings must both fail before a value counts as lost: the separation guard's canonical one ("ninety" is 90), and the
literal one. Negations are counted as present or absent.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from muninn.domain.separation import lexicon, slots
from muninn.domain.separation.text import Token, normalise, sentences

_LITERAL = re.compile(
    r"https?://[^\s<>\"'()\[\]]+|[\w.+-]+@[\w-]+\.[\w.-]+"  # addresses
    r"|(?<![\w.])[-+−]?[$€£]?\d+(?:[.,:/'-]\d+)*%?"  # numbers, dates, times, signs included
    r"|(?:~|\.{0,2})/[\w.~/-]+"  # paths
    r"|\b\w*(?:_\w+|[A-Za-z]\d|\d[A-Za-z])\w*",  # identifiers
)
_TRAILING = ".,;:!?"
_LETTER = r"[^\W\u0e00-\u0eff\u1000-\u109f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"  # of scripts that part words


def lost(sources: Iterable[str], text: str) -> tuple[str, ...]:
    """Values that some source states and ``text`` does not, as written in the source."""
    kept_values, kept_text = stated(text), _plain(text)
    missing: dict[str, None] = {}
    for source in sources:
        for value, shown in stated(source).items():
            if value not in kept_values and not _holds(kept_text, shown):
                missing[shown] = None
        if negated(source) and not negated(text):
            missing["a negation"] = None
    return tuple(missing)


def invented(sources: Iterable[str], text: str) -> tuple[str, ...]:
    """Values that ``text`` states and no source does."""
    given: set[str] = set()
    plain = ""
    sources = tuple(sources)
    denial = ("a negation",) if negated(text) and not any(map(negated, sources)) else ()
    for source in sources:
        given.update(stated(source))
        plain += _plain(source) + "\n"
    added = (shown for value, shown in stated(text).items() if value not in given and not _holds(plain, shown))
    return (*added, *denial)


def stated(text: str) -> dict[str, str]:
    """Canonical value to the way it is written."""
    found: dict[str, str] = {}
    normal = normalise(text)
    parts = sentences(normal)
    tongue = slots.language([token for sentence in parts for token in sentence.tokens])
    for sentence in parts:
        for part in slots.parts(sentence.tokens, tongue):
            if part.slot is not None:
                found[f"{part.slot} {part.value}"] = part.shown
        for token in sentence.tokens:
            if token.sort == "word" and _names(token):
                found[f"name {token.raw.casefold()}"] = token.raw
    for quotation in slots.quotations(normal):
        found[f"quoted {quotation}"] = quotation
    for match in _LITERAL.finditer(text):
        literal = match.group().rstrip(_TRAILING)
        if not any(_holds(_plain(shown), literal) for shown in found.values()):
            found[f"literal {literal}"] = literal
    return found


def _names(token: Token) -> bool:
    """A capital that no sentence start explains, or a first name that is known as one."""
    capital = token.raw[:1].isupper() and len(token.raw) > 1
    return capital and (not token.opens or token.key in lexicon.FIRST_NAMES)


def negated(text: str) -> bool:
    return any(
        token.key in lexicon.NEGATIONS or (token.key.endswith("nt") and token.raw.lower().endswith(("n't", "n’t")))
        for sentence in sentences(normalise(text))
        for token in sentence.tokens
    )


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _holds(plain: str, shown: str) -> bool:
    """Whether ``shown`` occurs on its own: 8 does not occur in 18, nor 5 in -5 or 5.2."""
    wanted = re.escape(_plain(shown))
    return re.search(rf"(?<!{_LETTER})(?<!\d[.,:])(?<!(?<!\w)[-+−]){wanted}(?!{_LETTER}|[.,:]\d)", plain) is not None
