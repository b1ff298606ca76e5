"""LanceDB's own searches: by vector, by word, by filter, and rows by key. For a read model that does not hold everything.

Words are searched as the read model cuts them: ``prepare`` keeps a column with the tokens of every memory, which the
engine indexes without another thought. Rows that still wait in the log are not found here, but for links.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa

from muninn.domain.memory import Link, LinkKey, Memory
from muninn.errors import StoreError
from muninn.store import schema
from muninn.store.net import Net, one_of, quote
from muninn.store.schema import KEY_SEPARATOR, LINKS, MEMORIES, Table, link_key, vector_column
from muninn.store.tables import Tables, engine, lancedb

_T = TypeVar("_T")
Row = tuple[Memory, bytes | None]
Waiting = Callable[[Table], tuple[dict[str, Any], dict[str, bytes]]]

_WORDS, _WORDS_AT = "words_", "words_at_"
_BATCH = 8192
_KEYS = 1000  # in one filter
_INDEXED_FROM = 50_000
"""Vectors from which an index is worth having; below, every vector is compared."""
_PARTITION = 1_600  # vectors in one, at most twice as many
_PROBED = 0.75
"""Share of the partitions that is searched. What an index saves is reading one byte a number instead of four; searching
fewer partitions saves little more, and loses every tenth candidate."""
_LEAST_PROBED = 48


@dataclass(frozen=True, slots=True)
class Entry:
    """What is known of a memory without its text. ``pending``: it waits for its vector."""

    id: str
    vault: str
    state: str
    model: str | None
    pending: bool


class Search:
    """Searches one store. ``writing`` keeps the checkpoints out while indexes are made; None: nothing may be written."""

    def __init__(self, tables: Tables, waiting: Waiting, *, writing: AbstractContextManager[object] | None) -> None:
        self._tables = tables
        self._waiting = waiting
        self._writing = writing
        self._words = ""
        self._probed: dict[str, int] = {}

    # -- indexes

    def prepare(self, words: Callable[[Memory], str], *, edition: str) -> bool:
        """Have every memory's words and the indexes in place; False when that needs writing and nothing may be written.

        ``edition`` names the way in which ``words`` cuts text: words cut in another way are replaced.
        """
        self._words = f"{_WORDS}{edition}"
        if self._writing is None:
            return self._is_ready()
        with self._writing:
            self._add_columns()
            self._fill(words)
            self._index()
            self._probed = {}
            self._tables.derived = self._columns(words)
        return True

    def _columns(self, words: Callable[[Memory], str]) -> Callable[[Sequence[Any]], pa.Table]:
        names = [self._words, self._stamp]
        times = schema.MEMORY_SCHEMA.field("updated_at").type

        def derived(memories: Sequence[Any]) -> pa.Table:
            said = pa.array([words(memory) for memory in memories], pa.string())
            return pa.table([said, pa.array([memory.updated_at for memory in memories], times)], names=names)

        return derived

    @property
    def _stamp(self) -> str:
        """The column with the ``updated_at`` of the memory as it was when its words were cut."""
        return self._words.replace(_WORDS, _WORDS_AT, 1)

    @property
    def _stale(self) -> str:
        return f"{self._stamp} IS NULL OR {self._stamp} != updated_at"

    def _is_ready(self) -> bool:
        handle = self._tables.handle(MEMORIES)
        if handle is None or self._words not in handle.schema.names:
            return False
        with engine("looking at the words"):
            return not handle.count_rows(self._stale)

    def _add_columns(self) -> None:
        handle = self._tables.handle(MEMORIES)
        with engine("adding a column for words"):
            if others := [name for name in handle.schema.names if name.startswith(_WORDS)]:
                others = [name for name in others if name not in (self._words, self._stamp)]
                if others:
                    handle.drop_columns(others)
            if self._words not in handle.schema.names:
                times = schema.MEMORY_SCHEMA.field("updated_at").type
                handle.add_columns(pa.schema([pa.field(self._words, pa.string()), pa.field(self._stamp, times)]))

    def _fill(self, words: Callable[[Memory], str]) -> None:
        handle, derived = self._tables.handle(MEMORIES), self._columns(words)
        with engine("cutting texts into words"):
            if not handle.count_rows(self._stale):
                return
            query = handle.search().where(self._stale).select(MEMORIES.schema.names).limit(None)
            for batch in query.to_batches(_BATCH):
                memories = list(MEMORIES.records(batch))
                rows = derived(memories).append_column("id", pa.array([memory.id for memory in memories]))
                handle.merge_insert("id").when_matched_update_all().execute(rows)
            handle.optimize(cleanup_older_than=timedelta(days=3650))

    def _index(self) -> None:
        index = lancedb.index
        plain = index.FTS(
            base_tokenizer="whitespace", lower_case=False, stem=False, remove_stop_words=False, ascii_folding=False,
            max_token_length=None,
        )  # fmt: skip
        wanted = {
            MEMORIES: {self._words: plain, "content_hash": index.BTree(), "vault": index.Bitmap(),
                       "state": index.Bitmap(), "embedding_model": index.Bitmap()},
            LINKS: {"source": index.BTree(), "target": index.BTree()},
        }  # fmt: skip
        with engine("making the indexes"):
            for table, columns in wanted.items():
                handle = self._tables.handle(table)
                have = {column for one in handle.list_indices() for column in one.columns}
                for column, config in columns.items():
                    if column not in have:
                        handle.create_index(column, config=config)
            for width in self._tables.dimensions:
                self._index_vectors(width)

    def _index_vectors(self, width: int) -> None:
        """An index whose partitions grow with the store; made anew when there should be twice as many."""
        handle, column = self._tables.handle(MEMORIES), vector_column(width)
        count = handle.count_rows(f"{column} IS NOT NULL")
        if count < _INDEXED_FROM:
            return
        partitions = 1 << max(0, round(math.log2(count / _PARTITION)))
        name = f"{column}_near_{partitions}"
        older = [one.name for one in handle.list_indices() if column in one.columns]
        if name in older:
            return
        config = lancedb.index.IvfSq(
            distance_type="cosine", num_partitions=partitions, max_iterations=10, sample_rate=64
        )
        handle.create_index(column, config=config, name=name, replace=False)
        for one in older:
            handle.drop_index(one)

    # -- candidates

    def near(self, vector: np.ndarray[Any, Any], net: Net, *, model: str, limit: int) -> list[Row]:
        """The memories whose vectors of ``model`` are nearest, best first; from an index when there is one."""
        handle = self._tables.handle(MEMORIES)
        if handle is None or len(vector) not in self._tables.dimensions:
            return []
        column = vector_column(len(vector))
        where = f"{net.where()} AND embedding_model = {quote(model)}"
        query = (
            handle.search(np.asarray(vector, np.float32), vector_column_name=column)
            .distance_type("cosine")
            .where(where)
            .nprobes(self._probes(column))
            .limit(limit)
        )
        return self._read(query, "_distance")

    def _probes(self, column: str) -> int:
        """How many partitions to search; looked up once, since indexes change only while they are prepared."""
        if column not in self._probed:
            with engine("looking at the indexes"):
                indexes = self._tables.handle(MEMORIES).list_indices()
            sizes = [one.name.rpartition("_near_")[2] for one in indexes if column in one.columns]
            self._probed[column] = max(
                _LEAST_PROBED, *(round(int(size) * _PROBED) for size in sizes if size.isdigit()), 0
            )
        return self._probed[column]

    def worded(self, weights: Mapping[str, float], net: Net, *, limit: int) -> list[Row]:
        """The memories that hold the most, by BM25, of the given tokens."""
        handle = self._tables.handle(MEMORIES)
        if handle is None or not weights:
            return []
        return self._read(self._asked(weights, net.where()).limit(limit), "_score")

    def _asked(self, weights: Mapping[str, float], where: str | None) -> Any:
        query = lancedb.query
        each = [(query.Occur.SHOULD, query.MatchQuery(token, self._words, boost=weight)) for token, weight in weights.items()]  # fmt: skip
        found = self._tables.handle(MEMORIES).search(query.BooleanQuery(each), query_type="fts")
        return found.where(where) if where else found

    def holders_of(self, token: str, *, limit: int) -> list[str]:
        """Ids of memories, in any state, that hold a token; at most ``limit``."""
        if self._tables.handle(MEMORIES) is None:
            return []

        def read() -> list[str]:
            rows = self._asked({token: 1.0}, None).select(["id", "_score"]).limit(limit).to_arrow()
            return [str(value) for value in rows["id"].to_pylist()]

        return _twice("searching words", read)

    def first(self, net: Net, *, limit: int) -> list[Row]:
        """The memories within a net with the smallest ids."""
        handle = self._tables.handle(MEMORIES)
        if handle is None:
            return []

        def read() -> list[str]:
            ids = handle.search().where(net.where()).select(["id"]).limit(None).to_arrow()["id"].to_pylist()
            return sorted(ids)[:limit]

        return self.rows(_twice("searching by time", read))

    # -- rows

    def rows(self, ids: Iterable[str]) -> list[Row]:
        """The memories with these ids, in no particular order; unknown ids are left out."""
        wanted = list(ids)
        found: list[Row] = []
        for start in range(0, len(wanted), _KEYS):
            found += self._where(one_of("id", wanted[start : start + _KEYS]))
        return found

    def span(self, first: str, last: str, vaults: Sequence[str] | None) -> list[Row]:
        """The memories whose ids lie between two, both included."""
        within = "" if vaults is None else f" AND {one_of('vault', list(vaults))}"
        return self._where(f"id >= {quote(first)} AND id <= {quote(last)}{within}")

    def with_hash(self, content_hash: str) -> list[Row]:
        return self._where(f"content_hash = {quote(content_hash)}")

    def _where(self, where: str) -> list[Row]:
        handle = self._tables.handle(MEMORIES)
        return [] if handle is None else self._read(handle.search().where(where).limit(None))

    def _read(self, query: Any, *scores: str) -> list[Row]:
        columns = self._tables.memory_columns()

        def read() -> list[Row]:
            batches = query.select([*columns, *scores]).to_arrow().select(columns).to_batches()
            return [row for batch in batches for row in self._tables.memory_rows(batch)]

        return _twice("searching memories", read)

    def entries(self) -> Iterator[Entry]:
        """Every memory in the tables, without its text."""
        handle = self._tables.handle(MEMORIES)
        if handle is None:
            return
        vectors = [f"{vector_column(width)} IS NULL" for width in self._tables.dimensions]
        bare = " AND ".join(vectors) or "true"
        columns = {"id": "id", "vault": "vault", "state": "state", "model": "embedding_model",
                   "pending": f"embedding_model IS NULL OR ({bare})"}  # fmt: skip
        with engine("reading what there is"):
            for batch in handle.search().select(columns).limit(None).to_batches(_BATCH):
                yield from map(Entry, *(batch.column(name).to_pylist() for name in columns))

    def waiting(self) -> tuple[list[Row], set[str]]:
        """Memories that are not in the tables yet, their vectors as far as they are new; and ids still there but purged."""
        rows, vectors = self._waiting(MEMORIES)
        gone = {memory_id for memory_id, row in rows.items() if row is None}
        return [(row, vectors.get(row.id)) for row in rows.values() if row is not None], gone

    def count(self) -> int:
        """How many memories there are, those in the tables and those that wait for them counted apart."""
        handle = self._tables.handle(MEMORIES)
        with engine("counting memories"):
            return (0 if handle is None else int(handle.count_rows())) + len(self.waiting()[0])

    # -- links

    def links_of(self, ids: Iterable[str]) -> list[Link]:
        """Links from or to these memories, tombstones included."""
        wanted = sorted(ids)
        found: dict[str, Link] = {}
        for start in range(0, len(wanted), _KEYS):
            some = wanted[start : start + _KEYS]
            found.update(self._links(f"{one_of('source', some)} OR {one_of('target', some)}"))
        ends = set(wanted)
        waiting, _ = self._waiting(LINKS)
        for key, link in waiting.items():
            found.pop(key, None)
            if link is not None and {link.source, link.target} & ends:
                found[key] = link
        return list(found.values())

    def link(self, key: LinkKey) -> Link | None:
        name = link_key(key)
        waiting, _ = self._waiting(LINKS)
        if name in waiting:
            waited: Link | None = waiting[name]
            return waited
        return self._links(f"key = {quote(name)}").get(name)

    def link_ends(self) -> Iterator[str]:
        """The ids at both ends of every link."""
        waiting, _ = self._waiting(LINKS)
        for key in waiting:
            yield from key.split(KEY_SEPARATOR)[:2]
        handle = self._tables.handle(LINKS)
        if handle is not None:
            with engine("reading links"):
                for batch in handle.search().select(["source", "target"]).limit(None).to_batches(_BATCH):
                    yield from batch.column("source").to_pylist()
                    yield from batch.column("target").to_pylist()

    def _links(self, where: str) -> dict[str, Link]:
        handle = self._tables.handle(LINKS)
        if handle is None:
            return {}

        def read() -> dict[str, Link]:
            rows = handle.search().where(where).select(LINKS.schema.names).limit(None).to_arrow()
            links = (link for batch in rows.to_batches() for link in LINKS.records(batch))
            return {link_key(link.key): link for link in links}

        return _twice("reading links", read)


def _twice(doing: str, read: Callable[[], _T]) -> _T:
    """Read, and once more when the version that was read has been compacted away meanwhile."""
    try:
        with engine(doing):
            return read()
    except StoreError:
        with engine(doing):
            return read()
