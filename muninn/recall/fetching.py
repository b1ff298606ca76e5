"""Rows of memories that are not held, fetched by id and kept for a while.

A row that changes while it is being fetched is not kept, so what is kept is never older than what was forgotten.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable
from threading import Lock

from muninn.domain.memory import Memory

Row = tuple[Memory, bytes | None]

_KEPT = 4096
_LONGEST = 20_000
"""Characters of a memory that is worth keeping."""


class Fetched:
    """The rows used last. Thread-safe."""

    def __init__(self, fetch: Callable[[Iterable[str]], Iterable[Row]]) -> None:
        self._fetch = fetch
        self._lock = Lock()
        self._rows: OrderedDict[str, Row] = OrderedDict()
        self._changes = 0

    def rows(self, ids: Iterable[str]) -> list[Row]:
        """The rows of these ids as far as they exist."""
        wanted = list(ids)
        with self._lock:
            changes = self._changes
            found = {memory_id: self._rows[memory_id] for memory_id in wanted if memory_id in self._rows}
            for memory_id in found:
                self._rows.move_to_end(memory_id)
        missing = [memory_id for memory_id in wanted if memory_id not in found]
        if missing:
            fresh = list(self._fetch(missing))
            self.keep(fresh, changes)
            found.update((row[0].id, row) for row in fresh)
        return [found[memory_id] for memory_id in wanted if memory_id in found]

    @property
    def changes(self) -> int:
        """What to give to ``keep``, read before fetching."""
        return self._changes

    def keep(self, rows: Iterable[Row], changes: int) -> None:
        """Keep rows fetched elsewhere, unless something was forgotten since ``changes`` was read."""
        with self._lock:
            if changes != self._changes:
                return
            for row in rows:
                if len(row[0].content) <= _LONGEST:
                    self._rows[row[0].id] = row
            while len(self._rows) > _KEPT:
                self._rows.popitem(last=False)

    def forget(self, ids: Iterable[str]) -> None:
        """These rows have changed or gone."""
        with self._lock:
            self._changes += 1
            for memory_id in ids:
                self._rows.pop(memory_id, None)
