"""Which read model serves a store: everything in memory while it fits, the store's own indexes beyond."""

from __future__ import annotations

from muninn.config import RecallConfig
from muninn.errors import StoreFullError
from muninn.ports import ReadModel
from muninn.recall.question import Embedders
from muninn.recall.resident import ResidentModel
from muninn.recall.shelves import Searchable
from muninn.recall.spacious import SpaciousModel


def read_model(store: Searchable, embedders: Embedders, config: RecallConfig) -> ReadModel:
    """A loaded model. ``resident_limit``: memories up to which everything is held; 0: nothing ever is.

    Chosen once, at start. The indexes are made when a store is first too large; where nothing may be written (a dry
    run) or the disk is full, a store that has none is held in memory after all.
    """
    if config.resident_limit <= 0 or store.search().count() > config.resident_limit:
        spacious = SpaciousModel(embedders, config)
        try:
            if spacious.load(store):
                return spacious
        except StoreFullError:
            pass
    resident = ResidentModel(embedders, config)
    resident.load(store)
    return resident
