"""How muninn is, in every state, and getting it from one to another; against locks and processes that are real."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from muninn import errors
from muninn_cmd import glance, lifecycle
from muninn_cmd.holder import holder

Hold = Callable[..., "subprocess.Popen[str]"]

HOLDER = """
import fcntl, os, sys, time
sys.stderr.write("muninn.daemon")
folder = os.path.isdir(sys.argv[1])
handle = os.open(sys.argv[1], os.O_RDONLY if folder else os.O_RDWR | os.O_CREAT, 0o600)
fcntl.flock(handle, fcntl.LOCK_EX)
folder or os.write(handle, sys.argv[3].encode() + b"\\n")
print("held", flush=True)
time.sleep(60)
"""


@pytest.fixture
def hold() -> Iterator[Hold]:
    """Another process that holds a lock, a file with a note or a folder, and says in the file that it is process 1."""
    running: list[subprocess.Popen[str]] = []

    def start(lock: Path, note: str = "1") -> subprocess.Popen[str]:
        child = subprocess.Popen(
            [sys.executable, "-c", HOLDER, str(lock), "muninn.daemon", note],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        running.append(child)
        assert child.stdout is not None
        assert child.stdout.readline() == "held\n"
        return child

    yield start
    for child in running:
        child.kill()
        child.wait()


def test_a_missing_or_free_lock_has_no_holder(tmp_path: Path) -> None:
    lock = tmp_path / "muninn.lock"
    assert holder(str(lock)) is None
    lock.write_text("4242\n")
    assert holder(str(lock)) is None


def test_the_kernel_names_the_holder_whatever_the_file_says(tmp_path: Path, hold: Hold) -> None:
    child = hold(tmp_path / "muninn.lock")
    found = holder(str(tmp_path / "muninn.lock"))
    assert found is not None
    assert found.pid == child.pid
    assert found.note == "1"
    child.kill()
    child.wait()
    assert holder(str(tmp_path / "muninn.lock")) is None


def test_a_symbolic_link_is_no_lock(tmp_path: Path, hold: Hold) -> None:
    hold(tmp_path / "elsewhere")
    (tmp_path / "muninn.lock").symlink_to(tmp_path / "elsewhere")
    assert holder(str(tmp_path / "muninn.lock")) is None


def test_without_a_home_muninn_is_asleep_and_nothing_is_made(environ: dict[str, str], home: Path) -> None:
    status = glance.gather(environ)
    assert (status["state"], status["memories"], status["last_dream"], status["dream_due"]) == (
        "asleep",
        0,
        None,
        False,
    )
    assert not home.exists()


def test_asleep_it_tells_what_it_knew(environ: dict[str, str], home: Path) -> None:
    (home / "data").mkdir(parents=True)
    (home / "data/dream.due").touch()
    recorded = {"state": "awake", "pid": 7, "memories": 12, "vaults": 2, "last_dream": {"dream_id": "01D", "finished_at": "2026-03-28T06:00:00Z"},
                "gate": {"open": False, "why": "3 h since the last dream, 12 h needed", "opens_at": "2020-01-01T00:00:00Z"}}  # fmt: skip
    (home / "data/status.json").write_text(json.dumps(recorded))
    status = glance.gather(environ)
    assert (status["state"], status["pid"], status["memories"], status["dream_due"]) == ("asleep", None, 12, True)
    assert status["gate"]["open"] is True
    shown = glance.describe(status)
    assert "muninn is asleep\n" in shown
    assert "2026-03-28 06:00  01D" in shown


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[llm\n", "cannot read"),
        ("[llm]\nproviderz = []\n", "unknown key llm.providerz"),
        ("[dream]\ntimeout = 'x'\n", "dream.timeout"),
        ("[dream]\nat = '25:00'\n", "dream.at"),
        ("[dream]\nat = '4:3'\n", "dream.at"),
        ("[dream]\nsurvival_share = 5\n", "dream.survival_share"),
        ("[vault]\ndefault = 'a b'\n", "vault.default"),
        ("[vault]\ndefault = ''\n", "vault.default"),
    ],
)
def test_a_configuration_that_does_not_load_is_named_and_costs_nothing_else(
    environ: dict[str, str], home: Path, capfd: pytest.CaptureFixture[str], text: str, says: str
) -> None:
    (home / "data").mkdir(parents=True)
    (home / "data/status.json").write_text(json.dumps({"memories": 12}))
    (home / "config.toml").write_text(text)
    assert glance.run(environ, as_json=True) == 0
    status = json.loads(capfd.readouterr().out)
    assert (status["state"], status["memories"]) == ("asleep", 12)
    assert says in status["problem"]
    assert says in glance.describe(status)
    (home / "config.toml").write_text("")
    assert "problem" not in glance.gather(environ)
    assert "MUNINN_LMM" in glance.gather({**environ, "MUNINN_LMM": "x"})["problem"]


def test_a_gate_that_is_not_due_stays_closed(environ: dict[str, str], home: Path) -> None:
    (home / "data").mkdir(parents=True)
    gate = {"open": False, "why": "wait", "opens_at": "2999-01-01T00:00:00Z"}
    (home / "data/status.json").write_text(json.dumps({"gate": gate}))
    assert glance.gather(environ)["gate"] == gate


@pytest.mark.parametrize("content", ["", "{", "[]", "null", "[" * 9999])
def test_a_damaged_record_is_no_record(environ: dict[str, str], home: Path, content: str) -> None:
    home.mkdir()
    (home / "data").mkdir()
    (home / "data/status.json").write_text(content)
    assert glance._recorded(str(home)) == {}


def test_a_held_lock_without_a_socket_is_waking_or_dreaming(environ: dict[str, str], home: Path, hold: Hold) -> None:
    (home / "data").mkdir(parents=True)
    child = hold(home / "muninn.lock")
    assert (glance.gather(environ)["state"], glance.gather(environ)["pid"]) == ("waking", child.pid)
    (home / "data/dream.progress.json").write_text(json.dumps({"phase": "dedup", "vault": "work"}))
    status = glance.gather(environ)
    assert status["state"] == "dreaming"
    assert "dedup" in glance.describe(status)


def test_what_cannot_be_asked_is_not_known_instead_of_none(environ: dict[str, str], home: Path, hold: Hold) -> None:
    (home / "data").mkdir(parents=True)
    child = hold(home / "muninn.lock", "1 awake")
    status = glance.gather(environ)
    assert (status["state"], status["pid"], status["memories"], status["gate"]) == ("awake", child.pid, None, None)
    shown = glance.describe(status)
    assert shown.count("not known") == 3
    assert "never" not in shown
    assert "nothing was written" not in shown


def test_a_daemon_that_does_not_answer_in_time_is_not_asleep(
    environ: dict[str, str], home: Path, hold: Hold, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "data").mkdir(parents=True)
    child = hold(home / "muninn.lock", "1 awake")
    monkeypatch.setattr(glance, "ANSWER_WITHIN", 0.1)
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(str(home / "muninn.sock"))
        silent.listen()
        status = glance.gather(environ)
    assert (status["state"], status["pid"], status["memories"]) == ("awake", child.pid, None)
    assert "no answer" in status["problem"]


def test_a_daemon_whose_lock_file_was_deleted_is_neither_asleep_nor_left_awake(
    environ: dict[str, str], home: Path, hold: Hold, muninn: Any
) -> None:
    (home / "data").mkdir(parents=True)
    child = hold(home)
    status = glance.gather(environ)
    assert (status["state"], status["pid"], status["memories"]) == ("waking", child.pid, None)
    assert (muninn("stop").code, child.wait()) == (0, -signal.SIGTERM)


def test_awake_the_daemon_speaks_for_itself(daemon: Any, environ: dict[str, str], muninn: Any) -> None:
    status = muninn("status", "--json").json
    assert (status["state"], status["pid"], status["socket"]) == ("awake", 4242, str(daemon.socket))
    assert muninn("status").out.startswith("muninn is awake (pid 4242)\n  memories    3 in 1 vault\n")


def test_a_broken_daemon_does_not_break_status(daemon: Any, muninn: Any) -> None:
    daemon.on("GET /v1/status", {"type": "urn:muninn:StoreError", "title": "the store is damaged"}, 500)
    done = muninn("status")
    assert (done.code, done.err) == (0, "")
    assert "the store is damaged" in done.out


def test_the_fast_path_says_what_the_verb_says(
    environ: dict[str, str], daemon: Any, muninn: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    assert glance.run(environ, as_json=True) == 0
    fast = json.loads(capfd.readouterr().out)
    assert fast == muninn("status", "--json").json


def test_verbs_wait_for_a_dream_at_start_then_give_up(
    environ: dict[str, str], home: Path, hold: Hold, muninn: Any
) -> None:
    home.mkdir()
    child = hold(home / "muninn.lock")
    began = time.monotonic()
    done = muninn("recall", "x", "--wait", "0.3")
    assert 0.3 <= time.monotonic() - began < 5
    assert (done.code, done.out) == (5, "")
    assert f"process {child.pid}" in done.err


def test_verbs_go_on_when_the_socket_appears(
    environ: dict[str, str], daemon: Any, muninn: Any, home: Path, hold: Hold
) -> None:
    hold(home / "muninn.lock")
    daemon.on("GET /v1/vaults", {"vaults": []})
    assert muninn("vault", "list").code == 0


def test_start_when_awake_is_code_3(daemon: Any, muninn: Any) -> None:
    done = muninn("start", "--json")
    assert done.code == 3
    assert done.json["pid"] == 4242
    assert "already awake (pid 4242" in done.err
    assert muninn("start").out == ""


def test_stop_when_asleep_is_code_3(muninn: Any) -> None:
    done = muninn("stop")
    assert (done.code, done.out) == (3, "")
    assert "already asleep" in done.err


def test_stop_ends_who_holds_the_lock_and_returns_when_it_is_free(
    environ: dict[str, str], home: Path, hold: Hold, muninn: Any
) -> None:
    home.mkdir()
    child = hold(home / "muninn.lock")
    done = muninn("stop", "--json")
    assert (done.code, done.json["pid"]) == (0, child.pid)
    assert child.wait() == -signal.SIGTERM


def test_stop_does_not_end_a_command_at_work(environ: dict[str, str], home: Path, muninn: Any) -> None:
    import fcntl

    home.mkdir()
    handle = os.open(home / "muninn.lock", os.O_RDWR | os.O_CREAT)
    fcntl.flock(handle, fcntl.LOCK_EX)
    try:
        done = muninn("stop")
    finally:
        os.close(handle)
    assert done.code == 5
    assert "is not the daemon" in done.err


def test_a_daemon_that_dies_at_once_is_told_with_its_words_and_code(
    environ: dict[str, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, muninn: Any
) -> None:
    pretend(
        monkeypatch,
        tmp_path,
        "import sys; sys.stderr.write('muninn: unknown key dreem in config.toml\\n'); sys.exit(2)",
    )
    done = muninn("start")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("muninn: the daemon did not start: unknown key dreem in config.toml (log: ")


def test_a_daemon_that_never_answers_is_left_to_it(
    environ: dict[str, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, muninn: Any
) -> None:
    pid = tmp_path / "pid"
    pretend(monkeypatch, tmp_path, f"import os, time; open({str(pid)!r}, 'w').write(str(os.getpid())); time.sleep(30)")
    done = muninn("start", "--wait", "1")
    assert done.code == 5
    assert "still waking after 1 s" in done.err
    os.kill(int(pid.read_text()), signal.SIGKILL)


@pytest.mark.parametrize("program", ["import sys; sys.exit(3)", "import sys, time; time.sleep(0.5); sys.exit(3)"])
def test_losing_the_race_waits_for_the_winner(
    environ: dict[str, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, home: Path, hold: Hold, program: str
) -> None:
    home.mkdir()
    hold(home / "muninn.lock")
    pretend(monkeypatch, tmp_path, program)
    answers = iter([None] * 8)
    winner = {"state": "awake", "pid": 4242, "socket": "s"}
    monkeypatch.setattr(lifecycle, "answering", lambda _environ: next(answers, winner))
    with pytest.raises(errors.AlreadyRunningError, match="pid 4242"):
        lifecycle.wake(environ, at_most=10, meanwhile=lambda: None)


def test_start_waits_for_a_command_at_work_and_then_starts(
    environ: dict[str, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, home: Path, hold: Hold
) -> None:
    home.mkdir()
    tries, up = tmp_path / "tries", tmp_path / "up"
    program = f"""
        import os, pathlib, sys, time
        tries = pathlib.Path({str(tries)!r})
        if not tries.exists():
            tries.touch()
            sys.exit(3)
        pathlib.Path({str(up)!r} + ".new").write_text(str(os.getpid()))
        os.rename({str(up)!r} + ".new", {str(up)!r})
        time.sleep(30)
    """
    pretend(monkeypatch, tmp_path, program)
    monkeypatch.setattr(
        lifecycle, "answering", lambda _environ: {"state": "awake", "pid": int(up.read_text())} if up.exists() else None
    )
    command = hold(home / "muninn.lock")

    def meanwhile() -> None:
        if tries.exists():
            command.kill()
            command.wait()

    assert lifecycle.wake(environ, at_most=20, meanwhile=meanwhile)["state"] == "awake"
    os.kill(int(up.read_text()), signal.SIGKILL)


def pretend(monkeypatch: pytest.MonkeyPatch, folder: Path, program: str) -> None:
    """Let ``start`` spawn this program instead of the daemon."""
    script = folder / "daemon.py"
    script.write_text(textwrap.dedent(program))
    monkeypatch.setattr(lifecycle, "DAEMON", (str(script),))
