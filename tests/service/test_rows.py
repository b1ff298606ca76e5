"""Rows of an import through the service: an export comes home as it left, foreign values in our shape."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from muninn.api.wire import memory_document
from muninn.domain.draft import Draft
from muninn.domain.memory import Provenance, is_relation, relation_of
from muninn.errors import UsageError
from muninn.service import MemoryService
from muninn.service.rows import import_rows
from muninn.testing import FakeClock, MemoryStore

BY = Provenance(client="test")


@pytest.fixture
def service(service_over: Callable[..., MemoryService]) -> MemoryService:
    return service_over(MemoryStore())


def imported(service: MemoryService, *rows: dict[str, Any], exact: bool = False) -> dict[str, Any]:
    return import_rows(
        service, rows, vault=None, exact=exact, dry_run=False, links=[], vaults=[], first_line=1, by=BY,
        provenance=lambda _: BY, now=FakeClock().now(),
    )  # fmt: skip


def test_a_forgotten_memory_comes_home_with_its_model_and_is_embedded_when_restored(
    service: MemoryService, service_over: Callable[..., MemoryService]
) -> None:
    made = service.remember(Draft(content="The old landlord was called Kessler."), by=BY).memory
    row = memory_document(service.forget(made.id, by=BY))
    home = service_over(MemoryStore())
    assert imported(home, row, exact=True)["pending"] == 0
    assert memory_document(home.require(made.id)) == row
    home.restore(made.id, by=BY)
    assert home.read.pending_embeddings() == (made.id,)
    assert home.embed_pending(limit=1) == 1
    assert home.read.vector(made.id) == service.read.vector(made.id)


def test_a_model_without_a_vector_says_nothing_in_a_foreign_file(service: MemoryService) -> None:
    row = {"content": "A note from elsewhere.", "state": "forgotten", "embedding_model": "hashed/1"}
    memory_id = imported(service, row)["ids"][0]
    assert service.require(memory_id).embedding_model is None


@pytest.mark.parametrize(
    ("foreign", "ours"),
    [
        ("Depends On", "depends_on"),
        ("según", "según"),
        ("está-en", "está_en"),
        ("2nd", "relates_to"),
        ("", "relates_to"),
        (None, "relates_to"),
        ("__", "relates_to"),
        ("x" * 65, "relates_to"),
    ],
)
def test_every_relation_that_an_import_makes_could_have_been_made_by_hand(
    service: MemoryService, foreign: str | None, ours: str
) -> None:
    assert relation_of(foreign) == ours
    assert is_relation(ours)
    if foreign is not None and len(foreign) > 64:
        return
    one = imported(service, {"content": "One thing."})["ids"][0]
    link = {"target": one, "relation": foreign}
    two = imported(service, {"content": "Another thing.", "links": [link]})["ids"][0]
    assert [made.relation for made in service.read.links_of(two)] == [ours]
    assert service.link(two, one, relation=ours, weight=0.5, by=BY).relation == ours


@pytest.mark.parametrize("name", ["", "Depends", "depends on", "2nd", "_x", "x" * 65])
def test_a_name_that_is_no_relation_is_refused_by_hand(service: MemoryService, name: str) -> None:
    ends = imported(service, {"content": "One thing."}, {"content": "Another thing."})["ids"]
    with pytest.raises(UsageError, match="is not valid"):
        service.link(*ends, relation=name, weight=0.5, by=BY)


def test_a_vault_that_an_import_makes_is_named_once(service: MemoryService) -> None:
    rows = [{"content": f"Fact {number} of the case", "vault": "legal/arcos"} for number in (1, 2)]
    assert imported(service, *rows)["notes"] == ["vault legal/arcos created with tier legal"]
    assert imported(service, {"content": "Another fact", "vault": "legal/arcos"})["notes"] == []


def test_a_link_that_says_no_more_than_its_ends_leaves_the_one_that_is_there(service: MemoryService) -> None:
    row = {"content": "Uno", "links": [{"target": "Nota Dos"}]}
    first = imported(service, {"content": "Dos", "title": "Nota Dos"}, row)
    source, target = first["ids"][1], first["ids"][0]
    service.link(source, target, relation="relates_to", weight=0.3, by=BY)
    (before,) = service.read.links_of(source)
    again = imported(service, row)
    assert (first["links"], again["links"], again["duplicates"]) == (1, 0, 1)
    assert service.read.links_of(source) == (before,)
    assert imported(service, {**row, "links": [{"target": "Nota Dos", "weight": 0.9}]})["links"] == 1
