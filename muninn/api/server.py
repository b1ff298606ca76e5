"""HTTP/1.1 over the Unix socket: an ASGI application around the table of routes, served by uvicorn.

The socket is made by us (0600), every connection's user is checked by the kernel's word (SO_PEERCRED), browsers are
refused, bodies are bounded before they are read, and a connection that asks nothing gives way to one that does.
Handlers run in threads; one that began is never cancelled. Quick questions (status, hooks) have threads of their own, so
that a queue of slow ones does not hold them up.
"""

from __future__ import annotations

import asyncio
import resource
import socket
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from hashlib import blake2b
from threading import Event, Lock
from typing import Any

import msgspec
import uvicorn

from muninn.api.calls import REQUEST_LIMIT, Answer, Core, decode_body
from muninn.api.patience import Crowd, Patient
from muninn.atomic import refused
from muninn.errors import MuninnError, NotRunningError, StoreError, TooLargeError, UsageError

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

_THREADS = 16
_QUICK_THREADS = 4
_READY_PATIENCE = 120.0  # seconds a request waits while muninn wakes
_READY_POLL = 0.05
_HEAD_PATIENCE = 10.0  # seconds a client may take to send its request line and headers
_BODY_PATIENCE = 30.0  # seconds a client may take to send its body
_REMEMBERED_KEYS = 10_000
_REMEMBERED_BYTES = 64 << 20  # of the requests behind them, which their answers are about as large as


class Gateway:
    """The ASGI application. It answers ``/v1/status`` from the first moment, everything else once ``open`` was called."""

    def __init__(self, waking: Callable[[], dict[str, Any]], log: Callable[..., None]) -> None:
        self._waking = waking
        self._log = log
        self._core: Core | None = None
        self._failed: MuninnError | None = None
        self._ready = Event()
        self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="muninn-api")
        self._quick = ThreadPoolExecutor(_QUICK_THREADS, thread_name_prefix="muninn-quick")
        self._replies = _Replies()

    def open(self, core: Core) -> None:
        self._core = core
        self._ready.set()

    def fail(self, error: MuninnError) -> None:
        self._failed = error
        self._ready.set()

    def turn_away(self) -> None:
        """Answer whoever still waits for the waking that there will be none."""
        if not self._ready.is_set():
            self.fail(NotRunningError("muninn is falling asleep", hint="start it again: muninn start"))

    def close(self) -> None:
        """Return when every handler that began has ended."""
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._quick.shutdown(wait=True, cancel_futures=True)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        headers = {name.decode("latin-1").lower(): value.decode("utf-8", "replace") for name, value in scope["headers"]}
        try:
            if "origin" in headers:
                raise UsageError("requests from browsers are refused")
            body = await _body(headers, receive)
        except MuninnError as error:
            await _send(_problem(error), send, self._pool, last=True)
            return
        await _send(await self._answered(scope, headers, body), send, self._pool)

    async def _answered(self, scope: Scope, headers: dict[str, str], body: bytes) -> Answer:
        if not await self._awake(scope):
            return Answer(document=self._waking())
        quick = scope["path"] == "/v1/status" or scope["path"].startswith("/v1/hooks/")
        work = partial(self._answer, scope, headers, body)
        try:
            return await asyncio.get_running_loop().run_in_executor(self._quick if quick else self._pool, work)
        except RuntimeError:  # the threads have ended: it arrived while muninn falls asleep
            return _problem(NotRunningError("muninn is falling asleep", hint="start it again: muninn start"))

    async def _awake(self, scope: Scope) -> bool:
        """Wait, without a thread, until everything is served; false at once for a status that need not wait."""
        if not self._ready.is_set() and scope["path"] == "/v1/status" and scope["method"] == "GET":
            return False
        until = time.monotonic() + _READY_PATIENCE
        while not self._ready.is_set() and time.monotonic() < until:
            await asyncio.sleep(_READY_POLL)
        return True

    def _answer(self, scope: Scope, headers: dict[str, str], data: bytes) -> Answer:
        target = scope["path"] + ("?" + scope["query_string"].decode("latin-1") if scope["query_string"] else "")
        raw = scope.get("raw_path")
        if raw:
            target = raw.decode("latin-1") + target[len(scope["path"]) :] if b"?" not in raw else raw.decode("latin-1")
        try:
            return self._serve(scope["method"], target, headers, data)
        except MuninnError as error:
            return _problem((isinstance(error, StoreError) and self._astray()) or error)
        except OSError as error:
            self._log("request_failed", method=scope["method"], path=scope["path"][:80], error=str(error))
            return _problem(self._astray() or refused("cannot do that", error, hint="muninn logs tells more"))
        except Exception as error:  # the last line: a fault of ours must not take the daemon down
            self._log(
                "request_failed",
                method=scope["method"],
                path=scope["path"][:80],
                error=type(error).__name__,
                exc_info=error,
            )
            return _problem(MuninnError(f"an internal fault: {type(error).__name__}", hint="muninn logs tells more"))

    def _serve(self, method: str, target: str, headers: dict[str, str], data: bytes) -> Answer:
        if self._failed is not None or self._core is None:
            raise self._failed or NotRunningError("muninn is still waking", hint="try again in a moment")
        from muninn.api.local import prepare

        route, call = prepare(method, target, decode_body(data), headers)
        if route.writes and (lost := self._astray()):
            raise lost
        work = partial(route.handler, self._core, call)
        given = headers.get("idempotency-key") if route.writes else None
        key = f"{method} {target} {given[:256]}" if given else ""
        answer = self._replies.once(key, data, work) if key else work()
        if answer.erases:
            self._replies.forget(but=key)
        return answer

    def _astray(self) -> StoreError | None:
        return None if self._core is None else self._core.astray()


class _Replies:
    """Answers by Idempotency-Key: a repeated request waits for the first and gets its answer.

    Of a request only its digest is kept. The oldest answers go when there are too many, or when they are too large.
    """

    def __init__(self, *, keys: int = _REMEMBERED_KEYS, size: int = _REMEMBERED_BYTES) -> None:
        self._lock = Lock()
        self._keys = keys
        self._size = size
        self._held = 0
        self._entries: OrderedDict[str, _Reply] = OrderedDict()

    def once(self, key: str, data: bytes, work: Callable[[], Answer]) -> Answer:
        digest = blake2b(data, digest_size=16).digest()
        with self._lock:
            if key not in self._entries:
                self._entries[key] = _Reply(digest, len(data))
                self._held += len(data)
            reply = self._entries[key]
            while len(self._entries) > max(1, self._keys) or (self._held > self._size and len(self._entries) > 1):
                self._held -= self._entries.popitem(last=False)[1].size
        with reply.lock:
            if reply.digest != digest:
                raise UsageError("this Idempotency-Key was used for another request", hint="use a new key")
            if reply.answer is None:
                reply.answer = work()
            return reply.answer

    def forget(self, *, but: str) -> None:
        """Let every answer go but one: any other may quote what was erased. The keys stay, so that nothing is done twice."""
        with self._lock:
            for key, reply in self._entries.items():
                if key != but and reply.answer is not None:
                    reply.answer = _problem(GoneError("the answer to this request was erased with a purged memory"))


class _Reply:
    __slots__ = ("answer", "digest", "lock", "size")

    def __init__(self, digest: bytes, size: int) -> None:
        self.lock, self.digest, self.size = Lock(), digest, size
        self.answer: Answer | None = None


class TooSlowError(UsageError):
    status = 408


class GoneError(UsageError):
    status = 410


def _problem(error: MuninnError) -> Answer:
    from muninn.api.local import problem

    return Answer(document=problem(error), status=error.status, media="application/problem+json")


async def _body(headers: dict[str, str], receive: Receive) -> bytes:
    declared = headers.get("content-length", "0")
    if declared.isdigit() and int(declared) > REQUEST_LIMIT:
        raise TooLargeError(f"the request has {int(declared):,} bytes", hint=f"at most {REQUEST_LIMIT:,}")
    pieces, size = [], 0
    try:
        async with asyncio.timeout(_BODY_PATIENCE):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise UsageError("the client went away")
                pieces.append(message.get("body", b""))
                size += len(pieces[-1])
                if size > REQUEST_LIMIT:
                    raise TooLargeError("the request is too large", hint=f"at most {REQUEST_LIMIT:,} bytes")
                if not message.get("more_body"):
                    return b"".join(pieces)
    except TimeoutError:
        raise TooSlowError(f"the body did not arrive in {_BODY_PATIENCE:g} s", hint="send it again") from None


async def _send(answer: Answer, send: Send, pool: ThreadPoolExecutor, *, last: bool = False) -> None:
    """Answer; ``last`` ends the connection, for a body of which not everything was read."""
    headers = [(b"content-type", answer.media.encode("ascii")), *([(b"connection", b"close")] if last else [])]
    if answer.lines is None:
        data = answer.text.encode("utf-8") if answer.text is not None else msgspec.json.encode(answer.document)
        headers.append((b"content-length", str(len(data)).encode("ascii")))
        await send({"type": "http.response.start", "status": answer.status, "headers": headers})
        await send({"type": "http.response.body", "body": data})
        return
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    loop, lines = asyncio.get_running_loop(), answer.lines
    while chunk := await loop.run_in_executor(pool, _chunk, lines):
        await send({"type": "http.response.body", "body": chunk, "more_body": True})
    await send({"type": "http.response.body", "body": b""})


def _chunk(lines: Any, size: int = 1 << 18) -> bytes:
    pieces, total = [], 0
    for line in lines:
        pieces.append(line)
        total += len(line)
        if total >= size:
            break
    return b"".join(pieces)


Tick = Callable[[], socket.socket | None]


class _Ticking(uvicorn.Server):
    """A server that tells ``tick`` that its event loop turns, and listens from then on at the socket that it returns, if any."""

    def __init__(self, config: uvicorn.Config, tick: Tick) -> None:
        super().__init__(config)
        self._tick = tick

    async def on_tick(self, counter: int) -> bool:
        listener = self._tick()
        if listener is not None:
            for one in self.servers:
                one.close()  # to newcomers; who is connected stays so
            await self.startup(sockets=[listener])
        return await super().on_tick(counter)


def connections_limit() -> int:
    """Half of the files that may be open: the other half is for the tables."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return max(16, (soft if soft != resource.RLIM_INFINITY else 8192) // 2)


def server(gateway: Gateway, tick: Tick) -> uvicorn.Server:
    """A uvicorn server for ``gateway``; run in a thread, it leaves signals to the daemon."""
    config = uvicorn.Config(
        gateway,
        http=partial(Patient, crowd=Crowd(connections_limit()), seconds=_HEAD_PATIENCE),  # type: ignore[arg-type]
        ws="none",
        lifespan="off",
        loop="uvloop" if _has_uvloop() else "asyncio",
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=False,
        timeout_keep_alive=60,
        timeout_graceful_shutdown=5,
        limit_concurrency=None,
        backlog=1024,
    )
    return _Ticking(config, tick)


def _has_uvloop() -> bool:
    from importlib.util import find_spec

    return find_spec("uvloop") is not None
