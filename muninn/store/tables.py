"""LanceDB itself: open, create, scan, upsert, compact. The only module that uses lancedb.

Calls are never cancelled and the process never forks after this import. Errors become muninn's own: the text of the
engine is not shown to people.
"""

from __future__ import annotations

import ctypes
import errno
import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from muninn.errors import StoreError, StoreFullError
from muninn.failpoints import failpoint
from muninn.ports import Damaged
from muninn.store.codec import DAMAGED
from muninn.store.lean import import_lancedb
from muninn.store.net import quote
from muninn.store.schema import MEMORIES, TABLES, Table, vector_column, with_vectors

Columns = Callable[[Sequence[Any]], pa.Table]
"""Further columns of some memories, one row each."""

lancedb = import_lancedb()
_BATCH = 8192
_DELETED_AT_ONCE = 1000
_INDEX_CACHE = 64 << 20
_METADATA_CACHE = 32 << 20


def connect(uri: str, storage_options: Mapping[str, str]) -> Any:
    """A connection whose caches are bounded. Raises StoreError; for an object store this is where a shut door shows."""
    session = lancedb.Session(index_cache_size_bytes=_INDEX_CACHE, metadata_cache_size_bytes=_METADATA_CACHE)
    with engine(f"opening {uri}"):
        return lancedb.connect(uri, storage_options=dict(storage_options) or None, session=session)


class Tables:
    """The open tables of one store. One thread writes; any thread may read. Tables that were not opened read as empty."""

    def __init__(self, connection: Any, uri: str) -> None:
        self._connection = connection
        self._uri = uri
        self._open: dict[str, Any] = {}
        self._dimensions: set[int] = set()
        self.derived: Columns | None = None
        """Columns that follow from a memory and are written with it, while somebody searches by them."""

    def existing(self) -> list[str]:
        with engine(f"looking into {self._uri}"):
            return list(self._connection.list_tables().tables)

    def create(self) -> None:
        """Make every table that is not there yet. The caller knows that this store was never complete."""
        with engine("creating the tables"):
            for table in TABLES:
                handle = self._connection.create_table(table.name, schema=table.schema, exist_ok=True)
                if not handle.list_indices():
                    handle.create_index(table.key, config=lancedb.index.BTree())
                self._open[table.name] = handle

    def open(self, synced: Mapping[str, int]) -> None:
        """Open every table; a newest commit that a power cut tore is set aside (the log still holds it)."""
        for table in TABLES:
            self._open[table.name] = self._open_table(table.name, synced.get(table.name, 0))
        names = self._open[MEMORIES.name].schema.names
        self._dimensions = {int(name.removeprefix("vector_")) for name in names if name.startswith("vector_")}

    def _open_table(self, name: str, synced: int) -> Any:
        while True:
            try:
                table = self._connection.open_table(name)
                table.count_rows()
                return table
            except (RuntimeError, ValueError, OSError) as error:
                if not self._set_aside_newest(name, synced):
                    raise StoreError(
                        f"table {name} of {self._uri} cannot be opened: {_brief(error)}",
                        hint="muninn doctor --verify explains; muninn backup restore brings a copy back",
                    ) from None

    def _set_aside_newest(self, name: str, synced: int) -> bool:
        """Rename the newest manifest away if it is younger than the last synced one."""
        versions = Path(self._uri) / f"{name}.lance" / "_versions"
        manifests = sorted(versions.glob("*.manifest"), key=_version_of) if versions.is_dir() else []
        if len(manifests) < 2 or _version_of(manifests[-1]) <= synced:
            return False
        manifests[-1].rename(manifests[-1].with_suffix(".torn"))
        (versions / "latest_version_hint.json").unlink(missing_ok=True)
        return True

    def scan(self, table: Table, *, after: str = "", damaged: Damaged | None = None) -> Iterator[Any]:
        """The rows of a table as records, or those whose key is greater than ``after``; ``damaged`` as in ``Table.records``."""
        for batch in self._batches(table, table.schema.names, f"{table.key} > {quote(after)}" if after else None):
            yield from table.records(batch, damaged)

    def find(self, table: Table, column: str, value: str, damaged: Damaged | None = None) -> Iterator[Any]:
        """Rows whose column equals a value; ``damaged`` as in ``Table.records``."""
        for batch in self._batches(table, table.schema.names, f"{column} = {quote(value)}"):
            yield from table.records(batch, damaged)

    def scan_memories(self) -> Iterator[tuple[Any, bytes | None]]:
        """Every memory with its vector."""
        for batch in self._batches(MEMORIES, self.memory_columns(), None):
            yield from self.memory_rows(batch)

    def memory_columns(self) -> list[str]:
        """What ``memory_rows`` reads."""
        return [*MEMORIES.schema.names, *(vector_column(d) for d in sorted(self._dimensions))]

    def memory_rows(self, batch: pa.RecordBatch) -> Iterator[tuple[Any, bytes | None]]:
        """The memories of a batch, each with its vector."""
        vectors: list[bytes | None] = [None] * batch.num_rows
        for name in batch.schema.names:
            if not name.startswith("vector_"):
                continue
            column = batch.column(name)
            flat = np.ascontiguousarray(column.flatten().to_numpy(zero_copy_only=False), dtype="<f4")
            valid = column.is_valid().to_numpy(zero_copy_only=False)
            rows = iter(flat.reshape(-1, column.type.list_size))
            for index in np.flatnonzero(valid):
                vectors[index] = next(rows).tobytes()
        return zip(MEMORIES.records(batch), vectors, strict=True)

    @property
    def dimensions(self) -> frozenset[int]:
        """The widths of the vectors that are stored."""
        return frozenset(self._dimensions)

    def handle(self, table: Table) -> Any:
        """The engine's own table; None when nothing was opened."""
        return self._open.get(table.name)

    def _batches(self, table: Table, columns: list[str], where: str | None) -> Iterator[pa.RecordBatch]:
        if table.name not in self._open:
            return
        with engine(f"reading table {table.name}", remedy=DAMAGED):
            query = self._open[table.name].search().select(columns).limit(None)
            if where:
                query = query.where(where)
            yield from query.to_batches(_BATCH)

    def distinct(self, table: Table, column: str) -> set[str]:
        """The different values of a text column."""
        return {
            str(value)
            for batch in self._batches(table, [column], None)
            for value in batch.column(column).unique().to_pylist()
        }

    def upsert(self, table: Table, records: Sequence[Any], vectors: Sequence[bytes] | None = None) -> None:
        """Insert or replace rows by key, in one commit; without ``vectors`` the stored vectors stay."""
        rows = table.arrow(records)
        if vectors:
            width = len(vectors[0]) // 4
            self._widen(width)
            rows = with_vectors(rows, vectors)
            for other in self._dimensions - {width}:  # of another model, which this one replaces
                rows = rows.append_column(vector_column(other), pa.nulls(len(rows), pa.list_(pa.float32(), other)))
        if table is MEMORIES and self.derived is not None:
            further = self.derived(records)
            for name in further.schema.names:
                rows = rows.append_column(name, further[name])
        handle = self._open[table.name]
        with engine(f"writing table {table.name}"):
            failpoint(f"store.upsert.{table.name}")
            if handle.count_rows() == 0:
                handle.add(rows)
            else:
                handle.merge_insert(table.key).when_matched_update_all().when_not_matched_insert_all().execute(rows)

    def _widen(self, dimensions: int) -> None:
        if dimensions not in self._dimensions:
            with engine("adding a vector column"):
                field = pa.field(vector_column(dimensions), pa.list_(pa.float32(), dimensions))
                self._open[MEMORIES.name].add_columns(pa.schema([field]))
            self._dimensions.add(dimensions)

    def delete(self, table: Table, keys: Iterable[str]) -> None:
        gone = list(keys)
        for start in range(0, len(gone), _DELETED_AT_ONCE):
            values = ", ".join(map(quote, gone[start : start + _DELETED_AT_ONCE]))
            with engine(f"writing table {table.name}"):
                self._open[table.name].delete(f"{table.key} IN ({values})")

    def versions(self) -> dict[str, int]:
        return {name: table.version for name, table in self._open.items()}

    def compact(self) -> None:
        """Merge small fragments and bring the indexes up to date; old versions stay."""
        for name, table in self._open.items():
            with engine(f"compacting table {name}"):
                table.optimize(cleanup_older_than=timedelta(days=3650))

    def drop_versions(self, older_than: timedelta) -> None:
        """Forget versions that nobody reads any more. Call only after the newest ones are synced."""
        for name, table in self._open.items():
            with engine(f"cleaning table {name}"), warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # nobody else has this store open: we hold its lock
                table.optimize(cleanup_older_than=older_than, delete_unverified=older_than == timedelta(0))

    def fragments(self) -> int:
        return sum(int(table.stats()["fragment_stats"]["num_fragments"]) for table in self._open.values())


def _version_of(manifest: Path) -> int:
    """Lance names manifests by version, or by its complement to 2**64 so that the newest sorts first."""
    number = int(manifest.stem)
    return (1 << 64) - 1 - number if number > 1 << 63 else number


def sync_filesystem(path: Path) -> None:
    """Put everything written to this file system on disk (Linux: syncfs; elsewhere: sync)."""
    failpoint("store.sync")
    libc = ctypes.CDLL(None, use_errno=True)
    if not hasattr(libc, "syncfs"):
        os.sync()
        return
    fd = os.open(path, os.O_RDONLY)
    try:
        if libc.syncfs(fd) != 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    finally:
        os.close(fd)


@contextmanager
def engine(doing: str, *, remedy: str = "see muninn doctor") -> Iterator[None]:
    """Translate the engine's errors, which are plain RuntimeErrors with text from Rust."""
    try:
        yield
    except (RuntimeError, ValueError, OSError) as error:
        if isinstance(error, StoreError):
            raise
        text = str(error)
        code = error.errno if isinstance(error, OSError) else None
        full = code in {errno.ENOSPC, errno.EROFS, errno.EACCES} or any(
            mark in text for mark in ("os error 28", "os error 30", "os error 13", "No space left", "Permission denied")
        )
        kind = StoreFullError if full else StoreError
        hint = "free space or make the folder writable; reading goes on" if full else remedy
        if _remote(text):
            hint = "check store.uri and [store.storage_options]"
        raise kind(f"{doing} failed: {_brief(error)}", hint=hint) from error


_REMOTE = (
    ("NoSuchBucket", "there is no such bucket"),
    ("InvalidAccessKeyId", "the access key is not known there"),
    ("SignatureDoesNotMatch", "the secret key is wrong"),
    ("ExpiredToken", "the credentials have expired"),
    ("AccessDenied", "access is denied"),
    ("status: 401", "the credentials are refused"),
    ("status: 403", "access is denied"),
    ("ConnectError", "the server cannot be reached"),
    ("dns error", "the server cannot be found"),
    ("operation timed out", "the server does not answer in time"),
    ("CredentialsNotLoaded", "there are no credentials"),
    ("InvalidGeneric", "an option is not valid"),
)
"""How the engine's text shows what an object store answered, and what it means. The first that is found counts."""


def _remote(text: str) -> str | None:
    return next((meaning for mark, meaning in _REMOTE if mark in text), None)


def _brief(error: BaseException) -> str:
    if meaning := _remote(str(error)):
        return meaning
    text = error.strerror.lower() if isinstance(error, OSError) and error.strerror else str(error)
    return text.split("\n", 1)[0].split(", /")[0][:160]
