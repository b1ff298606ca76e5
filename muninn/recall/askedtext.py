"""The text index of a page: only the words of the question are worth indexing there."""

from __future__ import annotations

from collections.abc import Container, Sequence

from muninn.recall.textindex import TITLE_WEIGHT, TextIndex


class AskedText(TextIndex):
    """Holds nothing of a text but the ``asked`` words, and its length."""

    def __init__(self, asked: Container[str]) -> None:
        super().__init__()
        self._asked = asked

    def add(self, slot: int, words: Sequence[str], title: Sequence[str] = ()) -> None:
        counts: dict[str, int] = {}
        for word in words:
            if word in self._asked:
                counts[word] = counts.get(word, 0) + 1
        for word in title:
            if word in self._asked:
                counts[word] = counts.get(word, 0) + TITLE_WEIGHT
        self.enter(slot, counts, len(words))
