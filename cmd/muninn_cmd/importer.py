"""``muninn import``: memories from files and other stores, in batches, with what was not understood reported by line.

Rules: files are read as a stream and sent in batches that fit a request; links to memories that come later are tried
again at the end; the same import twice adds nothing, so one that was interrupted is simply run again.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from muninn.errors import TooLargeError
from muninn_cmd import connect, render
from muninn_cmd.embedding import finish
from muninn_cmd.text import count, one_line

if TYPE_CHECKING:
    from muninn.importers import Importer, Row

BATCH_ROWS = 512
BATCH_BYTES = 2 << 20  # of text; vectors come on top
ROW_BYTES = 4 << 20  # more than any memory may have, and little enough to be sent and refused by name
LINK_ROWS = 2000
SHOWN = 20  # rejections printed; --json carries all of them


def importer(
    sources: Annotated[list[Path], typer.Argument(metavar="FILE…", help="Files or folders.")],
    *,
    vault: Annotated[str, typer.Option(help="Put everything into this vault.")] = "",
    format_: Annotated[str, typer.Option("--format", help="Which kind of source; else it is recognised.")] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Read and check everything, store nothing.")] = False,
    no_wait: Annotated[
        bool, typer.Option("--no-wait", help="Return before everything is embedded; recall goes by words meanwhile.")
    ] = False,
) -> None:
    """JSONL, CSV, Markdown and Obsidian folders, Claude memory folders, and exports of muninn, MuninnDB, mem0, basic-memory and others."""
    from muninn.importers import importer_for

    chosen = [(source, importer_for(source, format=format_)) for source in sources]
    total = Total(dry_run)
    with connect.door(read_only=dry_run) as door:
        for source, reader in chosen:
            _Stream(door, source, reader, total, vault).run()
        _late_links(door, total)
        if not no_wait and not dry_run:
            total.pending = finish(door)
    render.show(total.document(), total.text)
    if total.rejected and not total.imported and not total.duplicates:
        raise typer.Exit(1)


class _Stream:
    """One source on its way: rows collect until a batch is full."""

    def __init__(self, door: connect.Door, source: Path, reader: Importer, total: Total, vault: str) -> None:
        self.door, self.source, self.reader, self.total = door, source, reader, total
        self.rows: list[Row] = []
        self.bytes = 0
        self.vaults: list[dict[str, Any]] = []
        self.options: dict[str, Any] = {
            "exact": reader.exact,
            "dry_run": total.dry_run,
            **({"vault": vault} if vault else {}),
        }

    def run(self) -> None:
        from muninn.importers import Rejected, Remark, Row, Vaults

        with render.progress(f"reading {self.source.name}", _extent(self.source)) as advance:
            for item in self.reader.read(self.source):
                if isinstance(item, Row):
                    self._take(item, advance)
                elif isinstance(item, Rejected):
                    self.total.reject(self.source, item.source, item.line, item.why)
                elif isinstance(item, Remark):
                    self.total.remark(self.source, item.source, item.line, item.what)
                elif isinstance(item, Vaults):
                    self.vaults += item.vaults
            self._flush(advance)

    def _take(self, row: Row, advance: Callable[[int], None]) -> None:
        content = row.values.get("content")
        size = len(content) if isinstance(content, str) else 0
        if size > ROW_BYTES:
            self.total.reject(
                self.source, row.source, row.line, f"the text has {size} characters; at most 1 MiB is kept"
            )
            return
        if self.total.rehearsed(row, str(self.options.get("vault") or ""), exact=self.reader.exact):
            advance(1)
            return
        if self.rows and (len(self.rows) >= BATCH_ROWS or self.bytes + size > BATCH_BYTES):
            self._flush(advance)
        self.rows.append(row)
        self.bytes += size

    def _flush(self, advance: Callable[[int], None]) -> None:
        if not self.rows and not self.vaults:
            return
        rows, self.rows, self.bytes = self.rows, [], 0
        vaults, self.vaults = self.vaults, []
        self._send(rows, vaults)
        advance(len(rows))

    def _send(self, rows: list[Row], vaults: list[dict[str, Any]]) -> None:
        body = {"rows": [row.values for row in rows], "vaults": vaults, "first_line": 1, **self.options}
        try:
            answer = self.door.send("/v1/import", body)
        except TooLargeError as error:
            if len(rows) < 2:
                for row in rows:
                    self.total.reject(self.source, row.source, row.line, error.message)
                return
            self._send(rows[: len(rows) // 2], vaults)
            self._send(rows[len(rows) // 2 :], [])
            return
        self.total.add(answer, self.source, rows)


def _late_links(door: connect.Door, total: Total) -> None:
    """Links whose target came later than their source."""
    waiting, total.unresolved = total.unresolved, []
    for start in range(0, len(waiting), LINK_ROWS):
        total.add(door.send("/v1/import", {"rows": [], "links": waiting[start : start + LINK_ROWS]}), None, [])


def _extent(source: Path) -> int | None:
    """About how many rows there are: lines of a file, files of a folder."""
    if not render.lively():
        return None
    if source.is_dir():
        return sum(1 for path in source.rglob("*") if path.is_file())
    with source.open("rb") as file:
        return sum(piece.count(b"\n") for piece in iter(lambda: file.read(1 << 20), b""))


class Total:
    """What came of all batches."""

    def __init__(self, dry_run: bool) -> None:
        self.dry_run, self.imported, self.duplicates, self.links, self.pending = dry_run, 0, 0, 0, 0
        self.rejected: list[dict[str, Any]] = []
        self.remarks: list[dict[str, Any]] = []
        self.notes: list[str] = []
        self.unresolved: list[dict[str, Any]] = []
        self._seen: set[tuple[str, bytes]] = set()

    def rehearsed(self, row: Row, vault: str, *, exact: bool) -> bool:
        """Whether a dry run, which stores nothing that could be recognised, has seen this row before."""
        content = row.values.get("id") if exact else row.values.get("content")
        if not self.dry_run or not isinstance(content, str):
            return False
        name = vault or str(row.values.get("vault") or "")
        key = (name.casefold(), sha256(content.encode("utf-8", "surrogatepass")).digest())
        known = key in self._seen
        self.duplicates += known
        self._seen.add(key)
        return known

    def add(self, answer: dict[str, Any], source: Path | None, rows: list[Row]) -> None:
        self.imported += int(answer.get("imported") or 0)
        self.duplicates += int(answer.get("duplicates") or 0)
        self.links += int(answer.get("links") or 0)
        self.pending = int(answer.get("pending") or 0)
        self.unresolved += answer.get("unresolved_links") or ()
        self.notes += answer.get("notes") or ()
        for one in answer.get("rejected") or ():
            at = int(one.get("line") or 0)
            row = rows[at - 1] if 0 < at <= len(rows) else None
            self.reject(source, row.source if row else "", row.line if row else 0, str(one.get("why", "")))

    def reject(self, source: Path | None, inside: str, line: int, why: str) -> None:
        self.rejected.append({"file": _place(source, inside), "line": line, "why": why})

    def remark(self, source: Path | None, inside: str, line: int, what: str) -> None:
        self.remarks.append({"file": _place(source, inside), "line": line, "what": what})

    def document(self) -> dict[str, Any]:
        self._in_order()
        return {
            "imported": self.imported,
            "duplicates": self.duplicates,
            "links": self.links,
            "rejected": self.rejected,
            "remarks": self.remarks,
            "notes": self.notes,
            "unresolved_links": self.unresolved,
            "pending": self.pending,
            "dry_run": self.dry_run,
        }

    def _in_order(self) -> None:
        """By line within each file; what a reader refuses comes before what the service does."""
        files = {one["file"]: place for place, one in reversed(list(enumerate(self.rejected + self.remarks)))}
        for rows in (self.rejected, self.remarks):
            rows.sort(key=lambda one: (files[one["file"]], one["line"]))

    def text(self) -> str:
        self._in_order()
        done = "Would import" if self.dry_run else "Imported"
        parts = [f"{done} {count(self.imported, 'memory')}"]
        parts += [f"{count(self.duplicates, 'duplicate')} recognised"] if self.duplicates else []
        parts += [count(self.links, "link")] if self.links else []
        parts += [f"{count(self.pending, 'memory')} still to be embedded"] if self.pending else []
        lines = [", ".join(parts), *(f"  {one_line(note)}" for note in self.notes)]
        lines += _some("not understood", self.rejected, "why") + _some("note", self.remarks, "what")
        if self.unresolved:
            lead = "leads" if len(self.unresolved) == 1 else "lead"
            lines.append(f"  {count(len(self.unresolved), 'link')} {lead} to nothing that is here")
        return "\n".join(lines)


def _some(label: str, rows: list[dict[str, Any]], key: str) -> list[str]:
    lines = [f"  {label}: {one_line(one['file'])}:{one['line']}: {one_line(one[key], 120)}" for one in rows[:SHOWN]]
    more = len(rows) - SHOWN
    return lines + ([f"  … and {count(more, 'more', 'more')} (all of them: --json)"] if more > 0 else [])


def _place(source: Path | None, inside: str) -> str:
    if source is not None and inside == source.name and source.is_file():  # a note given by itself
        return str(source)
    return f"{source or ''}" + (f"/{inside}" if inside else "")
