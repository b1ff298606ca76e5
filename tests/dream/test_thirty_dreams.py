"""Sixty days of use and thirty dreams, taken back in reverse: nothing is lost, and nothing remains of the dreams.

The judge is a twin: the same person does the same in a second world that never dreams. After all dreams are undone, the two
must be equal, byte for byte: rows, vectors and links. What a person edits between dreams may keep traces of them, and only
that; it is then listed as left alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from muninn.api.wire import link_document, memory_document
from muninn.domain.draft import Draft
from muninn.domain.memory import Memory, Provenance, State
from muninn.domain.trust import Tier
from muninn.ports import Query

if TYPE_CHECKING:
    from tests.dream.conftest import World

DREAMS = 30
HOMES = count()  # each example of a property lives in folders of its own
BY = Provenance(client="test")
VAULTS = ("default", "casa")
SUBJECTS = (
    "The staging server restarts every night because of the memory leak.",
    "El servidor de pruebas se reinicia cada noche por la fuga de memoria.",
    "Redis keeps the sessions. The queue lives in Postgres.",
    "El sello de la notaría está en la caja del FNMT, no en el despacho.",
    "The payments team deploys on Tuesday after the review meeting.",
    "La reunión semanal empieza a las 9:30 en la sala grande.",
    "Docker bridge networks cannot resolve the names of containers.",
    "Never force-push to the main branch without telling the others.",
    "El seguro de Norvento caduca el 30 de junio.",
    "结果保存在缓存里，每天清理一次。",
)
TITLES = ("Staging Server", "Notas de Redis", "Payments Team", "FNMT")
VARIANTS: tuple[Callable[[str, int], str], ...] = (
    lambda text, n: f"{text} Note {n}.",
    lambda text, n: text.upper() + "!" * n,
    lambda text, n: text.replace(" ", " " * (n % 5 + 2)),
    lambda text, n: text.lower().rstrip(".") + "." * (n % 4),
    lambda text, n: text.replace("9:30", f"10:{n % 60:02d}").replace("30", str(n)).replace("Tuesday", "Friday"),
    lambda text, n: text.replace("memory", "memroy").replace("memoria", "memroia").replace("meeting", "meetting"),
    lambda text, n: f"{text} See {TITLES[n % len(TITLES)]}.",
)

tells = st.tuples(
    st.just("tell"),
    st.integers(0, len(SUBJECTS) - 1),
    st.integers(0, len(VARIANTS) - 1),
    st.sampled_from((None, None, *TITLES)),
)
recalls = st.tuples(st.just("recall"), st.integers(0, len(SUBJECTS) - 1))
reads = st.tuples(st.just("read"), st.integers(0, 200))
links = st.tuples(
    st.just("link"), st.integers(0, 200), st.integers(0, 200), st.sampled_from(("causes", "depends_on", "part_of"))
)
naps = st.tuples(st.just("nap"))
edits = st.tuples(st.just("edit"), st.integers(0, 200), st.sampled_from(("content", "tags", "pinned")))
forgets = st.tuples(st.just("forget"), st.integers(0, 200))
again = st.tuples(st.just("again"), st.integers(0, 200))


def days(*actions: st.SearchStrategy[Any]) -> st.SearchStrategy[list[list[tuple[Any, ...]]]]:
    """What a person does before each of the dreams."""
    return st.lists(st.lists(st.one_of(*actions), max_size=6), min_size=DREAMS, max_size=DREAMS)


@dataclass
class Life:
    """One person in two worlds; ``edited`` are the memories they changed by hand after writing them."""

    world: World
    twin: World
    told: list[str] = field(default_factory=list)
    today: list[str] = field(default_factory=list)
    edited: set[str] = field(default_factory=set)
    dreams: list[str] = field(default_factory=list)

    def begin(self) -> None:
        for world in (self.world, self.twin):
            world.vault("casa")
            world.vault("legal", Tier.LEGAL)
        for number, text in enumerate(SUBJECTS):
            self.tell(number, 0, TITLES[number] if number < len(TITLES) else None)
            self._both(Draft(content=text, vault="legal"))
            self._both(Draft(content=text.upper(), vault="legal"))

    def tell(self, subject: int, variant: int, title: str | None) -> None:
        vault = VAULTS[subject % 3 == 2]
        content = VARIANTS[variant](SUBJECTS[subject], len(self.told))
        if any(memory.content == content for memory in self.twin.read.memories(vault)):
            return  # saying the same again is another matter: ``again``
        memory_id = self._both(Draft(content=content, vault=vault, title=title))
        self.told.append(memory_id)
        self.today.append(memory_id)

    def _both(self, draft: Draft) -> str:
        memory = self.world.service.remember(draft, by=BY).memory
        self.twin.service.remember(
            Draft(content=draft.content, vault=draft.vault, title=draft.title, id=memory.id), by=BY
        )
        return memory.id

    def act(self, name: str, *what: Any) -> None:
        getattr(self, name)(*what)

    def recall(self, subject: int) -> None:
        for world in (self.world, self.twin):
            world.service.recall(Query(text=SUBJECTS[subject], vaults=(VAULTS[subject % 3 == 2],), limit=4))

    def read(self, number: int) -> None:
        for world in (self.world, self.twin):
            world.service.look(self.told[number % len(self.told)])

    def link(self, one: int, other: int, relation: str) -> None:
        """Only between memories of today: a hand on a link that a dream moved would be an edit of the dream's work."""
        if not self.today:
            return
        ends = self.today[one % len(self.today)], self.today[other % len(self.today)]
        vaults = {self.twin.get(end).vault for end in ends}
        if ends[0] != ends[1] and len(vaults) == 1:
            for world in (self.world, self.twin):
                world.service.link(*ends, relation=relation, weight=0.9, by=BY)

    def nap(self) -> None:
        """The consolidation by day."""
        outcome = self.world.dreamer.consolidate()
        assert outcome is not None
        if outcome.records:
            self.dreams.append(outcome.dream_id)

    def edit(self, number: int, what: str) -> None:
        key = self.told[number % len(self.told)]
        memory = self.twin.get(key)
        change = {
            "content": f"{memory.content} (edited)",
            "tags": [*memory.tags, "edited"],
            "pinned": not memory.pinned,
        }
        for world in (self.world, self.twin):
            world.service.edit(key, {what: change[what]}, by=BY)
        self.edited.add(key)

    def forget(self, number: int) -> None:
        key = self.told[number % len(self.told)]
        for world in (self.world, self.twin):
            world.service.forget(key, by=BY)
        self.edited.add(key)

    def again(self, number: int) -> None:
        """Say something again: in the dreaming world that speaks to the memory it was merged into."""
        memory = self.twin.get(self.told[number % len(self.told)])
        for world in (self.world, self.twin):
            said = world.service.remember(Draft(content=memory.content, vault=memory.vault), by=BY)
            assert not said.created
            self.edited |= {memory.id, said.memory.id}

    def sleep(self) -> None:
        active = {vault: self.world.read.count(vault) for vault in VAULTS}
        outcome = self.world.dreamer.dream(force=True)
        assert outcome.status == "completed", outcome.report
        failed = [phase for phase in outcome.report["phases"] if phase["status"] == "failed"]
        assert not failed, failed
        self.dreams.append(outcome.dream_id)
        for vault, before in active.items():
            gone = before - self.world.read.count(vault)
            assert gone <= max(5, before // 10), f"{gone} of {before} archived in {vault}"
        second = self.world.dreamer.dream(force=True, dry_run=True)
        assert second.records == (), [one.operation for one in second.records]
        for world in (self.world, self.twin):
            world.sleep(days=2)
        self.today.clear()

    def check(self) -> None:
        """No memory lost, nothing unreachable, no text changed but by its person, the legal vault as it was."""
        assert self.world.read.count(active_only=False) == self.twin.read.count(active_only=False)
        for memory in self.twin.read.memories():
            mine = self.world.get(memory)
            assert mine.content == memory.content
            if mine.state is State.ARCHIVED:
                assert head(self.world, mine).id != mine.id
            if memory.vault == "legal":
                assert mine == memory
        for link in self.world.store.links():
            assert self.world.read.get(link.source)
            assert self.world.read.get(link.target)
            assert 0.0 <= link.weight <= 1.0

    def undo_all(self) -> set[str]:
        """Take every dream back, newest first; the ids that were left alone."""
        left: set[str] = set()
        for dream_id in reversed(self.dreams):
            rows: Any = self.world.dreamer.undo(dream_id)["left_alone"]
            left |= {row["id"] for row in rows}
        return left


def head(world: World, memory: Memory) -> Memory:
    return world.service.head(memory)


def lines(world: World) -> Mapping[str, bytes]:
    """Every memory with its vector and every link, as an export writes them."""
    encoder = msgspec.json.Encoder(order="sorted")
    rows = {
        memory.id: encoder.encode(memory_document(memory)) + (vector or b"")
        for memory, vector in world.store.memories()
    }
    return {**rows, **{" ".join(link.key): encoder.encode(link_document(link)) for link in world.store.links()}}


def lived(make_world: Callable[..., World], story: list[list[tuple[Any, ...]]]) -> Life:
    life = Life(make_world(name=f"world-{next(HOMES)}"), make_world(name=f"twin-{next(HOMES)}"))
    life.begin()
    for day in story:
        for action in day:
            life.act(*action)
        life.sleep()
        life.check()
    return life


SLOWLY = settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow,
    HealthCheck.data_too_large, HealthCheck.large_base_example],
)  # fmt: skip


@pytest.mark.slow
@SLOWLY
@given(story=days(tells, tells, recalls, reads, links, naps))
def test_thirty_dreams_taken_back_leave_no_trace(
    make_world: Callable[..., World], story: list[list[tuple[Any, ...]]]
) -> None:
    life = lived(make_world, story)
    assert life.undo_all() == set()
    assert lines(life.world) == lines(life.twin)


@pytest.mark.slow
@SLOWLY
@given(story=days(tells, tells, recalls, links, naps, edits, forgets, again))
def test_what_a_person_changed_between_dreams_is_all_that_may_differ(
    make_world: Callable[..., World], story: list[list[tuple[Any, ...]]]
) -> None:
    life = lived(make_world, story)
    left = life.undo_all()
    mine, theirs = lines(life.world), lines(life.twin)
    differing = {key for key in mine.keys() | theirs.keys() if mine.get(key) != theirs.get(key)}
    touched = {end for key in life.edited | left for end in key.replace(" -> ", " ").split()}
    assert not {key for key in differing if not touched & set(key.split())}


@pytest.mark.slow
def test_thirty_busy_days_do_dream_of_something(make_world: Callable[..., World]) -> None:
    """The property tests would be worth little if their dreams were empty."""
    story: list[list[tuple[Any, ...]]] = [
        [("tell", n % len(SUBJECTS), 1 + n % 5, None), ("recall", n % len(SUBJECTS)), ("tell", (n * 3) % 10, 6, None),
         ("link", 0, 1, "causes"), *([("nap",)] if n % 4 == 0 else [])]
        for n in range(DREAMS)
    ]  # fmt: skip
    life = lived(make_world, story)
    done = [one for dream_id in life.dreams for one in life.world.store.operations(dream_id) if one.applied]
    assert {"merge", "reinforce", "near_duplicates"} <= {one.op for one in done}
    assert lines(life.world) != lines(life.twin)
    assert life.undo_all() == set()
    assert lines(life.world) == lines(life.twin)


def test_three_days_awake_are_three_dreams(make_world: Callable[..., World]) -> None:
    """Consolidation every six hours neither opens nor closes the gate of the dream at half past four."""
    life = Life(make_world(name="awake-world"), make_world(name="awake-twin"))
    life.begin()
    world, dreams = life.world, []
    for hour in range(1, 73):
        world.sleep(hours=1)
        if hour % 8 == 0:
            for subject in range(3):
                life.tell(subject, 1 + hour // 8 % 5, None)
        if hour % 6 == 0:
            before = world.dreamer.gate()
            life.nap()
            assert world.dreamer.gate() == before
        if hour % 24 == 0:
            outcome = world.dreamer.dream_by_clock()
            assert outcome is not None
            dreams.append(outcome.dream_id)
            assert world.dreamer.dream_by_clock() is None, "the gate is closed behind it"
    assert len(dreams) == 3
    assert [one.id for one in world.service.dreams() if one.kind == "dream"] == dreams[::-1]
    assert not list(world.dreamer.warnings())
