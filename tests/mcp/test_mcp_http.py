"""MCP over HTTP inside one process: what goes wrong in ours is told to whoever keeps the log, and of it only the kind to the client."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from starlette.testclient import TestClient

from muninn.mcp.gateway import Gateway
from muninn.mcp.http import PATH, application
from muninn.mcp.session import Session


class Broken:
    """A caller with a fault of its own, whose words quote what it was given."""

    def call(self, *_: object, **__: object) -> dict[str, Any]:
        raise ZeroDivisionError("the secret of Arcos")


def test_a_fault_of_ours_is_told_once_to_whoever_keeps_the_log(caplog: pytest.LogCaptureFixture) -> None:
    faults: list[Exception] = []
    session = Session(gateway=Gateway(Broken(), monotonic=time.monotonic), nonce="n")
    served = application(session, version="1", token="t", host="127.0.0.1", on_fault=faults.append)
    headers = {"Authorization": "Bearer t", "Accept": "application/json, text/event-stream"}
    opening = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "agent", "version": "1"}}

    with TestClient(served, base_url="http://127.0.0.1:8000", headers=headers) as client:

        def ask(method: str, **params: Any) -> Any:
            return client.post(PATH, json={"jsonrpc": "2.0", "id": 7, "method": method, "params": params})

        client.headers["mcp-session-id"] = ask("initialize", **opening).headers["mcp-session-id"]
        client.post(PATH, json={"jsonrpc": "2.0", "method": "notifications/initialized"})
        told = ask("tools/call", name="status", arguments={}).text

    answer = next(json.loads(line[5:]) for line in told.splitlines() if line.startswith("data:") and "error" in line)
    assert answer["error"] == {"code": -32603, "message": "an internal fault: ZeroDivisionError"}
    assert [type(fault) for fault in faults] == [ZeroDivisionError]
    assert faults[0].__traceback__ is not None
    assert "Arcos" not in told + caplog.text
