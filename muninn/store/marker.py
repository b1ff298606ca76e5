"""The store marker: proof that a folder holds a muninn store, which schema it has and which embedders filled it.

A store is opened or created, never "opened or created": without a marker, a folder that holds tables is refused, so that
lost metadata cannot turn into an empty store over old data. A newer schema is refused untouched.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from muninn.atomic import write_atomically
from muninn.errors import StoreError, StoreNewerError

SCHEMA_VERSION = 1
_NAME = "store.json"
INTERRUPTED = ".restore."
"""How the folders beside the data begin that a restore from a backup works in; one with a manifest was not finished."""


@dataclass(frozen=True, slots=True)
class Marker:
    """``embedders``: tier group -> {"model", "dimensions"}. ``synced``: table -> newest version known to be on disk.
    ``complete`` is false from before the first table is made until the last one is.
    """

    schema: int = SCHEMA_VERSION
    format: str = "muninn"
    embedders: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    synced: Mapping[str, int] = field(default_factory=dict)
    complete: bool = True


def read_marker(data: Path) -> Marker | None:
    """The marker of a data folder, None for a folder without a store. Raises StoreError, StoreNewerError."""
    path = data / _NAME
    if not path.exists():
        if any(data.glob("*.lance")):
            raise StoreError(
                f"{data} holds tables but no {_NAME}, so nothing is created over them",
                hint="restore store.json from a backup (muninn backup restore), or move the folder away to start anew",
            )
        if any(data.parent.glob(f"{INTERRUPTED}*/manifest.json")):
            raise StoreError(
                f"restoring a backup to {data.parent} was interrupted, so no new store is made there",
                hint="restore again: muninn backup restore",
            )
        return None
    try:
        values = json.loads(path.read_text("utf-8"))
        marker = Marker(**values)
        version = int(marker.schema)
    except (OSError, ValueError, TypeError) as error:
        raise StoreError(
            f"{path} cannot be read: {error}", hint="restore it from a backup (muninn backup restore)"
        ) from None
    if version < 1:
        raise StoreError(f"{path} names schema {version}, which never was", hint="muninn backup restore")
    if version > SCHEMA_VERSION or marker.format != "muninn":
        raise StoreNewerError(
            f"{data} was written by a newer muninn (schema {version}, this one knows {SCHEMA_VERSION})",
            hint="upgrade muninn; nothing was changed",
        )
    return marker


def write_marker(data: Path, marker: Marker) -> None:
    write_atomically(data / _NAME, json.dumps(asdict(marker), indent=1, sort_keys=True) + "\n")


def with_synced(marker: Marker, versions: Mapping[str, int]) -> Marker:
    return replace(marker, synced=dict(versions), complete=True)
