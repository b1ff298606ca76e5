"""Work by the clock while awake (APScheduler): consolidation, the dream of ``dream.at``, upkeep, backup.

Jobs never overlap with themselves and a missed run is made up once. A clock that is set back would put every next run
that far into the future; ``follow_clock`` sees it and counts the intervals from now on.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from apscheduler.executors.pool import ThreadPoolExecutor
from apscheduler.schedulers.background import BackgroundScheduler
from apscheduler.triggers.cron import CronTrigger
from apscheduler.triggers.interval import IntervalTrigger

from muninn.config import Config, clock_time

CONSOLIDATE_HOURS = 6
_UPKEEP_MINUTES = 10
_MISSED_RUN_SECONDS = 24 * 3600
_SET_BACK_SECONDS = 60.0
_SOON = timedelta(minutes=10)

Job = Callable[[], object]
Clocks = Callable[[], tuple[float, float]]


class Schedule:
    def __init__(
        self,
        config: Config,
        *,
        consolidate: Job,
        dream: Job,
        upkeep: Job,
        backup: Job,
        last_consolidation: datetime | None = None,
        clocks: Clocks = lambda: (time.time(), time.monotonic()),
    ) -> None:
        self._clocks = clocks
        self._ahead = self._lead()
        self._scheduler = BackgroundScheduler(
            executors={"default": ThreadPoolExecutor(2)},
            job_defaults={"coalesce": True, "max_instances": 1, "misfire_grace_time": _MISSED_RUN_SECONDS},
        )
        self._scheduler.add_job(
            consolidate,
            "interval",
            hours=CONSOLIDATE_HOURS,
            id="consolidation",
            next_run_time=self._first(last_consolidation),
        )
        self._scheduler.add_job(upkeep, "interval", minutes=_UPKEEP_MINUTES, id="upkeep")
        if at := clock_time(config.dream.at):
            self._scheduler.add_job(dream, CronTrigger(hour=at[0], minute=at[1]), id="dream")
        if config.backup.every_hours:
            self._scheduler.add_job(backup, "interval", hours=config.backup.every_hours, id="backup")

    def _first(self, last: datetime | None) -> datetime:
        """Six hours after the last one, soon when that was slept through, and never later than six hours from now."""
        now = datetime.fromtimestamp(self._clocks()[0], UTC)
        latest = now + timedelta(hours=CONSOLIDATE_HOURS)
        if last is None:
            return latest
        return min(latest, max(now + _SOON, last + timedelta(hours=CONSOLIDATE_HOURS)))

    def start(self) -> None:
        self._scheduler.start()

    def next_run(self, job: str) -> datetime | None:
        found: Any = self._scheduler.get_job(job)
        return found.next_run_time if found else None

    def follow_clock(self) -> bool:
        """Count the intervals anew when the wall clock was set back; says whether it was."""
        before, self._ahead = self._ahead, self._lead()
        if before - self._ahead < _SET_BACK_SECONDS:
            return False
        now = datetime.fromtimestamp(self._clocks()[0], UTC)
        for job in self._scheduler.get_jobs():
            if isinstance(job.trigger, IntervalTrigger):
                first = now + job.trigger.interval
                seconds = job.trigger.interval.total_seconds()
                job.modify(trigger=IntervalTrigger(seconds=seconds, start_date=first), next_run_time=first)
            else:
                job.modify(next_run_time=job.trigger.get_next_fire_time(None, now))
        return True

    def _lead(self) -> float:
        """Seconds by which the wall clock is ahead of the monotonic one."""
        wall, monotonic = self._clocks()
        return wall - monotonic

    def close(self) -> None:
        """Return when running jobs have ended."""
        self._scheduler.shutdown(wait=True)
