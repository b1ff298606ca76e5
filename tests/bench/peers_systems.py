"""The systems that ``peers.py`` compares: in this process, or a peer in one of its own.

A peer gets embeddings from an endpoint on the loopback that knows passages from questions by when it is asked. What a peer
prints goes to a log; of one that ends early the log's last line is told.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Protocol

from muninn.domain.draft import Draft
from muninn.domain.trust import Tier
from muninn.ports import Query
from tests.bench.invariance import BY, opened
from tests.bench.quality import DEPTH, CachedEmbedder, Dialogue, Ranking, bm25

PATIENCE = 1800.0
"""Seconds a peer may take for one request before it is given up."""


@dataclass(frozen=True, slots=True)
class Peer:
    """``place``: its folder below ``--installed``; ``program``: what it is started with, below that, if it is Python."""

    name: str
    place: str
    probe: str
    install: str
    python: bool = True


class System(Protocol):
    """``store`` gives seconds and what went wrong, ``ask`` ids and seconds. ``about``: version and configuration."""

    about: str

    def store(self, dialogue: Dialogue) -> tuple[float, list[str]]: ...
    def ask(self, question: str) -> tuple[Sequence[str], float, str]: ...


class Endpoint:
    """Embeddings over HTTP on the loopback, as OpenAI's API answers them."""

    def __init__(self, embedder: CachedEmbedder) -> None:
        self.asking = False
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                texts = [asked["input"]] if isinstance(asked["input"], str) else asked["input"]
                rows = [outer.vector(embedder, text) for text in texts]
                data = [{"object": "embedding", "index": i, "embedding": row} for i, row in enumerate(rows)]
                usage = {"prompt_tokens": 0, "total_tokens": 0}
                body = json.dumps({"object": "list", "data": data, "model": asked["model"], "usage": usage}).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                """Nobody reads it."""

        class Server(ThreadingHTTPServer):
            def handle_error(self, *_: object) -> None:
                """A peer that ends while it is answered needs no traceback."""

        self._server = Server(("127.0.0.1", 0), Handler)
        self._lock = threading.Lock()
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def vector(self, embedder: CachedEmbedder, text: str) -> list[float]:
        with self._lock:
            if self.asking:
                return [float(value) for value in embedder.query(text, tier=Tier.PERSONAL)[0]]
            return [float(value) for value in embedder.passages([text], tier=Tier.PERSONAL, vault="default")[0]]

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class Driven:
    """A peer in its own process."""

    def __init__(self, peer: Peer, installed: Path, endpoint: Endpoint, folder: Path) -> None:
        place = installed / peer.place
        python = str(place / peer.probe) if peer.python else sys.executable
        script = Path(__file__).with_name("peers_drivers.py")
        environ = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        data = folder / "data"
        data.mkdir()
        self._log = (folder / "log").open("w+")
        self._process = subprocess.Popen(
            [python, str(script), peer.name, str(place), str(data), endpoint.url],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._log, text=True, env=environ, cwd=folder,
            start_new_session=True,
        )  # fmt: skip
        self._endpoint = endpoint
        said = self._read()
        self.about = f"{said['version']}: {said['configured']}"

    def _read(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        waiting = threading.Timer(PATIENCE, self._process.kill)
        waiting.start()
        line = self._process.stdout.readline()
        waiting.cancel()
        if not line:
            self._log.seek(0)
            raise RuntimeError((self._log.read().strip().splitlines() or ["it ended without a word"])[-1])
        found: dict[str, Any] = json.loads(line)
        return found

    def _request(self, message: Mapping[str, object]) -> dict[str, Any]:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()
        return self._read()

    def store(self, dialogue: Dialogue) -> tuple[float, list[str]]:
        self._endpoint.asking = False
        answer = self._request({"store": [[turn.id, turn.text] for turn in dialogue.turns]})
        self._endpoint.asking = True
        return answer["seconds"], answer["errors"]

    def ask(self, question: str) -> tuple[Sequence[str], float, str]:
        answer = self._request({"ask": question, "limit": DEPTH})
        return answer.get("ids", ()), answer["seconds"], answer.get("error", "")

    def close(self) -> None:
        self._endpoint.asking = False
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._log.close()


class Here(ABC):
    """A system in this process: a function that stores a dialogue and gives the one that answers."""

    def __init__(self, about: str) -> None:
        self.about = about
        self._rank: Ranking = lambda _: ()

    @abstractmethod
    def prepare(self, dialogue: Dialogue) -> Ranking: ...

    def store(self, dialogue: Dialogue) -> tuple[float, list[str]]:
        began = time.perf_counter()
        self._rank = self.prepare(dialogue)
        return time.perf_counter() - began, []

    def ask(self, question: str) -> tuple[Sequence[str], float, str]:
        began = time.perf_counter()
        found = self._rank(question)
        return found, time.perf_counter() - began, ""


class Words(Here):
    def prepare(self, dialogue: Dialogue) -> Ranking:
        return bm25(dialogue)


class Lance(Here):
    """One row at a time into a table with a full-text index, then its hybrid search with reciprocal ranks."""

    def __init__(self, about: str, embedder: CachedEmbedder, folder: Path) -> None:
        super().__init__(about)
        self._embedder, self._folder = embedder, folder

    def prepare(self, dialogue: Dialogue) -> Ranking:
        import lancedb
        from lancedb.index import FTS

        def row(turn: str, text: str) -> dict[str, object]:
            vector = self._embedder.passages([text], tier=Tier.PERSONAL, vault="default")[0]
            return {"id": turn, "text": text, "vector": vector}

        first, *rest = dialogue.turns
        table: Any = lancedb.connect(str(self._folder)).create_table("turns", [row(first.id, first.text)])
        for turn in rest:
            table.add([row(turn.id, turn.text)])
        table.create_index("text", config=FTS())
        table.optimize()

        def rank(question: str) -> list[str]:
            vector = self._embedder.query(question, tier=Tier.PERSONAL)[0]
            query = table.search(query_type="hybrid").vector(vector).text(question)
            return [str(found) for found in query.limit(DEPTH).to_arrow()["id"].to_pylist()]

        return rank


class Muninn(Here):
    """The service over its store: every write durable, linked, and answered by recall as an agent gets it."""

    def __init__(self, about: str, embedder: CachedEmbedder, folder: Path, ending: ExitStack) -> None:
        super().__init__(about)
        self._embedder, self._folder, self._ending = embedder, folder, ending

    def prepare(self, dialogue: Dialogue) -> Ranking:
        now = max(turn.at for turn in dialogue.turns) + timedelta(days=1)
        service = self._ending.enter_context(opened(self._folder, self._embedder, now))
        turn_of: dict[str, str] = {}
        for turn in dialogue.turns:
            remembered = service.remember(Draft(content=turn.text, created_at=turn.at), by=BY)
            turn_of.setdefault(remembered.memory.id, turn.id)

        def rank(question: str) -> list[str]:
            answer = service.recall(Query(text=question, limit=DEPTH, reinforce=False))
            return [turn_of[hit.memory.id] for hit in answer.hits]

        return rank
