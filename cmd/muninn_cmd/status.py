"""``muninn status``, for command lines that the fast path does not know."""

from __future__ import annotations

from muninn_cmd import glance, render
from muninn_cmd.session import current


def status() -> None:
    """Counts, last dream and the reason why the next one may or may not run, in every state. Always exits 0."""
    document = glance.gather(current.environ)
    render.show(document, lambda: glance.describe(document))
