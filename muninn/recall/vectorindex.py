"""The vectors of one embedding model: one growing float32 matrix that is only ever appended to, and a sketch to scan it.

A changed vector is a new row and the old one is let go, so a view handed out earlier never changes under its reader.
The sketch holds every row in its first principal coordinates, a third of the bytes: it estimates all cosines within
about 0.003, and whoever needs few of them exactly takes those from the matrix.
"""

from __future__ import annotations

import numpy as np

from muninn.domain.memory import Matrix
from muninn.recall.textindex import Floats, Slots

_FIRST_CAPACITY = 256
_SKETCH_FROM = 4096  # rows; below, the whole matrix is as fast
_SKETCH_DIMENSIONS = 128
_SAMPLE = 4096  # rows that the principal axes are taken from
_TAIL = 1024  # rows that may wait for their sketch


class VectorIndex:
    def __init__(self, dimensions: int) -> None:
        self.dimensions = dimensions
        self.count = 0
        self.live = 0
        self.aligned = True
        """Row i belongs to slot i, for every row that was not let go."""
        self._matrix: Matrix = np.empty((_FIRST_CAPACITY, dimensions), np.float32)
        self._slots: Slots = np.full(_FIRST_CAPACITY, -1, np.int32)
        self._row_at: Slots = np.full(_FIRST_CAPACITY, -1, np.int32)  # by slot; the last entry is always -1
        self._sketch: _Sketch | None = None

    @property
    def matrix(self) -> Matrix:
        """Shape (count, dimensions); rows that were let go included."""
        return self._matrix[: self.count]

    @property
    def slots(self) -> Slots:
        """The memory slot of each row, −1 where the row was let go."""
        return self._slots[: self.count]

    def rows_at(self, slots: Slots) -> Slots:
        """The row of each memory slot, −1 for one without a vector here."""
        rows: Slots = self._row_at.take(slots, mode="clip")
        return rows

    def row(self, number: int) -> Floats:
        row: Floats = self._matrix[number]
        return row

    @property
    def sketched(self) -> bool:
        """Whether ``estimate`` answers from the sketch."""
        return self._sketch is not None

    def estimate(self, query: Floats) -> Floats:
        """The cosine of every row to ``query``: to the last bits, or within the sketch's error."""
        if self._sketch is None:
            product: Floats = self.matrix @ query
            return product
        return self._sketch.estimate(query, self.matrix)

    def cosines(self, rows: Slots, query: Floats) -> Floats:
        """The cosines of some rows, the same to the last bit wherever a row stands (a BLAS product is not)."""
        exact: Floats = (self._matrix[rows] * query).sum(axis=1)
        return exact

    def add(self, slot: int, vector: Floats) -> int:
        """Append a vector; returns its row number."""
        if self.count == len(self._slots):
            self._grow()
        number = self.count
        self.aligned = self.aligned and slot == number
        self._matrix[number] = vector
        self._place(number, slot)
        self.count += 1
        self.live += 1
        return number

    def drop(self, number: int) -> None:
        if self._slots[number] >= 0:
            self._leave(number)
            self._slots[number] = -1
            self.live -= 1

    def renumber(self, number: int, slot: int) -> None:
        """Give row ``number`` to another slot: the text changed, the vector did not."""
        self.aligned = self.aligned and slot == number
        self._leave(number)
        self._place(number, slot)

    def settle(self) -> None:
        """Sketch what was added, and take new principal axes when there is far more than they were taken from."""
        if self.dimensions <= 2 * _SKETCH_DIMENSIONS or self.count < _SKETCH_FROM:
            return
        if self._sketch is None or self.count >= 4 * self._sketch.built_on:
            self._sketch = _Sketch(self.matrix)
        elif self.count - self._sketch.count >= _TAIL:
            self._sketch.extend(self.matrix)

    def _leave(self, number: int) -> None:
        if self._row_at[self._slots[number]] == number:
            self._row_at[self._slots[number]] = -1

    def _place(self, number: int, slot: int) -> None:
        if slot >= len(self._row_at) - 1:
            spare: Slots = np.full(2 * slot + 2 - len(self._row_at), -1, np.int32)
            self._row_at = np.concatenate([self._row_at, spare])
        self._slots[number], self._row_at[slot] = slot, number

    def _grow(self) -> None:
        capacity = 2 * len(self._slots)
        matrix: Matrix = np.empty((capacity, self.dimensions), np.float32)
        matrix[: self.count] = self.matrix
        slots = np.full(capacity, -1, np.int32)
        slots[: self.count] = self.slots
        self._matrix, self._slots = matrix, slots


class _Sketch:
    """Rows in the principal axes of a sample: x ≈ mean + axesᵀ·coordinates."""

    def __init__(self, matrix: Matrix) -> None:
        self.built_on = len(matrix)
        sample = matrix[:: max(1, len(matrix) // _SAMPLE)]
        self._mean = sample.mean(axis=0)
        centred = sample - self._mean
        _, vectors = np.linalg.eigh(centred.T @ centred)
        self._axes = np.ascontiguousarray(vectors[:, ::-1][:, :_SKETCH_DIMENSIONS].T.astype(np.float32))
        self.count = 0
        self._coordinates: Matrix = np.empty((0, _SKETCH_DIMENSIONS), np.float32)
        self.extend(matrix)

    def extend(self, matrix: Matrix) -> None:
        """Take in the rows of ``matrix`` beyond the first ``count``."""
        if len(matrix) > len(self._coordinates):
            grown = np.empty((max(2 * len(self._coordinates), len(matrix)), _SKETCH_DIMENSIONS), np.float32)
            grown[: self.count] = self._coordinates[: self.count]
            self._coordinates = grown
        for start in range(self.count, len(matrix), _SAMPLE):
            stop = min(start + _SAMPLE, len(matrix))
            self._coordinates[start:stop] = (matrix[start:stop] - self._mean) @ self._axes.T
        self.count = len(matrix)

    def estimate(self, query: Floats, matrix: Matrix) -> Floats:
        estimated = np.empty(len(matrix), np.float32)
        np.dot(self._coordinates[: self.count], self._axes @ query, out=estimated[: self.count])
        estimated[: self.count] += np.float32(self._mean @ query)
        np.dot(matrix[self.count :], query, out=estimated[self.count :])
        return estimated
