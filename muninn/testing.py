"""Public fakes: they pass the same conformance suites as the real things."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from muninn.clock import encode_ulid, newest_ulid
from muninn.domain.memory import Link, LinkKey, Memory, Vault
from muninn.domain.records import Decision, DreamRecord, Egress, OperationRecord, Suggestion, Transaction, Usage
from muninn.errors import StoreFullError
from muninn.ports import Damaged

__all__ = ["FailingStore", "FakeClock", "MemoryStore", "SequentialIds"]


class FakeClock:
    """A clock that moves only when told to."""

    def __init__(self, start: datetime = datetime(2026, 3, 28, 6, 0, tzinfo=UTC)) -> None:
        self._now = start
        self._monotonic = 0.0

    def now(self) -> datetime:
        return self._now

    def monotonic(self) -> float:
        return self._monotonic

    def advance(self, *, days: float = 0.0, hours: float = 0.0, seconds: float = 0.0) -> None:
        step = timedelta(days=days, hours=hours, seconds=seconds)
        self._now += step
        self._monotonic += step.total_seconds()

    def jump(self, *, days: float) -> None:
        """Set the wall clock ahead, or back, while no time passes."""
        self._now += timedelta(days=days)


class SequentialIds:
    """Ids in ULID form that count up from ``start``."""

    def __init__(self, start: int = 1 << 80) -> None:
        self._next = start

    def new(self) -> str:
        self._next += 1
        return encode_ulid(self._next)

    def follow(self, ids: Iterable[str]) -> None:
        self._next = max(self._next, newest_ulid(ids))


class MemoryStore:
    """``ports.Store`` in dictionaries. ``waited`` is the highest position somebody waited for."""

    def __init__(self) -> None:
        self._memories: dict[str, Memory] = {}
        self._vectors: dict[str, bytes] = {}
        self._links: dict[LinkKey, Link] = {}
        self._vaults: dict[str, Vault] = {}
        self._records: dict[str, dict[str, Any]] = {
            name: {} for name in ("usage", "dreams", "operations", "suggestions", "decisions", "egress")
        }
        self._meta: dict[str, str] = {}
        self._position = 0
        self.waited = 0

    def append(self, transaction: Transaction) -> int:
        self._memories.update((memory.id, memory) for memory in transaction.memories)
        self._vectors.update(transaction.vectors)
        self._links.update((link.key, link) for link in transaction.links)
        for key in transaction.unlink:
            self._links.pop(key, None)
        self._vaults.update((vault.key, vault) for vault in transaction.vaults)
        for name in transaction.drop_vaults:
            self._vaults.pop(name, None)
        for name, rows in self._records.items():
            for record in getattr(transaction, name):
                rows[getattr(record, "key", None) or record.id] = record
        self._thin(transaction)
        self._meta.update(transaction.meta)
        for memory_id in transaction.purge:
            self._purge(memory_id)
        self._position += 1
        return self._position

    def _thin(self, transaction: Transaction) -> None:
        for event in transaction.thinned:
            self._records["usage"][event.id] = event
        gone = {
            "usage": [event.id for event in transaction.thinned if not event.memories],
            "dreams": transaction.drop_dreams,
            "operations": transaction.drop_operations,
        }
        for name, keys in gone.items():
            for key in keys:
                self._records[name].pop(key, None)

    def _purge(self, memory_id: str) -> None:
        self._memories.pop(memory_id, None)
        self._vectors.pop(memory_id, None)
        self._links = {key: link for key, link in self._links.items() if memory_id not in (key.source, key.target)}

    def wait(self, position: int) -> None:
        self.waited = max(self.waited, position)

    def memories(self) -> Iterator[tuple[Memory, bytes | None]]:
        return iter([(memory, self._vectors.get(memory.id)) for memory in self._memories.values()])

    def links(self) -> Iterator[Link]:
        return iter(list(self._links.values()))

    def vaults(self) -> Iterator[Vault]:
        return iter(list(self._vaults.values()))

    def usage(self, since: str = "") -> Iterator[Usage]:
        return iter(
            sorted((row for row in self._records["usage"].values() if row.id > since), key=lambda row: str(row.id))
        )

    def dreams(self) -> Iterator[DreamRecord]:
        return iter(list(self._records["dreams"].values()))

    def operations(self, dream_id: str, _damaged: Damaged | None = None) -> Iterator[OperationRecord]:
        rows = [row for row in self._records["operations"].values() if row.dream_id == dream_id]
        return iter(sorted(rows, key=lambda row: int(row.seq)))

    def suggestions(self) -> Iterator[Suggestion]:
        return iter(list(self._records["suggestions"].values()))

    def decisions(self) -> Iterator[Decision]:
        return iter(list(self._records["decisions"].values()))

    def egress(self, since: str = "") -> Iterator[Egress]:
        return iter([row for row in self._records["egress"].values() if row.id > since])

    def meta(self) -> Mapping[str, str]:
        return dict(self._meta)

    def checkpoint(self) -> None:
        """Nothing to move: what was appended is where it stays."""

    def maintain(self) -> None:
        """Nothing to compact."""

    def close(self) -> None:
        """Nothing to release."""


class FailingStore(MemoryStore):
    """A store whose appends succeed (``.``) or meet a full disk (``F``) by script; after the script all succeed."""

    def __init__(self, script: str) -> None:
        super().__init__()
        self._script = list(script)

    def append(self, transaction: Transaction) -> int:
        if self._script and self._script.pop(0) == "F":
            raise StoreFullError("cannot write: no space left", hint="free space")
        return super().append(transaction)
