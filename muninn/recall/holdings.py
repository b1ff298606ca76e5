"""Everything that is stored, held in memory: rows by id, links by end, vectors by model, words, usage and conflicts.

Only the writer changes it, one transaction at a time; ``ResidentModel`` keeps readers out meanwhile. Every structure is
derived from the store alone, so a rebuilt one answers as the one that was kept in step.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import deque
from collections.abc import Collection, Iterable
from datetime import datetime

import numpy as np

from muninn.domain.memory import Link, LinkKey, Memory, State, Vault, vault_key
from muninn.domain.records import Decision, Transaction, Usage
from muninn.domain.strength import ACCESSES_KEPT
from muninn.recall.columns import Columns
from muninn.recall.language import CODES, language_of
from muninn.recall.textindex import Floats, Slots, TextIndex
from muninn.recall.tokens import stem, tokens, words
from muninn.recall.vectorindex import VectorIndex

_SPARE = 4096
"""Let-go slots and rows that are tolerated before the indexes are rebuilt."""


class Holdings:
    def __init__(self) -> None:
        self.memories: dict[str, Memory] = {}
        self.slot_of: dict[str, int] = {}
        self.id_at: list[str] = []
        self.row_of: dict[str, tuple[str, int]] = {}  # id -> (model, row)
        self.unembedded: dict[str, None] = {}
        self.columns = Columns()
        self.text = TextIndex()
        self.vectors: dict[str, VectorIndex] = {}
        self.links: dict[LinkKey, Link] = {}
        self.links_at: dict[str, dict[LinkKey, None]] = {}
        self.vaults: dict[str, Vault] = {}
        self.vault_numbers: dict[str, int] = {}
        self.in_order: dict[str, list[str]] = {}  # vault key -> ids, ascending
        self.by_hash: dict[tuple[str, str], dict[str, None]] = {}
        self.accesses: dict[str, deque[datetime]] = {}
        self.conflicts: dict[str, Decision] = {}
        self.conflicts_at: dict[str, dict[str, None]] = {}

    # -- changes ---------------------------------------------------------------------------------------------------

    def apply(self, transaction: Transaction) -> None:
        """Leave everything as the store will say after ``transaction``."""
        for vault in transaction.vaults:
            self.put_vault(vault)
        for memory in transaction.memories:
            self.put(memory, transaction.vectors.get(memory.id))
        self.close(transaction.memories)
        for memory_id in transaction.vectors.keys() - {m.id for m in transaction.memories}:
            if memory_id in self.memories:
                self._put_vector(self.memories[memory_id], transaction.vectors[memory_id])
        for key in transaction.unlink:
            self._drop_link(key)
        for link in transaction.links:
            self.put_link(link)
        for usage in transaction.usage:
            self.note(usage)
        for decision in transaction.decisions:
            self.put_decision(decision)
        for memory_id in transaction.purge:
            self._purge(memory_id)
        for name in transaction.drop_vaults:
            self.vaults.pop(vault_key(name), None)
        self.settle()

    def put_vault(self, vault: Vault) -> None:
        self.vaults[vault.key] = vault

    def put(self, memory: Memory, vector: bytes | None) -> None:
        """Insert or replace a memory; without ``vector`` it keeps the one it has, if that is of its model."""
        old = self.memories.get(memory.id)
        if old is None or _text_of(old) != _text_of(memory):
            self._put_text(memory)
        if old is None or old.vault != memory.vault or old.content_hash != memory.content_hash:
            if old is not None:
                self._forget_place(old)
            self._take_place(memory)
        self.memories[memory.id] = memory
        self._describe(memory)
        if vector is not None:
            self._put_vector(memory, vector)
        elif memory.id in self.row_of and self.row_of[memory.id][0] != memory.embedding_model:
            self._drop_vector(memory.id)
        if memory.id not in self.row_of:
            self.unembedded[memory.id] = None

    def close(self, memories: Iterable[Memory]) -> None:
        """Date the end of memories that are no longer active, once their successors are known too."""
        for memory in memories:
            if not memory.active:
                self._describe(memory)

    def put_link(self, link: Link) -> None:
        self.links[link.key] = link
        for end in (link.source, link.target):
            self.links_at.setdefault(end, {})[link.key] = None

    def note(self, usage: Usage) -> None:
        """Remember when memories were used. Events arrive in order of time."""
        for memory_id in usage.memories:
            self.accesses.setdefault(memory_id, deque(maxlen=ACCESSES_KEPT)).append(usage.at)

    def put_decision(self, decision: Decision) -> None:
        """Keep only what is said about conflicts; other verdicts concern the dream."""
        key = decision.key
        if key in self.conflicts:
            for memory_id in self.conflicts.pop(key).ids:
                self.conflicts_at[memory_id].pop(key, None)
        if decision.verdict == "conflict" and not decision.withdrawn:
            self.conflicts[key] = decision
            for memory_id in decision.ids:
                self.conflicts_at.setdefault(memory_id, {})[key] = None

    # -- questions -------------------------------------------------------------------------------------------------

    def links_of(self, memory_id: str) -> tuple[Link, ...]:
        return tuple(link for key in self.links_at.get(memory_id, ()) if not (link := self.links[key]).rejected)

    def vector(self, memory_id: str) -> Floats | None:
        place = self.row_of.get(memory_id)
        return None if place is None else self.vectors[place[0]].row(place[1])

    def in_conflict(self, memory_id: str) -> tuple[str, ...]:
        """Who contradicts a memory, by decision or by link; only memories that are still active."""
        if not self.links_at.get(memory_id) and memory_id not in self.conflicts_at:
            return ()
        others = {i for key in self.conflicts_at.get(memory_id, ()) for i in self.conflicts[key].ids}
        for link in self.links_of(memory_id):
            if link.relation == "contradicts":
                others |= {link.source, link.target}
        others.discard(memory_id)
        return tuple(sorted(i for i in others if i in self.memories and self.memories[i].active))

    def beside(self, memory_id: str, reach: int) -> list[tuple[str, int]]:
        """Ids next to this one in its vault's order of birth, with their distance, at most ``reach`` on either side."""
        ids = self.in_order[vault_key(self.memories[memory_id].vault)]
        at = bisect_left(ids, memory_id)
        steps = [step for step in range(-reach, reach + 1) if step]
        return [(ids[at + step], abs(step)) for step in steps if 0 <= at + step < len(ids)]

    def numbers(self, keys: Iterable[str]) -> set[int]:
        """The column values of the vaults with these keys; none for a vault that never held a memory."""
        return {self.vault_numbers[key] for key in keys if key in self.vault_numbers}

    def models(self, vaults: Collection[int] | None) -> list[str]:
        """The embedding models whose vectors memories of these vaults (None: of all) have."""
        if vaults is None or len(self.vectors) < 2:
            return [model for model, index in self.vectors.items() if index.live]
        vault, wanted = self.columns["vault"], list(vaults)
        return [
            model
            for model, index in self.vectors.items()
            if np.isin(vault[index.slots[index.slots >= 0]], wanted).any()
        ]

    # -- inside ----------------------------------------------------------------------------------------------------

    def _put_text(self, memory: Memory) -> None:
        slot = self.columns.add()
        old = self.memories.get(memory.id)
        if old is not None:
            self.columns.drop(self.slot_of[memory.id])
        self.slot_of[memory.id] = slot
        self.id_at.append(memory.id)
        said = words(memory.content)
        self.text.add(slot, [stem(word) for word in said], _heading(memory))
        self.columns.speak(slot, CODES.index(language_of(said) or ""))
        if memory.id in self.row_of:
            model, row = self.row_of[memory.id]
            self.vectors[model].renumber(row, slot)

    def _describe(self, memory: Memory) -> None:
        number = self._number(vault_key(memory.vault))
        self.columns.put(self.slot_of[memory.id], memory, vault=number, closed=self._closed(memory))

    def _put_vector(self, memory: Memory, vector: bytes) -> None:
        self._drop_vector(memory.id)
        if memory.embedding_model is None:
            return
        values = np.frombuffer(vector, "<f4")
        index = self.vectors.get(memory.embedding_model)
        if index is None:
            index = self.vectors[memory.embedding_model] = VectorIndex(len(values))
        if len(values) != index.dimensions:  # not of this model, whatever its label says: words still find it
            self.unembedded[memory.id] = None
            return
        self.unembedded.pop(memory.id, None)
        self.row_of[memory.id] = (memory.embedding_model, index.add(self.slot_of[memory.id], values))

    def _drop_vector(self, memory_id: str) -> None:
        place = self.row_of.pop(memory_id, None)
        if place is not None:
            self.vectors[place[0]].drop(place[1])

    def _drop_link(self, key: LinkKey) -> None:
        if self.links.pop(key, None) is not None:
            for end in (key.source, key.target):
                self.links_at[end].pop(key, None)

    def _take_place(self, memory: Memory) -> None:
        key = vault_key(memory.vault)
        ids = self.in_order.setdefault(key, [])
        if not ids or ids[-1] < memory.id:
            ids.append(memory.id)
        else:
            insort(ids, memory.id)
        self.by_hash.setdefault((key, memory.content_hash), {})[memory.id] = None

    def _forget_place(self, memory: Memory) -> None:
        key = vault_key(memory.vault)
        ids = self.in_order[key]
        del ids[bisect_left(ids, memory.id)]
        self.by_hash[key, memory.content_hash].pop(memory.id, None)

    def _purge(self, memory_id: str) -> None:
        memory = self.memories.pop(memory_id, None)
        if memory is None:
            return
        self._drop_vector(memory_id)
        self.unembedded.pop(memory_id, None)
        self.columns.drop(self.slot_of.pop(memory_id))
        self._forget_place(memory)
        for key in tuple(self.links_at.get(memory_id, ())):
            self._drop_link(key)
        self.links_at.pop(memory_id, None)
        self.accesses.pop(memory_id, None)

    def _number(self, key: str) -> int:
        return self.vault_numbers.setdefault(key, len(self.vault_numbers))

    def _closed(self, memory: Memory) -> datetime | None:
        """When a memory stopped being active: its validity's end, else what replaced it was learned, else it changed."""
        if memory.active:
            return None
        if memory.state is State.SUPERSEDED:
            successor = self.memories.get(memory.superseded_by or "")
            return memory.valid_until or (successor.learned_at if successor else memory.updated_at)
        return memory.updated_at

    def settle(self) -> None:
        """Bring the indexes into shape after a change: sketch what is new, rebuild what is mostly let go."""
        for model, index in tuple(self.vectors.items()):
            index.settle()
            if index.count - index.live > max(_SPARE, index.live):
                self._repack(model, index)
        columns = self.columns
        if columns.count - columns.live > max(_SPARE, columns.live):
            self._renumber()

    def _repack(self, model: str, index: VectorIndex) -> None:
        fresh = VectorIndex(index.dimensions)
        for memory_id, (of, row) in self.row_of.items():
            if of == model:
                self.row_of[memory_id] = (model, fresh.add(self.slot_of[memory_id], index.row(row)))
        self.vectors[model] = fresh

    def _renumber(self) -> None:
        moved: Slots = np.full(self.columns.count, -1, np.int32)
        order = sorted(self.slot_of.items(), key=lambda item: item[1])
        before, self.columns, self.id_at = self.columns, Columns(), []
        for memory_id, slot in order:
            spoken = int(before["language"][slot])
            moved[slot] = self.slot_of[memory_id] = self.columns.add()
            self.columns.speak(self.slot_of[memory_id], spoken)
            self.id_at.append(memory_id)
            self._describe(self.memories[memory_id])
            if memory_id in self.row_of:
                model, row = self.row_of[memory_id]
                self.vectors[model].renumber(row, self.slot_of[memory_id])
        self.text = self.text.compacted(moved)


def _text_of(memory: Memory) -> tuple[object, ...]:
    return (memory.content_hash, memory.title if not memory.title_derived else "", memory.tags)


def _heading(memory: Memory) -> list[str]:
    """The tokens of what stands over a memory: a title that somebody gave, and its tags."""
    title = [] if memory.title_derived else tokens(memory.title)
    return [*title, *(token for tag in memory.tags for token in tokens(tag))]
