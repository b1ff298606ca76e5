"""What is known about a rule: the evidence for it, how certain it is, when it fades. Pure; ``now`` is an argument.

A failure that happened (detection) and a failure that stayed away although its occasion came and the rule was known
(suppression) both speak for the rule, so a rule that works grows stronger by working. Only long silence on both lets it
fade. One session counts once per rule, and its detection outweighs its suppression.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

START = 0.40
CEILING = 0.95
KEEP = 0.86  # of the distance to the ceiling, per piece of evidence
SUPPRESSION_WEIGHT = 1.25  # a failure prevented says more about the rule than one more failure
IDLE_DAYS = 60.0
FADE_HALF_LIFE = 90.0  # days, counted after IDLE_DAYS
PROMOTION_PROJECTS = 2


class Outcome(StrEnum):
    DETECTION = "detection"
    SUPPRESSION = "suppression"


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What one session said about one rule. ``session`` and ``project`` are empty in files of other tools."""

    pattern: str
    outcome: Outcome
    at: datetime
    session: str = ""
    project: str = ""
    lesson: str = ""
    category: str = ""

    @property
    def occasion(self) -> tuple[str, str]:
        """What is counted once: the session, or the very moment where no session is known."""
        return self.pattern, self.session or f"{self.outcome}@{self.at.isoformat()}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A rule with all that speaks for it. ``confidence`` is 0–1, fading included; ``local`` when the project itself saw it."""

    pattern: str
    lesson: str
    category: str
    detections: int
    suppressions: int
    first_at: datetime
    last_at: datetime
    confidence: float
    local: bool

    @property
    def working(self) -> bool:
        """The failure came once, and has been kept away since."""
        return self.suppressions > 0


def confidence(detections: int, suppressions: int) -> float:
    """0.40–0.95, strictly increasing in both counts: 0.95 − 0.55 · 0.86^(d + 1.25 s)."""
    weight: float = detections + SUPPRESSION_WEIGHT * suppressions
    return CEILING - (CEILING - START) * float(KEEP**weight)


def faded(value: float, idle_days: float) -> float:
    """Unchanged for 60 days without evidence, then halved every 90."""
    over = max(0.0, idle_days - IDLE_DAYS)
    return value * float(0.5 ** (over / FADE_HALF_LIFE))


def rules(project: Iterable[Evidence], everywhere: Iterable[Evidence], now: datetime) -> tuple[Rule, ...]:
    """Every rule known to a project, its own first, the most certain first. Evidence in both places counts once."""
    local = list(project)
    own = {item.pattern for item in local}
    by_pattern: dict[str, dict[tuple[str, str], Evidence]] = {}
    for item in sorted([*local, *everywhere], key=lambda e: (e.at, e.outcome)):
        seen = by_pattern.setdefault(item.pattern, {})
        known = seen.get(item.occasion)
        if known is None or item.outcome is Outcome.DETECTION:
            seen[item.occasion] = item
    found = [_rule(pattern, list(seen.values()), pattern in own, now) for pattern, seen in by_pattern.items()]
    return tuple(sorted(found, key=lambda r: (not r.local, -r.confidence, r.pattern)))


def _rule(pattern: str, evidence: list[Evidence], local: bool, now: datetime) -> Rule:
    detections = sum(item.outcome is Outcome.DETECTION for item in evidence)
    suppressions = len(evidence) - detections
    last = max(item.at for item in evidence)
    idle = (now - last).total_seconds() / 86400
    return Rule(
        pattern=pattern,
        lesson=next((item.lesson for item in reversed(evidence) if item.lesson), ""),
        category=next((item.category for item in reversed(evidence) if item.category), ""),
        detections=detections,
        suppressions=suppressions,
        first_at=min(item.at for item in evidence),
        last_at=last,
        confidence=faded(confidence(detections, suppressions), idle),
        local=local,
    )


def promotable(evidence: Iterable[Evidence]) -> frozenset[str]:
    """Patterns that at least two projects have seen."""
    projects: dict[str, set[str]] = {}
    for item in evidence:
        if item.project:
            projects.setdefault(item.pattern, set()).add(item.project)
    return frozenset(pattern for pattern, seen in projects.items() if len(seen) >= PROMOTION_PROJECTS)
