"""What years of use leave behind is let go of, and nothing that anybody can see changes by it."""

from __future__ import annotations

import random  # noqa: TID251 - seeded
from collections import defaultdict
from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muninn.domain.marks import Mark
from muninn.domain.memory import STABILITY_CAP, STABILITY_FLOOR
from muninn.domain.records import CONSOLIDATION, Usage
from muninn.domain.strength import ACCESSES_KEPT
from muninn.domain.thinning import DAYS_KEPT, Horizon, horizon, thinned
from muninn.dream.phases.stability import RISE
from muninn.recall.resident import ResidentModel
from muninn.testing import FakeClock
from tests.dream.conftest import World

START = FakeClock().now()
QUESTIONS = 10


def event(number: int, memories: Sequence[str]) -> Usage:
    return Usage(
        id=f"{number:06d}", at=START + timedelta(hours=5 * number), kind="recall", vaults=("v",), memories=tuple(memories),
        activations=tuple(0.5 for _ in memories), query=f"question {number}" if number % 3 else None, session_id="s",
    )  # fmt: skip


def accesses(events: Sequence[Usage]) -> dict[str, list[datetime]]:
    found: dict[str, list[datetime]] = defaultdict(list)
    for one in events:
        for key in one.memories:
            found[key].append(one.at)
    return {key: times[-ACCESSES_KEPT:] for key, times in found.items()}


def days(events: Sequence[Usage], key: str, after: str) -> set[date]:
    return {one.at.date() for one in events if key in one.memories and one.id > after}


def after_thinning(events: Sequence[Usage], changed: Sequence[Usage]) -> list[Usage]:
    now = {one.id: one for one in changed}
    return [kept for one in events if (kept := now.get(one.id, one)).memories]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sets(st.sampled_from("abcdef"), min_size=1, max_size=4), min_size=60, max_size=400),
    st.floats(0, 1), st.floats(0, 1),
)  # fmt: skip
def test_everything_that_is_read_is_kept(used: list[set[str]], replayed: float, noticed: float) -> None:
    events = [event(number, sorted(memories)) for number, memories in enumerate(used)]
    limit = Horizon(f"{int(replayed * len(used)):06d}", f"{int(noticed * len(used)):06d}")
    changed = list(thinned(events, horizon_of=lambda _: limit, questions=QUESTIONS))
    kept = after_thinning(events, changed)
    assert accesses(kept) == accesses(events)
    assert [one for one in kept if one.id > limit.replayed] == [one for one in events if one.id > limit.replayed]
    assert [one for one in kept if one.query][-QUESTIONS:] == [one for one in events if one.query][-QUESTIONS:]
    for key in "abcdef":
        seen, left = days(events, key, limit.noticed), days(kept, key, limit.noticed)
        assert left == seen or len(left) >= DAYS_KEPT
    assert list(thinned(kept, horizon_of=lambda _: limit, questions=QUESTIONS)) == [], "once is enough"
    tail = [one for one in kept if one.id <= limit.replayed and not one.query]
    assert sum(len(one.memories) for one in tail) <= 6 * (ACCESSES_KEPT + DAYS_KEPT)


def test_what_was_replayed_and_is_counted_goes() -> None:
    events = [event(number, ["a"]) for number in range(200)]
    changed = list(thinned(events, horizon_of=lambda _: Horizon("999999", "999999"), questions=0))
    assert len(after_thinning(events, changed)) == ACCESSES_KEPT


def test_no_stability_needs_more_days_than_are_kept() -> None:
    assert STABILITY_FLOOR * RISE**DAYS_KEPT > STABILITY_CAP


def test_what_an_undo_would_replay_lies_within_the_horizon() -> None:
    before = Mark(usage="000100", holes=(("000040", "000050"),), habit="000070")
    assert horizon(Mark(usage="000300", habit="000200"), [before.to_json()]) == Horizon("000040", "000070")
    assert horizon(Mark(), []) == Horizon("", "")


@pytest.fixture
def twins(make_world: Callable[..., World]) -> tuple[World, World]:
    """Two homes that live through the same."""
    return make_world(name="tidy"), make_world(name="hoarder")


def live(world: World, *, days: int, tidy: bool) -> None:
    chance = random.Random(11)
    told = [
        world.tell(f"Note {n} about {chance.choice(['redis', 'docker', 'la base'])}.", relevance=0.6) for n in range(8)
    ]
    seldom = world.tell("El contrato de Arcos vence en junio.")
    for day in range(days):
        if day < 5:
            world.use(seldom, told[0], query="contrato")
        for _ in range(6):
            world.use(*chance.sample(told, chance.randint(1, 3)), query=chance.choice(told).content)
            world.sleep(hours=4)
        world.dreamer.dream(force=True) if day % 3 == 0 else world.dreamer.dream(kind=CONSOLIDATION)
        if tidy:
            world.dreamer.let_go()
        if tidy and day % 10 == 9:
            world.service.thin_usage(questions=0)


@pytest.mark.slow
def test_whoever_lets_go_remembers_the_same(twins: tuple[World, World]) -> None:
    tidy, hoarder = twins
    for world in twins:
        live(world, days=100, tidy=world is tidy)
    assert tidy.state() == hoarder.state()
    assert len(list(tidy.store.usage())) < len(list(hoarder.store.usage()))
    for world in twins:
        fresh = ResidentModel(world.service.embedders, world.dreamer._config.recall)
        fresh.load(world.store)
        now = world.clock.now()
        assert fresh.strengths(now=now) == world.read.strengths(now=now) == tidy.read.strengths(now=now)


@pytest.mark.slow
def test_whoever_lets_go_can_undo_the_same(twins: tuple[World, World]) -> None:
    tidy, hoarder = twins
    for world in twins:
        live(world, days=100, tidy=world is tidy)
        for _ in range(10):
            assert world.dreamer.undo()["left_alone"] == []
    assert tidy.state() == hoarder.state()
    for world in twins:
        world.dreamer.dream(force=True)
    assert tidy.state() == hoarder.state(), "and what was undone is replayed the same"


@pytest.mark.slow
def test_the_rows_of_a_year_are_those_of_the_time_in_which_a_dream_can_be_undone(
    make_world: Callable[..., World],
) -> None:
    world = make_world()
    live(world, days=160, tidy=True)
    cut = world.clock.now() - timedelta(days=95 + 10)
    operations = sum(1 for one in world.store.dreams() for _ in world.store.operations(one.id))
    journalled = world.dreamer._journal.twin.read_text().count('"reason"')
    assert operations < journalled * 0.7
    assert {one.kind for one in world.store.dreams() if one.started_at < cut} == {"dream"}
    old = [one for one in world.store.usage() if one.at < cut]
    assert sum(len(one.memories) for one in old) <= 9 * (ACCESSES_KEPT + DAYS_KEPT)
    assert not any(one.query for one in old)


def test_an_old_dream_whose_operations_only_the_journal_had_is_not_told_without_them(world: World) -> None:
    told = world.tell("one")
    world.use(told)
    world.dreamer.dream(force=True)
    world.let_go_daily(days=100)
    for file in (world.dreamer._journal.markdown, world.dreamer._journal.twin):
        file.unlink()
    assert world.dreamer.recover() is None
    assert world.dreamer.journal() == []


def test_once_a_day_is_enough(world: World) -> None:
    told = world.tell("one")
    for _ in range(40):
        world.use(told)
    world.dreamer.dream(force=True)
    world.let_go_daily(days=100)
    assert len(list(world.store.usage())) == ACCESSES_KEPT
    for _ in range(8):
        world.use(told)
    world.dreamer.dream(force=True)
    world.sleep(hours=23)
    world.dreamer.let_go()
    assert len(list(world.store.usage())) == ACCESSES_KEPT + 8
    world.let_go_daily(days=100)
    assert len(list(world.store.usage())) == ACCESSES_KEPT


def test_a_stop_does_not_wait_for_years_to_be_let_go_of(world: World) -> None:
    for _ in range(3):
        told = world.tell("Docker listens.")
        world.use(told)
        world.dreamer.dream(force=True)
    looks = iter([False, True])
    last = world.service.dreams()[0].id
    assert world.service.close_undo(last, interrupted=lambda: next(looks)) == 1
    assert world.service.close_undo(last) == 2
    assert world.service.thin_usage(questions=0, interrupted=lambda: True) == 0
    assert world.service.thin_usage(questions=0) == 3


def test_nothing_is_dropped_that_the_journal_does_not_tell(world: World) -> None:
    one, other = world.tell("Docker listens."), world.tell("docker listens")
    dream_id = world.dreamer.dream(force=True).dream_id
    count = len(list(world.store.operations(dream_id)))
    assert count
    told = world.dreamer._journal.twin.read_text()
    world.dreamer._journal.twin.unlink()
    world.let_go_daily(days=100)
    assert len(list(world.store.operations(dream_id))) == count
    world.dreamer._journal.twin.write_text(told)
    world.sleep(days=2)
    world.dreamer.let_go()
    assert list(world.store.operations(dream_id)) == []
    assert {world.get(one).active, world.get(other).active} == {True, False}
    assert (world.dreamer.last_dream() or {})["dream_id"] == dream_id
