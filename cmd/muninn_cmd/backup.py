"""``muninn backup``: a verified copy of the store while it runs, and the way back from one."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from muninn.errors import UsageError
from muninn_cmd import connect, lifecycle, render
from muninn_cmd.session import current
from muninn_cmd.text import count, number, one_line

MANIFEST = "manifest.json"
"""As muninn.daemon.backup has it, which would bring the whole store along."""

app = typer.Typer(
    rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False, invoke_without_command=True
)


@app.callback(epilog="Example: muninn backup")
def backup(context: typer.Context) -> None:
    """Without a word behind it: make a copy where backup.folder says."""
    if context.invoked_subcommand is None:
        _create(None)


@app.command(epilog="Example: muninn backup create --folder /mnt/usb/muninn")
def create(*, folder: Annotated[Path | None, typer.Option(help="Where to; else backup.folder.")] = None) -> None:
    """Copy the store, verify the copy, and say where it is. Writes go on meanwhile."""
    _create(folder)


@app.command("list", epilog="Example: muninn backup list")
def list_(*, folder: Annotated[Path | None, typer.Option(help="Where to look; else backup.folder.")] = None) -> None:
    """The copies there are, newest last."""
    from muninn.config import load

    config = load(current.environ)
    root = folder.expanduser() if folder else config.backup_folder
    found = sorted(path for path in root.glob("*") if (path / MANIFEST).is_file())
    document = {"backups": [{"folder": str(path)} for path in found]}
    render.show(document, lambda: "\n".join(map(str, found)) or "No backup yet. One now: muninn backup")


@app.command(epilog="Example: muninn backup restore ~/.muninn/backups/20260328T060000000000Z")
def restore(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="A backup.")],
    *,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Put a copy in the place of the store. What is there now is kept beside it. muninn must be asleep."""
    if lifecycle.answering(current.environ) is not None:
        raise UsageError("a store that is awake cannot be replaced", hint="muninn stop, then restore")
    if not (folder.expanduser() / MANIFEST).is_file():
        raise UsageError(f"{folder} is not a backup", hint="muninn backup list shows those there are")
    if not yes:
        if not sys.stdin.isatty():
            raise UsageError(f"restoring {folder} replaces the store", hint="add --yes")
        if not typer.confirm(f"Replace the store with {folder}?", err=True):
            raise typer.Exit(1)
    aside = _put_back(folder.expanduser().absolute())
    document = {"restored": str(folder), "kept": str(aside) if aside else None}
    render.show(document, lambda: f"Restored {folder}" + (f"; what was there before is in {aside}" if aside else ""))


def _put_back(folder: Path) -> Path | None:
    from muninn.clock import SystemClock
    from muninn.config import load
    from muninn.daemon.backup import restore as replace_store
    from muninn.daemon.lock import HomeLock

    config = load(current.environ)
    lock = HomeLock(config.home)
    try:
        return replace_store(folder, config.home, stamp=SystemClock().now().strftime("%Y%m%dT%H%M%SZ"))
    finally:
        lock.close()


def _create(folder: Path | None) -> None:
    body = {"folder": str(folder.expanduser().absolute())} if folder is not None else {}
    document = connect.post("/v1/backup", body)
    render.show(document, lambda: _made(document))


def _made(document: dict[str, Any]) -> str:
    dropped = document.get("dropped") or []
    folder, size = one_line(document.get("folder", "")), number(int(document.get("bytes") or 0))
    lines = [f"Backed up and verified: {folder} ({size} bytes)"]
    return "\n".join(lines + ([f"  dropped {count(len(dropped), 'older backup')}"] if dropped else []))
