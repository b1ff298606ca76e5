"""kill -9 at any moment: while starting, writing, dreaming, stopping; then look at what is there."""

from __future__ import annotations

import random  # noqa: TID251 - seeded, so that a round can be repeated
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path
from threading import Thread

from muninn.client import Client
from muninn.errors import MuninnError
from tests.torture.home import Home
from tests.torture.oracle import Oracle

MOMENTS = ("writing", "resting", "resting", "writing", "starting", "dreaming", "stopping", "dream at start")


def kill(folder: Path, *, rounds: int, seed: int, say: bool = False) -> dict[str, object]:
    """``rounds`` kills of one home; the figures. Raises AssertionError with the seed of the round."""
    chance = random.Random(seed)
    home, oracle = Home(folder / "home"), Oracle(seed)
    began = time.monotonic()
    home.start("--no-dream")
    oracle.seal(home)
    home.kill()
    figures = {"memories": 0, "dreams": 0, "told": 0}
    moments = dict.fromkeys(MOMENTS, 0)
    try:
        for number in range(rounds):
            moment = MOMENTS[number % len(MOMENTS)] if number < len(MOMENTS) else chance.choice(MOMENTS)
            moments[moment] += 1
            _one(home, oracle, chance, moment)
            home.start("--no-dream")
            try:
                figures = oracle.check(home)
            except AssertionError as error:
                raise AssertionError(f"round {number} (seed {seed}, {moment}): {error}") from error
            home.kill()
            if say:
                sys.stderr.write(f"round {number} {moment}: {oracle.acknowledged} acknowledged, {figures}\n")
        home.start()
        oracle.check(home)
        code = home.stop()
        assert code == 0, f"the last stop ended with {code}"
    finally:
        home.kill()
    return {
        "rounds": rounds, "seed": seed, "acknowledged": oracle.acknowledged, **figures, "moments": moments,
        "seconds": round(time.monotonic() - began, 1), "lost": 0, "duplicate_ids": 0, "unopenable": 0,
    }  # fmt: skip


def _one(home: Home, oracle: Oracle, chance: random.Random, moment: str) -> None:
    """Bring the daemon to ``moment`` and kill it there."""
    if moment == "starting":
        home.spawn("--no-dream")
        time.sleep(chance.uniform(0.0, 2.0))
        home.kill()
        return
    if moment == "dream at start":
        (home.path / "data" / "dream.due").write_text("{}")
        home.spawn(environ={"MUNINN_DREAM__MIN_HOURS": "0", "MUNINN_DREAM__MIN_WRITES": "0"})
        time.sleep(chance.uniform(0.3, 3.0))
        home.kill()
        return
    home.start("--no-dream")
    clients = oracle.clients(home, 4)
    if moment == "dreaming":
        time.sleep(chance.uniform(0.3, 1.5))
        dream = Thread(target=_dream, args=(home,))
        dream.start()
        clients.append(dream)
        time.sleep(chance.uniform(0.0, 2.0))
    elif moment == "stopping":
        time.sleep(chance.uniform(0.3, 1.5))
        assert home.process is not None
        home.process.send_signal(signal.SIGTERM)
        time.sleep(chance.uniform(0.0, 0.5))
    elif moment == "resting":  # the tables follow the log in a pause, and that is where it dies
        time.sleep(chance.uniform(0.1, 1.0))
        oracle.resting.set()
        time.sleep(chance.uniform(0.4, 2.5))
    else:
        time.sleep(chance.uniform(0.001, 2.5))
    home.kill()
    for client in clients:
        client.join()


def _dream(home: Home) -> None:
    with suppress(MuninnError, OSError):
        Client(home.client.path, timeout=90).post("/v1/dreams", {"force": True})
