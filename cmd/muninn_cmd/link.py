"""``muninn link``: a relation from one memory to another, or its end."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from muninn_cmd import connect, render
from muninn_cmd.show import relation as described


def link(
    source: Annotated[str, typer.Argument(metavar="A", help="The id it starts from.")],
    target: Annotated[str, typer.Argument(metavar="B", help="The id it leads to.")],
    *,
    relation: Annotated[
        str, typer.Option(help="relates_to, supports, contradicts, causes, depends_on, part_of …")
    ] = "relates_to",
    weight: Annotated[float | None, typer.Option(min=0, max=1, help="How strong it is.", show_default=False)] = None,
    remove: Annotated[
        bool, typer.Option("--remove", help="Take it away; an automatic link does not come back.")
    ] = False,
) -> None:
    """One link per pair and relation; linking again changes its weight."""
    body: dict[str, Any] = {"source": source, "target": target, "relation": relation}
    if remove:
        gone = connect.call("DELETE", "/v1/links", body)
        render.show(gone, lambda: f"Unlinked {source} and {target} ({relation})")
        return
    made = connect.post("/v1/links", body if weight is None else {**body, "weight": weight})
    row = {**body, **(made.get("links") or [made])[0]}
    render.show(made, lambda: f"{row['source']} {described(row, row['source'])}")
