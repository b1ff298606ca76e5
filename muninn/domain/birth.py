"""How a memory comes to be, is asserted again, and is followed by another: pure rules over values.

"Newest" means last asserted. Asserting an exact duplicate moves its ``learned_at`` forward; a superseded or archived
holder becomes the head again, and the value that had replaced it is closed. After A, B, A the head is A.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime

from muninn.domain.draft import Draft, parse_draft
from muninn.domain.memory import Memory, Provenance, State, Vault, content_hash
from muninn.domain.titles import derived_title
from muninn.domain.trust import strictest
from muninn.errors import UsageError

EDITABLE = (
    "content",
    "title",
    "kind",
    "tags",
    "metadata",
    "valid_from",
    "valid_until",
    "relevance",
    "confidence",
    "pinned",
)


def born(draft: Draft, *, memory_id: str, vault: Vault, by: Provenance, now: datetime) -> Memory:
    """The memory that a draft becomes."""
    created = draft.created_at or now
    return Memory(
        id=draft.id or memory_id,
        vault=vault.name,
        tier=strictest(vault.tier, draft.tier or vault.tier),
        title=draft.title or derived_title(draft.content),
        title_derived=draft.title is None or draft.title_derived,
        content=draft.content,
        content_hash=content_hash(draft.content),
        kind=draft.kind,
        tags=draft.tags,
        metadata=draft.metadata,
        created_at=created,
        updated_at=draft.updated_at or created,
        learned_at=draft.learned_at or created,
        valid_from=draft.valid_from,
        valid_until=draft.valid_until,
        last_accessed_at=draft.last_accessed_at,
        access_count=draft.access_count,
        relevance=draft.relevance,
        stability=draft.stability,
        confidence=draft.confidence,
        pinned=draft.pinned,
        state=draft.state,
        superseded_by=draft.superseded_by,
        merged_from=draft.merged_from,
        provenance=by,
    )


def reasserted(memory: Memory, draft: Draft, *, head: Memory | None, now: datetime) -> tuple[Memory, ...]:
    """The rows that change when exact content is said again; ``head`` is the live end of the memory's chain, if any."""
    said = max(draft.learned_at or draft.created_at or now, memory.learned_at)
    replaced = memory.state is State.SUPERSEDED and head is not None and head.active and head.learned_at > said
    if replaced and draft.supersedes is None:  # old news, such as a file imported again: the later word stands
        return (replace(memory, learned_at=said),)
    revived = replace(
        memory,
        learned_at=said,
        valid_from=draft.valid_from or memory.valid_from,
        state=State.ACTIVE,
        superseded_by=None,
        valid_until=None if memory.state is State.SUPERSEDED else memory.valid_until,
        updated_at=now if not memory.active else memory.updated_at,
    )
    if replaced or memory.state is not State.SUPERSEDED or head is None or not head.active:
        return (revived,)
    return revived, superseded(head, by=revived.id, at=draft.valid_from or said, now=now)


def superseded(memory: Memory, *, by: str, at: datetime, now: datetime) -> Memory:
    """``memory`` closed at ``at`` because ``by`` follows it."""
    until = min(memory.valid_until, at) if memory.valid_until else at
    return replace(memory, state=State.SUPERSEDED, superseded_by=by, valid_until=until, updated_at=now)


def revived(memory: Memory, *, now: datetime) -> Memory:
    """A forgotten, archived or superseded memory made active again."""
    closed = memory.state is State.SUPERSEDED
    return replace(
        memory,
        state=State.ACTIVE,
        superseded_by=None,
        valid_until=None if closed else memory.valid_until,
        updated_at=now,
    )


def head_of(memory: Memory, get: Callable[[str], Memory | None]) -> Memory:
    """The live end of a chain of ``superseded_by``; cycles and missing links end the walk."""
    seen = {memory.id}
    while memory.superseded_by and memory.superseded_by not in seen:
        following = get(memory.superseded_by)
        if following is None:
            break
        seen.add(following.id)
        memory = following
    return memory


def gone(memory: Memory, get: Callable[[str], Memory | None]) -> tuple[str, ...]:
    """Ids of the lineage of ``memory`` under which nothing is found: erased, or never imported."""
    named = (*memory.merged_from, *([memory.superseded_by] if memory.superseded_by else []))
    return tuple(key for key in named if get(key) is None)


def edited(memory: Memory, changes: Mapping[str, object], *, now: datetime) -> Memory:
    """``memory`` with some fields changed. New content is a new assertion; a null title is derived anew."""
    fixed = sorted(set(changes) - set(EDITABLE))
    if fixed:
        raise UsageError(f"field {fixed[0]!r} cannot be edited", hint=f"editable: {', '.join(EDITABLE)}")
    if not changes:
        raise UsageError("nothing to change", hint=f"give one of: {', '.join(EDITABLE)}")
    draft = parse_draft({"content": memory.content, **changes}, now=now)
    fields: dict[str, object] = {name: getattr(draft, name) for name in changes if name != "title"}
    if "content" in changes:
        fields |= {"content_hash": content_hash(draft.content), "learned_at": now}
    if "title" in changes or ("content" in changes and memory.title_derived):
        fields |= {"title": draft.title or derived_title(draft.content), "title_derived": draft.title is None}
    changed = replace(memory, **fields, updated_at=now)  # type: ignore[arg-type]
    if {"valid_from", "valid_until"} & changes.keys():
        check_validity(changed.valid_from, changed.valid_until)
    return changed


def check_validity(start: datetime | None, end: datetime | None) -> None:
    """Refuse what a person says of a validity that ends before it begins; imports are taken as they are."""
    if start is not None and end is not None and end < start:
        raise UsageError(
            f"valid_until {end.isoformat()} is before valid_from {start.isoformat()}", hint="change one of them"
        )
