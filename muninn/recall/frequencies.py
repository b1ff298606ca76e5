"""How many memories hold a word, counted once and remembered until a memory with that word comes, changes or goes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from threading import Lock

from muninn.domain.memory import Memory
from muninn.recall.cut import words_of

COUNTED = 800
"""Counting stops here: beyond the last step of ``commonness`` more says nothing more."""

_KEPT = 20_000  # words

Vaults = tuple[str, ...] | None


class Frequencies:
    """Thread-safe. ``count(token, vaults, limit)`` does the counting."""

    def __init__(self, count: Callable[[str, Vaults, int], int]) -> None:
        self._count = count
        self._lock = Lock()
        self._known: dict[str, dict[Vaults, int]] = {}
        self._rough: dict[tuple[str, Vaults], int] = {}
        self._changes = 0

    def roughly(self, token: str, vaults: Vaults) -> int:
        """The same as it was when first asked: enough for words whose count decides nothing."""
        known = self._rough.get((token, vaults))
        if known is None:
            if len(self._rough) >= _KEPT:
                self._rough.clear()
            known = self._rough[token, vaults] = self._count(token, vaults, COUNTED)
        return known

    def of(self, token: str, vaults: Vaults) -> int:
        """``vaults``: keys, None for all."""
        with self._lock:
            changes, known = self._changes, self._known.get(token, {}).get(vaults)
        if known is not None:
            return known
        counted = self._count(token, vaults, COUNTED)
        with self._lock:
            if changes == self._changes:
                if len(self._known) >= _KEPT:
                    self._known.clear()
                self._known.setdefault(token, {})[vaults] = counted
        return counted

    def forget(self, memories: Iterable[Memory]) -> None:
        """These memories come, have changed or go."""
        gone = {token for memory in memories for token in words_of(memory).split()} if self._known else set()
        with self._lock:
            self._changes += 1
            for token in gone:
                self._known.pop(token, None)
