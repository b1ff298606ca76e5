"""Ids as a person types them: whole, or the first characters of one, if they fit no other.

An agent names memories whole, as a tool returned them: the beginnings of ids tell when they were made, so a guess would find,
name and change what is hidden from it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from muninn.api.calls import Core
from muninn.domain.memory import Origin, Provenance
from muninn.errors import UsageError

SHORTEST = 6  # characters
_NAMED = 5  # candidates in an error


def memory_id(core: Core, given: str, *, by: Provenance) -> str:
    """The id of the one memory that is meant; ``given`` itself when there is none. Raises UsageError when several fit."""
    if by.origin is Origin.AGENT:
        return given
    read = core.service.read
    return _only("memories", given, lambda: read.beginning(given, limit=_NAMED + 1), known=read.get(given) is not None)


def dream_id(core: Core, given: str) -> str:
    """The id of the one dream that is meant; else as ``memory_id``."""
    ids = sorted(dream.id for dream in core.service.dreams())
    return _only("dreams", given, lambda: [one for one in ids if one.startswith(given)], known=given in ids)


def _only(what: str, given: str, candidates: Callable[[], Sequence[str]], *, known: bool) -> str:
    if known or len(given) < SHORTEST:
        return given
    found = candidates()
    if len(found) > 1:
        more = ", …" if len(found) > _NAMED else ""
        raise UsageError(f"{given} is the beginning of several {what}", hint=", ".join(found[:_NAMED]) + more)
    return found[0] if found else given
