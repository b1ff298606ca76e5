"""Phase 2b with a scripted model: what it may decide, and what it may not."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from muninn.domain.memory import Provenance, State
from muninn.domain.trust import Tier
from muninn.errors import ProviderError
from muninn.llm.function import FunctionModels
from muninn.ports import Query, Request

if TYPE_CHECKING:
    from muninn.dream.outcome import Outcome
    from tests.dream.conftest import World

BY = Provenance(client="test")
OLD = "The payments API lives at https://old.example.org/pay."
NEW = "The payments API lives at https://new.example.org/pay."
ONE = "El sello de la notaría está en la caja, no en el despacho."
OTHER = "El sello de la notaría no está en el despacho: está en la caja."


def answering(decide: Callable[[dict[str, Any]], dict[str, Any]]) -> FunctionModels:
    """A model that is shown the data of each request and answers with ``decide(data)`` over an empty answer."""

    def answer(request: Request) -> str:
        data = json.loads(request.prompt[request.prompt.index('{\n "groups"') : request.prompt.rindex("}") + 1])
        blank: dict[str, Any] = {
            "reasoning": "looked at each", "merge": [], "supersede": [], "distinct": [], "suggest": [], "stability": [],
            "narrative": [],
        }  # fmt: skip
        return json.dumps({**blank, **decide(data)})

    return FunctionModels(answer)


def alias(data: dict[str, Any], content: str) -> str:
    return next(str(m["id"]) for g in data["groups"] for m in g["memories"] if m["content"] == content)


def ops(outcome: Any) -> list[str]:
    return [row["op"] for row in outcome.document()["operations"] if row["applied"]]


@pytest.mark.parametrize("op", ["merge", "supersede", "distinct", None])
def test_what_the_model_settled_awaits_nobody(make_world: Callable[..., World], op: str | None) -> None:
    def decide(data: dict[str, Any]) -> dict[str, Any]:
        ids = [alias(data, ONE), alias(data, OTHER)]
        rows: dict[str, dict[str, Any]] = {
            "merge": {"ids": ids, "into": ids[0], "title": "", "text": ONE},
            "supersede": {"old": ids[0], "new": ids[1]},
            "distinct": {"ids": ids},
        }
        return {op: [rows[op]]} if op else {}

    world = make_world(models=answering(decide))
    world.tell(ONE)
    world.sleep(days=1)
    world.tell(OTHER, vector=world.vector_of(ONE))
    outcome = world.dreamer.dream(force=True)
    assert ops(outcome) == ["near_duplicates", *([op] if op else [])]
    assert ("Awaiting you" in outcome.journal) is (op is None)


def test_a_merge_by_the_model_unites_texts_and_is_embedded(make_world: Callable[..., World]) -> None:
    text = "El sello de la notaría está en la caja y no en el despacho."

    def decide(data: dict[str, Any]) -> dict[str, Any]:
        ids = [alias(data, ONE), alias(data, OTHER)]
        return {"merge": [{"ids": ids, "into": ids[0], "title": "", "text": text}]}

    world = make_world(models=answering(decide))
    one = world.tell(ONE)
    other = world.tell(OTHER, vector=world.vector_of(ONE))
    before = world.state()
    outcome = world.dreamer.dream(force=True)
    assert "merge" in ops(outcome)
    assert world.get(one).content == text
    assert world.get(one).embedding_model == world.model
    assert world.read.vector(one.id) == world.vector_of(text).astype("<f4").tobytes()
    assert world.get(other).state is State.ARCHIVED
    hits = world.read.recall(Query(text="sello notaría caja", reinforce=False), now=world.clock.now()).hits
    assert [hit.memory.id for hit in hits] == [one.id]
    assert ops(world.dreamer.dream(force=True)) == []
    world.dreamer.undo(outcome.dream_id)
    assert world.state() == before


def test_a_contradiction_is_resolved_for_the_newer(make_world: Callable[..., World]) -> None:
    world = make_world(
        models=answering(lambda data: {"supersede": [{"old": alias(data, OLD), "new": alias(data, NEW)}]})
    )
    old = world.tell(OLD)
    world.sleep(days=3)
    new = world.tell(NEW, vector=world.vector_of(OLD))
    outcome = world.dreamer.dream(force=True)
    assert "supersede" in ops(outcome)
    assert (world.get(old).state, world.get(old).superseded_by) == (State.SUPERSEDED, new.id)
    assert world.get(old).valid_until == new.learned_at
    assert "superseded by" in outcome.journal
    assert old.id in outcome.journal


def test_the_older_never_supersedes_the_newer(make_world: Callable[..., World]) -> None:
    world = make_world(
        models=answering(lambda data: {"supersede": [{"old": alias(data, NEW), "new": alias(data, OLD)}]})
    )
    world.tell(OLD)
    world.sleep(days=3)
    world.tell(NEW, vector=world.vector_of(OLD))
    assert "supersede" not in ops(world.dreamer.dream(force=True))


def test_what_was_judged_is_not_asked_again(make_world: Callable[..., World]) -> None:
    models = answering(lambda data: {"distinct": [{"ids": [alias(data, OLD), alias(data, NEW)]}]})
    world = make_world(models=models)
    world.tell(OLD)
    world.tell(NEW, vector=world.vector_of(OLD))
    assert "distinct" in ops(world.dreamer.dream(force=True))
    asked = len(models.requests)
    assert asked > 0
    world.sleep(days=2)
    assert ops(world.dreamer.dream(force=True)) == []
    assert len(models.requests) == asked


def test_a_set_the_model_passes_over_is_not_asked_again_either(make_world: Callable[..., World]) -> None:
    models = answering(lambda _: {})
    world = make_world(models=models)
    world.tell(OLD)
    world.tell(NEW, vector=world.vector_of(OLD))
    world.dreamer.dream(force=True)
    asked = len(models.requests)
    world.sleep(days=2)
    world.dreamer.dream(force=True)
    assert len(models.requests) == asked


def test_sets_wait_while_no_model_answers(make_world: Callable[..., World]) -> None:
    def down(_: Request) -> str:
        raise ProviderError("ollama does not answer")

    models = FunctionModels(down)
    world = make_world(models=models)
    old = world.tell(OLD)
    world.sleep(days=1)
    world.tell(NEW, vector=world.vector_of(OLD))
    outcome = world.dreamer.dream(force=True)
    assert outcome.status == "completed"
    assert "ollama does not answer" in outcome.journal
    models._function = answering(
        lambda data: {"supersede": [{"old": alias(data, OLD), "new": alias(data, NEW)}]}
    )._function
    world.sleep(days=1)
    world.dreamer.dream(force=True)
    assert world.get(old).state is State.SUPERSEDED


def test_no_llm_asks_nobody(make_world: Callable[..., World]) -> None:
    models = answering(lambda _: {})
    world = make_world(models=models)
    world.tell(OLD)
    world.tell(NEW, vector=world.vector_of(OLD))
    world.dreamer.dream(force=True, llm=False)
    assert models.requests == []


def suggested(make_world: Callable[..., World]) -> tuple[World, Outcome]:
    """A world in which a model suggested one connection across vaults, and how that dream went."""

    def decide(data: dict[str, Any]) -> dict[str, Any]:
        pairs = [g["memories"] for g in data["groups"] if g["kind"] == "across"]
        return {"suggest": [{"a": p[0]["id"], "b": p[1]["id"], "relation": "causes", "reason": "same"} for p in pairs]}

    world = make_world(models=answering(decide))
    one = world.tell("The k8s DNS timeout comes from conntrack exhaustion.", vault="work")
    world.tell("Conntrack exhaustion was the cause on March 21.", vault="infra", vector=world.vector_of(one.content))
    return world, world.dreamer.dream(force=True)


def test_a_connection_across_vaults_is_only_suggested(make_world: Callable[..., World]) -> None:
    world, outcome = suggested(make_world)
    (suggestion,) = world.service.suggestions()
    assert {suggestion.source_vault, suggestion.target_vault} == {"work", "infra"}
    assert suggestion.status == "pending"
    assert suggestion.id in outcome.journal
    assert world.read.links_of(suggestion.source) == ()
    world.service.decide(suggestion.id, accept=False, by=BY)
    world.sleep(days=1)
    world.dreamer.dream(force=True)
    again = {s.id: s.status for s in world.service.suggestions()}
    assert again[suggestion.id] == "rejected"


def test_legal_text_is_never_shown(make_world: Callable[..., World]) -> None:
    models = answering(lambda _: {})
    world = make_world(models=models)
    world.vault("legal", Tier.LEGAL)
    world.tell("Privileged: the settlement is 2 million.", vault="legal")
    world.tell(OLD)
    world.tell(NEW, vector=world.vector_of(OLD))
    world.dreamer.dream(force=True)
    assert models.requests
    assert all("settlement" not in request.prompt and "legal" not in request.prompt for request in models.requests)


def test_advice_on_stability_replaces_the_rule(make_world: Callable[..., World]) -> None:
    world = make_world(models=answering(lambda data: {"stability": [{"id": alias(data, OLD), "days": 200}]}))
    old = world.tell(OLD, relevance=0.9, access_count=9)
    world.tell(NEW, vector=world.vector_of(OLD))
    world.dreamer.dream(force=True)
    assert world.get(old).stability == 200.0


def test_the_narrative_is_told_with_its_sources(make_world: Callable[..., World]) -> None:
    def decide(data: dict[str, Any]) -> dict[str, Any]:
        return {
            "narrative": [
                {"sentence": "The payments API moved.", "ids": [alias(data, OLD)]},
                {"sentence": "Nobody knows why.", "ids": []},
            ]
        }

    world = make_world(models=answering(decide))
    old = world.tell(OLD)
    world.tell(NEW, vector=world.vector_of(OLD))
    text = world.dreamer.dream(force=True).journal
    assert f"- The payments API moved. ({old.id})" in text
    assert "Nobody knows why" not in text


@pytest.mark.parametrize("garbage", ["", "no json", '{"merge": 3}', "[" * 5000, '{"merge": [{"ids": ["m1", "m99"]}]}'])
def test_garbage_costs_nothing_but_the_question(make_world: Callable[..., World], garbage: str) -> None:
    world = make_world(models=FunctionModels(lambda _: garbage))
    world.tell(OLD)
    world.tell(NEW, vector=world.vector_of(OLD))
    outcome = world.dreamer.dream(force=True)
    assert outcome.status == "completed"
    assert set(ops(outcome)) <= {"near_duplicates"}


def test_one_long_silence_is_enough(make_world: Callable[..., World]) -> None:
    def hang(_: Request) -> str:
        world.sleep(seconds=10)
        raise ProviderError("no answer in time")

    models = FunctionModels(hang)
    world = make_world(models=models)
    for vault in ("one", "two", "three"):
        world.tell(OLD, vault=vault)
        world.tell(NEW, vault=vault, vector=world.vector_of(OLD))
    outcome = world.dreamer.dream(force=True)
    assert all(request.vault.startswith("one") for request in models.requests), "of the first vault only"
    assert outcome.status == "completed"


def test_a_tier_without_models_is_not_mentioned(make_world: Callable[..., World]) -> None:
    class NoModels(FunctionModels):
        def for_tier(self, tier: Tier) -> tuple[str, ...]:
            return ()

    models = NoModels(lambda _: "{}")
    world = make_world(models=models)
    world.tell(OLD)
    world.tell(NEW, vector=world.vector_of(OLD))
    assert "model" not in world.dreamer.dream(force=True).journal
    assert models.requests == []


@pytest.mark.parametrize("answer", ["suggest", "nothing"])
def test_a_likeness_of_two_vaults_is_put_before_the_model_once_in_a_dream(
    make_world: Callable[..., World], answer: str
) -> None:
    seen: list[frozenset[str]] = []

    def decide(data: dict[str, Any]) -> dict[str, Any]:
        pairs = [g["memories"] for g in data["groups"] if g["kind"] == "across"]
        seen.extend(frozenset(memory["content"] for memory in pair) for pair in pairs)
        rows = [{"a": p[0]["id"], "b": p[1]["id"], "relation": "causes", "reason": "same"} for p in pairs]
        return {"suggest": rows} if answer == "suggest" else {}

    world = make_world(models=answering(decide))
    world.tell(ONE, vault="work")
    world.tell(OTHER, vault="infra", vector=world.vector_of(ONE))
    outcome = world.dreamer.dream(force=True)
    assert seen == [frozenset((ONE, OTHER))]
    assert ops(outcome) == (["suggest"] if answer == "suggest" else [])


def test_undoing_takes_back_a_suggestion_that_nobody_decided(make_world: Callable[..., World]) -> None:
    world, outcome = suggested(make_world)
    world.dreamer.undo(outcome.dream_id)
    (suggestion,) = world.service.suggestions()
    assert suggestion.status == "rejected"
    world.sleep(days=1)
    assert "suggest" not in ops(world.dreamer.dream(force=True))


def test_undoing_leaves_an_accepted_suggestion_and_its_link(make_world: Callable[..., World]) -> None:
    world, outcome = suggested(make_world)
    (suggestion,) = world.service.suggestions()
    world.service.decide(suggestion.id, accept=True, by=BY)
    world.dreamer.undo(outcome.dream_id)
    (suggestion,) = world.service.suggestions()
    assert suggestion.status == "accepted"
    assert [link.relation for link in world.read.links_of(suggestion.source)] == ["causes"]


def test_more_sets_than_may_be_asked_are_asked_over_several_nights(make_world: Callable[..., World]) -> None:
    shown: list[str] = []

    def decide(data: dict[str, Any]) -> dict[str, Any]:
        shown.extend(m["content"] for g in data["groups"] for m in g["memories"])
        return {}

    models = answering(decide)
    world = make_world(models=models)
    object.__setattr__(world.dreamer._cycle, "limits", replace(world.dreamer._cycle.limits, asked=2))
    for number in range(5):
        direction = world.vector_of(f"subject {number * 7919} {number}")
        world.tell(f"Service {chr(65 + number)}{number}x listens on port {7000 + number}.", vector=direction)
        world.tell(f"Service {chr(65 + number)}{number}x listens on port {8000 + number}.", vector=direction)
    for _ in range(4):
        world.dreamer.dream(force=True)
        world.sleep(days=1)
    assert len(shown) == len(set(shown)) == 10


def test_what_the_budget_refused_is_asked_again_when_there_is_a_budget(make_world: Callable[..., World]) -> None:
    def decide(data: dict[str, Any]) -> dict[str, Any]:
        rows = [[m["id"] for m in g["memories"]] for g in data["groups"] if len(g["memories"]) == 2]
        texts = {m["id"]: m["content"] for g in data["groups"] for m in g["memories"]}
        return {"merge": [{"ids": ids, "into": ids[0], "title": "", "text": texts[ids[0]]} for ids in rows]}

    world = make_world(models=answering(decide))
    subjects = ("invoices", "backups", "firewalls", "recipes", "guitars", "volcanoes", "bicycles")
    for subject in subjects:
        first = f"Our notes about {subject} live in the {subject} folder."
        world.tell(first)
        world.tell(f"In the {subject} folder live our notes about {subject}.", vector=world.vector_of(first))
    merged = []
    for _ in range(3):
        merged.append(ops(world.dreamer.dream(force=True)).count("merge"))
        world.sleep(days=1, hours=1)
    assert merged == [5, 2, 0]


def test_every_merge_of_one_answer_is_charged_to_the_same_budget(make_world: Callable[..., World]) -> None:
    def decide(data: dict[str, Any]) -> dict[str, Any]:
        pairs = [g["memories"] for g in data["groups"] if len(g["memories"]) == 2]
        return {
            "merge": [
                {"ids": [m["id"] for m in pair], "into": pair[0]["id"], "title": "", "text": pair[0]["content"]}
                for pair in pairs
            ]
        }

    world = make_world(models=answering(decide))
    for number in range(74):
        first = f"The notes about subject{number} are in the drawer of subject{number}."
        world.tell(first)
        world.tell(
            f"In the drawer of subject{number} are the notes about subject{number}.", vector=world.vector_of(first)
        )
    outcome = world.dreamer.dream(force=True)
    archived = [m for m in world.read.memories() if m.state is State.ARCHIVED]
    assert ops(outcome).count("merge") == len(archived) == 14, "a tenth of 148"


def test_what_was_asked_is_known_however_long_the_dream_took(make_world: Callable[..., World]) -> None:
    def slow(data: dict[str, Any]) -> dict[str, Any]:
        world.sleep(seconds=3)
        return {}

    models = answering(slow)
    world = make_world(models=models)
    world.tell(OLD)
    world.tell(NEW, vector=world.vector_of(OLD))
    world.dreamer.dream(force=True)
    asked = len(models.requests)
    world.sleep(days=1)
    world.dreamer.dream(force=True)
    assert len(models.requests) == asked


def test_what_was_advised_on_a_merge_that_is_taken_back_goes_with_it(make_world: Callable[..., World]) -> None:
    def decide(data: dict[str, Any]) -> dict[str, Any]:
        ids = [alias(data, ONE), alias(data, OTHER)]
        return {
            "merge": [{"ids": ids, "into": ids[0], "title": "", "text": ONE}],
            "stability": [{"id": ids[0], "days": 200}],
        }

    world = make_world(models=answering(decide))
    first = world.tell(ONE)
    world.sleep(hours=1)
    second = world.tell(OTHER, vector=world.vector_of(ONE))
    before = world.state()
    with world.losing(second, without=first), world.losing(first, without=second):
        outcome = world.dreamer.dream(force=True)
    operations: Any = outcome.document()["operations"]
    applied = {row["op"]: row["applied"] for row in operations}
    assert (applied["merge"], applied["stabilise"]) == (False, False)
    assert world.dreamer.undo(outcome.dream_id)["left_alone"] == []
    assert world.state() == before
