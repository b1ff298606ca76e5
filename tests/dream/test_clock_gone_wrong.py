"""A clock that jumps ahead and is put right again never costs a dream its undo; time that really passes still does."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from muninn.domain.ageing import Day, days_entry, days_of, lived, outlived
from muninn.errors import ConflictError
from tests.dream.conftest import World

START = datetime(2026, 3, 28, 6, 0, tzinfo=UTC)
UNDO_DAYS = 10


def merged(world: World) -> str:
    world.tell("Docker listens."), world.tell("docker listens")
    dream_id = world.dreamer.dream(force=True).dream_id
    assert list(world.store.operations(dream_id))
    return dream_id


@pytest.mark.parametrize("years", [1, 10])
def test_a_jump_ahead_that_is_put_right_costs_no_undo(world: World, years: int) -> None:
    world.let_go_daily(days=100)
    dream_id = merged(world)
    world.clock.jump(days=365 * years)
    world.let_go_daily(days=3)
    world.clock.jump(days=-365 * years)
    world.let_go_daily(days=80)
    assert world.dreamer.undo(dream_id)["left_alone"] == []


def test_a_dream_under_a_clock_that_was_behind_is_as_young_as_it_is(world: World) -> None:
    world.let_go_daily(days=100)
    world.clock.jump(days=-365)
    dream_id = merged(world)
    world.clock.jump(days=365)
    world.let_go_daily(days=80)
    assert world.dreamer.undo(dream_id)["left_alone"] == []


def test_a_dream_under_a_clock_that_was_ahead_grows_old_like_others(world: World) -> None:
    world.clock.jump(days=3650)
    dream_id = merged(world)
    world.clock.jump(days=-3650)
    world.let_go_daily(days=95)
    with pytest.raises(ConflictError, match="too old"):
        world.dreamer.undo(dream_id)


def test_days_that_pass_let_go(world: World) -> None:
    dream_id = merged(world)
    world.let_go_daily(days=90)
    assert not world.service.dream(dream_id).closed
    world.let_go_daily(days=5)
    assert world.service.dream(dream_id).closed


# -- the rule itself: looks at any time under a clock that goes wrong by any amount and is put right before the next time

spans = st.lists(
    st.tuples(st.floats(0.1, 40), st.sampled_from([0, 0, 400, -400, 1, -1, 0.5, 3, 12, 4000])), min_size=1, max_size=8
)


@given(spans, st.floats(0.3, 3))
@example([(12.0, 0), (1.0, 400), (8.0, 0)], 1.0)
@example([(2.0, -400), (16.0, 400)], 0.5)
@settings(max_examples=60, deadline=None)
def test_nothing_is_let_go_of_before_its_time(stretches: list[tuple[float, float]], every: float) -> None:
    true, begun = 0.0, dict[str, float]()
    days: tuple[Day, ...] = ()
    for length, wrong in stretches:
        for off in (wrong, 0.0):  # goes wrong for a while, then is right for as long
            end = true + length / 2
            while true < end:
                true += every
                begun[f"{len(begun):06d}"] = true - every * (len(begun) % 2) / 2
                today = (START + timedelta(days=true + off)).date()
                days = lived(days, today=today, newest=max(begun))
                early = {key: true - at for key, at in begun.items() if key <= outlived(days, UNDO_DAYS)}
                assert all(age >= UNDO_DAYS for age in early.values()), early


@given(st.floats(0, 40), st.integers(45, 120))
def test_under_a_clock_that_is_right_everything_is_let_go_of(undo_days: float, count: int) -> None:
    days: tuple[Day, ...] = ()
    for number in range(count):
        days = lived(days, today=(START + timedelta(days=number)).date(), newest=f"{number:03d}")
    let_go = int(outlived(days, undo_days) or -1)
    assert undo_days + 2 <= count - 1 - let_go <= undo_days + 5


def test_days_are_kept_as_text_and_damage_counts_as_none() -> None:
    days = (Day(START.date(), "01A"), Day(START.date() + timedelta(days=1), "01B"))
    assert days_of(days_entry(days)) == days
    for damaged in ("", "[", "7", '[["x", "y"]]', "[[1]]", "null"):
        assert days_of(dict.fromkeys(days_entry(days), damaged)) == ()
    assert days_of({}) == ()
