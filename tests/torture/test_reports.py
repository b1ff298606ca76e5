"""Reports of what went wrong elsewhere (issues of other memory stores and servers), each as what happens here instead.

``ELSEWHERE`` names the tests that hold the rest; ``test_every_report_has_its_test`` keeps the table whole.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

from muninn import failpoints
from muninn.app import App, build
from muninn.client import Client
from muninn.config import Config, EmbedConfig, LlmConfig, StoreConfig
from muninn.domain.draft import Draft
from muninn.domain.memory import Provenance
from muninn.errors import LockedError, MuninnError, StoreError
from muninn.testing import FakeClock
from tests.torture.home import ROOT, Home

BY = Provenance(client="test")
ELSEWHERE = {
    "A1": "tests/dream/test_operations_laws.py", "A2": "tests/torture/test_machine.py", "A3": "tests/domain/test_strength.py",
    "A4": "tests/dream/test_dreams.py", "A5": "tests/domain/test_separation_refusals.py",
    "A6": "tests/domain/test_separation_refusals.py", "A7": "tests/domain/test_separation_refusals.py",
    "A8": "tests/torture/faults.py", "A9": "tests/service/test_service.py", "A10": "tests/recall/test_recall_answers.py",
    "A11": "tests/dream/test_model_phase.py", "A12": "tests/torture/abuse.py", "A13": "tests/daemon/test_loop.py",
    "A17": "tests/llm/test_verdict_validation.py", "A18": "tests/llm/test_verdict_validation.py",
    "A19": "tests/llm/test_verdict_validation.py", "A20": "tests/llm/test_verdict_validation.py",
    "A21": "tests/llm/test_verdict_validation.py", "A22": "tests/torture/faults.py", "A23": "tests/llm/test_bad_answers.py",
    "A24": "tests/llm/test_bad_answers.py", "A25": "tests/llm/test_bad_answers.py", "A26": "tests/llm/test_bad_answers.py",
    "A27": "tests/cli/test_states.py", "A28": "tests/llm/test_policy_matrix.py", "A29": "tests/llm/test_gate.py",
    "A30": "tests/llm/test_gate.py", "A31": "tests/llm/test_bad_answers.py", "A33": "tests/daemon/test_loop.py",
    "A36": "tests/hooks/test_hook_process.py", "A37": "tests/hooks/test_hook_process.py", "A47": "tests/store/test_recovery.py",
    "A51": "tests/daemon/test_schedule.py", "A52": "tests/daemon/test_supervised.py", "A53": "tests/mcp/test_mcp_process.py",
    "A54": "tests/torture/processes.py", "A55": "tests/torture/abuse.py", "A56": "tests/cli/test_display.py",
    "A57": "tests/mcp/test_mcp_tools.py", "A62": "tests/dream/test_dreams.py",
}  # fmt: skip


def test_every_report_has_its_test() -> None:
    titles = re.findall(r"^def test_(a\w+)", Path(__file__).read_text("utf-8"), re.MULTILINE)
    here = {number for title in titles for number in re.findall(r"a\d+", title)}
    covered = {number.upper() for number in here} | set(ELSEWHERE)
    assert covered == {f"A{number}" for number in range(1, 63)}
    assert [where for where in ELSEWHERE.values() if not (ROOT / where).is_file()] == []


@pytest.fixture
def config(tmp_path: Path) -> Config:
    return Config(
        home=tmp_path / "home", embed=EmbedConfig(model="hashed"), store=StoreConfig(reserve_mb=0), llm=LlmConfig(providers=())
    )  # fmt: skip


@pytest.fixture
def app(config: Config) -> Iterator[App]:
    with build(config, environ={}, clock=FakeClock()) as made:
        yield made


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    made = Home(tmp_path / "served")
    yield made
    made.kill()


def test_a14_a_malformed_id_is_not_found(app: App) -> None:
    from muninn.api.local import dispatch

    for path in ("rebuild", "%00", "..%2f..%2fetc", "a" * 5000, "%ff%fe", "'", "{id}"):
        for method in ("GET", "DELETE", "PATCH"):
            status, _ = dispatch(app, method, f"/v1/memories/{path}", {} if method == "PATCH" else None)
            assert status in (400, 404), (method, path, status)


@pytest.mark.slow
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


@pytest.mark.slow
def test_a16_a_stop_during_a_dream_leaves_no_trace_of_a_fault(home: Home) -> None:
    for _ in range(3):
        home.start("--no-dream", environ={"MUNINN_TEST": "1", "MUNINN_FAILPOINTS": "dream.planned=sleep:1"})
        for number in range(4):
            home.client.post("/v1/memories", {"content": f"note {number} {'.' * (number % 2)}"})
        dreaming = Thread(target=lambda: _quietly(home))
        dreaming.start()
        time.sleep(0.4)
        assert home.stop() == 0
        dreaming.join()
    assert "Traceback" not in home.log() + home.said()


def _quietly(home: Home) -> None:
    try:
        Client(home.client.path).post("/v1/dreams", {"force": True})
    except MuninnError:
        return


@pytest.mark.slow
@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_a32_the_socket_is_ours_alone_whatever_the_umask(home: Home, umask: int) -> None:
    old = os.umask(umask)
    try:
        home.start()
    finally:
        os.umask(old)
    assert (home.path / "muninn.sock").stat().st_mode & 0o777 == 0o600
    assert home.path.stat().st_mode & 0o777 == 0o700


@pytest.mark.slow
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


def test_a38_a_second_opener_of_the_store_is_refused(app: App, config: Config) -> None:
    with pytest.raises(LockedError, match="in use"):
        build(config, environ={})
    app.service.remember(Draft(content="and the first one goes on"), by=BY)


@pytest.mark.slow
def test_a39_a_key_that_two_clients_send_at_once_is_one_row(home: Home) -> None:
    home.start()
    answers: list[str] = []

    def send() -> None:
        body = {"content": "the same at the same time"}
        answers.append(Client(home.client.path).post("/v1/memories", body, headers={"Idempotency-Key": "k"})["id"])

    senders = [Thread(target=send) for _ in range(12)]
    for sender in senders:
        sender.start()
    for sender in senders:
        sender.join()
    assert len(set(answers)) == 1
    assert len(home.rows()) == 1


@pytest.mark.slow
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


def test_a41_a_passing_error_is_not_taken_for_damage(app: App, config: Config) -> None:
    app.service.remember(Draft(content="here to stay"), by=BY)
    failpoints.arm("store.upsert.memories=err:24@1")  # too many open files
    try:
        with pytest.raises(StoreError):
            app.store.checkpoint()
    finally:
        failpoints.arm("")
    app.store.checkpoint()
    assert not [path for path in config.home.rglob("*") if "corrupt" in path.name or path.suffix == ".torn"]
    assert app.doctor(verify=True)["checks"][-1]["ok"]


@pytest.mark.slow
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


@pytest.mark.slow
def test_a43_nothing_forks_after_the_tables_are_open(home: Home) -> None:
    home.start()
    home.client.post("/v1/memories", {"content": "one"})
    assert home.client.post("/v1/dreams", {"force": True})["status"] == "completed"
    assert home.stop() == 0
    assert "fork" not in (home.log() + home.said()).lower().replace(str(home.path).lower(), "")


@pytest.mark.slow
def test_a44_an_export_streams_while_others_write(home: Home) -> None:
    home.start()
    rows = [{"content": f"row {number} {'x' * 400}"} for number in range(1500)]
    home.client.post("/v1/import", {"rows": rows})
    writer = Thread(target=_write, args=(home, "w"))
    writer.start()
    began = time.monotonic()
    lines = sum(1 for _ in home.client.lines("/v1/export"))
    writer.join()
    assert lines > 1500
    assert time.monotonic() - began < 60


@pytest.mark.slow
def test_a45_many_single_writes_stay_small_on_disk(app: App, config: Config) -> None:
    for number in range(600):
        app.service.remember(Draft(content=f"single write {number}"), by=BY)
        if number % 12 == 0:
            app.store.checkpoint()
    app.store.checkpoint()
    files = [path for path in config.data.rglob("*") if path.is_file()]
    assert len(files) < 500
    assert sum(path.stat().st_size for path in files) < 30e6


_COMPACT = """
import sys
from pathlib import Path
from muninn import failpoints
from muninn.config import StoreConfig
from muninn.store.lance import LanceStore
store = LanceStore(Path(sys.argv[1]), StoreConfig(reserve_mb=0))
failpoints.arm(sys.argv[2])
store.maintain()
"""


@pytest.mark.slow
@pytest.mark.parametrize("point", ["store.maintain", "store.sync", "fs.rename", "store.before_clean"])
def test_a46_killed_while_compacting_the_store_is_whole(app: App, config: Config, tmp_path: Path, point: str) -> None:
    for number in range(20):
        app.service.remember(Draft(content=f"note {number}"), by=BY)
        app.store.checkpoint()
    copy = tmp_path / "copy"
    with app.store.frozen():
        shutil.copytree(config.data, copy)
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    words = [sys.executable, "-c", _COMPACT, str(copy), f"{point}=kill"]
    died = subprocess.run(words, env=environ, capture_output=True, check=False)
    assert died.returncode == -signal.SIGKILL, died.stderr
    from muninn.store.lance import LanceStore

    store = LanceStore(copy, StoreConfig(reserve_mb=0))
    assert len(list(store.memories())) == 20
    store.maintain()
    assert len(list(store.memories())) == 20
    store.close()


def test_a48_another_embedder_loses_no_row(config: Config) -> None:
    from dataclasses import replace

    with build(config, environ={}) as app:
        for number in range(5):
            app.service.remember(Draft(content=f"nota número {number}"), by=BY)
    other = replace(config, embed=EmbedConfig(model="ollama/absent", url="http://127.0.0.1:9", dimensions=8))
    with build(other, environ={}) as changed:
        assert changed.read.count() == 5
        assert len(list(changed.store.memories())) == 5
    with build(config, environ={}) as back:
        assert all(vector for _, vector in back.store.memories())


def test_a49_quotes_in_names_and_ids_touch_only_themselves(app: App) -> None:
    from muninn.api.local import dispatch

    kept = app.service.remember(Draft(content="an innocent bystander"), by=BY).memory
    evil = "x' OR 1=1 --"
    own = app.service.remember(Draft(content="the one to go", tags=(evil,), title=evil), by=BY).memory
    for method, path in (
        ("DELETE", f"/v1/memories/{evil}"),
        ("GET", f"/v1/memories?vault={evil}"),
        ("POST", f"/v1/dreams/{evil}/undo"),
    ):
        status, _ = dispatch(app, method, path.replace(" ", "%20"), {} if method == "POST" else None)
        assert status in (400, 404)
    app.service.purge(own.id, by=BY)
    assert [memory.id for memory, _ in app.store.memories()] == [kept.id]


def test_a50_a_vector_of_another_width_is_refused(app: App) -> None:
    from muninn.api.local import dispatch

    model = app.embedders.default.model
    row = {"content": "three numbers", "embedding": [0.1, 0.2, 0.3], "embedding_model": model}
    status, answer = dispatch(app, "POST", "/v1/import", {"rows": [row]})
    assert status == 200
    assert answer["imported"] == 0
    assert "numbers" in answer["rejected"][0]["why"]


@pytest.mark.slow
def test_a58_half_a_surrogate_is_refused_by_name(home: Home) -> None:
    home.start()
    raw = socket.socket(socket.AF_UNIX)
    raw.connect(home.client.path)
    body = b'{"content": "x", "title": "\\ud83d"}'
    raw.sendall(b"POST /v1/memories HTTP/1.1\r\nhost: m\r\ncontent-length: %d\r\n\r\n%s" % (len(body), body))
    assert b" 400 " in raw.recv(4096)
    raw.close()
    assert home.client.get("/v1/status")["memories"] == 0


def test_a59_an_id_that_is_taken_is_not_written_over(app: App) -> None:
    from muninn.api.local import dispatch

    kept = app.service.remember(Draft(content="the first"), by=BY).memory
    row = {"id": kept.id, "content": "the second"}
    for exact in (True, False):
        status, answer = dispatch(app, "POST", "/v1/import", {"rows": [row], "exact": exact})
        assert status == 200
        assert answer["rejected"], answer
    assert [memory.content for memory, _ in app.store.memories()] == ["the first"]


def test_a61_work_by_the_clock_that_was_slept_through_is_done_soon() -> None:
    from datetime import UTC, datetime, timedelta

    from muninn.daemon.scheduler import CONSOLIDATE_HOURS, Schedule

    now = datetime.fromtimestamp(time.time(), UTC)

    def following(last: datetime | None) -> timedelta:
        made = Schedule(
            Config(home=Path("/nowhere")), consolidate=print, dream=print, upkeep=print, backup=print, last_consolidation=last
        )  # fmt: skip
        made.start()
        found = made.next_run("consolidation")
        made.close()
        assert found is not None
        return found - now

    assert following(now - timedelta(hours=30)) < timedelta(minutes=20)
    assert timedelta(hours=3) < following(now - timedelta(hours=2)) < timedelta(hours=5)
    assert following(None) > timedelta(hours=CONSOLIDATE_HOURS - 1)
    assert following(now + timedelta(days=400)) < timedelta(hours=CONSOLIDATE_HOURS + 1)
