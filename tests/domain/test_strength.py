"""Strength is a function of elapsed time and evidence, within bounds, monotone where people expect it."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from muninn.domain.memory import Memory, Provenance
from muninn.domain.strength import availability, base_level, retention, strength, unpractised
from muninn.domain.trust import Tier

NOW = datetime(2026, 3, 28, 6, 0, tzinfo=UTC)


def memory(age: float = 10.0, **fields: object) -> Memory:
    at = NOW - timedelta(days=age)
    base = Memory(
        id="m", vault="v", tier=Tier.PERSONAL, title="t", content="c", content_hash="h", created_at=at, updated_at=at,
        learned_at=at, provenance=Provenance(client="test"),
    )  # fmt: skip
    return replace(base, **fields)  # type: ignore[arg-type]


def test_retention_is_the_forgetting_curve() -> None:
    idle, stability = np.array([[14.0, 14.0, 0.0, 14.0, 365.0], [14.0, 28.0, 14.0, 1.0, 900.0]])
    within_bounds = [math.exp(-1), math.exp(-0.5), 1.0, math.exp(-1), math.exp(-1)]
    assert retention(idle, stability).tolist() == pytest.approx(within_bounds)


def test_an_access_ends_the_forgetting() -> None:
    idle = memory(100.0)
    assert strength(idle, now=NOW) < strength(replace(idle, last_accessed_at=NOW), now=NOW)
    assert strength(idle, now=NOW, accesses=[NOW]) > strength(replace(idle, last_accessed_at=NOW), now=NOW)


def test_base_level_of_known_accesses_is_exact() -> None:
    assert base_level(9.0, ages=[4.0, 1.0], uses=2) == pytest.approx(math.log(1 / 3 + 1 / 2 + 1))
    assert base_level(9.0, used=4.0, uses=1) == pytest.approx(math.log(1 / 3 + 1 / 2))


@given(st.floats(0, 4000))
def test_without_accesses_creation_alone_counts(life: float) -> None:
    assert unpractised(np.array([life])).tolist() == pytest.approx([base_level(life)])


def test_counted_accesses_are_spread_over_the_life() -> None:
    assert base_level(100.0) < base_level(100.0, uses=2) < base_level(100.0, uses=50)


def test_a_clock_that_went_back_breaks_nothing() -> None:
    assert 0.0 < strength(memory(-50.0, last_accessed_at=NOW + timedelta(days=3)), now=NOW) <= 1.0


@given(st.floats(0, 4000), st.integers(0, 1000), st.floats(14, 365), st.lists(st.floats(0, 4000), max_size=5))
def test_strength_lies_between_zero_and_one(age: float, count: int, days: float, ages: list[float]) -> None:
    accesses = [NOW - timedelta(days=one) for one in ages]
    assert 0.0 <= strength(memory(age, access_count=count, stability=days), now=NOW, accesses=accesses) <= 1.0


@given(st.floats(0.1, 1000), st.floats(0.1, 100), st.integers(0, 50))
def test_nothing_gets_stronger_by_waiting(age: float, wait: float, count: int) -> None:
    one = memory(age, access_count=count, last_accessed_at=NOW - timedelta(days=age / 2))
    now = strength(one, now=NOW)
    assert strength(one, now=NOW + timedelta(days=wait)) <= now + 1e-9


@given(st.floats(0, 1000), st.floats(14, 300), st.floats(1, 60))
def test_a_more_stable_memory_is_not_weaker(age: float, days: float, more: float) -> None:
    assert strength(memory(age, stability=days + more), now=NOW) >= strength(memory(age, stability=days), now=NOW)


@given(st.floats(-20, 20), st.floats(0, 5))
def test_availability_grows_with_the_base_level(level: float, more: float) -> None:
    less, same_or_more = availability(np.array([level, level + more]))
    assert less <= same_or_more
