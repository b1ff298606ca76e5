"""``muninn service``: let systemd keep the daemon running, as a unit of this user."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import typer

from muninn import paths
from muninn.atomic import common_folder
from muninn.errors import MuninnError, NotRunningError
from muninn_cmd import assets, files, launchd, lifecycle, render
from muninn_cmd.session import current

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False, no_args_is_help=True)

UNIT = "muninn.service"
SHIPPED_START = "ExecStart=%h/.local/bin/muninn start --foreground"


@app.command(epilog="Example: muninn service install")
def install(
    *,
    cloud: Annotated[
        bool, typer.Option("--cloud", help="Allow addresses beyond this machine, for Anthropic or OpenAI.")
    ] = False,
    no_start: Annotated[bool, typer.Option("--no-start", help="Only write the unit.")] = False,
    show: Annotated[bool, typer.Option("--print", help="Print the unit and change nothing.")] = False,
) -> None:
    """Write the unit, enable it, and hand the daemon over to systemd. Run it again after an upgrade."""
    if sys.platform == "darwin":
        agent = launchd.agent(command(), str(_home()))
        render.show({"launchd": agent}, lambda: agent)
        return
    text = unit()
    if show:
        render.show({"unit": text}, lambda: text)
        return
    folder = _folder()
    changed = [str(path) for path, content in _wanted(folder, text, cloud) if _put(path, content)]
    started = not no_start and _has_systemd()
    if started:
        _hand_over()
    document = {"unit": str(folder / UNIT), "changed": changed, "started": started}
    render.show(document, lambda: _installed(document, no_start))


@app.command(epilog="Example: muninn service uninstall")
def uninstall() -> None:
    """Stop the unit and take it away. Memories stay."""
    folder = _folder()
    if _has_systemd():
        _systemctl("disable", "--now", UNIT, check=False)
    removed = [str(path) for path in (folder / UNIT, folder / f"{UNIT}.d" / "cloud.conf") if _take(path)]
    with suppress(OSError):
        (folder / f"{UNIT}.d").rmdir()
    if _has_systemd():
        _systemctl("daemon-reload", check=False)
    render.show({"removed": removed}, lambda: "\n".join(f"Removed {path}" for path in removed) or "There was no unit.")


@app.command(epilog="Example: muninn service status")
def status() -> None:
    """Is the unit there, is it enabled, does it run?"""
    path = _folder() / UNIT
    systemd = _has_systemd()
    document: dict[str, Any] = {
        "installed": path.is_file(),
        "current": path.is_file() and path.read_text("utf-8") == unit(),
        "systemd": systemd,
        "enabled": systemd and _answer("is-enabled", UNIT) == "enabled",
        "active": _answer("is-active", UNIT) if systemd else "unknown",
    }
    render.show(document, lambda: _standing(document))


def _standing(document: dict[str, Any]) -> str:
    lines = ["No unit is installed; run muninn service install"]
    if document["installed"]:
        other = "" if document["current"] else ", but not the one of this installation; run muninn service install"
        lines = [f"The unit is installed{other}"]
    if not document["systemd"]:
        return "\n".join([*lines, "No systemd serves this user here."])
    enabled = "starts it by itself" if document["enabled"] else "does not start it by itself"
    return "\n".join([*lines, f"systemd {enabled}; it is {document['active']}."])


def unit() -> str:
    """The unit for this installation and this home."""
    text = assets.find(UNIT).read_text("utf-8")
    if SHIPPED_START not in text:
        raise MuninnError(f"the unit at {assets.find(UNIT)} has no line {SHIPPED_START!r}", hint="install muninn again")
    start = f"ExecStart={' '.join(map(_quoted, command()))}"
    if current.environ.get("MUNINN_HOME"):
        start = f"Environment={_quoted(f'MUNINN_HOME={_home()}')}\n{start}"
        if not _home().is_relative_to(current.environ.get("HOME", "/")):
            start = f"ReadWritePaths={_quoted(str(_home()))}\n{start}"
    return text.replace(SHIPPED_START, start)


def command() -> list[str]:
    """How this very installation is started, by absolute path."""
    script = Path(sys.executable).with_name("muninn")
    program = [str(script)] if script.is_file() else [sys.executable, "-P", "-m", "muninn_cmd"]
    return [*program, "start", "--foreground"]


def _quoted(word: str) -> str:
    """A word as systemd reads it: percent signs and dollars doubled, quoted where it must be."""
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{escaped}"' if any(c in word for c in " \t\"'\\") else escaped


def _home() -> Path:
    return Path(paths.home_name(current.environ))


def _folder() -> Path:
    base = current.environ.get("XDG_CONFIG_HOME") or f"{current.environ.get('HOME', '/')}/.config"
    return Path(base) / "systemd" / "user"


def _wanted(folder: Path, text: str, cloud: bool) -> list[tuple[Path, str | None]]:
    return [
        (folder / UNIT, text),
        (folder / f"{UNIT}.d" / "cloud.conf", assets.find("cloud.conf").read_text("utf-8") if cloud else None),
    ]


def _put(path: Path, content: str | None) -> bool:
    """Make ``path`` hold ``content`` (None: not exist); whether that changed anything."""
    if content is None:
        return _take(path)
    if path.is_file() and path.read_text("utf-8") == content:
        return False
    common_folder(path.parent)
    files.write(path, content.encode("utf-8"))
    return True


def _take(path: Path) -> bool:
    existed = path.exists()
    path.unlink(missing_ok=True)
    return existed


def _hand_over() -> None:
    _home().mkdir(mode=0o700, parents=True, exist_ok=True)
    _systemctl("daemon-reload")
    _systemctl("enable", UNIT)
    if _answer("is-active", UNIT) != "active":
        with suppress(NotRunningError):
            lifecycle.sleep(current.environ, at_most=current.wait)
    _systemctl("restart", UNIT)


def _has_systemd() -> bool:
    """Whether the manager of this user's units runs; the command alone does not make one."""
    runtime = current.environ.get("XDG_RUNTIME_DIR")
    return (
        runtime is not None and shutil.which("systemctl") is not None and Path(runtime, "systemd", "private").exists()
    )


def _systemctl(*words: str, check: bool = True) -> str:
    done = subprocess.run(
        ["systemctl", "--user", *words], capture_output=True, text=True, check=False, env={**os.environ, "LC_ALL": "C"}
    )
    if check and done.returncode:
        reason = done.stderr.strip() or f"exit code {done.returncode}"
        raise MuninnError(f"systemctl --user {' '.join(words)}: {reason}", hint="without systemd, use: muninn start")
    return done.stdout.strip()


def _answer(*words: str) -> str:
    return _systemctl(*words, check=False).partition("\n")[0]


def _installed(document: dict[str, Any], no_start: bool) -> str:
    lines = [f"Wrote {path}" for path in document["changed"]] or [f"{document['unit']} is up to date"]
    if document["started"]:
        lines.append("systemd keeps muninn running now; to keep it after logout: loginctl enable-linger")
    elif not no_start:
        lines.append(
            "no systemd serves this user now; where one does: systemctl --user enable --now muninn; here: muninn start"
        )
    return "\n".join(lines)
