"""Trust tiers, strictest first. The policy table lives here and nowhere else."""

from __future__ import annotations

from enum import StrEnum


class Tier(StrEnum):
    LEGAL = "legal"
    WORK = "work"
    PERSONAL = "personal"
    PROJECT = "project"
    GLOBAL = "global"


_STRICTEST_FIRST = tuple(Tier)


def strictest(*tiers: Tier) -> Tier:
    """The tier that governs text drawn from all of ``tiers``."""
    return min(tiers, key=_STRICTEST_FIRST.index)
