"""What a configuration may say: every value is judged where it is read, not where it first does harm."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from muninn.config import clock_time, load
from muninn.errors import ConfigError
from muninn.testing import FakeClock


@pytest.mark.parametrize(
    ("key", "value", "why"),
    [
        ("dream.min_hours", "1e300", "expected a number from 0 to 1000000"),
        ("dream.min_hours", "nan", "expected a number from 0 to 1000000"),
        ("dream.min_hours", "-1", "expected a number from 0 to 1000000"),
        ("dream.timeout", "inf", "expected a number from 0 to 1000000"),
        ("dream.undo_days", "1e6", "expected a number from 0 to 36500"),
        ("dream.survival_share", "1.5", "expected a number from 0 to 1"),
        ("backup.every_hours", "1e300", "expected a number from 0 to 1000000"),
        ("senses.o2_ratio", "1e300", "expected a number from 0 to 1000000"),
        ("dream.probe_queries", "-1", "expected at least 0"),
        ("vault.default", "", "cannot be empty"),
        ("vault.default", "mis notas", "not ' '"),
        *(("dream.at", text, "time of day") for text in ("25:00", "4", "04:60", "noon", "04:5", "-1:00", "²:30")),
    ],
)
def test_a_value_that_cannot_be_is_refused_by_name(tmp_path: Path, key: str, value: str, why: str) -> None:
    variable = "MUNINN_" + key.upper().replace(".", "__")
    with pytest.raises(ConfigError) as caught:
        load({"MUNINN_HOME": str(tmp_path), variable: value})
    assert f"{key} in environment variable {variable} is " in str(caught.value)
    assert why in str(caught.value)


def test_a_number_beyond_all_bounds_in_the_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text(f"[dream]\nmin_hours = {10**400}\n", "utf-8")
    with pytest.raises(ConfigError, match=r"dream\.min_hours"):
        load({"MUNINN_HOME": str(tmp_path)})


def test_the_greatest_hours_and_days_are_still_dates(tmp_path: Path) -> None:
    config = load(
        {"MUNINN_HOME": str(tmp_path), "MUNINN_DREAM__MIN_HOURS": "1e6", "MUNINN_DREAM__UNDO_DAYS": "36500", "MUNINN_DREAM__AT": "4:30",
         "MUNINN_VAULT__DEFAULT": "notas-de-clase"}
    )  # fmt: skip
    now = FakeClock().now()
    assert now - timedelta(days=config.dream.undo_days) < now < now + timedelta(hours=config.dream.min_hours)
    assert clock_time(config.dream.at) == (4, 30)
