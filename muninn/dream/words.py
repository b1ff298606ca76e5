"""How often a word occurs in the texts a dream may read; counted only when somebody asks, which is seldom."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable


class Words:
    """A vocabulary over texts that are fetched once, at the first question."""

    def __init__(self, texts: Callable[[], Iterable[str]]) -> None:
        self._texts = texts
        self._joined: str | None = None
        self._counts: dict[str, int] = {}

    def count(self, word: str) -> int:
        """Occurrences of ``word`` as a whole word, case ignored."""
        folded = word.casefold()
        if folded not in self._counts:
            if self._joined is None:
                self._joined = "\n".join(self._texts()).casefold()
            pattern = rf"(?<!\w){re.escape(folded)}(?!\w)"
            self._counts[folded] = sum(1 for _ in re.finditer(pattern, self._joined))
        return self._counts[folded]
