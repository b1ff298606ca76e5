"""A latch that lets many readers in together and one writer alone.

A waiting writer goes before new readers, so a stream of recalls cannot starve it. Not re-entrant.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition, Lock


class Latch:
    """``shared()`` for reads, ``exclusive()`` for the few milliseconds in which a write is published."""

    def __init__(self) -> None:
        self._changed = Condition(Lock())
        self._readers = 0
        self._writing = False
        self._waiting_writers = 0

    @contextmanager
    def shared(self) -> Iterator[None]:
        with self._changed:
            while self._writing or self._waiting_writers:
                self._changed.wait()
            self._readers += 1
        try:
            yield
        finally:
            with self._changed:
                self._readers -= 1
                if not self._readers:
                    self._changed.notify_all()

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        with self._changed:
            self._waiting_writers += 1
            while self._writing or self._readers:
                self._changed.wait()
            self._waiting_writers -= 1
            self._writing = True
        try:
            yield
        finally:
            with self._changed:
                self._writing = False
                self._changed.notify_all()
