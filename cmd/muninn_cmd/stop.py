"""``muninn stop``: ask the daemon to fall asleep and return when it has let go of everything."""

from __future__ import annotations

from muninn_cmd import lifecycle, render
from muninn_cmd.session import current


def stop() -> None:
    """What was written is on disk, and dream.due tells the next start that it may dream."""
    pid = lifecycle.sleep(current.environ, at_most=current.wait)
    render.show({"state": "asleep", "pid": pid, "stopped": True}, lambda: "muninn is asleep")
