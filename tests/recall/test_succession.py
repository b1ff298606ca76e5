"""Who goes first among memories about the same thing: successors, the newest, conflicts; and what was so at a time."""

from __future__ import annotations

from dataclasses import replace

import pytest

from muninn.domain.memory import State
from muninn.domain.records import Decision, Transaction
from tests.recall.conftest import World, days


def test_a_replaced_fact_stands_behind_its_successor_and_names_it(world: World) -> None:
    old = world.remember("The API endpoint is api.old.example")
    new = world.remember("From now on call the gateway at gw.example for the API endpoint")
    world.supersede(old, new)
    hits = world.recall("what is the API endpoint").hits
    assert [hit.memory.id for hit in hits[:2]] == [new.id, old.id]
    assert hits[1].superseded_by == new.id
    assert new.id in hits[1].why


def test_a_successor_is_brought_in_even_if_it_matches_nothing(world: World) -> None:
    old = world.remember("The wifi password of the guest network is tulip")
    new = world.remember("Ask the front desk instead")
    for number in range(40):
        world.remember(f"guest network visitors log {number}")
    world.supersede(old, new)
    found = world.ids("wifi password of the guest network", limit=5)
    assert found[:2] == [new.id, old.id]


def test_chains_of_successors_keep_their_order(world: World) -> None:
    one = world.remember("The standup is at nine")
    two = world.remember("The standup is at ten")
    three = world.remember("Standups moved to the afternoon")
    world.supersede(one, two)
    world.supersede(two, three)
    assert world.ids("when is the standup")[:3] == [three.id, two.id, one.id]


def test_a_circle_of_successors_ends(world: World) -> None:
    one = world.remember("red lamp on the left")
    two = world.remember("red lamp on the right")
    world.supersede(one, two)
    world.supersede(two, one)
    assert set(world.ids("red lamp")) == {one.id, two.id}


@pytest.mark.parametrize(
    ("older", "newer", "query"),
    [
        ("My favourite colour is purple", "My favourite colour is cyan", "what is my favourite colour"),
        (
            "The shade I like best is something like teal",
            "The shade I like best is amber",
            "Which shade do I like best?",
        ),
        ("El límite de la tarjeta es de 100 euros", "El límite de la tarjeta es de 500 euros", "límite de la tarjeta"),
    ],
)
def test_the_newest_of_near_identical_memories_wins(world: World, older: str, newer: str, query: str) -> None:
    first = world.remember(older)
    second = world.remember(newer)
    assert world.ids(query)[:2] == [second.id, first.id]


def test_a_newer_memory_on_the_same_page_does_not_pass_the_one_that_answers(world: World) -> None:
    """All that the two share of the query is “checkout”; “times” and “out” weigh little, but one of them holds both."""
    answer = world.remember("The checkout page times out under load")
    other = world.remember("Checkout page waits for the connection pool")
    assert world.ids("checkout page times out")[:2] == [answer.id, other.id]


def test_newest_means_last_asserted(world: World) -> None:
    first = world.remember("My favourite colour is purple")
    second = world.remember("My favourite colour is cyan")
    world.put(replace(first, learned_at=world.clock.now() + days(1)))
    world.clock.advance(days=2)
    assert world.ids("what is my favourite colour")[:2] == [first.id, second.id]


def test_a_query_that_names_the_value_gets_that_value(world: World) -> None:
    first = world.remember("The door code of building seven is 4410")
    world.remember("The door code of building eight is 9921")
    assert world.ids("door code of building seven")[0] == first.id


def test_conflicts_are_shown_on_both_sides(world: World) -> None:
    one = world.remember("Deploys happen on Monday mornings")
    two = world.remember("Nobody deploys before Wednesday")
    world.link(one, two, "contradicts")
    hits = {hit.memory.id: hit for hit in world.recall("when do deploys happen").hits}
    assert hits[one.id].conflicts_with == (two.id,)


def test_a_conflict_that_a_dream_noted_is_shown_until_withdrawn(world: World) -> None:
    one = world.remember("The lease ends in June")
    two = world.remember("The lease ends in August")
    decision = Decision(
        ids=(one.id, two.id), op="supersede", verdict="conflict", fingerprints=(one.fingerprint, two.fingerprint),
        at=world.clock.now(), vault="default",
    )  # fmt: skip
    world.apply(Transaction(decisions=(decision,)))
    assert world.recall("when does the lease end").hits[0].conflicts_with
    world.apply(Transaction(decisions=(replace(decision, withdrawn=True),)))
    assert not world.recall("when does the lease end").hits[0].conflicts_with


def test_as_of_shows_what_was_current_then(world: World) -> None:
    start = world.clock.now()
    old = world.remember("The office is on Elm Street")
    world.clock.advance(days=10)
    new = world.remember("The office is on Oak Avenue")
    world.supersede(old, new)
    world.clock.advance(days=10)
    assert world.ids("where is the office", as_of=start + days(5)) == [old.id]
    assert world.ids("where is the office", as_of=start + days(15)) == [new.id]
    assert world.ids("where is the office", as_of=start - days(1)) == []


def test_as_of_before_a_merge_shows_what_was_merged_away(world: World) -> None:
    start = world.clock.now()
    survivor = world.remember("Docker uses the bridge network by default")
    loser = world.remember("By default docker uses a bridge network")
    world.clock.advance(days=10)
    merged = replace(loser, state=State.ARCHIVED, superseded_by=survivor.id, updated_at=world.clock.now())
    world.apply(Transaction(memories=(merged, replace(survivor, merged_from=(loser.id,)))))
    world.clock.advance(days=1)
    assert set(world.ids("docker bridge network", as_of=start + days(5))) == {survivor.id, loser.id}
    assert world.ids("docker bridge network") == [survivor.id]


def test_as_of_after_a_value_came_back(world: World) -> None:
    start = world.clock.now()
    first = world.remember("The build runs on machine alpha")
    world.clock.advance(days=10)
    second = world.remember("The build runs on machine beta")
    world.supersede(first, second)
    world.clock.advance(days=10)
    again = world.clock.now()
    world.apply(
        Transaction(
            memories=(
                replace(first, learned_at=again, state=State.ACTIVE, superseded_by=None, valid_until=None),
                replace(second, state=State.SUPERSEDED, superseded_by=first.id, valid_until=again),
            )
        )
    )
    world.clock.advance(days=1)
    assert world.ids("which machine runs the build")[0] == first.id
    assert world.ids("which machine runs the build", as_of=start + days(15))[0] == second.id
    assert world.ids("which machine runs the build", as_of=start + days(5)) == [first.id]


def test_as_of_respects_validity(world: World) -> None:
    now = world.clock.now()
    world.remember("The discount code is SPRING", valid_from=now + days(5), valid_until=now + days(10))
    assert world.ids("discount code", as_of=now + days(7))
    assert world.ids("discount code", as_of=now + days(2)) == []
    assert world.ids("discount code", as_of=now + days(12)) == []
