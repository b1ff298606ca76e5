"""Strength is a function of elapsed time and evidence, within bounds, monotone where people expect it."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muninn.domain.memory import Memory, Provenance
from muninn.domain.strength import availability, base_level, retention, strength
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
    assert retention(memory(14.0), now=NOW) == pytest.approx(math.exp(-1))
    assert retention(memory(14.0, stability=28.0), now=NOW) == pytest.approx(math.exp(-0.5))
    assert retention(memory(0.0), now=NOW) == 1.0
    assert retention(memory(14.0, stability=1.0), now=NOW) == pytest.approx(math.exp(-1)), "never below the floor"
    assert retention(memory(100.0, last_accessed_at=NOW), now=NOW) == 1.0


def test_base_level_of_known_accesses_is_exact() -> None:
    one = memory(9.0, access_count=2)
    accesses = [NOW - timedelta(days=4), NOW - timedelta(days=1)]
    assert base_level(one, now=NOW, accesses=accesses) == pytest.approx(math.log(1 / 3 + 1 / 2 + 1))


def test_counted_accesses_are_spread_over_the_life() -> None:
    few = base_level(memory(100.0, access_count=2), now=NOW)
    many = base_level(memory(100.0, access_count=50), now=NOW)
    assert few < many


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
    assert availability(level) <= availability(level + more)
