"""Backups: a consistent, verified copy of the data folder and the journal, taken while running; unchanged files are linked.

A copy is ``<folder>/<time>/`` with ``data/``, the journals, the configuration and ``manifest.json`` (sizes and SHA-256).
LanceDB never changes a file once written, so a file that an earlier backup holds is hard-linked instead of copied.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from muninn import paths
from muninn.atomic import private_folder, write_atomically
from muninn.errors import MuninnError, StoreError, StoreFullError

if TYPE_CHECKING:
    from muninn.app import App

MANIFEST = "manifest.json"
_FILES = (paths.CONFIG, paths.JOURNAL, "dream.journal.jsonl")


def back_up(app: App, folder: str | None) -> dict[str, Any]:
    """Copy the store, read the copy back, drop the oldest beyond ``backup.keep``."""
    root = Path(folder or app.config.backup.folder or app.config.home / "backups").expanduser()
    if app.config.data in (root, *root.parents):
        raise MuninnError(f"{root} lies inside the store", hint="choose a folder elsewhere")
    try:
        private_folder(root)
        earlier = sorted(path for path in root.iterdir() if (path / MANIFEST).is_file())
        target = root / app.clock.now().strftime("%Y%m%dT%H%M%S%fZ")
        partial = private_folder(root / f".{target.name}.partial")
        with app.store.frozen():
            manifest, linked = _copy(app.config.home, partial, earlier[-1] if earlier else None)
        write_atomically(partial / MANIFEST, json.dumps({"files": manifest}, indent=1, sort_keys=True))
        partial.rename(target)
    except OSError as error:
        raise StoreFullError(
            f"cannot back up to {root}: {error.strerror}", hint="free space or choose another folder"
        ) from error
    verify(target)
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


def _copy(home: Path, target: Path, earlier: Path | None) -> tuple[dict[str, dict[str, Any]], int]:
    before = _manifest(earlier) if earlier else {}
    manifest: dict[str, dict[str, Any]] = {}
    linked = 0
    names = [name for name in _FILES if (home / name).is_file()]
    names += sorted(
        str(path.relative_to(home))
        for path in (home / paths.DATA).rglob("*")
        if path.is_file() and not path.is_symlink()
    )
    for name in names:
        source, copy = home / name, target / name
        copy.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        known = before.get(name)
        immutable = ".lance/" in name and not name.endswith("_hint.json")
        if earlier and known and immutable and known["size"] == source.stat().st_size:
            os.link(earlier / name, copy)
            linked += 1
        else:
            shutil.copyfile(source, copy, follow_symlinks=False)
            copy.chmod(0o600)
            with copy.open("rb") as file:
                os.fsync(file.fileno())
        manifest[name] = {"size": copy.stat().st_size, "sha256": _digest(copy)}
    return manifest, linked


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
    """Put a verified backup in place of ``home``'s data; returns where the present data was moved. The caller holds the lock."""
    verify(backup)
    private_folder(home)
    fresh = home / f".restore.{stamp}"
    shutil.copytree(backup, fresh)
    aside = None
    if (home / paths.DATA).exists():
        aside = home / f"data.before-restore.{stamp}"
        (home / paths.DATA).rename(aside)
    (fresh / paths.DATA).rename(home / paths.DATA)
    for name in _FILES[1:]:
        if (fresh / name).is_file():
            if (home / name).exists():
                (home / name).rename(home / f"{name}.before-restore.{stamp}")
            (fresh / name).rename(home / name)
    shutil.rmtree(fresh)
    return aside
