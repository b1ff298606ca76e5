"""``muninn restore``: bring a forgotten or archived memory back."""

from __future__ import annotations

from typing import Annotated

import typer

from muninn_cmd import connect, render
from muninn_cmd.text import one_line


def restore(
    identifier: Annotated[
        str, typer.Argument(metavar="ID", help="The id of a memory, or its first characters (six at least).")
    ],
) -> None:
    """It is recalled again from now on, with its links."""
    memory = connect.post(connect.path_of("memories", identifier, "restore"))
    render.show(memory, lambda: f"Restored {memory.get('id', identifier)}: {one_line(memory.get('title', ''), 80)}")
