"""What a dream knows of words: how often its texts use them, counted only when somebody asks, and what is general."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from muninn.recall import commonness
from muninn.wordlists import dictionary


class Words:
    """A vocabulary over texts that are fetched once, at the first question."""

    def __init__(self, texts: Callable[[], Iterable[str]]) -> None:
        self._texts = texts
        self._joined: str | None = None
        self._counts: dict[str, int] = {}
        self._ordinary: dict[tuple[str, str], bool] = {}
        self._known: dict[str, bool] = {}

    def count(self, word: str) -> int:
        """Occurrences of ``word`` as a whole word, case ignored."""
        folded = word.casefold()
        if folded not in self._counts:
            if self._joined is None:
                self._joined = "\n".join(self._texts()).casefold()
            pattern = rf"(?<!\w){re.escape(folded)}(?!\w)"
            self._counts[folded] = sum(1 for _ in re.finditer(pattern, self._joined))
        return self._counts[folded]

    def ordinary(self, word: str, tongue: str) -> bool:
        if (word, tongue) not in self._ordinary:
            self._ordinary[word, tongue] = dictionary.ordinary(word, tongue)
        return self._ordinary[word, tongue]

    def known(self, word: str) -> bool:
        if word not in self._known:
            self._known[word] = dictionary.known(word)
        return self._known[word]

    def wordlike(self, word: str) -> bool:
        return dictionary.wordlike(word)

    def common(self, word: str) -> bool:
        return commonness.common(word)
