"""Text keeps the tier it was written under, and a file cannot reach into a vault it does not name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from muninn.api.calls import provenance_from
from muninn.domain.draft import parse_draft
from muninn.domain.memory import Memory, Provenance, State
from muninn.domain.trust import Tier
from muninn.ports import Query
from muninn.service import MemoryService
from muninn.service.rows import import_rows
from muninn.service.similar import similar_to
from muninn.testing import FakeClock, MemoryStore

BY = Provenance(client="test")
SECRET = "Privileged: the Arcos settlement is 40000 EUR"


class Spy:
    """Embedders that note which tier was asked for."""

    def __init__(self, real: Any) -> None:
        self.real = real
        self.asked: list[Tier] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self.real, name)

    def for_tier(self, tier: Tier) -> Any:
        self.asked.append(tier)
        return self.real.for_tier(tier)


@pytest.fixture
def service(service_over: Callable[..., MemoryService]) -> MemoryService:
    return service_over(MemoryStore(), FakeClock())


def take(service: MemoryService, *rows: object, exact: bool = False) -> dict[str, Any]:
    return import_rows(
        service, rows, vault=None, exact=exact, dry_run=False, links=(), vaults=(), first_line=1, by=BY,
        provenance=lambda given: provenance_from(given, client="import"), now=service._clock.now(),
    )  # fmt: skip


def remember(service: MemoryService, content: str, **fields: object) -> Memory:
    draft = parse_draft({"content": content, **fields}, now=service._clock.now())
    return service.remember(draft, by=BY).memory


def legal_row(service: MemoryService, tier: Tier) -> str:
    service.create_vault("v", tier=tier, by=BY)
    return str(take(service, {"content": SECRET, "tier": "legal", "vault": "v"})["ids"][0])


@pytest.mark.parametrize("target", list(Tier))
def test_legal_text_in_a_looser_vault_stays_legal_when_the_vault_moves(service: MemoryService, target: Tier) -> None:
    row = legal_row(service, Tier.PERSONAL)
    plain = remember(service, "The dentist moved to Mill Lane", vault="v")
    service.set_tier("v", target, confirmed=True, by=BY)
    assert service.require(row).tier is Tier.LEGAL
    assert service.require(plain.id).tier is target


def test_a_vault_that_moves_out_of_legal_takes_its_text_along_when_confirmed(service: MemoryService) -> None:
    memory = remember(service, SECRET, vault="legal")
    service.set_tier("legal", Tier.WORK, confirmed=True, by=BY)
    assert service.require(memory.id).tier is Tier.WORK


def test_an_edit_of_legal_text_asks_only_the_embedder_of_legal(service: MemoryService) -> None:
    row = legal_row(service, Tier.PROJECT)
    spy = Spy(service.embedders)
    service.embedders = spy
    service.edit(row, {"content": SECRET.replace("40000", "50000")}, by=BY)
    assert set(spy.asked) == {Tier.LEGAL}


def test_a_draft_under_a_stricter_tier_is_embedded_under_it(service: MemoryService) -> None:
    service.create_vault("v", tier=Tier.PROJECT, by=BY)
    spy = Spy(service.embedders)
    service.embedders = spy
    draft = parse_draft({"content": SECRET, "vault": "v", "tier": Tier.LEGAL}, now=service._clock.now())
    assert service.remember(draft, by=BY).memory.tier is Tier.LEGAL
    assert set(spy.asked) == {Tier.LEGAL}


def test_a_row_cannot_supersede_a_memory_of_another_vault(service: MemoryService) -> None:
    secret = remember(service, SECRET, vault="legal")
    answer = take(service, {"content": "nothing to see", "vault": "v", "supersedes": secret.id})
    assert service.require(secret.id).state is State.ACTIVE
    assert answer["imported"] == 0
    assert "only inside its vault" in answer["rejected"][0]["why"]


def test_a_rejected_row_is_not_stored_all_the_same(service: MemoryService) -> None:
    answer = take(service, {"content": "follows nobody", "vault": "v", "supersedes": "nobody"}, {"content": "fine"})
    assert answer["imported"] == 1
    assert [memory.content for memory in service.read.memories()] == ["fine"]


def test_a_row_supersedes_one_that_came_just_before_it(service: MemoryService) -> None:
    answer = take(
        service,
        {"id": "old", "content": "The API is at port 8080", "vault": "v"},
        {"content": "The API is at port 9090", "vault": "v", "supersedes": "old"},
    )
    assert answer["imported"] == 2
    assert [memory.content for memory in service.read.memories() if memory.active] == ["The API is at port 9090"]


@pytest.mark.parametrize(
    "link",
    [
        {"premises": 5}, {"premises": "abc"}, {"premises": [1]}, {"origin": ["auto"]}, {"origin": {}}, {"weight": True},
        {"relation": ["mentions"]}, {"relation": "a" * 100_000}, {"rejected": "no"},
    ],
)  # fmt: skip
def test_a_hostile_link_is_refused_by_itself(service: MemoryService, link: dict[str, object]) -> None:
    target = remember(service, "The target of links", vault="v")
    answer = take(service, {"content": "The source of links", "vault": "v", "links": [{"target": target.id, **link}]})
    assert answer["imported"] == 1
    assert len(answer["rejected"]) == 1
    assert answer["rejected"][0]["why"].startswith("link: ")
    assert not service.read.links_of(target.id)


def test_the_same_import_again_does_not_wake_what_was_replaced_since(service: MemoryService) -> None:
    row = {"content": "The API is at port 8080", "vault": "v", "created_at": "2024-01-01T00:00:00Z"}
    old = str(take(service, row)["ids"][0])
    new = remember(service, "The API is at port 9090", vault="v", supersedes=old)
    closed = service.require(old)
    writes = service.writes
    assert take(service, row)["duplicates"] == 1
    assert service.require(old) == closed
    assert service.require(new.id).state is State.ACTIVE
    assert service.writes == writes


def test_said_again_later_the_old_value_is_the_head_again(service: MemoryService) -> None:
    old = remember(service, "The API is at port 8080", vault="v")
    new = remember(service, "The API is at port 9090", vault="v", supersedes=old.id)
    assert remember(service, "The API is at port 8080", vault="v").active
    assert service.require(new.id).superseded_by == old.id


def test_an_explicit_successor_wins_even_with_an_old_date(service: MemoryService) -> None:
    at = "2024-01-01T00:00:00Z"
    old = remember(service, "The API is at port 8080", vault="v", created_at=at)
    new = remember(service, "The API is at port 9090", vault="v", supersedes=old.id)
    again = remember(service, "The API is at port 8080", vault="v", created_at=at, supersedes=new.id)
    assert again.id == old.id
    assert again.active
    assert service.require(new.id).superseded_by == old.id


def test_titles_of_legal_text_in_a_looser_vault_are_no_hint_and_no_reason(service: MemoryService) -> None:
    secret = legal_row(service, Tier.WORK)
    near = remember(service, "The Arcos settlement is 45000 EUR", vault="v")
    assert all(one.memory.id != secret for one, _ in similar_to(service, near))
    service.link(near.id, secret, relation="relates_to", weight=1.0, by=BY)
    answer = service.recall(Query(text="privileged settlement", vaults=("v",), explain=True))
    reasons = {hit.memory.id: hit.why for hit in answer.hits}
    assert secret in reasons[near.id]
    assert "Privileged" not in reasons[near.id]


def test_among_legal_memories_hints_are_given(service: MemoryService) -> None:
    remember(service, SECRET, vault="legal")
    near = remember(service, SECRET.replace("40000", "45000"), vault="legal")
    assert [relation for _, relation in similar_to(service, near)] == ["possible_conflict"]
