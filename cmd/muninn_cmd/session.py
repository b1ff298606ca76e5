"""What one run of the command was given: environment, and the options that every verb has. Set once by ``app.run``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

WAIT = 90.0  # seconds for a daemon that holds the lock and does not answer yet


@dataclass(slots=True)
class Session:
    environ: Mapping[str, str] = field(default_factory=dict)
    as_json: bool = False
    verbose: bool = False
    wait: float = WAIT


current = Session()


def begin(environ: Mapping[str, str]) -> Session:
    """A fresh session for one command line."""
    current.environ, current.as_json, current.verbose, current.wait = environ, False, False, WAIT
    return current
