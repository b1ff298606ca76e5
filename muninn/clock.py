"""The system clock and the id factory: the only readers of time and entropy, built by the composition root."""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime
from threading import Lock

_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


class SystemClock:
    """Aware UTC wall time, and monotonic seconds for deadlines."""

    def now(self) -> datetime:
        return datetime.fromtimestamp(time.time(), UTC)

    def monotonic(self) -> float:
        return time.monotonic()


class Ulids:
    """Monotonic ULIDs: 48 bits of milliseconds, 80 bits of entropy, increasing within one process."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._last = 0

    def new(self) -> str:
        with self._lock:
            fresh = (time.time_ns() // 1_000_000) << 80 | int.from_bytes(os.urandom(10))
            self._last = max(fresh, self._last + 1)
            return encode_ulid(self._last)


def encode_ulid(value: int) -> str:
    """The 26 Crockford characters of a 128-bit integer."""
    return "".join(_CROCKFORD[value >> shift & 31] for shift in range(125, -1, -5))
