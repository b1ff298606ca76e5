"""Likenesses between this vault and the others, to be put before a model: only it may suggest, only a person may link.

Looked at for memories that are new since the last dream, within one embedder, never from or to a legal vault.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import numpy as np

from muninn.domain.memory import Matrix, Memory, Vault
from muninn.domain.trust import Tier
from muninn.dream.context import Context
from muninn.dream.phases.vectors import active_rows
from muninn.llm.prompts import Group, GroupKind

LOWEST = 0.70  # calibrated similarity
FRESH = 256  # memories of this vault looked at in one dream, most relevant first
PAIRS = 10  # put before a model at once


def likenesses(context: Context) -> Iterator[Group]:
    """Pairs (own memory, memory of another vault), most alike first."""
    found: list[tuple[float, str, str, Memory, Memory]] = []
    for vault in context.read.vaults():
        if vault.name != context.vault and vault.tier is not Tier.LEGAL and not context.out_of_time:
            found.extend(_with(context, vault))
    found.sort(key=lambda one: (-one[0], one[1], one[2]))
    fresh = (one for one in found if suggestion_id(one[1], one[2]) not in context.suggested)
    for number, (_, _, _, mine, theirs) in enumerate(fresh):
        if number >= PAIRS:
            return
        yield Group(GroupKind.ACROSS, (mine, theirs))


def _with(context: Context, vault: Vault) -> Iterator[tuple[float, str, str, Memory, Memory]]:
    new = _fresh(context)
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
    known = set(context.scanned.tolist())
    new = [context.snapshot.memories[key] for key, mark in compared.items() if mark not in known]
    new.sort(key=lambda memory: (-memory.relevance, memory.id))
    return {memory.id for memory in new[:FRESH]}


def pair_of(group: Group) -> str:
    """The id under which the two memories of a likeness, or the ends of any other group, would be suggested."""
    return suggestion_id(group.memories[0].id, group.memories[-1].id)


def suggestion_id(one: str, other: str) -> str:
    """The short id of the suggestion about two memories, the same in either direction."""
    pair = "+".join(sorted((one, other)))
    return "s" + hashlib.blake2b(pair.encode("utf-8", "surrogatepass"), digest_size=5).hexdigest()
