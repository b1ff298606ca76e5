"""Phase 3: well-connected, relevant memories become schemas, once."""

from __future__ import annotations

from collections.abc import Iterator

from muninn.domain.operations import Operation, Promote
from muninn.domain.schema import lifted, promotable
from muninn.dream.context import Context, seen


def schema(context: Context) -> Iterator[Operation]:
    """A promotion for each memory on which enough others hang."""
    snapshot = context.snapshot
    active = {memory.id: memory for memory in context.active}
    for memory, degree in promotable(active, snapshot.links.values()):
        if context.rulings.declined("promote", (memory.id,), active):
            continue
        yield Promote(
            vault=context.vault,
            ids=(memory.id,),
            why=f"{degree} memories hang on it, relevance {memory.relevance:.2f}",
            seen=seen(snapshot, (memory.id,)),
            kind_before=memory.kind,
            relevance_before=memory.relevance,
            relevance_after=lifted(memory.relevance),
        )
