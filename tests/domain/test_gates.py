"""The gates: both doors, the reasons, the clock that jumps, the attempts that fail."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muninn.domain.gates import Verdict, verdict

NOW = datetime(2026, 3, 28, 6, 0, tzinfo=UTC)


def judge(**changed: Any) -> Verdict:
    given_facts: dict[str, Any] = {
        "now": NOW, "last_dream_at": NOW - timedelta(hours=13), "writes_since": 3, "min_hours": 12.0, "min_writes": 3,
    }  # fmt: skip
    return verdict(**{**given_facts, **changed})


@pytest.mark.parametrize(
    ("facts", "run", "why"),
    [
        ({}, True, "13.0 h since the last dream, 3 writes"),
        ({"last_dream_at": NOW - timedelta(hours=12)}, True, "12.0 h"),
        ({"last_dream_at": NOW - timedelta(hours=11.9)}, False, "12 h needed"),
        ({"writes_since": 2}, False, "only 2 of 3 writes"),
        ({"last_dream_at": None}, True, "never dreamed"),
        ({"last_dream_at": None, "writes_since": 1}, False, "only 1 of 3 writes"),
        ({"writes_since": 0, "unfinished": True}, True, "unfinished work"),
        ({"last_dream_at": NOW - timedelta(hours=1), "unfinished": True}, False, "12 h needed"),
        ({"last_dream_at": NOW + timedelta(days=400)}, True, "the clock went back"),
        ({"due": False}, False, "no dream is due"),
        ({"due": True}, True, "13.0 h"),
        ({"due": False, "writes_since": 0, "force": True}, True, "forced"),
        ({"attempts": 1, "last_attempt_at": NOW}, True, "13.0 h"),
        ({"attempts": 2, "last_attempt_at": NOW}, False, "did not finish"),
        ({"attempts": 2, "last_attempt_at": NOW - timedelta(hours=1)}, True, "13.0 h"),
        ({"attempts": 4, "last_attempt_at": NOW - timedelta(hours=3)}, False, "next attempt in 60 min"),
        ({"attempts": 99, "last_attempt_at": NOW - timedelta(hours=24)}, True, "13.0 h"),
        ({"attempts": 99, "last_attempt_at": NOW + timedelta(days=9)}, True, "13.0 h"),
        ({"attempts": 9, "last_attempt_at": NOW, "force": True}, True, "forced"),
    ],
)
def test_the_verdict_and_its_reason(facts: dict[str, Any], run: bool, why: str) -> None:
    found = judge(**facts)
    assert found.run is run
    assert why in found.why


@given(st.integers(-500, 500), st.integers(0, 9), st.integers(0, 12))
def test_more_time_and_more_writes_never_close_an_open_gate(hours: int, writes: int, attempts: int) -> None:
    facts: dict[str, Any] = {"attempts": attempts, "last_attempt_at": NOW - timedelta(days=3)}
    early = judge(last_dream_at=NOW - timedelta(hours=hours), writes_since=writes, **facts)
    if early.run and hours >= 0:
        assert judge(last_dream_at=NOW - timedelta(hours=hours + 1), writes_since=writes, **facts).run
        assert judge(last_dream_at=NOW - timedelta(hours=hours), writes_since=writes + 1, **facts).run
