"""What a filter needs to know about every memory slot, as numpy columns: state, vault and the times of validity.

Filters become one mask before anything is ranked. Times are seconds since 1970 UTC.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Any

import numpy as np

from muninn.domain.memory import Memory, State

Mask = np.ndarray[tuple[int], np.dtype[np.bool_]]
Column = np.ndarray[tuple[int], np.dtype[Any]]

ACTIVE, SUPERSEDED, ARCHIVED, FORGOTTEN, GONE = range(5)
_CODES = {
    State.ACTIVE: ACTIVE,
    State.SUPERSEDED: SUPERSEDED,
    State.ARCHIVED: ARCHIVED,
    State.FORGOTTEN: FORGOTTEN,
}
_ROW = np.dtype(
    [("vault", np.int32), ("state", np.int8), ("language", np.int8), ("created", "f8"), ("known", "f8"), ("since", "f8"),
     ("until", "f8"), ("closed", "f8"), ("standing", "f8", 7)]
)  # fmt: skip
_FIRST_CAPACITY = 256


class Columns:
    """One entry per slot. ``known``: first told or asserted; ``since``/``until``: validity; ``closed``: when it stopped
    being active (+∞ while it is); ``standing``: when made, last asserted and last accessed (−∞: never), how often accessed,
    stability in days, confidence and relevance."""

    def __init__(self) -> None:
        self.count = 0
        self.live = 0
        self._rows = {name: np.zeros(_FIRST_CAPACITY, _ROW[name]) for name in _ROW.names or ()}

    def __getitem__(self, name: str) -> Column:
        return self._rows[name][: self.count]

    def add(self) -> int:
        """A new slot, not yet visible to any filter."""
        if self.count == len(self._rows["state"]):
            for name, column in self._rows.items():
                self._rows[name] = np.concatenate([column, np.zeros_like(column)])
        self._rows["state"][self.count] = GONE
        self.count += 1
        self.live += 1
        return self.count - 1

    def put(self, slot: int, memory: Memory, *, vault: int, closed: datetime | None) -> None:
        """Describe ``memory`` at ``slot``."""
        rows = self._rows
        rows["vault"][slot] = vault
        rows["state"][slot] = _CODES[memory.state]
        rows["created"][slot] = memory.created_at.timestamp()
        rows["known"][slot] = min(memory.created_at, memory.learned_at).timestamp()
        rows["since"][slot] = memory.valid_from.timestamp() if memory.valid_from else -np.inf
        rows["until"][slot] = memory.valid_until.timestamp() if memory.valid_until else np.inf
        rows["closed"][slot] = closed.timestamp() if closed else np.inf
        accessed = memory.last_accessed_at.timestamp() if memory.last_accessed_at else -np.inf
        rows["standing"][slot] = (
            memory.created_at.timestamp(), memory.learned_at.timestamp(), accessed, memory.access_count,
            memory.stability, memory.confidence, memory.relevance,
        )  # fmt: skip

    def speak(self, slot: int, language: int) -> None:
        """Note the language of the text at ``slot`` (an index of ``language.CODES``)."""
        self._rows["language"][slot] = language

    def drop(self, slot: int) -> None:
        if self._rows["state"][slot] != GONE:
            self.live -= 1
        self._rows["state"][slot] = GONE

    def mask(self, *, vaults: Collection[int] | None, archived: bool, as_of: datetime | None) -> Mask:
        """Which slots a query may see. ``vaults`` None means all; ``as_of`` asks what was known and valid then."""
        state = self["state"]
        if as_of is None:
            visible = state <= (ARCHIVED if archived else SUPERSEDED)
        else:
            then = as_of.timestamp()
            visible = (state <= ARCHIVED) & (self["known"] <= then)
            visible &= (self["since"] <= then) & (self["until"] > then)
            if not archived:
                visible &= self["closed"] > then
        if vaults is not None:
            wanted = np.zeros(int(self._rows["vault"].max(initial=0)) + 1, np.bool_)
            wanted[[v for v in vaults if v < len(wanted)]] = True
            visible &= wanted[self["vault"]]
        return np.asarray(visible, np.bool_)

    def between(self, start: datetime, end: datetime) -> Mask:
        """Slots whose memory was made, or became valid, in [start, end]."""
        first, last = start.timestamp(), end.timestamp()
        found = np.zeros(self.count, np.bool_)
        for name in ("created", "since"):
            found |= (self[name] >= first) & (self[name] <= last)
        return found

    def active(self) -> Mask:
        return np.asarray(self["state"] == ACTIVE, np.bool_)
