"""A model that lies: it merges what differs, swaps values, says the opposite, replaces what happened."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from muninn.domain.memory import Kind, State
from muninn.domain.separation import Text, contradiction
from muninn.domain.trust import Tier
from muninn.llm.function import FunctionModels
from muninn.llm.values import invented
from muninn.ports import Request

if TYPE_CHECKING:
    from tests.dream.conftest import World

Decide = Callable[[str, str], dict[str, Any]]


def lying(first: str, second: str, decide: Decide) -> FunctionModels:
    """A model that decides about two contents as soon as it is shown both."""

    def answer(request: Request) -> str:
        data = json.loads(request.prompt[request.prompt.index('{\n "groups"') : request.prompt.rindex("}") + 1])
        ids = {m["content"]: m["id"] for g in data["groups"] for m in g["memories"]}
        blank: dict[str, Any] = {
            name: [] for name in ("merge", "supersede", "distinct", "suggest", "stability", "narrative")
        }
        said = decide(ids[first], ids[second]) if {first, second} <= ids.keys() else {}
        return json.dumps({"reasoning": "trust me", **blank, **said})

    return FunctionModels(answer)


def dreamt(
    make_world: Callable[..., World], first: str, second: str, decide: Decide, **fields: Any
) -> tuple[World, list[dict[str, Any]]]:
    """A world with both memories, alike as far as vectors say, after a dream with the lying model."""
    world = make_world(models=lying(first, second, decide))
    vector = world.service.embedders.for_tier(Tier.PERSONAL).passages([first], tier=Tier.PERSONAL, vault="default")[0]
    own = {name: value for name, value in fields.items() if name != "metadata"}
    metadata = fields.get("metadata", ({}, {}))
    world.tell(first, vector=vector, metadata=metadata[0], **own)
    world.sleep(hours=1)
    world.tell(second, vector=vector, metadata=metadata[1], **own)
    operations: Any = world.dreamer.dream(force=True).document()["operations"]
    return world, operations


def merging(text: str) -> Decide:
    return lambda a, b: {"merge": [{"ids": [a, b], "into": a, "title": "", "text": text}]}


@pytest.mark.parametrize(
    ("first", "second", "text"),
    [
        ("Staging listens on port 8443.", "Production listens on port 8080.",
         "Staging listens on port 8080 and production on port 8443."),
        ("Staging listens on port 8443.", "Staging listens on port 8080.", "Staging listens on port 8443 and 8080."),
        ("Ana approved the merger on 3 May.", "Luis approved the merger on 7 June.",
         "Ana approved the merger on 7 June and Luis on 3 May."),
        ("El servidor acepta conexiones externas.", "El servidor no acepta conexiones externas.",
         "El servidor no acepta conexiones externas."),
        ("El portero nunca abre los domingos.", "El portero abre los domingos.", "El portero nunca abre los domingos."),
        ("Deploys are allowed on Fridays.", "Deploys are forbidden on Fridays.", "Deploys are allowed on Fridays."),
        ("My favourite colour is purple.", "My favourite colour is cyan.", "My favourite colour is purple."),
        ("Mi color favorito es el morado.", "Mi color favorito es el azul.", "Mi color favorito es el morado."),
    ],
)  # fmt: skip
def test_no_model_merges_what_contradicts_itself(
    make_world: Callable[..., World], first: str, second: str, text: str
) -> None:
    world, operations = dreamt(make_world, first, second, merging(text))
    assert "near_duplicates" in [one["op"] for one in operations]
    assert sorted(m.content for m in world.read.memories() if m.active) == sorted((first, second))


@pytest.mark.parametrize(
    ("first", "second", "text"),
    [
        ("Our notes on deploys say that they are allowed on Fridays.", "On Fridays deploys are allowed, our notes on them say that.",
         "Our notes on deploys say that they are forbidden on Fridays."),
        ("La copia se guarda en el sótano del edificio.", "En el sótano del edificio se guarda la copia.",
         "La copia no se guarda en el sótano del edificio."),
    ],
)  # fmt: skip
def test_a_merged_text_may_not_say_the_opposite(
    make_world: Callable[..., World], first: str, second: str, text: str
) -> None:
    world, _ = dreamt(make_world, first, second, merging(text))
    assert sorted(m.content for m in world.read.memories() if m.active) == sorted((first, second))


def test_an_honest_merge_still_stands(make_world: Callable[..., World]) -> None:
    first, second = (
        "La copia se guarda en el sótano del edificio.",
        "En el sótano del edificio se guarda la copia, cifrada.",
    )
    world, _ = dreamt(make_world, first, second, merging("La copia, cifrada, se guarda en el sótano del edificio."))
    assert [m.content for m in world.read.memories() if m.active] == [
        "La copia, cifrada, se guarda en el sótano del edificio."
    ]


def test_no_model_replaces_one_event_by_another(make_world: Callable[..., World]) -> None:
    world, _ = dreamt(
        make_world, "Checkout failed on March 21.", "Checkout failed on April 2.",
        lambda a, b: {"supersede": [{"old": a, "new": b}]}, kind=Kind.EVENT,
    )  # fmt: skip
    assert all(memory.active for memory in world.read.memories())


def test_no_model_replaces_what_is_said_of_another_host(make_world: Callable[..., World]) -> None:
    world, _ = dreamt(
        make_world, "The API listens on port 8443.", "The API listens on port 8080.",
        lambda a, b: {"supersede": [{"old": a, "new": b}]}, metadata=({"host": "alpha"}, {"host": "beta"}),
    )  # fmt: skip
    assert all(memory.active for memory in world.read.memories())


def test_a_model_may_still_replace_a_fact(make_world: Callable[..., World]) -> None:
    world, _ = dreamt(
        make_world, "The API listens on port 8443.", "The API listens on port 8080.",
        lambda a, b: {"supersede": [{"old": a, "new": b}]},
    )  # fmt: skip
    assert [m.content for m in world.read.memories() if m.state is State.SUPERSEDED] == [
        "The API listens on port 8443."
    ]


@pytest.mark.parametrize(
    ("one", "other", "slot"),
    [
        ("The cache keeps 512 entries.", "The cache keeps 256 entries.", "number"),
        ("La puerta está abierta.", "La puerta no está abierta.", "negation"),
        ("My favourite colour is purple.", "My favorite color is cyan.", None),
        ("The backup runs at night.", "At night the backup runs.", None),
        ("The backup runs at night.", "The backup runs at night, on host alpha, for 20 minutes.", None),
    ],
)  # fmt: skip
def test_contradictions_are_told_from_other_wordings(one: str, other: str, slot: str | None) -> None:
    found = contradiction(Text(None, one), Text(None, other))
    assert (found.slot if found else None) == slot
    back = contradiction(Text(None, other), Text(None, one))
    assert (back.slot if back else None) == slot


def test_a_denial_that_no_source_states_is_invented() -> None:
    assert invented(["The gate opens at 9."], "The gate does not open at 9.") == ("a negation",)
    assert invented(["La puerta no abre a las 9.", "La puerta abre a las 10."], "La puerta no abre a las 9.") == ()
