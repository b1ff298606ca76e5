"""``muninn journal``: what the dreams did, as they wrote it down."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from muninn_cmd import connect, render
from muninn_cmd.text import one_line, plain


def journal(
    *,
    last: Annotated[int, typer.Option("--last", "-n", min=1, help="So many entries from the end.")] = 1,
    since: Annotated[str, typer.Option(help="Entries since this day or time, ISO 8601.")] = "",
) -> None:
    """Newest last, so that the end of the screen is this morning."""
    document = connect.get(connect.path_of("journal", last=10_000 if since else last, since=since))
    entries = document.get("entries") or []
    render.show(
        document, lambda: "\n".join(map(_entry, entries)) or "The journal is empty: muninn has not dreamed yet."
    )


def _entry(entry: Any) -> str:
    if not isinstance(entry, dict):
        return plain(entry)
    for key in ("text", "markdown", "journal"):
        if entry.get(key):
            return _coloured(plain(entry[key]))
    return one_line(entry)


def _coloured(entry: str) -> str:
    lines = []
    for line in entry.splitlines():
        heading = line.startswith("## ") or (line.startswith("**") and line.endswith("**"))
        lines.append(render.bold(line) if heading else line)
    return "\n".join(lines)
