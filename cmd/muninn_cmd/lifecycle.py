"""Bringing the daemon up and down from outside: spawn it, wait for its socket, tell it to sleep, wait for its lock.

Rules: the daemon is found by its socket and by the kernel's list of locks, never by a number somebody wrote into a file.
It is spawned, not forked (LanceDB does not survive a fork), in a session of its own, with its home as working directory.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from muninn import errors, paths
from muninn.client import Client
from muninn_cmd import glance
from muninn_cmd.holder import Holder, holder

DAEMON = ("-P", "-m", "muninn.daemon")
POLL = 0.05  # seconds
RACE = 3  # the exit code of a daemon that found another one


def spawn(environ: Mapping[str, str], *arguments: str) -> subprocess.Popen[bytes]:
    """A daemon in the background; what it says before its log is open goes to the end of ``muninn.log``."""
    home = Path(paths.home_name(environ))
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(paths.log_path(home), os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        raise errors.MuninnError(f"cannot write in {home}: {error.strerror}", hint="set MUNINN_HOME") from None
    try:
        return subprocess.Popen(
            [sys.executable, *DAEMON, *arguments],
            cwd=home,
            env={**environ, "MUNINN_HOME": str(home)},
            stdin=subprocess.DEVNULL,
            stdout=handle,
            stderr=handle,
            start_new_session=True,
        )
    finally:
        os.close(handle)


def answering(environ: Mapping[str, str]) -> dict[str, Any] | None:
    """The status of the daemon that answers on the socket, or None."""
    home = paths.home_name(environ)
    socket = paths.socket_name(home, environ)
    try:
        return {**Client(socket, timeout=glance.ANSWER_WITHIN).get("/v1/status"), "socket": socket}
    except errors.NotRunningError:
        return None


def held(environ: Mapping[str, str]) -> Holder | None:
    return holder(f"{paths.home_name(environ)}/{paths.LOCK}")


def wait(for_: Callable[[], Any], *, at_most: float, meanwhile: Callable[[], None] = lambda: None) -> Any:
    """The first true value of ``for_``, or None after ``at_most`` seconds."""
    end = time.monotonic() + at_most
    while not (found := for_()):
        if time.monotonic() >= end:
            return None
        meanwhile()
        time.sleep(POLL)
    return found


def wake(environ: Mapping[str, str], *arguments: str, at_most: float, meanwhile: Callable[[], None]) -> dict[str, Any]:
    """Spawn a daemon and return its status once it serves.

    A command that is at work under the lock is waited for. Raises AlreadyRunningError when another daemon won the race,
    once that one answers; LockedError when nothing serves in ``at_most`` seconds; else what the daemon died of.
    """
    log = paths.log_path(Path(paths.home_name(environ)))
    end = time.monotonic() + at_most
    while True:
        before = log.stat().st_size if log.exists() else 0
        child = spawn(environ, *arguments)
        status = wait(partial(_settled, environ, child), at_most=end - time.monotonic(), meanwhile=meanwhile)
        if isinstance(status, dict):
            if status.get("pid") != child.pid:
                raise already(status)
            status = wait(
                partial(_settled, environ, child, serving=True), at_most=end - time.monotonic(), meanwhile=meanwhile
            )
            if isinstance(status, dict):
                return status
        if status is None:
            raise errors.LockedError(
                f"muninn (pid {child.pid}) is still waking after {at_most:g} s", hint="it goes on; see: muninn status"
            )
        if child.wait() != RACE:
            raise _died(child.returncode, log, before)
        winner = wait(
            lambda: answering(environ) or held(environ) is None, at_most=end - time.monotonic(), meanwhile=meanwhile
        )
        if isinstance(winner, dict):
            raise already(winner)
        if winner is None or time.monotonic() >= end:
            raise errors.LockedError("another muninn holds the lock and does not answer yet", hint="see: muninn status")


def _settled(
    environ: Mapping[str, str], child: subprocess.Popen[bytes], *, serving: bool = False
) -> dict[str, Any] | bool:
    """The status of whoever answers (``serving``: and no longer says that it is waking), or whether the child has ended."""
    status = answering(environ)
    if status is not None and not (serving and status.get("state") == "waking"):
        return status
    return child.poll() is not None


def already(winner: Mapping[str, Any]) -> errors.AlreadyRunningError:
    state = str(winner.get("state", "awake")).replace("_", " ")
    return errors.AlreadyRunningError(f"already {state} (pid {winner.get('pid')}, socket {winner.get('socket')})")


def _died(code: int, log: Path, before: int) -> errors.MuninnError:
    with log.open("rb") as file:
        file.seek(before)
        said = [line for line in file.read(1 << 16).decode("utf-8", "replace").splitlines() if line.strip()]
    last = next(
        (line for line in reversed(said) if line.startswith("muninn: ")), said[-1] if said else "it said nothing"
    )
    error = errors.MuninnError(f"the daemon did not start: {last.removeprefix('muninn: ')}", hint=f"log: {log}")
    error.exit_code = code if 0 < code < 7 else 1
    return error


def sleep(environ: Mapping[str, str], *, at_most: float) -> int:
    """Ask the daemon to fall asleep and return its pid once the lock is free. Raises NotRunningError, LockedError."""
    status = answering(environ)
    keeper = held(environ)
    pid = int((status or {}).get("pid") or 0) or (keeper.pid if keeper is not None else 0)
    if keeper is None and status is None:
        raise errors.NotRunningError("already asleep", hint="wake it with: muninn start")
    if status is None and keeper is not None and not _is_daemon(keeper.pid):
        raise errors.LockedError(
            f"process {keeper.pid} holds the lock and is not the daemon", hint="let that command finish"
        )
    if not pid:
        raise errors.LockedError("the daemon does not say which process it is", hint="see: muninn status")
    try:
        os.kill(pid, signal.SIGTERM)
    except ProcessLookupError:
        pass
    except PermissionError:
        raise errors.MuninnError(f"not allowed to stop process {pid}", hint="it belongs to another user") from None
    gone = wait(lambda: held(environ) is None and answering(environ) is None, at_most=at_most)
    if gone is None:
        raise errors.LockedError(f"muninn (pid {pid}) is still falling asleep after {at_most:g} s")
    return pid


def _is_daemon(pid: int) -> bool:
    """Whether a process runs ``muninn.daemon``; believed where the system does not tell."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return True
    return b"muninn.daemon" in words
