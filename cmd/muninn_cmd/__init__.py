"""The ``muninn`` command: one file per verb, parse → call → render.

Rule: start-up imports next to nothing. ``--version`` and a plain ``status`` answer before Typer is loaded; every other
verb loads Typer, its own file, and what that file names.
"""

from __future__ import annotations

import sys

__all__ = ["main"]


def main() -> int:
    """Run the command line of this process; returns its exit code."""
    import os

    arguments = sys.argv[1:]
    if arguments == ["--version"]:
        from muninn import __version__

        sys.stdout.write(f"muninn {__version__}\n")
        return 0
    if arguments in (["status"], ["status", "--json"]):
        from muninn_cmd.glance import run as glance

        return glance(os.environ, as_json=len(arguments) == 2)
    from muninn_cmd.app import run

    return run(arguments, os.environ)
