"""The socket or the lock file taken away, or something put in its place, under a daemon that runs: said honestly, and healed."""

from __future__ import annotations

import errno
import fcntl
import os
import socket
import stat
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from muninn.client import Client
from muninn.daemon.lock import HomeLock
from muninn.errors import LockedError, MuninnError
from muninn.paths import socket_path
from muninn_cmd import glance
from muninn_cmd.holder import holder
from tests.torture.home import Home

pytestmark = pytest.mark.slow


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    home = Home(tmp_path / "home")
    try:
        home.start("--no-dream")
        yield home
    finally:
        home.kill()


def until(true: Callable[[], bool], *, within: float = 20.0) -> bool:
    end = time.monotonic() + within
    while not true() and time.monotonic() < end:
        time.sleep(0.05)
    return true()


def answers(home: Home) -> bool:
    try:
        return bool(home.client.get("/v1/status")["state"] == "awake")
    except MuninnError:
        return False


def test_a_socket_that_was_deleted_comes_back_as_private_as_it_was(home: Home) -> None:
    file = home.path / "muninn.sock"
    made = home.client.post("/v1/memories", {"content": "It listens on port 8080."})["id"]
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as talking:
        talking.connect(str(file))
        file.unlink()
        assert until(lambda: answers(home)), "it never listened again"
        talking.sendall(b"GET /v1/status HTTP/1.1\r\nHost: muninn\r\n\r\n")
        assert talking.recv(12) == b"HTTP/1.1 200", "who was connected stays so"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert home.client.get(f"/v1/memories/{made}")["content"] == "It listens on port 8080."
    assert home.log().count('"listening_again"') == 1
    file.unlink()
    assert until(lambda: answers(home)), "and again"
    assert home.stop() == 0
    assert not file.exists()


def test_what_stands_in_the_place_of_the_socket_is_left_and_named_once(home: Home) -> None:
    file = home.path / "muninn.sock"
    file.unlink()
    file.write_text("mine")
    assert until(lambda: "socket_lost" in home.log())
    time.sleep(3)
    assert home.log().count('"socket_lost"') == 1
    assert file.read_text() == "mine"
    file.unlink()
    assert until(lambda: answers(home))


def test_a_home_that_was_taken_away_is_not_made_again(home: Home) -> None:
    home.path.rename(home.path.with_name("away"))
    time.sleep(4)
    assert not home.path.exists()


def test_a_home_that_was_renamed_is_named_on_either_path(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir(mode=0o700)
    path, away = tmp_path / ("x" * 100) / "home", tmp_path / "away"  # too long for a socket, which stays behind
    path.parent.mkdir()
    old = Home(path, {"XDG_RUNTIME_DIR": str(tmp_path / "run")})
    old.client = Client(socket_path(path, old.environ), timeout=60)
    try:
        old.start("--no-dream")
        assert old.process is not None
        old.client.post("/v1/memories", {"content": "It listens on port 8080."})
        path.rename(away)
        told = f"muninn: the home that process {old.process.pid} serves was renamed or taken away: {path} ("
        for words in (["recall", "port"], ["remember", "another"], ["dream", "--force"], ["backup"]):
            done = old.muninn(*words)
            assert (done.returncode, done.stderr[: len(told)]) == (1, told), words
        assert "muninn stop" in done.stderr
        assert not path.exists(), "what was taken away is not made again"
        shown = old.muninn("status").stdout
        assert "serves was renamed or taken away" in shown
        assert "nearly full" not in shown
        assert "serves was renamed or taken away" in old.muninn("doctor").stdout
        away.rename(path)
        assert old.muninn("recall", "port").returncode == 0, "put back, it goes on"
        assert old.muninn("remember", "another").returncode == 0
        path.rename(away)
        assert old.muninn("stop").returncode == 0
    finally:
        old.kill()


def test_status_and_the_other_verbs_say_which_process_lost_its_socket(home: Home) -> None:
    assert home.process is not None
    file = home.path / "muninn.sock"
    file.unlink()
    file.mkdir()  # so that it stays lost
    document = glance.gather(home.environ)
    assert (document["state"], document["pid"]) == ("awake", home.process.pid)
    shown = glance.describe(document)
    assert f"process {home.process.pid} is awake, but nothing answers on its socket {file}" in shown
    assert "muninn restart" in shown
    assert " 0 in 0 vaults" not in shown
    refused = home.muninn("recall", "port", "--wait", "1")
    assert refused.returncode == 5
    assert f"process {home.process.pid} is awake, but nothing answers on its socket" in refused.stderr
    file.rmdir()
    assert home.muninn("stop").returncode == 0


def test_a_lock_file_that_was_deleted_lets_nobody_else_in_and_comes_back(home: Home) -> None:
    file = home.path / "muninn.lock"
    file.unlink()
    with pytest.raises(LockedError):
        HomeLock(home.path)
    assert until(file.exists), "it was never made again"
    found = holder(str(file))
    assert found is not None
    assert found.phase == "awake"
    assert answers(home)
    assert home.stop() == 0


def test_the_lock_knows_whether_its_home_still_stands(tmp_path: Path) -> None:
    home = tmp_path / "home"
    lock, file = HomeLock(home), home / "muninn.lock"
    assert lock.stands()
    lock.note("falling_asleep")
    lock.note("awake")
    assert file.read_text().split()[1:] == ["awake"]
    file.rename(home / "other")
    assert lock.stands()
    assert file.read_text().split()[1:] == ["awake"]
    file.unlink()
    file.touch(mode=0o644)
    assert lock.stands()
    assert file.read_text().split()[1:] == ["awake"]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert lock.astray() is None
    home.rename(tmp_path / "away")
    assert not lock.stands()
    lost = lock.astray()
    assert lost is not None
    assert str(home) in lost.message
    home.mkdir()
    assert not lock.stands()
    assert not file.exists()
    lock.close()
    assert not lock.stands()
    assert lock.astray() is None
    HomeLock(tmp_path / "away").close()


def test_a_file_system_that_locks_no_folders_leaves_it_to_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flock = fcntl.flock

    def of_files(handle: int, how: int) -> None:
        if stat.S_ISDIR(os.fstat(handle).st_mode):
            raise OSError(errno.EBADF, "Bad file descriptor")
        flock(handle, how)

    monkeypatch.setattr(fcntl, "flock", of_files)
    lock = HomeLock(tmp_path)
    with pytest.raises(LockedError):
        HomeLock(tmp_path)
    lock.close()
    HomeLock(tmp_path).close()
