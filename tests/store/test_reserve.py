"""The reserve: held while there is room, given up when the disk is full, got together again; the floor below which writes end."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from muninn import failpoints
from muninn.config import StoreConfig
from muninn.domain.memory import Memory, Provenance
from muninn.domain.records import Transaction
from muninn.domain.trust import Tier
from muninn.errors import StoreFullError
from muninn.store.lance import LanceStore
from muninn.store.reserve import NAME, Reserve
from muninn.testing import FakeClock

MIB = 1 << 20
NOW = FakeClock().now()


def memory(name: str) -> Memory:
    return Memory(
        id=name, vault="v", tier=Tier.PERSONAL, title=name, content="texto", content_hash=name, created_at=NOW, updated_at=NOW,
        learned_at=NOW, provenance=Provenance(client="test"),
    )  # fmt: skip


class Disk(Reserve):
    """A reserve on a disk with as much room as the test says."""

    room = 100 * MIB

    def free(self) -> int:
        return self.room


def test_it_is_held_given_up_and_held_again(tmp_path: Path) -> None:
    disk = Disk(tmp_path, 4 * MIB)
    assert not disk.held
    assert disk.hold()
    assert (tmp_path / NAME).stat().st_blocks * 512 >= 4 * MIB
    assert (tmp_path / NAME).stat().st_mode & 0o777 == 0o600
    assert disk.release()
    assert disk.released
    assert not disk.release()
    disk.room = 7 * MIB
    assert not disk.hold()  # no room for it twice
    disk.room = 8 * MIB
    assert disk.hold()


def test_a_sparse_copy_is_no_reserve(tmp_path: Path) -> None:
    with (tmp_path / NAME).open("wb") as file:
        file.truncate(4 * MIB)
    disk = Disk(tmp_path, 4 * MIB)
    assert not disk.held
    assert disk.hold()
    assert (tmp_path / NAME).stat().st_blocks * 512 >= 4 * MIB


def test_below_the_floor_nothing_new_is_taken_in(tmp_path: Path) -> None:
    disk = Disk(tmp_path, 4 * MIB)
    disk.room = MIB
    disk.require_room()
    disk.room = MIB - 1
    with pytest.raises(StoreFullError, match="KiB are free"):
        disk.require_room()
    Disk(tmp_path, 0).require_room()


def test_no_reserve_is_wanted_and_an_old_one_goes(tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(b"x")
    assert not Reserve(tmp_path, 0).hold()
    assert not (tmp_path / NAME).exists()


def test_a_checkpoint_on_a_full_disk_gives_the_reserve_up_and_goes_through(tmp_path: Path) -> None:
    store = LanceStore(tmp_path / "data", StoreConfig(reserve_mb=1))
    assert (tmp_path / "data" / NAME).exists()
    store.wait(store.append(Transaction(memories=(memory("a"),))))
    failpoints.arm(f"store.upsert.memories=err:{errno.ENOSPC}@1")
    try:
        store.checkpoint()
    finally:
        failpoints.arm("")
    assert store.statistics()["pending_rows"] == 0
    assert {m.id for m, _ in store.memories()} == {"a"}
    assert (tmp_path / "data" / NAME).exists()  # there is room again
    store.close()


def test_where_the_reserve_does_not_help_the_log_keeps_everything(tmp_path: Path) -> None:
    store = LanceStore(tmp_path / "data", StoreConfig(reserve_mb=1))
    store.wait(store.append(Transaction(memories=(memory("a"),))))
    failpoints.arm(f"store.upsert.memories=err:{errno.ENOSPC}@1+")
    try:
        with pytest.raises(StoreFullError, match=r"(?i)no space left"):
            store.checkpoint()
        store.close()
        assert isinstance(store.trouble, StoreFullError)
    finally:
        failpoints.arm("")
    again = LanceStore(tmp_path / "data", StoreConfig(reserve_mb=1))
    assert {m.id for m, _ in again.memories()} == {"a"}
    again.checkpoint()
    again.close()


def test_looking_makes_no_reserve(tmp_path: Path) -> None:
    store = LanceStore(tmp_path / "data", StoreConfig(reserve_mb=0))
    store.close()
    LanceStore(tmp_path / "data", StoreConfig(reserve_mb=1), read_only=True).close()
    assert not (tmp_path / "data" / NAME).exists()
