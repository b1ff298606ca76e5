"""``muninn links``: the neighbours of a memory, or the memories that have none."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from muninn.errors import UsageError
from muninn_cmd import connect, render
from muninn_cmd.show import neighbours
from muninn_cmd.text import columns, count, one_line


def links(
    identifier: Annotated[
        str, typer.Argument(metavar="[ID]", help="The id of a memory, or its first characters (six at least).")
    ] = "",
    *,
    orphans: Annotated[
        bool, typer.Option("--orphans", help="Memories without a link, by the way they were born.")
    ] = False,
    vault: Annotated[str, typer.Option(help="With --orphans: only this vault.")] = "",
) -> None:
    """Relations in both directions, strongest first."""
    if bool(identifier) == orphans:
        raise UsageError("name a memory, or ask for --orphans", hint="muninn links ID, muninn links --orphans")
    if identifier and vault:
        raise UsageError("--vault goes with --orphans", hint="a memory is linked within its own vault")
    if orphans:
        found = connect.get(connect.path_of("links", orphans=1, vault=vault))
        render.show(found, lambda: _orphans(found))
        return
    document = connect.get(connect.path_of("memories", identifier, "links"))
    render.show(document, lambda: "\n".join(neighbours(document)) or "No links.")


def _orphans(found: dict[str, Any]) -> str:
    rows = found.get("orphans") or []
    if not rows:
        return "No memory stands alone."
    table = [(one_line(row.get("id")), one_line(row.get("vault")), one_line(row.get("born_by") or ""),
              one_line(row.get("title", ""), 70)) for row in rows]  # fmt: skip
    return f"{count(len(rows), 'memory')} without a link\n{columns(table)}"
