"""Any order of remember, edit, forget, restore, link, dream, undo, recall, restart, crash and clock jumps, against a dictionary."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from muninn.config import Config, EmbedConfig, StoreConfig
from muninn.domain.draft import Draft
from muninn.domain.memory import Memory, Provenance
from muninn.dream.engine import Dreamer
from muninn.embed.registry import Embedders
from muninn.errors import ConflictError, GateClosedError, NotFoundError
from muninn.ports import Query, Store
from muninn.recall.resident import ResidentModel
from muninn.service import MemoryService
from muninn.store.lance import LanceStore
from muninn.testing import FakeClock, MemoryStore, SequentialIds

BY = Provenance(client="machine")
TEXTS = (
    "The staging API listens on port 8080.", "the staging API listens on port 8080", "The staging API listens on port 9090.",
    "La reunión semanal es los martes.", "la reunión semanal es los martes", "La reunión semanal no es los martes.",
    "Postgres 15 runs in production.", "The Kafka consumer lags behind.", "the kafka consumer lags behind!", "備忘録 the key rotates.",
)  # fmt: skip
TITLES = (None, None, None, "Kafka consumer", "reunión semanal")


class Machine(RuleBasedStateMachine):
    """``model``: id -> (content, state). What only a dream may change is taken from what it did, and checked."""

    make_store: Callable[[Path], Store]

    @initialize()
    def begin(self) -> None:
        self.home = Path(tempfile.mkdtemp(prefix="muninn-machine-"))
        self.config = Config(home=self.home, embed=EmbedConfig(model="hashed"), store=StoreConfig(reserve_mb=0))
        self.config.data.mkdir(parents=True)
        self.clock, self.ids = FakeClock(), SequentialIds()
        self.model: dict[str, tuple[str, str]] = {}
        self.pinned: set[str] = set()
        self.sealed: dict[str, Memory] = {}
        self.before_dream: Any = None
        self.store = self.make_store(self.config.data)
        self._open()
        for number in range(2):
            draft = Draft(content=f"Clause {number}; clause {number}.", vault="legal")
            memory = self.service.remember(draft, by=BY).memory
            self.model[memory.id] = (memory.content, "active")
            self.sealed[memory.id] = memory

    def _open(self) -> None:
        embedders = Embedders(self.config)
        self.read = ResidentModel(embedders, self.config.recall)
        self.read.load(self.store)
        self.service = MemoryService(
            store=self.store, read=self.read, embedders=embedders, clock=self.clock, ids=self.ids, default_vault="default"
        )  # fmt: skip
        self.dreamer = Dreamer(self.config, service=self.service, models=None, clock=self.clock, ids=self.ids)

    def teardown(self) -> None:
        if hasattr(self, "home"):
            self.store.close()
            shutil.rmtree(self.home, ignore_errors=True)

    def _pick(self, number: int) -> str:
        mine = sorted(set(self.model) - set(self.sealed))
        return mine[number % len(mine)] if mine else ""

    def _changed(self) -> None:
        self.before_dream = None

    @rule(
        text=st.sampled_from(TEXTS),
        title=st.sampled_from(TITLES),
        pinned=st.booleans(),
        vault=st.sampled_from(["default", "work"]),
    )
    def remember(self, text: str, title: str | None, pinned: bool, vault: str) -> None:
        made = self.service.remember(Draft(content=text, title=title, pinned=pinned, vault=vault), by=BY)
        assert made.memory.content == text
        assert made.created == (made.memory.id not in self.model)
        self.model[made.memory.id] = (text, "active")
        if made.memory.pinned:
            self.pinned.add(made.memory.id)
        for key, (content, state) in self.model.items():
            now = self.read.get(key)
            assert now is not None
            if now.state.value != state:  # an older value that was said again closes the later one
                assert now.superseded_by == made.memory.id
                self.model[key] = (content, now.state.value)
        self._changed()

    @precondition(lambda self: len(self.model) > 2)
    @rule(which=st.integers(0, 99), text=st.sampled_from(TEXTS))
    def edit(self, which: int, text: str) -> None:
        key = self._pick(which)
        try:
            memory = self.service.edit(key, {"content": text}, by=BY).memory
        except ConflictError:
            return
        self.model[key] = (memory.content, self.model[key][1])
        assert memory.content == text
        self._changed()

    @precondition(lambda self: len(self.model) > 2)
    @rule(which=st.integers(0, 99))
    def forget(self, which: int) -> None:
        key = self._pick(which)
        self.service.forget(key, by=BY)
        self.model[key] = (self.model[key][0], "forgotten")
        self._changed()

    @precondition(lambda self: len(self.model) > 2)
    @rule(which=st.integers(0, 99))
    def restore(self, which: int) -> None:
        key = self._pick(which)
        self.service.restore(key, by=BY)
        self.model[key] = (self.model[key][0], "active")
        self._changed()

    @precondition(lambda self: len(self.model) > 3)
    @rule(one=st.integers(0, 99), other=st.integers(0, 99))
    def link(self, one: int, other: int) -> None:
        source, target = self._pick(one), self._pick(other)
        ends = self.read.get(source), self.read.get(target)
        if source != target and ends[0] and ends[1] and ends[0].vault == ends[1].vault:
            self.service.link(source, target, relation="supports", weight=0.9, by=BY)
            self._changed()

    @rule(query=st.sampled_from(TEXTS))
    def recall(self, query: str) -> None:
        answer = self.service.recall(Query(text=query, vaults=("default",) if self._has("default") else ()))
        for hit in answer.hits:
            assert self.model[hit.memory.id][1] in ("active", "superseded")
        self._changed()

    def _has(self, vault: str) -> bool:
        return any(one.name == vault for one in self.read.vaults())

    @rule()
    def dream(self) -> None:
        state = self._state()
        outcome = self.dreamer.dream(force=True)
        for key, (content, before) in self.model.items():
            now = self.read.get(key)
            assert now is not None
            assert now.content == content
            if now.state.value != before:
                assert before == "active"
                assert key not in self.pinned
                assert key not in self.sealed
                assert now.superseded_by in self.model
                self.model[key] = (content, now.state.value)
        again = self.dreamer.dream(force=True)
        assert not [record for record in again.records if record.applied], "a second dream found something to do"
        self.before_dream = (outcome.dream_id, state)

    def _state(self) -> Any:
        links = {link.key: link for link in self.store.links()}
        return {memory.id: (memory, vector) for memory, vector in self.store.memories()}, links

    @precondition(lambda self: self.before_dream is not None)
    @rule()
    def undo_exactly(self) -> None:
        """Nothing happened since: every row and link is what it was."""
        dream_id, (memories, links) = self.before_dream
        for record in self.service.dreams():  # the idle one first
            if record.undone_at is None and record.id >= dream_id:
                self.dreamer.undo(record.id)
        now_memories, now_links = self._state()
        assert now_memories == memories
        assert now_links == links
        self.model = {key: (memory.content, memory.state.value) for key, (memory, _) in memories.items()}
        self._changed()

    @rule()
    def undo_last(self) -> None:
        """Whatever happened since: nothing is lost, and what a person wrote stays."""
        try:
            self.dreamer.undo()
        except NotFoundError:
            return
        for key, (content, _) in self.model.items():
            now = self.read.get(key)
            assert now is not None
            assert now.content == content
            self.model[key] = (content, now.state.value)
        self._changed()

    @rule(hours=st.sampled_from([0.1, 13.0, 24 * 40.0, -24 * 365.0, 24 * 3650.0]))
    def clock_jumps(self, hours: float) -> None:
        self.clock.advance(hours=hours)
        self._changed()
        try:
            self.dreamer.dream()
        except GateClosedError:
            return
        for key, (content, _) in self.model.items():
            now = self.read.get(key)
            assert now is not None
            self.model[key] = (content, now.state.value)

    @rule(clean=st.booleans())
    def restart(self, clean: bool) -> None:
        before = self._state()
        if isinstance(self.store, LanceStore):
            if clean:
                self.store.close()
            self.store = LanceStore(self.config.data, self.config.store)
        self._open()
        self.dreamer.recover()
        assert self._state() == before

    @invariant()
    def everything_is_there(self) -> None:
        if not hasattr(self, "model"):
            return
        found = {memory.id: (memory.content, memory.state.value) for memory in self.read.memories()}
        assert found == self.model
        for key, memory in self.sealed.items():
            assert self.read.get(key) == memory


def _run(name: str, make: Callable[[Path], Store], **bounds: Any) -> None:
    machine = type(name, (Machine,), {"make_store": staticmethod(make)})
    case = machine.TestCase  # type: ignore[attr-defined]
    case.settings = settings(deadline=None, suppress_health_check=list(HealthCheck), **bounds)
    case("runTest").runTest()


@pytest.mark.slow
def test_in_dictionaries() -> None:
    _run("InDictionaries", lambda _: MemoryStore(), max_examples=40, stateful_step_count=30)


@pytest.mark.slow
def test_on_disk() -> None:
    _run("OnDisk", lambda data: LanceStore(data, StoreConfig(reserve_mb=0)), max_examples=4, stateful_step_count=20)
