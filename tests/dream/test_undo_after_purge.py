"""A dream is undone after a memory of it was erased for good: what is left returns, what is gone is named."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from muninn.app import App
from tests.fakes.asked import ask, opened

TWICE = ("The alpha service restarts at one o'clock", "the alpha service restarts at one o'clock.")
THRICE = (*TWICE, "The Alpha service restarts at one o'clock!")


@pytest.fixture
def app(tmp_path: Path) -> Iterator[App]:
    with opened(tmp_path) as made:
        yield made


def remember(app: App, *texts: str) -> list[str]:
    return [ask(app, "POST", "/v1/memories", {"content": text})["id"] for text in texts]


def dream(app: App) -> tuple[str, list[dict[str, Any]]]:
    made = ask(app, "POST", "/v1/dreams", {"force": True, "no_llm": True})
    return made["dream_id"], [one for one in made["operations"] if one["op"] == "merge"]


def row(app: App, memory_id: str) -> dict[str, Any]:
    document: dict[str, Any] = ask(app, "GET", f"/v1/memories/{memory_id}")
    return {
        name: document[name]
        for name in ("content", "state", "superseded_by", "merged_from", "created_at", "learned_at", "tags")
    }


@pytest.mark.parametrize("survives", [True, False])
def test_what_is_left_of_a_merge_stands_by_itself_again(app: App, survives: bool) -> None:
    ids = remember(app, *TWICE)
    before = {key: row(app, key) for key in ids}
    dream_id, [merge] = dream(app)
    lost = next(key for key in ids if (key == merge["into"]) is not survives)
    kept = next(key for key in ids if key != lost)
    ask(app, "DELETE", f"/v1/memories/{lost}?purge=true")
    undone = ask(app, "POST", f"/v1/dreams/{dream_id}/undo")
    assert undone["restored"] == [kept]
    assert [one["id"] if isinstance(one, dict) else one[0] for one in undone["left_alone"]] == [lost]
    assert row(app, kept) == before[kept]


def test_what_is_left_of_three_is_not_merged_again(app: App) -> None:
    ids = remember(app, *THRICE)
    before = {key: row(app, key) for key in ids}
    dream_id, [merge] = dream(app)
    lost = next(key for key in ids if key != merge["into"])
    ask(app, "DELETE", f"/v1/memories/{lost}?purge=true")
    ask(app, "POST", f"/v1/dreams/{dream_id}/undo")
    assert all(row(app, key) == before[key] for key in ids if key != lost)
    assert dream(app)[1] == []


def test_what_was_changed_since_is_left_alone(app: App) -> None:
    ids = remember(app, *TWICE)
    dream_id, [merge] = dream(app)
    lost = next(key for key in ids if key != merge["into"])
    ask(app, "DELETE", f"/v1/memories/{lost}?purge=true")
    ask(app, "PATCH", f"/v1/memories/{merge['into']}", {"content": "The alpha service is gone"})
    undone = ask(app, "POST", f"/v1/dreams/{dream_id}/undo")
    assert undone["restored"] == []
    assert row(app, merge["into"])["content"] == "The alpha service is gone"


def test_a_dream_that_only_strengthened_what_is_gone_can_be_undone(app: App) -> None:
    one, other = remember(app, "The alpha service restarts at one o'clock", "Rome was not built in a day")
    for _ in range(3):
        ask(app, "POST", "/v1/recall", {"query": "when does the alpha service restart?"})
    dream_id, _ = dream(app)
    ask(app, "DELETE", f"/v1/memories/{one}?purge=true")
    assert one in str(ask(app, "POST", f"/v1/dreams/{dream_id}/undo")["left_alone"])
    assert row(app, other)["state"] == "active"


def test_a_link_that_a_merge_moved_returns_where_both_its_ends_are(app: App) -> None:
    ids = remember(app, *TWICE)
    [far] = remember(app, "Rome was not built in a day")
    for key in ids:
        ask(app, "POST", "/v1/links", {"source": key, "target": far, "relation": "causes"})
    dream_id, [merge] = dream(app)
    ask(app, "DELETE", f"/v1/memories/{merge['into']}?purge=true")
    kept = next(key for key in ids if key != merge["into"])
    assert ask(app, "GET", f"/v1/memories/{kept}/links")["links"] == []
    ask(app, "POST", f"/v1/dreams/{dream_id}/undo")
    assert [link["target"] for link in ask(app, "GET", f"/v1/memories/{kept}/links")["links"]] == [far]
