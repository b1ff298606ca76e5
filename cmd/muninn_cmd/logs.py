"""``muninn logs``: the end of the daemon's log, and what is added to it."""

from __future__ import annotations

import json
import os
import time
from collections import deque
from pathlib import Path
from typing import Annotated, Any

import typer

from muninn import paths
from muninn.errors import NotFoundError, UsageError
from muninn_cmd import render
from muninn_cmd.session import current
from muninn_cmd.text import plain

_POLL = 0.25  # seconds


def logs(
    *,
    lines: Annotated[int, typer.Option("--lines", "-n", min=0, help="So many lines from the end.")] = 50,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on as lines are written.")] = False,
) -> None:
    """The log tells what happened and when, never what a memory says."""
    log = paths.log_path(Path(paths.home_name(current.environ)))
    if follow and current.as_json:
        raise UsageError("--follow has no end, so it cannot be one JSON document", hint="leave out --json")
    if not log.exists():
        raise NotFoundError(f"there is no log at {log}", hint="it is written by: muninn start")
    with log.open("rb") as file:
        last = deque(file, maxlen=lines)
        entries = [_entry(line) for line in last]
        render.show({"entries": entries}, lambda: "".join(_shown(line) for line in last) or "(empty)")
        if follow:
            _follow(file, log)


def _entry(line: bytes) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return {"event": line.decode("utf-8", "replace").rstrip("\n")}


def _shown(line: bytes) -> str:
    return plain(line.decode("utf-8", "replace"))


def _follow(file: Any, log: Path) -> None:
    while True:
        for line in file:
            render.out(_shown(line))
        time.sleep(_POLL)
        try:
            if os.fstat(file.fileno()).st_ino != log.stat().st_ino:  # rotated: go on with the new one
                file = log.open("rb")
        except FileNotFoundError:
            continue
