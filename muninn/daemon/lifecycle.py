"""The daemon's life as a table: asleep -> waking -> dreaming -> awake -> falling asleep -> asleep.

event      from                        to
start      asleep                      waking
dream      waking                      dreaming
dreamt     dreaming                    waking
ready      waking                      awake
stop       waking, dreaming, awake     falling_asleep
closed     falling_asleep              asleep
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from threading import Lock


class Phase(StrEnum):
    ASLEEP = "asleep"
    WAKING = "waking"
    DREAMING = "dreaming"
    AWAKE = "awake"
    FALLING_ASLEEP = "falling_asleep"


TRANSITIONS: dict[tuple[Phase, str], Phase] = {
    (Phase.ASLEEP, "start"): Phase.WAKING,
    (Phase.WAKING, "dream"): Phase.DREAMING,
    (Phase.DREAMING, "dreamt"): Phase.WAKING,
    (Phase.WAKING, "ready"): Phase.AWAKE,
    (Phase.WAKING, "stop"): Phase.FALLING_ASLEEP,
    (Phase.DREAMING, "stop"): Phase.FALLING_ASLEEP,
    (Phase.AWAKE, "stop"): Phase.FALLING_ASLEEP,
    (Phase.FALLING_ASLEEP, "closed"): Phase.ASLEEP,
}


class Lifecycle:
    """The present phase. An event that has no row is ignored when the daemon is already falling asleep, else a fault.

    ``tell`` hears of every phase that is entered.
    """

    def __init__(self, tell: Callable[[Phase], None] = lambda _: None) -> None:
        self._tell = tell
        self._lock = Lock()
        self.phase = Phase.ASLEEP

    def on(self, event: str) -> Phase:
        with self._lock:
            following = TRANSITIONS.get((self.phase, event))
            if following is None and self.phase is not Phase.FALLING_ASLEEP:
                raise RuntimeError(f"{event} is not possible while {self.phase}")
            if following is not None:
                self.phase = following
                self._tell(following)
            return self.phase
