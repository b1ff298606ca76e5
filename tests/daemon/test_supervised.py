"""What a supervisor hears on NOTIFY_SOCKET: more time while waking and dreaming, READY once, the watchdog from the loop, STOPPING."""

from __future__ import annotations

import errno
import json
import os
import signal
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

from muninn.daemon.lock import HomeLock
from muninn.daemon.notify import Notifier
from muninn.errors import LockedError
from tests.torture.home import Home


class Supervisor:
    """A datagram socket that writes down when it heard what."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.heard: list[tuple[float, dict[str, str]]] = []
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(str(path))
        self._socket.settimeout(0.2)
        self._open = True
        self._thread = Thread(target=self._listen)
        self._thread.start()

    def _listen(self) -> None:
        while self._open:
            try:
                text = self._socket.recv(4096).decode()
            except TimeoutError:
                continue
            facts = dict(line.partition("=")[::2] for line in text.splitlines())
            self.heard.append((time.monotonic(), facts))

    def close(self) -> None:
        self._open = False
        self._thread.join()
        self._socket.close()

    def times(self, key: str) -> list[float]:
        return [at for at, facts in self.heard if key in facts]


@pytest.fixture
def supervisor(tmp_path: Path) -> Iterator[Supervisor]:
    made = Supervisor(tmp_path / "notify")
    yield made
    made.close()


@pytest.mark.slow
def test_a_long_dream_at_start_keeps_asking_for_time(tmp_path: Path, supervisor: Supervisor) -> None:
    environ = {"NOTIFY_SOCKET": str(supervisor.path), "WATCHDOG_USEC": "1000000"}
    home = Home(tmp_path / "home", environ)
    try:
        home.start("--no-dream")
        for number in range(4):
            home.client.post("/v1/memories", {"content": f"The service {number} is up."})
        assert home.stop() == 0
        supervisor.heard.clear()
        began = time.monotonic()
        home.start(environ={"MUNINN_TEST": "1", "MUNINN_FAILPOINTS": "dream.begun=sleep:6"})
        time.sleep(2.5)
        asked_to_stop = time.monotonic()
        assert home.stop() == 0
    finally:
        home.kill()
    (ready,) = supervisor.times("READY")
    extended = [at for at in supervisor.times("EXTEND_TIMEOUT_USEC") if at < ready]
    assert extended[0] - began < 10.0
    assert ready - extended[-1] < 10.0
    assert len(extended) >= 2
    assert "dreaming" in {facts.get("STATUS") for _, facts in supervisor.heard}
    assert len([at for at in supervisor.times("WATCHDOG") if ready < at < asked_to_stop]) >= 3
    assert supervisor.times("STOPPING")
    assert supervisor.times("STOPPING")[0] - asked_to_stop < 2.0


@pytest.mark.slow
@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT"])
def test_the_log_says_which_signal_sent_it_to_sleep(tmp_path: Path, name: str) -> None:
    home = Home(tmp_path / "home")
    try:
        home.start("--no-dream")
        assert home.process is not None
        home.process.send_signal(signal.Signals[name])
        assert home.process.wait(30) == 0
    finally:
        home.kill()
    events = [json.loads(line) for line in home.log().splitlines()]
    assert [(one["event"], one.get("signal")) for one in events][-2:] == [("falling_asleep", name), ("asleep", None)]


def test_a_full_disk_keeps_nobody_from_holding_the_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    for name in ("write", "pwrite"):
        monkeypatch.setattr(os, name, full)
    lock = HomeLock(tmp_path / "home")
    with pytest.raises(LockedError):
        HomeLock(tmp_path / "home")
    lock.close()


def test_without_a_supervisor_it_is_silent() -> None:
    Notifier({}).send("READY=1")
    Notifier({"NOTIFY_SOCKET": "/nowhere/at/all"}).extend(1.0, "waking")


@pytest.mark.parametrize("usec", ["", "soon", "-5", "1e6"])
def test_a_watchdog_interval_that_is_none_is_ignored(usec: str) -> None:
    assert Notifier({"WATCHDOG_USEC": usec}).watchdog_seconds is None
