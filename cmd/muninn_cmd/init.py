"""``muninn init``: make muninn known to the coding agents on this machine, or take it out again."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

from muninn import paths
from muninn.agents.ledger import Ledger
from muninn.agents.places import AGENTS, BY_NAME, Agent, Launch, Machine
from muninn.agents.setup import ADD, KEEP, REFUSE, REMOVE, Change, apply, plan, plan_removal, snippet
from muninn.errors import MuninnError, UsageError
from muninn_cmd import render
from muninn_cmd.session import current

_FAILED = 1


def init(
    *,
    agent: Annotated[
        list[str] | None,
        typer.Option("--agent", help="Only this one, found or not; may be repeated.", show_default=False),
    ] = None,
    project: Annotated[
        bool, typer.Option("--project", help="Into the files of the current folder, not those of this person.")
    ] = False,
    remove: Annotated[bool, typer.Option("--remove", help="Undo: the settings become what they were.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be written, and write nothing.")] = False,
    show: Annotated[
        bool,
        typer.Option(
            "--print", help="Print what to paste into the settings of each agent found, or of all that are known."
        ),
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Finds Claude Code, Claude Desktop, Cursor, Codex, VS Code, Windsurf and opencode, shows what it will write, keeps a
    copy of each file, and adds one entry. Files that cannot be parsed are left alone and explained.
    """
    machine = _machine(project)
    launch = _launch(project)
    ledger = Ledger(Path(paths.home_name(current.environ)) / "agents")
    chosen = _chosen(agent or (), machine, every=remove)
    if show:
        chosen = chosen or list(AGENTS)
        texts = {one.name: {"file": str(one.file(machine)), "snippet": snippet(one, launch)} for one in chosen}
        render.show({"agents": texts}, lambda: _snippets(texts))
        return
    changes = plan_removal(chosen, machine, ledger) if remove else plan(chosen, machine, launch, ledger)
    dry_run = not _agreed(changes, ask=not yes and not dry_run) or dry_run
    failed = _carry_out(changes, ledger, write=not dry_run)
    render.show(_document(changes, failed, dry_run), lambda: _summary(changes, failed, remove=remove, dry_run=dry_run))
    if failed or any(change.action == REFUSE for change in changes):
        raise typer.Exit(_FAILED)


def _machine(project: bool) -> Machine:
    home = Path(current.environ.get("HOME", "/"))
    return Machine(home=home, platform=sys.platform, environ=current.environ, project=Path.cwd() if project else None)


def _launch(project: bool) -> Launch:
    """A file that travels with a project names the command; desktop programs need its full path."""
    given = current.environ.get("MUNINN_HOME")
    environ = {"MUNINN_HOME": paths.home_name(current.environ)} if given and not project else {}
    if project:
        return Launch("muninn", environ=environ)
    beside = Path(sys.executable).parent / "muninn"
    found = str(beside) if beside.exists() else shutil.which("muninn", path=current.environ.get("PATH"))
    if found:
        return Launch(found, environ=environ)
    return Launch(sys.executable, ("-m", "muninn_cmd", "mcp"), environ)


def _chosen(names: Iterable[str], machine: Machine, *, every: bool) -> list[Agent]:
    names = list(names)
    unknown = sorted(set(names) - BY_NAME.keys())
    if unknown:
        raise UsageError(f"no agent {unknown[0]!r}", hint=f"known: {', '.join(BY_NAME)}")
    if names:
        return [BY_NAME[name] for name in dict.fromkeys(names)]
    return [agent for agent in AGENTS if every or agent.present(machine)]


def _agreed(changes: Iterable[Change], *, ask: bool) -> bool:
    """Show the changes; ask when a person is there to answer."""
    due = [change for change in changes if change.action in (ADD, REMOVE)]
    for change in due:
        render.remark(f"{change.agent.title}\n{change.difference()}\n")
    if not due or not ask or current.as_json or not sys.stdin.isatty():
        return True
    sys.stderr.write("Write this? [Y/n] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().casefold() in ("", "y", "yes", "s", "sí", "si")


def _carry_out(changes: Iterable[Change], ledger: Ledger, *, write: bool) -> dict[str, str]:
    """Errors by file; one file that cannot be written does not stop the others."""
    failed: dict[str, str] = {}
    for change in changes if write else ():
        try:
            apply(change, ledger)
        except MuninnError as error:
            failed[str(change.file)] = str(error)
    return failed


def _document(changes: Iterable[Change], failed: dict[str, str], dry_run: bool) -> dict[str, Any]:
    rows = [
        {
            "agent": change.agent.name,
            "file": str(change.file),
            "action": change.action,
            "why": failed.get(str(change.file)) or change.why or None,
            "snippet": change.snippet or None,
            "difference": change.difference() if change.action in (ADD, REMOVE) else None,
        }
        for change in changes
    ]
    return {"dry_run": dry_run, "changes": rows}


_SAID = {ADD: "added to", KEEP: "already in", REMOVE: "taken out of"}


def _summary(changes: list[Change], failed: dict[str, str], *, remove: bool, dry_run: bool) -> str:
    if not changes:
        return "Nothing of muninn is in any agent's settings." if remove else (
            "No agent found here. Name one with --agent, or print what to paste: muninn init --print --agent claude-code"
        )  # fmt: skip
    lines = ["Nothing was written; this is what would be:"] if dry_run else []
    for change in changes:
        if str(change.file) in failed:
            lines.append(f"{change.agent.title}: failed: {failed[str(change.file)]}")
        elif change.action == REFUSE:
            lines.append(f"{change.agent.title}: left alone: {change.file}: {change.why}")
            lines += [f"    {line}" for line in ("to do it by hand:", *change.snippet.splitlines())]
        else:
            lines.append(f"{change.agent.title}: {_SAID[change.action]} {change.file}")
    added = [change.agent for change in changes if change.action == ADD and str(change.file) not in failed]
    if added and not dry_run:
        lines += [f"  then: {agent.title}: {agent.restart}" for agent in added]
        if any(agent.name == "claude-code" for agent in added):
            lines.append("Let it feel its own sessions, too: muninn hook install")
        lines.append("Undo it with: muninn init --remove")
    return "\n".join(lines)


def _snippets(texts: dict[str, dict[str, str]]) -> str:
    return "\n\n".join(f"# {BY_NAME[name].title}: {row['file']}\n{row['snippet']}" for name, row in texts.items())
