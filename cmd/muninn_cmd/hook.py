"""``muninn hook``: put the hooks into Claude Code's settings, take them out, see that they work."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import typer

from muninn import paths
from muninn.errors import ConfigError
from muninn.hooks import canary, settings
from muninn.hooks.projects import project_of
from muninn_cmd import render
from muninn_cmd.session import current
from muninn_cmd.text import plain

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False, no_args_is_help=True)

InProject = Annotated[
    bool, typer.Option("--project", help="In .claude/settings.local.json of this project, not in your own settings.")
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would change and leave it.")]


@app.command(epilog="Example: muninn hook install --project")
def install(*, project: InProject = False, dry_run: DryRun = False) -> None:
    """Give Claude Code its senses. A second time changes nothing; other hooks stay."""
    change = settings.plan_install(file_of(project=project), own_command())
    if not dry_run:
        write(change)
    document = {
        **_described(change, dry_run=dry_run),
        "events": list(settings.EVENTS),
        "backup": str(change.backup) if change.backup.exists() else None,
        "command": own_command(),
    }
    done = "Would install" if dry_run else "Installed"
    render.show(document, lambda: f"{done} {len(settings.EVENTS)} hooks in {plain(change.path)}" if change.changed else f"Already installed in {plain(change.path)}")  # fmt: skip


@app.command(epilog="Example: muninn hook uninstall")
def uninstall(*, project: InProject = False, dry_run: DryRun = False) -> None:
    """Take the hooks out again. The file is as it was before, to the byte."""
    change = settings.plan_uninstall(file_of(project=project))
    if not dry_run:
        write(change)
    done = "Would remove" if dry_run else "Removed"
    render.show(_described(change, dry_run=dry_run), lambda: f"{done} the hooks from {plain(change.path)}" if change.changed else f"No hooks of muninn in {plain(change.path)}")  # fmt: skip


@app.command(epilog="Example: muninn hook status")
def status() -> None:
    """Where hooks are installed, and whether they work. An event goes to the daemon and back."""
    files = dict.fromkeys((file_of(project=False), file_of(project=True)))
    places = [place for file in files if (place := _place(file)) is not None]
    installed = [str(place["command"]) for place in places if place["command"]]
    why = canary.sing(installed[0] if installed else own_command(), current.environ, os.urandom(8).hex())
    document = {"installed": places, "canary": {"ok": why is None, "why": why}}
    render.show(document, lambda: _report(places, why))


def file_of(*, project: bool) -> Path:
    environ = current.environ
    root = project_of(str(Path.cwd())) if project else None
    return settings.settings_file(Path(environ.get("HOME", "/")), root, environ.get("CLAUDE_CONFIG_DIR", ""))


def own_command() -> str:
    """The hook of this installation, by absolute paths: the interpreter behind any virtual environment or shim."""
    python = os.path.realpath(getattr(sys, "_base_executable", "") or sys.executable)
    spec = find_spec("muninn_hook")
    if spec is None or spec.origin is None:
        raise ConfigError("muninn_hook is not installed", hint="install muninn-memory again")
    home = paths.home_name(current.environ)
    usual = paths.home_name({"HOME": current.environ.get("HOME", "/")})
    return settings.hook_command(python, str(Path(spec.origin).resolve()), home="" if home == usual else home)


def write(change: settings.Change) -> None:
    try:
        settings.apply(change)
    except OSError as error:
        raise ConfigError(f"{change.path} was not written: {error.strerror}", hint="the old file is whole") from None


def _described(change: settings.Change, *, dry_run: bool) -> dict[str, Any]:
    return {"path": str(change.path), "changed": change.changed and not dry_run, "would_change": change.changed, "dry_run": dry_run}  # fmt: skip


def _place(file: Path) -> dict[str, Any] | None:
    """What a settings file has of ours; None when it has nothing. A file that cannot be read says why."""
    try:
        change = settings.plan_uninstall(file)
    except ConfigError as error:
        return {"path": str(file), "events": [], "command": None, "current": False, "error": error.message}
    found = settings.own_commands(change.before or "{}")
    if not found:
        return None
    whole = found.keys() == set(settings.EVENTS) and set(found.values()) == {own_command()}
    return {"path": str(change.path), "events": list(found), "command": next(iter(found.values())), "current": whole, "error": None}  # fmt: skip


def _report(places: list[dict[str, Any]], why: str | None) -> str:
    lines = [
        plain(place["error"])
        if place["error"]
        else f"{plain(place['path'])}: {len(place['events'])} hooks"
        + ("" if place["current"] else ", not of this installation; run muninn hook install")
        for place in places
    ] or ["No hooks are installed; run muninn hook install"]
    heard = "An event went to the daemon and back." if why is None else f"No answer came back: {plain(why)}"
    return "\n".join([*lines, heard])
