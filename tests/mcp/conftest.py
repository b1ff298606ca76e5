"""An agent's session on a real application in a temporary home, without a process or a socket in between."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from muninn.api.local import dispatch
from muninn.app import App, build
from muninn.client import error_of
from muninn.config import load
from muninn.mcp.gateway import Gateway
from muninn.mcp.project import Project
from muninn.mcp.protocol import Protocol
from muninn.mcp.session import Session


class LocalCaller:
    """The API of an App, called as the client calls it."""

    def __init__(self, app: App) -> None:
        self.app = app
        self.headers: list[dict[str, str]] = []

    def call(
        self, method: str, path: str, body: object = None, headers: Mapping[str, str] | None = None
    ) -> dict[str, Any]:
        self.headers.append(dict(headers or {}))
        status, document = dispatch(self.app, method, path, json.loads(json.dumps(body)), headers)
        if status >= 400:
            raise error_of(status, document)
        return json.loads(json.dumps(document, default=str))  # type: ignore[no-any-return]


class Agent:
    """Sends requests as an MCP client would, and hands out what comes back."""

    def __init__(self, session: Session, caller: LocalCaller) -> None:
        self.session = session
        self.caller = caller
        self.protocol = Protocol(session, version="1.2.3")

    def request(self, method: str, **params: Any) -> dict[str, Any]:
        answer = self.protocol.answer({"jsonrpc": "2.0", "id": 7, "method": method, "params": params})
        assert answer is not None
        return answer

    def result(self, method: str, **params: Any) -> dict[str, Any]:
        return self.request(method, **params)["result"]  # type: ignore[no-any-return]

    def use(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """What a tool answered; fails when it refused."""
        result = self.result("tools/call", name=tool, arguments=arguments)
        assert not result["isError"], result
        return json.loads(result["content"][0]["text"])  # type: ignore[no-any-return]

    def refused(self, tool: str, **arguments: Any) -> str:
        """Why a tool refused; fails when it did not."""
        result = self.result("tools/call", name=tool, arguments=arguments)
        assert result["isError"], result
        return str(result["content"][0]["text"])


@pytest.fixture
def app(tmp_path: Path) -> Iterator[App]:
    environ = {"MUNINN_HOME": str(tmp_path / "home"), "MUNINN_EMBED__MODEL": "hashed", "HOME": str(tmp_path)}
    with build(load(environ), environ=environ) as running:
        yield running


@pytest.fixture
def hire(app: App) -> Callable[..., Agent]:
    """Makes agents, by default of project ``proj``."""

    def make(vault: str | None = "proj", *, chosen: bool = False) -> Agent:
        caller = LocalCaller(app)
        session = Session(
            gateway=Gateway(caller, monotonic=app.clock.monotonic),
            nonce=f"n{len(str(vault))}",
            project=Project(vault, chosen=chosen),
            epoch=lambda: app.clock.now().timestamp(),
        )
        return Agent(session, caller)

    return make


@pytest.fixture
def agent(hire: Callable[..., Agent]) -> Agent:
    return hire()
