"""Knows how to introduce muninn to the agents of a machine, and to take leave of them without a trace.

``plan`` decides everything and writes nothing; ``apply`` writes what was planned, and only if the file is still what it
was. A file that cannot be parsed, or an entry that somebody else wrote, is left alone and explained.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from muninn.agents import jsonedit, tomledit
from muninn.agents.ledger import Entry, Ledger, digest
from muninn.agents.places import Agent, Form, Launch, Machine
from muninn.atomic import common_folder, write_atomically
from muninn.errors import ConfigError, ConflictError, MuninnError

_EMPTY = "{}\n"  # what a JSON file starts from
ADD, KEEP, REMOVE, REFUSE = "add", "keep", "remove", "refuse"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What would be done to one settings file. ``before`` None: it does not exist; ``after`` None: it goes away.

    action: "add", "keep" (nothing to do), "remove", "refuse" (``why`` says so, ``snippet`` is for doing it by hand).
    """

    agent: Agent
    file: Path
    action: str
    before: bytes | None = None
    after: bytes | None = None
    made: int = 0
    why: str = ""
    snippet: str = ""

    def difference(self) -> str:
        """What changes, as a unified diff."""
        old, new = ((data or b"").decode("utf-8", "replace").splitlines() for data in (self.before, self.after))
        return "\n".join(difflib.unified_diff(old, new, str(self.file), str(self.file), lineterm="", n=2))


def plan(agents: Iterable[Agent], machine: Machine, launch: Launch, ledger: Ledger) -> list[Change]:
    """How to make muninn known to each agent."""
    changes = []
    for agent in agents:
        file = agent.file(machine)
        if file is not None:
            changes.append(_adding(agent, _target(file), launch, ledger))
    return changes


def plan_removal(agents: Iterable[Agent], machine: Machine, ledger: Ledger) -> list[Change]:
    """How to take muninn out of the settings that it was put into."""
    by_file = {str(_target(file)): agent for agent in agents if (file := agent.file(machine)) is not None}
    return [_removing(by_file[file], entry) for file, entry in ledger.entries.items() if file in by_file]


def apply(change: Change, ledger: Ledger) -> None:
    """Carry out one planned change. Raises ConflictError when the file changed since, MuninnError when it cannot be written."""
    if change.action not in (ADD, REMOVE):
        return
    if _bytes(change.file) != change.before:
        raise ConflictError(f"{change.file} changed meanwhile", hint="run it again")
    try:
        if change.action == ADD:
            _add(change, ledger)
        else:
            _remove(change, ledger)
    except OSError as error:
        raise MuninnError(f"cannot write {change.file}: {error.strerror}") from None


def snippet(agent: Agent, launch: Launch) -> str:
    """What a person would paste into the agent's settings."""
    entry = agent.entry(launch)
    if agent.form is Form.TOML:
        return tomledit.render(agent.path, entry)
    value: object = entry
    for step in reversed(agent.path):
        value = {step: value}
    return json.dumps(value, indent=2, ensure_ascii=False)


def _target(file: Path) -> Path:
    """The file itself where the settings are a symbolic link, so that the link stays one."""
    return file.resolve() if file.is_symlink() else file


def _bytes(file: Path) -> bytes | None:
    if file.exists() and not file.is_file():  # a pipe would be waited for
        raise ConfigError(f"cannot read {file}: not a file")
    try:
        return file.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ConfigError(f"cannot read {file}: {error.strerror}") from None


def _adding(agent: Agent, file: Path, launch: Launch, ledger: Ledger) -> Change:
    by_hand = snippet(agent, launch)
    before: bytes | None = None
    try:
        before = _bytes(file)
        text = (before or b"").decode("utf-8")
        entry = agent.entry(launch)
        known = ledger.entries.get(str(file))
        if agent.form is Form.TOML:
            after, made = tomledit.insert(text, agent.path, entry), 0
        else:
            after, made = _into_json(agent, text, entry, ours=known is not None)
    except UnicodeDecodeError:
        return Change(agent=agent, file=file, action=REFUSE, why="it is not UTF-8 text", snippet=by_hand)
    except ConfigError as error:
        return Change(agent=agent, file=file, action=REFUSE, why=error.message, snippet=by_hand)
    if before is not None and after == text:
        return Change(agent=agent, file=file, action=KEEP, before=before, after=before)
    made = known.made if known is not None else made
    return Change(agent=agent, file=file, action=ADD, before=before, after=after.encode("utf-8"), made=made)


def _into_json(agent: Agent, text: str, entry: dict[str, object], *, ours: bool) -> tuple[str, int]:
    comments = agent.form is Form.JSONC
    if not text.strip("\ufeff \t\r\n"):
        text = _EMPTY
    found = jsonedit.read(text, agent.path, comments=comments)
    if found is not None and found != entry and not ours:
        raise ConfigError(f"{'.'.join(agent.path)} is there already, written by somebody else")
    made = max(0, jsonedit.missing(text, agent.path, comments=comments) - 1)
    return jsonedit.insert(text, agent.path, entry, comments=comments), made


def _removing(agent: Agent, entry: Entry) -> Change:
    file = Path(entry.file)
    try:
        before = _bytes(file)
        after = _without(agent, entry, before)
    except (OSError, UnicodeDecodeError, MuninnError) as error:
        why = error.message if isinstance(error, MuninnError) else str(error)
        by_hand = f"take {'.'.join(agent.path)} out by hand"
        return Change(agent=agent, file=file, action=REFUSE, why=why, snippet=by_hand)
    return Change(agent=agent, file=file, action=REMOVE, before=before, after=after)


def _without(agent: Agent, entry: Entry, now: bytes | None) -> bytes | None:
    """The file without us: as it was if nobody touched it since, else with only our entry cut out. None: no file."""
    if now is None:
        return None
    if digest(now) == entry.after:
        return Path(entry.backup).read_bytes() if entry.existed else None
    text = now.decode("utf-8")
    if agent.form is Form.TOML:
        left = tomledit.remove(text)
        empty = not left
    else:
        comments = agent.form is Form.JSONC
        left = jsonedit.remove(text, agent.path, prune=entry.made, comments=comments)
        empty = left == _EMPTY
    return None if empty and not entry.existed else left.encode("utf-8")


def _add(change: Change, ledger: Ledger) -> None:
    after = change.after or b""
    known = ledger.entries.get(str(change.file))
    before = change.before if known is None else _without(change.agent, known, change.before)
    folders = _missing_folders(change.file)
    entry = Entry(
        agent=change.agent.name,
        file=str(change.file),
        existed=before is not None,
        made=change.made,
        after=digest(after),
        backup=ledger.backup_of(change.agent.name, change.file, before or b""),
        folders=known.folders if known else tuple(map(str, folders)),
    )
    ledger.note(entry, before or b"")
    for folder in folders:
        common_folder(folder)
    write_atomically(change.file, after, mode=_mode(change.file))


def _remove(change: Change, ledger: Ledger) -> None:
    entry = ledger.entries[str(change.file)]
    if change.after is not None:
        write_atomically(change.file, change.after, mode=_mode(change.file))
    elif change.before is not None:
        change.file.unlink()
    for folder in reversed(entry.folders):
        path = Path(folder)
        if path.is_dir() and not any(path.iterdir()):
            path.rmdir()
    ledger.drop(entry)


def _missing_folders(file: Path) -> list[Path]:
    missing: list[Path] = []
    folder = file.parent
    while not folder.exists():
        missing.insert(0, folder)
        folder = folder.parent
    return missing


def _mode(file: Path) -> int:
    return file.stat().st_mode & 0o777 if file.exists() else 0o600
