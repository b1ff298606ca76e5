"""The one place that prints: a result as one JSON document, or as text for a person.

Rules: with ``--json`` standard output carries that document and nothing else; progress and remarks go to standard error;
colour and progress bars appear only on a terminal that wants them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from muninn_cmd.session import current
from muninn_cmd.text import encode

__all__ = ["bold", "encode", "faint", "lively", "out", "progress", "remark", "show", "style"]


def show(document: object, text: Callable[[], str]) -> None:
    """Print ``document`` with ``--json``, otherwise what ``text`` makes of it."""
    out(encode(document) if current.as_json else text())


def out(text: str) -> None:
    line = text if text.endswith("\n") else text + "\n"
    try:
        sys.stdout.write(line)
    except UnicodeEncodeError:
        encoding = sys.stdout.encoding or "ascii"
        sys.stdout.write(line.encode(encoding, "backslashreplace").decode(encoding))
    sys.stdout.flush()


def remark(text: str) -> None:
    """A line for the person, beside the result; silent with ``--json``."""
    if not current.as_json:
        sys.stderr.write(text + "\n")
        sys.stderr.flush()


def style(text: str, *codes: int) -> str:
    """``text`` in the given SGR codes when standard output is a terminal that wants colour."""
    environ = current.environ
    wanted = sys.stdout.isatty() and not environ.get("NO_COLOR") and environ.get("TERM") != "dumb"
    return f"\x1b[{';'.join(map(str, codes))}m{text}\x1b[0m" if wanted and text else text


def bold(text: str) -> str:
    return style(text, 1)


def faint(text: str) -> str:
    return style(text, 2)


def lively() -> bool:
    """Whether standard error is a terminal that may be drawn on."""
    return sys.stderr.isatty() and not current.as_json and current.environ.get("TERM") != "dumb"


@contextmanager
def progress(label: str, length: int | None) -> Iterator[Callable[[int], None]]:
    """A bar on standard error that advances by the number given; nothing at all away from a terminal."""
    if not lively():
        yield lambda _steps: None
        return
    import typer

    with typer.progressbar(length=length or 0, label=label, file=sys.stderr, show_pos=True) as bar:
        yield bar.update
