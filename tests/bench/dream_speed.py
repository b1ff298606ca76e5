"""How long dreams take without a model, and how much memory, on random clusters with planted near-duplicates.

    python tests/bench/dream_speed.py [--sizes 10000,100000] [--within 0.55] [--timeouts 0.5,2,10] [--profile N]

Vectors are ready-made (384 numbers, random clusters); 8 % of the memories are near-verbatim copies of others. For each
size: the import, a first full dream, a second one, one after 100 new memories, and, with ``--timeouts``, dreams that are
cut short, one after the other, and what they left. The floor in the same run is a bare blocked product of the
same matrix with a threshold per tile.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the daemon does

import argparse
import cProfile
import pstats
import resource
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

import numpy as np

from muninn.app import App
from muninn.domain.draft import Draft
from muninn.domain.memory import Matrix
from muninn.domain.similarity import TILE_COLUMNS, TILE_ROWS, raw_threshold
from muninn.dream.outcome import Outcome
from muninn.dream.phases.dedup import LOWEST
from tests.bench.dream_home import BY, MovableClock, counts, home, load_average

DIMENSIONS = 384
BATCH = 5000
SUBJECTS = "billing search login export backup cache queue index mailer parser report gateway scheduler archive".split()
VERBS = "retries drops checks keeps signs merges splits counts hides sorts".split()
THINGS = "orders invoices sessions tokens records messages images tables users events keys pages".split()


def texts_and_vectors(count: int, *, within: float, seed: int = 5, planted: float = 0.08) -> tuple[list[str], Matrix]:
    """Texts that all say something else, but for the planted copies (upper case), and vectors in clusters of 20, whose
    cosines are about ``within``."""
    dice = np.random.default_rng(seed)
    centres = dice.standard_normal((max(1, count // 20), DIMENSIONS)).astype(np.float32)
    where = dice.integers(0, len(centres), count)
    matrix = centres[where] + np.float32((1 / within - 1) ** 0.5) * dice.standard_normal(
        (count, DIMENSIONS), dtype=np.float32
    )
    chosen = dice.integers(0, (len(SUBJECTS), len(VERBS), len(THINGS)), (count, 3))
    texts = [f"The {SUBJECTS[a]} service {VERBS[b]} {THINGS[c]} in room {n}." for n, (a, b, c) in enumerate(chosen)]
    copies = dice.choice(count, size=int(planted * count), replace=False)
    for at, source in zip(copies[: len(copies) // 2], copies[len(copies) // 2 :], strict=False):
        texts[at] = texts[source].upper()
        matrix[at] = matrix[source] + 0.05 * dice.standard_normal(DIMENSIONS, dtype=np.float32)
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    return texts, matrix


def stored(app: App, texts: list[str], matrix: Matrix) -> float:
    model = app.embedders.default.model
    started = time.perf_counter()
    for first in range(0, len(texts), BATCH):
        rows = zip(texts[first : first + BATCH], matrix[first : first + BATCH], strict=True)
        app.service.remember_many([(Draft(content=text), BY, row.tobytes(), model) for text, row in rows])
    return time.perf_counter() - started


def floor(app: App, matrix: Matrix) -> tuple[float, float]:
    """Seconds, and seconds of a processor, of a bare blocked product over the upper triangle that counts what is alike."""
    calibration = app.embedders.default.calibration
    threshold = raw_threshold(LOWEST, a=calibration.a, b=calibration.b)
    buffer = np.empty((TILE_ROWS, TILE_COLUMNS), dtype=np.float32)
    started, worked = time.perf_counter(), time.process_time()
    for row in range(0, len(matrix), TILE_ROWS):
        left = matrix[row : row + TILE_ROWS]
        for column in range(row, len(matrix), TILE_COLUMNS):
            right = matrix[column : column + TILE_COLUMNS]
            product = np.matmul(left, right.T, out=buffer[: len(left), : len(right)])
            np.count_nonzero(product >= threshold)
    return time.perf_counter() - started, time.process_time() - worked


def seconds_by_phase(outcome: Outcome) -> dict[str, float]:
    return {str(phase["name"]): float(phase["seconds"]) for phase in outcome.report["phases"]}


def dreamt(app: App, label: str, *, timeout: float = 600.0, profile: int = 0) -> Outcome:
    profiler = cProfile.Profile() if profile else None
    started, worked = time.perf_counter(), time.process_time()
    if profiler:
        profiler.enable()
    outcome = app.dreamer.dream(force=True, timeout=timeout, llm=False)
    if profiler:
        profiler.disable()
    seconds, busy = time.perf_counter() - started, time.process_time() - worked
    phases = " ".join(f"{name} {took:.2f}" for name, took in seconds_by_phase(outcome).items() if took >= 0.01)
    planned = sum(seconds_by_phase(outcome).values())
    print(f"  {label:24}{seconds:7.2f} s, {busy:.2f} of a processor ({phases}; rest {seconds - planned:.2f})  {counts(outcome)}  {outcome.status}"
          f"  probe {outcome.report['probe']['asked']}  {load_average()}", flush=True)  # fmt: skip
    if profiler:
        pstats.Stats(profiler).sort_stats("cumulative").print_stats(profile)
    return outcome


def rss() -> float:
    """MiB, the most so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measured(size: int, *, within: float, profile: int, timeouts: list[float]) -> None:
    texts, matrix = texts_and_vectors(size + 100, within=within)
    if timeouts:
        with home(MovableClock()) as app:
            stored(app, texts[:size], matrix[:size])
            for timeout in timeouts:
                dreamt(app, f"{size} within {timeout:g} s", timeout=timeout)
            dreamt(app, "the rest")
    clock = MovableClock()
    with home(clock) as app:
        print(f"{size} memories: imported in {stored(app, texts[:size], matrix[:size]):.1f} s, {rss():.0f} MiB")
        outcome = dreamt(app, "first dream", profile=profile)
        bare, busy = floor(app, matrix[:size])
        dedup = seconds_by_phase(outcome)["dedup"]
        print(
            f"  dedup {dedup:.2f} s, bare product {bare:.2f} s ({busy:.2f} of a processor): {dedup / bare:.2f}x, {rss():.0f} MiB at most"
        )
        dreamt(app, "again")
        clock.advance(days=1)
        stored(app, texts[size:], matrix[size:])
        dreamt(app, "after 100 new", profile=profile)
        dreamt(app, "again")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sizes", default="10000,100000")
    parser.add_argument("--timeouts", default="", help="seconds, for example 0.5,2,10")
    parser.add_argument("--profile", type=int, default=0, help="print so many of the costliest functions")
    parser.add_argument(
        "--within", type=float, default=0.55, help="cosine inside a cluster; 0.91 and more are candidates"
    )
    given = parser.parse_args()
    for size in map(int, given.sizes.split(",")):
        measured(
            size,
            within=given.within,
            profile=given.profile,
            timeouts=[float(text) for text in given.timeouts.split(",") if text],
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
