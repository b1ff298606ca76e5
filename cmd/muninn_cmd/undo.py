"""``muninn undo``: take a whole dream back."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from muninn_cmd import connect, render
from muninn_cmd.text import count, one_line


def undo(
    dream: Annotated[
        str,
        typer.Argument(
            metavar="[DREAM]",
            help="The id of a dream, or its first characters (six at least); else the last one that changed something.",
        ),
    ] = "last",
) -> None:
    """Rows that you changed since the dream are left as they are, and listed. What it joined or put up stays apart until one
    of those memories changes; use of memories counts again in the next dream."""
    outcome = connect.post(connect.path_of("dreams", dream, "undo"))
    render.show(outcome, lambda: _text(outcome))


def _text(outcome: dict[str, Any]) -> str:
    restored, left = outcome.get("restored") or [], outcome.get("left_alone") or []
    dream = one_line(outcome.get("dream_id", "the dream"))
    lines = [f"Undid {dream}: {count(len(restored), 'memory')} as before"]
    if not restored and not left:
        lines = [f"Undid {dream}: it had changed no memory"]
    lines += [f"  left alone: {one_line(one['id'])} ({one_line(one['why'])})" for one in left]
    lines.append(
        "  what it joined or put up for you stays apart until one of those memories changes; use counts again in the next dream"
    )
    return "\n".join(lines)
