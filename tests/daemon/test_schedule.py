"""Work by the clock: a clock that is set back does not put it off for years, one that jumps ahead does not pile it up."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from muninn.config import BackupConfig, Config, DreamConfig
from muninn.daemon.scheduler import CONSOLIDATE_HOURS, Schedule

YEAR = 365 * 24 * 3600.0


class Clocks:
    def __init__(self) -> None:
        self.wall, self.monotonic = time.time(), 100.0

    def __call__(self) -> tuple[float, float]:
        return self.wall, self.monotonic

    def pass_by(self, seconds: float) -> None:
        self.wall += seconds
        self.monotonic += seconds


def schedule_of(clocks: Clocks, *, every_hours: float = 0.0, at: str = "") -> Schedule:
    def nothing() -> None: ...

    config = Config(home=Path("/nowhere"), backup=BackupConfig(every_hours=every_hours), dream=DreamConfig(at=at))
    made = Schedule(config, consolidate=nothing, dream=nothing, upkeep=nothing, backup=nothing, clocks=clocks)
    made.start()
    return made


def test_a_clock_set_back_a_year_puts_nothing_off_for_a_year() -> None:
    clocks = Clocks()
    schedule = schedule_of(clocks)
    clocks.pass_by(15)
    assert not schedule.follow_clock()
    clocks.wall -= YEAR
    assert schedule.follow_clock()
    following = schedule.next_run("consolidation")
    assert following is not None
    wait = following - datetime.fromtimestamp(clocks.wall, UTC)
    assert wait <= timedelta(hours=CONSOLIDATE_HOURS, seconds=1)
    assert not schedule.follow_clock()
    schedule.close()


def test_small_corrections_and_jumps_ahead_change_nothing() -> None:
    clocks = Clocks()
    schedule = schedule_of(clocks)
    before = schedule.next_run("consolidation")
    clocks.pass_by(15)
    clocks.wall -= 5
    assert not schedule.follow_clock()
    clocks.wall += YEAR
    assert not schedule.follow_clock()
    assert schedule.next_run("consolidation") == before
    schedule.close()


def test_backups_and_dreams_come_when_they_are_asked_for() -> None:
    schedule = schedule_of(Clocks(), every_hours=24.0, at="04:30")
    dream = schedule.next_run("dream")
    assert schedule.next_run("backup") is not None
    assert dream is not None
    assert (dream.hour, dream.minute) == (4, 30)
    schedule.close()
    without = schedule_of(Clocks())
    assert without.next_run("backup") is None
    assert without.next_run("dream") is None
    without.close()
