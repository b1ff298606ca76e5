"""``muninn learnings``: the rules that coding sessions have taught, as they stand in the learnings files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from muninn.clock import SystemClock
from muninn.errors import NotFoundError
from muninn.hooks import learnings
from muninn.hooks.projects import project_of
from muninn_cmd import render
from muninn_cmd.session import current
from muninn_cmd.text import columns, count, moment, one_line, plain

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False, no_args_is_help=True)

Pattern = Annotated[str, typer.Argument(metavar="RULE", help="The name of a rule, as listed.")]
Folder = Annotated[str, typer.Option("--project", metavar="FOLDER", help="Another project than this one.")]


@app.command("list", epilog="Example: muninn learnings list")
def list_(*, project: Folder = "") -> None:
    """The rules that hold here. The project's own come first, then the most certain."""
    rows = _rules(project)
    render.show({"learnings": rows}, lambda: _table(rows) if rows else "No rule learned yet.")


@app.command(epilog="Example: muninn learnings show error_loop")
def show(rule: Pattern, *, project: Folder = "") -> None:
    """One rule: what it says, what speaks for it, since when."""
    found = next((row for row in _rules(project) if row["pattern"] == rule), None)
    if found is None:
        raise NotFoundError(f"no rule {rule!r} is known here", hint="muninn learnings list shows those that are")
    render.show(found, lambda: _sheet(found))


@app.command(epilog="Example: muninn learnings forget error_loop")
def forget(rule: Pattern, *, project: Folder = "") -> None:
    """Take a rule out. All that speaks for it leaves the files of this project and of your home."""
    gone = learnings.forget(_home(), _project(project), rule)
    render.show({"pattern": rule, "removed": gone}, lambda: f"Forgot {plain(rule)} ({count(gone, 'line')})")


def _home() -> Path:
    return Path(current.environ.get("HOME", "/"))


def _project(folder: str) -> Path | None:
    return project_of(str(Path(folder).expanduser().resolve() if folder else Path.cwd()))


def _rules(folder: str) -> list[dict[str, Any]]:
    found = learnings.known_rules(_home(), _project(folder), SystemClock().now())
    return [learnings.as_json(rule) for rule in found]


def _table(rows: list[dict[str, Any]]) -> str:
    return columns(
        [(one_line(row["pattern"]), f"{row['confidence']:.0%}", row["scope"], _history(row)) for row in rows]
    )


def _history(row: dict[str, Any]) -> str:
    happened = f"happened in {count(row['detections'], 'session')}"
    return f"{happened}, kept away in {row['suppressions']}" if row["suppressions"] else happened


def _sheet(row: dict[str, Any]) -> str:
    return "\n".join(
        (
            f"{plain(row['pattern'])}  ({row['scope']}, {row['confidence']:.0%} sure)",
            plain(row["lesson"]),
            f"{_history(row)}; first {moment(row['first_at'])}, last {moment(row['last_at'])} UTC",
        )
    )
