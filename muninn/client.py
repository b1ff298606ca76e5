"""The public client: HTTP/1.1 over the daemon's Unix socket, answers as plain JSON data, problems as muninn's errors.

Rules: one connection per request; nothing heavier than a socket and ``json`` is imported, because every command pays for
it. A refused or absent socket is NotRunningError; a daemon that goes away in mid-answer is said to have done so, since
what was asked may have happened.

    from muninn.client import Client
    Client("/home/me/.muninn/muninn.sock").post("/v1/recall", {"query": "k8s dns"})
"""

from __future__ import annotations

import _socket
import errno
import os
import time

from muninn import errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    Json = dict[str, Any]

ANSWER_LIMIT = 1 << 30  # bytes; no answer of ours comes near, so more is a fault
_CHUNK = 1 << 16
_START = "start it with: muninn start"
_CROWDED = 0.02  # seconds until the next attempt while more clients wait to be let in than the system queues


class Client:
    """Talks to the daemon that listens on ``path``. ``timeout`` is seconds of silence, not the length of a call."""

    def __init__(
        self, path: str | os.PathLike[str], *, timeout: float = 120.0, headers: Mapping[str, str] | None = None
    ) -> None:
        self.path = os.fspath(path)
        self.timeout = timeout
        self.headers = dict(headers or {})

    def get(self, path: str, *, headers: Mapping[str, str] | None = None) -> Json:
        return self.call("GET", path, None, headers)

    def post(self, path: str, body: object = None, *, headers: Mapping[str, str] | None = None) -> Json:
        return self.call("POST", path, {} if body is None else body, headers)

    def patch(self, path: str, body: object, *, headers: Mapping[str, str] | None = None) -> Json:
        return self.call("PATCH", path, body, headers)

    def delete(self, path: str, body: object = None, *, headers: Mapping[str, str] | None = None) -> Json:
        return self.call("DELETE", path, body, headers)

    def call(self, method: str, path: str, body: object = None, headers: Mapping[str, str] | None = None) -> Json:
        """The answer to one request as JSON data. Raises NotRunningError, or the error the daemon answered with.

        ``body`` is JSON data, or bytes that are JSON already.
        """
        status, content = self.exchange(method, path, body, headers)
        document = _decode(content, status)
        if status >= 400:
            raise error_of(status, document)
        return document

    def probe(self) -> None:
        """Returns when somebody listens on the socket; raises NotRunningError when nobody does."""
        self._connect().close()

    def exchange(
        self, method: str, path: str, body: object = None, headers: Mapping[str, str] | None = None
    ) -> tuple[int, bytes]:
        """Status and raw body of one answer."""
        status, pieces = self._open(method, path, body, headers)
        return status, b"".join(pieces)

    def text(self, path: str, *, headers: Mapping[str, str] | None = None) -> str:
        """An answer that is not JSON, such as a picture. Raises as ``call`` does."""
        status, content = self.exchange("GET", path, None, headers)
        if status >= 400:
            raise error_of(status, _decode(content, status))
        return content.decode("utf-8", "replace")

    def lines(self, path: str, *, headers: Mapping[str, str] | None = None) -> Iterator[bytes]:
        """The lines of a streamed answer (newline-delimited JSON), as they come, without their line ends."""
        status, pieces = self._open("GET", path, None, headers)
        if status >= 400:
            raise error_of(status, _decode(b"".join(pieces), status))
        rest = b""
        for piece in pieces:
            *whole, rest = (rest + piece).split(b"\n")
            yield from whole
        if rest:
            yield rest

    def _open(
        self, method: str, path: str, body: object, headers: Mapping[str, str] | None
    ) -> tuple[int, Iterator[bytes]]:
        request = _encode(method, path, body, {**self.headers, **(headers or {})})
        pipe = self._connect()
        try:
            _send(pipe, request)
            return _answer(_Reader(pipe, self.path))
        except TimeoutError:
            pipe.close()
            raise errors.MuninnError(
                f"the daemon at {self.path} gave no answer in {self.timeout:g} s", hint="see: muninn logs"
            ) from None
        except OSError as error:
            pipe.close()
            raise _lost(self.path, error) from None
        except errors.MuninnError:
            pipe.close()
            raise

    def _connect(self) -> _socket.socket:
        pipe = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        pipe.settimeout(self.timeout)
        until = time.monotonic() + self.timeout
        try:
            while (refused := pipe.connect_ex(self.path)) == errno.EAGAIN and time.monotonic() < until:
                time.sleep(_CROWDED)
        except OSError:  # a path too long for a socket
            refused = errno.ENAMETOOLONG
        if not refused:
            return pipe
        pipe.close()
        if refused in (errno.EACCES, errno.EPERM):
            raise errors.MuninnError(
                f"not allowed to use {self.path}", hint="it belongs to another user; set MUNINN_HOME to yours"
            )
        if refused == errno.EAGAIN:
            raise errors.MuninnError(
                f"the daemon at {self.path} let nobody in for {self.timeout:g} s", hint="see: muninn logs"
            )
        raise errors.NotRunningError(f"no daemon listens on {self.path}", hint=_START)


def _send(pipe: _socket.socket, request: bytes) -> None:
    """Send a request. A peer that hangs up in the middle may have answered already: that it is too large, say."""
    try:
        pipe.sendall(request)
    except (BrokenPipeError, ConnectionResetError):
        return


class _Reader:
    """Buffered reads from a socket; ends early with an error, never with half an answer."""

    def __init__(self, pipe: _socket.socket, path: str) -> None:
        self.pipe, self.path, self.buffer, self.taken = pipe, path, b"", 0

    def more(self) -> bytes:
        piece = self.pipe.recv(_CHUNK)
        self.taken += len(piece)
        if self.taken > ANSWER_LIMIT:
            raise errors.MuninnError(f"the answer from {self.path} is larger than {ANSWER_LIMIT} bytes")
        return piece

    def until(self, mark: bytes) -> bytes:
        while mark not in self.buffer:
            piece = self.more()
            if not piece:
                raise _lost(self.path)
            self.buffer += piece
        head, _, self.buffer = self.buffer.partition(mark)
        return head

    def exactly(self, size: int) -> Iterator[bytes]:
        while size > 0:
            piece = self.buffer or self.more()
            if not piece:
                raise _lost(self.path)
            self.buffer = piece[size:]
            yield piece[:size]
            size -= len(piece[:size])

    def rest(self) -> Iterator[bytes]:
        while piece := self.buffer or self.more():
            self.buffer = b""
            yield piece


def _encode(method: str, path: str, body: object, headers: Mapping[str, str]) -> bytes:
    content = b""
    lines = [f"{method} {path} HTTP/1.1", "Host: muninn", "Accept: application/json", "Connection: close"]
    if body is not None:
        content = body if isinstance(body, bytes) else _json(body)
        lines += ["Content-Type: application/json", f"Content-Length: {len(content)}"]
    lines += [f"{name}: {_header(value)}" for name, value in headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("utf-8", "replace") + content


def _json(body: object) -> bytes:
    import json

    try:
        return json.dumps(body, ensure_ascii=False, allow_nan=False).encode("utf-8")
    except UnicodeEncodeError:
        raise errors.UsageError("the text holds a lone surrogate, which is not text", hint="send valid UTF-8") from None


def _header(value: str) -> str:
    """A header value on one line; what is not ASCII goes as UTF-8."""
    return "".join(character if character.isprintable() else "?" for character in value)


def _answer(reader: _Reader) -> tuple[int, Iterator[bytes]]:
    start, *fields = reader.until(b"\r\n\r\n").split(b"\r\n")
    try:
        status = int(start.split(b" ", 2)[1])
    except (IndexError, ValueError):
        raise errors.MuninnError(f"what listens on {reader.path} is not muninn") from None
    headers = {name.strip().lower(): value.strip() for name, _, value in (field.partition(b":") for field in fields)}
    return status, _body(reader, status, headers)


def _body(reader: _Reader, status: int, headers: Mapping[bytes, bytes]) -> Iterator[bytes]:
    try:
        if headers.get(b"transfer-encoding", b"").lower() == b"chunked":
            while size := int(reader.until(b"\r\n").split(b";")[0], 16):
                yield from reader.exactly(size)
                reader.until(b"\r\n")
        elif status != 204 and b"content-length" in headers:
            yield from reader.exactly(int(headers[b"content-length"]))
        elif status != 204:
            yield from reader.rest()
    except ValueError:
        raise errors.MuninnError(f"what listens on {reader.path} is not muninn") from None
    except OSError as error:
        raise _lost(reader.path, error) from None
    finally:
        reader.pipe.close()


def _decode(content: bytes, status: int) -> Json:
    import json

    if not content.strip():
        return {}
    try:
        document = json.loads(content)
    except (ValueError, RecursionError):
        raise errors.MuninnError(f"the daemon answered {status} with something that is not JSON") from None
    return document if isinstance(document, dict) else {"results": document}


def error_of(status: int, problem: Mapping[str, object]) -> errors.MuninnError:
    """The error that an RFC 9457 problem describes: by its ``type``, or else by the HTTP status."""
    name = str(problem.get("type") or "").rstrip("/").replace("#", "/").replace(":", "/").rsplit("/", 1)[-1]
    kind = _by_name().get(_fold(name)) or _BY_STATUS.get(status, errors.MuninnError)
    message = str(problem.get("detail") or problem.get("title") or f"the daemon answered {status}")
    hint = str(problem.get("hint") or "") or None
    error = kind(message.removesuffix(f" ({hint})"), hint=hint)
    code = problem.get("exit_code")
    if isinstance(code, int) and not isinstance(code, bool):
        error.exit_code = code
    error.status = status
    return error


_BY_STATUS: Mapping[int, type[errors.MuninnError]] = {
    400: errors.UsageError,
    403: errors.EgressRefusedError,
    404: errors.NotFoundError,
    405: errors.UsageError,
    409: errors.ConflictError,
    413: errors.TooLargeError,
    415: errors.UsageError,
    422: errors.UsageError,
    502: errors.ProviderError,
    503: errors.LockedError,
    507: errors.StoreFullError,
}


def _by_name() -> dict[str, type[errors.MuninnError]]:
    return {_fold(name): getattr(errors, name) for name in errors.__all__}


def _fold(name: str) -> str:
    return name.replace("-", "").replace("_", "").lower().removesuffix("error")


def _lost(path: str, error: OSError | None = None) -> errors.MuninnError:
    why = f": {os.strerror(error.errno)}" if error is not None and error.errno else ""
    return errors.NotRunningError(
        f"the daemon at {path} went away before it had answered{why}",
        hint="what was asked may have happened; look first",
    )
