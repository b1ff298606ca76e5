"""Knows which active memories no link touches, and by which door they came."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from muninn.domain.memory import Link, Memory


@dataclass(frozen=True, slots=True)
class Orphan:
    """A memory nothing links to or from. ``born_by`` is the client, and the tool when it is known: ``mcp/remember``."""

    memory: Memory
    born_by: str


def orphans(memories: Iterable[Memory], links: Iterable[Link]) -> tuple[Orphan, ...]:
    """The unlinked among the active memories, by door, then id. Tombstones do not count as links."""
    linked = {end for link in links if not link.rejected for end in (link.source, link.target)}
    alone = (Orphan(memory, _door(memory)) for memory in memories if memory.active and memory.id not in linked)
    return tuple(sorted(alone, key=lambda orphan: (orphan.born_by, orphan.memory.id)))


def _door(memory: Memory) -> str:
    client, tool = memory.provenance.client, memory.provenance.tool
    return f"{client}/{tool}" if tool else client
