"""How many files of a project import one of them: an index of import statements, kept in memory, built without a shell.

An answer takes at most its budget (50 ms). What does not fit goes on in the background; meanwhile an index that was whole a
few minutes ago answers, and without one the sense is silent. Modification times say what has to be read again.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Lock, Thread

from muninn.senses.imports import READ_LIMIT, SUFFIXES, imported_stems, stems_of

BUDGET = 0.05  # seconds per answer
BACKGROUND = 20.0  # seconds per background run
FRESH = 5.0  # seconds an index is taken as it is
RECENT = 600.0  # seconds it may answer while it is brought up to date
FILES = 30_000
FILE_BYTES = 1_000_000
PROJECTS = 8

_SKIPPED = frozenset(
    [
        "node_modules",
        "bower_components",
        "venv",
        "env",
        "__pycache__",
        "site-packages",
        "dist",
        "build",
        "out",
        "target",
        "vendor",
        "third_party",
        "coverage",
        "Pods",
        "DerivedData",
        "bin",
        "obj",
        "tmp",
    ]
)


class ImportIndex:
    """The imports of one project: path → (modification time, stems it imports). Not thread-safe on its own."""

    def __init__(self, root: Path, monotonic: Callable[[], float]) -> None:
        self._root = root
        self._monotonic = monotonic
        self._files: dict[str, tuple[int, frozenset[str]]] = {}
        self._importers: dict[str, set[str]] = {}
        self._module = ""
        self._walk: Iterator[tuple[str, int]] | None = None
        self._seen: set[str] = set()
        self._complete_at: float | None = None

    @property
    def recent(self) -> bool:
        """Whether it was up to date not long ago, so that it is nearly right while it is looked through again."""
        return self._complete_at is not None and self._monotonic() - self._complete_at < RECENT

    def refresh(self, deadline: float) -> bool:
        """Go on looking through the project until done or ``deadline`` (monotonic); True when the index is up to date."""
        if self._walk is None:
            if self._complete_at is not None and self._monotonic() - self._complete_at < FRESH:
                return True
            self._module = _go_module(self._root)
            self._walk, self._seen = _sources(self._root), set()
        for path, changed in self._walk:
            if len(self._seen) < FILES:
                self._seen.add(path)
                if self._files.get(path, (None,))[0] != changed:
                    self._read(path, changed)
            if self._monotonic() > deadline:
                return False
        for path in self._files.keys() - self._seen:
            self._drop(path)
        self._walk, self._complete_at = None, self._monotonic()
        return True

    def count(self, path: str) -> int:
        """Files other than ``path`` (relative to the root) that import it."""
        importers: set[str] = set().union(*(self._importers.get(stem, ()) for stem in stems_of(path)))
        own = _folder(path) if path.endswith(".go") else None
        return sum(name != path and _kin(name, path) and (own is None or _folder(name) != own) for name in importers)

    def _read(self, path: str, changed: int) -> None:
        self._drop(path)
        try:
            with (self._root / path).open("rb") as file:
                text = file.read(READ_LIMIT).decode("utf-8", "replace")
        except OSError:
            return
        stems = imported_stems(path, text, module=self._module)
        self._files[path] = (changed, stems)
        for stem in stems:
            self._importers.setdefault(stem, set()).add(path)

    def _drop(self, path: str) -> None:
        for stem in self._files.pop(path, (0, frozenset[str]()))[1]:
            importers = self._importers.get(stem)
            if importers is not None:
                importers.discard(path)
                if not importers:
                    del self._importers[stem]


class Dependants:
    """Indexes of the projects worked on lately. Thread-safe; one background thread at a time."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._indexes: dict[Path, ImportIndex] = {}
        self._lock = Lock()
        self._worker: Thread | None = None
        self._closed = False

    def close(self) -> None:
        """Stop looking; the background thread ends within one slice."""
        self._closed = True
        if self._worker is not None:
            self._worker.join(timeout=1.0)

    def count(self, project: Path, target: str) -> int | None:
        """How many files import ``target`` (a path as the tool was given it); None when that is not known in time."""
        deadline = self._monotonic() + BUDGET
        path = _relative(project, target)
        if path is None or not self._lock.acquire(timeout=BUDGET):
            return None
        try:
            index = self._indexes.pop(project, None) or ImportIndex(project, self._monotonic)
            self._indexes[project] = index
            while len(self._indexes) > PROJECTS:
                del self._indexes[next(iter(self._indexes))]
            if not index.refresh(deadline):
                self._continue(index)
                if not index.recent:
                    return None
            return index.count(path)
        finally:
            self._lock.release()

    def _continue(self, index: ImportIndex) -> None:
        """Let a background thread look through the rest, in slices so that answers can get in between."""
        if self._worker is not None and self._worker.is_alive():
            return

        def run() -> None:
            stop = self._monotonic() + BACKGROUND
            done = False
            while not (done or self._closed) and self._monotonic() < stop:
                with self._lock:
                    done = index.refresh(self._monotonic() + BUDGET / 5)

        self._worker = Thread(target=run, name="muninn-imports", daemon=True)
        self._worker.start()


def _relative(project: Path, target: str) -> str | None:
    """``target`` relative to the project, with ``/``; None when it lies outside or is no source file."""
    try:
        path = Path(target)
        if path.suffix.lower() not in SUFFIXES:
            return None
        inside = path if path.is_absolute() else project / path
        try:
            return inside.relative_to(project).as_posix()
        except ValueError:
            return inside.resolve().relative_to(project.resolve()).as_posix()
    except (OSError, ValueError, RuntimeError):
        return None


def _sources(root: Path) -> Iterator[tuple[str, int]]:
    """Source files under ``root`` with their modification times (ns); hidden and built folders and links are left out."""
    pending = [""]
    while pending:
        folder = pending.pop()
        try:
            entries = list(os.scandir(root / folder))
        except OSError:
            continue
        for entry in entries:
            name = f"{folder}/{entry.name}" if folder else entry.name
            try:
                if entry.is_dir(follow_symlinks=False):
                    if not entry.name.startswith(".") and entry.name not in _SKIPPED:
                        pending.append(name)
                elif entry.name[entry.name.rfind(".") :].lower() in SUFFIXES and entry.is_file(follow_symlinks=False):
                    status = entry.stat(follow_symlinks=False)
                    if status.st_size <= FILE_BYTES:
                        yield name, status.st_mtime_ns
            except OSError:
                continue


def _go_module(root: Path) -> str:
    try:
        lines = (root / "go.mod").read_text("utf-8", "replace")[:10_000].splitlines()
    except OSError:
        return ""
    return next((line.split()[1] for line in lines if line.startswith("module ") and len(line.split()) > 1), "")


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


_KIN = (
    frozenset((".py", ".pyi")),
    frozenset((".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts", ".vue", ".svelte", ".astro")),
    frozenset((".java", ".kt", ".kts", ".scala", ".groovy")),
    frozenset((".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".hh", ".hxx", ".m", ".mm")),
    frozenset((".css", ".scss", ".sass", ".less", ".vue", ".svelte", ".astro")),
    frozenset((".sh", ".bash")),
)


def _kin(importer: str, imported: str) -> bool:
    """Whether one language can import the other: ``router.py`` is not what ``./router`` in a script means."""
    a, b = importer[importer.rfind(".") :].lower(), imported[imported.rfind(".") :].lower()
    return a == b or any(a in family and b in family for family in _KIN) or (b in _KIN[4] and a in _KIN[1])
