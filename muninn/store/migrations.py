"""Numbered steps from one schema version to the next: a list of named functions, applied in order, each at most once.

A step gets the LanceDB connection and may add columns or tables; it must be repeatable, because a crash between its
commit and the marker runs it again. A backup of the data folder is taken before the first step that runs.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from muninn.atomic import sync_folder
from muninn.errors import StoreFullError
from muninn.failpoints import failpoint
from muninn.store.marker import SCHEMA_VERSION, Marker, write_marker
from muninn.store.reserve import NAME as RESERVE
from muninn.store.tables import sync_filesystem

MIGRATIONS: tuple[Callable[[Any], None], ...] = ()
"""``MIGRATIONS[n]`` takes schema ``n + 1`` to ``n + 2``."""


def migrate(connection: Any, data: Path, marker: Marker) -> Marker:
    """Bring an older store to the current schema; returns the marker that now holds."""
    if marker.schema == SCHEMA_VERSION:
        return marker
    _copy_aside(data, data.with_name(f"{data.name}.schema{marker.schema}.bak"))
    for step in MIGRATIONS[marker.schema - 1 :]:
        step(connection)
        failpoint("migrate.stepped")
        sync_filesystem(data)
        marker = replace(marker, schema=marker.schema + 1)
        write_marker(data, marker)
    return marker


def _copy_aside(data: Path, copy: Path) -> None:
    """A whole copy of the store as it was, or none: the name is given when everything is there and on disk."""
    if copy.exists():
        return
    partial = copy.with_suffix(".partial")
    try:
        if partial.exists():
            shutil.rmtree(partial)
        failpoint("migrate.copy")
        shutil.copytree(data, partial, ignore=shutil.ignore_patterns(RESERVE))
        sync_filesystem(partial)
        partial.rename(copy)
        sync_folder(copy.parent)
    except OSError as error:
        shutil.rmtree(partial, ignore_errors=True)
        raise StoreFullError(
            f"the store cannot be copied before its upgrade: {(error.strerror or str(error)).lower()}",
            hint="free space; nothing was changed",
        ) from error
