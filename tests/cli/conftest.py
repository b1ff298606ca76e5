"""A daemon that says what a test tells it to, on a real Unix socket, and a home for it."""

from __future__ import annotations

import json
import socketserver
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest


@dataclass
class Asked:
    method: str
    path: str
    headers: dict[str, str]
    body: Any


@dataclass
class FakeDaemon:
    """``answers``: by "METHOD /path" without the query: a status and a document, or bytes to be sent in chunks."""

    socket: Path
    answers: dict[str, tuple[int, Any]] = field(default_factory=dict)
    asked: list[Asked] = field(default_factory=list)

    def on(self, request: str, document: Any, status: int = 200) -> None:
        self.answers[request] = (status, document)

    @property
    def last(self) -> Asked:
        return [asked for asked in self.asked if asked.path != "/v1/status"][-1]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    daemon: FakeDaemon

    def address_string(self) -> str:
        return "unix"

    def log_message(self, *_words: object) -> None:
        return

    def _serve(self) -> None:
        size = int(self.headers.get("content-length") or 0)
        data = self.rfile.read(size)
        body = json.loads(data) if data else None
        headers = {name.lower(): value.encode("latin-1").decode("utf-8") for name, value in self.headers.items()}
        self.daemon.asked.append(Asked(self.command, self.path, headers, body))
        missing = (404, {"type": "urn:muninn:NotFoundError", "detail": f"there is nothing at {self.path}"})
        status, document = self.daemon.answers.get(f"{self.command} {self.path.partition('?')[0]}", missing)
        if callable(document):
            document = document(self.daemon.asked[-1])
        if isinstance(document, bytes):
            self._chunked(status, document)
            return
        content = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json" if status < 400 else "application/problem+json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def _chunked(self, status: int, data: bytes) -> None:
        self.send_response(status)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for start in range(0, len(data), 7):
            piece = data[start : start + 7]
            self.wfile.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
        self.wfile.write(b"0\r\n\r\n")

    do_GET = do_POST = do_PATCH = do_DELETE = _serve  # noqa: N815 - the names are the library's


class _Server(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True
    request_queue_size = 64


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def environ(home: Path) -> dict[str, str]:
    return {"MUNINN_HOME": str(home), "HOME": str(home.parent), "PATH": "/usr/bin:/bin"}


@pytest.fixture
def daemon(home: Path) -> Iterator[FakeDaemon]:
    home.mkdir(mode=0o700)
    fake = FakeDaemon(home / "muninn.sock")
    fake.on(
        "GET /v1/status",
        {"state": "awake", "pid": 4242, "memories": 3, "vaults": 1, "gate": {"open": False, "why": "2 of 3 writes"}},
    )
    handler = type("Handler", (_Handler,), {"daemon": fake})
    server = _Server(str(fake.socket), handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    yield fake
    server.shutdown()
    server.server_close()


@dataclass
class Done:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@pytest.fixture
def muninn(environ: dict[str, str], capfd: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    """Run a command line in this process, as the installed command would."""
    from muninn_cmd.app import run

    def call(*words: str, **extra: str) -> Done:
        capfd.readouterr()
        code = run(list(words), {**environ, **extra})
        out, err = capfd.readouterr()
        return Done(code, out, err)

    return call
