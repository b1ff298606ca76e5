"""A language model server that is none: the wire protocols of Ollama, Anthropic and OpenAI over TCP, standard library only.

It records every request as raw bytes with its peer: the oracle of what left a process. What it says is a script: ``model``
turns a question into text, ``mode`` bends the text or the wire. Modes are listed in ``TEXT_MODES`` and ``WIRE_MODES``;
``status:N``, ``status:N:RETRY_AFTER``, ``redirect:N:URL``, ``drip:BYTES_PER_SECOND``, ``trunc:N``, ``huge:BYTES`` take arguments.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import socket
import socketserver
import ssl
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Self

from tests.fakes.llm_models import TEXT_MODES, eager, empty_answer, obedient, shown_groups, truthful
from tests.fakes.llm_protocols import QUESTIONS, Asked, Recorded, asked_in, content_type, read_json, render

__all__ = [
    "TEXT_MODES",
    "WIRE_MODES",
    "Asked",
    "FakeLlm",
    "Recorded",
    "eager",
    "empty_answer",
    "obedient",
    "shown_groups",
    "truthful",
]


WIRE_MODES = (
    "hang_accept", "hang_after_headers", "drip:20", "ws_flood", "huge:300000000", "gzipbomb", "trunc:40", "bad_len", "reset",
    "reset_in_body", "status:400", "status:401", "status:403", "status:404", "status:429:0", "status:500", "status:503", "status:529",
    "status:429:3600", "redirect:301", "redirect:302", "redirect:307", "redirect:308", "html_error_page", "captive_portal", "no_http",
    "bad_chunk", "huge_header", "many_headers", "body:[]", "body:null", "body:42", "body:\"text\"", "body:{}", "body:{\"error\":\"no\"}",
    "body:", "body:{", "body:\xff\xfe", "null_body_fields", "max_tokens", "refuse", "early_close", "endless_headers", "two_lengths",
    "raw:HTTP/1.1 204 No Content", "raw:HTTP/1.1 101 Switching Protocols;Upgrade: h2c;Connection: upgrade", "raw:HTTP/1.1 999 Odd",
    "raw:HTTP/1.1 200 OK;Content-Length: 99999999999999999999", "raw:HTTP/1.1 200 OK;Content-Length: -1", "raw:HTTP/1.1 2OO OK",
    "raw:HTTP/1.1 200 OK;Transfer-Encoding: gzip, chunked", "raw:HTTP/2 200", "raw:ICY 200 OK", "raw:HTTP/1.1 200 OK;X: a\x00b",
    "raw:HTTP/1.1 200 OK;Content-Type: text/event-stream", "raw:HTTP/1.1 103 Early Hints;Link: </x>", "endless_continue",
    "long_chunk_extension", "body:{\"error\":{\"message\":\"no\"}}", "body:{\"choices\":[],\"content\":[],\"message\":{}}",
    "body:{\"choices\":null,\"content\":null,\"message\":null,\"done\":true}", "body:[{\"done\":true}]", "body:" + "[" * 100_000,
)  # fmt: skip


@dataclass(slots=True)
class FakeLlm:
    """Use as a context manager. ``modes`` are consumed one a question, then ``mode`` holds."""

    model: Callable[[Asked], str] = empty_answer
    mode: str = "ok"
    modes: list[str] = field(default_factory=list)
    host: str = "127.0.0.1"
    remote_host: str = ""
    missing: bool = False
    requests: list[Recorded] = field(default_factory=list)
    patience: float = 30.0
    tls: ssl.SSLContext | None = None
    _server: socketserver.ThreadingTCPServer | None = None
    _over: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __enter__(self) -> Self:
        fake = self

        class Handler(socketserver.BaseRequestHandler):
            def handle(self) -> None:
                with suppress(OSError):
                    wrapped = fake.tls.wrap_socket(self.request, server_side=True) if fake.tls else self.request
                    _Connection(fake, wrapped, self.client_address).serve()
                    wrapped.close()

        class Server(socketserver.ThreadingTCPServer):
            daemon_threads = True
            allow_reuse_address = True
            request_queue_size = 128
            block_on_close = False

            def handle_error(self, request: Any, client_address: Any) -> None:
                pass

        self._server = Server((self.host, 0), Handler)
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()

    @property
    def port(self) -> int:
        assert self._server is not None
        return int(self._server.server_address[1])

    @property
    def url(self) -> str:
        return f"http://{self.host}:{self.port}"

    @property
    def prompts(self) -> list[Recorded]:
        """Requests that carried a question or a text to embed."""
        return [r for r in self.requests if r.path in QUESTIONS or "embed" in r.path]

    def next_mode(self) -> str:
        with self._lock:
            return self.modes.pop(0) if self.modes else self.mode


class _Connection:
    def __init__(self, fake: FakeLlm, connection: socket.socket, peer: tuple[str, int]) -> None:
        self.fake = fake
        self.socket = connection
        self.peer = peer

    def serve(self) -> None:
        record = self._read()
        if record is None:
            return
        self.fake.requests.append(record)
        asked = asked_in(record)
        if asked is None:
            self._facts(record)
            return
        mode = self.fake.next_mode()
        wire = _WIRE.get(mode.partition(":")[0])
        if wire is not None:
            wire(self, record, asked, mode)
            return
        text = self.fake.model(asked)
        if mode in TEXT_MODES:
            text = TEXT_MODES[mode](text)
        self.reply(record, 200, render(asked, text), content_type=content_type(asked))

    def _read(self) -> Recorded | None:
        self.socket.settimeout(self.fake.patience)
        raw = b""
        while b"\r\n\r\n" not in raw:
            piece = self.socket.recv(65536)
            if not piece:
                return None
            raw += piece
        head, _, body = raw.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        method, path, _version = lines[0].split(" ")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
        while len(body) < int(headers.get("content-length", "0")):
            piece = self.socket.recv(65536)
            if not piece:
                break
            body += piece
            raw += piece
        return Recorded(method, path, headers, body, raw, self.peer)

    def reply(
        self,
        record: Recorded,
        status: int,
        body: bytes,
        *,
        content_type: str = "application/json",
        headers: str = "",
        length: int | None = None,
        sent: int | None = None,
    ) -> None:
        size = len(body) if length is None else length
        head = f"HTTP/1.1 {status} X\r\nContent-Type: {content_type}\r\nContent-Length: {size}\r\n{headers}\r\n"
        self.socket.sendall(head.encode("latin-1"))
        body = body if sent is None else body[:sent]
        record.answered = len(body)
        self.socket.sendall(body)

    def stream(self, record: Recorded, pieces: Iterator[bytes], *, pause: float = 0.0) -> None:
        """A body without a length, piece by piece until the other side has had enough."""
        self.socket.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n")
        until = time.monotonic() + self.fake.patience
        for piece in pieces:
            if self.fake._over.is_set() or time.monotonic() > until:
                return
            self.socket.sendall(piece)
            record.answered += len(piece)
            if pause:
                time.sleep(pause)

    def hang(self) -> None:
        self.fake._over.wait(self.fake.patience)

    def reset(self) -> None:
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()

    def _facts(self, record: Recorded) -> None:
        """The questions about the server itself, and embeddings."""
        sent = read_json(record.body)
        model = str(sent.get("model", "")) if isinstance(sent, dict) else ""
        answers: dict[str, Any] = {
            "/api/version": {"version": "0.12.0"},
            "/api/tags": {"models": [{"name": "llama3.2:latest", "model": "llama3.2:latest"}]},
            "/api/show": {"details": {"family": "fake"}, "model_info": {}, "capabilities": ["completion"]},
        }
        if record.path == "/api/show" and self.fake.remote_host:
            answers["/api/show"] |= {"remote_host": self.fake.remote_host, "remote_model": model}
        if self.fake.missing and record.path == "/api/show":
            self.reply(record, 404, json.dumps({"error": f"model '{model}' not found"}).encode())
        elif record.path in answers:
            self.reply(record, 200, json.dumps(answers[record.path]).encode())
        elif record.path.startswith("/v1/models/"):
            facts = {"id": record.path.rpartition("/")[2], "type": "model", "object": "model", "display_name": "x"}
            self.reply(record, 200, json.dumps({**facts, "created_at": "2026-01-01T00:00:00Z"}).encode())
        elif record.path in ("/api/embed", "/v1/embeddings"):
            self._embed(record, sent)
        else:
            self.reply(record, 404, b'{"error":"not found"}')

    def _embed(self, record: Recorded, sent: Any) -> None:
        mode = self.fake.next_mode()
        wire = _WIRE.get(mode.partition(":")[0])
        if wire is not None:
            wire(self, record, Asked("embed", "", "", "", None, False), mode)
            return
        given = sent["input"] if isinstance(sent["input"], list) else [sent["input"]]
        vectors = [[byte / 255 for byte in hashlib.sha256(text.encode()).digest()[:16]] for text in given]
        if record.path == "/api/embed":
            answer: Any = {"model": sent["model"], "embeddings": vectors}
        else:
            answer = {"object": "list", "data": [{"index": i, "embedding": v} for i, v in enumerate(vectors)]}
        self.reply(record, 200, json.dumps(answer).encode())


def _repeat(piece: bytes, total: int | None = None) -> Iterator[bytes]:
    sent = 0
    while total is None or sent < total:
        yield piece
        sent += len(piece)


def _hang_accept(connection: _Connection, *_: object) -> None:
    connection.hang()


def _hang_after_headers(connection: _Connection, *_: object) -> None:
    connection.socket.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n")
    connection.hang()


def _endless_headers(connection: _Connection, *_: object) -> None:
    connection.socket.sendall(b"HTTP/1.1 200 OK\r\n")
    until = time.monotonic() + connection.fake.patience
    while time.monotonic() < until and not connection.fake._over.is_set():
        connection.socket.sendall(b"X-A: 1\r\n")
        time.sleep(0.02)


def _drip(connection: _Connection, record: Recorded, asked: Asked, mode: str) -> None:
    rate = float(mode.partition(":")[2] or 10)
    body = render(asked, empty_answer(asked))
    connection.stream(record, iter(bytes([byte]) for byte in body * 1000), pause=1 / rate)


def _ws_flood(connection: _Connection, record: Recorded, asked: Asked, _mode: str) -> None:
    if asked.protocol == "ollama" and asked.stream:
        row = json.dumps({"model": asked.model, "created_at": "2026-01-01T00:00:00Z", "done": False,
                          "message": {"role": "assistant", "content": "\n" * 20}}).encode() + b"\n"  # fmt: skip
        connection.stream(record, _repeat(row), pause=0.001)
    else:
        connection.stream(record, _repeat(b" \n" * 50), pause=0.001)


def _huge(connection: _Connection, record: Recorded, asked: Asked, mode: str) -> None:
    connection.stream(record, _repeat(b'{"a":"' + b"x" * 65530, int(mode.partition(":")[2])))


def _gzipbomb(connection: _Connection, record: Recorded, asked: Asked, _mode: str) -> None:
    connection.reply(record, 200, gzip.compress(b"0" * 10_000_000), headers="Content-Encoding: gzip\r\n")


def _trunc(connection: _Connection, record: Recorded, asked: Asked, mode: str) -> None:
    body = render(asked, connection.fake.model(asked))
    connection.reply(record, 200, body, sent=int(mode.partition(":")[2]))


def _bad_len(connection: _Connection, record: Recorded, asked: Asked, _mode: str) -> None:
    body = render(asked, connection.fake.model(asked))
    connection.reply(record, 200, body, length=len(body) // 2)


def _reset(connection: _Connection, *_: object) -> None:
    connection.reset()


def _reset_in_body(connection: _Connection, *_: object) -> None:
    connection.socket.sendall(b'HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n{"model"')
    time.sleep(0.02)
    connection.reset()


def _status(connection: _Connection, record: Recorded, asked: Asked, mode: str) -> None:
    _, status, *after = mode.split(":")
    headers = f"Retry-After: {after[0]}\r\n" if after else ""
    connection.reply(record, int(status), b'{"error":{"type":"fake_error","message":"no"}}', headers=headers)


def _redirect(connection: _Connection, record: Recorded, asked: Asked, mode: str) -> None:
    _, status, *rest = mode.split(":", 2)
    target = rest[0] if rest else "http://evil.example/"
    connection.reply(record, int(status), b"", headers=f"Location: {target}\r\n")


def _html_error_page(connection: _Connection, record: Recorded, *_: object) -> None:
    connection.reply(record, 502, b"<html>Bad gateway</html>", content_type="text/html")


def _captive_portal(connection: _Connection, record: Recorded, *_: object) -> None:
    connection.reply(record, 200, b"<html>Please sign in</html>", content_type="text/html")


def _no_http(connection: _Connection, *_: object) -> None:
    connection.socket.sendall(b"SSH-2.0-OpenSSH_9.2\r\n")


def _bad_chunk(connection: _Connection, *_: object) -> None:
    connection.socket.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n")


def _huge_header(connection: _Connection, *_: object) -> None:
    connection.socket.sendall(b"HTTP/1.1 200 OK\r\nX-Big: " + b"a" * 1_000_000 + b"\r\n\r\n{}")


def _many_headers(connection: _Connection, *_: object) -> None:
    connection.socket.sendall(b"HTTP/1.1 200 OK\r\n" + b"X-A: b\r\n" * 20_000 + b"\r\n{}")


def _body(connection: _Connection, record: Recorded, asked: Asked, mode: str) -> None:
    connection.reply(record, 200, mode.partition(":")[2].encode("latin-1"))


def _null_body_fields(connection: _Connection, record: Recorded, asked: Asked, _mode: str) -> None:
    bodies = {
        "ollama": {"model": None, "message": None, "done": True},
        "anthropic": {"id": None, "type": "message", "content": None, "stop_reason": None},
        "openai": {"choices": [{"message": None, "finish_reason": None}]},
    }
    connection.reply(record, 200, json.dumps(bodies.get(asked.protocol)).encode())


def _max_tokens(connection: _Connection, record: Recorded, asked: Asked, _mode: str) -> None:
    stop = "max_tokens" if asked.protocol == "anthropic" else "length"
    connection.reply(record, 200, render(asked, connection.fake.model(asked), stop=stop))


def _refuse(connection: _Connection, record: Recorded, asked: Asked, _mode: str) -> None:
    stop = "refusal" if asked.protocol == "anthropic" else "content_filter"
    connection.reply(record, 200, render(asked, "", stop=stop))


def _early_close(connection: _Connection, *_: object) -> None:
    connection.socket.close()


def _raw(connection: _Connection, record: Recorded, asked: Asked, mode: str) -> None:
    """The given head, ``;`` for the ends of its lines, and no body."""
    head = mode.partition(":")[2].replace(";", "\r\n")
    connection.socket.sendall(f"{head}\r\n\r\n".encode("latin-1"))


def _endless_continue(connection: _Connection, *_: object) -> None:
    until = time.monotonic() + connection.fake.patience
    while not connection.fake._over.is_set() and time.monotonic() < until:
        connection.socket.sendall(b"HTTP/1.1 100 Continue\r\n\r\n" * 100)
        time.sleep(0.001)


def _long_chunk_extension(connection: _Connection, *_: object) -> None:
    connection.socket.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;x=" + b"a" * 3_000_000)


def _two_lengths(connection: _Connection, *_: object) -> None:
    connection.socket.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 40\r\n\r\n{}")


_Wire = Callable[[_Connection, Recorded, Asked, str], None]
_WIRE: dict[str, _Wire] = {
    "hang_accept": _hang_accept, "hang_after_headers": _hang_after_headers, "drip": _drip, "ws_flood": _ws_flood, "huge": _huge,
    "gzipbomb": _gzipbomb, "trunc": _trunc, "bad_len": _bad_len, "reset": _reset, "reset_in_body": _reset_in_body,
    "status": _status, "redirect": _redirect, "html_error_page": _html_error_page, "captive_portal": _captive_portal,
    "no_http": _no_http, "bad_chunk": _bad_chunk, "huge_header": _huge_header, "many_headers": _many_headers, "body": _body,
    "null_body_fields": _null_body_fields, "max_tokens": _max_tokens, "refuse": _refuse, "early_close": _early_close,
    "endless_headers": _endless_headers, "two_lengths": _two_lengths,
    "raw": _raw, "endless_continue": _endless_continue, "long_chunk_extension": _long_chunk_extension,
}  # fmt: skip
