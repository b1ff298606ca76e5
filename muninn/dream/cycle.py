"""One dream from plan to journal: ask, apply, ask again, take back what hurt, tell.

Planning writes nothing. Applying is one transaction, the commit point. What follows it (probe, journal, sidecars) can be
interrupted anywhere: ``recover`` finishes the telling at the next start.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from muninn import logs
from muninn.domain.gates import Verdict
from muninn.domain.marks import scan_key, scanned_entry, scanned_of
from muninn.domain.memory import Memory, Provenance, Vault
from muninn.domain.operations import Merge, Operation, Supersede, from_json, name_of, to_json
from muninn.domain.records import (
    CONSOLIDATION,
    DREAM,
    Decision,
    DreamRecord,
    Egress,
    OperationRecord,
    Suggestion,
    Usage,
    egress_totals,
)
from muninn.domain.trust import Tier
from muninn.dream.context import Ask, DreamLimits, Embed
from muninn.dream.journal import Journal
from muninn.dream.outcome import Outcome, phase_totals, shown
from muninn.dream.patience import Patience
from muninn.dream.planning import Materials, Plan, gate_entries, plan_vaults
from muninn.dream.probe import Probe, ask_before, culprits, ids_of, lost, questions
from muninn.dream.telling import consolidation_line, entry
from muninn.errors import MuninnError
from muninn.failpoints import failpoint
from muninn.ports import Calibration, Clock, Damaged, Ids, ReadModel

TAKEN_BACK = "taken back"  # why an operation was not kept that cost an answer
RECENT = 500  # recalls among which the probe looks for real questions


class Undone(Protocol):
    @property
    def restored(self) -> tuple[str, ...]: ...
    @property
    def left_alone(self) -> tuple[tuple[str, str], ...]: ...


class Records(Protocol):
    """The store, as far as a dream reads what earlier ones did."""

    def operations(self, dream_id: str, damaged: Damaged | None = None) -> Iterator[OperationRecord]: ...
    def egress(self, since: str = "") -> Iterator[Egress]: ...


class DreamService(Protocol):
    """What a dream asks of the one writer."""

    @property
    def read(self) -> ReadModel: ...
    @property
    def store(self) -> Records: ...
    def apply_dream(
        self, record: DreamRecord, operations: Sequence[Operation], meta: Mapping[str, str]
    ) -> tuple[OperationRecord, ...]: ...
    def record_dream(self, record: DreamRecord, meta: Mapping[str, str] | None = None) -> None: ...
    def keep_marks(self, meta: Mapping[str, str]) -> None: ...
    def undo_dream(
        self, dream_id: str, only: Collection[int] | None = None, *, meta: Mapping[str, str] | None = None
    ) -> Undone: ...
    def dream(self, dream_id: str) -> DreamRecord: ...
    def dreams(self) -> Sequence[DreamRecord]:
        """Every dream, newest first."""
        ...

    def close_undo(
        self,
        last: str,
        told: Callable[[Collection[str]], Collection[str]] = ...,
        *,
        interrupted: Callable[[], bool] = ...,
    ) -> int: ...
    def thin_usage(self, *, questions: int, interrupted: Callable[[], bool] = ...) -> int: ...
    def usage_since(self, event_id: str) -> Iterator[Usage]: ...
    def decisions(self) -> Mapping[str, Decision]: ...
    def suggestions(self) -> Sequence[Suggestion]: ...
    def meta(self) -> Mapping[str, str]: ...
    def purge(self, memory_id: str, *, by: Provenance) -> Memory: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Cycle:
    """Everything a dream needs, injected. ``ask`` gives the models a tier may use, if any, ``rules`` the learned
    rules that keep failures away, in words."""

    service: DreamService
    journal: Journal
    clock: Clock
    ids: Ids
    limits: DreamLimits
    calibration: Callable[[str], Calibration]
    language: str = "en"
    probe_queries: int = 20
    ask: Callable[[Tier], Ask | None] = lambda _: None
    embed: Embed | None = None
    interrupted: Callable[[], bool] = lambda: False
    rules: Callable[[], Sequence[str]] = tuple

    def plan(
        self,
        vaults: Sequence[Vault],
        *,
        kind: str,
        verdict: Verdict,
        seconds: float,
        llm: bool = True,
        whole: bool = True,
        keep: bool = False,
        progress: Callable[[Mapping[str, object]], None] | None = None,
    ) -> Plan:
        """What a dream of ``vaults`` would do now; writes nothing.

        ``whole``: all vaults, so the gates close behind it. ``keep``: it may be carried out later (``planning.require_unmoved``).
        """
        service, now, dream_id = self.service, self.clock.now(), self.ids.new()
        until = self.clock.monotonic() + seconds
        meta = service.meta()
        materials = Materials(
            read=service.read,
            meta=meta,
            decisions=tuple(service.decisions().values()),
            suggestions=service.suggestions(),
            usage=service.usage_since,
            calibration=self.calibration,
            limits=self.limits,
            clock=self.clock,
            remaining=lambda: 0.0 if self.interrupted() else until - self.clock.monotonic(),
            embed=self.embed,
            ask=Patience(self.ask, self.clock.monotonic).ask if llm and kind == DREAM else lambda _: None,
            progress=progress,
            keep=keep,
        )
        plans = plan_vaults(materials, kind=kind, dream_id=dream_id, vaults=vaults)
        entries = {key: value for one in plans for key, value in one.meta.items()}
        if kind == DREAM and whole:
            unfinished = any(one.unfinished for one in plans)
            entries.update(gate_entries(meta, dream_id=dream_id, now=now, unfinished=unfinished))
        return Plan(dream_id=dream_id, kind=kind, made_at=now, verdict=verdict, vaults=plans, meta=entries)

    def imagine(self, plan: Plan, seconds: float) -> Outcome:
        """The outcome the plan would have; writes nothing."""
        records = tuple(
            OperationRecord(
                dream_id=plan.dream_id, seq=seq, vault=one.vault, op=name_of(one), operation=to_json(one), applied=True
            )
            for seq, one in enumerate(plan.operations)
        )
        record = self._record(plan, seconds)
        text, report = self._entry(record, records, dry_run=True)
        return Outcome(
            plan=plan,
            dry_run=True,
            status=_status(plan, {}),
            records=tuple(replace(one, applied=False, skipped_because="dry run") for one in records),
            journal=text,
            report=report,
        )

    def carry_out(self, plan: Plan, *, started: float, until: float) -> Outcome:
        """Apply the plan, prove that recall still answers, tell. ``started`` and ``until`` are on the monotonic clock."""
        service, clock = self.service, self.clock
        if plan.kind == CONSOLIDATION and not plan.operations:  # nothing happened, so no dream is recorded
            if plan.meta:
                service.keep_marks(plan.meta)  # what was compared is not compared again in six hours
            report = self._record(plan, clock.monotonic() - started).report
            return Outcome(plan=plan, dry_run=False, status="completed", records=(), journal="", report=report)
        recent = deque((one for one in service.usage_since("") if one.query), maxlen=RECENT)
        asked = questions(service.read, recent, plan.operations, limit=self.probe_queries)
        probe = ask_before(service.read, asked, now=clock.now(), remaining=lambda: until - clock.monotonic())
        failpoint("dream.planned")
        record = self._record(plan, clock.monotonic() - started)
        records = service.apply_dream(record, plan.operations, plan.meta)
        failpoint("dream.applied")
        records, probed = self._probed(plan.dream_id, records, probe)
        report = {**record.report, "probe": probed, "operations": sum(one.applied for one in records)}
        report["seconds"] = round(clock.monotonic() - started, 3)
        record = replace(record, finished_at=clock.now(), status=_status(plan, probed), report=report)
        text, report = self._entry(record, records)
        record = replace(record, report=report)
        service.record_dream(record, self._compared(plan, records))
        failpoint("dream.recorded")
        self._append(record, records, text)
        return Outcome(plan=plan, dry_run=False, status=record.status, records=records, journal=text, report=report)

    def tell(self, record: DreamRecord) -> DreamRecord:
        """Append what the journal lacks of a dream: its entry, and every operation in the twin; returns what is on record.

        What cannot be read of it is counted, not told: it must not keep other dreams from happening.
        """
        damaged: list[str] = []
        records = [one for one in self.service.store.operations(record.id, damaged.append) if _tellable(one, damaged)]
        if damaged:
            logs.logger("muninn.dream").error("operations_unreadable", dream=record.id, operations=len(damaged))
            record = replace(record, report={**record.report, "unreadable": len(damaged)})
        text, _ = self._entry(record, records)
        self._append(record, records, "" if self.journal.has_entry(record.id) else text)
        return record

    def _entry(
        self, record: DreamRecord, records: Sequence[OperationRecord], *, dry_run: bool = False
    ) -> tuple[str, dict[str, Any]]:
        """The entry, and the report with the journal (phase 6) among its phases."""
        started = self.clock.monotonic()
        if record.kind == CONSOLIDATION:
            text = consolidation_line(record, records, language=self.language)
        else:
            text = entry(record, records, titles=self._title, texts=self._text, language=self.language, dry_run=dry_run)
        seconds = round(self.clock.monotonic() - started, 4)
        row = {"no": "6", "name": "journal", "seconds": seconds, "operations": 0, "status": "done", "vaults": []}
        phases: Any = record.report.get("phases", ())
        return text, {**record.report, "phases": [*(one for one in phases if one["no"] != "6"), row]}

    def _append(self, record: DreamRecord, records: Sequence[OperationRecord], text: str) -> None:
        twin = {
            "dream_id": record.id,
            "kind": record.kind,
            "started_at": record.started_at.isoformat(),
            "finished_at": record.finished_at.isoformat() if record.finished_at else None,
            "status": record.status,
            "report": dict(record.report),
            "operations": [shown(one) for one in records],
        }
        self.journal.append(text, twin, now=record.started_at)

    def _probed(
        self, dream_id: str, records: tuple[OperationRecord, ...], probe: Probe
    ) -> tuple[tuple[OperationRecord, ...], dict[str, Any]]:
        """The records after taking back what cost an answer, and the figures: first the suspects, then all that is left."""
        read, now = self.service.read, self.clock.now()
        right = len(probe.right)
        figures: dict[str, Any] = {"asked": probe.asked, "right_before": right, "right_after": right}
        if not right:
            return records, figures
        missing = lost(read, probe, now=now)
        figures["right_after"] = right - len(missing)
        figures["lost"] = [question.answer for question in missing]
        taken: set[int] = set()
        for widely in (False, True):
            if not missing:
                break
            back = culprits(read, missing, records, now=now, widely=widely) - taken
            if not back:
                continue
            self.service.undo_dream(dream_id, only=back)
            taken |= back
            records = tuple(
                replace(one, applied=False, skipped_because=TAKEN_BACK) if one.seq in back and one.applied else one
                for one in records
            )
            missing = lost(read, probe, now=now)
        if taken:
            gone = [one for one in records if one.seq in taken]
            figures.update(taken_back=sorted(taken), taken_back_ids=_ids(gone))
            figures["right_after_taking_back"] = right - len(missing)
            figures["all_taken_back"] = not any(one.applied for one in records)
        return records, figures

    def _compared(self, plan: Plan, records: Sequence[OperationRecord]) -> dict[str, str]:
        """Meta entries by which memories that a take-back restored count as compared: this dream compared them."""
        taken = [from_json(one.operation) for one in records if one.skipped_because == TAKEN_BACK]
        meta, entries = self.service.meta() if taken else {}, {}
        for vault in plan.vaults:
            ids = {
                key
                for one in taken
                if isinstance(one, Merge | Supersede) and one.vault == vault.vault
                for key in one.ids
            }
            restored = [
                scan_key(one) for one in map(self.service.read.get, sorted(ids)) if one is not None and one.active
            ]
            if restored:
                entries.update(scanned_entry(vault.key, [*scanned_of(meta, vault.key).tolist(), *restored]))
        return entries

    def _record(self, plan: Plan, seconds: float) -> DreamRecord:
        report: dict[str, object] = {
            "vaults": [
                {
                    "vault": one.vault,
                    "tier": one.tier.value,
                    "memories": one.active,
                    "active": one.active,
                    "skipped": "tier legal" if one.tier is Tier.LEGAL else None,
                    "operations": len(one.operations),
                }
                for one in plan.vaults
            ],
            "phases": phase_totals(plan.reports),
            "operations": len(plan.operations),
            "seconds": round(seconds, 3),
            "moved": {one.key: one.moved for one in plan.vaults if one.moved},
            "narrative": [[sentence, list(ids)] for one in plan.vaults for sentence, ids in one.narrative],
            "verdict": {"run": plan.verdict.run, "why": plan.verdict.why},
            "unfinished": plan.unfinished,
            "egress": self._egress(plan.dream_id),
        }
        if plan.kind == DREAM:
            report["rules"] = list(self.rules())
        return DreamRecord(
            id=plan.dream_id, kind=plan.kind, started_at=plan.made_at, finished_at=None,
            status=_status(plan, {}), report=report,
        )  # fmt: skip

    def _egress(self, dream_id: str) -> dict[str, object] | None:
        """What the ledger has of this dream's questions to models; None when none was tried."""
        entries = [entry for entry in self.service.store.egress(dream_id) if entry.dream_id == dream_id]
        return egress_totals(entries) if entries else None

    def _title(self, memory_id: str) -> str | None:
        memory = self.service.read.get(memory_id)
        return None if memory is None or memory.tier is Tier.LEGAL else memory.title

    def _text(self, memory_id: str) -> str | None:
        memory = self.service.read.get(memory_id)
        return None if memory is None or memory.tier is Tier.LEGAL else memory.content


def _tellable(record: OperationRecord, damaged: list[str]) -> bool:
    try:
        from_json(record.operation)
    except MuninnError:
        damaged.append(record.key)
        return False
    return True


def _ids(records: Sequence[OperationRecord]) -> list[str]:
    return list(dict.fromkeys(key for record in records for key in ids_of(record)))


def _status(plan: Plan, probed: Mapping[str, Any]) -> str:
    if probed.get("all_taken_back"):
        return "rolled_back"
    return "aborted" if plan.unfinished else "completed"
