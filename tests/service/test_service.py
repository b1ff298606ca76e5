"""The service over the fake store: births, assertions, supersession, links, vaults, provenance, full disks."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread

import pytest

from muninn import logs
from muninn.domain.draft import Draft
from muninn.domain.memory import Memory, Origin, Provenance, State
from muninn.domain.trust import Tier
from muninn.errors import ConflictError, NotFoundError, StoreFullError, UsageError
from muninn.ports import Query
from muninn.service import MemoryService
from muninn.service.similar import similar_to
from muninn.testing import FailingStore, FakeClock, MemoryStore

BY = Provenance(client="test", run_id="r1")


ServiceOver = Callable[..., MemoryService]


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def service(service_over: ServiceOver, clock: FakeClock) -> MemoryService:
    return service_over(MemoryStore(), clock)


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Path]:
    before = logging.getLogger().handlers[:]
    logs.configure(tmp_path / "muninn.log")
    yield tmp_path / "muninn.log"
    logs.configure(None)
    logging.getLogger().handlers[:] = before


def remember(service: MemoryService, content: str, **fields: object) -> Memory:
    return service.remember(Draft(content=content, **fields), by=BY).memory  # type: ignore[arg-type]


def test_a_birth_is_durable_embedded_and_sourced(service: MemoryService) -> None:
    made = service.remember(Draft(content="El servidor escucha en el puerto 8080."), by=BY)
    assert made.created
    assert made.vault_created
    assert made.memory.provenance == BY
    assert made.memory.embedding_model == "hashed/1"
    assert made.memory.title == "El servidor escucha en el puerto 8080."
    assert made.memory.title_derived
    assert service.store.waited > 0  # type: ignore[attr-defined]
    assert service.writes == 1


def test_saying_it_again_is_an_assertion_not_a_second_memory(service: MemoryService, clock: FakeClock) -> None:
    first = remember(service, "Same words.")
    clock.advance(days=1)
    again = service.remember(Draft(content="Same words."), by=BY)
    assert not again.created
    assert again.memory.id == first.id
    assert again.memory.learned_at == clock.now()
    assert service.writes == 1


def test_a_then_b_then_a_ends_at_a(service: MemoryService, clock: FakeClock) -> None:
    a = remember(service, "The office is in Madrid.")
    clock.advance(days=1)
    b = remember(service, "The office is in Lisbon.", supersedes=a.id)
    assert service.require(a.id).state is State.SUPERSEDED
    assert service.require(a.id).superseded_by == b.id
    assert service.require(a.id).valid_until == b.learned_at
    clock.advance(days=1)
    back = service.remember(Draft(content="The office is in Madrid."), by=BY)
    assert back.memory.id == a.id
    assert service.require(a.id).active
    assert service.require(a.id).superseded_by is None
    assert service.require(b.id).superseded_by == a.id
    assert service.head(service.require(b.id)).id == a.id
    assert len({link.key for link in service.read.links_of(a.id) if link.relation == "supersedes"}) == 2


@pytest.mark.parametrize("state", [State.ARCHIVED, State.FORGOTTEN])
def test_content_held_out_of_sight_is_revived_not_lost(service: MemoryService, state: State) -> None:
    memory = remember(service, "Held by a row nobody sees.")
    service.forget(memory.id, by=BY)
    again = service.remember(Draft(content="Held by a row nobody sees."), by=BY)
    assert again.memory.id == memory.id
    assert again.memory.active
    assert "revived" in again.notes[0]


def test_new_titles_find_old_texts_and_old_titles_new_texts(service: MemoryService) -> None:
    text = remember(service, "We moved the Kraken Gateway to the new cluster.")
    titled = remember(service, "It terminates TLS.", title="Kraken Gateway")
    link = next(one for one in service.read.links_of(titled.id) if one.relation == "mentions")
    assert (link.source, link.target, link.origin) == (text.id, titled.id, Origin.AUTO)
    later = remember(service, "The Kraken Gateway restarted twice.")
    assert {one.source for one in service.read.links_of(titled.id)} == {text.id, later.id}


def test_a_link_taken_away_by_hand_stays_away(service: MemoryService) -> None:
    titled = remember(service, "It terminates TLS.", title="Kraken Gateway")
    text = remember(service, "The Kraken Gateway restarted.")
    service.unlink(text.id, titled.id, relation="mentions", by=BY)
    service.edit(text.id, {"content": "The Kraken Gateway restarted again."}, by=BY)
    assert service.read.links_of(titled.id) == ()


def test_editing_content_embeds_again_and_counts(service: MemoryService, clock: FakeClock) -> None:
    memory = remember(service, "Old wording of the note.")
    before = service.read.vector(memory.id)
    clock.advance(hours=1)
    edited = service.edit(memory.id, {"content": "Entirely different words."}, by=BY).memory
    assert service.read.vector(memory.id) != before
    assert edited.title == "Entirely different words."
    assert edited.updated_at == edited.learned_at == clock.now()
    assert service.writes == 2


@pytest.mark.parametrize(
    "changes", [{}, {"id": "x"}, {"state": "active"}, {"content": " "}, {"kind": "poem"}, {"relevance": float("nan")}]
)
def test_edits_that_make_no_sense_are_refused(service: MemoryService, changes: dict[str, object]) -> None:
    memory = remember(service, "A note.")
    with pytest.raises(UsageError):
        service.edit(memory.id, changes, by=BY)
    assert service.require(memory.id) == memory


def test_forget_restore_and_purge(service: MemoryService) -> None:
    memory = remember(service, "Forget me not.")
    assert not service.forget(memory.id, by=BY).active
    assert service.recall(Query(text="forget me not")).hits == ()
    assert service.restore(memory.id, by=BY).active
    service.purge(memory.id, by=BY)
    with pytest.raises(NotFoundError):
        service.require(memory.id)


def test_a_full_disk_refuses_the_write_and_leaves_no_trace(service_over: ServiceOver) -> None:
    service = service_over(FailingStore(".F."))
    titled = remember(service, "It terminates TLS.", title="Kraken Gateway")
    with pytest.raises(StoreFullError):
        remember(service, "The Kraken Gateway restarted.")
    assert service.read.count() == 1
    assert service.read.links_of(titled.id) == ()
    assert service.writes == 1
    text = remember(service, "The Kraken Gateway restarted.")
    assert [one.source for one in service.read.links_of(titled.id)] == [text.id]


def test_recall_goes_on_when_usage_cannot_be_noted(service_over: ServiceOver) -> None:
    service = service_over(FailingStore(".F"))
    memory = remember(service, "Recall goes on when the disk is full.")
    assert [hit.memory.id for hit in service.recall(Query(text="disk is full")).hits] == [memory.id]


def test_vault_names_are_compared_folded_and_reads_name_the_nearest(service: MemoryService) -> None:
    remember(service, "One.", vault="Projekt-Ä")
    remember(service, "Two.", vault="PROJEKT-ä")
    assert [vault.name for vault in service.read.vaults()] == ["Projekt-Ä"]
    with pytest.raises(NotFoundError, match="Projekt-Ä"):
        service.find_vault("projekt")


@pytest.mark.parametrize("name", ["legal", "legal-2026", "legal:smith", "legal/x", "LEGAL-x"])
def test_legal_names_are_legal(service: MemoryService, name: str) -> None:
    assert remember(service, "A clause.", vault=name).tier is Tier.LEGAL


def test_loosening_a_tier_needs_a_confirmation_and_takes_the_rows_along(service: MemoryService) -> None:
    memory = remember(service, "A clause.", vault="legal")
    with pytest.raises(UsageError, match="--yes"):
        service.set_tier("legal", Tier.WORK, confirmed=False, by=BY)
    assert service.require(memory.id).tier is Tier.LEGAL
    service.set_tier("legal", Tier.WORK, confirmed=True, by=BY)
    assert service.require(memory.id).tier is Tier.WORK


def test_supersession_stays_inside_a_vault(service: MemoryService) -> None:
    memory = remember(service, "One.", vault="a")
    with pytest.raises(UsageError, match="--vault a"):
        remember(service, "Two.", vault="b", supersedes=memory.id)
    with pytest.raises(NotFoundError):
        remember(service, "Two.", supersedes="nobody")


def test_links_across_vaults_are_refused(service: MemoryService) -> None:
    a, b = remember(service, "One.", vault="a"), remember(service, "Two.", vault="b")
    with pytest.raises(UsageError, match="suggestion"):
        service.link(a.id, b.id, relation="relates_to", weight=0.5, by=BY)


def test_identical_concurrent_writes_end_as_one(service: MemoryService) -> None:
    ids: list[str] = []
    writers = [Thread(target=lambda: ids.append(remember(service, "Said by everybody at once.").id)) for _ in range(8)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert len(ids) == 8
    assert len(set(ids)) == 1
    assert service.read.count() == 1


def test_import_takes_good_rows_and_names_bad_ones(service: MemoryService) -> None:
    drafts = [Draft(content="First."), Draft(content="Second.", id="fixed"), Draft(content="First.")]
    results = service.remember_many([(draft, BY, None, None) for draft in drafts])
    assert [getattr(result, "created", None) for result in results] == [True, True, False]
    clash = service.remember_many([(Draft(content="Other.", id="fixed"), BY, None, None)])
    assert isinstance(clash[0], ConflictError)
    assert len(service.read.pending_embeddings()) == 2
    assert service.embed_pending(limit=10) == 2
    assert service.read.pending_embeddings() == ()


def test_similar_ones_are_named_with_what_they_are(service: MemoryService) -> None:
    remember(service, "The API listens on port 8080 in production.")
    newer = remember(service, "The API listens on port 8081 in production.")
    assert [relation for _, relation in similar_to(service, newer)] == ["possible_conflict"]


def test_reads_and_recalls_are_noted_once_and_legal_ones_never(service: MemoryService) -> None:
    memory = remember(service, "Counted when it is read.")
    secret = remember(service, "A clause nobody counts.", vault="legal")
    service.look(memory.id)
    service.look(secret.id)
    service.recall(Query(text="counted when read"))
    service.recall(Query(text="counted when read", reinforce=False))
    events = list(service.store.usage())
    assert [event.kind for event in events] == ["read", "recall"]
    assert all(event.memories == (memory.id,) for event in events)


def test_a_text_that_is_embedded_in_part_is_said_to_be(service: MemoryService) -> None:
    whole = service.remember(Draft(content="Short enough."), by=BY)
    partly = service.remember(Draft(content="A very long note. " * 600), by=BY)
    assert whole.notes == ("vault default created with tier personal",)
    assert partly.notes == ("too long to embed whole: its end is found by words only",)


def test_who_changed_what_carries_no_provenance_of_its_own_stands_in_the_log(
    log: Path, service_over: ServiceOver
) -> None:
    service = service_over(MemoryStore())
    one, two = remember(service, "The first secret.").id, remember(service, "The second secret.").id
    service.create_vault("lab", tier=None, by=BY)
    service.set_tier("lab", Tier.PROJECT, confirmed=True, by=BY)
    service.remove_vault("lab", by=BY)
    service.link(one, two, relation="causes", weight=0.5, by=BY)
    service.unlink(one, two, relation="causes", by=BY)
    service.edit(one, {"content": "The first secret, changed."}, by=BY)
    service.forget(one, by=BY)
    service.restore(one, by=BY)
    service.purge(one, by=BY)
    lines = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    assert [line["event"] for line in lines] == [
        "vault_created", "tier_set", "vault_removed", "linked", "unlinked", "edited", "forgotten", "restored", "purged",
    ]  # fmt: skip
    assert all(line["by"] == {"client": "test", "run_id": "r1"} for line in lines)
    assert {line["memory"] for line in lines[5:]} == {one}
    assert "secret" not in log.read_text("utf-8")


@pytest.mark.parametrize(
    ("client", "origin"), [("mcp/claude", Origin.AGENT), ("hook", Origin.AGENT), ("cli", Origin.MANUAL)]
)
def test_a_link_is_the_word_of_whoever_speaks(service: MemoryService, client: str, origin: Origin) -> None:
    ends = remember(service, "One thing.").id, remember(service, "Another thing.").id
    assert service.link(*ends, relation="causes", weight=0.5, by=Provenance(client=client)).origin is origin
