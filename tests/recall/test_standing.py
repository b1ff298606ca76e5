"""Standing read off the columns says what the formula says of each memory."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muninn.domain.records import Transaction, Usage
from muninn.domain.strength import strength
from tests.recall.conftest import World

days = st.floats(0, 3000)
lives = st.lists(
    st.tuples(days, st.none() | days, st.integers(0, 60), st.floats(14, 365), st.lists(days, max_size=40)),
    min_size=1,
    max_size=6,
)


@settings(max_examples=50, deadline=None)
@given(lives)
def test_strengths_at_once_are_those_of_each_memory(
    lives: list[tuple[float, float | None, int, float, list[float]]],
) -> None:
    world = World()
    now, uses = world.clock.now(), []
    for made, used, count, stability, ages in lives:
        memory = world.memory(
            "the archive key", at=now - timedelta(days=made), stability=stability, access_count=count,
            last_accessed_at=None if used is None else now - timedelta(days=used),
        )  # fmt: skip
        world.put(memory)
        uses += [(age, memory.id) for age in ages]
    for age, memory_id in sorted(uses, reverse=True):
        at = now - timedelta(days=age)
        usage = Usage(id="", at=at, kind="read", vaults=("default",), memories=(memory_id,), activations=(1.0,))
        world.apply(Transaction(usage=(usage,)))
    held = world.read._holdings
    expected = {m.id: strength(m, now=now, accesses=held.accesses.get(m.id, ())) for m in held.memories.values()}
    assert world.read.strengths(now=now) == pytest.approx(expected)
