"""Backups: a consistent, verified copy of the data folder and the journal, taken while running; unchanged files are linked.

A copy is ``<folder>/<time>/`` with ``data/``, the journals, the configuration and ``manifest.json`` (sizes and SHA-256).
LanceDB never changes a file once written, so a file that an earlier backup holds is hard-linked instead of copied.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from muninn import paths
from muninn.atomic import private_folder, sync_folder, write_atomically
from muninn.errors import MuninnError, StoreError, StoreFullError
from muninn.failpoints import failpoint
from muninn.store.marker import INTERRUPTED
from muninn.store.reserve import NAME as RESERVE
from muninn.store.tables import sync_filesystem

if TYPE_CHECKING:
    from muninn.app import App

MANIFEST = "manifest.json"
_PARTIAL = ".partial"
_STAMP = re.compile(r"\d{8}T\d{6,12}Z")
_JOURNALS = ("dream.journal.md", "dream.journal.jsonl", "dream.journal.*Z.md", "dream.journal.*Z.jsonl")


def back_up(app: App, folder: str | None) -> dict[str, Any]:
    """Copy the store, read the copy back, drop the oldest beyond ``backup.keep``.

    No checkpoint runs meanwhile, and no other backup; writes go on in the log.
    """
    root = Path(folder or app.config.backup.folder or app.config.home / "backups").expanduser()
    if app.config.data in (root, *root.parents):
        raise MuninnError(f"{root} lies inside the store", hint="choose a folder elsewhere")
    try:
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
        with app.store.frozen():
            return _back_up(app, root)
    except OSError as error:
        raise StoreFullError(
            f"cannot back up to {root}: {(error.strerror or str(error)).lower()}",
            hint="free space or choose another folder",
        ) from error


def _back_up(app: App, root: Path) -> dict[str, Any]:
    earlier = sorted(path for path in root.iterdir() if _is_backup(path))
    target = root / app.clock.now().strftime("%Y%m%dT%H%M%S%fZ")
    for left_over in root.glob(f".*{_PARTIAL}"):
        shutil.rmtree(left_over)
    partial = private_folder(root / f".{target.name}{_PARTIAL}")
    try:
        manifest, linked = _copy(app.config.home, partial, earlier[-1] if earlier else None)
        write_atomically(partial / MANIFEST, json.dumps({"files": manifest}, indent=1, sort_keys=True))
        failpoint("backup.copied")
        verify(partial)
        sync_filesystem(partial)
        partial.rename(target)
        sync_folder(root)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise
    dropped = [path for path in [*earlier, target][: -app.config.backup.keep or None] if path != target]
    for path in dropped:
        shutil.rmtree(path)
    return {
        "folder": str(target),
        "files": len(manifest),
        "bytes": sum(entry["size"] for entry in manifest.values()),
        "linked": linked,
        "dropped": [path.name for path in dropped],
        "verified": True,
    }


def _is_backup(path: Path) -> bool:
    return bool(_STAMP.fullmatch(path.name)) and (path / MANIFEST).is_file()


def _copy(home: Path, target: Path, earlier: Path | None) -> tuple[dict[str, dict[str, Any]], int]:
    """What was copied, and how many files were linked to an earlier copy that still is what it was."""
    known = _manifest(earlier) if earlier else {}
    manifest: dict[str, dict[str, Any]] = {}
    linked = 0
    for name in _names(home):
        source, copy = home / name, target / name
        for parent in reversed(Path(name).parents):
            private_folder(target / parent)
        digest = _digest(source)
        immutable = ".lance/" in name and not name.endswith("_hint.json")
        if (
            earlier
            and immutable
            and known.get(name, {}).get("sha256") == digest
            and _link(earlier / name, copy, digest)
        ):
            linked += 1
        else:
            failpoint("backup.copy")
            shutil.copyfile(source, copy, follow_symlinks=False)
            copy.chmod(0o600)
            digest = digest if immutable else _digest(copy)  # the log and the journal may have grown since
        manifest[name] = {"size": copy.stat().st_size, "sha256": digest}
    return manifest, linked


def _names(home: Path) -> list[str]:
    """What a backup holds, by its place under the home: configuration, journals, the store."""
    journals = [path.name for pattern in _JOURNALS for path in home.glob(pattern)]
    tables = (path for path in (home / paths.DATA).rglob("*") if path.is_file() and not path.is_symlink())
    kept = (str(path.relative_to(home)) for path in tables if path.name != RESERVE and path.suffix != ".tmp")
    return [*(name for name in sorted([paths.CONFIG, *journals]) if (home / name).is_file()), *sorted(kept)]


def _link(source: Path, copy: Path, digest: str) -> bool:
    """Whether ``copy`` now is another name of ``source``; not where that is damaged, or where nothing can be linked."""
    try:
        if _digest(source) != digest:
            return False
        os.link(source, copy)
    except OSError:
        return False
    return True


def _manifest(backup: Path) -> dict[str, dict[str, Any]]:
    try:
        document = json.loads((backup / MANIFEST).read_text("utf-8"))
        return dict(document["files"])
    except (OSError, ValueError, KeyError, TypeError):
        raise StoreError(f"{backup} has no readable {MANIFEST}", hint="choose another backup") from None


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def verify(backup: Path) -> int:
    """Read a backup against its manifest; returns how many files agree. Raises StoreError naming the first that does not."""
    manifest = _manifest(backup)
    for name, entry in manifest.items():
        path = backup / name
        if not path.is_file() or _digest(path) != entry["sha256"]:
            raise StoreError(f"{path} differs from the manifest of the backup", hint="choose another backup")
    return len(manifest)


def restore(backup: Path, home: Path, *, stamp: str) -> Path | None:
    """Put a verified backup in place of ``home``'s data; returns where the present data was moved. The caller holds the lock.

    The copy is whole and on disk before anything is moved. A crash in between leaves ``.restore.*`` with a manifest, and
    a store that refuses to be made anew; restoring again finishes it.
    """
    verify(backup)
    private_folder(home)
    for left_over in home.glob(f"{INTERRUPTED}*"):
        shutil.rmtree(left_over)
    fresh = home / f"{INTERRUPTED}{stamp}"
    try:
        shutil.copytree(backup, fresh)
        verify(fresh)
        sync_filesystem(home)
    except OSError as error:
        shutil.rmtree(fresh, ignore_errors=True)
        reason = (getattr(error, "strerror", None) or "some files could not be copied").lower()
        raise StoreFullError(f"cannot restore to {home}: {reason}", hint="free space; nothing was changed") from error
    aside = None
    if (home / paths.DATA).exists():
        aside = home / f"data.before-restore.{stamp}"
        (home / paths.DATA).rename(aside)
        (aside / RESERVE).unlink(missing_ok=True)
    failpoint("restore.between")
    (fresh / paths.DATA).rename(home / paths.DATA)
    for file in sorted(fresh.glob("dream.journal*")):
        if (home / file.name).exists():
            (home / file.name).rename(home / f"{file.name}.before-restore.{stamp}")
        file.rename(home / file.name)
    shutil.rmtree(fresh)
    sync_folder(home)
    return aside
