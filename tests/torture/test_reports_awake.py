"""Reports of what went wrong elsewhere, each as what happens here instead: with a daemon. The table is in ``test_reports.py``."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

from muninn.app import build
from muninn.client import Client
from muninn.config import Config, EmbedConfig
from muninn.errors import MuninnError, NotRunningError
from tests.torture import abuse
from tests.torture.home import Home

pytestmark = pytest.mark.slow


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    made = Home(tmp_path / "served")
    yield made
    made.kill()


def test_a15_a_stop_returns_when_the_lock_is_free_and_a_start_meanwhile_loses(home: Home) -> None:
    home.start(environ={"MUNINN_TEST": "1", "MUNINN_FAILPOINTS": "store.upsert.memories=sleep:3@1"})
    home.client.post("/v1/memories", {"content": "slow to put away"})
    stopping = Thread(target=lambda: done.append(home.muninn("stop")))
    done: list[subprocess.CompletedProcess[str]] = []
    stopping.start()
    time.sleep(1.5)
    if not done:
        assert home.muninn("start", "--wait", "1").returncode in (3, 5)
    stopping.join()
    assert done[0].returncode == 0
    with build(Config(home=home.path, embed=EmbedConfig(model="hashed")), environ={}):
        pass  # the lock is free at once


def test_a16_a_stop_during_a_dream_leaves_no_trace_of_a_fault(home: Home) -> None:
    for _ in range(3):
        home.start("--no-dream", environ={"MUNINN_TEST": "1", "MUNINN_FAILPOINTS": "dream.planned=sleep:1"})
        for number in range(4):
            home.client.post("/v1/memories", {"content": f"note {number} {'.' * (number % 2)}"})
        answers: list[object] = []
        dreaming = Thread(target=_dream, args=(home, answers))
        dreaming.start()
        time.sleep(0.4)
        assert home.stop() == 0
        dreaming.join()
        assert answers in (["completed"], ["aborted"]) or isinstance(answers[0], NotRunningError), answers
    assert "Traceback" not in home.log() + home.said()
    assert '"level": "error"' not in home.log()


def _dream(home: Home, answers: list[object]) -> None:
    try:
        answers.append(Client(home.client.path).post("/v1/dreams", {"force": True})["status"])
    except MuninnError as error:
        answers.append(error)


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_a32_the_socket_is_ours_alone_whatever_the_umask(home: Home, umask: int) -> None:
    old = os.umask(umask)
    try:
        home.start()
    finally:
        os.umask(old)
    assert (home.path / "muninn.sock").stat().st_mode & 0o777 == 0o600
    assert home.path.stat().st_mode & 0o777 == 0o700


def test_a34_a35_a60_the_pid_in_the_lock_file_is_only_for_people(home: Home) -> None:
    stranger = subprocess.Popen(["sleep", "60"])
    try:
        home.path.mkdir(mode=0o700)
        (home.path / "muninn.lock").write_text(f"{stranger.pid}\n")
        home.start()
        (home.path / "muninn.lock").write_text(f"{stranger.pid}\n")
        done = home.muninn("stop")
        assert done.returncode == 0, done.stderr
        assert home.process is not None
        assert home.process.wait(10) == 0
        assert stranger.poll() is None
        home.start()
        home.kill()  # and a lock whose holder was killed is free
        home.start()
    finally:
        stranger.kill()
        stranger.wait()


@pytest.mark.parametrize("headers", [{}, {"Idempotency-Key": "k"}], ids=["plain", "key"])
def test_a39_what_two_clients_send_at_once_is_one_row(home: Home, headers: dict[str, str]) -> None:
    home.start()
    answers: list[dict[str, object]] = []

    def send() -> None:
        body = {"content": "the same at the same time"}
        answers.append(Client(home.client.path).post("/v1/memories", body, headers=headers))

    senders = [Thread(target=send) for _ in range(12)]
    for sender in senders:
        sender.start()
    for sender in senders:
        sender.join()
    assert len({str(answer["id"]) for answer in answers}) == 1
    assert sum(answer["created"] is True for answer in answers) == (12 if headers else 1)
    assert len(home.rows()) == 1


def test_a40_what_two_clients_wrote_is_all_there_after_a_restart(home: Home) -> None:
    home.start("--no-dream")
    writers = [Thread(target=_write, args=(home, name)) for name in "ab"]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    home.kill()
    home.start("--no-dream")
    assert len(home.rows()) == 50


def _write(home: Home, name: str) -> None:
    for number in range(25):
        Client(home.client.path).post("/v1/memories", {"content": f"{name} wrote number {number}"})


@pytest.mark.parametrize(
    "garbage", [b"", b"\x00" * 100, b"{", b'{"attempts": -1}', b"[" * 50_000, b"\xff\xfe", b'{"attempts": 1e999}']
)
def test_a42_a_damaged_side_file_does_not_keep_the_daemon_from_serving(home: Home, garbage: bytes) -> None:
    home.start("--no-dream")
    home.client.post("/v1/memories", {"content": "kept"})
    assert home.stop() == 0
    for name in ("data/dream.state.json", "data/dream.due", "data/status.json", "data/dream.progress.json", "dream.journal.md",
                 "dream.journal.jsonl", "muninn.lock", "hooks/sessions.json"):  # fmt: skip
        (home.path / name).parent.mkdir(exist_ok=True)
        (home.path / name).write_bytes(garbage)
    home.start()
    assert len(home.rows()) == 1
    assert home.stop() == 0
    assert "Traceback" not in home.said()


def test_a43_nothing_forks_after_the_tables_are_open(home: Home) -> None:
    home.start()
    home.client.post("/v1/memories", {"content": "one"})
    assert home.client.post("/v1/dreams", {"force": True})["status"] == "completed"
    assert home.stop() == 0
    assert "fork" not in (home.log() + home.said()).lower().replace(str(home.path).lower(), "")


def test_a44_an_export_streams_while_others_write(home: Home) -> None:
    home.start()
    rows = [{"content": f"row {number} {'x' * 400}"} for number in range(1500)]
    home.client.post("/v1/import", {"rows": rows})
    lines = iter(home.client.lines("/v1/export"))
    next(lines)
    assert Client(home.client.path, timeout=20).post("/v1/memories", {"content": "written meanwhile"})["created"]
    assert sum(1 for _ in lines) >= 1500


def test_a58_half_a_surrogate_is_no_fault(home: Home) -> None:
    home.start()
    raw = socket.socket(socket.AF_UNIX)
    raw.connect(home.client.path)
    body = b'{"content": "x", "title": "\\ud83d"}'
    raw.sendall(b"POST /v1/memories HTTP/1.1\r\nhost: m\r\ncontent-length: %d\r\n\r\n%s" % (len(body), body))
    assert b" 400 " in raw.recv(4096)
    raw.close()
    assert home.client.get("/v1/status")["memories"] == 0


def test_a12_a55_strangers_and_giants_are_turned_away(home: Home) -> None:
    home.start("--no-dream")
    assert abuse._foreigner(home)["foreign_user"] in ("0 bytes", "skipped")
    abuse._oversized(home)
