"""What a person closes, erases or forgets while a dream is under way: from then on it is not sent, and nothing happens to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from muninn.domain.records import Transaction
from muninn.domain.trust import Tier
from muninn.llm.function import FunctionModels
from muninn.ports import Request
from tests.dream.conftest import BY
from tests.dream.test_model_phase import answering

if TYPE_CHECKING:
    from tests.dream.conftest import World

FOUR, FIVE = "Server alpha has 4 disks in the rack.", "Server alpha has 5 disks in the rack."
CASE = "The firm sues the maker of the rack."


def case_of(world: World) -> str:
    return next(one.id for one in world.read.memories("infra") if one.content == CASE)


def close(world: World) -> None:
    world.service.set_tier("infra", Tier.LEGAL, confirmed=True, by=BY)


def tighten(world: World) -> None:
    """Not to the strictest tier, but providers that might be asked before may not be asked now."""
    world.service.set_tier("infra", Tier.WORK, confirmed=True, by=BY)


def erase(world: World) -> None:
    world.service.purge(case_of(world), by=BY)


def forget(world: World) -> None:
    world.service.forget(case_of(world), by=BY)


@pytest.mark.parametrize("meanwhile", [close, tighten, erase, forget])
def test_what_was_closed_during_a_dream_is_not_sent(
    make_world: Callable[..., World], meanwhile: Callable[[World], None]
) -> None:
    sent: list[Request] = []
    answer = answering(lambda _: {})._function

    def complete(request: Request) -> str:
        sent.append(request)
        if len(sent) == 1:
            meanwhile(world)
        return answer(request)

    world = make_world(models=FunctionModels(complete))
    for name in ("infra", "work"):
        world.vault(name, Tier.GLOBAL)
    world.tell(FOUR, vault="work")
    world.tell(FIVE, vault="work")
    world.tell(CASE, vault="infra", vector=world.vector_of(FOUR))
    for number in range(3):
        world.tell(f"Lamp {number} hangs over desk {number}.", vault="infra")
    world.dreamer.dream(force=True)
    assert FOUR in sent[0].prompt, "the smaller vault comes first"
    tiers = {request.tier for request in sent if CASE in request.prompt}
    assert tiers == ({Tier.WORK} if meanwhile is tighten else set())


def test_nothing_happens_to_what_was_closed_after_it_was_read(make_world: Callable[..., World]) -> None:
    def decide(data: dict[str, Any]) -> dict[str, Any]:
        close(world)
        pairs = [group["memories"] for group in data["groups"] if group["kind"] == "across"]
        return {"suggest": [{"a": a["id"], "b": b["id"], "relation": "causes", "reason": "same"} for a, b in pairs]}

    world = make_world(models=answering(decide))
    world.tell(FOUR, vault="work")
    world.tell(CASE, vault="infra", vector=world.vector_of(FOUR))
    same = [world.tell(text, vault="infra") for text in ("The hearing is in May.", "the hearing is in may")]
    closed = {memory.id: replace(memory, tier=Tier.LEGAL) for memory in world.read.memories("infra")}
    outcome = world.dreamer.dream(force=True)
    assert {memory.id: memory for memory in world.read.memories("infra")} == closed
    assert [one.op for one in outcome.records if one.applied and {key.id for key in same} & set(one.after)] == []
    assert world.service.suggestions() == ()
    assert CASE not in outcome.journal


def test_what_was_closed_while_others_were_embedded_waits_for_the_embedder_of_its_new_tier(
    make_world: Callable[..., World],
) -> None:
    world = make_world()
    for vault, text in (("infra", CASE), ("archive", FOUR)):
        memory = world.tell(text, vault=vault)
        world.commit(Transaction(memories=(replace(memory, embedding_model=None),)))
    asked: list[tuple[Tier, str]] = []
    embedder = world.service.embedders.for_tier(Tier.PERSONAL)
    passages = embedder.passages

    def embed(texts: Any, *, tier: Tier, vault: str) -> Any:
        asked.extend((tier, text) for text in texts)
        close(world)
        return passages(texts, tier=tier, vault=vault)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(embedder, "passages", embed)
        while world.service.embed_pending(limit=10):
            pass
    assert asked == [(Tier.PERSONAL, FOUR), (Tier.LEGAL, CASE)]
