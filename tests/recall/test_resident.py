"""The read model keeps in step with what is applied, and equals one that is loaded afresh."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from muninn.domain.memory import LinkKey, Memory, State
from muninn.domain.records import Transaction, Usage
from muninn.errors import NotFoundError
from muninn.ports import Query
from muninn.recall.resident import ResidentModel
from tests.recall.conftest import World


def test_memories_are_found_by_id_content_and_vault(world: World) -> None:
    one = world.remember("alpha")
    world.remember("beta")
    twin = world.remember("alpha")
    assert world.read.get(one.id) == one
    assert world.read.get("nobody") is None
    assert world.read.holders("DEFAULT", one.content_hash) == (one, twin)
    assert [memory.id for memory in world.read.memories("default")] == ["0" * 25 + str(n) for n in (1, 2, 3)]
    assert world.read.count() == 3
    assert world.read.count("default") == 3
    assert world.read.count("nowhere") == 0


def test_links_and_tombstones(world: World) -> None:
    one, other = world.remember("alpha"), world.remember("beta")
    link = world.link(one, other)
    assert world.read.links_of(one.id) == world.read.links_of(other.id) == (link,)
    rejected = replace(link, rejected=True)
    world.apply(Transaction(links=(rejected,)))
    assert world.read.links_of(one.id) == ()
    assert world.read.link(link.key) == rejected
    world.apply(Transaction(unlink=(link.key,)))
    assert world.read.link(link.key) is None
    assert world.read.link(LinkKey("a", "b", "c")) is None


def test_vectors_come_back_as_they_went_in(world: World) -> None:
    memory = world.remember("alpha")
    vector = world.read.vector(memory.id)
    expected = world.embedders.default.passages(["alpha"], tier=memory.tier, vault="default")[0]
    assert vector == expected.tobytes()
    world.apply(Transaction(memories=(replace(memory, relevance=0.9),)))
    assert world.read.vector(memory.id) == vector
    world.apply(Transaction(memories=(replace(memory, embedding_model=None),)))
    assert world.read.vector(memory.id) is None
    assert world.read.pending_embeddings() == (memory.id,)


def test_edited_text_is_found_and_the_old_is_not(world: World) -> None:
    memory = world.remember("the crane is yellow")
    world.put(replace(world.memory("the barge is green"), id=memory.id))
    assert world.ids("green barge") == [memory.id]
    assert world.ids("yellow crane") == []
    assert world.read.count() == 1


def test_a_memory_can_move_to_another_vault(world: World) -> None:
    world.apply(Transaction(vaults=(world.vault("other"),)))
    memory = world.remember("the crane is yellow")
    world.apply(Transaction(memories=(replace(memory, vault="other"),)))
    assert world.ids("yellow crane", vaults=("default",)) == []
    assert world.ids("yellow crane", vaults=("other",)) == [memory.id]
    assert world.read.holders("default", memory.content_hash) == ()
    assert world.read.snapshot("other").memories.keys() == {memory.id}


def test_purging_leaves_nothing(world: World) -> None:
    memory, other = world.remember("the crane is yellow"), world.remember("a barge")
    world.link(memory, other)
    world.apply(Transaction(purge=(memory.id,)))
    assert world.read.get(memory.id) is None
    assert world.read.links_of(other.id) == ()
    assert world.ids("yellow crane") == []
    assert world.read.count() == 1
    assert world.read.holders("default", memory.content_hash) == ()


def test_snapshots_are_whole_and_do_not_change(world: World) -> None:
    first = world.remember("alpha")
    gone = world.remember("beta")
    world.apply(Transaction(memories=(replace(gone, state=State.FORGOTTEN),)))
    snapshot = world.read.snapshot("default")
    before = snapshot.vectors[0].matrix.copy()
    assert set(snapshot.memories) == {first.id, gone.id}
    assert [memory.id for memory in snapshot.active()] == [first.id]
    world.put(replace(world.memory("gamma"), id=first.id))
    world.remember("delta")
    assert snapshot.memories[first.id].content == "alpha"
    assert len(snapshot.memories) == 2
    assert (snapshot.vectors[0].matrix == before).all()
    with pytest.raises(ValueError, match="read-only"):
        snapshot.vectors[0].matrix[0, 0] = 1.0


def test_a_snapshot_pairs_vectors_with_their_ids(world: World) -> None:
    world.apply(Transaction(vaults=(world.vault("other"),)))
    for number in range(10):
        world.remember(f"note {number} about {'abcdefghij'[number] * 5}", vault=("default", "other")[number % 2])
    for vault in ("default", "other"):
        (vectors,) = world.read.snapshot(vault).vectors
        for memory_id, row in zip(vectors.ids, vectors.matrix, strict=True):
            assert row.tobytes() == world.read.vector(memory_id)


def test_an_unknown_vault_has_no_snapshot(world: World) -> None:
    with pytest.raises(NotFoundError):
        world.read.snapshot("nowhere")


def test_neighbours_are_near_active_and_of_the_same_vault(world: World) -> None:
    world.apply(Transaction(vaults=(world.vault("other"),)))
    memory = world.remember("the crane on pier nine is yellow")
    near = world.remember("the crane on pier nine is yellowish")
    world.remember("a recipe for lentil soup")
    archived = world.remember("the crane on pier nine is yellow!")
    world.apply(Transaction(memories=(replace(archived, state=State.ARCHIVED),)))
    world.remember("the crane on pier nine is yellow.", vault="other")
    found = world.read.neighbours(memory.id, limit=5, minimum=0.5)
    assert [neighbour.memory.id for neighbour in found] == [near.id]
    assert 0.5 <= found[0].similarity <= 1.0
    assert world.read.neighbours("nobody", limit=5, minimum=0.0) == ()


def test_use_makes_a_memory_stronger_and_survives_a_restart(world: World) -> None:
    used, unused = world.remember("the blue valve sticks"), world.remember("the blue valve sticks a bit")
    world.clock.advance(days=60)
    for number in range(5):
        world.clock.advance(hours=1)
        usage = Usage(
            id=f"u{number}",
            at=world.clock.now(),
            kind="recall",
            vaults=("default",),
            memories=(used.id,),
            activations=(0.9,),
        )
        world.apply(Transaction(usage=(usage,)))
    strengths = {hit.memory.id: hit.strength for hit in world.recall("blue valve").hits}
    assert strengths[used.id] > strengths[unused.id]
    asked = Query(text="blue valve", explain=True)
    assert world.reloaded().recall(asked, now=world.clock.now()) == world.read.recall(asked, now=world.clock.now())


def test_many_changes_compact_without_a_trace(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("muninn.recall.holdings._SPARE", 8)
    memories = [world.remember(f"note {n} about {'abcdefghij'[n] * 4}") for n in range(10)]
    for round_ in range(6):
        for number, memory in enumerate(memories):
            world.put(
                replace(world.memory(f"note {number} turn {round_} about {'abcdefghij'[number] * 4}"), id=memory.id)
            )
    assert world.read._holdings.columns.count < 40
    for number, memory in enumerate(memories):
        assert world.ids(f"note about {'abcdefghij'[number] * 4} {number} turn 5")[0] == memory.id
    now = world.clock.now()
    for query in ("turn 5", "note 3", "dddd"):
        asked = Query(text=query)
        assert world.reloaded().recall(asked, now=now).hits == world.read.recall(asked, now=now).hits


class KeptInStep(RuleBasedStateMachine):
    """Whatever is applied, in whatever order: the kept model equals a loaded one."""

    WORDS = ("crane", "barge", "pier", "yellow", "azul", "muelle", "bridge", "5432")

    def __init__(self) -> None:
        super().__init__()
        self.world = World()
        self.world.apply(Transaction(vaults=(self.world.vault("other"),)))
        self.held: dict[str, Memory] = {}

    @rule(chosen=st.lists(st.sampled_from(WORDS), min_size=1, max_size=5), vault=st.sampled_from(("default", "other")))
    def remember(self, chosen: list[str], vault: str) -> None:
        memory = self.world.remember(" ".join(chosen), vault=vault)
        self.held[memory.id] = memory

    @precondition(lambda self: self.held)
    @rule(data=st.data(), chosen=st.lists(st.sampled_from(WORDS), min_size=1, max_size=5))
    def edit(self, data: st.DataObject, chosen: list[str]) -> None:
        memory = self.held[data.draw(st.sampled_from(sorted(self.held)))]
        edited = replace(self.world.memory(" ".join(chosen)), id=memory.id, vault=memory.vault)
        self.world.put(edited)
        self.held[memory.id] = edited

    @precondition(lambda self: self.held)
    @rule(data=st.data(), state=st.sampled_from(State), vault=st.sampled_from(("default", "other")))
    def change(self, data: st.DataObject, state: State, vault: str) -> None:
        memory = self.held[data.draw(st.sampled_from(sorted(self.held)))]
        changed = replace(memory, state=state, vault=vault, updated_at=self.world.clock.now())
        self.world.apply(Transaction(memories=(changed,)))
        self.held[memory.id] = changed

    @precondition(lambda self: len(self.held) > 1)
    @rule(data=st.data(), weight=st.floats(0, 1))
    def link(self, data: st.DataObject, weight: float) -> None:
        source, target = data.draw(st.lists(st.sampled_from(sorted(self.held)), min_size=2, max_size=2, unique=True))
        self.world.link(self.held[source], self.held[target], weight=weight)

    @precondition(lambda self: self.held)
    @rule(data=st.data())
    def purge(self, data: st.DataObject) -> None:
        memory_id = data.draw(st.sampled_from(sorted(self.held)))
        self.world.apply(Transaction(purge=(memory_id,)))
        del self.held[memory_id]

    @invariant()
    def kept_equals_loaded(self) -> None:
        kept, loaded, now = self.world.read, self.world.reloaded(), self.world.clock.now()
        assert list(kept.memories()) == list(loaded.memories()) == [self.held[i] for i in sorted(self.held)]
        for query in ("yellow crane", "muelle azul 5432"):
            asked = Query(text=query, include_archived=True, explain=True)
            assert kept.recall(asked, now=now) == loaded.recall(asked, now=now)
        for vault in ("default", "other"):
            one, other = kept.snapshot(vault), loaded.snapshot(vault)
            assert (one.memories, one.links) == (other.memories, other.links)
            assert {v.model: v.ids for v in one.vectors} == {v.model: v.ids for v in other.vectors}
            assert all(np.array_equal(a.matrix, b.matrix) for a, b in zip(one.vectors, other.vectors, strict=True))


TestKeptInStep = KeptInStep.TestCase
TestKeptInStep.settings = settings(max_examples=12, stateful_step_count=12, deadline=None)


def test_readers_see_a_transaction_whole_while_a_writer_writes(world: World) -> None:
    """Two memories always change together; no answer may hold the one without the other."""
    one, other = world.remember("gauge reading left 0"), world.remember("gauge reading right 0")
    failures: list[str] = []
    stop = threading.Event()
    now = world.clock.now() + timedelta(days=1)

    def read() -> None:
        while not stop.is_set():
            found = {
                hit.memory.id: hit.memory.tags
                for hit in world.read.recall(Query(text="gauge reading", limit=50), now=now).hits
            }
            if found.get(one.id) != found.get(other.id):
                failures.append(f"{found.get(one.id)} {found.get(other.id)}")
            world.read.snapshot("default")
            list(world.read.memories())

    readers = [threading.Thread(target=read) for _ in range(4)]
    for reader in readers:
        reader.start()
    for number in range(60):
        tags = (f"t{number}",)
        world.apply(Transaction(memories=(replace(one, tags=tags), replace(other, tags=tags))))
        world.remember(f"filler {number} gauge")
    stop.set()
    for reader in readers:
        reader.join()
    assert failures == []


def test_a_writer_is_not_starved(world: World) -> None:
    model: ResidentModel = world.read
    world.remember("gauge")
    stop = threading.Event()

    def read() -> None:
        while not stop.is_set():
            model.recall(Query(text="gauge"), now=world.clock.now())

    readers = [threading.Thread(target=read) for _ in range(4)]
    for reader in readers:
        reader.start()
    done = threading.Event()

    def write() -> None:
        for number in range(20):
            world.remember(f"gauge {number}")
        done.set()

    writer = threading.Thread(target=write)
    writer.start()
    assert done.wait(20)
    stop.set()
    for thread in (*readers, writer):
        thread.join()
