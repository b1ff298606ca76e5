"""The oracle: what the daemon acknowledged, kept in another process than it, and what must hold after every accident.

A write that was tried and not acknowledged may be there or not; whichever it is when first looked at, it stays.
"""

from __future__ import annotations

import random  # noqa: TID251 - seeded, so that a round can be repeated
import re
import time
from dataclasses import dataclass, field
from threading import Event, Lock, Thread
from typing import Any

from muninn.client import Client
from muninn.errors import ConflictError, MuninnError, NotFoundError, NotRunningError, StoreFullError
from tests.torture.home import Home, Json

NOTES = (
    "The staging API listens on port {n}.", "the staging api listens on port {n}", "La reunión {n} es los martes.",
    "la reunión {n} es los martes", "Postgres {n} runs in production.", "備忘録 {n}: the key rotates on Monday.",
    "Ticket {n} is blocked by the review.", "We chose SQLite {n} instead of Postgres.",
)  # fmt: skip
_HEADING = re.compile(r"^## \S+ -- Dream (\S+)", re.MULTILINE)


@dataclass
class Known:
    """One memory: what was acknowledged last, and every other form it may have because an answer was lost."""

    content: str
    state: str = "active"
    owner: int = 0
    doubts: list[tuple[str, str]] = field(default_factory=list)


@dataclass
class Oracle:
    seed: int
    known: dict[str, Known] = field(default_factory=dict)
    unanswered: set[str] = field(default_factory=set)
    links: set[tuple[str, str]] = field(default_factory=set)
    sealed: dict[str, Json] = field(default_factory=dict)
    journal: bytes = b""
    acknowledged: int = 0
    refused: int = 0
    lock: Lock = field(default_factory=Lock)
    resting: Event = field(default_factory=Event)
    counter: int = 0
    faults: list[str] = field(default_factory=list)

    def seal(self, home: Home) -> None:
        """Legal memories that nothing may ever touch."""
        for number in range(3):
            home.client.post(
                "/v1/memories", {"content": f"Clause {number} binds; cláusula {number}.", "vault": "legal"}
            )
        self.sealed = {key: row for key, row in home.rows().items() if row["vault"] == "legal"}

    # -- writing

    def clients(self, home: Home, count: int, *, pause: float = 0.02) -> list[Thread]:
        """Clients that write until the daemon goes away; each keeps to its own memories."""
        self.resting.clear()
        made = [
            Thread(target=self._client, args=(home, random.Random(self.seed * 1000 + n), n, pause))
            for n in range(count)
        ]
        for thread in made:
            thread.start()
        self.seed += 1
        return made

    def _client(self, home: Home, chance: random.Random, name: int, pause: float) -> None:
        client = Client(home.client.path, timeout=60)
        mine = [key for key, known in self.known.items() if known.owner == name]
        while not self.resting.is_set():
            try:
                self.step(client, chance, name, mine)
            except StoreFullError:
                self.refused += 1
            except (MuninnError, OSError) as error:
                if isinstance(error, MuninnError) and not isinstance(error, NotRunningError):
                    self.faults.append(f"{type(error).__name__} {error.status}: {error}")
                return
            # now and then a pause, in which the tables follow the log
            time.sleep(chance.random() * pause * (30 if chance.random() < 0.1 else 1))

    def step(self, client: Client, chance: random.Random, name: int, mine: list[str]) -> None:
        """One write, or a recall. Raises what the daemon answers."""
        action = chance.choices(
            ("remember", "edit", "forget", "restore", "link", "recall", "again"), (8, 3, 2, 2, 2, 2, 1)
        )[0]
        if action == "remember" or not mine:
            self._remember(client, chance, name, mine)
        elif action == "again":
            known = self.known[chance.choice(mine)]
            if known.state == "active" and not known.doubts:
                client.post("/v1/memories", {"content": known.content, "vault": "torture"})
        elif action == "recall":
            client.post("/v1/recall", {"query": "which port does staging listen on", "limit": 5})
        elif action == "link":
            self._link(client, chance, mine)
        else:
            self._change(client, chance, action, chance.choice(mine))

    def _remember(self, client: Client, chance: random.Random, name: int, mine: list[str]) -> None:
        with self.lock:
            self.counter += 1
            number = self.counter
        text = chance.choice(NOTES).format(n=number if chance.random() < 0.6 else chance.randrange(20)) + f" ({name})"
        body: Json = {"content": text, "vault": "torture"}
        if chance.random() < 0.2:
            body["title"] = f"Nota {number}"
        with self.lock:
            self.unanswered.add(text)
            for known in (self.known[key] for key in mine if self.known[key].content == text):
                known.doubts.append((text, "active"))  # saying it again revives it, acknowledged or not
        made = client.post("/v1/memories", body, headers={"Idempotency-Key": f"{self.seed}-{name}-{number}"})
        with self.lock:
            self.acknowledged += 1
            if made["id"] not in self.known:
                mine.append(made["id"])
            self.known[made["id"]] = Known(text, owner=name)

    def _link(self, client: Client, chance: random.Random, mine: list[str]) -> None:
        source, target = chance.choice(mine), chance.choice(mine)
        if source != target:
            client.post("/v1/links", {"source": source, "target": target, "relation": "supports"})
            with self.lock:
                self.acknowledged += 1
                self.links.add((source, target))

    def _change(self, client: Client, chance: random.Random, action: str, memory: str) -> None:
        known = self.known[memory]
        form = {
            "edit": (f"{known.content[:60]} edited {chance.randrange(10**6)}", known.state),
            "forget": (known.content, "forgotten"),
            "restore": (known.content, "active"),
        }[action]
        known.doubts.append(form)
        try:
            if action == "edit":
                client.patch(f"/v1/memories/{memory}", {"content": form[0]})
            elif action == "forget":
                client.delete(f"/v1/memories/{memory}")
            else:
                client.post(f"/v1/memories/{memory}/restore", {})
        except (ConflictError, NotFoundError, StoreFullError):
            known.doubts.remove(form)
            raise
        with self.lock:
            self.acknowledged += 1
            known.content, known.state = form
            known.doubts.clear()

    # -- looking

    def check(self, home: Home) -> dict[str, int]:
        """I1 to I4 and I7 of a daemon that is awake; what was in doubt is settled from here on. Raises AssertionError."""
        assert not self.faults, f"the daemon answered with a fault: {self.faults[:3]}"
        rows = home.rows()
        survivors = {merged: row["id"] for row in rows.values() for merged in row["merged_from"]}
        for key, known in self.known.items():
            row = rows.get(key)
            assert row is not None, f"acknowledged {key} ({known.content!r}) is lost"
            archived = row["state"] in ("archived", "superseded")
            if archived:
                into = row["superseded_by"] or survivors.get(key)
                assert into in rows, f"{key} is {row['state']} without a survivor"
            states = [known.state, *(state for _, state in known.doubts), *([row["state"]] if archived else [])]
            contents = [known.content, *(content for content, _ in known.doubts)]
            assert row["content"] in contents, f"{key}: {row['content']!r} was never acknowledged, expected {contents}"
            assert row["state"] in states, f"{key}: {row['state']} is none of {states}"
            known.content, known.state = row["content"], row["state"]
            known.doubts.clear()
        for key, row in rows.items():
            if key not in self.known and key not in self.sealed:
                assert row["content"] in self.unanswered or row["vault"] != "torture", f"nobody wrote {key}: {row}"
                self.known[key] = Known(row["content"], row["state"], owner=_owner(row["content"]))
        for key, row in self.sealed.items():
            assert rows.get(key) == row, f"the sealed memory {key} changed"
        made = {(row["id"], link["target"]) for row in rows.values() for link in row["links"]}
        gone = self.links - made
        lost = [pair for pair in gone if not _moved(pair, rows, made)]
        assert not lost, f"acknowledged links are lost: {lost[:3]}"
        self.links -= gone  # what a merge gave to survivors is theirs, also when a loser is restored later
        return {"memories": len(rows), **self._check_journal(home)}

    def _check_journal(self, home: Home) -> dict[str, int]:
        path = home.path / "dream.journal.md"
        content = path.read_bytes() if path.exists() else b""
        assert content.startswith(self.journal), "the journal was rewritten"
        self.journal = content
        text = content.decode("utf-8")
        dreams: list[Any] = [d for d in home.client.get("/v1/dreams")["dreams"] if d["kind"] == "dream"]
        told = _HEADING.findall(text)
        newest = max((d["dream_id"] for d in dreams), default="")
        for dream in dreams:
            times = told.count(dream["dream_id"])
            assert times <= 2, f"dream {dream['dream_id']} is told {times} times"
            assert times or dream["dream_id"] == newest, f"dream {dream['dream_id']} is not told"
        assert set(told) <= {d["dream_id"] for d in dreams}, "the journal tells a dream that never was"
        return {"dreams": len(dreams), "told": len(told)}


def _moved(pair: tuple[str, str], rows: dict[str, Json], made: set[tuple[str, str]]) -> bool:
    """Whether a merge gave the link to the survivors of its ends, or made the two one."""
    source, target = (_head(key, rows) for key in pair)
    return source == target or (source, target) in made


def _owner(content: str) -> int:
    """The client whose name stands in a text; its memories are its own in later rounds too."""
    named = re.search(r"\((\d)\)", content)
    return int(named[1]) if named else 0


def _head(key: str, rows: dict[str, Json]) -> str:
    seen = set()
    while key not in seen and rows[key]["superseded_by"] in rows:
        seen.add(key)
        key = rows[key]["superseded_by"]
    return key
