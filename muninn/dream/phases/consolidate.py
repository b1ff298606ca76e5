"""Phase 2b: a language model judges what the rules could not. Without one the phase does nothing.

It is asked about sets that await review, about likenesses across vaults, and shown what was used most. Its answer is
data: what it decides still has to pass the rules of merging, the survival budget and what a person decided before.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations

from muninn.domain.evolution import evolve
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
from muninn.dream.phases.across import likenesses, suggestion_id
from muninn.llm.prompts import Group, GroupKind
from muninn.llm.verdicts import (
    DistinctVerdict,
    MergeVerdict,
    StabilityVerdict,
    SuggestVerdict,
    SupersedeVerdict,
    Verdict,
)

NOTABLE = 8  # most used memories shown for the narrative
SPENT = "today's survival budget is spent"
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
    groups = [*sets, *likenesses(context), *_notable(context)]
    if not groups or not any(group.kind is not GroupKind.NOTABLE for group in groups):
        return
    answer = context.ask(groups, max(0.0, context.remaining() * SHARE), context.dream_id)
    figures = context.findings.figures
    figures.update(asked=answer.asked, model=answer.model, problems=list(answer.problems))
    figures.update(rejected=[f"{one.op}: {one.why}" for one in answer.verdicts.rejected])
    context.findings.narrative.extend((one.sentence, one.ids) for one in answer.verdicts.narrative)
    refused: list[str] = []
    reshaping = [one for one in answer.verdicts.accepted if isinstance(one, (MergeVerdict, SupersedeVerdict))]
    done: list[Operation] = []
    for verdict in reshaping:
        operation, why_not = _operation(context, verdict)
        if operation is not None:
            done.append(operation)
        elif why_not:
            refused.append(why_not)
    yield from done
    # what is said of the memories is said of them as these leave them: it would not hold otherwise
    after = replace(context, snapshot=evolve(context.snapshot, done, now=context.now))
    for rest in answer.verdicts.accepted:
        if rest not in reshaping:
            operation, _ = _operation(after, rest)
            if operation is not None:
                yield operation
    figures["refused"] = refused
    tomorrow = {
        _name(group) for group in sets for why in refused if SPENT in why and any(m.id in why for m in group.memories)
    }
    seen_now = {_name(group) for group in sets} - {_name(group) for group in answer.unasked} if answer.asked else set()
    names = (seen_now | known) & waiting.keys()
    tomorrow |= {name for name in names - seen_now if TOMORROW + name in context.mark.asked}
    asked = (TOMORROW + name if name in tomorrow else name for name in names)
    context.findings.move(asked=tuple(sorted(asked)))


def _asked(context: Context) -> set[str]:
    """Names of the sets not to ask about now; what only the budget refused is asked again when the budget is whole."""
    today = context.mark.spent(context.now) > 0
    return {name.removeprefix(TOMORROW) for name in context.mark.asked if today or not name.startswith(TOMORROW)}


def _name(group: Group) -> str:
    """A short name for a set as it is now."""
    told = "+".join(sorted(f"{memory.id}:{memory.fingerprint}" for memory in group.memories))
    return hashlib.blake2b(told.encode("utf-8", "surrogatepass"), digest_size=5).hexdigest()


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


def _operation(context: Context, verdict: Verdict) -> tuple[Operation | None, str | None]:
    """The operation a verdict comes to, or why it comes to nothing."""
    match verdict:
        case MergeVerdict():
            return _merge(context, verdict)
        case SupersedeVerdict():
            return _supersede(context, verdict)
        case DistinctVerdict():
            if not all(key in context.snapshot.memories for key in verdict.ids):
                return None, None
            ids = tuple(sorted(key for key in verdict.ids if context.snapshot.memories[key].active))
            if len(ids) < 2:
                return None, None
            why = "judged distinct by the model"
            return Distinct(vault=context.vault, ids=ids, why=why, seen=seen(context.snapshot, ids)), None
        case SuggestVerdict():
            return _suggest(context, verdict), None
        case StabilityVerdict():
            if not _mine(context, (verdict.id,)):
                return None, None
            marks = seen(context.snapshot, (verdict.id,))
            why = f"the model expects it to matter for {verdict.days:.0f} days"
            return Advise(vault=context.vault, ids=(verdict.id,), why=why, seen=marks, stability=verdict.days), None


def _mine(context: Context, ids: Sequence[str]) -> bool:
    memories = context.snapshot.memories
    return all(key in memories and memories[key].active for key in ids)


def _merge(context: Context, verdict: MergeVerdict) -> tuple[Merge | None, str | None]:
    ids = (verdict.into, *sorted(key for key in verdict.ids if key != verdict.into))
    if not _mine(context, ids):
        return None, f"merge of {' '.join(ids)}: not all active"
    members = [context.snapshot.memories[key] for key in ids]
    for one, other in combinations(members, 2):
        why_not = mergeable(one, other)
        if why_not is None and context.rulings.separate(one, other):
            why_not = "judged distinct before"
        if why_not is None and (differs := contradiction(_text(one), _text(other))) is not None:
            why_not = str(differs)
        if why_not is not None:
            return None, f"merge of {one.id} and {other.id}: {why_not}"
    for member in members:
        differs = contradiction(Text(None, member.content), Text(None, verdict.text))
        if differs is not None and differs.slot == "antonym":
            return None, f"merge of {' '.join(ids)}: the text says the opposite of {member.id}"
    if len(ids) - 1 > context.budget:
        return None, f"merge of {' '.join(ids)}: {SPENT}"
    context.spend(len(ids) - 1)
    operation = Merge(
        vault=context.vault,
        ids=ids,
        into=verdict.into,
        why="judged the same by the model",
        seen=seen(context.snapshot, ids),
    )
    if content_hash(verdict.text) == members[0].content_hash and verdict.title in {None, members[0].title}:
        return operation, None
    model, vector = _embedded(context, members[0], verdict) or (None, None)
    return replace(operation, content=verdict.text, title=verdict.title, model=model, vector=vector), None


def _text(memory: Memory) -> Text:
    return Text(None if memory.title_derived else memory.title, memory.content)


def _embedded(context: Context, survivor: Memory, verdict: MergeVerdict) -> tuple[str, bytes] | None:
    if context.embed is None:
        return None
    title = verdict.title or survivor.title
    derived = survivor.title_derived and verdict.title is None
    return context.embed(replace(survivor, content=verdict.text, title=title, title_derived=derived))


def _supersede(context: Context, verdict: SupersedeVerdict) -> tuple[Supersede | None, str | None]:
    ids = (verdict.old, verdict.new)
    if not _mine(context, ids):
        return None, f"{verdict.new} for {verdict.old}: not all active"
    old, new = (context.snapshot.memories[key] for key in ids)
    if old.pinned:
        return None, f"{verdict.new} for {verdict.old}: the older one is pinned"
    if (why_not := replaceable(old, new)) is not None:
        return None, f"{verdict.new} for {verdict.old}: {why_not}"
    if new.learned_at < old.learned_at:
        return None, f"{verdict.new} for {verdict.old}: the successor was asserted earlier"
    if context.rulings.declined("supersede", ids, context.snapshot.memories) or context.rulings.separate(old, new):
        return None, None
    if context.budget < 1:
        return None, f"{verdict.new} for {verdict.old}: {SPENT}"
    context.spend(1)
    why = "judged a newer version of the same fact by the model"
    until = new.valid_from or new.learned_at
    return Supersede(vault=context.vault, ids=ids, why=why, seen=seen(context.snapshot, ids), until=until), None


def _suggest(context: Context, verdict: SuggestVerdict) -> Suggest | None:
    source, target = context.read.get(verdict.a), context.read.get(verdict.b)
    if source is None or target is None or source.vault == target.vault:
        return None
    if source.vault != context.vault:
        source, target = target, source
    name = suggestion_id(source.id, target.id)
    if name in context.suggested:
        return None
    return Suggest(
        vault=context.vault,
        ids=(source.id, target.id),
        why=verdict.reason,
        seen={source.id: source.fingerprint, target.id: target.fingerprint},
        suggestion=name,
        other_vault=target.vault,
        relation=verdict.relation,
    )
