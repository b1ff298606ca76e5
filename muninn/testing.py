"""Public fakes: they pass the same conformance suites as the real things."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from muninn.clock import encode_ulid


class FakeClock:
    """A clock that moves only when told to."""

    def __init__(self, start: datetime = datetime(2026, 3, 28, 6, 0, tzinfo=UTC)) -> None:
        self._now = start
        self._monotonic = 0.0

    def now(self) -> datetime:
        return self._now

    def monotonic(self) -> float:
        return self._monotonic

    def advance(self, *, days: float = 0.0, hours: float = 0.0, seconds: float = 0.0) -> None:
        step = timedelta(days=days, hours=hours, seconds=seconds)
        self._now += step
        self._monotonic += step.total_seconds()


class SequentialIds:
    """Ids in ULID form that count up from ``start``."""

    def __init__(self, start: int = 1 << 80) -> None:
        self._next = start

    def new(self) -> str:
        self._next += 1
        return encode_ulid(self._next)
