"""A fault at every named step: the daemon dies there, or the disk refuses; then a start, and everything must be as it was.

``failpoints`` goes through names × actions with a real daemon; ``nth`` fails the first, second, third ... call of each kind
in one process until a whole run meets no fault.
"""

from __future__ import annotations

import os
import random  # noqa: TID251 - seeded, so that a round can be repeated
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from threading import Lock

from muninn import failpoints as points
from muninn.app import App, build
from muninn.config import Config, DreamConfig, EmbedConfig, LlmConfig, StoreConfig
from muninn.domain.draft import Draft
from muninn.domain.memory import Provenance
from muninn.dream.journal import LARGEST
from muninn.errors import MuninnError
from muninn.store.schema import TABLES
from muninn.testing import FakeClock
from tests.torture.home import ROOT, Home
from tests.torture.oracle import Known, Oracle

ACTIONS = ("kill", "err:28", "err:5")
GATES_OPEN = {"MUNINN_DREAM__MIN_HOURS": "0", "MUNINN_DREAM__MIN_WRITES": "0", "MUNINN_STORE__RESERVE_MB": "1"}
ELSEWHERE = {
    "restore.between": "tests/daemon/test_backup.py",
    "migrate.copy": "tests/store/test_upgrades.py",
    "migrate.stepped": "tests/store/test_upgrades.py",
    "undo.closing": "tests/torture/pruning.py",
    "usage.thinning": "tests/torture/pruning.py",
    "wal.mend": "tests/store/test_wal.py",
    "wal.truncate": "tests/store/test_wal.py",
    "wal.drop": "the nth loop",
    "store.maintain": "the nth loop",
    "store.before_clean": "the nth loop",
    "store.create": "tests/torture/test_torture.py",
    "store.upsert.egress": "tests/torture/test_torture.py",
    "store.upsert.suggestions": "tests/torture/test_torture.py",
}
"""Names that the daemon's scenario does not pass, and where they are proved."""
BY = Provenance(client="torture")


def names() -> list[str]:
    """Every failpoint in the source."""
    found: set[str] = set()
    for path in (ROOT / "muninn").rglob("*.py"):
        for name in re.findall(r'failpoint\(f?"([^"]+)"\)', path.read_text("utf-8")):
            found |= {name.replace("{table.name}", table.name) for table in TABLES} if "{" in name else {name}
    return sorted(found)


# -- with a daemon


def failpoints(
    folder: Path, *, rounds: int, seed: int, say: bool = False, specs: tuple[str, ...] = ()
) -> dict[str, object]:
    """Every name × action, or only ``specs``; ``rounds`` is not used. Raises AssertionError naming what broke."""
    began = time.monotonic()
    template, oracle = _template(folder, seed)
    reached = _reached(folder, template, oracle, seed)
    missed = [name for name in names() if name not in reached and name not in ELSEWHERE]
    assert not missed, f"never reached: {missed}"
    broken: list[str] = []
    chosen = specs or tuple(f"{name}={action}" for name in names() if name not in ELSEWHERE for action in ACTIONS)
    for spec in chosen:
        try:
            _run(folder / "run", template, oracle, seed, f"{spec}@1")
            outcome = "ok"
        except AssertionError as error:
            broken.append(outcome := f"{spec}: {error}")
        if say:
            sys.stderr.write(f"{spec}: {outcome}\n")
    assert not broken, "\n".join(broken)
    seconds = round(time.monotonic() - began, 1)
    return {"runs": len(chosen), "broken": 0, "elsewhere": ELSEWHERE, "seconds": seconds}


def _template(folder: Path, seed: int) -> tuple[Path, Oracle]:
    """A home with memories, duplicates, something sealed, and a dream that is due."""
    home, oracle = Home(folder / "template" / "home", GATES_OPEN), Oracle(seed)
    home.path.parent.mkdir(parents=True)
    home.start("--no-dream")
    oracle.seal(home)
    _writes(home, oracle, 25, seed)
    assert home.stop() == 0
    return home.path, oracle


def _writes(home: Home, oracle: Oracle, count: int, seed: int) -> None:
    chance, mine = random.Random(seed), list(oracle.known)
    for _ in range(count):
        oracle.step(home.client, chance, 0, mine)


def _copied(oracle: Oracle) -> Oracle:
    known = {key: Known(one.content, one.state, one.owner, list(one.doubts)) for key, one in oracle.known.items()}
    return replace(
        oracle, known=known, unanswered=set(oracle.unanswered), links=set(oracle.links), faults=[], lock=Lock()
    )  # fmt: skip


def _reached(folder: Path, template: Path, oracle: Oracle, seed: int) -> set[str]:
    file = folder / "reached"
    _run(folder / "run", template, oracle, seed, f"*=record:{file}")
    return set(file.read_text().split())


def _run(folder: Path, template: Path, before: Oracle, seed: int, spec: str) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    shutil.copytree(template, folder / "home")
    (folder / "home" / "data" / "reserve").unlink()
    if spec.startswith(("*", "journal.set_aside")):
        long_journal(folder / "home")
    home, oracle = Home(folder / "home", GATES_OPEN), _copied(before)
    try:
        home.spawn(environ={"MUNINN_TEST": "1", "MUNINN_FAILPOINTS": spec})
        with suppress(AssertionError):
            home.awake(within=30)
        _scenario(home, oracle, seed)
        code = (
            home.stop() if home.process and home.process.poll() is None else home.process.wait() if home.process else 0
        )
        assert code in (0, 1, -9), f"it ended with {code}: {home.said()[-1500:]}"
        assert "Traceback" not in home.said(), home.said()[-1500:]
        assert "kill" not in spec or code == -9 or "@" not in spec, "it was to die and did not"
        home.start("--no-dream")
        oracle.check(home)
        assert home.stop() == 0, home.said()[-1500:]
        home.start()  # and the dream that is due
        oracle.check(home)
        _writes(home, oracle, 3, seed + 1)
        oracle.check(home)
        told = [entry["dream_id"] for entry in home.client.get("/v1/journal")["entries"]]
        assert len(told) == len(set(told)) >= 1, f"told twice, or nothing: {told}"
        assert home.stop() == 0
        assert "Traceback" not in home.said(), home.said()[-1500:]
    finally:
        home.kill()


def long_journal(home: Path) -> None:
    """A journal so long that what is told next is told in a new file."""
    for name in ("dream.journal.md", "dream.journal.jsonl"):
        (home / name).touch(mode=0o600)
        os.truncate(home / name, LARGEST)


def _link(home: Home, oracle: Oracle) -> None:
    source, target = list(oracle.known)[-2:]
    home.client.post("/v1/links", {"source": source, "target": target, "relation": "causes"})
    oracle.links.add((source, target))


def _scenario(home: Home, oracle: Oracle, seed: int) -> None:
    """Everything a daemon does that touches the disk; a refusal is fine, a death ends it."""

    def attempt(step: Callable[[], object]) -> None:
        with suppress(MuninnError, OSError):
            step()

    def purge() -> None:
        victim = next(iter(oracle.known))
        oracle.links = {pair for pair in oracle.links if victim not in pair}
        known = oracle.known.pop(victim)
        oracle.unanswered.add(known.content)
        home.client.delete(f"/v1/memories/{victim}?purge=true")

    for number in range(8):
        attempt(lambda number=number: _writes(home, oracle, 1, seed + number))  # type: ignore[misc]
    attempt(lambda: _link(home, oracle))
    attempt(purge)
    attempt(lambda: home.client.post("/v1/memories", {"content": "elsewhere", "vault": "another"}))
    attempt(lambda: home.client.post("/v1/backup", {}))
    attempt(lambda: home.client.post("/v1/dreams", {"force": True}))
    attempt(lambda: home.client.post("/v1/dreams/last/undo", {}))
    attempt(lambda: home.client.post("/v1/recall", {"query": "staging port"}))
    attempt(lambda: _writes(home, oracle, 2, seed + 99))
    attempt(lambda: home.client.get("/v1/status"))


# -- in one process


def nth(
    folder: Path, *, rounds: int, seed: int, say: bool = False, stride: int = 1, only: tuple[str, ...] = ()
) -> dict[str, object]:
    """Fail call 1, 2, 3 ... of each kind until a run passes untouched. ``rounds`` bounds the calls tried of each kind."""
    began, ran = time.monotonic(), 0
    template = folder / "template"
    with _opened(template) as app:
        for number in range(6):
            app.service.remember(Draft(content=f"The API listens on port {number // 2}{'.' * (number % 2)}"), by=BY)
    counts: dict[str, int] = {}
    for name in only or NTH:
        for code in (28, 5):
            for call in range(1, rounds + 1, stride):
                fired = _one_call(folder / "run", template, name, code, call)
                ran += 1
                if not fired:
                    break
                counts[name] = max(counts.get(name, 0), call)
            if say:
                sys.stderr.write(f"{name} err:{code}: {counts.get(name, 0)} calls\n")
    assert all(counts.get(name) for name in only or NTH), (
        f"never reached: {[n for n in only or NTH if not counts.get(n)]}"
    )
    return {"runs": ran, "calls": counts, "broken": 0, "seconds": round(time.monotonic() - began, 1)}


NTH = (
    "wal.append", "wal.sync", "wal.open", "wal.drop", "fs.write", "fs.fsync", "fs.rename", "store.sync", "store.upsert.memories",
    "store.upsert.links", "store.upsert.meta", "store.upsert.dreams", "store.upsert.operations", "store.before_drop", "store.reserve",
    "store.maintain", "store.before_clean", "journal.between", "journal.set_aside", "dream.begun", "dream.planned", "dream.applied", "dream.recorded",
    "dream.told", "backup.copy", "backup.copied",
)  # fmt: skip


@contextmanager
def _opened(home: Path, *, days: float = 0.0) -> Iterator[App]:
    config = Config(
        home=home, embed=EmbedConfig(model="hashed"), store=StoreConfig(reserve_mb=1), llm=LlmConfig(providers=()),
        dream=DreamConfig(min_hours=0.0, min_writes=0),
    )  # fmt: skip
    clock = FakeClock()
    clock.advance(days=days)
    app = build(config, environ={}, clock=clock)
    try:
        yield app
    finally:
        app.close()


def _one_call(run: Path, template: Path, name: str, code: int, call: int) -> bool:
    """One life with one fault; whether the fault was met. Raises AssertionError when a promise is broken."""
    shutil.rmtree(run, ignore_errors=True)
    shutil.copytree(template, run)
    (run / "data" / "reserve").unlink(missing_ok=True)
    if name == "journal.set_aside":
        long_journal(run)
    acknowledged: dict[str, str] = {}
    where = f"{name}=err:{code}@{call}"
    points.arm(where)
    try:
        with suppress(MuninnError, OSError), _opened(run, days=1) as app:
            _life(app, acknowledged)
        fired = points.hits(name) >= call
    finally:
        points.arm("")
    with _opened(run, days=2) as app:
        app.dreamer.recover()
        found = {memory.id: memory.content for memory in app.read.memories()}
        lost = {key: text for key, text in acknowledged.items() if found.get(key) != text}
        assert not lost, f"{where}: acknowledged and lost: {lost}"
        told = [entry["dream_id"] for entry in app.dreamer.journal()]
        dreams = [dream.id for dream in app.service.dreams() if dream.kind == "dream" and not dream.undone_at]
        assert set(dreams) <= set(told), f"{where}: dreams {dreams}, told {told}"
        assert len(told) == len(set(told)), f"{where}: told twice: {told}"
        twin = (run / "dream.journal.jsonl").read_text() if dreams else ""
        assert all(twin.count(f'"dream_id": "{dream}", "finished_at"') == 1 for dream in dreams), (
            f"{where}: the twin tells twice"
        )
        assert app.doctor(verify=True)["ok"] or not acknowledged, f"{where}: {app.doctor(verify=True)}"
        app.service.remember(Draft(content="and it goes on"), by=BY)
    return fired


def _life(app: App, acknowledged: dict[str, str]) -> None:
    """Remember, let the tables follow, dream, undo, purge, back up, compact: each refused or done."""

    def remember(text: str) -> None:
        acknowledged[app.service.remember(Draft(content=text), by=BY).memory.id] = text

    steps: tuple[Callable[[], object], ...] = (
        lambda: remember("one"),
        lambda: app.service.link(*[m.id for m in app.read.memories()][:2], relation="causes", weight=0.9, by=BY), lambda: remember("dos"), app.store.checkpoint, lambda: remember("three"),
        lambda: app.dreamer.dream(force=True), lambda: remember("cuatro"), lambda: app.dreamer.dream(force=True),
        lambda: app.dreamer.undo(), app.store.maintain, lambda: app.backup(None), app.store.checkpoint,
        lambda: remember("five"), app.status,
    )  # fmt: skip
    for step in steps:
        with suppress(MuninnError, OSError):
            step()
