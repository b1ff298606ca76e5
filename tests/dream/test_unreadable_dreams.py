"""The record of a dream that cannot be read: it is named and stays, and everything else works on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import lancedb
import pytest

from muninn.app import App
from muninn.dream.journal import Journal
from muninn.errors import ConflictError
from tests.fakes.asked import ask, opened

PAIRS = (
    ("The alpha service restarts at one o'clock", "the alpha service restarts at one o'clock."),
    ("The beta queue is drained every night", "the beta queue is drained every night!"),
)


def dream(app: App) -> Any:
    return ask(app, "POST", "/v1/dreams", {"force": True, "no_llm": True})


@pytest.fixture
def damaged(tmp_path: Path) -> Iterator[Callable[[int], tuple[App, list[str]]]]:
    """A home of two dreams that merged, of which the record of one cannot be read; and the ids of both."""
    apps: list[App] = []

    def make(which: int) -> tuple[App, list[str]]:
        ids = []
        with opened(tmp_path) as app:
            for pair in PAIRS:
                for text in pair:
                    ask(app, "POST", "/v1/memories", {"content": text})
                ids.append(dream(app)["dream_id"])
            app.store.checkpoint()
        table = lancedb.connect(tmp_path / "home" / "data").open_table("dreams")
        table.update(where=f"key = '{ids[which]}'", values={"body": b"\xc1"})
        apps.append(opened(tmp_path))
        return apps[0], ids

    yield make
    for app in apps:
        app.close()


@pytest.mark.parametrize("which", [0, 1])
def test_it_is_shown_with_what_is_known_and_a_dream_follows(
    damaged: Callable[[int], tuple[App, list[str]]], which: int
) -> None:
    app, ids = damaged(which)
    listed = {one["dream_id"]: one for one in ask(app, "GET", "/v1/dreams")["dreams"]}
    assert sorted(listed) == sorted(ids)
    assert [listed[key].get("damaged", False) for key in ids] == [which == 0, which == 1]
    assert (listed[ids[which]]["kind"], listed[ids[which]]["status"]) == ("dream", "completed")
    assert listed[ids[which]]["started_at"] > "2020"
    assert ask(app, "GET", "/v1/status")["last_dream"]["dream_id"] == ids[1]
    assert [one["dream_id"] for one in ask(app, "GET", "/v1/journal")["entries"]] == ids
    assert ask(app, "GET", "/v1/stats")["dreams"]
    app.dreamer.mark_due()
    assert app.dreamer.recover() is None
    assert app.dreamer.due()
    followed = dream(app)
    assert (followed["status"], followed["operations"]) == ("completed", [])
    app.upkeep()


@pytest.mark.parametrize("which", [0, 1])
def test_doctor_names_it_and_the_remedy(damaged: Callable[[int], tuple[App, list[str]]], which: int) -> None:
    app, ids = damaged(which)
    (found,) = (one for one in app.doctor(verify=False)["checks"] if not one["ok"])
    assert ids[which] in found["detail"]
    assert ids[1 - which] not in found["detail"]
    assert "muninn backup restore" in found["detail"]


def test_it_cannot_be_undone_and_the_other_can(damaged: Callable[[int], tuple[App, list[str]]]) -> None:
    app, ids = damaged(1)
    with pytest.raises(ConflictError, match=f"{ids[1]} cannot be read, so it cannot be undone") as caught:
        app.dreamer.undo("last")
    assert "muninn backup restore" in str(caught.value.hint)
    assert ask(app, "POST", f"/v1/dreams/{ids[0]}/undo")["restored"]
    active = {memory.content for memory in app.read.memories() if memory.active}
    assert len(active & set(PAIRS[0])) == 2
    assert len(active & set(PAIRS[1])) == 1


def test_where_it_was_not_told_it_is_told_once_without_a_promise(
    damaged: Callable[[int], tuple[App, list[str]]],
) -> None:
    app, ids = damaged(1)
    journal = app.config.journal_file
    for file in (journal, journal.with_suffix(".jsonl")):
        file.unlink()
    assert app.dreamer.recover() == ids[1]
    assert app.dreamer.recover() is None
    told = journal.read_text("utf-8")
    assert told.count(f"-- Dream {ids[1]}") == 1
    assert "Merged" in told
    assert "muninn undo" not in told


def test_when_it_is_too_old_it_is_let_go_of(damaged: Callable[[int], tuple[App, list[str]]]) -> None:
    app, ids = damaged(0)
    assert app.service.close_undo(ids[1], Journal(app.config.journal_file).told) == 2
    assert app.service.close_undo(ids[1]) == 0
    assert list(app.store.operations(ids[0])) == []
    assert all(one["ok"] for one in app.doctor(verify=True)["checks"]), "nothing is missing any more"


def test_a_purge_leaves_nothing_of_what_could_not_be_read(
    damaged: Callable[[int], tuple[App, list[str]]], tmp_path: Path
) -> None:
    app, ids = damaged(0)
    gone = next(memory for memory in app.read.memories() if memory.content in PAIRS[0])
    ask(app, "DELETE", f"/v1/memories/{gone.id}?purge=true")
    bodies = lancedb.connect(tmp_path / "home" / "data").open_table("dreams").search().to_list()
    assert b"\xc1" not in [one["body"] for one in bodies]
    assert ids[0] in {one.id for one in app.service.dreams() if one.damaged}
