"""HTTP/1.1 over one socket per exchange, under a total deadline and a byte cap. No proxy, no redirect, no environment.

The deadline is on the injected monotonic clock and is checked before every blocking call, so a server that drips one byte
at a time cannot outlast it. Encoded bodies are refused, not unpacked: nothing grows after it was counted.
"""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Iterator, Mapping, Sequence
from email.utils import parsedate_to_datetime
from pathlib import Path

import h11

from muninn.domain.trust import Location, address_location
from muninn.errors import ProviderError
from muninn.llm.gate.endpoint import Endpoint
from muninn.ports import Clock

CONNECT_TIMEOUT = 3.0  # seconds
HEADER_LIMIT = 64 * 1024  # bytes of status line and headers
BLANK_LIMIT = 4096  # bytes of unbroken white space: a model that has lost its way
_CHUNK = 64 * 1024


class ExchangeError(ProviderError):
    """An exchange that failed. ``status`` is the HTTP status if one came; ``retry_after`` seconds if the server said so.

    ``again`` is true when the same request may succeed a moment later.
    """

    def __init__(
        self,
        message: str,
        *,
        hint: str | None = None,
        status: int | None = None,
        retry_after: float | None = None,
        again: bool = False,
    ) -> None:
        super().__init__(message, hint=hint)
        self.http_status = status
        self.retry_after = retry_after
        self.again = again


class Deadline:
    """How long is left until a moment on the monotonic clock."""

    def __init__(self, clock: Clock, at: float) -> None:
        self._clock = clock
        self._at = at

    def left(self, at_most: float | None = None) -> float:
        """Seconds left, more than 0. Raises ExchangeError when there are none."""
        left = self._at - self._clock.monotonic()
        if left <= 0:
            raise ExchangeError("the time for this exchange is over")
        return left if at_most is None else min(left, at_most)


def resolve(endpoint: Endpoint, deadline: Deadline) -> tuple[str, ...]:
    """The addresses of a host, in the resolver's order. The look-up runs aside: a resolver that hangs is left behind."""
    found: list[str] = []
    failure: list[str] = []

    def look_up() -> None:
        try:
            rows = socket.getaddrinfo(endpoint.host, endpoint.port, type=socket.SOCK_STREAM)
            found.extend(dict.fromkeys(str(row[4][0]) for row in rows))
        except (OSError, UnicodeError) as error:
            failure.append(getattr(error, "strerror", None) or type(error).__name__)

    thread = threading.Thread(target=look_up, name="resolve", daemon=True)
    thread.start()
    thread.join(deadline.left(CONNECT_TIMEOUT))
    if not found:
        why = failure[0] if failure else "no answer from the resolver"
        raise ExchangeError(f"{endpoint.host} has no address: {why}")
    return tuple(found)


def connect(addresses: Sequence[str], endpoint: Endpoint, deadline: Deadline, *, provider: str) -> socket.socket:
    """A connected socket to the first of ``addresses`` that accepts. Raises ExchangeError."""
    why = "no address"
    for address in addresses:
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        connection = socket.socket(family, socket.SOCK_STREAM)
        try:
            connection.settimeout(deadline.left(CONNECT_TIMEOUT))
            connection.connect((address, endpoint.port))
        except OSError as error:
            connection.close()
            why = "no answer within the time allowed" if isinstance(error, TimeoutError) else str(error.strerror)
        except BaseException:
            connection.close()
            raise
        else:
            return connection
    remedy = "is it running, and is this its address?"
    raise ExchangeError(f"{provider} at {endpoint.authority} is not reachable: {why}", hint=remedy)


def peer(connection: socket.socket) -> tuple[str, Location]:
    """The address really connected to, as ``host:port``, and what that proves."""
    try:
        host, port = connection.getpeername()[:2]
    except OSError as error:
        raise ExchangeError(f"the connection ended before it began: {error.strerror}", again=True) from None
    return (f"[{host}]:{port}" if ":" in host else f"{host}:{port}"), address_location(host)


def trust_store() -> ssl.SSLContext:
    """A TLS client context from the system's built-in certificate paths (and certifi's), blind to the environment."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    paths = ssl.get_default_verify_paths()
    files = [path for path in (paths.openssl_cafile,) if path and Path(path).is_file()]
    folder = paths.openssl_capath if paths.openssl_capath and Path(paths.openssl_capath).is_dir() else None
    if not files:
        try:
            import certifi

            files.append(certifi.where())
        except ImportError:
            pass
    if files or folder:
        context.load_verify_locations(cafile=files[0] if files else None, capath=folder)
    return context


def secure(connection: socket.socket, context: ssl.SSLContext, host: str, deadline: Deadline) -> socket.socket:
    """TLS with host name and certificate checked. Raises ExchangeError."""
    try:
        connection.settimeout(deadline.left())
        return context.wrap_socket(connection, server_hostname=host)
    except (OSError, ValueError) as error:
        connection.close()
        why = getattr(error, "verify_message", None) or getattr(error, "reason", None) or type(error).__name__
        raise ExchangeError(f"no trusted TLS connection to {host}: {why}") from None


class Wire:
    """One request and its answer on one socket. ``name`` is who answers where; ``received`` counts bytes of the body."""

    def __init__(self, connection: socket.socket, *, deadline: Deadline, max_bytes: int, name: str) -> None:
        self._socket = connection
        self._deadline = deadline
        self._max_bytes = max_bytes
        self._name = name
        self._http = h11.Connection(h11.CLIENT, max_incomplete_event_size=HEADER_LIMIT)
        self._blank = 0
        self.received = 0
        self.status = 0
        self.headers: Mapping[str, str] = {}

    def send(self, method: str, target: str, headers: Sequence[tuple[str, str]], body: bytes) -> None:
        """Put the whole request on the wire."""
        try:
            request = h11.Request(method=method, target=target, headers=list(headers))
            parts = [self._http.send(request)]
            if body:
                parts.append(self._http.send(h11.Data(data=body)))
            parts.append(self._http.send(h11.EndOfMessage()))
        except h11.LocalProtocolError as error:
            raise ExchangeError(f"{self._name}: the request cannot be written: {error}") from None
        view = memoryview(b"".join(part for part in parts if part))
        try:
            while view:
                self._socket.settimeout(self._deadline.left())
                view = view[self._socket.send(view[:_CHUNK]) :]
        except OSError as error:
            raise self._broken(error) from None

    def answer(self) -> None:
        """Read status and headers. Raises ExchangeError unless the status is 2xx and the body is plain."""
        event = self._next()
        while isinstance(event, h11.InformationalResponse):
            event = self._next()
        if not isinstance(event, h11.Response):
            raise ExchangeError(f"{self._name} closed the connection without an answer", again=True)
        self.status = event.status_code
        self.headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in event.headers}
        if not 200 <= self.status < 300:
            raise _refusal(self._name, self.status, self.headers)
        if (coding := self.headers.get("content-encoding", "identity").lower()) != "identity":
            raise ExchangeError(f"{self._name} answers in {coding!r}, which was not asked for")

    def body(self) -> Iterator[bytes]:
        """The body as it comes, at most ``max_bytes`` of it."""
        while isinstance(event := self._next(), h11.Data):
            chunk = bytes(event.data)
            self.received += len(chunk)
            if self.received > self._max_bytes:
                raise ExchangeError(f"{self._name} answers with more than {self._max_bytes} bytes")
            text = chunk.rstrip()
            self._blank = len(chunk) - len(text) if text else self._blank + len(chunk)
            if self._blank > BLANK_LIMIT:
                raise ExchangeError(f"{self._name} sends nothing but white space")
            yield chunk
        if not isinstance(event, h11.EndOfMessage):
            raise ExchangeError(f"{self._name} closed the connection in mid-answer", again=True)

    def shorten(self, until: Deadline, max_bytes: int) -> None:
        """Read on under a closer deadline and a smaller cap."""
        self._deadline = until
        self._max_bytes = max_bytes

    def _next(self) -> object:
        try:
            while (event := self._http.next_event()) is h11.NEED_DATA:
                self._socket.settimeout(self._deadline.left())
                self._http.receive_data(self._socket.recv(_CHUNK))
            return event
        except h11.RemoteProtocolError as error:
            raise ExchangeError(f"{self._name} does not speak HTTP as it should: {error}", again=True) from None
        except OSError as error:
            raise self._broken(error) from None

    def _broken(self, error: OSError) -> ExchangeError:
        if isinstance(error, TimeoutError):
            return ExchangeError(f"{self._name} did not answer in the time allowed")
        return ExchangeError(
            f"the connection to {self._name} broke: {error.strerror or type(error).__name__}", again=True
        )


_MEANING = {
    400: "refused the request as malformed",
    401: "refused the key",
    403: "refused access",
    404: "does not know the model or the address",
    413: "found the request too large",
    429: "asks to slow down",
    529: "is overloaded",
}


def _refusal(name: str, status: int, headers: Mapping[str, str]) -> ExchangeError:
    if 300 <= status < 400:
        return ExchangeError(f"{name} redirects elsewhere ({status}), which is not followed", status=status)
    again = status in (408, 409, 425, 429) or status >= 500
    meaning = _MEANING.get(status, "failed" if status >= 500 else "refused the request")
    return ExchangeError(f"{name} {meaning} ({status})", status=status, retry_after=_retry_after(headers), again=again)


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds; a date is read against the answer's own Date, so that no clock of ours is needed."""
    text = headers.get("retry-after", "").strip()
    if not text:
        return None
    try:
        seconds = float(text)
    except ValueError:
        try:
            seconds = (parsedate_to_datetime(text) - parsedate_to_datetime(headers["date"])).total_seconds()
        except (ValueError, TypeError, KeyError):
            return None
    return seconds if 0 <= seconds < 86_400 else None
