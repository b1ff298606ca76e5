"""``muninn journal``: what the dreams did, as they wrote it down."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from muninn_cmd import connect, render
from muninn_cmd.text import one_line, plain


def journal(
    *,
    last: Annotated[
        int | None,
        typer.Option("--last", "-n", min=1, help="So many entries from the end; else 1, or all since that day."),
    ] = None,
    since: Annotated[str, typer.Option(help="Entries since this day or time, ISO 8601.")] = "",
) -> None:
    """Newest last, so that the end of the screen is this morning."""
    document = connect.get(connect.path_of("journal", last=last or (10_000 if since else 1), since=since))
    entries = document.get("entries") or []
    nothing = f"No entry since {since}." if since else "The journal is empty: muninn has not dreamed yet."
    render.show(document, lambda: "\n\n".join(_entry(entry).strip("\n") for entry in entries) or nothing)


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
