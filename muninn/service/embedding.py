"""Vectors that came late: memories whose embedder was down, bulk imports that were acknowledged first, a changed model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from muninn.domain.memory import Memory
from muninn.domain.records import Transaction
from muninn.domain.trust import Tier
from muninn.embed.text import embedded_text
from muninn.service.writer import Writer


class Embedding(Writer):
    def embed_pending(self, *, limit: int) -> int:
        """Embed up to ``limit`` memories that wait for their vector; returns how many were. Raises ProviderError."""
        waiting = [m for m in map(self.read.get, self.read.pending_embeddings()[:limit]) if m is not None]
        done = 0
        for tier, vault in sorted({(m.tier, m.vault) for m in waiting}):
            now = (self.read.get(m.id) for m in waiting)  # a vault may have been closed while others were embedded
            group = [m for m in now if m is not None and (m.tier, m.vault) == (tier, vault)]
            if not group:
                continue
            embedder = self.embedders.for_tier(tier)
            matrix = embedder.passages([embedded_text(m) for m in group], tier=tier, vault=vault)
            done += self._store_vectors(group, [row.tobytes() for row in matrix], embedder.model)
        return done

    def _store_vectors(self, memories: Sequence[Memory], vectors: Sequence[bytes], model: str) -> int:
        """Keep each vector whose memory still says what was embedded, under the tier whose embedder made it."""
        with self._lock:
            rows, kept = [], {}
            for memory, vector in zip(memories, vectors, strict=True):
                current = self.read.get(memory.id)
                if current is None or current.tier is not memory.tier:
                    continue
                if embedded_text(current) == embedded_text(memory):
                    rows.append(replace(current, embedding_model=model))
                    kept[memory.id] = vector
            position = self._commit(Transaction(memories=tuple(rows), vectors=kept))
        self.store.wait(position)
        return len(rows)

    def foreign_models(self) -> dict[str, int]:
        """Models that hold vectors here although their tier is now served by another one -> how many memories."""
        serving = self._serving()
        counts: dict[str, int] = {}
        for memory in self.read.memories():
            model = memory.embedding_model
            if model is not None and model != serving[memory.tier]:
                counts[model] = counts.get(model, 0) + 1
        return counts

    def _serving(self) -> dict[Tier, str]:
        """The model that embeds for each tier."""
        return {tier: self.embedders.for_tier(tier).model for tier in Tier}

    def renew_embeddings(self) -> int:
        """Mark every vector of another model as pending, so that it is embedded again; returns how many."""
        serving = self._serving()
        with self._lock:
            rows = tuple(
                replace(memory, embedding_model=None)
                for memory in self.read.memories()
                if memory.embedding_model not in (None, serving[memory.tier])
            )
            if not rows:
                return 0
            position = self._commit(Transaction(memories=rows))
        self.store.wait(position)
        return len(rows)
