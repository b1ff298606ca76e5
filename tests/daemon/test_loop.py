"""The whole loop with real processes on a real store: wake, remember, sleep, dream, undo; kill -9; two starts at once."""

from __future__ import annotations

import json
import os
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import lancedb
import pytest

from muninn.client import Client
from muninn.errors import MuninnError

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]


class Home:
    """A home with its own environment; the embedder is the hashed one, so that starts are quick."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.environ = {
            **{name: value for name, value in os.environ.items() if not name.startswith("MUNINN_")},
            "MUNINN_HOME": str(path),
            "MUNINN_EMBED__MODEL": "hashed",
            "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'cmd'}",
            "HOME": str(path.parent),
        }
        self.client = Client(path / "muninn.sock", timeout=60)

    def muninn(self, *words: str, expect: int = 0) -> str:
        done = subprocess.run(
            [sys.executable, "-c", "import sys; from muninn_cmd import main; sys.exit(main())", *words],
            env=self.environ, capture_output=True, text=True, timeout=120,
        )  # fmt: skip
        assert done.returncode == expect, (words, done.returncode, done.stdout, done.stderr)
        return done.stdout

    def json(self, *words: str, expect: int = 0) -> Any:
        return json.loads(self.muninn(*words, "--json", expect=expect))

    def snapshot(self) -> dict[str, tuple[int, int, bytes]]:
        files = (path for path in self.path.rglob("*") if path.is_file())
        return {str(path): (path.stat().st_mtime_ns, path.stat().st_mode, path.read_bytes()) for path in files}


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    made = Home(tmp_path / "home")
    yield made
    if (made.path / "muninn.lock").exists():
        subprocess.run(
            [sys.executable, "-c", "import sys; from muninn_cmd import main; sys.exit(main())", "stop"], env=made.environ, capture_output=True
        )  # fmt: skip


NOTES = [
    "The staging API listens on port 8080.",
    "the staging api listens on port 8080",
    "The production database is Postgres 15.",
    "The production database is Postgres 16.",
    "La reunión semanal es los martes a las 10.",
    "la reunión semanal es los martes a las 10",
]
OTHERS = ["The office closes at seven.", "the office closes at seven", "El gato duerme en la cocina."]


def test_wake_remember_sleep_dream_undo(home: Home) -> None:
    started = home.json("start")
    assert started["state"] in ("waking", "awake")
    for note in NOTES:
        home.json("remember", note)
    legal = home.json("remember", "Clause 7 holds.", "--vault", "legal")
    assert home.json("recall", "staging port")["results"]
    before = home.muninn("export")
    home.muninn("stop")
    assert (home.path / "data" / "dream.due").exists()
    assert home.json("status")["state"] == "asleep"

    home.muninn("start")
    dreams = home.json("dreams")["dreams"]
    assert [(one["kind"], one["status"]) for one in dreams] == [("dream", "completed")]
    journal = (home.path / "dream.journal.md").read_text("utf-8")
    assert dreams[0]["dream_id"] in journal
    assert "8080" in journal
    assert not (home.path / "data" / "dream.due").exists()
    found = home.json("recall", "staging port")["results"]
    assert "8080" in found[0]["content"]
    assert home.json("show", legal["id"])["state"] == "active"

    second = home.json("dream", "--force")
    assert [one for one in second["operations"] if one["op"] != "reinforce"] == []
    assert home.json("dream", "--force")["operations"] == []
    home.muninn("undo", second["dream_id"])
    home.muninn("undo", dreams[0]["dream_id"])
    assert home.muninn("export") == before


def test_a_dream_whose_record_cannot_be_read_stops_nothing(home: Home) -> None:
    for note in NOTES:
        home.json("remember", note)
    damaged = home.json("dream", "--force", "--no-llm")["dream_id"]
    tables = lancedb.connect(home.path / "data")
    tables.open_table("dreams").update(where=f"key = '{damaged}'", values={"body": b"\xc1"})
    for note in OTHERS:
        home.json("remember", note)
    home.muninn("start")
    later = home.json("dream", "--force", "--no-llm")["dream_id"]
    assert home.json("status")["last_dream"]["dream_id"] == later
    assert [one["dream_id"] for one in home.json("dreams")["dreams"]] == [damaged, later]
    assert [one["dream_id"] for one in home.json("journal", "--last", "9")["entries"]] == [damaged, later]
    assert home.json("undo")["dream_id"] == later
    home.muninn("undo", damaged, expect=1)
    assert damaged in home.muninn("doctor", expect=1)
    home.muninn("stop")
    assert home.json("status")["state"] == "asleep"
    home.muninn("start")
    home.muninn("stop")


def test_a_restart_that_could_not_end_well_does_not_begin(home: Home) -> None:
    home.muninn("start")
    config = home.path / "config.toml"
    config.write_text("[dream]\ntimeoutt = 5\n", "utf-8")
    home.muninn("restart", expect=2)
    config.unlink()
    assert home.json("status")["state"] == "awake"
    home.muninn("restart", "--no-dream")
    assert home.json("status")["state"] == "awake"


def test_a_dry_run_changes_no_byte_awake_or_asleep(home: Home) -> None:
    home.muninn("start")
    for note in NOTES:
        home.json("remember", note)
    time.sleep(1.5)  # the tables follow the log at the first pause
    before = home.snapshot()
    planned = home.json("dream", "--dry-run")
    assert planned["operations"]
    assert home.snapshot() == before
    home.muninn("stop")
    before = home.snapshot()
    again = home.json("dream", "--dry-run")
    assert [(o["op"], o["ids"]) for o in again["operations"]] == [(o["op"], o["ids"]) for o in planned["operations"]]
    assert home.snapshot() == before


def test_everything_is_private_whatever_the_umask(home: Home) -> None:
    old = os.umask(0)
    try:
        home.muninn("start")
        home.json("remember", NOTES[0])
        home.muninn("stop")
        home.muninn("start")
    finally:
        os.umask(old)
    open_ones = [p for p in (home.path, *home.path.rglob("*")) if stat.S_IMODE(p.lstat().st_mode) & 0o077]
    assert open_ones == []


def test_kill_9_loses_nothing_that_was_acknowledged(home: Home) -> None:
    acknowledged: dict[str, str] = {}
    for round_number in range(4):
        home.muninn("start", "--no-dream")
        home.client.get("/v1/vaults")  # answered once awake
        pid = home.client.get("/v1/status")["pid"]

        def write(name: int, number: int = round_number) -> None:
            for count in range(1000):
                text = f"round {number} writer {name} note {count}"
                try:
                    acknowledged[Client(home.client.path, timeout=20).post("/v1/memories", {"content": text})["id"]] = (
                        text
                    )
                except (MuninnError, OSError):
                    return

        writers = [Thread(target=write, args=(name,)) for name in range(4)]
        for writer in writers:
            writer.start()
        time.sleep(0.3 + 0.4 * round_number)
        os.kill(pid, signal.SIGKILL)
        for writer in writers:
            writer.join()
    home.muninn("start", "--no-dream")
    stored = {row["id"]: row["content"] for row in map(json.loads, home.muninn("export").splitlines()[1:])}
    assert acknowledged
    assert {key: stored.get(key) for key in acknowledged} == acknowledged


def test_of_many_starts_one_wins(home: Home) -> None:
    codes: list[int] = []

    def start() -> None:
        done = subprocess.run(
            [sys.executable, "-c", "import sys; from muninn_cmd import main; sys.exit(main())", "start"], env=home.environ, capture_output=True
        )  # fmt: skip
        codes.append(done.returncode)

    starters = [Thread(target=start) for _ in range(5)]
    for starter in starters:
        starter.start()
    for starter in starters:
        starter.join()
    assert sorted(codes) == [0, 3, 3, 3, 3]
    home.muninn("stop")
    home.muninn("stop", expect=3)


def test_a_symlink_at_the_socket_is_refused_and_left(home: Home, tmp_path: Path) -> None:
    home.path.mkdir(mode=0o700)
    target = tmp_path / "precious"
    target.write_text("keep")
    (home.path / "muninn.sock").symlink_to(target)
    home.muninn("start", expect=1)
    assert target.read_text() == "keep"
    assert (home.path / "muninn.sock").is_symlink()
    (home.path / "muninn.sock").unlink()


def test_a_dead_socket_and_lock_do_not_hold_a_start_up(home: Home) -> None:
    home.path.mkdir(mode=0o700)
    (home.path / "muninn.lock").write_text("1\n")
    dead = socket.socket(socket.AF_UNIX)
    dead.bind(str(home.path / "muninn.sock"))
    dead.close()
    home.muninn("start")
    assert home.json("status")["state"] in ("waking", "awake")


def test_bad_input_is_one_line_and_never_a_fault(home: Home) -> None:
    home.muninn("start")
    client = home.client
    cases: list[tuple[str, str, Any, int]] = [
        ("POST", "/v1/memories", {"content": " "}, 400),
        ("POST", "/v1/memories", {"content": "x" * (1 << 20) + "x"}, 413),
        ("POST", "/v1/memories", {"content": "x", "title": "t" * 10_000}, 413),
        ("POST", "/v1/memories", {"content": "x", "tier": "legal"}, 400),
        ("POST", "/v1/memories", {"content": "x", "vault": "a b"}, 400),
        ("POST", "/v1/memories", {"content": "x", "created_at": "yesterday"}, 400),
        ("POST", "/v1/memories", {"content": "x", "created_at": "2999-01-01T00:00:00Z"}, 400),
        ("POST", "/v1/vaults", {"name": "x", "tier": "secret"}, 400),
        ("POST", "/v1/recall", {"query": "x", "vault": "nope"}, 404),
        ("POST", "/v1/recall", {"query": "x", "limit": -1}, 400),
        ("POST", "/v1/recall", {"query": 5}, 400),
        ("POST", "/v1/recall", [], 400),
        ("GET", "/v1/memories/..%2f..%2fetc", None, 404),
        ("GET", "/v1/memories/%00", None, 404),
        ("GET", "/v1/nothing", None, 404),
        ("PUT", "/v1/memories", {}, 400),
        ("GET", "/v1/status?verbose=1", None, 400),
        ("POST", "/v1/links", {"source": "a", "target": "b"}, 404),
    ]  # fmt: skip
    for method, path, body, status in cases:
        answered, content = client.exchange(method, path, body)
        assert answered in (status, 405), (method, path, answered, content)
        assert json.loads(content)["title"]
    raw = socket.socket(socket.AF_UNIX)
    raw.connect(client.path)
    raw.sendall(
        b"POST /v1/memories HTTP/1.1\r\nhost: m\r\ncontent-length: 30\r\n\r\n"
        + b'{"content": "\\ud800 surrogate"}'[:30]
    )
    assert b" 400 " in raw.recv(4096)
    raw.close()
    assert home.json("status")["memories"] == 0
