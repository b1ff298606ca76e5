"""Which memories come together when a memory is like several that are not all alike."""

from __future__ import annotations

from muninn.domain.separation.verdict import EQUAL
from muninn.dream.phases.dedup import _clusters

SLIP = "equal but for one misspelling"


def test_what_is_equal_comes_together_before_what_is_only_more_alike() -> None:
    pairs = {("a", "b"): (0.88, EQUAL), ("a", "c"): (0.80, EQUAL), ("a", "d"): (0.98, SLIP), ("b", "c"): (0.78, EQUAL)}
    assert _clusters(pairs, 4) == [(("a", "b", "c"), 0.78)]


def test_among_equals_and_among_alikes_the_most_alike_come_first() -> None:
    for reason in (EQUAL, SLIP):
        assert _clusters({("a", "b"): (0.88, reason), ("a", "c"): (0.90, reason)}, 4) == [(("a", "c"), 0.90)]
