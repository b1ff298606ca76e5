"""Vectors of several embedding models in one store: each is compared with its own, the tier decides who is asked."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from muninn.domain.memory import Matrix
from muninn.domain.records import Transaction
from muninn.domain.trust import Tier
from muninn.embed.registry import Embedders
from muninn.errors import ProviderError
from muninn.ports import Calibration, Embedder, Query
from muninn.recall.resident import ResidentModel
from tests.recall.conftest import World, embedders

REMOTE = "remote/9"


class Remote:
    """A remote embedder: knows only that lamps and lanterns are one thing. Remembers which tiers it was asked under."""

    model, dimensions, calibration, location = REMOTE, 8, Calibration(), "remote"

    def __init__(self) -> None:
        self.asked: list[Tier] = []
        self.down = False

    def query(self, text: str, *, tier: Tier) -> Matrix:
        self.asked.append(tier)
        if self.down:
            raise ProviderError("remote is down")
        return self._rows([text])

    def familiar(self, words: Sequence[str]) -> float | None:
        return None

    def capped(self, texts: Sequence[str]) -> tuple[bool, ...]:
        return (False,) * len(texts)

    def passages(self, texts: Sequence[str], *, tier: Tier, vault: str) -> Matrix:
        return self._rows(texts)

    def _rows(self, texts: Sequence[str]) -> Matrix:
        axes = [0 if "lamp" in text or "lantern" in text else 1 + len(text) % 7 for text in texts]
        return np.eye(8, dtype=np.float32)[axes]


class Two:
    """The hashed embedder for legal text, the remote one for the rest."""

    def __init__(self, local: Embedders, remote: Remote) -> None:
        self.local, self.remote = local, remote

    def for_tier(self, tier: Tier) -> Embedder:
        return self.local.default if tier is Tier.LEGAL else self.remote

    def by_model(self, model: str) -> Embedder | None:
        return self.remote if model == REMOTE else self.local.by_model(model)


@pytest.fixture
def remote() -> Remote:
    return Remote()


@pytest.fixture
def both(remote: Remote) -> World:
    world = World()
    world.read = ResidentModel(Two(embedders(), remote))
    world.apply(Transaction(vaults=(world.vault("default", Tier.GLOBAL), world.vault("cases", Tier.LEGAL))))
    world.remember("the settlement sum is confidential", vault="cases", tier=Tier.LEGAL)
    shining = world.memory("a lantern hangs by the door", embedding_model=REMOTE)
    row = remote.passages([shining.content], tier=Tier.GLOBAL, vault="default")[0]
    world.apply(Transaction(memories=(shining,), vectors={shining.id: row.tobytes()}))
    return world


def test_each_vault_is_searched_with_its_own_model(both: World, remote: Remote) -> None:
    (hit,) = both.recall("lamp", vaults=("default",)).hits
    assert "lantern" in hit.memory.content
    assert remote.asked == [Tier.GLOBAL]
    assert both.recall("settlement sum", vaults=("cases",)).degraded is None
    assert remote.asked == [Tier.GLOBAL]


def test_a_search_over_a_legal_vault_asks_nobody_outside(both: World, remote: Remote) -> None:
    answer = both.recall("confidential settlement sum by the door")
    assert remote.asked == []
    assert {hit.memory.vault for hit in answer.hits} == {"cases", "default"}
    assert answer.degraded is not None
    assert "tier legal" in answer.degraded


def test_one_model_down_degrades_only_its_own_vectors(both: World, remote: Remote) -> None:
    remote.down = True
    answer = both.recall("lantern", vaults=("default",))
    assert answer.hits
    assert answer.degraded is not None
    assert "remote is down" in answer.degraded


def test_vectors_nobody_can_ask_are_said(both: World) -> None:
    lone = ResidentModel(embedders())
    lone.load(both.rows)  # type: ignore[arg-type]
    answer = lone.recall(Query(text="lantern", vaults=("default",)), now=both.clock.now())
    assert answer.hits
    assert "reembed" in (answer.degraded or "")


def test_a_vector_of_the_wrong_length_is_left_to_its_words(both: World) -> None:
    odd = both.memory("the odd one out wears a hat", embedding_model="hashed/1")
    both.apply(Transaction(memories=(odd,), vectors={odd.id: b"\0" * 12}))
    assert both.read.vector(odd.id) is None
    assert odd.id in both.read.pending_embeddings()
    assert both.ids("odd hat", vaults=("default",)) == [odd.id]
