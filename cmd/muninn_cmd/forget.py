"""``muninn forget``: out of sight and reversible, or with ``--purge`` gone for good."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from muninn.errors import UsageError
from muninn_cmd import connect, render
from muninn_cmd.text import one_line


def forget(
    identifier: Annotated[
        str, typer.Argument(metavar="ID", help="The id of a memory, or its first characters (six at least).")
    ],
    *,
    purge: Annotated[
        bool, typer.Option("--purge", help="Erase it everywhere, for good, history and journal included.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before a purge.")] = False,
) -> None:
    """A forgotten memory is no longer recalled; `muninn restore` takes that back. A purged one cannot come back."""
    if purge and not yes:
        _confirm(identifier)
    memory = connect.call("DELETE", connect.path_of("memories", identifier, purge=purge))
    render.show(memory, lambda: _text(memory, identifier, purge))


def _confirm(identifier: str) -> None:
    if not sys.stdin.isatty():
        raise UsageError(f"a purge of {identifier} cannot be undone", hint="add --yes")
    if not typer.confirm(f"Erase {identifier} for good, history included?", err=True):
        raise typer.Exit(1)


def _text(memory: dict[str, Any], identifier: str, purge: bool) -> str:
    if not purge:
        return (
            f"Forgot {memory.get('id', identifier)} (take it back with: muninn restore {memory.get('id', identifier)})"
        )
    backups = memory.get("backups") or []
    held = [f"  a copy may still hold it: {one_line(backup)}" for backup in backups]
    kin = memory.get("replaced") or []
    held += [
        f"  {one_line(one)}, which it had replaced, may say the same: muninn forget {one_line(one)} --purge"
        for one in kin
    ]
    return "\n".join([f"Erased {memory.get('id', identifier)}", *held])
