"""Blocked pair search against the plain product, its bounds, and complete-link clusters."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muninn.domain.memory import Matrix
from muninn.domain.similarity import Pair, candidate_pairs, complete_link, raw_threshold


def _matrix(rows: int, seed: int, *, copies: int = 0) -> Matrix:
    rng = np.random.default_rng(seed)
    matrix = rng.normal(size=(rows, 16)).astype(np.float32)
    for _ in range(copies):
        source, target = rng.integers(0, rows, 2)
        matrix[target] = matrix[source] + 0.05 * rng.normal(size=16)
    return np.asarray(matrix / np.linalg.norm(matrix, axis=1, keepdims=True), dtype=np.float32)


def _never() -> bool:
    return False


def _after(tiles: int) -> Callable[[], bool]:
    left = iter(range(tiles + 1))
    return lambda: next(left, tiles) >= tiles


def _plain(matrix: Matrix, minimum: float) -> dict[tuple[int, int], float]:
    product = matrix @ matrix.T
    first, second = np.triu_indices(len(matrix), 1)
    return {
        (i, j): raw
        for i, j, raw in zip(first.tolist(), second.tolist(), product[first, second].tolist(), strict=True)
        if raw >= minimum
    }


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 60), st.integers(0, 999), st.integers(1, 70), st.floats(-0.5, 0.95))
def test_finds_what_the_plain_product_finds(rows: int, seed: int, tile: int, minimum: float) -> None:
    matrix = _matrix(rows, seed, copies=5)
    expected = _plain(matrix, minimum)
    found = list(candidate_pairs(matrix, minimum_raw=minimum, deadline=_never, tile=tile))
    assert len({(pair.i, pair.j) for pair in found}) == len(found)
    assert all(pair.i < pair.j for pair in found)
    at_the_edge = {pair for pair, raw in _plain(matrix, minimum - 1e-5).items() if abs(raw - minimum) < 1e-5}
    assert ({(pair.i, pair.j) for pair in found} ^ expected.keys()) <= at_the_edge


def test_spans_several_blocks_of_rows() -> None:
    matrix = _matrix(2100, 3, copies=40)
    found = {(pair.i, pair.j) for pair in candidate_pairs(matrix, minimum_raw=0.97, deadline=_never, tile=500)}
    assert found == _plain(matrix, 0.97).keys()
    assert any(j - i > 1024 for i, j in found)


@settings(max_examples=25, deadline=None)
@given(st.sets(st.integers(0, 49), max_size=10), st.integers(0, 99))
def test_new_rows_meet_everything_once(new: set[int], seed: int) -> None:
    matrix = _matrix(50, seed, copies=10)
    found = [
        (p.i, p.j) for p in candidate_pairs(matrix, minimum_raw=0.5, new_rows=sorted(new), deadline=_never, tile=7)
    ]
    assert len(set(found)) == len(found)
    assert set(found) == {pair for pair in _plain(matrix, 0.5) if new & set(pair)}


def test_the_deadline_is_asked_before_every_tile_and_what_was_met_is_told() -> None:
    matrix = _matrix(2100, 5, copies=60)
    met: list[int] = []
    pairs = list(
        candidate_pairs(matrix, minimum_raw=0.97, deadline=_after(4), tile=700, scanned=lambda rows: met.extend(rows))
    )
    assert met == list(range(1024))  # three tiles finish the first block; the second was cut short
    rest = sorted(set(range(2100)) - set(met))
    again = list(candidate_pairs(matrix, minimum_raw=0.97, deadline=_never, new_rows=rest))
    assert {(p.i, p.j) for p in (*pairs, *again)} == _plain(matrix, 0.97).keys()
    assert not list(candidate_pairs(matrix, minimum_raw=0.97, deadline=_after(0)))


@settings(max_examples=25, deadline=None)
@given(st.integers(2, 50), st.integers(0, 99), st.integers(1, 4), st.integers(5, 60))
def test_weak_pairs_are_the_nearest_of_one_of_their_rows(rows: int, seed: int, nearest: int, tile: int) -> None:
    matrix = _matrix(rows, seed, copies=5)
    found = {
        (p.i, p.j)
        for p in candidate_pairs(matrix, minimum_raw=-0.2, strong_raw=0.9, nearest=nearest, deadline=_never, tile=tile)
    }
    plain = _plain(matrix, -0.2)
    strong = {pair for pair, raw in plain.items() if raw >= 0.9}
    weak = {pair: raw for pair, raw in plain.items() if raw < 0.9}
    best: set[tuple[int, int]] = set()
    for row in range(rows):
        own = sorted((pair for pair in weak if row in pair), key=lambda pair: -weak[pair])
        best.update(own[:nearest])
    assert strong <= found
    assert found - strong == best


def test_raw_threshold_inverts_the_calibration() -> None:
    assert 4.26 * raw_threshold(0.85, a=4.26, b=-3.27) - 3.27 == pytest.approx(0.85)


def test_one_refused_pair_never_blocks_the_rest() -> None:
    pairs = [Pair(1, 2, 0.99), Pair(2, 3, 0.98), Pair(1, 3, 0.97), Pair(4, 5, 0.96)]
    assert complete_link(pairs, allowed=lambda i, j: (i, j) != (1, 3), cap=9) == ((1, 2), (4, 5))


def test_clusters_are_complete_and_capped() -> None:
    pairs = [(i, j, 0.9) for i in range(6) for j in range(i + 1, 6)]
    assert complete_link(pairs, allowed=lambda _i, _j: True, cap=9) == ((0, 1, 2, 3, 4, 5),)
    assert all(len(cluster) <= 4 for cluster in complete_link(pairs, allowed=lambda _i, _j: True, cap=4))
    assert complete_link(pairs, allowed=lambda _i, _j: True, cap=1) == ()
    chain = [(0, 1, 0.99), (1, 2, 0.98)]
    assert complete_link(chain, allowed=lambda _i, _j: True, cap=9) == ((0, 1),)


@given(
    st.dictionaries(
        st.tuples(st.integers(0, 12), st.integers(0, 12)).filter(lambda pair: pair[0] < pair[1]), st.floats(0.5, 1)
    ),
    st.randoms(use_true_random=False),
    st.integers(2, 6),
)
def test_clusters_do_not_depend_on_the_order_of_pairs(
    scores: dict[tuple[int, int], float], shuffle: object, cap: int
) -> None:
    pairs = [(i, j, score) for (i, j), score in scores.items()]
    mixed = list(pairs)
    shuffle.shuffle(mixed)  # type: ignore[attr-defined]
    clusters = complete_link(pairs, allowed=lambda _i, _j: True, cap=cap)
    assert clusters == complete_link(mixed, allowed=lambda _i, _j: True, cap=cap)
    members = [member for cluster in clusters for member in cluster]
    assert len(members) == len(set(members))
    for cluster in clusters:
        assert 2 <= len(cluster) <= cap
        assert all((x, y) in scores for x in cluster for y in cluster if x < y)
