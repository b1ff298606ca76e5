"""``muninn egress``: the ledger of everything that left, or was refused to leave, for a model."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from muninn_cmd import connect, render
from muninn_cmd.text import columns, count, moment, number, one_line


def egress(
    *,
    last: Annotated[int, typer.Option("--last", "-n", min=1, help="So many entries from the end.")] = 50,
    vault: Annotated[str, typer.Option(help="Only this vault.")] = "",
    dream: Annotated[str, typer.Option(metavar="ID", help="Only this dream.")] = "",
) -> None:
    """The ledger holds sizes, addresses and fingerprints, never the text itself."""
    document = connect.get(connect.path_of("egress", last=last, vault=vault, dream=dream))
    render.show(document, lambda: _text(document.get("entries") or []))


def _text(entries: list[dict[str, Any]]) -> str:
    if not entries:
        return "Nothing has left this process."
    rows = [
        (
            moment(entry.get("at")),
            "sent" if entry.get("allowed") else "refused",
            f"{one_line(entry.get('vault'))} ({one_line(entry.get('tier'))})",
            f"{one_line(entry.get('provider'))} {one_line(entry.get('model'))}",
            f"{number(int(entry.get('bytes_out') or 0))} B out, {number(int(entry.get('bytes_in') or 0))} B in",
            one_line(entry.get("address") if entry.get("allowed") else entry.get("reason")),
        )
        for entry in entries
    ]
    return columns(rows) + "\n\n" + "\n".join(_sums(entries))


def _sums(entries: list[dict[str, Any]]) -> list[str]:
    totals: dict[str, tuple[int, int]] = {}
    for entry in entries:
        if entry.get("allowed"):
            name = one_line(entry.get("provider"))
            calls, size = totals.get(name, (0, 0))
            totals[name] = (calls + 1, size + int(entry.get("bytes_out") or 0))
    refused = sum(1 for entry in entries if not entry.get("allowed"))
    lines = [
        f"{name}: {count(calls, 'request')}, {number(size)} bytes out" for name, (calls, size) in sorted(totals.items())
    ]
    return lines + ([f"refused: {count(refused, 'request')}, 0 bytes out"] if refused else [])
