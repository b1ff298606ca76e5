"""Kill -9 while what only undo needed is let go of: every dream is afterwards closed or can be undone whole, and nothing else moved.

A life of its own process (``python -m tests.torture.pruning HOME SPEC``) under a clock on a string, since it takes days.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

from muninn import failpoints as points
from muninn.app import App, build
from muninn.config import Config, DreamConfig, EmbedConfig, LlmConfig, StoreConfig
from muninn.domain.ageing import days_of, outlived
from muninn.domain.draft import Draft
from muninn.domain.memory import Provenance
from muninn.domain.strength import ACCESSES_KEPT
from muninn.testing import FakeClock
from tests.torture.home import ROOT

POINTS = ("undo.closing", "usage.thinning", "wal.append", "wal.sync")
UNDO_DAYS = 1.0
DREAMS = 3
NOW = FakeClock().now() + timedelta(days=30)
BY = Provenance(client="torture")


@contextmanager
def _awake(home: Path, clock: FakeClock) -> Iterator[App]:
    config = Config(
        home=home, embed=EmbedConfig(model="hashed"), store=StoreConfig(reserve_mb=0), llm=LlmConfig(providers=()),
        dream=DreamConfig(undo_days=UNDO_DAYS, min_hours=0.0, min_writes=0),
    )  # fmt: skip
    with build(config, environ={}, clock=clock) as app:
        yield app


def _lived(home: Path) -> dict[str, Any]:
    """A home with dreams that merged, and recalls that they replayed; what may not change."""
    clock = FakeClock()
    with _awake(home, clock) as app:
        for number in range(DREAMS):
            text = f"the api of team {number} listens on port 8{number}80"
            app.service.remember(Draft(content=text), by=BY)
            kept = app.service.remember(Draft(content=f"{text.capitalize()}."), by=BY).memory
            for _ in range(2 * ACCESSES_KEPT):
                app.service.look(kept.id)
            clock.advance(hours=1)
            app.dreamer.dream(force=True)
        return _state(app)


def _state(app: App) -> dict[str, Any]:
    return {
        "memories": {memory.id: (memory, vector) for memory, vector in app.store.memories()},
        "links": {link.key: link for link in app.store.links()},
        "strengths": app.read.strengths(now=NOW),
        "journal": app.dreamer.journal(),
        "dreams": [record.id for record in app.service.dreams() if record.kind == "dream"],
    }


def _let_go(app: App, clock: FakeClock, *, days: int) -> None:
    for _ in range(days):
        clock.advance(days=1)
        app.dreamer.let_go()


def pruning(folder: Path, *, rounds: int, seed: int, say: bool = False) -> dict[str, object]:
    """Die at the first, second ... ``rounds``-th pass of each point; raises AssertionError naming what broke."""
    died: list[str] = []
    for point in POINTS:
        for nth in range(1, rounds + 1):
            home = folder / f"{point}-{nth}"
            before = _lived(home)
            code = _process(home, f"{point}=kill@{nth}")
            assert code in (0, -9), f"{point}@{nth} ended with {code}"
            died += [point] * (code == -9)
            _check(home, before, f"{point}@{nth}")
            if say:
                sys.stderr.write(f"{point}@{nth}: ended with {code}\n")
            if code == 0:
                break
    assert set(died) == set(POINTS), f"only {set(died)} were reached"
    return {"died": Counter(died), "broken": 0}


def _process(home: Path, spec: str) -> int:
    environ = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'cmd'}"}
    words = [sys.executable, "-m", "tests.torture.pruning", str(home), spec]
    return subprocess.run(words, env=environ, cwd=ROOT, check=False).returncode


def _check(home: Path, before: dict[str, Any], where: str) -> None:
    clock = FakeClock()
    clock.advance(days=20)
    with _awake(home, clock) as app:
        assert _state(app) == before, f"{where}: something else changed"
        old = outlived(days_of(app.service.meta()), UNDO_DAYS)
        for record in app.service.dreams():
            kept = list(app.store.operations(record.id))
            assert record.closed or kept, f"{where}: {record.id} can be undone and lacks its operations"
            assert not record.closed or record.id <= old, f"{where}: {record.id} was closed too early"
            if not record.closed and record.id > old:
                assert app.dreamer.undo(record.id)["left_alone"] == [], where
        _let_go(app, clock, days=8)
        assert all(record.closed for record in app.service.dreams()), f"{where}: it was not taken up again"
        assert not [one for record in app.service.dreams() for one in app.store.operations(record.id)], where


if __name__ == "__main__":
    ticking = FakeClock()
    ticking.advance(days=1)
    with _awake(Path(sys.argv[1]), ticking) as living:
        points.arm(sys.argv[2])
        _let_go(living, ticking, days=8)
