"""Ids by their first characters: on every route that takes one, and never a guess."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from muninn.app import App, build
from muninn.config import load
from tests.fakes.asked import ask, opened

ROWS = ["01JQ8AAA", "01JQ8AAB", "01JQ8B", "01JQ8BXY", "nota-uno"]


@pytest.fixture(params=["resident", "spacious"])
def app(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[App]:
    environ = {"MUNINN_HOME": str(tmp_path / "home"), "MUNINN_EMBED__MODEL": "hashed", "HOME": str(tmp_path)}
    with opened(tmp_path) as made:
        rows = [{"id": one, "content": f"Note {one}.", "vault": f"v{at % 2}"} for at, one in enumerate(ROWS)]
        ask(made, "POST", "/v1/import", {"rows": rows, "exact": True})
    limit = {"MUNINN_RECALL__RESIDENT_LIMIT": "0"} if request.param == "spacious" else {}
    with build(load({**environ, **limit}), environ=environ) as made:
        yield made


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "", None), ("PATCH", "", {"pinned": True}), ("DELETE", "", None), ("POST", "/restore", {}), ("GET", "/links", None),
    ],
)  # fmt: skip
def test_the_beginning_of_one_id_is_that_id(app: App, method: str, path: str, body: Any) -> None:
    assert ask(app, method, f"/v1/memories/01JQ8AAB{path}", body)["id"] == "01JQ8AAB"
    assert ask(app, method, f"/v1/memories/nota-u{path}", body)["id"] == "nota-uno"


def test_what_a_memory_replaces_may_be_named_by_its_beginning(app: App) -> None:
    made = ask(app, "POST", "/v1/memories", {"content": "The newer note.", "vault": "v0", "supersedes": "nota-u"})
    assert ask(app, "GET", "/v1/memories/nota-uno")["superseded_by"] == made["id"]
    several = ask(app, "POST", "/v1/memories", {"content": "Another.", "supersedes": "01JQ8A"}, status=400)
    assert "is the beginning of several memories" in several["detail"]


def test_a_whole_id_wins_over_longer_ones(app: App) -> None:
    assert ask(app, "GET", "/v1/memories/01JQ8B")["id"] == "01JQ8B"


def test_several_are_named_and_none_is_taken(app: App) -> None:
    refused = ask(app, "DELETE", "/v1/memories/01JQ8A?purge=true", status=400)
    assert refused["detail"] == "01JQ8A is the beginning of several memories (01JQ8AAA, 01JQ8AAB)"
    assert app.read.count() == len(ROWS)


@pytest.mark.parametrize("given", ["01JQ8", "nota-", "nota-dos", "NOTA-UNO"])
def test_what_is_too_short_or_fits_nothing_is_not_there(app: App, given: str) -> None:
    assert "there is no memory" in ask(app, "GET", f"/v1/memories/{given}", status=404)["detail"]


def test_links_by_hand_take_beginnings_too(app: App) -> None:
    ends = {"source": "01JQ8AAA", "target": "01JQ8B", "relation": "causes"}
    assert ask(app, "POST", "/v1/links", ends)["target"] == "01JQ8B"
    assert ask(app, "DELETE", "/v1/links", {**ends, "source": "01JQ8AAA"})["removed"]


def test_a_dream_is_undone_by_its_beginning(app: App) -> None:
    made = ask(app, "POST", "/v1/dreams", {"force": True, "no_llm": True})["dream_id"]
    assert ask(app, "POST", f"/v1/dreams/{made[:-4]}/undo")["dream_id"] == made
    assert "no dream" in ask(app, "POST", "/v1/dreams/01ZZZZZZ/undo", status=404)["detail"]
