"""What a model may decide, as values. Ids are real ones: aliases end where a verdict begins."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeVerdict:
    """``ids`` hold ``into``. ``title`` is None to keep the survivor's; ``text`` says what all of them said."""

    ids: tuple[str, ...]
    into: str
    title: str | None
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SupersedeVerdict:
    old: str
    new: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DistinctVerdict:
    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SuggestVerdict:
    a: str
    b: str
    reason: str
    relation: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StabilityVerdict:
    """``days`` within 14–365."""

    id: str
    days: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Narrative:
    """One sentence for the journal and the memories it is about; never empty of either."""

    sentence: str
    ids: tuple[str, ...]


Verdict = MergeVerdict | SupersedeVerdict | DistinctVerdict | SuggestVerdict | StabilityVerdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejected:
    """``count`` operations that were not believed. ``ids`` are the real ones among those they named, ``why`` quotes nothing."""

    op: str
    why: str
    ids: tuple[str, ...] = ()
    count: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdicts:
    accepted: tuple[Verdict, ...] = ()
    rejected: tuple[Rejected, ...] = ()
    narrative: tuple[Narrative, ...] = ()

    @property
    def proposed(self) -> int:
        """How many operations and sentences the model came up with."""
        return len(self.accepted) + len(self.narrative) + sum(one.count for one in self.rejected)
