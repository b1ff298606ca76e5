"""Knows which texts hold which token sequence: an append-only token stream with the positions of every token.

A text that changes is appended anew and its old place goes dead; a corpus that is ``wasteful`` wants to be made anew. What
was loaded at once is indexed as one sorted array (``_order``/``_bounds``), what came later in small arrays per token.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Sequence

import numpy as np

_END = 0  # closes every text in the stream, so that no sequence crosses two texts
_REBUILD_FROM = 200_000  # dead tokens below which making a corpus anew is not worth it
_FEW = 48  # positions up to which plain Python is faster than numpy


class _Numbers(dict[str, int]):
    """Token -> number, made up for a token never seen."""

    def __missing__(self, token: str) -> int:
        number = self[token] = len(self)
        return number


class Corpus:
    """The live texts of one vault as token numbers."""

    def __init__(self) -> None:
        self._numbers = _Numbers({"": _END})
        self._stream = array("I")
        self._starts = array("Q")
        self._owners: list[str | None] = []
        self._places: dict[str, int] = {}
        self._dead = 0
        self._order = np.empty(0, np.uint32)
        self._bounds = np.zeros(1, np.int64)
        self._counts: list[int] = []
        self._recent: dict[int, array[int]] = {}

    def __contains__(self, owner: str) -> bool:
        return owner in self._places

    @property
    def wasteful(self) -> bool:
        """Whether most of the stream is dead."""
        return self._dead > max(_REBUILD_FROM, len(self._stream) // 2)

    def encode(self, tokens: Iterable[str]) -> list[int]:
        """Token numbers; the same token always has the same."""
        return list(map(self._numbers.__getitem__, tokens))

    def words(self) -> list[str]:
        """Every token ever seen, by number."""
        return list(self._numbers)

    def gather(self, owner: str, tokens: Iterable[str]) -> None:
        """Take one of many texts in, which are found after ``index``; ``owner`` must not be in."""
        self._place(owner, self.encode(tokens))

    def index(self) -> None:
        """Index at once what was gathered; for a corpus that has no index yet."""
        stream = np.array(self._stream, np.uint32)
        self._order = np.argsort(stream, kind="stable").astype(np.uint32)
        counts = np.bincount(stream, minlength=len(self._numbers))
        self._counts = counts.tolist()
        self._bounds = np.concatenate(([0], np.cumsum(counts)))

    def add(self, owner: str, numbers: Sequence[int]) -> None:
        """Take a text in; ``owner`` must not be in."""
        position = len(self._stream)
        self._place(owner, numbers)
        recent = self._recent
        for number in numbers:
            places = recent.get(number)
            if places is None:
                recent[number] = array("I", (position,))
            else:
                places.append(position)
            position += 1

    def discard(self, owner: str) -> None:
        """Let a text go."""
        place = self._places.pop(owner)
        self._owners[place] = None
        self._dead += self._end(place) - self._starts[place]

    def text(self, owner: str) -> list[int]:
        """The token numbers of a live text."""
        place = self._places[owner]
        return self._stream[self._starts[place] : self._end(place) - 1].tolist()

    def most(self, phrase: Sequence[int]) -> int:
        """An upper bound of how many texts hold ``phrase``."""
        return min(self._occurrences(number) for number in phrase)

    def holding(self, phrase: Sequence[int]) -> list[str]:
        """The owners of the live texts that hold ``phrase``, each once, in order of arrival."""
        rarest = min(range(len(phrase)), key=lambda at: self._occurrences(phrase[at]))
        hits: dict[int, None] = {}
        for positions in self._positions(phrase[rarest]):
            if len(positions) <= _FEW:
                wanted = array("I", phrase)
                for position in positions:
                    start = int(position) - rarest
                    if start >= 0 and self._stream[start : start + len(wanted)] == wanted:
                        hits[bisect_right(self._starts, start) - 1] = None
            else:
                hits.update(dict.fromkeys(self._scan(phrase, np.asarray(positions, np.int64) - rarest)))
        owners = self._owners
        return [owner for place in hits if (owner := owners[place]) is not None]

    def _scan(self, phrase: Sequence[int], starts: np.ndarray[tuple[int], np.dtype[np.int64]]) -> list[int]:
        stream = np.frombuffer(self._stream, np.uint32)
        starts = starts[(starts >= 0) & (starts + len(phrase) <= len(stream))]
        for offset, number in enumerate(phrase):
            starts = starts[stream[starts + offset] == number]
        places = np.searchsorted(np.frombuffer(self._starts, np.uint64), starts.astype(np.uint64), side="right") - 1
        return [int(place) for place in np.unique(places)]

    def _positions(self, number: int) -> Iterable[Sequence[int]]:
        if number < len(self._counts):
            yield self._order[self._bounds[number] : self._bounds[number + 1]]  # type: ignore[misc]
        if number in self._recent:
            yield self._recent[number]

    def _occurrences(self, number: int) -> int:
        loaded = self._counts[number] if number < len(self._counts) else 0
        return loaded + len(self._recent.get(number, ()))

    def _place(self, owner: str, numbers: Sequence[int]) -> None:
        self._places[owner] = len(self._owners)
        self._owners.append(owner)
        self._starts.append(len(self._stream))
        self._stream.extend(numbers)
        self._stream.append(_END)

    def _end(self, place: int) -> int:
        return self._starts[place + 1] if place + 1 < len(self._starts) else len(self._stream)
