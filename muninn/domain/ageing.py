"""How old a dream is by days that really passed, so that a clock gone wrong makes nothing old.

The rule: a dream is too old to be undone once the clock has shown more different days since it, each later than the one
before, than undo is possible for. A jump ahead adds one day, however far it goes; whatever was seen later than now is
forgotten when the clock goes back. Days on which nobody looked do not count, which errs on the side of keeping.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

_SEEN = "dream.days"
_SLACK = 4
"""Days: the first and the last are not whole, and a clock that was behind, then right, then ahead has shown two more."""


@dataclass(frozen=True, slots=True)
class Day:
    """A day (UTC) that the clock showed, and the id of the newest dream then: ids grow whatever the clock does."""

    date: date
    newest: str


def lived(days: Sequence[Day], *, today: date, newest: str) -> tuple[Day, ...]:
    """The days after a look at the clock. ``newest``: id of the newest dream, "" without any."""
    until_now = tuple(day for day in days if day.date <= today)
    seen = bool(until_now) and until_now[-1].date == today
    return until_now if seen else (*until_now, Day(today, newest))


def kept(days: Sequence[Day], undo_days: float) -> tuple[Day, ...]:
    """Those of the days that still tell something."""
    return tuple(days[-_count(undo_days) :])


def outlived(days: Sequence[Day], undo_days: float) -> str:
    """The id up to which dreams are too old to be undone; "" when none is."""
    count = _count(undo_days)
    return days[-count].newest if len(days) >= count else ""


def _count(undo_days: float) -> int:
    return math.ceil(undo_days) + _SLACK


def days_of(meta: Mapping[str, str]) -> tuple[Day, ...]:
    """The days in the store's ``meta``; damaged ones count as none."""
    try:
        return tuple(Day(date.fromisoformat(day), str(newest)) for day, newest in json.loads(meta.get(_SEEN, "[]")))
    except (ValueError, TypeError):
        return ()


def days_entry(days: Sequence[Day]) -> dict[str, str]:
    return {_SEEN: json.dumps([[day.date.isoformat(), day.newest] for day in days])}
