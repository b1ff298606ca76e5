"""Phase 5: what follows from strong links is linked; inferred links whose premise is gone fall.

Where a person takes a premise away, the writer lets them fall at once (``service.writer``); what dreams, weights and
restored memories change is settled here.
"""

from __future__ import annotations

from collections.abc import Iterator

from muninn.domain.memory import Link, LinkKey
from muninn.domain.operations import Connect, Operation
from muninn.domain.transitive import RELATION, Inference, inferences
from muninn.dream.context import Context, seen


def transitive(context: Context) -> Iterator[Operation]:
    """The difference between the inferred links there are and the ones the present links justify."""
    snapshot = context.snapshot
    active = [memory.id for memory in context.active]
    wanted = inferences(snapshot.links, active)
    present = {key: link for key, link in snapshot.links.items() if key.relation == RELATION and _inferred(link)}
    for key in sorted({*wanted, *present}):
        if not {key.source, key.target} <= snapshot.memories.keys():
            continue
        if context.rulings.declined("link", (key.source, key.target), snapshot.memories):
            continue
        operation = _difference(context, key, wanted.get(key), present.get(key))
        if operation is not None:
            yield operation


def _inferred(link: Link) -> bool:
    return bool(link.premises) and not link.rejected


def _difference(context: Context, key: LinkKey, wanted: Inference | None, present: Link | None) -> Connect | None:
    ends = (key.source, key.target)
    if wanted is None:
        assert present is not None  # noqa: S101  # the key came from one of the two
        return Connect(
            vault=context.vault, ids=ends, why="a premise is gone", seen=seen(context.snapshot, ends),
            relation=key.relation, before=present.weight, after=None, premises=present.premises,
        )  # fmt: skip
    if present is not None and (present.weight, present.premises) == (wanted.weight, (wanted.through,)):
        return None
    return Connect(
        vault=context.vault,
        ids=ends,
        why=f"{key.source} {wanted.steps[0]} {wanted.through} {wanted.steps[1]} {key.target}",
        seen=seen(context.snapshot, (*ends, wanted.through)),
        relation=key.relation,
        before=present.weight if present else None,
        after=wanted.weight,
        premises=(wanted.through,),
    )
