"""Whatever bytes a source holds, an importer yields items and never raises; every item can be shown on one line."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from muninn.importers import FIELDS, IMPORTERS, Rejected, Remark, Row

FOLDERS = {"claude", "basic-memory", "markdown"}
FILES = sorted(set(IMPORTERS) - {"claude", "basic-memory"})
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-10, 10**20) | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)
KEYS = [
    "type", "name", "entityType", "observations", "from", "to", "relationType", "entities", "relations", "memory", "results",
    "memories", "id", "metadata", "categories", "created_at", "state", "content", "title", "tags", "links", "format", "vaults",
]  # fmt: skip
objects = st.dictionaries(
    st.sampled_from(KEYS), json_values | st.sampled_from(["entity", "relation", "muninn-export/1"]), max_size=6
)
yaml_like = st.text(alphabet="ab:-[]{}'\"#|> \n\t\\ñ&*!,0", max_size=200)
relaxed = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def check(path: Path, name: str) -> None:
    for item in IMPORTERS[name].read(path):
        if isinstance(item, Row):
            assert name == "muninn" or set(item.values) <= FIELDS
            assert item.line >= 0
            json.dumps(item.values, allow_nan=False)
        elif isinstance(item, (Rejected, Remark)):
            message = item.why if isinstance(item, Rejected) else item.what
            assert message
            assert "\n" not in message
            assert len(message) < 400


@relaxed
@given(data=st.binary(max_size=300), name=st.sampled_from(FILES))
def test_any_bytes(tmp_path: Path, data: bytes, name: str) -> None:
    path = tmp_path / "source.md"
    path.write_bytes(data)
    check(path, name)


@relaxed
@given(
    rows=st.lists(objects, max_size=5), name=st.sampled_from(FILES), shape=st.sampled_from(["lines", "list", "object"])
)
def test_any_json(tmp_path: Path, rows: list[dict[str, object]], name: str, shape: str) -> None:
    path = tmp_path / "source.json"
    if shape == "lines":
        path.write_text("\n".join(json.dumps(row) for row in rows), "utf-8", "surrogatepass")
    else:
        path.write_text(json.dumps(rows if shape == "list" else {"results": rows, "entities": rows, "relations": rows}))
    check(path, name)


@relaxed
@given(
    front=yaml_like, body=st.text(alphabet="[]()|#!-`~ \nab.md", max_size=200), name=st.sampled_from(sorted(FOLDERS))
)
def test_any_note(tmp_path: Path, front: str, body: str, name: str) -> None:
    (tmp_path / "MEMORY.md").write_text(body, "utf-8")
    (tmp_path / "a.md").write_text(f"---\n{front}\n---\n{body}", "utf-8")
    (tmp_path / "b.md").write_text(front, "utf-8")
    check(tmp_path, name)


@relaxed
@given(table=st.text(alphabet="content,;\t\"'\n\rñx\0", max_size=200))
def test_any_table(tmp_path: Path, table: str) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(("content,tags\n" + table).encode())
    check(path, "csv")


@pytest.mark.parametrize("name", sorted(IMPORTERS))
def test_an_empty_source_gives_nothing_or_a_reason(tmp_path: Path, name: str) -> None:
    path = tmp_path / "empty"
    if name in FOLDERS:
        path.mkdir()
    else:
        path.write_bytes(b"")
    assert not [item for item in IMPORTERS[name].read(path) if isinstance(item, Row)]


def test_a_note_that_tempts_regular_expressions_is_read_in_time(tmp_path: Path) -> None:
    for name, text in {
        "a.md": "[[" * 200_000, "b.md": "](" * 200_000, "c.md": "`" * 300_001, "d.md": "- " * 200_000, "e.md": "# " * 200_000,
        "f.md": "---\n" + "a: [" * 100_000 + "\n---\nx", "g.md": "~~~\n" * 100_000, "h.md": "- [" * 150_000, "i.md": " " * 1_000_000 + "x",
        "j.md": "---\n" + '"' * 100_000 + "\n---\nx", "k.md": "---\n" + "a" * 100_000 + "\n---\nx", "l.md": "\n" * 1_000_000 + "x",
    }.items():  # fmt: skip
        (tmp_path / name).write_text(text, "utf-8")
    for name in sorted(FOLDERS):
        check(tmp_path, name)


def test_a_long_file_is_read_as_a_stream(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for number in range(3000):
            file.write(json.dumps({"content": f"{number} " + "x" * 10_000}) + "\n")
    tracemalloc.start()
    rows = sum(isinstance(item, Row) for item in IMPORTERS["jsonl"].read(path))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert rows == 3000
    assert peak < 8 << 20  # of 30 MB
