"""The wall clock is set back and muninn started again: what happens from then on still counts as later."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from muninn.app import App, build
from muninn.clock import Ulids, encode_ulid
from muninn.config import Config, EmbedConfig, LlmConfig, StoreConfig
from muninn.domain.draft import Draft
from muninn.domain.memory import Provenance
from muninn.ports import Query
from muninn.testing import FakeClock

YEAR = 365 * 24 * 3600
BY = Provenance(client="test")


@contextmanager
def awake(home: Path, *, years_back: float = 0.0) -> Iterator[App]:
    config = Config(
        home=home, embed=EmbedConfig(model="hashed"), store=StoreConfig(reserve_mb=0), llm=LlmConfig(providers=())
    )
    clock = FakeClock()
    clock.advance(seconds=-years_back * YEAR)
    ids = Ulids(lambda: int(clock.now().timestamp() * 1e9))
    with build(config, environ={}, clock=clock, ids=ids) as app:
        yield app


def test_use_after_the_clock_went_back_is_replayed(tmp_path: Path) -> None:
    with awake(tmp_path / "home") as app:
        kept = app.service.remember(Draft(content="The staging API listens on port 8443."), by=BY).memory
        app.service.recall(Query(text="staging API port"))
        app.dreamer.dream(force=True)
        assert app.service.require(kept.id).access_count == 1
    with awake(tmp_path / "home", years_back=1) as app:
        app.service.recall(Query(text="staging API port"))
        app.dreamer.dream(force=True)
        assert app.service.require(kept.id).access_count == 2


def test_the_last_dream_is_the_one_that_ran_last(tmp_path: Path) -> None:
    with awake(tmp_path / "home") as app:
        app.service.remember(Draft(content="one"), by=BY)
        app.dreamer.dream(force=True)
    with awake(tmp_path / "home", years_back=1) as app:
        app.service.remember(Draft(content="The relay listens on port 4242."), by=BY)
        app.service.remember(Draft(content="the relay listens on port 4242"), by=BY)
        last = app.dreamer.dream(force=True).dream_id
        assert (app.dreamer.last_dream() or {})["dream_id"] == last
        assert app.service.dreams()[0].id == last
        assert app.dreamer.undo()["dream_id"] == last


def test_ids_grow_whatever_the_clock_does() -> None:
    times = iter((10**18, 10**18, 5, 10**18 + 10**9))
    ids = Ulids(lambda: next(times))
    made = [ids.new() for _ in range(4)]
    assert made == sorted(set(made))


@pytest.mark.parametrize("foreign", ["", "u1", "ZZZZZZZZZZZZZZZZZZZZZZZZZZ", "not an id at all"])
def test_what_is_no_ulid_leads_nowhere(foreign: str) -> None:
    ids = Ulids(lambda: 10**18)
    ids.follow([foreign])
    assert ids.new() < encode_ulid(((10**12) + 1) << 80)


def test_two_copies_of_a_store_do_not_make_the_same_ids() -> None:
    newest = encode_ulid((time.time_ns() // 1_000_000 + 10**6) << 80)
    one, other = Ulids(), Ulids()
    one.follow([newest])
    other.follow([newest])
    made = {copy.new() for copy in (one, other) for _ in range(100)}
    assert len(made) == 200
    assert min(made) > newest
