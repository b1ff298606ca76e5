"""The dreamer of one home: gates, due marker and time box around the cycle, one dream at a time.

A forced dream passes the gates, never the tiers. A dry run changes no byte. Consolidation by day moves neither the
gates nor the due marker.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from threading import Lock
from typing import Any, Protocol

from muninn.atomic import refused
from muninn.config import Config
from muninn.domain.ageing import days_entry, days_of, kept, lived, outlived
from muninn.domain.gates import Verdict
from muninn.domain.marks import LAST_AT, rewound
from muninn.domain.memory import Memory, Provenance, State, Vault, vault_key
from muninn.domain.records import CONSOLIDATION, DREAM, DreamRecord
from muninn.domain.trust import Tier
from muninn.dream.context import Ask, DreamLimits
from muninn.dream.cycle import RECENT, Cycle, DreamService
from muninn.dream.files import DreamFiles
from muninn.dream.gatekeeper import Gatekeeper, moment
from muninn.dream.journal import Journal
from muninn.dream.outcome import Outcome
from muninn.dream.plan_file import plan_from_json, require_unmoved
from muninn.dream.planning import Plan
from muninn.dream.teller import quoted, stamp
from muninn.dream.telling import tier_line, undo_line
from muninn.embed.text import embedded_text
from muninn.errors import ConflictError, GateClosedError, NotFoundError, ProviderError, UsageError
from muninn.failpoints import failpoint
from muninn.ports import Calibration, Clock, Embedder, Ids, ReadModel

RESERVE = 2.0  # seconds of the time box kept for applying, probing again and telling
_DAY = 24 * 3600.0  # seconds
TELLING = 12
"""Characters from which a title is looked for anywhere in the journal; a shorter one only where it is quoted."""
Progress = Callable[[Mapping[str, object]], None]


class Embedders(Protocol):
    def for_tier(self, tier: Tier) -> Embedder: ...
    def by_model(self, model: str) -> Embedder | None: ...


class EmbeddingService(DreamService, Protocol):
    """The service as the app builds it."""

    @property
    def embedders(self) -> Embedders: ...


class Models(Protocol):
    """The language models, as ``muninn.llm`` offers them."""

    def for_tier(self, tier: Tier) -> tuple[str, ...]: ...
    def complete(self, request: Any, *, deadline: float, max_bytes: int = ...) -> Any: ...


class Dreamer:
    """``interrupted`` turns true when the process is asked to stop: planning then ends as at a deadline."""

    def __init__(
        self,
        config: Config,
        *,
        service: EmbeddingService,
        models: Models | None,
        clock: Clock,
        ids: Ids,
        interrupted: Callable[[], bool] = lambda: False,
        rules: Callable[[], Sequence[str]] = tuple,
    ) -> None:
        self._config = config
        self._service = service
        self._clock = clock
        self._files = DreamFiles(config.data)
        self._journal = Journal(config.journal_file)
        self._one_at_a_time = Lock()
        self._let_go_at: float | None = None
        self._gatekeeper = Gatekeeper(config.dream, service=service, files=self._files, clock=clock)
        self._cycle = Cycle(
            service=service,
            journal=self._journal,
            clock=clock,
            ids=ids,
            limits=DreamLimits(
                survival_share=config.dream.survival_share,
                survival_floor=config.dream.survival_floor,
            ),
            calibration=self._calibration,
            language=config.journal.language,
            probe_queries=config.dream.probe_queries,
            ask=_asking(models, service.read, clock, ids, config.journal.language),
            embed=self._embed,
            interrupted=interrupted,
            rules=rules,
        )

    # -- dreaming

    def dream(
        self,
        *,
        kind: str = DREAM,
        force: bool = False,
        dry_run: bool = False,
        vault: str | None = None,
        timeout: float | None = None,
        llm: bool = True,
        plan: Mapping[str, Any] | None = None,
        progress: Progress | None = None,
    ) -> Outcome:
        """Dream now. ``plan``: carry out a plan made earlier, exactly.

        Raises GateClosedError, NotFoundError (vault), UsageError (plan), and ConflictError when a dream is under way or
        the plan's vaults moved.
        """
        box = self._config.dream.timeout if timeout is None else timeout
        with self._alone(), _on_disk():
            started = self._clock.monotonic()
            if kind == DREAM and not dry_run:
                self.recover()  # a full disk may have left the one before untold
            if plan is not None:
                return self._planned_before(plan_from_json(plan), started=started, until=started + box)
            vaults = self._vaults(vault)
            gate = self._gatekeeper.verdict(force=force) if kind == DREAM else Verdict(True, "by day")

            def planned(seconds: float) -> Plan:
                return self._cycle.plan(
                    vaults, kind=kind, verdict=gate, seconds=seconds, llm=llm, whole=vault is None, keep=dry_run,
                    progress=progress,
                )  # fmt: skip

            if dry_run:
                made = planned(box)
                return self._cycle.imagine(made, self._clock.monotonic() - started)
            if kind == DREAM:
                self._gatekeeper.pass_gate(gate)
            made = planned(max(box * 0.5, box - RESERVE))
            return self._finished(self._cycle.carry_out(made, started=started, until=started + box))

    def consolidate(self) -> Outcome | None:
        """The consolidation by day; None when a dream is under way anyway."""
        try:
            return self.dream(kind=CONSOLIDATION)
        except ConflictError:
            return None

    def dream_at_start(self, *, progress: Progress | None = None) -> Outcome | None:
        """Tell what a crash left untold, then dream if the gates are open. Called when a dream is due."""
        self.recover()
        try:
            return self.dream(progress=progress)
        except GateClosedError:
            return None

    def dream_by_clock(self) -> Outcome | None:
        """The full, gated dream of ``dream.at``."""
        try:
            return self.dream()
        except (GateClosedError, ConflictError):
            return None

    def undo(self, dream_id: str = "last") -> dict[str, object]:
        """Take a dream back and say so in the journal. Raises NotFoundError, ConflictError."""
        with self._alone(), _on_disk():
            if dream_id == "last":
                dream_id = self._last_standing()
            record = self._service.dream(dream_id)
            moved: Any = record.report.get("moved") or {}
            result = self._service.undo_dream(record.id, meta=rewound(self._service.meta(), moved))
            document: dict[str, object] = {
                "dream_id": record.id,
                "restored": list(result.restored),
                "left_alone": [{"id": key, "why": why} for key, why in result.left_alone],
            }
            now = self._clock.now()
            line = undo_line(
                record.id, len(result.restored), result.left_alone, at=now, language=self._config.journal.language
            )
            self._journal.append(line, {"event": "undo", "at": now.isoformat(), **document}, now=now)
            return document

    def let_go(self) -> None:
        """Drop what only undo needed of dreams too old for it, and the usage that nothing reads any more; once a day.

        Too old is what ``muninn.domain.ageing`` says: a day counts when muninn saw it, and no jump of the clock makes many.
        """
        now = self._clock.monotonic()
        if self._let_go_at is not None and now - self._let_go_at < _DAY:
            return
        undo_days, interrupted = self._config.dream.undo_days, self._cycle.interrupted
        newest = next((one.id for one in self._service.dreams()), "")
        days = lived(days_of(self._service.meta()), today=self._clock.now().date(), newest=newest)
        self._service.keep_marks(days_entry(kept(days, undo_days)))
        self._service.close_undo(outlived(days, undo_days), self._journal.told, interrupted=interrupted)
        self._service.thin_usage(questions=RECENT, interrupted=interrupted)
        self._let_go_at = now

    def recover(self) -> str | None:
        """Tell the last dream if it was applied but not told; returns its id."""
        last = self._last_full()
        if last is None:
            return None
        if self._files.state().last_dream_id != last.id:
            self._files.finish(dream_id=last.id, now=last.started_at, status=last.status)
        if last.undone_at is not None or last.abridged or self._journal.holds(last.id):
            return None
        record = replace(
            last, finished_at=last.finished_at or self._clock.now(), report={**last.report, "recovered": True}
        )
        self._service.record_dream(self._cycle.tell(record))
        return last.id

    @property
    def under_way(self) -> bool:
        """Whether a dream, or the undoing of one, is under way, so that another is refused."""
        return self._one_at_a_time.locked()

    # -- gates and sidecars

    def gate(self) -> dict[str, object]:
        """``open why`` and, when only time is missing, ``opens_at``."""
        return self._gatekeeper.document()

    def record_gate(self) -> Verdict:
        """Note the verdict where no dream follows."""
        return self._gatekeeper.record()

    def mark_due(self) -> None:
        """Owe a dream to the next start."""
        self._files.mark_due(self._clock.now(), why="stopped")

    def due(self) -> bool:
        return self._files.due

    def warnings(self) -> Iterator[str]:
        """What a person should know about dreaming."""
        return self._gatekeeper.warnings()

    def examine(self) -> str:
        """One line on the sidecars for doctor. Raises StoreError when one is damaged."""
        return self._gatekeeper.examine()

    def last_dream(self) -> dict[str, object] | None:
        """``dream_id finished_at status`` of the last full dream."""
        last = self._last_full()
        if last is None:
            return None
        return {"dream_id": last.id, "finished_at": stamp(last.finished_at or last.started_at), "status": last.status}

    # -- the journal

    def journal(self, *, last: int | None = None, since: str | None = None) -> list[dict[str, object]]:
        """Entries ``dream_id at text``, newest last."""
        return [
            {"dream_id": one.dream_id, "at": stamp(one.at), "text": one.text}
            for one in self._journal.entries(last=last, since=_since(since))
        ]

    def note_tier_change(self, vault: Vault, *, before: Tier) -> None:
        """Write down who moved which vault to which tier."""
        now = self._clock.now()
        line = tier_line(vault.name, str(before), str(vault.tier), at=now, language=self._config.journal.language)
        twin = {
            "event": "tier",
            "at": now.isoformat(),
            "vault": vault.name,
            "before": str(before),
            "after": str(vault.tier),
        }
        self._journal.append(line, twin, now=now)

    def purge(self, memory_id: str, *, by: Provenance) -> dict[str, object]:
        """Erase a memory for good, in the store and in the journal."""
        memory = self._service.purge(memory_id, by=by)
        texts = (memory.title if len(memory.title) >= TELLING else f"“{quoted(memory.title)}”",)
        erased = self._journal.erase((memory.id,), texts)
        return {"id": memory.id, "vault": memory.vault, "purged": True, "journal_lines_erased": erased}

    # -- what the cycle is given

    def _finished(self, outcome: Outcome) -> Outcome:
        if outcome.plan.kind == DREAM:
            failpoint("dream.told")
            self._files.finish(
                dream_id=outcome.dream_id,
                now=outcome.plan.made_at,
                status=outcome.status,
                whole=outcome.plan.whole,
            )
        return outcome

    def _planned_before(self, plan: Plan, *, started: float, until: float) -> Outcome:
        if plan.kind != DREAM:
            raise UsageError(f"the plan is of kind {plan.kind!r}", hint="make one with muninn dream --dry-run --output")
        later = [one.id for one in self._service.dreams() if one.id >= plan.dream_id]
        if later:  # its marks and its place in the order of dreams are those of the past
            why = "was carried out already" if plan.dream_id in later else "is older than the last dream"
            raise ConflictError(f"the plan {plan.dream_id} {why}", hint="make a new plan")
        require_unmoved(plan, self._service.read)
        now = self._clock.now()
        plan = replace(plan, made_at=now, meta={**plan.meta, **({LAST_AT: now.isoformat()} if plan.whole else {})})
        self._files.begin(now)
        return self._finished(self._cycle.carry_out(plan, started=started, until=until))

    def _vaults(self, name: str | None) -> tuple[Vault, ...]:
        vaults = self._service.read.vaults()
        if name is None:
            return vaults
        chosen = tuple(vault for vault in vaults if vault.key == vault_key(name))
        if not chosen:
            raise NotFoundError(f"there is no vault {name[:80]!r}", hint="muninn vault list")
        return chosen

    def _last_full(self) -> DreamRecord | None:
        """The newest full dream."""
        return next((one for one in self._service.dreams() if one.kind == DREAM), None)

    def _last_standing(self) -> str:
        """The newest dream that changed something and was not undone."""
        for one in self._service.dreams():
            if one.undone_at is None and any(record.applied for record in self._service.store.operations(one.id)):
                return one.id
        raise NotFoundError("no dream that changed anything is left to undo", hint="muninn dreams")

    @contextmanager
    def _alone(self) -> Iterator[None]:
        if not self._one_at_a_time.acquire(blocking=False):
            raise ConflictError("a dream is under way", hint="wait for it: muninn status")
        try:
            yield
        finally:
            self._one_at_a_time.release()

    def _calibration(self, model: str) -> Calibration:
        embedder = self._service.embedders.by_model(model)
        return Calibration() if embedder is None else embedder.calibration

    def _embed(self, memory: Memory) -> tuple[str, bytes] | None:
        embedder = self._service.embedders.for_tier(memory.tier)
        try:
            matrix = embedder.passages([embedded_text(memory)], tier=memory.tier, vault=memory.vault)
        except ProviderError:
            return None
        return embedder.model, matrix[0].astype("<f4").tobytes()


@contextmanager
def _on_disk() -> Iterator[None]:
    """A journal or sidecar that cannot be written is an error of ours; the next dream or start tells what is untold."""
    try:
        yield
    except OSError as error:
        raise refused(f"cannot write {error.filename or 'the journal or the dream files'}", error) from error


def _asking(
    models: Models | None, read: ReadModel, clock: Clock, ids: Ids, language: str
) -> Callable[[Tier], Ask | None]:
    """For a tier, how its models are asked; None where it may use none."""

    def unmoved(memory: Memory) -> bool:
        now = read.get(memory.id)
        return now is not None and now.tier is memory.tier and now.state is not State.FORGOTTEN

    def ask(groups: Any, seconds: float, dream_id: str) -> Any:
        from muninn.llm.adjudication import adjudicate

        return adjudicate(
            models,  # type: ignore[arg-type]
            groups,
            deadline=clock.monotonic() + seconds,
            clock=clock,
            boundary=lambda: ids.new()[-12:],
            language=language,
            dream_id=dream_id,
            open_now=lambda group: all(map(unmoved, group.memories)),
        )

    return lambda tier: ask if models is not None and models.for_tier(tier) else None


def _since(text: str | None) -> datetime | None:
    if not text:
        return None
    at = moment(text)
    if at is None:
        raise UsageError(f"{text!r} is not a day or time", hint="for example 2026-03-28 or 2026-03-28T06:00:00Z")
    return at
