"""Telling systemd: READY, STATUS, EXTEND_TIMEOUT_USEC, WATCHDOG, STOPPING. Silent where nobody listens."""

from __future__ import annotations

import socket
from collections.abc import Mapping


class Notifier:
    def __init__(self, environ: Mapping[str, str]) -> None:
        address = environ.get("NOTIFY_SOCKET", "")
        self._address = "\0" + address[1:] if address.startswith("@") else address
        interval = environ.get("WATCHDOG_USEC", "")
        self.watchdog_seconds = int(interval) / 2_000_000 if interval.isdigit() else None

    def send(self, *lines: str) -> None:
        if not self._address:
            return
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as channel:
                channel.sendto("\n".join(lines).encode("utf-8"), self._address)
        except OSError:
            return

    def extend(self, seconds: float, status: str) -> None:
        """Ask for more time; must be repeated before it runs out."""
        self.send(f"EXTEND_TIMEOUT_USEC={int(seconds * 1_000_000)}", f"STATUS={status}")
