"""``muninn vault``: named collections of memories, each with the trust tier that says who may read them."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from muninn_cmd import connect, render
from muninn_cmd.text import columns, count, one_line, plain

app = typer.Typer(
    rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False, invoke_without_command=True
)

TIERS = "legal, work, personal, project or global"
Name = Annotated[str, typer.Argument(metavar="NAME", help="1 to 64 letters, digits and . _ - : /")]


@app.callback(epilog="Example: muninn vault list")
def vault(context: typer.Context) -> None:
    """Without a word behind it: list."""
    if context.invoked_subcommand is None:
        list_()


@app.command(epilog="Example: muninn vault create clients --tier legal")
def create(
    name: Name, *, tier: Annotated[str, typer.Option(help=f"{TIERS}; else personal, or legal by its name.")] = ""
) -> None:
    """Make a vault."""
    vault = connect.post("/v1/vaults", {"name": name, **({"tier": tier} if tier else {})})
    render.show(vault, lambda: f"Vault {plain(vault.get('name', name))}: tier {plain(vault.get('tier', ''))}")


@app.command("list", epilog="Example: muninn vault list")
def list_() -> None:
    """Every vault, its tier, its size, and the models that may read it."""
    document = connect.get("/v1/vaults")
    rows = document.get("vaults") or []
    render.show(document, lambda: _table(rows) or "No vault yet; the first memory makes one.")


@app.command("set", epilog="Example: muninn vault set clients --tier legal")
def set_(
    name: Name,
    *,
    tier: Annotated[str, typer.Option(help=f"{TIERS}.")],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Also to a tier that lets more models read it.")] = False,
) -> None:
    """Move a vault and its text to another tier. What came under a stricter tier than the vault's keeps it."""
    vault = connect.call("PATCH", "/v1/vaults", {"name": name, "tier": tier, "confirm": yes})
    render.show(vault, lambda: f"Vault {plain(vault.get('name', name))}: tier {plain(vault.get('tier', ''))}")


@app.command(epilog="Example: muninn vault remove scratch")
def remove(name: Name) -> None:
    """Take an empty vault away; one that holds memories is refused."""
    gone = connect.call("DELETE", connect.path_of("vaults", name))
    render.show(gone, lambda: f"Removed vault {plain(name)}")


def _table(rows: list[dict[str, Any]]) -> str:
    table = [
        (
            one_line(row.get("name")),
            one_line(row.get("tier")),
            count(int(row.get("memories") or 0), "memory"),
            one_line(", ".join(map(str, row.get("providers") or ())) or "no model"),
        )
        for row in rows
    ]
    return columns(table)
