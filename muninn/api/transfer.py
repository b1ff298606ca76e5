"""Many memories at once: import, export, graph. An export imported into an empty home is the same store again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from muninn import __version__, graph
from muninn.api.calls import Answer, Call, Core, Route, provenance_from, typed
from muninn.api.wire import encoded, link_document, memory_document, plain
from muninn.domain.memory import Memory, vault_key
from muninn.errors import UsageError
from muninn.service.rows import import_rows

FORMAT = "muninn-export/1"


class Import(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """Rows in the fields of a memory, with ``links[]`` and optionally ``embedding`` and ``embedding_model``.

    ``exact``: the rows are muninn's own export and are taken as they are. ``vaults``: {name, tier} to create first.
    ``links``: links whose target was not there when its source came.
    """

    rows: list[Any] = []
    vault: str | None = None
    exact: bool = False
    dry_run: bool = False
    links: list[Any] = []
    vaults: list[Any] = []
    first_line: int = 1


def import_(core: Core, call: Call) -> Answer:
    asked: Import = typed(call, Import)
    outcome = import_rows(
        core.service,
        asked.rows,
        vault=asked.vault,
        exact=asked.exact,
        dry_run=asked.dry_run,
        links=asked.links,
        vaults=asked.vaults,
        first_line=asked.first_line,
        by=call.provenance,
        provenance=lambda given: provenance_from(given, client=str(given.get("client") or "import")),
        now=core.clock.now(),
    )
    return Answer(document=outcome)


def _ordered(core: Core, call: Call) -> list[Memory]:
    vault = core.service.find_vault(call.query["vault"]).name if call.query.get("vault") else None
    run = call.query.get("run")
    rows = [m for m in core.service.read.memories(vault) if run is None or m.provenance.run_id == run]
    return sorted(rows, key=lambda m: (vault_key(m.vault), m.created_at, m.id))


def export(core: Core, call: Call) -> Answer:
    return Answer(
        lines=_export_lines(core, _ordered(core, call), call.query.get("vault")), media="application/x-ndjson"
    )


def _export_lines(core: Core, memories: list[Memory], only: str | None) -> Iterator[bytes]:
    vaults = [plain(v) for v in core.service.read.vaults() if only is None or v.key == vault_key(only)]
    yield encoded({"format": FORMAT, "muninn": __version__, "vaults": vaults}) + b"\n"
    encoder = msgspec.json.Encoder(order="sorted")
    for memory in memories:
        document = memory_document(memory)
        outgoing = [one for one in core.service.read.all_links_of(memory.id) if one.source == memory.id]
        document["links"] = [link_document(one) for one in sorted(outgoing, key=lambda one: one.key)]
        yield encoder.encode(document) + b"\n"


def show_graph(core: Core, call: Call) -> Answer:
    """A vault as GraphML, JSON or a picture."""
    kind = call.query.get("format", "json")
    memories = [memory for memory in _ordered(core, call) if memory.active]
    ids = {memory.id for memory in memories}
    links = {
        one.key: one
        for memory in memories
        for one in core.service.read.links_of(memory.id)
        if {one.source, one.target} <= ids
    }
    ordered = [links[key] for key in sorted(links)]
    if kind == "json":
        return Answer(document=graph.json_graph(memories, ordered))
    if kind == "graphml":
        return Answer(text=graph.graphml(memories, ordered), media="application/graphml+xml")
    if kind in ("svg", "html"):
        return Answer(
            text=graph.picture(memories, ordered, form=kind, around=call.query.get("around") or None),
            media="image/svg+xml" if kind == "svg" else "text/html",
        )
    raise UsageError(f"unknown graph format {kind[:40]!r}", hint="one of: json, graphml, svg, html")


def backfill(core: Core, call: Call) -> Answer:
    """Make the automatic links that older memories lack."""
    asked = call.object()
    names = (
        [core.service.find_vault(str(asked["vault"])).name]
        if asked.get("vault")
        else [v.name for v in core.service.read.vaults()]
    )
    made, gone = core.service.backfill(names, dry_run=bool(asked.get("dry_run")), by=call.provenance)
    return Answer(
        document={
            "links": [link_document(one) for one in made],
            "withdrawn": len(gone),
            "dry_run": bool(asked.get("dry_run")),
        }
    )


def reembed(core: Core, _: Call) -> Answer:
    """Embed again what another model embedded; it happens in the background."""
    renewed = core.service.renew_embeddings()
    return Answer(document={"renewed": renewed, "pending": len(core.service.read.pending_embeddings())})


ROUTES = (
    Route(
        method="POST",
        path="/v1/import",
        handler=import_,
        summary="Store many memories in one commit",
        body=Import,
        writes=True,
    ),
    Route(
        method="GET", path="/v1/export", handler=export, summary="Every memory as JSON lines", query=("vault", "run")
    ),
    Route(
        method="GET",
        path="/v1/graph",
        handler=show_graph,
        summary="A vault as a graph",
        query=("vault", "format", "around"),
    ),
    Route(
        method="POST",
        path="/v1/graph/backfill",
        handler=backfill,
        summary="Make the automatic links that are missing",
        writes=True,
    ),
    Route(
        method="POST",
        path="/v1/reembed",
        handler=reembed,
        summary="Embed again what another model embedded",
        writes=True,
    ),
)
