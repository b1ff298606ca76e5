"""Every door through which a memory can be born: each links it and says who wrote it. A new door needs a row here."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from muninn.api.local import dispatch
from muninn.api.routes import ROUTES
from muninn.app import App, build
from muninn.config import load
from muninn.domain.memory import Memory, Provenance
from muninn.domain.operations import Merge, Suggest
from muninn.domain.records import DreamRecord
from tests.fakes import asked

ROOT = Path(__file__).parents[1]
TITLE = "Kraken Gateway"
RUN = {
    "X-Muninn-Client": "door",
    "X-Muninn-Run": "run-7",
    "X-Muninn-Agent-Role": "scribe",
    "X-Muninn-Trigger": "cron",
    "X-Muninn-Iteration": "3",
}
ask = partial(asked.ask, headers=RUN)
SOURCED = Provenance(client="door", run_id="run-7", agent_role="scribe", run_trigger="cron", iteration=3)


def environ_for(home: Path) -> dict[str, str]:
    return {
        **{name: value for name, value in os.environ.items() if not name.startswith("MUNINN_")},
        "HOME": str(home.parent),
        "MUNINN_HOME": str(home),
        "MUNINN_EMBED__MODEL": "hashed",
        "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'cmd'}",
    }


@pytest.fixture
def app(tmp_path: Path) -> Iterator[App]:
    environ = environ_for(tmp_path / "home")
    with build(load(environ), environ=environ) as made:
        ask(made, "POST", "/v1/memories", {"content": "It terminates TLS.", "title": TITLE})
        yield made


def titled(app: App) -> Memory:
    return next(memory for memory in app.read.memories() if memory.title == TITLE)


def one(app: App, _: Path) -> str:
    return str(ask(app, "POST", "/v1/memories", {"content": f"The {TITLE} restarted."})["id"])


def several(app: App, _: Path) -> str:
    return str(ask(app, "POST", "/v1/memories", [{"content": f"The {TITLE} restarted."}])["results"][0]["id"])


def in_bulk(app: App, _: Path) -> str:
    return str(ask(app, "POST", "/v1/import", {"rows": [{"content": f"The {TITLE} restarted."}]})["ids"][0])


def by_edit(app: App, _: Path) -> str:
    memory = ask(app, "POST", "/v1/memories", {"content": "Something restarted."})
    return str(ask(app, "PATCH", f"/v1/memories/{memory['id']}", {"content": f"The {TITLE} restarted."})["id"])


def by_a_dream(app: App, _: Path) -> str:
    """A merge whose new text, written by a model, mentions a title."""
    pair = [
        ask(app, "POST", "/v1/memories", {"content": text})["id"]
        for text in ("It restarted twice.", "It restarted 2 times.")
    ]
    seen = {key: app.service.require(key).fingerprint for key in pair}
    merge = Merge(
        vault="default", ids=tuple(pair), into=pair[0], why="test", seen=seen, content=f"The {TITLE} restarted twice."
    )  # fmt: skip
    now = app.clock.now()
    app.service.apply_dream(
        DreamRecord(id="D1", kind="dream", started_at=now, finished_at=now, status="completed"), [merge], {}
    )
    return str(pair[0])


def by_a_session(app: App, _: Path) -> str:
    """What the hooks propose at the end of a session, through the door they are given."""
    app.propose({"content": f"The {TITLE} restarted after the flag was set.", "provenance": {"run_id": "run-7", "agent_role": "scribe",
                 "run_trigger": "cron", "iteration": 3, "client": "door"}})  # fmt: skip
    return next(
        memory.id for memory in app.read.memories() if memory.content.startswith(f"The {TITLE} restarted after")
    )


IN_PROCESS: dict[str, Callable[[App, Path], str]] = {
    "POST /v1/memories": one,
    "POST /v1/memories (list)": several,
    "POST /v1/import": in_bulk,
    "PATCH /v1/memories/{id}": by_edit,
    "dream": by_a_dream,
    "hook": by_a_session,
}


@pytest.mark.parametrize("door", IN_PROCESS)
def test_each_door_links_and_says_who_wrote(app: App, tmp_path: Path, door: str) -> None:
    born = IN_PROCESS[door](app, tmp_path)
    links = {(link.source, link.target, link.relation, link.origin.value) for link in app.read.links_of(born)}
    assert (born, titled(app).id, "mentions", "auto") in links
    assert app.service.require(born).provenance == SOURCED


def test_recall_and_export_can_be_asked_by_run(app: App) -> None:
    mine = one(app, ROOT)
    other = dispatch(app, "POST", "/v1/memories", {"content": f"The {TITLE} was replaced."}, {"X-Muninn-Run": "run-8"})[
        1
    ]["id"]
    found = {hit["id"] for hit in ask(app, "POST", "/v1/recall", {"query": f"the {TITLE}", "run": "run-8"})["results"]}
    assert found == {other}
    lines = [json.loads(line) for line in ask(app, "GET", "/v1/export?run=run-7")][1:]
    assert mine in {line["id"] for line in lines}
    assert other not in {line["id"] for line in lines}


def test_an_accepted_suggestion_joins_two_vaults(app: App) -> None:
    ids = [
        ask(app, "POST", "/v1/memories", {"content": f"Note of {name}.", "vault": name})["id"]
        for name in ("work", "home")
    ]
    suggest = Suggest(
        vault="work", ids=tuple(ids), why="test", suggestion="s1", other_vault="home", relation="relates_to"
    )
    now = app.clock.now()
    app.service.apply_dream(
        DreamRecord(id="D1", kind="dream", started_at=now, finished_at=now, status="completed"), [suggest], {}
    )
    assert app.read.links_of(ids[0]) == ()
    made = ask(app, "POST", "/v1/suggestions/s1/accept")["link"]
    assert (made["source"], made["target"], made["origin"]) == (*ids, "manual")
    assert [link.target for link in app.read.links_of(ids[0])] == [ids[1]]


# Routes that change something but through which no memory text is born.
NO_BIRTH = {
    "DELETE /v1/memories/{id}", "POST /v1/memories/{id}/restore", "POST /v1/vaults", "PATCH /v1/vaults", "DELETE /v1/vaults/{name}",
    "POST /v1/links", "DELETE /v1/links", "POST /v1/suggestions/{id}/accept", "POST /v1/suggestions/{id}/reject", "POST /v1/dreams",
    "POST /v1/dreams/{id}/undo", "POST /v1/graph/backfill", "POST /v1/reembed", "POST /v1/backup",
}  # fmt: skip


def test_every_route_that_writes_is_known_here() -> None:
    writing = {f"{route.method} {route.path}" for route in ROUTES if route.writes}
    assert writing - NO_BIRTH == {door for door in IN_PROCESS if " /v1/" in door and "(" not in door}


def test_nothing_else_calls_the_service_to_store() -> None:
    """Only these modules call what gives birth; whoever adds a caller adds a door, and a row above."""
    births = {"remember", "remember_many", "apply_dream"}
    known = {"muninn/api/memories.py", "muninn/service/rows.py", "muninn/dream/cycle.py"}
    callers = set()
    for path in (ROOT / "muninn").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in births:
                owner = ast.unparse(node.func.value)
                if owner.split(".")[-1].strip("_") in ("service", "self._service"):
                    callers.add(str(path.relative_to(ROOT)))
    assert callers == known


@pytest.mark.slow
@pytest.mark.parametrize("awake", [False, True], ids=["in process", "through the daemon"])
def test_the_commands_link_and_say_who_wrote(tmp_path: Path, awake: bool) -> None:
    environ = {**environ_for(tmp_path / "home"), "MUNINN_CLIENT": "door", "MUNINN_RUN_ID": "run-7", "MUNINN_AGENT_ROLE": "scribe",
               "MUNINN_RUN_TRIGGER": "cron", "MUNINN_ITERATION": "3"}  # fmt: skip

    def muninn(*words: str) -> Any:
        done = subprocess.run(
            [sys.executable, "-m", "muninn_cmd", *words, "--json"],
            env=environ,
            capture_output=True,
            text=True,
            timeout=90,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    if awake:
        muninn("start")
    try:
        title = muninn("remember", "It terminates TLS.", "--title", TITLE)["id"]
        born = [muninn("remember", f"The {TITLE} restarted.")["id"]]
        rows = tmp_path / "rows.jsonl"
        rows.write_text(json.dumps({"content": f"The {TITLE} moved."}) + "\n")
        muninn("import", str(rows))
        born += [
            memory["id"]
            for memory in muninn("recall", "moved", "--run", "run-7")["results"]
            if "moved" in memory["content"]
        ]
        assert len(born) == 2
        for key in born:
            shown = muninn("show", key)
            assert [link["target"] for link in shown["links"] if link["origin"] == "auto"] == [title]
            assert (shown["provenance"]["client"], shown["provenance"]["run_id"], shown["provenance"]["iteration"]) == (
                "door",
                "run-7",
                3,
            )
    finally:
        if awake:
            muninn("stop")


def test_purging_names_what_the_memory_had_replaced(app: App) -> None:
    old = ask(app, "POST", "/v1/memories", {"content": "The code is 1234."})["id"]
    new = ask(app, "POST", "/v1/memories", {"content": "The code is 5678.", "supersedes": old})["id"]
    assert ask(app, "DELETE", f"/v1/memories/{new}?purge=true")["replaced"] == [old]
