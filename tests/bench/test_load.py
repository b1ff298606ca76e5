"""The bench of load counts what happened, failures too, and drives a real daemon to the end."""

from __future__ import annotations

import pytest

from muninn.errors import UsageError
from tests.bench import load


def test_an_actor_keeps_its_pace_and_counts_failures() -> None:
    seen = load.Round()
    turns = iter(range(100))

    def act() -> None:
        if next(turns) == 2:
            raise UsageError("no")

    load.actor(act, 0.01, lambda: len(seen.acts) + len(seen.errors) >= 6, seen)
    assert (len(seen.acts), len(seen.errors)) == (5, 1)


def test_a_round_compares_itself_with_the_usual_one() -> None:
    usual, busy = load.Round(known=[0.010] * 50), load.Round(known=[0.020] * 50, acts=[0.001] * 20, errors=["x"])
    row = busy.row("writes", 10.0, usual).split()
    assert row[1] == "2.0"  # acts a second
    assert row[-2:] == ["2.00", "1"]


@pytest.mark.slow
def test_every_round_ends_without_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert load.main(["--seconds", "1", "--memories", "60", "--readers", "2", "--embedder", "hashed"]) == 0
    shown = capsys.readouterr().out
    for name in ("readers alone", "50 writes/s with vectors", "10 writes/s to embed", "dreams"):
        assert name in shown
