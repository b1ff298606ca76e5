"""Backups: consistent while writes go on, verified, linked only to what is still whole, and a way back that a crash does not break."""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread

import pytest

from muninn import failpoints
from muninn.app import App, build
from muninn.config import BackupConfig, Config, EmbedConfig, StoreConfig
from muninn.daemon import backup
from muninn.domain.draft import Draft
from muninn.domain.memory import Provenance
from muninn.errors import MuninnError, StoreError, StoreFullError
from muninn.testing import FakeClock
from tests.torture.home import Home

ME = Provenance(client="test")


def config_of(home: Path, *, keep: int = 7) -> Config:
    return Config(
        home=home, embed=EmbedConfig(model="hashed"), store=StoreConfig(reserve_mb=1), backup=BackupConfig(keep=keep)
    )  # fmt: skip


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def app(home: Path) -> Iterator[App]:
    with build(config_of(home, keep=2), environ={}, clock=FakeClock()) as made:
        yield made


def remember(app: App, *texts: str) -> list[str]:
    return [app.service.remember(Draft(content=text), by=ME).memory.id for text in texts]


def contents(home: Path) -> set[str]:
    with build(config_of(home), environ={}, read_only=True) as app:
        return {memory.content for memory in app.read.memories()}


def tick(app: App) -> None:
    assert isinstance(app.clock, FakeClock)
    app.clock.advance(hours=1)


def test_a_copy_holds_everything_and_nothing_it_need_not(app: App, home: Path, tmp_path: Path) -> None:
    remember(app, "uno", "two")
    (home / "dream.journal.20260101T000000Z.md").write_text("set aside")
    made = app.backup(str(tmp_path / "out"))
    folder = Path(made["folder"])
    assert backup.verify(folder) == made["files"]
    assert not (folder / "data" / "reserve").exists()
    assert (folder / "dream.journal.20260101T000000Z.md").read_text() == "set aside"
    assert all(path.stat().st_mode & 0o077 == 0 for path in folder.rglob("*"))
    stamp = "20260401T000000Z"
    assert backup.restore(folder, tmp_path / "other", stamp=stamp) is None
    assert contents(tmp_path / "other") == {"uno", "two"}


def test_unchanged_files_are_linked_and_the_oldest_go(app: App, home: Path) -> None:
    remember(app, "a")
    first = app.backup(None)
    tick(app)
    second = app.backup(None)
    assert second["linked"] > 10
    tick(app)
    third = app.backup(None)
    assert third["dropped"] == [Path(first["folder"]).name]
    assert sorted(path.name for path in (home / "backups").iterdir()) == [
        Path(x["folder"]).name for x in (second, third)
    ]
    assert backup.verify(Path(third["folder"])) == third["files"]


def test_damage_in_one_copy_is_not_carried_into_the_next(app: App) -> None:
    remember(app, "a")
    first = Path(app.backup(None)["folder"])
    victim = next(path for path in first.rglob("*.lance") if path.is_file())
    damaged = bytearray(victim.read_bytes())
    damaged[len(damaged) // 2] ^= 1
    victim.write_bytes(damaged)
    tick(app)
    second = Path(app.backup(None)["folder"])
    backup.verify(second)
    with pytest.raises(StoreError, match="differs"):
        backup.verify(first)


def test_a_folder_of_the_user_keeps_its_mode_and_its_files(app: App, tmp_path: Path) -> None:
    usb = tmp_path / "usb"
    usb.mkdir()
    usb.chmod(0o755)
    mine = usb / "mine"
    mine.mkdir()
    (mine / "manifest.json").write_text("{}")
    for _ in range(3):
        app.backup(str(usb))
        tick(app)
    assert usb.stat().st_mode & 0o777 == 0o755
    assert (mine / "manifest.json").exists()


def test_where_nothing_can_be_linked_it_is_copied(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    remember(app, "a")
    app.backup(None)
    tick(app)

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    made = app.backup(None)
    assert made["linked"] == 0
    backup.verify(Path(made["folder"]))


def test_writes_go_on_and_the_copy_is_one_moment(app: App, tmp_path: Path) -> None:
    stop = Event()
    written: list[str] = []

    def write() -> None:
        while not stop.is_set():
            text = f"note {len(written)}"
            remember(app, text)
            written.append(text)

    writer = Thread(target=write)
    writer.start()
    copies = []
    try:
        for number in range(3):
            before = set(written)
            made = Path(app.backup(None)["folder"])
            tick(app)
            copies.append((before, shutil.copytree(made, tmp_path / f"kept{number}")))
    finally:
        stop.set()
        writer.join()
    for number, (before, made) in enumerate(copies):
        other = tmp_path / f"restored{number}"
        backup.restore(made, other, stamp="20260401T000000Z")
        found = contents(other)
        assert before <= found
        assert found == {f"note {n}" for n in range(len(found))}  # a prefix of what was written


@pytest.mark.parametrize("point", ["backup.copy", "backup.copied", "fs.write", "fs.rename"])
def test_a_backup_that_fails_leaves_no_half_copy(app: App, home: Path, point: str) -> None:
    remember(app, "a")
    app.store.checkpoint()
    failpoints.arm(f"{point}=err:28@1")
    try:
        with pytest.raises(StoreFullError, match="cannot back up"):
            app.backup(None)
    finally:
        failpoints.arm("")
    assert list((home / "backups").iterdir()) == []
    assert app.backup(None)["verified"]


def test_inside_the_store_is_no_place_for_a_backup(app: App, home: Path) -> None:
    with pytest.raises(MuninnError, match="inside the store"):
        app.backup(str(home / "data" / "x"))


def copy_of_two(home: Path) -> Path:
    with build(config_of(home), environ={}, clock=FakeClock()) as app:
        remember(app, "old")
        made = Path(app.backup(None)["folder"])
        remember(app, "new")
    return made


def test_what_was_there_is_kept_beside(home: Path) -> None:
    aside = backup.restore(copy_of_two(home), home, stamp="20260401T000000Z")
    assert contents(home) == {"old"}
    assert aside is not None
    assert (aside / "store.json").exists()
    assert not list(home.glob(".restore.*"))


def test_a_crash_while_restoring_never_ends_in_an_empty_store(home: Path) -> None:
    made = copy_of_two(home)
    failpoints.arm("restore.between=err:5@1")
    try:
        with pytest.raises(OSError, match="error"):
            backup.restore(made, home, stamp="20260401T000000Z")
    finally:
        failpoints.arm("")
    with pytest.raises(StoreError, match="interrupted"):
        build(config_of(home), environ={})
    backup.restore(made, home, stamp="20260402T000000Z")
    assert contents(home) == {"old"}
    assert (home / "data.before-restore.20260401T000000Z" / "store.json").exists()


def test_a_damaged_copy_is_not_restored(home: Path) -> None:
    made = copy_of_two(home)
    manifest = json.loads((made / "manifest.json").read_text())
    victim = next(name for name in manifest["files"] if name.endswith(".lance"))
    (made / victim).write_bytes(b"")
    with pytest.raises(StoreError, match="differs"):
        backup.restore(made, home, stamp="20260401T000000Z")
    assert contents(home) == {"old", "new"}


@pytest.mark.slow
def test_from_the_command_line_and_back(tmp_path: Path) -> None:
    served = Home(tmp_path / "served")
    try:
        served.start()
        served.client.post("/v1/memories", {"content": "before the backup"})
        made = json.loads(served.muninn("backup", "create", "--folder", str(tmp_path / "copies"), "--json").stdout)
        served.client.post("/v1/memories", {"content": "after it"})
        refused = served.muninn("backup", "restore", made["folder"], "--yes")
        assert refused.returncode == 2
        assert "awake" in refused.stderr
        assert served.stop() == 0
        done = json.loads(served.muninn("backup", "restore", made["folder"], "--yes", "--json").stdout)
        assert Path(done["kept"]).is_dir()
        served.start()
        assert {row["content"] for row in served.rows().values()} == {"before the backup"}
        assert served.stop() == 0
    finally:
        served.kill()
