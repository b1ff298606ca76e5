"""``muninn dream``: dream now, or say what a dream would do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from muninn.errors import UsageError
from muninn_cmd import connect, files, render
from muninn_cmd.text import columns, count, one_line, plain, seconds


def dream(
    *,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Change nothing; say what would happen.")] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Dream even when the gates are closed. Tiers still hold.")
    ] = False,
    vault: Annotated[str, typer.Option(help="Only this vault.")] = "",
    timeout: Annotated[
        float | None, typer.Option(min=0.1, max=86_400, help="Seconds; else dream.timeout.", show_default=False)
    ] = None,
    no_llm: Annotated[bool, typer.Option("--no-llm", help="Without a language model.")] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="With --dry-run: keep the plan in this file.")
    ] = None,
    apply: Annotated[
        Path | None, typer.Option("--apply", help="Do exactly what this plan says; refused when the vault moved.")
    ] = None,
) -> None:
    """A closed gate ends with exit code 4 and its reason. Nothing is ever deleted; `muninn undo` takes all of it back."""
    if output is not None and not dry_run:
        raise UsageError("--output keeps the plan of a dry run", hint="add --dry-run")
    if apply is not None and (dry_run or force or vault):
        raise UsageError(
            "--apply does what the plan says and nothing else", hint="leave out --dry-run, --force and --vault"
        )
    body: dict[str, Any] = {"dry_run": dry_run, "force": force, "no_llm": no_llm}
    if vault:
        body["vault"] = vault
    if timeout is not None:
        body["timeout"] = timeout
    if apply is not None:
        body["plan"] = _plan(apply)
    with connect.door(read_only=dry_run) as door:
        outcome = door.call("POST", "/v1/dreams", body)
    if output is not None:
        files.write(output, (render.encode(outcome.get("plan", outcome)) + "\n").encode("utf-8"))
    render.show(outcome, lambda: text(outcome, output))


def _plan(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except OSError as error:
        raise UsageError(
            f"cannot read the plan {path}: {error.strerror}", hint="make one with: muninn dream --dry-run --output FILE"
        ) from None
    except (ValueError, RecursionError) as error:
        raise UsageError(
            f"{path} is not a plan: {error}", hint="make one with: muninn dream --dry-run --output FILE"
        ) from None


def text(outcome: dict[str, Any], output: Path | None = None) -> str:
    operations = outcome.get("operations") or []
    rows = [
        (
            f"  {one_line(phase.get('name', ''))}",
            count(int(phase.get("operations") or 0), "operation"),
            seconds(phase.get("seconds")),
        )
        for phase in outcome.get("phases") or []
    ]
    parts = [plain(outcome.get("journal") or "").strip(), columns(rows)]
    verdict = outcome.get("verdict") or {}
    if outcome.get("dry_run"):
        gate = "would dream" if verdict.get("run") else "would not dream"
        parts.append(
            f"{gate}: {one_line(verdict.get('why', ''))}\nNothing was changed."
            + (f" The plan is in {output}." if output else "")
        )
    else:
        skipped = sum(1 for operation in operations if not operation.get("applied", True))
        tail = f", {skipped} left undone" if skipped else ""
        parts.append(
            f"{one_line(outcome.get('status', 'completed'))}: {count(len(operations) - skipped, 'operation')} done{tail}"
        )
    return "\n\n".join(part for part in parts if part)
