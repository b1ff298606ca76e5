"""The whole loop with real processes: wake, remember, sleep, dream, read, undo; and the same verbs without a daemon."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.slow

DUPLICATES = (
    "The nightly backup of the orders database runs at two.",
    "the nightly backup of the orders database runs at two",
)
OTHERS = ("La API de pagos escucha en el puerto 8443.", "La API de pagos escucha en el puerto 8080.")


class Home:
    """A home of its own, and the command run as people run it."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "casa ñ"
        self.environ = {
            **{name: value for name, value in os.environ.items() if not name.startswith("MUNINN_")},
            "MUNINN_HOME": str(self.path), "HOME": str(folder), "MUNINN_EMBED__MODEL": "hashed", "MUNINN_LLM__PROVIDERS": "",
            "PYTHONPATH": f"{ROOT}:{ROOT / 'cmd'}",
        }  # fmt: skip

    def run(self, *words: str, stdin: str = "", code: int = 0, **extra: str) -> str:
        done = subprocess.run(
            [sys.executable, "-P", "-m", "muninn_cmd", *words], input=stdin, capture_output=True, text=True, timeout=120, check=False,
            env={**self.environ, **extra},
        )  # fmt: skip
        assert done.returncode == code, (words, done.returncode, done.stdout, done.stderr)
        return done.stdout if code == 0 else done.stderr

    def json(self, *words: str, **options: Any) -> Any:
        return json.loads(self.run(*words, "--json", **options))

    def files(self) -> dict[str, tuple[int, bytes]]:
        return {
            str(path.relative_to(self.path)): (path.stat().st_mtime_ns, path.read_bytes() if path.is_file() else b"")
            for path in sorted(self.path.rglob("*"))
            if not path.is_socket()
        }


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    home = Home(tmp_path)
    yield home
    status = home.json("status")
    if status["pid"]:
        os.kill(status["pid"], signal.SIGKILL)


def plant(home: Home) -> list[str]:
    """Four memories through the daemon, or in one process without it."""
    file = home.path.parent / "plant.jsonl"
    file.write_text(
        "\n".join(json.dumps({"content": text, "vault": "trabajo"}) for text in (*DUPLICATES, *OTHERS)), "utf-8"
    )
    assert home.json("import", str(file))["imported"] == 4
    by_content = {row["content"]: row["id"] for row in home.json("export")["memories"]}
    return [by_content[text] for text in (*DUPLICATES, *OTHERS)]


def test_wake_remember_sleep_dream_undo(home: Home) -> None:
    started = home.json("start")
    assert (started["state"] in ("waking", "awake"), started["dream"]) == (True, None)
    assert Path(started["socket"]).stat().st_mode & 0o777 == 0o600
    ids = plant(home)
    assert home.json("remember", OTHERS[0], "--vault", "trabajo")["created"] is False
    home.run("remember", "Cláusula siete del contrato.", "--vault", "legal")
    found = home.json("recall", "¿en qué puerto escucha la API de pagos?", "--vault", "trabajo")["results"]
    assert {row["id"] for row in found[:2]} == set(ids[2:])
    before = home.run("export")

    assert home.json("stop")["state"] == "asleep"
    asleep = home.json("status")
    assert (asleep["state"], asleep["memories"], asleep["vaults"], asleep["dream_due"]) == ("asleep", 5, 2, True)
    assert asleep["gate"]["open"] is True

    dreamt = home.json("start")
    assert dreamt["dream"] is not None
    dream = dreamt["dream"]["dream_id"]
    assert [row["dream_id"] for row in home.json("dreams")["dreams"]] == [dream]
    states = {row["id"]: row["state"] for row in home.json("export")["memories"]}
    assert sorted(states[i] for i in ids) == ["active", "active", "active", "archived"]
    assert dream in home.run("journal")
    assert "legal" in home.run("journal")
    assert home.json("status")["dream_due"] is False

    undone = home.json("undo", dream)
    assert undone["dream_id"] == dream
    after = [json.loads(line) for line in home.run("export").splitlines()]
    usage = ("access_count", "last_accessed_at")
    plain = [{k: v for k, v in json.loads(line).items() if k not in usage} for line in before.splitlines()]
    assert [{k: v for k, v in row.items() if k not in usage} for row in after] == plain
    home.run("stop")
    assert "already asleep" in home.run("stop", code=3)


def test_every_verb_works_without_a_daemon(home: Home, capfd: pytest.CaptureFixture[str]) -> None:
    """In this process, so that the store's libraries are loaded once and not by each verb."""
    from muninn_cmd.app import run

    def muninn(*words: str, code: int = 0) -> Any:
        capfd.readouterr()
        done = run([*words, "--json"], home.environ)
        out, err = capfd.readouterr()
        assert done == code, (words, done, out, err)
        return json.loads(out) if code == 0 else err

    ids = [muninn("remember", text, "--vault", "trabajo")["id"] for text in (*DUPLICATES, *OTHERS)]
    assert not (home.path / "muninn.sock").exists()
    assert muninn("recall", "orders backup", "--limit", "1")["results"]
    assert muninn("show", ids[2])["provenance"]["client"] == "cli"
    assert muninn("link", ids[2], ids[3], "--relation", "contradicts")["relation"] == "contradicts"
    assert muninn("edit", ids[2], "--tag", "pagos")["tags"] == ["pagos"]
    assert muninn("forget", ids[0])["state"] == "forgotten"
    assert muninn("restore", ids[0])["state"] == "active"
    assert muninn("vault", "create", "clientes", "--tier", "legal")["tier"] == "legal"
    assert {row["name"] for row in muninn("vault")["vaults"]} == {"trabajo", "clientes"}
    assert "no vault" in muninn("recall", "x", "--vault", "trabaj", code=1)
    outcome = muninn("dream", "--force")
    assert [row["op"] for row in outcome["operations"] if row["op"] == "merge"] == ["merge"]
    assert "the gates are closed" in muninn("dream", code=4)
    assert muninn("undo")["restored"]
    assert all(check["ok"] for check in muninn("doctor")["checks"])
    assert Path(muninn("backup")["folder"]).is_dir()
    assert muninn("journal")["entries"]
    assert muninn("stats")["kinds"]
    assert muninn("egress")["entries"] == []


def test_a_dry_run_changes_no_byte(home: Home) -> None:
    assert home.json("dream", "--dry-run")["operations"] == []
    assert not home.path.exists()
    plant(home)
    before = home.files()
    plan = home.path.parent / "plan.json"
    dry = home.json("dream", "--dry-run", "--output", str(plan))
    assert [row["op"] for row in dry["operations"]].count("merge") == 1
    assert "[DRY RUN]" in dry["journal"]
    assert home.files() == before
    assert home.json("dream", "--apply", str(plan))["status"] == "completed"


def test_export_and_import_are_one(home: Home, tmp_path: Path) -> None:
    plant(home)
    file = tmp_path / "all.jsonl"
    home.run("export", "--output", str(file))
    other = Home(tmp_path / "other")
    (tmp_path / "other").mkdir()
    report = other.json("import", str(file))
    assert (report["imported"], report["rejected"]) == (4, [])
    header, *memories = file.read_text("utf-8").splitlines()
    other_header, *other_memories = other.run("export").splitlines()
    assert other_memories == memories
    assert [(v["name"], v["tier"]) for v in json.loads(other_header)["vaults"]] == [
        (v["name"], v["tier"]) for v in json.loads(header)["vaults"]
    ]
    assert other.json("import", str(file))["duplicates"] == 4


def test_a_killed_daemon_leaves_nothing_in_the_way(home: Home) -> None:
    pid = home.json("start")["pid"]
    memory = home.json("remember", "antes del corte")["id"]
    os.kill(pid, signal.SIGKILL)
    deadline = time.monotonic() + 10
    while home.json("status")["state"] != "asleep" and time.monotonic() < deadline:
        time.sleep(0.05)
    assert home.json("status")["memories"] == 1
    assert home.json("start")["pid"] != pid
    assert home.json("show", memory)["content"] == "antes del corte"
    home.run("stop")


def test_parallel_starts_make_one_daemon(home: Home) -> None:
    command = [sys.executable, "-P", "-m", "muninn_cmd", "start", "--json"]
    starting = [
        subprocess.Popen(command, env=home.environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(5)
    ]
    codes = []
    for child in starting:
        child.communicate(timeout=120)
        codes.append(child.returncode)
    assert sorted(codes) == [0, 3, 3, 3, 3]
    home.run("stop")


def test_configuration_that_is_wrong_is_one_line(home: Home) -> None:
    assert "unknown key dreem" in home.run("start", code=2, MUNINN_DREEM__TIMEOUT="1")
    assert "unknown key dreem" in home.run("remember", "x", code=2, MUNINN_DREEM__TIMEOUT="1")
    assert home.json("status", MUNINN_DREEM__TIMEOUT="1")["state"] == "asleep"


def test_the_promises_are_kept(home: Home) -> None:
    document = home.json("doctor", "--prove")
    assert [check for check in document["checks"] if check["status"] == "fail"] == []
    assert len(document["checks"]) >= 15
    assert not home.path.exists()
