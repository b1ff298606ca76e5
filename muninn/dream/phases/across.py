"""Likenesses between this vault and the others, to be put before a model: only it may suggest, only a person may link.

Looked at for memories about whose likenesses no model was asked yet, within one embedder, never from or to a legal vault.
What a dream without a model, or one that ran out of time or room, leaves unasked, a later one asks.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from muninn.domain.memory import Matrix, Memory, Vault
from muninn.domain.trust import Tier
from muninn.dream.context import Context
from muninn.dream.phases.vectors import active_rows
from muninn.llm.prompts import BUDGET, Group, GroupKind, cost

LOWEST = 0.70  # calibrated similarity
FRESH = 256  # memories of this vault looked at in one dream, most relevant first
PAIRS = 10  # put before a model at once


@dataclass(frozen=True, slots=True, kw_only=True)
class Likenesses:
    """Pairs (own memory, memory of another vault) to ask about, most alike first; ``looked``: own memories looked at."""

    pairs: tuple[Group, ...]
    looked: frozenset[str]

    @property
    def now(self) -> tuple[Group, ...]:
        """Those for one dream."""
        return self.pairs[:PAIRS]

    def note(self, context: Context, unasked: Iterable[Group]) -> None:
        """Write down what was asked once all but ``unasked`` of these pairs were put before a model."""
        left = {pair_name(one) for one in (*self.pairs[PAIRS:], *unasked)}
        judged = [one for one in self.now if pair_name(one) not in left]
        context.findings.paired.update((pair_name(one), _suggested_as(one)) for one in judged)
        # a pair that no request can hold would be in the way of others for ever
        waiting = {one.memories[0].id for one in self.pairs if pair_name(one) in left and cost(one) <= BUDGET}
        context.findings.put |= self.looked - waiting


def likenesses(context: Context) -> Likenesses:
    """What nobody was asked about yet."""
    new = _fresh(context)
    found: list[tuple[float, str, str, Memory, Memory]] = []
    for vault in context.read.vaults():
        if vault.name != context.vault and vault.tier is not Tier.LEGAL and not context.out_of_time:
            found.extend(_with(context, vault, new))
    found.sort(key=lambda one: (-one[0], one[1], one[2]))
    groups = [Group(GroupKind.ACROSS, (mine, theirs)) for _, _, _, mine, theirs in found]
    pairs = [
        one for one in groups if _suggested_as(one) not in context.suggested and pair_name(one) not in context.paired
    ]
    return Likenesses(pairs=tuple(pairs), looked=frozenset() if context.out_of_time else frozenset(new))


def _with(context: Context, vault: Vault, new: set[str]) -> Iterator[tuple[float, str, str, Memory, Memory]]:
    other = context.read.snapshot(vault.name)
    for block in context.snapshot.vectors:
        mine, own = active_rows(context.snapshot, block, only=new)
        theirs_block = next((one for one in other.vectors if one.model == block.model), None)
        if not mine or theirs_block is None:
            continue
        theirs, foreign = active_rows(other, theirs_block)
        if not theirs:
            continue
        calibration = context.calibration(block.model)
        best, scores = _nearest(own, foreign)
        for row, memory in enumerate(mine):
            similarity = min(1.0, calibration.a * float(scores[row]) + calibration.b)
            partner = theirs[int(best[row])]
            if similarity >= LOWEST and partner.tier is not Tier.LEGAL:
                yield similarity, memory.id, partner.id, memory, partner


def _nearest(own: Matrix, foreign: Matrix) -> tuple[np.ndarray[tuple[int], np.dtype[np.int64]], Matrix]:
    """For each row of ``own`` the best row of ``foreign`` and its cosine."""
    products = own @ foreign.T
    best = products.argmax(axis=1)
    return best, products[np.arange(len(own)), best]


def _fresh(context: Context) -> set[str]:
    compared = context.findings.compared or {}
    new = [context.snapshot.memories[key] for key, mark in compared.items() if mark not in context.put]
    new = [memory for memory in new if memory.active]
    new.sort(key=lambda memory: (-memory.relevance, memory.id))
    return {memory.id for memory in new[:FRESH]}


def _suggested_as(pair: Group) -> str:
    return suggestion_id(*(memory.id for memory in pair.memories))


def pair_name(pair: Group) -> str:
    """A short name for two memories as they read now, the same from either vault."""
    return short_name(f"{memory.id}:{memory.content_hash}" for memory in pair.memories)


def suggestion_id(one: str, other: str) -> str:
    """The short id of the suggestion about two memories, the same in either direction."""
    return "s" + short_name((one, other))


def short_name(parts: Iterable[str]) -> str:
    """Ten characters that stand for ``parts`` in any order."""
    return hashlib.blake2b("+".join(sorted(parts)).encode("utf-8", "surrogatepass"), digest_size=5).hexdigest()
