"""The title of a memory that was given none: its first sentence, in English, Spanish and what writes like them.

Rules: a title is one line of text. The full stop of an abbreviation ends no sentence, and Markdown's marks are not text.
"""

from __future__ import annotations

import re

LONGEST = 80
"""Characters of a derived title."""

_SENTENCE_END = re.compile(r"(?<=[.!?。！？؟।])\s|(?<=[。！？])")
_MARKS = re.compile(r"(?:(?:#{1,6}|[-*+>]|\[[ xX]\])\s+)+(?=\S)")
"""Heading, bullet, quotation and task box at the beginning of a line."""

_ABBREVIATIONS = frozenset(
    "mr mrs ms dr prof st vs nr fig vol approx dept e.g i.e cf"
    " sr sra srta dra dña ud uds p ej p.ej núm pág tel av avda aprox ee.uu".split()
)
"""Words that a full stop shortens and that seldom end a sentence."""

_INITIALS = re.compile(r"(?:[^\W\d_]\.\s)*[^\W\d_]")
"""What a name begins with, such as the ``J. R`` of “J. R. Smith”."""


def derived_title(content: str) -> str:
    """One line of at most ``LONGEST`` characters, cut at a word where there are words."""
    first = content.strip().splitlines()[0] if content.strip() else ""
    sentence = _first_sentence(_MARKS.sub("", first, count=1) if _MARKS.match(first) else first)
    line = " ".join(sentence.replace("\x00", " ").split()) or "untitled"
    if len(line) <= LONGEST:
        return line
    cut = line[: LONGEST - 1]
    return (cut.rsplit(" ", 1)[0] if " " in cut[40:] else cut) + "…"


def _first_sentence(line: str) -> str:
    for end in _SENTENCE_END.finditer(line):
        head = line[: end.start()]
        if not (head.endswith(".") and _shortened(head[:-1])):
            return head
    return line


def _shortened(head: str) -> bool:
    """Whether the full stop after ``head`` shortens a word rather than ends a sentence."""
    last = re.split(r"[\s(«“\"'¿¡]", head)[-1]
    return last.casefold() in _ABBREVIATIONS or _INITIALS.fullmatch(head) is not None
