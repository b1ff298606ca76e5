"""Years in minutes: thousands of single writes and many dreams; the folder, the open files and the memory stay bounded."""

from __future__ import annotations

import random  # noqa: TID251 - seeded, so that a round can be repeated
import sys
import time
from pathlib import Path
from threading import Thread

from muninn.client import Client
from tests.torture.home import Home, Json, percentile


def endurance(folder: Path, *, rounds: int, seed: int, say: bool = False, dreams: int = 20) -> dict[str, object]:
    """``rounds`` writes by two clients, ``dreams`` dreams in between."""
    home = Home(folder / "home")
    began = time.monotonic()
    figures: list[Json] = []
    taken: list[float] = []
    recalls: list[float] = []
    try:
        home.start()
        figures.append(home.figures())
        for number in range(dreams):
            share = range(rounds * number // dreams, rounds * (number + 1) // dreams)
            halves = [Thread(target=_write, args=(home, share[half::2], seed, taken, recalls)) for half in (0, 1)]
            for half in halves:
                half.start()
            for half in halves:
                half.join()
            outcome = home.client.post("/v1/dreams", {"force": True})
            assert outcome["status"] == "completed", outcome["status"]
            figures.append(home.figures())
            if say:
                sys.stderr.write(f"{(number + 1) * rounds // dreams} writes: {figures[-1]}\n")
        settled = _settled(home)
        found = {
            "writes": rounds, "dreams": dreams, "memories": home.client.get("/v1/status")["memories"], "at_the_start": figures[0],
            "most": {name: max(one[name] for one in figures) for name in figures[0]}, "settled": settled,
            "write_p50_ms": _ms(taken, 0.5), "write_p99_ms": _ms(taken, 0.99), "recall_p50_ms": _ms(recalls, 0.5),
            "recall_p99_ms": _ms(recalls, 0.99), "seconds": round(time.monotonic() - began, 1),
        }  # fmt: skip
        assert settled["folder_mb"] < 100, found
        assert settled["files"] < 1000, found
        assert settled["fds"] <= figures[1]["fds"] + 16, found
        assert found["most"]["rss_mb"] < 800, found
        assert home.stop() == 0
        return found
    finally:
        home.kill()


def _write(home: Home, numbers: range, seed: int, taken: list[float], recalls: list[float]) -> None:
    chance, client = random.Random(seed + numbers.start), Client(home.client.path, timeout=60)
    for number in numbers:
        words = " ".join(chance.choice(chance.choice(WORDS).split()) for _ in range(12))
        began = time.monotonic()
        client.post("/v1/memories", {"content": f"{words} {number}."})
        taken.append(time.monotonic() - began)
        if number % 10 == 0:
            began = time.monotonic()
            client.post("/v1/recall", {"query": words})
            recalls.append(time.monotonic() - began)


WORDS = (
    "the staging api listens on port database rotates key backup nightly la reunión martes cada despliegue falla porque el",
    "servicio cola consumer lag kafka topic partition retry timeout dns cache warm cold index vector memory dream raven thought",
    "review merge branch release tag hotfix incident latency budget alert pager owner team lead sprint goal",
)


def _ms(values: list[float], share: float) -> float:
    return round(percentile(values, share) * 1000, 1)


def _settled(home: Home) -> Json:
    """The figures once the tables have followed the log."""
    end = time.monotonic() + 30
    while home.client.get("/v1/status")["store"]["pending_rows"] and time.monotonic() < end:
        time.sleep(0.2)
    return home.figures()
