"""A memory whose successor was erased: nobody is sent to look for what is not there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from muninn.app import App
from muninn.mcp.answers import brief
from muninn_cmd import show
from muninn_cmd.recall import _text
from tests.fakes.asked import ask, opened

OLD, NEW = "The payments port is 8080.", "The payments port is 9090."
GONE = "erased or never imported"


@pytest.fixture
def app(tmp_path: Path) -> Iterator[App]:
    with opened(tmp_path) as made:
        yield made


def told(app: App, key: str) -> tuple[Any, str]:
    document = ask(app, "GET", f"/v1/memories/{key}")
    return document, show.text(document)


def recalled(app: App, key: str) -> tuple[Any, str]:
    question = {"query": "payments port 8080", "include_archived": True, "explain": True}
    answer = ask(app, "POST", "/v1/recall", question)
    return next(one for one in answer["results"] if one["id"] == key), _text(answer, explain=True)


@pytest.mark.parametrize("erased", [False, True])
def test_a_successor_is_named_as_there_only_while_it_is(app: App, erased: bool) -> None:
    old = ask(app, "POST", "/v1/memories", {"content": OLD})["id"]
    new = ask(app, "POST", "/v1/memories", {"content": NEW, "supersedes": old})["id"]
    if erased:
        ask(app, "DELETE", f"/v1/memories/{new}?purge=true")
    document, shown = told(app, old)
    hit, text = recalled(app, old)
    assert document["superseded_by"] == hit["superseded_by"] == new
    assert document["gone"] == hit["gone"] == brief(hit).get("gone", []) == ([new] if erased else [])
    assert (GONE in shown, GONE in hit["why"], text.count(GONE) == 2) == (erased, erased, erased)
    assert (new in hit["why"]) is not erased
    assert f"superseded by {new}" in shown


def test_of_a_merge_what_was_erased_is_marked(app: App) -> None:
    texts = ("The alpha service restarts at one o'clock", "the alpha service restarts at one o'clock.")
    ids = [ask(app, "POST", "/v1/memories", {"content": text})["id"] for text in texts]
    [merge] = [
        one
        for one in ask(app, "POST", "/v1/dreams", {"force": True, "no_llm": True})["operations"]
        if one["op"] == "merge"
    ]
    loser = next(key for key in ids if key != merge["into"])
    assert GONE not in told(app, merge["into"])[1]
    ask(app, "DELETE", f"/v1/memories/{loser}?purge=true")
    assert f"merged from {loser}, which was {GONE}" in told(app, merge["into"])[1]
