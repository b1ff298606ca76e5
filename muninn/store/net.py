"""Which memories a search may bring back, as a filter of the engine.

A net is cast a little too wide rather than too narrow: whoever searches looks at every catch again.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

_ANSWERS = ("active", "superseded")


@dataclass(frozen=True, slots=True, kw_only=True)
class Net:
    """``vaults``: names as stored, None for all. ``between``: made, or valid from, within one of these times."""

    vaults: tuple[str, ...] | None = None
    active_only: bool = False
    archived: bool = False
    as_of: datetime | None = None
    run_id: str | None = None
    between: tuple[tuple[datetime, datetime], ...] = ()

    def where(self) -> str:
        """The filter in the engine's SQL."""
        parts = [self._state()]
        if self.vaults is not None:
            parts.append(one_of("vault", self.vaults))
        if self.run_id is not None:
            parts.append(f"provenance_run_id = {quote(self.run_id)}")
        if self.between:
            parts.append("(" + " OR ".join(map(_within, self.between)) + ")")
        return " AND ".join(parts)

    def _state(self) -> str:
        if self.active_only:
            return "state = 'active'"
        if self.as_of is None:
            return one_of("state", (*_ANSWERS, "archived") if self.archived else _ANSWERS)
        then = _moment(self.as_of)
        known = f"(created_at <= {then} OR learned_at <= {then})"
        valid = f"(valid_from IS NULL OR valid_from <= {then}) AND (valid_until IS NULL OR valid_until > {then})"
        open_then = "" if self.archived else f" AND (state != 'archived' OR updated_at > {then})"
        return f"state != 'forgotten' AND {known} AND {valid}{open_then}"


def quote(value: str) -> str:
    """A string literal for a filter; doubling quotes is all that is needed."""
    return "'" + value.replace("'", "''") + "'"


def one_of(column: str, values: tuple[str, ...] | list[str]) -> str:
    """Whether a column holds one of ``values``; never, when there is none."""
    return f"{column} IN ({', '.join(map(quote, values))})" if values else "false"


def _within(span: tuple[datetime, datetime]) -> str:
    first, last = map(_moment, span)
    return f"(created_at >= {first} AND created_at <= {last}) OR (valid_from >= {first} AND valid_from <= {last})"


def _moment(at: datetime) -> str:
    return f"TIMESTAMP '{at.astimezone(UTC):%Y-%m-%d %H:%M:%S.%f}+00:00'"
