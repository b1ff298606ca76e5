"""Requests that are nearly right: refused by what is wrong with them, never answered as if they had asked something else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from muninn.app import App
from muninn.domain.records import Egress, Transaction
from tests.fakes.asked import ask, opened


@pytest.fixture
def app(tmp_path: Path) -> Iterator[App]:
    with opened(tmp_path) as made:
        yield made


@pytest.mark.parametrize(
    ("method", "path", "body", "says"),
    [
        ("POST", "/v1/vaults", {"name": ""}, "a vault name"),
        ("POST", "/v1/vaults", {"name": " "}, "a vault name"),
        ("POST", "/v1/memories", {"content": "x", "vault": ""}, "a vault name"),
        ("POST", "/v1/memories", {"content": 5}, "the content must be text, not int"),
        ("POST", "/v1/memories", {"content": ["x"]}, "the content must be text, not list"),
        ("POST", "/v1/recall", {"query": "a\udcff"}, "the query holds a lone surrogate"),
        ("GET", "/v1/memories?state=actve", None, "unknown state 'actve' (one of: active, archived"),
        ("GET", "/v1/suggestions?status=open", None, "unknown status 'open' (one of: pending, accepted, rejected, all)"),
    ],
)  # fmt: skip
def test_it_is_refused_and_says_why(app: App, method: str, path: str, body: Any, says: str) -> None:
    assert says in ask(app, method, path, body, status=400)["detail"]
    assert app.read.vaults() == ()


@pytest.mark.parametrize(
    "path", ["/v1/memories", "/v1/memories?state=all", "/v1/suggestions?status=", "/v1/suggestions?status=all"]
)
def test_what_is_known_is_answered(app: App, path: str) -> None:
    ask(app, "GET", path)


def test_the_ledger_of_one_dream(app: App) -> None:
    ask(app, "POST", "/v1/memories", {"content": "something to dream of"})
    dream_id = ask(app, "POST", "/v1/dreams", {"force": True, "no_llm": True})["dream_id"]
    now = app.clock.now()
    for at, dream in enumerate((dream_id, "another", None)):
        entry = Egress(id=f"e{at}", at=now, vault="default", tier="personal", purpose="consolidate", provider="ollama", model="m",
                       address="a", allowed=True, reason="", bytes_out=10 + at, bytes_in=0, content_hash="", dream_id=dream)  # fmt: skip
        app.store.append(Transaction(egress=(entry,)))
    for given in (dream_id, dream_id[:20]):
        found = ask(app, "GET", f"/v1/egress?dream={given}")
        assert [entry["id"] for entry in found["entries"]] == ["e0"]
        assert found["totals"]["bytes_out"] == 10
    assert ask(app, "GET", "/v1/egress?dream=nope")["entries"] == []
