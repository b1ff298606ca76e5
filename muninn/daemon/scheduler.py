"""Work by the clock while awake (APScheduler): consolidation, the dream of ``dream.at``, upkeep, backup.

Jobs never overlap with themselves, a missed run is made up once, and a clock that jumps costs at most one run.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from apscheduler.executors.pool import ThreadPoolExecutor
from apscheduler.schedulers.background import BackgroundScheduler
from apscheduler.triggers.cron import CronTrigger

from muninn.config import Config
from muninn.errors import ConfigError

CONSOLIDATE_HOURS = 6
_UPKEEP_MINUTES = 10
_MISSED_RUN_SECONDS = 24 * 3600

Job = Callable[[], object]


class Schedule:
    def __init__(self, config: Config, *, consolidate: Job, dream: Job, upkeep: Job, backup: Job) -> None:
        self._scheduler = BackgroundScheduler(
            executors={"default": ThreadPoolExecutor(2)},
            job_defaults={"coalesce": True, "max_instances": 1, "misfire_grace_time": _MISSED_RUN_SECONDS},
        )
        self._scheduler.add_job(consolidate, "interval", hours=CONSOLIDATE_HOURS, id="consolidation")
        self._scheduler.add_job(upkeep, "interval", minutes=_UPKEEP_MINUTES, id="upkeep")
        if config.dream.at:
            hour, minute = clock_time(config.dream.at)
            self._scheduler.add_job(dream, CronTrigger(hour=hour, minute=minute), id="dream")
        if config.backup.every_hours:
            self._scheduler.add_job(backup, "interval", hours=config.backup.every_hours, id="backup")

    def start(self) -> None:
        self._scheduler.start()

    def next_run(self, job: str) -> datetime | None:
        found: Any = self._scheduler.get_job(job)
        return found.next_run_time if found else None

    def close(self) -> None:
        """Return when running jobs have ended."""
        self._scheduler.shutdown(wait=True)


def clock_time(text: str) -> tuple[int, int]:
    """Hour and minute of "04:30". Raises ConfigError."""
    hour, _, minute = text.partition(":")
    if hour.isdigit() and minute.isdigit() and int(hour) < 24 and int(minute) < 60 and len(minute) == 2:
        return int(hour), int(minute)
    raise ConfigError(f"dream.at is {text!r}, expected a time of day", hint='for example "04:30"')
