"""Wall time of `muninn-hook` against a bare interpreter and, if its folder is given, the npm package's hook.

    python tests/bench/hook.py [--npm FOLDER] [--runs N] [--home FOLDER]

Medians of interleaved runs, so that a busy machine is unfair to all alike. ``--home`` names the MUNINN_HOME of a running
daemon; without it the hook service answers behind a minimal HTTP server in a second process.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import muninn_hook
from muninn.clock import SystemClock
from muninn.config import SensesConfig
from muninn.hooks.service import HookService

PYTHON = os.path.realpath(getattr(sys, "_base_executable", sys.executable))
HOOK = str(Path(muninn_hook.__file__))


def payload(characters: int) -> bytes:
    text = ("a line of ordinary output\n" * (characters // 26 + 1))[:characters]
    event: dict[str, Any] = {
        "session_id": "bench", "transcript_path": "/tmp/t.jsonl", "cwd": "/tmp", "hook_event_name": "PostToolUse",
        "tool_name": "Bash", "tool_input": {"command": "make"},
        "tool_response": {"stdout": text, "stderr": "", "interrupted": False, "isImage": False}, "tool_use_id": "t",
    }  # fmt: skip
    return json.dumps(event).encode()


def serve(home: Path) -> None:
    """Answer hook events on the socket of ``home`` until killed."""
    service = HookService(SensesConfig(), SystemClock(), home / "hooks", home)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(str(home / "muninn.sock"))
    listener.listen(64)
    while True:
        connection, _ = listener.accept()
        data = b""
        while b"\r\n\r\n" not in data:
            data += connection.recv(1 << 16)
        head, _, body = data.partition(b"\r\n\r\n")
        length = int(head.lower().split(b"content-length:")[1].split()[0])
        while len(body) < length:
            body += connection.recv(1 << 18)
        reply = json.dumps(service.handle("", json.loads(body)) or {}).encode()
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(reply) + reply)
        connection.close()


def timed(command: list[str], data: bytes, environ: dict[str, str], folder: str) -> float:
    start = time.perf_counter()
    subprocess.run(command, input=data, env=environ, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)  # fmt: skip
    return (time.perf_counter() - start) * 1000


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--npm", default="", help="folder of the unpacked npm package")
    parser.add_argument("--runs", type=int, default=25)
    parser.add_argument("--home", default="", help="MUNINN_HOME of a running daemon")
    parser.add_argument("--serve", default="", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        return serve(Path(options.serve))
    with tempfile.TemporaryDirectory() as folder:
        home = options.home or folder
        environ = {"HOME": folder, "MUNINN_HOME": home, "PATH": os.environ.get("PATH", "")}
        server = None if options.home else subprocess.Popen([sys.executable, __file__, "--serve", folder])
        while not (Path(home) / "muninn.sock").exists():
            time.sleep(0.05)
        hook = [PYTHON, "-I", "-S", HOOK]
        small, large = payload(2_000), payload(10_000_000)
        away = {**environ, "MUNINN_HOME": folder + "/away"}
        cases = {
            "python -I -S -c pass": ([PYTHON, "-I", "-S", "-c", "pass"], small, environ),
            "muninn-hook, 2 KB": (hook, small, environ),
            "muninn-hook, 10 MB": (hook, large, environ),
            "muninn-hook, daemon away": (hook, small, away),
        }
        node = shutil.which("node")
        if options.npm and node:
            cases["npm PostToolUse, 2 KB"] = ([node, f"{options.npm}/src/hook.js"], small, environ)
        times: dict[str, list[float]] = {name: [] for name in cases}
        try:
            for _ in range(options.runs):
                for name, (command, data, env) in cases.items():
                    times[name].append(timed(command, data, env, folder))
        finally:
            if server is not None:
                server.kill()
    for name, found in times.items():
        print(f"{name:28} median {statistics.median(found):7.1f} ms   least {min(found):7.1f} ms")
    return None


if __name__ == "__main__":
    main()
