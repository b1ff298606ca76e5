"""Crashes at every step of a checkpoint, torn manifests, missing markers, newer stores, read-only opening, purging."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import lancedb
import pytest

from muninn.config import StoreConfig
from muninn.domain.memory import Memory, Provenance
from muninn.domain.records import DreamRecord, Egress, OperationRecord, Transaction, Usage
from muninn.domain.trust import Tier
from muninn.errors import StoreError, StoreFullError, StoreNewerError
from muninn.store.codec import decode, decode_transaction
from muninn.store.lance import LanceStore
from muninn.testing import FakeClock

NOW = FakeClock().now()


def memory(name: str, content: str = "text") -> Memory:
    return Memory(
        id=name, vault="v", tier=Tier.PERSONAL, title=name, content=content, content_hash=name, created_at=NOW, updated_at=NOW,
        learned_at=NOW, provenance=Provenance(client="test"),
    )  # fmt: skip


def write(store: LanceStore, *names: str) -> None:
    store.wait(store.append(Transaction(memories=tuple(map(memory, names)))))


def ids(store: LanceStore) -> set[str]:
    return {m.id for m, _ in store.memories()}


_CHILD = """
import sys
from contextlib import closing
from pathlib import Path
sys.path.insert(0, {root!r})
from muninn import failpoints
from muninn.config import StoreConfig
from muninn.store.codec import decode, decode_transaction
from muninn.store.lance import LanceStore
from muninn.domain.records import Transaction
from tests_memory import memory
store = LanceStore(Path({data!r}), StoreConfig())
store.wait(store.append(Transaction(memories=(memory("a"), memory("b")), meta={{"writes": "2"}})))
failpoints.arm({point!r} + "=kill")
store.checkpoint()
"""

POINTS = ["store.upsert.memories", "store.upsert.meta", "store.sync", "fs.write", "fs.rename", "store.before_drop"]


@pytest.mark.slow
@pytest.mark.parametrize("point", POINTS)
def test_a_kill_anywhere_in_a_checkpoint_loses_nothing(tmp_path: Path, point: str) -> None:
    data = tmp_path / "data"
    (tmp_path / "tests_memory.py").write_text(
        "from muninn.domain.memory import Memory, Provenance\nfrom muninn.domain.trust import Tier\n"
        "from muninn.testing import FakeClock\nNOW = FakeClock().now()\n"
        "def memory(name):\n    return Memory(id=name, vault='v', tier=Tier.PERSONAL, title=name, content='text', content_hash=name,"
        " created_at=NOW, updated_at=NOW, learned_at=NOW, provenance=Provenance(client='test'))\n"
    )
    root = str(Path(__file__).parents[2])
    script = _CHILD.format(root=root, data=str(data), point=point)
    environ = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{root}"}
    died = subprocess.run([sys.executable, "-c", script], env=environ, capture_output=True, text=True)
    assert died.returncode == -9, died.stderr
    store = LanceStore(data, StoreConfig())
    assert ids(store) == {"a", "b"}
    assert store.meta() == {"writes": "2"}
    store.close()
    reopened = LanceStore(data, StoreConfig())
    assert ids(reopened) == {"a", "b"}
    reopened.close()


def test_a_torn_newest_manifest_is_set_aside_and_the_log_fills_in(tmp_path: Path) -> None:
    data = tmp_path / "data"
    store = LanceStore(data, StoreConfig())
    write(store, "a")
    store.checkpoint()
    write(store, "b")
    log = [(path, path.read_bytes()) for path in (data / "wal").iterdir()]
    marker = (data / "store.json").read_bytes()
    store.close()
    # as a power cut during the last checkpoint leaves it: the commit's name is there, its bytes are not, the log is whole
    for path, content in log:
        path.write_bytes(content)
    (data / "store.json").write_bytes(marker)
    versions = sorted((data / "memories.lance" / "_versions").glob("*.manifest"), key=lambda p: p.stat().st_mtime_ns)
    versions[-1].write_bytes(b"")
    opened = LanceStore(data, StoreConfig())
    assert ids(opened) == {"a", "b"}
    opened.close()


def test_a_first_start_that_died_half_way_is_finished(tmp_path: Path) -> None:
    data = tmp_path / "data"
    LanceStore(data, StoreConfig()).close()
    marker = json.loads((data / "store.json").read_text())
    (data / "store.json").write_text(json.dumps({**marker, "complete": False, "synced": {}}))
    shutil.rmtree(data / "vaults.lance")
    store = LanceStore(data, StoreConfig())
    write(store, "a")
    store.close()
    reopened = LanceStore(data, StoreConfig())
    assert ids(reopened) == {"a"}
    reopened.close()


def test_damage_to_what_was_synced_is_explained_not_repaired(tmp_path: Path) -> None:
    data = tmp_path / "data"
    store = LanceStore(data, StoreConfig())
    write(store, "a")
    store.close()
    for manifest in (data / "memories.lance" / "_versions").glob("*.manifest"):
        manifest.write_bytes(b"")
    before = sorted(path.name for path in (data / "memories.lance" / "_versions").iterdir())
    with pytest.raises(StoreError, match="memories") as caught:
        LanceStore(data, StoreConfig())
    assert "backup restore" in str(caught.value)
    assert sorted(path.name for path in (data / "memories.lance" / "_versions").iterdir()) == before


def test_a_store_without_its_marker_is_not_created_over(tmp_path: Path) -> None:
    data = tmp_path / "data"
    store = LanceStore(data, StoreConfig())
    write(store, "a")
    store.close()
    (data / "store.json").unlink()
    with pytest.raises(StoreError, match=r"store\.json"):
        LanceStore(data, StoreConfig())


def test_a_newer_store_is_refused_untouched(tmp_path: Path) -> None:
    data = tmp_path / "data"
    LanceStore(data, StoreConfig()).close()
    marker = json.loads((data / "store.json").read_text())
    (data / "store.json").write_text(json.dumps({**marker, "schema": 99}))
    before = {path: path.stat().st_mtime_ns for path in data.rglob("*")}
    with pytest.raises(StoreNewerError, match="newer"):
        LanceStore(data, StoreConfig())
    assert {path: path.stat().st_mtime_ns for path in data.rglob("*")} == before


def test_reading_only_changes_no_byte_and_sees_what_the_log_holds(tmp_path: Path) -> None:
    data = tmp_path / "data"
    writer = LanceStore(data, StoreConfig())
    write(writer, "a")
    writer.checkpoint()
    write(writer, "b")
    before = {path: (path.stat().st_mtime_ns, path.stat().st_size) for path in data.rglob("*")}
    reader = LanceStore(data, StoreConfig(), read_only=True)
    assert ids(reader) == {"a", "b"}
    with pytest.raises(StoreFullError, match="reading only"):
        write(reader, "c")
    reader.close()
    assert {path: (path.stat().st_mtime_ns, path.stat().st_size) for path in data.rglob("*")} == before
    writer.close()


def test_what_left_the_process_is_recorded_even_while_reading_only(tmp_path: Path) -> None:
    data = tmp_path / "data"
    LanceStore(data, StoreConfig()).close()
    entry = Egress(
        id="e", at=NOW, vault="v", tier="personal", purpose="consolidate", provider="ollama", model="m", address="a", allowed=True,
        reason="", bytes_out=1, bytes_in=1, content_hash="h",
    )  # fmt: skip
    reader = LanceStore(data, StoreConfig(), read_only=True)
    reader.wait(reader.append(Transaction(egress=(entry,))))
    reader.close()
    store = LanceStore(data, StoreConfig())
    assert list(store.egress()) == [entry]
    store.close()


def test_purging_leaves_no_byte_of_the_text(tmp_path: Path) -> None:
    data = tmp_path / "data"
    secret = "the-quick-canary-7f3a9"
    store = LanceStore(data, StoreConfig())
    doomed = memory("doomed", secret)
    store.append(Transaction(memories=(doomed, memory("kept"))))
    store.append(
        Transaction(
            operations=(OperationRecord(dream_id="d", seq=0, vault="v", op="stabilise", operation={"op": "stabilise", "ids": ["doomed"], "reason": secret}, applied=True, before=(doomed,)),),
            usage=(Usage(id="u", at=NOW, kind="recall", vaults=(), memories=("doomed",), activations=(1.0,), query=secret),),
        )
    )  # fmt: skip
    report = {"narrative": [[f"It says {secret}.", ["doomed"]], ["Something else.", ["kept"]]]}
    dream = DreamRecord(id="d", kind="dream", started_at=NOW, finished_at=NOW, status="completed", report=report)
    store.append(Transaction(dreams=(dream,)))
    store.checkpoint()
    store.wait(store.append(Transaction(purge=("doomed",))))
    store.checkpoint()
    store.close()
    holding = [path for path in data.rglob("*") if path.is_file() and secret.encode() in path.read_bytes()]
    assert holding == []
    reopened = LanceStore(data, StoreConfig())
    assert ids(reopened) == {"kept"}
    assert list(reopened.usage()) == []
    assert [one.report["narrative"] for one in reopened.dreams()] == [[["Something else.", ["kept"]]]]
    reopened.close()


def test_old_versions_do_not_pile_up(tmp_path: Path) -> None:
    data = tmp_path / "data"
    store = LanceStore(data, StoreConfig(durability="fast"))
    for number in range(120):
        write(store, f"m{number}")
        store.checkpoint()
    store.maintain()
    assert store.statistics()["fragments"] <= 30
    assert len(ids(store)) == 120
    store.close()


def test_a_record_that_cannot_be_read_comes_back_from_a_backup() -> None:
    for read in (lambda: decode(b"\xc1", Usage), lambda: decode_transaction(b"\xc1")):
        with pytest.raises(StoreError, match="muninn backup restore"):
            read()


@pytest.mark.parametrize(("column", "value"), [("state", "?"), ("kind", ""), ("metadata", "{")])
def test_a_memory_that_cannot_be_read_is_named_with_the_remedy(tmp_path: Path, column: str, value: str) -> None:
    with closing(LanceStore(tmp_path, StoreConfig(reserve_mb=0))) as store:
        write(store, "one", "another")
        store.checkpoint()
    lancedb.connect(tmp_path).open_table("memories").update(where="id = 'one'", values={column: value})
    said = r"the stored memory one cannot be read.*muninn backup restore"
    with closing(LanceStore(tmp_path, StoreConfig(reserve_mb=0))) as store, pytest.raises(StoreError, match=said):
        ids(store)


def test_a_record_without_a_body_cannot_be_read() -> None:
    with pytest.raises(StoreError, match="muninn backup restore"):
        decode(None, Usage)  # type: ignore[arg-type]
