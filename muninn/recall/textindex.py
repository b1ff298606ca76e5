"""Which memory slots hold which words: an inverted index that changes at once and answers with numpy.

A slot is the row number that the resident model gives to one text of one memory. Slots are only ever added; a removed
text leaves its postings behind until ``compacted``, and the caller's mask hides them.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

Floats = np.ndarray[tuple[int], np.dtype[np.float32]]
Slots = np.ndarray[tuple[int], np.dtype[np.integer[Any]]]

TITLE_WEIGHT = 2
SATURATION = 0.6  # k1 of BM25; notes are short, so a second mention adds little
LENGTH_SHARE = 0.4  # b of BM25
TYPICAL_LENGTH = 25.0  # tokens; fixed, so that a score never depends on what else is stored


def impact(count: float, length: float) -> float:
    """BM25's saturated term frequency, in (0, 1.6): 1 for one mention in a text of typical length."""
    damping = SATURATION * (1.0 - LENGTH_SHARE + LENGTH_SHARE * length / TYPICAL_LENGTH)
    return count * (SATURATION + 1.0) / (count + damping)


class TextIndex:
    def __init__(self) -> None:
        self._slots: dict[str, array[int]] = {}
        self._impacts: dict[str, array[float]] = {}

    def add(self, slot: int, words: Sequence[str], title: Sequence[str] = ()) -> None:
        """Index a text under ``slot``, which must be higher than every slot before it."""
        counts: Counter[str] = Counter(words)
        length = len(words)
        for word in title:
            counts[word] += TITLE_WEIGHT
        self.enter(slot, counts, length)

    def enter(self, slot: int, counts: Mapping[str, int], length: int) -> None:
        """Index a text that holds each word so many times and is ``length`` words long."""
        for word, count in counts.items():
            slots = self._slots.get(word)
            if slots is None:
                slots = self._slots[word] = array("i")
                self._impacts[word] = array("f")
            slots.append(slot)
            self._impacts[word].append(impact(count, length))

    def slots(self, word: str) -> Slots:
        """Every slot whose text holds ``word``, removed ones included, ascending."""
        return np.frombuffer(self._slots.get(word, b""), np.int32)

    def holds(self, word: str, slot: int) -> bool:
        slots = self._slots.get(word)
        if slots is None:
            return False
        at = bisect_left(slots, slot)
        return at < len(slots) and slots[at] == slot

    def coverage(self, weights: Mapping[str, float], size: int) -> Floats:
        """Σ weight·impact per slot (length ``size``) over the words of a query; divide by Σ weight for a share."""
        held = [word for word in weights if word in self._slots]
        if not held:
            return np.zeros(size, np.float32)
        slots = np.concatenate([np.frombuffer(self._slots[word], np.int32) for word in held])
        shares = [np.float32(weights[word]) * np.frombuffer(self._impacts[word], np.float32) for word in held]
        return np.bincount(slots, np.concatenate(shares), size).astype(np.float32)

    def compacted(self, renumbered: Slots) -> TextIndex:
        """A copy without removed slots; ``renumbered[old]`` is the new slot, or −1."""
        fresh = TextIndex()
        for word, slots in self._slots.items():
            moved = renumbered[np.frombuffer(slots, np.int32)]
            kept = moved >= 0
            if kept.any():
                fresh._slots[word] = array("i", moved[kept].tobytes())
                fresh._impacts[word] = array("f", np.frombuffer(self._impacts[word], np.float32)[kept].tobytes())
        return fresh
