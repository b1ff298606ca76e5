"""Who lets a dream pass: the facts from the store's meta and the sidecars, judged by the gates, and written down."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta

from muninn.config import DreamConfig
from muninn.domain.gates import PATIENCE, Verdict, backs_off_until, verdict
from muninn.domain.marks import LAST_AT, LAST_WRITES, UNFINISHED, WRITES
from muninn.dream.cycle import DreamService
from muninn.dream.files import DreamFiles
from muninn.dream.teller import stamp
from muninn.errors import GateClosedError, StoreError
from muninn.failpoints import failpoint
from muninn.ports import Clock

OVERDUE = timedelta(hours=24)


class Gatekeeper:
    """The gates of one home."""

    def __init__(self, config: DreamConfig, *, service: DreamService, files: DreamFiles, clock: Clock) -> None:
        self._config = config
        self._service = service
        self._files = files
        self._clock = clock
        self._awake_since = clock.now()

    def verdict(self, *, force: bool = False, need_due: bool = False) -> Verdict:
        """What the gates say now; ``need_due``: a dream must also be owed."""
        meta, state = self._service.meta(), self._files.state()
        return verdict(
            now=self._clock.now(),
            last_dream_at=moment(meta.get(LAST_AT)),
            writes_since=_writes_since(meta),
            min_hours=self._config.min_hours,
            min_writes=self._config.min_writes,
            due=self._files.due if need_due else None,
            unfinished=bool(meta.get(UNFINISHED)),
            attempts=state.attempts,
            last_attempt_at=state.last_attempt_at,
            force=force,
        )

    def document(self) -> dict[str, object]:
        """``open why`` and, when only time is missing, ``opens_at``."""
        now, meta, state = self.verdict(), self._service.meta(), self._files.state()
        document: dict[str, object] = {"open": now.run, "why": now.why, "opens_at": None}
        last = moment(meta.get(LAST_AT))
        enough = bool(meta.get(UNFINISHED)) or _writes_since(meta) >= self._config.min_writes
        hours = None if last is None else last + timedelta(hours=self._config.min_hours)
        waits = [hours, backs_off_until(self._clock.now(), state.attempts, state.last_attempt_at)]
        if not now.run and enough and any(waits):
            document["opens_at"] = stamp(max(at for at in waits if at is not None))
        return document

    def record(self) -> Verdict:
        """Note the verdict where no dream follows."""
        gate = self.verdict(need_due=True)
        self._files.judge(gate, self._clock.now())
        return gate

    def pass_gate(self, gate: Verdict) -> None:
        """Note the verdict, and the attempt that follows an open gate. Raises GateClosedError."""
        now = self._clock.now()
        self._files.judge(gate, now)
        if not gate.run:
            raise GateClosedError(f"the gates are closed: {gate.why}", hint="muninn dream --force")
        self._files.begin(now)
        failpoint("dream.begun")

    def warnings(self) -> Iterator[str]:
        """What a person should know about dreaming."""
        state = self._files.state()
        if state.trouble:
            yield state.trouble
        if state.attempts >= PATIENCE:
            yield f"{state.attempts} dreams in a row did not finish; the next attempts wait longer (muninn dream --force)"
        last = moment(self._service.meta().get(LAST_AT))
        since = self._awake_since if last is None else max(self._awake_since, last)
        if self._service.read.count() and self._clock.now() - since > OVERDUE:
            yield "awake for more than 24 h without a dream: set dream.at, or run muninn dream"

    def examine(self) -> str:
        """One line on the sidecars. Raises StoreError when one is damaged."""
        state = self._files.state()
        if state.trouble:
            raise StoreError(state.trouble, hint="the next dream replaces it")
        told = "never judged" if state.verdict is None else f"last verdict: {state.verdict.why}"
        return f"{'a dream is due' if self._files.due else 'no dream is due'}; {told}"


def moment(text: str | None) -> datetime | None:
    """An aware time from ISO text (UTC where it names no zone); None for what is none."""
    if not text:
        return None
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return None
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def _writes_since(meta: Mapping[str, str]) -> int:
    return max(0, int(meta.get(WRITES, "0")) - int(meta.get(LAST_WRITES, "0")))
