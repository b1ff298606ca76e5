"""What a merged text must keep of its sources and may not add: numbers, dates, addresses, paths, versions, names, quotations.

Two readings must both fail before a value counts as lost: the separation guard's canonical one ("ninety" is 90), and the
literal one. Negations are counted as present or absent.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from muninn.domain.separation import lexicon, slots
from muninn.domain.separation.text import Sentence, Token, normalise, sentences

_LITERAL = re.compile(
    r"https?://[^\s<>\"'()\[\]]+|[\w.+-]+@[\w-]+\.[\w.-]+"  # addresses
    r"|(?<![\w.])[-+−]?[$€£]?\d+(?:[.,:/'-]\d+)*%?"  # numbers, dates, times, signs included
    r"|(?:~|\.{0,2})/[\w.~/-]+"  # paths
    r"|\b\w*(?:_\w+|[A-Za-z]\d|\d[A-Za-z])\w*",  # identifiers
)
_TRAILING = ".,;:!?"
_LABEL = re.compile(r"^[A-ZÀ-ÖØ-Þ][^\W\d_]+(?: [A-ZÀ-ÖØ-Þ][^\W\d_]+)?: (?=[\"'¿¡(]*[^\W\d_])", re.MULTILINE)
_TALK = frozenset(
    "wow whoa woah gosh omg yay ooh aw aww ah oh ugh haha lol hmm hello bye goodbye yup sure thanks thank great cool nice "
    "awesome amazing absolutely definitely totally exactly sounds looks glad happy congrats congratulations wonderful good "
    "sorry please really right actually honestly anyway still though love got sweet fantastic incredible lovely welcome "
    "indeed agreed "
    "guau vaya hola oye uf ay uy ja jaja vale bueno buenas buenos pues claro gracias genial perfecto estupendo increíble "
    "maravilloso enhorabuena felicidades además quizá exacto totalmente perdón adiós ojalá venga anda hombre mira menos "
    "qué".split()
)
_OPENERS = (
    _TALK | lexicon.INTERJECTIONS | lexicon.ANSWERS | lexicon.FUNCTION_WORDS | lexicon.PRONOUNS | lexicon.QUESTION_WORDS
    | lexicon.QUESTION_VERBS | lexicon.DOUBTFUL_QUESTION_VERBS | lexicon.SEQUENCE_OPENERS | lexicon.IMPERATIVES | lexicon.NEGATIONS
) - (lexicon.CASE_SENSITIVE - frozenset(("it", "who", "can")))  # fmt: skip
"""Words that open a sentence with a capital and are no names, unless in capitals throughout."""
_STEM = 4  # letters
_SAID = 3  # words that carry meaning, from which a sentence says something
_SHARED = 1 / 3  # of them that some source must have
_ENDINGS = ("'s", "'m", "'re", "'ll", "'ve", "'d")
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


def borrowed(cited: Iterable[str], others: Iterable[str], text: str) -> bool:
    """Whether ``text`` states a value that only ``others`` state: it speaks of what it does not name."""
    own = {value for source in cited for value in stated(source)}
    added = stated(text).keys() - own
    return bool(added) and any(not added.isdisjoint(stated(other)) for other in others)


def strays(sources: Iterable[str], text: str) -> bool:
    """Whether some sentence of ``text`` has hardly a word from ``sources``: an order slipped in, not another wording."""
    known = {stem for source in sources for sentence in sentences(normalise(source)) for stem in _stems(sentence)}
    for sentence in sentences(normalise(text)):
        stems = _stems(sentence)
        if len(stems) >= _SAID and sum(stem in known for stem in stems) < _SHARED * len(stems):
            return True
    return False


def _stems(sentence: Sentence) -> list[str]:
    """How the words begin that carry meaning, in scripts that part words: inflections begin alike."""
    words = (token.key for token in sentence.tokens if token.sort == "word")
    return [
        word[:_STEM]
        for word in words
        if word not in lexicon.FUNCTION_WORDS | lexicon.PRONOUNS and re.fullmatch(f"{_LETTER}+", word)
    ]


def stated(text: str) -> dict[str, str]:
    """Canonical value to the way it is written."""
    found: dict[str, str] = {}
    normal = normalise(text)
    labels = frozenset(label[0] for label in _LABEL.finditer(normal))
    parts = sentences(_LABEL.sub(r"\g<0>\n", normal))
    tongue = slots.language([token for sentence in parts for token in sentence.tokens])
    for at, sentence in enumerate(parts):
        for part in slots.parts(sentence.tokens, tongue):
            if part.slot is not None:
                found[f"{part.slot} {part.value}"] = part.shown
        before = " ".join(token.raw for token in parts[at - 1].tokens) if at else ""
        labelled = bool(before) and before + ": " in labels
        for token in sentence.tokens:
            if token.sort == "word" and _names(token, labelled=labelled):
                found[f"name {token.raw.casefold()}"] = token.raw
    for quotation in slots.quotations(normal):
        found[f"quoted {quotation}"] = quotation
    for match in _LITERAL.finditer(text):
        literal = match.group().rstrip(_TRAILING)
        if not any(_holds(_plain(shown), literal) for shown in found.values()):
            found[f"literal {literal}"] = literal
    return found


def _names(token: Token, *, labelled: bool) -> bool:
    """A capital that no sentence start explains, or a first name that is known as one.

    ``labelled``: the sentence follows a label ("Ingrid: Wow, …", "Provider: Acme …"), so what opens it may be a name.
    """
    if not token.raw[:1].isupper() or len(token.raw) == 1 or _contracted(token):
        return False
    if not token.opens or token.key in lexicon.FIRST_NAMES:
        return True
    return labelled and (token.key not in _OPENERS or token.raw.isupper())


def _contracted(token: Token) -> bool:
    """Whether a word is a contraction of what names nothing: "I'm", "That's", "Don't", not "Marta's"."""
    raw = token.raw.lower()
    stem, mark, ending = raw.rpartition("'")
    return raw.endswith("n't") or (bool(mark) and "'" + ending in _ENDINGS and stem in _OPENERS | {"let", "here"})


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
