"""What one agent did lately, and the tallies of its whole session. Frozen values; ``record`` gives the next one.

The window holds the last actions for the live senses; the tallies see the whole session for the rules. A run of similar
errors (``Pain``) goes on through looking, editing and other work, and ends when the thing that failed succeeds, when it
fails differently, or when it has not been tried for a while: three successful reads prove nothing about a broken build.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from muninn.senses.action import Action, Doing
from muninn.senses.signature import Signature, same_error

BASELINE = 10  # calls
PATIENCE_NEW = 3  # other calls between two errors of a run that is still short
PATIENCE_OLD = 15
REMEMBERED_READS = 100
REMEMBERED_STEPS = 8
REMEMBERED_CURES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class SenseLimits:
    """Thresholds of the senses, 0 for off; ``window`` counts actions."""

    window: int = 20
    o2_ratio: float = 3.0
    o2_least_tokens: int = 2_000
    chronos_minutes: float = 15.0
    chronos_calls: int = 25
    nociception_errors: int = 3
    spatial_dependants: int = 5
    vestibular_repeats: int = 4
    cooldown_actions: int = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Pain:
    """A run of similar errors: how many, what, at which call the last one; the interrupts it has caused."""

    count: int
    error: Signature
    attempt: str
    key: str
    call: int
    edited: bool = False
    interrupts: int = 0
    interrupted_at: int = 0
    steps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Cure:
    """How a repeated failure ended: what it was, how often, what was done before the attempt succeeded."""

    error: str
    attempt: str
    count: int
    steps: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tallies:
    """Counts over the whole session."""

    errors: int = 0
    longest_pain: int = 0
    looks: int = 0
    edits: int = 0
    runs: int = 0
    cycles: int = 0
    floods: int = 0
    longest_alone: int = 0
    most_rereads: int = 0
    reads: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """One agent of one session. ``alone`` counts calls since the person last spoke (``spoke_at``); ``said`` maps what was
    signalled to the call at which it was."""

    spoke_at: datetime
    main: bool = True
    calls: int = 0
    alone: int = 0
    actions: tuple[Action, ...] = ()
    baseline: tuple[int, ...] = ()
    pain: Pain | None = None
    said: Mapping[str, int] = field(default_factory=dict)
    tallies: Tallies = field(default_factory=Tallies)
    cures: tuple[Cure, ...] = ()


def record(window: Window, action: Action, limits: SenseLimits) -> Window:
    """The window after one more action."""
    calls = window.calls + 1
    pain, cure = _pain(window.pain, action, calls)
    alone = window.alone + 1
    return replace(
        window,
        calls=calls,
        alone=alone,
        actions=(*window.actions, action)[-max(1, limits.window) :],
        baseline=window.baseline if len(window.baseline) >= BASELINE else (*window.baseline, action.tokens),
        pain=pain,
        tallies=_tallied(window.tallies, action, pain, alone if window.main else 0),
        cures=(*window.cures, cure)[-REMEMBERED_CURES:] if cure else window.cures,
    )


def spoken(window: Window, now: datetime) -> Window:
    """The person spoke: time and calls start anew, the ladder too, and earlier steps are no longer part of a circle."""
    said = {key: call for key, call in window.said.items() if not key.startswith("chronos")}
    pain = replace(window.pain, interrupts=0, interrupted_at=0) if window.pain else None
    return replace(window, spoke_at=now, alone=0, said=said, pain=pain)


def compacted(window: Window) -> Window:
    """The context was summarised: what filled it is gone, and what was read must be read again."""
    return replace(window, actions=(), tallies=replace(window.tallies, reads={}))


def _pain(pain: Pain | None, action: Action, call: int) -> tuple[Pain | None, Cure | None]:
    if action.failed:
        return _hurt(pain, action, call), None
    if pain is None:
        return None, None
    if f"{pain.attempt} ".startswith(f"{action.attempt} ") and action.doing is not Doing.WAIT:
        cured = pain.count >= PATIENCE_NEW
        return None, Cure(error=pain.error.excerpt, attempt=pain.attempt, count=pain.count, steps=pain.steps) if cured else None  # fmt: skip
    patience = PATIENCE_OLD if pain.count >= PATIENCE_NEW else PATIENCE_NEW
    if call - pain.call > patience:
        return None, None
    telling = action.doing in (Doing.EDIT, Doing.RUN) and not action.bookkeeping
    steps = (*pain.steps, f"{action.tool}: {action.label}")[-REMEMBERED_STEPS:] if telling else pain.steps
    return replace(pain, edited=pain.edited or action.doing is Doing.EDIT, steps=steps), None


def _hurt(pain: Pain | None, action: Action, call: int) -> Pain:
    assert action.error is not None  # noqa: S101 - a failed action always carries its signature
    fresh = Pain(count=1, error=action.error, attempt=action.attempt, key=action.key, call=call)
    if pain is None:
        return fresh
    again = same_error(pain.error, action.error, edited=pain.edited) or (pain.error.mute and action.key == pain.key)
    if not again:
        return fresh
    return replace(pain, count=pain.count + 1, error=action.error, attempt=action.attempt, key=action.key, call=call, edited=False)  # fmt: skip


def _tallied(tallies: Tallies, action: Action, pain: Pain | None, alone: int) -> Tallies:
    reads = dict(tallies.reads)
    if action.doing is Doing.EDIT:
        reads = {key: n for key, n in reads.items() if not action.target or not key.startswith(action.target + "\n")}
    elif action.tool == "Read" and action.target and not action.failed:
        place = f"{action.target}\n{action.key}"
        reads[place] = reads.pop(place, 0) + 1
        while len(reads) > REMEMBERED_READS:
            del reads[next(iter(reads))]
    return replace(
        tallies,
        errors=tallies.errors + action.failed,
        longest_pain=max(tallies.longest_pain, pain.count if pain else 0),
        looks=tallies.looks + (action.doing is Doing.LOOK and not action.bookkeeping),
        edits=tallies.edits + (action.doing is Doing.EDIT),
        runs=tallies.runs + (action.doing is Doing.RUN),
        longest_alone=max(tallies.longest_alone, alone),
        most_rereads=max(tallies.most_rereads, max(reads.values(), default=0)),
        reads=reads,
    )
