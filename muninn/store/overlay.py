"""Rows that are durable in the log but not yet in the tables: last write per key wins, None marks a row taken away."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from muninn.domain.records import Transaction
from muninn.store import schema
from muninn.store.schema import TABLES, Meta, link_key


@dataclass(slots=True)
class Overlay:
    rows: dict[str, dict[str, Any]] = field(default_factory=lambda: {table.name: {} for table in TABLES})
    vectors: dict[str, bytes] = field(default_factory=dict)
    purged: set[str] = field(default_factory=set)
    changes: int = 0

    def take(self, transaction: Transaction) -> None:
        """Fold one transaction in."""
        for table, records in _parts(transaction):
            rows = self.rows[table.name]
            for record in records:
                rows[table.key_of(record)] = record
                self.changes += 1
        for table, keys in _gone(transaction):
            self.rows[table.name].update(dict.fromkeys(keys))
            self.changes += len(keys)
        self.vectors.update(transaction.vectors)
        for memory_id in transaction.purge:
            self.rows[schema.MEMORIES.name][memory_id] = None
            self.vectors.pop(memory_id, None)
            self.purged.add(memory_id)
            self.changes += 1

    def absorb(self, later: Overlay) -> None:
        """Fold a later overlay over this one (used when a checkpoint failed and its rows go back in line)."""
        for name, rows in later.rows.items():
            self.rows[name].update(rows)
        self.vectors.update(later.vectors)
        self.purged |= later.purged
        self.changes += later.changes


def _parts(transaction: Transaction) -> Iterable[tuple[schema.Table, Iterable[Any]]]:
    return (
        (schema.MEMORIES, transaction.memories),
        (schema.LINKS, transaction.links),
        (schema.VAULTS, transaction.vaults),
        (schema.USAGE, (*transaction.usage, *(event for event in transaction.thinned if event.memories))),
        (schema.DREAMS, transaction.dreams),
        (schema.OPERATIONS, transaction.operations),
        (schema.SUGGESTIONS, transaction.suggestions),
        (schema.DECISIONS, transaction.decisions),
        (schema.EGRESS, transaction.egress),
        (schema.META, [Meta(name, value) for name, value in transaction.meta.items()]),
    )


def _gone(transaction: Transaction) -> Iterable[tuple[schema.Table, Sequence[str]]]:
    return (
        (schema.LINKS, [link_key(key) for key in transaction.unlink]),
        (schema.VAULTS, transaction.drop_vaults),
        (schema.USAGE, [event.id for event in transaction.thinned if not event.memories]),
        (schema.DREAMS, transaction.drop_dreams),
        (schema.OPERATIONS, transaction.drop_operations),
    )
