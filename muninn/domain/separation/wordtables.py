"""Knows how the word lists of the separation guard are written down: words in a line, forms after what they stand for."""

from __future__ import annotations


def word_set(words: str) -> frozenset[str]:
    return frozenset(words.split())


def word_list(words: str) -> list[str]:
    return words.split()


def forms(lines: str) -> dict[str, str]:
    """``"canonical: form form"`` lines → form → canonical."""
    table: dict[str, str] = {}
    for line in lines.strip().splitlines():
        canonical, forms = line.split(":", 1)
        for form in (canonical.strip(), *forms.split()):
            table[form] = canonical.strip()
    return table


def by_first_word(phrases: str) -> dict[str, tuple[str, ...]]:
    """``"a b|c d e"`` → first word → the phrases that it opens."""
    table: dict[str, tuple[str, ...]] = {}
    for phrase in phrases.split("|"):
        first = phrase.split()[0]
        table[first] = (*table.get(first, ()), phrase)
    return table
