"""The memories of a store that is too large to be held: what is kept of all of them, and how to get at the rest.

Kept are the roster (ids and a few bits), what was written last (until it is in the tables), usage, conflicts and the rows
used lately. One writer, many reader threads. What a reader fetched from the tables counts only while nothing newer is
held; what was purged is gone at once, although the tables learn of it later.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Protocol

import numpy as np

from muninn.domain.memory import Link, State, vault_key
from muninn.domain.records import Transaction
from muninn.ports import Store
from muninn.recall.cut import edition, words_of
from muninn.recall.fetching import Fetched, Row
from muninn.recall.holdings import Holdings
from muninn.recall.latch import Latch
from muninn.recall.page import Page
from muninn.recall.roster import Roster

if TYPE_CHECKING:
    from muninn.store.search import Search

_RECENT = 4096  # memories held although they are in the tables
_CHUNK = 1024  # memories read at once
_COUNTED = 800  # how rare a common word is makes no difference beyond
_TOLD = 20_000  # words


class Searchable(Store, Protocol):
    """A store that can be searched where it lies."""

    def search(self) -> Search: ...


class Shelves:
    """``load`` before anything else. Whoever looks at ``roster`` or ``recent`` holds ``latch``."""

    tables: Search
    fetched: Fetched

    def __init__(self) -> None:
        self.latch = Latch()
        self.roster = Roster()
        self.recent = Holdings()
        self._told: dict[str, int] = {}

    # -- in step with the store ------------------------------------------------------------------------------------

    def load(self, store: Searchable) -> bool:
        """Prepare the store's indexes and read in the roster. False when they are not there and may not be made."""
        store.checkpoint()
        self.tables = store.search()
        if not self.tables.prepare(words_of, edition=edition()):
            return False
        self.fetched = Fetched(self.tables.rows)
        keys = cache(vault_key)
        self.roster.fill(
            (one.id, keys(one.vault), one.vault, State(one.state), None if one.pending else one.model)
            for one in self.tables.entries()
        )
        waiting, gone = self.tables.waiting()
        for memory_id in gone:
            self.roster.drop(memory_id)
        self._take(waiting, self._stored(memory.id for memory, _ in waiting))
        self.roster.link(self.tables.link_ends())
        for vault in store.vaults():
            self.recent.put_vault(vault)
        for usage in store.usage():
            self.recent.note(usage)
        for decision in store.decisions():
            self.recent.put_decision(decision)
        return True

    def apply(self, transaction: Transaction) -> None:
        changed = {memory.id for memory in transaction.memories}
        late = [memory_id for memory_id in transaction.vectors if memory_id not in changed]
        stored = self._stored([*changed, *late])
        rows = [(memory, transaction.vectors.get(memory.id)) for memory in transaction.memories]
        rows += [(stored[memory_id][0], transaction.vectors[memory_id]) for memory_id in late if memory_id in stored]
        with self.latch.exclusive():
            self._take(rows, stored)
            self.recent.apply(replace(transaction, memories=(), vectors={}, links=(), unlink=()))
            self.roster.link(end for link in transaction.links for end in (link.source, link.target))
            for memory_id in transaction.purge:
                self.roster.drop(memory_id)
                self.recent.accesses.pop(memory_id, None)
        self.fetched.forget((*changed, *late, *transaction.purge))
        if len(self.recent.memories) > _RECENT:
            self._let_go()

    def _take(self, rows: Iterable[Row], stored: dict[str, Row]) -> None:
        """Hold rows until the tables have them; a memory without a new vector keeps that of its model."""
        for memory, given in rows:
            vector = given
            if vector is None and memory.id not in self.recent.memories and memory.id in stored:
                before, kept = stored[memory.id]
                vector = kept if before.embedding_model == memory.embedding_model else None
            self.recent.put(memory, vector)
            model = self.recent.row_of.get(memory.id, (None,))[0]
            self.roster.put(memory.id, vault_key(memory.vault), memory.vault, state=memory.state, model=model)
        self.recent.settle()

    def _stored(self, ids: Iterable[str]) -> dict[str, Row]:
        """The rows of these memories as they are, by id."""
        return {row[0].id: row for row in self.rows(ids)}

    def _let_go(self) -> None:
        """Hold only what is not in the tables yet."""
        waiting = {memory.id for memory, _ in self.tables.waiting()[0]}
        if 2 * len(waiting) > len(self.recent.memories):
            return
        before, fresh = self.recent, Holdings()
        fresh.vaults, fresh.vault_numbers, fresh.accesses = before.vaults, before.vault_numbers, before.accesses
        fresh.conflicts, fresh.conflicts_at = before.conflicts, before.conflicts_at
        for memory in before.memories.values():
            if memory.id in waiting:
                fresh.put(memory, vector_of(before, memory.id))
        self.fetched.forget(before.memories)  # what was fetched meanwhile may be older
        with self.latch.exclusive():
            self.recent, self._told = fresh, {}

    # -- rows ------------------------------------------------------------------------------------------------------

    def row(self, memory_id: str) -> Row | None:
        return next(iter(self.rows([memory_id])), None)

    def rows(self, ids: Iterable[str]) -> list[Row]:
        """The newest rows of these memories; unknown ids are left out."""
        wanted = list(ids)
        with self.latch.shared():
            held = self._held(wanted)
            rest = [i for i in wanted if i not in self.recent.memories and i in self.roster]
        return held + (self.fetched.rows(rest) if rest else [])

    def newest(self, rows: Sequence[Row]) -> list[Row]:
        """Rows of the tables as they are by now; purged ones are left out."""
        with self.latch.shared():
            held = {row[0].id: row for row in self._held(row[0].id for row in rows)}
            return [held.get(row[0].id, row) for row in rows if row[0].id in self.roster]

    def unheld(self, rows: Sequence[Row]) -> list[Row]:
        """Rows of the tables that still count: not purged, and nothing newer is held."""
        with self.latch.shared():
            return [row for row in rows if row[0].id not in self.recent.memories and row[0].id in self.roster]

    def walk(self, key: str | None) -> Iterator[Row]:
        """The rows of a vault, or all, ascending by id, read while they are asked for."""
        with self.latch.shared():
            ids = self.roster.ids(key)
            names = None if key is None else tuple(sorted(self.roster.names(key)))
        for start in range(0, len(ids), _CHUNK):
            some = ids[start : start + _CHUNK]
            rows = {row[0].id: row for row in self.unheld(self.tables.span(some[0], some[-1], names))}
            with self.latch.shared():
                held = self._held(some)
            rows.update((row[0].id, row) for row in held if key in (None, vault_key(row[0].vault)))
            yield from (rows[memory_id] for memory_id in some if memory_id in rows)

    def _held(self, ids: Iterable[str]) -> list[Row]:
        return [(m, vector_of(self.recent, m.id)) for i in ids if (m := self.recent.memories.get(i))]

    # -- what is known about all of them ---------------------------------------------------------------------------

    def links(self, ids: Iterable[str]) -> list[Link]:
        """Links and tombstones from or to these memories."""
        with self.latch.shared():
            linked = [memory_id for memory_id in ids if self.roster.linked(memory_id)]
        found = self.tables.links_of(linked) if linked else []
        with self.latch.shared():
            return [link for link in found if self.stands(link)]

    def stands(self, link: Link) -> bool:
        """Whether both ends are still there: the tables learn of a purge later."""
        return link.source in self.roster and link.target in self.roster

    def names(self, *keys: str) -> tuple[str, ...]:
        """Vaults as their memories spell them."""
        with self.latch.shared():
            return tuple(sorted({name for key in keys for name in self.roster.names(key)}))

    def beside(self, memory_id: str, vault: str, reach: int) -> list[tuple[str, int]]:
        with self.latch.shared():
            return self.roster.beside(memory_id, vault, reach)

    def models(self, keys: tuple[str, ...] | None) -> list[str]:
        with self.latch.shared():
            return self.roster.models(keys)

    def furnish(self, page: Page, rows: Sequence[Row]) -> None:
        """Put memories on a page, with what is known about their use and their conflicts."""
        with self.latch.shared():
            for memory, _ in rows:
                if memory.id in self.recent.accesses:
                    page.accesses[memory.id] = copy.copy(self.recent.accesses[memory.id])
                for key in self.recent.conflicts_at.get(memory.id, ()):
                    page.put_decision(self.recent.conflicts[key])
        page.add(rows)

    def told(self, token: str) -> int:
        """How many memories of the tables hold a token, counted up to 800 and as it was when first asked: what is newer
        is held beside the tables."""
        told = self._told  # other threads fill and empty it, too
        count = told.get(token)
        if count is None:
            if len(told) >= _TOLD:
                told.clear()
            count = told[token] = len(self.tables.holders_of(token, limit=_COUNTED))
        return count


def vector_of(held: Holdings, memory_id: str) -> bytes | None:
    """The vector of a memory that is held, as it is stored."""
    values = held.vector(memory_id)
    return None if values is None else np.asarray(values, "<f4").tobytes()
