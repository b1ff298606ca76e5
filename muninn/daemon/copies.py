"""Which copies of the store lie around: backups, and stores that a restore or an upgrade set aside.

What is erased from the store may still be in them, so a purge names those that are not older than the memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from muninn import paths
from muninn.config import Config
from muninn.daemon.backup import MANIFEST


def copies_since(config: Config, at: datetime) -> tuple[Path, ...]:
    """The copies made at ``at`` or later, by path. Those in folders named only on a command line are not known here."""
    return tuple(path for path in sorted(_copies(config)) if path.lstat().st_mtime >= at.timestamp())


def _copies(config: Config) -> Iterator[Path]:
    for manifest in config.backup_folder.glob(f"*/{MANIFEST}"):
        yield manifest.parent
    for name in (f"{paths.DATA}.before-restore.*", f"{paths.DATA}.*.bak"):
        yield from (path for path in config.home.glob(name) if path.is_dir())
