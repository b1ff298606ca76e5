"""Disks that fill up (a small tmpfs) and disks that lose power (an image copied behind a stopped writer). Both need root."""

from __future__ import annotations

import os
import random  # noqa: TID251 - seeded, so that a round can be repeated
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from muninn.errors import MuninnError, StoreFullError
from tests.torture.home import Home
from tests.torture.oracle import Oracle

MIB = 1 << 20


def may_mount() -> bool:
    """Whether this process may mount file systems."""
    if os.geteuid() != 0 or not shutil.which("mount"):
        return False
    with _scratch() as folder:
        return _run("mount", "-t", "tmpfs", "-o", "size=1m", "none", str(folder)) and _run("umount", str(folder))


def may_loop() -> bool:
    return may_mount() and bool(shutil.which("mkfs.ext4")) and Path("/dev/loop-control").exists()


@contextmanager
def _scratch() -> Iterator[Path]:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


def _run(*words: str) -> bool:
    return subprocess.run(words, capture_output=True, check=False).returncode == 0


def full(folder: Path, *, rounds: int, seed: int, say: bool = False) -> dict[str, object]:
    """Fill a disk under a daemon, look, stop, start on the full disk, free it; with and without a reserve."""
    began, found = time.monotonic(), []
    for number in range(rounds):
        reserve = (4, 0)[number % 2]
        mount = folder / f"disk{number}"
        mount.mkdir(parents=True)
        assert _run("mount", "-t", "tmpfs", "-o", "size=40m", "none", str(mount)), "cannot mount a tmpfs"
        try:
            found.append(_fill(mount, reserve, seed + number))
        finally:
            _run("umount", "-l", str(mount))
        if say:
            sys.stderr.write(f"round {number}: {found[-1]}\n")
    return {"rounds": rounds, "acknowledged": sum(f["acknowledged"] for f in found), "refused": sum(f["refused"] for f in found),
            "lost": 0, "seconds": round(time.monotonic() - began, 1)}  # fmt: skip


def _fill(mount: Path, reserve: int, seed: int) -> dict[str, int]:
    home, oracle = Home(mount / "home", {"MUNINN_STORE__RESERVE_MB": str(reserve)}), Oracle(seed)
    chance = random.Random(seed)
    mine: list[str] = []
    said = mount.parent / f"said-{seed}"
    home.said = lambda: said.read_text() if said.exists() else ""  # type: ignore[method-assign]
    try:
        _spawn(home, said)
        oracle.seal(home)
        for _ in range(20):
            oracle.step(home.client, chance, 0, mine)
        _ballast(mount, leave=(reserve // 4 * MIB or MIB) + 200_000)
        refused = 0
        for _ in range(400):
            try:
                body = {"content": "x" * 3000 + str(chance.random()), "vault": "ballast"}
                home.client.post("/v1/memories", body)
            except StoreFullError:
                refused += 1
                if refused > 5:
                    break
        assert refused > 5, "the disk never was full"
        oracle.unanswered |= {row["content"] for row in home.rows().values() if row["vault"] == "ballast"}
        oracle.check(home)
        assert home.client.post("/v1/recall", {"query": "staging port"})["results"] is not None
        _refuses(home)
        code = home.stop()
        assert code == 0, f"a stop on a full disk ended with {code}: {home.said()[-1500:]}"
        _spawn(home, said)
        oracle.check(home)
        _refuses(home)
        (mount / "ballast").unlink()
        time.sleep(0.5)
        before = oracle.acknowledged
        for _ in range(10):
            oracle.step(home.client, chance, 0, mine)
        assert oracle.acknowledged > before, "it did not go on once there was room"
        assert home.client.post("/v1/dreams", {"force": True})["status"] == "completed"
        home.client.post("/v1/backup", {})  # everything reaches the tables
        oracle.check(home)
        status = home.client.get("/v1/status")
        assert status["store"]["pending_rows"] == 0, status
        assert status["store"]["reserve"] == "held", status
        assert not status["warnings"], status["warnings"]
        assert home.stop() == 0
        assert "Traceback" not in home.said(), home.said()[-2000:]
        return {"acknowledged": oracle.acknowledged, "refused": refused}
    finally:
        home.kill()


def _spawn(home: Home, said: Path) -> None:
    with said.open("ab") as file:
        home.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "muninn.daemon"], env=home.environ, stdin=subprocess.DEVNULL, stdout=file, stderr=file
        )  # fmt: skip
    home.awake()


def _refuses(home: Home) -> None:
    """A dream, an edit and a backup on a full disk are refused in one line or done; nothing else."""
    for method, path in (("POST", "/v1/dreams"), ("POST", "/v1/backup"), ("POST", "/v1/memories")):
        body = {"/v1/dreams": {"force": True}, "/v1/memories": {"content": "y" * 200_000}}.get(path, {})
        status, content = home.client.exchange(method, path, body)
        assert status in (200, 201, 507), (path, status, content[:300])


def _ballast(mount: Path, *, leave: int) -> None:
    room = os.statvfs(mount)
    size = room.f_bavail * room.f_frsize - leave
    with (mount / "ballast").open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, max(4096, size))


def power(folder: Path, *, rounds: int, seed: int, say: bool = False) -> dict[str, object]:
    """Cut the power at a random moment of writing, ``rounds`` times; every acknowledged write must be on the image."""
    began, acknowledged = time.monotonic(), 0
    chance = random.Random(seed)
    for number in range(rounds):
        where = folder / f"cut{number}"
        where.mkdir(parents=True)
        acknowledged += _cut(where, seed + number, chance.uniform(0.2, 4.0), dreaming=number % 3 == 2)
        shutil.rmtree(where, ignore_errors=True)
        if say:
            sys.stderr.write(f"cut {number}: {acknowledged} acknowledged so far\n")
    return {
        "cuts": rounds,
        "opened": rounds,
        "acknowledged": acknowledged,
        "lost": 0,
        "seconds": round(time.monotonic() - began, 1),
    }


def _cut(where: Path, seed: int, after: float, *, dreaming: bool) -> int:
    image, copy, disk, other = where / "image", where / "copy", where / "disk", where / "other"
    with image.open("wb") as file:
        file.truncate(192 * MIB)
    for mountpoint in (disk, other):
        mountpoint.mkdir()
    assert _run("mkfs.ext4", "-q", "-F", str(image)), "cannot make a file system"
    assert _run("mount", "-o", "loop", str(image), str(disk)), "cannot mount the image"
    home, oracle = Home(disk / "home", {"MUNINN_STORE__RESERVE_MB": "4"}), Oracle(seed)
    try:
        home.start()
        oracle.seal(home)
        threads = oracle.clients(home, 3, pause=0.05)
        if dreaming:
            time.sleep(after / 2)
            with suppress(MuninnError, OSError):
                home.client.post("/v1/dreams", {"force": True})
        time.sleep(after / 2 if dreaming else after)
        assert home.process is not None
        home.process.send_signal(signal.SIGSTOP)
        time.sleep(0.02)  # answers under way arrive; what comes later was never acknowledged
        with oracle.lock:
            count = oracle.acknowledged
            assert _run("cp", "--sparse=always", str(image), str(copy)), "cannot copy the image"
        home.process.send_signal(signal.SIGKILL)
        home.process.wait()
        for thread in threads:
            thread.join()
    finally:
        home.kill()
        _run("umount", "-l", str(disk))
    assert _run("mount", "-o", "loop", str(copy), str(other)), "the file system itself did not survive"
    survivor = Home(other / "home", {"MUNINN_STORE__RESERVE_MB": "4"})
    try:
        survivor.start("--no-dream")
        oracle.check(survivor)
        code = survivor.stop()
        assert code == 0, f"the stop after the cut ended with {code}"
        survivor.start()
        oracle.check(survivor)
        checks = {check["name"]: check for check in survivor.client.get("/v1/doctor?verify=true")["checks"]}
        assert checks["every row reads"]["ok"], checks["every row reads"]
    finally:
        survivor.kill()
        _run("umount", "-l", str(other))
    return count
