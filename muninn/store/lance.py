"""The store: a durable log in front of LanceDB tables.

A write is acknowledged when it is in the log and the log is on disk; the tables follow in batches (``checkpoint``), are
synced, and only then is the log shortened. Opening replays what the tables lack. Reads see both. Everything is an upsert
by key, so replaying twice is replaying once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from threading import Condition, Lock, Thread
from typing import Any

from muninn.atomic import private_folder
from muninn.config import StoreConfig
from muninn.domain.memory import Link, Memory, Vault
from muninn.domain.records import Decision, DreamRecord, Egress, OperationRecord, Suggestion, Transaction, Usage
from muninn.domain.trust import Tier
from muninn.errors import StoreError, StoreFullError
from muninn.failpoints import failpoint
from muninn.ports import Damaged
from muninn.store import schema
from muninn.store.codec import decode_transaction, encode
from muninn.store.erasure import erase
from muninn.store.marker import Marker, read_marker, with_synced, write_marker
from muninn.store.migrations import migrate
from muninn.store.overlay import Overlay
from muninn.store.reserve import Reserve
from muninn.store.schema import Table
from muninn.store.search import Search
from muninn.store.tables import Tables, connect, engine, sync_filesystem
from muninn.store.wal import WriteAheadLog, drop, read_segment, segments

_CHECKPOINT_ROWS = 2_000
_PAUSE_SECONDS = 0.5
_RETRY_SECONDS = 15.0
_BACKLOG_ROWS = 20_000
_MAINTAIN_COMMITS = 30
_KEEP_VERSIONS = timedelta(seconds=15)  # what a scan under way may still read


class LanceStore:
    """Implements ``ports.Store``. ``read_only`` changes no byte: what the log holds is shown from memory."""

    def __init__(self, data: Path, config: StoreConfig, *, read_only: bool = False) -> None:
        self._data = data
        self._read_only = read_only
        self._local = "://" not in (config.uri or "")
        self._durable = config.durability == "full"
        self._uri = config.uri or str(data)
        self._state = Condition(Lock())
        self._live = Overlay()
        self._sealed: Overlay | None = None
        self._checkpointing = Lock()
        self._commits = 0
        self._trouble: StoreError | None = None
        self._closed = False
        self._log: WriteAheadLog | None = None
        self._reserve = Reserve(data, config.reserve_mb << 20)
        self._marker = self._open_tables(config, read_only=read_only)
        for segment in segments(data / "wal"):
            for record in read_segment(segment):
                self._live.take(decode_transaction(record))
        if not read_only:
            self._log = WriteAheadLog(private_folder(data / "wal"), durable=self._durable)
            self._reserve.hold()
        self._worker = Thread(target=self._run, name="muninn-checkpoint", daemon=True)

    def _open_tables(self, config: StoreConfig, *, read_only: bool) -> Marker:
        marker = read_marker(self._data)
        if marker is None and read_only:
            self._tables = Tables(None, self._uri)  # nothing was ever stored here, and looking does not change that
            return Marker()
        if not read_only:
            private_folder(self._data)
        connection = connect(self._uri, config.storage_options)
        self._tables = Tables(connection, self._uri)
        if marker is None:
            if names := self._tables.existing():
                raise StoreError(
                    f"{self._uri} holds tables already ({', '.join(names[:3])} …) and {self._data} has no marker for them",
                    hint="copy store.json from the home that made them, or choose another store.uri",
                )
            marker = Marker(complete=False)
            write_marker(self._data, marker)
        if not marker.complete and not read_only:
            failpoint("store.create")
            self._tables.create()
            if self._local and self._durable:
                sync_filesystem(self._data)
            marker = with_synced(marker, self._tables.versions())
            write_marker(self._data, marker)
        else:
            if not read_only:
                marker = migrate(connection, self._data, marker)
            self._tables.open(marker.synced)
        return marker

    def start(self) -> None:
        """Begin moving the log into the tables in the background."""
        self._worker.start()

    # -- reading

    def _rows(self, table: Table, *, after: str = "") -> Iterator[Any]:
        """The rows of a table, or those whose key is greater than ``after``."""
        rows = self._overlaid(table, self._tables.scan(table, after=after))
        return (row for row in rows if table.key_of(row) > after) if after else rows

    def _overlaid(self, table: Table, rows: Iterator[Any]) -> Iterator[Any]:
        pending = self._pending(table)
        for record in rows:
            if table.key_of(record) not in pending:
                yield record
        yield from (record for record in pending.values() if record is not None)

    def _pending(self, table: Table) -> dict[str, Any]:
        return self.waiting(table)[0]

    def memories(self) -> Iterator[tuple[Memory, bytes | None]]:
        pending, vectors = self.waiting(schema.MEMORIES)
        for memory, vector in self._tables.scan_memories():
            if memory.id not in pending:
                yield memory, vector
            elif (row := pending.pop(memory.id)) is not None:
                yield row, vectors.get(row.id, vector)
        for row in pending.values():
            if row is not None:
                yield row, vectors.get(row.id)

    def links(self) -> Iterator[Link]:
        return self._rows(schema.LINKS)

    def vaults(self) -> Iterator[Vault]:
        return self._rows(schema.VAULTS)

    def usage(self, since: str = "") -> Iterator[Usage]:
        return iter(sorted(self._rows(schema.USAGE, after=since), key=lambda row: str(row.id)))

    def dreams(self) -> Iterator[DreamRecord]:
        return self._rows(schema.DREAMS)

    def operations(self, dream_id: str, damaged: Damaged | None = None) -> Iterator[OperationRecord]:
        found = self._tables.find(schema.OPERATIONS, "dream_id", dream_id, damaged)
        rows = self._overlaid(schema.OPERATIONS, found)
        return iter(sorted((row for row in rows if row.dream_id == dream_id), key=lambda row: int(row.seq)))

    def suggestions(self) -> Iterator[Suggestion]:
        return self._rows(schema.SUGGESTIONS)

    def decisions(self) -> Iterator[Decision]:
        return self._rows(schema.DECISIONS)

    def egress(self, since: str = "") -> Iterator[Egress]:
        return self._rows(schema.EGRESS, after=since)

    def meta(self) -> Mapping[str, str]:
        return {row.name: row.value for row in self._rows(schema.META)}

    def ordered_ids(self) -> set[str]:
        """Ids of usage events and dreams: their order is the order in which things happened."""
        tables = (schema.USAGE, schema.DREAMS)
        return {
            key for table in tables for key in self._tables.distinct(table, table.key) | self._pending(table).keys()
        }

    def unknown_tiers(self) -> tuple[str, ...]:
        """Tiers found on disk that nobody knows; their text counts as legal."""
        found = self._tables.distinct(schema.VAULTS, "tier") | self._tables.distinct(schema.MEMORIES, "tier")
        return tuple(sorted(found - {tier.value for tier in Tier}))

    @property
    def marker(self) -> Marker:
        return self._marker

    def set_marker(self, marker: Marker) -> None:
        self._marker = marker
        write_marker(self._data, marker)

    # -- writing

    def append(self, transaction: Transaction) -> int:
        if self._log is None:
            self._log = self._log_for_egress(transaction)
        if not transaction.purge:  # erasing makes room
            self._reserve.require_room()
        payload = encode(transaction)
        with self._state:
            while self._live.changes > _BACKLOG_ROWS and self._worker.is_alive() and self._trouble is None:
                self._state.wait(1.0)
            if self._trouble is not None and self._live.changes > _BACKLOG_ROWS:
                raise StoreFullError(
                    f"{self._live.changes:,} rows wait for tables that cannot be written: {self._trouble.message}",
                    hint=self._trouble.hint,
                )
            position = self._log.append(payload)
            self._live.take(transaction)
            self._state.notify_all()
        return position

    def _log_for_egress(self, transaction: Transaction) -> WriteAheadLog:
        """What left the process is recorded even when nothing else may be written."""
        if transaction != Transaction(egress=transaction.egress):
            raise StoreFullError(
                f"{self._data.parent} is open for reading only", hint="make it writable, or set MUNINN_HOME"
            )
        return WriteAheadLog(private_folder(self._data / "wal"), durable=self._durable)

    def wait(self, position: int) -> None:
        if self._log is not None:
            self._log.wait(position)

    def checkpoint(self) -> None:
        """Move what is in the log into the tables, sync them, shorten the log. Raises StoreError; nothing is lost then."""
        if self._log is None or self._read_only:
            return
        with self._checkpointing:
            with self._state:
                if not self._live.changes:
                    return
                old = self._log.rotate()
                self._sealed, self._live = self._live, Overlay()
            try:
                self._write_with_reserve(self._sealed)
            except BaseException:
                with self._state:
                    self._sealed.absorb(self._live)
                    self._live, self._sealed = self._sealed, None
                raise
            failpoint("store.before_drop")
            with self._state:
                self._sealed = None
                self._state.notify_all()
            drop(old)
            self._trouble = None
            self._commits += 1
            if self._commits >= _MAINTAIN_COMMITS:
                self._maintain()

    def _write_with_reserve(self, overlay: Overlay) -> None:
        """Write, and once more with the reserve given up when the disk is full; space is won back right after."""
        try:
            self._write(overlay)
        except StoreFullError:
            if not self._reserve.release():
                raise
            self._write(overlay)
            self._commits = _MAINTAIN_COMMITS

    def _write(self, overlay: Overlay) -> None:
        for table in schema.TABLES:
            rows = overlay.rows[table.name]
            kept = [record for record in rows.values() if record is not None]
            if table is schema.MEMORIES:
                self._write_memories(kept, overlay.vectors)
            elif kept:
                self._tables.upsert(table, kept)
            if gone := [key for key, record in rows.items() if record is None]:
                self._tables.delete(table, gone)
        if overlay.purged:
            erase(self._tables, overlay.purged)
        self._synchronise()
        if overlay.purged:
            self._tables.compact()
            self._synchronise()
            self._tables.drop_versions(timedelta(0))

    def _write_memories(self, memories: list[Memory], vectors: Mapping[str, bytes]) -> None:
        by_width: dict[int, list[Memory]] = {}
        for memory in memories:
            by_width.setdefault(len(vectors.get(memory.id, b"")), []).append(memory)
        for width, group in by_width.items():
            self._tables.upsert(schema.MEMORIES, group, [vectors[m.id] for m in group] if width else None)

    def _synchronise(self) -> None:
        with engine("putting the tables on disk"):
            if self._local and self._durable:
                sync_filesystem(self._data)
            marker = with_synced(self._marker, self._tables.versions())
            write_marker(self._data, marker)
            self._marker = marker

    def maintain(self) -> None:
        """Compact, sync, then drop old versions; in this order a power cut costs nothing."""
        if self._read_only:
            return
        with self._checkpointing:
            self._maintain()

    def _maintain(self) -> None:
        """When the disk is nearly full no older version is worth its room."""
        self._commits = 0
        failpoint("store.maintain")
        try:
            self._tables.compact()
            self._synchronise()
        except StoreFullError:
            if not self._reserve.release():
                raise
            self._tables.drop_versions(timedelta(0))
            self._tables.compact()
            self._synchronise()
        failpoint("store.before_clean")
        self._tables.drop_versions(timedelta(0) if self._reserve.released else _KEEP_VERSIONS)
        self._reserve.hold()

    def _run(self) -> None:
        while True:
            with self._state:
                self._await_pause()
                if self._closed:
                    return
            try:
                self.checkpoint()
            except (StoreError, OSError) as error:
                self._trouble = _trouble(error)
                with self._state:
                    if not self._closed:
                        self._state.wait(_RETRY_SECONDS)

    def _await_pause(self) -> None:
        """Return when enough has gathered, when nobody has written for a moment, or at the end."""
        while not self._closed and self._live.changes < _CHECKPOINT_ROWS:
            written = self._state.wait(_PAUSE_SECONDS if self._live.changes else None)
            if not written and self._live.changes:
                return

    @property
    def trouble(self) -> StoreError | None:
        """Why the tables do not follow the log at the moment; acknowledged writes are safe in the log."""
        return self._trouble

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Everything is in the tables and no checkpoint runs meanwhile: the files on disk are one consistent store."""
        self.checkpoint()
        with self._checkpointing:
            yield

    def waiting(self, table: Table) -> tuple[dict[str, Any], dict[str, bytes]]:
        """The rows of a table that are not in it yet, by key (None: taken away), and the vectors that come with them."""
        with self._state:
            sealed = self._sealed or Overlay()
            rows = {**sealed.rows[table.name], **self._live.rows[table.name]}
            return rows, {**sealed.vectors, **self._live.vectors}

    def search(self) -> Search:
        """What a read model asks that does not hold everything itself."""
        return Search(self._tables, self.waiting, writing=None if self._read_only else self._checkpointing)

    def statistics(self) -> dict[str, int]:
        with self._state:
            pending = self._live.changes + (self._sealed.changes if self._sealed else 0)
        return {
            "fragments": self._tables.fragments(),
            "pending_rows": pending,
            "free_bytes": self._reserve.free() if self._data.is_dir() else 0,
        }

    @property
    def reserve_released(self) -> bool:
        """Whether the disk was so full that the reserve is given up."""
        return self._log is not None and self._reserve.released

    def close(self) -> None:
        """Checkpoint and stop. If the tables cannot be written the log keeps everything for the next start."""
        with self._state:
            self._closed = True
            self._state.notify_all()
        if self._worker.is_alive():
            self._worker.join()
        try:
            self.checkpoint()
        except (StoreError, OSError) as error:
            self._trouble = _trouble(error)
        if self._log is not None:
            try:
                self._log.close()
            except StoreError as error:
                self._trouble = error


def _trouble(error: StoreError | OSError) -> StoreError:
    return error if isinstance(error, StoreError) else StoreError(str(error))
