"""Knows which rows of a matrix of unit vectors are alike, and how pairs become clusters.

Blocked float32 products over the upper triangle; a tile is small enough that the deadline is seen within some 50 ms, and
memory is a few tiles whatever the number of pairs. Cosines here are raw: the caller turns calibrated thresholds into raw
ones with ``raw_threshold``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from muninn.domain.memory import Matrix

TILE_ROWS = 1024
TILE_COLUMNS = 4096
Indices = np.ndarray[tuple[int], np.dtype[np.int64]]
Scores = np.ndarray[tuple[int], np.dtype[np.float32]]


class Pair(NamedTuple):
    """Rows ``i`` < ``j`` and their raw cosine."""

    i: int
    j: int
    raw: float


class _Hits(NamedTuple):
    i: Indices
    j: Indices
    raw: Scores


def raw_threshold(calibrated: float, *, a: float, b: float) -> float:
    """The raw cosine at which ``a·cos + b`` reaches a calibrated one."""
    return (calibrated - b) / a


def candidate_pairs(
    matrix: Matrix,
    *,
    minimum_raw: float,
    new_rows: Sequence[int] | Indices | None = None,
    deadline: Callable[[], bool],
    tile: int = TILE_COLUMNS,
    strong_raw: float | None = None,
    nearest: int = 4,
    scanned: Callable[[Sequence[int]], None] | None = None,
) -> Iterator[Pair]:
    """Every pair of rows at or above ``minimum_raw``, tile by tile.

    ``new_rows``: only pairs with one of these rows (pairs among them once). ``deadline``: asked before each tile; true ends
    the scan. ``scanned`` is told, block by block, which rows have met every row they are due to meet, so that an
    interrupted scan can go on with the others as ``new_rows``. ``strong_raw``: pairs below it are bounded, only those
    among the ``nearest`` best weak pairs of one of their rows come out, after the strong ones; a review queue needs no more.
    """
    rows = np.arange(len(matrix)) if new_rows is None else np.unique(np.asarray(new_rows, dtype=np.int64))
    is_new = np.zeros(len(matrix), dtype=bool)
    is_new[rows] = True
    strong = minimum_raw if strong_raw is None else max(strong_raw, minimum_raw)
    weak = _Nearest(len(matrix), nearest) if strong > minimum_raw else None
    buffer = np.empty(TILE_ROWS * tile, dtype=np.float32)
    for start in range(0, len(rows), TILE_ROWS):
        block = rows[start : start + TILE_ROWS]
        left = matrix[block[0] : block[-1] + 1] if new_rows is None else matrix[block]
        for column in range(int(block[0]) if new_rows is None else 0, len(matrix), tile):
            if deadline():
                yield from weak.pairs() if weak else ()
                return
            right = matrix[column : column + tile]
            product = np.matmul(left, right.T, out=buffer[: len(left) * len(right)].reshape(len(left), len(right)))
            hits = _hits(product, block, column, is_new, minimum_raw, strong, weak)
            if hits is not None:
                yield from _strong(hits, strong, weak)
        if scanned is not None:
            scanned(block.tolist())
    yield from weak.pairs() if weak else ()


def _hits(
    product: Matrix,
    block: Indices,
    column: int,
    is_new: np.ndarray,
    minimum: float,
    strong: float,
    weak: _Nearest | None,
) -> _Hits | None:
    """The pairs of one tile, each once, self-pairs left out."""
    if product.max() < minimum:
        return None
    mask = product >= minimum
    width = product.shape[1]
    if weak is not None and np.count_nonzero(mask) > mask.size // 64:
        mask &= (product >= strong) | weak.wanted(product, block, column, strong)
    flat = np.flatnonzero(mask)
    i, j = block[flat // width], flat % width + column
    keep = (j > i) | ~is_new[j]
    keep &= i != j
    i, j, raw = i[keep], j[keep], product.ravel()[flat[keep]]
    return _Hits(np.minimum(i, j), np.maximum(i, j), raw)


def _strong(hits: _Hits, strong: float, weak: _Nearest | None) -> Iterator[Pair]:
    if weak is not None:
        faint = hits.raw < strong
        weak.add(_Hits(hits.i[faint], hits.j[faint], hits.raw[faint]))
        hits = _Hits(hits.i[~faint], hits.j[~faint], hits.raw[~faint])
    yield from map(Pair, hits.i.tolist(), hits.j.tolist(), hits.raw.tolist())


class _Nearest:
    """The best ``size`` weak neighbours of every row so far."""

    def __init__(self, rows: int, size: int) -> None:
        self._best = np.full((rows, size), -np.inf, dtype=np.float32)
        self._who = np.full((rows, size), -1, dtype=np.int64)

    @property
    def floor(self) -> Scores:
        return self._best[:, -1]

    def wanted(self, product: Matrix, block: Indices, column: int, strong: float) -> np.ndarray:
        """Where a crowded tile may still hold one of the best: above a floor, and among the best of its row or column."""
        size = self._best.shape[1]
        above = product > np.minimum(
            self.floor[block][:, None], self.floor[column : column + product.shape[1]][None, :]
        )
        if size >= min(product.shape) or np.count_nonzero(above) <= above.size // 64:
            return above
        best = np.zeros_like(above)
        weak = np.where(product < strong, product, -np.inf)
        np.put_along_axis(best, np.argpartition(weak, -size, axis=1)[:, -size:], True, axis=1)
        np.put_along_axis(best, np.argpartition(weak, -size, axis=0)[-size:, :], True, axis=0)
        return above & best

    def add(self, hits: _Hits) -> None:
        for own, other in ((hits.i, hits.j), (hits.j, hits.i)):
            better = hits.raw > self.floor[own]
            self._add(own[better], other[better], hits.raw[better])

    def _add(self, own: Indices, other: Indices, raw: Scores) -> None:
        if not len(own):
            return
        touched = np.unique(own)
        size = self._best.shape[1]
        rows = np.concatenate((own, np.repeat(touched, size)))
        who = np.concatenate((other, self._who[touched].ravel()))
        score = np.concatenate((raw, self._best[touched].ravel()))
        order = np.lexsort((who, -score, rows))
        rows, who, score = rows[order], who[order], score[order]
        first = np.searchsorted(rows, touched)
        rank = np.arange(len(rows)) - np.repeat(first, np.diff(np.append(first, len(rows))))
        top = rank < size
        self._who[touched] = who[top].reshape(len(touched), size)
        self._best[touched] = score[top].reshape(len(touched), size)

    def pairs(self) -> Iterator[Pair]:
        """Each pair once, best first."""
        own, place = np.nonzero(self._who >= 0)
        other, raw = self._who[own, place], self._best[own, place]
        i, j = np.minimum(own, other), np.maximum(own, other)
        order = np.lexsort((j, i, -raw))
        seen: set[tuple[int, int]] = set()
        for at in order.tolist():
            key = (int(i[at]), int(j[at]))
            if key not in seen:
                seen.add(key)
                yield Pair(*key, float(raw[at]))


def complete_link(
    pairs: Iterable[tuple[int, int, float]], *, allowed: Callable[[int, int], bool], cap: int
) -> tuple[tuple[int, ...], ...]:
    """Clusters in which every two members are a given and allowed pair; at most ``cap`` members each.

    Greedy from the most similar pair down, ties by index: the same pairs in any order give the same clusters. ``allowed``
    is asked once a pair. Clusters of one are left out; each is sorted, and so are they.
    """
    if cap < 2:
        return ()
    joined = {(min(i, j), max(i, j)): score for i, j, score in pairs if i != j and allowed(min(i, j), max(i, j))}
    cluster_of: dict[int, list[int]] = {}
    for i, j in sorted(joined, key=lambda pair: (-joined[pair], pair)):
        first, second = cluster_of.setdefault(i, [i]), cluster_of.setdefault(j, [j])
        if first is second or len(first) + len(second) > cap:
            continue
        if all((min(x, y), max(x, y)) in joined for x in first for y in second):
            first.extend(second)
            for member in second:
                cluster_of[member] = first
    unique = {id(cluster): tuple(sorted(cluster)) for cluster in cluster_of.values() if len(cluster) > 1}
    return tuple(sorted(unique.values()))
