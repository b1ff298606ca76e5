"""``muninn backup``: a verified copy of the store while it runs, and the way back from one."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from muninn.errors import UsageError
from muninn_cmd import connect, lifecycle, render
from muninn_cmd.session import current
from muninn_cmd.text import count, one_line

app = typer.Typer(
    rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False, invoke_without_command=True
)


@app.callback(epilog="Example: muninn backup\nExample: muninn backup restore ~/.muninn/backups/20260328T060000Z")
def backup(context: typer.Context) -> None:
    """Without a word behind it: make a copy where backup.folder says."""
    if context.invoked_subcommand is None:
        _create(None)


@app.command(epilog="Example: muninn backup create --folder /mnt/usb/muninn")
def create(*, folder: Annotated[Path | None, typer.Option(help="Where to; else backup.folder.")] = None) -> None:
    """Copy the store, verify the copy, and say where it is. Writes go on meanwhile."""
    _create(folder)


@app.command("list", epilog="Example: muninn backup list")
def list_() -> None:
    """The copies there are, newest last."""
    document = connect.get("/v1/backups")
    rows = document.get("backups") or []
    render.show(document, lambda: "\n".join(map(_line, rows)) or "No backup yet. One now: muninn backup")


@app.command(epilog="Example: muninn backup restore ~/.muninn/backups/20260328T060000Z")
def restore(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="A backup.")],
    *,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Put a copy in the place of the store. What is there now is kept beside it. muninn must be asleep."""
    if lifecycle.answering(current.environ) is not None:
        raise UsageError("a store that is awake cannot be replaced", hint="muninn stop, then restore")
    if not yes:
        if not sys.stdin.isatty():
            raise UsageError(f"restoring {folder} replaces the store", hint="add --yes")
        if not typer.confirm(f"Replace the store with {folder}?", err=True):
            raise typer.Exit(1)
    from muninn.store.backup import restore as put_back

    from muninn.config import load

    document = dict(put_back(load(current.environ), folder.expanduser().absolute()))
    render.show(
        document, lambda: f"Restored {folder}; what was there before is in {one_line(document.get('kept', ''))}"
    )


def _create(folder: Path | None) -> None:
    body = {"folder": str(folder.expanduser().absolute())} if folder is not None else {}
    document = connect.post("/v1/backup", body)
    render.show(document, lambda: f"Backed up to {_line(document)}")


def _line(row: dict[str, Any]) -> str:
    memories = f"  {count(int(row['memories']), 'memory')}" if isinstance(row.get("memories"), int) else ""
    verified = "  verified" if row.get("verified") else ""
    return f"{one_line(row.get('folder') or row.get('path') or '')}{memories}{verified}"
