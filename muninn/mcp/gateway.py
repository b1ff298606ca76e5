"""Knows how to reach the daemon, and what to do while it is away: wake it if allowed, wait, ask again.

Asking again is safe: every write carries an Idempotency-Key, and the daemon recognises content it already holds.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from muninn.errors import AlreadyRunningError, LockedError, NotRunningError

Json = dict[str, Any]

PATIENCE = 45.0  # seconds a call may wait for a daemon that is waking or dreaming; agents give up after 60
_GRACE = 3.0  # seconds after losing the daemon before waking it: a restart is under way more often than not
_PAUSE = 0.1


class Caller(Protocol):
    """``muninn.client.Client``, or a fake."""

    def call(
        self, method: str, path: str, body: object = None, headers: Mapping[str, str] | None = None
    ) -> dict[str, Any]: ...


class Gateway:
    """Calls that outlive the daemon's absence. ``wake`` starts a daemon and returns when it answers, or raises."""

    def __init__(
        self,
        client: Caller,
        *,
        monotonic: Callable[[], float],
        wake: Callable[[float], None] | None = None,
        patience: float = PATIENCE,
    ) -> None:
        self._client = client
        self._monotonic = monotonic
        self._wake = wake
        self._patience = patience
        self._waking = threading.Lock()
        self._closed = threading.Event()
        self._met = False
        self._woken = 0

    def close(self) -> None:
        """Calls that wait give up now."""
        self._closed.set()

    def call(self, method: str, path: str, body: object = None, *, headers: Mapping[str, str] | None = None) -> Json:
        """One request. Raises what the daemon answered, or NotRunningError when it stays away."""
        began = self._monotonic()
        while True:
            woken = self._woken
            try:
                answer = self._client.call(method, path, body, headers)
            except NotRunningError as error:
                self._bear(error, self._monotonic() - began, woken)
            else:
                self._met = True
                return answer

    def _bear(self, error: NotRunningError, waited: float, woken: int) -> None:
        """Wait a little, or wake the daemon; raises ``error`` when there is nothing left to try."""
        if waited >= self._patience or (self._wake is None and not (self._met and waited < _GRACE)):
            raise error
        if self._wake is None or (self._met and waited < _GRACE):
            if self._closed.wait(_PAUSE):
                raise error
            return
        with self._waking:
            if woken != self._woken:
                return  # somebody else woke it meanwhile
            try:
                self._wake(self._patience - waited)
                self._woken += 1
            except AlreadyRunningError:
                self._closed.wait(_PAUSE)
            except LockedError as locked:
                raise NotRunningError(locked.message, hint="muninn may be dreaming; try again in a minute") from None
        if self._closed.is_set():
            raise error
