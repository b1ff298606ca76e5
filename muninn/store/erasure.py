"""Purging: erase every trace of memories from the records that quote them, so that nothing can bring them back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Any

from muninn.domain.records import DreamRecord, OperationRecord
from muninn.store import schema
from muninn.store.schema import Table
from muninn.store.tables import Tables

_TEXT = frozenset({"reason", "content", "title", "vector", "model", "seen"})
"""Fields of an operation that hold text, or what was made of it; with the others it can still be undone for the rest."""


def erase(tables: Tables, purged: AbstractSet[str]) -> None:
    """Rewrite operations without text and without the before-images of ``purged``; drop links, usage, suggestions and
    decisions about them. A row that cannot be read may quote them: of a dream its columns stay, any other serves nobody and
    is dropped, too."""
    doomed: dict[Table, list[str]] = {table: [] for table in (schema.OPERATIONS, *_ABOUT)}
    operations = tables.scan(schema.OPERATIONS, damaged=doomed[schema.OPERATIONS].append)
    quoting = [without(record, purged) for record in operations if _quotes(record, purged)]
    if quoting:
        tables.upsert(schema.OPERATIONS, quoting)
    told = [record for record in tables.scan(schema.DREAMS) if record.damaged or _tells(record, purged)]
    if told:
        tables.upsert(schema.DREAMS, [_silenced(record, purged) for record in told])
    for table, memories in _ABOUT.items():
        rows = tables.scan(table, damaged=doomed[table].append)
        doomed[table] += [table.key_of(row) for row in rows if purged & memories(row)]
    for table, keys in doomed.items():
        if keys:
            tables.delete(table, keys)


_ABOUT: Mapping[Table, Callable[[Any], AbstractSet[str]]] = {
    schema.LINKS: lambda link: {link.source, link.target},
    schema.USAGE: lambda event: set(event.memories),
    schema.SUGGESTIONS: lambda suggestion: {suggestion.source, suggestion.target},
    schema.DECISIONS: lambda decision: set(decision.ids),
}
"""Tables whose rows go with the memories they name."""


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
