"""The store on an S3-compatible server: everything it does on a disk, and what it says when the door is shut.

The server is moto's, in a process of its own; without ``moto_server`` on the PATH (pip install 'moto[server]') the tests
are skipped.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from pyarrow import fs

from muninn.config import RecallConfig, StoreConfig
from muninn.domain.memory import Link, Memory, Origin, Provenance, Vault, content_hash
from muninn.domain.records import Transaction
from muninn.domain.trust import Tier
from muninn.errors import StoreError
from muninn.ports import Query
from muninn.recall.choice import read_model
from muninn.store.lance import LanceStore
from muninn.testing import FakeClock
from tests.recall.conftest import embedders

_SERVER = shutil.which("moto_server")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(_SERVER is None, reason="moto_server is not installed: pip install 'moto[server]'"),
]
NOW = FakeClock().now()


@dataclass
class Bucket:
    """``config`` opens the store that lies in it; ``home`` is the folder of the log and the marker."""

    endpoint: str
    home: Path

    def config(self, **options: str) -> StoreConfig:
        storage = {
            "endpoint": self.endpoint, "allow_http": "true", "region": "us-east-1", "aws_access_key_id": "test",
            "aws_secret_access_key": "test", "aws_virtual_hosted_style_request": "false", "timeout": "10s",
            "client_max_retries": "1",
        }  # fmt: skip
        return StoreConfig(uri="s3://memories/muninn", storage_options={**storage, **options}, reserve_mb=0)

    def open(self, name: str = "data", **options: str) -> LanceStore:
        return LanceStore(self.home / name, self.config(**options))


@contextmanager
def serving(environ: Mapping[str, str]) -> Iterator[str]:
    """The address of a server that runs meanwhile."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    server = subprocess.Popen(
        [str(_SERVER), "-H", "127.0.0.1", "-p", str(port)],
        env={**os.environ, **environ}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        _await(port, server)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait(10)


def _await(port: int, server: subprocess.Popen[bytes]) -> None:
    for _ in range(300):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            assert server.poll() is None, "the server ended"
            time.sleep(0.1)
    pytest.fail("the server did not answer")


def _request(url: str, method: str) -> None:
    urllib.request.urlopen(urllib.request.Request(url, method=method), timeout=10).close()


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    with serving({}) as address:
        yield address


@pytest.fixture
def bucket(endpoint: str, tmp_path: Path) -> Bucket:
    _request(f"{endpoint}/moto-api/reset", "POST")
    _request(f"{endpoint}/memories", "PUT")
    return Bucket(endpoint, tmp_path)


def memory(number: int, content: str) -> Memory:
    return Memory(
        id=f"m{number:04d}", vault="casa", tier=Tier.PERSONAL, title=content[:40], title_derived=True, content=content,
        content_hash=content_hash(content), created_at=NOW, updated_at=NOW, learned_at=NOW,
        provenance=Provenance(client="test"), embedding_model="hashed/1",
    )  # fmt: skip


def filled(store: LanceStore) -> list[Memory]:
    rows = [memory(i, text) for i, text in enumerate(("the crane is yellow", "la barcaza es verde", "会议改到星期五"))]
    matrix = embedders().default.passages([m.content for m in rows], tier=Tier.PERSONAL, vault="casa")
    link = Link(source="m0000", target="m0001", relation="relates_to", vault="casa", weight=1.0, origin=Origin.MANUAL, created_at=NOW)  # fmt: skip
    vault = Vault(name="casa", tier=Tier.PERSONAL, created_at=NOW)
    vectors = {m.id: row.tobytes() for m, row in zip(rows, matrix, strict=True)}
    store.wait(store.append(Transaction(vaults=(vault,), memories=tuple(rows), vectors=vectors, links=(link,))))
    return rows


@pytest.mark.parametrize("limit", [0, 1000])
def test_a_store_in_a_bucket_is_found_again(bucket: Bucket, limit: int) -> None:
    store = bucket.open()
    rows = filled(store)
    store.close()
    assert {path.name for path in (bucket.home / "data").iterdir()} <= {"store.json", "wal"}
    store = bucket.open()
    assert sorted((m for m, _ in store.memories()), key=lambda m: m.id) == rows
    model = read_model(store, embedders(), RecallConfig(resident_limit=limit))
    for text, expected in (("yellow crane", rows[0]), ("barcaza verde", rows[1]), ("会议", rows[2])):
        assert model.recall(Query(text=text, reinforce=False), now=NOW).hits[0].memory == expected
    assert [link.target for link in model.links_of("m0000")] == ["m0001"]
    store.close()


def test_what_was_acknowledged_but_not_uploaded_is_kept_by_the_log(bucket: Bucket) -> None:
    store = bucket.open()
    rows = filled(store)
    shutil.copytree(bucket.home / "data", bucket.home / "crashed")  # as a killed process leaves it
    again = bucket.open("crashed")
    assert {m.id for m, _ in again.memories()} == {m.id for m in rows}
    again.close()


def test_maintaining_and_purging_reach_the_bucket(bucket: Bucket) -> None:
    store = bucket.open()
    rows = filled(store)
    store.checkpoint()
    store.append(Transaction(memories=(replace(rows[1], relevance=0.9),)))
    store.checkpoint()
    store.maintain()
    store.append(Transaction(purge=("m0000",)))
    store.checkpoint()
    assert sorted(m.id for m, _ in store.memories()) == ["m0001", "m0002"]
    assert list(store.links()) == []
    store.close()
    assert b"the crane is yellow" not in b"".join(_objects(bucket))
    store = bucket.open()
    assert {m.id: m.relevance for m, _ in store.memories()} == {"m0001": 0.9, "m0002": 0.5}
    store.close()


def _objects(bucket: Bucket) -> Iterator[bytes]:
    """Every object of the bucket."""
    s3 = fs.S3FileSystem(
        access_key="test", secret_key="test", endpoint_override=bucket.endpoint, scheme="http", region="us-east-1"
    )
    found = [one for one in s3.get_file_info(fs.FileSelector("memories", recursive=True)) if one.is_file]
    assert found
    for one in found:
        with s3.open_input_stream(one.path) as stream:
            yield stream.readall()


def test_tables_without_their_marker_are_refused_and_stay(bucket: Bucket) -> None:
    store = bucket.open()
    filled(store)
    store.close()
    with pytest.raises(StoreError, match=r"holds tables already .* no marker") as refusal:
        bucket.open("elsewhere")
    assert refusal.value.hint is not None
    assert "store.json" in refusal.value.hint
    shutil.copytree(bucket.home / "data", bucket.home / "elsewhere", dirs_exist_ok=True)
    store = bucket.open("elsewhere")
    assert len(list(store.memories())) == 3
    store.close()


@pytest.mark.parametrize(
    ("uri", "options", "why"),
    [
        ("s3://memories/muninn", {"endpoint": "http://127.0.0.1:9"}, "the server cannot be reached"),
        ("s3://nowhere/muninn", {}, "there is no such bucket"),
    ],
)
def test_a_shut_door_is_one_clear_line(bucket: Bucket, uri: str, options: dict[str, str], why: str) -> None:
    with pytest.raises(StoreError) as refusal:
        LanceStore(bucket.home / "data", replace(bucket.config(**options), uri=uri))
    assert refusal.value.message == f"opening {uri} failed: {why}"
    assert "storage_options" in str(refusal.value.hint)
    assert not (bucket.home / "data" / "store.json").exists()


def test_wrong_credentials_are_one_clear_line(tmp_path: Path) -> None:
    with serving({"INITIAL_NO_AUTH_ACTION_COUNT": "1"}) as endpoint:  # the server looks at credentials from then on
        _request(f"{endpoint}/memories", "PUT")
        with pytest.raises(StoreError) as refusal:
            Bucket(endpoint, tmp_path).open(aws_access_key_id="nobody")
    assert refusal.value.message == "opening s3://memories/muninn failed: the access key is not known there"
    assert not (tmp_path / "data" / "store.json").exists()
