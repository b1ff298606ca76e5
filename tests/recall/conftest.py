"""A small world for recall tests: a resident model over the hashed embedder, a clock, and a store that keeps rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from muninn.config import Config
from muninn.domain.memory import Link, Memory, Origin, Provenance, Vault, content_hash
from muninn.domain.records import Decision, Transaction, Usage
from muninn.domain.trust import Tier
from muninn.embed.registry import Embedders
from muninn.errors import ProviderError
from muninn.ports import Answer, Calibration, Embedder, Query, Store
from muninn.recall.resident import ResidentModel
from muninn.testing import FakeClock


def embedders(model: str = "hashed") -> Embedders:
    config = Config(home=Path("/nonexistent"))
    return Embedders(replace(config, embed=replace(config.embed, model=model)))


class FailingEmbedder:
    """An embedder that is down."""

    model, dimensions, calibration, location = "hashed/1", 384, Calibration(), "in-process"

    def familiar(self, words: Sequence[str]) -> float | None:
        return None

    def capped(self, texts: Sequence[str]) -> tuple[bool, ...]:
        return (False,) * len(texts)

    def passages(self, texts: Any, *, tier: Tier, vault: str) -> Any:
        raise ProviderError("the embedder is down", hint="start it")

    def query(self, text: str, *, tier: Tier) -> Any:
        raise ProviderError("the embedder is down", hint="start it")

    def for_tier(self, tier: Tier) -> Embedder:
        return self

    def by_model(self, model: str) -> Embedder | None:
        return self


class Rows:
    """What a store says, from the transactions it was given: the part of ``ports.Store`` that a read model needs."""

    def __init__(self) -> None:
        self._memories: dict[str, Memory] = {}
        self._vectors: dict[str, bytes] = {}
        self._links: dict[Any, Link] = {}
        self._vaults: dict[str, Vault] = {}
        self._usage: dict[str, Usage] = {}
        self._decisions: dict[str, Decision] = {}

    def append(self, transaction: Transaction) -> None:
        self._memories.update({memory.id: memory for memory in transaction.memories})
        self._vectors.update(transaction.vectors)
        for memory in transaction.memories:
            if memory.embedding_model is None:
                self._vectors.pop(memory.id, None)
        for key in transaction.unlink:
            self._links.pop(key, None)
        self._links.update({link.key: link for link in transaction.links})
        self._vaults.update({vault.key: vault for vault in transaction.vaults})
        self._usage.update({usage.id: usage for usage in transaction.usage})
        self._decisions.update({decision.key: decision for decision in transaction.decisions})
        for memory_id in transaction.purge:
            self._memories.pop(memory_id, None)
            self._vectors.pop(memory_id, None)
            self._links = {k: v for k, v in self._links.items() if memory_id not in (k.source, k.target)}

    def memories(self) -> Iterator[tuple[Memory, bytes | None]]:
        return iter([(memory, self._vectors.get(key)) for key, memory in sorted(self._memories.items(), reverse=True)])

    def links(self) -> Iterator[Link]:
        return iter(self._links.values())

    def vaults(self) -> Iterator[Vault]:
        return iter(self._vaults.values())

    def usage(self, since: str = "") -> Iterator[Usage]:
        return iter(usage for key, usage in sorted(self._usage.items()) if key > since)

    def decisions(self) -> Iterator[Decision]:
        return iter(self._decisions.values())


class World:
    """Remembers into a resident model and a row store alike; time moves a minute with every memory."""

    def __init__(self, model: str = "hashed") -> None:
        self.embedders = embedders(model)
        self.clock = FakeClock()
        self.read = ResidentModel(self.embedders)
        self.rows = Rows()
        self._count = 0
        self.apply(Transaction(vaults=(self.vault("default"),)))

    def vault(self, name: str, tier: Tier = Tier.PERSONAL) -> Vault:
        return Vault(name=name, tier=tier, created_at=self.clock.now())

    def apply(self, transaction: Transaction) -> None:
        self.rows.append(transaction)
        self.read.apply(transaction)

    def memory(self, content: str, **fields: Any) -> Memory:
        self._count += 1
        self.clock.advance(seconds=60)
        at = fields.pop("at", self.clock.now())
        given: Mapping[str, Any] = {
            "id": f"{self._count:026d}", "vault": "default", "tier": Tier.PERSONAL, "title": content[:40],
            "title_derived": True, "created_at": at, "updated_at": at, "learned_at": at,
            "provenance": Provenance(client="test"), "embedding_model": self.embedders.default.model,
        }  # fmt: skip
        return Memory(**{**given, **fields, "content": content, "content_hash": content_hash(content)})

    def remember(self, content: str, **fields: Any) -> Memory:
        memory = self.memory(content, **fields)
        self.put(memory)
        return memory

    def put(self, *memories: Memory) -> None:
        embedded = [memory for memory in memories if memory.embedding_model]
        embedder = self.embedders.default
        rows = embedder.passages([memory.content for memory in embedded], tier=Tier.PERSONAL, vault="default")
        vectors = {memory.id: row.tobytes() for memory, row in zip(embedded, rows, strict=True)}
        self.apply(Transaction(memories=memories, vectors=vectors))

    def link(self, source: Memory, target: Memory, relation: str = "relates_to", weight: float = 1.0) -> Link:
        link = Link(
            source=source.id, target=target.id, relation=relation, vault=source.vault, weight=weight,
            origin=Origin.MANUAL, created_at=self.clock.now(),
        )  # fmt: skip
        self.apply(Transaction(links=(link,)))
        return link

    def supersede(self, old: Memory, new: Memory) -> None:
        closed = replace(old, state=type(old.state)("superseded"), superseded_by=new.id, valid_until=new.learned_at)
        self.apply(Transaction(memories=(closed,)))

    def recall(self, text: str, *, now: datetime | None = None, **query: Any) -> Answer:
        return self.read.recall(Query(text=text, reinforce=False, **query), now=now or self.clock.now())

    def ids(self, text: str, **query: Any) -> list[str]:
        return [hit.memory.id for hit in self.recall(text, **query).hits]

    def score(self, memory: Memory, text: str, **query: Any) -> float:
        """0 when the memory did not come back."""
        hits = self.recall(text, **query).hits
        return next((hit.score for hit in hits if hit.memory.id == memory.id), 0.0)

    def reloaded(self) -> ResidentModel:
        """What a fresh start would hold."""
        fresh = ResidentModel(self.embedders)
        store: Store = self.rows  # type: ignore[assignment]
        fresh.load(store)
        return fresh


@pytest.fixture
def world() -> World:
    return World()


def days(count: float) -> timedelta:
    return timedelta(days=count)
