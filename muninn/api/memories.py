"""Memories and recall: remember, read, edit, forget, restore, recall."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import msgspec

from muninn.api.calls import Answer, Call, Core, Route, provenance_from, typed
from muninn.api.ids import memory_id
from muninn.api.wire import answer_document, full_document, memory_document, remembered_document
from muninn.domain.draft import Draft, parse_draft, parse_time, size_of
from muninn.domain.memory import Provenance, State
from muninn.errors import MuninnError, TooLargeError, UsageError
from muninn.ports import Query
from muninn.service.similar import similar_to

RECALL_LIMIT = 100
QUERY_LIMIT = 8_000  # characters: what an embedder reads of a text
_LIST_LIMIT = 1000


class Remember(msgspec.Struct, kw_only=True):
    """A memory to store; only the content is required."""

    content: str
    title: str | None = None
    vault: str | None = None
    kind: str | None = None
    tags: list[str] = []
    metadata: dict[str, Any] = {}
    created_at: str | None = None
    learned_at: str | None = None
    valid_from: str | None = None
    valid_until: str | None = None
    pinned: bool = False
    relevance: float | None = None
    confidence: float | None = None
    supersedes: str | None = None
    provenance: dict[str, Any] | None = None


_WRITABLE = frozenset(Remember.__struct_fields__) - {"provenance"}


class Recall(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """A question. ``vault`` is one name or several; none means every vault."""

    query: str
    vault: str | list[str] | None = None
    limit: int = 10
    as_of: str | None = None
    explain: bool = False
    include_archived: bool = False
    run: str | None = None


def _draft(core: Core, values: object, call: Call) -> tuple[Draft, Provenance]:
    if not isinstance(values, dict):
        raise UsageError("a memory must be a JSON object")
    provenance = values.get("provenance")
    if provenance is not None and not isinstance(provenance, dict):
        raise UsageError("provenance must be a JSON object")
    unknown = sorted(set(values) - _WRITABLE - {"provenance"})
    if unknown:
        raise UsageError(f"field {unknown[0]!r} cannot be set", hint=f"known: {', '.join(sorted(_WRITABLE))}")
    draft = parse_draft({k: v for k, v in values.items() if k in _WRITABLE}, now=core.clock.now())
    header = call.provenance
    if draft.supersedes:
        draft = replace(draft, supersedes=memory_id(core, draft.supersedes, by=header))
    if not provenance:
        return draft, header
    base = {
        name: getattr(header, name)
        for name in ("session_id", "agent_role", "run_id", "run_trigger", "iteration", "tool")
    }
    return draft, provenance_from({**base, **provenance}, client=header.client)


def remember(core: Core, call: Call) -> Answer:
    """Store one memory, or several when the body is a list."""
    if isinstance(call.body, list):
        return Answer(document={"results": [_remember_one(core, values, call) for values in call.body]})
    draft, by = _draft(core, call.object(), call)
    made = core.service.remember(draft, by=by)
    document = remembered_document(made, similar_to(core.service, made.memory))
    return Answer(document=document, status=201 if made.created else 200)


def _remember_one(core: Core, values: object, call: Call) -> dict[str, Any]:
    try:
        draft, by = _draft(core, values, call)
        made = core.service.remember(draft, by=by)
    except MuninnError as error:
        return {"error": str(error), "status": error.status}
    return remembered_document(made, ())


def list_memories(core: Core, call: Call) -> Answer:
    """Memories by vault and id; ``after`` is the last id of the page before."""
    vault = core.service.find_vault(call.query["vault"]).name if call.query.get("vault") else None
    state, run, after = (
        call.choice("state", State, default="active"),
        call.query.get("run"),
        call.query.get("after", ""),
    )
    limit = call.number("limit", 100, high=_LIST_LIMIT)
    rows = [
        memory
        for memory in core.service.read.memories(vault)
        if (state in ("all", memory.state.value))
        and memory.id > after
        and (run is None or memory.provenance.run_id == run)
    ]
    rows.sort(key=lambda memory: memory.id)
    page = rows[:limit]
    return Answer(
        document={"memories": [memory_document(m) for m in page], "more": len(rows) > limit, "total": len(rows)}
    )


def show(core: Core, call: Call) -> Answer:
    by = call.provenance
    memory = core.service.look(memory_id(core, call.path["id"], by=by), session_id=by.session_id)
    return Answer(document=full_document(core.service, memory))


def edit(core: Core, call: Call) -> Answer:
    made = core.service.edit(memory_id(core, call.path["id"], by=call.provenance), call.object(), by=call.provenance)
    return Answer(document={**full_document(core.service, made.memory), "notes": list(made.notes)})


def forget(core: Core, call: Call) -> Answer:
    memory = core.service.require(memory_id(core, call.path["id"], by=call.provenance))
    if not call.flag("purge"):
        return Answer(document=full_document(core.service, core.service.forget(memory.id, by=call.provenance)))
    copies = core.copies_since(min(memory.created_at, memory.learned_at))
    kin = sorted(m.id for m in core.service.read.memories(memory.vault) if m.superseded_by == memory.id)
    erased = core.dreamer.purge(memory.id, by=call.provenance)
    return Answer(document={**erased, "backups": [str(path) for path in copies], "replaced": kin}, erases=True)


def restore(core: Core, call: Call) -> Answer:
    restored = core.service.restore(memory_id(core, call.path["id"], by=call.provenance), by=call.provenance)
    return Answer(document=full_document(core.service, restored))


def recall(core: Core, call: Call) -> Answer:
    asked: Recall = typed(call, Recall)
    if not 1 <= asked.limit <= RECALL_LIMIT:
        raise UsageError(f"limit {asked.limit} is out of range", hint=f"1 to {RECALL_LIMIT}")
    if not asked.query.strip():
        raise UsageError("the query is blank", hint="say what to look for")
    if len(asked.query) > QUERY_LIMIT:
        raise TooLargeError(
            f"the query has {len(asked.query):,} characters",
            hint=f"at most {QUERY_LIMIT:,}; ask with its main sentence",
        )
    size_of("the query", asked.query)
    named = [asked.vault] if isinstance(asked.vault, str) else asked.vault or []
    now = core.clock.now()
    query = Query(
        text=asked.query,
        vaults=tuple(core.service.find_vault(name).name for name in named),
        limit=asked.limit,
        as_of=parse_time("as_of", asked.as_of, latest=now.replace(year=9000)),
        explain=asked.explain,
        include_archived=asked.include_archived,
        run_id=asked.run,
        session_id=call.provenance.session_id,
    )
    return Answer(document=answer_document(core.service.recall(query)))


ROUTES = (
    Route(
        method="POST",
        path="/v1/memories",
        handler=remember,
        summary="Store one memory (or a list)",
        body=Remember,
        writes=True,
    ),
    Route(
        method="GET",
        path="/v1/memories",
        handler=list_memories,
        summary="List memories",
        query=("vault", "state", "run", "after", "limit"),
    ),
    Route(method="GET", path="/v1/memories/{id}", handler=show, summary="Read one memory"),
    Route(method="PATCH", path="/v1/memories/{id}", handler=edit, summary="Edit fields of a memory", writes=True),
    Route(
        method="DELETE",
        path="/v1/memories/{id}",
        handler=forget,
        summary="Forget a memory; purge erases it",
        writes=True,
        query=("purge",),
    ),
    Route(
        method="POST",
        path="/v1/memories/{id}/restore",
        handler=restore,
        summary="Make a memory active again",
        writes=True,
    ),
    Route(
        method="POST",
        path="/v1/recall",
        handler=recall,
        summary="Recall by meaning, words and association",
        body=Recall,
    ),
)
