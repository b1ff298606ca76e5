"""Association: links and neighbours in time lift what they lead to, within bounds."""

from __future__ import annotations

from dataclasses import replace

import pytest

from muninn.domain.records import Transaction
from muninn.recall.spreading import BESIDE
from tests.recall.conftest import World, days


def test_a_link_brings_in_what_matches_nothing(world: World) -> None:
    issue = world.remember("The checkout page times out under load")
    cause = world.remember("Connection pool limited to ten")
    world.link(issue, cause, "causes")
    hits = {hit.memory.id: hit for hit in world.recall("checkout page times out", explain=True).hits}
    assert hits[cause.id].score < hits[issue.id].score
    assert "causes" in hits[cause.id].why
    components = hits[cause.id].components
    assert components is not None
    assert components["path"] == [{"id": issue.id, "relation": "causes"}]


def test_a_link_explains_before_nearness_in_time_does(world: World) -> None:
    issue = world.remember("The checkout page times out under load")
    cause = world.remember("Checkout page waits for the connection pool")
    world.link(issue, cause, "causes", weight=0.3)
    hits = {hit.memory.id: hit for hit in world.recall("checkout page times out", explain=True).hits}
    assert f"is reached from {issue.id}" in hits[cause.id].why


def test_two_hops_lose_more_than_one(world: World) -> None:
    chain = [
        world.remember(text, at=world.clock.now() + days(n))
        for n, text in enumerate(("lantern oil", "brass cog", "wool scarf"))
    ]
    world.link(chain[0], chain[1])
    world.link(chain[1], chain[2])
    scores = [world.score(memory, "lantern oil") for memory in chain]
    assert scores[0] > scores[1] > scores[2]


def test_a_hub_passes_on_less(world: World) -> None:
    hub, quiet = (
        world.remember("the master index card"),
        world.remember("the second lantern", at=world.clock.now() + days(9)),
    )
    leaf = world.remember("plain twine", at=world.clock.now() + days(20))
    world.link(quiet, leaf)
    alone = world.score(leaf, "second lantern")
    leaves = [world.remember(f"plain item {n}", at=world.clock.now() + days(40 + n)) for n in range(40)]
    for other in leaves:
        world.link(hub, other)
    crowded = world.score(leaves[0], "master index card", limit=60)
    assert 0 <= crowded < alone


def test_spreading_does_not_leave_the_vaults_asked(world: World) -> None:
    world.apply(Transaction(vaults=(world.vault("other"),)))
    here = world.remember("the pump alarm sounded")
    there = world.remember("valve replaced", vault="other")
    world.link(here, there)
    assert there.id not in world.ids("pump alarm", vaults=("default",))
    assert there.id in world.ids("pump alarm")


def test_rejected_links_carry_nothing(world: World) -> None:
    one = world.remember("the pump alarm sounded")
    other = world.remember("valve replaced", at=world.clock.now() + days(3))
    link = world.link(one, other)
    world.apply(Transaction(links=(replace(link, rejected=True),)))
    assert other.id not in world.ids("pump alarm")


def test_a_neighbour_in_time_is_lifted_only_if_it_says_something_itself(world: World) -> None:
    far = world.remember("Luis: yes, the course was wonderful indeed", at=world.clock.now() - days(30))
    question = world.remember("Ana: did the ceramics course start?")
    reply = world.remember("Luis: yes, the course was wonderful")
    silent = world.remember("9 + 9 = 18")
    together = {hit.memory.id: hit.score for hit in world.recall("ceramics course").hits}
    assert silent.id not in together
    assert together[reply.id] > together.get(far.id, 0.0)
    assert together[question.id] > together[reply.id]


@pytest.mark.parametrize("share", BESIDE)
def test_shares_are_bounded(share: float) -> None:
    assert 0 < share < 0.5


def test_links_never_push_a_score_over_one(world: World) -> None:
    members = [world.remember(f"orbital period table {n}") for n in range(12)]
    for one in members:
        for other in members:
            if one is not other:
                world.link(one, other, "supports")
    assert all(hit.score <= 1.0 for hit in world.recall("orbital period table").hits)
