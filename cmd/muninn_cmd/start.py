"""``muninn start``: wake the daemon and return when its socket answers."""

from __future__ import annotations

import os
import sys
from typing import Annotated, Any, NoReturn

import typer

from muninn_cmd import lifecycle, render
from muninn_cmd.session import current
from muninn_cmd.text import moment, one_line


def start(
    *,
    foreground: Annotated[bool, typer.Option("--foreground", help="Stay in this process, for a supervisor.")] = False,
    no_dream: Annotated[bool, typer.Option("--no-dream", help="Do not dream now, even when a dream is due.")] = False,
) -> None:
    """When a dream is due and the gates are open it dreams first, at most dream.timeout seconds; then the socket opens.

    When muninn is awake already, or another start wins the race, it says so and exits with code 3.
    """
    if foreground:
        _become(no_dream)
    running = lifecycle.answering(current.environ)
    if running is not None:
        if current.as_json:
            render.out(render.encode(summary(running, None)))
        raise lifecycle.already(running)
    status = wake(no_dream)
    render.show(status, lambda: text(status))


def wake(no_dream: bool) -> dict[str, Any]:
    """Start a daemon that is known not to answer; the document of ``start --json``."""
    from muninn_cmd import glance

    before = glance.recorded_dream(current.environ)
    arguments = ["--no-dream"] if no_dream else []
    with _watch() as meanwhile:
        status = lifecycle.wake(current.environ, *arguments, at_most=current.wait, meanwhile=meanwhile)
    return summary(status, before)


def summary(status: dict[str, Any], before: str | None) -> dict[str, Any]:
    """``dream`` is the dream of this start, or None when there was none."""
    last = status.get("last_dream") or {}
    dream = status.get(
        "start_dream", last if before is not None and last.get("dream_id") not in (None, before) else None
    )
    return {"state": status.get("state"), "pid": status.get("pid"), "socket": status.get("socket"), "dream": dream,
            "gate": status.get("gate")}  # fmt: skip


def text(status: dict[str, Any]) -> str:
    lines = [f"muninn is {str(status['state']).replace('_', ' ')} (pid {status['pid']}, socket {status['socket']})"]
    dream = status.get("dream")
    if isinstance(dream, dict):
        lines.append(
            f"  it dreamed first: {dream.get('dream_id')} {moment(dream.get('finished_at'))}; read it with: muninn journal"
        )
    elif isinstance(status.get("gate"), dict):
        why = one_line(status["gate"].get("why", ""))
        open_now = status["gate"].get("open")
        lines.append(f"  no dream, though the gate is open ({why}): muninn dream" if open_now else f"  no dream: {why}")
    return "\n".join(lines)


def _become(no_dream: bool) -> NoReturn:
    """Turn this process into the daemon, so that a supervisor sees one process, and nothing of the command stays loaded."""
    sys.stdout.flush()
    sys.stderr.flush()
    command = [sys.executable, *lifecycle.DAEMON, *(["--no-dream"] if no_dream else [])]
    os.execve(sys.executable, command, dict(current.environ))  # noqa: S606 - our own interpreter


class _watch:  # noqa: N801 - used as a function
    """A line on the terminal that follows the dream, redrawn in place and wiped at the end."""

    def __init__(self) -> None:
        self._shown = ""

    def __enter__(self) -> Any:
        return self.draw

    def draw(self) -> None:
        if not render.lively():
            return
        from muninn_cmd import glance

        line = glance.progress_line(current.environ)
        if line and line != self._shown:
            self._shown = line
            sys.stderr.write(f"\r\x1b[K{line}")
            sys.stderr.flush()

    def __exit__(self, *_details: object) -> None:
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
