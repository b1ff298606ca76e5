"""Phase 1: recalls and reads since the last dream become access counts and Hebbian weights."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import datetime

from muninn.domain.hebbian import RELATION, Pair, Trace, trained
from muninn.domain.memory import Link, LinkKey, Memory, State
from muninn.domain.operations import Bond, Operation, Reinforce
from muninn.domain.records import Usage
from muninn.dream.context import Context, seen


def replay(context: Context) -> Iterator[Operation]:
    """One reinforcement for each memory used, with its bonds to the ones recalled with it."""
    events = [event for event in context.usage if context.mark.unread(event.id)]
    context.findings.figures["events"] = len(events)
    times: dict[str, list[datetime]] = defaultdict(list)
    recalls: list[tuple[datetime, Mapping[str, float]]] = []
    for event in events:
        activations = _activations(event, context)
        for key in activations:
            times[key].append(event.at)
        if event.kind == "recall" and len(activations) > 1:
            recalls.append((event.at, activations))
    bonds = _bonds(context, recalls)
    for key in sorted(times):
        yield _reinforcement(context, context.snapshot.memories[key], times[key], bonds.get(key, []))
    if context.usage:
        last = max(context.mark.usage, max(event.id for event in context.usage))
        context.findings.move(usage=last, holes=())


def _activations(event: Usage, context: Context) -> dict[str, float]:
    """Activation by active memory of this vault; what was merged since counts for its survivor."""
    found: dict[str, float] = {}
    for key, activation in zip(event.memories, event.activations, strict=False):
        head = _head(context.snapshot.memories, key)
        if head is not None:
            found[head] = max(found.get(head, 0.0), min(1.0, max(0.0, activation)))
    return found


def _head(memories: Mapping[str, Memory], key: str) -> str | None:
    for _ in range(len(memories)):
        memory = memories.get(key)
        if memory is None or memory.active:
            return None if memory is None else key
        if memory.state is not State.ARCHIVED or memory.superseded_by is None:
            return None
        key = memory.superseded_by
    return None


def _bonds(context: Context, recalls: list[tuple[datetime, Mapping[str, float]]]) -> dict[str, list[Bond]]:
    """New weights by the lower id of each pair, existing weights taken from the links."""
    links = context.snapshot.links
    traces: dict[Pair, Trace] = {}
    for key, link in links.items():
        if key.relation == RELATION:
            traces[key.source, key.target] = Trace(link.weight, _activated(link))
    bonds: dict[str, list[Bond]] = defaultdict(list)
    for (first, second), trace in sorted(trained(recalls, traces).items()):
        link_before = links.get(LinkKey(first, second, RELATION))
        if link_before is not None and link_before.rejected:
            continue
        before = link_before.weight if link_before is not None else None
        bonds[first].append(Bond(partner=second, before=before, after=round(trace.weight, 6), at=trace.at))
    return bonds


def _activated(link: Link) -> datetime:
    return link.last_activated_at or link.created_at


def _reinforcement(context: Context, memory: Memory, times: list[datetime], bonds: list[Bond]) -> Reinforce:
    ids = (memory.id, *(bond.partner for bond in bonds))
    last = max(times) if memory.last_accessed_at is None else max(memory.last_accessed_at, *times)
    once = "once" if len(times) == 1 else f"{len(times)} times"
    others = "1 other" if len(bonds) == 1 else f"{len(bonds)} others"
    company = f", together with {others}" if bonds else ""
    return Reinforce(
        vault=context.vault,
        ids=ids,
        why=f"used {once} since the last dream{company}",
        seen=seen(context.snapshot, ids),
        before=memory.access_count,
        after=memory.access_count + len(times),
        last_before=memory.last_accessed_at,
        last_after=last,
        bonds=tuple(bonds),
    )
