"""The spacious read model: the answers of the resident one with bounded memory, for stores that outgrow it.

Texts, vectors and links stay in the store. LanceDB finds candidates by vector and by word, and the very steps of the
resident model weigh them: what LanceDB does not bring among the candidates cannot be an answer, and there alone may the
two models differ.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

import numpy as np

from muninn.config import RecallConfig
from muninn.domain.memory import Link, LinkKey, Memory, Snapshot, Vault, Vectors, vault_key
from muninn.domain.records import Transaction
from muninn.domain.strength import strength
from muninn.errors import NotFoundError
from muninn.ports import Answer, Calibration, Neighbour, Query
from muninn.recall.fetching import Row
from muninn.recall.gathering import BREADTH, gather
from muninn.recall.question import Embedders, ask
from muninn.recall.shelves import Searchable, Shelves, vector_of
from muninn.store.net import Net


class SpaciousModel:
    """``ports.ReadModel`` over a searchable store. ``load`` before anything else."""

    def __init__(self, embedders: Embedders, config: RecallConfig | None = None, *, breadth: int = BREADTH) -> None:
        self._embedders = embedders
        self._config = config or RecallConfig()
        self._breadth = breadth
        self._shelves = Shelves()

    def load(self, store: Searchable) -> bool:
        """Read in what is kept of every memory. False when the store has no indexes and none may be made."""
        return self._shelves.load(store)

    def apply(self, transaction: Transaction) -> None:
        self._shelves.apply(transaction)

    # -- one memory ------------------------------------------------------------------------------------------------

    def get(self, memory_id: str) -> Memory | None:
        row = self._shelves.row(memory_id)
        return None if row is None else row[0]

    def vector(self, memory_id: str) -> bytes | None:
        row = self._shelves.row(memory_id)
        return None if row is None else _vector(row)

    def holders(self, vault: str, content_hash: str) -> tuple[Memory, ...]:
        shelves, key = self._shelves, vault_key(vault)
        found = [memory for memory, _ in shelves.unheld(shelves.tables.with_hash(content_hash))]
        with shelves.latch.shared():
            held = shelves.recent.by_hash.get((key, content_hash), ())
            found += [shelves.recent.memories[memory_id] for memory_id in held]
        return tuple(sorted((memory for memory in found if vault_key(memory.vault) == key), key=lambda m: m.id))

    def neighbours(self, memory_id: str, *, limit: int, minimum: float) -> tuple[Neighbour, ...]:
        shelves, row = self._shelves, self._shelves.row(memory_id)
        model = None if row is None else row[0].embedding_model
        if row is None or model is None or (vector := row[1]) is None:
            return ()
        key, query = vault_key(row[0].vault), np.frombuffer(vector, "<f4")
        net = Net(vaults=shelves.names(key), active_only=True)
        rows = shelves.unheld(shelves.tables.near(query, net, model=model, limit=max(self._breadth, limit + 1)))
        with shelves.latch.shared():
            held = [m for m in shelves.recent.memories.values() if m.active and vault_key(m.vault) == key]
            rows += [(m, vector_of(shelves.recent, m.id)) for m in held if m.embedding_model == model]
        embedder = self._embedders.by_model(model)
        calibration = embedder.calibration if embedder else Calibration()
        found = []
        for memory, values in rows:
            if memory.id != memory_id and values is not None and len(values) == len(vector):
                cosine = float(np.frombuffer(values, "<f4") @ query)
                similarity = min(1.0, max(0.0, calibration.a * cosine + calibration.b))
                if similarity >= max(0.0, minimum):
                    found.append(Neighbour(memory=memory, similarity=similarity))
        return tuple(sorted(found, key=lambda near: (-near.similarity, near.memory.id))[:limit])

    # -- links -----------------------------------------------------------------------------------------------------

    def links_of(self, memory_id: str) -> tuple[Link, ...]:
        return tuple(link for link in self.all_links_of(memory_id) if not link.rejected)

    def all_links_of(self, memory_id: str) -> tuple[Link, ...]:
        return tuple(sorted(self._shelves.links([memory_id]), key=lambda link: link.key))

    def link(self, key: LinkKey) -> Link | None:
        with self._shelves.latch.shared():
            linked = self._shelves.roster.linked(key.source)
        link = self._shelves.tables.link(key) if linked else None
        with self._shelves.latch.shared():
            return link if link is not None and self._shelves.stands(link) else None

    # -- everything ------------------------------------------------------------------------------------------------

    def strengths(self, *, now: datetime) -> dict[str, float]:
        """How retrievable every active memory is now, 0–1."""
        accesses = self._shelves.recent.accesses
        return {
            memory.id: strength(memory, now=now, accesses=tuple(accesses.get(memory.id, ())))
            for memory in self.memories()
            if memory.active
        }

    def vaults(self) -> tuple[Vault, ...]:
        with self._shelves.latch.shared():
            return tuple(vault for _, vault in sorted(self._shelves.recent.vaults.items()))

    def memories(self, vault: str | None = None) -> Iterator[Memory]:
        """Every memory in every state, ascending by id, read while it is asked for."""
        return (memory for memory, _ in self._shelves.walk(None if vault is None else vault_key(vault)))

    def beginning(self, prefix: str, *, limit: int) -> tuple[str, ...]:
        with self._shelves.latch.shared():
            return self._shelves.roster.beginning(prefix, limit)

    def count(self, vault: str | None = None, *, active_only: bool = True) -> int:
        with self._shelves.latch.shared():
            return self._shelves.roster.count(None if vault is None else vault_key(vault), active_only=active_only)

    def pending_embeddings(self) -> tuple[str, ...]:
        """Ids without a vector, forgotten ones left out, ascending."""
        with self._shelves.latch.shared():
            return tuple(self._shelves.roster.pending())

    def snapshot(self, vault: str) -> Snapshot:
        """One vault, every state included, all of it in memory: a dream needs no more than one at a time."""
        key = vault_key(vault)
        with self._shelves.latch.shared():
            found = self._shelves.recent.vaults.get(key)
        if found is None:
            raise NotFoundError(f"no vault {vault!r}")
        rows = list(self._shelves.walk(key))
        memories = {memory.id: memory for memory, _ in rows}
        links = {link.key: link for link in self._shelves.links(memories) if link.source in memories}
        return Snapshot(found, memories, links, _vectors(rows))

    def recall(self, query: Query, *, now: datetime) -> Answer:
        shelves = self._shelves
        with shelves.latch.shared():
            vaults = dict(shelves.recent.vaults)
        question = ask(query, vaults=vaults, models=shelves.models, embedders=self._embedders, now=query.as_of or now)
        return gather(shelves, question, breadth=self._breadth, now=now)


def _vector(row: Row) -> bytes | None:
    """The vector of a row, unless it waits for a new one."""
    return None if row[0].embedding_model is None else row[1]


def _vectors(rows: Sequence[Row]) -> tuple[Vectors, ...]:
    by_model: dict[str, list[tuple[str, bytes]]] = {}
    for row in rows:
        if row[0].embedding_model is not None and (vector := _vector(row)) is not None:
            by_model.setdefault(row[0].embedding_model, []).append((row[0].id, vector))
    found = []
    for model, pairs in sorted(by_model.items()):
        matrix = np.frombuffer(b"".join(vector for _, vector in pairs), "<f4").reshape(len(pairs), -1)
        found.append(Vectors(model, tuple(memory_id for memory_id, _ in pairs), matrix))
    return tuple(found)
