"""The client over the socket: framing, problems as errors, and daemons that misbehave."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muninn import errors
from muninn.client import Client, error_of


def test_a_document_comes_back(daemon: Any) -> None:
    daemon.on("POST /v1/recall", {"results": [{"title": "Año nuevo – 新年 \u202e"}]})
    answer = Client(daemon.socket).post("/v1/recall", {"query": "¿qué puerto? 端口"})
    assert answer["results"][0]["title"] == "Año nuevo – 新年 \u202e"
    assert daemon.last.body == {"query": "¿qué puerto? 端口"}


def test_chunks_are_joined_and_lines_are_whole(daemon: Any) -> None:
    daemon.on("GET /v1/export", '{"a": "ñandú"}\n{"b": 2}\n{"c": 3}'.encode())
    assert list(Client(daemon.socket).lines("/v1/export")) == ['{"a": "ñandú"}'.encode(), b'{"b": 2}', b'{"c": 3}']


def test_headers_carry_utf8_and_never_a_second_header(daemon: Any) -> None:
    daemon.on("GET /v1/vaults", {})
    Client(daemon.socket, headers={"X-Muninn-Run": "ejecución-7", "X-Muninn-Session": "a\r\nX-Evil: 1"}).get(
        "/v1/vaults"
    )
    assert daemon.last.headers["x-muninn-run"] == "ejecución-7"
    assert "x-evil" not in daemon.last.headers
    assert daemon.last.headers["x-muninn-session"] == "a??X-Evil: 1"


def test_a_lone_surrogate_is_refused_before_it_is_sent(daemon: Any) -> None:
    with pytest.raises(errors.UsageError, match="lone surrogate"):
        Client(daemon.socket).post("/v1/memories", {"content": "\ud800"})
    assert daemon.asked == []


@pytest.mark.parametrize("name", errors.__all__)
def test_every_error_survives_the_wire(name: str) -> None:
    original: errors.MuninnError = getattr(errors, name)("it broke", hint="mend it")
    problem = {
        "type": f"urn:muninn:{name}", "title": original.message, "detail": str(original), "status": original.status,
        "exit_code": original.exit_code, "hint": original.hint,
    }  # fmt: skip
    error = error_of(original.status, problem)
    assert type(error) is type(original)
    assert (str(error), error.exit_code, error.status) == (str(original), original.exit_code, original.status)


def test_a_problem_of_unknown_type_goes_by_its_status() -> None:
    assert type(error_of(404, {"title": "gone"})) is errors.NotFoundError
    assert type(error_of(418, {})) is errors.MuninnError
    assert str(error_of(418, {})) == "the daemon answered 418"


def test_nobody_listening_says_how_to_start(tmp_path: Path) -> None:
    with pytest.raises(errors.NotRunningError, match="muninn start"):
        Client(tmp_path / "none.sock").get("/v1/status")


def crowded(path: Path) -> tuple[socket.socket, list[socket.socket]]:
    """A listener whose queue is full."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(path))
    listener.listen(0)
    waiting = []
    while True:
        one = socket.socket(socket.AF_UNIX)
        one.setblocking(False)
        waiting.append(one)
        if one.connect_ex(str(path)):
            return listener, waiting


def test_a_crowd_at_the_door_is_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "full.sock"
    listener, waiting = crowded(path)

    def serve() -> None:
        for _ in waiting[:-1]:
            listener.accept()[0].close()
        pipe, _ = listener.accept()
        pipe.recv(65536)
        pipe.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}")
        pipe.close()

    opening = threading.Timer(0.2, serve)
    opening.start()
    assert Client(path, timeout=20).get("/v1/status") == {}
    opening.join()


def test_a_crowd_that_stays_is_not_called_nobody(tmp_path: Path) -> None:
    path = tmp_path / "full.sock"
    listener, waiting = crowded(path)
    with pytest.raises(errors.MuninnError, match="let nobody in") as told:
        Client(path, timeout=0.2).get("/v1/status")
    assert not isinstance(told.value, errors.NotRunningError)
    for one in (listener, *waiting):
        one.close()


def test_a_path_that_no_socket_can_have_is_nobody(tmp_path: Path) -> None:
    with pytest.raises(errors.NotRunningError):
        Client(tmp_path / ("x" * 200)).get("/v1/status")


def test_a_dead_socket_file_is_nobody(tmp_path: Path) -> None:
    path = tmp_path / "dead.sock"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
    with pytest.raises(errors.NotRunningError):
        Client(path).get("/v1/status")


@pytest.fixture
def speaking(tmp_path: Path) -> Iterator[Callable[[bytes], Client]]:
    """A peer that reads a request, answers with given bytes and hangs up."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(tmp_path / "raw.sock"))
    listener.listen()

    def start(answer: bytes) -> Client:
        def serve() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(answer)

        threading.Thread(target=serve, daemon=True).start()
        return Client(tmp_path / "raw.sock", timeout=2)

    yield start
    listener.close()


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"HTTP/1.1 200 OK\r\nContent-Le",
        b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{}",
    ],
)
def test_half_an_answer_is_never_taken_for_a_whole_one(speaking: Callable[[bytes], Client], answer: bytes) -> None:
    with pytest.raises(errors.NotRunningError, match="went away"):
        speaking(answer).get("/v1/status")


def test_an_answer_that_comes_before_the_question_ended_is_heard(tmp_path: Path) -> None:
    def refuse() -> None:
        connection, _ = listener.accept()
        with connection:
            connection.recv(1000)
            problem = b'{"type": "urn:muninn:TooLargeError", "title": "too large", "exit_code": 2}'
            connection.sendall(b"HTTP/1.1 413 X\r\nContent-Length: %d\r\n\r\n" % len(problem) + problem)

    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "full.sock"))
        listener.listen()
        threading.Thread(target=refuse, daemon=True).start()
        with pytest.raises(errors.TooLargeError, match="too large"):
            Client(tmp_path / "full.sock", timeout=5).post("/v1/memories", {"content": "x" * 20_000_000})


@pytest.mark.parametrize(
    "answer",
    [
        b"SSH-2.0-OpenSSH_9.6\r\n\r\n",
        b"HTTP/1.1 abc OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: ten\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nnot json!",
        b"HTTP/1.1 200 OK\r\n\r\n" + b"[" * 50_000,
    ],
)
def test_a_stranger_on_the_socket_is_named_as_one(speaking: Callable[[bytes], Client], answer: bytes) -> None:
    with pytest.raises(errors.MuninnError) as caught:
        speaking(answer).get("/v1/status")
    assert "\n" not in str(caught.value)


def test_silence_ends_at_the_timeout(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "mute.sock"))
        listener.listen()
        with pytest.raises(errors.MuninnError, match=r"no answer in 0\.05 s"):
            Client(tmp_path / "mute.sock", timeout=0.05).get("/v1/status")


@given(st.binary(max_size=300))
def test_no_answer_whatever_raises_anything_but_ours(answer: bytes) -> None:
    from muninn.client import _answer, _decode, _Reader

    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.sendall(answer)
        ours.shutdown(socket.SHUT_WR)
        try:
            status, pieces = _answer(_Reader(theirs, "x"))
            _decode(b"".join(pieces), status)
        except errors.MuninnError:
            pass
