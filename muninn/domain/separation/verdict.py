"""Knows when two memories are merged, queued for review, or left alone.

Merge: calibrated cosine ≥ 0.95 and the guard lets the pair through; or ≥ 0.85 and the texts differ by one misspelling or by
the order of whole sentences; or the texts are equal after normalisation. Review, never merge: everything else from 0.85 up,
and from 0.70 when the texts state the same values and share half their content words.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from muninn.domain.memory import Kind, Memory
from muninn.domain.separation.comparison import Separation, compare, coverage
from muninn.domain.separation.features import Features, features
from muninn.domain.separation.misspelling import Vocabulary
from muninn.domain.separation.occasion import WHEN
from muninn.domain.separation.refusal import Refusal, value_differences
from muninn.domain.separation.slots import VALUE_SLOTS
from muninn.domain.separation.text import Text

MERGE_COSINE = 0.95
NEAR_COSINE = 0.85
EQUAL_COSINE = 0.70
"""Texts that are equal but for case, punctuation and spacing need no more: an upper-case copy is at 0.72–0.80 for e5, so
asking 0.85 of them would judge the embedder, not the texts."""
EQUAL = "equal but for case, punctuation or spacing"
"""The surest reason to merge."""
REVIEW_COSINE = 0.70
REVIEW_COVERAGE = 0.5

ATTRIBUTION = (
    "speaker", "author", "user", "user_id", "person", "subject", "owner", "customer", "client_id", "tenant", "account",
    "project", "repo", "repository", "environment", "env", "host", "branch", "file", "path", "channel",
)  # fmt: skip
"""Metadata that says whom or what a text is about: the same words under another value are another memory."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """``reason`` is a phrase for the journal: why, or which slot differs."""

    action: Literal["merge", "review", "none"]
    reason: str
    found: Separation | None = None


def merge_verdict(
    a: Text | Features,
    b: Text | Features,
    *,
    cosine: float,
    vocabulary: Vocabulary | None = None,
    ordered: bool = False,
) -> Verdict:
    """What to do with two texts. ``cosine`` is calibrated, 0–1. ``ordered``: the order of sentences is part of the meaning
    (procedures), so a reordering is only queued."""
    if cosine < REVIEW_COSINE:
        return Verdict("none", f"similarity {cosine:.2f}")
    left = a if isinstance(a, Features) else features(a)
    right = b if isinstance(b, Features) else features(b)
    if cosine < NEAR_COSINE and coverage(left, right) < REVIEW_COVERAGE:
        return Verdict("none", "too few words shared")
    found = compare(left, right, vocabulary=vocabulary)
    action, reason = _decided(found, cosine, ordered=ordered)
    return Verdict(action, reason, found)


def _decided(found: Separation, cosine: float, *, ordered: bool) -> tuple[Literal["merge", "review", "none"], str]:
    if found.equal_after_normalisation and cosine >= EQUAL_COSINE:
        return "merge", EQUAL
    if found.refusal is None and cosine >= NEAR_COSINE:
        if found.sentence_reorder:
            return "review" if ordered else "merge", "the same sentences in another order"
        if found.misspelling:
            return "merge", "equal but for one misspelling"
        if cosine >= MERGE_COSINE:
            return "merge", "the same words and values, written differently"
    if cosine >= NEAR_COSINE:
        return "review", str(found.refusal) if found.refusal else f"the same values at similarity {cosine:.2f}"
    if found.slots_equal and found.coverage >= REVIEW_COVERAGE:
        opposed = found.refusal is not None and found.refusal.slot in _OPPOSED
        told = str(found.refusal) if opposed else f"the same values, {found.coverage:.0%} of the words shared"
        return "review", told
    return "none", str(found.refusal) if found.refusal else f"similarity {cosine:.2f}"


def mergeable(first: Memory, second: Memory) -> str | None:
    """Why two memories must not be merged whatever their texts say, or None.

    Provenance-critical: metadata in ``ATTRIBUTION`` that both carry with different values, and events of different days (the
    same line in a log twice is two events). Client, session, role and run may differ: lineage keeps them.
    """
    if not (first.active and second.active):
        return f"{(second if first.active else first).id} is not active"
    if first.pinned or second.pinned:
        return f"{(first if first.pinned else second).id} is pinned"
    if first.kind != second.kind:
        return f"kinds differ: {first.kind} / {second.kind}"
    if first.vault != second.vault or first.tier != second.tier:
        return f"vaults differ: {first.vault} ({first.tier}) / {second.vault} ({second.tier})"
    if (first.valid_from, first.valid_until) != (second.valid_from, second.valid_until):
        return "validity differs"
    if first.kind is Kind.EVENT and first.created_at.date() != second.created_at.date():
        return "events of different days"
    return _attribution(first, second)


def replaceable(older: Memory, newer: Memory) -> str | None:
    """Why ``newer`` cannot be a newer version of ``older`` whatever their texts say, or None: what happened stays so, and
    what is said of one host, person or project replaces nothing that is said of another."""
    if Kind.EVENT in (older.kind, newer.kind):
        return "an event is not replaced"
    return _attribution(older, newer)


def _attribution(first: Memory, second: Memory) -> str | None:
    for key in ATTRIBUTION:
        one, other = first.metadata.get(key), second.metadata.get(key)
        if one is not None and other is not None and one != other:
            return f"{key} differs: {one} / {other}"
    return None


_SWAPPED = 2  # words exchanged one for one that still are an exchange, not another wording
_OPPOSED = frozenset({"negation", "antonym"})


def contradiction(a: Text | Features, b: Text | Features) -> Refusal | None:
    """What no judgement may merge away: each text states another value, one denies the other, or words are exchanged one
    for one. Another wording or order, or more said by one of them, is no contradiction."""
    refusal = compare(a, b).refusal
    if refusal is None or refusal.slot in _OPPOSED:
        return refusal
    if refusal.slot in ("order", "writing") or not (refusal.left and refusal.right):
        return None
    left, right = len(refusal.left.split()), len(refusal.right.split())
    return refusal if refusal.slot in VALUE_SLOTS or left == right <= _SWAPPED else None


_OCCASIONAL = WHEN | {"number"}


def occasions(left: Features, right: Features, *, events: bool = False) -> bool:
    """Whether the texts state different values, and all of these only say on which occasion. ``events``: both tell what
    happened, so that any date or time does. Then both may be true."""
    differs = False
    for one, other in ((left, right), (right, left)):
        stated = {(slot, value) for slot, values in one.values.items() for value in values.keys() - other.stated}
        differs = differs or bool(stated)
        if not _OCCASIONAL.issuperset(slot for slot, _ in stated):
            return False
        open_to_doubt = {(slot, value) for slot, value in stated if not (events and slot in WHEN)}
        if open_to_doubt and not open_to_doubt.issubset(one.occasion):
            return False
    return differs and not any(one.slot in ("name", "quoted") for one in value_differences(left, right))
