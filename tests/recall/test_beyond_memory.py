"""A whole muninn whose memories do not fit: the same life, lived once with everything held and once with next to nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import muninn.app
from muninn.app import App, build
from muninn.config import load
from muninn.recall.resident import ResidentModel
from muninn.recall.spacious import SpaciousModel
from muninn.testing import FakeClock, SequentialIds
from tests.fakes.asked import ask

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(muninn.app, "read_model"), reason="the app does not choose its read model yet"),
]

NOTES = (
    "The staging API listens on port 8080.", "the staging api listens on port 8080", "The production database is Postgres 15.",
    "The production database is Postgres 16.", "La reunión semanal es los martes a las 10.", "la reunión semanal es los martes a las 10",
    "Ana owns the billing service.", "Los informes trimestrales los escribe Bruno.", "会议改到星期五。", "The office plant is a ficus.",
    "Backups run at three in the morning.", "Las copias de seguridad se hacen a las tres.", "Deploys need two approvals.",
    "El despliegue necesita dos aprobaciones.",
)  # fmt: skip


class Life:
    """One home; ``limit`` memories are held. It starts anew as often as one likes."""

    def __init__(self, home: Path, limit: int) -> None:
        self.limit = limit
        self._home = home
        self.clock, self.ids = FakeClock(), SequentialIds()
        self.app = self._start()

    def _start(self) -> App:
        environ = {"MUNINN_HOME": str(self._home), "MUNINN_EMBED__MODEL": "hashed",
                   "MUNINN_RECALL__RESIDENT_LIMIT": str(self.limit), "HOME": str(self._home)}  # fmt: skip
        return build(load(environ), environ=environ, clock=self.clock, ids=self.ids)

    def restart(self) -> None:
        self.app.close()
        self.app = self._start()

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        self.clock.advance(seconds=30)
        return ask(self.app, method, path, body)

    def recall(self, text: str, **more: Any) -> list[tuple[str, float, str]]:
        found = self.ask("POST", "/v1/recall", {"query": text, **more})["results"]
        return [(one["id"], one["score"], one["why"]) for one in found]

    def everything(self) -> Any:
        return sorted(((m.id, m) for m in self.app.read.memories()), key=lambda pair: pair[0])


def live(life: Life, told: Callable[[str, Any], None]) -> None:
    """A week: remember, start again, recall, edit, forget, restore, purge, dream, undo."""
    ids = [life.ask("POST", "/v1/memories", {"content": note})["id"] for note in NOTES]
    titled = life.ask("POST", "/v1/memories", {"content": "All about it.", "title": "Kraken"})["id"]
    life.restart()
    told("links", life.ask("POST", "/v1/memories", {"content": "The Kraken project pays well."})["links"])
    told("again", life.ask("POST", "/v1/memories", {"content": NOTES[0]}))
    told("similar", life.ask("POST", "/v1/memories", {"content": "The production database is Postgres 17."})["similar"])
    for query in ("staging port", "reunión semanal", "会议", "Kraken", "zqx vvk", "who owns billing"):
        told(query, life.recall(query))
    told("edited", life.ask("PATCH", f"/v1/memories/{ids[6]}", {"content": "Carla owns the billing service."}))
    told("owner", life.recall("who owns the billing service"))
    life.ask("DELETE", f"/v1/memories/{ids[9]}")
    told("forgotten", life.recall("office plant"))
    life.restart()
    told("links again", life.ask("GET", f"/v1/memories/{titled}/links"))
    life.clock.advance(hours=13)
    before = life.everything()
    dream = life.app.dreamer.dream()
    told("dreamt", life.everything())
    told("changed", life.everything() != before)
    told("after the dream", life.recall("staging port"))
    life.restart()
    told("kept", life.everything())
    life.app.dreamer.undo(dream.dream_id or "last")
    told("undone", life.everything() == before)
    told("after all", life.recall("backups at three", include_archived=True))


def test_a_life_beyond_memory_is_the_same_life(tmp_path: Path) -> None:
    told: list[dict[str, Any]] = []
    for limit in (10, 100_000):
        life, story = Life(tmp_path / str(limit), limit), dict[str, Any]()
        live(life, story.__setitem__)
        assert isinstance(life.app.read, SpaciousModel if limit == 10 else ResidentModel)
        life.app.close()
        told.append(story)
    beyond, within = told
    assert beyond.keys() == within.keys()
    for name, expected in within.items():
        assert beyond[name] == expected, name
    assert within["changed"]
    assert within["undone"]
    assert within["dreamt"] == within["kept"]
