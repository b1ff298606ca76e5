"""Knows how to find the newest memories of a project: ids begin with the millisecond of birth, so a time makes an id.

The API lists by id, oldest first; the window grows or shrinks until it holds enough and not too many.
"""

from __future__ import annotations

from typing import Any

from muninn.mcp.session import Session, path_of

_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_PAGE = 500
_LONGEST = 10 * 365 * 86_400.0  # seconds
_FIRST = 7 * 86_400.0
_TRIES = 8


def newest(session: Session, count: int) -> list[dict[str, Any]]:
    """At most ``count`` active memories that the agent may see, newest first."""
    found = [memory for vault in session.reading(None, tool="prompts") for memory in _latest(session, vault, count)]
    found.sort(key=lambda memory: str(memory["id"]), reverse=True)
    return found[:count]


def _latest(session: Session, vault: str, count: int) -> list[dict[str, Any]]:
    window = _FIRST
    rows: list[dict[str, Any]] = []
    for _ in range(_TRIES):
        after = id_at(session.epoch() - window)
        page = session.call("GET", path_of("memories", vault=vault, after=after, limit=_PAGE), tool="prompts")
        rows = page["memories"]
        if page["more"]:
            window /= 6
        elif len(rows) < count and window < _LONGEST:
            window *= 6
        else:
            break
    return [memory for memory in reversed(rows) if session.may_see(memory)][:count]


def id_at(seconds: float) -> str:
    """The least id that a memory born at this Unix time can have."""
    milliseconds = max(0, int(seconds * 1000))
    return "".join(_CROCKFORD[milliseconds >> shift & 31] for shift in range(45, -1, -5))
