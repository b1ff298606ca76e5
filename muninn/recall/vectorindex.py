"""The vectors of one embedding model: one growing float32 matrix that is only ever appended to.

A changed vector is a new row and the old one is let go, so a view handed out earlier never changes under its reader.
"""

from __future__ import annotations

import numpy as np

from muninn.domain.memory import Matrix
from muninn.recall.textindex import Floats, Slots

_FIRST_CAPACITY = 256


class VectorIndex:
    def __init__(self, dimensions: int) -> None:
        self.dimensions = dimensions
        self.count = 0
        self.live = 0
        self._matrix: Matrix = np.empty((_FIRST_CAPACITY, dimensions), np.float32)
        self._slots: Slots = np.full(_FIRST_CAPACITY, -1, np.int32)

    @property
    def matrix(self) -> Matrix:
        """Shape (count, dimensions); rows that were let go included."""
        return self._matrix[: self.count]

    @property
    def slots(self) -> Slots:
        """The memory slot of each row, −1 where the row was let go."""
        return self._slots[: self.count]

    def row(self, number: int) -> Floats:
        row: Floats = self._matrix[number]
        return row

    def add(self, slot: int, vector: Floats) -> int:
        """Append a vector; returns its row number."""
        if self.count == len(self._slots):
            self._grow()
        number = self.count
        self._matrix[number] = vector
        self._slots[number] = slot
        self.count += 1
        self.live += 1
        return number

    def drop(self, number: int) -> None:
        if self._slots[number] >= 0:
            self._slots[number] = -1
            self.live -= 1

    def renumber(self, number: int, slot: int) -> None:
        """Give row ``number`` to another slot: the text changed, the vector did not."""
        self._slots[number] = slot

    def _grow(self) -> None:
        capacity = 2 * len(self._slots)
        matrix: Matrix = np.empty((capacity, self.dimensions), np.float32)
        matrix[: self.count] = self.matrix
        slots = np.full(capacity, -1, np.int32)
        slots[: self.count] = self.slots
        self._matrix, self._slots = matrix, slots
