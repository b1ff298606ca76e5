"""``muninn dreams``: the dreams that ran."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from muninn_cmd import connect, render
from muninn_cmd.text import columns, count, moment, one_line, seconds


def dreams(
    *,
    last: Annotated[int, typer.Option("--last", "-n", min=0, help="So many from the end; 0 is all.")] = 20,
    phases: Annotated[bool, typer.Option("--phases", help="With the duration of each phase.")] = False,
) -> None:
    """Full dreams and the consolidations of waking hours, newest last."""
    document = connect.get("/v1/dreams")
    rows = sorted(document.get("dreams") or [], key=lambda row: str(row.get("started_at")))[-last:]
    document["dreams"] = rows
    render.show(document, lambda: _text(rows, phases) or "No dream yet. One now: muninn dream --force")


def _text(rows: list[dict[str, Any]], phases: bool) -> str:
    table = []
    for row in rows:
        amount = row.get("operations")
        operations = len(amount) if isinstance(amount, list) else int(amount or 0)
        undone = " (undone)" if row.get("undone_at") else ""
        table.append((one_line(row.get("dream_id")), moment(row.get("started_at")), one_line(row.get("kind")),
                      count(operations, "operation"), one_line(row.get("status")) + undone))  # fmt: skip
        if phases:
            parts = (
                f"{one_line(phase.get('name'))} {seconds(phase.get('seconds'))}" for phase in row.get("phases") or []
            )
            table.append(("", "", "", "", " · ".join(parts)))
    return columns(table)
