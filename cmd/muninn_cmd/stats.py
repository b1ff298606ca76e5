"""``muninn stats``: the shape of the store, drawn."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from muninn_cmd import charts, connect, files, render
from muninn_cmd.charts import Series

TITLES = {
    "vaults": "Memories by vault",
    "states": "Memories by state",
    "kinds": "Memories by kind",
    "strength": "Strength of active memories",
    "added": "Memories over time",
    "dreams": "Operations by dream",
}


def stats(
    *,
    vault: Annotated[str, typer.Option(help="Only this vault.")] = "",
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Draw it into this SVG file.")] = None,
) -> None:
    """How strong memories are, how they grew, what dreams did."""
    document = connect.get(connect.path_of("stats", vault=vault))
    panels = [
        (TITLES.get(key, key.replace("_", " ").capitalize()), found)
        for key, value in document.items()
        if (found := series(value))
    ]
    if output is not None:
        files.write(output, charts.svg(panels).encode("utf-8"))
    render.show(
        document,
        lambda: (
            f"Drew {output}"
            if output
            else "\n\n".join(charts.bars(title, rows) for title, rows in panels) or "Nothing yet."
        ),
    )


def series(value: Any) -> Series:
    """What can be drawn: a table of numbers, ten bins from 0 to 1, or rows that carry a label and one number."""
    if isinstance(value, dict):
        return [(str(name), float(amount)) for name, amount in value.items() if _is_number(amount)]
    if not isinstance(value, list):
        return []
    if value and all(map(_is_number, value)):
        return [(f"{i / len(value):.1f}–{(i + 1) / len(value):.1f}", float(amount)) for i, amount in enumerate(value)]
    return [pair for row in value if isinstance(row, dict) and (pair := _pair(row)) is not None]


def _pair(row: dict[str, Any]) -> tuple[str, float] | None:
    label = next(
        (str(row[key]) for key in ("name", "day", "date", "month", "started_at", "dream_id") if row.get(key)), None
    )
    amount = next((float(item) for item in row.values() if _is_number(item)), None)
    return (label[:19], amount) if label is not None and amount is not None else None


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
