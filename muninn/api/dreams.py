"""Dreams: run, list, undo; the journal."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Annotated, Any

import msgspec

from muninn.api.calls import Answer, Call, Core, Route, typed
from muninn.api.ids import dream_id
from muninn.api.wire import dream_document


class Dream(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """``timeout``: seconds. ``plan``: a plan made by a dry run, to be applied exactly; refused when the vault moved."""

    dry_run: bool = False
    force: bool = False
    vault: str | None = None
    timeout: Annotated[float, msgspec.Meta(ge=0.1, le=86_400)] | None = None
    no_llm: bool = False
    plan: dict[str, Any] | None = None


def dream(core: Core, call: Call) -> Answer:
    asked: Dream = typed(call, Dream)
    vault = core.service.find_vault(asked.vault).name if asked.vault else None
    with core.rehearsal() if asked.dry_run else nullcontext():
        outcome = core.dreamer.dream(
            force=asked.force,
            dry_run=asked.dry_run,
            vault=vault,
            timeout=asked.timeout if asked.timeout is not None else core.config.dream.timeout,
            llm=not asked.no_llm,
            plan=asked.plan,
        )
    return Answer(document=outcome.document())


def dreams(core: Core, _: Call) -> Answer:
    return Answer(document={"dreams": [dream_document(record) for record in core.service.dreams()]})


def undo(core: Core, call: Call) -> Answer:
    """Take a dream back; ``last`` names the newest that changed something and was not undone."""
    return Answer(document=core.dreamer.undo(dream_id(core, call.path["id"])))


def journal(core: Core, call: Call) -> Answer:
    last = call.number("last", 20, high=10_000)
    return Answer(document={"entries": core.dreamer.journal(last=last, since=call.query.get("since") or None)})


ROUTES = (
    Route(
        method="POST",
        path="/v1/dreams",
        handler=dream,
        summary="Dream now, or say what a dream would do",
        body=Dream,
        writes=True,
    ),
    Route(method="GET", path="/v1/dreams", handler=dreams, summary="Every dream that ran"),
    Route(method="POST", path="/v1/dreams/{id}/undo", handler=undo, summary="Take a whole dream back", writes=True),
    Route(method="GET", path="/v1/journal", handler=journal, summary="The dream journal", query=("last", "since")),
)
