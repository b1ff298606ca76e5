"""Failpoints: named places where a test can make the process die, fail or pause.

Inert unless ``arm`` was called, which the composition root does only when ``MUNINN_TEST=1`` and ``MUNINN_FAILPOINTS``
are both set. Spec: ``name=action[@nth[+]];…`` with actions ``kill``, ``exit:N``, ``err:ERRNO``, ``sleep:S``. The name ``*``
with ``record:FILE`` writes down every name that is reached, one a line.
"""

from __future__ import annotations

import os
import signal
import time
from collections import Counter

_armed: dict[str, tuple[str, int, bool]] = {}
_hits: Counter[str] = Counter()


def arm(spec: str) -> None:
    """Activate the failpoints of a spec; an empty spec disarms all."""
    _armed.clear()
    _hits.clear()
    for item in filter(None, spec.split(";")):
        name, _, action = item.partition("=")
        action, _, nth = action.partition("@")
        _armed[name] = (action, int(nth.rstrip("+") or 1), nth.endswith("+"))


def failpoint(name: str) -> None:
    """A place where a fault may be injected; costs one dictionary test when nothing is armed."""
    if not _armed:
        return
    _hits[name] += 1
    if _hits[name] == 1 and "*" in _armed:
        _record(name)
    action, nth, onwards = _armed.get(name, ("", 0, False))
    if not action or not (_hits[name] == nth or (onwards and _hits[name] > nth)):
        return
    verb, _, argument = action.partition(":")
    if verb == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    elif verb == "exit":
        os._exit(int(argument))
    elif verb == "err":
        raise OSError(int(argument), os.strerror(int(argument)))
    elif verb == "sleep":
        time.sleep(float(argument))


def hits(name: str) -> int:
    """How often a name was reached since ``arm``."""
    return _hits[name]


def _record(name: str) -> None:
    verb, _, file = _armed["*"][0].partition(":")
    if verb == "record":
        fd = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.write(fd, f"{name}\n".encode())
        finally:
            os.close(fd)
