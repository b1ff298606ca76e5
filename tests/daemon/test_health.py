"""Health: what is asked often is not counted anew each time."""

from __future__ import annotations

import gc
import time
from datetime import UTC, datetime
from pathlib import Path

from muninn.app import build
from muninn.config import Config, EmbedConfig
from muninn.daemon.health import Footprint, status_document
from muninn.domain.draft import Draft
from muninn.domain.linking import Linker
from muninn.domain.memory import Provenance
from muninn.testing import FakeClock


def test_a_folder_is_counted_at_most_every_half_minute(tmp_path: Path) -> None:
    clock = FakeClock()
    footprint = Footprint(tmp_path, clock)
    (tmp_path / "one").write_bytes(b"123")
    assert footprint.bytes() == 3
    (tmp_path / "two").write_bytes(b"4567")
    clock.advance(seconds=29)
    assert footprint.bytes() == 3
    clock.advance(seconds=1)
    assert footprint.bytes() == 7


def test_the_collector_does_not_walk_what_stays_for_good(tmp_path: Path) -> None:
    with build(Config(home=tmp_path / "home", embed=EmbedConfig(model="hashed")), environ={}) as app:
        app.start_background()
        end = time.monotonic() + 10
        while any(isinstance(one, Linker) for one in gc.get_objects()) or app.service._loaded_linker is None:
            assert time.monotonic() < end, "the linker is still walked"
            time.sleep(0.01)


def test_the_next_consolidation_is_told_like_every_other_time(tmp_path: Path) -> None:
    with build(Config(home=tmp_path / "home", embed=EmbedConfig(model="hashed")), environ={}) as app:
        app.next_consolidation = datetime(2026, 3, 28, 6, 0, 0, 622251, tzinfo=UTC)
        assert status_document(app)["next_consolidation"] is None
        app.phase = "awake"
        assert status_document(app)["next_consolidation"] == "2026-03-28T06:00:00Z"


def test_status_says_that_a_dream_is_under_way_while_awake(tmp_path: Path) -> None:
    with build(Config(home=tmp_path, embed=EmbedConfig(model="hashed")), environ={}) as app:
        app.service.remember(Draft(content="The staging API listens on port 8443."), by=Provenance(client="test"))
        app.phase = "awake"
        states: list[str] = []
        app.dreamer.dream(force=True, llm=False, progress=lambda _: states.append(app.status()["state"]))
        assert set(states) == {"dreaming"}
        assert app.status()["state"] == "awake"
