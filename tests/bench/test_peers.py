"""The bench of peers: its drivers speak one protocol, a missing peer is named, an MCP server is spoken to as it should be."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.bench import peers
from tests.bench.peers_drivers import DRIVERS, Driver, McpServer, answer

_SERVER = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if asked["method"] == "initialize":
        reply = {"result": {"serverInfo": {"version": "7"}}}
    elif asked["method"] != "tools/call":
        continue
    elif asked["params"]["name"] == "break":
        reply = {"result": {"isError": True, "content": [{"type": "text", "text": "broken"}]}}
    else:
        print(json.dumps({"jsonrpc": "2.0", "method": "notifications/message"}), flush=True)
        reply = {"result": {"content": [{"type": "text", "text": json.dumps(asked["params"]["arguments"])}]}}
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **reply}), flush=True)
"""


class Shelf(Driver):
    """A driver that keeps texts in a dictionary and refuses empty ones."""

    version, configured = "1", "as it is"

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}

    def add(self, turn: str, text: str) -> None:
        if not text:
            raise ValueError("nothing to keep")
        self.texts[turn] = text

    def settle(self) -> None:
        self.texts = dict(sorted(self.texts.items()))

    def ask(self, text: str, limit: int) -> list[str]:
        return [turn for turn, held in self.texts.items() if text in held][:limit]


def test_a_refused_text_and_a_failed_question_are_errors_not_ends() -> None:
    shelf = Shelf()
    stored = answer(shelf, {"store": [["D1:2", "a pear"], ["D1:1", "a plum"], ["D1:3", ""]]})
    assert stored["errors"] == ["D1:3: nothing to keep"]
    assert answer(shelf, {"ask": "a p", "limit": 1})["ids"] == ["D1:1"]
    assert "error" in answer(shelf, {"ask": None, "limit": 1})


@pytest.mark.slow
def test_an_mcp_server_is_greeted_called_and_its_failures_are_raised() -> None:
    server = McpServer([sys.executable, "-c", _SERVER], {})
    assert server.version == "7"
    assert server.call("echo", {"a": 1}) == {"a": 1}
    with pytest.raises(RuntimeError, match="broken"):
        server.call("break", {})
    server.close()


def test_what_is_not_installed_is_said_with_the_way_to_get_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert list(peers.chosen(None, tmp_path)) == ["BM25", "LanceDB hybrid", "muninn"]
    said = capsys.readouterr().out
    for peer in peers.PEERS:
        assert f"{peer.name} skipped, not installed: " in said
    assert f"{tmp_path}/mem0/bin/pip install mem0ai" in said
    for name in ("Letta", "MuninnDB"):
        assert f"{name} not measured: " in said


def test_every_peer_has_a_driver_and_every_driver_a_peer() -> None:
    assert {peer.name for peer in peers.PEERS} == set(DRIVERS)


@pytest.mark.slow
def test_a_peer_that_is_installed_is_measured_in_a_process_of_its_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    turns = [
        {"dia_id": f"D1:{number}", "speaker": "Ada", "text": text}
        for number, text in enumerate(("I sold my old bicycle to Ben.", "The choir sings on Friday."), 1)
    ]
    dialogue = {
        "conversation": {"session_1": turns, "session_1_date_time": "6:40 am on 3 October, 2021"},
        "qa": [{"question": "Who bought the old bicycle?", "category": 1, "evidence": ["D1:1"]}],
    }
    file = tmp_path / "dialogues.json"
    file.write_text(json.dumps([dialogue]), "utf-8")
    # A peer of the same name as a real one, that its driver can load: what chromadb's client is asked for, and no more.
    place = tmp_path / "peers" / "chroma" / "bin"
    place.mkdir(parents=True)
    stand_in = tmp_path / "lib"
    (stand_in / "chromadb-9.dist-info").mkdir(parents=True)
    (stand_in / "chromadb-9.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: chromadb\nVersion: 9\n")
    (stand_in / "chromadb.py").write_text(_CHROMA)
    (place / "python").write_text(f'#!/bin/sh\nPYTHONPATH={stand_in} exec {sys.executable} "$@"\n')
    (place / "python").chmod(0o755)
    peers.main([str(file), "--installed", str(tmp_path / "peers"), "--peer", "chroma", "--embedder", "hashed"])
    said = capsys.readouterr().out.splitlines()
    row = next(line.split() for line in said if line.startswith("chroma ") and "done" not in line)
    assert row[1:6] == ["1.000"] * 5
    assert any(line.startswith("chroma 9: ") for line in said)


_CHROMA = """
import types
config = types.SimpleNamespace(Settings=dict)
class Turns:
    rows = {}
    def add(self, ids, embeddings, documents): self.rows[ids[0]] = embeddings[0]
    def query(self, query_embeddings, n_results):
        near = lambda turn: -sum(a * b for a, b in zip(self.rows[turn], query_embeddings[0]))
        return {"ids": [sorted(self.rows, key=near)[:n_results]]}
class PersistentClient:
    def __init__(self, folder, settings): pass
    def create_collection(self, name, metadata, embedding_function): return Turns()
"""
