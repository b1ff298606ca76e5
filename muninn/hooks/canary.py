"""One event through the real path: the installed command, the shell, the socket, the daemon, and back."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping

from muninn.hooks.service import CANARY

LIMIT = 10.0  # seconds


def sing(command: str, environ: Mapping[str, str], nonce: str) -> str | None:
    """Run a hook command as Claude Code would. None when the daemon's answer came back; otherwise why not, in one line."""
    event = json.dumps({"session_id": "muninn-canary", "hook_event_name": CANARY, "nonce": nonce})
    try:
        done = subprocess.run(
            ["/bin/sh", "-c", command], input=event.encode(), env=dict(environ), capture_output=True, timeout=LIMIT, check=False
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return f"the command did not end within {LIMIT:.0f} s"
    except OSError as error:
        return f"the command cannot be run: {error}"
    if done.returncode:
        return f"the command exits with {done.returncode}"
    if not done.stdout.strip():
        trouble = done.stderr.decode("utf-8", "replace").strip().splitlines()
        return (
            trouble[-1][:200] if trouble else "the daemon is not running, or serves another MUNINN_HOME (muninn start)"
        )
    try:
        answered = json.loads(done.stdout).get("nonce") == nonce
    except (ValueError, AttributeError):
        answered = False
    return None if answered else "something else than the daemon answered"
