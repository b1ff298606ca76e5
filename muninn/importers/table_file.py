"""CSV and TSV with a header line: columns are matched to a memory's fields by name, in English or Spanish.

Columns it does not know go to ``metadata``. The separator is the one of comma, semicolon and tab that the header uses most.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from muninn.importers import fields
from muninn.importers.items import Item, Rejected, Remark, Row
from muninn.importers.text import head, open_file

_COLUMNS = {
    "content": ("content", "text", "memory", "note", "body", "observation", "contenido", "texto", "nota", "recuerdo"),
    "title": ("title", "name", "subject", "título", "titulo", "nombre", "asunto"),
    "tags": ("tags", "labels", "categories", "keywords", "etiquetas", "categorías", "categorias"),
    "created_at": fields.CREATED,
    "updated_at": fields.UPDATED,
    "kind": ("kind", "type", "category", "tipo", "categoría", "categoria"),
    "vault": ("vault", "project", "bóveda", "boveda", "proyecto"),
    "id": ("id", "uuid"),
    "valid_from": ("valid_from",),
    "valid_until": ("valid_until", "expires", "expiration_date"),
    "relevance": ("relevance", "importance"),
    "confidence": ("confidence",),
    "pinned": ("pinned",),
}
_FIELD_OF = {name: field for field, names in _COLUMNS.items() for name in names}
_TIMES = ("created_at", "updated_at", "valid_from", "valid_until")
_SHARES = ("relevance", "confidence")
_SEPARATORS = ",;\t"
_FIELD_LIMIT = 4 << 20  # characters; the csv module's own limit is for the whole process and by default 128 KiB


def is_table(path: Path) -> bool:
    if not path.is_file():
        return False
    if path.suffix.casefold() in (".csv", ".tsv"):
        return True
    first = head(path).removeprefix(b"\xef\xbb\xbf").split(b"\n")[0].decode("utf-8", "replace")
    columns = [column.strip().strip('"').casefold() for column in first.split(_separator(first))]
    return len(columns) > 1 and any(_FIELD_OF.get(column) == "content" for column in columns)


def _separator(header: str) -> str:
    return max(_SEPARATORS, key=header.count)


def read(path: Path) -> Iterator[Item]:
    with open_file(path) as file:
        yield from _rows(file)


def _rows(file: BinaryIO) -> Iterator[Item]:
    text = io.TextIOWrapper(file, encoding="utf-8-sig", errors="surrogateescape", newline="")
    separator = _separator(text.readline(1 << 20))
    text.seek(0)
    csv.field_size_limit(max(csv.field_size_limit(), _FIELD_LIMIT))
    lines = _Lines(text)
    reader = csv.reader(lines, delimiter=separator)
    header = next(_records(reader, lines), None)
    columns = [] if header is None or isinstance(header, Rejected) else [name.strip().casefold() for name in header]
    if "content" not in {_FIELD_OF.get(name) for name in columns}:
        yield Rejected(1, f"no column with the text; call it one of: {', '.join(_COLUMNS['content'])}")
        return
    strange = [name for name in columns if name not in _FIELD_OF]
    if strange:
        yield Remark(1, f"columns kept in metadata: {', '.join(strange)[:200]}")
    line = reader.line_num + 1
    for record in _records(reader, lines):
        if isinstance(record, Rejected):
            yield record
        elif any(cell.strip() for cell in record):
            row = _row(line, columns, record)
            yield from _unread(row, columns)
            yield row
        line = reader.line_num + 1


def _unread(row: Row | Rejected, columns: list[str]) -> Iterator[Remark]:
    """Times and shares that are none, so that they do not vanish without a word."""
    if isinstance(row, Rejected):
        return
    kept = row.values.get("metadata", {})
    for name in dict.fromkeys(columns):
        field = _FIELD_OF.get(name, "")
        if field in (*_TIMES, *_SHARES) and field in kept and field not in row.values:
            yield Remark(row.line, f"{name} {str(kept[field])[:60]!r} is not understood; kept in metadata")


class _Lines(Iterator[str]):
    """Lines on their way to the reader; ``ended`` once it has asked in vain for another."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines, self.ended = iter(lines), False

    def __next__(self) -> str:
        for line in self._lines:
            return line
        self.ended = True
        raise StopIteration


def _records(reader: Any, lines: _Lines) -> Iterator[list[str] | Rejected]:
    while True:
        began = reader.line_num + 1
        try:
            record = next(reader)
            yield Rejected(began, "a quotation mark is opened and never closed") if lines.ended else record
        except StopIteration:
            return
        except csv.Error as error:
            yield Rejected(reader.line_num, f"not CSV: {error}")


def _row(line: int, columns: list[str], record: list[str]) -> Row | Rejected:
    if len(record) > len(columns):
        return Rejected(line, f"{len(record)} cells under {len(columns)} columns")
    values: dict[str, Any] = {}
    rest: dict[str, Any] = {}
    for name, cell in zip(columns, record, strict=False):
        field = _FIELD_OF.get(name)
        if not _is_text(cell):
            return Rejected(line, f"column {name[:60]!r} is not text in UTF-8")
        if field is None or field in values:
            rest[name] = cell
        elif cell.strip():
            values[field] = cell
    if not values.get("content", "").strip():
        return Rejected(line, "no text in this line")
    _convert(values, rest)
    if metadata := fields.metadata(rest):
        values["metadata"] = metadata
    return Row({key: value for key, value in values.items() if value is not None}, line)


def _is_text(cell: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in cell)


def _convert(values: dict[str, Any], rest: dict[str, Any]) -> None:
    for name in _TIMES:
        if name in values and (time := fields.when(values[name])) is None:
            rest[name] = values.pop(name)
        elif name in values:
            values[name] = time
    for name in _SHARES:
        if name in values and (number := _share(values[name])) is None:
            rest[name] = values.pop(name)
        elif name in values:
            values[name] = number
    if "tags" in values:
        values["tags"] = fields.tags(values["tags"].replace(";", ",").replace("|", ","))
    if "title" in values:
        values["title"] = fields.title(values["title"])
    if "kind" in values and (kind := fields.kind(values["kind"])) is None:
        rest["type"] = values.pop("kind")
    elif "kind" in values:
        values["kind"] = kind
    if "pinned" in values:
        values["pinned"] = values["pinned"].strip().casefold() in ("1", "true", "yes", "x", "sí", "si")


def _share(text: str) -> float | None:
    try:
        number = float(text.replace(",", "."))
    except ValueError:
        return None
    return number if 0.0 <= number <= 1.0 else None
