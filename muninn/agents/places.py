"""Knows the coding agents: how to tell that one is here, which file tells it of MCP servers, and in what form.

A row per agent. Files are those of the person; with a project folder, those that travel with the project.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

NAME = "muninn"


class Form(StrEnum):
    JSON = "json"
    JSONC = "jsonc"  # with comments, as the agent itself reads it
    TOML = "toml"


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """Where things are. ``platform`` as ``sys.platform``; ``project``: write there instead of for the person."""

    home: Path
    platform: str
    environ: Mapping[str, str] = field(default_factory=dict)
    project: Path | None = None

    @property
    def config(self) -> Path:
        """Where desktop programs keep their settings."""
        if self.platform == "darwin":
            return self.home / "Library" / "Application Support"
        return self.folder("XDG_CONFIG_HOME", self.home / ".config")

    def folder(self, variable: str, default: Path) -> Path:
        """A folder that an environment variable may move."""
        given = self.environ.get(variable, "")
        return Path(given) if given.startswith("/") else default


@dataclass(frozen=True, slots=True)
class Launch:
    """How an agent starts muninn."""

    command: str
    arguments: tuple[str, ...] = ("mcp",)
    environ: Mapping[str, str] = field(default_factory=dict)


def _usual(launch: Launch) -> dict[str, object]:
    entry: dict[str, object] = {"command": launch.command, "args": list(launch.arguments)}
    return entry | ({"env": dict(launch.environ)} if launch.environ else {})


def _typed(launch: Launch) -> dict[str, object]:
    return {"type": "stdio", **_usual(launch)}


def _opencode(launch: Launch) -> dict[str, object]:
    entry: dict[str, object] = {"type": "local", "command": [launch.command, *launch.arguments], "enabled": True}
    return entry | ({"environment": dict(launch.environ)} if launch.environ else {})


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """``presence``: a file or folder that is there when the agent is. ``shared``: the file inside a project, if any."""

    name: str
    title: str
    form: Form
    path: tuple[str, ...]
    entry: Callable[[Launch], dict[str, object]]
    presence: Callable[[Machine], tuple[Path, ...]]
    own: Callable[[Machine], Path]
    shared: str | None = None
    restart: str = "restart it"

    def file(self, machine: Machine) -> Path | None:
        """The file to write; None when the agent has none inside a project."""
        if machine.project is None:
            return self.own(machine)
        return machine.project / self.shared if self.shared else None

    def present(self, machine: Machine) -> bool:
        return any(place.exists() for place in self.presence(machine))


def _claude(machine: Machine) -> Path:
    return machine.folder("CLAUDE_CONFIG_DIR", machine.home) / ".claude.json"


def _codex(machine: Machine) -> Path:
    return machine.folder("CODEX_HOME", machine.home / ".codex")


def _opencode_file(machine: Machine) -> Path:
    folder = machine.folder("XDG_CONFIG_HOME", machine.home / ".config") / "opencode"
    commented = folder / "opencode.jsonc"
    return commented if commented.exists() else folder / "opencode.json"


AGENTS = (
    Agent(
        name="claude-code",
        title="Claude Code",
        form=Form.JSON,
        path=("mcpServers", NAME),
        entry=_typed,
        presence=lambda machine: (_claude(machine), machine.folder("CLAUDE_CONFIG_DIR", machine.home / ".claude")),
        own=_claude,
        shared=".mcp.json",
        restart="start a new session",
    ),
    Agent(
        name="claude-desktop",
        title="Claude Desktop",
        form=Form.JSON,
        path=("mcpServers", NAME),
        entry=_usual,
        presence=lambda machine: (machine.config / "Claude",),
        own=lambda machine: machine.config / "Claude" / "claude_desktop_config.json",
    ),
    Agent(
        name="cursor",
        title="Cursor",
        form=Form.JSON,
        path=("mcpServers", NAME),
        entry=_usual,
        presence=lambda machine: (machine.home / ".cursor",),
        own=lambda machine: machine.home / ".cursor" / "mcp.json",
        shared=".cursor/mcp.json",
    ),
    Agent(
        name="codex",
        title="Codex",
        form=Form.TOML,
        path=("mcp_servers", NAME),
        entry=_usual,
        presence=lambda machine: (_codex(machine),),
        own=lambda machine: _codex(machine) / "config.toml",
        shared=".codex/config.toml",
        restart="start a new session",
    ),
    Agent(
        name="vscode",
        title="VS Code",
        form=Form.JSONC,
        path=("servers", NAME),
        entry=_typed,
        presence=lambda machine: (machine.config / "Code" / "User",),
        own=lambda machine: machine.config / "Code" / "User" / "mcp.json",
        shared=".vscode/mcp.json",
        restart="it asks whether to trust the server",
    ),
    Agent(
        name="windsurf",
        title="Windsurf",
        form=Form.JSON,
        path=("mcpServers", NAME),
        entry=_usual,
        presence=lambda machine: (machine.home / ".codeium" / "windsurf",),
        own=lambda machine: machine.home / ".codeium" / "windsurf" / "mcp_config.json",
    ),
    Agent(
        name="opencode",
        title="opencode",
        form=Form.JSONC,
        path=("mcp", NAME),
        entry=_opencode,
        presence=lambda machine: (machine.folder("XDG_CONFIG_HOME", machine.home / ".config") / "opencode",),
        own=_opencode_file,
        shared="opencode.json",
        restart="start a new session",
    ),
)

BY_NAME: Mapping[str, Agent] = {agent.name: agent for agent in AGENTS}
