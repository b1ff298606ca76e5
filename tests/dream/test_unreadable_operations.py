"""A row of the last dream that cannot be read: it is named in the journal and costs no later dream."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import lancedb
import pytest

from muninn import logs
from muninn.app import App, build
from muninn.config import load
from muninn.domain.records import OperationRecord
from muninn.store.codec import encode
from tests.fakes.asked import ask

TWICE = ("The alpha service restarts at one o'clock", "the alpha service restarts at one o'clock.")
THRICE = ("The beta queue is drained every night", "the beta queue is drained every night!")


def dream(app: App) -> Any:
    return ask(app, "POST", "/v1/dreams", {"force": True, "no_llm": True})


@pytest.fixture
def damaged(tmp_path: Path) -> Callable[..., tuple[Callable[[], App], str]]:
    """A home whose last dream merged twice and is untold, with one of its operations replaced by ``body``."""

    def make(body: Callable[[str], bytes], language: str = "en") -> tuple[Callable[[], App], str]:
        environ = {
            "MUNINN_HOME": str(tmp_path / "home"), "MUNINN_EMBED__MODEL": "hashed", "HOME": str(tmp_path),
            "MUNINN_JOURNAL__LANGUAGE": language,
        }  # fmt: skip

        def open_app() -> App:
            return build(load(environ), environ=environ)

        with open_app() as app:
            for text in (*TWICE, *THRICE):
                ask(app, "POST", "/v1/memories", {"content": text})
            made = dream(app)
            assert [one["op"] for one in made["operations"]] == ["merge", "merge"]
            journal = app.config.journal_file
            app.store.checkpoint()
        journal.unlink()
        journal.with_suffix(".jsonl").unlink()
        table = lancedb.connect(tmp_path / "home" / "data").open_table("operations")
        table.update(where=f"key = '{made['dream_id']}/000000'", values={"body": body(made["dream_id"])})
        return open_app, made["dream_id"]

    return make


def nonsense(dream_id: str) -> bytes:
    """A row that reads, of an operation that does not."""
    operation = {"op": "levitate"}
    return encode(
        OperationRecord(dream_id=dream_id, seq=0, vault="default", op="merge", operation=operation, applied=True)
    )


def garbage(_: str) -> bytes:
    return b"\xc1"


@pytest.mark.parametrize("body", [garbage, nonsense])
def test_a_dream_with_an_unreadable_operation_is_told_and_others_follow(
    damaged: Callable[..., tuple[Callable[[], App], str]], body: Callable[[str], bytes]
) -> None:
    open_app, dream_id = damaged(body)
    with open_app() as app:
        assert dream(app)["status"] == "completed"
        told = app.config.journal_file.read_text()
        assert told.count(f"-- Dream {dream_id}") == 1
        assert "one operation could not be read" in told
        assert "muninn doctor --verify" in told
        assert f"muninn undo {dream_id}" not in told, "what cannot be read cannot be undone"
        lines = [json.loads(line) for line in app.config.journal_file.with_suffix(".jsonl").read_text().splitlines()]
        twin = next(line for line in lines if line.get("dream_id") == dream_id)
        assert (len(twin["operations"]), twin["report"]["unreadable"]) == (1, 1)
        assert "queue" in told or "service" in told, "what can be told is told"
        dream(app)
        assert app.config.journal_file.read_text().count("could not be read") == 1


def test_a_purge_takes_what_cannot_be_read_with_it(damaged: Callable[..., tuple[Callable[[], App], str]]) -> None:
    open_app, dream_id = damaged(garbage)
    with open_app() as app:
        gone = next(memory for memory, _ in app.store.memories() if memory.content in TWICE)
        ask(app, "DELETE", f"/v1/memories/{gone.id}?purge=true")
        ask(app, "POST", "/v1/memories", {"content": "The gamma cache is warm."})
        app.store.checkpoint()
        assert len(list(app.store.operations(dream_id))) == 1
        assert gone.id not in {memory.id for memory, _ in app.store.memories()}


def test_it_is_said_in_spanish_and_written_to_the_log(
    damaged: Callable[..., tuple[Callable[[], App], str]], tmp_path: Path
) -> None:
    open_app, dream_id = damaged(garbage, "es")
    before = logging.getLogger().handlers[:]
    logs.configure(tmp_path / "muninn.log")
    with open_app() as app:
        assert app.dreamer.recover() == dream_id
        assert "una operación no se pudo leer" in app.config.journal_file.read_text()
    logs.configure(None)
    logging.getLogger().handlers[:] = before
    lines = [json.loads(line) for line in (tmp_path / "muninn.log").read_text("utf-8").splitlines()]
    said = [(one["dream"], one["operations"]) for one in lines if one["event"] == "operations_unreadable"]
    assert said == [(dream_id, 1)]


@pytest.mark.parametrize("body", [garbage, nonsense])
def test_a_dream_that_cannot_be_read_is_let_go_of_when_it_is_too_old(
    damaged: Callable[..., tuple[Callable[[], App], str]], body: Callable[[str], bytes]
) -> None:
    open_app, dream_id = damaged(body)
    with open_app() as app:
        assert app.service.close_undo(dream_id) == 1
        assert app.service.dream(dream_id).closed
        assert app.service.close_undo(dream_id) == 0
        app.store.checkpoint()
