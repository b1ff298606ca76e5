"""Recall from the store's own indexes against recall from memory: latency, memory, start, and whether they agree.

    python -m tests.bench.scale [--sizes 10000,100000] [--queries 50]

The corpus of ``latency`` in a store on disk. Each model serves in a process of its own, so that its memory is its own;
``new`` times each question once, ``again`` times it when its rows were read before. ``agree``: share of the resident
model's ten answers that the other gives too, and the greatest difference of a score that both give.
"""

from __future__ import annotations

import argparse
import gc
import resource
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))

from muninn.config import RecallConfig, StoreConfig
from muninn.domain.memory import Vault
from muninn.domain.records import Transaction
from muninn.domain.trust import Tier
from muninn.ports import Query, ReadModel
from muninn.recall.choice import read_model
from muninn.store.lance import LanceStore
from tests.bench.latency import NOW, ReadyMade, corpus, lancedb_hybrid, memories, timed

_STORE = StoreConfig(reserve_mb=0)
Answers = list[dict[str, float]]


@dataclass(frozen=True, slots=True)
class Served:
    """Seconds to start, milliseconds a question, MiB, and what was answered."""

    start: float
    new: tuple[float, float]
    again: tuple[float, float]
    get: float
    write: float
    rss: float
    answers: Answers


def fill(folder: str, size: int, queries: int) -> None:
    data = corpus(size, queries)
    store = LanceStore(Path(folder), _STORE)
    store.append(Transaction(vaults=(Vault(name="default", tier=Tier.PERSONAL, created_at=NOW),)))
    rows = memories(data.texts)
    for start in range(0, size, 5000):
        batch = tuple(rows[start : start + 5000])
        store.append(
            Transaction(memories=batch, vectors={m.id: data.vectors[start + i].tobytes() for i, m in enumerate(batch)})
        )
        store.checkpoint()
    store.maintain()
    store.close()


def serve(folder: str, size: int, queries: int, limit: int) -> Served:
    data = corpus(size, queries)
    store = LanceStore(Path(folder), _STORE)
    before = _rss()
    started = time.perf_counter()
    model = read_model(store, ReadyMade(data), RecallConfig(resident_limit=limit))
    start = time.perf_counter() - started
    answers: Answers = []

    def ask(i: int) -> None:
        hits = model.recall(Query(text=data.queries[i], reinforce=False), now=NOW).hits
        if len(answers) < queries:
            answers.append({hit.memory.id: hit.score for hit in hits})

    new = _once(ask, queries)
    again = timed(ask, queries, rounds=1)
    get, _ = timed(lambda i: model.get(f"{i * 37 % size:026d}"), 50, rounds=1)
    served = Served(start, new, again, get, _write(model, data.vectors[0].tobytes()), _rss() - before, answers)
    store.close()
    return served


def _once(run: object, count: int) -> tuple[float, float]:
    taken = []
    for i in range(count):
        at = time.perf_counter()
        run(i)  # type: ignore[operator]
        taken.append(1000 * (time.perf_counter() - at))
    return float(np.median(taken)), float(np.percentile(taken, 99))


def _write(model: ReadModel, vector: bytes) -> float:
    later = memories([f"one more note, number {i}" for i in range(30)])
    taken = []
    for number, memory in enumerate(later):
        fresh = type(memory)(**{**{name: getattr(memory, name) for name in memory.__slots__}, "id": f"z{number:025d}"})
        at = time.perf_counter()
        model.apply(Transaction(memories=(fresh,), vectors={fresh.id: vector}))
        taken.append(1000 * (time.perf_counter() - at))
    return float(np.median(taken))


def hybrid(folder: str, size: int, queries: int) -> float:
    return timed(lancedb_hybrid(corpus(size, queries), folder), queries, rounds=1)[0]


def _rss() -> float:
    """What this process holds now, in MiB (Linux)."""
    gc.collect()
    return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * resource.getpagesize() / (1 << 20)


def agreement(expected: Answers, found: Answers) -> tuple[float, float]:
    shared = [len(one.keys() & other.keys()) / max(1, len(one)) for one, other in zip(expected, found, strict=True)]
    apart = [
        abs(one[i] - other[i]) for one, other in zip(expected, found, strict=True) for i in one.keys() & other.keys()
    ]
    return float(np.mean(shared)), max(apart, default=0.0)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="10000,100000")
    parser.add_argument("--queries", type=int, default=50)
    options = parser.parse_args(arguments)
    print("memories  model      first start s  start s  new p50    p99  again p50    p99   get  apply  RSS+ MiB")
    for size in map(int, options.sizes.split(",")):
        with (
            tempfile.TemporaryDirectory() as folder,
            ProcessPoolExecutor(1, mp_context=get_context("spawn"), max_tasks_per_child=1) as processes,
        ):
            run, data = processes.submit, f"{folder}/data"
            run(fill, data, size, options.queries).result()
            resident = run(serve, data, size, options.queries, size).result()
            first = run(serve, data, size, options.queries, 0).result()
            spacious = run(serve, data, size, options.queries, 0).result()
            raw = run(hybrid, f"{folder}/raw", size, options.queries).result()
        for name, one, making in (("resident", resident, resident.start), ("spacious", spacious, first.start)):
            print(f"{size:8d}  {name:9s}{making:15.2f}{one.start:9.2f}{one.new[0]:9.1f}{one.new[1]:7.1f}{one.again[0]:11.1f}"
                  f"{one.again[1]:7.1f}{one.get:6.2f}{one.write:7.2f}{one.rss:10.0f}", flush=True)  # fmt: skip
        shared, apart = agreement(resident.answers, spacious.answers)
        print(f"{size:8d}  raw LanceDB hybrid p50 {raw:.1f} ms; agree {shared:.3f}, scores apart by at most {apart:.6f}", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
