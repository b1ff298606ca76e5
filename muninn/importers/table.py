"""Which importer reads what: a table in the order in which a source is tried. The first that recognises it reads it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from muninn.errors import NotFoundError, UsageError
from muninn.importers import basic_memory, claude_memory, jsonl, markdown, mem0, muninndb, server_memory, table_file
from muninn.importers.items import Item


@dataclass(frozen=True, slots=True, kw_only=True)
class Importer:
    """One kind of source. ``exact``: its rows are muninn's own and are stored as they are."""

    name: str
    title: str
    detects: Callable[[Path], bool]
    read: Callable[[Path], Iterator[Item]]
    exact: bool = False


_TABLE = (
    Importer(name="muninn", title="muninn export", detects=jsonl.is_export, read=jsonl.read_export, exact=True),
    Importer(name="muninndb", title="MuninnDB export", detects=muninndb.is_muninndb, read=muninndb.read),
    Importer(
        name="server-memory", title="MCP server-memory", detects=server_memory.is_server_memory, read=server_memory.read
    ),
    Importer(name="mem0", title="mem0 export", detects=mem0.is_mem0, read=mem0.read),
    Importer(
        name="claude", title="Claude memory folder", detects=claude_memory.is_claude_memory, read=claude_memory.read
    ),
    Importer(
        name="basic-memory", title="basic-memory folder", detects=basic_memory.is_basic_memory, read=basic_memory.read
    ),
    Importer(name="markdown", title="Markdown notes", detects=markdown.is_markdown, read=markdown.read),
    Importer(name="csv", title="CSV or TSV", detects=table_file.is_table, read=table_file.read),
    Importer(name="jsonl", title="JSON lines", detects=jsonl.is_jsonl, read=jsonl.read_jsonl),
)
IMPORTERS: Mapping[str, Importer] = {importer.name: importer for importer in _TABLE}


def importer_for(path: Path, *, format: str = "") -> Importer:  # noqa: A002 - named as the flag is
    """The importer called ``format``, else the one that recognises ``path``.

    Raises NotFoundError when nothing is there, UsageError when the name or the source is unknown.
    """
    known = ", ".join(IMPORTERS)
    if not path.exists():
        raise NotFoundError(f"there is no {path}", hint="name a file or a folder")
    if format:
        if format not in IMPORTERS:
            raise UsageError(f"unknown import format {format!r}", hint=f"one of: {known}")
        return IMPORTERS[format]
    for importer in _TABLE:
        if importer.detects(path):
            return importer
    raise UsageError(f"cannot tell what {path} is", hint=f"say it with --format, one of: {known}")
