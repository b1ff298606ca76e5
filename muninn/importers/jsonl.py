"""JSONL: one memory a line, any of its fields (or one JSON list of them); and muninn's own export, whose first line names the vaults.

Own exports are taken as they are. In other files an unknown field is kept under ``metadata`` and remarked on once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from muninn.importers.items import FIELDS, Item, Rejected, Remark, Row, Vaults
from muninn.importers.text import DOCUMENT_LIMIT, head, lines, open_file

EXPORT_FORMAT = "muninn-export/"
_EXPORT_VERSION = "muninn-export/1"
_ALIASES = {"text": "content", "memory": "content", "name": "title"}
_LIST = re.compile(rb"\s*\[\s*[{\]]")  # of objects; TOML begins with a bracket, too
_DECODER = msgspec.json.Decoder()


def first_object(data: bytes) -> dict[str, Any] | None:
    """The object on the first line that is not blank, or None."""
    for line in data.removeprefix(b"\xef\xbb\xbf").split(b"\n"):
        if stripped := line.strip():
            values = parsed(stripped)
            return values if isinstance(values, dict) else None
    return None


def parsed(data: bytes) -> object:
    """JSON data, or Rejected (line 0) with the reason it is none."""
    try:
        return _DECODER.decode(data)
    except RecursionError:
        return Rejected(0, "JSON that is nested too deeply")
    except (msgspec.MsgspecError, UnicodeDecodeError, ValueError) as error:
        return Rejected(0, f"not JSON: {_reason(error)}")


def _reason(error: Exception) -> str:
    reason = " ".join(str(error).split()).removeprefix("JSON is malformed: ")
    # A lone surrogate escape is reported as truncated data, too.
    return (
        "the text ends too early, or holds a lone surrogate" if reason == "Input data was truncated" else reason[:200]
    )


def is_export(path: Path) -> bool:
    header = first_object(head(path)) if path.is_file() else None
    return header is not None and str(header.get("format", "")).startswith(EXPORT_FORMAT)


def is_jsonl(path: Path) -> bool:
    """A file whose first line is an object, whatever it holds; or one that is called so."""
    if not path.is_file():
        return False
    return path.suffix.casefold() in (".jsonl", ".ndjson") or first_object(head(path)) is not None or _is_list(path)


def _is_list(path: Path) -> bool:
    return _LIST.match(head(path).removeprefix(b"\xef\xbb\xbf")) is not None


def read_export(path: Path) -> Iterator[Item]:
    for number, values in entries(path):
        if isinstance(values, Rejected):
            yield values
        elif not isinstance(values, dict):
            yield Rejected(number, "not a JSON object")
        elif str(values.get("format", "")).startswith(EXPORT_FORMAT) and "content" not in values:
            if values["format"] != _EXPORT_VERSION:
                yield Rejected(number, f"{str(values['format'])[:60]} was written by a newer muninn; update this one")
                return
            yield Vaults(tuple(vault for vault in objects(values.get("vaults")) if isinstance(vault, dict)))
        else:
            yield Row(values, number)


def read_jsonl(path: Path) -> Iterator[Item]:
    remarked: set[str] = set()
    for number, values in entries(path):
        if isinstance(values, Rejected):
            yield values
        elif not isinstance(values, dict):
            yield Rejected(number, "not a JSON object")
        else:
            unknown = values.keys() - FIELDS
            if unknown:
                values = known_fields(values)
                for name in sorted(unknown - remarked - _ALIASES.keys()):
                    yield Remark(number, f"field {name[:60]!r} is not one of a memory's; kept in metadata")
                remarked |= unknown
            yield Row(values, number)


def entries(path: Path) -> Iterator[tuple[int, object]]:
    """The JSON values of a file with the line (in a list: the place) of each; Rejected for what is none."""
    if _is_list(path):
        value = load(path)
        yield from enumerate(value, start=1) if isinstance(value, list) else [(1, value)]
        return
    with open_file(path) as file:
        for line in lines(file):
            if isinstance(line, Rejected):
                yield line.line, line
                continue
            value = parsed(line.data)
            yield line.number, Rejected(line.number, value.why) if isinstance(value, Rejected) else value


def load(path: Path) -> object:
    """The one JSON value in a file, or Rejected with the reason there is none."""
    with open_file(path) as file:
        data = file.read(DOCUMENT_LIMIT + 1)
    if len(data) > DOCUMENT_LIMIT:
        return Rejected(1, f"a JSON document of more than {DOCUMENT_LIMIT >> 20} MiB; split it, or write JSON lines")
    value = parsed(data.removeprefix(b"\xef\xbb\xbf"))
    return Rejected(1, value.why) if isinstance(value, Rejected) else value


def objects(value: object) -> list[object]:
    """A list as it is; anything else as no items."""
    return value if isinstance(value, list) else []


def known_fields(values: dict[str, Any]) -> dict[str, Any]:
    """``values`` with unknown fields moved into ``metadata``; ``text``, ``memory`` and ``name`` fill a gap they name."""
    known = {name: value for name, value in values.items() if name in FIELDS}
    rest = {name: value for name, value in values.items() if name not in FIELDS}
    for alias, field in _ALIASES.items():
        if alias in rest and known.get(field) is None and isinstance(rest[alias], str):
            known[field] = rest.pop(alias)
    metadata = known.get("metadata")
    if rest and (metadata is None or isinstance(metadata, dict)):
        known["metadata"] = {**rest, **(metadata or {})}
    return known
