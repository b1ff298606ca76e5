"""The tables: names, Arrow schemas, keys, and how records become rows and come back.

Memories and links are stored in full columns, so that other tools can read them; the small records keep the columns one
would filter by, and their whole value in ``body`` (MessagePack). Vectors live in ``vector_<dimensions>`` columns, added
when an embedder first needs one: vectors of models with the same width are told apart by ``embedding_model``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from muninn.domain.memory import Kind, Link, Memory, Origin, Provenance, State, Vault
from muninn.domain.records import Decision, DreamRecord, Egress, OperationRecord, Suggestion, Usage
from muninn.domain.trust import Tier
from muninn.errors import StoreError
from muninn.ports import Damaged
from muninn.store.codec import DAMAGED, decode, encode

_TIME = pa.timestamp("us", tz="UTC")
_TEXTS = pa.list_(pa.string())
KEY_SEPARATOR = "\x1f"
_TIERS = {tier.value: tier for tier in Tier}

_PROVENANCE = ("client", "session_id", "agent_role", "run_id", "run_trigger", "iteration", "tool")

MEMORY_SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("vault", pa.string()),
        ("tier", pa.string()),
        ("title", pa.string()),
        ("title_derived", pa.bool_()),
        ("content", pa.string()),
        ("content_hash", pa.string()),
        ("kind", pa.string()),
        ("tags", _TEXTS),
        ("metadata", pa.string()),
        ("created_at", _TIME),
        ("updated_at", _TIME),
        ("learned_at", _TIME),
        ("valid_from", _TIME),
        ("valid_until", _TIME),
        ("last_accessed_at", _TIME),
        ("access_count", pa.int64()),
        ("relevance", pa.float64()),
        ("stability", pa.float64()),
        ("confidence", pa.float64()),
        ("pinned", pa.bool_()),
        ("state", pa.string()),
        ("superseded_by", pa.string()),
        ("merged_from", _TEXTS),
        ("embedding_model", pa.string()),
        *((f"provenance_{name}", pa.int64() if name == "iteration" else pa.string()) for name in _PROVENANCE),
    ]
)
LINK_SCHEMA = pa.schema(
    [
        ("key", pa.string()),
        ("source", pa.string()),
        ("target", pa.string()),
        ("relation", pa.string()),
        ("vault", pa.string()),
        ("weight", pa.float64()),
        ("origin", pa.string()),
        ("created_at", _TIME),
        ("last_activated_at", _TIME),
        ("rejected", pa.bool_()),
        ("premises", _TEXTS),
    ]
)


def link_key(key: tuple[str, str, str]) -> str:
    return KEY_SEPARATOR.join(key)


def vector_column(dimensions: int) -> str:
    return f"vector_{dimensions}"


def _memory_row(memory: Memory) -> list[object]:
    m, p = memory, memory.provenance
    return [
        m.id, m.vault, m.tier.value, m.title, m.title_derived, m.content, m.content_hash, m.kind.value, list(m.tags),
        json.dumps(m.metadata, ensure_ascii=False, sort_keys=True) if m.metadata else "{}",
        m.created_at, m.updated_at, m.learned_at, m.valid_from, m.valid_until, m.last_accessed_at,
        m.access_count, m.relevance, m.stability, m.confidence, m.pinned, m.state.value, m.superseded_by,
        list(m.merged_from), m.embedding_model,
        p.client, p.session_id, p.agent_role, p.run_id, p.run_trigger, p.iteration, p.tool,
    ]  # fmt: skip


def _memory(row: Sequence[Any]) -> Memory:
    try:
        return _memory_of(row)
    except (ValueError, TypeError) as error:
        raise StoreError(f"the stored memory {row[0]} cannot be read: {error}", hint=DAMAGED) from None


def _memory_of(row: Sequence[Any]) -> Memory:
    return Memory(
        id=row[0], vault=row[1], tier=_tier(row[2]), title=row[3], title_derived=row[4], content=row[5],
        content_hash=row[6], kind=Kind(row[7]), tags=tuple(row[8]), metadata=json.loads(row[9]) if row[9] != "{}" else {},
        created_at=row[10], updated_at=row[11], learned_at=row[12], valid_from=row[13], valid_until=row[14],
        last_accessed_at=row[15], access_count=row[16], relevance=row[17], stability=row[18], confidence=row[19],
        pinned=row[20], state=State(row[21]), superseded_by=row[22], merged_from=tuple(row[23]), embedding_model=row[24],
        provenance=Provenance(client=row[25], session_id=row[26], agent_role=row[27], run_id=row[28],
                              run_trigger=row[29], iteration=row[30], tool=row[31]),
    )  # fmt: skip


def _tier(stored: str) -> Tier:
    """An unknown tier found on disk is treated as the strictest one."""
    return _TIERS.get(stored, Tier.LEGAL)


def _link_row(link: Link) -> list[object]:
    return [
        link_key(link.key), link.source, link.target, link.relation, link.vault, link.weight, link.origin.value,
        link.created_at, link.last_activated_at, link.rejected, list(link.premises),
    ]  # fmt: skip


def _link(row: Sequence[Any]) -> Link:
    try:
        return _link_of(row)
    except (ValueError, TypeError) as error:
        raise StoreError(f"the stored link {row[1]} -> {row[2]} cannot be read: {error}", hint=DAMAGED) from None


def _link_of(row: Sequence[Any]) -> Link:
    return Link(
        source=row[1], target=row[2], relation=row[3], vault=row[4], weight=row[5], origin=Origin(row[6]),
        created_at=row[7], last_activated_at=row[8], rejected=row[9], premises=tuple(row[10]),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Table:
    """One table: ``key`` is its unique column; ``row`` and ``record`` follow the order of ``schema``."""

    name: str
    key: str
    schema: pa.Schema
    key_of: Callable[[Any], str]
    row: Callable[[Any], list[object]]
    record: Callable[[Sequence[Any]], Any]

    def arrow(self, records: Sequence[Any]) -> pa.Table:
        """Rows for ``records``; vectors are appended by ``with_vectors``."""
        columns = zip(*map(self.row, records), strict=True)
        return pa.table(
            [pa.array(values, field.type) for values, field in zip(columns, self.schema, strict=True)],
            schema=self.schema,
        )

    def records(self, batch: pa.RecordBatch, damaged: Damaged | None = None) -> Iterator[Any]:
        """The rows as records. Raises StoreError at one that cannot be read, or tells ``damaged`` and passes it over."""
        columns = [batch.column(name).to_pylist() for name in self.schema.names]
        rows = zip(*columns, strict=True)
        return map(self.record, rows) if damaged is None else self._readable(rows, damaged)

    def _readable(self, rows: Iterable[Sequence[Any]], damaged: Damaged) -> Iterator[Any]:
        at = self.schema.names.index(self.key)
        for row in rows:
            try:
                yield self.record(row)
            except StoreError:
                damaged(row[at])


def with_vectors(rows: pa.Table, vectors: Sequence[bytes]) -> pa.Table:
    """Append the vector column for equally wide vectors, one per row."""
    width = len(vectors[0]) // 4
    flat = pa.array(np.frombuffer(b"".join(vectors), dtype="<f4"))
    return rows.append_column(vector_column(width), pa.FixedSizeListArray.from_arrays(flat, width))


def _small(
    name: str,
    kind: type,
    key_of: Callable[[Any], str],
    columns: dict[str, tuple[pa.DataType, str]],
    *,
    record: Callable[[Sequence[Any]], Any] | None = None,
) -> Table:
    """A table of small records: key, the columns worth filtering by, and the body, which ``record`` need not read."""
    schema = pa.schema([("key", pa.string()), *((c, t) for c, (t, _) in columns.items()), ("body", pa.binary())])
    attributes = [attribute for _, attribute in columns.values()]

    def row(record: Any) -> list[object]:
        return [key_of(record), *(getattr(record, attribute) for attribute in attributes), encode(record)]

    return Table(name, "key", schema, key_of, row, record or (lambda values: decode(values[-1], kind)))


def _dream(row: Sequence[Any]) -> DreamRecord:
    """A dream whose body cannot be read is what its columns say: it must cost no later dream, and no other its undo."""
    try:
        return decode(row[-1], DreamRecord)  # type: ignore[no-any-return]
    except StoreError:
        report = {"damaged": True}
        return DreamRecord(id=row[0], kind=row[1], started_at=row[2], finished_at=None, status=row[3], report=report)


_S, _B, _I = pa.string(), pa.bool_(), pa.int64()


@dataclass(frozen=True, slots=True)
class Meta:
    """A counter or watermark."""

    name: str
    value: str


MEMORIES = Table("memories", "id", MEMORY_SCHEMA, lambda m: str(m.id), _memory_row, _memory)
LINKS = Table("links", "key", LINK_SCHEMA, lambda link: link_key(link.key), _link_row, _link)
# read from its columns, not its body: a tier that nobody knows must not keep the store from opening
VAULTS = _small(
    "vaults",
    Vault,
    lambda v: str(v.key),
    {"name": (_S, "name"), "tier": (_S, "tier"), "created_at": (_TIME, "created_at")},
    record=lambda row: Vault(name=row[1], tier=_tier(row[2]), created_at=row[3]),
)
USAGE = _small("events", Usage, lambda e: str(e.id), {"at": (_TIME, "at"), "kind": (_S, "kind")})
DREAMS = _small(
    "dreams",
    DreamRecord,
    lambda d: str(d.id),
    {"kind": (_S, "kind"), "started_at": (_TIME, "started_at"), "status": (_S, "status")},
    record=_dream,
)
OPERATIONS = _small(
    "operations",
    OperationRecord,
    lambda o: str(o.key),
    {"dream_id": (_S, "dream_id"), "vault": (_S, "vault"), "op": (_S, "op"), "applied": (_B, "applied")},
)
SUGGESTIONS = _small(
    "suggestions", Suggestion, lambda s: str(s.id), {"status": (_S, "status"), "created_at": (_TIME, "created_at")}
)
DECISIONS = _small(
    "decisions",
    Decision,
    lambda d: str(d.key),
    {"vault": (_S, "vault"), "verdict": (_S, "verdict"), "at": (_TIME, "at")},
)
EGRESS = _small(
    "egress",
    Egress,
    lambda e: str(e.id),
    {
        "at": (_TIME, "at"),
        "vault": (_S, "vault"),
        "provider": (_S, "provider"),
        "allowed": (_B, "allowed"),
        "bytes_out": (_I, "bytes_out"),
        "bytes_in": (_I, "bytes_in"),
    },
)
META = _small("meta", Meta, lambda m: str(m.name), {"value": (_S, "value")})

TABLES = (MEMORIES, LINKS, VAULTS, USAGE, DREAMS, OPERATIONS, SUGGESTIONS, DECISIONS, EGRESS, META)
