"""What a purge says about copies, and what a dry run leaves out of the ledger, and what not."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Thread

import pytest

from muninn.app import App, build
from muninn.config import Config, EmbedConfig, StoreConfig
from muninn.domain.trust import Tier
from muninn.errors import EgressRefusedError
from muninn.ports import Envelope
from tests.fakes.asked import ask


@pytest.fixture
def app(tmp_path: Path) -> Iterator[App]:
    config = Config(home=tmp_path / "home", embed=EmbedConfig(model="hashed"), store=StoreConfig(reserve_mb=0))
    with build(config, environ={}) as made:
        yield made


def test_a_purge_names_the_copies_that_may_hold_the_text_and_no_older_ones(app: App) -> None:
    older = ask(app, "POST", "/v1/backup")["folder"]
    secret = ask(app, "POST", "/v1/memories", {"content": "La clave del trastero es 4711."})["id"]
    backup = ask(app, "POST", "/v1/backup")["folder"]
    aside = app.config.home / "data.before-restore.20260101T000000Z"
    aside.mkdir()
    erased = ask(app, "DELETE", f"/v1/memories/{secret}?purge=true")
    assert erased["backups"] == sorted([backup, str(aside)])
    assert older not in erased["backups"]


PAIRS = (
    "The staging API listens on port 8443.", "the staging API listens on port 8443",
    "Redis keeps sessions for a day.", "redis keeps sessions for a day",
)  # fmt: skip


@pytest.mark.parametrize("role", ["into", "loser"])
def test_a_dream_is_undone_for_all_that_was_not_erased_since(app: App, role: str) -> None:
    ids = [ask(app, "POST", "/v1/memories", {"content": one, "tags": [one[-3:]]})["id"] for one in PAIRS]
    for _ in range(3):
        ask(app, "POST", "/v1/recall", {"query": "sessions port staging API redis"})
    before = {one: ask(app, "GET", f"/v1/memories/{one}") for one in ids}
    dream = ask(app, "POST", "/v1/dreams", {"force": True, "no_llm": True})
    merge = next(one for one in dream["operations"] if one["op"] == "merge")
    loser = next(one for one in merge["ids"] if one != merge["into"])
    gone, left = (merge["into"], loser) if role == "into" else (loser, merge["into"])
    ask(app, "DELETE", f"/v1/memories/{gone}?purge=true")
    undone = ask(app, "POST", "/v1/dreams/last/undo")
    rows = {one["id"]: one["why"] for one in undone["left_alone"] if "->" not in one["id"]}
    assert rows == {gone: "erased since"}
    assert set(undone["restored"]) == set(ids) - {gone}
    for one in set(ids) - {gone}:
        now = ask(app, "GET", f"/v1/memories/{one}")
        for field in ("content", "title", "tags", "state", "merged_from", "superseded_by", "stability"):
            assert now[field] == before[one][field], field
    assert gone not in str(list(app.store.decisions()))
    assert ask(app, "GET", f"/v1/memories/{left}")["access_count"] <= 8


def test_copies_are_told_by_when_they_were_made(app: App) -> None:
    now = datetime.now(UTC)  # noqa: TID251 - the files carry the system's time
    backup = Path(ask(app, "POST", "/v1/backup")["folder"])
    assert app.copies_since(now - timedelta(minutes=1)) == (backup,)
    assert app.copies_since(now + timedelta(minutes=1)) == ()


def test_a_rehearsal_hushes_the_ledger_for_its_own_thread_alone(app: App) -> None:
    def attempt(purpose: str) -> None:
        envelope = Envelope(vault="v", tier=Tier.LEGAL, purpose=purpose, provider="ollama", model="m")
        with pytest.raises(EgressRefusedError):
            app.models.gate.refuse(envelope, "127.0.0.1:1", "tier legal")

    with app.rehearsal():
        attempt("rehearsed")
        other = Thread(target=attempt, args=("meant",))
        other.start()
        other.join()
    attempt("afterwards")
    assert sorted(entry.purpose for entry in app.store.egress()) == ["afterwards", "meant"]


@pytest.mark.parametrize("seconds", [-1, 0, 1e9])
def test_a_time_box_that_is_none_is_refused(app: App, seconds: float) -> None:
    refused = ask(app, "POST", "/v1/dreams", {"force": True, "timeout": seconds}, status=400)
    assert refused["exit_code"] == 2
    assert "timeout" in refused["detail"]
    assert ask(app, "GET", "/v1/dreams")["dreams"] == []
