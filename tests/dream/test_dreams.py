"""Whole dreams over a real service: what they do, what they leave alone, and that they can be taken back."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from muninn import logs
from muninn.domain.draft import Draft
from muninn.domain.memory import Kind, Memory, Provenance, State
from muninn.domain.operations import Operation
from muninn.domain.records import Transaction
from muninn.domain.trust import Tier
from muninn.dream import pipeline
from muninn.errors import ConflictError, GateClosedError, NotFoundError, StoreError, UsageError
from muninn.ports import Query

if TYPE_CHECKING:
    from tests.dream.conftest import World

PERSON = Provenance(client="person")
PACKETS = "The Docker bridge network drops packets when MTU is 1500."
PACKETS_AGAIN = "the docker bridge network drops packets when mtu is 1500"
BY = Provenance(client="test")
CONTRATO = "El seguro de Norvento caduca el 30 de junio de 2026."
CONTRATO_BIS = "El seguro de Norvento caduca el 15 de mayo de 2026."


def operations(outcome: Any, op: str | None = None) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = outcome.document()["operations"]
    return [row for row in rows if op is None or row["op"] == op]


class Dice:
    """Repeatable choices."""

    def __init__(self, seed: int) -> None:
        self._rng = np.random.default_rng(seed)

    def randint(self, low: int, high: int) -> int:
        return int(self._rng.integers(low, high + 1))

    def choice(self, items: Sequence[Any]) -> Any:
        return items[self.randint(0, len(items) - 1)]

    def sample(self, items: Sequence[Any], count: int) -> list[Any]:
        return [items[int(index)] for index in self._rng.permutation(len(items))[:count]]


def disk(home: Path) -> dict[str, tuple[str, int]]:
    return {
        str(file): (hashlib.sha256(file.read_bytes()).hexdigest(), file.stat().st_mtime_ns)
        for file in home.rglob("*")
        if file.is_file()
    }


def test_a_near_verbatim_duplicate_is_merged_and_can_be_found(world: World) -> None:
    first = world.tell(PACKETS, tags=("network",))
    second = world.tell(PACKETS_AGAIN, tags=("docker",))
    outcome = world.dreamer.dream(force=True)
    (merge,) = operations(outcome, "merge")
    assert merge["into"] == first.id
    assert world.get(second).state is State.ARCHIVED
    assert world.get(second).superseded_by == first.id
    assert set(world.get(first).tags) == {"network", "docker"}
    hits = world.read.recall(Query(text="docker bridge packets", reinforce=False), now=world.clock.now()).hits
    assert [hit.memory.id for hit in hits] == [first.id]
    archived = world.read.recall(
        Query(text="docker bridge packets", include_archived=True, reinforce=False), now=world.clock.now()
    )
    assert second.id in {hit.memory.id for hit in archived.hits}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (CONTRATO, CONTRATO_BIS),
        ("My favourite colour is purple.", "My favourite colour is cyan."),
        ("Deployment to production is allowed.", "Deployment to production is not allowed."),
        ("El servidor escucha en el puerto 8080.", "El servidor escucha en el puerto 8081."),
        ("部署在东京机房。", "部署在大阪机房。"),
    ],
)
def test_another_value_is_never_merged_however_alike_the_vectors(world: World, one: str, other: str) -> None:
    direction = np.eye(1, len(np.frombuffer(world_vector(world), dtype="<f4")), dtype=np.float32)[0]
    world.tell(one, vector=direction)
    world.tell(other, vector=direction)
    outcome = world.dreamer.dream(force=True)
    assert operations(outcome, "merge") == []
    assert len(operations(outcome, "near_duplicates")) == 1


def world_vector(world: World) -> bytes:
    embedder = world.service.embedders.for_tier(Tier.PERSONAL)
    return bytes(embedder.passages(["x"], tier=Tier.PERSONAL, vault="default")[0].astype("<f4").tobytes())


def test_a_contradiction_is_annotated_not_resolved(world: World) -> None:
    old, new = world.tell(CONTRATO), world.tell(CONTRATO_BIS)
    outcome = world.dreamer.dream(force=True)
    (queued,) = operations(outcome, "near_duplicates")
    assert queued["verdict"] == "conflict"
    assert "date" in str(queued["reason"])
    assert world.get(old).active
    assert world.get(new).active
    (decision,) = world.service.decisions().values()
    assert (decision.verdict, decision.ids) == ("conflict", tuple(sorted((old.id, new.id))))


@pytest.mark.parametrize("field", [{"pinned": True}, {"kind": Kind.DECISION}])
def test_pinned_and_other_kinds_are_never_merged(world: World, field: dict[str, Any]) -> None:
    world.tell(PACKETS)
    world.tell(PACKETS_AGAIN, **field)
    assert operations(world.dreamer.dream(force=True), "merge") == []


def test_a_second_dream_does_nothing(world: World) -> None:
    told = [world.tell(text) for text in (PACKETS, PACKETS_AGAIN, CONTRATO, CONTRATO_BIS, "Postgres is primary.")]
    world.use(told[0], told[2], query="docker")
    world.link(told[0], told[2])
    world.link(told[2], told[4])
    assert operations(world.dreamer.dream(force=True))
    before = world.state()
    for _ in range(3):
        assert operations(world.dreamer.dream(force=True)) == []
        world.sleep(hours=5)
    assert world.state() == before


def test_a_legal_vault_is_counted_and_untouched(world: World) -> None:
    world.vault("legal", Tier.LEGAL)
    secret = world.tell(PACKETS, vault="legal")
    world.tell(PACKETS_AGAIN, vault="legal")
    world.use(secret, query="docker")
    world.tell("Something else.")
    before = world.state()
    outcome = world.dreamer.dream(force=True)
    assert world.state() == before
    assert "legal (2" in outcome.journal or "legal: 2" in outcome.journal
    assert "Docker" not in outcome.journal
    assert [row["vault"] for row in operations(outcome)] == []
    phases = {row["name"]: row for row in outcome.report["phases"]}
    by_vault = {one["vault"]: one["status"] for one in phases["dedup"]["vaults"]}
    assert by_vault == {"legal": "skipped", "default": "done"}


def test_text_written_under_tier_legal_keeps_it_in_any_vault(world: World) -> None:
    world.tell("Something else.")
    secret = world.tell(PACKETS, tier=Tier.LEGAL, access_count=9, relevance=0.9)
    world.tell(PACKETS_AGAIN, tier=Tier.LEGAL)
    world.use(secret, query="docker")
    before = world.state()
    outcome = world.dreamer.dream(force=True)
    assert operations(outcome) == []
    assert world.state() == before
    assert "Docker" not in world.config.journal_file.read_text()


def test_a_dry_run_changes_nothing_and_tells_the_same(world: World) -> None:
    world.tell(PACKETS)
    world.tell(PACKETS_AGAIN)
    world.dreamer.mark_due()
    state, files, meta = world.state(), disk(world.config.home), dict(world.service.meta())
    imagined = world.dreamer.dream(dry_run=True)
    assert (world.state(), disk(world.config.home), dict(world.service.meta())) == (state, files, meta)
    assert imagined.journal.startswith("---\n[DRY RUN]\n")
    real = world.dreamer.dream(force=True)
    dropped = ("applied", "skipped_because")
    planned = [{k: v for k, v in row.items() if k not in dropped} for row in operations(imagined)]
    done = [{k: v for k, v in row.items() if k not in dropped} for row in operations(real)]
    assert planned == done


def test_a_closed_gate_refuses_says_why_and_is_remembered(world: World) -> None:
    world.tell(PACKETS)
    with pytest.raises(GateClosedError, match="only 1 of 3 writes"):
        world.dreamer.dream()
    assert world.dreamer.gate()["open"] is False
    assert "only 1 of 3 writes" in world.dreamer.examine()
    for number in range(2):
        world.tell(f"note {number}")
    world.dreamer.dream()
    for number in range(3):
        world.tell(f"later note {number}")
    assert world.dreamer.gate() == {
        "open": False, "why": "0.0 h since the last dream, 12 h needed", "opens_at": "2026-03-28T18:00:00Z",
    }  # fmt: skip
    world.sleep(hours=12)
    assert world.dreamer.gate()["open"] is True


def test_an_undone_dream_returns_every_byte_and_does_not_come_back(world: World) -> None:
    told = [world.tell(text) for text in (PACKETS, PACKETS_AGAIN, CONTRATO, "Postgres is primary.")]
    world.use(told[0], told[2], query="docker")
    world.link(told[0], told[2])
    world.link(told[2], told[3])
    before = world.state()
    outcome = world.dreamer.dream(force=True)
    assert world.state() != before
    document = world.dreamer.undo()
    assert document["dream_id"] == outcome.dream_id
    assert document["left_alone"] == []
    assert world.state() == before
    again = world.dreamer.dream(force=True)
    assert {row["op"] for row in operations(again)} <= {"reinforce"}
    assert world.get(told[0]).access_count == 1
    with pytest.raises(ConflictError):
        world.dreamer.undo(outcome.dream_id)


def test_a_merge_undone_out_of_order_does_not_come_back(world: World) -> None:
    told = [world.tell(text) for text in (PACKETS, PACKETS_AGAIN)]
    first = world.dreamer.dream(force=True)
    world.sleep(days=1)
    told.append(world.tell(PACKETS.upper()))
    second = world.dreamer.dream(force=True)
    assert [len(operations(one, "merge")) for one in (first, second)] == [1, 1]
    for dream in (first, second):
        world.dreamer.undo(str(dream.dream_id))
    assert all(world.get(one).active for one in told)
    world.service.forget(told.pop().id, by=BY)
    assert operations(world.dreamer.dream(force=True), "merge") == []
    world.service.edit(told[1].id, {"tags": ["again"]}, by=BY)
    assert len(operations(world.dreamer.dream(force=True), "merge")) == 1, "asked again, now that it changed"


def test_undo_without_a_name_takes_the_newest_dream_that_changed_something(world: World) -> None:
    world.tell(PACKETS)
    world.tell(PACKETS_AGAIN)
    merging = world.dreamer.dream(force=True)
    quiet = world.dreamer.dream(force=True)
    assert [bool(one.document()["operations"]) for one in (merging, quiet)] == [True, False]
    assert world.dreamer.undo()["dream_id"] == merging.dream_id
    with pytest.raises(NotFoundError, match="no dream that changed anything"):
        world.dreamer.undo()
    assert world.dreamer.undo(str(quiet.dream_id))["restored"] == []


def test_undo_keeps_what_was_edited_and_what_was_used_since(world: World) -> None:
    first, second = world.tell(PACKETS), world.tell(PACKETS_AGAIN)
    other = world.tell("Postgres is primary.", access_count=1)
    world.use(other)
    world.dreamer.dream(force=True)
    edited = replace(world.get(first), content="rewritten by hand")
    world.commit(Transaction(memories=(edited,)))
    world.use(other)
    world.use(other)
    world.sleep(days=2)
    world.dreamer.dream(force=True)
    assert world.get(other).access_count == 4
    document = world.dreamer.undo(world.service.dreams()[-1].id)
    assert [row["id"] for row in document["left_alone"]] == [first.id]  # type: ignore[attr-defined]
    assert world.get(first) == edited
    assert world.get(second).active
    assert world.get(other).access_count == 3
    world.dreamer.dream(force=True)
    assert world.get(other).access_count == 4, "the undone usage is replayed once"


@pytest.mark.slow
def test_thirty_dreams_undone_in_reverse_restore_the_first_state(world: World) -> None:
    dice = Dice(7)
    told = [world.tell(f"Note {n} about {dice.choice(['redis', 'docker', 'la base', 'el despliegue'])}.",
                       relevance=dice.choice([0.1, 0.5, 0.9])) for n in range(12)]  # fmt: skip
    for number in range(6):
        told.append(world.tell(told[number].content.upper()))
    for _ in range(8):
        one, other = dice.sample(told, 2)
        world.link(one, other, dice.choice(["causes", "depends_on", "mentions"]))
    count = len(told)
    first = world.state()
    dreams = []
    for _ in range(30):
        for _ in range(dice.randint(0, 4)):
            world.use(*dice.sample(told, dice.randint(1, 4)), query=dice.choice(told).content)
        dreams.append(world.dreamer.dream(force=True).dream_id)
        world.sleep(days=2)
        assert world.read.count(active_only=False) == count
    assert world.state() != first
    for dream_id in reversed(dreams):
        assert world.dreamer.undo(dream_id)["left_alone"] == []
    assert world.state() == first


def test_what_waits_for_its_day_is_put_up_for_review_after_it(world: World) -> None:
    direction = world.service.embedders.for_tier(Tier.PERSONAL).passages(["x"], tier=Tier.PERSONAL, vault="default")[0]
    for at, name in enumerate("alpha bravo charlie delta echo foxtrot golf hotel india".split()):
        for the in ("The", "the"):
            world.tell(f"{the} {name} service restarts at {at + 1} o'clock", vector=direction)
    assert len(operations(world.dreamer.dream(force=True), "merge")) == 5
    for _ in range(3):
        assert operations(world.dreamer.dream(force=True)) == []
        world.sleep(hours=5)
    world.sleep(days=1)
    last = world.dreamer.dream(force=True)
    assert len(operations(last, "merge")) == 4
    assert operations(last, "near_duplicates")


def test_no_more_than_the_survival_budget_is_archived_in_a_day(world: World) -> None:
    texts = [f"Release {n} of the billing service was rolled out without trouble." for n in range(12)]
    told = [world.tell(text) for text in (*texts, *map(str.upper, texts))]
    archived = 0
    for _ in range(3):
        outcome = world.dreamer.dream(force=True)
        archived += len(operations(outcome, "merge"))
        queued = [set(row["ids"]) for row in operations(outcome, "near_duplicates")]
        pairs = [{one.id, other.id} for one in told for other in told if one.content.lower() == other.content.lower()]
        assert not any(pair in queued for pair in pairs if len(pair) == 2), "what is certain waits, it is not asked"
        world.sleep(hours=1)
    assert archived == 5
    world.sleep(days=1)
    assert len(operations(world.dreamer.dream(force=True), "merge")) == 5


def test_a_dream_that_runs_out_of_time_goes_on_in_the_next(world: World) -> None:
    world.tell(PACKETS)
    world.tell(PACKETS_AGAIN)
    world.dreamer.mark_due()
    outcome = world.dreamer.dream(force=True, timeout=0.0)
    assert outcome.status == "aborted"
    assert world.dreamer.due()
    assert operations(outcome, "merge") == []
    assert world.dreamer.gate()["open"] is False
    world.sleep(hours=13)
    assert world.dreamer.gate()["open"] is True, "unfinished work satisfies the count"
    finished = world.dreamer.dream()
    assert len(operations(finished, "merge")) == 1
    assert finished.status == "completed"
    assert not world.dreamer.due()


def test_the_gate_says_when_it_opens_after_dreams_that_did_not_finish(world: World) -> None:
    for text in (PACKETS, PACKETS_AGAIN, CONTRATO):
        world.tell(text)
    for _ in range(6):
        world.dreamer.dream(force=True, timeout=0.0)
    world.sleep(hours=13)
    gate = world.dreamer.gate()
    assert (gate["open"], gate["opens_at"]) == (False, "2026-03-28T22:00:00Z")
    assert "did not finish" in str(gate["why"])
    world.sleep(hours=3)
    assert world.dreamer.gate()["open"] is True


def test_a_plan_is_carried_out_exactly_or_refused(world: World) -> None:
    world.tell(PACKETS)
    loser = world.tell(PACKETS_AGAIN)
    plan = world.dreamer.dream(dry_run=True).document()["plan"]
    done = world.dreamer.dream(plan=plan)  # type: ignore[arg-type]
    assert not world.get(loser).active
    assert done.dream_id == plan["dream_id"]  # type: ignore[index]
    with pytest.raises(ConflictError):
        world.dreamer.dream(plan=plan)  # type: ignore[arg-type]
    stale = world.dreamer.dream(dry_run=True).document()["plan"]
    world.tell("Written after the plan.")
    with pytest.raises(ConflictError, match="changed since the plan"):
        world.dreamer.dream(plan=stale)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="it has no 'dream_id'"):
        world.dreamer.dream(plan={"muninn_plan": 1})


def test_a_plan_older_than_the_last_dream_is_refused(world: World) -> None:
    world.tell(PACKETS, vault="work")
    world.tell(PACKETS_AGAIN, vault="work")
    plan = world.dreamer.dream(dry_run=True, vault="work").document()["plan"]
    world.tell(CONTRATO, vault="home")
    other = world.dreamer.dream(force=True, vault="home")
    with pytest.raises(ConflictError, match="is older than the last dream"):
        world.dreamer.dream(plan=plan)  # type: ignore[arg-type]
    assert world.dreamer.last_dream() == {**(world.dreamer.last_dream() or {}), "dream_id": other.dream_id}


def test_an_undone_dream_does_not_come_back_by_a_plan_from_before(world: World) -> None:
    world.tell(PACKETS)
    loser = world.tell(PACKETS_AGAIN)
    plan = world.dreamer.dream(dry_run=True).document()["plan"]
    world.dreamer.dream(force=True)
    world.dreamer.undo()
    with pytest.raises(ConflictError, match="is older than the last dream"):
        world.dreamer.dream(plan=plan)  # type: ignore[arg-type]
    assert world.get(loser).active


def test_the_gates_close_when_a_plan_is_carried_out_not_when_it_was_made(world: World) -> None:
    for text in (PACKETS, PACKETS_AGAIN, CONTRATO):
        world.tell(text)
    plan = world.dreamer.dream(dry_run=True).document()["plan"]
    world.sleep(hours=11)
    done = world.dreamer.dream(plan=plan)  # type: ignore[arg-type]
    assert f"## {world.clock.now():%Y-%m-%dT%H:%M:%SZ} -- Dream {done.dream_id}" in done.journal
    for number in range(3):
        world.tell(f"Something new, number {number}.")
    world.sleep(hours=2)
    assert world.dreamer.gate()["open"] is False
    world.sleep(hours=10)
    assert world.dreamer.gate()["open"] is True


def test_consolidation_by_day_moves_neither_gate_nor_due_marker(world: World) -> None:
    world.tell(PACKETS)
    world.tell(PACKETS_AGAIN)
    world.tell(CONTRATO)
    world.dreamer.mark_due()
    outcome = world.dreamer.consolidate()
    assert outcome is not None
    assert [row["op"] for row in operations(outcome)] == ["merge"]
    assert world.dreamer.due()
    assert world.dreamer.gate()["open"] is True
    assert [record.kind for record in world.service.dreams()] == ["consolidation"]
    quiet = world.dreamer.consolidate()
    assert quiet is not None
    assert len(world.service.dreams()) == 1, "only what did something is recorded"
    assert "By day: one change" in world.config.journal_file.read_text()


def test_consolidation_that_changes_nothing_need_not_compare_again(world: World) -> None:
    world.tell(CONTRATO)
    world.tell("Postgres is primary.")
    compared = []
    for _ in range(3):
        outcome = world.dreamer.consolidate()
        assert outcome is not None
        assert operations(outcome) == []
        compared.append([one.figures["compared"] for one in outcome.plan.reports if "compared" in one.figures])
        noted = world.service.meta()
        world.sleep(hours=6)
    assert compared == [[2], [], []]
    assert world.service.meta() == noted
    assert world.service.dreams() == ()
    assert not world.config.journal_file.exists()


def test_consolidation_leaves_reviews_for_the_night(world: World) -> None:
    world.tell(CONTRATO)
    world.tell(CONTRATO_BIS)
    world.tell(PACKETS)
    world.tell(PACKETS_AGAIN)
    consolidated = world.dreamer.consolidate()
    assert consolidated is not None
    assert operations(consolidated, "near_duplicates") == []
    assert len(operations(world.dreamer.dream(force=True), "near_duplicates")) == 1


def test_one_vault_can_be_dreamed_alone(world: World) -> None:
    for vault in ("one", "two"):
        world.tell(PACKETS, vault=vault)
        world.tell(PACKETS_AGAIN, vault=vault)
    outcome = world.dreamer.dream(force=True, vault="two")
    assert {row["vault"] for row in operations(outcome)} == {"two"}
    assert len(operations(world.dreamer.dream(force=True), "merge")) == 1
    with pytest.raises(NotFoundError):
        world.dreamer.dream(force=True, vault="three")


def test_a_dream_that_costs_an_answer_is_taken_back(world: World) -> None:
    first, second = world.tell(PACKETS), world.tell(PACKETS_AGAIN)
    world.tell("Postgres is primary.")
    with world.losing(first, without=second):
        outcome = world.dreamer.dream(force=True)
    assert outcome.status == "rolled_back"
    assert world.get(second).active
    assert world.get(first).active
    (merge,) = operations(outcome, "merge")
    assert (merge["applied"], merge["skipped_because"]) == (False, "taken back")
    assert "Taken back" in outcome.journal
    assert operations(world.dreamer.dream(force=True), "merge") == []


def test_undoing_a_second_merge_of_the_same_leaves_the_lineage_of_the_first(world: World) -> None:
    first, second = world.tell(PACKETS), world.tell(PACKETS_AGAIN)
    world.dreamer.dream(force=True)
    loser = next(one for one in (first, second) if not world.get(one).active)
    world.service.restore(loser.id, by=BY)
    world.service.forget(loser.id, by=BY)
    world.sleep(hours=1)
    world.service.remember(Draft(content=loser.content), by=BY)  # told anew, it may be merged again
    before = world.state()
    again = world.dreamer.dream(force=True)
    assert len(operations(again, "merge")) == 1
    assert world.dreamer.undo(again.dream_id)["left_alone"] == []
    assert world.state() == before


def test_nothing_asked_by_the_probe_counts_as_use(world: World) -> None:
    world.tell(PACKETS)
    world.tell(PACKETS_AGAIN)
    world.dreamer.dream(force=True)
    assert list(world.service.usage_since("")) == []


def test_a_dream_that_was_not_told_is_told_at_the_next_start(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    for text in (PACKETS, PACKETS_AGAIN, CONTRATO):
        world.tell(text)
    world.dreamer.mark_due()
    journal = world.dreamer._journal
    monkeypatch.setattr(journal, "append", lambda *_, **__: (_ for _ in ()).throw(OSError("power cut")))
    with pytest.raises(StoreError, match="power cut"):
        world.dreamer.dream()
    monkeypatch.undo()
    assert world.dreamer.due()
    assert world.dreamer.dream_at_start() is None, "the dream that happened counts, so the gate is closed"
    text = world.config.journal_file.read_text()
    assert text.count("-- Dream") == 1
    assert "Merged" in text
    assert world.dreamer.recover() is None


def test_two_dreams_never_run_at_once(world: World) -> None:
    world.tell(PACKETS)
    with world.dreamer._alone(), pytest.raises(ConflictError, match="under way"):
        world.dreamer.dream(force=True)


def test_dreams_are_told_in_spanish(make_world: Callable[..., World]) -> None:
    world = make_world(language="es")
    world.tell(PACKETS)
    world.tell(PACKETS_AGAIN)
    text = world.dreamer.dream(force=True).journal
    assert "**Ordenado:**" in text
    assert "iguales salvo mayúsculas" in text
    assert "deshacer: muninn undo" in text
    assert "Merged" not in text


def test_forgetting_for_good_leaves_nothing_in_the_journal(world: World) -> None:
    world.tell(PACKETS)
    loser = world.tell(PACKETS_AGAIN)
    world.dreamer.dream(force=True)
    world.dreamer.purge(loser.id, by=loser.provenance)
    for file in (world.config.journal_file, world.config.journal_file.with_suffix(".jsonl")):
        assert loser.id not in file.read_text()
        assert loser.content not in file.read_text()


def _used(world: World, memory: Memory, times: int) -> None:
    for _ in range(times):
        world.use(memory, query=memory.content)


def test_stability_rises_with_days_of_use_and_not_with_dreams(world: World) -> None:
    used = world.tell("Deploys go out on Tuesdays.", relevance=0.8)
    world.tell("Another note.")
    _used(world, used, 6)
    world.dreamer.dream(force=True)
    assert world.get(used).stability == pytest.approx(14 * 1.2)
    for _ in range(4):
        world.sleep(hours=13)
        world.dreamer.dream(force=True)
    assert world.get(used).stability == pytest.approx(14 * 1.2)
    _used(world, used, 3)
    world.sleep(days=1)
    _used(world, used, 1)
    world.sleep(days=1)
    world.dreamer.dream(force=True)
    assert world.get(used).stability == pytest.approx(14 * 1.2**3), "two days of use since"


@pytest.mark.slow
def test_stability_falls_by_elapsed_time_whatever_the_number_of_dreams(make_world: Callable[..., World]) -> None:
    left = []
    for often in (60, 6):
        world = make_world(name=str(often))
        dull = world.tell("A dull note.", relevance=0.1, stability=90.0)
        world.sleep(days=31)
        world.dreamer.dream(force=True)
        assert world.get(dull).stability == pytest.approx(72.0)
        for _ in range(often):
            world.sleep(days=60 / often)
            world.dreamer.dream(force=True)
        left.append(world.get(dull).stability)
        assert left[-1] > 14.0
    assert left[0] == pytest.approx(left[1], rel=0.06), "a week at most is still to be charged"


def test_stability_never_leaves_its_bounds(world: World) -> None:
    high = world.tell("Important.", relevance=1.0, stability=360.0, access_count=50)
    low = world.tell("Not important.", relevance=0.0, stability=15.0)
    world.sleep(days=100)
    _used(world, high, 1)
    world.dreamer.dream(force=True)
    assert world.get(high).stability == 365.0
    assert world.get(low).stability == 14.0


def test_what_was_recalled_together_is_bound(world: World) -> None:
    one, other = world.tell("Redis runs on port 6379."), world.tell("La caché caduca a los 5 minutos.")
    world.use(one, other, query="redis")
    world.dreamer.dream(force=True)
    (link,) = world.read.links_of(one.id)
    assert (link.relation, link.origin) == ("co_activated", "dream")
    first = link.weight
    world.use(other, one, query="caché")
    world.dreamer.dream(force=True)
    (link,) = world.read.links_of(other.id)
    assert first < link.weight < 1.0


def test_a_hub_becomes_a_schema_once(world: World) -> None:
    hub = world.tell("Everything about deployments.", relevance=0.9)
    for number in range(10):
        world.link(world.tell(f"Deployment note number {number * 17}."), hub, "part_of", 0.8)
    outcome = world.dreamer.dream(force=True)
    (promotion,) = operations(outcome, "promote")
    assert promotion["ids"] == [hub.id]
    assert world.get(hub).kind is Kind.SCHEMA
    assert 0.9 < world.get(hub).relevance <= 1.0
    assert operations(world.dreamer.dream(force=True), "promote") == []


def test_inferred_links_are_made_and_fall_with_their_premise(world: World) -> None:
    a, b, c = (world.tell(text) for text in ("A leaky pipe.", "A wet floor.", "A slipped visitor."))
    world.link(a, b, "causes", 0.9)
    world.link(b, c, "causes", 0.8)
    world.dreamer.dream(force=True)
    (inferred,) = [link for link in world.read.links_of(a.id) if link.relation == "inferred"]
    assert (inferred.source, inferred.target, inferred.premises) == (a.id, c.id, (b.id,))
    assert inferred.weight == pytest.approx(0.8 * 0.9 * 0.8)
    assert operations(world.dreamer.dream(force=True)) == []
    world.commit(Transaction(memories=(replace(world.get(b), state=State.FORGOTTEN),)))
    outcome = world.dreamer.dream(force=True)
    assert [row["op"] for row in operations(outcome)] == ["link"]
    assert [link for link in world.read.links_of(a.id) if link.relation == "inferred"] == []


@pytest.mark.parametrize("how", ["unlink first", "unlink second", "forget", "purge", "supersede"])
def test_an_inferred_link_falls_at_once_with_its_premise(world: World, how: str) -> None:
    a, b, c, d = (world.tell(text) for text in ("A leaky pipe.", "A wet floor.", "A slipped visitor.", "A warm day."))
    for source, target in ((a, b), (b, c), (a, d), (d, c)):
        world.link(source, target, "causes", 0.9)
    world.dreamer.dream(force=True)

    def inferred() -> set[tuple[str, str]]:
        return {(link.source, link.target) for link in world.store.links() if link.relation == "inferred"}

    through_b = {(link.source, link.target) for link in world.store.links() if link.premises == (b.id,)}
    before = inferred()
    assert (a.id, c.id) in through_b
    match how:
        case "unlink first":
            world.service.unlink(a.id, b.id, relation="causes", by=PERSON)
        case "unlink second":
            world.service.unlink(b.id, c.id, relation="causes", by=PERSON)
        case "forget":
            world.service.forget(b.id, by=PERSON)
        case "purge":
            world.service.purge(b.id, by=PERSON)
        case _:
            world.service.remember(Draft(content="A dry floor.", vault="default", supersedes=b.id), by=PERSON)
    assert inferred() == before - through_b
    world.dreamer.dream(force=True)
    assert (a.id, c.id) in inferred(), "another way leads there"


def test_undone_promotions_and_stability_do_not_come_back(world: World) -> None:
    hub = world.tell("Everything about deployments.", relevance=0.9, access_count=8)
    for number in range(10):
        world.link(world.tell(f"Deployment note number {number * 17}."), hub, "part_of", 0.8)
    outcome = world.dreamer.dream(force=True)
    assert {row["op"] for row in operations(outcome)} >= {"promote", "stabilise"}
    world.dreamer.undo()
    world.sleep(days=3)
    assert operations(world.dreamer.dream(force=True)) == []
    edited = replace(world.get(hub), content="Everything about deployments, rewritten.")
    world.commit(Transaction(memories=(edited,)))
    assert "promote" in {row["op"] for row in operations(world.dreamer.dream(force=True))}


def test_a_dream_of_one_vault_leaves_the_due_marker(world: World) -> None:
    world.tell(PACKETS, vault="one")
    world.dreamer.mark_due()
    world.dreamer.dream(force=True, vault="one")
    assert world.dreamer.due()
    world.dreamer.dream(force=True)
    assert not world.dreamer.due()


def test_a_phase_that_breaks_leaves_its_way_through_the_code_and_not_its_words(
    make_world: Callable[..., World], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_context: object) -> Iterator[Operation]:
        raise ValueError(PACKETS)
        yield

    before = logging.getLogger().handlers[:]
    world = make_world()
    world.tell(PACKETS)
    phases = tuple(replace(one, function=broken) if one.name == "dedup" else one for one in pipeline.PIPELINE)
    monkeypatch.setattr("muninn.dream.planning.run", partial(pipeline.run, phases=phases))
    logs.configure(tmp_path / "muninn.log")
    world.dreamer.dream(force=True)
    logs.configure(None)
    logging.getLogger().handlers[:] = before
    lines = [json.loads(line) for line in (tmp_path / "muninn.log").read_text("utf-8").splitlines()]
    failed = [line for line in lines if line["event"] == "phase_failed"]
    assert [(line["phase"], line["vault"]) for line in failed] == [("dedup", "default")]
    assert "in broken" in failed[0]["exception"]
    assert PACKETS not in (tmp_path / "muninn.log").read_text("utf-8")
