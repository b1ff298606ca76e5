"""One suite for every store: the fake and the real one must not be told apart."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from muninn.config import StoreConfig
from muninn.domain.memory import Kind, Link, LinkKey, Memory, Origin, Provenance, State, Vault
from muninn.domain.records import (
    Decision,
    DreamRecord,
    Egress,
    OperationRecord,
    Suggestion,
    Transaction,
    Usage,
)
from muninn.domain.trust import Tier
from muninn.ports import Store
from muninn.store.lance import LanceStore
from muninn.testing import FakeClock, MemoryStore

NOW = FakeClock().now()


def memory(number: int, **changes: object) -> Memory:
    fields: dict[str, object] = {
        "id": f"m{number:04d}", "vault": "casa", "tier": Tier.PERSONAL, "title": f"Título {number}", "content": f"texto 文字 {number}",
        "content_hash": f"h{number}", "created_at": NOW, "updated_at": NOW, "learned_at": NOW,
        "provenance": Provenance(client="test", iteration=number), "embedding_model": "hashed/1",
    }  # fmt: skip
    return Memory(**{**fields, **changes})  # type: ignore[arg-type]


def vector(number: int) -> bytes:
    import numpy as np

    return np.full(8, number, dtype="<f4").tobytes()


@pytest.fixture(params=["memory", "lance", "lance checkpointed", "lance reopened"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[Transaction], Store]]:
    """A function that applies a transaction and returns a store to read it back from."""
    data = tmp_path / "data"
    opened: list[Store] = [MemoryStore() if request.param == "memory" else LanceStore(data, StoreConfig())]

    def applied(transaction: Transaction) -> Store:
        opened[0].wait(opened[0].append(transaction))
        if request.param == "lance checkpointed":
            opened[0].checkpoint()
        if request.param == "lance reopened":
            opened[0].close()
            opened[0] = LanceStore(data, StoreConfig())
        return opened[0]

    yield applied
    opened[0].close()


def test_everything_comes_back_as_it_was(store: Callable[[Transaction], Store]) -> None:
    link = Link(
        source="m0001",
        target="m0002",
        relation="mentions",
        vault="casa",
        weight=0.5,
        origin=Origin.AUTO,
        created_at=NOW,
        premises=("x",),
    )
    first = memory(
        1, kind=Kind.DECISION, tags=("á", "b"), metadata={"n": [1, {"k": None}]}, valid_from=NOW, last_accessed_at=NOW,
        access_count=3, pinned=True, state=State.SUPERSEDED, superseded_by="m0002", merged_from=("m0009",),
    )  # fmt: skip
    transaction = Transaction(
        memories=(first, memory(2, embedding_model=None)),
        vectors={"m0001": vector(1)},
        links=(link,),
        vaults=(Vault(name="Casa", tier=Tier.WORK, created_at=NOW),),
        usage=(Usage(id="u1", at=NOW, kind="recall", vaults=(), memories=("m0001",), activations=(0.5,), query="¿dónde?"),),
        dreams=(DreamRecord(id="d1", kind="dream", started_at=NOW, finished_at=NOW, status="completed", report={"a": 1}),),
        operations=(
            OperationRecord(dream_id="d1", seq=0, vault="casa", op="merge", operation={"ids": ["m0001"]}, applied=True, before=(first,),
                            before_vectors={"m0001": vector(1)}, before_links=((link.key, None), (link.key, link)), after={"m0001": "f"}),
        ),
        suggestions=(Suggestion(id="s1", source="a", source_vault="v", target="b", target_vault="w", relation="relates_to", reason="r", created_at=NOW),),
        decisions=(Decision(ids=("a", "b"), op="merge", verdict="distinct", fingerprints=("1", "2"), at=NOW, vault="casa"),),
        egress=(Egress(id="e1", at=NOW, vault="casa", tier="work", purpose="consolidate", provider="ollama", model="m", address="127.0.0.1:1",
                       allowed=True, reason="", bytes_out=1, bytes_in=2, content_hash="h"),),
        meta={"writes": "2"},
    )  # fmt: skip
    read = store(transaction)
    assert {m.id: (m, v) for m, v in read.memories()} == {
        "m0001": (first, vector(1)),
        "m0002": (memory(2, embedding_model=None), None),
    }
    assert list(read.links()) == list(transaction.links)
    assert list(read.vaults()) == list(transaction.vaults)
    assert list(read.usage()) == list(transaction.usage)
    assert list(read.usage("u1")) == []
    assert list(read.dreams()) == list(transaction.dreams)
    assert list(read.operations("d1")) == list(transaction.operations)
    assert list(read.operations("d2")) == []
    assert list(read.suggestions()) == list(transaction.suggestions)
    assert list(read.decisions()) == list(transaction.decisions)
    assert list(read.egress()) == list(read.egress(since="e0")) == list(transaction.egress)
    assert list(read.egress(since="e1")) == []
    assert read.meta() == {"writes": "2"}


def test_a_change_without_a_vector_keeps_the_vector(store: Callable[[Transaction], Store]) -> None:
    store(Transaction(memories=(memory(1),), vectors={"m0001": vector(1)}))
    changed = replace(memory(1), stability=20.0, updated_at=NOW + timedelta(days=1))
    read = store(Transaction(memories=(changed,)))
    assert list(read.memories()) == [(changed, vector(1))]


def test_links_and_memories_go_when_they_are_taken_away(store: Callable[[Transaction], Store]) -> None:
    link = Link(
        source="m0001", target="m0002", relation="x", vault="casa", weight=1.0, origin=Origin.MANUAL, created_at=NOW
    )
    other = replace(link, source="m0003", target="m0003")
    store(Transaction(memories=(memory(1), memory(2)), links=(link, other), vectors={"m0001": vector(1)}))
    store(Transaction(unlink=(other.key,)))
    read = store(Transaction(purge=("m0001",)))
    assert [m.id for m, _ in read.memories()] == ["m0002"]
    assert LinkKey("m0003", "m0003", "x") not in {one.key for one in read.links()}


def test_what_years_leave_behind_can_be_thinned_and_dropped(store: Callable[[Transaction], Store]) -> None:
    events = tuple(Usage(id=f"u{n}", at=NOW, kind="recall", vaults=("casa",), memories=("m0001", "m0002"), activations=(0.5, 0.4), query="¿?") for n in range(3))  # fmt: skip
    dreams = tuple(DreamRecord(id=f"d{n}", kind="dream", started_at=NOW, finished_at=NOW, status="completed") for n in range(2))  # fmt: skip
    operations = tuple(OperationRecord(dream_id="d0", seq=n, vault="casa", op="link", operation={}, applied=True) for n in range(3))  # fmt: skip
    store(Transaction(usage=events, dreams=dreams, operations=operations))
    slim = replace(events[1], memories=("m0002",), activations=(), query=None)
    gone = replace(events[0], memories=())
    read = store(Transaction(thinned=(gone, slim), drop_dreams=("d1",), drop_operations=("d0/000000", "d0/000002")))
    assert list(read.usage()) == [slim, events[2]]
    assert list(read.dreams()) == [dreams[0]]
    assert list(read.operations("d0")) == [operations[1]]


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.integers(0, 5), st.floats(14, 365), st.booleans()), max_size=12), st.data())
def test_the_real_store_agrees_with_the_fake(
    tmp_path_factory: pytest.TempPathFactory, writes: list[tuple[int, float, bool]], data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("agree") / "data"
    real, fake = LanceStore(folder, StoreConfig(durability="fast")), MemoryStore()
    for number, stability, with_vector in writes:
        row = memory(number, stability=stability)
        transaction = Transaction(
            memories=(row,), vectors={row.id: vector(number)} if with_vector else {}, meta={"last": row.id}
        )
        fake.append(transaction)
        real.append(transaction)
        if data.draw(st.booleans()):
            real.checkpoint()
        if data.draw(st.integers(0, 5)) == 0:
            real.close()
            real = LanceStore(folder, StoreConfig(durability="fast"))
    assert {m.id: (m, v) for m, v in real.memories()} == {m.id: (m, v) for m, v in fake.memories()}
    assert real.meta() == fake.meta()
    real.close()
