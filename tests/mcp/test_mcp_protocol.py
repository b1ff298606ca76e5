"""Messages in, messages out: JSON-RPC, the official types, and a conversation over byte streams."""

from __future__ import annotations

import io
import json
import threading
import time
from typing import Any

import mcp_types
import pytest

from muninn.errors import AlreadyRunningError, LockedError, NotRunningError
from muninn.mcp.gateway import Gateway
from muninn.mcp.protocol import VERSIONS, Protocol
from muninn.mcp.session import Session
from muninn.mcp.stdio import LINE_LIMIT, Conversation


class Scripted:
    """A daemon that answers ``GET /v1/status`` after being away ``away`` times; other calls never end before ``gate``."""

    def __init__(self, away: int = 0) -> None:
        self.away = away
        self.gate = threading.Event()
        self.calls = 0

    def call(self, method: str, path: str, body: object = None, headers: Any = None) -> dict[str, Any]:
        self.calls += 1
        if self.away:
            self.away -= 1
            raise NotRunningError("no daemon listens")
        if path == "/v1/status":
            return {"state": "awake"}
        self.gate.wait(5)
        return {"entries": []}


def protocol(caller: Any = None, **options: Any) -> Protocol:
    gateway = Gateway(caller or Scripted(), monotonic=time.monotonic, **options)
    return Protocol(Session(gateway=gateway, nonce="n"), version="1")


def converse(*lines: object, caller: Any = None) -> list[Any]:
    source = b"".join((line if isinstance(line, bytes) else json.dumps(line).encode()) + b"\n" for line in lines)
    sink = io.BytesIO()
    conversation = Conversation(protocol(caller), io.BytesIO(source), sink)
    conversation.hold()
    conversation.finish()
    return [json.loads(line) for line in sink.getvalue().splitlines()]


def ask(number: object, method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


@pytest.mark.parametrize("version", VERSIONS)
def test_the_handshake_agrees_on_a_known_version(version: str) -> None:
    info = {"name": "x", "version": "1"}
    answer = protocol().answer(ask(1, "initialize", protocolVersion=version, capabilities={}, clientInfo=info))
    assert answer is not None
    result = mcp_types.InitializeResult.model_validate(answer["result"])
    assert result.protocol_version == version
    assert result.server_info.name == "muninn"


def test_an_unknown_version_is_answered_with_the_newest() -> None:
    answer = protocol().answer(ask(1, "initialize", protocolVersion="2099-01-01", capabilities={}))
    assert answer is not None
    assert answer["result"]["protocolVersion"] == VERSIONS[0]
    assert list(VERSIONS) == sorted(mcp_types.version.HANDSHAKE_PROTOCOL_VERSIONS, reverse=True)


@pytest.mark.parametrize(
    ("method", "kind"),
    [
        ("tools/list", mcp_types.ListToolsResult),
        ("resources/templates/list", mcp_types.ListResourceTemplatesResult),
        ("prompts/list", mcp_types.ListPromptsResult),
        ("ping", mcp_types.EmptyResult),
    ],
)
def test_results_are_what_the_official_types_say(method: str, kind: Any) -> None:
    answer = protocol().answer(ask("a", method))
    assert answer is not None
    assert kind.model_validate(answer["result"])
    assert answer["id"] == "a"


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ({"id": 1, "method": "ping"}, -32600),
        ({"jsonrpc": "1.0", "id": 1, "method": "ping"}, -32600),
        ({"jsonrpc": "2.0", "id": None, "method": "ping"}, -32600),
        ({"jsonrpc": "2.0", "id": True, "method": "ping"}, -32600),
        ({"jsonrpc": "2.0", "id": 1.5, "method": "ping"}, -32600),
        ({"jsonrpc": "2.0", "id": 1}, -32600),
        ("ping", -32600),
        (ask(1, "no/such"), -32601),
        (ask(1, "server/discover"), -32601),
        ({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": [1]}, -32602),
        (ask(1, "tools/call", name="no_such"), -32602),
        (ask(1, "resources/read"), -32602),
    ],
)
def test_wrong_messages_get_the_right_code(message: Any, code: int) -> None:
    answer = protocol().answer(message)
    assert answer is not None
    assert answer["error"]["code"] == code


def test_a_fault_of_ours_is_an_answer_not_the_end() -> None:
    class Broken:
        def call(self, *_words: object) -> dict[str, Any]:
            raise ZeroDivisionError

    answer = protocol(Broken()).answer(ask(1, "tools/call", name="status"))
    assert answer is not None
    assert answer["error"] == {"code": -32603, "message": "an internal fault: ZeroDivisionError"}


def test_a_fault_of_ours_is_told_once_to_whoever_keeps_the_log() -> None:
    class Broken:
        def call(self, *_words: object) -> dict[str, Any]:
            raise ZeroDivisionError("la clave es 4711")

    faults: list[Exception] = []
    gateway = Gateway(Broken(), monotonic=time.monotonic)
    faulty = Protocol(Session(gateway=gateway, nonce="n"), version="1", on_fault=faults.append)
    answer = faulty.answer(ask(1, "tools/call", name="status"))
    assert "4711" not in json.dumps(answer)
    assert [type(fault) for fault in faults] == [ZeroDivisionError]
    assert faults[0].__traceback__ is not None


class Slow:
    """A daemon whose writes take a while; it notes what began and what ended, in order."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def call(self, method: str, path: str, body: object = None, headers: Any = None) -> dict[str, Any]:
        name = f"{method} {path.rpartition('/')[2]}"
        self.told.append(f"begin {name}")
        if path == "/v1/vaults":
            time.sleep(0.05)
            answer: dict[str, Any] = {"vaults": [{"name": "default", "tier": "personal", "memories": 1}]}
        elif path == "/v1/memories":
            time.sleep(0.2)
            answer = {"id": "01A", "vault": "default", "created": True, "links": []}
        else:
            answer = {"results": [], "state": "awake"}
        self.told.append(f"end {name}")
        return answer


def test_what_one_client_asks_takes_effect_in_its_order() -> None:
    caller = Slow()
    answers = converse(
        ask(1, "tools/call", name="vaults"),
        ask(2, "tools/call", name="remember", arguments={"content": "one"}),
        ask(3, "tools/call", name="remember", arguments={"content": "two"}),
        ask(4, "tools/call", name="recall", arguments={"query": "one"}),
        caller=caller,
    )
    assert [one["id"] for one in answers] == [1, 2, 3, 4]
    assert caller.told == [
        "begin GET vaults", "end GET vaults",
        "begin POST memories", "end POST memories", "begin POST memories", "end POST memories",
        "begin GET vaults", "end GET vaults", "begin POST recall", "end POST recall",
    ]  # fmt: skip


def test_a_write_in_a_batch_is_waited_for_too() -> None:
    caller = Slow()
    converse(
        [ask(1, "ping"), ask(2, "tools/call", name="remember", arguments={"content": "one"})],
        ask(3, "tools/call", name="status"),
        caller=caller,
    )
    assert caller.told == ["begin POST memories", "end POST memories", "begin GET status", "end GET status"]


def test_a_conversation_survives_rubbish_and_ends_with_its_input() -> None:
    answers = converse(
        b"not json",
        b"",
        b"[]",
        b"x" * (LINE_LIMIT + 10),
        ask(1, "ping"),
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 9, "result": {}},
        [ask(2, "ping"), {"jsonrpc": "2.0", "method": "notifications/x"}, ask(3, "ping")],
        b"\xff\xfe",
    )
    codes = [one["error"]["code"] for one in answers if isinstance(one, dict) and "error" in one]
    assert sorted(codes) == [-32700, -32700, -32700, -32600]
    assert {"jsonrpc": "2.0", "id": 1, "result": {}} in answers
    assert [one["id"] for one in next(answer for answer in answers if isinstance(answer, list))] == [2, 3]


def test_quick_answers_overtake_slow_ones_and_cancelled_ones_stay_away() -> None:
    caller = Scripted()
    release = threading.Timer(0.3, caller.gate.set)
    release.start()
    answers = converse(
        ask(1, "tools/call", name="journal"),
        ask(2, "tools/call", name="journal"),
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2}},
        ask(3, "tools/call", name="status"),
        ask(4, "ping"),
        caller=caller,
    )
    assert [one["id"] for one in answers][-1] == 1
    assert {one["id"] for one in answers} == {1, 3, 4}


def test_a_cancellation_that_comes_too_late_does_not_silence_a_later_request_of_that_id() -> None:
    late = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
    answers = converse(ask(1, "ping"), late, ask(1, "tools/call", name="status"))
    assert [one["id"] for one in answers] == [1, 1]


def test_an_absent_daemon_is_woken_once_by_many_calls() -> None:
    caller, woken = Scripted(away=1000), []

    def wake(at_most: float) -> None:
        woken.append(at_most)
        time.sleep(0.05)
        caller.away = 0

    gateway = Gateway(caller, monotonic=time.monotonic, wake=wake)
    threads = [threading.Thread(target=gateway.call, args=("GET", "/v1/status")) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(5)
    assert len(woken) == 1
    assert 40 < woken[0] <= 45


def test_losing_the_race_to_wake_it_is_fine_and_a_long_dream_is_told() -> None:
    caller = Scripted(away=2)

    def race(_at_most: float) -> None:
        raise AlreadyRunningError("already awake")

    assert Gateway(caller, monotonic=time.monotonic, wake=race).call("GET", "/v1/status") == {"state": "awake"}

    def dreaming(_at_most: float) -> None:
        raise LockedError("muninn is still waking after 45 s")

    with pytest.raises(NotRunningError, match=r"still waking.*try again"):
        Gateway(Scripted(away=1000), monotonic=time.monotonic, wake=dreaming).call("GET", "/v1/status")


def test_without_leave_to_wake_it_only_a_restart_is_waited_for() -> None:
    caller = Scripted()
    gateway = Gateway(caller, monotonic=time.monotonic)
    gateway.call("GET", "/v1/status")
    caller.away = 3
    assert gateway.call("GET", "/v1/status") == {"state": "awake"}
    with pytest.raises(NotRunningError):
        Gateway(Scripted(away=1), monotonic=time.monotonic).call("GET", "/v1/status")


def test_the_end_of_the_input_ends_waiting() -> None:
    gateway = Gateway(Scripted(away=10_000), monotonic=time.monotonic, wake=lambda _at_most: None)
    gateway._met = True
    threading.Timer(0.2, gateway.close).start()
    began = time.monotonic()
    with pytest.raises(NotRunningError):
        gateway.call("GET", "/v1/status")
    assert time.monotonic() - began < 2
