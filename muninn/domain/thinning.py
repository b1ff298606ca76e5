"""Which usage events something still reads, and what of them: the rest is what years of recalls leave behind.

Read are: whole events that a dream, or the undoing of one, may yet replay; the newest recalls with their question (the
probe asks them again); and of every memory the access times that strength counts one by one, and the days of use that
phase 4 has not seen. Whatever is let go of changes no strength, no dream and no undo.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from muninn.domain.marks import Mark, mark_from
from muninn.domain.records import Usage
from muninn.domain.strength import ACCESSES_KEPT

DAYS_KEPT = 32
"""Days of use that phase 4 has not seen, per memory: more than any stability needs to rise to its cap."""


@dataclass(frozen=True, slots=True)
class Horizon:
    """Of one vault: no event up to ``replayed`` will be replayed, none up to ``noticed`` counts as a new day of use."""

    replayed: str
    noticed: str


def horizon(mark: Mark, undoable: Sequence[Mapping[str, Any]]) -> Horizon:
    """How far back a vault may be taken: its mark, and those before each dream that can be undone."""
    marks = (mark, *map(mark_from, undoable))
    return Horizon(min(one.oldest_unread for one in marks), min(one.habit for one in marks))


def thinned(events: Sequence[Usage], *, horizon_of: Callable[[str], Horizon | None], questions: int) -> Iterator[Usage]:
    """The events that change, newest first, as they are from now on; one without memories can go.

    ``events`` ascend by id. ``horizon_of`` gives the horizon of a memory's vault, None for an unknown memory.
    ``questions``: recalls whose question is kept.
    """
    accesses: Counter[str] = Counter()
    days: dict[str, set[date]] = defaultdict(set)
    asked = 0
    for event in reversed(events):
        asked += bool(event.query)
        whole = bool(event.query) and asked <= questions
        kept = []
        for key in event.memories:
            limit = horizon_of(key)
            if limit is None:
                continue
            whole = whole or event.id > limit.replayed
            new_day = event.id > limit.noticed and len(days[key]) < DAYS_KEPT and event.at.date() not in days[key]
            if accesses[key] < ACCESSES_KEPT or new_day:
                kept.append(key)
            accesses[key] += 1
            if new_day:
                days[key].add(event.at.date())
        slim = replace(event, vaults=(), memories=tuple(kept), activations=(), query=None, session_id=None)
        if not whole and slim != event:
            yield slim
