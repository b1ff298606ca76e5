"""One peer at a time, in a process of its own and run by the Python that has the peer installed.

    PYTHON peers_drivers.py PEER INSTALLED FOLDER ENDPOINT

INSTALLED is where the peer was installed, FOLDER is empty and the peer's to fill, ENDPOINT answers embeddings as OpenAI's API
does. The first line out says version and configuration; then each line in is ``{"store": [[id, text], …]}``, answered with
``seconds`` and ``errors``, or ``{"ask": text, "limit": n}``, answered with ``seconds`` and ``ids``, best first, or ``error``.
Only the standard library is imported here at once: nothing of muninn is installed beside a peer.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import re
import subprocess
import sys
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Coroutine, Sequence
from importlib import import_module, metadata
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

MODEL = "bench"
DIMENSIONS = 384


class Driver(ABC):
    """One peer. ``add`` raises when it refuses a text; ``ask`` gives ids, best first; most need no more."""

    version = configured = ""

    @abstractmethod
    def add(self, turn: str, text: str) -> None: ...

    def settle(self) -> None:  # noqa: B027
        """Return when everything added can be found: at once, where a write waits for its index."""

    @abstractmethod
    def ask(self, text: str, limit: int) -> list[str]: ...

    def close(self) -> None:  # noqa: B027
        """End what was started."""


def embedded(endpoint: str, texts: Sequence[str]) -> list[list[float]]:
    body = json.dumps({"model": MODEL, "input": list(texts)}).encode()
    with urlopen(Request(f"{endpoint}/embeddings", body, {"Content-Type": "application/json"})) as answer:
        return [row["embedding"] for row in json.load(answer)["data"]]


class McpServer:
    """A server of the Model Context Protocol, spoken to over its standard streams."""

    def __init__(self, command: Sequence[str], environ: dict[str, str]) -> None:
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env={**os.environ, **environ})
        self._number = 0
        about = {"name": "bench", "version": "1"}
        started = self._request(
            "initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": about}
        )
        self.version = str(started["serverInfo"]["version"])
        self._send({"method": "notifications/initialized"})

    def call(self, tool: str, arguments: dict[str, Any]) -> Any:
        """What the tool returned as JSON. Raises RuntimeError with what it said when it failed."""
        result = self._request("tools/call", {"name": tool, "arguments": arguments})
        text = "".join(part.get("text", "") for part in result.get("content", ()))
        if result.get("isError"):
            raise RuntimeError(text[:200])
        answer = result.get("structuredContent") or json.loads(text)
        return answer["result"] if list(answer) == ["result"] else answer  # how FastMCP wraps what is no object

    def close(self) -> None:
        self._process.terminate()
        self._process.wait()

    def _request(self, method: str, parameters: dict[str, Any]) -> Any:
        self._number += 1
        self._send({"id": self._number, "method": method, "params": parameters})
        assert self._process.stdout is not None
        for line in self._process.stdout:
            answer = json.loads(line)
            if answer.get("id") == self._number and "method" not in answer:
                if "error" in answer:
                    raise RuntimeError(str(answer["error"])[:200])
                return answer["result"]
        raise RuntimeError("the server ended")

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self._process.stdin.flush()


class ServerMemory(Driver):
    """Substring search over a JSON-lines file: a turn is an entity with one observation."""

    configured = "defaults; each turn an entity, the whole question as search_nodes' substring"

    def __init__(self, installed: Path, folder: Path, _: str) -> None:
        package = installed / "node_modules/@modelcontextprotocol/server-memory"
        self.version = str(json.loads((package / "package.json").read_text("utf-8"))["version"])
        file = {"MEMORY_FILE_PATH": str(folder / "memory.jsonl")}
        self._server = McpServer(["node", str(package / "dist/index.js")], file)

    def add(self, turn: str, text: str) -> None:
        entity = {"name": turn, "entityType": "turn", "observations": [text]}
        self._server.call("create_entities", {"entities": [entity]})

    def ask(self, text: str, limit: int) -> list[str]:
        return self._found(text)[:limit]

    def close(self) -> None:
        self._server.close()

    def _found(self, text: str) -> list[str]:
        return [str(entity["name"]) for entity in self._server.call("search_nodes", {"query": text})["entities"]]


class ServerMemoryByWord(ServerMemory):
    """What a patient agent can get out of it."""

    configured = "defaults; one search_nodes per word of four letters or more, turns by how many searches found them"

    def ask(self, text: str, limit: int) -> list[str]:
        words = sorted({word for word in re.findall(r"\w+", text.lower()) if len(word) >= 4})
        times = Counter(name for word in words for name in self._found(word))
        return [name for name, _ in times.most_common(limit)]


class Chroma(Driver):
    """A persistent collection, vectors given."""

    configured = "PersistentClient, cosine space, vectors of the bench's embedder"

    def __init__(self, _: Path, folder: Path, endpoint: str) -> None:
        chromadb = import_module("chromadb")
        self.version = metadata.version("chromadb")
        settings = chromadb.config.Settings(anonymized_telemetry=False)
        client = chromadb.PersistentClient(str(folder), settings=settings)
        self._turns = client.create_collection("turns", metadata={"hnsw:space": "cosine"}, embedding_function=None)
        self._endpoint = endpoint

    def add(self, turn: str, text: str) -> None:
        self._turns.add(ids=[turn], embeddings=embedded(self._endpoint, [text]), documents=[text])

    def ask(self, text: str, limit: int) -> list[str]:
        found = self._turns.query(query_embeddings=embedded(self._endpoint, [text]), n_results=limit)
        return [str(turn) for turn in found["ids"][0]]


class Mem0(Driver):
    """Without a language model: texts as they are (``infer=False``)."""

    def __init__(self, _: Path, folder: Path, endpoint: str) -> None:
        os.environ |= {"MEM0_TELEMETRY": "False", "MEM0_DIR": str(folder), "HF_HUB_OFFLINE": "1"}
        embedder = {"api_key": "none", "openai_base_url": endpoint, "model": MODEL, "embedding_dims": DIMENSIONS}
        store = {"path": str(folder / "qdrant"), "embedding_model_dims": DIMENSIONS, "on_disk": True}
        settings = {
            "embedder": {"provider": "openai", "config": embedder},
            "vector_store": {"provider": "qdrant", "config": store},
            "llm": {"provider": "openai", "config": {"api_key": "none", "openai_base_url": endpoint}},
            "history_db_path": str(folder / "history.db"),
        }
        self._memory = import_module("mem0").Memory.from_config(settings)
        self.version = metadata.version("mem0ai")
        lexical = self._memory.vector_store.keyword_search("word", 1, {"user_id": "bench"}) is not None
        self.configured = (
            "infer=False (its extraction needs a language model), qdrant on disk, the bench's embedder, threshold 0; "
            + ("keyword search on" if lexical else "keyword search off (its BM25 model is fetched from a hub)")
        )

    def add(self, turn: str, text: str) -> None:
        message = [{"role": "user", "content": text}]
        self._memory.add(message, user_id="bench", infer=False, metadata={"turn": turn})

    def ask(self, text: str, limit: int) -> list[str]:
        found = self._memory.search(text, top_k=limit, filters={"user_id": "bench"}, threshold=0.0)
        return [str(row["metadata"]["turn"]) for row in found["results"]]


class McpMemoryService(Driver):
    """Its storage as its server uses it, SQLite with vectors."""

    configured = (
        "sqlite_vec, MCP_EXTERNAL_EMBEDDING_URL = the bench's embedder, retrieve_hybrid, semantic deduplication off"
    )

    def __init__(self, _: Path, folder: Path, endpoint: str) -> None:
        os.environ |= {
            "MCP_EXTERNAL_EMBEDDING_URL": f"{endpoint}/embeddings", "MCP_EXTERNAL_EMBEDDING_MODEL": MODEL,
            "MCP_MEMORY_STORAGE_BACKEND": "sqlite_vec", "MCP_MEMORY_BASE_DIR": str(folder),
            "MCP_SEMANTIC_DEDUP_ENABLED": "false",
        }  # fmt: skip
        self.version = metadata.version("mcp-memory-service")
        self._loop = asyncio.new_event_loop()
        self._memory = import_module("mcp_memory_service.models.memory").Memory
        storage = import_module("mcp_memory_service.storage.sqlite_vec").SqliteVecMemoryStorage
        self._storage = storage(str(folder / "memories.db"))
        self._run(self._storage.initialize())

    def _run(self, work: Coroutine[Any, Any, Any]) -> Any:
        return self._loop.run_until_complete(work)

    def add(self, turn: str, text: str) -> None:
        digest = hashlib.sha256(text.encode()).hexdigest()
        memory = self._memory(content=text, content_hash=digest, metadata={"turn": turn})
        stored, why = self._run(self._storage.store(memory))
        if not stored:
            raise RuntimeError(why)

    def ask(self, text: str, limit: int) -> list[str]:
        found = self._run(self._storage.retrieve_hybrid(text, n_results=limit))
        return [str(result.memory.metadata["turn"]) for result in found]


class McpMemoryServiceByMeaning(McpMemoryService):
    """The mode its search tool takes when none is named."""

    configured = McpMemoryService.configured.replace("retrieve_hybrid", "retrieve")

    def ask(self, text: str, limit: int) -> list[str]:
        found = self._run(self._storage.retrieve(text, n_results=limit))
        return [str(result.memory.metadata["turn"]) for result in found]


class BasicMemory(Driver):
    """A note per turn through its MCP server. Its vectors need an SQLite that loads extensions: pysqlite3 lends one."""

    _START = (
        "import sys\ntry:\n import pysqlite3\n sys.modules['sqlite3'] = sys.modules['pysqlite3']\nexcept ImportError: pass\n"
        "from basic_memory.cli.main import app\napp()"
    )

    def __init__(self, installed: Path, folder: Path, endpoint: str) -> None:
        environ = {
            "HOME": str(folder), "BASIC_MEMORY_HOME": str(folder / "notes"), "BASIC_MEMORY_CONFIG_DIR": str(folder / "config"),
            "BASIC_MEMORY_SEMANTIC_EMBEDDING_PROVIDER": "openai", "BASIC_MEMORY_SEMANTIC_EMBEDDING_MODEL": MODEL,
            "BASIC_MEMORY_SEMANTIC_EMBEDDING_API_BASE": endpoint, "BASIC_MEMORY_SEMANTIC_EMBEDDING_API_KEY": "none",
            "BASIC_MEMORY_SEMANTIC_EMBEDDING_DIMENSIONS": str(DIMENSIONS), "BASIC_MEMORY_SEMANTIC_MIN_SIMILARITY": "0",
        }  # fmt: skip
        self._environ, self._python = environ, str(installed / "bin/python")
        self._server = McpServer([self._python, "-c", self._START, "mcp"], environ)
        script = "from importlib.metadata import version; print(version('basic-memory'))"
        self.version = subprocess.run([self._python, "-c", script], capture_output=True, text=True).stdout.strip()
        lent = subprocess.run([self._python, "-c", "import pysqlite3"], capture_output=True).returncode == 0
        self.configured = "a note per turn, search_notes' default mode, minimum similarity 0, " + (
            "the bench's embedder, pysqlite3 for sqlite3"
            if lent
            else "keyword search alone unless its Python loads extensions"
        )
        self._turns: dict[str, str] = {}

    def add(self, turn: str, text: str) -> None:
        title = re.sub(r"\W", "-", turn)
        self._turns[title] = turn
        self._server.call(
            "write_note", {"title": title, "content": text, "directory": "turns", "output_format": "json"}
        )

    def settle(self) -> None:
        """Its vectors are made beside the writes: ask until a second passes without more of them."""
        last, quiet = -1, 0
        while quiet < 2:
            time.sleep(1)
            held = sum(file.stat().st_size for file in Path(self._environ["HOME"]).rglob("*.db*"))
            quiet, last = (quiet + 1, last) if held == last else (0, held)

    def ask(self, text: str, limit: int) -> list[str]:
        asked = {"query": text, "page_size": limit, "output_format": "json"}
        found = self._server.call("search_notes", asked)
        titles = dict.fromkeys(Path(row.get("file_path") or row["title"]).stem for row in found["results"])
        return [self._turns[title] for title in titles if title in self._turns]

    def close(self) -> None:
        self._server.close()


DRIVERS: dict[str, Callable[[Path, Path, str], Driver]] = {
    "server-memory": ServerMemory,
    "server-memory-by-word": ServerMemoryByWord,
    "chroma": Chroma,
    "mem0": Mem0,
    "mcp-memory-service": McpMemoryService,
    "mcp-memory-service-by-meaning": McpMemoryServiceByMeaning,
    "basic-memory": BasicMemory,
}


def answer(driver: Driver, asked: dict[str, Any]) -> dict[str, Any]:
    began = time.perf_counter()
    if "store" in asked:
        errors = []
        for turn, text in asked["store"]:
            try:
                driver.add(turn, text)
            except Exception as error:  # a peer may raise anything; the bench counts it
                errors.append(f"{turn}: {error}"[:200])
        driver.settle()
        return {"seconds": time.perf_counter() - began, "errors": errors}
    try:
        ids = driver.ask(asked["ask"], asked["limit"])
    except Exception as error:
        return {"seconds": time.perf_counter() - began, "error": str(error)[:200]}
    return {"seconds": time.perf_counter() - began, "ids": ids}


def main() -> None:
    peer, installed, folder, endpoint = sys.argv[1:]
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a peer prints is no answer
    driver = DRIVERS[peer](Path(installed), Path(folder), endpoint)
    print(json.dumps({"version": driver.version, "configured": driver.configured}), file=out, flush=True)
    for line in sys.stdin:
        print(json.dumps(answer(driver, json.loads(line))), file=out, flush=True)
    driver.close()


if __name__ == "__main__":
    main()
