"""The gate as a transport for the official clients, which bring httpx or httpx2.

The clients build requests and read answers; the gate decides, connects, records and sends. They get no connection of
their own, no proxy, no redirect, and placeholders where a key would be.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from muninn.errors import ConfigError
from muninn.llm.gate.egress import Answer, Gate, Post
from muninn.llm.gate.endpoint import Endpoint
from muninn.ports import Envelope

PLACEHOLDER = "set-by-the-gate"
_LIBRARIES = ("httpx2", "httpx")


def http_library(client_class: type) -> ModuleType:
    """The HTTP library an official client is built on, told by the modules its class and its ancestors are written in."""
    for ancestor in client_class.__mro__:
        names = vars(sys.modules[ancestor.__module__])
        for name in _LIBRARIES:
            if isinstance(library := names.get(name), ModuleType):
                return library
    raise ConfigError(f"{client_class.__module__} uses an HTTP library muninn does not know", hint="upgrade muninn")


def gate_transport(
    library: ModuleType,
    gate: Gate,
    envelope: Envelope,
    *,
    endpoint: Endpoint,
    key: str | None,
    deadline: float,
    max_bytes: int,
) -> Any:
    """A ``BaseTransport`` of ``library`` that can reach ``endpoint`` and nothing else."""

    class Body(library.SyncByteStream):  # type: ignore[name-defined,misc]
        def __init__(self, answer: Answer) -> None:
            self._answer = answer

        def __iter__(self) -> Iterator[bytes]:
            return self._answer.chunks()

        def close(self) -> None:
            self._answer.close()

    class Transport(library.BaseTransport):  # type: ignore[name-defined,misc]
        def handle_request(self, request: Any) -> Any:
            url = request.url
            asked = Endpoint.parse(f"{url.scheme}://{url.netloc.decode('ascii', 'replace')}")
            if (asked.scheme, asked.host, asked.port) != (endpoint.scheme, endpoint.host, endpoint.port):
                gate.refuse(envelope, asked.authority, f"only {endpoint.authority} is configured")
            post = Post(
                method=request.method,
                endpoint=endpoint,
                target=url.raw_path.decode("ascii"),
                body=request.read(),
                headers=dict(request.headers.items()),
                key=key,
            )
            answer = gate.send(envelope, post, deadline=deadline, max_bytes=max_bytes)
            headers = [("content-type", answer.content_type)]
            return library.Response(answer.status, headers=headers, stream=Body(answer))

    return Transport()


def http_client(
    library: ModuleType,
    gate: Gate,
    envelope: Envelope,
    *,
    endpoint: Endpoint,
    key: str | None,
    deadline: float,
    max_bytes: int,
) -> Any:
    """A ``Client`` of ``library`` behind the gate, for clients that take one."""
    transport = gate_transport(
        library, gate, envelope, endpoint=endpoint, key=key, deadline=deadline, max_bytes=max_bytes
    )
    return library.Client(transport=transport, trust_env=False, follow_redirects=False, timeout=None)
