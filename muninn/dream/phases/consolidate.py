"""Phase 2b: a language model judges what the rules could not. Without one the phase does nothing.

It is asked about sets that await review, about likenesses across vaults, and shown what was used most. Its answer is
data: what it decides still has to pass the rules of merging, the survival budget and what a person decided before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations

from muninn.domain.evolution import evolve
from muninn.domain.lineage import LEVELS, level_from
from muninn.domain.memory import Memory, content_hash
from muninn.domain.operations import (
    Advise,
    Distinct,
    Merge,
    NearDuplicates,
    Operation,
    Reinforce,
    Suggest,
    Supersede,
)
from muninn.domain.separation import Text, contradiction, mergeable, replaceable
from muninn.dream.context import Context, seen
from muninn.dream.phases.across import likenesses, short_name, suggestion_id
from muninn.llm.prompts import Group, GroupKind
from muninn.llm.verdicts import (
    DistinctVerdict,
    MergeVerdict,
    Rejected,
    StabilityVerdict,
    SuggestVerdict,
    SupersedeVerdict,
    Verdict,
)

NOTABLE = 8  # most used memories shown for the narrative
SPENT = "today's survival budget is spent"
GONE = "a memory that is no longer active"
SEPARATE = "they were judged distinct before"
TOMORROW = "@"  # before the name of a set whose verdict only waits for another day's budget
SHARE = 0.8  # of the time left that the models may use


def consolidate(context: Context) -> Iterator[Operation]:
    """What the model's verdicts come to."""
    if context.ask is None:
        context.findings.figures["asked"] = 0
        return
    waiting = _waiting(context)
    known = _asked(context)
    sets = [group for name, group in waiting.items() if name not in known][: context.limits.asked]
    across = likenesses(context)
    groups = [*sets, *across.now, *_notable(context)]
    if not any(group.kind is not GroupKind.NOTABLE for group in groups):
        across.note(context, ())
        return
    answer = context.ask(groups, max(0.0, context.remaining() * SHARE), context.dream_id)
    verdicts = answer.verdicts
    figures = context.findings.figures
    figures.update(asked=answer.asked, model=answer.model, problems=list(answer.problems), proposed=verdicts.proposed)
    unasked = answer.unasked if answer.asked else groups
    across.note(context, (one for one in unasked if one.kind is GroupKind.ACROSS))
    context.findings.narrative.extend((one.sentence, one.ids) for one in verdicts.narrative)
    reshaping = [one for one in verdicts.accepted if isinstance(one, (MergeVerdict, SupersedeVerdict))]
    done, refused = _sorted_out(context, reshaping)
    yield from done
    # what is said of the memories is said of them as these leave them: it would not hold otherwise
    after = replace(context, snapshot=evolve(context.snapshot, done, now=context.now))
    rest, refused_then = _sorted_out(after, [one for one in verdicts.accepted if one not in reshaping])
    yield from rest
    figures["refused"] = _counted([*verdicts.rejected, *refused, *refused_then])
    spent = {key for one in refused if one.why == SPENT for key in one.ids}
    tomorrow = {_name(group) for group in sets if any(memory.id in spent for memory in group.memories)}
    seen_now = {_name(group) for group in sets} - {_name(group) for group in unasked}
    names = (seen_now | known) & waiting.keys()
    tomorrow |= {name for name in names - seen_now if TOMORROW + name in context.mark.asked}
    asked = (TOMORROW + name if name in tomorrow else name for name in names)
    context.findings.move(asked=tuple(sorted(asked)))


def _sorted_out(context: Context, verdicts: Sequence[Verdict]) -> tuple[list[Operation], list[Rejected]]:
    """What may be done, and what is refused."""
    outcomes = [_operation(context, verdict) for verdict in verdicts]
    refused = [one for one in outcomes if isinstance(one, Rejected)]
    return [one for one in outcomes if not isinstance(one, Rejected)], refused


def _counted(rejected: Sequence[Rejected]) -> list[dict[str, object]]:
    """What was refused, by kind and reason, most frequent first; with the memories it named."""
    kinds: dict[tuple[str, str], Rejected] = {}
    for one in rejected:
        known = kinds.get((one.op, one.why), Rejected(op=one.op, why=one.why, count=0))
        ids = tuple(dict.fromkeys((*known.ids, *one.ids)))
        kinds[one.op, one.why] = replace(known, ids=ids, count=known.count + one.count)
    ranked = sorted(kinds.values(), key=lambda one: (-one.count, one.op, one.why))
    return [{"op": one.op, "why": one.why, "count": one.count, "ids": list(one.ids)} for one in ranked]


def _asked(context: Context) -> set[str]:
    """Names of the sets not to ask about now; what only the budget refused is asked again when the budget is whole."""
    today = context.mark.spent(context.now) > 0
    return {name.removeprefix(TOMORROW) for name in context.mark.asked if today or not name.startswith(TOMORROW)}


def _name(group: Group) -> str:
    """A short name for a set as it is now."""
    return short_name(f"{memory.id}:{memory.fingerprint}" for memory in group.memories)


def _waiting(context: Context) -> dict[str, Group]:
    """The sets that await review, by name: queued by this dream first, then earlier ones."""
    found: dict[tuple[str, ...], bool] = {}
    for operation in context.so_far:
        if isinstance(operation, NearDuplicates):
            found[tuple(sorted(operation.ids))] = operation.verdict == "conflict"
    for decision in context.rulings.waiting(context.snapshot.memories):
        found.setdefault(decision.ids, decision.verdict == "conflict")
    groups: dict[str, Group] = {}
    for ids, conflict in found.items():
        members = tuple(context.snapshot.memories[key] for key in ids)
        if all(memory.active for memory in members):
            group = Group(GroupKind.CONFLICT if conflict else GroupKind.ALIKE, members)
            groups[_name(group)] = group
    return groups


def _notable(context: Context) -> list[Group]:
    used = sorted(
        (one for one in context.so_far if isinstance(one, Reinforce)),
        key=lambda one: (one.before - one.after, one.ids[0]),
    )
    members = [context.snapshot.memories[one.ids[0]] for one in used[:NOTABLE]]
    active = tuple(memory for memory in members if memory.active)
    return [Group(GroupKind.NOTABLE, active)] if active else []


def _operation(context: Context, verdict: Verdict) -> Operation | Rejected:
    """The operation a verdict comes to, or why it comes to nothing."""
    match verdict:
        case MergeVerdict():
            return _merge(context, verdict)
        case SupersedeVerdict():
            return _supersede(context, verdict)
        case DistinctVerdict():
            ids = tuple(sorted(key for key in verdict.ids if _mine(context, (key,))))
            if len(ids) < 2:
                return Rejected(op="distinct", why=GONE, ids=verdict.ids)
            why = "judged distinct by the model"
            return Distinct(vault=context.vault, ids=ids, why=why, seen=seen(context.snapshot, ids))
        case SuggestVerdict():
            return _suggest(context, verdict)
        case StabilityVerdict():
            if not _mine(context, (verdict.id,)):
                return Rejected(op="stability", why=GONE, ids=(verdict.id,))
            marks = seen(context.snapshot, (verdict.id,))
            why = f"the model expects it to matter for {verdict.days:.0f} days"
            return Advise(vault=context.vault, ids=(verdict.id,), why=why, seen=marks, stability=verdict.days)


def _mine(context: Context, ids: Sequence[str]) -> bool:
    memories = context.snapshot.memories
    return all(key in memories and memories[key].active for key in ids)


def _merge(context: Context, verdict: MergeVerdict) -> Merge | Rejected:
    ids = (verdict.into, *sorted(key for key in verdict.ids if key != verdict.into))
    if not _mine(context, ids):
        return Rejected(op="merge", why=GONE, ids=ids)
    members = [context.snapshot.memories[key] for key in ids]
    for one, other in combinations(members, 2):
        if (why_not := _apart(context, one, other)) is not None:
            return Rejected(op="merge", why=why_not, ids=(one.id, other.id))
    for member in members:
        differs = contradiction(Text(None, member.content), Text(None, verdict.text))
        if differs is not None and differs.slot == "antonym":
            return Rejected(op="merge", why="a text that says the opposite", ids=ids)
    level = level_from(verdict.text, [(member, context.rulings.level(member)) for member in members])
    if level > LEVELS:
        return Rejected(op="merge", why="a text that models have written over already", ids=ids)
    if len(ids) - 1 > context.budget:
        return Rejected(op="merge", why=SPENT, ids=ids)
    context.spend(len(ids) - 1)
    operation = Merge(
        vault=context.vault,
        ids=ids,
        into=verdict.into,
        why="judged the same by the model",
        seen=seen(context.snapshot, ids),
    )
    if content_hash(verdict.text) == members[0].content_hash and verdict.title in {None, members[0].title}:
        return operation
    model, vector = _embedded(context, members[0], verdict) or (None, None)
    return replace(operation, content=verdict.text, title=verdict.title, model=model, vector=vector, level=level)


def _apart(context: Context, one: Memory, other: Memory) -> str | None:
    """Why the guard or an earlier decision keeps two memories apart, without quoting either: a report outlives its texts."""
    if (why_not := mergeable(one, other)) is not None:
        return why_not.partition(":")[0]
    if context.rulings.separate(one, other):
        return SEPARATE
    differs = contradiction(_text(one), _text(other))
    return None if differs is None else f"{differs.slot} differs"


def _text(memory: Memory) -> Text:
    return Text(None if memory.title_derived else memory.title, memory.content)


def _embedded(context: Context, survivor: Memory, verdict: MergeVerdict) -> tuple[str, bytes] | None:
    if context.embed is None:
        return None
    title = verdict.title or survivor.title
    derived = survivor.title_derived and verdict.title is None
    return context.embed(replace(survivor, content=verdict.text, title=title, title_derived=derived))


def _supersede(context: Context, verdict: SupersedeVerdict) -> Supersede | Rejected:
    ids = (verdict.old, verdict.new)
    if not _mine(context, ids):
        return Rejected(op="supersede", why=GONE, ids=ids)
    old, new = (context.snapshot.memories[key] for key in ids)
    if (why_not := _stays(context, old, new)) is not None:
        return Rejected(op="supersede", why=why_not, ids=ids)
    context.spend(1)
    why = "judged a newer version of the same fact by the model"
    until = new.valid_from or new.learned_at
    return Supersede(vault=context.vault, ids=ids, why=why, seen=seen(context.snapshot, ids), until=until)


def _stays(context: Context, old: Memory, new: Memory) -> str | None:
    """Why ``new`` may not take the place of ``old`` today."""
    if old.pinned:
        return "a pinned memory is not replaced"
    if (why_not := replaceable(old, new)) is not None:
        return why_not.partition(":")[0]
    if new.learned_at < old.learned_at:
        return "the successor was not asserted later than what it replaces"
    if context.rulings.declined("supersede", (old.id, new.id), context.snapshot.memories):
        return "a person undid it before"
    if context.rulings.separate(old, new):
        return SEPARATE
    return SPENT if context.budget < 1 else None


def _suggest(context: Context, verdict: SuggestVerdict) -> Suggest | Rejected:
    source, target = context.read.get(verdict.a), context.read.get(verdict.b)
    ids = (verdict.a, verdict.b)
    if source is None or target is None or source.vault == target.vault:
        return Rejected(op="suggest", why=GONE, ids=ids)
    if source.vault != context.vault:
        source, target = target, source
    name = suggestion_id(source.id, target.id)
    if name in context.suggested:
        return Rejected(op="suggest", why="it was suggested before", ids=ids)
    return Suggest(
        vault=context.vault,
        ids=(source.id, target.id),
        why=verdict.reason,
        seen={source.id: source.fingerprint, target.id: target.fingerprint},
        suggestion=name,
        other_vault=target.vault,
        relation=verdict.relation,
    )
