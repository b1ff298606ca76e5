"""Purging: erase every trace of memories from the records that quote them, so that nothing can bring them back."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import replace

from muninn.domain.records import DreamRecord, OperationRecord
from muninn.store import schema
from muninn.store.schema import link_key
from muninn.store.tables import Tables

_TEXT = frozenset({"reason", "content", "title", "vector", "model", "seen"})
"""Fields of an operation that hold text, or what was made of it; with the others it can still be undone for the rest."""


def erase(tables: Tables, purged: AbstractSet[str]) -> None:
    """Rewrite operations without text and without the before-images of ``purged``; drop links, usage, suggestions and
    decisions about them."""
    operations = [record for record in tables.scan(schema.OPERATIONS) if _quotes(record, purged)]
    if operations:
        tables.upsert(schema.OPERATIONS, [without(record, purged) for record in operations])
    told = [record for record in tables.scan(schema.DREAMS) if _tells(record, purged)]
    if told:
        tables.upsert(schema.DREAMS, [_silenced(record, purged) for record in told])
    doomed = {
        schema.LINKS: [link_key(link.key) for link in tables.scan(schema.LINKS) if {link.source, link.target} & purged],
        schema.USAGE: [event.id for event in tables.scan(schema.USAGE) if purged & set(event.memories)],
        schema.SUGGESTIONS: [s.id for s in tables.scan(schema.SUGGESTIONS) if {s.source, s.target} & purged],
        schema.DECISIONS: [d.key for d in tables.scan(schema.DECISIONS) if purged & set(d.ids)],
    }
    for table, keys in doomed.items():
        if keys:
            tables.delete(table, keys)


def _tells(record: DreamRecord, purged: AbstractSet[str]) -> bool:
    narrative = record.report.get("narrative")
    return isinstance(narrative, (list, tuple)) and any(purged & set(map(str, ids)) for _, ids in narrative)


def _silenced(record: DreamRecord, purged: AbstractSet[str]) -> DreamRecord:
    """The record without the sentences that speak of purged memories."""
    narrative = record.report.get("narrative")
    told = narrative if isinstance(narrative, (list, tuple)) else ()
    kept = [[sentence, ids] for sentence, ids in told if not purged & set(map(str, ids))]
    return replace(record, report={**record.report, "narrative": kept})


def _quotes(record: OperationRecord, purged: AbstractSet[str]) -> bool:
    raw_ids = record.operation.get("ids")
    ids = set(map(str, raw_ids)) if isinstance(raw_ids, (list, tuple)) else set()
    return bool(purged & (ids | {memory.id for memory in record.before} | set(record.after)))


def without(record: OperationRecord, purged: AbstractSet[str]) -> OperationRecord:
    """The record with neither text nor anything of ``purged`` but their ids."""
    operation = {k: v for k, v in record.operation.items() if k not in _TEXT}
    return replace(
        record,
        operation={**operation, "reason": "erased with forget --purge"},
        before=tuple(memory for memory in record.before if memory.id not in purged),
        before_vectors={k: v for k, v in record.before_vectors.items() if k not in purged},
        before_links=tuple((key, link) for key, link in record.before_links if not {key.source, key.target} & purged),
    )
