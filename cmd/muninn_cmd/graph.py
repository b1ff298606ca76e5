"""``muninn graph``: the web of memories as a file, and links for what came before auto-linking."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from muninn.errors import UsageError
from muninn_cmd import connect, files, render
from muninn_cmd.text import count, one_line

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False)

FORMATS = ("json", "graphml", "html", "svg")


@app.command(epilog="Example: muninn graph export --vault work --output work.graphml")
def export(
    *,
    vault: Annotated[str, typer.Option(help="Only this vault.")] = "",
    format_: Annotated[
        str, typer.Option("--format", help="json, graphml, html or svg; else from the file's ending.")
    ] = "",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The file to write; else standard output.")
    ] = None,
) -> None:
    """Write memories and links as a graph. For Gephi, a notebook or a browser."""
    chosen = format_ or (output.suffix.lstrip(".") if output else "") or "json"
    if chosen not in FORMATS:
        raise UsageError(f"unknown graph format {chosen!r}", hint=f"one of: {', '.join(FORMATS)}")
    with connect.door() as door:
        path = connect.path_of("graph", vault=vault, format=chosen)
        if chosen == "json":
            document = door.call("GET", path)
            content = render.encode(document) + "\n"
        else:
            content = door.text(path)
            document = {"format": chosen, "content": content}
    if output is None or output == files.STANDARD:
        render.show(document, lambda: content)
        return
    files.write(output, content.encode("utf-8", "backslashreplace"))
    render.show({"output": str(output), "format": chosen}, lambda: f"Wrote {output}")


@app.command(epilog="Example: muninn graph backfill --dry-run")
def backfill(
    *,
    vault: Annotated[str, typer.Option(help="Only this vault.")] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be linked.")] = False,
) -> None:
    """Link memories to the titles they mention. For those older than auto-linking."""
    body = {"dry_run": dry_run, **({"vault": vault} if vault else {})}
    with connect.door(read_only=dry_run) as door:
        document = door.call("POST", "/v1/graph/backfill", body)
    render.show(document, lambda: _made(document, dry_run))


def _made(document: dict[str, Any], dry_run: bool) -> str:
    rows = document.get("links") or []
    lines = [
        f"  {one_line(row.get('source'))} {one_line(row.get('relation'))} {one_line(row.get('target'))}"
        for row in rows[:50]
    ]
    more = [f"  … and {count(len(rows) - 50, 'more', 'more')}"] if len(rows) > 50 else []
    return "\n".join([("Would make " if dry_run else "Made ") + count(len(rows), "link"), *lines, *more])
