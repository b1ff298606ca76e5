"""``muninn restart``: stop, if it runs, then start."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated

import typer

from muninn.errors import NotRunningError
from muninn_cmd import lifecycle, render
from muninn_cmd.session import current
from muninn_cmd.start import text, wake


def restart(
    *,
    no_dream: Annotated[
        bool, typer.Option("--no-dream", help="Do not dream in between, even when a dream is due.")
    ] = False,
) -> None:
    """The memory sleeps in between, so it may dream: --no-dream wakes it at once."""
    from muninn.config import load

    load(current.environ)  # a daemon that runs is not stopped for one that cannot start
    with suppress(NotRunningError):
        lifecycle.sleep(current.environ, at_most=current.wait)
    status = wake(no_dream)
    render.show(status, lambda: text(status))
