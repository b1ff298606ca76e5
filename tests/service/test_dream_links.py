"""Automatic links around a merge: they move with it, and come back byte for byte when it is undone."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from muninn.domain.draft import Draft
from muninn.domain.memory import Provenance
from muninn.domain.operations import Merge
from muninn.domain.records import DreamRecord
from muninn.errors import ConflictError
from muninn.service import MemoryService
from muninn.testing import FakeClock, MemoryStore

BY = Provenance(client="test")
TITLES = ["Kraken Gateway", "Blue Harbour", "Casa Müller"]
TEXTS = ["The {0} restarted.", "Ask about {0} and {1}.", "{1} was moved.", "Nothing to name."]


def state(service: MemoryService) -> tuple[object, object]:
    return {m.id: (m, v) for m, v in service.store.memories()}, {link.key: link for link in service.store.links()}


def dream(service: MemoryService, clock: FakeClock, into: str, loser: str, name: str) -> None:
    seen = {key: service.require(key).fingerprint for key in (into, loser)}
    merge = Merge(vault="default", ids=(into, loser), why="test", seen=seen, into=into)
    record = DreamRecord(id=name, kind="dream", started_at=clock.now(), finished_at=clock.now(), status="completed")
    assert [r.applied for r in service.apply_dream(record, [merge], {})] == [True]


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from([None, *TITLES]), st.sampled_from(TEXTS), st.sampled_from(TITLES), st.sampled_from(TITLES)
        ),
        min_size=2,
        max_size=7,
    ),
    st.data(),
)
def test_undoing_a_merge_restores_rows_vectors_and_links_exactly(
    service_over: Callable[..., MemoryService], births: list[tuple[str | None, str, str, str]], data: st.DataObject
) -> None:
    clock = FakeClock()
    service = service_over(MemoryStore(), clock)
    ids = []
    for number, (title, text, one, two) in enumerate(births):
        clock.advance(hours=1)
        content = f"{number}: {text.format(one, two)}"
        ids.append(service.remember(Draft(content=content, title=title), by=BY).memory.id)
    before = state(service)
    into, loser = data.draw(st.permutations(ids))[:2]
    clock.advance(days=1)
    dream(service, clock, into, loser, "D1")
    ghosts = [link for link in service.store.links() if loser in (link.source, link.target)]
    assert ghosts == []
    clock.advance(days=1)
    service.undo_dream("D1")
    assert state(service) == before


def test_a_link_to_the_loser_leads_to_the_survivor(service_over: Callable[..., MemoryService]) -> None:
    clock = FakeClock()
    service = service_over(MemoryStore(), clock)
    survivor = service.remember(Draft(content="It terminates TLS for everyone."), by=BY).memory
    loser = service.remember(Draft(content="It terminates TLS for everyone!", title="Kraken Gateway"), by=BY).memory
    text = service.remember(Draft(content="The Kraken Gateway restarted."), by=BY).memory
    dream(service, clock, survivor.id, loser.id, "D1")
    assert [(link.source, link.relation) for link in service.read.links_of(survivor.id)] == [(text.id, "mentions")]


def test_an_old_dream_lets_go_of_its_images_and_says_so(service_over: Callable[..., MemoryService]) -> None:
    clock = FakeClock()
    service = service_over(MemoryStore(), clock)
    ids = [
        service.remember(Draft(content=text), by=BY).memory.id
        for text in ("One note.", "one note", "Two notes.", "two notes")
    ]
    dream(service, clock, ids[0], ids[1], "1-OLD")
    clock.advance(days=100)
    dream(service, clock, ids[2], ids[3], "9-NEW")
    assert service.close_undo("1-OLD") == 1
    assert service.close_undo("1-OLD") == 0
    assert [operation.before for operation in service.store.operations("1-OLD")] == [()]
    with pytest.raises(ConflictError, match="too old"):
        service.undo_dream("1-OLD")
    service.undo_dream("9-NEW")
    assert service.require(ids[3]).active


def test_what_the_journal_tells_of_an_old_dream_is_not_kept_twice(service_over: Callable[..., MemoryService]) -> None:
    clock = FakeClock()
    service = service_over(MemoryStore(), clock)
    texts = ("One note.", "one note", "Two notes.", "two notes", "Three notes.", "three notes")
    ids = [service.remember(Draft(content=text), by=BY).memory.id for text in texts]
    dream(service, clock, ids[0], ids[1], "1-TOLD")
    dream(service, clock, ids[2], ids[3], "2-UNTOLD")
    clock.advance(days=100)
    dream(service, clock, ids[4], ids[5], "9-NEW")
    assert service.close_undo("2-UNTOLD", told={"1-TOLD", "9-NEW"}.intersection) == 2
    assert {one: len(list(service.store.operations(one))) for one in ("1-TOLD", "2-UNTOLD", "9-NEW")} == {"1-TOLD": 0, "2-UNTOLD": 1, "9-NEW": 1}  # fmt: skip
    assert {one.id: (one.closed, one.abridged) for one in service.dreams()} == {"1-TOLD": (True, True), "2-UNTOLD": (True, False), "9-NEW": (False, False)}  # fmt: skip
    for old in ("1-TOLD", "2-UNTOLD"):
        with pytest.raises(ConflictError, match="too old"):
            service.undo_dream(old)
    assert service.close_undo("2-UNTOLD", told={"1-TOLD", "2-UNTOLD", "9-NEW"}.intersection) == 1, "told meanwhile"
    assert not list(service.store.operations("2-UNTOLD"))
    service.undo_dream("9-NEW")
    assert service.require(ids[5]).active
