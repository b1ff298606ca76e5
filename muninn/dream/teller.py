"""The voice of the journal: one language, and memories by names that a person knows. Pure.

Memory text is quoted, shortened and stripped of everything that could act in Markdown, HTML or a terminal.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from muninn.dream.phrases import LANGUAGES

LISTED = 4  # memories named in one sentence
TITLE = 72  # characters of a title
ALIKE = 40  # characters that texts of one title may share at their beginning before an excerpt starts later
LEAD = 20  # characters shown before texts part
_ACTIVE = re.compile(r"([\\`*_\[\]<>|~#])")
_SPACE = re.compile(r"\s+")

Titles = Callable[[str], str | None]
Texts = Callable[[str], str | None]


def quoted(text: str, limit: int = TITLE) -> str:
    """``text`` on one line, inert in Markdown, HTML and terminals, at most ``limit`` characters before escaping."""
    visible = "".join(
        " " if character in "\n\r\t\v\f\x85\u2028\u2029" else character
        for character in text
        if character in "\n\r\t\v\f\x85" or unicodedata.category(character) not in {"Cc", "Cf", "Cs", "Co", "Cn"}
    )
    line = _SPACE.sub(" ", visible).strip()
    if len(line) > limit:
        line = line[: limit - 1].rstrip() + "…"
    return _ACTIVE.sub(r"\\\1", line).replace("://", ":\u200a//")


def stamp(at: datetime) -> str:
    """UTC to the second, as the journal writes it."""
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")


@dataclass(frozen=True, slots=True)
class Teller:
    """One language, the titles of memories, and their texts, which tell those of one title apart."""

    language: str
    titles: Titles
    texts: Texts = lambda _: None

    def say(self, key: str, **values: object) -> str:
        return LANGUAGES[self.language][key].format(**values)

    def plural(self, key: str, count: int, **values: object) -> str:
        return self.say(f"{key}_one" if count == 1 else f"{key}_many", n=count, **values)

    def name(self, memory_id: str) -> str:
        """A memory for a person: its title, and its id to look it up."""
        title = self.titles(memory_id)
        return f"“{quoted(title)}” ({memory_id})" if title else memory_id

    def names(self, ids: Sequence[str], most: int = LISTED) -> str:
        """The first ``most`` memories by name, and how many more there are."""
        apart = self._apart(ids[:most])
        listed = ", ".join(f"“{apart[key]}” ({key})" if key in apart else self.name(key) for key in ids[:most])
        rest = len(ids) - most
        return f"{listed} {self.say('more', n=rest)}" if rest > 0 else listed

    def _apart(self, ids: Sequence[str]) -> dict[str, str]:
        """For memories whose titles look the same, what to show instead: the title and where their texts part."""
        alike: dict[str, list[str]] = {}
        for key in dict.fromkeys(ids):
            alike.setdefault(quoted(self.titles(key) or ""), []).append(key)
        shown: dict[str, str] = {}
        for title, keys in alike.items():
            texts = {key: _SPACE.sub(" ", self.texts(key) or "").strip() for key in keys}
            if not title or len(set(texts.values())) < 2:
                continue
            start = _parting(tuple(texts.values()))
            for key, text in texts.items():
                told = quoted(("…" if start else "") + text[start:])
                repeats = text.startswith((self.titles(key) or "").rstrip("…"))
                shown[key] = told if repeats else f"{title}: {told}"
        return shown


def _parting(texts: Sequence[str]) -> int:
    """Where to begin, in characters, so that the first difference of ``texts`` is seen."""
    first, last = min(texts), max(texts)
    shared = next((at for at, (one, other) in enumerate(zip(first, last, strict=False)) if one != other), len(first))
    return first.rfind(" ", 0, shared - LEAD) + 1 if shared > ALIKE else 0
