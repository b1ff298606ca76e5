"""The spacious read model: the same answers as the resident one with bounded memory, for stores that outgrow it.

In memory are the roster (ids and a few bits), what was written last (until it is in the tables), usage, conflicts and
rows used lately. Texts, vectors and links stay in the store: LanceDB finds candidates by vector and by word, and the very
steps of the resident model weigh them. What LanceDB does not bring among the candidates cannot be an answer: there the
two models may differ, in nothing else.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

import numpy as np

from muninn.config import RecallConfig
from muninn.domain.memory import Link, LinkKey, Memory, Snapshot, State, Vault, Vectors, vault_key
from muninn.domain.records import Transaction
from muninn.domain.strength import strength
from muninn.errors import NotFoundError
from muninn.ports import Answer, Calibration, Neighbour, Query, Store
from muninn.recall import commonness
from muninn.recall.cut import edition, words_of
from muninn.recall.fetching import Fetched, Row
from muninn.recall.frequencies import Frequencies
from muninn.recall.holdings import Holdings
from muninn.recall.latch import Latch
from muninn.recall.page import Page, Told
from muninn.recall.question import Embedders, Question, ask
from muninn.recall.roster import Roster
from muninn.recall.scan import scan
from muninn.recall.search import CROWD, CROWD_SHARE, SPARE, search
from muninn.store.net import Net

if TYPE_CHECKING:
    from muninn.store.search import Search

BREADTH = 192
"""Candidates by vector, and as many by word; more when more are asked for. Must exceed ``search.CROWD``."""

_ROUNDS = 12
_RECENT = 4096  # memories held although they are in the tables
_CHUNK = 1024  # memories read at once
_TELLING = 0.3
"""Weight from which a word is worth looking for, when a question has such words."""


class Searchable(Store, Protocol):
    """A store that can be searched where it lies."""

    def search(self) -> Search: ...


class SpaciousModel:
    """``ports.ReadModel`` over a searchable store. One writer, many readers; ``load`` before anything else."""

    _search: Search
    _fetched: Fetched
    _frequencies: Frequencies

    def __init__(self, embedders: Embedders, config: RecallConfig | None = None, *, breadth: int = BREADTH) -> None:
        self._embedders = embedders
        self._config = config or RecallConfig()
        self._breadth = breadth
        self._latch = Latch()
        self._roster = Roster()
        self._recent = Told({})

    # -- in step with the store ------------------------------------------------------------------------------------

    def load(self, store: Searchable) -> bool:
        """Prepare the store's indexes and read in the roster. False when they are not there and may not be made."""
        store.checkpoint()
        self._search = store.search()
        if not self._search.prepare(words_of, edition=edition()):
            return False
        self._fetched = Fetched(self._search.rows)
        self._frequencies = Frequencies(self._holders)
        for entry in self._search.entries():
            model = None if entry.pending else entry.model
            self._roster.put(entry.id, vault_key(entry.vault), entry.vault, state=State(entry.state), model=model)
        waiting, gone = self._search.waiting()
        for memory_id in gone:
            self._roster.drop(memory_id)
        self._take(waiting, self._stored(memory.id for memory, _ in waiting))
        self._roster.link(self._search.link_ends())
        for vault in store.vaults():
            self._recent.put_vault(vault)
        for usage in store.usage():
            self._recent.note(usage)
        for decision in store.decisions():
            self._recent.put_decision(decision)
        return True

    def apply(self, transaction: Transaction) -> None:
        changed = {memory.id for memory in transaction.memories}
        late = [memory_id for memory_id in transaction.vectors if memory_id not in changed]
        stored = self._stored([*changed, *late])
        rows = [(memory, transaction.vectors.get(memory.id)) for memory in transaction.memories]
        rows += [(stored[memory_id][0], transaction.vectors[memory_id]) for memory_id in late if memory_id in stored]
        self._frequencies.forget(memory for memory, _ in (*rows, *stored.values()))
        with self._latch.exclusive():
            self._take(rows, stored)
            self._recent.apply(replace(transaction, memories=(), vectors={}, links=(), unlink=()))
            self._roster.link(end for link in transaction.links for end in (link.source, link.target))
            for memory_id in transaction.purge:
                self._roster.drop(memory_id)
                self._recent.accesses.pop(memory_id, None)
        self._fetched.forget((*changed, *late, *transaction.purge))
        if len(self._recent.memories) > _RECENT:
            self._let_go()

    def _take(self, rows: Iterable[Row], stored: dict[str, Row]) -> None:
        """Hold rows until the tables have them; a memory without a new vector keeps that of its model."""
        for memory, given in rows:
            vector = given
            if vector is None and memory.id not in self._recent.memories and memory.id in stored:
                before, kept = stored[memory.id]
                vector = kept if before.embedding_model == memory.embedding_model else None
            self._recent.put(memory, vector)
            model = self._recent.row_of.get(memory.id, (None,))[0]
            self._roster.put(memory.id, vault_key(memory.vault), memory.vault, state=memory.state, model=model)
        self._recent.settle()

    def _stored(self, ids: Iterable[str]) -> dict[str, Row]:
        """The rows of these memories as they are, by id."""
        return {row[0].id: row for row in self._rows(ids)}

    def _let_go(self) -> None:
        """Hold only what is not in the tables yet."""
        waiting = {memory.id for memory, _ in self._search.waiting()[0]}
        if 2 * len(waiting) > len(self._recent.memories):
            return
        before, fresh = self._recent, Told({})
        fresh.vaults, fresh.vault_numbers, fresh.accesses = before.vaults, before.vault_numbers, before.accesses
        fresh.conflicts, fresh.conflicts_at = before.conflicts, before.conflicts_at
        for memory in before.memories.values():
            if memory.id in waiting:
                fresh.put(memory, _vector(before, memory.id))
        with self._latch.exclusive():
            self._recent = fresh

    # -- one memory ------------------------------------------------------------------------------------------------

    def get(self, memory_id: str) -> Memory | None:
        held = self._recent.memories.get(memory_id)
        if held is not None:
            return held
        row = self._row(memory_id)
        return None if row is None else row[0]

    def vector(self, memory_id: str) -> bytes | None:
        row = self._row(memory_id)
        return None if row is None else _of_model(row)

    def holders(self, vault: str, content_hash: str) -> tuple[Memory, ...]:
        key = vault_key(vault)
        found = [memory for memory, _ in self._unheld(self._search.with_hash(content_hash))]
        with self._latch.shared():
            held = self._recent.by_hash.get((key, content_hash), ())
            found += [self._recent.memories[memory_id] for memory_id in held]
        return tuple(sorted((memory for memory in found if vault_key(memory.vault) == key), key=lambda m: m.id))

    def neighbours(self, memory_id: str, *, limit: int, minimum: float) -> tuple[Neighbour, ...]:
        row = self._row(memory_id)
        model = None if row is None else row[0].embedding_model
        if row is None or model is None or (vector := _of_model(row)) is None:
            return ()
        key, query = vault_key(row[0].vault), np.frombuffer(vector, "<f4")
        net = Net(vaults=tuple(self._names(key)), active_only=True)
        rows = self._unheld(self._search.near(query, net, model=model, limit=max(self._breadth, limit + 1)))
        with self._latch.shared():
            held = [m for m in self._recent.memories.values() if m.active and vault_key(m.vault) == key]
            rows += [(m, _vector(self._recent, m.id)) for m in held if m.embedding_model == model]
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
        return tuple(sorted(self._links({memory_id}), key=lambda link: link.key))

    def link(self, key: LinkKey) -> Link | None:
        link = self._search.link(key) if self._roster.linked(key.source) else None
        return link if link is not None and self._stands(link) else None

    def _links(self, ids: Iterable[str]) -> list[Link]:
        """Links and tombstones from or to these memories."""
        with self._latch.shared():
            linked = [memory_id for memory_id in ids if self._roster.linked(memory_id)]
        found = self._search.links_of(linked) if linked else []
        with self._latch.shared():
            return [link for link in found if self._stands(link)]

    def _stands(self, link: Link) -> bool:
        """Whether both ends are still there: a purge is told to the tables later than to us."""
        return link.source in self._roster and link.target in self._roster

    # -- everything ------------------------------------------------------------------------------------------------

    def strengths(self, *, now: datetime) -> dict[str, float]:
        """How retrievable every active memory is now, 0–1."""
        accesses = self._recent.accesses
        return {
            memory.id: strength(memory, now=now, accesses=tuple(accesses.get(memory.id, ())))
            for memory, _ in self._walk(None)
            if memory.active
        }

    def vaults(self) -> tuple[Vault, ...]:
        with self._latch.shared():
            return tuple(vault for _, vault in sorted(self._recent.vaults.items()))

    def memories(self, vault: str | None = None) -> Iterator[Memory]:
        """Every memory in every state, ascending by id, read while it is asked for."""
        return (memory for memory, _ in self._walk(None if vault is None else vault_key(vault)))

    def count(self, vault: str | None = None, *, active_only: bool = True) -> int:
        with self._latch.shared():
            return self._roster.count(None if vault is None else vault_key(vault), active_only=active_only)

    def pending_embeddings(self) -> tuple[str, ...]:
        """Ids without a vector, forgotten ones left out, ascending."""
        with self._latch.shared():
            return tuple(self._roster.pending())

    def snapshot(self, vault: str) -> Snapshot:
        """One vault, every state included, all of it in memory: a dream needs no more than one at a time."""
        key = vault_key(vault)
        with self._latch.shared():
            found = self._recent.vaults.get(key)
        if found is None:
            raise NotFoundError(f"no vault {vault!r}")
        rows = list(self._walk(key))
        memories = {memory.id: memory for memory, _ in rows}
        links = {link.key: link for link in self._links(memories) if link.source in memories}
        return Snapshot(found, memories, links, _vectors(rows))

    def _walk(self, key: str | None) -> Iterator[Row]:
        with self._latch.shared():
            ids = self._roster.ids(key)
            names = None if key is None else tuple(sorted(self._roster.names(key)))
        for start in range(0, len(ids), _CHUNK):
            some = ids[start : start + _CHUNK]
            rows = {row[0].id: row for row in self._unheld(self._search.span(some[0], some[-1], names))}
            with self._latch.shared():
                held = [(m, _vector(self._recent, m.id)) for i in some if (m := self._recent.memories.get(i))]
            rows.update((row[0].id, row) for row in held if key in (None, vault_key(row[0].vault)))
            yield from (rows[memory_id] for memory_id in some if memory_id in rows)

    # -- rows ------------------------------------------------------------------------------------------------------

    def _row(self, memory_id: str) -> Row | None:
        return next(iter(self._rows([memory_id])), None)

    def _rows(self, ids: Iterable[str]) -> list[Row]:
        """The newest rows of these memories; unknown ids are left out."""
        wanted = list(ids)
        with self._latch.shared():
            held = [(m, _vector(self._recent, m.id)) for i in wanted if (m := self._recent.memories.get(i))]
            rest = [i for i in wanted if i not in self._recent.memories and i in self._roster]
        return held + (self._fetched.rows(rest) if rest else [])

    def _unheld(self, rows: Sequence[Row]) -> list[Row]:
        """Rows of the tables that still count: not purged, and not written anew since."""
        with self._latch.shared():
            return [row for row in rows if row[0].id not in self._recent.memories and row[0].id in self._roster]

    def _names(self, *keys: str) -> list[str]:
        with self._latch.shared():
            return sorted({name for key in keys for name in self._roster.names(key)})

    # -- recall ----------------------------------------------------------------------------------------------------

    def recall(self, query: Query, *, now: datetime) -> Answer:
        with self._latch.shared():
            vaults = dict(self._recent.vaults)
        question = ask(query, vaults=vaults, models=self._models, embedders=self._embedders, now=query.as_of or now)
        page = self._page(question)
        for _ in range(_ROUNDS):
            answer = search(page, question, now=now)
            loose = page.loose()
            page.tie(loose, self._links(loose))
            if not self._complete(page):
                return answer
        return answer

    def _models(self, keys: tuple[str, ...] | None) -> list[str]:
        with self._latch.shared():
            return self._roster.models(keys)

    def _page(self, question: Question) -> Page:
        """The candidates of a question, from the tables and from what was written last."""
        told = {token: self._told(token, question.vaults) for token in question.tokens}
        rows = self._candidates(question, told)
        page = Page(told, self._beside)
        with self._latch.shared():
            view = copy.copy(self._recent)
            view.told = told
            found = scan(view, question)
            best = found.best(found.crowd(2 * question.query.limit + SPARE, CROWD_SHARE, CROWD), view, question)
            held = [(view.memories[view.id_at[slot]], _vector(view, view.id_at[slot])) for slot in best]
        self._furnish(page, self._unheld(rows) + held)
        self._complete(page)
        return page

    def _complete(self, page: Page) -> bool:
        """Fetch what the page was asked for in vain; whether there was any."""
        grown = False
        while rows := self._rows(page.lacking()):
            self._furnish(page, rows)
            grown = True
        return grown

    def _furnish(self, page: Page, rows: Sequence[Row]) -> None:
        """Add memories with what is known about their use and their conflicts."""
        with self._latch.shared():
            for memory, _ in rows:
                if memory.id in self._recent.accesses:
                    page.accesses[memory.id] = copy.copy(self._recent.accesses[memory.id])
                for key in self._recent.conflicts_at.get(memory.id, ()):
                    page.put_decision(self._recent.conflicts[key])
        page.add(rows)

    def _beside(self, memory_id: str, vault: str, reach: int) -> list[tuple[str, int]]:
        with self._latch.shared():
            return self._roster.beside(memory_id, vault, reach)

    def _candidates(self, question: Question, told: dict[str, int]) -> list[Row]:
        query = question.query
        limit = max(self._breadth, 3 * query.limit)
        names = None if question.vaults is None else tuple(self._names(*question.vaults))
        net = Net(vaults=names, archived=query.include_archived, as_of=query.as_of, run_id=query.run_id)
        changes = self._fetched.changes
        weights = {token: commonness.weight(token, told[token]) for token in question.tokens}
        telling = {token: weight for token, weight in weights.items() if weight >= _TELLING}
        rows = self._search.worded(telling or weights, net, limit=limit)
        nets = [net]
        if question.times:
            nets.append(replace(net, between=tuple((reading.start, reading.end) for reading in question.times)))
            rows += self._search.first(nets[1], limit=limit)
        for model, (vector, _) in question.vectors.items():
            for one in nets:
                rows += self._search.near(vector, one, model=model, limit=limit)
        self._fetched.keep(rows, changes)
        return list({row[0].id: row for row in rows}.values())

    def _told(self, token: str, vaults: tuple[str, ...] | None) -> int:
        return 0 if commonness.settled(token) else self._frequencies.of(token, vaults)

    def _holders(self, token: str, vaults: tuple[str, ...] | None, limit: int) -> int:
        """How many memories of these vaults hold a token, counted up to ``limit``."""
        ids = self._search.holders_of(token, None if vaults is None else self._names(*vaults), limit=limit)
        with self._latch.shared():
            stored = sum(i not in self._recent.memories and i in self._roster for i in ids)
            numbers = None if vaults is None else self._recent.numbers(vaults)
            return stored + Holdings.frequency(self._recent, token, numbers)


def _vector(held: Holdings, memory_id: str) -> bytes | None:
    values = held.vector(memory_id)
    return None if values is None else values.astype("<f4").tobytes()


def _of_model(row: Row) -> bytes | None:
    """The vector of a row, unless it waits for a new one."""
    return None if row[0].embedding_model is None else row[1]


def _vectors(rows: Sequence[Row]) -> tuple[Vectors, ...]:
    by_model: dict[str, list[tuple[str, bytes]]] = {}
    for memory, vector in rows:
        if memory.embedding_model is not None and vector is not None:
            by_model.setdefault(memory.embedding_model, []).append((memory.id, vector))
    found = []
    for model, pairs in sorted(by_model.items()):
        matrix = np.frombuffer(b"".join(vector for _, vector in pairs), "<f4").reshape(len(pairs), -1)
        found.append(Vectors(model, tuple(memory_id for memory_id, _ in pairs), matrix))
    return tuple(found)
