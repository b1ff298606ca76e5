"""Likenesses of two vaults: each is put before a model once, in whichever dream has one that answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from muninn.domain.memory import content_hash
from muninn.domain.records import Transaction
from muninn.dream.phases.across import PAIRS
from muninn.errors import ProviderError
from muninn.llm.function import FunctionModels
from muninn.llm.prompts import BUDGET
from muninn.ports import Request
from tests.dream.test_model_phase import answering, ops

if TYPE_CHECKING:
    from tests.dream.conftest import World

CAUSE = "The k8s DNS timeout comes from conntrack exhaustion."
EVENT = "Conntrack exhaustion was the cause on March 21."
ELSEWHERE = "A third team met the same exhausted table in spring."

Pair = frozenset[str]


class Listener:
    """A model that suggests nothing and remembers which likenesses it was shown; ``refuses`` tells when it is silent."""

    def __init__(self) -> None:
        self.shown: list[Pair] = []
        self.refuses: Callable[[Request], bool] = lambda _: False
        answer = answering(self._seen)._function

        def complete(request: Request) -> str:
            if self.refuses(request):
                raise ProviderError("ollama does not answer")
            return answer(request)

        self.models = FunctionModels(complete)

    def _seen(self, data: dict[str, Any]) -> dict[str, Any]:
        across = [group["memories"] for group in data["groups"] if group["kind"] == "across"]
        self.shown.extend(frozenset(memory["content"] for memory in pair) for pair in across)
        return {}


@pytest.fixture
def listener() -> Listener:
    return Listener()


@pytest.fixture
def world(make_world: Callable[..., World], listener: Listener) -> World:
    """Two vaults with one likeness between them."""
    world = make_world(models=listener.models)
    world.tell(CAUSE, vault="work")
    world.tell(EVENT, vault="infra", vector=world.vector_of(CAUSE))
    return world


def without_model(world: World, _: Listener) -> None:
    world.dreamer.dream(force=True, llm=False)


def with_a_silent_model(world: World, listener: Listener) -> None:
    listener.refuses = lambda _: True
    world.dreamer.dream(force=True)
    listener.refuses = lambda _: False


def by_day(world: World, _: Listener) -> None:
    world.dreamer.consolidate()


@pytest.mark.parametrize("earlier", [without_model, with_a_silent_model, by_day])
def test_what_no_model_was_asked_about_is_asked_by_a_later_dream_once(
    world: World, listener: Listener, earlier: Callable[[World, Listener], None]
) -> None:
    earlier(world, listener)
    assert listener.shown == []
    world.dreamer.dream(force=True)
    assert listener.shown == [frozenset((CAUSE, EVENT))]
    for _ in range(2):
        world.sleep(hours=13)
        world.dreamer.dream(force=True)
    assert listener.shown == [frozenset((CAUSE, EVENT))]


def test_without_a_model_a_second_dream_does_and_notes_nothing(world: World) -> None:
    world.dreamer.dream(force=True, llm=False)
    before = {name: value for name, value in world.service.meta().items() if not name.startswith("dream.last")}
    again = world.dreamer.dream(force=True, llm=False)
    assert ops(again) == []
    assert before == {n: value for n, value in world.service.meta().items() if not n.startswith("dream.last")}


def test_more_likenesses_than_fit_one_dream_are_each_asked_once(world: World, listener: Listener) -> None:
    for number, direction in enumerate(np.eye(len(world.vector_of(CAUSE)))[: 3 * PAIRS]):
        world.tell(f"Subject {number} of the first team", vault="work", vector=direction)
        world.tell(f"Of {number} the second team tells", vault="infra", vector=direction)
    in_one = []
    for _ in range(6):
        before = len(listener.shown)
        assert ops(world.dreamer.dream(force=True)) == []
        in_one.append(len(listener.shown) - before)
        world.sleep(hours=13)
    assert max(in_one) <= 2 * PAIRS, "each of the two vaults asks about so many"
    assert len(listener.shown) == len(set(listener.shown)) == 3 * PAIRS + 1
    assert in_one[-1] == 0


def test_of_two_likenesses_only_the_one_that_failed_is_asked_again(world: World, listener: Listener) -> None:
    world.tell(ELSEWHERE, vault="zoo", vector=world.vector_of(CAUSE))
    listener.refuses = lambda request: "third team" in request.prompt
    world.dreamer.dream(force=True)
    answered = set(listener.shown)
    assert answered == {frozenset((CAUSE, EVENT))}
    listener.refuses = lambda _: False
    world.sleep(hours=13)
    world.dreamer.dream(force=True)
    assert len(listener.shown) == len(set(listener.shown)) == 3


def test_a_changed_text_is_asked_about_again(world: World, listener: Listener) -> None:
    world.dreamer.dream(force=True)
    event = next(memory for memory in world.read.memories() if memory.content == EVENT)
    changed = "Conntrack exhaustion was the cause in April, too."
    world.commit(Transaction(memories=(replace(event, content=changed, content_hash=content_hash(changed)),)))
    world.dreamer.dream(force=True)
    assert listener.shown == [frozenset((CAUSE, EVENT)), frozenset((CAUSE, changed))]


def test_undoing_a_dream_does_not_unask(world: World, listener: Listener) -> None:
    one = world.tell("The staging cluster runs in Frankfurt.", vault="work")
    world.use(one)
    outcome = world.dreamer.dream(force=True)
    assert ops(outcome) == ["reinforce"]
    world.dreamer.undo(outcome.dream_id)
    world.sleep(hours=13)
    world.dreamer.dream(force=True)
    assert listener.shown == [frozenset((CAUSE, EVENT))]


def test_undoing_a_dream_without_a_model_leaves_its_likenesses_to_be_asked(world: World, listener: Listener) -> None:
    world.use(world.tell("The staging cluster runs in Frankfurt.", vault="work"))
    outcome = world.dreamer.dream(force=True, llm=False)
    world.dreamer.undo(outcome.dream_id)
    world.dreamer.dream(force=True)
    assert listener.shown == [frozenset((CAUSE, EVENT))]


def test_a_plan_carried_out_later_has_asked(world: World, listener: Listener) -> None:
    plan = world.dreamer.dream(dry_run=True).document()["plan"]
    assert len(listener.shown) == 1
    world.dreamer.dream(plan=plan)  # type: ignore[arg-type]
    world.sleep(hours=13)
    world.dreamer.dream(force=True)
    assert len(listener.shown) == 1


def test_a_merge_does_not_make_a_likeness_new(world: World, listener: Listener) -> None:
    world.dreamer.dream(force=True)
    world.sleep(days=1)
    world.tell(CAUSE.upper(), vault="work", vector=world.vector_of(CAUSE))
    for _ in range(2):
        world.dreamer.dream(force=True)
        world.sleep(days=1)
    assert listener.shown == [frozenset((CAUSE, EVENT))]


def test_a_likeness_too_long_for_any_request_is_told_once(make_world: Callable[..., World], listener: Listener) -> None:
    world = make_world(models=listener.models)
    long = "conntrack " * BUDGET
    world.tell(long, vault="work")
    world.tell(long + "again", vault="infra", vector=world.vector_of(long))
    assert "was not asked about" in world.dreamer.dream(force=True).journal
    world.sleep(hours=13)
    world.dreamer.dream(force=True)
    assert "was not asked about" not in world.dreamer.dream(force=True).journal
