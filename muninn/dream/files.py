"""The dream's two sidecars: ``dream.due`` (a dream is owed) and ``dream.state.json`` (attempts, last verdict, last dream).

Both are small, written whole, and never trusted: a damaged one is explained and counts as due.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from muninn.atomic import write_atomically
from muninn.domain.gates import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class DreamState:
    """``attempts``: full dreams in a row that were begun and not finished. ``trouble`` says why the file was not read."""

    attempts: int = 0
    last_attempt_at: datetime | None = None
    verdict: Verdict | None = None
    verdict_at: datetime | None = None
    last_dream_id: str | None = None
    last_dream_at: datetime | None = None
    last_status: str | None = None
    trouble: str | None = None


class DreamFiles:
    """The sidecars in one folder."""

    def __init__(self, folder: Path, *, write: Callable[[Path, str], None] = write_atomically) -> None:
        self.due_file = folder / "dream.due"
        self.state_file = folder / "dream.state.json"
        self._write = write

    def state(self) -> DreamState:
        """What is known; an absent file is a fresh start, a damaged one says so in ``trouble``."""
        try:
            text = self.state_file.read_text("utf-8")
        except FileNotFoundError:
            return DreamState()
        except (OSError, UnicodeDecodeError) as error:
            return DreamState(trouble=f"{self.state_file} cannot be read ({error}); counting as due")
        try:
            return _state_from(json.loads(text))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            return DreamState(trouble=f"{self.state_file} is damaged ({error}); counting as due")

    def save(self, state: DreamState) -> None:
        """Replace the state file. Raises OSError."""
        data = {
            "attempts": state.attempts,
            "last_attempt_at": _text(state.last_attempt_at),
            "verdict": None if state.verdict is None else {"run": state.verdict.run, "why": state.verdict.why},
            "verdict_at": _text(state.verdict_at),
            "last_dream_id": state.last_dream_id,
            "last_dream_at": _text(state.last_dream_at),
            "last_status": state.last_status,
        }
        self._write(self.state_file, json.dumps(data, indent=1, sort_keys=True) + "\n")

    def begin(self, now: datetime) -> None:
        """Note an attempt, on disk before anything of the dream happens: a crash counts as a failure."""
        state = self.state()
        self.save(replace(state, attempts=state.attempts + 1, last_attempt_at=now, trouble=None))

    def finish(self, *, dream_id: str, now: datetime, status: str, whole: bool = True) -> None:
        """Note how a full dream ended; a completed one clears the attempts and, if of every vault, what was due."""
        state = self.state()
        done = status != "aborted"
        self.save(
            replace(
                state,
                attempts=0 if done else state.attempts,
                last_dream_id=dream_id,
                last_dream_at=now,
                last_status=status,
                trouble=None,
            )
        )
        if done and whole:
            self.clear_due()

    def judge(self, verdict: Verdict, now: datetime) -> None:
        """Note the gates' verdict, whether or not a dream follows."""
        self.save(replace(self.state(), verdict=verdict, verdict_at=now, trouble=None))

    @property
    def due(self) -> bool:
        """Whether a dream is owed. A state that cannot be read counts as due."""
        return self.due_file.exists() or self.state().trouble is not None

    def mark_due(self, now: datetime, *, why: str) -> None:
        """Owe a dream to the next start. Raises OSError."""
        self._write(self.due_file, json.dumps({"at": now.isoformat(), "why": why}) + "\n")

    def clear_due(self) -> None:
        self.due_file.unlink(missing_ok=True)


def _state_from(data: Any) -> DreamState:
    verdict = data.get("verdict")
    attempts = data.get("attempts", 0)
    if not isinstance(attempts, int) or attempts < 0:
        raise ValueError(f"attempts is {attempts!r}")
    return DreamState(
        attempts=attempts,
        last_attempt_at=_time(data.get("last_attempt_at")),
        verdict=None if verdict is None else Verdict(bool(verdict["run"]), str(verdict["why"])),
        verdict_at=_time(data.get("verdict_at")),
        last_dream_id=_optional(data.get("last_dream_id")),
        last_dream_at=_time(data.get("last_dream_at")),
        last_status=_optional(data.get("last_status")),
    )


def _optional(value: object) -> str | None:
    return None if value is None else str(value)


def _text(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat()


def _time(value: object) -> datetime | None:
    if value is None:
        return None
    at = datetime.fromisoformat(str(value))
    if at.tzinfo is None:
        raise ValueError(f"{value} has no time zone")
    return at
