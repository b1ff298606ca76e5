"""Weights of what is recalled together: bounded, fading, symmetric, the same however the events are cut into batches."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muninn.domain.hebbian import RATE, WIDTH, Trace, faded, strengthened, trained

NOW = datetime(2026, 3, 28, 6, 0, tzinfo=UTC)


def test_one_joint_recall() -> None:
    traces = trained([(NOW, {"a": 1.0, "b": 0.5})], {})
    assert traces == {("a", "b"): Trace(RATE * 0.5, NOW)}


def test_a_weight_halves_in_thirty_days() -> None:
    assert faded(0.8, since=NOW, now=NOW + timedelta(days=30)) == pytest.approx(0.4)
    assert faded(0.8, since=NOW, now=NOW - timedelta(days=30)) == 0.8


def test_it_fades_before_it_grows() -> None:
    old = {("a", "b"): Trace(0.8, NOW - timedelta(days=30))}
    traces = trained([(NOW, {"b": 1.0, "a": 1.0})], old)
    assert traces["a", "b"].weight == pytest.approx(0.4 + RATE * 0.6)


def test_only_the_best_of_a_recall_are_bound() -> None:
    traces = trained([(NOW, {f"m{n}": 1.0 - n / 100 for n in range(10)})], {})
    assert len(traces) == WIDTH * (WIDTH - 1) // 2
    assert ("m0", "m4") in traces
    assert ("m0", "m5") not in traces


def test_faint_activations_bind_nothing() -> None:
    assert trained([(NOW, {"a": 0.3, "b": 0.3})], {}) == {}


@given(st.floats(0, 1), st.floats(0, 1))
def test_weights_stay_below_one(weight: float, together: float) -> None:
    assert weight <= strengthened(weight, together=together) <= 1.0


activations = st.dictionaries(st.sampled_from("abcd"), st.floats(0, 1), min_size=1, max_size=4)


@given(st.lists(st.tuples(st.floats(0, 30), activations), max_size=8), st.integers(0, 8))
def test_batches_do_not_matter(events: list[tuple[float, dict[str, float]]], cut: int) -> None:
    recalls = [(NOW + timedelta(days=day), found) for day, found in sorted(events, key=lambda one: one[0])]
    at_once = trained(recalls, {})
    first = trained(recalls[:cut], {})
    second = {**first, **trained(recalls[cut:], first)}
    assert second.keys() == at_once.keys()
    for pair, trace in at_once.items():
        assert second[pair].weight == pytest.approx(trace.weight)
