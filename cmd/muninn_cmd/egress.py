"""``muninn egress``: the ledger of everything that left, or was refused to leave, for a model."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from muninn_cmd import connect, render
from muninn_cmd.text import columns, count, moment, number, one_line


def egress(
    *,
    last: Annotated[int, typer.Option("--last", "-n", min=1, help="So many of the newest entries.")] = 50,
    vault: Annotated[str, typer.Option(help="Only this vault.")] = "",
    dream: Annotated[
        str, typer.Option(metavar="ID", help="Only this dream, by its id or the first characters of it.")
    ] = "",
) -> None:
    """The ledger holds sizes, addresses and fingerprints, never the text itself."""
    document = connect.get(connect.path_of("egress", limit=last, vault=vault, dream=dream))
    where = [f" for vault {one_line(vault)}"] * bool(vault) + [f" in dream {one_line(dream)}"] * bool(dream)
    render.show(document, lambda: _text(document) or f"Nothing has left this process{''.join(where)}.")


def _text(document: dict[str, Any]) -> str:
    entries = document.get("entries") or []
    if not entries:
        return ""
    rows = [
        (
            moment(entry.get("at")),
            _outcome(entry),
            f"{one_line(entry['vault'])} ({one_line(entry.get('tier'))})" if entry.get("vault") else "no vault",
            f"{one_line(entry.get('provider'))} {one_line(entry.get('model'))}",
            f"{number(int(entry.get('bytes_out') or 0))} B out, {number(int(entry.get('bytes_in') or 0))} B in",
            one_line(entry.get("address") if _outcome(entry) == "sent" else entry.get("reason")),
        )
        for entry in reversed(entries)
    ]
    return f"{columns(rows)}\n\n{_sums(document.get('totals') or {})}"


def _outcome(entry: dict[str, Any]) -> str:
    """What became of an attempt; ledgers of before muninn wrote down what was sent tell it by the bytes."""
    if not entry.get("allowed"):
        return "refused"
    return "sent" if any(entry.get(name) for name in ("sent", "bytes_out", "bytes_in")) else "failed"


def _sums(totals: dict[str, Any]) -> str:
    """What the whole ledger adds up to, shown entries or not."""
    lines = [
        f"{one_line(name)}: {number(int(size))} bytes out"
        for name, size in (totals.get("bytes_out_by_provider") or {}).items()
    ]
    allowed, refused = int(totals.get("allowed") or 0), int(totals.get("refused") or 0)
    return "\n".join([*lines, f"{count(allowed, 'request')} allowed, {number(refused)} refused"])
