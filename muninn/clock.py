"""The system clock and the id factory: the only readers of time and entropy, built by the composition root."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from threading import Lock

_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_ULID = re.compile(f"[0-7][{_CROCKFORD}]{{25}}")


class SystemClock:
    """Aware UTC wall time, and monotonic seconds for deadlines."""

    def now(self) -> datetime:
        return datetime.fromtimestamp(time.time(), UTC)

    def monotonic(self) -> float:
        return time.monotonic()


class Ulids:
    """ULIDs that only grow: 48 bits of milliseconds, 80 bits of entropy.

    Where the clock stands still or was set back the next one is a random step above the last, so that two copies of one
    store go different ways. ``wall`` is nanoseconds since 1970.
    """

    def __init__(self, wall: Callable[[], int] = time.time_ns) -> None:
        self._lock = Lock()
        self._wall = wall
        self._last = 0

    def new(self) -> str:
        with self._lock:
            fresh = (self._wall() // 1_000_000) << 80 | int.from_bytes(os.urandom(10))
            self._last = fresh if fresh > self._last else self._last + 1 + int.from_bytes(os.urandom(5))
            return encode_ulid(self._last)

    def follow(self, ids: Iterable[str]) -> None:
        """Make every id from now on greater than ``ids``; what is no ULID does not count."""
        with self._lock:
            self._last = max(self._last, newest_ulid(ids))


def newest_ulid(ids: Iterable[str]) -> int:
    """The greatest of the ULIDs among ``ids`` as a 128-bit integer; 0 without any."""
    greatest = max(filter(_ULID.fullmatch, ids), default="0")
    value = 0
    for character in greatest:
        value = value << 5 | _CROCKFORD.index(character)
    return value


def encode_ulid(value: int) -> str:
    """The 26 Crockford characters of a 128-bit integer."""
    return "".join(_CROCKFORD[value >> shift & 31] for shift in range(125, -1, -5))
