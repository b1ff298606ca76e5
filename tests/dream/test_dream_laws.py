"""Laws of whole dreams under random lives: nothing lost, everything undoable in any order that does not overlap."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from muninn.domain.memory import STABILITY_CAP, STABILITY_FLOOR, State
from muninn.domain.trust import Tier

if TYPE_CHECKING:
    from tests.dream.conftest import World

SUBJECTS = ("redis", "el servidor", "docker", "la caché", "the invoice", "部署")
VALUES = ("8080", "8081", "30 s", "el lunes", "on Friday", "activo", "no activo")

steps = st.lists(
    st.one_of(
        st.tuples(st.just("tell"), st.integers(0, 5), st.integers(0, 6), st.booleans()),
        st.tuples(st.just("use"), st.integers(0, 30), st.integers(0, 30), st.booleans()),
        st.tuples(st.just("link"), st.integers(0, 30), st.integers(0, 30), st.booleans()),
        st.tuples(st.just("dream"), st.integers(0, 3), st.integers(0, 0), st.booleans()),
    ),
    min_size=4,
    max_size=25,
)


def live(world: World, script: list[tuple[str, int, int, bool]]) -> list[str]:
    """Play a life; returns the dreams in order."""
    told: list[Any] = []
    dreams: list[str] = []
    for verb, one, other, flag in script:
        match verb:
            case "tell":
                text = f"{SUBJECTS[one]}: {VALUES[other]}."
                told.append(world.tell(text.upper() if flag else text, relevance=0.9 if flag else 0.2))
            case "use" if told:
                world.use(*{memory.id: memory for memory in (told[one % len(told)], told[other % len(told)])}.values())
            case "link" if told and told[one % len(told)].id != told[other % len(told)].id:
                world.link(told[one % len(told)], told[other % len(told)], "causes" if flag else "mentions")
            case "dream":
                outcome = world.dreamer.dream(force=True) if flag else world.dreamer.consolidate()
                if outcome is not None and any(record.id == outcome.dream_id for record in world.service.dreams()):
                    dreams.append(outcome.dream_id)
                world.sleep(days=one + 0.6)
    return dreams


@pytest.mark.slow
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps, st.integers(0, 10**9))
def test_nothing_is_lost_and_bounds_hold(
    make_world: Callable[..., World], script: list[tuple[str, int, int, bool]], salt: int
) -> None:
    world = make_world(name=f"w{salt}-{len(script)}")
    live(world, script)
    memories = {memory.id: memory for memory in world.read.memories()}
    assert len(memories) == sum(verb == "tell" for verb, *_ in script)
    for memory in memories.values():
        assert STABILITY_FLOOR <= memory.stability <= STABILITY_CAP
        assert 0.0 <= memory.relevance <= 1.0
        if memory.state is State.ARCHIVED:
            assert memory.superseded_by in memories
    for link in world.store.links():
        assert link.source != link.target
        assert 0.0 < link.weight <= 1.0
        assert {link.source, link.target} <= memories.keys()
    first = world.dreamer.dream(force=True)
    assert first.status == "completed"
    assert world.dreamer.dream(force=True).records == (), "a second dream does nothing"


@pytest.mark.slow
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps, st.integers(0, 10**9))
def test_all_dreams_undone_in_reverse_leave_only_what_people_wrote(
    make_world: Callable[..., World], script: list[tuple[str, int, int, bool]], salt: int
) -> None:
    world = make_world(name=f"u{salt}-{len(script)}")
    plain = make_world(name=f"p{salt}-{len(script)}")
    dreams = live(world, script)
    live(plain, [step for step in script if step[0] in {"tell", "link"}])
    for dream_id in reversed(dreams):
        assert world.dreamer.undo(dream_id)["left_alone"] == []
    rows = {memory.content: memory for memory in world.read.memories()}
    bare = {memory.content: memory for memory in plain.read.memories()}
    assert rows.keys() == bare.keys()
    for memory in rows.values():
        assert (memory.state, memory.access_count, memory.merged_from) == (State.ACTIVE, 0, ())
        assert memory.stability == STABILITY_FLOOR
    assert len(list(world.store.links())) == len(list(plain.store.links()))


def test_dreams_of_different_vaults_are_undone_in_any_order(world: World) -> None:
    for vault in ("one", "two"):
        world.tell("The Docker bridge drops packets.", vault=vault)
        world.tell("the docker bridge drops packets", vault=vault)
    before = world.state()
    first = world.dreamer.dream(force=True, vault="one").dream_id
    second = world.dreamer.dream(force=True, vault="two").dream_id
    assert world.dreamer.undo(first)["left_alone"] == []
    assert world.dreamer.undo(second)["left_alone"] == []
    assert world.state() == before


def test_an_earlier_dream_that_a_later_one_built_on_leaves_that_alone(world: World) -> None:
    a = world.tell("The Docker bridge drops packets.")
    world.tell("the docker bridge drops packets")
    first = world.dreamer.dream(force=True).dream_id
    world.sleep(days=2)
    third = world.tell("THE DOCKER BRIDGE DROPS PACKETS!")
    world.dreamer.dream(force=True)
    assert not world.get(third).active
    left = world.dreamer.undo(first)["left_alone"]
    assert isinstance(left, list)
    assert [row["id"] for row in left] == [a.id]
    assert world.get(a).active


@pytest.mark.slow
@pytest.mark.parametrize("depth", [1, 2, 5, 16, 64])
def test_the_newest_value_answers_first_before_and_after_a_dream(world: World, depth: int) -> None:
    from muninn.ports import Query

    for number in range(depth):
        world.tell(f"The staging database listens on port {5400 + number}.")
        world.sleep(hours=2)
    newest = world.tell("The staging database listens on port 6000.")
    embedder = world.service.embedders.for_tier(Tier.PERSONAL)
    assert isinstance(embedder.passages(["x"], tier=Tier.PERSONAL, vault="default"), np.ndarray)
    query = Query(text="Which port does the staging database listen on?", reinforce=False)
    for _ in range(2):
        hits = world.read.recall(query, now=world.clock.now()).hits
        assert hits[0].memory.id == newest.id
        world.dreamer.dream(force=True)
