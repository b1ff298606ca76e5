"""Which of two memories that speak about the same thing goes first: the one that replaced, or was asserted last.

A replaced fact never outranks its successor: the successor takes over its score and the old one falls behind. Among
near-identical memories the newest wins, unless the query names what they differ in.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from functools import lru_cache

import numpy as np

from muninn.domain.memory import Memory
from muninn.ports import Calibration
from muninn.recall.columns import Mask
from muninn.recall.holdings import Holdings
from muninn.recall.tokens import tokens

BEHIND = 0.9
"""Share of its score that a replaced or older memory keeps, per step."""
NEAR_IDENTICAL = 0.85
"""Calibrated similarity from which two memories say the same thing but for a value."""
ALIKE = 0.3
"""Calibrated similarity from which shared wording is looked at as well: no embedder is sure of one changed word."""
SHARED_WORDS, SHARED_PART = 3, 0.6
"""How many tokens, and which part of the longer text's, two texts share to be one sentence with another value."""
NAMING = 0.35
"""Weight from which a word of the query names something; "is" names nothing."""
SAME_ANSWER = 0.75
"""Weighted share of the query that two texts cover by the same words to be two answers to one question."""
AS_GOOD = 0.85
"""Share of the better score that both must have for it: an update answers about as well as what it updates."""
COMPARED = 160
"""How many of the best are compared with one another."""
_ROUNDING = 1e-5


def line_of(memory_id: str, holdings: Holdings, visible: Callable[[str], bool], as_of: datetime | None) -> list[str]:
    """The visible successors of a memory, nearest first; at ``as_of``, only those that had replaced it by then."""
    line: list[str] = []
    seen = {memory_id}
    memory = holdings.memories.get(memory_id)
    while memory is not None and memory.superseded_by and memory.superseded_by not in seen:
        if as_of is not None and holdings.columns["closed"][holdings.slot_of[memory.id]] > as_of.timestamp():
            break
        seen.add(memory.superseded_by)
        if visible(memory.superseded_by):
            line.append(memory.superseded_by)
        memory = holdings.memories.get(memory.superseded_by)
    return line


def replaced(
    scores: Mapping[str, float], holdings: Holdings, visible: Callable[[str], bool], as_of: datetime | None
) -> dict[str, float]:
    """``scores`` with successors lifted to what they replaced, and the replaced put behind them."""
    old = (memory_id for memory_id in scores if holdings.memories[memory_id].superseded_by)
    lines = {memory_id: line_of(memory_id, holdings, visible, as_of) for memory_id in old}
    settled = dict(scores)
    for memory_id, line in lines.items():
        for distance, successor in enumerate(reversed(line)):
            settled[successor] = max(settled.get(successor, 0.0), scores[memory_id] * BEHIND**distance)
    for memory_id, line in lines.items():
        if line:
            settled[memory_id] = min(scores[memory_id] * BEHIND ** len(line), settled[line[0]] * BEHIND)
    return settled


def asserted(memory: Memory, as_of: datetime | None) -> datetime:
    """When a memory was last asserted, as far as was known at ``as_of``."""
    return memory.created_at if as_of is not None and memory.learned_at > as_of else memory.learned_at


def newest_first(
    scores: Mapping[str, float],
    holdings: Holdings,
    *,
    asked: Mapping[str, float],
    calibrations: Mapping[str, Calibration],
    as_of: datetime | None,
) -> dict[str, float]:
    """``scores`` with the newest of near-identical memories in front. ``asked``: the query's tokens and what they weigh."""
    settled = dict(scores)
    named = [token for token, weight in asked.items() if weight >= NAMING]
    best = sorted(scores, key=lambda memory_id: (-scores[memory_id], memory_id))[:COMPARED]
    for model, calibration in calibrations.items():
        index = holdings.vectors.get(model)
        if index is None:
            continue
        places = index.rows_at(np.array([holdings.slot_of[memory_id] for memory_id in best], np.int32))
        ids = [memory_id for memory_id, place in zip(best, places.tolist(), strict=True) if place >= 0]
        rows = index.matrix[places[places >= 0]]
        similar = calibration.a * (rows @ rows.T) + calibration.b
        alike = similar >= NEAR_IDENTICAL
        perhaps = similar >= ALIKE
        near = np.flatnonzero((perhaps & ~alike).any(axis=1))
        if len(near):
            texts, values = [holdings.memories[ids[i]].content for i in near], [scores[ids[i]] for i in near]
            grid = np.ix_(near, near)
            alike[grid] |= perhaps[grid] & _on_one_thing(texts, asked, values)
        pairs = [_by_age(ids[i], ids[j], holdings, as_of) for i, j in np.argwhere(alike).tolist() if i < j]
        for newer, older in sorted(pairs, key=lambda pair: [_age_key(m, holdings, as_of) for m in pair]):
            if _takes_over(holdings.memories[newer], holdings.memories[older], named, as_of):
                settled[newer] = max(settled[newer], settled[older])
                settled[older] = min(settled[older], settled[newer] * BEHIND)
    return settled


def _on_one_thing(texts: Sequence[str], asked: Mapping[str, float], scores: Sequence[float]) -> Mask:
    """Which two of the texts share most of their words, or answer about as well by most of those that were asked for; shape
    (texts, texts)."""
    numbers: dict[str, int] = {token: number for number, token in enumerate(asked)}
    said = [_tokens(text) for text in texts]
    held = [numbers.setdefault(token, len(numbers)) for tokens_of in said for token in tokens_of]
    holding = np.zeros((len(texts), len(numbers)), np.float32)
    holding[np.repeat(np.arange(len(texts)), [len(tokens_of) for tokens_of in said]), held] = 1.0
    lengths = holding.sum(axis=1)
    shared = holding @ holding.T
    alike = (shared >= SHARED_WORDS) & (shared >= SHARED_PART * np.maximum(lengths, lengths[:, None]) - _ROUNDING)
    weights = np.array(list(asked.values()), np.float32)
    covered = (holding[:, : len(asked)] * weights) @ holding[:, : len(asked)].T
    score = np.array(scores, np.float32)
    as_good = np.minimum(score, score[:, None]) >= AS_GOOD * np.maximum(score, score[:, None])
    return np.asarray(alike | as_good & (covered >= SAME_ANSWER * float(weights.sum()) - _ROUNDING), np.bool_)


@lru_cache(maxsize=4096)
def _tokens(text: str) -> frozenset[str]:
    return frozenset(tokens(text))


def _age_key(memory_id: str, holdings: Holdings, as_of: datetime | None) -> tuple[datetime, str]:
    return asserted(holdings.memories[memory_id], as_of), memory_id


def _by_age(one: str, other: str, holdings: Holdings, as_of: datetime | None) -> tuple[str, str]:
    """The newer first."""
    ordered = sorted((one, other), key=lambda memory_id: _age_key(memory_id, holdings, as_of))
    return ordered[1], ordered[0]


def _takes_over(newer: Memory, older: Memory, named: Collection[str], as_of: datetime | None) -> bool:
    demoted = as_of is None and older.active and not newer.active
    if demoted or asserted(newer, as_of) == asserted(older, as_of):
        return False
    differing = _tokens(newer.content) ^ _tokens(older.content)
    return bool(differing) and differing.isdisjoint(named)
