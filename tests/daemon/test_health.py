"""Health: what is asked often is not counted anew each time."""

from __future__ import annotations

import gc
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest

from muninn.app import build
from muninn.config import Config, EmbedConfig
from muninn.daemon.health import Footprint, status_document
from muninn.domain.draft import Draft
from muninn.domain.linking import Linker
from muninn.domain.memory import Provenance
from muninn.errors import StoreError
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


def damage(table: Path) -> None:
    for file in (table / "data").glob("*.lance"):
        file.write_bytes(bytes(byte ^ 0x5A for byte in file.read_bytes()))


@pytest.mark.parametrize("table", ["operations", "memories", "dreams"])
def test_verifying_finds_damage_in_every_table_and_names_the_remedy(tmp_path: Path, table: str) -> None:
    config, by = Config(home=tmp_path / "home", embed=EmbedConfig(model="hashed")), Provenance(client="test")
    with build(config, environ={}) as app:
        for content in ("The staging API listens on port 8443.", "the staging API listens on port 8443"):
            app.service.remember(Draft(content=content), by=by)
        assert app.dreamer.dream(force=True, llm=False).records
        assert app.doctor(verify=True)["checks"][-1]["detail"].endswith("every content hash agrees")
    damage(config.data / f"{table}.lance")
    try:
        with build(config, environ={}) as app:
            (found,) = (check for check in app.doctor(verify=True)["checks"] if check["name"] == "every row reads")
            assert not found["ok"]
            told = f"{found['detail']} {found.get('remedy', '')}"
    except StoreError as error:
        told = str(error)
    assert f"reading table {table} failed" in told
    assert "muninn backup restore" in told


def test_one_row_is_on_its_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with build(Config(home=tmp_path / "home", embed=EmbedConfig(model="hashed")), environ={}) as app:
        figures = app.store.statistics()
        for pending, told in ((0, "0 rows on their way"), (1, "1 row on its way"), (2, "2 rows on their way")):
            monkeypatch.setattr(app.store, "statistics", lambda pending=pending: {**figures, "pending_rows": pending})
            checks = app.doctor(verify=False)["checks"]
            assert told in next(one["detail"] for one in checks if one["name"] == "log and tables agree")


def test_a_home_is_private_when_its_folder_is_closed(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with build(Config(home=home, embed=EmbedConfig(model="hashed")), environ={}) as app:
        (home / "config.toml").touch(0o644)

        def private() -> bool:
            return next(
                bool(one["ok"]) for one in app.doctor(verify=False)["checks"] if one["name"] == "home is private"
            )

        assert private(), "what an editor wrote lies in a folder that nobody else can enter"
        home.chmod(0o755)
        assert not private()
