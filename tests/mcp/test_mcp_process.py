"""The real command, the real daemon, the official client: over stdio and over HTTP."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from muninn.client import Client as HttpClient

ROOT = Path(__file__).parents[2]


@pytest.fixture
def environ(tmp_path: Path) -> Iterator[dict[str, str]]:
    given = {
        "HOME": str(tmp_path),
        "MUNINN_HOME": str(tmp_path / "m"),
        "MUNINN_EMBED__MODEL": "hashed",
        "PATH": os.environ["PATH"],
        "PYTHONPATH": f"{ROOT}:{ROOT / 'cmd'}",
    }
    (tmp_path / "proj" / ".git").mkdir(parents=True)
    yield given
    subprocess.run(command("stop"), env=given, check=False, capture_output=True, timeout=60)


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "muninn_cmd", *words]


def parameters(environ: dict[str, str], *words: str) -> Any:
    from mcp import StdioServerParameters

    project = str(Path(environ["HOME"]) / "proj")
    return StdioServerParameters(command=sys.executable, args=command("mcp", *words)[1:], env=environ, cwd=project)


async def use(client: Any, tool: str, **arguments: Any) -> Any:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result
    return json.loads(result.content[0].text)


@pytest.mark.slow
def test_the_official_client_over_stdio_through_a_restart(environ: dict[str, str]) -> None:
    from mcp import Client
    from mcp.client.stdio import stdio_client

    async def talk() -> None:
        async with Client(stdio_client(parameters(environ))) as client:
            assert len((await client.list_tools()).tools) == 12
            target = await use(client, "remember", content="The deploy checklist is in ops", title="Deploy checklist")
            texts = [f"fact {n}: follow the deploy checklist" for n in range(15)]
            made = await asyncio.gather(*(use(client, "remember", content=text) for text in texts))
            assert len({one["id"] for one in made}) == 15
            subprocess.run(command("restart"), env=environ, check=True, capture_output=True, timeout=90)
            read = await use(client, "read", id=made[0]["id"])
            assert read["provenance"]["client"].startswith("mcp/")
            around = await use(client, "neighbours", id=target["id"])
            assert around["memories"].keys() == {one["id"] for one in made}
            subprocess.run(command("stop"), env=environ, check=True, capture_output=True, timeout=90)
            found = await use(client, "recall", query="deploy checklist", limit=3)
            assert len(found["results"]) == 3

    asyncio.run(talk())


@pytest.mark.slow
def test_two_hundred_writes_at_once_by_three_doors_are_all_kept_linked_and_sourced(environ: dict[str, str]) -> None:
    from mcp import Client
    from mcp.client.stdio import stdio_client

    titles = [f"Checklist {n}" for n in range(20)]  # ten mentions each, so that none is too common to be linked
    texts = [f"Fact {n}: follow checklist {n % 20}." for n in range(200)]
    given = {**environ, "MUNINN_RUN_ID": "run-7"}
    spoken, typed, posted = texts[:90], texts[90:106], texts[106:]

    def post(text: str) -> None:
        socket_ = Path(environ["MUNINN_HOME"]) / "muninn.sock"
        headers = {"X-Muninn-Client": "script", "X-Muninn-Run": "run-7"}
        HttpClient(str(socket_), headers=headers).call("POST", "/v1/memories", {"content": text, "vault": "proj"})

    def type_(text: str) -> None:
        words = command("remember", text, "--vault", "proj")
        subprocess.run(words, env=given, check=True, capture_output=True, timeout=240)

    async def talk() -> tuple[str, str]:
        async with Client(stdio_client(parameters(given))) as client:
            memories = [{"content": f"What to do before step {title}.", "title": title} for title in titles]
            assert (await use(client, "remember_many", memories=memories))["stored"] == len(titles)
            with ThreadPoolExecutor(8) as pool:
                by_hand = [pool.submit(post, text) for text in posted] + [pool.submit(type_, text) for text in typed]
                made = await asyncio.gather(*(use(client, "remember", content=text) for text in spoken))
                await asyncio.gather(*map(asyncio.wrap_future, by_hand))
            edited = await use(client, "edit", id=made[0]["id"], tags=["ops"])
            await use(client, "forget", id=made[1]["id"])
            return edited["id"], made[1]["id"]

    edited, forgotten = asyncio.run(talk())
    told = subprocess.run(command("export", "--run", "run-7"), env=environ, check=True, capture_output=True, timeout=90)
    every = [json.loads(line) for line in told.stdout.splitlines()[1:]]
    hubs = {row["title"].lower(): row["id"] for row in every if row["title"] in titles}
    rows = {row["id"]: row for row in every if row["id"] not in hubs.values()}
    assert sorted(row["content"] for row in rows.values()) == sorted(texts)
    clients = Counter(row["provenance"]["client"].partition("/")[0] for row in rows.values())
    assert clients == {"mcp": len(spoken), "cli": len(typed), "script": len(posted)}
    for row in rows.values():
        mentioned = [link["target"] for link in row["links"] if link["relation"] == "mentions"]
        named = hubs[row["content"].partition("follow ")[2].rstrip(".")]
        assert mentioned == ([] if row["id"] == forgotten else [named]), row
    assert (rows[edited]["tags"], rows[forgotten]["state"]) == (["ops"], "forgotten")


@pytest.mark.slow
def test_stdout_carries_the_protocol_only_and_eof_ends_it(environ: dict[str, str]) -> None:
    lines = [
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": {"protocolVersion": "2025-06-18", "capabilities": {}},
        },
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "status", "arguments": {}}},
    ]
    sent = "".join(json.dumps(line) + "\n" for line in lines)
    run = subprocess.run(
        command("mcp", "--no-start"), env=environ, input=sent, capture_output=True, text=True, timeout=30
    )
    assert run.returncode == 0
    answers = [json.loads(line) for line in run.stdout.splitlines()]
    assert [one["id"] for one in answers] == [1, 2]
    assert answers[1]["result"]["isError"]
    assert "muninn start" in answers[1]["result"]["content"][0]["text"]
    assert not (Path(environ["MUNINN_HOME"]) / "data").exists()


@pytest.mark.slow
def test_start_imports_neither_the_daemon_nor_the_official_package(environ: dict[str, str]) -> None:
    program = (
        "import sys; sys.argv = ['muninn', 'mcp', '--no-start']; from muninn_cmd import main; code = main();"
        "print(sorted({name.split('.')[0] for name in sys.modules} & {'mcp', 'lancedb', 'numpy', 'anthropic', 'starlette'}),"
        " file=sys.stderr); sys.exit(code)"
    )
    run = subprocess.run([sys.executable, "-c", program], env=environ, input=b"", capture_output=True, timeout=30)
    assert run.stderr.decode().strip() == "[]"
    assert run.returncode == 0


@pytest.mark.slow
def test_http_asks_for_its_token_and_serves_the_same(environ: dict[str, str]) -> None:
    import httpx
    from mcp import Client
    from mcp.client.streamable_http import streamable_http_client
    from mcp.shared._httpx_utils import create_mcp_http_client

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}/mcp"
    server = subprocess.Popen(
        command("mcp", "--http", str(port)), env=environ, cwd=Path(environ["HOME"]) / "proj", stdout=subprocess.PIPE
    )
    try:
        file = Path(environ["MUNINN_HOME"]) / "mcp.token"
        for _ in range(200):
            try:
                refused = httpx.post(url, json={})
                break
            except httpx.TransportError:
                time.sleep(0.1)
        assert refused.status_code == 401
        assert file.stat().st_mode & 0o777 == 0o600
        headers = {"Authorization": f"Bearer {file.read_text().strip()}"}
        assert httpx.post(url, json={}, headers={**headers, "Origin": "http://evil.example"}).status_code == 403

        async def talk() -> None:
            http = create_mcp_http_client(headers=headers)
            async with Client(streamable_http_client(url, http_client=http)) as client:
                assert len((await client.list_tools()).tools) == 12
                made = await use(client, "remember", content="said over HTTP")
                assert made["vault"] == "proj"
                read = await use(client, "read", id=made["id"])
                assert read["provenance"]["client"].startswith("mcp/")
                assert (await client.call_tool("read", {"id": "nope"})).is_error
                assert len((await client.list_resources()).resources) == 2
                assert (await client.read_resource("muninn://journal")).contents
                assert (await client.get_prompt("where_did_we_leave_off", {})).messages

        asyncio.run(talk())
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(20)
