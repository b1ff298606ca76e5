"""The scoring steps by themselves: bounds, monotony, neutrality."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from muninn.ports import Calibration
from muninn.recall import scoring
from muninn.recall.textindex import Floats, TextIndex, impact
from tests.recall.conftest import World

share = st.floats(0, 1, width=32)
E5 = Calibration(a=4.08, b=-3.09)


def floats(*values: float) -> Floats:
    return np.array(values, np.float32)


@given(st.lists(st.floats(-1, 1, width=32), min_size=1, max_size=20), st.floats(-0.5, 0.95))
def test_meaning_is_bounded_and_monotone(cosines: Sequence[float], floor: float) -> None:
    found = scoring.meaning(floats(*sorted(cosines)), floor, E5)
    assert ((found >= 0) & (found <= 1)).all()
    assert (np.diff(found) >= 0).all()


def test_meaning_is_nothing_at_the_floor_and_full_well_above() -> None:
    assert scoring.meaning(floats(0.8), 0.8, E5)[0] == 0
    assert scoring.meaning(floats(1.0), 0.75, E5)[0] == 1


@given(share, share, st.booleans())
def test_relevance_is_bounded_and_knows_its_floors(by_meaning: float, by_wording: float, foreign: bool) -> None:
    value = float(scoring.blend(floats(by_meaning), floats(by_wording), np.array([foreign]))[0])
    assert 0 <= value <= 1 + 1e-6
    assert value >= scoring.LEXICAL_FLOOR * by_wording - 1e-6
    if foreign:
        assert value >= scoring.FOREIGN_SHARE * by_meaning - 1e-6


@given(share, share, share, share)
def test_more_evidence_never_lowers_relevance(meaning: float, more: float, wording: float, better: float) -> None:
    low = scoring.blend(floats(min(meaning, more)), floats(min(wording, better)), None)
    high = scoring.blend(floats(max(meaning, more)), floats(max(wording, better)), None)
    assert high[0] >= low[0] - 1e-6


def test_unseen_words_are_charged() -> None:
    index = TextIndex()
    index.add(0, ["deploy"])
    covered = index.coverage({"deploy": 1.0, "zebra": 1.0}, 1)
    assert scoring.wording(covered, 2.0)[0] < scoring.wording(covered, 1.0)[0]


@given(share, share)
def test_association_adds_and_stays_below_one(relevance: float, activation: float) -> None:
    joined = scoring.joined(relevance, activation)
    assert max(relevance, activation) - 1e-9 <= joined <= 1


def test_standing_moves_a_score_only_inside_its_band() -> None:
    best, worst = np.array([1.0, 0.0])[:, None]
    [high] = scoring.modulations(strength=best, confidence=best, relevance=best, age=worst)
    [low] = scoring.modulations(strength=worst, confidence=worst, relevance=worst, age=3300.0 * best)
    assert 1 - scoring.BAND <= low.factor < 1 < high.factor <= 1 + scoring.BAND + 1e-9


def test_relevance_decides_and_strength_breaks_ties(world: World) -> None:
    exact = world.remember("the archive key is in the top drawer", confidence=0.2, relevance=0.0)
    world.remember(
        "an archive exists", confidence=1.0, relevance=1.0, access_count=50, last_accessed_at=world.clock.now()
    )
    world.clock.advance(days=200)
    assert world.ids("archive key top drawer")[0] == exact.id
    twin = world.remember("the archive key is in the top drawer now", relevance=1.0)
    assert world.ids("archive key top drawer")[0] == twin.id


def test_a_query_about_a_time_only_is_narrowed_to_it() -> None:
    relevance = floats(0.0, 0.9)
    in_time = np.array([True, False])
    assert scoring.timed(relevance, in_time, subject=False).tolist() == pytest.approx([scoring.IN_TIME_ONLY, 0.0])
    boosted = scoring.timed(relevance, in_time, subject=True)
    assert boosted.tolist() == pytest.approx([0.0, 0.9])


@given(st.integers(1, 50), st.integers(1, 500))
def test_impact_saturates(count: int, length: int) -> None:
    assert 0 < impact(count, length) < impact(count + 1, length) < 1.6
    assert impact(count, length) >= impact(count, length + 10)
