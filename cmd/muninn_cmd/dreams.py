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
    lines = columns([_row(row) for row in rows]).splitlines()
    if not phases:
        return "\n".join(lines)
    return "\n".join(f"{line}\n  {_phases(row)}" for line, row in zip(lines, rows, strict=True))


def _row(row: dict[str, Any]) -> tuple[str, ...]:
    return (
        one_line(row.get("dream_id")),
        moment(row.get("started_at")),
        one_line(row.get("kind")),
        count(int(row.get("operations") or 0), "operation"),
        one_line(row.get("status")) + _since(row),
    )


def _since(row: dict[str, Any]) -> str:
    if row.get("undone_at"):
        return " (undone)"
    return " (its record cannot be read: muninn doctor)" if row.get("damaged") else ""


def _phases(row: dict[str, Any]) -> str:
    return " · ".join(
        f"{one_line(phase.get('name'))} {seconds(phase.get('seconds'))}" for phase in row.get("phases") or []
    )
