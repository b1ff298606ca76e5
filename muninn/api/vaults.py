"""Vaults, links and suggestions."""

from __future__ import annotations

from typing import Any

import msgspec

from muninn.api.calls import Answer, Call, Core, Route, typed
from muninn.api.ids import memory_id
from muninn.api.wire import link_document, suggestion_document, vault_document
from muninn.domain.linking import orphans
from muninn.domain.memory import Provenance, Vault
from muninn.domain.trust import parse_tier
from muninn.errors import UsageError

_STATUSES = ("pending", "accepted", "rejected")  # of a suggestion


class Link(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    source: str
    target: str
    relation: str = "relates_to"
    weight: float = 0.8


class Unlink(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    source: str
    target: str
    relation: str


class VaultBody(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    name: str
    tier: str | None = None
    confirm: bool = False


def _document(core: Core, vault: Vault) -> dict[str, Any]:
    count = core.service.read.count(vault.name)
    return vault_document(vault, memories=count, providers=list(core.models.for_tier(vault.tier)))


def list_vaults(core: Core, _: Call) -> Answer:
    return Answer(document={"vaults": [_document(core, vault) for vault in core.service.read.vaults()]})


def create_vault(core: Core, call: Call) -> Answer:
    asked: VaultBody = typed(call, VaultBody)
    tier = parse_tier(asked.tier) if asked.tier is not None else None
    return Answer(
        document=_document(core, core.service.create_vault(asked.name, tier=tier, by=call.provenance)), status=201
    )


def set_vault(core: Core, call: Call) -> Answer:
    asked: VaultBody = typed(call, VaultBody)
    if asked.tier is None:
        raise UsageError("nothing to change", hint="give tier")
    before = core.service.find_vault(asked.name)
    vault = core.service.set_tier(asked.name, parse_tier(asked.tier), confirmed=asked.confirm, by=call.provenance)
    if vault.tier is not before.tier:
        core.dreamer.note_tier_change(vault, before=before.tier)
    return Answer(document=_document(core, vault))


def remove_vault(core: Core, call: Call) -> Answer:
    vault = core.service.remove_vault(call.path["name"], by=call.provenance)
    return Answer(document={"name": vault.name, "removed": True})


def link(core: Core, call: Call) -> Answer:
    asked: Link = typed(call, Link)
    made = core.service.link(
        *_ends(core, asked, by=call.provenance), relation=asked.relation, weight=asked.weight, by=call.provenance
    )
    return Answer(document=link_document(made), status=201)


def _ends(core: Core, asked: Link | Unlink, *, by: Provenance) -> tuple[str, str]:
    return memory_id(core, asked.source, by=by), memory_id(core, asked.target, by=by)


def unlink(core: Core, call: Call) -> Answer:
    asked: Unlink = typed(call, Unlink)
    gone = core.service.unlink(*_ends(core, asked, by=call.provenance), relation=asked.relation, by=call.provenance)
    return Answer(document={**link_document(gone), "removed": True})


def links_of(core: Core, call: Call) -> Answer:
    memory = core.service.require(memory_id(core, call.path["id"], by=call.provenance))
    links = core.service.read.links_of(memory.id)
    ends = {end for one in links for end in (one.source, one.target)} - {memory.id}
    found = [other for other in map(core.service.read.get, sorted(ends)) if other is not None]
    titles = {
        other.id: {"title": other.title, "vault": other.vault, "tier": other.tier.value, "state": other.state.value}
        for other in found
    }
    whose = {"id": memory.id, "vault": memory.vault, "tier": memory.tier.value}
    return Answer(document={**whose, "links": [link_document(one) for one in links], "memories": titles})


def list_links(core: Core, call: Call) -> Answer:
    """Every link of a vault, or with ``orphans`` the memories that have none, by path of birth."""
    read = core.service.read
    vault = core.service.find_vault(call.query["vault"]).name if call.query.get("vault") else None
    memories = [memory for memory in read.memories(vault) if memory.active]
    links = {one.key: one for memory in memories for one in read.links_of(memory.id)}
    if not call.flag("orphans"):
        return Answer(document={"links": [link_document(one) for _, one in sorted(links.items())]})
    lonely = [
        {"id": o.memory.id, "title": o.memory.title, "vault": o.memory.vault, "born_by": o.born_by}
        for o in orphans(memories, links.values())
    ]
    return Answer(document={"orphans": lonely, "memories": len(memories)})


def list_suggestions(core: Core, call: Call) -> Answer:
    status = call.choice("status", _STATUSES, default="pending")
    found = [s for s in core.service.suggestions() if status in ("all", s.status)]
    return Answer(document={"suggestions": [suggestion_document(s) for s in found]})


def accept(core: Core, call: Call) -> Answer:
    decided, made = core.service.decide(call.path["id"], accept=True, by=call.provenance)
    return Answer(document={**suggestion_document(decided), "link": link_document(made) if made else None})


def reject(core: Core, call: Call) -> Answer:
    decided, _ = core.service.decide(call.path["id"], accept=False, by=call.provenance)
    return Answer(document=suggestion_document(decided))


ROUTES = (
    Route(
        method="GET",
        path="/v1/vaults",
        handler=list_vaults,
        summary="List vaults with tier, size and allowed providers",
    ),
    Route(
        method="POST", path="/v1/vaults", handler=create_vault, summary="Create a vault", body=VaultBody, writes=True
    ),
    Route(
        method="PATCH",
        path="/v1/vaults",
        handler=set_vault,
        summary="Move a vault to another tier",
        body=VaultBody,
        writes=True,
    ),
    Route(
        method="DELETE", path="/v1/vaults/{name}", handler=remove_vault, summary="Remove an empty vault", writes=True
    ),
    Route(
        method="GET", path="/v1/links", handler=list_links, summary="List links, or orphans", query=("vault", "orphans")
    ),
    Route(
        method="POST", path="/v1/links", handler=link, summary="Link two memories of a vault", body=Link, writes=True
    ),
    Route(method="DELETE", path="/v1/links", handler=unlink, summary="Take a link away", body=Unlink, writes=True),
    Route(method="GET", path="/v1/memories/{id}/links", handler=links_of, summary="Links and neighbours of a memory"),
    Route(
        method="GET",
        path="/v1/suggestions",
        handler=list_suggestions,
        summary="Cross-vault connections awaiting a human",
        query=("status",),
    ),
    Route(
        method="POST",
        path="/v1/suggestions/{id}/accept",
        handler=accept,
        summary="Accept a suggestion: the link is made",
        writes=True,
    ),
    Route(
        method="POST", path="/v1/suggestions/{id}/reject", handler=reject, summary="Reject a suggestion", writes=True
    ),
)
