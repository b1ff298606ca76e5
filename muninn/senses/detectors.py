"""The failures that rules are about, seen over a whole session, in a table; and what a closed session proves.

A detector has a failure (it happened) and an occasion (it could have). Only a session in which the rule was known, the
occasion came and the failure did not, is evidence that the rule works. Thresholds are set so that ordinary work detects
nothing: a rule that everybody has is no rule. Ids are those of the metacog package, so that its files go on counting.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields, replace

from muninn.domain.evidence import Outcome
from muninn.senses.window import Tallies


@dataclass(frozen=True, slots=True)
class Detector:
    pattern: str
    category: str
    lesson: str
    failure: Callable[[Tallies], bool]
    occasion: Callable[[Tallies], bool]


DETECTORS: tuple[Detector, ...] = (
    Detector(
        "error_loop",
        "Errors",
        "The same error was met again and again. After the second time, one check of the assumption behind the attempts "
        "(path, version, environment, API) gets further than another variant.",
        lambda t: t.longest_pain >= 4,
        lambda t: t.errors >= 2,
    ),
    Detector(
        "circular_search",
        "Search",
        "The same searches were repeated in circles. One broad search first, its result noted, then narrower ones.",
        lambda t: t.cycles >= 1,
        lambda t: t.looks >= 6,
    ),
    Detector(
        "repeated_file_read",
        "Files",
        "Unchanged files were read over and over. A note of what matters in them at the first reading makes it needless.",
        lambda t: t.most_rereads >= 5,
        lambda t: t.most_rereads >= 1 and t.looks >= 3,
    ),
    Detector(
        "long_autonomous_run",
        "Time",
        "Very long stretches of work went by without a word to the user. A line on where things stand, about every 25 "
        "calls, keeps the work on course.",
        lambda t: t.longest_alone > 50,
        lambda t: t.longest_alone >= 20,
    ),
    Detector(
        "write_heavy_session",
        "Editing",
        "Many edits were made with hardly any reading. Reading a file before changing it avoids blind edits.",
        lambda t: t.edits > 20 and t.looks * 5 < t.edits,
        lambda t: t.edits >= 5,
    ),
    Detector(
        "context_flood",
        "Context",
        "The context was filled with large outputs several times. Searching first, reading in parts, or a subagent keeps it free.",
        lambda t: t.floods >= 3,
        lambda t: t.floods >= 1,
    ),
)

LESSONS = {detector.pattern: detector.lesson for detector in DETECTORS}
CATEGORIES = {detector.pattern: detector.category for detector in DETECTORS}


def findings(agents: Iterable[Tallies], known: frozenset[str]) -> dict[str, Outcome]:
    """What a session proves, from the tallies of its agents: pattern → outcome. ``known`` are the rules it was given."""
    tallies = list(agents)
    whole = _together(tallies)
    found: dict[str, Outcome] = {}
    for detector in DETECTORS:
        if any(detector.failure(agent) for agent in tallies):
            found[detector.pattern] = Outcome.DETECTION
        elif detector.pattern in known and detector.occasion(whole):
            found[detector.pattern] = Outcome.SUPPRESSION
    return found


def _together(tallies: list[Tallies]) -> Tallies:
    """Counts summed, extremes taken over the agents of a session."""
    whole = Tallies()
    for agent in tallies:
        changes = {}
        for field in fields(Tallies):
            a, b = getattr(whole, field.name), getattr(agent, field.name)
            if isinstance(b, int):
                changes[field.name] = max(a, b) if field.name.startswith(("longest", "most")) else a + b
        whole = replace(whole, **changes)
    return whole
