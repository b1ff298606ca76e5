"""MemoryService: the only way anything is written."""

from __future__ import annotations

from muninn.service.dreams import Dreams, UndoResult
from muninn.service.embedding import Embedding
from muninn.service.memories import Memories, Remembered

__all__ = ["MemoryService", "Remembered", "UndoResult"]


class MemoryService(Memories, Dreams, Embedding):
    """Memories, vaults, links, dreams and embeddings over one writer."""
