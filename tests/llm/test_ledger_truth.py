"""The ledger against the server's own record, over hundreds of exchanges; and against a process killed in the middle."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock

import pytest

from muninn.config import EmbedConfig
from muninn.domain.records import Egress
from muninn.domain.trust import Tier
from muninn.embed.endpoint import EndpointEmbedder
from muninn.errors import EgressRefusedError, ProviderError
from tests.fakes.llm_server import FakeLlm
from tests.llm.conftest import MakeModels, MemoryLedger, deadline, request_for

MODES = ("ok", "status:500", "trunc:40", "fence", "status:401", "captive_portal", "body:[]", "huge:200000")


@pytest.mark.slow
def test_the_ledger_equals_what_the_server_saw(server: FakeLlm, make_models: MakeModels, ledger: MemoryLedger) -> None:
    lock, at_rest = Lock(), ledger.record

    def record(entry: Egress) -> None:
        with lock:
            at_rest(entry)

    ledger.record = record  # type: ignore[method-assign]
    models = {name: make_models(server, providers=(name,)) for name in ("ollama", "anthropic", "openai")}
    embedder = EndpointEmbedder(
        EmbedConfig(model="ollama/m", url=server.url, dimensions=16), gate=models["ollama"].gate
    )
    refused = Counter[str]()

    def one(number: int) -> None:
        tier = list(Tier)[number % 5]
        server.mode = MODES[number % len(MODES)]
        try:
            if number % 4 == 3:
                embedder.passages([f"memoria {number} ñ", "x" * number], tier=tier, vault=f"v{number % 3}")
            else:
                name = ("ollama", "anthropic", "openai")[number % 3]
                request = request_for(tier, prompt=f'{{"groups": []}} {number} "ñandú" 記憶', vault=f"v{number % 3}")
                models[name].complete(request, deadline=deadline(20))
        except EgressRefusedError:
            refused["refused"] += 1
        except ProviderError:
            refused["failed"] += 1

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(one, range(720)))
    time.sleep(0.2)
    sent = [entry for entry in ledger.entries.values() if entry.allowed]
    assert len(server.requests) >= 500
    assert Counter((e.bytes_out, e.bytes_in, e.content_hash) for e in sent) == Counter(
        (len(r.body), r.answered, r.hash) for r in server.requests
    )
    denied = [entry for entry in ledger.entries.values() if not entry.allowed]
    assert len(denied) == refused["refused"] > 100
    assert all(entry.bytes_out == 0 for entry in denied)
    assert not any(entry.reason == "sending" for entry in ledger.entries.values())
    assert all(entry.dream_id == "01DREAM" for entry in sent if entry.purpose == "consolidate")


CHILD = """
import sys
from muninn.clock import SystemClock, Ulids
from muninn.config import LlmConfig, OllamaConfig
from muninn.domain.trust import Tier
from muninn.llm.models import Models
from muninn.ports import Request

class File:
    def record(self, entry):
        with open(sys.argv[2], "a") as file:
            file.write(f"{entry.reason} {entry.bytes_out} {entry.content_hash}\\n")

clock = SystemClock()
models = Models(LlmConfig(ollama=OllamaConfig(url=sys.argv[1])), ledger=File(), clock=clock, ids=Ulids(), environ={}, jitter=lambda: 0.5)
request = Request(purpose="consolidate", vault="v", tier=Tier.GLOBAL, system="s", prompt="p", schema={"type": "object"})
models.complete(request, deadline=clock.monotonic() + 60)
"""


@pytest.mark.slow
def test_a_killed_process_leaves_the_attempt_behind(server: FakeLlm, tmp_path: Path) -> None:
    server.mode = "hang_accept"
    log = tmp_path / "ledger"
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    child = subprocess.Popen([sys.executable, "-c", CHILD, server.url, str(log)], env=environ)
    try:
        until = time.monotonic() + 60
        while not server.requests and time.monotonic() < until:
            time.sleep(0.02)
    finally:
        child.send_signal(signal.SIGKILL)
        child.wait()
    (request,) = server.requests
    assert log.read_text().splitlines() == [f"sending {len(request.body)} {request.hash}"]


def test_an_entry_holds_neither_text_nor_key(server: FakeLlm, make_models: MakeModels, ledger: MemoryLedger) -> None:
    models = make_models(server, providers=("anthropic",))
    models.complete(request_for(prompt="a secret about Marta"), deadline=deadline())
    assert b"a secret about Marta" in server.requests[0].body
    text = json.dumps([str(entry) for entry in ledger.writes])
    assert "Marta" not in text
    assert "sk-ant" not in text
