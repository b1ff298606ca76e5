"""The dream as a table: which phases there are, what each may emit, for which tiers, and whether they run by day.

The runner times and counts, catches a phase that fails, and stops at the deadline; what came before is kept whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from muninn import logs
from muninn.domain.evolution import evolve
from muninn.domain.operations import (
    Advise,
    Connect,
    Distinct,
    Merge,
    NearDuplicates,
    Operation,
    Oriented,
    Promote,
    Reinforce,
    Stabilise,
    Suggest,
    Supersede,
    name_of,
)
from muninn.domain.records import CONSOLIDATION
from muninn.domain.trust import Tier
from muninn.dream.context import Context
from muninn.dream.phases.consolidate import consolidate
from muninn.dream.phases.dedup import dedup
from muninn.dream.phases.orient import orient
from muninn.dream.phases.replay import replay
from muninn.dream.phases.schema import schema
from muninn.dream.phases.stability import stability
from muninn.dream.phases.transitive import transitive

EVERY = frozenset(Tier)
NOT_LEGAL = EVERY - {Tier.LEGAL}


@dataclass(frozen=True, slots=True)
class Phase:
    """One row of the table."""

    no: str
    name: str
    function: Callable[[Context], Iterator[Operation]]
    may_emit: tuple[type[Operation], ...]
    tiers: frozenset[Tier]
    by_day: bool  # part of the consolidation that runs while awake


PIPELINE: tuple[Phase, ...] = (
    Phase("0", "orient", orient, (Oriented,), EVERY, True),
    Phase("1", "replay", replay, (Reinforce,), NOT_LEGAL, True),
    Phase("2", "dedup", dedup, (Merge, NearDuplicates), NOT_LEGAL, True),
    Phase("2b", "consolidate", consolidate, (Merge, Supersede, Distinct, Suggest, Advise), NOT_LEGAL, False),
    Phase("3", "schema", schema, (Promote,), NOT_LEGAL, True),
    Phase("4", "stability", stability, (Stabilise,), NOT_LEGAL, False),
    Phase("5", "transitive", transitive, (Connect,), NOT_LEGAL, True),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseReport:
    """How one phase of one vault went. ``status``: done, skipped, failed or stopped; ``why`` says why not done."""

    no: str
    name: str
    vault: str
    seconds: float
    operations: int
    status: str = "done"
    why: str | None = None
    figures: Mapping[str, object] = field(default_factory=dict)

    def to_json(self) -> dict[str, object]:
        return {
            "no": self.no,
            "name": self.name,
            "vault": self.vault,
            "seconds": round(self.seconds, 4),
            "operations": self.operations,
            "status": self.status,
            "why": self.why,
            "figures": dict(self.figures),
        }


def run(
    context: Context,
    *,
    monotonic: Callable[[], float],
    phases: Sequence[Phase] = PIPELINE,
    progress: Callable[[Mapping[str, object]], None] | None = None,
) -> tuple[Context, list[PhaseReport]]:
    """The context after the last phase (its snapshot as the operations would leave it), and a report for each phase."""
    reports: list[PhaseReport] = []
    for phase in phases:
        reason = _left_out(phase, context)
        if reason is not None:
            reports.append(_skipped(phase, context, *reason))
            continue
        if progress is not None:
            progress({"vault": context.vault, "phase": phase.name, "operations": len(context.so_far)})
        started = monotonic()
        operations, failure = _collected(phase, context)
        seconds = monotonic() - started
        context = replace(
            context,
            snapshot=evolve(context.snapshot, operations, now=context.now),
            so_far=(*context.so_far, *operations),
        )
        reports.append(
            PhaseReport(
                no=phase.no,
                name=phase.name,
                vault=context.vault,
                seconds=seconds,
                operations=sum(not isinstance(one, Oriented) for one in operations),
                status="failed" if failure else "done",
                why=failure,
                figures=_figures(context, operations),
            )
        )
    return context, reports


def _left_out(phase: Phase, context: Context) -> tuple[str, str] | None:
    if context.tier not in phase.tiers:
        return "skipped", f"tier {context.tier}"
    if context.kind == CONSOLIDATION and not phase.by_day:
        return "skipped", "only in a full dream"
    if phase.no != "0" and context.out_of_time:
        context.findings.unfinished = context.findings.unfinished or f"no time left for {phase.name}"
        return "stopped", "no time left"
    return None


def _skipped(phase: Phase, context: Context, status: str, why: str) -> PhaseReport:
    return PhaseReport(
        no=phase.no, name=phase.name, vault=context.vault, seconds=0.0, operations=0, status=status, why=why
    )


def _collected(phase: Phase, context: Context) -> tuple[list[Operation], str | None]:
    """The operations of one phase; none when it failed, so that half a phase is never applied."""
    context.findings.figures.clear()
    before = context.findings.mark
    try:
        operations = [_permitted(phase, operation) for operation in phase.function(context)]
    except Exception as error:  # one broken phase must not cost the others their night
        context.findings.mark = before
        logs.logger("muninn.dream").error("phase_failed", phase=phase.name, vault=context.vault, exc_info=error)
        return [], f"{type(error).__name__}: {error}"
    return operations, None


def _permitted(phase: Phase, operation: Operation) -> Operation:
    if not isinstance(operation, phase.may_emit):
        raise TypeError(f"phase {phase.name} may not emit {name_of(operation)}")
    return operation


def _figures(context: Context, operations: Sequence[Operation]) -> dict[str, object]:
    figures = dict(context.findings.figures)
    for operation in operations:
        if isinstance(operation, Oriented):
            figures.update(
                memories=operation.memories,
                active=operation.active,
                embedded=operation.embedded,
                mean_relevance=operation.mean_relevance,
                mean_stability=operation.mean_stability,
                tier=operation.tier,
            )
    return figures
