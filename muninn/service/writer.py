"""The writer: one lock, one way into the store. Everything that changes anything goes through ``_commit``.

Each write reads what it needs, decides, appends one transaction to the store's log and brings the read model and the
linker in step, all under the lock; it answers after the log is on disk, outside the lock, so that concurrent writers
share one sync.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from threading import Lock, RLock
from typing import Protocol

from muninn import logs
from muninn.domain.linking import Linker
from muninn.domain.marks import WRITES
from muninn.domain.memory import Link, LinkKey, Memory, Provenance, Vault, vault_key
from muninn.domain.records import Transaction
from muninn.domain.transitive import fallen
from muninn.domain.trust import Tier
from muninn.errors import NotFoundError, StoreError
from muninn.ports import Clock, Embedder, Ids, ReadModel, Store


class Embedders(Protocol):
    """Which embedder serves which tier."""

    def for_tier(self, tier: Tier) -> Embedder: ...
    def by_model(self, model: str) -> Embedder | None: ...
    def clear_caches(self) -> None: ...


@dataclass(slots=True)
class Batch:
    """One transaction in the making: the newest form of every memory it touches, and what each was before."""

    read: ReadModel
    vaults: dict[str, Vault] = field(default_factory=dict)
    rows: dict[str, Memory] = field(default_factory=dict)
    before: dict[str, Memory | None] = field(default_factory=dict)
    vectors: dict[str, bytes] = field(default_factory=dict)
    hashes: dict[tuple[str, str], str] = field(default_factory=dict)

    def get(self, memory_id: str) -> Memory | None:
        return self.rows.get(memory_id) or self.read.get(memory_id)

    @property
    def gone(self) -> frozenset[str]:
        """Ids of memories that are active no longer."""
        return frozenset(
            key for key, memory in self.before.items() if memory and memory.active and not self.rows[key].active
        )

    def put(self, memory: Memory, vector: bytes | None = None) -> None:
        self.before.setdefault(memory.id, self.read.get(memory.id))
        self.rows[memory.id] = memory
        self.hashes[(vault_key(memory.vault), memory.content_hash)] = memory.id
        if vector is not None:
            self.vectors[memory.id] = vector

    def holder(self, vault: str, digest: str) -> Memory | None:
        """The memory of this vault that holds this content: an active one before any other."""
        mine = self.hashes.get((vault_key(vault), digest))
        holders = [self.rows[mine]] if mine else [self.get(m.id) or m for m in self.read.holders(vault, digest)]
        return min(holders, key=lambda m: (not m.active, m.id), default=None)


class Writer:
    """The base of every part of the service: what they share is the lock and the way into the store."""

    def __init__(
        self,
        *,
        store: Store,
        read: ReadModel,
        embedders: Embedders,
        clock: Clock,
        ids: Ids,
        default_vault: str,
    ) -> None:
        self.store = store
        self.read = read
        self.embedders = embedders
        self._loaded_linker: Linker | None = None
        self._linker_lock = Lock()
        self._clock = clock
        self._ids = ids
        self._default_vault = default_vault
        self._lock = RLock()
        self._log = logs.logger("muninn.service")
        self._meta = dict(store.meta())
        self._vaults = {vault.key: vault for vault in read.vaults()}

    @property
    def _linker(self) -> Linker:
        """Titles and texts of every memory, read in when first needed: recall does not wait for it, writes do."""
        with self._linker_lock:
            if self._loaded_linker is None:
                linker = Linker()
                linker.load(self.read.memories())
                self._loaded_linker = linker
            return self._loaded_linker

    def warm(self) -> None:
        """Read in what the first write would have to wait for."""
        _ = self._linker

    def _tell(self, what: str, by: Provenance, **which: object) -> None:
        """Write into the log who changed something that carries no provenance of its own."""
        who = {name: value for name, value in asdict(by).items() if value is not None}
        self._log.info(what, **which, by=who)

    @property
    def writes(self) -> int:
        """Creates, content edits and supersessions since the store began; what the dream gate counts."""
        return int(self._meta.get(WRITES, "0"))

    def meta(self) -> Mapping[str, str]:
        """Counters and watermarks."""
        return dict(self._meta)

    def _commit(self, transaction: Transaction, *, writes: int = 0) -> int:
        """Append a transaction and bring every reader in step. The caller holds the lock and waits after releasing it."""
        if writes:
            transaction = replace(transaction, meta={**transaction.meta, WRITES: str(self.writes + writes)})
        position = self.store.append(transaction)
        self._meta.update(transaction.meta)
        self._vaults.update((vault.key, vault) for vault in transaction.vaults)
        for key in transaction.drop_vaults:
            self._vaults.pop(key, None)
        self.read.apply(transaction)
        if transaction.memories or transaction.purge:
            self._linker.apply(transaction.memories)
            self._linker.drop(transaction.purge)
        return position

    def _finish(
        self, batch: Batch, *, now: datetime, writes: int, links: Sequence[Link] = ()
    ) -> tuple[int, tuple[Link, ...]]:
        """Link what changed and commit the batch; returns the position to wait for and the links made."""
        rows = tuple(batch.rows.values())
        changes = self._linker.links_for(rows, existing=self.read.all_links_of, now=now)
        made = (*links, *dated(changes.add, batch.get))
        transaction = Transaction(
            memories=rows,
            vectors=batch.vectors,
            vaults=tuple(batch.vaults.values()),
            links=made,
            unlink=(*changes.withdraw, *self._unfounded(gone=batch.gone)),
        )
        try:
            return self._commit(transaction, writes=writes), made
        except StoreError:
            previous = [memory for memory in batch.before.values() if memory is not None]
            born = [memory_id for memory_id, memory in batch.before.items() if memory is None]
            self._linker.revert(changes, previous=previous, born=born)
            raise

    def _unfounded(self, *, unlinked: LinkKey | None = None, gone: Collection[str] = ()) -> tuple[LinkKey, ...]:
        """The inferred links that fall with a link, or with memories that are no longer active. What is restored later
        is inferred again by the next dream."""
        touched = {end for key in gone for link in self.read.links_of(key) for end in (link.source, link.target)}
        if unlinked is not None:
            touched |= {unlinked.source, unlinked.target}

        def active(memory_id: str) -> bool:
            memory = self.read.get(memory_id)
            return memory is not None and memory.active and memory_id not in gone

        def left(memory_id: str) -> Iterable[Link]:
            return (link for link in self.read.links_of(memory_id) if link.key != unlinked)

        return tuple(sorted(fallen(touched, left, active=active)))

    def require(self, memory_id: str) -> Memory:
        """The memory of this id. Raises NotFoundError."""
        memory = self.read.get(memory_id)
        if memory is None:
            raise NotFoundError(f"there is no memory {memory_id[:80]!r}", hint="muninn recall finds ids")
        return memory


def dated(links: Iterable[Link], get: Callable[[str], Memory | None]) -> tuple[Link, ...]:
    """Automatic links as old as the younger of their ends: they follow from the memories, so making one again makes the same."""
    known = []
    for link in links:
        births = [memory.created_at for memory in (get(link.source), get(link.target)) if memory is not None]
        known.append(replace(link, created_at=max(births, default=link.created_at)))
    return tuple(known)
