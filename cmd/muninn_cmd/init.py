"""``muninn init``: make muninn known to the coding agents on this machine, or take it out again.

Claude Code's hooks, which run at every step of a session, are put in only with a word of consent: an answer, or ``--yes``.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from muninn import paths
from muninn.agents.ledger import Ledger
from muninn.agents.places import AGENTS, BY_NAME, Agent, Launch, Machine
from muninn.agents.setup import ADD, KEEP, REFUSE, REMOVE, Change, apply, plan, plan_removal, snippet
from muninn.errors import ConfigError, MuninnError, UsageError
from muninn.hooks import settings
from muninn_cmd import hook, render
from muninn_cmd.session import current

_FAILED = 1
_HOOKED = "claude-code"


@dataclass(frozen=True, slots=True)
class Step:
    """One settings file to be written: how it changes, what writes it, and whether the change is the agent's hooks."""

    change: Change
    write: Callable[[], None]
    hooks: bool = False

    @property
    def title(self) -> str:
        return f"{self.change.agent.title}'s hooks" if self.hooks else self.change.agent.title


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
    no_hooks: Annotated[bool, typer.Option("--no-hooks", help="Leave Claude Code's hooks as they are.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask; Claude Code gets its hooks, too.")] = False,
) -> None:
    """Finds Claude Code, Claude Desktop, Cursor, Codex, VS Code, Windsurf and opencode, shows what it will write, keeps a
    copy of each file, and adds one entry. Claude Code is offered its hooks as well. Files that cannot be parsed are left
    alone and explained.
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
    planned = plan_removal(chosen, machine, ledger) if remove else plan(chosen, machine, launch, ledger)
    steps = [Step(change, partial(apply, change, ledger)) for change in planned]
    hooks = [] if no_hooks or BY_NAME[_HOOKED] not in chosen else _hooks(project=project, remove=remove)
    ask = not yes and not dry_run
    if remove:
        steps += hooks
    dry_run = not _agreed(steps, "Write this?", ask=ask, unasked=True) or dry_run
    question = "Let Claude Code feel its own sessions, by these hooks?"
    if not remove and _agreed(hooks, question, ask=ask and not dry_run, unasked=yes or dry_run):
        steps += hooks
    failed = {} if dry_run else _carry_out(steps)
    render.show(
        _document(steps, failed, dry_run),
        lambda: _summary(steps, failed, remove=remove, dry_run=dry_run, project=project),
    )
    if failed or any(step.change.action == REFUSE for step in steps):
        raise typer.Exit(_FAILED)


def _hooks(*, project: bool, remove: bool) -> list[Step]:
    """The hooks as a step of their own; none where there is nothing to take out."""
    file, agent = hook.file_of(project=project), BY_NAME[_HOOKED]
    if remove and not settings.marked(file):
        return []
    try:
        found = settings.plan_uninstall(file) if remove else settings.plan_install(file, hook.own_command())
    except ConfigError as error:
        refused = Change(agent=agent, file=file, action=REFUSE, why=error.message, snippet=str(error.hint or ""))
        return [Step(refused, lambda: None, hooks=True)]
    if not found.changed and remove:
        return []
    action = (REMOVE if remove else ADD) if found.changed else KEEP
    before, after = (None if text is None else text.encode("utf-8") for text in (found.before, found.after))
    change = Change(agent=agent, file=found.path, action=action, before=before, after=after)
    return [Step(change, partial(hook.write, found), hooks=True)]


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


def _agreed(steps: Iterable[Step], question: str, *, ask: bool, unasked: bool) -> bool:
    """Show the changes; ask when a person is there to answer. ``unasked``: the answer where nobody is asked."""
    due = [step for step in steps if step.change.action in (ADD, REMOVE)]
    for step in due:
        render.remark(f"{step.title}\n{step.change.difference()}\n")
    if not due:
        return True
    if not ask or current.as_json or not sys.stdin.isatty():
        return unasked
    sys.stderr.write(f"{question} [Y/n] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().casefold() in ("", "y", "yes", "s", "sí", "si")


def _carry_out(steps: Iterable[Step]) -> dict[str, str]:
    """Errors by file; one file that cannot be written does not stop the others."""
    failed: dict[str, str] = {}
    for step in steps:
        try:
            if step.change.action in (ADD, REMOVE):
                step.write()
        except MuninnError as error:
            failed[str(step.change.file)] = str(error)
    return failed


def _document(steps: Iterable[Step], failed: dict[str, str], dry_run: bool) -> dict[str, Any]:
    rows = [
        {
            "agent": change.agent.name,
            "file": str(change.file),
            "action": change.action,
            "why": failed.get(str(change.file)) or change.why or None,
            "snippet": change.snippet or None,
            "difference": change.difference() if change.action in (ADD, REMOVE) else None,
        }
        for change in (step.change for step in steps)
    ]
    return {"dry_run": dry_run, "changes": rows}


_SAID = {ADD: "added to", KEEP: "already in", REMOVE: "taken out of"}


def _summary(steps: list[Step], failed: dict[str, str], *, remove: bool, dry_run: bool, project: bool) -> str:
    if not steps:
        return "Nothing of muninn is in any agent's settings." if remove else (
            "No agent found here. Name one with --agent, or print what to paste: muninn init --print --agent claude-code"
        )  # fmt: skip
    lines = ["Nothing was written; this is what would be:"] if dry_run else []
    for step in steps:
        change, title = step.change, step.title
        if str(change.file) in failed:
            lines.append(f"{title}: failed: {failed[str(change.file)]}")
        elif change.action == REFUSE:
            place = "" if str(change.file) in change.why else f"{change.file}: "
            lines.append(f"{title}: left alone: {place}{change.why}")
            lines += [f"    {line}" for line in ("to do it by hand:", *change.snippet.splitlines())]
        else:
            lines.append(f"{title}: {_SAID[change.action]} {change.file}")
    added = {step.change.agent.name: step.change.agent for step in steps if _written(step, failed)}
    if added and not dry_run:
        lines += [f"  then: {agent.title}: {agent.restart}" for agent in added.values()]
        if _HOOKED in added and not any(step.hooks for step in steps):
            lines.append("Let it feel its own sessions, too: muninn hook install")
        lines.append(f"Undo it with: muninn init --remove{' --project' if project else ''}")
    return "\n".join(lines)


def _written(step: Step, failed: dict[str, str]) -> bool:
    return step.change.action == ADD and str(step.change.file) not in failed


def _snippets(texts: dict[str, dict[str, str]]) -> str:
    return "\n\n".join(f"# {BY_NAME[name].title}: {row['file']}\n{row['snippet']}" for name, row in texts.items())
