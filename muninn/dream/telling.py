"""How a dream is told: an entry for a person, made from the record of what happened. Pure; two languages.

A sentence names the memories it is about; a model's sentence that names none, or one nobody showed it, was dropped before.
What was refused to a model is told by kind and reason, and never in its own words.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from muninn.domain.operations import (
    Connect,
    Distinct,
    Merge,
    NearDuplicates,
    Operation,
    Promote,
    Reinforce,
    Stabilise,
    Suggest,
    Supersede,
    from_json,
)
from muninn.domain.records import DreamRecord, OperationRecord
from muninn.dream.phrases import difference_in, reason_in, refusal_in, unfinished_in
from muninn.dream.teller import LISTED, Teller, Texts, Titles, quoted, stamp

ARROWS = 2  # links named in one sentence
MERGES = 8  # merges told one by one
PROBLEM = 400  # characters of why no model judged, which may be one reason for each provider
REASONS = 6  # reasons told one by one why a model's proposals were refused
EXAMPLES = 2  # memories named with each of them
DIFFERENCE = 160  # characters of what differs within a set


def entry(
    record: DreamRecord,
    records: Sequence[OperationRecord],
    *,
    titles: Titles,
    language: str,
    texts: Texts = lambda _: None,
    dry_run: bool = False,
) -> str:
    """The journal entry of one dream, ending in a newline. ``texts`` tells memories of one title apart."""
    teller = Teller(language, titles, texts)
    report: Mapping[str, Any] = record.report
    told = [from_json(one.operation) for one in records if one.applied]
    lines = ["---", f"## {stamp(record.started_at)} -- Dream {record.id}"]
    if dry_run:
        lines.insert(1, "[DRY RUN]")
    sections = (
        ("connections", [*_narrative(report), *_connections(teller, told)]),
        ("strengthened", _strengthened(teller, told)),
        ("faded", _faded(teller, told)),
        ("cleaned", _cleaned(teller, told)),
        ("review", _review(teller, told, report)),
        ("rules", [quoted(str(rule), 300) for rule in report.get("rules", ())]),
        ("back", _taken_back(teller, report)),
        ("trouble", _trouble(teller, records, report)),
        ("skipped", _skipped(teller, report)),
    )
    for name, sentences in sections:
        if sentences:
            lines.append(f"**{teller.say(name)}:**")
            lines.extend(f"- {sentence}" for sentence in sentences)
    if not any(sentences for name, sentences in sections if name not in ("skipped", "rules")):
        lines.insert(3 if dry_run else 2, teller.say("nothing"))
    lines.append(_closing(teller, record, told=bool(told), dry_run=dry_run))
    return "\n".join(lines) + "\n"


def consolidation_line(record: DreamRecord, records: Sequence[OperationRecord], *, language: str) -> str:
    """One line for what was done by day."""
    teller = Teller(language, lambda _: None)
    applied = [one for one in records if one.applied]
    ids = list(dict.fromkeys(key for one in applied for key in from_json(one.operation).ids))
    shown = " ".join(ids[:LISTED]) + (f" {teller.say('more', n=len(ids) - LISTED)}" if len(ids) > LISTED else "")
    text = teller.plural("day", len(applied), ids=shown)
    return f"\n*{stamp(record.started_at)} -- {text} · {teller.say('undo', dream=record.id)}*\n"


def undo_line(
    dream_id: str, restored: int, left_alone: Iterable[tuple[str, str]], *, at: datetime, language: str
) -> str:
    """One line for a dream that was taken back."""
    teller = Teller(language, lambda _: None)
    parts = [f"Dream {dream_id} {teller.say('undone')}", teller.plural("undone_rows", restored)]
    if left := [key for key, _ in left_alone]:
        parts.append(teller.say("left_alone", ids=teller.names(left)))
    return f"\n*{stamp(at)} -- {'; '.join(parts)}*\n"


def _narrative(report: Mapping[str, Any]) -> list[str]:
    return [f"{quoted(sentence, 400)} ({' '.join(ids)})" for sentence, ids in report.get("narrative", ()) if ids]


def _connections(teller: Teller, told: Sequence[Operation]) -> list[str]:
    lines = [_suggestion(teller, one) for one in told if isinstance(one, Suggest)]
    made = [one for one in told if isinstance(one, Connect) and one.after is not None]
    gone = [one for one in told if isinstance(one, Connect) and one.after is None]
    for key, links in (("infer", made), ("fall", gone)):
        if links:
            lines.append(teller.plural(key, len(links), links=_arrows(teller, [one.ids for one in links])))
    bonds = [(one.ids[0], bond.partner) for one in told if isinstance(one, Reinforce) for bond in one.bonds]
    if bonds:
        lines.append(teller.plural("bound", len(bonds), links=_arrows(teller, bonds, " + ")))
    return lines


def _suggestion(teller: Teller, one: Suggest) -> str:
    source, target = one.ids
    return teller.say(
        "suggest", a=teller.name(source), b=teller.name(target), why=quoted(one.why, 200).rstrip(" ."), suggestion=one.suggestion,
        vault=one.vault, source=source, other=one.other_vault, target=target,
    )  # fmt: skip


def _arrows(teller: Teller, pairs: Sequence[Sequence[str]], sign: str = " → ") -> str:
    listed = "; ".join(f"{teller.name(pair[0])}{sign}{teller.name(pair[1])}" for pair in pairs[:ARROWS])
    rest = len(pairs) - ARROWS
    return f"{listed} {teller.say('more', n=rest)}" if rest > 0 else listed


def _strengthened(teller: Teller, told: Sequence[Operation]) -> list[str]:
    lines = []
    used = sorted(
        (one for one in told if isinstance(one, Reinforce)), key=lambda one: (one.before - one.after, one.ids[0])
    )
    if len(used) == 1:
        lines.append(teller.say("used_one", a=teller.name(used[0].ids[0]), times=used[0].after - used[0].before))
    elif used:
        times = sum(one.after - one.before for one in used)
        lines.append(teller.say("used_many", n=len(used), times=times, titles=teller.names([o.ids[0] for o in used])))
    lines.extend(
        teller.say("schema", a=teller.name(one.ids[0]), degree=reason_in(teller.language, one.why))
        for one in told
        if isinstance(one, Promote)
    )
    return [*lines, *_lasting(teller, "lasting", [o for o in told if isinstance(o, Stabilise) and o.after > o.before])]


def _faded(teller: Teller, told: Sequence[Operation]) -> list[str]:
    return _lasting(teller, "fading", [one for one in told if isinstance(one, Stabilise) and one.after < one.before])


def _lasting(teller: Teller, key: str, changed: Sequence[Stabilise]) -> list[str]:
    if not changed:
        return []
    if len(changed) == 1:
        one = changed[0]
        return [
            teller.say(f"{key}_one", a=teller.name(one.ids[0]), before=f"{one.before:.0f}", after=f"{one.after:.0f}")
        ]
    return [teller.say(f"{key}_many", n=len(changed), titles=teller.names([one.ids[0] for one in changed]))]


def _cleaned(teller: Teller, told: Sequence[Operation]) -> list[str]:
    lines: list[str] = []
    merges = [one for one in told if isinstance(one, Merge)]
    lines.extend(_merge(teller, one) for one in merges[:MERGES])
    more = [loser for one in merges[MERGES:] for loser in one.losers]
    if more:
        lines.append(teller.plural("merge_more", len(more), titles=teller.names(more)))
    lines.extend(
        teller.say("supersede", old=teller.name(one.old), new=teller.name(one.new))
        for one in told
        if isinstance(one, Supersede)
    )
    kept = [one for one in told if isinstance(one, Distinct)]
    if kept:
        lines.append(
            teller.plural("distinct", len(kept), titles=teller.names([key for one in kept for key in one.ids]))
        )
    return lines


def _merge(teller: Teller, one: Merge) -> str:
    title = teller.titles(one.into) or one.into
    why = reason_in(teller.language, one.why)
    return teller.plural(
        "merge", len(one.losers), title=f"“{quoted(title)}”", into=one.into, losers=" ".join(one.losers), why=why
    )


def _review(teller: Teller, told: Sequence[Operation], report: Mapping[str, Any]) -> list[str]:
    queued = _unsettled(told)
    conflicts = [one for one in queued if one.verdict == "conflict"]
    lines = [_conflict(teller, one) for one in conflicts[:LISTED]]
    lines += _more(teller, "conflict_more", conflicts[LISTED:])
    pending = [one for one in queued if one.verdict != "conflict"]
    lines += [teller.say("pending", titles=teller.names(one.ids)) for one in pending[:LISTED]]
    lines += _more(teller, "pending_more", pending[LISTED:])
    if queued:
        lines.append(teller.say("settle"))
    left_out = sum(int(one.get("figures", {}).get("left_out", 0)) for one in _phases(report))
    if left_out:
        lines.append(teller.plural("left_out", left_out))
    return lines


def _more(teller: Teller, key: str, sets: Sequence[NearDuplicates]) -> list[str]:
    return (
        [teller.plural(key, len(sets), titles=teller.names([one for each in sets for one in each.ids]))] if sets else []
    )


def _unsettled(told: Sequence[Operation]) -> list[NearDuplicates]:
    """The sets that were queued and that the same dream did not go on to decide."""
    gone = {key for one in told if isinstance(one, Merge) for key in one.losers}
    gone |= {one.old for one in told if isinstance(one, Supersede)}
    apart = [set(one.ids) for one in told if isinstance(one, Distinct)]
    queued = [(one, set(one.ids) - gone) for one in told if isinstance(one, NearDuplicates)]
    return [one for one, left in queued if len(left) > 1 and not any(left <= ids for ids in apart)]


def _conflict(teller: Teller, one: NearDuplicates) -> str:
    """A set that disagrees and what it differs in. A line quotes only memories it names: by those it is erased."""
    if len(one.ids) > LISTED:
        return teller.say("conflict_among", titles=teller.names(one.ids))
    differs = quoted(difference_in(teller.language, one.why), DIFFERENCE)
    return teller.say("conflict", differs=differs, titles=teller.names(one.ids))


def _taken_back(teller: Teller, report: Mapping[str, Any]) -> list[str]:
    probe: Mapping[str, Any] = report.get("probe") or {}
    lines = []
    if probe.get("taken_back"):
        ids = list(probe.get("taken_back_ids", ()))
        lost = list(probe.get("lost", ()))
        cost = teller.plural("lost", len(lost), lost=teller.names(lost))
        lines.append(f"{cost}; {teller.plural('returned', len(probe['taken_back']), ids=teller.names(ids))}")
    return lines


def _trouble(teller: Teller, records: Sequence[OperationRecord], report: Mapping[str, Any]) -> list[str]:
    lines = []
    skipped = [one for one in records if not one.applied and one.skipped_because != "taken back"]
    if skipped:
        ids = list(dict.fromkeys(key for one in skipped for key in from_json(one.operation).ids))
        lines.append(teller.plural("not_applied", len(skipped), ids=teller.names(ids)))
    if unreadable := int(report.get("unreadable", 0)):
        lines.append(teller.plural("unreadable", unreadable))
    lines.extend(_refused(teller, report))
    for phase in _phases(report):
        if phase.get("status") == "failed":
            why = quoted(str(phase.get("why")), 160)
            lines.append(teller.say("phase_failed", phase=phase["name"], vault=phase["vault"], why=why))
    if report.get("unfinished"):
        lines.append(teller.say("aborted", why=quoted(unfinished_in(teller.language, str(report["unfinished"])), 200)))
    return lines


def _refused(teller: Teller, report: Mapping[str, Any]) -> list[str]:
    """What a model proposed in vain: how much, of what kind and why, in all vaults together."""
    figures = [found for one in _phases(report) if "proposed" in (found := one.get("figures", {}))]
    kinds: dict[tuple[str, str], tuple[int, list[str]]] = {}
    for one in (one for found in figures for one in found.get("refused", ())):
        count, ids = kinds.get((one["op"], one["why"]), (0, []))
        kinds[one["op"], one["why"]] = count + one["count"], [*ids, *one["ids"]]
    if not kinds:
        return []
    proposed = sum(int(found.get("proposed", 0)) for found in figures)
    lines = [teller.say("refused", n=sum(count for count, _ in kinds.values()), proposed=proposed)]
    ranked = sorted(kinds.items(), key=lambda item: (-item[1][0], item[0]))
    for (op, why), (count, ids) in ranked[:REASONS]:
        of = f": {teller.names(list(dict.fromkeys(ids)), EXAMPLES)}" if ids else ""
        kind = teller.say(f"proposal_{op}")
        lines.append(teller.say("refused_kind", n=count, kind=kind, why=refusal_in(teller.language, why)) + of)
    if rest := sum(count for _, (count, _) in ranked[REASONS:]):
        lines.append(teller.say("refused_more", n=rest))
    return lines


def _phases(report: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The reports of every phase of every vault."""
    return [one for phase in report.get("phases", ()) for one in phase.get("vaults", ())]


def _skipped(teller: Teller, report: Mapping[str, Any]) -> list[str]:
    problems = {str(one) for phase in _phases(report) for one in phase.get("figures", {}).get("problems", ())}
    models = [teller.say("no_model", why=quoted(problem, PROBLEM)) for problem in sorted(problems)]
    return models + [
        teller.plural("vault", int(one["memories"]), vault=one["vault"], why=teller.say("tier", tier=one["tier"]))
        for one in report.get("vaults", ())
        if one.get("skipped")
    ]


def _closing(teller: Teller, record: DreamRecord, *, told: bool, dry_run: bool) -> str:
    vaults: Sequence[Mapping[str, Any]] = record.report.get("vaults", ())  # type: ignore[assignment]
    scanned = [one for one in vaults if not one.get("skipped")]
    left = [teller.plural("skipped", int(one["memories"]), vault=one["vault"]) for one in vaults if one.get("skipped")]
    parts = [
        teller.say(
            "closing",
            scanned=teller.plural("scanned", sum(int(one["active"]) for one in scanned)),
            vaults=teller.plural("vaults", len(scanned)),
            skipped="".join(left),
            seconds=f"{float(str(record.report.get('seconds', 0.0))):.1f}",
        )
    ]
    probe: Any = record.report.get("probe")
    if probe and probe.get("asked"):
        after = probe.get("right_after_taking_back", probe["right_after"])
        parts.append(teller.say("probe", before=probe["right_before"], asked=probe["asked"], after=after).rstrip("."))
    if egress := record.report.get("egress"):
        parts.append(_egress(teller, egress))
    if dry_run:
        parts.append(teller.say("dry").rstrip("."))
    elif told and not record.damaged and not record.report.get("unreadable"):
        parts.append(teller.say("undo", dream=record.id))
    return f"*{' · '.join(parts)}*"


def _egress(teller: Teller, totals: Any) -> str:
    """What the dream asked of models, as the ledger has it: tried in vain counts too."""
    refused = int(totals["refused"])
    told = teller.plural(
        "egress", int(totals["allowed"]) + refused, providers=", ".join(totals["bytes_out_by_provider"]),
        sent=totals["bytes_out"], received=totals["bytes_in"],
    )  # fmt: skip
    return told + teller.say("egress_refused", n=refused) if refused else told


def tier_line(vault: str, before: str, after: str, *, at: datetime, language: str) -> str:
    """One line for a vault whose tier a person changed."""
    teller = Teller(language, lambda _: None)
    return f"\n*{stamp(at)} -- {teller.say('tier_changed', vault=vault, before=before, after=after)}*\n"
