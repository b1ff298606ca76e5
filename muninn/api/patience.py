"""Connections: only this user's, and none may hold others up by asking nothing.

A client has so many seconds, and so many bytes, for the head of a request, and must take its answer as it comes. Where
there are more connections than the daemon can serve, the oldest that waits for nothing is closed. So slow clients cost
themselves, not others.
"""

from __future__ import annotations

import asyncio
import os
import socket
import struct
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEAD_LIMIT = 64 << 10  # bytes
UNREAD_PATIENCE = 30.0  # seconds a client may leave its answer unread


class Crowd:
    """The open connections, oldest first, and how many there may be."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._idle: dict[Patient, None] = {}
        self._busy: set[Patient] = set()

    def __len__(self) -> int:
        return len(self._idle) + len(self._busy)

    def enter(self, connection: Patient) -> None:
        """Let a connection in, at the cost of the oldest idle one when there are too many (itself, if all are busy)."""
        self._idle[connection] = None
        while len(self) > self._most:
            self.leave(oldest := next(iter(self._idle)))
            oldest.drop()

    def busy(self, connection: Patient) -> None:
        """It has asked something."""
        self._idle.pop(connection, None)
        self._busy.add(connection)

    def idle(self, connection: Patient) -> None:
        """It has its answer."""
        if connection in self._busy:
            self._busy.discard(connection)
            self._idle[connection] = None

    def leave(self, connection: Patient) -> None:
        self._idle.pop(connection, None)
        self._busy.discard(connection)


class Patient(HttpToolsProtocol):
    """HTTP over one connection. Another user's is dropped before a byte of it is parsed."""

    def __init__(self, *given: Any, crowd: Crowd, seconds: float, **named: Any) -> None:
        super().__init__(*given, **named)
        self._crowd = crowd
        self._seconds = seconds
        self._impatience: asyncio.TimerHandle | None = None
        self._unread: asyncio.TimerHandle | None = None
        self._head: int | None = 0

    def connection_made(self, transport: Any) -> None:
        if peer_uid(transport.get_extra_info("socket")) not in (os.getuid(), 0, None):
            transport.abort()
            return
        super().connection_made(transport)
        self._crowd.enter(self)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        self._crowd.leave(self)
        self._rest()
        self._cancel_unread()
        if self.transport is not None:
            super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._head is not None:
            self._head += len(data)
        super().data_received(data)
        if self._head is not None and self._head > HEAD_LIMIT:
            self.drop()

    def on_message_begin(self) -> None:
        if self._impatience is None:
            self._wait()
        self._head = 0
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        self._rest()
        self._head = None
        self._crowd.busy(self)
        super().on_headers_complete()

    def on_response_complete(self) -> None:
        self._crowd.idle(self)
        super().on_response_complete()

    def pause_writing(self) -> None:
        self._unread = asyncio.get_running_loop().call_later(UNREAD_PATIENCE, self.drop)
        super().pause_writing()

    def resume_writing(self) -> None:
        self._cancel_unread()
        super().resume_writing()

    def drop(self) -> None:
        """Close at once."""
        self._rest()
        if self.transport is not None:
            self.transport.abort()

    def _wait(self) -> None:
        self._impatience = asyncio.get_running_loop().call_later(self._seconds, self.drop)

    def _cancel_unread(self) -> None:
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None

    def _rest(self) -> None:
        if self._impatience is not None:
            self._impatience.cancel()
            self._impatience = None


def peer_uid(connection: Any) -> int | None:
    """The user at the other end of a Unix socket; None where the system does not tell (the socket's mode protects then)."""
    option = getattr(socket, "SO_PEERCRED", None)
    if option is None or connection is None:
        return None
    _, uid, _ = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, option, struct.calcsize("3i")))
    return int(uid)
