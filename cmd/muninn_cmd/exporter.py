"""``muninn export``: every memory in every state as JSONL, in a fixed order, lossless."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from muninn_cmd import connect, files, render
from muninn_cmd.session import current
from muninn_cmd.text import count


def exporter(
    *,
    vault: Annotated[str, typer.Option(help="Only this vault.")] = "",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The file to write; else standard output.")
    ] = None,
    run: Annotated[str, typer.Option(metavar="ID", help="Only what this run wrote.")] = "",
) -> None:
    """A first line with the vaults and their tiers, then a memory a line with its links; the vectors are made again."""
    with connect.door() as door:
        lines = door.lines(connect.path_of("export", vault=vault, run=run))
        if output is None or output == files.STANDARD:
            _print(lines)
            return
        tally = _Tally(lines)
        size = files.write(output, tally)
    document = {"output": str(output), "memories": tally.memories, "bytes": size}
    render.show(document, lambda: f"Wrote {count(tally.memories, 'memory')} to {output}")


class _Tally:
    """Lines on their way to a file, counted; the first one is the header."""

    def __init__(self, lines: Iterator[bytes]) -> None:
        self._lines, self.memories = lines, -1

    def __iter__(self) -> Iterator[bytes]:
        for line in self._lines:
            self.memories += 1
            yield line + b"\n"
        self.memories = max(self.memories, 0)


def _print(lines: Iterator[bytes]) -> None:
    if current.as_json:
        header, *memories = [json.loads(line) for line in lines] or [{}]
        document: dict[str, Any] = {**header, "memories": memories}
        render.show(document, str)
        return
    for line in lines:
        sys.stdout.buffer.write(line + b"\n")
    sys.stdout.buffer.flush()
