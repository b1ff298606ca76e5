"""Values as the JSON documents that the API, the command line and the export show."""

from __future__ import annotations

from typing import Any

import msgspec

from muninn.domain.birth import gone
from muninn.domain.memory import Link, Memory, Vault
from muninn.domain.records import DreamRecord, Suggestion
from muninn.ports import Answer, Hit, Neighbour
from muninn.service import MemoryService, Remembered

Document = dict[str, Any]


def plain(value: object) -> Any:
    """Dataclasses, times and enums as plain JSON data."""
    return msgspec.to_builtins(value)


def encoded(document: object) -> bytes:
    return msgspec.json.encode(document)


def memory_document(memory: Memory) -> Document:
    document: Document = plain(memory)
    return document


def link_document(link: Link) -> Document:
    document: Document = plain(link)
    return document


def full_document(service: MemoryService, memory: Memory) -> Document:
    """A memory with its links, where its chain ends, and which of its lineage is gone."""
    document = memory_document(memory)
    document["links"] = [link_document(link) for link in service.read.links_of(memory.id)]
    document["head"] = service.head(memory).id
    document["gone"] = list(gone(memory, service.read.get))
    return document


def remembered_document(remembered: Remembered, similar: tuple[tuple[Neighbour, str], ...]) -> Document:
    return {
        **memory_document(remembered.memory),
        "created": remembered.created,
        "vault_created": remembered.vault_created,
        "links": [link_document(link) for link in remembered.links],
        "similar": [
            {"id": n.memory.id, "title": n.memory.title, "similarity": round(n.similarity, 4), "relation": relation}
            for n, relation in similar
        ],
        "notes": list(remembered.notes),
    }


def hit_document(hit: Hit) -> Document:
    memory = hit.memory
    document: Document = {
        "id": memory.id,
        "vault": memory.vault,
        "tier": memory.tier.value,
        "title": memory.title,
        "content": memory.content,
        "kind": memory.kind.value,
        "tags": list(memory.tags),
        "state": memory.state.value,
        "score": round(hit.score, 6),
        "strength": round(hit.strength, 6),
        "why": hit.why,
        "superseded_by": hit.superseded_by,
        "gone": list(hit.gone),
        "conflicts_with": list(hit.conflicts_with),
        **plain({"created_at": memory.created_at, "learned_at": memory.learned_at, "valid_from": memory.valid_from,
                 "valid_until": memory.valid_until}),
    }  # fmt: skip
    if hit.components is not None:
        document["components"] = plain(dict(hit.components))
    return document


def answer_document(answer: Answer) -> Document:
    return {
        "results": [hit_document(hit) for hit in answer.hits],
        "degraded": answer.degraded,
        "abstained": answer.abstained,
        "notes": list(answer.notes),
    }


def vault_document(vault: Vault, *, memories: int, providers: list[str]) -> Document:
    return {
        "name": vault.name,
        "tier": vault.tier.value,
        "memories": memories,
        "providers": providers,
        "created_at": plain(vault.created_at),
    }


def dream_document(record: DreamRecord) -> Document:
    document: Document = plain(record)
    report = document.pop("report")
    return {
        "dream_id": document.pop("id"),
        **document,
        **{key: value for key, value in report.items() if key not in document},
    }


def suggestion_document(suggestion: Suggestion) -> Document:
    document: Document = plain(suggestion)
    return document
