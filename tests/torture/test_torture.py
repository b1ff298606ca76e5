"""The torture in small: a few rounds of each, so that no promise breaks unseen. ``run.py`` does it at length."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path
from typing import Any

import pytest

from muninn import failpoints as points
from muninn.config import StoreConfig
from muninn.domain.records import Transaction
from muninn.errors import StoreError
from muninn.store.lance import LanceStore
from muninn.store.schema import TABLES
from tests.torture import abuse, disk, endurance, faults, fuzz, kill, processes, pruning
from tests.torture.home import ROOT

pytestmark = pytest.mark.slow


def test_kill_9(tmp_path: Path) -> None:
    assert kill.kill(tmp_path, rounds=3, seed=20)["lost"] == 0


def test_a_fault_at_some_steps_of_a_daemon(tmp_path: Path) -> None:
    specs = (
        "wal.sync=kill",
        "dream.applied=kill",
        "fs.rename=err:28",
        "journal.between=kill",
        "journal.set_aside=kill",
    )
    assert faults.failpoints(tmp_path, rounds=1, seed=21, specs=specs)["broken"] == 0


def test_every_failpoint_that_a_daemon_does_not_reach_is_proved_elsewhere() -> None:
    for name, where in faults.ELSEWHERE.items():
        assert name in faults.names(), f"{name} is gone from the source"
        if where.endswith(".py"):
            text = (ROOT / where).read_text("utf-8")
            assert name in text or "store.upsert" in name, f"{where} does not speak of {name}"
        else:
            assert name in faults.NTH


def test_the_nth_call_fails(tmp_path: Path) -> None:
    kinds = ("wal.append", "wal.sync", "fs.rename", "store.sync", "store.maintain", "journal.set_aside")
    assert faults.nth(tmp_path, rounds=2, seed=22, stride=3, only=kinds)["broken"] == 0


def test_kill_9_while_letting_go(tmp_path: Path) -> None:
    assert pruning.pruning(tmp_path, rounds=2, seed=29)["broken"] == 0


@pytest.mark.parametrize("table", [table.name for table in TABLES])
def test_a_checkpoint_that_ends_at_any_table_loses_nothing(tmp_path: Path, table: str) -> None:
    spec = importlib.util.spec_from_file_location("make", ROOT / "tests/store/fixtures/make.py")
    assert spec
    assert spec.loader
    make: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make)
    wrote: Transaction = make.everything()
    store = LanceStore(tmp_path / "data", StoreConfig(reserve_mb=0))
    store.wait(store.append(wrote))
    points.arm(f"store.upsert.{table}=err:5@1")
    try:
        with pytest.raises(StoreError):
            store.checkpoint()
    finally:
        points.arm("")
    shutil.copytree(tmp_path / "data", tmp_path / "as it died")
    died = LanceStore(tmp_path / "as it died", StoreConfig(reserve_mb=0))
    died.checkpoint()
    assert {m.id: (m, v) for m, v in died.memories()} == {m.id: (m, wrote.vectors.get(m.id)) for m in wrote.memories}
    assert [tuple(rows()) for rows in (died.links, died.usage, died.dreams, died.suggestions, died.decisions, died.egress)] == [
        wrote.links, wrote.usage, wrote.dreams, wrote.suggestions, wrote.decisions, wrote.egress,
    ]  # fmt: skip
    assert tuple(died.operations("d1")) == wrote.operations
    assert died.meta() == wrote.meta
    died.close()
    store.close()


@pytest.mark.parametrize("point", ["store.create", "fs.rename", "store.sync"])
def test_a_first_start_that_fails_is_made_good_by_the_next(tmp_path: Path, point: str) -> None:
    points.arm(f"{point}=err:5@1")
    try:
        with pytest.raises((StoreError, OSError)):
            LanceStore(tmp_path / "data", StoreConfig(reserve_mb=0))
    finally:
        points.arm("")
    store = LanceStore(tmp_path / "data", StoreConfig(reserve_mb=0))
    store.wait(store.append(Transaction(meta={"writes": "1"})))
    store.close()
    assert LanceStore(tmp_path / "data", StoreConfig(), read_only=True).meta() == {"writes": "1"}


@pytest.mark.skipif(not disk.may_mount(), reason="needs root")
def test_a_disk_that_fills_up(tmp_path: Path) -> None:
    assert disk.full(tmp_path, rounds=1, seed=23)["lost"] == 0


@pytest.mark.skipif(not disk.may_loop(), reason="needs root and a loop device")
def test_a_power_cut(tmp_path: Path) -> None:
    assert disk.power(tmp_path, rounds=1, seed=24)["lost"] == 0


def test_many_starts_and_stops(tmp_path: Path) -> None:
    assert processes.starts(tmp_path / "starts", rounds=1, seed=25, at_once=6)["daemons_each"] == 1
    assert processes.stops(tmp_path / "stops", rounds=3, seed=25)["rounds"] == 3


def test_a_crowd_on_the_socket(tmp_path: Path) -> None:
    figures = abuse.socket(tmp_path, rounds=40, seed=26, slow=200)
    assert figures["foreign_user"] in ("0 bytes", "skipped")


def test_requests_that_nobody_would_write(tmp_path: Path) -> None:
    fuzz.fuzz(tmp_path, rounds=400, seed=27)


def test_many_writes_and_dreams(tmp_path: Path) -> None:
    endurance.endurance(tmp_path, rounds=200, seed=28, dreams=2)
