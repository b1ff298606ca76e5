"""muninn beside other memories on a LoCoMo file: same turns, same questions, same figures, one run.

    python tests/bench/peers.py FILE [--installed FOLDER] [--peer NAME …] [--dialogues N] [--cache FOLDER] [--plot]

A peer is used when ``FOLDER/NAME`` has it; otherwise a line says how to get it. Each runs in a process of its own
(``peers_drivers.py``). Where it lets one choose, it gets muninn's own embedder through an endpoint on this machine, which
knows passages from questions. Every vector is made before the clock starts: seconds to store and milliseconds to answer are
the system's alone, one turn at a time; over the peer's own API for muninn, Chroma, mem0 and mcp-memory-service, over MCP for
the others. Errors are texts a peer refused and questions it failed on; a failed question found nothing.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))

from muninn.domain.trust import Tier
from tests.bench.peers_systems import Driven, Endpoint, Lance, Muninn, Peer, System, Words
from tests.bench.quality import CachedEmbedder, Dialogue, dialogues, measure, parsed


def _pip(packages: str, *, python: str = "python") -> str:
    return f"{python} -m venv {{place}} && {{place}}/bin/pip install {packages}"


_NPM = "npm install --prefix {place} @modelcontextprotocol/server-memory"
_SERVICE = _pip("mcp-memory-service", python="a Python whose sqlite3 loads extensions")
PEERS = (
    Peer("chroma", "chroma", "bin/python", _pip("chromadb")),
    Peer("mem0", "mem0", "bin/python", _pip("mem0ai qdrant-client fastembed")),
    Peer("mcp-memory-service", "mcp-memory-service", "bin/python", _SERVICE),
    Peer("mcp-memory-service-by-meaning", "mcp-memory-service", "bin/python", _SERVICE),
    Peer(
        "basic-memory", "basic-memory", "bin/python", _pip("basic-memory pysqlite3-binary", python="python3.12"), False
    ),
    Peer("server-memory", "server-memory", "node_modules", _NPM, False),
    Peer("server-memory-by-word", "server-memory", "node_modules", _NPM, False),
)
UNMEASURED = {
    "MuninnDB": "a database server in Go, not offered through a package index; it was not built for this bench",
    "Letta": "its agent reads and writes memory through a language model; without one there is no recall to measure",
}


@dataclass(slots=True)
class Record:
    """What one system did over all dialogues."""

    about: str = ""
    figures: dict[str, dict[str, list[float]]] = field(default_factory=lambda: defaultdict(dict))
    stored: float = 0.0
    turns: int = 0
    took: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


@contextmanager
def system(name: str, *, installed: Path, endpoint: Endpoint, embedder: CachedEmbedder) -> Iterator[System]:
    """A fresh one, with a folder that ends with it."""
    with (
        tempfile.TemporaryDirectory(prefix="muninn-bench-", ignore_cleanup_errors=True) as folder,
        ExitStack() as ending,
    ):
        place = Path(folder)
        if name == "muninn":
            yield Muninn("this tree: default settings, every write durable", embedder, place / "data", ending)
        elif name == "BM25":
            yield Words("k1 1.2, b 0.75, in memory")
        elif name == "LanceDB hybrid":
            yield Lance("vectors and full text, reciprocal ranks, the library's defaults", embedder, place)
        else:
            peer = next(peer for peer in PEERS if peer.name == name)
            driven = Driven(peer, installed, endpoint, place)
            ending.callback(driven.close)
            yield driven


def run(one: System, dialogue: Dialogue, into: Record) -> None:
    into.about = one.about
    seconds, errors = one.store(dialogue)
    into.stored += seconds
    into.turns += len(dialogue.turns)
    into.errors.extend(errors)

    def rank(question: str) -> Sequence[str]:
        found, spent, error = one.ask(question)
        into.took.append(1000 * spent)
        if error:
            into.errors.append(f"{question}: {error}")
        return found

    measure(dialogue, rank, into.figures, [])


def show(records: Mapping[str, Record], *, plot: bool) -> None:
    names = ("turn R@5", "turn R@10", "turn R@20", "session R@10", "MRR")
    head = "".join(f"{name:>14}" for name in names) + f"{'ms a write':>12}{'p50 ms':>9}{'errors':>8}"
    print(f"\n{'':32}{head}")
    for name, record in records.items():
        values = "".join(f"{np.mean(record.figures['all'][figure]):14.3f}" for figure in names)
        write, answer = 1000 * record.stored / record.turns, np.median(record.took)
        print(f"{name:32}{values}{write:12.1f}{answer:9.1f}{len(record.errors):8d}")
    groups = sorted({group for record in records.values() for group in record.figures} - {"all"})
    print(f"\n{'turn R@10':32}" + "".join(f"{group:>14}" for group in groups))
    for name, record in records.items():
        print(f"{name:32}" + "".join(f"{np.mean(record.figures[group]['turn R@10']):14.3f}" for group in groups))
    if plot:
        print("\nturn R@10")
        for name, record in records.items():
            share = float(np.mean(record.figures["all"]["turn R@10"]))
            print(f"{name:32}{'█' * round(60 * share)} {share:.3f}")
    print()
    for name, record in records.items():
        print(f"{name} {record.about}" + "".join(f"\n    error: {error}" for error in record.errors[:3]))


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--installed", type=Path, default=Path("peers"), help="folder with one installation per peer")
    parser.add_argument("--peer", action="append", choices=[peer.name for peer in PEERS], help="only this one (repeat)")
    parser.add_argument("--dialogues", type=int, default=1000, help="the first so many of the file")
    parser.add_argument("--plot", action="store_true", help="bars of turn recall@10")
    options, embedder = parsed(parser, arguments)
    told = list(dialogues(options.file))[: options.dialogues]
    for dialogue in told:
        embedder.passages([turn.text for turn in dialogue.turns], tier=Tier.PERSONAL, vault="default")
        for question, _, _ in dialogue.questions:
            embedder.query(question, tier=Tier.PERSONAL)
    embedder.save()
    endpoint = Endpoint(embedder)
    records: dict[str, Record] = {}
    installed = options.installed.absolute()
    for name in chosen(options.peer, installed):
        record = Record()
        try:
            for dialogue in told:
                with system(name, installed=installed, endpoint=endpoint, embedder=embedder) as one:
                    run(one, dialogue, record)
        except (RuntimeError, OSError, ValueError) as error:
            print(f"{name} did not run: {error}")
        else:
            records[name] = record
            print(f"{name} done", flush=True)
    endpoint.close()
    show(records, plot=options.plot)
    print(f"{sum(len(dialogue.questions) for dialogue in told)} questions, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")  # fmt: skip


def chosen(asked: Sequence[str] | None, installed: Path) -> Iterator[str]:
    """The floors, muninn, and every peer that is there; says of the others how to get them."""
    yield from ("BM25", "LanceDB hybrid", "muninn")
    for peer in PEERS:
        if asked and peer.name not in asked:
            continue
        place = installed / peer.place
        if (place / peer.probe).exists():
            yield peer.name
        else:
            print(f"{peer.name} skipped, not installed: {peer.install.format(place=place)}")
    for name, why in UNMEASURED.items():
        print(f"{name} not measured: {why}")


if __name__ == "__main__":
    main()
