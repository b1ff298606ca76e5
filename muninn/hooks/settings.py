"""The hooks in a Claude Code settings file: put in and taken out without touching anything else.

Rules: the file is strict JSON or it is refused with its line; foreign hooks stay; own entries are known by the mark at the
end of their command; a second install changes nothing; uninstall gives back the very bytes from before, and if the file was
changed since, takes out only what install put in. The command ends with success whatever happens to Python or this package:
on some events a failing hook would cost the person their prompt.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from muninn.agents import jsonedit
from muninn.atomic import common_folder, write_atomically
from muninn.errors import ConfigError

MARK = "# muninn-hook"
TIMEOUT = 5  # seconds, as Claude Code counts; the hook itself gives up after one
WITH_MATCHER = ("PostToolUse", "PostToolUseFailure")
EVENTS = ("SessionStart", "UserPromptSubmit", *WITH_MATCHER, "PreCompact", "Stop", "SessionEnd")
_BACKUP = ".muninn-backup"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One settings file before and after; None where there is no file. ``backup`` holds ``before`` while hooks are in."""

    path: Path
    before: str | None
    after: str | None
    backup: Path
    base: str | None
    """The file as it is without hooks."""

    @property
    def changed(self) -> bool:
        return self.before != self.after


def hook_command(python: str, file: str, *, home: str = "") -> str:
    """The shell command of one hook: an absolute interpreter on an absolute file. ``home`` where it is not the default."""
    setting = f"MUNINN_HOME={shlex.quote(home)} " if home else ""
    return f"{setting}{shlex.quote(python)} -I -S {shlex.quote(file)} || : {MARK}"


def settings_file(home: Path, project: Path | None, config_folder: str = "") -> Path:
    """The person's settings, or the local (not shared) ones of a project."""
    if project is not None:
        return project / ".claude" / "settings.local.json"
    return Path(config_folder) / "settings.json" if config_folder else home / ".claude" / "settings.json"


def marked(path: Path) -> bool:
    """Whether the file holds the mark of own entries, in whatever shape it is otherwise."""
    try:
        return path.is_file() and MARK.encode() in path.read_bytes()
    except OSError:
        return False


def plan_install(path: Path, command: str) -> Change:
    """What installing would change. Raises ConfigError for a file that is not strict JSON or has something else in place."""
    path, before, backup = _opened(path)
    base = _base(before, backup)
    after = _with(base, command)
    return Change(path=path, before=before, after=after, backup=backup, base=base)


def plan_uninstall(path: Path) -> Change:
    """What uninstalling would change: nothing when no own entry is there."""
    path, before, backup = _opened(path)
    after = _base(before, backup)
    return Change(path=path, before=before, after=after, backup=backup, base=after)


def apply(change: Change) -> None:
    """Write a change and keep or drop the backup. Raises OSError; the old file stays whole then."""
    if not change.changed:
        return
    installing = change.after is not None and bool(own_commands(change.after))
    if installing and change.base is not None:
        write_atomically(change.backup, change.base, mode=0o600)
    if change.after is None:
        change.path.unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            change.path.parent.rmdir()  # only when nothing else is in it
    else:
        common_folder(change.path.parent)
        mode = change.path.stat().st_mode & 0o777 if change.path.exists() else 0o600
        write_atomically(change.path, change.after, mode=mode)
    if not installing:
        change.backup.unlink(missing_ok=True)


def own_commands(text: str) -> dict[str, str]:
    """Event → the command of the own entry, as the file has it."""
    return {event: command for event, _, _, command in _own(text)}


def _opened(path: Path) -> tuple[Path, str | None, Path]:
    """The real file behind a link, its text (None: no file), and its backup."""
    path = Path(os.path.realpath(path))
    backup = path.with_name(path.name + _BACKUP)
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # a pipe would be waited for
            raise ConfigError(f"cannot read {path}: not a file")
        text = path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return path, None, backup
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise ConfigError(
            f"{path} is not UTF-8 (byte {error.start})", hint="correct it first; it was not touched"
        ) from None
    try:
        document = jsonedit.read(text)
    except ConfigError as error:
        raise ConfigError(f"{path}: {error.message}", hint="correct it first; it was not touched") from None
    hooks = document.get("hooks", {}) if isinstance(document, dict) else None
    if not isinstance(hooks, dict) or not all(isinstance(groups, list) for groups in hooks.values()):
        what = "hooks is not an object of lists" if isinstance(document, dict) else "it does not hold an object"
        raise ConfigError(f"{path}: {what}", hint="correct it first; it was not touched")
    return path, text, backup


def _kept(backup: Path) -> str | None:
    try:
        text = backup.read_bytes().decode("utf-8")
        jsonedit.read(text)
    except (OSError, UnicodeDecodeError, ConfigError):
        return None
    return text


def _base(before: str | None, backup: Path) -> str | None:
    """The file as it is without own entries; None when install made the file and nothing else came into it."""
    if before is None or not own_commands(before):
        return before
    text = _without(before, _kept(backup))
    return None if text.strip() == "{}" and not backup.exists() else text


def _with(base: str | None, command: str) -> str:
    text = "{}\n" if base is None else base
    if jsonedit.read(text, ["hooks"]) is None:
        return jsonedit.insert(text, ["hooks"], {event: [_group(event, command)] for event in EVENTS})
    for event in EVENTS:
        groups = jsonedit.read(text, ["hooks", event])
        if isinstance(groups, list):
            text = jsonedit.insert(text, ["hooks", event, len(groups)], _group(event, command))
        else:
            text = jsonedit.insert(text, ["hooks", event], [_group(event, command)])
    return text


def _group(event: str, command: str) -> dict[str, object]:
    matcher = {"matcher": "*"} if event in WITH_MATCHER else {}
    return {**matcher, "hooks": [{"type": "command", "command": command, "timeout": TIMEOUT}]}


def _without(text: str, before: str | None) -> str:
    """``text`` without own entries: ``before`` to the byte where install made ``text`` of it, else cut out one by one."""
    commands = own_commands(text)
    if before is not None and commands and _with(before, next(iter(commands.values()))) == text:
        return before
    while (own := next(iter(reversed(list(_own(text)))), None)) is not None:
        event, group, handler, _ = own
        handlers = jsonedit.read(text, ["hooks", event, group, "hooks"])
        if isinstance(handlers, list) and len(handlers) > 1:
            text = jsonedit.remove(text, ["hooks", event, group, "hooks", handler])
            continue
        made = 2 if before is None else max(0, jsonedit.missing(before, ["hooks", event]))
        text = jsonedit.remove(text, ["hooks", event, group], prune=made)
    return text


def _own(text: str) -> Iterator[tuple[str, int, int, str]]:
    """Own entries: event, index of the group, index of the handler, command."""
    hooks = jsonedit.read(text, ["hooks"])
    for event, groups in (hooks if isinstance(hooks, dict) else {}).items():
        for i, group in enumerate(groups if isinstance(groups, list) else ()):
            handlers = group.get("hooks") if isinstance(group, dict) else None
            for j, handler in enumerate(handlers if isinstance(handlers, list) else ()):
                command = handler.get("command") if isinstance(handler, dict) else None
                if isinstance(command, str) and command.endswith(MARK):
                    yield str(event), i, j, command
