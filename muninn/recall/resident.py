"""The resident read model: everything that is read while awake, in memory, kept in step by the one writer.

One writer, many reader threads: a transaction is seen whole or not at all. Slow work (embedding a query) happens outside
the latch; what is handed out is immutable.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

import numpy as np

from muninn.config import RecallConfig
from muninn.domain.memory import Link, LinkKey, Memory, Snapshot, State, Vault, Vectors, vault_key
from muninn.domain.records import Transaction
from muninn.errors import NotFoundError
from muninn.ports import Answer, Calibration, Neighbour, Query, Store
from muninn.recall.columns import GONE
from muninn.recall.holdings import Holdings
from muninn.recall.latch import Latch
from muninn.recall.question import Embedders, ask
from muninn.recall.roster import beginning
from muninn.recall.search import search
from muninn.recall.standing import strengths


class ResidentModel:
    """``ports.ReadModel`` in memory."""

    def __init__(self, embedders: Embedders, config: RecallConfig | None = None) -> None:
        self._embedders = embedders
        self._config = config or RecallConfig()
        self._latch = Latch()
        self._holdings = Holdings()

    def load(self, store: Store) -> None:
        """Replace everything by what ``store`` says, streaming; readers see the old state until it is complete."""
        fresh = Holdings()
        for vault in store.vaults():
            fresh.put_vault(vault)
        for memory, vector in store.memories():
            fresh.put(memory, vector)
        fresh.close(fresh.memories.values())
        fresh.settle()
        for link in store.links():
            fresh.put_link(link)
        for usage in store.usage():
            fresh.note(usage)
        for decision in store.decisions():
            fresh.put_decision(decision)
        with self._latch.exclusive():
            self._holdings = fresh

    def apply(self, transaction: Transaction) -> None:
        with self._latch.exclusive():
            self._holdings.apply(transaction)

    def get(self, memory_id: str) -> Memory | None:
        return self._holdings.memories.get(memory_id)

    def vector(self, memory_id: str) -> bytes | None:
        with self._latch.shared():
            values = self._holdings.vector(memory_id)
            return None if values is None else values.astype("<f4").tobytes()

    def holders(self, vault: str, content_hash: str) -> tuple[Memory, ...]:
        with self._latch.shared():
            ids = self._holdings.by_hash.get((vault_key(vault), content_hash), ())
            return tuple(self._holdings.memories[memory_id] for memory_id in sorted(ids))

    def links_of(self, memory_id: str) -> tuple[Link, ...]:
        with self._latch.shared():
            return self._holdings.links_of(memory_id)

    def all_links_of(self, memory_id: str) -> tuple[Link, ...]:
        with self._latch.shared():
            held = self._holdings
            return tuple(held.links[key] for key in held.links_at.get(memory_id, ()))

    def strengths(self, *, now: datetime) -> dict[str, float]:
        """How retrievable every active memory is now, 0–1."""
        with self._latch.shared():
            held = self._holdings
            ids = [memory.id for memory in held.memories.values() if memory.active]
            slots = np.fromiter((held.slot_of[memory_id] for memory_id in ids), np.int32, len(ids))
            return dict(zip(ids, strengths(ids, slots, held, now).tolist(), strict=True))

    def link(self, key: LinkKey) -> Link | None:
        return self._holdings.links.get(key)

    def vaults(self) -> tuple[Vault, ...]:
        with self._latch.shared():
            return tuple(vault for _, vault in sorted(self._holdings.vaults.items()))

    def memories(self, vault: str | None = None) -> Iterator[Memory]:
        """Every memory in every state, ascending by id, as of the moment of the call."""
        with self._latch.shared():
            held = self._holdings
            if vault is None:
                found = [held.memories[memory_id] for memory_id in sorted(held.memories)]
            else:
                found = [held.memories[memory_id] for memory_id in held.in_order.get(vault_key(vault), ())]
        return iter(found)

    def beginning(self, prefix: str, *, limit: int) -> tuple[str, ...]:
        with self._latch.shared():
            return beginning(self._holdings.in_order.values(), prefix, limit)

    def count(self, vault: str | None = None, *, active_only: bool = True) -> int:
        with self._latch.shared():
            held = self._holdings
            counted = held.columns.active() if active_only else held.columns["state"] != GONE
            if vault is not None:
                number = held.vault_numbers.get(vault_key(vault), -1)
                counted = counted & (held.columns["vault"] == number)
            return int(np.count_nonzero(counted))

    def pending_embeddings(self) -> tuple[str, ...]:
        """Ids without a vector, forgotten ones left out, ascending."""
        with self._latch.shared():
            held = self._holdings
            return tuple(sorted(i for i in held.unembedded if held.memories[i].state is not State.FORGOTTEN))

    def snapshot(self, vault: str) -> Snapshot:
        """One vault as it stands, every state included. Raises NotFoundError."""
        with self._latch.shared():
            held, key = self._holdings, vault_key(vault)
            if key not in held.vaults:
                raise NotFoundError(f"no vault {vault!r}")
            memories = {memory_id: held.memories[memory_id] for memory_id in held.in_order.get(key, ())}
            links = {k: link for k, link in held.links.items() if k.source in memories}
            return Snapshot(held.vaults[key], memories, links, _vectors(held, memories))

    def neighbours(self, memory_id: str, *, limit: int, minimum: float) -> tuple[Neighbour, ...]:
        with self._latch.shared():
            held = self._holdings
            place = held.row_of.get(memory_id)
            if place is None:
                return ()
            index = held.vectors[place[0]]
            embedder = self._embedders.by_model(place[0])
            calibration = embedder.calibration if embedder else Calibration()
            slots = index.slots
            eligible = held.columns.active() & (held.columns["vault"] == held.columns["vault"][held.slot_of[memory_id]])
            similarity = np.clip(calibration.a * (index.matrix @ index.row(place[1])) + calibration.b, 0.0, 1.0)
            similarity[~((slots >= 0) & eligible[slots])] = -1.0
            similarity[place[1]] = -1.0
            rows = np.flatnonzero(similarity >= max(0.0, minimum))
            found = [(float(similarity[row]), held.id_at[slots[row]]) for row in rows]
            found.sort(key=lambda item: (-item[0], item[1]))
            return tuple(Neighbour(memory=held.memories[i], similarity=s) for s, i in found[:limit])

    def recall(self, query: Query, *, now: datetime) -> Answer:
        with self._latch.shared():
            vaults = dict(self._holdings.vaults)
        question = ask(query, vaults=vaults, models=self._models, embedders=self._embedders, now=query.as_of or now)
        with self._latch.shared():
            return search(self._holdings, question, now=now)

    def _models(self, keys: tuple[str, ...] | None) -> list[str]:
        with self._latch.shared():
            return self._holdings.models(None if keys is None else self._holdings.numbers(keys))


def _vectors(held: Holdings, memories: dict[str, Memory]) -> tuple[Vectors, ...]:
    ids: dict[str, list[str]] = {}
    for memory_id in memories:
        if memory_id in held.row_of:
            ids.setdefault(held.row_of[memory_id][0], []).append(memory_id)
    found = []
    for model, of_model in sorted(ids.items()):
        rows = np.fromiter((held.row_of[i][1] for i in of_model), np.int64, len(of_model))
        matrix = held.vectors[model].matrix
        whole = len(rows) == len(matrix) and bool((rows == np.arange(len(rows))).all())
        chosen = matrix if whole else matrix[rows]
        chosen = chosen.view()
        chosen.flags.writeable = False
        found.append(Vectors(model, tuple(of_model), chosen))
    return tuple(found)
