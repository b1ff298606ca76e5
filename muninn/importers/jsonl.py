"""JSONL: one memory a line, any of its fields; and muninn's own export, whose first line names the vaults.

Own exports are taken as they are. In other files an unknown field is kept under ``metadata`` and remarked on once.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from muninn.importers.items import FIELDS, Item, Rejected, Remark, Row, Vaults
from muninn.importers.text import head, lines, open_file

EXPORT_FORMAT = "muninn-export/"
_EXPORT_VERSION = "muninn-export/1"
_ALIASES = {"text": "content", "memory": "content", "name": "title"}
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
    # A lone surrogate escape is reported as truncated data.
    return "broken text or a lone surrogate" if reason == "Input data was truncated" else reason[:200]


def is_export(path: Path) -> bool:
    header = first_object(head(path)) if path.is_file() else None
    return header is not None and str(header.get("format", "")).startswith(EXPORT_FORMAT)


def is_jsonl(path: Path) -> bool:
    """A file whose first line is an object, whatever it holds; or one that is called so."""
    if not path.is_file():
        return False
    return path.suffix.casefold() in (".jsonl", ".ndjson") or first_object(head(path)) is not None


def read_export(path: Path) -> Iterator[Item]:
    with open_file(path) as file:
        for line in lines(file):
            if isinstance(line, Rejected):
                yield line
                continue
            values = parsed(line.data)
            if isinstance(values, Rejected):
                yield Rejected(line.number, values.why)
            elif not isinstance(values, dict):
                yield Rejected(line.number, "not a JSON object")
            elif str(values.get("format", "")).startswith(EXPORT_FORMAT) and "content" not in values:
                if values["format"] != _EXPORT_VERSION:
                    yield Rejected(line.number, f"{values['format']} was written by a newer muninn; update this one")
                    return
                yield Vaults(tuple(vault for vault in values.get("vaults") or () if isinstance(vault, dict)))
            else:
                yield Row(values, line.number)


def read_jsonl(path: Path) -> Iterator[Item]:
    remarked: set[str] = set()
    with open_file(path) as file:
        for line in lines(file):
            if isinstance(line, Rejected):
                yield line
                continue
            values = parsed(line.data)
            if isinstance(values, Rejected):
                yield Rejected(line.number, values.why)
            elif not isinstance(values, dict):
                yield Rejected(line.number, "not a JSON object")
            else:
                unknown = values.keys() - FIELDS
                if unknown:
                    values = known_fields(values)
                    for name in sorted(unknown - remarked - _ALIASES.keys()):
                        yield Remark(line.number, f"field {name[:60]!r} is not one of a memory's; kept in metadata")
                    remarked |= unknown
                yield Row(values, line.number)


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
