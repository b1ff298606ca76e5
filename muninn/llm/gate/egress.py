"""What may leave, decided and recorded before the first byte does.

Every attempt becomes one ledger entry: refused, unreachable, or sent. A sent one is recorded once the connection stands and
its far end is proved, before the first byte, and again under the same id when it ended; a crash in between leaves the first.
Bytes are those of the bodies, the hash is SHA-256 of the body that left; neither text nor key is ever part of an entry.
"""

from __future__ import annotations

import hashlib
import socket
import ssl
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from threading import Lock
from typing import NoReturn

from muninn.domain.records import Egress
from muninn.domain.trust import Location, address_location, forwards, places_for, rule
from muninn.errors import EgressRefusedError, MuninnError, ProviderError
from muninn.llm.gate.endpoint import Endpoint
from muninn.llm.gate.wire import Deadline, ExchangeError, Wire, connect, peer, resolve, secure, trust_store
from muninn.ports import Clock, Envelope, Ids, Ledger

_PASSED_ON = ("accept", "anthropic-version", "content-type")
_ERROR_BODY = 64 * 1024  # bytes of an error's body that are read, only to be counted
_ERROR_TIME = 0.5  # seconds
_LAST_LOOK = 0.1  # seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """One HTTP request as a client wants it. ``target`` is the path with its query."""

    method: str
    endpoint: Endpoint
    target: str
    body: bytes = b""
    headers: Mapping[str, str] | None = None
    key: str | None = None


class Gate:
    """The door. One connection for each exchange: nothing is pooled, so every exchange proves its far end anew."""

    def __init__(
        self, *, ledger: Ledger, clock: Clock, ids: Ids, trust: Callable[[], ssl.SSLContext] = trust_store
    ) -> None:
        self._make_trust = trust
        self._ledger = ledger
        self._clock = clock
        self._ids = ids
        self._lock = Lock()
        self._live: set[socket.socket] = set()
        self._closed = False

    @cached_property
    def _trust(self) -> ssl.SSLContext:
        return self._make_trust()

    def exchange(
        self,
        envelope: Envelope,
        *,
        method: str,
        url: str,
        body: bytes = b"",
        key: str | None = None,
        deadline: float,
        max_bytes: int,
    ) -> bytes:
        """The body of a 2xx answer. Raises EgressRefusedError or ProviderError, at the latest at ``deadline``."""
        endpoint = Endpoint.parse(url)
        headers = {"content-type": "application/json", "accept": "application/json"}
        if key:
            headers["authorization"] = ""
        post = Post(method=method, endpoint=endpoint, target=endpoint.path or "/", body=body, headers=headers, key=key)
        answer = self.send(envelope, post, deadline=deadline, max_bytes=max_bytes)
        try:
            return b"".join(answer.chunks())
        finally:
            answer.close()

    def send(self, envelope: Envelope, post: Post, *, deadline: float, max_bytes: int) -> Answer:
        """Send one request and read the head of its answer; the caller reads the body and closes."""
        limit = Deadline(self._clock, deadline)
        connection, entry = self._connect(envelope, post, limit)
        name = f"{envelope.provider} at {entry.address}"
        wire = Wire(connection, deadline=limit, max_bytes=max_bytes, name=name)
        answer = Answer(self, wire, entry, connection)
        try:
            wire.send(post.method, post.target, _headers(post), post.body)
            wire.answer()
        except BaseException as error:
            if isinstance(error, ExchangeError) and error.http_status:
                answer.count_rest()
            answer.close(error)
            raise
        return answer

    def refuse(self, envelope: Envelope, address: str, why: str) -> NoReturn:
        """Record the refusal and raise EgressRefusedError. Nothing was sent."""
        self.record(self._entry(envelope, address, allowed=False, reason=why))
        raise EgressRefusedError(f"{envelope.provider} {envelope.model}: {why}")

    def record(self, entry: Egress) -> None:
        """Write to the ledger. Raises ProviderError when it cannot be written: what is not recorded does not leave."""
        try:
            self._ledger.record(entry)
        except Exception as error:
            why = error.message if isinstance(error, MuninnError) else type(error).__name__
            raise ProviderError(f"the egress ledger cannot be written, so no model is asked: {why}") from error

    def until(self, seconds: float) -> float:
        """The deadline that is so many seconds from now."""
        return self._clock.monotonic() + seconds

    def soon(self, seconds: float) -> Deadline:
        return Deadline(self._clock, self.until(seconds))

    def close(self) -> None:
        """Break every exchange under way and refuse new ones; a dream that must end does not wait for a model."""
        with self._lock:
            self._closed = True
            live, self._live = self._live, set()
        for connection in live:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def _connect(self, envelope: Envelope, post: Post, limit: Deadline) -> tuple[socket.socket, Egress]:
        endpoint = post.endpoint
        try:
            addresses = self._addresses(envelope, endpoint, limit)
            connection = connect(addresses, endpoint, limit, provider=envelope.provider)
        except EgressRefusedError:
            raise
        except ProviderError as error:
            self.record(self._entry(envelope, endpoint.authority, allowed=True, reason=error.message))
            raise
        try:
            address, location = peer(connection)
            if not endpoint.official_for(envelope.provider):
                self._prove(envelope, post, address, location)
            self._remember(connection)
            entry = self._entry(envelope, address, allowed=True, reason="sending", body=post.body)
            self.record(entry)
            if endpoint.secure:
                plain = connection
                connection = self._secure(plain, endpoint, limit, entry)
                self._remember(connection, instead_of=plain)
        except BaseException:
            self._forget(connection)
            raise
        return connection, entry

    def _addresses(self, envelope: Envelope, endpoint: Endpoint, limit: Deadline) -> tuple[str, ...]:
        """The addresses that the tier allows to be connected to. Refuses when there are none, before any packet leaves."""
        allowed = places_for(envelope.tier, envelope.provider, purpose=envelope.purpose)
        passed_on = envelope.forwards or (envelope.provider == "ollama" and forwards(envelope.model))
        expected = Location.REMOTE if passed_on else endpoint.expected_location(envelope.provider)
        possible = {expected} if passed_on else endpoint.possible_locations(envelope.provider)
        why = rule(envelope.tier, envelope.provider, location=expected, purpose=envelope.purpose).why
        if not possible & allowed:
            self.refuse(envelope, endpoint.authority, why)
        addresses = resolve(endpoint, limit)
        if passed_on or expected is Location.OFFICIAL:
            return addresses
        here = tuple(address for address in addresses if address_location(address) in allowed)
        if not here:
            self.refuse(envelope, endpoint.authority, f"{why}; {endpoint.host} is {addresses[0]}")
        return here

    def _prove(self, envelope: Envelope, post: Post, address: str, location: Location) -> None:
        ruling = rule(envelope.tier, envelope.provider, location=location, purpose=envelope.purpose)
        if not ruling.allowed:
            self.refuse(envelope, address, ruling.why)
        if post.key and location is Location.REMOTE and not post.endpoint.secure:
            self.refuse(envelope, address, "a key does not travel over plain http")

    def _secure(self, connection: socket.socket, endpoint: Endpoint, limit: Deadline, entry: Egress) -> socket.socket:
        try:
            return secure(connection, self._trust, endpoint.host, limit)
        except ProviderError as error:
            self.record(replace(entry, reason=error.message, bytes_out=0, content_hash="", sent=False))
            raise

    def _remember(self, connection: socket.socket, *, instead_of: socket.socket | None = None) -> None:
        with self._lock:
            if instead_of is not None:
                self._live.discard(instead_of)
            if self._closed:
                raise ExchangeError("muninn is falling asleep and asks no more models")
            self._live.add(connection)

    def _forget(self, connection: socket.socket) -> None:
        with self._lock:
            self._live.discard(connection)
        connection.close()

    def _entry(
        self, envelope: Envelope, address: str, *, allowed: bool, reason: str, body: bytes | None = None
    ) -> Egress:
        return Egress(
            id=self._ids.new(),
            at=self._clock.now(),
            vault=envelope.vault,
            tier=str(envelope.tier),
            purpose=envelope.purpose,
            provider=envelope.provider,
            model=envelope.model,
            address=address,
            allowed=allowed,
            reason=reason,
            bytes_out=len(body or b""),
            bytes_in=0,
            content_hash=hashlib.sha256(body).hexdigest() if body else "",
            dream_id=envelope.dream_id,
            sent=bool(body),
        )


class Answer:
    """An answer on its way in. ``close`` completes the ledger entry, whatever happened, and is harmless twice."""

    def __init__(self, gate: Gate, wire: Wire, entry: Egress, connection: socket.socket) -> None:
        self._gate = gate
        self._wire = wire
        self._entry: Egress | None = entry
        self._connection = connection
        self._finished = False
        self._failure: BaseException | None = None

    @property
    def status(self) -> int:
        return self._wire.status

    @property
    def content_type(self) -> str:
        return self._wire.headers.get("content-type", "application/json")

    def chunks(self) -> Iterator[bytes]:
        """The body, piece by piece. Raises ProviderError."""
        try:
            yield from self._wire.body()
        except ProviderError as error:
            self._failure = error
            raise
        self._finished = True

    def count_rest(self) -> None:
        """Read the body of an error, for the count alone."""
        with suppress(MuninnError):
            self._wire.shorten(self._gate.soon(_ERROR_TIME), _ERROR_BODY)
            for _ in self._wire.body():
                pass

    def _await_end(self) -> None:
        """A caller that has what it wanted stops before the end of the body; mostly the end is already there."""
        with suppress(MuninnError):
            self._wire.shorten(self._gate.soon(_LAST_LOOK), self._wire.received + _ERROR_BODY)
            for _ in self._wire.body():
                pass
            self._finished = True

    def close(self, error: BaseException | None = None) -> None:
        if self._entry is None:
            return
        entry, self._entry = self._entry, None
        if error is None and self._failure is None and not self._finished:
            self._await_end()
        self._gate._forget(self._connection)
        error = error or self._failure
        reason = f"answered {self.status}" if self._finished else "left before the end"
        if error is not None:
            reason = error.message if isinstance(error, MuninnError) else type(error).__name__
        received = self._wire.received
        sent = entry.sent or received > 0 or (self._finished and error is None)
        self._gate.record(replace(entry, bytes_in=received, reason=reason, sent=sent))


def _headers(post: Post) -> list[tuple[str, str]]:
    """What a client asked for, cut to what the protocols need: no telemetry, no header that the environment put there.

    Where the client placed a key, the gate's own takes its place: ``x-api-key`` or ``authorization``, as the client does it.
    """
    given = {name.lower(): value for name, value in (post.headers or {}).items()}
    headers = [("host", post.endpoint.host_header), ("user-agent", "muninn"), ("accept-encoding", "identity")]
    headers += [(name, given[name]) for name in _PASSED_ON if name in given]
    if post.key and "x-api-key" in given:
        headers.append(("x-api-key", post.key))
    if post.key and "authorization" in given:
        headers.append(("authorization", f"Bearer {post.key}"))
    if post.body or post.method == "POST":
        headers.append(("content-length", str(len(post.body))))
    headers.append(("connection", "close"))
    return headers
