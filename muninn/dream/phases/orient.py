"""Phase 0: what is there. Reads, counts, changes nothing; the only phase a legal vault gets."""

from __future__ import annotations

from collections.abc import Iterator

from muninn.domain.operations import Operation, Oriented
from muninn.dream.context import Context


def orient(context: Context) -> Iterator[Operation]:
    """One finding: counts, embedding coverage, mean relevance and stability of the active memories."""
    active = context.active
    count = len(active)
    yield Oriented(
        vault=context.vault,
        ids=(),
        why="counted",
        memories=len(context.snapshot.memories),
        active=count,
        embedded=sum(memory.embedding_model is not None for memory in active),
        mean_relevance=round(sum(memory.relevance for memory in active) / count, 4) if count else 0.0,
        mean_stability=round(sum(memory.stability for memory in active) / count, 2) if count else 0.0,
        tier=context.tier,
    )
