from __future__ import annotations

import json
from pathlib import Path

import pytest

from muninn.errors import NotFoundError, UsageError
from muninn.importers import IMPORTERS, Item, Rejected, Remark, Row, Vaults, importer_for
from muninn.importers.text import LINE_LIMIT


def items(path: Path, name: str = "") -> list[Item]:
    return list(importer_for(path, format=name).read(path))


def written(folder: Path, name: str, content: bytes | str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
    return path


def test_each_line_is_a_row_and_each_bad_line_says_why(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        "a.jsonl",
        b'\xef\xbb\xbf{"content": "El puerto es 5432", "tags": ["db"], "links": [{"target": "DB"}]}\r\n'
        b"\n"
        b"{broken\n"
        b"[1, 2]\n"
        b'"text"\n'
        b'{"content": "half \\ud800"}\n'
        b'{"content": "\xff\xfe"}\n'
        b'{"content": NaN}\n'
        + b"[" * 50_000 + b"\n"
        + b'{"content": "last, without a newline", "embedding": [0.5, 1], "embedding_model": "m/1"}',
    )  # fmt: skip
    found = items(path)
    assert [(item.line, item.values["content"]) for item in found if isinstance(item, Row)] == [
        (1, "El puerto es 5432"),
        (10, "last, without a newline"),
    ]
    rejected = {item.line: item.why for item in found if isinstance(item, Rejected)}
    assert sorted(rejected) == [3, 4, 5, 6, 7, 8, 9]
    assert "surrogate" in rejected[6]
    assert "UTF-8" in rejected[7]
    assert "nested" in rejected[9]
    assert all("\n" not in why and len(why) < 300 for why in rejected.values())


def test_values_are_passed_on_verbatim(tmp_path: Path) -> None:
    values = {
        "id": "01H", "content": " \u0000 verbatim\t\n", "title": "T", "created_at": "2024-01-01T00:00:00Z", "stability": 20.5,
        "links": [{"target": "B", "relation": "causes", "weight": 0.4}], "metadata": {"a": {"b": [1, None]}}, "pinned": True,
    }  # fmt: skip
    assert items(written(tmp_path, "a.jsonl", json.dumps(values))) == [Row(values, 1)]


def test_unknown_fields_are_kept_in_metadata_and_remarked_on_once(tmp_path: Path) -> None:
    path = written(
        tmp_path, "a.jsonl", '{"text": "one", "mood": 3, "metadata": {"k": 1}}\n{"text": "two", "mood": 4}\n'
    )
    found = items(path)
    assert [item.values for item in found if isinstance(item, Row)] == [
        {"content": "one", "metadata": {"mood": 3, "k": 1}},
        {"content": "two", "metadata": {"mood": 4}},
    ]
    assert [item.what for item in found if isinstance(item, Remark)] == [
        "field 'mood' is not one of a memory's; kept in metadata"
    ]


def test_a_list_in_one_document_is_read_like_lines(tmp_path: Path) -> None:
    found = items(written(tmp_path, "a.json", '[\n {"content": "one"},\n 7,\n {"content": "two"}\n]'))
    assert found == [Row({"content": "one"}, 1), Rejected(2, "not a JSON object"), Row({"content": "two"}, 3)]


def test_an_endless_line_is_skipped_and_the_next_one_read(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    with path.open("wb") as file:
        file.write(b'{"content": "first"}\n{"content": "')
        file.seek(LINE_LIMIT * 3, 1)  # a hole: takes no space
        file.write(b'"}\n{"content": "third"}\n')
    found = items(path)
    assert [(type(item), item.line) for item in found if not isinstance(item, Vaults)] == [
        (Row, 1),
        (Rejected, 2),
        (Row, 3),
    ]


def test_own_exports_give_their_vaults_first_and_rows_as_they_are(tmp_path: Path) -> None:
    header = {"format": "muninn-export/1", "muninn": "0.1", "vaults": [{"name": "legal", "tier": "legal"}]}
    row = {"id": "1", "vault": "legal", "content": "x", "tier": "legal", "content_hash": "h", "odd": 1}
    path = written(tmp_path, "export.jsonl", f"{json.dumps(header)}\n{json.dumps(row)}\n")
    assert importer_for(path).exact
    assert items(path) == [Vaults(({"name": "legal", "tier": "legal"},)), Row(row, 2)]


def test_an_export_of_a_newer_muninn_is_not_half_understood(tmp_path: Path) -> None:
    path = written(tmp_path, "export.jsonl", '{"format": "muninn-export/2", "vaults": []}\n{"content": "x"}\n')
    (only,) = items(path)
    assert isinstance(only, Rejected)
    assert "newer" in only.why


def test_a_format_can_be_named(tmp_path: Path) -> None:
    path = written(tmp_path, "a.txt", '{"content": "x"}\n')
    assert items(path, "jsonl") == [Row({"content": "x"}, 1)]


def test_what_is_not_recognised_names_the_formats(tmp_path: Path) -> None:
    for path in (written(tmp_path, "a.bin", b"\x7fELF\0\0"), written(tmp_path, "empty.txt", b""), tmp_path):
        with pytest.raises(UsageError, match="--format, one of: muninn, "):
            importer_for(path)
    with pytest.raises(UsageError, match="unknown import format 'yaml'"):
        importer_for(tmp_path, format="yaml")
    with pytest.raises(NotFoundError):
        importer_for(tmp_path / "nothing.jsonl")


def test_the_table_is_complete() -> None:
    assert list(IMPORTERS) == [importer.name for importer in IMPORTERS.values()]
    assert {"muninn", "muninndb", "server-memory", "mem0", "claude", "basic-memory", "markdown", "csv", "jsonl"} == set(
        IMPORTERS
    )


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("config.toml", "[llm]\nproviders = []\n"),
        ("config.toml", 'language = "es"\n'),
        ("a.ini", "[a]\nb = 1\n"),
        ("notas", "hola\n"),
    ],
)
def test_a_file_of_another_kind_is_refused_with_the_kinds_there_are(tmp_path: Path, name: str, text: str) -> None:
    with pytest.raises(UsageError, match=f"cannot tell what .*{name} is") as refused:
        importer_for(written(tmp_path, name, text))
    assert "\n" not in str(refused.value)
    assert all(format_ in str(refused.value) for format_ in IMPORTERS)


@pytest.mark.parametrize("text", ['[{"content": "a"}]', "[]", '\ufeff \n[\n  {"content": "a"}\n]'])
def test_one_list_of_objects_is_read_whatever_its_name(tmp_path: Path, text: str) -> None:
    assert importer_for(written(tmp_path, "memories", text)).name == "jsonl"
