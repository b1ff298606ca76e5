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

from muninn.store.marker import SCHEMA_VERSION, Marker, write_marker

MIGRATIONS: tuple[Callable[[Any], None], ...] = ()
"""``MIGRATIONS[n]`` takes schema ``n + 1`` to ``n + 2``."""


def migrate(connection: Any, data: Path, marker: Marker) -> Marker:
    """Bring an older store to the current schema; returns the marker that now holds."""
    if marker.schema == SCHEMA_VERSION:
        return marker
    copy = data.with_name(f"{data.name}.schema{marker.schema}.bak")
    if not copy.exists():
        shutil.copytree(data, copy)
    for step in MIGRATIONS[marker.schema - 1 :]:
        step(connection)
        marker = replace(marker, schema=marker.schema + 1)
        write_marker(data, marker)
    return marker
