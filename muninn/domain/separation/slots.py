"""Knows which values a text states: numbers, dates, units, versions, ports, paths, identifiers, quotations, names.

A walk over the tokens yields parts; a part is one token, or several that state one value ("30 de junio de 2026"). Values
are canonical across English and Spanish where that is certain ("ninety" is 90, "€5" is 5 EUR) and literal where it is
not ("1,500" without a known language, 03/04/2026). Extraction names differences and bounds the review queue; it is never
what makes a merge safe: that is token equality.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from muninn.domain.separation import lexicon
from muninn.domain.separation.text import Token

VALUE_SLOTS = (
    "url", "path", "hash", "version", "port", "date", "weekday", "time", "currency", "unit", "number", "identifier",
    "quoted", "name",
)  # fmt: skip
"""Slots that carry a value, most telling first; negation, antonym, word and order are differences but not values."""


class Part(NamedTuple):
    """``slot`` is None for an ordinary word. ``value`` is canonical, ``shown`` as written."""

    slot: str | None
    value: str
    shown: str


_URL = re.compile(r"^(?:[a-z][a-z0-9+.-]*://|www\.)\S+$", re.IGNORECASE)
_EMAIL = re.compile(r"^[^@\s]+@[^@\s]+\.[a-z]{2,}$", re.IGNORECASE)
_DOMAIN = re.compile(
    r"^(?:[a-z0-9-]+\.)+(?:com|org|net|io|dev|app|es|eu|edu|gov|local|internal|test|ai|co|cloud|info)(?:/\S*)?$",
    re.IGNORECASE,
)
_HASH = re.compile(r"^(?:sha\d+:|0x)?(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,128}$", re.IGNORECASE)
_ISO = re.compile(r"^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:T.*)?$")
_ISO_MONTH = re.compile(r"^(\d{4})-(0[1-9]|1[0-2])$")
_SLASHED = re.compile(r"^(\d{1,2})[/.-](\d{1,2})[/.-](\d{4}|\d{2})$")
_QUARTER = re.compile(r"^(?:[qh]\d|\d[qht])$", re.IGNORECASE)
_CLOCK = re.compile(r"^(\d{1,2}):(\d{2})(?::\d{2})?(?:[ap]m|h)?$", re.IGNORECASE)
_VERSION = re.compile(r"^(?:v\d+(?:\.\w+)*|\d+\.\d+\.\d+(?:\.\w+)*|\d+(?:\.\d+)*\.x)(?:[-+.]?\w+)*$", re.IGNORECASE)
_HOST_PORT = re.compile(r"^([\w.-]*):(\d{2,5})$")
_ADDRESS = re.compile(r"^\d{1,3}(?:\.\d{1,3}){3}(?:/\d+)?$")
_FILE = re.compile(
    r"^[\w.*-]*\.(?:py|pyi|js|ts|tsx|jsx|go|rs|rb|java|kt|c|h|cpp|cs|sh|bash|zsh|sql|md|txt|rst|json|jsonl|toml|ya?ml|ini|cfg|conf|"
    r"env|lock|log|csv|tsv|xml|html|css|pdf|docx?|xlsx?|png|jpe?g|svg|zip|gz|tar|tgz|db|sqlite|pem|key|crt|service|sock|pid|bak)$",
    re.IGNORECASE,
)
_ORDINAL = re.compile(r"^(\d+)(?:st|nd|rd|th|o|a|er|ª|º)$")
_ENGLISH_NUMBER = re.compile(r"^\d{1,3}(?:,\d{3})+(?:\.\d+)?$")
_SPANISH_NUMBER = re.compile(r"^\d{1,3}(?:\.\d{3})+(?:,\d+)?$")
_QUOTED = re.compile(r"\"([^\"\n]{1,200})\"|(?<!\w)'([^'\n]{2,200})'(?!\w)")


def language(tokens: Sequence[Token]) -> str:
    """``en``, ``es``, or ``""`` when the function words do not decide."""
    english = sum(token.key in lexicon.ENGLISH for token in tokens)
    spanish = sum(token.key in lexicon.SPANISH for token in tokens)
    return "en" if english > spanish else "es" if spanish > english else ""


def quotations(text: str) -> tuple[str, ...]:
    """What stands in quotation marks in a normalised text."""
    if '"' not in text and "'" not in text:
        return ()
    return tuple(double or single for double, single in _QUOTED.findall(text))


def parts(tokens: Sequence[Token], tongue: str) -> tuple[Part, ...]:
    """The tokens as parts, in order, every token in exactly one part."""
    found: list[Part] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        if token.sort == "word":
            part, width = _from_word(tokens, at)
        elif token.sort == "number":
            part, width = _from_number(tokens, at, tongue)
        elif token.sort == "code":
            part, width = _from_code(token), 1
        else:
            part, width = _from_symbol(token), 1
        found.append(part)
        at += width
    return tuple(found)


def _shown(tokens: Sequence[Token], at: int, width: int) -> str:
    return " ".join(token.raw for token in tokens[at : at + width])


def _from_word(tokens: Sequence[Token], at: int) -> tuple[Part, int]:
    token = tokens[at]
    key = token.key
    if key in lexicon.MONTHS:
        dated = _month_first(tokens, at)
        if dated:
            return dated
    if key in lexicon.WEEKDAYS and (key not in lexicon.DOUBTFUL_CALENDAR or token.raw[0].isupper()):
        return Part("weekday", f"weekday {lexicon.WEEKDAYS[key]}", token.raw), 1
    if key in lexicon.RELATIVE_DAYS:
        return Part("date", key, token.raw), 1
    if key in lexicon.CARDINALS and key not in lexicon.AMBIGUOUS_CARDINALS:
        value, width = _spelled(tokens, at)
        return _counted(tokens, at, width, str(value))
    if key in lexicon.ORDINALS and not (key in ("second", "segundo") and _follows_number(tokens, at)):
        return Part("number", f"{lexicon.ORDINALS[key]}th", token.raw), 1
    if key in lexicon.QUANTITIES:
        return Part("number", key, token.raw), 1
    if _follows_number(tokens, at) and (token.raw in lexicon.UNITS or key in lexicon.UNITS):
        return Part("unit", "unit " + lexicon.UNITS.get(token.raw, lexicon.UNITS.get(key, key)), token.raw), 1
    if key in lexicon.CURRENCIES:
        return Part("currency", "currency " + lexicon.CURRENCIES[key], token.raw), 1
    if key == "por" and at + 1 < len(tokens) and tokens[at + 1].key == "ciento":
        return Part("unit", "unit %", _shown(tokens, at, 2)), 2
    if key in ("am", "pm") and _follows_number(tokens, at):
        return Part("time", key, token.raw), 1
    return Part(None, key, token.raw), 1


def _follows_number(tokens: Sequence[Token], at: int) -> bool:
    if at == 0:
        return False
    previous = tokens[at - 1]
    return (
        previous.sort == "number"
        or previous.key in lexicon.CARDINALS
        or previous.key in lexicon.MULTIPLIERS
        or (previous.sort == "code" and previous.key[:1].isdigit())
        or previous.key in ("a", "an", "un", "una", "per", "por", "half", "media", "every", "cada")
    )


def _month_first(tokens: Sequence[Token], at: int) -> tuple[Part, int] | None:
    """``June 30, 2026``, ``June 30th``, ``June 2026``, ``June``."""
    token = tokens[at]
    month = lexicon.MONTHS[token.key]
    day = _day(tokens, at + 1)
    if day and not (at + 1 < len(tokens) and tokens[at + 1].opens):
        year = _year(tokens, at + 2)
        return Part("date", f"{year or '-'}-{month}-{day}", _shown(tokens, at, 3 if year else 2)), 3 if year else 2
    year, width = _year_after(tokens, at + 1)
    if token.key in lexicon.DOUBTFUL_CALENDAR and not year and not (token.raw[0].isupper() and not token.opens):
        return None
    return Part("date", f"{year or '-'}-{month}", _shown(tokens, at, 1 + width)), 1 + width


def _day(tokens: Sequence[Token], at: int) -> str | None:
    if at >= len(tokens):
        return None
    match = _ORDINAL.match(tokens[at].key)
    digits = match.group(1) if match else tokens[at].key
    if digits.isascii() and digits.isdigit() and len(digits) <= 2 and 1 <= int(digits) <= 31:
        return f"{int(digits):02d}"
    number = lexicon.ORDINALS.get(tokens[at].key) if tokens[at].key not in ("second", "segundo") else None
    return f"{number:02d}" if number and number <= 31 else None


def _year(tokens: Sequence[Token], at: int) -> str | None:
    if at < len(tokens) and re.fullmatch(r"(?:19|20)\d\d", tokens[at].key):
        return tokens[at].key
    return None


def _year_after(tokens: Sequence[Token], at: int) -> tuple[str | None, int]:
    """The year at ``at``, or after "de", "del", "of"; with the tokens it took."""
    year = _year(tokens, at)
    if year:
        return year, 1
    if at < len(tokens) and tokens[at].key in ("de", "del", "of"):
        year = _year(tokens, at + 1)
        if year:
            return year, 2
    return None, 0


def _day_first(tokens: Sequence[Token], at: int) -> tuple[Part, int] | None:
    """``30 June 2026``, ``30th of June``, ``30 de junio de 2026``."""
    day = _day(tokens, at)
    if not day:
        return None
    next_at = at + 2 if at + 1 < len(tokens) and tokens[at + 1].key in ("de", "of") else at + 1
    if next_at >= len(tokens) or tokens[next_at].key not in lexicon.MONTHS:
        return None
    month = lexicon.MONTHS[tokens[next_at].key]
    if tokens[next_at].key in lexicon.DOUBTFUL_CALENDAR and not tokens[next_at].raw[0].isupper():
        return None
    year, width = _year_after(tokens, next_at + 1)
    width += next_at + 1 - at
    return Part("date", f"{year or '-'}-{month}-{day}", _shown(tokens, at, width)), width


def _spelled(tokens: Sequence[Token], at: int) -> tuple[int, int]:
    """The value of a spelled cardinal and the tokens it spans: "two hundred and fifty", "treinta y uno", "dos mil"."""
    total, current, last, width = 0, lexicon.CARDINALS[tokens[at].key], lexicon.CARDINALS[tokens[at].key], 1
    while at + width < len(tokens):
        key = tokens[at + width].key
        step = 1
        if key in ("and", "y") and at + width + 1 < len(tokens):
            joins = (key == "y" and 30 <= last < 100) or (key == "and" and last in lexicon.MULTIPLIERS.values())
            if not joins:
                break
            key, step = tokens[at + width + 1].key, 2
        if step == 1 and key in lexicon.MULTIPLIERS and current:
            factor = lexicon.MULTIPLIERS[key]
            total, current = (total, current * factor) if factor == 100 else (total + current * factor, 0)
            last = factor
        else:
            value = 1 if key in ("one", "uno") else lexicon.CARDINALS.get(key)
            if (
                value is None
                or key == "once"
                or not 0 < value < last
                or (last < 100 and (value > 9 or last < 20 or last % 10))
            ):
                break
            current, last = current + value, value
        width += step
    return total + current, width


def _counted(tokens: Sequence[Token], at: int, width: int, value: str) -> tuple[Part, int]:
    """A number with what stands before it: a port, a version, or a plain number."""
    before = tokens[at - 1] if at else None
    shown = _shown(tokens, at, width)
    if before and before.key in lexicon.PORT_WORDS and value.isdigit():
        return Part("port", value, shown), width
    if before and (
        before.key in lexicon.VERSION_WORDS or ("." in value and before.raw[:1].isupper() and not before.opens)
    ):
        return Part("version", value, shown), width
    return Part("number", value, shown), width


def _from_number(tokens: Sequence[Token], at: int, tongue: str) -> tuple[Part, int]:
    token = tokens[at]
    key = token.key
    dated = _day_first(tokens, at)
    if dated:
        return dated
    iso = _ISO.match(key)
    if iso:
        return Part("date", f"{iso[1]}-{int(iso[2]):02d}-{int(iso[3]):02d}", token.raw), 1
    if re.fullmatch(r"(?:19|20)\d\d", key) and at and tokens[at - 1].key in lexicon.YEAR_WORDS:
        return Part("date", key, token.raw), 1
    if _ADDRESS.match(key):
        return Part("identifier", key, token.raw), 1
    if _VERSION.match(key):
        return Part("version", key, token.raw), 1
    ordinal = _ORDINAL.match(key)
    if ordinal:
        return Part("number", f"{ordinal[1]}th", token.raw), 1
    if at + 1 < len(tokens) and tokens[at + 1].key in ("am", "pm"):
        return Part("time", f"{key} {tokens[at + 1].key}", _shown(tokens, at, 2)), 2
    return _counted(tokens, at, 1, _canonical_number(key, tongue))


def _canonical_number(key: str, tongue: str) -> str:
    """Thousands separators taken out where the language says which mark they are; otherwise as written."""
    sign = key[: len(key) - len(key.lstrip("-+~<>=≥≤±≈^"))]
    digits = key[len(sign) :]
    if tongue == "en" and _ENGLISH_NUMBER.match(digits):
        return sign + digits.replace(",", "")
    if tongue == "es" and _SPANISH_NUMBER.match(digits):
        return sign + digits.replace(".", "").replace(",", ".")
    if tongue == "es" and re.fullmatch(r"\d+,\d+", digits):
        return sign + digits.replace(",", ".")
    return key


def _from_symbol(token: Token) -> Part:
    if token.key in lexicon.CURRENCIES:
        return Part("currency", "currency " + lexicon.CURRENCIES[token.key], token.raw)
    if token.key in lexicon.UNITS:
        return Part("unit", "unit " + lexicon.UNITS[token.key], token.raw)
    return Part(None, token.key, token.raw)


def _from_code(token: Token) -> Part:
    slot, value = _classify(token.key, token.raw)
    return Part(slot, value, token.raw)


def _classify(key: str, raw: str) -> tuple[str, str]:
    if _URL.match(key):
        return "url", key.rstrip("/")
    if _EMAIL.match(key):
        return "identifier", key
    for pattern, slot in (
        (_QUARTER, "date"),
        (_CLOCK, "time"),
        (_HASH, "hash"),
        (_ISO_MONTH, "date"),
        (_VERSION, "version"),
    ):
        if pattern.match(key):
            return slot, key
    dated = _numeric_date(key)
    if dated:
        return "date", dated
    address = _HOST_PORT.match(key)
    if address:
        return "port", key
    if _DOMAIN.match(key):
        return "url", key.rstrip("/")
    if _looks_like_path(key):
        return "path", key
    if key[:1] in "$€£¥₹" and key[1:2].isdigit():
        return "number", key
    if key.startswith("-") or any(map(str.isalpha, raw)):
        return "identifier", key
    return "number", key


def _numeric_date(key: str) -> str | None:
    """ISO and day/month/year; a date that could be read both ways stays as written."""
    iso = _ISO.match(key)
    if iso:
        return f"{iso[1]}-{int(iso[2]):02d}-{int(iso[3]):02d}" if "T" not in key else key
    slashed = _SLASHED.match(key)
    if not slashed:
        return None
    first, second, year = int(slashed[1]), int(slashed[2]), slashed[3]
    if len(year) == 4 and first > 12 >= second >= 1:
        return f"{year}-{second:02d}-{first:02d}"
    if len(year) == 4 and second > 12 >= first >= 1:
        return f"{year}-{first:02d}-{second:02d}"
    return key


def _looks_like_path(key: str) -> bool:
    if _FILE.match(key):
        return True
    if "\\" in key:
        return True
    if "/" not in key:
        return False
    return key[0] in "/~." or key.endswith("/") or key.count("/") > 1 or bool(_FILE.match(key.rsplit("/", 1)[1]))
