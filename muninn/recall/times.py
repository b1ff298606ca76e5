"""Time expressions in a query, in English and Spanish, as ranges of days: "yesterday", "la semana pasada", "in March".

Only expressions that cannot well be anything else are taken ("may I" is not May). Days are those of ``now``'s zone,
weeks begin on Monday. What could be read in another way says so in ``doubt``. Pure; calendar arithmetic is dateutil's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from dateutil.relativedelta import MO, relativedelta  # type: ignore[import-untyped]

from muninn.recall.calendar_words import MONTHS, NUMBERS, SHORT_MONTHS, UNITS, VAGUE, WEEKDAYS
from muninn.recall.tokens import fold, words

LONGEST_QUERY = 2000
"""Characters looked at; a longer text is not a question about a time."""

_TICK = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Reading:
    """``text`` (folded; ``said``: as it was written) read as [start, end]. ``absolute`` names a date that a memory may
    spell out as well."""

    text: str
    start: datetime
    end: datetime
    absolute: bool = False
    doubt: str | None = None
    said: str = ""

    @property
    def spelling(self) -> frozenset[str]:
        """The words by which a text spells the same date: "march" and "21"; none for a relative time, or a mere "may"."""
        named = frozenset(word for word in words(self.text) if word in MONTHS or word.isdigit())
        return named if self.absolute and not named <= SHORT_MONTHS else frozenset()

    @property
    def note(self) -> str:
        until = "" if self.end - self.start < timedelta(days=1) else f" to {self.end:%Y-%m-%d}"
        because = f" ({self.doubt})" if self.doubt else ""
        return f"“{self.said or self.text}” is read as {self.start:%Y-%m-%d}{until}{because}"


_Range = tuple[datetime, datetime]
_Rule = Callable[["re.Match[str]", datetime], "Reading | None"]


def readings(text: str, now: datetime) -> tuple[Reading, ...]:
    """The time expressions of ``text`` in order; none overlap."""
    folded = fold(text[:LONGEST_QUERY])
    if not _HINT.search(folded):
        return ()
    found: list[tuple[int, int, Reading]] = []
    for pattern, rule in _RULES:
        for match in pattern.finditer(folded):
            if any(match.start() < end and start < match.end() for start, end, _ in found):
                continue
            try:
                reading = rule(match, now)
            except (ValueError, OverflowError):  # a day that does not exist: the 31st of June, the year 0
                reading = None
            if reading is not None:
                found.append((match.start(), match.end(), reading))
    found.sort(key=lambda item: item[0])
    if len(folded) != len(text[:LONGEST_QUERY]):  # a letter became several, so places differ
        return tuple(reading for _, _, reading in found)
    return tuple(replace(reading, said=" ".join(text[start:end].split())) for start, end, reading in found)


def undated(text: str, times: tuple[Reading, ...]) -> str:
    """``text`` without its relative times, which say nothing about a subject and pull an embedding towards other days."""
    folded = fold(text)
    if len(folded) != len(text):
        return text
    for reading in times:
        found = re.search(r"\s+".join(map(re.escape, reading.text.split())), folded)
        if found and not reading.absolute:
            folded = folded[: found.start()] + folded[found.end() :]
            text = text[: found.start()] + text[found.end() :]
    return " ".join(text.split())


def _reading(match: re.Match[str], span: _Range, *, absolute: bool = False, doubt: str | None = None) -> Reading:
    return Reading(" ".join(match.group(0).split()), *span, absolute=absolute, doubt=doubt)


def _days(start: datetime, count: int = 1) -> _Range:
    first = start.replace(hour=0, minute=0, second=0, microsecond=0)
    return first, first + timedelta(days=count) - _TICK


def _period(unit: str, at: datetime) -> _Range:
    """The whole day, week, month, year or weekend around ``at``."""
    if unit == "day":
        return _days(at)
    if unit == "week":
        return _days(at + relativedelta(weekday=MO(-1)), 7)
    if unit == "weekend":
        return _days(at + relativedelta(weekday=MO(-1)) + timedelta(days=5), 2)
    first, _ = _days(at.replace(day=1) if unit == "month" else at.replace(month=1, day=1))
    return first, first + (relativedelta(months=1) if unit == "month" else relativedelta(years=1)) - _TICK


def _back(unit: str, count: float) -> relativedelta:
    name = {"weekend": "weeks"}.get(unit, f"{unit}s")
    return relativedelta(**{name: int(count)})


def _named_day(match: re.Match[str], now: datetime) -> Reading:
    offsets = {"today": 0, "hoy": 0, "yesterday": -1, "ayer": -1, "anoche": -1, "last night": -1, "anteayer": -2,
               "antier": -2, "antes de ayer": -2, "the day before yesterday": -2, "tomorrow": 1, "manana": 1}  # fmt: skip
    word = " ".join(match.group(1).split())
    return _reading(match, _days(now + timedelta(days=offsets[word])))


def _relative(match: re.Match[str], now: datetime) -> Reading:
    """This, last or next week, month, year or weekend."""
    unit = UNITS["weekend" if "fin de semana" in match.group(0) else match["unit"]]
    step = _direction(match["way"])
    if unit == "weekend" and step < 0:
        ending = now.weekday() == 6
        doubt = "the weekend that ends today is meant" if ending else None
        return _reading(match, _period(unit, now if ending else now - timedelta(days=7)), doubt=doubt)
    at = now.replace(day=1) if unit in {"month", "year"} else now
    return _reading(match, _period(unit, at + step * _back(unit, 1)))


def _direction(way: str) -> int:
    if way in {"last", "past", "previous", "pasado", "pasada", "anterior", "ultimo", "ultima"}:
        return -1
    return 1 if way in {"next", "proximo", "proxima", "que viene"} else 0


def _weekday(match: re.Match[str], now: datetime) -> Reading:
    """A weekday: the one just gone unless "next" is said; a bare one could be any."""
    wanted = WEEKDAYS[match["weekday"]]
    way = match["way"] or match["after"] or ""
    if _direction(way) > 0:
        return _reading(match, _days(now + timedelta(days=(wanted - now.weekday() - 1) % 7 + 1)))
    back = (now.weekday() - wanted - 1) % 7 + 1
    doubt = None if way else f"the last {match['weekday']} is meant"
    return _reading(match, _days(now - timedelta(days=back)), doubt=doubt)


def _ago(match: re.Match[str], now: datetime) -> Reading | None:
    """So many units ago; vague numbers give the range they usually mean."""
    number, unit = " ".join(match["number"].split()), UNITS[match["unit"]]
    if number in VAGUE:
        oldest, newest = VAGUE[number]
        scale = {"day": 1, "week": 7, "month": 30, "year": 365, "hour": 0, "weekend": 7}[unit]
        start, _ = _days(now - timedelta(days=oldest * scale))
        _, end = _days(now - timedelta(days=newest * scale))
        return _reading(match, (start, end), doubt="the number is vague")
    count = NUMBERS.get(number) or int(number)
    return _reading(match, _days(now - _back(unit, count))) if count <= 10_000 else None


def _ahead(match: re.Match[str], now: datetime) -> Reading | None:
    count = NUMBERS.get(match["number"]) or int(match["number"])
    return _reading(match, _days(now + _back(UNITS[match["unit"]], count))) if count <= 10_000 else None


def _latest(match: re.Match[str], now: datetime) -> Reading | None:
    """The last so many days, weeks, months, up to now."""
    number = match["number"]
    count = NUMBERS.get(number) or (int(number) if number.isdigit() else VAGUE.get(number, (3, 1))[0])
    if count > 10_000:
        return None
    return _reading(match, (_days(now - _back(UNITS[match["unit"]], count))[0], now))


def _month(match: re.Match[str], now: datetime) -> Reading | None:
    """A month, with its year or the latest one that has begun."""
    name, month = match["month"], MONTHS[match["month"]]
    said_in = match["in"] is not None
    if match["year"]:
        return _reading(
            match, _period("month", now.replace(year=int(match["year"]), month=month, day=1)), absolute=True
        )
    if name in SHORT_MONTHS and not (said_in and name == "may"):
        return None
    year = now.year - (month > now.month)
    span = _period("month", now.replace(year=year, month=month, day=1))
    return _reading(match, span, absolute=True, doubt="no year was said")


def _date(match: re.Match[str], now: datetime) -> Reading | None:
    """A day of a month, with its year or the latest one that has begun."""
    month, day = MONTHS[match["month"]], int(match["day"])
    if match["year"]:
        return _reading(match, _days(now.replace(year=int(match["year"]), month=month, day=day)), absolute=True)
    year = now.year - ((month, day) > (now.month, now.day))
    span = _days(now.replace(year=year, month=month, day=day))
    return _reading(match, span, absolute=True, doubt="no year was said")


def _numeric(match: re.Match[str], now: datetime) -> Reading | None:
    """2026-06-10, 2026/6/10, or 15/01/2024 in either order of day and month."""
    if match["y"]:
        year, month, day, doubt = int(match["y"]), int(match["m"]), int(match["d"]), None
    else:
        one, two, year, doubt = int(match["one"]), int(match["two"]), int(match["y2"]), None
        day, month = (one, two) if one > 12 else (two, one)
        if one <= 12 and two <= 12 and one != two:
            doubt = f"month first; day first would be {year}-{two:02d}-{one:02d}"
    return _reading(match, _days(now.replace(year=year, month=month, day=day)), absolute=True, doubt=doubt)


def _year(match: re.Match[str], now: datetime) -> Reading:
    return _reading(match, _period("year", now.replace(year=int(match["year"]), month=1, day=1)), absolute=True)


def _rules() -> Iterator[tuple[re.Pattern[str], _Rule]]:
    def either(names: object) -> str:
        return "|".join(sorted(names, key=len, reverse=True))  # type: ignore[call-overload]

    month, weekday = either(MONTHS), either(WEEKDAYS)
    vague, number = either(VAGUE).replace(" ", r"\s+"), rf"\d{{1,5}}|{either(NUMBERS)}"
    english, spanish = "day|days|week|weeks|month|months|mon|year|years|hour|hours", "dia|dias|semana|semanas|mes|meses|ano|anos|hora|horas"  # fmt: skip
    year = r"(?P<year>\d{4})"
    patterns: tuple[tuple[str, _Rule], ...] = (
        (r"(?<![\d./-])(?:(?P<y>\d{4})[-/](?P<m>\d{1,2})[-/](?P<d>\d{1,2})|(?P<one>\d{1,2})/(?P<two>\d{1,2})/(?P<y2>\d{4}))(?![\d/-])", _numeric),
        (rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+|de\s+)?(?P<month>{month})\b\.?(?:,?\s+(?:del?\s+)?{year})?\b", _date),
        (rf"\b(?P<month>{month})\.?\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?:,?\s+{year})?\b(?!\d)", _date),
        (rf"\b(?:(?P<in>in|from|during|since|until|of|for|by|early|late|mid|last|this|en|desde|durante|hasta|de|del)\s+)?(?P<month>{month})\b(?:\s+(?:de\s+|del\s+|of\s+)?{year}\b)?", _month),
        (r"\b(the\s+day\s+before\s+yesterday|antes\s+de\s+ayer|last\s+night|today|yesterday|tomorrow|hoy|ayer|anoche|anteayer|antier)\b", _named_day),
        (r"(?<!la )(?<!esta )\b(manana)\b(?=\s*[?.!]*$)", _named_day),
        (rf"\b(?P<number>{vague}|{number})\s*(?P<unit>{english})\s+ago\b", _ago),
        (rf"\bhace\s+(?P<number>{vague}|{number})\s+(?P<unit>{spanish})\b", _ago),
        (rf"\b(?:in\s+(?P<number>{number})\s+(?P<unit>{english})(?=\s*[?.!]*$))", _ahead),
        (rf"\b(?:the\s+)?(?:last|past)\s+(?P<number>\d{{1,4}}|{either(NUMBERS)}|few|couple\s+of)\s+(?P<unit>{english})\b", _latest),
        (rf"\b(?:los|las)\s+ultim[oa]s\s+(?P<number>\d{{1,4}}|{either(NUMBERS)})\s+(?P<unit>{spanish})\b", _latest),
        (r"\b(?P<way>this|last|past|previous|next)\s+(?P<unit>weekend|week|month|year)\b", _relative),
        (r"\b(?:el\s+|la\s+)?(?P<unit>fin\s+de\s+semana|semana|mes|ano)\s+(?P<way>pasad[oa]|anterior|que\s+viene)\b", _relative),
        (r"\b(?P<way>est[ea]|(?:la\s+|el\s+)?(?:ultim[oa]|proxim[oa]))\s+(?P<unit>fin\s+de\s+semana|semana|mes|ano)\b", _relative),
        (rf"\b(?:(?P<way>last|next|this)\s+|on\s+|el\s+)(?P<weekday>{weekday})\b(?:\s+(?P<after>pasado|que\s+viene|proximo))?", _weekday),
        (r"\b(?:in|during|since|en|durante|desde)\s+(?:the\s+year\s+|el\s+ano\s+)?(?P<year>(?:19|20)\d\d)\b(?![-/.])", _year),
    )  # fmt: skip
    for pattern, rule in patterns:
        yield re.compile(pattern), rule


_RULES = tuple(_rules())
_HINT = re.compile(
    r"\b\d|day|week|month|year|hour|ago\b|hoy|ayer|anoche|antier|manana|hace\b|semana|mes\b|meses|ano\b|anos|last\b|night|tomorrow|"
    + "|".join(name for name in (*MONTHS, *WEEKDAYS) if len(name) > 3 or name == "may")
)
