"""LoCoMo dialogues with injected duplicates, dreamed over night after night: what went, what was lost, what recall finds.

    python tests/bench/dream_dialogues.py LOCOMO.json [--cache FOLDER] [--model] [--share 0.15] [--seed 7] [--journal]

One vault for each dialogue, one memory for each turn, and 15 % duplicates made by rule (``dream_noise``). The survival
budget bounds what one dream may archive, so the dreams go on, one a day, until one merges nothing. ``--model``: a scripted
model that answers truly stands in for a language model. A turn counts as found when it, its duplicate, or the memory that
either was merged into is among the first ten.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

import numpy as np

from muninn.app import App
from muninn.domain.draft import Draft
from muninn.domain.memory import Memory
from muninn.domain.trust import Tier
from muninn.dream.engine import Dreamer
from muninn.dream.outcome import Outcome
from muninn.llm.function import FunctionModels
from muninn.ports import Request
from muninn.service import Remembered
from tests.bench.dream_home import (
    BY,
    MovableClock,
    again,
    counts,
    data_file,
    dreamer_with,
    found,
    home,
    load_average,
    queued,
    state,
)  # fmt: skip
from tests.bench.dream_noise import NEAR, injected
from tests.bench.quality import CachedEmbedder, Dialogue, dialogues
from tests.fakes.llm_models import shown_groups

NIGHTS = 12
SPELT = tuple(how for how in NEAR if how != "typo")


@dataclass(slots=True)
class Told:
    """One dialogue in its vault. ``said``: memory id to the text it stems from; ``how``: id of a duplicate to its rule."""

    vault: str
    dialogue: Dialogue
    turn: dict[str, str] = field(default_factory=dict)  # turn id to memory id
    said: dict[str, str] = field(default_factory=dict)
    how: dict[str, str] = field(default_factory=dict)


def tell(app: App, dialogue: Dialogue, *, embedder: CachedEmbedder, share: float, seed: int) -> Told:
    told = Told(dialogue.name, dialogue)
    extra = injected((turn.text for turn in dialogue.turns), share=share, seed=seed)
    first = {turn.text: turn for turn in reversed(dialogue.turns)}
    rows = [(turn.text, turn.at + timedelta(seconds=number)) for number, turn in enumerate(dialogue.turns)]
    rows += [(one.text, first[one.original].at + timedelta(hours=1)) for one in extra]
    vectors = embedder.passages([text for text, _ in rows], tier=Tier.PERSONAL, vault=told.vault)
    drafts = [Draft(content=text, vault=told.vault, created_at=at) for text, at in rows]
    answers = app.service.remember_many(
        [(draft, BY, row.tobytes(), embedder.model) for draft, row in zip(drafts, vectors, strict=True)]
    )
    memories = [one.memory for one in answers if isinstance(one, Remembered)]
    for turn, memory in zip(dialogue.turns, memories[: len(dialogue.turns)], strict=True):
        told.turn[turn.id] = memory.id
        told.said[memory.id] = turn.text
    for one, memory in zip(extra, memories[len(dialogue.turns) :], strict=True):
        if memory.id not in told.said:
            told.said[memory.id], told.how[memory.id] = one.original, one.how
    return told


def truthful(tellings: list[Told]) -> FunctionModels:
    """Merges what stems from one turn, with the turn's own words; calls the rest distinct."""
    origin: dict[str, str] = {}

    def learn(app: App) -> None:
        for told in tellings:
            for key, text in told.said.items():
                memory = app.read.get(key)
                if memory is not None:
                    origin[memory.content] = text

    def answer(request: Request) -> str:
        merge, distinct = [], []
        for group in shown_groups(request.prompt):
            if group["kind"] not in ("alike", "conflict"):
                continue
            same: dict[str, list[str]] = {}
            for memory in group["memories"]:
                same.setdefault(origin.get(memory["content"], memory["content"]), []).append(memory["id"])
            merge += [{"ids": ids, "into": ids[0], "title": "", "text": text} for text, ids in same.items() if ids[1:]]
            if len(same) > 1:
                distinct.append({"ids": [ids[0] for ids in same.values()]})
        blank: dict[str, object] = {key: [] for key in ("supersede", "suggest", "stability", "narrative")}
        return json.dumps({**blank, "reasoning": "compared", "merge": merge, "distinct": distinct})

    models = FunctionModels(answer, name="scripted")
    models.learn = learn  # type: ignore[attr-defined]
    return models


def head(app: App, key: str) -> Memory:
    return app.service.head(app.service.require(key))


def turn_recall(app: App, told: Told, *, limit: int = 10) -> float:
    """Mean share of the evidence turns among the first hits."""
    shares = []
    for question, _, evidence in told.dialogue.questions:
        hits = {memory.id for memory in found(app, question, told.vault, limit)}
        texts = {told.said[key] for key in hits if key in told.said}
        reached = [
            turn for turn in evidence if head(app, told.turn[turn]).id in hits or told.said[told.turn[turn]] in texts
        ]
        shares.append(len(reached) / len(evidence))
    return float(np.mean(shares))


def lost(app: App, told: Told) -> list[str]:
    """Turns whose memory now stands for nothing, or for what another turn said."""
    gone = []
    for key, text in told.said.items():
        end = head(app, key)
        if not end.active or told.said.get(end.id) != text:
            gone.append(f"{text!r} -> {end.content!r}")
    return gone


def report(app: App, tellings: list[Told], outcomes: list[Outcome]) -> dict[str, tuple[int, int, int]]:
    """By rule: duplicates injected, gone, and gone or queued."""
    table: Counter[tuple[str, str]] = Counter()
    for told in tellings:
        waiting = [set(one.ids) for one in queued(outcomes)]
        original = {told.said[key]: key for key in told.turn.values()}
        for key, how in told.how.items():
            source = original[told.said[key]]
            gone = head(app, key).id == head(app, source).id
            table[how, "all"] += 1
            table[how, "gone"] += gone
            table[how, "seen"] += gone or any({key, source} <= ids for ids in waiting)
    return {how: (table[how, "all"], table[how, "gone"], table[how, "seen"]) for how in (*NEAR, "paraphrase")}


def nights(app: App, clock: MovableClock, dreamer: Dreamer, *, llm: bool) -> list[Outcome]:
    """One dream a day until one merges nothing."""
    outcomes = []
    for night in range(1, NIGHTS + 1):
        clock.advance(days=1)
        outcome = dreamer.dream(force=True, timeout=600, llm=llm)
        outcomes.append(outcome)
        print(
            f"  night {night}: {counts(outcome)} · {outcome.status} · second dream: {again(dreamer, llm=llm)}",
            flush=True,
        )
        if not any(one.op == "merge" and one.applied for one in outcome.records):
            break
    return outcomes


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("file", type=data_file)
    parser.add_argument("--cache", type=Path, help="folder that keeps the vectors for the next run")
    parser.add_argument("--share", type=float, default=0.15)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--model", action="store_true")
    parser.add_argument("--journal", action="store_true", help="print what the journal says")
    given = parser.parse_args()
    clock = MovableClock()
    with home(clock) as app:
        embedder = CachedEmbedder(app.embedders.default, given.cache)
        tellings = [
            tell(app, one, embedder=embedder, share=given.share, seed=given.seed) for one in dialogues(given.file)
        ]
        embedder.save()
        models = truthful(tellings) if given.model else None
        if models is not None:
            models.learn(app)  # type: ignore[attr-defined]
        return measured(app, clock, dreamer_with(app, models), tellings, llm=given.model, journal=given.journal)


def measured(app: App, clock: MovableClock, dreamer: Dreamer, tellings: list[Told], *, llm: bool, journal: bool) -> int:
    first = state(app)
    print(f"{sum(len(told.said) for told in tellings)} memories, {load_average()}")
    before = [turn_recall(app, told) for told in tellings]
    outcomes = nights(app, clock, dreamer, llm=llm)
    after = [turn_recall(app, told) for told in tellings]
    for told, was, now in zip(tellings, before, after, strict=True):
        print(
            f"{told.vault}: turn recall@10 {was:.3f} before, {now:.3f} after; {len(told.dialogue.questions)} questions"
        )
    missing = [line for told in tellings for line in lost(app, told)]
    figures = report(app, tellings, outcomes)
    print(f"{'rule':12}{'injected':>9}{'gone':>6}{'gone or queued':>16}")
    for how, (total, gone, seen) in figures.items():
        print(f"{how:12}{total:9d}{gone:6d}{seen:16d}")
    near = [sum(figures[how][place] for how in SPELT) for place in (0, 1)]
    every = [sum(row[place] for row in figures.values()) for place in (0, 1)]
    print(f"near-verbatim gone {near[1] / near[0]:.0%} (at least 90 %) · typos gone "
          f"{figures['typo'][1] / figures['typo'][0]:.0%} (50 %), gone or queued {figures['typo'][2] / figures['typo'][0]:.0%} "
          f"(90 %) · all gone {every[1] / every[0]:.0%}" + (" (70 %)" if llm else ""))  # fmt: skip
    print(f"originals lost {len(missing)} (must be 0)", *missing[:5], sep="\n  ")
    if journal:
        for entry in dreamer.journal():
            print(entry["text"])
    for outcome in reversed(outcomes):
        dreamer.undo(outcome.dream_id)
    print(f"undone in reverse, exactly: {state(app) == first}")
    return int(bool(missing) or any(now < was for was, now in zip(before, after, strict=True)))


if __name__ == "__main__":
    sys.exit(main())
