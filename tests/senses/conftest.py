"""A window that is filled call by call."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import settings

from muninn.senses.action import read_action
from muninn.senses.table import Signal, perceive
from muninn.senses.window import SenseLimits, Window, record, spoken

START = datetime(2026, 3, 28, 6, 0, tzinfo=UTC)

settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")


@dataclass
class Agent:
    """One agent at work; ``did`` and ``failed`` give the signals of that call."""

    limits: SenseLimits = field(default_factory=SenseLimits)
    now: datetime = START
    window: Window = field(default_factory=lambda: Window(spoke_at=START))

    def did(
        self, tool: str, *, dependants: int | None = None, output: str = "fine", **given: Any
    ) -> tuple[Signal, ...]:
        return self._act({"tool_name": tool, "tool_input": given, "tool_response": output}, False, dependants)

    def failed(self, tool: str, error: str, **given: Any) -> tuple[Signal, ...]:
        return self._act({"tool_name": tool, "tool_input": given, "error": error}, True, None)

    def hears(self) -> None:
        self.window = spoken(self.window, self.now)

    def _act(self, payload: dict[str, Any], failure: bool, dependants: int | None) -> tuple[Signal, ...]:
        action = read_action(payload, failure=failure)
        assert action is not None
        self.now += timedelta(seconds=5)
        self.window = record(self.window, replace(action, dependants=dependants), self.limits)
        signals, self.window = perceive(self.window, self.limits, self.now)
        return signals


@pytest.fixture
def agent() -> Agent:
    return Agent()
