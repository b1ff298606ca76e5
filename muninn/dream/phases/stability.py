"""Phase 4: what is used lasts longer, what is not fades sooner; by elapsed time and evidence, never by how often it runs.

Strengthening: x1.2 for each day on which a memory of high signal was used, looked at once a day at most. Weakening: x0.8
for 30 days without use, proportionally, looked at once a week at most. A model's advice replaces the rule.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from datetime import date, datetime, timedelta

from muninn.domain.memory import STABILITY_FLOOR, Memory
from muninn.domain.operations import Advise, Operation, Stabilise
from muninn.domain.strength import bounded_stability, days_between
from muninn.dream.context import Context, seen

OFTEN = 5  # accesses
SELDOM = 2
RELEVANT = 0.5
IRRELEVANT = 0.3
OLD = 30.0  # days
RISE = 1.2
FALL = 0.8
DAY = timedelta(days=1)
WEEK = timedelta(days=7)


def stability(context: Context) -> Iterator[Operation]:
    """A new stability for each memory whose signal is high or low, or that a model advised on."""
    mark, now = context.mark, context.now
    advice = {one.ids[0]: one for one in context.so_far if isinstance(one, Advise)}
    strengthening = _due(mark.strengthened_at, now, DAY)
    weakening = _due(mark.weakened_at, now, WEEK)
    days = _days_of_use(context) if strengthening else {}
    for memory in context.active:
        used = _used_days(memory, days, mark.strengthened_at) if strengthening else 0
        if not (used or memory.id in advice or (weakening and memory.stability > STABILITY_FLOOR)):
            continue
        if memory.pinned or context.rulings.rests(memory, now=now):
            continue
        advised = advice.get(memory.id)
        if advised is not None:
            yield from _changed(context, memory, bounded_stability(advised.stability), f"advised: {advised.why}")
        elif used and _high(memory):
            after = bounded_stability(memory.stability * RISE**used)
            often = f"used {memory.access_count} times, on {used} day{'s' if used > 1 else ''} since last looked at"
            yield from _changed(context, memory, after, often)
        elif weakening and _low(memory, now):
            share = _idle_share(memory, mark.weakened_at, now)
            after = min(memory.stability, bounded_stability(memory.stability * FALL**share))
            yield from _changed(context, memory, after, f"not used for {_idle(memory, now):.0f} days")
    if strengthening:
        context.findings.move(strengthened_at=now, habit=max((event.id for event in context.usage), default=mark.habit))
    if weakening:
        context.findings.move(weakened_at=now)


def _due(last: datetime | None, now: datetime, rest: timedelta) -> bool:
    """Whether to look again; a moment that lies in the future (the clock went back) counts as now."""
    return last is None or now - last >= rest


def _days_of_use(context: Context) -> dict[str, set[date]]:
    days: dict[str, set[date]] = defaultdict(set)
    for event in context.usage:
        if event.id > context.mark.habit:
            for key in event.memories:
                days[key].add(event.at.date())
    return days


def _used_days(memory: Memory, days: dict[str, set[date]], since: datetime | None) -> int:
    """Days of use since last looked at; use known only by its count (imported) is one day."""
    known = len(days.get(memory.id, ()))
    if known or memory.last_accessed_at is None:
        return known or int(since is None and memory.access_count > 0)
    return int(since is None or memory.last_accessed_at > since)


def _high(memory: Memory) -> bool:
    return memory.access_count >= OFTEN and memory.relevance >= RELEVANT


def _low(memory: Memory, now: datetime) -> bool:
    """Old and hardly ever used and irrelevant; or left alone for more than twice its stability and not important."""
    if days_between(memory.created_at, now) <= OLD or _idle(memory, now) <= OLD:
        return False
    forgotten = memory.access_count < SELDOM and memory.relevance < IRRELEVANT
    return forgotten or (_idle(memory, now) > 2 * memory.stability and memory.relevance <= RELEVANT)


def _idle(memory: Memory, now: datetime) -> float:
    """Days since last used or asserted."""
    return days_between(max(memory.learned_at, memory.last_accessed_at or memory.learned_at), now)


def _idle_share(memory: Memory, since: datetime | None, now: datetime) -> float:
    """The part of a 30-day step that is due: the idle time not yet charged, at most one whole step."""
    uncharged = _idle(memory, now) if since is None else min(_idle(memory, now), days_between(since, now))
    return min(1.0, uncharged / OLD)


def _changed(context: Context, memory: Memory, after: float, why: str) -> Iterator[Operation]:
    after = round(after, 4)
    if after == memory.stability:
        return
    yield Stabilise(
        vault=context.vault,
        ids=(memory.id,),
        why=why,
        seen=seen(context.snapshot, (memory.id,)),
        before=memory.stability,
        after=after,
    )
