"""Many starts at once, stops at any moment: always one daemon, always exit code 0, nothing left behind."""

from __future__ import annotations

import random  # noqa: TID251 - seeded, so that a round can be repeated
import signal
import subprocess
import sys
import time
from pathlib import Path

from tests.torture.home import Home


def starts(folder: Path, *, rounds: int, seed: int, say: bool = False, at_once: int = 20) -> dict[str, object]:
    """``at_once`` daemons of one home, ``rounds`` times: one is awake, the others exit with 3 and change nothing."""
    began = time.monotonic()
    home = Home(folder / "home")
    home.path.parent.mkdir(parents=True, exist_ok=True)
    for number in range(rounds):
        crowd = [home.spawn("--no-dream") for _ in range(at_once)]
        end = time.monotonic() + 120
        while sum(one.poll() is None for one in crowd) > 1 and time.monotonic() < end:
            time.sleep(0.05)
        alive = [one for one in crowd if one.poll() is None]
        codes = sorted(one.returncode for one in crowd if one.returncode is not None)
        try:
            assert len(alive) == 1, f"round {number}: {len(alive)} are alive, codes {codes}"
            assert codes == [3] * (at_once - 1), f"round {number}: codes {codes}: {home.said()[-500:]}"
            home.process = alive[0]
            status = home.awake()
            assert status["pid"] == alive[0].pid
            assert home.stop() == 0
        finally:
            for one in crowd:
                if one.poll() is None:
                    one.kill()
        assert not (home.path / "muninn.sock").exists(), "the socket stayed"
        if say:
            sys.stderr.write(f"round {number}: one of {at_once}\n")
    return {"rounds": rounds, "at_once": at_once, "daemons_each": 1, "seconds": round(time.monotonic() - began, 1)}


def stops(folder: Path, *, rounds: int, seed: int, say: bool = False) -> dict[str, object]:
    """SIGTERM at a random moment after the lock is taken: exit code 0, ``dream.due`` left, no process, no socket, no half file."""
    began, chance, slowest = time.monotonic(), random.Random(seed), 0.0
    home = Home(folder / "home")
    home.path.parent.mkdir(parents=True, exist_ok=True)
    for number in range(rounds):
        process = home.spawn()
        _until_owned(home, process)
        time.sleep(chance.choice((0.0, chance.uniform(0, 0.3), chance.uniform(0, 3))))
        asked = time.monotonic()
        process.send_signal(signal.SIGTERM)
        code = process.wait(60)
        home.process = None
        slowest = max(slowest, time.monotonic() - asked)
        assert code == 0, f"round {number} (seed {seed}): exit code {code}: {home.said()[-1500:]}"
        assert (home.path / "data" / "dream.due").exists(), f"round {number}: no dream.due"
        left = [str(p) for p in home.path.rglob("*") if p.name.endswith(".tmp") or p.name == "muninn.sock"]
        assert not left, f"round {number}: left behind {left}"
        assert "Fatal" not in home.said(), home.said()[-1500:]
        assert "Traceback" not in home.said(), home.said()[-1500:]
        if say:
            sys.stderr.write(f"round {number}: {time.monotonic() - asked:.1f} s\n")
    return {"rounds": rounds, "slowest_stop_s": round(slowest, 2), "seconds": round(time.monotonic() - began, 1)}


def _until_owned(home: Home, process: subprocess.Popen[bytes]) -> None:
    """Wait until the daemon says in its log that it is waking: from there on it answers to SIGTERM."""
    end = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < end:
        if f'"pid": {process.pid}' in home.log():
            return
        time.sleep(0.01)
    raise AssertionError(f"the daemon did not come: {home.said()[-1500:]}")
