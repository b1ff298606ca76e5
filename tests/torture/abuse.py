"""Clients that behave badly on the socket: slow, silent, vanishing, oversized, of another user. Others must not notice."""

from __future__ import annotations

import os
import resource
import shutil
import socket as sockets
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread

from muninn.client import Client
from tests.torture.home import Home, percentile


def socket(folder: Path, *, rounds: int, seed: int, say: bool = False, slow: int = 2000) -> dict[str, object]:
    """``slow`` clients that send a byte a second while ``rounds`` honest requests are timed; then the other abuses."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    home = Home(folder / "home")
    try:
        home.start()
        for number in range(50):
            home.client.post("/v1/memories", {"content": f"The service {number} listens on port {8000 + number}."})
        quiet = _timed(home, rounds)
        stop = Event()
        crowd, feeder = _slow_clients(home.client.path, slow, stop)
        try:
            busy = _timed(home, rounds)
            open_files = home.figures()["fds"]
        finally:
            stop.set()
            feeder.join()
        for one in crowd:
            one.close()
        found = {
            "slow_clients": len(crowd), "requests": rounds, "p50_quiet_ms": _ms(quiet, 0.5), "p99_quiet_ms": _ms(quiet, 0.99),
            "p50_busy_ms": _ms(busy, 0.5), "p99_busy_ms": _ms(busy, 0.99), "open_files_busy": open_files,
            **_half_open(home), **_oversized(home), **_endless_head(home), **_foreigner(home),
        }  # fmt: skip
        assert percentile(busy, 0.99) < 1.0, found
        time.sleep(0.5)
        found["open_files_after"] = home.figures()["fds"]
        assert home.stop() == 0
        assert "Traceback" not in home.said() + home.log(), (home.said() + home.log())[-1500:]
        return found
    finally:
        home.kill()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def _timed(home: Home, requests: int) -> list[float]:
    taken = []
    for number in range(requests):
        began = time.monotonic()
        if number % 2:
            home.client.get("/v1/status")
        else:
            home.client.post("/v1/recall", {"query": "which port does service 7 listen on"})
        taken.append(time.monotonic() - began)
    return taken


def _ms(values: list[float], share: float) -> float:
    return round(percentile(values, share) * 1000, 1)


def _slow_clients(path: str, count: int, stop: Event) -> tuple[list[sockets.socket], Thread]:
    """Half never get past their headers, half never finish their body."""
    crowd = []
    for number in range(count):
        one = sockets.socket(sockets.AF_UNIX)
        with suppress(OSError):
            one.connect(path)  # without a time-out, which would not wait in a queue that is full
            one.settimeout(5)
            head = b"POST /v1/memories HTTP/1.1\r\nhost: m\r\ncontent-length: 5000\r\n"
            one.sendall(head + (b"\r\n{" if number % 2 else b"x-a: "))
            crowd.append(one)

    def feed() -> None:
        while not stop.wait(1.0):
            for one in crowd:
                with suppress(OSError):
                    one.send(b"a")

    feeder = Thread(target=feed)
    feeder.start()
    return crowd, feeder


def _half_open(home: Home) -> dict[str, object]:
    """Clients that ask and vanish before the answer, or send half a request and close."""
    for number in range(300):
        one = sockets.socket(sockets.AF_UNIX)
        one.connect(home.client.path)
        one.sendall(b"GET /v1/export HTTP/1.1\r\nhost: m\r\n\r\n" if number % 2 else b"POST /v1/memories HT")
        one.close()
    assert home.client.get("/v1/status")["state"] == "awake"
    return {"vanished_clients": 300}


def _oversized(home: Home) -> dict[str, object]:
    """A gigabyte announced, and 200 MB in chunks without a length: refused, and the memory stays small."""
    before = home.figures()["rss_mb"]
    one = sockets.socket(sockets.AF_UNIX)
    one.settimeout(30)
    one.connect(home.client.path)
    one.sendall(b"POST /v1/memories HTTP/1.1\r\nhost: m\r\ncontent-length: 1000000000\r\n\r\n")
    announced = one.recv(4096)
    one.close()
    one = sockets.socket(sockets.AF_UNIX)
    one.settimeout(30)
    one.connect(home.client.path)
    one.sendall(b"POST /v1/memories HTTP/1.1\r\nhost: m\r\ntransfer-encoding: chunked\r\n\r\n")
    answer = b""
    with suppress(OSError):
        for _ in range(200):
            one.sendall(b"100000\r\n" + b"a" * 0x100000 + b"\r\n")
    with suppress(OSError):
        answer = one.recv(4096)
    one.close()
    grown = home.figures()["rss_mb"] - before
    assert b" 413 " in announced, announced
    assert not answer or b" 413 " in answer, answer
    assert grown < 100, f"RSS grew by {grown} MB"
    return {"rss_growth_oversized_mb": grown}


def _endless_head(home: Home) -> dict[str, object]:
    one = sockets.socket(sockets.AF_UNIX)
    one.settimeout(30)
    one.connect(home.client.path)
    sent = 0
    with suppress(OSError):
        one.sendall(b"GET /v1/status HTTP/1.1\r\n")
        for _ in range(2000):
            one.sendall(b"x-filler: " + b"a" * 4096 + b"\r\n")
            sent += 4096
    one.close()
    assert sent < 2_000_000, f"{sent} bytes of headers were taken"
    return {"headers_taken": sent}


_KNOCK = """
import socket, sys
one = socket.socket(socket.AF_UNIX); one.settimeout(10); one.connect(sys.argv[1])
try:
    one.sendall(b"GET /v1/status HTTP/1.1\\r\\nhost: m\\r\\n\\r\\n"); answer = one.recv(4096)
except OSError:
    answer = b""
print(len(answer))
"""


def _foreigner(home: Home) -> dict[str, object]:
    """Another user, with every file mode opened for it: not a byte."""
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        return {"foreign_user": "skipped"}
    opened = [home.path, *home.path.parents]
    modes = [path.stat().st_mode & 0o7777 for path in opened]
    try:
        for path in opened:
            path.chmod(0o755)
        Path(home.client.path).chmod(0o666)
        words = [
            "setpriv",
            "--reuid=65534",
            "--regid=65534",
            "--clear-groups",
            sys.executable,
            "-c",
            _KNOCK,
            home.client.path,
        ]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode:
            return {"foreign_user": f"could not connect: {done.stderr.splitlines()[-1]}"}
        assert done.stdout.strip() == "0", f"another user was answered {done.stdout.strip()} bytes"
        return {"foreign_user": "0 bytes"}
    finally:
        for path, mode in zip(opened, modes, strict=True):
            path.chmod(mode)
        Client(home.client.path).get("/v1/status")
