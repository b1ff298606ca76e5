"""Whether to dream now, and why. Both doors must be open: enough hours, and enough writes, since the last dream."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

PATIENCE = 2  # failed attempts in a row before the next ones back off
LONGEST_WAIT = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class Verdict:
    """``run`` says whether the dream may run; ``why`` is a sentence for a person."""

    run: bool
    why: str


def verdict(
    *,
    now: datetime,
    last_dream_at: datetime | None,
    writes_since: int,
    min_hours: float,
    min_writes: int,
    due: bool | None = None,
    unfinished: bool = False,
    attempts: int = 0,
    last_attempt_at: datetime | None = None,
    force: bool = False,
) -> Verdict:
    """The verdict of the gates.

    ``due`` is None where no due marker is asked for (a dream by command or schedule). ``unfinished`` work of an aborted
    dream satisfies the count. ``attempts`` are failed attempts in a row. A last dream in the future (the clock went
    back) counts as long ago.
    """
    if force:
        return Verdict(True, "forced")
    if due is False:
        return Verdict(False, "no dream is due")
    waiting = _backing_off(now, attempts, last_attempt_at)
    if waiting:
        return Verdict(False, waiting)
    enough_writes = unfinished or writes_since >= min_writes
    counted = (
        "unfinished work from the last dream"
        if unfinished
        else f"{writes_since} write{'' if writes_since == 1 else 's'}"
    )
    if last_dream_at is None:
        if enough_writes:
            return Verdict(True, f"never dreamed, {counted}")
        return Verdict(False, f"never dreamed, but only {writes_since} of {min_writes} writes")
    hours = (now - last_dream_at).total_seconds() / 3600.0
    if hours < 0:
        hours_open, elapsed = True, "the last dream lies in the future (the clock went back)"
    else:
        hours_open, elapsed = hours >= min_hours, f"{hours:.1f} h since the last dream"
    if not hours_open:
        return Verdict(False, f"{elapsed}, {min_hours:g} h needed")
    if not enough_writes:
        return Verdict(False, f"{elapsed}, but only {writes_since} of {min_writes} writes")
    return Verdict(True, f"{elapsed}, {counted}")


def _backing_off(now: datetime, attempts: int, last_attempt_at: datetime | None) -> str | None:
    """Why the gate stays shut after failures: 1, 2, 4 ... 24 hours from the second failure on."""
    until = backs_off_until(now, attempts, last_attempt_at)
    if until is None:
        return None
    minutes = (until - now).total_seconds() / 60.0
    return f"{attempts} dreams in a row did not finish, next attempt in {minutes:.0f} min"


def backs_off_until(now: datetime, attempts: int, last_attempt_at: datetime | None) -> datetime | None:
    """When the wait after ``attempts`` failures in a row ends; None when there is none."""
    if attempts < PATIENCE or last_attempt_at is None:
        return None
    until = last_attempt_at + min(LONGEST_WAIT, timedelta(hours=2.0 ** min(10, attempts - PATIENCE)))
    return until if last_attempt_at <= now < until else None
