"""``muninn reembed``: vectors of the configured embedder for every memory."""

from __future__ import annotations

from typing import Annotated

import typer

from muninn_cmd import connect, render
from muninn_cmd.embedding import finish
from muninn_cmd.text import count


def reembed(
    *, no_wait: Annotated[bool, typer.Option("--no-wait", help="Return while the daemon goes on embedding.")] = False
) -> None:
    """Needed after a change of embed.model; until it is done, recall finds those memories by their words."""
    with connect.door() as door:
        document = door.call("POST", "/v1/reembed", {})
        if not no_wait:
            document["pending"] = finish(door)
    left = int(document.get("pending") or 0)
    render.show(
        document, lambda: f"{count(left, 'memory')} still to be embedded" if left else "Every memory is embedded."
    )
