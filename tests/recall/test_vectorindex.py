"""The vector index: exact rows, estimates within their error, and views that do not change."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from muninn.domain.memory import Matrix
from muninn.recall.vectorindex import VectorIndex


def unit(count: int, dimensions: int = 384, seed: int = 1) -> Matrix:
    """Vectors like an embedder's: most of their spread lies in a few directions."""
    random = np.random.default_rng(seed)
    scale = (1.0 / np.sqrt(np.arange(1, dimensions + 1))).astype(np.float32)
    rows = (random.standard_normal((count, dimensions)).astype(np.float32) * scale) + 0.05
    unit_rows: Matrix = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return unit_rows


def filled(rows: Matrix) -> VectorIndex:
    index = VectorIndex(rows.shape[1])
    for slot, row in enumerate(rows):
        index.add(slot, row)
    index.settle()
    return index


def test_small_indexes_are_exact() -> None:
    rows = unit(500)
    index = filled(rows)
    cosines = index.estimate(rows[7])
    assert not index.sketched
    assert np.allclose(cosines, rows @ rows[7], atol=1e-6)


@pytest.mark.parametrize("grown", [0, 700, 3000])
def test_estimates_keep_the_best_in_front(grown: int) -> None:
    rows = unit(5000)
    index = filled(rows)
    more = unit(grown, seed=2) if grown else rows[:0]
    for slot, row in enumerate(more, start=5000):
        index.add(slot, row)
    index.settle()
    everything = np.concatenate([rows, more])
    for query in unit(20, seed=3):
        estimated = index.estimate(query)
        truth = everything @ query
        assert index.sketched
        assert len(estimated) == len(truth)
        best = set(np.argsort(-truth)[:10].tolist())
        assert best <= set(np.argsort(-estimated)[:400].tolist())
        some = np.arange(0, len(truth), 97)
        assert np.allclose(index.cosines(some, query), truth[some], atol=1e-6)
        assert (index.cosines(some[::-1], query) == index.cosines(some, query)[::-1]).all()


def test_a_view_handed_out_does_not_change() -> None:
    rows = unit(10)
    index = filled(rows)
    view = index.matrix
    before = view.copy()
    index.drop(3)
    index.add(3, -rows[3])
    for row in unit(2000, seed=5):
        index.add(99, row)
    assert (view == before).all()


def test_letting_go_twice_counts_once() -> None:
    index = filled(unit(10))
    index.drop(3)
    index.drop(3)
    assert index.live == 9
    assert index.slots[3] == -1


CHANGES = st.lists(st.tuples(st.sampled_from(["add", "drop", "renumber"]), st.integers(0, 40), st.integers(0, 700)))


@given(CHANGES)
def test_slots_and_rows_name_each_other(changes: list[tuple[str, int, int]]) -> None:
    index, row_at = VectorIndex(2), dict[int, int]()
    for change, row, slot in changes:
        held = {number: place for place, number in row_at.items()}
        if change == "add" and slot not in row_at:
            row_at[slot] = index.add(slot, np.ones(2, np.float32))
        elif row in held:
            index.drop(row) if change == "drop" else index.renumber(row, slot)
            del row_at[held[row]]
            if change != "drop":
                row_at[slot] = row
    places = np.arange(2000, dtype=np.int32)
    assert index.rows_at(places).tolist() == [row_at.get(slot, -1) for slot in places.tolist()]
