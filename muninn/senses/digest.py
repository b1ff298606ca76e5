"""The rules a session starts with, as text: short, factual, the same for the same evidence (no dates, so replays agree)."""

from __future__ import annotations

from collections.abc import Sequence

from muninn.domain.evidence import Rule
from muninn.senses.detectors import LESSONS

LIMIT = 1_900  # characters
LEAST_CONFIDENCE = 0.3
MOST_RULES = 8
LESSON_LIMIT = 240

_HEAD = "Learned in earlier sessions (muninn), the most certain first:"


def lesson_of(rule: Rule) -> str:
    """The lesson of a rule on one line: our own words for our own patterns, what the file says for others."""
    text = LESSONS.get(rule.pattern) or " ".join(rule.lesson.split())
    return "".join(c for c in text if c.isprintable())[:LESSON_LIMIT]


def digest(rules: Sequence[Rule]) -> tuple[str, tuple[str, ...]] | None:
    """The text and the patterns in it; None when there is nothing to say. Rules without a lesson are left out."""
    lines = [_HEAD]
    patterns: list[str] = []
    for rule in rules:
        lesson = lesson_of(rule)
        if rule.confidence < LEAST_CONFIDENCE or not lesson or len(patterns) == MOST_RULES:
            continue
        line = f"- {_name(rule.pattern)} ({round(rule.confidence * 100)} % sure; {_history(rule)}): {lesson}"
        if sum(map(len, lines)) + len(lines) + len(line) > LIMIT:
            break
        lines.append(line)
        patterns.append(rule.pattern)
    return ("\n".join(lines), tuple(patterns)) if patterns else None


def _name(pattern: str) -> str:
    return "".join(c for c in pattern if c.isalnum() or c in "_-")[:60]


def _history(rule: Rule) -> str:
    happened = f"happened in {rule.detections} session{'' if rule.detections == 1 else 's'}"
    return f"{happened}, kept away in {rule.suppressions}" if rule.suppressions else happened
