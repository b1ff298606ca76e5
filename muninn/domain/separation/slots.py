"""Knows which values a text states: numbers, dates, units, versions, ports, paths, identifiers, quotations, names.

A walk over the tokens yields parts; a part is one token, or several that state one value ("30 de junio de 2026"). Values
are canonical across English and Spanish where that is certain ("ninety" is 90, "€5" is 5 EUR) and literal where it is
not ("1,500" without a known language, 03/04/2026). Extraction names differences and bounds the review queue; it is never
what makes a merge safe: that is token equality.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from muninn.domain.separation import lexicon, quantities
from muninn.domain.separation.technical import ADDRESS, ISO_DATE, VERSION, classify
from muninn.domain.separation.text import Token

VALUE_SLOTS = (
    "url", "path", "hash", "version", "port", "date", "weekday", "time", "currency", "unit", "number", "identifier",
    "quoted", "name",
)  # fmt: skip
"""Slots that carry a value, most telling first; negation, antonym, word, writing and order are not values."""


class Part(NamedTuple):
    """``slot`` is None for an ordinary word. ``value`` is canonical, ``shown`` as written."""

    slot: str | None
    value: str
    shown: str


_ORDINAL = re.compile(r"^(\d+)(?:st|nd|rd|th|o|a|er|ª|º)$")
_ROMAN = re.compile(r"(?=.)X{0,3}(?:IX|IV|V?I{0,3})")
_ENGLISH_NUMBER = re.compile(r"^\d{1,3}(?:,\d{3})+(?:\.\d+)?$")
_SPANISH_NUMBER = re.compile(r"^\d{1,3}(?:(?:\.\d{3}){2,}(?:,\d+)?|\.\d{3},\d+)$")
# One mark and three digits may be thousands or a decimal even in Spanish text: it stays as written.
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
        else:
            part, width = _from_symbol(token), 1
        found.append(part)
        at += width
    return tuple(found)


def _shown(tokens: Sequence[Token], at: int, width: int) -> str:
    return " ".join(token.raw for token in tokens[at : at + width])


def _phrase(tokens: Sequence[Token], at: int, phrases: Mapping[str, tuple[str, ...]]) -> str | None:
    """The phrase, of those listed by their first word, that stands at ``at``."""
    for phrase in phrases.get(tokens[at].key, ()):
        if phrase.split() == [token.key for token in tokens[at : at + len(phrase.split())]]:
            return phrase
    return None


def _from_word(tokens: Sequence[Token], at: int) -> tuple[Part, int]:
    found = _calendar(tokens, at) or _clock(tokens, at) or _quantity(tokens, at) or _money(tokens, at)
    if found:
        return found
    token = tokens[at]
    if token.key == "por" and at + 1 < len(tokens) and tokens[at + 1].key == "ciento":
        return Part("unit", "unit %", _shown(tokens, at, 2)), 2
    return Part(None, token.key, token.raw), 1


def _calendar(tokens: Sequence[Token], at: int) -> tuple[Part, int] | None:
    """Dates that start with a month or an ordinal, weekdays, and days named from today."""
    token = tokens[at]
    key = token.key
    phrase = _phrase(tokens, at, quantities.DAY_PHRASES)
    if phrase:
        width = len(phrase.split())
        return Part("date", phrase, _shown(tokens, at, width)), width
    dated = _month_first(tokens, at) if key in quantities.MONTHS else None
    dated = dated or (_day_first(tokens, at) if key in quantities.ORDINALS else None)
    if dated:
        return dated
    if key in quantities.WEEKDAYS and (key not in quantities.DOUBTFUL_CALENDAR or token.raw[0].isupper()):
        return Part("weekday", f"weekday {quantities.WEEKDAYS[key]}", token.raw), 1
    if key in quantities.RELATIVE_DAYS:
        return Part("date", key, token.raw), 1
    return None


def _clock(tokens: Sequence[Token], at: int) -> tuple[Part, int] | None:
    """A time zone, or the minutes of a time in words: "quarter past" before nine, "y media" after siete."""
    if tokens[at].raw in quantities.TIME_ZONES:
        return Part("time", tokens[at].key, tokens[at].raw), 1
    for phrases, hour in ((quantities.MINUTES_BEFORE_HOUR, at + 2), (quantities.MINUTES_AFTER_HOUR, at - 1)):
        minutes = _phrase(tokens, at, phrases)
        if minutes and _counts(tokens, hour):
            return Part("time", minutes, _shown(tokens, at, 2)), 2
    return None


def _money(tokens: Sequence[Token], at: int) -> tuple[Part, int] | None:
    """A currency, with whose it is: "pesos chilenos", "Canadian dollars"; a code beside an amount."""
    token = tokens[at]
    if token.raw in quantities.CURRENCY_CODES and (_counts(tokens, at - 1) or _counts(tokens, at + 1)):
        return Part("currency", f"currency {token.raw}", token.raw), 1
    if token.key not in quantities.CURRENCIES and token.key not in quantities.NATIONALITIES:
        return None
    keys = [one.key for one in tokens[at : at + 2]]
    money = next((quantities.CURRENCIES[key] for key in keys if key in quantities.CURRENCIES), None)
    whose = next((quantities.NATIONALITIES[key] for key in keys if key in quantities.NATIONALITIES), None)
    if money and whose:
        return Part("currency", f"currency {money} {whose}", _shown(tokens, at, 2)), 2
    if token.key in quantities.CURRENCIES:
        return Part("currency", "currency " + quantities.CURRENCIES[token.key], token.raw), 1
    return None


def _counts(tokens: Sequence[Token], at: int) -> bool:
    """Whether a number or one in words stands at ``at``."""
    if not 0 <= at < len(tokens):
        return False
    return (
        tokens[at].sort == "number"
        or tokens[at].key in quantities.CARDINALS
        or tokens[at].key in quantities.MULTIPLIERS
    )


def _quantity(tokens: Sequence[Token], at: int) -> tuple[Part, int] | None:
    """Spelled numbers and ordinals, vague amounts, and the unit after a number."""
    token = tokens[at]
    key = token.key
    counted = _follows_number(tokens, at)
    if key in quantities.CARDINALS and key not in quantities.AMBIGUOUS_CARDINALS:
        value, width = _spelled(tokens, at)
        return _counted(tokens, at, width, str(value))
    if key in quantities.ORDINALS and not (key in ("second", "segundo") and counted):
        return Part("number", f"{quantities.ORDINALS[key]}th", token.raw), 1
    if key in quantities.QUANTITIES or key in quantities.MULTIPLIERS or _roman(tokens, at):
        return Part("number", key, token.raw), 1
    if counted and (token.raw in quantities.UNITS or key in quantities.UNITS):
        return Part("unit", "unit " + quantities.UNITS.get(token.raw, quantities.UNITS.get(key, key)), token.raw), 1
    if counted and key in ("am", "pm"):
        return Part("time", key, token.raw), 1
    return None


def _roman(tokens: Sequence[Token], at: int) -> bool:
    """Whether a Roman numeral counts: after a noun that is numbered ("stage II"), or more than one letter after a name
    ("Alfonso XII"). ``I`` is a pronoun, too, unless that noun has a capital ("Act I")."""
    raw = tokens[at].raw
    if not at or not _ROMAN.fullmatch(raw):
        return False
    before = tokens[at - 1]
    named = before.raw[:1].isupper()
    return (before.key in quantities.NUMBERED and (named or raw != "I")) or (
        named and len(raw) > 1 and before.sort == "word" and before.key not in lexicon.FUNCTION_WORDS
    )


def _follows_number(tokens: Sequence[Token], at: int) -> bool:
    if at == 0:
        return False
    previous = tokens[at - 1]
    return (
        previous.sort == "number"
        or previous.key in quantities.CARDINALS
        or previous.key in quantities.MULTIPLIERS
        or (previous.sort == "code" and previous.key[:1].isdigit())
        or previous.key in ("a", "an", "un", "una", "per", "por", "half", "media", "every", "cada")
    )


def _month_first(tokens: Sequence[Token], at: int) -> tuple[Part, int] | None:
    """``June 30, 2026``, ``June 30th``, ``June 2026``, ``June``."""
    token = tokens[at]
    month = quantities.MONTHS[token.key]
    day = _day(tokens, at + 1)
    if day and not (at + 1 < len(tokens) and tokens[at + 1].opens):
        year = _year(tokens, at + 2)
        return Part("date", f"{year or '-'}-{month}-{day}", _shown(tokens, at, 3 if year else 2)), 3 if year else 2
    year, width = _year_after(tokens, at + 1)
    if token.key in quantities.DOUBTFUL_CALENDAR and not year and not (token.raw[0].isupper() and not token.opens):
        return None
    return Part("date", f"{year or '-'}-{month}", _shown(tokens, at, 1 + width)), 1 + width


def _day(tokens: Sequence[Token], at: int) -> str | None:
    if at >= len(tokens):
        return None
    match = _ORDINAL.match(tokens[at].key)
    digits = match.group(1) if match else tokens[at].key
    if digits.isascii() and digits.isdigit() and len(digits) <= 2 and 1 <= int(digits) <= 31:
        return f"{int(digits):02d}"
    number = quantities.ORDINALS.get(tokens[at].key) if tokens[at].key not in ("second", "segundo") else None
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
    if next_at >= len(tokens) or tokens[next_at].key not in quantities.MONTHS:
        return None
    month = quantities.MONTHS[tokens[next_at].key]
    if tokens[next_at].key in quantities.DOUBTFUL_CALENDAR and not tokens[next_at].raw[0].isupper():
        return None
    year, width = _year_after(tokens, next_at + 1)
    width += next_at + 1 - at
    return Part("date", f"{year or '-'}-{month}-{day}", _shown(tokens, at, width)), width


def _spelled(tokens: Sequence[Token], at: int) -> tuple[int, int]:
    """The value of a spelled cardinal and the tokens it spans: "two hundred and fifty", "treinta y uno", "dos mil"."""
    total, current, last, width = 0, quantities.CARDINALS[tokens[at].key], quantities.CARDINALS[tokens[at].key], 1
    while at + width < len(tokens):
        key = tokens[at + width].key
        step = 1
        if key in ("and", "y") and at + width + 1 < len(tokens):
            joins = (key == "y" and 30 <= last < 100) or (key == "and" and last in quantities.MULTIPLIERS.values())
            if not joins:
                break
            key, step = tokens[at + width + 1].key, 2
        if step == 1 and key in quantities.MULTIPLIERS and current:
            factor = quantities.MULTIPLIERS[key]
            total, current = (total, current * factor) if factor == 100 else (total + current * factor, 0)
            last = factor
        else:
            value = 1 if key in ("one", "uno") else quantities.CARDINALS.get(key)
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
    if before and before.key in quantities.PORT_WORDS and value.isdigit():
        return Part("port", value, shown), width
    if before and (
        before.key in quantities.VERSION_WORDS or ("." in value and before.raw[:1].isupper() and not before.opens)
    ):
        return Part("version", value, shown), width
    return Part("number", value, shown), width


def _from_number(tokens: Sequence[Token], at: int, tongue: str) -> tuple[Part, int]:
    token = tokens[at]
    key = token.key
    dated = _day_first(tokens, at)
    if dated:
        return dated
    iso = ISO_DATE.match(key)
    if iso:
        return Part("date", f"{iso[1]}-{int(iso[2]):02d}-{int(iso[3]):02d}", token.raw), 1
    if re.fullmatch(r"(?:19|20)\d\d", key) and at and tokens[at - 1].key in quantities.YEAR_WORDS:
        return Part("date", key, token.raw), 1
    if ADDRESS.match(key):
        return Part("identifier", key, token.raw), 1
    if VERSION.match(key):
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
    if tongue == "es" and re.fullmatch(r"\d+,\d+", digits) and not re.fullmatch(r"\d{1,3},\d{3}", digits):
        return sign + digits.replace(",", ".")
    return key


def _from_symbol(token: Token) -> Part:
    if token.key in quantities.CURRENCIES:
        return Part("currency", "currency " + quantities.CURRENCIES[token.key], token.raw)
    if token.key in quantities.UNITS:
        return Part("unit", "unit " + quantities.UNITS[token.key], token.raw)
    slot, value = classify(token.key) if token.sort == "code" else (None, token.key)
    return Part(slot, value, token.raw)
