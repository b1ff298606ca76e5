"""A whole muninn in memory: real service, read model and dreamer over a store of dictionaries, with a clock on a string."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from muninn.config import Config
from muninn.domain.memory import Link, Memory, Origin, Provenance, Vault, content_hash
from muninn.domain.records import Transaction, Usage
from muninn.domain.trust import Tier
from muninn.dream.engine import Dreamer
from muninn.embed.registry import Embedders
from muninn.llm.models import LanguageModels
from muninn.ports import Answer, Query
from muninn.recall.resident import ResidentModel
from muninn.service import MemoryService
from muninn.testing import FakeClock, MemoryStore, SequentialIds

BY = Provenance(client="test")


@dataclass
class World:
    """``tell`` stores a text with a chosen direction; memories with one direction are alike as far as vectors say."""

    config: Config
    store: MemoryStore
    read: ResidentModel
    service: MemoryService
    clock: FakeClock
    ids: SequentialIds
    dreamer: Dreamer

    @property
    def model(self) -> str:
        return self.service.embedders.for_tier(Tier.PERSONAL).model

    def vault(self, name: str, tier: Tier = Tier.PERSONAL) -> Vault:
        vault = Vault(name=name, tier=tier, created_at=self.clock.now())
        self.commit(Transaction(vaults=(vault,)))
        return vault

    def tell(
        self, content: str, *, vault: str = "default", vector: np.ndarray | None = None, **fields: object
    ) -> Memory:
        """A memory with the embedding of its own text, or the given vector."""
        home = next((one for one in self.read.vaults() if one.name == vault), None) or self.vault(vault)
        now = self.clock.now()
        memory = Memory(
            id=self.ids.new(),
            vault=vault,
            tier=home.tier,
            title=str(fields.pop("title", content[:60])),
            title_derived="title" not in fields,
            content=content,
            content_hash=content_hash(content),
            created_at=now,
            updated_at=now,
            learned_at=now,
            provenance=BY,
            embedding_model=self.model,
        )
        memory = replace(memory, **fields)  # type: ignore[arg-type]
        if vector is None:
            vector = self.service.embedders.for_tier(home.tier).passages([content], tier=home.tier, vault=vault)[0]
        self.commit(
            Transaction(
                memories=(memory,),
                vectors={memory.id: np.asarray(vector, dtype="<f4").tobytes()},
                meta={"writes": str(self.service.writes + 1)},
            )
        )
        return memory

    def commit(self, transaction: Transaction) -> None:
        self.service._commit(transaction)

    def use(self, *memories: Memory, query: str | None = None, at: datetime | None = None) -> None:
        self.commit(
            Transaction(
                usage=(
                    Usage(
                        id=self.ids.new(),
                        at=at or self.clock.now(),
                        kind="recall",
                        vaults=(memories[0].vault,),
                        memories=tuple(memory.id for memory in memories),
                        activations=tuple(0.9 for _ in memories),
                        query=query,
                    ),
                )
            )
        )

    def link(self, source: Memory, target: Memory, relation: str = "causes", weight: float = 0.9) -> Link:
        link = Link(
            source=source.id, target=target.id, relation=relation, vault=source.vault, weight=weight,
            origin=Origin.MANUAL, created_at=self.clock.now(),
        )  # fmt: skip
        self.commit(Transaction(links=(link,)))
        return link

    def get(self, memory: Memory | str) -> Memory:
        found = self.read.get(memory if isinstance(memory, str) else memory.id)
        assert found is not None
        return found

    def vector_of(self, text: str) -> Any:
        """The direction of a text, for another that is to be like it."""
        embedder = self.service.embedders.for_tier(Tier.PERSONAL)
        return embedder.passages([text], tier=Tier.PERSONAL, vault="default")[0]

    def state(self) -> Mapping[str, object]:
        """Every row, vector and link, comparable."""
        return {
            "memories": {m.id: (m, vector) for m, vector in self.store.memories()},
            "links": {link.key: link for link in self.store.links()},
        }

    @contextmanager
    def losing(self, lost: Memory, *, without: Memory) -> Iterator[None]:
        """While it lasts, recall no longer finds one memory once the other is not active."""
        recall = self.read.recall

        def forgetful(query: Query, **options: Any) -> Answer:
            answer = recall(query, **options)
            if self.get(without).active:
                return answer
            return replace(answer, hits=tuple(hit for hit in answer.hits if hit.memory.id != lost.id))

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(self.read, "recall", forgetful)
            yield

    def sleep(self, **span: float) -> None:
        self.clock.advance(**span)

    def let_go_daily(self, *, days: int) -> None:
        """Days pass, and each sees the upkeep of a daemon that is awake."""
        for _ in range(days):
            self.sleep(days=1)
            self.dreamer.let_go()


def build_world(home: Path, *, models: LanguageModels | None = None, language: str = "en") -> World:
    config = Config(home=home)
    config = replace(
        config, embed=replace(config.embed, model="hashed"), journal=replace(config.journal, language=language)
    )
    config.data.mkdir(parents=True, exist_ok=True)
    store, clock, ids = MemoryStore(), FakeClock(), SequentialIds()
    embedders = Embedders(config)
    read = ResidentModel(embedders, config.recall)
    read.load(store)
    service = MemoryService(store=store, read=read, embedders=embedders, clock=clock, ids=ids, default_vault="default")
    dreamer = Dreamer(config, service=service, models=models, clock=clock, ids=ids)
    return World(config, store, read, service, clock, ids, dreamer)


@pytest.fixture
def world(tmp_path: Path) -> World:
    return build_world(tmp_path)


@pytest.fixture
def make_world(tmp_path: Path) -> Callable[..., World]:
    """A world with options, each in a folder of its own by ``name``."""

    def make(*, name: str = "home", models: LanguageModels | None = None, language: str = "en") -> World:
        return build_world(tmp_path / name, models=models, language=language)

    return make
