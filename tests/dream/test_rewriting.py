"""A model may write over what models wrote, but not without an end: two levels, then a person must."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from muninn.domain.lineage import LEVELS, level_from, level_of, noted
from muninn.domain.memory import State
from muninn.dream.rulings import Rulings
from muninn.llm.function import FunctionModels
from muninn.ports import Request
from muninn.testing import FakeClock
from tests.fakes.llm_server import shown_groups
from tests.llm.conftest import memory

if TYPE_CHECKING:
    from tests.dream.conftest import World

FIRST = "The keys of the shed are in the drawer of the kitchen."
TELLINGS = (
    "In the drawer of the kitchen are the keys of the shed.",
    "The shed, its keys are in the drawer of the kitchen.",
    "In the kitchen, in the drawer, are the keys of the shed.",
    "The drawer of the kitchen is where the keys of the shed are.",
    "Keys of the shed: they are in the drawer of the kitchen.",
)


def writer() -> FunctionModels:
    """A model that merges every group, each time in words nobody used before."""
    tellings = iter(f"So it is: {text[0].lower()}{text[1:]}" for text in TELLINGS)

    def write(request: Request) -> str:
        rows = []
        for group in shown_groups(request.prompt):
            ids = [one["id"] for one in group["memories"]]
            rows.append({"ids": ids, "into": ids[0], "title": "", "text": next(tellings)})
        return json.dumps({"reasoning": "", "merge": rows})

    return FunctionModels(write)


def night(world: World, telling: str) -> str:
    world.tell(telling, vector=world.vector_of(FIRST))
    journal = world.dreamer.dream(force=True).journal
    world.sleep(days=2)
    return journal


def test_a_model_does_not_write_over_its_own_words_without_end(make_world: Callable[..., World]) -> None:
    world = make_world(models=writer())
    world.tell(FIRST)
    refused = [night(world, telling).count("written over already") for telling in TELLINGS[:3]]
    assert refused == [0] * LEVELS + [1]
    active = [one for one in world.read.memories() if one.active]
    archived = [one for one in world.read.memories() if one.state is State.ARCHIVED]
    assert (len(active), len(archived)) == (2, 2)
    assert {one.content for one in archived} == set(TELLINGS[:2]), "what was merged can still be read"


def test_words_that_a_person_gave_start_anew(make_world: Callable[..., World]) -> None:
    world = make_world(models=writer())
    first = world.tell(FIRST)
    for telling in TELLINGS[:2]:
        night(world, telling)
    world.service.edit(first.id, {"content": FIRST}, by=first.provenance)
    assert "written over" not in night(world, TELLINGS[0])
    assert len([one for one in world.read.memories() if one.active]) == 1


def test_whoever_undoes_a_dream_has_the_level_of_the_older_words_again(make_world: Callable[..., World]) -> None:
    world = make_world(models=writer())
    first = world.tell(FIRST)
    for telling in TELLINGS[:2]:
        night(world, telling)
    rulings = Rulings(world.service.decisions().values())
    assert rulings.level(world.service.require(first.id)) == LEVELS
    for level in (1, 0):
        world.dreamer.undo()
        rulings = Rulings(world.service.decisions().values())
        assert rulings.level(world.service.require(first.id)) == level


def test_the_level_is_that_of_the_highest_source_and_one() -> None:
    now = FakeClock().now()
    plain, written = memory("01A", "one"), memory("01B", "two")
    note = noted(written, 2, at=now, dream_id="D")
    assert [level_of(one, {note.key: note}) for one in (written, plain, replace(written, content_hash="9"))] == [
        2,
        0,
        0,
    ]
    assert level_from("three", [(plain, 0), (written, 2)]) == 3
    assert level_from("one", [(plain, 0), (written, 2)]) == 0, "the words of a source are not written by the model"
    assert level_from("two", [(plain, 0), (written, 2)]) == 2
