"""Waiting until every memory has its vector, with a bar on a terminal."""

from __future__ import annotations

import time

from muninn.errors import ProviderError
from muninn_cmd import render
from muninn_cmd.connect import Door

_POLL = 0.2  # seconds until the first look; later ones are further apart
_POLL_MOST = 1.0
_STALLED = 120.0  # seconds without progress


def finish(door: Door) -> int:
    """Return 0 when nothing is pending. Raises ProviderError when nothing moves for two minutes."""
    left = _pending(door)
    if not left:
        return 0
    door.embed_late()
    moved, pause = time.monotonic(), _POLL
    with render.progress("embedding", left) as advance:
        while left:
            time.sleep(pause)
            pause = min(_POLL_MOST, pause * 1.25)
            now = _pending(door)
            if now < left:
                advance(left - now)
                moved = time.monotonic()
            elif time.monotonic() - moved > _STALLED:
                raise ProviderError(
                    f"{now} memories are still not embedded", hint="they are stored; see: muninn doctor"
                )
            left = now
    return 0


def _pending(door: Door) -> int:
    return int(door.call("GET", "/v1/status").get("embedding_pending") or 0)
