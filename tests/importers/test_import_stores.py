from __future__ import annotations

import gzip
import hashlib
import io
import json
import struct
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pytest

from muninn.importers import Item, Rejected, Remark, Row, importer_for


def items(path: Path, name: str = "") -> list[Item]:
    importer = importer_for(path)
    assert not name or importer.name == name
    return list(importer.read(path))


def values(found: list[Item]) -> list[dict[str, Any]]:
    return [item.values for item in found if isinstance(item, Row)]


def write(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
    return path


# MCP server-memory.

ENTITIES: list[dict[str, Any]] = [
    {"type": "relation", "from": "Ana", "to": "Proyecto X", "relationType": "works on"},
    {"type": "entity", "name": "Ana", "entityType": "person", "observations": ["Habla español", "Prefers mornings"]},
    {"type": "entity", "name": "Proyecto X", "entityType": "project", "observations": []},
    {"type": "entity", "name": "Fork", "entityType": "bug", "observations": [{"content": "seen twice"}, 7]},
    {"type": "relation", "from": "Ana", "to": "Nobody", "relationType": "knows"},
]


def test_server_memory_lines(tmp_path: Path) -> None:
    lines = [json.dumps(entity, ensure_ascii=False) for entity in ENTITIES]
    found = items(
        write(tmp_path, "memory.jsonl", "\n".join([*lines, '{"type":"entity"}', "{", '{"type":"other"}'])),
        "server-memory",
    )
    assert values(found) == [
        {
            "title": "Ana", "content": "Habla español\nPrefers mornings", "kind": "observation", "tags": ["person"],
            "links": [{"target": "Proyecto X", "relation": "works_on"}, {"target": "Nobody", "relation": "knows"}],
        },
        {"title": "Proyecto X", "content": "Proyecto X (project)", "kind": "fact", "tags": ["project"]},
        {"title": "Fork", "content": "seen twice", "kind": "issue", "tags": ["bug"]},
    ]  # fmt: skip
    assert [(item.line, type(item)) for item in found if isinstance(item, (Remark, Rejected))] == [
        (5, Remark),
        (6, Rejected),
        (7, Rejected),
        (8, Rejected),
    ]


def test_server_memory_as_one_document(tmp_path: Path) -> None:
    graph = {
        "entities": [{k: v for k, v in one.items() if k != "type"} for one in ENTITIES if one["type"] == "entity"],
        "relations": [{k: v for k, v in one.items() if k != "type"} for one in ENTITIES if one["type"] == "relation"],
    }
    for indent in (None, 2):
        found = items(write(tmp_path, "graph.json", json.dumps(graph, indent=indent)), "server-memory")
        assert [row["title"] for row in values(found)] == ["Ana", "Proyecto X", "Fork"]
        assert values(found)[0]["links"][0] == {"target": "Proyecto X", "relation": "works_on"}


# mem0.

MEMORIES: list[Any] = [
    {
        "id": "892db2ae-06d9-49e5-8b3e-585ef9b85b8c", "memory": "Dev works at TechCorp", "hash": "x", "score": None, "user_id": "dev",
        "metadata": {"type": "preference", "tags": ["work"]}, "created_at": "2024-07-20T01:30:36.275141-07:00", "updated_at": None,
        "categories": ["career"], "agent_id": "coder", "run_id": "r1",
    },
    {"memory": "   "},
    "text",
    {"memory": "Sin nada más"},
]  # fmt: skip


@pytest.mark.parametrize("shape", ["results", "memories", "list", "pretty", "lines"])
def test_mem0_in_each_of_its_shapes(tmp_path: Path, shape: str) -> None:
    text = {
        "list": json.dumps(MEMORIES),
        "pretty": json.dumps({"results": MEMORIES, "relations": [{"source": "a"}]}, indent=2),
        "lines": "\n".join(map(json.dumps, MEMORIES)),
    }.get(shape) or json.dumps({shape: MEMORIES, "relations": [{"source": "a"}]})
    found = items(write(tmp_path, "export.json", text), "mem0")
    first, second = values(found)
    assert first == {
        "id": "892db2ae-06d9-49e5-8b3e-585ef9b85b8c", "content": "Dev works at TechCorp", "kind": "preference",
        "tags": ["career", "work"], "created_at": "2024-07-20T08:30:36.275141Z", "state": "active",
        "metadata": {"type": "preference", "user_id": "dev"}, "provenance": {"client": "mem0", "agent_role": "coder", "run_id": "r1"},
    }  # fmt: skip
    assert second == {"content": "Sin nada más", "state": "active"}
    assert [item.line for item in found if isinstance(item, Rejected)] == [2, 3]
    assert any(isinstance(item, Remark) for item in found) == (shape not in ("list", "lines"))


def test_an_openmemory_backup(tmp_path: Path) -> None:
    backup = {
        "categories": [{"id": "c1", "name": "food"}],
        "memories": [
            {"id": "m" * 12, "content": "Le gusta la tortilla", "state": "archived", "category_ids": ["c1"], "created_at": "2025-01-01T00:00:00+00:00", "metadata": None},
            {"id": "n" * 12, "content": "Old", "state": "deleted", "category_ids": []},
        ],
    }  # fmt: skip
    path = tmp_path / "memories_export.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("memories.json", json.dumps(backup))
        archive.writestr("memories.jsonl.gz", b"")
    found = values(items(path, "mem0"))
    assert [(row["state"], row.get("tags")) for row in found] == [("archived", ["food"]), ("forgotten", None)]
    damaged = bytearray(path.read_bytes())
    damaged[60:90] = b"\xff" * 30
    (only,) = items(write(tmp_path, "damaged.zip", bytes(damaged)), "mem0")
    assert isinstance(only, Rejected)


# CSV.


def test_a_table_in_english(tmp_path: Path) -> None:
    text = 'Title,Text,Tags,Created,Mood,Pinned,Importance\nPort,"It is 5432,\nreally",db;ops,2024-05-01,calm,yes,0.9\n\n,,x,,,,\nB,short\nC,too,many,cells,for,the,seven,columns\n'
    found = items(write(tmp_path, "notes.csv", text), "csv")
    first, second = values(found)
    assert first == {
        "title": "Port", "content": "It is 5432,\nreally", "tags": ["db", "ops"], "created_at": "2024-05-01T00:00:00Z",
        "pinned": True, "relevance": 0.9, "metadata": {"mood": "calm"},
    }  # fmt: skip
    assert second == {"title": "B", "content": "short"}
    assert [(item.line, type(item)) for item in found if isinstance(item, (Remark, Rejected))] == [
        (1, Remark),
        (5, Rejected),
        (7, Rejected),
    ]
    assert [item.line for item in found if isinstance(item, Row)] == [2, 6]


def test_a_table_in_spanish_with_semicolons(tmp_path: Path) -> None:
    found = items(
        write(
            tmp_path, "notas.txt", "\ufefftítulo;contenido;etiquetas;fecha\nCafé;Sin azúcar;bebida,gustos;2024/3/5\n"
        ),
        "csv",
    )
    assert values(found) == [
        {"title": "Café", "content": "Sin azúcar", "tags": ["bebida", "gustos"], "created_at": "2024-03-05T00:00:00Z"}
    ]


def test_a_table_keeps_what_does_not_fit(tmp_path: Path) -> None:
    found = items(write(tmp_path, "a.csv", "content,created_at,kind,confidence\nx,yesterday,poem,high\n"))
    assert values(found) == [
        {"content": "x", "metadata": {"created_at": "yesterday", "type": "poem", "confidence": "high"}}
    ]


def test_broken_tables(tmp_path: Path) -> None:
    (only,) = items(write(tmp_path, "a.csv", "a,b\n1,2\n"))
    assert isinstance(only, Rejected)
    assert "no column with the text" in only.why
    found = items(write(tmp_path, "b.csv", b"content,x\n\xff\xfe,1\nfine,2\n"))
    assert [type(item) for item in found] == [Remark, Rejected, Row]
    found = items(write(tmp_path, "c.csv", 'content\n"' + "x" * (5 << 20) + '"\nafter\n'))
    assert [type(item) for item in found][:1] == [Rejected]
    assert [type(item) for item in items(write(tmp_path, "d.csv", b""))] == [Rejected]


# MuninnDB.

ID_A, ID_B = bytes(range(16)), b"\x01" + bytes(15)
ULID_A, ULID_B = "00041061050R3GG28A1C60T3GF", "01000000000000000000000000"
DAY = 1_714_521_600_000_000_000  # 2024-05-01, in nanoseconds


def engram(
    identity: bytes = ID_A,
    content: str = "Puerto 5432",
    *,
    tags: tuple[str, ...] = ("db",),
    kind: int = 1,
    state: int = 1,
) -> bytes:
    raw = content.encode()
    packed, flags = raw, 0
    if len(raw) > 512:
        packed, flags = pa.compress(raw, codec="zstd", asbytes=True), 2
    parts = [b"Postgres", b"agent-7", packed, msgspec.msgpack.encode(list(tags) or None)]
    record = bytearray(152)
    record[:6] = b"MUNN" + bytes([2, flags])
    struct.pack_into(">16sqqqfffIB", record, 8, identity, DAY, DAY + 10**9, DAY, 0.8, 0.0, 30.0, 3, state)
    record[68] = kind
    at = 152
    for (offset, size), part in zip(((108, 2), (114, 2), (120, 4), (128, 4)), parts, strict=True):
        record[offset : offset + 4] = at.to_bytes(4, "big")
        record[offset + 4 : offset + 4 + size] = len(part).to_bytes(size, "big")
        at += len(part)
    label = b"\x19\x00\x04note"
    return bytes(record) + b"".join(parts) + label + b"\0\0\0\0"


def link(weight: float = 0.5) -> tuple[bytes, bytes]:
    complement = 0xFFFFFFFF - int(weight * 0xFFFFFFFF)
    key = b"\x03" + ID_A + complement.to_bytes(4, "big") + ID_B
    return key, struct.pack(">HfqI", 6, 1.0, DAY, 0) + bytes(8)


def archive(path: Path, pairs: list[tuple[bytes, bytes]], *, checksum: str | None = None) -> Path:
    stream = b"".join(len(key).to_bytes(4, "big") + key + len(value).to_bytes(4, "big") + value for key, value in pairs)
    members = {
        "manifest.json": json.dumps({"muninn_version": "1", "schema_version": 1, "vault": "trabajo"}).encode(),
        "data.kvs": stream,
        "checksum.txt": (checksum or f"sha256:{hashlib.sha256(stream).hexdigest()}\n").encode(),
    }
    return tarball(path, members)


def tarball(path: Path, members: dict[str, bytes]) -> Path:
    with tarfile.open(path, "w:gz") as tar:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return path


def test_a_muninndb_vault(tmp_path: Path) -> None:
    long = "Una nota larga sobre el puerto 5432. " * 40
    pairs = [
        (b"\x01" + ID_A, engram()),
        (b"\x01" + ID_B, engram(ID_B, long, tags=(), kind=8, state=6)),
        (b"\x01" + bytes(16), b"junk"),
        (b"\x02" + ID_A, b"meta"),
        link(),
    ]
    found = items(archive(tmp_path / "vault.muninn", pairs), "muninndb")
    first, second = values(found)
    assert first == {
        "id": ULID_A, "vault": "trabajo", "title": "Postgres", "content": "Puerto 5432", "kind": "decision", "tags": ["db"],
        "state": "active", "created_at": "2024-05-01T00:00:00Z", "updated_at": "2024-05-01T00:00:01Z",
        "last_accessed_at": "2024-05-01T00:00:00Z", "access_count": 3, "confidence": pytest.approx(0.8), "relevance": 0.5,
        "stability": 30.0, "metadata": {"type_label": "note"}, "provenance": {"client": "muninndb", "agent_role": "agent-7"},
        "links": [{"target": ULID_B, "relation": "part_of", "weight": 0.5, "created_at": "2024-05-01T00:00:00Z"}],
    }  # fmt: skip
    assert second["content"] == long
    assert (second["state"], second["kind"], second["metadata"]["muninndb_type"]) == ("archived", "task", "goal")
    assert [item.line for item in found if isinstance(item, Rejected)] == [3]


def test_a_muninndb_vault_that_was_changed_or_cut(tmp_path: Path) -> None:
    (only,) = items(archive(tmp_path / "a.muninn", [(b"\x01" + ID_A, engram())], checksum="sha256:00"))
    assert isinstance(only, Rejected)
    assert "checksum" in only.why
    whole = archive(tmp_path / "b.muninn", [(b"\x01" + ID_A, engram(content="x" * 3000))] * 20).read_bytes()
    (only,) = items(write(tmp_path, "c.muninn", whole[: len(whole) // 2]))
    assert isinstance(only, Rejected)
    assert "damaged" in only.why
    absurd = tarball(tmp_path / "d.muninn", {"manifest.json": b"{}", "data.kvs": b"\xff\xff\xff\xff"})
    (only,) = items(absurd)
    assert isinstance(only, Rejected)


OLD_NOTE = f"""# Postgres port

---
id: {ULID_A}
type: decision
state: completed
confidence: 0.90
tags: [db, ops]
created: 2024-05-01T10:00:00Z
---

It listens on 5432.

## Details
here

## Summary

Port.

## Links

- [{ULID_B}](../{ULID_B}) — is_part_of (weight: 0.70)
"""
NEW_NOTE = f"""---
id: "{ULID_A}"
vault: "trabajo"
concept: "Postgres port"
created_at: "2024-05-01T10:00:00Z"
updated_at: "2024-05-01T10:00:00Z"
last_access: ""
state: "completed"
confidence: "0.900000"
relevance: "0.000000"
stability: "5.000000"
access_count: "4"
memory_type: "decision"
type_label: ""
classification: "0"
tags:
  - "db"
  - "ops"
---

# Postgres port

## Summary

Port.

## Content

It listens on 5432.

## Details
here

## Links

- `is_part_of` (weight=0.700) -> [Server](server--{ULID_B}.md)
"""


@pytest.mark.parametrize("text", [OLD_NOTE, NEW_NOTE])
@pytest.mark.parametrize("packed", [True, False])
def test_muninndb_markdown_in_both_layouts(tmp_path: Path, text: str, packed: bool) -> None:
    members = {
        "index.md": b"# Vault: trabajo\n",
        "tags.md": b"# Tags\n",
        "notes/a.md": text.encode(),
        "notes/b.md": b"# No id\n",
    }
    path = tmp_path / "v.markdown.tgz"
    if packed:
        tarball(path, members)
    else:
        path = tmp_path / "v"
        (path / "notes").mkdir(parents=True)
        for name, data in members.items():
            (path / name).write_bytes(data)
    found = items(path, "muninndb")
    (row,) = values(found)
    assert row["content"] == "It listens on 5432.\n\n## Details\nhere"
    assert row["links"] == [{"target": ULID_B, "relation": "part_of", "weight": 0.7}]
    assert (row["id"], row["title"], row["kind"], row["state"], row["confidence"], row["tags"], row["created_at"]) == (
        ULID_A, "Postgres port", "decision", "archived", 0.9, ["db", "ops"], "2024-05-01T10:00:00Z",
    )  # fmt: skip
    assert row["metadata"]["summary"] == "Port."
    assert row.get("stability", 14.0) == 14.0
    assert [item.source for item in found if isinstance(item, Rejected)] == ["notes/b.md"]


def test_a_gzip_that_is_something_else_is_not_recognised(tmp_path: Path) -> None:
    from muninn.errors import UsageError

    with pytest.raises(UsageError, match="cannot tell"):
        importer_for(write(tmp_path, "x.gz", gzip.compress(b"hello")))
