"""Stores of every released schema open and say what they said; an upgrade copies first, and a crash in it costs nothing."""

from __future__ import annotations

import errno
import importlib.util
import json
import tarfile
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from muninn import failpoints
from muninn.config import StoreConfig
from muninn.domain.records import Transaction
from muninn.errors import StoreError, StoreFullError
from muninn.store import marker as markers
from muninn.store import migrations
from muninn.store.lance import LanceStore

FIXTURES = Path(__file__).with_name("fixtures")


def made_by() -> ModuleType:
    spec = importlib.util.spec_from_file_location("fixtures_make", FIXTURES / "make.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def unpack(schema: int, folder: Path) -> Path:
    with tarfile.open(FIXTURES / f"schema{schema}.tar.gz") as archive:
        archive.extractall(folder, filter="data")
    return folder / "data"


@pytest.mark.parametrize("schema", range(1, markers.SCHEMA_VERSION + 1))
def test_a_store_of_an_earlier_release_says_what_it_said(tmp_path: Path, schema: int) -> None:
    data = unpack(schema, tmp_path)
    wrote: Transaction = made_by().everything()
    store = LanceStore(data, StoreConfig(reserve_mb=0))
    assert sorted(store.memories(), key=lambda row: row[0].id) == [(m, wrote.vectors.get(m.id)) for m in wrote.memories]
    assert tuple(store.links()) == wrote.links
    assert set(store.vaults()) == set(wrote.vaults)
    assert tuple(store.usage()) == wrote.usage
    assert tuple(store.dreams()) == wrote.dreams
    assert tuple(store.operations("d1")) == wrote.operations
    assert tuple(store.suggestions()) == wrote.suggestions
    assert tuple(store.decisions()) == wrote.decisions
    assert tuple(store.egress()) == wrote.egress
    assert store.meta() == {"writes": "3", "later": "1"}
    store.close()


@pytest.fixture
def next_schema(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A release with a schema of its own; the list says which steps ran."""
    ran: list[str] = []

    def add_column(connection: Any) -> None:
        ran.append("add_column")
        table = connection.open_table("memories")
        if "mood" not in table.schema.names:
            table.add_columns({"mood": "'calm'"})

    monkeypatch.setattr(migrations, "MIGRATIONS", (add_column,))
    for module in (migrations, markers):
        monkeypatch.setattr(module, "SCHEMA_VERSION", 2)
    return ran


def schema_of(data: Path) -> int:
    return int(json.loads((data / "store.json").read_text())["schema"])


def test_an_upgrade_copies_first_and_runs_once(tmp_path: Path, next_schema: list[str]) -> None:
    data = unpack(1, tmp_path)
    LanceStore(data, StoreConfig(reserve_mb=1)).close()
    LanceStore(data, StoreConfig(reserve_mb=1)).close()
    assert next_schema == ["add_column"]
    assert schema_of(data) == 2
    copy = tmp_path / "data.schema1.bak"
    assert schema_of(copy) == 1
    assert not (copy / "reserve").exists()


@pytest.mark.parametrize("point", ["migrate.copy", "migrate.stepped", "fs.write", "fs.rename", "store.sync"])
@pytest.mark.parametrize("code", [errno.EIO, errno.ENOSPC])
def test_an_upgrade_that_fails_anywhere_is_finished_by_the_next_start(
    tmp_path: Path, next_schema: list[str], point: str, code: int
) -> None:
    data = unpack(1, tmp_path)
    failpoints.arm(f"{point}=err:{code}@1")
    try:
        with pytest.raises((StoreError, OSError)):
            LanceStore(data, StoreConfig(reserve_mb=0))
    finally:
        failpoints.arm("")
    assert not list(tmp_path.glob("*.partial"))
    store = LanceStore(data, StoreConfig(reserve_mb=0))
    assert len(list(store.memories())) == 3
    assert schema_of(data) == 2
    assert schema_of(tmp_path / "data.schema1.bak") == 1
    store.close()


def test_no_room_for_the_copy_means_no_upgrade(tmp_path: Path, next_schema: list[str]) -> None:
    data = unpack(1, tmp_path)
    failpoints.arm(f"migrate.copy=err:{errno.ENOSPC}@1+")
    try:
        with pytest.raises(StoreFullError, match="before its upgrade"):
            LanceStore(data, StoreConfig())
    finally:
        failpoints.arm("")
    assert next_schema == []
    assert schema_of(data) == 1


def test_looking_upgrades_nothing(tmp_path: Path, next_schema: list[str]) -> None:
    data = unpack(1, tmp_path)
    store = LanceStore(data, StoreConfig(), read_only=True)
    assert len(list(store.memories())) == 3
    assert next_schema == []
    assert schema_of(data) == 1


@pytest.mark.parametrize("schema", [0, -1])
def test_a_schema_that_never_was_is_refused(tmp_path: Path, schema: int) -> None:
    data = unpack(1, tmp_path)
    marker = json.loads((data / "store.json").read_text())
    (data / "store.json").write_text(json.dumps({**marker, "schema": schema}))
    with pytest.raises(StoreError, match="never was"):
        LanceStore(data, StoreConfig())
