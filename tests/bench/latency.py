"""Recall latency by store size, beside its floors measured in the same run.

    python tests/bench/latency.py [--sizes 1000,10000,100000] [--lancedb] [--queries 50]

Vectors and texts are synthetic (topics with noise; words by Zipf's law), the query's embedding is ready-made: what is
timed is the engine alone. Floors: one float32 matrix-vector product with top 10 in numpy, and, with --lancedb, the hybrid
search (vector and full text, reciprocal ranks) of a LanceDB table that holds the same rows.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the daemon does

import argparse
import gc
import resource
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from muninn.domain.memory import Matrix, Memory, Provenance, Vault, content_hash
from muninn.domain.records import Transaction
from muninn.domain.trust import Tier
from muninn.ports import Calibration, Embedder, Query
from muninn.recall.resident import ResidentModel

NOW = datetime(2026, 3, 28, tzinfo=UTC)
DIMENSIONS = 384
MODEL = "synthetic/1"


@dataclass(frozen=True, slots=True)
class Corpus:
    texts: Sequence[str]
    vectors: Matrix
    queries: Sequence[str]
    query_vectors: Matrix


class ReadyMade:
    """An embedder that has every query's vector already."""

    model, dimensions, calibration, location = MODEL, DIMENSIONS, Calibration(1.0, 0.0), "in-process"

    def __init__(self, corpus: Corpus) -> None:
        self._rows = {text: corpus.query_vectors[i : i + 1] for i, text in enumerate(corpus.queries)}

    def query(self, text: str, *, tier: Tier) -> Matrix:
        return self._rows[text]

    def familiar(self, words: Sequence[str]) -> float | None:
        return None

    def capped(self, texts: Sequence[str]) -> tuple[bool, ...]:
        return (False,) * len(texts)

    def passages(self, texts: Sequence[str], *, tier: Tier, vault: str) -> Matrix:
        return np.concatenate([self._rows[text] for text in texts])

    def for_tier(self, tier: Tier) -> Embedder:
        return self

    def by_model(self, model: str) -> Embedder | None:
        return self


def corpus(size: int, queries: int, seed: int = 7) -> Corpus:
    random = np.random.default_rng(seed)
    words = np.array([f"w{i:05d}" for i in range(30_000)])
    share = 1.0 / np.arange(1, len(words) + 1)
    share /= share.sum()
    topics = random.standard_normal((max(8, size // 50), DIMENSIONS)).astype(np.float32)
    topic_of = random.integers(0, len(topics), size)
    vectors = topics[topic_of] + 1.2 * random.standard_normal((size, DIMENSIONS)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    texts = [" ".join(random.choice(words, random.integers(8, 30), p=share)) for _ in range(size)]
    asked = random.integers(0, size, queries)
    questions = [" ".join(random.choice(texts[i].split(), 6)) + f" q{n}" for n, i in enumerate(asked)]
    noise = random.standard_normal((queries, DIMENSIONS)).astype(np.float32)
    query_vectors = vectors[asked] + 0.03 * noise
    query_vectors /= np.linalg.norm(query_vectors, axis=1, keepdims=True)
    return Corpus(texts, vectors, questions, query_vectors.astype(np.float32))


def memories(texts: Sequence[str]) -> list[Memory]:
    return [
        Memory(
            id=f"{i:026d}", vault="default", tier=Tier.PERSONAL, title=text[:40], title_derived=True, content=text,
            content_hash=content_hash(text), created_at=NOW - timedelta(minutes=7 * i % 200_000),
            updated_at=NOW, learned_at=NOW - timedelta(minutes=7 * i % 200_000), provenance=Provenance(client="bench"),
            embedding_model=MODEL,
        )
        for i, text in enumerate(texts)
    ]  # fmt: skip


def filled(data: Corpus) -> tuple[ResidentModel, float, float]:
    """A model that holds ``data``; seconds to fill it, and seconds for one more memory (median of 50)."""
    model = ResidentModel(ReadyMade(data))
    rows = memories([*data.texts, *(f"{text} again" for text in data.texts[:50])])
    held, later = rows[: len(data.texts)], rows[len(data.texts) :]
    started = time.perf_counter()
    model.apply(Transaction(vaults=(Vault(name="default", tier=Tier.PERSONAL, created_at=NOW),)))
    for start in range(0, len(held), 1000):
        batch = tuple(held[start : start + 1000])
        vectors = {m.id: data.vectors[start + i].tobytes() for i, m in enumerate(batch)}
        model.apply(Transaction(memories=batch, vectors=vectors))
    filling = time.perf_counter() - started
    single = []
    for i, memory in enumerate(later):
        at = time.perf_counter()
        model.apply(Transaction(memories=(memory,), vectors={memory.id: data.vectors[i].tobytes()}))
        single.append(time.perf_counter() - at)
    return model, filling, float(np.median(single))


def timed(run: Callable[[int], object], count: int, rounds: int = 3) -> tuple[float, float]:
    """Median and 99th percentile of ``run(i)`` in milliseconds, after a warm-up."""
    for i in range(min(5, count)):
        run(i)
    gc.collect()
    taken = []
    for _ in range(rounds):
        for i in range(count):
            at = time.perf_counter()
            run(i)
            taken.append(1000 * (time.perf_counter() - at))
    return float(np.median(taken)), float(np.percentile(taken, 99))


def scan(data: Corpus) -> Callable[[int], object]:
    def run(i: int) -> object:
        scores = data.vectors @ data.query_vectors[i]
        top = np.argpartition(scores, -10)[-10:]
        return top[np.argsort(-scores[top])]

    return run


def lancedb_hybrid(data: Corpus, folder: str) -> Callable[[int], object]:
    os.environ.setdefault("LANCE_LOG", "error")  # it warns at every query
    warnings.simplefilter("ignore")
    import lancedb
    import pyarrow as pa

    vectors = pa.FixedSizeListArray.from_arrays(pa.array(data.vectors.ravel(), pa.float32()), DIMENSIONS)
    ids = pa.array([f"{i:026d}" for i in range(len(data.texts))])
    rows = pa.table({"id": ids, "text": pa.array(list(data.texts)), "vector": vectors})
    table: Any = lancedb.connect(folder).create_table("memories", rows)
    table.create_fts_index("text")
    table.optimize()

    def run(i: int) -> object:
        query = table.search(query_type="hybrid").vector(data.query_vectors[i]).text(data.queries[i])
        return query.select(["id"]).limit(10).to_arrow()

    return run


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="1000,10000,100000")
    parser.add_argument("--queries", type=int, default=50)
    parser.add_argument("--lancedb", action="store_true")
    options = parser.parse_args(arguments)
    print(f"{'memories':>9}{'recall p50':>12}{'p99':>8}{'per 1k':>8}{'scan p50':>10}{'LanceDB p50':>13}{'ratio':>8}"
          f"{'add 1':>8}{'fill':>8}{'RSS MiB':>9}   (ms; fill in s)")  # fmt: skip
    for size in map(int, options.sizes.split(",")):
        data = corpus(size, options.queries)
        model, filling, single = filled(data)
        recall, tail = timed(
            lambda i: model.recall(Query(text=data.queries[i], reinforce=False), now=NOW), options.queries  # noqa: B023
        )  # fmt: skip
        floor, _ = timed(scan(data), options.queries)
        line = f"{size:9d}{recall:12.2f}{tail:8.2f}{1000 * recall / size:8.3f}{floor:10.2f}"
        if options.lancedb:
            with tempfile.TemporaryDirectory() as folder:
                hybrid, _ = timed(lancedb_hybrid(data, folder), options.queries, rounds=1)
            line += f"{hybrid:13.2f}{hybrid / recall:7.1f}x"
        else:
            line += f"{'-':>13}{'-':>8}"
        rss = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"{line}{1000 * single:8.2f}{filling:8.2f}{rss:9.0f}", flush=True)


if __name__ == "__main__":
    main()
