"""Knows how to hold a conversation over two byte streams: one JSON message a line, answers as they become ready.

Requests that only read run side by side (agents send several at once). One that writes waits for all before it, and what
comes after it waits for it, so that each sees what its client had asked for earlier. ``initialize``, ``ping`` and
notifications are handled by the reader. A line that is too long or is not JSON gets an error answer and the conversation
goes on. The end of the input ends it: requests under way may finish for a moment, then nothing is left running.
"""

from __future__ import annotations

import json
import threading
from typing import Any, BinaryIO

from muninn.mcp.protocol import INVALID_REQUEST, PARSE_ERROR, Protocol, failure

Json = dict[str, Any]

LINE_LIMIT = 17 << 20  # bytes; more than the API takes
_AT_ONCE = 16
_FAREWELL = 5.0  # seconds for what is under way when the input ends
_INLINE = ("initialize", "ping")


class Conversation:
    """Reads ``source`` to its end and writes answers to ``sink``."""

    def __init__(self, protocol: Protocol, source: BinaryIO, sink: BinaryIO) -> None:
        self._protocol = protocol
        self._source = source
        self._sink = sink
        self._writing = threading.Lock()
        self._room = threading.BoundedSemaphore(_AT_ONCE)
        self._under_way: set[threading.Thread] = set()
        self._last_write: threading.Thread | None = None
        self._open: set[str | int] = set()
        self._cancelled: set[str | int] = set()
        self._hung_up = threading.Event()

    def hold(self) -> None:
        """Returns when the input ends or nobody reads the output any more."""
        while not self._hung_up.is_set():
            line = self._source.readline(LINE_LIMIT + 1)
            if not line:
                break
            if len(line) > LINE_LIMIT and not line.endswith(b"\n"):
                self._skip_line()
                self._send(failure(None, PARSE_ERROR, f"a message is longer than {LINE_LIMIT} bytes"))
            elif line.strip():
                self._take(line)

    def finish(self) -> None:
        """Give what is under way a moment."""
        for thread in list(self._under_way):
            thread.join(_FAREWELL / max(1, len(self._under_way)))

    def _skip_line(self) -> None:
        while (piece := self._source.readline(1 << 20)) and not piece.endswith(b"\n"):
            pass

    def _take(self, line: bytes) -> None:
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            self._send(failure(None, PARSE_ERROR, "not JSON"))
            return
        if isinstance(message, list):  # a batch, as one of the protocol's versions has it
            if not message:
                self._send(failure(None, INVALID_REQUEST, "an empty batch"))
            self._start(message)
        elif isinstance(message, dict) and message.get("method") == "notifications/cancelled":
            self._cancel(message.get("params"))
        elif not isinstance(message, dict) or "id" not in message or message.get("method") in _INLINE:
            self._send(self._protocol.answer(message))
        else:
            self._start(message)

    def _cancel(self, params: object) -> None:
        number = params.get("requestId") if isinstance(params, dict) else None
        if isinstance(number, (str, int)) and number in self._open:  # an id that is done may come again
            self._cancelled.add(number)

    def _start(self, message: Json | list[Any]) -> None:
        self._room.acquire()
        number = message.get("id") if isinstance(message, dict) else None
        if isinstance(number, (str, int)):
            self._open.add(number)
        writes = self._protocol.writes(message)
        before = list(self._under_way) if writes else [self._last_write] if self._last_write else []
        thread = threading.Thread(target=self._work, args=(message, before), daemon=True)
        if writes:
            self._last_write = thread
        self._under_way.add(thread)
        thread.start()

    def _work(self, message: Json | list[Any], before: list[threading.Thread]) -> None:
        try:
            for earlier in before:
                earlier.join()
            if isinstance(message, list):
                answers = [answer for one in message if (answer := self._protocol.answer(one)) is not None]
                self._send(answers or None)
                return
            answer = self._protocol.answer(message)
            number = answer["id"] if answer is not None else None
            self._open.discard(number)
            if number in self._cancelled:
                self._cancelled.discard(number)
                return
            self._send(answer)
        finally:
            self._under_way.discard(threading.current_thread())
            self._room.release()

    def _send(self, message: Json | list[Json] | None) -> None:
        if message is None:
            return
        line = json.dumps(message, ensure_ascii=False).encode("utf-8", "backslashreplace") + b"\n"
        with self._writing:
            try:
                self._sink.write(line)
                self._sink.flush()
            except (OSError, ValueError):
                self._hung_up.set()
