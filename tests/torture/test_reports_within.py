"""Reports of what went wrong elsewhere, each as what happens here instead: in one process. The table is in ``test_reports.py``."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from muninn import failpoints
from muninn.api.local import dispatch
from muninn.app import App, build
from muninn.config import Config, EmbedConfig, LlmConfig, StoreConfig
from muninn.daemon.scheduler import CONSOLIDATE_HOURS, Schedule
from muninn.domain.draft import Draft
from muninn.domain.memory import STABILITY_FLOOR, Provenance
from muninn.domain.records import Transaction
from muninn.domain.separation import Text, merge_verdict
from muninn.errors import LockedError, StoreError
from muninn.ports import Query
from muninn.store.lance import LanceStore
from muninn.testing import FakeClock
from tests.torture.home import ROOT

BY = Provenance(client="test")


@pytest.fixture
def config(tmp_path: Path) -> Config:
    return Config(
        home=tmp_path / "home", embed=EmbedConfig(model="hashed"), store=StoreConfig(reserve_mb=0), llm=LlmConfig(providers=())
    )  # fmt: skip


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def app(config: Config, clock: FakeClock) -> Iterator[App]:
    with build(config, environ={}, clock=clock) as made:
        yield made


def add(app: App, **fields: Any) -> str:
    status, answer = dispatch(app, "POST", "/v1/memories", fields)
    assert status == 201, answer
    return str(answer["id"])


def test_a03_what_nobody_uses_fades_and_stays(app: App, clock: FakeClock) -> None:
    rows = [{"content": f"note {number}", "stability": 15.0 + number, "relevance": 0.1} for number in range(9)]
    assert dispatch(app, "POST", "/v1/import", {"rows": rows})[1]["imported"] == 9
    for _ in range(26):
        clock.advance(days=7)
        app.dreamer.dream(force=True)
    found = {memory.content: memory for memory, _ in app.store.memories()}
    assert found.keys() == {row["content"] for row in rows}
    assert all(memory.active for memory in found.values())
    assert {memory.stability for memory in found.values()} == {STABILITY_FLOOR}


def test_a04_what_is_merged_by_day_is_told_and_can_be_undone_and_pins_hold(app: App) -> None:
    ids = [add(app, content=text, pinned=pinned)
           for text, pinned in (("The relay is green.", False), ("the relay is green", False), ("Pins hold.", True), ("pins hold", False))]  # fmt: skip
    before = {memory.id: memory for memory, _ in app.store.memories()}
    app.dreamer.consolidate()
    states = {memory.id: memory.state.value for memory, _ in app.store.memories()}
    assert sorted(states[key] for key in ids[:2]) == ["active", "archived"]
    assert [states[key] for key in ids[2:]] == ["active", "active"]
    assert ids[0] in app.config.journal_file.read_text()
    assert ids[1] in app.config.journal_file.read_text()
    app.dreamer.undo()
    assert {memory.id: memory for memory, _ in app.store.memories()} == before


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("My favourite colour is purple.", "My favourite colour is cyan.", id="a05"),
        pytest.param("Merged PR #260.", "Merged PR #480.", id="a06"),
        pytest.param("Elegimos Redis en vez de Kafka.", "Elegimos Postgres en vez de Oracle.", id="a07"),
    ],
)
def test_a05_a06_a07_one_pattern_with_two_values_is_two_memories(one: str, other: str) -> None:
    assert merge_verdict(Text(None, one), Text(None, other), cosine=0.99).action == "review"
    assert merge_verdict(Text(None, one), Text(None, one.upper()), cosine=0.99).action == "merge"


def test_a08_a_marker_that_a_crash_brought_back_costs_no_second_dream(app: App, config: Config) -> None:
    for text in ("The relay is green.", "the relay is green", "another"):
        add(app, content=text)
    app.dreamer.mark_due()
    first = app.dreamer.dream_at_start()
    assert first is not None
    assert not app.dreamer.due()
    app.dreamer.mark_due()  # its removal had not reached the disk
    assert app.dreamer.dream_at_start() is None
    assert len(app.service.dreams()) == 1
    assert app.dreamer.dream(force=True).document()["operations"] == []


def test_a09_an_embedder_that_is_away_is_said_and_not_replaced(config: Config) -> None:
    away = replace(config, embed=EmbedConfig(model="ollama/absent", url="http://127.0.0.1:9", dimensions=8))
    with build(away, environ={}) as app:
        app.service.remember(Draft(content="The relay listens on port 4242."), by=BY)
        answer = app.service.recall(Query(text="relay port"))
        assert [hit.memory.content for hit in answer.hits] == ["The relay listens on port 4242."]
        assert app.status()["embedding_pending"] == 1
        assert [(memory.embedding_model, vector) for memory, vector in app.store.memories()] == [(None, None)]


def test_a10_what_was_archived_stays_away_on_every_path(app: App) -> None:
    add(app, content="The gate to Kraken is green.", title="Kraken Gateway")
    add(app, content="the gate to kraken is green", title="Kraken Gateway")
    app.dreamer.dream(force=True)
    (gone,) = [memory.id for memory, _ in app.store.memories() if not memory.active]
    kept = next(memory.id for memory, _ in app.store.memories() if memory.active)
    for query in ("gate to Kraken green", "Kraken Gateway"):
        assert gone not in str(dispatch(app, "POST", "/v1/recall", {"query": query})[1]["results"]).replace(
            f"'merged_from': ['{gone}']", ""
        )
    assert [row["id"] for row in dispatch(app, "GET", "/v1/memories")[1]["memories"]] == [kept]
    status, new = dispatch(
        app, "POST", "/v1/memories", {"content": "The gate to Kraken was green once, says Kraken Gateway."}
    )
    assert status == 201
    assert gone not in [one["id"] for one in new["similar"]]
    assert gone not in [one["target"] for one in new["links"]]
    assert gone not in [one["source"] for one in dispatch(app, "GET", f"/v1/memories/{new['id']}/links")[1]["links"]]


@pytest.mark.parametrize("moment", ["2999-01-01T00:00:00Z", "2026-03-30T06:00:00Z", "NaN", "yesterday", None])
def test_a13_a_time_of_birth_is_a_time_and_not_in_the_future(app: App, moment: object) -> None:
    status, _ = dispatch(app, "POST", "/v1/memories", {"content": "x", "created_at": moment})
    assert status == (201 if moment is None else 400)
    add(app, content="y", created_at="2026-03-27T06:00:00Z")


def test_a14_a_malformed_id_is_not_found(app: App) -> None:
    for path in ("rebuild", "%00", "..%2f..%2fetc", "a" * 5000, "%ff%fe", "'", "{id}"):
        for method in ("GET", "DELETE", "PATCH"):
            status, _ = dispatch(app, method, f"/v1/memories/{path}", {} if method == "PATCH" else None)
            assert status in (400, 404), (method, path, status)


def test_a38_a_second_opener_of_the_store_is_refused(app: App, config: Config) -> None:
    with pytest.raises(LockedError, match="in use"):
        build(config, environ={})
    app.service.remember(Draft(content="and the first one goes on"), by=BY)


def test_a41_a_passing_error_is_not_taken_for_damage(app: App, config: Config) -> None:
    app.service.remember(Draft(content="here to stay"), by=BY)
    failpoints.arm("store.upsert.memories=err:24@1")  # too many open files
    try:
        with pytest.raises(StoreError):
            app.store.checkpoint()
    finally:
        failpoints.arm("")
    assert [memory.content for memory, _ in app.store.memories()] == ["here to stay"]
    app.store.checkpoint()
    assert [memory.content for memory, _ in app.store.memories()] == ["here to stay"]
    assert not [path for path in config.home.rglob("*") if "corrupt" in path.name or path.suffix == ".torn"]
    assert app.doctor(verify=True)["checks"][-1]["ok"]


@pytest.mark.slow
def test_a45_many_single_writes_stay_small_on_disk(app: App, config: Config) -> None:
    for number in range(600):
        app.service.remember(Draft(content=f"single write {number}"), by=BY)
        if number % 6 == 0:
            app.store.checkpoint()
    app.store.checkpoint()
    assert app.store.statistics()["fragments"] < 80, app.store.statistics()
    files = [path for path in config.data.rglob("*") if path.is_file()]
    assert len(files) < 1000
    assert sum(path.stat().st_size for path in files) < 30e6


_COMPACT = """
import sys
from pathlib import Path
from muninn import failpoints
from muninn.config import StoreConfig
from muninn.store.lance import LanceStore
store = LanceStore(Path(sys.argv[1]), StoreConfig(reserve_mb=0))
failpoints.arm(sys.argv[2])
store.maintain()
"""


@pytest.mark.slow
@pytest.mark.parametrize("point", ["store.maintain", "store.sync", "fs.rename", "store.before_clean"])
def test_a46_killed_while_compacting_the_store_is_whole(app: App, config: Config, tmp_path: Path, point: str) -> None:
    for number in range(20):
        app.service.remember(Draft(content=f"note {number}"), by=BY)
        app.store.checkpoint()
    copy = tmp_path / "copy"
    with app.store.frozen():
        shutil.copytree(config.data, copy)
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    words = [sys.executable, "-c", _COMPACT, str(copy), f"{point}=kill"]
    died = subprocess.run(words, env=environ, capture_output=True, check=False)
    assert died.returncode == -signal.SIGKILL, died.stderr
    store = LanceStore(copy, StoreConfig(reserve_mb=0))
    assert len(list(store.memories())) == 20
    store.maintain()
    assert len(list(store.memories())) == 20
    store.close()


def test_a48_another_embedder_loses_no_row(config: Config) -> None:
    with build(config, environ={}) as app:
        for number in range(5):
            app.service.remember(Draft(content=f"nota número {number}"), by=BY)
    other = replace(config, embed=EmbedConfig(model="ollama/absent", url="http://127.0.0.1:9", dimensions=8))
    with build(other, environ={}) as changed:
        assert changed.read.count() == 5
        assert len(list(changed.store.memories())) == 5
    with build(config, environ={}) as back:
        assert all(vector for _, vector in back.store.memories())


def test_a49_quotes_in_names_and_ids_touch_only_themselves(app: App) -> None:
    kept = app.service.remember(Draft(content="an innocent bystander"), by=BY).memory
    evil = "x' OR 1=1 --"
    own = app.service.remember(Draft(content="the one to go", tags=(evil,), title=evil), by=BY).memory
    for method, path in (
        ("DELETE", f"/v1/memories/{evil}"),
        ("GET", f"/v1/memories?vault={evil}"),
        ("POST", f"/v1/dreams/{evil}/undo"),
    ):
        status, _ = dispatch(app, method, path.replace(" ", "%20"), {} if method == "POST" else None)
        assert status in (400, 404)
    app.service.purge(own.id, by=BY)
    rows = [{"id": evil, "content": "its very id"}]
    assert dispatch(app, "POST", "/v1/import", {"rows": rows, "exact": True})[1]["rejected"]
    app.store.append(Transaction(purge=("x') OR ('1'='1",)))  # as if such an id had come in
    app.store.checkpoint()
    assert [memory.id for memory, _ in app.store.memories()] == [kept.id]


def test_a50_a_vector_of_another_width_is_refused(app: App) -> None:
    model = app.embedders.default.model
    row = {"content": "three numbers", "embedding": [0.1, 0.2, 0.3], "embedding_model": model}
    status, answer = dispatch(app, "POST", "/v1/import", {"rows": [row]})
    assert status == 200
    assert answer["imported"] == 0
    assert "numbers" in answer["rejected"][0]["why"]


def test_a58_half_a_surrogate_is_refused_by_the_name_of_its_field(app: App) -> None:
    status, answer = dispatch(app, "POST", "/v1/memories", {"content": "x", "title": "\ud83d"})
    assert status == 400
    assert "title holds a lone surrogate" in answer["title"]


def test_a59_an_id_that_is_taken_is_not_written_over(app: App) -> None:
    kept = app.service.remember(Draft(content="the first"), by=BY).memory
    row = {"id": kept.id, "content": "the second"}
    for exact in (True, False):
        status, answer = dispatch(app, "POST", "/v1/import", {"rows": [row], "exact": exact})
        assert status == 200
        assert answer["rejected"], answer
    assert [memory.content for memory, _ in app.store.memories()] == ["the first"]


def test_a61_work_by_the_clock_that_was_slept_through_is_done_soon() -> None:
    now = datetime.fromtimestamp(time.time(), UTC)

    def following(last: datetime | None) -> timedelta:
        made = Schedule(
            Config(home=Path("/nowhere")), consolidate=print, dream=print, upkeep=print, backup=print, last_consolidation=last
        )  # fmt: skip
        made.start()
        found = made.next_run("consolidation")
        made.close()
        assert found is not None
        return found - now

    assert following(now - timedelta(hours=30)) < timedelta(minutes=20)
    assert timedelta(hours=3) < following(now - timedelta(hours=2)) < timedelta(hours=5)
    assert following(None) > timedelta(hours=CONSOLIDATE_HOURS - 1)
    assert following(now + timedelta(days=400)) < timedelta(hours=CONSOLIDATE_HOURS + 1)
