"""How long dreams take: ``python tests/bench/dream.py [SIZE …]``. Random unit vectors, 2 % near-verbatim duplicates.

Prints a bare blocked matrix product of the same size from the same run, the first full dream, a second one, and the
ordinary dream after 100 new memories; wall and processor seconds, and the largest resident size.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from muninn.clock import SystemClock, Ulids
from muninn.config import Config
from muninn.domain.memory import Link, Memory, Origin, Provenance, Vault, content_hash
from muninn.domain.records import Transaction, Usage
from muninn.domain.trust import Tier
from muninn.dream.engine import Dreamer
from muninn.dream.outcome import Outcome
from muninn.embed.registry import Embedders
from muninn.recall.resident import ResidentModel
from muninn.service import MemoryService
from muninn.testing import MemoryStore

DIMENSIONS = 384
WORDS = [a + b for a in ("deploy", "cache", "queue", "login", "alert", "index", "shard", "token") for b in ("", "s", "er", "ing", "less")]  # fmt: skip
BY = Provenance(client="bench")


class Bench:
    """A muninn in memory with ``size`` memories."""

    def __init__(self, size: int) -> None:
        config = Config(home=Path(tempfile.mkdtemp()))
        config.data.mkdir(parents=True)
        self.rng = np.random.default_rng(1)
        self.clock, self.ids, store = SystemClock(), Ulids(), MemoryStore()
        embedders = Embedders(replace(config, embed=replace(config.embed, model="hashed")))
        self.model = embedders.default.model
        read = ResidentModel(embedders, config.recall)
        read.load(store)
        self.service = MemoryService(
            store=store, read=read, embedders=embedders, clock=self.clock, ids=self.ids, default_vault="default"
        )
        self.dreamer = Dreamer(config, service=self.service, models=None, clock=self.clock, ids=self.ids)
        self.service._commit(
            Transaction(vaults=(Vault(name="default", tier=Tier.PERSONAL, created_at=self.clock.now()),))
        )
        self.matrix = self.add(size, duplicates=size // 50)
        self._link_and_use()

    def add(self, count: int, *, duplicates: int = 0) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
        """``count`` new memories; returns their vectors."""
        matrix = self.rng.standard_normal((count, DIMENSIONS)).astype(np.float32)
        matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
        texts = [f"The {' '.join(self.rng.choice(WORDS, 14))} {self.ids.new()}." for _ in range(count)]
        for _ in range(duplicates):
            one, other = self.rng.integers(0, count, 2)
            texts[other], matrix[other] = texts[one].lower(), matrix[one]
        now = self.clock.now()
        rows = [
            Memory(
                id=self.ids.new(), vault="default", tier=Tier.PERSONAL, title=text[:40], title_derived=True, content=text,
                content_hash=content_hash(text), created_at=now, updated_at=now, learned_at=now, provenance=BY,
                embedding_model=self.model,
            )
            for text in texts
        ]  # fmt: skip
        vectors = {row.id: vector.astype("<f4").tobytes() for row, vector in zip(rows, matrix, strict=True)}
        self.service._commit(Transaction(memories=tuple(rows), vectors=vectors))
        return matrix

    def _link_and_use(self) -> None:
        ids = [memory.id for memory in self.service.read.memories()]
        now, pick = self.clock.now(), self.rng.integers(0, len(ids), (2 * len(ids), 2))
        links = {
            link.key: link
            for one, other in pick
            if one != other
            for link in [
                Link(source=ids[one], target=ids[other], relation=str(self.rng.choice(["causes", "mentions", "part_of"])),
                     vault="default", weight=float(self.rng.random()), origin=Origin.AUTO, created_at=now)
            ]
        }  # fmt: skip
        usage = tuple(
            Usage(id=self.ids.new(), at=now, kind="recall", vaults=("default",), query="deploy cache",
                  memories=tuple(ids[int(n)] for n in self.rng.integers(0, len(ids), 10)), activations=(0.8,) * 10)
            for _ in range(200)
        )  # fmt: skip
        self.service._commit(Transaction(links=tuple(links.values()), usage=usage))

    def dream(self) -> Outcome:
        return self.dreamer.dream(force=True, timeout=3600)


def product(matrix: np.ndarray[tuple[int, int], np.dtype[np.float32]], tile: int = 2048) -> float:
    """A bare blocked product of the upper triangle."""
    return sum(
        float((matrix[i : i + tile] @ matrix[j : j + tile].T).max())
        for i in range(0, len(matrix), tile)
        for j in range(i, len(matrix), tile)
    )


def timed(label: str, work: object) -> None:
    wall, processor = time.perf_counter(), time.process_time()
    result = work()  # type: ignore[operator]
    wall, processor = time.perf_counter() - wall, time.process_time() - processor
    told = ""
    if isinstance(result, Outcome):
        slowest = sorted(result.report["phases"], key=lambda phase: -phase["seconds"])[:3]
        told = f"{len(result.records):>6} operations  " + " ".join(f"{p['name']} {p['seconds']:.2f}" for p in slowest)
    print(f"{label:<28}{wall:>9.2f} s{processor:>9.2f} s cpu  {told}")


def main(sizes: list[int]) -> None:
    for size in sizes:
        bench = Bench(size)
        print(f"{size} memories × {DIMENSIONS}")
        timed("bare blocked product", lambda matrix=bench.matrix: product(matrix))
        timed("first full dream", bench.dream)
        timed("second, nothing new", bench.dream)
        bench.add(100)
        timed("after 100 new memories", bench.dream)
        print(f"largest resident size {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB\n")


if __name__ == "__main__":
    main([int(argument) for argument in sys.argv[1:]] or [10_000])
