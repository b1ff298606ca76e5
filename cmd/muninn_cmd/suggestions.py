"""``muninn suggestions``: what a dream noticed between two vaults; only a person may join them."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from muninn_cmd import connect, render
from muninn_cmd.text import moment, one_line

app = typer.Typer(
    rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False, invoke_without_command=True
)


@app.callback(epilog="Example: muninn suggestions list")
def suggestions(context: typer.Context) -> None:
    """Without a word behind it: list."""
    if context.invoked_subcommand is None:
        list_(every=False)


@app.command("list", epilog="Example: muninn suggestions list --all")
def list_(*, every: Annotated[bool, typer.Option("--all", help="Decided ones as well.")] = False) -> None:
    """The connections that wait for a decision."""
    document = connect.get(connect.path_of("suggestions", status="all" if every else "pending"))
    rows = document.get("suggestions") or []
    render.show(document, lambda: "\n\n".join(map(_text, rows)) or "No connection between vaults is waiting for you.")


@app.command(epilog="Example: muninn suggestions accept 01JQ4W5Z9V8M3T2R7K6H5G4F3D")
def accept(identifier: Annotated[str, typer.Argument(metavar="ID", help="The id of a suggestion.")]) -> None:
    """Make the link."""
    _decide(identifier, "accept")


@app.command(epilog="Example: muninn suggestions reject 01JQ4W5Z9V8M3T2R7K6H5G4F3D")
def reject(identifier: Annotated[str, typer.Argument(metavar="ID", help="The id of a suggestion.")]) -> None:
    """Do not make it, and do not ask again."""
    _decide(identifier, "reject")


def _decide(identifier: str, verdict: str) -> None:
    answer = connect.post(connect.path_of("suggestions", identifier, verdict))
    done = "Linked" if verdict == "accept" else "Rejected"
    render.show(
        answer,
        lambda: f"{done} {one_line(answer.get('source', ''))} ↔ {one_line(answer.get('target', ''))}".rstrip(" ↔"),
    )


def _text(row: dict[str, Any]) -> str:
    ends = f"{one_line(row.get('source_vault'))}/{one_line(row.get('source'))} ↔ {one_line(row.get('target_vault'))}/{one_line(row.get('target'))}"
    decided = f" · {one_line(row['status'])}" if row.get("status") not in (None, "pending") else ""
    head = f"{render.bold(one_line(row.get('id')))}  {one_line(row.get('relation'))}  {moment(row.get('created_at'))}{decided}"
    return f"{head}\n  {ends}\n  {one_line(row.get('reason', ''))}"
