"""A coding agent that sends hook events in the documented form."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from muninn.config import SensesConfig
from muninn.hooks import HookService
from muninn.testing import FakeClock

PANDAS = "Exit code 1\nTraceback (most recent call last):\nModuleNotFoundError: No module named 'pandas'"

settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")


@dataclass
class Claude:
    """One machine: a home, a project, a daemon that can be restarted. Events return what the agent and the person read."""

    folder: Path
    config: SensesConfig = field(default_factory=SensesConfig)
    clock: FakeClock = field(default_factory=FakeClock)
    session: str = "A"
    remembered: list[dict[str, Any]] = field(default_factory=list)
    language: str = "en"

    def __post_init__(self) -> None:
        self.home, self.project = self.folder / "home", self.folder / "project"
        for place in (self.home, self.project / ".git"):
            place.mkdir(parents=True)
        self.restart()

    def restart(self) -> None:
        """A new daemon over what the old one left on disk."""
        remember: Callable[[Any], object] = lambda body: self.remembered.append(dict(body))  # noqa: E731
        self.service = HookService(
            self.config, self.clock, self.folder / "state", self.home, remember, language=self.language
        )

    def send(self, event: str, *, seconds: float = 5, **fields: Any) -> dict[str, Any] | None:
        self.clock.advance(seconds=seconds)
        payload = {
            "session_id": self.session, "transcript_path": f"{self.home}/.claude/projects/p/{self.session}.jsonl",
            "cwd": str(self.project), "permission_mode": "default", "hook_event_name": event,
        } | fields  # fmt: skip
        return self.service.handle(event, json.loads(json.dumps(payload)))

    def said(self, event: str, **fields: Any) -> str:
        reply = self.send(event, **fields)
        if reply is None:
            return ""
        output = reply["hookSpecificOutput"]
        assert output["hookEventName"] == event
        return str(output["additionalContext"])

    def prompts(self, text: str = "go", **fields: Any) -> str:
        return self.said("UserPromptSubmit", prompt=text, **fields)

    def does(self, tool: str = "Bash", *, output: Any = None, more: dict[str, Any] | None = None, **given: Any) -> str:
        response = {"stdout": "fine", "stderr": ""} if output is None else output
        return self.said("PostToolUse", tool_name=tool, tool_input=given, tool_response=response, **(more or {}))

    def fails(
        self, error: str = PANDAS, *, tool: str = "Bash", more: dict[str, Any] | None = None, **given: Any
    ) -> str:
        arguments = given or {"command": f"python run.py {self.clock.monotonic()}"}
        return self.said(
            "PostToolUseFailure", tool_name=tool, tool_input=arguments, error=error, is_interrupt=False, **(more or {})
        )

    def loops(self, times: int = 5) -> list[str]:
        return [self.fails() for _ in range(times)]

    def errs_without_looping(self) -> None:
        """Two different errors, and a way out: the occasion of a loop without one."""
        self.fails("Exit code 1\nModuleNotFoundError: No module named 'yaml'", command="python x.py")
        self.does("Read", file_path=f"{self.project}/x.py")
        self.fails("Exit code 128\nfatal: not a git repository", command="sh y.sh")
        self.does(command="sh y.sh")

    def lines(self, place: Path) -> list[dict[str, Any]]:
        file = place / ".claude" / "metacog-learnings.jsonl"
        return [json.loads(line) for line in file.read_text("utf-8").splitlines()] if file.exists() else []


@pytest.fixture
def claude(tmp_path: Path) -> Claude:
    return Claude(tmp_path)


@pytest.fixture
def make_claude(tmp_path: Path) -> Callable[..., Claude]:
    def make(**fields: Any) -> Claude:
        return Claude(tmp_path, **fields)

    return make
