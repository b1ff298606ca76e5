"""How long auto-linking takes: load, one write, an import in one pass.

Run: python tests/bench/linking.py [MEMORIES] [WORDS]. Titles of two to five words, one in ten a single rarer word, one in
ten "Incident N" that a third of the texts mention; words fall off as in ordinary text. CPU time, so that a busy machine
matters less.
"""

from __future__ import annotations

import argparse
import random  # noqa: TID251 - a fixed seed
import time
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import accumulate
from typing import TypeVar

from muninn.domain.linking import LinkChanges, Linker
from muninn.domain.memory import Link, LinkKey, Memory, Provenance, content_hash
from muninn.domain.trust import Tier

NOW = datetime(2026, 3, 28, tzinfo=UTC)
WRITES = 1000
Value = TypeVar("Value")


class Text:
    """Memories made of invented words, the same for every run."""

    def __init__(self, memories: int, words: int) -> None:
        self._random = random.Random(1)
        self._memories, self._words = memories, words
        letters = "abcdefghijklmnopqrstuvwxyz"
        self._vocabulary = [
            "".join(self._random.choices(letters, k=self._random.randint(2, 10))) for _ in range(30_000)
        ]
        self._weights = list(accumulate(1 / (rank + 10) for rank in range(30_000)))

    def _some(self, count: int) -> str:
        return " ".join(self._random.choices(self._vocabulary, cum_weights=self._weights, k=count))

    def memory(self, number: int) -> Memory:
        title = self._some(self._random.randint(2, 5)).title()
        if number % 10 == 0:
            title = f"Incident {number}"
        elif number % 5 == 0:
            title = self._vocabulary[self._random.randrange(3000, 30_000)].title()
        content = self._some(self._words)
        if number % 3 == 0:
            content += f" see incident {self._random.randrange(self._memories) // 10 * 10}."
        return Memory(
            id=f"{number:026}",
            vault="bench",
            tier=Tier.PERSONAL,
            title=title,
            content=content,
            content_hash=content_hash(content),
            created_at=NOW,
            updated_at=NOW,
            learned_at=NOW,
            provenance=Provenance(client="bench"),
        )


def timed(work: Callable[[], Value]) -> tuple[Value, float]:
    begin = time.process_time()
    value = work()
    return value, time.process_time() - begin


def main(memories: int, words: int) -> None:
    text = Text(memories, words)
    rows = [text.memory(number) for number in range(memories)]
    links: dict[str, dict[LinkKey, Link]] = {}

    def existing(memory_id: str) -> tuple[Link, ...]:
        return tuple(links.get(memory_id, {}).values())

    def keep(changes: LinkChanges) -> None:
        for key in changes.withdraw:
            del links[key.source][key]
        for link in changes.add:
            links.setdefault(link.source, {})[link.key] = link

    linker = Linker()
    _, seconds = timed(lambda: linker.load(rows))
    print(f"load {seconds:.2f} s")
    changes, seconds = timed(lambda: linker.backfill("bench", existing=existing, now=NOW))
    print(f"backfill {seconds:.2f} s, {len(changes.add)} links")
    keep(changes)
    costs = []
    for number in range(memories, memories + WRITES):
        row = text.memory(number)
        changes, seconds = timed(lambda row=row: linker.links_for([row], existing=existing, now=NOW))  # type: ignore[misc]
        keep(changes)
        costs.append(seconds * 1000)
    costs.sort()
    shown = ", ".join(f"p{share} {costs[WRITES * share // 100]:.2f}" for share in (50, 95, 99))
    print(f"one write: {shown}, most {costs[-1]:.2f} ms")
    changes, seconds = timed(lambda: Linker().links_for(rows, existing=lambda _: (), now=NOW))
    print(f"import: {memories / seconds:.0f} memories/s, {len(changes.add)} links")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("memories", type=int, nargs="?", default=10_000)
    parser.add_argument("words", type=int, nargs="?", default=60)
    given = parser.parse_args()
    main(given.memories, given.words)
