"""`muninn-hook` as Claude Code runs it: a file by absolute path, an event on stdin, and never a disturbance."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import muninn_hook
from muninn.hooks.canary import sing
from muninn.hooks.service import HookService
from muninn.hooks.settings import hook_command
from muninn.paths import socket_name
from muninn_hook import forward

FILE = str(Path(str(muninn_hook.__file__)).resolve())
PYTHON = os.path.realpath(getattr(sys, "_base_executable", sys.executable))
EVENT = {"session_id": "S", "hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": "make"}}
Answer = Callable[[bytes], bytes]


class Daemon:
    """A socket that hears requests and answers them with bytes."""

    def __init__(self, path: str, answer: Answer) -> None:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        self.heard: list[bytes] = []
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(path)
        self._listener.listen(32)
        self._answer = answer
        Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with connection:
                data = b""
                while b"\r\n\r\n" not in data:
                    data += connection.recv(65536)
                head, _, body = data.partition(b"\r\n\r\n")
                length = int(head.lower().split(b"content-length:")[1].split()[0])
                while len(body) < length:
                    body += connection.recv(65536)
                self.heard.append(head + b"\r\n\r\n" + body)
                try:
                    connection.sendall(self._answer(body))
                except OSError:
                    continue

    def bodies(self) -> list[Any]:
        return [json.loads(request.partition(b"\r\n\r\n")[2]) for request in self.heard]

    def close(self) -> None:
        self._listener.close()


def http(body: bytes, status: bytes = b"200 OK") -> bytes:
    return b"HTTP/1.1 %b\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%b" % (status, len(body), body)


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[[Answer], Daemon]]:
    started: list[Daemon] = []

    def run(answer: Answer, path: str = "") -> Daemon:
        started.append(Daemon(path or str(tmp_path / ".muninn" / "muninn.sock"), answer))
        return started[-1]

    yield run
    for daemon in started:
        daemon.close()


def hook(home: Path, data: bytes, **environ: str) -> bytes:
    """What the hook prints; it must exit with 0 and say nothing on stderr, within its second."""
    begin = time.perf_counter()
    done = subprocess.run(
        [PYTHON, "-I", "-S", FILE], input=data, env={"HOME": str(home), **environ}, capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert time.perf_counter() - begin < 5
    return done.stdout


def test_an_answer_is_printed_and_the_event_forwarded(tmp_path: Path, start: Any) -> None:
    reply = b'{"hookSpecificOutput":{"additionalContext":"\xc3\xb1"}}'
    daemon = start(lambda _: http(reply))
    assert hook(tmp_path, json.dumps(EVENT).encode()) == reply + b"\n"
    assert daemon.bodies() == [EVENT]
    assert daemon.heard[0].startswith(b"POST /v1/hooks/PostToolUse HTTP/1.1\r\n")


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"garbage",
        http(b"{}"),
        http(b"null"),
        http(b"not json"),
        http(b'{"a": 1}', b"500 Oops"),
        http(b'{"type": "about:blank"}', b"404 Not Found"),
        b"HTTP/1.1 204 No Content\r\n\r\n",
        http(b'{"a": "cut short"}')[:-5],
        b'HTTP/1.1 200 OK\r\n\r\n{"a": "of unknown length"}',
    ],
)
def test_a_confused_daemon_is_silence(tmp_path: Path, start: Any, answer: bytes) -> None:
    start(lambda _: answer)
    assert hook(tmp_path, json.dumps(EVENT).encode()) == b""


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"not json",
        b"[1,2]",
        b"null",
        b'{"session_id":"a","tool_na',
        b"{}",
        b"\xff\xfe",
        b'{"hook_event_name":"../../x y\\r\\n"}',
    ],
)
def test_bad_input_is_silence(tmp_path: Path, start: Any, data: bytes) -> None:
    daemon = start(lambda _: http(b"{}"))
    assert hook(tmp_path, data) == b""
    assert all(request.split(b" ")[1] == b"/v1/hooks/unknown" for request in daemon.heard)


def test_without_a_daemon_there_is_silence(tmp_path: Path) -> None:
    assert hook(tmp_path, json.dumps(EVENT).encode()) == b""
    assert hook(tmp_path, json.dumps(EVENT).encode(), MUNINN_HOME="/nowhere/at/all") == b""


def test_a_slow_daemon_is_left_within_a_second(tmp_path: Path, start: Any) -> None:
    def doze(_body: bytes) -> bytes:
        time.sleep(4)
        return b""

    start(doze)
    begin = time.perf_counter()
    assert hook(tmp_path, json.dumps(EVENT).encode()) == b""
    assert time.perf_counter() - begin < 2.5


def test_input_that_never_ends_is_left_within_a_second(tmp_path: Path) -> None:
    begin = time.perf_counter()
    process = subprocess.Popen(
        [PYTHON, "-I", "-S", FILE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={"HOME": str(tmp_path)}
    )
    assert process.wait(timeout=5) == 0
    assert time.perf_counter() - begin < 2.5
    process.communicate()


def test_muninn_s_own_agents_are_not_watched(tmp_path: Path, start: Any) -> None:
    daemon = start(lambda _: http(b'{"a": 1}'))
    assert hook(tmp_path, json.dumps(EVENT).encode(), MUNINN_INTERNAL="1") == b""
    assert daemon.heard == []


def test_large_output_is_counted_not_sent(tmp_path: Path, start: Any) -> None:
    daemon = start(lambda _: http(b'{"a": 1}'))
    text = 'línea «x» \\ "y"\n' * 700_000
    event = {**EVENT, "tool_response": {"stdout": text, "stderr": "", "interrupted": False}, "tool_use_id": "t"}
    raw = json.dumps(event, ensure_ascii=False).encode()
    assert hook(tmp_path, raw) == b'{"a": 1}\n'
    (body,) = daemon.bodies()
    assert len(daemon.heard[0]) < 100_000
    assert {key: body[key] for key in EVENT} == EVENT
    assert body["tool_response"]["stdout"] == text[: len(body["tool_response"]["stdout"])]
    assert body["muninn_lengths"]["/tool_response/stdout"] == pytest.approx(len(raw), rel=0.01)


def test_a_long_home_moves_the_socket(tmp_path: Path, start: Any) -> None:
    home = str(tmp_path / ("x" * 120))
    environ = {"HOME": str(tmp_path), "MUNINN_HOME": home, "XDG_RUNTIME_DIR": str(tmp_path / "run")}
    start(lambda _: http(b'{"a": 1}'), socket_name(home, environ))
    assert hook(tmp_path, json.dumps(EVENT).encode(), **environ) == b'{"a": 1}\n'


@pytest.mark.parametrize("home", ["", "~/m", "relative/m", "/a//b/./c/", "//net/x", "/" + "ñ" * 60])
def test_the_address_is_the_one_of_the_daemon(home: str, monkeypatch: pytest.MonkeyPatch) -> None:
    environ = {"HOME": "/home/ana", "XDG_RUNTIME_DIR": "/run/user/7", **({"MUNINN_HOME": home} if home else {})}
    monkeypatch.setattr("posix.environ", {k.encode(): v.encode() for k, v in environ.items()})
    from muninn.paths import home_name

    if not home.startswith("~"):
        assert forward._address() == socket_name(home_name(environ), environ).encode()
    else:
        assert forward._address() == b"/home/ana/m/muninn.sock"


def test_ten_hooks_at_once_are_ten_events(tmp_path: Path, start: Any, claude: Any) -> None:
    service: HookService = claude.service
    start(lambda body: http(json.dumps(service.handle("", json.loads(body)) or {}).encode()))
    command = [PYTHON, "-I", "-S", FILE]
    processes = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={"HOME": str(tmp_path)})
        for _ in range(10)
    ]
    outputs = [process.communicate(json.dumps(EVENT).encode())[0] for process in processes]
    assert service.calls("S") == 10
    assert sum(bool(output) for output in outputs) <= 1


def test_a_missing_file_or_interpreter_never_blocks_a_prompt(tmp_path: Path) -> None:
    for python, file in ((PYTHON, "/gone/file.py"), ("/gone/python", FILE)):
        done = subprocess.run(
            ["/bin/sh", "-c", hook_command(python, file)], input=b"{}", capture_output=True, check=False
        )
        assert (done.returncode, done.stdout) == (0, b"")


def test_the_canary_comes_back_through_the_real_path(tmp_path: Path, start: Any, claude: Any) -> None:
    command = hook_command(PYTHON, FILE, home=str(tmp_path / "my home"))
    assert "not running" in str(sing(command, {"PATH": "/bin"}, "n"))
    start(
        lambda body: http(json.dumps(claude.service.handle("", json.loads(body)) or {}).encode()),
        str(tmp_path / "my home" / "muninn.sock"),
    )
    assert sing(command, {"PATH": "/bin"}, "n") is None
    assert "exits with 3" in str(sing("exit 3", {}, "n"))


def test_only_built_in_modules_are_loaded(tmp_path: Path) -> None:
    done = subprocess.run(
        [PYTHON, "-I", "-S", "-X", "importtime", FILE], input=json.dumps(EVENT).encode(), env={"HOME": str(tmp_path)}, capture_output=True, check=False
    )  # fmt: skip
    loaded = {line.rpartition(b"|")[2].strip().decode() for line in done.stderr.splitlines()}
    assert not loaded & {
        "json",
        "socket",
        "http",
        "os.path",
        "re",
        "enum",
        "typing",
        "subprocess",
        "asyncio",
        "muninn",
        "pathlib",
    }
    assert "forward" in loaded


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**6), 10**6) | st.text(max_size=200),
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.text(max_size=20), inner, max_size=6),
    max_leaves=30,
)


@given(
    st.dictionaries(st.text(max_size=12), JSON, max_size=5), st.integers(60, 3_000), st.integers(1, 500), st.booleans()
)
def test_a_cut_object_is_still_an_object(rest: dict[str, Any], head: int, seen: int, plain: bool) -> None:
    raw = json.dumps({**EVENT, **{f"x{k}": v for k, v in rest.items()}}, ensure_ascii=plain).encode(
        "utf-8", "surrogatepass"
    )
    assume(len(raw) > head + 1)
    forward.HEAD, usual = head, forward.HEAD
    try:
        body = raw[: head + seen]
        whole = json.loads(forward.shortened(body, len(raw) - len(body), raw[len(body) :][-forward.TAIL :]))
    finally:
        forward.HEAD = usual
    assert whole["session_id"] == "S"
    assert all(key in EVENT or key[0] == "x" or key == "muninn_lengths" for key in whole)
