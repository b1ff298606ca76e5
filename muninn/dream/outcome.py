"""How a dream went, as the commands and the API show it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from muninn.domain.gates import Verdict
from muninn.domain.records import OperationRecord
from muninn.dream.pipeline import PhaseReport
from muninn.dream.plan_file import plan_to_json
from muninn.dream.planning import Plan

_WORST_LAST = ("skipped", "done", "stopped", "failed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """``status``: completed, aborted (the time was over, the rest follows) or rolled_back."""

    plan: Plan
    dry_run: bool
    status: str
    records: tuple[OperationRecord, ...]
    journal: str
    report: Mapping[str, Any] = field(default_factory=dict)

    @property
    def dream_id(self) -> str:
        return self.plan.dream_id

    @property
    def verdict(self) -> Verdict:
        return self.plan.verdict

    def document(self) -> dict[str, object]:
        """The document of ``muninn dream --json``; a dry run carries its plan, to be carried out later."""
        document: dict[str, object] = {
            "dream_id": self.dream_id,
            "kind": self.plan.kind,
            "dry_run": self.dry_run,
            "verdict": {"run": self.verdict.run, "why": self.verdict.why},
            "status": self.status,
            "vaults": list(self.report.get("vaults", ())),
            "phases": list(self.report.get("phases", ())),
            "operations": [shown(one) for one in self.records],
            "probe": self.report.get("probe"),
            "egress": self.report.get("egress"),
            "seconds": self.report.get("seconds"),
            "unfinished": self.plan.unfinished,
            "journal": self.journal,
        }
        if self.dry_run:
            document["plan"] = plan_to_json(self.plan)
        return document


def shown(record: OperationRecord) -> dict[str, object]:
    """An operation as ``dream --json`` shows it."""
    told = {key: value for key, value in record.operation.items() if key not in {"seen", "vector", "at"}}
    return {**told, "applied": record.applied, "skipped_because": record.skipped_because}


def phase_totals(reports: Sequence[PhaseReport]) -> list[dict[str, Any]]:
    """Seconds and operations by phase over all vaults, in the order of the table, with each vault's report."""
    totals: dict[str, dict[str, Any]] = {}
    for report in reports:
        blank = {
            "no": report.no,
            "name": report.name,
            "seconds": 0.0,
            "operations": 0,
            "status": "skipped",
            "vaults": [],
        }
        row = totals.setdefault(report.name, blank)
        row["seconds"] = round(row["seconds"] + report.seconds, 4)
        row["operations"] += report.operations
        row["status"] = max(row["status"], report.status, key=_WORST_LAST.index)
        row["vaults"].append(report.to_json())
    return list(totals.values())
